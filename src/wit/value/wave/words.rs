//! The wording of problems: what was written, where, and how to fix it.

use super::super::number::is_number;
use super::super::problem::{cut, quoted};
use super::super::types::{Type, same_name};
use super::parse::{Case, NodeKind, position};

/// Longest part of a name that is shown, in characters.
pub(super) const MAX_SHOWN_CHARACTERS: usize = 60;

/// A position in the text. Line and column are computed only for display, because counting lines for a million problems would
/// take long.
#[derive(Clone, Copy)]
pub(super) struct SourcePosition<'t> {
    pub(super) text: &'t str,
    pub(super) offset: usize,
}

impl std::fmt::Display for SourcePosition<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (line, column) = position(self.text, self.offset);
        write!(f, "line {line}, column {column}")
    }
}

/// Returns what was written, in the form of a problem.
pub(super) fn shown(kind: &NodeKind<'_>) -> String {
    let name = |name: &str| cut(name, MAX_SHOWN_CHARACTERS);
    match kind {
        NodeKind::Bool(value) => format!("boolean {value}"),
        NodeKind::Number(text) if is_number(text) => format!("number {}", name(text)),
        NodeKind::Number(text) => format!("`{text}`"),
        NodeKind::Char(character) => format!("char '{}'", character.escape_debug()),
        NodeKind::String(text) => format!("string {}", quoted(text)),
        NodeKind::List(items) => format!("list of {}", items.len()),
        NodeKind::Tuple(items) => format!("tuple of {}", items.len()),
        NodeKind::Record(entries) => match entries.first() {
            None => "empty record".to_owned(),
            Some((first, _)) => format!("record with `{}`", name(first)),
        },
        NodeKind::Flags(flags) => match flags.first() {
            None => "`{}`".to_owned(),
            Some(first) => format!("flags with `{}`", name(first)),
        },
        NodeKind::Case(Case { name: case, keyword, payload }) => {
            let noun = if *keyword { "" } else { "label " };
            let payload = if payload.is_some() { "(…)" } else { "" };
            format!("{noun}`{}{payload}`", name(case))
        }
    }
}

/// Returns how to fix it, if that is likely to help.
pub(super) fn hint(ty: &Type, kind: &NodeKind<'_>) -> Option<String> {
    let textual = |ty: &Type| {
        matches!(
            ty,
            Type::String
                | Type::Decimal
                | Type::Bytes
                | Type::Object
                | Type::Own(_)
                | Type::Borrow(_)
        )
    };
    Some(match (ty, kind) {
        (Type::Option(_), NodeKind::Case(Case { name: "null", payload: None, .. })) => {
            "write `none`".to_owned()
        }
        (Type::Option(inner), kind) if !flattens(inner) => match kind {
            NodeKind::Case(_) => return None,
            _ => "write `some(…)` around it".to_owned(),
        },
        (Type::Option(inner), kind) => return hint(inner.target(), kind),
        (Type::Cell, NodeKind::Case(Case { name: "none", .. })) => "write `null`".to_owned(),
        (Type::Cell, NodeKind::Case(Case { payload: Some(_), .. })) => {
            "the cases are `null`, `boolean(true)`, `number(\"1.5\")` and `text(\"a\")`".to_owned()
        }
        (Type::Bool, NodeKind::Case(Case { name, .. })) if matches!(*name, "TRUE" | "FALSE") => {
            "write `true` or `false`".to_owned()
        }
        (ty, NodeKind::Case(Case { name, payload: None, keyword: false }))
            if textual(ty) || *ty == Type::Cell =>
        {
            format!("write {} in double quotes", quoted(name))
        }
        (ty, NodeKind::Char(character)) if textual(ty) || *ty == Type::Cell => {
            format!("write {} in double quotes", quoted(&character.to_string()))
        }
        (_, NodeKind::Number(text)) if !is_number(text) => "it must be a finite number".to_owned(),
        (_, NodeKind::Case(Case { name: "some", keyword: true, .. })) => {
            "write the value without `some`".to_owned()
        }
        (_, NodeKind::Case(Case { name: "none", keyword: true, .. })) => {
            "a value must be given".to_owned()
        }
        (Type::Variant(variant), NodeKind::String(text)) => {
            let case = variant.cases.iter().find(|case| same_name(&case.name, text))?;
            let payload = if case.ty.is_some() { "(…)" } else { "" };
            format!("write `{}{payload}` without quotes", cut(&case.name, MAX_SHOWN_CHARACTERS))
        }
        (Type::Variant(_), NodeKind::Record(_)) => "write the case as `name(…)`".to_owned(),
        (Type::Result(_), _) => "write `ok(…)` or `err(…)`".to_owned(),
        (Type::List(_) | Type::FixedList(..) | Type::Bytes, NodeKind::Tuple(_)) => {
            "write a list in square brackets".to_owned()
        }
        (Type::Record(_), NodeKind::Flags(_)) => "write fields as `name: value`".to_owned(),
        _ => return None,
    })
}

/// Returns `true` if a bare value of `ty` may stand for `some` or `ok` of it.
pub(super) fn flattens(ty: &Type) -> bool {
    !matches!(ty.target(), Type::Option(_) | Type::Result(_))
}
