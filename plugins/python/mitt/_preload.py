"""The standard library of a script.

The component is a snapshot taken while it is built; afterwards there is no file system to import from. So everything
that a script may import is imported here, and what the library itself imports late, inside functions, as well.
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
LATE = "_strptime annotationlib opcode pydoc xml.etree.ElementPath zoneinfo._common".split()

# What text files of this part of the world are written in.
ENCODINGS = """
    ascii big5 big5hkscs cp1250 cp1251 cp1252 cp932 cp949 cp950 euc_jp euc_kr gb18030 gb2312 gbk iso2022_jp iso8859_1
    iso8859_15 latin_1 shift_jis utf_16 utf_16_be utf_16_le utf_32 utf_8 utf_8_sig unicode_escape raw_unicode_escape
""".split()

# More than the imports free, and not so much that the heap grows for it.
CLEARED_BYTES = 8 << 20
CLEARED_SMALL_BYTES = 1 << 20
# Size of an empty `bytes`.
OBJECT_HEADER = sys.getsizeof(b"")


def load():
    """Import everything."""
    for name in (*MODULES, *LATE):
        importlib.import_module(name)
    for name in ENCODINGS:
        codecs.lookup(name)


def close():
    """Forget the file system of the build, and keep its objects out of every later collection."""
    sys.path.clear()
    sys.path_hooks.clear()
    sys.path_importer_cache.clear()
    # Source lines that were looked at while the component was built.
    linecache.clearcache()
    gc.collect()
    _clear_free_memory()
    gc.freeze()


def _clear_free_memory():
    """Overwrite what the imports left in freed memory with zeros.

    The snapshot holds every byte of the heap that is not zero, the text of compiled sources included. Without this the
    component is a fifth larger.
    """
    for size in (1 << 18, 1 << 16, 1 << 14, 1 << 12, 1 << 10):
        blocks = [bytes(size) for _ in range(CLEARED_BYTES // size)]
        del blocks
    # Objects up to 512 bytes live in pools of their own, one size class per 16 bytes.
    for size in range(512, 0, -16):
        blocks = [bytes(size - OBJECT_HEADER) for _ in range(CLEARED_SMALL_BYTES // size) if size > OBJECT_HEADER]
        del blocks
