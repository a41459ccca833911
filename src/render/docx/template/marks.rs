//! Marks: text between `{{` and `}}`.

use std::collections::BTreeMap;

use super::format;

/// Most characters of a name, and of a name with its format.
const MAX_NAME: usize = 100;
const MAX_MARK: usize = 400;

/// A mark in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Mark<'t> {
    /// `{{name}}`: a value; `{{name|0.00}}`: a value in this format.
    Value(&'t str),
    /// `{{#name}}`: begins a part that is repeated for each item, or written if the value is true.
    Begin(&'t str),
    /// `{{^name}}`: begins a part for the case without items or with a false value.
    Unless(&'t str),
    /// `{{/name}}`: ends a part.
    End(&'t str),
}

/// A mark and its range, in bytes.
#[derive(Clone, Debug)]
pub(super) struct MarkSpan<'t> {
    pub(super) start: usize,
    pub(super) end: usize,
    pub(super) mark: Mark<'t>,
}

/// Returns the marks of a text, in order.
pub(super) fn marks(text: &str) -> Vec<MarkSpan<'_>> {
    let mut spans = Vec::new();
    let mut at = 0;
    while let Some(open) = text.get(at..).and_then(|rest| rest.find("{{")).map(|open| at + open) {
        let inner = &text[open + 2..];
        let end = inner.find(['{', '}', '\n']).filter(|end| inner[*end..].starts_with("}}"));
        let mark = end.and_then(|end| Some((mark(&inner[..end])?, open + 2 + end + 2)));
        match mark {
            Some((mark, end)) => {
                spans.push(MarkSpan { start: open, end, mark });
                at = end;
            }
            // `{{{a}}` is a brace and a mark.
            None => at = open + 1,
        }
    }
    spans
}

fn mark(inner: &str) -> Option<Mark<'_>> {
    let inner = inner.trim();
    let (sign, name) = match inner.chars().next()? {
        sign @ ('#' | '^' | '/') => (Some(sign), inner[1..].trim()),
        _ => (None, inner),
    };
    let alone = if sign.is_none() { format::split(name).0 } else { name };
    if alone.is_empty() || alone.chars().count() > MAX_NAME || name.chars().count() > MAX_MARK {
        return None;
    }
    Some(match sign {
        Some('#') => Mark::Begin(name),
        Some('^') => Mark::Unless(name),
        Some(_) => Mark::End(name),
        None => Mark::Value(name),
    })
}

/// Returns the mark of a text that consists of one mark.
pub(super) fn alone(text: &str) -> Option<Mark<'_>> {
    let text = text.trim();
    match marks(text).into_iter().next() {
        Some(span) if span.start == 0 && span.end == text.len() => Some(span.mark),
        _ => None,
    }
}

/// Returns for each beginning of a part the index of its end: the next unused one of the same name.
pub(super) fn ends(marks: &[MarkSpan<'_>]) -> BTreeMap<usize, usize> {
    let mut open: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    let mut ends = BTreeMap::new();
    for (index, span) in marks.iter().enumerate() {
        match span.mark {
            Mark::Begin(name) | Mark::Unless(name) => open.entry(name).or_default().push(index),
            Mark::End(name) => {
                let begin = open.get_mut(name).and_then(Vec::pop);
                ends.extend(begin.map(|begin| (begin, index)));
            }
            Mark::Value(_) => {}
        }
    }
    ends
}

/// Returns the beginning of text that looks like a mark but is none.
pub(super) fn almost(text: &str) -> Option<&str> {
    let last = marks(text).iter().map(|span| span.end).max().unwrap_or(0);
    let start = text.get(last..).and_then(|rest| rest.find("{{")).map(|at| last + at);
    let start = start.or_else(|| text.find("｛｛"))?;
    Some(mitt_base::text::cut_chars(&text[start..], 30).0)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Vec<(usize, usize, String)> {
        let spans = marks(text).into_iter();
        spans.map(|it| (it.start, it.end, format!("{:?}", it.mark))).collect()
    }

    #[test]
    fn marks_are_found_where_they_stand() {
        insta::assert_debug_snapshot!(of("a{{ 甲方.名称 }}b{{#x}}{{^ y}}{{/x }}{{{z}}}"), @r#"
        [
            (
                1,
                20,
                "Value(\"甲方.名称\")",
            ),
            (
                21,
                27,
                "Begin(\"x\")",
            ),
            (
                27,
                34,
                "Unless(\"y\")",
            ),
            (
                34,
                41,
                "End(\"x\")",
            ),
            (
                42,
                47,
                "Value(\"z\")",
            ),
        ]
        "#);
        for text in ["{{}}", "{{ }}", "{{a", "{a}", "{{a\nb}}", "{{a}b}}", "}}{{", "{{#}}"] {
            assert!(marks(text).is_empty(), "{text}");
        }
        assert!(marks(&format!("{{{{{}}}}}", "x".repeat(101))).is_empty());
        assert_eq!(alone(" {{#a}} "), Some(Mark::Begin("a")));
        assert_eq!((alone("{{a}}b"), alone("{{a}}{{b}}"), alone("")), (None, None, None));
        assert_eq!(
            (almost("{{a}} {{b"), almost("｛｛a｝｝"), almost("{{a}}")),
            (Some("{{b"), Some("｛｛a｝｝"), None)
        );
        let long = "{{".repeat(100_000);
        assert!(marks(&long).is_empty());
    }

    #[test]
    fn parts_end_at_their_own_end() {
        let all = marks("{{#a}}{{#b}}{{#a}}{{/a}}{{/b}}{{/a}}{{#c}}");
        assert_eq!(ends(&all), [(0, 5), (1, 4), (2, 3)].into());
    }
}
