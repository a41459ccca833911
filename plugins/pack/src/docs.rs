//! Documentation of a component: copied from the sources, checked for gaps, written as JSON.
//!
//! The binary format of components has no place for documentation, and `wit-parser` writes it for WIT packages only.
//! Therefore a custom section has it: an object from the id of each package to the serialized `PackageMetadata`.

use anyhow::{Result, ensure};
use std::collections::HashSet;
use wit_parser::{
    Docs, Function, InterfaceId, PackageMetadata, Resolve, Type, TypeDefKind, TypeId, TypeOwner,
    WorldKey,
};

/// Copies the documentation of all items that exist in both.
pub(crate) fn copy(source: &Resolve, target: &mut Resolve) {
    for (name, &from) in &source.package_names {
        let Some(&to) = target.package_names.get(name) else { continue };
        target.packages[to].docs = source.packages[from].docs.clone();
        for (interface, &from) in &source.packages[from].interfaces {
            if let Some(&to) = target.packages[to].interfaces.get(interface) {
                copy_interface(source, from, target, to);
            }
        }
    }
}

fn copy_interface(source: &Resolve, from: InterfaceId, target: &mut Resolve, to: InterfaceId) {
    let from = &source.interfaces[from];
    target.interfaces[to].docs = from.docs.clone();
    for (name, function) in &from.functions {
        if let Some(to) = target.interfaces[to].functions.get_mut(name) {
            to.docs = function.docs.clone();
        }
    }
    for (name, &from) in &from.types {
        if let Some(&to) = target.interfaces[to].types.get(name) {
            copy_type(source, from, target, to);
        }
    }
}

fn copy_type(source: &Resolve, from: TypeId, target: &mut Resolve, to: TypeId) {
    let from = &source.types[from];
    let to = &mut target.types[to];
    to.docs = from.docs.clone();
    let from: Vec<_> =
        parts(&from.kind).map(|(name, docs)| (name.to_owned(), docs.clone())).collect();
    for (name, docs) in parts_mut(&mut to.kind) {
        if let Some((_, found)) = from.iter().find(|(wanted, _)| wanted == name) {
            *docs = found.clone();
        }
    }
}

/// Returns fields, cases and flags.
fn parts(kind: &TypeDefKind) -> Box<dyn Iterator<Item = (&str, &Docs)> + '_> {
    match kind {
        TypeDefKind::Record(record) => {
            Box::new(record.fields.iter().map(|f| (f.name.as_str(), &f.docs)))
        }
        TypeDefKind::Variant(variant) => {
            Box::new(variant.cases.iter().map(|c| (c.name.as_str(), &c.docs)))
        }
        TypeDefKind::Enum(cases) => {
            Box::new(cases.cases.iter().map(|c| (c.name.as_str(), &c.docs)))
        }
        TypeDefKind::Flags(flags) => {
            Box::new(flags.flags.iter().map(|f| (f.name.as_str(), &f.docs)))
        }
        _ => Box::new(std::iter::empty()),
    }
}

fn parts_mut(kind: &mut TypeDefKind) -> Box<dyn Iterator<Item = (&str, &mut Docs)> + '_> {
    match kind {
        TypeDefKind::Record(record) => {
            Box::new(record.fields.iter_mut().map(|f| (f.name.as_str(), &mut f.docs)))
        }
        TypeDefKind::Variant(variant) => {
            Box::new(variant.cases.iter_mut().map(|c| (c.name.as_str(), &mut c.docs)))
        }
        TypeDefKind::Enum(cases) => {
            Box::new(cases.cases.iter_mut().map(|c| (c.name.as_str(), &mut c.docs)))
        }
        TypeDefKind::Flags(flags) => {
            Box::new(flags.flags.iter_mut().map(|f| (f.name.as_str(), &mut f.docs)))
        }
        _ => Box::new(std::iter::empty()),
    }
}

/// Returns all items without documentation that a model would see of the exports.
///
/// Only functions of named interfaces are tools. Exports with a plain name belong to the language runtime: `componentize-py`
/// exports `exports` with a function `init`.
pub(crate) fn missing(resolve: &Resolve) -> Vec<String> {
    let mut check = Check { resolve, seen: HashSet::new(), missing: Vec::new() };
    for (key, _) in resolve.worlds.iter().flat_map(|(_, world)| &world.exports) {
        if let WorldKey::Interface(id) = key {
            let place = resolve.name_world_key(key);
            for function in resolve.interfaces[*id].functions.values() {
                check.function(&place, function);
            }
        }
    }
    check.missing
}

struct Check<'a> {
    resolve: &'a Resolve,
    seen: HashSet<TypeId>,
    missing: Vec<String>,
}

impl Check<'_> {
    fn function(&mut self, place: &str, function: &Function) {
        self.require(&function.docs, || format!("function `{}` of {place}", function.name));
        for ty in function.params.iter().map(|param| param.ty).chain(function.result) {
            self.value(ty);
        }
    }

    fn value(&mut self, ty: Type) {
        if let Type::Id(id) = ty {
            self.visit(id);
        }
    }

    fn visit(&mut self, id: TypeId) {
        if !self.seen.insert(id) {
            return;
        }
        let resolve = self.resolve;
        let ty = &resolve.types[id];
        // `use` makes an alias of the same name. The documentation is at its target.
        let alias = matches!(ty.kind, TypeDefKind::Type(Type::Id(_)));
        if let (Some(name), false) = (&ty.name, alias) {
            let place = match ty.owner {
                TypeOwner::Interface(owner) => resolve.id_of(owner).unwrap_or_default(),
                TypeOwner::World(_) | TypeOwner::None => "world".to_owned(),
            };
            self.require(&ty.docs, || format!("type `{name}` of {place}"));
            for (part, docs) in parts(&ty.kind) {
                self.require(docs, || format!("`{name}.{part}` of {place}"));
            }
        }
        for inner in inner_types(&ty.kind) {
            self.value(inner);
        }
    }

    fn require(&mut self, docs: &Docs, what: impl FnOnce() -> String) {
        if docs.contents.as_deref().is_none_or(|text| text.trim().is_empty()) {
            self.missing.push(what());
        }
    }
}

fn inner_types(kind: &TypeDefKind) -> Vec<Type> {
    match kind {
        TypeDefKind::Record(record) => record.fields.iter().map(|field| field.ty).collect(),
        TypeDefKind::Variant(variant) => variant.cases.iter().filter_map(|case| case.ty).collect(),
        TypeDefKind::Tuple(tuple) => tuple.types.clone(),
        TypeDefKind::Result(result) => result.ok.into_iter().chain(result.err).collect(),
        TypeDefKind::Option(ty)
        | TypeDefKind::List(ty)
        | TypeDefKind::FixedLengthList(ty, _)
        | TypeDefKind::Type(ty)
        | TypeDefKind::Future(Some(ty))
        | TypeDefKind::Stream(Some(ty)) => vec![*ty],
        TypeDefKind::Map(key, value) => vec![*key, *value],
        TypeDefKind::Handle(wit_parser::Handle::Own(id) | wit_parser::Handle::Borrow(id)) => {
            vec![Type::Id(*id)]
        }
        TypeDefKind::Resource
        | TypeDefKind::Flags(_)
        | TypeDefKind::Enum(_)
        | TypeDefKind::Future(None)
        | TypeDefKind::Stream(None)
        | TypeDefKind::Unknown => Vec::new(),
    }
}

/// Returns the documentation of all packages that have some, as JSON.
pub(crate) fn encode(resolve: &Resolve) -> Result<String> {
    let mut packages = serde_json::Map::new();
    for (name, &id) in &resolve.package_names {
        let bytes = PackageMetadata::extract(resolve, id).encode()?;
        // A version byte precedes the JSON. The host adds it again before it decodes.
        ensure!(
            bytes.first() == Some(&1),
            "expected package metadata of version 1, got {:?}",
            bytes.first()
        );
        let json: serde_json::Value = serde_json::from_slice(&bytes[1..])?;
        if json.as_object().is_some_and(|object| !object.is_empty()) {
            packages.insert(name.to_string(), json);
        }
    }
    Ok(serde_json::to_string(&packages)?)
}

#[cfg(test)]
mod tests;
