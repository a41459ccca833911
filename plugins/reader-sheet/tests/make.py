#!/usr/bin/env python3
"""Make the old workbook of the tests for cells that show nothing: by openpyxl, converted by LibreOffice.

    python3 make.py files
"""

import subprocess
import sys
import tempfile
from pathlib import Path

from openpyxl import Workbook
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill

out = Path(sys.argv[1]).resolve()


def fill(color):
    return PatternFill("solid", fgColor=color)


book = Workbook()
sheet = book.active
sheet.title = "S"
# Text, colour of the text, fill, number format. The first five show nothing.
rows = [
    ("PLANT", "FFFFFF", None, None),
    ("PLANT", "000080", "000080", None),
    ("PLANT", None, None, ";;;"),
    (7, None, None, ";;;"),
    (8, "FFFFFF", "FFFFFF", None),
    ("SHOWN", "FFFFFF", "000080", None),
    ("SHOWN", None, None, None),
    (9, None, None, "0;;;"),
    (True, None, None, ";;;"),
    (-3, None, None, "0;;"),
]
for number, (value, text, ground, shown) in enumerate(rows, 1):
    cell = sheet.cell(number, 1, value)
    if text:
        cell.font = Font(color=text)
    if ground:
        cell.fill = fill(ground)
    if shown:
        cell.number_format = shown
sheet.cell(1, 2, "=A4+1").font = Font(color="FFFFFF")
sheet.cell(2, 2, "hidden column")
sheet.column_dimensions["B"].hidden = True

listed = book.create_sheet("Filtered")
for row in [["name", "amount"], ["a", 1], ["b", 2], ["c", 3], ["d", 4]]:
    listed.append(row)
listed.auto_filter.ref = "A1:B5"
listed.auto_filter.add_filter_column(0, ["a", "d"])
for row in (3, 4):
    listed.row_dimensions[row].hidden = True
listed.conditional_formatting.add("B2", CellIsRule("equal", ["1"], fill=fill("FF0000")))
listed["B2"].font = Font(color="FFFFFF")

for name, state in [("Hidden", "hidden"), ("VeryHidden", "veryHidden")]:
    other = book.create_sheet(name)
    other["A1"] = name
    other.sheet_state = state

with tempfile.TemporaryDirectory() as folder:
    made = Path(folder) / "unseen.xlsx"
    book.save(made)
    command = ["soffice", f"-env:UserInstallation=file://{folder}/profile", "--headless"]
    subprocess.run([*command, "--convert-to", "xls", "--outdir", str(out), str(made)], check=True)
