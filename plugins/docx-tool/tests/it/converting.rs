//! Conversion to Markdown that the host typesets.

use super::markdown::{item, with_lists};
use super::*;
use docx_tool::{Converted, convert};

fn converted(bytes: &[u8]) -> Converted {
    convert(bytes.to_vec(), View::Accepted, true).unwrap()
}

fn run(properties: &str, text: &str) -> String {
    format!("<w:r><w:rPr>{properties}</w:rPr><w:t xml:space=\"preserve\">{text}</w:t></w:r>")
}

/// Adds files and relationships to a document.
fn with_files(bytes: &[u8], relations: &str, files: &[(&str, &[u8])]) -> Vec<u8> {
    let mut all: Vec<(String, Vec<u8>)> = unzip(bytes)
        .into_iter()
        .map(|(name, (_, content))| {
            if name == "word/_rels/document.xml.rels" {
                let text = String::from_utf8(content).unwrap();
                let end = "</Relationships>";
                (name, text.replace(end, &format!("{relations}{end}")).into_bytes())
            } else {
                (name, content)
            }
        })
        .collect();
    all.extend(files.iter().map(|it| (it.0.to_owned(), it.1.to_vec())));
    zip_bytes(&all)
}

fn picture(relation: &str, description: &str) -> String {
    format!(
        "<w:r><w:drawing><wp:inline xmlns:wp=\"urn:wp\" xmlns:a=\"urn:a\"><wp:docPr id=\"1\" descr=\"{description}\"/><a:blip r:embed=\"{relation}\"/></wp:inline></w:drawing></w:r>"
    )
}

const IMAGE: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/image";

#[test]
fn headings_lists_looks_and_links_stay() {
    let link = "http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink";
    let body = format!(
        "<w:p><w:pPr><w:pStyle w:val=\"H1\"/></w:pPr><w:r><w:t>Head</w:t></w:r></w:p>{}{}{}{}{}<w:p>{}{}{}{}<w:hyperlink r:id=\"rId50\">{}</w:hyperlink></w:p>\
         <w:p><w:pPr><w:pStyle w:val=\"Quote\"/></w:pPr><w:r><w:t># quoted</w:t></w:r></w:p><w:p><w:r><w:t>a</w:t><w:br w:type=\"page\"/><w:t>b</w:t></w:r></w:p>",
        item(2, 0, "bullet"),
        item(2, 0, "- more"),
        item(1, 0, "one"),
        item(1, 1, "sub"),
        item(1, 0, "two"),
        run("", "plain "),
        run("<w:b/>", "bold"),
        run("", " x"),
        run("<w:vertAlign w:val=\"superscript\"/>", "2"),
        run("", "site"),
    );
    let bytes = with_files(
        &with_lists(&body, &[]),
        &format!(
            "<Relationship Id=\"rId50\" Type=\"{link}\" Target=\"https://a.test/&gt;x\" TargetMode=\"External\"/>"
        ),
        &[],
    );
    let found = converted(&bytes);
    assert_eq!(
        found.markdown,
        "# Head\n\n- bullet\n- \\- more\n1. one\n\n1.1 sub\n\n2. two\n\nplain **bold** x<sup>2</sup>[site](<https://a.test/%3Ex>)\n\n> \\# quoted\n\na\n\n<!-- pagebreak -->\n\nb"
    );
    assert_eq!(found.warnings, Vec::<String>::new());
}

#[test]
fn tables_notes_and_views_are_converted() {
    let cell = |properties: &str, text: &str| {
        format!(
            "<w:tc><w:tcPr>{properties}</w:tcPr><w:p><w:pPr><w:jc w:val=\"right\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p></w:tc>"
        )
    };
    let body = format!(
        "<w:p><w:r><w:t>see</w:t><w:footnoteReference w:id=\"2\"/></w:r><w:del w:id=\"1\" w:author=\"x\"><w:r><w:delText xml:space=\"preserve\"> old</w:delText></w:r></w:del><w:ins w:id=\"2\" w:author=\"x\"><w:r><w:t xml:space=\"preserve\"> new</w:t></w:r></w:ins></w:p>\
         <w:tbl><w:tr>{}</w:tr><w:tr>{}{}</w:tr><w:tr>{}{}</w:tr></w:tbl>",
        cell("<w:gridSpan w:val=\"2\"/>", "both"),
        cell("<w:vMerge w:val=\"restart\"/>", "down"),
        cell("", "1"),
        cell("<w:vMerge/>", ""),
        cell("", "2"),
    );
    let footnotes = format!(
        "<w:footnotes {W}><w:footnote w:id=\"2\"><w:p><w:r><w:t>the *source*</w:t></w:r></w:p></w:footnote></w:footnotes>"
    );
    let bytes = docx_with(&body, &[("footnotes.xml", "footnotes", &footnotes)]);
    let found = converted(&bytes);
    assert_eq!(
        found.markdown,
        "see[^2] new\n\n| both |  |\n| ---: | ---: |\n| down | 1 |\n|  | 2 |\n\n[^2]: the \\*source\\*"
    );
    assert_eq!(
        found.warnings,
        ["t0: merged cells are shown as one cell with empty ones beside it"]
    );
    let original = convert(bytes.clone(), View::Original, true).unwrap();
    assert!(original.markdown.starts_with("see[^2] old\n"));
    assert!(convert(bytes, View::Marks, true).unwrap_err().to_string().contains("got `marks`"));
}

#[test]
fn pictures_stand_in_the_text_as_far_as_they_fit() {
    let png = b"\x89PNG\r\n\x1a\nrest".to_vec();
    let mut large = png.clone();
    large.resize(2 << 20, 7);
    let body = format!(
        "<w:p>{}</w:p><w:p>{}</w:p><w:p>{}</w:p><w:p>{}</w:p>",
        picture("rId60", "a cat"),
        picture("rId61", "large"),
        picture("rId62", "old"),
        picture("rId63", "gone")
    );
    let relation = |id: &str, name: &str| {
        format!("<Relationship Id=\"{id}\" Type=\"{IMAGE}\" Target=\"media/{name}\"/>")
    };
    let relations =
        [("rId60", "a.png"), ("rId61", "b.png"), ("rId62", "c.emf"), ("rId63", "d.png")]
            .map(|it| relation(it.0, it.1))
            .concat();
    let bytes = with_files(
        &docx(&body),
        &relations,
        &[
            ("word/media/a.png", &png),
            ("word/media/b.png", &large),
            ("word/media/c.emf", b"\x01\0\0\0"),
        ],
    );
    let found = converted(&bytes);
    assert_eq!(
        found.markdown,
        "![a cat](data:image/png;base64,iVBORw0KGgpyZXN0)\n\n*large*\n\n*old*\n\n*gone*"
    );
    assert_eq!(found.warnings.len(), 3);
    assert!(found.warnings[0].starts_with("p1: a picture of 2048 KB is left out"));
    assert_eq!(found.warnings[1], "p2: a picture in the format EMF is left out");
    assert!(found.warnings[2].starts_with("p3: the picture `word/media/d.png` is left out"));
    let text = convert(bytes, View::Accepted, false).unwrap();
    assert!(text.markdown.starts_with("*a cat*") && text.warnings[0].contains("text only"));
}

#[test]
fn losses_are_named_by_the_anchors_of_the_document() {
    let body = "<w:p><w:pPr><w:rPr><w:del w:id=\"1\" w:author=\"x\"/></w:rPr></w:pPr><w:del w:id=\"2\" w:author=\"x\"><w:r><w:delText>gone</w:delText></w:r></w:del></w:p>\
        <w:p><w:r><w:t>kept</w:t></w:r><w:r><w:pict><v:shape xmlns:v=\"urn:v\"><w:txbxContent><w:p><w:r><w:t>boxed</w:t></w:r></w:p></w:txbxContent></v:shape></w:pict></w:r><w:r><w:rPr><w:vanish/></w:rPr><w:t>secret</w:t></w:r></w:p>\
        <w:sectPr><w:pgSz w:w=\"15840\" w:h=\"12240\"/></w:sectPr>";
    let header = format!("<w:hdr {W}><w:p><w:r><w:t>Confidential</w:t></w:r></w:p></w:hdr>");
    let found = converted(&docx_with(body, &[("header1.xml", "header", &header)]));
    assert_eq!(found.markdown, "kept\n\n> boxed");
    assert_eq!(
        found.warnings,
        [
            "p1: hidden text is left out",
            "p1: a text box is shown as a quotation below its paragraph",
            "header: \"Confidential\" is left out",
            "pages in landscape are shown in portrait",
        ]
    );
    assert!(found.is_letter);
}

#[test]
fn a_table_of_contents_is_made_anew() {
    let body = "<w:p><w:r><w:fldChar w:fldCharType=\"begin\"/></w:r><w:r><w:instrText>TOC \\o \"1-3\"</w:instrText></w:r><w:r><w:fldChar w:fldCharType=\"separate\"/></w:r><w:r><w:t>One 3</w:t></w:r></w:p>\
        <w:p><w:r><w:fldChar w:fldCharType=\"end\"/></w:r></w:p><w:p><w:pPr><w:pStyle w:val=\"H1\"/></w:pPr><w:r><w:t>One</w:t></w:r></w:p>";
    let found = converted(&docx(body));
    assert_eq!((found.markdown.as_str(), found.has_contents), ("# One", true));
    assert_eq!(found.warnings, ["the table of contents is made anew, at the beginning"]);
    let empty = convert(docx("<w:p/>"), View::Accepted, true).unwrap_err();
    assert!(empty.to_string().contains("no text to convert"));
}
