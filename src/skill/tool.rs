//! Tools: what a name that a model calls refers to, and what a call of it runs.
//!
//! Knows one skill, one language or one tool of the embedder at a time; the registry knows the others.

use std::sync::{Arc, LazyLock};

#[cfg(feature = "extism")]
use super::contract::Contracted;
use super::engines::Engines;
use super::host_tool::RegisteredTool;
use super::toolbox::ToolFunction;
use super::{Skill, ToolName, ToolPolicy, to_snake};
use crate::capability::{
    CallContext, CallContextInternal as _, Capability, Parameter, PreparedReader, Services,
};
use mitt_base::Result;
use mitt_base::limits::CallLimits;
use mitt_engine::{Environment, StoreCore};
use mitt_wit::value::{Field, Function, Skipped};

/// Tool that is ready to be called. A cheap handle.
#[derive(Clone)]
pub struct Tool {
    /// Name of the tool.
    pub name: ToolName,
    /// Parameters, result and documentation.
    pub function: Arc<Function>,
    pub(crate) runs: Runs,
    /// `true` if its calls need the instance that the session keeps for the skill.
    pub(crate) uses_handles: bool,
    /// `true` if its result contains handles.
    pub(crate) gives_handles: bool,
    /// Contract of a function of an Extism plug-in.
    #[cfg(feature = "extism")]
    pub(crate) contract: Option<Arc<Contracted>>,
    policy: Option<Arc<ToolPolicy>>,
}

/// What a call of a tool runs.
#[derive(Clone)]
pub enum Runs {
    /// A function of a skill's plugin, which is loaded for the first call.
    Plugin(Arc<Skill>),
    /// A script, in one of these engines.
    Script(Arc<Engines>),
    /// Code of the embedder.
    Host(Arc<RegisteredTool>),
}

impl Tool {
    /// Returns the tool that runs scripts in `engines`.
    pub(super) fn of_engines(engines: &Arc<Engines>) -> Tool {
        Tool {
            name: engines.name.clone(),
            function: engines.function.clone(),
            runs: Runs::Script(engines.clone()),
            uses_handles: false,
            gives_handles: false,
            #[cfg(feature = "extism")]
            contract: None,
            policy: Some(engines.policy.clone()),
        }
    }

    /// Returns a tool of the embedder.
    pub(super) fn of_host(registered: &Arc<RegisteredTool>) -> Tool {
        let described = &registered.described;
        Tool {
            name: described.name.clone(),
            function: described.function.clone(),
            runs: Runs::Host(registered.clone()),
            uses_handles: false,
            gives_handles: false,
            #[cfg(feature = "extism")]
            contract: None,
            policy: Some(described.policy.clone()),
        }
    }

    /// Returns the skill of the tool; for the tool that runs scripts, the default engine. `None` for a tool of the embedder.
    pub fn skill(&self) -> Option<&Arc<Skill>> {
        match &self.runs {
            Runs::Plugin(skill) => Some(skill),
            Runs::Script(engines) => Some(engines.first()),
            Runs::Host(_) => None,
        }
    }

    /// Returns the name of the skill in kebab case; for a tool of the embedder, the prefix of its name.
    pub fn owner(&self) -> &str {
        self.skill().map_or(self.name.skill(), |skill| &skill.manifest().name)
    }

    /// Returns the limits of one attempt, as its skill or the embedder sets them.
    pub fn limits(&self) -> &CallLimits {
        match &self.runs {
            Runs::Plugin(skill) => &skill.manifest().limits,
            Runs::Script(engines) => &engines.first().manifest().limits,
            Runs::Host(registered) => &registered.described.limits,
        }
    }

    /// Returns whether a call can change something in the session. A plugin without a grant for that can only read.
    pub fn can_change(&self) -> bool {
        let changes = |grant: &Capability| match grant {
            Capability::Catalog | Capability::Documents | Capability::Log | Capability::Tables => {
                false
            }
            // The effects of an embedder's capability are unknown.
            Capability::Fetch
            | Capability::Files
            | Capability::Render
            | Capability::Signing
            | Capability::Tools
            | Capability::Workspace
            | Capability::Own(_) => true,
        };
        self.uses_handles
            || self.skill().is_none_or(|skill| skill.manifest().grants.iter().any(changes))
    }

    /// Returns whether a call can have an effect outside of the session that a second call would repeat: the tool is neither
    /// `readOnly` nor `idempotent`, and is code of the embedder, or a plugin with the network or a capability of the embedder. A
    /// `destructive` tool that can change anything counts even if it is idempotent, because what it removes may be new. Delivered
    /// files, tables and the workspace belong to the session. A script has the effects of its calls.
    pub fn has_lasting_effect(&self) -> bool {
        let policy = self.policy();
        if policy.read_only || !self.can_change() {
            return false;
        }
        let reaches_out = |skill: &Skill| {
            let mut grants = skill.manifest().grants.iter();
            grants.any(|grant| matches!(grant, Capability::Fetch | Capability::Own(_)))
        };
        policy.destructive
            || !policy.idempotent
                && match &self.runs {
                    Runs::Plugin(skill) => reaches_out(skill),
                    Runs::Script(engines) => engines.all().any(|skill| reaches_out(skill)),
                    Runs::Host(_) => true,
                }
    }

    /// Returns the name of the server, for a tool of another MCP server.
    pub fn server(&self) -> Option<&str> {
        match &self.runs {
            Runs::Host(registered) => registered.described.server.as_deref(),
            Runs::Plugin(..) | Runs::Script(_) => None,
        }
    }

    /// Returns the agents that the tool is restricted to; `None` if it is not restricted.
    pub fn agents(&self) -> Option<&[String]> {
        match &self.runs {
            Runs::Host(registered) => registered.described.agents.as_deref(),
            Runs::Plugin(..) | Runs::Script(_) => None,
        }
    }

    /// Returns whether only models and users may call it, not plugins and scripts.
    pub fn is_for_models_only(&self) -> bool {
        matches!(&self.runs, Runs::Host(registered) if registered.described.is_for_models_only)
    }

    /// Returns its policy: the settings in `skill.yaml`, or the default.
    pub fn policy(&self) -> &ToolPolicy {
        static DEFAULT: LazyLock<ToolPolicy> = LazyLock::new(ToolPolicy::default);

        self.policy.as_deref().unwrap_or(&DEFAULT)
    }

    /// Creates an instance of its plugin and drops it, to measure the cost of instantiation.
    ///
    /// # Errors
    ///
    /// The errors of a call that reaches a limit or traps while it starts.
    pub async fn instantiate(&self) -> Result<()> {
        let limits = self.limits();
        let core = StoreCore::new(limits, &Environment::default());
        let state = CallContext::new(core, Services::none());
        match &self.runs {
            Runs::Plugin(skill) => {
                let prepared = skill.prepared_tools(&|_| ()).await?;
                prepared.enter(state, limits, |_, _| Box::pin(async { Ok(()) })).await.result
            }
            Runs::Script(engines) => {
                engines.first().prepared_script(&|_| ()).await?.instantiate(state, limits).await
            }
            // There is no plugin to instantiate.
            Runs::Host(_) => Ok(()),
        }
    }
}

/// Methods of [`Tool`] for Mitt's own crates.
pub trait ToolInternal {
    /// Returns the tool's own limit for the length of its arguments in bytes of JSON.
    fn arguments_bytes(&self) -> Option<u64>;

    /// Returns the version of the code that it runs.
    fn version(&self) -> &str;

    /// Returns the hash that an approval of a call is bound to: of the code that would run, and its settings.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::component`].
    fn fingerprint(&self) -> Result<blake3::Hash>;

    /// Returns its parameters as they are described to plugins.
    fn parameters(&self) -> Vec<Parameter>;

    /// Returns `true` if a call signs with a key of the operator: the tool is `destructive`, and its skill has the grant `signing`.
    fn needs_signing_key(&self) -> bool;

    /// Returns what a call of it runs.
    fn runs(&self) -> &Runs;

    /// Returns `true` if its calls need the instance that the session keeps for the skill.
    fn uses_handles(&self) -> bool;

    /// Returns `true` if its result contains handles.
    fn gives_handles(&self) -> bool;

    /// Returns the contract of a function of an Extism plug-in; `None` for any other tool.
    #[cfg(feature = "extism")]
    fn contract(&self) -> Option<&Arc<Contracted>>;
}

impl ToolInternal for Tool {
    fn arguments_bytes(&self) -> Option<u64> {
        match &self.runs {
            Runs::Host(registered) => registered.described.arguments_bytes,
            Runs::Plugin(..) | Runs::Script(_) => None,
        }
    }

    fn version(&self) -> &str {
        self.skill().map_or(env!("CARGO_PKG_VERSION"), |skill| &skill.manifest().version)
    }

    fn fingerprint(&self) -> Result<blake3::Hash> {
        let mut fingerprint = blake3::Hasher::new();
        match self.skill() {
            Some(skill) => {
                fingerprint.update(skill.component_digest()?.as_bytes());
                fingerprint.update(skill.manifest_text().as_bytes());
                fingerprint.update(skill.contracts_text().as_bytes());
            }
            // The tool is part of the program.
            None => {
                fingerprint.update(self.name.as_str().as_bytes());
            }
        }
        Ok(fingerprint.finalize())
    }

    fn parameters(&self) -> Vec<Parameter> {
        let parameter = |param: &Field| Parameter {
            name: to_snake(&param.name),
            ty: param.ty.to_string(),
            required: param.required(),
        };
        self.function.params.iter().map(parameter).collect()
    }

    fn needs_signing_key(&self) -> bool {
        let is_granted = match &self.runs {
            Runs::Plugin(skill) => skill.manifest().grants.contains(&Capability::Signing),
            Runs::Script(_) | Runs::Host(_) => false,
        };
        is_granted && self.policy().destructive
    }

    fn runs(&self) -> &Runs {
        &self.runs
    }

    fn uses_handles(&self) -> bool {
        self.uses_handles
    }

    fn gives_handles(&self) -> bool {
        self.gives_handles
    }

    #[cfg(feature = "extism")]
    fn contract(&self) -> Option<&Arc<Contracted>> {
        self.contract.as_ref()
    }
}

impl Skill {
    fn made(self: &Arc<Skill>, entry: &ToolFunction) -> Tool {
        Tool {
            name: entry.name.clone(),
            function: entry.function.clone(),
            runs: Runs::Plugin(self.clone()),
            uses_handles: entry.uses_handles,
            gives_handles: entry.gives_handles,
            #[cfg(feature = "extism")]
            contract: entry.contract.clone(),
            policy: entry.policy.clone(),
        }
    }

    /// Returns the skill's tools, sorted by name; empty for a reader or a script engine. Compiles nothing.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`](mitt_base::ErrorKind::Load) - the component cannot be read, its interface contains no valid tools, or
    /// `skill.yaml` has an invalid setting for one. [`ErrorKind::Denied`](mitt_base::ErrorKind::Denied) - it imports something
    /// that the manifest does not grant.
    pub async fn tools(self: &Arc<Skill>) -> Result<Vec<Tool>> {
        let Some(toolbox) = self.toolbox().await? else { return Ok(Vec::new()) };
        Ok(toolbox.tools.iter().map(|entry| self.made(entry)).collect())
    }

    /// Returns the tool of this name, without making the others.
    pub(super) async fn tool(self: &Arc<Skill>, name: &str) -> Result<Option<Tool>> {
        let Some(toolbox) = self.toolbox().await? else { return Ok(None) };
        let tools = &toolbox.tools;
        let found = tools.binary_search_by(|entry| entry.name.as_str().cmp(name));
        Ok(found.ok().map(|index| self.made(&tools[index])))
    }

    /// Returns the exported functions that are not tools, and the reasons; empty for a reader or a script engine.
    ///
    /// # Errors
    ///
    /// Those of [`Skill::tools`].
    pub async fn skipped(self: &Arc<Skill>) -> Result<Vec<Skipped>> {
        let toolbox = self.toolbox().await?;
        Ok(toolbox.map_or_else(Vec::new, |toolbox| toolbox.skipped.clone()))
    }
}

/// Reader that is ready to be called. A cheap handle.
#[derive(Clone)]
pub struct Reader {
    pub(crate) prepared: PreparedReader,
    /// Limits for each file.
    pub limits: CallLimits,
}

/// Methods of [`Reader`] for Mitt's own crates.
pub trait ReaderInternal {
    /// Returns its plugin with resolved imports.
    fn prepared(&self) -> &PreparedReader;
}

impl ReaderInternal for Reader {
    fn prepared(&self) -> &PreparedReader {
        &self.prepared
    }
}
