//! Numbers as fractions: `# ?/?`, `0/4`.

use super::digits::{placed, texts};
use super::pieces::Piece;
use std::ops::Range;

/// Most digits of a denominator.
const MAX_DIGITS: usize = 7;

/// Returns a number that is not negative as a fraction; `None` if the pieces have no numerator or denominator.
pub(super) fn shown(value: f64, all: &[Piece]) -> Option<String> {
    if value >= 1e15 {
        return None;
    }
    let slash = all.iter().position(|it| *it == Piece::Sign('/'))?;
    let below = |it: &Piece| it.is_digit() || matches!(it, Piece::Sign('1'..='9'));
    let numerator = run(all, all[..slash].iter().rposition(Piece::is_digit)?);
    let start = slash + 1 + all[slash + 1..].iter().position(below)?;
    let denominator = start..start + all[start..].iter().take_while(|it| below(it)).count();
    let wholes: Vec<usize> = (0..numerator.start).filter(|at| all[*at].is_digit()).collect();
    let front = &all[..numerator.start];
    let has = |places: &[Piece], sign: char| places.contains(&Piece::Sign(sign));
    let given: String = all[denominator.clone()]
        .iter()
        .filter_map(|it| if let Piece::Sign(c) = it { Some(*c) } else { None })
        .collect();
    let is_given = given.contains(|it: char| ('1'..='9').contains(&it));
    let (mut whole, part) =
        if wholes.is_empty() { (0.0, value) } else { (value.floor(), value.fract()) };
    let (mut above, mut under) = match given.parse::<i64>().ok().filter(|_| is_given) {
        Some(under) => ((part * under as f64).round() as i64, under),
        None if is_given => return None,
        None => nearest(part, 10_i64.pow(denominator.len().min(MAX_DIGITS) as u32) - 1),
    };
    if !wholes.is_empty() && above == under {
        (whole, above, under) = (whole + 1.0, 0, if is_given { under } else { 1 });
    }
    let has_blank =
        has(front, '?') || has(&all[numerator.clone()], '?') || has(&all[denominator.clone()], '?');
    let has_zero = has(&all[numerator.clone()], '0');
    let first = wholes.first().copied().unwrap_or(numerator.start);
    let last = wholes.last().map_or(numerator.start, |it| it + 1);
    let mut out = texts(&all[..first]);
    let separator = texts(&all[last..numerator.start]);
    let middle = texts(&all[numerator.end..denominator.start]);
    let blanks = |count: usize| " ".repeat(count);
    let write_whole = |out: &mut String, digits: &str| {
        let placed = placed(&wholes, all, digits, false);
        for at in first..last {
            match wholes.binary_search(&at) {
                Ok(found) => out.push_str(&placed[found]),
                Err(_) => out.push_str(&texts(&all[at..=at])),
            }
        }
    };
    if !wholes.is_empty() {
        let is_hidden = above == 0 && !has_zero;
        let only_marks = wholes.iter().all(|it| all[*it] == Piece::Sign('#'));
        let shows_zero = has(front, '0');
        if whole > 0.0 || is_hidden || shows_zero || above == 0 && !only_marks {
            write_whole(&mut out, &format!("{whole:.0}"));
            if is_hidden {
                if has_blank {
                    let width = separator.chars().count() + middle.chars().count();
                    out.push_str(&blanks(width + numerator.len() + denominator.len()));
                }
                out.push_str(&texts(&all[denominator.end..]));
                return Some(out);
            }
            out.push_str(&separator);
        } else {
            let marks = wholes.iter().filter(|it| all[**it] == Piece::Sign('?')).count();
            out.push_str(&blanks(marks));
            if marks > 0 || has(&all[numerator.clone()], '?') {
                out.push_str(&blanks(separator.chars().count()));
            }
        }
    }
    let places: Vec<usize> = numerator.collect();
    out.push_str(&placed(&places, all, &above.to_string(), false).concat());
    out.push_str(&middle);
    let digits = under.to_string();
    let places: Vec<usize> = denominator.clone().collect();
    if is_given {
        out.push_str(&digits);
    } else if has(&all[denominator.clone()], '0') {
        out.push_str(&placed(&places, all, &digits, false).concat());
    } else {
        out.push_str(&digits);
        if has(&all[denominator.clone()], '?') {
            out.push_str(&blanks(places.len().saturating_sub(digits.len())));
        }
    }
    out.push_str(&texts(&all[denominator.end..]));
    Some(out)
}

/// Returns the places of digits that end at a place without anything between them.
fn run(all: &[Piece], last: usize) -> Range<usize> {
    let count = all[..=last].iter().rev().take_while(|it| it.is_digit()).count();
    last + 1 - count..last + 1
}

/// Returns the fraction with a denominator of at most `most` that is nearest to a number, by its continued fraction.
fn nearest(value: f64, most: i64) -> (i64, i64) {
    let (mut before, mut last) = ((0_i64, 1_i64), (1_i64, 0_i64));
    let mut rest = value;
    loop {
        let step = rest.floor();
        let above = before.0 as f64 + step * last.0 as f64;
        let under = before.1 as f64 + step * last.1 as f64;
        if under > most as f64 || above > 9e15 {
            // A part of the step may still be nearer.
            let part = (most - before.1) / last.1.max(1);
            let between = (before.0 + part * last.0, before.1 + part * last.1);
            let error = |it: (i64, i64)| (it.0 as f64 / it.1 as f64 - value).abs();
            return if between.1 > 0 && error(between) < error(last) { between } else { last };
        }
        (before, last) = (last, (above as i64, under as i64));
        let fraction = rest - step;
        if fraction < 1e-11 || (above / under - value).abs() < 1e-14 {
            return last;
        }
        rest = 1.0 / fraction;
    }
}
