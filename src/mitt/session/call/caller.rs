//! The maker of a call: a model, a user, or an enclosing call; and the state that all calls inside of one root call share.
//!
//! Knows what an enclosing call passes on to inner calls. `run.rs` runs a call.

use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex, Once};

use super::super::agent_view::AgentView;
use super::super::approval::{Asker, Decided};
use super::super::approval_request::{ApprovalRequest, Approver};
use super::super::call_id::CallId;
use super::super::content::TableResults;
use super::super::context::SessionContext;
use super::super::delivery::Stage;
use super::super::event::Event;
use super::super::inner_calls::{CallCount, InnerCalls};
use super::super::options::CallOptions;
use super::super::script::{AllowedModules, Record, ScriptRun};
use crate::engine::CallClock;
use crate::script::{Listener, Output};
use mitt_base::memory::Account;
use mitt_base::{Error, lock};
use mitt_skill::ScriptArguments;

/// State of a root call, shared with all calls inside of it.
pub(in crate::session) struct RootCall {
    /// Options of the root call.
    pub(super) options: CallOptions,
    /// Number of calls made inside of it.
    count: Arc<CallCount>,
    /// Account for the memory that the call uses while it runs.
    pub(super) memory: Account,
    /// Error with which the call is refused, because its arguments name something that does not exist.
    pub(super) refusal: Option<Error>,
    /// Restrictions of the agent that makes it.
    pub(super) agent_view: Option<Arc<AgentView>>,
    /// Decision about it, if it was paused before.
    pub(super) decided: Option<Decided>,
    /// Recorded calls of its script up to the pause.
    before: Option<Record>,
    /// Request that it is paused for.
    paused: Mutex<Option<ApprovalRequest>>,
    /// Done when an effect was begun that a second call would repeat.
    effect: Once,
}

impl RootCall {
    /// Returns a call that is made for the first time.
    pub(in crate::session) fn new(
        context: &SessionContext,
        options: CallOptions,
        agent_view: Option<Arc<AgentView>>,
    ) -> RootCall {
        let count = CallCount::new(context.host().session_limits().tool_calls);
        RootCall {
            options,
            count: Arc::new(count),
            memory: context.budget().call(),
            refusal: None,
            agent_view,
            decided: None,
            before: None,
            paused: Mutex::default(),
            effect: Once::new(),
        }
    }

    /// Returns the call as it is made again after a pause, with the decision about it.
    pub(super) fn with_decision(self, decided: Decided, before: Option<Record>) -> RootCall {
        RootCall { decided: Some(decided), before, ..self }
    }

    /// Returns the record of inner calls for one attempt.
    pub(super) fn inner_calls(&self) -> Arc<InnerCalls> {
        Arc::new(InnerCalls::new(self.count.clone(), &self.memory))
    }

    /// Begins an effect that a second call would repeat: calls [`CallOptions::before_effect`] if this is the first one. Returns
    /// `true` if it was called.
    pub(super) fn begin_effect(&self) -> bool {
        let mut is_first = false;
        if let Some(begin) = &self.options.before_effect {
            self.effect.call_once(|| {
                begin();
                is_first = true;
            });
        }
        is_first
    }

    /// Returns the request that the call is paused for.
    pub(super) fn paused(&self) -> Option<ApprovalRequest> {
        lock(&self.paused).clone()
    }

    /// Sets the request that the call is paused for; `None` if it is not paused after all.
    pub(super) fn set_paused(&self, request: Option<ApprovalRequest>) {
        *lock(&self.paused) = request;
    }
}

/// Maker of a call.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) root: Arc<RootCall>,
    /// Number of the enclosing call.
    pub(super) parent: Option<u64>,
    /// Number of enclosing calls.
    pub(super) depth: u64,
    /// `true` if an enclosing call runs in a resident instance.
    pub(super) has_turn: bool,
    /// `true` if an enclosing call is a script that keeps its variables.
    pub(super) has_kept: bool,
    /// Stage that receives files if the enclosing attempt may be repeated: they stay there until the attempt succeeds.
    pub(super) stage: Option<Arc<Stage>>,
    /// Clock of the enclosing call.
    pub(super) clock: Option<Arc<CallClock>>,
    /// Innermost enclosing script.
    pub(super) run: Option<Arc<ScriptRun>>,
    /// How tables in results are shown.
    pub(super) tables: TableResults,
}

impl Caller {
    /// Returns the maker of a root call: a model or a user.
    pub(super) fn new(root: RootCall) -> Caller {
        Caller {
            tables: root.options.tables,
            root: Arc::new(root),
            parent: None,
            depth: 0,
            has_turn: false,
            has_kept: false,
            stage: None,
            clock: None,
            run: None,
        }
    }

    /// Returns the restrictions of the agent that makes the call; `None` if it has the whole session.
    pub(super) fn agent_view(&self) -> Option<&AgentView> {
        self.root.agent_view.as_deref()
    }

    /// Returns the number of the agent that makes the call; `None` if no agent does.
    pub(super) fn agent(&self) -> Option<u64> {
        self.agent_view().map(|view| view.agent)
    }

    /// Sends an event to the listeners of the session and of this call.
    pub(super) fn emit(&self, context: &SessionContext, event: &Event) {
        let tagged = self.agent_view().map(|view| view.tagged(event));
        let event = tagged.as_ref().unwrap_or(event);
        context.emit(event);
        if let Some(events) = &self.root.options.events {
            events(event);
        }
    }

    /// Returns the maker of calls inside of an attempt of `call`. `uses_handles` is set if the attempt runs in a resident
    /// instance; `stage` is the attempt's own, if the attempt may be rolled back.
    pub(super) fn inside(
        &self,
        call: CallId,
        uses_handles: bool,
        stage: Option<Arc<Stage>>,
        clock: Arc<CallClock>,
    ) -> Caller {
        Caller {
            parent: Some(call.number),
            depth: self.depth + 1,
            has_turn: self.has_turn || uses_handles,
            stage,
            clock: Some(clock),
            tables: TableResults::Whole,
            ..self.clone()
        }
    }

    /// Returns this caller inside of a script, to which tables are shown as `tables` says.
    pub(super) fn in_script(self, run: Arc<ScriptRun>, tables: TableResults) -> Caller {
        Caller { has_kept: self.has_kept || run.keeps_state, run: Some(run), tables, ..self }
    }

    /// Returns the listener to the output of a script; `None` if nobody listens.
    fn listener(&self, context: &SessionContext, call: CallId) -> Option<Listener> {
        let sinks = [context.events().cloned(), self.root.options.events.clone()];
        if sinks.iter().all(Option::is_none) {
            return None;
        }
        let (depth, agent) = (self.depth, self.agent());
        Some(Box::new(move |stream, text| {
            let event = Event::Output { call, depth, stream, text: text.to_owned() };
            let event = agent.map_or_else(|| event.clone(), |agent| event.clone().of_agent(agent));
            sinks.iter().flatten().for_each(|sink| sink(&event));
        }))
    }

    /// Returns a run of a script for this caller. Only an outermost script that keeps no variables can be run again after a
    /// pause: `new_record` makes the record of its first run. Output events carry `call`.
    pub(super) fn run(
        &self,
        arguments: &ScriptArguments,
        (context, call): (&SessionContext, CallId),
        new_record: impl FnOnce() -> Option<Record>,
    ) -> ScriptRun {
        let all = AllowedModules::default();
        let outer = self.run.as_ref().map_or(&all, |run| &run.allowed);
        let record = match &self.root.before {
            _ if arguments.keeps_state || self.depth > 0 => None,
            Some(before) => Some(before.again()),
            None => new_record(),
        };
        // Program arguments go to the outermost script only, not to scripts inside of it.
        let argv = match &record {
            Some(record) if self.root.before.is_some() => record.argv.clone(),
            _ if self.depth > 0 => Arc::default(),
            _ => self.root.options.arguments.clone(),
        };
        let record = record.map(|record| record.with_argv(argv.clone()));
        let listener = self.listener(context, call);
        ScriptRun {
            output: Output::charged_to(&self.root.memory)
                .heard_by(listener)
                .guarded_by(&context.rules()),
            argv,
            line: AtomicU32::new(0),
            allowed: outer.narrowed(arguments.allowed_modules.as_deref()),
            keeps_state: arguments.keeps_state,
            record,
        }
    }
}

impl Asker for Caller {
    fn approver(&self) -> Option<&Arc<dyn Approver>> {
        self.root.options.approver.as_ref()
    }

    fn depth(&self) -> u64 {
        self.depth
    }

    fn decided(&self) -> Option<&Decided> {
        self.root.decided.as_ref()
    }

    fn script(&self) -> Option<&ScriptRun> {
        self.run.as_deref()
    }

    fn clock(&self) -> Option<&Arc<CallClock>> {
        self.clock.as_ref()
    }

    fn set_paused(&self, request: ApprovalRequest) {
        self.root.set_paused(Some(request));
    }

    fn emit(&self, context: &SessionContext, event: &Event) {
        Caller::emit(self, context, event);
    }
}
