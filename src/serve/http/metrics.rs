//! `/metrics` for the operator, as OpenMetrics text.
//!
//! No label holds a value that a client may choose freely: tool names are those of existing tools, and at most [`MAX_TOOLS`]
//! of them.

use std::collections::HashMap;
use std::sync::{OnceLock, RwLock};

use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::{encode_eof, encode_registry};
use prometheus_client::encoding::{DescriptorEncoder, EncodeLabelSet, EncodeMetric as _};
use prometheus_client::metrics::counter::{ConstCounter, Counter};
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::metrics::info::Info;
use prometheus_client::registry::Registry;

use crate::mcp::Observed;
use mitt_base::panics;
use mitt_base::unpoisoned;

/// Tools with their own series; further ones are counted as [`OTHER`].
const MAX_TOOLS: usize = 256;
/// The label of further tools.
const OTHER: &str = "other";
/// Outcomes that prove that the tool exists. A call that was refused or cancelled may have named anything.
const DECISIVE_OUTCOMES: [&str; 5] = ["ok", "arguments", "limit", "plugin", "trap"];
/// The label of tools that do not exist.
const UNKNOWN: &str = "unknown";

/// Upper bounds of durations, in seconds: an empty tool takes a tenth of a millisecond, and the longest call half a minute.
const DURATION_BUCKETS_SECONDS: [f64; 13] =
    [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1.0, 5.0, 15.0, 30.0];

/// Upper bounds of memory, in bytes: from a page of WebAssembly to the largest limit.
const MEMORY_BUCKETS_BYTES: [f64; 8] = [65_536.0, 1e6, 4e6, 1.6e7, 6.4e7, 1.28e8, 2.56e8, 5.12e8];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct CallLabels {
    tool: String,
    outcome: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct ToolLabels {
    tool: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    route: &'static str,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RefusalLabels {
    reason: &'static str,
}

/// Everything counted since the start.
#[derive(Debug)]
pub(super) struct Metrics {
    registry: Registry,
    calls: Family<CallLabels, Counter>,
    seconds: Family<ToolLabels, Histogram>,
    fuel: Family<ToolLabels, Counter>,
    memory: Histogram,
    requests: Family<RequestLabels, Counter>,
    refused: Family<RefusalLabels, Counter>,
    connections: Gauge,
    sessions: Gauge,
    running_calls: Gauge,
    tools: RwLock<HashMap<String, Tool>>,
}

/// Counts caught panics, which belong to the whole process and are counted elsewhere.
#[derive(Debug)]
struct Panics;

impl Collector for Panics {
    fn encode(&self, mut encoder: DescriptorEncoder<'_>) -> std::fmt::Result {
        let counter = ConstCounter::new(panics::count());
        let help = "Panics that were caught; each is a fault in mitt, please report it";
        counter.encode(encoder.encode_descriptor("panics", help, None, counter.metric_type())?)
    }
}

/// The series of a tool, found with one look-up.
#[derive(Debug)]
struct Tool {
    /// Successful calls; exists from the first of them on.
    ok: OnceLock<Counter>,
    seconds: Histogram,
    fuel: OnceLock<Counter>,
}

/// Current values.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Now {
    pub(super) connections: usize,
    pub(super) sessions: usize,
    pub(super) calls: usize,
}

impl Metrics {
    pub(super) fn new() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("mitt"),
            calls: Family::default(),
            seconds: Family::new_with_constructor(|| Histogram::new(DURATION_BUCKETS_SECONDS)),
            fuel: Family::default(),
            memory: Histogram::new(MEMORY_BUCKETS_BYTES),
            requests: Family::default(),
            refused: Family::default(),
            connections: Gauge::default(),
            sessions: Gauge::default(),
            running_calls: Gauge::default(),
            tools: RwLock::default(),
        };
        let registry = &mut metrics.registry;
        let version = Info::new([("version", env!("CARGO_PKG_VERSION"))]);
        registry.register("build", "The program", version);
        registry.register("calls", "Calls of tools, by how they ended", metrics.calls.clone());
        registry.register("call_duration_seconds", "Wall clock of calls", metrics.seconds.clone());
        registry.register(
            "call_fuel",
            "Fuel of calls, about one unit per instruction",
            metrics.fuel.clone(),
        );
        registry.register(
            "call_peak_memory_bytes",
            "Most memory of a call",
            metrics.memory.clone(),
        );
        registry.register("http_requests", "Answered requests", metrics.requests.clone());
        registry.register(
            "http_refused",
            "Refused connections and requests",
            metrics.refused.clone(),
        );
        registry.register("http_connections", "Open connections", metrics.connections.clone());
        registry.register("sessions", "Open sessions", metrics.sessions.clone());
        registry.register(
            "running_calls",
            "Calls that run or wait, those of tasks included",
            metrics.running_calls.clone(),
        );
        registry.register_collector(Box::new(Panics));
        metrics
    }

    /// Counts a call.
    pub(super) fn call(&self, ended: &Observed<'_>) {
        let name = if ended.outcome == "unknown-tool" { UNKNOWN } else { ended.tool };
        let tools = unpoisoned(self.tools.read());
        if let Some(tool) = tools.get(name) {
            return self.count(name, tool, ended);
        }
        drop(tools);
        let mut tools = unpoisoned(self.tools.write());
        let is_full = || {
            tools.keys().filter(|it| ![UNKNOWN, OTHER].contains(&it.as_str())).count() >= MAX_TOOLS
        };
        let is_tool = DECISIVE_OUTCOMES.contains(&ended.outcome) && !is_full();
        let name = if name == UNKNOWN || is_tool { name } else { OTHER };
        let tool = tools.entry(name.to_owned()).or_insert_with(|| Tool {
            ok: OnceLock::new(),
            seconds: self.seconds.get_or_create_owned(&ToolLabels { tool: name.to_owned() }),
            fuel: OnceLock::new(),
        });
        self.count(name, tool, ended);
    }

    fn count(&self, name: &str, tool: &Tool, ended: &Observed<'_>) {
        let calls = || {
            let outcome = ended.outcome.to_owned();
            self.calls.get_or_create_owned(&CallLabels { tool: name.to_owned(), outcome })
        };
        match ended.outcome {
            "ok" => tool.ok.get_or_init(calls).inc(),
            _ => calls().inc(),
        };
        tool.seconds.observe(ended.duration.as_secs_f64());
        if ended.fuel > 0 {
            let fuel = || self.fuel.get_or_create_owned(&ToolLabels { tool: name.to_owned() });
            tool.fuel.get_or_init(fuel).inc_by(ended.fuel);
            self.memory.observe(ended.peak_memory_bytes as f64);
        }
    }

    /// Counts a response.
    pub(super) fn request(&self, route: &'static str, status: u16) {
        self.requests.get_or_create_owned(&RequestLabels { route, status }).inc();
    }

    /// Counts a request that was refused before anything was done.
    pub(super) fn refused(&self, reason: &'static str) {
        self.refused.get_or_create_owned(&RefusalLabels { reason }).inc();
    }

    /// Returns all metrics as text, with those of the routes of another crate.
    pub(super) fn text(&self, now: Now, of_routes: &str) -> String {
        let set = |gauge: &Gauge, value: usize| {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        };
        set(&self.connections, now.connections);
        set(&self.sessions, now.sessions);
        set(&self.running_calls, now.calls);
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode_registry(&mut text, &self.registry);
        text.push_str(of_routes);
        let _ = encode_eof(&mut text);
        text
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn ended<'a>(tool: &'a str, outcome: &'static str) -> Observed<'a> {
        let duration = Duration::from_millis(3);
        Observed { tool, tenant: "a", outcome, duration, fuel: 7, peak_memory_bytes: 65_536 }
    }

    #[test]
    fn calls_are_counted_by_tool_and_outcome() {
        let metrics = Metrics::new();
        metrics.call(&ended("a__b", "ok"));
        metrics.call(&ended("a__b", "ok"));
        metrics.call(&ended("a__b", "trap"));
        metrics.request("mcp", 200);
        metrics.refused("host");
        let others = "# TYPE mitt_others gauge\nmitt_others 1\n";
        let text = metrics.text(Now { sessions: 3, ..Now::default() }, others);
        for line in [
            "mitt_calls_total{tool=\"a__b\",outcome=\"ok\"} 2",
            "mitt_calls_total{tool=\"a__b\",outcome=\"trap\"} 1",
            "mitt_call_fuel_total{tool=\"a__b\"} 21",
            "mitt_call_duration_seconds_bucket{le=\"0.005\",tool=\"a__b\"} 3",
            "mitt_call_peak_memory_bytes_bucket{le=\"65536.0\"} 3",
            "mitt_http_requests_total{route=\"mcp\",status=\"200\"} 1",
            "mitt_http_refused_total{reason=\"host\"} 1",
            "mitt_sessions 3",
            "# TYPE mitt_panics counter",
            "mitt_others 1",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        assert!(text.ends_with("\n# EOF\n") && text.matches("# EOF").count() == 1, "{text}");
    }

    #[test]
    fn names_of_clients_make_no_series() {
        let metrics = Metrics::new();
        for n in 0..1000 {
            metrics.call(&ended(&format!("guess_{n}"), "unknown-tool"));
            metrics.call(&ended(&format!("guess_{n}"), "busy"));
            metrics.call(&ended(&format!("guess_{n}"), "denied"));
            metrics.call(&ended(&format!("tool_{n}"), "ok"));
        }
        let text = metrics.text(Now::default(), "");
        let series = |name: &str| text.lines().filter(|line| line.starts_with(name)).count();
        // Besides the tools: unknown ones, and `other` with three outcomes.
        assert_eq!(series("mitt_calls_total"), MAX_TOOLS + 4);
        assert!(!text.contains("guess_"));
        assert!(text.contains("mitt_calls_total{tool=\"other\",outcome=\"ok\"} 744"), "{text}");
    }
}
