//! What language a text is in. Knows three.

use crate::cjk::{is_han, is_kana};

/// Language of a text: `zh`, `ja` or `en`.
///
/// A Chinese report is full of Latin names and figures, so a fifth of Han among the letters is enough; a few kana
/// among the Han mean Japanese.
pub(super) fn language_of<'a>(texts: impl Iterator<Item = &'a str>) -> &'static str {
    let (mut han, mut kana, mut other) = (0_u64, 0_u64, 0_u64);
    for c in texts.flat_map(str::chars) {
        if is_han(c) {
            han += 1;
        } else if is_kana(c) {
            kana += 1;
        } else if c.is_alphabetic() {
            other += 1;
        }
    }
    if (han + kana) * 5 < other || han + kana == 0 {
        "en"
    } else if kana * 5 > han {
        "ja"
    } else {
        "zh"
    }
}
