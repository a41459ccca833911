# Rows of tables as dicts that a script may change. A row is the same dict each time, as in a list.
#
# The interpreter notes the first change of a row (`monty.patch`). Before a table is used the next time, it writes the changed
# rows into its cells, which are in the script from then on: `_mitt_settle`. Until then `_known` has the rows that the script
# may have, by their place; afterwards it has them by the identity of their cells, as `(cells, row, before)`. `before` is what
# the cells were when they agreed with the row, or None if the script cannot change them by themselves. Rows that nothing else
# refers to, and that were not changed, are let go.

# Rows that are read at once: by an iteration, and for an index.
_MITT_PART = 4096
_MITT_FEW = 256

# Most cells of a table whose rows can be changed; those of a larger one would fill the memory.
_mitt_most = {"cells": 4000000}

# On while attributes are only looked for: then those that the script did not assign are None.
_mitt_probe = {"on": False}


def _mitt_settle(table):
    """Write changes of rows into the cells of their table. Return the rows as lists; None while only the host has them."""
    _mitt_take(table)
    whole = table._of
    if whole is None:
        _mitt_settle_whole(table)
        return table._rows
    _mitt_take(whole)
    _mitt_settle_whole(whole)
    if table._rows is None and whole._rows is not None:
        table._rows = whole._cut[table._first : table._first + table._length]
    if table._columns != table._names:
        # Names of a part are its own.
        _mitt_detach(table)
        _mitt_settle_whole(table)
    elif table._names != whole._columns:
        table._columns.clear()
        table._columns.extend(whole._columns)
        table._names = list(whole._columns)
    return table._rows


def _mitt_take(table):
    """Take over what the script assigned to `columns` and `rows`."""
    _mitt_probe["on"] = True
    columns, rows = table.columns, table.rows
    _mitt_probe["on"] = False
    if columns is not None:
        if not isinstance(columns, list):
            columns = list(columns)
            table.columns = columns
        table._columns = columns
    if rows is not None and rows is not table._rows:
        if not isinstance(rows, list):
            rows = list(rows)
            table.rows = rows
        if table._of is not None:
            _mitt_detach(table)
        elif table._rows is None and (table._known or table._is_cut):
            # Parts and rows keep their cells.
            _mitt_own(table)
        table._rows = rows
        _mitt_give_lists(table)


def _mitt_settle_whole(table):
    if table._names is None:
        table._names = list(table._columns)
        table._known = {}
    elif table._names != table._columns:
        _mitt_rename(table)
    now = mitt_row_changes()
    if table._changes == now:
        return
    changed = mitt_row_changed(table._known)
    if changed:
        if table._rows is None:
            cells = mitt_length(table._source) * len(table._columns)
            if cells > _mitt_most["cells"]:
                raise ValueError(
                    f"a table of {cells} cells is too large to change its rows; at most {_mitt_most['cells']} cells can be changed:"
                    " change copies of some rows, rows = table[:10000].to_dicts(), or use a tool"
                )
            _mitt_own(table)
            changed = mitt_row_changed(table._known)
        _mitt_write(table, changed)
        now = mitt_row_changes()
    table._changes = now


def _mitt_own(table):
    """Bring the cells of a table into the script."""
    rows = mitt_rows(table._source)
    known = {}
    for place, row in table._known.items():
        cells = rows[place]
        known[id(cells)] = (cells, row, None)
    table._known = known
    table._rows = rows
    if table._is_cut:
        # The script may put `rows` into another order.
        table._cut = list(rows)


def _mitt_give_lists(table):
    """Prepare for a script that changes the cells by themselves."""
    if table._is_given:
        return
    table._is_given = True
    if table._known:
        table._known = {key: (entry[0], entry[1], tuple(entry[0])) for key, entry in table._known.items()}


def _mitt_write(table, changed):
    """Write rows into their cells."""
    known, columns, rows = table._known, table._columns, table._rows
    touched = [known[key][1] for key in changed]
    added = []
    for row in touched:
        for name in row:
            if name not in columns and name not in added:
                if not isinstance(name, str):
                    raise TypeError(f"row[{name!r}] = ...: expected the name of a column; dict(row) is a dict of your own")
                added.append(name)
    if added:
        columns.extend(added)
        for place in range(len(rows)):
            cells = _mitt_list(rows, place)
            cells.extend([None] * (len(columns) - len(cells)))
        for entry in list(known.values()):
            for name in added:
                if name not in entry[1]:
                    entry[1][name] = None
                    touched.append(entry[1])
    width = len(columns)
    for key in changed:
        cells, row, before = known[key]
        if len(row) < width:
            table._lacks = True
        if before is None:
            cells.clear()
            cells.extend([row.get(name) for name in columns])
        else:
            _mitt_write_cells(columns, cells, row, before)
            _mitt_read_cells(columns, cells, row)
            known[key] = (cells, row, tuple(cells))
    if table._lacks and len(known) >= len(rows):
        _mitt_drop_columns(table)
    table._names = list(columns)
    mitt_row_mark(touched)


def _mitt_write_cells(columns, cells, row, before):
    """Write what differs from the last time, because the script may have changed other cells of the list."""
    for place in range(len(columns)):
        name = columns[place]
        if name not in row:
            if place < len(before):
                cells[place] = None
            continue
        value = row[name]
        if place >= len(before) or type(value) is not type(before[place]) or value != before[place]:
            cells[place] = value


def _mitt_read_cells(columns, cells, row):
    """Write what the script changed in a list into the row. A cell that the row lost stays away."""
    for name, cell in zip(columns, cells):
        if name in row or cell is not None:
            row[name] = cell


def _mitt_drop_columns(table):
    """Remove columns that all rows lost."""
    known = table._known
    lost = [
        name
        for name in table._columns
        if not [cells for cells in table._rows if id(cells) not in known or name in known[id(cells)][1]]
    ]
    if not lost or not table._rows:
        return
    all_cells = {id(cells): cells for cells in table._rows + (table._cut or [])}
    for name in lost:
        place = table._columns.index(name)
        table._columns.pop(place)
        for cells in all_cells.values():
            if place < len(cells):
                cells.pop(place)
    if table._is_given:
        table._known = {key: (entry[0], entry[1], tuple(entry[0])) for key, entry in known.items()}


def _mitt_rename(table):
    """Give the rows that the script has the names that it gave to the columns."""
    new = dict(zip(table._names, table._columns))
    gone = table._names[len(table._columns) :]
    changed = set(mitt_row_changed(table._known))
    unchanged = []
    for key, entry in table._known.items():
        row = entry[1] if isinstance(entry, tuple) else entry
        cells = {new.get(name, name): cell for name, cell in row.items() if name not in gone}
        row.clear()
        row.update(cells)
        if key not in changed:
            unchanged.append(row)
    mitt_row_mark(unchanged)
    table._names = list(table._columns)


def _mitt_detach(table):
    """Make a part a table of its own, whose rows are no longer those of the other one."""
    if table._rows is None:
        table._source = _mitt_source_of(table)
    else:
        table._rows = [list(cells) for cells in table._rows]
    table._of = None
    table._first = 0
    table._length = None
    table._names = list(table._columns)
    table._known = {}
    table._changes = -1


def _mitt_source_of(table):
    """Return the name of a table that only the host has."""
    if table._of is not None:
        table._source = mitt_cut(table._of._source, table._first, table._length, table._source)
    return table._source


def _mitt_part_of(table, first, length):
    """Return some rows as a table that only the host has."""
    whole = table if table._of is None else table._of
    part = Table(table._columns, (), table.name)
    part._rows = None
    part._names = list(table._columns)
    part._of = whole
    part._first = table._first + first
    part._length = length
    whole._is_cut = True
    return part


def _mitt_listed_part_of(table, rows):
    """Return some rows, as lists of the script, as a table."""
    part = Table(table._columns, (), table.name)
    part._rows = rows
    part._names = list(table._columns)
    part._of = table if table._of is None else table._of
    return part


def _mitt_list(rows, place):
    """Return the cells of a row. A sequence that is no list is replaced by one."""
    cells = rows[place]
    if not isinstance(cells, list):
        cells = list(cells)
        rows[place] = cells
    return cells


def _mitt_cells(table):
    """Return the rows as lists, for reading only."""
    rows = _mitt_settle(table)
    return mitt_rows(_mitt_source_of(table)) if rows is None else rows


def _mitt_lists(table):
    """Return the rows as lists that the script may change."""
    if _mitt_settle(table) is None:
        if table._of is None:
            _mitt_own(table)
        else:
            source = _mitt_source_of(table)
            _mitt_detach(table)
            table._rows = mitt_rows(source)
    _mitt_give_lists(table)
    if table._of is not None:
        _mitt_give_lists(table._of)
    return table._rows


def _mitt_records(columns, rows):
    """Return lists as new dicts."""
    try:
        return mitt_records(columns, rows)
    except (RuntimeError, TypeError):
        # A cell cannot leave monty.
        return [dict(zip(columns, cells)) for cells in rows]


def _mitt_row(table, place):
    """Return a row of a table. `place` may count from the end."""
    place = range(len(table))[place]
    rows = _mitt_settle(table)
    if rows is None:
        known = (table if table._of is None else table._of)._known
        if table._first + place not in known:
            start = place - place % _MITT_FEW
            return _mitt_dicts(table, start, _MITT_FEW)[place - start]
        return known[table._first + place]
    return _mitt_dicts(table, place, 1)[0]


def _mitt_dicts(table, start, length):
    """Return some rows, each as the dict that the script has of it."""
    rows = _mitt_settle(table)
    whole = table if table._of is None else table._of
    # A row that lost a cell is needed: a column is gone when all rows have lost it.
    if len(whole._known) >= whole._most and not whole._lacks:
        _mitt_let_go(whole)
    known = whole._known
    if rows is None:
        first = table._first + start
        end = min(first + length, table._first + len(table))
        if first >= end:
            return []
        kept = [place for place in range(first, end) if place in known]
        if len(kept) == end - first:
            return [known[place] for place in kept]
        made = mitt_part(whole._source, first, end - first, whole._columns)
        mitt_row_mark(made)
        for place in kept:
            made[place - first] = known[place]
        known.update(zip(range(first, end), made))
        return made
    lists = [_mitt_list(rows, place) for place in range(start, min(start + length, len(rows)))]
    fresh = {id(cells): cells for cells in lists if id(cells) not in known}
    made = _mitt_records(whole._columns, list(fresh.values()))
    mitt_row_mark(made)
    for cells, row in zip(fresh.values(), made):
        known[id(cells)] = (cells, row, tuple(cells) if whole._is_given else None)
    found = []
    for cells in lists:
        entry = known[id(cells)]
        if entry[2] is not None and tuple(cells) != entry[2]:
            _mitt_read_cells(whole._columns, cells, entry[1])
            mitt_row_mark([entry[1]])
            known[id(cells)] = (cells, entry[1], tuple(cells))
        found.append(entry[1])
    return found


def _mitt_let_go(table):
    """Let rows go that nothing else refers to and that were not changed."""
    known = table._known
    table._known = {key: known[key] for key in mitt_row_busy(known)}
    table._most = max(_MITT_PART, 2 * len(table._known))


class _MittParts:
    """Iterates over lists of rows as dicts: `map` would read all of them at once."""

    def __init__(self, table):
        self.table = table
        self.start = 0

    def __iter__(self):
        return self

    def __next__(self):
        table = self.table
        part = _mitt_dicts(table, self.start, _MITT_PART)
        if not part:
            whole = table if table._of is None else table._of
            if not whole._lacks:
                _mitt_let_go(whole)
            raise StopIteration
        self.start += len(part)
        return part


