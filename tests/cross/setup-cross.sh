#!/usr/bin/env bash
# setup-cross.sh - cross toolchain for CI machines that have rustup's x86_64 toolchain and Debian 12's
# apt, but no other target's rust-std from rustup.  Idempotent; a second run needs no network (~4 s).
#
# Real users do not need this.  They run:
#     rustup target add aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7em-none-eabihf ...
#     apt-get install gcc-aarch64-linux-gnu gcc-arm-linux-gnueabihf        (and qemu-user qemu-system-arm for tests)
# and leave out "+cross" below.
#
# It makes a rustup toolchain named $CROSS_NAME out of Debian's own compiler (rustc-web in
# bookworm-security, unpacked, NOT installed: no /usr/bin/rustc) and compiles a rust-std per target
# from Debian's rust-web-src.  That package holds std's own dependencies (library/vendor), so this
# step is offline.  rustup's 1.95 and 1.97-nightly compilers can NOT compile that source (lang items
# differ), hence the matching compiler.
#
#   CROSS_HOME      where it lives (about 0.9 GB)    default ~/.cache/chunkmill-cross
#   CROSS_NAME      rustup toolchain name            default cross
#   CROSS_TARGETS   targets to make (more may be added by a later run)
#   CROSS_HOST      rustup toolchain that lends cargo and rust-lld   default stable
#   CROSS_JOBS      targets built at once            default nproc
#   CROSS_REFRESH=1 look for a newer rustc-web and rebuild when there is one
set -euo pipefail

CROSS_HOME=${CROSS_HOME:-$HOME/.cache/chunkmill-cross}
CROSS_NAME=${CROSS_NAME:-cross}
CROSS_TARGETS=${CROSS_TARGETS:-aarch64-unknown-linux-gnu armv7-unknown-linux-gnueabihf thumbv7em-none-eabihf}
CROSS_HOST=${CROSS_HOST:-stable}
CROSS_JOBS=${CROSS_JOBS:-$(nproc)}
HOST=x86_64-unknown-linux-gnu
T=$CROSS_HOME/toolchain
export DEBIAN_FRONTEND=noninteractive
unset RUSTUP_TOOLCHAIN RUSTC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTFLAGS CARGO_ENCODED_RUSTFLAGS \
      CARGO_BUILD_TARGET CARGO_BUILD_RUSTFLAGS CARGO_TARGET_DIR CARGO_BUILD_TARGET_DIR
log() { printf '[setup-cross %3ds] %s\n' "$SECONDS" "$*"; }
die() { echo "setup-cross: $*" >&2; exit 1; }
mkdir -p "$CROSS_HOME"
exec 9>"$CROSS_HOME/.lock"; flock 9

# ---- 1. Debian packages installed the ordinary way ----------------------------------------------
APT_PKGS="gcc-aarch64-linux-gnu libc6-dev-arm64-cross gcc-arm-linux-gnueabihf libc6-dev-armhf-cross
  qemu-user qemu-system-arm patchelf libedit2 libffi8 libxml2 libz3-4 libzstd1"   # last five: for libLLVM
updated=
apt_update() { [ -n "$updated" ] || { apt-get -qq -o DPkg::Lock::Timeout=300 update; updated=1; }; }
missing=
for p in $APT_PKGS; do
  [ "$(dpkg-query -W -f='${db:Status-Status}' "$p" 2>/dev/null)" = installed ] || missing="$missing $p"
done
if [ -n "$missing" ]; then
  log "apt-get install$missing"
  apt_update
  apt-get -qq -o DPkg::Lock::Timeout=300 -o Dpkg::Use-Pty=0 install -y --no-install-recommends $missing \
    >"$CROSS_HOME/apt.log" 2>&1 || { tail -30 "$CROSS_HOME/apt.log" >&2; die "apt-get install failed"; }
fi

# ---- 2. Debian's rustc, unpacked -----------------------------------------------------------------
candidate() { apt-cache policy "$1" | awk '/Candidate:/{print $2}'; }
if [ ! -e "$CROSS_HOME/stamp" ] || [ -n "${CROSS_REFRESH:-}" ]; then
  apt_update
  VER=$(candidate rustc-web)
  case $VER in 1.85.*|''|'(none)') die "rustc-web candidate is '$VER': is bookworm-security in apt's sources?";; esac
  for p in libstd-rust-web-dev rust-web-src rust-web-clippy; do
    [ "$(candidate $p)" = "$VER" ] || die "rustc-web is $VER but $p is $(candidate $p)"
  done
  STD_PKG=$(apt-cache depends "libstd-rust-web-dev=$VER" | awk '/Depends: libstd-rust-web-[0-9]/{print $2; exit}')
  LLVM_PKG=$(apt-cache depends "$STD_PKG=$VER" | awk '/Depends: libllvm/{print $2; exit}')
  HOST_SYSROOT=$(cd / && rustc "+$CROSS_HOST" --print sysroot)
  STAMP="$VER $LLVM_PKG=$(candidate "$LLVM_PKG") $HOST_SYSROOT"
  if [ "$(cat "$CROSS_HOME/stamp" 2>/dev/null)" != "$STAMP" ]; then
    log "unpacking rustc-web $VER ($STD_PKG, $LLVM_PKG)"
    rm -rf "$CROSS_HOME"/{stamp,toolchain,debs,root,build}
    mkdir -p "$CROSS_HOME"/{debs,root} "$T/bin" "$T/lib/rustlib/src/rust" "$T/lib/rustlib/$HOST"
    ( cd "$CROSS_HOME/debs" && apt-get -qq -o APT::Sandbox::User=root download "rustc-web=$VER" \
        "libstd-rust-web-dev=$VER" "$STD_PKG=$VER" "rust-web-src=$VER" "rust-web-clippy=$VER" "$LLVM_PKG" )
    du -cb "$CROSS_HOME"/debs/*.deb | awk 'END{printf "    %.0f MB of .deb files\n", $1/1e6}'
    for p in rustc-web libstd-rust-web-dev "$STD_PKG" "$LLVM_PKG" rust-web-clippy; do
      dpkg-deb -x "$CROSS_HOME"/debs/${p}_*.deb "$CROSS_HOME/root"
    done
    dpkg-deb --fsys-tarfile "$CROSS_HOME"/debs/rust-web-src_*.deb |
      tar -x -C "$CROSS_HOME/root" --wildcards './usr/src/rustc-*/library'    # 69 MB of 366
    R=$CROSS_HOME/root/usr
    mv "$R"/bin/{rustc,rustdoc,clippy-driver,cargo-clippy} "$T/bin/"
    mv "$R"/lib/x86_64-linux-gnu/librustc_driver-*.so "$R"/lib/x86_64-linux-gnu/libLLVM.so.* "$T/lib/"
    mv "$R/lib/rustlib/$HOST/lib" "$T/lib/rustlib/$HOST/"
    mv "$R"/src/rustc-*/library "$T/lib/rustlib/src/rust/"
    rm -rf "$CROSS_HOME/root" "$CROSS_HOME/debs"
    # rlibs only (as cargo's -Zbuild-std does): libstd.so would want the target's linker, and nobody uses it
    sed -i 's/^crate-type = \["dylib", "rlib"\]/crate-type = ["rlib"]/' "$T/lib/rustlib/src/rust/library/std/Cargo.toml"
    for f in rustc rustdoc clippy-driver; do patchelf --set-rpath '$ORIGIN/../lib' "$T/bin/$f"; done
    patchelf --set-rpath '$ORIGIN' "$T"/lib/librustc_driver-*.so
    # borrowed from rustup's toolchain: cargo, and rust-lld (the bare-metal linker)
    ln -s "$HOST_SYSROOT/bin/cargo" "$T/bin/cargo"
    mkdir -p "$T/lib/rustlib/$HOST/bin"
    for f in rust-lld gcc-ld; do
      [ -e "$HOST_SYSROOT/lib/rustlib/$HOST/bin/$f" ] || die "no $f in $HOST_SYSROOT"
      ln -s "$HOST_SYSROOT/lib/rustlib/$HOST/bin/$f" "$T/lib/rustlib/$HOST/bin/$f"
    done
    "$T/bin/rustc" --version >/dev/null || die "the unpacked rustc does not start"
    echo "$STAMP" >"$CROSS_HOME/stamp"
  fi
fi
"$T/bin/rustc" -vV | awk '/^rustc|^LLVM/{print "    " $0}'

# ---- 3. rust-std per target, from source ---------------------------------------------------------
LIB=$T/lib/rustlib/src/rust/library
# The crate lies outside std's own workspace, so that std's dev-dependencies (which Debian does not
# ship) are never resolved; its profile is library/Cargo.toml's.
build_std() {
  local target=$1 dir=$CROSS_HOME/build/$1 out=$T/lib/rustlib/$1 dep
  case $target in
    *-none*) dep="alloc = { path = \"$LIB/alloc\", features = [\"compiler-builtins-mem\"] }" ;;
    *)       dep="sysroot = { path = \"$LIB/sysroot\", features = [\"panic-unwind\", \"backtrace\"] }" ;;
  esac
  rm -rf "$dir"; mkdir -p "$dir/src"
  printf '#![feature(no_core)]\n#![no_core]\n' >"$dir/src/lib.rs"
  cp "$LIB/Cargo.lock" "$dir/Cargo.lock"
  cat >"$dir/Cargo.toml" <<TOML
cargo-features = ["profile-rustflags"]
[package]
name = "stdbuild"
version = "0.0.0"
edition = "2021"
[dependencies]
$dep
[workspace]
[profile.release]
codegen-units = 1
[profile.release.package.compiler_builtins]
codegen-units = 10000
[profile.release.package.panic_abort]
rustflags = ["-Cpanic=abort"]
[patch.crates-io]
rustc-std-workspace-core = { path = "$LIB/rustc-std-workspace-core" }
rustc-std-workspace-alloc = { path = "$LIB/rustc-std-workspace-alloc" }
rustc-std-workspace-std = { path = "$LIB/rustc-std-workspace-std" }
TOML
  # Flags as in rust's own bootstrap: std's dependencies marked private, bitcode for users' LTO.
  ( cd "$dir" && RUSTC="$T/bin/rustc" RUSTC_BOOTSTRAP=1 CARGO_TARGET_DIR="$dir/target" \
    RUSTFLAGS="-Zforce-unstable-if-unmarked -Cembed-bitcode=yes -Zunstable-options -Cforce-frame-pointers=non-leaf" \
    "$T/bin/cargo" build --release --offline --target "$target" \
      --config 'source.crates-io.replace-with="vendored"' --config "source.vendored.directory=\"$LIB/vendor\"" \
    ) >"$CROSS_HOME/build-$target.log" 2>&1 || { tail -40 "$CROSS_HOME/build-$target.log" >&2; return 1; }
  rm -rf "$out.tmp" "$out"; mkdir -p "$out.tmp/lib"
  cp "$dir/target/$target/release/deps"/*.rlib "$out.tmp/lib/"
  rm -f "$out.tmp/lib"/libstdbuild-*
  mv "$out.tmp" "$out"
  rm -rf "$dir"
  log "rust-std for $target built"
}
todo=()
for t in $CROSS_TARGETS; do [ -d "$T/lib/rustlib/$t/lib" ] || todo+=("$t"); done
if [ ${#todo[@]} -gt 0 ]; then
  log "building rust-std for ${todo[*]}"
  pids=()
  for t in "${todo[@]}"; do
    while [ "$(jobs -rp | wc -l)" -ge "$CROSS_JOBS" ]; do wait -n || true; done
    build_std "$t" 9>&- & pids+=($!)
  done
  bad=; for p in "${pids[@]}"; do wait "$p" || bad=1; done
  rm -rf "$CROSS_HOME/build"
  [ -z "$bad" ] || die "a rust-std did not build; see $CROSS_HOME/build-*.log"
fi

# ---- 4. name it for rustup, and prove each target ------------------------------------------------
[ "$(readlink -f "$(cd / && rustc "+$CROSS_NAME" --print sysroot 2>/dev/null || echo /none)")" = "$(readlink -f "$T")" ] ||
  rustup -q toolchain link "$CROSS_NAME" "$T"
probe=$(mktemp -d); trap 'rm -rf "$probe"' EXIT
printf 'fn main(){ std::thread::spawn(|| println!("    a thread runs on {}", std::env::consts::ARCH)).join().unwrap(); }\n' >"$probe/std.rs"
printf '#![no_std]\nextern crate alloc;\npub fn f()->alloc::vec::Vec<u8>{alloc::vec![1,2,3]}\n' >"$probe/core.rs"
cd "$probe"
for t in $CROSS_TARGETS; do
  case $t in
    aarch64-unknown-linux-gnu)     rustc "+$CROSS_NAME" --target $t -C linker=aarch64-linux-gnu-gcc std.rs; qemu-aarch64 -L /usr/aarch64-linux-gnu ./std ;;
    armv7-unknown-linux-gnueabihf) rustc "+$CROSS_NAME" --target $t -C linker=arm-linux-gnueabihf-gcc std.rs; qemu-arm -L /usr/arm-linux-gnueabihf ./std ;;
    *) rustc "+$CROSS_NAME" --target $t --crate-type lib --emit obj core.rs ;;
  esac
done
log "ready: cargo +$CROSS_NAME {build,test,clippy} --target T for T in $(echo $CROSS_TARGETS)"
