//! Numbers of lists and headings, which Word writes itself: `7.4`, `(a)`, bullets.

use crate::error::Result;
use crate::package::Package;
use crate::styles::Styles;
use crate::xml::{Id, Tree};
use std::collections::{HashMap, HashSet};

/// Levels of a list.
const LEVELS: usize = 9;
/// Most lists of a document that are kept.
const MAX_LISTS: usize = 20_000;

#[derive(Clone, Debug, Default)]
struct Level {
    start: u32,
    /// `decimal`, `bullet`, `lowerLetter`.
    format: String,
    /// The number with its text: `%1.%2`.
    text: String,
    /// `true` if numbers of higher levels are written as digits.
    is_legal: bool,
    /// The style whose paragraphs have this level.
    style: Option<String>,
}

#[derive(Clone, Debug, Default)]
struct List {
    /// Lists that share this count on together.
    group: String,
    levels: Vec<Level>,
    /// Levels whose first number this list sets itself.
    restarts: Vec<(usize, u32)>,
}

/// The lists of a document.
#[derive(Clone, Debug, Default)]
pub(crate) struct Numbering {
    lists: HashMap<String, List>,
}

/// The number or the bullet of a paragraph.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Label {
    /// Level from 0.
    pub(crate) level: usize,
    /// The number as it is shown; empty for a bullet.
    pub(crate) text: String,
    /// The number, if it is a plain one such as `3.` or `3)`.
    pub(crate) plain: Option<u32>,
}

impl Numbering {
    pub(crate) fn read(package: &mut Package) -> Result<Self> {
        let mut numbering = Self::default();
        let Some(name) = package.related("numbering")?.into_iter().next() else {
            return Ok(numbering);
        };
        let Some(tree) = package.tree(&name)? else { return Ok(numbering) };
        let Some(root) = tree.root() else { return Ok(numbering) };
        let mut groups: HashMap<String, Vec<Level>> = HashMap::new();
        for it in tree.elements(root).take(MAX_LISTS) {
            if tree.is(it, "abstractNum") {
                let id = tree.attr(it, "abstractNumId").unwrap_or_default().into_owned();
                let mut levels = vec![Level::default(); LEVELS];
                for level in tree.elements(it).filter(|&it| tree.is(it, "lvl")) {
                    put_level(tree, level, &mut levels);
                }
                groups.insert(id, levels);
            } else if tree.is(it, "num") {
                let group = tree.value(it, "abstractNumId").unwrap_or_default().into_owned();
                let levels = groups.get(&group).cloned().unwrap_or_default();
                let mut list = List { levels, group, restarts: Vec::new() };
                for change in tree.elements(it).filter(|&it| tree.is(it, "lvlOverride")) {
                    let Some(at) = level_of(tree, change) else { continue };
                    if let Some(level) = tree.child(change, "lvl") {
                        put_level(tree, level, &mut list.levels);
                    }
                    let start = tree.value(change, "startOverride");
                    if let Some(start) = start.and_then(|it| it.parse().ok()) {
                        list.restarts.push((at, start));
                    }
                }
                let id = tree.attr(it, "numId").unwrap_or_default().into_owned();
                numbering.lists.insert(id, list);
            }
        }
        Ok(numbering)
    }
}

fn level_of(tree: &Tree, node: Id) -> Option<usize> {
    tree.attr(node, "ilvl")?.parse().ok().filter(|it| *it < LEVELS)
}

fn put_level(tree: &Tree, node: Id, levels: &mut [Level]) {
    let Some(level) = level_of(tree, node).and_then(|it| levels.get_mut(it)) else { return };
    *level = Level {
        start: tree.value(node, "start").and_then(|it| it.parse().ok()).unwrap_or(0),
        format: tree.value(node, "numFmt").map_or_else(|| "decimal".to_owned(), |it| it.into()),
        text: tree.value(node, "lvlText").unwrap_or_default().into_owned(),
        is_legal: tree.child(node, "isLgl").is_some(),
        style: tree.value(node, "pStyle").map(|it| it.into_owned()),
    };
}

/// Counts the paragraphs of lists in their order.
#[derive(Debug)]
pub(crate) struct Counter<'a> {
    numbering: &'a Numbering,
    styles: &'a Styles,
    counts: HashMap<String, [Option<u32>; LEVELS]>,
    /// Lists whose restarts were done.
    begun: HashSet<String>,
}

impl<'a> Counter<'a> {
    pub(crate) fn new(numbering: &'a Numbering, styles: &'a Styles) -> Self {
        Self { numbering, styles, counts: HashMap::new(), begun: HashSet::new() }
    }

    /// Counts a paragraph. Returns its number or bullet; `None` if it is no item of a list.
    pub(crate) fn next(&mut self, tree: &Tree, paragraph: Id) -> Option<Label> {
        let properties = tree.child(paragraph, "pPr")?;
        let style = tree.value(properties, "pStyle");
        let own = tree.child(properties, "numPr");
        let of_style = style.as_deref().and_then(|it| self.styles.numbering(it));
        let own_list = own.and_then(|it| tree.value(it, "numId")).map(|it| it.into_owned());
        let own_level = own.and_then(|it| tree.value(it, "ilvl")).and_then(|it| it.parse().ok());
        let id = own_list.or_else(|| of_style.as_ref().map(|it| it.0.clone()))?;
        // The list 0 takes a paragraph out of the list of its style.
        let list = self.numbering.lists.get(&id).filter(|_| id != "0")?;
        let linked = || {
            let style = style.as_deref()?;
            list.levels.iter().position(|it| it.style.as_deref() == Some(style))
        };
        let level: usize = own_level
            .or_else(|| of_style.as_ref().and_then(|it| it.1))
            .or_else(linked)
            .unwrap_or(0)
            .min(LEVELS - 1);
        let format = list.levels.get(level)?;
        let counts = self.counts.entry(list.group.clone()).or_default();
        if self.begun.insert(id.clone()) {
            for &(at, start) in &list.restarts {
                // One is added for its first paragraph.
                counts[at] = Some(start.wrapping_sub(1));
            }
        }
        let next = match counts[level] {
            Some(count) => count.wrapping_add(1),
            None => format.start,
        };
        counts[level] = Some(next);
        counts[level + 1..].fill(None);
        for (at, count) in counts[..level].iter_mut().enumerate() {
            // A level that was left out counts as begun.
            count.get_or_insert(list.levels[at].start);
        }
        if format.format == "bullet" {
            return Some(Label { level, text: String::new(), plain: None });
        }
        if format.format == "none" || format.text.trim().is_empty() {
            return None;
        }
        let mut text = format.text.clone();
        for (at, count) in counts.iter().enumerate().take(level + 1) {
            let own = if format.is_legal { "decimal" } else { &list.levels[at].format };
            let number = written(count.unwrap_or(0), own);
            text = text.replace(&format!("%{}", at + 1), &number);
        }
        let place = format!("%{}", level + 1);
        let is_plain = format.format == "decimal"
            && matches!(format.text.trim().strip_prefix(&place), Some("." | ")"));
        let plain = Some(next).filter(|it| is_plain && *it < 1_000_000);
        Some(Label { level, text: text.trim().to_owned(), plain })
    }
}

/// Writes a number in a format of Word. Formats that are not known are digits.
fn written(number: u32, format: &str) -> String {
    match format {
        "lowerLetter" => letters(number, b'a'),
        "upperLetter" => letters(number, b'A'),
        "lowerRoman" => roman(number).to_lowercase(),
        "upperRoman" => roman(number),
        "decimalZero" => format!("{number:02}"),
        "none" => String::new(),
        "decimalFullWidth" => digits(number, '０'),
        "decimalEnclosedCircle" | "decimalEnclosedCircleChinese" if (1..=20).contains(&number) => {
            char::from_u32(0x2460 + number - 1).map(String::from).unwrap_or_default()
        }
        "chineseCounting"
        | "chineseCountingThousand"
        | "taiwaneseCounting"
        | "taiwaneseCountingThousand"
        | "japaneseCounting"
        | "ideographDigital" => chinese(number),
        _ => number.to_string(),
    }
}

fn letters(number: u32, first: u8) -> String {
    match number {
        0 => String::new(),
        // Behind `z` comes `aa`, then `bb`.
        _ => {
            let letter = char::from(first + ((number - 1) % 26) as u8);
            std::iter::repeat_n(letter, ((number - 1) / 26 + 1).min(50) as usize).collect()
        }
    }
}

fn roman(number: u32) -> String {
    let signs = [
        (1000, "M"),
        (900, "CM"),
        (500, "D"),
        (400, "CD"),
        (100, "C"),
        (90, "XC"),
        (50, "L"),
        (40, "XL"),
        (10, "X"),
        (9, "IX"),
        (5, "V"),
        (4, "IV"),
        (1, "I"),
    ];
    if number > 10_000 {
        return number.to_string();
    }
    let (mut left, mut out) = (number, String::new());
    for (value, sign) in signs {
        while left >= value {
            out.push_str(sign);
            left -= value;
        }
    }
    out
}

fn digits(number: u32, zero: char) -> String {
    let digits = number.to_string();
    digits.bytes().filter_map(|it| char::from_u32(zero as u32 + u32::from(it - b'0'))).collect()
}

fn chinese(number: u32) -> String {
    const DIGITS: [&str; 10] = ["〇", "一", "二", "三", "四", "五", "六", "七", "八", "九"];
    const UNITS: [(u32, &str); 3] = [(1_000, "千"), (100, "百"), (10, "十")];
    if number == 0 || number >= 10_000 {
        return if number == 0 { "〇".to_owned() } else { number.to_string() };
    }
    let (mut left, mut out, mut has_gap) = (number, String::new(), false);
    for (value, unit) in UNITS {
        let digit = left / value;
        left %= value;
        if digit == 0 {
            has_gap = !out.is_empty();
            continue;
        }
        if has_gap {
            out.push('零');
            has_gap = false;
        }
        // Ten to nineteen begin with the ten.
        if !(value == 10 && digit == 1 && out.is_empty()) {
            out.push_str(DIGITS[digit as usize]);
        }
        out.push_str(unit);
    }
    if left > 0 {
        if has_gap {
            out.push('零');
        }
        out.push_str(DIGITS[left as usize]);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_like_in_word() {
        for (number, format, text) in [
            (28, "lowerLetter", "bb"),
            (3, "upperLetter", "C"),
            (1994, "lowerRoman", "mcmxciv"),
            (7, "decimalZero", "07"),
            (12, "decimalFullWidth", "１２"),
            (3, "decimalEnclosedCircle", "③"),
            (10, "chineseCounting", "十"),
            (21, "chineseCountingThousand", "二十一"),
            (105, "chineseCountingThousand", "一百零五"),
            (110, "chineseCountingThousand", "一百一十"),
            (5, "unknown", "5"),
        ] {
            assert_eq!(written(number, format), text, "{number} {format}");
        }
    }
}
