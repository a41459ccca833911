"""A program whose types mypy and pyright check, in their strict modes. It is not run."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Literal

import mitt


def ask(request: dict[str, Any]) -> str:
    return str(request["messages"][-1]["content"])


async def ask_later(request: dict[str, Any]) -> dict[str, Any]:
    return {"content": ask(request)}


def story(folder: Path) -> list[bytes]:
    limits: mitt.Limits = {"call": {"time_ms": 5000}, "session": {"parts": {"files": 3}}}
    with mitt.Host(limits=limits, rules=[mitt.Rules("words.txt", "secret"), folder / "more.txt"]) as host:

        @host.tool
        def price(article: str, currency: Literal["eur", "usd"] = "eur") -> float:
            return 1.5

        known: float = price("a")
        with host.session(tenant="acme", folder=folder, events=print) as session:

            @session.tool(name="shop__count", read_only=True)
            async def count(article: str) -> int:
                return 1

            document: mitt.Document = session.add(folder / "a.xlsx")
            rows: int = document.tables[0].rows
            result: mitt.Result = session.call("shop__count", article="a", options=mitt.CallOptions(timeout=known + rows))
            try:
                session.script("1 + 1", inputs={"a": 1})
            except mitt.Error as error:
                if error.result is not None and error.result.approval is not None:
                    session.resume(error.result.approval.id, approve=True)
                print(error.code, error.place, error.hint, error.retryable, error.limit)
            run: mitt.Run = session.run("compare", ask, limits={"turns": 3}, output_schema={"type": "object"})
            print(run.output)
            for event in session.events():
                print(event["event"])
            return [*(file.read() for file in run.artifacts), *(bytes(file) for file in result.artifacts)]


async def later(host: mitt.Host) -> int | None:
    async with host.session() as session:
        run = await session.arun("compare", ask_later)
        made: mitt.Made = await mitt.arender(run.text, "pdf", paper="a4")
        async for event in session.events():
            print(event["event"])
        return made.pages


if __name__ == "__main__":
    story(Path("."))
    asyncio.run(later(mitt.Host()))
