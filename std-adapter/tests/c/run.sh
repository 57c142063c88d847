#!/usr/bin/env bash
# The C interface as C programs use it: the exercise and the examples, with gcc and clang, linked statically and shared, under
# valgrind, and on aarch64 under QEMU; the same chunks, ids and packs as those of the program. Needs gcc, g++, clang, cmake,
# valgrind, and for aarch64 what tests/cross/setup-cross.sh brings. TOOLCHAIN_ARM is cargo's toolchain argument for it.
set -euo pipefail
cd "$(dirname "$0")/../../.."
root=$PWD
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-$root/target}
toolchain_arm=${TOOLCHAIN_ARM-+cross}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

check() { printf '%s\n' "--- $1"; }
fail() { echo "FAILED: $1" >&2; exit 1; }
same() { cmp "$1" "$2" || fail "$3"; }

# The program, whose word on stderr matters only if it fails.
ours() { "$program" "$@" 2>"$work/ours" || { cat "$work/ours" >&2; fail "chunkmill $*"; }; }

exercise=(std-adapter/tests/c/exercise*.c)
strict=(-std=c99 -g -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Werror)

# $1 a folder, $2 the compiler, $3 Rust's name of the target or nothing, $4 static or shared, $5... more for make
build() {
  local out=$work/$1 compiler=$2 target=$3 link=$4
  shift 4
  mkdir -p "$out"
  make -s -C std-adapter/examples/c OUT="$out" CC="$compiler" TARGET="$target" LINK="$link" CFLAGS='-O2 -Werror' "$@"
  local libraries=$CARGO_TARGET_DIR/${target:+$target/}release
  local libs=("$libraries/libchunkmill.a" -lgcc_s -lutil -lrt -lpthread -lm -ldl)
  [ "$link" = static ] || libs=("-L$libraries" "-Wl,-rpath,$libraries" -lchunkmill -lpthread)
  "$compiler" "${strict[@]}" -Istd-adapter/include -o "$out/exercise" "${exercise[@]}" "${libs[@]}"
}

# $1 the folder of the programs, $2... what they run in
try() {
  local bin=$work/$1 input code
  shift
  local run=("$@") in=$work/in
  "${run[@]}" "$bin/exercise"
  for input in text noise empty; do
    ours scan --format csv --key-file "$in/key" "$in/$input" |
      awk -F, -v path="$in/$input" 'NR > 1 { print $2, $3, $4, path }' >"$work/expected"
    "${run[@]}" "$bin/agent" "$in/key" "$work/store" "$in/$input" >"$work/found" 2>"$work/said"
    same "$work/expected" "$work/found" "chunks of $input"
    "${run[@]}" "$bin/packs" "$in/key" scan "$in/$input" >"$work/found"
    same <(cut -d' ' -f1-3 "$work/expected") "$work/found" "chunks of $input by threads"
    "${run[@]}" "$bin/packs" "$in/key" hash "$in/$input" >"$work/found"
    same <(ours hash --key-file "$in/key" "$in/$input" | cut -d' ' -f1) "$work/found" "the id of $input"
    # The file again out of the store.
    while read -r _ _ id _; do cat "$work/store/$id"; done <"$work/expected" >"$work/restored"
    same "$in/$input" "$work/restored" "$input out of the store"
    rm "$work/restored"
    # Packs of one are read by the other.
    "${run[@]}" "$bin/packs" "$in/key" pack "$in/$input" "$work/c.cmill"
    ours unpack "$work/c.cmill" -o "$work/restored" --key-file "$in/key" >/dev/null
    same "$in/$input" "$work/restored" "$input, packed by C"
    rm "$work/restored"
    ours pack "$in/$input" -o "$work/p.cmill" --key-file "$in/key" >/dev/null
    "${run[@]}" "$bin/packs" "$in/key" verify "$work/p.cmill"
    "${run[@]}" "$bin/packs" "$in/key" unpack "$work/p.cmill" "$work/restored"
    same "$in/$input" "$work/restored" "$input, unpacked by C"
    "${run[@]}" "$bin/packs" "$in/key" ls "$work/p.cmill" | cut -d' ' -f1,2,4 >"$work/found"
    same <(cut -d' ' -f1-3 "$work/expected") "$work/found" "the list of $input"
    rm "$work/restored" "$work/p.cmill" "$work/c.cmill"
  done
  # A second run stores nothing; a file that is not there is said and the others are read.
  code=0
  "${run[@]}" "$bin/agent" "$in/key" "$work/store" "$in/nothing" "$in/text" "$in/noise" >"$work/found" 2>"$work/said" || code=$?
  [ $code = 1 ] && grep -q "agent: .*/nothing: No such file" "$work/said" && grep -q ' 0 of them new$' "$work/said" ||
    { cat "$work/said"; fail "the agent's second run, exit code $code"; }
  # A damaged pack gives no file.
  ours pack "$in/text" -o "$work/p.cmill" --key-file "$in/key" >/dev/null
  printf '!' | dd of="$work/p.cmill" bs=1 seek=500000 conv=notrunc status=none
  code=0
  "${run[@]}" "$bin/packs" "$in/key" unpack "$work/p.cmill" "$work/restored" 2>"$work/said" || code=$?
  [ $code = 1 ] && [ ! -e "$work/restored" ] || { cat "$work/said"; fail "a damaged pack, exit code $code"; }
  rm -r "$work/store" "$work/p.cmill"
}

cargo build --release --locked -q
program=$CARGO_TARGET_DIR/release/chunkmill
mkdir "$work/in"
ours keygen -o "$work/in/key"
cat core/src/*.rs core/src/*/*.rs std-adapter/src/*.rs >"$work/in/once"
for _ in $(seq 40); do cat "$work/in/once"; done >"$work/in/text"
head -c 20000000 /dev/urandom >"$work/in/noise"
: >"$work/in/empty"

check 'the header alone, in C and C++'
echo '#include "chunkmill.h"' >"$work/header.c"
gcc "${strict[@]}" -Istd-adapter/include -c -o /dev/null "$work/header.c"
g++ -x c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror -Istd-adapter/include -c -o /dev/null "$work/header.c"
check 'gcc, static'
build gcc gcc '' static
try gcc
check 'valgrind'
# What std knows of the main thread is let go when the program ends, not before: it is reachable or "possibly lost".
valgrind=(valgrind --quiet --error-exitcode=9 --leak-check=full --errors-for-leak-kinds=definite,indirect --fair-sched=yes)
"${valgrind[@]}" "$work/gcc/exercise"
"${valgrind[@]}" "$work/gcc/agent" "$work/in/key" "$work/store" "$work/in/text" >/dev/null
"${valgrind[@]}" "$work/gcc/packs" "$work/in/key" pack "$work/in/text" "$work/p.cmill"
"${valgrind[@]}" "$work/gcc/packs" "$work/in/key" unpack "$work/p.cmill" "$work/restored"
same "$work/in/text" "$work/restored" 'under valgrind'
rm -r "$work/store" "$work/p.cmill" "$work/restored"
check 'clang, shared'
build clang clang '' shared
try clang
check 'CMake'
cmake -S std-adapter/examples/c -B "$work/cmake" -DCMAKE_BUILD_TYPE=Release -DCHUNKMILL_CARGO_TARGET_DIR="$CARGO_TARGET_DIR" >/dev/null
cmake --build "$work/cmake" >/dev/null
"$work/cmake/packs" "$work/in/key" hash "$work/in/noise" >"$work/found"
same <(ours hash --key-file "$work/in/key" "$work/in/noise" | cut -d' ' -f1) "$work/found" 'CMake'
check "the README's program"
awk '$0 == "```c" { found = 1; next } $0 == "```" { found = 0 } found' README.md >"$work/ids.c"
sed -i "s|\"KEY\"|\"$work/in/key\"|" "$work/ids.c"
gcc "${strict[@]}" -std=c11 -Istd-adapter/include -o "$work/ids" "$work/ids.c" "$CARGO_TARGET_DIR/release/libchunkmill.a" \
  -lgcc_s -lutil -lrt -lpthread -lm -ldl
"$work/ids" <"$work/in/noise" >"$work/found"
same <(ours scan --format csv --key-file "$work/in/key" "$work/in/noise" | awk -F, 'NR > 1 { print $2, $3, $4 }') "$work/found" 'README'
check 'aarch64 under QEMU'
CARGO_TARGET_DIR=$root/target/cross-tests CARGO_PROFILE_RELEASE_LTO=off CARGO_PROFILE_RELEASE_CODEGEN_UNITS=16 \
  build aarch64 aarch64-linux-gnu-gcc aarch64-unknown-linux-gnu static CARGO="cargo $toolchain_arm"
try aarch64 qemu-aarch64 -L /usr/aarch64-linux-gnu
echo 'the C interface is as it should be'
