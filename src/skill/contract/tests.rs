use serde_json::json;

use super::*;

fn exported(name: &str) -> Function {
    Function { instance: Some(extism::PLUGIN.into()), name: name.into(), ..Function::default() }
}

fn applied(contract: &Contract) -> (Function, Contracted) {
    contract.applied_to(&exported("find_person")).unwrap()
}

fn parse(text: &str) -> Json {
    Json::parse(text, 10_000, 20).unwrap()
}

#[test]
fn names_become_kebab_case() {
    for (name, expected) in [
        ("count_vowels", "count-vowels"),
        ("countVowels", "count-vowels"),
        ("CountVowels", "count-vowels"),
        ("HTTPGet", "httpget"),
        ("run2Times", "run2-times"),
        ("__odd__name__", "odd-name"),
        ("a.b/c", "a-b-c"),
        ("é", ""),
        ("", ""),
    ] {
        assert_eq!(kebab(name), expected, "{name}");
    }
}

#[test]
fn arguments_become_bytes() {
    let object = json!({
        "type": "object",
        "properties": { "name": { "type": "string" }, "age": { "type": "integer" } },
        "required": ["name"],
    });
    let number = json!({ "type": "integer" });
    for (input, schema, arguments, bytes) in [
        (Form::Text, None, r#"{"input": "好"}"#, "好"),
        (Form::Bytes, None, r#"{"input": "aGk="}"#, "hi"),
        (Form::Json, None, r#"{"input": [1, null, {"a": 0.10}]}"#, r#"[1,null,{"a":0.10}]"#),
        (Form::Json, Some(number), r#"{"input": 7}"#, "7"),
        (Form::Json, Some(object.clone()), r#"{"name": "a", "age": 1}"#, r#"{"name":"a","age":1}"#),
        (Form::Json, Some(object.clone()), r#"{"name": "a"}"#, r#"{"name":"a"}"#),
    ] {
        let contract = Contract { input, input_schema: schema, ..Contract::default() };
        let (function, contracted) = applied(&contract);
        let call = UntypedCall { name: "x", arguments: parse(arguments) };
        let call = call.check(&function).unwrap();
        let sent = contracted.input(&function, call).unwrap();
        assert_eq!(String::from_utf8(sent).unwrap(), bytes, "{arguments}");
    }
}

#[test]
fn bytes_become_results_or_name_the_broken_promise() {
    let schema = json!({
        "type": "object",
        "properties": { "ages": { "type": "array", "items": { "type": "integer" } } },
        "required": ["ages"],
    });
    for (output, schema, given, expected) in [
        (Form::Text, None, &b"\xe5\xa5\xbd"[..], Ok(r#""好""#)),
        (Form::Text, None, b"ab\xff", Err("promises text, but byte 2 of its output is not UTF-8")),
        (Form::Bytes, None, b"\xff\x00", Ok(r#""/wA=""#)),
        (Form::Json, None, b"", Ok("null")),
        (Form::Json, None, br#"{"a": 1.50}"#, Ok(r#"{"a":1.50}"#)),
        (Form::Json, None, b"{", Err("promises JSON, but its output is not valid")),
        (Form::Json, Some(schema.clone()), br#"{"ages": [1, 2]}"#, Ok(r#"{"ages":[1,2]}"#)),
        (Form::Json, Some(schema.clone()), br#"{"ages": [1, "x"]}"#, Err("/result/ages/1")),
        (Form::Json, Some(schema.clone()), br#"{"years": []}"#, Err("/result/years")),
        (Form::Json, Some(schema), b"", Err("/result")),
    ] {
        let contract = Contract { output, output_schema: schema, ..Contract::default() };
        let (function, contracted) = applied(&contract);
        let result = contracted.output(&function, Ok(given.to_vec()));
        let result = result.and_then(|value| value::result(&function, value));
        match (result, expected) {
            (Ok(json), Ok(expected)) => assert_eq!(json.to_string(), expected),
            (Err(error), Err(problem)) => {
                assert_eq!(*error.kind(), ErrorKind::Plugin);
                let text = error.render();
                assert!(text.contains("`find_person`") && text.contains(problem), "{text}");
            }
            (result, _) => panic!("{expected:?}: {result:?}"),
        }
    }
    let (function, contracted) = applied(&Contract::default());
    let error = contracted.output(&function, Err("坏了".into())).unwrap_err();
    assert_eq!((error.kind(), error.to_string().as_str()), (&ErrorKind::Plugin, "坏了"));
    let long = contracted.output(&function, Err(vec![b'x'; 10_000])).unwrap_err();
    assert_eq!(long.to_string().len(), MAX_ERROR_BYTES);
}

#[test]
fn contracts_that_contradict_themselves_are_refused() {
    let schema = || Some(json!({ "type": "integer" }));
    let contract = Contract::default;
    for (contract, problem) in [
        (
            Contract { input: Form::Bytes, input_schema: schema(), ..contract() },
            "inputSchema: nothing",
        ),
        (
            Contract { input_schema: schema(), ..contract() },
            "inputSchema: expected a schema of a string",
        ),
        (Contract { output_schema: schema(), ..contract() }, "outputSchema: only of what is JSON"),
    ] {
        let error = contract.applied_to(&exported("f")).unwrap_err();
        assert!(error.to_string().starts_with(problem), "{error}");
    }
}
