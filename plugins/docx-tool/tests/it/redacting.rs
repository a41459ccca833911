//! Redaction: one test for each place where a word can stand.

use super::*;
use docx_tool::{Redacted, redact};

const WORD: &str = "Secret";

fn run(bytes: Vec<u8>) -> Result<Redacted, Error> {
    redact(bytes, &[WORD.to_owned(), "John Smith".to_owned()], &["\\d{3}-\\d{4}".to_owned()])
}

/// Returns a document with further files and with a change of all texts of its parts.
fn with(body: &str, files: &[(&str, &[u8])], change: &dyn Fn(&str, String) -> String) -> Vec<u8> {
    let mut all: Vec<(String, Vec<u8>)> = unzip(&docx(body))
        .into_iter()
        .map(|(name, (_, content))| {
            let text = change(&name, String::from_utf8(content).unwrap());
            (name, text.into_bytes())
        })
        .collect();
    all.extend(files.iter().map(|(name, content)| ((*name).to_owned(), content.to_vec())));
    zip_bytes(&all)
}

fn as_is(_: &str, text: String) -> String {
    text
}

/// Redacts a body, checks that no form of the word is left, and returns the new body.
fn clean(body: &str) -> (String, Vec<(String, usize)>) {
    let found = run(with(body, &[], &as_is)).unwrap();
    let text = part(&found.bytes, "word/document.xml");
    assert!(!text.to_lowercase().contains("secret"), "{text}");
    let start = text.find("<w:body>").unwrap() + 8;
    (text[start..text.rfind("</w:body>").unwrap()].to_owned(), found.places)
}

fn kind(places: &[(String, usize)]) -> &str {
    assert_eq!(places.len(), 1, "{places:?}");
    places[0].0.split_once(": ").unwrap().1
}

#[test]
fn words_are_found_across_runs_and_signs_without_width() {
    let (text, places) = clean(
        "<w:p><w:r><w:t xml:space=\"preserve\">a </w:t></w:r><w:r><w:t>SEC</w:t></w:r><w:bookmarkStart w:id=\"1\" w:name=\"x\"/><w:r><w:rPr><w:b/></w:rPr><w:t>r\u{200b}e</w:t><w:softHyphen/><w:t>t s</w:t></w:r></w:p>",
    );
    assert!(
        text.contains("<w:t>███</w:t>") && text.contains("███</w:t><w:softHyphen/><w:t>█ s</w:t>"),
        "{text}"
    );
    assert_eq!(places, [("word/document.xml: text".to_owned(), 1)]);
    // White space that Word does not show does not hide a word.
    let (text, _) = clean("<w:p><w:r><w:t>Sec </w:t></w:r><w:r><w:t> ret</w:t></w:r></w:p>");
    assert!(text.contains("███ </w:t>"), "{text}");
    let (text, _) = clean("<w:p><w:r><w:t>John</w:t><w:br/><w:t>Smith</w:t></w:r></w:p>");
    assert!(text.contains("<w:t>████</w:t><w:br/><w:t>█████</w:t>"), "{text}");
    let (text, places) =
        clean("<w:p><w:r><w:t>to John</w:t></w:r></w:p><w:p><w:r><w:t>Smith!</w:t></w:r></w:p>");
    assert!(text.contains("to ████") && text.contains("█████!"), "{text}");
    assert_eq!(kind(&places), "text over several paragraphs");
    let (text, _) = clean("<w:p><w:r><w:t>call 555-1234 now</w:t></w:r></w:p>");
    assert!(text.contains("call ████████ now"));
}

#[test]
fn tracked_changes_are_cleaned() {
    let (text, places) = clean(
        "<w:p><w:del w:id=\"1\" w:author=\"x\"><w:r><w:delText>a Secret b</w:delText></w:r></w:del></w:p>",
    );
    assert!(text.contains("a ██████ b"));
    assert_eq!(kind(&places), "deleted text");
    // The word stands in the accepted text only, or in the original one only.
    for (outer, inner, tag) in [("del", "ins", "delText"), ("ins", "del", "t")] {
        let (_, places) = clean(&format!(
            "<w:p><w:r><w:t>Sec</w:t></w:r><w:{outer} w:id=\"1\" w:author=\"x\"><w:r><w:{tag}>xx</w:{tag}></w:r></w:{outer}><w:{inner} w:id=\"2\" w:author=\"x\"><w:r><w:t>ret</w:t></w:r></w:{inner}></w:p>"
        ));
        assert_eq!(places[0].1, 1);
    }
    let (_, places) = clean(
        "<w:p><w:moveFrom w:id=\"1\" w:author=\"x\"><w:r><w:t>Secret</w:t></w:r></w:moveFrom><w:moveTo w:id=\"2\" w:author=\"x\"><w:r><w:t>Secret</w:t></w:r></w:moveTo></w:p>",
    );
    assert_eq!(places.iter().map(|it| it.1).sum::<usize>(), 2, "{places:?}");
    // Redaction itself is no tracked change.
    let (text, _) = clean("<w:p><w:r><w:t>Secret</w:t></w:r></w:p>");
    assert!(!text.contains("<w:ins") && !text.contains("<w:del"));
}

#[test]
fn a_hit_of_several_views_counts_once() {
    let run = |change: &str, text: &str| {
        let tag = if change == "del" { "delText" } else { "t" };
        format!(
            "<w:{change} w:id=\"1\" w:author=\"x\"><w:r><w:{tag}>{text}</w:{tag}></w:r></w:{change}>"
        )
    };
    let patterns = ["\\d+-\\d{4}".to_owned(), "secret".to_owned()];
    for (first, second, count) in [
        // The text as it stands has a longer hit than the original or the accepted one.
        ("1", "55-1234", 1),
        ("55-", "1234-1234", 1),
        ("x", "secret", 1),
        ("secret", "x", 1),
        ("66-1234 ", "55-1234", 2),
    ] {
        for (before, behind) in [("ins", "del"), ("del", "ins")] {
            let body = format!("<w:p>{}{}</w:p>", run(before, first), run(behind, second));
            let places = redact(with(&body, &[], &as_is), &[], &patterns).unwrap().places;
            let found = places.iter().map(|it| it.1).sum::<usize>();
            assert_eq!(found, count, "{body}: {places:?}");
        }
    }
}

#[test]
fn hidden_text_boxes_fields_and_descriptions_are_cleaned() {
    let (_, places) = clean("<w:p><w:r><w:rPr><w:vanish/></w:rPr><w:t>Secret</w:t></w:r></w:p>");
    assert_eq!(kind(&places), "hidden text");
    let (_, places) = clean(
        "<w:p><w:r><w:t>Sec</w:t></w:r><w:r><w:pict><w:txbxContent><w:p><w:r><w:t>a Secret</w:t></w:r></w:p></w:txbxContent></w:pict></w:r><w:r><w:t>ret</w:t></w:r></w:p>",
    );
    assert_eq!(places.len(), 2, "{places:?}");
    assert!(places.iter().any(|it| it.0.ends_with("text box")));
    let (text, places) = clean(
        "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText> MERGEFIELD Se</w:instrText></w:r><w:r><w:instrText>cret </w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>",
    );
    assert!(text.contains("MERGEFIELD ██"), "{text}");
    assert_eq!(kind(&places), "field instruction");
    let (_, places) = clean(
        "<w:p><w:fldSimple w:instr=\"REF Secret\"><w:r><w:t>1</w:t></w:r></w:fldSimple></w:p>",
    );
    assert_eq!(kind(&places), "field instruction");
    let (_, places) = clean(
        "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>HYPERLINK \"https://a.test/John%20Smith\"</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>",
    );
    assert_eq!(kind(&places), "field instruction");
    let (text, places) = clean(
        "<w:p><w:r><w:drawing><wp:docPr xmlns:wp=\"urn:x\" id=\"1\" name=\"Picture 1\" descr=\"the Secret plan\"/></w:drawing></w:r></w:p>",
    );
    assert!(text.contains("descr=\"the ██████ plan\""));
    assert_eq!(kind(&places), "alternative text");
    let (_, places) = clean(
        "<w:sdt><w:sdtPr><w:alias w:val=\"Secret\"/></w:sdtPr><w:sdtContent><w:p/></w:sdtContent></w:sdt>",
    );
    assert_eq!(kind(&places), "content control");
    let (text, _) = clean(
        "<w:p><w:bookmarkStart w:id=\"1\" w:name=\"Secret\"/><w:bookmarkEnd w:id=\"1\"/><w:hyperlink w:anchor=\"Secret\" w:tooltip=\"Secret\"><w:r><w:t>x</w:t></w:r></w:hyperlink><!-- Secret --></w:p>",
    );
    assert_eq!(text.matches("\"██████\"").count(), 3, "{text}");
}

#[test]
fn other_parts_are_cleaned() {
    let paragraph = format!("<w:p><w:r><w:t>{WORD}</w:t></w:r></w:p>");
    let bytes = docx_with(
        "<w:p/>",
        &[
            ("header1.xml", "header", &format!("<w:hdr {W}>{paragraph}</w:hdr>")),
            ("footer1.xml", "footer", &format!("<w:ftr {W}>{paragraph}</w:ftr>")),
            (
                "footnotes.xml",
                "footnotes",
                &format!(
                    "<w:footnotes {W}><w:footnote w:id=\"1\">{paragraph}</w:footnote></w:footnotes>"
                ),
            ),
            (
                "endnotes.xml",
                "endnotes",
                &format!(
                    "<w:endnotes {W}><w:endnote w:id=\"1\">{paragraph}</w:endnote></w:endnotes>"
                ),
            ),
            (
                "comments.xml",
                "comments",
                &format!(
                    "<w:comments {W}><w:comment w:id=\"1\" w:author=\"Mr {WORD}\" w:initials=\"A\">{paragraph}</w:comment></w:comments>"
                ),
            ),
            (
                "settings.xml",
                "settings",
                &format!(
                    "<w:settings {W}><w:rsids><w:rsid w:val=\"00AA\"/></w:rsids><w:docVars><w:docVar w:name=\"a\" w:val=\"{WORD}\"/></w:docVars></w:settings>"
                ),
            ),
            (
                "chart1.xml",
                "chart",
                &format!(
                    "<c:chart xmlns:c=\"urn:c\" xmlns:a=\"urn:a\"><a:p><a:r><a:t>Sec</a:t></a:r><a:r><a:t>ret</a:t></a:r></a:p><c:v>{WORD}</c:v></c:chart>"
                ),
            ),
        ],
    );
    let found = run(bytes).unwrap();
    let all: String =
        unzip(&found.bytes).into_values().map(|it| String::from_utf8(it.1).unwrap()).collect();
    assert!(!all.contains(WORD), "{all}");
    assert!(
        !all.contains("rsid")
            && all.contains("w:author=\"Mr ██████\"")
            && all.contains("w:initials=\"A\"")
    );
    for wanted in [
        "header1.xml: text",
        "footer1.xml: text",
        "footnotes.xml: text",
        "endnotes.xml: text",
        "comments.xml: text",
        "comments.xml: author",
        "settings.xml: document variable",
        "chart1.xml: text",
    ] {
        assert!(
            found.places.iter().any(|it| it.0.ends_with(wanted)),
            "{wanted} {:?}",
            found.places
        );
    }
    let properties = format!(
        "<p xmlns:dc=\"urn:dc\"><dc:title>The {WORD}</dc:title><dc:creator>Mr Jones</dc:creator></p>"
    );
    let found =
        run(with("<w:p/>", &[("docProps/core.xml", properties.as_bytes())], &as_is)).unwrap();
    assert!(
        part(&found.bytes, "docProps/core.xml")
            .contains("The ██████</dc:title><dc:creator>Mr Jones")
    );
}

#[test]
fn addresses_thumbnails_and_custom_data_are_cleaned() {
    let links = |name: &str, text: String| {
        match name {
        "word/_rels/document.xml.rels" => text.replace(
            "</Relationships>",
            "<Relationship Id=\"rId8\" Type=\"http://x/hyperlink\" Target=\"mailto:john%20smith@a.test\" TargetMode=\"External\"/><Relationship Id=\"rId9\" Type=\"http://x/customXml\" Target=\"../customXml/item1.xml\"/></Relationships>",
        ),
        "_rels/.rels" => text.replace(
            "</Relationships>",
            "<Relationship Id=\"rId9\" Type=\"http://x/metadata/thumbnail\" Target=\"docProps/thumbnail.jpeg\"/></Relationships>",
        ),
        _ => text,
    }
    };
    let relations = "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"http://x/customXmlProps\" Target=\"itemProps1.xml\"/></Relationships>";
    let bytes = with(
        "<w:p><w:hyperlink r:id=\"rId8\"><w:r><w:t>x</w:t></w:r></w:hyperlink></w:p>",
        &[
            ("docProps/thumbnail.jpeg", b"\xff\xd8\xff"),
            ("customXml/item1.xml", b"<a><Secret>1</Secret></a>"),
            ("customXml/itemProps1.xml", b"<a/>"),
            ("customXml/_rels/item1.xml.rels", relations.as_bytes()),
            ("customXml/item2.xml", b"<a>fine</a>"),
        ],
        &links,
    );
    let found = run(bytes).unwrap();
    let names: Vec<String> = unzip(&found.bytes).into_keys().collect();
    assert!(
        !names.iter().any(|it| it.contains("thumbnail")
            || it.contains("tem1.xml")
            || it.contains("itemProps1")),
        "{names:?}"
    );
    assert!(names.contains(&"customXml/item2.xml".to_owned()));
    let relations = part(&found.bytes, "word/_rels/document.xml.rels");
    assert!(
        relations.contains("Target=\"https://redacted.invalid/\"")
            && !relations.contains("item1.xml")
    );
    assert!(!part(&found.bytes, "_rels/.rels").contains("thumbnail"));
    // A picture that is removed anyway is no hit.
    assert!(
        found.warnings.contains(&"the thumbnail `docProps/thumbnail.jpeg` was removed".to_owned())
    );
    assert!(!found.places.iter().any(|it| it.0.contains("thumbnail")), "{:?}", found.places);
    assert!(found.warnings.iter().any(|it| it.contains("`customXml/item1.xml` had a hit")));
    texts(&found.bytes, View::Accepted);
}

#[test]
fn embedded_files_with_a_hit_are_refused_by_name() {
    let utf16: Vec<u8> = "..Secret..".encode_utf16().flat_map(u16::to_le_bytes).collect();
    let mut odd = vec![0];
    odd.extend(&utf16);
    let sheet = zip(&[(
        "xl/sharedStrings.xml".to_owned(),
        "<sst><r><t>Sec</t></r><r><t>ret</t></r></sst>".to_owned(),
    )]);
    let mut object = b"\xd0\xcf\x11\xe0head".to_vec();
    object.extend(&sheet);
    let nested = zip_bytes(&[("a.xlsx".to_owned(), sheet.clone())]);
    let cases: [(&str, &[u8]); 7] = [
        ("word/embeddings/a.bin", b"xx SECRET yy"),
        ("word/embeddings/b.bin", &utf16),
        ("word/embeddings/c.bin", &odd),
        ("word/embeddings/d.xlsx", &sheet),
        ("word/embeddings/e.bin", &object),
        ("word/embeddings/f.docx", &nested),
        ("word/media/image1.jpeg", b"\xff\xd8\xff..Exif..Secret.."),
    ];
    for (name, content) in cases {
        let problem = run(with("<w:p/>", &[(name, content)], &as_is)).unwrap_err().to_string();
        assert!(problem.contains(&format!("`{name}`")), "{name}: {problem}");
    }
    let problem = run(with("<w:p/>", &[("word/media/secret.png", b"x")], &as_is)).unwrap_err();
    assert!(problem.to_string().contains("the name of the part `word/media/secret.png`"));
    let found =
        run(with("<w:p/>", &[("word/media/a.png", b"x"), ("word/embeddings/a.bin", b"x")], &as_is));
    let warnings = found.unwrap().warnings;
    assert!(
        warnings[0].contains("`word/media/a.png`")
            && warnings[1].contains("`word/embeddings/a.bin`"),
        "{warnings:?}"
    );
}

#[test]
fn words_of_the_format_stay_with_a_warning() {
    let bytes = docx(
        "<w:p><w:pPr><w:pStyle w:val=\"H1\"/><w:jc w:val=\"center\"/></w:pPr><w:r><w:t>the center</w:t></w:r></w:p>",
    );
    let found = redact(bytes, &["center".to_owned(), "heading".to_owned()], &[]).unwrap();
    assert!(body(&found.bytes).contains("<w:jc w:val=\"center\"/>"));
    assert_eq!(texts(&found.bytes, View::Accepted), ["the ██████"]);
    assert!(
        found.warnings.iter().any(|it| it.contains("values of the file format stay")),
        "{:?}",
        found.warnings
    );
    let custom =
        with("<w:p><w:pPr><w:pStyle w:val=\"SecretText\"/></w:pPr></w:p>", &[], &|_, text| {
            text.replace(
                "w:styleId=\"Quote\"><w:name w:val=\"Quote\"/>",
                "w:customStyle=\"1\" w:styleId=\"SecretText\"><w:name w:val=\"Secret text\"/>",
            )
        });
    let found = run(custom).unwrap();
    assert!(
        part(&found.bytes, "word/styles.xml")
            .contains("w:styleId=\"██████Text\"><w:name w:val=\"██████ text\"/>")
    );
    assert!(body(&found.bytes).contains("<w:pStyle w:val=\"██████Text\"/>"));
}

#[test]
fn nothing_of_the_old_archive_is_left() {
    let mut bytes = docx("<w:p><w:r><w:t>Secret</w:t></w:r></w:p>");
    let at = bytes.len() - 2;
    bytes[at] = 6;
    bytes.extend(b"Secret");
    let found = run(bytes).unwrap();
    assert!(!found.bytes.windows(6).any(|it| it == b"Secret"));
    let none = run(docx("<w:p><w:r><w:t>other</w:t></w:r></w:p>")).unwrap();
    assert!(none.warnings.iter().any(|it| it.contains("nothing was found")));
    assert!(docx_tool::check_name("a secret.docx", &[WORD.to_owned()], &[]).is_err());
    assert!(docx_tool::check_name("a.docx", &[WORD.to_owned()], &[]).is_ok());
}

#[test]
fn signed_files_and_macros_are_refused() {
    let problem = run(with("<w:p/>", &[("_xmlsignatures/a.xml", b"<a/>")], &as_is)).unwrap_err();
    assert!(problem.to_string().contains("_xmlsignatures/"));
    let broken = run(with("<w:p/>", &[("word/x.xml", b"<a>")], &as_is)).unwrap_err();
    assert!(broken.to_string().contains("the part `word/x.xml`"));
}

#[test]
fn names_of_parts_that_say_nothing_are_no_hits() {
    let themed = with("<w:p/>", &[("word/theme/theme1.xml", b"<a/>")], &as_is);
    assert!(redact(themed, &["theme".to_owned()], &[]).is_ok());
    let named = with("<w:p/>", &[("word/theme/Secret1.xml", b"<a/>")], &as_is);
    assert!(run(named).is_err());
}

#[test]
fn limits_are_named() {
    let text = |size: usize| format!("<a>{}</a>", " ".repeat(size)).into_bytes();
    let large = with("<w:p/>", &[("word/x.xml", &text(48 << 20))], &as_is);
    let problem = run(large).unwrap_err().to_string();
    assert!(problem.contains("bytes of XML") && problem.contains("`word/x.xml`"), "{problem}");
    let large = with("<w:p/>", &[("word/media/a.png", &vec![0; 128 << 20])], &as_is);
    let problem = run(large).unwrap_err().to_string();
    assert!(problem.contains("unpacked") && problem.contains("`word/media/a.png`"), "{problem}");
    let nested = (0..6).fold(b"x".to_vec(), |it, _| zip_bytes(&[("a.zip".to_owned(), it)]));
    let problem = run(with("<w:p/>", &[("word/embeddings/a.zip", &nested)], &as_is)).unwrap_err();
    assert!(problem.to_string().contains("nested deeper than 4"), "{problem}");
}

#[test]
fn phrases_are_found_in_long_documents() {
    let body =
        "<w:p><w:r><w:t>John</w:t></w:r></w:p><w:p><w:r><w:t>Smith</w:t></w:r></w:p>".repeat(300);
    let (text, places) = clean(&body);
    assert_eq!(text.matches("████").count(), 600);
    assert_eq!(places[0].1, 300);
}
