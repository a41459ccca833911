//! Skills as the modules of a script, and which of them it may use.
//!
//! A script sees the skills that its session has, that its engine is granted, and that its caller allows.

use std::sync::Arc;

use async_trait::async_trait;
use serde_json::json;

use super::Inner;
use super::script::ScriptRun;
use crate::capability::{ScriptHost, ScriptModule, ScriptStream};
use crate::engine::CallClock;
use crate::skill::{GrantBounds, Registry, Skill, to_snake};
use mitt_base::{Error, ErrorKind, Result};

/// The only modules that a script, and those inside of it, may use. None allows all.
#[derive(Clone, Debug, Default)]
pub(super) struct AllowedModules(Option<Arc<[String]>>);

impl AllowedModules {
    /// These, of which `names` are left where they are given.
    pub(super) fn narrowed(&self, names: Option<&[String]>) -> AllowedModules {
        let Some(names) = names else { return self.clone() };
        let top = |name: &String| to_snake(name.split('.').next().unwrap_or(name));
        AllowedModules(Some(names.iter().map(top).filter(|name| self.has(name)).collect()))
    }

    /// Whether the module `name`, in snake case, is among them.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.as_ref().is_none_or(|names| names.iter().any(|allowed| allowed == name))
    }

    /// Whether all are allowed.
    pub(super) fn is_all(&self) -> bool {
        self.0.is_none()
    }

    /// Whether `tool` belongs to one of them.
    pub(super) fn has_tool(&self, tool: &str) -> bool {
        self.has(module_of(tool))
    }

    /// As [`AllowedModules::has_tool`], with the refusal.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Denied`] - it does not.
    pub(super) fn check_tool(&self, tool: &str) -> Result<()> {
        if self.has_tool(tool) {
            return Ok(());
        }
        let module = mitt_base::text::one_line(mitt_base::text::cut_bytes(module_of(tool), 128));
        let message = format!("the module `{module}` is not among `allowed_modules`");
        Err(Error::new(ErrorKind::Denied, message))
    }

    /// As the engine gets them.
    pub(super) fn names(&self) -> Option<Vec<String>> {
        self.0.as_ref().map(|names| names.to_vec())
    }
}

fn module_of(tool: &str) -> &str {
    tool.split("__").next().unwrap_or(tool)
}

/// What a script gets from its host beyond what tools get.
pub(super) struct ModuleHost {
    pub(super) session: Arc<Inner>,
    pub(super) run: Arc<ScriptRun>,
    /// As it was when the script began.
    pub(super) registry: Registry,
    pub(super) engine: Arc<Skill>,
    pub(super) clock: Arc<CallClock>,
}

impl ModuleHost {
    fn bounds(&self) -> &GrantBounds {
        &self.engine.manifest().bounds
    }

    fn may_import(&self, skill: &Skill) -> bool {
        skill.is_module() && self.may_import_named(&to_snake(&skill.manifest().name))
    }

    /// Whether the engine is granted the module `name`, in snake case, and the caller allows it.
    fn may_import_named(&self, name: &str) -> bool {
        let grants = &self.engine.manifest().grants;
        grants.contains(&crate::Capability::Tools)
            && self.run.allowed.has(name)
            && self.bounds().may_import(name)
    }

    /// Note the first use of a skill's helpers in this session, in this version of the engine.
    fn note_helpers(&self, skill: &Skill) {
        let helpers = skill.helpers();
        if helpers.files().is_empty() {
            return;
        }
        let engine = self.engine.component_digest().unwrap_or_default();
        let name = skill.manifest().name.clone();
        let hash = helpers.hash().to_hex().to_string();
        if self.session.is_first_use((engine, name.clone(), hash.clone())) {
            let details = json!({
                "skill": name, "version": skill.manifest().version, "blake3": hash, "files": helpers.files().len(),
                "engine": self.engine.manifest().name,
            });
            self.session.journal.note("helpers", details, self.session.host.environment().now());
        }
    }
}

#[async_trait]
impl ScriptHost for ModuleHost {
    fn write(&self, stream: ScriptStream, text: &str) {
        match stream {
            ScriptStream::Stdout => self.run.output.stdout().write(text),
            ScriptStream::Stderr => self.run.output.stderr().write(text),
        }
    }

    fn modules(&self) -> Vec<String> {
        let skills = self.registry.skills().filter(|skill| self.may_import(skill));
        let own = self.registry.host_modules().filter(|name| self.may_import_named(name));
        let own = own.map(str::to_owned);
        skills.map(|skill| to_snake(&skill.manifest().name)).chain(own).collect()
    }

    async fn load_module(&self, name: &str) -> Result<Option<Arc<ScriptModule>>> {
        let is_granted = |tool: &str| self.bounds().may_call(tool);
        if let Some(module) = self.registry.host_module(name) {
            let may_import = self.may_import_named(name);
            return Ok(may_import.then(|| Arc::new(module.only(is_granted))));
        }
        let Ok(skill) = self.registry.skill(name) else {
            // Whoever wrote the script learns why the module is not there, and what its user can do.
            return self.registry.unapproved(name).map_or(Ok(None), Err);
        };
        if to_snake(&skill.manifest().name) != name || !self.may_import(&skill) {
            return Ok(None);
        }
        // Compiling a plugin takes longer than a script may.
        let stopped = self.clock.stop();
        let module = skill.module().await?;
        drop(stopped);
        self.note_helpers(&skill);
        if module.functions.iter().all(|function| is_granted(&function.tool)) {
            return Ok(Some(module));
        }
        Ok(Some(Arc::new(module.only(is_granted))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn allowed_modules_are_only_ever_narrowed() {
        let all = AllowedModules::default();
        assert!(all.has("json") && all.names().is_none());
        let some = all.narrowed(Some(&["json".into(), "excel-tool.rows".into()]));
        assert!(some.has("json") && some.has("excel_tool") && !some.has("re"));
        let fewer = some.narrowed(Some(&["json".into(), "re".into()]));
        assert_eq!(fewer.names(), Some(vec!["json".to_owned()]));
        assert_eq!(fewer.narrowed(None).names(), fewer.names());
        assert!(!fewer.narrowed(Some(&[])).has("json"));
    }
}
