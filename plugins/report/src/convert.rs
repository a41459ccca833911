//! The text of a document as Markdown that is typeset anew.

use crate::bindings::mitt::host::documents::DocumentInfo;
use crate::bindings::mitt::host::render::{MarkdownDocument, Paper};
use crate::bindings::mitt::host::types::Place;

/// Most bytes of a text that are typeset: some 500 pages.
pub(crate) const MAX_BYTES: usize = 2 << 20;

/// The command of Mitt's Markdown that begins a new page.
const PAGE_BREAK: &str = "\\newpage\n\n";

/// Mark of a block whose lines stay as they are.
const FENCE: char = '~';

/// Most warnings of the reader that are repeated.
const MAX_WARNINGS: usize = 10;

/// The warning of every converted document.
const NEW_LAYOUT: &str = "the file is typeset anew from the text: its layout is Mitt's own, and pictures and drawings may be missing";

/// A document that was read, as far as it is converted.
pub(crate) struct Source {
    pub(crate) info: DocumentInfo,
    /// The beginning of the text, at most [`MAX_BYTES`].
    pub(crate) text: String,
    pub(crate) places: Vec<Place>,
    /// `true` if the document has more text.
    pub(crate) is_cut: bool,
}

impl Source {
    /// Returns the document to typeset, and warnings about what it lacks.
    pub(crate) fn convert(self) -> (MarkdownDocument, Vec<String>) {
        let Source { info, text, places, is_cut } = self;
        let mut warnings = vec![NEW_LAYOUT.to_owned()];
        if is_cut {
            warnings
                .push(format!("only the first {} MB of the text are in the file", MAX_BYTES >> 20));
        }
        if has_more_rows(&info, &text) {
            warnings.push("long tables have only their first rows".to_owned());
        }
        warnings.extend(info.warnings.iter().take(MAX_WARNINGS).cloned());
        let is_plain = is_plain(&info.media_type, &text);
        let markdown = if is_plain { as_block(&text) } else { with_page_breaks(&text, &places) };
        let is_slides = is_slides(&info.media_type);
        let document = MarkdownDocument {
            markdown,
            // Slides with a title begin with a cover, so that pages and slides would have other numbers.
            title: (!is_slides).then(|| info.title.unwrap_or(info.name)),
            language: None,
            paper: Paper::A4,
            contents: false,
            theme: is_slides.then(|| "slides".to_owned()),
            template: None,
        };
        (document, warnings)
    }
}

/// Returns `true` for a text that is no Markdown: plain texts, and data that the reader has not made a table or a list.
fn is_plain(media_type: &str, text: &str) -> bool {
    let is_data = media_type.contains("json") || media_type.ends_with("xml");
    media_type == "text/plain" || is_data && text.trim_start().starts_with(['{', '[', '<'])
}

/// Returns `true` for presentations of PowerPoint and OpenDocument.
fn is_slides(media_type: &str) -> bool {
    ["presentationml", "powerpoint", "opendocument.presentation"]
        .iter()
        .any(|it| media_type.contains(it))
}

/// Returns `true` if the text of a document has fewer rows than its tables.
fn has_more_rows(info: &DocumentInfo, text: &str) -> bool {
    let n_rows = info.tables.iter().map(|it| it.rows).fold(0, u64::saturating_add);
    let shown = text.lines().filter(|line| line.trim_start().starts_with('|')).count() as u64;
    // A header and the line below it are no rows.
    shown.saturating_sub(2 * info.tables.len() as u64) < n_rows
}

/// Returns the text of a document with a page break in front of each page, slide, sheet and chapter but the first. A place inside of a
/// paragraph, a table or a block of code gets none, because a break would tear that apart.
fn with_page_breaks(text: &str, places: &[Place]) -> String {
    let mut out = String::with_capacity(text.len() + places.len() * PAGE_BREAK.len());
    let mut places = places.iter().filter(|place| place.offset > 0).peekable();
    let mut offset = 0_u64;
    let mut fence: Option<&str> = None;
    let mut is_after_blank = false;
    for line in text.split_inclusive('\n') {
        let next = offset + line.chars().count() as u64;
        let mut begins = false;
        while places.peek().is_some_and(|place| place.offset < next) {
            begins |= places.next().is_some_and(|place| place.offset == offset);
        }
        if begins && is_after_blank && fence.is_none() {
            out.push_str(PAGE_BREAK);
        }
        let mark = ["```", "~~~"].into_iter().find(|mark| line.trim_start().starts_with(mark));
        fence = match (fence, mark) {
            (None, mark) => mark,
            (Some(open), Some(mark)) if open == mark => None,
            (open, _) => open,
        };
        out.push_str(line);
        is_after_blank = line.trim().is_empty();
        offset = next;
    }
    out
}

/// Returns a text that is no Markdown as a block of code, so that each of its lines stays as it is.
fn as_block(text: &str) -> String {
    // Longer than any fence in the text, which therefore cannot end the block.
    let runs =
        text.lines().map(|line| line.trim_start().chars().take_while(|c| *c == FENCE).count());
    let fence: String = std::iter::repeat_n(FENCE, runs.max().unwrap_or(0).max(2) + 1).collect();
    let end = if text.ends_with('\n') || text.is_empty() { "" } else { "\n" };
    format!("{fence}\n{text}{end}{fence}\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::bindings::mitt::host::documents::TableInfo;

    fn place(text: &str, before: &str) -> Place {
        let at = text.find(before).unwrap();
        Place { offset: text[..at].chars().count() as u64, label: before.to_owned() }
    }

    #[test]
    fn each_place_but_the_first_begins_a_page() {
        let text = "## 一月\n\n| a |\n| --- |\n\n## 二月\n\nb\n";
        let places = [place(text, "## 一月"), place(text, "## 二月")];
        let expected = "## 一月\n\n| a |\n| --- |\n\n\\newpage\n\n## 二月\n\nb\n";
        assert_eq!(with_page_breaks(text, &places), expected);
        // Two places at the same offset, such as an empty page, give one break.
        let twice = [places[0].clone(), places[1].clone(), places[1].clone()];
        assert_eq!(with_page_breaks(text, &twice), expected);
    }

    #[test]
    fn a_break_tears_nothing_apart() {
        for (text, before) in [
            ("| a |\n| --- |\n| 1 |\n| 2 |\n", "| 2 |"),
            ("a sentence that\ngoes on\n", "goes"),
            ("in a line\n\nof words\n", "words"),
            ("```\n\nx\n```\n", "x\n"),
            ("~~~\n```\n\nx\n~~~\n", "x\n"),
        ] {
            assert_eq!(with_page_breaks(text, &[place(text, before)]), text, "{text}");
        }
    }

    fn source(media_type: &str, text: &str) -> Source {
        let info = DocumentInfo {
            name: "a.bin".to_owned(),
            media_type: media_type.to_owned(),
            title: None,
            characters: text.chars().count() as u64,
            tables: Vec::new(),
            warnings: vec!["two rows are hidden".to_owned()],
        };
        Source { info, text: text.to_owned(), places: Vec::new(), is_cut: false }
    }

    #[test]
    fn the_type_of_a_document_decides_its_look() {
        let deck = "application/vnd.openxmlformats-officedocument.presentationml.presentation";
        let (document, warnings) = source(deck, "## A\n").convert();
        assert_eq!((document.theme.as_deref(), &*document.markdown), (Some("slides"), "## A\n"));
        assert_eq!(document.title, None);
        assert_eq!(warnings, [NEW_LAYOUT, "two rows are hidden"]);
        let (document, _) = source("text/plain", "# no heading\n").convert();
        assert_eq!(document.markdown, "~~~\n# no heading\n~~~\n");
        assert_eq!((document.theme, document.title.as_deref()), (None, Some("a.bin")));
        for (media_type, text, is_block) in [
            ("application/jsonl", "{\"a\": 1}\n[2]\n", true),
            ("application/json", "| a |\n| --- |\n", false),
            ("application/xml", "<a/>\n", true),
            ("application/xml", "# News\n", false),
            ("text/html", "# A\n", false),
        ] {
            let (document, _) = source(media_type, text).convert();
            assert_eq!(document.markdown.starts_with("~~~"), is_block, "{media_type}: {text}");
        }
        let (document, _) = source("text/csv", "| a |\n| --- |\n").convert();
        assert_eq!(document.markdown, "| a |\n| --- |\n");
    }

    #[test]
    fn what_is_missing_is_a_warning() {
        let mut long = source("text/csv", "| a |\n| --- |\n| 1 |\n");
        long.is_cut = true;
        long.info.tables =
            vec![TableInfo { name: String::new(), columns: vec!["a".to_owned()], rows: 2 }];
        let warnings = long.convert().1;
        assert!(
            warnings[1].contains("first 2 MB") && warnings[2].contains("first rows"),
            "{warnings:?}"
        );
        let mut whole = source("text/csv", "| a |\n| --- |\n| 1 |\n");
        whole.info.tables =
            vec![TableInfo { name: String::new(), columns: vec!["a".to_owned()], rows: 1 }];
        assert_eq!(whole.convert().1.len(), 2);
    }

    #[test]
    fn a_plain_text_cannot_end_its_block() {
        assert_eq!(as_block("a\n  ~~~~\nb"), "~~~~~\na\n  ~~~~\nb\n~~~~~\n");
        assert_eq!(as_block(""), "~~~\n~~~\n");
    }
}
