//! Names of each item of a list, `{{months.*}}`, which repeat a column.

use super::marks::marks;

/// Sign of each item of a list in a name.
pub(crate) const EACH: &str = ".*";

/// Returns the lists of which a text names each item.
pub(crate) fn lists_of(full_text: &str) -> Vec<String> {
    let mut lists = Vec::new();
    for found in marks(full_text) {
        let mark = full_text.get(found.start + 2..found.end - 2).unwrap_or_default();
        for (at, _) in mark.match_indices(EACH) {
            let before = mark.get(..at).unwrap_or_default();
            let is_name = |c: char| c.is_alphanumeric() || "_.-@".contains(c);
            let list = before.rsplit(|c: char| !is_name(c)).next().unwrap_or_default().to_owned();
            if !list.is_empty() && !lists.contains(&list) {
                lists.push(list);
            }
        }
    }
    lists
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_of_columns_are_found() {
        for (text, expected) in [
            ("{{months.*}}", &["months"][..]),
            (
                "{{items.amounts.*|#,##0.00}} {{ sum(items.amounts.*) / 月.* }}",
                &["items.amounts", "月"],
            ),
            ("months.* {{a * b}} {{.*}}", &[]),
        ] {
            assert_eq!(lists_of(text), expected, "{text}");
        }
    }
}
