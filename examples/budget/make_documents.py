"""Makes budget.xlsx and contract.docx. Needs openpyxl, python-docx and LibreOffice; users need none of
them, the files are committed.

The companies and numbers are invented. What matters is what an edit must keep: a chart, a conditional format, a name, notes, a
header, formatted runs, a numbered list. The growth formula of the workbook is wrong from July on: it compares with January.
"""

import shutil
import subprocess
import tempfile
from datetime import date

from docx import Document
from docx.enum.text import WD_ALIGN_PARAGRAPH
from docx.shared import Pt
from openpyxl import Workbook
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Font, PatternFill
from openpyxl.workbook.defined_name import DefinedName

FEES = [41250.00, 42180.50, 44020.75, 43600.00, 45310.25, 46890.00, 47425.50, 46980.00, 48260.75, 49115.25]
COSTS = [28940.00, 29410.25, 30125.50, 30480.00, 31215.75, 31960.00, 32410.50, 32285.25, 33140.00, 33620.75]


def workbook():
    book = Workbook()
    sheet = book.active
    sheet.title = "Budget"
    sheet.append(["Month", "Service fees", "Costs", "Margin", "Growth"])
    for month, (fees, costs) in enumerate(zip(FEES, COSTS), 1):
        row = month + 1
        growth = f"=B{row}/B{row - 1}-1" if month < 7 else f"=B{row}/B$2-1"
        sheet.append([date(2026, month, 1), fees, costs, f"=B{row}-C{row}", growth if month > 1 else None])
    sheet.append(["Total", "=SUM(B2:B11)", "=SUM(C2:C11)", "=SUM(D2:D11)", None])
    for row in sheet.iter_rows(min_row=2, max_row=12):
        row[0].number_format = "mmm yyyy"
        for cell in row[1:4]:
            cell.number_format = "#,##0.00"
        row[4].number_format = "0.0%"
    bold = Font(bold=True)
    for cell in [*sheet[1], *sheet[12]]:
        cell.font = bold
    for cell in sheet[1]:
        cell.fill = PatternFill("solid", fgColor="DDEBF7")
    for column, width in zip("ABCDE", (12, 16, 14, 14, 10)):
        sheet.column_dimensions[column].width = width
    sheet.freeze_panes = "B2"
    red = PatternFill("solid", bgColor="F8CBAD")
    sheet.conditional_formatting.add("E3:E11", CellIsRule(operator="lessThan", formula=["0"], fill=red))
    sheet["B8"].comment = Comment("New prices since July.", "Finance")
    chart = BarChart()
    chart.title = "Service fees"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=11), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=2, max_row=11))
    sheet.add_chart(chart, "G2")
    book.defined_names["FeesTotal"] = DefinedName("FeesTotal", attr_text="Budget!$B$12")
    notes = book.create_sheet("Notes")
    notes.append(["Growth", "Change of the service fees over the month before."])
    notes.append(["Currency", "EUR, without VAT."])
    book.save("budget.xlsx")
    # openpyxl writes formulas without values. LibreOffice opens and saves the workbook as a person would.
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(["soffice", "--headless", "--convert-to", "xlsx", "--outdir", folder, "budget.xlsx"], check=True, stdout=subprocess.DEVNULL)
        shutil.move(f"{folder}/budget.xlsx", "budget.xlsx")


def contract():
    doc = Document()
    doc.core_properties.title = "Service agreement"
    doc.sections[0].header.paragraphs[0].text = "Service agreement 2026-014, Nordlicht GmbH and Harbour Analytics Ltd"
    title = doc.add_paragraph()
    title.alignment = WD_ALIGN_PARAGRAPH.CENTER
    run = title.add_run("Service agreement")
    run.bold = True
    run.font.size = Pt(18)
    for text in (
        "Nordlicht GmbH (the client) and Harbour Analytics Ltd (the provider) agree on the services in Annex A and on the fees in Annex B.",
        "The provider invoices the fees monthly. The client pays within 30 days.",
        "Changes of this agreement and of its annexes need the written form.",
    ):
        doc.add_paragraph(text, style="List Number")
    doc.add_heading("Annex B: Fees", level=1)
    paragraph = doc.add_paragraph("The service fees from January to ")
    paragraph.add_run("October 2026").bold = True
    paragraph.add_run(" amount to ")
    paragraph.add_run("EUR 455,033.00").bold = True
    paragraph.add_run(" without VAT.")
    table = doc.add_table(rows=1, cols=2)
    table.style = "Table Grid"
    for cell, text in zip(table.rows[0].cells, ("Month", "Service fees (EUR)")):
        cell.text = text
    for month, fees in zip(("August 2026", "September 2026", "October 2026"), FEES[-3:]):
        for cell, text in zip(table.add_row().cells, (month, f"{fees:,.2f}")):
            cell.text = text
    doc.add_paragraph("Both parties confirm the figures of this annex each quarter.")
    doc.save("contract.docx")


workbook()
contract()
