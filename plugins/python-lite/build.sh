#!/usr/bin/env bash
# Builds the engine python-lite: `skills/python-lite/python-lite.wasm.zst` and its `build.json`.
# `plugins/build.sh python-lite` runs it too.
#
#   plugins/python-lite/build.sh             # the component
#   plugins/python-lite/build.sh --sources   # only monty with its patch, for `cargo test` in this folder
#
# Needs Rust 1.96 with the target wasm32-wasip1, or the Debian packages rustc-web, rust-web-src, wasi-libc and lld, and
# `patch`. Intermediate files are in `target`.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
plugins=$(dirname -- "$here")
root=$(dirname -- "$plugins")
cargo_home=${CARGO_HOME:-$HOME/.cargo}
target=wasm32-wasip1
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

# Makes the published crates with `monty.patch`. Cargo cannot apply patches, and a path in a manifest must exist before
# Cargo starts, so a manifest without that path makes Cargo fetch them.
sources() {
    local crate file stamp
    stamp=$(cat -- "$here/monty.patch" "$here/build.sh" | sha256sum)
    if [ "$(cat target/patched/stamp 2>/dev/null)" = "$stamp" ]; then return; fi
    if [ -z "$(crate_file monty-1.4.0)" ] || [ -z "$(crate_file monty-types-1.4.0)" ]; then
        mkdir -p target/fetch/src
        : > target/fetch/src/lib.rs
        printf '[package]\nname = "fetch"\nedition = "2024"\n[workspace]\n[dependencies]\nmonty = "=1.4.0"\nmonty-types = "=1.4.0"\n' \
            > target/fetch/Cargo.toml
        cargo fetch --quiet --manifest-path target/fetch/Cargo.toml
    fi
    rm -rf target/patched
    mkdir -p target/patched
    while read -r crate sum; do
        file=$(crate_file "$crate-1.4.0")
        printf '%s  %s\n' "$sum" "$file" | sha256sum --check --quiet || fail "$crate-1.4.0 is not the published crate"
        tar -xzf "$file" -C target/patched
        mv -- "target/patched/$crate-1.4.0" "target/patched/$crate"
        # Tests and their cases are not needed for a build.
        rm -rf -- "target/patched/$crate/tests" "target/patched/$crate/test_cases"
    done <<'CRATES'
monty b7d354901f6d6655e6bc3826f31c035417025253d7c3f7b3ef1519f681dd3469
monty-types 560e0f529ceb10575efb25dabc95d41e9de0f5036fbb46f02c2ac03d83dc89e3
CRATES
    patch --quiet --strip=1 --directory=target/patched < monty.patch
    printf '%s\n' "$stamp" > target/patched/stamp
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

# Compiles to a core module. Sets `module` and `compiler`.
compile() {
    local flags=() arguments=() source sysroot libc=/usr/lib/wasm32-wasi
    flags+=("--remap-path-prefix=$root=/mitt")
    for source in "$cargo_home"/registry/src/*/; do flags+=("--remap-path-prefix=${source%/}=/registry"); done
    # Parser and interpreter are recursive. Monty counts their depth and reports an error before this stack is full.
    flags+=(-Clink-arg=-zstack-size=8388608)
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
    local IFS=$'\x1f'
    CARGO_ENCODED_RUSTFLAGS="${flags[*]}" CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$here/target/wasm \
        cargo build --locked --release --target "$target" ${arguments[@]+"${arguments[@]}"}
    compiler=$("${RUSTC:-rustc}" --version)
    module=$here/target/wasm/$target/release/python_lite.wasm
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
    module python-lite "$initialized" --target "$target" --rustc "$compiler" --zstd
