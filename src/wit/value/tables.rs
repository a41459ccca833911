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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::{Case, Field, RecordType, VariantType};
    use std::sync::Arc;

    fn boxed(number: u32) -> Option<Box<Val>> {
        Some(Box::new(Val::U32(number)))
    }

    /// Tables are found wherever a type can hold them, and nothing else is visited.
    #[test]
    fn tables_are_found_in_every_part_of_a_value() {
        let table = || Type::TableHandle;
        let record = Type::Record(Arc::new(RecordType {
            name: "r".into(),
            docs: None,
            fields: vec![Field::new("n", Type::U32, None), Field::new("t", table(), None)],
        }));
        let case = |name: &str, ty| Case { name: name.into(), docs: None, ty };
        let variant = Type::Variant(Arc::new(VariantType {
            name: "v".into(),
            docs: None,
            cases: vec![case("n", Some(Type::U32)), case("t", Some(table())), case("none", None)],
        }));
        let result = Type::Result(Arc::new((Some(table()), Some(table()))));
        let one_sided = Type::Result(Arc::new((Some(table()), Some(Type::U32))));
        let variant_of = |name: &str| Val::Variant(name.into(), boxed(3));
        for (ty, val, found) in [
            (table(), Val::U32(3), vec![3]),
            (Type::List(Arc::new(table())), Val::List(vec![Val::U32(3), Val::U32(4)]), vec![3, 4]),
            (
                Type::FixedList(Arc::new(table()), 1),
                Val::FixedLengthList(vec![Val::U32(3)]),
                vec![3],
            ),
            (
                Type::Tuple([Type::U32, table()].into()),
                Val::Tuple(vec![Val::U32(1), Val::U32(3)]),
                vec![3],
            ),
            (
                Type::Map(Arc::new((Type::U32, table()))),
                Val::Map(vec![(Val::U32(1), Val::U32(3))]),
                vec![3],
            ),
            (
                record,
                Val::Record(vec![("n".into(), Val::U32(1)), ("t".into(), Val::U32(3))]),
                vec![3],
            ),
            (variant.clone(), variant_of("t"), vec![3]),
            (variant.clone(), variant_of("n"), vec![]),
            (variant, variant_of("none"), vec![]),
            (Type::Option(Arc::new(table())), Val::Option(boxed(3)), vec![3]),
            (Type::Option(Arc::new(table())), Val::Option(None), vec![]),
            (result.clone(), Val::Result(Ok(boxed(3))), vec![3]),
            (result, Val::Result(Err(boxed(3))), vec![3]),
            (one_sided.clone(), Val::Result(Ok(boxed(3))), vec![3]),
            (one_sided, Val::Result(Err(boxed(3))), vec![]),
        ] {
            assert!(ty.holds_table(), "{ty}");
            let mut function = Function {
                name: "f".into(),
                params: vec![Field::new("n", Type::U32, None), Field::new("x", ty.clone(), None)],
                result: Some(ty.clone()),
                ..Function::default()
            };
            let mut seen = Vec::new();
            let mut visit = |val: &mut Val| {
                let Val::U32(number) = val else { return Err(format!("{val:?}")) };
                seen.push(*number);
                *number += 10;
                Ok(())
            };
            let mut args = [Val::U32(1), val.clone()];
            function.visit_given(&mut args, &mut visit).unwrap();
            let mut gave = val.clone();
            function.visit_gave(&mut gave, &mut visit).unwrap();
            assert_eq!(seen, [&found[..], &found[..]].concat(), "{ty} {val:?}");
            assert_eq!(args[0], Val::U32(1));
            // What was visited is what was changed.
            assert_eq!(args[1] == val, found.is_empty(), "{ty} {val:?}");
            assert_eq!(gave, args[1]);
            function.result = Some(Type::U32);
            function.visit_gave(&mut Val::U32(1), &mut |_| Err("visited".to_owned())).unwrap();
        }
        assert!(!Type::List(Arc::new(Type::Table)).holds_table());
    }

    #[test]
    fn a_reference_is_the_only_thing_in_its_place() {
        for (json, expected) in [
            (r#""t:3""#, Some("t:3")),
            (r#"{"$ref":"t:3"}"#, Some("t:3")),
            (r#"[{"$ref":"t:3"}]"#, Some("t:3")),
            (r#"{"$id":"t:3"}"#, None),
            (r#"{"$ref":3}"#, None),
            (r#"{"$ref":"t:3","a":1}"#, None),
            (r#"[{"$ref":"t:3"},{"$ref":"t:4"}]"#, None),
            (r#"["t:3"]"#, None),
            (r#""a,b\n1,2""#, None),
            (r#""[1]""#, None),
            (r#""{}""#, None),
            ("3", None),
        ] {
            let json = Json::parse(json, 100, 10).unwrap();
            assert_eq!(reference(&json), expected, "{json}");
        }
    }
}
