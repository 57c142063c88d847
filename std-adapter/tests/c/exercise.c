/*
 * Every function of the C interface, with good and bad arguments, callbacks that fail, and packs that are damaged. See run.sh.
 */
#define _POSIX_C_SOURCE 200809L

#include "exercise.h"

#include <pthread.h>

chunkmill_error error;

struct list *new_list(const uint8_t *bytes) {
  struct list *list = calloc(1, sizeof *list);
  CHECK(list != NULL);
  list->bytes = bytes;
  list->stop_at = MOST + 1;
  return list;
}

int collect(void *user, const chunkmill_chunk *chunk) {
  struct list *list = user;
  if (list->count == list->stop_at) return 42;
  CHECK(list->count < MOST);
  list->chunks[list->count++] = *chunk;
  return 0;
}

void same(const struct list *one, const struct list *other) {
  CHECK(one->count == other->count);
  for (size_t at = 0; at < one->count; at++) {
    CHECK(one->chunks[at].offset == other->chunks[at].offset);
    CHECK(one->chunks[at].len == other->chunks[at].len);
    CHECK(memcmp(one->chunks[at].id, other->chunks[at].id, 32) == 0);
  }
}

struct elsewhere {
  const chunkmill_threads *threads;
  const chunkmill_engine *engine;
  chunkmill_status found;
};

static void *use_elsewhere(void *user) {
  struct elsewhere *elsewhere = user;
  uint8_t id[32];
  elsewhere->found = chunkmill_hash(elsewhere->threads, elsewhere->engine, NULL, 0, id, NULL);
  return NULL;
}

static void with_threads(const chunkmill_threads *threads, void *user) {
  const struct all *all = user;
  scans(threads, all);
  hashes(threads, all);
  packs(threads, all);
  if (threads == NULL) return;
  struct elsewhere elsewhere = {threads, all->engine, CHUNKMILL_STATUS_OK};
  pthread_t other;
  CHECK(pthread_create(&other, NULL, use_elsewhere, &elsewhere) == 0 && pthread_join(other, NULL) == 0);
  CHECK(elsewhere.found == CHUNKMILL_STATUS_ARGUMENT);
}

int main(void) {
  struct all all = {0};
  CHECK(strchr(chunkmill_version(), '.') != NULL);
  CHECK(chunkmill_default_threads() >= 1 && chunkmill_default_threads() <= 4);
  keys(&all);
  engines(&all);
  all.bytes = malloc(LEN);
  CHECK(all.bytes != NULL);
  uint64_t state = 1;
  for (size_t at = 0; at < LEN; at++) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    all.bytes[at] = (uint8_t)(state >> 56);
  }
  memset(all.bytes + LEN / 2, 0, LEN / 4); /* some of it compresses */
  pushed(&all);
  with_threads(NULL, &all);
  for (uint32_t count = 0; count <= 4; count++) {
    GIVES(CHUNKMILL_STATUS_OK, chunkmill_with_threads(count, with_threads, &all, &error));
  }
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_with_threads(65, with_threads, &all, &error));
  GIVES(CHUNKMILL_STATUS_ARGUMENT, chunkmill_with_threads(2, NULL, &all, &error));
  GIVES(CHUNKMILL_STATUS_OK, chunkmill_enter_background(&error));
  free(all.bytes);
  free(all.expected);
  chunkmill_engine_free(all.engine);
  chunkmill_engine_free(all.other_engine);
  chunkmill_key_free(all.key);
  chunkmill_key_free(all.other_key);
  puts("every function of the C interface did as it should");
  return 0;
}
