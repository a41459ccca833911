//! Packages: what is not touched keeps its bytes.

use super::*;

#[test]
fn nothing_changes_without_an_edit() {
    let bytes = docx("<w:p ><w:r\n><w:t>a &#65; &lt;</w:t></w:r><!-- c --><?x y?></w:p>");
    let document = Document::open(bytes.clone()).unwrap();
    assert!(document.is_lossless());
    assert_eq!(document.save().unwrap(), bytes);
}

#[test]
fn other_entries_keep_their_bytes_order_and_times() {
    let mut bytes = docx("<w:p><w:r><w:t>one</w:t></w:r></w:p>");
    // A comment of the archive stays too.
    let at = bytes.len() - 2;
    bytes[at] = 3;
    bytes.extend(b"abc");
    let edited = tracked(&bytes, &[replace(&anchor(&bytes, 0), "one", "two")]).unwrap().bytes;
    let (before, after) = (unzip(&bytes), unzip(&edited));
    for (name, (raw, _)) in &before {
        assert_eq!(after[name].0 == *raw, name != "word/document.xml", "{name}");
    }
    assert!(edited.ends_with(b"\x03\0abc"));
    assert_eq!(edited[10..14], [0, 0, 0x21, 0x5a]);
}

#[test]
fn other_prefixes_and_strict_documents_are_edited() {
    let text = part(&docx("<w:p><w:r><w:t>one</w:t></w:r></w:p>"), "word/document.xml");
    for new in [
        text.replace("<w:", "<ns0:").replace("</w:", "</ns0:").replace("xmlns:w=", "xmlns:ns0="),
        text.replace(
            "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
            "http://purl.oclc.org/ooxml/wordprocessingml/main",
        ),
    ] {
        let files: Vec<(String, String)> = unzip(&docx("<w:p/>"))
            .into_iter()
            .map(|(name, (_, content))| {
                let is_main = name == "word/document.xml";
                (name, if is_main { new.clone() } else { String::from_utf8(content).unwrap() })
            })
            .collect();
        let bytes = zip(&files);
        let at = anchor(&bytes, 0);
        let edits =
            [replace(&at, "one", "two"), Edit::AddComment { at, find: None, text: "x".to_owned() }];
        let edited = tracked(&bytes, &edits).unwrap().bytes;
        assert_eq!(texts(&edited, View::Marks), ["[-one-][+two+]"]);
        assert_eq!(Document::open(edited).unwrap().comments().unwrap().len(), 1);
    }
}

#[test]
fn dates_are_those_of_word() {
    let date = |text: &str| EditOptions::new(true, None, Some(text)).map(|it| it.date.unwrap());
    assert_eq!(date("2026-11-27").unwrap(), "2026-11-27T00:00:00Z");
    assert_eq!(date("2026-11-27T10:00:00.123Z").unwrap(), "2026-11-27T10:00:00Z");
    assert_eq!(date("2026-11-27T10:00:00").unwrap(), "2026-11-27T10:00:00Z");
    assert_eq!(date("2026-11-27T10:00:00+01:00").unwrap(), "2026-11-27T10:00:00+01:00");
    for wrong in ["today", "2026-11-27 10:00", "2026-11-27T10:00:00é", "2026-1-1"] {
        assert!(date(wrong).is_err(), "{wrong}");
    }
}
