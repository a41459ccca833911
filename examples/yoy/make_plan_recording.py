"""Writes plan.jsonl: the turns of the recorded plan. Its scripts are kept apart in plan_*.py, to be readable."""

import json
from pathlib import Path

here = Path(__file__).parent


def step(id, title, description, kind, needs=()):
    return {"id": id, "title": title, "description": description, "kind": kind, "needs": list(needs)}


OLD, NEW = "2024年经营报告.xlsx", "2025年经营报告.docx"
STEPS = [
    step("read-2024", "查看 2024 年报告的表", f"找出 {OLD} 中按月的日活跃用户和营业收入在哪张表，用什么单位。", "research"),
    step("read-2025", "查看 2025 年报告的表", f"找出 {NEW} 中按月的日活跃用户和营业收入在哪张表，用什么单位。", "research"),
    step(
        "compare", "计算两年同比并生成 Excel",
        "用脚本把两年的数换算成同一单位，算出全年和按月的同比，生成 Excel 工作簿，并打印全年的数。",
        "processing", ["read-2024", "read-2025"],
    ),
    step(
        "months", "找出增速最高和最低的月份",
        "用脚本按月算出收入和 DAU 的同比，打印收入同比最高和最低的月份。",
        "processing", ["read-2024", "read-2025"],
    ),
]
PLAN = {
    "thought": "两份报告的单位不同：先看清各自的表，再用脚本换算、对比；两个计算互不依赖，可以同时做。",
    "title": "2024-2025年经营对比",
    "has_enough_context": False,
    "steps": STEPS,
}
REPORT = (here / "plan_report.md").read_text("utf-8")


def task(number):
    return "# Task\n\n## Title\n\n" + STEPS[number]["title"]


def call(tool, /, **arguments):
    return [{"id": "call_1", "name": tool, "arguments": arguments}]


def script(name):
    return call("python__run", code=(here / name).read_text("utf-8"))


turns = [
    {
        "format": "mitt-recording@1",
        "model": "recorded",
        "note": "What models emitted for a plan. The report has the numbers that the scripts print; a test compares them.",
    },
    {"to": "# Plan", "text": json.dumps(PLAN, ensure_ascii=False)},
    {"to": task(0), "text": "我看一下表的结构。", "calls": call("document_tool__read_table", name=OLD)},
    {"to": task(0), "text": f"{OLD} 的第一张表按月列出“日活跃用户（万人）”和“营业收入（万元）”，单位是万。"},
    {"to": task(1), "text": "我看一下表的结构。", "calls": call("document_tool__read_table", name=NEW)},
    {"to": task(1), "text": f"{NEW} 的第一张表按月列出“日活跃用户”和“营业收入”，写成“万”“亿”。"},
    {"to": task(2), "calls": script("plan_compare.py")},
    {"to": task(2), "text": "Excel 对比表（年度、按月、图表）已生成，全年的数由脚本打印。"},
    {"to": task(3), "calls": script("plan_months.py")},
    {"to": task(3), "text": "收入同比最高和最低的月份由脚本打印。"},
    {"to": "# Review", "text": json.dumps({"feedback": "", "passed": True})},
    {"to": "# Report", "text": REPORT},
]
lines = [json.dumps(turn, ensure_ascii=False) for turn in turns]
(here / "plan.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
