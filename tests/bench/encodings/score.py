#!/usr/bin/env python3
"""How many texts in old and new encodings are decoded right, beside markitdown and charset-normalizer.

    pip install markitdown charset-normalizer
    cargo build -p mitt-text --release --example encodings
    tests/bench/encodings/score.py target/release/examples/encodings FOLDER...

A FOLDER holds folders that are named after an encoding: `cp850-german`, `iso-8859-2-czech`. `make.py` writes such; the tests of
chardet are such. The truth of a file is `FILE.truth` beside it in UTF-8, otherwise what Python or `iconv` makes of the named encoding.

A text is right if it is the truth, letter by letter: composed (NFC), with `\\n` at ends of lines and without other control characters.
The name of the encoding is not compared. Options: `--files` prints each wrong file, `--without-peers` compares nothing.
"""

import re
import subprocess
import sys
import unicodedata
from collections import Counter
from pathlib import Path

# Of the name of a folder, what Python calls it.
NAMES = {"maccyrillic": "mac_cyrillic", "macroman": "mac_roman", "ibm855": "cp855", "ibm866": "cp866", "tis-620": "iso8859_11"}
# Parts of a name that belong to the encoding; the language stands behind them.
ENCODING = re.compile(r"(iso-8859-\d+|windows-\d+|utf-8-sig|utf-(?:8|16|32)(?:[lb]e)?|iso-2022-\w+|euc-\w+|koi8-\w+|tis-620|gb\d+|[^-]+)", re.I)


# What one character of an East Asian set is, in the mappings of browsers and of others.
# And Romanian is the same in bytes, with a cedilla in one page and a comma in another.
SAME = str.maketrans("～∼－∥￠￡￢∕﹑șțȘȚ", "〜〜−‖¢£¬／､şţŞŢ")


def normal(text):
    text = unicodedata.normalize("NFC", text.translate(SAME).replace("\r\n", "\n").replace("\r", "\n").replace("\x85", "\n"))
    return "".join(c for c in text if c in "\n\t" or (unicodedata.category(c) != "Cc" and c != "\ufeff"))


def decoded(data, encoding):
    try:
        return data.decode(encoding)
    except (LookupError, UnicodeDecodeError):
        pass
    try:
        # Converters of Python know less than those of the C library.
        return subprocess.run(["iconv", "-f", encoding, "-t", "UTF-8"], input=data, capture_output=True, check=True).stdout.decode()
    except (subprocess.CalledProcessError, UnicodeDecodeError):
        return None


def truth(path):
    beside = path.with_name(path.name + ".truth")
    if beside.exists():
        return normal(beside.read_bytes().decode())
    encoding = NAMES.get(path.parent.name.lower(), ENCODING.match(path.parent.name)[1])
    # What is called so often is the wider encoding.
    wider = {"gb2312": "gb18030", "euc-kr": "cp949", "shift_jis": "cp932", "iso-8859-1": "cp1252", "big5": "big5hkscs"}
    text = decoded(path.read_bytes(), wider.get(encoding.lower(), encoding))
    return None if text is None else normal(text)


def ours(program, paths):
    names = "".join(f"{path}\n" for path in paths)
    parts = subprocess.run([program], input=names.encode(), capture_output=True, check=True).stdout.decode().split("\0")
    return {name: (normal(text), warning) for name, warning, text in zip(parts[::3], parts[1::3], parts[2::3])}


def peers():
    """Other programs by name, if they are installed: each makes a text of a path."""
    found = {}
    try:
        from charset_normalizer import from_bytes

        found["charset-normalizer"] = lambda path: str(from_bytes(path.read_bytes()).best())
    except ImportError:
        print("charset-normalizer is not compared: it is not installed")
    try:
        from markitdown import MarkItDown, StreamInfo

        program = MarkItDown(enable_plugins=False)

        def convert(path):
            with path.open("rb") as stream:
                return program.convert_stream(stream, stream_info=StreamInfo(extension=".txt", mimetype="text/plain")).markdown

        found["markitdown"] = convert
    except ImportError:
        print("markitdown is not compared: it is not installed")
    return found


def main():
    options = {argument for argument in sys.argv[1:] if argument.startswith("--")}
    program, *folders = (argument for argument in sys.argv[1:] if not argument.startswith("--"))
    paths = [p for f in folders for p in sorted(Path(f).glob("*/*")) if p.is_file() and p.suffix not in (".truth", ".py")]
    wanted = {path: truth(path) for path in paths}
    unknown = [path for path in paths if wanted[path] is None]
    paths = [path for path in paths if wanted[path] is not None]
    if not paths:
        print(f"skipped: there are no texts in {' '.join(folders)}")
        return
    if unknown:
        print(f"{len(unknown)} texts have no truth: {' '.join(sorted({path.parent.name for path in unknown}))}")
    texts = ours(program, paths)
    right, by_encoding = Counter(), {}
    others = {} if "--without-peers" in options else peers()
    for path in paths:
        results = {"mitt": texts[str(path)][0] == wanted[path]}
        for name, convert in others.items():
            try:
                # Blanks at the end are no matter of encodings.
                results[name] = normal(convert(path)).strip() == wanted[path].strip()
            except Exception:
                results[name] = False
        counts = by_encoding.setdefault(ENCODING.match(path.parent.name)[1], Counter())
        counts["all"] += 1
        for name, is_right in results.items():
            right[name] += is_right
            counts[name] += is_right
        if "--files" in options and not results["mitt"]:
            wrong = next((f"{a}{b}" for a, b in zip(texts[str(path)][0], wanted[path]) if a != b), "length")
            print(f"{path}: {texts[str(path)][1][:90]} [{wrong}]")
    names = ["mitt", *others]
    for encoding, counts in sorted(by_encoding.items()):
        print(f"{encoding:16}", "  ".join(f"{name} {counts[name]:3}" for name in names), f"  of {counts['all']}")
    print("all             ", "  ".join(f"{name} {right[name]} ({right[name] / len(paths):.3f})" for name in names), f"  of {len(paths)}")


if __name__ == "__main__":
    main()
