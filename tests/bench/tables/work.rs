//! The work by Mitt: recorded calls, as a model makes them, in a process of their own and in a host that runs already.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use mitt::{CacheDir, CallOptions, Host, Session, SessionOptions, TableResults};
use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::data;
use super::measured::{Measured, processes, timed};

/// Ways to go through a table, and scripts that do.
pub(crate) const LOOPS: [(&str, &str); 2] = [
    (
        "`for row in table`",
        "total = 0\nfor row in documents['small.csv'].tables[0]:\n    total += row['quantity']\ntotal",
    ),
    ("`table.column`", "sum(documents['small.csv'].tables[0].column('quantity'))"),
];

/// Calls of a model.
#[derive(Clone, Copy)]
pub(crate) enum Recorded {
    Group,
    Report,
    /// The same through `sql_tool`.
    ReportSql,
}

impl Recorded {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Recorded::ReportSql => "Mitt, by SQL",
            _ => "Mitt",
        }
    }

    fn documents(self) -> &'static [&'static str] {
        match self {
            Recorded::Group => &["small.csv"],
            _ => &["large.csv", "cities.csv"],
        }
    }

    /// Tools and arguments, one call for each turn. Each gives the next table: `t:1`, `t:2`, …
    fn calls(self) -> Vec<(&'static str, Value)> {
        let reference = |name: &str| json!({ "$ref": name });
        let sum = |column: &str| json!({ "column": column, "function": "sum", "name": column });
        let mean = |column: &str| json!({ "column": column, "function": "mean", "name": column });
        let sheet = |name: &str, table: &str| json!({ "name": name, "data": reference(table) });
        let group = |by: &[&str], from: &str, aggregates: Value| json!({ "data": reference(from), "by": by, "aggregates": aggregates });
        let sheets = |all: [&str; 3]| {
            let sheets = ["grouped", "pivoted", "top"].into_iter().zip(all);
            json!({ "sheets": sheets.map(|(name, table)| sheet(name, table)).collect::<Vec<_>>() })
        };
        match self {
            Recorded::Group => {
                let aggregates = json!([sum("quantity"), mean("price")]);
                let by = ["region", "city"];
                vec![
                    ("table_tool__group", group(&by, "small.csv", aggregates)),
                    ("excel_tool__create_excel", json!({ "data": reference("t:1") })),
                ]
            }
            Recorded::Report => {
                let on = json!([{ "left": "city", "right": "city" }]);
                let aggregates = json!([sum("quantity"), sum("price"), mean("discount")]);
                let keys =
                    json!([{ "column": "price", "order": "descending" }, { "column": "id" }]);
                vec![
                    (
                        "table_tool__join",
                        json!({ "left": reference("large.csv"), "right": reference("cities.csv"), "on": on }),
                    ),
                    ("table_tool__group", group(&["manager", "region"], "t:1", aggregates)),
                    (
                        "table_tool__pivot",
                        json!({ "data": reference("t:1"), "rows": ["product"], "column": "channel", "values": "quantity" }),
                    ),
                    (
                        "table_tool__sort",
                        json!({ "data": reference("t:1"), "keys": keys, "limit": 10 }),
                    ),
                    ("excel_tool__create_workbook", sheets(["t:2", "t:3", "t:4"])),
                ]
            }
            Recorded::ReportSql => {
                let join = "large JOIN cities USING (city)";
                let query = |sql: String| ("sql_tool__query", json!({ "sql": sql }));
                vec![
                    query(format!(
                        "SELECT manager, region, sum(quantity) AS quantity, sum(price) AS price, avg(discount) AS discount FROM {join} GROUP BY 1, 2"
                    )),
                    query(
                        "SELECT product, sum(quantity) FILTER (WHERE channel = 'web') AS web, sum(quantity) FILTER (WHERE channel = 'app') AS app, \
                         sum(quantity) FILTER (WHERE channel = 'shop') AS shop FROM large GROUP BY 1"
                            .into(),
                    ),
                    query(format!("SELECT * FROM {join} ORDER BY price DESC, id LIMIT 10")),
                    ("excel_tool__create_workbook", sheets(["t:1", "t:2", "t:3"])),
                ]
            }
        }
    }
}

/// What Mitt is measured by.
pub(crate) struct Mitt {
    folder: PathBuf,
    runtime: Runtime,
    host: Host,
    /// A session that has the small table.
    session: Session,
}

impl Mitt {
    pub(crate) fn new(folder: &Path) -> Mitt {
        let runtime = Runtime::new().unwrap();
        let host = Host::builder().cache(CacheDir::new(cache())).build().unwrap();
        let session = host.session(SessionOptions::default()).unwrap();
        runtime.block_on(session.add_document(&folder.join("small.csv"))).unwrap();
        let mitt = Mitt { folder: folder.to_owned(), runtime, host, session };
        // Components are compiled once for a machine; that is no part of the work.
        mitt.read_book();
        mitt.alone(Recorded::Group);
        mitt.call(&mitt.session, "sql_tool__query", &json!({ "sql": "SELECT 1" }));
        mitt.script("1");
        mitt
    }

    fn call(&self, session: &Session, tool: &str, arguments: &Value) {
        let named = TableResults::Named { cells: 0, first_rows: 10 };
        let options = CallOptions::new().tables(named);
        let arguments = arguments.to_string();
        let call = session.call_with(tool, &arguments, options);
        self.runtime.block_on(call).result.unwrap();
    }

    /// The work in this process, documents read included.
    pub(crate) fn alone(&self, recorded: Recorded) -> Duration {
        let session = self.host.session(SessionOptions::default()).unwrap();
        timed(|| {
            for name in recorded.documents() {
                self.runtime.block_on(session.add_document(&self.folder.join(name))).unwrap();
            }
            for (tool, arguments) in recorded.calls() {
                self.call(&session, tool, &arguments);
            }
        })
        .1
    }

    /// `mitt run` with a recording of the calls.
    pub(crate) fn process(&self, recorded: Recorded) -> Measured {
        let task = tempfile::tempdir().unwrap();
        let mut lines = vec![json!({ "format": "mitt-recording@1", "model": "recorded" })];
        for (at, (tool, arguments)) in recorded.calls().into_iter().enumerate() {
            let call = json!({ "id": format!("call-{at}"), "name": tool, "arguments": arguments });
            lines.push(json!({ "calls": [call] }));
        }
        lines.push(json!({ "text": "done" }));
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        fs::write(task.path().join("model.jsonl"), lines).unwrap();
        let yaml =
            "schema: 1\ninstruction: report\ndocuments: []\nmodel: { replay: model.jsonl }\n";
        fs::write(task.path().join("task.yaml"), yaml).unwrap();
        self.processes(|command| {
            command.arg("run").arg(task.path());
            for name in recorded.documents() {
                command.arg("--doc").arg(self.folder.join(name));
            }
        })
    }

    /// `mitt ingest --csv`.
    pub(crate) fn ingest(&self, name: &str) -> Measured {
        self.processes(|command| {
            command.args(["ingest", "--csv"]).arg(self.folder.join(name));
        })
    }

    /// `mitt call excel_tool__create_excel` with the small table.
    pub(crate) fn create_excel(&self) -> Measured {
        let arguments = json!({ "data": { "$ref": "small.csv" } }).to_string();
        self.processes(|command| {
            command.args(["call", "excel_tool__create_excel", "--json", &arguments, "--doc"]);
            command.arg(self.folder.join("small.csv"));
        })
    }

    fn processes(&self, with: impl Fn(&mut Command)) -> Measured {
        let out = tempfile::tempdir().unwrap();
        let measured = processes(|| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_mitt"));
            command.current_dir(out.path()).env("MITT_CACHE_DIR", cache());
            with(&mut command);
            command
        });
        let told = String::from_utf8_lossy(&measured.output.stderr);
        assert!(measured.output.status.success(), "{told}");
        measured
    }

    pub(crate) fn read_book(&self) -> Duration {
        let session = self.host.session(SessionOptions::default()).unwrap();
        let path = self.folder.join("book.xlsx");
        timed(|| self.runtime.block_on(session.add_document(&path)).unwrap()).1
    }

    pub(crate) fn write_book(&self) -> Duration {
        let session = self.host.session(SessionOptions::default()).unwrap();
        self.runtime.block_on(session.add_document(&self.folder.join("small.csv"))).unwrap();
        let arguments = json!({ "data": { "$ref": "small.csv" } });
        timed(|| self.call(&session, "excel_tool__create_excel", &arguments)).1
    }

    pub(crate) fn script(&self, code: &str) -> Duration {
        let run = self.session.run_script("python", code, None);
        let (report, time) = timed(|| self.runtime.block_on(run).unwrap());
        assert!(report.script_error.is_none(), "{:?}", report.script_error);
        time
    }

    /// All columns are chosen: the tool gets a handle and gives one.
    pub(crate) fn pass(&self) -> Duration {
        let arguments = json!({ "data": { "$ref": "small.csv" }, "columns": data::COLUMNS });
        timed(|| self.call(&self.session, "table_tool__select", &arguments)).1
    }

    pub(crate) fn small(&self) -> Duration {
        let rows = (0..12).map(|n| json!({ "region": n % 3, "amount": n })).collect::<Vec<_>>();
        let aggregates = json!([{ "column": "amount", "function": "sum" }]);
        let arguments = json!({ "data": rows, "by": ["region"], "aggregates": aggregates });
        let each = 100;
        let (_, time) = timed(|| {
            for _ in 0..each {
                self.call(&self.session, "table_tool__group", &arguments);
            }
        });
        time / each
    }
}

fn cache() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../target/mitt-cache")
}
