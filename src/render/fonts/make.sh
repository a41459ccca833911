#!/bin/sh
# Makes the bundled fonts beside this script: static Noto faces, cut down to the characters that reports use, packed
# with zstd. Needs npm, Python with pip and Cargo (the monospaced face comes from the crate typst-assets). The same package versions give the same bytes; their digests are printed.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

# A Python that has the two packages already may be given: PYTHON=... make.sh
if [ -z "${PYTHON:-}" ]; then
    python3 -m venv venv
    PYTHON=$work/venv/bin/python
    "$PYTHON" -m pip install --quiet fonttools==4.68.0 zstandard==0.25.0
fi

for package in noto-sans-sc@0.4.3 noto-sans@0.4.2; do
    archive=$(npm pack --silent "@expo-google-fonts/$package")
    mkdir "${package%@*}"
    tar xzf "$archive" -C "${package%@*}" --strip-components=1
done

cat >cut.py <<'PYTHON'
"""Cuts one face down and packs it: cut.py SET FACE TARGET."""
import sys
import zstandard
from fontTools import subset

CODECS = {"chinese": ("gbk", "gb2312", "big5", "cp950"), "latin": ("latin-1",), "mono": ("latin-1",)}
RANGES = {
    # Latin to Cyrillic, punctuation to box drawing and symbols, kana and bopomofo, CJK symbols, full width.
    "chinese": [(0x20, 0x52F), (0x1E00, 0x1EFF), (0x2000, 0x2BFF), (0x2E80, 0x2FDF), (0x3000, 0x33FF),
                (0xFE10, 0xFE6F), (0xFF00, 0xFFEF)],
    "latin": [(0x20, 0x52F), (0x1E00, 0x1FFF), (0x2000, 0x215F), (0x2C60, 0x2C7F), (0xA720, 0xA7FF), (0xFB00, 0xFB06)],
    # Latin to Cyrillic, punctuation, arrows, mathematical signs, box drawing, symbols.
    "mono": [(0x20, 0x52F), (0x1E00, 0x1EFF), (0x2000, 0x2BFF), (0xFB01, 0xFB02)],
}


def characters(name):
    chosen = set()
    for first, last in RANGES[name]:
        chosen.update(range(first, last + 1))
    for codec in CODECS[name]:
        for point in range(0x80, 0x10000):
            try:
                chr(point).encode(codec)
            except UnicodeEncodeError:
                continue
            chosen.add(point)
    # Surrogates are no characters, and a private character would hide a hole in the text.
    return {point for point in chosen if not 0xD800 <= point <= 0xF8FF}


def main(name, face, target):
    options = subset.Options()
    options.hinting = False
    options.notdef_outline = True
    options.recalc_timestamp = False
    # What a typesetter of horizontal text applies by default.
    options.layout_features = ["ccmp", "locl", "mark", "mkmk", "kern", "liga", "calt", "clig", "rlig"]
    font = subset.load_font(face, options)
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=characters(name))
    cutter.subset(font)
    raw = target.removesuffix(".zst")
    subset.save_font(font, raw, options)
    with open(raw, "rb") as source, open(target, "wb") as packed:
        packed.write(zstandard.ZstdCompressor(level=19, write_checksum=True).compress(source.read()))


main(*sys.argv[1:])
PYTHON

"$PYTHON" cut.py chinese noto-sans-sc/400Regular/NotoSansSC_400Regular.ttf NotoSansSC-Regular.ttf.zst
"$PYTHON" cut.py chinese noto-sans-sc/700Bold/NotoSansSC_700Bold.ttf NotoSansSC-Bold.ttf.zst
"$PYTHON" cut.py latin noto-sans/400Regular/NotoSans_400Regular.ttf NotoSans-Regular.ttf.zst
"$PYTHON" cut.py latin noto-sans/700Bold/NotoSans_700Bold.ttf NotoSans-Bold.ttf.zst
"$PYTHON" cut.py latin noto-sans/400Regular_Italic/NotoSans_400Regular_Italic.ttf NotoSans-Italic.ttf.zst
"$PYTHON" cut.py latin noto-sans/700Bold_Italic/NotoSans_700Bold_Italic.ttf NotoSans-BoldItalic.ttf.zst

# The same package as in the workspace's Cargo.lock.
cargo new --quiet --vcs none assets
(cd assets && cargo add --quiet typst-assets@0.15.1 --features fonts && cargo fetch --quiet)
mono=$(ls -d "${CARGO_HOME:-$HOME/.cargo}"/registry/src/*/typst-assets-0.15.1 | head -1)
"$PYTHON" cut.py mono "$mono/files/fonts/DejaVuSansMono.ttf" DejaVuSansMono.ttf.zst
sed -n '/^\* DejaVu fonts in/,/^TeX Gyre DJV/{/^TeX Gyre DJV/!p}' "$mono/NOTICE" >"$here/LICENSE-DejaVu.txt"

cp noto-sans-sc/LICENSE_FONT "$here/LICENSE-NotoSansSC.txt"
cp noto-sans/LICENSE_FONT "$here/LICENSE-NotoSans.txt"
mv ./*.ttf.zst "$here/"
cd "$here"
sha256sum ./*.ttf.zst
