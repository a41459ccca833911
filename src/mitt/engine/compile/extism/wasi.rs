//! Plug-ins that import WASI preview 1: wasmtime's adapter makes WASI 0.2 of it, and `wit-component` knows how the two belong
//! together. What it makes is moved into our component, part by part.
//!
//! To `wit-component` everything else that the plug-in imports is an interface of a component. Where what it made imports these, the
//! parts of our component stand instead, so that a call from the plug-in to the kernel stays a call between core modules.

use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;

use wasi_preview1_component_adapter_provider::WASI_SNAPSHOT_PREVIEW1_REACTOR_ADAPTER as ADAPTER;
use wasm_encoder::reencode::{Error as Moved, Reencode, ReencodeComponent, RoundtripReencoder};
use wasm_encoder::{
    CanonicalFunctionSection, ComponentAliasSection, ComponentImportSection, ComponentSectionId,
    ComponentTypeSection, EntityType, ImportSection, InstanceSection, RawSection,
};
use wasmparser::{
    CanonicalFunction, Chunk, ComponentAlias, ComponentExternalKind, ComponentTypeRef,
    ExternalKind, Instance, Parser, Payload, ValType,
};
use wit_component::{ComponentEncoder, StringEncoding, embed_component_metadata};
use wit_parser::Resolve;

use super::module::Module;
use super::parts::{Counts, Parts};
use crate::engine::extism::{component_name, plugin_name};
use mitt_base::{Error, ErrorKind, Result, text};

/// What plug-ins call WASI.
pub(super) const WASI: &str = "wasi_snapshot_preview1";

/// The package of the interfaces that stand for what a plug-in imports beside WASI.
const PACKAGE: &str = "mitt:around";

#[cold]
fn failed(module: &Module<'_>, cause: &dyn std::fmt::Display) -> Error {
    let message = format!("`{}` cannot be made a component", module.name);
    let cause = text::one_line(text::cut_bytes(&cause.to_string(), 400));
    Error::new(ErrorKind::Load, message).caused_by(cause)
}

/// Add a module and the adapter to `parts`, with the instances that it imports from `around` it. Gives the module's instance, whose
/// `_initialize` has been called.
///
/// # Errors
///
/// [`ErrorKind::Load`] - it imports something else than functions, or of WASI what the adapter does not have.
pub(super) fn add(
    parts: &mut Parts,
    module: &Module<'_>,
    around: &BTreeMap<&str, u32>,
) -> Result<u32> {
    let component = component(module)?;
    let sources = module.sources().into_iter().filter(|source| *source != WASI);
    let around: Vec<u32> = sources.map(|source| around[source]).collect();
    let mut moving = Moving {
        base: parts.counts,
        depth: 0,
        instances: Vec::new(),
        functions: Vec::new(),
        around: HashMap::new(),
        lowered: HashMap::new(),
        main: None,
        parts,
    };
    moving.all(&component, &around).map_err(|error| failed(module, &error))?;
    moving.main.ok_or_else(|| failed(module, &"its instance is not found"))
}

/// The component that `wit-component` makes of a module.
fn component(module: &Module<'_>) -> Result<Vec<u8>> {
    let mut world = String::from("world plugin {\n");
    let mut interfaces = String::new();
    let sources = module.sources().into_iter().filter(|source| *source != WASI);
    let mut names: HashMap<&str, String> = HashMap::new();
    for (index, source) in sources.enumerate() {
        let _ = writeln!(world, "  import around{index};");
        let _ = writeln!(interfaces, "interface around{index} {{");
        let mut written: Vec<&str> = Vec::new();
        for import in module.imports.iter().filter(|import| import.module == source) {
            let Some(ty) = &import.function else {
                let message = format!(
                    "`{}` imports `{}` of `{source}`, which is no function",
                    module.name, import.name
                );
                return Err(Error::new(ErrorKind::Load, message).hint(
                    "a module that imports WASI can share functions with others, and nothing else",
                ));
            };
            if written.contains(&import.name) {
                continue;
            }
            written.push(import.name);
            let params = ty.params().iter().enumerate();
            let params: Vec<String> =
                params.map(|(index, ty)| format!("p{index}: {}", wit_type(*ty))).collect();
            let result = match ty.results() {
                [] => String::new(),
                [ty] => format!(" -> {}", wit_type(*ty)),
                _ => return Err(failed(module, &"a function that it imports has several results")),
            };
            let name = component_name(import.name);
            let _ = writeln!(interfaces, "  {name}: func({}){result};", params.join(", "));
        }
        interfaces.push_str("}\n");
        names.insert(source, format!("{PACKAGE}/around{index}"));
    }
    let mut resolve = Resolve::default();
    let wit = format!("package {PACKAGE};\n{interfaces}{world}}}\n");
    let package = resolve.push_str("around.wit", &wit).map_err(|error| failed(module, &error))?;
    let world =
        resolve.select_world(&[package], Some("plugin")).map_err(|error| failed(module, &error))?;
    let mut renamed = wasm_encoder::Module::new();
    Renaming { names }
        .parse_core_module(&mut renamed, Parser::new(0), module.bytes)
        .map_err(|error| failed(module, &error))?;
    let mut renamed = renamed.finish();
    embed_component_metadata(&mut renamed, &resolve, world, StringEncoding::UTF8)
        .and_then(|()| {
            ComponentEncoder::default().module(&renamed)?.adapter(WASI, ADAPTER)?.encode()
        })
        .map_err(|error| failed(module, &format!("{error:#}")))
}

fn wit_type(ty: ValType) -> &'static str {
    match ty {
        ValType::I32 => "s32",
        ValType::F32 => "f32",
        ValType::F64 => "f64",
        // References are no part of an interface; the encoder refuses what does not fit.
        ValType::I64 | ValType::V128 | ValType::Ref(_) => "s64",
    }
}

/// Gives the imports of a module names that can stand in an interface.
struct Renaming<'a> {
    names: HashMap<&'a str, String>,
}

impl Reencode for Renaming<'_> {
    type Error = std::convert::Infallible;

    fn parse_import_section(
        &mut self,
        imports: &mut ImportSection,
        section: wasmparser::ImportSectionReader<'_>,
    ) -> Result<(), Moved<Self::Error>> {
        for import in section.into_imports() {
            let import = import?;
            let ty: EntityType = RoundtripReencoder.entity_type(import.ty)?;
            match self.names.get(import.module) {
                Some(name) => imports.import(name, &component_name(import.name), ty),
                None => imports.import(import.module, import.name, ty),
            };
        }
        Ok(())
    }
}

/// Moves the parts of a component into another one, behind those that are there.
struct Moving<'p> {
    parts: &'p mut Parts,
    /// How much was there before.
    base: Counts,
    /// How deep in types.
    depth: u32,
    /// Where instances and functions are now. Those that are left out have no place.
    instances: Vec<Option<u32>>,
    functions: Vec<Option<u32>>,
    /// Instances that are left out, and the core instances in their place.
    around: HashMap<u32, u32>,
    /// Functions of these: the core instance and the name there.
    lowered: HashMap<u32, (u32, String)>,
    /// The instance of the plug-in's module, which comes first.
    main: Option<u32>,
}

type Stopped = Moved<std::convert::Infallible>;

impl Moving<'_> {
    fn all(&mut self, component: &[u8], around: &[u32]) -> Result<(), Stopped> {
        let mut parser = Parser::new(0);
        let mut rest = component;
        while !rest.is_empty() {
            let payload = match parser.parse(rest, true)? {
                Chunk::Parsed { consumed, payload } => {
                    rest = &rest[consumed..];
                    payload
                }
                Chunk::NeedMoreData(_) => return Err(Moved::UnexpectedNonComponentSection),
            };
            if let Payload::ModuleSection { unchecked_range, .. } = &payload {
                rest = rest.get(unchecked_range.len()..).unwrap_or_default();
            }
            self.section(payload, component, around)?;
        }
        Ok(())
    }

    fn section(
        &mut self,
        payload: Payload<'_>,
        component: &[u8],
        around: &[u32],
    ) -> Result<(), Stopped> {
        match payload {
            Payload::Version { .. } | Payload::End(_) | Payload::CustomSection(_) => {}
            Payload::ModuleSection { unchecked_range: range, .. } => {
                let data = component.get(range).unwrap_or_default();
                let id = ComponentSectionId::CoreModule.into();
                self.parts.section(&RawSection { id, data });
                self.parts.counts.modules += 1;
            }
            Payload::ComponentTypeSection(section) => {
                self.parts.counts.types += section.count();
                let mut types = ComponentTypeSection::new();
                self.parse_component_type_section(&mut types, section)?;
                self.parts.section(&types);
            }
            Payload::ComponentImportSection(section) => self.imports(section, around)?,
            Payload::ComponentAliasSection(section) => {
                for alias in section {
                    self.alias(alias?)?;
                }
            }
            Payload::ComponentCanonicalSection(section) => {
                for function in section {
                    self.canonical(function?)?;
                }
            }
            Payload::InstanceSection(section) => {
                for instance in section {
                    self.core_instance(instance?)?;
                }
            }
            // The world exports nothing, and the encoder nests no components for what it imports.
            _ => return Err(Moved::UnexpectedNonComponentSection),
        }
        Ok(())
    }

    fn imports(
        &mut self,
        section: wasmparser::ComponentImportSectionReader<'_>,
        around: &[u32],
    ) -> Result<(), Stopped> {
        for import in section {
            let import = import?;
            let name = import.name.name;
            let beside = name.strip_prefix(PACKAGE).and_then(|it| it.strip_prefix("/around"));
            let beside = beside.and_then(|index| around.get(index.parse::<usize>().ok()?));
            if let Some(core) = beside {
                self.around.insert(count(&self.instances), *core);
                self.instances.push(None);
                continue;
            }
            let ComponentTypeRef::Instance(_) = import.ty else {
                return Err(Moved::UnexpectedNonComponentSection);
            };
            let mut imports = ComponentImportSection::new();
            imports.import(name, self.component_type_ref(import.ty)?);
            self.parts.section(&imports);
            self.instances.push(Some(self.parts.counts.instances));
            self.parts.counts.instances += 1;
        }
        Ok(())
    }

    fn alias(&mut self, alias: ComponentAlias<'_>) -> Result<(), Stopped> {
        if let ComponentAlias::InstanceExport { instance_index, name, .. } = &alias
            && let Some(core) = self.around.get(instance_index)
        {
            let name = plugin_name(name).ok_or(Moved::UnexpectedNonComponentSection)?;
            self.lowered.insert(count(&self.functions), (*core, name));
            self.functions.push(None);
            return Ok(());
        }
        let counts = &mut self.parts.counts;
        match &alias {
            ComponentAlias::InstanceExport { kind, .. } => match kind {
                ComponentExternalKind::Func => {
                    self.functions.push(Some(counts.functions));
                    counts.functions += 1;
                }
                ComponentExternalKind::Type => counts.types += 1,
                _ => return Err(Moved::UnexpectedNonComponentSection),
            },
            ComponentAlias::CoreInstanceExport { kind, .. } => match kind {
                ExternalKind::Func | ExternalKind::FuncExact => counts.core_functions += 1,
                ExternalKind::Memory => counts.memories += 1,
                ExternalKind::Table => counts.tables += 1,
                ExternalKind::Global => counts.globals += 1,
                ExternalKind::Tag => return Err(Moved::UnexpectedNonComponentSection),
            },
            ComponentAlias::Outer { .. } => return Err(Moved::UnexpectedNonComponentSection),
        }
        let mut aliases = ComponentAliasSection::new();
        aliases.alias(self.component_alias(alias)?);
        self.parts.section(&aliases);
        Ok(())
    }

    fn canonical(&mut self, function: CanonicalFunction) -> Result<(), Stopped> {
        match &function {
            CanonicalFunction::Lower { func_index, .. } => {
                if let Some((core, name)) = self.lowered.get(func_index) {
                    self.parts.core_function(*core, name);
                    return Ok(());
                }
                self.parts.counts.core_functions += 1;
            }
            CanonicalFunction::ResourceDrop { .. } => self.parts.counts.core_functions += 1,
            _ => return Err(Moved::UnexpectedNonComponentSection),
        }
        let mut canonical = CanonicalFunctionSection::new();
        self.parse_component_canonical(&mut canonical, function)?;
        self.parts.section(&canonical);
        Ok(())
    }

    fn core_instance(&mut self, instance: Instance<'_>) -> Result<(), Stopped> {
        if matches!(&instance, Instance::Instantiate { module_index: 0, .. }) {
            self.main = Some(self.parts.counts.core_instances);
        }
        let mut instances = InstanceSection::new();
        self.parse_instance(&mut instances, instance)?;
        self.parts.section(&instances);
        self.parts.counts.core_instances += 1;
        Ok(())
    }
}

fn count<T>(items: &[T]) -> u32 {
    u32::try_from(items.len()).unwrap_or(u32::MAX)
}

/// Core indices, counted on from what was there before.
impl Reencode for Moving<'_> {
    type Error = std::convert::Infallible;

    fn function_index(&mut self, index: u32) -> Result<u32, Stopped> {
        Ok(index + self.base.core_functions)
    }

    fn memory_index(&mut self, index: u32) -> Result<u32, Stopped> {
        Ok(index + self.base.memories)
    }

    fn table_index(&mut self, index: u32) -> Result<u32, Stopped> {
        Ok(index + self.base.tables)
    }

    fn global_index(&mut self, index: u32) -> Result<u32, Stopped> {
        Ok(index + self.base.globals)
    }
}

impl ReencodeComponent for Moving<'_> {
    fn push_depth(&mut self) {
        self.depth += 1;
    }

    fn pop_depth(&mut self) {
        self.depth -= 1;
    }

    fn component_type_index(&mut self, index: u32) -> u32 {
        if self.depth == 0 { index + self.base.types } else { index }
    }

    fn outer_component_type_index(&mut self, depth: u32, index: u32) -> u32 {
        if depth == self.depth { index + self.base.types } else { index }
    }

    fn component_instance_index(&mut self, index: u32) -> u32 {
        let known = self.instances.get(index as usize).copied().flatten();
        if self.depth == 0 { known.unwrap_or(u32::MAX) } else { index }
    }

    fn component_func_index(&mut self, index: u32) -> u32 {
        let known = self.functions.get(index as usize).copied().flatten();
        if self.depth == 0 { known.unwrap_or(u32::MAX) } else { index }
    }

    fn module_index(&mut self, index: u32) -> u32 {
        index + self.base.modules
    }

    fn instance_index(&mut self, index: u32) -> u32 {
        index + self.base.core_instances
    }
}
