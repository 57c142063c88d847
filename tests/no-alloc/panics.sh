#!/usr/bin/env bash
# Which places in source files may panic in a release build of the core with all its parts in use, as far as the optimiser
# cannot tell that they never do. Fails if one of them is the core's own, or in a crate that docs/testing.md does not answer for.
set -euo pipefail
cd "$(dirname "$0")"
target=${CARGO_TARGET_DIR:-target}/panics
core=$(cd ../../core && pwd -P)
CARGO_TARGET_DIR=$target RUSTFLAGS='--cfg panic_places' CARGO_PROFILE_RELEASE_OPT_LEVEL=3 cargo build -q --release --locked
linked=$target/no-alloc
${CC:-cc} -O2 -no-pie -o "$linked" main.c "$target/release/libchunkmill_no_alloc.a"
ours=() others=()
while IFS=: read -r file line column; do
  case $file in
    "$core"/*)
      # Where the body of an `async fn` begins: it panics when its future is polled after it is done, which no caller may do.
      [ "$(sed -n "${line}p" "$file" | cut -c "$column-")" = '{' ] || ours+=("$file:$line:$column") ;;
    src/*) ;; # of the test itself
    */registry/src/*) others+=("${file#*/registry/src/*/}:$line") ;;
    *) others+=("$file:$line") ;;
  esac
done < <(python3 panics.py "$linked")
printf '%s\n' "${others[@]}"
if [ ${#ours[@]} -gt 0 ]; then
  printf 'may panic: %s\n' "${ours[@]}" >&2
  exit 1
fi
# None in these two would mean that the places were not found, not that there are none.
for crate in blake3 lz4_flex; do
  grep -q "^$crate-" <<<"${others[*]/#/$'\n'}" || { echo "no place found in $crate" >&2; exit 1; }
done
! printf '%s\n' "${others[@]}" | grep -vE '^(blake3|embedded-io-async|heapless|lz4_flex)-|/library/core/src/'
