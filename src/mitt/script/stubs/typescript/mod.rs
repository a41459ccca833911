//! TypeScript declarations (`.d.ts`).
//!
//! Knows how the JavaScript engine represents values and finds modules. `types.rs` writes types, `functions.rs` the forms of a
//! call.

mod functions;
mod types;

use std::fmt::Write as _;

use super::{StubModule, is_identifier, quoted};
use functions::Functions;

/// Declarations of what every script has without an import.
const BUILTINS: &str = include_str!("builtins.d.ts");

/// The file of the built-ins, which refers to all others.
const MAIN_FILE: &str = "mitt.d.ts";

const HEADER: &str = "// Written by Mitt: what scripts can call.\n";

/// Returns one text with everything: a declaration for each module, and the built-ins.
pub(crate) fn stubs(modules: &[StubModule<'_>]) -> String {
    let modules: String = modules.iter().map(declarations).collect();
    format!("{HEADER}\n{BUILTINS}{modules}")
}

/// Returns a file for each module, and `mitt.d.ts` for the built-ins, which refers to them.
pub(crate) fn stub_files(modules: &[StubModule<'_>]) -> Vec<(String, String)> {
    let files: Vec<(String, String)> = modules
        .iter()
        .map(|module| (file_name(module), format!("{HEADER}{}", declarations(module))))
        .collect();
    let mut references = String::new();
    for (name, _) in &files {
        // Writing to a string cannot fail.
        let _ = writeln!(references, "/// <reference path={} />", quoted(name));
    }
    let main = (MAIN_FILE.to_owned(), format!("{HEADER}{references}\n{BUILTINS}"));
    std::iter::once(main).chain(files).collect()
}

/// Returns the name of a module's file. Names of modules have no `_` at the end, so it is free.
fn file_name(module: &StubModule<'_>) -> String {
    let name = format!("{}.d.ts", kebab(&module.name));
    if name == MAIN_FILE { "mitt_.d.ts".to_owned() } else { name }
}

/// Returns the name under which scripts import a module.
fn kebab(name: &str) -> String {
    name.replace('_', "-")
}

/// Returns the declarations of a module: its types and functions, and where scripts find it.
fn declarations(module: &StubModule<'_>) -> String {
    let (name, kebab) = (&module.name, quoted(&kebab(&module.name)));
    let mut functions = Functions::default();
    for (function, described) in &module.functions {
        functions.add(function, described);
    }
    let mut text = String::from("\ninterface Skills {\n");
    text.push_str(&tsdoc(module.description, "    "));
    let _ = writeln!(text, "    readonly {}: typeof import({kebab});", key(name));
    if let Some(camel) = camel(name) {
        let _ = writeln!(text, "    readonly {camel}: typeof import({kebab});");
    }
    text.push_str("}\n\ninterface ToolFunctions {\n");
    for (function, _) in &module.functions {
        let tool = key(&format!("{name}__{function}"));
        let _ =
            writeln!(text, "    readonly {tool}: (typeof import({kebab}))[{}];", quoted(function));
    }
    let _ =
        writeln!(text, "}}\n\ninterface Modules {{\n    readonly {kebab}: typeof import({kebab});");
    let snake = quoted(name);
    if snake != kebab {
        let _ = writeln!(text, "    readonly {snake}: typeof import({kebab});");
    }
    let _ = write!(text, "}}\n\ndeclare module {kebab} {{\n{}", functions.finish());
    // The module itself, unless a function has this name.
    if module.functions.iter().all(|(function, _)| function != "default") {
        let _ = writeln!(text, "    const $module: Skills[{snake}];\n    export default $module;");
    }
    text.push_str("}\n");
    if snake != kebab {
        let _ = write!(
            text,
            "\ndeclare module {snake} {{\n    export * from {kebab};\n    export {{ default }} from {kebab};\n}}\n"
        );
    }
    text
}

/// Returns a name as a key of an interface.
fn key(name: &str) -> String {
    if is_identifier(name) { name.to_owned() } else { quoted(name) }
}

/// Returns `createExcel` for `create_excel`; `None` if scripts do not find the function under such a name.
fn camel(name: &str) -> Option<String> {
    let mut camel = String::new();
    for (index, word) in name.split('_').enumerate() {
        let (first, rest) = word.split_at(usize::from(index > 0 && !word.is_empty()));
        camel.push_str(&first.to_ascii_uppercase());
        camel.push_str(rest);
    }
    // As the engine reads it: a `_` between a small letter or a digit and a capital letter.
    let mut read = String::new();
    let mut before = '_';
    for letter in camel.chars() {
        if letter.is_ascii_uppercase() && (before.is_ascii_lowercase() || before.is_ascii_digit()) {
            read.push('_');
        }
        read.push(letter.to_ascii_lowercase());
        before = letter;
    }
    (camel != name && read == name).then_some(camel)
}

/// Returns `docs` as a comment for editors; empty if there are none.
fn tsdoc(docs: &str, indent: &str) -> String {
    let docs = docs.trim().replace("*/", "*\\/");
    let mut lines = docs.lines().map(str::trim_end);
    let Some(first) = lines.next() else { return String::new() };
    let rest: Vec<&str> = lines.collect();
    if rest.is_empty() {
        return format!("{indent}/** {first} */\n");
    }
    let mut text = format!("{indent}/**\n");
    for line in std::iter::once(first).chain(rest) {
        let space = if line.is_empty() { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{indent} *{space}{line}");
    }
    text.push_str(indent);
    text.push_str(" */\n");
    text
}

#[cfg(test)]
mod tests;
