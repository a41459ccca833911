//! Dates, times, and times of more than a day.

use super::pieces::Piece;
use crate::moment::serial_day;

const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];
const DAYS: [&str; 7] =
    ["Saturday", "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday"];

/// Returns a serial number by the pieces of its section.
pub(super) fn shown(serial: f64, all: &[Piece], from_1904: bool) -> String {
    let has_elapsed = all.iter().any(|it| matches!(it, Piece::Elapsed(..)));
    if has_elapsed && (-2_958_466.0..0.0).contains(&serial) {
        return format!("-{}", shown(-serial, all, from_1904));
    }
    if !(0.0..2_958_466.0).contains(&serial) {
        return "#######".to_owned();
    }
    // Times are rounded to the last digit that is shown, of which Excel has three.
    let digits = fraction_digits(all).min(3);
    let unit = 10_i64.pow(digits);
    let ticks = (serial * 86_400.0 * unit as f64).round() as i64;
    let (seconds, fraction) = (ticks / unit, ticks % unit);
    let day = seconds / 86_400;
    let (year, month, date) = serial_day(day as f64, from_1904);
    let weekday = (day + if from_1904 { 1462 } else { 0 }).rem_euclid(7) as usize;
    let has_halves = all.windows(3).any(|it| {
        matches!(it, [Piece::Sign('A' | 'a'), Piece::Sign('/'), Piece::Sign('P' | 'p')])
            || matches!(it, [Piece::Sign('A' | 'a'), Piece::Sign('M' | 'm'), Piece::Sign('/')])
    });
    let is_elapsed =
        |unit: char| all.iter().any(|it| matches!(it, Piece::Elapsed(c, _) if *c == unit));
    let clock = |unit: char| match (unit, is_elapsed(unit)) {
        ('h', true) => seconds / 3600,
        ('h', false) => seconds / 3600 % 24,
        ('m', true) => seconds / 60,
        ('m', false) => seconds / 60 % 60,
        (_, true) => seconds,
        (_, false) => seconds % 60,
    };
    let hour = clock('h');
    let mut out = String::new();
    // The last letter of a date or time decides whether `m` is a minute.
    let (mut at, mut last) = (0, ' ');
    while at < all.len() {
        let sign = match &all[at] {
            Piece::Sign(sign) => *sign,
            Piece::Literal(text) => {
                out.push_str(text);
                at += 1;
                continue;
            }
            Piece::Elapsed(unit, width) => {
                out.push_str(&format!("{:0width$}", clock(*unit), width = *width));
                last = *unit;
                at += 1;
                continue;
            }
            Piece::General => {
                at += 1;
                continue;
            }
        };
        let lower = sign.to_ascii_lowercase();
        let same = |it: &Piece| matches!(it, Piece::Sign(c) if c.to_ascii_lowercase() == lower);
        let mut count = all[at..].iter().take_while(|it| same(it)).count();
        let next = all[at + count..].iter().find_map(|it| match it {
            Piece::Sign(c) if c.is_ascii_alphabetic() => Some(c.to_ascii_lowercase()),
            Piece::Elapsed(c, _) => Some(*c),
            _ => None,
        });
        let padded = |value: i64| if count > 1 { format!("{value:02}") } else { value.to_string() };
        match lower {
            'y' | 'e' => out.push_str(&if count > 2 || lower == 'e' {
                format!("{year:04}")
            } else {
                format!("{:02}", year % 100)
            }),
            'm' if count < 3 && (matches!(last, 'h' | 's') || next == Some('s')) => {
                out.push_str(&padded(clock('m')));
            }
            'm' => {
                let name = MONTHS[(month - 1).clamp(0, 11) as usize];
                match count {
                    1 | 2 => out.push_str(&padded(month)),
                    3 => out.push_str(&name[..3]),
                    5 => out.push_str(&name[..1]),
                    _ => out.push_str(name),
                }
            }
            'd' => match count {
                1 | 2 => out.push_str(&padded(date)),
                3 => out.push_str(&DAYS[weekday][..3]),
                _ => out.push_str(DAYS[weekday]),
            },
            'h' => out.push_str(&padded(if has_halves { (hour + 11) % 12 + 1 } else { hour })),
            's' => out.push_str(&padded(clock('s'))),
            'a' if has_halves => {
                let is_long =
                    all.get(at + 1).is_some_and(|it| matches!(it, Piece::Sign('M' | 'm')));
                let half = if hour % 24 < 12 { 'A' } else { 'P' };
                let half = if sign == 'a' && !is_long { half.to_ascii_lowercase() } else { half };
                out.push(half);
                out.push_str(if is_long { "M" } else { "" });
                at += if is_long { 5 } else { 3 };
                continue;
            }
            '.' if all.get(at + 1) == Some(&Piece::Sign('0')) => {
                let zeros = all[at + 1..].iter().take_while(|it| **it == Piece::Sign('0')).count();
                let width = digits as usize;
                let text = if width > 0 { format!("{fraction:0width$}") } else { String::new() };
                out.push_str(&format!(".{text:0<zeros$}"));
                count = 1 + zeros;
            }
            _ => out.extend(std::iter::repeat_n(sign, count)),
        }
        if matches!(lower, 'y' | 'm' | 'd' | 'h' | 's') {
            last = lower;
        }
        at += count;
    }
    out
}

/// Returns the number of digits of a fraction of a second.
fn fraction_digits(all: &[Piece]) -> u32 {
    let Some(point) = all.windows(2).position(|it| *it == [Piece::Sign('.'), Piece::Sign('0')])
    else {
        return 0;
    };
    all[point + 1..].iter().take_while(|it| **it == Piece::Sign('0')).count() as u32
}
