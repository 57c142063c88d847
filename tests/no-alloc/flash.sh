#!/usr/bin/env bash
# What the parts of the engine take in the flash of a Cortex-M4, linked alone, at opt-level "s" with LTO: code and
# constants in bytes. Fails over the budget. Needs the `cross` toolchain of tests/cross/setup-cross.sh.
set -euo pipefail
cd "$(dirname "$0")"
budget=$((64 << 10))
target=thumbv7em-none-eabihf
cargo +cross build -q --release --locked --target $target
library=${CARGO_TARGET_DIR:-target}/$target/release/libchunkmill_no_alloc.a
linked=$(mktemp)
trap 'rm -f "$linked"' EXIT
printf '%-20s %8s %8s\n' part .text .rodata
for part in part_cut part_hash part_stream part_ingest part_verify chunkmill_no_alloc; do
  arm-linux-gnueabihf-ld --gc-sections -e $part -o "$linked" "$library"
  read -r text rodata < <(arm-linux-gnueabihf-size -A "$linked" | awk '$1==".text"{t=$2} $1==".rodata"{r=$2} END{print t+0, r+0}')
  printf '%-20s %8d %8d\n' $part "$text" "$rodata"
done
total=$((text + rodata))
echo "all of it: $total of $budget bytes"
[ "$total" -le "$budget" ]
