//! Tests that text of Word documents which people do not see is left out, with a warning.

mod common;

use common::{W, word};
use mitt_reader_kit::Content;
use reader_office::read;

const STYLES: &str = r#"<w:docDefaults><w:rPrDefault><w:rPr><w:sz w:val="22"/></w:rPr></w:rPrDefault></w:docDefaults>
<w:style w:type="paragraph" w:default="1" w:styleId="Normal"><w:name w:val="Normal"/></w:style>
<w:style w:type="paragraph" w:styleId="White"><w:basedOn w:val="Normal"/><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="WhiteToo"><w:basedOn w:val="White"/></w:style>
<w:style w:type="paragraph" w:styleId="OnDark"><w:pPr><w:shd w:val="clear" w:fill="203040"/></w:pPr><w:rPr><w:color w:val="FFFFFF"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Gone"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="character" w:styleId="Small"><w:rPr><w:sz w:val="2"/></w:rPr></w:style>
<w:style w:type="character" w:styleId="GoneToo"><w:basedOn w:val="Gone"/></w:style>
<w:style w:type="character" w:styleId="Shown"><w:basedOn w:val="Gone"/><w:rPr><w:vanish w:val="0"/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="GoneText"><w:rPr><w:vanish/></w:rPr></w:style>
<w:style w:type="paragraph" w:styleId="GoneTextToo"><w:basedOn w:val="GoneText"/></w:style>
<w:style w:type="table" w:styleId="Grid"><w:tblPr/></w:style>
<w:style w:type="table" w:styleId="Dark"><w:tblStylePr w:type="firstRow"><w:tcPr><w:shd w:val="clear" w:fill="000000"/></w:tcPr></w:tblStylePr></w:style>"#;

const THEME: &str = "<a:theme xmlns:a='a'><a:themeElements><a:clrScheme><a:dk1><a:sysClr val='windowText'/></a:dk1><a:lt1><a:sysClr val='window' lastClr='FFFFFF'/></a:lt1><a:accent1><a:srgbClr val='4472C4'/></a:accent1></a:clrScheme></a:themeElements></a:theme>";

fn document(body: &str) -> Content {
    let styles = format!("<w:styles xmlns:w=\"{W}\">{STYLES}</w:styles>");
    let body = format!("<w:p><w:r><w:t>Pay 4,200 EUR.</w:t></w:r></w:p>{body}");
    let others: [(&str, &str, &[u8]); 2] = [
        ("styles.xml", "styles", styles.as_bytes()),
        ("theme/theme1.xml", "theme", THEME.as_bytes()),
    ];
    read(&word(&body, &others), "docx").unwrap()
}

/// Returns what the warnings say about unseen text.
fn told(content: &Content) -> Vec<&str> {
    content.warnings.iter().map(String::as_str).filter(|it| it.contains("nobody sees")).collect()
}

fn run(properties: &str) -> String {
    format!("<w:r><w:rPr>{properties}</w:rPr><w:t>PLANT one</w:t></w:r>")
}

fn paragraph(properties: &str, run: &str) -> String {
    format!("<w:p><w:pPr>{properties}</w:pPr>{run}</w:p>")
}

fn table(style: &str, cell: &str, content: &str) -> String {
    format!(
        "<w:tbl><w:tblPr><w:tblStyle w:val=\"{style}\"/></w:tblPr><w:tr><w:tc><w:tcPr>{cell}</w:tcPr>{content}</w:tc><w:tc><w:p><w:r><w:t>x</w:t></w:r></w:p></w:tc></w:tr></w:tbl>"
    )
}

fn shape(place: &str, properties: &str, fill: &str, content: &str) -> String {
    format!(
        "<w:p><w:r><w:drawing><wp:anchor behindDoc=\"0\"><wp:positionH relativeFrom=\"page\"><wp:posOffset>{place}</wp:posOffset></wp:positionH><wp:extent cx=\"1270000\" cy=\"1270000\"/><wp:wrapNone/><wp:docPr id=\"1\" {properties}/><a:graphic><a:graphicData><wps:wsp><wps:spPr>{fill}</wps:spPr><wps:txbx><w:txbxContent><w:p>{content}</w:p></w:txbxContent></wps:txbx></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>"
    )
}

const WHITE: &str = r#"<w:color w:val="FFFFFF"/>"#;
const DARK: &str = r#"<w:shd w:val="clear" w:color="auto" w:fill="1F3864"/>"#;

#[test]
fn what_nobody_sees_is_left_out_and_told() {
    let navy = r#"<a:solidFill><a:srgbClr val="000080"/></a:solidFill>"#;
    for (hidden, reason) in [
        (paragraph("", &run("<w:vanish/>")), "marked as hidden"),
        (paragraph("", &run(r#"<w:rStyle w:val="Gone"/>"#)), "marked as hidden"),
        (paragraph("", &run(WHITE)), "in the colour behind it"),
        (paragraph("", &run(r#"<w:color w:val="FDFDFD"/>"#)), "in the colour behind it"),
        (
            paragraph("", &run(r#"<w:color w:val="000000" w:themeColor="background1"/>"#)),
            "in the colour behind it",
        ),
        (paragraph(r#"<w:pStyle w:val="WhiteToo"/>"#, &run("<w:b/>")), "in the colour behind it"),
        (paragraph("", &run(r#"<w:rStyle w:val="GoneToo"/>"#)), "marked as hidden"),
        (paragraph(r#"<w:pStyle w:val="GoneTextToo"/>"#, &run("")), "marked as hidden"),
        (paragraph(DARK, &run(r#"<w:color w:val="1F3864"/>"#)), "in the colour behind it"),
        (
            paragraph("", &run(r#"<w:color w:val="FFFF00"/><w:highlight w:val="yellow"/>"#)),
            "in the colour behind it",
        ),
        (
            paragraph(
                r#"<w:pStyle w:val="OnDark"/><w:shd w:val="clear" w:fill="auto"/>"#,
                &run(""),
            ),
            "in the colour behind it",
        ),
        (table("Grid", "", &paragraph("", &run(WHITE))), "in the colour behind it"),
        (
            table("Dark", r#"<w:shd w:val="clear" w:fill="FFFFFF"/>"#, &paragraph("", &run(WHITE))),
            "in the colour behind it",
        ),
        (paragraph("", &run(r#"<w:sz w:val="2"/>"#)), "not larger than 1 pt"),
        (paragraph("", &run(r#"<w:rStyle w:val="Small"/>"#)), "not larger than 1 pt"),
        (paragraph("", &run(r#"<w:w w:val="1"/>"#)), "not larger than 1 pt"),
        (
            paragraph(r#"<w:spacing w:line="10" w:lineRule="exact"/>"#, &run("")),
            "not larger than 1 pt",
        ),
        (
            paragraph(
                "",
                &run(
                    "<w14:textFill><w14:solidFill><w14:srgbClr w14:val=\"000000\"><w14:alpha w14:val=\"100000\"/></w14:srgbClr></w14:solidFill></w14:textFill>",
                ),
            ),
            "transparent",
        ),
        (shape("0", "hidden=\"1\"", "", &run("")), "marked as hidden"),
        (shape("-9000000", "", "", &run("")), "outside of the page"),
        (shape("99000000", "", "", &run("")), "outside of the page"),
        (shape("0", "", navy, &run(r#"<w:color w:val="000080"/>"#)), "in the colour behind it"),
        (shape("0", "", "<a:noFill/>", &run(WHITE)), "in the colour behind it"),
        (
            paragraph(
                "",
                "<w:r><w:pict><v:shape style=\"position:absolute;visibility:hidden\"><v:textbox><w:txbxContent><w:p><w:r><w:t>PLANT one</w:t></w:r></w:p></w:txbxContent></v:textbox></v:shape></w:pict></w:r>",
            ),
            "marked as hidden",
        ),
    ] {
        let content = document(&hidden);
        assert!(content.markdown.contains("4,200"), "{hidden}");
        assert!(!content.markdown.contains("PLANT"), "{hidden}: {}", content.markdown);
        let place = if hidden.starts_with("<w:tbl>") { "table 1" } else { "paragraph 2" };
        let expected = format!(
            "text that nobody sees was left out in {place}: 8 characters in 1 place ({reason} 8)"
        );
        assert_eq!(told(&content), [expected], "{hidden}");
    }
}

#[test]
fn text_that_stands_out_from_its_ground_stays() {
    let navy = r#"<a:solidFill><a:srgbClr val="000080"/></a:solidFill>"#;
    let band = "<w:p><w:r><w:drawing><wp:anchor behindDoc=\"1\"><wp:extent cx=\"5000000\" cy=\"1000000\"/><wp:wrapNone/><wp:docPr id=\"1\"/><a:graphic><a:graphicData><wps:wsp><wps:spPr><a:solidFill><a:srgbClr val=\"000080\"/></a:solidFill></wps:spPr></wps:wsp></a:graphicData></a:graphic></wp:anchor></w:drawing></w:r></w:p>";
    for seen in [
        paragraph(DARK, &run(WHITE)),
        paragraph(r#"<w:pStyle w:val="OnDark"/>"#, &run("")),
        paragraph("", &run(&format!("{WHITE}<w:highlight w:val=\"darkBlue\"/>"))),
        paragraph("", &run(&format!("{WHITE}{DARK}"))),
        table("Grid", DARK, &paragraph("", &run(WHITE))),
        table("Dark", "", &paragraph("", &run(WHITE))),
        table("Grid", DARK, &table("Grid", "", &paragraph("", &run(WHITE)))),
        paragraph(r#"<w:shd w:val="pct50" w:color="000000" w:fill="FFFFFF"/>"#, &run(WHITE)),
        paragraph("", &run(r#"<w:color w:val="auto"/>"#)),
        paragraph("", &run(r#"<w:color w:val="F0F0F0"/>"#)),
        paragraph(r#"<w:pStyle w:val="White"/>"#, &run(r#"<w:color w:val="000000"/>"#)),
        paragraph("", &run(r#"<w:rStyle w:val="Gone"/><w:vanish w:val="0"/>"#)),
        paragraph("", &run(r#"<w:webHidden/>"#)),
        paragraph("", &run(r#"<w:rStyle w:val="Shown"/>"#)),
        paragraph("", &run(r#"<w:rStyle w:val="Small"/><w:sz w:val="20"/>"#)),
        paragraph("", &run(&format!("{WHITE}<w:shadow/>"))),
        paragraph(
            "",
            &run(&format!(
                "{WHITE}<w14:textFill><w14:solidFill><w14:srgbClr w14:val=\"112233\"/></w14:solidFill></w14:textFill>"
            )),
        ),
        shape("0", "", navy, &run(WHITE)),
        shape("0", "", "<a:gradFill/>", &run(WHITE)),
        shape("0", "", "<a:noFill/>", &run("")),
        band.to_owned() + &paragraph("", &run(WHITE)),
        // A text box behind the text, with a text of its own.
        shape("0", "", navy, &run(WHITE)).replace("behindDoc=\"0\"", "behindDoc=\"1\"")
            + &paragraph("", &run(WHITE)),
    ] {
        let content = document(&seen);
        assert!(content.markdown.contains("PLANT one"), "{seen}: {}", content.markdown);
        assert!(told(&content).is_empty(), "{seen}");
    }
    // A drawing has room for so many letters only.
    let long = paragraph("", &run(WHITE)).repeat(500);
    assert!(document(&(band.to_owned() + &long)).markdown.matches("PLANT").count() < 500);
    // Complex scripts have a size of their own.
    let sizes = r#"<w:sz w:val="2"/><w:szCs w:val="24"/>"#;
    let arabic = |properties: &str| {
        paragraph("", &run(properties).replace("PLANT one", "\u{645}\u{631}\u{62d}\u{628}\u{627}"))
    };
    assert!(document(&arabic(sizes)).markdown.contains('\u{645}'));
    assert!(!document(&arabic(r#"<w:szCs w:val="2"/>"#)).markdown.contains('\u{645}'));
}

#[test]
fn headers_notes_and_other_encodings_are_judged_too() {
    let white = |tag: &str, inner: &str| {
        format!("<w:{tag} xmlns:w=\"{W}\">{inner}{}</w:{tag}>", paragraph("", &run(WHITE)))
    };
    let header = white("hdr", "<w:p><w:r><w:t>ACME</w:t></w:r></w:p>");
    let sent = "<w:p><w:r><w:t>text</w:t></w:r></w:p><w:sectPr><w:headerReference w:type=\"default\" r:id=\"x0\"/></w:sectPr>";
    let content =
        read(&word(sent, &[("header1.xml", "header", header.as_bytes())]), "docx").unwrap();
    assert!(content.markdown.contains("ACME") && !content.markdown.contains("PLANT"));
    assert_eq!(
        content.warnings,
        [
            "text that nobody sees was left out in a header: 8 characters in 1 place (in the colour behind it 8)"
        ]
    );
    let utf16: Vec<u8> =
        std::iter::once(0xFEFF).chain(header.encode_utf16()).flat_map(u16::to_le_bytes).collect();
    let content = read(&word(sent, &[("header1.xml", "header", &utf16)]), "docx").unwrap();
    assert!(content.markdown.contains("ACME") && !content.markdown.contains("PLANT"));
    assert_eq!(content.warnings.len(), 1, "{:?}", content.warnings);
}

#[test]
fn pieces_are_counted_and_places_are_named_once() {
    let body = [
        paragraph("", &(run(WHITE) + &run(WHITE))),
        paragraph("", &(run(WHITE) + &run("") + &run("<w:vanish/>"))),
        table("Grid", "", &paragraph("", &run(WHITE))),
    ];
    assert_eq!(
        told(&document(&body.concat())),
        [
            "text that nobody sees was left out in paragraph 2, paragraph 3, table 1: 40 characters in 4 places (marked as hidden 8, in the colour behind it 32)"
        ]
    );
    let many = paragraph("", &run(WHITE)).repeat(9);
    let content = document(&many);
    let warnings = told(&content);
    assert!(
        warnings[0].contains("paragraph 6 and more: 72 characters in 9 places"),
        "{warnings:?}"
    );
    // Deep and broken texts end.
    let deep = format!("{}{}", "<w:tbl><w:tr><w:tc>".repeat(3_000), run(WHITE));
    let _ = read(&word(&deep, &[]), "docx");
}

/// Returns the cells of a table of three rows and three cells that are read, where its style gives a look to a part.
fn cells(part: &str, look: &str, properties: &str, table_look: &str) -> (String, Vec<String>) {
    let styles = format!(
        "<w:styles xmlns:w=\"{W}\"><w:style w:type=\"table\" w:styleId=\"Base\"><w:tblStylePr w:type=\"{part}\"><w:rPr>{look}</w:rPr></w:tblStylePr></w:style>\
         <w:style w:type=\"table\" w:styleId=\"Parts\"><w:basedOn w:val=\"Base\"/>{properties}</w:style></w:styles>"
    );
    let cell = |row: usize, column: usize| {
        // A table in a cell has rows of its own.
        let inner = "<w:tbl><w:tr><w:tc><w:p/></w:tc></w:tr></w:tbl>".repeat(column % 2);
        format!("<w:tc>{inner}<w:p><w:r><w:t>c{row}{column}</w:t></w:r></w:p></w:tc>")
    };
    let row =
        |row: usize| format!("<w:tr>{}</w:tr>", (1..4).map(|it| cell(row, it)).collect::<String>());
    let body = format!(
        "<w:p><w:r><w:t>Seen.</w:t></w:r></w:p><w:tbl><w:tblPr><w:tblStyle w:val=\"Parts\"/>{table_look}</w:tblPr>{}</w:tbl>",
        (1..4).map(row).collect::<String>()
    );
    let content =
        read(&word(&body, &[("styles.xml", "styles", styles.as_bytes())]), "docx").unwrap();
    let all = (1..4).flat_map(|row| (1..4).map(move |column| format!("c{row}{column}")));
    let gone: Vec<String> = all.filter(|it| !content.markdown.contains(it)).collect();
    assert_eq!(told(&content).is_empty(), gone.is_empty(), "{part}: {:?}", content.warnings);
    (gone.join(" "), content.warnings)
}

#[test]
fn parts_of_tables_that_their_style_hides_are_left_out() {
    let all = r#"<w:tblLook w:val="01E0"/>"#;
    for (part, gone) in [
        ("firstRow", "c11 c12 c13"),
        ("lastRow", "c31 c32 c33"),
        ("firstCol", "c11 c21 c31"),
        ("lastCol", "c13 c23 c33"),
        ("nwCell", "c11"),
        ("seCell", "c33"),
        ("band1Horz", "c21 c22 c23"),
        ("band2Horz", ""),
        ("wholeTable", "c11 c12 c13 c21 c22 c23 c31 c32 c33"),
        ("band1Vert", "c12 c22 c32"),
        ("band2Vert", ""),
    ] {
        for look in ["<w:vanish/>", WHITE, r#"<w:sz w:val="2"/>"#] {
            assert_eq!(cells(part, look, "", all).0, gone, "{part}: {look}");
        }
    }
    let (_, warnings) = cells("firstRow", "<w:vanish/>", "", all);
    assert_eq!(
        warnings,
        [
            "text that nobody sees was left out in table 1: 9 characters in 1 place (marked as hidden 9)"
        ]
    );
    let hidden = "<w:vanish/>";
    // Without the first row, bands begin with it.
    let bands = r#"<w:tblLook w:val="0000"/>"#;
    assert_eq!(cells("band1Horz", hidden, "", bands).0, "c11 c12 c13 c31 c32 c33");
    assert_eq!(cells("band2Vert", hidden, "", bands).0, "c12 c22 c32");
    let wide = r#"<w:tblPr><w:tblStyleRowBandSize w:val="2"/></w:tblPr>"#;
    assert_eq!(cells("band1Horz", hidden, wide, bands).0, "c11 c12 c13 c21 c22 c23");
    for (part, properties, look) in [
        ("firstRow", "", r#"<w:tblLook w:val="0000"/>"#),
        ("firstRow", "", r#"<w:tblLook w:val="0020" w:firstRow="0"/>"#),
        ("firstRow", "", ""),
        ("band1Horz", "", r#"<w:tblLook w:val="0200"/>"#),
        ("band1Vert", "", r#"<w:tblLook w:val="0400"/>"#),
    ] {
        assert_eq!(cells(part, hidden, properties, look).0, "", "{part}: {look}");
    }
    // What counts more shows it again.
    let again =
        r#"<w:tblStylePr w:type="firstRow"><w:rPr><w:vanish w:val="0"/></w:rPr></w:tblStylePr>"#;
    assert_eq!(cells("firstCol", hidden, again, all).0, "c21 c31");
    // A part that the style fills is seen.
    let filled = r#"<w:tblStylePr w:type="lastRow"><w:tcPr><w:shd w:val="clear" w:fill="000080"/></w:tcPr></w:tblStylePr>"#;
    assert_eq!(cells("lastRow", WHITE, filled, all).0, "");
}

#[test]
fn numbers_that_their_level_hides_are_left_out() {
    let list = |look: &str| {
        let numbering = format!(
            "<w:numbering xmlns:w=\"{W}\"><w:abstractNum w:abstractNumId=\"1\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/><w:numFmt w:val=\"decimal\"/><w:lvlText w:val=\"PLANT %1\"/><w:rPr>{look}</w:rPr></w:lvl></w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"1\"/></w:num></w:numbering>"
        );
        let item = r#"<w:p><w:pPr><w:numPr><w:ilvl w:val="0"/><w:numId w:val="1"/></w:numPr></w:pPr><w:r><w:t>Item.</w:t></w:r></w:p>"#;
        let parts: [(&str, &str, &[u8]); 1] =
            [("numbering.xml", "numbering", numbering.as_bytes())];
        read(&word(&item.repeat(2), &parts), "docx").unwrap()
    };
    for (look, reason) in
        [("<w:vanish/>", "marked as hidden"), (r#"<w:sz w:val="2"/>"#, "not larger than 1 pt")]
    {
        let content = list(look);
        assert!(!content.markdown.contains("PLANT"), "{}", content.markdown);
        assert_eq!(content.markdown.matches("Item.").count(), 2);
        let expected = format!(
            "text that nobody sees was left out in numbers of paragraphs: 12 characters in 2 places ({reason} 12)"
        );
        assert_eq!(told(&content), [expected]);
    }
    // What the paragraph lies on is not known, so white numbers stay.
    for look in ["", r#"<w:vanish w:val="0"/>"#, WHITE, r#"<w:sz w:val="20"/>"#] {
        let content = list(look);
        assert!(content.markdown.contains("PLANT 2"), "{look}: {}", content.markdown);
        assert!(told(&content).is_empty(), "{look}");
    }
}
