//! What `/metrics` says of the service: runs, tokens of models, scripts of containers, stored bytes.
//!
//! No label holds a value that a client may choose. Knows nothing of what it counts.

use std::sync::atomic::AtomicU64;
use std::time::Duration;

use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::encoding::text::encode_registry;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;

/// Upper bounds of the time that a run works, in seconds: from a short answer to the longest that runs have by default.
const DURATION_BUCKETS_SECONDS: [f64; 11] =
    [0.25, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0, 120.0, 300.0, 900.0, 1_800.0];

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct StatusLabels {
    status: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct DirectionLabels {
    direction: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

/// Labels of a metric that is not shown while it has no value.
type NoLabels = [(&'static str, &'static str); 0];

/// Everything that was counted since the start of the process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    runs: Family<StatusLabels, Counter>,
    seconds: Histogram,
    tokens: Family<DirectionLabels, Counter>,
    scripts: Family<OutcomeLabels, Counter>,
    working: Gauge,
    queued: Gauge,
    active: Gauge,
    waiting: Gauge,
    kept: Gauge,
    bytes: Gauge,
    longest_wait: Family<NoLabels, Gauge<f64, AtomicU64>>,
}

/// Current values.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// Runs that work in this process.
    pub working: u64,
    /// Runs that wait for a place.
    pub queued: u64,
    /// Runs that wait for an answer, or for functions of a caller.
    pub waiting: u64,
    /// Runs that are kept.
    pub kept: u64,
    /// Bytes of all stored files.
    pub bytes: u64,
    /// Time that the run has waited which waits longest for a place. `None` if the store does not note it.
    pub longest_wait: Option<Duration>,
}

impl Default for Metrics {
    fn default() -> Metrics {
        Metrics::new()
    }
}

impl Metrics {
    /// Returns metrics that have counted nothing.
    pub fn new() -> Metrics {
        let mut metrics = Metrics {
            registry: Registry::with_prefix("mitt"),
            runs: Family::default(),
            seconds: Histogram::new(DURATION_BUCKETS_SECONDS),
            tokens: Family::default(),
            scripts: Family::default(),
            working: Gauge::default(),
            queued: Gauge::default(),
            active: Gauge::default(),
            waiting: Gauge::default(),
            kept: Gauge::default(),
            bytes: Gauge::default(),
            longest_wait: Family::default(),
        };
        let registry = &mut metrics.registry;
        registry.register(
            "runs",
            "Work on runs that began (status started), and how it ended",
            metrics.runs.clone(),
        );
        registry.register(
            "run_duration_seconds",
            "Wall clock of the work on runs, with the time that questions waited",
            metrics.seconds.clone(),
        );
        registry.register(
            "model_tokens",
            "Tokens of models; those of requests that a service had cached count as input too",
            metrics.tokens.clone(),
        );
        registry.register(
            "container_scripts",
            "Scripts of containers and of LibreChat, by how they ended",
            metrics.scripts.clone(),
        );
        registry.register("working_runs", "Runs that work", metrics.working.clone());
        registry.register("queued_runs", "Runs that wait for a place", metrics.queued.clone());
        registry.register(
            "active_runs",
            "Runs that work or wait for a place, which are those that need workers",
            metrics.active.clone(),
        );
        registry.register(
            "waiting_runs",
            "Runs that wait for an answer or for functions of a caller",
            metrics.waiting.clone(),
        );
        registry.register("kept_runs", "Runs that are kept", metrics.kept.clone());
        registry.register("stored_bytes", "Bytes of all stored files", metrics.bytes.clone());
        registry.register(
            "longest_wait_seconds",
            "Time that the run has waited which waits longest for a place",
            metrics.longest_wait.clone(),
        );
        metrics
    }

    /// Counts that the work on a run began.
    pub fn run_started(&self) {
        self.run("started");
    }

    /// Counts the end of the work on a run. `time` is `None` for a run that did not work in this process.
    pub fn run_ended(&self, status: &'static str, time: Option<Duration>) {
        self.run(status);
        if let Some(time) = time {
            self.seconds.observe(time.as_secs_f64());
        }
    }

    fn run(&self, status: &'static str) {
        self.runs.get_or_create_owned(&StatusLabels { status }).inc();
    }

    /// Counts tokens of a model. `cached` are those of the input that the model's service had cached.
    pub fn tokens(&self, input: u64, cached: u64, output: u64) {
        for (direction, tokens) in [("input", input), ("cached", cached), ("output", output)] {
            self.tokens.get_or_create_owned(&DirectionLabels { direction }).inc_by(tokens);
        }
    }

    /// Counts a script of a container by its failure: `error`, `timeout` or `sandbox_error`; `None` for success.
    pub fn script(&self, failure: Option<&str>) {
        let outcome = match failure {
            None => "ok",
            Some("error") => "error",
            Some("timeout") => "timeout",
            Some(_) => "sandbox_error",
        };
        self.scripts.get_or_create_owned(&OutcomeLabels { outcome }).inc();
    }

    /// Returns all metrics as OpenMetrics text, without its end.
    pub fn text(&self, now: Now) -> String {
        for (gauge, value) in [
            (&self.working, now.working),
            (&self.queued, now.queued),
            (&self.active, now.working.saturating_add(now.queued)),
            (&self.waiting, now.waiting),
            (&self.kept, now.kept),
            (&self.bytes, now.bytes),
        ] {
            gauge.set(i64::try_from(value).unwrap_or(i64::MAX));
        }
        if let Some(wait) = now.longest_wait {
            self.longest_wait.get_or_create_owned(&[]).set(wait.as_secs_f64());
        }
        let mut text = String::new();
        // Writing to a string does not fail.
        let _ = encode_registry(&mut text, &self.registry);
        text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_tokens_and_scripts_are_counted() {
        let metrics = Metrics::new();
        metrics.run_started();
        metrics.run_ended("completed", Some(Duration::from_secs(4)));
        metrics.run_ended("cancelled", None);
        metrics.tokens(90, 40, 10);
        metrics.tokens(10, 0, 5);
        for failure in [None, Some("error"), Some("timeout"), Some("anything")] {
            metrics.script(failure);
        }
        let mut now = Now { working: 1, queued: 2, waiting: 3, kept: 40, ..Now::default() };
        now.bytes = 5_000;
        assert!(!metrics.text(now).contains("\nmitt_longest_wait_seconds"));
        now.longest_wait = Some(Duration::from_millis(1_500));
        let text = metrics.text(now);
        for line in [
            "mitt_runs_total{status=\"started\"} 1",
            "mitt_runs_total{status=\"completed\"} 1",
            "mitt_runs_total{status=\"cancelled\"} 1",
            "mitt_run_duration_seconds_bucket{le=\"5.0\"} 1",
            "mitt_run_duration_seconds_bucket{le=\"2.5\"} 0",
            "mitt_model_tokens_total{direction=\"input\"} 100",
            "mitt_model_tokens_total{direction=\"cached\"} 40",
            "mitt_model_tokens_total{direction=\"output\"} 15",
            "mitt_container_scripts_total{outcome=\"ok\"} 1",
            "mitt_container_scripts_total{outcome=\"sandbox_error\"} 1",
            "mitt_working_runs 1",
            "mitt_queued_runs 2",
            "mitt_active_runs 3",
            "mitt_waiting_runs 3",
            "mitt_kept_runs 40",
            "mitt_stored_bytes 5000",
            "mitt_longest_wait_seconds{} 1.5",
        ] {
            assert!(text.lines().any(|other| other == line), "{line}\n{text}");
        }
        assert!(!text.contains("# EOF"), "{text}");
    }
}
