//! Footnotes and endnotes.

use super::*;

const TEXT: &str = "<w:p><w:r><w:t>One claim, another.</w:t></w:r></w:p>";

fn footnote(at: &str, find: Option<&str>, text: &str) -> Edit {
    Edit::AddFootnote { at: at.to_owned(), find: find.map(str::to_owned), text: text.to_owned() }
}

fn delete(id: &str) -> Edit {
    Edit::DeleteNote { id: id.to_owned() }
}

fn with_notes() -> Vec<u8> {
    let note = |kind: &str, id: u32, text: &str| {
        format!(
            "<w:{kind} w:id=\"{id}\"><w:p><w:r><w:{kind}Ref/></w:r><w:r><w:t xml:space=\"preserve\"> {text}</w:t></w:r></w:p></w:{kind}>"
        )
    };
    let footnotes = format!(
        "<w:footnotes {W}><w:footnote w:type=\"separator\" w:id=\"-1\"><w:p/></w:footnote>{}{}</w:footnotes>",
        note("footnote", 2, "first"),
        note("footnote", 3, "second")
    );
    let endnotes = format!("<w:endnotes {W}>{}</w:endnotes>", note("endnote", 2, "end"));
    docx_with(
        "<w:p><w:r><w:t>a</w:t><w:footnoteReference w:id=\"2\"/><w:t>b</w:t></w:r><w:r><w:footnoteReference w:id=\"3\"/></w:r><w:r><w:endnoteReference w:id=\"2\"/></w:r></w:p>",
        &[("footnotes.xml", "footnotes", &footnotes), ("endnotes.xml", "endnotes", &endnotes)],
    )
}

#[test]
fn a_footnote_is_added_with_all_parts_that_it_needs() {
    let bytes = docx(TEXT);
    let at = anchor(&bytes, 0);
    let edits =
        [footnote(&at, Some("claim"), "See the <report>."), footnote(&at, None, "two\nlines")];
    for is_tracked in [true, false] {
        let edited = edit(bytes.clone(), &edits, &options(is_tracked), &no_files).unwrap();
        assert_eq!(edited.done[0].place, format!("footnote 1 at {at}"));
        let found = structure(&edited.bytes, View::Accepted);
        let shown: Vec<(&str, &str)> =
            found.paragraphs.iter().map(|it| (it.place.as_str(), it.text.as_str())).collect();
        assert_eq!(
            shown,
            [
                ("body", "One claim, another."),
                ("footnote 1", " See the <report>."),
                ("footnote 2", " two"),
                ("footnote 2", "lines")
            ]
        );
        let text = part(&edited.bytes, "word/document.xml");
        let place = text.find("claim</w:t>").unwrap();
        assert!(
            text[place..].find("w:footnoteReference w:id=\"1\"") < text[place..].find(", another")
        );
        for (name, content) in [
            ("word/footnotes.xml", "w:type=\"continuationSeparator\" w:id=\"0\""),
            ("[Content_Types].xml", "PartName=\"/word/footnotes.xml\""),
            ("word/_rels/document.xml.rels", "Target=\"footnotes.xml\""),
            ("word/settings.xml", "<w:footnotePr><w:footnote w:id=\"-1\"/>"),
        ] {
            assert!(part(&edited.bytes, name).contains(content), "{name}");
        }
        if is_tracked {
            let back = rejected(&edited.bytes);
            assert_eq!(texts(&back, View::Accepted), ["One claim, another."]);
            assert!(!part(&back, "word/document.xml").contains("footnoteReference"));
            assert_eq!(texts(&accepted(&edited.bytes), View::Accepted).len(), 4);
        }
    }
}

#[test]
fn a_footnote_joins_those_that_are_there() {
    let bytes = with_notes();
    let edited = plain(&bytes, &[footnote(&anchor(&bytes, 0), Some("a"), "new")]).unwrap();
    assert_eq!(edited.done[0].place, format!("footnote 4 at {}", anchor(&bytes, 0)));
    assert_eq!(texts(&edited.bytes, View::Accepted), ["ab", " first", " second", " new", " end"]);
    assert!(!unzip(&edited.bytes).contains_key("word/settings.xml"));
}

#[test]
fn the_text_of_a_note_is_changed_with_marks() {
    let bytes = with_notes();
    let edited = tracked(&bytes, &[replace(&anchor(&bytes, 2), "second", "third")]).unwrap();
    assert_eq!(texts(&edited.bytes, View::Marks)[2], " [-second-][+third+]");
    assert_eq!(texts(&rejected(&edited.bytes), View::Accepted), texts(&bytes, View::Accepted));
}

#[test]
fn a_note_is_deleted_with_its_reference() {
    let bytes = with_notes();
    let edited = plain(&bytes, &[delete("footnote 2"), delete("endnote 2")]).unwrap();
    assert_eq!(texts(&edited.bytes, View::Accepted), ["ab", " second"]);
    assert_eq!(edited.done[0].before, "first");
    let marked = tracked(&bytes, &[delete(&anchor(&bytes, 1))]).unwrap();
    assert_eq!(
        body(&marked.bytes),
        "<w:p><w:r><w:t>a</w:t></w:r><w:del><w:r><w:footnoteReference/></w:r></w:del><w:r><w:t>b</w:t></w:r>\
         <w:r><w:footnoteReference/></w:r><w:r><w:endnoteReference/></w:r></w:p>"
    );
    assert_eq!(texts(&accepted(&marked.bytes), View::Accepted), ["ab", " second", " end"]);
    assert_eq!(texts(&rejected(&marked.bytes), View::Accepted), texts(&bytes, View::Accepted));
    let problem = plain(&bytes, &[delete("footnote 9")]).unwrap_err().to_string();
    assert!(problem.contains("there are `footnote 2`, `footnote 3`, `endnote 2`"), "{problem}");
}

#[test]
fn footnotes_are_refused_where_word_has_none() {
    let bytes = with_notes();
    let error = |edit: Edit| plain(&bytes, &[edit]).unwrap_err().to_string();
    assert!(error(footnote(&anchor(&bytes, 1), None, "x")).contains("only stand in the body"));
    assert!(error(footnote(&anchor(&bytes, 0), None, " ")).contains("an empty one"));
    assert!(error(footnote(&anchor(&bytes, 0), Some("z"), "x")).contains("does not stand"));
}
