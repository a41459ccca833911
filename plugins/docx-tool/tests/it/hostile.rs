//! Files that were made to do harm end with an error.

use super::*;

fn with_document(text: &str) -> Vec<u8> {
    let files: Vec<(String, String)> = unzip(&docx("<w:p/>"))
        .into_iter()
        .map(|(name, (_, content))| {
            let is_main = name == "word/document.xml";
            (name, if is_main { text.to_owned() } else { String::from_utf8(content).unwrap() })
        })
        .collect();
    zip(&files)
}

fn error(bytes: Vec<u8>) -> String {
    Document::open(bytes).unwrap_err().to_string()
}

#[test]
fn declarations_and_depth_are_refused() {
    let bomb = "<!DOCTYPE a [<!ENTITY b \"bbbb\"><!ENTITY c \"&b;&b;\">]><a>&c;</a>";
    assert!(error(with_document(bomb)).contains("document type declaration"));
    let deep = format!(
        "<w:document {W}>{}</w:document>",
        "<w:x>".repeat(100_000) + &"</w:x>".repeat(100_000)
    );
    assert!(error(with_document(&deep)).contains("nested deeper than 400"));
    for broken in
        ["<a", "<a></b>", "<a>", "</a>", "", "<a/><b/>", "<a b='", "<!--", "\u{feff}", "< a/>"]
    {
        assert!(error(with_document(broken)).contains("cannot be read"), "{broken}");
    }
    assert!(error(with_document("<a/>")).contains("no Word document"));
}

#[test]
fn the_deepest_document_that_is_read_can_be_edited() {
    let levels = 95;
    let open = "<w:tbl><w:tr><w:tc>".repeat(levels);
    let close = "<w:p/></w:tc></w:tr></w:tbl>".repeat(levels);
    let bytes = docx(&format!("{open}<w:p><w:r><w:t>in</w:t></w:r></w:p>{close}<w:p/>"));
    let edits = [replace(&anchor(&bytes, 0), "in", "out")];
    let edited = tracked(&bytes, &edits).unwrap().bytes;
    assert_eq!(texts(&rejected(&edited), View::Accepted)[0], "in");
}

#[test]
fn archives_that_lie_are_refused() {
    let good = docx("<w:p><w:r><w:t>text</w:t></w:r></w:p>");
    assert!(error(b"no archive".to_vec()).contains("not a ZIP archive"));
    assert!(error(good[..good.len() / 2].to_vec()).contains("not a ZIP archive"));
    // Each byte of the directory, one after the other.
    let directory =
        (0..good.len() - 4).find(|&at| good[at..at + 4] == 0x0201_4b50_u32.to_le_bytes()).unwrap();
    for at in directory..good.len() {
        for value in [0, 1, 0x7f, 0xff] {
            let mut bytes = good.clone();
            bytes[at] = value;
            if let Ok(document) = Document::open(bytes.clone()) {
                let _ = document.save();
                let _ = tracked(&bytes, &[replace(&anchor(&good, 0), "text", "new")]);
            }
        }
    }
}

#[test]
fn a_part_that_unpacks_to_too_much_is_refused() {
    let packed = miniz_oxide::deflate::compress_to_vec(&vec![b' '; 64 << 20], 6);
    let bytes = docx("<w:p/>");
    // The content of a part is replaced by a bomb that declares one byte.
    let name = b"word/document.xml";
    let is_head =
        |at: &usize| bytes[*at..].starts_with(b"PK\x03\x04") && bytes[at + 30..].starts_with(name);
    let at = (0..bytes.len()).find(is_head).unwrap();
    let mut bomb = bytes[..at + 30 + name.len()].to_vec();
    bomb[at + 8..at + 10].copy_from_slice(&8_u16.to_le_bytes());
    bomb.extend(&packed);
    let shift = bomb.len() - (at + 30 + name.len());
    let size = u32::from_le_bytes(bytes[at + 18..at + 22].try_into().unwrap()) as usize;
    bomb.extend(&bytes[at + 30 + name.len() + size..]);
    let end = bomb.len() - 22;
    let directory =
        u32::from_le_bytes(bomb[end + 16..end + 20].try_into().unwrap()) as usize + shift - size;
    bomb[end + 16..end + 20].copy_from_slice(&(directory as u32).to_le_bytes());
    let entry = (directory..bomb.len()).find(|&at| bomb[at..].starts_with(name)).unwrap() - 46;
    bomb[entry + 10..entry + 12].copy_from_slice(&8_u16.to_le_bytes());
    bomb[entry + 20..entry + 24].copy_from_slice(&(packed.len() as u32).to_le_bytes());
    assert!(error(bomb.clone()).contains("is damaged"));
    bomb[entry + 24..entry + 28].copy_from_slice(&(200_u32 << 20).to_le_bytes());
    assert!(error(bomb).contains("at most"));
}

#[test]
fn other_kinds_of_files_are_named() {
    let xlsx: Vec<(String, String)> = unzip(&docx("<w:p/>"))
        .into_iter()
        .map(|(name, (_, content))| {
            (
                name,
                String::from_utf8(content)
                    .unwrap()
                    .replace("wordprocessingml.document.main", "spreadsheetml.sheet.main"),
            )
        })
        .collect();
    assert!(error(zip(&xlsx)).contains("a package of the type"));
    assert!(error(vec![0xd0, 0xcf, 0x11, 0xe0]).contains("Word 97"));
    let macros: Vec<(String, String)> = unzip(&docx("<w:p/>"))
        .into_iter()
        .map(|(name, (_, content))| {
            let text = String::from_utf8(content).unwrap();
            (name, text.replace("application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml", "application/vnd.ms-word.document.macroEnabled.main+xml"))
        })
        .collect();
    assert!(tracked(&zip(&macros), &[]).unwrap_err().to_string().contains("macros"));
}

fn with_file(bytes: &[u8], change: impl Fn(&str, String) -> Option<(String, String)>) -> Vec<u8> {
    let files: Vec<(String, String)> = unzip(bytes)
        .into_iter()
        .filter_map(|(name, (_, content))| change(&name, String::from_utf8(content).unwrap()))
        .collect();
    zip(&files)
}

#[test]
fn packages_that_lie_about_their_parts_are_refused_or_left_alone() {
    let bytes = docx("<w:p><w:r><w:t>text</w:t></w:r></w:p>");
    let without = with_file(&bytes, |name, text| {
        (name != "[Content_Types].xml").then(|| (name.to_owned(), text))
    });
    assert!(error(without).contains("another kind of archive"));
    let mut files: Vec<(String, String)> = unzip(&bytes)
        .into_iter()
        .map(|(name, (_, content))| (name, String::from_utf8(content).unwrap()))
        .collect();
    files.push(("WORD/document.xml".to_owned(), "<a/>".to_owned()));
    assert!(error(zip(&files)).contains("twice"));
    // Names that lead out of the package are names only: nothing is written to a disk.
    files.pop();
    files.push(("../../evil.xml".to_owned(), "<a/>".to_owned()));
    let edited = tracked(&zip(&files), &[replace(&anchor(&bytes, 0), "text", "new")]).unwrap();
    assert!(unzip(&edited.bytes).contains_key("../../evil.xml"));
    // A relationship that leads out of the package stays in it.
    let outside = with_file(&bytes, |name, text| {
        Some((
            name.to_owned(),
            text.replace("word/document.xml\"/></Rel", "../../word/document.xml\"/></Rel"),
        ))
    });
    assert_eq!(texts(&outside, View::Accepted), ["text"]);
    let missing = with_file(&bytes, |name, text| {
        (name != "word/document.xml").then(|| (name.to_owned(), text))
    });
    assert!(error(missing).contains("the part `word/document.xml` is missing"));
}

#[test]
fn entities_are_characters_or_text_and_nothing_else() {
    let bytes = docx(
        "<w:p><w:r><w:t>&amp;lt;&#x41;&#0;&#x110000;&unknown;&;&#xFFFFFFFFFF;&amp</w:t></w:r></w:p>",
    );
    // What is no character stays as it is written.
    let text = "&lt;A\0&#x110000;&unknown;&;&#xFFFFFFFFFF;&amp";
    assert_eq!(texts(&bytes, View::Accepted), [text]);
    let edited = tracked(&bytes, &[replace(&anchor(&bytes, 0), "A", "<&>")]).unwrap();
    assert!(part(&edited.bytes, "word/document.xml").contains("&lt;&amp;&gt;"));
}

#[test]
fn references_to_nothing_are_read_and_edited() {
    let body = "<w:p><w:commentRangeStart w:id=\"7\"/><w:r><w:t>a</w:t></w:r><w:commentRangeEnd w:id=\"8\"/><w:r><w:commentReference w:id=\"9\"/></w:r>\
        <w:moveFrom w:id=\"1\" w:author=\"x\"><w:r><w:t>from</w:t></w:r></w:moveFrom><w:moveToRangeEnd w:id=\"5\"/><w:moveFromRangeStart w:id=\"6\"/>\
        <w:r><w:footnoteReference w:id=\"3\"/></w:r><w:hyperlink r:id=\"rId99\"><w:r><w:t>b</w:t></w:r></w:hyperlink></w:p>";
    let bytes = docx(body);
    let mut document = Document::open(bytes.clone()).unwrap();
    assert!(document.comments().unwrap().is_empty());
    assert_eq!(document.changes().len(), 1);
    let at = anchor(&bytes, 0);
    let edited = tracked(&bytes, &[replace(&at, "ab", "c")]).unwrap();
    assert_eq!(texts(&edited.bytes, View::Accepted), ["c"]);
    assert_eq!(texts(&accepted(&bytes), View::Accepted), ["ab"]);
    assert_eq!(texts(&rejected(&bytes), View::Accepted), ["afromb"]);
    let comment = |id: &str| Edit::DeleteComment { id: id.to_owned() };
    assert!(plain(&bytes, &[comment("9")]).unwrap_err().to_string().contains("no comment `9`"));
    let note = Edit::DeleteNote { id: "footnote 3".to_owned() };
    assert!(plain(&bytes, &[note]).unwrap_err().to_string().contains("no note `footnote 3`"));
    let options = docx_tool::MarkdownOptions { view: View::Accepted, from: 0, limit: 10 };
    let page = docx_tool::read_markdown(&mut document, &options).unwrap();
    assert_eq!(page.losses, ["[^3]: the note does not exist"]);
}
