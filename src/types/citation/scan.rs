//! Finds citations in an answer: links, references in brackets, and bare ones.
//!
//! Every `#` is looked at once, with a bounded text before and behind it, so that the time is linear in the answer.

use std::ops::Range;

use super::locator::{self, Locator};

/// Most citations of an answer.
pub(super) const MAX_CITATIONS: usize = 500;

/// Most `#` that are looked at.
const MAX_MARKS: usize = 10_000;

/// Most bytes of the name of a document.
const MAX_NAME_BYTES: usize = 300;

/// Most bytes of the text of a link.
const MAX_LINK_TEXT_BYTES: usize = 500;

/// Extensions of names that are citations even if there is no such document.
const EXTENSIONS: [&str; 34] = [
    "pdf", "docx", "docm", "dotx", "doc", "rtf", "odt", "xlsx", "xlsm", "xlsb", "xltx", "xls",
    "ods", "csv", "tsv", "pptx", "pptm", "potx", "ppt", "odp", "txt", "md", "html", "htm", "epub",
    "eml", "mbox", "msg", "json", "jsonl", "xml", "yaml", "ipynb", "parquet",
];

/// A document by its name, with the names of its sheets.
pub(super) struct KnownName<'a> {
    pub(super) name: &'a str,
    pub(super) sheets: Vec<&'a str>,
}

/// A citation as it is written.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Written {
    /// Range of the answer: the whole link, or the reference with its brackets.
    pub(super) range: Range<usize>,
    /// Range of the link's text, if it is a link.
    pub(super) link_text: Option<Range<usize>>,
    /// The name as it is written, and what stands behind the `#`.
    pub(super) name: String,
    pub(super) fragment: String,
    /// Index of the document. `None` if no document has this name.
    pub(super) document: Option<usize>,
    pub(super) locator: Locator,
}

/// The citations of an answer, in order.
#[derive(Debug, Default)]
pub(super) struct Scanned {
    pub(super) citations: Vec<Written>,
    /// `true` if some were not looked at.
    pub(super) is_cut: bool,
}

/// Finds the citations of documents. Those in fenced code are left out.
pub(super) fn scan(answer: &str, known: &[KnownName<'_>]) -> Scanned {
    let names = Names::new(known);
    let (mut scanned, mut n_marks) = (Scanned::default(), 0);
    let (mut start, mut fence) = (0, None);
    for line in answer.split_inclusive('\n') {
        let range = start..start + line.len();
        start = range.end;
        if let Some(mark) = fence_of(line) {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                open => open,
            };
            continue;
        }
        if fence.is_some() {
            continue;
        }
        // A name begins behind the last citation. It may have a `#`, so it may begin before a mark that is none of a citation.
        let (mut from, mut unread) = (range.start, range.start);
        while let Some(mark) = answer[unread..range.end].find('#').map(|at| unread + at) {
            n_marks += 1;
            if n_marks > MAX_MARKS || scanned.citations.len() >= MAX_CITATIONS {
                scanned.is_cut = true;
                return scanned;
            }
            let line = Line { answer, range: range.clone() };
            match citation(&line, (from, mark), &names) {
                Some(found) => {
                    from = found.range.end.max(mark + 1);
                    unread = from;
                    scanned.citations.push(found);
                }
                None => unread = mark + 1,
            }
        }
    }
    scanned
}

/// Returns the character of a fence.
fn fence_of(line: &str) -> Option<char> {
    let line = line.trim_start();
    ['`', '~'].into_iter().find(|mark| line.chars().take_while(|it| it == mark).count() >= 3)
}

struct Line<'a> {
    answer: &'a str,
    range: Range<usize>,
}

/// Names of documents as they are compared.
struct Names<'a> {
    known: &'a [KnownName<'a>],
    lower: Vec<String>,
}

impl<'a> Names<'a> {
    fn new(known: &'a [KnownName<'a>]) -> Names<'a> {
        Names { known, lower: known.iter().map(|it| it.name.to_lowercase()).collect() }
    }

    /// Returns the document whose name is `name`, exactly, in another case, or without its folder if no other has this name.
    fn find(&self, name: &str) -> Option<usize> {
        if let Some(exact) = self.known.iter().position(|it| it.name == name) {
            return Some(exact);
        }
        let lower = name.to_lowercase();
        let lower = lower.trim_start_matches("./");
        if let Some(same) = self.lower.iter().position(|it| it == lower) {
            return Some(same);
        }
        let is_last = |it: &String| it.rsplit('/').next() == Some(lower);
        let mut last = self.lower.iter().enumerate().filter(|(_, it)| is_last(it));
        match (last.next(), last.next()) {
            (Some((only, _)), None) => Some(only),
            _ => None,
        }
    }

    /// Returns the document with the longest name that a text ends with, and the length of the name.
    fn at_end_of(&self, text: &str) -> Option<(usize, usize)> {
        let ends = |name: &str| {
            let start = text.len().checked_sub(name.len())?;
            let is_same = text.get(start..)?.to_lowercase() == name.to_lowercase();
            let is_in_word = name.starts_with(|it: char| it.is_ascii_alphanumeric())
                && text[..start].ends_with(|it: char| {
                    it.is_ascii_alphanumeric() || it == '_' || it == '-' || it == '.'
                });
            (is_same && !is_in_word).then_some(name.len())
        };
        let last = text.bytes().next_back();
        // Most names have another last letter.
        let same_end = |it: &KnownName<'_>| {
            it.name.bytes().next_back().zip(last).is_some_and(|(a, b)| a.eq_ignore_ascii_case(&b))
        };
        let known = self.known.iter().enumerate().filter(|(_, it)| same_end(it));
        let found = known.filter_map(|(index, it)| Some((index, ends(it.name)?)));
        found.max_by_key(|(_, length)| *length)
    }
}

/// Returns the citation whose `#` is at `mark`. Nothing before `from` is part of it.
fn citation(line: &Line<'_>, (from, mark): (usize, usize), names: &Names<'_>) -> Option<Written> {
    let before = tail(&line.answer[from..mark], MAX_NAME_BYTES);
    let start = mark - before.len();
    let (name_start, name, document) = name_before(before, names)?;
    let rest = &line.answer[mark + 1..line.range.end];
    let sheets = document.into_iter().flat_map(|it| names.known[it].sheets.iter().copied());
    let is_escaped = before[name_start..].contains('%')
        || rest.starts_with(|it: char| it != ' ') && cut_word(rest).contains('%');
    let (locator, length) = match is_escaped.then(|| unescaped(cut_word(rest))) {
        // In the target of a link, a space is `%20`.
        Some(decoded) if document.is_some() => {
            let read = locator::read(&decoded, sheets.clone(), true);
            match read {
                Some((locator, length)) if length == decoded.len() => {
                    (locator, cut_word(rest).len())
                }
                _ => locator::read(rest, sheets, true)?,
            }
        }
        _ => locator::read(rest, sheets, document.is_some())?,
    };
    let end = mark + 1 + length;
    let range = start + name_start..end;
    let fragment = line.answer[mark + 1..end].to_owned();
    let (range, link_text) = wrapped(line, range, from);
    Some(Written { range, link_text, name, fragment, document, locator })
}

/// Returns the last bytes of a text, at most `most`.
fn tail(text: &str, most: usize) -> &str {
    let mut start = text.len().saturating_sub(most);
    while !text.is_char_boundary(start) {
        start += 1;
    }
    &text[start..]
}

/// Returns the beginning of a text up to where the target of a link ends.
fn cut_word(text: &str) -> &str {
    let text = mitt_base::text::cut_bytes(text, MAX_NAME_BYTES);
    let is_end = |it: char| it.is_whitespace() || matches!(it, ')' | ']' | '>' | '"' | '|' | '`');
    &text[..text.find(is_end).unwrap_or(text.len())]
}

/// Returns the start of the name at the end of a text, the name, and its document.
fn name_before(before: &str, names: &Names<'_>) -> Option<(usize, String, Option<usize>)> {
    if let Some((index, length)) = names.at_end_of(before) {
        // `old-report.pdf` in a link is not `report.pdf`, nor is a page on another host.
        let start = before.len() - length;
        if !before[..start].ends_with(['/', '\\']) {
            return Some((start, before[start..].to_owned(), Some(index)));
        }
    }
    let is_end = |it: char| {
        it.is_whitespace()
            || matches!(
                it,
                '(' | '['
                    | '<'
                    | '"'
                    | '`'
                    | '|'
                    | '（'
                    | '【'
                    | '“'
                    | '「'
                    | '，'
                    | '。'
                    | '：'
                    | '、'
                    | '；'
            )
    };
    // In brackets the name may have spaces; otherwise it is one word.
    let word = before.rfind(is_end).map_or(0, |at| at + next_length(before, at));
    let bracket = before.rfind(['[', '(', '<']).map(|at| at + 1);
    let target = before.rfind("](").map(|at| at + 2);
    for start in [Some(word), bracket, target].into_iter().flatten() {
        let written = &before[start..];
        let name = unescaped(written);
        if name.contains("://") {
            return None;
        }
        if let Some(index) = names.find(&name) {
            return Some((start, name, Some(index)));
        }
    }
    let name = unescaped(&before[word..]);
    let (stem, extension) = name.rsplit_once('.')?;
    let is_one = EXTENSIONS.iter().any(|it| it.eq_ignore_ascii_case(extension));
    (is_one && !stem.is_empty()).then_some((word, name, None))
}

fn next_length(text: &str, at: usize) -> usize {
    text[at..].chars().next().map_or(0, char::len_utf8)
}

/// Returns a text with `%20` and the like replaced, if the result is UTF-8.
fn unescaped(text: &str) -> String {
    if !text.contains('%') {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let (mut out, mut at) = (Vec::with_capacity(bytes.len()), 0);
    while let Some(byte) = bytes.get(at) {
        let hex = bytes.get(at + 1..at + 3).and_then(|it| std::str::from_utf8(it).ok());
        let code = hex.filter(|it| it.bytes().all(|it| it.is_ascii_hexdigit()));
        match code.and_then(|it| u8::from_str_radix(it, 16).ok()).filter(|_| *byte == b'%') {
            Some(code) => {
                out.push(code);
                at += 3;
            }
            None => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    String::from_utf8(out).unwrap_or_else(|_| text.to_owned())
}

/// Returns the range of a reference with its brackets, and the text of the link if it is the target of one.
fn wrapped(
    line: &Line<'_>,
    range: Range<usize>,
    from: usize,
) -> (Range<usize>, Option<Range<usize>>) {
    let before = &line.answer[from..range.start];
    let after = &line.answer[range.end..line.range.end];
    let (inner, close) = match before.strip_suffix('<') {
        Some(inner) if after.starts_with('>') => (inner, 1),
        _ => (before, 0),
    };
    let rest = &after[close..];
    if let Some(head) = inner.strip_suffix("](") {
        // A title may stand behind the target.
        let end = rest.find(')').filter(|end| *end <= MAX_LINK_TEXT_BYTES);
        let head = tail(head, MAX_LINK_TEXT_BYTES);
        if let (Some(end), Some(open)) = (end, opening(head)) {
            let text_end = range.start - (before.len() - inner.len()) - 2;
            let text = text_end - head.len() + open + 1..text_end;
            return (text.start - 1..range.end + close + end + 1, Some(text));
        }
    }
    for (open, closing) in [("[[", "]]"), ("[", "]"), ("【", "】"), ("`", "`")] {
        if before.ends_with(open) && after.starts_with(closing) {
            return (range.start - open.len()..range.end + closing.len(), None);
        }
    }
    (range, None)
}

/// Returns the index of the `[` that the end of a text closes.
fn opening(text: &str) -> Option<usize> {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b']' => depth += 1,
            b'[' if depth == 0 => return Some(at),
            b'[' => depth -= 1,
            _ => {}
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    const NAMES: [&str; 7] = [
        "report.pdf",
        "Q1 report (2).pdf",
        "book.xlsx",
        "年报.pdf",
        "2024/sales.csv",
        "a#b.pdf",
        "x](y)[z.pdf",
    ];

    fn scanned(answer: &str) -> Scanned {
        let known = NAMES.map(|name| KnownName { name, sheets: vec!["Sheet 1"] });
        scan(answer, &known)
    }

    /// Returns the citations as range, name, fragment and whether there is such a document.
    fn found(answer: &str) -> Vec<(&str, String, String, bool)> {
        let of = |it: Written| (&answer[it.range], it.name, it.fragment, it.document.is_some());
        scanned(answer).citations.into_iter().map(of).collect()
    }

    #[test]
    fn citations_are_links_or_brackets_or_bare() {
        for (answer, range, name, fragment) in [
            (
                "It is 5 [p. 3](report.pdf#page=3).",
                "[p. 3](report.pdf#page=3)",
                "report.pdf",
                "page=3",
            ),
            (
                "x [a [b] c](<report.pdf#page=3>) y",
                "[a [b] c](<report.pdf#page=3>)",
                "report.pdf",
                "page=3",
            ),
            (
                "x [t](report.pdf#page=3 \"Title\")",
                "[t](report.pdf#page=3 \"Title\")",
                "report.pdf",
                "page=3",
            ),
            ("x [report.pdf#page=3]", "[report.pdf#page=3]", "report.pdf", "page=3"),
            ("x 【report.pdf#page=3】", "【report.pdf#page=3】", "report.pdf", "page=3"),
            ("x `report.pdf#page=3`", "`report.pdf#page=3`", "report.pdf", "page=3"),
            ("x (report.pdf#page=3)", "report.pdf#page=3", "report.pdf", "page=3"),
            ("x Report.PDF#page=3, y", "Report.PDF#page=3", "Report.PDF", "page=3"),
            (
                "x [Q1 report (2).pdf#page=1&rect=1,2,3,4]",
                "[Q1 report (2).pdf#page=1&rect=1,2,3,4]",
                "Q1 report (2).pdf",
                "page=1&rect=1,2,3,4",
            ),
            (
                "x [a](Q1%20report%20(2).pdf#page=1)",
                "[a](Q1%20report%20(2).pdf#page=1)",
                "Q1 report (2).pdf",
                "page=1",
            ),
            ("见年报.pdf#page=2。", "年报.pdf#page=2", "年报.pdf", "page=2"),
            (
                "[a](%E5%B9%B4%E6%8A%A5.pdf#page=2)",
                "[a](%E5%B9%B4%E6%8A%A5.pdf#page=2)",
                "年报.pdf",
                "page=2",
            ),
            ("[book.xlsx#Sheet 1!B7]", "[book.xlsx#Sheet 1!B7]", "book.xlsx", "Sheet 1!B7"),
            (
                "[a](book.xlsx#Sheet%201!B7)",
                "[a](book.xlsx#Sheet%201!B7)",
                "book.xlsx",
                "Sheet%201!B7",
            ),
            ("[sales.csv#row=3]", "[sales.csv#row=3]", "sales.csv", "row=3"),
            ("[a#b.pdf#page=1]", "[a#b.pdf#page=1]", "a#b.pdf", "page=1"),
            ("[x](y)[z.pdf#page=1]", "[x](y)[z.pdf#page=1]", "x](y)[z.pdf", "page=1"),
        ] {
            let all = found(answer);
            assert_eq!(all.len(), 1, "{answer}: {all:?}");
            let (of, found_name, found_fragment, is_there) = &all[0];
            assert_eq!((*of, *is_there), (range, true), "{answer}");
            assert_eq!(
                (found_name.as_str(), found_fragment.as_str()),
                (name, fragment),
                "{answer}"
            );
        }
        let text = "so [5 %](report.pdf#page=3)";
        let link = scanned(text).citations[0].link_text.clone().unwrap();
        assert_eq!(&text[link], "5 %");
    }

    #[test]
    fn a_document_that_is_not_there_is_one_by_its_extension() {
        for (answer, name) in [
            ("[old-report.pdf#page=3]", "old-report.pdf"),
            ("[x](missing%20one.docx#p12)", "missing one.docx"),
            ("见合同.docx#p12", "见合同.docx"),
        ] {
            let all = found(answer);
            assert_eq!((all.len(), all[0].1.as_str(), all[0].3), (1, name, false), "{answer}");
        }
    }

    #[test]
    fn other_signs_are_no_citations() {
        for text in [
            "# Heading",
            "C# and F#, issue #39",
            "https://example.com/report.pdf#page=3",
            "[x](https://example.com/a.html#page=2)",
            "```\nreport.pdf#page=3\n```",
            "report.pdf",
            "report.pdf# page=3",
            "tool.exe#page=3",
            ".pdf#page=3",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
        assert_eq!(found("```\nx\n```\nreport.pdf#page=3").len(), 1);
    }

    #[test]
    fn hostile_answers_take_linear_time_and_have_a_bound() {
        let begun = Instant::now();
        for piece in [
            "[",
            "[x](",
            "#",
            "](#",
            "a.pdf#",
            "report.pdf#",
            "[report.pdf#page=",
            "(((#",
            "%#",
            "'#'!",
        ] {
            let long = piece.repeat(100_000);
            scanned(&long);
        }
        let many = scanned(&"[report.pdf#page=1] ".repeat(MAX_CITATIONS + 1));
        assert_eq!((many.citations.len(), many.is_cut), (MAX_CITATIONS, true));
        let marks = scanned(&"# ".repeat(MAX_MARKS + 1));
        assert!(marks.is_cut && marks.citations.is_empty());
        assert!(begun.elapsed() < Duration::from_secs(10), "{:?}", begun.elapsed());
    }
}
