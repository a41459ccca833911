//! Values of style sheets: numbers, colours, and names with escapes.

/// Most distance of two colours, for each of red, green and blue, at which people see no difference.
const SAME_COLOUR: u8 = 10;

/// Returns `true` for a character that takes a place in a line.
pub fn is_seen(character: char) -> bool {
    !character.is_whitespace()
        && !matches!(
            character,
            '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
                | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
        )
}

/// Returns the number at the start of a value: `-9999` of `-9999px`.
pub(crate) fn number(value: &str) -> Option<f64> {
    let end = value.find(|it: char| !it.is_ascii_digit() && !"+-.".contains(it));
    value.get(..end.unwrap_or(value.len()))?.parse().ok()
}

/// Returns a length of at most one pixel, or a share of at most a twentieth of something.
pub(crate) fn is_tiny_size(size: &str) -> bool {
    number(size).is_some_and(|it| match () {
        _ if it == 0.0 => true,
        _ if size.ends_with("px") || size.ends_with("pt") => it <= 1.0,
        _ if size.ends_with("em") => it <= 0.05,
        _ if size.ends_with('%') => it <= 5.0,
        _ => false,
    })
}

/// Returns `true` for a length of nothing, or of at most one pixel.
pub(crate) fn is_flat(size: &str) -> bool {
    number(size).is_some_and(|it| {
        it == 0.0 || (0.0..=1.0).contains(&it) && (size.ends_with("px") || size.ends_with("pt"))
    })
}

/// Returns whether people see no difference of two colours: red, green, blue.
pub fn is_same_colour(one: [u8; 3], other: [u8; 3]) -> bool {
    one.iter().zip(other).all(|(one, other)| one.abs_diff(other) <= SAME_COLOUR)
}

/// A colour of a text or a background.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Colour {
    Transparent,
    /// Red, green, blue.
    Plain([u8; 3]),
    /// A colour in a notation that is not converted.
    Named(String),
}

pub(crate) const WHITE: Colour = Colour::Plain([255; 3]);
pub(crate) const BLACK: Colour = Colour::Plain([0; 3]);

impl Colour {
    /// Returns whether text of this colour on the other one cannot be seen.
    pub(crate) fn is_like(&self, other: &Colour) -> bool {
        match (self, other) {
            (Colour::Plain(one), Colour::Plain(other)) => is_same_colour(*one, *other),
            _ => self == other,
        }
    }
}

/// Returns the colour of a background; `None` if it is not known, such as that of a picture.
pub(crate) fn background_colour(value: &str) -> Option<Colour> {
    if value.contains("url(") || value.contains("gradient") {
        return None;
    }
    match value.trim() {
        "none" | "" => Some(Colour::Transparent),
        it if it.contains('(') => colour(it),
        it => it.split_ascii_whitespace().find_map(colour),
    }
}

/// Parses a colour. `None` if the value is not a colour, or refers to another one.
pub(crate) fn colour(text: &str) -> Option<Colour> {
    let text = text.trim().to_ascii_lowercase();
    if let Some(digits) = text.strip_prefix('#') {
        return hex(digits);
    }
    Some(match text.as_str() {
        "white" => WHITE,
        "black" => Colour::Plain([0; 3]),
        "transparent" => Colour::Transparent,
        "snow" => Colour::Plain([255, 250, 250]),
        "ghostwhite" => Colour::Plain([248, 248, 255]),
        "whitesmoke" => Colour::Plain([245; 3]),
        "mintcream" => Colour::Plain([245, 255, 250]),
        "inherit" | "initial" | "unset" | "revert" | "currentcolor" => return None,
        it if it.contains("var(") => return None,
        it if it.contains('(') => {
            function(it).unwrap_or_else(|| Colour::Named(it.replace(' ', "")))
        }
        it if it.len() == 6 && it.bytes().all(|it| it.is_ascii_hexdigit()) => return hex(it),
        it if !it.is_empty() && it.chars().all(char::is_alphabetic) => Colour::Named(it.to_owned()),
        _ => return None,
    })
}

/// Parses `fff`, `ffffff`, and both with an opacity.
fn hex(digits: &str) -> Option<Colour> {
    let values: Vec<u8> =
        digits.chars().map(|it| it.to_digit(16).map(|it| it as u8)).collect::<Option<_>>()?;
    let (rgb, opacity) = match *values.as_slice() {
        [r, g, b] => ([r * 17, g * 17, b * 17], 255),
        [r, g, b, a] => ([r * 17, g * 17, b * 17], a * 17),
        [r, s, g, h, b, c] => ([r * 16 + s, g * 16 + h, b * 16 + c], 255),
        [r, s, g, h, b, c, a, o] => ([r * 16 + s, g * 16 + h, b * 16 + c], a * 16 + o),
        _ => return None,
    };
    Some(if opacity <= 12 { Colour::Transparent } else { Colour::Plain(rgb) })
}

/// Parses `rgb(…)` and `rgba(…)`, and white and black as `hsl(…)`.
fn function(text: &str) -> Option<Colour> {
    let (name, rest) = text.split_once('(')?;
    let parts: Vec<&str> = rest
        .trim_end_matches(')')
        .split([',', '/', ' '])
        .map(str::trim)
        .filter(|it| !it.is_empty())
        .collect();
    let share = |it: &str| number(it).map(|of| if it.ends_with('%') { of / 100.0 } else { of });
    if parts.get(3).and_then(|it| share(it)).is_some_and(|it| it <= 0.05) {
        return Some(Colour::Transparent);
    }
    let [one, two, three, ..] = *parts.as_slice() else { return None };
    match name.trim() {
        "rgb" | "rgba" => {
            let level = |it: &str| {
                let level = number(it)? * if it.ends_with('%') { 2.55 } else { 1.0 };
                Some(level.clamp(0.0, 255.0).round() as u8)
            };
            Some(Colour::Plain([level(one)?, level(two)?, level(three)?]))
        }
        "hsl" | "hsla" => match number(three)? {
            it if it >= 100.0 => Some(WHITE),
            it if it <= 0.0 => Some(Colour::Plain([0; 3])),
            it if number(two)? == 0.0 => Some(Colour::Plain([(it * 2.55).round() as u8; 3])),
            _ => None,
        },
        _ => None,
    }
}

/// Returns a text of a style sheet without its escapes: `display` for `d\69splay`.
pub(crate) fn unescaped(text: &str) -> String {
    if !text.contains('\\') {
        return text.to_owned();
    }
    let mut out = String::with_capacity(text.len());
    let mut characters = text.chars().peekable();
    while let Some(character) = characters.next() {
        if character != '\\' {
            out.push(character);
            continue;
        }
        let mut code = String::new();
        while code.len() < 6
            && let Some(digit) = characters.next_if(char::is_ascii_hexdigit)
        {
            code.push(digit);
        }
        if code.is_empty() {
            out.extend(characters.next());
            continue;
        }
        characters.next_if(|it| it.is_ascii_whitespace());
        let code = u32::from_str_radix(&code, 16).unwrap_or_default();
        out.push(char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_has_many_notations() {
        for text in [
            "#fff",
            "#FFFFFF",
            "#fffd",
            "white",
            "rgb(254, 255, 255)",
            "rgb(100% 100% 100%)",
            "rgba(255,255,255,.9)",
            "hsl(9, 3%, 100%)",
            "#fdfdfd",
            "ffffff",
            "snow",
            "whitesmoke",
            "#f8f8f8",
        ] {
            assert!(colour(text).is_some_and(|it| it.is_like(&WHITE)), "{text}");
        }
        for text in ["#f3f3f3", "#eee", "silver", "rgb(200,255,255)", "hsl(9,3%,90%)"] {
            assert!(!colour(text).is_some_and(|it| it.is_like(&WHITE)), "{text}");
        }
        for text in ["transparent", "#ffff00", "rgba(1,2,3,0)", "rgb(1 2 3 / 2%)", "#0000"] {
            let is_clear = colour(text) == Some(Colour::Transparent);
            assert_eq!(is_clear, text != "#ffff00", "{text}");
        }
        for text in ["inherit", "var(--x)", "#12", "12px", ""] {
            assert_eq!(colour(text), None, "{text}");
        }
    }

    #[test]
    fn escapes_are_read() {
        assert_eq!(unescaped("d\\69 splay\\:\\000041b"), "display:Ab");
        assert_eq!(unescaped("a\\"), "a");
    }

    #[test]
    fn tiny_sizes_have_units() {
        for size in ["0", "0px", "1px", ".5pt", "0.01em", "0%", "1%", "0.04rem"] {
            assert!(is_tiny_size(size), "{size}");
        }
        for size in ["2px", "0.8em", "90%", "1em", "small", "6pt"] {
            assert!(!is_tiny_size(size), "{size}");
        }
    }
}
