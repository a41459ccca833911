"""Writes model.jsonl: the turns of the recorded conversation. The script is kept apart in script.py, to be readable."""

import json
from pathlib import Path

here = Path(__file__).parent
turns = [
    {
        "format": "mitt-recording@1",
        "model": "recorded",
        "note": "What a model emitted, turn by turn. It holds no numbers of the reports: the script reads them when it runs.",
    },
    {
        "text": "我先看看两份报告的结构。",
        "calls": [
            {"id": "call_1", "name": "document_tool__list_documents", "arguments": {}},
            {"id": "call_2", "name": "document_tool__read_table", "arguments": {"name": "2025年经营报告.docx"}},
        ],
    },
    {
        "text": "两份报告都有按月的表。2024 年以万为单位，2025 年写成“万”“亿”，需要统一单位后再算同比。",
        "calls": [{"id": "call_3", "name": "python__run", "arguments": {"code": (here / "script.py").read_text("utf-8")}}],
    },
    {"text": "已完成：Excel 对比表（年度、按月、图表）和 PDF 总结都已生成，数字全部由脚本从两份报告计算得出。"},
]
lines = [json.dumps(turn, ensure_ascii=False) for turn in turns]
(here / "model.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
