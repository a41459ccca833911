//! Options of one call.

use std::sync::Arc;
use std::time::Duration;

use super::approval_request::Approver;
use super::content::TableResults;
use super::event::{Event, EventSink};

/// Options of one call, which also apply to the calls inside of it: see [`Session::call_with`](super::Session::call_with).
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
    /// Receives every step of the call and of inner calls, after [`SessionOptions::events`](super::SessionOptions::events), from
    /// any thread. Default: none.
    pub events: Option<EventSink>,
    /// Decides about calls of tools that are marked `destructive`, for this call and inner ones, in place of
    /// [`SessionOptions::approver`](super::SessionOptions::approver). Default: the approver of the session.
    pub approver: Option<Arc<dyn Approver>>,
    /// Arguments of a script: `sys.argv[1:]`. Default: none.
    pub arguments: Arc<[String]>,
    /// Most wall clock of one attempt of the call. It can only lower the limit of the tool. Default: that limit.
    pub max_time: Option<Duration>,
    /// How tables in the result are shown. Default: with all their rows.
    pub tables: TableResults,
    /// Creation time that delivered files state, since 1970. With a fixed time, the same call makes the same files. Default: the
    /// time of the host.
    pub created: Option<Duration>,
    /// Called once, before the first effect that a second call would repeat: the call is about to run a tool, or an inner call is,
    /// for which [`Tool::has_lasting_effect`](crate::skill::Tool::has_lasting_effect) is `true`. An approval comes before it. It
    /// may write to a disk, and must not call the session. Default: none.
    pub before_effect: Option<Arc<dyn Fn() + Send + Sync>>,
}

impl CallOptions {
    /// Returns the defaults.
    pub fn new() -> CallOptions {
        CallOptions::default()
    }

    /// Sends every step of the call to `events`.
    #[must_use]
    pub fn events(mut self, events: impl Fn(&Event) + Send + Sync + 'static) -> CallOptions {
        self.events = Some(Arc::new(events));
        self
    }

    /// Sets how tables in the result are shown.
    #[must_use]
    pub fn tables(mut self, tables: TableResults) -> CallOptions {
        self.tables = tables;
        self
    }

    /// Sets the creation time that delivered files state, since 1970.
    #[must_use]
    pub fn created(mut self, time: Duration) -> CallOptions {
        self.created = Some(time);
        self
    }

    /// Calls `begin` before the first effect that a second call would repeat.
    #[must_use]
    pub fn before_effect(mut self, begin: impl Fn() + Send + Sync + 'static) -> CallOptions {
        self.before_effect = Some(Arc::new(begin));
        self
    }

    /// Sets `sys.argv[1:]` of a script.
    #[must_use]
    pub fn arguments(mut self, arguments: impl IntoIterator<Item = String>) -> CallOptions {
        self.arguments = arguments.into_iter().collect();
        self
    }

    /// Sets the most wall clock of an attempt, if it is less than the limit of the tool.
    #[must_use]
    pub fn max_time(mut self, time: Duration) -> CallOptions {
        self.max_time = Some(time);
        self
    }

    /// Makes `approver` decide instead of the session's approver.
    #[must_use]
    pub fn approver(mut self, approver: Arc<dyn Approver>) -> CallOptions {
        self.approver = Some(approver);
        self
    }
}
