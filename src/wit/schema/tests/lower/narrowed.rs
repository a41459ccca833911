//! Tests what `skill.yaml` may put beside the keywords of a property, with the forms of each kind of type written out in
//! full.

use super::*;
use crate::value::tests::function;
use serde_json::json;

/// Returns an object with one property `x`, required if it has no default.
pub(super) fn of(x: Value) -> Value {
    let required = if x.get("default").is_some() { json!([]) } else { json!(["x"]) };
    json!({
        "type": "object", "properties": {"x": x}, "required": required,
        "additionalProperties": false,
    })
}

/// Returns the rules of the property `x` in the order of the grammar, without those that all grammars have.
fn rules(x: &Value) -> String {
    let lowered = lower(&of(x.clone()), Dialect::Gbnf);
    let kept = grammar_of(&lowered).lines().filter(|line| {
        !["root", "w", "c", "num"].iter().any(|name| line.starts_with(&format!("{name} ::=")))
    });
    let lost = lowered.losses.iter().filter(|loss| !loss.pointer.is_empty());
    let lost = lost.map(|loss| format!("({})", loss.text));
    kept.map(str::to_owned).chain(lost).collect::<Vec<_>>().join("\n    ")
}

/// Returns `x` in the dialect of every decoder; those with equal results are grouped.
fn everywhere(x: &Value) -> String {
    let mut groups: Vec<(String, Vec<&str>)> = Vec::new();
    for dialect in SCHEMAS.into_iter().filter(|it| *it != Dialect::Portable) {
        let lowered = lower(&of(x.clone()), dialect);
        let text = schema_of(&lowered)["properties"]["x"].to_string();
        match groups.iter_mut().find(|(known, _)| *known == text) {
            Some((_, names)) => names.push(dialect.name()),
            None => groups.push((text, vec![dialect.name()])),
        }
    }
    let lines =
        groups.into_iter().map(|(text, names)| format!("  {}:\n    {text}\n", names.join(", ")));
    format!("{x}\n{}  gbnf:\n    {}", lines.collect::<String>(), rules(x))
}

fn all(cases: &[Value]) -> String {
    cases.iter().map(everywhere).collect::<Vec<_>>().join("\n")
}

#[test]
fn numbers() {
    insta::assert_snapshot!(all(&[
        json!({"type": "integer", "minimum": 0, "maximum": 255, "exclusiveMinimum": 9.5}),
        json!({"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 0, "maximum": 255}],
            "minimum": 1, "maximum": 12, "multipleOf": 3}),
        json!({"type": "integer", "minimum": 0, "maximum": 255, "default": 3, "description": "How many."}),
        json!({"type": "number", "exclusiveMinimum": 0, "maximum": 1.5, "examples": [0.5]}),
        json!({"type": ["null", "boolean", "number", "string"], "enum": ["a", 1, null]}),
    ]), @r##"
    {"type":"integer","minimum":0,"maximum":255,"exclusiveMinimum":9.5}
      openai-strict, gemini, ollama, llguidance, vllm:
        {"type":"integer","minimum":10,"maximum":255}
      anthropic-strict:
        {"description":"(an integer from 10 to 255)","type":"integer"}
      gbnf:
        i1 ::= [1-9] [0-9] | "1" [0-9]{2} | "2" [0-4] [0-9] | "25" [0-5]
        o1 ::= "{" w "\"x\":" w i1 w "}"
    {"anyOf":[{"type":"null"},{"type":"integer","minimum":0,"maximum":255}],"minimum":1,"maximum":12,"multipleOf":3}
      openai-strict, llguidance:
        {"anyOf":[{"type":"null"},{"type":"integer","minimum":1,"maximum":12,"multipleOf":3}]}
      anthropic-strict:
        {"anyOf":[{"type":"null"},{"description":"(an integer from 1 to 12; a multiple of 3)","type":"integer"}]}
      gemini, ollama, vllm:
        {"anyOf":[{"type":"null"},{"description":"(a multiple of 3)","type":"integer","minimum":1,"maximum":12}]}
      gbnf:
        i1 ::= [1-9] | "1" [0-2]
        u1 ::= "null" | i1
        o1 ::= "{" w "\"x\":" w u1 w "}"
        (a multiple of 3)
    {"type":"integer","minimum":0,"maximum":255,"default":3,"description":"How many."}
      openai-strict:
        {"description":"How many.\nDefault: 3\n(null for the default)","anyOf":[{"type":"integer","minimum":0,"maximum":255},{"type":"null"}]}
      anthropic-strict:
        {"description":"How many.\nDefault: 3\n(an integer from 0 to 255)","type":"integer"}
      gemini:
        {"description":"How many.\nDefault: 3","type":"integer","minimum":0,"maximum":255}
      ollama, llguidance, vllm:
        {"description":"How many.","type":"integer","minimum":0,"maximum":255,"default":3}
      gbnf:
        i1 ::= "0" | [1-9] [0-9]? | "1" [0-9]{2} | "2" [0-4] [0-9] | "25" [0-5]
        o1 ::= "{" w ("\"x\":" w i1 w)? "}"
    {"type":"number","exclusiveMinimum":0,"maximum":1.5,"examples":[0.5]}
      openai-strict:
        {"description":"For example: 0.5","type":"number","exclusiveMinimum":0,"maximum":1.5}
      anthropic-strict:
        {"description":"For example: 0.5\n(greater than 0; at most 1.5)","type":"number"}
      gemini:
        {"description":"For example: 0.5\n(greater than 0)","type":"number","maximum":1.5,"minimum":0}
      ollama, vllm:
        {"description":"(greater than 0; at most 1.5)","type":"number","examples":[0.5]}
      llguidance:
        {"type":"number","exclusiveMinimum":0,"maximum":1.5,"examples":[0.5]}
      gbnf:
        unum ::= ("0" | [1-9] [0-9]{0,63}) ("." [0-9]{1,63})? ([eE] [-+]? [0-9]{1,63})?
        o1 ::= "{" w "\"x\":" w unum w "}"
        (greater than 0)
        (at most 1.5)
    {"type":["null","boolean","number","string"],"enum":["a",1,null]}
      openai-strict, anthropic-strict, ollama, llguidance, vllm:
        {"anyOf":[{"type":"null"},{"type":"integer","const":1},{"type":"string","const":"a"}]}
      gemini:
        {"anyOf":[{"type":"null"},{"type":"integer","enum":[1]},{"type":"string","enum":["a"]}]}
      gbnf:
        u1 ::= "null" | "1" | "\"a\""
        o1 ::= "{" w "\"x\":" w u1 w "}"
    "##);
}

#[test]
fn strings() {
    insta::assert_snapshot!(all(&[
        json!({"anyOf": [{"type": "null"}, {"type": "string"}], "maxLength": 64}),
        json!({"type": "string", "pattern": "^[A-Z]{3}$", "maxLength": 3}),
        json!({"type": "string", "pattern": "^(ab|c)*$", "minLength": 2, "maxLength": 3}),
        json!({"type": "string", "pattern": "^(?=a)b$"}),
        json!({"type": "string", "pattern": "a"}),
        json!({"type": "string", "pattern": "^[^a]$"}),
        json!({"type": "string", "format": "email", "title": "Address"}),
        json!({"type": "string", "format": "date", "minLength": 10}),
        json!({"type": "string", "maxLength": 30_000}),
        json!({"type": "string", "contentEncoding": "base64"}),
    ]), @r##"
    {"anyOf":[{"type":"null"},{"type":"string"}],"maxLength":64}
      openai-strict, anthropic-strict, gemini, vllm:
        {"anyOf":[{"type":"null"},{"description":"(at most 64 characters)","type":"string"}]}
      ollama, llguidance:
        {"anyOf":[{"type":"null"},{"type":"string","maxLength":64}]}
      gbnf:
        s1 ::= "\"" c{0,64} "\""
        u1 ::= "null" | s1
        o1 ::= "{" w "\"x\":" w u1 w "}"
    {"type":"string","pattern":"^[A-Z]{3}$","maxLength":3}
      openai-strict, anthropic-strict, ollama, vllm:
        {"type":"string","pattern":"^[A-Z]{3}$"}
      gemini:
        {"description":"(at most 3 characters; text that matches the regular expression ^[A-Z]{3}$)","type":"string"}
      llguidance:
        {"type":"string","pattern":"^[A-Z]{3}$","maxLength":3}
      gbnf:
        s1 ::= "\"" [A-Z]{3} "\""
        o1 ::= "{" w "\"x\":" w s1 w "}"
    {"type":"string","pattern":"^(ab|c)*$","minLength":2,"maxLength":3}
      openai-strict, anthropic-strict, ollama, vllm:
        {"description":"(2 to 3 characters)","type":"string","pattern":"^(ab|c)*$"}
      gemini:
        {"description":"(2 to 3 characters; text that matches the regular expression ^(ab|c)*$)","type":"string"}
      llguidance:
        {"type":"string","pattern":"^(ab|c)*$","minLength":2,"maxLength":3}
      gbnf:
        p1 ::= (("a" "b") | "c")
        s1 ::= "\"" p1* "\""
        o1 ::= "{" w "\"x\":" w s1 w "}"
        (2 to 3 characters)
    {"type":"string","pattern":"^(?=a)b$"}
      openai-strict, anthropic-strict, gemini, ollama, llguidance, vllm:
        {"description":"(text that matches the regular expression ^(?=a)b$)","type":"string"}
      gbnf:
        s1 ::= "\"" c* "\""
        o1 ::= "{" w "\"x\":" w s1 w "}"
        (text that matches the regular expression ^(?=a)b$)
    {"type":"string","pattern":"a"}
      openai-strict, gemini, ollama, vllm:
        {"description":"(text that matches the regular expression a)","type":"string"}
      anthropic-strict, llguidance:
        {"type":"string","pattern":"a"}
      gbnf:
        s1 ::= "\"" c* "\""
        o1 ::= "{" w "\"x\":" w s1 w "}"
        (text that matches the regular expression a)
    {"type":"string","pattern":"^[^a]$"}
      openai-strict, anthropic-strict, llguidance:
        {"type":"string","pattern":"^[^a]$"}
      gemini, ollama, vllm:
        {"description":"(text that matches the regular expression ^[^a]$)","type":"string"}
      gbnf:
        s1 ::= "\"" ([ !#-\x5B\x5D-`b-\uD7FF\uE000-\U0010FFFF] | "\\\"" | "\\\\" | "\\b" | "\\f" | "\\n" | "\\r" | "\\t" | ("\\u00" [01] [0-9a-fA-F])) "\""
        o1 ::= "{" w "\"x\":" w s1 w "}"
    {"type":"string","format":"email","title":"Address"}
      openai-strict, anthropic-strict, llguidance, vllm:
        {"title":"Address","type":"string","format":"email"}
      gemini, ollama:
        {"title":"Address","description":"(in the format email)","type":"string"}
      gbnf:
        s1 ::= "\"" c* "\""
        o1 ::= "{" w "\"x\":" w s1 w "}"
        (in the format email)
    {"type":"string","format":"date","minLength":10}
      openai-strict, anthropic-strict, gemini, ollama, vllm:
        {"description":"(at least 10 characters)","type":"string","format":"date"}
      llguidance:
        {"type":"string","format":"date","minLength":10}
      gbnf:
        s1 ::= "\"" ([0-9]{4} "-" (("0" [1-9]) | ("1" [0-2])) "-" (("0" [1-9]) | ([12] [0-9]) | ("3" [01]))) "\""
        o1 ::= "{" w "\"x\":" w s1 w "}"
        (at least 10 characters)
    {"type":"string","maxLength":30000}
      openai-strict, anthropic-strict, gemini, ollama, vllm:
        {"description":"(at most 30000 characters)","type":"string"}
      llguidance:
        {"type":"string","maxLength":30000}
      gbnf:
        s1 ::= "\"" c* "\""
        o1 ::= "{" w "\"x\":" w s1 w "}"
        (at most 30000 characters)
    {"type":"string","contentEncoding":"base64"}
      openai-strict, anthropic-strict, ollama, llguidance, vllm:
        {"type":"string","pattern":"^([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$"}
      gemini:
        {"description":"(base64 with padding)","type":"string"}
      gbnf:
        p1 ::= [+/-9A-Za-z]{4}
        s1 ::= "\"" (p1* ((([+/-9A-Za-z] [AQgw] "=" "=") | ([+/-9A-Za-z]{2} [048AEIMQUYcgkosw] "=")))?) "\""
        o1 ::= "{" w "\"x\":" w s1 w "}"
    "##);
}

#[test]
fn lists() {
    insta::assert_snapshot!(all(&[
        json!({"type": "array", "items": {"type": "string"}, "minItems": 2, "maxItems": 5,
            "uniqueItems": true}),
        json!({"type": "array", "items": {"type": "string", "enum": ["a", "b"]},
            "uniqueItems": true, "maxItems": 1}),
        json!({"type": "array", "items": {"type": "boolean"}, "minItems": 100}),
    ]), @r##"
    {"type":"array","items":{"type":"string"},"minItems":2,"maxItems":5,"uniqueItems":true}
      openai-strict, gemini, ollama, llguidance, vllm:
        {"description":"(no item twice)","type":"array","items":{"type":"string"},"minItems":2,"maxItems":5}
      anthropic-strict:
        {"description":"(2 to 5 items; no item twice)","type":"array","items":{"type":"string"},"minItems":1}
      gbnf:
        s1 ::= "\"" c* "\""
        n1 ::= "," w s1
        a1 ::= "[" w s1 n1{1,4} w "]"
        o1 ::= "{" w "\"x\":" w a1 w "}"
        (no item twice)
    {"type":"array","items":{"type":"string","enum":["a","b"]},"uniqueItems":true,"maxItems":1}
      openai-strict, anthropic-strict, ollama, llguidance, vllm:
        {"description":"(flags, written as an object that says true or false for each)\n(at most 1 flag set)","type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"boolean"}},"required":["a","b"],"additionalProperties":false}
      gemini:
        {"description":"(flags, written as an object that says true or false for each)\n(at most 1 flag set)","type":"object","properties":{"a":{"type":"boolean"},"b":{"type":"boolean"}},"required":["a","b"],"additionalProperties":false,"propertyOrdering":["a","b"]}
      gbnf:
        t1 ::= ("," w "\"b\"")?
        m1 ::= "\"a\"" t1 | "\"b\""
        a1 ::= "[" w (m1 w)? "]"
        o1 ::= "{" w "\"x\":" w a1 w "}"
        (flags in the order in which they are listed)
        (at most 1 flag set)
    {"type":"array","items":{"type":"boolean"},"minItems":100}
      openai-strict, gemini, llguidance, vllm:
        {"type":"array","items":{"type":"boolean"},"minItems":100}
      anthropic-strict:
        {"description":"(at least 100 items)","type":"array","items":{"type":"boolean"},"minItems":1}
      ollama:
        {"description":"(at least 100 items)","type":"array","items":{"type":"boolean"}}
      gbnf:
        bool ::= "true" | "false"
        n1 ::= "," w bool
        a1 ::= "[" w bool n1{63,} w "]"
        o1 ::= "{" w "\"x\":" w a1 w "}"
        (at least 100 items)
    "##);
}

#[test]
fn shapes() {
    let types = [
        "tuple<u8, option<string>>",
        "map<string, bool>",
        "u64",
        "option<option<decimal>>",
        "table",
    ];
    let types = types
        .map(|ty| arguments(&function(&format!("f: func(x: {ty});")))["properties"]["x"].take());
    insta::assert_snapshot!(all(&types), @r##"
    {"type":"array","prefixItems":[{"type":"integer","minimum":0,"maximum":255},{"anyOf":[{"type":"null"},{"type":"string"}]}],"items":false,"minItems":2}
      openai-strict, ollama:
        {"description":"(a tuple, written as an object with the keys \"0\" to \"1\")","type":"object","properties":{"0":{"type":"integer","minimum":0,"maximum":255},"1":{"anyOf":[{"type":"null"},{"type":"string"}]}},"required":["0","1"],"additionalProperties":false}
      anthropic-strict:
        {"description":"(a tuple, written as an object with the keys \"0\" to \"1\")","type":"object","properties":{"0":{"description":"(an integer from 0 to 255)","type":"integer"},"1":{"anyOf":[{"type":"null"},{"type":"string"}]}},"required":["0","1"],"additionalProperties":false}
      gemini:
        {"type":"array","prefixItems":[{"type":"integer","minimum":0,"maximum":255},{"anyOf":[{"type":"null"},{"type":"string"}]}],"minItems":2,"maxItems":2}
      llguidance, vllm:
        {"type":"array","prefixItems":[{"type":"integer","minimum":0,"maximum":255},{"anyOf":[{"type":"null"},{"type":"string"}]}],"items":false,"minItems":2,"maxItems":2}
      gbnf:
        i1 ::= "0" | [1-9] [0-9]? | "1" [0-9]{2} | "2" [0-4] [0-9] | "25" [0-5]
        s1 ::= "\"" c* "\""
        u1 ::= "null" | s1
        a1 ::= "[" w i1 "," w u1 w "]"
        o1 ::= "{" w "\"x\":" w a1 w "}"
    {"type":"object","additionalProperties":{"type":"boolean"}}
      openai-strict, anthropic-strict:
        {"description":"(a map, written as an array of {\"key\", \"value\"}, no key twice)","type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"boolean"}},"required":["key","value"],"additionalProperties":false}}
      gemini:
        {"description":"(a map, written as an array of {\"key\", \"value\"}, no key twice)","type":"array","items":{"type":"object","properties":{"key":{"type":"string"},"value":{"type":"boolean"}},"required":["key","value"],"additionalProperties":false,"propertyOrdering":["key","value"]}}
      ollama, llguidance, vllm:
        {"type":"object","additionalProperties":{"type":"boolean"}}
      gbnf:
        s1 ::= "\"" c* "\""
        bool ::= "true" | "false"
        k1 ::= s1 ":" w bool
        n1 ::= "," w k1
        a1 ::= "{" w (k1 n1* w)? "}"
        o1 ::= "{" w "\"x\":" w a1 w "}"
    {"anyOf":[{"type":"integer","minimum":0,"maximum":18446744073709551615},{"type":"string","pattern":"^(0|[1-9][0-9]{0,18}|1([0-7][0-9]{18}|8([0-3][0-9]{17}|4([0-3][0-9]{16}|4([0-5][0-9]{15}|6([0-6][0-9]{14}|7([0-3][0-9]{13}|4([0-3][0-9]{12}|40([0-6][0-9]{10}|7([0-2][0-9]{9}|3([0-6][0-9]{8}|70([0-8][0-9]{6}|9([0-4][0-9]{5}|5([0-4][0-9]{4}|5(0[0-9]{3}|1([0-5][0-9]{2}|6(0[0-9]|1[0-5])))))))))))))))))$"}]}
      openai-strict, gemini, llguidance, vllm:
        {"description":"(at most 18446744073709551615)","type":"integer","minimum":0}
      anthropic-strict:
        {"description":"(an integer from 0 to 18446744073709551615)","type":"integer"}
      ollama:
        {"description":"(at most 18446744073709551615)","anyOf":[{"type":"integer","minimum":0},{"type":"string","pattern":"^-?(0|[1-9][0-9]{0,19})$"}]}
      gbnf:
        i1 ::= "0" | [1-9] [0-9]{0,18} | "1" [0-7] [0-9]{18} | "18" [0-3] [0-9]{17} | "184" [0-3] [0-9]{16} | "1844" [0-5] [0-9]{15} | "18446" [0-6] [0-9]{14} | "184467" [0-3] [0-9]{13} | "1844674" [0-3] [0-9]{12} | "184467440" [0-6] [0-9]{10} | "1844674407" [0-2] [0-9]{9} | "18446744073" [0-6] [0-9]{8} | "1844674407370" [0-8] [0-9]{6} | "18446744073709" [0-4] [0-9]{5} | "184467440737095" [0-4] [0-9]{4} | "1844674407370955" "0" [0-9]{3} | "18446744073709551" [0-5] [0-9]{2} | "184467440737095516" "0" [0-9] | "1844674407370955161" [0-5]
        o1 ::= "{" w "\"x\":" w i1 w "}"
    {"anyOf":[{"type":"null"},{"type":"object","properties":{"tag":{"type":"string","const":"some"},"val":{"anyOf":[{"type":"null"},{"anyOf":[{"type":"number"},{"type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$","maxLength":64}]}]}},"required":["tag"],"additionalProperties":false}]}
      openai-strict:
        {"anyOf":[{"type":"null"},{"type":"object","properties":{"tag":{"type":"string","const":"some"},"val":{"anyOf":[{"type":"null"},{"type":"number"},{"description":"(at most 64 characters)","type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$"}]}},"required":["tag","val"],"additionalProperties":false}]}
      anthropic-strict:
        {"anyOf":[{"type":"null"},{"type":"object","properties":{"tag":{"type":"string","const":"some"},"val":{"description":"(at most 64 characters)\n(the number, written as a string)","type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$"}},"required":["tag"],"additionalProperties":false}]}
      gemini:
        {"anyOf":[{"type":"null"},{"type":"object","properties":{"tag":{"type":"string","enum":["some"]},"val":{"anyOf":[{"type":"null"},{"type":"number"},{"description":"(at most 64 characters; text that matches the regular expression ^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$)","type":"string"}]}},"required":["tag"],"additionalProperties":false,"propertyOrdering":["tag","val"]}]}
      ollama, vllm:
        {"anyOf":[{"type":"null"},{"type":"object","properties":{"tag":{"type":"string","const":"some"},"val":{"anyOf":[{"type":"null"},{"type":"number"},{"description":"(at most 64 characters)","type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$"}]}},"required":["tag"],"additionalProperties":false}]}
      llguidance:
        {"anyOf":[{"type":"null"},{"type":"object","properties":{"tag":{"type":"string","const":"some"},"val":{"anyOf":[{"type":"null"},{"type":"number"},{"type":"string","pattern":"^-?(0|[1-9][0-9]*)(\\.[0-9]+)?([eE][+-]?[0-9]+)?$","maxLength":64}]}},"required":["tag"],"additionalProperties":false}]}
      gbnf:
        s1 ::= "\"" ("-"? ("0" | ([1-9] [0-9]*)) (("." [0-9]+))? (([Ee] [+\x2D]? [0-9]+))?) "\""
        u1 ::= "null" | num | s1
        o1 ::= "{" w "\"tag\":" w "\"some\"" ("," w "\"val\":" w u1)? w "}"
        u2 ::= "null" | o1
        o2 ::= "{" w "\"x\":" w u2 w "}"
        (at most 64 characters)
    {"description":"A table: an array of objects, or column names and rows with one cell per column.","anyOf":[{"type":"array","items":{"type":"object","propertyNames":{"minLength":1},"additionalProperties":{"type":["null","boolean","number","string"]}}},{"type":"object","properties":{"columns":{"type":"array","items":{"type":"string","minLength":1},"uniqueItems":true},"rows":{"type":"array","items":{"type":"array","items":{"type":["null","boolean","number","string"]}}}},"required":["columns","rows"],"additionalProperties":false}]}
      openai-strict, anthropic-strict:
        {"description":"A table: an array of objects, or column names and rows with one cell per column.\n(here only as columns and rows)","type":"object","properties":{"columns":{"description":"(no item twice)","type":"array","items":{"description":"(at least 1 character)","type":"string"}},"rows":{"type":"array","items":{"type":"array","items":{"anyOf":[{"type":"null"},{"type":"boolean"},{"type":"number"},{"type":"string"}]}}}},"required":["columns","rows"],"additionalProperties":false}
      gemini:
        {"description":"A table: an array of objects, or column names and rows with one cell per column.\n(here only as columns and rows)","type":"object","properties":{"columns":{"description":"(no item twice)","type":"array","items":{"description":"(at least 1 character)","type":"string"}},"rows":{"type":"array","items":{"type":"array","items":{"anyOf":[{"type":"null"},{"type":"boolean"},{"type":"number"},{"type":"string"}]}}}},"required":["columns","rows"],"additionalProperties":false,"propertyOrdering":["columns","rows"]}
      ollama, llguidance:
        {"description":"A table: an array of objects, or column names and rows with one cell per column.","anyOf":[{"type":"array","items":{"description":"(each key at least 1 character)","type":"object","additionalProperties":{"anyOf":[{"type":"null"},{"type":"boolean"},{"type":"number"},{"type":"string"}]}}},{"type":"object","properties":{"columns":{"description":"(no item twice)","type":"array","items":{"type":"string","minLength":1}},"rows":{"type":"array","items":{"type":"array","items":{"anyOf":[{"type":"null"},{"type":"boolean"},{"type":"number"},{"type":"string"}]}}}},"required":["columns","rows"],"additionalProperties":false}]}
      vllm:
        {"description":"A table: an array of objects, or column names and rows with one cell per column.","anyOf":[{"type":"array","items":{"description":"(each key at least 1 character)","type":"object","additionalProperties":{"anyOf":[{"type":"null"},{"type":"boolean"},{"type":"number"},{"type":"string"}]}}},{"type":"object","properties":{"columns":{"description":"(no item twice)","type":"array","items":{"description":"(at least 1 character)","type":"string"}},"rows":{"type":"array","items":{"type":"array","items":{"anyOf":[{"type":"null"},{"type":"boolean"},{"type":"number"},{"type":"string"}]}}}},"required":["columns","rows"],"additionalProperties":false}]}
      gbnf:
        s1 ::= "\"" c+ "\""
        bool ::= "true" | "false"
        s2 ::= "\"" c* "\""
        u1 ::= "null" | bool | num | s2
        n1 ::= "," w u1
        rows ::= "]" "," w "\"rows\":" w "[" w
        end ::= w "]" w "}"
        row1 ::= "[" w u1 n1{16} n1* w "]"
        cols1 ::= s1 ("," w s1)* w rows (row1 ("," w row1)*)? end
        row2 ::= "[" w u1 n1{15} w "]"
        cols2 ::= s1 (w rows (row2 ("," w row2)*)? end | "," w cols1)
        row3 ::= "[" w u1 n1{14} w "]"
        cols3 ::= s1 (w rows (row3 ("," w row3)*)? end | "," w cols2)
        row4 ::= "[" w u1 n1{13} w "]"
        cols4 ::= s1 (w rows (row4 ("," w row4)*)? end | "," w cols3)
        row5 ::= "[" w u1 n1{12} w "]"
        cols5 ::= s1 (w rows (row5 ("," w row5)*)? end | "," w cols4)
        row6 ::= "[" w u1 n1{11} w "]"
        cols6 ::= s1 (w rows (row6 ("," w row6)*)? end | "," w cols5)
        row7 ::= "[" w u1 n1{10} w "]"
        cols7 ::= s1 (w rows (row7 ("," w row7)*)? end | "," w cols6)
        row8 ::= "[" w u1 n1{9} w "]"
        cols8 ::= s1 (w rows (row8 ("," w row8)*)? end | "," w cols7)
        row9 ::= "[" w u1 n1{8} w "]"
        cols9 ::= s1 (w rows (row9 ("," w row9)*)? end | "," w cols8)
        row10 ::= "[" w u1 n1{7} w "]"
        cols10 ::= s1 (w rows (row10 ("," w row10)*)? end | "," w cols9)
        row11 ::= "[" w u1 n1{6} w "]"
        cols11 ::= s1 (w rows (row11 ("," w row11)*)? end | "," w cols10)
        row12 ::= "[" w u1 n1{5} w "]"
        cols12 ::= s1 (w rows (row12 ("," w row12)*)? end | "," w cols11)
        row13 ::= "[" w u1 n1{4} w "]"
        cols13 ::= s1 (w rows (row13 ("," w row13)*)? end | "," w cols12)
        row14 ::= "[" w u1 n1{3} w "]"
        cols14 ::= s1 (w rows (row14 ("," w row14)*)? end | "," w cols13)
        row15 ::= "[" w u1 n1{2} w "]"
        cols15 ::= s1 (w rows (row15 ("," w row15)*)? end | "," w cols14)
        row16 ::= "[" w u1 n1 w "]"
        cols16 ::= s1 (w rows (row16 ("," w row16)*)? end | "," w cols15)
        row17 ::= "[" w u1 w "]"
        cols17 ::= s1 (w rows (row17 ("," w row17)*)? end | "," w cols16)
        row18 ::= "[" w "]"
        tab1 ::= "{" w "\"columns\":" w "[" w (rows (row18 ("," w row18)*)? end | cols17)
        o1 ::= "{" w "\"x\":" w tab1 w "}"
        (here only as columns and rows)
        (no item twice)
        (rows of more than 16 cells have one cell for each column)
    "##);
}

#[test]
fn optional_members_are_a_chain() {
    let items = "record row { a: option<bool>, b: option<bool>, c: bool, d: option<bool> } \
        record none { a: option<bool>, b: option<bool>, c: option<bool> }";
    let exact = arguments(&function(&format!("{items} f: func(x: row, y: none);")));
    let lowered = lower(&exact, Dialect::Gbnf);
    insta::assert_snapshot!(grammar_of(&lowered), @r##"
    root ::= o3
    w ::= (" " | "\n" [ \t]{0,20})?
    bool ::= "true" | "false"
    u1 ::= "null" | bool
    o1 ::= "{" w ("\"a\":" w u1 "," w)? ("\"b\":" w u1 "," w)? "\"c\":" w bool ("," w "\"d\":" w u1)? w "}"
    t1 ::= ("," w "\"c\":" w u1)?
    t2 ::= ("," w "\"b\":" w u1)? t1
    m1 ::= "\"a\":" w u1 t2 | "\"b\":" w u1 t1 | "\"c\":" w u1
    o2 ::= "{" w (m1 w)? "}"
    o3 ::= "{" w "\"x\":" w o1 "," w "\"y\":" w o2 w "}"
    "##);
    let mut judge = Engine::new().gbnf(grammar_of(&lowered));
    for row in
        [r#"{"c":true}"#, r#"{"b":null,"c":true}"#, r#"{"a":true,"b":true,"c":true,"d":true}"#]
    {
        for none in ["{}", r#"{"a":true}"#, r#"{"b":true,"c":true}"#, r#"{"a":true,"c":true}"#] {
            let text = format!("{{\"x\":{row},\"y\":{none}}}");
            assert!(judge.accepts(&text), "{text}");
        }
    }
    for row in [r#"{"d":true}"#, r#"{"c":true,}"#, r#"{,"c":true}"#, r#"{"d":true,"c":true}"#, "{}"]
    {
        assert!(!judge.accepts(&format!("{{\"x\":{row},\"y\":{{}}}}")), "{row}");
    }
}

/// For keywords that narrow a base, and values: every lowering accepts what the exact schema accepts, and if nothing was
/// lost, a grammar accepts nothing else.
#[test]
fn narrowing_never_refuses_what_the_exact_schema_accepts() {
    let bases = [
        json!({"type": "string"}),
        json!({"anyOf": [{"type": "null"}, {"type": "string"}]}),
        json!({"type": "integer", "minimum": -128, "maximum": 127}),
        json!({"anyOf": [{"type": "null"}, {"type": "integer", "minimum": 0, "maximum": 4_294_967_295_u32}]}),
        json!({"type": "number"}),
        json!({"type": ["null", "boolean", "number", "string"]}),
        json!({"type": "string", "enum": ["a", "bc", "x-1", "dé\n"]}),
        json!({"type": "array", "items": {"type": "integer", "minimum": 0, "maximum": 255}}),
        json!({"$ref": "#/$defs/colour"}),
    ];
    let keywords = [
        ("minimum", json!(-3)),
        ("minimum", json!(0)),
        ("maximum", json!(12)),
        ("exclusiveMinimum", json!(0)),
        ("exclusiveMaximum", json!(12.5)),
        ("multipleOf", json!(2)),
        ("minLength", json!(1)),
        ("maxLength", json!(2)),
        ("maxLength", json!(4)),
        ("pattern", json!("^[a-z]+(-[0-9])?$")),
        ("pattern", json!(r"^\S*$")),
        ("pattern", json!("b")),
        ("pattern", json!(r#"^["\\/\n]{1,2}$"#)),
        ("format", json!("date")),
        ("format", json!("email")),
        ("enum", json!(["a", "x-1", 0, 7, true, null])),
        ("const", json!("bc")),
        ("minItems", json!(1)),
        ("maxItems", json!(2)),
        ("uniqueItems", json!(true)),
    ];
    let values = [
        json!(null),
        json!(true),
        json!(0),
        json!(7),
        json!(-3),
        json!(12),
        json!(13),
        json!(-128),
        json!(300),
        json!(0.5),
        json!(-2.25),
        json!(1e-7),
        json!(0.300_000_000_000_000_04),
        json!(""),
        json!("a"),
        json!("bc"),
        json!("x-1"),
        json!("dé\n"),
        json!("\"\\"),
        json!("/\n"),
        json!("😀😀"),
        json!("2024-02-29"),
        json!("a@b.co"),
        json!([]),
        json!([1]),
        json!([1, 1]),
        json!([1, 2, 3]),
        json!({}),
    ];
    let engine = Engine::new();
    let mut random = Random(0x5eed_0005);
    let (mut accepted, mut refused) = (0, 0);
    for _ in 0..150 {
        let mut x = bases[random.below(bases.len())].clone();
        for _ in 0..=random.below(3) {
            let (keyword, value) = &keywords[random.below(keywords.len())];
            x.as_object_mut().unwrap().entry(*keyword).or_insert_with(|| value.clone());
        }
        let mut exact = of(x);
        exact["$defs"] = json!({"colour": {"type": "string", "enum": ["a", "red", "x-1"]}});
        let options = jsonschema::options().should_validate_formats(true);
        let validator = options.build(&exact).unwrap();
        let lowered: Vec<Lowered> = SCHEMAS.iter().map(|it| lower(&exact, *it)).collect();
        let validators: Vec<_> =
            lowered.iter().map(|it| jsonschema::validator_for(schema_of(it)).unwrap()).collect();
        let grammar = lower(&exact, Dialect::Gbnf);
        let mut judge = engine.gbnf(grammar_of(&grammar));
        // llguidance refuses a schema that accepts nothing.
        let some = values.iter().any(|value| validator.is_valid(&json!({"x": value})));
        let mut decoder =
            some.then(|| engine.schema(schema_of(&lower(&exact, Dialect::Llguidance))));
        for value in &values {
            let value = json!({"x": value});
            let text = value.to_string();
            if validator.is_valid(&value) {
                accepted += 1;
                assert!(judge.accepts(&text), "{text}\n{exact}\n{}", grammar_of(&grammar));
                // Between bounds, llguidance accepts no exponents.
                let plain = match value["x"].as_f64() {
                    Some(number) if value["x"].is_f64() => format!("{{\"x\":{number}}}"),
                    _ => text.clone(),
                };
                assert!(decoder.as_mut().unwrap().accepts(&plain), "{plain}\n{exact}");
                for (validator, lowered) in validators.iter().zip(&lowered) {
                    assert!(validator.is_valid(&value), "{text}\n{exact}\n{}", schema_of(lowered));
                }
            } else if is_exact(&grammar) {
                refused += 1;
                assert!(!judge.accepts(&text), "{text}\n{exact}\n{}", grammar_of(&grammar));
            }
        }
    }
    assert!(accepted > 300 && refused > 300, "{accepted} accepted, {refused} refused");
}

#[test]
fn digits_as_text_become_numbers() {
    let exact = arguments(&function("f: func(x: u64);"));
    let mut x = exact["properties"]["x"].clone();
    x["enum"] = json!([5, "18446744073709551615", "6.5"]);
    let lowered = lower(&of(x), Dialect::OpenaiStrict);
    assert_eq!(
        schema_of(&lowered)["properties"]["x"],
        json!({"type": "integer", "enum": [5, u64::MAX]})
    );
}

#[test]
fn what_no_shape_holds_is_told() {
    let lowered = lower(&of(json!({"type": "string", "x-unit": "m"})), Dialect::Gemini);
    assert_eq!(
        schema_of(&lowered)["properties"]["x"],
        json!({"description": "(what the JSON Schema keyword `x-unit` says: \"m\")", "type": "string"})
    );
    let itself = json!({
        "type": "object", "properties": {"a": {"$ref": "#/$defs/a"}}, "required": ["a"],
        "additionalProperties": false,
        "$defs": {"a": {"type": "array", "items": {"$ref": "#/$defs/a"}}},
    });
    assert!(!lower(&itself, Dialect::OpenaiStrict).strict, "it has a place that takes any value");
    let mut judge = Engine::new().schema(schema_of(&lower(&itself, Dialect::Llguidance)));
    assert!(judge.accepts(r#"{"a":[[[]]]}"#));
}

#[test]
fn deep_and_wide_schemas_are_cut_and_not_followed() {
    let mut deep = json!({"type": "null"});
    for _ in 0..300 {
        deep = json!({"type": "array", "items": deep});
    }
    // Two uses of each definition would make 2^60 copies if they were copied.
    let mut definitions = serde_json::Map::new();
    definitions.insert("d0".into(), json!({"type": "array", "items": {"type": "string"}}));
    for level in 1..60 {
        let below = json!({"$ref": format!("#/$defs/d{}", level - 1), "minItems": 1});
        definitions.insert(
            format!("d{level}"),
            json!({"type": "array", "prefixItems": [below.clone(), below], "items": false}),
        );
    }
    let wide = json!({"$ref": "#/$defs/d59", "$defs": definitions});
    for dialect in [Dialect::OpenaiStrict, Dialect::Gbnf] {
        lower(&of(deep.clone()), dialect);
        let lowered = lower(&wide, dialect);
        assert!(!lowered.losses.is_empty());
    }
}
