/*
 * Keys, engines and streams that are pushed.
 */
#define _POSIX_C_SOURCE 200809L

#include "exercise.h"

#include <errno.h>

void keys(struct all *all) {
  uint8_t bytes[32];
  memset(bytes, 7, sizeof bytes);
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_key_new(bytes, &all->key, &error));
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_key_public(&all->other_key, &error));
  chunkmill_key *none = all->key;
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_key_new(NULL, &none, &error));
  CHECK(none == NULL);
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_key_new(bytes, NULL, &error));
  CHECK(chunkmill_key_new(NULL, NULL, NULL) == CHUNKMILL_STATUS_ARGUMENT);
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_key_read_file(NULL, &none, &error));
  GIVES(CHUNKMILL_STATUS_IO, chunkmill_key_read_file("/no/such/file", &none, &error));
  CHECK(error.os_error == ENOENT && strstr(error.message, "key file") != NULL);
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_key_read_file("/dev/null", &none, &error));
  CHECK(strstr(error.message, "found 0 bytes") != NULL);
  unsetenv("CHUNKMILL_KEY");
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_key_read_environment(&none, &error));
  setenv("CHUNKMILL_KEY", "0707", 1);
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_key_read_environment(&none, &error));
  CHECK(none == NULL);
  setenv("CHUNKMILL_KEY", "0707070707070707070707070707070707070707070707070707070707070707", 1);
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_key_read_environment(&none, &error));
  chunkmill_key_free(none);
  chunkmill_key_free(NULL);
}

void engines(struct all *all) {
  chunkmill_options options = chunkmill_options_default();
  CHECK(options.min == 512 << 10 && options.avg == 2 << 20 && options.max == 8 << 20 && options.compress);
  chunkmill_engine *none = NULL;
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_engine_new(NULL, all->key, &none, &error));
  chunkmill_engine_free(none);
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_engine_new(NULL, NULL, &none, &error));
  CHECK(none == NULL);
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_engine_new(NULL, all->key, NULL, &error));
  options.min = 4 << 10, options.avg = 16 << 10, options.max = 64 << 10;
  const struct { uint32_t min, level, gear, objective, seed; } wrong[] = {
      {65, 1, 0, 0, 0}, {62, 1, 0, 0, 0}, {64, 4, 0, 0, 0}, {64, 300, 0, 0, 0}, {64, 1, 2, 0, 0}, {64, 1, 0, 3, 0}, {64, 1, 1, 0, 5}};
  for (size_t at = 0; at < sizeof wrong / sizeof *wrong; at++) {
    chunkmill_options bad = options;
    bad.min = wrong[at].min, bad.level = wrong[at].level, bad.gear = wrong[at].gear;
    bad.objective = wrong[at].objective, bad.seed = wrong[at].seed;
    GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_engine_new(&bad, all->key, &none, &error));
  }
  chunkmill_options keyed = options;
  keyed.gear = CHUNKMILL_GEAR_KEYED;
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_engine_new(&keyed, all->key, &none, &error));
  chunkmill_engine_free(none);
  chunkmill_engine_free(NULL);
  options.threshold = 1 << 20;
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_engine_new(&options, all->key, &all->engine, &error));
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_engine_new(&options, all->other_key, &all->other_engine, &error));
}

static int collect_span(void *user, const uint8_t *bytes, size_t len, const chunkmill_chunk *ended) {
  struct list *list = user;
  CHECK(memcmp(list->bytes + list->at, bytes, len) == 0);
  list->at += len;
  list->spans++;
  if (ended == NULL) return 0;
  CHECK(ended->offset + ended->len == list->at);
  return collect(list, ended);
}

/* However the stream is pushed, its chunks are the same, also when the engine has gone before the chunker. */
void pushed(struct all *all) {
  static const size_t steps[] = {LEN, 1 << 20, 65537, 4096, 777};
  chunkmill_chunker *chunker = NULL;
  for (int seed = 0; seed < 2; seed++) {
    chunkmill_engine *engine = NULL;
    chunkmill_options options = chunkmill_options_default();
    options.min = 4 << 10, options.avg = 16 << 10, options.max = 64 << 10;
    options.seed = (uint64_t)seed;
    GIVES(CHUNKMILL_STATUS_OK, chunkmill_engine_new(&options, all->key, &engine, &error));
    GIVES(CHUNKMILL_STATUS_OK, chunkmill_chunker_new(engine, &chunker, &error));
    chunkmill_engine_free(engine);
    struct list *first = NULL;
    for (size_t at = 0; at < sizeof steps / sizeof *steps; at++) {
      struct list *list = new_list(all->bytes);
      for (size_t from = 0; from < LEN; from += steps[at]) {
        size_t len = LEN - from < steps[at] ? LEN - from : steps[at];
        GIVES(CHUNKMILL_STATUS_OK, chunkmill_chunker_push(chunker, all->bytes + from, len, collect_span, list, &error));
      }
      GIVES(CHUNKMILL_STATUS_OK, chunkmill_chunker_push(chunker, NULL, 0, collect_span, list, &error));
      GIVES(CHUNKMILL_STATUS_OK, chunkmill_chunker_finish(chunker, collect_span, list, &error));
      CHECK(list->at == LEN && list->count > 50);
      if (first == NULL) {
        first = list;
      } else {
        same(first, list);
        free(list);
      }
    }
    if (seed == 0) {
      all->expected = first;
    } else {
      CHECK(first->chunks[0].len != all->expected->chunks[0].len);
      free(first);
    }
    if (seed == 1) break;
    /* Given up in the middle, by the callback or by the caller, the next stream is a new one. */
    for (int way = 0; way < 2; way++) {
      struct list *list = new_list(all->bytes);
      if (way == 0) {
        list->stop_at = 3;
        GIVES(CHUNKMILL_STATUS_STOPPED, chunkmill_chunker_push(chunker, all->bytes, LEN, collect_span, list, &error));
        CHECK(list->count == 3 && strstr(error.message, "42") != NULL);
      } else {
        GIVES(CHUNKMILL_STATUS_OK, chunkmill_chunker_push(chunker, all->bytes, 100000, collect_span, list, &error));
        chunkmill_chunker_reset(chunker);
      }
      free(list);
      list = new_list(all->bytes);
      GIVES(CHUNKMILL_STATUS_OK, chunkmill_chunker_push(chunker, all->bytes, LEN, collect_span, list, &error));
      GIVES(CHUNKMILL_STATUS_OK, chunkmill_chunker_finish(chunker, collect_span, list, &error));
      same(all->expected, list);
      free(list);
    }
    chunkmill_chunker_free(chunker);
  }
  struct list *list = new_list(all->bytes);
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_chunker_finish(chunker, collect_span, list, &error));
  CHECK(list->spans == 0);
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_chunker_push(NULL, all->bytes, 1, collect_span, list, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_chunker_push(chunker, NULL, 1, collect_span, list, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_chunker_push(chunker, all->bytes, SIZE_MAX, collect_span, list, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_chunker_push(chunker, all->bytes, 1, NULL, list, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_chunker_finish(NULL, collect_span, list, &error));
  chunkmill_chunker_free(chunker);
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_chunker_new(NULL, &chunker, &error));
  CHECK(chunker == NULL);
  chunkmill_chunker_free(NULL);
  free(list);
}
