//! Documents and workbooks with marks, out of bytes: their parts, before they are packed.

use super::shape::Shape;
use super::template_marks::{NAMES, around, escaped, mark, text};

/// The name and the content of a part of a package.
pub(super) type Part = (String, Vec<u8>);

const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";
const MAIN: &str = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
const RELATIONS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const PACKAGE: &str = "http://schemas.openxmlformats.org/package/2006/relationships";
const TYPES: &str = "http://schemas.openxmlformats.org/package/2006/content-types";
const SPACES: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
    xmlns:wp=\"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing\" \
    xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
    xmlns:pic=\"http://schemas.openxmlformats.org/drawingml/2006/picture\" \
    xmlns:v=\"urn:schemas-microsoft-com:vml\"";

/// A place of a workbook: a cell, a range, a name; or none.
pub(super) fn place(shape: &mut Shape<'_>) -> String {
    const PLACES: [&str; 12] = [
        "Sheet1!B2",
        "Sheet1!B5:E5",
        "Sheet1!A1:XFD1048576",
        "'发票'!A1",
        "Sheet1!XFE1",
        "Sheet1!A1048577",
        "Sheet1!B5:A1",
        "tax",
        "No!A1",
        "Sheet1!",
        "!A1",
        "A1",
    ];
    PLACES[shape.below(PLACES.len())].to_owned()
}

fn part(name: &str, text: String) -> Part {
    (name.to_owned(), text.into_bytes())
}

fn relations(of: &[(&str, &str)]) -> String {
    let items = of.iter().enumerate().map(|(at, (kind, target))| {
        let id = at + 1;
        format!("<Relationship Id=\"rId{id}\" Type=\"{RELATIONS}/{kind}\" Target=\"{target}\"/>")
    });
    let items: String = items.collect();
    format!("{HEAD}<Relationships xmlns=\"{PACKAGE}\">{items}</Relationships>")
}

fn types(of: &[(&str, &str)]) -> String {
    let kinds = of.iter().map(|(name, kind)| {
        format!("<Override PartName=\"/{name}\" ContentType=\"application/vnd.openxmlformats-officedocument.{kind}+xml\"/>")
    });
    let kinds: String = kinds.collect();
    format!(
        "{HEAD}<Types xmlns=\"{TYPES}\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/>\
         <Default Extension=\"xml\" ContentType=\"application/xml\"/>{kinds}</Types>"
    )
}

/// A document in the form that Word writes.
pub(super) fn document(shape: &mut Shape<'_>) -> Vec<Part> {
    let mut body = String::new();
    for _ in 0..=shape.below(6) {
        block(shape, 3, &mut body);
    }
    let note = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", text(shape));
    let head = format!("<w:p><w:r><w:t>{}</w:t></w:r></w:p>", text(shape));
    let word = "wordprocessingml";
    vec![
        part(
            "[Content_Types].xml",
            types(&[
                ("word/document.xml", &format!("{word}.document.main")),
                ("word/styles.xml", &format!("{word}.styles")),
                ("word/header1.xml", &format!("{word}.header")),
                ("word/footnotes.xml", &format!("{word}.footnotes")),
                ("word/numbering.xml", &format!("{word}.numbering")),
            ]),
        ),
        part("_rels/.rels", relations(&[("officeDocument", "word/document.xml")])),
        part(
            "word/document.xml",
            format!(
                "{HEAD}<w:document {SPACES}><w:body>{body}<w:sectPr><w:headerReference w:type=\"default\" r:id=\"rId2\"/>\
                 <w:pgSz w:w=\"11906\" w:h=\"16838\"/></w:sectPr></w:body></w:document>"
            ),
        ),
        part(
            "word/_rels/document.xml.rels",
            relations(&[
                ("styles", "styles.xml"),
                ("header", "header1.xml"),
                ("footnotes", "footnotes.xml"),
                ("numbering", "numbering.xml"),
            ]),
        ),
        part(
            "word/styles.xml",
            format!(
                "{HEAD}<w:styles {SPACES}><w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"a\"><w:name w:val=\"Normal\"/></w:style>\
                 <w:style w:type=\"paragraph\" w:styleId=\"1\"><w:name w:val=\"heading 1\"/><w:basedOn w:val=\"1\"/></w:style></w:styles>"
            ),
        ),
        part("word/header1.xml", format!("{HEAD}<w:hdr {SPACES}>{head}</w:hdr>")),
        part(
            "word/footnotes.xml",
            format!(
                "{HEAD}<w:footnotes {SPACES}><w:footnote w:id=\"1\">{note}</w:footnote></w:footnotes>"
            ),
        ),
        part(
            "word/numbering.xml",
            format!(
                "{HEAD}<w:numbering {SPACES}><w:abstractNum w:abstractNumId=\"0\"><w:lvl w:ilvl=\"0\"><w:start w:val=\"1\"/></w:lvl>\
                 </w:abstractNum><w:num w:numId=\"1\"><w:abstractNumId w:val=\"0\"/></w:num></w:numbering>"
            ),
        ),
    ]
}

/// A paragraph, a table, a control, or a part that is repeated or depends on something.
fn block(shape: &mut Shape<'_>, depth: usize, body: &mut String) {
    let inside = |shape: &mut Shape<'_>, body: &mut String| {
        for _ in 0..shape.below(3) {
            block(shape, depth.saturating_sub(1), body);
        }
    };
    match if depth == 0 { 0 } else { shape.below(8) } {
        5 => {
            let (begin, end) = around(shape);
            let (begin, end) = (escaped(&begin), escaped(&end));
            body.push_str(&format!("<w:p><w:r><w:t>{begin}</w:t></w:r></w:p>"));
            inside(shape, body);
            body.push_str(&format!("<w:p><w:r><w:t>{end}</w:t></w:r></w:p>"));
        }
        6 => {
            body.push_str("<w:tbl><w:tblPr/><w:tblGrid><w:gridCol w:w=\"2000\"/><w:gridCol w:w=\"2000\"/></w:tblGrid>");
            for _ in 0..shape.below(4) {
                body.push_str("<w:tr>");
                for _ in 0..1 + shape.below(3) {
                    let span = [1, 2, 3, 1_000_000][shape.below(4)];
                    body.push_str(&format!(
                        "<w:tc><w:tcPr><w:gridSpan w:val=\"{span}\"/></w:tcPr>"
                    ));
                    block(shape, depth - 1, body);
                    body.push_str("</w:tc>");
                }
                body.push_str("</w:tr>");
            }
            body.push_str("</w:tbl>");
        }
        7 => {
            body.push_str("<w:sdt><w:sdtPr/><w:sdtContent>");
            inside(shape, body);
            body.push_str("</w:sdtContent></w:sdt>");
        }
        _ => paragraph(shape, body),
    }
}

fn paragraph(shape: &mut Shape<'_>, body: &mut String) {
    let level =
        ["", "<w:numPr><w:ilvl w:val=\"0\"/><w:numId w:val=\"1\"/></w:numPr>"][shape.below(2)];
    body.push_str(&format!("<w:p><w:pPr><w:pStyle w:val=\"1\"/>{level}</w:pPr>"));
    let content = text(shape);
    match shape.below(8) {
        0 => body.push_str(&format!(
            "<w:fldSimple w:instr=\" MERGEFIELD {} \\# &quot;0.00&quot; \"><w:r><w:t>{content}</w:t></w:r></w:fldSimple>",
            NAMES[shape.below(NAMES.len())]
        )),
        1 => body.push_str(&format!(
            "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> MERGEFIELD {} </w:instrText></w:r>\
             <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>{content}</w:t></w:r>{}",
            NAMES[shape.below(NAMES.len())],
            ["<w:r><w:fldChar w:fldCharType=\"end\"/></w:r>", ""][shape.below(2)]
        )),
        2 => body.push_str(&format!(
            "<w:r><w:drawing><wp:inline><wp:extent cx=\"914400\" cy=\"{}\"/><wp:docPr id=\"1\" name=\"p\" descr=\"{content}\"/>\
             <a:graphic><a:graphicData><pic:pic><pic:blipFill><a:blip r:embed=\"rId9\"/></pic:blipFill></pic:pic></a:graphicData></a:graphic>\
             </wp:inline></w:drawing></w:r>",
            ["914400", "0", "-1", "99999999999999999999"][shape.below(4)]
        )),
        3 => body.push_str(&format!(
            "<w:r><w:pict><v:textbox><w:txbxContent><w:p><w:r><w:t>{content}</w:t></w:r></w:p></w:txbxContent></v:textbox></w:pict></w:r>"
        )),
        4 => body.push_str(&format!(
            "<w:hyperlink r:id=\"rId8\"><w:ins><w:r><w:t>{content}</w:t></w:r></w:ins></w:hyperlink><w:r><w:footnoteReference w:id=\"1\"/></w:r>"
        )),
        _ => {
            // Word divides a mark into runs wherever it likes.
            let mut rest = content.as_str();
            while !rest.is_empty() {
                let far = rest.char_indices().nth(1 + shape.below(12)).map_or(rest.len(), |it| it.0);
                // An entity stays whole.
                let end = rest[far..].find([';', '&', '{', '}', ' ']).map_or(rest.len(), |it| far + it);
                let end = end + usize::from(rest[end..].starts_with(';'));
                let (run, others) = rest.split_at(end.max(1).min(rest.len()));
                body.push_str(&format!("<w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">{run}</w:t></w:r>"));
                rest = others;
            }
        }
    }
    body.push_str("</w:p>");
}

/// A workbook in the form that Excel writes.
pub(super) fn workbook(shape: &mut Shape<'_>) -> Vec<Part> {
    let sheets = 1 + shape.below(2);
    let strings: Vec<String> = (0..1 + shape.below(12)).map(|_| text(shape)).collect();
    let mut list = String::new();
    for at in 1..=sheets {
        let name = match shape.below(16) {
            15 => escaped(&mark(shape)),
            _ => format!("Sheet{at}"),
        };
        list.push_str(&format!("<sheet name=\"{name}\" sheetId=\"{at}\" r:id=\"rId{at}\"/>"));
    }
    let name =
        ["Sheet1!$B$2", "Sheet1!$B$2:$C$3", "#REF!", "OFFSET(Sheet1!A1,1,1)"][shape.below(4)];
    let sheet_name = |at: usize| format!("xl/worksheets/sheet{at}.xml");
    let names: Vec<String> = (1..=sheets).map(sheet_name).collect();
    let mut kinds = vec![
        ("xl/workbook.xml", "spreadsheetml.sheet.main"),
        ("xl/sharedStrings.xml", "spreadsheetml.sharedStrings"),
        ("xl/styles.xml", "spreadsheetml.styles"),
    ];
    kinds.extend(names.iter().map(|name| (name.as_str(), "spreadsheetml.worksheet")));
    let mut related: Vec<(&str, &str)> =
        names.iter().map(|name| ("worksheet", &name["xl/".len()..])).collect();
    related.extend([("sharedStrings", "sharedStrings.xml"), ("styles", "styles.xml")]);
    let all: String = strings.iter().map(|it| format!("<si><t>{it}</t></si>")).collect();
    let mut parts = vec![
        part("[Content_Types].xml", types(&kinds)),
        part("_rels/.rels", relations(&[("officeDocument", "xl/workbook.xml")])),
        part(
            "xl/workbook.xml",
            format!(
                "{HEAD}<workbook xmlns=\"{MAIN}\" xmlns:r=\"{RELATIONS}\"><sheets>{list}</sheets>\
                 <definedNames><definedName name=\"tax\">{name}</definedName></definedNames></workbook>"
            ),
        ),
        part("xl/_rels/workbook.xml.rels", relations(&related)),
        part("xl/sharedStrings.xml", format!("{HEAD}<sst xmlns=\"{MAIN}\">{all}</sst>")),
        part(
            "xl/styles.xml",
            format!(
                "{HEAD}<styleSheet xmlns=\"{MAIN}\"><numFmts count=\"1\"><numFmt numFmtId=\"164\" formatCode=\"0.0%\"/></numFmts>\
                 <cellXfs count=\"2\"><xf numFmtId=\"0\"/><xf numFmtId=\"164\"/></cellXfs></styleSheet>"
            ),
        ),
    ];
    for name in &names {
        parts.push(part(name, sheet(shape, strings.len())));
    }
    parts
}

/// A reference to a cell near the beginning, now and then at an end.
fn cell(shape: &mut Shape<'_>) -> String {
    const ENDS: [&str; 5] = ["XFD1048576", "XFE1", "A0", "A1048577", "ZZZZZZZ1"];
    match shape.below(24) {
        23 => ENDS[shape.below(ENDS.len())].to_owned(),
        _ => format!("{}{}", ["A", "B", "C", "D", "AA"][shape.below(5)], 1 + shape.below(12)),
    }
}

fn range(shape: &mut Shape<'_>) -> String {
    format!("{}:{}", cell(shape), cell(shape))
}

fn formula(shape: &mut Shape<'_>) -> String {
    let (one, other, range) = (cell(shape), cell(shape), range(shape));
    match shape.below(8) {
        0 => format!("SUM({range})"),
        1 => format!("{one}*${other}"),
        2 => format!("'{{{{departments.name}}}}'!{one}+Sheet1!{other}"),
        3 => format!("IF({one}&gt;0,SUBTOTAL(9,{range}),\"{other}\")"),
        4 => "1/0".to_owned(),
        5 => format!("{}{one}{}", "(".repeat(1 << shape.below(9)), ")".repeat(1 << shape.below(9))),
        6 => format!("SUM({range},{one}:{other},Sheet2!{range})^-{other}%"),
        _ => format!("VLOOKUP({one},{range},2,FALSE)&amp;INDIRECT(\"{other}\")"),
    }
}

fn sheet(shape: &mut Shape<'_>, strings: usize) -> String {
    let mut rows = String::new();
    for row in 1..=shape.below(12) {
        let row = if shape.below(32) == 31 { 1_048_576 } else { row };
        rows.push_str(&format!("<row r=\"{row}\">"));
        for column in ["A", "B", "C", "D"].iter().take(1 + shape.below(4)) {
            let at = format!("{column}{row}");
            match shape.below(6) {
                0 => rows.push_str(&format!(
                    "<c r=\"{at}\" s=\"1\"><f>{}</f><v>1</v></c>",
                    formula(shape)
                )),
                1 => rows.push_str(&format!(
                    "<c r=\"{at}\" t=\"inlineStr\"><is><t>{}</t></is></c>",
                    text(shape)
                )),
                2 => rows.push_str(&format!("<c r=\"{at}\"><v>{}</v></c>", shape.below(256))),
                3 => rows.push_str(&format!(
                    "<c r=\"{at}\"><f t=\"shared\" ref=\"{}\" si=\"{}\">{}</f></c>",
                    range(shape),
                    shape.below(2),
                    formula(shape)
                )),
                _ => {
                    let beyond = usize::from(shape.below(16) == 15);
                    let string = shape.below(strings + beyond);
                    rows.push_str(&format!("<c r=\"{at}\" t=\"s\"><v>{string}</v></c>"));
                }
            }
        }
        rows.push_str("</row>");
    }
    let merged: String =
        (0..shape.below(3)).map(|_| format!("<mergeCell ref=\"{}\"/>", range(shape))).collect();
    let rules: String = (0..shape.below(3))
        .map(|_| {
            let (place, when) = (range(shape), formula(shape));
            format!("<conditionalFormatting sqref=\"{place}\"><cfRule type=\"expression\" priority=\"1\"><formula>{when}</formula></cfRule></conditionalFormatting>")
        })
        .collect();
    format!(
        "{HEAD}<worksheet xmlns=\"{MAIN}\"><dimension ref=\"{}\"/><cols><col min=\"1\" max=\"{}\" width=\"9\"/></cols>\
         <sheetData>{rows}</sheetData><mergeCells>{merged}</mergeCells>{rules}</worksheet>",
        range(shape),
        [1, 4, 16_384, 4_294_967_295_u64][shape.below(4)]
    )
}
