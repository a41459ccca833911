//! Counts the automatic numbers of lists and headings, which are not in the file.

use crate::notes::Notes;
use crate::numbering;
use crate::xml::Node;
use mitt_reader_kit::single_line;

/// Most levels of a list.
pub(super) const LEVELS: usize = 10;

/// Most characters of a number. The text around it can be of any length.
const MAX_LABEL: usize = 100;

/// Most characters of the pattern of a number, because it is processed for each list item.
const MAX_PATTERN: usize = 200;

/// Number formats of the levels of a list. A level without one has that of the level above.
pub(super) type Levels = [Option<Level>; LEVELS];

/// Last number of each level of a list.
pub(super) type Counted = [Option<u32>; LEVELS];

/// Number format of a level.
#[derive(Clone, Debug, Default)]
pub(super) struct Level {
    /// Format by its name in the file; `None` for bullets and for levels without a number.
    format: Option<String>,
    /// `true` if `bb` follows `aa`, and not `ab`.
    repeats_letters: bool,
    start: Option<u32>,
    /// The number with the text around it: `%1%.%2%`.
    pattern: String,
}

/// Returns the levels of a list style or of the outline style.
pub(super) fn levels(style: &Node) -> Levels {
    let mut levels = Levels::default();
    for node in style.nodes() {
        let number = node.attribute("level").and_then(|number| number.parse::<usize>().ok());
        let Some(index) = number.and_then(|number| number.checked_sub(1)) else { continue };
        let Some(slot) = levels.get_mut(index) else { continue };
        match node.name.as_str() {
            "list-level-style-number" | "outline-level-style" => {
                *slot = Some(Level::of(node, index))
            }
            name if name.starts_with("list-level-style") => *slot = Some(Level::default()),
            _ => {}
        }
    }
    levels
}

impl Level {
    fn of(node: &Node, index: usize) -> Self {
        let text = |name: &str| node.attribute(name).unwrap_or_default();
        let number = |name: &str| node.attribute(name).and_then(|number| number.parse().ok());
        let pattern = node.attribute("num-list-format").map(str::to_owned).unwrap_or_else(|| {
            let shown = number("display-levels").unwrap_or(1).clamp(1, index as u32 + 1) as usize;
            let numbers: Vec<_> =
                (index + 1 - shown..=index).map(|level| format!("%{}%", level + 1)).collect();
            format!("{}{}{}", text("num-prefix"), numbers.join("."), text("num-suffix"))
        });
        Self {
            format: Some(text("num-format").to_owned()).filter(|format| !format.is_empty()),
            repeats_letters: text("num-letter-sync") == "true",
            start: number("start-value"),
            pattern: pattern.chars().take(MAX_PATTERN).collect(),
        }
    }

    fn write(&self, number: u32, notes: &mut Notes) -> String {
        match self.format.as_deref() {
            None => String::new(),
            Some(letter @ ("a" | "A")) if !self.repeats_letters => {
                let text = letters(number);
                if letter == "a" { text } else { text.to_uppercase() }
            }
            Some(format) => numbering::number(number, name_of(format)).unwrap_or_else(|| {
                notes.unknown_format(format);
                number.to_string()
            }),
        }
    }
}

/// Counts one further at a level, or begins with `start`. Returns the number as text; `None` if the level has none.
pub(super) fn count(
    levels: &Levels,
    level: usize,
    start: Option<u32>,
    counted: &mut Counted,
    notes: &mut Notes,
) -> Option<String> {
    let level = level.min(LEVELS - 1);
    let level_at = |index: usize| levels.get(..=index)?.iter().rev().flatten().next();
    let first = |index: usize| level_at(index).and_then(|level| level.start).unwrap_or(1);
    for (index, number) in counted.iter_mut().enumerate() {
        *number = match (index.cmp(&level), *number) {
            (std::cmp::Ordering::Less, number) => Some(number.unwrap_or_else(|| first(index))),
            (std::cmp::Ordering::Greater, _) => None,
            (_, Some(number)) => Some(start.unwrap_or(number.saturating_add(1))),
            (_, None) => Some(start.unwrap_or_else(|| first(index))),
        };
    }
    let own = level_at(level)?;
    own.format.as_ref()?;
    let mut out = String::new();
    let mut rest = own.pattern.as_str();
    while let Some((before, behind)) = rest.split_once('%') {
        out.push_str(before);
        let place = behind.split_once('%').and_then(|(digits, behind)| {
            let place = digits.parse::<usize>().ok()?.checked_sub(1)?;
            (place < LEVELS).then_some((place, behind))
        });
        let Some((place, behind)) = place else {
            out.push('%');
            rest = behind;
            continue;
        };
        rest = behind;
        // Another level is written in its own format.
        let found = if place == level { Some(own) } else { level_at(place) };
        let text = match (found, counted.get(place).copied().flatten()) {
            (Some(level), Some(number)) => level.write(number, notes),
            _ => String::new(),
        };
        if text.is_empty() && place != level {
            // The separator after an empty number is invisible too.
            rest = rest.strip_prefix('.').unwrap_or(rest);
        }
        out.push_str(&text);
    }
    out.push_str(rest);
    let out = single_line(&out.chars().take(MAX_LABEL).collect::<String>());
    (!out.is_empty()).then_some(out)
}

/// Returns a, b, … z, aa, ab.
fn letters(number: u32) -> String {
    let mut rest = number;
    let mut out = Vec::new();
    while let Some(index) = rest.checked_sub(1) {
        out.push(b'a' + (index % 26) as u8);
        rest = index / 26;
    }
    out.into_iter().rev().map(char::from).collect()
}

/// Returns the Word name of an OpenDocument number format, which is an example of it.
fn name_of(format: &str) -> &str {
    match format {
        "1" => "decimal",
        "a" => "lowerLetter",
        "A" => "upperLetter",
        "i" => "lowerRoman",
        "I" => "upperRoman",
        "1st" => "ordinal",
        "One" => "cardinalText",
        "First" => "ordinalText",
        "１, ２, ３, ..." => "decimalFullWidth",
        "①, ②, ③, ..." => "decimalEnclosedCircle",
        "一, 二, 三, ..." => "chineseCountingThousand",
        "壹, 贰, 叁, ..." => "chineseLegalSimplified",
        "壹, 貳, 參, ..." => "ideographLegalTraditional",
        "甲, 乙, 丙, ..." => "ideographTraditional",
        "子, 丑, 寅, ..." => "ideographZodiac",
        "ア, イ, ウ, ..." => "aiueoFullWidth",
        "イ, ロ, ハ, ..." => "irohaFullWidth",
        "가, 나, 다, ..." => "ganada",
        "ㄱ, ㄴ, ㄷ, ..." => "chosung",
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::xml;

    /// Compares the numbers of paragraphs at these levels, from 1, in a list style.
    fn check(style: &str, at: &[usize], expected: &[&str]) {
        let style = xml::root(&format!("<s>{style}</s>")).unwrap();
        let (levels, mut counted) = (levels(&style), Counted::default());
        let mut notes = Notes::default();
        let mut label = |level: &usize| {
            count(&levels, level - 1, None, &mut counted, &mut notes).unwrap_or_default()
        };
        assert_eq!(at.iter().map(&mut label).collect::<Vec<_>>(), expected, "{style:?}");
    }

    fn level(number: usize, more: &str) -> String {
        format!("<list-level-style-number level=\"{number}\" {more}/>")
    }

    #[test]
    fn levels_are_counted_and_written_with_what_stands_around_them() {
        let two = level(1, r#"num-format="1" num-suffix=".""#)
            + &level(2, r#"num-format="a" num-prefix="(" num-suffix=")""#)
            + &level(3, r#"num-format="1" display-levels="3" start-value="5""#);
        check(&two, &[1, 2, 2, 1, 3, 2], &["1.", "(a)", "(b)", "2.", "2.a.5", "(b)"]);
        let chinese = level(1, r#"num-format="一, 二, 三, ..." num-prefix="第" num-suffix="章""#)
            + &level(2, r#"num-format="1" num-list-format="%1%、%2%)" num-suffix="x""#);
        check(&chinese, &[1, 2, 2, 1], &["第一章", "一、1)", "一、2)", "第二章"]);
        let unnumbered = level(1, r#"num-format="" num-suffix=".""#)
            + &level(2, r#"num-format="I" display-levels="2""#)
            + "<list-level-style-bullet level=\"3\"/>";
        check(&unnumbered, &[1, 2, 3, 4], &["", "I", "", ""]);
        check("", &[1], &[""]);
        check(
            &level(1, r#"num-format="1" num-list-format="50 %1% % %99%""#),
            &[1],
            &["50 1 % %99%"],
        );
    }

    #[test]
    fn what_a_number_is_written_by_is_bounded() {
        let pattern = "%1%".repeat(2_000);
        let long = level(1, &format!(r#"num-format="1" num-list-format="{pattern}""#));
        check(&long, &[1], &[&("1".repeat(MAX_PATTERN / 3) + "%1")]);
    }

    #[test]
    fn letters_go_on_behind_z() {
        assert_eq!([1, 26, 27, 28, 703].map(letters), ["a", "z", "aa", "ab", "aaa"]);
        let synced = level(1, r#"num-format="A" start-value="28" num-letter-sync="true""#);
        check(&synced, &[1], &["BB"]);
        check(&level(1, r#"num-format="A" start-value="28""#), &[1], &["AB"]);
        assert!(letters(u32::MAX).len() < 10);
    }
}
