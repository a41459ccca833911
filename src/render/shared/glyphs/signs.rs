//! Characters without a glyph. An emoji is replaced by a symbol with the same meaning, or left out: a report should not fail
//! because of a rocket. Any other missing character is an error: an incomplete report must not look finished.

/// A symbol that replaces an emoji, and the colour that carries its meaning.
#[derive(Clone, Copy)]
pub(crate) struct Sign {
    pub(crate) text: &'static str,
    /// Name of a colour in the template.
    pub(crate) color: Option<&'static str>,
}

/// How to show a character.
pub(crate) enum Fate {
    Keep,
    /// Replaced by this symbol.
    Sign(Sign),
    /// Replaced by this text, together with the next `usize` characters.
    Text(String, usize),
    /// Without width and shape of its own.
    Ignore,
    /// An emoji or a private-use character, which is left out with a warning.
    Drop,
    /// No font has it.
    Missing,
}

/// Emoji that models put into reports.
const SIGNS: [(char, &str, Option<&str>); 46] = [
    ('✅', "✓", Some("green")),
    ('✔', "✓", Some("green")),
    ('☑', "✓", Some("green")),
    ('❎', "✗", Some("green")),
    ('❌', "✗", Some("red")),
    ('✖', "✗", None),
    ('🚫', "✗", Some("red")),
    ('⭐', "★", Some("amber")),
    ('🌟', "★", Some("amber")),
    ('❗', "!", Some("red")),
    ('❕', "!", None),
    ('❓', "?", Some("red")),
    ('❔', "?", None),
    ('⚠', "⚠", Some("amber")),
    ('📈', "↗", None),
    ('📉', "↘", None),
    ('🔺', "▲", Some("red")),
    ('🔻', "▼", Some("red")),
    ('🔼', "▲", None),
    ('🔽', "▼", None),
    ('🔴', "●", Some("red")),
    ('🟠', "●", Some("orange")),
    ('🟡', "●", Some("amber")),
    ('🟢', "●", Some("green")),
    ('🔵', "●", Some("blue")),
    ('🟣', "●", Some("purple")),
    ('⚫', "●", None),
    ('⚪', "○", None),
    ('🟥', "■", Some("red")),
    ('🟧', "■", Some("orange")),
    ('🟨', "■", Some("amber")),
    ('🟩', "■", Some("green")),
    ('🟦', "■", Some("blue")),
    ('⬛', "■", None),
    ('⬜', "□", None),
    ('🔸', "◆", Some("orange")),
    ('🔹', "◆", Some("blue")),
    ('🔶', "◆", Some("orange")),
    ('🔷', "◆", Some("blue")),
    ('❤', "♥", Some("red")),
    ('➕', "+", None),
    ('➖', "−", None),
    ('💯', "100", None),
    ('🆗', "OK", None),
    ('🆕', "NEW", None),
    ('🔟', "⑩", None),
];

/// Bullets and ticks in the symbol fonts of office programs, which text from their files still contains.
const PRIVATE_SIGNS: [(char, &str); 8] = [
    ('\u{F0B7}', "•"),
    ('\u{F0A7}', "▪"),
    ('\u{F06E}', "■"),
    ('\u{F075}', "◆"),
    ('\u{F0D8}', "▶"),
    ('\u{F0E8}', "→"),
    ('\u{F0FC}', "✓"),
    ('\u{F0FB}', "✗"),
];

/// Returns how to show `c`, which is followed by `rest`.
pub(crate) fn fate(c: char, rest: &str, covers: &dyn Fn(char) -> bool) -> Fate {
    if c.is_ascii() {
        // A digit on a keycap is three characters.
        return if rest.strip_prefix('\u{FE0F}').unwrap_or(rest).starts_with('\u{20E3}') {
            key_cap(c, rest)
        } else {
            Fate::Keep
        };
    }
    if is_ignorable(c) {
        return Fate::Ignore;
    }
    if let Some(first) = regional_letter(c) {
        return match rest.chars().next().and_then(regional_letter) {
            Some(second) => Fate::Text(format!("{first}{second}"), 1),
            None => Fate::Text(first.to_string(), 0),
        };
    }
    if let Some((_, text, color)) = SIGNS.iter().find(|(emoji, ..)| *emoji == c) {
        return Fate::Sign(Sign { text, color: *color });
    }
    if let Some((_, text)) = PRIVATE_SIGNS.iter().find(|(private, _)| *private == c) {
        return Fate::Sign(Sign { text, color: None });
    }
    // Fonts draw arbitrary shapes for private-use characters, not what the author saw.
    if matches!(c, '\u{E000}'..='\u{F8FF}' | '\u{F0000}'..='\u{10FFFF}') {
        return Fate::Drop;
    }
    match covers(c) {
        true => Fate::Keep,
        false if c.is_whitespace() => Fate::Text(" ".into(), 0),
        false if is_emoji(c) => Fate::Drop,
        false => Fate::Missing,
    }
}

fn key_cap(c: char, rest: &str) -> Fate {
    let following = if rest.starts_with('\u{FE0F}') { 2 } else { 1 };
    let text = match c {
        '0' => "⓪".into(),
        '1'..='9' => {
            char::from_u32(0x2460 + (c as u32 - '1' as u32)).map(String::from).unwrap_or_default()
        }
        _ => c.to_string(),
    };
    Fate::Text(text, following)
}

/// Returns a letter of a flag's country code.
fn regional_letter(c: char) -> Option<char> {
    let index = (c as u32).checked_sub(0x1_F1E6).filter(|index| *index < 26)?;
    char::from_u32('A' as u32 + index)
}

/// Returns `true` for characters that join, colour or direct their neighbours. The fonts have no right-to-left script.
fn is_ignorable(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{200C}'..='\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2060}'..='\u{206F}'
        | '\u{20E3}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0000}'..='\u{E01EF}' | '\u{FEFF}' | '\u{00AD}' | '\u{FFF9}'..='\u{FFFB}')
}

/// Returns `true` for blocks of emoji and little else.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1F000}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}' | '\u{2300}'..='\u{23FF}')
}
