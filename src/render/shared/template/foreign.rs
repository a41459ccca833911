//! Marks of other programs that fill templates: docxtemplater, poi-tl and docxtpl. They are not filled; a message names the form
//! that is.

use mitt_base::text;

/// Most characters of a mark of another program.
const MAX_TAG: usize = 120;

/// Returns what to write for the content of `{{…}}` that is a form of another program.
pub(crate) fn mark(name: &str) -> Option<String> {
    let name = name.trim();
    let shown = |rest: &str| text::one_line(text::cut_chars(rest.trim(), 60).0);
    if let Some(rest) = name.strip_prefix('@').filter(|rest| *rest != "number") {
        return Some(format!("a picture is `{{{{{}|picture}}}}` here", shown(rest)));
    }
    if let Some(rest) = name.strip_prefix('%') {
        return Some(format!("a picture is `{{{{{}|picture}}}}` here", shown(rest)));
    }
    if let Some(rest) = name.strip_prefix('+') {
        return Some(format!("another document is `{{{{{}|document}}}}` here", shown(rest)));
    }
    if let Some(rest) = name.strip_prefix('?') {
        let rest = shown(rest);
        return Some(format!("a part is `{{{{#{rest}}}}}` to `{{{{/{rest}}}}}` here"));
    }
    if let Some(rest) = name.strip_prefix(['*', '~']) {
        let rest = shown(rest);
        return Some(format!(
            "a list is a numbered paragraph between `{{{{#{rest}}}}}` and `{{{{/{rest}}}}}` here"
        ));
    }
    match name.split_whitespace().next() {
        Some("else" | "elseif" | "elif") => Some("write `{{#else}}` here".to_owned()),
        Some("endif") => Some("write `{{/if}}` here".to_owned()),
        Some("if" | "each" | "for" | "unless") => Some(
            "a part is `{{#if total > 0}}` to `{{/if}}`, or `{{#items}}` to `{{/items}}`, here"
                .to_owned(),
        ),
        Some("p" | "r" | "tr" | "tc") if name.contains(' ') => {
            Some("write the name alone, as in `{{name}}` or `{{name|markdown}}`, here".to_owned())
        }
        _ => None,
    }
}

/// A mark of another program, in single braces or with `%`.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Tag<'t> {
    /// The mark as it stands.
    pub(crate) source: &'t str,
    /// The name in it.
    pub(crate) name: &'t str,
    /// What to write for it.
    pub(crate) form: String,
    /// `true` if it has a sign of its program, so that it is hardly a text in braces.
    pub(crate) is_certain: bool,
}

/// Returns the marks of other programs in a text, at most `most`.
pub(crate) fn tags(full_text: &str, most: usize) -> Vec<Tag<'_>> {
    let mut tags = Vec::new();
    let mut at = 0;
    while let Some(open) = full_text.get(at..).and_then(|rest| rest.find('{')).map(|it| at + it) {
        at = open + 1;
        let inner = full_text.get(at..).unwrap_or_default();
        if tags.len() >= most {
            break;
        }
        if inner.starts_with('{') {
            // A mark of this program, or text.
            let Some(end) = inner.find("}}") else { break };
            at += end + 2;
            continue;
        }
        let Some(end) = inner.find(['{', '}', '\n']).filter(|end| inner[*end..].starts_with('}'))
        else {
            continue;
        };
        let content = &inner[..end];
        if content.chars().count() > MAX_TAG {
            continue;
        }
        let source = &full_text[open..at + end + 1];
        tags.extend(tag(source, content));
        at += end + 1;
    }
    tags
}

fn tag<'t>(source: &'t str, content: &'t str) -> Option<Tag<'t>> {
    if let Some(inner) = content.strip_prefix('%') {
        let inner = inner.strip_suffix('%').unwrap_or(inner).trim_start_matches('%').trim();
        let words: Vec<&str> = inner.split_whitespace().collect();
        // `tr`, `tc`, `p` and `r` before a word of Jinja concern the element around it.
        let words = match words.first() {
            Some(&("tr" | "tc" | "p" | "r")) => words.get(1..).unwrap_or_default(),
            _ => &words[..],
        };
        let (name, form) = match words {
            ["for", _, "in", list, ..] => {
                (*list, format!("`{{{{#{list}}}}}` to `{{{{/{list}}}}}`"))
            }
            ["if", rest @ ..] => ("", format!("`{{{{#if {}}}}}`", rest.join(" "))),
            ["else"] => ("", "`{{#else}}`".to_owned()),
            ["elif", rest @ ..] => ("", format!("`{{{{#else if {}}}}}`", rest.join(" "))),
            ["endif"] => ("", "`{{/if}}`".to_owned()),
            ["endfor"] => ("", "`{{/name}}` with the name of the list".to_owned()),
            [name] => (*name, format!("`{{{{{name}|picture}}}}`")),
            _ => return None,
        };
        let is_certain = content.ends_with('%') && words.len() != 1 || name.is_empty();
        return Some(Tag { source, name, form, is_certain });
    }
    let (sign, name) = match content.chars().next()? {
        sign @ ('#' | '/' | '^' | '@' | '-' | '$') => (Some(sign), content[1..].trim()),
        '~' => (Some('@'), content.trim_start_matches('~').trim()),
        _ => match content.strip_prefix(":include ") {
            Some(name) => (Some('+'), name.trim()),
            None => (None, content.trim()),
        },
    };
    let is_name = |c: char| c.is_alphanumeric() || "_.-".contains(c);
    if name.is_empty() || !name.chars().all(is_name) {
        return None;
    }
    let form = match sign {
        Some('@') => format!("`{{{{{name}|markdown}}}}`"),
        Some('+') => format!("`{{{{{name}|document}}}}`"),
        Some('$') => format!("`{{{{{name}|chart}}}}`"),
        Some('-') => format!("`{{{{#{name}}}}}`"),
        Some(sign) => format!("`{{{{{sign}{name}}}}}`"),
        None => format!("`{{{{{name}}}}}`"),
    };
    Some(Tag { source, name, form, is_certain: false })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_of_other_programs_are_known() {
        for (text, expected) in [
            ("{#loop}a{/loop}", &["`{{#loop}}`", "`{{/loop}}`"][..]),
            ("{%image}{%%image}", &["`{{image|picture}}`", "`{{image|picture}}`"]),
            (
                "{~~html}{@xml}{$data}{:include doc}",
                &[
                    "`{{html|markdown}}`",
                    "`{{xml|markdown}}`",
                    "`{{data|chart}}`",
                    "`{{doc|document}}`",
                ],
            ),
            (
                "{% for a in items %}{{ a }}{% endfor %}",
                &["`{{#items}}` to `{{/items}}`", "`{{/name}}` with the name of the list"],
            ),
            ("{%tr if a > 1 %}", &["`{{#if a > 1}}`"]),
            ("{name} {{a}} {", &["`{{name}}`"]),
            ("{a b} {\"x\": 1} {}", &[]),
        ] {
            let forms: Vec<String> = tags(text, 9).into_iter().map(|it| it.form).collect();
            assert_eq!(forms, expected, "{text}");
        }
        assert_eq!(tags("{a}{b}{c}", 2).len(), 2);
        assert_eq!(tags(&"{{".repeat(200_000), 2), []);
        for (name, expected) in [
            ("@logo", Some("a picture is `{{logo|picture}}` here")),
            ("+sub", Some("another document is `{{sub|document}}` here")),
            ("?a", Some("a part is `{{#a}}` to `{{/a}}` here")),
            ("else", Some("write `{{#else}}` here")),
            ("name", None),
        ] {
            assert_eq!(mark(name).as_deref(), expected, "{name}");
        }
    }
}
