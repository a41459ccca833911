#!/usr/bin/env python3
"""Measures what each feature adds to the small program: builds of profile `edge`, stripped, for the machine at hand.

    tests/bench/sizes.py [--write] [--check] [SET...]

A set is a list of features, such as `xlsx,docx`; `none` is the program without features. Default: the sets of the table in docs/edge.md.
`--write` writes the table into docs/edge.md and docs/edge.zh-CN.md; rows of other sets stay. `--check` compares with the table and fails if a program has grown by
more than 2 % and `## Unreleased` of CHANGELOG.md does not have the words "size of the small program", or if it is not in the table. The first build takes ten minutes or more on two
processors, each further one two to five.
"""

import argparse
import datetime
import json
import lzma
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/bench"))

import pages  # noqa: E402

PROGRAM = ROOT / "src/cli"
SETS = [
    "none", "xlsx", "xlsx,docx,pdf-compact", "docx", "pdf-compact", "png", "pptx", "fill", "highlight", "lambda,serve,xlsx", "pdf",
    "docx,pptx,xlsx,fill,png,highlight",
]
# Growth that needs a line in the changelog, in percent.
MOST_GROWTH = 2
# Words of this line.
REASON = "size of the small program"


def built(features):
    """Builds the program with features, and returns its path."""
    command = ["cargo", "build", "--quiet", "--profile", "edge", "--no-default-features", "--bin", "mitt", "--message-format",
               "json-render-diagnostics"]
    if features != "none":
        command += ["--features", features]
    done = subprocess.run(command, cwd=PROGRAM, stdout=subprocess.PIPE, text=True, check=True,
                          env={**os.environ, "CARGO_INCREMENTAL": "0"})
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    return next(Path(it["executable"]) for it in messages if it.get("executable"))


def measured(features):
    """Returns the bytes of the program, and its bytes packed by xz."""
    content = built(features).read_bytes()
    return len(content), len(lzma.compress(content, preset=6))


def documented():
    """Returns the bytes of each set in the table of docs/edge.md, and its bytes packed."""
    page = (ROOT / "docs/edge.md").read_text()
    table = page.split("<!-- figures: sizes -->\n")[1].split("<!-- end of sizes -->")[0]
    rows = re.findall(r"^\| (none|`[^|]+`) \| ([0-9.]+) MB \|[^|]*\| ([0-9.]+) MB \|", table, re.M)
    return {row[0].replace("`", "").replace(", ", ","): (float(row[1]) * 1e6, float(row[2]) * 1e6) for row in rows}


def rows(sizes):
    """Returns the lines of the table."""
    base = sizes.get("none", (0, 0))[0]
    for features, (size, packed) in sizes.items():
        name = "none" if features == "none" else ", ".join(f"`{it}`" for it in features.split(","))
        added = f"{(size - base) / 1e6:.1f} MB" if base and features != "none" else "–"
        yield f"| {name} | {size / 1e6:.1f} MB | {added} | {packed / 1e6:.1f} MB |"


def write(sizes):
    all_sizes = {**documented(), **sizes}
    order = [*SETS, *(it for it in all_sizes if it not in SETS)]
    lines = list(rows({it: all_sizes[it] for it in order if it in all_sizes}))
    compiler = subprocess.run(["rustc", "--version"], capture_output=True, text=True, check=True).stdout.split()[1]
    date, kind = datetime.date.today().isoformat(), os.uname().machine.replace("_", "-")
    heads = ["| features | program | more than without features | packed by xz |", "| 功能 | 程序大小 | 比无功能时增加 | xz 压缩后 |"]
    notes = [f"Measured on {date} on {kind} with rustc {compiler} by `tests/bench/sizes.py --write`.",
             f"{date} 由 `tests/bench/sizes.py --write` 实测：{kind}，rustc {compiler}。"]
    pages.write("sizes", "docs/edge", [pages.table(heads[it], lines, notes[it]) for it in range(2)])


def faults(sizes, before):
    """Returns a line for each program that has grown by more than `MOST_GROWTH` percent, or is not in the table."""
    for features, (size, _) in sizes.items():
        if features not in before:
            yield f"{features}: not in the table of docs/edge.md; `--write` writes it"
        elif size > before[features][0] * (1 + MOST_GROWTH / 100):
            yield f"{features}: {size / 1e6:.1f} MB, {before[features][0] / 1e6:.1f} MB in docs/edge.md"


def main():
    options = argparse.ArgumentParser(description="Measures what each feature adds to the small program.")
    options.add_argument("--write", action="store_true", help="write the table into the pages")
    options.add_argument("--check", action="store_true", help="fail if a program has grown without a line in the changelog")
    options.add_argument("sets", nargs="*", default=SETS, metavar="SET", help="lists of features, or `none`")
    options = options.parse_args()
    sizes, before = {}, documented()
    for features in options.sets:
        sizes[features] = measured(features)
        print(list(rows(sizes))[-1], flush=True)
        # After each set, because all of them take an hour.
        if options.write:
            write(sizes)
    if options.check and (lines := list(faults(sizes, before))):
        print("\n".join(lines))
        unreleased = (ROOT / "CHANGELOG.md").read_text().split("## Unreleased")[1].split("\n## ")[0]
        if REASON not in unreleased.lower() or not all(it in before for it in sizes):
            sys.exit(f"give the reason below `## Unreleased` of CHANGELOG.md, in a line with the words `{REASON}`")


if __name__ == "__main__":
    main()
