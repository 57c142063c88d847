/*
 * Streams that are read, slices and packs, with threads or without.
 */
#define _POSIX_C_SOURCE 200809L

#include "exercise.h"

#include <errno.h>
#include <unistd.h>

struct memory {
  const uint8_t *bytes; /* to read */
  uint8_t *into;        /* to write */
  size_t len, at;
  size_t step;          /* bytes at once */
  long fails_at;        /* call that fails, from 0 on; -1 for none */
  ptrdiff_t answer;     /* what the call that fails gives */
  long calls;
};

static int fails(struct memory *memory) { return memory->calls++ == memory->fails_at; }

static ptrdiff_t take(void *user, uint8_t *buffer, size_t len) {
  struct memory *memory = user;
  if (fails(memory)) return memory->answer;
  size_t some = memory->len - memory->at;
  if (some > len) some = len;
  if (memory->step > 0 && some > memory->step) some = memory->step;
  if (some > 0) memcpy(buffer, memory->bytes + memory->at, some);
  memory->at += some;
  return (ptrdiff_t)some;
}

static ptrdiff_t put(void *user, const uint8_t *bytes, size_t len) {
  struct memory *memory = user;
  if (fails(memory)) return memory->answer;
  size_t some = memory->len - memory->at;
  if (some > len) some = len;
  if (memory->step > 0 && some > memory->step) some = memory->step;
  if (some > 0) memcpy(memory->into + memory->at, bytes, some);
  memory->at += some;
  return (ptrdiff_t)some;
}

static ptrdiff_t put_to_file(void *user, const uint8_t *bytes, size_t len) {
  ssize_t written = write(*(int *)user, bytes, len);
  return written < 0 ? -errno : written;
}

static struct memory reading(const uint8_t *bytes, size_t len) {
  struct memory memory = {.bytes = bytes, .len = len, .fails_at = -1};
  return memory;
}

static struct memory writing(uint8_t *into, size_t len) {
  struct memory memory = {.into = into, .len = len, .fails_at = -1};
  return memory;
}

static chunkmill_input input(struct memory *memory) {
  chunkmill_input in = {.read = take, .user = memory};
  return in;
}

static chunkmill_output output(struct memory *memory) {
  chunkmill_output out = {.write = put, .user = memory};
  return out;
}

static int collect_record(void *user, const chunkmill_record *record) {
  CHECK(record->stored <= record->chunk.len);
  return collect(user, &record->chunk);
}

struct nested {
  const struct all *all;
  const chunkmill_threads *threads;
  size_t count;
};

/* A callback may use the library, and the same threads. */
static int hash_chunk(void *user, const chunkmill_chunk *chunk) {
  struct nested *nested = user;
  uint8_t id[32];
  const uint8_t *bytes = nested->all->bytes + chunk->offset;
  CHECK(chunkmill_hash(nested->threads, nested->all->engine, bytes, chunk->len, id, NULL) == CHUNKMILL_STATUS_OK);
  CHECK(memcmp(id, chunk->id, 32) == 0);
  nested->count++;
  return 0;
}

void scans(const chunkmill_threads *threads, const struct all *all) {
  uint64_t bytes = 0;
  struct list *list = new_list(all->bytes);
  struct memory memory = reading(all->bytes, LEN);
  memory.step = 100003;
  memory.fails_at = 3, memory.answer = -EINTR; /* is repeated */
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_scan(threads, all->engine, input(&memory), collect, list, &bytes, &error));
  CHECK(bytes == LEN);
  same(all->expected, list);
  struct nested nested = {all, threads, 0};
  memory = reading(all->bytes, LEN);
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_scan(threads, all->engine, input(&memory), hash_chunk, &nested, NULL, &error));
  CHECK(nested.count == all->expected->count);
  list->count = 0, list->stop_at = 5;
  memory = reading(all->bytes, LEN);
  GIVES(CHUNKMILL_STATUS_STOPPED, chunkmill_scan(threads, all->engine, input(&memory), collect, list, &bytes, &error));
  CHECK(list->count == 5);
  list->count = 0, list->stop_at = MOST + 1;
  const ptrdiff_t answers[] = {-EIO, PTRDIFF_MIN, PTRDIFF_MAX, 0};
  for (size_t at = 0; at < sizeof answers / sizeof *answers; at++) {
    memory = reading(all->bytes, LEN);
    memory.step = 100000, memory.fails_at = 5, memory.answer = answers[at];
    list->count = 0;
    int ends = answers[at] == 0;
    GIVES(ends ? CHUNKMILL_STATUS_OK : CHUNKMILL_STATUS_IO,
          chunkmill_scan(threads, all->engine, input(&memory), collect, list, &bytes, &error));
    CHECK(ends || error.offset == 500000);
    CHECK(error.os_error == (answers[at] == -EIO ? EIO : 0));
    CHECK(!ends || bytes == 500000);
  }
  chunkmill_input without = {0};
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_scan(threads, all->engine, without, collect, list, &bytes, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_scan(threads, NULL, input(&memory), collect, list, &bytes, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_scan(threads, all->engine, input(&memory), NULL, list, &bytes, &error));
  free(list);
}

void hashes(const chunkmill_threads *threads, const struct all *all) {
  uint8_t whole[32], id[32];
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_hash(NULL, all->engine, all->bytes, LEN, whole, &error));
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_hash(threads, all->engine, all->bytes, LEN, id, &error));
  CHECK(memcmp(whole, id, 32) == 0);
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_hash(threads, all->other_engine, all->bytes, LEN, id, &error));
  CHECK(memcmp(whole, id, 32) != 0);
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_hash(threads, all->engine, NULL, 0, id, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_hash(threads, all->engine, NULL, 1, id, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_hash(threads, all->engine, all->bytes, 1, NULL, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_hash(threads, NULL, all->bytes, 1, id, &error));
  char hex[65];
  memset(id, 0xa5, sizeof id);
  chunkmill_id_hex(id, hex);
  CHECK(strlen(hex) == 64 && strncmp(hex, "a5a5a5", 6) == 0);
  chunkmill_id_hex(NULL, hex);
}

void packs(const chunkmill_threads *threads, const struct all *all) {
  const uint8_t stream_id[16] = "not random here";
  /* The stream twice: the second half is references. */
  size_t len = 2 * (size_t)LEN, room = len + (1 << 20);
  uint8_t *twice = malloc(len), *packed = malloc(room), *back = malloc(len);
  CHECK(twice != NULL && packed != NULL && back != NULL);
  memcpy(twice, all->bytes, LEN);
  memcpy(twice + LEN, all->bytes, LEN);
  chunkmill_summary done;
  struct memory in = reading(twice, len), out = writing(packed, room);
  out.step = 70001;
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_pack(threads, all->engine, stream_id, input(&in), output(&out), &done, &error));
  CHECK(done.bytes == len && done.references > 50 && done.chunks > done.references);
  size_t stored = out.at;

  in = reading(packed, stored);
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_verify(threads, all->engine, input(&in), &done, &error));
  CHECK(done.bytes == len && done.stored_bytes == stored && !done.more_follows);
  in = reading(packed, stored + 1); /* whatever it is */
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_verify(threads, all->engine, input(&in), &done, &error));
  CHECK(done.stored_bytes == stored && done.more_follows);

  struct list *list = new_list(twice);
  in = reading(packed, stored);
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_list(threads, all->engine, input(&in), collect_record, list, &error));
  CHECK(list->count == done.chunks);
  list->count = 0, list->stop_at = 4;
  in = reading(packed, stored);
  GIVES(CHUNKMILL_STATUS_STOPPED, chunkmill_list(threads, all->engine, input(&in), collect_record, list, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_list(threads, all->engine, input(&in), NULL, list, &error));

  /* Chunks that occur again, read from the restored file, from the pack, and from nowhere. */
  FILE *restored = tmpfile(), *pack = tmpfile();
  CHECK(restored != NULL && pack != NULL && fwrite("xyz", 3, 1, pack) == 1 && fwrite(packed, stored, 1, pack) == 1);
  CHECK(fflush(pack) == 0);
  int fd = fileno(restored);
  chunkmill_output to_file = {.write = put_to_file, .user = &fd};
  chunkmill_earlier earlier = {.place = CHUNKMILL_EARLIER_IN_RESTORED, .fd = fd};
  in = reading(packed, stored);
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_unpack(threads, all->engine, input(&in), to_file, earlier, &done, &error));
  CHECK(pread(fd, back, len, 0) == (ssize_t)len && memcmp(back, twice, len) == 0);
  memset(back, 0, len);
  chunkmill_earlier in_pack = {.place = CHUNKMILL_EARLIER_IN_PACK, .fd = fileno(pack), .start = 3};
  in = reading(packed, stored), out = writing(back, len);
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_unpack(threads, all->engine, input(&in), output(&out), in_pack, &done, &error));
  CHECK(out.at == len && memcmp(back, twice, len) == 0);
  chunkmill_earlier nowhere = {.place = CHUNKMILL_EARLIER_NOWHERE};
  in = reading(packed, stored), out = writing(back, len);
  GIVES(CHUNKMILL_STATUS_IO, chunkmill_unpack(threads, all->engine, input(&in), output(&out), nowhere, &done, &error));
  CHECK(out.at > LEN / 2 && out.at < LEN && done.bytes == out.at && memcmp(back, twice, out.at) == 0);
  chunkmill_earlier wrong = {.place = CHUNKMILL_EARLIER_IN_PACK, .fd = -1};
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_unpack(threads, all->engine, input(&in), output(&out), wrong, &done, &error));
  wrong.place = 9;
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_unpack(threads, all->engine, input(&in), output(&out), wrong, &done, &error));

  /* An output that fails, and one that is full. */
  in = reading(packed, stored), out = writing(back, len);
  out.fails_at = 2, out.answer = -ENOSPC, out.step = 4096;
  GIVES(CHUNKMILL_STATUS_IO, chunkmill_unpack(threads, all->engine, input(&in), output(&out), in_pack, &done, &error));
  CHECK(error.os_error == ENOSPC && error.offset == 8192);
  in = reading(twice, len), out = writing(back, 100000);
  GIVES(CHUNKMILL_STATUS_IO, chunkmill_pack(threads, all->engine, stream_id, input(&in), output(&out), &done, &error));
  CHECK(error.offset == 100000);
  in = reading(twice, len), out = writing(back, len);
  in.fails_at = 7, in.step = 100000, in.answer = -EIO;
  GIVES(CHUNKMILL_STATUS_IO, chunkmill_pack(threads, all->engine, stream_id, input(&in), output(&out), &done, &error));
  CHECK(error.os_error == EIO && error.offset == 700000);

  /* Wrong keys and damage. */
  in = reading(packed, stored);
  GIVES(CHUNKMILL_STATUS_WRONG_KEY, chunkmill_verify(threads, all->other_engine, input(&in), &done, &error));
  in = reading(all->bytes, LEN);
  GIVES(CHUNKMILL_STATUS_DATA, chunkmill_verify(threads, all->engine, input(&in), &done, &error));
  for (size_t at = 1; at <= 20; at++) {
    size_t place = stored / 21 * at;
    packed[place] ^= 1;
    in = reading(packed, stored), out = writing(back, len);
    GIVES(CHUNKMILL_STATUS_DATA, chunkmill_unpack(threads, all->engine, input(&in), output(&out), in_pack, &done, &error));
    CHECK(error.offset <= place && out.at == done.bytes && memcmp(back, twice, out.at) == 0);
    packed[place] ^= 1;
    in = reading(packed, place);
    GIVES(CHUNKMILL_STATUS_DATA, chunkmill_verify(threads, all->engine, input(&in), NULL, &error));
    CHECK(error.offset == place && strstr(error.message, "truncated") != NULL);
  }
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_pack(threads, all->engine, NULL, input(&in), output(&out), &done, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_pack(threads, NULL, stream_id, input(&in), output(&out), &done, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_verify(threads, NULL, input(&in), &done, &error));
  fclose(restored);
  fclose(pack);
  free(list);
  free(twice);
  free(packed);
  free(back);
}
