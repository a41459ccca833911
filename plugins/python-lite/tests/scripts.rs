//! Scripts against a host that is made up.

use mitt_guest::tables::{Build, Chunk, Memory, Source, Values};
use python_lite::contract::exports::mitt::host::script::{Request, Uncaught, Value};
use python_lite::contract::mitt::host::{catalog, documents, script_host, tools};
use python_lite::contract::types;
use python_lite::{Engine, Host, HostTable};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Default)]
struct State {
    stdout: String,
    stderr: String,
    files: BTreeMap<String, Vec<u8>>,
    calls: Vec<String>,
    lines: Vec<u32>,
    /// Number of the parts in which output came.
    writes: usize,
    /// Results that were kept.
    kept: Vec<Memory>,
    /// Column, start and length of what was read of tables.
    slices: Vec<(u32, u64, u64)>,
    /// Whether a helper has a mistake.
    broken: bool,
}

#[derive(Clone, Default)]
struct Fake(Rc<RefCell<State>>);

fn memory(columns: &[&str], rows: &[&[types::Cell]]) -> Memory {
    let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    let rows: Vec<Vec<types::Cell>> = rows.iter().map(|row| row.to_vec()).collect();
    Memory::from_rows(&columns, &rows).unwrap()
}

fn text(text: &str) -> types::Cell {
    types::Cell::Text(text.to_owned())
}

fn number(text: &str) -> types::Cell {
    types::Cell::Number(text.to_owned())
}

/// `Users` of the document: three months.
fn table() -> Memory {
    let rows = [("Jan", "10"), ("Feb", "12.5"), ("Mar", "11")];
    let rows = rows.map(|(month, users)| [text(month), number(users)]);
    memory(&["Month", "DAU"], &[&rows[0], &rows[1], &rows[2]])
}

/// As many rows as make several parts.
const LARGE: i64 = 10_000;

fn large() -> Memory {
    let dates = Chunk::from(Values::Dates((0..LARGE as i32).collect()));
    let sums =
        Chunk::from(Values::Decimals { scale: 2, units: (0..LARGE).map(|n| n * 50).collect() });
    let wide = (0..LARGE as i128).map(|n| n + 10_i128.pow(29)).collect();
    let wide = Chunk::from(Values::WideDecimals { scale: 10, units: wide });
    Memory::new(vec![
        ("n", Chunk::integers((0..LARGE).map(|n| (n % 3 > 0).then_some(n)))),
        ("sum", sums),
        ("date", dates),
        ("wide", wide),
    ])
}

/// A table of the host that is made up. It counts what is read of it, and knows how to be kept.
struct FakeTable(Memory, Fake);

impl FakeTable {
    fn shared(table: Memory, host: &Fake) -> Rc<dyn HostTable> {
        Rc::new(FakeTable(table, host.clone()))
    }
}

impl HostTable for FakeTable {
    fn columns(&self) -> Vec<String> {
        self.0.columns().into_iter().map(|column| column.name).collect()
    }

    fn rows(&self) -> u64 {
        self.0.rows()
    }

    fn slice(&self, column: u32, start: u64, length: u64) -> Result<Chunk, types::Error> {
        self.1.0.borrow_mut().slices.push((column, start, length));
        self.0.slice(column, start, length)
    }

    fn select(&self, columns: &[(u32, String)]) -> Result<Rc<dyn HostTable>, types::Error> {
        Ok(FakeTable::shared(self.0.select(columns)?, &self.1))
    }

    fn range(&self, start: u64, length: u64) -> Rc<dyn HostTable> {
        FakeTable::shared(self.0.range(start, length), &self.1)
    }

    fn keep(&self) -> String {
        self.1.keep(self.0.clone())
    }
}

impl Fake {
    fn keep(&self, table: Memory) -> String {
        let kept = &mut self.0.borrow_mut().kept;
        kept.push(table);
        format!("t:{}", kept.len())
    }
}

impl Host for Fake {
    fn write(&self, stream: script_host::Stream, text: &str) {
        let mut state = self.0.borrow_mut();
        state.writes += 1;
        match stream {
            script_host::Stream::Stdout => state.stdout.push_str(text),
            script_host::Stream::Stderr => state.stderr.push_str(text),
        }
    }

    fn at(&self, line: u32) {
        self.0.borrow_mut().lines.push(line);
    }

    fn arguments(&self) -> Vec<String> {
        vec!["-v".to_owned(), "年".to_owned()]
    }

    fn modules(&self) -> Vec<String> {
        vec!["a_tool".to_owned(), "table_tool".to_owned()]
    }

    fn load_module(&self, name: &str) -> Option<script_host::Module> {
        let parameter = |name: &str, type_: &str, required| tools::Parameter {
            name: name.to_owned(),
            type_: type_.to_owned(),
            required,
        };
        let function = |name: &str, parameters| script_host::Function {
            name: name.to_owned(),
            tool: format!("a_tool__{name}"),
            description: format!("Does {name}.\nAnd more."),
            parameters,
        };
        let helper = |name: &str, source: &str| script_host::Helper {
            name: name.to_owned(),
            source: source.to_owned(),
        };
        (name == "a_tool").then(|| script_host::Module {
            functions: vec![
                function("echo", vec![parameter("value", "string", true), parameter("from", "option<u8>", false)]),
                function("fail", vec![]),
                function("table", vec![]),
                function("made", vec![parameter("rows", "u64", true)]),
            ],
            helpers: vec![
                helper("", "from a_tool.rows import double\nVERSION = 2"),
                helper("cells", if self.0.borrow().broken { "def f(:" } else { "def two():\n    return 2" }),
                helper("dates.iso", "import datetime\ndef year(text):\n    return datetime.date.fromisoformat(text).year"),
                helper("rows", "from . import cells\nFACTOR = cells.two()\ndef double(x):\n    return x * FACTOR\ndef broken():\n    return 1 / 0"),
            ],
        })
    }

    fn call(&self, tool: &str, arguments: &str) -> Result<String, tools::Failure> {
        self.0.borrow_mut().calls.push(format!("{tool} {arguments}"));
        match tool {
            "a_tool__echo" => Ok(arguments.to_owned()),
            "a_tool__table" => Ok(r#"{"data":{"columns":["n"],"rows":[[1],[2.5],[12345678901234567890]]},"warnings":[]}"#.to_owned()),
            "a_tool__made" => {
                let rows = arguments.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap();
                let table = large().range(0, rows);
                let reference = self.keep(table);
                Ok(format!(
                    r#"{{"outcome":{{"data":{{"columns":["n","sum","date","wide"],"row_count":{rows},"$ref":"{reference}"}}}}}}"#
                ))
            }
            _ => Err(tools::Failure { kind: tools::FailureKind::Plugin, message: "it fails".to_owned() }),
        }
    }

    fn tools(&self) -> Vec<tools::Tool> {
        Vec::new()
    }

    fn documents(&self) -> Vec<documents::DocumentInfo> {
        vec![documents::DocumentInfo {
            name: "2024.xlsx".to_owned(),
            media_type: "application/x".to_owned(),
            title: None,
            characters: 5,
            tables: Vec::new(),
            warnings: Vec::new(),
        }]
    }

    fn text(&self, _name: &str, characters: u64) -> Result<String, types::Error> {
        Ok("年报abc"[..usize::try_from(characters).unwrap() + 4].to_owned())
    }

    fn catalog(&self) -> Vec<catalog::Entry> {
        let entry = |reference: &str, name: &str, table: &Memory| catalog::Entry {
            reference: reference.to_owned(),
            name: name.to_owned(),
            document: Some("2024.xlsx".to_owned()),
            columns: table.columns().into_iter().map(|column| column.name).collect(),
            rows: table.rows(),
        };
        let other = catalog::Entry { document: None, ..entry("t:1", "made", &table()) };
        vec![entry("2024.xlsx#Users", "Users", &table()), entry("2024.xlsx#2", "", &large()), other]
    }

    fn open(&self, reference: &str) -> Result<Rc<dyn HostTable>, types::Error> {
        let table = match reference {
            "2024.xlsx#Users" => Some(table()),
            "2024.xlsx#2" => Some(large()),
            _ => {
                let number: usize =
                    reference.strip_prefix("t:").unwrap_or_default().parse().unwrap_or(0);
                // The host keeps the latest 100.
                let kept = &self.0.borrow().kept;
                (number + 100 > kept.len())
                    .then(|| kept.get(number.wrapping_sub(1)).cloned())
                    .flatten()
            }
        };
        let gone = || types::Error::NotFound(format!("no table `{reference}`, which was let go"));
        table.map(|table| FakeTable::shared(table, self)).ok_or_else(gone)
    }

    fn build(
        &self,
        columns: &[String],
        parts: Vec<Vec<Chunk>>,
    ) -> Result<Rc<dyn HostTable>, types::Error> {
        let builder = <Memory as Source>::Builder::new(columns);
        for chunks in parts {
            builder.append(chunks)?;
        }
        Ok(FakeTable::shared(builder.finish()?, self))
    }

    fn files(&self) -> Vec<(String, u64)> {
        self.0
            .borrow()
            .files
            .iter()
            .map(|(name, content)| (name.clone(), content.len() as u64))
            .collect()
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, types::Error> {
        self.0
            .borrow()
            .files
            .get(name)
            .cloned()
            .ok_or_else(|| types::Error::NotFound("no".to_owned()))
    }

    fn write_file(&self, name: &str, content: &[u8]) -> Result<(), types::Error> {
        if content.len() > 1_000 {
            return Err(types::Error::Quota("the workspace is full".to_owned()));
        }
        self.0.borrow_mut().files.insert(name.to_owned(), content.to_vec());
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<(), types::Error> {
        match self.0.borrow_mut().files.remove(name) {
            Some(_) => Ok(()),
            None => Err(types::Error::NotFound("no".to_owned())),
        }
    }
}

fn request(code: &str) -> Request {
    Request { code: code.to_owned(), inputs: None, allowed_modules: None }
}

fn run(code: &str) -> (Result<Value, Uncaught>, Fake) {
    let host = Fake::default();
    (Engine::new().run(Box::new(host.clone()), &request(code)), host)
}

/// The value as JSON or repr.
fn value(code: &str) -> String {
    match run(code).0 {
        Ok(Value::Json(text) | Value::Repr(text)) => text,
        Ok(Value::Nothing) => "nothing".to_owned(),
        Err(error) => panic!("{code}\n{}", error.traceback),
    }
}

fn error(code: &str) -> Uncaught {
    match run(code).0 {
        Err(error) => error,
        Ok(value) => panic!("{code}\n{value:?}"),
    }
}

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
fn tables_of_documents() {
    for (code, expected) in [
        ("documents.names", r#"["2024.xlsx"]"#),
        ("len(documents), '2024.xlsx' in documents, list(documents)[0]", r#"[1,true,"2024.xlsx"]"#),
        ("documents['2024.xlsx'].text", "\"年报abc\""),
        ("[d.media_type for d in documents.values()]", r#"["application/x"]"#),
        (
            "t = documents['2024.xlsx'].tables[0]\nt.columns, t['DAU'], len(t), t.name",
            r#"[["Month","DAU"],[10,12.5,11],3,"Users"]"#,
        ),
        (
            "documents['2024.xlsx'].tables['Users'][:1]",
            r#"{"columns":["Month","DAU"],"rows":[["Jan",10]]}"#,
        ),
        ("[row['Month'] for row in documents['2024.xlsx'].tables[0]]", r#"["Jan","Feb","Mar"]"#),
        (
            "max(documents['2024.xlsx'].tables[0], key=lambda row: row.DAU)",
            r#"{"Month":"Feb","DAU":12.5}"#,
        ),
        ("documents['2024.xlsx'].tables[0][1].Month", "\"Feb\""),
        (
            "documents['2024.xlsx'].tables[0].markdown()",
            r#""| Month | DAU |\n| --- | --- |\n| Jan | 10 |\n| Feb | 12.5 |\n| Mar | 11 |""#,
        ),
        (
            "repr(documents['2024.xlsx'].tables[0])",
            r#""Table('Users', columns=['Month', 'DAU'], 3 rows)""#,
        ),
        (
            "Table.from_records([{'a': 1}, {'b': 2}])",
            r#"{"columns":["a","b"],"rows":[[1,null],[null,2]]}"#,
        ),
        ("documents", "documents('2024.xlsx')"),
        ("Table(['a'], [[1]]) == Table(['a'], [[1]]), 'a' in Table(['a'])", "[true,true]"),
        ("str(Table(['a'], [[i] for i in range(22)])).endswith('(2 more rows)')", "true"),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    assert_eq!(
        error("documents['2023.xlsx']").traceback.lines().last().unwrap(),
        "KeyError: \"no document '2023.xlsx'; there are: '2024.xlsx'\""
    );
    assert!(error("Table(['a'], [[1, 2]])").message.contains("row 0: expected 1 cells, got 2"));
}

#[test]
fn documents_are_a_mapping() {
    for (code, expected) in [
        ("[name for name in documents]", r#"["2024.xlsx"]"#),
        (
            "list(documents.keys()), [d.name for d in documents.values()]",
            r#"[["2024.xlsx"],["2024.xlsx"]]"#,
        ),
        (
            "[(name, d.media_type) for name, d in documents.items()]",
            r#"[["2024.xlsx","application/x"]]"#,
        ),
        (
            "documents.get('a'), documents.get('a', 1), documents.get('2024.xlsx').name",
            r#"[null,1,"2024.xlsx"]"#,
        ),
    ] {
        assert_eq!(value(code), expected, "{code}");
    }
    let old = error("for d in documents:\n    d.text");
    assert!(
        old.traceback
            .contains("hint: `for name in documents` gives names; iterate over documents.values()"),
        "{old:?}"
    );
    assert!(
        error("documents[0]")
            .message
            .contains("documents are found by name: documents['2024.xlsx']")
    );
}

const BIG: &str = "t = documents['2024.xlsx'].tables[1]\n";

#[test]
fn tables_stay_in_the_host_until_they_are_read() {
    for (code, expected) in [
        ("len(t), t.columns, t._source", r#"[10000,["n","sum","date","wide"],"2024.xlsx#2"]"#),
        (
            "t['n'][:4], t.column('sum')[-2:], t['date'][1]",
            r#"[[null,1,2,null],[4999,4999.5],"1970-01-02"]"#,
        ),
        ("sum(row['sum'] for row in t), sum(1 for row in t)", "[24997500.0,10000]"),
        ("sum(row[0] or 0 for row in t.rows)", "33330000"),
        (
            "t.rows[1][2], t[9999], t[-1]['n']",
            r#"["1970-01-02",{"n":null,"sum":4999.5,"date":"1997-05-18","wide":1e19},null]"#,
        ),
        (
            "p = t[4000:4003]\nlen(p), p['n'], p.to_dicts()[0]['date']",
            r#"[3,[4000,4001,null],"1980-12-14"]"#,
        ),
        (
            "p = t[['sum', 'n']]\np.columns, len(p), p[1]",
            r#"[["sum","n"],10000,{"sum":0.5,"n":1}]"#,
        ),
        ("t == t, len(t[:5000:2]), len(t[20000:])", "[true,2500,0]"),
        ("repr(t)", r#""Table(columns=['n', 'sum', 'date', 'wide'], 10000 rows)""#),
        (
            "t[:2]",
            r#"{"columns":["n","sum","date","wide"],"rows":[[null,0,"1970-01-01",10000000000000000000],[1,0.5,"1970-01-02",10000000000000000000.0000000001]]}"#,
        ),
        ("Table.from_rows([['a', 'b'], [1, 2]])", r#"{"columns":["a","b"],"rows":[[1,2]]}"#),
        (
            "Table.from_rows([{'a': 1}]), Table.from_dicts([{'a': 1}]) == Table(['a'], [[1]])",
            r#"[{"columns":["a"],"rows":[[1]]},true]"#,
        ),
    ] {
        assert_eq!(value(&format!("{BIG}{code}")), expected, "{code}");
    }
    assert!(
        error(&format!("{BIG}t['x']"))
            .message
            .contains("no column 'x'; there are: 'n', 'sum', 'date', 'wide'")
    );
    assert!(error(&format!("{BIG}t[['x']]")).message.contains("no column 'x'"));
    let (_, host) = run(&format!("{BIG}len(t), t['sum']"));
    assert!(
        host.0.borrow().slices.iter().all(|(column, _, length)| (*column, *length) == (1, 4_096))
    );
    let (first, host) = run(&format!("{BIG}for row in t:\n    break\nrow['sum']"));
    assert!(first.is_ok());
    assert!(
        host.0.borrow().slices.iter().all(|(_, start, _)| *start == 0),
        "{:?}",
        host.0.borrow().slices
    );
}

#[test]
fn tables_are_passed_by_reference() {
    let passed = |code: &str| {
        let (done, host) = run(&format!("import a_tool\n{BIG}{code}"));
        done.unwrap_or_else(|error| panic!("{code}\n{}", error.traceback));
        let call = host.0.borrow().calls.last().unwrap().clone();
        call.strip_prefix("a_tool__echo {\"value\":").unwrap().strip_suffix('}').unwrap().to_owned()
    };
    for (code, expected) in [
        ("a_tool.echo(t)", r#"{"$ref":"2024.xlsx#2"}"#),
        ("a_tool.echo({'deep': [t]})", r#"{"deep":[{"$ref":"2024.xlsx#2"}]}"#),
        // Rows that were only read are those of the table; rows that were changed are not.
        ("sum(len(row) for row in t.rows)\na_tool.echo(t)", r#"{"$ref":"2024.xlsx#2"}"#),
        ("t.rows[5000][0] = -1\na_tool.echo(t)", r#"{"$ref":"t:1"}"#),
        ("t.columns[0] = 'm'\na_tool.echo(t)", r#"{"$ref":"t:1"}"#),
        ("a_tool.echo(t[10:5000])", r#"{"$ref":"t:1"}"#),
        ("a_tool.echo(t[['n']])", r#"{"$ref":"t:1"}"#),
        ("a_tool.echo(a_tool.made(5).outcome.data)", r#"{"$ref":"t:1"}"#),
        ("d = a_tool.made(5000).outcome.data\na_tool.echo(d)", r#"{"$ref":"t:1"}"#),
        ("a_tool.echo(Table(['a'], [[1]]))", r#"{"columns":["a"],"rows":[[1]]}"#),
        ("a_tool.echo(Table(['a'], [[i] for i in range(10001)]))", r#"{"$ref":"t:1"}"#),
    ] {
        assert_eq!(passed(code), expected, "{code}");
    }
    let (_, host) = run(&format!(
        "import a_tool\n{BIG}t.columns[0] = 'm'\nt.rows[4999][0] = 7\na_tool.echo(t)"
    ));
    let kept = host.0.borrow().kept[0].clone();
    assert_eq!(kept.columns()[0].name, "m");
    assert_eq!(kept.slice(0, 4_998, 2).unwrap().cell(1), number("7"));
}

#[test]
fn results_stay_readable_in_long_loops() {
    let code = "import a_tool\nall = [a_tool.made(1000).outcome.data for _ in range(250)]\n\
                a_tool.echo(all[0])\na_tool.echo(all[0])\n[len(all[0]), all[3]['n'][1], len(all)]";
    let (done, host) = run(code);
    assert_eq!(
        format!("{:?}", done.unwrap()),
        format!("{:?}", Value::Json("[1000,1,250]".to_owned()))
    );
    // An old reference is made anew, once.
    let calls = host.0.borrow().calls.clone();
    assert_eq!(
        calls[250..],
        [
            r#"a_tool__echo {"value":{"$ref":"t:251"}}"#,
            r#"a_tool__echo {"value":{"$ref":"t:251"}}"#
        ]
    );
}

#[test]
fn a_large_table_as_result_is_shown_by_its_first_rows() {
    let shown = value(&format!("{BIG}t"));
    assert!(shown.starts_with(r#"{"columns":["n","sum","date","wide"],"row_count":10000,"first_rows":[[null,0,"1970-01-01","#), "{shown}");
    assert!(
        shown.ends_with(r#"],"$ref":"2024.xlsx#2"}"#) && shown.matches("1970-01").count() == 10,
        "{shown}"
    );
    let own = value("Table(['a'], [[i] for i in range(1001)])");
    assert!(own.ends_with(r#","$ref":"t:1"}"#) && own.contains(r#""row_count":1001"#), "{own}");
    assert!(!value("Table(['a'], [[i] for i in range(1000)])").contains("$ref"));
}

#[test]
fn what_was_read_of_a_table_survives_a_dump() {
    let host = Fake::default();
    let mut engine = Engine::new();
    let go = |engine: &mut Engine, host: &Fake, code: &str| {
        engine.run(Box::new(host.clone()), &request(code))
    };
    let code = format!(
        "import a_tool\n{BIG}small = a_tool.made(5).outcome.data\nlarge = a_tool.made(5000).outcome.data\npart = t[:4000]"
    );
    go(&mut engine, &host, &code).unwrap();
    let mut other = Engine::new();
    other.load(&engine.dump().unwrap()).unwrap();
    // A session whose results are others.
    let host = Fake::default();
    let done = go(&mut other, &host, "[small['n'], len(t), t['n'][1]]").unwrap();
    assert_eq!(
        format!("{done:?}"),
        format!("{:?}", Value::Json("[[null,1,2,null,4],10000,1]".to_owned()))
    );
    assert!(go(&mut other, &host, "large.rows").unwrap_err().message.contains("no table `t:2`"));
    assert!(go(&mut other, &host, "len(part)").unwrap_err().message.contains("make it again"));
    go(&mut other, &host, "import a_tool\na_tool.echo(small)").unwrap();
    assert!(host.0.borrow().calls[0].contains(r#""rows":[[null,0,"1970-01-01""#));
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
    // Of a place in a helper of the prelude that of its caller is told.
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
