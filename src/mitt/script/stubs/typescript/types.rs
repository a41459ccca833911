//! Types of WIT as the JavaScript engine represents their values.

use std::fmt::Write as _;

use super::super::{Definitions, Way, quoted};
use super::{key, tsdoc};
use mitt_wit::value::{EnumType, Field, NarrowedType, RecordType, Type, VariantType};

/// Names of the built-ins and of the language, which definitions of modules must not hide.
const RESERVED: &[&str] = &[
    "Array",
    "ArrayBuffer",
    "ArrayBufferView",
    "BytesInput",
    "Cell",
    "CellInput",
    "Date",
    "Decimal",
    "DecimalInput",
    "Int64",
    "Int64Input",
    "Json",
    "Object",
    "Omit",
    "Promise",
    "Record",
    "Skills",
    "Table",
    "TableInput",
    "Uint8Array",
];

/// Indentation of a definition in a module.
const INDENT: &str = "    ";

/// Writer of the types of one module.
pub(super) struct Types {
    definitions: Definitions,
}

impl Default for Types {
    fn default() -> Types {
        Types { definitions: Definitions::new(String::new(), RESERVED) }
    }
}

impl Types {
    pub(super) fn finish(&self) -> String {
        self.definitions.texts.join("\n")
    }

    /// Adds a definition.
    pub(super) fn push(&mut self, text: String) {
        self.definitions.texts.push(text);
    }

    /// Returns a name that no definition has.
    pub(super) fn free(&mut self, name: &str) -> String {
        self.definitions.free(name, Way::Out)
    }

    /// Returns `ty` as an annotation. Definitions are written when they are first needed.
    pub(super) fn ty(&mut self, ty: &Type, way: Way) -> String {
        let of_way = |into: &str, out: &str| if way == Way::In { into } else { out }.to_owned();
        match ty {
            Type::Bool => "boolean".into(),
            Type::Char | Type::String | Type::Own(_) | Type::Borrow(_) => "string".into(),
            Type::U64 | Type::S64 => of_way("Int64Input", "Int64"),
            Type::Bytes => of_way("BytesInput", "string"),
            Type::Cell => of_way("CellInput", "Cell"),
            Type::Table | Type::TableHandle => of_way("TableInput", "Table"),
            Type::Decimal => of_way("DecimalInput", "Decimal"),
            Type::Json | Type::Unsupported(_) => of_way("unknown", "Json"),
            // With `any`, an interface fits as well as a literal.
            Type::Object => of_way("Record<string, any> | string", "{ [key: string]: Json }"),
            Type::List(element) | Type::FixedList(element, _) => list(&self.ty(element, way), way),
            Type::Tuple(types) => {
                let types: Vec<_> = types.iter().map(|ty| self.ty(ty, way)).collect();
                format!("{}[{}]", of_way("readonly ", ""), types.join(", "))
            }
            Type::Map(types) => {
                let value = self.ty(&types.1, way);
                match types.0.target() {
                    Type::String => {
                        format!("{{ {}[key: string]: {value} }}", of_way("readonly ", ""))
                    }
                    _ => {
                        list(&format!("{{ key: {}; value: {value} }}", self.ty(&types.0, way)), way)
                    }
                }
            }
            Type::Option(inner) if inner.admits_null() => {
                format!("{{ tag: \"some\"; val: {} }} | null", self.ty(inner, way))
            }
            Type::Option(inner) => format!("{} | null", self.ty(inner, way)),
            Type::Result(types) => {
                let ok = self.case("ok", types.0.as_ref(), way);
                let err = self.case("err", types.1.as_ref(), way);
                format!("{ok} | {err}")
            }
            Type::Alias(alias) => self.ty(&alias.ty, way),
            Type::Narrowed(narrowed) => self.narrowed(narrowed, way),
            Type::Flags(flags) => list(&union(flags.flags.iter().map(|flag| &*flag.name)), way),
            // The same in both directions.
            Type::Enum(it) => self.named(ty, Way::Out, &it.name, |_, name| enumeration(name, it)),
            Type::Record(it) => {
                self.named(ty, way, &it.name, |types, name| types.record(name, it, way))
            }
            Type::Variant(it) => {
                self.named(ty, way, &it.name, |types, name| types.variant(name, it, way))
            }
            // The remaining types are numbers: floats, and integers of at most 32 bits.
            _ => "number".into(),
        }
    }

    /// Returns the type of a parameter or field. `skill.yaml` may exclude null.
    pub(super) fn of_field(&mut self, field: &Field, way: Way) -> String {
        let is_given = field.refinement.as_ref().is_some_and(|it| it.required);
        match field.ty.target() {
            Type::Option(inner) if is_given && way == Way::In && !inner.admits_null() => {
                self.ty(inner, way)
            }
            _ => self.ty(&field.ty, way),
        }
    }

    /// Returns the name of a definition, which is written when it is first needed.
    fn named(
        &mut self,
        ty: &Type,
        way: Way,
        name: &str,
        write: impl FnOnce(&mut Types, &str) -> String,
    ) -> String {
        let (name, is_new) = self.definitions.name(ty, way, name);
        if is_new {
            let text = write(self, &name);
            self.push(text);
        }
        name
    }

    /// Returns the only values of a type, or the type itself if it has other bounds.
    fn narrowed(&mut self, narrowed: &NarrowedType, way: Way) -> String {
        let values = &narrowed.bounds.one_of;
        let is_text = matches!(narrowed.ty.target(), Type::String | Type::Char);
        let texts: Vec<&str> = values.iter().filter_map(|value| value.as_str()).collect();
        // Numbers have several forms, such as `1` and `1.0`.
        if is_text && !texts.is_empty() && texts.len() == values.len() {
            return union(texts.into_iter());
        }
        self.ty(&narrowed.ty, way)
    }

    fn record(&mut self, name: &str, record: &RecordType, way: Way) -> String {
        let mut text = tsdoc(record.docs.as_deref().unwrap_or_default(), INDENT);
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{INDENT}export interface {name} {{");
        for field in &record.fields {
            let ty = self.of_field(field, way);
            text.push_str(&member(field, &ty, way));
        }
        text.push_str("    }\n");
        text
    }

    fn variant(&mut self, name: &str, variant: &VariantType, way: Way) -> String {
        let mut text = tsdoc(variant.docs.as_deref().unwrap_or_default(), INDENT);
        // Writing to a string cannot fail.
        let _ = write!(text, "{INDENT}export type {name} =");
        for case in &variant.cases {
            let docs = tsdoc(case.docs.as_deref().unwrap_or_default(), "        ");
            let _ =
                write!(text, "\n{docs}        | {}", self.case(&case.name, case.ty.as_ref(), way));
        }
        text.push_str(";\n");
        text
    }

    fn case(&mut self, tag: &str, ty: Option<&Type>, way: Way) -> String {
        match ty {
            Some(ty) => format!("{{ tag: {}; val: {} }}", quoted(tag), self.ty(ty, way)),
            None => format!("{{ tag: {} }}", quoted(tag)),
        }
    }
}

/// Returns the line of a field, after its comment. A result has all fields; arguments may leave out some.
fn member(field: &Field, ty: &str, way: Way) -> String {
    let docs = tsdoc(field.docs.as_deref().unwrap_or_default(), "        ");
    let mark = if way == Way::In && !field.required() { "?" } else { "" };
    format!("{docs}        {}{mark}: {ty};\n", key(&field.key))
}

fn enumeration(name: &str, definition: &EnumType) -> String {
    let mut text = tsdoc(definition.docs.as_deref().unwrap_or_default(), INDENT);
    // Writing to a string cannot fail.
    let _ = write!(text, "{INDENT}export type {name} =");
    for case in &definition.cases {
        let docs = tsdoc(case.docs.as_deref().unwrap_or_default(), "        ");
        let _ = write!(text, "\n{docs}        | {}", quoted(&case.name));
    }
    text.push_str(";\n");
    text
}

/// Returns an array of `element`. Arguments may also be arrays that the script does not change.
fn list(element: &str, way: Way) -> String {
    let readonly = if way == Way::In { "readonly " } else { "" };
    // A union stands in parentheses, and so does an array that is `readonly`.
    let is_word = element.bytes().all(|byte| byte.is_ascii_alphanumeric());
    if is_word || element.ends_with("[]") && !element.contains(' ') {
        format!("{readonly}{element}[]")
    } else {
        format!("{readonly}({element})[]")
    }
}

fn union<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(quoted).collect();
    if names.is_empty() { "never".to_owned() } else { names.join(" | ") }
}
