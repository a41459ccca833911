//! The outline of a document for all formats: its title, the levels of its headings, their anchors.

use std::borrow::Cow;
use std::collections::HashMap;

use crate::model::doc::{Block, Doc, Inline, plain_text};

/// Most characters of an anchor.
const MAX_ANCHOR: usize = 100;

/// The outline of a document.
pub(crate) struct Outline<'a> {
    /// The title above the text: a first heading of level 1, or the title of the front matter.
    pub(crate) title: Option<Cow<'a, [Inline]>>,
    /// The blocks below the title.
    pub(crate) blocks: &'a [Block],
    /// Authors and date of the front matter, if its title is drawn or is the first heading.
    pub(crate) byline: Option<String>,
    /// Number of the first of `blocks`, counted from 1.
    pub(crate) first_number: usize,
    /// Number of levels by which all headings move up.
    shift: u8,
}

impl<'a> Outline<'a> {
    /// Finds the outline of a document. A first heading of level 1 is its title, unless the front matter has another one.
    /// The other headings move up so that the highest has level 1, where contents and bookmarks begin.
    pub(crate) fn of(doc: &'a Doc) -> Outline<'a> {
        let first = match doc.blocks.first() {
            Some(Block::Heading { level: 1, content }) => Some(&content[..]),
            _ => None,
        };
        let named = doc.meta.title.as_deref();
        let is_same = |content: &[Inline]| {
            named.is_none_or(|named| named.trim() == plain_text(content).trim())
        };
        let first = first.filter(|content| is_same(content));
        let blocks = doc.blocks.get(usize::from(first.is_some())..).unwrap_or_default();
        let title = first.map(Cow::Borrowed).or_else(|| {
            named.map(|named| Cow::Owned(vec![Inline::Text { text: named.to_owned() }]))
        });
        let levels = blocks.iter().filter_map(|block| match block {
            Block::Heading { level, .. } => Some(*level),
            _ => None,
        });
        let shift = levels.min().map_or(0, |highest| highest.saturating_sub(1));
        let byline: Vec<&str> =
            doc.meta.authors.iter().chain(&doc.meta.date).map(String::as_str).collect();
        Outline {
            title,
            blocks,
            byline: (!byline.is_empty()).then(|| byline.join(" · ")),
            first_number: 1 + usize::from(first.is_some()),
            shift,
        }
    }

    /// Returns the level with which a heading is drawn, from 1 to 6.
    pub(crate) fn level(&self, level: u8) -> u8 {
        level.saturating_sub(self.shift).clamp(1, 6)
    }

    /// Returns the entries of a table of contents with at most `levels` levels: level, index among all headings, and text.
    pub(crate) fn contents(&self, levels: u8) -> Vec<(u8, usize, String)> {
        let mut entries = Vec::new();
        let mut index = 0;
        headings(self.blocks, &mut |level, content| {
            let level = self.level(level);
            if level <= levels {
                entries.push((level, index, plain_text(content)));
            }
            index += 1;
        });
        entries
    }
}

/// Returns the title for the properties of a file: the caller's, or else that of the front matter, or else the first
/// heading.
pub(crate) fn title(doc: &Doc, asked: Option<&str>) -> Option<String> {
    let title = asked.map(str::to_owned).or_else(|| doc.meta.title.clone());
    title.or_else(|| doc.first_heading()).filter(|title| !title.trim().is_empty())
}

/// Anchors of all headings except those in footnotes, in the order of the text: letters and digits of any script in lower
/// case, joined by hyphens. Each is unique: a second one of the same name ends in `-1`. They equal GitHub's, which authors
/// use in links.
#[derive(Default)]
pub(crate) struct Anchors {
    names: Vec<String>,
    by_name: HashMap<String, usize>,
}

impl Anchors {
    pub(crate) fn of(outline: &Outline<'_>) -> Anchors {
        let mut anchors = Anchors::default();
        // If many headings are alike, the search for a free name begins behind the last one.
        let mut next: HashMap<String, usize> = HashMap::new();
        headings(outline.blocks, &mut |_, content| {
            let slug = slug(&plain_text(content));
            let mut name = slug.clone();
            let count = next.entry(slug.clone()).or_insert(0);
            while anchors.by_name.contains_key(&name) {
                *count += 1;
                name = format!("{slug}-{count}");
            }
            anchors.by_name.insert(name.clone(), anchors.names.len());
            anchors.names.push(name);
        });
        anchors
    }

    /// Returns their number.
    pub(crate) fn len(&self) -> usize {
        self.names.len()
    }

    /// Returns the anchor of the heading with this index.
    pub(crate) fn name(&self, index: usize) -> &str {
        self.names.get(index).map_or("", String::as_str)
    }

    /// Returns the heading to which a link of the form `#name` leads, which may have escapes or capital letters.
    pub(crate) fn find(&self, url: &str) -> Option<usize> {
        let name = url.strip_prefix('#')?;
        let known = |name: &str| self.by_name.get(name).copied();
        known(name).or_else(|| {
            let name = unescaped(name);
            known(&name).or_else(|| known(&slug(&name)))
        })
    }
}

/// Calls `visit` with level and text of each heading, in the order of the text.
fn headings<'a>(blocks: &'a [Block], visit: &mut dyn FnMut(u8, &'a [Inline])) {
    for block in blocks {
        match block {
            Block::Heading { level, content } => visit(*level, content),
            Block::Quote { blocks, .. } => headings(blocks, visit),
            Block::List(list) => list.items.iter().for_each(|item| headings(&item.blocks, visit)),
            _ => {}
        }
    }
}

/// Decodes escapes in a name, such as `%E4%B8%80`.
fn unescaped(name: &str) -> String {
    let mut bytes = Vec::with_capacity(name.len());
    let mut rest = name.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let escape = tail.get(..2).filter(|_| *first == b'%');
        let digits = escape.and_then(|two| std::str::from_utf8(two).ok());
        match digits.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = tail.get(2..).unwrap_or_default();
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8(bytes).unwrap_or_else(|_| name.to_owned())
}

fn slug(text: &str) -> String {
    let mut slug = String::new();
    for c in text.trim().chars().take(MAX_ANCHOR) {
        match c {
            _ if c.is_alphanumeric() => slug.extend(c.to_lowercase()),
            '-' | '_' => slug.push(c),
            _ if c.is_whitespace() => slug.push('-'),
            _ => {}
        }
    }
    if slug.is_empty() { "section".to_owned() } else { slug }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::markdown;

    fn names(source: &str) -> Vec<String> {
        Anchors::of(&Outline::of(&markdown(source).unwrap())).names
    }

    #[test]
    fn anchors_keep_chinese_and_are_unique() {
        let source = "# T\n\n## 一、经营 概况（上）\n\n## A `b` & C!\n\n## A b C\n\n## A b C\n\n## A b C-2\n\n## !!!\n\n> # A b C\n";
        assert_eq!(
            names(source),
            ["一经营-概况上", "a-b--c", "a-b-c", "a-b-c-1", "a-b-c-2", "section", "a-b-c-3"]
        );
    }

    #[test]
    fn links_find_their_headings_as_authors_write_them() {
        let doc = markdown("# T\n\n## 一、概况\n\n## A b\n\n## A b\n").unwrap();
        let anchors = Anchors::of(&Outline::of(&doc));
        for (url, expected) in [
            ("#一概况", Some(0)),
            ("#%E4%B8%80%E6%A6%82%E5%86%B5", Some(0)),
            ("#一、概况", Some(0)),
            ("#A-b", Some(1)),
            ("#a%20b", Some(1)),
            ("#a-b-1", Some(2)),
            ("#a-b-2", None),
            ("#%zz", None),
            ("a-b", None),
        ] {
            assert_eq!(anchors.find(url), expected, "{url}");
        }
    }

    #[test]
    fn ten_thousand_headings_of_one_name_take_no_time() {
        let started = std::time::Instant::now();
        assert_eq!(names(&"# Same\n\n".repeat(10_000)).len(), 9_999);
        assert!(started.elapsed() < std::time::Duration::from_secs(10));
    }

    #[test]
    fn the_first_heading_is_the_title_unless_the_front_matter_has_another() {
        let of = |source: &str| {
            let doc = markdown(source).unwrap();
            let outline = Outline::of(&doc);
            let title = outline.title.as_deref().map(plain_text);
            (title.unwrap_or_default(), outline.blocks.len(), outline.level(2))
        };
        assert_eq!(of("# A\n\n## B\n"), ("A".into(), 1, 1));
        assert_eq!(of("## A\n\n### B\n"), (String::new(), 2, 1));
        assert_eq!(of("---\ntitle: A\n---\n# A\n\n## B\n"), ("A".into(), 1, 1));
        assert_eq!(of("---\ntitle: T\n---\n# A\n\n## B\n"), ("T".into(), 2, 2));
    }
}
