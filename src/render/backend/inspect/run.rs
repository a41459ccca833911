//! A text of several segments, and how ranges of it are left out of them.

use std::ops::Range;

/// A segment of a text.
pub(super) enum TextSegment<'a> {
    /// Changed in place.
    Text(&'a mut String),
    /// Left out as a whole: the function gets the replacement.
    Whole(String, Box<dyn FnOnce(String) + 'a>),
    /// Shown, and never changed.
    Fixed(&'static str),
}

impl TextSegment<'_> {
    pub(super) fn shown(&self) -> &str {
        match self {
            TextSegment::Text(text) => text,
            TextSegment::Whole(text, _) => text,
            TextSegment::Fixed(text) => text,
        }
    }
}

/// Returns the text of all `segments`.
pub(super) fn joined(segments: &[TextSegment<'_>]) -> String {
    segments.iter().map(TextSegment::shown).collect()
}

/// Leaves `ranges` of the text out of `segments`: the first segment of each range gets `mark` in its place.
pub(super) fn leave_out(segments: Vec<TextSegment<'_>>, ranges: &[Range<usize>], mark: &str) {
    let (mut at, mut next, mut is_marked) = (0, 0, false);
    for segment in segments {
        let shown = segment.shown();
        let (begin, end) = (at, at + shown.len());
        at = end;
        let (mut kept, mut done) = (String::new(), begin);
        let mut is_changed = false;
        while let Some(range) = ranges.get(next).filter(|range| range.start < end) {
            let (from, to) = (range.start.max(done), range.end.min(end));
            if from < to && !matches!(segment, TextSegment::Fixed(_)) {
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
        match segment {
            TextSegment::Text(text) => *text = kept,
            TextSegment::Whole(_, replace) => {
                replace(if kept.contains(mark) { mark.to_owned() } else { String::new() })
            }
            TextSegment::Fixed(_) => {}
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
            let segments = texts.iter_mut().map(TextSegment::Text).collect();
            leave_out(segments, ranges, "#");
            assert_eq!(texts, left, "{ranges:?}");
        }
    }

    #[test]
    fn what_is_one_thing_is_left_out_as_one() {
        let (mut first, mut middle) = ("se".to_owned(), String::new());
        let segments = vec![
            TextSegment::Text(&mut first),
            TextSegment::Fixed("\n"),
            TextSegment::Whole("cr".into(), Box::new(|text| middle = text + "!")),
        ];
        assert_eq!(joined(&segments), "se\ncr");
        leave_out(segments, &[3..4], "#");
        assert_eq!((first.as_str(), middle.as_str()), ("se", "#!"));
    }
}
