#!/bin/sh
# Takes the table of traditional characters beside this script out of the crate that ships it, with line ends of Unix. Needs
# cargo.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

cargo init --quiet --vcs none --name take
cargo add --quiet ferrous-opencc@=0.4.0
cargo vendor --quiet vendor >/dev/null
tr -d '\r' <vendor/ferrous-opencc/assets/dictionaries/TSCharacters.txt >"$here/TSCharacters.txt"
sha256sum "$here/TSCharacters.txt"
