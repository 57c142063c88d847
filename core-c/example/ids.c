/*
 * Prints the chunks of a megabyte of made-up bytes, as `offset length id` lines: on a PC, or on a Cortex-M4 under QEMU, where it has
 * neither an operating system nor a C library (board.c). See run.sh.
 */
#include "ids.h"

/* Pushed in pieces of this size, as a DMA buffer of a small device would have. */
enum { WINDOW = 512 };

static uint8_t window[WINDOW];
static chunkmill_stream stream;

static char *decimal(char *to, uint64_t number) {
  char digits[20];
  int count = 0;
  do digits[count++] = (char)('0' + number % 10);
  while ((number /= 10) > 0);
  while (count > 0) *to++ = digits[--count];
  return to;
}

static int print_chunk(void *user, const uint8_t *bytes, size_t len, const chunkmill_chunk *ended) {
  static const char hex[] = "0123456789abcdef";
  char line[128], *to = line;
  uint64_t *total = user;
  (void)bytes; /* a real device would store or send them here */
  *total += len;
  if (ended == NULL) return 0;
  to = decimal(to, ended->offset);
  *to++ = ' ';
  to = decimal(to, ended->len);
  *to++ = ' ';
  for (int at = 0; at < 32; at++) {
    *to++ = hex[ended->id[at] >> 4];
    *to++ = hex[ended->id[at] & 15];
  }
  *to++ = '\n';
  *to = 0;
  print(line);
  return 0;
}

static int stop(void *user, const uint8_t *bytes, size_t len, const chunkmill_chunk *ended) {
  (void)user, (void)bytes, (void)len;
  return ended == NULL ? 0 : 7;
}

/* The same bytes everywhere. */
static void fill(uint64_t *state) {
  for (int at = 0; at < WINDOW; at++) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    window[at] = (uint8_t)(*state >> 56);
  }
}

/* 0, or the number of the first thing that is not as it should be. */
int ids(void) {
  static const uint8_t key[32] = {7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7, 7};
  uint64_t state = 1, total = 0;
  if (chunkmill_stream_begin(&stream, 1024, 4096, 8192, 1, key) != CHUNKMILL_OK) return 1;
  for (long left = 1 << 20; left > 0; left -= WINDOW) {
    fill(&state);
    if (chunkmill_stream_push(&stream, window, WINDOW, print_chunk, &total) != CHUNKMILL_OK) return 2;
  }
  if (chunkmill_stream_finish(&stream, print_chunk, &total) != CHUNKMILL_OK) return 3;
  if (total != 1 << 20) return 4;
  /* A stream of no bytes has no chunk. */
  if (chunkmill_stream_finish(&stream, stop, NULL) != CHUNKMILL_OK) return 5;
  /* What the callback gives comes back. */
  int answer = 0;
  for (int push = 0; push < 100 && answer == 0; push++) answer = chunkmill_stream_push(&stream, window, WINDOW, stop, NULL);
  if (answer != 7) return 6;
  chunkmill_stream_wipe(&stream);
  for (int word = 0; word < CHUNKMILL_STREAM_WORDS; word++) {
    if (stream.state[word] != 0) return 7;
  }
  chunkmill_stream_wipe(NULL);
  if (chunkmill_stream_begin(&stream, 1023, 4096, 8192, 1, key) != CHUNKMILL_SIZES) return 8;
  if (chunkmill_stream_begin(&stream, 1024, 4096, 8192, 256, key) != CHUNKMILL_SIZES) return 9;
  if (chunkmill_stream_begin(NULL, 1024, 4096, 8192, 1, key) != CHUNKMILL_NULL_POINTER) return 10;
  if (chunkmill_stream_begin(&stream, 1024, 4096, 8192, 1, NULL) != CHUNKMILL_NULL_POINTER) return 11;
  if (chunkmill_stream_begin(&stream, 1024, 4096, 8192, 1, key) != CHUNKMILL_OK) return 12;
  if (chunkmill_stream_push(&stream, NULL, 1, stop, NULL) != CHUNKMILL_NULL_POINTER) return 13;
  if (chunkmill_stream_push(&stream, window, 1, NULL, NULL) != CHUNKMILL_NULL_POINTER) return 14;
  if (chunkmill_stream_push(&stream, NULL, 0, stop, NULL) != CHUNKMILL_OK) return 15;
  if (chunkmill_stream_push(NULL, window, 1, stop, NULL) != CHUNKMILL_NULL_POINTER) return 16;
  if (chunkmill_stream_finish(NULL, stop, NULL) != CHUNKMILL_NULL_POINTER) return 17;
  return 0;
}
