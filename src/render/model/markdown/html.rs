//! Splits HTML in Markdown into tags, comments and text. Interprets none of it and keeps no state.

/// Most attributes of a tag that are read.
const MAX_ATTRIBUTES: usize = 32;

/// A part of HTML.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    /// Text between tags, as written.
    Text(&'a str),
    /// A start tag.
    Open(Tag<'a>),
    /// An end tag, by its name in lower case.
    Close(String),
    /// A comment, a declaration or an instruction, with its delimiters.
    Hidden(&'a str),
}

/// A start tag.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Tag<'a> {
    /// Name in lower case.
    pub(super) name: String,
    /// The whole tag, as written.
    pub(super) source: &'a str,
    attributes: Vec<(String, String)>,
}

impl Tag<'_> {
    /// Returns the value of an attribute, with its entities decoded.
    pub(super) fn attribute(&self, name: &str) -> Option<&str> {
        self.attributes.iter().find(|(known, _)| known == name).map(|(_, value)| value.as_str())
    }
}

/// Splits HTML, in one pass.
pub(super) struct Tokens<'a> {
    rest: &'a str,
}

impl<'a> Tokens<'a> {
    pub(super) fn of(html: &'a str) -> Tokens<'a> {
        Tokens { rest: html }
    }

    /// Takes everything up to and including the end tag of `name`, and returns it without the tag.
    pub(super) fn until_end(&mut self, name: &str) -> &'a str {
        let all = self.rest;
        for (at, _) in all.match_indices("</") {
            let behind = &all[at + 2..];
            let is_it = behind.get(..name.len()).is_some_and(|it| it.eq_ignore_ascii_case(name))
                && !behind[name.len()..].starts_with(|c: char| c.is_ascii_alphanumeric());
            if is_it {
                let end = behind.find('>').map_or(all.len(), |end| at + 2 + end + 1);
                self.rest = &all[end..];
                return &all[..at];
            }
        }
        self.rest = "";
        all
    }
}

impl<'a> Iterator for Tokens<'a> {
    type Item = Token<'a>;

    fn next(&mut self) -> Option<Token<'a>> {
        let all = self.rest;
        if all.is_empty() {
            return None;
        }
        if let Some((token, length)) = markup(all) {
            self.rest = &all[length..];
            return Some(token);
        }
        // The next position where markup may begin; markup without an end is text.
        let mut from = all.chars().next().map_or(1, char::len_utf8);
        let end = loop {
            match all.get(from..).and_then(|rest| rest.find('<')) {
                None => break all.len(),
                Some(at) if begins(&all[from + at..]) => break from + at,
                Some(at) => from += at + 1,
            }
        };
        let end = if begins(all) { all.len() } else { end };
        self.rest = &all[end..];
        Some(Token::Text(&all[..end]))
    }
}

/// Returns `true` if markup may begin here.
fn begins(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next() == Some(b'<')
        && match bytes.next() {
            Some(b'/') => bytes.next().is_some_and(|b| b.is_ascii_alphabetic()),
            Some(b'!' | b'?') => true,
            Some(b) => b.is_ascii_alphabetic(),
            None => false,
        }
}

/// Returns the markup at the beginning of a text, and its length. `None` if it is text, or has no end.
fn markup(text: &str) -> Option<(Token<'_>, usize)> {
    if !begins(text) {
        return None;
    }
    let hidden = |end: &str, from: usize| {
        let length = from + text.get(from..)?.find(end)? + end.len();
        Some((Token::Hidden(&text[..length]), length))
    };
    match text.as_bytes().get(1)? {
        b'!' if text.starts_with("<!--") => match text {
            // Two forms of an empty comment.
            _ if text.starts_with("<!-->") => Some((Token::Hidden(&text[..5]), 5)),
            _ if text.starts_with("<!--->") => Some((Token::Hidden(&text[..6]), 6)),
            _ => hidden("-->", 4),
        },
        b'!' if text.starts_with("<![CDATA[") => hidden("]]>", 9),
        b'!' => hidden(">", 2),
        b'?' => hidden("?>", 2),
        b'/' => {
            let end = text.find('>')?;
            let name = text[2..end].split(|c: char| c.is_ascii_whitespace() || c == '/').next()?;
            Some((Token::Close(name.to_ascii_lowercase()), end + 1))
        }
        _ => open(text),
    }
}

fn open(text: &str) -> Option<(Token<'_>, usize)> {
    let is_end = |c: char| c.is_ascii_whitespace() || matches!(c, '>' | '/');
    let name_end = text[1..].find(is_end)? + 1;
    let mut attributes = Vec::new();
    let mut at = name_end;
    loop {
        let rest = &text[at..];
        let skipped = rest.find(|c: char| !c.is_ascii_whitespace() && c != '/')?;
        at += skipped;
        let rest = &text[at..];
        if rest.starts_with('>') {
            at += 1;
            break;
        }
        // At least one character, so that this makes progress.
        let first = rest.chars().next()?.len_utf8();
        let name_length =
            first + rest[first..].find(|c: char| c.is_ascii_whitespace() || "=/>".contains(c))?;
        let name = rest[..name_length].to_ascii_lowercase();
        let behind = rest[name_length..].trim_ascii_start();
        let mut value = String::new();
        at = text.len() - behind.len();
        if let Some(given) = behind.strip_prefix('=') {
            let given = given.trim_ascii_start();
            let (raw, behind) = match given.chars().next()? {
                quote @ ('"' | '\'') => given[1..].split_once(quote)?,
                _ => {
                    let end = given.find(|c: char| c.is_ascii_whitespace() || c == '>')?;
                    given.split_at(end)
                }
            };
            value = decoded(raw);
            at = text.len() - behind.len();
        }
        if attributes.len() < MAX_ATTRIBUTES {
            attributes.push((name, value));
        }
    }
    let name = text[1..name_end].to_ascii_lowercase();
    Some((Token::Open(Tag { name, source: &text[..at], attributes }), at))
}

/// Decodes entities, such as `&amp;`.
pub(super) fn decoded(text: &str) -> String {
    /// The longest name of an entity has 31 letters.
    const LONGEST: usize = 34;

    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let is_part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'#';
        let length = 1 + rest.bytes().skip(1).take(LONGEST).take_while(is_part).count();
        let entity = rest.get(..length + 1).filter(|it| length > 1 && it.ends_with(';'));
        match entity.and_then(entity_of) {
            Some(meant) => {
                out.push_str(&meant);
                rest = &rest[length + 1..];
            }
            None => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

/// Returns the text of an entity. The Markdown parser knows all of them.
fn entity_of(entity: &str) -> Option<String> {
    let mut text = None;
    for event in pulldown_cmark::Parser::new(entity) {
        if let pulldown_cmark::Event::Text(found) = event {
            text = Some(found.into_string());
        }
    }
    text.filter(|text| text != entity)
}

/// Returns `true` for `<!-- pagebreak -->`.
pub(super) fn is_page_break_comment(html: &str) -> bool {
    let comment = html.trim().strip_prefix("<!--").and_then(|html| html.strip_suffix("-->"));
    comment.is_some_and(|comment| {
        ["pagebreak", "page-break", "newpage"]
            .iter()
            .any(|word| comment.trim().eq_ignore_ascii_case(word))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(html: &str) -> String {
        let tokens = Tokens::of(html).map(|token| match token {
            Token::Text(text) => format!("[{}]", decoded(text)),
            Token::Open(tag) => {
                let attributes =
                    tag.attributes.iter().map(|(name, value)| format!(" {name}={value}"));
                format!("<{}{}>", tag.name, attributes.collect::<String>())
            }
            Token::Close(name) => format!("</{name}>"),
            Token::Hidden(_) => "-".to_owned(),
        });
        tokens.collect()
    }

    #[test]
    fn html_is_taken_apart() {
        for (html, expected) in [
            ("a<B>b</B >c", "[a]<b>[b]</b>[c]"),
            ("<img src='a b.png' ALT=\"x > y\" hidden/>", "<img src=a b.png alt=x > y hidden=>"),
            ("<a href=https://a.test/x?y=1&amp;z>k</a>", "<a href=https://a.test/x?y=1&z>[k]</a>"),
            ("1 < 2 & 3 &lt; 4 &nosuch; &#x4e2d;", "[1 < 2 & 3 < 4 &nosuch; 中]"),
            ("<!-- a > b --><!--><?php x ?><!DOCTYPE html>c", "----[c]"),
            ("<a href=\"never closed", "[<a href=\"never closed]"),
            ("<<b>>", "[<]<b>[>]"),
            ("<br/><br / >", "<br><br>"),
            ("<!-- never closed", "[<!-- never closed]"),
            ("< b", "[< b]"),
            ("<", "[<]"),
            ("</", "[</]"),
            ("é<é>", "[é<é>]"),
            ("中<b>文</b>", "[中]<b>[文]</b>"),
        ] {
            assert_eq!(shown(html), expected, "{html}");
        }
    }

    #[test]
    fn any_text_is_taken_apart_in_time() {
        let started = std::time::Instant::now();
        for part in
            ["<a \"", "<", "<a b='", "</a ", "<!--", "&", "<a =", "<![CDATA[", "<?", "&#", "<a\n"]
        {
            let html = part.repeat(200_000);
            Tokens::of(&html).for_each(drop);
            decoded(&html);
        }
        let mut tokens = Tokens::of("<script>");
        tokens.next();
        assert_eq!(tokens.until_end("script"), "");
        assert!(started.elapsed() < std::time::Duration::from_secs(10), "{:?}", started.elapsed());
    }
}
