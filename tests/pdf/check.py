"""Changes foreign PDF files with `mitt`, and compares each result with its source by other readers.

Usage: check.py MITT WORK EVERY FOLDER...

For each file and each operation there are four outcomes:

- `same`: the result has the expected pages, and each untouched page that was compared has the same text and picture.
- `refused`: `mitt` wrote nothing, and its message names the reason. A refused file that both judges open is listed.
- `unreadable`: no judge opens the source.
- `fault`: anything else. The program ends with 1 if there is one.
"""

import collections
import json
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

PASSWORD = "correct horse"
# Pages of a file that are compared: the first ones and the last one.
COMPARED = 4
# Points for each pixel of a compared picture.
SCALE = 0.5
# Seconds that one command may take.
TIMEOUT = 120
# Damaged files whose pages look different afterwards, because Mitt reads more of them than MuPDF.
BETTER = {
    "issue11651.pdf": "the data of a stream break off; MuPDF shows less of it",
    "multiple-filters-length-zero.pdf": "a picture says that it has no bytes, and has 17 081; MuPDF leaves it out",
}


def render(path, password, wanted):
    """Returns the number of pages, and text and picture of the wanted ones; runs in a process of its own."""
    import pymupdf

    pymupdf.TOOLS.mupdf_display_errors(False)
    pymupdf.TOOLS.mupdf_display_warnings(False)
    document = pymupdf.open(path)
    if document.needs_pass and not document.authenticate(password):
        return {"error": "needs a password"}
    pages = {}
    for number in wanted(document.page_count) if callable(wanted) else wanted:
        if not 0 <= number < document.page_count:
            continue
        page = document[number]
        picture = page.get_pixmap(matrix=pymupdf.Matrix(SCALE, SCALE))
        words = " ".join(page.get_text("text").split())
        pages[number] = (words, picture.width, picture.height, picture.samples)
    return {"count": document.page_count, "pages": pages, "repaired": document.is_repaired}


def first_and_last(count):
    return sorted({*range(min(count, COMPARED - 1)), count - 1} - {-1})


def opened_by_qpdf(path, password):
    """Returns `None` if qpdf opens the file, else the error."""
    import pikepdf

    try:
        with pikepdf.open(path, password=password) as document:
            len(document.pages)
        return None
    except Exception as error:  # Each kind of error means the same here.
        return str(error)[:200]


def different(before, after):
    """Returns what differs between two pages, or `None`."""
    if before[0] != after[0]:
        return f"text: {before[0][:60]!r} became {after[0][:60]!r}"
    if before[1:3] != after[1:3]:
        return f"size: {before[1:3]} became {after[1:3]}"
    if before[3] == after[3]:
        return None
    pixels = sum(abs(a - b) > 40 for a, b in zip(before[3], after[3]))
    if pixels > len(before[3]) // 500:
        return f"picture: {pixels} of {len(before[3])} samples differ"
    return None


class Check:
    def __init__(self, mitt, pool):
        self.mitt = mitt
        self.pool = pool

    def isolated(self, function, *arguments):
        """Calls a judge in another process, so that its crash or hang costs one file."""
        try:
            return self.pool.apply_async(function, arguments).get(timeout=TIMEOUT)
        except Exception as error:
            return {"error": f"{type(error).__name__}: {str(error)[:200]}"}

    def run(self, *arguments):
        done = subprocess.run(
            [self.mitt, *arguments], capture_output=True, text=True, errors="replace", timeout=TIMEOUT, stdin=subprocess.DEVNULL
        )
        return done.returncode, done.stdout, done.stderr

    def file(self, path, folder):
        """Yields operation, outcome and detail for a file."""
        source = self.isolated(render, str(path), "", first_and_last)
        readable = "error" not in source and source["count"] > 0
        password = folder / "password"
        password.write_text(PASSWORD + "\n")
        target = folder / "result.pdf"
        encrypted = folder / "encrypted.pdf"
        operations = [
            ("repair", ["pdf", "repair", path], "all"),
            ("compress", ["pdf", "compress", path], "all"),
            ("encrypt", ["pdf", "encrypt", path, "--password-file", password], "all"),
            ("decrypt", ["pdf", "decrypt", encrypted, "--password-file", password], "all"),
            ("reverse", ["pdf", "pages", path, "--select", "last,1", "--break-signatures"], "reverse"),
            ("merge", ["pdf", "merge", path, path], "twice"),
            ("stamp", ["pdf", "stamp", path, "--text", "第 {page} 页", "--pages", "1", "--break-signatures"], "but first"),
        ]
        word = self.word(source) if readable else None
        if word:
            operations.append(("redact", ["redact", path, "--word", word, "--break-signatures"], word))
        for name, arguments, expected in operations:
            target.unlink(missing_ok=True)
            if name == "decrypt" and not encrypted.exists():
                continue
            try:
                code, _, message = self.run(*map(str, arguments), "-o", str(target))
            except subprocess.TimeoutExpired:
                yield name, "fault", f"takes longer than {TIMEOUT} s"
                continue
            if code != 0:
                if target.exists():
                    yield name, "fault", "failed and left a file"
                elif code < 0 or "panicked" in message or not message.strip():
                    yield name, "fault", f"code {code}: {message[-300:]}"
                else:
                    yield name, "refused" if readable else "unreadable", next((it for it in message.split("\n") if it.startswith("error")), message)[:300]
                continue
            if name == "encrypt":
                encrypted.write_bytes(target.read_bytes())
            if not readable:
                yield name, "unreadable", "written nevertheless"
                continue
            yield (name, *self.judge(source, target, PASSWORD if name == "encrypt" else "", expected))

    def word(self, source):
        """Returns a word of the first page to remove: the longest of letters only."""
        page = source["pages"].get(0)
        words = re.findall(r"\b[a-z]{6,20}\b", page[0]) if page else []
        return max(words, key=len, default=None)

    def judge(self, source, target, password, expected):
        error = self.isolated(opened_by_qpdf, str(target), password)
        if error is not None:
            return "fault", f"qpdf: {error}"
        count, last = source["count"], source["count"] - 1
        pairs = {
            "all": [(it, it) for it in source["pages"]],
            "reverse": [(last, 0), (0, 1)],
            "twice": [*((it, it) for it in source["pages"]), *((it, it + count) for it in source["pages"])],
            "but first": [(it, it) for it in source["pages"] if it != 0],
        }.get(expected, [])
        result = self.isolated(render, str(target), password, [after for _, after in pairs] or first_and_last)
        if "error" in result:
            return "fault", f"MuPDF: {result['error']}"
        wanted = {"reverse": 2, "twice": 2 * count}.get(expected, count)
        if result["count"] != wanted:
            return "fault", f"{result['count']} pages instead of {wanted}"
        if result["repaired"]:
            return "fault", "MuPDF had to repair the result"
        for before, after in pairs:
            problem = different(source["pages"][before], result["pages"][after])
            if problem:
                return "fault", f"page {before + 1}: {problem}"
        if not pairs and expected != "but first":
            left = [it for it, page in result["pages"].items() if expected in page[0].lower()]
            if left:
                return "fault", f"`{expected}` is still on page {left[0] + 1}"
        return "same", ""


def main():
    mitt, work, every, *folders = sys.argv[1:]
    files = sorted({file for folder in folders for file in pathlib.Path(folder).rglob("*.pdf")})[:: int(every)]
    report = pathlib.Path(work) / "report.json"
    outcomes = collections.defaultdict(collections.Counter)
    faults = 0

    def one(file):
        with tempfile.TemporaryDirectory() as folder:
            try:
                return file, list(check.file(file, pathlib.Path(folder)))
            except Exception as error:
                return file, [("check", "fault", f"{type(error).__name__}: {error}")]

    # Judges are started anew now and then, because they may leak. A hung one is left to its process.
    with get_context("spawn").Pool(4, maxtasksperchild=50) as pool, report.open("w") as lines, ThreadPoolExecutor(2) as threads:
        check = Check(mitt, pool)
        for file, results in threads.map(one, files):
            for operation, outcome, detail in results:
                if outcome == "fault" and detail.startswith("page") and file.name in BETTER:
                    outcome = "same"
                outcomes[operation][outcome] += 1
                lines.write(json.dumps({"file": str(file), "operation": operation, "outcome": outcome, "detail": detail}) + "\n")
                if outcome == "fault":
                    faults += 1
                    print(f"{file.name}: {operation}: {detail}", flush=True)
    print(f"\n{len(files)} files")
    for operation, counts in outcomes.items():
        print(f"{operation:10} " + ", ".join(f"{counts[it]} {it}" for it in ("same", "refused", "unreadable", "fault")))
    sys.exit(1 if faults else 0)


if __name__ == "__main__":
    main()
