//! What whoever makes a call wants for this one.

use std::sync::Arc;
use std::time::Duration;

use super::approval::Approver;
use super::event::{Event, EventSink};
use super::results::TableResults;

/// How one call is made, and the calls inside of it: see [`Session::call_with`](super::Session::call_with).
///
/// # Example: the steps of one call
///
/// ```
/// use std::sync::{Arc, Mutex};
///
/// use mitt::{CallOptions, Event};
///
/// let tools = Arc::new(Mutex::new(Vec::new()));
/// let heard = tools.clone();
/// let options = CallOptions::new().events(move |event| {
///     if let Event::CallStarted { call, tool, .. } = event {
///         heard.lock().unwrap().push((call.number, tool.clone()));
///     }
/// });
/// assert!(options.approver.is_none());
/// ```
#[derive(Clone, Default)]
#[non_exhaustive]
pub struct CallOptions {
    /// Told of every step of the call and of those inside of it, after [`SessionOptions::events`](super::SessionOptions::events),
    /// from whichever thread takes the step. Default none.
    pub events: Option<EventSink>,
    /// Decides about calls of tools that are marked `destructive`, this one and those inside of it, in place of
    /// [`SessionOptions::approver`](super::SessionOptions::approver). Default that of the session.
    pub approver: Option<Arc<dyn Approver>>,
    /// What a script finds in `sys.argv` behind its own name. Default nothing.
    pub arguments: Arc<[String]>,
    /// Most wall clock of one attempt of the call; can only lower the limit of its tool. Default that limit.
    pub max_time: Option<Duration>,
    /// How tables in the result are shown. Default with all their rows.
    pub tables: TableResults,
    /// What files that it delivers say of when they were made, since 1970: the same files come of the same call then. Default the
    /// time of the host.
    pub created: Option<Duration>,
}

impl CallOptions {
    /// The defaults: what the session says.
    pub fn new() -> CallOptions {
        CallOptions::default()
    }

    /// Tell `events` of every step of the call.
    #[must_use]
    pub fn events(mut self, events: impl Fn(&Event) + Send + Sync + 'static) -> CallOptions {
        self.events = Some(Arc::new(events));
        self
    }

    /// Show tables in the result so.
    #[must_use]
    pub fn tables(mut self, tables: TableResults) -> CallOptions {
        self.tables = tables;
        self
    }

    /// Let files say that they were made at this time after 1970.
    #[must_use]
    pub fn created(mut self, time: Duration) -> CallOptions {
        self.created = Some(time);
        self
    }

    /// Give a script these as `sys.argv[1:]`.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = String>) -> CallOptions {
        self.arguments = arguments.into_iter().collect();
        self
    }

    /// End an attempt that takes longer, if its tool's limit does not end it before.
    #[must_use]
    pub fn max_time(mut self, time: Duration) -> CallOptions {
        self.max_time = Some(time);
        self
    }

    /// Ask `approver`, and nobody else, where somebody has to decide.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> CallOptions {
        self.approver = Some(approver);
        self
    }
}
