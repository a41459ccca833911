"""JSON, tables and numbers."""

import collections
import dataclasses
import datetime
import decimal
import enum
import fractions
import math
import pickle
import unittest
import uuid

import fakes

fakes.load(fakes.Host())
from mitt import _json  # noqa: E402
from mitt._json import Unencodable, decode, encode  # noqa: E402
from mitt._values import Object, Table  # noqa: E402


@dataclasses.dataclass
class Point:
    x: int
    y: float


class Colour(enum.Enum):
    RED = "red"


Pair = collections.namedtuple("Pair", "a b")


class Encode(unittest.TestCase):
    def test_values_have_one_json_form(self):
        for value, text in [
            (None, "null"),
            (True, "true"),
            (-12, "-12"),
            (10**30, "1" + "0" * 30),
            (0.1, "0.1"),
            (1e300, "1e+300"),
            ('日"\n', '"日\\"\\n"'),
            ([1, (2, [])], "[1,[2,[]]]"),
            ({"a": {}, 1: 2, datetime.date(2024, 1, 2): 3}, '{"a":{},"1":2,"2024-01-02":3}'),
            (decimal.Decimal("1.10"), "1.10"),
            (decimal.Decimal("1E+2"), "1e2"),
            (datetime.date(2024, 12, 31), '"2024-12-31"'),
            (datetime.datetime(2024, 12, 31, 8, 30), '"2024-12-31T08:30:00"'),
            (datetime.time(8, 30), '"08:30:00"'),
            (uuid.UUID(int=1), '"00000000-0000-0000-0000-000000000001"'),
            (Colour.RED, '"red"'),
            (Point(1, 2.5), '{"x":1,"y":2.5}'),
            (Pair(1, 2), '{"a":1,"b":2}'),
            (collections.OrderedDict(b=1, a=2), '{"b":1,"a":2}'),
            (collections.deque([1]), "[1]"),
            (b"\x00\xff", '"AP8="'),
            ({"a": 1}.values(), "[1]"),
            ({"a": 1}.keys(), '["a"]'),
            ((i for i in range(3)), "[0,1,2]"),
            (range(2), "[0,1]"),
            (Table(["a"], [[1]]), '{"columns":["a"],"rows":[[1]]}'),
            ("\ud83d\ude00\ud800", '"😀\ufffd"'),
        ]:
            with self.subTest(text):
                self.assertEqual(encode(value), text)

    def test_refused_values_say_where_and_what_instead(self):
        cycle = []
        cycle.append(cycle)
        for value, pointer, reason in [
            ([{"a": math.nan}], "/0/a", "JSON has no nan; use None where there is no number"),
            ({"x/y": [1, math.inf]}, "/x~1y/1", "JSON has no inf; use None where there is no number"),
            ([decimal.Decimal("NaN")], "/0", "JSON has no NaN; use None where there is no number"),
            ([fractions.Fraction(1, 3)], "/0", "JSON has no Fraction Fraction(1, 3); pass float(…) or a Decimal"),
            ({1, 2}, "", "a set has no order; pass sorted(…)"),
            (datetime.timedelta(1), "",
             "JSON has no timedelta datetime.timedelta(days=1); pass str(…) or …total_seconds()"),
            ({(1, 2): 3}, "/(1, 2)", "expected a string as key, got tuple (1, 2)"),
            (1j, "", "JSON has no complex 1j"),
            (int, "", "JSON has no type <class 'int'>"),
        ]:
            with self.subTest(reason), self.assertRaises(Unencodable) as caught:
                encode(value)
            self.assertEqual((caught.exception.pointer, caught.exception.reason), (pointer, reason))
        with self.assertRaises(Unencodable) as caught:
            encode(cycle)
        self.assertEqual(caught.exception.reason, "nested deeper than 64 levels, or contains itself")

    def test_plain_leaves_iterators_and_bytes_alone(self):
        numbers = iter([1, 2])
        for value in (numbers, b"x", {1}, range(3)):
            with self.subTest(value), self.assertRaises(Unencodable):
                encode(value, plain=True)
        self.assertEqual(list(numbers), [1, 2])
        self.assertEqual(encode((1, Table(["a"], [])), plain=True), '[1,{"columns":["a"],"rows":[]}]')


class Decode(unittest.TestCase):
    def test_numbers_are_ordinary_and_keep_their_digits(self):
        value = decode('[1, 1.5, 12.30, 0.1234567890123456789, 1e400, 123456789012345678901]')
        self.assertEqual(value[:3], [1, 1.5, 12.3])
        self.assertEqual([type(number) for number in value[:3]], [int, float, float])
        self.assertEqual(value[3] * 2, 0.1234567890123456789 * 2)
        self.assertIs(type(value[3] * 2), float)
        self.assertEqual(value[4], decimal.Decimal("1e400"))
        self.assertEqual(encode(value), "[1,1.5,12.3,0.1234567890123456789,1e400,123456789012345678901]")
        self.assertEqual(pickle.loads(pickle.dumps(value[3])).lexeme, "0.1234567890123456789")

    def test_objects_have_attributes(self):
        value = decode('{"name": "a.xlsx", "deep": {"items": 1}}')
        self.assertEqual((value.name, value["name"], value.deep["items"]), ("a.xlsx", "a.xlsx", 1))
        self.assertEqual(value, {"name": "a.xlsx", "deep": {"items": 1}})
        with self.assertRaises(AttributeError) as caught:
            value.size
        self.assertEqual(str(caught.exception), "no field 'size'; there are: 'name', 'deep'")

    def test_only_the_form_of_a_table_is_a_table(self):
        self.assertEqual(decode('{"columns": ["a"], "rows": [[1]]}'), Table(["a"], [[1]]))
        for text in ('{"columns": ["a"], "rows": [[1, 2]]}', '{"columns": ["a"]}', '{"columns": 1, "rows": 2}'):
            with self.subTest(text):
                self.assertIs(type(decode(text)), Object)


class Tables(unittest.TestCase):
    table = Table(["日期", "DAU"], [["2024-12-31", 1], ["2024-12-30", None]], "Sheet1")

    def test_access(self):
        table = self.table
        self.assertEqual(table["DAU"], [1, None])
        self.assertEqual(table[-1], {"日期": "2024-12-30", "DAU": None})
        self.assertEqual([row.DAU for row in table], [1, None])
        self.assertEqual(table[:1].records(), [{"日期": "2024-12-31", "DAU": 1}])
        self.assertEqual(len(table), 2)
        self.assertIn("DAU", table)
        self.assertNotIn("x", table)
        self.assertIn({"日期": "2024-12-31", "DAU": 1}, table)
        with self.assertRaises(KeyError) as caught:
            table["x"]
        self.assertEqual(caught.exception.args[0], "no column 'x'; there are: '日期', 'DAU'")

    def test_made_from_records(self):
        table = Table.from_records([{"a": 1}, {"b": 2, "a": 3}])
        self.assertEqual((table.columns, table.rows), (["a", "b"], [[1, None], [3, 2]]))

    def test_rows_fit_the_columns(self):
        with self.assertRaises(ValueError) as caught:
            Table(["a"], [[1], [1, 2]])
        self.assertEqual(str(caught.exception), "row 1: expected 1 cells, got 2")

    def test_shown(self):
        self.assertEqual(repr(self.table), "Table('Sheet1', columns=['日期', 'DAU'], 2 rows)")
        self.assertEqual(
            str(Table(["a|b"], [[None]] + [["x\ny"]] * 21)).split("\n"),
            ["| a\\|b |", "| --- |", "|  |", *["| x y |"] * 19, "(2 more rows)"],
        )
        self.assertEqual(Table(["a"], [[1]] * 30).markdown().count("| 1 |"), 30)


if __name__ == "__main__":
    unittest.main()
