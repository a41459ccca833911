//! Tests the schema against the check, with the `jsonschema` crate as the judge: both accept the same values, apart from the
//! two lists in `value`.

use super::random::{Random, mutate};
use super::*;
use crate::schema;
use jsonschema::Validator;
use serde_json::Value;

/// Refusals that no schema can express.
const UNSAYABLE: [&str; 4] =
    ["appears twice", "a cell for each of", "of at most 64 characters", "given twice"];

fn takes(ty: &Type) -> Function {
    Function { params: vec![Field::new("x", ty.clone(), None)], ..Default::default() }
}

pub(super) fn arguments(json: &Json) -> String {
    Json::object([("x", json.clone())]).to_string()
}

/// Returns `true` if host and schema agree on `json`; `None` if the judge cannot read its numbers.
pub(super) fn agree(function: &Function, validator: &Validator, json: &Json) -> Option<bool> {
    let text = arguments(json);
    let value: Value = serde_json::from_str(&text).ok()?;
    let by_schema = validator.is_valid(&value);
    let checked = UntypedCall { name: "f", arguments: Json::parse(&text, 1 << 20, 64).unwrap() }
        .check(function);
    match checked {
        Ok(_) if !by_schema => {
            assert!(
                further(&function.params[0].ty, json),
                "{}: {text} is accepted, but not by {}",
                function.params[0].ty,
                schema::arguments(function)
            );
            Some(true)
        }
        Err(error) if by_schema => {
            let report = error.render();
            assert!(
                UNSAYABLE.iter().any(|refusal| report.contains(refusal)),
                "{}: {text} is refused, but not by {}: {report}",
                function.params[0].ty,
                schema::arguments(function)
            );
            Some(false)
        }
        Ok(_) => Some(true),
        Err(_) => Some(false),
    }
}

/// Returns `true` if `json` uses a spelling that the schema does not have.
fn further(ty: &Type, json: &Json) -> bool {
    let any = |ty: &Type, items: &[Json]| items.iter().any(|item| further(ty, item));
    match (ty.target(), json) {
        (Type::Flags(_) | Type::Tuple(_), Json::Object(_)) => true,
        (Type::Map(types), Json::Array(_)) if types.0 == Type::String => true,
        (Type::Map(types), Json::Array(items)) => items.iter().any(|item| {
            further(&types.0, item.get("key").unwrap())
                || further(&types.1, item.get("value").unwrap())
        }),
        (Type::Map(types), Json::Object(entries)) => {
            entries.iter().any(|(_, value)| further(&types.1, value))
        }
        (Type::List(element) | Type::FixedList(element, _), Json::Array(items)) => {
            any(element, items)
        }
        (Type::Tuple(types), Json::Array(items)) => {
            types.iter().zip(items).any(|(ty, item)| further(ty, item))
        }
        (Type::Record(record), Json::Object(entries)) => {
            let field = |key: &str| record.fields.iter().find(|field| field.key == key);
            entries.iter().any(|(key, value)| field(key).is_none_or(|it| further(&it.ty, value)))
        }
        (Type::Option(_), Json::Null) => false,
        (Type::Option(inner), json) if inner.admits_null() => {
            json.get("val").is_some_and(|val| further(inner, val))
        }
        (Type::Option(inner), json) => further(inner, json),
        (Type::Variant(variant), json) => {
            let tag = json.get("tag").and_then(Json::as_str);
            let case = variant.cases.iter().find(|case| Some(case.name.as_str()) == tag);
            let payload = case.and_then(|case| case.ty.as_ref()).zip(json.get("val"));
            payload.is_some_and(|(ty, val)| further(ty, val))
        }
        (Type::Result(types), json) => {
            let is_ok = json.get("tag").and_then(Json::as_str) == Some("ok");
            let ty = if is_ok { types.0.as_ref() } else { types.1.as_ref() };
            ty.zip(json.get("val")).is_some_and(|(ty, val)| further(ty, val))
        }
        _ => false,
    }
}

#[test]
fn the_schema_accepts_what_the_check_accepts() {
    let mut random = Random(0x51ed_270b_7a3c_9e15);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..1_200 {
        let depth = random.below(4);
        let ty = random.ty(depth);
        let function = takes(&ty);
        let schema = schema::arguments(&function);
        let validator = jsonschema::draft202012::new(&schema).unwrap();
        jsonschema::draft202012::meta::validate(&schema).unwrap();
        let result = Function { result: Some(ty.clone()), ..takes(&ty) };
        let result_schema = schema::result(&result);
        let result_validator =
            result_schema.as_ref().map(|schema| jsonschema::draft202012::new(schema).unwrap());
        for _ in 0..6 {
            let val = random.val(&ty);
            let Ok(Outcome::Value(canonical)) = result.outcome(Some(val)) else { continue };
            let is_result = matches!(ty.target(), Type::Result(_));
            if let (Some(validator), Ok(value)) =
                (&result_validator, serde_json::from_str(&canonical.to_string()))
            {
                assert!(validator.is_valid(&value), "{ty}: {canonical} of {result_schema:?}");
            }
            if is_result {
                // The outcome of a call is not a nested result.
                continue;
            }
            assert_ne!(agree(&function, &validator, &canonical), Some(false), "{ty}: {canonical}");
            for _ in 0..6 {
                let mut json = canonical.clone();
                mutate(&mut json, &mut random);
                match agree(&function, &validator, &json) {
                    Some(true) => accepted += 1,
                    Some(false) => refused += 1,
                    None => {}
                }
            }
        }
    }
    assert!(accepted > 3_000 && refused > 15_000, "{accepted} accepted, {refused} refused");
}

/// Values at the limits of each scalar type.
#[test]
fn edges() {
    let types = [
        "bool",
        "u8",
        "s8",
        "u16",
        "s16",
        "u32",
        "s32",
        "u64",
        "s64",
        "f32",
        "f64",
        "char",
        "string",
        "list<u8>",
        "decimal",
        "cell",
        "table",
        "option<u64>",
        "list<u8, 2>",
        "list<u16, 2>",
    ];
    let texts = [
        "null",
        "true",
        "0",
        "-0",
        "-1",
        "1.0",
        "1e2",
        "127",
        "128",
        "-128",
        "-129",
        "255",
        "255.0",
        "256",
        "65535",
        "65536",
        "4294967295",
        "4294967296",
        "-2147483648",
        "-2147483649",
        "9007199254740993",
        "18446744073709551615",
        "18446744073709551616",
        "-9223372036854775808",
        "0.5",
        "-0.5",
        "1e300",
        "3.4028234663852886e38",
        "3.4028235e38",
        "-3.4028234663852887e38",
        "1e39",
        "[]",
        "[1]",
        "[1,2]",
        "[1,2,3]",
        "{}",
        r#""""#,
        r#""a""#,
        r#""é""#,
        r#""😀""#,
        r#""ab""#,
        r#""0""#,
        r#""-0""#,
        r#""12""#,
        r#""012""#,
        r#""1.5""#,
        r#""1e5""#,
        r#""18446744073709551615""#,
        r#""18446744073709551616""#,
        r#""-9223372036854775808""#,
        r#""-9223372036854775809""#,
        r#""99999999999999999999""#,
        r#""AAE=""#,
        r#""AAF=""#,
        r#""AA==""#,
        r#""AB==""#,
        r#""AAE""#,
        r#""AA\nE=""#,
        r#""_-8=""#,
        r#""NaN""#,
        r#"[{"a": 1}]"#,
        r#"[{"": 1}]"#,
        r#"[{"a": []}]"#,
        r#"{"columns": [], "rows": []}"#,
        r#"{"columns": ["a", "a"], "rows": []}"#,
        r#"{"columns": [""], "rows": []}"#,
        r#"{"columns": []}"#,
    ];
    for ty in types {
        let function = function(&format!("f: func(x: {ty});"));
        let validator = jsonschema::draft202012::new(&schema::arguments(&function)).unwrap();
        for text in texts {
            let json = Json::parse(text, 1 << 10, 64).unwrap();
            agree(&function, &validator, &json);
        }
    }
}
