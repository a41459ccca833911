//! Writing systems: which of them a font has to be made for, where their words may not be parted. Knows nothing of fonts themselves.

use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_script::{Script, UnicodeScript as _};

/// The class of a sign that joins the letter before it with the next one (virama); see the Unicode Standard, chapter 4.3.
const VIRAMA: u8 = 9;

/// Whether letters of `c`'s script stand one after the other, left to right, each with the shape of its own: what any font with
/// their glyphs sets right.
///
/// Others need rules that only a font made for the script has. A mathematical one has the letters of Hindi without them, and
/// would set them wrong without a warning.
pub(crate) fn is_plain(c: char) -> bool {
    use Script::{
        Armenian, Bopomofo, Braille, Common, Cyrillic, Georgian, Greek, Han, Hiragana, Inherited,
        Katakana, Latin,
    };
    match c.script() {
        Armenian | Bopomofo | Braille | Cyrillic | Georgian | Greek | Han | Hiragana | Katakana
        | Latin => true,
        // Signs that several scripts share are set like the letters of their block.
        Common | Inherited => !matches!(c, '\u{0590}'..='\u{109F}' | '\u{1200}'..='\u{1CFF}'),
        _ => false,
    }
}

/// The name of `c`'s writing system for people, such as `Hangul` or `Thai`; signs without one are `symbols`.
pub(crate) fn name(c: char) -> &'static str {
    match c.script() {
        Script::Common | Script::Inherited | Script::Unknown => "symbols",
        script => script.full_name(),
    }
}

/// Whether `c` has no shape of its own and changes its neighbours: it joins or parts letters of a script that joins them, or
/// says which way a text runs. Kept beside the letters of such scripts.
pub(crate) fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}'..='\u{200F}')
}

/// Whether Typst finds the words of `c`'s script by itself, as they are not parted by spaces.
#[cfg(feature = "pdf")]
pub(crate) fn is_without_spaces(c: char) -> bool {
    matches!(c.script(), Script::Khmer | Script::Lao | Script::Myanmar | Script::Thai)
}

/// Whether a word may be parted between two characters without changing what either looks like.
pub(crate) fn may_part(before: char, after: char) -> bool {
    let is_joined = |c: char| {
        matches!(
            c.script(),
            Script::Arabic | Script::Mongolian | Script::Nko | Script::Syriac | Script::Tibetan
        )
    };
    let is_one = is_combining_mark(after)
        || canonical_combining_class(before) == VIRAMA
        || is_joiner(before)
        || is_joiner(after)
        || (is_joined(before) && is_joined(after));
    !is_one
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scripts_are_those_that_any_font_sets_right() {
        for c in ['a', 'é', 'Я', 'Ω', '汉', 'か', 'ㄅ', '€', '→', '1', '\u{301}'] {
            assert!(is_plain(c), "{c}");
        }
        // The last two are shared signs of Indian scripts.
        for c in ['अ', 'ا', 'א', 'ก', '한', 'த', '\u{94D}', '\u{964}', '\u{951}'] {
            assert!(!is_plain(c), "{c}");
        }
    }

    #[test]
    fn words_are_not_parted_where_letters_join() {
        assert!(may_part('a', 'b'));
        assert!(may_part('क', 'ख'));
        for (before, after) in [('क', 'ि'), ('\u{94D}', 'ष'), ('ب', 'ت'), ('क', '\u{200D}')]
        {
            assert!(!may_part(before, after), "{before} {after}");
        }
    }
}
