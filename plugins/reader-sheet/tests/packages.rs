//! Tests packages that differ from those of Excel, and their content beside the cells.

mod support;

use mitt_reader_kit::{Cell, Content, Error};
use support::read;
use support::{archive, number, only_table, relationships, root, text, workbook, worksheet};

const NEVER_CALCULATED: &str = "save the workbook in a spreadsheet program to have them calculated";

/// Returns a workbook with one sheet and other parts.
fn one_sheet(rows: &str, more: &[(&str, String)]) -> Content {
    let mut parts = vec![
        ("_rels/.rels", root("xl/workbook.xml")),
        ("xl/workbook.xml", workbook(&[("S", "rId1")])),
        (
            "xl/_rels/workbook.xml.rels",
            relationships(&[
                ("rId1", "worksheet", "worksheets/sheet1.xml"),
                ("rId2", "person", "persons/person.xml"),
            ]),
        ),
        ("xl/worksheets/sheet1.xml", worksheet(rows)),
    ];
    parts.extend(more.iter().cloned());
    read(&archive(&parts), "xlsx").unwrap()
}

#[test]
fn formulas_without_a_value_stand_as_text() {
    let content = one_sheet(
        "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><v>2</v></c></row>\
         <row r=\"2\"><c r=\"A2\"><f>SUM(A1:B1)</f></c><c r=\"B2\"><f>1/3</f><v>0.5</v></c></row>\
         <row r=\"3\"><c r=\"A3\"><f t=\"shared\" si=\"0\" ref=\"A3:A4\">B3*2</f><v></v></c>\
         <c r=\"B3\" t=\"str\"><f>\"\"</f><v></v></c></row>\
         <row r=\"4\"><c r=\"A4\"><f t=\"shared\" si=\"0\"/></c><c r=\"B4\"><v>4</v></c></row>",
        &[],
    );
    assert_eq!(
        only_table(&content),
        [
            [text("=SUM(A1:B1)"), number("0.5")],
            [text("=B3*2"), Cell::Null],
            [text("=B4*2"), number("4")]
        ]
    );
    assert_eq!(
        content.warnings,
        [format!(
            "sheet `S`: formulas that were never calculated stand as text, without a value: A2, A3, A4; {NEVER_CALCULATED}"
        )]
    );
}

#[test]
fn damaged_cells_cost_only_themselves() {
    let content = one_sheet(
        "<row r=\"1\"><c r=\"A1\"><v>1</v></c><c r=\"B1\"><f t=\"shared\">1+1</f><v>2</v></c></row>\
         <row r=\"2\"><c r=\"A2\"><f t=\"shared\">2+1</f></c><c r=\"B2\" t=\"s\"><v>9</v></c></row>\
         <row r=\"3\"><c r=\"A3\" t=\"x\"><v>3</v></c><c r=\"B3\"><v>4</v></c></row>\
         <row r=\"4\"><c r=\"A4\" t=\"n\"><v>four</v></c><c r=\"B4\" t=\"b\"><v>2</v></c></row>",
        &[],
    );
    assert_eq!(content.tables[0].data.columns, ["1", "2"]);
    assert_eq!(only_table(&content), [[text("=2+1"), Cell::Null], [Cell::Null, number("4")]]);
    let never =
        "sheet `S`: formulas that were never calculated stand as text, without a value: A2; ";
    assert_eq!(
        content.warnings,
        [
            "sheet `S`: damaged cells, whose values are missing: 4".to_owned(),
            format!("{never}{NEVER_CALCULATED}")
        ]
    );
}

#[test]
fn cells_of_all_kinds_and_ways_of_writing() {
    let content = one_sheet(
        "<x:row><x:c t=\"inlineStr\"><x:is><x:t>a</x:t></x:is></x:c><c t='str'><v>b&amp;_x0041_</v></c><c t=\"b\"><v>true</v></c></x:row>\
         <row/><!-- no row -->\
         <row r=\"4\"><c/><c><v>1e3</v></c><c r=\"C4\" t=\"e\"><v>#SPILL!</v><extLst><ext/></extLst></c></row>\
         <row><c t=\"d\"><v>2024-12-31T00:00:00</v></c><c><v><![CDATA[0.30000000000000004]]></v></c><c t=\"inlineStr\"><is/><v>9</v></c></row>",
        &[],
    );
    assert_eq!(content.tables[0].data.columns, ["a", "b&A", "true"]);
    let rows = only_table(&content);
    assert_eq!(rows[2], [Cell::Null, number("1000"), text("#SPILL!")]);
    assert_eq!(rows[3], [text("2024-12-31"), number("0.30000000000000004"), Cell::Null]);
    assert_eq!(content.warnings, ["sheet `S`: cells with an error such as `#SPILL!`: 1"]);
}

#[test]
fn damage_is_said() {
    let sheet = |xml: &str| {
        let parts = [
            ("_rels/.rels", root("xl/workbook.xml")),
            ("xl/workbook.xml", workbook(&[("S", "rId1")])),
            ("xl/_rels/workbook.xml.rels", relationships(&[("rId1", "worksheet", "one.xml")])),
            ("xl/one.xml", xml.to_owned()),
            ("xl/sharedStrings.xml", "<sst><si><t>a</t></si><si>".to_owned()),
        ];
        read(&archive(&parts), "xlsx")
    };
    for (xml, expected) in [
        ("<worksheet/>", "it has no cells"),
        ("<worksheet><sheetData><row><c><v>1</v>", "it is cut off inside `c`"),
        ("<worksheet><sheetData><row><c><v>1</v></c></row>", "it is cut off inside `sheetData`"),
        ("<worksheet><sheetData><row><c><c/></row></sheetData>", "it is cut off inside `c`"),
        ("<worksheet><sheetData><row r=\"0\"/></sheetData>", "`0` is no place of a cell"),
        (
            "<worksheet><sheetData><row><c r=\"1A\"/></row></sheetData>",
            "`1A` is no place of a cell",
        ),
    ] {
        let error = sheet(xml).unwrap_err();
        assert_eq!(error, Error::Malformed(format!("sheet `S` is damaged: {expected}")), "{xml}");
    }
    // The usual name counts if no relationship gives the part with the strings.
    let content = sheet(
        "<worksheet><sheetData><row><c t=\"s\"><v>0</v></c></row></sheetData><mergeCells><mergeCell ref=\"A\"",
    )
    .unwrap();
    assert_eq!(content.tables[0].data.columns, ["a"]);
    assert_eq!(
        content.warnings,
        [
            "some of the texts that cells share are missing: it is cut off inside `si`",
            "sheet `S`: it may be damaged: it is cut off inside a tag",
        ]
    );
}

#[test]
fn sheets_of_macros_and_missing_sheets_cost_only_themselves() {
    let parts = [
        ("_rels/.rels", root("xl/workbook.xml")),
        (
            "xl/workbook.xml",
            workbook(&[
                ("Data", "rId1"),
                ("Macro", "rId2"),
                ("Ask", "rId3"),
                ("Gone", "rId4"),
                ("Lost", "rId9"),
            ]),
        ),
        (
            "xl/_rels/workbook.xml.rels",
            relationships(&[
                ("rId1", "worksheet", "worksheets/sheet1.xml"),
                ("rId2", "xlMacrosheet", "macrosheets/sheet1.xml"),
                ("rId3", "dialogsheet", "dialogsheets/sheet1.xml"),
                ("rId4", "worksheet", "worksheets/sheet4.xml"),
            ]),
        ),
        ("xl/worksheets/sheet1.xml", worksheet("<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>")),
        ("xl/macrosheets/sheet1.xml", "<macrosheet/>".to_owned()),
        ("xl/dialogsheets/sheet1.xml", "<dialogsheet/>".to_owned()),
    ];
    let content = read(&archive(&parts), "xlsm").unwrap();
    assert_eq!(content.tables.len(), 1);
    assert_eq!(
        content.warnings,
        [
            "sheet `Macro` holds macros or dialogs and was not read",
            "sheet `Ask` holds macros or dialogs and was not read",
            "sheet `Gone` is listed in the workbook but is not in it",
            "sheet `Lost` is listed in the workbook but is not in it",
        ]
    );
}

/// Returns parts with unusual names, which only the relationships give.
fn moved_parts() -> Vec<(&'static str, String)> {
    vec![
        ("_rels/.rels", root("/book/main.xml")),
        ("book/main.xml", workbook(&[("S", "a")])),
        (
            "book/_rels/main.xml.rels",
            relationships(&[
                ("a", "worksheet", "../pages/one.xml"),
                ("b", "sharedStrings", "/words/all.xml"),
                ("c", "styles", "./look/style.xml"),
            ]),
        ),
        (
            "pages/one.xml",
            worksheet(
                "<row r=\"1\"><c r=\"A1\" t=\"s\"><v>0</v></c><c r=\"B1\" t=\"s\"><v>1</v></c></row>\
                 <row r=\"2\"><c r=\"A2\" t=\"s\"><v>2</v></c><c r=\"B2\" s=\"1\"><v>45657</v></c></row>",
            ),
        ),
        (
            "words/all.xml",
            "<sst><si><t>who</t></si><si><t>when</t></si><si><t>Ann</t></si></sst>".into(),
        ),
        (
            "book/look/style.xml",
            "<styleSheet><cellXfs><xf numFmtId=\"0\"/><xf numFmtId=\"14\"/></cellXfs></styleSheet>"
                .into(),
        ),
    ]
}

#[test]
fn parts_are_found_by_their_relationships() {
    let content = read(&archive(&moved_parts()), "xlsx").unwrap();
    assert_eq!(content.tables[0].data.columns, ["who", "when"]);
    assert_eq!(only_table(&content), [[text("Ann"), text("2024-12-31")]]);
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
}

#[test]
fn without_relationships_the_content_types_say_which_part_is_the_workbook() {
    let mut parts = moved_parts();
    parts[0] = (
        "[Content_Types].xml",
        "<Types><Override PartName=\"/book/main.xml\" \
         ContentType=\"application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml\"/></Types>"
            .into(),
    );
    let content = read(&archive(&parts), "xlsx").unwrap();
    assert_eq!(only_table(&content), [[text("Ann"), text("2024-12-31")]]);
    parts.remove(0);
    assert!(matches!(read(&archive(&parts), "xlsx"), Err(Error::Malformed(_))));
}

#[test]
fn comments_and_conversations_follow_the_cells() {
    let content = one_sheet(
        "<row r=\"1\"><c r=\"A1\"><v>1</v></c></row>",
        &[
            (
                "xl/worksheets/_rels/sheet1.xml.rels",
                relationships(&[
                    ("rId1", "comments", "../comments1.xml"),
                    ("rId2", "threadedComment", "../threadedComments/one.xml"),
                ]),
            ),
            (
                "xl/comments1.xml",
                "<comments><authors><author>Ann &amp; Co</author><author>tc=1</author></authors><commentList>\
                 <comment ref=\"B2\" authorId=\"0\"><text><r><t>Ann &amp; Co:</t></r><r><t>\nwhy &lt; 5?</t></r>\
                 <rPh><t>hint</t></rPh></text></comment>\
                 <comment ref=\"C3\" authorId=\"1\"><text><t>[Threaded comment] Your version …</t></text></comment>\
                 </commentList></comments>"
                    .into(),
            ),
            (
                "xl/threadedComments/one.xml",
                "<ThreadedComments><threadedComment ref=\"C3\" personId=\"{P}\" id=\"1\"><text>Is it so?</text></threadedComment>\
                 <threadedComment ref=\"C3\" personId=\"{Q}\" id=\"2\" parentId=\"1\"><text>Yes &amp; no</text></threadedComment>\
                 </ThreadedComments>"
                    .into(),
            ),
            (
                "xl/persons/person.xml",
                "<personList><person displayName=\"Bob\" id=\"{P}\"/></personList>".into(),
            ),
        ],
    );
    assert!(
        content.markdown.ends_with(
            "\n\nComments:\n\n- B2 (Ann & Co): why < 5?\n- C3 (Bob): Is it so?\n- C3: Yes & no\n"
        ),
        "{}",
        content.markdown
    );
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
}

#[test]
fn empty_rows_and_columns_do_not_cost_text() {
    let mut rows = String::new();
    for index in 0..40 {
        let (row, column) = (1 + index * 500, ["A", "CV", "GR"][index % 3]);
        rows.push_str(&format!("<row r=\"{row}\"><c r=\"{column}{row}\"><v>{index}</v></c></row>"));
    }
    let content = one_sheet(&rows, &[]);
    assert_eq!(content.tables[0].data.columns.len(), 3);
    assert_eq!(content.tables[0].data.rows.len(), 39);
    assert!(content.markdown.len() < 1000, "{}", content.markdown.len());
    assert_eq!(
        content.warnings,
        [
            "sheet `S`: 19461 empty rows (2-500, 502-1000, 1002-1500, …) and empty columns B-CU, CW-GQ were left out"
        ]
    );
}

#[test]
fn a_wide_and_mostly_empty_sheet_is_a_list_of_rows() {
    let column = |index: usize| {
        let letter = |index: usize| char::from(b'A' + index as u8);
        match index {
            0..26 => letter(index).to_string(),
            _ => format!("{}{}", letter(index / 26 - 1), letter(index % 26)),
        }
    };
    let mut rows = String::new();
    for index in 0..100 {
        let row = index + 1;
        rows.push_str(&format!(
            "<row r=\"{row}\"><c r=\"{}{row}\"><v>{index}</v></c></row>",
            column(index * 4)
        ));
    }
    let content = one_sheet(&rows, &[]);
    assert_eq!(content.tables[0].data.columns.len(), 397, "gaps of three columns are kept");
    assert!(content.markdown.contains("\n- row 3: column_9 = 2\n"), "{}", content.markdown);
    assert!(content.markdown.len() < 4000, "{}", content.markdown.len());
}

#[test]
fn cells_too_far_apart_for_a_table_are_listed() {
    let mut rows = String::new();
    for index in 0..1500 {
        let row = index * 2 + 1;
        // Each cell is two columns further right, and columns count in letters.
        let mut rest = index * 2 + 1;
        let mut letters = String::new();
        while rest > 0 {
            letters.insert(0, char::from(b'A' + ((rest - 1) % 26) as u8));
            rest = (rest - 1) / 26;
        }
        rows.push_str(&format!(
            "<row r=\"{row}\"><c r=\"{letters}{row}\"><v>{index}</v></c></row>"
        ));
    }
    let content = one_sheet(&rows, &[]);
    assert_eq!(content.tables[0].data.columns, ["row", "column", "value"]);
    assert_eq!(content.tables[0].data.rows.len(), 1500);
    assert_eq!(content.tables[0].data.rows[1], [number("3"), text("C"), number("1")]);
    assert_eq!(
        content.warnings,
        ["sheet `S`: its cells lie too far apart for a table and are listed one by one"]
    );
}
