import statistics
from datetime import date

import excel_tool

PACKS = 900
# From the results of the steps before: the laboratory's values at −15 °C, and what the change to a supplier costs once.
COLD = {"Hengchuan": 0.794, "Lumera": 0.831, "Voltjern": 0.718}
ONCE = {"Hengchuan": 0, "Lumera": 14 * 350, "Voltjern": 6.5 * PACKS}

prices, deliveries = documents["offers.xlsx"].tables
price, rated = {}, {}
for row in prices:
    name = row["supplier"]
    rated[name] = float(row["rated_wh"])
    if row["from_packs"] <= PACKS:
        price[name] = float(row["price_eur"])  # rows are in order: the last one that fits counts

# Capacity over cycles as a straight line, from the readings at 15 to 25 °C; km of a cycle from the last reading of each pack.
points, last = {name: [] for name in price}, {}
for row in documents["fleet-log.csv"].tables[0]:
    last[row["pack"]] = row
    if str(row["capacity_wh"]) != "n/a" and 15 <= float(row["temperature_c"]) <= 25:
        points[row["supplier"]].append((int(row["cycles"]), float(row["capacity_wh"]) / rated[row["supplier"]]))


def line(of):
    n = len(of)
    mean_x = sum(x for x, _ in of) / n
    mean_y = sum(y for _, y in of) / n
    slope = sum((x - mean_x) * (y - mean_y) for x, y in of) / sum((x - mean_x) ** 2 for x, _ in of)
    return mean_y - slope * mean_x, slope


decision, punctual = [], []
for name in price:
    new, slope = line(points[name])
    cycles = (0.8 - new) / slope
    packs = [row for row in last.values() if row["supplier"] == name]
    km = sum(int(row["km"]) for row in packs) / sum(int(row["cycles"]) for row in packs)
    total = price[name] * PACKS + ONCE[name]
    orders = [row for row in deliveries if row["supplier"] == name]
    late = [(date.fromisoformat(str(row["delivered"])[:10]) - date.fromisoformat(str(row["promised"])[:10])).days for row in orders]
    late = [days for days in late if days > 0]
    at_600 = new + 600 * slope
    decision.append({
        "Supplier": name,
        "Price of a pack (EUR)": price[name],
        "Price of 900, with change-over (EUR)": total,
        "Cycles until 80%": round(cycles),
        "Km per cycle": round(km, 1),
        "EUR per 1,000 km": round(total / PACKS / (cycles * km) * 1000, 2),
        "Capacity after 600 cycles": round(at_600, 6),
        "Capacity at −15 °C": COLD[name],
        "Keeps the rules": "yes" if at_600 >= 0.8 and COLD[name] >= 0.75 else "no",
    })
    punctual.append({
        "Supplier": name,
        "Orders": len(orders),
        "Orders on time": round(1 - len(late) / len(orders), 6),
        "Days late (median of late ones)": statistics.median(late) if late else 0,
        "Packs rejected": round(sum(row["rejected"] for row in orders) / sum(row["packs"] for row in orders), 6),
    })

bands = []
for low in range(0, 900, 100):
    row = {"Cycles": f"{low}–{low + 99}"}
    for name, of in points.items():
        band = [share for cycles, share in of if low <= cycles < low + 100]
        row[name] = round(sum(band) / len(band), 6) if len(band) >= 5 else None
    bands.append(row | {"Rule of the city": 0.8})


def formats(number_format, *names):
    return [{"column": name, "number_format": number_format} for name in names]


excel_tool.create_workbook(
    sheets=[
        {
            "name": "Decision",
            "data": decision,
            "columns": formats("#,##0.00", "Price of a pack (EUR)", "Price of 900, with change-over (EUR)", "EUR per 1,000 km")
            + formats("#,##0", "Cycles until 80%")
            + formats("0.0%", "Capacity after 600 cycles", "Capacity at −15 °C"),
            "charts": [{"kind": "column", "title": "EUR per 1,000 km until 80% of capacity", "category": "Supplier", "values": ["EUR per 1,000 km"]}],
        },
        {
            "name": "Capacity by cycles",
            "data": bands,
            "columns": formats("0.0%", *price, "Rule of the city"),
            "charts": [{"kind": "line", "title": "Capacity by cycles", "category": "Cycles", "values": [*price, "Rule of the city"]}],
        },
        {"name": "Deliveries", "data": punctual, "columns": formats("0.0%", "Orders on time", "Packs rejected")},
    ],
    filename="battery-packs.xlsx",
    title="Battery packs: three suppliers compared",
)

print("| Supplier | Pack | All 900 packs | Km per cycle | Cost per 1,000 km |\n|---|---:|---:|---:|---:|")
for row in decision:
    total = row["Price of 900, with change-over (EUR)"]
    print(f"| {row['Supplier']} | EUR {row['Price of a pack (EUR)']:.2f} | EUR {total:,.0f} | {row['Km per cycle']} | EUR {row['EUR per 1,000 km']:.2f} |")
print("\n| Supplier | Orders on time | Median delay of late orders | Packs rejected |\n|---|---:|---:|---:|")
for row in punctual:
    print(f"| {row['Supplier']} | {row['Orders on time']:.1%} | {row['Days late (median of late ones)']:g} days | {row['Packs rejected']:.1%} |")
print()
for row in decision:
    print(f"{row['Supplier']} keeps the rules: {row['Keeps the rules']}")
by_name = {row["Supplier"]: row for row in decision}
more = by_name["Lumera"]["Price of 900, with change-over (EUR)"] - by_name["Hengchuan"]["Price of 900, with change-over (EUR)"]
saved = 1 - by_name["Lumera"]["EUR per 1,000 km"] / by_name["Hengchuan"]["EUR per 1,000 km"]
print(f"Lumera costs EUR {more:,.0f} more than Hengchuan at once, and {saved:.0%} less per km")
