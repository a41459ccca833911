//! Reads documents that a Word document inserts when it is opened (`altChunk`). Report generators put the whole text
//! there.

use crate::notes::Notes;
use mitt_reader_kit::{Content, Error, single_line};

/// Deepest nesting of inserted documents.
const MAX_DEPTH: usize = 3;

pub(super) enum Chunk {
    /// A document of its own.
    Document(Box<Content>),
    /// Paragraphs.
    Lines(Vec<String>),
}

/// Reads an inserted part; `None`, with a warning, if that is not possible.
pub(super) fn read(bytes: &[u8], name: &str, depth: usize, notes: &mut Notes) -> Option<Chunk> {
    let start = bytes.trim_ascii_start();
    if bytes.starts_with(b"PK") {
        if depth >= MAX_DEPTH {
            return refuse(name, "it lies too deep in others", notes);
        }
        return match crate::read_at(bytes.to_vec(), "docx", depth + 1) {
            Ok(content) => Some(Chunk::Document(Box::new(content))),
            Err(error) => refuse(name, &reason(error), notes),
        };
    }
    let marked = start.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(start);
    if marked.starts_with(b"{\\rtf") {
        // RTF inserts nothing, so the depth stays the same.
        return match crate::read_at(marked.to_vec(), "rtf", depth) {
            Ok(content) => Some(Chunk::Document(Box::new(content))),
            Err(error) => refuse(name, &reason(error), notes),
        };
    }
    if is_archive(start) {
        let Some((page, label)) = mitt_html::of_archive(start) else {
            return refuse(name, "it holds no web page", notes);
        };
        return Some(web_page(&decode(&page, label.as_deref())));
    }
    let text = decode(bytes, None);
    let lower: String = text.chars().take(2048).collect::<String>().to_ascii_lowercase();
    let is_html = name.to_ascii_lowercase().contains("htm")
        || ["<html", "<body", "<p", "<div", "<table"].iter().any(|tag| lower.contains(tag));
    if is_html {
        return Some(web_page(&text));
    }
    let lines = text.lines().map(single_line).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    Some(Chunk::Lines(lines))
}

/// Returns whether a part is a web page that was saved with its pictures (MHT). Such a part begins with headers.
fn is_archive(start: &[u8]) -> bool {
    let fields = String::from_utf8_lossy(start.get(..2048).unwrap_or(start)).to_ascii_lowercase();
    let mut names = fields
        .lines()
        .take_while(|line| !line.trim().is_empty())
        .filter_map(|line| Some(line.split_once(':')?.0));
    let begins = names.clone().next().is_some_and(|name| {
        !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    });
    begins && names.any(|name| matches!(name, "mime-version" | "content-type"))
}

/// Returns a web page as a document of its own: Markdown with its tables.
fn web_page(html: &str) -> Chunk {
    let page = mitt_html::read(html, mitt_html::Viewer::Word);
    let mut warnings = page.warnings;
    warnings.extend(page.hidden);
    if !page.pictures.is_empty() {
        warnings.push(format!(
            "pictures of an inserted web page were left out: {}",
            page.pictures.len()
        ));
    }
    Chunk::Document(Box::new(Content {
        markdown: page.markdown,
        tables: page.tables,
        warnings,
        ..Content::default()
    }))
}

/// Returns why a part was not read.
fn reason(error: Error) -> String {
    match error {
        Error::Malformed(reason) | Error::Unsupported(reason) | Error::Quota(reason) => reason,
        other => format!("{other:?}"),
    }
}

fn refuse(name: &str, reason: &str, notes: &mut Notes) -> Option<Chunk> {
    notes.warnings.push(format!("an inserted part was not read: {name}: {}", single_line(reason)));
    None
}

/// Decodes bytes: by their byte order mark, as UTF-8, in the encoding `declared` of the headers, or in the encoding that
/// the page declares.
fn decode(bytes: &[u8], declared: Option<&str>) -> String {
    let declared = declared.and_then(|label| encoding_rs::Encoding::for_label(label.as_bytes()));
    if encoding_rs::Encoding::for_bom(bytes).is_some() || std::str::from_utf8(bytes).is_ok() {
        return encoding_rs::UTF_8.decode(bytes).0.into_owned();
    }
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(1024)]).to_ascii_lowercase();
    let label = start.split_once("charset=").map(|(_, rest)| {
        rest.trim_start_matches(['"', '\''])
            .split(['"', '\'', '>', ';', ' ', '/'])
            .next()
            .unwrap_or_default()
            .to_owned()
    });
    let encoding = declared
        .or_else(|| encoding_rs::Encoding::for_label(label?.as_bytes()))
        .unwrap_or(encoding_rs::WINDOWS_1252);
    encoding.decode(bytes).0.into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(bytes: &[u8], name: &str) -> Content {
        match read(bytes, name, 0, &mut Notes::default()) {
            Some(Chunk::Document(content)) => *content,
            _ => panic!("{name}"),
        }
    }

    #[test]
    fn web_pages_keep_their_tables_in_archives_too() {
        let table = "<table><tr><th>a<th>b</tr><tr><td>1<td>2</tr></table>";
        let html =
            format!("<html><body><p>x &lt; \u{e4}</p>{table}<script>no</script></body></html>");
        let quoted = html.replace('=', "=3D").replace('\u{e4}', "=E4");
        let archives = [
            format!(
                "MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=B\r\n\r\n--B\r\nContent-Type: text/html; charset=iso-8859-1\r\n\
                     Content-Transfer-Encoding: quoted-printable\r\n\r\n{quoted}\r\n--B\r\nContent-Type: image/png\r\n\r\nx\r\n--B--"
            ),
            format!("From: <Saved>\nContent-Type: text/html; charset=utf-8\n\n{html}"),
            html.clone(),
        ];
        for (archive, name) in archives.iter().zip(["a.mht", "b", "c.html"]) {
            let content = document(archive.as_bytes(), name);
            let expected = "x \\< \u{e4}\n\n| a | b |\n| --- | --- |\n| 1 | 2 |";
            assert_eq!(content.markdown.replace("x < ", "x \\< "), expected, "{name}");
            assert_eq!(content.tables.len(), 1, "{name}");
        }
        assert_eq!(decode(b"<meta charset=gbk>\xC4\xEA", None), "<meta charset=gbk>\u{5e74}");
        assert_eq!(decode(b"\xC4\xEA", Some("gbk")), "\u{5e74}");
    }

    #[test]
    fn text_that_a_web_page_hides_is_left_out_with_a_warning() {
        for hidden in [
            "<p style='display:none'>PLANT</p>",
            "<p style='mso-hide:all'>PLANT</p>",
            "<style>.x{color:white}</style><p class=x>PLANT</p>",
        ] {
            let html = format!("<html><body><p>seen</p>{hidden}</body></html>");
            let archive = format!("MIME-Version: 1.0\nContent-Type: text/html\n\n{html}");
            for (bytes, name) in [(&html, "c.html"), (&archive, "a.mht")] {
                let content = document(bytes.as_bytes(), name);
                assert_eq!(content.markdown, "seen", "{hidden}");
                assert_eq!(
                    content.warnings,
                    ["text that the page hides from people was left out: 5 characters in 1 places"],
                    "{hidden}"
                );
            }
        }
    }

    #[test]
    fn rich_text_keeps_its_tables_and_its_letters() {
        let table = "\\trowd\\cellx1000\\cellx2000\\intbl a\\cell b\\cell\\row\\trowd\\cellx1000\\cellx2000\\intbl 1\\cell 2\\cell\\row\\pard";
        let rich = format!(
            "{{\\rtf1\\ansi\\ansicpg936 \\u24180?\\'b6\\'c8 \\b bold\\b0  {{\\v hidden}}\\par {table} end\\par}}"
        );
        let expected = "\u{5e74}\u{5ea6} **bold**\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\nend\n";
        for before in ["", "\r\n ", "\u{feff}"] {
            // The first bytes decide, not the extension.
            for name in ["a.rtf", "a.html", "a"] {
                let content = document(format!("{before}{rich}").as_bytes(), name);
                assert_eq!(content.markdown, expected, "{name}");
                assert_eq!(content.tables.len(), 1, "{name}");
            }
        }
        let cut = document(b"{\\rtf1 begins {\\b and", "a.rtf");
        assert_eq!(cut.warnings, ["the document ends too early: a part of it is missing"]);
    }

    #[test]
    fn what_cannot_be_inserted_is_told() {
        let mut notes = Notes::default();
        assert!(read(b"MIME-Version: 1.0", "a.mht", 0, &mut notes).is_none());
        assert!(read(b"PKxx", "a.docx", 0, &mut notes).is_none());
        assert!(read(b"PKxx", "a.docx", 3, &mut notes).is_none());
        let warnings = notes.into_warnings();
        assert_eq!(warnings.len(), 3);
        assert!(!warnings.iter().any(|it| it.contains("Malformed")), "{warnings:?}");
    }
}
