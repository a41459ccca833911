//! Script engines: source text in, a value or an exception out.

use mitt_contract::script::ScriptEngine;
use mitt_contract::script::exports::mitt::host::script as wit;

use super::context::CallContext;
use super::link::prepare_engine;
use super::name::Capability;
use super::own::OwnCapabilities;
use super::shared::error_text;
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Result};
use mitt_engine::{CallOutput, Engine, Plugin, Prepared, Resident};

/// Interface that every engine exports.
const SCRIPT: &str = "mitt:host/script@0.1.0";

/// Script as its engine receives it.
#[derive(Clone, Debug, Default)]
pub struct ScriptRequest {
    /// The script.
    pub code: String,
    /// JSON object as text.
    pub inputs: Option<String>,
    /// The only modules that it may import; `None` allows all.
    pub allowed_modules: Option<Vec<String>>,
}

/// Value of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ScriptValue {
    /// The script has no value.
    Nothing,
    /// JSON text, as the engine returned it.
    Json(String),
    /// Text that stands for a value that JSON cannot express.
    Repr(String),
}

/// Exception that the script did not catch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Uncaught {
    /// Class of the exception.
    pub class: String,
    /// Its message.
    pub message: String,
    /// Traceback, as the language writes it.
    pub traceback: String,
    /// Line of the script, from 1, if it is known.
    pub line: Option<u32>,
    /// Column of the script, from 1, if it is known.
    pub column: Option<u32>,
}

/// Script engine with resolved imports. A cheap handle.
#[derive(Clone)]
pub struct PreparedScript {
    prepared: Prepared<CallContext>,
}

impl PreparedScript {
    /// Resolves an engine's imports: the grants of its skill, and `script-host`.
    ///
    /// # Errors
    ///
    /// Those of [`prepare`](super::link::prepare), and [`ErrorKind::Load`] - it does not export `mitt:host/script`.
    pub fn new(
        engine: &Engine,
        plugin: &Plugin,
        grants: &[Capability],
        own: &OwnCapabilities,
    ) -> Result<PreparedScript> {
        let exports = |name: &str| plugin.interface().function(Some(SCRIPT), name).is_some();
        if !["run", "dump", "load"].into_iter().all(exports) {
            let message =
                format!("an engine of scripts exports `{SCRIPT}`, and the plugin does not");
            return Err(Error::new(ErrorKind::Load, message)
                .hint("build it for the world `mitt:host/script-engine`, or leave out `script` in `skill.yaml`"));
        }
        let prepared = prepare_engine(engine, plugin, grants, own)?;
        Ok(PreparedScript { prepared })
    }

    /// Returns a store for one instance. The first script in it creates the instance.
    pub fn resident(&self, context: CallContext, limits: &CallLimits) -> ScriptInstance {
        ScriptInstance { resident: self.prepared.resident(context, limits) }
    }

    /// Creates an instance and drops it.
    pub async fn instantiate(&self, context: CallContext, limits: &CallLimits) -> Result<()> {
        self.prepared.enter(context, limits, |_, _| Box::pin(async { Ok(()) })).await.result
    }
}

/// Store with an instance of an engine, in which scripts run one after the other. After an error that ended the store nothing may
/// run in it.
pub struct ScriptInstance {
    resident: Resident<CallContext>,
}

impl ScriptInstance {
    /// Returns whether this is an instance of the same component.
    pub fn is_of(&self, engine: &PreparedScript) -> bool {
        self.resident.is_of(&engine.prepared)
    }

    /// Returns the store, for settings before a call.
    pub fn resident_mut(&mut self) -> &mut Resident<CallContext> {
        &mut self.resident
    }

    /// Runs a script.
    pub async fn run(
        &mut self,
        request: ScriptRequest,
    ) -> CallOutput<Result<ScriptValue, Uncaught>> {
        let request = wit::Request {
            code: request.code,
            inputs: request.inputs,
            allowed_modules: request.allowed_modules,
        };
        self.resident
            .enter(move |store, instance| {
                Box::pin(async move {
                    let engine = ScriptEngine::new(&mut *store, &instance)?;
                    let ran = engine.mitt_host_script().call_run(&mut *store, &request).await?;
                    Ok(ran.map(value).map_err(uncaught))
                })
            })
            .await
    }

    /// Returns the variables that scripts left. The inner error is the engine's.
    pub async fn dump(&mut self) -> CallOutput<Result<Vec<u8>, String>> {
        self.resident
            .enter(|store, instance| {
                Box::pin(async move {
                    let engine = ScriptEngine::new(&mut *store, &instance)?;
                    let dumped = engine.mitt_host_script().call_dump(&mut *store).await?;
                    Ok(dumped.map_err(error_text))
                })
            })
            .await
    }

    /// Restores variables from [`ScriptInstance::dump`].
    pub async fn load(&mut self, state: Vec<u8>) -> CallOutput<Result<(), String>> {
        self.resident
            .enter(move |store, instance| {
                Box::pin(async move {
                    let engine = ScriptEngine::new(&mut *store, &instance)?;
                    let loaded = engine.mitt_host_script().call_load(&mut *store, &state).await?;
                    Ok(loaded.map_err(error_text))
                })
            })
            .await
    }
}

fn value(value: wit::Value) -> ScriptValue {
    match value {
        wit::Value::Nothing => ScriptValue::Nothing,
        wit::Value::Json(text) => ScriptValue::Json(text),
        wit::Value::Repr(text) => ScriptValue::Repr(text),
    }
}

fn uncaught(uncaught: wit::Uncaught) -> Uncaught {
    let wit::Uncaught { class, message, traceback, line, column } = uncaught;
    Uncaught { class, message, traceback, line, column }
}
