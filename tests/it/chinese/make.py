#!/usr/bin/env python3
"""Make the files in this folder: one operating report in Chinese, by every producer that has nothing to do with Mitt.

    pip install python-docx==1.2.0 python-pptx==1.0.2 openpyxl==3.1.5 weasyprint zstandard
    python3 make.py        # and LibreOffice as `soffice`

What the files say stands in `report.json`; the test compares with it.
"""

import json
import os
import subprocess
import tempfile
from datetime import date, datetime
from pathlib import Path

import openpyxl
import zstandard
from docx import Document
from docx.oxml.ns import qn
from openpyxl.comments import Comment
from pptx import Presentation
from pptx.util import Inches
from weasyprint import HTML

here = Path(__file__).resolve().parent
fonts = here.parents[2] / "src/render/fonts"

SIMPLIFIED = {
    "title": "2025年度经营报告",
    "headings": ["一、总体情况", "二、分月数据"],
    "paragraphs": [
        "2025年，公司围绕“稳增长、提质量”的目标，日活跃用户（DAU）由1180.5万人增长到1326.8万人，同比增长12.4%；营业收入达到1.754亿元。",
        "请注意：本报告中的金额单位为万元，“—”表示没有数据；详情请联系王芳（财务部）。",
        "下半年的重点是：①降低获客成本；②提升留存率；③完善AI产品线，力争2026年实现30％的增长。",
    ],
    "columns": ["月份", "日活跃用户（万人）", "营业收入（万元）", "备注"],
    "rows": [
        ["1月", 1180.5, 9120.35, "春节"],
        ["2月", 1203.0, 9588.1, "—"],
        ["3月", 1326.8, 10431.07, "新品“星河”上线"],
    ],
    "note": "数据来源：运营平台，2025年12月31日",
}
# What only GB 18030 has, in four bytes, beside characters of GBK.
RARE = "𠮷野家的㐂事：䶮先生喝了鿏茶。"
TRADITIONAL = "二零二五年度營運報告：營業收入達到一億七千五百四十萬元，較去年成長百分之十二，員工「團隊合作」，續創佳績。"


def soffice(source, form, folder, home):
    command = ["soffice", "--headless", "--convert-to", form, "--outdir", folder, source]
    subprocess.run(command, check=True, capture_output=True, env={**os.environ, "HOME": str(home)})


def word(path):
    document = Document()
    document.core_properties.title, document.core_properties.author = SIMPLIFIED["title"], "王芳"
    document.core_properties.created = document.core_properties.modified = datetime(2026, 1, 5, 9, 30)
    document.styles["Normal"].element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), "Noto Sans SC")
    document.add_heading(SIMPLIFIED["headings"][0], 1)
    for text in SIMPLIFIED["paragraphs"]:
        # A run ends in the middle of a word, as editors leave it.
        paragraph = document.add_paragraph(text[:9])
        paragraph.add_run(text[9:15]).bold = True
        paragraph.add_run(text[15:])
    document.add_heading(SIMPLIFIED["headings"][1], 1)
    table = document.add_table(rows=1, cols=4)
    table.style = "Table Grid"
    for cell, text in zip(table.rows[0].cells, SIMPLIFIED["columns"]):
        cell.text = text
    for row in SIMPLIFIED["rows"]:
        for cell, value in zip(table.add_row().cells, row):
            cell.text = str(value)
    document.add_paragraph(SIMPLIFIED["note"])
    document.save(path)


def slides(path):
    deck = Presentation()
    deck.core_properties.title, deck.core_properties.author = SIMPLIFIED["title"], "王芳"
    slide = deck.slides.add_slide(deck.slide_layouts[1])
    slide.shapes.title.text = SIMPLIFIED["headings"][0]
    slide.placeholders[1].text = "\n".join(SIMPLIFIED["paragraphs"])
    slide.notes_slide.notes_text_frame.text = SIMPLIFIED["note"]
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    slide.shapes.title.text = SIMPLIFIED["headings"][1]
    rows = [SIMPLIFIED["columns"], *SIMPLIFIED["rows"]]
    table = slide.shapes.add_table(len(rows), 4, Inches(1), Inches(2), Inches(8), Inches(2)).table
    for at, row in enumerate(rows):
        for to, value in enumerate(row):
            table.cell(at, to).text = str(value)
    # Each layout would be a master of its own in the old format, 50 kB large.
    for layout in [it for it in deck.slide_layouts if not it.used_by_slides]:
        deck.slide_layouts.remove(layout)
    deck.save(path)


def workbook(path):
    book = openpyxl.Workbook()
    book.properties.title, book.properties.creator = SIMPLIFIED["title"], "王芳"
    sheet = book.active
    sheet.title = "分月数据"
    sheet.append(SIMPLIFIED["columns"])
    for row in SIMPLIFIED["rows"]:
        sheet.append(row)
    sheet["D4"].comment = Comment(SIMPLIFIED["note"], "王芳")
    other = book.create_sheet("说明（一）")
    other.append(["项目", "日期"])
    for text in SIMPLIFIED["paragraphs"]:
        other.append([text, date(2025, 12, 31)])
    book.save(path)


def page():
    cells = lambda tag, row: "".join(f"<{tag}>{value}</{tag}>" for value in row)
    body = [f"<h1>{SIMPLIFIED['headings'][0]}</h1>"]
    body += [f"<p>{text}</p>" for text in SIMPLIFIED["paragraphs"]]
    body += [f"<h1>{SIMPLIFIED['headings'][1]}</h1>", f"<table><tr>{cells('th', SIMPLIFIED['columns'])}</tr>"]
    body += [f"<tr>{cells('td', row)}</tr>" for row in SIMPLIFIED["rows"]]
    body += [f"</table><p>{SIMPLIFIED['note']}</p>"]
    return "\n".join(body)


def main():
    work = Path(tempfile.mkdtemp())
    (work / ".fonts").mkdir()
    font = work / ".fonts/NotoSansSC.ttf"
    font.write_bytes(zstandard.ZstdDecompressor().decompressobj().decompress((fonts / "NotoSansSC-Regular.ttf.zst").read_bytes()))

    (here / "report.json").write_text(json.dumps(SIMPLIFIED, ensure_ascii=False, indent=1) + "\n")
    word(here / "python-docx.docx")
    slides(here / "python-pptx.pptx")
    workbook(here / "openpyxl.xlsx")
    for source, forms in [
        ("python-docx.docx", ["docx:MS Word 2007 XML", "doc:MS Word 97", "odt", "rtf", "pdf"]),
        ("python-pptx.pptx", ["pptx:Impress MS PowerPoint 2007 XML", "ppt:MS PowerPoint 97", "odp"]),
        ("openpyxl.xlsx", ["xlsx:Calc MS Excel 2007 XML", "xls:MS Excel 97", "ods"]),
    ]:
        for form in forms:
            soffice(here / source, form, work, work)
            extension = form.partition(":")[0]
            made = work / f"{Path(source).stem}.{extension}"
            (here / f"libreoffice.{extension}").write_bytes(made.read_bytes())
    style = (
        f"<style>@font-face {{ font-family: SC; src: url(file://{font}) }} @page {{ size: A4; margin: 2cm }}"
        " body { font: 11pt/1.6 SC } table { border-collapse: collapse } td, th { border: 1px solid; padding: 2px 6px }</style>"
    )
    HTML(string=style + page()).write_pdf(here / "weasyprint.pdf")

    text = "\n".join([SIMPLIFIED["title"], *SIMPLIFIED["paragraphs"], SIMPLIFIED["note"]]) + "\n"
    rows = "\n".join(",".join(map(str, row)) for row in [SIMPLIFIED["columns"], *SIMPLIFIED["rows"]]) + "\n"
    (here / "gbk.txt").write_bytes(text.encode("gbk"))
    (here / "gbk.csv").write_bytes(rows.encode("gbk"))
    (here / "gb18030.txt").write_bytes((text + RARE + "\n").encode("gb18030"))
    (here / "big5.txt").write_bytes((TRADITIONAL + "\n").encode("big5"))
    (here / "utf-16le.txt").write_bytes(("\ufeff" + text).encode("utf-16le"))
    (here / "utf-16be.csv").write_bytes(("\ufeff" + rows).encode("utf-16be"))
    (here / "utf-16le-no-bom.txt").write_bytes(text.encode("utf-16le"))
    (here / "utf-8-bom.csv").write_bytes(rows.encode("utf-8-sig"))
    head = f'<!doctype html><html lang="zh"><head><meta charset="gb2312"><title>{SIMPLIFIED["title"]}</title></head><body>'
    (here / "gb2312.html").write_bytes((head + page() + "</body></html>").encode("gbk"))


main()
