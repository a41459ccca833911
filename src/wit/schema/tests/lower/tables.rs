//! Tests tables and objects in constrained decoders: they cannot write what the host would refuse for its form.

use super::*;
use crate::schema::name_tables;
use crate::value::tests::function;
use serde_json::json;

fn exact(ty: &str) -> Value {
    arguments(&function(&format!("f: func(x: {ty});")))
}

/// Returns a table that can be named, as functions of `mitt:host/tables` accept it.
fn named() -> Value {
    let table = crate::value::Field::new("x", Type::TableHandle, None);
    arguments(&Function { params: vec![table], ..function("f: func();") })
}

fn accepts(judge: &mut Judge, x: &Value) -> bool {
    judge.accepts(&json!({"x": x}).to_string())
}

fn table(columns: usize, rows: &[usize]) -> Value {
    let columns: Vec<String> = (0..columns).map(|at| format!("c{at}")).collect();
    let rows: Vec<Vec<usize>> = rows.iter().map(|cells| (0..*cells).collect()).collect();
    json!({"columns": columns, "rows": rows})
}

#[test]
fn rows_are_as_long_as_the_columns() {
    let engine = Engine::new();
    let lowered = lower(&named(), Dialect::Gbnf);
    let mut judge = engine.gbnf(grammar_of(&lowered));
    for n in [0, 1, 2, 3, 15, 16, 17, 20] {
        for rows in [vec![], vec![n], vec![n, n, n]] {
            assert!(accepts(&mut judge, &table(n, &rows)), "{n} columns, rows {rows:?}");
        }
    }
    for n in [1, 2, 3, 15, 16] {
        for rows in [vec![n - 1], vec![n + 1], vec![n, n + 1], vec![n, n - 1, n]] {
            assert!(!accepts(&mut judge, &table(n, &rows)), "{n} columns, rows {rows:?}");
        }
    }
    // A row of a wider table has at least as many cells as a grammar counts.
    assert!(!accepts(&mut judge, &table(17, &[16])));
    // No key can be written twice.
    assert!(!accepts(&mut judge, &json!([{"a": 1, "b": null}, {"a": "x"}])));
    let said: Vec<String> = lowered.losses.iter().map(ToString::to_string).collect();
    assert!(said.iter().any(|loss| loss.contains("more than 16 cells")), "{said:?}");
}

#[test]
fn names_of_tables_are_names() {
    let engine = Engine::new();
    let mut judge = engine.gbnf(grammar_of(&lower(&named(), Dialect::Gbnf)));
    for name in [
        "t:1",
        "t:204",
        "a.csv",
        "b.xlsx#Sheet2",
        "b.docx#Table 1",
        "报告 2024.xlsx#收入",
        "orders#1",
    ] {
        assert!(accepts(&mut judge, &json!(name)), "{name}");
    }
    for name in
        ["", "the table", "t:0", "t:x", "[1, 2].a", "{\"a\": 1}.csv", "a\nb.csv", "a.", "#1"]
    {
        assert!(!accepts(&mut judge, &json!(name)), "{name}");
    }
    for (names, can, cannot) in [
        (vec!["a.csv".to_owned(), "t:2".to_owned()], vec!["a.csv", "t:2"], vec!["t:1", "b.csv"]),
        (vec![], vec![], vec!["t:1", "a.csv"]),
    ] {
        for dialect in [Dialect::Gbnf, Dialect::Llguidance] {
            let mut known = named();
            name_tables(&mut known, &names);
            let mut judge = match &lower(&known, dialect).form {
                Form::Grammar(grammar) => engine.gbnf(grammar),
                Form::Schema(schema) => engine.schema(schema),
            };
            assert!(can.iter().all(|name| accepts(&mut judge, &json!(name))), "{names:?}");
            assert!(!cannot.iter().any(|name| accepts(&mut judge, &json!(name))), "{names:?}");
            assert!(accepts(&mut judge, &json!({"columns": ["a"], "rows": [[1]]})));
        }
        // The same for a schema that was already lowered for clients.
        let Form::Schema(mut portable) = lower(&named(), Dialect::Portable).form else { panic!() };
        name_tables(&mut portable, &names);
        let mut judge = engine.gbnf(grammar_of(&lower(&portable, Dialect::Gbnf)));
        assert!(can.iter().all(|name| accepts(&mut judge, &json!(name))), "{portable}");
        assert!(!cannot.iter().any(|name| accepts(&mut judge, &json!(name))), "{portable}");
        assert!(!accepts(&mut judge, &table(3, &[2])), "{portable}");
        assert!(!accepts(&mut judge, &json!([{}])), "{portable}");
    }
    // Too many to list.
    let mut many = named();
    name_tables(&mut many, &vec!["a.csv".to_owned(); 201]);
    assert_eq!(many, named());
    // A text in another union is not a name.
    let mut other = exact("option<string>");
    name_tables(&mut other, &["a.csv".to_owned()]);
    assert_eq!(other, exact("option<string>"));
}

/// A decoder without open objects gets them as text; all other schemas keep the object, even if they were lowered for
/// clients.
#[test]
fn an_object_of_anything_is_no_text() {
    let open = crate::value::Field::new("x", Type::Object, None);
    let exact = arguments(&Function { params: vec![open], ..function("f: func();") });
    let Form::Schema(portable) = lower(&exact, Dialect::Portable).form else { panic!() };
    for schema in [&exact, &portable] {
        for dialect in [Dialect::Ollama, Dialect::Llguidance, Dialect::Vllm] {
            let lowered = lower(schema, dialect);
            let x = &schema_of(&lowered)["properties"]["x"];
            assert_eq!(
                x,
                &json!({"type": "object", "additionalProperties": true}),
                "{}",
                dialect.name()
            );
        }
        let lowered = lower(schema, Dialect::Gbnf);
        let grammar = grammar_of(&lowered);
        let root = r#"o1 ::= "{" w "\"x\":" w any-object w "}""#;
        assert!(grammar.contains(root), "{grammar}");
    }
    for dialect in [Dialect::OpenaiStrict, Dialect::AnthropicStrict, Dialect::Gemini] {
        let lowered = lower(&exact, dialect);
        assert_eq!(schema_of(&lowered)["properties"]["x"]["type"], "string", "{}", dialect.name());
    }
}
