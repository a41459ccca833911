//! Writes text runs as inline Markdown.

use crate::block::Text;
use crate::lines;
use mitt_reader_kit::{clean, escape, single_line};
use unpdf::{InlineContent, TextStyle};

/// Style of a run, as far as Markdown can express it.
#[derive(Clone, Default, PartialEq)]
struct Style {
    bold: bool,
    italic: bool,
    struck: bool,
    link: Option<String>,
}

/// Returns inline content as one line. With `is_plain`, it has no emphasis and may follow the mark of a heading.
pub(crate) fn text(content: &[InlineContent], is_plain: bool) -> Text {
    let mut pieces: Vec<(Style, String)> = Vec::new();
    for item in content {
        let (text, style, link) = match item {
            InlineContent::Text(run) => (run.text.clone(), &run.style, None),
            InlineContent::Link { text, url, style, .. } => (text.clone(), style, target(url)),
            InlineContent::LineBreak => ("\n".to_owned(), &TextStyle::default(), None),
            InlineContent::Image { .. } => continue,
        };
        let text = scripts(text, style);
        let own = Style {
            bold: style.bold && !is_plain,
            italic: style.italic && !is_plain,
            struck: style.strikethrough && !is_plain,
            link,
        };
        match pieces.last_mut() {
            // White space has no style of its own, so it does not end a bold phrase.
            Some((last, before))
                if *last == own || text.trim().is_empty() && last.link == own.link =>
            {
                before.push_str(&text);
            }
            _ => pieces.push((own, text)),
        }
    }
    // Words that continue in the next line are joined across changes of style.
    let whole: String = pieces.iter().map(|(_, text)| text.as_str()).collect();
    let mut at = 0;
    let joints = lines::joints(&whole);
    let mut markdown = String::with_capacity(whole.len());
    for (style, text) in pieces {
        let kept = lines::without(&text, at, &joints);
        at += text.len();
        style.wrap(&escape(&spaced(&clean(&kept))), &mut markdown);
    }
    let plain = single_line(&clean(&lines::without(&whole, 0, &joints)));
    // The text of a heading is not at the start of its line.
    let markdown =
        if is_plain { markdown.trim().to_owned() } else { protect_line_start(markdown.trim()) };
    Text { markdown, plain }
}

/// Returns plain text as running text.
pub(crate) fn plain(text: &str) -> Text {
    let joined = lines::without(text, 0, &lines::joints(text));
    let plain = single_line(&clean(&joined));
    Text { markdown: protect_line_start(&escape(&plain)), plain }
}

/// Returns an address that is safe as a link: of the web or of mail.
fn target(url: &str) -> Option<String> {
    let url: String = url.trim().chars().filter(|character| !character.is_control()).collect();
    let lower = url.to_ascii_lowercase();
    let is_known =
        ["http://", "https://", "mailto:"].iter().any(|scheme| lower.starts_with(scheme));
    // Characters that would end the link in Markdown are percent-encoded.
    let escape = |character: char| match character {
        ' ' => "%20".to_owned(),
        '(' => "%28".to_owned(),
        ')' => "%29".to_owned(),
        '<' => "%3C".to_owned(),
        '>' => "%3E".to_owned(),
        other => other.to_string(),
    };
    is_known.then(|| url.chars().map(escape).collect())
}

/// Replaces digits and signs by their superscripts or subscripts, if Unicode has all of them.
pub(crate) fn scripts(text: String, style: &TextStyle) -> String {
    const PLAIN: &str = "0123456789+-−=()";
    const RAISED: &str = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾";
    const LOWERED: &str = "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎";
    let letters = match (style.superscript, style.subscript) {
        (true, _) => RAISED,
        (_, true) => LOWERED,
        _ => return text,
    };
    let write = |character: char| {
        if character.is_whitespace() {
            return Some(character);
        }
        let index = PLAIN.chars().position(|plain| plain == character)?;
        letters.chars().nth(index)
    };
    text.chars().map(write).collect::<Option<String>>().unwrap_or(text)
}

/// Replaces runs of white space by one space. Keeps those at the ends, because a piece is between others.
fn spaced(text: &str) -> String {
    let inner = single_line(text);
    if inner.is_empty() {
        return if text.is_empty() { inner } else { " ".to_owned() };
    }
    let before = if text.starts_with(char::is_whitespace) { " " } else { "" };
    let after = if text.ends_with(char::is_whitespace) { " " } else { "" };
    format!("{before}{inner}{after}")
}

impl Style {
    /// Writes a piece with the marks of its style, which touch its words.
    fn wrap(&self, text: &str, out: &mut String) {
        let words = text.trim();
        // Marks between letters without a space have no meaning in Markdown beside punctuation.
        let is_bare = words.is_empty() || !words.chars().any(char::is_alphanumeric);
        let marks = match (self.bold, self.italic) {
            _ if is_bare => "",
            (true, true) => "***",
            (true, false) => "**",
            (false, true) => "*",
            (false, false) => "",
        };
        let struck = if self.struck && !is_bare { "~~" } else { "" };
        if text.starts_with(' ') && !out.ends_with(' ') {
            out.push(' ');
        }
        let link = self.link.as_deref().filter(|_| !words.is_empty());
        if link.is_some() {
            out.push('[');
        }
        let back: String = marks.chars().rev().collect();
        for part in [struck, marks, words, &back, struck] {
            out.push_str(part);
        }
        if let Some(link) = link {
            out.push_str("](");
            out.push_str(link);
            out.push(')');
        }
        if text.ends_with(' ') && !words.is_empty() {
            out.push(' ');
        }
    }
}

/// Escapes what would make a heading, list, quotation or rule of the line.
fn protect_line_start(line: &str) -> String {
    let first = line.chars().next().unwrap_or(' ');
    let rest = line.get(first.len_utf8()..).unwrap_or_default();
    let is_markup = match first {
        '#' => {
            rest.trim_start_matches('#').starts_with([' ', '\t'])
                || rest.trim_matches('#').is_empty()
        }
        '-' | '+' => rest.is_empty() || rest.starts_with(' ') || rest.chars().all(|c| c == first),
        '>' => true,
        '=' => rest.chars().all(|character| character == '='),
        '|' => true,
        _ => false,
    };
    if is_markup {
        return format!("\\{line}");
    }
    let digits = line.chars().take_while(char::is_ascii_digit).count();
    if (1..=9).contains(&digits)
        && line[digits..].starts_with(['.', ')'])
        && line[digits + 1..].chars().next().is_none_or(|next| next == ' ')
    {
        return format!("{}\\{}", &line[..digits], &line[digits..]);
    }
    line.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpdf::TextRun;

    fn run(text: &str, bold: bool) -> InlineContent {
        InlineContent::Text(TextRun {
            text: text.into(),
            style: TextStyle { bold, ..TextStyle::default() },
        })
    }

    #[test]
    fn only_what_would_be_markup_is_escaped() {
        for (input, expected) in [
            ("snake_case 2 * 3 < 4", "snake_case 2 * 3 < 4"),
            ("*x* `y` [z] <b>", "\\*x\\* \\`y\\` \\[z] \\<b>"),
            ("# no heading", "\\# no heading"),
            ("- no list", "\\- no list"),
            ("-5 degrees", "-5 degrees"),
            ("2024. was", "2024\\. was"),
            ("3.5 percent", "3.5 percent"),
            ("> no quotation", "\\> no quotation"),
            ("#1", "#1"),
        ] {
            assert_eq!(plain(input).markdown, expected);
        }
    }

    #[test]
    fn styles_stand_close_to_their_words() {
        let check = |content: &[InlineContent], expected| {
            assert_eq!(text(content, false).markdown, expected)
        };
        check(
            &[run("a ", false), run("bold ", true), run("word", true), run(" b", false)],
            "a **bold word** b",
        );
        check(&[run("organi-", true), run(" sation", false)], "**organi**sation");
        check(&[run(" — ", true)], "—");
    }

    #[test]
    fn links_have_schemes_that_are_known() {
        let link = |url: &str| {
            let url = url.to_owned();
            text(
                &[InlineContent::Link {
                    text: "here".into(),
                    url,
                    title: None,
                    style: TextStyle::default(),
                }],
                false,
            )
            .markdown
        };
        assert_eq!(link("https://example.org/a b(1)"), "[here](https://example.org/a%20b%281%29)");
        assert_eq!(link("MAILTO:a@example.org"), "[here](MAILTO:a@example.org)");
        for url in ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", ""] {
            assert_eq!(link(url), "here", "{url}");
        }
    }

    #[test]
    fn raised_digits_are_unicode() {
        let style = TextStyle { superscript: true, ..TextStyle::default() };
        assert_eq!(scripts("12".into(), &style), "¹²");
        assert_eq!(scripts("st".into(), &style), "st");
        let style = TextStyle { subscript: true, ..TextStyle::default() };
        assert_eq!(scripts("2".into(), &style), "₂");
    }
}
