//! A fake host, and functions that run scripts with it.

#![allow(dead_code, reason = "each of the tests uses a part of it")]

use javascript::contract::exports::mitt::host::script::{Request, Uncaught, Value};
use javascript::contract::mitt::host::{catalog, documents, script_host, tool_batches, tools};
use javascript::contract::types;
use javascript::{Engine, Host, HostTable};
use mitt_guest::tables::{Build, Chunk, Memory, Source, Values};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::rc::Rc;

#[derive(Default)]
pub struct State {
    pub stdout: String,
    pub stderr: String,
    pub files: BTreeMap<String, Vec<u8>>,
    pub calls: Vec<String>,
    /// The number of calls of each batch, as it was given.
    pub batches: Vec<usize>,
    /// Most calls of a batch that are made; 0 for all.
    pub made_at_once: usize,
    /// Calls, and files that are read, written, removed and listed.
    pub order: Vec<String>,
    pub lines: Vec<u32>,
    /// The number of writes of output.
    pub writes: usize,
    /// The kept results.
    pub kept: Vec<Memory>,
    /// Column, start and length of each read.
    pub slices: Vec<(u32, u64, u64)>,
}

/// Files of `a_tool`.
const FILES: [(&str, &str); 9] = [
    ("bad.js", "export const a = 1;\nexport const = 2;\n"),
    (
        "circle/a.js",
        "import { b } from './b.js';\nexport const a = () => 'a' + b();\nexport const end = () => '!';\n",
    ),
    ("circle/b.js", "import { end } from './a.js';\nexport const b = () => 'b';\n"),
    ("common.js", "const { double } = require('./rows');\nmodule.exports = { four: double(2) };\n"),
    (
        "dates/iso.mjs",
        "import { double as twice } from '../rows.ts';\nexport const year = (text) => twice(Number(text.slice(0, 4)));\n",
    ),
    ("enum.ts", "export enum A { B }\n"),
    (
        "index.js",
        "export { double } from './rows';\nexport * from './dates/iso';\nexport const ANSWER = 42;\n",
    ),
    (
        "rows.ts",
        "type N = number;\nexport let count: N = 0;\nexport function double(x: N): N {\n  count++;\n  if (x < 0) throw new RangeError('negative');\n  return 2 * x;\n}\nexport default class Rows {}\n",
    ),
    (
        "uses.js",
        "import { echo } from 'a_tool';\nexport const said = async (value) => (await echo({ value })).value;\n",
    ),
];

#[derive(Clone, Default)]
pub struct Fake(pub Rc<RefCell<State>>);

pub fn memory(columns: &[&str], rows: &[&[types::Cell]]) -> Memory {
    let columns: Vec<String> = columns.iter().map(|name| (*name).to_owned()).collect();
    let rows: Vec<Vec<types::Cell>> = rows.iter().map(|row| row.to_vec()).collect();
    Memory::from_rows(&columns, &rows).unwrap()
}

pub fn text(text: &str) -> types::Cell {
    types::Cell::Text(text.to_owned())
}

pub fn number(text: &str) -> types::Cell {
    types::Cell::Number(text.to_owned())
}

/// Returns `Users` of the document: three months.
pub fn table() -> Memory {
    let rows = [("Jan", "10"), ("Feb", "12.5"), ("Mar", "11")];
    let rows = rows.map(|(month, users)| [text(month), number(users)]);
    memory(&["Month", "DAU"], &[&rows[0], &rows[1], &rows[2]])
}

/// Enough rows for several parts.
const LARGE: i64 = 10_000;

pub fn large() -> Memory {
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

/// A table of the fake host. It counts reads, and can be kept.
pub struct FakeTable(Memory, Fake);

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
    fn note(&self, what: &str) {
        self.0.borrow_mut().order.push(what.to_owned());
    }

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
        let helper = |(name, source): &(&str, &str)| script_host::Helper {
            name: (*name).to_owned(),
            source: (*source).to_owned(),
        };
        (name == "a_tool").then(|| script_host::Module {
            functions: vec![
                function(
                    "echo",
                    vec![
                        parameter("value", "string", true),
                        parameter("from", "option<u8>", false),
                    ],
                ),
                function("fail", vec![]),
                function("long_name", vec![parameter("row_count", "u64", true)]),
                function("made", vec![parameter("rows", "u64", true)]),
                function("table", vec![]),
            ],
            helpers: FILES.iter().map(helper).collect(),
        })
    }

    fn call(&self, tool: &str, arguments: &str) -> Result<String, tools::Failure> {
        self.note(&format!("{tool} {arguments}"));
        self.0.borrow_mut().calls.push(format!("{tool} {arguments}"));
        match tool {
            "a_tool__echo" | "a_tool__long_name" => Ok(arguments.to_owned()),
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

    fn call_all(&self, calls: &[tool_batches::ToolCall]) -> Vec<Result<String, tools::Failure>> {
        let most = self.0.borrow().made_at_once;
        self.0.borrow_mut().batches.push(calls.len());
        let made = if most > 0 { &calls[..most.min(calls.len())] } else { calls };
        made.iter().map(|call| self.call(&call.name, &call.arguments)).collect()
    }

    fn tools(&self) -> Vec<tools::Tool> {
        let module = self.load_module("a_tool").unwrap();
        let tool = |function: script_host::Function| tools::Tool {
            name: function.tool,
            skill: "a_tool".to_owned(),
            function: function.name,
            description: function.description,
            parameters: function.parameters,
        };
        module.functions.into_iter().map(tool).collect()
    }

    fn documents(&self) -> Vec<documents::DocumentInfo> {
        self.note("documents");
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
                // The host keeps the latest 100 results.
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
        self.note("files");
        self.0
            .borrow()
            .files
            .iter()
            .map(|(name, content)| (name.clone(), content.len() as u64))
            .collect()
    }

    fn read(&self, name: &str) -> Result<Vec<u8>, types::Error> {
        self.note(&format!("read {name}"));
        self.0
            .borrow()
            .files
            .get(name)
            .cloned()
            .ok_or_else(|| types::Error::NotFound("no".to_owned()))
    }

    fn write_file(&self, name: &str, content: &[u8]) -> Result<(), types::Error> {
        self.note(&format!("write {name}"));
        if content.len() > 1_000 {
            return Err(types::Error::Quota("the workspace is full".to_owned()));
        }
        self.0.borrow_mut().files.insert(name.to_owned(), content.to_vec());
        Ok(())
    }

    fn remove(&self, name: &str) -> Result<(), types::Error> {
        self.note(&format!("remove {name}"));
        match self.0.borrow_mut().files.remove(name) {
            Some(_) => Ok(()),
            None => Err(types::Error::NotFound("no".to_owned())),
        }
    }
}

pub fn request(code: &str) -> Request {
    Request { code: code.to_owned(), inputs: None, allowed_modules: None }
}

pub fn run(code: &str) -> (Result<Value, Uncaught>, Fake) {
    let host = Fake::default();
    (Engine::new().run(Box::new(host.clone()), &request(code)), host)
}

/// Returns the value as JSON or repr.
pub fn value(code: &str) -> String {
    match run(code).0 {
        Ok(Value::Json(text) | Value::Repr(text)) => text,
        Ok(Value::Nothing) => "nothing".to_owned(),
        Err(error) => panic!("{code}\n{}", error.traceback),
    }
}

pub fn error(code: &str) -> Uncaught {
    match run(code).0 {
        Err(error) => error,
        Ok(value) => panic!("{code}\n{value:?}"),
    }
}
