#!/usr/bin/env bash
# Instructions a byte on a Cortex-M4, counted under QEMU: of cutting, hashing and compressing with all in memory. Needs what
# run.sh needs, and gcc. With --check, measures the optimisation for size alone, and fails if something takes 3 % more than it did
# when the limits below were written.
set -euo pipefail
cd "$(dirname "$0")"
toolchain=${TOOLCHAIN-+cross}
target=thumbv7em-none-eabihf
# Instructions in a thousand bytes at opt-level "s": cut, hash, LZ4 of random bytes; cut, hash, LZ4 of text.
limits=(10940 16510 7500 10710 16510 21010)
# As in src/bin/firmware/measure.rs: 64 rounds of 8 KiB.
bytes=$((64 * 8192))
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -shared -fPIC -o "$work/insncount.so" ../tests/cross/insncount.c

instructions() {
  QEMU_ARGS="-plugin $work/insncount.so -d plugin -D $work/count" ./qemu.sh "$elf" measure "$@" >"$work/log" 2>&1 ||
    { cat "$work/log" >&2; return 1; }
  sed -n 's/^insns: //p' "$work/count"
}

bad=0
levels='s 3'
[ "${1:-}" = --check ] && levels=s
printf '| opt-level | data | cut | hash | LZ4 |\n|---|---|---:|---:|---:|\n'
for level in $levels; do
  # Another level is another folder, so that neither is built anew each time.
  folder=../target/cross
  [ "$level" = s ] || folder=../target/cross-$level
  # shellcheck disable=SC2086
  CARGO_PROFILE_RELEASE_OPT_LEVEL=$level CARGO_TARGET_DIR=$folder cargo $toolchain build --quiet --release --locked \
    --no-default-features --features board --target $target --bin firmware
  elf=$folder/$target/release/firmware
  index=0
  for kind in random text; do
    data=$(instructions data $kind)
    row="| $level | $kind"
    for what in cut hash lz4; do
      milli=$((($(instructions $what $kind) - data) * 1000 / bytes))
      row+=$(printf ' | %d.%02d' $((milli / 1000)) $((milli % 1000 / 10)))
      if [ "${1:-}" = --check ] && [ $((milli * 100)) -gt $((limits[index] * 103)) ]; then
        echo "$what of $kind: $milli instructions in 1000 bytes, limit ${limits[index]} + 3 %" >&2
        bad=1
      fi
      index=$((index + 1))
    done
    echo "$row |"
  done
done
exit $bad
