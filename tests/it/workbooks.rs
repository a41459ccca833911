//! Workbooks as users want them: the effect of the tool's design lines on the file, print layout, repaired names, CSV fields
//! that no spreadsheet calculates.

use std::io::{Cursor, Read as _};

use serde_json::{Value, json};

use crate::support::{mitt, session, text};

fn part(content: &[u8], name: &str) -> String {
    let mut zip = zip::ZipArchive::new(Cursor::new(content)).unwrap();
    let mut text = String::new();
    zip.by_name(name).unwrap().read_to_string(&mut text).unwrap();
    text
}

#[tokio::test]
async fn lines_of_design_become_what_excel_has_for_them() {
    let session = session();
    let row = |month: u32, plan: f64, made: f64, state: &str| json!({ "月份": format!("{month}月"), "计划": plan, "实际": made, "完成率": made / plan, "状态": state });
    let arguments = json!({
        "data": [row(1, 100.0, 80.0, "延期"), row(2, 200.0, 220.0, "完成"), row(3, 250.0, 250.0, "完成")],
        "options": {
            "sheet_name": "经营/月度",
            "columns": [{ "column": "计划", "number_format": "¥" }],
            "totals": [{ "column": "计划", "function": "sum" }],
            "charts": [{
                "kind": "column", "title": "经营", "category": "月份", "values": ["计划", "实际"], "lines": ["完成率"],
                "axes": ["月", "万元", "完成率"],
            }],
            "design": [
                "{完成率} < 90%: red", "{实际} >= {计划}: green", "{计划} bars", "{状态} one of 完成, 延期: 请选择",
                "trend {计划} to {实际}", "{实际} note: 未经审计", "table 经营数据", "landscape", "accent #7F1D1D",
            ],
        },
    });
    let report = session.call("excel_tool__create_excel", &arguments.to_string()).await;
    report.result.unwrap();
    let content = session.artifact_content("report.xlsx").unwrap();
    let sheet = part(&content, "xl/worksheets/sheet1.xml");
    for expected in [
        r#"<cfRule type="cellIs""#,
        "<formula>0.9</formula>",
        "<formula>$B2</formula>",
        "<dataBar>",
        "\"完成,延期\"",
        "sparklineGroup",
        r#"orientation="landscape""#,
        "tablePart",
    ] {
        assert!(sheet.contains(expected), "{expected}: {sheet}");
    }
    let book = part(&content, "xl/workbook.xml");
    assert!(book.contains(r#"name="经营-月度""#), "{book}");
    assert!(part(&content, "xl/styles.xml").contains("FF7F1D1D"));
    let chart = part(&content, "xl/charts/chart1.xml");
    assert!(chart.contains(r#"formatCode="0%""#) && chart.contains("<c:lineChart>"), "{chart}");
    // Reported where the file is reported.
    let entry = session.journal().into_iter().find(|it| it["kind"] == "artifact").unwrap();
    assert_eq!(entry["warnings"], 1, "{entry}");
}

#[tokio::test]
async fn wrong_lines_of_design_are_named_all_at_once() {
    let arguments = json!({
        "sheets": [{ "name": "a", "data": [{ "x": 1 }], "design": ["{y} bars", "{x} barz", "landscap"] }],
    });
    let report = session().call("excel_tool__create_workbook", &arguments.to_string()).await;
    let message = report.result.unwrap_err().render();
    for expected in [
        "sheets[0].design[0]: expected a column of the data (`x`), got `y`",
        "got `barz`, did you mean `bars`",
        "got `landscap`, did you mean `landscape`",
    ] {
        assert!(message.contains(expected), "{expected}: {message}");
    }
}

#[test]
fn texts_of_csv_are_no_formulas_for_who_opens_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("a.csv");
    std::fs::write(&path, "名称,金额\n=1+1,-12.5\n@x,3\n").unwrap();
    let run = |args: &[&str]| {
        let output = mitt(folder.path(), &[&["ingest", "a.csv"], args].concat());
        (text(&output.stdout).to_owned(), text(&output.stderr).to_owned(), output.status.code())
    };
    let (out, told, _) = run(&["--csv"]);
    assert_eq!(out, "名称,金额\n'=1+1,-12.5\n'@x,3\n");
    assert!(told.contains("2 texts of the CSV begin with an apostrophe"), "{told}");
    let (out, told, _) = run(&["--csv", "--formulas", "keep"]);
    assert_eq!(out, "名称,金额\n=1+1,-12.5\n@x,3\n");
    assert!(!told.contains("apostrophe"), "{told}");
    let (out, told, code) = run(&["--csv", "--formulas", "refuse"]);
    assert!(out.is_empty() && code != Some(0), "{out}");
    assert!(told.contains("row 1, column 1: ") && told.contains("--formulas harmless"), "{told}");
    let (_, told, _) = run(&["--tables-csv", "tables"]);
    assert!(told.contains("2 texts"), "{told}");
    let written = std::fs::read_dir(folder.path().join("tables")).unwrap().next().unwrap().unwrap();
    assert!(std::fs::read_to_string(written.path()).unwrap().contains("'=1+1,-12.5"));
}

/// The example is printed on as many pages as its sheets need, with each chart inside one range of the print area.
#[tokio::test]
async fn charts_are_within_a_range_of_what_is_printed() {
    let session = session();
    let rows: Vec<Value> = (1..=12)
        .map(|month| json!({ "月份": format!("{month}月"), "收入": month * 100 }))
        .collect();
    let chart = json!({ "kind": "line", "category": "月份", "values": ["收入"] });
    let arguments = json!({ "data": rows, "options": { "charts": [chart, chart, chart] } });
    session.call("excel_tool__create_excel", &arguments.to_string()).await.result.unwrap();
    let content = session.artifact_content("report.xlsx").unwrap();
    let book = part(&content, "xl/workbook.xml");
    let areas =
        book.split("Print_Area").nth(1).and_then(|rest| rest.split(['>', '<']).nth(1)).unwrap();
    let ranges: Vec<Vec<u32>> = areas
        .split(',')
        .map(|range| {
            range
                .split(|c: char| !c.is_ascii_digit())
                .filter_map(|row| row.parse().ok())
                .skip(1)
                .collect()
        })
        .collect();
    let drawing = part(&content, "xl/drawings/drawing1.xml");
    let rows: Vec<u32> = drawing
        .split("<xdr:row>")
        .skip(1)
        .map(|rest| rest.split('<').next().unwrap().parse::<u32>().unwrap() + 1)
        .collect();
    assert_eq!((ranges.len(), rows.len()), (2, 6), "{areas}");
    for chart in rows.chunks(2) {
        // It ends at the upper border of the last named row.
        let is_whole = |range: &Vec<u32>| range[0] <= chart[0] && chart[1] <= range[1] + 1;
        let is_whole = ranges.iter().any(is_whole);
        assert!(is_whole, "{areas}: {chart:?}");
    }
}

#[tokio::test]
async fn pictures_of_the_session_stand_on_sheets() {
    let session = session();
    let data = json!([{ "a": "x", "b": 1 }, { "a": "y", "b": 2 }]);
    let drawing = json!({ "data": data, "form": "bar", "filename": "chart.png" });
    session.call("chart_tool__draw_chart", &drawing.to_string()).await.result.unwrap();
    let book = |line: &str| {
        let sheets = json!([
            { "name": "一", "data": data },
            { "name": "二", "data": data, "design": [line] },
        ]);
        json!({ "sheets": sheets, "filename": "p.xlsx" }).to_string()
    };
    let made =
        session.call("excel_tool__create_workbook", &book("picture chart.png: 柱形图")).await;
    made.result.unwrap();
    let bytes = session.artifact_content("p.xlsx").unwrap();
    let drawing = part(&bytes, "xl/drawings/drawing1.xml");
    assert!(drawing.contains("descr=\"柱形图\""), "{drawing}");
    assert!(part(&bytes, "xl/worksheets/_rels/sheet2.xml.rels").contains("drawing1.xml"));
    let mut zip = zip::ZipArchive::new(Cursor::new(&bytes)).unwrap();
    let mut picture = Vec::new();
    zip.by_name("xl/media/image1.png").unwrap().read_to_end(&mut picture).unwrap();
    assert_eq!(picture, session.artifact_content("chart.png").unwrap());
    for (line, expected) in [
        ("picture absent.png", "picture `absent.png`: this session has no file of this name"),
        ("picture a.svg", "expected the name of a picture such as `chart.png`"),
    ] {
        let made = session.call("excel_tool__create_workbook", &book(line)).await;
        let error = made.result.unwrap_err().render();
        assert!(error.contains(expected), "{expected}: {error}");
    }
}

#[test]
fn texts_of_delivered_csv_are_as_the_user_says() {
    let folder = tempfile::tempdir().unwrap();
    let script = "with open('a.csv', 'w') as file:\n    file.write('n,=1+1\\n')\n";
    std::fs::write(folder.path().join("s.py"), script).unwrap();
    for (number, (arguments, expected, told)) in [
        (&[][..], Some("n,'=1+1\n"), "begin with an apostrophe"),
        (&["--csv-formulas", "harmless"], Some("n,'=1+1\n"), "begin with an apostrophe"),
        (&["--csv-formulas", "keep"], Some("n,=1+1\n"), ""),
        (&["--csv-formulas", "refuse"], None, "expected text that no spreadsheet would calculate"),
    ]
    .into_iter()
    .enumerate()
    {
        let out = format!("out{number}");
        let done = mitt(folder.path(), &[&["exec", "s.py", "--out", &out], arguments].concat());
        let said = text(&done.stderr);
        assert!(said.contains(told), "{arguments:?}: {said}");
        let written = std::fs::read_to_string(folder.path().join(&out).join("a.csv"));
        assert_eq!(written.ok().as_deref(), expected, "{arguments:?}: {said}");
    }
    let wrong = mitt(folder.path(), &["exec", "s.py", "--csv-formulas", "maybe"]);
    assert_eq!(wrong.status.code(), Some(2), "{}", text(&wrong.stderr));
}

/// A function with a missing prefix shows `#NAME?` until somebody types its formula again.
#[test]
fn new_and_edited_workbooks_know_the_same_newer_functions() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
    let names = |file: &str, list: &str| -> Vec<String> {
        let source = std::fs::read_to_string(root.join(file)).unwrap();
        let start = format!("const {list}: [&str; ");
        let rest = source.split_once(&start).unwrap().1.split_once("= [").unwrap().1;
        let list = rest.split_once("];").unwrap().0;
        list.split('"').skip(1).step_by(2).map(str::to_owned).collect()
    };
    let made = names("src/render/backend/xlsx/formula.rs", "FUTURE");
    let edited = names("plugins/sheet-tool/src/formula/names_of_excel.rs", "NEWER");
    assert!(made.len() > 100);
    let missing: Vec<_> = made.iter().filter(|name| !edited.contains(name)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}

#[tokio::test]
async fn edited_formulas_have_their_prefixes_and_a_warning_names_what_only_excel_calculates() {
    let session = session();
    let rows = json!({ "data": [{ "n": 1 }], "filename": "a.xlsx" }).to_string();
    assert!(session.call("excel_tool__create_excel", &rows).await.result.is_ok());
    let cell = |at: &str, value: &str| json!({ "at": format!("Sheet1!{at}"), "value": value });
    let cells =
        [cell("B2", "=T.DIST.2T(A2,5)"), cell("C2", "=CUBEVALUE(A2)"), cell("D2", "=SUMME(A2)")];
    let edits = json!({ "document": "a.xlsx", "edits": [{ "tag": "set-cells", "val": cells }], "filename": "b.xlsx" });
    let made = session.call("sheet_tool__edit_workbook", &edits.to_string()).await;
    let result = made.result.unwrap().to_string();
    assert!(result.contains("CUBEVALUE, which only Excel calculates"), "{result}");
    assert!(result.contains("SUMME, which Excel does not know"), "{result}");
    let content = session.artifact_content("b.xlsx").unwrap();
    let sheet = part(&content, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("_xlfn.T.DIST.2T("), "{sheet}");
}

/// Dates of today and random numbers are those of the host, so that the same workbook and clock make the same bytes.
#[tokio::test]
async fn edited_workbooks_have_the_clock_and_the_random_numbers_of_the_host() {
    let folder = tempfile::tempdir().unwrap();
    let session = session();
    let rows = json!({ "data": [{ "n": 1 }], "filename": "a.xlsx" }).to_string();
    assert!(session.call("excel_tool__create_excel", &rows).await.result.is_ok());
    std::fs::write(folder.path().join("a.xlsx"), session.artifact_content("a.xlsx").unwrap())
        .unwrap();
    let cell = |at: &str, value: &str| json!({ "at": format!("Sheet1!{at}"), "value": value });
    let cells = [
        cell("C1", "=TODAY()"),
        cell("D1", "=NOW()"),
        cell("E1", "=RAND()"),
        cell("G1", "=RANDARRAY(2,2,1,1000000,TRUE)"),
        cell("I1", "=IF(ABS(NOW()-TODAY()-0.5)<=0.5,\"today\",\"\")"),
    ];
    let edits = json!([{ "tag": "set-cells", "val": cells }]).to_string();
    std::fs::write(folder.path().join("edits.json"), edits).unwrap();
    let edited = |clock: &[&str]| {
        let edit = ["edit", "a.xlsx", "--edits", "edits.json", "-o", "b.xlsx", "--force"];
        let output = mitt(folder.path(), &[&edit[..], clock].concat());
        assert!(output.status.success(), "{}", text(&output.stderr));
        std::fs::read(folder.path().join("b.xlsx")).unwrap()
    };
    let at = |content: &[u8], cell: &str| {
        let sheet = part(content, "xl/worksheets/sheet1.xml");
        let rest = sheet.split_once(&format!("<c r=\"{cell}\"")).unwrap().1;
        rest.split_once("<v>").unwrap().1.split_once("</v>").unwrap().0.to_owned()
    };
    // 2025-11-24 16:00.
    let fixed = edited(&["--clock", "1764000000"]);
    assert!(fixed == edited(&["--clock", "1764000000"]));
    let sheet = part(&fixed, "xl/worksheets/sheet1.xml");
    assert!(sheet.contains("<f>TODAY()</f><v>45985</v>"), "{sheet}");
    assert!(sheet.contains("<f>NOW()</f><v>45985.6666"), "{sheet}");
    assert!(sheet.contains("<f>RAND()</f><v>0.") && sheet.contains("_xlfn.RANDARRAY("), "{sheet}");
    let later = edited(&["--clock", "1764000001"]);
    let cells = ["E1", "G1", "H1", "G2", "H2"];
    assert!(cells.iter().all(|it| at(&fixed, it) != at(&later, it)), "{sheet}");
    let free = edited(&[]);
    assert_ne!(at(&free, "E1"), at(&edited(&[]), "E1"));
    assert_eq!(at(&free, "I1"), "today");
    assert!(at(&free, "C1").parse::<f64>().unwrap() >= 46_355.0);
}
