//! Writes text runs as inline Markdown.

use crate::marks::{self, LABEL, RAW};
use mitt_reader_kit::scripts::{Script, Written, written};
use mitt_reader_kit::{clean, escape, single_line};
use office_oxide::ir::{InlineContent, TextSpan, VerticalAlign};

/// Style of a run, as far as Markdown can express it.
#[derive(Clone, Default, PartialEq)]
struct Style {
    bold: bool,
    italic: bool,
    strikethrough: bool,
    link: Option<String>,
}

/// Returns inline content as Markdown, one line per line of text, with the automatic number at its start.
pub(crate) fn to_markdown(content: &[InlineContent]) -> String {
    match labelled(content) {
        (Some(label), text) if !label.is_empty() => protect_line_starts(&format!("{label} {text}")),
        (_, text) => text,
    }
}

/// Returns the automatic number of a paragraph, and the rest of it as Markdown.
///
/// Word splits one bold phrase into many runs, so adjacent runs of the same style are joined before markers are
/// written.
pub(crate) fn labelled(content: &[InlineContent]) -> (Option<String>, String) {
    let (label, content) = take_label(content);
    let mut out = String::new();
    let mut pending = (Style::default(), String::new());
    for (style, text) in pieces(content.as_ref(), escape) {
        // White space has no style of its own, so it does not end a bold phrase.
        if style == pending.0
            || text.chars().all(|character| character == ' ') && style.link == pending.0.link
        {
            pending.1.push_str(&text);
        } else {
            let done = std::mem::replace(&mut pending, (style, text));
            done.0.wrap(&done.1, &mut out);
        }
    }
    pending.0.wrap(&pending.1, &mut out);
    (label, protect_line_starts(&out))
}

/// Returns inline content as plain text. Line breaks stay.
pub(crate) fn to_text(content: &[InlineContent]) -> String {
    let (label, content) = take_label(content);
    let label = label.filter(|label| !label.is_empty());
    let mut out = label.map(|label| label + " ").unwrap_or_default();
    for (style, text) in pieces(content.as_ref(), str::to_owned) {
        // References to notes are for the running text.
        if style != Style::note() {
            out.push_str(&text);
        }
    }
    clean(&out)
}

/// Returns whether a paragraph begins with an automatic number.
pub(crate) fn has_label(content: &[InlineContent]) -> bool {
    take_label(content).0.is_some()
}

/// Returns the automatic number of a paragraph, which may be in several runs, and the content after it.
fn take_label(
    content: &[InlineContent],
) -> (Option<String>, std::borrow::Cow<'_, [InlineContent]>) {
    let mut label = String::new();
    for (index, item) in content.iter().enumerate() {
        let InlineContent::Text(span) = item else { break };
        let starts = label.is_empty();
        if starts && span.text.is_empty() {
            continue;
        }
        if starts && !span.text.starts_with(LABEL[0]) {
            break;
        }
        let Some((last, rest)) = span.text.split_once(LABEL[1]) else {
            label.push_str(&span.text);
            continue;
        };
        label.push_str(last);
        let rest = InlineContent::Text(TextSpan { text: rest.to_owned(), ..span.clone() });
        let mut left = vec![rest];
        left.extend_from_slice(&content[index + 1..]);
        return (Some(single_line(&clean(&marks::read(&label)))), left.into());
    }
    (None, content.into())
}

/// Returns content as styled pieces. Superscripts and subscripts are written out, equations stay as they are, and
/// `escape` writes the rest.
fn pieces(content: &[InlineContent], escape: fn(&str) -> String) -> Vec<(Style, String)> {
    let mut pieces = Pieces { out: Vec::new(), script: None, previous: None, escape };
    let mut is_raw = false;
    for item in content {
        match item {
            InlineContent::Text(span) => {
                let style = Style::of(span);
                let text = clean(&span.text);
                let script = match span.vertical_align {
                    Some(VerticalAlign::Superscript) => Some(Script::Above),
                    Some(VerticalAlign::Subscript) => Some(Script::Below),
                    _ => None,
                };
                // An equation may be in several runs, because its characters belong to several scripts.
                for (index, part) in text.split([RAW[0], RAW[1]]).enumerate() {
                    is_raw = if index > 0 { !is_raw } else { is_raw };
                    match (is_raw, script) {
                        (true, _) => pieces.push(style.clone(), part.to_owned()),
                        (false, None) => pieces.text(style.clone(), part),
                        (false, Some(script)) => pieces.script(style.clone(), part, script),
                    }
                }
            }
            InlineContent::LineBreak => {
                let style = pieces.out.last().map(|last| last.0.clone()).unwrap_or_default();
                pieces.push(style, "\n".to_owned());
            }
            InlineContent::FootnoteRef(note) => {
                pieces.push(Style::note(), format!("[^{}]", note.note_id));
            }
            InlineContent::EndnoteRef(note) => {
                pieces.push(Style::note(), format!("[^e{}]", note.note_id));
            }
            _ => {}
        }
    }
    pieces.flush();
    // A line break at the end has no effect.
    while pieces.out.last().is_some_and(|(_, text)| text == "\n") {
        pieces.out.pop();
    }
    pieces.out
}

struct Pieces {
    out: Vec<(Style, String)>,
    /// Superscript or subscript that may continue in the next run.
    script: Option<(Style, String, Script)>,
    /// The last character of the text so far.
    previous: Option<char>,
    escape: fn(&str) -> String,
}

impl Pieces {
    fn text(&mut self, style: Style, text: &str) {
        if !text.is_empty() {
            self.flush();
            self.previous = text.chars().last();
            self.out.push((style, (self.escape)(text)));
        }
    }

    fn push(&mut self, style: Style, text: String) {
        if !text.is_empty() {
            self.flush();
            self.previous = text.chars().last();
            self.out.push((style, text));
        }
    }

    fn script(&mut self, style: Style, text: &str, script: Script) {
        match &mut self.script {
            Some((_, pending, same)) if *same == script => pending.push_str(text),
            _ => {
                self.flush();
                self.script = Some((style, text.to_owned(), script));
            }
        }
    }

    fn flush(&mut self) {
        let Some((style, text, script)) = self.script.take() else { return };
        let core = text.trim();
        let start = text.len() - text.trim_start().len();
        let (before, after) = (&text[..start], &text[start + core.len()..]);
        let previous = before.chars().last().or(self.previous);
        let shown = match written(core, script, previous) {
            Written::Unicode(text) => text,
            Written::Plain => (self.escape)(core),
            Written::Braces(mark) => format!("{mark}{{{}}}", (self.escape)(core)),
        };
        self.previous = text.chars().last();
        self.out.push((style, format!("{before}{shown}{after}")));
    }
}

impl Style {
    /// Returns the style of a note reference, which differs from all others.
    fn note() -> Self {
        Self { link: Some(String::new()), ..Self::default() }
    }

    fn of(span: &TextSpan) -> Self {
        Self {
            bold: span.bold,
            italic: span.italic,
            strikethrough: span.strikethrough,
            link: span.hyperlink.as_deref().and_then(web_address),
        }
    }

    /// Writes `text` in its markers. Blanks stay outside, because `** a**` is not bold. So do line breaks, because a
    /// marker ends with its line.
    fn wrap(&self, text: &str, out: &mut String) {
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                // A backslash is the break that survives editors which trim lines.
                out.push_str("\\\n");
            }
            let core = line.trim();
            if core.is_empty() {
                out.push_str(line);
                continue;
            }
            let start = line.len() - line.trim_start().len();
            out.push_str(&line[..start]);
            out.push_str(&self.mark(core));
            out.push_str(&line[start + core.len()..]);
        }
    }

    fn mark(&self, core: &str) -> String {
        let marker = match (self.bold, self.italic) {
            (true, true) => "***",
            (true, false) => "**",
            (false, true) => "*",
            (false, false) => "",
        };
        let strike = if self.strikethrough { "~~" } else { "" };
        let text = format!("{marker}{strike}{core}{strike}{marker}");
        match &self.link {
            Some(link) if !link.is_empty() => format!("[{text}]({link})"),
            _ => text,
        }
    }
}

/// Returns a link as an address of the web or of mail; `None` for links inside the file, scripts and local files.
fn web_address(link: &str) -> Option<String> {
    let link = single_line(&clean(link));
    let lower = link.to_ascii_lowercase();
    let is_web = ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    (is_web && !link.contains(['<', '>']))
        .then(|| link.replace(' ', "%20").replace('(', "%28").replace(')', "%29"))
}

/// Escapes what would make a heading, list, quotation or rule of a line.
fn protect_line_starts(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for (index, line) in text.split('\n').enumerate() {
        if index > 0 {
            out.push('\n');
        }
        let line = if index > 0 { line.trim_start() } else { line.trim_start_matches([' ', '\t']) };
        match marker_position(line) {
            Some(position) => {
                out.push_str(&line[..position]);
                out.push('\\');
                out.push_str(&line[position..]);
            }
            None => out.push_str(line),
        }
    }
    out.truncate(out.trim_end().len());
    out
}

/// Returns the position of the character that would make a block of the line.
fn marker_position(line: &str) -> Option<usize> {
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let first = line.chars().next()?;
    match first {
        '#' => ends(line.trim_start_matches('#')).then_some(0),
        '>' => Some(0),
        '-' | '+' => {
            (ends(&line[1..]) || line.trim_end().bytes().all(|byte| byte == b'-')).then_some(0)
        }
        '=' => line.trim_end().bytes().all(|byte| byte == b'=').then_some(0),
        '|' => Some(0),
        '0'..='9' => {
            let digits = line.bytes().take_while(u8::is_ascii_digit).count();
            let rest = &line[digits..];
            (digits <= 9 && rest.starts_with(['.', ')']) && ends(&rest[1..])).then_some(digits)
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn span(text: &str, bold: bool) -> InlineContent {
        InlineContent::Text(TextSpan { bold, ..TextSpan::plain(text) })
    }

    fn check(content: &[InlineContent], expected: &str) {
        assert_eq!(to_markdown(content), expected);
    }

    #[test]
    fn neighbours_of_one_style_are_one_phrase() {
        check(
            &[
                span("a", true),
                span("b", true),
                span(" ", false),
                span("c ", true),
                span("d", false),
            ],
            "**ab c** d",
        );
        check(&[span("plain", false)], "plain");
        check(&[span(" x", true), InlineContent::LineBreak, span("y", true)], "**x**\\\n**y**");
    }

    #[test]
    fn a_break_at_the_end_is_none() {
        check(&[span("a", false), InlineContent::LineBreak, InlineContent::LineBreak], "a");
        check(&[InlineContent::LineBreak], "");
    }

    #[test]
    fn only_what_would_be_markup_is_escaped() {
        for (text, expected) in [
            ("snake_case 2 * 3 < 4", "snake_case 2 * 3 < 4"),
            ("*x* `y` [z] <b>", "\\*x\\* \\`y\\` \\[z] \\<b>"),
            ("C:\\temp", "C:\\temp"),
            ("# no heading", "\\# no heading"),
            ("- no list", "\\- no list"),
            ("-5 degrees", "-5 degrees"),
            ("2024. was", "2024\\. was"),
            ("3.5 percent", "3.5 percent"),
            ("#1", "#1"),
            ("______", "______"),
        ] {
            check(&[span(text, false)], expected);
        }
    }

    #[test]
    fn raised_and_lowered_text_stays_another_number() {
        let script = |text: &str, align| {
            InlineContent::Text(TextSpan { vertical_align: Some(align), ..TextSpan::plain(text) })
        };
        let (above, below) = (VerticalAlign::Superscript, VerticalAlign::Subscript);
        check(
            &[
                span("10", false),
                script("-", above.clone()),
                script("3 ", above.clone()),
                span("mol, CO", false),
                script("2", below),
                span(", the 1", false),
                script("st", above.clone()),
                span(" x", false),
                script("a*b", above.clone()),
            ],
            "10⁻³ mol, CO₂, the 1st x^{a\\*b}",
        );
        assert_eq!(to_text(&[span("m", false), script("2", above)]), "m²");
    }

    #[test]
    fn equations_and_numbers_are_not_escaped() {
        let raw = format!("{}{}", RAW[0], r"$\{x_1*y*z\}");
        let content = [
            span(&format!("{}2.1", LABEL[0]), true),
            span(&format!("{}_a_ ", LABEL[1]), true),
            span(&raw, true),
            span(&format!("${} *b*", RAW[1]), true),
        ];
        let (label, text) = labelled(&content);
        assert_eq!(label.as_deref(), Some("2.1"));
        assert_eq!(text, r"**\_a\_ $\{x_1*y*z\}$ \*b\***");
        assert_eq!(to_text(&content), r"2.1 _a_ $\{x_1*y*z\}$ *b*");
        assert!(has_label(&content) && !has_label(&content[2..]));
    }

    #[test]
    fn only_web_links_are_links() {
        let link = |url: &str| {
            InlineContent::Text(TextSpan {
                hyperlink: Some(url.to_owned()),
                ..TextSpan::plain("here")
            })
        };
        check(&[link("https://example.com/a (b)")], "[here](https://example.com/a%20%28b%29)");
        check(&[link("javascript:alert(1)")], "here");
        check(&[link("#bookmark")], "here");
    }
}
