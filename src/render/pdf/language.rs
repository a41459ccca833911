//! What language a text is in. Knows Chinese, Japanese and English, and those whose script is theirs alone.

use std::collections::BTreeMap;

use unicode_script::{Script, UnicodeScript as _};

use super::scripts;
use crate::cjk::{is_han, is_kana};

/// Language of a text as a BCP 47 tag: `zh`, `ja`, that of a script in which more than half of the letters are, else `en`.
///
/// A Chinese report is full of Latin names and figures, so a fifth of Han among the letters is enough; a few kana
/// among the Han mean Japanese.
pub(super) fn language_of<'a>(texts: impl Iterator<Item = &'a str>) -> &'static str {
    let (mut han, mut kana, mut other) = (0_u64, 0_u64, 0_u64);
    let mut scripts: BTreeMap<&'static str, u64> = BTreeMap::new();
    for c in texts.flat_map(str::chars) {
        if is_han(c) {
            han += 1;
        } else if is_kana(c) {
            kana += 1;
        } else if c.is_alphabetic() {
            other += 1;
            let script = if c.is_ascii() { Script::Latin } else { c.script() };
            if let Some(language) = scripts::language(script) {
                *scripts.entry(language).or_default() += 1;
            }
        }
    }
    if (han + kana) * 5 < other || han + kana == 0 {
        let most = scripts.into_iter().max_by_key(|(_, letters)| *letters);
        most.filter(|(_, letters)| *letters * 2 > other).map_or("en", |(language, _)| language)
    } else if kana * 5 > han {
        "ja"
    } else {
        "zh"
    }
}
