//! Messages of refusals.

use super::*;
use std::fmt::Write as _;

fn report(lines: impl IntoIterator<Item = (String, Error)>) -> String {
    let mut report = String::new();
    for (text, error) in lines {
        assert_eq!(*error.kind(), ErrorKind::Arguments, "{text}: {error}");
        let _ = writeln!(report, "{text}\n    {}", error.render().replace('\n', "\n    "));
    }
    report
}

#[test]
fn syntax() {
    let texts = [
        "",
        "excel-tool/create-excel",
        "excel-tool/create-excel('report')",
        "t/f('abc')",
        "t/f('')",
        "t/f({\"a\": 1})",
        "t/f([1, 2)",
        "t/f(1",
        "t/f(\"abc",
        "t/f(\"abc\ndef\")",
        "t/f(\"\\x\")",
        "t/f(\"\\u{d800}\")",
        "t/f(\"\"\"abc\"\"\")",
        "t/f(\"\"\"\nabc\"\"\")",
        "t/f(True)",
        "t/f(.5)",
        "t/f(+1)",
        "t/f(01)",
        "t/f(0x1f)",
        "t/f(-)",
        "t/f(数据)",
        "t/f(“a”)",
        "t/f(1, b: 2)",
        "t/f(b: 2, 1)",
        "t/f(name = \"x\")",
        "t/f({a: 1, a: 2})",
        "t/f({a, b, %a})",
        "t/f(b: 2, b: 3)",
        "t/f(())",
        "t/f(some)",
        "t/f(none(1))",
        "t/f(1) x",
        "t/f({a 1})",
        "t/f({a: })",
        "t//f()",
        "call t/f()",
        "t/f([\n  {a: 1},\n  {é: 2}])",
        "t/f(\u{1b}[0m)",
    ];
    let report = report(texts.map(|text| {
        (text.escape_debug().to_string(), WaveCall::parse(text, MAX, 64).unwrap_err())
    }));
    insta::assert_snapshot!(report, @r##"

        not valid WAVE: line 1, column 1: expected the name of a tool, as in `excel-tool/create-excel(…)`, but the text ends
        hint: it may have been cut off, or a shell took its quotes; put the whole call in single quotes there
    excel-tool/create-excel
        not valid WAVE: line 1, column 24: expected `(` and the arguments, but the text ends
        hint: it may have been cut off, or a shell took its quotes; put the whole call in single quotes there
    excel-tool/create-excel(\'report\')
        not valid WAVE: line 1, column 25: expected one character in single quotes
        hint: strings are written in double quotes; single quotes hold one character; a call on a command line is put in single quotes as a whole
    t/f(\'abc\')
        not valid WAVE: line 1, column 5: expected one character in single quotes
        hint: strings are written in double quotes; single quotes hold one character; a call on a command line is put in single quotes as a whole
    t/f(\'\')
        not valid WAVE: line 1, column 5: expected one character in single quotes
        hint: strings are written in double quotes; single quotes hold one character; a call on a command line is put in single quotes as a whole
    t/f({\"a\": 1})
        not valid WAVE: line 1, column 6: expected a name, found `\"`
        hint: names of fields stand without quotes, as in `{month: "Jan"}`; arguments in JSON are given as JSON, not in this notation; a table whose column names are no labels is written `{columns: ["…"], rows: [[…]]}`
    t/f([1, 2)
        not valid WAVE: line 1, column 10: expected `,` or `]`, found `)`
    t/f(1
        not valid WAVE: line 1, column 6: expected `,` or `)`, but the text ends
        hint: it may have been cut off, or a shell took its quotes; put the whole call in single quotes there
    t/f(\"abc
        not valid WAVE: line 1, column 5: a string without an end
        hint: it may have been cut off, or a shell took its quotes; put the whole call in single quotes there
    t/f(\"abc\ndef\")
        not valid WAVE: line 1, column 9: a line break inside a string
        hint: write a line break as `\n`, or use `"""` on lines of their own
    t/f(\"\\x\")
        not valid WAVE: line 1, column 6: invalid escape
        hint: the escapes are `\\`, `\"`, `\'`, `\n`, `\r`, `\t` and `\u{…}`
    t/f(\"\\u{d800}\")
        not valid WAVE: line 1, column 6: invalid escape
        hint: write a character by its number as in `\u{4e2d}`, without halves of surrogate pairs
    t/f(\"\"\"abc\"\"\")
        not valid WAVE: line 1, column 8: expected a line break after the opening `"""`
    t/f(\"\"\"\nabc\"\"\")
        not valid WAVE: line 2, column 4: expected only spaces before the closing `"""`
        hint: put it on a line of its own
    t/f(True)
        not valid WAVE: line 1, column 6: expected `,` or `)`, found `rue`
        hint: text is put in double quotes, and on a command line the whole call in single quotes; each word of a name is all in lower case or all in upper case, as in `true`
    t/f(.5)
        not valid WAVE: line 1, column 5: expected a value, found `.5`
        hint: numbers are written as in JSON, such as `0.5` and `1`
    t/f(+1)
        not valid WAVE: line 1, column 5: expected a value, found `+1`
        hint: numbers are written as in JSON, such as `0.5` and `1`
    t/f(01)
        not valid WAVE: line 1, column 6: expected `,` or `)`, found `1`
        hint: numbers are written as in JSON, such as `0.5` and `1`
    t/f(0x1f)
        not valid WAVE: line 1, column 6: expected `,` or `)`, found `x1f`
        hint: numbers are written as in JSON, such as `0.5` and `1`
    t/f(-)
        not valid WAVE: line 1, column 5: expected a value, found `-`
    t/f(数据)
        not valid WAVE: line 1, column 5: expected a value, found `数据`
        hint: names are ASCII words joined by `-`; text is put in double quotes
    t/f(“a”)
        not valid WAVE: line 1, column 5: expected a value, found `“`
        hint: write straight quotes
    t/f(1, b: 2)
        not valid WAVE: line 1, column 9: expected `,` or `)`, found `:`
        hint: name all arguments or none of them; a value without a name stands first here
    t/f(b: 2, 1)
        not valid WAVE: line 1, column 11: expected the name of an argument, found `1`
        hint: name all arguments or none of them
    t/f(name = \"x\")
        not valid WAVE: line 1, column 10: expected `,` or `)`, found `=`
        hint: write `name: value`
    t/f({a: 1, a: 2})
        not valid WAVE: line 1, column 12: `a` appears twice
    t/f({a, b, %a})
        not valid WAVE: line 1, column 13: `a` appears twice
    t/f(b: 2, b: 3)
        not valid WAVE: line 1, column 11: `b` appears twice
    t/f(())
        not valid WAVE: line 1, column 5: a tuple has at least one value
    t/f(some)
        not valid WAVE: line 1, column 9: expected `(` and a value after `some`, found `)`
    t/f(none(1))
        not valid WAVE: line 1, column 9: expected `,` or `)`, found `(`
    t/f(1) x
        not valid WAVE: line 1, column 8: expected the end of the text, found `x`
    t/f({a 1})
        not valid WAVE: line 1, column 8: expected `,` or `}`, found `1`
    t/f({a: })
        not valid WAVE: line 1, column 9: expected a value, found `}`
    t//f()
        expected the name of a tool, got `t//f`
        hint: a call is written `excel-tool/create-excel(…)` or `excel_tool__create_excel(…)`
    call t/f()
        not valid WAVE: line 1, column 6: expected `(` and the arguments, found `t`
    t/f([\n  {a: 1},\n  {é: 2}])
        not valid WAVE: line 3, column 4: expected a name, found `é`
        hint: names are ASCII words joined by `-`; text is put in double quotes
    t/f(\u{1b}[0m)
        not valid WAVE: line 1, column 5: expected a value, found `\u{1b}`
    "##);
}

#[test]
fn types() {
    let items = "
        record point { x: u32, y: option<u32> }
        variant schedule { once, days(u32) }
        enum colour { red, light-blue }
        flags permissions { read, write }
    ";
    let lines = [
        ("string", "abc"),
        ("string", "'a'"),
        ("string", "12"),
        ("u32", "red"),
        ("u32", "\"12\""),
        ("u32", "-1"),
        ("u32", "inf"),
        ("u32", "some(1)"),
        ("u32", "none"),
        ("u32", "(1)"),
        ("u32", "1.5"),
        ("bool", "TRUE"),
        ("bool", "1"),
        ("char", "\"ab\""),
        ("list<u32>", "(1, 2)"),
        ("list<u32>", "[1, a, \"2\", -1, nan]"),
        ("list<u32>", "{a: 1}"),
        ("list<u8>", "[1, 256, x]"),
        ("list<u8>", "\"a b\""),
        ("tuple<u8, u8>", "(1, 2, 3)"),
        ("point", "{a}"),
        ("point", "{x: a, z: 1}"),
        ("point", "{y: 1}"),
        ("point", "{x: 1, y: null}"),
        ("point", "(1, 2)"),
        ("schedule", "\"days\""),
        ("schedule", "{tag: days, val: 1}"),
        ("schedule", "day(1)"),
        ("schedule", "days"),
        ("schedule", "once(1)"),
        ("schedule", "days(x)"),
        ("colour", "blue"),
        ("colour", "red(1)"),
        ("permissions", "{read, writ}"),
        ("permissions", "read"),
        ("option<u32>", "null"),
        ("option<u32>", "some(x)"),
        ("option<option<u32>>", "1"),
        ("list<result<u8>>", "[x, {a: 1}]"),
        ("list<result<_, string>>", "[1]"),
        ("map<string, u8>", "[(a, 1), (\"b\", x), 3, (\"c\", 1), (\"c\", 2)]"),
        ("map<u8, u8>", "[(1, 2), (x, y)]"),
        ("cell", "abc"),
        ("cell", "none"),
        ("cell", "nan"),
        ("cell", "number(\"x\")"),
        ("cell", "[1]"),
        ("table", "{columns: [a], rows: [[x], 1]}"),
        ("table", "{a: 1}"),
        ("table", "[1, {a: x, b: [1]}]"),
        ("decimal", "nan"),
        ("decimal", "\"x\""),
    ];
    let report = report(lines.map(|(ty, text)| {
        let function = function(&format!("{items} f: func(x: {ty});"));
        let result = arguments(&function, text).and_then(|json| check(&function, json));
        let error = match result {
            Ok(call) => panic!("{ty}: {text}: accepted as {:?}", call.args()),
            Err(error) => error,
        };
        (format!("{ty} <- {text}"), error)
    }));
    insta::assert_snapshot!(report, @r##"
    string <- abc
        /x: expected string, got label `abc`, at line 1, column 5; write "abc" in double quotes
    string <- 'a'
        /x: expected string, got char 'a', at line 1, column 5; write "a" in double quotes
    string <- 12
        /x: expected string, got number 12; write it in double quotes
    u32 <- red
        /x: expected u32, got label `red`, at line 1, column 5
    u32 <- "12"
        /x: expected u32, got string "12"; write the number without quotes
    u32 <- -1
        /x: expected u32, got number -1; the range is 0 to 4294967295
    u32 <- inf
        /x: expected u32, got `inf`, at line 1, column 5; it must be a finite number
    u32 <- some(1)
        /x: expected u32, got `some(…)`, at line 1, column 5; write the value without `some`
    u32 <- none
        /x: expected u32, got `none`, at line 1, column 5; a value must be given
    u32 <- (1)
        /x: expected u32, got tuple of 1, at line 1, column 5
    u32 <- 1.5
        /x: expected u32, got number 1.5
    bool <- TRUE
        /x: expected bool, got label `TRUE`, at line 1, column 5; write `true` or `false`
    bool <- 1
        /x: expected bool, got number 1
    char <- "ab"
        /x: expected char (a string of one character), got string "ab"
    list<u32> <- (1, 2)
        /x: expected list<u32>, got tuple of 2, at line 1, column 5; write a list in square brackets
    list<u32> <- [1, a, "2", -1, nan]
        4 problems with the arguments
        /x/1: expected u32, got label `a`, at line 1, column 9
        /x/4: expected u32, got `nan`, at line 1, column 21; it must be a finite number
        /x/2: expected u32, got string "2"; write the number without quotes
        /x/3: expected u32, got number -1; the range is 0 to 4294967295
    list<u32> <- {a: 1}
        /x: expected list<u32> (an array), got object with "a"; write an array, also for one element
    list<u8> <- [1, 256, x]
        2 problems with the arguments
        /x/1: expected u8, got number 256, at line 1, column 9; the range is 0 to 255
        /x/2: expected u8, got label `x`, at line 1, column 14
    list<u8> <- "a b"
        /x: expected list<u8> (a base64 string), got string "a b"; the character at 1 is not base64
    tuple<u8, u8> <- (1, 2, 3)
        /x: expected tuple<u8, u8> (an array), got array of 3
    point <- {a}
        /x: expected point, got flags with `a`, at line 1, column 5; write fields as `name: value`
    point <- {x: a, z: 1}
        2 problems with the arguments
        /x/x: expected u32, got label `a`, at line 1, column 9
        /x/z: unknown field; the fields are: `x`, `y`
    point <- {y: 1}
        /x/x: missing, expected u32
    point <- {x: 1, y: null}
        /x/y: expected option<u32>, got label `null`, at line 1, column 15; write `none`
    point <- (1, 2)
        /x: expected point, got tuple of 2, at line 1, column 5
    schedule <- "days"
        /x: expected schedule, got string "days", at line 1, column 5; write `days(…)` without quotes
    schedule <- {tag: days, val: 1}
        /x: expected schedule, got record with `tag`, at line 1, column 5; write the case as `name(…)`
    schedule <- day(1)
        /x/tag: expected a tag of schedule, got string "day"; did you mean `days`?
    schedule <- days
        /x/val: missing, expected u32
    schedule <- once(1)
        /x/val: `once` has no value; leave out "val"
    schedule <- days(x)
        /x/val: expected u32, got label `x`, at line 1, column 10
    colour <- blue
        /x: expected colour, got string "blue"; did you mean `light-blue`?
    colour <- red(1)
        /x: expected colour, got label `red(…)`, at line 1, column 5
    permissions <- {read, writ}
        /x/1: expected a flag of permissions, got string "writ"; did you mean `write`?
    permissions <- read
        /x: expected permissions, got label `read`, at line 1, column 5
    option<u32> <- null
        /x: expected option<u32>, got label `null`, at line 1, column 5; write `none`
    option<u32> <- some(x)
        /x: expected option<u32>, got label `x`, at line 1, column 10
    option<option<u32>> <- 1
        /x: expected option<option<u32>>, got number 1, at line 1, column 5; write `some(…)` around it
    list<result<u8>> <- [x, {a: 1}]
        2 problems with the arguments
        /x/0/val: expected u8, got label `x`, at line 1, column 6
        /x/1/val: expected u8, got object with "a"
    list<result<_, string>> <- [1]
        /x/0: expected result<_, string>, got number 1, at line 1, column 6; write `ok(…)` or `err(…)`
    map<string, u8> <- [(a, 1), ("b", x), 3, ("c", 1), ("c", 2)]
        4 problems with the arguments
        /x/0/0: expected string, got label `a`, at line 1, column 7; write "a" in double quotes
        /x/b: expected u8, got label `x`, at line 1, column 20
        /x/2: expected a tuple of key and value, got number 3, at line 1, column 24
        /x/c: the key appears twice
    map<u8, u8> <- [(1, 2), (x, y)]
        2 problems with the arguments
        /x/1/key: expected u8, got label `x`, at line 1, column 15
        /x/1/value: expected u8, got label `y`, at line 1, column 18
    cell <- abc
        /x: expected cell, got label `abc`, at line 1, column 5; write "abc" in double quotes
    cell <- none
        /x: expected cell, got `none`, at line 1, column 5; write `null`
    cell <- nan
        /x: expected cell, got `nan`, at line 1, column 5; it must be a finite number
    cell <- number("x")
        /x: expected cell, got label `number(…)`, at line 1, column 5; the cases are `null`, `boolean(true)`, `number("1.5")` and `text("a")`
    cell <- [1]
        /x: expected cell (null, boolean, number or string), got array of 1
    table <- {columns: [a], rows: [[x], 1]}
        3 problems with the arguments
        /x/columns/0: expected string, got label `a`, at line 1, column 16; write "a" in double quotes
        /x/rows/0/0: expected cell, got label `x`, at line 1, column 28; write "x" in double quotes
        /x/rows/1: expected a row (an array of cells), got number 1
    table <- {a: 1}
        /x: expected table (an array of objects or {"columns", "rows"}), got object with "a"; a table of one row is an array of one object
    table <- [1, {a: x, b: [1]}]
        3 problems with the arguments
        /x/1/a: expected cell, got label `x`, at line 1, column 13; write "x" in double quotes
        /x/0: expected an object (a row of the table), got number 1
        /x/1/b: expected cell (null, boolean, number or string), got array of 1
    decimal <- nan
        /x: expected decimal, got `nan`, at line 1, column 5; it must be a finite number
    decimal <- "x"
        /x: expected decimal (a number), got string "x"
    "##);
}

#[test]
fn calls() {
    let function = function("f: func(data: table, file-name: string, sheet: option<string>);");
    let texts = [
        "",
        "[{a: 1}]",
        "[{a: 1}], \"x\", \"y\", 1, 2",
        "data: [{a: x}], filename: \"x\", sheet: 1",
        "file_name: \"x\", file-name: \"y\"",
        "[{a: x}], y, 12",
    ];
    let report = report(texts.map(|text| {
        let result = arguments(&function, text).and_then(|json| check(&function, json));
        (format!("f({text})"), result.unwrap_err())
    }));
    insta::assert_snapshot!(report, @r##"
    f()
        2 problems with the arguments
        /data: missing, expected table (an array of objects or {"columns", "rows"})
        /file_name: missing, expected string
    f([{a: 1}])
        /file_name: missing, expected string
    f([{a: 1}], "x", "y", 1, 2)
        arguments: expected at most 3 arguments, got 5, at line 1, column 25
    f(data: [{a: x}], filename: "x", sheet: 1)
        4 problems with the arguments
        /data/0/a: expected cell, got label `x`, at line 1, column 16; write "x" in double quotes
        /filename: unknown parameter; did you mean `file_name`?
        /sheet: expected option<string>, got number 1; write it in double quotes
        /file_name: missing, expected string
    f(file_name: "x", file-name: "y")
        2 problems with the arguments
        /file_name: the key appears twice
        /data: missing, expected table (an array of objects or {"columns", "rows"})
    f([{a: x}], y, 12)
        3 problems with the arguments
        /data/0/a: expected cell, got label `x`, at line 1, column 10; write "x" in double quotes
        /file_name: expected string, got label `y`, at line 1, column 15; write "y" in double quotes
        /sheet: expected option<string>, got number 12; write it in double quotes
    "##);
}

/// A report of many problems stays short and says how many there are.
#[test]
fn many() {
    let function = function("f: func(x: list<u32>, y: u32);");
    let error = arguments(&function, &format!("[{}], \"1\"", "a,".repeat(100))).unwrap_err();
    assert_eq!(error.message(), "100 problems with the arguments");
    assert_eq!(error.details().len(), 21);
    let error = arguments(&function, "[a, 1, -1], \"1\"").unwrap_err();
    assert_eq!(error.details().len(), 3, "{error:?}");
}
