mod features;
mod formats;

use std::io::{Cursor, Read as _, Write as _};

use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::{Docx, DocxOptions, FillTable, FillValue, FillValues, docx, fill_docx, markdown};
use mitt_base::{ErrorKind, Result};

const WORD: &str = "application/vnd.openxmlformats-officedocument.wordprocessingml";
const SPACES: &str = "xmlns:w=\"http://schemas.openxmlformats.org/wordprocessingml/2006/main\" xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\"";
const OFFICE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";

/// A template in the form that Word writes, with parts that a test changes.
struct Template {
    body: String,
    kind: String,
    styles: String,
    relationships: String,
    more: Vec<(String, Vec<u8>)>,
}

impl Template {
    fn of(body: &str) -> Template {
        Template {
            body: body.to_owned(),
            kind: "document.main".to_owned(),
            styles: "<w:style w:type=\"paragraph\" w:default=\"1\" w:styleId=\"a\"><w:name w:val=\"Normal\"/><w:pPr><w:ind w:firstLineChars=\"200\" w:firstLine=\"420\"/></w:pPr></w:style><w:style w:type=\"paragraph\" w:styleId=\"1\"><w:name w:val=\"heading 1\"/></w:style><w:style w:type=\"paragraph\" w:styleId=\"b2\"><w:name w:val=\"标题 2\"/></w:style><w:style w:type=\"paragraph\" w:styleId=\"Quote\"><w:name w:val=\"Quotation of Mine\"/></w:style>".to_owned(),
            relationships: String::new(),
            more: Vec::new(),
        }
    }

    fn with(mut self, name: &str, content: &str) -> Template {
        self.more.push((name.to_owned(), content.as_bytes().to_vec()));
        self
    }

    fn bytes(&self) -> Vec<u8> {
        let relationship = |id: &str, kind: &str, target: &str| {
            format!("<Relationship Id=\"{id}\" Type=\"{OFFICE}/{kind}\" Target=\"{target}\"/>")
        };
        let head = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n";
        let list = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\">";
        let mut parts: Vec<(String, Vec<u8>)> = Vec::new();
        let mut add =
            |name: &str, content: String| parts.push((name.to_owned(), content.into_bytes()));
        add(
            "[Content_Types].xml",
            format!(
                "{head}<Types xmlns=\"http://schemas.openxmlformats.org/package/2006/content-types\"><Default Extension=\"rels\" ContentType=\"application/vnd.openxmlformats-package.relationships+xml\"/><Default Extension=\"xml\" ContentType=\"application/xml\"/><Default Extension=\"png\" ContentType=\"image/png\"/><Override PartName=\"/word/document.xml\" ContentType=\"{WORD}.{}+xml\"/><Override PartName=\"/word/styles.xml\" ContentType=\"{WORD}.styles+xml\"/><Override PartName=\"/word/header1.xml\" ContentType=\"{WORD}.header+xml\"/></Types>",
                self.kind
            ),
        );
        add(
            "_rels/.rels",
            format!(
                "{head}{list}{}</Relationships>",
                relationship("rId1", "officeDocument", "word/document.xml")
            ),
        );
        add(
            "word/document.xml",
            format!(
                "{head}<w:document {SPACES}><w:body>{}<w:sectPr><w:headerReference w:type=\"default\" r:id=\"rId2\"/><w:pgSz w:w=\"11906\" w:h=\"16838\"/><w:pgMar w:top=\"1440\" w:right=\"1800\" w:bottom=\"1440\" w:left=\"1800\" w:header=\"851\" w:footer=\"992\" w:gutter=\"0\"/></w:sectPr></w:body></w:document>",
                self.body
            ),
        );
        add(
            "word/_rels/document.xml.rels",
            format!(
                "{head}{list}{}{}{}</Relationships>",
                relationship("rId1", "styles", "styles.xml"),
                relationship("rId2", "header", "header1.xml"),
                self.relationships
            ),
        );
        add("word/styles.xml", format!("{head}<w:styles {SPACES}>{}</w:styles>", self.styles));
        if !self.more.iter().any(|(name, _)| name == "word/header1.xml") {
            add(
                "word/header1.xml",
                format!("{head}<w:hdr {SPACES}><w:p><w:r><w:t>ACME</w:t></w:r></w:p></w:hdr>"),
            );
        }
        parts.extend(self.more.clone());
        pack(&parts)
    }
}

fn pack(parts: &[(String, Vec<u8>)]) -> Vec<u8> {
    let options = SimpleFileOptions::default().compression_method(CompressionMethod::Deflated);
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, content) in parts {
        zip.start_file(name.as_str(), options).unwrap();
        zip.write_all(content).unwrap();
    }
    zip.finish().unwrap().into_inner()
}

fn part(bytes: &[u8], name: &str) -> String {
    let mut zip = ZipArchive::new(Cursor::new(bytes)).unwrap();
    let mut xml = String::new();
    zip.by_name(name).unwrap().read_to_string(&mut xml).unwrap();
    xml
}

/// Returns the body of the text without its section.
fn body(bytes: &[u8]) -> String {
    let xml = part(bytes, "word/document.xml");
    let body = xml.split_once("<w:body>").unwrap().1.rsplit_once("<w:sectPr>").unwrap().0;
    body.replace("<w:p>", "\n<w:p>").replace("<w:tr>", "\n<w:tr>")
}

fn value(json: serde_json::Value) -> FillValue {
    use serde_json::Value as Json;
    match json {
        Json::Null => FillValue::Empty,
        Json::Bool(value) => FillValue::Bool(value),
        Json::Number(number) => FillValue::Number(number.to_string()),
        Json::String(text) => FillValue::Text(text),
        Json::Array(items) => FillValue::List(items.into_iter().map(value).collect()),
        Json::Object(entries) => {
            FillValue::Record(entries.into_iter().map(|(name, it)| (name, value(it))).collect())
        }
    }
}

fn values(json: serde_json::Value) -> FillValues {
    match value(json) {
        FillValue::Record(values) => values.into_iter().collect(),
        other => panic!("{other:?}"),
    }
}

fn fill(template: &[u8], json: serde_json::Value) -> Result<Docx> {
    fill_docx(template, &values(json), None, &DocxOptions::default())
}

fn p(text: &str) -> String {
    format!("<w:p><w:r><w:t>{text}</w:t></w:r></w:p>")
}

/// Returns the text of the paragraphs of a filled template, each in a line.
fn filled_text(body_of_template: &str, json: serde_json::Value) -> String {
    let made = fill(&Template::of(body_of_template).bytes(), json).unwrap();
    let xml = body(&made.bytes).replace("<w:br/>", "↵").replace("<w:tab/>", "→");
    let mut text = String::new();
    for paragraph in xml.split("</w:p>") {
        for piece in paragraph.split('<') {
            text.push_str(piece.split_once('>').map_or("", |(tag, rest)| {
                if tag.starts_with("w:t ") || tag == "w:t" || tag == "/w:t" {
                    rest
                } else {
                    rest.trim()
                }
            }));
        }
        text.push('\n');
    }
    text.trim_end().to_owned()
}

#[test]
fn marks_are_filled_however_word_has_split_them() {
    let split = "<w:p><w:pPr><w:jc w:val=\"center\"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">甲方：{</w:t></w:r><w:proofErr w:type=\"spellStart\"/><w:r><w:t>{ 甲</w:t></w:r><w:r><w:rPr><w:i/></w:rPr><w:t>方 }</w:t></w:r><w:hyperlink w:anchor=\"x\"><w:r><w:t>} 和 {{b}}。</w:t></w:r></w:hyperlink></w:p>";
    let made = fill(
        &Template::of(split).bytes(),
        serde_json::json!({"甲方": "张三 & <李四>\n第二行\t\u{1}", "b": 12.50}),
    )
    .unwrap();
    insta::assert_snapshot!(body(&made.bytes), @r#"
    <w:p><w:pPr><w:jc w:val="center"/></w:pPr><w:r><w:rPr><w:b/></w:rPr><w:t xml:space="preserve">甲方：张三 &amp; &lt;李四&gt;</w:t><w:br/><w:t xml:space="preserve">第二行</w:t><w:tab/></w:r><w:proofErr w:type="spellStart"/><w:r></w:r><w:r><w:rPr><w:i/></w:rPr></w:r><w:hyperlink w:anchor="x"><w:r><w:t xml:space="preserve"> 和 12.5。</w:t></w:r></w:hyperlink></w:p>
    "#);
    assert_eq!(made.warnings, ["control characters are left out of the values of: `甲方`"]);
}

#[test]
fn what_nothing_changes_is_carried_over_byte_for_byte() {
    let picture = "\u{0}PNG".repeat(50);
    let template = Template::of(&p("{{a}}"))
        .with("word/media/logo.png", &picture)
        .with("customXml/item1.xml", "<x  y='1'/>")
        .bytes();
    let made = fill(&template, serde_json::json!({"a": "b"})).unwrap();
    let (mut before, mut after) = (
        ZipArchive::new(Cursor::new(&template)).unwrap(),
        ZipArchive::new(Cursor::new(&made.bytes)).unwrap(),
    );
    assert_eq!(before.len(), after.len());
    for index in 0..before.len() {
        let (mut old, mut new) =
            (before.by_index_raw(index).unwrap(), after.by_index_raw(index).unwrap());
        assert_eq!(old.name().unwrap(), new.name().unwrap());
        let (mut a, mut b) = (Vec::new(), Vec::new());
        old.read_to_end(&mut a).unwrap();
        new.read_to_end(&mut b).unwrap();
        assert_eq!(a == b, old.name().unwrap() != "word/document.xml", "{:?}", old.name());
    }
    assert_eq!(made.bytes, fill(&template, serde_json::json!({"a": "b"})).unwrap().bytes);
}

#[test]
fn headers_and_text_boxes_are_filled() {
    let boxed = format!(
        "<w:p><w:r><w:t>{{{{a}}}}</w:t></w:r><w:r><w:pict><w:txbxContent>{}</w:txbxContent></w:pict></w:r></w:p>",
        p("{{b}}")
    );
    let header = format!("<w:hdr {SPACES}>{}</w:hdr>", p("{{c}}"));
    let template = Template::of(&boxed).with("word/header1.xml", &header).bytes();
    let made = fill(&template, serde_json::json!({"a": "1", "b": "2", "c": "3"})).unwrap();
    assert!(body(&made.bytes).contains(">1<") && body(&made.bytes).contains(">2<"));
    assert!(part(&made.bytes, "word/header1.xml").contains(">3<"));
    let error = fill(&template, serde_json::json!({"a": "1"})).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Arguments);
    insta::assert_snapshot!(error.render(), @r#"
    template: no value for `b` (text), `c` (header)
    hint: give every name of the template a value; an empty text leaves its place empty
    "#);
}

#[test]
fn parts_are_repeated_for_items() {
    let template = [
        p("{{#items}}"),
        p("{{@number}}. {{name}} by {{owner}}"),
        p("{{#parts}}"),
        p("- {{.}} of {{items.name}}"),
        p("{{/parts}}"),
        p("{{/items}}"),
        p("{{^items}}"),
        p("none"),
        p("{{/items}}"),
        p("{{#paid}}PAID{{/paid}}{{^paid}}DUE{{/paid}} {{#items}}{{name}}、{{/items}}"),
    ]
    .concat();
    let json = serde_json::json!({"owner": "X", "paid": true, "items": [{"name": "甲", "parts": ["a", "b"]}, {"name": "乙", "owner": "Y", "parts": []}]});
    insta::assert_snapshot!(filled_text(&template, json), @"
    1. 甲 by X
    - a of 甲
    - b of 甲
    2. 乙 by Y
    PAID 甲、乙、
    ");
    insta::assert_snapshot!(filled_text(&template, serde_json::json!({"owner": "X", "paid": false, "items": []})), @"
    none
    DUE
    ");
}

fn row(cells: &[&str]) -> String {
    let cells: String =
        cells.iter().map(|cell| format!("<w:tc><w:tcPr/>{}</w:tc>", p(cell))).collect();
    format!("<w:tr w14:paraId=\"11111111\">{cells}</w:tr>")
}

#[test]
fn rows_of_tables_are_repeated() {
    let table = |rows: &[String]| {
        format!("<w:tbl><w:tblPr/><w:tblGrid/>{}</w:tbl>{}", rows.concat(), p("end"))
    };
    let json = serde_json::json!({"items": [{"name": "笔", "price": "3.50"}, {"name": "纸", "price": 12}], "total": "15.50"});
    for repeated in [
        vec![row(&["{{items.name}}", "{{items.price}} {{@number}}"])],
        vec![row(&["{{#items}}{{name}}", "{{price}} {{@number}}{{/items}}"])],
        vec![
            row(&["{{#items}}", ""]),
            row(&["{{name}}", "{{price}} {{@number}}"]),
            row(&["{{/items}}", ""]),
        ],
    ] {
        let rows =
            [vec![row(&["Name", "Price"])], repeated, vec![row(&["Total", "{{total}}"])]].concat();
        insta::allow_duplicates! {
            insta::assert_snapshot!(filled_text(&table(&rows), json.clone()), @"
            Name
            Price
            笔
            3.50 1
            纸
            12 2
            Total
            15.50
            end
            ");
        }
        let made = fill(&Template::of(&table(&rows)).bytes(), json.clone()).unwrap();
        let own = body(&made.bytes).matches("w14:paraId").count();
        assert!(own == 3, "numbers of rows stay unique: {own}");
    }
    // A table without rows is removed.
    let none = filled_text(&table(&[row(&["{{items.name}}"])]), serde_json::json!({"items": []}));
    assert_eq!(none, "end");
    let both = [row(&["{{a.x}} {{b.x}}"])];
    let error = fill(
        &Template::of(&table(&both)).bytes(),
        serde_json::json!({"a": [{"x": 1}], "b": [{"x": 1}]}),
    )
    .unwrap_err();
    assert!(error.to_string().contains("names the items of two lists, `a` and `b`"), "{error}");
}

fn table_of(rows: usize) -> FillValue {
    let row =
        |row| vec![FillValue::Text(format!("n{row}")), FillValue::Number(format!("{row}.50"))];
    let columns = vec!["name".to_owned(), "price".to_owned(), "note".to_owned()];
    FillValue::Table(FillTable { columns, rows: (0..rows).map(row).collect() })
}

#[test]
fn rows_come_from_tables_too() {
    let table = format!(
        "<w:tbl><w:tblPr/>{}</w:tbl>",
        row(&["{{items.name}}", "{{items.price}}{{items.note}}"])
    );
    let values = FillValues::from_iter([("items".to_owned(), table_of(2))]);
    let made =
        fill_docx(&Template::of(&table).bytes(), &values, None, &DocxOptions::default()).unwrap();
    let xml = body(&made.bytes);
    assert!(xml.contains(">n1<") && xml.contains(">1.50<"), "{xml}");
    // The size of the filled file is checked before it is made.
    let wide = row(&["{{items.name}}"; 50]);
    let values = FillValues::from_iter([("items".to_owned(), table_of(20_000))]);
    let wide = Template::of(&format!("<w:tbl>{wide}</w:tbl>")).bytes();
    let error = fill_docx(&wide, &values, None, &DocxOptions::default()).unwrap_err();
    assert!(
        error.to_string().contains("expected at most 500000 elements in the filled file"),
        "{error}"
    );
    let long = "x".repeat(1 << 20);
    let body: String = (0..65).map(|_| p("{{a}}")).collect();
    let error = fill(&Template::of(&body).bytes(), serde_json::json!({"a": long})).unwrap_err();
    assert!(error.to_string().contains("at most 67108864 bytes of text"), "{error}");
}

#[test]
fn what_is_wrong_is_told_at_once_and_what_is_unused_too() {
    let body = [
        p("{{#a}}"),
        p("{{x}}"),
        p("{{/b}}"),
        p("{{list}} {{object}} {{object.none}}"),
        p("{{#c}} never ends"),
    ]
    .concat();
    let json = serde_json::json!({"list": [1], "object": {"y": 1}, "a": [], "c": true});
    insta::assert_snapshot!(fill(&Template::of(&body).bytes(), json).unwrap_err(), @"
    template: no value for `object.none` (text), `x` (text)
    `{{#a}}` (text) has no end: put `{{/a}}` into a paragraph of its own below it, beside the same text; a table from a value is `{{a|table}}`
    `{{/b}}` (text) ends a part that did not begin
    `list` (text) is a list: repeat a part of the template for its items, from `{{#list}}` to `{{/list}}`
    `object` (text) has values of its own: name one of them, as in `{{object.name}}`
    `{{#c}}` (text) has no end: put both marks into paragraphs of their own, or both into one paragraph
    ");
    let made = fill(
        &Template::of(&[p("{{a}} {{b"), p("｛｛c｝｝")].concat()).bytes(),
        serde_json::json!({"a": "{{b}}", "d": 1, "e": 2}),
    )
    .unwrap();
    insta::assert_snapshot!(made.warnings.join("\n"), @"
    values have no place in the template: `d`, `e`
    looks like a mark of the template, but is none: `{{b` (text), `｛｛c｝｝` (text)
    ");
    // Marks in a value are not filled.
    assert!(self::body(&made.bytes).contains("{{b}}"));
}

#[test]
fn a_document_comes_into_a_template() {
    let source = "---\ntitle: 年报\nauthor: 李雷\n---\n# 年报\n\n## 一、概况\n\n收入 **增长**[^1]。见[链接](https://a.test)。\n\n### 细节\n\n1. 甲\n2. 乙\n\n> 引用\n\n| 项 | 数 |\n|---|---:|\n| a | 1 |\n\n```\ncode\n```\n\n{{not a mark}}\n\n[^1]: 注释 [b](https://b.test)\n";
    let text = [p("{{title}} — {{author}}"), p("{{content}}"), p("签字：{{who}}")].concat();
    let values = values(serde_json::json!({"who": "王五"}));
    let options = DocxOptions {
        template: Some(Template::of(&text).bytes().into()),
        values,
        ..DocxOptions::default()
    };
    let made = docx(&markdown(source).unwrap(), &options).unwrap();
    assert_eq!(made.warnings, Vec::<String>::new());
    let xml = body(&made.bytes);
    let blocks: Vec<_> = xml.trim().lines().filter(|line| !line.contains("w:tcW")).collect();
    insta::assert_snapshot!(blocks.join("\n").replace(" xml:space=\"preserve\"", ""), @r#"
    <w:p><w:r><w:t>年报 — 李雷</w:t></w:r></w:p>
    <w:p><w:pPr><w:pStyle w:val="1"/></w:pPr><w:bookmarkStart w:id="1" w:name="_TocM0"/><w:r><w:t>一、概况</w:t></w:r><w:bookmarkEnd w:id="1"/></w:p>
    <w:p><w:pPr></w:pPr><w:r><w:t>收入 </w:t></w:r><w:r><w:rPr><w:b/><w:bCs/></w:rPr><w:t>增长</w:t></w:r><w:bookmarkStart w:id="2" w:name="_NoteM1"/><w:r><w:rPr><w:rStyle w:val="FootnoteReference"/></w:rPr><w:footnoteReference w:id="1"/></w:r><w:bookmarkEnd w:id="2"/><w:r><w:t>。见</w:t></w:r><w:hyperlink r:id="rIdM3" w:history="1"><w:r><w:rPr><w:rStyle w:val="Hyperlink"/></w:rPr><w:t>链接</w:t></w:r></w:hyperlink><w:r><w:t>。</w:t></w:r></w:p>
    <w:p><w:pPr><w:pStyle w:val="b2"/></w:pPr><w:bookmarkStart w:id="3" w:name="_TocM1"/><w:r><w:t>细节</w:t></w:r><w:bookmarkEnd w:id="3"/></w:p>
    <w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr><w:ind w:firstLineChars="0"/></w:pPr><w:r><w:t>甲</w:t></w:r></w:p>
    <w:p><w:pPr><w:pStyle w:val="ListParagraph"/><w:numPr><w:ilvl w:val="0"/><w:numId w:val="2"/></w:numPr><w:ind w:firstLineChars="0"/></w:pPr><w:r><w:t>乙</w:t></w:r></w:p>
    <w:p><w:pPr><w:pStyle w:val="Quote"/></w:pPr><w:r><w:t>引用</w:t></w:r></w:p><w:tbl><w:tblPr><w:tblStyle w:val="ReportTable"/><w:tblW w:w="8306" w:type="dxa"/><w:tblInd w:w="0" w:type="dxa"/><w:tblLayout w:type="fixed"/><w:tblLook w:val="0420" w:firstRow="1" w:lastRow="0" w:firstColumn="0" w:lastColumn="0" w:noHBand="0" w:noVBand="1"/></w:tblPr><w:tblGrid><w:gridCol w:w="4153"/><w:gridCol w:w="4153"/></w:tblGrid>
    <w:p><w:pPr><w:pStyle w:val="TableText"/><w:jc w:val="right"/></w:pPr><w:r><w:t>数</w:t></w:r></w:p></w:tc></w:tr>
    <w:p><w:pPr><w:pStyle w:val="TableText"/><w:jc w:val="right"/></w:pPr><w:r><w:t>1</w:t></w:r></w:p></w:tc></w:tr></w:tbl>
    <w:p><w:pPr><w:pStyle w:val="a"/><w:spacing w:before="0" w:after="0" w:line="120" w:lineRule="exact"/></w:pPr></w:p>
    <w:p><w:pPr><w:pStyle w:val="SourceCode"/></w:pPr><w:r><w:t>code</w:t></w:r></w:p>
    <w:p><w:pPr></w:pPr><w:r><w:t>{{not a mark}}</w:t></w:r></w:p>
    <w:p><w:r><w:t>签字：王五</w:t></w:r></w:p>
    "#);
    let styles = part(&made.bytes, "word/styles.xml");
    let added: Vec<_> = styles
        .split("<w:style ")
        .skip(5)
        .map(|it| it.split("w:styleId=\"").nth(1).unwrap().split('"').next().unwrap())
        .collect();
    assert_eq!(
        added,
        [
            "FootnoteReference",
            "Hyperlink",
            "ListParagraph",
            "ReportTable",
            "TableText",
            "SourceCode",
            "FootnoteText",
            "DefaultParagraphFont",
            "TableNormal"
        ]
    );
    assert!(
        styles.contains("<w:basedOn w:val=\"a\"/>")
            && !styles.contains("<w:basedOn w:val=\"Normal\"/>")
    );
    assert!(part(&made.bytes, "word/_rels/document.xml.rels").contains("https://a.test"));
    assert!(part(&made.bytes, "word/footnotes.xml").contains("注释"));
    assert!(part(&made.bytes, "word/_rels/footnotes.xml.rels").contains("https://b.test"));
    let kinds = part(&made.bytes, "[Content_Types].xml");
    assert!(kinds.contains("/word/footnotes.xml") && kinds.contains("/word/numbering.xml"));
    assert!(part(&made.bytes, "word/header1.xml").contains("ACME"));
}

#[test]
fn a_chart_comes_along_with_its_workbook() {
    let template = Template::of(&p("Kopf")).bytes();
    let doc = markdown("```chart\ntype: bar\n| a | b |\n|---|---|\n| x | 1 |\n```\n").unwrap();
    let options = DocxOptions { template: Some(template.into()), ..DocxOptions::default() };
    // Twice: in a template that has the content already.
    let once = docx(&doc, &options).unwrap();
    let options = DocxOptions { template: Some(once.bytes.into()), ..DocxOptions::default() };
    let made = docx(&doc, &options).unwrap();
    let chart = part(&made.bytes, "word/mitt/chart1-1.xml");
    let id = chart.split_once("<c:externalData r:id=\"").unwrap().1.split('"').next().unwrap();
    let links = part(&made.bytes, "word/mitt/_rels/chart1-1.xml.rels");
    let (_, link) = links.split_once(&format!("Id=\"{id}\"")).unwrap();
    let target = link.split_once("Target=\"").unwrap().1.split('"').next().unwrap();
    let mut zip = ZipArchive::new(Cursor::new(&made.bytes)).unwrap();
    zip.by_name(&format!("word/mitt/{target}")).unwrap();
    let text = body(&made.bytes);
    let id = text.split_once("<c:chart ").unwrap().1.split_once("r:id=\"").unwrap().1;
    let id = id.split('"').next().unwrap();
    let links = part(&made.bytes, "word/_rels/document.xml.rels");
    assert!(links.contains(&format!("Id=\"{id}\"")), "{id} {links}");
}

#[test]
fn a_document_takes_the_place_of_the_text() {
    let section = "<w:p><w:pPr><w:sectPr><w:footerReference w:type=\"default\" r:id=\"rId9\"/><w:headerReference w:type=\"default\" r:id=\"rId8\"/></w:sectPr></w:pPr></w:p>";
    let template = Template::of(&[p("old text {{x}}").as_str(), section].concat()).bytes();
    let options = DocxOptions { template: Some(template.into()), ..DocxOptions::default() };
    let made = docx(&markdown("# T\n\nnew {{y}} text\n").unwrap(), &options).unwrap();
    let xml = part(&made.bytes, "word/document.xml");
    assert!(!xml.contains("old text") && xml.contains("new {{y}} text"), "{xml}");
    // Header and footer of earlier sections are inherited.
    assert_eq!(xml.matches("<w:sectPr>").count(), 1);
    assert!(
        xml.contains("r:id=\"rId9\"") && xml.contains("r:id=\"rId2\"") && !xml.contains("rId8")
    );
    // A text without a place for it is an error.
    let doc = markdown("a").unwrap();
    let error = fill_docx(
        &Template::of(&p("x")).bytes(),
        &FillValues::new(),
        Some(&doc),
        &DocxOptions::default(),
    )
    .unwrap_err();
    insta::assert_snapshot!(error.render(), @r#"
    template: it has no paragraph `{{content}}` for the text that was given
    hint: put `{{content}}` into a paragraph of its own, or give no text
    "#);
    let in_table = format!("<w:tbl>{}</w:tbl>", row(&["{{content}}"]));
    let error = fill_docx(
        &Template::of(&in_table).bytes(),
        &FillValues::new(),
        Some(&doc),
        &DocxOptions::default(),
    )
    .unwrap_err();
    assert!(error.to_string().contains("stands in a table"), "{error}");
    // Without a text, the name is like any other.
    let made = fill(&Template::of(&p("{{content}}")).bytes(), serde_json::json!({"content": "c"}))
        .unwrap();
    assert!(body(&made.bytes).contains(">c<"));
}

fn refusal(bytes: &[u8]) -> String {
    let error = fill(bytes, serde_json::json!({})).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Input, "{error}");
    error.to_string()
}

#[test]
fn hostile_templates_are_refused_by_name() {
    let of = |name: &str, content: &str| refusal(&Template::of("").with(name, content).bytes());
    insta::assert_snapshot!([
        of("word/vbaProject.bin", "x"),
        of("_xmlsignatures/sig1.xml", "<x/>"),
        of("../evil.xml", "<x/>"),
        of("word\\evil.xml", "<x/>"),
        of("/etc/passwd", "x"),
        of("word/_rels/header1.xml.rels", "<Relationships><Relationship Id=\"a\" Type=\"x/image\" Target=\"http://evil.test/a.png\" TargetMode=\"External\"/></Relationships>"),
        of("word/_rels/header1.xml.rels", "<Relationships><Relationship Id=\"a\" Type=\"x/hyperlink\" Target=\"javascript:x\" TargetMode=\"External\"/></Relationships>"),
        of("word/_rels/header1.xml.rels", "<Relationships><Relationship Id=\"a\" Type=\"x/oleObject\" Target=\"embeddings/o.bin\"/></Relationships>"),
        of("word/header1.xml", "<w:hdr><w:fldSimple w:instr=\"DDEAUTO a b\"/></w:hdr>"),
        of("word/header1.xml", "<!DOCTYPE x [<!ENTITY a \"b\">]><w:hdr>&a;</w:hdr>"),
        of("word/media/bomb.png", &"\u{0}".repeat(20 << 20)),
        refusal(&Template { kind: "document.macroEnabled.main".into(), ..Template::of("") }.bytes()),
        refusal(b"not a zip"),
        refusal(b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1"),
        refusal(&pack(&[("a.txt".into(), b"x".to_vec())])),
        refusal(&vec![0; (32 << 20) + 1]),
        refusal(&pack(&(0..2_001).map(|n| (format!("{n}"), Vec::new())).collect::<Vec<_>>())),
    ].join("\n"), @r"
    template: it has macros (`word/vbaProject.bin`), which are not carried over
    template: it is signed (`_xmlsignatures/sig1.xml`), and a filled file would not be what was signed
    template: the name of a part is a path that leads out of it: `../evil.xml`
    template: the name of a part is a path that leads out of it: `word\evil.xml`
    template: the name of a part is a path that leads out of it: `/etc/passwd`
    template: it refers to another file (`image`): `http://evil.test/a.png`
    template: it has a link to `javascript:x`
    template: it has an embedded object (OLE), which is not carried over
    template: it has a field that may fetch or start something: `DDEAUTO a b`
    template: part `word/header1.xml` has a document type, which no Word file has
    template: part `word/media/bomb.png` unpacks to 20971520 bytes out of 20387
    template: it is of a kind that holds macros (`.docm`, `.dotm`)
    template: it is no Word file: invalid Zip archive: Could not find EOCD
    template: it is encrypted, or in the format of Word 97 (`.doc`)
    template: it is no Word file: it has no part `[Content_Types].xml`
    template: expected at most 33554432 bytes, got 33554433
    template: expected at most 2000 parts, got 2001
    ");
    // Deeply nested, broken and truncated files are errors as well, and never panic.
    let deep = format!("{}{}", "<w:p>".repeat(300), "</w:p>".repeat(300));
    assert!(refusal(&Template::of(&deep).bytes()).contains("nested deeper than 200"));
    let whole = Template::of(&p("{{a}}")).bytes();
    for length in (0..whole.len()).step_by(97) {
        assert!(fill(&whole[..length], serde_json::json!({"a": ""})).is_err());
    }
    let mut seed = 7_usize;
    for _ in 0..300 {
        let mut broken = whole.clone();
        for _ in 0..4 {
            seed = seed
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            let at = (seed >> 16) % broken.len();
            broken[at] = (seed >> 40) as u8;
        }
        let _ = fill(&broken, serde_json::json!({"a": ""}));
    }
}

#[test]
fn a_template_of_a_template_is_not_passed_on() {
    let settings = format!(
        "<w:settings {SPACES}><w:attachedTemplate r:id=\"rId1\"/><w:zoom w:percent=\"100\"/></w:settings>"
    );
    let template = Template::of(&p("a"))
        .with("word/settings.xml", &settings)
        .with("word/_rels/settings.xml.rels", "<Relationships><Relationship Id=\"rId1\" Type=\"x/attachedTemplate\" Target=\"file:///C:/x/Letter.dotm\" TargetMode=\"External\"/></Relationships>")
        .bytes();
    let made = fill(&template, serde_json::json!({})).unwrap();
    assert_eq!(
        made.warnings,
        ["template: it named another template, `file:///C:/x/Letter.dotm`, which is not passed on"]
    );
    assert!(!part(&made.bytes, "word/settings.xml").contains("attachedTemplate"));
    assert!(!part(&made.bytes, "word/_rels/settings.xml.rels").contains("Letter"));
    // A `.dotx` becomes a document.
    let dotx = Template { kind: "template.main".into(), ..Template::of(&p("a")) };
    let kinds =
        part(&fill(&dotx.bytes(), serde_json::json!({})).unwrap().bytes, "[Content_Types].xml");
    assert!(kinds.contains("document.main+xml") && !kinds.contains("template.main"));
}

#[test]
fn many_marks_end_in_time() {
    let started = std::time::Instant::now();
    let body = p(&"{{#a}}".repeat(20_000));
    assert!(fill(&Template::of(&body).bytes(), serde_json::json!({"a": true})).is_err());
    let body = p("{{#a}}").repeat(5_000);
    assert!(fill(&Template::of(&body).bytes(), serde_json::json!({"a": true})).is_err());
    let body = format!("{}{}", p("{{#a}}").repeat(900), p("{{/a}}").repeat(900));
    assert!(fill(&Template::of(&body).bytes(), serde_json::json!({"a": true})).is_err());
    let body = p(&format!("{}{}", "{{#a}}".repeat(900), "{{/a}}".repeat(900)));
    assert!(
        fill(&Template::of(&body).bytes(), serde_json::json!({"a": [[1, 2], [1, 2]]})).is_err()
    );
    let body = p(&"{{b}}".repeat(50_000));
    assert!(fill(&Template::of(&body).bytes(), serde_json::json!({"b": "x"})).is_ok());
    assert!(started.elapsed() < std::time::Duration::from_secs(20), "{:?}", started.elapsed());
}
