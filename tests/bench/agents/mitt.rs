//! Mitt's loop: against the mock in a process of its own, and over the bundled example.

use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use mitt::{CacheDir, Event, EventSink, Host, Session, SessionOptions};
use mitt_agent::model::ModelSpec;
use mitt_agent::model::http::HttpModel;
use mitt_agent::{Agent, RunEvent, RunReport, ToolMode};

use super::mock::{self, Plan};
use super::peers::Measured;
use super::process::{cpu_time, memory};

const EMPTY: &str = r#"(component
    (core module $m (func (export "run")))
    (core instance $i (instantiate $m))
    (func (export "run") (canon lift (core func $i "run"))))"#;

/// As the example's `task.yaml` has it.
const EXAMPLE_DOCUMENTS: [&str; 2] = ["2024年经营报告.xlsx", "2025年经营报告.docx"];

const EXAMPLE_INSTRUCTION: &str = "这是 2024 年和 2025 年的经营报告。请对比两年的日活跃用户（DAU）和营业收入的同比增长，给我一份 Excel，并把总结导出为 PDF。";

/// A host with an empty tool and no other.
pub(crate) fn host() -> Host {
    Host::builder()
        .no_cache()
        .bundled_skills(false)
        .component_bytes("empty", wat::parse_str(EMPTY).unwrap())
        .build()
        .unwrap()
}

/// Follow the plan for as long as it is measured, once at least.
pub(crate) async fn measured(address: &str, plan: Plan, time: Duration) -> Measured {
    let host = host();
    converse(&host, &agent(address, &Plan { turns: 1, calls: 1 }.model()), |_| {}).await;
    let agent = agent(address, &plan.model());
    let id = std::process::id();
    let before = memory(id).unwrap_or_default().now;
    let first_texts = Arc::new(Mutex::new(Vec::new()));
    let (begun, cpu) = (Instant::now(), cpu_time(id).unwrap_or_default());
    let mut turns = 0;
    while turns == 0 || begun.elapsed() < time {
        let first_texts = first_texts.clone();
        let report = converse(&host, &agent, move |event| {
            if let Some(RunEvent::ModelText { text, .. }) = RunEvent::from_event(event) {
                let sent: u128 = text.parse().unwrap();
                first_texts.lock().unwrap().push(mock::now().saturating_sub(sent));
            }
        });
        let report = report.await;
        assert_eq!(report.calls.len(), plan.turns * plan.calls);
        assert!(report.calls.iter().all(|call| call.result.is_ok()));
        turns += report.turns;
    }
    let cpu = cpu_time(id).unwrap_or_default() - cpu;
    let mut first_texts = std::mem::take(&mut *first_texts.lock().unwrap());
    first_texts.sort_unstable();
    Measured {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        cpu_per_turn: cpu.as_secs_f64() / turns as f64,
        first_text: first_texts[first_texts.len() / 2] as f64 / 1e9,
        memory_before: before,
        memory_peak: memory(id).unwrap_or_default().peak,
    }
}

fn agent(address: &str, model: &str) -> Agent {
    builder(address, model, ToolMode::default())
}

fn builder(address: &str, model: &str, mode: ToolMode) -> Agent {
    let spec = ModelSpec::parse(&format!("http://{address}/v1#{model}")).unwrap();
    let model = Arc::new(HttpModel::builder(spec).build().unwrap());
    let limits = |limits: &mut mitt_agent::AgentLimits| {
        (limits.turns, limits.calls, limits.tokens) = (Some(u64::MAX), u64::MAX, u64::MAX);
        limits.context_characters = usize::MAX;
    };
    Agent::builder(model).tools(mode).limits(limits).build()
}

/// One conversation, in a session of its own.
async fn converse(
    host: &Host,
    agent: &Agent,
    told: impl Fn(&Event) + Send + Sync + 'static,
) -> RunReport {
    let session = session(host, Arc::new(told));
    agent.run(&session, super::INSTRUCTION).await.unwrap()
}

fn session(host: &Host, events: EventSink) -> Session {
    let options = SessionOptions { events: Some(events), ..SessionOptions::default() };
    host.session(options).unwrap()
}

/// What the example takes in one way to show tools.
pub(crate) struct Example {
    pub(crate) turns: u64,
    /// Of the body of its first request.
    pub(crate) first: u64,
    /// Of those of all requests.
    pub(crate) all: u64,
}

/// Follow the example with its recorded model, which makes the same calls in every mode.
pub(crate) async fn example(address: &str, mode: ToolMode) -> Example {
    let host = Host::builder().cache(CacheDir::of_user()).build().unwrap();
    let first = Arc::new(Mutex::new(None));
    let seen = first.clone();
    let session = session(
        &host,
        Arc::new(move |event| {
            if let Some(RunEvent::ModelUsage { input, .. }) = RunEvent::from_event(event) {
                seen.lock().unwrap().get_or_insert(*input);
            }
        }),
    );
    for name in EXAMPLE_DOCUMENTS {
        session.add_document(&super::example().join(name)).await.unwrap();
    }
    let model = match mode {
        ToolMode::Catalogue => mock::EXAMPLE_CATALOGUE,
        _ => mock::EXAMPLE,
    };
    let report = builder(address, model, mode).run(&session, EXAMPLE_INSTRUCTION).await.unwrap();
    assert_eq!(report.missing, Vec::<String>::new(), "the example delivers its files");
    let first = first.lock().unwrap().unwrap();
    Example { turns: report.turns, first, all: report.usage.input }
}
