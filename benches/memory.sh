#!/usr/bin/env bash
# Peak RSS of whole runs of the program in MiB, as a Markdown table: packing, verifying and restoring FILE at two chunk sizes.
#
#     benches/memory.sh FILE
#
# Needs `cargo build --release` first; packs lie in TMPDIR.
set -euo pipefail
file=${1:?file to pack}
chunkmill=$(dirname "$0")/../target/release/chunkmill
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

peak() {
  "$chunkmill" "$@" --quiet --format json 2>/dev/null | sed -n 's/.*"peak_rss_bytes":\([0-9]*\).*/\1/p' |
    awk '{ printf " | %.1f", $1 / 1048576 }'
}

echo '| `--memory`, threads | pack, 2 MiB | verify | unpack | pack, 64 KiB | verify | unpack |'
echo '|---|---:|---:|---:|---:|---:|---:|'
for setting in '1MiB 1' '1MiB 4' '16MiB 2' '64MiB 2' '64MiB 4' '128MiB 4'; do
  read -r memory threads <<<"$setting"
  printf '| %s MiB, %s' "${memory%MiB}" "$threads"
  for average in 2MiB 64KiB; do
    work_options=(--memory "$memory" --threads "$threads")
    peak pack "$file" -o "$work/pack" --force --avg "$average" "${work_options[@]}"
    peak verify "$work/pack" "${work_options[@]}"
    peak unpack "$work/pack" -o "$work/restored" --force "${work_options[@]}"
  done
  echo ' |'
done
