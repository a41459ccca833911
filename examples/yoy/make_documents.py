"""Makes the two reports of this example. Needs openpyxl and python-docx; users need neither, the reports are committed.

The company and its numbers are invented. What matters is the shape: one report is a workbook with numbers, the other a
text document whose table holds numbers as people write them (`1,536万`, `1.62亿`).
"""

from openpyxl import Workbook
from openpyxl.styles import Alignment, Font
from docx import Document

MONTHS = [f"{n}月" for n in range(1, 13)]
DAU_2024 = [1180.5, 1196.2, 1215.8, 1240.0, 1263.4, 1288.9, 1302.7, 1325.1, 1347.6, 1371.3, 1402.8, 1436.9]  # 万
REVENUE_2024 = [9120.35, 8846.10, 9587.42, 9763.05, 10021.88, 10456.27, 10230.64, 10588.91, 10972.36, 11340.50, 11876.23, 12431.79]  # 万元
DAU_2025 = ["1,452.3万", "1,460.8万", "1,489.5万", "1,517.2万", "1,536.0万", "1,571.4万", "1,598.6万", "1,620.9万", "1,655.7万", "1,683.1万", "1,729.4万", "1,768.0万"]
REVENUE_2025 = ["1.26亿", "1.19亿", "1.31亿", "1.345亿", "1.38亿", "1.442亿", "1.405亿", "1.467亿", "1.523亿", "1.589亿", "1.676亿", "1.754亿"]


def workbook():
    book = Workbook()
    sheet = book.active
    sheet.title = "经营数据"
    sheet.append(["星河科技 2024 年度经营数据"])
    sheet.merge_cells("A1:C1")
    sheet["A1"].font = Font(bold=True, size=14)
    sheet["A1"].alignment = Alignment(horizontal="center")
    sheet.append(["月份", "日活跃用户（万人）", "营业收入（万元）"])
    for month, dau, revenue in zip(MONTHS, DAU_2024, REVENUE_2024):
        sheet.append([month, dau, revenue])
    notes = book.create_sheet("说明")
    notes.append(["项目", "内容"])
    notes.append(["口径", "日活跃用户为当月日均去重活跃账户数；营业收入为含税口径。"])
    notes.append(["审计", "数据经内部审计部复核。"])
    book.save("2024年经营报告.xlsx")


def document():
    doc = Document()
    doc.core_properties.title = "星河科技 2025 年度经营报告"
    doc.add_heading("星河科技 2025 年度经营报告", level=1)
    doc.add_paragraph(
        "2025 年，公司围绕“稳增长、提质量”的目标推进各项工作。用户规模持续扩大，"
        "营业收入保持两位数增长，海外业务（东南亚、中东）成为新的增长点。"
    )
    doc.add_heading("一、月度经营数据", level=2)
    table = doc.add_table(rows=1, cols=3)
    table.style = "Table Grid"
    for cell, text in zip(table.rows[0].cells, ["月份", "日活跃用户", "营业收入"]):
        cell.text = text
    for row in zip(MONTHS, DAU_2025, REVENUE_2025):
        for cell, text in zip(table.add_row().cells, row):
            cell.text = text
    doc.add_heading("二、管理层说明", level=2)
    for text in [
        "上半年完成会员体系升级，付费转化率提升；",
        "下半年推出企业版，签约客户超过 300 家；",
        "日活跃用户为当月日均去重活跃账户数，营业收入为含税口径，与上年一致。",
    ]:
        doc.add_paragraph(text, style="List Bullet")
    doc.save("2025年经营报告.docx")


workbook()
document()
