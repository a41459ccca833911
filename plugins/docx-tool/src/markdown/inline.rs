//! Text with its looks, as inlines of Markdown.

use crate::fields;
use crate::package::Relation;
use crate::styles::{Styles, looks};
use crate::text::Piece;
use crate::xml::{Id, Tree};
use std::collections::HashMap;

/// Looks of a piece of text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Looks {
    is_bold: bool,
    is_italic: bool,
    is_underlined: bool,
    is_struck: bool,
    is_marked: bool,
    /// `sup` or `sub`.
    script: Option<&'static str>,
    pub(super) link: Option<String>,
    pub(super) is_hidden: bool,
}

/// Finds the looks and links of pieces.
pub(super) struct LookReader<'a> {
    pub(super) tree: &'a Tree,
    pub(super) styles: &'a Styles,
    pub(super) relations: &'a [Relation],
    /// Targets of fields and links, which are read once.
    pub(super) targets: HashMap<Id, Option<String>>,
}

/// Returns `true` if a piece belongs to a link to a place of the same document.
pub(super) fn leads_within(tree: &Tree, piece: &Piece) -> bool {
    if let Some(link) = piece.link {
        return tree.attr(link, "anchor").is_some() && tree.attr(link, "id").is_none();
    }
    piece.field.is_some_and(|field| {
        let instruction = fields::instruction(tree, field);
        let instruction = instruction.trim();
        instruction.strip_prefix("HYPERLINK").is_some_and(|it| it.contains("\\l"))
            || instruction.starts_with("REF ") && instruction.contains("\\h")
    })
}

impl LookReader<'_> {
    pub(super) fn of(&mut self, piece: &Piece) -> Looks {
        let tree = self.tree;
        let mut found = Looks { link: self.target(piece), ..Looks::default() };
        let Some(properties) = tree.child(piece.run, "rPr") else { return found };
        let mut own = looks(tree, properties);
        let style = tree.value(properties, "rStyle");
        if let Some(style) = &style {
            for (own, other) in own.iter_mut().zip(self.styles.looks(style)) {
                *own = own.or(other);
            }
        }
        let [is_bold, is_italic, is_underlined, is_struck] = own.map(|it| it == Some(true));
        found.is_bold = is_bold;
        found.is_italic = is_italic;
        // Links are underlined anyway.
        found.is_underlined = is_underlined && found.link.is_none();
        found.is_struck = is_struck;
        found.is_marked = tree.value(properties, "highlight").is_some_and(|it| &*it != "none");
        found.script = match tree.value(properties, "vertAlign").as_deref() {
            Some("superscript") => Some("sup"),
            Some("subscript") => Some("sub"),
            _ => None,
        };
        found.is_hidden =
            tree.child(properties, "vanish").is_some_and(|it| fields::is_on(tree, it));
        found
    }

    /// Returns the address that a piece leads to.
    fn target(&mut self, piece: &Piece) -> Option<String> {
        let key = piece.link.or(piece.field)?;
        if let Some(known) = self.targets.get(&key) {
            return known.clone();
        }
        let tree = self.tree;
        let found = match piece.link {
            Some(link) => {
                let id = tree.attr(link, "id");
                id.and_then(|id| self.relations.iter().find(|it| it.id == *id))
                    .filter(|it| it.is_external)
                    .map(|it| it.target.clone())
            }
            None => hyperlink(&fields::instruction(tree, key)),
        };
        let found = found.filter(|it| is_address(it));
        self.targets.insert(key, found.clone());
        found
    }
}

/// Returns the address in an instruction such as `HYPERLINK "https://a.test"`.
fn hyperlink(instruction: &str) -> Option<String> {
    let rest = instruction.trim().strip_prefix("HYPERLINK")?.trim_start();
    rest.strip_prefix('"')?.split('"').next().map(str::to_owned)
}

fn is_address(text: &str) -> bool {
    let scheme = text.split(':').next().unwrap_or_default().to_ascii_lowercase();
    matches!(scheme.as_str(), "http" | "https" | "mailto" | "tel")
        && text.len() <= 2_000
        && !text.contains(char::is_control)
}

/// A piece of text with its looks, or Markdown that is ready.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Inline {
    Text(String, Looks),
    Ready(String),
}

/// Joins texts of the same looks.
pub(super) fn push(inlines: &mut Vec<Inline>, text: &str, looks: Looks) {
    if let Some(Inline::Text(last, same)) = inlines.last_mut()
        && *same == looks
    {
        last.push_str(text);
        return;
    }
    inlines.push(Inline::Text(text.to_owned(), looks));
}

/// Writes inlines on one line.
pub(super) fn write(inlines: &[Inline]) -> String {
    let mut out = String::new();
    for (at, inline) in inlines.iter().enumerate() {
        match inline {
            Inline::Ready(text) => out.push_str(text),
            Inline::Text(text, looks) => {
                let is_plain = |it: Option<&Inline>| match it {
                    Some(Inline::Text(_, other)) => *other == Looks::default(),
                    _ => true,
                };
                let before = at.checked_sub(1).and_then(|it| inlines.get(it));
                let is_alone = is_plain(before) && is_plain(inlines.get(at + 1));
                out.push_str(&formatted(text, looks, is_alone));
            }
        }
    }
    out
}

/// Writes a text in its looks. Spaces at its ends stand outside of them.
fn formatted(text: &str, looks: &Looks, is_alone: bool) -> String {
    let inner = text.trim();
    if inner.is_empty() || *looks == Looks::default() {
        return escape(text);
    }
    let start = text.len() - text.trim_start().len();
    let (head, tail) = (&text[..start], &text[start + inner.len()..]);
    // Asterisks mean emphasis only beside letters; elements always do.
    let is_safe = is_alone
        && inner.starts_with(char::is_alphanumeric)
        && inner.ends_with(char::is_alphanumeric);
    let mut out = escape(inner);
    let mut wrap = |is_on: bool, mark: &str, name: &str| {
        if is_on {
            out = if is_safe && !mark.is_empty() {
                format!("{mark}{out}{mark}")
            } else {
                format!("<{name}>{out}</{name}>")
            };
        }
    };
    wrap(looks.script == Some("sup"), "", "sup");
    wrap(looks.script == Some("sub"), "", "sub");
    wrap(looks.is_struck, "", "s");
    wrap(looks.is_underlined, "", "u");
    wrap(looks.is_marked, "", "mark");
    wrap(looks.is_italic, "*", "em");
    wrap(looks.is_bold, "**", "strong");
    if let Some(link) = &looks.link {
        let address = link.replace('<', "%3C").replace('>', "%3E").replace('\\', "%5C");
        out = format!("[{out}](<{address}>)");
    }
    format!("{}{out}{}", escape(head), escape(tail))
}

/// Escapes what has a meaning in Markdown anywhere in a line. Line breaks become elements.
pub(super) fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    for it in text.chars() {
        match it {
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '&' | '~' | '$' | '|' | '^' | '='
            | '{' | '}' => {
                out.push('\\');
                out.push(it);
            }
            '\n' | '\u{b}' => out.push_str("<br>"),
            '\t' => out.push(' '),
            '\u{ad}' => {}
            _ => out.push(it),
        }
    }
    out
}

/// Escapes what has a meaning at the start of a block only.
pub(super) fn escape_start(line: &str) -> String {
    let line = line.trim();
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let (mark, behind) = (line.as_bytes().get(digits), line.as_bytes().get(digits + 1));
    let is_item = matches!(mark, Some(b'.' | b')')) && matches!(behind, None | Some(b' '));
    if (1..10).contains(&digits) && is_item {
        return format!("{}\\{}", &line[..digits], &line[digits..]);
    }
    match line.chars().next() {
        Some('#' | '-' | '+' | ':') => format!("\\{line}"),
        _ => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str, is_bold: bool) -> Inline {
        Inline::Text(text.to_owned(), Looks { is_bold, ..Looks::default() })
    }

    #[test]
    fn looks_stand_around_words_only() {
        let line = |parts: &[(&str, bool)]| {
            let parts: Vec<Inline> = parts.iter().map(|it| text(it.0, it.1)).collect();
            write(&parts)
        };
        assert_eq!(line(&[("a ", false), (" bold ", true), ("b", false)]), "a  **bold** b");
        assert_eq!(line(&[("Price:", true), ("5", false)]), "<strong>Price:</strong>5");
        assert_eq!(line(&[("  ", true)]), "  ");
        let both = Looks { is_bold: true, is_italic: true, ..Looks::default() };
        let parts = [text("a", true), Inline::Text("b".to_owned(), both)];
        assert_eq!(write(&parts), "<strong>a</strong><strong><em>b</em></strong>");
    }

    #[test]
    fn characters_of_markdown_are_text() {
        assert_eq!(escape("a*b_[c]|<d>&amp;"), "a\\*b\\_\\[c\\]\\|\\<d\\>\\&amp;");
        assert_eq!(escape_start("12. x"), "12\\. x");
        assert_eq!(escape_start("# x"), "\\# x");
        assert_eq!(escape_start("2026"), "2026");
        assert_eq!(escape_start("1.1 x"), "1.1 x");
        assert_eq!(hyperlink("HYPERLINK \"https://a.test/x\" \\h").unwrap(), "https://a.test/x");
        assert!(!is_address("javascript:alert(1)") && is_address("https://a.test"));
    }
}
