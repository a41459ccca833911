//! Digits of a number, and the places of a format where they stand.

use super::pieces::Piece;

/// Returns pieces without digits as they stand there.
pub(super) fn texts(all: &[Piece]) -> String {
    let text = |it: &Piece| match it {
        Piece::Literal(text) => text.clone(),
        Piece::Sign(c) => c.to_string(),
        Piece::Elapsed(..) | Piece::General => String::new(),
    };
    all.iter().map(text).collect()
}

/// Returns what stands at each place of a digit: the digits from the right, and in front of them what each place asks for.
pub(super) fn placed(
    places: &[usize],
    all: &[Piece],
    digits: &str,
    has_groups: bool,
) -> Vec<String> {
    let zero = places.iter().position(|it| all[*it] == Piece::Sign('0')).unwrap_or(places.len());
    let digits: Vec<char> = digits.chars().collect();
    let group = |text: &mut String, right: usize, mark: char| {
        if has_groups && right > 0 && right.is_multiple_of(3) {
            text.push(mark);
        }
    };
    let mut found = Vec::with_capacity(places.len());
    for (at, place) in places.iter().enumerate() {
        let right = places.len() - 1 - at;
        let mut text = String::new();
        // The first place takes all digits that have no place of their own.
        let most = if at == 0 { digits.len().max(right + 1) } else { right + 1 };
        for right in (right..most).rev() {
            if right < digits.len() {
                text.push(digits[digits.len() - 1 - right]);
                group(&mut text, right, ',');
            } else if at >= zero {
                text.push('0');
                group(&mut text, right, ',');
            } else if all[*place] == Piece::Sign('?') {
                text.push(' ');
                group(&mut text, right, ' ');
            }
        }
        found.push(text);
    }
    found
}

/// Returns the digits in front of the point, without zeros at their beginning, and some behind it. Numbers have fifteen digits.
pub(super) fn decimal(value: f64, decimals: usize) -> (String, String) {
    let scientific = format!("{value:.14e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else {
        return (String::new(), "0".repeat(decimals));
    };
    let mut digits: Vec<u8> = mantissa.bytes().filter(u8::is_ascii_digit).collect();
    // Number of digits in front of the point.
    let mut whole: i64 = exponent.parse::<i64>().unwrap_or(0) + 1;
    let kept = whole + decimals as i64;
    if kept < digits.len() as i64 {
        let rounds_up = usize::try_from(kept).is_ok_and(|at| digits[at] >= b'5');
        digits.truncate(usize::try_from(kept).unwrap_or(0));
        if rounds_up {
            match digits.iter().rposition(|it| *it != b'9') {
                Some(at) => {
                    digits[at] += 1;
                    digits[at + 1..].fill(b'0');
                }
                None => {
                    digits.fill(b'0');
                    digits.insert(0, b'1');
                    whole += 1;
                }
            }
        }
    }
    let digit = |at: i64| {
        let found = usize::try_from(at).ok().and_then(|at| digits.get(at));
        found.map_or('0', |it| char::from(*it))
    };
    let front: String = (0..whole).map(digit).collect();
    let behind = (whole..whole + decimals as i64).map(digit).collect();
    (front.trim_start_matches('0').to_owned(), behind)
}
