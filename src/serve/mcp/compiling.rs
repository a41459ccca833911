//! The component that a session or a call waits for while it is compiled.

use std::time::{Duration, Instant};

use tokio::sync::watch;

use mitt::Event;
use mitt_base::{Error, ErrorKind};

/// How long a call waits for a component that is being compiled if its client gets no progress. Some clients give up after
/// five seconds, whatever the server does.
pub(super) const MAX_COMPILING_WAIT: Duration = Duration::from_secs(4);

/// Shortest time after which to repeat a call that found a component being compiled.
const RETRY_AFTER: Duration = Duration::from_secs(2);

/// A component that is being compiled.
#[derive(Clone, Debug)]
pub(super) struct CompilingComponent {
    skill: String,
    /// The estimated moment at which native code is there.
    ready: Instant,
}

impl CompilingComponent {
    /// Returns the error for the client.
    pub(super) fn error(&self) -> Error {
        let left = self.ready.saturating_duration_since(Instant::now()).max(RETRY_AFTER);
        let message = format!(
            "compiling {}, which is done once for this machine: ready in about {} s",
            self.skill,
            left.as_secs()
        );
        Error::new(ErrorKind::Busy { retry_after: RETRY_AFTER }, message)
            .hint("make the same call again then")
    }
}

/// Records the component that is being compiled, from events.
pub(super) struct CompilingNotes(watch::Sender<Option<CompilingComponent>>);

/// Waits for a component that is being compiled.
#[derive(Clone)]
pub(super) struct CompilingWatch(watch::Receiver<Option<CompilingComponent>>);

/// Returns the two ends of a new watch.
pub(super) fn watch() -> (CompilingNotes, CompilingWatch) {
    let (sender, receiver) = watch::channel(None);
    (CompilingNotes(sender), CompilingWatch(receiver))
}

impl CompilingNotes {
    /// Records a component from an event about compiling. Ignores other events.
    pub(super) fn note(&self, event: &Event) {
        match event {
            Event::Compiling { skill, elapsed, usual, .. } => {
                let ready = Instant::now() + usual.saturating_sub(*elapsed);
                self.set(CompilingComponent { skill: skill.clone(), ready });
            }
            Event::Compiled { .. } => drop(self.0.send_replace(None)),
            _ => {}
        }
    }

    /// Records `component` as the one that is being compiled.
    pub(super) fn set(&self, component: CompilingComponent) {
        self.0.send_replace(Some(component));
    }
}

impl CompilingWatch {
    /// Waits until `moment`, and then until a component is being compiled. Returns that component. Waits forever if there is none and
    /// the other end is dropped.
    pub(super) async fn after(mut self, moment: Instant) -> CompilingComponent {
        tokio::time::sleep_until(moment.into()).await;
        loop {
            if let Some(component) = self.0.borrow_and_update().clone() {
                return component;
            }
            if self.0.changed().await.is_err() {
                std::future::pending::<()>().await;
            }
        }
    }
}
