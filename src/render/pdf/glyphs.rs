//! Characters that no font has. Emoji are replaced or left out, as a report must not be lost because of a rocket; any
//! other hole is an error, as a report with holes must not look finished.

use std::collections::BTreeSet;

use serde_json::Value;
use typst::layout::{Frame, FrameItem};
use typst::text::Font;

/// Emoji that models like to put into reports, and signs that say the same.
const REPLACEMENTS: [(char, &str); 34] = [
    ('✅', "✓"),
    ('☑', "✓"),
    ('✔', "✓"),
    ('❌', "✗"),
    ('❎', "✗"),
    ('✖', "✗"),
    ('⭐', "★"),
    ('🌟', "★"),
    ('❗', "!"),
    ('❓', "?"),
    ('⚠', "⚠"),
    ('➡', "→"),
    ('⬅', "←"),
    ('⬆', "↑"),
    ('⬇', "↓"),
    ('📈', "↗"),
    ('📉', "↘"),
    ('🔺', "▲"),
    ('🔻', "▼"),
    ('🔼', "▲"),
    ('🔽', "▼"),
    ('🔴', "●"),
    ('🟢', "●"),
    ('🟡', "●"),
    ('🔵', "●"),
    ('🟠', "●"),
    ('⚪', "○"),
    ('⚫', "●"),
    ('🔸', "◆"),
    ('🔹', "◆"),
    ('🔶', "◆"),
    ('🔷', "◆"),
    ('➕', "+"),
    ('➖', "−"),
];

/// Replace emoji in every string of `data`; gives those that were left out.
pub(super) fn replace_emoji(data: &mut Value, faces: &[Font]) -> BTreeSet<char> {
    let mut dropped = BTreeSet::new();
    walk(data, &mut |text| {
        if text.is_ascii() {
            return;
        }
        let covered = |c: char| faces.iter().any(|face| face.info().coverage.contains(c as u32));
        let mut out = String::with_capacity(text.len());
        for c in text.chars() {
            let replacement =
                REPLACEMENTS.iter().find(|(emoji, _)| *emoji == c).map(|(_, sign)| *sign);
            match replacement {
                // What joins or colours emoji has nothing left to join.
                _ if is_emoji_modifier(c) => {}
                _ if covered(c) => out.push(c),
                Some(sign) if sign.chars().all(covered) => out.push_str(sign),
                _ if is_emoji(c) => {
                    dropped.insert(c);
                }
                _ => out.push(c),
            }
        }
        *text = out;
    });
    dropped
}

fn walk(value: &mut Value, visit: &mut dyn FnMut(&mut String)) {
    match value {
        Value::String(text) => visit(text),
        Value::Array(values) => values.iter_mut().for_each(|value| walk(value, visit)),
        Value::Object(values) => values.values_mut().for_each(|value| walk(value, visit)),
        _ => {}
    }
}

fn is_emoji_modifier(c: char) -> bool {
    matches!(c, '\u{FE00}'..='\u{FE0F}' | '\u{200D}' | '\u{20E3}' | '\u{1F3FB}'..='\u{1F3FF}' | '\u{E0000}'..='\u{E007F}')
}

/// The blocks that hold emoji and little else.
fn is_emoji(c: char) -> bool {
    matches!(c, '\u{1F000}'..='\u{1FAFF}' | '\u{2600}'..='\u{27BF}' | '\u{2B00}'..='\u{2BFF}' | '\u{23E9}'..='\u{23FA}')
}

/// Characters of a laid out page that were drawn as a hole.
pub(super) fn missing(frame: &Frame, found: &mut BTreeSet<char>) {
    for (_, item) in frame.items() {
        match item {
            FrameItem::Group(group) => missing(&group.frame, found),
            FrameItem::Text(text) => {
                for glyph in text.glyphs.iter().filter(|glyph| glyph.id == 0) {
                    let range = usize::from(glyph.range.start)..usize::from(glyph.range.end);
                    found.extend(text.text.get(range).into_iter().flat_map(str::chars));
                }
            }
            _ => {}
        }
    }
}
