//! Tests limits of strict modes, tool definitions in the envelopes of providers, and the sentences for losses.

use super::narrowed::of;
use super::*;
use serde_json::json;

fn limits(exact: &Value, dialect: Dialect) -> Vec<String> {
    let lowered = lower(exact, dialect);
    let limits: Vec<String> = lowered
        .losses
        .into_iter()
        .filter(|loss| loss.kind == LossKind::Limit)
        .map(|loss| loss.text)
        .collect();
    assert_eq!(lowered.strict, limits.is_empty());
    limits
}

/// Returns an object with `count` properties of schema `x`, the first `required` of them required.
fn wide(count: usize, required: usize, x: &Value) -> Value {
    let names: Vec<String> = (0..count).map(|at| format!("p{at:05}")).collect();
    let properties: Value = names.iter().map(|name| (name.clone(), x.clone())).collect();
    json!({
        "type": "object", "properties": properties, "required": names[..required],
        "additionalProperties": false,
    })
}

#[test]
fn openai() {
    let check = |exact: &Value| limits(exact, Dialect::OpenaiStrict);
    let number = json!({"type": "number"});
    let mut deep = number.clone();
    for _ in 0..10 {
        deep = of(deep);
    }
    assert_eq!(check(&deep), Vec::<String>::new());
    assert_eq!(
        check(&of(deep)),
        ["not strict: the schema has 11 levels of objects, OpenAI allows 10"]
    );

    assert_eq!(check(&wide(5_000, 0, &number)), Vec::<String>::new());
    assert_eq!(
        check(&wide(5_001, 5_001, &number)),
        ["not strict: the schema has 5001 properties, OpenAI allows 5000"]
    );

    let names = |count: usize, length: usize| {
        let names: Vec<String> = (0..count).map(|at| format!("{at:0length$}")).collect();
        of(json!({"type": "string", "enum": names}))
    };
    assert_eq!(check(&names(1_000, 15)), Vec::<String>::new());
    assert_eq!(
        check(&names(1_001, 4)),
        ["not strict: the schema has 1001 values of enums, OpenAI allows 1000"]
    );
    assert_eq!(check(&names(250, 100)), Vec::<String>::new());
    assert_eq!(
        check(&names(251, 60)),
        ["not strict: the schema has 15060 characters of one enum, OpenAI allows 15000"]
    );
    assert_eq!(
        check(&names(250, 480)),
        ["not strict: the schema has 120001 characters of names and values, OpenAI allows 120000"]
    );
}

#[test]
fn anthropic() {
    let check = |exact: &Value| limits(exact, Dialect::AnthropicStrict);
    let text = json!({"type": "string"});
    assert_eq!(check(&wide(30, 6, &text)), Vec::<String>::new());
    assert_eq!(
        check(&wide(30, 5, &text)),
        ["not strict: the schema has 25 optional properties, Anthropic allows 24"]
    );
    let cell = json!({"type": ["null", "boolean", "number", "string"]});
    assert_eq!(check(&wide(16, 16, &cell)), Vec::<String>::new());
    assert_eq!(
        check(&wide(17, 17, &cell)),
        ["not strict: the schema has 17 places with several types, Anthropic allows 16"]
    );
    // An option costs no union, because it can be left out.
    let option = json!({"anyOf": [{"type": "null"}, {"type": "string"}]});
    assert_eq!(check(&wide(24, 0, &option)), Vec::<String>::new());
    // A definition counts each time it is used.
    let mut shared = wide(2, 2, &json!({"$ref": "#/$defs/d"}));
    shared["$defs"] = json!({"d": wide(9, 9, &cell)});
    assert_eq!(
        check(&shared),
        ["not strict: the schema has 18 places with several types, Anthropic allows 16"]
    );
}

#[test]
fn anthropic_tools_share_the_limits_of_a_request() {
    let exact = wide(10, 0, &json!({"type": "string"}));
    let plain = of(json!({"type": "string"}));
    let mut tools: Vec<Definition<'_>> = vec![];
    for name in ["a", "b", "c"] {
        tools.push(Definition { name, description: "Do it.", schema: &exact });
    }
    tools.extend((0..20).map(|_| Definition { name: "d", description: "Do it.", schema: &plain }));
    let Envelope { body, losses } = envelope(Dialect::AnthropicStrict, &tools, Scope::Call);
    let Form::Schema(Value::Array(body)) = body else { panic!("expected a list") };
    let strict: Vec<bool> = body.iter().map(|tool| tool["strict"].as_bool().unwrap()).collect();
    let expected: Vec<bool> = (0..23).map(|at| at != 2 && at < 21).collect();
    assert_eq!(strict, expected);
    let losses: Vec<String> = losses.iter().map(|(tool, loss)| format!("{tool}: {loss}")).collect();
    assert_eq!(
        losses,
        [
            "c: not strict: with the tools before it, the request would have 30 optional properties, Anthropic allows 24",
            "d: not strict: with the tools before it, the request would have 21 strict tools, Anthropic allows 20",
            "d: not strict: with the tools before it, the request would have 21 strict tools, Anthropic allows 20",
        ]
    );
}

#[test]
fn envelopes() {
    let exact = of(json!({"type": "string", "maxLength": 8, "pattern": "(?=a)"}));
    let tools = [Definition { name: "skill__tool", description: "Do it.", schema: &exact }];
    let mut lines = Vec::new();
    for dialect in Dialect::ALL {
        for scope in [Scope::Call, Scope::Arguments] {
            let Envelope { body, losses } = envelope(dialect, &tools, scope);
            let body = match body {
                Form::Schema(body) => body.to_string(),
                Form::Grammar(text) => text.lines().last().unwrap().to_owned(),
            };
            lines.push(format!("{} {scope:?}: {body} + {}", dialect.name(), losses.len()));
        }
    }
    lines.dedup_by_key(|line| line.replace("Arguments:", "Call:"));
    insta::assert_snapshot!(lines.join("\n"), @r##"
    openai-strict Call: [{"type":"function","name":"skill__tool","description":"Do it.","strict":true,"parameters":{"type":"object","properties":{"x":{"description":"(at most 8 characters; text that matches the regular expression (?=a))","type":"string"}},"required":["x"],"additionalProperties":false}}] + 2
    anthropic-strict Call: [{"name":"skill__tool","description":"Do it.","strict":true,"input_schema":{"type":"object","properties":{"x":{"description":"(at most 8 characters; text that matches the regular expression (?=a))","type":"string"}},"required":["x"],"additionalProperties":false}}] + 2
    gemini Call: [{"functionDeclarations":[{"name":"skill__tool","description":"Do it.","parametersJsonSchema":{"type":"object","properties":{"x":{"description":"(at most 8 characters; text that matches the regular expression (?=a))","type":"string"}},"required":["x"],"additionalProperties":false,"propertyOrdering":["x"]}}]}] + 2
    ollama Call: {"format":{"description":"Do it.","type":"object","properties":{"name":{"type":"string","const":"skill__tool"},"arguments":{"type":"object","properties":{"x":{"description":"(text that matches the regular expression (?=a))","type":"string","maxLength":8}},"required":["x"],"additionalProperties":false}},"required":["name","arguments"],"additionalProperties":false},"losses":[{"tool":"skill__tool","kind":"constraint","pointer":"/properties/x","place":"x","text":"text that matches the regular expression (?=a)"}]} + 1
    ollama Arguments: {"format":{"type":"object","properties":{"x":{"description":"(text that matches the regular expression (?=a))","type":"string","maxLength":8}},"required":["x"],"additionalProperties":false},"losses":[{"tool":"skill__tool","kind":"constraint","pointer":"/properties/x","place":"x","text":"text that matches the regular expression (?=a)"}]} + 1
    llguidance Call: {"grammars":[{"json_schema":{"description":"Do it.","type":"object","properties":{"name":{"type":"string","const":"skill__tool"},"arguments":{"type":"object","properties":{"x":{"description":"(text that matches the regular expression (?=a))","type":"string","maxLength":8}},"required":["x"],"additionalProperties":false}},"required":["name","arguments"],"additionalProperties":false}}],"tools":[{"name":"skill__tool","description":"Do it.","schema":{"type":"object","properties":{"x":{"description":"(text that matches the regular expression (?=a))","type":"string","maxLength":8}},"required":["x"],"additionalProperties":false}}],"losses":[{"tool":"skill__tool","kind":"constraint","pointer":"/properties/x","place":"x","text":"text that matches the regular expression (?=a)"}]} + 1
    llguidance Arguments: {"grammars":[{"json_schema":{"type":"object","properties":{"x":{"description":"(text that matches the regular expression (?=a))","type":"string","maxLength":8}},"required":["x"],"additionalProperties":false}}],"tools":[{"name":"skill__tool","description":"Do it.","schema":{"type":"object","properties":{"x":{"description":"(text that matches the regular expression (?=a))","type":"string","maxLength":8}},"required":["x"],"additionalProperties":false}}],"losses":[{"tool":"skill__tool","kind":"constraint","pointer":"/properties/x","place":"x","text":"text that matches the regular expression (?=a)"}]} + 1
    vllm Call: {"structured_outputs":{"json":{"description":"Do it.","type":"object","properties":{"name":{"type":"string","const":"skill__tool"},"arguments":{"type":"object","properties":{"x":{"description":"(at most 8 characters; text that matches the regular expression (?=a))","type":"string"}},"required":["x"],"additionalProperties":false}},"required":["name","arguments"],"additionalProperties":false}},"tools":[{"name":"skill__tool","description":"Do it.","schema":{"type":"object","properties":{"x":{"description":"(at most 8 characters; text that matches the regular expression (?=a))","type":"string"}},"required":["x"],"additionalProperties":false}}],"losses":[{"tool":"skill__tool","kind":"constraint","pointer":"/properties/x","place":"x","text":"at most 8 characters"},{"tool":"skill__tool","kind":"constraint","pointer":"/properties/x","place":"x","text":"text that matches the regular expression (?=a)"}]} + 2
    vllm Arguments: {"structured_outputs":{"json":{"type":"object","properties":{"x":{"description":"(at most 8 characters; text that matches the regular expression (?=a))","type":"string"}},"required":["x"],"additionalProperties":false}},"tools":[{"name":"skill__tool","description":"Do it.","schema":{"type":"object","properties":{"x":{"description":"(at most 8 characters; text that matches the regular expression (?=a))","type":"string"}},"required":["x"],"additionalProperties":false}}],"losses":[{"tool":"skill__tool","kind":"constraint","pointer":"/properties/x","place":"x","text":"at most 8 characters"},{"tool":"skill__tool","kind":"constraint","pointer":"/properties/x","place":"x","text":"text that matches the regular expression (?=a)"}]} + 2
    gbnf Call: o2 ::= "{" w "\"name\":" w "\"skill__tool\"" "," w "\"arguments\":" w o1 w "}" + 2
    gbnf Arguments: o1 ::= "{" w "\"x\":" w s1 w "}" + 2
    portable Call: [{"name":"skill__tool","description":"Do it.","inputSchema":{"type":"object","properties":{"x":{"description":"(at most 8 characters; text that matches the regular expression (?=a))","type":"string"}},"required":["x"],"additionalProperties":false}}] + 2
    "##);
}

#[test]
fn definitions_of_two_tools_stay_apart() {
    let exact = |x: Value| {
        let mut exact = of(json!({"$ref": "#/$defs/d", "description": "That."}));
        exact["$defs"] = json!({"d": x});
        exact
    };
    let (a, b) = (exact(json!({"type": "string"})), exact(json!({"type": "boolean"})));
    for dialect in SCHEMAS {
        let lowered = lower_call([("a", "", &a), ("b", "", &b)], dialect);
        let validator = jsonschema::validator_for(schema_of(&lowered)).unwrap();
        let is_valid = |name: &str, x: Value| {
            validator.is_valid(&json!({"name": name, "arguments": {"x": x}}))
        };
        assert!(is_valid("a", json!("text")) && is_valid("b", json!(true)));
        assert!(!is_valid("a", json!(true)) && !is_valid("b", json!("text")));
    }
    // The description of a lone reference stands in its surroundings.
    let lowered = lower(&a, Dialect::OpenaiStrict);
    assert_eq!(schema_of(&lowered)["description"], "- `x`: That.");
    assert_eq!(schema_of(&lowered)["properties"]["x"], json!({"$ref": "#/$defs/d"}));
}

#[test]
fn names_of_dialects() {
    for dialect in Dialect::ALL {
        assert_eq!(Dialect::from_name(dialect.name()), Some(dialect));
    }
    assert_eq!(Dialect::from_name("openai"), None);
}

#[test]
fn places_and_descriptions() {
    let place = |pointer: &str| {
        Loss { pointer: pointer.into(), kind: LossKind::Constraint, text: "no item twice".into() }
            .to_string()
    };
    let pointers = [
        "",
        "/properties/rows/items/properties/items",
        "/properties/a~1b/anyOf/1/prefixItems/2/additionalProperties",
        "/$defs/row/properties/n",
    ];
    insta::assert_snapshot!(pointers.map(place).join("\n"), @r##"
    is not enforced: no item twice
    `rows[].items` is not enforced: no item twice
    `a/b[2]{}` is not enforced: no item twice
    `row.n` is not enforced: no item twice
    "##);

    let row = json!({"type": "string", "maxLength": 9, "pattern": "b"});
    let lowered = lower(&of(row), Dialect::Gbnf);
    insta::assert_snapshot!(lowered.describe("Do it.\n"), @r##"
    Do it.

    Also:
    - `x`: text that matches the regular expression b
    - keys in the order in which they are listed
    "##);
    let many = lower(&wide(100, 100, &json!({"type": "string", "pattern": "b"})), Dialect::Gbnf);
    let described = many.describe("Do it.");
    assert!(described.chars().count() <= 1_020, "{}", described.chars().count());
    assert!(described.ends_with(" more"), "{described}");
    let none = Lowered { losses: vec![], ..many };
    assert_eq!(none.describe("Do it."), "Do it.");
}
