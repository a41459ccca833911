//! Sheets that are copied for each item.

use super::*;

const RELS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// Returns a workbook with a summary and a sheet for each department, which has a chart and a table.
fn departments(summary: &str, more: &[(&str, &str)]) -> Vec<u8> {
    let rel = |id: &str, kind: &str, target: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{RELS}/{kind}\" Target=\"{target}\"/>")
    };
    let rels = |all: &str| format!("<Relationships>{all}</Relationships>");
    let sheet = cells(&[
        &["{{departments.name}}", "{{departments.head}}"],
        &["{{departments.staff.name}}", "{{staff.pay}}"],
        &["Sum", "=SUM('{{departments.name}}'!B2:B2)", "=SUM(Extra[a])"],
    ]);
    let mut all = vec![
        ("[Content_Types].xml".to_owned(), "<Types><Override PartName=\"/xl/worksheets/t.xml\" ContentType=\"sheet\"/><Override PartName=\"/xl/tables/table1.xml\" ContentType=\"table\"/></Types>".to_owned()),
        ("_rels/.rels".into(), rels(&rel("r", "officeDocument", "xl/workbook.xml"))),
        (
            "xl/workbook.xml".into(),
            "<workbook><bookViews><workbookView activeTab=\"2\"/></bookViews><sheets><sheet name=\"Summary\" sheetId=\"1\" r:id=\"a\"/><sheet name=\"{{departments.name}}\" sheetId=\"2\" r:id=\"b\"/><sheet name=\"Last\" sheetId=\"3\" r:id=\"c\"/></sheets><definedNames><definedName name=\"_xlnm.Print_Area\" localSheetId=\"1\">'{{departments.name}}'!$A$1:$B$3</definedName><definedName name=\"x\" localSheetId=\"2\">Last!$A$1</definedName></definedNames></workbook>".into(),
        ),
        (
            "xl/_rels/workbook.xml.rels".into(),
            rels(&(rel("a", "worksheet", "worksheets/s.xml") + &rel("b", "worksheet", "worksheets/t.xml") + &rel("c", "worksheet", "worksheets/u.xml"))),
        ),
        ("xl/worksheets/s.xml".into(), format!("<worksheet><sheetData>{summary}</sheetData></worksheet>")),
        ("xl/worksheets/u.xml".into(), "<worksheet><sheetData/></worksheet>".into()),
        (
            "xl/worksheets/t.xml".into(),
            format!("<worksheet><sheetPr codeName=\"c\"/><sheetViews><sheetView tabSelected=\"1\"/></sheetViews><sheetData>{sheet}</sheetData><headerFooter><oddHeader>{{{{name}}}}</oddHeader></headerFooter><drawing r:id=\"d\"/></worksheet>"),
        ),
        ("xl/worksheets/_rels/t.xml.rels".into(), rels(&(rel("d", "drawing", "../drawings/drawing1.xml") + &rel("t", "table", "../tables/table1.xml")))),
        ("xl/tables/table1.xml".into(), "<table id=\"1\" name=\"Extra\" displayName=\"Extra\" ref=\"E1:E2\"><tableColumns><tableColumn name=\"a\"/></tableColumns></table>".into()),
        ("xl/drawings/drawing1.xml".into(), "<xdr:wsDr/>".into()),
        ("xl/drawings/_rels/drawing1.xml.rels".into(), rels(&rel("e", "chart", "../charts/chart1.xml"))),
        ("xl/charts/chart1.xml".into(), "<c:chart><a:t>{{name}}</a:t><c:f>'{{departments.name}}'!$B$2</c:f></c:chart>".into()),
    ];
    for (name, text) in more {
        all.retain(|it| it.0 != *name);
        all.push(((*name).to_owned(), (*text).to_owned()));
    }
    pack(&all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>())
}

const TWO: &str = r#"{"departments": [
    {"name": "Sales/EU", "head": "Ann", "staff": [{"name": "x", "pay": 1}, {"name": "y", "pay": 2}]},
    {"name": "sales_eu", "head": "Bob", "staff": [{"name": "z", "pay": 5}]}
]}"#;

#[test]
fn each_item_gets_a_sheet_with_everything_on_it() {
    let template = departments(&cells(&[&["=SUM('{{departments.name}}'!B3)", "=Last!A1"]]), &[]);
    let filled = fill(&template, &json(TWO)).unwrap();
    let sheets = ["Summary", "Sales_EU", "sales_eu (2)"].map(|sheet| shown(&filled.bytes, sheet));
    insta::assert_snapshot!(sheets.join("\n--\n"), @r"
    A1 =SUM(Sales_EU!B4,'sales_eu (2)'!B3) -> 8 | B1 =Last!A1 -> 0
    --
    A1 Sales/EU | B1 Ann
    A2 x | B2 1
    A3 y | B3 2
    A4 Sum | B4 =SUM(Sales_EU!B2:B3) -> 3
    --
    A1 sales_eu | B1 Bob
    A2 z | B2 5
    A3 Sum | B3 =SUM('sales_eu (2)'!B2:B2) -> 5
    ");
    insta::assert_snapshot!(part(&filled.bytes, "xl/workbook.xml"), @r#"<workbook><bookViews><workbookView activeTab="3"/></bookViews><sheets><sheet name="Summary" sheetId="1" r:id="a"/><sheet name="Sales_EU" sheetId="2" r:id="b"/><sheet name="sales_eu (2)" sheetId="4" r:id="rId4"/><sheet name="Last" sheetId="3" r:id="c"/></sheets><definedNames><definedName name="_xlnm.Print_Area" localSheetId="1">Sales_EU!$A$1:$B$4</definedName><definedName name="_xlnm.Print_Area" localSheetId="2">'sales_eu (2)'!$A$1:$B$3</definedName><definedName name="x" localSheetId="3">Last!$A$1</definedName></definedNames><calcPr fullCalcOnLoad="1"/></workbook>"#);
    let copy = part(&filled.bytes, "xl/worksheets/t1.xml");
    assert!(!copy.contains("tabSelected") && !copy.contains("codeName"), "{copy}");
    assert!(copy.contains("<oddHeader>sales_eu</oddHeader>"), "{copy}");
    assert!(part(&filled.bytes, "xl/worksheets/t.xml").contains("<oddHeader>Sales/EU</oddHeader>"));
    assert_eq!(
        part(&filled.bytes, "xl/charts/chart2.xml"),
        "<c:chart><a:t>sales_eu</a:t><c:f>'sales_eu (2)'!$B$2</c:f></c:chart>"
    );
    assert_eq!(
        part(&filled.bytes, "xl/charts/chart1.xml"),
        "<c:chart><a:t>Sales/EU</a:t><c:f>Sales_EU!$B$2:$B$3</c:f></c:chart>"
    );
    let table = part(&filled.bytes, "xl/tables/table2.xml");
    assert!(table.contains("id=\"2\" name=\"Extra_2\" displayName=\"Extra_2\""), "{table}");
    let types = part(&filled.bytes, "[Content_Types].xml");
    assert!(types.contains("PartName=\"/xl/worksheets/t1.xml\" ContentType=\"sheet\""), "{types}");
    assert!(
        filled.warnings[0].contains("`Sales/EU -> Sales_EU`, `sales_eu -> sales_eu (2)`"),
        "{:?}",
        filled.warnings
    );
}

#[test]
fn one_item_and_none_leave_one_sheet() {
    let template = departments(&cells(&[&["='{{departments.name}}'!B1&\"\""]]), &[]);
    let one = fill(
        &template,
        &json(r#"{"departments": [{"name": "Only", "head": "Ann", "staff": []}]}"#),
    )
    .unwrap();
    assert_eq!(formulas(&one.bytes, "Summary")["A1"], "Only!B1&\"\"");
    let none = fill(&template, &json(r#"{"departments": []}"#)).unwrap();
    assert_eq!(formulas(&none.bytes, "Summary")["A1"], "departments!B1&\"\"");
    assert!(
        none.warnings.iter().any(|it| it.contains("one empty sheet stays: `departments`")),
        "{:?}",
        none.warnings
    );
}

#[test]
fn what_becomes_ambiguous_or_cannot_be_copied_is_refused_by_name() {
    let refused = |summary: &[&str], more: &[(&str, &str)]| {
        fill(&departments(&cells(&[summary]), more), &json(TWO)).unwrap_err().render()
    };
    let error = refused(&["='{{departments.name}}'!B1"], &[]);
    assert!(error.contains("`Summary`: the formula `'{{departments.name}}'!B1` names the sheet `{{departments.name}}`, which becomes several"), "{error}");
    let pivot = format!(
        "<Relationships><Relationship Id=\"p\" Type=\"{RELS}/pivotTable\" Target=\"../pivotTables/p.xml\"/></Relationships>"
    );
    let error = refused(&["x"], &[("xl/worksheets/_rels/t.xml.rels", &pivot)]);
    assert!(error.contains("the sheet has a pivot table, which cannot be copied"), "{error}");
    let many: Vec<String> =
        (0..501).map(|n| format!("{{\"name\": {n}, \"head\": 1, \"staff\": []}}")).collect();
    let many = json(&format!("{{\"departments\": [{}]}}", many.join(",")));
    let error = fill(&departments("", &[]), &many).unwrap_err().render();
    assert!(error.contains("expected at most 500 sheets, got 501"), "{error}");
}

#[test]
fn names_of_sheets_have_single_values_too() {
    let workbook = |text: String| {
        text.replace("name=\"S\"", "name=\"Report {{year}}\"").replace("S!", "'Report {{year}}'!")
    };
    let template = book(&cells(&[&["{{year}}", "='Report {{year}}'!A1+1"]]), "");
    let all: Vec<(String, String)> = parts(&template)
        .into_iter()
        .map(|(name, content)| (name, workbook(String::from_utf8(content).unwrap())))
        .collect();
    let packed =
        pack(&all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>());
    let filled = fill(&packed, &json(r#"{"year": 2026}"#)).unwrap();
    assert_eq!(shown(&filled.bytes, "Report 2026"), "A1 2026 | B1 ='Report 2026'!A1+1 -> 2027");
    assert!(part(&filled.bytes, "xl/workbook.xml").contains("'Report 2026'!$A$2:$B$2"));
}

#[test]
fn templates_of_jxls_get_the_form_to_write() {
    let rels = format!(
        "<Relationships><Relationship Id=\"c\" Type=\"{RELS}/comments\" Target=\"../comments1.xml\"/></Relationships>"
    );
    let comments = "<comments><commentList><comment ref=\"B7\"><text><r><t>me:\n</t></r><r><t>jx:each(items=\"employees\" var=\"e\" lastCell=\"D4\")</t></r></text></comment></commentList></comments>";
    let template = departments(
        "",
        &[("xl/worksheets/_rels/s.xml.rels", &rels), ("xl/comments1.xml", comments)],
    );
    let error = fill(&template, &json(TWO)).unwrap_err().render();
    assert!(error.contains("Summary!B7: `jx:each(items=\"employees\""), "{error}");
    assert!(error.contains("`{{#employees}}` to `{{/employees}}`"), "{error}");
    let cells = book(&cells(&[&["${e.name} {{a}}"]]), "");
    let filled = fill(&cells, &json(r#"{"a": 1}"#)).unwrap();
    assert!(
        filled.warnings[0]
            .contains("`${…}` is no placeholder here and stays as it is; write `{{…}}`: `S!A1`"),
        "{:?}",
        filled.warnings
    );
}
