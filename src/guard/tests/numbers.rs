//! The corpus of numbers: how many of those that are some are found, and how many of those that are none.

use std::collections::BTreeMap;

use super::guard;

const ALL: &str = "personal-data: {phone: redact, id-card: redact, bank-card: redact}";

/// Kind, what is to be found, text; `make.py` has written them.
const CORPUS: &str = include_str!("numbers/numbers.tsv");

/// A part of false finds that is no fault: some figures have a right check digit by chance.
const MOST_FALSE: f64 = 0.01;

fn lines() -> impl Iterator<Item = (&'static str, Vec<&'static str>, String)> {
    CORPUS.lines().map(|line| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().unwrap_or_default();
        let (kind, covered, text) = (next(), next(), next());
        let covered = if covered == "-" { Vec::new() } else { covered.split('|').collect() };
        (kind, covered, text.replace("\\n", "\n").replace("\\t", "\t"))
    })
}

/// Run with `--nocapture` to see the rates.
#[test]
#[expect(clippy::print_stdout, reason = "prints the rates")]
fn numbers_are_found_beside_others_and_figures_are_left_alone() {
    let guard = guard(ALL);
    let mut rates: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut missed, mut wrong) = (Vec::new(), Vec::new());
    for (kind, wanted, text) in lines() {
        let hits = guard.check(&text);
        let is_true = !wanted.is_empty();
        let is_covered = wanted.iter().all(|wanted| {
            let begin = text.find(wanted).expect("the text has the number");
            let end = begin + wanted.len();
            hits.iter().any(|hit| {
                hit.range.start <= begin
                    && hit.range.end >= end
                    && hit.rule.trim_start_matches("t/") == kind
            })
        });
        let is_found = if is_true { is_covered } else { !hits.is_empty() };
        let (found, all) = rates.entry(kind).or_default();
        *all += 1;
        *found += usize::from(is_found);
        match (is_true, is_found) {
            (true, false) => missed.push(text),
            (false, true) => wrong.push(text),
            _ => {}
        }
    }
    for (kind, (found, all)) in &rates {
        println!("{kind}: {found} of {all} found");
    }
    let n_false = lines().filter(|(_, wanted, _)| wanted.is_empty()).count();
    let n_true = lines().count() - n_false;
    let rate = wrong.len() as f64 / n_false as f64;
    println!(
        "recall {} of {n_true}, false {} of {n_false}: {wrong:?}",
        n_true - missed.len(),
        wrong.len()
    );
    assert_eq!(missed, Vec::<String>::new());
    assert!(rate <= MOST_FALSE, "{rate}: {wrong:?}");
}
