//! The parts of a document: headings of its Markdown, and places from its reader.

use crate::bindings::exports::mitt::document_tool::tools::{Entry, Parts};
use mitt_guest::tables::wit::types::Place;

/// Most entries, because a model pays for each.
const MAX_ENTRIES: usize = 200;
/// Most characters of a heading.
const MAX_TITLE: usize = 120;
/// Characters between entries of a text without headings and places.
const STEP: u64 = 20_000;

/// A heading, and its offset in characters.
pub(crate) struct Heading<'a> {
    pub(crate) level: u8,
    pub(crate) title: &'a str,
    pub(crate) offset: u64,
}

/// Returns the ATX headings of a Markdown text, except those in fenced code.
pub(crate) fn headings(text: &str) -> impl Iterator<Item = Heading<'_>> {
    let (mut offset, mut fence) = (0_u64, None);
    text.split_inclusive('\n').filter_map(move |line| {
        let at = offset;
        offset += line.chars().count() as u64;
        let trimmed = line.trim_start_matches(' ');
        if line.len() - trimmed.len() > 3 {
            return None;
        }
        if let Some(mark) = fence_mark(trimmed) {
            fence = match fence {
                None => Some(mark),
                Some(open) if open == mark => None,
                open => open,
            };
            return None;
        }
        if fence.is_some() {
            return None;
        }
        let title = trimmed.trim_start_matches('#');
        let level = u8::try_from(trimmed.len() - title.len()).ok()?;
        let title = title.strip_prefix([' ', '\t'])?.trim().trim_end_matches('#').trim_end();
        ((1..=6).contains(&level) && !title.is_empty()).then_some(Heading {
            level,
            title,
            offset: at,
        })
    })
}

/// Returns the character of a line that opens or closes code.
pub(crate) fn fence_mark(line: &str) -> Option<char> {
    ['`', '~'].into_iter().find(|mark| line.chars().take_while(|it| it == mark).count() >= 3)
}

/// Returns headings and places in order. If there are too many, it drops the lowest headings, then thins out the rest.
pub(crate) fn outline(text: &str, places: &[Place]) -> Parts {
    let total = text.chars().count() as u64;
    let mut entries: Vec<Entry> = headings(text)
        .map(|it| Entry { title: cut(it.title), level: it.level, offset: it.offset })
        .collect();
    entries.extend(places.iter().map(|it| Entry {
        title: cut(&it.label),
        level: 0,
        offset: it.offset,
    }));
    // A page comes before the heading at its beginning.
    entries.sort_by_key(|entry| (entry.offset, entry.level));
    let mut left_out = None;
    for level in (2..=6).rev() {
        if entries.len() <= MAX_ENTRIES {
            break;
        }
        let before = entries.len();
        entries.retain(|entry| entry.level < level);
        if entries.len() < before {
            left_out = Some(format!("headings of level {level} and below"));
        }
    }
    if entries.len() > MAX_ENTRIES {
        // Keep every n-th entry, so that the whole document stays reachable.
        let each = entries.len().div_ceil(MAX_ENTRIES);
        let n_all = entries.len();
        let mut at = 0;
        entries.retain(|_| {
            at += 1;
            (at - 1) % each == 0
        });
        left_out = Some(format!("{} of {n_all} headings and places", n_all - entries.len()));
    }
    if entries.is_empty() && total > STEP {
        left_out = Some(format!(
            "the text has no headings: read it in steps of {STEP} characters, or search it"
        ));
    }
    Parts { entries, total, left_out }
}

fn cut(title: &str) -> String {
    match title.char_indices().nth(MAX_TITLE) {
        Some((at, _)) => format!("{}…", &title[..at]),
        None => title.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(offset: u64, label: &str) -> Place {
        Place { offset, label: label.to_owned() }
    }

    fn shown(parts: &Parts) -> String {
        let line = |it: &Entry| format!("{} {} {}", it.offset, it.level, it.title);
        parts.entries.iter().map(line).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn headings_and_pages_stand_in_order() {
        let text = "# 年报\n\nfirst\n## Revenue ##\n#hash\n```\n# code\n```\n    # code\n####### seven\n###### six\n";
        let parts = outline(text, &[place(0, "page 1"), place(12, "page 2")]);
        assert_eq!(shown(&parts), "0 0 page 1; 0 1 年报; 12 0 page 2; 12 2 Revenue; 72 6 six");
        assert_eq!((parts.total, parts.left_out), (83, None));
    }

    #[test]
    fn what_is_too_much_is_left_out_and_told() {
        let text: String = (0..400).map(|n| format!("# {n}\n### deep\n")).collect();
        let parts = outline(&text, &[]);
        assert!(parts.entries.len() <= MAX_ENTRIES && parts.entries.iter().all(|it| it.level == 1));
        assert_eq!(parts.left_out.as_deref(), Some("200 of 400 headings and places"));
        let few: String = (0..200).map(|n| format!("# {n}\n### deep\n")).collect();
        let parts = outline(&few, &[]);
        assert_eq!(
            (parts.entries.len(), parts.left_out.as_deref()),
            (200, Some("headings of level 3 and below"))
        );
        let plain = outline(&"word ".repeat(5_000), &[]);
        assert!(plain.entries.is_empty() && plain.left_out.unwrap().contains("steps of 20000"));
    }
}
