"""Whole scripts, over a fake host."""

import builtins
import io
import linecache
import sys
import unittest

import fakes


class Script(unittest.TestCase):
    def setUp(self):
        self.host = fakes.Host()
        self.saved = [
            (place, dict(place)) for place in (vars(builtins), vars(io), vars(sys), sys.modules, linecache.cache)
        ]
        self.meta_path = sys.meta_path[:]
        fakes.load(self.host)
        from mitt import _runner, _skills

        self.runner = _runner
        _runner.prepare()
        sys.meta_path.append(_skills.SkillFinder)

    def tearDown(self):
        sys.meta_path[:] = self.meta_path
        for place, content in self.saved:
            place.clear()
            place.update(content)

    def run_script(self, code, **inputs):
        return self.runner.run(code, inputs)

    def result(self, code, **inputs):
        finished = self.run_script(code, **inputs)
        self.assertIsNone(finished.error)
        return finished.result

    def error(self, code, **inputs):
        finished = self.run_script(code, **inputs)
        self.assertIsNone(finished.result)
        self.assertIsNotNone(finished.error)
        return finished.error

    def last_line(self, code):
        return self.error(code).splitlines()[-1]


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

    def test_runs_as_main(self):
        code = "import dataclasses\n@dataclasses.dataclass\nclass A:\n    x: 'int'\n(__name__, A(1))"
        self.assertEqual(self.result(code), '["__main__",{"x":1}]')

    def test_exit(self):
        for code, error in [("0", None), ("", None), ("2", "SystemExit: 2"), ("'no data'", "SystemExit: no data")]:
            finished = self.run_script(f"print('before')\nimport sys\nsys.exit({code})")
            self.assertEqual((finished.stdout, finished.error), ("before\n", error))


class Output(Script):
    def test_streams_are_apart(self):
        finished = self.run_script(
            "import sys\nprint('out')\nprint('err', file=sys.stderr)\nsys.stdout.buffer.write(b'\\xff')\nx"
        )
        self.assertEqual((finished.stdout, finished.stderr), ("out\n\ufffd", "err\n"))
        self.assertIn("NameError", finished.error)

    def test_bounded_while_produced(self):
        finished = self.run_script("for _ in range(10): print('x' * 10_000)")
        self.assertTrue(finished.truncated)
        self.assertTrue(finished.stdout.endswith("x\n[SYSTEM: TRUNCATED]"))
        self.assertEqual(len(finished.stdout), 32_768 + len("\n[SYSTEM: TRUNCATED]"))
        exact = self.run_script("print('x' * 32_768, end='')")
        self.assertEqual((len(exact.stdout), exact.truncated), (32_768, False))

    def test_long_results_are_cut(self):
        finished = self.run_script("'x' * 100_000")
        self.assertTrue(finished.truncated)
        self.assertTrue(finished.result.endswith("[SYSTEM: TRUNCATED]"))

    def test_surrogates_never_leave(self):
        finished = self.run_script("print('\\ud800')\n'\\ud83d\\ude00'")
        self.assertEqual((finished.stdout, finished.result), ("\ufffd\n", '"😀"'))
        self.run_script("raise ValueError('\\ud800')").error.encode()

    def test_closing_stdout_loses_nothing(self):
        self.assertEqual(self.run_script("import sys\nprint(1)\nsys.stdout.close()\nprint(2)").stdout, "1\n2\n")


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
        self.assertEqual(self.run_script("print('effect')\n(yield)").stdout, "")

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

    def test_recursion_is_short(self):
        error = self.error("def f(): f()\nf()")
        self.assertIn("Previous line repeated", error)
        self.assertLess(len(error), 1_000)

    def test_long_messages_keep_both_ends(self):
        finished = self.run_script("raise ValueError('x' * 100_000 + 'end')")
        self.assertTrue(finished.truncated)
        self.assertTrue(finished.error.startswith("Traceback"))
        self.assertTrue(finished.error.endswith("xend"))
        self.assertIn("characters left out", finished.error)

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
        self.result("from excel_tool import create_excel\ncreate_excel(data=documents[0].tables[0], filename=None)")
        self.result("mitt.call('excel_tool__create_excel', data=[])")
        self.result("mitt.call('excel_tool__create_excel', {'data': 1})")
        self.assertEqual(self.host.calls, [
            ("excel_tool__create_excel", '{"data":[{"a":1}],"filename":"a.xlsx"}'),
            ("excel_tool__create_excel",
             '{"data":{"columns":["日期","DAU"],"rows":[["2023-12-31",100]]},"filename":null}'),
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
            self.last_line("mitt.call('table_tool__growth', columns=[])"), "mitt.ToolError: no column `a`"
        )
        self.host.answers["table_tool__growth"] = fakes.Failure(fakes.FailureKind.UNKNOWN_TOOL, "no")
        self.assertEqual(self.result(code + "x.kind"), '"unknown-tool"')

    def test_help(self):
        finished = self.run_script("import excel_tool\nhelp(excel_tool.create_excel)\nprint(dir(excel_tool)[-1])")
        self.assertIn("create_excel(data: table, filename: option<string> = None)", finished.stdout.replace("\n", ""))
        self.assertIn("Does create_excel.", finished.stdout)
        self.assertIn("create_excel\n", finished.stdout)

    def test_missing_functions_are_named(self):
        self.assertTrue(
            self.last_line("import table_tool\ntable_tool.pivot").startswith(
                "AttributeError: skill 'table_tool' has no function 'pivot'; there are: 'growth'"
            )
        )

    def test_what_is_not_there_has_a_substitute(self):
        for name, advice in [
            ("pandas", "use the skill: import table_tool"),
            ("openpyxl", "use the skill: import excel_tool"),
            ("reportlab.pdfgen", "use the skill: import report"),
            ("pdfplumber", "the host has read the documents already: documents[name].text and .tables"),
            ("requests", "a script has no network"),
            ("exceltool", "did you mean 'excel_tool'?"),
            ("no_such_thing",
             "only the standard library and the session's skills exist here;"
             " skills: 'excel_tool', 'report', 'table_tool'"),
        ]:
            with self.subTest(name):
                # Asked directly: the Python that runs the tests may have the package.
                with self.assertRaises(ModuleNotFoundError) as caught:
                    sys.meta_path[-1].find_spec(name)
                self.assertEqual(str(caught.exception), f"No module named {name!r}; {advice}")

    def test_a_script_cannot_start_scripts(self):
        self.assertIn("No module named 'python'", self.last_line("import python"))


class Documents(Script):
    def test_access(self):
        for code, expected in [
            ("documents.names", '["2023.csv","2024.xlsx"]'),
            ("[d.name for d in documents]", '["2023.csv","2024.xlsx"]'),
            ("len(documents), '2023.csv' in documents, 'x' in documents", "[2,true,false]"),
            ("documents['2023.csv'].text", '"2023.csv"'),
            ("documents[1].tables['DAU']['DAU'][0]", "150.5"),
            ("documents[1].tables[1].rows", "[[null],[true]]"),
            ("sum(row.DAU for row in documents[1].tables[0])", "150.5"),
        ]:
            with self.subTest(code):
                self.assertEqual(self.result(code), expected)

    def test_missing_names_list_what_exists(self):
        self.assertEqual(
            self.last_line("documents['2025.xlsx']"),
            "KeyError: \"no document '2025.xlsx'; there are: '2023.csv', '2024.xlsx'\"",
        )
        self.assertEqual(
            self.last_line("documents[1].tables['x']"), "KeyError: \"no table 'x'; there are: 'DAU', 'other'\""
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

    def test_refusals(self):
        self.host.files["a"] = b""
        for code, error in [
            ("open('x')", "FileNotFoundError: no file 'x' in the workspace; there are: 'a'"),
            ("open('2023.csv')",
             "FileNotFoundError: '2023.csv' is a document: read documents['2023.csv'].text or .tables"),
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
