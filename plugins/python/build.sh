#!/usr/bin/env bash
# Builds the Python plugin: `skills/python/python.wasm.zst` and its `build.json`. `plugins/build.sh python` runs it too.
#
# Needs python3 (3.9 or later) with venv and pip, and Cargo for the packaging step. Intermediate files are in
# `plugins/target`.
set -euo pipefail

here=$(cd -- "$(dirname -- "${BASH_SOURCE[0]}")" && pwd -P)
plugins=$(dirname -- "$here")
work=$plugins/target/python
venv=$work/venv
mkdir -p -- "$work"

# Recreated when the pinned versions change.
if ! cmp -s -- "$here/requirements.txt" "$venv/requirements.txt"; then
    rm -rf -- "$venv"
    python3 -m venv -- "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check --no-deps --require-hashes --only-binary=:all: \
        --requirement "$here/requirements.txt"
    cp -- "$here/requirements.txt" "$venv/requirements.txt"
fi

# A folder with only what the component imports: without the tests, and without caches in the sources.
rm -rf -- "$work/path"
mkdir -- "$work/path"
cp -R -- "$here/app.py" "$here/library.py" "$here/mitt" "$work/path/"
cp -R -- "$("$venv/bin/python" -c 'import pathlib, tzdata; print(pathlib.Path(tzdata.__file__).parent)')" "$work/path/"
find "$work/path" -name __pycache__ -prune -exec rm -rf -- {} +

# Without VIRTUAL_ENV, no other folder of the machine is searched. `--stub-wasi` is not used, because clock and random
# numbers come from the host at run time.
env -u VIRTUAL_ENV "$venv/bin/componentize-py" --quiet --wit-path "$plugins/../wit" \
    --world mitt:host/script-engine componentize --python-path "$work/path" --output "$work/python.wasm" app

# The tests use native Python and no result of the steps above. They run here so that no broken build is packed, in their
# own folder, because Python would find the folders of the other plugins as packages elsewhere.
(cd -- "$here" && python3 -B -m unittest discover --quiet --start-directory tests)

version=$("$venv/bin/componentize-py" --version)
cd -- "$plugins"
cargo run --locked --quiet --package mitt-pack -- \
    component python "$work/python.wasm" --target wasm32-wasip2 --toolchain "$version" --zstd
