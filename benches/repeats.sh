#!/usr/bin/env bash
# What a second, slightly larger archive costs in the same pack, as a Markdown table: a tar of FOLDER without the files whose names
# begin with a, b or c, and behind it the whole tar.
#
#     benches/repeats.sh FOLDER
#
# Needs `cargo build --release` first; tars and packs lie in TMPDIR.
set -euo pipefail
folder=${1:?folder to archive}
chunkmill=$(dirname "$0")/../target/release/chunkmill
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
order=(--sort=name -C "$(dirname "$folder")")
name=$(basename "$folder")
tar cf "$work/first" "${order[@]}" --exclude="$name/[abc]*" "$name"
tar cf "$work/second" "${order[@]}" "$name"

megabytes() {
  stat -c %s "$1" | awk '{ printf "%.1f MB", $1 / 1e6 }'
}

difference() {
  echo "$(stat -c %s "$1") $(stat -c %s "$2")" | awk '{ printf "%.1f MB", ($2 - $1) / 1e6 }'
}

echo '| chunks | first tar | its pack | new in the second | pack of both | the second costs |'
echo '|---|---:|---:|---:|---:|---:|'
for average in 2MiB 64KiB; do
  cat "$work/first" | "$chunkmill" pack - -o "$work/one" --force --avg $average --quiet 2>/dev/null >&2
  cat "$work/first" "$work/second" | "$chunkmill" pack - -o "$work/both" --force --avg $average --quiet 2>/dev/null >&2
  echo "| avg ${average%?iB} ${average: -3} | $(megabytes "$work/first") | $(megabytes "$work/one") |" \
    "$(difference "$work/first" "$work/second") | $(megabytes "$work/both") | $(difference "$work/one" "$work/both") |"
done
