/*
 * chunkmill for firmware: chunks (FastCDC) and keyed ids (BLAKE3) of a stream that is pushed. MIT or Apache-2.0.
 * Made by cbindgen from core-c/src/, and held to it by a test: do not edit.
 *
 * Needs no operating system, no C library and no heap, only memcpy, memset, memmove and memcmp, which Rust brings along where there are
 * none. A stream takes 2,000 bytes, and no call takes 2 KiB of stack. Functions keep nothing elsewhere: any number of streams may be
 * used, each by one thread or interrupt level at a time.
 */


#ifndef CHUNKMILL_CORE_H
#define CHUNKMILL_CORE_H

#include <stddef.h>
#include <stdint.h>

/**
 * All is done.
 */
#define CHUNKMILL_OK 0

/**
 * A pointer is NULL, and must not be.
 */
#define CHUNKMILL_NULL_POINTER -1

/**
 * The sizes or the level are none that a chunker can have.
 */
#define CHUNKMILL_SIZES -2

/**
 * Words of 64 bits that a stream takes.
 */
#define CHUNKMILL_STREAM_WORDS 250

/**
 * A stream: 2,000 bytes of the caller's memory, static or on the stack. It may not be moved or copied while it is used.
 */
typedef struct chunkmill_stream {
  /**
   * The library's own.
   */
  uint64_t state[CHUNKMILL_STREAM_WORDS];
} chunkmill_stream;

/**
 * A chunk of a stream.
 */
typedef struct chunkmill_chunk {
  /**
   * Where it begins in the stream, in bytes.
   */
  uint64_t offset;
  /**
   * Its length in bytes, never 0.
   */
  uint32_t len;
  /**
   * Keyed BLAKE3 of its bytes.
   */
  uint8_t id[32];
} chunkmill_chunk;

/**
 * Is given the next `len` bytes of the current chunk, and the chunk if it ends with them, else NULL. `len` may be 0. The bytes are those
 * that were pushed, where they were pushed, but for one that was held back. Gives 0 to go on, or a number above 0 to give the
 * stream up.
 */
typedef int (*chunkmill_span_fn)(void *user, const uint8_t *bytes, size_t len, const struct chunkmill_chunk *ended);

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * Begins a stream, with the published gear table and a key of 32 bytes. Sizes are in bytes and even, level is 0 to 3: see
 * chunkmill's `ChunkParams`. A stream that was begun is forgotten; wipe it first if its key matters.
 *
 */
int chunkmill_stream_begin(struct chunkmill_stream *stream,
                           uint32_t min,
                           uint32_t avg,
                           uint32_t max,
                           uint32_t level,
                           const uint8_t key[32]);

/**
 * Takes the next `len` bytes of a stream that was begun, and has `visit` look at what they are: spans of chunks, in order, none of them
 * copied. Gives 0, or what `visit` gave if that was not 0; then begin a new stream.
 */
int chunkmill_stream_push(struct chunkmill_stream *stream,
                          const uint8_t *bytes,
                          size_t len,
                          chunkmill_span_fn visit,
                          void *user);

/**
 * Ends a stream: `visit` is given the last span with the last chunk, unless the stream is empty. The next push begins a new stream of
 * the same kind. Gives 0, or what `visit` gave.
 */
int chunkmill_stream_finish(struct chunkmill_stream *stream,
                            chunkmill_span_fn visit,
                            void *user);

/**
 * Wipes a stream that was begun, and with it the key. It can then be begun again. NULL is taken, too.
 */
void chunkmill_stream_wipe(struct chunkmill_stream *stream);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CHUNKMILL_CORE_H */
