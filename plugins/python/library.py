"""The standard library of a script.

The component is a snapshot made at build time, and there is no file system to import from later. So everything that a
script may import is imported here, including what the library imports inside functions.
"""

import codecs
import gc
import importlib
import linecache
import sys

MODULES = """
    abc array ast base64 binascii bisect builtins calendar cmath codecs collections collections.abc colorsys
    configparser contextlib contextvars copy copyreg csv dataclasses datetime decimal difflib enum errno fnmatch
    fractions functools gc graphlib hashlib heapq hmac html html.entities html.parser importlib inspect io itertools
    json keyword linecache locale logging math numbers operator os os.path pathlib pickle pprint queue random re
    reprlib secrets shlex sqlite3 stat statistics string string.templatelib struct sys textwrap threading time token
    tokenize tomllib traceback types typing unicodedata urllib.parse uuid warnings weakref xml.etree.ElementTree zlib
    zoneinfo
""".split()

# Imported by functions of the modules above: `strptime`, `help`, annotations.
LATE = """
    _ast_unparse _strptime _suggestions annotationlib opcode pydoc xml.etree.ElementPath xml.parsers.expat
    zoneinfo._common
""".split()

# Encodings of text files in Europe and East Asia.
ENCODINGS = """
    ascii big5 big5hkscs cp1250 cp1251 cp1252 cp932 cp949 cp950 euc_jp euc_kr gb18030 gb2312 gbk iso2022_jp iso8859_1
    iso8859_15 latin_1 shift_jis utf_16 utf_16_be utf_16_le utf_32 utf_8 utf_8_sig unicode_escape raw_unicode_escape
""".split()

# Sizes of the fillers between objects, descending; the last is that of an `object()`.
FILLER_BYTES = (*(1 << power for power in range(19, 9, -1)), *range(960, 0, -64), 48, 32, 16, 11, 0)
FILLER = b"\1"
MARKER_BYTES = 8 << 20

# Never freed.
_fillers = []


def load():
    """Import everything."""
    for name in (*MODULES, *LATE):
        importlib.import_module(name)
    for name in ENCODINGS:
        codecs.lookup(name)


def close():
    """Remove traces of the build's file system, and exclude its objects from every later garbage collection."""
    sys.path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    # Source lines that were cached during the build.
    linecache.clearcache()
    gc.collect()
    _fill_gaps()
    gc.freeze()


def _fill_gaps():
    """Fill the gaps between permanent objects, so that objects of a script are adjacent in new memory.

    An instance shares the pages of the snapshot until it writes to them, and the first write to each costs about a
    thousand instructions. With gaps, a hundred small objects are spread over a hundred pages.

    The fillers are not zeros, although zeros would not be stored: wasmtime shares pages only of memory that is mostly
    not zero, and otherwise copies all of it. One repeated byte compresses to almost nothing.
    """
    # Larger than any gap, so it is after all of them.
    marker = bytes(MARKER_BYTES)
    for size in FILLER_BYTES:
        while True:
            block = FILLER * size if size > 0 else object()
            if id(block) > id(marker):
                break
            _fillers.append(block)
