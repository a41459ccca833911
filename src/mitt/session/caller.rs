//! Who makes a call: a model or a user, or a call around it; and what the calls inside of one outermost call share.
//!
//! Knows what is passed on from a call to those inside of it. What a call does is in `call.rs`.

use std::sync::atomic::AtomicU32;
use std::sync::{Arc, Mutex};

use super::approval::ApprovalRequest;
use super::call_id::CallId;
use super::event::Event;
use super::inner_calls::{CallCount, InnerCalls};
use super::narrowed::Narrowed;
use super::options::CallOptions;
use super::pending::Decided;
use super::results::TableResults;
use super::script::{AllowedModules, Record, ScriptRun};
use super::stage::Stage;
use super::state::Inner;
use crate::engine::CallClock;
use crate::script::{Listener, Output, ScriptArguments};
use mitt_base::memory::Account;
use mitt_base::{Error, lock};

/// An outermost call, as it and all calls inside of it see it.
pub(super) struct Outermost {
    /// What whoever makes it wants for it.
    pub(super) options: CallOptions,
    /// How many calls were made inside of it.
    count: Arc<CallCount>,
    /// Who is charged for what is there while it runs.
    pub(super) memory: Account,
    /// Why it is not made: what its arguments name is not there.
    pub(super) refusal: Option<Error>,
    /// What of the session its caller has.
    pub(super) narrowed: Option<Arc<Narrowed>>,
    /// What was decided about it since it was paused.
    pub(super) decided: Option<Decided>,
    /// What its script did before it was paused.
    before: Option<Record>,
    /// What it waits for.
    paused: Mutex<Option<ApprovalRequest>>,
}

impl Outermost {
    /// One that is made for the first time.
    pub(super) fn new(
        options: CallOptions,
        count: CallCount,
        memory: Account,
        narrowed: Option<Arc<Narrowed>>,
    ) -> Outermost {
        Outermost {
            options,
            count: Arc::new(count),
            memory,
            refusal: None,
            narrowed,
            decided: None,
            before: None,
            paused: Mutex::default(),
        }
    }

    /// One that was paused, and is made again.
    pub(super) fn again(self, decided: Decided, before: Option<Record>) -> Outermost {
        Outermost { decided: Some(decided), before, ..self }
    }

    /// For the calls inside of one attempt.
    pub(super) fn inner_calls(&self) -> Arc<InnerCalls> {
        Arc::new(InnerCalls::new(self.count.clone(), &self.memory))
    }

    /// What it waits for.
    pub(super) fn paused(&self) -> Option<ApprovalRequest> {
        lock(&self.paused).clone()
    }

    /// Leave what it waits for; none if it does not wait after all.
    pub(super) fn set_paused(&self, request: Option<ApprovalRequest>) {
        *lock(&self.paused) = request;
    }
}

/// Who makes a call.
#[derive(Clone)]
pub(super) struct Caller {
    pub(super) outermost: Arc<Outermost>,
    /// The call that it is inside of.
    pub(super) parent: Option<u64>,
    /// How many calls it is inside of.
    pub(super) depth: u64,
    /// Whether one of those around it is in a resident instance.
    pub(super) has_turn: bool,
    /// Whether one of those around it is a script that keeps its variables.
    pub(super) has_kept: bool,
    /// Where files go when the attempt around it may be repeated: they are its own until it succeeds.
    pub(super) stage: Option<Arc<Stage>>,
    /// Of the call around it.
    pub(super) clock: Option<Arc<CallClock>>,
    /// The innermost script around it.
    pub(super) run: Option<Arc<ScriptRun>>,
    /// How it is shown tables in results.
    pub(super) tables: TableResults,
}

impl Caller {
    /// A model or a user.
    pub(super) fn new(outermost: Outermost) -> Caller {
        Caller {
            tables: outermost.options.tables,
            outermost: Arc::new(outermost),
            parent: None,
            depth: 0,
            has_turn: false,
            has_kept: false,
            stage: None,
            clock: None,
            run: None,
        }
    }

    /// What of the session it has; none is all of it.
    pub(super) fn narrowed(&self) -> Option<&Narrowed> {
        self.outermost.narrowed.as_deref()
    }

    /// The number of the agent that makes the call, if one of the session's does.
    pub(super) fn agent(&self) -> Option<u64> {
        self.narrowed().map(|narrowed| narrowed.agent)
    }

    /// Tell whoever listens of a step: to the session, and to this call.
    pub(super) fn tell(&self, session: &Inner, event: &Event) {
        let tagged = self.narrowed().map(|narrowed| narrowed.tagged(event));
        let event = tagged.as_ref().unwrap_or(event);
        session.emit(event);
        if let Some(events) = &self.outermost.options.events {
            events(event);
        }
    }

    /// Who makes the calls inside of an attempt of `call`, which this caller makes. `uses_handles` says that the attempt is in a resident
    /// instance; `stage` is its own, if it may have to be undone.
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

    /// As it is, inside of a script, which is shown tables as `tables` says.
    pub(super) fn in_script(self, run: Arc<ScriptRun>, tables: TableResults) -> Caller {
        Caller { has_kept: self.has_kept || run.keeps_state, run: Some(run), tables, ..self }
    }

    /// Hears of the output of a script; none where nobody listens.
    fn listener(&self, session: &Inner, call: CallId) -> Option<Listener> {
        let sinks = [session.events.clone(), self.outermost.options.events.clone()];
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

    /// A run of a script that this caller asks for. Only an outermost one, which keeps no variables, can be run again:
    /// `new_record` is for its first run. Whoever listens hears of its output under the name of `call` of `session`.
    pub(super) fn run(
        &self,
        arguments: &ScriptArguments,
        (session, call): (&Inner, CallId),
        new_record: impl FnOnce() -> Option<Record>,
    ) -> ScriptRun {
        let all = AllowedModules::default();
        let outer = self.run.as_ref().map_or(&all, |run| &run.allowed);
        let record = match &self.outermost.before {
            _ if arguments.keeps_state || self.depth > 0 => None,
            Some(before) => Some(before.again()),
            None => new_record(),
        };
        // The arguments of the program are for the script that it runs, not for those inside of that one.
        let argv = match &record {
            Some(record) if self.outermost.before.is_some() => record.argv.clone(),
            _ if self.depth > 0 => Arc::default(),
            _ => self.outermost.options.arguments.clone(),
        };
        let record = record.map(|record| record.with_argv(argv.clone()));
        let listener = self.listener(session, call);
        ScriptRun {
            output: Output::charged_to(&self.outermost.memory)
                .heard_by(listener)
                .guarded_by(&session.guard()),
            argv,
            line: AtomicU32::new(0),
            allowed: outer.narrowed(arguments.allowed_modules.as_deref()),
            keeps_state: arguments.keeps_state,
            record,
        }
    }
}
