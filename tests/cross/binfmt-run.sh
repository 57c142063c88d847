#!/usr/bin/env bash
# binfmt-run.sh COMMAND...: runs a command, and lets the aarch64 and 32-bit ARM programs that it starts run under QEMU by themselves.
# A runner of cargo's starts a test, but not the program that the test starts. In user and mount namespaces of its own: nothing
# outside changes, and nothing is left. Needs Linux 6.7 or newer, where each user namespace has handlers of its own.
set -euo pipefail
if [ "${1:-}" != --inside ]; then
  exec unshare --user --map-root-user --mount "$0" --inside "$@"
fi
shift
formats=/proc/sys/fs/binfmt_misc
mount -t binfmt_misc none $formats || { echo 'binfmt-run.sh: cannot mount binfmt_misc: is Linux older than 6.7?' >&2; exit 97; }
# $1 name, $2 word size (1 or 2), $3 machine, $4 interpreter. F: opened now, so that no chroot hides it.
register() {
  local ident='\x7fELF\x0'$2'\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\x'$3'\x00'
  local mask='\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff'
  printf '%s' ":$1:M::$ident:$mask:$4:F" >$formats/register ||
    { echo "binfmt-run.sh: the kernel does not take the handler for $1" >&2; exit 98; }
}
register aarch64 2 b7 /usr/bin/qemu-aarch64
register arm 1 28 /usr/bin/qemu-arm
exec "$@"
