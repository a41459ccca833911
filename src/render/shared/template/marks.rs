//! Marks: text between `{{` and `}}`.

use std::collections::BTreeMap;

use super::format;

/// Most characters of a name, and of a name with its format.
const MAX_NAME: usize = 100;
const MAX_MARK: usize = 400;

/// Name of the end of a part with a condition.
pub(crate) const IF: &str = "if";

/// A mark in a text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Mark<'t> {
    /// `{{name}}`: a value; `{{name|0.00}}`: a value in this format.
    Value(&'t str),
    /// `{{#name}}`: begins a part that is repeated for each item, or written if the value is true.
    Begin(&'t str),
    /// `{{^name}}`: begins a part for the case without items or with a false value.
    Unless(&'t str),
    /// `{{/name}}`: ends a part.
    End(&'t str),
    /// `{{#if total > 1000}}`: begins a part that is written if the condition holds, to `{{/if}}`.
    If(&'t str),
    /// `{{#else}}`, `{{#else if total > 100}}`: begins what is written otherwise.
    Else(Option<&'t str>),
}

/// A mark and its range, in bytes.
#[derive(Clone, Debug)]
pub(crate) struct MarkSpan<'t> {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) mark: Mark<'t>,
}

/// Returns the marks of a text, in order.
pub(crate) fn marks(text: &str) -> Vec<MarkSpan<'_>> {
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
    let condition = (sign == Some('#')).then(|| condition(name)).flatten();
    let is_calculated = condition.is_some() || (sign.is_none() && is_expression(alone));
    let most = if is_calculated { MAX_MARK } else { MAX_NAME };
    if alone.is_empty() || alone.chars().count() > most || name.chars().count() > MAX_MARK {
        return None;
    }
    if let Some(mark) = condition {
        return Some(mark);
    }
    Some(match sign {
        Some('#') => Mark::Begin(name),
        Some('^') => Mark::Unless(name),
        Some(_) => Mark::End(name),
        None => Mark::Value(name),
    })
}

/// Returns the mark of a part with a condition: `if …`, `else`, `else if …`.
fn condition(name: &str) -> Option<Mark<'_>> {
    let behind_if = |text: &str| -> Option<usize> {
        let rest = text.strip_prefix("if")?;
        let inner = rest.trim_start();
        let is_apart = rest.starts_with(['(', '"', '[']) || inner.len() < rest.len();
        (is_apart && !inner.is_empty()).then(|| text.len() - inner.len())
    };
    if let Some(at) = behind_if(name) {
        return Some(Mark::If(&name[at..]));
    }
    let rest = name.strip_prefix("else")?;
    let inner = rest.trim_start();
    match (inner.is_empty(), inner.len() < rest.len()) {
        (true, _) => Some(Mark::Else(None)),
        (false, true) => behind_if(inner).map(|at| Mark::Else(Some(&inner[at..]))),
        (false, false) => None,
    }
}

/// Returns `true` if a text calculates, unless a value has it as its name.
pub(crate) fn is_expression(text: &str) -> bool {
    // Other programs begin marks of pictures and documents with these.
    if text.starts_with(['+', '*', '@', '?', '%', '~']) {
        return false;
    }
    text.contains(['+', '*', '/', '(', '<', '>', '=', '[', '≤', '≥', '≠']) && !text.ends_with(".*")
        || text.contains(" - ")
        || text.starts_with('-')
}

/// Returns the mark of a text that consists of one mark.
pub(crate) fn alone(text: &str) -> Option<Mark<'_>> {
    let text = text.trim();
    match marks(text).into_iter().next() {
        Some(span) if span.start == 0 && span.end == text.len() => Some(span.mark),
        _ => None,
    }
}

/// The end of a part, and the `{{#else}}` between, as indices of marks.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) end: usize,
    pub(crate) elses: Vec<usize>,
}

/// The index of a beginning, and those of the `{{#else}}` behind it.
type Opened = (usize, Vec<usize>);

/// Returns the extent of each part. A beginning belongs to the next unused end of the same name and `kind`.
pub(crate) fn extents<'t, K: Copy + Ord>(
    marks: impl Iterator<Item = (usize, Mark<'t>, K)>,
) -> BTreeMap<usize, Extent> {
    let mut open: BTreeMap<(&str, K), Vec<Opened>> = BTreeMap::new();
    let mut extents = BTreeMap::new();
    for (index, mark, kind) in marks {
        match mark {
            Mark::Begin(name) | Mark::Unless(name) => {
                open.entry((name, kind)).or_default().push((index, Vec::new()));
            }
            Mark::If(_) => open.entry((IF, kind)).or_default().push((index, Vec::new())),
            Mark::Else(_) => {
                let innermost = open.get_mut(&(IF, kind)).and_then(|open| open.last_mut());
                if let Some((_, elses)) = innermost {
                    elses.push(index);
                }
            }
            Mark::End(name) => {
                let begin = open.get_mut(&(name, kind)).and_then(Vec::pop);
                extents.extend(begin.map(|(begin, elses)| (begin, Extent { end: index, elses })));
            }
            Mark::Value(_) => {}
        }
    }
    extents
}

/// Returns the beginning of text that looks like a mark but is none.
pub(crate) fn almost(text: &str) -> Option<&str> {
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
    fn conditions_have_marks_of_their_own() {
        for (text, expected) in [
            ("{{#if a > 1}}", Mark::If("a > 1")),
            ("{{#if(a)}}", Mark::If("(a)")),
            ("{{# else }}", Mark::Else(None)),
            ("{{#else if b}}", Mark::Else(Some("b"))),
            ("{{#iffy}}", Mark::Begin("iffy")),
            ("{{#elsewhere}}", Mark::Begin("elsewhere")),
            ("{{/if}}", Mark::End("if")),
        ] {
            assert_eq!(alone(text), Some(expected), "{text}");
        }
        for (text, expected) in [
            ("a * b", true),
            ("sum(a)", true),
            ("a - b", true),
            ("a-b", false),
            ("2024", false),
            ("+annex", false),
            ("months.*", false),
            ("甲方.名称", false),
        ] {
            assert_eq!(is_expression(text), expected, "{text}");
        }
        let long = format!("{{{{{}}}}}", vec!["abc"; 60].join(" + "));
        assert_eq!(marks(&long).len(), 1);
        assert!(marks(&format!("{{{{{}}}}}", vec!["abc"; 90].join(" + "))).is_empty());
    }

    #[test]
    fn parts_end_at_their_own_end() {
        let of = |text| {
            let all = marks(text);
            extents(all.iter().enumerate().map(|(index, it)| (index, it.mark.clone(), ())))
        };
        let extent = |end, elses: &[usize]| Extent { end, elses: elses.to_vec() };
        let none: &[usize] = &[];
        assert_eq!(
            of("{{#a}}{{#b}}{{#a}}{{/a}}{{/b}}{{/a}}{{#c}}"),
            [(0, extent(5, none)), (1, extent(4, none)), (2, extent(3, none))].into()
        );
        assert_eq!(
            of("{{#if a}}{{#if b}}{{#else}}{{/if}}{{#else if c}}{{#else}}{{/if}}"),
            [(0, extent(6, &[4, 5])), (1, extent(3, &[2]))].into()
        );
    }
}
