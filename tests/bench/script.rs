//! Scripts in all engines, beside the processes that a user would start instead: CPython itself, and Pyodide (CPython as
//! WebAssembly) under node.
//!
//! Vercel's code mode and workerd are measured where `JS_PEERS` names a folder with their npm packages
//! (`npm install @ai-sdk/code-mode ai zod workerd`); `NODE` names a Node.js that they run in, at least 22.13.
//! Pyodide is measured where `PYODIDE` names a folder with its npm package (`npm install pyodide`) and node is installed.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use criterion::Criterion;
use mitt::Session;
use tokio::runtime::Runtime;

use super::figures::python;
use super::{median, session};

/// 100 rows, growth from one to the next computed by a tool, in exact decimals.
const GROWTH: &str = "\
import table_tool
rows = [{'month': f'2024-{n:03}', 'dau': 1000 + 7 * n, 'revenue': round(12.5 * n + 3, 2)} for n in range(100)]
grown = table_tool.growth(rows, columns=['dau', 'revenue'])
sum(row['dau_growth'] or 0 for row in grown.data) / len(grown.data)
";

/// As `GROWTH`, by plain Python: what a script without tools would do.
const GROWTH_PLAIN: &str = "\
from decimal import Decimal
rows = [{'month': f'2024-{n:03}', 'dau': 1000 + 7 * n, 'revenue': round(12.5 * n + 3, 2)} for n in range(100)]
last = None
for row in rows:
    for column in ('dau', 'revenue'):
        now = Decimal(str(row[column]))
        row[column + '_growth'] = None if last is None else now / Decimal(str(last[column])) - 1
    last = dict(row)
print(sum(row['dau_growth'] or 0 for row in rows) / len(rows))
";

const CALLS: &str = "\
import document_tool
for n in range(1000):
    document_tool.list_documents()
";

/// An engine with the same three scripts in its language.
pub(crate) struct Engine {
    pub(crate) name: &'static str,
    pub(crate) growth: &'static str,
    pub(crate) calls: &'static str,
}

/// The engines, the fullest one first.
pub(crate) const ENGINES: [Engine; 3] = [
    Engine { name: "python", growth: GROWTH, calls: CALLS },
    Engine { name: "python-lite", growth: GROWTH, calls: CALLS },
    Engine { name: "javascript", growth: GROWTH_JAVASCRIPT, calls: CALLS_JAVASCRIPT },
];

/// As `GROWTH`, in JavaScript.
const GROWTH_JAVASCRIPT: &str = "\
const rows = Array.from({ length: 100 }, (_, n) => ({
  month: `2024-${String(n).padStart(3, '0')}`, dau: 1000 + 7 * n, revenue: Math.round((12.5 * n + 3) * 100) / 100,
}));
const grown = await tools.table_tool.growth(rows, { columns: ['dau', 'revenue'] });
grown.data.reduce((sum, row) => sum + (row.dau_growth ?? 0), 0) / grown.data.length
";

/// As `CALLS`, in JavaScript.
const CALLS_JAVASCRIPT: &str =
    "for (let n = 0; n < 1000; n++) await tools.document_tool.list_documents()";

pub(crate) fn scripts(c: &mut Criterion) {
    let runtime = Runtime::new().unwrap();
    let session = session(None);
    let mut times = Vec::new();
    for Engine { name: engine, growth, calls } in ENGINES {
        for (name, script, runs) in [
            ("1+1", "1+1", 100),
            ("100 rows, one tool call", growth, 100),
            ("1000 tool calls", calls, 5),
        ] {
            let mut run = || run(&runtime, &session, engine, script);
            c.bench_function(&format!("script {name}, {engine}"), |b| b.iter(&mut run));
            times.push((engine, name, median(runs, run)));
        }
    }
    let Some((python, _)) = python() else {
        eprintln!("skipped: no python3 to compare with");
        return;
    };
    let process = |program: &Path, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    };
    let start = median(40, || process(&python, &["-c", "1+1"]));
    let plain = median(40, || process(&python, &["-c", GROWTH_PLAIN]));
    eprintln!(
        "{} takes {start:?} for `1+1`, {plain:?} for 100 rows; in the first time:",
        python.display()
    );
    for (engine, name, time) in &times {
        let ratio = start.as_secs_f64() / time.as_secs_f64();
        eprintln!("  {ratio:.1} scripts `{name}` in {engine} ({time:?} each)");
    }
    if let Some(folder) = pyodide() {
        pyodide_times(&folder);
    }
}

/// Another program that runs JavaScript of models.
#[derive(serde::Deserialize)]
pub(crate) struct JavaScriptPeer {
    pub(crate) name: String,
    pub(crate) version: String,
    /// Times of the three scripts, in the order of the table.
    milliseconds: [f64; 3],
}

impl JavaScriptPeer {
    pub(crate) fn times(&self) -> [Duration; 3] {
        self.milliseconds.map(|time| Duration::from_secs_f64(time / 1_000.0))
    }
}

/// Measures the peers of the JavaScript engine that are installed.
pub(crate) fn javascript_peers() -> Vec<JavaScriptPeer> {
    let Some(folder) = std::env::var_os("JS_PEERS") else {
        eprintln!("skipped: JS_PEERS does not name a folder with npm's `@ai-sdk/code-mode`");
        return Vec::new();
    };
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/bench/script/peers.mjs");
    let node = std::env::var_os("NODE").unwrap_or_else(|| "node".into());
    let output = Command::new(node).arg(script).arg(folder).output().unwrap();
    eprint!("{}", String::from_utf8_lossy(&output.stderr));
    let text = String::from_utf8_lossy(&output.stdout);
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

pub(crate) fn run(runtime: &Runtime, session: &Session, engine: &str, script: &str) {
    let report = runtime.block_on(session.run_script(engine, script, None)).unwrap();
    assert!(report.failure().is_none(), "{:?}", report.failure());
}

fn pyodide() -> Option<PathBuf> {
    let Some(folder) = std::env::var_os("PYODIDE").map(PathBuf::from) else {
        eprintln!("skipped: PYODIDE does not name a folder with the npm package `pyodide`");
        return None;
    };
    let is_there = folder.join("node_modules/pyodide/package.json").is_file();
    if !is_there {
        eprintln!("skipped: no node_modules/pyodide in {}", folder.display());
    }
    is_there.then_some(folder)
}

/// The start of a fresh interpreter with a script, as a process; and the script alone in an interpreter that runs already,
/// which is not isolated from the scripts before it.
fn pyodide_times(folder: &Path) {
    let program = format!(
        "const {{ loadPyodide }} = require('pyodide'); const rows = {GROWTH_PLAIN:?};
        (async () => {{
            const py = await loadPyodide();
            py.setStdout({{ batched: () => {{}} }});
            const timed = (script) => {{
                const times = [];
                for (let n = 0; n < 30; n++) {{
                    const start = process.hrtime.bigint();
                    py.runPython(script);
                    times.push(Number(process.hrtime.bigint() - start) / 1e6);
                }}
                return times.sort((a, b) => a - b)[15].toFixed(3);
            }};
            console.error(`  pyodide, warm and not isolated: ${{timed('1+1')}} ms for 1+1, ${{timed(rows)}} ms for 100 rows`);
        }})();"
    );
    let mut fresh = Duration::ZERO;
    for script in ["require('pyodide').loadPyodide().then((py) => py.runPython('1+1'))", &program] {
        let time = median(1, || {
            let status = Command::new("node").args(["-e", script]).current_dir(folder).status();
            assert!(status.is_ok_and(|status| status.success()));
        });
        if fresh.is_zero() {
            fresh = time;
        }
    }
    eprintln!("  pyodide in a fresh process: {fresh:?} for 1+1");
}
