//! Removes the operators of a page that no text depends on: colours of strokes, marked content, and colours that fill
//! nothing. They are half of the operators in a tagged document, and the library parses each page more than once.

use std::ops::Range;

/// Deepest nesting of saved graphics states.
const MAX_SAVED: usize = 10_000;

/// The part of the graphics state that is followed. `q` and `Q` save and restore it.
#[derive(Clone)]
struct State {
    /// The operator that set the fill colour.
    colour: Option<Range<usize>>,
    /// `true` if that operator was written.
    is_written: bool,
    /// Text rendering mode as one digit, or `None` if it is not known.
    mode: Option<u8>,
}

struct Thin<'a> {
    content: &'a [u8],
    out: Vec<u8>,
    state: State,
    saved: Vec<State>,
    /// Where the current path begins in `out`.
    path: Option<usize>,
}

/// Copies the operators of a page that say what text and which lines are on it; `None` for a page with inline images.
pub(crate) fn thin(content: &[u8]) -> Option<Vec<u8>> {
    let state = State { colour: None, is_written: true, mode: Some(b'0') };
    let out = Vec::with_capacity(content.len() / 2);
    let mut thin = Thin { content, out, state, saved: Vec::new(), path: None };
    operators(content, |start, from, end| thin.operator(start, from, end))?;
    Some(thin.out)
}

/// Copies the operators of a page that paint lines and areas, and those that place them.
pub(crate) fn drawing(content: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    // Start of each saved state in `out`; `None` once something is drawn in it.
    let mut saved: Vec<Option<usize>> = Vec::new();
    let copied = operators(content, |start, from, end| {
        match content.get(from..end)? {
            b"q" if saved.len() >= MAX_SAVED => return None,
            b"q" => saved.push(Some(out.len())),
            b"Q" => {
                if let Some(Some(at)) = saved.pop() {
                    out.truncate(at);
                    return Some(());
                }
            }
            b"cm" => {}
            b"m" | b"l" | b"c" | b"v" | b"y" | b"re" | b"f" | b"F" | b"f*" | b"B" | b"B*"
            | b"b" | b"b*" | b"S" | b"s" | b"n" => {
                saved.iter_mut().rev().map_while(Option::take).for_each(drop)
            }
            _ => return Some(()),
        }
        out.push(b'\n');
        out.extend_from_slice(content.get(start..end)?);
        Some(())
    });
    match copied {
        Some(()) => out,
        None => content.to_owned(),
    }
}

/// Calls `each` for every operator, with the start of its operands, the start of its name, and the end of both.
/// Separates operators exactly as the library does. Returns `None` if `each` does, and for inline images.
fn operators(
    content: &[u8],
    mut each: impl FnMut(usize, usize, usize) -> Option<()>,
) -> Option<()> {
    let (mut at, mut start) = (0, 0);
    while let Some(byte) = content.get(at) {
        match byte {
            b'%' => at += run(content, at, |byte| !matches!(byte, b'\n' | b'\r')),
            b'(' => at = literal(content, at),
            b'<' if content.get(at + 1).is_some_and(|next| *next != b'<') => at = hex(content, at),
            b'[' => at = array(content, at),
            b'/' => at = name(content, at),
            b'\'' | b'"' => {
                at += 1;
                each(start, at - 1, at)?;
                start = at;
            }
            byte if byte.is_ascii_alphabetic() => {
                let from = at;
                at += run(content, at, u8::is_ascii_alphanumeric);
                at += usize::from(content.get(at) == Some(&b'*'));
                if content.get(from..at)? == b"BI" {
                    return None;
                }
                if !matches!(content.get(from..at)?, b"true" | b"false" | b"null") {
                    each(start, from, at)?;
                    start = at;
                }
            }
            _ => at += 1,
        }
    }
    Some(())
}

impl Thin<'_> {
    /// Takes an operator. Its operands begin at `start`, its name at `from`, and both end at `end`.
    fn operator(&mut self, start: usize, from: usize, end: usize) -> Option<()> {
        let content = self.content;
        match content.get(from..end)? {
            b"BDC" | b"BMC" | b"EMC" | b"MP" | b"DP" | b"CS" | b"SC" | b"SCN" | b"G" | b"RG"
            | b"K" | b"M" | b"J" | b"j" | b"d" | b"i" | b"ri" | b"gs" => return Some(()),
            b"g" | b"rg" | b"k" | b"sc" | b"scn" | b"cs" => {
                self.state.colour = Some(start..end);
                self.state.is_written = false;
                return Some(());
            }
            b"Tr" => {
                let mode = match content.get(start..from)?.trim_ascii() {
                    [digit @ b'0'..=b'9'] => Some(*digit),
                    _ => None,
                };
                if mode.is_some() && mode == self.state.mode {
                    return Some(());
                }
                self.state.mode = mode;
            }
            b"q" if self.saved.len() >= MAX_SAVED => return None,
            b"q" => self.saved.push(self.state.clone()),
            b"Q" => {
                if let Some(state) = self.saved.pop() {
                    self.state = state;
                }
            }
            b"f" | b"F" | b"f*" => self.colour(),
            b"Do" => {
                self.path = None;
                self.colour();
            }
            _ => {}
        }
        match content.get(from..end)? {
            b"m" | b"re" => {
                self.path.get_or_insert(self.out.len());
            }
            b"l" | b"c" | b"v" | b"y" | b"h" => {}
            _ => self.path = None,
        }
        self.write(start..end);
        Some(())
    }

    /// Writes the colour of a filling before its path.
    fn colour(&mut self) {
        if std::mem::replace(&mut self.state.is_written, true) {
            return;
        }
        let Some(colour) = self.state.colour.clone() else { return };
        let path = self.path.map(|at| self.out.split_off(at));
        self.write(colour);
        self.out.extend(path.unwrap_or_default());
    }

    fn write(&mut self, range: Range<usize>) {
        let Some(operator) = self.content.get(range) else { return };
        if !operator.first().is_some_and(u8::is_ascii_whitespace) {
            self.out.push(b'\n');
        }
        self.out.extend_from_slice(operator);
    }
}

/// Returns how many bytes from `at` on satisfy `is_such`.
fn run(content: &[u8], at: usize, is_such: impl Fn(&u8) -> bool) -> usize {
    content.get(at..).unwrap_or_default().iter().take_while(|byte| is_such(byte)).count()
}

/// Returns the end of a literal string.
fn literal(content: &[u8], at: usize) -> usize {
    let mut depth = 0;
    let mut at = at;
    while let Some(byte) = content.get(at) {
        at += 1;
        match byte {
            b'\\' => at += usize::from(at < content.len()),
            b'(' => depth += 1,
            b')' if depth == 1 => return at,
            b')' => depth -= 1,
            _ => {}
        }
    }
    at
}

/// Returns the end of a hexadecimal string.
fn hex(content: &[u8], at: usize) -> usize {
    let length = run(content, at, |byte| *byte != b'>');
    (at + length + 1).min(content.len())
}

/// Returns the end of a name.
fn name(content: &[u8], at: usize) -> usize {
    let mut at = at + 1;
    while let Some(byte) = content.get(at) {
        match byte {
            b' ' | b'\t' | b'\n' | b'\r' | 0 | 12 => break,
            b'(' | b')' | b'<' | b'>' | b'[' | b']' | b'{' | b'}' | b'/' | b'%' => break,
            b'#' if at + 2 < content.len() => at += 3,
            _ => at += 1,
        }
    }
    at
}

/// Returns the end of an array.
fn array(content: &[u8], at: usize) -> usize {
    let mut depth = 0_usize;
    let mut at = at;
    while let Some(byte) = content.get(at) {
        match byte {
            b'[' => {
                depth += 1;
                at += 1;
            }
            b']' => {
                depth -= 1;
                at += 1;
                if depth == 0 {
                    break;
                }
            }
            b'(' => at = literal(content, at),
            b'<' if content.get(at + 1).is_some_and(|next| *next != b'<') => at = hex(content, at),
            b'/' => at = name(content, at),
            _ => at += 1,
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(content: &str) -> Option<String> {
        let thin = String::from_utf8(thin(content.as_bytes())?).unwrap();
        Some(thin.split_ascii_whitespace().collect::<Vec<_>>().join(" "))
    }

    #[test]
    fn drawings_are_told_from_text() {
        for (content, expected) in [
            ("q 1 0 0 1 2 2 cm BT (f) Tj ET Q q 0 0 9 9 re f Q", "q 0 0 9 9 re f Q"),
            ("q q 1 g 0 0 m 1 1 l h S Q q 1 w Q Q", "q q 0 0 m 1 1 l S Q Q"),
            // A path continues after the end of a state.
            ("q 0 0 m Q q 2 w Q 1 1 l f*", "q 0 0 m Q 1 1 l f*"),
            ("Q q 0 0 9 9 re n q", "Q q 0 0 9 9 re n q"),
            ("0 0 9 9 re f BI (x EI", "0 0 9 9 re f BI (x EI"),
        ] {
            let drawing = String::from_utf8(drawing(content.as_bytes())).unwrap();
            let words: Vec<&str> = drawing.split_ascii_whitespace().collect();
            assert_eq!(words.join(" "), expected, "{content}");
        }
    }

    #[test]
    fn what_no_text_depends_on_is_left_out() {
        for (content, expected) in [
            (
                "/P<</MCID 0>>BDC q 1 0 0 -1 6 7 cm/c0 cs .3 .3 .3 scn BT 0 Tr/f0 8 Tf(a)Tj ET Q EMC",
                "q 1 0 0 -1 6 7 cm BT /f0 8 Tf (a)Tj ET Q",
            ),
            // A colour counts where something is filled, and comes before the path.
            ("1 g 0 g 0 0 m 9 0 l 9 9 l h f", "0 g 0 0 m 9 0 l 9 9 l h f"),
            (
                "1 g q 0 0 9 9 re f Q 0 0 9 9 re f 0 0 9 9 re f",
                "q 1 g 0 0 9 9 re f Q 1 g 0 0 9 9 re f 0 0 9 9 re f",
            ),
            ("1 g 0 0 9 9 re f q 0 0 9 9 re f Q", "1 g 0 0 9 9 re f q 0 0 9 9 re f Q"),
            ("1 g q 0 g Q 0 0 9 9 re f*", "q Q 1 g 0 0 9 9 re f*"),
            ("1 g 0 0 9 9 re S 0 0 m W n", "0 0 9 9 re S 0 0 m W n"),
            ("1 g /Logo Do", "1 g /Logo Do"),
            // A form or a filling has the colour that was set last.
            ("/c cs 1 scn/P scn 0 0 9 9 re f", "/P scn 0 0 9 9 re f"),
            ("0 Tr 3 Tr 3 Tr q 0 Tr Q 3 Tr 0 Tr", "3 Tr q 0 Tr Q 0 Tr"),
            ("3 -1 Tr 0 Tr", "3 -1 Tr 0 Tr"),
            // Strings and dictionaries that look like operators.
            (
                "(EMC \\) BDC) Tj [(g)/g<67>[g]-2 g]TJ/EMC gs <</A(k)>>BDC",
                "(EMC \\) BDC) Tj [(g)/g<67>[g]-2 g]TJ",
            ),
            ("% 1 g\n1 w", "% 1 g 1 w"),
            ("true g 5 0 R EMC(a)'(b)\"", "5 0 R (a)' (b)\""),
            ("0 0 m 1 1 l S/a#20 gs(unfinished", "0 0 m 1 1 l S"),
            ("Q Q 1 g Q 0 0 9 9 re f", "Q Q Q 1 g 0 0 9 9 re f"),
            ("", ""),
        ] {
            assert_eq!(of(content).as_deref(), Some(expected), "{content}");
        }
        assert_eq!(of("q BI /W 1 ID (x EI Q"), None);
        let nested = "q ".repeat(MAX_SAVED + 1) + "1 0 0 1 2 2 cm";
        assert_eq!(drawing(nested.as_bytes()), nested.as_bytes());
        assert_eq!(of(&"q ".repeat(MAX_SAVED + 1)), None);
    }
}
