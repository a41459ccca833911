"""Tables of a fake host."""

import decimal
import json
import pickle
import sys
import unittest

import fakes
from fakes import Column, Table

ROWS = 10_000


class Tables(unittest.TestCase):
    def setUp(self):
        # Other tests have their own modules.
        before = dict(sys.modules)
        self.addCleanup(lambda: (sys.modules.clear(), sys.modules.update(before)))
        self.host = fakes.Host()
        self.mitt = fakes.load(self.host)
        from mitt import _json, _tables, _values

        self.json, self.tables, self.values = _json, _tables, _values

    def of(self, table, name="", document=None):
        """Make a table of the host for a script."""
        return self.tables.of_document(table, name, document)

    def large(self):
        columns = [
            Column("Integers", [n if n % 3 else None for n in range(ROWS)]),
            Column("Decimals", [n * 50 for n in range(ROWS)], 2),
            Column("Dictionary", ["ab"[n % 2] for n in range(ROWS)]),
        ]
        return Table(["n", "sum", "kind"], columns)

    def call(self, value):
        """Return the arguments of a call with a value."""
        from mitt import _skills

        _skills.call("tool", value=value)
        return json.loads(self.host.calls[-1][1])["value"]

    def test_cells_have_the_values_of_their_text(self):
        for column, expected in [
            (Column("Empty", [None, None]), [None, None]),
            (Column("Booleans", [True, None, False] * 5), [True, None, False] * 5),
            (Column("Integers", [1, -(2**63), None]), [1, -(2**63), None]),
            (Column("Decimals", [1250, 1200, -5, None], 2), [12.5, 12, -0.05, None]),
            (Column("Decimals", [12, 7], 0), [12, 7]),
            (Column("Floats", [0.5, float("inf"), None]), [0.5, None, None]),
            (Column("Texts", ["a", "", None, "bc"]), ["a", "", None, "bc"]),
            (Column("Texts", ["日本", "x", "é"]), ["日本", "x", "é"]),
            (Column("Dictionary", ["a", None, "日", "a"]), ["a", None, "日", "a"]),
            (Column("Dates", [0, 20088, -719528, -719163, None]),
             ["1970-01-01", "2024-12-31", "0000-01-01", "0000-12-31", None]),
            (Column("Times", [0, 30_600_000_000, 1_250_000]), ["00:00:00", "08:30:00", "00:00:01.25"]),
            (Column("DateTimes", [0, -1, 86_400_000_000]),
             ["1970-01-01T00:00:00", "1969-12-31T23:59:59.999999", "1970-01-02T00:00:00"]),
            (Column("Mixed", [fakes.TYPES.Cell_Null(), fakes.TYPES.Cell_Number("1.5"), fakes.TYPES.Cell_Text("a")]),
             [None, 1.5, "a"]),
        ]:
            with self.subTest(column.kind):
                table = self.of(Table(["a"], [column]))
                self.assertEqual(table["a"], expected)
                self.assertEqual(list(map(type, table["a"])), list(map(type, expected)))

    def test_decimals_keep_their_digits(self):
        for column, text in [
            (Column("Decimals", [1234567890123456789], 10), "123456789.0123456789"),
            (Column("Decimals", [-1234567890123456789, 1], 18), "-1.234567890123456789,0.000000000000000001"),
            (Column("WideDecimals", [10**37 + 1, -(10**30), 5], 10),
             "1000000000000000000000000000.0000000001,-100000000000000000000,5e-10"),
        ]:
            with self.subTest(text):
                cells = self.of(Table(["a"], [column])).column("a")
                shown = self.json.encode(cells)[1:-1].split(",")
                self.assertEqual(list(map(decimal.Decimal, shown)), list(map(decimal.Decimal, text.split(","))))

    def test_is_read_in_parts_and_only_where_it_is_used(self):
        source = self.large()
        table = self.of(source)
        self.assertEqual((len(table), table.columns, repr(table)), (ROWS, source.names,
                         "Table(columns=['n', 'sum', 'kind'], 10000 rows)"))
        self.assertEqual(source.slices, [])
        self.assertEqual(sum(table["sum"]), 24997500)
        self.assertEqual(source.slices, [(1, 0, 4096), (1, 4096, 4096), (1, 8192, 4096)])
        source.slices.clear()
        row = next(iter(table))
        self.assertEqual((row, row.kind, isinstance(row, self.values.Object)), ({"n": None, "sum": 0, "kind": "a"}, "a", True))
        self.assertEqual({start for _, start, _ in source.slices}, {0})
        self.assertEqual(sum(row["sum"] for row in table), 24997500)
        self.assertEqual([dict(row) for row in table][ROWS - 1], table.to_dicts()[-1])

    def test_rows_are_lists(self):
        table = self.of(self.large())
        self.assertEqual(table.rows[1], [1, 0.5, "b"])
        self.assertEqual(table.rows[4096:4098], [[4096, 2048, "a"], [4097, 2048.5, "b"]])
        self.assertEqual((table[-1].n, table[9999].sum), (None, 4999.5))
        table.rows.append([1, 2, "c"])
        self.assertEqual((len(table), table["kind"][-1], table[-1]), (ROWS + 1, "c", {"n": 1, "sum": 2, "kind": "c"}))

    def test_rows_of_a_huge_table_are_tuples(self):
        self.values.MAX_LISTS_CELLS = 1_000
        source = self.large()
        rows = self.of(source).rows
        self.assertEqual((len(rows), rows[5000], rows[-1]), (ROWS, (5000, 2500, "a"), (None, 4999.5, "b")))
        self.assertEqual(len(source.slices), 6)
        table = self.of(source)
        source.slices.clear()
        self.assertEqual([table[index].sum for index in (1, 2, 3)], [0.5, 1, 1.5])
        self.assertEqual(len(source.slices), 3)
        self.assertEqual((rows[4095:4097], sum(row[1] for row in rows)), ([(None, 2047.5, "b"), (4096, 2048, "a")], 24997500))
        with self.assertRaises(IndexError):
            rows[ROWS]
        with self.assertRaises(TypeError):
            rows[0][0] = 1

    def test_parts_and_columns_are_cut_in_the_host(self):
        source = self.large()
        table = self.of(source, "Sums")
        part, some = table[4000:4003], table[["kind", "n"]]
        self.assertEqual(source.slices, [])
        self.assertEqual((len(part), part["n"], part.name), (3, [4000, 4001, None], "Sums"))
        self.assertEqual((some.columns, some[1]), (["kind", "n"], {"kind": "b", "n": 1}))
        self.assertEqual((len(table[20_000:]), len(table[::2]), len(table[5:1])), (0, 5_000, 0))
        self.assertEqual(table[:2], self.values.Table(source.names, [[None, 0, "a"], [1, 0.5, "b"]], "other"))
        self.assertNotEqual(table[:2], table[1:3])
        for names in ("x", ["x"]):
            with self.assertRaisesRegex(KeyError, "no column 'x'; there are: 'n', 'sum', 'kind'"):
                table[names]
        local = self.values.Table(["a", "b"], [[1, 2]])
        self.assertEqual(local[["b"]].rows, [[2]])

    def test_made_from_rows(self):
        from_rows = self.values.Table.from_rows
        expected = self.values.Table(["a", "b"], [[1, 2]])
        for table in (from_rows([[1, 2]], ["a", "b"]), from_rows([["a", "b"], (1, 2)]), from_rows([{"a": 1, "b": 2}]),
                      self.values.Table.from_dicts([{"a": 1, "b": 2}])):
            self.assertEqual(table, expected)
        with self.assertRaisesRegex(ValueError, "takes them from the first row"):
            from_rows([])

    def test_names_that_a_script_gave(self):
        table = self.of(self.large())
        table.columns[0] = "m"
        self.assertEqual((table["m"][1], next(iter(table)), table[:1].columns), (1, {"m": None, "sum": 0, "kind": "a"}, ["m", "sum", "kind"]))
        self.call(table)
        self.assertEqual(self.host.n_kept, 1)
        table.columns[1] = "m"
        self.assertEqual(next(iter(table)), {"m": 0, "kind": "a"})
        with self.assertRaisesRegex(ValueError, "a name comes twice"):
            self.call(table)

    def test_tools_get_references(self):
        document = self.mitt.documents["2024.xlsx"].tables["other"]
        self.assertEqual(self.call(document), {"$ref": "2024.xlsx#2"})
        self.assertEqual(document.rows, [[None], [True]])
        # A table that was only read is still passed by reference.
        self.assertEqual(self.call({"deep": [document]}), {"deep": [{"$ref": "2024.xlsx#2"}]})
        document.rows[1][0] = 1
        self.assertEqual(self.call(document), {"columns": ["a"], "rows": [[None], [1]]})
        table = self.of(self.large())
        for value in (table, table[1:], table[["n"]]):
            self.assertRegex(self.call(value)["$ref"], "^t:[0-9]+$")
        # They were needed only for the call.
        self.assertEqual((self.host.kept, self.host.n_kept), ({}, 3))
        small = self.values.Table(["a"], [[1]])
        self.assertEqual(self.call(small), {"columns": ["a"], "rows": [[1]]})

    def test_a_large_table_of_a_script_is_made_in_the_host(self):
        kept = []
        self.host.answers["tool"] = lambda: kept.extend(self.host.kept.values()) or "null"
        cells = [(n, "é" if n % 2 else None, n % 3 == 0, None, n / 2 if n else decimal.Decimal("1.10")) for n in range(5_000)]
        self.assertEqual(self.call(self.values.Table.from_rows(cells, list("abcde"))), {"$ref": "t:1"})
        parts = kept[0].parts
        self.assertEqual([len(part) for part in parts], [5, 5])
        made = [self.of(Table(["x"], [_Chunk(chunk)], 4096)) for chunk in parts[0]]
        for index, table in enumerate(made):
            expected = [row[index] for row in cells[:4096]]
            expected[0] = 1.1 if index == 4 else expected[0]
            self.assertEqual(table["x"], expected)
        self.assertEqual(type(parts[0][0].values), fakes.TABLES.Values_Integers)
        self.assertEqual(parts[0][4].values.value[0].value, "1.10")
        # A value that is not a cell has a form in JSON only.
        self.assertEqual(len(self.call(self.values.Table(["a"], [[[1]]] * 10_001))["rows"]), 10_001)
        with self.assertRaisesRegex(ValueError, "JSON has no nan"):
            self.call(self.values.Table(["a"], [[float("nan")]] * 10_001))

    def test_results_are_opened_wherever_they_stand(self):
        self.host.answers["tool"] = lambda: f'{{"outcome": {{"data": {self.host.give(self.large())}}}, "n": 1}}'
        tables = [self.mitt.call("tool").outcome.data for _ in range(250)]
        # The session keeps a hundred; none of them is needed any more.
        self.assertEqual((len(self.host.kept), self.host.n_kept), (0, 250))
        self.assertEqual((len(tables[0]), tables[0]["n"][1], tables[249][2]["sum"]), (ROWS, 1, 1))
        for text in ('{"columns": ["a"], "row_count": 1, "$ref": "t:999"}', '{"columns": 1, "row_count": 1, "$ref": "t:1"}',
                     '{"$ref": "t:1"}'):
            self.host.answers["tool"] = text
            self.assertEqual(self.mitt.call("tool"), json.loads(text))
        self.assertEqual(self.json.decode(text), json.loads(text))

    def test_as_the_value_of_a_script(self):
        def shown(table):
            return json.loads(self.json.encode(table, plain=True))

        large = shown(self.of(self.large(), document=("2024.xlsx", 0)))
        self.assertEqual({**large, "first_rows": len(large["first_rows"])},
                         {"columns": ["n", "sum", "kind"], "row_count": ROWS, "first_rows": 10, "$ref": "2024.xlsx#1"})
        self.assertEqual(shown(self.of(self.large())[:2]), {"columns": ["n", "sum", "kind"], "rows": [[None, 0, "a"], [1, 0.5, "b"]]})
        own = self.values.Table(["a"], [[n] for n in range(1_001)])
        self.assertEqual(shown(own)["$ref"], "t:1")
        # The session still has it after the script.
        self.tables.settle()
        self.assertIn("t:1", self.host.kept)
        self.assertEqual(len(shown(self.values.Table(["a"], own.rows[:-1]))["rows"]), 1_000)
        exact = self.of(Table(["a"], [Column("WideDecimals", [10**37 + 1], 10)]))
        self.assertEqual(self.json.encode(exact, plain=True), '{"columns":["a"],"rows":[[1000000000000000000000000000.0000000001]]}')

    def test_can_be_pickled(self):
        table = self.of(self.large())[:2]
        self.assertEqual(pickle.loads(pickle.dumps(table)), table)

    def test_without_columns_or_rows(self):
        table = self.of(Table([], [], 3))
        self.assertEqual((len(table), list(table), table.rows), (3, [{}, {}, {}], [[], [], []]))
        empty = self.of(Table(["a"], [Column("Empty", [])]))
        self.assertEqual((list(empty), empty["a"], empty.rows, empty.markdown()), ([], [], [], "| a |\n| --- |"))

    def test_documents_are_a_mapping(self):
        documents = self.mitt.documents
        self.assertEqual((list(documents), len(documents)), (["2023.csv", "2024.xlsx"], 2))
        self.assertEqual([name for name, document in documents.items() if len(document.tables) == 2], ["2024.xlsx"])
        self.assertEqual([document.name for document in documents.values()], list(documents.keys()))
        self.assertEqual((documents.get("a"), documents.get("2023.csv").text), (None, "2023.csv"))
        with self.assertRaisesRegex(AttributeError, "use documents.name..text, or iterate over documents.values"):
            [name.text for name in documents]
        with self.assertRaisesRegex(AttributeError, "'str' object has no attribute 'x'"):
            next(iter(documents)).x
        with self.assertRaisesRegex(KeyError, "documents are found by name: documents..2023.csv.*values.*0"):
            documents[0]
        with self.assertRaisesRegex(KeyError, "no document 'x'; there are: '2023.csv', '2024.xlsx'"):
            documents["x"]
        self.assertEqual(self.json.encode({name: list(documents) for name in documents}, plain=True).count("2023"), 3)


class _Chunk:
    """A column of one chunk."""

    kind, scale = "", 0

    def __init__(self, chunk):
        self.given = chunk
        self.cells = ()

    def chunk(self, start, length):
        return self.given


if __name__ == "__main__":
    unittest.main()
