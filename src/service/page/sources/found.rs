//! The places that were found: a bounded number, in the order of their worth.

use schemars::JsonSchema;
use serde::Serialize;

use mitt_base::text::{cut_chars, single_line};
use mitt_base::written_number::Likeness;

/// Most places of a response.
pub(super) const MOST_MATCHES: usize = 20;

/// Most places in one document, file or call, so that one of them does not take all.
pub(super) const MOST_OF_ONE: usize = 10;

/// Bytes of a text that are shown before and behind a place.
const EXCERPT_BYTES: usize = 120;

/// Most characters of each text in the excerpt of a cell.
const MAX_CELL_CHARACTERS: u64 = 80;

/// Kind of a source.
#[derive(Clone, Copy, Debug, JsonSchema, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum SourceKind {
    /// A document of the run.
    Document,
    /// A file that the run delivered.
    File,
    /// A call of a tool: its arguments or its result.
    Call,
}

/// A place that holds the value.
#[derive(Clone, Debug, JsonSchema, PartialEq, Eq, Serialize)]
pub(super) struct SourceMatch {
    /// Kind of the source.
    pub(super) kind: SourceKind,
    /// Name of the document or file; name of the tool for a call.
    pub(super) name: String,
    /// The place for people, such as `Sheet1!B7`, `page 3`, or `result` for a call.
    pub(super) label: String,
    /// Number of the sheet, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) sheet: Option<u64>,
    /// Row in the sheet, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) row: Option<u64>,
    /// Column in the sheet, from 0.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) column: Option<u64>,
    /// Page, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) page: Option<u64>,
    /// Place in the text of the document, in characters.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) offset: Option<u64>,
    /// The value with what stands around it.
    pub(super) excerpt: String,
    /// Identifier of the call, as in the events of the run.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) call: Option<String>,
    /// `true` if the source has this value; `false` if it is the value before rounding, with another sign, or in another case.
    pub(super) is_exact: bool,
}

impl SourceMatch {
    /// Returns a match without a place.
    pub(super) fn new(kind: SourceKind, name: &str, likeness: Likeness) -> SourceMatch {
        SourceMatch {
            kind,
            name: name.to_owned(),
            label: String::new(),
            sheet: None,
            row: None,
            column: None,
            page: None,
            offset: None,
            excerpt: String::new(),
            call: None,
            is_exact: likeness == Likeness::Exact,
        }
    }
}

/// The places that were found so far.
#[derive(Debug, Default)]
pub(super) struct Found {
    exact: Vec<SourceMatch>,
    others: Vec<SourceMatch>,
    /// `true` if something was left out or not looked at.
    pub(super) has_more: bool,
}

impl Found {
    /// Returns `true` if a further place of this likeness would be kept, where at most `most` are. Otherwise notes that there are
    /// more.
    pub(super) fn wants(&mut self, likeness: Likeness, most: usize) -> bool {
        let kept = match likeness {
            Likeness::Exact => &self.exact,
            Likeness::Rounded => &self.others,
        };
        let is_wanted = kept.len() < most;
        self.has_more |= !is_wanted;
        is_wanted
    }

    /// Adds a place.
    pub(super) fn add(&mut self, found: SourceMatch) {
        if found.is_exact { self.exact.push(found) } else { self.others.push(found) }
    }

    /// Returns `true` if no further place of any kind would be shown.
    pub(super) fn is_full(&self, most: usize) -> bool {
        self.exact.len() >= most
    }

    /// Adds the places of one source, as many as there is room for.
    pub(super) fn append(&mut self, other: Found) {
        self.has_more |= other.has_more;
        for found in other.exact.into_iter().chain(other.others) {
            let likeness = if found.is_exact { Likeness::Exact } else { Likeness::Rounded };
            if self.wants(likeness, MOST_MATCHES) {
                self.add(found);
            }
        }
    }

    /// Returns the best places, and `true` if there are more.
    pub(super) fn into_best(self) -> (Vec<SourceMatch>, bool) {
        let mut all = self.exact;
        all.extend(self.others);
        let has_more = self.has_more || all.len() > MOST_MATCHES;
        all.truncate(MOST_MATCHES);
        (all, has_more)
    }
}

/// Returns a text on one line, cut where it is long.
pub(super) fn shortened(text: &str) -> String {
    let line = single_line(text);
    match cut_chars(&line, MAX_CELL_CHARACTERS) {
        (cut, true) => format!("{cut}…"),
        (whole, false) => whole.to_owned(),
    }
}

/// Returns a part of a text with what stands around it, on one line.
pub(super) fn excerpt(text: &str, range: &std::ops::Range<usize>) -> String {
    let start = text.floor_char_boundary(range.start.saturating_sub(EXCERPT_BYTES));
    let end = text.floor_char_boundary(range.end.saturating_add(EXCERPT_BYTES).min(text.len()));
    let shown = single_line(text.get(start..end).unwrap_or_default());
    let before = if start > 0 { "…" } else { "" };
    let behind = if end < text.len() { "…" } else { "" };
    format!("{before}{shown}{behind}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(count: usize, likeness: Likeness, name: &str) -> Found {
        let mut found = Found::default();
        for _ in 0..count {
            if found.wants(likeness, MOST_OF_ONE) {
                found.add(SourceMatch::new(SourceKind::File, name, likeness));
            }
        }
        found
    }

    #[test]
    fn exact_places_come_first_and_their_number_is_bounded() {
        let mut all = Found::default();
        all.append(found(3, Likeness::Rounded, "a"));
        all.append(found(2, Likeness::Exact, "b"));
        let (best, has_more) = all.into_best();
        let names: Vec<_> = best.iter().map(|it| it.name.as_str()).collect();
        assert_eq!((names, has_more), (vec!["b", "b", "a", "a", "a"], false));

        let one = found(MOST_OF_ONE + 1, Likeness::Exact, "a");
        assert!(one.has_more && one.is_full(MOST_OF_ONE));
        let mut all = Found::default();
        for _ in 0..3 {
            all.append(found(MOST_OF_ONE, Likeness::Exact, "a"));
        }
        assert!(all.is_full(MOST_MATCHES));
        all.append(found(1, Likeness::Rounded, "b"));
        let (best, has_more) = all.into_best();
        assert_eq!((best.len(), has_more), (MOST_MATCHES, true));
        assert!(best.iter().all(|it| it.is_exact));
    }

    #[test]
    fn an_excerpt_is_one_line_around_its_place() {
        assert_eq!(excerpt("a\n 12 \nb", &(3..5)), "a 12 b");
        let long = format!("{}12{}", "年".repeat(100), "x".repeat(200));
        let shown = excerpt(&long, &(300..302));
        assert!(shown.starts_with("…年") && shown.ends_with("x…") && shown.contains("12"));
        assert!(shown.len() < 2 * EXCERPT_BYTES + 20, "{shown}");
    }
}
