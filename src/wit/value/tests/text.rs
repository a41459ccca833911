use super::super::*;
use mitt_base::error::{ErrorKind, Resource};
use std::fmt::Write;

fn parse(text: impl AsRef<[u8]>) -> mitt_base::error::Result<Json> {
    Json::parse(text, 1 << 20, 64)
}

#[test]
fn kept_as_written() {
    for text in [
        "null",
        "true",
        "0",
        "-0",
        "1.50",
        "1E+2",
        "123456789012345678901234567890",
        r#""é\n""#,
        "[]",
        "{}",
        r#"[1,[2,{"b":null,"a":[]}],"x"]"#,
        r#"{"":0,"z":1,"a":2}"#,
    ] {
        assert_eq!(parse(text).unwrap().to_string(), text);
    }
    for (text, compact) in [
        (" \t\r\n[ 1 , 2 ] ", "[1,2]"),
        (r#""\u00e9\/\b\f""#, r#""é/\b\f""#),
        (r#""\ud83d\ude00\u0001""#, r#""😀\u0001""#),
    ] {
        assert_eq!(parse(text).unwrap().to_string(), compact);
    }
    let json = parse(r#"{"a":[1,{"b":[]}],"c":{}}"#).unwrap();
    insta::assert_snapshot!(format!("{json:#}"), @r##"
    {
      "a": [
        1,
        {
          "b": []
        }
      ],
      "c": {}
    }
    "##);
    assert_eq!(parse(format!("{json:#}")).unwrap(), json);
}

#[test]
fn refused() {
    let lines: &[&[u8]] = &[
        b"",
        b"  ",
        b"[1,]",
        b"[1 2]",
        b"{\"a\":1,}",
        b"{a:1}",
        b"{'a':1}",
        b"['a']",
        b"{\"a\" 1}",
        b"[1",
        b"{\"a\":",
        b"{\"a\":1",
        b"\"abc",
        b"\"a\nb\"",
        b"\"\\x\"",
        b"\"\\ud83d\"",
        b"\"\\udc00x\"",
        b"\"\\u12\"",
        b"\"\xff\"",
        b"NaN",
        b"[-Infinity]",
        b"True",
        b"nul",
        b"01",
        b"1.",
        b"+1",
        b"1 2",
        b"{} x",
        "{\n  \"é\": [1,\n   ?]}".as_bytes(),
        br#"{"a":1,"b":2,"a":3}"#,
        br#"[{"x":{"k/1":1,"k/1":1}}]"#,
        br#"{"a":1,"\u0061":2}"#,
    ];
    let mut report = String::new();
    for text in lines {
        let error = parse(text).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Arguments);
        let _ = writeln!(
            report,
            "{}\n    {}",
            text.escape_ascii(),
            error.render().replace('\n', "\n    ")
        );
    }
    insta::assert_snapshot!(report, @r##"
        not valid JSON: line 1, column 1: the text ends where a value is expected
        hint: the text ends early; it may have been cut off
      
        not valid JSON: line 1, column 3: the text ends where a value is expected
        hint: the text ends early; it may have been cut off
    [1,]
        not valid JSON: line 1, column 4: trailing comma
    [1 2]
        not valid JSON: line 1, column 4: expected `,` or `]`
    {\"a\":1,}
        not valid JSON: line 1, column 8: trailing comma
    {a:1}
        not valid JSON: line 1, column 2: expected a key in double quotes
    {\'a\':1}
        not valid JSON: line 1, column 2: expected a key in double quotes
    [\'a\']
        not valid JSON: line 1, column 2: expected a value
        hint: write strings in double quotes
    {\"a\" 1}
        not valid JSON: line 1, column 6: expected `:`
    [1
        not valid JSON: line 1, column 3: the text ends inside an array
        hint: the text ends early; it may have been cut off
    {\"a\":
        not valid JSON: line 1, column 6: the text ends where a value is expected
        hint: the text ends early; it may have been cut off
    {\"a\":1
        not valid JSON: line 1, column 7: the text ends inside an object
        hint: the text ends early; it may have been cut off
    \"abc
        not valid JSON: line 1, column 5: the text ends inside a string
        hint: the text ends early; it may have been cut off
    \"a\nb\"
        not valid JSON: line 1, column 3: a control character inside a string
        hint: write a line break as `\n`, a tab as `\t`
    \"\\x\"
        not valid JSON: line 1, column 3: invalid escape
    \"\\ud83d\"
        not valid JSON: line 1, column 8: half of a surrogate pair
    \"\\udc00x\"
        not valid JSON: line 1, column 7: half of a surrogate pair
    \"\\u12\"
        not valid JSON: line 1, column 7: the text ends inside a string
        hint: the text ends early; it may have been cut off
    \"\xff\"
        not valid JSON: line 1, column 2: not UTF-8
    NaN
        not valid JSON: line 1, column 1: expected a value
        hint: JSON has no NaN and no Infinity; use null where it is allowed
    [-Infinity]
        not valid JSON: line 1, column 3: invalid number
    True
        not valid JSON: line 1, column 1: expected a value
        hint: write `true` and `false` in lower case
    nul
        not valid JSON: line 1, column 4: the text ends where a value is expected
        hint: the text ends early; it may have been cut off
    01
        not valid JSON: line 1, column 2: invalid number
    1.
        not valid JSON: line 1, column 3: the text ends where a value is expected
        hint: the text ends early; it may have been cut off
    +1
        not valid JSON: line 1, column 1: expected a value
    1 2
        not valid JSON: line 1, column 3: text after the end of the value
    {} x
        not valid JSON: line 1, column 4: text after the end of the value
    {\n  \"\xc3\xa9\": [1,\n   ?]}
        not valid JSON: line 3, column 4: expected a value
    {\"a\":1,\"b\":2,\"a\":3}
        /a: the key appears twice
    [{\"x\":{\"k/1\":1,\"k/1\":1}}]
        /0/x/k~11: the key appears twice
    {\"a\":1,\"\\u0061\":2}
        /a: the key appears twice
    "##);
    let many: Vec<String> = (0..50).map(|key| format!("\"k{}\":0", key % 49)).collect();
    assert_eq!(
        parse(format!("{{{}}}", many.join(","))).unwrap_err().to_string(),
        "/k0: the key appears twice"
    );
}

#[test]
fn limits() {
    let nested = |depth: usize| format!("{}{}", "[".repeat(depth), "]".repeat(depth));
    assert!(parse(nested(64)).is_ok());
    for text in [nested(65), "[".repeat(100_000), "{\"a\":".repeat(100_000)] {
        let error = parse(text).unwrap_err();
        assert_eq!(error.limit_reached().unwrap().what, Resource::ArgumentsDepth);
    }
    let error = Json::parse("[1,2]", 4, 64).unwrap_err();
    insta::assert_snapshot!(error, @r##"arguments limit of 4 bytes reached: 5 bytes"##);
    assert!(Json::parse("[1,2]", 5, 1).is_ok());
    assert!(Json::parse(nested(201), 1 << 20, u64::MAX).is_err());
    assert!(Json::parse(nested(200), 1 << 20, u64::MAX).is_ok());
}

#[test]
fn to_serde_and_back() {
    for (text, value) in [
        (r#"{"b":[1,-2,1.5,true,null,"x"]}"#, r#"{"b":[1,-2,1.5,true,null,"x"]}"#),
        ("18446744073709551615", "18446744073709551615"),
        ("1e3", "1000.0"),
        // Digits that no number of serde_json can hold are not rounded.
        ("0.1234567890123456789", r#""0.1234567890123456789""#),
        ("99999999999999999999", r#""99999999999999999999""#),
        ("1e999", r#""1e999""#),
    ] {
        let value_of = serde_json::Value::from(parse(text).unwrap());
        assert_eq!(value_of.to_string(), value, "{text}");
        assert_eq!(Json::from(value_of).to_string(), value);
    }
}

#[test]
fn to_types_and_back() {
    #[derive(Debug, PartialEq, serde::Serialize, serde::Deserialize)]
    struct Row {
        month: String,
        revenue: f64,
        users: Option<u64>,
    }
    let row = Row { month: "1月".into(), revenue: 0.1, users: None };
    let json = Json::from_serialize(&row).unwrap();
    assert_eq!(json.to_string(), r#"{"month":"1月","revenue":0.1,"users":null}"#);
    assert_eq!(json.deserialize::<Row>().unwrap(), row);
    // More digits than an `f64` holds are no reason to refuse a row.
    let long = parse(r#"{"month":"x","revenue":0.12345678901234567890,"users":1}"#).unwrap();
    assert_eq!(long.deserialize::<Row>().unwrap().revenue, 0.123_456_789_012_345_68);
    let error = parse(r#"{"month":1}"#).unwrap().deserialize::<Row>().unwrap_err();
    assert!(error.to_string().contains("invalid type: integer `1`, expected a string"), "{error}");
    let keys = std::collections::BTreeMap::from([(vec![1], 2)]);
    assert!(Json::from_serialize(&keys).is_err());
    for text in [
        r#"{"b":[1,-2,1.5,true,null,"x"],"a":18446744073709551615}"#,
        r#"["0.1234567890123456789"]"#,
    ] {
        assert_eq!(serde_json::to_string(&parse(text).unwrap()).unwrap(), text);
    }
    let unrounded = parse("99999999999999999999").unwrap();
    assert_eq!(serde_json::to_string(&unrounded).unwrap(), r#""99999999999999999999""#);
}

#[test]
fn accessors() {
    let json = parse(r#"{"a":"x","b":1}"#).unwrap();
    assert_eq!(json.get("a").and_then(Json::as_str), Some("x"));
    assert_eq!(json.get("c"), None);
    assert_eq!(Json::Null.get("a"), None);
    assert_eq!(json.kind(), "object");
    let Some(Json::Number(number)) = json.get("b") else { panic!("expected a number") };
    assert_eq!(number.to_integer(), Some(1));
}
