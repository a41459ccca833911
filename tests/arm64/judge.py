"""Compares the program for ARM64, under an emulator, with that for x86-64. `run` says what it needs.

The native code of the skills is compiled here and signed; the program for ARM64 has no compiler. Each case runs with both programs in a
folder of its own. Exit code, standard output, the journal without times, and each file must be the same, byte by byte, and fuel to a
thousandth in each call: what a skill computes and what the host draws does not depend on the processor. Standard error is not compared."""

import email.message
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/lambda"))

from runtime import PATIENCE, Runtime  # noqa: E402

CHINESE = ROOT / "tests/it/chinese"
CORPORA = ROOT / "../shared/corpora"
MITT, MITT_ARM64 = (str(pathlib.Path(os.environ[it]).resolve()) for it in ["MITT", "MITT_ARM64"])
EMULATOR = sys.argv[1:]
# Time and zone are the same for both programs.
FIXED = {"SOURCE_DATE_EPOCH": "1767225600", "TZ": "UTC", "LANG": "C.UTF-8", "MITT_CONFIG": ""}
ROWS = [{"month": f"2025-{n:02}", "日活": 1000 + 7 * n, "revenue": 12.5 * n / 3, "part": "ab"[n % 2]} for n in range(1, 13)]


def documents(folder):
    """Writes the documents of the cases."""
    for name in ["libreoffice.xls", "libreoffice.xlsx", "libreoffice.ods", "libreoffice.doc", "libreoffice.docx", "libreoffice.odt",
                 "libreoffice.pptx", "libreoffice.pdf", "gb2312.html", "gbk.csv", "gb18030.txt", "openpyxl.xlsx"]:
        shutil.copy(CHINESE / name, folder)
    for name in ["2024年经营报告.xlsx", "2025年经营报告.docx"]:
        shutil.copy(ROOT / "examples/yoy" / name, folder)
    shutil.copy(ROOT / "tests/golden/english-1.png", folder / "picture.png")
    mail = email.message.EmailMessage()
    mail["From"], mail["To"], mail["Subject"] = "a@example.com", "b@example.com", "季度报告"
    mail["Date"], mail["Message-ID"] = "Mon, 30 Nov 2026 10:00:00 +0000", "<1@example.com>"
    mail.set_content("Please find the figures attached.\n")
    mail.add_attachment((CHINESE / "openpyxl.xlsx").read_bytes(), maintype="application", subtype="octet-stream", filename="表.xlsx")
    mail.set_boundary("=-boundary")
    (folder / "mail.eml").write_bytes(mail.as_bytes())
    with zipfile.ZipFile(folder / "bundle.zip", "w") as archive:
        for name in ["gbk.csv", "libreoffice.docx"]:
            archive.writestr(zipfile.ZipInfo(name), (CHINESE / name).read_bytes())
    (folder / "report.md").write_text(
        "# 2025 年度报告\n\nRevenue grew by **12.5 %**; 日活跃用户增长 7 %。[^1]\n\n| 月份 | DAU |\n|---|---:|\n| 1 月 | 1,200 |\n| 2 月 | 1,350 |\n\n"
        "```chart\ntype: line\ntitle: DAU\nlabels: [1, 2, 3]\nseries:\n  - name: DAU\n    values: [1200, 1350.5, 1500]\n```\n\n"
        "$$\\sum_{i=1}^n x_i^2 \\approx \\frac{1}{3}$$\n\n```python\ndef growth(a, b):\n    return b / a - 1\n```\n\n[^1]: Source: the reports.\n")
    (folder / "script.py").write_text(
        "import math, re, statistics, datetime\nrows = list(documents.values())[0].tables[0].rows\n"
        "print(len(rows), math.sin(1.0), math.exp(2.5), statistics.stdev([1, 2, 4.5]), hash((1, 2.5)))\n"
        "{'root': math.sqrt(2), 'big': 2 ** 100, 'third': 1 / 3, 'text': re.sub('a+', '中', 'baab')}\n")
    (folder / "script.ts").write_text(
        "const n: number = [1, 2, 3].map(x => Math.sin(x) / 3).reduce((a, b) => a + b, 0);\nconsole.log(n, Math.pow(1.1, 10.5));\n({n, big: 2n ** 80n})\n")
    (folder / "password").write_text("123\n")
    protected = next(CORPORA.rglob("pass_protected.xlsx"), None)
    if protected:
        shutil.copy(protected, folder / "protected.xlsx")


def call(tool, arguments, *documents):
    return ["call", tool, "--json", json.dumps(arguments, ensure_ascii=False), *(it for name in documents for it in ["--doc", name])]


# Skills that a case uses are named in front, so that the last check can say which skill has none.
CASES = [
    ("python excel-tool table-tool document-tool reader-sheet reader-office report", "the README's story", ["run", str(ROOT / "examples/yoy")]),
    ("sheet-tool docx-tool", "the README's second story", ["run", str(ROOT / "examples/budget")]),
    ("excel-tool", "a workbook", call("excel_tool__create_excel", {"data": ROWS, "filename": "r.xlsx"})),
    ("chart-tool", "a chart as a picture", call("chart_tool__draw_chart", {"data": ROWS, "form": "line", "filename": "c.png"})),
    ("chart-tool", "a chart of lines", call("chart_tool__draw_chart", {"data": ROWS, "form": "bar", "filename": "c.svg"})),
    ("deck-tool", "slides", call("deck_tool__read_deck", {"document": "libreoffice.pptx"}, "libreoffice.pptx")),
    ("document-tool reader-sheet", "documents", call("document_tool__list_documents", {}, "libreoffice.xls", "libreoffice.ods", "openpyxl.xlsx")),
    ("docx-tool", "the structure of a Word file", call("docx_tool__read_markdown", {"document": "libreoffice.docx"}, "libreoffice.docx")),
    ("javascript", "a script in TypeScript", ["exec", "script.ts"]),
    ("python", "a script in CPython", ["exec", "script.py", "--doc", "libreoffice.xlsx"]),
    ("python-lite", "a script in python-lite", ["exec", "--engine", "python-lite", "--code", "print(1 / 3)\n[n ** 2 for n in range(9)]"]),
    ("mail-tool", "a draft of a mail", call("mail_tool__draft_email", {"body": "见附件。", "subject": "报告", "to": ["b@example.com"], "filename": "d.eml"})),
    ("page-pictures reader-pdf", "pages as pictures", call("page_pictures__draw_pages", {"document": "libreoffice.pdf", "dpi": 60}, "libreoffice.pdf")),
    ("pdf-tool", "places in a PDF", call("pdf_tool__find_text", {"document": "libreoffice.pdf", "text": "经营"}, "libreoffice.pdf")),
    ("redact-tool", "a redacted text", call("redact_tool__redact_text", {"document": "gb18030.txt", "words": ["报告"], "filename": "r.txt"}, "gb18030.txt")),
    ("report", "a report as PDF", call("report__deliver", {"markdown": "# 报告\n\n增长 12.5 %。", "filename": "r.pdf"})),
    ("sheet-tool", "cells", call("sheet_tool__read_workbook", {"document": "2024年经营报告.xlsx"}, "2024年经营报告.xlsx")),
    ("sql-tool", "a query", ["sql", "select 月份, \"日活跃用户（万人）\" * 1.0 / 3 as x from libreoffice_分月数据", "libreoffice.xlsx"]),
    ("table-tool", "a table by groups", call("table_tool__group", {"data": ROWS, "by": ["part"], "aggregates": [
        {"column": "revenue", "function": it} for it in ["sum", "mean", "median", "stddev"]]})),
    ("word-tool", "a template", call("word_tool__fill_template", {"template": "t.docx", "values": [], "filename": "w.docx"}, "t.docx")),
    ("reader-archive reader-table reader-office", "an archive", ["ingest", "bundle.zip"]),
    ("reader-encrypted", "an encrypted workbook", ["ingest", "protected.xlsx", "--password-file", "password"]),
    ("reader-images", "a picture", ["ingest", "picture.png"]),
    ("reader-mail", "a mail", ["ingest", "mail.eml"]),
    ("reader-office", "Word files", ["ingest", "libreoffice.doc", "libreoffice.docx", "libreoffice.odt"]),
    ("reader-pdf", "a PDF", ["ingest", "libreoffice.pdf"]),
    ("reader-sheet", "workbooks", ["ingest", "libreoffice.xls", "libreoffice.xlsx", "libreoffice.ods", "--json"]),
    ("reader-table", "a table in GBK", ["ingest", "gbk.csv", "--json"]),
    ("reader-text", "a text in GB 18030", ["ingest", "gb18030.txt"]),
    ("reader-web", "a page in GB 2312", ["ingest", "gb2312.html"]),
    *(("", f"Markdown as {it}", ["render", "report.md", "-o", f"report.{it}"]) for it in ["pdf", "docx", "pptx", "html", "xlsx"]),
    ("", "a table as Parquet", ["ingest", "gbk.csv", "--parquet"]),
]


def prepared(folder, inputs, command, options):
    """Runs a command in a new folder with the inputs, and returns what it made: exit code, output, journal, files."""
    shutil.copytree(inputs, folder)
    before = {it.relative_to(folder) for it in folder.rglob("*")}
    environment = {**os.environ, **FIXED, "HOME": str(folder)}
    done = subprocess.run([*command, *options], cwd=folder, env=environment, capture_output=True, timeout=PATIENCE, check=False)
    files, journal = {}, []
    for path in sorted(folder.rglob("*")):
        if not path.is_file() or path.relative_to(folder) in before or ".cache" in path.parts:
            continue
        if path.name == "journal.jsonl":
            journal += [stripped(json.loads(line)) for line in path.read_text().splitlines()]
        else:
            files[str(path.relative_to(folder))] = path.read_bytes()
    # Calls of one turn run concurrently, so their order may differ.
    journal.sort(key=lambda entry: json.dumps({**entry, "fuel": None}, sort_keys=True))
    return {"exit": done.returncode, "output": done.stdout, "journal": journal, "files": files}, done.stderr.decode(errors="replace")


def stripped(entry):
    """Returns an entry of a journal without times, and without the hash of the arguments, which has a key for each session."""
    return {key: value for key, value in entry.items() if key not in ["time", "arguments_hash"] and "duration" not in key}


def without_fuel(journal):
    return [{**entry, "fuel": None} for entry in journal]


def is_near(fuel, other):
    """A call takes some units more or less on one processor too: hash maps of guests have random seeds, and a guest writes how long it
    took in more or fewer digits."""
    return abs(fuel - other) <= fuel / 1000


def difference(name, one, other):
    """Returns what differs, or nothing."""
    fuels = [[entry.get("fuel") or 0 for entry in it["journal"]] for it in [one, other]]
    one, other = ({**it, "journal": without_fuel(it["journal"])} for it in [one, other])
    for part in ["exit", "output", "journal"]:
        if one[part] != other[part]:
            return f"{name}: {part} differs:\n  x86-64: {unlike(one[part], other[part])}\n  ARM64:  {unlike(other[part], one[part])}"
    if not all(is_near(*pair) for pair in zip(*fuels)):
        return f"{name}: fuel differs: {fuels[0]} and {fuels[1]}"
    if list(one["files"]) != list(other["files"]):
        return f"{name}: files differ: {list(one['files'])} and {list(other['files'])}"
    different = [it for it in one["files"] if one["files"][it] != other["files"][it]]
    return f"{name}: the bytes of {different} differ" if different else None


def unlike(one, other):
    """Returns the beginning of what the other does not have: entries of a list, or bytes from the first that differs."""
    if isinstance(one, list):
        one = [it for it in one if it not in other]
    if isinstance(one, bytes):
        first = next((at for at, pair in enumerate(zip(one, other)) if pair[0] != pair[1]), min(len(one), len(other)))
        return f"at byte {first}: {one[max(first - 100, 0):first + 500]!r}"
    return str(one)[:2000]


def function(command, folder):
    """Runs `mitt lambda` for two events, and returns the answers without times, and their fuel."""
    events = [
        {"call": {"tool": "excel_tool__create_excel", "arguments": {"data": ROWS, "filename": "r.xlsx"}}},
        {"script": {"code": "sum(n / 3 for n in range(100))", "language": "python"}},
    ]
    runtime = Runtime()
    environment = {**os.environ, **FIXED, "AWS_LAMBDA_RUNTIME_API": f"127.0.0.1:{runtime.server.server_port}",
                   "AWS_LAMBDA_FUNCTION_MEMORY_SIZE": "1024", "HOME": str(folder)}
    log = folder / "function.log"
    with open(log, "w") as output:
        runtime.process = subprocess.Popen(command, cwd=folder, env=environment, stdout=subprocess.DEVNULL, stderr=output)
    try:
        answers = [runtime.response(str(number), event) for number, event in enumerate(events)]
    except AssertionError as error:
        raise AssertionError(f"{error}\n{log.read_text(errors='replace')[-2000:]}") from None
    finally:
        runtime.process.kill()
        runtime.process.wait()
        runtime.server.shutdown()
    # Each answer has the fuel in its usage, that of a script in its result too.
    fuel = [answer["usage"].pop("fuel") for answer in answers] + [answers[1]["result"].pop("fuel_used")]
    answers[1]["result"].pop("execution_time_ms")
    for answer in answers:
        answer["usage"].pop("duration_ms")
    return answers, fuel


def fault_of_functions(programs, folder):
    """Returns what differs between the answers of the functions, or nothing."""
    try:
        (one, fuel), (other, other_fuel) = (function([*program, "lambda", *more], folder) for _, program, more in programs)
    except AssertionError as error:
        return f"lambda: {error}"
    if not all(is_near(*pair) for pair in zip(fuel, other_fuel)):
        return f"lambda: fuel differs: {fuel} and {other_fuel}"
    return None if one == other else f"lambda: the answers differ:\n  x86-64: {unlike(one, other)}\n  ARM64:  {unlike(other, one)}"


def main():
    failures, covered, n_same = [], set(), 0
    with tempfile.TemporaryDirectory() as folder:
        folder = pathlib.Path(folder)
        inputs = folder / "inputs"
        inputs.mkdir()
        documents(inputs)
        subprocess.run([MITT, "render", "report.md", "-o", "t.docx"], cwd=inputs, check=True, capture_output=True)
        subprocess.run([MITT, "compile", "--new-key", folder / "key"], check=True, capture_output=True)
        begun = time.monotonic()
        subprocess.run([MITT, "compile", "-o", folder / "native", "--target", "aarch64", "--sign-key", folder / "key"], check=True,
                       stdout=subprocess.DEVNULL)
        skills = {it.name for it in (folder / "native").iterdir() if it.is_dir()}
        print(f"arm64: {len(skills)} skills compiled for ARM64 in {time.monotonic() - begun:.0f} s", flush=True)
        options = ["--skills", str(folder / "native"), "--precompiled-key", str(folder / "key.pub"), "--trust-skills"]
        programs = [("x86-64", [MITT], []), ("arm64", [*EMULATOR, MITT_ARM64], options)]
        for number, (used, name, command) in enumerate(CASES):
            covered |= set(used.split())
            if "protected.xlsx" in command and not (inputs / "protected.xlsx").exists():
                print(f"arm64: {name}: skipped: no corpora beside the project")
                continue
            begun = time.monotonic()
            results = [prepared(folder / f"{number}-{kind}", inputs, program, [*command, *more]) for kind, program, more in programs]
            fault = difference(name, results[0][0], results[1][0])
            if not fault and results[0][0]["exit"] != 0:
                fault = f"{name}: both programs fail:\n{results[0][1]}"
            if fault:
                failures.append(f"{fault}\n  stderr of x86-64: {results[0][1][-1500:]}\n  stderr of ARM64: {results[1][1][-1500:]}")
            n_same += not fault
            files = ", ".join(results[0][0]["files"])
            print(f"{'FAILED' if fault else 'same'}  {name}{f' ({files})' if files else ''}: {time.monotonic() - begun:.1f} s", flush=True)
        fault = fault_of_functions(programs, folder)
        failures += [fault] if fault else []
        print(f"{'FAILED' if fault else 'same'}  two events of AWS Lambda", flush=True)
        if skills - covered:
            failures.append(f"no case uses the skills {', '.join(sorted(skills - covered))}")
    if failures:
        sys.exit("\n".join(["", *failures]))
    skipped = f", {len(CASES) - n_same} skipped" if n_same < len(CASES) else ""
    print(f"arm64: {n_same} cases give the same on both processors{skipped}")


if __name__ == "__main__":
    main()
