#!/usr/bin/env bash
# Runs the firmware under QEMU and decodes its log: qemu.sh ELF COMMAND [FILE...]. Ends with the firmware's exit code, with 124 if
# it has not come to an end after two minutes. QEMU_ARGS may hold more arguments for QEMU.
set -uo pipefail
elf=$1
shift
arguments=enable=on,target=native,arg=firmware
for word in "$@"; do
  arguments+=",arg=${word//,/,,}"
done
# shellcheck disable=SC2086
timeout 120 qemu-system-arm -M mps2-an386 -cpu cortex-m4 -nographic -monitor none -serial none ${QEMU_ARGS:-} \
  -semihosting-config "$arguments" -kernel "$elf" </dev/null | defmt-print --log-format '{L} {s}' -e "$elf"
exit "${PIPESTATUS[0]}"
