use std::collections::BTreeMap;

use super::{Intent, classify};

const REFERENCE: &str = include_str!("cases/reference.tsv");
const TUNED: &str = include_str!("cases/tuned.tsv");
const HELD_OUT: &str = include_str!("cases/heldout.tsv");

fn cases(file: &'static str) -> Vec<(Intent, &'static str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let case = |line: &'static str| {
        let (class, sentence) = line.split_once('\t').unwrap();
        let intent = Intent::ALL.into_iter().find(|intent| intent.name() == class);
        (intent.unwrap_or_else(|| panic!("{line}")), sentence)
    };
    lines.map(case).collect()
}

/// Of each class: how many are right, how many were taken for it, how many are of it.
fn measured(cases: &[(Intent, &str)]) -> BTreeMap<Intent, (u64, u64, u64)> {
    let mut counts = BTreeMap::<Intent, (u64, u64, u64)>::new();
    for (expected, sentence) in cases {
        let got = classify(sentence);
        counts.entry(got).or_default().1 += 1;
        let of = counts.entry(*expected).or_default();
        of.2 += 1;
        of.0 += u64::from(got == *expected);
    }
    counts
}

#[test]
fn measure() {
    for (name, file) in [("reference", REFERENCE), ("tuned", TUNED), ("held", HELD_OUT)] {
        let cases = cases(file);
        println!("{name} {:?}", measured(&cases));
        for (expected, sentence) in cases {
            let got = classify(sentence);
            if got != expected && name != "held" {
                println!("  {name}: {} -> {}: {sentence}", expected.name(), got.name());
            }
        }
    }
}
