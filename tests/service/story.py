#!/usr/bin/env python3
"""Checks what one `curl` with two reports brought back: both files of the README's story, with their numbers.

    story.py RESULT.zip

Standard library only. The numbers were computed from the reports in decimal arithmetic, as those of `tests/it/yoy.rs`.
"""

import io
import sys
import xml.etree.ElementTree as ElementTree
import zipfile

EXCEL = "2024-2025年经营对比.xlsx"
PDF = "2024-2025年经营总结.pdf"
MAIN = "{http://schemas.openxmlformats.org/spreadsheetml/2006/main}"
OFFICE = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}"


def sheet(book, name):
    """Returns the cells of a sheet by their references: numbers and texts."""
    def read(part):
        return ElementTree.fromstring(book.read(part))

    listed = {it.get("name"): it.get(OFFICE + "id") for it in read("xl/workbook.xml").iter(MAIN + "sheet")}
    parts = {it.get("Id"): it.get("Target") for it in read("xl/_rels/workbook.xml.rels")}
    shared = []
    if "xl/sharedStrings.xml" in book.namelist():
        items = read("xl/sharedStrings.xml").iter(MAIN + "si")
        shared = ["".join(text.text or "" for text in item.iter(MAIN + "t")) for item in items]
    cells = {}
    for cell in read("xl/" + parts[listed[name]].removeprefix("/xl/")).iter(MAIN + "c"):
        value = cell.find(MAIN + "v")
        kind = cell.get("t")
        if kind == "s":
            cells[cell.get("r")] = shared[int(value.text)]
        elif kind == "inlineStr":
            cells[cell.get("r")] = "".join(text.text or "" for text in cell.iter(MAIN + "t"))
        elif value is not None:
            cells[cell.get("r")] = value.text if kind == "str" else float(value.text)
    return cells


def main():
    with zipfile.ZipFile(sys.argv[1]) as result:
        names = sorted(result.namelist())
        assert names == sorted([EXCEL, PDF, "answer.md"]), names
        answer, pdf = result.read("answer.md").decode(), result.read(PDF)
        book = zipfile.ZipFile(io.BytesIO(result.read(EXCEL)))
    assert "已完成" in answer, answer
    months = sheet(book, "按月对比")
    for reference, expected in [
        ("A2", "1月"), ("B2", 1180.5), ("C2", 1452.3), ("D2", 0.230241), ("E13", 12431.79),
    ]:
        assert months.get(reference) == expected, (reference, months.get(reference))
    assert pdf.startswith(b"%PDF-") and pdf.rstrip().endswith(b"%%EOF"), pdf[:20]
    # Typst compresses objects, but the size says that there is a font and more than an empty page.
    assert len(pdf) > 10_000, len(pdf)
    print(f"{EXCEL}: {len(months)} cells of the months; {PDF}: {len(pdf)} bytes")


if __name__ == "__main__":
    main()
