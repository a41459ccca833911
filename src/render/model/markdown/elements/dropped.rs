//! Collects what is left out of HTML, by name and line.

use std::collections::BTreeMap;

use super::Elements;
use crate::model::markdown::html;

/// Most names in a warning.
const MAX_LISTED: usize = 8;

/// Elements that were left out: count, and line of the first.
#[derive(Default)]
pub(super) struct Dropped {
    tags: BTreeMap<String, (usize, usize)>,
    looks: BTreeMap<&'static str, (usize, usize)>,
}

impl Elements<'_> {
    /// Returns what was left out, one sentence for each kind.
    pub(in crate::model::markdown) fn warnings(self) -> Vec<String> {
        let listed = |all: Vec<(String, (usize, usize))>| {
            let more = all.len().saturating_sub(MAX_LISTED);
            let named = all.into_iter().take(MAX_LISTED).map(|(name, (times, line))| match times {
                1 => format!("{name} (line {line})"),
                _ => format!("{name} ({times} times, first in line {line})"),
            });
            let mut text = named.collect::<Vec<_>>().join(", ");
            if more > 0 {
                text.push_str(&format!(", and {more} more kinds"));
            }
            text
        };
        let mut warnings = Vec::new();
        if !self.dropped.tags.is_empty() {
            let tags =
                self.dropped.tags.into_iter().map(|(name, found)| (format!("`<{name}>`"), found));
            let tags = listed(tags.collect());
            warnings.push(format!("HTML elements are left out, and their text is kept: {tags}"));
        }
        if !self.dropped.looks.is_empty() {
            let looks =
                self.dropped.looks.into_iter().map(|(name, found)| (name.to_owned(), found));
            let looks = listed(looks.collect());
            warnings.push(format!("something of how HTML should look is left out: {looks}"));
        }
        warnings
    }

    /// Records formatting of an element that no format here shows.
    pub(super) fn lost_looks(&mut self, tag: &html::Tag<'_>) {
        let is_image = tag.name == "img";
        let is_cell = matches!(tag.name.as_str(), "td" | "th" | "table");
        for (name, shown, is_lost) in [
            ("align", "`align`", !is_cell),
            ("style", "`style`", true),
            ("width", "`width` of pictures", is_image),
            ("height", "`height` of pictures", is_image),
        ] {
            if is_lost && tag.attribute(name).is_some() {
                self.dropped.look(shown, self.line);
            }
        }
    }
}

impl Dropped {
    pub(super) fn tag(&mut self, name: &str, line: usize) {
        /// Most names that are counted; a hostile text has many.
        const MOST: usize = 1_000;
        if self.tags.len() < MOST || self.tags.contains_key(name) {
            let name: String = name.chars().take(40).collect();
            self.tags.entry(name).or_insert((0, line)).0 += 1;
        }
    }

    pub(super) fn look(&mut self, what: &'static str, line: usize) {
        self.looks.entry(what).or_insert((0, line)).0 += 1;
    }
}
