//! The style sheet of a page, and its hash, by which the page's policy allows it. A theme adds colours and fonts at its end.

use std::borrow::Cow;
use std::fmt::Write as _;

use crate::{Color, Theme};
use mitt_base::digest;

pub(super) const STYLE: &str = include_str!("style.css");

/// Colours of admonitions in the style sheet, for a light page and for a dark one.
const NOTES: [&str; 2] = [
    "--note:#0969da;--tip:#1a7f37;--important:#8250df;--warning:#8a6100;--caution:#cf222e",
    "--note:#6cb6ff;--tip:#57c46f;--important:#c297ff;--warning:#dbab33;--caution:#ff7b72",
];

/// Fonts of the style sheet, behind those of a theme.
const FONTS: &str = "\"Noto Sans\",\"Segoe UI\",Roboto,\"Helvetica Neue\",Arial,\"PingFang SC\",\"Microsoft YaHei\",\"Noto Sans SC\",\"Noto Sans CJK SC\",sans-serif";

/// A style sheet.
pub(super) struct Style {
    pub(super) text: Cow<'static, str>,
    /// SHA-256 in Base64.
    pub(super) hash: String,
}

/// Returns the style sheet for a theme.
pub(super) fn of(theme: &Theme) -> Style {
    let plain = Theme::default();
    let is_plain = theme.colors == plain.colors && theme.fonts == plain.fonts;
    let text = if is_plain {
        Cow::Borrowed(STYLE)
    } else {
        Cow::Owned(format!("{STYLE}{}", additions(theme)))
    };
    let hash = base64(&bytes_of_hex(&digest::sha256(text.as_bytes())));
    Style { text, hash }
}

/// Returns the rules at the end, which take precedence.
fn additions(theme: &Theme) -> String {
    let colors = &theme.colors;
    let is_dark = colors.page.ink() == Color::new(0xFF, 0xFF, 0xFF);
    let scheme = if is_dark { "dark" } else { "light" };
    let mut css = format!(
        ":root{{color-scheme:{scheme};--page:{};--text:{};--soft:{};--line:{};--fill:{};--blue:{accent};--link:{};--head:{accent};--band:{};{}}}\nth{{color:{}}}\n",
        colors.page,
        colors.text,
        colors.muted,
        colors.line,
        colors.fill,
        colors.link,
        colors.band,
        NOTES[usize::from(is_dark)],
        colors.accent.ink(),
        accent = colors.accent,
    );
    let fonts = &theme.fonts;
    for (selector, families, rest) in [
        ("body,:lang(ja) body", &fonts.text, FONTS),
        ("h1,h2,h3,h4,h5,h6", &fonts.headings, FONTS),
        ("code", &fonts.code, "Consolas,\"DejaVu Sans Mono\",Menlo,monospace"),
    ] {
        let families: Vec<String> = families.iter().filter_map(|family| quoted(family)).collect();
        if !families.is_empty() {
            let _ = writeln!(css, "{selector}{{font-family:{},{rest}}}", families.join(","));
        }
    }
    css
}

/// Returns a family as a CSS string; `None` if its name has characters that could end the string or the style sheet.
fn quoted(family: &str) -> Option<String> {
    let is_plain = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '+');
    family.chars().all(is_plain).then(|| format!("\"{family}\""))
}

fn bytes_of_hex(hex: &str) -> Vec<u8> {
    let digit = |c: u8| char::from(c).to_digit(16).and_then(|it| u8::try_from(it).ok());
    let pair = |pair: &[u8]| match pair {
        [high, low] => digit(*high).zip(digit(*low)).map_or(0, |(high, low)| high * 16 + low),
        _ => 0,
    };
    hex.as_bytes().chunks(2).map(pair).collect()
}

/// Encodes Base64 with padding, as policies require for hashes.
fn base64(bytes: &[u8]) -> String {
    const DIGITS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let number = chunk.iter().fold(0_u32, |all, byte| (all << 8) | u32::from(*byte));
        let number = number << (8 * (3 - chunk.len()));
        for place in 0..4 {
            let digit = (number >> (18 - 6 * place)) as usize & 63;
            text.push(if place <= chunk.len() { char::from(DIGITS[digit]) } else { '=' });
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use base64::Engine as _;

    use super::*;

    #[test]
    fn hashes_are_those_of_the_sheet() {
        use sha2::Digest as _;

        let mut theme = Theme::default();
        for accent in ["#1f4e79", "#7a1f2b"] {
            theme.colors.accent = Color::parse(accent).unwrap();
            let style = of(&theme);
            let hash = sha2::Sha256::digest(style.text.as_bytes());
            assert_eq!(style.hash, ::base64::engine::general_purpose::STANDARD.encode(hash));
            assert!(style.text.contains(accent));
        }
        for bytes in [&b""[..], b"a", b"ab", b"abc"] {
            assert_eq!(base64(bytes), ::base64::engine::general_purpose::STANDARD.encode(bytes));
        }
    }

    #[test]
    fn no_name_of_a_font_ends_the_sheet() {
        let mut theme = Theme::default();
        theme.fonts.text = vec!["</style><script>".into(), "a\"}b".into(), "思源 宋体".into()];
        let style = of(&theme);
        assert!(style.text.contains("font-family:\"思源 宋体\",\"Noto Sans\""));
        assert!(!style.text.contains("<script") && !style.text.contains("a\""));
    }
}
