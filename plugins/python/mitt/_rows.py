"""Rows of tables as dicts that a script may change.

A row is the same dict each time, as in a list, as long as something refers to it. Nothing is kept of rows that were only
read. The first change brings the cells of the table into the script, as lists, and each change is written to the list of
its row.
"""

import functools
import sys
import weakref
from collections import abc

# Rows of one request to the host.
PART_ROWS = 4_096

# Rows that are made at once while a script iterates.
CHUNK_ROWS = 256

# Most cells of a table whose rows can be changed; those of a larger one would fill the memory.
MAX_CHANGED_CELLS = 4_000_000

# Most columns for which code is generated, because more are rare, and the rows from which generating it saves time.
MAX_FAST_COLUMNS = 64
MIN_FAST_ROWS = 500

# References to rows after which those of rows that are no more are removed.
MIN_SEEN = 1_024


class Object(dict):
    """A JSON object: a dict whose keys can also be read as attributes, `artifact.name` for `artifact["name"]`.

    Names of dict methods stay methods: `result["items"]`, not `result.items`.
    """

    __slots__ = ()

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            # `copy`, `pickle` and `inspect` look for dunder names; an error with a list of keys would not help them.
            if name.startswith("__"):
                raise AttributeError(name) from None
            raise AttributeError(f"no field {name!r}; there are: {_names(self)}") from None


class Row(Object):
    """A row of a table. Changes of it are changes of the table; `dict(row)` is a copy."""

    # `_home` is a weak reference: a row does not keep its table. `_at` is the place of the row, or the list of its cells.
    __slots__ = ("__weakref__", "_at", "_home")

    def __missing__(self, key):
        # Another row added the column.
        store = _store_of(self)
        if store is not None and store.lacks(self, key):
            return None
        raise KeyError(key)

    def __setitem__(self, key, value):
        store = _store_of(self)
        if store is not None:
            store.set(self, key, value)
        dict.__setitem__(self, key, value)

    def __delitem__(self, key):
        if key in self:
            store = _store_of(self)
            if store is not None:
                store.remove(self, key)
        dict.__delitem__(self, key)

    def update(self, *others, **named):
        """Set several cells."""
        for key, value in dict(*others, **named).items():
            self[key] = value

    def __ior__(self, other):
        self.update(other)
        return self

    def setdefault(self, key, default=None):
        """Return a cell, which is set before if there is none."""
        if key not in self:
            self[key] = default
        return self[key]

    def pop(self, key, *default):
        """Remove a cell and return it."""
        if key not in self:
            return dict.pop(self, key, *default)
        value = self[key]
        del self[key]
        return value

    def popitem(self):
        """Remove the last cell and return it with its name."""
        key = next(reversed(self), None)
        return dict.popitem(self) if key is None else (key, self.pop(key))

    def clear(self):
        """Remove all cells."""
        for key in list(self):
            del self[key]

    def __setattr__(self, name, value):
        if name in Row.__slots__:
            object.__setattr__(self, name, value)
            return
        raise AttributeError(f"set a cell of a row by its name: row[{name!r}] = ...")

    def __copy__(self):
        return Object(self)

    def __reduce__(self):
        return Object, (dict(self),)


def _store_of(row):
    try:
        return _home_of(row)()
    except AttributeError:
        # Made by the script: `type(row)(…)`.
        return None


_home_of, _set_home, _set_at = Row._home.__get__, Row._home.__set__, Row._at.__set__


class RowStore:
    """The rows that a script has of a table, and of the parts that it cut out of it.

    `source` has the cells in the host; None for a table that the script made. `lists` are the cells in the order of the
    host, from the first change on.
    """

    __slots__ = (
        "__weakref__", "_active", "_deleted", "_home", "_index", "_known", "_most", "_seen", "_source", "_window", "lists",
        "names", "owner", "version",
    )

    def __init__(self, names, source=None):
        self.names = list(names)
        self.version = 0
        # A weak reference to the table whose script may have renamed its columns; None if there is none any more.
        self.owner = None
        self.lists = None
        self._index = {name: at for at, name in enumerate(self.names)}
        self._source = source
        self._window = None
        self._home = weakref.ref(self)
        # Chunks in which iterators are, by the place of the first row, with the number of these iterators.
        self._active = {}
        # Weak references to rows: by place, and by the identity of their lists.
        self._seen, self._known = {}, {}
        self._most = MIN_SEEN
        # The lists of the rows whose cell was removed, by the name of the column.
        self._deleted = {}

    def iterate(self, first, length):
        """Iterate over some rows of the host, also while they become lists."""
        place, end, begin = first, first + length, None
        width = len(self.names)
        is_plain = 0 < width == len(self._index) == len(self._source.names) <= MAX_FAST_COLUMNS
        make = _maker(width) if is_plain and length >= MIN_FAST_ROWS else _made
        while place < end and self.lists is None:
            if begin is None or place >= begin + PART_ROWS:
                begin = place
                columns = self._source.columns(place, min(PART_ROWS, end - place))
            count = min(CHUNK_ROWS, end - place, begin + PART_ROWS - place)
            rows = self._enter(make, place, columns, place - begin, count)
            try:
                yield from rows
            finally:
                self._leave(place, rows)
            place += count
        while place < end:
            yield self.of(self.lists, place)
            place += 1

    def at(self, place):
        """Return a row of the host."""
        if self.lists is not None:
            return self.of(self.lists, place)
        row = self._find(place)
        if row is None:
            if self._window is None:
                self._window = Rows(self._source)
            row = self._row(zip(self.names, self._window[place]), place)
            self._note(self._seen, place, row)
        return row

    def of(self, lists, place):
        """Return the row of a list of cells. A sequence that is no list is replaced by one."""
        cells = lists[place]
        if type(cells) is not list:
            cells = lists[place] = list(cells)
        known = self._known.get(id(cells))
        row = known and known()
        if row is None or row._at is not cells:
            row = self._row(zip(self.names, cells), cells)
            self._note(self._known, id(cells), row)
        else:
            self._refresh(row, cells)
        return row

    def listed(self, lists):
        """Iterate over the rows of lists of cells, to which the script may add others meanwhile."""
        place, names, known, home, ref = 0, self.names, self._known, self._home, weakref.ref
        while place < len(lists):
            cells = lists[place]
            if type(cells) is list and id(cells) not in known and len(known) < self._most:
                row = Row(zip(names, cells))
                _set_home(row, home)
                _set_at(row, cells)
                known[id(cells)] = ref(row)
            else:
                row = self.of(lists, place)
            place += 1
            yield row

    def own(self):
        """Bring the cells into the script, as lists."""
        if self.lists is not None:
            return
        source = self._source
        cells = source.length * len(source.names)
        if cells > MAX_CHANGED_CELLS:
            raise ValueError(
                f"a table of {cells} cells is too large to change its rows; at most {MAX_CHANGED_CELLS} cells can be changed:"
                " change copies of some rows, rows = table[:10000].to_dicts(), or use a tool"
            )
        lists = self.lists = [list(row) for row in Rows(source)]
        self._window = None
        for place, (rows, _) in self._active.items():
            for at, row in enumerate(rows):
                self._bind(row, lists[place + at])
        for place, known in self._seen.items():
            row = known()
            if row is not None:
                self._bind(row, lists[place])
        self._seen.clear()

    def set(self, row, key, value):
        """Write a cell of a row."""
        cells = self._cells(row)
        at = self._column(key)
        if at is None:
            if not isinstance(key, str):
                raise TypeError(f"row[{key!r}] = ...: expected the name of a column; dict(row) is a dict of your own")
            at = self._index[key] = len(self.names)
            self.names.append(key)
            self.version += 1
        if len(cells) <= at:
            cells.extend([None] * (at + 1 - len(cells)))
        cells[at] = value
        if self._deleted:
            self._deleted.get(key, {}).pop(id(cells), None)

    def remove(self, row, key):
        """Remove a cell of a row. In the table it is None, unless all rows lose it."""
        cells = self._cells(row)
        at = self._column(key)
        if at is None:
            return
        if at < len(cells):
            cells[at] = None
        # The list itself is kept, so that no other one has its identity.
        self._deleted.setdefault(key, {})[id(cells)] = cells

    def lacks(self, row, key):
        """Return True if a row has no cell in a column, and did not lose it."""
        return key in self._index and id(row._at) not in self._deleted.get(key, ())

    def settle(self, lists):
        """Remove columns that all rows of a table lost."""
        for name, gone in list(self._deleted.items()):
            if len(gone) < len(lists) or not all(id(cells) in gone for cells in lists):
                continue
            at = self._index[name]
            # Also those that the script took out of the table.
            for cells in {id(cells): cells for cells in (*gone.values(), *(self.lists or ()), *lists)}.values():
                del cells[at : at + 1]
            del self._deleted[name]
            self._set_names([other for other in self.names if other != name])

    def pad(self, lists):
        """Give all rows a cell in each column."""
        width = len(self.names)
        for cells in lists:
            if len(cells) < width and type(cells) is list:
                cells.extend([None] * (width - len(cells)))

    def has_deleted(self):
        """Return True if a script removed cells."""
        return bool(self._deleted)

    def rename(self, names):
        """Give the columns other names, also in the rows that the script has."""
        new = dict(zip(self.names, names))
        for row in self._rows():
            cells = [(new.get(name, name), cell) for name, cell in row.items()]
            dict.clear(row)
            dict.update(row, cells)
        self._deleted = {new.get(name, name): gone for name, gone in self._deleted.items()}
        self._set_names(names)

    def _set_names(self, names):
        self.names[:] = names
        self._index = {name: at for at, name in enumerate(self.names)}
        self.version += 1

    def _rows(self):
        """Return the rows that the script has."""
        rows = {id(row): row for rows, _ in self._active.values() for row in rows}
        for known in (*self._seen.values(), *self._known.values()):
            row = known()
            if row is not None:
                rows[id(row)] = row
        return list(rows.values())

    def _enter(self, make, place, columns, start, count):
        entry = self._active.get(place)
        if entry is not None and len(entry[0]) == count:
            entry[1] += 1
            return entry[0]
        rows = make(self.names, self._home, place, [column[start : start + count] for column in columns], count)
        for first, (others, _) in self._active.items():
            # Another iterator is in rows of this chunk.
            for other in range(max(first, place), min(first + len(others), place + count)):
                rows[other - place] = others[other - first]
        if self._seen:
            for at in range(count):
                known = self._seen.get(place + at)
                row = known and known()
                if row is not None:
                    rows[at] = row
        if entry is None:
            self._active[place] = [rows, 1]
        return rows

    def _leave(self, place, rows):
        entry = self._active.get(place)
        if entry is not None and entry[0] is rows:
            entry[1] -= 1
            if entry[1]:
                return
            del self._active[place]
        if self.lists is not None:
            for at, row in enumerate(rows):
                if type(row._at) is int:
                    self._bind(row, self.lists[place + at])
            return
        counts = list(map(sys.getrefcount, rows))
        if max(counts) > _FREE:
            for at, count in enumerate(counts):
                if count > _FREE:
                    self._note(self._seen, place + at, rows[at])

    def _find(self, place):
        for first, (rows, _) in self._active.items():
            if first <= place < first + len(rows):
                return rows[place - first]
        known = self._seen.get(place)
        return known and known()

    def _row(self, cells, at):
        row = Row(cells)
        _set_home(row, self._home)
        _set_at(row, at)
        return row

    def _bind(self, row, cells):
        _set_at(row, cells)
        self._note(self._known, id(cells), row)

    def _note(self, known, key, row):
        known[key] = weakref.ref(row)
        if len(known) >= self._most:
            for other in [other for other, ref in known.items() if ref() is None]:
                del known[other]
            self._most = max(MIN_SEEN, 2 * len(known))

    def _column(self, key):
        at = self._index.get(key)
        if at is None and self.owner is not None:
            table = self.owner()
            if table is not None:
                # The name may be one that the script gave to a column.
                table._settled()
                at = self._index.get(key)
        return at

    def _cells(self, row):
        at = row._at
        if type(at) is int:
            self.own()
            at = row._at
            if type(at) is int:
                self._bind(row, self.lists[at])
                at = row._at
        return at

    def _refresh(self, row, cells):
        """Write what the script changed in the list into the row."""
        for name, cell in zip(self.names, cells):
            if name not in row:
                if id(cells) in self._deleted.get(name, ()):
                    continue
            elif row[name] is cell:
                continue
            dict.__setitem__(row, name, cell)


class Rows(abc.Sequence):
    """The rows of a table in the host, as tuples, because they cannot be changed."""

    __slots__ = ("_handle", "_part", "_start")

    def __init__(self, handle):
        self._handle = handle
        self._start, self._part = 0, []

    def __len__(self):
        return self._handle.length

    def __iter__(self):
        for start in range(0, self._handle.length, PART_ROWS):
            yield from self._fetched(start, PART_ROWS)

    def __getitem__(self, key):
        if isinstance(key, slice):
            return [self[index] for index in range(*key.indices(len(self)))]
        index = range(len(self))[key]
        if not self._start <= index < self._start + len(self._part):
            self._start = index // PART_ROWS * PART_ROWS
            self._part = self._fetched(self._start, PART_ROWS)
        return self._part[index - self._start]

    def _fetched(self, start, length):
        columns = self._handle.columns(start, length)
        return list(zip(*columns)) if columns else [()] * min(length, len(self) - start)


def _made(names, home, place, columns, count):
    """Make rows of some columns."""
    rows = [Row(zip(names, cells)) for cells in (zip(*columns) if columns else [()] * count)]
    for at, row in enumerate(rows):
        _set_home(row, home)
        _set_at(row, place + at)
    return rows


@functools.cache
def _maker(width):
    """Return a function like `_made` for columns with different names. Code for this number of columns is twice as fast as
    `zip` for each row."""
    names = "".join(f"k{index}, " for index in range(width))
    cells = "".join(f"v{index}, " for index in range(width))
    pairs = ", ".join(f"k{index}: v{index}" for index in range(width))
    source = (
        f"def made(names, home, place, columns, count):\n    {names}= names\n    rows = []\n    append = rows.append\n"
        f"    for {cells}in zip(*columns):\n        row = Row({{{pairs}}})\n        set_home(row, home)\n"
        "        set_at(row, place)\n        place += 1\n        append(row)\n    return rows\n"
    )
    scope = {"Row": Row, "set_at": _set_at, "set_home": _set_home, "zip": zip}
    exec(source, scope)
    return scope["made"]


def _names(names):
    return ", ".join(repr(name) for name in names) or "none"


# What `sys.getrefcount` returns for a row that only a list refers to.
_FREE = list(map(sys.getrefcount, [Row()]))[0]
