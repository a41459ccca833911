"""Python functions as tools."""

from __future__ import annotations

import asyncio
import dataclasses
import datetime
import decimal
import enum
import time
from collections.abc import Callable
from typing import Annotated, Any, Literal, Optional, TypedDict

import mitt
import pytest
from test_session import refused


class Colour(enum.Enum):
    RED = "red"
    BLUE = "blue"


@dataclasses.dataclass
class Item:
    name: str
    count: int = 1


class Point(TypedDict):
    x: float
    y: float


def order(
    items: list[Item],
    colour: Colour,
    size: Literal["s", "m"] = "m",
    note: Optional[str] = None,
    at: Point | None = None,
    weights: dict[str, float] = {},
    price: Annotated[int, "in cents"] = 5,
) -> dict[str, Any]:
    """Orders items.

    It keeps nothing.

    Args:
        items: what is ordered
        note (str): for the shop
    """
    assert isinstance(colour, Colour) and all(isinstance(item, Item) for item in items)
    assert all(isinstance(weight, float) for weight in weights.values())
    return {"count": sum(item.count for item in items), "colour": colour, "items": items, "size": size, "note": note, "at": at}


def test_a_schema_comes_from_annotations(bare: mitt.Host) -> None:
    session = bare.session()
    assert session.tool(order) is order
    (tool,) = session.tools()
    assert tool.name == "app__order" and tool.description == "Orders items.\n\nIt keeps nothing."
    properties = tool.parameters["properties"]
    assert set(tool.parameters["required"]) == {"items", "colour"}
    assert "integer" in str(properties["items"]["items"]["properties"]["count"])
    assert properties["items"]["description"] == "what is ordered"
    assert sorted(properties["colour"]["enum"]) == ["blue", "red"]
    assert "in cents" in properties["price"]["description"]
    result = session.call(
        "app__order", items=[{"name": "a", "count": 2}, {"name": "b"}], colour="red", at={"x": 1, "y": 2.5}, weights={"a": 1}
    )
    assert result.value == {
        "count": 3, "colour": "red", "items": [{"name": "a", "count": 2}, {"name": "b", "count": 1}], "size": "m", "note": None,
        "at": {"x": 1, "y": 2.5},
    }  # fmt: skip
    with refused("arguments") as it:
        session.call("app__order", items=[{"nam": "a"}], colour="green")
    assert "/items/0" in it.error.text and "/colour" in it.error.text


def test_a_tool_with_a_schema_of_its_own(bare: mitt.Host) -> None:
    session = bare.session()

    @session.tool(name="shop__any", description="Anything.", parameters={"type": "object", "properties": {"a": {"type": "integer"}}})
    def anything(**arguments: Any) -> Any:
        return arguments

    assert session.call("shop__any", a=1).value == {"a": 1}
    assert session.tools()[0].description == "Anything."


def test_a_script_calls_a_tool() -> None:
    with mitt.Host() as host:

        @host.tool(name="shop__price", read_only=True)
        def price(article: str) -> float:
            """Returns a price."""
            return {"a": 1.5}[article]

        with host.session() as session:
            assert session.script("import shop\nprint(shop.price('a') * 2)").stdout.strip() == "3.0"
            with refused("plugin") as it:
                session.script("import shop\nshop.price('b')")
            assert "KeyError" in it.error.text


def test_coroutines_are_tools(bare: mitt.Host) -> None:
    session = bare.session()
    loops: list[asyncio.AbstractEventLoop] = []

    @session.tool
    async def slow(n: int) -> int:
        loops.append(asyncio.get_running_loop())
        await asyncio.sleep(0.01)
        return n + 1

    # No loop runs: it gets one of its own.
    assert session.call("app__slow", n=1).value == 2

    async def inside() -> None:
        loop = asyncio.get_running_loop()
        values = await asyncio.gather(*(session.acall("app__slow", n=n) for n in range(20)))
        assert [value.value for value in values] == list(range(1, 21))
        assert loops[-1] is loop
        # The loop is blocked by this call, so that the coroutine cannot run in it.
        started = time.monotonic()
        assert session.call("app__slow", n=5).value == 6
        assert time.monotonic() - started < 5 and loops[-1] is not loop

    asyncio.run(inside())


def test_errors_of_tools(bare: mitt.Host) -> None:
    session = bare.session()

    @session.tool
    def fails(how: str) -> Any:
        if how == "own":
            raise mitt.Error("no such article", code="input", hint="ask for a list", retryable=True)
        if how == "value":
            raise ValueError("too bad")
        if how == "exit":
            raise SystemExit(3)
        if how == "nan":
            return float("nan")
        return object()

    with refused("input") as it:
        session.call("app__fails", how="own")
    assert it.error.message == "no such article" and it.error.hint == "ask for a list" and it.error.retryable
    for how, part in (("value", "ValueError: too bad"), ("exit", "SystemExit: 3"), ("nan", "not JSON"), ("else", "type object")):
        with refused("plugin") as it:
            session.call("app__fails", how=how)
        assert part in it.error.text, it.error.text


def test_a_tool_has_a_limit_of_time(bare: mitt.Host) -> None:
    session = bare.session()
    ended: list[str] = []

    @session.tool(timeout=0.2)
    async def sleeps() -> None:
        try:
            await asyncio.sleep(30)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise

    started = time.monotonic()
    with refused("limit"):
        session.call("app__sleeps")
    assert time.monotonic() - started < 5
    while not ended and time.monotonic() - started < 5:
        time.sleep(0.01)
    assert ended == ["cancelled"]


def test_tools_that_are_refused(bare: mitt.Host) -> None:
    def of_bytes(a: bytes) -> None: ...
    def of_rest(*a: int) -> None: ...
    def of_unknown(a: Nothing) -> None: ...  # type: ignore[name-defined]  # noqa: F821  # pyright: ignore

    for function, place in ((of_bytes, "a"), (of_rest, "a"), (of_unknown, None)):
        with refused("arguments", place) as it:
            bare.tool(function)
        assert it.error.hint
    with refused("arguments", "name"):
        bare.tool(lambda: 1)
    with refused("arguments", "definition.name"):
        bare.tool(name="price")(lambda: 1)
    with refused("load", "definition.name"):
        bare.tool(name="a b__c")(lambda: 1)
    bare.tool(name="a__b")(lambda: 1)
    with refused("load"):
        bare.tool(name="a__b")(lambda: 2)
    session = bare.session()
    session.tool(name="a__b")(lambda: 3)
    with refused("load"):
        session.tools()
    session = bare.session()
    assert session.call("a__b").value == 1
    with refused("late") as it:
        session.tool(order)
    assert it.error.hint


def test_tools_of_a_session_are_its_own(bare: mitt.Host) -> None:
    first, second = bare.session(), bare.session()
    first.tool(name="my__one")(lambda: 1)
    assert first.call("my__one").value == 1
    with refused("unknown-tool"):
        second.call("my__one")


def test_a_tool_may_call_the_session(bare: mitt.Host) -> None:
    session = bare.session()
    session.tool(name="my__inner")(lambda: 2)
    session.tool(name="my__outer")(lambda: session.call("my__inner").value + 1)
    assert session.call("my__outer").value == 3


def test_pydantic_models_are_parameters(bare: mitt.Host) -> None:
    pydantic = pytest.importorskip("pydantic")

    class Person(pydantic.BaseModel):  # type: ignore[name-defined, misc]
        name: str
        age: int = 3

    def greet(person: Person) -> Person:
        assert isinstance(person, Person)
        return person

    greet.__annotations__ = {"person": Person, "return": Person}
    session = bare.session()
    session.tool(greet)
    assert session.call("app__greet", person={"name": "Ada"}).value == {"name": "Ada", "age": 3}


def test_nested_models_are_checked(bare: mitt.Host) -> None:
    pydantic = pytest.importorskip("pydantic")
    inner = pydantic.create_model("Inner", count=(int, ...))
    same_name = pydantic.create_model("Inner", text=(str, ...))
    outer, other = pydantic.create_model("Outer", inner=(inner, ...)), pydantic.create_model("Other", inner=(same_name, ...))

    def takes(a: Any, b: Any) -> int:
        assert isinstance(b[0].inner, same_name)
        return int(a.inner.count)

    takes.__annotations__ = {"a": outer, "b": list[other]}  # type: ignore[valid-type]
    session = bare.session()
    session.tool(takes)
    assert session.call("app__takes", a={"inner": {"count": 3}}, b=[{"inner": {"text": "x"}}]).value == 3
    with refused("arguments"):
        session.call("app__takes", a={"inner": {"count": "x"}}, b=[{"inner": {"text": "x"}}])
    with refused("arguments"):
        session.call("app__takes", a={"inner": {"count": 3}}, b=[{"inner": {"count": 3}}])


def test_text_that_is_none(bare: mitt.Host) -> None:
    session = bare.session()
    session.tool(name="my__half")(lambda: "\ud800")
    session.tool(name="my__same")(lambda text: text)
    with refused("plugin") as it:
        session.call("my__half")
    assert "not JSON" in it.error.text
    with refused("arguments", "arguments"):
        session.call("my__same", text="\ud800")


def test_errors_without_a_text(bare: mitt.Host) -> None:
    class Silent(Exception):
        def __str__(self) -> str:
            raise RuntimeError("there is no text")

    def raising(error: Exception) -> Callable[[], None]:
        def tool() -> None:
            raise error

        return tool

    session = bare.session()
    errors = {
        "silent": (Silent(), "Silent"),
        "half": (ValueError("half \ud83d"), "ValueError: half ?"),
        "named": (mitt.Error("half \ud83d", code="input"), "half ?"),
    }
    for name, (error, _) in errors.items():
        session.tool(name=f"my__{name}")(raising(error))
    for name, (_, message) in errors.items():
        with refused("input" if name == "named" else "plugin") as it:
            session.call(f"my__{name}")
        assert it.error.message == message


def test_a_result_has_what_was_printed(bare: mitt.Host) -> None:
    session = bare.session()
    session.tool(name="my__one")(lambda: 1)
    assert session.call("my__one").printed == ""


@dataclasses.dataclass
class Booking:
    day: datetime.date
    amount: decimal.Decimal


def test_dates_and_decimals_are_parameters(bare: mitt.Host) -> None:
    session = bare.session()
    got: list[Any] = []

    @session.tool(name="my__book")
    def book(
        day: datetime.date,
        at: datetime.datetime,
        hour: datetime.time,
        price: decimal.Decimal,
        others: list[datetime.date],
        until: datetime.date | None = None,
        booking: Booking | None = None,
    ) -> decimal.Decimal:
        """Books a room.

        Args:
            at: when it begins
        """
        got.extend([day, at, hour, price, others, until, booking])
        return price

    properties = session.tools()[0].parameters["properties"]
    assert properties["day"]["type"] == "string" and properties["day"]["description"] == "date, such as 2024-12-31"
    assert properties["at"]["description"] == "when it begins (date-time, such as 2024-12-31T08:30:00)"
    plain: dict[str, Any] = {"day": "2024-02-29", "at": "2024-02-29T08:30:00Z", "hour": "08:30", "price": 0.1, "others": ["2024-03-01"]}
    more = {"until": "2024-12-31", "booking": {"day": "2025-01-01", "amount": "12345678901234567890.12"}}
    assert session.call("my__book", {**plain, **more}).value == "0.1"
    assert got == [
        datetime.date(2024, 2, 29), datetime.datetime(2024, 2, 29, 8, 30, tzinfo=datetime.timezone.utc), datetime.time(8, 30),
        decimal.Decimal("0.1"), [datetime.date(2024, 3, 1)], datetime.date(2024, 12, 31),
        Booking(datetime.date(2025, 1, 1), decimal.Decimal("12345678901234567890.12")),
    ]  # fmt: skip
    for wrong, message in [
        ({"day": "2024-02-30"}, "/day: expected a date such as `2024-12-31`, got `2024-02-30`"),
        ({"at": "yesterday"}, "/at: expected a date-time such as"),
        ({"hour": "25:00"}, "/hour: expected a time such as"),
        ({"others": ["2024-03-01", "1.4.2024"]}, "/others/1: expected a date such as"),
    ]:
        with refused("arguments") as it:
            session.call("my__book", {**plain, **wrong})
        assert message in it.error.text, it.error.text
    with refused("arguments"):
        session.call("my__book", {**plain, "price": "cheap"})
