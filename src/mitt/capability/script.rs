//! Script engines: source text in, a value or an exception out; the host interfaces that the engine's skill is granted, and
//! `script-host`, which no other plugin has.

use std::sync::Arc;

use async_trait::async_trait;
use wasmtime::component::{HasData, Linker};

use super::bindings::{self, ScriptEngine, script};
use super::{
    CallState, Capability, Parameter, SCRIPT_HOST, Services, check_import, convert, host_interface,
    link,
};
use crate::engine::{CallOutput, Engine, Plugin, Prepared, Resident, StoreCore, StoreData};
use mitt_base::limits::CallLimits;
use mitt_base::{Error, ErrorKind, Result};

/// The interface that every engine exports.
const SCRIPT: &str = "mitt:host/script@0.1.0";

/// Where a script writes to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum ScriptStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// A skill, as a module of scripts.
#[derive(Debug, Default)]
pub(crate) struct ScriptModule {
    /// Sorted by name.
    pub(crate) functions: Vec<ScriptFunction>,
    /// Name below the module and source text, sorted by name.
    pub(crate) helpers: Arc<[(String, String)]>,
}

impl ScriptModule {
    /// This module, with the functions of these tools only.
    pub(crate) fn only(&self, is_granted: impl Fn(&str) -> bool) -> ScriptModule {
        let functions = self.functions.iter().filter(|function| is_granted(&function.tool));
        ScriptModule { functions: functions.cloned().collect(), helpers: self.helpers.clone() }
    }
}

/// A tool, as a function of a module.
#[derive(Clone, Debug)]
pub(crate) struct ScriptFunction {
    /// Name in the module.
    pub(crate) name: String,
    /// The tool behind it.
    pub(crate) tool: String,
    pub(crate) description: String,
    pub(crate) parameters: Vec<Parameter>,
}

/// A script, as its engine gets it.
#[derive(Clone, Debug, Default)]
pub(crate) struct ScriptRequest {
    pub(crate) code: String,
    /// A JSON object as text.
    pub(crate) inputs: Option<String>,
    pub(crate) allowed_modules: Option<Vec<String>>,
}

/// The value of a script.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ScriptValue {
    Nothing,
    /// JSON text, as the engine gave it.
    Json(String),
    Repr(String),
}

/// An exception that the script did not catch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Uncaught {
    pub(crate) class: String,
    pub(crate) message: String,
    pub(crate) traceback: String,
    pub(crate) line: Option<u32>,
    pub(crate) column: Option<u32>,
}

/// What the host gives to a script beyond what tools get.
#[async_trait]
pub(crate) trait ScriptHost: Send + Sync + 'static {
    /// Keep output.
    fn write(&self, stream: ScriptStream, text: &str);

    /// Names of the modules that are skills, sorted.
    fn modules(&self) -> Vec<String>;

    /// What a module has; none when there is no such skill.
    async fn load_module(&self, name: &str) -> Result<Option<Arc<ScriptModule>>>;
}

/// Data of a store in which a script runs.
pub(crate) struct ScriptState {
    call: CallState,
    pub(super) host: Arc<dyn ScriptHost>,
}

impl ScriptState {
    pub(crate) fn new(
        core: StoreCore,
        services: Arc<dyn Services>,
        host: Arc<dyn ScriptHost>,
    ) -> ScriptState {
        ScriptState { call: CallState::new(core, services), host }
    }

    /// Use the services of another script from now on.
    pub(crate) fn serve(&mut self, services: Arc<dyn Services>, host: Arc<dyn ScriptHost>) {
        self.call.serve(services);
        self.host = host;
    }
}

impl StoreData for ScriptState {
    fn core(&mut self) -> &mut StoreCore {
        self.call.core()
    }
}

impl HasData for ScriptState {
    type Data<'a> = &'a mut ScriptState;
}

/// A script engine whose imports are resolved. A cheap handle.
#[derive(Clone)]
pub(crate) struct PreparedScript {
    prepared: Prepared<ScriptState>,
}

impl PreparedScript {
    /// Resolve an engine's imports: what its skill grants, and `script-host`.
    ///
    /// # Errors
    ///
    /// As [`prepare`](super::prepare), and [`ErrorKind::Load`] - it exports no `mitt:host/script`.
    pub(crate) fn new(
        engine: &Engine,
        plugin: &Plugin,
        grants: &[Capability],
    ) -> Result<PreparedScript> {
        let exports = |name: &str| plugin.interface().function(Some(SCRIPT), name).is_some();
        if !["run", "dump", "load"].into_iter().all(exports) {
            let message =
                format!("an engine of scripts exports `{SCRIPT}`, and the plugin does not");
            return Err(Error::new(ErrorKind::Load, message)
                .hint("build it for the world `mitt:host/script-engine`, or leave out `script` in `skill.yaml`"));
        }
        let needs = plugin.needs();
        let needs = needs.iter().filter(|import| host_interface(import) != Some(SCRIPT_HOST));
        needs.into_iter().try_for_each(|import| check_import(import, grants))?;
        let prepared = engine.prepare(plugin, |linker: &mut Linker<ScriptState>| {
            link(linker, grants, |state: &mut ScriptState| &mut state.call)?;
            bindings::script_host::add_to_linker::<ScriptState, ScriptState>(linker, |state| state)
        })?;
        Ok(PreparedScript { prepared })
    }

    /// A store for one instance, which is made by the first script in it.
    pub(crate) fn resident(&self, state: ScriptState, limits: &CallLimits) -> ScriptInstance {
        ScriptInstance { resident: self.prepared.resident(state, limits) }
    }

    /// Make an instance and drop it.
    pub(crate) async fn instantiate(&self, state: ScriptState, limits: &CallLimits) -> Result<()> {
        self.prepared.enter(state, limits, |_, _| Box::pin(async { Ok(()) })).await.result
    }
}

/// A store with an instance of an engine, in which scripts run one after the other. After one that ended the store with
/// an error nothing may run in it any more.
pub(crate) struct ScriptInstance {
    resident: Resident<ScriptState>,
}

impl ScriptInstance {
    /// Whether this is an instance of the same component.
    pub(crate) fn is_of(&self, engine: &PreparedScript) -> bool {
        self.resident.is_of(&engine.prepared)
    }

    /// The store, for what is set before a call.
    pub(crate) fn resident_mut(&mut self) -> &mut Resident<ScriptState> {
        &mut self.resident
    }

    /// Run a script.
    pub(crate) async fn run(
        &mut self,
        request: ScriptRequest,
    ) -> CallOutput<Result<ScriptValue, Uncaught>> {
        let request = script::Request {
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

    /// The variables that scripts left. The inner error is the engine's.
    pub(crate) async fn dump(&mut self) -> CallOutput<Result<Vec<u8>, String>> {
        self.resident
            .enter(|store, instance| {
                Box::pin(async move {
                    let engine = ScriptEngine::new(&mut *store, &instance)?;
                    let dumped = engine.mitt_host_script().call_dump(&mut *store).await?;
                    Ok(dumped.map_err(convert::error_text))
                })
            })
            .await
    }

    /// Take over what [`ScriptInstance::dump`] gave.
    pub(crate) async fn load(&mut self, state: Vec<u8>) -> CallOutput<Result<(), String>> {
        self.resident
            .enter(move |store, instance| {
                Box::pin(async move {
                    let engine = ScriptEngine::new(&mut *store, &instance)?;
                    let loaded = engine.mitt_host_script().call_load(&mut *store, &state).await?;
                    Ok(loaded.map_err(convert::error_text))
                })
            })
            .await
    }
}

fn value(value: script::Value) -> ScriptValue {
    match value {
        script::Value::Nothing => ScriptValue::Nothing,
        script::Value::Json(text) => ScriptValue::Json(text),
        script::Value::Repr(text) => ScriptValue::Repr(text),
    }
}

fn uncaught(uncaught: script::Uncaught) -> Uncaught {
    let script::Uncaught { class, message, traceback, line, column } = uncaught;
    Uncaught { class, message, traceback, line, column }
}
