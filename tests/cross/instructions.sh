#!/usr/bin/env bash
# Instructions a byte that the scan kernels and the crate fastcdc take on ARM, counted under QEMU. Wall time there would say
# nothing. Needs `setup-cross.sh` to have run. With --check, fails if the kernel that a target uses takes more than it did when
# the limits below were written, by 3 %.
set -euo pipefail
cd "$(dirname "$0")/../.."
check=${1:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
gcc -O2 -shared -fPIC -o "$work/insncount.so" tests/cross/insncount.c

# Instructions of the default kernel in a thousand bytes of random data, at averages of 8 KiB, 64 KiB and 2 MiB.
declare -A limits=([aarch64]='4730 4870 4990' [armv7]='7040 5830 4420')

instructions() {
  "${qemu[@]}" -plugin "$work/insncount.so" -d plugin "$program" "$@" 2>&1 >/dev/null | sed -n 's/^insns: //p'
}

bad=0
printf '| target | average | fastcdc | portable | lanes | half | default / fastcdc |\n|---|---:|---:|---:|---:|---:|---:|\n'
for target in aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf; do
  cpu=${target%%-*}
  case $cpu in
    aarch64) qemu=(qemu-aarch64 -L /usr/aarch64-linux-gnu) ;;
    armv7) qemu=(qemu-arm -L /usr/arm-linux-gnueabihf) ;;
  esac
  folder=${CARGO_TARGET_DIR:-target/cross}
  CARGO_TARGET_DIR=$folder cargo +cross build --quiet --release --locked --target "$target" -p chunkmill-benches --bin cut_once
  program=$folder/$target/release/cut_once
  read -ra most <<<"${limits[$cpu]}"
  index=0
  for pair in '8KiB 4MiB' '64KiB 4MiB' '2MiB 16MiB'; do
    read -r average size <<<"$pair"
    bytes=$((${size%MiB} << 20))
    data=$(instructions none "$average" "$size")
    row="| $cpu | $average"
    declare -A milli
    for subject in fastcdc portable lanes half default; do
      milli[$subject]=$((($(instructions "$subject" "$average" "$size") - data) * 1000 / bytes))
      [ "$subject" = default ] || row+=$(printf ' | %d.%02d' $((milli[$subject] / 1000)) $((milli[$subject] % 1000 / 10)))
    done
    share=$((milli[default] * 100 / milli[fastcdc]))
    printf '%s | 0.%02d |\n' "$row" "$share" | sed 's/0\.1\([0-9][0-9]\) |$/1.\1 |/'
    if [ "$check" = --check ] && [ $((milli[default] * 100)) -gt $((most[index] * 103)) ]; then
      echo "$cpu at $average: the default kernel takes ${milli[default]} instructions in 1000 bytes, limit ${most[index]} + 3 %" >&2
      bad=1
    fi
    index=$((index + 1))
  done
done
exit $bad
