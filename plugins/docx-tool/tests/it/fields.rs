//! Fields and content controls.

use super::*;
use docx_tool::FieldInfo;

const W14: &str = "xmlns:w14=\"http://schemas.microsoft.com/office/word/2010/wordml\"";

fn field(instruction: &str, result: &str) -> String {
    format!(
        "<w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>{instruction}</w:instrText></w:r>\
         <w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>{result}</w:t></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>"
    )
}

fn control(properties: &str, content: &str) -> String {
    format!("<w:sdt><w:sdtPr>{properties}</w:sdtPr><w:sdtContent>{content}</w:sdtContent></w:sdt>")
}

fn run(text: &str) -> String {
    format!("<w:r><w:t>{text}</w:t></w:r>")
}

fn listed(bytes: &[u8]) -> Vec<FieldInfo> {
    Document::open(bytes.to_vec()).unwrap().fields()
}

fn set(name: &str, find: &str, replacement: &str) -> Edit {
    Edit::SetControl {
        name: name.to_owned(),
        find: find.to_owned(),
        replacement: replacement.to_owned(),
        occurrence: None,
    }
}

fn insert(at: &str, field: &str, after: Option<&str>) -> Edit {
    Edit::InsertField {
        at: at.to_owned(),
        field: field.to_owned(),
        after: after.map(str::to_owned),
        before: None,
    }
}

/// A form with a control of each kind.
fn form() -> Vec<u8> {
    let check = format!(
        "<w:alias w:val=\"Agreed\"/><w14:checkbox {W14}><w14:checked w14:val=\"0\"/><w14:checkedState w14:val=\"2612\" w14:font=\"MS Gothic\"/></w14:checkbox>"
    );
    let paragraphs = [
        control("<w:tag w:val=\"client\"/><w:text/>", &run("Old Ltd")),
        control(
            "<w:tag w:val=\"size\"/><w:dropDownList w:lastValue=\"s\"><w:listItem w:displayText=\"Small\" w:value=\"s\"/><w:listItem w:displayText=\"Large\" w:value=\"l\"/></w:dropDownList>",
            &run("Small"),
        ),
        control(&check, &run("\u{2610}")),
        control(
            "<w:tag w:val=\"start\"/><w:date w:fullDate=\"2026-01-02T00:00:00Z\"><w:dateFormat w:val=\"d MMMM yyyy\"/><w:lid w:val=\"en-GB\"/></w:date>",
            &run("2 January 2026"),
        ),
        control(
            "<w:tag w:val=\"note\"/><w:showingPlcHdr/><w:text/>",
            "<w:r><w:rPr><w:rStyle w:val=\"PlaceholderText\"/></w:rPr><w:t>Click here</w:t></w:r>",
        ),
        control("<w:tag w:val=\"logo\"/><w:picture/>", "<w:r/>"),
    ];
    let body: String = paragraphs.iter().map(|it| format!("<w:p>{it}</w:p>")).collect();
    docx(&format!(
        "{body}{}",
        control("<w:tag w:val=\"block\"/>", &format!("<w:p>{}</w:p>", run("one paragraph")))
    ))
}

#[test]
fn fields_and_controls_are_listed_with_kind_value_and_anchor() {
    let form_field = "<w:r><w:fldChar w:fldCharType=\"begin\"><w:ffData><w:name w:val=\"Ok\"/><w:checkBox><w:default w:val=\"0\"/><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText>FORMCHECKBOX</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r>";
    let body = format!(
        "<w:p>{}</w:p><w:p><w:fldSimple w:instr=\" MERGEFIELD Name \"><w:r><w:t>Li Wei</w:t></w:r></w:fldSimple></w:p><w:p>{form_field}</w:p>\
         <w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>TOC \\o</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r>{}</w:p><w:p>{}<w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>\
         <w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r></w:p>",
        field(" REF _Ref1 \\h ", "Terms"),
        run("One"),
        field("PAGEREF a", "3"),
    );
    let bytes = docx(&body);
    let shown: Vec<String> = listed(&bytes)
        .iter()
        .map(|it| format!("{} {} {:?}", it.kind, it.value, it.instruction.as_deref().unwrap_or("")))
        .collect();
    assert_eq!(
        shown,
        [
            "REF Terms \"REF _Ref1 \\\\h\"",
            "MERGEFIELD Li Wei \"MERGEFIELD Name\"",
            "FORMCHECKBOX true \"FORMCHECKBOX\"",
            "TOC One3 \"TOC \\\\o\"",
            "PAGEREF 3 \"PAGEREF a\"",
        ]
    );
    assert_eq!(listed(&bytes)[2].title.as_deref(), Some("Ok"));
    assert_eq!(listed(&bytes)[3].at, Some(anchor(&bytes, 3)));
    let shown: Vec<String> =
        listed(&form()).iter().map(|it| format!("{}: {}", it.kind, it.value)).collect();
    assert_eq!(
        shown,
        [
            "text: Old Ltd",
            "drop-down: Small",
            "check box: false",
            "date: 2 January 2026",
            "text: ",
            "picture: ",
            "rich text: one paragraph"
        ]
    );
    assert_eq!(listed(&form())[1].choices, ["Small", "Large"]);
    let details = &structure(&form(), View::Accepted).paragraphs;
    assert_eq!(details[1].details, ["content control `size` (drop-down) at 0..5"]);
    assert_eq!(details[6].details, ["in content control `block`"]);
    // A field without a result is named too.
    let empty = docx(
        "<w:p><w:r><w:t>a</w:t></w:r><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>PAGE</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p>",
    );
    assert_eq!(structure(&empty, View::Accepted).paragraphs[0].details, ["field PAGE at 1..1"]);
}

#[test]
fn controls_are_set_by_tag_or_title_if_they_have_the_expected_value() {
    let bytes = form();
    let edits = [
        set("client", "Old Ltd", "New Ltd"),
        set("size", "Small", "large"),
        set("agreed", "false", "true"),
        set("start", "2 January 2026", "2026-11-27"),
        set("note", "", "filled"),
        set("block", "one paragraph", "another"),
    ];
    let edited = plain(&bytes, &edits).unwrap();
    assert_eq!(edited.warnings, Vec::<String>::new());
    assert_eq!(
        texts(&edited.bytes, View::Accepted),
        ["New Ltd", "Large", "\u{2612}", "27 November 2026", "filled", "", "another"]
    );
    let text = part(&edited.bytes, "word/document.xml");
    assert!(text.contains("w:lastValue=\"l\"") && text.contains("w14:checked w14:val=\"1\""));
    assert!(text.contains("w:fullDate=\"2026-11-27T00:00:00Z\""));
    assert!(!text.contains("showingPlcHdr") && !text.contains("PlaceholderText"));
    // The text stays in its control.
    assert_eq!(listed(&edited.bytes)[0].value, "New Ltd");
    assert_eq!(listed(&edited.bytes)[4].value, "filled");
    let tracked_edit = tracked(&bytes, &edits).unwrap();
    assert_eq!(texts(&tracked_edit.bytes, View::Marks)[0], "[-Old Ltd-][+New Ltd+]");
    assert_eq!(texts(&rejected(&tracked_edit.bytes), View::Accepted)[..2], ["Old Ltd", "Small"]);
    assert_eq!(listed(&accepted(&tracked_edit.bytes))[0].value, "New Ltd");
    assert!(tracked_edit.warnings.iter().any(|it| it.contains("check box `agreed`")));
    assert!(tracked_edit.warnings.iter().any(|it| it.contains("`start`")));
}

#[test]
fn controls_that_cannot_be_set_say_why() {
    let bytes = form();
    let error = |edit: Edit| plain(&bytes, &[edit]).unwrap_err().to_string();
    assert!(
        error(set("client", "Other", "x")).contains("has the value \"Old Ltd\", not \"Other\"")
    );
    assert!(error(set("size", "Small", "Huge")).contains("it has `Small`, `Large`"));
    assert!(error(set("agreed", "false", "maybe")).contains("expected `true` or `false`"));
    assert!(error(set("start", "2 January 2026", "soon")).contains("expected a date"));
    assert!(error(set("logo", "", "x")).contains("is a picture"));
    assert!(error(set("nobody", "", "x")).contains("there are `client`, `size`, `Agreed`"));
    let two = docx(&control(
        "<w:tag w:val=\"two\"/>",
        &format!("<w:p>{}</w:p><w:p>{}</w:p>", run("a"), run("b")),
    ));
    let problem = plain(&two, &[set("two", "a\nb", "x")]).unwrap_err().to_string();
    assert!(problem.contains(&format!("`{}`", anchor(&two, 1))), "{problem}");
}

#[test]
fn all_controls_with_a_tag_are_set_or_one_of_them() {
    let one = control("<w:tag w:val=\"x\"/><w:text/>", &run("old"));
    let bytes = docx(&format!("<w:p>{one}</w:p><w:p>{one}</w:p>"));
    let edited = plain(&bytes, &[set("x", "old", "new")]).unwrap();
    assert_eq!(texts(&edited.bytes, View::Accepted), ["new", "new"]);
    assert_eq!(edited.done[0].place, "2 content controls x");
    let second = |number| Edit::SetControl {
        name: "x".to_owned(),
        find: "old".to_owned(),
        replacement: "new".to_owned(),
        occurrence: Some(number),
    };
    let edited = plain(&bytes, &[second(2)]).unwrap();
    assert_eq!(texts(&edited.bytes, View::Accepted), ["old", "new"]);
    assert!(plain(&bytes, &[second(3)]).unwrap_err().to_string().contains("from 1 to 2"));
}

#[test]
fn data_behind_controls_is_set_too() {
    let binding = "<w:dataBinding w:xpath=\"/ns0:root[1]/ns0:name[2]\" w:storeItemID=\"{AB}\"/>";
    let body = format!(
        "<w:p>{}</w:p>",
        control(&format!("<w:tag w:val=\"x\"/>{binding}<w:text/>"), &run("old"))
    );
    let files: Vec<(String, String)> = unzip(&docx(&body))
        .into_iter()
        .map(|(name, (_, content))| {
            let text = String::from_utf8(content).unwrap();
            let base = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
            let more = format!("<Relationship Id=\"rId9\" Type=\"{base}/customXml\" Target=\"../customXml/item1.xml\"/></Relationships>");
            let text = if name == "word/_rels/document.xml.rels" { text.replace("</Relationships>", &more) } else { text };
            (name, text)
        })
        .chain([
            ("customXml/item1.xml".to_owned(), "<root xmlns=\"urn:x\"><name>first</name><name>old</name></root>".to_owned()),
            ("customXml/itemProps1.xml".to_owned(), "<ds:datastoreItem xmlns:ds=\"urn:y\" ds:itemID=\"{ab}\"/>".to_owned()),
            (
                "customXml/_rels/item1.xml.rels".to_owned(),
                "<Relationships xmlns=\"http://schemas.openxmlformats.org/package/2006/relationships\"><Relationship Id=\"rId1\" Type=\"x/customXmlProps\" Target=\"itemProps1.xml\"/></Relationships>".to_owned(),
            ),
        ])
        .collect();
    let edited = plain(&zip(&files), &[set("x", "old", "new & more")]).unwrap();
    assert_eq!(edited.warnings, Vec::<String>::new());
    assert_eq!(
        part(&edited.bytes, "customXml/item1.xml"),
        "<root xmlns=\"urn:x\"><name>first</name><name>new &amp; more</name></root>"
    );
    // Data that is not there is reported.
    let edited = plain(&docx(&body), &[set("x", "old", "new")]).unwrap();
    assert!(edited.warnings[0].contains("bound to data"), "{:?}", edited.warnings);
}

#[test]
fn fields_are_inserted_at_a_place_and_updated_by_word() {
    let body = "<w:p><w:pPr><w:pStyle w:val=\"H1\"/></w:pPr><w:r><w:t>Terms &amp; more</w:t></w:r></w:p>\
        <w:p><w:r><w:rPr><w:b/></w:rPr><w:t>Page  of, see.</w:t></w:r></w:p>";
    let bytes = docx(body);
    let (head, at) = (anchor(&bytes, 0), anchor(&bytes, 1));
    let edits = [
        insert(&at, "PAGE", Some("Page ")),
        insert(&at, "numpages", Some("of")),
        insert(&at, &format!("REF {head}"), Some("see")),
        insert(&at, "DATE", None),
    ];
    for is_tracked in [true, false] {
        let edited = edit(bytes.clone(), &edits, &options(is_tracked), &no_files).unwrap();
        assert_eq!(
            texts(&edited.bytes, View::Accepted)[1],
            "Page 1 of1, seeTerms & more.2026-11-27"
        );
        let text = part(&edited.bytes, "word/document.xml");
        assert_eq!(text.matches("w:dirty=\"true\"").count(), 4);
        assert!(
            text.contains("w:name=\"_Ref400000000\"") && text.contains("REF _Ref400000000 \\h")
        );
        assert!(text.contains(
            "<w:rPr><w:b/></w:rPr><w:instrText xml:space=\"preserve\"> PAGE </w:instrText>"
        ));
        assert_eq!(edited.warnings.len(), 1, "{:?}", edited.warnings);
        let kinds: Vec<String> = listed(&edited.bytes).into_iter().map(|it| it.kind).collect();
        assert_eq!(kinds, ["PAGE", "NUMPAGES", "REF", "DATE"]);
        if is_tracked {
            assert_eq!(texts(&rejected(&edited.bytes), View::Accepted)[1], "Page  of, see.");
            assert!(!body_of(&rejected(&edited.bytes)).contains("fldChar"));
        }
    }
}

fn body_of(bytes: &[u8]) -> String {
    body(bytes)
}

#[test]
fn a_bookmark_of_a_heading_is_used_again() {
    let bytes = docx(
        "<w:p><w:pPr><w:pStyle w:val=\"H1\"/></w:pPr><w:bookmarkStart w:id=\"7\" w:name=\"_Ref12\"/><w:r><w:t>Terms</w:t></w:r><w:bookmarkEnd w:id=\"7\"/></w:p><w:p/>",
    );
    let edit = insert(&anchor(&bytes, 1), &format!("REF {}", anchor(&bytes, 0)), None);
    let edited = plain(&bytes, &[edit]).unwrap().bytes;
    assert_eq!(part(&edited, "word/document.xml").matches("bookmarkStart").count(), 1);
    assert_eq!(listed(&edited)[0].instruction.as_deref(), Some("REF _Ref12 \\h"));
}

#[test]
fn fields_are_refused_where_they_cannot_stand() {
    let bytes = docx(&format!(
        "<w:p>{}</w:p><w:p>{}</w:p>",
        field("PAGE", "1234"),
        control("<w:text/>", &run("abcd"))
    ));
    let error = |edit: Edit| plain(&bytes, &[edit]).unwrap_err().to_string();
    assert!(error(insert(&anchor(&bytes, 0), "DATE", Some("12"))).contains("within a field"));
    assert!(
        error(insert(&anchor(&bytes, 1), "DATE", Some("ab"))).contains("within a content control")
    );
    assert!(error(insert(&anchor(&bytes, 0), "SUM", None)).contains("`NUMPAGES`"));
    assert!(
        error(insert(&anchor(&bytes, 0), "REF p9-0000", None)).contains("no paragraph `p9-0000`")
    );
    assert!(error(insert(&anchor(&bytes, 0), "TOC", None)).contains("no headings"));
    // At its ends a field does not grow.
    let edited = plain(&bytes, &[insert(&anchor(&bytes, 0), "DATE", Some("1234"))]).unwrap();
    assert_eq!(listed(&edited.bytes).iter().filter(|it| it.kind == "PAGE").count(), 1);
    assert_eq!(listed(&edited.bytes)[1].value, "1234");
}

#[test]
fn a_table_of_contents_lists_the_headings() {
    let heading =
        |text: &str| format!("<w:p><w:pPr><w:pStyle w:val=\"H1\"/></w:pPr>{}</w:p>", run(text));
    let bytes = docx(&format!("<w:p>{}</w:p>{}{}", run("start"), heading("One"), heading("Two")));
    let edited = tracked(&bytes, &[insert(&anchor(&bytes, 0), "TOC", None)]).unwrap();
    assert_eq!(texts(&edited.bytes, View::Accepted), ["One", "Two", "start", "One", "Two"]);
    assert_eq!(listed(&edited.bytes)[0].value, "OneTwo");
    assert!(edited.warnings[0].contains("no page numbers"));
    assert_eq!(texts(&rejected(&edited.bytes), View::Accepted), texts(&bytes, View::Accepted));
    assert!(!body(&rejected(&edited.bytes)).contains("fldChar"));
}

#[test]
fn word_is_asked_to_update_all_fields() {
    let edited = plain(&docx("<w:p/>"), &[Edit::UpdateFields]).unwrap();
    assert!(edited.warnings[0].contains("old text until Word updates them"));
    let settings = part(&edited.bytes, "word/settings.xml");
    assert!(settings.contains("<w:updateFields w:val=\"true\"/>"), "{settings}");
    assert!(part(&edited.bytes, "[Content_Types].xml").contains("settings+xml"));
    assert!(part(&edited.bytes, "word/_rels/document.xml.rels").contains("settings.xml"));
    // In settings that are there, at its place.
    let settings = format!("<w:settings {W}><w:zoom w:percent=\"100\"/><w:compat/></w:settings>");
    let bytes = docx_with("<w:p/>", &[("settings.xml", "settings", &settings)]);
    let edited = plain(&bytes, &[Edit::UpdateFields, Edit::UpdateFields]).unwrap();
    assert!(
        part(&edited.bytes, "word/settings.xml")
            .contains("<w:zoom w:percent=\"100\"/><w:updateFields w:val=\"true\"/><w:compat/>")
    );
}
