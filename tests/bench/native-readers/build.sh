#!/bin/sh
# Builds the readers without their sandbox and prints where the program is, for `MITT_NATIVE_READERS`.
set -eu
cd "$(dirname "$0")"
../../../plugins/patched.sh
# The same versions as in the components.
cp ../../../plugins/Cargo.lock Cargo.lock
cargo build --release --target-dir ../../../target/native-readers
echo "$(cd ../../../target/native-readers/release && pwd)/native-readers"
