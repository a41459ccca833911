#!/usr/bin/env python3
"""Make the OpenDocument and RTF files of the tests: Word and PowerPoint files by python-docx and python-pptx, converted by LibreOffice.

    python3 make.py files
"""

import subprocess
import sys
import tempfile
from datetime import datetime
from pathlib import Path

from docx import Document
from docx.oxml import parse_xml
from docx.oxml.ns import nsdecls, qn
from pptx import Presentation
from pptx.util import Inches

out = Path(sys.argv[1]).resolve()
out.mkdir(exist_ok=True)


def text_document(path):
    doc = Document()
    own = doc.core_properties
    own.title, own.author, own.subject = "年度报告", "王芳", "收入"
    own.created = own.modified = datetime(2024, 3, 5, 9, 30)
    doc.sections[0].header.paragraphs[0].text = "内部资料"
    doc.add_heading("收入与成本", 1)
    line = doc.add_paragraph("正文有 ")
    line.add_run("bold").bold = True
    line.add_run(" 和 ")
    line.add_run("italic").italic = True
    line.add_run("，面积 5 m")
    line.add_run("2").font.superscript = True
    noted = line.add_run("。")
    doc.add_comment(noted, text="请核对。", author="李雷", initials="L")
    # Tracked: deleted and inserted.
    line = doc.add_paragraph("修订：")
    line._p.append(parse_xml(f'<w:del {nsdecls("w")} w:id="1" w:author="x" w:date="2024-01-01T00:00:00Z"><w:r><w:delText>旧</w:delText></w:r></w:del>'))
    line._p.append(parse_xml(f'<w:ins {nsdecls("w")} w:id="2" w:author="x" w:date="2024-01-01T00:00:00Z"><w:r><w:t>新</w:t></w:r></w:ins>'))
    for text, style in [("一", "List Bullet"), ("二", "List Bullet 2"), ("甲", "List Number"), ("乙", "List Number")]:
        doc.add_paragraph(text, style)
    doc.add_heading("销售", 2)
    table = doc.add_table(4, 3)
    for row, texts in enumerate([["区域", "第一季度", ""], ["东", "1200", "15%"], ["", "1300", "16%"], ["合计", "2500", ""]]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    table.cell(0, 1).merge(table.cell(0, 2))
    table.cell(1, 0).merge(table.cell(2, 0))
    doc.add_paragraph("末段 C:\\temp {a}")
    doc.save(path)


def slides(path):
    deck = Presentation()
    deck.core_properties.title, deck.core_properties.author = "季度会议", "王芳"
    first = deck.slides.add_slide(deck.slide_layouts[1])
    first.shapes.title.text = "概况"
    first.placeholders[1].text = "收入增长\n成本下降"
    first.notes_slide.notes_text_frame.text = "先讲收入。"
    second = deck.slides.add_slide(deck.slide_layouts[5])
    second.shapes.title.text = "数据"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(6), Inches(1)).table
    for row, texts in enumerate([["区域", "金额"], ["东", "1200"]]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    hidden = deck.slides.add_slide(deck.slide_layouts[5])
    hidden.shapes.title.text = "备用"
    hidden._element.set("show", "0")
    deck.save(path)


with tempfile.TemporaryDirectory() as folder:
    folder = Path(folder)
    text_document(folder / "report.docx")
    slides(folder / "deck.pptx")
    for name, kind in [("report.docx", "odt"), ("report.docx", "rtf"), ("deck.pptx", "odp")]:
        subprocess.run(["soffice", "--headless", "--convert-to", kind, "--outdir", out, folder / name], check=True, capture_output=True)
