//! The serialised form of an [`Interface`]: a table of types, in which each comes after the types that it is made of.
//!
//! It is separate from the types themselves, which share definitions: written naively, a type that uses another twice would
//! be written twice, and so on down. In the table, a type can only refer to earlier ones, so no input makes a cycle, and
//! reading takes one pass.

use super::types::{
    AliasType, Case, EnumType, Field, FlagsType, Function, Interface, Label, MAX_DEPTH, RecordType,
    ResourceType, Skipped, Type, VariantType,
};
use serde::{Deserialize, Deserializer, Serialize, Serializer, de, ser};
use std::cell::Cell;
use std::collections::HashMap;
use std::sync::Arc;

/// Position of a type in the table.
type Ref = u32;

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct WireInterface {
    types: Vec<WireType>,
    functions: Vec<WireFunction>,
    imports: Vec<String>,
    skipped: Vec<WireSkipped>,
}

#[derive(Serialize, Deserialize)]
struct WireFunction {
    instance: Option<String>,
    name: String,
    docs: String,
    params: Vec<WireField>,
    result: Option<Ref>,
}

#[derive(Serialize, Deserialize)]
struct WireSkipped {
    instance: Option<String>,
    name: String,
    reason: String,
}

#[derive(Serialize, Deserialize)]
struct WireField {
    name: String,
    docs: Option<String>,
    ty: Ref,
}

#[derive(Serialize, Deserialize)]
struct WireLabel {
    name: String,
    docs: Option<String>,
}

#[derive(Serialize, Deserialize)]
struct WireCase {
    name: String,
    docs: Option<String>,
    ty: Option<Ref>,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
enum WireType {
    Bool,
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F32,
    F64,
    Char,
    String,
    Bytes,
    Cell,
    Table,
    TableHandle,
    Decimal,
    Json,
    Object,
    Own { name: String, instance: Option<String> },
    Borrow { name: String, instance: Option<String> },
    Unsupported(String),
    List(Ref),
    FixedList(Ref, u32),
    Map(Ref, Ref),
    Tuple(Vec<Ref>),
    Option(Ref),
    Result(Option<Ref>, Option<Ref>),
    Record { name: String, docs: Option<String>, fields: Vec<WireField> },
    Variant { name: String, docs: Option<String>, cases: Vec<WireCase> },
    Enum { name: String, docs: Option<String>, cases: Vec<WireLabel> },
    Flags { name: String, docs: Option<String>, flags: Vec<WireLabel> },
    Alias { name: String, docs: Option<String>, ty: Ref },
}

impl Serialize for Interface {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut writer = Writer::default();
        let functions = self
            .functions
            .iter()
            .map(|function| writer.function(function))
            .collect::<Option<Vec<_>>>();
        let skipped = self
            .skipped
            .iter()
            .cloned()
            .map(|Skipped { instance, name, reason }| WireSkipped { instance, name, reason });
        let wire = WireInterface {
            skipped: skipped.collect(),
            imports: self.imports.clone(),
            functions: functions.ok_or_else(|| ser::Error::custom("too many types"))?,
            types: writer.types,
        };
        wire.serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Interface {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Interface, D::Error> {
        let wire = WireInterface::deserialize(deserializer)?;
        let mut reader = Reader::default();
        for wire in wire.types {
            let ty =
                reader.ty(wire).ok_or_else(|| de::Error::custom("a type refers to a later one"))?;
            let depth = reader.deepest.take() + 1;
            if depth > MAX_DEPTH {
                return Err(de::Error::custom("a type is nested too deeply"));
            }
            reader.types.push((ty, depth));
        }
        let functions = wire
            .functions
            .into_iter()
            .map(|function| reader.function(function))
            .collect::<Option<Vec<_>>>();
        Ok(Interface {
            functions: functions
                .ok_or_else(|| de::Error::custom("a function refers to a type that is missing"))?,
            imports: wire.imports,
            skipped: wire
                .skipped
                .into_iter()
                .map(|WireSkipped { instance, name, reason }| Skipped { instance, name, reason })
                .collect(),
        })
    }
}

/// All methods return `None` if the table is full.
#[derive(Default)]
struct Writer {
    types: Vec<WireType>,
    /// Positions of shared types, by the address of their definition. The interface outlives the writer, so no address is
    /// reused.
    shared: HashMap<usize, Ref>,
}

impl Writer {
    fn function(&mut self, function: &Function) -> Option<WireFunction> {
        Some(WireFunction {
            instance: function.instance.clone(),
            name: function.name.clone(),
            docs: function.docs.clone(),
            params: self.fields(&function.params)?,
            result: self.optional(function.result.as_ref())?,
        })
    }

    fn fields(&mut self, fields: &[Field]) -> Option<Vec<WireField>> {
        let fields = fields.iter().map(|field| {
            Some(WireField {
                name: field.name.clone(),
                docs: field.docs.clone(),
                ty: self.ty(&field.ty)?,
            })
        });
        fields.collect()
    }

    fn optional(&mut self, ty: Option<&Type>) -> Option<Option<Ref>> {
        match ty {
            None => Some(None),
            Some(ty) => self.ty(ty).map(Some),
        }
    }

    fn ty(&mut self, ty: &Type) -> Option<Ref> {
        let address = ty.address();
        if let Some(found) = address.and_then(|address| self.shared.get(&address)) {
            return Some(*found);
        }
        let wire = self.wire(ty)?;
        let position = Ref::try_from(self.types.len()).ok()?;
        self.types.push(wire);
        if let Some(address) = address {
            self.shared.insert(address, position);
        }
        Some(position)
    }

    fn wire(&mut self, ty: &Type) -> Option<WireType> {
        Some(match ty {
            Type::Bool => WireType::Bool,
            Type::U8 => WireType::U8,
            Type::U16 => WireType::U16,
            Type::U32 => WireType::U32,
            Type::U64 => WireType::U64,
            Type::S8 => WireType::S8,
            Type::S16 => WireType::S16,
            Type::S32 => WireType::S32,
            Type::S64 => WireType::S64,
            Type::F32 => WireType::F32,
            Type::F64 => WireType::F64,
            Type::Char => WireType::Char,
            Type::String => WireType::String,
            Type::Bytes => WireType::Bytes,
            Type::Cell => WireType::Cell,
            Type::Table => WireType::Table,
            Type::TableHandle => WireType::TableHandle,
            Type::Decimal => WireType::Decimal,
            Type::Json => WireType::Json,
            Type::Object => WireType::Object,
            Type::Own(it) => WireType::Own { name: it.name.clone(), instance: it.instance.clone() },
            Type::Borrow(it) => {
                WireType::Borrow { name: it.name.clone(), instance: it.instance.clone() }
            }
            Type::Unsupported(text) => WireType::Unsupported(text.to_string()),
            Type::List(element) => WireType::List(self.ty(element)?),
            Type::FixedList(element, length) => WireType::FixedList(self.ty(element)?, *length),
            Type::Map(types) => WireType::Map(self.ty(&types.0)?, self.ty(&types.1)?),
            Type::Tuple(types) => {
                WireType::Tuple(types.iter().map(|ty| self.ty(ty)).collect::<Option<_>>()?)
            }
            Type::Option(inner) => WireType::Option(self.ty(inner)?),
            Type::Result(types) => {
                WireType::Result(self.optional(types.0.as_ref())?, self.optional(types.1.as_ref())?)
            }
            Type::Record(it) => WireType::Record {
                name: it.name.clone(),
                docs: it.docs.clone(),
                fields: self.fields(&it.fields)?,
            },
            Type::Variant(it) => {
                let cases = it.cases.iter().map(|Case { name, docs, ty }| {
                    Some(WireCase {
                        name: name.clone(),
                        docs: docs.clone(),
                        ty: self.optional(ty.as_ref())?,
                    })
                });
                let cases = cases.collect::<Option<_>>()?;
                WireType::Variant { name: it.name.clone(), docs: it.docs.clone(), cases }
            }
            // Bounds belong to the manifest, not to the component.
            Type::Narrowed(narrowed) => return self.wire(&narrowed.ty),
            Type::Enum(it) => WireType::Enum {
                name: it.name.clone(),
                docs: it.docs.clone(),
                cases: write_labels(&it.cases),
            },
            Type::Flags(it) => WireType::Flags {
                name: it.name.clone(),
                docs: it.docs.clone(),
                flags: write_labels(&it.flags),
            },
            Type::Alias(it) => WireType::Alias {
                name: it.name.clone(),
                docs: it.docs.clone(),
                ty: self.ty(&it.ty)?,
            },
        })
    }
}

fn write_labels(labels: &[Label]) -> Vec<WireLabel> {
    labels.iter().cloned().map(|Label { name, docs }| WireLabel { name, docs }).collect()
}

/// All methods return `None` for a reference that does not lead to an earlier type.
#[derive(Default)]
struct Reader {
    /// Types and their depth.
    types: Vec<(Type, u32)>,
    /// Depth of the deepest type that was referred to since this was last read.
    deepest: Cell<u32>,
}

impl Reader {
    fn function(&self, function: WireFunction) -> Option<Function> {
        Some(Function {
            instance: function.instance,
            name: function.name,
            docs: function.docs,
            params: self.fields(function.params)?,
            result: self.optional(function.result)?,
        })
    }

    fn fields(&self, fields: Vec<WireField>) -> Option<Vec<Field>> {
        fields
            .into_iter()
            .map(|field| Some(Field::new(field.name, self.get(field.ty)?, field.docs)))
            .collect()
    }

    fn optional(&self, ty: Option<Ref>) -> Option<Option<Type>> {
        match ty {
            None => Some(None),
            Some(ty) => self.get(ty).map(Some),
        }
    }

    fn get(&self, ty: Ref) -> Option<Type> {
        let (ty, depth) = self.types.get(usize::try_from(ty).ok()?)?;
        self.deepest.set(self.deepest.get().max(*depth));
        Some(ty.clone())
    }

    fn ty(&self, wire: WireType) -> Option<Type> {
        Some(match wire {
            WireType::Bool => Type::Bool,
            WireType::U8 => Type::U8,
            WireType::U16 => Type::U16,
            WireType::U32 => Type::U32,
            WireType::U64 => Type::U64,
            WireType::S8 => Type::S8,
            WireType::S16 => Type::S16,
            WireType::S32 => Type::S32,
            WireType::S64 => Type::S64,
            WireType::F32 => Type::F32,
            WireType::F64 => Type::F64,
            WireType::Char => Type::Char,
            WireType::String => Type::String,
            WireType::Bytes => Type::Bytes,
            WireType::Cell => Type::Cell,
            WireType::Table => Type::Table,
            WireType::TableHandle => Type::TableHandle,
            WireType::Decimal => Type::Decimal,
            WireType::Json => Type::Json,
            WireType::Object => Type::Object,
            WireType::Own { name, instance } => Type::Own(ResourceType { name, instance }.into()),
            WireType::Borrow { name, instance } => {
                Type::Borrow(ResourceType { name, instance }.into())
            }
            WireType::Unsupported(text) => Type::Unsupported(text.into()),
            WireType::List(element) => Type::List(Arc::new(self.get(element)?)),
            WireType::FixedList(element, length) => {
                Type::FixedList(Arc::new(self.get(element)?), length)
            }
            WireType::Map(key, value) => Type::Map(Arc::new((self.get(key)?, self.get(value)?))),
            WireType::Tuple(types) => Type::Tuple(
                types.into_iter().map(|ty| self.get(ty)).collect::<Option<Vec<_>>>()?.into(),
            ),
            WireType::Option(inner) => Type::Option(Arc::new(self.get(inner)?)),
            WireType::Result(ok, err) => {
                Type::Result(Arc::new((self.optional(ok)?, self.optional(err)?)))
            }
            WireType::Record { name, docs, fields } => {
                Type::Record(Arc::new(RecordType { name, docs, fields: self.fields(fields)? }))
            }
            WireType::Variant { name, docs, cases } => {
                let cases = cases.into_iter().map(|WireCase { name, docs, ty }| {
                    Some(Case { name, docs, ty: self.optional(ty)? })
                });
                Type::Variant(Arc::new(VariantType {
                    name,
                    docs,
                    cases: cases.collect::<Option<_>>()?,
                }))
            }
            WireType::Enum { name, docs, cases } => {
                Type::Enum(Arc::new(EnumType { name, docs, cases: read_labels(cases) }))
            }
            WireType::Flags { name, docs, flags } => {
                Type::Flags(Arc::new(FlagsType { name, docs, flags: read_labels(flags) }))
            }
            WireType::Alias { name, docs, ty } => {
                Type::Alias(Arc::new(AliasType { name, docs, ty: self.get(ty)? }))
            }
        })
    }
}

fn read_labels(labels: Vec<WireLabel>) -> Vec<Label> {
    labels.into_iter().map(|WireLabel { name, docs }| Label { name, docs }).collect()
}
