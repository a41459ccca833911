//! Host functions of script engines in addition to their grants: output, and the session's skills as modules.

use std::sync::Arc;

use futures_util::future::BoxFuture;
use mitt_contract::script::mitt::host::script_host as wit;
use wasmtime::component::Linker;

use super::shared::Nobody;
use super::tools::Parameter;
use mitt_base::Result;
use mitt_engine::StoreData;

/// Host functions for scripts that tools do not have.
pub trait ScriptHost: Send + Sync + 'static {
    /// Writes output. An error ends the script.
    fn write(&self, stream: ScriptStream, text: &str) -> Result<()>;

    /// Records the line of the script that is running, from 1.
    fn at(&self, line: u32);

    /// Returns `sys.argv[1:]`.
    fn arguments(&self) -> Vec<String>;

    /// Returns the names of the modules that are skills, sorted.
    fn modules(&self) -> Vec<String>;

    /// Returns a module; `None` if there is no such skill.
    fn load_module<'a>(&'a self, name: &'a str)
    -> BoxFuture<'a, Result<Option<Arc<ScriptModule>>>>;
}

/// Output stream of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ScriptStream {
    /// Standard output.
    Stdout,
    /// Standard error.
    Stderr,
}

/// Skill as a module of scripts.
#[derive(Debug, Default)]
pub struct ScriptModule {
    /// Functions, sorted by name.
    pub functions: Vec<ScriptFunction>,
    /// Names below the module and source texts, sorted by name.
    pub helpers: Arc<[(String, String)]>,
}

impl ScriptModule {
    /// Returns this module with the functions of the granted tools only.
    pub fn only(&self, is_granted: impl Fn(&str) -> bool) -> ScriptModule {
        let functions = self.functions.iter().filter(|function| is_granted(&function.tool));
        ScriptModule { functions: functions.cloned().collect(), helpers: self.helpers.clone() }
    }
}

/// Tool as a function of a module.
#[derive(Clone, Debug)]
pub struct ScriptFunction {
    /// Name in the module.
    pub name: String,
    /// Name of the tool.
    pub tool: String,
    /// Documentation for `help()`.
    pub description: String,
    /// Parameters of the function.
    pub parameters: Vec<Parameter>,
}

impl ScriptHost for Nobody {
    fn write(&self, _: ScriptStream, _: &str) -> Result<()> {
        Ok(())
    }

    fn at(&self, _: u32) {}

    fn arguments(&self) -> Vec<String> {
        Vec::new()
    }

    fn modules(&self) -> Vec<String> {
        Vec::new()
    }

    fn load_module<'a>(&'a self, _: &'a str) -> BoxFuture<'a, Result<Option<Arc<ScriptModule>>>> {
        Box::pin(async move { Ok(None) })
    }
}

/// The session, for the functions that plugins call.
pub(super) type ScriptEngineHost = super::shared::ServiceHost<dyn ScriptHost>;

/// Links the interface. `host_getter` finds the session in a store's data.
pub(super) fn link<T: StoreData>(
    linker: &mut Linker<T>,
    host_getter: fn(&mut T) -> ScriptEngineHost,
) -> wasmtime::Result<()> {
    wit::add_to_linker::<T, ScriptEngineHost>(linker, host_getter)
}

impl wit::Host for ScriptEngineHost {
    async fn write(&mut self, stream: wit::Stream, text: String) -> wasmtime::Result<()> {
        let stream = match stream {
            wit::Stream::Stdout => ScriptStream::Stdout,
            wit::Stream::Stderr => ScriptStream::Stderr,
        };
        Ok(self.0.write(stream, &text)?)
    }

    async fn at(&mut self, line: u32) -> wasmtime::Result<()> {
        self.0.at(line);
        Ok(())
    }

    async fn arguments(&mut self) -> wasmtime::Result<Vec<String>> {
        Ok(self.0.arguments())
    }

    async fn modules(&mut self) -> wasmtime::Result<Vec<String>> {
        Ok(self.0.modules())
    }

    async fn load_module(&mut self, name: String) -> wasmtime::Result<Option<wit::Module>> {
        Ok(self.0.load_module(&name).await?.map(|module| module.to_wit()))
    }
}

impl ScriptModule {
    fn to_wit(&self) -> wit::Module {
        let function = |function: &ScriptFunction| wit::Function {
            name: function.name.clone(),
            tool: function.tool.clone(),
            description: function.description.clone(),
            parameters: function.parameters.iter().cloned().map(Parameter::into_wit).collect(),
        };
        let helper = |(name, source): &(String, String)| wit::Helper {
            name: name.clone(),
            source: source.clone(),
        };
        wit::Module {
            functions: self.functions.iter().map(function).collect(),
            helpers: self.helpers.iter().map(helper).collect(),
        }
    }
}
