//! Scripts: one run of a program in an engine, from its arguments to its answer.
//!
//! However the script ends, its caller gets what it wrote until then. Knows engines as `capability` shows them; modules are
//! in `modules.rs`, kept instances in `kept.rs`, second runs in `tape.rs`.

use std::sync::{Arc, Mutex, PoisonError};

use super::Inner;
use super::approval::Pending;
use super::call::Caller;
use super::granted::granted_to_script;
use super::modules::{AllowedModules, ModuleHost};
use super::services::CallServices;
use super::tape::{Recorded, Tape};
use crate::capability::{
    Artifact, PreparedScript, ScriptHost, ScriptInstance, ScriptRequest, ScriptState, ScriptValue,
    ServiceError, Services, Uncaught,
};
use crate::document::Document;
use crate::engine::{CallOutput, Recording, StoreCore};
use crate::script::{CalledTool, Captured, Ended, Outcome, Output, ScriptArguments};
use crate::skill::{Engines, Skill, Tool};
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Result};
use mitt_wit::value::{Json, UntypedCall};

/// Names that are tried for a file with the whole output of a script.
const MAX_OUTPUT_FILES: u32 = 1_000;

/// A script whose arguments were checked.
pub(super) struct ScriptCall {
    pub(super) engine: Arc<Skill>,
    pub(super) arguments: ScriptArguments,
    /// The tool and its arguments as they were given, for a second run.
    tool: String,
    text: Option<Arc<str>>,
    resumption: Option<Arc<Resumption>>,
    error: Mutex<Option<Error>>,
}

impl ScriptCall {
    /// Check the arguments of a script.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - they do not fit.
    pub(super) fn new(
        call: UntypedCall<'_>,
        tool: &Tool,
        engines: &Engines,
        text: &str,
        caller: &Caller,
    ) -> Result<ScriptCall> {
        let wants_network = call
            .arguments
            .get("network_access")
            .is_some_and(|wanted| !matches!(wanted, Json::Null) && wanted.as_str() != Some("none"));
        let args = call.check(&tool.function).map_err(|error| match wants_network {
            true => error.hint(
                "a script has no network: no socket is linked into its sandbox; give it what it needs as `inputs` or as documents",
            ),
            false => error,
        })?;
        let arguments = ScriptArguments::of(args.into_args())?;
        let engine = engines
            .named(&arguments.engine)
            .cloned()
            .ok_or_else(|| Error::bug(format!("the engine `{}` is not there", arguments.engine)))?;
        if arguments.keeps_state && caller.has_kept {
            let message = "a script that keeps its variables cannot run another one that does";
            return Err(Error::new(ErrorKind::Arguments, message)
                .hint("leave out `state`, or make the call after the script"));
        }
        Ok(ScriptCall {
            engine,
            arguments,
            tool: tool.name.to_string(),
            // Only the outermost one can be run again.
            text: (caller.depth == 0).then(|| text.into()),
            resumption: caller.resumption.clone(),
            error: Mutex::default(),
        })
    }

    /// What stands for how the script ended, if it did not succeed.
    pub(super) fn take_error(&self) -> Option<Error> {
        self.error.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// A running script, as the calls inside of it see it.
pub(super) struct ScriptRun {
    pub(super) output: Output,
    pub(super) allowed: AllowedModules,
    pub(super) keeps_state: bool,
    record: Option<Record>,
}

/// What a second run needs.
struct Record {
    recording: Recording,
    tape: Arc<Tape>,
    documents: Arc<[Arc<Document>]>,
}

/// What a paused script did before.
pub(super) struct Resumption(Record);

impl ScriptRun {
    /// Of a script that is about to run.
    pub(super) fn new(session: &Inner, script: &ScriptCall, caller: &Caller) -> Arc<ScriptRun> {
        let outer = caller.run.as_ref().map(|run| run.allowed.clone()).unwrap_or_default();
        let arguments = &script.arguments;
        Arc::new(ScriptRun {
            output: Output::charged_to(&caller.memory),
            allowed: outer.narrowed(arguments.allowed_modules.as_deref()),
            keeps_state: arguments.keeps_state,
            record: Record::of(session, script),
        })
    }

    /// Whether it can be run again later, or why not.
    pub(super) fn can_pause(&self) -> Result<(), &'static str> {
        match &self.record {
            Some(record) if record.tape.is_whole() && record.recording.is_whole() => Ok(()),
            Some(_) => Err(
                "the script has read too much to be run again after a pause; make the call earlier, or approve it while the \
                 script runs",
            ),
            None => Err(
                "a script that keeps its variables cannot be run again after a pause; use `one-shot`, or approve the call while \
                 the script runs",
            ),
        }
    }
}

impl Record {
    /// None where nothing can make the script pause, or nothing could run it again.
    fn of(session: &Inner, script: &ScriptCall) -> Option<Record> {
        if script.arguments.keeps_state || script.text.is_none() {
            return None;
        }
        if let Some(Resumption(before)) = script.resumption.as_deref() {
            return Some(before.again());
        }
        if !session.registry().has_destructive() {
            return None;
        }
        Some(Record {
            recording: Recording::new(session.host.environment()).ok()?,
            tape: Arc::new(Tape::new(&session.budget.account)),
            documents: session.documents().into(),
        })
    }

    fn again(&self) -> Record {
        Record {
            recording: self.recording.again(),
            tape: Arc::new(self.tape.rewound()),
            documents: self.documents.clone(),
        }
    }
}

impl Inner {
    /// Run a script once.
    pub(super) async fn attempt_script(
        self: &Arc<Inner>,
        script: &ScriptCall,
        limits: &CallLimits,
        services: Arc<CallServices>,
    ) -> CallOutput<Json> {
        let Some(run) = services.inside.run.clone() else {
            return CallOutput::failed(Error::bug("a script runs without a record"));
        };
        // Outside of the script's clock: compiling an engine takes longer than a script may.
        let engine = match script.engine.prepared_script().await {
            Ok(engine) => engine.clone(),
            Err(error) => return CallOutput::failed(error),
        };
        let (given, host) = self.given(script, &run, &services);
        let request = ScriptRequest {
            code: script.arguments.code.clone(),
            inputs: script.arguments.inputs.clone(),
            allowed_modules: run.allowed.names(),
        };
        let output = match run.keeps_state {
            true => {
                let state = (given, host);
                match self
                    .run_kept(&script.engine, &engine, limits, state, &services, request)
                    .await
                {
                    Ok(output) => output,
                    Err(error) => return CallOutput::failed(error),
                }
            }
            false => {
                let recording = run.record.as_ref().map(|record| &record.recording);
                let core = StoreCore::recorded(limits, self.host.environment(), recording)
                    .charged_to(&services.inside.memory);
                let mut instance = engine.resident(ScriptState::new(core, given, host), limits);
                instance.resident_mut().set_clock(services.clock());
                instance.run(request).await
                // The store ends here, before anything is decided about how the script ended.
            }
        };
        self.answered(script, &run, &services, output)
    }

    /// What a script may ask of its session.
    fn given(
        self: &Arc<Inner>,
        script: &ScriptCall,
        run: &Arc<ScriptRun>,
        services: &Arc<CallServices>,
    ) -> (Arc<dyn Services>, Arc<dyn ScriptHost>) {
        let own: Arc<dyn Services> = services.clone();
        let bounded = granted_to_script(own, &script.engine.manifest().bounds, &run.allowed);
        let given = match &run.record {
            None => bounded,
            Some(record) => Arc::new(Recorded::new(
                bounded,
                services.clone(),
                record.tape.clone(),
                record.documents.clone(),
            )),
        };
        let host = ModuleHost {
            session: self.clone(),
            run: run.clone(),
            registry: self.registry(),
            engine: script.engine.clone(),
            clock: services.clock().unwrap_or_else(|| crate::engine::CallClock::inside(None)),
        };
        (given, Arc::new(host))
    }

    /// The answer of a script that ran, however it ended.
    fn answered(
        &self,
        script: &ScriptCall,
        run: &ScriptRun,
        services: &CallServices,
        output: CallOutput<Result<ScriptValue, Uncaught>>,
    ) -> CallOutput<Json> {
        let CallOutput { result, usage, printed } = output;
        let diverged = run.record.as_ref().and_then(|record| record.tape.divergence());
        let mut ended = match (diverged, result) {
            (Some(error), _) | (None, Err(error)) => Ended::Stopped(error),
            (None, Ok(Ok(ScriptValue::Nothing))) => Ended::Value(None),
            (None, Ok(Ok(ScriptValue::Json(text)))) => Ended::Value(Some(Ok(text))),
            (None, Ok(Ok(ScriptValue::Repr(text)))) => Ended::Value(Some(Err(text))),
            (None, Ok(Err(it))) => Ended::Uncaught {
                class: it.class,
                message: it.message,
                traceback: it.traceback,
                line: it.line,
                column: it.column,
            },
        };
        let approval = self.paused_script(script, run, services, &ended).unwrap_or_else(|error| {
            ended = Ended::Stopped(error);
            None
        });
        let language = script.engine.manifest().script().map_or("script", |it| &it.language);
        let (stdout, is_out_cut, stdout_file) =
            self.kept_output(language, "stdout", &mut run.output.stdout(), approval.is_some());
        let (stderr, is_err_cut, stderr_file) =
            self.kept_output(language, "stderr", &mut run.output.stderr(), approval.is_some());
        let called: Vec<CalledTool> =
            services.called_since(0).into_iter().map(|(called, _)| called).collect();
        let (json, error) = Outcome {
            ended,
            stdout,
            stderr,
            is_truncated: is_out_cut || is_err_cut,
            stdout_file,
            stderr_file,
            duration: usage.duration,
            fuel: usage.fuel,
            peak_memory_bytes: usage.peak_memory_bytes,
            artifacts: services.artifacts().iter().map(artifact_json).collect(),
            calls: called,
            approval,
        }
        .finish();
        *script.error.lock().unwrap_or_else(PoisonError::into_inner) = error;
        CallOutput { result: Ok(json), usage, printed }
    }

    /// Keep what a second run needs, if the script was paused; gives what it waits for.
    ///
    /// # Errors
    ///
    /// There is no memory to keep it: it does not wait.
    fn paused_script(
        &self,
        script: &ScriptCall,
        run: &ScriptRun,
        services: &CallServices,
        ended: &Ended,
    ) -> Result<Option<Json>> {
        match ended {
            Ended::Stopped(error) if *error.kind() == ErrorKind::Paused => {}
            _ => return Ok(None),
        }
        let mut paused = services.inside.paused.lock().unwrap_or_else(PoisonError::into_inner);
        let (Some(request), Some(record), Some(text)) =
            (paused.clone(), run.record.as_ref(), script.text.as_ref())
        else {
            return Ok(None);
        };
        let pending = Pending {
            request: request.clone(),
            tool: script.tool.clone(),
            arguments: text.to_string(),
            resumption: Some(Resumption(record.again())),
        };
        if let Err(error) = self.pending.add(pending, &self.budget.account) {
            *paused = None;
            return Err(error);
        }
        Ok(Some(request.to_json()))
    }

    /// The part of a stream that goes into the answer, whether something was cut, and the file with all of it.
    fn kept_output(
        &self,
        language: &str,
        stream: &str,
        captured: &mut Captured,
        is_paused: bool,
    ) -> (String, bool, Option<String>) {
        let (kept, is_cut) = (captured.kept(), captured.is_cut());
        // The second run writes everything again.
        let whole = if is_paused { None } else { captured.take_whole() };
        let file = whole.and_then(|whole| self.output_file(language, stream, whole));
        (kept, is_cut, file)
    }

    /// Write a whole output to the workspace under a name of its own, if it fits there.
    fn output_file(&self, language: &str, stream: &str, whole: String) -> Option<String> {
        self.workspace(|workspace| {
            let names =
                (1..=MAX_OUTPUT_FILES).map(|number| format!("{language}-{stream}-{number}.txt"));
            let taken = workspace.list();
            let is_free = |name: &String| !taken.iter().any(|(other, _)| other == name);
            let name = names.into_iter().find(is_free)?;
            let written: Result<(), ServiceError> = workspace.write(&name, whole.into_bytes());
            written.is_ok().then_some(name)
        })
    }
}

fn artifact_json(artifact: &Artifact) -> Json {
    Json::object([
        ("name", Json::from(artifact.name.as_str())),
        ("media_type", artifact.media_type.as_str().into()),
        ("size", artifact.size.into()),
        ("sha256", artifact.sha256.as_str().into()),
    ])
}

/// A new instance for scripts that keep their variables.
pub(super) fn fresh(
    session: &Inner,
    skill: &Skill,
    engine: &PreparedScript,
    (services, host): (Arc<dyn Services>, Arc<dyn ScriptHost>),
) -> ScriptInstance {
    // The instance serves further scripts, whose timeouts may be longer: the limits are those of the skill.
    let limits = session.host.limits_of(&skill.manifest().limits);
    // The instance outlives the call: its memory is charged to the session.
    let core =
        StoreCore::new(&limits, session.host.environment()).charged_to(&session.budget.account);
    engine.resident(ScriptState::new(core, services, host), &limits)
}
