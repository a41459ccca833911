//! What a model reads when a call of a bundled tool fails: enough to fix it in one turn, and never long.

use std::fmt::Write as _;

use mitt::ErrorKind;

use crate::support::{TestSkill, session};

/// Returns kind and report of each call, all of which must fail.
async fn failures(session: &mitt::Session, calls: &[(&str, &str)]) -> String {
    let mut text = String::new();
    for (tool, arguments) in calls {
        let report = session.call(tool, arguments).await;
        let shown: String = arguments.chars().take(100).collect();
        match report.result {
            Ok(result) => panic!("{tool} {arguments} gave {result}"),
            Err(error) => {
                let report = error.render();
                assert!(report.len() < 16_000, "{tool}: a report of {} bytes", report.len());
                let _ = writeln!(
                    text,
                    "{tool} {shown}\n  [{}] {}",
                    error.kind().name(),
                    report.replace('\n', "\n    ")
                );
            }
        }
    }
    text
}

#[tokio::test]
async fn unknown_tools() {
    let calls = [
        ("excel_tool__create_exel", "{}"),
        ("excel-tool__create-excel", "{}"),
        ("create_excel", "{}"),
        ("exceltool__create_excel", "{}"),
        ("excel_tool", "{}"),
        ("pdf__write", "{}"),
        ("", "{}"),
        ("excel_tool__create_excel\nexcel_tool__create_excel", "{}"),
    ];
    insta::assert_snapshot!(failures(&session(), &calls).await, @r##"
    excel_tool__create_exel {}
      [unknown-tool] Unknown tool: excel_tool__create_exel
        hint: did you mean `excel_tool__create_excel`?
    excel-tool__create-excel {}
      [unknown-tool] Unknown tool: excel-tool__create-excel
        hint: did you mean `excel_tool__create_excel`?
    create_excel {}
      [unknown-tool] Unknown tool: create_excel
        hint: did you mean `excel_tool__create_excel`?
    exceltool__create_excel {}
      [unknown-tool] Unknown tool: exceltool__create_excel
        hint: did you mean `excel_tool__create_excel`?
    excel_tool {}
      [unknown-tool] Unknown tool: excel_tool
        hint: did you mean `excel_tool__read_range` or `excel_tool__append_rows` or `excel_tool__create_excel`?
    pdf__write {}
      [unknown-tool] Unknown tool: pdf__write
        hint: there are `pdf_tool__edit_pdf`, `pdf_tool__find_text`, `pdf_tool__find_texts`, `pdf_tool__merge_pdfs`, `pdf_tool__read_pdf`, `pdf_tool__redact_pdf`, `pdf_tool__rewrite_pdf`, `pdf_tool__searched_texts`, `pdf_tool__sign_pdf`, `pdf_tool__split_pdf`, `pdf_tool__verify_signatures`
     {}
      [unknown-tool] Unknown tool: 
        hint: a tool is named `<skill>__<function>`; there are the skills chart-tool, deck-tool, document-tool, docx-tool, excel-tool, mail-tool, page-pictures, pdf-tool, python, redact-tool, report, sheet-tool, sql-tool, table-tool, word-tool
    excel_tool__create_excel
    excel_tool__create_excel {}
      [unknown-tool] Unknown tool: excel_tool__create_excel\nexcel_tool__create_excel
        hint: there are `excel_tool__append_rows`, `excel_tool__append_to_workbook`, `excel_tool__create_excel`, `excel_tool__create_workbook`, `excel_tool__fill_template`, `excel_tool__read_range`
    "##);
}

#[tokio::test]
async fn arguments() {
    let long = format!(r#"{{"data": [{}]}}"#, vec![r#"{"a": {}}"#; 40].join(","));
    let calls = [
        ("excel_tool__create_excel", "{"),
        ("excel_tool__create_excel", "{'data': []}"),
        ("excel_tool__create_excel", r#"{"data": [], "data": []}"#),
        ("excel_tool__create_excel", r#"{"data": NaN}"#),
        ("excel_tool__create_excel", r#"{"data": []} {}"#),
        ("excel_tool__create_excel", "[]"),
        ("excel_tool__create_excel", r#""{\"data\": []}""#),
        ("excel_tool__create_excel", "{}"),
        ("excel_tool__create_excel", r#"{"data": null}"#),
        ("excel_tool__create_excel", r#"{"data": "month,dau\n1,2"}"#),
        ("excel_tool__create_excel", r#"{"data": [[1, 2]]}"#),
        ("excel_tool__create_excel", r#"{"data": {"month": ["Jan"], "dau": [1]}}"#),
        ("excel_tool__create_excel", r#"{"data": {"columns": ["a", "b"], "rows": [[1]]}}"#),
        ("excel_tool__create_excel", r#"{"data": [{"a": [1]}, {"a": {"b": 1}}]}"#),
        ("excel_tool__create_excel", r#"{"data": [], "file_name": "a.xlsx", "sheet": 1}"#),
        ("excel_tool__create_excel", r#"{"data": [], "filename": ["a.xlsx"], "options": true}"#),
        ("excel_tool__create_excel", &long),
    ];
    insta::assert_snapshot!(failures(&session(), &calls).await, @r##"
    excel_tool__create_excel {
      [arguments] not valid JSON: line 1, column 2: the text ends inside an object
        hint: the text ends early; it may have been cut off
    excel_tool__create_excel {'data': []}
      [arguments] not valid JSON: line 1, column 2: expected a key in double quotes
    excel_tool__create_excel {"data": [], "data": []}
      [arguments] /data: the key appears twice
    excel_tool__create_excel {"data": NaN}
      [arguments] not valid JSON: line 1, column 10: expected a value
        hint: JSON has no NaN and no Infinity; use null where it is allowed
    excel_tool__create_excel {"data": []} {}
      [arguments] not valid JSON: line 1, column 14: text after the end of the value
    excel_tool__create_excel []
      [arguments] arguments: expected an object, got array of 0; the parameters are: `data`, `filename`, `options`
    excel_tool__create_excel "{\"data\": []}"
      [arguments] arguments: expected an object, got a string; write the JSON itself, not a string that holds it
    excel_tool__create_excel {}
      [arguments] /data: missing, expected table (an array of objects, {"columns", "rows"} or {"$ref"})
    excel_tool__create_excel {"data": null}
      [arguments] /data: expected table (an array of objects, {"columns", "rows"} or {"$ref"}), got null
    excel_tool__create_excel {"data": "month,dau\n1,2"}
      [arguments] /data: expected table (an array of objects, {"columns", "rows"} or {"$ref"}), got string "month,dau\n1,2"; write its rows as objects, not as text
    excel_tool__create_excel {"data": [[1, 2]]}
      [arguments] /data/0: expected an object (a row of the table), got array of 2; give rows without names as {"columns": […], "rows": [[…]]}
    excel_tool__create_excel {"data": {"month": ["Jan"], "dau": [1]}}
      [arguments] /data: expected table (an array of objects, {"columns", "rows"} or {"$ref"}), got object with "month", "dau"; give the values row by row: {"columns": […], "rows": [[…]]}
    excel_tool__create_excel {"data": {"columns": ["a", "b"], "rows": [[1]]}}
      [arguments] /data/rows/0: expected a cell for each of 2 columns, got 1
    excel_tool__create_excel {"data": [{"a": [1]}, {"a": {"b": 1}}]}
      [arguments] 2 problems with the arguments
        /data/0/a: expected cell (null, boolean, number or string), got array of 1
        /data/1/a: expected cell (null, boolean, number or string), got object with "b"
    excel_tool__create_excel {"data": [], "file_name": "a.xlsx", "sheet": 1}
      [arguments] 2 problems with the arguments
        /file_name: unknown parameter; did you mean `filename`?
        /sheet: unknown parameter; the parameters are: `data`, `filename`, `options`
    excel_tool__create_excel {"data": [], "filename": ["a.xlsx"], "options": true}
      [arguments] 2 problems with the arguments
        /filename: expected option<string>, got array of 1
        /options: expected option<sheet-options> (an object or null), got boolean true
    excel_tool__create_excel {"data": [{"a": {}},{"a": {}},{"a": {}},{"a": {}},{"a": {}},{"a": {}},{"a": {}},{"a": {}},{"a": {}},
      [arguments] 40 problems with the arguments
        /data/0/a: expected cell (null, boolean, number or string), got empty object
        /data/1/a: expected cell (null, boolean, number or string), got empty object
        /data/2/a: expected cell (null, boolean, number or string), got empty object
        /data/3/a: expected cell (null, boolean, number or string), got empty object
        /data/4/a: expected cell (null, boolean, number or string), got empty object
        /data/5/a: expected cell (null, boolean, number or string), got empty object
        /data/6/a: expected cell (null, boolean, number or string), got empty object
        /data/7/a: expected cell (null, boolean, number or string), got empty object
        /data/8/a: expected cell (null, boolean, number or string), got empty object
        /data/9/a: expected cell (null, boolean, number or string), got empty object
        /data/10/a: expected cell (null, boolean, number or string), got empty object
        /data/11/a: expected cell (null, boolean, number or string), got empty object
        /data/12/a: expected cell (null, boolean, number or string), got empty object
        /data/13/a: expected cell (null, boolean, number or string), got empty object
        /data/14/a: expected cell (null, boolean, number or string), got empty object
        /data/15/a: expected cell (null, boolean, number or string), got empty object
        /data/16/a: expected cell (null, boolean, number or string), got empty object
        /data/17/a: expected cell (null, boolean, number or string), got empty object
        /data/18/a: expected cell (null, boolean, number or string), got empty object
        /data/19/a: expected cell (null, boolean, number or string), got empty object
        and 20 more
    "##);
}

#[tokio::test]
async fn what_plugins_report() {
    let calls = [
        ("excel_tool__create_excel", r#"{"data": [], "filename": "../a.xlsx"}"#),
        ("excel_tool__create_excel", r#"{"data": [], "filename": "a.pdf"}"#),
        ("document_tool__read_text", r#"{"name": "missing.pdf"}"#),
    ];
    insta::assert_snapshot!(failures(&session(), &calls).await, @r##"
    excel_tool__create_excel {"data": [], "filename": "../a.xlsx"}
      [plugin] invalid-argument: filename: expected a file name without any folder, got `../a.xlsx`
        data: expected at least one column, got none
    excel_tool__create_excel {"data": [], "filename": "a.pdf"}
      [plugin] invalid-argument: filename: expected a name that ends in `.xlsx`, got `a.pdf`
        data: expected at least one column, got none
    document_tool__read_text {"name": "missing.pdf"}
      [unknown-tool] Unknown tool: document_tool__read_text
        hint: did you mean `document_tool__read_table` or `document_tool__read_document` or `document_tool__search`?
    "##);
}

#[tokio::test]
async fn limits_traps_and_refusals() {
    let module = |body: &str, import: &str| {
        format!(
            r#"(component {import}
                (core module $m {body})
                (core instance $i (instantiate $m))
                (func (export "run") (canon lift (core func $i "run"))))"#
        )
    };
    let spin = r#"(func (export "run") (loop (br 0)))"#;
    let cases = [
        (module(spin, ""), "limits: { fuel: 1000 }"),
        (module(r#"(memory 65536) (func (export "run"))"#, ""), ""),
        (module(r#"(func $f (export "run") call $f)"#, ""), ""),
        (module(r#"(func (export "run") unreachable)"#, ""), ""),
        (
            module(
                r#"(func (export "run"))"#,
                r#"(import "mitt:host/render@0.1.0" (instance (export "x" (func))))"#,
            ),
            "",
        ),
        (
            module(
                r#"(func (export "run"))"#,
                r#"(import "wasi:http/types@0.2.0" (instance (export "x" (func))))"#,
            ),
            "",
        ),
        ("(module)".to_owned(), ""),
    ];
    let mut text = String::new();
    for (component, manifest) in cases {
        let skill = TestSkill::new("test", &component, manifest);
        text += &failures(&skill.session(), &[("test__run", "{}")]).await;
    }
    let session = session();
    let deep = format!(r#"{{"data": {}{}}}"#, "[".repeat(70), "]".repeat(70));
    let large = format!(r#"{{"data": "{}"}}"#, "x".repeat(1 << 20));
    text += &failures(
        &session,
        &[("excel_tool__create_excel", &deep), ("excel_tool__create_excel", &large)],
    )
    .await;
    insta::assert_snapshot!(text, @r##"
    test__run {}
      [limit] fuel limit of 1000 units reached: 1000 units
        hint: do less in one call, such as fewer rows of a table or a smaller part of a file; a call cannot raise the limit
    test__run {}
      [limit] memory limit of 134217728 bytes reached: 4294970208 bytes
        hint: do less in one call, such as fewer rows of a table or a smaller part of a file; a call cannot raise the limit
    test__run {}
      [limit] stack limit of 67108864 bytes reached: 67108864 bytes
    test__run {}
      [trap] the plugin crashed: wasm trap: wasm `unreachable` instruction executed
    test__run {}
      [denied] skill `test`: the plugin imports `mitt:host/render@0.1.0`, but its skill does not grant `render`
        hint: add `render` to `grants` in `skill.yaml` if the skill should have it
    test__run {}
      [load] skill `test`: the plugin imports `wasi:http/types@0.2.0`, which this host does not have
        hint: nothing here reaches a network: give it what it needs as arguments, or as documents of the session
    test__run {}
      [load] skill `test`: expected a component or an Extism plug-in, got a core module that is neither: it imports nothing
        hint: build it for `wasm32-wasip2`, which makes components, or with an Extism PDK
    excel_tool__create_excel {"data": [[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[]]]]]]]]]]]]]]]]]]]]]
      [limit] arguments-depth limit of 64 levels reached: 65 levels
        hint: nest arrays and objects less deeply
    excel_tool__create_excel {"data": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx
      [limit] arguments limit of 1048576 bytes reached: 1048588 bytes
        hint: send less in one call, such as the rows in several parts
    "##);
}

/// Each kind has one name: in the journal, in `--json` and in what a model reads.
#[test]
fn names_of_kinds() {
    let kinds = [
        ErrorKind::UnknownTool,
        ErrorKind::Arguments,
        ErrorKind::Denied,
        ErrorKind::Trap,
        ErrorKind::Plugin,
        ErrorKind::Input,
        ErrorKind::Load,
        ErrorKind::Model,
        ErrorKind::Busy { retry_after: std::time::Duration::ZERO },
        ErrorKind::Host,
    ];
    let names: Vec<_> = kinds.iter().map(ErrorKind::name).collect();
    assert_eq!(
        names,
        [
            "unknown-tool",
            "arguments",
            "denied",
            "trap",
            "plugin",
            "input",
            "load",
            "model",
            "busy",
            "host"
        ]
    );
}
