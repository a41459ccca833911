"""Tables of figures in the documentation, for programs that measure in Python. `figures.rs` is the same for benches in Rust."""

import os
import platform
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def processor():
    """Returns the processor's model."""
    name = re.search(r"model name\s*:\s*(.+)", Path("/proc/cpuinfo").read_text())
    return name.group(1).strip() if name else platform.machine()


def machines():
    """Returns the machine in English and in Chinese."""
    return f"{os.cpu_count()} cores of {processor()}", f"{processor()}，{os.cpu_count()} 核"


def write(name, page, texts):
    """Replaces the table between `<!-- figures: NAME -->` and `<!-- end of NAME -->` of a page and of its translation."""
    for path, text in zip([ROOT / f"{page}.md", ROOT / f"{page}.zh-CN.md"], texts, strict=True):
        begin, end = f"<!-- figures: {name} -->\n", f"<!-- end of {name} -->"
        before, rest = path.read_text().split(begin)
        path.write_text(before + begin + text + end + rest.split(end)[1])


def table(head, lines, note):
    """Returns a table of these lines, with a note below."""
    return "\n".join([head, "|" + "---|" * (head.count("|") - 1), *lines, "", note, ""])
