//! A text of several pieces, and how ranges of it are left out of them.

use std::ops::Range;

/// A piece of a text.
pub(super) enum Piece<'a> {
    /// Changed in place.
    Text(&'a mut String),
    /// Left out as a whole: the function gets the replacement.
    Whole(String, Box<dyn FnOnce(String) + 'a>),
    /// Shown, and never changed.
    Fixed(&'static str),
}

impl Piece<'_> {
    pub(super) fn shown(&self) -> &str {
        match self {
            Piece::Text(text) => text,
            Piece::Whole(text, _) => text,
            Piece::Fixed(text) => text,
        }
    }
}

/// Returns the text of all `pieces`.
pub(super) fn joined(pieces: &[Piece<'_>]) -> String {
    pieces.iter().map(Piece::shown).collect()
}

/// Leaves `ranges` of the text out of `pieces`: the first piece of each range gets `mark` in its place.
pub(super) fn leave_out(pieces: Vec<Piece<'_>>, ranges: &[Range<usize>], mark: &str) {
    let (mut at, mut next, mut is_marked) = (0, 0, false);
    for piece in pieces {
        let shown = piece.shown();
        let (begin, end) = (at, at + shown.len());
        at = end;
        let (mut kept, mut done) = (String::new(), begin);
        let mut is_changed = false;
        while let Some(range) = ranges.get(next).filter(|range| range.start < end) {
            let (from, to) = (range.start.max(done), range.end.min(end));
            if from < to && !matches!(piece, Piece::Fixed(_)) {
                kept.push_str(shown.get(done - begin..from - begin).unwrap_or_default());
                if !is_marked {
                    kept.push_str(mark);
                    is_marked = true;
                }
                (done, is_changed) = (to, true);
            }
            if range.end > end {
                break;
            }
            (next, is_marked) = (next + 1, false);
        }
        if !is_changed {
            continue;
        }
        kept.push_str(shown.get(done - begin..).unwrap_or_default());
        match piece {
            Piece::Text(text) => *text = kept,
            Piece::Whole(_, replace) => replace(match kept.contains(mark) {
                true => mark.to_owned(),
                false => String::new(),
            }),
            Piece::Fixed(_) => {}
        }
    }
}

#[cfg(test)]
#[expect(clippy::single_range_in_vec_init, reason = "one place of a text")]
mod tests {
    use super::*;

    #[test]
    fn places_are_left_out_across_the_borders_of_pieces() {
        for (ranges, left) in [
            (&[0..3][..], ["#d", "ef", "gh"]),
            (&[2..5], ["ab#", "f", "gh"]),
            (&[1..8], ["a#", "", ""]),
            (&[1..2, 3..5, 7..8], ["a#c#", "f", "g#"]),
            (&[4..6], ["abcd", "#", "gh"]),
            (&[0..1, 1..2], ["##cd", "ef", "gh"]),
            (&[], ["abcd", "ef", "gh"]),
            (&[0..8], ["#", "", ""]),
        ] {
            let mut texts = ["abcd", "ef", "gh"].map(String::from);
            let pieces = texts.iter_mut().map(Piece::Text).collect();
            leave_out(pieces, ranges, "#");
            assert_eq!(texts, left, "{ranges:?}");
        }
    }

    #[test]
    fn what_is_one_thing_is_left_out_as_one() {
        let (mut first, mut middle) = ("se".to_owned(), String::new());
        let pieces = vec![
            Piece::Text(&mut first),
            Piece::Fixed("\n"),
            Piece::Whole("cr".into(), Box::new(|text| middle = text + "!")),
        ];
        assert_eq!(joined(&pieces), "se\ncr");
        leave_out(pieces, &[3..4], "#");
        assert_eq!((first.as_str(), middle.as_str()), ("se", "#!"));
    }
}
