#!/usr/bin/env bash
# Builds the firmware, runs it under QEMU, and checks what it says and writes against the programs for PCs: chunks and ids, packs in
# both directions, damaged packs, golden vectors, and the budgets of flash and stack. Needs the `cross` toolchain of
# tests/cross/setup-cross.sh (with rustup's own target: `TOOLCHAIN= ./run.sh`), qemu-system-arm and defmt-print.
set -euo pipefail
cd "$(dirname "$0")"
toolchain=${TOOLCHAIN-+cross}
target=thumbv7em-none-eabihf
# In bytes. RAM holds everything but the stack.
flash_budget=$((64 << 10)) ram_budget=$((56 << 10)) stack_budget=$((6 << 10))
sizes=(--min 1KiB --avg 4KiB --max 8KiB)
CHUNKMILL_KEY=$(printf 'the key of the firmware example!' | od -An -v -tx1 | tr -d ' \n')
export CHUNKMILL_KEY

for tool in qemu-system-arm defmt-print; do
  command -v $tool >/dev/null || { echo "run.sh: $tool is missing: apt-get install qemu-system-arm; cargo install --locked defmt-print" >&2; exit 1; }
done
# shellcheck disable=SC2086
CARGO_TARGET_DIR=../target/cross cargo $toolchain build --quiet --release --locked --no-default-features --features board \
  --target $target --bin firmware
elf=$PWD/../target/cross/$target/release/firmware
cargo build --quiet --locked --bin host
host=$PWD/target/debug/host
(cd .. && cargo build --quiet --release --locked -p chunkmill && cargo build --quiet --locked -p chunkmill-tests --example vector_list)
chunkmill=$PWD/../target/release/chunkmill
vector_list=$PWD/../target/debug/examples/vector_list
run=$PWD/qemu.sh

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
"$vector_list" "$work/vectors"
# Text, noise, and the text once more: all kinds of records.
cat ../core/src/*.rs >"$work/text"
head -c 60000 "$work/vectors/stream14" | cat "$work/text" - "$work/text" >"$work/in"
cd "$work"

check() {
  echo "--- $*"
}

fail() {
  echo "run.sh: $*" >&2
  exit 1
}

pc() {
  "$chunkmill" "$@" >pc.log 2>&1 || { cat pc.log; fail "chunkmill $* failed"; }
}

firmware() {
  local code=0
  "$run" "$elf" "$@" >log 2>&1 || code=$?
  [ "$code" -eq "$expected" ] || { cat log; fail "firmware $*: exit code $code, expected $expected"; }
  local used
  used=$(sed -n 's/^INFO *stack \([0-9]*\) of .*/\1/p' log)
  [ -n "$used" ] || { cat log; fail "firmware $*: no word of its stack"; }
  stack[$1]=$((used > ${stack[$1]:-0} ? used : ${stack[$1]:-0}))
}
declare -A stack
expected=0

check 'what the firmware packs: chunks as the program for PCs finds them'
firmware pack in board.cmill board.out
sed -n 's/^INFO *chunk /chunk /p' log >board.chunks
grep -E 'packed|verified|restored' log
"$chunkmill" scan --format jsonl "${sizes[@]}" in 2>/dev/null |
  sed -n 's/.*"offset":\([0-9]*\),"length":\([0-9]*\),"id":"\([0-9a-f]*\)".*/chunk \1 \2 \3/p' >scan.chunks
cut -d' ' -f1-4 board.chunks | cmp - scan.chunks
grep -q known board.chunks || fail 'no chunk was known: the data should have some'
echo "$(wc -l <scan.chunks) chunks are the same"
"$host" in host.cmill >host.log
grep '^chunk' host.log | cmp - board.chunks
echo 'and known are the same ones as on the PC'

check 'packs from the board on the PC'
cmp in board.out
pc verify board.cmill
pc unpack board.cmill -o unpacked
cmp in unpacked
rm unpacked
pc verify host.cmill

check 'packs from the PC on the board'
for compression in lz4 none; do
  pc pack --compression $compression "${sizes[@]}" in -o pc-$compression.cmill
  firmware verify pc-$compression.cmill
  firmware restore pc-$compression.cmill board.out
  cmp in board.out
done

check 'packs that are not good'
# refused NAME WHAT: the firmware says so, and the program for PCs refuses it, too.
refused() {
  expected=1 firmware verify "$1"
  grep -q "$2" log || { cat log; fail "$1: expected $2"; }
  expected=1 firmware restore "$1" board.out
  ! "$chunkmill" verify --quiet "$1" >/dev/null 2>&1 || fail "$1: the PC finds nothing"
  echo "$1: $(sed -n 's/^ERROR *//p' log)"
}
# flipped AT NAME: the board's pack with the byte at that offset changed.
flipped() {
  local byte
  byte=$(od -An -v -tu1 -j "$1" -N 1 board.cmill)
  cp board.cmill "$2"
  printf '%b' "\\x$(printf %02x $((byte ^ 1)))" | dd of="$2" bs=1 seek="$1" conv=notrunc status=none
}
flipped 3 no-pack && refused no-pack NotAPack
flipped 20 header && refused header Header
flipped 80 first-record && refused first-record HeaderTag
flipped 160 first-payload && refused first-payload Payload
len=$(wc -c <board.cmill)
flipped $((len - 40)) trailer && refused trailer HeaderTag
head -c $((len / 2)) board.cmill >half && refused half Truncated
head -c $((len - 1)) board.cmill >short && refused short Truncated
CHUNKMILL_KEY=$(printf '%064d' 1) pc pack "${sizes[@]}" in -o other-key
refused other-key WrongKey
pc pack in -o large-chunks
expected=1 firmware verify large-chunks
grep -q 'Buffer.*8388608.*8192' log || { cat log; fail 'large chunks: expected the sizes'; }
expected=3 firmware verify no-such-file
expected=2 firmware nonsense

check 'golden vectors and packs'
cd vectors
firmware vectors list
grep vectors log
grep -q '48 ids, 18 streams of 155 chunks, 5 packs' log || fail 'vectors are missing'
sed -i 's/^chunk \([0-9]*\)/chunk 1\1/' list
expected=1 firmware vectors list
cd ..

check 'budgets in bytes'
read -r flash ram < <(arm-linux-gnueabihf-size -A "$elf" | awk '
  $1 == ".vector_table" || $1 == ".text" || $1 == ".rodata" || $1 == ".data" { flash += $2 }
  $1 == ".data" || $1 == ".bss" || $1 == ".uninit" { ram += $2 }
  $1 ~ /^\.(vector_table|text|rodata|data|bss|uninit)$/ { printf "%-14s %6d\n", $1, $2 > "/dev/stderr" }
  END { print flash, ram }' 2>"$work/sections")
cat "$work/sections"
deepest=0
for command in pack verify restore; do
  printf 'stack, %-8s%6d\n' $command "${stack[$command]}"
  deepest=$((${stack[$command]} > deepest ? ${stack[$command]} : deepest))
done
printf '%-6s %6d of %6d\n' flash "$flash" $flash_budget ram "$ram" $ram_budget stack $deepest $stack_budget
[ "$flash" -le $flash_budget ] && [ "$ram" -le $ram_budget ] && [ $deepest -le $stack_budget ] || fail 'over the budget'
