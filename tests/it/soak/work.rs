//! The work of a soak test, in concurrent tasks.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mitt::{CacheDir, Host, Session, SessionOptions};
use mitt_serve::http::{HttpLimits, HttpOptions, HttpServer};
use mitt_serve::mcp::ServerOptions;
use serde_json::json;
use tokio_util::sync::CancellationToken;

use super::clients::{Connection, visit};
use super::curve::Point;
use crate::support::{TestSkill, cache};

/// Concurrent tasks.
const TASKS: u64 = 4;

/// Time for the rest of a round to end before it is measured.
const QUIET: Duration = Duration::from_millis(300);

const SMALL: &str = r#"(component
    (core module $m
        (func (export "run"))
        (func (export "trap") unreachable)
        (func (export "spin") (loop (br 0))))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run")))
    (func (export "trap") (canon lift (core func $i "trap")))
    (func (export "spin") (canon lift (core func $i "spin"))))"#;

/// Kinds of work, and their share in a million calls. Work that makes files or starts an interpreter takes a thousand times
/// as long as an empty call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Empty,
    OverHttp,
    Wrong,
    Crash,
    Cancelled,
    Table,
    Handles,
    Document,
    Visit,
    HttpSession,
    Script,
    Reload,
    Workbook,
    Reader,
    Pdf,
    Python,
}

const KINDS: [(Kind, u64); 16] = [
    (Kind::Empty, 800_000),
    (Kind::OverHttp, 120_000),
    (Kind::Wrong, 45_000),
    (Kind::Crash, 15_000),
    (Kind::Cancelled, 3_000),
    (Kind::Table, 6_000),
    (Kind::Handles, 3_000),
    (Kind::Document, 3_000),
    (Kind::Visit, 2_000),
    (Kind::HttpSession, 1_500),
    (Kind::Script, 600),
    (Kind::Reload, 100),
    (Kind::Workbook, 400),
    (Kind::Reader, 200),
    (Kind::Pdf, 100),
    (Kind::Python, 100),
];

struct Soak {
    host: Host,
    server: Arc<HttpServer>,
    address: SocketAddr,
    /// Lives as long as the process.
    session: Session,
    small: TestSkill,
    workbook: Vec<u8>,
}

/// Makes `calls`, measures at `points` points in between, and prints the curve.
pub(super) async fn work(calls: u64, points: u64) {
    let soak = Arc::new(Soak::new().await);
    let begun = Instant::now();
    for point in 1..=points {
        let tasks: Vec<_> = (0..TASKS)
            .map(|task| {
                let soak = soak.clone();
                tokio::spawn(async move { soak.round(point, calls / points / TASKS, task).await })
            })
            .collect();
        for task in tasks {
            task.await.unwrap();
        }
        tokio::time::sleep(QUIET).await;
        eprintln!("{}", Point::now(calls * point / points, begun.elapsed().as_secs()).line());
    }
    let rate = calls as f64 / begun.elapsed().as_secs_f64();
    eprintln!("{calls} calls, {rate:.0} a second");
}

/// Returns pseudorandom numbers: splitmix64.
fn next(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*state ^ (*state >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

fn choose(random: u64) -> Kind {
    let mut place = random % KINDS.iter().map(|(_, weight)| weight).sum::<u64>();
    for (kind, weight) in KINDS {
        if place < weight {
            return kind;
        }
        place -= weight;
    }
    Kind::Empty
}

impl Soak {
    async fn new() -> Soak {
        let small = TestSkill::new("small", SMALL, "limits: { time: 5s, fuel: 50000000000 }");
        let counters = crate::handles::counters();
        let host = Host::builder()
            .cache(CacheDir::new(cache()))
            .skills(small.path())
            .skills(counters.path())
            .build()
            .unwrap();
        // Half of the clients leave silently, and their sessions expire.
        let limits = HttpLimits { session_idle: Duration::from_secs(2), ..HttpLimits::default() };
        let listen = "127.0.0.1:0".parse().unwrap();
        let http = HttpOptions { listen, limits, ..HttpOptions::default() };
        let options = ServerOptions { idle: Duration::from_secs(5), ..ServerOptions::default() };
        let server = Arc::new(HttpServer::bind(host.clone(), options, http).await.unwrap());
        let address = server.address();
        let serving = server.clone();
        tokio::spawn(async move { serving.serve(CancellationToken::new()).await });
        let session = host.session(SessionOptions::default()).unwrap();
        let arguments =
            json!({ "data": [{ "Year": 2025, "Revenue": 12.5 }], "filename": "a.xlsx" });
        let made = session.call("excel_tool__create_excel", &arguments.to_string()).await;
        made.result.unwrap();
        let workbook = session.artifact_content("a.xlsx").unwrap();
        // Its component is loaded, so its folder may be removed.
        session.call("counters__ping", "{}").await.result.unwrap();
        Soak { host, server, address, session, small, workbook }
    }

    /// Makes some calls of one task, and at least one of each kind in all tasks together.
    async fn round(&self, point: u64, calls: u64, task: u64) {
        let mut seed = point * TASKS + task;
        let mut connection = Connection::open(self.address).await;
        for at in 0..calls {
            let kind = match KINDS.get(usize::try_from(at * TASKS + task).unwrap()) {
                Some((kind, _)) => *kind,
                None => choose(next(&mut seed)),
            };
            self.one(kind, next(&mut seed), point, &mut connection).await;
        }
    }

    async fn one(&self, kind: Kind, random: u64, point: u64, connection: &mut Connection) {
        match kind {
            Kind::Empty => {
                self.session.call("small__run", "{}").await.result.unwrap();
            }
            // Other sessions in each round: earlier ones become idle and end.
            Kind::OverHttp => connection.call("small__run", point * 8 + random % 8).await,
            Kind::Wrong => self.wrong(random).await,
            Kind::Crash => {
                self.session.call("small__trap", "{}").await.result.unwrap_err();
            }
            Kind::Cancelled => {
                let call = self.session.call("small__spin", "{}");
                let time = Duration::from_micros(random % 5_000);
                tokio::time::timeout(time, call).await.unwrap_err();
            }
            Kind::Table => self.table().await,
            Kind::Handles => self.handles(random).await,
            Kind::Document => self.document(random).await,
            Kind::Visit => visit(self.server.server(), "small__run").await,
            Kind::HttpSession => {
                let mut connection = Connection::open(self.address).await;
                connection.session("small__run", random.is_multiple_of(2)).await;
            }
            Kind::Script => self.script("python-lite", random).await,
            Kind::Python => self.script("python", random).await,
            Kind::Reload => self.reload(random).await,
            Kind::Workbook => self.workbook(random).await,
            Kind::Reader => {
                let session = self.open(None);
                session.add_document_bytes("a.xlsx", self.workbook.clone()).await.unwrap();
            }
            Kind::Pdf => self.pdf(random).await,
        }
    }

    fn open(&self, folder: Option<PathBuf>) -> Session {
        self.host.session(SessionOptions { folder, ..SessionOptions::default() }).unwrap()
    }

    async fn wrong(&self, random: u64) {
        let (tool, arguments) = match random % 4 {
            0 => ("no__such", "{}"),
            1 => ("small__run", "{\"x\": 1}"),
            2 => ("small__run", "{"),
            _ => ("table_tool__compare", "{\"left\": 5}"),
        };
        self.session.call(tool, arguments).await.result.unwrap_err();
    }

    async fn table(&self) {
        let session = self.open(None);
        session.add_document_bytes("a.csv", "月份,收入\n1月,12\n2月,13\n".into()).await.unwrap();
        let report = session.call("document_tool__read_table", "{\"name\": \"a.csv\"}").await;
        report.result.unwrap();
    }

    /// Uses up handles, and leaves some that end with their session.
    async fn handles(&self, random: u64) {
        let session = self.open(None);
        for number in 1..=1 + random % 4 {
            session.call("counters__counter", "{\"start\": 1}").await.result.unwrap();
            let this = format!("{{\"self\": \"h:counter:{number}\"}}");
            session.call("counters__counter__next", &this).await.result.unwrap();
        }
        if random.is_multiple_of(3) {
            session
                .call("counters__counter__crash", "{\"self\": \"h:counter:1\"}")
                .await
                .result
                .unwrap_err();
        }
    }

    async fn document(&self, random: u64) {
        let session = self.open(None);
        let text = format!("# {random}\n\n|a|b|\n|-|-|\n{}", "|1|2|\n".repeat(200));
        session.add_document_bytes("a.md", text.into_bytes()).await.unwrap();
        session.add_document_bytes("b.bin", vec![0; 1_000]).await.unwrap_err();
    }

    /// Runs a script that succeeds, one that raises, and one that is cancelled.
    async fn script(&self, engine: &str, random: u64) {
        let session = self.open(None);
        let code = match random % 3 {
            0 => "print(sum(range(1000)))",
            1 => "raise ValueError('x')",
            _ => "x = [n * n for n in range(10000)]\nprint(len(x))",
        };
        session.run_script(engine, code, None).await.unwrap().result.unwrap();
        let endless = session.run_script(engine, "while True: pass", None);
        let _ = tokio::time::timeout(Duration::from_millis(20), endless).await;
    }

    /// Reloads another version of the small skill. Two tasks may do it concurrently.
    async fn reload(&self, random: u64) {
        let path = self.small.path().join("small/skill.yaml");
        let text = format!(
            "schema: 1\nname: small\nversion: 0.{}.0\ndescription: a test\ncomponent: small.wasm\nlimits: {{ time: 5s, fuel: 50000000000 }}\n",
            random % 1_000
        );
        let new = self.small.path().join(format!("small/.{random}"));
        std::fs::write(&new, text).unwrap();
        std::fs::rename(new, path).unwrap();
        self.host.reload().await;
    }

    async fn workbook(&self, random: u64) {
        let folder = tempfile::tempdir().unwrap();
        let session = self.open(Some(folder.path().to_owned()));
        let rows: Vec<_> =
            (0..50).map(|row| json!({ "Year": row, "Revenue": random % 1_000 })).collect();
        let arguments = json!({ "data": rows, "filename": "a.xlsx" }).to_string();
        session.call("excel_tool__create_excel", &arguments).await.result.unwrap();
    }

    /// Renders a document, and cancels another one while it is drawn.
    async fn pdf(&self, random: u64) {
        let folder = tempfile::tempdir().unwrap();
        let session = self.open(Some(folder.path().to_owned()));
        let markdown =
            format!("# 年报 {random}\n\n|a|b|\n|-|-|\n|1|2|\n\n{}", "text 数据 ".repeat(100));
        let arguments = json!({ "markdown": markdown, "filename": "a.pdf" }).to_string();
        session.call("report__deliver", &arguments).await.result.unwrap();
        let given_up = session.call("report__deliver", &arguments);
        let _ = tokio::time::timeout(Duration::from_millis(random % 50), given_up).await;
    }
}
