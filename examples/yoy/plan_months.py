import table_tool


def numbers(table, columns):
    """The table with these columns as numbers; stops when a cell is none."""
    parsed = table_tool.parse_numbers(table, columns=columns)
    if parsed.failures:
        raise ValueError(f"不是数字：{parsed.failures}")
    return parsed.data


# 2024 年的表以“万”为单位，2025 年的写成“1,452.3万”“1.26亿”，读成绝对数后再换算成“万”。
old = documents["2024年经营报告.xlsx"].tables[0]
old = numbers(old, ["日活跃用户（万人）", "营业收入（万元）"])
old = table_tool.select(old, rename=[
    {"column": "日活跃用户（万人）", "name": "2024 DAU（万）"},
    {"column": "营业收入（万元）", "name": "2024 收入（万元）"},
]).data

new = documents["2025年经营报告.docx"].tables[0]
new = numbers(new, ["日活跃用户", "营业收入"])
new = table_tool.calculate(new, name="2025 DAU（万）", expression="[日活跃用户] / 10000", decimals=4).data
new = table_tool.calculate(new, name="2025 收入（万元）", expression="[营业收入] / 10000", decimals=4).data
new = table_tool.select(new, columns=["月份", "2025 DAU（万）", "2025 收入（万元）"]).data

# 按月对比。
months = table_tool.join(old, new, on=[{"left": "月份", "right": "月份"}]).data
months = table_tool.compare(months, base="2024 DAU（万）", columns=["2025 DAU（万）"]).data
months = table_tool.compare(months, base="2024 收入（万元）", columns=["2025 收入（万元）"]).data
months = table_tool.select(
    months,
    columns=[
        "月份",
        "2024 DAU（万）", "2025 DAU（万）", "2025 DAU（万）_growth",
        "2024 收入（万元）", "2025 收入（万元）", "2025 收入（万元）_growth",
    ],
    rename=[
        {"column": "2025 DAU（万）_growth", "name": "DAU 同比"},
        {"column": "2025 收入（万元）_growth", "name": "收入同比"},
    ],
).data

best = max(months.records(), key=lambda row: row["收入同比"])
weakest = min(months.records(), key=lambda row: row["收入同比"])
for name, row in [("增速最高", best), ("增速最低", weakest)]:
    print(f"收入同比{name}：{row['月份']}，{row['收入同比']:.2%}；DAU 同比 {row['DAU 同比']:.2%}")
