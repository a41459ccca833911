//! Placeholders in texts: `{{name}}`, `{{#list}}` and `{{/list}}`. Knows nothing of cells and values.

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
    /// `{{/list}}`: ends them.
    Close(&'a str),
}

/// Returns the pieces of a text. Braces around an invalid name are text.
pub(super) fn tokens(text: &str) -> Vec<Token<'_>> {
    let mut found = Vec::new();
    let (mut start, mut from) = (0, 0);
    while let Some(open) = text.get(from..).and_then(|rest| rest.find("{{")) {
        let open = from + open;
        let inner = &text[open + 2..];
        let Some((token, length)) =
            inner.find("}}").and_then(|end| Some((token(&inner[..end])?, end)))
        else {
            from = open + 1;
            continue;
        };
        if open > start {
            found.push(Token::Text(&text[start..open]));
        }
        found.push(token);
        start = open + 2 + length + 2;
        from = start;
    }
    if start < text.len() {
        found.push(Token::Text(&text[start..]));
    }
    found
}

/// Returns `true` if the text has a placeholder.
pub(super) fn is_template(text: &str) -> bool {
    text.contains("{{") && tokens(text).iter().any(|it| !matches!(it, Token::Text(_)))
}

fn token(inner: &str) -> Option<Token<'_>> {
    let inner = inner.trim();
    let first = inner.chars().next()?;
    let name = inner.strip_prefix(['#', '/']).unwrap_or(inner).trim();
    let is_name = !name.is_empty()
        && name.chars().count() <= MAX_NAME
        && !name
            .contains(|c: char| matches!(c, '{' | '}' | '"' | '<' | '>' | '&') || c.is_control());
    is_name.then_some(match first {
        '#' => Token::Open(name),
        '/' => Token::Close(name),
        _ => Token::Value(name),
    })
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
            ("", vec![]),
        ] {
            assert_eq!(tokens(text), expected, "{text}");
        }
        assert!(is_template("x{{y}}") && !is_template("{{}}") && !is_template("x"));
    }
}
