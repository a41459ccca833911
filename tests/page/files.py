#!/usr/bin/env python3
"""Checks the downloaded files of the README's story with other programs' readers: the workbook with openpyxl, the PDF with
`pdftotext` or, where that is missing, pypdf.

    files.py WORKBOOK PDF
"""

import shutil
import subprocess
import sys

import openpyxl

workbook = openpyxl.load_workbook(sys.argv[1])
years, months = workbook["年度对比"], workbook["按月对比"]
assert [cell.value for cell in years[1]] == ["指标", "2024 年", "2025 年", "增减", "同比"], "the heading of the years"
assert abs(years["E3"].value - 0.3847) < 0.0001, f"revenue growth is {years['E3'].value}"
assert months.max_row == 13, f"{months.max_row} rows of months"
assert len(months._charts) == 2, f"{len(months._charts)} charts"

if shutil.which("pdftotext"):
    text = subprocess.run(["pdftotext", "-layout", sys.argv[2], "-"], check=True, capture_output=True, text=True).stdout
else:
    import pypdf

    text = "\n".join(page.extract_text() for page in pypdf.PdfReader(sys.argv[2]).pages)
for wanted in ("22.55%", "38.47%", "1,590.24"):
    assert wanted in text, f"the PDF has no {wanted}"
