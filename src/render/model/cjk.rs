//! East Asian characters. Knows nothing of fonts.

/// Returns `true` if `c` is written without spaces between words: Han, kana, and their punctuation.
///
/// Hangul is not among them: Korean separates words by spaces.
pub(crate) fn is_cjk(c: char) -> bool {
    is_han(c) || is_kana(c) || is_cjk_punctuation(c)
}

/// Returns `true` for Chinese characters of all blocks.
pub(crate) fn is_han(c: char) -> bool {
    matches!(c, '\u{2E80}'..='\u{2FDF}' | '々' | '〇' | '\u{3400}'..='\u{4DBF}' | '\u{4E00}'..='\u{9FFF}'
        | '\u{F900}'..='\u{FAFF}' | '\u{20000}'..='\u{3FFFF}')
}

/// Returns `true` for Japanese kana and for bopomofo.
pub(crate) fn is_kana(c: char) -> bool {
    matches!(c, '\u{3041}'..='\u{30FF}' | '\u{3105}'..='\u{312F}' | '\u{31F0}'..='\u{31FF}' | '\u{FF66}'..='\u{FF9F}')
}

/// Returns `true` for full-width punctuation.
pub(crate) fn is_cjk_punctuation(c: char) -> bool {
    matches!(c, '\u{3000}'..='\u{3004}' | '\u{3008}'..='\u{3020}' | '\u{3030}' | '\u{303D}' | '\u{FE10}'..='\u{FE1F}'
        | '\u{FE30}'..='\u{FE4F}' | '\u{FF01}'..='\u{FF0F}' | '\u{FF1A}'..='\u{FF20}' | '\u{FF3B}'..='\u{FF40}'
        | '\u{FF5B}'..='\u{FF65}')
}

/// Returns `true` for punctuation in the sense of CommonMark, as far as it occurs beside Chinese text.
pub(crate) fn is_punctuation(c: char) -> bool {
    c.is_ascii_punctuation()
        || is_cjk_punctuation(c)
        || matches!(c, '·' | '«' | '»' | '¡' | '¿' | '§' | '¶' | '\u{2010}'..='\u{2027}' | '\u{2030}'..='\u{205E}')
}
