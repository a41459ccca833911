//! Runs of text as inline Markdown.

use mitt_reader_kit::{clean, single_line};
use office_oxide::ir::{InlineContent, TextSpan};

/// How a piece of text is shown, as far as Markdown can say it.
#[derive(Clone, Default, PartialEq)]
struct Style {
    bold: bool,
    italic: bool,
    strikethrough: bool,
    link: Option<String>,
}

/// Inline content as one line of Markdown per line of text.
///
/// Word splits one bold phrase into many runs, so neighbours of the same style are joined before markers are written.
pub(crate) fn to_markdown(content: &[InlineContent]) -> String {
    let mut out = String::new();
    let mut pending = (Style::default(), String::new());
    for item in content {
        let (style, text) = match item {
            InlineContent::Text(span) => (Style::of(span), escape(&clean(&span.text))),
            InlineContent::LineBreak => (pending.0.clone(), "\n".to_owned()),
            InlineContent::FootnoteRef(note) => (Style::default(), format!("[^{}]", note.note_id)),
            InlineContent::EndnoteRef(note) => (Style::default(), format!("[^e{}]", note.note_id)),
            _ => continue,
        };
        // White space has no style of its own: it must not end a bold phrase.
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
    protect_line_starts(&out)
}

/// Inline content as bare text; a line break stays one.
pub(crate) fn to_text(content: &[InlineContent]) -> String {
    let mut out = String::new();
    for item in content {
        match item {
            InlineContent::Text(span) => out.push_str(&span.text),
            InlineContent::LineBreak => out.push('\n'),
            _ => {}
        }
    }
    clean(&out)
}

impl Style {
    fn of(span: &TextSpan) -> Self {
        Self {
            bold: span.bold,
            italic: span.italic,
            strikethrough: span.strikethrough,
            link: span.hyperlink.as_deref().and_then(web_address),
        }
    }

    /// Write `text` in its markers. Blanks stay outside: `** a**` is not bold. So do line breaks: a marker ends with its
    /// line.
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
            Some(link) => format!("[{text}]({link})"),
            None => text,
        }
    }
}

/// An address that a reader of the text can use; links inside the file, scripts and local files are none.
fn web_address(link: &str) -> Option<String> {
    let link = single_line(&clean(link));
    let lower = link.to_ascii_lowercase();
    let is_web = ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    (is_web && !link.contains(['<', '>']))
        .then(|| link.replace(' ', "%20").replace('(', "%28").replace(')', "%29"))
}

/// Escape what would turn into markup inside a line. As little as possible: a model reads `snake_case` better bare.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut previous = ' ';
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        let next = characters.peek().copied().unwrap_or(' ');
        let is_markup = match character {
            '\\' => next.is_ascii_punctuation(),
            '`' => true,
            '*' => !(previous.is_whitespace() && next.is_whitespace()),
            '_' => {
                !(previous.is_alphanumeric() && next.is_alphanumeric())
                    && previous != '_'
                    && next != '_'
            }
            '<' => next.is_ascii_alphabetic() || matches!(next, '/' | '!' | '?'),
            '[' => next != ']',
            '~' => next == '~',
            _ => false,
        };
        if is_markup {
            out.push('\\');
        }
        out.push(character);
        previous = character;
    }
    out
}

/// Escape what would make a heading, list, quotation or rule of a line that is none.
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

/// Where in a line the character stands that would make a block of it.
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
