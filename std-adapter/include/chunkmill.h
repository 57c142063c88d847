/*
 * chunkmill: chunks (FastCDC) and keyed ids (BLAKE3) for backup agents. MIT or Apache-2.0.
 * Made by cbindgen from std-adapter/src/capi/, and held to it by a test: do not edit.
 *
 * Rules
 *
 * - Functions that can fail return a chunkmill_status, 0 if all is done, and describe the failure in a chunkmill_error of the
 *   caller's, unless that is NULL.
 * - What a "new" or "read" function gives belongs to the caller, who gives it to the "free" function of its type, once. It is NULL
 *   after a failure. What a callback is given belongs to the library and ends with the call.
 * - There is no state but in what is passed. A key and an engine may be used by any number of threads at once; a chunker by one at a
 *   time; threads (chunkmill_threads) by the thread that they were given to.
 * - Callbacks run on the calling thread where nothing else is said. They must return: no longjmp, no C++ exception. They may call
 *   this library, also with the same chunkmill_threads where they run on its thread; that work is then done by that thread alone.
 * - NULL where something is needed is CHUNKMILL_STATUS_ARGUMENT. Lengths are bytes.
 * - No function ends the program on bad input. If memory runs out it does end, as Rust programs do.
 */


#ifndef CHUNKMILL_H
#define CHUNKMILL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/**
 * Bytes of a message, its NUL among them.
 */
#define CHUNKMILL_MESSAGE_LEN 256

/**
 * For `objective`: more threads where they save a good part of the time for a few percent more CPU time.
 */
#define CHUNKMILL_BALANCED 0

/**
 * For `objective`: the smallest CPU bill, so no more than one thread.
 */
#define CHUNKMILL_CPU 1

/**
 * For `objective`: the shortest time.
 */
#define CHUNKMILL_WALL 2

/**
 * For `gear`: the published gear table, with the seed mixed in if that is not 0.
 */
#define CHUNKMILL_GEAR_PUBLISHED 0

/**
 * For `gear`: a table made of the key. It hides cut points from those who see chunk sizes and nothing else.
 */
#define CHUNKMILL_GEAR_KEYED 1

/**
 * For `place`: nowhere; a chunk that occurs again is an error.
 */
#define CHUNKMILL_EARLIER_NOWHERE 0

/**
 * For `place`: in the pack, whose first byte is at `start` of the file.
 */
#define CHUNKMILL_EARLIER_IN_PACK 1

/**
 * For `place`: in the file that the stream is written to, which must be empty before and open for reading, too.
 */
#define CHUNKMILL_EARLIER_IN_RESTORED 2

/**
 * How a function ended. 0 is good.
 */
typedef enum chunkmill_status {
  /**
   * All is done.
   */
  CHUNKMILL_STATUS_OK = 0,
  /**
   * An argument makes no sense: NULL, a size out of range, threads where they must not be used.
   */
  CHUNKMILL_STATUS_ARGUMENT = 1,
  /**
   * A callback gave something else than 0 and so asked to stop.
   */
  CHUNKMILL_STATUS_STOPPED = 2,
  /**
   * Reading or writing failed.
   */
  CHUNKMILL_STATUS_IO = 3,
  /**
   * The pack is damaged, cut off, or none.
   */
  CHUNKMILL_STATUS_DATA = 4,
  /**
   * The pack was made with another key.
   */
  CHUNKMILL_STATUS_WRONG_KEY = 5,
  /**
   * A fault of this library.
   */
  CHUNKMILL_STATUS_INTERNAL = 6,
} chunkmill_status;

/**
 * Cuts a stream that is pushed in slices of any size, and gives chunks their ids, on the thread that pushes. Takes 2 KiB; keeps no
 * bytes. One thread at a time may use it.
 */
typedef struct chunkmill_chunker chunkmill_chunker;

/**
 * Sizes, gear table and key. Nothing in it changes: any number of threads may use it at once.
 */
typedef struct chunkmill_engine chunkmill_engine;

/**
 * The key of ids and packs. It is wiped when it is freed. Any number of threads may use it at once.
 */
typedef struct chunkmill_key chunkmill_key;

/**
 * The calling thread and helpers beside it. It lives as long as the call that it was given to, and may only be used by the thread
 * of that call.
 */
typedef struct chunkmill_threads chunkmill_threads;

/**
 * What a function has to say when it does not end with CHUNKMILL_STATUS_OK. It belongs to the caller and holds nothing that has to be
 * freed; every function that is given one sets all of it.
 */
typedef struct chunkmill_error {
  /**
   * The same that the function returned.
   */
  enum chunkmill_status status;
  /**
   * errno of the system call or callback that failed, or 0.
   */
  int os_error;
  /**
   * Where, in bytes from the start of the input or, if writing failed, of the output; 0 if there is no such place.
   */
  uint64_t offset;
  /**
   * One line in English, in UTF-8, ended by NUL. Empty if all is done.
   */
  char message[CHUNKMILL_MESSAGE_LEN];
} chunkmill_error;

/**
 * What chunks and packs are made with. Begin with chunkmill_options_default().
 */
typedef struct chunkmill_options {
  /**
   * Least chunk length in bytes: even, 64 to 1048576. Only the last chunk of a stream may be shorter.
   */
  uint32_t min;
  /**
   * Average chunk length: even, 256 to 4194304.
   */
  uint32_t avg;
  /**
   * Greatest chunk length: even, 1024 to 16777216.
   */
  uint32_t max;
  /**
   * Normalization level, 0 to 3.
   */
  uint32_t level;
  /**
   * Moves cut points; no secret. 0 for cut points that all users share.
   */
  uint64_t seed;
  /**
   * CHUNKMILL_GEAR_PUBLISHED or CHUNKMILL_GEAR_KEYED, the latter without a seed.
   */
  uint32_t gear;
  /**
   * CHUNKMILL_BALANCED, CHUNKMILL_CPU or CHUNKMILL_WALL.
   */
  uint32_t objective;
  /**
   * Bytes of a slice, or of a stream, from which on more than one thread works; UINT64_MAX for never, 0 for what belongs to the
   * objective.
   */
  uint64_t threshold;
  /**
   * Most bytes of memory for buffers of chunkmill_scan, chunkmill_pack and those that read packs. One buffer there is, whatever
   * stands here.
   */
  uint64_t memory;
  /**
   * Whether chunkmill_pack compresses.
   */
  bool compress;
} chunkmill_options;

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
 * Is given the next `len` bytes of the current chunk, and the chunk if it ends with them, else NULL. `len` may be 0. The bytes are
 * the caller's own where they were pushed. Gives 0 to go on; anything else gives the stream up.
 */
typedef int (*chunkmill_span_fn)(void *user, const uint8_t *bytes, size_t len, const struct chunkmill_chunk *ended);

/**
 * What is done with threads at hand.
 */
typedef void (*chunkmill_body_fn)(const struct chunkmill_threads *threads, void *user);

/**
 * Reads up to `len` bytes into `buffer` and gives how many, 0 at the end of the stream, or an errno as a negative number.
 * `-EINTR` has it called again.
 */
typedef ptrdiff_t (*chunkmill_read_fn)(void *user, uint8_t *buffer, size_t len);

/**
 * A stream to read from. Its function is called by one thread at a time, but not always by the same one.
 */
typedef struct chunkmill_input {
  /**
   * What reads.
   */
  chunkmill_read_fn read;
  /**
   * What it is given.
   */
  void *user;
  /**
   * Whether a read may wait for somebody to write, as that of a pipe or a socket does. It is then not called again once a pack
   * has ended, and bytes behind the pack are only seen if they came with it.
   */
  bool waits;
} chunkmill_input;

/**
 * Is given a chunk. Gives 0 to go on, anything else to stop.
 */
typedef int (*chunkmill_chunk_fn)(void *user, const struct chunkmill_chunk *chunk);

/**
 * Writes up to `len` bytes and gives how many, or an errno as a negative number. `-EINTR` has it called again; 0 means that there is
 * no more room.
 */
typedef ptrdiff_t (*chunkmill_write_fn)(void *user, const uint8_t *bytes, size_t len);

/**
 * A stream to write to. Its function is called by one thread at a time, but not always by the same one.
 */
typedef struct chunkmill_output {
  /**
   * What writes.
   */
  chunkmill_write_fn write;
  /**
   * What it is given.
   */
  void *user;
} chunkmill_output;

/**
 * What a pack holds, or what was done of it before an error: that stands.
 */
typedef struct chunkmill_summary {
  /**
   * Bytes of the chunks, each as often as it occurs.
   */
  uint64_t bytes;
  /**
   * Chunks, references among them.
   */
  uint64_t chunks;
  /**
   * Chunks that had occurred before and are not stored again.
   */
  uint64_t references;
  /**
   * Of a pack that is written, the bytes of its payloads; of one that is read, all bytes read of it.
   */
  uint64_t stored_bytes;
  /**
   * Of a pack that was read to its end, whether more bytes follow it in the stream, which are not part of it.
   */
  bool more_follows;
} chunkmill_summary;

/**
 * A chunk in a pack.
 */
typedef struct chunkmill_record {
  /**
   * The chunk.
   */
  struct chunkmill_chunk chunk;
  /**
   * Bytes that it takes in the pack beside its record of 68 bytes: as many as the chunk has if it is not compressed, 0 if it
   * occurred before.
   */
  uint32_t stored;
} chunkmill_record;

/**
 * Is given a record. Gives 0 to go on, anything else to stop. It is called by one thread at a time, but not always by the same one.
 */
typedef int (*chunkmill_record_fn)(void *user, const struct chunkmill_record *record);

/**
 * Where chunks that occur again are read from.
 */
typedef struct chunkmill_earlier {
  /**
   * CHUNKMILL_EARLIER_NOWHERE, CHUNKMILL_EARLIER_IN_PACK or CHUNKMILL_EARLIER_IN_RESTORED.
   */
  uint32_t place;
  /**
   * A descriptor of that file. It stays the caller's; its position is neither used nor moved.
   */
  int fd;
  /**
   * Where the pack begins in it, in bytes.
   */
  uint64_t start;
} chunkmill_earlier;

#ifdef __cplusplus
extern "C" {
#endif // __cplusplus

/**
 * A key of 32 bytes, which are copied: wipe yours.
 *
 */
enum chunkmill_status chunkmill_key_new(const uint8_t bytes[32], struct chunkmill_key **key, struct chunkmill_error *error);

/**
 * The fixed public key: ids that anyone can compute, and packs that anyone can forge.
 */
enum chunkmill_status chunkmill_key_public(struct chunkmill_key **key, struct chunkmill_error *error);

/**
 * Reads a key file: 32 raw bytes, or 64 hex digits and an optional line end.
 */
enum chunkmill_status chunkmill_key_read_file(const char *path, struct chunkmill_key **key, struct chunkmill_error *error);

/**
 * Reads the key from the variable CHUNKMILL_KEY, as 64 hex digits. CHUNKMILL_STATUS_ARGUMENT if it is not set.
 */
enum chunkmill_status chunkmill_key_read_environment(struct chunkmill_key **key, struct chunkmill_error *error);

/**
 * Wipes and frees a key. Engines that were made with it keep their own. NULL is taken, too.
 */
void chunkmill_key_free(struct chunkmill_key *key);

/**
 * The version of the library, as "0.1.0". It belongs to the library.
 */
const char *chunkmill_version(void);

/**
 * The options of the chunkmill program: 512 KiB, 2 MiB, 8 MiB, level 1, balanced, 64 MiB of memory, compressed.
 */
struct chunkmill_options chunkmill_options_default(void);

/**
 * Makes an engine; options and key are copied. Options of NULL are the default ones.
 */
enum chunkmill_status chunkmill_engine_new(const struct chunkmill_options *options,
                                           const struct chunkmill_key *key,
                                           struct chunkmill_engine **engine,
                                           struct chunkmill_error *error);

/**
 * Frees an engine. Chunkers that were made with it live on. NULL is taken, too.
 */
void chunkmill_engine_free(struct chunkmill_engine *engine);

/**
 * A chunker at the start of a stream. The engine may be freed before it.
 */
enum chunkmill_status chunkmill_chunker_new(const struct chunkmill_engine *engine,
                                            struct chunkmill_chunker **chunker,
                                            struct chunkmill_error *error);

/**
 * Takes the next `len` bytes of the stream, and has `visit` look at what they are: spans of chunks, in order, none of them copied.
 * CHUNKMILL_STATUS_STOPPED if `visit` wanted no more; then the chunker is at the start of a new stream.
 */
enum chunkmill_status chunkmill_chunker_push(struct chunkmill_chunker *chunker,
                                             const uint8_t *input,
                                             size_t len,
                                             chunkmill_span_fn visit,
                                             void *user,
                                             struct chunkmill_error *error);

/**
 * Ends the stream: `visit` is given the last span with the last chunk, unless the stream is empty. The chunker is then at the start
 * of a new stream.
 */
enum chunkmill_status chunkmill_chunker_finish(struct chunkmill_chunker *chunker,
                                               chunkmill_span_fn visit,
                                               void *user,
                                               struct chunkmill_error *error);

/**
 * Gives the stream up: the chunker is at the start of a new one. Call it after a failed read, when the file that was pushed is let go.
 */
void chunkmill_chunker_reset(struct chunkmill_chunker *chunker);

/**
 * Frees a chunker. NULL is taken, too.
 */
void chunkmill_chunker_free(struct chunkmill_chunker *chunker);

/**
 * How many threads are worth having without knowing more: as many as the CPU runs at once, at most 4.
 */
uint32_t chunkmill_default_threads(void);

/**
 * Calls `body` with the calling thread and `count - 1` helpers at hand; 1 to 64, or 0 for chunkmill_default_threads(). Helpers are
 * started when first needed, use no CPU while there is nothing to do, and have ended when this function returns: so call it once,
 * around as much work as you can.
 */
enum chunkmill_status chunkmill_with_threads(uint32_t count,
                                             chunkmill_body_fn body,
                                             void *user,
                                             struct chunkmill_error *error);

/**
 * Lets the calling thread, and those it starts from then on, run only when nobody else wants the CPU or the disk: nice 19 and the
 * idle I/O class. Call it before chunkmill_with_threads. There is no way back.
 */
enum chunkmill_status chunkmill_enter_background(struct chunkmill_error *error);

/**
 * Keyed BLAKE3 of `len` bytes, into `id`, by all threads if the engine's threshold says so. `threads` may be NULL.
 *
 */
enum chunkmill_status chunkmill_hash(const struct chunkmill_threads *threads,
                                     const struct chunkmill_engine *engine,
                                     const uint8_t *input,
                                     size_t len,
                                     uint8_t id[32],
                                     struct chunkmill_error *error);

/**
 * Reads a stream to its end and has `visit` look at its chunks, in order, on the calling thread. `threads` may be NULL; chunks are
 * the same for any number of them. `bytes` is given the length of the stream, unless it is NULL. After an error the chunks that
 * were visited stand.
 */
enum chunkmill_status chunkmill_scan(const struct chunkmill_threads *threads,
                                     const struct chunkmill_engine *engine,
                                     struct chunkmill_input input,
                                     chunkmill_chunk_fn visit,
                                     void *user,
                                     uint64_t *bytes,
                                     struct chunkmill_error *error);

/**
 * Writes an id as 64 hex digits and a NUL.
 *
 */
void chunkmill_id_hex(const uint8_t id[32], char hex[65]);

/**
 * Reads a stream to its end and writes a pack of it: a chunk that occurs again is stored once. `stream_id` is 16 random bytes, never
 * the same for two packs. The pack is whole if this ends with CHUNKMILL_STATUS_OK; else it has no trailer, which those who read it will
 * see. `threads` and `summary` may be NULL; the bytes are the same for any number of threads.
 *
 */
enum chunkmill_status chunkmill_pack(const struct chunkmill_threads *threads,
                                     const struct chunkmill_engine *engine,
                                     const uint8_t stream_id[16],
                                     struct chunkmill_input input,
                                     struct chunkmill_output output,
                                     struct chunkmill_summary *summary,
                                     struct chunkmill_error *error);

/**
 * Reads a pack to its end and checks all of it, under the engine's key; its other options do not matter. `threads` and `summary` may
 * be NULL.
 */
enum chunkmill_status chunkmill_verify(const struct chunkmill_threads *threads,
                                       const struct chunkmill_engine *engine,
                                       struct chunkmill_input input,
                                       struct chunkmill_summary *summary,
                                       struct chunkmill_error *error);

/**
 * Reads a pack to its end, checks all of it as chunkmill_verify does, and has `visit` look at its records, in order. `threads` may
 * be NULL.
 */
enum chunkmill_status chunkmill_list(const struct chunkmill_threads *threads,
                                     const struct chunkmill_engine *engine,
                                     struct chunkmill_input input,
                                     chunkmill_record_fn visit,
                                     void *user,
                                     struct chunkmill_error *error);

/**
 * Reads a pack to its end and writes the stream that it was made of. Not a byte is written that was not verified, and none behind
 * one that was not. `threads` and `summary` may be NULL.
 */
enum chunkmill_status chunkmill_unpack(const struct chunkmill_threads *threads,
                                       const struct chunkmill_engine *engine,
                                       struct chunkmill_input input,
                                       struct chunkmill_output output,
                                       struct chunkmill_earlier earlier,
                                       struct chunkmill_summary *summary,
                                       struct chunkmill_error *error);

#ifdef __cplusplus
}  // extern "C"
#endif  // __cplusplus

#endif  /* CHUNKMILL_H */
