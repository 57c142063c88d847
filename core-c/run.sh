#!/usr/bin/env bash
# The streaming chunker from C, on this machine and on a Cortex-M4 under QEMU: both print the chunks that the program finds in the same
# bytes. Needs gcc, clang, the `cross` toolchain of tests/cross/setup-cross.sh (or TOOLCHAIN= and rustup's target), qemu-system-arm.
set -euo pipefail
cd "$(dirname "$0")"
toolchain=${TOOLCHAIN-+cross}
target=thumbv7em-none-eabihf
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-../target/core-c}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
fail() { echo "FAILED: $1" >&2; exit 1; }
flags=(-std=c11 -Os -Wall -Wextra -Wpedantic -Werror -Iinclude)

echo '--- this machine'
cargo build -q --release --locked
gcc "${flags[@]}" -o "$work/ids" example/ids.c example/pc.c "$CARGO_TARGET_DIR/release/libchunkmill_core.a"
"$work/ids" >"$work/pc" || fail "exit code $?"
python3 - >"$work/stream" <<'PYTHON'
import sys
state, out = 1, bytearray()
for _ in range(1 << 20):
    state = (state * 6364136223846793005 + 1442695040888963407) & (2**64 - 1)
    out.append(state >> 56)
sys.stdout.buffer.write(out)
PYTHON
printf '\7%.0s' $(seq 32) >"$work/key"
(cd .. && CARGO_TARGET_DIR=target cargo run -q --release --locked -- scan --format csv --min 1KiB --avg 4KiB --max 8KiB \
  --key-file "$work/key" "$work/stream" 2>"$work/said") | awk -F, 'NR > 1 { print $2, $3, $4 }' >"$work/expected"
[ "$(wc -l <"$work/expected")" -gt 100 ] || { cat "$work/said"; fail 'the program found few chunks'; }
cmp "$work/expected" "$work/pc" || fail 'other chunks than those of the program'

echo '--- a Cortex-M4'
# shellcheck disable=SC2086
cargo $toolchain build -q --release --locked --target $target
clang --target=$target -mcpu=cortex-m4 -ffreestanding "${flags[@]}" -c -o "$work/ids.o" example/ids.c
clang --target=$target -mcpu=cortex-m4 -ffreestanding "${flags[@]}" -c -o "$work/board.o" example/board.c
arm-linux-gnueabihf-ld --gc-sections -T example/board.ld -o "$work/board" "$work/board.o" "$work/ids.o" \
  "$CARGO_TARGET_DIR/$target/release/libchunkmill_core.a"
timeout 120 qemu-system-arm -M mps2-an386 -cpu cortex-m4 -nographic -monitor none -serial none \
  -semihosting-config enable=on,target=native -kernel "$work/board" </dev/null >"$work/found" 2>&1 || fail "exit code $?: $(tail -3 "$work/found")"
stack=$(sed -n 's/^stack 0*//p' "$work/found")
cmp "$work/expected" <(grep -v '^stack' "$work/found") || fail 'other chunks than those of the program'
flash=$(arm-linux-gnueabihf-size -A "$work/board" | awk '$1 == ".text" { print $2 }')
echo "$flash bytes of flash and $stack of stack, the example's among them"
[ "$flash" -le $((18 << 10)) ] && [ "$stack" -le $((2 << 10)) ] || fail 'more than 18 KiB of flash or 2 KiB of stack'
