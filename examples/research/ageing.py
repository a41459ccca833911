# Readings at 15 to 25 °C with a capacity: the city's rule counts these only.
RATED = {}
for row in documents["offers.xlsx"].tables[0]:
    RATED[row["supplier"]] = float(row["rated_wh"])

points = {name: [] for name in RATED}
lost = outside = 0
for row in documents["fleet-log.csv"].tables[0]:
    if str(row["capacity_wh"]) == "n/a":
        lost += 1
    elif not 15 <= float(row["temperature_c"]) <= 25:
        outside += 1
    else:
        share = float(row["capacity_wh"]) / RATED[row["supplier"]]
        points[row["supplier"]].append((int(row["cycles"]), share))

counted = sum(len(of) for of in points.values())
print(f"Readings: {lost + outside + counted:,}; without a capacity (n/a): {lost}; not at 15 to 25 °C: {outside:,}; counted: {counted:,}")


def line(of):
    """Least squares: the capacity when new, and what a cycle takes of it."""
    n = len(of)
    mean_x = sum(x for x, _ in of) / n
    mean_y = sum(y for _, y in of) / n
    slope = sum((x - mean_x) * (y - mean_y) for x, y in of) / sum((x - mean_x) ** 2 for x, _ in of)
    return mean_y - slope * mean_x, slope


print("\n| Supplier | Readings | Most cycles seen | Loss per 100 cycles | Capacity after 600 cycles | Cycles until 80% |\n|---|---:|---:|---:|---:|---:|")
for name, of in points.items():
    new, slope = line(of)
    print(f"| {name} | {len(of)} | {max(x for x, _ in of)} | {-slope * 100:.2%} | {new + 600 * slope:.1%} | {(0.8 - new) / slope:,.0f} |")

# Means of a hundred cycles each, for a chart.
print("\n| Cycles | Hengchuan | Lumera | Voltjern | Rule of the city |\n|---|---:|---:|---:|---:|")
for low in range(0, 900, 100):
    cells = []
    for of in points.values():
        band = [share for cycles, share in of if low <= cycles < low + 100]
        cells.append(f"{sum(band) / len(band):.1%}" if len(band) >= 5 else "-")
    print(f"| {low}–{low + 99} | " + " | ".join(cells) + " | 80.0% |")
