//! Describes a component without running it: exports, imports, tools, required grants, and lints.
//!
//! Reads only the interface. Does not know whether the code can be compiled, and what it does.

mod file;
mod lints;

#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};
use std::path::Path;

use serde::Serialize;
use serde_json::Value;
use wit_parser::decoding::{DecodedWasm, decode};
use wit_parser::{TypeDefKind, WorldItem};

use super::component::kebab;
use super::toolbox::{ToolFunction, Toolbox, is_tool, runs_scripts};
use super::{Manifest, Skill};
use crate::capability::{self, Capability};
use mitt_base::{Error, ErrorKind, Result, plain_file};
use mitt_engine::{MAX_COMPONENT_BYTES, PluginBytesInternal as _, is_linked, plug_in, way_out};
use mitt_wit::schema;
use mitt_wit::value::{Field, Function, Interface, Type};

pub use lints::Lint;

/// Package of the capabilities, and the supported versions.
const HOST: &str = "mitt:host/";
const HOST_VERSION: &str = "0.1.";
/// Interfaces that readers export, which the host calls and not a model.
const READER: [&str; 3] =
    ["mitt:host/reader@", "mitt:host/reader-shares@", "mitt:host/reader-pieces@"];

/// Description of a component.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Inspection {
    /// Name of the skill in kebab case, which is the first part of its tools' names.
    pub name: String,
    /// Size as stored, in bytes.
    pub stored_bytes: u64,
    /// Size of the component after decompression, in bytes.
    pub component_bytes: u64,
    /// Exported interfaces, and the functions at the root of the component, in order.
    pub exports: Vec<Export>,
    /// Definitions of the named types in exported functions, in WIT notation, in order of their use.
    pub types: Vec<String>,
    /// Imported interfaces and functions, in the order of the component.
    pub imports: Vec<Import>,
    /// Names of the imported capabilities, sorted: `grants` in `skill.yaml` must list them.
    pub grants: Vec<String>,
    /// Reasons why it cannot be loaded, one sentence each. Empty if there are none.
    pub obstacles: Vec<String>,
    /// Possible improvements.
    pub lints: Vec<Lint>,
}

/// Exported interface, or the root of a component.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Export {
    /// Name such as `mitt:excel-tool/tools@0.1.0`; `None` for the root.
    pub interface: Option<String>,
    /// Functions of the interface.
    pub functions: Vec<ExportedFunction>,
}

/// Exported function.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct ExportedFunction {
    /// Name as exported, such as `create-excel` or `[method]reader.next`.
    pub name: String,
    /// Signature in WIT notation; `None` if the function cannot be called and its types were not read.
    pub signature: Option<String>,
    /// Documentation; empty if there is none.
    pub docs: String,
    /// Name of the tool; `None` if the function is not a tool.
    pub tool: Option<String>,
    /// Reason why it is not a tool.
    pub reason: Option<String>,
    /// JSON Schema of the tool's arguments.
    pub input_schema: Option<Value>,
    /// JSON Schema of the tool's result; `None` if it returns nothing.
    pub output_schema: Option<Value>,
}

/// Import of a component.
#[derive(Clone, Debug, Serialize)]
#[non_exhaustive]
pub struct Import {
    /// Name, such as `mitt:host/render@0.1.0`.
    pub name: String,
    /// Provider of the import.
    pub provider: Provider,
    /// Advice, if nobody provides it.
    pub way_out: Option<String>,
}

/// Provider of an import.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Provider {
    /// The minimal WASI, which needs no grant.
    Wasi,
    /// Mitt, as a capability that the skill must be granted.
    Capability,
    /// Mitt, for Extism plug-ins, without a grant.
    Extism,
    /// Mitt, for script engines only, without a grant.
    ScriptEngine,
    /// None is needed, because it contains only types.
    Types,
    /// None exists, so the component cannot be loaded.
    Nobody,
}

impl ExportedFunction {
    fn new(name: &str, signature: Option<String>, docs: &str) -> ExportedFunction {
        ExportedFunction {
            name: name.to_owned(),
            signature,
            docs: docs.to_owned(),
            tool: None,
            reason: None,
            input_schema: None,
            output_schema: None,
        }
    }
}

impl Inspection {
    /// Inspects the content of a file: a component, which may be compressed with zstd. `file` is its name, after which the skill
    /// is named.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - it is not a component; the error says what it is, with advice.
    pub fn of_file(bytes: &[u8], file: &str) -> Result<Inspection> {
        let stem = file.strip_suffix(".zst").unwrap_or(file);
        let stem = stem.strip_suffix(".wasm").unwrap_or(stem);
        let name = match kebab(stem) {
            name if name.starts_with(|c: char| c.is_ascii_lowercase()) => name,
            _ => "component".to_owned(),
        };
        let component = file::component(bytes)?;
        Inspection::new(&name, None, bytes.len(), &component)
    }

    /// Like [`Inspection::of_file`], for the file at `path`.
    ///
    /// # Errors
    ///
    /// Those of [`Inspection::of_file`], and [`ErrorKind::Input`] - there is no such file, or it is unreadable.
    pub fn of_path(path: &Path) -> Result<Inspection> {
        let place = path.display();
        let unreadable = |error: std::io::Error| {
            Error::new(ErrorKind::Input, format!("cannot read {place}"))
                .hint("name an existing `.wasm` or `.wasm.zst` file, the folder of a skill, or the name of a skill")
                .caused_by(error)
        };
        let bytes = plain_file::read(path, MAX_COMPONENT_BYTES).map_err(unreadable)?;
        if bytes.len() as u64 > MAX_COMPONENT_BYTES {
            let message =
                format!("{place}: expected at most {MAX_COMPONENT_BYTES} bytes, got more");
            return Err(Error::new(ErrorKind::Load, message));
        }
        let name = path.file_name().map(|name| name.to_string_lossy()).unwrap_or_default();
        Inspection::of_file(&bytes, &name).map_err(|error| error.at(&place))
    }

    /// Inspects the component of a skill, together with its manifest.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - the component is missing, unreadable or invalid.
    pub fn of_skill(skill: &Skill) -> Result<Inspection> {
        let manifest = skill.manifest();
        let bytes = skill.component()?;
        let inspect = || {
            let stored = bytes.stored().unwrap_or_default();
            let component = file::component(stored)?;
            Inspection::new(&manifest.name, Some(manifest), stored.len(), &component)
        };
        inspect().map_err(|error| error.at(format_args!("skill `{}`", manifest.name)))
    }

    fn new(
        name: &str,
        manifest: Option<&Manifest>,
        stored: usize,
        component: &[u8],
    ) -> Result<Inspection> {
        let sizes = (stored as u64, component.len() as u64);
        let asks = plug_in::asks(component);
        let component = plug_in::component(Cow::Borrowed(component))?;
        let mut interface = Interface::from_component(&component)
            .map_err(|error| file::explain(&component, error))?;
        plug_in::named(&mut interface);
        let only_types = only_types(&component);
        let mut inspection =
            Inspection::of_interface(name, manifest, sizes, &interface, &only_types);
        let may_ask = manifest.is_some_and(|it| it.grants.contains(&Capability::Fetch));
        match (asks, may_ask) {
            (true, false) => inspection.lints.push(Lint::refused_requests()),
            (false, true) => inspection.lints.push(Lint::unused_grant("fetch")),
            _ => {}
        }
        Ok(inspection)
    }

    fn of_interface(
        name: &str,
        manifest: Option<&Manifest>,
        (stored_bytes, component_bytes): (u64, u64),
        interface: &Interface,
        only_types: &HashSet<String>,
    ) -> Inspection {
        let mut inspection = Inspection {
            name: name.to_owned(),
            stored_bytes,
            component_bytes,
            exports: Vec::new(),
            types: Vec::new(),
            imports: Vec::new(),
            grants: Vec::new(),
            obstacles: Vec::new(),
            lints: Vec::new(),
        };
        inspection.read_imports(interface, only_types, manifest);
        inspection.read_exports(interface, manifest);
        inspection
    }

    /// Reads the imports, and the grants that they need.
    fn read_imports(
        &mut self,
        interface: &Interface,
        only_types: &HashSet<String>,
        manifest: Option<&Manifest>,
    ) {
        let is_engine = interface.functions.iter().any(runs_scripts);
        for name in &interface.imports {
            let capability = capability(name);
            let mut import =
                Import { name: name.clone(), provider: Provider::Nobody, way_out: None };
            if is_linked(name) {
                import.provider = Provider::Wasi;
            } else if capability::is_for_plug_ins(name) {
                import.provider = Provider::Extism;
            } else if only_types.contains(name) {
                import.provider = Provider::Types;
            } else if let Some(capability) = capability {
                import.provider = Provider::Capability;
                self.grants.push(capability.name().to_owned());
            } else if is_engine && capability::is_for_engines(name) {
                import.provider = Provider::ScriptEngine;
            } else {
                let way_out = without_provider(name);
                self.obstacles.push(format!("nobody offers its import `{name}`; {way_out}"));
                import.way_out = Some(way_out);
            }
            self.imports.push(import);
        }
        self.grants.sort_unstable();
        self.grants.dedup();
        let Some(manifest) = manifest else { return };
        for grant in &self.grants {
            if manifest.grants.iter().all(|granted| granted.name() != grant) {
                self.obstacles.push(format!(
                    "its skill does not grant `{grant}`; add it to `grants` in `skill.yaml` if the skill should have it"
                ));
            }
        }
        for granted in &manifest.grants {
            if let Capability::Own(name) = granted {
                self.obstacles.push(format!(
                    "its skill grants `{name}`, which is unknown here: {}",
                    capability::OWN
                ));
            } else if *granted != Capability::Fetch
                && self.grants.iter().all(|needed| needed != granted.name())
            {
                self.lints.push(Lint::unused_grant(granted.name()));
            }
        }
    }

    /// Reads the exports with their tools and types, and adds lints.
    fn read_exports(&mut self, interface: &Interface, manifest: Option<&Manifest>) {
        let mut named = self.named(interface, manifest);
        let mut linter = lints::Linter::default();
        let mut types = Definitions::default();
        for function in &interface.functions {
            let (instance, name) = (&function.instance, &function.name);
            let mut exported =
                ExportedFunction::new(name, Some(signature(function)), &function.docs);
            // The signature of a plug-in's function has only bytes.
            let is_plug_in = |tool: &ToolFunction| tool.contract.is_some();
            match named.remove(&(instance.clone(), name.clone())) {
                _ if called_by_host(function) => {
                    let purpose = if runs_scripts(function) { "run scripts" } else { "read files" };
                    exported.reason = Some(format!("the host calls it to {purpose}"));
                    types.add(function);
                }
                Some(Ok(tool)) if is_plug_in(&tool) => {
                    linter.plug_in_function(&tool.function, tool.name.as_str());
                    let shown = Function { name: name.clone(), ..Function::clone(&tool.function) };
                    exported.signature = Some(signature(&shown));
                    exported.docs.clone_from(&tool.function.docs);
                    exported.tool = Some(tool.name.to_string());
                    exported.input_schema = Some(schema::arguments(&tool.function));
                    exported.output_schema = schema::result(&tool.function);
                }
                Some(Ok(tool)) => {
                    linter.function(&tool.function, tool.name.as_str());
                    types.add(function);
                    // `skill.yaml` may describe it in place of the component.
                    exported.docs.clone_from(&tool.function.docs);
                    exported.tool = Some(tool.name.to_string());
                    exported.input_schema = Some(schema::arguments(&tool.function));
                    exported.output_schema = schema::result(&tool.function);
                }
                Some(Err(reason)) => {
                    if is_tool(function) {
                        linter.without_name(function, &reason);
                    }
                    exported.reason = Some(reason);
                }
                None => {}
            }
            self.export(instance.as_deref()).push(exported);
        }
        for skipped in &interface.skipped {
            let wasi = skipped.instance.as_ref().is_some_and(|name| name.starts_with("wasi:"));
            // Functions that a language runtime exports for its host are not meant to be tools.
            if !wasi {
                linter.skipped(skipped);
            }
            let mut exported = ExportedFunction::new(&skipped.name, None, "");
            exported.reason = Some(skipped.reason.clone());
            self.export(skipped.instance.as_deref()).push(exported);
        }
        let mut functions = self.exports.iter().flat_map(|export| &export.functions);
        let reads = interface.functions.iter().any(called_by_host);
        if !reads && functions.all(|function| function.tool.is_none()) {
            linter.no_tools();
        }
        self.types = types.texts;
        self.lints.extend(linter.finish());
    }

    /// Maps functions, by interface and name, to their tools, or to the reason why they are not tools.
    fn named(
        &mut self,
        interface: &Interface,
        manifest: Option<&Manifest>,
    ) -> HashMap<(Option<String>, String), Result<ToolFunction, String>> {
        let with_policies = |toolbox: Toolbox| match manifest {
            Some(manifest) => toolbox.with_policies(&manifest.tools),
            None => Ok(toolbox),
        };
        let toolbox =
            Toolbox::new(&self.name, interface, manifest.is_some()).and_then(with_policies);
        let Toolbox { tools, skipped, .. } = match toolbox {
            Ok(toolbox) => toolbox,
            Err(error) => {
                self.obstacles.push(error.render().replace("\nhint: ", "; "));
                return HashMap::new();
            }
        };
        let tools = tools.into_iter().map(|tool| {
            let instance = tool.function.instance.clone();
            ((instance, tool.exported().to_owned()), Ok(tool))
        });
        let skipped = skipped.into_iter().map(|it| ((it.instance, it.name), Err(it.reason)));
        tools.chain(skipped).collect()
    }

    /// Returns the functions of an exported interface, which is added if it is new.
    fn export(&mut self, interface: Option<&str>) -> &mut Vec<ExportedFunction> {
        // Functions of an interface are usually adjacent.
        let found =
            self.exports.iter().rposition(|export| export.interface.as_deref() == interface);
        let index = found.unwrap_or(self.exports.len());
        if index == self.exports.len() {
            let interface = interface.map(str::to_owned);
            self.exports.push(Export { interface, functions: Vec::new() });
        }
        &mut self.exports[index].functions
    }
}

/// Returns the capability of an import of this host's version.
fn capability(import: &str) -> Option<Capability> {
    let (name, version) = import.strip_prefix(HOST)?.split_once('@')?;
    Capability::of_interface(name).filter(|_| version.starts_with(HOST_VERSION))
}

/// Returns advice for an import that nobody provides.
fn without_provider(import: &str) -> String {
    if let Some(way_out) = way_out(import) {
        return way_out.to_owned();
    }
    if import.starts_with(HOST) {
        let known: Vec<_> =
            Capability::interfaces().map(|capability| format!("`{}`", capability.name())).collect();
        let known = known.join(", ");
        return format!("of `mitt:host` there are {known}, each in version {HOST_VERSION}x");
    }
    let without = "build the component without it, or compose it with one that exports it";
    if capability::is_ones_own(import) {
        format!("{without}; {}", capability::OWN)
    } else {
        without.to_owned()
    }
}

/// Returns the names of imported interfaces that contain only types and are therefore not linked.
fn only_types(component: &[u8]) -> HashSet<String> {
    // A component that cannot be decoded was refused before.
    let Ok(DecodedWasm::Component(resolve, world)) = decode(component) else {
        return HashSet::new();
    };
    let without_functions = |item: &WorldItem| match item {
        WorldItem::Interface { id, .. } => {
            let interface = &resolve.interfaces[*id];
            let is_resource =
                |id: &wit_parser::TypeId| matches!(resolve.types[*id].kind, TypeDefKind::Resource);
            interface.functions.is_empty() && !interface.types.values().any(is_resource)
        }
        WorldItem::Type { .. } => true,
        WorldItem::Function(_) => false,
    };
    let imports = resolve.worlds[world].imports.iter();
    imports
        .filter(|(_, item)| without_functions(item))
        .map(|(key, _)| resolve.name_world_key(key))
        .collect()
}

/// Returns whether a function belongs to an interface that readers or script engines export.
fn called_by_host(function: &Function) -> bool {
    let is_of = |instance: &String| READER.iter().any(|name| instance.starts_with(name));
    function.instance.as_ref().is_some_and(is_of) || runs_scripts(function)
}

/// Returns the signature of a function in WIT notation.
fn signature(function: &Function) -> String {
    let params: Vec<_> =
        function.params.iter().map(|param| format!("{}: {}", param.name, param.ty)).collect();
    let result = function.result.as_ref().map(|ty| format!(" -> {ty}")).unwrap_or_default();
    format!("{}: func({}){result}", function.name, params.join(", "))
}

/// Definitions of named types in WIT notation, each once.
#[derive(Default)]
struct Definitions {
    seen: HashSet<usize>,
    texts: Vec<String>,
}

impl Definitions {
    fn add(&mut self, function: &Function) {
        let types = function.params.iter().map(|param| &param.ty).chain(&function.result);
        types.for_each(|ty| self.visit(ty));
    }

    fn visit(&mut self, ty: &Type) {
        if let Some(address) = ty.address() {
            if !self.seen.insert(address) {
                return;
            }
            self.texts.extend(definition(ty));
        }
        // A type is at most a hundred levels deep.
        ty.for_each_part(&mut |part| self.visit(part));
    }
}

fn definition(ty: &Type) -> Option<String> {
    let fields = |fields: &[Field]| {
        let fields: Vec<_> =
            fields.iter().map(|field| format!("{}: {}", field.name, field.ty)).collect();
        fields.join(", ")
    };
    Some(match ty {
        Type::Record(it) => format!("record {} {{ {} }}", it.name, fields(&it.fields)),
        Type::Variant(it) => {
            let cases: Vec<_> = it
                .cases
                .iter()
                .map(|case| match &case.ty {
                    Some(ty) => format!("{}({ty})", case.name),
                    None => case.name.clone(),
                })
                .collect();
            format!("variant {} {{ {} }}", it.name, cases.join(", "))
        }
        Type::Enum(it) => {
            let cases: Vec<_> = it.cases.iter().map(|case| case.name.as_str()).collect();
            format!("enum {} {{ {} }}", it.name, cases.join(", "))
        }
        Type::Flags(it) => {
            let flags: Vec<_> = it.flags.iter().map(|flag| flag.name.as_str()).collect();
            format!("flags {} {{ {} }}", it.name, flags.join(", "))
        }
        Type::Alias(it) => format!("type {} = {}", it.name, it.ty),
        _ => return None,
    })
}
