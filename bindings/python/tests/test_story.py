"""The story of the README: two reports in, a workbook and a PDF out."""

from __future__ import annotations

import asyncio
import io
import json
import pathlib
import shutil
import subprocess
from typing import Any

import mitt
import pytest

REPORTS = ("2024年经营报告.xlsx", "2025年经营报告.docx")


def recorded(folder: pathlib.Path) -> Any:
    """Returns a model that says what a model said once."""
    lines = (folder / "model.jsonl").read_text("utf-8").splitlines()
    turns = iter([json.loads(line) for line in lines][1:])

    def model(request: dict[str, Any]) -> dict[str, Any]:
        assert request["messages"][-1]["role"] in ("user", "tool")
        turn = next(turns)
        calls = [
            {"id": call["id"], "type": "function", "function": {"name": call["name"], "arguments": json.dumps(call["arguments"])}}
            for call in turn.get("calls", [])
        ]
        return {"role": "assistant", "content": turn.get("text"), "tool_calls": calls}

    return model


def check_workbook(content: bytes) -> None:
    openpyxl = pytest.importorskip("openpyxl")
    book = openpyxl.load_workbook(io.BytesIO(content))
    assert book.sheetnames == ["年度对比", "按月对比"]
    rows = list(book["年度对比"].iter_rows(values_only=True))
    assert rows[0][:3] == ("指标", "2024 年", "2025 年")
    assert rows[2][0] == "营业收入（万元）"
    assert rows[2][1] == pytest.approx(125235.5), rows
    assert rows[2][2] == pytest.approx(173410.0), rows
    assert book["按月对比"].max_row == 13


def check_pdf(content: bytes) -> None:
    assert content.startswith(b"%PDF-")
    if shutil.which("pdftotext"):
        shown = subprocess.run(["pdftotext", "-", "-"], input=content, capture_output=True, check=True)
        assert "经营对比总结" in shown.stdout.decode()


def test_two_reports_become_a_workbook_and_a_pdf(host: mitt.Host, yoy: pathlib.Path, tmp_path: pathlib.Path) -> None:
    with host.session() as session:
        for name in REPORTS:
            document = session.add(yoy / name)
            assert document.name == name and document.tables and document.text and document.warnings == ()
        run = session.run("对比两年的经营数据，生成 Excel 和 PDF。", recorded(yoy))
        assert run.turns == 3 and run.missing == () and len(run.calls) == 3
        files = {pathlib.Path(file.name).suffix: file for file in run.artifacts}
        assert set(files) == {".xlsx", ".pdf"}
        check_workbook(files[".xlsx"].read())
        check_pdf(bytes(files[".pdf"]))
        assert [sheet.name for sheet in files[".xlsx"].sheets] == ["年度对比", "按月对比"]
        assert files[".pdf"].pages and files[".pdf"].pages >= 1
        saved = files[".pdf"].save(tmp_path)
        assert pathlib.Path(saved) == tmp_path / files[".pdf"].name and pathlib.Path(saved).stat().st_size == files[".pdf"].size
    # A file outlives its session.
    assert files[".pdf"].read().startswith(b"%PDF-")


async def story(host: mitt.Host, yoy: pathlib.Path) -> mitt.Result:
    async with host.session() as session:
        for name in REPORTS:
            await session.aadd(yoy / name)
        return await session.ascript((yoy / "script.py").read_text("utf-8"))


def test_the_script_alone_in_a_coroutine(host: mitt.Host, yoy: pathlib.Path) -> None:
    result = asyncio.run(story(host, yoy))
    assert "完成" in result.stdout
    assert {pathlib.Path(file.name).suffix for file in result.artifacts} == {".xlsx", ".pdf"}
    check_workbook(next(file for file in result.artifacts if file.name.endswith(".xlsx")).read())
