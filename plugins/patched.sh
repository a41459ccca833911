#!/usr/bin/env bash
# Makes `plugins/target/patched/unpdf`, a dependency of `reader-pdf`: the published crate with `reader-pdf/unpdf.patch`.
#
#   plugins/patched.sh   # does nothing if the folder is up to date
#
# Cargo cannot apply patches, and a path in a manifest must exist before Cargo starts. `plugins/build.sh` runs this script
# first; run it once before `cargo test` in `plugins`. Needs `patch`.
set -euo pipefail

plugins=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
crate=unpdf
version=0.52.1
sum=3fc1c31f4705732733fe63147d21b7246f383c440c1684423ac14ceb83b52a98
cd -- "$plugins"

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

crate_file() {
    local file
    for file in "$cargo_home"/registry/cache/*/"$crate-$version.crate"; do
        if [ -f "$file" ]; then echo "$file"; fi
    done | head -n 1
}

stamp=$(cat -- reader-pdf/unpdf.patch patched.sh | sha256sum)
if [ "$(cat target/patched/stamp 2>/dev/null)" = "$stamp" ]; then exit; fi
if [ -z "$(crate_file)" ]; then
    # A manifest without the path makes Cargo fetch the crate.
    mkdir -p target/fetch/src
    : > target/fetch/src/lib.rs
    printf '[package]\nname = "fetch"\nedition = "2024"\n[workspace]\n[dependencies]\n%s = { version = "=%s", default-features = false }\n' "$crate" "$version" > target/fetch/Cargo.toml
    cargo fetch --quiet --manifest-path target/fetch/Cargo.toml
fi
file=$(crate_file)
printf '%s  %s\n' "$sum" "$file" | sha256sum --check --quiet || fail "$crate-$version is not the published crate"
# Made in another folder and moved, so that no other process finds a partial one.
made=target/patched.$$
mkdir -p "$made"
tar -xzf "$file" -C "$made"
mv -- "$made/$crate-$version" "$made/$crate"
patch --quiet --strip=1 --directory="$made/$crate" < reader-pdf/unpdf.patch
printf '%s\n' "$stamp" > "$made/stamp"
rm -rf target/patched
mv -- "$made" target/patched
