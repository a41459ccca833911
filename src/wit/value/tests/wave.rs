//! Tests WAVE against JSON, against `wasm-wave`, and with hostile texts.

mod oracle;
mod refused;

use super::super::wave::*;
use super::random::{Random, echo, encode};
use super::*;
use mitt_base::error::{Error, ErrorKind, Resource};
use std::time::{Duration, Instant};

const MAX: u64 = 1 << 20;

/// Returns the JSON arguments of a call with the arguments `text`.
fn arguments(function: &Function, text: &str) -> Result<Json> {
    WaveCall::parse(&format!("t/f({text})"), 2 * MAX, 64)?.arguments(function)
}

fn check(function: &Function, json: Json) -> Result<TypedCall> {
    // Goes through text, as a session does.
    let arguments = Json::parse(json.to_string(), 16 * MAX, 64)?;
    UntypedCall { name: "t__f", arguments }.check(function)
}

/// Converting JSON to WAVE and back changes nothing, and as an argument the WAVE is the same value.
#[test]
fn everything_comes_back() {
    let mut random = Random(0x05ee_d0f5_7a1e);
    for round in 0..3_000 {
        let depth = random.below(4);
        let function = echo(random.element(depth));
        let Some(Type::List(ty)) = &function.result else { panic!("expected a list") };
        let val = random.val(ty);
        let json = encode(&function, val);
        let list = function.result.as_ref().unwrap();
        let text = to_text(list, &json).unwrap();
        assert!(!text.contains(char::is_control), "round {round}: {text}");
        assert_eq!(from_text(list, &text, MAX).unwrap(), json, "round {round}: {ty}: {text}");

        let typed = check(&function, Json::object([("x", json)])).unwrap();
        let from_wave = check(&function, arguments(&function, &text).unwrap()).unwrap();
        assert_eq!(from_wave, typed, "round {round}: {ty}: {text}");
        let named = arguments(&function, &format!("x: {text}")).unwrap();
        assert_eq!(check(&function, named).unwrap(), typed, "round {round}: {ty}: {text}");
    }
}

#[test]
fn numbers_that_are_none() {
    for (json, text) in [("NaN", "nan"), ("Infinity", "inf"), ("-Infinity", "-inf")] {
        for ty in [Type::F32, Type::F64] {
            assert_eq!(to_text(&ty, &json.into()).unwrap(), text);
            assert_eq!(from_text(&ty, text, MAX).unwrap(), json.into());
        }
        assert!(to_text(&Type::U32, &json.into()).is_err());
        let function = function("f: func(x: f64);");
        assert_eq!(
            arguments(&function, text).unwrap_err().to_string(),
            format!(
                "/x: expected f64, got `{text}`, at line 1, column 5; it must be a finite number"
            )
        );
    }
}

/// Accepted forms of calls, and the JSON that they stand for.
#[test]
fn accepted() {
    let items = "
        record point { x: u32, y: option<u32>, some: option<u8> }
        record empty { note: option<string>, more: option<u8> }
        variant schedule { once, days(u32), err(string), ok, %none }
        enum colour { red, light-blue, true, nan, err }
        flags permissions { read, write, none }
        type day = string;
        resource document;
    ";
    for (ty, text, json) in [
        ("bool", "true", "true"),
        ("u64", "18446744073709551615", "18446744073709551615"),
        ("s64", "-9223372036854775808", "-9223372036854775808"),
        ("u64", r#""18446744073709551615""#, r#""18446744073709551615""#),
        ("f64", "-1.5e-3", "-1.5e-3"),
        ("char", "'x'", r#""x""#),
        ("char", r"'\''", r#""'""#),
        ("char", r"'\u{1F600}'", r#""😀""#),
        ("char", "'\"'", r#""\"""#),
        ("string", r#""a\"\\\n\t\u{4e2d}/*é*/""#, r#""a\"\\\n\t中/*é*/""#),
        ("string", "// first\n \"a // b\" // last\n", r#""a // b""#),
        ("string", "\"\"\"\n    a \"b\"\n      c\\u{21}\r\n\n    \"\"\"", ""),
        (
            "string",
            "\"\"\"\n    a \"b\"\n      c\\u{21}\r\n    \n    \"\"\"",
            r#""a \"b\"\n  c!\n""#,
        ),
        ("string", "\"\"\"\n\"\"\"", r#""""#),
        ("day", r#""2025-01-01""#, r#""2025-01-01""#),
        ("list<u32>", "[1, 2,]", "[1,2]"),
        ("list<u32>", "[]", "[]"),
        ("list<s8, 2>", "[1, -2]", "[1,-2]"),
        ("tuple<u8, string>", r#"(1, "a")"#, r#"[1,"a"]"#),
        ("tuple<u8>", "(1)", "[1]"),
        ("tuple<u8, string>", r#"[1, "a"]"#, r#"[1,"a"]"#),
        ("list<u8>", "[0, 255, 16]", r#""AP8Q""#),
        ("list<u8>", "[]", r#""""#),
        ("list<u8>", r#""AP8Q""#, r#""AP8Q""#),
        ("point", "{x: 1}", r#"{"x":1}"#),
        ("point", "{y: some(2), %x: 1, some: 3}", r#"{"y":2,"x":1,"some":3}"#),
        ("point", "{x: 1, y: none}", r#"{"x":1,"y":null}"#),
        ("empty", "{:}", "{}"),
        ("empty", "{}", "{}"),
        ("schedule", "once", r#"{"tag":"once"}"#),
        ("schedule", "days(3)", r#"{"tag":"days","val":3}"#),
        ("schedule", r#"%err("x")"#, r#"{"tag":"err","val":"x"}"#),
        ("schedule", r#"err("x")"#, r#"{"tag":"err","val":"x"}"#),
        ("schedule", "%ok", r#"{"tag":"ok"}"#),
        ("schedule", "none", r#"{"tag":"none"}"#),
        ("colour", "light-blue", r#""light-blue""#),
        ("colour", "light_blue", r#""light_blue""#),
        ("colour", "%true", r#""true""#),
        ("colour", "true", r#""true""#),
        ("colour", "nan", r#""nan""#),
        ("colour", "%err", r#""err""#),
        ("permissions", "{write, read}", r#"["write","read"]"#),
        ("permissions", "{%none,}", r#"["none"]"#),
        ("permissions", "{}", "[]"),
        ("option<u32>", "some(1)", "1"),
        ("option<u32>", "1", "1"),
        ("option<u32>", "none", "null"),
        ("option<option<u32>>", "none", "null"),
        ("option<option<u32>>", "some(none)", r#"{"tag":"some","val":null}"#),
        ("option<option<u32>>", "some(some(1))", r#"{"tag":"some","val":1}"#),
        ("option<option<u32>>", "some(1)", r#"{"tag":"some","val":1}"#),
        ("option<colour>", "red", r#""red""#),
        ("option<result<u8>>", "some(ok(1))", r#"{"tag":"ok","val":1}"#),
        ("option<cell>", "none", "null"),
        ("option<cell>", "null", r#"{"tag":"some","val":null}"#),
        ("option<cell>", "some(null)", r#"{"tag":"some","val":null}"#),
        ("option<cell>", "1.50", r#"{"tag":"some","val":1.50}"#),
        (
            "list<result<u8, string>>",
            r#"[ok(1), 2, err("x")]"#,
            r#"[{"tag":"ok","val":1},{"tag":"ok","val":2},{"tag":"err","val":"x"}]"#,
        ),
        ("list<result>", "[ok, err]", r#"[{"tag":"ok"},{"tag":"err"}]"#),
        ("map<string, u32>", r#"[("a b", 1), ("c", 2)]"#, r#"{"a b":1,"c":2}"#),
        ("map<string, u32>", "{a-b: 1, c: 2}", r#"{"a-b":1,"c":2}"#),
        ("map<string, u32>", "{}", "{}"),
        ("map<string, u32>", "[]", "{}"),
        ("map<u8, bool>", "[(1, true)]", r#"[{"key":1,"value":true}]"#),
        ("map<u8, bool>", "[{key: 1, value: true}]", r#"[{"key":1,"value":true}]"#),
        ("cell", r#"number("12")"#, "12"),
        ("cell", "number(1.50)", "1.50"),
        ("cell", r#"text("a")"#, r#""a""#),
        ("cell", "boolean(true)", "true"),
        ("cell", "null", "null"),
        ("list<cell>", r#"[12, "a", true, null]"#, r#"[12,"a",true,null]"#),
        ("decimal", "1.50", "1.50"),
        ("decimal", r#""1.50""#, "1.50"),
        (
            "table",
            r#"{columns: ["a", "收入"], rows: [[1, "x"], [null, text("y")]]}"#,
            r#"{"columns":["a","收入"],"rows":[[1,"x"],[null,"y"]]}"#,
        ),
        (
            "table",
            r#"[{dau-growth: 1, b: "x"}, {b: null}]"#,
            r#"[{"dau-growth":1,"b":"x"},{"b":null}]"#,
        ),
        ("table", "[]", "[]"),
        ("option<table>", "[{a: 1}]", r#"[{"a":1}]"#),
    ] {
        let function = function(&format!("{items} f: func(x: {ty});"));
        let got = arguments(&function, text);
        if json.is_empty() {
            // Indented less than the end of the string.
            assert!(got.unwrap_err().to_string().contains("line 4, column 1"), "{text}");
            continue;
        }
        let got = got.unwrap_or_else(|error| panic!("{ty}: {text}: {error:?}"));
        assert_eq!(got.get("x").unwrap().to_string(), json, "{ty}: {text}");
        check(&function, got).unwrap_or_else(|error| panic!("{ty}: {text}: {error:?}"));
    }
}

#[test]
fn results() {
    let of = |items: &str, json: &str| {
        let function = function(items);
        result_text(&function, &Json::parse(json, MAX, 64).unwrap()).unwrap()
    };
    assert_eq!(of("f: func();", "null"), "()");
    assert_eq!(of("f: func() -> result;", "null"), "ok");
    assert_eq!(of("f: func() -> result<_, string>;", "null"), "ok");
    assert_eq!(of("f: func() -> result<option<u8>, string>;", "7"), "some(7)");
    assert_eq!(of("f: func() -> list<u8>;", r#""AP8Q""#), "[0, 255, 16]");
    assert_eq!(of("f: func() -> map<string, u8>;", r#"{"a":1}"#), r#"[("a", 1)]"#);
    assert_eq!(
        of("f: func() -> table;", r#"{"columns":["收入"],"rows":[[1.50],[null],["x"],[true]]}"#),
        r#"{columns: ["收入"], rows: [[number("1.50")], [null], [text("x")], [boolean(true)]]}"#
    );
    assert_eq!(of("enum e { ok, a-b } f: func() -> tuple<e, e>;", r#"["ok","a-b"]"#), "(%ok, a-b)");
    assert_eq!(
        of("f: func() -> string;", r#""it's \"中\"\n\u0001é\u0301""#),
        r#""it\'s \"中\"\n\u{1}é\u{301}""#
    );
    // A value of another type is a fault of the caller, not a panic.
    assert!(to_text(&Type::U8, &"x".into()).unwrap_err().to_string().contains("please report"));
}

#[test]
fn names() {
    for name in [
        "excel-tool/create-excel",
        "excel_tool__create_excel",
        "excel-tool/create_excel",
        " excel-tool__create-excel ",
    ] {
        let text = format!("{name}()");
        assert_eq!(WaveCall::parse(&text, MAX, 64).unwrap().tool(), "excel_tool__create_excel");
    }
    let call = WaveCall::parse("skill/scope-a/next(1)", MAX, 64).unwrap();
    assert_eq!(call.tool(), "skill__scope_a__next");
    for text in ["/f()", "s/()", "s//f()", "()", "", "s/f", "s f()", "f() -> 1", "f()()"] {
        assert!(WaveCall::parse(text, MAX, 64).is_err(), "{text}");
    }
}

#[test]
fn trailing_options_may_be_left_out() {
    let function = function("f: func(a: u8, b: option<u8>, file-name: option<string>);");
    for (text, json) in [
        ("1", r#"{"a":1}"#),
        ("1, 2", r#"{"a":1,"b":2}"#),
        ("1, none, \"x\",", r#"{"a":1,"b":null,"file_name":"x"}"#),
        ("a: 1, file-name: \"x\"", r#"{"a":1,"file_name":"x"}"#),
        ("file_name: \"x\", a: 1,", r#"{"file_name":"x","a":1}"#),
        ("", "{}"),
    ] {
        assert_eq!(arguments(&function, text).unwrap().to_string(), json, "{text}");
    }
}

/// Nothing panics, takes long, or needs a deep stack.
#[test]
fn hostile_texts() {
    let length = 1 << 17;
    let filled = |before: &str, part: &str, after: &str| {
        format!("{before}{}{after}", part.repeat((length - 64) / part.len()))
    };
    let numbered = |form: fn(usize) -> String| (0..length / 10).map(form).collect::<String>();
    let texts = [
        filled("", "// x\n", "1"),
        filled("", " \n", "1"),
        filled("\"", "a", "\""),
        filled("\"", "\\n", "\""),
        filled("\"", "\\u{1F600}", "\""),
        filled("\"", "数", "\""),
        filled("\"", "a", ""),
        filled("\"\"\"\n", "数\\n\n", "\n\"\"\""),
        filled("\"\"\"\n", "\n", "    \"\"\""),
        filled("", "\"\"\"", ""),
        filled("", "1", ""),
        filled("0.", "1", ""),
        filled("", "a-", "a"),
        filled("", "a", ""),
        filled("", "aB", ""),
        filled("", "[", ""),
        filled("", "(", ""),
        filled("", "{a:", ""),
        filled("", "some(", ""),
        filled("", "f(", ""),
        filled("[", "1,", "1]"),
        filled("[", "x,", "x]"),
        filled("[", "{},", "1]"),
        filled("[", "'数',", "'a']"),
        filled("[", "{x:1},", "{:}]"),
        filled("'", "'", ""),
        filled("", "%", ""),
        filled("", "-", ""),
        filled("", "\\", ""),
        filled("{", "a,", "b}"),
        format!("{{{}}}", numbered(|at| format!("a{at},"))),
        format!("{{{}}}", numbered(|at| format!("a{at}:x,"))),
        format!("[{}]", numbered(|at| format!("(\"{at}\",x),"))),
    ];
    let functions =
        ["u8", "string", "list<u8>", "list<list<u32>>", "map<string, u8>", "table", "cell"]
            .map(|ty| function(&format!("f: func(x: {ty});")));
    for text in &texts {
        let started = Instant::now();
        let _ = WaveCall::parse(text, MAX, 64);
        for function in &functions {
            let _ = from_text(&function.params[0].ty, text, 2 * MAX);
            if let Ok(json) = arguments(function, text) {
                let _ = check(function, json);
            }
            let _ = arguments(function, &format!("x: {text}"));
        }
        // A hundred times the usual time; a quadratic algorithm would take minutes.
        let taken = started.elapsed();
        assert!(
            taken < Duration::from_secs(20),
            "{taken:?}: {:?}",
            mitt_base::text::cut_bytes(text, 20)
        );
    }
}

#[test]
fn limits() {
    let nested = |levels: usize| format!("t/f({}1{})", "[".repeat(levels), "]".repeat(levels));
    for (deepest, max_depth) in [(63, 64), (99, 100), (99, 1_000)] {
        assert!(WaveCall::parse(&nested(deepest), MAX, max_depth).is_ok());
        for levels in [deepest + 1, 10_000] {
            let error = WaveCall::parse(&nested(levels), MAX, max_depth).unwrap_err();
            let limit = error.limit_reached().unwrap();
            assert_eq!((limit.what, limit.limit), (Resource::ArgumentsDepth, max_depth.min(100)));
        }
    }
    for part in ["some(", "{a: ", "(", "x("] {
        let close = if part == "{a: " { "}" } else { ")" };
        let text = |levels| format!("t/f({}1{})", part.repeat(levels), close.repeat(levels));
        assert!(WaveCall::parse(&text(63), MAX, 64).is_ok(), "{part}");
        assert!(WaveCall::parse(&text(64), MAX, 64).is_err(), "{part}");
    }
    let wide = format!("t/f([{}])", "[], {}, {a: 1}, some(1), (2), ".repeat(100));
    assert!(WaveCall::parse(&wide, MAX, 4).is_ok());
    let error = WaveCall::parse("t/f(1)", 5, 64).unwrap_err();
    assert_eq!(error.to_string(), "arguments limit of 5 bytes reached: 6 bytes");
    assert!(WaveCall::parse("t/f(1)", 6, 64).is_ok());
    assert!(from_text(&Type::U8, "123", 2).is_err());
}

/// Any text gives an error or a value, never a panic.
#[test]
fn random_texts() {
    const PARTS: [&str; 34] = [
        "(", ")", "[", "]", "{", "}", ":", ",", "1", "-1.5e3", "\"a\"", "'x'", "a", "b-c", "%some",
        "some(", "none", "ok", "err(", "true", "nan", "-inf", " ", "// x\n", "\"\"\"\n", "\\u{41}",
        "\n", "\"", "'", "\\", "数", "columns", "rows", "null",
    ];
    let mut random = Random(0x0ddba11);
    for _ in 0..20_000 {
        let text: String =
            (0..random.below(14)).map(|_| PARTS[random.below(PARTS.len())]).collect();
        let depth = random.below(3);
        let ty = random.ty(depth);
        if let Ok(json) = from_text(&ty, &text, MAX) {
            let _ = to_text(&ty, &json);
        }
        let function = echo(ty);
        let _ = WaveCall::parse(&text, MAX, 64).map(|call| call.arguments(&function));
        let _ = arguments(&function, &text).map(|json| check(&function, json));
    }
}
