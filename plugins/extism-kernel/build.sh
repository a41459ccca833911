#!/usr/bin/env bash
# Builds the kernel of Extism plug-ins: `src/engine/compile/extism/kernel.wasm`, and `build.json` beside this script.
# `plugins/build.sh extism-kernel` runs it too. It uses the rustup target if that is installed, otherwise the Debian packages
# rustc-web, rust-web-src and lld. It needs no registry, because the kernel has no dependencies.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
root=$(dirname -- "$(dirname -- "$here")")
target=wasm32-unknown-unknown
# A stack of 16 KiB suffices, because calls are nested only a few levels.
flags=("--remap-path-prefix=$root=/mitt" -Clink-arg=--export-table -Clink-arg=--growable-table -Clink-arg=-zstack-size=16384)
arguments=()
if [ ! -d "$("${RUSTC:-rustc}" --print sysroot)/lib/rustlib/$target/lib" ]; then
    export RUSTC=/usr/bin/rustc RUSTC_BOOTSTRAP=1
    arguments+=(-Zbuild-std=core)
    linker=$(command -v wasm-ld || command -v wasm-ld-22 || command -v wasm-ld-21 || command -v wasm-ld-20)
    flags+=("-Clinker=$linker" "--remap-path-prefix=$("$RUSTC" --print sysroot)/lib/rustlib/src/rust=/rust")
fi
cd -- "$here/kernel"
IFS=$'\x1f'
CARGO_ENCODED_RUSTFLAGS="${flags[*]}" CARGO_INCREMENTAL=0 CARGO_TARGET_DIR=$root/plugins/target/extism-kernel \
    cargo build --locked --release --target "$target" ${arguments[@]+"${arguments[@]}"}
compiler=$("${RUSTC:-rustc}" --version)
made=$root/src/engine/compile/extism/kernel.wasm
cp -- "$root/plugins/target/extism-kernel/$target/release/extism_kernel.wasm" "$made"
sum() { sha256sum -- "$1" | cut -d' ' -f1; }
printf '{\n  "source_sha256": "%s",\n  "module_sha256": "%s",\n  "rustc": "%s"\n}\n' \
    "$(cat src/blocks.rs src/env.rs src/host.rs src/lib.rs src/wasi.rs | sha256sum | cut -d' ' -f1)" "$(sum "$made")" "$compiler" >"$here/build.json"
printf '%s: %s bytes\n' extism-kernel "$(wc -c <"$made")"
