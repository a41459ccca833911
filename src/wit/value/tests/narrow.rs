//! Tests bounds of `skill.yaml`: which values they accept, that their schema agrees, and which bounds are refused.

use super::exact::{agree, arguments};
use super::*;
use crate::schema;
use serde_json::json;
use std::fmt::Write;

const ITEMS: &str = "
    record row { first-name: string, n: option<u32>, size: u8 }
    enum colour { red, dark-blue }
    type iso-date = string;
    flags style { bold }
    variant shape { none }";

fn narrowed(ty: &str, schema: serde_json::Value) -> Result<Function> {
    let function = function(&format!("{ITEMS} f: func(x: {ty}, y: option<string>);"));
    function.narrowed(&json!({"properties": {"x": schema}}))
}

/// For each schema of a type, values that it accepts and values that it refuses.
#[test]
fn what_bounds_accept() {
    let cases = [
        ("u8", json!({"minimum": 2, "maximum": 10}), "2 10 3.0", "1 11 256 \"3\" 2.5"),
        (
            "u8",
            json!({"exclusiveMinimum": 2, "exclusiveMaximum": 10, "type": "integer"}),
            "3 9",
            "2 10",
        ),
        ("s32", json!({"multipleOf": 5}), "-10 0 5 1e1", "4 -1"),
        (
            "s64",
            json!({"minimum": -5}),
            "-5 \"-5\" \"9223372036854775807\"",
            "-6 \"-6\" \"9223372036854775808\"",
        ),
        (
            "option<u64>",
            json!({"minimum": 100, "maximum": 9_999_999_999_999_999_999_u64}),
            "100 \"100\" \"9999999999999999999\" null",
            "5 \"5\" \"18446744073709551615\"",
        ),
        ("option<s64>", json!({"minimum": -9}), "-9 \"-9\"", "-10 \"-10\""),
        (
            "u64",
            json!({"enum": ["9007199254740993", 7]}),
            "9007199254740993 \"9007199254740993\" 7 \"7\"",
            "8 \"8\"",
        ),
        ("u64", json!({"maximum": 100}), "100", "101 \"5\""),
        ("u64", json!({"multipleOf": 3, "maximum": 100}), "99", "100 \"3\""),
        ("f64", json!({"minimum": 0, "exclusiveMaximum": 1}), "0 -0.0 0.999", "1 -0.001"),
        ("f32", json!({"exclusiveMinimum": 0.5}), "0.51", "0.5"),
        ("decimal", json!({"minimum": 0.1}), "0.1 0.10 7e3", "0.09 \"0.2\""),
        (
            "string",
            json!({"minLength": 2, "maxLength": 3}),
            "\"ab\" \"数据库\"",
            "\"a\" \"abcd\" \"😀\"",
        ),
        (
            "iso-date",
            json!({"pattern": "^\\d{4}-\\d{2}-\\d{2}$"}),
            "\"2024-12-31\"",
            "\"20241231\" \"2024-12-3x\"",
        ),
        ("option<iso-date>", json!({"maxLength": 2}), "null \"ab\"", "\"abc\""),
        ("char", json!({"pattern": "[a-z]"}), "\"a\"", "\"A\" \"ab\""),
        ("colour", json!({"enum": ["dark_blue"]}), "\"dark-blue\"", "\"red\""),
        ("u8", json!({"enum": [1, 2]}), "1 2.0", "3"),
        ("u8", json!({"const": 1}), "1", "2"),
        ("cell", json!({"enum": [null, "a", 1]}), "null \"a\" 1.0", "true \"b\" 2"),
        ("bool", json!({"const": true}), "true", "false"),
        (
            "list<u16>",
            json!({"minItems": 1, "maxItems": 2, "items": {"maximum": 9}}),
            "[1] [9,9]",
            "[] [1,2,3] [10]",
        ),
        ("list<f64>", json!({"uniqueItems": true}), "[] [1,2]", "[1,1.0]"),
        ("list<u16, 2>", json!({"uniqueItems": true}), "[1,2]", "[1,1] [1]"),
        (
            "map<string, u8>",
            json!({"additionalProperties": {"maximum": 5}}),
            "{\"a\":5} {}",
            "{\"a\":6}",
        ),
        ("list<u8>", json!({"maxLength": 4, "pattern": "^A"}), "\"AAE=\"", "\"BAE=\" \"AAAAAAE=\""),
        (
            "row",
            json!({"properties": {"size": {"maximum": 9}}, "required": ["n"], "additionalProperties": false}),
            r#"{"first_name":"a","n":1,"size":9}"#,
            r#"{"first_name":"a","n":1,"size":10} {"first_name":"a","size":9} {"first_name":"a","n":null,"size":9}"#,
        ),
        (
            "row",
            json!({"properties": {"first-name": {"default": "x"}}}),
            r#"{"size":9} {"first_name":"y","size":9}"#,
            r#"{"first_name":1,"size":9}"#,
        ),
        (
            "option<row>",
            json!({"type": ["object", "null"], "properties": {"size": {"maximum": 9}}}),
            r#"null {"first_name":"a","size":9}"#,
            r#"{"first_name":"a","size":10}"#,
        ),
    ];
    for (ty, schema, accepted, refused) in cases {
        let function = narrowed(ty, schema.clone()).unwrap();
        let exact = schema::arguments(&function);
        let validator = jsonschema::draft202012::new(&exact).unwrap();
        for (texts, wanted) in [(accepted, true), (refused, false)] {
            for text in texts.split(' ') {
                let json = Json::parse(text, 1 << 10, 64).unwrap();
                assert_eq!(
                    agree(&function, &validator, &json),
                    Some(wanted),
                    "{ty} {schema} {text} {exact}"
                );
            }
        }
    }
}

#[test]
fn problems_name_the_bound() {
    let cases = [
        ("u8", json!({"minimum": 2, "maximum": 10}), "11"),
        ("u8", json!({"minimum": 2}), "1"),
        ("f64", json!({"exclusiveMinimum": 0, "maximum": 1}), "0"),
        ("s32", json!({"multipleOf": 5}), "7"),
        ("u64", json!({"maximum": 10}), "\"7\""),
        ("string", json!({"maxLength": 3}), "\"abcd\""),
        ("string", json!({"minLength": 3}), "\"a\""),
        ("option<iso-date>", json!({"pattern": "^[0-9-]+$"}), "\"today\""),
        ("string", json!({"enum": ["small", "large"]}), "\"smal\""),
        ("string", json!({"enum": ["small", "large"]}), "\"x\""),
        ("u8", json!({"enum": [1, 2]}), "3"),
        ("list<u16>", json!({"maxItems": 1}), "[1, 2]"),
        ("list<u16>", json!({"minItems": 1}), "[]"),
        ("list<u16>", json!({"uniqueItems": true}), "[1, 2, 1]"),
        ("row", json!({"required": ["n"]}), r#"{"first_name": "a", "n": null, "size": 1}"#),
        ("u8", json!({"maximum": 10}), "300"),
        ("u8", json!({"maximum": 10}), "\"11\""),
    ];
    let mut report = String::new();
    for (ty, schema, text) in cases {
        let function = narrowed(ty, schema.clone()).unwrap();
        let arguments =
            Json::parse(arguments(&Json::parse(text, 100, 9).unwrap()), 1 << 10, 64).unwrap();
        let error = UntypedCall { name: "f", arguments }.check(&function).unwrap_err();
        let _ = writeln!(report, "{schema} <- {text}\n    {}", error.render());
    }
    insta::assert_snapshot!(report, @r##"
    {"minimum":2,"maximum":10} <- 11
        /x: expected u8, got number 11; the range here is 2 to 10
    {"minimum":2} <- 1
        /x: expected u8, got number 1; at least 2 is needed here
    {"exclusiveMinimum":0,"maximum":1} <- 0
        /x: expected f64, got number 0; more than 0 and at most 1 is needed here
    {"multipleOf":5} <- 7
        /x: expected s32, got number 7; a multiple of 5 is needed
    {"maximum":10} <- "7"
        /x: expected u64, got string "7"; write the number without quotes
    {"maxLength":3} <- "abcd"
        /x: expected string, got string "abcd"; its length of 4 is more than the 3 allowed here
    {"minLength":3} <- "a"
        /x: expected string, got string "a"; its length of 1 is less than the 3 needed here
    {"pattern":"^[0-9-]+$"} <- "today"
        /x: expected option<iso-date>, got string "today"; it must match `^[0-9-]+$`
    {"enum":["small","large"]} <- "smal"
        /x: expected string, got string "smal"; did you mean `small`?
    {"enum":["small","large"]} <- "x"
        /x: expected string, got string "x"; the values here are: `small`, `large`
    {"enum":[1,2]} <- 3
        /x: expected u8, got number 3; the values here are 1, 2
    {"maxItems":1} <- [1, 2]
        /x: expected list<u16> (an array), got array of 2; the number of items must be at most 1 here
    {"minItems":1} <- []
        /x: expected list<u16> (an array), got array of 0; the number of items must be at least 1 here
    {"uniqueItems":true} <- [1, 2, 1]
        /x: expected list<u16> (an array), got array of 3; the items 0 and 2 are equal
    {"required":["n"]} <- {"first_name": "a", "n": null, "size": 1}
        /x/n: expected u32, got null
    {"maximum":10} <- 300
        /x: expected u8, got number 300; at most 10 is needed here
    {"maximum":10} <- "11"
        /x: expected u8, got string "11"; write the number without quotes
    "##);
}

#[test]
fn what_cannot_be_a_bound() {
    let cases = [
        ("u8", json!({"maximum": 300})),
        ("u8", json!({"exclusiveMinimum": 255})),
        ("u8", json!({"minimum": 1.5})),
        ("u8", json!({"minimum": "1"})),
        ("u8", json!({"type": "string"})),
        ("u8", json!({"type": ["integer", "null"]})),
        ("u8", json!({"multipleOf": 0})),
        ("u8", json!({"minimum": 5, "maximum": 4})),
        ("u8", json!({"enum": [1, 300]})),
        ("u8", json!({"enum": []})),
        ("u8", json!({"enum": [1], "const": 1})),
        ("u8", json!({"maxLength": 3})),
        ("u8", json!({"minimun": 3})),
        ("u8", json!({"default": 300})),
        ("u8", json!({"default": 5, "maximum": 4})),
        ("u8", json!({"default": null})),
        ("u8", json!({"examples": [1, "a"]})),
        ("u8", json!({"title": 1})),
        ("u8", json!(true)),
        ("u64", json!({"multipleOf": 3})),
        ("f32", json!({"maximum": 1e39})),
        ("f64", json!({"exclusiveMinimum": 1, "maximum": 1})),
        ("string", json!({"pattern": "("})),
        ("string", json!({"pattern": "(?=a)"})),
        ("string", json!({"minLength": -1})),
        ("string", json!({"minLength": 5, "maxLength": 4})),
        ("string", json!({"format": "date"})),
        ("colour", json!({"enum": ["green"]})),
        ("list<u16>", json!({"items": {"maximum": 65536}})),
        ("list<u16, 2>", json!({"maxItems": 1})),
        ("row", json!({"properties": {"first_nam": {}}})),
        ("row", json!({"required": ["x"]})),
        ("row", json!({"additionalProperties": true})),
        ("row", json!({"properties": {"n": {"default": 1}}, "required": ["n"]})),
        ("row", json!({"anyOf": []})),
        ("style", json!({"maxItems": 1})),
        ("shape", json!({"properties": {}})),
        ("table", json!({"maxItems": 1})),
        ("option<option<u8>>", json!({"maximum": 1})),
        ("map<string, u8>", json!({"additionalProperties": false})),
        ("map<u8, u8>", json!({"additionalProperties": {}})),
    ];
    let mut report = String::new();
    for (ty, schema) in cases {
        match narrowed(ty, schema.clone()) {
            Ok(_) => panic!("{ty} {schema} is accepted"),
            Err(error) => {
                assert_eq!(*error.kind(), mitt_base::ErrorKind::Load);
                let _ = writeln!(report, "{ty}: {schema}\n    {}", error.render());
            }
        }
    }
    insta::assert_snapshot!(report, @r##"
    u8: {"maximum":300}
        inputSchema.properties.x.maximum: expected a bound from 0 to 255 for `u8`, got one that leaves its range
    u8: {"exclusiveMinimum":255}
        inputSchema.properties.x.exclusiveMinimum: expected a bound from 0 to 255 for `u8`, got one that leaves its range
    u8: {"minimum":1.5}
        inputSchema.properties.x.minimum: expected a whole number for `u8`, got `1.5`
    u8: {"minimum":"1"}
        inputSchema.properties.x.minimum: expected a number, got `"1"`
    u8: {"type":"string"}
        inputSchema.properties.x.type: expected `integer` for `u8`, got `"string"`; a schema cannot widen the interface
    u8: {"type":["integer","null"]}
        inputSchema.properties.x.type: expected `integer` for `u8`, got `["integer","null"]`; a schema cannot widen the interface
    u8: {"multipleOf":0}
        inputSchema.properties.x.multipleOf: expected a whole number above 0, got `0`
    u8: {"minimum":5,"maximum":4}
        inputSchema.properties.x: expected bounds that some value keeps to, got ones that cross
    u8: {"enum":[1,300]}
        inputSchema.properties.x.enum: the value: expected u8, got number 300; the range is 0 to 255
    u8: {"enum":[]}
        inputSchema.properties.x.enum: expected a list, got `[]`
    u8: {"enum":[1],"const":1}
        inputSchema.properties.x.const: expected either `enum` or `const`, got both
    u8: {"maxLength":3}
        inputSchema.properties.x.maxLength: not a keyword for `u8` here; there are `minimum`, `maximum`, `exclusiveMinimum`, `exclusiveMaximum`, `multipleOf`, `type`, `enum`, `const`
    u8: {"minimun":3}
        inputSchema.properties.x.minimun: not a keyword for `u8` here; did you mean `minimum`?
    u8: {"default":300}
        inputSchema.properties.x.default: the value: expected u8, got number 300; the range is 0 to 255
    u8: {"default":5,"maximum":4}
        inputSchema.properties.x.default: the value: expected u8, got number 5; at most 4 is needed here
    u8: {"default":null}
        inputSchema.properties.x.default: expected a value, got `null`; leave out the default of an option
    u8: {"examples":[1,"a"]}
        inputSchema.properties.x.examples: the value: expected u8, got string "a"
    u8: {"title":1}
        inputSchema.properties.x.title: expected a string, got `1`
    u8: true
        inputSchema.properties.x: expected an object, got `true`
    u64: {"multipleOf":3}
        inputSchema.properties.x.multipleOf: expected bounds within 9007199254740991 beside it, as larger numbers are given as strings
    f32: {"maximum":1e+39}
        inputSchema.properties.x.maximum: the value: expected f32, got number 1e+39, which is too large
    f64: {"exclusiveMinimum":1,"maximum":1}
        inputSchema.properties.x: expected bounds that some value keeps to, got ones that cross
    string: {"pattern":"("}
        inputSchema.properties.x.pattern: unclosed group
    string: {"pattern":"(?=a)"}
        inputSchema.properties.x.pattern: look-around, including look-ahead and look-behind, is not supported
    string: {"minLength":-1}
        inputSchema.properties.x.minLength: expected a whole number, got `-1`
    string: {"minLength":5,"maxLength":4}
        inputSchema.properties.x: expected bounds that some value keeps to, got ones that cross
    string: {"format":"date"}
        inputSchema.properties.x.format: not a keyword for `string` here; there are `minLength`, `maxLength`, `pattern`, `type`, `enum`, `const`
    colour: {"enum":["green"]}
        inputSchema.properties.x.enum: the value: expected colour, got string "green"; the values are: `red`, `dark-blue`
    list<u16>: {"items":{"maximum":65536}}
        inputSchema.properties.x.items.maximum: expected a bound from 0 to 65535 for `u16`, got one that leaves its range
    list<u16, 2>: {"maxItems":1}
        inputSchema.properties.x.maxItems: not a keyword for `list<u16, 2>` here; there are `items`, `uniqueItems`, `type`
    row: {"properties":{"first_nam":{}}}
        inputSchema.properties.x.properties: no field `first_nam`; did you mean `first_name`?
    row: {"required":["x"]}
        inputSchema.properties.x.required: no field `x`; there are `first_name`, `n`, `size`
    row: {"additionalProperties":true}
        inputSchema.properties.x.additionalProperties: expected `false`: the interface has no further ones, and a schema cannot widen it
    row: {"properties":{"n":{"default":1}},"required":["n"]}
        inputSchema.properties.x.required: `n` has a default, so it is not required
    row: {"anyOf":[]}
        inputSchema.properties.x.anyOf: not a keyword for an object of fields here; there are `type`, `properties`, `required`, `additionalProperties`
    style: {"maxItems":1}
        inputSchema.properties.x.maxItems: not a keyword for `style` here; there are `type`
    shape: {"properties":{}}
        inputSchema.properties.x.properties: not a keyword for `shape` here; there are `type`
    table: {"maxItems":1}
        inputSchema.properties.x.maxItems: not a keyword for `table` here; there are `type`
    option<option<u8>>: {"maximum":1}
        inputSchema.properties.x: bounds of `option<option<u8>>` are not supported
    map<string, u8>: {"additionalProperties":false}
        inputSchema.properties.x.additionalProperties: expected an object, got `false`
    map<u8, u8>: {"additionalProperties":{}}
        inputSchema.properties.x.additionalProperties: not a keyword for `map<u8, u8>` here; there are `type`
    "##);
}

#[test]
fn parameters_as_a_whole() {
    let function = function("f: func(title: string, rows: u32, file-name: option<string>);");
    let narrow = |schema| function.narrowed(&schema);
    let narrowed = narrow(json!({
        "type": "object",
        "properties": {
            "title": {"title": "Title", "description": "What it is called.", "default": "Report", "examples": ["A", "B"]},
            "file_name": {"maxLength": 9},
        },
        "required": ["file_name"],
        "additionalProperties": false,
    }))
    .unwrap();
    insta::assert_snapshot!(schema::arguments(&narrowed), @r##"
    {"type":"object","properties":{"title":{"title":"Title","description":"What it is called.","type":"string","default":"Report","examples":["A","B"]},"rows":{"type":"integer","minimum":0,"maximum":4294967295},"file_name":{"type":"string","maxLength":9}},"required":["rows","file_name"],"additionalProperties":false}
    "##);
    let check = |text: &str| {
        let arguments = Json::parse(text, 1 << 10, 64).unwrap();
        UntypedCall { name: "f", arguments }.check(&narrowed).map(TypedCall::into_args)
    };
    let wanted = vec![
        Val::String("Report".into()),
        Val::U32(1),
        Val::Option(Some(Box::new(Val::String("a".into())))),
    ];
    assert_eq!(check(r#"{"rows": 1, "file_name": "a"}"#).unwrap(), wanted);
    assert_eq!(check(r#"{"title": null, "rows": 1, "file_name": "a"}"#).unwrap(), wanted);
    assert_eq!(
        check(r#"{"title": "x", "rows": 1}"#).unwrap_err().to_string(),
        "/file_name: missing, expected string"
    );
    assert!(
        narrow(json!({"properties": {"titel": {}}}))
            .unwrap_err()
            .to_string()
            .contains("did you mean `title`?")
    );
    assert!(narrow(json!({"additionalProperties": {}})).is_err());
    assert!(narrow(json!([])).is_err());
    // An empty schema changes nothing.
    assert_eq!(narrow(json!({})).unwrap(), function);
}

/// An overlay narrows what a manifest has narrowed: both apply.
#[test]
fn bounds_within_bounds() {
    let cases = [
        (
            "u8",
            json!({"minimum": 2, "maximum": 10, "default": 5}),
            json!({"minimum": 4, "maximum": 100}),
            "4 10",
            "3 11",
        ),
        (
            "u64",
            json!({"maximum": 100}),
            json!({"multipleOf": 5, "maximum": 200}),
            "95 0",
            "105 4 \"5\"",
        ),
        ("s64", json!({"minimum": -5}), json!({"maximum": 100}), "-5 100 \"5\"", "-6 101"),
        (
            "string",
            json!({"pattern": "^a"}),
            json!({"pattern": "z$", "maxLength": 3}),
            "\"az\"",
            "\"a\" \"z\" \"abcz\"",
        ),
        (
            "string",
            json!({"enum": ["a", "b"]}),
            json!({"enum": ["b", "c"]}),
            "\"b\"",
            "\"a\" \"c\"",
        ),
        (
            "list<u8>",
            json!({"pattern": "^A"}),
            json!({"pattern": "=$"}),
            "\"AAE=\"",
            "\"BAE=\" \"AAAA\"",
        ),
        (
            "list<u16>",
            json!({"minItems": 1, "items": {"maximum": 9}}),
            json!({"maxItems": 2, "items": {"minimum": 3}}),
            "[3] [9,9]",
            "[] [1] [10] [4,4,4]",
        ),
    ];
    for (ty, first, second, accepted, refused) in cases {
        let within =
            narrowed(ty, first).unwrap().narrowed(&json!({"properties": {"x": second}})).unwrap();
        let exact = schema::arguments(&within);
        let validator = jsonschema::draft202012::new(&exact).unwrap();
        for (texts, wanted) in [(accepted, true), (refused, false)] {
            for text in texts.split(' ') {
                let json = Json::parse(text, 1 << 10, 64).unwrap();
                assert_eq!(agree(&within, &validator, &json), Some(wanted), "{ty} {text} {exact}");
            }
        }
    }
    let once = narrowed("u8", json!({"default": 5, "title": "T"})).unwrap();
    let error = once.narrowed(&json!({"properties": {"x": {"maximum": 4}}})).unwrap_err();
    assert!(error.to_string().contains("the default is outside of these bounds"), "{error}");
    let twice = once.narrowed(&json!({"properties": {"x": {"maximum": 4, "default": 3}}})).unwrap();
    assert_eq!(twice.params[0].default(), Some(&Json::from(3_u8)));
    assert_eq!(twice.params[0].refinement.as_ref().unwrap().title.as_deref(), Some("T"));
}

/// A default costs memory each time that it is used.
#[test]
fn defaults_are_accounted_for() {
    let function = function(&format!("{ITEMS} f: func(x: list<row>);"));
    let long = "x".repeat(100_000);
    let function = function
        .narrowed(&json!({"properties": {"x": {"items": {"properties": {"first_name": {"default": long}}}}}}))
        .unwrap();
    let rows = vec![r#"{"size": 1}"#; 1_000].join(",");
    let arguments = Json::parse(format!("{{\"x\": [{rows}]}}"), 1 << 20, 64).unwrap();
    let error = UntypedCall { name: "f", arguments }.check(&function).unwrap_err();
    assert!(error.to_string().contains("need over 64 MiB"), "{}", error.render());
}

/// A schema may repeat the JSON types of a value, and name no other.
#[test]
fn a_type_may_be_repeated_and_not_widened() {
    const ALL: [&str; 7] = ["null", "boolean", "integer", "number", "string", "array", "object"];
    for (ty, kinds) in [
        ("bool", &["boolean"][..]),
        ("u64", &["integer", "string"]),
        ("s64", &["integer", "string"]),
        ("s32", &["integer"]),
        ("f64", &["number"]),
        ("string", &["string"]),
        ("char", &["string"]),
        ("colour", &["string"]),
        ("list<u8>", &["string"]),
        ("list<u16>", &["array"]),
        ("list<u16, 2>", &["array"]),
        ("tuple<u16, string>", &["array"]),
        ("style", &["array"]),
        ("map<u16, string>", &["array"]),
        ("map<string, u16>", &["object"]),
        ("row", &["object"]),
        ("shape", &["object"]),
        ("result<u16, string>", &["object"]),
        ("option<u16>", &["null", "integer"]),
    ] {
        for kind in ALL {
            let found = narrowed(ty, json!({"type": kind}));
            assert_eq!(found.is_ok(), kinds.contains(&kind), "{ty} {kind}: {found:?}");
        }
    }
}
