//! Tests lowerings against independent judges: a JSON Schema validator, a constrained decoder, and the providers' rules.

mod checker;
mod engine;
mod limits;
mod narrowed;
mod portable;
mod tables;
mod texts;
mod values;

use crate::schema::arguments;
use crate::schema::lower::*;
use crate::value::tests::random::{Random, decode, echo, encode, mutate};
use crate::value::{Function, Interface, Json, Type, UntypedCall};
use engine::{Engine, Judge};
use serde_json::Value;

fn schema_of(lowered: &Lowered) -> &Value {
    match &lowered.form {
        Form::Schema(schema) => schema,
        Form::Grammar(text) => panic!("expected a schema, got {text}"),
    }
}

fn grammar_of(lowered: &Lowered) -> &str {
    match &lowered.form {
        Form::Grammar(text) => text,
        Form::Schema(schema) => panic!("expected a grammar, got {schema}"),
    }
}

fn is_exact(lowered: &Lowered) -> bool {
    lowered.losses.iter().all(|loss| loss.kind != LossKind::Constraint)
}

/// Returns a function of a random type, and canonical arguments for it.
fn random_call(random: &mut Random) -> (Function, Json) {
    let depth = random.below(4);
    let function = echo(random.element(depth));
    let Some(Type::List(ty)) = &function.result else { panic!("expected a list") };
    let ty = ty.clone();
    let val = random.val(&ty);
    let json = encode(&function, val);
    (function, json)
}

fn wrapped(json: &Json) -> Value {
    Value::from(Json::object([("x", json.clone())]))
}

const SCHEMAS: [Dialect; 7] = [
    Dialect::OpenaiStrict,
    Dialect::AnthropicStrict,
    Dialect::Gemini,
    Dialect::Ollama,
    Dialect::Llguidance,
    Dialect::Vllm,
    Dialect::Portable,
];

#[test]
fn what_the_exact_schema_accepts_can_be_written_in_every_dialect() {
    let mut random = Random(0x5eed_0001);
    for _ in 0..500 {
        let (function, json) = random_call(&mut random);
        let exact = arguments(&function);
        let canonical = wrapped(&json);
        for dialect in SCHEMAS {
            let lowered = lower(&exact, dialect);
            let schema = schema_of(&lowered);
            let value = values::lowered(&function.params, &canonical, dialect);
            let validator = jsonschema::validator_for(schema).unwrap();
            if let Err(error) = validator.validate(&value) {
                panic!("{}: {error}\n{value}\n{schema:#}\n{exact:#}", dialect.name());
            }
        }
    }
}

#[test]
fn the_host_takes_every_lowered_form_for_the_canonical_one() {
    let mut random = Random(0x5eed_0006);
    for _ in 0..500 {
        let (function, json) = random_call(&mut random);
        let canonical = wrapped(&json);
        let check = |arguments: &Value| {
            let arguments = Json::parse(arguments.to_string(), 1 << 20, 64).unwrap();
            let call = UntypedCall { name: "f", arguments }.check(&function);
            call.unwrap_or_else(|error| panic!("{}\n{canonical}", error.render())).into_args()
        };
        let expected = check(&canonical);
        for dialect in Dialect::ALL {
            let value = values::lowered(&function.params, &canonical, dialect);
            assert_eq!(check(&value), expected, "{}: {value}", dialect.name());
        }
    }
}

#[test]
fn schemas_keep_the_rules_of_their_providers() {
    let mut random = Random(0x5eed_0002);
    for _ in 0..1_000 {
        let (function, _) = random_call(&mut random);
        let exact = arguments(&function);
        for dialect in [Dialect::OpenaiStrict, Dialect::AnthropicStrict, Dialect::Gemini] {
            let lowered = lower(&exact, dialect);
            let schema = schema_of(&lowered);
            let problems = checker::check(schema, dialect);
            assert!(problems.is_empty(), "{}: {problems:?}\n{schema:#}", dialect.name());
            let fits = match dialect {
                Dialect::OpenaiStrict => checker::depth(schema, schema) <= 10,
                Dialect::AnthropicStrict => {
                    let (optional, unions) = checker::optional_and_unions(schema, schema);
                    optional <= 24 && unions <= 16
                }
                _ => true,
            };
            assert_eq!(lowered.strict, fits, "{}: {schema:#}", dialect.name());
            let has_limit_loss = lowered.losses.iter().any(|loss| loss.kind == LossKind::Limit);
            assert_eq!(lowered.strict, !has_limit_loss);
        }
    }
}

/// The engine accepts what the validator accepts. Of changed values, it refuses those that the validator refuses.
#[test]
fn llguidance_follows_its_schemas() {
    let engine = Engine::new();
    let mut random = Random(0x5eed_0003);
    let mut refused = 0;
    for _ in 0..150 {
        let (function, mut json) = random_call(&mut random);
        let lowered = lower(&arguments(&function), Dialect::Llguidance);
        let schema = schema_of(&lowered);
        let mut judge = engine.schema(schema);
        let value = values::lowered(&function.params, &wrapped(&json), Dialect::Llguidance);
        assert!(judge.accepts(&value.to_string()), "{value}\n{schema:#}");
        mutate(&mut json, &mut random);
        let changed = wrapped(&json);
        let validator = jsonschema::validator_for(schema).unwrap();
        if !validator.is_valid(&changed) {
            refused += 1;
            assert!(!judge.accepts(&changed.to_string()), "{changed}\n{schema:#}");
        }
    }
    assert!(refused > 50, "{refused}");
}

#[test]
fn grammars_accept_what_the_host_accepts() {
    let engine = Engine::new();
    let mut random = Random(0x5eed_0004);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..250 {
        let (function, mut json) = random_call(&mut random);
        let lowered = lower(&arguments(&function), Dialect::Gbnf);
        let grammar = grammar_of(&lowered);
        let mut judge = engine.gbnf(grammar);
        let value = values::lowered(&function.params, &wrapped(&json), Dialect::Gbnf);
        for text in [value.to_string(), format!("{value:#}")] {
            assert!(judge.accepts(&text), "{text}\n{grammar}");
        }
        mutate(&mut json, &mut random);
        let changed = wrapped(&json);
        let is_single = json_items(&json) == Some(1);
        if judge.accepts(&changed.to_string()) && is_exact(&lowered) && is_single {
            accepted += 1;
            decode(&function, &json)
                .unwrap_or_else(|error| panic!("{error}\n{changed}\n{grammar}"));
        } else {
            refused += 1;
        }
    }
    assert!(refused > 100 && accepted > 20, "{refused} refused, {accepted} accepted");
}

fn json_items(json: &Json) -> Option<usize> {
    match json {
        Json::Array(items) => Some(items.len()),
        _ => None,
    }
}

/// Returns the component of a skill in `skills/`. The large ones are compressed.
fn component(skill: &str) -> Vec<u8> {
    let path = format!("{}/../../skills/{skill}/{skill}.wasm", env!("CARGO_MANIFEST_DIR"));
    if let Ok(component) = std::fs::read(&path) {
        return component;
    }
    let packed = std::fs::read(format!("{path}.zst")).unwrap();
    let mut component = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(packed.as_slice()).unwrap();
    std::io::Read::read_to_end(&mut decoder, &mut component).unwrap();
    component
}

/// Returns the interfaces of the skills in `skills/`, without the script engine.
fn bundled() -> Vec<(String, String, Value)> {
    let mut tools = Vec::new();
    for skill in ["document-tool", "excel-tool", "report", "sql-tool", "table-tool", "word-tool"] {
        let interface = Interface::from_component(&component(skill)).unwrap();
        for function in &interface.functions {
            let name = format!("{skill}__{}", function.name).replace('-', "_");
            tools.push((name, function.docs.clone(), arguments(function)));
        }
    }
    assert!(tools.len() >= 8, "{} tools", tools.len());
    tools
}

#[test]
fn bundled_tools_are_strict_everywhere() {
    let engine = Engine::new();
    for (name, _, exact) in bundled() {
        for dialect in SCHEMAS {
            let lowered = lower(&exact, dialect);
            let schema = schema_of(&lowered);
            assert!(lowered.strict, "{name} in {}: {:?}", dialect.name(), lowered.losses);
            if matches!(dialect, Dialect::OpenaiStrict | Dialect::AnthropicStrict | Dialect::Gemini)
            {
                let problems = checker::check(schema, dialect);
                assert!(problems.is_empty(), "{name} in {}: {problems:?}", dialect.name());
            }
        }
        engine.schema(schema_of(&lower(&exact, Dialect::Llguidance)));
        engine.gbnf(grammar_of(&lower(&exact, Dialect::Gbnf)));
    }
}

fn accepts_call(judge: &mut Judge, name: &str, arguments: &str) -> bool {
    judge.accepts(&format!(r#"{{"name": "{name}", "arguments": {arguments}}}"#))
}

#[test]
fn one_call_of_all_bundled_tools() {
    let engine = Engine::new();
    let tools = bundled();
    let all = || tools.iter().map(|(name, docs, exact)| (name.as_str(), docs.as_str(), exact));
    let grammar = lower_call(all(), Dialect::Gbnf);
    let grammar = grammar_of(&grammar);
    assert!(grammar.len() < 32 << 10, "{} bytes", grammar.len());
    let schema = lower_call(all(), Dialect::Llguidance);
    for mut judge in [engine.gbnf(grammar), engine.schema(schema_of(&schema))] {
        let call = r#"{"name": "sales.csv"}"#;
        assert!(accepts_call(&mut judge, "document_tool__read_table", call));
        assert!(!accepts_call(&mut judge, "document_tool__read_tables", call));
        assert!(!accepts_call(&mut judge, "document_tool__read_table", "{}"));
    }
    let ollama = lower_call(all(), Dialect::Ollama);
    let validator = jsonschema::validator_for(schema_of(&ollama)).unwrap();
    let call = |name: &str| serde_json::json!({"name": name, "arguments": {"name": "sales.csv"}});
    assert!(validator.is_valid(&call("document_tool__read_table")));
    assert!(!validator.is_valid(&call("document_tool__read_tables")));
}

/// Places of losses lead into the schema of the call: of the only tool, or of one among several.
#[test]
fn losses_of_a_call_have_their_place_in_it() {
    let exact = narrowed::of(serde_json::json!({"type": "string", "format": "email"}));
    let tool = |name| (name, "", &exact);
    let places = |tools: &[(&str, &str, &Value)]| -> Vec<String> {
        let lowered = lower_call(tools.iter().copied(), Dialect::Gbnf);
        let constraints = lowered.losses.into_iter().filter(|it| it.kind == LossKind::Constraint);
        constraints.map(|it| it.pointer).collect()
    };
    let place = "/properties/arguments/properties/x";
    assert_eq!(places(&[tool("a")]), [place]);
    let several = ["/anyOf/0", "/anyOf/1"].map(|at| format!("{at}{place}"));
    assert_eq!(places(&[tool("a"), tool("b")]), several);
}

/// What a decoder does not enforce is listed up to a bound, and the rest is counted.
#[test]
fn what_is_not_enforced_is_listed_up_to_a_bound() {
    let member =
        |at: usize| (format!("m{at:03}"), serde_json::json!({"type": "string", "format": "email"}));
    let all: serde_json::Map<String, Value> = (0..200).map(member).collect();
    let exact =
        serde_json::json!({"type": "object", "properties": all, "additionalProperties": false});
    let lowered = lower(&exact, Dialect::Gbnf);
    let text = lowered.describe("Does it.");
    let kinds = [LossKind::Constraint, LossKind::Shape];
    let all = lowered.losses.iter().filter(|loss| kinds.contains(&loss.kind)).count();
    let lines: Vec<&str> = text.lines().filter(|line| line.starts_with("- ")).collect();
    let (last, listed) = lines.split_last().unwrap();
    assert!((10..200).contains(&listed.len()), "{text}");
    assert_eq!(*last, format!("- … and {} more", all - listed.len()));
    let length = text.chars().count() - "Does it.\n\nAlso:".chars().count();
    assert!((900..=1_000).contains(&length), "{length}");
}

/// An alternative among others keeps what is said of it.
#[test]
fn words_of_an_alternative_are_kept() {
    let inner = serde_json::json!({"anyOf": [{"type": "string"}, {"type": "integer"}], "description": "inner words"});
    let exact = narrowed::of(serde_json::json!({"anyOf": [inner, {"type": "boolean"}]}));
    for dialect in [Dialect::Ollama, Dialect::Llguidance, Dialect::Vllm] {
        let lowered = lower(&exact, dialect);
        let schema = schema_of(&lowered).to_string();
        assert!(schema.contains("inner words"), "{} {schema}", dialect.name());
    }
}
