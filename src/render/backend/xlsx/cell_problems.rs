//! The problem of a single cell, in a description or in a table.

use super::formula;
use super::names::Names;
use mitt_base::text;

const MAX_TEXT_UNITS: usize = 32_767;

const MAX_FORMULA_UNITS: usize = 8_192;

const MAX_URL_CHARACTERS: usize = 2_080;

/// Most links with which Excel does not call the file damaged.
pub(super) const MAX_LINKS: usize = 65_530;

fn too_long(what: &str, text: &str, limit: usize) -> Option<String> {
    // A UTF-16 unit takes at least a byte, so most texts need not be counted.
    let units = if text.len() <= limit { 0 } else { text.encode_utf16().count() };
    (units > limit).then(|| format!("expected {what} of at most {limit} characters, got {units}"))
}

/// Returns the problem of a text that is too long.
#[inline]
pub(super) fn too_long_text(text: &str) -> Option<String> {
    too_long("text", text, MAX_TEXT_UNITS)
}

/// Returns the message for a text that is not a date.
pub(super) fn no_date(text: &str) -> String {
    let got = text::cut_bytes(text, 80);
    format!(
        "expected a date from 1900-01-01 to 9999-12-31 such as `2024-12-31` or `2024-12-31T08:30:00`, got `{got}`"
    )
}

/// Returns the problem of a formula.
pub(super) fn formula_problem(expression: &str, value: &str, names: &Names) -> Option<String> {
    if expression.trim_start_matches('=').trim().is_empty() {
        Some("expected a formula, got nothing".into())
    } else {
        too_long("a formula", expression, MAX_FORMULA_UNITS)
            .or_else(|| too_long("a value", value, MAX_TEXT_UNITS))
            .or_else(|| formula::check(expression, names).err())
    }
}

/// Returns the problem of a link.
pub(super) fn link_problem(url: &str, text: &str) -> Option<String> {
    let known = ["http://", "https://", "mailto:"].iter().any(|scheme| url.starts_with(scheme));
    if !known || url.chars().any(|c| c.is_control() || c == ' ') {
        let got = text::cut_bytes(url, 80).escape_debug();
        return Some(format!(
            "expected a link that begins with `http://`, `https://` or `mailto:`, got `{got}`"
        ));
    }
    let characters = url.chars().count();
    if characters > MAX_URL_CHARACTERS {
        return Some(format!(
            "expected a link of at most {MAX_URL_CHARACTERS} characters, got {characters}"
        ));
    }
    too_long_text(text)
}
