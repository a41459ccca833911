"""What the scripts that make packages share: what a file of Linux runs on, licences, and archives with the same bytes each time."""

import base64
import hashlib
import re
import sys
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
MACHINES = {0x3E: "x86_64", 0xB7: "aarch64"}
# Of all entries, so that packages differ only where their content does: the first date that a ZIP can say.
DATE = (1980, 1, 1, 0, 0, 0)


def machine_of(path, content, kind):
    """Returns the machine of a program or a library of Linux. `kind` says which, for the error."""
    if content[:6] != b"\x7fELF\x02\x01":
        sys.exit(f"{path}: expected a Linux {kind} of 64 bits")
    number = int.from_bytes(content[18:20], "little")
    if number not in MACHINES:
        sys.exit(f"{path}: expected a {kind} for x86_64 or aarch64, got machine {number:#x}")
    return MACHINES[number]


def soname(content):
    """Returns the name that a library of Linux has for programs that link to it; `None` if it has none."""
    number = lambda at, size: int.from_bytes(content[at : at + size], "little")
    table, size, count = number(40, 8), number(58, 2), number(60, 2)
    # For each section: kind, offset, length, and the section that it refers to.
    sections = [
        (number(at + 4, 4), number(at + 24, 8), number(at + 32, 8), number(at + 40, 4))
        for at in range(table, table + size * count, size)
    ]
    for kind, offset, length, names in sections:
        # SHT_DYNAMIC, and in it DT_SONAME.
        if kind == 6 and names < len(sections):
            for at in range(offset, offset + length, 16):
                if number(at, 8) == 14:
                    start = sections[names][1] + number(at + 8, 8)
                    return content[start : content.index(b"\0", start)].decode(errors="replace")
    return None


def newest_glibc(content):
    """Returns the minor version of the newest symbol that a file wants of the C library; `None` if it has the library inside."""
    versions = re.findall(rb"\0GLIBC_2\.(\d+)(?:\.\d+)?(?=\0)", content)
    return max(map(int, versions), default=None)


def platform_tag(machine, glibc):
    """Returns the platform of a wheel."""
    return f"{f'manylinux_2_{glibc}' if glibc else 'musllinux_1_1'}_{machine}"


def licenses():
    """Those of Mitt and of what is inside of it, by name."""
    folders = [ROOT, *sorted((ROOT / "skills").iterdir()), ROOT / "src/render/fonts"]
    files = [file for folder in folders if folder.is_dir() for file in sorted(folder.glob("LICENSE-*"))]
    return {file.name: file.read_bytes() for file in files}


def zipped(file, entries, level=6):
    """Writes a ZIP file of entries `path: content`. The program and libraries may be executed."""
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, content in entries.items():
            entry = zipfile.ZipInfo(path, DATE)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = (0o100755 if path.endswith(("/mitt", ".so")) else 0o100644) << 16
            archive.writestr(entry, content, compresslevel=level)
    return file


def wheel(file, entries, info, level=6):
    """Writes a wheel of entries `path: content`, with the record of their digests in the folder `info`."""
    digest = lambda content: base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
    record = [f"{path},sha256={digest(content)},{len(content)}" for path, content in entries.items()]
    record.append(f"{info}/RECORD,,")
    return zipped(file, entries | {f"{info}/RECORD": ("\n".join(record) + "\n").encode()}, level)
