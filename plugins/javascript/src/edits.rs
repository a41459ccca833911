//! Replaces parts of a source text, and finds places of the old text again.
//!
//! Lines stay: a replacement keeps the line ends of what it replaces, and has none of its own.

/// A replacement of bytes of a text.
pub(crate) struct Edit {
    pub(crate) start: usize,
    pub(crate) end: usize,
    pub(crate) text: String,
    /// The offset for which the new text stands; `start` if `None`.
    pub(crate) origin: Option<usize>,
}

impl Edit {
    pub(crate) fn replace(start: usize, end: usize, text: impl Into<String>) -> Self {
        Self { start, end, text: text.into(), origin: None }
    }

    pub(crate) fn insert(at: usize, text: impl Into<String>) -> Self {
        Self::replace(at, at, text)
    }
}

/// A text with replaced parts.
#[derive(Debug)]
pub(crate) struct Edited {
    pub(crate) code: String,
    shifts: Vec<Shift>,
}

/// A text that replaces another one. Lines and columns count from 1, columns in characters.
#[derive(Debug)]
struct Shift {
    line: u32,
    /// The columns of the new text in the new line.
    start: u32,
    end: u32,
    /// The columns of the old text in the old line.
    old_start: u32,
    old_end: u32,
    /// Line and column for which the new text stands, if not the start of the old text.
    origin: Option<(u32, u32)>,
}

/// Returns line and column of an offset.
pub(crate) fn place_of(code: &str, offset: usize) -> (u32, u32) {
    let before = &code[..code.floor_char_boundary(offset)];
    let line = before.rfind('\n').map_or(0, |end| end + 1);
    (lines(before) + 1, characters(&before[line..]) + 1)
}

fn characters(text: &str) -> u32 {
    u32::try_from(text.chars().count()).unwrap_or(u32::MAX / 4)
}

fn lines(text: &str) -> u32 {
    u32::try_from(text.matches('\n').count()).unwrap_or(u32::MAX / 4)
}

impl Edited {
    /// Replaces parts of a text. Of two replacements for one place, the first one holds.
    pub(crate) fn new(code: &str, mut edits: Vec<Edit>) -> Self {
        edits.sort_by_key(|edit| (edit.start, edit.end));
        let (mut out, mut shifts) = (String::with_capacity(code.len() + 64), Vec::new());
        // `old` and `new` are the columns where `code[done..]` and `out` go on.
        let (mut done, mut line, mut old, mut new) = (0, 1, 1, 1);
        for edit in edits {
            // Never so, unless the tokens were misunderstood.
            if edit.start < done {
                continue;
            }
            let (kept, replaced) = (&code[done..edit.start], &code[edit.start..edit.end]);
            out.push_str(kept);
            match kept.rfind('\n') {
                Some(end) => {
                    line += lines(kept);
                    old = characters(&kept[end + 1..]) + 1;
                    new = old;
                }
                None => {
                    old += characters(kept);
                    new += characters(kept);
                }
            }
            let origin = edit.origin.map(|offset| place_of(code, offset));
            let (start, old_start) = (new, old);
            out.push_str(&edit.text);
            new += characters(&edit.text);
            if let Some(end) = replaced.rfind('\n') {
                let (end_column, old_end) = (u32::MAX, u32::MAX);
                shifts.push(Shift { line, start, end: end_column, old_start, old_end, origin });
                line += lines(replaced);
                old = characters(&replaced[end + 1..]) + 1;
                new = old;
                out.extend(std::iter::repeat_n('\n', lines(replaced) as usize));
                out.extend(std::iter::repeat_n(' ', old as usize - 1));
            } else {
                old += characters(replaced);
                // Spaces keep the rest of the line in its place.
                if !replaced.is_empty() && new < old {
                    out.extend(std::iter::repeat_n(' ', (old - new) as usize));
                    new = old;
                }
                shifts.push(Shift { line, start, end: new, old_start, old_end: old, origin });
            }
            done = edit.end;
        }
        out.push_str(&code[done..]);
        Self { code: out, shifts }
    }

    /// Returns line and column in the old text of a place in the new one.
    pub(crate) fn place(&self, line: u32, column: u32) -> (u32, u32) {
        let mut place = (line, column);
        for shift in self.shifts.iter().filter(|shift| shift.line == line) {
            if column >= shift.end {
                place = (line, column - shift.end + shift.old_end);
            } else if column >= shift.start {
                place = shift.origin.unwrap_or((line, shift.old_start));
            }
        }
        place
    }
}

#[cfg(test)]
mod tests {
    use super::{Edit, Edited, place_of};

    #[test]
    fn places_are_found_again() {
        let code = "年 = f(b);\nc(d)";
        let at = |part: &str| code.find(part).unwrap();
        let moved = Edit { origin: Some(at("c(")), ..Edit::insert(at("f("), "g(1);") };
        let call = Edit::replace(at("f("), at(";"), "x");
        let edited = Edited::new(code, vec![call, moved, Edit::insert(at("d"), "[")]);
        assert_eq!(edited.code, "年 = g(1);x;\nc([d)");
        // What was before, inserted, replaced, and what follows.
        for (place, old) in [
            ((1, 1), (1, 1)),
            ((1, 5), (2, 1)),
            ((1, 9), (2, 1)),
            ((1, 10), (1, 5)),
            ((1, 11), (1, 9)),
            ((2, 1), (2, 1)),
            ((2, 3), (2, 3)),
            ((2, 4), (2, 3)),
            ((2, 5), (2, 4)),
        ] {
            assert_eq!(edited.place(place.0, place.1), old, "{place:?}");
        }
    }

    #[test]
    fn lines_stay() {
        let edited = Edited::new("a(\n b\n); c", vec![Edit::replace(0, 7, ";")]);
        assert_eq!(edited.code, ";\n\n ; c");
        assert_eq!(edited.place(3, 4), (3, 4));
        assert_eq!(edited.place(1, 9), (1, 1));
    }

    #[test]
    fn an_offset_within_a_letter_is_its_start() {
        assert_eq!(place_of("a\n年b", 3), (2, 1));
        assert_eq!(place_of("a\n年b", 5), (2, 2));
        assert_eq!(place_of("a", 9), (1, 2));
    }
}
