/*
 * A small backup agent: cuts files into chunks and keeps each chunk once, in a folder, under its id.
 *
 *   agent KEYFILE STORE FILE...
 *
 * Prints a line for each chunk (offset, length, id, file), which is all that is needed to put a file together again, and the totals
 * on stderr. The ids are those of `chunkmill scan --key-file KEYFILE`. Exit code: 0 done, 1 some file could not be read, 2 usage,
 * 3 the store failed.
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

struct agent {
  int store;       /* the folder of chunks */
  const char *file; /* the file being read */
  uint8_t *chunk;  /* the bytes of the current chunk, with room for the greatest */
  size_t len;
  uint64_t bytes, chunks, stored;
};

static int write_all(int fd, const uint8_t *bytes, size_t len) {
  while (len > 0) {
    ssize_t written = write(fd, bytes, len);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return -1;
    bytes += written;
    len -= (size_t)written;
  }
  return 0;
}

/* Puts the current chunk into the store, unless it is there. It appears under its name only when it is whole and on the disk. */
static int store_chunk(struct agent *agent, const char *name) {
  char beside[32];
  struct stat there;
  if (fstatat(agent->store, name, &there, 0) == 0) return 0;
  snprintf(beside, sizeof beside, "new-%ld", (long)getpid());
  int fd = openat(agent->store, beside, O_WRONLY | O_CREAT | O_TRUNC, 0600);
  if (fd < 0) return -1;
  int failed = write_all(fd, agent->chunk, agent->len) != 0 || fsync(fd) != 0;
  failed |= close(fd) != 0;
  if (failed || renameat(agent->store, beside, agent->store, name) != 0) {
    int why = errno;
    unlinkat(agent->store, beside, 0);
    errno = why;
    return -1;
  }
  agent->stored++;
  return 0;
}

/* Is given the spans of chunks, in order. */
static int take_span(void *user, const uint8_t *bytes, size_t len, const chunkmill_chunk *ended) {
  struct agent *agent = user;
  memcpy(agent->chunk + agent->len, bytes, len);
  agent->len += len;
  if (ended == NULL) return 0;
  char name[65];
  chunkmill_id_hex(ended->id, name);
  if (store_chunk(agent, name) != 0) return errno;
  printf("%" PRIu64 " %" PRIu32 " %s %s\n", ended->offset, ended->len, name, agent->file);
  agent->bytes += ended->len;
  agent->chunks++;
  agent->len = 0;
  return 0;
}

/* Reads a file to its end. 0, or an exit code. */
static int back_up(struct agent *agent, chunkmill_chunker *chunker) {
  static uint8_t window[64 << 10];
  chunkmill_error error = {0};
  agent->len = 0;
  int fd = open(agent->file, O_RDONLY);
  ssize_t len = fd < 0 ? -1 : 0;
  while (fd >= 0 && ((len = read(fd, window, sizeof window)) > 0 || (len < 0 && errno == EINTR))) {
    if (len > 0 && chunkmill_chunker_push(chunker, window, (size_t)len, take_span, agent, &error) != CHUNKMILL_STATUS_OK) break;
  }
  int read_error = errno;
  if (fd >= 0) close(fd);
  if (len < 0) {
    fprintf(stderr, "agent: %s: %s\n", agent->file, strerror(read_error));
    /* The chunker goes on with the next file from its start: what is left of this one is let go. */
    chunkmill_chunker_reset(chunker);
    return 1;
  }
  if (error.status == CHUNKMILL_STATUS_OK) chunkmill_chunker_finish(chunker, take_span, agent, &error);
  if (error.status == CHUNKMILL_STATUS_OK) return 0;
  fprintf(stderr, "agent: %s: the store failed: %s\n", agent->file, error.message);
  return 3;
}

int main(int argc, char **argv) {
  if (argc < 4) {
    fprintf(stderr, "usage: agent KEYFILE STORE FILE...\n");
    return 2;
  }
  chunkmill_error error = {0};
  chunkmill_key *key = NULL;
  chunkmill_engine *engine = NULL;
  chunkmill_chunker *chunker = NULL;
  chunkmill_options options = chunkmill_options_default();
  struct agent agent = {.store = -1, .chunk = malloc(options.max)};
  int code = 0;

  if (agent.chunk == NULL) {
    fprintf(stderr, "agent: no memory for a chunk\n");
    code = 3;
  } else if (chunkmill_key_read_file(argv[1], &key, &error) != CHUNKMILL_STATUS_OK ||
             chunkmill_engine_new(&options, key, &engine, &error) != CHUNKMILL_STATUS_OK ||
             chunkmill_chunker_new(engine, &chunker, &error) != CHUNKMILL_STATUS_OK) {
    fprintf(stderr, "agent: %s: %s\n", argv[1], error.message);
    code = 2;
  } else if ((mkdir(argv[2], 0700) != 0 && errno != EEXIST) ||
             (agent.store = open(argv[2], O_RDONLY | O_DIRECTORY)) < 0) {
    fprintf(stderr, "agent: %s: %s\n", argv[2], strerror(errno));
    code = 3;
  }
  for (int at = 3; at < argc && code < 2; at++) {
    agent.file = argv[at];
    int failed = back_up(&agent, chunker);
    if (failed > code) code = failed;
  }
  /* The names of new chunks are on the disk, too, before it is said that they are. */
  if (agent.store >= 0 && (fsync(agent.store) != 0 || fflush(stdout) != 0)) {
    perror("agent");
    code = 3;
  }
  if (code < 2) {
    fprintf(stderr, "%" PRIu64 " bytes in %" PRIu64 " chunks, %" PRIu64 " of them new\n", agent.bytes, agent.chunks, agent.stored);
  }
  if (agent.store >= 0) close(agent.store);
  chunkmill_chunker_free(chunker);
  chunkmill_engine_free(engine);
  chunkmill_key_free(key);
  free(agent.chunk);
  return code;
}
