import docx_tool
import sheet_tool

FEES, COSTS = 50320.40, 34105.90

# The growth formulas as they stand: those that are wrong compare with January.
cells = sheet_tool.read_cells("budget.xlsx", range="Budget!A1:E12").cells
formulas = {cell.at: cell.formula for cell in cells if cell.formula}
wrong = [at for at, formula in formulas.items() if at.startswith("E") and "B$2" in formula]
print("wrong:", wrong)


def growth(row):
    return {"at": f"Budget!E{row}", "value": f"=B{row}/B{row - 1}-1"}


book = sheet_tool.edit_workbook(
    "budget.xlsx",
    expected=[{"at": "Budget!A12", "value": "Total"}, {"at": "Budget!B12", "value": formulas["B12"]}],
    edits=[
        {"tag": "set-cells", "val": [growth(int(at[1:])) for at in wrong]},
        {"tag": "insert", "val": "Budget!12:12"},
        {"tag": "copy-range", "val": {"from": "Budget!A11:E11", "to": "Budget!A12"}},
        {"tag": "set-cells", "val": [
            {"at": "Budget!A12", "value": "2026-11-01"},
            {"at": "Budget!B12", "value": FEES},
            {"at": "Budget!C12", "value": COSTS},
            {"at": "Budget!B13", "value": "=SUM(B2:B12)"},
            {"at": "Budget!C13", "value": "=SUM(C2:C12)"},
            {"at": "Budget!D13", "value": "=SUM(D2:D12)"},
        ]},
        {"tag": "set-chart", "val": {"chart": "Service fees", "series": 1, "values": "Budget!$B$2:$B$12", "categories": "Budget!$A$2:$A$12"}},
    ],
    filename="budget.v2.xlsx",
)
print("workbook:", *book.changes, *book.warnings, sep="\n- ")

# The annex gets the total that the workbook has now.
total = sheet_tool.read_cells("budget.v2.xlsx", range="Budget!B13").cells[0].value
annex = docx_tool.read_structure("contract.docx", find="service fees from January").paragraphs[0]
table = docx_tool.read_structure("contract.docx", find="October 2026").tables
if not table:
    table = docx_tool.read_structure("contract.docx").tables
old = annex.text.split("EUR ")[1].split(" ")[0]
contract = docx_tool.edit_document(
    "contract.docx",
    edits=[
        {"tag": "replace-text", "val": {"at": annex.anchor, "find": "October 2026", "replacement": "November 2026"}},
        {"tag": "replace-text", "val": {"at": annex.anchor, "find": old, "replacement": f"{total:,.2f}"}},
        {"tag": "insert-row", "val": {
            "table": table[0].anchor, "at": table[0].rows, "side": "after", "cells": ["November 2026", f"{FEES:,.2f}"],
        }},
    ],
    options={"author": "Mitt", "date": "2026-12-01T09:00:00Z"},
    filename="contract.v2.docx",
)
print("contract:", *(f"{it.place}: {it.before} -> {it.after}" for it in contract.edits), *contract.warnings, sep="\n- ")
