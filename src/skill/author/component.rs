//! Compares the component of a skill with its manifest: problems for which the host refuses it, and gaps for a model.
//!
//! Loads it and reads its interface, but never makes an instance.

use std::borrow::Cow;
use std::collections::HashMap;
use std::path::Path;
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Instant;

use super::files::MAX_FILE_BYTES;
use crate::capability::{self, Capability, OwnCapabilities, PreparedReader, PreparedScript};
use crate::loading::PROGRESS_EVERY;
use crate::ready::usual_compile_time;
use crate::toolbox::{ToolFunction, Toolbox, is_tool, runs_scripts};
use crate::{Compiling, CompilingSink, Finding, Manifest, Role, plug_in, to_snake};
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result, plain_file, text};
use mitt_engine::{
    Engine, EngineInternal as _, Plugin, PluginBytes, PluginBytesInternal as _,
    PluginInternal as _, Urgency, Wanted,
};
use mitt_wit::value::{Function, Interface};

/// Fewest bytes of a stored component that cause a warning, because compiling it delays the first call.
const LARGE_BYTES: u64 = 8 * MIB;

const MANIFEST: &str = "skill.yaml";

/// Returns the file name of the component; `None` for a skill without one.
pub(super) fn file_of(manifest: &Manifest) -> Option<&str> {
    manifest.component()
}

/// Checks the component of the skill in `folder`, and calls `on_compiling` if it must be compiled.
pub(super) fn check(
    engine: &Engine,
    manifest: &Manifest,
    folder: &Path,
    on_compiling: CompilingSink<'_>,
) -> Vec<Finding> {
    let Some(file) = file_of(manifest) else { return Vec::new() };
    let mut check = ComponentCheck { engine, manifest, file, on_compiling, findings: Vec::new() };
    if let Some(plugin) = check.load(&folder.join(file)) {
        check.imports(&plugin);
        check.exports(&plugin);
    }
    check.findings
}

struct ComponentCheck<'a> {
    engine: &'a Engine,
    manifest: &'a Manifest,
    file: &'a str,
    on_compiling: CompilingSink<'a>,
    findings: Vec<Finding>,
}

/// Returns `true` if only a host that adds the capability has it.
fn is_own(capability: &Capability) -> bool {
    matches!(capability, Capability::Own(_))
}

impl ComponentCheck<'_> {
    fn error(&mut self, message: impl Into<String>, hint: &str) {
        self.findings.push(Finding::error(self.file, message).hint(hint));
    }

    fn warning(&mut self, message: impl Into<String>, hint: &str) {
        self.findings.push(Finding::warning(self.file, message).hint(hint));
    }

    /// Adds an error of the host as a finding.
    fn refused(&mut self, file: &str, error: &Error) {
        let message = error.message();
        // The host names the file as well.
        let message = message
            .strip_prefix(MANIFEST)
            .and_then(|rest| rest.strip_prefix(": "))
            .unwrap_or(message);
        let mut finding = Finding::error(file, text::one_line(message));
        // Details and causes are part of the message, hints become the hint.
        for more in error.details() {
            finding.message.push_str("; ");
            finding.message.push_str(&text::one_line(more));
        }
        if let Some(cause) = std::error::Error::source(error) {
            let cause = cause.to_string();
            finding.message.push_str(": ");
            finding.message.push_str(&text::one_line(text::cut_bytes(&cause, 400)));
        }
        let hints = error.hints().join("; ");
        self.findings.push(if hints.is_empty() { finding } else { finding.hint(hints) });
    }

    fn load(&mut self, path: &Path) -> Option<Plugin> {
        if plug_in::is_manifest(self.file) {
            let loaded = plug_in::component(path)
                .and_then(|bytes| self.compiled(&PluginBytes::Wasm(bytes.into())));
            return loaded.map_err(|error| self.refused(self.file, &error)).ok();
        }
        let stored = match plain_file::read(path, MAX_FILE_BYTES) {
            Ok(stored) => stored,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                self.error(
                    "the component is not there",
                    "build the plugin and copy it here, or leave out `component`",
                );
                return None;
            }
            Err(error) => {
                self.error(format!("cannot be read: {error}"), "put a readable file in its place");
                return None;
            }
        };
        let size = stored.len() as u64;
        if size > MAX_FILE_BYTES {
            self.error(
                format!("expected at most {MAX_FILE_BYTES} bytes, got more"),
                "compress it as `.wasm.zst`",
            );
            return None;
        }
        if size > LARGE_BYTES {
            self.warning(
                format!("a component of {} MiB", size / MIB),
                "build it with `opt-level = \"s\"`, `lto` and `strip`, or compress it as `.wasm.zst`",
            );
        }
        let bytes = if self.file.ends_with(".zst") {
            PluginBytes::Zstd(stored.into())
        } else {
            PluginBytes::Wasm(stored.into())
        };
        match self.compiled(&bytes) {
            Ok(plugin) => Some(plugin),
            Err(error) if matches!(error.kind(), ErrorKind::Disabled(_)) => {
                self.warning(
                    "not looked at: this build of mitt has no compiler",
                    "check it with a full build",
                );
                None
            }
            Err(error) => {
                self.refused(self.file, &error);
                None
            }
        }
    }

    /// Returns the plugin. If it must be compiled, the caller is notified at once and then every two seconds.
    fn compiled(&self, bytes: &PluginBytes) -> Result<Plugin> {
        let stored = bytes.stored().map_or(0, |stored| stored.len() as u64);
        let usual = usual_compile_time(stored, matches!(bytes, PluginBytes::Zstd(_)));
        let (sender, started) = mpsc::channel::<Instant>();
        let on_compiling = self.on_compiling;
        let notify = move || {
            let Ok(since) = started.recv() else { return };
            loop {
                on_compiling(Compiling { elapsed: since.elapsed(), usual });
                // Any other message, and the end of the channel, mean that it is no longer compiled.
                match started.recv_timeout(PROGRESS_EVERY) {
                    Err(RecvTimeoutError::Timeout) => {}
                    Ok(_) | Err(RecvTimeoutError::Disconnected) => return,
                }
            }
        };
        thread::scope(|scope| {
            // Without a thread it is compiled without notifications.
            let _ = thread::Builder::new().spawn_scoped(scope, notify);
            let compiling = |_: bool| {
                let _ = sender.send(Instant::now());
            };
            let wanted = Wanted { urgency: Urgency::Call, compiling: &compiling };
            let loaded = self.engine.load_as(bytes, wanted);
            drop(sender);
            loaded
        })
    }

    fn imports(&mut self, plugin: &Plugin) {
        let grants = &self.manifest.grants;
        // An embedder's capabilities are not available here, so what depends on them is only a warning.
        let none = OwnCapabilities::default();
        let own: Vec<&str> = grants.iter().filter(|it| is_own(it)).map(Capability::name).collect();
        for name in &own {
            let problem = none.check_grants(&[Capability::Own((*name).into())]);
            let problem = problem.err().unwrap_or_default();
            self.findings.push(Finding::warning(MANIFEST, problem).hint(capability::OWN));
        }
        let before = self.findings.len();
        // A reader is linked to nothing that needs a grant.
        let needs = if self.manifest.reader().is_some() { Vec::new() } else { plugin.needs() };
        for import in &needs {
            let is_engines = self.manifest.script().is_some() && capability::is_for_engines(import);
            if is_engines {
                continue;
            }
            if let Err(error) = capability::check_import(import, grants, &none) {
                if capability::is_ones_own(import) && !own.is_empty() {
                    self.warning(error.to_string(), capability::OWN)
                } else {
                    self.refused(self.file, &error)
                }
            }
        }
        if self.findings.len() > before {
            return;
        }
        let linked = match self.manifest.role {
            Role::Reader { .. } => PreparedReader::new(self.engine, plugin).map(drop),
            Role::Engine { .. } => {
                PreparedScript::new(self.engine, plugin, grants, &none).map(drop)
            }
            Role::Tools { .. } => capability::prepare(self.engine, plugin, grants, &none).map(drop),
            Role::Instructions => Ok(()),
        };
        if let Err(error) = linked {
            self.refused(self.file, &error);
        }
        let imports = &plugin.interface().imports;
        let used = |capability: &Capability| {
            // HTTP requests of a plugin go through the kernel.
            *capability == Capability::Fetch
                && imports.iter().any(|it| capability::is_for_plug_ins(it))
                || imports
                    .iter()
                    .any(|import| capability::wanted_by(import).as_ref() == Some(capability))
        };
        for grant in grants.iter().filter(|grant| !is_own(grant) && !used(grant)) {
            let message =
                format!("grants: `{}` is granted, but the plugin does not import it", grant.name());
            self.findings
                .push(Finding::warning(MANIFEST, message).hint("grant only what is needed"));
        }
    }

    fn exports(&mut self, plugin: &Plugin) {
        let interface = plugin.interface();
        for skipped in &interface.skipped {
            let wasi =
                skipped.instance.as_ref().is_some_and(|instance| instance.starts_with("wasi:"));
            if !wasi {
                let message = format!("function `{}` is no tool: {}", skipped.name, skipped.reason);
                self.warning(message, "export a plain function if a model should call it");
            }
        }
        if self.manifest.script().is_some() {
            for warning in self.manifest.warnings() {
                self.findings.push(Finding::warning(MANIFEST, warning));
            }
            if !interface.functions.iter().any(runs_scripts) {
                self.error(
                    "a script engine that does not export `mitt:host/script`",
                    "export it, as the world `mitt:host/script-engine` says, or leave out `script`",
                );
            }
        }
        if !matches!(self.manifest.role, Role::Tools { .. }) {
            return;
        }
        let mut functions: Vec<Cow<'_, Function>> = Vec::new();
        functions.extend(interface.functions.iter().filter(|it| is_tool(it)).map(Cow::Borrowed));
        // For an Extism plugin the manifest states what a component states itself.
        let contracted = Toolbox::new(&self.manifest.name, interface, true)
            .and_then(|toolbox| toolbox.with_policies(&self.manifest.tools))
            .map(|toolbox| toolbox.tools)
            .unwrap_or_default();
        if contracted.iter().any(|entry| entry.contract.is_some()) {
            self.descriptions(&contracted);
            functions = contracted.iter().map(|it| Cow::Owned((*it.function).clone())).collect();
        }
        if functions.is_empty() {
            self.error(
                "no exported function that could be a tool",
                "export a function of an interface",
            );
        }
        self.names_and_policies(interface);
        if contracted.iter().any(|entry| entry.contract.is_some()) {
            return;
        }
        let contracted = contracted.iter().map(|entry| &entry.function);
        let with_contract: HashMap<_, _> =
            contracted.map(|it| ((&it.instance, &it.name), it)).collect();
        for function in &functions {
            match with_contract.get(&(&function.instance, &function.name)) {
                Some(contract) => self.documentation(contract),
                None => self.documentation(&self.described(function)),
            }
        }
    }

    /// Returns a function as `skill.yaml` describes it, in case something else in `tools` is refused.
    fn described(&self, function: &Function) -> Function {
        let tool = self.manifest.tools.iter().find(|tool| tool.name == function.name);
        let description = tool.and_then(|tool| tool.description.as_deref());
        let described = description.map_or_else(|| function.clone(), |it| function.described(it));
        let schema = tool.and_then(|tool| tool.input_schema.as_ref());
        schema.and_then(|it| described.narrowed(it).ok()).unwrap_or(described)
    }

    /// Warns about functions of an Extism plugin without a description for models.
    fn descriptions(&mut self, entries: &[ToolFunction]) {
        for entry in entries.iter().filter(|entry| entry.function.docs.is_empty()) {
            let message = format!(
                "function `{}` has no description, which is all that a model knows of it",
                entry.exported()
            );
            self.error(message, "write `description` of it under `tools` in `skill.yaml`");
        }
    }

    /// Reports names and entries of `tools:` that the host would refuse, entry by entry.
    fn names_and_policies(&mut self, interface: &Interface) {
        let manifest = self.manifest;
        let made = |tools| Toolbox::new(&manifest.name, interface, true)?.with_policies(tools);
        let mut errors: Vec<Error> = made(&[]).err().into_iter().collect();
        if errors.is_empty() {
            let each = manifest.tools.iter().map(std::slice::from_ref);
            errors.extend(each.filter_map(|tool| made(tool).err()));
        }
        if errors.is_empty() {
            errors.extend(made(&manifest.tools).err());
        }
        for error in &errors {
            self.refused(MANIFEST, error);
        }
        for warning in self.manifest.warnings() {
            self.findings.push(Finding::warning(MANIFEST, warning));
        }
    }

    fn documentation(&mut self, function: &Function) {
        let name = &function.name;
        if function.docs.is_empty() {
            let params = if function.params.is_empty() { "" } else { " or of its parameters" };
            self.error(
                format!("function `{name}` has no documentation{params}, which is all that a model knows of it"),
                "write `description` of it under `tools` in `skill.yaml`, or `///` above it in the WIT file; the template of a new skill shows how that gets into the component",
            );
            return;
        }
        for param in &function.params {
            let quoted = [format!("`{}`", param.name), format!("`{}`", to_snake(&param.name))];
            let named = quoted.iter().any(|name| function.docs.contains(name));
            if param.docs.is_none() && !named {
                self.error(
                    format!("parameter `{}` of function `{name}` has no documentation", param.name),
                    &format!(
                        "write a line ``- `{}`: …`` into the documentation of the function, or a `description` of it under `inputSchema` in `skill.yaml`",
                        param.name
                    ),
                );
            }
        }
    }
}
