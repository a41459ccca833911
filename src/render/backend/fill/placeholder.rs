//! Placeholders in texts: `{{name}}`, `{{price * quantity|0.00}}`, `{{#list}}` and `{{/list}}`, `{{#if total > 0}}`. Their
//! notation is that
//! of templates of Word. Knows nothing of cells and values.

use crate::shared::template::marks::{Mark, alone};

/// Most characters of a name.
const MAX_NAME: usize = 255;

/// A piece of a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Text(&'a str),
    /// `{{name}}`.
    Value(&'a str),
    /// `{{#list}}`: begins repeated rows.
    Open(&'a str),
    /// `{{/list}}`, `{{/if}}`: ends them.
    Close(&'a str),
    /// `{{^list}}`: begins rows for a list without items.
    Unless(&'a str),
    /// `{{#if total > 0}}`: begins rows that depend on a condition.
    If(&'a str),
    /// `{{#else}}`, `{{#else if total > 0}}`: begins the rows for the other case.
    Else(Option<&'a str>),
}

impl Token<'_> {
    /// Returns `true` for a mark around rows.
    pub(super) fn is_mark(&self) -> bool {
        !matches!(self, Token::Text(_) | Token::Value(_))
    }
}

/// A token and its range in bytes.
pub(super) struct Span<'a> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) token: Token<'a>,
}

/// Returns the pieces of a text. Braces around an invalid name are text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    spans(text).into_iter().map(|it| it.token).collect()
}

/// Returns the pieces of a text with their ranges.
pub(super) fn spans(text: &str) -> Vec<Span<'_>> {
    let mut found = Vec::new();
    let (mut start, mut from) = (0, 0);
    let plain = |start, end| Span { start, end, token: Token::Text(&text[start..end]) };
    while let Some(open) = text.get(from..).and_then(|rest| rest.find("{{")) {
        let open = from + open;
        let inner = &text[open + 2..];
        let end = inner.find("}}").map(|end| open + 2 + end + 2);
        let Some((token, end)) = end.and_then(|end| Some((token(&text[open..end])?, end))) else {
            from = open + 1;
            continue;
        };
        if open > start {
            found.push(plain(start, open));
        }
        found.push(Span { start: open, end, token });
        start = end;
        from = start;
    }
    if start < text.len() {
        found.push(plain(start, text.len()));
    }
    found
}

/// Returns `true` if the text has a placeholder.
pub(super) fn is_template(text: &str) -> bool {
    text.contains("{{") && tokens(text).iter().any(|it| !matches!(it, Token::Text(_)))
}

/// Returns `true` if a text has a placeholder of jxls: `${name}`.
pub(super) fn is_foreign(text: &str) -> bool {
    text.match_indices("${").any(|(at, _)| {
        let inner = text.get(at + 2..).unwrap_or_default();
        let end = inner.find('}').filter(|end| *end > 0 && *end <= 100);
        end.is_some_and(|end| !inner[..end].contains(['{', '$']))
    })
}

fn token(whole: &str) -> Option<Token<'_>> {
    let inner = whole.get(2..whole.len() - 2)?.trim();
    let is_calculated = |text: &str| {
        crate::shared::template::marks::is_expression(text) || text.contains(['|', '｜', '\\'])
    };
    match alone(whole) {
        Some(Mark::If(condition)) => return Some(Token::If(condition)),
        Some(Mark::Else(condition)) => return Some(Token::Else(condition)),
        Some(Mark::Unless(name)) if is_name(name) => return Some(Token::Unless(name)),
        // A formula may have quotation marks between braces.
        Some(Mark::Value(text)) if is_calculated(text) && !text.starts_with('"') => {
            return Some(Token::Value(text));
        }
        _ => {}
    }
    let first = inner.chars().next()?;
    let name = inner.strip_prefix(['#', '/']).unwrap_or(inner).trim();
    is_name(name).then_some(match first {
        '#' => Token::Open(name),
        '/' => Token::Close(name),
        _ => Token::Value(name),
    })
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name.chars().count() <= MAX_NAME
        && !name
            .contains(|c: char| matches!(c, '{' | '}' | '"' | '<' | '>' | '&') || c.is_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn placeholders_are_told_from_text() {
        use Token::{Close, Open, Text, Value};
        for (text, expected) in [
            ("{{a}}", vec![Value("a")]),
            (
                "致 {{ 客户.名称 }}：{{#items}}",
                vec![Text("致 "), Value("客户.名称"), Text("："), Open("items")],
            ),
            ("{{/ items }}.", vec![Close("items"), Text(".")]),
            ("{{{a}}}", vec![Text("{"), Value("a"), Text("}")]),
            ("{{}} {{#}} {{ \n }} {{a", vec![Text("{{}} {{#}} {{ \n }} {{a")]),
            ("={{\"a\"}}", vec![Text("={{\"a\"}}")]),
            ("{{a * b|0.0}}", vec![Value("a * b|0.0")]),
            (
                "{{#if a > 1}}{{#else}}{{/if}}{{^l}}",
                vec![Token::If("a > 1"), Token::Else(None), Close("if"), Token::Unless("l")],
            ),
            ("", vec![]),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
        assert!(is_foreign("${e.name}") && !is_foreign("$5 {a}") && !is_foreign("${}"));
        assert!(is_template("x{{y}}") && !is_template("{{}}") && !is_template("x"));
    }
}
