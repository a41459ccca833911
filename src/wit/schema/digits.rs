//! Regular expressions for ranges of integers in decimal digits: JSON Schema cannot compare strings.

/// Returns a pattern that matches exactly the integers from `lowest` to `highest`, without leading zeros, a plus sign or
/// negative zero.
pub(super) fn pattern(lowest: i128, highest: i128) -> String {
    let mut parts = Vec::new();
    if highest >= 0 {
        parts.extend(magnitudes(lowest.max(0).unsigned_abs(), highest.unsigned_abs()));
    }
    if lowest < 0 {
        let least = if highest < 0 { highest.unsigned_abs() } else { 1 };
        parts.extend(
            magnitudes(least, lowest.unsigned_abs()).into_iter().map(|part| format!("-{part}")),
        );
    }
    format!("^({})$", parts.join("|"))
}

/// Returns alternatives for the magnitudes from `low` to `high`, at most one per number of digits.
fn magnitudes(low: u128, high: u128) -> Vec<String> {
    let mut parts = Vec::new();
    let (low, high) = (low.to_string(), high.to_string());
    // All lengths between the two are one part.
    let (first, last) = (low.len(), high.len());
    if first == last {
        return vec![same_length(low.as_bytes(), high.as_bytes())];
    }
    let mut least = first;
    let is_power =
        |digits: &str| digits.starts_with('1') && digits[1..].bytes().all(|digit| digit == b'0');
    if low == "0" {
        parts.push("0".to_owned());
    } else if !is_power(&low) {
        parts.push(same_length(low.as_bytes(), "9".repeat(first).as_bytes()));
        least = first + 1;
    }
    let most = if high.bytes().all(|digit| digit == b'9') { last } else { last - 1 };
    if least <= most {
        parts.push(format!("[1-9]{}", digits(least - 1, most - 1)));
    }
    if most < last {
        let from = format!("1{}", "0".repeat(last - 1));
        parts.push(same_length(from.as_bytes(), high.as_bytes()));
    }
    parts
}

fn digits(least: usize, most: usize) -> String {
    match (least, most) {
        (0, 0) => String::new(),
        (1, 1) => "[0-9]".to_owned(),
        (least, most) if least == most => format!("[0-9]{{{most}}}"),
        (least, most) => format!("[0-9]{{{least},{most}}}"),
    }
}

/// Returns a pattern for the numbers from `low` to `high`, which have the same number of digits.
fn same_length(low: &[u8], high: &[u8]) -> String {
    let ([first, low_rest @ ..], [last, high_rest @ ..]) = (low, high) else {
        return String::new();
    };
    if first == last {
        return format!("{}{}", char::from(*first), same_length(low_rest, high_rest));
    }
    let rest = digits(low_rest.len(), low_rest.len());
    let (mut from, mut to, mut parts) = (*first, *last, Vec::new());
    if low_rest.iter().any(|digit| *digit != b'0') {
        parts.push(format!(
            "{}{}",
            char::from(from),
            same_length(low_rest, &vec![b'9'; low_rest.len()])
        ));
        from += 1;
    }
    let mut end = None;
    if high_rest.iter().any(|digit| *digit != b'9') {
        end = Some(format!(
            "{}{}",
            char::from(to),
            same_length(&vec![b'0'; high_rest.len()], high_rest)
        ));
        to -= 1;
    }
    if from == to {
        parts.push(format!("{}{rest}", char::from(from)));
    } else if from < to {
        parts.push(format!("[{}-{}]{rest}", char::from(from), char::from(to)));
    }
    parts.extend(end);
    match &parts[..] {
        [only] => only.clone(),
        several => format!("({})", several.join("|")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::Pattern;

    #[test]
    fn exact_at_every_edge() {
        let edges: [i128; 22] = [
            -9_223_372_036_854_775_808,
            -1000,
            -999,
            -123,
            -101,
            -100,
            -99,
            -10,
            -9,
            -1,
            0,
            1,
            9,
            10,
            11,
            99,
            100,
            120,
            1000,
            54_321,
            9_223_372_036_854_775_807,
            18_446_744_073_709_551_615,
        ];
        for (index, low) in edges.iter().enumerate() {
            for high in &edges[index..] {
                let compiled = Pattern::new(&pattern(*low, *high)).unwrap();
                for edge in edges {
                    for value in
                        [edge - 2, edge - 1, edge, edge + 1, edge + 2, edge * 10, edge / 10]
                    {
                        let inside = (*low..=*high).contains(&value);
                        assert_eq!(
                            compiled.matches(&value.to_string()),
                            inside,
                            "{value} in {low}..={high} by {}",
                            pattern(*low, *high)
                        );
                    }
                }
                for text in ["", "-", "-0", "00", "01", "+1", "1.0", " 1", "1e1", "１"] {
                    assert!(!compiled.matches(text), "{text}");
                }
            }
        }
    }
}
