"""Writes model.jsonl: the turns of the recorded conversation. The script is kept apart in script.py, to be readable."""

import json
from pathlib import Path

here = Path(__file__).parent
turns = [
    {
        "format": "mitt-recording@1",
        "model": "recorded",
        "note": "What a model emitted, turn by turn. It holds no totals: the script reads them when it runs.",
    },
    {
        "text": "I look at the workbook and at the annex first.",
        "calls": [
            {"id": "call_1", "name": "sheet_tool__read_workbook", "arguments": {"document": "budget.xlsx", "sheet": "Budget"}},
            {"id": "call_2", "name": "sheet_tool__read_cells", "arguments": {"document": "budget.xlsx", "range": "Budget!A7:E12"}},
            {"id": "call_3", "name": "docx_tool__read_structure", "arguments": {"document": "contract.docx", "find": "2026"}},
        ],
    },
    {
        "text": "From July on, the formula compares with January (`B$2`) instead of the month before.",
        "calls": [{"id": "call_4", "name": "python__run", "arguments": {"code": (here / "script.py").read_text("utf-8")}}],
    },
    {
        "text": "`budget.v2.xlsx` has November, the growth over the month before in all rows since July, new totals and a longer chart. "
        "`contract.v2.docx` has the new total and the row for November in Annex B as tracked changes; nothing else was touched."
    },
]
lines = [json.dumps(turn, ensure_ascii=False) for turn in turns]
(here / "model.jsonl").write_text("\n".join(lines) + "\n", "utf-8")
