#!/usr/bin/env python3
"""Make the files that the tests read: `pip install weasyprint==70.0 reportlab==5.1.0 pikepdf==10.18.0 zstandard==0.25.0`, then
`tests/make.py`.

Written by two producers of PDF that have nothing to do with the reader. Chinese text has the project's own font, cut down to
what is written. `tables.json` holds what the tables were made from.
"""

import io
import json
import tempfile
from pathlib import Path

import pikepdf
import zstandard
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.utils import ImageReader
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import BaseDocTemplate, Frame, PageTemplate, Paragraph, SimpleDocTemplate, Spacer, Table
from weasyprint import HTML

here = Path(__file__).parent
files = here / "files"
files.mkdir(exist_ok=True)
fonts = here.parents[2] / "src/render/fonts"
work = Path(tempfile.mkdtemp())
chinese = work / "NotoSansSC.ttf"
chinese.write_bytes(
    zstandard.ZstdDecompressor().decompressobj().decompress((fonts / "NotoSansSC-Regular.ttf.zst").read_bytes())
)
pdfmetrics.registerFont(TTFont("SC", chinese))

STYLE = f"""
@font-face {{ font-family: SC; src: url(file://{chinese}) }}
@page {{ size: A4; margin: 2cm }}
body {{ font: 10pt/1.4 'DejaVu Sans', SC }}
table {{ border-collapse: collapse; margin: 0 0 8mm 0 }}
td, th {{ border: 0.7pt solid black; padding: 2pt 5pt; text-align: left; vertical-align: top }}
.bare td, .bare th {{ border: none; border-bottom: 0.7pt solid black }}
.grey td, .grey th {{ border: 0.5pt solid #bbb }} .grey th {{ background: #dde }}
.narrow td, .narrow th {{ width: 28mm }}
.band tr:nth-child(even) td {{ background: #eee }}
"""

# Rows of cells; `text<2` goes over two columns, `text^2` over two rows, `.` is empty. Then what is to be found, where cells are
# merged: the names of the columns and the rows.
TABLES = {
    "plain": (["Name|Price|Stock", "Bolt|1.20|400", "Nut|0.35|1200", "Washer|0.10|5000"], None),
    "chinese": (["月份|日活跃用户|收入（万元）", "一月|12034|88.5", "二月|13500|91.2", "三月|14980|97.0"], None),
    "groups": (
        ["Region^2|Q1<2|Q2<2|Sum^2", "sales|cost|sales|cost", "East|1|2|3|4|10", "West|5|6|7|8|26"],
        (["Region", "Q1 sales", "Q1 cost", "Q2 sales", "Q2 cost", "Sum"], [["East", "1", "2", "3", "4", "10"], ["West", "5", "6", "7", "8", "26"]]),
    ),
    "rows-merged": (
        ["Team|Person|Days", "Red^2|Ann|12", "Bob|9", "Blue^3|Cid|7", "Dee|15", "Eve|3"],
        (["Team", "Person", "Days"], [["Red", "Ann", "12"], ["Red", "Bob", "9"], ["Blue", "Cid", "7"], ["Blue", "Dee", "15"], ["Blue", "Eve", "3"]]),
    ),
    "total": (
        ["Item|Unit|Amount", "Paper|box|12.50", "Ink|piece|49.90", "Total<2|62.40"],
        (["Item", "Unit", "Amount"], [["Paper", "box", "12.50"], ["Ink", "piece", "49.90"], ["Total", "", "62.40"]]),
    ),
    "empty-cells": (["Day|Morning|Noon|Evening", "Mon|x|.|x", "Tue|.|.|x", "Wed|.|x|.", "Thu|x|x|x"], None),
    "wide": (["Year|Jan|Feb|Mar|Apr|May|Jun|Jul|Aug", "2023|10|20|30|40|50|60|70|80", "2024|11|21|31|41|51|61|71|81"], None),
    "wrapped": (
        ["Clause|What it says|Who", "1.1|The supplier delivers within ten days of the order, unless agreed otherwise|Supplier", "1.2|The buyer pays within thirty days of the invoice|Buyer"],
        None,
    ),
    "chinese-merged": (
        ["部门^2|上半年<2|备注^2", "预算|实际", "研发部|100|97|节省", "市场部|80|92|超支，需说明原因并提交申请"],
        (["部门", "上半年 预算", "上半年 实际", "备注"], [["研发部", "100", "97", "节省"], ["市场部", "80", "92", "超支，需说明原因并提交申请"]]),
    ),
    "text": (["Term|Meaning", "API|a contract between programs", "PDF|a page that cannot be edited", "WASM|code that runs in a box"], None),
}

expected = []


def cells(line):
    for field in line.split("|"):
        columns = rows = 1
        if "^" in field:
            field, rows = field.split("^")
        if "<" in field:
            field, columns = field.split("<")
        yield field.replace(".", "") if field == "." else field, int(columns), int(rows)


def expect(file, page, lines, merged):
    if merged is None:
        grid = [[text for text, _, _ in cells(line)] for line in lines]
        merged = (grid[0], grid[1:])
    expected.append({"file": file, "page": page, "columns": merged[0], "rows": merged[1]})


def html_table(lines, style=""):
    out = [f'<table class="{style}">']
    for number, line in enumerate(lines):
        tag = "th" if number == 0 else "td"
        out.append("<tr>")
        out += [f'<{tag} colspan={columns} rowspan={rows}>{text}</{tag}>' for text, columns, rows in cells(line)]
        out.append("</tr>")
    return "".join(out) + "</table>"


def weasy(name, body, **options):
    HTML(string=f"<html><head><meta charset=utf-8>{options.get('head', '')}<style>{STYLE}</style></head><body>{body}</body></html>").write_pdf(files / name)


def weasy_tables():
    body = "<h1>Tables</h1>"
    page = 1
    for number, (name, (lines, merged)) in enumerate(TABLES.items()):
        if number in (4, 8):
            body += '<div style="break-before: page"></div>'
            page += 1
        body += f"<p>What follows is the table of {name}, as it was delivered.</p>" + html_table(lines, "narrow" if name == "wrapped" else "")
        expect("weasy-tables.pdf", page, lines, merged)
    weasy("weasy-tables.pdf", body)
    body = ""
    for style, names in (("bare", ["plain", "wide", "text"]), ("grey", ["groups", "wrapped", "empty-cells"])):
        for name in names:
            lines, merged = TABLES[name]
            body += f"<p>What follows is the table of {name}, as it was delivered.</p>" + html_table(lines, style)
            expect("weasy-styles.pdf", 1, lines, merged)
    weasy("weasy-styles.pdf", body)


def lab_table(lines, style):
    grid, spans = [], []
    taken = set()
    width = sum(columns for _, columns, _ in cells(lines[0]))
    for y, line in enumerate(lines):
        row, x = [""] * width, 0
        for text, columns, rows in cells(line):
            while (x, y) in taken:
                x += 1
            row[x] = Paragraph(text, ParagraphStyle("cell", fontName="SC", fontSize=9)) if len(text) > 40 else text
            taken |= {(x + dx, y + dy) for dx in range(columns) for dy in range(rows)}
            if columns > 1 or rows > 1:
                spans.append(("SPAN", (x, y), (x + columns - 1, y + rows - 1)))
            x += columns
        grid.append(row)
    widths = [45 * 2.8 if any(isinstance(row[x], Paragraph) for row in grid) else None for x in range(width)]
    return Table(grid, colWidths=widths, style=[("FONT", (0, 0), (-1, -1), "SC", 9), ("VALIGN", (0, 0), (-1, -1), "TOP"), *spans, *style])


def lab_tables():
    grid = [("GRID", (0, 0), (-1, -1), 0.5, colors.black)]
    boxed = [("BOX", (0, 0), (-1, -1), 1.5, colors.black), ("INNERGRID", (0, 0), (-1, -1), 0.25, colors.grey)]
    filled = [("BACKGROUND", (0, 0), (-1, 0), colors.lightblue), ("LINEBELOW", (0, 0), (-1, -1), 0.5, colors.black)]
    story = []
    for style, names in (
        (grid, ["plain", "chinese", "groups", "rows-merged", "total", "wrapped"]),
        (boxed, ["empty-cells", "wide", "chinese-merged"]),
        (filled, ["plain", "text"]),
    ):
        for name in names:
            lines, merged = TABLES[name]
            story += [Paragraph(f"What follows is the table of {name}, as it was delivered.", ParagraphStyle("p", fontName="SC")), Spacer(1, 8), lab_table(lines, style), Spacer(1, 20)]
            expect("lab-tables.pdf", 1 if len([e for e in expected if e["file"] == "lab-tables.pdf"]) < 6 else 2, lines, merged)
        if style is grid:
            from reportlab.platypus import PageBreak
            story.append(PageBreak())
    SimpleDocTemplate(str(files / "lab-tables.pdf"), pagesize=A4, topMargin=50, bottomMargin=50, invariant=1).build(story)


LOREM = (
    "The committee met in the morning and considered the extraordinarily complicated arrangements for the administration of the "
    "international organisation, whose responsibilities had been internationally acknowledged since the beginning of the decade. "
)
HAN = "本合同自双方签字盖章之日起生效，有效期为三年，期满后如双方无异议则自动延长一年，任何一方均可提前三十日以书面形式通知对方终止。"


def weasy_text():
    head = """<title>年度报告 Annual report</title><meta name=author content="Li Lei"><meta name=description content="Subject of it">
    <meta name=keywords content="a, b"><meta name="dcterms.created" content="2024-03-05T08:30:00+08:00">"""
    style = """<style>@page { @top-center { content: 'Confidential draft of the board' } @bottom-center { content: 'Acme Ltd · page ' counter(page) ' of ' counter(pages) } }
    .two { columns: 2; column-gap: 8mm; text-align: justify; hyphens: auto }</style>"""
    body = style + "<h1>年度报告</h1><p>" + HAN * 4 + "</p><h2>Terms</h2>"
    body += '<p>See <a href="https://example.org/terms?a=1">the terms</a>, or <a href="mailto:a@example.org">write</a>; <a href="javascript:alert(1)">not this</a>.</p>'
    body += "<ul><li>first point</li><li>second point</li></ul><ol><li>one</li><li>two</li></ol>"
    for number in range(3):
        body += f'<div style="break-before: page"></div><h2>Part {number + 1}</h2><div class=two lang=en>'
        for letter in "ABCD":
            body += f"<p>{letter}{number} begins. {LOREM * 2}{letter}{number} ends.</p>"
        body += "</div>"
    weasy("weasy-text.pdf", body, head=head)


def lab_columns():
    """Two columns, drawn line by line from the left to the right across both, as some producers do."""
    canvas = Canvas(str(files / "lab-columns.pdf"), pagesize=A4, invariant=1)
    canvas.setTitle("Columns")
    left = [f"Left line {n} of the first column, which goes on" for n in range(1, 31)]
    right = [f"Right line {n} of the second column, going on" for n in range(1, 31)]
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(60, 790, "A heading over both columns")
    canvas.setFont("Helvetica", 10)
    for n, (a, b) in enumerate(zip(left, right)):
        canvas.drawString(60, 760 - 14 * n, a)
        canvas.drawString(320, 760 - 14 * n, b)
    canvas.showPage()
    canvas.setFont("SC", 10)
    for n in range(20):
        canvas.drawString(60, 760 - 14 * n, f"左栏第{n + 1}行的文字内容在这里继续写下去直到栏尾")
        canvas.drawString(320, 760 - 14 * n, f"右栏第{n + 1}行的文字内容在这里继续写下去直到栏尾")
    canvas.save()


def lab_scan():
    """Page 1 has text, page 2 is a picture of text, page 3 a picture with letters that mean nothing, page 4 is empty."""
    picture = io.BytesIO()
    from PIL import Image

    image = Image.new("L", (248, 351), 255)
    for y in range(30, 320, 12):
        for x in range(30, 220):
            if (x * y) % 7 < 3:
                for dy in range(4):
                    image.putpixel((x, y + dy), 0)
    image.save(picture, "PNG")
    canvas = Canvas(str(files / "scan.pdf"), pagesize=A4, invariant=1)
    canvas.drawString(72, 700, "This page is text and can be read by everybody.")
    canvas.showPage()
    canvas.drawImage(ImageReader(picture), 0, 0, *A4)
    canvas.showPage()
    canvas.drawImage(ImageReader(picture), 20, 20, A4[0] - 40, A4[1] - 40)
    canvas.drawString(300, 30, "3")
    canvas.showPage()
    canvas.showPage()
    canvas.save()


def letters():
    """A long document whose letters are painted one by one, as Pango does."""
    plain = "".join(f"<p>Paragraph {n}: {LOREM}</p>" for n in range(40))
    weasy("letters.pdf", plain)


def mitt():
    """Tables with shaded cells: `mitt render mitt.md --output mitt.pdf` is run by hand, by the program of this project."""
    for table in (files / "mitt.md").read_text().split("\n\n"):
        lines = [line.strip("| ").split(" | ") for line in table.splitlines() if line.startswith("|")]
        if lines:
            expected.append({"file": "mitt.pdf", "page": 1, "columns": lines[0], "rows": lines[2:]})


def encrypted():
    plain = io.BytesIO()
    canvas = Canvas(plain, pagesize=A4, invariant=1)
    canvas.setTitle("Secret plan")
    canvas.drawString(72, 700, "The secret word is heliotrope.")
    canvas.save()
    for name, options in {
        "rc4-40": dict(R=2), "rc4-128": dict(R=3), "aes-128": dict(R=4), "aes-256-old": dict(R=5), "aes-256": dict(R=6),
    }.items():
        aes = options["R"] >= 4
        with pikepdf.open(io.BytesIO(plain.getvalue())) as pdf:
            pdf.save(files / f"{name}.pdf", encryption=pikepdf.Encryption(user="reader", owner="writer", aes=aes, metadata=aes, **options))
    with pikepdf.open(io.BytesIO(plain.getvalue())) as pdf:
        pdf.save(files / "owner-only.pdf", encryption=pikepdf.Encryption(user="", owner="writer", R=4, aes=True))


weasy_tables()
lab_tables()
weasy_text()
lab_columns()
lab_scan()
letters()
mitt()
encrypted()
(files / "tables.json").write_text(json.dumps(expected, ensure_ascii=False, indent=1) + "\n")
