//! Reads an [`Interface`] from the bytes of a component, with the documentation in its custom sections.
//!
//! No other folder knows wasmparser and wit-parser, which only builds with the feature `read` have; the others use
//! `read_disabled.rs` instead.

mod callable;
mod handle;
mod needs;
mod nesting;
mod sections;
mod wit_docs;

use super::docs::{clean, param_docs};
use super::types::{
    AliasType, Case, EnumType, Field, FlagsType, Function, Interface, Label, MAX_DEPTH, RecordType,
    ResourceType, Skipped, Type, VariantType, resource_function,
};
use mitt_base::error::{Error, ErrorKind, Result};
use serde_json::Value;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use wit_parser::decoding::{DecodedWasm, decode};
use wit_parser::{
    Handle, InterfaceId, Resolve, TypeDefKind, TypeId, TypeOwner, WorldId, WorldItem,
};

use needs::needs;
pub use nesting::check_nesting;
use sections::{CORE_MODULE, docs_section};

/// Largest type of a function, with all types that it is made of, counted at each use.
///
/// Components share anonymous types, so a few bytes can stand for a type of a million parts; its schema and its checks would
/// be as large.
const MAX_PARTS: u32 = 10_000;

/// The same limit for all functions together, because a listing is as large as all of them.
const MAX_ALL_PARTS: u32 = 100_000;

impl Interface {
    /// Reads what [`Interface::from_component`] reads, and the names of the imports that need an implementation: functions
    /// and resources. Types are only names for what the component itself defines.
    ///
    /// # Errors
    ///
    /// Those of [`Interface::from_component`].
    pub fn with_needs(bytes: &[u8]) -> Result<(Interface, Vec<String>)> {
        let refused = |what: &str| Error::new(ErrorKind::Load, what);
        if bytes.get(4..8) == Some(&CORE_MODULE) {
            return Err(refused("expected a component, got a core module"));
        }
        check_nesting(bytes)?;
        match decode(bytes) {
            Ok(DecodedWasm::Component(resolve, world)) => {
                let interface = Reader::new(&resolve, docs_section(bytes)).interface(world)?;
                Ok((interface, needs(&resolve, world)))
            }
            Ok(DecodedWasm::WitPackage(..)) => {
                Err(refused("expected a component, got a WIT package"))
            }
            Err(error) if format!("{error:#}").contains("was not a function or instance") => Err(
                refused("the component exports a type at its root, which is not supported").hint(
                    "export the type from an interface, together with the functions that use it",
                ),
            ),
            Err(error) => {
                Err(refused("the bytes are not a valid component").caused_by(error.to_string()))
            }
        }
    }

    /// Reads the interface of `world` from texts in WIT, for example to see the schemas before there is a component. Each
    /// file is a name, for messages, and its text. Packages that others use come first, and `world` is in the last file.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Load`] - a text is not WIT or uses a package that was not given; the world does not exist; its types are
    /// too large.
    pub fn from_wit(files: &[(&str, &str)], world: &str) -> Result<Interface> {
        let refused = |what: String| Error::new(ErrorKind::Load, what);
        let mut resolve = Resolve { all_features: true, ..Default::default() };
        let mut package = None;
        for (name, text) in files {
            let pushed = resolve.push_str(name, text);
            package = Some(pushed.map_err(|error| {
                refused(format!("{name} is not valid WIT")).caused_by(error.to_string())
            })?);
        }
        let found = package.and_then(|package| resolve.packages[package].worlds.get(world));
        let world = *found.ok_or_else(|| refused(format!("there is no world `{world}`")))?;
        Reader::new(&resolve, Value::Null).interface(world)
    }
}

/// A type with its size and depth.
#[derive(Clone)]
struct Measured {
    ty: Type,
    parts: u32,
    depth: u32,
}

struct Reader<'a> {
    resolve: &'a Resolve,
    docs: Value,
    known: HashMap<TypeId, Measured>,
    resources: HashMap<TypeId, Arc<ResourceType>>,
    /// Names of the interfaces of the world, as the component exports or imports them.
    names: HashMap<InterfaceId, String>,
    /// Parts that the types of further functions may have.
    parts_left: u32,
}

impl<'a> Reader<'a> {
    fn new(resolve: &'a Resolve, docs: Value) -> Reader<'a> {
        Reader {
            resolve,
            docs,
            known: HashMap::new(),
            resources: HashMap::new(),
            names: HashMap::new(),
            parts_left: MAX_ALL_PARTS,
        }
    }

    fn interface(mut self, world: WorldId) -> Result<Interface> {
        let resolve = self.resolve;
        let world = &resolve.worlds[world];
        let mut interface = Interface {
            imports: world.imports.keys().map(|key| resolve.name_world_key(key)).collect(),
            ..Default::default()
        };
        let mut exported = HashSet::new();
        // An interface that is both imported and exported is named as in the export.
        for (key, item) in world.exports.iter().chain(&world.imports) {
            if let WorldItem::Interface { id, .. } = item {
                self.names.entry(*id).or_insert_with(|| resolve.name_world_key(key));
            }
        }
        for (key, item) in &world.exports {
            match item {
                WorldItem::Interface { id, .. } => {
                    let instance = resolve.name_world_key(key);
                    exported.insert(instance.clone());
                    for function in resolve.interfaces[*id].functions.values() {
                        self.export(&mut interface, Some((&instance, *id)), function)?;
                    }
                }
                WorldItem::Function(function) => self.export(&mut interface, None, function)?,
                WorldItem::Type { .. } => {}
            }
        }
        let (functions, skipped) =
            callable::sort(std::mem::take(&mut interface.functions), &exported);
        interface.functions = functions;
        interface.skipped.extend(skipped);
        Ok(interface)
    }

    fn export(
        &mut self,
        interface: &mut Interface,
        instance: Option<(&str, InterfaceId)>,
        function: &wit_parser::Function,
    ) -> Result<()> {
        let instance_name = instance.map(|(name, _)| name.to_owned());
        if let Some(reason) = self.skip_reason(instance.map(|(_, id)| id), &function.kind) {
            let (name, reason) = (function.name.clone(), reason.to_owned());
            interface.skipped.push(Skipped { instance: instance_name, name, reason });
            return Ok(());
        }
        let read = self.function(instance, function).map_err(|error| match &instance_name {
            Some(instance) => {
                error.at(format_args!("function `{}` of `{instance}`", function.name))
            }
            None => error.at(format_args!("function `{}`", function.name)),
        })?;
        match read {
            Ok(function) => interface.functions.push(function),
            Err(reason) => {
                let name = function.name.clone();
                interface.skipped.push(Skipped { instance: instance_name, name, reason });
            }
        }
        Ok(())
    }

    fn skip_reason(
        &self,
        instance: Option<InterfaceId>,
        kind: &wit_parser::FunctionKind,
    ) -> Option<&'static str> {
        use wit_parser::FunctionKind::{
            AsyncFreestanding, AsyncMethod, AsyncStatic, Constructor, Freestanding, Method, Static,
        };
        let package = instance.and_then(|id| self.resolve.interfaces[id].package);
        if package.is_some_and(|id| self.resolve.packages[id].name.namespace == "wasi") {
            return Some("WASI exports are called by language runtimes, not by models");
        }
        match kind {
            Freestanding | Constructor(_) | Method(_) | Static(_) => None,
            AsyncFreestanding | AsyncMethod(_) | AsyncStatic(_) => {
                Some("async functions are not supported")
            }
        }
    }

    fn function(
        &mut self,
        instance: Option<(&str, InterfaceId)>,
        function: &wit_parser::Function,
    ) -> Result<Result<Function, String>> {
        let docs = instance
            .and_then(|(_, id)| self.docs_of(id, "funcs", &function.name))
            .and_then(|described| text(described.get("docs").unwrap_or(described)))
            .or_else(|| clean(function.docs.contents.as_deref()))
            .or_else(|| self.resource_docs(instance.map(|(_, id)| id)?, &function.name))
            .unwrap_or_default();
        let mut parts = 0_u32;
        let mut params = Vec::with_capacity(function.params.len());
        for param in &function.params {
            let sized = self.ty(param.ty)?;
            parts = parts.saturating_add(sized.parts);
            params.push(Field::new(&param.name, sized.ty, param_docs(&docs, &param.name)));
        }
        let mut result = None;
        if let Some(ty) = function.result {
            let sized = self.ty(ty)?;
            parts = parts.saturating_add(sized.parts);
            result = Some(sized.ty);
        }
        if parts > MAX_PARTS {
            return Ok(Err(format!(
                "types of more than {MAX_PARTS} parts are not supported, these have {parts}"
            )));
        }
        let Some(left) = self.parts_left.checked_sub(parts) else {
            return Ok(Err(format!(
                "the functions of a component together may have types of {MAX_ALL_PARTS} parts"
            )));
        };
        self.parts_left = left;
        Ok(Ok(Function {
            instance: instance.map(|(name, _)| name.to_owned()),
            name: function.name.clone(),
            docs,
            params,
            result,
        }))
    }

    /// Returns what the documentation section says about a function or type.
    fn docs_of(&self, interface: InterfaceId, kind: &str, name: &str) -> Option<&Value> {
        let interface = &self.resolve.interfaces[interface];
        let package = &self.resolve.packages[interface.package?].name;
        self.docs
            .get(package.to_string())?
            .get("interfaces")?
            .get(interface.name.as_deref()?)?
            .get(kind)?
            .get(name)
    }

    fn ty(&mut self, ty: wit_parser::Type) -> Result<Measured> {
        use wit_parser::Type as Wit;
        let ty = match ty {
            Wit::Bool => Type::Bool,
            Wit::U8 => Type::U8,
            Wit::U16 => Type::U16,
            Wit::U32 => Type::U32,
            Wit::U64 => Type::U64,
            Wit::S8 => Type::S8,
            Wit::S16 => Type::S16,
            Wit::S32 => Type::S32,
            Wit::S64 => Type::S64,
            Wit::F32 => Type::F32,
            Wit::F64 => Type::F64,
            Wit::Char => Type::Char,
            Wit::String => Type::String,
            Wit::ErrorContext => Type::Unsupported("error-context".into()),
            Wit::Id(id) => return self.defined(id),
        };
        Ok(Measured { ty, parts: 1, depth: 1 })
    }

    /// Returns a type of the table. Ids refer only to earlier types, so the recursion ends. The depth is checked before each
    /// step, because a component can nest types as deep as it is long.
    fn defined(&mut self, id: TypeId) -> Result<Measured> {
        if let Some(known) = self.known.get(&id) {
            return Ok(known.clone());
        }
        let mut pending = vec![id];
        while let Some(&id) = pending.last() {
            let before = pending.len();
            for part in parts_of(&self.resolve.types[id].kind) {
                if let wit_parser::Type::Id(part) = part
                    && !self.known.contains_key(&part)
                {
                    pending.push(part);
                }
            }
            if pending.len() == before {
                pending.pop();
                if !self.known.contains_key(&id) {
                    let sized = self.define(id)?;
                    self.known.insert(id, sized);
                }
            }
        }
        self.known.get(&id).cloned().ok_or_else(|| Error::bug("a type was not read"))
    }

    /// Returns a type whose parts are all known.
    fn define(&mut self, id: TypeId) -> Result<Measured> {
        let definition = &self.resolve.types[id];
        let mut size = Size { parts: 1, depth: 0 };
        let mut ty = self.kind(id, &mut size)?;
        if let Some(well_known) = self.well_known(id, &ty) {
            return Ok(Measured { ty: well_known, parts: 4, depth: 1 });
        }
        if size.depth >= MAX_DEPTH {
            return Err(Error::new(
                ErrorKind::Load,
                format!("types nested over {MAX_DEPTH} levels are not supported"),
            ));
        }
        // A definition keeps its original name wherever it is used.
        let named = ty.definition().is_some() || handle::is_well_known(&ty);
        if let (Some(name), false) = (&definition.name, named) {
            ty = Type::Alias(Arc::new(AliasType {
                name: name.clone(),
                docs: self.type_docs(id),
                ty,
            }));
        }
        Ok(Measured { ty, parts: size.parts, depth: size.depth + 1 })
    }

    fn kind(&mut self, id: TypeId, size: &mut Size) -> Result<Type> {
        let definition = &self.resolve.types[id];
        let name = definition.name.clone().unwrap_or_default();
        Ok(match &definition.kind {
            TypeDefKind::Type(ty) => self.part(*ty, size)?,
            TypeDefKind::List(wit_parser::Type::U8) => Type::Bytes,
            TypeDefKind::List(ty) => Type::List(Arc::new(self.part(*ty, size)?)),
            TypeDefKind::FixedLengthList(ty, length) => {
                Type::FixedList(Arc::new(self.part(*ty, size)?), *length)
            }
            TypeDefKind::Map(key, value) => {
                Type::Map(Arc::new((self.part(*key, size)?, self.part(*value, size)?)))
            }
            TypeDefKind::Option(ty) => Type::Option(Arc::new(self.part(*ty, size)?)),
            TypeDefKind::Result(types) => {
                let ok = types.ok.map(|ty| self.part(ty, size)).transpose()?;
                let err = types.err.map(|ty| self.part(ty, size)).transpose()?;
                Type::Result(Arc::new((ok, err)))
            }
            TypeDefKind::Tuple(tuple) => Type::Tuple(
                tuple
                    .types
                    .iter()
                    .map(|ty| self.part(*ty, size))
                    .collect::<Result<Vec<_>>>()?
                    .into(),
            ),
            TypeDefKind::Record(record) => {
                let mut fields = Vec::with_capacity(record.fields.len());
                for field in &record.fields {
                    let docs = self.item_docs(id, &field.name, &field.docs);
                    fields.push(Field::new(&field.name, self.part(field.ty, size)?, docs));
                }
                Type::Record(Arc::new(RecordType { name, docs: self.type_docs(id), fields }))
            }
            TypeDefKind::Variant(variant) => {
                let mut cases = Vec::with_capacity(variant.cases.len());
                for case in &variant.cases {
                    let ty = case.ty.map(|ty| self.part(ty, size)).transpose()?;
                    let docs = self.item_docs(id, &case.name, &case.docs);
                    size.parts = size.parts.saturating_add(1);
                    cases.push(Case { name: case.name.clone(), docs, ty });
                }
                Type::Variant(Arc::new(VariantType { name, docs: self.type_docs(id), cases }))
            }
            TypeDefKind::Enum(it) => {
                let cases =
                    self.labels(id, it.cases.iter().map(|case| (&case.name, &case.docs)), size);
                Type::Enum(Arc::new(EnumType { name, docs: self.type_docs(id), cases }))
            }
            TypeDefKind::Flags(it) => {
                let flags =
                    self.labels(id, it.flags.iter().map(|flag| (&flag.name, &flag.docs)), size);
                Type::Flags(Arc::new(FlagsType { name, docs: self.type_docs(id), flags }))
            }
            TypeDefKind::Handle(Handle::Own(it)) => handle::owned(self.resource(*it)),
            TypeDefKind::Handle(Handle::Borrow(it)) => handle::borrowed(self.resource(*it)),
            TypeDefKind::Resource => handle::owned(self.resource(id)),
            TypeDefKind::Future(ty) => {
                unsupported("future", ty.map(|ty| self.part(ty, size)).transpose()?)
            }
            TypeDefKind::Stream(ty) => {
                unsupported("stream", ty.map(|ty| self.part(ty, size)).transpose()?)
            }
            TypeDefKind::Unknown => Type::Unsupported("unknown".into()),
        })
    }

    fn part(&mut self, ty: wit_parser::Type, size: &mut Size) -> Result<Type> {
        let Measured { ty, parts, depth } = self.ty(ty)?;
        size.parts = size.parts.saturating_add(parts);
        size.depth = size.depth.max(depth);
        Ok(ty)
    }

    fn labels<'t>(
        &self,
        id: TypeId,
        items: impl Iterator<Item = (&'t String, &'t wit_parser::Docs)>,
        size: &mut Size,
    ) -> Vec<Label> {
        let labels: Vec<Label> = items
            .map(|(name, docs)| Label { name: name.clone(), docs: self.item_docs(id, name, docs) })
            .collect();
        size.parts = size.parts.saturating_add(u32::try_from(labels.len()).unwrap_or(u32::MAX));
        labels
    }

    /// Returns the resource `id`, which may be another name for it.
    fn resource(&mut self, mut id: TypeId) -> Arc<ResourceType> {
        while let TypeDefKind::Type(wit_parser::Type::Id(target)) = self.resolve.types[id].kind {
            id = target;
        }
        if let Some(known) = self.resources.get(&id) {
            return known.clone();
        }
        let definition = &self.resolve.types[id];
        let instance = match definition.owner {
            TypeOwner::Interface(owner) => {
                self.names.get(&owner).cloned().or_else(|| self.resolve.id_of(owner))
            }
            TypeOwner::World(_) | TypeOwner::None => None,
        };
        let name = definition.name.clone().unwrap_or_else(|| "resource".into());
        let resource = Arc::new(ResourceType { name, instance });
        self.resources.insert(id, resource.clone());
        resource
    }

    /// Returns the documentation of the resource that `function` constructs.
    fn resource_docs(&self, interface: InterfaceId, function: &str) -> Option<String> {
        let (resource, None) = resource_function(function)? else { return None };
        let id = self.resolve.interfaces[interface].types.get(resource)?;
        self.type_docs(*id)
    }

    fn type_docs(&self, id: TypeId) -> Option<String> {
        let definition = &self.resolve.types[id];
        self.docs_of_type(id)
            .and_then(|described| text(described.get("docs")?))
            .or_else(|| clean(definition.docs.contents.as_deref()))
    }

    fn item_docs(&self, id: TypeId, item: &str, docs: &wit_parser::Docs) -> Option<String> {
        self.docs_of_type(id)
            .and_then(|described| text(described.get("items")?.get(item)?))
            .or_else(|| clean(docs.contents.as_deref()))
    }

    fn docs_of_type(&self, id: TypeId) -> Option<&Value> {
        let definition = &self.resolve.types[id];
        match (&definition.owner, &definition.name) {
            (TypeOwner::Interface(interface), Some(name)) => {
                self.docs_of(*interface, "types", name)
            }
            _ => None,
        }
    }

    /// Returns the well-known type of a definition of `mitt:host/types`, in any version. Its form is compared too: a
    /// component may define an interface of this name differently, and then gets the general mapping.
    fn well_known(&self, id: TypeId, ty: &Type) -> Option<Type> {
        let definition = &self.resolve.types[id];
        let TypeOwner::Interface(owner) = definition.owner else { return None };
        let owner = &self.resolve.interfaces[owner];
        let package = &self.resolve.packages[owner.package?].name;
        if (package.namespace.as_str(), package.name.as_str(), owner.name.as_deref())
            != ("mitt", "host", Some("types"))
        {
            return None;
        }
        match (definition.name.as_deref()?, ty) {
            ("decimal", Type::String) => Some(Type::Decimal),
            ("cell", Type::Variant(variant)) => {
                let cases: Vec<(&str, Option<&Type>)> = variant
                    .cases
                    .iter()
                    .map(|case| (case.name.as_str(), case.ty.as_ref()))
                    .collect();
                let ("null", None) = *cases.first()? else { return None };
                let [
                    _,
                    ("boolean", Some(Type::Bool)),
                    ("number", Some(number)),
                    ("text", Some(Type::String)),
                ] = cases[..]
                else {
                    return None;
                };
                matches!(number, Type::Decimal | Type::String).then_some(Type::Cell)
            }
            ("table", Type::Record(record)) => {
                let [columns, rows] = &record.fields[..] else { return None };
                let names = matches!(&columns.ty, Type::List(element) if **element == Type::String);
                let cells = matches!(&rows.ty, Type::List(row) if matches!(&**row, Type::List(cell) if **cell == Type::Cell));
                (columns.name == "columns" && rows.name == "rows" && names && cells)
                    .then_some(Type::Table)
            }
            _ => None,
        }
    }
}

struct Size {
    parts: u32,
    depth: u32,
}

fn parts_of(kind: &TypeDefKind) -> Vec<wit_parser::Type> {
    match kind {
        TypeDefKind::Record(record) => record.fields.iter().map(|field| field.ty).collect(),
        TypeDefKind::Variant(variant) => variant.cases.iter().filter_map(|case| case.ty).collect(),
        TypeDefKind::Tuple(tuple) => tuple.types.clone(),
        TypeDefKind::Result(types) => types.ok.into_iter().chain(types.err).collect(),
        TypeDefKind::Map(key, value) => vec![*key, *value],
        TypeDefKind::Option(ty)
        | TypeDefKind::List(ty)
        | TypeDefKind::FixedLengthList(ty, _)
        | TypeDefKind::Type(ty) => {
            vec![*ty]
        }
        TypeDefKind::Future(ty) | TypeDefKind::Stream(ty) => ty.iter().copied().collect(),
        TypeDefKind::Resource
        | TypeDefKind::Handle(_)
        | TypeDefKind::Flags(_)
        | TypeDefKind::Enum(_)
        | TypeDefKind::Unknown => Vec::new(),
    }
}

fn unsupported(kind: &str, ty: Option<Type>) -> Type {
    Type::Unsupported(match ty {
        Some(ty) => format!("{kind}<{ty}>").into(),
        None => kind.into(),
    })
}

fn text(value: &Value) -> Option<String> {
    clean(value.as_str())
}

#[cfg(test)]
pub(crate) mod tests;
