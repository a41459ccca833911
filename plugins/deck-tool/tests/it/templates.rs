//! Presentations without slides, and how placeholders of layouts are named.

use crate::common::{deck, info, no_files, unzip, zip};
use deck_tool::{Content, Edit, Error, Filling, edit, redact};
use std::collections::BTreeMap;

/// Returns the presentation with layouts and no slide; `list` stands where the list of slides was.
fn empty(list: &str) -> Vec<u8> {
    let mut parts: BTreeMap<String, Vec<u8>> =
        unzip(&deck()).into_iter().map(|(name, it)| (name, it.content)).collect();
    parts.retain(|name, _| {
        !["slides/", "charts/", "embeddings/"].iter().any(|it| name.contains(it))
    });
    let cut =
        |parts: &mut BTreeMap<String, Vec<u8>>, name: &str, from: &str, to: &str, new: &str| {
            let text = String::from_utf8(parts[name].clone()).unwrap();
            let start = text.find(from).unwrap();
            let end = start + text[start..].find(to).unwrap() + to.len();
            parts.insert(
                name.to_owned(),
                format!("{}{new}{}", &text[..start], &text[end..]).into_bytes(),
            );
        };
    let main = "ppt/presentation.xml";
    cut(&mut parts, main, "<p:sldIdLst>", "</p:sldIdLst>", list);
    cut(&mut parts, main, "<p:custShowLst>", "</p:custShowLst>", "");
    cut(&mut parts, main, "<p:extLst>", "</p:extLst>", "");
    for id in ["rId2", "rId3"] {
        let from = format!("<Relationship Id=\"{id}\"");
        cut(&mut parts, "ppt/_rels/presentation.xml.rels", &from, "/>", "");
    }
    let parts: Vec<(&str, Vec<u8>)> = parts.iter().map(|it| (&**it.0, it.1.clone())).collect();
    zip(&parts)
}

fn new_slide(placeholder: &str, text: &str) -> Edit {
    let content = Content::Text(text.to_owned());
    let fillings = vec![Filling { placeholder: placeholder.to_owned(), content }];
    Edit::NewSlide {
        layout: "sldLayout 1".to_owned(),
        position: None,
        fillings,
        notes: Some("n".to_owned()),
    }
}

#[test]
fn a_template_without_slides_is_read_filled_and_redacted() {
    for list in ["", "<p:sldIdLst/>"] {
        let bytes = empty(list);
        let read = info(&bytes);
        assert_eq!((read.total, read.slides.len(), read.next), (0, 0, None));
        assert_eq!(read.layouts[0].placeholders.len(), 2);
        let edits = [new_slide("title", "One"), new_slide("1", "Two")];
        let done = edit(bytes.clone(), &edits, &no_files).unwrap();
        let read = info(&done.bytes);
        assert_eq!(read.total, 2, "{list}");
        assert_eq!(read.slides[0].anchor, "s256");
        assert_eq!(read.slides[0].shapes[0].text.as_deref(), Some("One"));
        assert_eq!(read.slides[0].notes.as_deref(), Some("n"));
        assert_eq!(read.slides[1].shapes[0].text.as_deref(), Some("Two"));
        assert_eq!(edit(bytes.clone(), &[], &no_files).unwrap().bytes, bytes);
        let done = redact(bytes.clone(), &["Click".to_owned()], &[]).unwrap();
        assert_eq!((info(&done.bytes).total, done.hits), (0, 4));
        let missing = edit(
            bytes,
            &[Edit::HideSlide { slide: "s256".to_owned(), is_hidden: true }],
            &no_files,
        );
        assert!(missing.unwrap_err().to_string().contains("there is no slide s256"));
    }
}

#[test]
fn placeholders_are_named_as_reading_prints_them() {
    let layout = info(&deck()).layouts[0].placeholders.clone();
    assert!(layout[0].starts_with("0 title \"Shape 2\" at "), "{layout:?}");
    let titles = [
        "0",
        "title",
        "Shape 2",
        "\"Shape 2\"",
        "0 title",
        "title 0",
        "0 title \"Shape 2\"",
        &layout[0],
    ];
    let bodies =
        ["1", "obj", "body", "Shape 3", "1 obj", "obj 1", " 1 obj \"Shape 3\"", &layout[1]];
    for (names, kind) in [(titles, "title"), (bodies, "obj 1")] {
        for name in names {
            let done = edit(deck(), &[new_slide(name, "x")], &no_files);
            let shape = info(&done.unwrap().bytes).slides[2].shapes[0].clone();
            assert_eq!(shape.placeholder.as_deref(), Some(kind), "{name}");
        }
    }
    let error = edit(deck(), &[new_slide("7", "x")], &no_files).unwrap_err();
    assert!(matches!(error, Error::Invalid(_)));
    assert!(
        error.to_string().contains("(0 title \"Shape 2\", 1 obj \"Shape 3\"), got `7`"),
        "{error}"
    );
}
