//! Formats of cells: those that dates get, and those that placeholders ask for.

use super::*;

/// Returns a template of these rows with two formats of cells, the second one for dates. `codes` stands before them.
fn template(rows: &[&[&str]], codes: &str) -> Vec<u8> {
    let styles = format!(
        "<styleSheet>{codes}<cellXfs count=\"2\"><xf numFmtId=\"0\"><a/></xf><xf numFmtId=\"15\"/></cellXfs></styleSheet>"
    );
    let rel = "<Relationship Id=\"s\" Type=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles\" Target=\"styles.xml\"/></Relationships>";
    let mut all: Vec<(String, String)> = parts(&book(&cells(rows), ""))
        .into_iter()
        .map(|(name, content)| (name, String::from_utf8(content).unwrap()))
        .collect();
    for (name, text) in &mut all {
        if name.ends_with("workbook.xml.rels") {
            *text = text.replace("</Relationships>", rel);
        }
    }
    all.push(("xl/styles.xml".into(), styles));
    pack(&all.iter().map(|(name, text)| (name.as_str(), text.as_str())).collect::<Vec<_>>())
}

/// Returns the number format of a cell: its code, or the number of a built-in one.
fn format_of(bytes: &[u8], at: &str) -> String {
    let (sheet, styles) = (part(bytes, "xl/worksheets/s.xml"), part(bytes, "xl/styles.xml"));
    let tags = |xml: &str, name: &str| -> Vec<String> {
        let tag = |it: XmlToken<'_>| match it {
            XmlToken::Tag(tag) if tag.opens(name) => Some(tag.raw.to_owned()),
            _ => None,
        };
        xml_tokens(xml).filter_map(tag).collect()
    };
    let attribute = |tag: &str, name: &str| {
        let found = tag.split_once(&format!(" {name}=\"")).map(|it| it.1);
        found.and_then(|it| it.split_once('"')).map(|it| it.0.to_owned())
    };
    let cell = tags(&sheet, "c").into_iter().find(|it| it.contains(&format!("\"{at}\""))).unwrap();
    let style: usize = attribute(&cell, "s").map_or(0, |it| it.parse().unwrap());
    let formats = tags(&styles, "xf");
    let count = tags(&styles, "cellXfs").pop().unwrap();
    assert_eq!(attribute(&count, "count").unwrap(), formats.len().to_string(), "{styles}");
    let number = attribute(&formats[style], "numFmtId").unwrap();
    let codes = tags(&styles, "numFmt");
    if let Some(all) = tags(&styles, "numFmts").pop() {
        assert_eq!(attribute(&all, "count").unwrap(), codes.len().to_string(), "{styles}");
    }
    let code = codes.iter().find(|it| attribute(it, "numFmtId").as_ref() == Some(&number));
    code.map_or(number, |it| attribute(it, "formatCode").unwrap())
}

#[test]
fn values_have_the_format_that_shows_them() {
    let rows: &[&[&str]] = &[
        &["{{day}}", "{{at}}", "{{n}}"],
        &["{{day|yyyy\"年\"}}", "{{n|0.0 kg}}", "{{text|0.0 kg}}"],
        &["{{day}}", "", "{{n|[$-804]0}}"],
    ];
    let values = values(&[
        ("day", FillValue::Date("2026-11-24".into())),
        ("at", FillValue::Date("2026-11-24T12:00".into())),
        ("n", number("12.5")),
        ("text", text("12.5")),
    ]);
    for codes in [
        "",
        "<numFmts count=\"0\"/>",
        "<numFmts count=\"1\"><numFmt numFmtId=\"170\" formatCode=\"0.00\"/></numFmts>",
    ] {
        let bytes = fill(&template(rows, codes), &values).unwrap().bytes;
        for (at, format) in [
            ("A1", "14"),
            ("B1", "22"),
            ("C1", "0"),
            ("A2", "yyyy&quot;年&quot;"),
            ("B2", "0.0 &quot;kg&quot;"),
            ("C2", "0.0 &quot;kg&quot;"),
            ("A3", "14"),
            ("C3", "[$-804]0"),
        ] {
            assert_eq!(format_of(&bytes, at), format, "{at} {codes}");
        }
        assert_eq!(float(&bytes, "S", "C2"), 12.5);
        // The rest of a format stays.
        assert_eq!(part(&bytes, "xl/styles.xml").matches("<a/>").count(), 6, "{codes}");
    }
}
