"""Files by a library that people use instead: `peer.py LIBRARY LIST FOLDER`, with LIBRARY `markitdown` or `docling`.

Reads the files that LIST names, one after the other, writes their texts to FOLDER and prints in JSON what came of each and how long
its call took. Imports and what is made once are not counted. `peer.py LIBRARY --check` only says whether the library is there.
Of docling the backends are measured that read text, without the models that find layouts.
"""

import json
import logging
import os
import resource
import shutil
import signal
import sys
import time
import warnings
from pathlib import Path

# A file that takes longer is given up.
SECONDS = 60

warnings.simplefilter("ignore")
logging.disable(logging.CRITICAL)


def markitdown():
    from markitdown import MarkItDown

    converter = MarkItDown(enable_plugins=False)
    formats = "docx pptx xlsx xls pdf html csv epub ipynb msg xml json zip".split()
    return formats, lambda path: converter.convert(str(path)).markdown


def docling():
    from docling.backend.docling_parse_backend import DoclingParseDocumentBackend
    from docling.backend.html_backend import HTMLDocumentBackend
    from docling.backend.msexcel_backend import MsExcelDocumentBackend
    from docling.backend.mspowerpoint_backend import MsPowerpointDocumentBackend
    from docling.backend.msword_backend import MsWordDocumentBackend
    from docling.datamodel.base_models import InputFormat
    from docling.datamodel.document import InputDocument

    backends = {
        "docx": (InputFormat.DOCX, MsWordDocumentBackend),
        "pptx": (InputFormat.PPTX, MsPowerpointDocumentBackend),
        "xlsx": (InputFormat.XLSX, MsExcelDocumentBackend),
        "html": (InputFormat.HTML, HTMLDocumentBackend),
        "pdf": (InputFormat.PDF, DoclingParseDocumentBackend),
    }

    def convert(path):
        form, backend = backends[path.suffix[1:].lower()]
        document = InputDocument(path, format=form, backend=backend)
        if not document.valid:
            raise ValueError("no valid document")
        if form is not InputFormat.PDF:
            return document._backend.convert().export_to_markdown()
        pages = document._backend.iter_pages()
        return "\n\n".join("\n".join(cell.text for cell in page.get_text_cells()) for page in pages)

    return list(backends), convert


def give_up(*_):
    raise TimeoutError


def read(path, text):
    """What came of a file, and how long it took."""
    signal.alarm(SECONDS)
    start = time.perf_counter()
    try:
        said = convert(path)
        # A picture is no text, and a scanned page has none.
        outcome = "read" if said.strip() else "empty"
        text.write_text(said, errors="replace")
    except Exception as error:
        outcome = type(error).__name__
    finally:
        seconds = time.perf_counter() - start
        signal.alarm(0)
    return {"path": str(path), "outcome": outcome, "seconds": seconds, "in_reader": seconds, "memory": 0}


def worker(numbers, results):
    """Read files one after the other, a line about each, and at the end one about the process."""
    for at in numbers:
        results.write(json.dumps(read(paths[at], folder / f"{at}.md")) + "\n")
        results.flush()
    usage = resource.getrusage(resource.RUSAGE_SELF)
    results.write(json.dumps({"cpu": time.process_time(), "memory": usage.ru_maxrss * 1024}) + "\n")
    results.close()


formats, convert = {"markitdown": markitdown, "docling": docling}[sys.argv[1]]()
if sys.argv[2] == "--check":
    sys.exit()
paths = [Path(line) for line in Path(sys.argv[2]).read_text().splitlines()]
folder = Path(sys.argv[3])
shutil.rmtree(folder, ignore_errors=True)
folder.mkdir(parents=True)
(folder / "files.txt").write_text("".join(f"{path}\n" for path in paths))
signal.signal(signal.SIGALRM, give_up)
files, cpu, memory, begun = [], 0.0, 0, time.perf_counter()
numbers = [at for at, path in enumerate(paths) if path.suffix[1:].lower() in formats]
# Some files bring the whole process down: the next one goes on behind them.
while numbers:
    outward, inward = os.pipe()
    if os.fork() == 0:
        os.close(outward)
        worker(numbers, os.fdopen(inward, "w"))
        os._exit(0)
    os.close(inward)
    with os.fdopen(outward) as results:
        lines = [json.loads(line) for line in results]
    os.wait()
    if lines and "cpu" in lines[-1]:
        usage = lines.pop()
        cpu, memory = cpu + usage["cpu"], max(memory, usage["memory"])
    files += lines
    numbers = numbers[len(lines):]
    if numbers:
        files.append({"path": str(paths[numbers[0]]), "outcome": "crashed", "seconds": 0.0, "in_reader": 0.0, "memory": 0})
        numbers = numbers[1:]
print("\n" + json.dumps({"files": files, "wall": time.perf_counter() - begun, "cpu": cpu, "memory": memory}))
