//! Compares the widths of a font's letters with those that such letters have.

/// The widths of the letters from the space to the tilde in Helvetica. Other fonts have others, in much the same
/// proportions.
#[rustfmt::skip]
const USUAL: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// The fewest letters that are compared.
const FEWEST: usize = 12;

/// Returns how well the widths go with the letters: 1 if they are in the same proportions, 0 if they have nothing to do
/// with each other. Returns `None` if there are too few letters or if all have the same width.
pub(crate) fn fit(letters: impl Iterator<Item = (char, f32)>) -> Option<f32> {
    let usual = |letter: char| {
        let at = u32::from(letter).checked_sub(32)? as usize;
        USUAL.get(at).map(|width| f32::from(*width))
    };
    let pairs: Vec<(f32, f32)> = letters
        .filter(|(letter, width)| *letter != ' ' && width.is_finite() && *width > 0.0)
        .filter_map(|(letter, width)| Some((usual(letter)?, width)))
        .collect();
    if pairs.len() < FEWEST {
        return None;
    }
    let count = pairs.len() as f32;
    let (mean_a, mean_b) = (
        pairs.iter().map(|(a, _)| a).sum::<f32>() / count,
        pairs.iter().map(|(_, b)| b).sum::<f32>() / count,
    );
    let (mut ab, mut aa, mut bb) = (0.0, 0.0, 0.0);
    for (a, b) in pairs {
        let (a, b) = (a - mean_a, b - mean_b);
        ab += a * b;
        aa += a * a;
        bb += b * b;
    }
    // The widths of a typewriter differ by rounding only.
    let is_even = (bb / count).sqrt() < 0.02 * mean_b;
    (!is_even && aa > 0.0).then(|| ab / (aa * bb).sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_another_font_fit_and_other_letters_do_not() {
        // Times.
        let times = [
            ('a', 444.0),
            ('b', 500.0),
            ('c', 444.0),
            ('d', 500.0),
            ('e', 444.0),
            ('f', 333.0),
            ('g', 500.0),
            ('h', 500.0),
            ('i', 278.0),
            ('l', 278.0),
            ('m', 778.0),
            ('n', 500.0),
            ('t', 278.0),
            ('w', 722.0),
        ];
        assert!(fit(times.into_iter()).unwrap() > 0.9);
        let moved =
            times.iter().enumerate().map(|(at, (_, width))| (char::from(b'a' + at as u8), *width));
        assert!(fit(moved).unwrap() < 0.6);
        assert_eq!(fit(times.into_iter().take(5)), None);
        assert_eq!(fit(times.into_iter().map(|(letter, _)| (letter, 600.0))), None);
    }
}
