"""A Word file of a report, as programs around python-docx make it: `peer.py REPORT.md OUT.docx`.

Knows what the report of the bench has: headings, paragraphs with bold parts, tables, lists, code.
"""

import re
import sys

import docx


def runs(paragraph, text):
    for at, part in enumerate(re.split(r"\*\*", text)):
        paragraph.add_run(part).bold = at % 2 == 1


document = docx.Document()
lines = open(sys.argv[1], encoding="utf-8").read().split("\n")
at, in_code = 0, False
while at < len(lines):
    line = lines[at]
    if line.startswith("```"):
        in_code = not in_code
    elif in_code:
        document.add_paragraph(line, style="No Spacing")
    elif match := re.match(r"(#+) (.*)", line):
        document.add_heading(match[2], len(match[1]))
    elif line.startswith("|"):
        rows = []
        while at < len(lines) and lines[at].startswith("|"):
            rows.append([cell.strip() for cell in lines[at].strip("|").split("|")])
            at += 1
        del rows[1]
        table = document.add_table(len(rows), len(rows[0]), style="Table Grid")
        for row, cells in zip(table.rows, rows):
            for cell, text in zip(row.cells, cells):
                cell.text = text
        continue
    elif line.startswith("- "):
        runs(document.add_paragraph(style="List Bullet"), line[2:])
    elif match := re.match(r"  \d+\. (.*)", line):
        runs(document.add_paragraph(style="List Number 2"), match[1])
    elif line.strip():
        runs(document.add_paragraph(), line)
    at += 1
document.save(sys.argv[2])
