"""Rows of tables that a script changes."""

import copy
import gc
import json
import pickle
import random
import sys
import unittest

import fakes
from fakes import Column, Table

ROWS = 10_000


class Rows(unittest.TestCase):
    def setUp(self):
        # Other tests have their own modules.
        before = dict(sys.modules)
        self.addCleanup(lambda: (sys.modules.clear(), sys.modules.update(before)))
        self.host = fakes.Host()
        self.mitt = fakes.load(self.host)
        from mitt import _json, _rows, _tables, _values

        self.json, self.rows, self.tables, self.values = _json, _rows, _tables, _values

    def small(self):
        columns = [Column("Texts", ["Jan", "Feb", "Mar"]), Column("Decimals", [100, 125, 110], 1)]
        return self.tables.of_document(Table(["Month", "DAU"], columns), "Users", ("2024.xlsx", 0))

    def large(self, n=ROWS):
        columns = [Column("Integers", [place if place % 3 else None for place in range(n)]),
                   Column("Decimals", [place * 50 for place in range(n)], 2)]
        return self.tables.of_document(Table(["n", "sum"], columns), "", None)

    def own(self):
        return self.values.Table.from_dicts([{"Month": "Jan", "DAU": 10}, {"Month": "Feb", "DAU": 12.5}, {"Month": "Mar", "DAU": 11}])

    def call(self, value):
        """Return the arguments of a call with a value."""
        from mitt import _skills

        _skills.call("tool", value=value)
        return json.loads(self.host.calls[-1][1])["value"]

    def known(self, table):
        """Return the number of rows that a table knows."""
        store = table._store
        return len(store._active) + sum(ref() is not None for ref in (*store._seen.values(), *store._known.values()))

    def test_a_row_is_the_same_dict_each_time(self):
        for make in (self.small, self.own):
            t = make()
            first, rows = t[0], list(t)
            self.assertIs(rows[0], first)
            self.assertTrue(all(a is b for a, b in zip(rows, t)))
            self.assertTrue(all(a is b for a, b in zip(rows[1:], t[1:])))
            self.assertIs(t[1:][1:][0], rows[2])
            self.assertIs(max(t, key=lambda row: row.DAU), t[1])
            self.assertIsNot(t.to_dicts()[0], t[0])
            self.assertIsNot(copy.copy(first), first)
        t = self.large()
        held = [row for row in t if row["sum"] in (1, 4_000.5)]
        self.assertTrue(all(a is b for a, b in zip(held, (t[2], t[8_001]))))
        for outer in t[:300]:
            self.assertIs(next(row for row in t if row["sum"] == outer["sum"]), outer)

    def test_changes_of_rows_are_in_the_table(self):
        def double(row):
            row["twice"] = row["DAU"] * 2

        def each(rows):
            for row in rows:
                double(row)

        for make in (self.small, self.own):
            for change in (
                each,
                lambda t: each(list(t)),
                lambda t: each(t[:]),
                lambda t: each(list(t[:])),
                lambda t: [double(t[at]) for at in range(len(t))],
                lambda t: (each(t[:1]), each(t[1:])),
                lambda t: [row.update(twice=row.DAU * 2) for row in t],
                lambda t: [row.setdefault("twice", row.DAU * 2) for row in t],
                lambda t: [row.__ior__({"twice": row.DAU * 2}) for row in sorted(t, key=lambda row: row.DAU)],
            ):
                t = make()
                change(t)
                rows = [["Jan", 10, 20], ["Feb", 12.5, 25], ["Mar", 11, 22]]
                self.assertEqual((t.columns, t.rows, t["twice"]), (["Month", "DAU", "twice"], rows, [20, 25, 22]))
                self.assertEqual((t[1].twice, sum(row["twice"] for row in t), t.to_dicts()[2]["twice"]), (25, 67, 22))
                self.assertEqual((t[1:].rows, t[["twice"]].rows, t[::2]["twice"]), (rows[1:], [[20], [25], [22]], [20, 22]))
                self.assertIn("twice", t)
                self.assertEqual(pickle.loads(pickle.dumps(t)), t)
                self.assertIn("| Feb | 12.5 | 25", t.markdown())
                self.assertEqual(json.loads(self.json.encode(list(t), plain=True))[0], {"Month": "Jan", "DAU": 10, "twice": 20})
                self.assertEqual(json.loads(json.dumps(list(t)))[1]["twice"], 25)
                for plain in (True, False):
                    self.assertEqual(json.loads(self.json.encode(t, plain=plain)),
                                     {"columns": ["Month", "DAU", "twice"], "rows": rows})

    def test_columns_follow_the_rows(self):
        for make in (self.small, self.own):
            t = make()
            t[1]["x"] = 1
            self.assertEqual((t[0]["x"], "x" in t[0], t[0].get("x", 5), t[0].setdefault("y", 2)), (None, False, 5, 2))
            first = t[0]
            del first["y"]
            with self.assertRaises(KeyError):
                first["y"]
            del first
            t[1]["y"], t[0]["y"] = 1, 1
            for row in t:
                del row["y"]
            self.assertEqual((t.columns, t["x"], t[0], t.rows[2]),
                             (["Month", "DAU", "x"], [None, 1, None], {"Month": "Jan", "DAU": 10, "x": None}, ["Mar", 11, None]))
            t = make()
            del t[0]["DAU"]
            self.assertEqual((t.columns, t["DAU"]), (["Month", "DAU"], [None, 12.5, 11]))
            for row in t:
                row.pop("DAU", None)
            self.assertEqual((t.columns, t.rows, list(t)), (["Month"], [["Jan"], ["Feb"], ["Mar"]], [{"Month": m} for m in t["Month"]]))
            t[0]["DAU"] = 1
            self.assertEqual(t["DAU"], [1, None, None])
            t = make()
            row = t[2]
            row.clear()
            row["Month"] = "X"
            self.assertEqual(t.rows[2], ["X", None])
            self.assertEqual((row.popitem(), row, t["Month"]), (("Month", "X"), {}, ["Jan", "Feb", None]))

    def test_old_and_new_ways_to_change_a_table_agree(self):
        for make in (self.small, self.own):
            t = make()
            first = t[0]
            t.rows[0][1] = 7
            self.assertEqual((t[0].DAU, first.DAU), (7, 7))
            first["x"] = 1
            self.assertEqual(t.rows[0], ["Jan", 7, 1])
            t.rows.append(["Apr", 9, 2])
            t.rows.sort(key=lambda row: row[1])
            t[0]["x"] = 5
            self.assertEqual((t["Month"], t["x"]), (["Jan", "Apr", "Mar", "Feb"], [5, 2, None, None]))
            t = make()
            rows = list(t)
            t.columns[1] = "users"
            rows[1]["users"] = 0
            self.assertEqual((t["users"], t[1], rows[0]), ([10, 0, 11], {"Month": "Feb", "users": 0}, {"Month": "Jan", "users": 10}))
            t = make()
            t.columns.append("x")
            for row in t.rows:
                row.append(3)
            t[0]["x"] = 4
            self.assertEqual((t["x"], t[2]), ([4, 3, 3], {"Month": "Mar", "DAU": 11, "x": 3}))
            t = make()
            t.rows = [tuple(row) for row in t.rows]
            t[1]["DAU"] = 0
            self.assertEqual(t["DAU"], [10, 0, 11])
            part = (t := make())[1:]
            part.columns[0] = "m"
            part[0]["m"] = "x"
            self.assertEqual((t.columns, t["Month"], part["m"]), (["Month", "DAU"], ["Jan", "Feb", "Mar"], ["x", "Mar"]))

    def test_parts_are_rows_of_the_table(self):
        t = self.large()
        part = t[100:200]
        t[150]["sum"] = -1
        part[0]["sum"] = -2
        part[1]["x"] = 3
        self.assertEqual((part["sum"][50], t["sum"][100], t["x"][101], part["x"][0], len(part)), (-1, -2, 3, None, 100))
        rows = list(self.large()[5_000:5_010])
        self.assertEqual((len(rows), rows[0]["n"]), (10, 5_000))

    def test_tools_get_the_changed_table(self):
        t = self.small()
        self.assertEqual(self.call(t), {"$ref": "2024.xlsx#1"})
        t[0]["DAU"] = 1
        self.assertEqual(self.call([t, t[:1]]), [{"columns": ["Month", "DAU"], "rows": [["Jan", 1], ["Feb", 12.5], ["Mar", 11]]},
                                                 {"columns": ["Month", "DAU"], "rows": [["Jan", 1]]}])
        big = self.large()
        kept = []
        self.host.answers["tool"] = lambda: kept.extend(self.host.kept.values()) or "null"
        big[9_999]["x"] = "a"
        self.assertEqual(self.call(big), {"$ref": "t:1"})
        self.assertEqual((len(kept[0].parts), len(kept[0].parts[0])), (3, 3))

    def test_changes_while_iterating(self):
        t = self.large()
        total = 0
        for row in t:
            total += row["sum"]
            row["total"] = total
        self.assertEqual((t["total"][-1], t[9_999].total, len(t["total"])), (24_997_500, 24_997_500, ROWS))
        t = self.large()
        for a, b in zip(t, t):
            a["x"], b["y"] = 1, 2
        self.assertEqual((sum(t["x"]), sum(t["y"])), (ROWS, 2 * ROWS))
        t = self.large()
        held = t[1]
        iterator = iter(t)
        first = next(iterator)
        for row in t:
            if row["n"] == 7_000:
                row["n"] = -7
                break
        held["n"], first["n"] = -1, -2
        for row in iterator:
            row["z"] = 0
        self.assertEqual((t["n"][:2], t["n"][7_000], t["z"].count(0), "z" in first), ([-2, -1], -7, ROWS - 1, False))

    def test_nothing_is_held_of_rows_that_were_only_read(self):
        t = self.large(100_000)
        self.assertEqual(sum(row["sum"] for row in t), 2_499_975_000.0)
        self.assertEqual((self.known(t), len(t._store._seen) < 1_500, t._rows, t._store.lists), (0, True, None, None))
        rows = list(t)
        self.assertEqual(self.known(t), 100_000)
        del rows
        self.assertEqual(self.known(t), 0)
        self.assertEqual(len([row for row in t if row["n"] == 50_000 or row["n"] == 4]), 2)
        # A row does not keep the table in the host.
        gc.disable()
        self.addCleanup(gc.enable)
        source = t._handle
        before = sys.getrefcount(source)
        row = t[5]
        del t
        self.assertLess(sys.getrefcount(source), before)
        row["x"] = 1
        self.assertEqual(row, {"n": 5, "sum": 2.5, "x": 1})

    def test_what_cannot_be_kept_is_an_error(self):
        t = self.large()
        self.rows.MAX_CHANGED_CELLS = 10_000
        row = t[0]
        with self.assertRaisesRegex(ValueError, r"a table of 20000 cells is too large .* rows = table\[:10000\].to_dicts\(\)"):
            row["x"] = 1
        self.assertEqual((row, t.columns), ({"n": None, "sum": 0}, ["n", "sum"]))
        own = self.own()
        with self.assertRaisesRegex(TypeError, r"row\[5\] = ...: expected the name of a column"):
            own[0][5] = 1
        with self.assertRaisesRegex(AttributeError, r"set a cell of a row by its name: row\['x'\] = ..."):
            own[0].x = 1
        with self.assertRaises(KeyError):
            del own[0]["x"]
        with self.assertRaises(KeyError):
            own[0].pop("x")
        self.assertEqual((type(own[0])(a=1), dict(own[0], x=1)["x"], {**own[0]}), ({"a": 1}, 1, dict(own[0])))
        made = type(own[0])(a=1)
        made["b"] = 2
        self.assertEqual(made, {"a": 1, "b": 2})

    def test_random_changes_are_kept_as_in_a_list(self):
        for seed in range(12):
            chance = random.Random(seed)
            source = self.large(9_000)[chance.randrange(100) * 10 :] if seed % 2 else self.values.Table(["n", "sum"], [[i, -i] for i in range(700)])
            array, held, names = source.to_dicts(), [], ["n", "sum", "x", "y"]
            removed = set()
            for step in range(60):
                at, name = chance.randrange(len(array)), chance.choice(names)
                action = chance.randrange(8)
                if action == 0:
                    source[at][name] = array[at][name] = step
                elif action == 1:
                    source[at - len(array)][name] = array[at][name] = f"s{step}"
                elif action == 2:
                    held.append((source[at], array[at]))
                elif action == 3 and held:
                    for row in chance.choice(held):
                        row[name] = -step
                elif action == 4:
                    list(source) if step % 2 else [row for row in source if row["sum"] == at]
                elif action == 5:
                    for place, row in enumerate(source[at : at + 9]):
                        row[name] = array[at + place][name] = place
                elif action == 6:
                    source[at].pop(name, None)
                    array[at].pop(name, None)
                else:
                    for column in source.columns:
                        self.assertEqual(source[column], [row.get(column) for row in array], (seed, step))
                    self.assertLessEqual({name for row in array for name in row}, set(source.columns))
            self.assertEqual([dict(row) for row in source], [{name: row.get(name) for name in source.columns} for row in array]
                             if not source._store._deleted else [dict(row) for row in source])
            self.assertEqual(source.rows, [[row.get(name) for name in source.columns] for row in array], seed)


if __name__ == "__main__":
    unittest.main()
