//! Types in a short notation, for models and for people who read signatures.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;

use mitt_base::text;

use super::{Bounds, Field, Function, Label, Type};

/// Most characters of the description of a nested field.
const NESTED_DOCS: usize = 120;

/// A type with a name of its own, as [`definitions`] explains it. Displayed as "`name` = form".
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TypeDefinition {
    /// Name in kebab case.
    pub name: String,
    /// The JSON form in the notation of [`Notation`], in which other definitions stand by their names.
    pub form: String,
}

impl fmt::Display for TypeDefinition {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "`{}` = {}", self.name, self.form)
    }
}

/// Returns the definitions that parameters and the successful result of `function` consist of: those of the first parameter first,
/// outer ones before those inside of them.
pub fn definitions(function: &Function) -> Vec<TypeDefinition> {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let types = function.params.iter().map(|param| &param.ty).chain(function.success());
    types.for_each(|ty| find(ty, &mut seen, &mut found));
    found.into_iter().filter_map(definition).collect()
}

/// Adds the definitions in `ty` to `found`: those that stand in it directly before those inside of them.
fn find<'a>(ty: &'a Type, seen: &mut BTreeSet<usize>, found: &mut Vec<&'a Type>) {
    let mut level = vec![ty];
    while !level.is_empty() {
        let mut next = Vec::new();
        for ty in std::mem::take(&mut level) {
            match ty.address() {
                Some(address) if !seen.insert(address) => {}
                Some(_) => {
                    found.push(ty);
                    ty.for_each_part(&mut |part| next.push(part));
                }
                None => ty.for_each_part(&mut |part| next.push(part)),
            }
        }
        level = next;
    }
}

fn definition(ty: &Type) -> Option<TypeDefinition> {
    let (name, _) = ty.definition()?;
    let mut notation = Notation { is_by_name: true, ..Notation::default() };
    let form = match ty {
        Type::Record(it) => notation.record(&it.fields),
        Type::Variant(it) => {
            notation.cases(it.cases.iter().map(|case| (case.name.as_str(), case.ty.as_ref())))
        }
        Type::Enum(it) => labels(&it.cases),
        Type::Flags(it) => array(&labels(&it.flags)),
        Type::Alias(it) => notation.ty(&it.ty),
        _ => return None,
    };
    Some(TypeDefinition { name: name.to_owned(), form })
}

/// Returns the description of a field as a comment of at most `limit` characters, with a space before it. Empty if there is none.
pub fn docs_comment(field: &Field, limit: usize) -> String {
    match field.docs.as_deref().map(text::single_line) {
        Some(docs) if !docs.is_empty() => format!(" // {}", text::shortened(&docs, limit)),
        _ => String::new(),
    }
}

/// Writes types in the notation of TypeScript, which models read as well as JSON Schema and which takes a third of the space.
///
/// `table`, `cell`, `decimal` and `base64` stand for the JSON forms of these types. Patterns and lengths are left out.
#[derive(Default)]
pub struct Notation {
    /// `true`: a definition is written by its name alone, because [`definitions`] explains it.
    is_by_name: bool,
    uses: BTreeMap<usize, usize>,
    written: BTreeSet<usize>,
}

impl Notation {
    /// Returns the notation in which a definition that occurs several times in `fields` is written in full the first time, after
    /// its name, and later only by its name. So the text is never much longer than the definitions.
    pub fn inline(fields: &[Field]) -> Notation {
        let mut notation = Notation::default();
        fields.iter().for_each(|field| notation.count(&field.ty));
        notation
    }

    /// Formats a field: `name?: type = default`.
    pub fn field(&mut self, field: &Field) -> String {
        let mark = if field.required() { "" } else { "?" };
        let ty = match field.ty.target() {
            // The `?` already says that it is optional.
            Type::Option(inner) if !inner.admits_null() => self.ty(inner),
            _ => self.ty(&field.ty),
        };
        let default = field.default().map(|it| format!(" = {it}")).unwrap_or_default();
        format!("{}{mark}: {ty}{default}", field.key)
    }

    fn ty(&mut self, ty: &Type) -> String {
        match ty {
            Type::Bool => "boolean".into(),
            Type::F32 | Type::F64 => "number".into(),
            Type::Char | Type::String | Type::Own(_) | Type::Borrow(_) => "string".into(),
            Type::Bytes => "base64".into(),
            Type::Cell => "cell".into(),
            Type::Decimal => "decimal".into(),
            Type::Table | Type::TableHandle => "table".into(),
            Type::Json | Type::Unsupported(_) => "any".into(),
            Type::Object => "object".into(),
            Type::List(element) => array(&self.ty(element)),
            Type::FixedList(element, length) => format!("Array<{}, {length}>", self.ty(element)),
            Type::Tuple(types) => {
                let types: Vec<_> = types.iter().map(|ty| self.ty(ty)).collect();
                format!("[{}]", types.join(", "))
            }
            Type::Map(types) => {
                let (key, value) = (self.ty(&types.0), self.ty(&types.1));
                match types.0.target() {
                    Type::String => format!("{{[key]: {value}}}"),
                    _ => format!("Array<{{key: {key}, value: {value}}}>"),
                }
            }
            Type::Option(inner) if inner.admits_null() => {
                format!("{{tag: \"some\", val: {}}} | null", self.ty(inner))
            }
            Type::Option(inner) => format!("{} | null", self.ty(inner)),
            Type::Alias(alias) if self.is_by_name => alias.name.clone(),
            Type::Alias(alias) => self.ty(&alias.ty),
            Type::Narrowed(narrowed) => bounded(self.ty(&narrowed.ty), &narrowed.bounds),
            Type::Result(types) => {
                let cases = [("ok", types.0.as_ref()), ("err", types.1.as_ref())];
                self.cases(cases)
            }
            Type::Enum(it) => self.named(ty, &it.name, |_| labels(&it.cases)),
            Type::Flags(it) => self.named(ty, &it.name, |_| array(&labels(&it.flags))),
            Type::Record(it) => self.named(ty, &it.name, |writer| writer.record(&it.fields)),
            Type::Variant(it) => self.named(ty, &it.name, |writer| {
                writer.cases(it.cases.iter().map(|case| (case.name.as_str(), case.ty.as_ref())))
            }),
            // The remaining types are integers.
            _ => "integer".into(),
        }
    }

    fn named(
        &mut self,
        ty: &Type,
        name: &str,
        write: impl FnOnce(&mut Notation) -> String,
    ) -> String {
        let address = ty.address().unwrap_or_default();
        if self.is_by_name {
            return name.to_owned();
        }
        if !self.written.insert(address) {
            return name.to_owned();
        }
        let text = write(self);
        match self.uses.get(&address) {
            Some(2..) => format!("{name}({text})"),
            _ => text,
        }
    }

    /// Counts how often each definition occurs in `ty`.
    fn count(&mut self, ty: &Type) {
        if let Some(address) = ty.address() {
            let uses = self.uses.entry(address).or_default();
            *uses += 1;
            if *uses > 1 {
                return;
            }
        }
        ty.for_each_part(&mut |part| self.count(part));
    }

    fn record(&mut self, fields: &[Field]) -> String {
        let fields = fields.iter().map(|field| {
            let docs =
                if repeats_name(field) { String::new() } else { docs_comment(field, NESTED_DOCS) };
            let docs = docs.strip_prefix(" // ").map(|docs| format!(" /* {docs} */"));
            format!("{}{}", self.field(field), docs.unwrap_or_default())
        });
        format!("{{{}}}", fields.collect::<Vec<_>>().join(", "))
    }

    fn cases<'a>(
        &mut self,
        cases: impl IntoIterator<Item = (&'a str, Option<&'a Type>)>,
    ) -> String {
        let cases = cases.into_iter().map(|(tag, ty)| match ty {
            None => format!("{{tag: \"{tag}\"}}"),
            Some(ty) => format!("{{tag: \"{tag}\", val: {}}}", self.ty(ty)),
        });
        cases.collect::<Vec<_>>().join(" | ")
    }
}

/// Returns `true` if the description of a field says no more than its name, such as "New title." for `new-title`.
fn repeats_name(field: &Field) -> bool {
    let docs = field.docs.as_deref().unwrap_or_default().trim().trim_end_matches('.');
    docs.to_lowercase().replace(' ', "_") == field.key
}

fn labels(labels: &[Label]) -> String {
    let names: Vec<_> = labels.iter().map(|label| format!("\"{}\"", label.name)).collect();
    names.join(" | ")
}

/// Returns an array of `element`, in the short form if that is a single word.
fn array(element: &str) -> String {
    if element.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-') {
        format!("{element}[]")
    } else {
        format!("Array<{element}>")
    }
}

/// Returns `ty` with its range, or its only values.
fn bounded(ty: String, bounds: &Bounds) -> String {
    if !bounds.one_of.is_empty() {
        let values: Vec<_> = bounds.one_of.iter().map(ToString::to_string).collect();
        return values.join(" | ");
    }
    let mut said = Vec::new();
    let limits = [
        (">=", &bounds.minimum),
        (">", &bounds.exclusive_minimum),
        ("<=", &bounds.maximum),
        ("<", &bounds.exclusive_maximum),
    ];
    for (sign, limit) in limits {
        said.extend(limit.as_ref().map(|limit| format!("{sign} {limit}")));
    }
    if said.is_empty() { ty } else { format!("{ty} ({})", said.join(", ")) }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::value::{AliasType, Case, EnumType, RecordType, VariantType};

    fn record(name: &str, fields: Vec<Field>) -> Type {
        Type::Record(Arc::new(RecordType { name: name.into(), docs: None, fields }))
    }

    fn field(name: &str, ty: Type, docs: &str) -> Field {
        Field::new(name, ty, (!docs.is_empty()).then(|| docs.into()))
    }

    #[test]
    fn definitions_explain_all_types_with_names() {
        let label = |name: &str| Label { name: name.into(), docs: None };
        let view = Type::Enum(Arc::new(EnumType {
            name: "view".into(),
            docs: None,
            cases: vec![label("accepted"), label("original")],
        }));
        let date = Type::Alias(Arc::new(AliasType {
            name: "iso-date".into(),
            docs: None,
            ty: Type::String,
        }));
        let fields = vec![
            field("on-page", Type::U32, "Counted from 1."),
            field("old-text", Type::String, "Old text."),
        ];
        let place = record("place", fields);
        let case = |name: &str, ty| Case { name: name.into(), docs: None, ty };
        let edit = Type::Variant(Arc::new(VariantType {
            name: "edit".into(),
            docs: None,
            cases: vec![case("move-to", Some(place.clone())), case("accept-all", None)],
        }));
        let function = Function {
            instance: None,
            name: "edit".into(),
            docs: String::new(),
            params: vec![
                field("edits", Type::List(Arc::new(edit)), ""),
                field("view", Type::Option(Arc::new(view)), ""),
                field("until", date, ""),
            ],
            result: Some(Type::Result(Arc::new((
                Some(record("edited", vec![field("last", Type::Option(Arc::new(place)), "")])),
                Some(record("error", Vec::new())),
            )))),
        };
        let lines: Vec<_> =
            definitions(&function).into_iter().map(|definition| definition.to_string()).collect();
        assert_eq!(
            lines,
            [
                r#"`edit` = {tag: "move-to", val: place} | {tag: "accept-all"}"#,
                "`place` = {on_page: integer /* Counted from 1. */, old_text: string}",
                r#"`view` = "accepted" | "original""#,
                "`iso-date` = string",
                "`edited` = {last?: place}",
            ]
        );
    }

    #[test]
    fn types_are_written_in_place() {
        let label = |name: &str| Label { name: name.into(), docs: None };
        let view = Type::Enum(Arc::new(EnumType {
            name: "view".into(),
            docs: None,
            cases: vec![label("a"), label("b")],
        }));
        let case = |name: &str, ty| Case { name: name.into(), docs: None, ty };
        let edit = Type::Variant(Arc::new(VariantType {
            name: "edit".into(),
            docs: None,
            cases: vec![case("move", Some(Type::U8)), case("stop", None)],
        }));
        let list = |ty| Type::List(Arc::new(ty));
        let option = |ty| Type::Option(Arc::new(ty));
        let map = |key, value| Type::Map(Arc::new((key, value)));
        for (ty, expected) in [
            (Type::Bool, "x: boolean"),
            (Type::S64, "x: integer"),
            (Type::Bytes, "x: base64"),
            (list(Type::String), "x: string[]"),
            (list(list(Type::String)), "x: Array<string[]>"),
            (list(view.clone()), r#"x: Array<"a" | "b">"#),
            (Type::Tuple([Type::U8, Type::String].into()), "x: [integer, string]"),
            (edit.clone(), r#"x: {tag: "move", val: integer} | {tag: "stop"}"#),
            (map(Type::String, Type::U8), "x: {[key]: integer}"),
            (map(Type::U8, Type::String), "x: Array<{key: integer, value: string}>"),
            (option(Type::U8), "x?: integer"),
            (list(option(Type::U8)), "x: Array<integer | null>"),
            (option(option(Type::U8)), r#"x?: {tag: "some", val: integer | null} | null"#),
            // A type that occurs twice is written once, with its name.
            (
                Type::Tuple([edit.clone(), edit].into()),
                r#"x: [edit({tag: "move", val: integer} | {tag: "stop"}), edit]"#,
            ),
        ] {
            let field = field("x", ty, "");
            let mut notation = Notation::inline(std::slice::from_ref(&field));
            assert_eq!(notation.field(&field), expected);
        }
    }
}
