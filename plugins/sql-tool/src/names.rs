//! Names of tables in SQL.

use crate::bindings::mitt::host::types::Error;
use std::collections::HashSet;

/// Checks the names that the caller chose.
///
/// # Errors
/// `invalid-argument` - a name is empty, reserved, or not unique.
pub(crate) fn check_given(names: &[String]) -> Result<(), Error> {
    let mut taken = HashSet::new();
    let mut problems = Vec::new();
    for (index, name) in names.iter().enumerate() {
        let key = name.to_ascii_lowercase();
        let kept = ["tables", "columns"].contains(&key.as_str()) || is_kept_by_sqlite(&key);
        let problem = match () {
            () if name.trim().is_empty() || name.contains('\0') => "expected a name",
            () if kept => "this name is kept for something else",
            () if !taken.insert(key) => "this name is there twice",
            () => continue,
        };
        problems.push(format!("tables[{index}].name: {problem}: `{name}`"));
    }
    if problems.is_empty() { Ok(()) } else { Err(Error::InvalidArgument(problems.join("\n"))) }
}

fn is_kept_by_sqlite(key: &str) -> bool {
    ["sqlite_", "pragma_", "json_each", "json_tree"].iter().any(|kept| key.starts_with(kept))
}

/// Returns the names for a table of the session, the best one first.
///
/// `sales.csv` is `sales`. `book.xlsx#Sheet2` is `book_Sheet2` and, if no other table has this name, `Sheet2`. A result
/// `t:3` is `t3`.
pub(crate) fn candidates(reference: &str, document: Option<&str>) -> Vec<String> {
    let Some(document) = document else {
        return vec![plain(&reference.replace(':', "")), reference.to_owned()];
    };
    let stem = document.rsplit_once('.').map_or(document, |(stem, _)| stem);
    let part = reference.strip_prefix(document).and_then(|rest| rest.strip_prefix('#'));
    let mut names = match part {
        None => vec![plain(stem)],
        Some(part) => vec![plain(&format!("{stem}_{part}")), plain(part)],
    };
    names.push(reference.to_owned());
    names
}

/// Keeps letters of any script, digits and `_`, and replaces the rest by `_`. A digit does not come first.
fn plain(name: &str) -> String {
    let mut plain: String =
        name.chars().map(|c| if c.is_alphanumeric() || c == '_' { c } else { '_' }).collect();
    if !plain.starts_with(|first: char| first.is_alphabetic() || first == '_') {
        plain.insert_str(0, "t_");
    }
    plain
}

/// Names tables in their order. The first candidate of each gets a number if it is taken. Another candidate is used only if
/// no other table has it as a candidate or name.
pub(crate) fn assign(given: &[String], candidates: &[Vec<String>]) -> Vec<Vec<String>> {
    let key = |name: &str| name.to_ascii_lowercase();
    let mut taken: HashSet<String> = ["tables", "columns"].map(str::to_owned).into();
    taken.extend(given.iter().map(|name| key(name)));
    let mut names: Vec<Vec<String>> = Vec::new();
    for candidate in candidates {
        let first = &candidate[0];
        // SQLite reserves this prefix.
        let first =
            if is_kept_by_sqlite(&key(first)) { format!("t_{first}") } else { first.clone() };
        let mut unique = first.clone();
        let mut number = 2;
        while !taken.insert(key(&unique)) {
            unique = format!("{first}_{number}");
            number += 1;
        }
        names.push(vec![unique]);
    }
    let mut counts = std::collections::HashMap::<String, usize>::new();
    for name in candidates.iter().flat_map(|candidate| &candidate[1..]) {
        *counts.entry(key(name)).or_default() += 1;
    }
    for (names, candidate) in names.iter_mut().zip(candidates) {
        for other in &candidate[1..] {
            if !is_kept_by_sqlite(&key(other))
                && counts[&key(other)] == 1
                && taken.insert(key(other))
            {
                names.push(other.clone());
            }
        }
    }
    names
}

#[cfg(test)]
mod tests {
    use super::{assign, candidates};

    #[test]
    fn tables_have_stable_names() {
        let all = [
            ("sales.csv", Some("sales.csv")),
            ("book.xlsx#Sheet1", Some("book.xlsx")),
            ("book.xlsx#Sheet2", Some("book.xlsx")),
            ("other.xlsx#Sheet1", Some("other.xlsx")),
            ("销售 2024.xlsx#一月", Some("销售 2024.xlsx")),
            ("2024.csv", Some("2024.csv")),
            ("sales.tsv", Some("sales.tsv")),
            ("tables.csv", Some("tables.csv")),
            ("t:3", None),
        ];
        let candidates: Vec<_> =
            all.iter().map(|(reference, document)| candidates(reference, *document)).collect();
        let names = assign(&["mine".into()], &candidates);
        let expected: [&[&str]; 9] = [
            &["sales", "sales.csv"],
            &["book_Sheet1", "book.xlsx#Sheet1"],
            &["book_Sheet2", "Sheet2", "book.xlsx#Sheet2"],
            &["other_Sheet1", "other.xlsx#Sheet1"],
            &["销售_2024_一月", "一月", "销售 2024.xlsx#一月"],
            &["t_2024", "2024.csv"],
            &["sales_2", "sales.tsv"],
            &["tables_2", "tables.csv"],
            &["t3", "t:3"],
        ];
        assert_eq!(names, expected);
    }
}
