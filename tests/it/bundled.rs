//! The bundled skills, called as a model would call them.

use mitt::ErrorKind;
use serde_json::{Value, json};

use crate::support::{host, kind, session};

#[tokio::test]
async fn every_tool_is_documented_and_has_schemas() {
    let tools = host().registry().tools().await;
    let names: Vec<_> = tools.iter().map(|tool| tool.name.as_str()).collect();
    assert!(names.is_sorted());
    for expected in [
        "chart_tool__draw_chart",
        "document_tool__list_documents",
        "excel_tool__create_excel",
        "excel_tool__create_workbook",
        "python__run",
        "report__deliver",
        "table_tool__compare",
        "table_tool__group",
        "table_tool__join",
        "table_tool__parse_numbers",
    ] {
        assert!(names.contains(&expected), "{expected} is missing from {names:?}");
    }
    for tool in &tools {
        assert!(!tool.function.docs.is_empty(), "{} has no documentation", tool.name);
        let schema = mitt::schema::arguments(&tool.function);
        assert_eq!(schema["type"], "object", "{}", tool.name);
        assert_eq!(schema["additionalProperties"], false, "{}", tool.name);
    }
}

#[tokio::test]
async fn only_scripts_readers_the_pdf_tool_and_workbooks_import_wasi() {
    for skill in host().registry().skills() {
        let plugin = skill.plugin().await.unwrap();
        let name = &skill.manifest().name;
        let mut imports = plugin.interface().imports.clone();
        if name == "sheet-tool" {
            // For `TODAY` and `RAND`, and nothing else.
            let known = ["wasi:clocks/wall-clock@", "wasi:random/insecure-seed@"];
            imports.retain(|import| !known.iter().any(|it| import.starts_with(it)));
        }
        let wasi = imports.iter().any(|import| import.starts_with("wasi:"));
        // The PDF tool reads letters with the library of the PDF reader, which is built for WASI.
        let is_built_for_wasi = name == "pdf-tool" || skill.manifest().reader().is_some();
        let may = skill.manifest().script().is_some() || is_built_for_wasi;
        assert!(may || !wasi, "`{name}` imports {:?}", plugin.interface().imports);
    }
}

#[tokio::test]
async fn wrong_arguments_are_all_named_before_anything_runs() {
    let session = session();
    let report = session
        .call(
            "excel_tool__create_excel",
            r#"{"data": [{"a": 1}], "filenam": "x.xlsx", "options": {"freeze_header": 1}}"#,
        )
        .await;
    assert_eq!(kind(&report), ErrorKind::Arguments);
    assert_eq!(report.usage.fuel, 0);
    let text = report.result.unwrap_err().render();
    assert!(text.contains("/filenam") && text.contains("filename"), "{text}");
    assert!(text.contains("/options/freeze_header: expected option<bool>, got number 1"), "{text}");
}

#[tokio::test]
async fn unknown_tools_name_the_nearest() {
    let report = session().call("excel_tool__create_exel", "{}").await;
    assert_eq!(kind(&report), ErrorKind::UnknownTool);
    insta::assert_snapshot!(report.result.unwrap_err().render(), @r"
    Unknown tool: excel_tool__create_exel
    hint: did you mean `excel_tool__create_excel`?
    ");
}

#[tokio::test]
async fn a_workbook_is_delivered_and_registered() {
    let session = session();
    let arguments =
        json!({ "data": [{ "年份": 2024, "收入": 1234.5 }, { "年份": 2025, "收入": "=1+1" }] });
    let report = session.call("excel_tool__create_excel", &arguments.to_string()).await;
    let result: Value = report.result.unwrap().into();
    assert_eq!(result["name"], "report.xlsx");
    assert_eq!(session.artifacts().len(), 1);
    let content = session.artifact_content("report.xlsx").unwrap();
    assert_eq!(content.len() as u64, result["size"].as_u64().unwrap());

    use calamine::{Data, Reader as _};
    let mut book = calamine::Xlsx::new(std::io::Cursor::new(content)).unwrap();
    assert_eq!(book.sheet_names(), ["Sheet1"]);
    let sheet = book.worksheet_range("Sheet1").unwrap();
    assert_eq!(sheet.get_value((0, 0)), Some(&Data::String("年份".into())));
    assert_eq!(sheet.get_value((1, 0)), Some(&Data::Float(2024.0)));
    assert_eq!(sheet.get_value((2, 1)), Some(&Data::String("=1+1".into())));
    assert!(book.worksheet_formula("Sheet1").unwrap().is_empty(), "text became a formula");
}

#[tokio::test]
async fn a_workbook_may_have_more_than_26_columns() {
    let session = session();
    let columns: Vec<_> = (0..60).map(|n| format!("c{n}")).collect();
    let row: Vec<_> = (0..60).collect();
    let arguments = json!({ "data": { "columns": columns, "rows": [row] } });
    let report = session.call("excel_tool__create_excel", &arguments.to_string()).await;
    report.result.unwrap();

    use calamine::{Data, Reader as _};
    let content = session.artifact_content("report.xlsx").unwrap();
    let mut book = calamine::Xlsx::new(std::io::Cursor::new(content)).unwrap();
    let sheet = book.worksheet_range("Sheet1").unwrap();
    assert_eq!(sheet.get_size(), (2, 60));
    assert_eq!(sheet.get_value((1, 59)), Some(&Data::Float(59.0)));
}

#[tokio::test]
async fn file_names_are_never_paths() {
    let session = session();
    for name in [
        "../escape.xlsx",
        "/tmp/escape.xlsx",
        "a\\b.xlsx",
        "C:x.xlsx",
        "con.xlsx",
        "x.pdf",
        "\u{0}.xlsx",
    ] {
        let arguments = json!({ "data": [{ "a": 1 }], "filename": name });
        let report = session.call("excel_tool__create_excel", &arguments.to_string()).await;
        assert_eq!(kind(&report), ErrorKind::Plugin, "{name:?}");
    }
    assert!(session.artifacts().is_empty());
}

#[tokio::test]
async fn decimal_arithmetic_is_exact() {
    let session = session();
    let arguments = json!({
        "data": [{ "a": 0.1, "g": "x" }, { "a": 0.2, "g": "x" }],
        "by": ["g"],
        "aggregates": [{ "column": "a", "function": "sum" }],
    });
    let report = session.call("table_tool__group", &arguments.to_string()).await;
    let text = report.result.unwrap().to_string();
    assert!(text.contains("0.3]") && !text.contains("0.30000000000000004"), "{text}");
}

#[tokio::test]
async fn a_session_does_not_see_another() {
    let first = session();
    let arguments = json!({ "markdown": "# 秘密", "filename": "secret.md" });
    first.call("report__deliver", &arguments.to_string()).await.result.unwrap();
    let second = session();
    assert!(second.artifacts().is_empty());
    assert!(second.artifact_content("secret.md").is_err());
    assert_eq!(second.journal().len(), 1, "only its own opening");
}

/// Returns rows of two quarters.
fn quarters() -> Value {
    json!([
        { "季度": "一季度", "收入（万元）": 1250, "利润率": 0.216 },
        { "季度": "二季度", "收入（万元）": "1,430", "利润率": 0.259 },
        { "季度": "三季度", "收入（万元）": null, "利润率": 0.188 },
    ])
}

#[tokio::test]
async fn charts_are_drawn_as_pictures_of_both_kinds() {
    let session = session();
    let options = json!({ "title": "利润率回落", "subtitle": "", "second": ["利润率"], "values": ["收入（万元）"] });
    for (filename, begins) in [("图.png", &b"\x89PNG"[..]), ("图.svg", &b"<svg"[..])] {
        let arguments = json!({ "data": quarters(), "form": "combined", "filename": filename, "options": options });
        let report = session.call("chart_tool__draw_chart", &arguments.to_string()).await;
        let artifact = report.result.unwrap().to_string();
        assert!(artifact.contains(filename), "{artifact}");
        let content = session.artifact_content(filename).unwrap();
        assert!(content.starts_with(begins), "{filename}");
        if filename.ends_with("svg") {
            let svg = String::from_utf8(content).unwrap();
            for text in ["利润率回落", "二季度", "1,250", "20%", "柱线组合图"] {
                assert!(svg.contains(text), "{text}: {svg}");
            }
        }
    }
}

#[tokio::test]
async fn what_is_wrong_with_a_chart_is_told_with_its_place() {
    let session = session();
    let told = async |arguments: Value| {
        let report = session.call("chart_tool__draw_chart", &arguments.to_string()).await;
        report.result.unwrap_err().render()
    };
    let data = || json!([{ "a": "x", "b": "1" }, { "a": "y", "b": "z" }]);
    let rows: Vec<Value> = (0..20_001).map(|at| json!({ "a": at, "b": at })).collect();
    for (arguments, want) in [
        (
            json!({ "data": data(), "form": "line", "options": { "values": ["b"] } }),
            "column `b`, row 2: expected a number, got `z`",
        ),
        (
            json!({ "data": data(), "form": "line", "options": { "values": ["c"] } }),
            "values: no column `c`; there are `a`, `b`",
        ),
        (
            json!({ "data": data(), "form": "line", "filename": "a.pdf" }),
            "expected a name that ends in `.png`, `.svg`, got `a.pdf`",
        ),
        (
            json!({ "data": [{ "a": "x", "b": 1 }], "form": "line", "options": { "format": "yyyy", "scale": 2.0 } }),
            "format: expected `percent`",
        ),
        (
            json!({ "data": [{ "a": "x", "b": 1 }], "form": "line", "options": { "scale": 100.0 } }),
            "scale: expected 0.25 to 8, got 100",
        ),
        (
            json!({ "data": [{ "a": "x", "b": 1 }], "form": "line", "options": { "width": 5000 } }),
            "width: expected 160 to 2000 pixels, got 5000",
        ),
        (json!({ "data": rows, "form": "line" }), "expected at most 20000 rows, got 20001"),
    ] {
        let told = told(arguments).await;
        assert!(told.contains(want), "{want}: {told}");
    }
}
