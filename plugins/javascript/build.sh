#!/usr/bin/env bash
# Builds the engine javascript: `skills/javascript/javascript.wasm.zst` and its `build.json`.
# `plugins/build.sh javascript` runs it too.
#
#   plugins/javascript/build.sh             # the component
#   plugins/javascript/build.sh --sources   # only the crates with patches, for `cargo test` in this folder
#
# Needs Rust 1.96 with the target wasm32-wasip1, or the Debian packages rustc-web, rust-web-src and lld; and clang, llvm,
# wasi-libc and `patch`. Intermediate files are in `target`.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
plugins=$(dirname -- "$here")
root=$(dirname -- "$plugins")
cargo_home=${CARGO_HOME:-$HOME/.cargo}
target=wasm32-wasip1
libc=${WASI_LIBRARY:-/usr/lib/wasm32-wasi}
cd -- "$here"

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

crate_file() {
    local file
    for file in "$cargo_home"/registry/cache/*/"$1.crate"; do
        if [ -f "$file" ]; then echo "$file"; fi
    done | head -n 1
}

# Makes the published crates with their patches. Cargo cannot apply patches, and a path in a manifest must exist before
# Cargo starts, so a manifest without such paths makes Cargo fetch them.
sources() {
    local stamp
    stamp=$(cat -- "$here"/*.patch "$here/build.sh" | sha256sum)
    if [ "$(cat target/patched/stamp 2>/dev/null)" = "$stamp" ]; then return; fi
    if [ -z "$(crate_file rquickjs-sys-0.14.0)" ] || [ -z "$(crate_file oxc_parser-0.146.0)" ]; then
        mkdir -p target/fetch/src
        : > target/fetch/src/lib.rs
        printf '[package]\nname = "fetch"\nedition = "2024"\n[workspace]\n[dependencies]\n%s\n%s\n' \
            'rquickjs-sys = "=0.14.0"' 'oxc_parser = "=0.146.0"' > target/fetch/Cargo.toml
        cargo fetch --quiet --manifest-path target/fetch/Cargo.toml
    fi
    rm -rf target/patched
    mkdir -p target/patched
    patched rquickjs-sys 0.14.0 cee271d0eeba64f0915b846cb7ae02e16faf3dfdffdca91731101d9d30fe3423 quickjs.patch
    patched oxc_parser 0.146.0 311c29dfdf55ea8bf065cf300b3d0dca5fe1c0fb8059c9ba70a6c98cce75306e oxc.patch
    # Its build script names no files, so Cargo would not compile them again.
    touch target/patched/rquickjs-sys/build.rs
    printf '%s\n' "$stamp" > target/patched/stamp
}

# Unpacks a crate of a name, a version and a checksum, and applies a patch.
patched() {
    local file
    file=$(crate_file "$1-$2")
    printf '%s  %s\n' "$3" "$file" | sha256sum --check --quiet || fail "$1-$2 is not the published crate"
    tar -xzf "$file" -C target/patched
    mv -- "target/patched/$1-$2" "target/patched/$1"
    # Its lints are for its authors.
    sed -i '/^\[lints/,$d' "target/patched/$1/Cargo.toml"
    patch --quiet --strip=1 --directory=target/patched < "$4"
}

has_target() {
    [ -d "$("${RUSTC:-rustc}" --print sysroot)/lib/rustlib/$target/lib" ]
}

find_linker() {
    local linker
    for linker in wasm-ld wasm-ld-22 wasm-ld-21 wasm-ld-20 wasm-ld-19; do
        if command -v "$linker"; then return; fi
    done
    fail "no wasm-ld; hint: install lld, or \`rustup target add $target\`"
}

# Chooses the C compiler, and sets `c_compiler` to its version for the record.
find_c_compiler() {
    local version
    for version in "" -22 -21 -20 -19; do
        if command -v "clang$version" > /dev/null && command -v "llvm-ar$version" > /dev/null; then
            export CC_wasm32_wasip1=clang$version AR_wasm32_wasip1=llvm-ar$version
            # The crate would download a compiler of its own.
            export RQUICKJS_SYS_NO_WASI_SDK=1
            export CFLAGS_wasm32_wasip1="-O2 -isystem ${WASI_HEADERS:-/usr/include/wasm32-wasi} -ffile-prefix-map=$here=/javascript"
            c_compiler=$("clang$version" --version | head -n 1)
            [ -f "$libc/libc.a" ] || fail "no WASI libc; hint: install wasi-libc, or set WASI_HEADERS and WASI_LIBRARY"
            return
        fi
    done
    fail "no clang 19 or later with llvm-ar; hint: install clang-19 and llvm-19"
}

# Compiles to a core module. Sets `module` and `compiler`.
compile() {
    local flags=() arguments=() source sysroot
    flags+=("--remap-path-prefix=$root=/mitt")
    for source in "$cargo_home"/registry/src/*/; do flags+=("--remap-path-prefix=${source%/}=/registry"); done
    # Parser and interpreter are recursive, and report an error before this stack is full (`STACK_BYTES` in `engine.rs`).
    flags+=(-Clink-arg=-zstack-size=2097152)
    if has_target; then
        flags+=("--remap-path-prefix=$("${RUSTC:-rustc}" --print sysroot)=/rust")
        # A library with state must run its constructors once, not for each call.
        flags+=(-Clink-arg=--export=_initialize)
    else
        export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
        sysroot=$("$RUSTC" --print sysroot)
        [ -d "$sysroot/lib/rustlib/src/rust/library" ] ||
            fail "target $target is not installed; hint: \`rustup target add $target\`, or install rust-web-src"
        arguments+=(-Zbuild-std=std,panic_abort)
        flags+=("--remap-path-prefix=$(cd "$sysroot/lib/rustlib/src/rust" && pwd -P)=/rust")
        flags+=("--remap-path-prefix=$sysroot/lib/rustlib/src/rust=/rust")
        [ -f "$libc/crt1-reactor.o" ] || fail "no WASI libc; hint: install wasi-libc"
        flags+=("-Clinker=$(find_linker)" -Clink-self-contained=no "-Lnative=$libc")
        flags+=("-Clink-arg=$libc/crt1-reactor.o" -Clink-arg=--export=_initialize)
    fi
    find_c_compiler
    local IFS=$'\x1f'
    CARGO_ENCODED_RUSTFLAGS="${flags[*]}" CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$here/target/wasm \
        cargo build --locked --release --package javascript --target "$target" ${arguments[@]+"${arguments[@]}"}
    compiler="$("${RUSTC:-rustc}" --version); $c_compiler"
    module=$here/target/wasm/$target/release/javascript.wasm
}

sources
if [ "${1:-}" = --sources ]; then exit; fi
compile
unset RUSTC RUSTC_BOOTSTRAP
# The prelude is compiled here once instead of in every instance.
initialized=$here/target/initialized.wasm
cargo run --locked --quiet --package initialize -- "$module" "$initialized"
cd -- "$plugins"
cargo run --locked --quiet --package mitt-pack -- \
    module javascript "$initialized" --target "$target" --rustc "$compiler" --zstd
