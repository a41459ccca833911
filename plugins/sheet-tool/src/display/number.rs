//! Numbers with digits, groups, percent signs and exponents.

use super::digits::{decimal, placed, texts};
use super::fraction;
use super::general::general;
use super::pieces::Piece;

/// Returns a number by the pieces of its section.
pub(super) fn shown(number: f64, all: &[Piece]) -> String {
    let sign = if number < 0.0 { "-" } else { "" };
    if !all.iter().any(Piece::is_digit) && !all.contains(&Piece::Sign('.')) {
        return format!("{sign}{}", texts(all));
    }
    if all.contains(&Piece::Sign('/'))
        && let Some(text) = fraction::shown(number.abs(), all)
    {
        return format!("{sign}{text}");
    }
    let layout = Layout::new(all);
    let Some((value, power)) = layout.scaled(number.abs(), all) else { return general(number) };
    let (whole, fraction) = decimal(value, layout.decimals.len());
    let is_zero = whole.is_empty() && fraction.bytes().all(|it| it == b'0');
    let text = layout.written(all, &whole, &fraction, power);
    if is_zero { text } else { format!("{sign}{text}") }
}

/// Which pieces stand for which digits.
struct Layout {
    /// Places of digits in front of the point, behind it, and in the exponent.
    wholes: Vec<usize>,
    decimals: Vec<usize>,
    exponents: Vec<usize>,
    point: Option<usize>,
    /// The `E`; its sign follows.
    exponent: Option<usize>,
    has_groups: bool,
    /// Commas that divide by a thousand.
    thousands: i32,
}

impl Layout {
    fn new(all: &[Piece]) -> Self {
        let exponent = all
            .windows(2)
            .position(|it| matches!(it, [Piece::Sign('E' | 'e'), Piece::Sign('+' | '-')]));
        let end = exponent.unwrap_or(all.len());
        let point = all[..end].iter().position(|it| *it == Piece::Sign('.'));
        let digits = |range: std::ops::Range<usize>| -> Vec<usize> {
            range.filter(|at| all[*at].is_digit()).collect()
        };
        let wholes = digits(0..point.unwrap_or(end));
        let decimals = point.map_or(Vec::new(), |point| digits(point..end));
        let exponents = exponent.map_or(Vec::new(), |it| digits(it..all.len()));
        let comma = Piece::Sign(',');
        let has_groups = match (wholes.first(), wholes.last()) {
            (Some(first), Some(last)) => all[*first..*last].contains(&comma),
            _ => false,
        };
        let behind = |it: Option<&usize>| match it {
            Some(at) => all[at + 1..].iter().take_while(|it| **it == comma).count() as i32,
            None => 0,
        };
        let thousands = match exponent {
            Some(_) => 0,
            None => behind(wholes.last()) + behind(decimals.last()),
        };
        Self { wholes, decimals, exponents, point, exponent, has_groups, thousands }
    }

    /// Returns the number that the digits show, and its exponent; `None` if it is too large.
    fn scaled(&self, number: f64, all: &[Piece]) -> Option<(f64, i32)> {
        if self.exponent.is_none() {
            let percents = all.iter().filter(|it| **it == Piece::Sign('%')).count();
            let scaled = number * 100_f64.powi(percents as i32) / 1000_f64.powi(self.thousands);
            return Some((scaled, 0)).filter(|it| it.0.is_finite());
        }
        if number == 0.0 {
            return Some((0.0, 0));
        }
        // The exponent is a multiple of the number of digits in front of the point.
        let step = i32::try_from(self.wholes.len().max(1)).ok()?;
        let exponent: i32 = format!("{number:e}").split_once('e')?.1.parse().ok()?;
        let by = |power: i32| {
            format!("{number:e}").split_once('e').and_then(|(mantissa, _)| {
                format!("{mantissa}e{}", exponent - power).parse::<f64>().ok()
            })
        };
        let mut power = exponent.div_euclid(step) * step;
        let mut value = by(power)?;
        if decimal(value, self.decimals.len()).0.len() > step as usize {
            power += step;
            value = by(power)?;
        }
        Some((value, power))
    }

    fn written(&self, all: &[Piece], whole: &str, fraction: &str, power: i32) -> String {
        // Zero with an exponent fills all places.
        let zeros = if whole.is_empty() && self.exponent.is_some() {
            "0".repeat(self.wholes.len())
        } else {
            String::new()
        };
        let whole = if zeros.is_empty() { whole } else { &zeros };
        let wholes = placed(&self.wholes, all, whole, self.has_groups);
        let exponents = placed(&self.exponents, all, &power.unsigned_abs().to_string(), false);
        let needed = (0..self.decimals.len())
            .rposition(|at| {
                all[self.decimals[at]] == Piece::Sign('0') || fraction.as_bytes()[at] != b'0'
            })
            .map_or(0, |at| at + 1);
        let has_plus = self.exponent.is_some_and(|at| all[at + 1] == Piece::Sign('+'));
        let mut out = String::new();
        for (at, piece) in all.iter().enumerate() {
            if let Ok(found) = self.wholes.binary_search(&at) {
                out.push_str(&wholes[found]);
            } else if let Ok(found) = self.decimals.binary_search(&at) {
                if found < needed {
                    out.push_str(&fraction[found..=found]);
                } else if *piece == Piece::Sign('?') {
                    out.push(' ');
                }
            } else if let Ok(found) = self.exponents.binary_search(&at) {
                if found == 0 {
                    out.push_str(if power < 0 {
                        "-"
                    } else if has_plus {
                        "+"
                    } else {
                        ""
                    });
                }
                out.push_str(&exponents[found]);
            } else if Some(at) == self.point {
                if self.wholes.is_empty() {
                    out.push_str(whole);
                }
                out.push('.');
            } else if self.exponent.is_some_and(|it| it + 1 == at) {
                // The sign stands in front of the digits.
            } else {
                match piece {
                    Piece::Literal(text) => out.push_str(text),
                    Piece::Sign(',') if self.wholes.first().is_some_and(|it| *it < at) => {}
                    Piece::Sign(c) => out.push(*c),
                    Piece::Elapsed(..) | Piece::General => {}
                }
            }
        }
        out
    }
}
