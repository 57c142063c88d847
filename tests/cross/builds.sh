#!/usr/bin/env bash
# Builds the program for the targets of NAS boxes as users do, runs it under QEMU, and looks which of BLAKE3's kernels are in it:
# NEON on aarch64, portable code on armv7, and NEON there if it is asked for. Needs `setup-cross.sh` to have run.
set -euo pipefail
cd "$(dirname "$0")/../.."
folder=${CARGO_TARGET_DIR:-target/cross}
export CARGO_TARGET_DIR=$folder
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -shared -fPIC -o "$work/insncount.so" tests/cross/insncount.c
cat core/src/*.rs core/src/*.rs >"$work/in"
head -c 4M /dev/urandom >"$work/noise"

# $1 target, $2 QEMU and its arguments, $3 neon or portable, then arguments for cargo.
build() {
  local target=$1 kernel=$3
  read -ra qemu <<<"$2"
  shift 3
  cargo +cross build --quiet --release --locked --target "$target" "$@"
  local program=$folder/$target/release/chunkmill found=portable
  # Rust strips no symbols from its own release builds.
  if grep -q blake3_hash_many_neon <(readelf -sW "$program"); then
    found=neon
  fi
  [ $found = "$kernel" ] || { echo "$target $*: BLAKE3 is $found, expected $kernel" >&2; return 1; }
  rm -f "$work/pack"
  "${qemu[@]}" "$program" pack "$work/in" -o "$work/pack" --avg 4KiB >/dev/null 2>&1
  "${qemu[@]}" "$program" verify "$work/pack" >/dev/null 2>&1
  "${qemu[@]}" "$program" unpack "$work/pack" -o - 2>/dev/null | cmp - "$work/in"
  local counted
  counted=$("${qemu[@]}" -plugin "$work/insncount.so" -d plugin "$program" hash "$work/noise" 2>&1 >"$work/hash" |
    sed -n 's/^insns: //p')
  cut -d' ' -f1 "$work/hash" >"$work/hash.$kernel.$target"
  cmp "$work/hash.$kernel.$target" "${first:=$work/hash.$kernel.$target}"
  printf '%-30s %-9s %5d.%d instructions a byte hashed\n' "$target" "$kernel" $((counted >> 22)) $(((counted * 10 >> 22) % 10))
}

first=
build aarch64-unknown-linux-gnu 'qemu-aarch64 -L /usr/aarch64-linux-gnu' neon
build armv7-unknown-linux-gnueabihf 'qemu-arm -L /usr/arm-linux-gnueabihf' portable
build armv7-unknown-linux-gnueabihf 'qemu-arm -L /usr/arm-linux-gnueabihf' neon --features blake3-neon
