//! Lints: possible improvements of a component whose functions are tools. Each has a name, a place and advice.

use std::collections::HashSet;

use serde::Serialize;

use super::super::name::is_kebab;
use mitt_wit::value::{Function, Skipped, Type};

/// With more parameters than this, models make mistakes.
const MANY_PARAMETERS: usize = 20;
/// Providers refuse schemas with more levels than this.
const DEEPEST: usize = 10;

/// Possible improvement.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Lint {
    /// Name of the rule in kebab case, such as `undocumented-function`.
    pub name: &'static str,
    /// Place, such as ``parameter `data` of `excel_tool__create_excel` ``.
    pub place: String,
    /// Details; empty if the name of the rule says everything.
    pub detail: String,
    /// Reason why it matters.
    pub why: &'static str,
    /// Advice.
    pub way_out: &'static str,
}

/// Rule: its name, the reason why it matters, and advice.
type Rule = (&'static str, &'static str, &'static str);

const UNDOCUMENTED_FUNCTION: Rule = (
    "undocumented-function",
    "a model does not know when to call it",
    "write `description` of it under `tools` in `skill.yaml`, or a `///` comment in the WIT and keep it in the component as the template of a new skill shows",
);
const UNDOCUMENTED_PARAMETER: Rule = (
    "undocumented-parameter",
    "a model guesses what to give",
    "add a line such as ``- `name`: what it is, default …`` to the documentation of the function",
);
const TUPLE: Rule = (
    "tuple",
    "models mix up values without names, and some decoders refuse the schema",
    "use a record",
);
const BYTES_ARGUMENT: Rule = (
    "bytes-argument",
    "a model cannot write bytes",
    "take the name of a document or of a file in the workspace",
);
const LARGE_INTEGER: Rule = (
    "large-integer",
    "many programs round numbers beyond 2^53 in JSON",
    "use `u32` or `s32` where they are enough, or a string",
);
const DEEP_PARAMETERS: Rule = (
    "deep-parameters",
    "providers refuse schemas of more than 10 levels",
    "flatten the types, or split the function",
);
const TOO_MANY_PARAMETERS: Rule = (
    "many-parameters",
    "models leave out or mix up some of so many",
    "gather the rare ones in a record of options, or split the function",
);
const NAME_NOT_KEBAB: Rule = (
    "name-not-kebab",
    "models write names in lower case",
    "write it in lower-case words joined by `-`",
);
const SINGLE_CASE: Rule = (
    "single-case",
    "it says nothing: there is no choice",
    "leave it out until there is a second case, or use a `bool` in place of one flag",
);
const NO_ERROR: Rule = (
    "no-error",
    "if it fails it can only trap, and a model never learns why",
    "return `result<_, string>` or a variant of errors, if it can fail",
);
const LONG_TOOL_NAME: Rule = (
    "long-tool-name",
    "providers refuse names of more than 64 characters, so that it makes no tool",
    "give the skill or the function a shorter name",
);
const NOT_CALLABLE: Rule = (
    "not-callable",
    "it makes no tool",
    "offer it without streams, futures and `async`, and give each resource a constructor or a function that returns it",
);
const NO_TOOLS: Rule =
    ("no-tools", "a model can do nothing with it", "export functions whose types have a JSON form");
const UNUSED_GRANT: Rule = (
    "unused-grant",
    "a grant that is not needed is a risk without use",
    "remove it from `grants` in `skill.yaml`",
);

const UNDOCUMENTED_PLUG_IN: Rule = (
    "undocumented-function",
    "a model does not know when to call it",
    "write a `description` of it under `tools` in `skill.yaml`, or in the XTP schema `schema.yaml` beside it",
);
const REFUSED_REQUESTS: Rule = (
    "refused-requests",
    "it imports `http_request`, and what it asks for is refused",
    "grant `fetch: {hosts: [...]}` in `skill.yaml` if it should have it",
);

impl Lint {
    /// Returns the lint for a plug-in that sends requests without the grant.
    pub(super) fn refused_requests() -> Lint {
        Lint::new(REFUSED_REQUESTS, "the plug-in".to_owned(), "")
    }

    fn new((name, why, way_out): Rule, place: String, detail: impl Into<String>) -> Lint {
        Lint { name, place, detail: detail.into(), why, way_out }
    }

    /// Returns the lint for a grant that the component does not import.
    pub(super) fn unused_grant(grant: &str) -> Lint {
        Lint::new(UNUSED_GRANT, format!("grant `{grant}`"), "")
    }
}

/// Collects lints. A problem inside of a named type is reported once.
#[derive(Default)]
pub(super) struct Linter {
    lints: Vec<Lint>,
    seen: HashSet<(usize, bool)>,
}

impl Linter {
    /// Returns the lints, grouped by rule.
    pub(super) fn finish(mut self) -> Vec<Lint> {
        // A type can occur in arguments and in results.
        let mut seen = HashSet::new();
        self.lints.retain(|lint| seen.insert((lint.name, lint.place.clone())));
        self.lints.sort_by_key(|lint| lint.name);
        self.lints
    }

    /// Checks a function that is the tool `tool`.
    pub(super) fn function(&mut self, function: &Function, tool: &str) {
        let place = format!("`{tool}`");
        if function.docs.is_empty() {
            self.add(UNDOCUMENTED_FUNCTION, &place, "");
        }
        if has_upper_case(&function.name) {
            self.add(NAME_NOT_KEBAB, &place, format!("`{}`", function.name));
        }
        if function.params.len() > MANY_PARAMETERS {
            self.add(TOO_MANY_PARAMETERS, &place, format!("{} parameters", function.params.len()));
        }
        let has_error = matches!(
            function.result.as_ref().map(Type::target),
            Some(Type::Result(types)) if types.1.is_some()
        );
        let is_constructor = function.name.starts_with("[constructor]");
        if !has_error && !is_constructor {
            self.add(NO_ERROR, &place, "");
        }
        let is_method = function.name.starts_with("[method]");
        for (index, param) in function.params.iter().enumerate() {
            let place = format!("parameter `{}` of `{tool}`", param.name);
            let is_self = is_method && index == 0;
            if param.docs.is_none() && !is_self {
                self.add(UNDOCUMENTED_PARAMETER, &place, "");
            }
            if !is_kebab(&param.name) || has_upper_case(&param.name) {
                self.add(NAME_NOT_KEBAB, &place, "");
            }
            // The arguments object itself is a level.
            let levels = 1 + levels(&param.ty);
            if levels > DEEPEST {
                self.add(DEEP_PARAMETERS, &place, format!("{levels} levels"));
            }
            self.ty(&param.ty, &place, true);
        }
        if let Some(ty) = &function.result {
            self.ty(ty, &format!("result of `{tool}`"), false);
        }
    }

    /// Checks a function of a plug-in that is the tool `tool`, with its contract.
    pub(super) fn plug_in_function(&mut self, function: &Function, tool: &str) {
        if function.docs.is_empty() {
            self.add(UNDOCUMENTED_PLUG_IN, &format!("`{tool}`"), "");
        }
        for param in &function.params {
            self.ty(&param.ty, &format!("parameter `{}` of `{tool}`", param.name), true);
        }
    }

    /// Reports a function that could be a tool but has no valid name.
    pub(super) fn without_name(&mut self, function: &Function, reason: &str) {
        self.add(LONG_TOOL_NAME, &format!("function `{}`", function.name), reason);
    }

    /// Reports a function that cannot be called.
    pub(super) fn skipped(&mut self, skipped: &Skipped) {
        self.add(NOT_CALLABLE, &format!("function `{}`", skipped.name), skipped.reason.as_str());
    }

    /// Reports a component without tools.
    pub(super) fn no_tools(&mut self) {
        self.add(NO_TOOLS, "the component", "");
    }

    fn add(&mut self, rule: Rule, place: &str, detail: impl Into<String>) {
        self.lints.push(Lint::new(rule, place.to_owned(), detail));
    }

    /// Checks the type at `place`, and its parts. A type is at most a hundred levels deep.
    fn ty(&mut self, ty: &Type, place: &str, argument: bool) {
        if let Some(address) = ty.address()
            && !self.seen.insert((address, argument))
        {
            return;
        }
        match ty {
            Type::Tuple(_) => self.add(TUPLE, place, ty.to_string()),
            Type::Bytes if argument => self.add(BYTES_ARGUMENT, place, ""),
            Type::U64 | Type::S64 if argument => self.add(LARGE_INTEGER, place, ty.to_string()),
            Type::Enum(it) if it.cases.len() == 1 => {
                self.add(SINGLE_CASE, &format!("enum `{}`", it.name), "");
            }
            Type::Flags(it) if it.flags.len() == 1 => {
                self.add(SINGLE_CASE, &format!("flags `{}`", it.name), "");
            }
            Type::Record(it) => {
                for field in &it.fields {
                    let place = format!("field `{}` of `{}`", field.name, it.name);
                    self.ty(&field.ty, &place, argument);
                }
                return;
            }
            Type::Variant(it) => {
                for case in &it.cases {
                    if let Some(ty) = &case.ty {
                        let place = format!("case `{}` of `{}`", case.name, it.name);
                        self.ty(ty, &place, argument);
                    }
                }
                return;
            }
            Type::Alias(it) => return self.ty(&it.ty, &format!("type `{}`", it.name), argument),
            _ => {}
        }
        ty.for_each_part(&mut |part| self.ty(part, place, argument));
    }
}

fn has_upper_case(name: &str) -> bool {
    name.contains(|c: char| c.is_ascii_uppercase())
}

/// Returns the nesting depth of arrays and objects in the JSON of a type.
fn levels(ty: &Type) -> usize {
    let mut deepest = 0;
    ty.for_each_part(&mut |part| deepest = deepest.max(levels(part)));
    deepest
        + match ty {
            Type::List(_)
            | Type::FixedList(..)
            | Type::Map(_)
            | Type::Tuple(_)
            | Type::Record(_)
            | Type::Variant(_)
            | Type::Result(_)
            | Type::Flags(_) => 1,
            Type::Option(inner) if inner.admits_null() => 1,
            Type::Table | Type::TableHandle => 3,
            _ => 0,
        }
}
