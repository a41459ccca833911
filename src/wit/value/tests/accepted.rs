use super::*;

/// What is accepted, and its form after a round trip.
#[test]
fn scalars() {
    for (ty, json, back) in [
        ("bool", "true", "true"),
        ("u8", "255", "255"),
        ("u8", "-0", "0"),
        ("s8", "-128", "-128"),
        ("u8", "12.0", "12"),
        ("s16", "-1.5e3", "-1500"),
        ("u64", "18446744073709551615.00", r#""18446744073709551615""#),
        ("u16", "65535", "65535"),
        ("s16", "-32768", "-32768"),
        ("u32", "4294967295", "4294967295"),
        ("s32", "-2147483648", "-2147483648"),
        ("u64", "9007199254740991", "9007199254740991"),
        ("u64", "9007199254740992", r#""9007199254740992""#),
        ("u64", r#""18446744073709551615""#, r#""18446744073709551615""#),
        ("u64", r#""7""#, "7"),
        ("s64", "-9223372036854775808", r#""-9223372036854775808""#),
        ("s64", r#""-1""#, "-1"),
        ("f64", "1", "1.0"),
        ("f64", "0.1", "0.1"),
        ("f64", "-0.0", "-0.0"),
        ("f64", "1e300", "1e300"),
        ("f64", "1e-400", "0.0"),
        ("f32", "0.1", "0.1"),
        ("f32", "16777217", "16777216.0"),
        ("f32", "3.4028235e38", "3.4028235e38"),
        ("f32", "-3.4028235e38", "-3.4028235e38"),
        ("char", r#""é""#, r#""é""#),
        ("char", r#""\ud83d\ude00""#, r#""😀""#),
        ("string", r#""a\"\\\u0000\n\/""#, r#""a\"\\\u0000\n/""#),
        ("string", r#""""#, r#""""#),
        ("list<u8>", r#""AAEC/w==""#, r#""AAEC/w==""#),
        ("list<u8>", r#""""#, r#""""#),
        ("decimal", "1.50", "1.50"),
        ("decimal", r#""1.50""#, "1.50"),
        (
            "decimal",
            "123456789012345678901234567890.123456789",
            "123456789012345678901234567890.123456789",
        ),
        ("cell", "null", "null"),
        ("cell", "false", "false"),
        ("cell", "1.0", "1.0"),
        ("cell", r#""1.0""#, r#""1.0""#),
    ] {
        assert_eq!(echo("", ty, json), back, "{ty} {json}");
    }
}

#[test]
fn composites() {
    const ITEMS: &str = "
        record row { first-name: string, n: option<u32>, m: option<list<u8>> }
        variant shape { none, round-one(f32), maybe(option<u32>), any(cell) }
        enum colour { red, dark-blue }
        flags style { bold, in-line, small }
        type date = string;";
    for (ty, json, back) in [
        ("list<u32>", "[]", "[]"),
        ("list<u32>", "[1, 2]", "[1,2]"),
        ("list<u32, 2>", "[1, 2]", "[1,2]"),
        ("tuple<u8, string>", r#"[1, "a"]"#, r#"[1,"a"]"#),
        ("tuple<u8, string>", r#"{"1": "a", "0": 1}"#, r#"[1,"a"]"#),
        ("map<string, u8>", r#"[{"key": "b", "value": 1}]"#, r#"{"b":1}"#),
        ("map<string, u8>", "[]", "{}"),
        ("map<string, u8>", r#"{"b": 1, "": 2}"#, r#"{"b":1,"":2}"#),
        ("map<u8, string>", r#"[{"value": "a", "key": 1}]"#, r#"[{"key":1,"value":"a"}]"#),
        ("row", r#"{"first_name": "a"}"#, r#"{"first_name":"a","n":null,"m":null}"#),
        (
            "row",
            r#"{"n": 1, "first-name": "a", "m": "AA=="}"#,
            r#"{"first_name":"a","n":1,"m":"AA=="}"#,
        ),
        ("shape", r#"{"tag": "none"}"#, r#"{"tag":"none"}"#),
        ("shape", r#"{"val": 1, "tag": "round_one"}"#, r#"{"tag":"round-one","val":1.0}"#),
        ("shape", r#"{"tag": "maybe"}"#, r#"{"tag":"maybe","val":null}"#),
        ("shape", r#"{"tag": "any", "val": null}"#, r#"{"tag":"any","val":null}"#),
        ("colour", r#""dark-blue""#, r#""dark-blue""#),
        ("colour", r#""dark_blue""#, r#""dark-blue""#),
        ("style", r#"["small", "bold"]"#, r#"["bold","small"]"#),
        ("style", r#"{"in_line": true, "bold": false}"#, r#"["in-line"]"#),
        ("style", "[]", "[]"),
        ("option<u32>", "null", "null"),
        ("option<u32>", "7", "7"),
        ("option<cell>", "null", "null"),
        ("option<cell>", r#"{"tag": "some", "val": null}"#, r#"{"tag":"some","val":null}"#),
        ("option<option<u32>>", "null", "null"),
        ("option<option<u32>>", r#"{"tag": "some"}"#, r#"{"tag":"some","val":null}"#),
        ("option<option<u32>>", r#"{"tag": "some", "val": 1}"#, r#"{"tag":"some","val":1}"#),
        (
            "list<result<u8, string>>",
            r#"[{"tag": "ok", "val": 1}, {"tag": "err", "val": "x"}]"#,
            r#"[{"tag":"ok","val":1},{"tag":"err","val":"x"}]"#,
        ),
        ("list<result>", r#"[{"tag": "ok"}, {"tag": "err"}]"#, r#"[{"tag":"ok"},{"tag":"err"}]"#),
        (
            "list<result<_, error>>",
            r#"[{"tag": "err", "val": {"tag": "not-found", "val": "x"}}]"#,
            r#"[{"tag":"err","val":{"tag":"not-found","val":"x"}}]"#,
        ),
        ("date", r#""2024-12-31""#, r#""2024-12-31""#),
        ("option<date>", r#""2024-12-31""#, r#""2024-12-31""#),
        ("result<u8, error>", r#"{"tag": "ok", "val": 1}"#, "1"),
        (
            "result<u8, error>",
            r#"{"tag": "err", "val": {"tag": "not-found", "val": "no x"}}"#,
            "failed: not-found: no x",
        ),
        ("result<u8, string>", r#"{"tag": "err", "val": "bad"}"#, "failed: bad"),
        ("result<u8, colour>", r#"{"tag": "err", "val": "red"}"#, "failed: red"),
        ("result<u8>", r#"{"tag": "err"}"#, "failed: the plugin reported an error without a text"),
        (
            "result<u8, row>",
            r#"{"tag": "err", "val": {"first_name": "a"}}"#,
            r#"failed: {"first_name":"a","n":null,"m":null}"#,
        ),
        ("result", r#"{"tag": "ok"}"#, "null"),
    ] {
        assert_eq!(echo(ITEMS, ty, json), back, "{ty} {json}");
    }
}

/// Many fields in any order: each finds its place, and unknown and duplicate ones are reported.
#[test]
fn wide_records() {
    let fields: Vec<String> = (0..60).map(|field| format!("a-b{field}: u8")).collect();
    let items = format!("record wide {{ {} }}", fields.join(", "));
    let members = |name: &dyn Fn(usize) -> String| {
        let members: Vec<String> =
            (0..60).rev().map(|at| format!("\"{}\": {at}", name(at))).collect();
        format!("{{{}}}", members.join(","))
    };
    let wanted = echo(&items, "wide", &members(&|at| format!("a_b{at}")));
    assert!(wanted.starts_with(r#"{"a_b0":0,"a_b1":1,"#), "{wanted}");
    assert_eq!(echo(&items, "wide", &members(&|at| format!("a-b{at}"))), wanted);
    let unknown = check_with(&items, "wide", &members(&|at| format!("a_c{at}"))).unwrap_err();
    assert!(unknown.to_string().starts_with("120 problems"), "{unknown}");
    let twice = wanted.replacen('{', r#"{"a-b59": 1, "#, 1);
    let twice = check_with(&items, "wide", &twice).unwrap_err();
    assert!(twice.to_string().contains("is given twice"), "{twice}");
}

#[test]
fn tables() {
    for (json, back) in [
        ("[]", r#"{"columns":[],"rows":[]}"#),
        ("[{}, {}]", r#"{"columns":[],"rows":[[],[]]}"#),
        (
            r#"[{"b": 1, "a": "x"}, {"a": null, "c": true}]"#,
            r#"{"columns":["b","a","c"],"rows":[[1,"x",null],[null,null,true]]}"#,
        ),
        (r#"[{}, {"a": 1.50}]"#, r#"{"columns":["a"],"rows":[[null],[1.50]]}"#),
        (r#"{"rows": [[1, 2]], "columns": ["a", "b"]}"#, r#"{"columns":["a","b"],"rows":[[1,2]]}"#),
        (r#"{"columns": ["a", "b"], "rows": []}"#, r#"{"columns":["a","b"],"rows":[]}"#),
    ] {
        assert_eq!(echo("", "table", json), back, "{json}");
    }
    // More columns than are searched linearly, in an order that no guess finds.
    let keys = |reversed: bool| {
        let mut keys: Vec<String> = (0..40).map(|key| format!("\"c{key}\": {key}")).collect();
        if reversed {
            keys.reverse();
        }
        format!("{{{}}}", keys.join(","))
    };
    let wide = format!("[{}, {}]", keys(false), keys(true));
    let Val::Record(table) = check("table", &wide).unwrap() else { panic!("expected a record") };
    let Val::List(rows) = &table[1].1 else { panic!("expected a list") };
    assert_eq!(rows[0], rows[1]);
}

#[test]
fn parameters() {
    let function = function("f: func(first-name: string, n: option<u32>, m: u8);");
    for json in [
        r#"{"first_name": "a", "m": 1}"#,
        r#"{"m": 1, "n": null, "first_name": "a"}"#,
        r#"{"first-name": "a", "m": 1}"#,
    ] {
        let arguments = Json::parse(json, 1 << 20, 64).unwrap();
        let call = UntypedCall { name: "f", arguments }.check(&function).unwrap();
        assert_eq!(call.into_args(), [Val::String("a".into()), Val::Option(None), Val::U8(1)]);
    }
    assert_eq!(function.outcome(None).unwrap(), Outcome::Value(Json::Null));
}

/// Values that only a component can make.
#[test]
fn results_beyond_json() {
    let encode = |ty: &str, val: Val| result(&function(&format!("f: func() -> {ty};")), Some(val));
    let pair = |key: &str, val: u8| (Val::String(key.into()), Val::U8(val));
    for (ty, val, back) in [
        ("f64", Val::Float64(f64::NAN), r#""NaN""#),
        ("f32", Val::Float32(f32::NEG_INFINITY), r#""-Infinity""#),
        ("list<f64>", Val::List(vec![Val::Float64(f64::INFINITY)]), r#"["Infinity"]"#),
        (
            "map<string, u8>",
            Val::Map(vec![pair("a", 1), pair("b", 2), pair("a", 3)]),
            r#"{"b":2,"a":3}"#,
        ),
    ] {
        assert_eq!(encode(ty, val).unwrap().to_string(), back);
    }
}

/// The case of a plugin's error says whether the same call may succeed later; a text alone does not.
#[test]
fn errors_that_may_pass() {
    let items = "enum colour { red, timed-out, busy }\n\
                 variant trouble { unavailable(string), try-again, rate-limited(u8), broken(string) }";
    for (ty, json, is_retryable) in [
        ("result<u8, colour>", r#"{"tag": "err", "val": "red"}"#, false),
        ("result<u8, colour>", r#"{"tag": "err", "val": "timed-out"}"#, true),
        ("result<u8, colour>", r#"{"tag": "err", "val": "busy"}"#, true),
        (
            "result<u8, trouble>",
            r#"{"tag": "err", "val": {"tag": "unavailable", "val": "x"}}"#,
            true,
        ),
        ("result<u8, trouble>", r#"{"tag": "err", "val": {"tag": "try-again"}}"#, true),
        (
            "result<u8, trouble>",
            r#"{"tag": "err", "val": {"tag": "rate-limited", "val": 3}}"#,
            true,
        ),
        (
            "result<u8, trouble>",
            r#"{"tag": "err", "val": {"tag": "broken", "val": "busy"}}"#,
            false,
        ),
        ("result<u8, string>", r#"{"tag": "err", "val": "busy"}"#, false),
        ("result<u8>", r#"{"tag": "err"}"#, false),
    ] {
        let function = function(&format!("{items} f: func(x: {ty}) -> {ty};"));
        let val = check_with(items, ty, json).unwrap();
        let error = function.outcome(Some(val)).unwrap().into_result().unwrap_err();
        assert_eq!(error.is_retryable(), is_retryable, "{ty} {json}");
        assert_eq!(*error.kind(), mitt_base::ErrorKind::Plugin);
    }
}
