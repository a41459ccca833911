//! Which functions are calculated, and what the documentation says of that.

use super::is_known;
use crate::formula::{NEWER, OLDER};
use std::collections::BTreeSet;

/// Returns the functions of Excel that are not calculated.
fn missing() -> BTreeSet<&'static str> {
    NEWER.iter().chain(&OLDER).copied().filter(|it| !is_known(it)).collect()
}

/// Returns the part of a page about functions.
fn part(page: &'static str, heading: &str) -> &'static str {
    let (_, rest) = page.split_once(heading).expect("the page has the heading");
    rest.split("\n## ").next().unwrap_or(rest)
}

const PAGES: [&str; 2] = [
    include_str!("../../../../../docs/skills.md"),
    include_str!("../../../../../docs/skills.zh-CN.md"),
];

#[test]
fn the_documentation_states_how_many_functions_are_calculated() {
    let all = NEWER.len() + OLDER.len();
    let known = all - missing().len();
    let parts = [
        (
            part(PAGES[0], "### Functions of workbooks"),
            format!("calculate {known} of Excel's {all} functions"),
        ),
        (part(PAGES[1], "### 工作簿函数"), format!("能计算 Excel {all} 个函数中的 {known} 个")),
    ];
    for (text, sentence) in parts {
        assert!(text.contains(&sentence), "expected `{sentence}`, got:\n{}", &text[..200]);
    }
}

#[test]
fn the_documentation_names_the_functions_that_are_not_calculated() {
    let missing = missing();
    for text in [part(PAGES[0], "### Functions of workbooks"), part(PAGES[1], "### 工作簿函数")]
    {
        let mut named = BTreeSet::new();
        for line in text.lines().filter(|it| it.starts_with("| `")) {
            let cell = line.split('|').nth(1).unwrap_or_default();
            for name in cell.split('`').skip(1).step_by(2) {
                match name.strip_suffix('…') {
                    Some(start) => named.extend(missing.iter().filter(|it| it.starts_with(start))),
                    None => drop(named.insert(name)),
                }
            }
        }
        assert_eq!(named, missing);
    }
}
