//! Types of a session's tools for editors and type checkers: stubs for Python (`.pyi`), declarations for TypeScript (`.d.ts`).
//!
//! `python` and `typescript` know how the engines of their language represent values. What both languages need is here: the
//! modules, and the names of definitions.

mod python;
mod typescript;

use std::collections::{BTreeMap, BTreeSet};

use mitt_wit::value::{Field, Function, Type};

pub(crate) use python::{stub_files as python_stub_files, stubs as python_stubs};
pub(crate) use typescript::{stub_files as typescript_stub_files, stubs as typescript_stubs};

/// Skill, or tools of the embedder with one prefix, as a module.
pub(crate) struct StubModule<'a> {
    /// Name in snake case.
    pub(crate) name: String,
    /// Description; empty if there is none.
    pub(crate) description: &'a str,
    /// Names in the module, and the functions of the tools.
    pub(crate) functions: Vec<(String, &'a Function)>,
    /// Names of its Python files.
    pub(crate) helpers: Vec<String>,
}

/// Direction of a value.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Way {
    /// Into a tool.
    In,
    /// Out of a tool.
    Out,
}

/// Definitions of one module: each is written once for a direction.
struct Definitions {
    /// Begins each name.
    prefix: String,
    /// Names that the definitions would hide.
    reserved: &'static [&'static str],
    /// Names by definition and direction.
    names: BTreeMap<(usize, Way), String>,
    taken: BTreeSet<String>,
    /// The definitions that were written.
    texts: Vec<String>,
}

impl Definitions {
    fn new(prefix: String, reserved: &'static [&'static str]) -> Definitions {
        let (names, taken, texts) = Default::default();
        Definitions { prefix, reserved, names, taken, texts }
    }

    /// Returns the name of the definition of `ty`, and `true` if the caller must write it because it is new.
    fn name(&mut self, ty: &Type, way: Way, name: &str) -> (String, bool) {
        let key = (ty.address().unwrap_or_default(), way);
        if let Some(name) = self.names.get(&key) {
            return (name.clone(), false);
        }
        let name = self.free(&pascal(name), way);
        self.names.insert(key, name.clone());
        (name, true)
    }

    /// Returns a name that no other definition has.
    fn free(&mut self, name: &str, way: Way) -> String {
        let way = if way == Way::In { "Input" } else { "" };
        let name = format!("{}{name}{way}", self.prefix);
        let numbered = (2_u32..).map(|number| format!("{name}{number}"));
        let mut names = std::iter::once(name.clone()).chain(numbered);
        let is_free =
            |it: &String| !self.reserved.contains(&it.as_str()) && !self.taken.contains(it);
        let free = names.find(is_free).unwrap_or(name);
        self.taken.insert(free.clone());
        free
    }
}

/// Returns the name of a parameter in snake case, as the engines have it. The key of a field in JSON may be any text.
fn parameter(field: &Field) -> String {
    field.name.replace('-', "_")
}

/// Returns a name as that of a type: `big-wide_name` as `BigWideName`.
fn pascal(name: &str) -> String {
    let words = name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    let name: String = words
        .map(|word| {
            let (first, rest) = word.split_at(1);
            format!("{}{rest}", first.to_ascii_uppercase())
        })
        .collect();
    match name.bytes().next() {
        Some(b'A'..=b'Z') => name,
        _ => format!("Type{name}"),
    }
}

/// Returns `true` for a text that both languages accept as a name, if it is no keyword.
fn is_identifier(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|first| first.is_ascii_alphabetic() || first == b'_')
        && bytes.all(|byte| byte.is_ascii_alphanumeric() || byte == b'_')
}

/// Returns `text` as a string in double quotes, which both languages read as they read JSON.
fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_definitions_are_valid_and_differ() {
        assert_eq!(pascal("big-wide_name"), "BigWideName");
        assert_eq!((pascal("3d").as_str(), pascal("表").as_str()), ("Type3d", "Type"));
        let mut definitions = Definitions::new(String::new(), &["Table"]);
        let names: Vec<String> =
            ["Table", "Table", "Row", "Row"].map(|name| definitions.free(name, Way::Out)).into();
        assert_eq!(names, ["Table2", "Table3", "Row", "Row2"]);
        assert_eq!(definitions.free("Row", Way::In), "RowInput");
    }

    #[test]
    fn texts_are_quoted_and_identifiers_known() {
        assert_eq!(quoted("a\"\\\n"), r#""a\"\\\n""#);
        assert!(is_identifier("_a1") && !is_identifier("1a") && !is_identifier("a-b"));
        assert!(!is_identifier("") && !is_identifier("年"));
    }
}
