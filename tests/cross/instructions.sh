#!/usr/bin/env bash
# Instructions a byte on ARM and x86-64, counted under QEMU: of the scan kernels beside the crate fastcdc, and of hashing and of
# packing and checking with the core alone. Wall time there would say nothing; instructions repeat to a fiftieth of a percent,
# whatever else the machine does. Needs `setup-cross.sh` to have run. With --check, fails if something takes more than it did when
# the limits below were written, by 3 %.
set -euo pipefail
cd "$(dirname "$0")/../.."
check=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -shared -fPIC -o "$work/insncount.so" tests/cross/insncount.c

# Instructions in a thousand bytes. Cut: the default kernel, random data, averages of 8 KiB, 64 KiB and 2 MiB.
declare -A cut_limits=([aarch64]='4730 4870 4990' [armv7]='7040 5830 4420' [x86_64]='3720 3560 3630')
# Hash: slices of 16 KiB and 2 MiB. Then text and random data at an average of 64 KiB: ingest (cut, hash, LZ4, pack), verify.
declare -A path_limits=([aarch64]='4500 4400 25950 8700 11210 4920' [armv7]='15910 15970 41300 25940 23600 16220' [x86_64]='2560 2510 26120 7600 11720 3720')

instructions() {
  "${qemu[@]}" -plugin "$work/insncount.so" -d plugin "$program" "$@" 2>&1 >/dev/null | sed -n 's/^insns: //p'
}

decimal() {
  printf '%d.%02d' $(($1 / 1000)) $(($1 % 1000 / 10))
}

bad=0
# $1 what, $2 its count, $3 the limit.
guard() {
  if [ "$check" = --check ] && [ $(($2 * 100)) -gt $(($3 * 103)) ]; then
    echo "$cpu, $1: $2 instructions in 1000 bytes, limit $3 + 3 %" >&2
    bad=1
  fi
}

build() {
  case $cpu in
    aarch64) target=aarch64-unknown-linux-gnu cargo=(cargo +cross) qemu=(qemu-aarch64 -L /usr/aarch64-linux-gnu) ;;
    armv7) target=armv7-unknown-linux-gnueabihf cargo=(cargo +cross) qemu=(qemu-arm -L /usr/arm-linux-gnueabihf) ;;
    # Everything that QEMU knows, AVX2 among it, whatever this machine's CPU is.
    x86_64) target=x86_64-unknown-linux-gnu cargo=(cargo) qemu=(qemu-x86_64 -cpu max) ;;
  esac
  local folder=${CARGO_TARGET_DIR:-target/cross}
  [ "$cpu" = x86_64 ] && folder=target
  CARGO_TARGET_DIR=$folder "${cargo[@]}" build --quiet --release --locked --target "$target" -p chunkmill-benches --bin count_once
  program=$folder/$target/release/count_once
}

cut_rows() {
  local index=0 pair average size bytes data row subject share
  local -A milli
  read -ra most <<<"${cut_limits[$cpu]}"
  for pair in '8KiB 4MiB' '64KiB 4MiB' '2MiB 16MiB'; do
    read -r average size <<<"$pair"
    bytes=$((${size%MiB} << 20))
    data=$(instructions none random "$average" "$size")
    row="| $cpu | $average"
    for subject in fastcdc portable lanes half default; do
      milli[$subject]=$((($(instructions "$subject" random "$average" "$size") - data) * 1000 / bytes))
      [ "$subject" = default ] || row+=" | $(decimal "${milli[$subject]}")"
    done
    share=$((milli[default] * 1000 / milli[fastcdc]))
    echo "$row | $(decimal "$share") |"
    guard "the default kernel at $average" "${milli[default]}" "${most[index]}"
    index=$((index + 1))
  done
}

path_rows() {
  local index=0 path subject kind average data count row="| $cpu"
  read -ra most <<<"${path_limits[$cpu]}"
  for path in 'hash random 16KiB' 'hash random 2MiB' 'ingest text 64KiB' 'verify text 64KiB' 'ingest random 64KiB' 'verify random 64KiB'; do
    read -r subject kind average <<<"$path"
    # What is to be verified has to be packed first.
    case $subject in
      verify) data=$(instructions ingest "$kind" "$average" 4MiB) ;;
      *) data=$(instructions none "$kind" "$average" 4MiB) ;;
    esac
    count=$((($(instructions "$subject" "$kind" "$average" 4MiB) - data) * 1000 / (4 << 20)))
    row+=" | $(decimal "$count")"
    guard "$path" "$count" "${most[index]}"
    index=$((index + 1))
  done
  echo "$row |"
}

cpus='x86_64 aarch64 armv7'
printf '| target | average | fastcdc | portable | lanes | half | default / fastcdc |\n|---|---:|---:|---:|---:|---:|---:|\n'
for cpu in $cpus; do
  build
  cut_rows
done
printf '\n| target | hash 16 KiB | hash 2 MiB | ingest text | verify text | ingest random | verify random |\n|---|---:|---:|---:|---:|---:|---:|\n'
for cpu in $cpus; do
  build
  path_rows
done
exit $bad
