#!/usr/bin/env python3
"""Make the files that the tests read: `pip install pandas==3.1.1 nbformat==5.11.1 feedgen==1.0.0 lxml`, pandoc, then `tests/make.py`.

Written by producers that have nothing to do with the reader: pandoc, pandas, nbformat, feedgen.
"""

import subprocess
import zipfile
from datetime import datetime, timezone
from pathlib import Path

import nbformat
import pandas
from feedgen.feed import FeedGenerator
from nbformat import v4

files = Path(__file__).parent / "files"
files.mkdir(exist_ok=True)

BOOK = """---
title: 红楼梦选读
author: [曹雪芹, Gao E]
lang: zh-CN
date: 1791-01-01
publisher: 程甲本
identifier: urn:isbn:9787020002207
---

# 第一回

甄士隐梦幻识通灵[^1]，贾雨村风尘怀闺秀。参见[第二回](#second)。

[^1]: 此处为**脚注**。

## 人物

| 姓名 | 年龄 |
|------|-----:|
| 宝玉 |   13 |
| 黛玉 |   12 |

# 第二回 {#second}

1. First
2. Second
    - nested

> 满纸荒唐言

Text after the quotation.
"""


def books():
    for kind in ("epub2", "epub3"):
        target = files / f"{kind}.epub"
        command = ["pandoc", "-f", "markdown", "-t", kind, "--toc", "-o", str(target)]
        subprocess.run(command, input=BOOK.encode(), check=True)
    # The same book, with what a shop adds to it.
    with zipfile.ZipFile(files / "epub3.epub") as plain, zipfile.ZipFile(files / "drm.epub", "w", zipfile.ZIP_DEFLATED) as locked:
        for name in plain.namelist():
            locked.writestr(name, plain.read(name))
        locked.writestr(
            "META-INF/encryption.xml",
            '<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:enc="http://www.w3.org/2001/04/xmlenc#">'
            '<enc:EncryptedData><enc:EncryptionMethod Algorithm="http://www.w3.org/2001/04/xmlenc#aes128-cbc"/>'
            '<enc:CipherData><enc:CipherReference URI="EPUB/text/ch001.xhtml"/></enc:CipherData></enc:EncryptedData></encryption>',
        )


def frame():
    columns = pandas.MultiIndex.from_tuples([("Q1", "sales"), ("Q1", "cost"), ("Q2", "sales"), ("Q2", "cost")])
    index = pandas.MultiIndex.from_tuples([("East", "A"), ("East", "B"), ("West", "A")], names=["region", "team"])
    return pandas.DataFrame([[1, 2, 3, 4], [5, 6, 7, 8], [9, 10, 11, 12]], index=index, columns=columns)


def notebook():
    book = v4.new_notebook()
    book.metadata = {"language_info": {"name": "python"}, "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    table = pandas.DataFrame({"月份": ["一月", "二月"], "收入": [12.5, 13.0]})
    pixel = (
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
    )
    book.cells = [
        v4.new_markdown_cell("# 分析\n\nSome *text*."),
        v4.new_code_cell(
            "print('hello')\ndf",
            execution_count=3,
            outputs=[
                v4.new_output("stream", text="hello\n"),
                v4.new_output("execute_result", {"text/html": table.to_html(index=False), "text/plain": str(table)}, execution_count=3),
            ],
        ),
        v4.new_code_cell(
            "1/0",
            execution_count=4,
            outputs=[v4.new_output("error", ename="ZeroDivisionError", evalue="division by zero", traceback=["\x1b[31mZeroDivisionError\x1b[0m: division by zero"])],
        ),
        v4.new_code_cell("plot()", outputs=[v4.new_output("display_data", {"image/png": pixel, "text/plain": "<Figure>"})]),
    ]
    for number, cell in enumerate(book.cells):
        cell.id = f"c{number}"
    nbformat.write(book, files / "four.ipynb")
    nbformat.write(nbformat.convert(book, 3), files / "three.ipynb")


def feeds():
    feed = FeedGenerator()
    feed.id("https://example.org/feed")
    feed.title("示例 Feed")
    feed.link(href="https://example.org/", rel="alternate")
    feed.description("News of an example")
    feed.language("zh-CN")
    feed.updated(datetime(2025, 3, 1, tzinfo=timezone.utc))
    for number in (1, 2):
        entry = feed.add_entry(order="append")
        entry.id(f"https://example.org/{number}")
        entry.title(f"第 {number} 条 & more")
        entry.link(href=f"https://example.org/{number}")
        entry.author(name="Li Lei", email="li@example.org")
        day = datetime(2025, 2, number, tzinfo=timezone.utc)
        entry.published(day)
        entry.updated(day)
        entry.content(f"<p>Text <b>{number}</b> with a <a href='/x'>link</a>.</p>", type="CDATA")
    feed.rss_file(str(files / "feed.rss.xml"), pretty=True)
    feed.atom_file(str(files / "feed.atom.xml"), pretty=True)


books()
notebook()
feeds()
(files / "pandas.html").write_text(frame().to_html(), encoding="utf-8")
records = pandas.DataFrame({"id": [1, 2], "名称": ["螺栓", "螺母"], "price": [1.2, 0.35]})
records.to_json(files / "records.json", orient="records", force_ascii=True)
records.to_json(files / "table.json", orient="table", force_ascii=True)
records.to_json(files / "records.jsonl", orient="records", lines=True, force_ascii=False)
records.to_xml(files / "records.xml", index=False)
