//! Tables that stay in the host: their references in JSON, and the tables of one call.
//!
//! The `Val` of such a table is its number among those of the call. Only the owner of the store can make a handle of it.

use super::json::Json;
use super::types::{Function, Type};
use mitt_base::error::Result;
use mitt_base::memory::Account;
use mitt_table::Table;
use wasmtime::component::Val;

/// The tables that a call may name, and the account for those that it spells out.
pub trait Tables {
    /// Returns the table of a reference.
    ///
    /// # Errors
    ///
    /// Why there is none, as the end of a sentence about the reference.
    fn open(&self, reference: &str) -> Result<Table, String>;

    /// Returns the account for tables that are spelled out.
    fn account(&self) -> Account;
}

/// The tables among the arguments of one call.
#[derive(Default)]
pub(super) struct GivenTables<'h> {
    pub(super) session: Option<&'h dyn Tables>,
    pub(super) given: Vec<Table>,
}

/// Returns the reference in a JSON value: `{"$ref": "t:3"}`, also alone in an array if a schema asks for one, or only its
/// text.
pub(super) fn reference(json: &Json) -> Option<&str> {
    match json {
        // Text with several lines, or that looks like JSON, holds rows: a common mistake, which has its own hint.
        Json::String(text) => {
            (!text.contains('\n') && !text.starts_with(['[', '{'])).then_some(text)
        }
        Json::Array(items) => match &items[..] {
            [Json::Object(entries)] => of_object(entries),
            _ => None,
        },
        Json::Object(entries) => of_object(entries),
        _ => None,
    }
}

fn of_object(entries: &[(String, Json)]) -> Option<&str> {
    match entries {
        [(key, Json::String(text))] if key == "$ref" => Some(text),
        _ => None,
    }
}

impl Function {
    /// Visits each table that stays in the host among checked arguments.
    ///
    /// # Errors
    ///
    /// Those of `visit`.
    pub fn visit_given<E>(
        &self,
        args: &mut [Val],
        visit: &mut dyn FnMut(&mut Val) -> Result<(), E>,
    ) -> Result<(), E> {
        for (param, val) in self.params.iter().zip(args) {
            if param.ty.holds_table() {
                each(&param.ty, val, visit)?;
            }
        }
        Ok(())
    }

    /// Visits each table that stays in the host in the result of the function.
    ///
    /// # Errors
    ///
    /// Those of `visit`.
    pub fn visit_gave<E>(
        &self,
        result: &mut Val,
        visit: &mut dyn FnMut(&mut Val) -> Result<(), E>,
    ) -> Result<(), E> {
        match &self.result {
            Some(ty) if ty.holds_table() => each(ty, result, visit),
            _ => Ok(()),
        }
    }
}

impl Type {
    /// Returns `true` if it is a table that stays in the host, or contains one.
    pub fn holds_table(&self) -> bool {
        let mut found = matches!(self, Type::TableHandle);
        self.for_each_part(&mut |part| found = found || part.holds_table());
        found
    }
}

fn each<E>(
    ty: &Type,
    val: &mut Val,
    visit: &mut dyn FnMut(&mut Val) -> Result<(), E>,
) -> Result<(), E> {
    parts(ty, val, &mut |ty, val| match ty {
        Type::TableHandle => visit(val),
        _ => Ok(()),
    })
}

/// Visits a value and all its parts with their types, the whole before its parts. A value is as deep as its type, which
/// bounds the recursion.
pub(super) fn parts<E>(
    ty: &Type,
    val: &mut Val,
    visit: &mut dyn FnMut(&Type, &mut Val) -> Result<(), E>,
) -> Result<(), E> {
    let ty = ty.target();
    visit(ty, val)?;
    match (ty, val) {
        (Type::List(element), Val::List(items))
        | (Type::FixedList(element, _), Val::FixedLengthList(items)) => {
            items.iter_mut().try_for_each(|item| parts(element, item, visit))
        }
        (Type::Tuple(types), Val::Tuple(items)) => {
            types.iter().zip(items).try_for_each(|(ty, item)| parts(ty, item, visit))
        }
        (Type::Map(types), Val::Map(pairs)) => {
            pairs.iter_mut().try_for_each(|(_, value)| parts(&types.1, value, visit))
        }
        (Type::Record(record), Val::Record(fields)) => {
            let mut fields = record.fields.iter().zip(fields);
            fields.try_for_each(|(field, (_, val))| parts(&field.ty, val, visit))
        }
        (Type::Variant(variant), Val::Variant(name, Some(val))) => {
            let case = variant.cases.iter().find(|case| case.name == *name);
            match case.and_then(|case| case.ty.as_ref()) {
                Some(ty) => parts(ty, val, visit),
                None => Ok(()),
            }
        }
        (Type::Option(inner), Val::Option(Some(val))) => parts(inner, val, visit),
        (Type::Result(types), Val::Result(Ok(Some(val)))) => match &types.0 {
            Some(ty) => parts(ty, val, visit),
            None => Ok(()),
        },
        (Type::Result(types), Val::Result(Err(Some(val)))) => match &types.1 {
            Some(ty) => parts(ty, val, visit),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}
