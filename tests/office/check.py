"""What `mitt` writes, as other programs read it. Run by `run`."""

import json
import pathlib
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib

import docx
import openpyxl
from docx.enum.style import WD_STYLE_TYPE
from docx.oxml.ns import qn
from docx.shared import Cm, Pt, RGBColor

MITT, WORK = sys.argv[1], pathlib.Path(sys.argv[2])

REPORT = """---
author: 李雷
---
# 2025 年度经营报告

## 一、概况

收入**增长 12.5%**，*重点*在海外[^1]。见[主页](https://example.test/a)，或[下文](#二明细)。

- 甲
  - 乙
- [x] 已完成
- [ ] 未完成

1. 一
2. 二

> [!WARNING]
> 注意汇率。

## 二、明细

| 月份 | 收入 | 占比 | 编号 |
|---|---:|---:|---|
""" + "".join(f"| {n}月 | {n * 1234.5:,.2f} | {n}% | 00{n} |\n" for n in range(1, 61)) + """| 合计 | 2,259,135.00 | 100% | - |

```python
print("你好")
```

[^1]: 不含港澳台。
"""

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def mitt(*arguments, fails=False):
    done = subprocess.run([MITT, *map(str, arguments)], capture_output=True, text=True)
    if (done.returncode != 0) != fails:
        raise AssertionError(f"mitt {arguments}: {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def render(name, source, *options):
    text, made = WORK / f"{name}.md", WORK / name
    text.write_text(source, encoding="utf-8")
    made.unlink(missing_ok=True)
    mitt("render", text, "-o", made, *options)
    return made


def png(width, height):
    """A picture for a letterhead: a blue square."""
    row = b"\0" + b"\x1f\x4e\x79" * width
    chunk = lambda kind, data: struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(row * height)) + chunk(b"IEND", b"")


def letterhead(body):
    """A template as a Chinese office makes one: logo in the header, address in the footer, styles of its own."""
    document = docx.Document()
    section = document.sections[0]
    section.page_width, section.page_height = Cm(21), Cm(29.7)
    section.left_margin = section.right_margin = Cm(3)
    logo = WORK / "logo.png"
    logo.write_bytes(png(40, 40))
    line = section.header.paragraphs[0]
    line.add_run().add_picture(str(logo), width=Cm(1.2))
    line.add_run("  上海示例有限公司")
    section.footer.paragraphs[0].text = "地址：上海市示例路 1 号 · 编号 {{no}}"
    heading = document.styles["Heading 1"]
    heading.font.color.rgb = RGBColor(0xC0, 0x00, 0x00)
    heading.font.size = Pt(20)
    normal = document.styles["Normal"]
    normal.font.name = "Times New Roman"
    normal.element.get_or_add_rPr().get_or_add_rFonts().set(qn("w:eastAsia"), "SimSun")
    document.styles.add_style("Seal", WD_STYLE_TYPE.PARAGRAPH)
    for text in body:
        document.add_paragraph(text)
    return document


def pages(made):
    """The text of the pages as LibreOffice shows them; none where it is not there."""
    if not shutil.which("soffice"):
        return None
    profile = f"-env:UserInstallation=file://{WORK}/profile"
    subprocess.run(["soffice", "--headless", profile, "--convert-to", "pdf", "--outdir", str(made.parent), str(made)], check=True, capture_output=True, timeout=300)
    pdf = made.with_suffix(".pdf")
    if shutil.which("pdftoppm"):
        subprocess.run(["pdftoppm", "-r", "60", "-png", str(pdf), str(pdf.with_suffix(""))], check=True)
    if not shutil.which("pdftotext"):
        return None
    return subprocess.run(["pdftotext", "-layout", str(pdf), "-"], check=True, capture_output=True, text=True).stdout


def has_pages(made, *texts):
    shown = pages(made)
    for text in texts if shown is not None else ():
        assert text.replace(" ", "") in shown.replace(" ", ""), f"{made.name}: {text!r} is not on its pages"


@check
def a_report_is_what_word_takes_it_for():
    made = render("report.docx", REPORT, "--contents")
    document = docx.Document(made)
    styles = [paragraph.style.name for paragraph in document.paragraphs]
    assert styles[0] == "Title" and styles.count("Heading 1") == 2, styles[:9]
    assert document.core_properties.title == "2025 年度经营报告"
    assert document.core_properties.author == "李雷"
    table = document.tables[0]
    assert len(table.rows) == 62 and table.cell(1, 0).text == "1月"
    head = table.rows[0]._tr
    assert head.trPr.find(qn("w:tblHeader")) is not None
    xml = document.element.xml
    assert "w:footnoteReference" in xml and 'w:val="underDot"' in xml and "TOC \\o" in xml
    numbered = [p for p in document.paragraphs if p._p.pPr is not None and p._p.pPr.numPr is not None]
    assert len(numbered) >= 4
    has_pages(made, "合计", "不含港澳台", "第1页")


@check
def a_report_goes_onto_a_letterhead():
    template = WORK / "letterhead.docx"
    letterhead(["此致", "{{content}}", "签字：____"]).save(template)
    values = REPORT.replace("---\nauthor", "---\ndate: 2025-12-31\nauthor")
    # A place without a value is an error that names it.
    source = WORK / "on-letterhead.md"
    source.write_text(values, encoding="utf-8")
    said = mitt("render", source, "-o", WORK / "on-letterhead.docx", "--template", template, fails=True)
    assert "`no` (footer)" in said, said
    document = docx.Document(template)
    document.sections[0].footer.paragraphs[0].text = "地址：上海市示例路 1 号 · {{date}}"
    document.save(template)
    made = render("on-letterhead.docx", values, "--template", template)
    document = docx.Document(made)
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert texts[0] == "此致" and texts[-1] == "签字：____", (texts[0], texts[-1])
    assert "2025 年度经营报告" in texts
    headings = [p for p in document.paragraphs if p.style.name == "Heading 1"]
    assert len(headings) == 2 and headings[0].style.font.size == Pt(20)
    assert document.sections[0].footer.paragraphs[0].text.endswith("2025-12-31")
    with zipfile.ZipFile(template) as old, zipfile.ZipFile(made) as new:
        for name in old.namelist():
            if "media" in name or "theme" in name or "header" in name:
                assert old.read(name) == new.read(name), name
    has_pages(made, "上海示例有限公司", "此致", "合计", "2025-12-31", "签字")


@check
def tables_become_a_workbook():
    made = render("tables.xlsx", REPORT)
    book = openpyxl.load_workbook(made)
    assert book.sheetnames == ["二、明细"], book.sheetnames
    sheet = book.active
    assert sheet["B2"].value == 1234.5 and sheet["B2"].number_format == "#,##0.00", sheet["B2"].value
    assert sheet["C2"].value == 0.01 and sheet["C2"].number_format == "0%"
    assert sheet["D2"].value == "001" and sheet["B62"].font.bold
    assert sheet.freeze_panes == "A2"
    has_pages(made, "合计")


@check
def a_contract_is_filled():
    template = WORK / "contract-template.docx"
    document = letterhead([])
    title = document.add_paragraph(style="Title")
    # As Word splits what somebody has typed with corrections.
    for part in ("采购合同 {", "{ no", " }}"):
        title.add_run(part)
    document.add_paragraph("甲方：{{甲方.名称}}，乙方：{{乙方}}。")
    table = document.add_table(rows=3, cols=4, style="Table Grid")
    for row, texts in enumerate([["序号", "名称", "数量", "单价"], ["{{@number}}", "{{items.名称}}", "{{items.数量}}", "{{items.单价}}"], ["合计", "", "", "{{total}}"]]):
        for column, text in enumerate(texts):
            table.cell(row, column).text = text
    document.add_paragraph("{{#违约金}}")
    document.add_paragraph("违约金为 {{违约金}}。")
    document.add_paragraph("{{/违约金}}")
    document.save(template)
    items = [{"名称": "笔", "数量": 2, "单价": "3.50"}, {"名称": "纸", "数量": 1, "单价": "12.00"}]
    shutil.rmtree(WORK / "filled", ignore_errors=True)
    call = {"template": template.name, "filename": "contract.docx", "values": [{"name": "no", "value": "HT-001"}, {"name": "甲方.名称", "value": "上海示例有限公司"}, {"name": "乙方", "value": "北京某某公司"}, {"name": "total", "value": "15.50"}, {"name": "违约金", "value": "10%"}], "rows": [{"name": "items", "data": items}]}
    mitt("call", "word_tool__fill_template", "--json", json.dumps(call, ensure_ascii=False), "-d", template, "-o", WORK / "filled")
    made = WORK / "filled" / "contract.docx"
    document = docx.Document(made)
    texts = [paragraph.text for paragraph in document.paragraphs]
    assert texts == ["采购合同 HT-001", "甲方：上海示例有限公司，乙方：北京某某公司。", "违约金为 10%。"], texts
    rows = [[cell.text for cell in row.cells] for row in document.tables[0].rows]
    assert rows == [["序号", "名称", "数量", "单价"], ["1", "笔", "2", "3.50"], ["2", "纸", "1", "12.00"], ["合计", "", "", "15.50"]], rows
    assert document.sections[0].footer.paragraphs[0].text.endswith("HT-001")
    has_pages(made, "采购合同", "上海示例有限公司", "12.00", "违约金为10%")


failed = 0
for function in CHECKS:
    try:
        function()
        print(f"ok      {function.__name__}")
    except Exception as error:
        failed += 1
        print(f"FAILED  {function.__name__}: {type(error).__name__}: {error}")
sys.exit(1 if failed else 0)
