#!/usr/bin/env bash
# Makes docs/benchmarks.md afresh, by running every command in it on this machine:
#
#     benches/report.sh FOLDER >docs/benchmarks.md
#
# FOLDER is for files of about 2 GiB in all and should be a memory file system. Takes about 25 minutes; the machine should have
# nothing else to do. Also draws docs/hash.svg and docs/hash-sse41.svg. Programs that are not installed are left out and named.
set -euo pipefail
folder=$(realpath "${1:?folder for files}")
cd "$(dirname "$0")/.."
work=$(mktemp -d -p "$folder")
trap 'rm -rf "$work"' EXIT
export TMPDIR=$work

version() {
  awk -v name="\"$1\"" '$1 == "name" { found = $3 == name } found && $1 == "version" { gsub("\"", "", $3); print $3; exit }' Cargo.lock
}

# The command as one would type it, and what it prints. TAR stands for the tar.
table() {
  local command=$1
  echo "    $command" >&2
  printf '    %s\n\n' "$command"
  bash -c "${command// TAR/ $work/usr-bin.tar}" | sed "s|$work/usr-bin.tar|the tar|g"
  echo
}

text() {
  printf '```text\n'
  bash -c "$1"
  printf '```\n\n'
}

ratio='cargo run -q --release -p chunkmill-benches --bin ratio --'
ratio_sse='cargo run -q --release -p chunkmill-benches --features blake3-sse41 --target-dir target/sse41 --bin ratio --'
for features in '' '--features blake3-sse41 --target-dir target/sse41'; do
  # shellcheck disable=SC2086
  cargo build -q --release -p chunkmill -p chunkmill-benches $features
done
tar cf "$work/usr-bin.tar" -C /usr bin

cat <<END
# Benchmarks

Every figure on this page was printed by the command above it, on one machine, on one day, by \`benches/report.sh\`. Ours and the
peers run in turn within one process; ratios are medians of the rounds, and in brackets stand the least and the greatest. On
another machine the figures are others: run the commands there.

| | |
|---|---|
| CPU | $(sed -n 's/^model name\s*: //p' /proc/cpuinfo | head -1), $(nproc) cores, a virtual machine that shares its host |
| system | $(. /etc/os-release; echo "$PRETTY_NAME"), Linux $(uname -r) |
| compiler | $(rustc --version) |
| peers | fastcdc $(version fastcdc), blake3 $(version blake3), blake2b_simd $(version blake2b_simd), sha2 $(version sha2), lz4_flex $(version lz4_flex) |

## All in half a minute

    chunkmill bench

END
echo '    chunkmill bench' >&2
text 'target/release/chunkmill bench'
cat <<'END'
Each row names how many threads it used. `update_rayon` enters its pool once a round and keeps its threads awake, which is the best that
can be done for it; the sweep further down begins with threads that sleep. HMAC-SHA-256 runs on the CPU's SHA instructions where there are any (`hashing may use
..., SHA`); on ARM boxes with those and without wide SIMD it can come out ahead of BLAKE3, and then this table says so.
BLAKE2b-256 is what many backup programs make their ids with: the rows of the pipeline show what that costs where a file is not
in the cache of known files (read, cut, id) and where a repository is verified (read, decompress, id).

The same with BLAKE3 held to SSE4.1, which is all that the Gemini Lake, Jasper Lake and Denverton CPUs of most x86 NAS boxes have. On
aarch64 BLAKE3 uses NEON without being told; a cross build of the program (`docs/linking.md`) runs the same command on the box.

    cargo run --release --features blake3-sse41 -- bench --hashing --pipeline

END
echo '    chunkmill bench, SSE4.1' >&2
text 'target/sse41/release/chunkmill bench --hashing --pipeline'
printf '## Scanning a file\n\nThe naive loop is what one writes by hand: `StreamCDC` over a `File`, `blake3::keyed_hash` of each chunk. The last row of each group\nis two separate scans at once, one thread each: what two cores at work cost by themselves.\n\n'
table "$ratio scan --rounds 9 --markdown"
printf 'With SSE4.1 only:\n\n'
table "$ratio_sse scan --rounds 9 --markdown"
printf '## Many small files\n\n10,000 files of 1 to 64 KiB. The naive loop makes a buffer of the largest chunk for each file, which is what costs it so much at\n2 MiB.\n\n'
table "$ratio files --rounds 7 --markdown"
printf '## Cut points alone\n\n'
table "$ratio cut --data random,text --markdown"
printf '## One slice, on two threads\n\nAll lengths from 4 KiB to 4 MiB in steps of 32 KiB and those just below powers of two, aligned and with an odd tail; in brackets the\nworst and the best length. Both of ours and `update_rayon` begin each window with threads that have parked.\n\n'
table "$ratio hash --step 32KiB --markdown --svg docs/hash.svg"
printf '![speed and CPU time by length](hash.svg)\n\nWith SSE4.1 only:\n\n'
table "$ratio_sse hash --step 32KiB --markdown --svg docs/hash-sse41.svg"
printf '![the same with SSE4.1 only](hash-sse41.svg)\n\n'
printf '## What the threshold is worth\n\nTwice the threshold saves some CPU time where many chunks lie between the two, and changes nothing in a pack, whose threads share out\nwhole chunks. Hashing chunk by chunk gains little from helpers at any threshold: they have fallen asleep when the next one comes.\n\n'
table "$ratio gate --markdown"
printf '## Packing and verifying\n\nThe naive loops: `StreamCDC`, `blake3::keyed_hash`, a set of ids, `lz4_flex::compress` and a buffered write; and to check, read,\ndecompress and hash. Both sides use the same build of `lz4_flex`. `text` is made up and compresses to 58 %%, `random` not at all, and\nthe tar is of this system'"'"'s `/usr/bin`.\n\n'
table "$ratio pack --rounds 9 --markdown --file TAR"
printf '## Beside other programs\n\nThe same tar as whole programs create, restore and check it, with fresh repositories in a memory file system. They do not all do the\nsame: borg (`authenticated-blake2`, version %s) and chunkmill make keyed ids and do not encrypt, restic (%s) encrypts, casync (%s) has no key; borg and\nchunkmill use LZ4, restic and casync zstd, which stores less for more CPU time. restic and chunkmill use two threads unless something\nelse is said, borg one.\n\n' \
  "$(borg --version | awk '{ print $2 }')" "$(restic version | awk '{ print $2 }')" "$(casync --version | awk '{ print $2; exit }')"
table "benches/programs.py TAR"
printf '## Memory\n\nPeak RSS of the whole program in MiB.\n\n'
table 'benches/memory.sh TAR'
printf '## Repeats\n\nA second tar behind the first in one stream, in which some files are new: they come among the others, so all that follows them has\nmoved.\n\n'
table 'benches/repeats.sh /usr/bin'
printf '## Instructions\n\nCounted under QEMU, for each byte; they repeat to a fiftieth of a percent, and CI fails when one of ours grows by 3 %%. x86-64 with\nAVX2, aarch64 with NEON, armv7 with portable code. First the scan kernels beside fastcdc, on random data; then slices hashed, and\nwhole runs of the core alone: ingest is cut, hash, LZ4 and pack at an average of 64 KiB.\n\n'
table 'CARGO_TARGET_DIR=target/cross tests/cross/instructions.sh'
