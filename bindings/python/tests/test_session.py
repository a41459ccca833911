"""Documents, calls, scripts, files, limits, rules and refusals."""

from __future__ import annotations

import os
import pathlib
import pickle
from typing import Any

import mitt
import pytest

SALES = "region,units\nnorth,3\nsouth,5\n".encode()


def refused(code: str, place: str | None = None) -> Any:
    """Expects an error with this code and place."""

    class Refused:
        def __enter__(self) -> Refused:
            return self

        def __exit__(self, kind: object, error: BaseException | None, trace: object) -> bool:
            assert isinstance(error, mitt.Error), error
            assert error.code == code, (error.code, error.text)
            if place is not None:
                assert error.place == place, (error.place, error.text)
            self.error = error
            return True

    return Refused()


def test_documents_have_text_tables_and_pages(session: mitt.Session, tmp_path: pathlib.Path, yoy: pathlib.Path) -> None:
    sales = session.add(SALES, "sales.csv")
    assert (sales.name, sales.media_type, sales.size) == ("sales.csv", "text/csv", len(SALES))
    assert "north" in sales.text and sales.characters == len(sales.text)
    (table,) = sales.tables
    assert (table.rows, table.columns) == (2, ("region", "units"))
    (tmp_path / "notes.md").write_text("# One\n\ntext", "utf-8")
    notes = session.add(tmp_path / "notes.md")
    assert notes.name == "notes.md" and notes.tables == ()
    renamed = session.add(str(tmp_path / "notes.md"), "other.md")
    assert renamed.name == "other.md"
    book = session.add(yoy / "2024年经营报告.xlsx")
    assert [page.label for page in book.pages] == ["sheet 经营数据", "sheet 说明"], book.pages
    assert "星河科技" in book.pages[0].text and "口径" in book.pages[1].text
    assert [document.name for document in session.documents] == ["sales.csv", "notes.md", "other.md", book.name]
    assert "sales.csv" in session.tables and session.memory > 0
    assert pickle.loads(pickle.dumps(book)).pages == book.pages


def test_pages_of_a_pdf(session: mitt.Session) -> None:
    pdf = mitt.render("# A\n\nfirst\n\n" + "\n\n".join(f"line {n}" for n in range(200)), "pdf")
    assert pdf.pages and pdf.pages > 1
    document = session.add(pdf.content, "a.pdf")
    assert len(document.pages) == pdf.pages
    assert document.pages[0].label == "page 1" and "first" in document.pages[0].text


def test_documents_that_are_refused(session: mitt.Session, tmp_path: pathlib.Path) -> None:
    with refused("input", str(tmp_path / "no.pdf")):
        session.add(tmp_path / "no.pdf")
    with refused("input", str(tmp_path)):
        session.add(tmp_path)
    if hasattr(os, "mkfifo"):
        os.mkfifo(tmp_path / "pipe")
        with refused("input", str(tmp_path / "pipe")):
            session.add(tmp_path / "pipe")
    with refused("input"):
        session.add("a\0b")
    with refused("arguments", "name"):
        session.add(b"a")
    with refused("input") as it:
        session.add(b"%PDF-1.7\nbroken", "a.pdf")
    assert it.error.problem == "corrupt" and not it.error.retryable
    with pytest.raises(TypeError):
        session.add(12)


def test_a_call_gives_a_result(session: mitt.Session) -> None:
    session.add(SALES, "sales.csv")
    result = session.call("table_tool__sort", data={"$ref": "sales.csv"}, keys=[{"column": "units", "order": "descending"}])
    assert result.tool == "table_tool__sort" and result.call == 1 and result.attempts == 1 and result.approval is None
    assert result.usage.fuel > 0 and result.usage.duration > 0 and result.artifacts == () and result.warnings == ()
    assert "south" in result.for_model()
    same = session.call("table_tool__sort", {"data": {"$ref": "sales.csv"}}, keys=[{"column": "units"}])
    assert same.value != result.value
    again = pickle.loads(pickle.dumps(result))
    assert again.value == result.value and again.usage == result.usage


def test_a_large_table_comes_by_reference(session: mitt.Session) -> None:
    session.add(SALES, "sales.csv")
    options = mitt.CallOptions(tables={"cells": 0, "first_rows": 1})
    result = session.call("table_tool__sort", data={"$ref": "sales.csv"}, keys=[{"column": "units"}], options=options)
    assert result.table is not None
    assert session.table(result.table).rows == 2


def test_calls_that_are_refused(session: mitt.Session) -> None:
    with refused("unknown-tool") as it:
        session.call("table_tool__sorted")
    assert it.error.hint and "table_tool__sort" in it.error.hint
    session.add(SALES, "sales.csv")
    with refused("arguments") as it:
        session.call("table_tool__sort", data={"$ref": "sales.csv"}, keys=[{"colum": "a"}, {"column": 1}])
    assert len(it.error.details) >= 2 and it.error.place.startswith("/keys") and it.error.result.tool == "table_tool__sort"
    again = pickle.loads(pickle.dumps(it.error))
    assert type(again) is mitt.Error and again.__dict__.keys() == it.error.__dict__.keys()
    assert (again.code, again.place, again.details, str(again)) == ("arguments", it.error.place, it.error.details, str(it.error))
    assert again.result.tool == "table_tool__sort"
    with refused("arguments", "arguments"):
        session.call("table_tool__sort", data=object())
    with refused("arguments", "arguments"):
        session.call("table_tool__sort", data=float("nan"))
    with refused("arguments", "keys"):
        session.call("table_tool__sort", {"keys": 1}, keys=2)
    with refused("arguments", "options.tables"):
        session.call("table_tool__sort", options=mitt.CallOptions(tables="half"))  # type: ignore[arg-type]
    with refused("input"):
        session.table("no.csv")
    with refused("input"):
        session.artifact("no.pdf")
    with refused("arguments"):
        session.resume("no", approve=True)


def test_a_script_has_inputs_output_and_files(session: mitt.Session) -> None:
    result = session.script(
        "import report, sys\nprint(sys.argv[1], price * 2)\nreport.deliver(markdown='# Hi', filename='a.pdf')\nprice + 1",
        inputs={"price": 20},
        arguments=["x"],
    )
    assert "x 40" in result.stdout
    (file,) = result.artifacts
    assert file.name == "a.pdf" and file.media_type == "application/pdf" and file.read().startswith(b"%PDF-") and len(file.sha256) == 64
    assert session.artifact("a.pdf").sha256 == file.sha256 and [it.name for it in session.artifacts] == ["a.pdf"]
    alone = pickle.loads(pickle.dumps(result))
    session.close()
    assert alone.artifacts[0].read() == file.read() == bytes(file)


def test_a_script_that_fails(session: mitt.Session) -> None:
    with refused("plugin") as it:
        session.script("print('before')\n1 / 0")
    assert "ZeroDivisionError" in it.error.text and "before" in it.error.result.stdout
    with refused("load"):
        session.script("1", "cobol")
    with refused("arguments", "inputs"):
        session.script("1", inputs={"a": object()})


def test_limits_stop_a_script() -> None:
    limits: mitt.Limits = {"call": {"time_ms": 1500}}
    with mitt.Host(limits=limits) as host, host.session() as session:
        with refused("limit") as it:
            session.script("while True: pass")
        assert it.error.limit is not None and it.error.limit.limit == 1500, it.error.limit
    with mitt.Host() as host, host.session() as session, refused("limit"):
        session.script("while True: pass", options=mitt.CallOptions(timeout=1.0))


def test_documents_have_a_limit(tmp_path: pathlib.Path) -> None:
    (tmp_path / "a.txt").write_bytes(b"a" * 2000)
    with mitt.Host(bundled=False, cache=False, limits={"session": {"document_bytes": 1000}}) as host, host.session() as session:
        with refused("limit") as it:
            session.add(tmp_path / "a.txt")
        assert (it.error.limit.limit, it.error.limit.used) == (1000, 1001)
        with refused("limit"):
            session.add(b"a" * 2000, "a.txt")


def test_options_of_hosts_that_are_refused(tmp_path: pathlib.Path) -> None:
    with refused("arguments", "options.threads"):
        mitt.Host(threads=0)
    with refused("arguments", "options.limits.call") as it:
        mitt.Host(limits={"call": {"fule": 1}})  # type: ignore[typeddict-unknown-key]
    assert "did you mean `fuel`" in it.error.text
    with refused("arguments", "options.worker_required"):
        mitt.Host(worker_required=True)
    with refused("load"):
        mitt.Host(skills=[tmp_path / "no"]).session().tools()
    with refused("arguments", "options.destructive"), mitt.Host(bundled=False) as host:
        host.session(destructive="maybe")  # type: ignore[arg-type]
    host = mitt.Host(bundled=False)
    host.close()
    with refused("closed"):
        host.session()
    with refused("closed"):
        host.tool(lambda: 1, name="a__b")  # type: ignore[call-overload]
    session = mitt.Host(bundled=False).session()
    session.close()
    with refused("closed"):
        session.tools()


def test_rules_block_words(tmp_path: pathlib.Path) -> None:
    (tmp_path / "words.txt").write_text("tangerine\n", "utf-8")
    with mitt.Host(tenant_rules={"acme": [mitt.Rules("more.txt", "quince")]}) as host:
        with host.session(rules=[tmp_path / "words.txt"]) as session, refused("blocked"):
            session.script("import report\nreport.deliver(markdown='tangerine', filename='a.html')")
        for tenant, is_blocked in (("acme", True), ("other", False)):
            with host.session(tenant=tenant) as session:
                source = "import report\nreport.deliver(markdown='quince', filename='a.html')"
                if is_blocked:
                    with refused("blocked"):
                        session.script(source)
                else:
                    assert len(session.script(source).artifacts) == 1


def test_a_session_with_a_folder(host: mitt.Host, tmp_path: pathlib.Path) -> None:
    with host.session(folder=tmp_path / "out") as session:
        session.script("import report\nreport.deliver(markdown='# Hi', filename='a.html')")
        assert (tmp_path / "out" / "a.html").read_bytes() == session.artifact("a.html").read()
        artifact = session.artifact("a.html")
        (tmp_path / "out" / "a.html").unlink()
        with refused("host"):
            artifact.read()


def test_a_destructive_call_waits_for_a_decision(bare: mitt.Host) -> None:
    done: list[str] = []

    @bare.tool(name="shop__clear", destructive=True)
    def clear(shelf: str) -> str:
        done.append(shelf)
        return "cleared"

    with bare.session(destructive="pause") as session:
        with refused("paused") as it:
            session.call("shop__clear", shelf="a")
        approval = it.error.result.approval
        assert approval.tool == "shop__clear" and approval.arguments == {"shelf": "a"} and done == []
        assert [request.id for request in session.pending] == [approval.id]
        assert session.resume(approval.id, approve=True).value == "cleared" and done == ["a"]
        with refused("paused") as it:
            session.call("shop__clear", shelf="b")
        with refused("denied") as denied:
            session.resume(it.error.result.approval.id, approve=False, reason="keep it")
        assert "keep it" in denied.error.text and done == ["a"]
    with bare.session(destructive="deny") as session, refused("denied"):
        session.call("shop__clear", shelf="a")


def test_tools_have_schemas(session: mitt.Session) -> None:
    tools = {tool.name: tool for tool in session.tools()}
    sort = tools["table_tool__sort"]
    assert sort.skill == "table-tool" and sort.parameters["type"] == "object" and sort.description and not sort.destructive
    assert sort.function()["function"]["parameters"] == sort.parameters


def test_files_without_a_session(tmp_path: pathlib.Path) -> None:
    made = mitt.render("# Title\n\ntext", "pdf", title="T", paper="letter", created=0)
    assert made.content.startswith(b"%PDF-") and made.pages == 1 and made.warnings == () and bytes(made) == made.content
    made.save(tmp_path / "a.pdf")
    assert (tmp_path / "a.pdf").read_bytes() == made.content
    for format in ("docx", "pptx", "xlsx"):
        assert mitt.render("# T\n\n| a |\n|---|\n| 1 |", format).content.startswith(b"PK")  # type: ignore[arg-type]
    assert b"<h1" in mitt.render("# T", "html").content
    # An interactive interpreter shows what a file is, and not its bytes.
    assert repr(made) == f"<mitt.Made application/pdf, {len(made.content)} bytes, pages=1>"
    table = mitt.render("# T\n\n| a |\n|---|\n| 1 |", "xlsx")
    assert repr(table) == f"<mitt.Made {table.media_type}, {len(table.content)} bytes, sheets=['T']>"
    types = {format: mitt.render("# T", format).media_type for format in ("docx", "pptx", "html")}  # type: ignore[arg-type]
    assert types["docx"].endswith("wordprocessingml.document") and types["pptx"].endswith("presentationml.presentation")
    assert types["html"] == "text/html" and table.media_type.endswith("spreadsheetml.sheet")
    with refused("arguments", "format"):
        mitt.render("a", "odt")  # type: ignore[arg-type]
    with refused("arguments", "options.paper"):
        mitt.render("a", "pdf", paper="a9")  # type: ignore[arg-type]
    cancel = mitt.Cancel()
    cancel.set()
    with refused("cancelled"):
        mitt.render("a", "pdf", cancel=cancel)


def test_templates_are_filled() -> None:
    docx = pytest.importorskip("docx", reason="python-docx is not there")
    import io

    made = io.BytesIO()
    document = docx.Document()
    document.add_paragraph("Dear {{name}}")
    document.save(made)
    filled = mitt.fill(made.getvalue(), {"name": "Ada"})
    assert docx.Document(io.BytesIO(filled.content)).paragraphs[0].text == "Dear Ada"


def test_templates_that_are_refused() -> None:
    with refused("input"):
        mitt.fill(b"no template", {})
    with refused("arguments"):
        mitt.fill(mitt.render("# T", "docx").content, "[]")


def test_rules_that_are_missing(tmp_path: pathlib.Path) -> None:
    with refused("input", str(tmp_path / "words.txt")):
        mitt.Host(rules=[tmp_path / "words.txt"])
