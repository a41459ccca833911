//! Writes a range of integers as digits: exact, without leading zeros, in as few alternatives as possible.

/// Largest bound that is written as digits, positive or negative.
pub(super) const LARGEST: i128 = 10_i128.pow(30);

/// Returns the alternatives of a GBNF expression for the integers from `low` to `high`. `low` is at most `high`, and neither
/// exceeds [`LARGEST`].
pub(super) fn alternatives(low: i128, high: i128) -> Vec<String> {
    let mut found = Vec::new();
    if low < 0 {
        // The largest negative number has the smallest magnitude.
        let nearest = high.min(-1).unsigned_abs();
        for digits in positive(nearest, low.unsigned_abs()) {
            found.push(format!("\"-\" {digits}"));
        }
    }
    if high >= 0 {
        let least = low.max(0).unsigned_abs();
        found.extend(positive(least, high.unsigned_abs()));
    }
    found
}

/// Does what [`alternatives`] does for numbers without a sign.
fn positive(low: u128, high: u128) -> Vec<String> {
    let mut found = Vec::new();
    let mut low = low;
    if low == 0 && high >= 99 {
        found.push(literal("0"));
        low = 1;
    }
    loop {
        let width = width(low);
        // All numbers of this width, and of the next widths as long as all of their numbers are in the range.
        let full = (width..32).take_while(|width| last_of(*width) <= high).last();
        if let Some(widest) = full.filter(|_| low > 0 && low == last_of(width - 1) + 1) {
            let rest = match (width - 1, widest - 1) {
                (0, 0) => String::new(),
                (0, 1) => " [0-9]?".into(),
                (1, 1) => " [0-9]".into(),
                (least, most) if least == most => format!(" [0-9]{{{least}}}"),
                (least, most) => format!(" [0-9]{{{least},{most}}}"),
            };
            found.push(format!("[1-9]{rest}"));
            low = last_of(widest) + 1;
        } else {
            let last = last_of(width).min(high);
            same_width(&low.to_string(), &last.to_string(), "", &mut found);
            low = last + 1;
        }
        if low > high {
            return found;
        }
    }
}

fn width(number: u128) -> u32 {
    number.checked_ilog10().unwrap_or(0) + 1
}

/// Returns the largest number of `width` digits.
fn last_of(width: u32) -> u128 {
    10_u128.checked_pow(width).map_or(u128::MAX, |next| next - 1)
}

/// Adds the numbers from `low` to `high`, which have the same number of digits, after `prefix`.
fn same_width(low: &str, high: &str, prefix: &str, found: &mut Vec<String>) {
    let (Some(&first), Some(&last)) = (low.as_bytes().first(), high.as_bytes().first()) else {
        found.push(literal(prefix));
        return;
    };
    let (low_rest, high_rest) = (&low[1..], &high[1..]);
    let width = low_rest.len();
    let all_above = low_rest.bytes().all(|it| it == b'0');
    let all_below = high_rest.bytes().all(|it| it == b'9');
    if first == last && !(all_above && all_below) {
        let prefix = format!("{prefix}{}", char::from(first));
        return same_width(low_rest, high_rest, &prefix, found);
    }
    // A first digit that restricts the others is a separate case.
    let from = if all_above { first } else { first + 1 };
    let to = if all_below { last } else { last - 1 };
    if !all_above {
        let prefix = format!("{prefix}{}", char::from(first));
        same_width(low_rest, &"9".repeat(width), &prefix, found);
    }
    if from <= to {
        let mut parts = Vec::new();
        if !prefix.is_empty() {
            parts.push(literal(prefix));
        }
        parts.push(digits(from, to));
        if width > 0 {
            parts.push(repeated(width));
        }
        found.push(parts.join(" "));
    }
    if !all_below {
        let prefix = format!("{prefix}{}", char::from(last));
        same_width(&"0".repeat(width), high_rest, &prefix, found);
    }
}

/// Returns an expression for `width` arbitrary digits.
fn repeated(width: usize) -> String {
    match width {
        1 => "[0-9]".into(),
        width => format!("[0-9]{{{width}}}"),
    }
}

fn digits(from: u8, to: u8) -> String {
    let (from, to) = (char::from(from), char::from(to));
    if from == to { literal(&from.to_string()) } else { format!("[{from}-{to}]") }
}

fn literal(digits: &str) -> String {
    format!("\"{digits}\"")
}
