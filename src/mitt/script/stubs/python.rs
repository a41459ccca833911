//! Python stubs (`.pyi`).
//!
//! Knows how Python engines represent values: objects whose keys are also attributes, and tables.

use std::fmt::Write as _;

use super::{Definitions, StubModule, Way, is_identifier, parameter, pascal, quoted};
use mitt_wit::value::{Field, Type};

/// Stubs of what every script has without an import.
const BUILTINS: &str = include_str!("builtins.pyi");

/// Words that cannot be names in Python.
const KEYWORDS: [&str; 35] = [
    "False", "None", "True", "and", "as", "assert", "async", "await", "break", "class", "continue",
    "def", "del", "elif", "else", "except", "finally", "for", "from", "global", "if", "import",
    "in", "is", "lambda", "nonlocal", "not", "or", "pass", "raise", "return", "try", "while",
    "with", "yield",
];

/// Names of the built-ins, which definitions of modules must not hide.
const RESERVED: &[&str] = &[
    "Table",
    "Object",
    "Document",
    "Documents",
    "Tables",
    "ToolError",
    "TableInput",
    "CellInput",
    "Cell",
    "Any",
    "Decimal",
];

const HEADER: &str = "# Written by Mitt: what scripts can call.\n\
    from collections.abc import Iterable, Iterator, Mapping, Sequence\n\
    from decimal import Decimal\n\
    from typing import Any, Literal, NotRequired, TypeAlias, TypedDict, overload\n";

/// Returns one file with everything: a class for each module.
pub(crate) fn stubs(modules: &[StubModule<'_>]) -> String {
    let mut text = format!("{HEADER}\n{BUILTINS}");
    for module in modules {
        let mut writer = Writer::new(format!("_{}_", module.name));
        let functions = writer.functions(module, "    ", "    @staticmethod\n");
        text.push_str(&writer.finish());
        // Writing to a string cannot fail.
        let _ =
            write!(text, "\n\nclass {}:\n{}", module.name, docstring(module.description, "    "));
        text.push_str(&functions);
        for helper in module.helpers.iter().filter(|it| !it.contains('.')) {
            let _ = write!(text, "\n    {helper}: Any\n");
        }
    }
    text
}

/// Returns a file for each module, and `__builtins__.pyi` for the built-ins, where editors look for them.
pub(crate) fn stub_files(modules: &[StubModule<'_>]) -> Vec<(String, String)> {
    let mut files = vec![("__builtins__.pyi".to_owned(), format!("{HEADER}\n{BUILTINS}"))];
    for module in modules {
        let mut writer = Writer::new(String::new());
        let functions = writer.functions(module, "", "");
        let mut text = docstring(module.description, "");
        let _ = write!(text, "\n{HEADER}\n{BUILTINS}{}{functions}", writer.finish());
        for helper in module.helpers.iter().filter(|it| !it.contains('.') && !it.is_empty()) {
            let _ = write!(text, "\n{helper}: Any\n");
        }
        files.push((format!("{}.pyi", module.name), text));
    }
    files
}

/// Writer of the classes of one module.
struct Writer {
    definitions: Definitions,
}

impl Writer {
    fn new(prefix: String) -> Writer {
        Writer { definitions: Definitions::new(prefix, RESERVED) }
    }

    fn finish(self) -> String {
        self.definitions.texts.concat()
    }

    fn functions(&mut self, module: &StubModule<'_>, indent: &str, decorator: &str) -> String {
        let mut text = String::new();
        for (name, function) in &module.functions {
            let params = self.params(&function.params);
            let result = match function.success() {
                Some(ty) => self.ty(ty, Way::Out, &pascal(&function.name)),
                None => "None".to_owned(),
            };
            let _ = write!(
                text,
                "\n{decorator}{indent}def {}({params}) -> {result}:\n{}{indent}    ...\n",
                identifier(name),
                docstring(&function.docs, &format!("{indent}    "))
            );
        }
        if text.is_empty() && !indent.is_empty() && module.helpers.is_empty() {
            text = format!("{indent}...\n");
        }
        text
    }

    fn params(&mut self, params: &[Field]) -> String {
        let mut parts: Vec<String> = Vec::new();
        let (mut has_default, mut is_named) = (false, false);
        for param in params {
            let name = identifier(&parameter(param));
            let ty = self.ty(&param.ty, Way::In, &pascal(&param.name));
            if param.required() {
                if has_default && !is_named {
                    // In Python, a parameter without a default cannot follow one with a default, unless it is keyword-only.
                    parts.push("*".to_owned());
                    is_named = true;
                }
                parts.push(format!("{name}: {ty}"));
            } else {
                has_default = true;
                parts.push(format!("{name}: {ty} = ..."));
            }
        }
        parts.join(", ")
    }

    /// Returns `ty` as an annotation. `near` names a definition that has no name of its own.
    fn ty(&mut self, ty: &Type, way: Way, near: &str) -> String {
        match ty {
            Type::Bool => "bool".into(),
            Type::F32 | Type::F64 => "float".into(),
            Type::Char | Type::String => "str".into(),
            Type::Own(_) | Type::Borrow(_) => "str".into(),
            Type::Bytes => if way == Way::In { "bytes | str" } else { "str" }.into(),
            Type::Cell => if way == Way::In { "CellInput" } else { "Cell" }.into(),
            Type::Table | Type::TableHandle => {
                if way == Way::In { "TableInput" } else { "Table" }.into()
            }
            Type::Decimal => {
                if way == Way::In { "int | float | Decimal | str" } else { "int | float | Decimal" }
                    .into()
            }
            Type::Json | Type::Unsupported(_) => "Any".into(),
            Type::Object => "Mapping[str, Any]".into(),
            Type::List(element) | Type::FixedList(element, _) => {
                let element = self.ty(element, way, near);
                if way == Way::In {
                    format!("Sequence[{element}]")
                } else {
                    format!("list[{element}]")
                }
            }
            Type::Tuple(types) if way == Way::In => {
                let types: Vec<_> = types.iter().map(|ty| self.ty(ty, way, near)).collect();
                format!("tuple[{0}] | Sequence[Any]", types.join(", "))
            }
            Type::Tuple(_) => "list[Any]".into(),
            Type::Map(types) => {
                let value = self.ty(&types.1, way, near);
                match types.0.target() {
                    Type::String => {
                        format!("{}[str, {value}]", if way == Way::In { "Mapping" } else { "dict" })
                    }
                    _ => "list[Any]".into(),
                }
            }
            Type::Option(inner) => {
                let inner = if inner.admits_null() {
                    "Mapping[str, Any]".to_owned()
                } else {
                    self.ty(inner, way, near)
                };
                format!("{inner} | None")
            }
            Type::Enum(it) => literal(it.cases.iter().map(|case| case.name.as_str())),
            Type::Flags(it) => {
                let names = literal(it.flags.iter().map(|flag| flag.name.as_str()));
                if way == Way::In { format!("Sequence[{names}]") } else { format!("list[{names}]") }
            }
            Type::Alias(alias) => self.ty(&alias.ty, way, near),
            Type::Narrowed(narrowed) => self.ty(&narrowed.ty, way, near),
            Type::Record(record) => self.named(ty, way, &record.name, |writer, name| {
                writer.record(name, way, record.docs.as_deref(), &record.fields)
            }),
            Type::Variant(variant) => {
                let cases: Vec<(&str, Option<&Type>)> = variant
                    .cases
                    .iter()
                    .map(|case| (case.name.as_str(), case.ty.as_ref()))
                    .collect();
                self.named(ty, way, &variant.name, |writer, name| writer.cases(name, way, &cases))
            }
            Type::Result(types) => {
                let name = self.definitions.free(&format!("{near}Result"), way);
                let cases = [("ok", types.0.as_ref()), ("err", types.1.as_ref())];
                let text = self.cases(&name, way, &cases);
                self.definitions.texts.push(text);
                name
            }
            // The remaining types are integers.
            _ => "int".into(),
        }
    }

    /// Returns the name of a definition, which is written when it is first needed.
    fn named(
        &mut self,
        ty: &Type,
        way: Way,
        name: &str,
        write: impl FnOnce(&mut Writer, &str) -> String,
    ) -> String {
        let (name, is_new) = self.definitions.name(ty, way, name);
        if is_new {
            let text = write(self, &name);
            self.definitions.texts.push(text);
        }
        name
    }

    fn record(&mut self, name: &str, way: Way, docs: Option<&str>, fields: &[Field]) -> String {
        let typed: Vec<(&Field, String)> = fields
            .iter()
            .map(|field| (field, self.ty(&field.ty, way, &pascal(&field.name))))
            .collect();
        let docs = docs.map(|docs| docstring(docs, "    ")).unwrap_or_default();
        if way == Way::Out {
            let mut text = format!("\n\nclass {name}(Object):\n{docs}");
            // Keys with the names of `dict` methods would hide the methods.
            let of_dict = [
                "items",
                "keys",
                "values",
                "get",
                "pop",
                "copy",
                "update",
                "clear",
                "popitem",
                "setdefault",
                "fromkeys",
            ];
            let named = |key: &str| {
                is_identifier(key) && !KEYWORDS.contains(&key) && !of_dict.contains(&key)
            };
            for (field, ty) in typed.iter().filter(|(field, _)| named(&field.key)) {
                let _ = writeln!(text, "    {}: {ty}", field.key);
            }
            text.push_str("    ...\n");
            return text;
        }
        // In the call syntax, which allows keys that are not valid names.
        let fields = typed.iter().map(|(field, ty)| {
            if field.required() {
                format!("    {}: {ty},\n", quoted(&field.key))
            } else {
                format!("    {}: NotRequired[{ty}],\n", quoted(&field.key))
            }
        });
        format!("\n\n{name} = TypedDict(\"{name}\", {{\n{}}})\n", fields.collect::<String>())
    }

    fn cases(&mut self, name: &str, way: Way, cases: &[(&str, Option<&Type>)]) -> String {
        if way == Way::Out {
            let tags = literal(cases.iter().map(|(tag, _)| *tag));
            return format!("\n\nclass {name}(Object):\n    tag: {tags}\n    val: Any\n");
        }
        let mut text = String::new();
        let mut names = Vec::new();
        for (tag, ty) in cases {
            let case = format!("{name}_{}", pascal(tag));
            let val = match ty {
                Some(ty) => format!("    \"val\": {},\n", self.ty(ty, way, &pascal(tag))),
                None => String::new(),
            };
            let _ = write!(
                text,
                "\n\n{case} = TypedDict(\"{case}\", {{\n    \"tag\": Literal[\"{tag}\"],\n{val}}})\n"
            );
            names.push(case);
        }
        let _ = write!(text, "\n\n{name}: TypeAlias = {}\n", names.join(" | "));
        text
    }
}

fn literal<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let names: Vec<String> = names.map(quoted).collect();
    if names.is_empty() { "str".to_owned() } else { format!("Literal[{}]", names.join(", ")) }
}

/// Returns a name in snake case that is valid in Python: a keyword gets a `_` at its end, as in the engines.
fn identifier(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// Returns `docs` as a docstring; empty if there are none.
fn docstring(docs: &str, indent: &str) -> String {
    let docs = docs.trim().replace('\\', "\\\\").replace("\"\"\"", "'''");
    if docs.is_empty() {
        return String::new();
    }
    let lines: Vec<String> = docs
        .lines()
        .enumerate()
        .map(|(index, line)| match (index, line.trim_end()) {
            (0, line) => line.to_owned(),
            (_, "") => String::new(),
            (_, line) => format!("{indent}{line}"),
        })
        .collect();
    let end =
        if lines.len() > 1 || docs.ends_with('"') { format!("\n{indent}") } else { String::new() };
    format!("{indent}\"\"\"{}{end}\"\"\"\n", lines.join("\n"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_docs_that_python_would_stumble_over() {
        assert_eq!(identifier("from"), "from_");
        assert_eq!(docstring("a\n\n  b\"\"\" \\", "  "), "  \"\"\"a\n\n    b''' \\\\\n  \"\"\"\n");
        assert_eq!(docstring(" ", ""), "");
    }

    #[test]
    fn what_has_no_default_is_given_by_name_behind_what_has_one() {
        let field = |name: &str, ty: Type| Field::new(name, ty, None);
        let optional = Type::Option(std::sync::Arc::new(Type::U32));
        let params = [field("a", Type::String), field("b", optional), field("class", Type::Table)];
        let text = Writer::new(String::new()).params(&params);
        assert_eq!(text, "a: str, b: int | None = ..., *, class_: TableInput");
    }
}
