//! Scripts with a fake host.

mod fake;

use fake::{Fake, error, request, run, value};
use python_lite::Engine;
use python_lite::contract::exports::mitt::host::script::{Request, Value};

#[test]
fn the_last_expression_is_the_value() {
    for (code, expected) in [
        ("1 + 1", "2"),
        ("x = 1", "nothing"),
        ("None", "nothing"),
        ("", "nothing"),
        ("[1, 'a', None, True, 0.5, {'k': (1, 2)}]", r#"[1,"a",null,true,0.5,{"k":[1,2]}]"#),
        ("2 ** 100", "1267650600228229401496703205376"),
        ("{1}", "{1}"),
        ("b'x'", "b'x'"),
        ("float('nan')", "nan"),
        ("import datetime\ndatetime.date(2024, 2, 3)", "\"2024-02-03\""),
        ("import decimal\ndecimal.Decimal('1.10')", "1.10"),
        ("class P:\n    def __repr__(self):\n        return 'P!'\n[P()]", "[P!]"),
        ("from dataclasses import dataclass\n@dataclass\nclass P:\n    x: int\nP(3)", r#"{"x":3}"#),
        ("import sys\nsys.exit(0)", "nothing"),
        ("exit()", "nothing"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
}

#[test]
fn tools_are_functions_of_modules() {
    let (done, host) = run("import a_tool\nfrom a_tool import echo\nimport mitt\n\
         a = a_tool.echo('x')\nb = echo(value=documents['2024.xlsx'].tables[0], from_=None)\n\
         c = mitt.call('a_tool__echo', value=b'abc')\nd = mitt.call('a_tool__echo', {'value': 1})\n\
         t = a_tool.table()\n[a.value, b['value']['$ref'], c, d, t.data['n'], t.data.rows, t.warnings]");
    assert_eq!(
        format!("{:?}", done.unwrap()),
        format!(
            "{:?}",
            Value::Json(
                r#"["x","2024.xlsx#Users",{"value":"YWJj"},{"value":1},[1,2.5,12345678901234567890],[[1],[2.5],[12345678901234567890]],[]]"#
                    .to_owned()
            )
        )
    );
    assert_eq!(
        host.0.borrow().calls[..2],
        [
            r#"a_tool__echo {"value":"x"}"#,
            r#"a_tool__echo {"value":{"$ref":"2024.xlsx#Users"},"from":null}"#,
        ]
    );
    let refused = error("import a_tool\na_tool.echo()");
    assert_eq!(refused.class, "TypeError");
    assert_eq!(
        refused.message,
        "a_tool.echo() missing a required argument: 'value'; it is called as echo(value: string, from_: option<u8> = None)"
    );
    assert_eq!(
        error("import a_tool\na_tool.echo([{1}])").message,
        "a_tool__echo: argument /value/0: a set has no order; pass sorted(…)"
    );
    assert!(
        value("import a_tool\nlist(map(lambda v: a_tool.echo(v).value, ['a', 'b']))")
            == r#"["a","b"]"#
    );
}

#[test]
fn a_failed_tool_can_be_caught() {
    let code = "import a_tool\ntry:\n    a_tool.fail()\nexcept ToolError as error:\n    e = error\n[e.kind, e.message, e.tool, str(e), isinstance(e, Exception)]";
    assert_eq!(value(code), r#"["plugin","it fails","a_tool__fail","it fails",true]"#);
    let left = error("import a_tool\nx = 1\nif x:\n    a_tool.fail()");
    assert_eq!((left.class.as_str(), left.message.as_str()), ("ToolError", "it fails"));
    assert_eq!((left.line, left.column), (Some(4), Some(5)));
    assert_eq!(
        left.traceback,
        "Traceback (most recent call last):\n  File \"script.py\", line 4, column 5, in <module>\n    a_tool.fail()\n    ~~~~~~~~~~~~~\nToolError: it fails"
    );
}

#[test]
fn helpers_of_skills_are_modules() {
    for (code, expected) in [
        ("import a_tool\na_tool.VERSION, a_tool.double(4)", "[2,8]"),
        ("from a_tool.rows import double, FACTOR\ndouble(FACTOR)", "4"),
        ("import a_tool.dates.iso\na_tool.dates.iso.year('2024-02-03')", "2024"),
        ("import a_tool\nrepr(a_tool.rows)", "\"<module 'a_tool.rows'>\""),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    let failed = error("from a_tool import rows\nrows.broken()");
    assert_eq!((failed.line, failed.column), (Some(2), Some(1)));
    assert!(
        failed.traceback.contains("File \"a_tool/rows.py\", line 6, column 12, in broken"),
        "{}",
        failed.traceback
    );
    let host = Fake::default();
    host.0.borrow_mut().broken = true;
    let failed = Engine::new().run(Box::new(host), &request("import a_tool")).unwrap_err();
    assert!(failed.message.ends_with("(a_tool/cells.py, line 1)"), "{failed:?}");
    let library = error("import statistics\nstatistics.mean(['a'])").traceback;
    assert!(!library.contains("<string>"), "{library}");
}

#[test]
fn what_does_not_exist_is_explained() {
    for (code, expected) in [
        ("import pandas", "No module named 'pandas'; use the skill: import table_tool"),
        ("import requests", "No module named 'requests'; a script has no network"),
        (
            "import pypdf",
            "No module named 'pypdf'; the host has read the documents already: documents[name].text and .tables",
        ),
        ("import a_tol", "No module named 'a_tol'; did you mean 'a_tool'?"),
    ] {
        let error = error(code);
        assert_eq!(
            (error.class.as_str(), error.message.as_str()),
            ("ModuleNotFoundError", expected)
        );
        assert_eq!(error.line, Some(1), "{}", error.traceback);
    }
    let unknown = error("import nothing_like_it").message;
    assert!(
        unknown.contains("there are: ")
            && unknown.contains("json")
            && unknown.ends_with("skills: a_tool, table_tool"),
        "{unknown}"
    );
    assert!(error("table_tool.growth()").traceback.ends_with("hint: import table_tool"));
    assert!(
        error("from a_tool import ecco")
            .traceback
            .ends_with("hint: functions of a_tool: echo, fail, made, table")
    );
    assert!(
        error("class A(Exception): pass")
            .traceback
            .contains("hint: this engine runs a subset of Python")
    );
}

#[test]
fn only_allowed_modules_can_be_imported() {
    let with = |code: &str| {
        let request = Request {
            code: code.to_owned(),
            inputs: None,
            allowed_modules: Some(vec!["math".to_owned(), "a_tool".to_owned()]),
        };
        Engine::new().run(Box::new(Fake::default()), &request)
    };
    for code in [
        "import math",
        "import a_tool",
        "from a_tool.dates import iso\niso.year('2024-01-01')",
        "import mitt",
    ] {
        assert!(with(code).is_ok(), "{code}: {:?}", with(code));
    }
    for code in ["import json", "import sys", "import table_tool", "def f():\n    import re\nf()"] {
        let error = with(code).unwrap_err();
        assert!(
            error.message.contains("this script may import: math, a_tool"),
            "{code}: {error:?}"
        );
    }
}

#[test]
fn output_comes_line_by_line() {
    let (done, host) =
        run("import sys\nprint('a', 1)\nprint('e', file=sys.stderr)\nprint('b', end='')\n1 / 0");
    assert_eq!(done.unwrap_err().class, "ZeroDivisionError");
    let state = host.0.borrow();
    assert_eq!((state.stdout.as_str(), state.stderr.as_str(), state.writes), ("a 1\nb", "e\n", 3));
}

#[test]
fn arguments_are_in_sys_argv() {
    assert_eq!(value("import sys\nsys.argv[1:]"), r#"["-v","年"]"#);
}

#[test]
fn the_line_that_runs_is_told_now_and_then() {
    let code = "def slow(n):\n    x = 0\n    while x < n:\n        x = x + 1\n    return x\nfor i in range(400):\n    pass\nslow(3000)";
    let (ran, fake) = run(code);
    assert!(ran.is_ok());
    let lines = fake.0.borrow().lines.clone();
    let first = lines.iter().position(|line| [3, 4].contains(line)).unwrap();
    assert!(first > 0 && lines[..first].iter().all(|line| [6, 7].contains(line)), "{lines:?}");
    assert!(lines[first..].iter().all(|line| [3, 4].contains(line)), "{lines:?}");
    // A line in a helper of the prelude is reported as that of its caller.
    let (ran, fake) = run("t = Table(['a'], [[1]])\nfor i in range(2000):\n    t.markdown()");
    assert!(ran.is_ok());
    assert!(fake.0.borrow().lines.iter().all(|line| [1, 2, 3].contains(line)));
    assert!(fake.0.borrow().lines.contains(&3));
}

#[test]
fn files_are_those_of_the_workspace() {
    let (done, host) = run(
        "with open('a.csv', 'w') as f:\n    f.write('x,y\\n')\n    f.write('1,2\\n')\n\
         with open('a.csv', 'a') as f:\n    f.write('年')\n\
         import mitt, os\n[open('a.csv').read(), mitt.files(), os.path.exists('b'), [line for line in open('a.csv')][0]]",
    );
    assert_eq!(
        format!("{:?}", done.unwrap()),
        format!("{:?}", Value::Json(r#"["x,y\n1,2\n年",["a.csv"],false,"x,y\n"]"#.to_owned()))
    );
    assert_eq!(host.0.borrow().files["a.csv"], "x,y\n1,2\n年".as_bytes());
    for (code, class, text) in [
        ("open('b.txt')", "FileNotFoundError", "no file 'b.txt' in the workspace; there are: none"),
        (
            "open('2024.xlsx')",
            "FileNotFoundError",
            "'2024.xlsx' is a document: read documents['2024.xlsx'].text or .tables",
        ),
        ("open('/etc/passwd')", "PermissionError", "files have plain names here: 'passwd'"),
        ("open('big', 'w').write('x' * 2000)", "OSError", "the workspace is full"),
    ] {
        let error = error(code);
        assert_eq!(error.class, class, "{error:?}");
        assert!(error.message.contains(text), "{error:?}");
    }
    let (_, host) = run("open('left.txt', 'w').write('open')\n1 / 0");
    assert_eq!(host.0.borrow().files["left.txt"], b"open");
}

#[test]
fn inputs_are_variables() {
    let run = |inputs: &str, code: &str| {
        let request = Request {
            code: code.to_owned(),
            inputs: Some(inputs.to_owned()),
            allowed_modules: None,
        };
        Engine::new().run(Box::new(Fake::default()), &request)
    };
    let done = run(
        r#"{"year": 2024, "a b": [1.5], "columns": ["x"]}"#,
        "[year, inputs['a b'], columns, sorted(inputs)]",
    );
    assert_eq!(
        format!("{:?}", done.unwrap()),
        format!("{:?}", Value::Json(r#"[2024,[1.5],["x"],["a b","columns","year"]]"#.to_owned()))
    );
    assert!(run("[1]", "1").unwrap_err().message.contains("inputs: expected a JSON object"));
    assert!(run("{", "1").is_err());
}

#[test]
fn variables_stay_and_can_be_dumped() {
    let host = Fake::default();
    let mut engine = Engine::new();
    let go = |engine: &mut Engine, code: &str| engine.run(Box::new(host.clone()), &request(code));
    go(
        &mut engine,
        "import a_tool\nx = [1]\nt = documents['2024.xlsx'].tables[0]\ndef f(y):\n    return y / 0",
    )
    .unwrap();
    assert!(go(&mut engine, "y = undefined").is_err());
    let state = engine.dump().unwrap();
    let mut other = Engine::new();
    other.load(&state).unwrap();
    for engine in [&mut engine, &mut other] {
        let done = go(
            engine,
            "x.append(2)\n[x, t['DAU'], documents['2024.xlsx'].tables[0].columns, a_tool.double(2)]",
        )
        .unwrap();
        assert_eq!(
            format!("{done:?}"),
            format!("{:?}", Value::Json(r#"[[1,2],[10,12.5,11],["Month","DAU"],4]"#.to_owned()))
        );
        let error = go(engine, "x = 0\nf(1)").unwrap_err();
        assert!(
            error.traceback.contains("File \"script.py\", line 5, column 12, in f"),
            "{}",
            error.traceback
        );
        assert_eq!(error.line, Some(2));
    }
    assert!(other.load(b"nonsense").is_err());
    assert!(other.load(&[0; 40]).is_err());
    assert!(go(&mut other, "x").is_ok());
}

#[test]
fn help_tells_what_exists() {
    let (_, host) = run("import a_tool\nhelp(a_tool.echo)\nhelp(a_tool)");
    let shown = host.0.borrow().stdout.clone();
    assert!(
        shown.starts_with(
            "a_tool.echo(value: string, from_: option<u8> = None)\n    Does echo.\n    And more.\n"
        ),
        "{shown}"
    );
    assert!(shown.contains("a_tool.table()"), "{shown}");
}

#[test]
fn hostile_scripts_end_as_errors() {
    let deep = format!("{}{}", "(".repeat(20_000), ")".repeat(20_000));
    let nested = format!("x = {}1{}", "[".repeat(5_000), "]".repeat(5_000));
    for code in [
        deep.as_str(),
        nested.as_str(),
        "def f():\n    return f()\nf()",
        "class A:\n    def __getitem__(self, i):\n        return self[i]\nA()[0]",
        "class A:\n    def __getattr__(self, name):\n        return getattr(self, name)\nA().x",
        "raise SystemExit(3)",
        "raise ValueError(1, 2)",
        "raise KeyError(5)",
        "exec('1/0')",
        "mitt_load(1)",
        "mitt_tables()",
        "__import__('os').system('x')",
        "'a' * (1 << 62)",
        "10 ** 10 ** 10",
    ] {
        let error = error(code);
        assert!(!error.class.is_empty() && error.traceback.chars().count() <= 8_192, "{error:?}");
    }
}

#[test]
fn the_standard_library_in_python() {
    for (code, expected) in [
        (
            "import statistics as s\n[s.mean([1, 2, 3]), s.mean([0.1] * 10), s.mean([1, 2]), s.median([3, 1, 2, 10]), s.mode('aab')]",
            r#"[2,0.1,1.5,2.5,"a"]"#,
        ),
        (
            "import statistics as s\n[s.stdev([1, 2, 3, 4]), s.pvariance([1, 2, 3, 4]), s.quantiles([1, 2, 3, 4, 5]), s.correlation([1, 2, 3], [2, 4, 6])]",
            "[1.2909944487358056,1.25,[1.5,3.0,4.5],1.0]",
        ),
        (
            "import string\nstring.ascii_letters[24:28], len(string.printable), string.capwords('a bc')",
            r#"["yzAB",100,"A Bc"]"#,
        ),
        (
            "from operator import itemgetter, attrgetter\nsorted([{'a': 2}, {'a': 1}], key=itemgetter('a')), itemgetter(0, 1)('xy')",
            r#"[[{"a":1},{"a":2}],["x","y"]]"#,
        ),
        (
            "import textwrap\ntextwrap.dedent('''\n  a\n    b\n'''), textwrap.wrap('aa bb cc', 5), textwrap.shorten('a b c d e f g', 9)",
            r#"["\na\n  b\n",["aa bb","cc"],"a b [...]"]"#,
        ),
        (
            "import heapq\nh = [5, 3, 8, 1]\nheapq.heapify(h)\nheapq.heappush(h, 2)\n[heapq.heappop(h) for _ in range(5)], heapq.nlargest(2, [1, 9, 4])",
            "[[1,2,3,5,8],[9,4]]",
        ),
        ("import os\nlen(os.urandom(5))", "5"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    assert_eq!(error("{}['missing']").traceback.lines().last().unwrap(), "KeyError: 'missing'");
    assert_eq!(
        error("import statistics\nstatistics.mean([])").message,
        "mean requires at least one data point"
    );
}
