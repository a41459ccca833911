//! The validator against an independent one, and its bounds.

use serde_json::{Value, json};

use super::*;

fn validator(schema: &Value) -> Validator {
    Validator::new(schema).unwrap_or_else(|problems| panic!("{schema}: {problems:?}"))
}

fn parsed(value: &Value) -> Json {
    Json::parse(value.to_string(), 10_000_000, Validator::MAX_VALUE_DEPTH).unwrap()
}

fn found(schema: &Value, value: &Value) -> Vec<(String, String, String)> {
    let found = validator(schema).check(&parsed(value));
    found.into_iter().map(|it| (it.pointer, it.message, it.rule)).collect()
}

fn problems(schema: &Value) -> Vec<(String, String)> {
    let problems = Validator::new(schema).unwrap_err();
    problems.into_iter().map(|it| (it.pointer, it.message)).collect()
}

/// Schemas that each use some keywords.
fn schemas() -> Vec<Value> {
    let tree = json!({
        "$defs": {"node": {
            "type": "object",
            "properties": {"name": {"type": "string"}, "children": {"type": "array", "items": {"$ref": "#/$defs/node"}}},
            "required": ["name"], "additionalProperties": false,
        }},
        "$ref": "#/$defs/node",
    });
    let shapes = json!({"anyOf": [
        {"type": "object", "properties": {"kind": {"const": "circle"}, "r": {"type": "number", "exclusiveMinimum": 0}}, "required": ["kind", "r"]},
        {"type": "object", "properties": {"kind": {"const": "square"}, "a": {"type": "integer"}}, "required": ["kind", "a"]},
        {"type": "null"},
    ]});
    vec![
        json!(true),
        json!(false),
        json!({}),
        json!({"type": ["string", "null"]}),
        json!({"type": "integer", "minimum": -3, "maximum": 10}),
        json!({"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 1.5}),
        json!({"multipleOf": 0.01}),
        json!({"multipleOf": 3}),
        json!({"enum": [1, "a", null, {"a": [1, 2], "b": 1.0}]}),
        json!({"const": {"b": 1, "a": [1, 2]}}),
        json!({"type": "string", "minLength": 2, "maxLength": 3}),
        json!({"pattern": "^a+$"}),
        json!({"items": {"type": "number"}, "minItems": 1, "maxItems": 2}),
        json!({"prefixItems": [{"type": "string"}, {"type": "number"}], "items": false}),
        json!({"uniqueItems": true}),
        json!({"properties": {"a": {"type": "string"}, "b": false}, "required": ["a"]}),
        json!({"patternProperties": {"^a": {"type": "number"}}, "additionalProperties": {"type": "string"}}),
        json!({"properties": {"a": true}, "additionalProperties": false}),
        json!({"propertyNames": {"maxLength": 1}, "minProperties": 1, "maxProperties": 1}),
        json!({"oneOf": [{"type": "number"}, {"minimum": 5}]}),
        json!({"allOf": [{"minimum": 2}, {"maximum": 4}], "not": {"const": 3}}),
        tree,
        shapes,
    ]
}

fn values() -> Vec<Value> {
    vec![
        json!(null),
        json!(true),
        json!(0),
        json!(-3),
        json!(3),
        json!(3.0),
        json!(4),
        json!(7),
        json!(11),
        json!(0.5),
        json!(1.5),
        json!(19.99),
        json!(19.999),
        json!(1e30),
        json!(""),
        json!("a"),
        json!("aa"),
        json!("aaab"),
        json!("größe"),
        json!([]),
        json!([1]),
        json!([1, 1.0]),
        json!(["a", 1]),
        json!(["a", 1, 2]),
        json!([{"a": 1}, {"a": 1.0}]),
        json!({}),
        json!({"a": "x"}),
        json!({"a": 1}),
        json!({"b": 1}),
        json!({"a": "x", "b": 1}),
        json!({"ab": "x"}),
        json!({"a": [1, 2], "b": 1}),
        json!({"b": 1.0, "a": [1, 2]}),
        json!({"kind": "circle", "r": 1}),
        json!({"kind": "circle", "r": 0}),
        json!({"kind": "square", "a": 2}),
        json!({"kind": "square", "r": 2}),
        json!({"name": "x"}),
        json!({"name": "x", "children": [{"name": "y", "children": []}]}),
        json!({"name": "x", "children": [{"name": "y", "children": [{"nam": "z"}]}]}),
    ]
}

#[test]
fn an_independent_judge_agrees() {
    for schema in schemas() {
        let ours = validator(&schema);
        let theirs = jsonschema::draft202012::new(&schema).unwrap();
        for value in values() {
            let found = ours.check(&parsed(&value));
            assert_eq!(found.is_empty(), theirs.is_valid(&value), "{schema}\n{value}\n{found:?}");
        }
    }
}

#[test]
fn each_violation_has_its_place_and_its_rule() {
    let schema = json!({
        "type": "object",
        "properties": {
            "total": {"type": "number", "maximum": 5},
            "rows": {"type": "array", "items": {"type": "object", "properties": {"a/b": {"type": "string"}}, "required": ["c"]}},
            "state": {"enum": ["open", "closed"]},
            "day": {"format": "date"},
        },
        "required": ["total"],
        "additionalProperties": false,
    });
    let value = json!({
        "rows": [{"c": 1, "a/b": 2}, {}, 3], "state": "shut", "day": "2026-02-30", "more": 1,
    });
    let found = found(&schema, &value);
    let found: Vec<_> =
        found.iter().map(|(a, b, c)| (a.as_str(), b.as_str(), c.as_str())).collect();
    assert_eq!(
        found,
        [
            ("", "the member `total` is missing", "/required"),
            (
                "/rows/0/a~1b",
                "expected string, got number",
                "/properties/rows/items/properties/a~1b/type"
            ),
            ("/rows/1", "the member `c` is missing", "/properties/rows/items/required"),
            ("/rows/2", "expected object, got number", "/properties/rows/items/type"),
            (
                "/state",
                "expected one of [\"open\",\"closed\"], got \"shut\"",
                "/properties/state/enum"
            ),
            ("/day", "expected the format `date`, got \"2026-02-30\"", "/properties/day/format"),
            ("/more", "unknown member `more`", "/additionalProperties"),
        ]
    );
}

#[test]
fn of_several_forms_the_nearest_is_reported() {
    let schema = schemas().pop().unwrap();
    let circle = found(&schema, &json!({"kind": "circle", "r": "1"}));
    assert_eq!(circle.len(), 1);
    assert_eq!((circle[0].0.as_str(), circle[0].2.as_str()), ("/r", "/anyOf/0/properties/r/type"));
    let other = found(&schema, &json!("x"));
    assert_eq!(other[0].1, "string has none of the allowed forms");
}

#[test]
fn numbers_are_judged_by_their_digits() {
    let check = |schema: Value, text: &str| {
        let value = Json::parse(text, 1_000, 10).unwrap();
        validator(&schema).check(&value).is_empty()
    };
    assert!(
        check(json!({"multipleOf": 0.01}), "19.99")
            && !check(json!({"multipleOf": 0.01}), "19.999")
    );
    assert!(check(json!({"multipleOf": 0.01}), "1e300") && check(json!({"multipleOf": 7}), "0"));
    assert!(check(json!({"multipleOf": 7}), "7e40") && !check(json!({"multipleOf": 7}), "8e40"));
    assert!(check(json!({"multipleOf": 1024}), "1e40"));
    assert!(!check(json!({"maximum": 9_007_199_254_740_992_u64}), "9007199254740993"));
    assert!(check(json!({"type": "integer"}), "1.0") && check(json!({"const": 1}), "1.0"));
}

#[test]
fn formats() {
    for (format, right, wrong) in [
        (
            "date",
            &["2024-02-29", "2026-12-31"][..],
            &["2026-02-29", "2026-13-01", "26-01-01", "2026-1-1", "2026-01-01-"][..],
        ),
        (
            "time",
            &["23:59:60Z", "01:02:03.456+05:30"],
            &["24:00:00Z", "01:02:03", "01:02Z", "01:02:03.Z"],
        ),
        (
            "date-time",
            &["2026-01-01T00:00:00Z", "2026-01-01t00:00:00.1-08:00"],
            &["2026-01-01", "2026-01-01T00:00:00"],
        ),
        ("email", &["a@example.org"], &["a", "@b", "a b@c", "a@"]),
        (
            "uuid",
            &["123e4567-e89b-12d3-a456-426614174000"],
            &["123e4567", "123e4567-e89b-12d3-a456-42661417400g"],
        ),
        ("ipv4", &["127.0.0.1"], &["127.0.0.256", "::1"]),
        ("ipv6", &["::1"], &["127.0.0.1", "::g"]),
        ("hostname", &["anything, because it is not checked"], &[]),
    ] {
        let validator = validator(&json!({"format": format}));
        let has = |text: &&&str| validator.check(&Json::from(**text)).is_empty();
        assert!(right.iter().all(|it| has(&it)), "{format}");
        assert!(!wrong.iter().any(|it| has(&it)), "{format}");
        assert!(validator.check(&Json::Null).is_empty(), "a format is about texts");
    }
}

#[test]
fn what_cannot_be_applied_is_refused_with_its_place() {
    let refused = |schema: Value, place: &str, words: &str| {
        let found = problems(&schema);
        assert_eq!(found[0].0, place, "{schema}: {found:?}");
        assert!(found[0].1.contains(words), "{schema}: {found:?}");
    };
    refused(json!([]), "", "expected a schema");
    refused(json!({"type": "text"}), "/type", "\"text\"");
    refused(
        json!({"properties": {"a": {"nullable": true}}}),
        "/properties/a/nullable",
        "not supported",
    );
    refused(json!({"if": {}, "then": {}}), "/if", "not supported");
    refused(json!({"items": [{}]}), "/items", "prefixItems");
    refused(json!({"pattern": "(?=a)"}), "/pattern", "");
    refused(json!({"minimum": "1"}), "/minimum", "expected a number");
    refused(json!({"exclusiveMinimum": true}), "/exclusiveMinimum", "expected a number");
    refused(json!({"minItems": -1}), "/minItems", "whole number");
    refused(json!({"multipleOf": 0}), "/multipleOf", "above 0");
    refused(json!({"enum": []}), "/enum", "list of values");
    refused(json!({"required": [1]}), "/required", "list of names");
    refused(json!({"anyOf": []}), "/anyOf", "list of schemas");
    refused(json!({"$ref": "https://example.org/x"}), "/$ref", "#/$defs/name");
    refused(json!({"$ref": "#/$defs/x"}), "/$ref", "#/$defs/name");
    refused(json!({"$defs": {"a": {"type": 1}}}), "/$defs/a/type", "name of a type");
    // Everything at once, but not without an end.
    let many: serde_json::Map<_, _> = (0..50).map(|it| (it.to_string(), json!(1))).collect();
    assert_eq!(problems(&json!({"properties": many})).len(), 20);
}

#[test]
fn circles_are_refused_and_recursive_schemas_are_not() {
    for schema in [
        json!({"$ref": "#"}),
        json!({"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"anyOf": [{"type": "null"}, {"$ref": "#/$defs/a"}]}}, "$ref": "#/$defs/a"}),
        json!({"$defs": {"a": {"not": {"$ref": "#/$defs/a"}}}}),
    ] {
        assert!(problems(&schema)[0].1.contains("leads back to itself"), "{schema}");
    }
    let list = json!({"anyOf": [{"type": "null"}, {"type": "object", "properties": {"next": {"$ref": "#"}}, "required": ["next"]}]});
    assert!(found(&list, &json!({"next": {"next": null}})).is_empty());
    assert!(!found(&list, &json!({"next": {"next": 1}})).is_empty());
    let escaped = json!({"$defs": {"a b/c": {"type": "string"}}, "$ref": "#/$defs/a%20b~1c"});
    assert!(found(&escaped, &json!("x")).is_empty() && !found(&escaped, &json!(1)).is_empty());
}

#[test]
fn schemas_and_checks_are_bounded() {
    let long = json!({"description": "x".repeat(MAX_BYTES)});
    assert!(problems(&long)[0].1.starts_with("expected at most 65536 bytes, got "));
    let nested = |levels: usize| (0..levels).fold(json!({}), |inner, _| json!({"items": inner}));
    assert!(Validator::new(&nested(32)).is_ok());
    assert_eq!(problems(&nested(33))[0].1, "expected at most 32 levels of schemas, got more");
    // A chain of references is not deep.
    let chain: serde_json::Map<_, _> = (0..200)
        .map(|it| (format!("d{it}"), json!({"items": {"$ref": format!("#/$defs/d{}", it + 1)}})))
        .collect();
    let mut chain = json!({"$defs": chain, "$ref": "#/$defs/d0"});
    chain["$defs"]["d200"] = json!({"type": "string"});
    assert!(Validator::new(&chain).is_ok());
    // Alternatives multiply: 2^60 ways through this value.
    let doubled = json!({"anyOf": [
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
        {"type": "object", "properties": {"a": {"$ref": "#"}}, "required": ["a"]},
    ]});
    let deep = (0..60).fold(json!(1), |inner, _| json!({"a": inner}));
    assert!(found(&doubled, &deep)[0].1.contains("2000000 steps"), "{:?}", found(&doubled, &deep));
    // So do subschemas of the same value.
    let mut wide: serde_json::Map<_, _> = (0..40)
        .map(|it| {
            let next = json!({"$ref": format!("#/$defs/d{}", it + 1)});
            (format!("d{it}"), json!({"allOf": [next, next]}))
        })
        .collect();
    wide.insert("d40".to_owned(), json!({}));
    let wide = json!({"$defs": wide, "$ref": "#/$defs/d0"});
    assert!(found(&wide, &json!(1))[0].1.contains("2000000 steps"));
    // A long value is compared only so often.
    let same: Vec<Value> = (0..2_000).map(|it| json!({"const": it})).collect();
    let value: Vec<Value> = (0..2_000).map(|it| json!(it)).collect();
    assert!(found(&json!({"anyOf": same}), &json!(value))[0].1.contains("2000000 steps"));
    // An answer of usual size is within the bounds.
    let rows: Vec<Value> = (0..20_000).map(|it| json!({"name": it.to_string(), "n": it})).collect();
    let of_rows =
        json!({"items": {"properties": {"name": {"type": "string"}, "n": {"type": "integer"}}}});
    assert!(found(&of_rows, &json!(rows)).is_empty());
    // All that is wrong, but not without an end.
    let wrong = json!({"items": {"type": "string"}});
    assert_eq!(found(&wrong, &json!(vec![1; 100])).len(), 20);
}
