#!/usr/bin/env bash
# Makes the libraries in `plugins/target/patched`, which readers depend on: published crates with the patches beside the readers.
#
#   plugins/patched.sh   # does nothing if the folder is up to date
#
# Cargo cannot apply patches, and a path in a manifest must exist before Cargo starts. `plugins/build.sh` runs this script
# first; run it once before `cargo test` in `plugins`. Needs `patch`.
set -euo pipefail

plugins=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
cargo_home=${CARGO_HOME:-$HOME/.cargo}
cd -- "$plugins"

# Crate, version, SHA-256 of its file in the registry, and the reader that has the patch.
crates=(
    "office_oxide 0.1.16 96174357b389a992d7864db7a7a10a1254b82716cdfc40bee54f1da1234291bf reader-office"
    "unpdf 0.52.1 3fc1c31f4705732733fe63147d21b7246f383c440c1684423ac14ceb83b52a98 reader-pdf"
)

fail() {
    printf 'error: %s\n' "$1" >&2
    exit 1
}

# Prints the file of a crate, if Cargo has fetched it.
crate_file() {
    local file
    for file in "$cargo_home"/registry/cache/*/"$1-$2.crate"; do
        if [ -f "$file" ]; then echo "$file"; fi
    done | head -n 1
}

# Makes a folder of this process have a patched crate.
patch_crate() {
    local crate=$1 version=$2 sum=$3 reader=$4 file
    if [ -z "$(crate_file "$crate" "$version")" ]; then
        # A manifest without the path makes Cargo fetch the crate.
        mkdir -p target/fetch/src
        : > target/fetch/src/lib.rs
        printf '[package]\nname = "fetch"\nedition = "2024"\n[workspace]\n[dependencies]\n%s = { version = "=%s", default-features = false }\n' "$crate" "$version" > target/fetch/Cargo.toml
        cargo fetch --quiet --manifest-path target/fetch/Cargo.toml
    fi
    file=$(crate_file "$crate" "$version")
    printf '%s  %s\n' "$sum" "$file" | sha256sum --check --quiet || fail "$crate-$version is not the published crate"
    tar -xzf "$file" -C "$made"
    mv -- "$made/$crate-$version" "$made/$crate"
    patch --quiet --strip=1 --directory="$made/$crate" < "$reader/$crate.patch"
}

stamp=$(cat -- reader-office/office_oxide.patch reader-pdf/unpdf.patch patched.sh | sha256sum)
if [ "$(cat target/patched/stamp 2>/dev/null)" = "$stamp" ]; then exit; fi
# Made in another folder and moved, so that no other process finds a partial one.
made=target/patched.$$
mkdir -p "$made"
for entry in "${crates[@]}"; do
    read -r crate version sum reader <<< "$entry"
    patch_crate "$crate" "$version" "$sum" "$reader"
done
printf '%s\n' "$stamp" > "$made/stamp"
rm -rf target/patched
mv -- "$made" target/patched
