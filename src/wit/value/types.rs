//! The interface of a component in our own types: functions, their parameters and types, with documentation.
//!
//! Made once per component and kept beside its native code. Knows neither wit-parser nor wasmtime.

use super::bounds::{Bounds, Refinement};
use super::json::Json;
use std::fmt;
use std::sync::Arc;

/// Deepest nesting of types that is read. Checking and encoding recurse over types, and the stack is finite.
pub(super) const MAX_DEPTH: u32 = 100;

/// The exported functions of a component, and its imports.
///
/// Serialisable: a host without the `compile` feature reads it from the cache.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Interface {
    /// Exported functions that can be called with JSON, in the order of the component.
    pub functions: Vec<Function>,
    /// Names of the imports, such as `mitt:host/render@0.1.0`.
    pub imports: Vec<String>,
    /// Exported functions that cannot be called, and why.
    pub skipped: Vec<Skipped>,
}

impl Interface {
    /// Returns the function `name` (kebab case) of the exported interface `instance`, or of the component itself.
    pub fn function(&self, instance: Option<&str>, name: &str) -> Option<&Function> {
        self.functions
            .iter()
            .find(|function| function.instance.as_deref() == instance && function.name == name)
    }
}

/// An exported function.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Function {
    /// The exported interface that it belongs to, such as `mitt:excel-tool/tools@0.1.0`; `None` at the root of the
    /// component.
    pub instance: Option<String>,
    /// Name in kebab case, as exported.
    pub name: String,
    /// Documentation; empty if there is none.
    pub docs: String,
    /// Parameters in order.
    pub params: Vec<Field>,
    /// Type of the result.
    pub result: Option<Type>,
}

impl Function {
    /// Returns the type of a successful result: `T` of `result<T, E>`, or the whole result.
    pub fn success(&self) -> Option<&Type> {
        match self.result.as_ref().map(Type::target) {
            Some(Type::Result(types)) => types.0.as_ref(),
            _ => self.result.as_ref(),
        }
    }

    /// Returns the resource of which it is a constructor, method or static function, and its own name; a constructor has
    /// none.
    ///
    /// `None` if the function belongs to no resource.
    pub fn of_resource(&self) -> Option<(&str, Option<&str>)> {
        resource_function(&self.name)
    }

    /// Returns `true` if a parameter or the result holds a handle of a resource.
    pub fn uses_handles(&self) -> bool {
        self.params.iter().any(|param| param.ty.holds_handle())
            || self.result.as_ref().is_some_and(Type::holds_handle)
    }
}

/// Returns the parts of a function's exported name if it belongs to a resource: `[method]reader.next`.
pub fn resource_function(name: &str) -> Option<(&str, Option<&str>)> {
    if let Some(resource) = name.strip_prefix("[constructor]") {
        return Some((resource, None));
    }
    let member = name.strip_prefix("[method]").or_else(|| name.strip_prefix("[static]"))?;
    let (resource, function) = member.split_once('.')?;
    Some((resource, Some(function)))
}

/// An exported function that cannot be called with JSON.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped {
    /// The exported interface it belongs to.
    pub instance: Option<String>,
    /// Its name, such as `[method]reader.next`.
    pub name: String,
    /// Why it cannot be called.
    pub reason: String,
}

/// A named and typed part: a parameter of a function or a field of a record.
#[derive(Clone, Debug, PartialEq)]
pub struct Field {
    /// Name in kebab case, as in WIT and in `Val`.
    pub name: String,
    /// Name in snake case, as in JSON.
    pub key: String,
    /// Its type.
    pub ty: Type,
    /// Documentation.
    pub docs: Option<String>,
    /// What `skill.yaml` adds to its type.
    pub refinement: Option<Arc<Refinement>>,
}

impl Field {
    /// Makes a part `name` (kebab case) of type `ty`.
    pub fn new(name: impl Into<String>, ty: Type, docs: Option<String>) -> Field {
        let name = name.into();
        Field { key: name.replace('-', "_"), name, ty, docs, refinement: None }
    }

    /// Returns `true` if JSON must give it: an option, or a field with a default, may be left out.
    pub fn required(&self) -> bool {
        match &self.refinement {
            Some(refinement) if refinement.required => true,
            Some(refinement) if refinement.default.is_some() => false,
            _ => !self.ty.is_option(),
        }
    }

    /// Returns the value if JSON leaves it out.
    pub fn default(&self) -> Option<&Json> {
        self.refinement.as_ref()?.default.as_ref()
    }
}

/// A type of WIT.
///
/// Cloning is shallow. Named definitions are shared; types cannot be recursive.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Type {
    /// `bool`
    Bool,
    /// `u8`
    U8,
    /// `u16`
    U16,
    /// `u32`
    U32,
    /// `u64`
    U64,
    /// `s8`
    S8,
    /// `s16`
    S16,
    /// `s32`
    S32,
    /// `s64`
    S64,
    /// `f32`
    F32,
    /// `f64`
    F64,
    /// `char`
    Char,
    /// `string`
    String,
    /// `list<u8>`
    Bytes,
    /// `list<T>`
    List(Arc<Type>),
    /// `list<T, N>`
    FixedList(Arc<Type>, u32),
    /// `map<K, V>`
    Map(Arc<(Type, Type)>),
    /// `tuple<…>`
    Tuple(Arc<[Type]>),
    /// A record.
    Record(Arc<RecordType>),
    /// A variant.
    Variant(Arc<VariantType>),
    /// An enum.
    Enum(Arc<EnumType>),
    /// Flags.
    Flags(Arc<FlagsType>),
    /// `option<T>`
    Option(Arc<Type>),
    /// `result<T, E>`
    Result(Arc<(Option<Type>, Option<Type>)>),
    /// An owned handle of a resource.
    Own(Arc<ResourceType>),
    /// A borrowed handle of a resource.
    Borrow(Arc<ResourceType>),
    /// Another name for a type that has no name of its own.
    Alias(Arc<AliasType>),
    /// A type of which `skill.yaml` accepts only some values.
    Narrowed(Arc<NarrowedType>),
    /// `cell` of `mitt:host/types`.
    Cell,
    /// `table` of `mitt:host/types`, which is passed by value.
    Table,
    /// `table` of `mitt:host/tables`, owned or borrowed, which stays in the host. Its `Val` is a number among the tables of
    /// the call.
    TableHandle,
    /// `decimal` of `mitt:host/types`.
    Decimal,
    /// Any JSON value. WIT has no such type, so only tools of the host itself use it. Its `Val` is the JSON text.
    Json,
    /// Any JSON object, or a string that holds one, for decoders that do not support open objects. Its `Val` is the JSON
    /// text.
    Object,
    /// A type without a JSON form, in WIT notation: streams, futures, error contexts.
    Unsupported(Arc<str>),
}

/// A resource. Its values stay inside the component, which returns handles of them.
///
/// Two resources are the same if both name and interface are.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct ResourceType {
    /// Name in kebab case.
    pub name: String,
    /// The interface that defines it, such as `test:skill/readers@1.0.0`; `None` at the root of the component.
    pub instance: Option<String>,
}

/// A record.
#[derive(Clone, Debug, PartialEq)]
pub struct RecordType {
    /// Name in kebab case.
    pub name: String,
    /// Documentation.
    pub docs: Option<String>,
    /// Fields in order.
    pub fields: Vec<Field>,
}

/// A variant.
#[derive(Clone, Debug, PartialEq)]
pub struct VariantType {
    /// Name in kebab case.
    pub name: String,
    /// Documentation.
    pub docs: Option<String>,
    /// Cases in order.
    pub cases: Vec<Case>,
}

/// A case of a variant.
#[derive(Clone, Debug, PartialEq)]
pub struct Case {
    /// Name in kebab case.
    pub name: String,
    /// Documentation.
    pub docs: Option<String>,
    /// Type of its value.
    pub ty: Option<Type>,
}

/// An enum.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EnumType {
    /// Name in kebab case.
    pub name: String,
    /// Documentation.
    pub docs: Option<String>,
    /// Cases in order.
    pub cases: Vec<Label>,
}

/// Flags.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FlagsType {
    /// Name in kebab case.
    pub name: String,
    /// Documentation.
    pub docs: Option<String>,
    /// Flags in order.
    pub flags: Vec<Label>,
}

/// A case of an enum, or a flag.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    /// Name in kebab case.
    pub name: String,
    /// Documentation.
    pub docs: Option<String>,
}

/// Another name for a type, such as `type iso-date = string`.
///
/// `ty` is never an alias, and never a definition with a name of its own.
#[derive(Clone, Debug, PartialEq)]
pub struct AliasType {
    /// Name in kebab case.
    pub name: String,
    /// Documentation.
    pub docs: Option<String>,
    /// The type that it stands for.
    pub ty: Type,
}

/// A type of which only some values are accepted. Never wraps an option or an alias; it stands inside of them. If it wraps
/// another narrowed type, both bounds apply.
#[derive(Clone, Debug, PartialEq)]
pub struct NarrowedType {
    /// The type.
    pub ty: Type,
    /// The accepted values.
    pub bounds: Bounds,
}

impl Type {
    /// Returns the type behind an alias and behind narrower bounds; otherwise the type itself.
    pub fn target(&self) -> &Type {
        match self {
            Type::Alias(alias) => alias.ty.target(),
            Type::Narrowed(narrowed) => narrowed.ty.target(),
            other => other,
        }
    }

    /// Returns `true` for an option, which JSON may leave out.
    pub fn is_option(&self) -> bool {
        matches!(self.target(), Type::Option(_))
    }

    /// Returns `true` if one of its values is `null` in JSON, so that an option of it needs a tag.
    pub fn admits_null(&self) -> bool {
        matches!(self.target(), Type::Option(_) | Type::Cell | Type::Json)
    }

    /// Returns name and documentation of its definition, if it has one.
    pub fn definition(&self) -> Option<(&str, Option<&str>)> {
        let (name, docs) = match self {
            Type::Record(it) => (&it.name, &it.docs),
            Type::Variant(it) => (&it.name, &it.docs),
            Type::Enum(it) => (&it.name, &it.docs),
            Type::Flags(it) => (&it.name, &it.docs),
            Type::Alias(it) => (&it.name, &it.docs),
            _ => return None,
        };
        Some((name, docs.as_deref()))
    }

    /// Returns the first part that JSON cannot express, in WIT notation: streams, futures, error contexts.
    ///
    /// A function with such a part is [skipped](Interface::skipped).
    pub fn unsupported(&self) -> Option<String> {
        match self {
            Type::Unsupported(text) => Some(text.to_string()),
            _ => {
                let mut found = None;
                self.for_each_part(&mut |part| {
                    if found.is_none() {
                        found = part.unsupported();
                    }
                });
                found
            }
        }
    }

    /// Returns `true` if it is a handle or contains one.
    pub fn holds_handle(&self) -> bool {
        let mut found = matches!(self, Type::Own(_) | Type::Borrow(_));
        self.for_each_part(&mut |part| found = found || part.holds_handle());
        found
    }

    /// Returns the address of its definition, which all clones share; `None` for a type without a name.
    pub fn address(&self) -> Option<usize> {
        Some(match self {
            Type::Record(it) => Arc::as_ptr(it).addr(),
            Type::Variant(it) => Arc::as_ptr(it).addr(),
            Type::Enum(it) => Arc::as_ptr(it).addr(),
            Type::Flags(it) => Arc::as_ptr(it).addr(),
            Type::Alias(it) => Arc::as_ptr(it).addr(),
            _ => return None,
        })
    }

    /// Visits the types that it directly consists of.
    pub fn for_each_part<'a>(&'a self, visit: &mut dyn FnMut(&'a Type)) {
        match self {
            Type::List(element) | Type::FixedList(element, _) | Type::Option(element) => {
                visit(element)
            }
            Type::Map(types) => {
                visit(&types.0);
                visit(&types.1);
            }
            Type::Tuple(types) => types.iter().for_each(visit),
            Type::Record(record) => record.fields.iter().for_each(|field| visit(&field.ty)),
            Type::Variant(variant) => {
                variant.cases.iter().filter_map(|case| case.ty.as_ref()).for_each(visit)
            }
            Type::Result(types) => types.0.iter().chain(&types.1).for_each(visit),
            Type::Alias(alias) => visit(&alias.ty),
            Type::Narrowed(narrowed) => visit(&narrowed.ty),
            _ => {}
        }
    }
}

/// Displays WIT notation: `option<list<u32>>`. A named type is shown by its name.
impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let text = match self {
            Type::Bool => "bool",
            Type::U8 => "u8",
            Type::U16 => "u16",
            Type::U32 => "u32",
            Type::U64 => "u64",
            Type::S8 => "s8",
            Type::S16 => "s16",
            Type::S32 => "s32",
            Type::S64 => "s64",
            Type::F32 => "f32",
            Type::F64 => "f64",
            Type::Char => "char",
            Type::String => "string",
            Type::Bytes => "list<u8>",
            Type::Cell => "cell",
            Type::Table | Type::TableHandle => "table",
            Type::Decimal => "decimal",
            Type::Json => "json",
            Type::Object => "json-object",
            Type::Unsupported(text) => text,
            Type::Own(resource) => &resource.name,
            Type::Record(it) => &it.name,
            Type::Variant(it) => &it.name,
            Type::Enum(it) => &it.name,
            Type::Flags(it) => &it.name,
            Type::Alias(it) => &it.name,
            Type::Narrowed(narrowed) => return narrowed.ty.fmt(f),
            Type::Borrow(resource) => return write!(f, "borrow<{}>", resource.name),
            Type::List(element) => return write!(f, "list<{element}>"),
            Type::FixedList(element, length) => return write!(f, "list<{element}, {length}>"),
            Type::Map(types) => return write!(f, "map<{}, {}>", types.0, types.1),
            Type::Option(inner) => return write!(f, "option<{inner}>"),
            Type::Tuple(types) => {
                f.write_str("tuple<")?;
                for (position, ty) in types.iter().enumerate() {
                    if position > 0 {
                        f.write_str(", ")?;
                    }
                    write!(f, "{ty}")?;
                }
                return f.write_str(">");
            }
            Type::Result(types) => {
                return match &**types {
                    (None, None) => f.write_str("result"),
                    (Some(ok), None) => write!(f, "result<{ok}>"),
                    (None, Some(err)) => write!(f, "result<_, {err}>"),
                    (Some(ok), Some(err)) => write!(f, "result<{ok}, {err}>"),
                };
            }
        };
        f.write_str(text)
    }
}

/// Returns `true` if `text` is `name` (kebab case) in kebab or snake case.
pub(crate) fn same_name(name: &str, text: &str) -> bool {
    name.len() == text.len()
        && name
            .bytes()
            .zip(text.bytes())
            .all(|(left, right)| left == right || (left == b'-' && right == b'_'))
}
