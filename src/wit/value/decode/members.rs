//! Decodes objects with known members: the parameters of a function, the fields of a record.

use super::super::json::Json;
use super::super::path::Path;
use super::super::problem::{ProblemText, expected, suggestion};
use super::super::types::{Field, Type};
use super::Decoder;
use std::collections::HashMap;
use wasmtime::component::Val;

impl Decoder<'_> {
    /// Decodes the members of an object: one value per field, in the order of the fields.
    pub(super) fn members(
        &mut self,
        fields: &[Field],
        entries: Vec<(String, Json)>,
        at: &Path<'_>,
        noun: &str,
    ) -> Option<Vec<Val>> {
        let mut slots: Vec<Option<Val>> = vec![None; fields.len()];
        let mut given = vec![false; fields.len()];
        let mut sound = true;
        let (mut next, mut index) = (0, FieldIndex::default());
        for (key, json) in entries {
            // Members usually come in the order of the fields, so the search rarely goes on.
            let Some(index) = index.find(fields, &key, next) else {
                sound = false;
                self.problems.add(&at.given(&key), || {
                    let keys = fields.iter().map(|field| field.key.as_str());
                    format!("unknown {noun}{}", suggestion(&key, keys, &format!("the {noun}s are")))
                });
                continue;
            };
            next = index + 1;
            let at = at.key(&key);
            if given[index] {
                sound = false;
                self.problems.add(&at, || {
                    ProblemText::of_type(format!(
                        "the {noun} is given twice, in snake case and in kebab case"
                    ))
                });
                continue;
            }
            given[index] = true;
            let field = &fields[index];
            slots[index] = match json {
                // Decoders that want every member write null.
                Json::Null if field.default().is_some() => self.left_out(field, &at),
                Json::Null if field.required() && field.ty.is_option() => self.fail(&at, || {
                    ProblemText::of_type(format!("expected {}, got null", expected(wanted(field))))
                }),
                json => self.value(&field.ty, json, &at),
            };
            sound &= slots[index].is_some();
        }
        for ((field, given), slot) in fields.iter().zip(given).zip(&mut slots) {
            if given {
                continue;
            }
            if field.required() {
                sound = false;
                self.problems.add(&at.key(&field.key), || {
                    ProblemText::of_type(format!("missing, expected {}", expected(wanted(field))))
                });
            } else {
                *slot = self.left_out(field, at);
                sound &= slot.is_some();
            }
        }
        if sound { slots.into_iter().collect() } else { None }
    }

    /// Returns the value of a field that is left out: its default, or `none` for an option.
    fn left_out(&mut self, field: &Field, at: &Path<'_>) -> Option<Val> {
        let size = size_of::<(String, Val)>() + field.name.len();
        let Some(default) = field.default() else {
            self.spend(size, at)?;
            return Some(Val::Option(None));
        };
        // Each byte of JSON makes at most one value.
        self.spend(size + default.to_string().len() * size_of::<Val>(), at)?;
        self.value(&field.ty, default.clone(), at)
    }
}

/// Returns the type that a required field must have: of an option, that of its value.
fn wanted(field: &Field) -> &Type {
    match field.ty.target() {
        Type::Option(inner) => inner,
        _ => &field.ty,
    }
}

/// Finds fields by name: by position first, by hash if there are many.
#[derive(Default)]
pub(in super::super) struct FieldIndex<'f> {
    by_name: HashMap<&'f str, usize>,
}

impl<'f> FieldIndex<'f> {
    /// Up to this number, fields are searched linearly.
    const SCANNED_FIELDS: usize = 16;

    /// Returns the field that `key` names, in snake or in kebab case; `guess` is tried first.
    pub(in super::super) fn find(
        &mut self,
        fields: &'f [Field],
        key: &str,
        guess: usize,
    ) -> Option<usize> {
        let named = |field: &Field| field.key == key || field.name == key;
        if fields.get(guess).is_some_and(named) {
            return Some(guess);
        }
        if fields.len() <= FieldIndex::SCANNED_FIELDS {
            return fields.iter().position(named);
        }
        if self.by_name.is_empty() {
            for (position, field) in fields.iter().enumerate() {
                self.by_name.entry(&field.key).or_insert(position);
                self.by_name.entry(&field.name).or_insert(position);
            }
        }
        self.by_name.get(key).copied()
    }
}
