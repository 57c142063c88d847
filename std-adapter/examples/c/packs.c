/*
 * Files to packs and back, on all cores.
 *
 *   packs KEYFILE scan FILE         chunks and ids, as lines
 *   packs KEYFILE hash FILE         the id of the whole file, read into memory
 *   packs KEYFILE pack FILE PACK
 *   packs KEYFILE verify PACK
 *   packs KEYFILE ls PACK           chunks and ids, and what each takes in the pack
 *   packs KEYFILE unpack PACK FILE
 *
 * Packs are those of `chunkmill pack`, and the other way round. Exit code: 0 done, 1 the data is wrong, 2 usage, 3 input or output
 * failed. New files are written beside their place and renamed when they are whole.
 */
#define _POSIX_C_SOURCE 200809L

#include <chunkmill.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

struct work {
  const chunkmill_engine *engine;
  const char *command, *from, *to;
  int in, out; /* descriptors, -1 if there is none */
  chunkmill_summary done;
  chunkmill_error error;
};

static ptrdiff_t read_from(void *user, uint8_t *buffer, size_t len) {
  ssize_t got = read(((struct work *)user)->in, buffer, len);
  return got < 0 ? -errno : got;
}

static ptrdiff_t write_to(void *user, const uint8_t *bytes, size_t len) {
  ssize_t put = write(((struct work *)user)->out, bytes, len);
  return put < 0 ? -errno : put;
}

static int print_chunk(void *user, const chunkmill_chunk *chunk) {
  (void)user;
  char id[65];
  chunkmill_id_hex(chunk->id, id);
  return printf("%" PRIu64 " %" PRIu32 " %s\n", chunk->offset, chunk->len, id) < 0;
}

static int print_record(void *user, const chunkmill_record *record) {
  (void)user;
  char id[65];
  chunkmill_id_hex(record->chunk.id, id);
  return printf("%" PRIu64 " %" PRIu32 " %" PRIu32 " %s\n", record->chunk.offset, record->chunk.len, record->stored, id) < 0;
}

static void fail(struct work *work, chunkmill_status status, const char *message) {
  work->error.status = status;
  snprintf(work->error.message, sizeof work->error.message, "%s", message);
}

/* A whole file in memory, hashed at once. */
static void hash_file(const chunkmill_threads *threads, struct work *work) {
  struct stat about;
  uint8_t id[32], *bytes = NULL;
  char hex[65];
  size_t size, len = 0;
  ssize_t got = 0;
  if (fstat(work->in, &about) != 0 || (bytes = malloc((size = (size_t)about.st_size) + 1)) == NULL) {
    fail(work, CHUNKMILL_STATUS_IO, strerror(errno));
    return;
  }
  while (len < size && ((got = read(work->in, bytes + len, size - len)) > 0 || (got < 0 && errno == EINTR))) {
    if (got > 0) len += (size_t)got;
  }
  if (got < 0) {
    fail(work, CHUNKMILL_STATUS_IO, strerror(errno));
  } else if (chunkmill_hash(threads, work->engine, bytes, len, id, &work->error) == CHUNKMILL_STATUS_OK) {
    chunkmill_id_hex(id, hex);
    puts(hex);
  }
  free(bytes);
}

static void pack_file(const chunkmill_threads *threads, struct work *work, chunkmill_input in, chunkmill_output out) {
  uint8_t stream_id[16];
  int random = open("/dev/urandom", O_RDONLY);
  ssize_t got = random < 0 ? -1 : read(random, stream_id, sizeof stream_id);
  if (random >= 0) close(random);
  if (got != sizeof stream_id) {
    fail(work, CHUNKMILL_STATUS_IO, "no random bytes");
    return;
  }
  chunkmill_pack(threads, work->engine, stream_id, in, out, &work->done, &work->error);
}

/* All that wants threads is done in here. */
static void body(const chunkmill_threads *threads, void *user) {
  struct work *work = user;
  chunkmill_input in = {.read = read_from, .user = work};
  chunkmill_output out = {.write = write_to, .user = work};
  if (strcmp(work->command, "scan") == 0) {
    chunkmill_scan(threads, work->engine, in, print_chunk, NULL, NULL, &work->error);
  } else if (strcmp(work->command, "hash") == 0) {
    hash_file(threads, work);
  } else if (strcmp(work->command, "pack") == 0) {
    pack_file(threads, work, in, out);
  } else if (strcmp(work->command, "verify") == 0) {
    chunkmill_verify(threads, work->engine, in, &work->done, &work->error);
  } else if (strcmp(work->command, "ls") == 0) {
    chunkmill_list(threads, work->engine, in, print_record, NULL, &work->error);
  } else if (strcmp(work->command, "unpack") == 0) {
    /* A chunk that occurs again is read from where it was written first. */
    chunkmill_earlier earlier = {.place = CHUNKMILL_EARLIER_IN_RESTORED, .fd = work->out};
    chunkmill_unpack(threads, work->engine, in, out, earlier, &work->done, &work->error);
  } else {
    fail(work, CHUNKMILL_STATUS_ARGUMENT, "no such command");
  }
}

static int exit_code(chunkmill_status status) {
  switch (status) {
    case CHUNKMILL_STATUS_OK: return 0;
    case CHUNKMILL_STATUS_DATA:
    case CHUNKMILL_STATUS_WRONG_KEY: return 1;
    case CHUNKMILL_STATUS_ARGUMENT: return 2;
    default: return 3;
  }
}

/* Opens the files, does the work, and lets the new file appear if it is whole. */
static int run(struct work *work) {
  char beside[4096];
  if ((work->in = open(work->from, O_RDONLY)) < 0) {
    fprintf(stderr, "packs: %s: %s\n", work->from, strerror(errno));
    return 3;
  }
  if (work->to != NULL) {
    int len = snprintf(beside, sizeof beside, "%s.%ld", work->to, (long)getpid());
    if (len < 0 || (size_t)len >= sizeof beside || (work->out = open(beside, O_RDWR | O_CREAT | O_EXCL, 0600)) < 0) {
      fprintf(stderr, "packs: %s: %s\n", work->to, strerror(errno));
      return 3;
    }
  }
  chunkmill_error error = {0};
  if (chunkmill_with_threads(0, body, work, &error) != CHUNKMILL_STATUS_OK) work->error = error;
  int code = exit_code(work->error.status);
  if (code != 0) fprintf(stderr, "packs: %s: %s\n", work->from, work->error.message);
  if (fflush(stdout) != 0 && code == 0) {
    perror("packs: stdout");
    code = 3;
  }
  if (work->to != NULL) {
    if (code == 0 && (fsync(work->out) != 0 || rename(beside, work->to) != 0)) {
      fprintf(stderr, "packs: %s: %s\n", work->to, strerror(errno));
      code = 3;
    }
    if (code != 0) unlink(beside);
  }
  return code;
}

int main(int argc, char **argv) {
  int files = argc - 3;
  const char *command = argc > 2 ? argv[2] : "";
  int wanted = strcmp(command, "pack") == 0 || strcmp(command, "unpack") == 0 ? 2 : 1;
  if (files != wanted) {
    fprintf(stderr, "usage: packs KEYFILE scan|hash|pack|verify|ls|unpack FILE [FILE]\n");
    return 2;
  }
  struct work work = {.command = command, .from = argv[3], .to = wanted == 2 ? argv[4] : NULL, .in = -1, .out = -1};
  chunkmill_error error = {0};
  chunkmill_key *key = NULL;
  chunkmill_engine *engine = NULL;
  int code = 2;
  if (chunkmill_key_read_file(argv[1], &key, &error) != CHUNKMILL_STATUS_OK ||
      chunkmill_engine_new(NULL, key, &engine, &error) != CHUNKMILL_STATUS_OK) {
    fprintf(stderr, "packs: %s: %s\n", argv[1], error.message);
  } else {
    work.engine = engine;
    code = run(&work);
  }
  if (work.in >= 0) close(work.in);
  if (work.out >= 0) close(work.out);
  chunkmill_engine_free(engine);
  chunkmill_key_free(key);
  return code;
}
