//! The classifier on whole sentences, and its quality.

use std::collections::BTreeMap;

use crate::route::{Intent, classify};

const REFERENCE: &str = include_str!("../cases/reference.tsv");
const TUNED: &str = include_str!("../cases/tuned.tsv");
const HELD_OUT: &str = include_str!("../cases/heldout.tsv");

pub(super) fn all() -> Vec<(Intent, &'static str)> {
    [REFERENCE, TUNED, HELD_OUT].into_iter().flat_map(cases).collect()
}

fn cases(file: &'static str) -> Vec<(Intent, &'static str)> {
    let lines = file.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
    let case = |line: &'static str| {
        let (class, sentence) = line.split_once('\t').unwrap();
        let intent = Intent::ALL.into_iter().find(|intent| intent.name() == class);
        (intent.unwrap_or_else(|| panic!("{line}")), sentence)
    };
    lines.map(case).collect()
}

/// How often a class was right, was returned, and should have been.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Counts {
    right: u64,
    given: u64,
    of: u64,
}

impl Counts {
    fn precision(self) -> f64 {
        ratio(self.right, self.given)
    }

    fn recall(self) -> f64 {
        ratio(self.right, self.of)
    }
}

#[expect(clippy::cast_precision_loss, reason = "counts are in the hundreds")]
fn ratio(part: u64, whole: u64) -> f64 {
    if whole == 0 { 1.0 } else { part as f64 / whole as f64 }
}

fn measured(cases: &[(Intent, &str)]) -> BTreeMap<Intent, Counts> {
    let mut counts = BTreeMap::<Intent, Counts>::new();
    for (expected, sentence) in cases {
        let given = classify(sentence);
        counts.entry(given).or_default().given += 1;
        let of = counts.entry(*expected).or_default();
        of.of += 1;
        of.right += u64::from(given == *expected);
    }
    counts
}

fn report(cases: &[(Intent, &str)]) -> String {
    let mut report = String::new();
    for (intent, counts) in measured(cases) {
        let (name, Counts { right, given, of }) = (intent.name(), counts);
        let (precision, recall) = (counts.precision(), counts.recall());
        report += &format!(
            "{name:<9} precision {precision:.3} ({right}/{given})  recall {recall:.3} ({right}/{of})\n"
        );
    }
    for (expected, sentence) in cases {
        let given = classify(sentence);
        if given != *expected {
            report += &format!("  {} for {}: {sentence}\n", given.name(), expected.name());
        }
    }
    report
}

/// Matrix and flows of the reference, and mistakes of its classifier.
#[test]
fn the_matrix_of_the_reference_and_its_mistakes() {
    for (expected, sentence) in cases(REFERENCE) {
        assert_eq!(classify(sentence), expected, "{sentence}");
    }
}

/// See docs/routing.md. The cost of a mistake decides the floor of a class: small talk loses tools, a question about abilities
/// loses sub-agents.
#[test]
fn nothing_is_wrongly_taken_for_small_talk_or_a_question_about_abilities() {
    for (name, file) in [("tuned", TUNED), ("held out", HELD_OUT)] {
        let cases = cases(file);
        let counts = measured(&cases);
        let report = format!("{name}\n{}", report(&cases));
        let of = |intent| counts.get(&intent).copied().unwrap_or_default();
        assert_eq!(of(Intent::Chitchat).precision(), 1.0, "{report}");
        assert_eq!(of(Intent::Meta).precision(), 1.0, "{report}");
        assert!(of(Intent::Action).precision() >= 0.97, "{report}");
        for intent in Intent::ALL {
            assert!(of(intent).recall() >= 0.85, "{report}");
        }
    }
}

#[test]
fn there_are_three_hundred_sentences_and_each_once() {
    let mut sentences: Vec<_> = all().into_iter().map(|(_, sentence)| sentence).collect();
    let count = sentences.len();
    sentences.sort_unstable();
    sentences.dedup();
    assert!(count > 300 && sentences.len() == count);
}
