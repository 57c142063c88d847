#!/usr/bin/env bash
# Builds the library without an allocator, links it into a C program without Rust's runtime, and runs that.
set -euo pipefail
cd "$(dirname "$0")"
cargo build --release --locked
library=target/release/libchunkmill_no_alloc.a
if nm -C "$library" 2>/dev/null | grep -E ' [TtUW] (__rust_alloc|__rdl_alloc|__rg_alloc|malloc)$'; then
  echo 'something in the library wants to allocate' >&2
  exit 1
fi
${CC:-cc} -O2 -o target/no-alloc main.c "$library"
target/no-alloc
