#!/usr/bin/env bash
# The tests on ARM under QEMU. Without arguments what CI has time for; with --all every test of the workspace on aarch64, which takes
# about a quarter of an hour. Needs the `cross` toolchain of setup-cross.sh, or TOOLCHAIN= and rustup's targets.
#
# On aarch64 CI runs the program's tests, the library's, the core's, and what goes across the crates but for tests over every prefix and
# split. On armv7 the core and the library, and across the crates what 32 bits could break: offsets, vectors, packs, what is fuzzed.
set -euo pipefail
cd "$(dirname "$0")/../.."
toolchain=${TOOLCHAIN-+cross}
# Without optimisation across crates, which takes longer than it saves for so many programs.
export CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$PWD/target/cross-tests} QEMU_LD_PREFIX=/usr/aarch64-linux-gnu

# These see QEMU instead of the program: its memory and its limits, its descriptors, its threads' nice values, its reads of the page
# cache, and in /proc its signals.
skipped=()
for name in memory_is_bounded_whatever_the_input memory_does_not_grow_with_the_file \
  every_thread_gives_way_in_the_background what_is_ignored_stays_ignored the_page_cache_is_left_as_it_was_found \
  few_descriptors_are_enough_or_an_error too_little_memory_is_an_error; do
  skipped+=(--skip "$name")
done
core_features=embedded-io,embedded-io-async,heapless,lz4

# $1 target, the rest for cargo test
test_on() {
  local target=$1
  shift
  # shellcheck disable=SC2086
  tests/cross/binfmt-run.sh cargo $toolchain test --release --locked --target "$target" "$@"
}

aarch64=aarch64-unknown-linux-gnu armv7=armv7-unknown-linux-gnueabihf
if [ "${1:-}" = --all ]; then
  test_on $aarch64 --workspace -- "${skipped[@]}"
  test_on $aarch64 -p chunkmill-core --features $core_features
  exit
fi

programs=()
for name in std-adapter/tests/cli_*.rs; do
  name=$(basename "$name" .rs)
  # They measure, which an emulator makes long and pointless.
  case $name in cli_bench | cli_calibrate) ;; *) programs+=(--test "$name") ;; esac
done
test_on $aarch64 -p chunkmill --lib --bins "${programs[@]}" -- "${skipped[@]}"
test_on $aarch64 -p chunkmill-tests --lib --test differential --test vectors --test golden_packs --test pack_damage \
  --test lz4_compressor --test retaining_chunks --test ring_model --test ingest_restore
test_on $aarch64 -p chunkmill-core --lib --features $core_features
test_on $armv7 -p chunkmill-core --lib --features $core_features
test_on $armv7 -p chunkmill --lib --no-default-features
test_on $armv7 -p chunkmill-tests --test offsets --test vectors --test golden_packs --test pack_damage --test every_split
# The same ids with BLAKE3's other kernel.
test_on $armv7 -p chunkmill-tests --features chunkmill-core/blake3-neon --test vectors --test golden_packs
test_on $armv7 --manifest-path fuzz/Cargo.toml --lib
