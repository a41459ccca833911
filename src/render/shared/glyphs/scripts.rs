//! Writing systems: which ones need a font made for them, and where their words must not be broken. Knows no fonts.

use unicode_normalization::char::{canonical_combining_class, is_combining_mark};
use unicode_script::{Script, UnicodeScript as _};

/// Class of a character that joins the letters around it (virama); see the Unicode Standard, chapter 4.3.
const VIRAMA: u8 = 9;

/// Returns `true` if letters of `c`'s script stand one after the other, from left to right, each with its own shape: any
/// font with their glyphs draws them correctly.
///
/// Other scripts need rules that only a font made for them has. A mathematical font has the letters of Hindi without these
/// rules, and would draw them incorrectly without a warning.
pub(crate) fn is_plain(c: char) -> bool {
    use Script::{
        Armenian, Bopomofo, Braille, Common, Cyrillic, Georgian, Greek, Han, Hiragana, Inherited,
        Katakana, Latin,
    };
    match c.script() {
        Armenian | Bopomofo | Braille | Cyrillic | Georgian | Greek | Han | Hiragana | Katakana
        | Latin => true,
        // Characters that several scripts share are drawn like the letters of their block.
        Common | Inherited => !matches!(c, '\u{0590}'..='\u{109F}' | '\u{1200}'..='\u{1CFF}'),
        _ => false,
    }
}

/// Returns the name of `c`'s writing system, such as `Hangul` or `Thai`; `symbols` for characters without one.
pub(crate) fn name(c: char) -> &'static str {
    match c.script() {
        Script::Common | Script::Inherited | Script::Unknown => "symbols",
        script => script.full_name(),
    }
}

/// Returns `true` if `c` has no shape of its own and affects its neighbours: it joins or separates letters, or sets the
/// direction of text. It is kept beside letters of scripts that join.
pub(crate) fn is_joiner(c: char) -> bool {
    matches!(c, '\u{200C}'..='\u{200F}')
}

/// Returns `true` for scripts without spaces, in which Typst finds words by itself.
#[cfg(feature = "pdf")]
pub(crate) fn is_without_spaces(c: char) -> bool {
    matches!(c.script(), Script::Khmer | Script::Lao | Script::Myanmar | Script::Thai)
}

/// Returns `true` if a word may be broken between two characters without changing their shapes.
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
        // The last two are shared by Indian scripts.
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
