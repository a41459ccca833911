import excel_tool
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

# 全年：DAU 取各月平均，收入取合计。
year = table_tool.group(months, by=[], aggregates=[
    {"column": "2024 DAU（万）", "function": "mean", "name": "DAU 2024"},
    {"column": "2025 DAU（万）", "function": "mean", "name": "DAU 2025"},
    {"column": "2024 收入（万元）", "function": "sum", "name": "收入 2024"},
    {"column": "2025 收入（万元）", "function": "sum", "name": "收入 2025"},
], decimals=4).data.records()[0]
summary = [
    {"指标": "平均 DAU（万）", "2024 年": year["DAU 2024"], "2025 年": year["DAU 2025"]},
    {"指标": "营业收入（万元）", "2024 年": year["收入 2024"], "2025 年": year["收入 2025"]},
]
summary = table_tool.compare(summary, base="2024 年", columns=["2025 年"]).data
summary = table_tool.select(summary, rename=[
    {"column": "2025 年_change", "name": "增减"},
    {"column": "2025 年_growth", "name": "同比"},
]).data



def formats(names, number_format):
    return [{"column": name, "number_format": number_format} for name in names]


excel_tool.create_workbook(
    sheets=[
        {
            "name": "年度对比",
            "data": summary,
            "columns": formats(["2024 年", "2025 年", "增减"], "#,##0.00") + formats(["同比"], "0.00%"),
        },
        {
            "name": "按月对比",
            "data": months,
            "columns": formats(["DAU 同比", "收入同比"], "0.00%"),
            "charts": [
                {"kind": "column", "title": "DAU（万）", "category": "月份", "values": ["2024 DAU（万）", "2025 DAU（万）"]},
                {"kind": "line", "title": "收入同比", "category": "月份", "values": ["收入同比"]},
            ],
        },
    ],
    filename="2024-2025年经营对比.xlsx",
    title="2024–2025 年经营对比",
)

for row in summary.records():
    print(f"{row['指标']}: 2024 年 {row['2024 年']:,.2f}，2025 年 {row['2025 年']:,.2f}，同比 {row['同比']:.2%}")
