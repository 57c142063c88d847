/*
 * What the parts of the exercise share.
 */
#ifndef EXERCISE_H
#define EXERCISE_H

#include <chunkmill.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) \
  ((condition) ? (void)0 : (fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition), exit(1)))
/* A call that must end with this status, and say so in the error; and in the same way without one. */
#define GIVES(wanted, call) \
  do { \
    memset(&error, 0x5a, sizeof error); \
    CHECK((call) == (wanted)); \
    CHECK(error.status == (wanted)); \
    CHECK(memchr(error.message, 0, sizeof error.message) != NULL); \
    CHECK((error.message[0] == 0) == ((wanted) == CHUNKMILL_STATUS_OK)); \
  } while (0)

/* Of the call before. */
extern chunkmill_error error;

enum { LEN = 3000000, MOST = 4096 };

struct list {
  chunkmill_chunk chunks[MOST];
  size_t count;
  size_t stop_at; /* the chunk that is refused */
  const uint8_t *bytes;
  uint64_t at, spans;
};

/* All that the parts share. */
struct all {
  chunkmill_key *key, *other_key;
  chunkmill_engine *engine, *other_engine;
  uint8_t *bytes;
  struct list *expected;
};

struct list *new_list(const uint8_t *bytes);
int collect(void *user, const chunkmill_chunk *chunk);
void same(const struct list *one, const struct list *other);

/* The parts. */
void keys(struct all *all);
void engines(struct all *all);
void pushed(struct all *all);
void scans(const chunkmill_threads *threads, const struct all *all);
void hashes(const chunkmill_threads *threads, const struct all *all);
void packs(const chunkmill_threads *threads, const struct all *all);

#endif
