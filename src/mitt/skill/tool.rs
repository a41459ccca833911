//! Tools: what a name that a model calls stands for, and what a call of it runs.
//!
//! Knows one skill, one language or one tool of the host at a time; which others there are is for the registry to know.

use std::sync::{Arc, LazyLock};

#[cfg(feature = "extism")]
use super::contract::Contracted;
use super::engines::Engines;
use super::host_tool::RegisteredTool;
use super::toolbox::Entry;
use super::{Skill, ToolName, ToolPolicy, to_snake};
use crate::capability::{CallContext, Capability, Parameter, PreparedReader, Services};
use crate::engine::{Environment, StoreCore};
use mitt_base::Result;
use mitt_base::limits::CallLimits;
use mitt_wit::value::{Field, Function, Skipped};

/// A tool, ready to be called. A cheap handle.
#[derive(Clone)]
pub struct Tool {
    /// Its name.
    pub name: ToolName,
    /// Its parameters, result and documentation.
    pub function: Arc<Function>,
    pub(crate) runs: Runs,
    /// Whether its calls need the instance that the session keeps for the skill.
    pub(crate) uses_handles: bool,
    /// Whether its result holds handles.
    pub(crate) gives_handles: bool,
    /// Of a function of a plug-in of Extism: what its bytes mean.
    #[cfg(feature = "extism")]
    pub(crate) contract: Option<Arc<Contracted>>,
    policy: Option<Arc<ToolPolicy>>,
}

/// What a call of a tool runs.
#[derive(Clone)]
pub(crate) enum Runs {
    /// A function of the plugin of a skill, which is loaded for the first call.
    Plugin(Arc<Skill>),
    /// A script, in one of these engines.
    Script(Arc<Engines>),
    /// Code of the host itself.
    Host(Arc<RegisteredTool>),
}

impl Tool {
    /// The tool that runs scripts in `engines`.
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

    /// A tool of the host's own.
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

    /// The skill that it belongs to; of the tool that runs scripts, the engine that does so when nobody says which. None of a
    /// tool of the host's own.
    pub fn skill(&self) -> Option<&Arc<Skill>> {
        match &self.runs {
            Runs::Plugin(skill) => Some(skill),
            Runs::Script(engines) => Some(engines.first()),
            Runs::Host(_) => None,
        }
    }

    /// The name of the skill that it belongs to, in kebab case; of a tool of the host's own, what its name begins with.
    pub fn owner(&self) -> &str {
        self.skill().map_or(self.name.skill(), |skill| &skill.manifest().name)
    }

    /// The limits of one attempt to call it, as its skill or the host states them.
    pub fn limits(&self) -> &CallLimits {
        match &self.runs {
            Runs::Plugin(skill) => &skill.manifest().limits,
            Runs::Script(engines) => &engines.first().manifest().limits,
            Runs::Host(registered) => &registered.described.limits,
        }
    }

    /// Whether a call can change something in the session. A plugin without a grant for that can only read.
    pub fn can_change(&self) -> bool {
        let changes = |grant: &Capability| match grant {
            Capability::Catalog | Capability::Documents | Capability::Log | Capability::Tables => {
                false
            }
            // What a capability of an embedder does is not known here.
            Capability::Fetch
            | Capability::Render
            | Capability::Tools
            | Capability::Workspace
            | Capability::Own(_) => true,
        };
        self.uses_handles
            || self.skill().is_none_or(|skill| skill.manifest().grants.iter().any(changes))
    }

    /// The server that it is of, if it is one of another MCP server.
    pub fn server(&self) -> Option<&str> {
        match &self.runs {
            Runs::Host(registered) => registered.described.server.as_deref(),
            Runs::Plugin(..) | Runs::Script(_) => None,
        }
    }

    /// The agents that alone have it; none are all, and whoever is no agent.
    pub fn agents(&self) -> Option<&[String]> {
        match &self.runs {
            Runs::Host(registered) => registered.described.agents.as_deref(),
            Runs::Plugin(..) | Runs::Script(_) => None,
        }
    }

    /// Whether only a model or a user calls it, and no plugin and no script.
    pub fn is_for_models_only(&self) -> bool {
        matches!(&self.runs, Runs::Host(registered) if registered.described.is_for_models_only)
    }

    /// The most bytes of JSON that its arguments may have, where it says so itself.
    pub(crate) fn arguments_bytes(&self) -> Option<u64> {
        match &self.runs {
            Runs::Host(registered) => registered.described.arguments_bytes,
            Runs::Plugin(..) | Runs::Script(_) => None,
        }
    }

    /// The version of what it runs.
    pub(crate) fn version(&self) -> &str {
        self.skill().map_or(env!("CARGO_PKG_VERSION"), |skill| &skill.manifest().version)
    }

    /// What an approval of a call binds to: the code that would run, and what is said of it.
    ///
    /// # Errors
    ///
    /// Same as [`Skill::component`].
    pub(crate) fn fingerprint(&self) -> Result<blake3::Hash> {
        let mut fingerprint = blake3::Hasher::new();
        match self.skill() {
            Some(skill) => {
                fingerprint.update(skill.component_digest()?.as_bytes());
                fingerprint.update(skill.manifest_text().as_bytes());
                fingerprint.update(skill.contracts_text().as_bytes());
            }
            // It is a part of the program.
            None => {
                fingerprint.update(self.name.as_str().as_bytes());
            }
        }
        Ok(fingerprint.finalize())
    }

    /// How it is called: what `skill.yaml` says of it, or the default.
    pub fn policy(&self) -> &ToolPolicy {
        static DEFAULT: LazyLock<ToolPolicy> = LazyLock::new(ToolPolicy::default);

        self.policy.as_deref().unwrap_or(&DEFAULT)
    }

    /// Its parameters, as plugins are told of them.
    pub(crate) fn parameters(&self) -> Vec<Parameter> {
        let parameter = |param: &Field| Parameter {
            name: to_snake(&param.name),
            ty: param.ty.to_string(),
            required: param.required(),
        };
        self.function.params.iter().map(parameter).collect()
    }

    /// Make an instance of its plugin and drop it: what a call costs besides the call.
    ///
    /// # Errors
    ///
    /// As a call that reaches a limit or traps while it starts.
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
            // There is nothing to make an instance of.
            Runs::Host(_) => Ok(()),
        }
    }
}

impl Skill {
    fn made(self: &Arc<Skill>, entry: &Entry) -> Tool {
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

    /// Its tools, sorted by name. None for a reader or a script engine. Nothing is compiled for it.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the component cannot be read, its interface makes no tools, or `skill.yaml` says of them what cannot
    /// be. [`ErrorKind::Denied`] - it imports what the manifest does not grant.
    pub async fn tools(self: &Arc<Skill>) -> Result<Vec<Tool>> {
        let Some(toolbox) = self.toolbox().await? else { return Ok(Vec::new()) };
        Ok(toolbox.tools.iter().map(|entry| self.made(entry)).collect())
    }

    /// Its tool of this name, found without making the others.
    pub(super) async fn tool(self: &Arc<Skill>, name: &str) -> Result<Option<Tool>> {
        let Some(toolbox) = self.toolbox().await? else { return Ok(None) };
        let tools = &toolbox.tools;
        let found = tools.binary_search_by(|entry| entry.name.as_str().cmp(name));
        Ok(found.ok().map(|index| self.made(&tools[index])))
    }

    /// Its exported functions that make no tool, and why. None for a reader or a script engine.
    ///
    /// # Errors
    ///
    /// Same as [`Skill::tools`].
    pub async fn skipped(self: &Arc<Skill>) -> Result<Vec<Skipped>> {
        let toolbox = self.toolbox().await?;
        Ok(toolbox.map_or_else(Vec::new, |toolbox| toolbox.skipped.clone()))
    }
}

/// A reader, ready to be called. A cheap handle.
#[derive(Clone)]
pub struct Reader {
    pub(crate) prepared: PreparedReader,
    /// Limits of each file.
    pub limits: CallLimits,
}
