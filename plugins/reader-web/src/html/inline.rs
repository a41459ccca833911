//! Writes inline content: emphasis, links, code, and the alternative text of pictures.

use super::address::resolve;
use super::tree::{Element, Id};
use super::write::Writer;
use mitt_reader_kit::{clean, escape, single_line};

/// A line that is being written. Every run of white space is one space.
#[derive(Debug, Default)]
pub(super) struct Line {
    text: String,
    has_space: bool,
    /// `true` if the line begins with white space.
    begins_apart: bool,
}

impl Line {
    pub(super) fn push(&mut self, text: &str) {
        if text.is_empty() {
            return;
        }
        if std::mem::take(&mut self.has_space)
            && !self.text.is_empty()
            && !self.text.ends_with('\n')
        {
            self.text.push(' ');
        }
        self.text.push_str(text);
    }

    fn space(&mut self) {
        self.begins_apart |= self.text.is_empty();
        self.has_space = true;
    }

    /// Adds text with its white space. No-break spaces count as spaces.
    fn words(&mut self, text: &str) {
        let mut rest = text;
        while let Some(begin) = rest.find(|it: char| !it.is_whitespace()) {
            if begin > 0 {
                self.space();
            }
            rest = rest.get(begin..).unwrap_or_default();
            let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
            let (word, after) = rest.split_at(end);
            self.push(word);
            rest = after;
        }
        if !rest.is_empty() {
            self.space();
        }
    }

    fn end(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with('\n') {
            self.text.push_str("\\\n");
        }
        self.has_space = false;
    }

    /// Returns the text without line ends at its end.
    pub(super) fn finish(self) -> String {
        let mut text = self.text;
        while text.ends_with("\\\n") {
            text.truncate(text.len() - 2);
        }
        text.trim().to_owned()
    }

    /// Adds a line that was written separately. The space around it stays outside of its marks.
    fn wrapped(&mut self, inner: Line, marks: (&str, &str)) {
        let Line { begins_apart, has_space, .. } = inner;
        let text = inner.finish();
        if begins_apart {
            self.space();
        }
        if !text.is_empty() {
            self.push(&format!("{}{text}{}", marks.0, marks.1));
            if has_space {
                self.space();
            }
        }
    }
}

impl Writer<'_> {
    pub(super) fn address(&self, target: &str) -> Option<String> {
        resolve(self.base, target)
    }

    pub(super) fn inline_children(&mut self, id: Id, line: &mut Line) {
        let tree = self.tree;
        for child in tree.children(id) {
            self.inline(*child, line);
        }
    }

    pub(super) fn inline(&mut self, id: Id, line: &mut Line) {
        let tree = self.tree;
        if self.is_left_out(id) {
            return;
        }
        if let Some(text) = tree.text(id) {
            line.words(&escape(&clean(text)));
            return;
        }
        let Some(element) = tree.element(id) else { return };
        match element.name.as_str() {
            "br" => line.end(),
            "b" | "strong" if self.bold == 0 => {
                self.bold += 1;
                self.marked(id, line, ("**", "**"));
                self.bold -= 1;
            }
            "i" | "em" | "dfn" | "var" if self.italic == 0 => {
                self.italic += 1;
                self.marked(id, line, ("*", "*"));
                self.italic -= 1;
            }
            "s" | "del" | "strike" => self.marked(id, line, ("~~", "~~")),
            "q" => self.marked(id, line, ("“", "”")),
            "rt" => self.marked(id, line, ("(", ")")),
            "code" | "kbd" | "samp" | "tt" => {
                let text = single_line(&clean(&tree.text_of(id)));
                line.push(&code(&text));
            }
            "a" => self.link(id, element, line),
            "img" | "image" => self.picture(element, line),
            "input" => input(element, line),
            "sup" | "sub" => self.script(id, element, line),
            "math" => line.words(&formula(self, id, element)),
            "option" | "wbr" => {
                self.inline_children(id, line);
                if element.is(&["option"]) {
                    line.space();
                }
            }
            // A cell or a heading may contain blocks.
            _ if self.begins_a_line(element) => {
                line.space();
                self.inline_children(id, line);
                line.space();
            }
            _ => self.inline_children(id, line),
        }
    }

    fn begins_a_line(&self, element: &Element) -> bool {
        element.is(&[
            "p",
            "div",
            "li",
            "dt",
            "dd",
            "tr",
            "td",
            "th",
            "table",
            "pre",
            "blockquote",
            "figcaption",
            "summary",
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "section",
        ])
    }

    fn marked(&mut self, id: Id, line: &mut Line, marks: (&str, &str)) {
        let mut inner = Line::default();
        self.inline_children(id, &mut inner);
        line.wrapped(inner, marks);
    }

    fn link(&mut self, id: Id, element: &Element, line: &mut Line) {
        if let Some(label) = self.notes.reference(id) {
            line.push(&format!("[^{label}]"));
            return;
        }
        let address = element.attribute("href").and_then(|it| self.address(it));
        let mut inner = Line::default();
        self.inline_children(id, &mut inner);
        match address {
            // The link is empty, or contains a link.
            Some(address) if !inner.text.contains("](") => {
                line.wrapped(inner, ("[", &format!("]({address})")));
            }
            _ => line.wrapped(inner, ("", "")),
        }
    }

    fn picture(&mut self, element: &Element, line: &mut Line) {
        let text = element.attribute("alt").or(element.attribute("title")).unwrap_or_default();
        let text = single_line(&clean(text));
        if text.is_empty() {
            self.room.pictures += usize::from(!is_tiny(element));
        } else {
            line.push(&format!("[picture: {}]", escape(&text)));
        }
    }

    fn script(&mut self, id: Id, element: &Element, line: &mut Line) {
        let mut inner = Line::default();
        self.inline_children(id, &mut inner);
        let text = inner.finish();
        let is_raised = element.is(&["sup"]);
        line.push(&script(&text, is_raised));
    }
}

/// Writes a superscript or subscript, because `10` with a raised `3` is not `103`.
fn script(text: &str, is_raised: bool) -> String {
    const LINE: &str = "0123456789+-−=()";
    let marks = if is_raised {
        "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾"
    } else {
        "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎"
    };
    let letter = |it: char| marks.chars().nth(LINE.chars().position(|known| known == it)?);
    if let Some(written) = text.chars().map(letter).collect() {
        return written;
    }
    let is_short = text.chars().count() <= 3 && text.chars().all(|it| it.is_ascii_lowercase());
    match (text, is_raised) {
        ("", _) => String::new(),
        // Ordinals, citations and marks are not read as powers.
        (_, true)
            if text.starts_with('[')
                || !text.is_ascii()
                || ["st", "nd", "rd", "th", "er", "re", "e", "o", "a", "TM", "*"]
                    .contains(&text) =>
        {
            text.to_owned()
        }
        (_, true) if is_short => format!("^{text}"),
        (_, true) => format!("^{{{text}}}"),
        (_, false) => format!("_{{{text}}}"),
    }
}

fn code(text: &str) -> String {
    if text.is_empty() {
        return String::new();
    }
    let mut marks = "`".to_owned();
    while text.contains(&marks) {
        marks.push('`');
    }
    let is_at_end = text.starts_with('`') || text.ends_with('`');
    if is_at_end { format!("{marks} {text} {marks}") } else { format!("{marks}{text}{marks}") }
}

fn input(element: &Element, line: &mut Line) {
    if element.has_word("type", &["checkbox", "radio"]) {
        line.push(if element.attribute("checked").is_some() { "[x]" } else { "[ ]" });
        line.space();
    }
}

/// Returns whether a picture is as small as a tracking pixel.
fn is_tiny(element: &Element) -> bool {
    ["width", "height"]
        .iter()
        .any(|it| matches!(element.attribute(it), Some("0" | "1" | "0px" | "1px")))
}

/// Returns a formula as TeX if it has that, or else its letters.
fn formula(writer: &Writer<'_>, id: Id, element: &Element) -> String {
    let tree = writer.tree;
    let mut source = element.attribute("alttext").map(str::to_owned);
    tree.walk(id, |id| {
        let is_tex = tree.element(id).is_some_and(|it| {
            it.is(&["annotation"]) && it.has_word("encoding", &["application/x-tex", "TeX"])
        });
        if is_tex && source.is_none() {
            source = Some(tree.text_of(id));
        }
        true
    });
    match source {
        Some(source) if !source.trim().is_empty() => format!("${}$", single_line(&clean(&source))),
        _ => {
            let mut letters = String::new();
            tree.walk(id, |id| {
                letters.push_str(tree.text(id).unwrap_or_default());
                !tree.is(id, &["annotation", "annotation-xml"])
            });
            escape(&clean(&letters))
        }
    }
}
