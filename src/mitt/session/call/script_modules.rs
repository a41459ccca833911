//! Host functions for scripts that tools do not have: skills as modules, and output.
//!
//! A script sees the skills that its session has, that its engine is granted, and that its caller allows.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use futures_util::future::BoxFuture;
use serde_json::json;

use super::super::call_id::CallId;
use super::super::script::ScriptRun;
use super::inner::Inner;
use crate::engine::CallClock;
use crate::script::OutputStream;
use mitt_base::Result;
use mitt_skill::{
    FilteredRegistryInternal as _, HelpersInternal as _, Registry, RegistryInternal as _, Skill,
    SkillInternal as _,
    capability::{ScriptHost, ScriptModule, ScriptStream, ToolBounds, ToolBoundsInternal as _},
    to_snake,
};

/// Host functions for scripts that tools do not have.
pub(super) struct ModuleHost {
    pub(super) session: Arc<Inner>,
    pub(super) call: CallId,
    pub(super) run: Arc<ScriptRun>,
    /// Skills at the time when the script began.
    pub(super) registry: Registry,
    pub(super) engine: Arc<Skill>,
    pub(super) clock: Arc<CallClock>,
}

impl ModuleHost {
    fn bounds(&self) -> &ToolBounds {
        &self.engine.manifest().bounds.tools
    }

    fn may_import(&self, skill: &Skill) -> bool {
        skill.is_module() && self.may_import_named(&to_snake(&skill.manifest().name))
    }

    /// Returns whether the engine is granted the module `name`, in snake case, and the caller allows it.
    fn may_import_named(&self, name: &str) -> bool {
        let grants = &self.engine.manifest().grants;
        grants.contains(&crate::Capability::Tools)
            && self.run.allowed.has(name)
            && self.bounds().may_import(name)
    }

    /// Records the first use of a skill's helpers in this session, with the version of the engine.
    fn note_helpers(&self, skill: &Skill) {
        let helpers = skill.helpers();
        if helpers.is_empty() {
            return;
        }
        let engine = self.engine.component_digest().unwrap_or_default();
        let name = skill.manifest().name.clone();
        let hash = helpers.hash().to_hex().to_string();
        if self.session.scripts.is_first_use((engine, name.clone(), hash.clone())) {
            let details = json!({
                "skill": name, "version": skill.manifest().version, "blake3": hash, "files": helpers.files().len() + helpers.javascript().len(),
                "engine": self.engine.manifest().name, "call": self.call.number, "parent": self.call.parent,
            });
            let context = &self.session.context;
            context.journal().note("helpers", details, context.now());
        }
    }
}

impl ScriptHost for ModuleHost {
    fn write(&self, stream: ScriptStream, text: &str) -> Result<()> {
        let stream = match stream {
            ScriptStream::Stdout => OutputStream::Stdout,
            ScriptStream::Stderr => OutputStream::Stderr,
        };
        self.run.output.write(stream, text)
    }

    fn at(&self, line: u32) {
        self.run.line.store(line, Ordering::Relaxed);
    }

    fn arguments(&self) -> Vec<String> {
        self.run.argv.to_vec()
    }

    fn modules(&self) -> Vec<String> {
        let skills = self.registry.skills().filter(|skill| self.may_import(skill));
        let own = self.registry.host_modules().filter(|name| self.may_import_named(name));
        let own = own.map(str::to_owned);
        skills.map(|skill| to_snake(&skill.manifest().name)).chain(own).collect()
    }

    fn load_module<'a>(
        &'a self,
        name: &'a str,
    ) -> BoxFuture<'a, Result<Option<Arc<ScriptModule>>>> {
        Box::pin(async move {
            let is_granted = |tool: &str| self.bounds().may_call(tool);
            if let Some(module) = self.registry.host_module(name) {
                let may_import = self.may_import_named(name);
                return Ok(may_import.then(|| Arc::new(module.only(is_granted))));
            }
            let Ok(skill) = self.registry.skill(name) else {
                // The error explains why the module is missing and how the user can approve it.
                return self.registry.unapproved(name).map_or(Ok(None), Err);
            };
            if to_snake(&skill.manifest().name) != name || !self.may_import(&skill) {
                return Ok(None);
            }
            // The clock stands still, because compiling a plugin takes longer than a script may.
            let stopped = self.clock.stop();
            let module = self.registry.module(&skill).await?;
            drop(stopped);
            self.note_helpers(&skill);
            let is_javascript = self
                .engine
                .manifest()
                .script()
                .is_some_and(|script| script.language == "javascript");
            if !is_javascript && module.functions.iter().all(|function| is_granted(&function.tool))
            {
                return Ok(Some(module));
            }
            let mut module = module.only(is_granted);
            if is_javascript {
                module.helpers = skill.helpers().javascript().clone();
            }
            Ok(Some(Arc::new(module)))
        })
    }
}
