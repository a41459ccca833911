"""Complete scripts with a fake host."""

import builtins
import importlib
import io
import json
import linecache
import sys
import unittest

import fakes


STDOUT, STDERR = fakes.Stream.STDOUT, fakes.Stream.STDERR


def helped(rows):
    """A skill with one helper."""
    return fakes.Module([], [fakes.Helper("rows", rows)])


class Script(unittest.TestCase):
    def setUp(self):
        self.host = fakes.Host()
        self.saved = [
            (place, dict(place))
            for place in (vars(builtins), vars(io), vars(sys), vars(importlib), sys.modules, linecache.cache)
        ]
        self.meta_path = sys.meta_path[:]
        fakes.load(self.host)
        from mitt import _files, _imports, _output, _runner

        self.runner = _runner
        _output.install()
        _runner.prepare()
        _imports.install(["json", "re", "xml.etree.ElementTree"])
        builtins.open = io.open = _files.open_file
        _runner.seal()
        sys.path = [folder for folder in sys.path if "site-packages" not in folder]
        # Outside the component, the library is not completely loaded.
        sys.meta_path[:] = [*self.meta_path, _imports.Finder]

    def tearDown(self):
        sys.meta_path[:] = self.meta_path
        for place, content in self.saved:
            place.clear()
            place.update(content)

    def run_script(self, code, allowed=None, **inputs):
        """Run a script. Return its `Value`, None or `Uncaught`."""
        return self.runner.run(code, json.dumps(inputs), allowed)

    def result(self, code, **options):
        """Return the value of a successful script as text."""
        value = self.run_script(code, **options)
        self.assertNotIsInstance(value, self.runner.Uncaught, value)
        return value and value.text

    def uncaught(self, code, **options):
        """Return the exception that ends a script."""
        value = self.run_script(code, **options)
        self.assertIsInstance(value, self.runner.Uncaught)
        return value

    def error(self, code, **options):
        """Return the traceback of a script."""
        return self.uncaught(code, **options).traceback

    def last_line(self, code, **options):
        return self.error(code, **options).splitlines()[-1]

    def output(self, code, stream=fakes.Stream.STDOUT):
        """Return the output of a script."""
        self.run_script(code)
        text = self.host.text(stream)
        self.host.output[stream].clear()
        return text


class Results(Script):
    def test_value_of_the_last_line(self):
        for code, expected in [
            ("1 + 1", "2"),
            ("x = [1, None]\nx", "[1,null]"),
            ("'中'", '"中"'),
            ("{'a': (1, 2)}", '{"a":[1,2]}'),
            ("None", None),
            ("x = 1", None),
            ("", None),
            ("# nothing", None),
            ("print(1)", None),
            ("{1}", "{1}"),
            ("float('inf')", "inf"),
            ("b'x'", "b'x'"),
            ("from decimal import Decimal\nDecimal('1.10')", "1.10"),
        ]:
            with self.subTest(code):
                self.assertEqual(self.result(code), expected)

    def test_inputs_are_variables(self):
        self.assertEqual(self.result("a + inputs['b c'] + len(documents)", a=1, **{"b c": 2}), "5")
        self.assertEqual(self.result("documents", documents=1), "1")

    def test_arguments(self):
        self.host.arguments = ["-v", "\u00e4"]
        self.assertEqual(json.loads(self.result("import sys\nsys.argv")), ["script.py", "-v", "\u00e4"])

    def test_each_line_is_told_once(self):
        if not hasattr(sys, "monitoring"):
            self.skipTest("this Python cannot watch lines")
        from mitt import _lines

        limit = sys.getrecursionlimit()
        _lines.install()
        self.addCleanup(sys.monitoring.free_tool_id, 4)
        self.addCleanup(_lines._set_limit, limit)
        code = "def f(n):\n    return n + 1\nfor n in range(3):\n    m = f(n)\nm"
        self.assertEqual(self.result(code), "3")
        self.assertEqual(self.host.lines, [1, 3, 4, 2, 5])
        self.assertEqual(sys.getrecursionlimit(), limit)
        with self.assertRaises(ValueError):
            sys.setrecursionlimit(0)

    def test_runs_as_main(self):
        code = "import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: 'int'\n(__name__, A(1))"
        self.assertEqual(self.result(code), '["__main__",{"x":1}]')

    def test_exit(self):
        for code, error in [("0", None), ("", None), ("2", "SystemExit: 2"), ("'no data'", "SystemExit: no data")]:
            value = self.run_script(f"print('before')\nimport sys\nsys.exit({code})")
            self.assertEqual(value and value.traceback, error)
        self.assertEqual(self.host.text(STDOUT), "before\n" * 4)


class Output(Script):
    def test_streams_are_apart(self):
        error = self.error(
            "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.stdout.buffer.write(b'\\xff')\nx"
        )
        self.assertEqual((self.host.text(STDOUT), self.host.text(STDERR)), ("out\n\ufffd", "err\n"))
        self.assertIn("NameError", error)

    def test_lines_reach_the_host_while_the_script_runs(self):
        seen = []
        self.host.call = lambda name, arguments: seen.append(self.host.text(STDOUT)) or "null"
        self.run_script("print('a')\nprint('b', end='')\nmitt.call('x')\nprint('c', end='')")
        self.assertEqual((seen, self.host.text(STDOUT)), (["a\nb"], "a\nbc"))
        self.host.output[STDOUT].clear()
        self.run_script("for i in range(3): print(i)")
        self.assertEqual(self.host.output[STDOUT], ["0\n", "1\n", "2\n"])

    def test_nothing_is_collected(self):
        self.run_script("for _ in range(1_000): print('x' * 1_000, end='')")
        self.assertEqual(len(self.host.text(STDOUT)), 1_000_000)
        self.assertLess(len(self.host.output[STDOUT]), 200)
        self.host.output[STDOUT].clear()
        self.run_script("print('x' * 200_000)")
        self.assertEqual([len(part) for part in self.host.output[STDOUT]], [65_536, 65_536, 65_536, 3_392, 1])

    def test_characters_are_never_split(self):
        text = "日本🎈" * 5_000
        self.run_script(f"import sys\nfor c in {text!r}: sys.stdout.write(c)")
        self.assertEqual(self.host.text(STDOUT), text)
        self.host.output[STDOUT].clear()
        self.run_script("import sys\nb = sys.stdout.buffer\nb.write(b'\\xe6'); b.flush(); b.write(b'\\x97\\xa5!')")
        self.assertEqual(self.host.text(STDOUT), "日!")
        self.host.output[STDOUT].clear()
        self.run_script("import sys\nsys.stdout.buffer.write(b'a\\xe6\\x97')")
        self.assertEqual(self.host.text(STDOUT), "a\ufffd")

    def test_surrogates_never_leave(self):
        self.assertEqual(self.result("print('\\ud800')\n'\\ud83d\\ude00'"), '"😀"')
        self.assertEqual(self.host.text(STDOUT), "\ufffd\n")
        self.error("raise ValueError('\\ud800')").encode()
        self.uncaught("raise ValueError('\\ud800')").message.encode()

    def test_closing_loses_nothing(self):
        self.assertEqual(self.output("import sys\nprint(1)\nsys.stdout.close()\nprint(2)"), "1\n2\n")
        self.assertEqual(self.output("import sys\nsys.stdout.buffer.close()\nprint(2)"), "2\n")
        self.run_script("import sys\nsys.stdout.detach()")
        self.assertEqual(self.output("print(3)"), "3\n")
        self.run_script("import sys\nsys.stdout = sys.stderr = None")
        self.assertEqual(self.output("print(4)"), "4\n")


class Kept(Script):
    """Scripts one after another in one instance."""

    def test_variables_stay(self):
        self.run_script("x = 1\ndef f(): return x + y\nimport json")
        self.assertEqual(self.result("f() + len(json.dumps(inputs))", y=2), "11")
        self.assertEqual(self.result("inputs, y"), "[{},2]")

    def test_tracebacks_show_the_script_that_a_function_is_of(self):
        self.run_script("def f(x):\n    return 1 / x")
        self.run_script("a = 1\nb = 2")
        uncaught = self.uncaught("y = 0\n\n\nf(y)")
        self.assertIn('File "script-3.py", line 4, column 1, in <module>\n    f(y)', uncaught.traceback)
        self.assertIn('File "script.py", line 2, column 12, in f\n    return 1 / x', uncaught.traceback)
        self.assertEqual((uncaught.line, uncaught.column), (4, 1))

    def test_a_failed_script_leaves_what_it_had(self):
        self.error("x = 5\n1 / 0")
        self.assertEqual(self.result("x"), "5")

    def test_skills_are_asked_anew(self):
        self.host.skills["helped"] = helped("count = 0\ndef add():\n    global count\n    count += 1\n    return count")
        self.assertEqual(self.result("from helped import rows\nrows.add()"), "1")
        self.assertEqual(self.result("import helped.rows as r\nr.add(), r is rows"), "[2,true]")
        self.host.skills["helped"] = helped("def add(): return 'new'")
        self.assertEqual(self.result("import helped.rows as r\nr.add(), rows.add()"), '["new",3]')
        del self.host.skills["helped"]
        self.assertIn("No module named 'helped'", self.last_line("import helped"))

    def test_documents_are_asked_anew(self):
        self.assertEqual(self.result("len(documents)"), "2")
        self.host.documents["new.txt"] = []
        self.assertEqual(self.result("documents.names[-1]"), '"new.txt"')


class Errors(Script):
    def test_only_frames_of_the_script_with_columns(self):
        error = self.error("import json\n\ndef f(x):\n    中 = 1; return json.loads(x)\n\nf('[')")
        self.assertIn('  File "script.py", line 6, column 1, in <module>\n    f(\'[\')', error)
        self.assertIn('  File "script.py", line 4, column 19, in f\n    中 = 1; return json.loads(x)', error)
        self.assertEqual(error.count("File"), 2)
        self.assertIn("^", error)

    def test_syntax_errors_point_at_the_place(self):
        error = self.error("x = 1\ny = = 2")
        self.assertTrue(error.startswith('  File "script.py", line 2, column 5\n    y = = 2\n        ^\n'), error)
        self.assertEqual(error.splitlines()[-1], "SyntaxError: invalid syntax")

    def test_a_syntax_error_prevents_all_effects(self):
        self.assertIn("SyntaxError", self.error("print('effect')\nreturn 1"))
        self.assertEqual(self.output("print('effect')\n(yield)"), "")

    def test_causes_are_kept(self):
        error = self.error("try:\n    1 / 0\nexcept Exception as e:\n    raise ValueError('x') from e")
        self.assertIn("ZeroDivisionError: division by zero", error)
        self.assertIn("direct cause", error)

    def test_nothing_escapes(self):
        for code, last in [
            ("raise KeyboardInterrupt", "KeyboardInterrupt"),
            ("raise MemoryError('x')", "MemoryError: x"),
            ("class E(BaseException): pass\nraise E", "E"),
            ("class E(Exception):\n    def __str__(self): raise E\nraise E", "E: <exception str() failed>"),
            ("class A:\n    def __repr__(self): raise ValueError('no')\nA()", "ValueError: no"),
        ]:
            with self.subTest(code):
                self.assertEqual(self.last_line(code).removeprefix("__main__."), last)

    def test_builtin_names_are_its_own(self):
        for code in [
            "import builtins\nfor name in dir(builtins):\n    if name[0] != '_': delattr(builtins, name)",
            "import builtins\nbuiltins.str = builtins.isinstance = builtins.BaseException = None\n1 / 0",
        ]:
            self.run_script(code)
        self.assertEqual(self.uncaught("1 / 0").name, "ZeroDivisionError")
        self.assertEqual(len("abc"), 3)

    def test_recursion_is_short(self):
        error = self.error("def f(): f()\nf()")
        self.assertIn("Previous line repeated", error)
        self.assertLess(len(error), 1_000)

    def test_long_messages_keep_both_ends(self):
        uncaught = self.uncaught("raise ValueError('x' * 100_000 + 'end')")
        self.assertTrue(uncaught.traceback.startswith("Traceback"))
        for text in (uncaught.traceback, uncaught.message):
            self.assertTrue(text.endswith("xend"))
            self.assertIn("characters left out", text)
            self.assertLessEqual(len(text), 8_192)

    def test_class_message_and_place(self):
        for code, expected in [
            ("x = 1\ny = = 2", ("SyntaxError", "invalid syntax (script.py, line 2)", 2, 5)),
            ("def f(): raise KeyError('k')\n\nf()", ("KeyError", "'k'", 1, 10)),
            ("日 = 1; 1 / 0", ("ZeroDivisionError", "division by zero", 1, 8)),
            ("import sys\nsys.exit('no data')", ("SystemExit", "no data", None, None)),
            ("import json\njson.loads('')", ("JSONDecodeError", "Expecting value: line 1 column 1 (char 0)", 2, 1)),
            ("class M(type):\n    __name__ = property(lambda s: 1 / 0)\n"
             "class E(Exception, metaclass=M): pass\nraise E('x')", ("E", "x", 4, 1)),
        ]:
            with self.subTest(code):
                self.runner._runs = 0
                got = self.uncaught(code)
                self.assertEqual((got.name, got.message, got.line, got.column), expected)

    def test_wrong_inputs(self):
        for inputs, message in [
            ("[1]", "inputs: expected a JSON object, got list"),
            ("{", "inputs: expected a JSON object: "),
            ('{"__name__": 1}', "inputs: names that begin with two underscores are reserved: __name__"),
        ]:
            uncaught = self.runner.run("1", inputs)
            self.assertEqual(uncaught.name, "ValueError")
            self.assertTrue(uncaught.message.startswith(message), uncaught.message)

    def test_deep_tracebacks_are_quick(self):
        uncaught = self.uncaught(
            "import sys\nsys.setrecursionlimit(20_000)\ndef f(n):\n    if n: f(n - 1)\n    else: 1 / 0\nf(15_000)"
        )
        self.assertEqual((uncaught.name, uncaught.line), ("ZeroDivisionError", 5))

    def test_hints(self):
        self.assertEqual(self.last_line("excel_tool.create_excel([])"), "hint: import excel_tool")
        self.assertIn("through `inputs`", self.last_line("input()"))
        self.assertEqual(
            self.last_line("from table_tool import grow"), "hint: functions of table_tool: growth"
        )


class Skills(Script):
    def test_calls_by_position_and_name(self):
        self.host.answers["excel_tool__create_excel"] = '{"name": "a.xlsx", "size": 3}'
        code = "import excel_tool\nexcel_tool.create_excel([{'a': 1}], filename='a.xlsx').name"
        self.assertEqual(self.result(code), '"a.xlsx"')
        self.result("from excel_tool import create_excel\ncreate_excel(data=documents['2023.csv'].tables[0], filename=None)")
        self.result("mitt.call('excel_tool__create_excel', data=[])")
        self.result("mitt.call('excel_tool__create_excel', {'data': 1})")
        self.assertEqual(self.host.calls, [
            ("excel_tool__create_excel", '{"data":[{"a":1}],"filename":"a.xlsx"}'),
            ("excel_tool__create_excel", '{"data":{"$ref":"2023.csv#1"},"filename":null}'),
            ("excel_tool__create_excel", '{"data":[]}'),
            ("excel_tool__create_excel", '{"data":1}'),
        ])

    def test_required_parameters_come_first_and_keywords_are_renamed(self):
        self.result("import report\nreport.deliver('# a', from_='b')")
        self.assertEqual(self.host.calls, [("report__deliver", '{"markdown":"# a","from":"b"}')])

    def test_results_are_tables(self):
        self.host.answers["table_tool__growth"] = '{"columns": ["a"], "rows": [[0.5]]}'
        self.assertEqual(self.result("from table_tool import growth\ngrowth([], ['a'])['a'][0] * 2"), "1.0")

    def test_wrong_arguments_are_ordinary_type_errors(self):
        shown = "it is called as growth(data: table, columns: list<string>)"
        self.assertEqual(
            self.last_line("import table_tool\ntable_tool.growth(1)"),
            f"TypeError: table_tool.growth() missing a required argument: 'columns'; {shown}",
        )
        self.assertEqual(
            self.last_line("import table_tool\ntable_tool.growth(1, 2, base=3)"),
            f"TypeError: table_tool.growth() got an unexpected keyword argument 'base'; {shown}",
        )
        self.assertEqual(
            self.last_line("import excel_tool\nexcel_tool.create_excel([{'a': float('nan')}])"),
            "ValueError: excel_tool__create_excel: argument /data/0/a: JSON has no nan;"
            " use None where there is no number",
        )
        self.assertEqual(self.host.calls, [])

    def test_failures_can_be_caught(self):
        self.host.answers["table_tool__growth"] = fakes.Failure(fakes.FailureKind.PLUGIN, "no column `a`")
        code = "from table_tool import growth\ntry:\n    growth([], ['a'])\nexcept ToolError as e:\n    x = e\n"
        self.assertEqual(
            self.result(code + "[x.kind, x.message, x.tool]"), '["plugin","no column `a`","table_tool__growth"]'
        )
        self.assertEqual(
            self.last_line("mitt.call('table_tool__growth', columns=[])"), "ToolError: no column `a`"
        )
        self.host.answers["table_tool__growth"] = fakes.Failure(fakes.FailureKind.UNKNOWN_TOOL, "no")
        self.assertEqual(self.result(code + "x.kind"), '"unknown-tool"')

    def test_help(self):
        shown = self.output("import excel_tool\nhelp(excel_tool.create_excel)\nprint(dir(excel_tool)[-1])")
        self.assertIn("create_excel(data: table, filename: option<string> = None)", shown.replace("\n", ""))
        self.assertIn("Does create_excel.", shown)
        self.assertIn("create_excel\n", shown)
        self.assertIn("create_excel: Does create_excel.", self.output("import excel_tool\nprint(excel_tool.__doc__)"))

    def test_other_ways_to_import(self):
        self.assertEqual(self.result("from table_tool import *\ngrowth.__module__"), '"table_tool"')
        self.assertEqual(self.result("import importlib\nimportlib.import_module('report').deliver.__name__"), '"deliver"')
        self.assertEqual(self.result("__import__('report') is __import__('report')"), "true")

    def test_missing_modules_say_what_exists(self):
        for name, advice in [
            ("pandas", "use the skill instead: import table_tool. There are: json, re, xml;"),
            ("requests", "not available: a script has no network"),
            ("exel_tool", "did you mean 'excel_tool'"),
            ("pypdf", "the host has read the documents already"),
            ("python", "nothing can be installed here"),
            ("xml.nothing", "xml has 'etree'"),
        ]:
            uncaught = self.uncaught(f"import xml.etree\nimport {name}")
            self.assertEqual(uncaught.name, "ModuleNotFoundError")
            self.assertTrue(uncaught.message.startswith(f"No module named {name!r}; {advice}"), uncaught.message)


class Helpers(Script):
    def setUp(self):
        super().setUp()
        self.host.skills["helped"] = fakes.Module(
            [fakes.function("helped__make", "data: table")],
            [
                fakes.Helper("", "from . import rows\nfrom helped import make\nlimit = rows.double(2)"),
                fakes.Helper("dates.iso", "def parse(text):\n    return text.split('-')"),
                fakes.Helper("rows", "def double(x):\n    return x * 2\n\ndef fail():\n    return 1 / 0"),
            ],
        )

    def test_are_submodules(self):
        for code, expected in [
            ("import helped\nhelped.limit, helped.rows.double(3)", "[4,6]"),
            ("import helped.rows\nhelped.rows.double(3)", "6"),
            ("from helped import rows, make\nmake.__name__", '"make"'),
            ("from helped.dates.iso import parse\nparse('a-b')", '["a","b"]'),
            ("import helped\nhelped.dates.iso.parse('a')", '["a"]'),
        ]:
            with self.subTest(code):
                self.assertEqual(self.result(code), expected)

    def test_frames_of_helpers_are_shown(self):
        uncaught = self.uncaught("import helped\nhelped.rows.fail()")
        self.assertIn('File "script.py", line 2, column 1, in <module>', uncaught.traceback)
        self.assertIn('File "helped/rows.py", line 5, column 12, in fail\n    return 1 / 0', uncaught.traceback)
        self.assertEqual((uncaught.line, uncaught.column), (2, 1))

    def test_are_loaded_all_or_none(self):
        self.host.skills["helped"].helpers[1].source = "x = = 1"
        uncaught = self.uncaught("import helped.rows")
        self.assertEqual(uncaught.name, "SyntaxError")
        self.assertIn('File "helped/dates/iso.py", line 1', uncaught.traceback)
        self.assertEqual(self.result("import sys\n[m for m in sys.modules if m.startswith('helped')]"), "[]")
        self.host.skills["helped"].helpers[1].source = ""
        self.host.skills["helped"].helpers[0].source = "from . import rows\n1 / 0"
        self.assertIn('File "helped/__init__.py", line 2', self.error("import helped"))
        self.assertEqual(self.result("import sys\n[m for m in sys.modules if m.startswith('helped')]"), "[]")

    def test_may_not_hide_a_tool(self):
        self.host.skills["helped"].helpers[0].source = "def make(data): pass"
        self.assertIn("defines 'make', which is a tool of it", self.last_line("import helped"))


class Allowed(Script):
    def test_imports_of_the_script(self):
        for code in [
            "import re",
            "import re as json",
            "from re import match",
            "import xml.etree.ElementTree",
            "__import__('re')",
            "import builtins\nbuiltins.__import__('re')",
            "import importlib\nimportlib.import_module('re')",
            "import importlib\nimportlib.__import__('re')",
            "import sys\nsys.modules['re']",
            "import sys\nsys.modules.get('re')",
            "import sys\nlist(map(__import__, ['re']))",
            "exec('import re')",
            "exec('import re', {})",
            "eval('__import__(\"re\")')",
            "exec('import re', {'__name__': 'json'})",
            "import report",
            "def f():\n    import re\nf()",
        ]:
            with self.subTest(code):
                uncaught = self.uncaught(code, allowed=["json", "sys", "importlib", "table_tool"])
                self.assertEqual(uncaught.name, "ImportError")
                self.assertRegex(
                    uncaught.message,
                    r"module '(re|xml|report)' is not allowed in this script; "
                    "allowed are: importlib, json, sys, table_tool",
                )

    def test_what_is_allowed_works(self):
        for code in [
            "import json, sys\njson.loads('[1]')",
            "from __future__ import annotations\nimport mitt, __main__",
            "import table_tool\ntable_tool.growth([], [])",
            "import json\njson.dumps({1: 2.5}, indent=1)",
            "import sys\nlen(sys.modules), [n for n in sys.modules if n.startswith('re')]",
        ]:
            with self.subTest(code):
                self.assertNotIsInstance(self.run_script(code, allowed=["json", "sys", "table_tool"]), self.runner.Uncaught)
        self.assertEqual(self.result("import sys\nsorted(sys.modules)", allowed=["sys", "json"])[:6], '["json')

    def test_the_library_imports_what_it_needs(self):
        self.assertEqual(self.result("import datetime\ndatetime.datetime.strptime('2024', '%Y').year", allowed=["datetime"]), "2024")
        self.host.skills["helped"] = helped("import statistics\ndef add(): return statistics.mean([1, 3])")
        self.assertEqual(self.result("from helped import rows\nrows.add()", allowed=["helped"]), "2")
        self.assertIn("not allowed", self.last_line("import statistics", allowed=["helped"]))

    def test_ends_with_the_script(self):
        self.error("import re", allowed=[])
        self.assertEqual(self.result("import re, sys\n're' in sys.modules"), "true")


class Fences(Script):
    def test_places_of_errors_stay(self):
        self.assertEqual(self.result("\n```python\nx = 2\n# a\nx * 21\n```\n"), "42")
        failed = self.run_script("```python\nx = 1\nx / 0\n```")
        self.assertEqual((failed.name, failed.line, failed.column), ("ZeroDivisionError", 3, 1))
        failed = self.run_script("```python\n1\n```\n\n It is 1.\n```")
        self.assertEqual((failed.name, failed.line, failed.column), ("SyntaxError", 5, 2))
        self.assertIn("unexpected text behind the fence of the script; send the script alone", failed.message)


class Documents(Script):
    def test_access(self):
        for code, expected in [
            ("documents.names", '["2023.csv","2024.xlsx"]'),
            ("[d.name for d in documents.values()]", '["2023.csv","2024.xlsx"]'),
            ("len(documents), '2023.csv' in documents, 'x' in documents", "[2,true,false]"),
            ("documents['2023.csv'].text", '"2023.csv"'),
            ("documents['2024.xlsx'].tables['DAU']['DAU'][0]", "150.5"),
            ("documents['2024.xlsx'].tables[1].rows", "[[null],[true]]"),
            ("sum(row.DAU for row in documents['2024.xlsx'].tables[0])", "150.5"),
        ]:
            with self.subTest(code):
                self.assertEqual(self.result(code), expected)

    def test_missing_names_list_what_exists(self):
        self.assertEqual(
            self.last_line("documents['2025.xlsx']"),
            "KeyError: \"no document '2025.xlsx'; there are: '2023.csv', '2024.xlsx'\"",
        )
        self.assertEqual(
            self.last_line("documents['2024.xlsx'].tables['x']"), "KeyError: \"no table 'x'; there are: 'DAU', 'other'\""
        )


class Files(Script):
    def test_modes(self):
        for code, name, content in [
            ("with open('a', 'w') as f: f.write('日\\n')", "a", "日\n".encode()),
            ("open('a', 'a').write('x')", "a", "日\nx".encode()),
            ("open('a', encoding='utf-8').read()", "a", "日\nx".encode()),
            ("with open('a', 'r+b') as f:\n    f.seek(3)\n    f.write(b'-')\n    f.truncate()", "a", "日-".encode()),
            ("f = open('b', 'xb')\nf.write(b'12')\nf.seek(4)\nf.write(b'5')", "b", b"12\0\x005"),
            ("open('c', 'w', encoding='gbk').write('中')", "c", b"\xd6\xd0"),
            ("open('empty', 'w')", "empty", b""),
        ]:
            with self.subTest(code):
                self.run_script(code)
                self.assertEqual(self.host.files[name], content)

    def test_what_is_written_is_seen_at_once(self):
        self.assertEqual(self.result("open('a', 'w').write('x')\nopen('a').read()"), '"x"')
        self.host.answers["excel_tool__create_excel"] = "null"
        seen = []
        self.host.call = lambda name, arguments: seen.append(dict(self.host.files)) or "null"
        self.run_script("f = open('b', 'w')\nf.write('y')\nmitt.call('excel_tool__create_excel', data=[])")
        self.assertEqual(self.result("mitt.files()"), '["a","b"]')

    def test_common_libraries_work_on_it(self):
        code = (
            "import csv, pathlib\nwith open('a.csv', 'w', newline='') as f: csv.writer(f).writerow(['日', 1])\n"
            "[list(csv.reader(open('a.csv'))), mitt.files(), mitt.remove('a.csv'), mitt.files()]"
        )
        self.assertEqual(self.result(code), '[[["日","1"]],["a.csv"],null,[]]')

    def test_documents_are_read_by_name(self):
        self.assertEqual(self.result("open('2023.csv').read(), open('./2023.csv').readlines()"), '["2023.csv",["2023.csv"]]')
        # A file of the workspace comes first.
        self.host.files["2023.csv"] = b"x"
        self.assertEqual(self.result("open('2023.csv').read()"), '"x"')

    def test_refusals(self):
        self.host.files["a"] = b""
        for code, error in [
            ("open('x')",
             "FileNotFoundError: no file 'x' in the workspace; there are: 'a', '2023.csv', '2024.xlsx'"),
            ("open('2023.csv', 'rb')",
             "io.UnsupportedOperation: '2023.csv' is a document that the host has read: documents['2023.csv'].text and"
             " .tables; open() gives its text"),
            ("open('/etc/passwd')", "PermissionError: '/etc/passwd' is a path; files have plain names here: 'passwd'"),
            ("open('..\\\\x', 'w')", "PermissionError: '..\\\\x' is a path; files have plain names here: 'x'"),
            ("open('a', 'x')", "FileExistsError: the workspace has a file 'a'"),
            ("open('a', 'q')", "ValueError: invalid mode: 'q'"),
            ("open(1)", "PermissionError: a script has no file descriptors; open files by name"),
            ("open('a').write('x')", "io.UnsupportedOperation: not writable"),
            ("open('a', 'w').read()", "io.UnsupportedOperation: not readable"),
        ]:
            with self.subTest(code):
                self.assertEqual(self.last_line(code), error)

    def test_a_refused_write_is_an_error_also_without_close(self):
        self.host.quota = 3
        for code in ("open('a', 'w').write('1234')", "with open('a', 'w') as f: f.write('1234')"):
            with self.subTest(code):
                self.assertEqual(self.last_line(code), "OSError: workspace: limit 3 bytes")


if __name__ == "__main__":
    unittest.main()
