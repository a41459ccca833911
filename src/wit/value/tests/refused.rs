use super::*;
use mitt_base::error::ErrorKind;
use std::fmt::Write;

fn refusal(items: &str, ty: &str, json: &str) -> String {
    match check_with(items, ty, json) {
        Ok(val) => panic!("{ty} {json} was accepted as {val:?}"),
        Err(error) => {
            assert_eq!(*error.kind(), ErrorKind::Arguments, "{error:?}");
            error.render()
        }
    }
}

/// Returns each refusal of a value of type `ty`, one per line.
fn refusals(items: &str, lines: &[(&str, &str)]) -> String {
    let mut report = String::new();
    for (ty, json) in lines {
        let _ = writeln!(
            report,
            "{ty} <- {json}\n    {}",
            refusal(items, ty, json).replace('\n', "\n    ")
        );
    }
    report
}

#[test]
fn scalars() {
    insta::assert_snapshot!(refusals("type iso-date = string;", &[
        ("bool", r#""true""#),
        ("bool", "1"),
        ("u32", r#""12""#),
        ("u32", r#""1,234""#),
        ("f64", r#""1 234.50""#),
        ("u32", r#""12 px""#),
        ("f64", r#""50%""#),
        ("f64", r#""12万元""#),
        ("f64", r#""about 12""#),
        ("f64", r#""-""#),
        ("u8", "1e3"),
        ("u32", "1e99999999999999999999"),
        ("u32", "1.5"),
        ("u32", "-1"),
        ("u8", "300"),
        ("s8", "-129"),
        ("u32", "null"),
        ("u32", "[1]"),
        ("u64", "18446744073709551616"),
        ("u64", r#""18446744073709551616""#),
        ("u64", r#""+5""#),
        ("u64", r#""007""#),
        ("s64", r#""-0""#),
        ("s64", "99999999999999999999999999999999999999999999999999999999999999999999999999"),
        ("f64", "1e999"),
        ("f32", "1e39"),
        ("f64", r#""NaN""#),
        ("f64", r#""1.5""#),
        ("char", r#""ab""#),
        ("char", r#""""#),
        ("string", "12"),
        ("string", "true"),
        ("iso-date", "20241231"),
        ("list<u8>", r#""AAE""#),
        ("list<u8>", r#""AA!=""#),
        ("list<u8>", r#""AB==""#),
        ("list<u8>", r#""AA""#),
        ("list<u8>", "[1, 2]"),
        ("decimal", r#""1,5""#),
        ("decimal", r#""""#),
        ("decimal", "11111111112222222222333333333344444444445555555555666666666677777"),
        ("decimal", "true"),
        ("cell", "[1]"),
        ("cell", "{}"),
    ]), @r##"
    bool <- "true"
        /x: expected bool, got string "true"; write true without quotes
    bool <- 1
        /x: expected bool, got number 1
    u32 <- "12"
        /x: expected u32, got string "12"; write the number without quotes
    u32 <- "1,234"
        /x: expected u32, got string "1,234"; write it as 1234
    f64 <- "1 234.50"
        /x: expected f64, got string "1 234.50"; write it as 1234.50
    u32 <- "12 px"
        /x: expected u32, got string "12 px"; write the number alone, without "px", in the unit of the description
    f64 <- "50%"
        /x: expected f64, got string "50%"; write the number alone, without "%", in the unit of the description
    f64 <- "12万元"
        /x: expected f64, got string "12万元"; write the number alone, without "万元", in the unit of the description
    f64 <- "about 12"
        /x: expected f64, got string "about 12"
    f64 <- "-"
        /x: expected f64, got string "-"
    u8 <- 1e3
        /x: expected u8, got number 1e3; the range is 0 to 255
    u32 <- 1e99999999999999999999
        /x: expected u32, got number 1e99999999999999999999; the range is 0 to 4294967295
    u32 <- 1.5
        /x: expected u32, got number 1.5
    u32 <- -1
        /x: expected u32, got number -1; the range is 0 to 4294967295
    u8 <- 300
        /x: expected u8, got number 300; the range is 0 to 255
    s8 <- -129
        /x: expected s8, got number -129; the range is -128 to 127
    u32 <- null
        /x: expected u32, got null
    u32 <- [1]
        /x: expected u32, got array of 1
    u64 <- 18446744073709551616
        /x: expected u64, got number 18446744073709551616; the range is 0 to 18446744073709551615
    u64 <- "18446744073709551616"
        /x: expected u64, got string "18446744073709551616"; the range is 0 to 18446744073709551615
    u64 <- "+5"
        /x: expected u64, got string "+5"; write an integer
    u64 <- "007"
        /x: expected u64, got string "007"; write an integer
    s64 <- "-0"
        /x: expected s64, got string "-0"; write an integer
    s64 <- 99999999999999999999999999999999999999999999999999999999999999999999999999
        /x: expected s64, got number 999999999999999999999999999999999999999999999999999999999999…; the range is -9223372036854775808 to 9223372036854775807
    f64 <- 1e999
        /x: expected f64, got number 1e999, which is too large
    f32 <- 1e39
        /x: expected f32, got number 1e39, which is too large
    f64 <- "NaN"
        /x: expected f64, got string "NaN"
    f64 <- "1.5"
        /x: expected f64, got string "1.5"; write the number without quotes
    char <- "ab"
        /x: expected char (a string of one character), got string "ab"
    char <- ""
        /x: expected char (a string of one character), got string ""
    string <- 12
        /x: expected string, got number 12; write it in double quotes
    string <- true
        /x: expected string, got boolean true; write it in double quotes
    iso-date <- 20241231
        /x: expected iso-date, got number 20241231; write it in double quotes
    list<u8> <- "AAE"
        /x: expected list<u8> (a base64 string), got string "AAE"; pad it with `=` to groups of four
    list<u8> <- "AA!="
        /x: expected list<u8> (a base64 string), got string "AA!="; `!` at 2 is not base64
    list<u8> <- "AB=="
        /x: expected list<u8> (a base64 string), got string "AB=="; its last character has bits that belong to no byte
    list<u8> <- "AA"
        /x: expected list<u8> (a base64 string), got string "AA"; pad it with `=` to groups of four
    list<u8> <- [1, 2]
        /x: expected list<u8> (a base64 string), got array of 2
    decimal <- "1,5"
        /x: expected decimal (a number), got string "1,5"
    decimal <- ""
        /x: expected decimal (a number), got string ""
    decimal <- 11111111112222222222333333333344444444445555555555666666666677777
        /x: expected decimal (a number) of at most 64 characters, got a number of 65
    decimal <- true
        /x: expected decimal (a number), got boolean true
    cell <- [1]
        /x: expected cell (null, boolean, number or string), got array of 1
    cell <- {}
        /x: expected cell (null, boolean, number or string), got empty object
    "##);
}

#[test]
fn composites() {
    const ITEMS: &str = "
        record row { first-name: string, amount: u32, note: option<string> }
        variant shape { none, round-one(f32) }
        enum colour { red, dark-blue }
        flags style { bold, in-line }";
    insta::assert_snapshot!(refusals(ITEMS, &[
        ("list<u32>", "7"),
        ("list<u32>", r#""[1]""#),
        ("list<u32>", r#"[1, "2", 3, null]"#),
        ("list<row>", "{}"),
        ("list<u32, 2>", "[1]"),
        ("tuple<u8, u8>", "[1, 2, 3]"),
        ("tuple<u8, u8>", "[1, 256]"),
        ("map<string, u8>", r#"{"a/b~": 256}"#),
        ("map<string, u8>", "[1]"),
        ("map<string, u8>", r#"[{"key": "a", "value": 1}, {"key": "a", "value": 1}]"#),
        ("tuple<u8, u8>", r#"{"0": 1, "2": 1}"#),
        ("tuple<u8, u8>", r#"{"0": 1, "01": 1}"#),
        ("tuple<u8, u8>", r#"{"0": 1, "1": 300}"#),
        ("map<u8, string>", r#"[{"key": 1, "value": "a"}, {"key": 1, "value": "b"}]"#),
        ("map<u64, u8>", r#"[{"key": 1, "value": 1}, {"key": "1", "value": 2}]"#),
        ("map<u8, string>", r#"[{"key": 1}, 5]"#),
        ("row", r#"{"first_name": "a", "amout": 1}"#),
        ("row", r#"{"first_name": "a", "first-name": "b", "amount": 1}"#),
        ("row", r#"{"first_name": "a", "amount": 1, "extra_column": 2}"#),
        ("row", r#"[1]"#),
        ("row", r#""{\"first_name\": 1}""#),
        ("option<row>", "7"),
        ("option<u32>", r#""7""#),
        ("shape", r#""none""#),
        ("shape", r#""round-one""#),
        ("shape", r#"{"round_one": 1}"#),
        ("shape", r#"{"tag": "round"}"#),
        ("shape", r#"{"tag": "round-one"}"#),
        ("shape", r#"{"tag": "none", "val": null}"#),
        ("shape", r#"{"tag": 1}"#),
        ("shape", r#"{"tag": "none", "value": 1}"#),
        ("shape", "{}"),
        ("colour", r#""darkblue""#),
        ("colour", r#""yellow""#),
        ("colour", "1"),
        ("style", r#"["bold", "bold"]"#),
        ("style", r#"["blod", 1]"#),
        ("style", r#"{"bold": 1, "in_line": true, "in-line": false, "x": true}"#),
        ("style", r#""bold""#),
        ("option<cell>", "3"),
        ("option<option<u32>>", "3"),
        ("option<option<u32>>", r#"{"tag": "none"}"#),
        ("list<result<u8>>", r#"[{"ok": 1}, {"tag": "ok"}, {"tag": "err", "val": 1}]"#),
    ]), @r##"
    list<u32> <- 7
        /x: expected list<u32> (an array), got number 7
    list<u32> <- "[1]"
        /x: expected list<u32> (an array), got string "[1]"; write the JSON itself, not a string that holds it
    list<u32> <- [1, "2", 3, null]
        2 problems with the arguments
        /x/1: expected u32, got string "2"; write the number without quotes
        /x/3: expected u32, got null
    list<row> <- {}
        /x: expected list<row> (an array), got empty object; write an array, also for one element
    list<u32, 2> <- [1]
        /x: expected list<u32, 2> (an array of 2), got array of 1
    tuple<u8, u8> <- [1, 2, 3]
        /x: expected tuple<u8, u8> (an array), got array of 3
    tuple<u8, u8> <- [1, 256]
        /x/1: expected u8, got number 256; the range is 0 to 255
    map<string, u8> <- {"a/b~": 256}
        /x/a~1b~0: expected u8, got number 256; the range is 0 to 255
    map<string, u8> <- [1]
        /x/0: expected {"key", "value"}, got number 1
    map<string, u8> <- [{"key": "a", "value": 1}, {"key": "a", "value": 1}]
        /x: the key "a" appears twice
    tuple<u8, u8> <- {"0": 1, "2": 1}
        /x: expected tuple<u8, u8> (an array), got object with "0", "2"
    tuple<u8, u8> <- {"0": 1, "01": 1}
        /x: expected tuple<u8, u8> (an array), got object with "01", "0"
    tuple<u8, u8> <- {"0": 1, "1": 300}
        /x/1: expected u8, got number 300; the range is 0 to 255
    map<u8, string> <- [{"key": 1, "value": "a"}, {"key": 1, "value": "b"}]
        /x: the key 1 appears twice
    map<u64, u8> <- [{"key": 1, "value": 1}, {"key": "1", "value": 2}]
        /x: the key 1 appears twice
    map<u8, string> <- [{"key": 1}, 5]
        2 problems with the arguments
        /x/0/value: missing, expected string
        /x/1: expected {"key", "value"}, got number 5
    row <- {"first_name": "a", "amout": 1}
        2 problems with the arguments
        /x/amout: unknown field; did you mean `amount`?
        /x/amount: missing, expected u32
    row <- {"first_name": "a", "first-name": "b", "amount": 1}
        /x/first-name: the field is given twice, in snake case and in kebab case
    row <- {"first_name": "a", "amount": 1, "extra_column": 2}
        /x/extra_column: unknown field; the fields are: `first_name`, `amount`, `note`
    row <- [1]
        /x: expected row (an object), got array of 1
    row <- "{\"first_name\": 1}"
        /x: expected row (an object), got string "{\"first_name\": 1}"; write the JSON itself, not a string that holds it
    option<row> <- 7
        /x: expected option<row> (an object or null), got number 7
    option<u32> <- "7"
        /x: expected option<u32>, got string "7"; write the number without quotes
    shape <- "none"
        /x: expected shape (an object {"tag", "val"}), got string "none"; write {"tag": "none"}
    shape <- "round-one"
        /x: expected shape (an object {"tag", "val"}), got string "round-one"; write {"tag": "round-one", "val": …}
    shape <- {"round_one": 1}
        /x: expected shape (an object {"tag", "val"}), got object with "round_one"; write {"tag": "round-one", "val": …}
    shape <- {"tag": "round"}
        /x/tag: expected a tag of shape, got string "round"; did you mean `round-one`?
    shape <- {"tag": "round-one"}
        /x/val: missing, expected f32
    shape <- {"tag": "none", "val": null}
        /x/val: `none` has no value; leave out "val"
    shape <- {"tag": 1}
        /x/tag: expected a string, got number 1
    shape <- {"tag": "none", "value": 1}
        /x/value: unknown member of shape (an object {"tag", "val"})
    shape <- {}
        /x: expected shape (an object {"tag", "val"}), got an object without "tag"
    colour <- "darkblue"
        /x: expected colour, got string "darkblue"; did you mean `dark-blue`?
    colour <- "yellow"
        /x: expected colour, got string "yellow"; the values are: `red`, `dark-blue`
    colour <- 1
        /x: expected colour (a string), got number 1
    style <- ["bold", "bold"]
        /x/1: the flag `bold` appears twice
    style <- ["blod", 1]
        2 problems with the arguments
        /x/0: expected a flag of style, got string "blod"; did you mean `bold`?
        /x/1: expected a flag of style, got number 1
    style <- {"bold": 1, "in_line": true, "in-line": false, "x": true}
        3 problems with the arguments
        /x/bold: expected bool, got number 1
        /x/in-line: the flag appears twice
        /x/x: expected a flag of style, got string "x"; the flags are: `bold`, `in-line`
    style <- "bold"
        /x: expected style (an array of strings), got string "bold"
    option<cell> <- 3
        /x: expected option<cell> (null or {"tag": "some", "val"}), got number 3; write {"tag": "some", "val": 3}
    option<option<u32>> <- 3
        /x: expected option<option<u32>> (null or {"tag": "some", "val"}), got number 3; write {"tag": "some", "val": 3}
    option<option<u32>> <- {"tag": "none"}
        /x/tag: expected a tag of option<option<u32>>, got string "none"; the tags are: `some`
    list<result<u8>> <- [{"ok": 1}, {"tag": "ok"}, {"tag": "err", "val": 1}]
        3 problems with the arguments
        /x/0/ok: unknown member of result<u8> (an object {"tag", "val"})
        /x/1/val: missing, expected u8
        /x/2/val: `err` has no value; leave out "val"
    "##);
}

#[test]
fn tables() {
    insta::assert_snapshot!(refusals("", &[
        ("table", "7"),
        ("table", "[[1, 2]]"),
        ("table", r#"[{"a": [1]}, {"": 2}]"#),
        ("table", r#"{"a": 1}"#),
        ("table", r#"{"columns": ["a"]}"#),
        ("table", r#"{"columns": "a", "rows": {}}"#),
        ("table", r#"{"columns": ["a", "a"], "rows": []}"#),
        ("table", r#"{"columns": ["a", "", 3], "rows": []}"#),
        ("table", r#"{"columns": ["a", "b"], "rows": [[1], [1, 2], [1, 2, 3], 4, [1, {}]]}"#),
    ]), @r##"
    table <- 7
        /x: expected table (an array of objects or {"columns", "rows"}), got number 7
    table <- [[1, 2]]
        /x/0: expected an object (a row of the table), got array of 2; give rows without names as {"columns": […], "rows": [[…]]}
    table <- [{"a": [1]}, {"": 2}]
        2 problems with the arguments
        /x/0/a: expected cell (null, boolean, number or string), got array of 1
        /x/1: a column name must not be empty
    table <- {"a": 1}
        /x: expected table (an array of objects or {"columns", "rows"}), got object with "a"; a table of one row is an array of one object
    table <- {"columns": ["a"]}
        /x: expected table (an array of objects or {"columns", "rows"}), got an object without both of them
    table <- {"columns": "a", "rows": {}}
        2 problems with the arguments
        /x/columns: expected an array of column names, got string "a"
        /x/rows: expected an array of rows, got empty object
    table <- {"columns": ["a", "a"], "rows": []}
        /x/columns: the column "a" appears twice
    table <- {"columns": ["a", "", 3], "rows": []}
        2 problems with the arguments
        /x/columns/1: expected a column name, got string ""
        /x/columns/2: expected a column name, got number 3
    table <- {"columns": ["a", "b"], "rows": [[1], [1, 2], [1, 2, 3], 4, [1, {}]]}
        4 problems with the arguments
        /x/rows/0: expected a cell for each of 2 columns, got 1
        /x/rows/2: expected a cell for each of 2 columns, got 3
        /x/rows/3: expected a row (an array of cells), got number 4
        /x/rows/4/1: expected cell (null, boolean, number or string), got empty object
    "##);
}

#[test]
fn parameters() {
    let function = function("f: func(file-name: string, data: table, limit: option<u32>);");
    let mut report = String::new();
    for json in [
        "{}",
        "[]",
        "null",
        r#"{"filename": "a", "data": []}"#,
        r#"{"file_name": 1, "data": [{"a": 1}, {"a": {}}], "limit": "12", "zzzzzzzzz": null}"#,
    ] {
        let arguments = Json::parse(json, 1 << 20, 64).unwrap();
        let error = UntypedCall { name: "f", arguments }.check(&function).unwrap_err();
        let _ = writeln!(report, "{json}\n    {}", error.render().replace('\n', "\n    "));
    }
    insta::assert_snapshot!(report, @r##"
    {}
        2 problems with the arguments
        /file_name: missing, expected string
        /data: missing, expected table (an array of objects or {"columns", "rows"})
    []
        arguments: expected an object, got array of 0; the parameters are: `file_name`, `data`, `limit`
    null
        arguments: expected an object, got null; the parameters are: `file_name`, `data`, `limit`
    {"filename": "a", "data": []}
        2 problems with the arguments
        /filename: unknown parameter; did you mean `file_name`?
        /file_name: missing, expected string
    {"file_name": 1, "data": [{"a": 1}, {"a": {}}], "limit": "12", "zzzzzzzzz": null}
        4 problems with the arguments
        /file_name: expected string, got number 1; write it in double quotes
        /data/1/a: expected cell (null, boolean, number or string), got empty object
        /limit: expected option<u32>, got string "12"; write the number without quotes
        /zzzzzzzzz: unknown parameter; the parameters are: `file_name`, `data`, `limit`
    "##);
}

#[test]
fn resources_cannot_be_given() {
    let function = function("resource thing; f: func(x: option<borrow<thing>>) -> thing;");
    let arguments = Json::parse(r#"{"x": "h:thing:1"}"#, 1 << 20, 64).unwrap();
    let error = UntypedCall { name: "f", arguments }.check(&function).unwrap_err();
    insta::assert_snapshot!(error, @r##"/x: `borrow<thing>` has no JSON form without a session, so this function cannot be called"##);
}

/// A report is bounded, whatever the client sends.
#[test]
fn many_and_long_problems() {
    let long = "x\n".repeat(300);
    let json = Json::Array(vec![Json::String(long.clone()); 1_000]).to_string();
    let report = refusal("", "list<u32>", &json);
    assert_eq!(report.lines().count(), 22, "{report}");
    assert!(report.ends_with("\nand 980 more"), "{report}");
    assert!(report.len() < 22 * 410);

    let key = Json::String(long).to_string();
    let report = refusal("", "map<string, u32>", &format!("{{{key}: true}}"));
    assert_eq!(report.lines().count(), 1);
    assert!(report.len() < 500, "{report}");
}

/// A little JSON must not turn into much memory.
#[test]
fn amplification() {
    let fields: Vec<String> = (0..500).map(|field| format!("field{field}: option<u32>")).collect();
    let items = format!("record wide {{ {} }}", fields.join(", "));
    let empty = format!("[{}]", vec!["{}"; 50_000].join(","));
    insta::assert_snapshot!(refusal(&items, "list<wide>", &empty), @r##"/x/1869: left-out values and decoded bytes together need over 64 MiB"##);
    let diagonal: Vec<String> = (0..40_000).map(|row| format!("{{\"c{row}\":1}}")).collect();
    insta::assert_snapshot!(refusal("", "table", &format!("[{}]", diagonal.join(","))), @r##"/x: left-out values and decoded bytes together need over 64 MiB"##);
}

/// Values that a plugin returned although its interface forbids them.
#[test]
fn broken_promises() {
    let text = |text: &str| Val::String(text.into());
    let table = |columns: &[&str], rows: Vec<Vec<Val>>| {
        let columns = Val::List(columns.iter().map(|name| text(name)).collect());
        let rows = Val::List(rows.into_iter().map(Val::List).collect());
        Val::Record(vec![("columns".into(), columns), ("rows".into(), rows)])
    };
    let null = || Val::Variant("null".into(), None);
    let number = |digits: &str| Val::Variant("number".into(), Some(Box::new(text(digits))));
    let mut report = String::new();
    for (ty, val) in [
        ("decimal", text("abc")),
        ("decimal", text(&"1".repeat(65))),
        ("cell", number("NaN")),
        ("table", table(&["a", "a"], vec![])),
        ("table", table(&["a", ""], vec![])),
        ("table", table(&["a", "b"], vec![vec![null(), null()], vec![null()]])),
        ("table", table(&["a"], vec![vec![number("1,5")]])),
    ] {
        let error = result(&function(&format!("f: func() -> {ty};")), Some(val)).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Plugin);
        let _ = writeln!(report, "{error}");
    }
    insta::assert_snapshot!(report, @r##"
    `f` returned an invalid value: result: expected a decimal number, got string "abc"
    `f` returned an invalid value: result: a decimal of 65 characters; at most 64 are allowed
    `f` returned an invalid value: result: expected a decimal number, got string "NaN"
    `f` returned an invalid value: /columns: the column "a" appears twice
    `f` returned an invalid value: /columns/1: a column name is empty
    `f` returned an invalid value: /rows/1: a row of 1 cells in a table of 2 columns
    `f` returned an invalid value: /rows/0/0: expected a decimal number, got string "1,5"
    "##);
    for (ty, val) in [
        ("u32", Val::U8(1)),
        ("table", Val::Bool(true)),
        ("cell", Val::Variant("null".into(), Some(Box::new(Val::Bool(true))))),
        ("list<u8>", Val::List(vec![Val::U16(1)])),
        ("tuple<u8>", Val::Tuple(vec![])),
        ("artifact", Val::Record(vec![])),
        ("error", Val::Variant("unheard-of".into(), None)),
        ("result<u8>", Val::Result(Ok(None))),
    ] {
        let error = result(&function(&format!("f: func() -> {ty};")), Some(val)).unwrap_err();
        assert_eq!(*error.kind(), ErrorKind::Host, "{ty}");
    }
}

#[test]
fn an_object_that_is_no_table_says_how_one_is_written() {
    for (json, hint) in [
        (r#"{"a": [1, 2], "b": [3, 4]}"#, "give the values row by row"),
        (r#"{"a": 1, "b": [3]}"#, "a table of one row is an array of one object"),
        ("{}", "a table of one row is an array of one object"),
    ] {
        let text = refusal("", "table", json);
        assert!(text.contains(hint), "{json}: {text}");
    }
}
