//! Functions of a module, with each form in which a script may call them.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use super::super::{Way, parameter, pascal, quoted};
use super::types::Types;
use super::{camel, key, tsdoc};
use mitt_wit::value::{Field, Function};

/// Indentation of a declaration in a module.
const INDENT: &str = "    ";

/// Most arguments in order before an object with the rest. A longer call is better read with names, and each form is a
/// declaration.
const MAX_IN_ORDER: usize = 6;

/// Words that cannot be names of functions and parameters in a module.
const KEYWORDS: [&str; 51] = [
    "arguments",
    "await",
    "break",
    "case",
    "catch",
    "class",
    "const",
    "continue",
    "debugger",
    "default",
    "delete",
    "do",
    "else",
    "enum",
    "eval",
    "export",
    "extends",
    "false",
    "finally",
    "for",
    "function",
    "if",
    "implements",
    "import",
    "in",
    "instanceof",
    "interface",
    "let",
    "new",
    "null",
    "package",
    "private",
    "protected",
    "public",
    "return",
    "static",
    "super",
    "switch",
    "this",
    "throw",
    "true",
    "try",
    "typeof",
    "undefined",
    "var",
    "void",
    "while",
    "with",
    "yield",
    "async",
    "of",
];

/// Functions of a module.
#[derive(Default)]
pub(super) struct Functions {
    types: Types,
    names: BTreeSet<String>,
    /// Names of declarations, and further names under which they are exported.
    exports: Vec<(String, String)>,
    text: String,
}

impl Functions {
    /// Adds a function with its name in the module.
    pub(super) fn add(&mut self, name: &str, function: &Function) {
        let declared = identifier(name);
        let export = if declared == name { "export " } else { "" };
        if declared != name {
            self.exports.push((declared.clone(), name.to_owned()));
        }
        if let Some(camel) = camel(name) {
            self.exports.push((declared.clone(), camel));
        }
        self.names.insert(name.to_owned());
        let near = pascal(&function.name);
        let result = match function.success() {
            Some(ty) => self.types.ty(ty, Way::Out),
            None => "null".to_owned(),
        };
        let forms = self.forms(&function.params, &near);
        let last = forms.len() - 1;
        for (index, params) in forms.iter().enumerate() {
            let docs = if index == last { &*function.docs } else { sentence(&function.docs) };
            self.text.push('\n');
            self.text.push_str(&tsdoc(docs, INDENT));
            // Writing to a string cannot fail.
            let _ = writeln!(
                self.text,
                "{INDENT}{export}function {declared}({params}): Promise<{result}>;"
            );
        }
    }

    /// Returns the declarations: types, functions, other names of functions.
    pub(super) fn finish(self) -> String {
        let mut text = self.types.finish();
        text.push_str(&self.text);
        // Another spelling gives way to a function that has this very name.
        let is_free = |name: &String| identifier(name) != *name || !self.names.contains(name);
        let exports = self.exports.iter().filter(|(_, name)| is_free(name));
        let exports: Vec<String> =
            exports.map(|(declared, name)| format!("{declared} as {name}")).collect();
        // An empty list also has an effect: the module exports nothing that is not marked.
        let list =
            if exports.is_empty() { "{}".into() } else { format!("{{ {} }}", exports.join(", ")) };
        let _ = write!(text, "\n{INDENT}export {list};\n");
        text
    }

    /// Returns the parameters of each form of a call. The last one is an object with names: compilers explain their errors by
    /// the last form.
    fn forms(&mut self, params: &[Field], near: &str) -> Vec<String> {
        if params.is_empty() {
            return vec![String::new()];
        }
        let arguments = self.arguments(params, near);
        // The engine assigns values in this order.
        let (required, optional): (Vec<&Field>, Vec<&Field>) =
            params.iter().partition(|param| param.required());
        let is_free = required.is_empty();
        let ordered: Vec<&Field> = required.iter().chain(&optional).copied().collect();
        let mut named = "named".to_owned();
        while ordered.iter().any(|param| parameter(param) == named) {
            named.push('_');
        }
        let typed: Vec<(String, String, bool)> = ordered
            .iter()
            .map(|param| {
                let ty = self.types.of_field(param, Way::In);
                (identifier(&parameter(param)), ty, param.required())
            })
            .collect();
        let in_order = typed.iter().map(|(name, ty, is_required)| {
            let mark = if *is_required { "" } else { "?" };
            format!("{name}{mark}: {ty}")
        });
        let mut forms = vec![in_order.collect::<Vec<_>>().join(", ")];
        for given in 1..ordered.len().min(MAX_IN_ORDER + 1) {
            let mut parts: Vec<String> = typed[..given]
                .iter()
                .map(|(name, ty, is_required)| {
                    let left_out = if *is_required { "" } else { " | undefined" };
                    format!("{name}: {ty}{left_out}")
                })
                .collect();
            let names: Vec<String> =
                ordered[..given].iter().map(|param| quoted(&parameter(param))).collect();
            parts.push(format!("{named}: Omit<{arguments}, {}>", names.join(" | ")));
            forms.push(parts.join(", "));
        }
        forms.push(format!("{named}{}: {arguments}", if is_free { "?" } else { "" }));
        forms
    }

    /// Declares the object with the arguments, and returns the name of its type.
    fn arguments(&mut self, params: &[Field], near: &str) -> String {
        let name = self.types.free(&format!("{near}Arguments"));
        let mut text = format!("{INDENT}export interface {name} {{\n");
        for param in params {
            let ty = self.types.of_field(param, Way::In);
            text.push_str(&tsdoc(param.docs.as_deref().unwrap_or_default(), "        "));
            let mark = if param.required() { "" } else { "?" };
            // Writing to a string cannot fail.
            let _ = writeln!(text, "        {}{mark}: {ty};", key(&parameter(param)));
        }
        text.push_str("    }\n");
        self.types.push(text);
        name
    }
}

/// Returns a name that is valid in TypeScript: a keyword gets a `_` at its end, which no name in snake case has.
fn identifier(name: &str) -> String {
    if KEYWORDS.contains(&name) { format!("{name}_") } else { name.to_owned() }
}

/// Returns the first paragraph of a description.
fn sentence(docs: &str) -> &str {
    docs.trim().split("\n\n").next().unwrap_or_default()
}
