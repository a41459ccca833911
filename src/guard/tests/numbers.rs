//! Corpora of numbers: how many numbers are found, and how many other figures are taken for one.

use std::collections::BTreeMap;

use super::guard;
use super::streams::Random;
use crate::Guard;

/// Kind, expected match, text. Written by `make.py`.
const CORPUS: &str = include_str!("numbers/numbers.tsv");

/// Numbers of other countries in the same form, written by `international.py`.
const INTERNATIONAL: &str = include_str!("numbers/international.tsv");

/// Share of false matches that is accepted: some figures have a right check digit by chance.
const MOST_FALSE: f64 = 0.01;

/// All kinds, without national phone numbers.
const ALL: &str = "personal-data: {phone: redact, id-card: redact, bank-card: redact, email: redact, iban: redact, us-ssn: redact}";

/// The countries of `international.py`.
const COUNTRIES: &str = "personal-data: {phone: redact, phone-countries: [us, gb, de, fr, jp, au, in, ch, nl], iban: redact, us-ssn: redact}";

fn lines(corpus: &str) -> impl Iterator<Item = (&str, Vec<&str>, String)> {
    corpus.lines().map(|line| {
        let mut fields = line.split('\t');
        let mut next = || fields.next().unwrap_or_default();
        let (kind, covered, text) = (next(), next(), next());
        let covered = if covered == "-" { Vec::new() } else { covered.split('|').collect() };
        (kind, covered, text.replace("\\n", "\n").replace("\\t", "\t"))
    })
}

/// Returns `true` if a hit of `rule` counts for `kind`. A number such as `085-54-3599` is also a phone in some countries,
/// and a number has one hit.
fn is_kind(rule: &str, kind: &str) -> bool {
    rule == kind || kind == "us-ssn" && rule == "phone"
}

/// Prints the rates of a corpus, and checks them.
#[expect(clippy::print_stdout, reason = "prints the rates")]
fn check(corpus: &str, guard: &Guard) {
    let mut rates: BTreeMap<&str, (usize, usize)> = BTreeMap::new();
    let (mut missed, mut wrong) = (Vec::new(), Vec::new());
    for (kind, wanted, text) in lines(corpus) {
        let hits = guard.check(&text);
        let is_true = !wanted.is_empty();
        let is_covered = wanted.iter().all(|wanted| {
            let begin = text.find(wanted).expect("the text has the number");
            let end = begin + wanted.len();
            hits.iter().any(|hit| {
                hit.range.start <= begin
                    && hit.range.end >= end
                    && is_kind(hit.rule.trim_start_matches("t/"), kind)
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
    let n_false = lines(corpus).filter(|(_, wanted, _)| wanted.is_empty()).count();
    let n_true = lines(corpus).count() - n_false;
    let rate = wrong.len() as f64 / n_false as f64;
    println!(
        "recall {} of {n_true}, false {} of {n_false}: {wrong:?}",
        n_true - missed.len(),
        wrong.len()
    );
    assert_eq!(missed, Vec::<String>::new());
    assert!(rate <= MOST_FALSE, "{rate}: {wrong:?}");
}

/// Run with `--nocapture` to see the rates.
#[test]
fn numbers_are_found_beside_others_and_figures_are_left_alone() {
    check(CORPUS, &guard(ALL));
}

#[test]
fn numbers_of_other_countries_are_found() {
    check(INTERNATIONAL, &guard(COUNTRIES));
}

/// Returns a row of a table: amounts, dates, identifiers, and text beside them.
fn row(random: &mut Random) -> String {
    let mut digits = |count: usize| -> String {
        (0..count).map(|_| char::from(b'0' + random.below(10) as u8)).collect()
    };
    // Numbers of documents have leading zeros, others do not.
    let (two, four, six, eight) = (digits(2), digits(4), digits(6), digits(8));
    let mut number = |count: usize| format!("{}{}", digits(1).replace('0', "7"), digits(count - 1));
    let (five, ten, twelve, code) = (number(5), number(10), number(12), number(4));
    let (day, month, year) = (random.below(28) + 1, random.below(12) + 1, random.below(60) + 1970);
    let amount = random.below(1_000_000);
    let sign = ["", "-", "+"][random.below(3)];
    match random.below(12) {
        0 => format!("{year}-{month:02}-{day:02} {sign}{amount}.{two} {five} {four}"),
        1 => {
            format!("{day:02}/{month:02}/{year} {sign}{},{}.{two}", amount / 1_000, digits3(amount))
        }
        2 => {
            format!("{day:02}.{month:02}.{year} {}.{},{two} {six}", amount / 1_000, digits3(amount))
        }
        3 => format!("{} {} {two} {amount}", amount / 1_000, digits3(amount)),
        4 => format!("INV-{year}-{six} {amount}"),
        5 => format!("SKU{eight} {two} {four}.{two}"),
        6 => format!("{year}{month:02}{day:02}{six} {amount}"),
        7 => format!(
            "{amount} {} {} {} {five}",
            random.below(100),
            random.below(1_000),
            random.below(10_000)
        ),
        8 => format!("{ten} {day:02}:{month:02}:{two}"),
        9 => format!("id {twelve}, {}%", f64::from(amount as u32) / 10_000.0),
        10 => format!("AB{ten}CD {sign}{amount} {five} {code}-{two}-{}", random.below(1_000)),
        _ => format!("{five}-{four} | {amount} | {year} | {two}"),
    }
}

fn digits3(amount: usize) -> String {
    format!("{:03}", amount % 1_000)
}

/// Few rows of plain figures match: `+46314 76681` may be an amount and a figure beside it. Run with `--nocapture` to see
/// their number.
#[test]
#[expect(clippy::print_stdout, reason = "prints the rates")]
fn ten_thousand_rows_of_figures_are_left_alone() {
    for (name, rules, most) in [("all kinds", ALL, 10), ("nine countries", COUNTRIES, 30)] {
        let (guard, mut random) = (guard(rules), Random(20_261_126));
        let rows = (0..10_000).map(|_| row(&mut random));
        let wrong: Vec<String> = rows.filter(|row| !guard.check(row).is_empty()).collect();
        println!("{name}: {} of 10000 rows: {:?}", wrong.len(), wrong);
        assert!(wrong.len() <= most, "{name}: {wrong:?}");
    }
}
