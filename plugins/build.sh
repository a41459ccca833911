#!/usr/bin/env bash
# Builds the committed components: all, or those named. Users never need this.
#
#   plugins/build.sh                     # all
#   plugins/build.sh excel-tool report   # some
#
# It uses the rustup target if that is installed, otherwise the Debian packages rustc-web, rust-web-src, wasi-libc and lld
# (the standard library is then compiled for the target on the first run). `sql-tool` and `reader-table` contain C, and need
# clang, llvm and wasi-libc. `reader-pdf` needs `patch` (`patched.sh`).
#
# The result depends on the sources and on the compiler named in `build.json`, not on the machine, the folder or the time:
# paths are remapped, versions are locked, and optional tools such as wasm-opt are not used.
set -euo pipefail

plugins=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=$(dirname -- "$plugins")
cd -- "$plugins"
cargo_home=${CARGO_HOME:-$HOME/.cargo}
# Arrow's hash tables have a random seed from compile time (crate `const-random`), which is fixed here.
export CONST_RANDOM_SEED=mitt
# Separate from the folder of native builds, because the two compilers would discard each other's results.
target_dir=$plugins/target/wasm

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

# Lists the plugins: folders that are compiled to a library of their own.
all_plugins() {
    local manifest
    for manifest in */Cargo.toml; do
        if grep -q '"cdylib"' "$manifest" && [ ! -f "${manifest%Cargo.toml}build.sh" ]; then dirname -- "$manifest"; fi
    done
    # These have their own scripts.
    dirname -- */build.sh
}

# Prints the target of a plugin. Readers and `pdf-tool`, which reads fonts with the same crate, use crates that need a libc and
# a clock. All others get a target without them, so that their components import of WASI only what their world names.
target_of() {
    case $1 in
        reader-* | pdf-tool) echo wasm32-wasip1 ;;
        *) echo wasm32-unknown-unknown ;;
    esac
}

has_target() {
    [ -d "$("${RUSTC:-rustc}" --print sysroot)/lib/rustlib/$1/lib" ]
}

find_linker() {
    local linker
    for linker in wasm-ld wasm-ld-22 wasm-ld-21 wasm-ld-20 wasm-ld-19; do
        if command -v "$linker"; then return; fi
    done
    fail "no wasm-ld; hint: install lld, or \`rustup target add $1\`"
}

# Chooses the C compiler, and sets `c_compiler` to its version for the record.
find_c_compiler() {
    local version
    for version in "" -22 -21 -20 -19; do
        if command -v "clang$version" > /dev/null && command -v "llvm-ar$version" > /dev/null; then
            export CC_wasm32_wasip1=clang$version AR_wasm32_wasip1=llvm-ar$version
            export CFLAGS_wasm32_wasip1="-isystem ${WASI_HEADERS:-/usr/include/wasm32-wasi}"
            c_compiler=$("clang$version" --version | head -n 1)
            [ -f "${WASI_LIBRARY:-/usr/lib/wasm32-wasi}/libc.a" ] ||
                fail "no WASI libc; hint: install wasi-libc, or set WASI_HEADERS and WASI_LIBRARY"
            return
        fi
    done
    fail "no clang 19 or later with llvm-ar; hint: install clang-19 and llvm-19"
}

# Compiles one plugin to a core module. Sets `module` and `compiler`.
compile() {
    local name=$1 target=$2 flags=() arguments=() source
    flags+=("--remap-path-prefix=$root=/mitt")
    # The folder below `src` is named after the registry.
    for source in "$cargo_home"/registry/src/*/; do flags+=("--remap-path-prefix=${source%/}=/registry"); done
    if has_target "$target"; then
        flags+=("--remap-path-prefix=$("${RUSTC:-rustc}" --print sysroot)=/rust")
    else
        # Any Cargo works, but the compiler must be the one whose library sources are installed.
        export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
        [ -d "$("$RUSTC" --print sysroot)/lib/rustlib/src/rust/library" ] ||
            fail "target $target is not installed; hint: \`rustup target add $target\`, or install rust-web-src"
        arguments+=(-Zbuild-std=std,panic_abort)
        flags+=("--remap-path-prefix=$(cd "$("$RUSTC" --print sysroot)/lib/rustlib/src/rust" && pwd -P)=/rust")
        flags+=("--remap-path-prefix=$("$RUSTC" --print sysroot)/lib/rustlib/src/rust=/rust")
        flags+=("-Clinker=$(find_linker "$target")")
        if [ "$target" = wasm32-wasip1 ]; then
            local libc=/usr/lib/wasm32-wasi
            [ -f "$libc/crt1-reactor.o" ] || fail "no WASI libc; hint: install wasi-libc"
            flags+=(-Clink-self-contained=no "-Lnative=$libc")
            flags+=("-Clink-arg=$libc/crt1-reactor.o" -Clink-arg=--export=_initialize)
        fi
    fi
    # A plugin's own optimisation settings are beside its sources, so that their hash includes them.
    if [ -f "$name/release.toml" ]; then arguments+=(--config "$name/release.toml"); fi
    local c_compiler=
    case $name in
        # SQLite, and the decompressor of zstd.
        sql-tool | reader-table) find_c_compiler ;;
    esac
    # They search, and draw, sixteen bytes at a time.
    if [ "$name" = reader-text ] || [ "$name" = page-pictures ]; then flags+=(-Ctarget-feature=+simd128); fi
    local IFS=$'\x1f'
    CARGO_ENCODED_RUSTFLAGS="${flags[*]}" CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$target_dir \
        cargo build --locked --release --package "$name" --target "$target" ${arguments[@]+"${arguments[@]}"}
    compiler=$("${RUSTC:-rustc}" --version)${c_compiler:+; $c_compiler}
    module=$target_dir/$target/release/${name//-/_}.wasm
}

build() {
    local name=$1 target
    if [ -f "$name/build.sh" ]; then
        "$name/build.sh"
        return
    fi
    [ -f "$name/Cargo.toml" ] || fail "no plugin \`$name\`; there are: $(all_plugins | paste -sd' ')"
    target=$(target_of "$name")
    # In a subshell, because the exported compiler must not affect the next step.
    (
        compile "$name" "$target"
        unset RUSTC RUSTC_BOOTSTRAP
        packed=()
        # The large ones are embedded in the program, which decompresses one when it compiles it.
        case $name in reader-* | deck-tool | document-tool | docx-tool | mail-tool | page-pictures | pdf-tool | redact-tool | sheet-tool | sql-tool | table-tool) packed=(--zstd) ;; esac
        cargo run --locked --quiet --package mitt-pack -- module "$name" "$module" --target "$target" --rustc "$compiler" ${packed[@]+"${packed[@]}"}
    )
}

./patched.sh
if [ $# -eq 0 ]; then mapfile -t names < <(all_plugins); else names=("$@"); fi
for name in "${names[@]}"; do build "$name"; done
