#!/usr/bin/env python3
"""How well tables of PDF files are read, beside PyMuPDF's `find_tables`.

    pip install pymupdf
    cd plugins && cargo build -p reader-pdf --example tables && cd ..
    tests/bench/pdf-tables/score.py FOLDER plugins/target/debug/examples/tables

FOLDER holds files of the ICDAR 2013 table competition, in folders of any depth: `eu-001.pdf` with its truth `eu-001-str.xml`. It
is not part of the project.

Two measures, both pooled over all files and as the mean over files:

- structure: pairs of neighbouring cells, as in the competition. Every cell with text is paired with the next cell with text to its
  right and below. Texts are compared by their letters and digits, in lower case.
- numbers: the pairs to the right whose cells both are numbers.

Files with an odd number are the half to work on, the others are held out.
"""

import json
import os
import re
import subprocess
import sys
import xml.etree.ElementTree as xml
from collections import Counter
from pathlib import Path



def normal(text):
    return "".join(character for character in (text or "").lower() if character.isalnum())


def is_number(text):
    return text.isdecimal()


def pairs(grid):
    """Pairs of a grid: a map from (row, column) to (cell, text); a cell over several places has all of them."""
    found = set()
    rows, columns = {}, {}
    for (row, column), cell in grid.items():
        rows.setdefault(row, []).append((column, cell))
        columns.setdefault(column, []).append((row, cell))
    for direction, lines in (("right", rows), ("down", columns)):
        for line in lines.values():
            line = [cell for _, cell in sorted(line, key=lambda item: item[0]) if cell[1]]
            for one, other in zip(line, line[1:]):
                if one[0] != other[0]:
                    found.add((one[0], other[0], one[1], other[1], direction))
    return Counter((one, other, direction) for _, _, one, other, direction in found)


def truth(path):
    """The pairs of all tables of a truth file."""
    total = Counter()
    for table in xml.parse(path).getroot().iter("table"):
        grid = {}
        number = 0
        for region in table.iter("region"):
            right = int(region.get("col-increment") or 0)
            down = int(region.get("row-increment") or 0)
            for cell in region.iter("cell"):
                number += 1
                text = normal("".join(cell.find("content").itertext()) if cell.find("content") is not None else "")
                from_row, from_column = int(cell.get("start-row")), int(cell.get("start-col"))
                to_row = max(from_row, int(cell.get("end-row") or from_row))
                to_column = max(from_column, int(cell.get("end-col") or from_column))
                for row in range(from_row, to_row + 1):
                    for column in range(from_column, to_column + 1):
                        grid[row + down, column + right] = (number, text)
        total += pairs(grid)
    return total


def plain(rows):
    """The pairs of a table of rows."""
    cells = [((y, x), (y, x), normal(text)) for y, row in enumerate(rows) for x, text in enumerate(row)]
    return pairs({place: (number, text) for place, number, text in cells})


def pymupdf_tables(path):
    """The tables that PyMuPDF finds, kept in the file that `MITT_PYMUPDF_TABLES` names, since finding them takes minutes."""
    import pymupdf

    kept = os.environ.get("MITT_PYMUPDF_TABLES")
    known = json.loads(Path(kept).read_text()) if kept and Path(kept).exists() else {}
    if path.stem not in known:
        with pymupdf.open(path) as document:
            known[path.stem] = [table.extract() for page in document for table in page.find_tables().tables]
        if kept:
            Path(kept).write_text(json.dumps(known))
    return sum((plain(rows) for rows in known[path.stem]), Counter())


def only_numbers(counter):
    kept = {key: count for key, count in counter.items() if key[2] == "right" and is_number(key[0]) and is_number(key[1])}
    return Counter(kept)


def measure(found, wanted):
    right = sum((found & wanted).values())
    return right, sum(found.values()), sum(wanted.values())


def f1(right, found, wanted):
    precision, recall = right / found if found else 0.0, right / wanted if wanted else 0.0
    return precision, recall, 2 * precision * recall / (precision + recall) if right else 0.0


def summary(name, results):
    for kind in ("structure", "numbers"):
        values = [result[kind] for result in results if result[kind][2]]
        pooled = f1(*(sum(value[i] for value in values) for i in range(3)))
        mean = sum(f1(*value)[2] for value in values) / max(len(values), 1)
        print(f"{name:22} {kind:9} precision {pooled[0]:.3f}  recall {pooled[1]:.3f}  F1 {pooled[2]:.3f}  mean of files {mean:.3f}")


def main():
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    files = sorted(path for path in Path(sys.argv[1]).rglob("*.pdf") if path.with_name(path.stem + "-str.xml").exists())
    if not files:
        print(f"skipped: there are no PDF files with `-str.xml` beside them in {sys.argv[1]}")
        return
    output = subprocess.run([sys.argv[2], *map(str, files)], capture_output=True, text=True, check=True).stdout
    ours = {line["file"]: line["tables"] for line in map(json.loads, output.splitlines())}
    try:
        import pymupdf  # noqa: F401

        has_peer = True
    except ImportError:
        print("PyMuPDF is not compared: it is not installed")
        has_peer = False
    results = {"mitt": [], "pymupdf": []}
    for path in files:
        wanted = truth(path.with_name(path.stem + "-str.xml"))
        found = {"mitt": sum((plain(table["rows"]) for table in ours[str(path)]), Counter())}
        if has_peer:
            found["pymupdf"] = pymupdf_tables(path)
        line = [path.stem]
        for name, counter in found.items():
            result = {
                "structure": measure(counter, wanted),
                "numbers": measure(only_numbers(counter), only_numbers(wanted)),
                "half": int(re.sub(r"\D", "", path.stem) or 0) % 2,
            }
            results[name].append(result)
            line.append(f"{name} {f1(*result['structure'])[2]:.3f} {f1(*result['numbers'])[2]:.3f}")
        if "--files" in sys.argv:
            print("  ".join(line), wanted.total())
    for name, all_of_one in results.items():
        if all_of_one:
            summary(f"{name}, all", all_of_one)
            summary(f"{name}, to work on", [result for result in all_of_one if result["half"]])
            summary(f"{name}, held out", [result for result in all_of_one if not result["half"]])


if __name__ == "__main__":
    main()
