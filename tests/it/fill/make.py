"""Makes the templates of tests/it/fill.rs: python3 make.py (openpyxl 3.1, XlsxWriter 3.2, Pillow).

invoice-libreoffice.xlsx is invoice.xlsx as LibreOffice saves it: soffice --headless --convert-to xlsx.
"""
import datetime
import io

import openpyxl
import xlsxwriter
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.formatting.rule import CellIsRule
from openpyxl.styles import Alignment, Border, Font, PatternFill, Side
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.datavalidation import DataValidation
from PIL import Image as Picture

thin = Side(style="thin", color="808080")
box = Border(left=thin, right=thin, top=thin, bottom=thin)


def invoice():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "发票"
    for column, width in zip("ABCDEF", (6, 26, 10, 12, 14, 16)):
        sheet.column_dimensions[column].width = width
    sheet.merge_cells("A1:F1")
    sheet["A1"] = "销售发票 {{number}}"
    sheet["A1"].font = Font(name="Microsoft YaHei", size=18, bold=True)
    sheet["A1"].alignment = Alignment(horizontal="center")
    sheet["A3"] = "客户：{{customer.name}}（{{customer.city}}）"
    sheet.merge_cells("A3:D3")
    sheet["E3"] = "日期"
    sheet["F3"] = "{{date}}"
    sheet["F3"].number_format = "yyyy\"年\"m\"月\"d\"日\""
    for column, text in enumerate(("序号", "品名", "数量", "单价", "金额", "备注"), 1):
        cell = sheet.cell(5, column, text)
        cell.font = Font(bold=True, color="FFFFFF")
        cell.fill = PatternFill("solid", fgColor="1F4E79")
        cell.border = box
    row = ("{{@number}}", "{{items.name}}", "{{items.quantity}}", "{{items.price}}", "=C6*D6", "{{items.note}}")
    for column, value in enumerate(row, 1):
        cell = sheet.cell(6, column, value)
        cell.border = box
        if column in (4, 5):
            cell.number_format = "#,##0.00"
    sheet.row_dimensions[6].height = 22
    sheet["D7"], sheet["E7"] = "合计", "=SUM(E6:E6)"
    sheet["D8"], sheet["E8"] = "税额 {{rate}}", "=ROUND(E7*tax,2)"
    sheet["D9"], sheet["E9"] = "应付", "=E7+E8"
    for at in ("E7", "E8", "E9"):
        sheet[at].number_format = "¥#,##0.00"
        sheet[at].font = Font(bold=True)
    sheet["A11"] = "收款人：{{signer}}"
    sheet["A11"].comment = Comment("由财务填写", "财务")
    sheet["A12"].value = "条款"
    sheet["A12"].hyperlink = "https://example.com/terms"
    picture = io.BytesIO()
    Picture.new("RGB", (60, 30), "#1F4E79").save(picture, "PNG")
    image = Image(picture)
    sheet.add_image(image, "E11")
    sheet.conditional_formatting.add("E6:E6", CellIsRule(operator="greaterThan", formula=["1000"], fill=PatternFill(bgColor="FFC7CE")))
    validation = DataValidation(type="whole", operator="greaterThan", formula1="0")
    sheet.add_data_validation(validation)
    validation.add("C6")
    book.defined_names["tax"] = DefinedName("tax", attr_text="参数!$B$1")
    book.defined_names["total"] = DefinedName("total", attr_text="发票!$E$9")
    sheet.print_area = "A1:F12"
    sheet.print_title_rows = "5:5"
    sheet.page_setup.paperSize, sheet.page_setup.fitToWidth, sheet.page_setup.fitToHeight = 9, 1, 0
    sheet.sheet_properties.pageSetUpPr = openpyxl.worksheet.properties.PageSetupProperties(fitToPage=True)
    sheet.oddFooter.center.text = "{{customer.name}} 第 &P 页"
    other = book.create_sheet("参数")
    other["A1"], other["B1"] = "税率", 0.13
    other["A2"], other["B2"] = "总额", "=发票!E9"
    other["A3"], other["B3"] = "总额(名称)", "=total"
    book.properties.created = book.properties.modified = datetime.datetime(2026, 1, 1)
    book.save("invoice.xlsx")


def report():
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Monthly"
    sheet["A1"] = "{{title}}"
    sheet.append([])
    sheet.append(["Month", "Revenue", "Cost", "Margin", "Running"])
    sheet.append(["{{#months}}"])
    sheet.append(["{{month}}", "{{revenue}}", "{{cost}}", "=(B5-C5)/B5", "=SUM(B$5:B5)"])
    sheet.append(["{{/months}}"])
    sheet.append(["Total", "=SUM(B4:B6)", "=SUM(C5)", "=(B7-C7)/B7"])
    for row in (5, 7):
        sheet.cell(row, 2).number_format = sheet.cell(row, 3).number_format = "#,##0"
        sheet.cell(row, 4).number_format = "0.0%"
    for cell in sheet[7]:
        cell.font = Font(bold=True)
    chart = BarChart()
    chart.title = "Revenue {{title}}"
    chart.add_data(Reference(sheet, min_col=2, max_col=3, min_row=3, max_row=5), titles_from_data=True)
    chart.set_categories(Reference(sheet, min_col=1, min_row=5, max_row=5))
    sheet.add_chart(chart, "A10")
    book.properties.created = book.properties.modified = datetime.datetime(2026, 1, 1)
    book.save("report.xlsx")


def orders():
    book = xlsxwriter.Workbook("orders.xlsx")
    book.set_properties({"created": datetime.datetime(2026, 1, 1)})
    sheet = book.add_worksheet("Orders")
    money = book.add_format({"num_format": "#,##0.00"})
    date = book.add_format({"num_format": "yyyy-mm-dd"})
    rows = [[datetime.date(2026, 1, day), "East", 10.5 * day] for day in (1, 2, 3)]
    sheet.add_table("A1:D5", {
        "name": "Orders",
        "data": rows,
        "total_row": True,
        "columns": [
            {"header": "Date", "format": date, "total_string": "Total"},
            {"header": "Region"},
            {"header": "Amount", "format": money, "total_function": "sum"},
            {"header": "Double", "formula": "=[@Amount]*2", "format": money},
        ],
    })
    sheet.write("A7", "below the table")
    sheet.write_formula("C7", "=SUM(C2:C4)", money, 63)
    sheet.add_sparkline("E7", {"range": "Orders!C2:C4"})
    sheet.conditional_format("C2:C4", {"type": "data_bar", "data_bar_2010": True})
    sheet.insert_textbox("G2", "a note")
    sheet.write_comment("B2", "a note")
    chart = book.add_chart({"type": "line"})
    chart.add_series({"name": "=Orders!$C$1", "categories": "=Orders!$A$2:$A$4", "values": "=Orders!$C$2:$C$4"})
    sheet.insert_chart("G5", chart)
    plain = book.add_worksheet("Plain")
    plain.write_row("B2", ["Name", "Value", "Share"])
    for row, value in ((3, 10), (4, 30)):
        plain.write_row(row - 1, 1, [f"n{row}", value])
        plain.write_formula(row - 1, 3, f"=C{row}/SUM(C$3:C$4)", None, value / 40)
    plain.write("B5", "Sum")
    plain.write_formula("C5", "=SUM(C3:C4)", None, 40)
    book.close()


invoice()
report()
orders()
