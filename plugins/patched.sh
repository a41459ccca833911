#!/usr/bin/env bash
# Make `plugins/target/patched/unpdf`: the published crate with `reader-pdf/unpdf.patch`, which `reader-pdf` is built with.
#
#   plugins/patched.sh   # does nothing if it is there already
#
# Cargo has no patches of its own, and a path that a manifest names has to exist before Cargo starts. `plugins/build.sh` runs
# this script first; before `cargo test` in `plugins` run it once. Needs `patch`.
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
    # A manifest without the path fetches the crate.
    mkdir -p target/fetch/src
    : > target/fetch/src/lib.rs
    printf '[package]\nname = "fetch"\nedition = "2024"\n[workspace]\n[dependencies]\n%s = { version = "=%s", default-features = false }\n' "$crate" "$version" > target/fetch/Cargo.toml
    cargo fetch --quiet --manifest-path target/fetch/Cargo.toml
fi
file=$(crate_file)
printf '%s  %s\n' "$sum" "$file" | sha256sum --check --quiet || fail "$crate-$version is not the published crate"
# Made beside its place and moved there, so that nobody finds half of it.
made=target/patched.$$
mkdir -p "$made"
tar -xzf "$file" -C "$made"
mv -- "$made/$crate-$version" "$made/$crate"
patch --quiet --strip=1 --directory="$made/$crate" < reader-pdf/unpdf.patch
printf '%s\n' "$stamp" > "$made/stamp"
rm -rf target/patched
mv -- "$made" target/patched
