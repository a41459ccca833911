//! Scripts: one run of a program in an engine, from its checked arguments to its result.
//!
//! However the script ends, its caller receives the output up to then. Knows engines as `capability` defines them. What a script
//! may access is in `script/recorded_services.rs` and `script_modules.rs`, kept instances are in `script/variables.rs`, second
//! runs in `script/tape.rs`.

use std::sync::Arc;

use super::super::approval::Pending;
use super::super::compile_progress::CompileProgress;
use super::super::event::Event;
use super::super::script::{Record, RecordedServices, ScriptRun, granted_to_script};
use super::inner::Inner;
use super::retries::AttemptResult;
use super::script_call::ScriptCall;
use super::script_modules::ModuleHost;
use super::services::{AttemptContext, CallServices};
use crate::engine::{CallOutput, Recording, StoreCore};
use crate::script::{CalledTool, Captured, Ended, Line, Outcome};
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Result};
use mitt_skill::{
    RegistryInternal as _, SkillInternal as _, Tool,
    capability::{
        Artifact, CallContext, CallContextInternal as _, ScriptRequest, ScriptValue, ServiceError,
        Services, Uncaught,
    },
};
use mitt_wit::value::Json;

/// Most names that are tried for a file with the whole output of a script.
const MAX_OUTPUT_FILES: u32 = 1_000;

/// How the engine ended a script.
type EngineOutput = CallOutput<Result<ScriptValue, Uncaught>>;

/// One run of a script: its call, and the state that its inner calls see.
struct ScriptAttempt<'a> {
    tool: &'a Tool,
    script: &'a ScriptCall,
    run: Arc<ScriptRun>,
    services: Arc<CallServices>,
}

impl Inner {
    /// Runs a script once.
    pub(super) async fn attempt_script(
        self: &Arc<Inner>,
        attempt: AttemptContext<'_>,
        script: &ScriptCall,
        limits: &CallLimits,
    ) -> AttemptResult {
        let AttemptContext { call, tool, caller, .. } = attempt;
        let run = Arc::new(
            caller.run(&script.arguments, (&self.context, call), || self.new_record(script)),
        );
        let services = CallServices::of_script(self, attempt, &script.engine, run.clone());
        let script_attempt = ScriptAttempt { tool, script, run, services: Arc::new(services) };
        let (output, script_error) = match self.run_script(&script_attempt, limits).await {
            Ok(output) => self.result_of(&script_attempt, output),
            Err(error) => (CallOutput::failed(error), None),
        };
        let (output, artifacts) = script_attempt.services.end(output);
        AttemptResult { output, artifacts, script_error }
    }

    /// Returns a record for the first run of `script`. `None` if no tool can make it pause, or if it could not be run again.
    fn new_record(&self, script: &ScriptCall) -> Option<Record> {
        let arguments = script.text.clone()?;
        let context = &self.context;
        if !context.registry().has_destructive() {
            return None;
        }
        let recording = Recording::new(context.host().environment()).ok()?;
        Some(Record::new(arguments, recording, self.content.documents(), context.account()))
    }

    /// Runs the script in its engine. The outer error means that it never began.
    async fn run_script(
        self: &Arc<Inner>,
        script_attempt: &ScriptAttempt<'_>,
        limits: &CallLimits,
    ) -> Result<EngineOutput> {
        let ScriptAttempt { script, run, services, .. } = script_attempt;
        // The script's clock stands still: compiling an engine takes longer than a script may.
        let stopped = services.clock().stop();
        let progress =
            CompileProgress::new(Some(services.call()), |event: &Event| services.emit(event));
        let on_compiling =
            |compiling| progress.compiling(&script.engine.manifest().name, compiling);
        let engine = script.engine.prepared_script(&on_compiling).await?.clone();
        progress.ended();
        drop(stopped);
        let given = self.services_of(script_attempt);
        let request = ScriptRequest {
            code: script.arguments.code.clone(),
            inputs: script.arguments.inputs.clone(),
            allowed_modules: run.allowed.names(),
        };
        if run.keeps_state {
            let run = (&**run, services.clock());
            let kept = services.agent_view().map_or(self.scripts.kept(), |view| &view.kept);
            let slot = kept.slot(&script.engine);
            return self
                .scripts
                .run_kept((&script.engine, &slot), &engine, limits, given, run, request)
                .await;
        }
        let recording = run.record.as_ref().map(|record| &record.recording);
        let core = StoreCore::recorded(limits, self.context.host().environment(), recording)
            .charged_to(services.memory());
        let mut instance = engine.resident(CallContext::new(core, given), limits);
        instance.resident_mut().set_clock(Some(script_attempt.services.clock().clone()));
        // The store ends here, before the end of the script is evaluated.
        Ok(instance.run(request).await)
    }

    /// Returns the services of the script.
    fn services_of(self: &Arc<Inner>, script_attempt: &ScriptAttempt<'_>) -> Services {
        let ScriptAttempt { script, run, services, .. } = script_attempt;
        let own = services.session_services();
        let bounded = granted_to_script(own, &script.engine.manifest().bounds, &run.allowed);
        let given = match &run.record {
            None => bounded,
            Some(record) => RecordedServices::services(bounded, services.calls().clone(), record),
        };
        let host = ModuleHost {
            session: self.clone(),
            call: services.call(),
            run: run.clone(),
            registry: services.registry(),
            engine: script.engine.clone(),
            clock: services.clock().clone(),
        };
        Services { script: Arc::new(host), ..given }
    }

    /// Returns the result of a script that ran, however it ended, and its error if it did not succeed.
    fn result_of(
        &self,
        script_attempt: &ScriptAttempt<'_>,
        output: EngineOutput,
    ) -> (CallOutput<Json>, Option<Error>) {
        let ScriptAttempt { script, run, services, .. } = script_attempt;
        let CallOutput { result, usage, printed } = output;
        let diverged = run.record.as_ref().and_then(|record| record.divergence());
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
        match run.output.finish() {
            Ok(hits) => {
                self.guard.note_found(&hits, &format!("output of call {}", services.call().number));
            }
            // A script whose output is blocked cannot continue, however it ended.
            Err(error) => ended = Ended::Stopped(error),
        }
        let approval = self.paused_script(script_attempt, &ended).unwrap_or_else(|error| {
            ended = Ended::Stopped(error);
            None
        });
        let language = script.engine.manifest().script().map_or("script", |it| &it.language);
        let reads_only = services.agent_view().is_some_and(|view| view.reads_only());
        let ended_how = (approval.is_some(), reads_only);
        let (stdout, is_out_cut, stdout_file) =
            self.kept_output(language, "stdout", &mut run.output.stdout(), ended_how);
        let (stderr, is_err_cut, stderr_file) =
            self.kept_output(language, "stderr", &mut run.output.stderr(), ended_how);
        let calls = services.calls();
        let called: Vec<CalledTool> =
            calls.made_since(0).into_iter().map(|(called, _)| called).collect();
        let (json, error) = Outcome {
            ended,
            line: run.line().map(|line| Line::of(&script.arguments.code, line)),
            stdout,
            stderr,
            is_truncated: is_out_cut || is_err_cut,
            stdout_file,
            stderr_file,
            duration: usage.duration,
            fuel: usage.fuel,
            peak_memory_bytes: usage.peak_memory_bytes,
            artifacts: calls.artifacts().iter().map(artifact_json).collect(),
            calls: called,
            approval,
        }
        .finish();
        (CallOutput { result: Ok(json), usage, printed }, error)
    }

    /// Keeps what a second run needs if the script was paused. Returns the request that it waits for.
    ///
    /// # Errors
    ///
    /// There is no memory to keep it, so it does not wait.
    fn paused_script(
        &self,
        script_attempt: &ScriptAttempt<'_>,
        ended: &Ended,
    ) -> Result<Option<Json>> {
        match ended {
            Ended::Stopped(error) if *error.kind() == ErrorKind::Paused => {}
            _ => return Ok(None),
        }
        let root = script_attempt.services.root();
        let (Some(request), Some(record)) = (root.paused(), &script_attempt.run.record) else {
            return Ok(None);
        };
        let pending = Pending {
            call: script_attempt.services.call(),
            request: request.clone(),
            tool: script_attempt.tool.name.to_string(),
            arguments: record.arguments.to_string(),
            before: Some(record.again()),
            agent_view: root.agent_view.clone(),
        };
        if let Err(error) = self.approvals.add(pending) {
            root.set_paused(None);
            return Err(error);
        }
        Ok(Some(request.to_json()))
    }

    /// Returns the part of a stream that goes into the result, whether it was cut, and the file with the whole stream.
    fn kept_output(
        &self,
        language: &str,
        stream: &str,
        captured: &mut Captured,
        (is_paused, reads_only): (bool, bool),
    ) -> (String, bool, Option<String>) {
        let (kept, is_cut) = (captured.kept(), captured.is_cut());
        // The second run writes everything again, and a read-only caller writes no file.
        let is_kept = !is_paused && !reads_only;
        let whole = if is_kept { captured.take_whole() } else { None };
        let file = whole.and_then(|whole| self.output_file(language, stream, whole));
        (kept, is_cut, file)
    }

    /// Writes the whole output to the workspace under a free name, if it fits there.
    fn output_file(&self, language: &str, stream: &str, whole: String) -> Option<String> {
        self.content.workspace(|workspace| {
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
