"""Makes files, or changes one as a user's script would: peer.py make | PROGRAM OPERATION.

Ends with 2 if the program cannot do the operation, or is not installed.
"""

import pathlib
import shutil
import subprocess
import sys

ROWS, COLUMNS, FORMULAS = 100_000, 20, 100_000


def make():
    """Writes a workbook of 100 000 x 20 values, and one of 100 000 formulas that depend on each other. Without values of formulas, as
    libraries write them; `recalculate` brings them."""
    try:
        import xlsxwriter
    except ImportError:
        sys.exit(2)
    book = xlsxwriter.Workbook("book.xlsx", {"constant_memory": True})
    sheet = book.add_worksheet("Data")
    regions = ["华东", "华南", "North", "South"]
    for row in range(ROWS):
        sheet.write_string(row, 0, regions[row % 4])
        for column in range(1, COLUMNS):
            sheet.write_number(row, column, row * 7 % 500 + column / 4)
    book.close()
    book = xlsxwriter.Workbook("formulas.xlsx", {"constant_memory": True})
    sheet = book.add_worksheet("Data")
    for row in range(FORMULAS // 2):
        number = row + 1
        sheet.write_number(row, 0, row * 7 % 500)
        sheet.write_number(row, 1, row * 13 % 900 + 0.25)
        sheet.write_formula(row, 2, f"=A{number}*B{number}*$F$1")
        above = f"+D{row}" if row else ""
        sheet.write_formula(row, 3, f"=IF(C{number}>1000,C{number},0){above}")
        if row == 0:
            sheet.write_number(0, 5, 2)
    book.close()


def with_openpyxl(operation):
    import openpyxl

    if operation != "workbook":
        sys.exit(2)
    book = openpyxl.load_workbook("book.xlsx")
    book["Data"]["B50000"] = 42
    book.save("openpyxl/edited.xlsx")


def with_docx(operation):
    import docx

    if operation != "word":
        sys.exit(2)
    document = docx.Document("report.docx")
    for paragraph in document.paragraphs:
        for run in paragraph.runs:
            if "获客成本下降了 12.5%" in run.text:
                run.text = run.text.replace("获客成本下降了 12.5%", "获客成本下降了 13.5%")
    document.save("python-docx/edited.docx")


def with_libreoffice(operation):
    """Opens a file and writes it again. A workbook whose formulas have no values is calculated."""
    source = {"workbook": "book.xlsx", "word": "report.docx", "recalculate": "formulas.xlsx"}[operation]
    program = shutil.which("soffice")
    if not program:
        sys.exit(2)
    kind = source.rsplit(".", 1)[1]
    profile = pathlib.Path("libreoffice/profile").absolute().as_uri()
    done = subprocess.run(
        [program, f"-env:UserInstallation={profile}", "--headless", "--convert-to", kind, "--outdir", "libreoffice", source],
        capture_output=True,
    )
    sys.exit(done.returncode)


what = sys.argv[1]
if what == "make":
    make()
else:
    pathlib.Path(what).mkdir(exist_ok=True)
    try:
        {"openpyxl": with_openpyxl, "python-docx": with_docx, "libreoffice": with_libreoffice}[what](sys.argv[2])
    except ImportError:
        sys.exit(2)
