//! Redaction: each place where a presentation can have a word, and the proof that it is gone.

use crate::common::{R, deck, edit_parts, info, part, unzip, zip};
use deck_tool::{Error, Redacted, redact};
use std::collections::BTreeMap;

const WORD: &str = "Falcon";
const SLIDE: &str = "ppt/slides/slide1.xml";
const TYPES: &str = "[Content_Types].xml";
const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/package/2006/relationships";

fn run(bytes: Vec<u8>) -> Redacted {
    redact(bytes, &[WORD.to_owned()], &[]).unwrap()
}

/// Returns the presentation with parts that are changed or added.
fn with(parts: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all: BTreeMap<String, Vec<u8>> =
        unzip(&deck()).into_iter().map(|(name, it)| (name, it.content)).collect();
    for (name, content) in parts {
        all.insert((*name).to_owned(), content.to_vec());
    }
    let all: Vec<(&str, Vec<u8>)> = all.iter().map(|it| (&**it.0, it.1.clone())).collect();
    zip(&all)
}

fn relations(list: &[(&str, &str)]) -> Vec<u8> {
    let all: String = list
        .iter()
        .enumerate()
        .map(|(at, (kind, target))| {
            let mode = if target.contains("://") { " TargetMode=\"External\"" } else { "" };
            format!(
                "<Relationship Id=\"rId{}\" Type=\"{R}/{kind}\" Target=\"{target}\"{mode}/>",
                at + 1
            )
        })
        .collect();
    format!("<Relationships xmlns=\"{RELATIONSHIPS}\">{all}</Relationships>").into_bytes()
}

/// Returns the names of parts whose entries changed.
fn changed(before: &[u8], after: &[u8]) -> Vec<String> {
    let (before, after) = (unzip(before), unzip(after));
    let mut names: Vec<String> = before.keys().chain(after.keys()).cloned().collect();
    names.sort();
    names.dedup();
    names.retain(|it| before.get(it).map(|it| &it.raw) != after.get(it).map(|it| &it.raw));
    names
}

/// Puts a part with the word into the presentation, and returns the part after the redaction.
fn cleaned(name: &str, content: &str, place: &str) -> String {
    let bytes = with(&[(name, content.as_bytes())]);
    let done = run(bytes.clone());
    assert_eq!(changed(&bytes, &done.bytes), [name], "{place}");
    assert!(done.places.iter().any(|it| it.starts_with(place)), "{place}: {:?}", done.places);
    part(&done.bytes, name)
}

#[test]
fn text_is_blackened_across_runs_and_keeps_its_format() {
    let old = "<a:r><a:rPr b=\"1\"/><a:t>Rev</a:t></a:r><a:r><a:t>enue 20</a:t></a:r>";
    let new = "<a:r><a:rPr b=\"1\"/><a:t>By FAL</a:t></a:r><a:r><a:t>c&#xAD;o\u{200b}&#110;! 20</a:t></a:r>";
    let bytes = edit_parts(&deck(), &[(SLIDE, old, new)]);
    let done = run(bytes.clone());
    let xml = part(&done.bytes, SLIDE);
    assert!(
        xml.contains("<a:rPr b=\"1\"/><a:t>By ███</a:t></a:r><a:r><a:t>███! 20</a:t>"),
        "{xml}"
    );
    assert_eq!((done.hits, &*done.places.join(",")), (1, "slide 1 (1)"));
    assert_eq!(changed(&bytes, &done.bytes), [SLIDE]);
    assert_eq!(done.warnings, [""; 0]);
    assert_eq!(info(&done.bytes).total, 2);
}

#[test]
fn tables_alternative_texts_names_and_hidden_slides_are_blackened() {
    let bytes = edit_parts(
        &deck(),
        &[
            (SLIDE, "East", "East falcon"),
            (
                SLIDE,
                "name=\"Shape 2\"",
                "name=\"Falcon 2\" descr=\"a falcon &amp; b\" title=\"FALCON\"",
            ),
            ("ppt/slides/slide2.xml", "back", "Falcon"),
            ("ppt/slides/slide2.xml", "<p:sld ", "<p:sld show=\"0\" "),
        ],
    );
    let done = run(bytes);
    let xml = part(&done.bytes, SLIDE);
    assert!(xml.contains("East ██████</a:t>"));
    assert!(xml.contains("name=\"██████ 2\" descr=\"a ██████ &amp; b\" title=\"██████\""), "{xml}");
    assert!(part(&done.bytes, "ppt/slides/slide2.xml").contains("<a:t>██████</a:t>"));
    assert_eq!(done.places, ["slide 1 (4)", "slide 2 (1)"]);
}

#[test]
fn each_kind_of_part_is_blackened() {
    let p = "<a:p><a:r><a:t>Fal</a:t></a:r><a:r><a:t>con</a:t></a:r></a:p>";
    for (name, content, place) in [
        ("ppt/notesSlides/notesSlide1.xml", p, "`ppt/notesSlides"),
        ("ppt/slideLayouts/slideLayout9.xml", p, "layout (slideLayout9)"),
        ("ppt/slideMasters/slideMaster9.xml", p, "master (slideMaster9)"),
        ("ppt/notesMasters/notesMaster1.xml", p, "master of notes"),
        ("ppt/handoutMasters/handoutMaster1.xml", p, "master of handouts"),
        ("ppt/comments/comment1.xml", "<p:cm><p:text>my Falcon</p:text></p:cm>", "`ppt/comments"),
        ("ppt/comments/modernComment_1.xml", p, "`ppt/comments"),
        (
            "ppt/commentAuthors.xml",
            "<p:x name=\"Falcon\" initials=\"FALCON\"/>",
            "authors of comments",
        ),
        (
            "ppt/authors.xml",
            "<p:x userId=\"S::falcon@example.org\" providerId=\"AD\"/>",
            "authors of comments",
        ),
        ("ppt/diagrams/data1.xml", p, "`ppt/diagrams"),
        ("ppt/diagrams/drawing1.xml", p, "`ppt/diagrams"),
        ("ppt/tags/tag1.xml", "<p:tag name=\"A\" val=\"FALCON\"/>", "tags"),
        ("docProps/core.xml", "<c><dc:title>Falcon 2</dc:title></c>", "properties"),
        (
            "docProps/custom.xml",
            "<c><property name=\"falcon\"><vt:lpwstr>x</vt:lpwstr></property></c>",
            "properties",
        ),
        ("customXml/item1.xml", "<data kind=\"falcon\">x<b>Fal</b>con</data>", "custom XML"),
        ("ppt/media/image1.svg", "<svg><title>Falcon</title></svg>", "`ppt/media"),
        ("ppt/drawings/vmlDrawing1.vml", "<xml><v:shape alt=\"falcon\"/></xml>", "`ppt/drawings"),
        (
            "ppt/charts/chartEx1.xml",
            "<c><cx:lvl><cx:pt idx=\"0\">Falcon</cx:pt></cx:lvl></c>",
            "`ppt/charts",
        ),
        ("ppt/other.xml", "<c><!-- a falcon --><![CDATA[Falcon]]></c>", "`ppt/other.xml`"),
    ] {
        let content = if content.starts_with("<a:p>") {
            format!("<r>{content}</r>")
        } else {
            content.to_owned()
        };
        let text = cleaned(name, &content, place).to_lowercase();
        assert!(!text.contains("falcon") && !text.contains("con</"), "{name}: {text}");
        assert!(text.contains('█'), "{name}: {text}");
    }
}

#[test]
fn sections_and_shows_lose_the_word_in_their_names() {
    let main = "ppt/presentation.xml";
    let changes = [
        (main, "<p14:section name=\"A\"", "<p14:section name=\"The Falcon\""),
        (main, "name=\"Short\"", "name=\"falcon\""),
    ];
    let done = run(edit_parts(&deck(), &changes));
    let xml = part(&done.bytes, main);
    assert!(
        xml.contains("<p14:section name=\"The ██████\"") && xml.contains("name=\"██████\""),
        "{xml}"
    );
    assert_eq!(done.places, ["presentation (sections, shows) (2)"]);
}

#[test]
fn addresses_with_a_hit_lead_nowhere() {
    let name = "ppt/slides/_rels/slide1.xml.rels";
    let targets = ["https://example.org/f%61lcon?q=1", "https://example.org/other"];
    let list = [
        ("slideLayout", "../slideLayouts/slideLayout1.xml"),
        ("hyperlink", targets[0]),
        ("hyperlink", targets[1]),
    ];
    let done = run(with(&[(name, &relations(&list))]));
    let xml = part(&done.bytes, name);
    assert!(
        xml.contains("Target=\"about:blank\"") && xml.contains(targets[1]) && !xml.contains("%61"),
        "{xml}"
    );
    assert_eq!(done.places, ["links of slide 1 (1)"]);
    assert_eq!(done.warnings, ["1 link had a hit in its address and leads nowhere now."]);
}

#[test]
fn charts_and_their_workbooks_lose_texts_and_numbers() {
    let chart = "ppt/charts/chart1.xml";
    let book = "ppt/embeddings/book1.xlsx";
    let parts = unzip(&unzip(&deck())[book].content);
    let sheet = "xl/worksheets/sheet1.xml";
    let strings =
        "<sst><si><r><t>Fal</t></r><r><t>con</t></r></si><si><t>x</t></si><si><t>y</t></si></sst>";
    let mut inner: Vec<(&str, Vec<u8>)> =
        parts.iter().map(|(name, it)| (&**name, it.content.clone())).collect();
    inner.push(("xl/sharedStrings.xml", strings.into()));
    let number = "<c r=\"B2\" s=\"3\"><v>77.5</v></c>";
    let new_sheet = parts[sheet].text.replace("<c r=\"B2\" s=\"3\"><v>1</v></c>", number);
    inner.iter_mut().find(|it| it.0 == sheet).unwrap().1 = new_sheet.into_bytes();
    let bytes = with(&[(book, &zip(&inner))]);
    let changes = [(chart, "<c:v>East", "<c:v>Falcon"), (chart, "<c:v>1</c:v>", "<c:v>77.5</c:v>")];
    let bytes = edit_parts(&bytes, &[]);
    let mut all: BTreeMap<String, Vec<u8>> =
        unzip(&bytes).into_iter().map(|(n, it)| (n, it.content)).collect();
    let mut xml = String::from_utf8(all[chart].clone()).unwrap();
    for (_, old, new) in changes {
        xml = xml.replacen(old, new, 1);
    }
    all.insert(chart.to_owned(), xml.into_bytes());
    let all: Vec<(&str, Vec<u8>)> = all.iter().map(|it| (&**it.0, it.1.clone())).collect();
    let done = redact(zip(&all), &[WORD.to_owned(), "77.5".to_owned()], &[]).unwrap();
    let xml = part(&done.bytes, chart);
    assert!(xml.contains("<c:v>██████</c:v>") && !xml.contains("77.5"), "{xml}");
    // A number that is no number would make the chart unreadable.
    assert!(xml.contains("<c:numCache><c:ptCount val=\"2\"/><c:pt idx=\"1\">"), "{xml}");
    let inner = unzip(&unzip(&done.bytes)[book].content);
    assert!(inner["xl/sharedStrings.xml"].text.contains("<t>███</t></r><r><t>███</t>"));
    assert!(
        inner[sheet].text.contains("<c t=\"str\" r=\"B2\" s=\"3\"><v>████</v></c>"),
        "{}",
        inner[sheet].text
    );
    assert_eq!(done.places, ["chart of slide 2 (2)", "embedded object of slide 2 (2)"]);
}

#[test]
fn a_workbook_with_a_hit_in_a_formula_or_the_name_of_a_sheet_is_removed() {
    let book = "ppt/embeddings/book1.xlsx";
    for (name, old, new) in [
        ("xl/workbook.xml", "name=\"Sheet1\"", "name=\"Falcon\""),
        ("xl/worksheets/sheet1.xml", "<f>B2*2</f>", "<f>IF(1,\"Falcon\",B2)</f>"),
        (
            "xl/tables/table1.xml",
            "name=\" \"/>",
            "name=\"Falcon\"/><tableColumn id=\"3\" name=\"falcon\"/>",
        ),
    ] {
        let inner = edit_parts(&unzip(&deck())[book].content, &[(name, old, new)]);
        let done = run(with(&[(book, &inner)]));
        let parts = unzip(&done.bytes);
        assert!(!parts.contains_key(book), "{name}");
        assert!(!parts["ppt/charts/chart1.xml"].text.contains("externalData"), "{name}");
        assert!(!parts["ppt/charts/_rels/chart1.xml.rels"].text.contains("book1"), "{name}");
        assert!(
            done.warnings[0].contains("A file of the embedded object of slide 2 was removed"),
            "{:?}",
            done.warnings
        );
        assert!(info(&done.bytes).slides[1].shapes[1].chart.is_some());
    }
}

/// Returns a slide with an embedded object, its relationships, and the object.
fn with_object(name: &str, object: &[u8]) -> Vec<u8> {
    let frame = "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"40\" name=\"Object\"/></p:nvGraphicFramePr><a:graphic>\
    <a:graphicData><p:oleObj r:id=\"rId2\" progId=\"X\"><p:embed/><p:pic><p:nvPicPr><p:cNvPr id=\"41\" name=\"\"/>\
    </p:nvPicPr><p:blipFill><a:blip r:embed=\"rId3\"/></p:blipFill></p:pic></p:oleObj></a:graphicData></a:graphic>\
    </p:graphicFrame></p:spTree>";
    let list = [
        ("slideLayout", "../slideLayouts/slideLayout1.xml"),
        ("oleObject", &*format!("../embeddings/{name}")),
        ("image", "../media/image1.emf"),
    ];
    let bytes = with(&[
        ("ppt/slides/_rels/slide1.xml.rels", &relations(&list)),
        (&format!("ppt/embeddings/{name}"), object),
        ("ppt/media/image1.emf", b"\x01\0\0\0preview"),
    ]);
    let mut parts: BTreeMap<String, Vec<u8>> =
        unzip(&bytes).into_iter().map(|(name, it)| (name, it.content)).collect();
    let slide = String::from_utf8(parts[SLIDE].clone()).unwrap().replace("</p:spTree>", frame);
    parts.insert(SLIDE.to_owned(), slide.into_bytes());
    let parts: Vec<(&str, Vec<u8>)> = parts.iter().map(|it| (&**it.0, it.1.clone())).collect();
    zip(&parts)
}

fn wide(text: &str) -> Vec<u8> {
    text.encode_utf16().flat_map(u16::to_le_bytes).collect()
}

#[test]
fn an_object_with_a_hit_is_replaced_by_a_black_picture() {
    let object = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), wide("the FALCON plan")].concat();
    let done = run(with_object("oleObject1.bin", &object));
    let parts = unzip(&done.bytes);
    assert!(!parts.contains_key("ppt/embeddings/oleObject1.bin"));
    assert!(!parts.contains_key("ppt/media/image1.emf"));
    let slide = &parts[SLIDE].text;
    assert!(
        slide.contains("<p:pic>")
            && !slide.contains("oleObj")
            && !slide.contains("graphicData><p:"),
        "{slide}"
    );
    let relations = &parts["ppt/slides/_rels/slide1.xml.rels"].text;
    assert!(
        relations.contains("/ppt/media/redacted1.png") && !relations.contains("oleObject1"),
        "{relations}"
    );
    assert!(parts["ppt/media/redacted1.png"].content.starts_with(b"\x89PNG"));
    assert!(parts[TYPES].text.contains("Extension=\"png\""));
    assert_eq!(done.places, ["embedded object of slide 1 (1)"]);
}

#[test]
fn an_embedded_document_is_cleaned_and_its_preview_is_black() {
    let document = zip(&[
        (TYPES, b"<Types/>".to_vec()),
        ("word/document.xml", b"<w:p><w:r><w:t>Falcon</w:t></w:r></w:p>".to_vec()),
    ]);
    let done = run(with_object("Microsoft_Word_Document1.docx", &document));
    let parts = unzip(&done.bytes);
    let inner = unzip(&parts["ppt/embeddings/Microsoft_Word_Document1.docx"].content);
    assert!(inner["word/document.xml"].text.contains("<w:t>██████</w:t>"));
    assert!(!parts.contains_key("ppt/media/image1.emf") && parts[SLIDE].text.contains("oleObj"));
    assert!(done.warnings[0].contains("was replaced by a black one"), "{:?}", done.warnings);
}

#[test]
fn what_is_not_searched_is_named_by_slide() {
    let object = [b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1".to_vec(), wide("other")].concat();
    let bytes =
        edit_parts(&with_object("oleObject1.bin", &object), &[(SLIDE, "Results", "Falcon")]);
    let done = run(bytes);
    assert_eq!(done.warnings.len(), 2, "{:?}", done.warnings);
    assert_eq!(done.warnings[0], "Pictures were not searched: slide 1.");
    assert!(done.warnings[1].ends_with("given away: slide 1."), "{:?}", done.warnings);
}

#[test]
fn pictures_with_a_hit_in_their_bytes_become_black() {
    let bytes = edit_parts(&with_object("oleObject1.bin", b"\xd0\xcf\x11\xe0"), &[]);
    let mut parts: BTreeMap<String, Vec<u8>> =
        unzip(&bytes).into_iter().map(|(name, it)| (name, it.content)).collect();
    parts.insert("ppt/media/image1.emf".to_owned(), [vec![1, 0, 0, 0, 9], wide("Falcon")].concat());
    let parts: Vec<(&str, Vec<u8>)> = parts.iter().map(|it| (&**it.0, it.1.clone())).collect();
    let done = run(zip(&parts));
    assert!(!unzip(&done.bytes).contains_key("ppt/media/image1.emf"));
    assert!(done.warnings[0].contains("replaced by a black picture"), "{:?}", done.warnings);
}

#[test]
fn the_preview_of_the_file_is_removed() {
    let list = [
        ("officeDocument", "ppt/presentation.xml"),
        ("metadata/thumbnail", "docProps/thumbnail.jpeg"),
    ];
    let bytes =
        with(&[("_rels/.rels", &relations(&list)), ("docProps/thumbnail.jpeg", b"\xff\xd8\xff")]);
    let done = run(edit_parts(&bytes, &[(SLIDE, "Results", "Falcon")]));
    let parts = unzip(&done.bytes);
    assert!(
        !parts.contains_key("docProps/thumbnail.jpeg")
            && !parts["_rels/.rels"].text.contains("thumbnail")
    );
    assert_eq!(done.warnings, ["The preview picture of the file was removed."]);
}

#[test]
fn wide_xml_is_blackened_and_becomes_narrow() {
    let text = "\u{feff}<?xml version=\"1.0\" encoding=\"UTF-16\"?><a>Falcon</a>";
    let name = "customXml/item1.xml";
    let done = run(with(&[(name, &wide(text))]));
    assert_eq!(part(&done.bytes, name), "<?xml version=\"1.0\" encoding=\"UTF-8\"?><a>██████</a>");
}

#[test]
fn custom_xml_that_cannot_be_read_is_emptied_and_other_parts_are_refused() {
    let broken = b"<!DOCTYPE a><a>Falcon</a>";
    let done = run(with(&[("customXml/item1.xml", broken)]));
    assert_eq!(part(&done.bytes, "customXml/item1.xml"), "<redacted/>");
    assert!(done.warnings[0].contains("was emptied"), "{:?}", done.warnings);
    let error = redact(with(&[("ppt/other.xml", broken)]), &[WORD.to_owned()], &[]).unwrap_err();
    assert!(
        error.to_string().contains("`ppt/other.xml` has a hit and cannot be changed"),
        "{error}"
    );
}

#[test]
fn parts_with_a_hit_in_their_names_are_renamed() {
    let list =
        [("slideLayout", "../slideLayouts/slideLayout1.xml"), ("image", "../media/falcon.png")];
    let bytes = with(&[
        ("ppt/slides/_rels/slide1.xml.rels", &relations(&list)),
        ("ppt/media/falcon.png", b"\x89PNG"),
    ]);
    let done = run(bytes);
    let parts = unzip(&done.bytes);
    assert!(
        parts.contains_key("ppt/redacted/part1.png") && !parts.contains_key("ppt/media/falcon.png")
    );
    assert!(parts["ppt/slides/_rels/slide1.xml.rels"].text.contains("/ppt/redacted/part1.png"));
}

#[test]
fn words_of_the_format_stay_and_are_named() {
    let done = redact(deck(), &["title".to_owned(), "Results".to_owned()], &[]).unwrap();
    assert!(part(&done.bytes, SLIDE).contains("type=\"title\""));
    let warning = done.warnings.last().unwrap();
    assert!(
        warning.contains("match and stay") && warning.contains("`type=\"title\"`"),
        "{warning}"
    );
    assert_eq!(info(&done.bytes).slides[0].shapes[0].text.as_deref(), Some("███████"));
}

#[test]
fn patterns_are_regular_expressions() {
    let bytes = edit_parts(&deck(), &[(SLIDE, "Results", "Call 555-1234 or a@b.org")]);
    let done = redact(bytes, &[], &[r"\d{3}-\d{4}".to_owned(), r"\S+@\S+".to_owned()]).unwrap();
    assert_eq!(
        info(&done.bytes).slides[0].shapes[0].text.as_deref(),
        Some("Call ████████ or ███████")
    );
    assert_eq!(done.hits, 2);
}

#[test]
fn typed_properties_with_a_hit_are_removed() {
    let custom = "<c><property name=\"a\"><vt:i4>4711</vt:i4></property><property name=\"b\"><vt:i4>5</vt:i4></property></c>";
    let core = "<c><dcterms:created>2024-4711-01</dcterms:created><dc:title>4711</dc:title></c>";
    let bytes =
        with(&[("docProps/custom.xml", custom.as_bytes()), ("docProps/core.xml", core.as_bytes())]);
    let done = redact(bytes, &["4711".to_owned()], &[]).unwrap();
    assert_eq!(
        part(&done.bytes, "docProps/custom.xml"),
        "<c><property name=\"b\"><vt:i4>5</vt:i4></property></c>"
    );
    assert_eq!(part(&done.bytes, "docProps/core.xml"), "<c><dc:title>████</dc:title></c>");
}

#[test]
fn hits_outside_of_all_parts_are_found_by_the_proof() {
    let mut bytes = edit_parts(&deck(), &[(SLIDE, "Results", "Falcon")]);
    let length = bytes.len();
    bytes[length - 2] = 8;
    bytes.extend(b"a falcon");
    let error = redact(bytes, &[WORD.to_owned()], &[]).unwrap_err();
    assert!(error.to_string().contains("belong to no part"), "{error}");
}

#[test]
fn nothing_found_is_an_error_that_names_what_was_not_searched() {
    let bytes = with_object("oleObject1.bin", b"\xd0\xcf\x11\xe0");
    let error = redact(bytes, &["absent".to_owned()], &[]).unwrap_err();
    assert!(matches!(error, Error::NotFound(_)));
    assert!(error.to_string().contains("Pictures were not searched: slide 1."), "{error}");
}

#[test]
fn too_many_hits_are_refused() {
    let many = format!("<a>{}</a>", "x ".repeat(100_001));
    let error = redact(with(&[("customXml/item1.xml", many.as_bytes())]), &["x".to_owned()], &[])
        .unwrap_err();
    assert!(error.to_string().contains("expected at most 100000 hits"), "{error}");
}

#[test]
fn what_leads_to_the_other_parts_is_never_removed() {
    let relations = unzip(&deck()).remove("_rels/.rels").unwrap().content;
    // It can still be followed, but is no XML.
    let damaged = [&relations[1..], b"<!-- Falcon -->"].concat();
    match redact(with(&[("_rels/.rels", &damaged)]), &[WORD.to_owned()], &[]) {
        Err(Error::Malformed(text)) => assert!(text.contains("`_rels/.rels`"), "{text}"),
        other => panic!("{other:?}"),
    }
}
