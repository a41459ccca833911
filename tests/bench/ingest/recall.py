"""How much of what other programs find in files is in the texts of a folder that this bench made: `recall.py FOLDER`.

Words are compared as bags: each Chinese, Japanese or Korean character is a word, and so is each run of other letters and digits.

docx, pptx   the runs of the XML, comments and notes included, repeated headers and footers not (the standard library)
native       pandoc's reading of the same file, where it lies beside it
xlsx         cells as openpyxl reads them
xls          cells as xlrd reads them
pdf          words of pdftotext (poppler): F1, as a reader may also find too much
encodings    the share of files in `encodings` whose letters outside of ASCII are those of Python's codec of the folder's name

What is not installed is skipped with a line that says so.
"""

import codecs
import datetime
import io
import json
import re
import resource
import shutil
import signal
import subprocess
import sys
import warnings
import zipfile
from collections import Counter, defaultdict
from pathlib import Path
from xml.etree import ElementTree

warnings.simplefilter("ignore")
# Some of the files are bombs for other programs. What takes more is not compared.
SECONDS, BYTES = 20, 3 << 30

CJK = "\u2e80-\u2fdf\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uac00-\ud7a3\uf900-\ufaff"
WORD = re.compile(f"[{CJK}]|[^\\W_{CJK}]+")
WORD_NS = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
DRAW_NS = "{http://schemas.openxmlformats.org/drawingml/2006/main}"
FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"


def words(text):
    # Emphasis may begin within a word, and behind it a note. Targets of links are no words that a person sees.
    text = re.sub(r"(?<!\\)\*+|~~|\[\^\d+\]", "", text)
    text = re.sub(r"\\(.)", r"\1", text)
    return Counter(word.lower() for word in WORD.findall(re.sub(r"\]\([^)\s]*\)", "]", text)))


def paragraphs(xml, space):
    """Runs of a part of an OOXML package, a line for each paragraph."""
    lines, dropped = [], set()
    root = ElementTree.fromstring(xml)
    for node in root.iter(FALLBACK):
        dropped.update(node.iter())
    # Numbers of slides are none of their texts.
    for node in root.iter(f"{space}fld"):
        if node.get("type") == "slidenum":
            dropped.update(node.iter())
    for paragraph in root.iter(f"{space}p"):
        inner = {it for box in paragraph.iter(f"{space}p") if box is not paragraph for it in box.iter()}
        runs = []
        for node in paragraph.iter():
            if node in dropped or node in inner:
                continue
            if node.tag == f"{space}t":
                runs.append(node.text or "")
            elif node.tag in (f"{space}tab", f"{space}br", f"{space}cr"):
                runs.append(" ")
        lines.append("".join(runs))
    return "\n".join(lines)


def package(pattern, space):
    def read(path):
        with zipfile.ZipFile(path) as archive:
            parts = [name for name in archive.namelist() if re.fullmatch(pattern, name)]
            return "\n".join(paragraphs(archive.read(name), space) for name in parts)

    return read


def native(path):
    reference = path.with_suffix(".native")
    found = re.findall(r'Str "((?:[^"\\]|\\.)*)"', reference.read_text(errors="replace"))
    # What pandoc writes as an escape is its own business, and so are quotes and dashes.
    return " ".join(word for word in found if "\\" not in word)


def pdftotext(path):
    done = subprocess.run(["pdftotext", "-q", str(path), "-"], capture_output=True, timeout=60)
    if done.returncode:
        raise ValueError("pdftotext")
    return done.stdout.decode(errors="replace")


def shown(value):
    """How the value of a cell may stand in a text."""
    if isinstance(value, bool):
        return {str(value).lower()}
    if isinstance(value, (int, float)):
        return {repr(float(value))}
    if isinstance(value, datetime.datetime):
        at = value.isoformat("t")
        return {at, at.rstrip("0") if "." in at else at, at.replace("t", " "), at[:16].replace("t", " "), at[:10]}
    if isinstance(value, (datetime.date, datetime.time)):
        return {value.isoformat()}
    if isinstance(value, datetime.timedelta):
        return {str(value)}
    return {clean(str(value))}


def clean(text):
    text = re.sub(r"\\(.)", r"\1", text.replace("<br>", " "))
    return re.sub(r"\s+", " ", re.sub(r"[*_]|\]\([^)]*\)|\[", "", text)).strip().lower()


def number(text):
    try:
        return repr(float(text.replace(",", "")))
    except ValueError:
        return None


def cells_of(text, tables):
    """Cells of a text's tables, or of the tables themselves where they are known. Lines of text are cells too."""
    cells, header = Counter(), [re.sub(r"_\d+$", "", name) for table in tables[:1] for name in table]
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] if line.startswith("|") else [line.lstrip("# ")] for line in text.splitlines()]
    if tables:
        # What stands twice is in both.
        rows = [row for row in rows if len(row) == 1] + tables + [header]
    for cell in (clean(cell) for row in rows for cell in row):
        cells[cell] += 1
        if (value := number(cell)) is not None and value != cell:
            cells[value] += 1
    return cells


def openpyxl_cells(path):
    import openpyxl

    book = openpyxl.load_workbook(path, data_only=True)
    for sheet in book.worksheets:
        # Those that are there: rows and columns between them may be a million.
        yield from (cell.value for cell in sheet._cells.values() if cell.value not in (None, ""))


def xlrd_cells(path):
    import xlrd

    book = xlrd.open_workbook(path, logfile=io.StringIO())
    for sheet in book.sheets():
        for row in sheet.get_rows():
            for cell in row:
                if cell.ctype == xlrd.XL_CELL_DATE:
                    yield xlrd.xldate_as_datetime(cell.value, book.datemode)
                elif cell.ctype == xlrd.XL_CELL_BOOLEAN:
                    yield bool(cell.value)
                elif cell.ctype in (xlrd.XL_CELL_TEXT, xlrd.XL_CELL_NUMBER) and cell.value != "":
                    yield cell.value


class Sum:
    def __init__(self):
        self.files, self.found, self.wanted, self.given, self.worst = 0, 0, 0, 0, []

    def add(self, path, found, wanted, given=0):
        self.files += 1
        self.found, self.wanted, self.given = self.found + found, self.wanted + wanted, self.given + given
        if wanted > found:
            self.worst.append((wanted - found, f"{path.name} {found}/{wanted}"))


def compare_words(sums, path, reference, text):
    wanted, given = words(reference), words(text)
    sums.add(path, (wanted & given).total(), wanted.total(), given.total())


def compare_cells(sums, path, cells, text):
    (text, tables), found, wanted = text, 0, 0
    given = cells_of(text, tables)
    for cell in cells:
        forms = shown(cell)
        if forms == {""}:
            continue
        wanted += 1
        for form in forms:
            if given[form] > 0:
                given[form] -= 1
                found += 1
                break
    sums.add(path, found, wanted)


def letters(text):
    return Counter(letter for letter in text if ord(letter) > 127 and letter.isalpha())


def compare_encoding(sums, path, text):
    # `iso-8859-5-bulgarian` names the language too.
    name = re.sub(r"-[a-z]+$", "", path.parent.name.lower())
    try:
        codecs.lookup(name)
    except LookupError:
        return
    wanted, given = letters(path.read_bytes().decode(name, errors="ignore")), letters(text)
    right = not wanted or (given.total() > 0 and (given - wanted).total() <= given.total() // 100)
    sums.add(path, int(right), 1)


WAYS = {
    "docx": (compare_words, package(r"word/(document|footnotes|endnotes|comments)\.xml", WORD_NS)),
    "pptx": (compare_words, package(r"ppt/(slides|notesSlides)/[^/]*\.xml", DRAW_NS)),
    "xlsx": (compare_cells, openpyxl_cells),
    "xls": (compare_cells, xlrd_cells),
    "pdf": (compare_words, pdftotext),
}

def give_up(*_):
    raise TimeoutError


signal.signal(signal.SIGALRM, give_up)
resource.setrlimit(resource.RLIMIT_AS, (BYTES, BYTES))
folder, sums, missing = Path(sys.argv[1]), defaultdict(Sum), set()
if not shutil.which("pdftotext"):
    missing.add("pdf: pdftotext is not installed")
    del WAYS["pdf"]
for at, line in enumerate((folder / "files.txt").read_text().splitlines()):
    path, text = Path(line), folder / f"{at}.md"
    cells = text.with_suffix(".cells")
    tables = json.loads(cells.read_text()) if cells.exists() else []
    # What was not read counts as read without a word.
    text = text.read_text() if text.exists() else ""
    if "encodings" in path.parts:
        compare_encoding(sums["encodings"], path, text)
        continue
    form = path.suffix[1:].lower()
    if form == "docx" and path.with_suffix(".native").exists():
        compare_words(sums["native"], path, native(path), text)
    if form not in WAYS:
        continue
    compare, reference = WAYS[form]
    signal.alarm(SECONDS)
    try:
        found = reference(path)
        if isinstance(found, str):
            compare(sums[form], path, found, text)
        else:
            compare(sums[form], path, list(found), (text, tables))
    except ImportError as error:
        missing.add(f"{form}: {error}")
    except Exception:
        # The other program does not read the file: nothing to compare with.
        continue
    finally:
        signal.alarm(0)
print("| format | files | found of | share | most is missing of |\n|---|---|---|---|---|")
for form, all_of in sorted(sums.items()):
    share = all_of.found / max(all_of.wanted, 1)
    if form == "pdf":
        precision = all_of.found / max(all_of.given, 1)
        share = 2 * share * precision / max(share + precision, 1e-9)
    worst = "; ".join(name for _, name in sorted(all_of.worst, reverse=True)[:3])
    print(f"| {form} | {all_of.files} | {all_of.found} of {all_of.wanted} | {share:.4f}{' (F1)' if form == 'pdf' else ''} | {worst} |")
for line in sorted(missing):
    print(f"skipped: {line}")
