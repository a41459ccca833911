//! Finds the name that was probably meant.

/// Returns the candidate nearest to `wanted`; `None` if none is near enough to be a typing error. A near name is equal
/// except for case, spaces and punctuation, or has at most one edit for every three characters.
pub fn nearest<'a>(wanted: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let wanted = folded(wanted);
    candidates
        .into_iter()
        .map(|candidate| (distance(&wanted, &folded(candidate)), candidate))
        .filter(|&(distance, _)| distance == 0 || distance * 3 <= wanted.len())
        // Returns the first of equals, so that the result depends only on the order of the candidates.
        .min_by_key(|&(distance, _)| distance)
        .map(|(_, candidate)| candidate)
}

/// Returns at most 64 letters and digits in lower case, because the distance takes quadratic time.
fn folded(name: &str) -> Vec<char> {
    name.chars().filter(|c| c.is_alphanumeric()).flat_map(char::to_lowercase).take(64).collect()
}

/// Returns the number of insertions, deletions and replacements between two names.
fn distance(left: &[char], right: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=right.len()).collect();
    for (i, a) in left.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, b) in right.iter().enumerate() {
            let replaced = diagonal + usize::from(a != b);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[right.len()]
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn finds_slips_only() {
        let names = ["Revenue", "Cost of sales", "年份", "Year"];
        for (wanted, expected) in [
            ("revenue", Some("Revenue")),
            ("Revenu", Some("Revenue")),
            ("cost_of_sales", Some("Cost of sales")),
            ("年 份", Some("年份")),
            ("Yaer", None),
            ("Years", Some("Year")),
            ("profit", None),
            ("", None),
        ] {
            assert_eq!(nearest(wanted, names), expected, "{wanted}");
        }
    }
}
