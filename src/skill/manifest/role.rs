//! Role of a skill: tools, a reader of files, a script engine, or instructions only.

use serde::Deserialize;

use super::super::ToolName;
use super::super::name::is_kebab;
use super::tool::ToolManifest;
use crate::script_tool::RUN;
use mitt_base::limits::CallLimits;

/// Role of a skill. All but the last have a component: the name of a `.wasm` or `.wasm.zst` file in the skill's folder, or of the
/// manifest of an Extism plug-in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Role {
    /// The functions that its component exports are tools.
    Tools {
        /// File name of the component.
        component: String,
    },
    /// Its component reads files.
    Reader {
        /// File name of the component.
        component: String,
        /// File types that it reads.
        reads: ReaderManifest,
    },
    /// Its component runs scripts.
    Engine {
        /// File name of the component.
        component: String,
        /// Language that it runs.
        runs: ScriptManifest,
    },
    /// It has no component, only instructions for a model.
    Instructions,
}

/// File types of a reader plugin.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ReaderManifest {
    /// File types as extensions in lower case, without a dot.
    pub extensions: Vec<String>,
}

/// Language of a script engine.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ScriptManifest {
    /// The language, such as `python`. The tool `<language>__run` runs its scripts.
    pub language: String,
    /// Rank among the engines of the language. The engine with the highest rank is the default, after bundled ones. Default: 0.
    #[serde(default)]
    pub rank: u32,
    /// A model is offered the language only if a setting names an engine of it (`--engine`). Scripts run in any case.
    /// Default: `false`.
    #[serde(default)]
    pub on_request: bool,
}

impl Role {
    /// Returns the role that these keys of `skill.yaml` define.
    ///
    /// # Errors
    ///
    /// The text of the problem, beginning with the key.
    pub(super) fn new(
        component: Option<String>,
        reader: Option<ReaderManifest>,
        script: Option<ScriptManifest>,
        tools: &[ToolManifest],
    ) -> Result<Role, String> {
        let needs_component = |key: &str| Err(without_component(key));
        match (component, reader, script) {
            (None, Some(_), _) => needs_component("reader"),
            (None, None, Some(_)) => needs_component("script"),
            (None, None, None) if !tools.is_empty() => needs_component("tools"),
            (None, None, None) => Ok(Role::Instructions),
            (Some(_), Some(_), Some(_)) => {
                Err("script: a skill either reads files or runs scripts; leave out one of them"
                    .to_owned())
            }
            (Some(component), Some(reads), None) => {
                check_component(&component)?;
                reads.check()?;
                Ok(Role::Reader { component, reads })
            }
            (Some(component), None, Some(runs)) => {
                check_component(&component)?;
                runs.check(tools)?;
                Ok(Role::Engine { component, runs })
            }
            (Some(component), None, None) => {
                check_component(&component)?;
                Ok(Role::Tools { component })
            }
        }
    }

    /// Returns the default limits of its calls.
    pub(super) fn limits(&self) -> CallLimits {
        match self {
            Role::Tools { .. } | Role::Instructions => CallLimits::default(),
            Role::Reader { .. } => CallLimits::reader(),
            Role::Engine { .. } => CallLimits::script(),
        }
    }
}

/// Returns the error for a key that needs a component.
pub(super) fn without_component(key: &str) -> String {
    format!("{key}: needs a `component`; add one, or leave the key out")
}

impl ReaderManifest {
    fn check(&self) -> Result<(), String> {
        let is_extension = |it: &String| {
            !it.is_empty()
                && it.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit())
        };
        if !self.extensions.is_empty() && self.extensions.iter().all(is_extension) {
            Ok(())
        } else {
            Err("reader.extensions: expected extensions in lower case without a dot, such as `xlsx`".to_owned())
        }
    }
}

impl ScriptManifest {
    fn check(&self, tools: &[ToolManifest]) -> Result<(), String> {
        if !is_kebab(&self.language) || ToolName::new(&self.language, RUN).is_none() {
            return Err(format!(
                "script.language: expected a name in lower case, such as `python`, got `{}`",
                self.language
            ));
        }
        match tools.iter().find(|tool| tool.name != RUN) {
            None => Ok(()),
            Some(tool) => {
                Err(format!("tools: {}: an engine of scripts has the tool `{RUN}` only", tool.name))
            }
        }
    }
}

fn check_component(component: &str) -> Result<(), String> {
    let extensions = [".wasm", ".wasm.zst", ".json"];
    let is_component = extensions.iter().any(|extension| component.ends_with(extension));
    if !is_component || component.contains(['/', '\\', ':']) || component.starts_with('.') {
        return Err(format!(
            "component: expected a `.wasm` or `.wasm.zst` file of the skill's own folder, or the `.json` manifest of a plug-in of Extism, got `{component}`"
        ));
    }
    Ok(())
}
