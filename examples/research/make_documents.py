"""Makes the documents of this example. Needs openpyxl, python-docx and weasyprint; users need none of them, the documents are committed.

The city, the companies and all numbers are invented. What matters is the shape: a log of thousands of readings in which some are
missing, prices and deliveries in a workbook, rules on a saved page, a Chinese laboratory's report, a contract as PDF, and notes.
Made again, the files are the same, byte for byte.
"""

import csv
import os
import random
import zipfile
from datetime import date, datetime, timedelta
from pathlib import Path

os.environ["SOURCE_DATE_EPOCH"] = "1767225600"

from docx import Document
from openpyxl import Workbook
from openpyxl.styles import Font
from weasyprint import HTML

here = Path(__file__).parent
random.seed(19)

# Rated Wh, capacity lost in a cycle (share of the rated one), capacity when new, km that a cycle lasts.
SUPPLIERS = {
    "Hengchuan": (504, 0.000262, 1.003, 46.0),
    "Lumera": (518, 0.000181, 1.006, 47.5),
    "Voltjern": (500, 0.000389, 0.998, 45.0),
}


def fleet_log():
    """Each pack is read once a month for twenty months; where the reading was broken off there is no capacity."""
    with (here / "fleet-log.csv").open("w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["date", "pack", "supplier", "cycles", "km", "temperature_c", "capacity_wh"])
        packs = [(f"{name[0]}{number:03}", name) for name in SUPPLIERS for number in range(1, 61)]
        state = {pack: [random.randint(2, 9), random.uniform(30, 48), random.gauss(1, 0.006)] for pack, _ in packs}
        for month in range(20):
            for pack, name in packs:
                rated, fade, new, range_km = SUPPLIERS[name]
                cycles, per_month, own = state[pack]
                cycles += round(per_month * random.uniform(0.85, 1.15))
                state[pack][0] = cycles
                year, month_of_year = 2024 + (3 + month) // 12, (3 + month) % 12
                warm = [1, 2, 6, 10, 15, 19, 22, 21, 17, 11, 6, 3][month_of_year]
                temperature = round(warm + random.gauss(4, 2.5), 1)
                capacity = rated * (new - fade * cycles) * own * random.gauss(1, 0.004)
                if temperature < 15:
                    capacity *= 1 - 0.006 * (15 - temperature)
                is_lost = random.random() < 0.006
                rows.writerow([
                    date(year, month_of_year + 1, random.randint(3, 26)).isoformat(), pack, name, cycles,
                    round(cycles * range_km * random.gauss(1, 0.01)), temperature, "n/a" if is_lost else f"{capacity:.1f}",
                ])


def offers():
    book = Workbook()
    # What a workbook says of when it was made is the only thing in it that would change.
    book.properties.created = book.properties.modified = datetime(2026, 1, 12, 9, 0)
    prices = book.active
    prices.title = "Prices"
    prices.append(["supplier", "model", "rated_wh", "from_packs", "price_eur", "lead_time_weeks"])
    for name, model, tiers, weeks in [
        ("Hengchuan", "HC-36/14", [(1, 372.0), (200, 349.5), (500, 331.0)], 9),
        ("Lumera", "L5 Urban", [(1, 476.0), (200, 447.0), (500, 428.0)], 12),
        ("Voltjern", "VJ 500", [(1, 329.0), (200, 309.0), (500, 296.5)], 7),
    ]:
        for packs, price in tiers:
            prices.append([name, model, SUPPLIERS[name][0], packs, price, weeks])
    deliveries = book.create_sheet("Deliveries")
    deliveries.append(["order", "supplier", "ordered", "promised", "delivered", "packs", "rejected"])
    late = {"Hengchuan": (0.08, 6), "Lumera": (0.24, 11), "Voltjern": (0.12, 8)}
    rejects = {"Hengchuan": 0.009, "Lumera": 0.005, "Voltjern": 0.021}
    for number in range(1, 97):
        name = list(SUPPLIERS)[(number - 1) % 3]
        ordered = date(2023, 1, 9) + timedelta(days=10 * number + random.randint(0, 5))
        promised = ordered + timedelta(weeks={"Hengchuan": 9, "Lumera": 12, "Voltjern": 7}[name])
        share, days = late[name]
        delay = random.randint(2, 2 * days) if random.random() < share else -random.randint(0, 5)
        packs = random.choice([12, 20, 24, 30, 40])
        rejected = sum(random.random() < rejects[name] for _ in range(packs))
        deliveries.append([f"PO-{1000 + number}", name, ordered, promised, promised + timedelta(days=delay), packs, rejected])
    for sheet, widths in [(prices, [14, 12, 10, 12, 10, 16]), (deliveries, [12, 14, 13, 13, 13, 8, 10])]:
        for cell, width in zip(sheet[1], widths):
            cell.font = Font(bold=True)
            sheet.column_dimensions[cell.column_letter].width = width
        sheet.freeze_panes = "A2"
    save(book, here / "offers.xlsx")


RULES = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>Batteries of rental bikes | City of Nordhaven</title>
<link rel="canonical" href="https://mobility.nordhaven.example/rental-bikes/batteries">
<style>nav, footer { color: #666 } table { border-collapse: collapse } td, th { border: 1px solid #999; padding: 4px }</style></head>
<body><nav><a href="https://mobility.nordhaven.example/">Mobility</a> › <a href="https://mobility.nordhaven.example/rental-bikes">Rental bikes</a></nav>
<main><h1>Batteries of rental bikes</h1>
<p>Valid from 1 April 2026. Address of this page: https://mobility.nordhaven.example/rental-bikes/batteries</p>
<h2>1 Who has to keep these rules</h2>
<p>Everybody who holds a concession for rental bikes with electric drive in the area of the city, for every battery pack that is put into service from
1 April 2026 on. Packs that were in service before may be used until 31 March 2028.</p>
<h2>2 Capacity after use</h2>
<p>A pack keeps at least <strong>80 % of its rated capacity after 600 full cycles</strong>. What counts is the measurement at 15 °C to 25 °C. Proof is a
log of one's own fleet with at least 50 packs of the model, or a test of an accredited laboratory.</p>
<h2>3 Cold</h2>
<p>At −15 °C a new pack gives at least <strong>75 % of its rated capacity</strong>, at a discharge current of 0.5 C.</p>
<h2>4 Safety</h2>
<p>Packs are tested according to EN 50604-1. Packs that were dropped from more than one metre are taken out of service.</p>
<h2>5 Dates and fines</h2>
<table><tr><th>What</th><th>When or how much</th></tr>
<tr><td>Proof for sections 2 and 3 handed in</td><td>1 June 2026</td></tr>
<tr><td>New packs in service</td><td>1 October 2026</td></tr>
<tr><td>Fine for each pack without proof, each month</td><td>EUR 40</td></tr></table>
</main><footer>City of Nordhaven, Office of Mobility. Saved on 9 January 2026.</footer></body></html>
"""


def laboratory():
    doc = Document()
    properties = doc.core_properties
    properties.title, properties.author = "电动自行车电池组低温放电测试报告", "海宁动力电池检测中心"
    properties.created = properties.modified = datetime(2025, 12, 18, 10, 0)
    doc.add_heading("电动自行车电池组低温放电测试报告", level=1)
    doc.add_paragraph("报告编号：HN-2025-1187。委托方：Nordhaven 共享单车有限公司。测试日期：2025 年 11 月 24 日至 12 月 12 日。")
    doc.add_heading("1 样品", level=2)
    doc.add_paragraph("每家供应商随机抽取 8 组全新电池：恒川（Hengchuan）HC-36/14、Lumera L5 Urban、Voltjern VJ 500。")
    doc.add_heading("2 方法", level=2)
    doc.add_paragraph("电池组在 20 ℃ 下充满，在目标温度下静置 16 小时，以 0.5 C 放电至截止电压，记录放出的容量。结果为 8 组的平均值，以额定容量的百分比表示。")
    doc.add_heading("3 结果", level=2)
    doc.add_heading("3.1 不同温度下的容量", level=3)
    table(doc, ["温度", "恒川", "Lumera", "Voltjern"], [
        ["20 ℃", "100.4%", "100.7%", "99.8%"],
        ["0 ℃", "92.6%", "94.1%", "89.3%"],
        ["−10 ℃", "84.9%", "87.6%", "78.5%"],
        ["−15 ℃", "79.4%", "83.1%", "71.8%"],
        ["−20 ℃", "70.2%", "76.5%", "61.9%"],
    ])
    doc.add_heading("3.2 低温下的差异", level=3)
    doc.add_paragraph("−15 ℃ 时，Voltjern 的 8 组样品放出容量在 69.9% 至 73.6% 之间，无一达到 75%；恒川最低为 78.1%，Lumera 最低为 82.0%。")
    doc.add_heading("3.3 低温充电", level=3)
    doc.add_paragraph("0 ℃ 以下，恒川与 Lumera 的电池管理系统拒绝充电；Voltjern 在 −5 ℃ 仍以 0.2 C 充电，有析锂风险，建议要求厂家更新固件。")
    doc.add_heading("4 结论", level=2)
    doc.add_paragraph("恒川与 Lumera 在 −15 ℃ 满足“不低于额定容量 75%”的要求，Voltjern 不满足。")
    save(doc, here / "低温测试报告.docx")


def table(doc, head, rows):
    made = doc.add_table(rows=1, cols=len(head))
    made.style = "Table Grid"
    for cell, text in zip(made.rows[0].cells, head):
        cell.text = text
    for row in rows:
        for cell, text in zip(made.add_row().cells, row):
            cell.text = text


WARRANTY = """<html lang="en"><head><title>Warranty terms of three battery suppliers</title><style>
@page { size: A4; margin: 22mm; @bottom-center { content: counter(page) " / " counter(pages); font-size: 9pt } }
body { font: 10.5pt/1.45 "DejaVu Sans" } h1 { font-size: 18pt } h2 { font-size: 13pt } h2.new { break-before: page }
table { border-collapse: collapse; width: 100% } td, th { border: 0.5pt solid #888; padding: 4pt; text-align: left }</style></head><body>
<h1>Warranty terms of three battery suppliers</h1>
<p>Legal department, 14 January 2026. What the draft contracts of Hengchuan, Lumera and Voltjern say; for the purchase of 900 packs.</p>
<h2>1 What is warranted</h2>
<table><tr><th>Supplier</th><th>Years</th><th>Capacity warranted</th><th>What is paid</th></tr>
<tr><td>Hengchuan</td><td>3</td><td>80 % after 600 cycles</td><td>a new pack</td></tr>
<tr><td>Lumera</td><td>5</td><td>80 % after 900 cycles</td><td>a new pack, and freight</td></tr>
<tr><td>Voltjern</td><td>2</td><td>70 % after 500 cycles</td><td>credit for the part of the time that is left</td></tr></table>
<h2>2 When the warranty ends early</h2>
<p>Hengchuan: if a pack is opened. Lumera: if a pack is opened, or charged by chargers that Lumera has not listed; our chargers of type C4 are on the
list, those of type C2 are not. Voltjern: if a pack was used below −10 °C.</p>
<h2 class="new">3 Late deliveries</h2>
<p>Hengchuan pays 0.5 % of the price for each week of delay, at most 5 %. Lumera pays 1 % for each week, at most 10 %; we may leave the contract after
six weeks. Voltjern excludes any payment.</p>
<h2>4 What we advise</h2>
<p>The terms of Lumera are the best of the three if the chargers of type C2 are replaced before. With Voltjern we would have no protection in winter,
because the warranty ends where the city's rules begin.</p>
</body></html>"""

NOTES = """# Visits to the suppliers, December 2025

Written by Ines (purchasing) and Tomas (workshop).

## Hengchuan, 2 December

- Line runs at 70 %; 900 packs are "five weeks of one shift".
- They keep cells of each lot for two years. We were shown the lots of our own packs from 2024.
- The connector is the one that we have. No change in the workshop.

## Lumera, 9 December

- Very clean. Line is full until May; they asked for an order **before 15 February** to deliver in June.
- 14 of our 62 charging cabinets still have chargers of type C2; Tomas reckons EUR 350 for each cabinet to replace them.
- Connector as we have it.

## Voltjern, 16 December

- Cheapest, and the fastest to deliver.
- They would not let us see the test of the cells.
- Another connector: an adapter for each bike, EUR 6.50, and half an hour of work.
"""


def save(document, path):
    """Written with the same dates inside of the archive each time."""
    document.save(path)
    with zipfile.ZipFile(path) as archive:
        parts = [(name, archive.read(name)) for name in archive.namelist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts:
            if name == "docProps/core.xml" and path.suffix == ".xlsx":
                # openpyxl writes the time of saving.
                start = content.index(b"<dcterms:modified")
                begin, end = content.index(b">", start) + 1, content.index(b"</dcterms:modified>")
                content = content[:begin] + b"2026-01-12T09:00:00Z" + content[end:]
            archive.writestr(zipfile.ZipInfo(name, (2026, 1, 12, 9, 0, 0)), content, zipfile.ZIP_DEFLATED)


fleet_log()
offers()
laboratory()
(here / "city-rules.html").write_text(RULES, "utf-8")
HTML(string=WARRANTY).write_pdf(here / "warranty-terms.pdf")
(here / "visit-notes.md").write_text(NOTES, "utf-8")
