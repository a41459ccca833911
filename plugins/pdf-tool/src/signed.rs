//! What the signatures of a document allow.

use crate::action::Edit;
use crate::error::{Error, Result};
use crate::file::Pdf;
use crate::form::FieldKind;
use crate::object::{Dict, Object};
use crate::text::line;

/// Fields that a signature locks.
struct Lock {
    /// Name of the signature's field.
    by: String,
    /// `All`, `Include` or `Exclude`.
    action: Vec<u8>,
    fields: Vec<String>,
}

impl Lock {
    fn locks(&self, name: &str) -> bool {
        // A name stands for the fields below it too.
        let is_named = self.fields.iter().any(|it| {
            name == it || name.strip_prefix(it.as_str()).is_some_and(|rest| rest.starts_with('.'))
        });
        match self.action.as_slice() {
            b"Include" => is_named,
            b"Exclude" => !is_named,
            _ => true,
        }
    }
}

/// What all signatures of a document together allow.
struct Rules {
    /// A signature certifies the document: it says which changes are allowed.
    is_certified: bool,
    /// `DocMDP`: 1 allows nothing, 2 the filling of fields, 3 comments too. 3 if no signature says it.
    level: i64,
    locks: Vec<Lock>,
}

fn lock(pdf: &Pdf, dict: &Dict, by: &str) -> Lock {
    Lock {
        by: by.to_owned(),
        action: pdf.value(dict, "Action").as_name().unwrap_or(b"All").to_vec(),
        fields: pdf
            .array(dict, "Fields")
            .iter()
            .filter_map(|it| pdf.resolve(it).as_str().map(crate::text::decode))
            .collect(),
    }
}

fn rules(pdf: &Pdf) -> Rules {
    let mut rules = Rules { is_certified: false, level: 3, locks: Vec::new() };
    let mut signatures: Vec<(String, Dict)> = Vec::new();
    for field in pdf.fields().iter().filter(|it| it.kind == FieldKind::Signature) {
        let Object::Dict(value) = pdf.inherited(field.number, "V") else { continue };
        if let Object::Dict(dict) = pdf.inherited(field.number, "Lock") {
            rules.locks.push(lock(pdf, &dict, &field.name));
            rules.level = rules.level.min(pdf.value(&dict, "P").as_int().unwrap_or(3));
        }
        signatures.push((field.name.clone(), value));
    }
    if let Some(dict) = pdf.dict(pdf.catalog(), "Perms").and_then(|it| pdf.dict(it, "DocMDP")) {
        signatures.push(("DocMDP".to_owned(), dict.clone()));
    }
    for (name, dict) in &signatures {
        for reference in pdf.array(dict, "Reference") {
            let Some(reference) = pdf.resolve(reference).as_dict() else { continue };
            let empty = Dict::new();
            let params = pdf.dict(reference, "TransformParams").unwrap_or(&empty);
            match pdf.value(reference, "TransformMethod").as_name() {
                Some(b"DocMDP") => {
                    let level = pdf.value(params, "P").as_int().unwrap_or(2);
                    rules.level = rules.level.min(level);
                    rules.is_certified = true;
                }
                Some(b"FieldMDP") => rules.locks.push(lock(pdf, params, name)),
                _ => {}
            }
        }
    }
    rules
}

/// Returns what the signatures allow, in words; `None` if the document is not signed.
pub(crate) fn allowed(pdf: &Pdf) -> Option<String> {
    if pdf.signatures().is_empty() {
        return None;
    }
    let rules = rules(pdf);
    let mut text = match rules.level {
        ..=1 => "no changes".to_owned(),
        2 => "filling of fields".to_owned(),
        _ => "filling of fields, removing of comments".to_owned(),
    };
    if rules.level > 1 && !rules.locks.is_empty() {
        text.push_str("; some fields are locked");
    }
    Some(text)
}

/// Refuses edits that the signatures of the document do not allow.
///
/// # Errors
///
/// `unsupported` - each such edit is named.
pub(crate) fn check(pdf: &Pdf, edits: &[Edit]) -> Result<()> {
    let rules = rules(pdf);
    let fields = pdf.fields();
    let mut problems = Vec::new();
    for (at, edit) in edits.iter().enumerate() {
        let problem = match edit {
            Edit::FillField { .. } if rules.level < 2 => Some("no change is allowed".to_owned()),
            Edit::FillField { field, .. } => {
                // A name may be the last part of the full one.
                let names = fields.iter().map(|it| it.name.as_str());
                let full = names
                    .clone()
                    .find(|it| it == field)
                    .or_else(|| names.clone().find(|it| it.rsplit('.').next() == Some(field)))
                    .unwrap_or(field);
                let lock = rules.locks.iter().find(|it| it.locks(full));
                lock.map(|it| {
                    format!(
                        "the field `{}` is locked by the signature `{}`",
                        line(full, 100),
                        line(&it.by, 60)
                    )
                })
            }
            Edit::RemoveAnnotations { .. } if rules.level >= 3 => None,
            _ => Some("the change would break them".to_owned()),
        };
        if let Some(problem) = problem {
            problems.push(format!("edits[{at}] `{}`: {problem}", edit.action()));
        }
    }
    if problems.is_empty() {
        return Ok(());
    }
    let more = problems.len().saturating_sub(20);
    problems.truncate(20);
    if more > 0 {
        problems.push(format!("and {more} more"));
    }
    let names: Vec<String> =
        pdf.signatures().iter().take(5).map(|it| format!("`{}`", line(it, 60))).collect();
    Err(Error::Unsupported(format!(
        "the document is signed ({}), and its signatures allow: {}. Not allowed: {}. Leave these edits out, or ask the user, \
            then set `break_signatures`",
        names.join(", "),
        allowed(pdf).unwrap_or_default(),
        problems.join("; ")
    )))
}

/// Refuses a further signature in the field `name` that the signatures of the document do not allow. `is_new` is true for a new
/// field that is seen.
///
/// # Errors
///
/// `unsupported` - with the reason.
pub(crate) fn check_signing(pdf: &Pdf, name: &str, is_new: bool) -> Result<()> {
    let rules = rules(pdf);
    let refused = |reason: String| {
        Err(Error::Unsupported(format!(
            "a signature of the document forbids another one: {reason}"
        )))
    };
    if rules.level < 2 {
        return refused("no change is allowed".to_owned());
    }
    if rules.is_certified && is_new {
        return refused(
            "what is seen on pages must not change; sign an empty field of the document, or leave out `visible`".to_owned(),
        );
    }
    match rules.locks.iter().find(|it| it.locks(name)) {
        Some(lock) => refused(format!(
            "the field `{}` is locked by the signature `{}`",
            line(name, 100),
            line(&lock.by, 60)
        )),
        None => Ok(()),
    }
}
