#!/usr/bin/env python3
"""Prints what the full program is made of: code, plugins, fonts, other data, tables for unwinding and for the loader.

    tests/bench/contents.py [--write] PROGRAM

PROGRAM is a build for Linux, such as that of profile `edge` with all default features, which packages have. Sizes are those of the sections of the file (ELF), without symbols and debug information,
which packages leave out. `--write` writes the table into docs/speed.md and docs/speed.zh-CN.md.
"""

import argparse
import datetime
import lzma
import struct
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/bench"))

import pages  # noqa: E402

# Sections with code.
CODE = {".text", ".init", ".fini", ".plt", ".plt.got"}
# Sections that name the places of cleanup code for panics.
UNWINDING = {".eh_frame", ".eh_frame_hdr", ".gcc_except_table"}
# Sections that the loader reads, or changes by the address of the program.
LOADING = {".rela.dyn", ".relr.dyn", ".data.rel.ro", ".got", ".dynamic", ".dynsym", ".dynstr"}
# Flag of a section that is loaded, and type of one that is not in the file.
ALLOCATED, NO_BITS = 2, 8


def sections(program):
    """Returns the bytes of each section that is loaded, by its name (System V ABI, 64 bits, little endian)."""
    if program[:6] != b"\x7fELF\x02\x01":
        sys.exit("expected an ELF file of 64 bits in little endian")
    (start,) = struct.unpack_from("<Q", program, 0x28)
    size, count, names = struct.unpack_from("<HHH", program, 0x3A)
    headers = [struct.unpack_from("<IIQQQQ", program, start + number * size) for number in range(count)]
    texts = headers[names][4]
    found = {}
    for name, kind, flags, _, offset, length in headers:
        if flags & ALLOCATED and kind != NO_BITS:
            begin = texts + name
            found[program[begin : program.index(b"\0", begin)].decode()] = program[offset : offset + length]
    return found


def bundled(data, patterns):
    """Returns how many bytes of these files are in the data, by their first and last 64 bytes."""
    files = [it for pattern in patterns for it in ROOT.glob(pattern)]
    contents = [it.read_bytes() for it in files]
    return sum(len(it) for it in contents if it[-64:] in data and it[:64] in data)


def main():
    options = argparse.ArgumentParser(description="Prints what the full program is made of.")
    options.add_argument("--write", action="store_true", help="write the table into the pages")
    options.add_argument("program", type=Path)
    options = options.parse_args()
    found = sections(options.program.read_bytes())
    total = sum(len(it) for it in found.values())
    sum_of = lambda names: sum(len(it) for name, it in found.items() if name in names)  # noqa: E731
    code, unwinding, loading = sum_of(CODE), sum_of(UNWINDING), sum_of(LOADING)
    plugins = bundled(found[".rodata"], ["skills/*/*.wasm", "skills/*/*.wasm.zst"])
    fonts = bundled(found[".rodata"], ["src/render/fonts/*.zst"])
    rest = total - code - unwinding - loading - plugins - fonts
    packed = len(lzma.compress(b"".join(found.values()), preset=6))
    rows = [
        ("code", "代码", code),
        ("plugins of the bundled skills, most compressed", "内置技能的插件（大多已压缩）", plugins),
        ("Noto Sans, Noto Sans SC and DejaVu Sans Mono, compressed", "Noto Sans、Noto Sans SC 与 DejaVu Sans Mono（已压缩）", fonts),
        ("other data: fonts of Typst, encodings, tables of Unicode, texts, the page", "其他数据：Typst 的字体、编码、Unicode 表、文本、页面", rest),
        ("tables for unwinding, by which a panic ends one call and not the process", "展开表：使 panic 只结束一次调用而非整个进程", unwinding),
        ("data that the loader reads or changes", "加载器读取或修改的数据", loading),
        ("together", "合计", total),
        ("packed by xz", "xz 压缩后", packed),
    ]
    for name, _, size in rows:
        print(f"{size / 1e6:7.1f} MB  {name}")
    if options.write:
        date = datetime.date.today().isoformat()
        notes = [f"Measured on {date} with `tests/bench/contents.py --write target/edge/mitt` (x86-64).",
                 f"{date} 由 `tests/bench/contents.py --write target/edge/mitt` 实测（x86-64）。"]
        heads = ["| part | size |", "| 部分 | 大小 |"]
        texts = []
        for language in range(2):
            lines = [f"| {row[language]} | {row[2] / 1e6:.1f} MB |" for row in rows]
            texts.append(pages.table(heads[language], lines, notes[language]))
        pages.write("contents", "docs/speed", texts)


if __name__ == "__main__":
    main()
