//! Tests schemas of types, and their lowerings.

mod lower;

use super::*;
use crate::value::tests::function;

const ITEMS: &str = "
    /// A row.
    record row {
        /// Its name.
        first-name: string,
        n: option<u32>,
    }
    variant shape {
        /// Nothing.
        none,
        round-one(f32),
        maybe(option<u32>),
    }
    /// A colour.
    enum colour {
        /// Like blood.
        red,
        dark-blue,
    }
    flags style { bold, in-line }
    /// ISO 8601.
    type date = string;
";

fn arguments_of(ty: &str) -> String {
    let function = function(&format!("{ITEMS} f: func(x: {ty});"));
    arguments(&function)["properties"]["x"].to_string()
}

fn result_of(ty: &str) -> Option<String> {
    result(&function(&format!("{ITEMS} f: func() -> {ty};"))).map(|schema| schema.to_string())
}

#[test]
fn each_type() {
    let types = [
        "bool",
        "u8",
        "s32",
        "u64",
        "s64",
        "f64",
        "char",
        "string",
        "list<u8>",
        "list<u32>",
        "list<u32, 2>",
        "tuple<u8, string>",
        "map<string, u8>",
        "map<u8, string>",
        "row",
        "shape",
        "colour",
        "style",
        "option<u32>",
        "option<option<u32>>",
        "option<cell>",
        "list<result<u8>>",
        "cell",
        "decimal",
        "table",
        "date",
        "option<date>",
    ];
    let lines: Vec<String> = types.iter().map(|ty| format!("{ty}: {}", arguments_of(ty))).collect();
    insta::assert_snapshot!(lines.join("\n"), @r##"
    bool: {"type":"boolean"}
    u8: {"type":"integer","minimum":0,"maximum":255}
    s32: {"type":"integer","minimum":-2147483648,"maximum":2147483647}
    u64: {"anyOf":[{"type":"integer","minimum":0,"maximum":18446744073709551615},{"type":"string","pattern":"^(0|[1-9][0-9]{0,18}|1([0-7][0-9]{18}|8([0-3][0-9]{17}|4([0-3][0-9]{16}|4([0-5][0-9]{15}|6([0-6][0-9]{14}|7([0-3][0-9]{13}|4([0-3][0-9]{12}|40([0-6][0-9]{10}|7([0-2][0-9]{9}|3([0-6][0-9]{8}|70([0-8][0-9]{6}|9([0-4][0-9]{5}|5([0-4][0-9]{4}|5(0[0-9]{3}|1([0-5][0-9]{2}|6(0[0-9]|1[0-5])))))))))))))))))$"}]}
    s64: {"anyOf":[{"type":"integer","minimum":-9223372036854775808,"maximum":9223372036854775807},{"type":"string","pattern":"^(0|[1-9][0-9]{0,17}|([1-8][0-9]{18}|9([0-1][0-9]{17}|2([0-1][0-9]{16}|2([0-2][0-9]{15}|3([0-2][0-9]{14}|3([0-6][0-9]{13}|7([0-1][0-9]{12}|20([0-2][0-9]{10}|3([0-5][0-9]{9}|6([0-7][0-9]{8}|8([0-4][0-9]{7}|5([0-3][0-9]{6}|4([0-6][0-9]{5}|7([0-6][0-9]{4}|7([0-4][0-9]{3}|5([0-7][0-9]{2}|80[0-7]))))))))))))))))|-[1-9][0-9]{0,17}|-([1-8][0-9]{18}|9([0-1][0-9]{17}|2([0-1][0-9]{16}|2([0-2][0-9]{15}|3([0-2][0-9]{14}|3([0-6][0-9]{13}|7([0-1][0-9]{12}|20([0-2][0-9]{10}|3([0-5][0-9]{9}|6([0-7][0-9]{8}|8([0-4][0-9]{7}|5([0-3][0-9]{6}|4([0-6][0-9]{5}|7([0-6][0-9]{4}|7([0-4][0-9]{3}|5([0-7][0-9]{2}|80[0-8])))))))))))))))))$"}]}
    f64: {"type":"number"}
    char: {"type":"string","minLength":1,"maxLength":1}
    string: {"type":"string"}
    list<u8>: {"type":"string","contentEncoding":"base64","pattern":"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"}
    list<u32>: {"type":"array","items":{"type":"integer","minimum":0,"maximum":4294967295}}
    list<u32, 2>: {"type":"array","items":{"type":"integer","minimum":0,"maximum":4294967295},"minItems":2,"maxItems":2}
    tuple<u8, string>: {"type":"array","prefixItems":[{"type":"integer","minimum":0,"maximum":255},{"type":"string"}],"items":false,"minItems":2}
    map<string, u8>: {"type":"object","additionalProperties":{"type":"integer","minimum":0,"maximum":255}}
    map<u8, string>: {"type":"array","items":{"type":"object","properties":{"key":{"type":"integer","minimum":0,"maximum":255},"value":{"type":"string"}},"required":["key","value"],"additionalProperties":false}}
    row: {"description":"A row.","type":"object","properties":{"first_name":{"description":"Its name.","type":"string"},"n":{"anyOf":[{"type":"null"},{"type":"integer","minimum":0,"maximum":4294967295}]}},"required":["first_name"],"additionalProperties":false}
    shape: {"anyOf":[{"description":"Nothing.","type":"object","properties":{"tag":{"type":"string","const":"none"}},"required":["tag"],"additionalProperties":false},{"type":"object","properties":{"tag":{"type":"string","const":"round-one"},"val":{"type":"number","minimum":-3.4028235e+38,"maximum":3.4028235e+38}},"required":["tag","val"],"additionalProperties":false},{"type":"object","properties":{"tag":{"type":"string","const":"maybe"},"val":{"anyOf":[{"type":"null"},{"type":"integer","minimum":0,"maximum":4294967295}]}},"required":["tag"],"additionalProperties":false}]}
    colour: {"description":"A colour.\n\n- `red`: Like blood.","type":"string","enum":["red","dark-blue"]}
    style: {"type":"array","items":{"type":"string","enum":["bold","in-line"]},"uniqueItems":true}
    option<u32>: {"anyOf":[{"type":"null"},{"type":"integer","minimum":0,"maximum":4294967295}]}
    option<option<u32>>: {"anyOf":[{"type":"null"},{"type":"object","properties":{"tag":{"type":"string","const":"some"},"val":{"anyOf":[{"type":"null"},{"type":"integer","minimum":0,"maximum":4294967295}]}},"required":["tag"],"additionalProperties":false}]}
    option<cell>: {"anyOf":[{"type":"null"},{"type":"object","properties":{"tag":{"type":"string","const":"some"},"val":{"type":["null","boolean","number","string"]}},"required":["tag","val"],"additionalProperties":false}]}
    list<result<u8>>: {"type":"array","items":{"anyOf":[{"type":"object","properties":{"tag":{"type":"string","const":"ok"},"val":{"type":"integer","minimum":0,"maximum":255}},"required":["tag","val"],"additionalProperties":false},{"type":"object","properties":{"tag":{"type":"string","const":"err"}},"required":["tag"],"additionalProperties":false}]}}
    cell: {"type":["null","boolean","number","string"]}
    decimal: {"anyOf":[{"type":"number"},{"type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$","maxLength":64}]}
    table: {"description":"A table: an array of objects, or column names and rows with one cell per column.","anyOf":[{"type":"array","items":{"type":"object","propertyNames":{"minLength":1},"additionalProperties":{"type":["null","boolean","number","string"]}}},{"type":"object","properties":{"columns":{"type":"array","items":{"type":"string","minLength":1},"uniqueItems":true},"rows":{"type":"array","items":{"type":"array","items":{"type":["null","boolean","number","string"]}}}},"required":["columns","rows"],"additionalProperties":false}]}
    date: {"description":"ISO 8601.","type":"string"}
    option<date>: {"anyOf":[{"type":"null"},{"description":"ISO 8601.","type":"string"}]}
    "##);
}

#[test]
fn results() {
    let types = ["f64", "table", "result<u32, error>", "row", "decimal"];
    let lines: Vec<String> =
        types.iter().map(|ty| format!("{ty}: {}", result_of(ty).unwrap())).collect();
    insta::assert_snapshot!(lines.join("\n"), @r##"
    f64: {"anyOf":[{"type":"number"},{"enum":["NaN","Infinity","-Infinity"]}]}
    table: {"description":"A table: column names, and rows with one cell per column.","type":"object","properties":{"columns":{"type":"array","items":{"type":"string","minLength":1},"uniqueItems":true},"rows":{"type":"array","items":{"type":"array","items":{"type":["null","boolean","number","string"]}}}},"required":["columns","rows"],"additionalProperties":false}
    result<u32, error>: {"type":"integer","minimum":0,"maximum":4294967295}
    row: {"description":"A row.","type":"object","properties":{"first_name":{"description":"Its name.","type":"string"},"n":{"anyOf":[{"type":"null"},{"type":"integer","minimum":0,"maximum":4294967295}]}},"required":["first_name"],"additionalProperties":false}
    decimal: {"anyOf":[{"type":"number"},{"type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$","maxLength":64}]}
    "##);
    assert_eq!(result_of("result<_, error>"), None);
    assert_eq!(result(&function("f: func();")), None);
}

#[test]
fn handles() {
    let items = "resource big-reader; open: func() -> big-reader;
        f: func(it: big-reader, all: list<borrow<big-reader>>);";
    let interface = crate::value::tests::interface_of(items);
    let [open, take] = &interface.functions[..] else { panic!("expected two") };
    insta::assert_snapshot!(result(open).unwrap(), @r##"{"description":"A handle of a `big-reader`, as a call returned it","type":"string","pattern":"^h:big-reader:[1-9][0-9]*$"}"##);
    let own = arguments(take)["properties"]["it"].to_string();
    insta::assert_snapshot!(own, @r##"{"description":"A handle of a `big-reader`, as a call returned it; the call consumes it","type":"string","pattern":"^h:big-reader:[1-9][0-9]*$"}"##);
    let all = arguments(take)["properties"]["all"].to_string();
    insta::assert_snapshot!(all, @r##"{"type":"array","items":{"description":"A handle of a `big-reader`, as a call returned it","type":"string","pattern":"^h:big-reader:[1-9][0-9]*$"}}"##);
}

#[test]
fn parameters() {
    let function = function(
        "
        /// Do it.
        ///
        /// - `the-date`: when
        /// - `z`: how much
        f: func(z: u32, the-date: option<string>, a: bool);",
    );
    insta::assert_snapshot!(format!("{:#}", arguments(&function)), @r##"
    {
      "type": "object",
      "properties": {
        "z": {
          "description": "how much",
          "type": "integer",
          "minimum": 0,
          "maximum": 4294967295
        },
        "the_date": {
          "description": "when",
          "anyOf": [
            {
              "type": "null"
            },
            {
              "type": "string"
            }
          ]
        },
        "a": {
          "type": "boolean"
        }
      },
      "required": [
        "z",
        "a"
      ],
      "additionalProperties": false
    }
    "##);
    assert_eq!(arguments(&function)["required"], serde_json::json!(["z", "a"]));
}

#[test]
fn large_definitions_are_written_once() {
    let fields: Vec<String> = (0..30).map(|field| format!("f{field}: u32")).collect();
    let items = format!("record wide {{ {} }}", fields.join(", "));
    let twice = arguments(&function(&format!("{items} f: func(x: wide, y: option<list<wide>>);")))
        .to_string();
    assert_eq!(twice.matches("\"f29\":").count(), 1);
    assert_eq!(twice.matches(r##"{"$ref":"#/$defs/wide"}"##).count(), 2);
    assert!(twice.contains(r#""$defs":{"wide":{"type":"object""#));
    let once = arguments(&function(&format!("{items} f: func(x: list<wide>);"))).to_string();
    assert!(!once.contains("$defs"));
}
