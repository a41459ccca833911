//! Comparisons of whole texts.

use super::blocks::Parsed;
use super::{MAX_BYTES, Source, checked_limit, compare};
use crate::bindings::exports::mitt::document_tool::tools::{ChangeKind, Comparison};
use mitt_guest::tables::Error;
use mitt_guest::tables::wit::types::Place;
use std::time::{Duration, Instant};

fn source(name: &str, text: &str, is_plain: bool) -> Source {
    let (name, text) = (name.to_owned(), text.to_owned());
    Source { name, text, places: Vec::new(), is_plain, is_cut: false, has_offsets: true }
}

/// Returns a document of pages.
fn pages(pages: &[&str]) -> Source {
    let mut out = source("a.pdf", "", false);
    for (index, page) in pages.iter().enumerate() {
        let offset = out.text.chars().count() as u64;
        out.places.push(Place { offset, label: format!("page {}", index + 1) });
        out.text.push_str(page);
        out.text.push_str("\n\n");
    }
    out
}

fn markdown(before: &str, after: &str) -> Comparison {
    compare(source("a.md", before, false), source("b.md", after, false), 1_000)
}

fn plain(before: &str, after: &str) -> Comparison {
    compare(source("a.txt", before, true), source("b.txt", after, true), 1_000)
}

fn shown(comparison: &Comparison) -> Vec<String> {
    let line = |it: &crate::bindings::exports::mitt::document_tool::tools::Difference| {
        format!("{:?} [{}] {} -> {}", it.kind, it.place, it.before, it.after)
            .replace("ChangeKind::", "")
    };
    comparison.differences.iter().map(line).collect()
}

#[track_caller]
fn equal(comparison: &Comparison) {
    assert_eq!(shown(comparison), [""; 0]);
    assert_eq!((comparison.total, comparison.summary.as_str()), (0, "The texts are equal."));
}

const LETTER: &str = "# Contract\n\nThe term of this contract is 30 days after the invoice.\n\n## Payment\n\nAll prices are net prices without tax.\n\n- first item of the list\n- second item of the list\n\nThe supplier delivers within two weeks of the order.\n";

#[test]
fn equal_texts_have_no_differences() {
    equal(&markdown(LETTER, LETTER));
    let twins = markdown("", "");
    assert_eq!(twins.total, 0);
    assert_eq!(
        twins.warnings,
        ["`a.md` has no text that could be compared", "`b.md` has no text that could be compared"]
    );
}

#[test]
fn wrapping_hyphenation_and_formatting_do_not_count() {
    let wrapped = "Contract\n\nThe term of this con-\ntract is **30 days** after\nthe   invoice.\n\n# Payment\n\nAll prices are net prices with\u{ad}out tax.\n\n* first item\n  of the list\n* second item of the list\n\nThe supplier delivers within\ntwo weeks of the order.\n";
    equal(&markdown(LETTER, wrapped));
    // A paragraph that is cut in two is the same text.
    equal(&markdown("one two three four five\n\nend", "one two three\n\nfour five\n\nend"));
    equal(&plain("a well-\nknown fact of life", "a well-known fact of life"));
}

#[test]
fn changed_inserted_deleted_and_moved_blocks_are_found() {
    let after = "# Contract\n\nThe supplier delivers within two weeks of the order.\n\nThe term of this contract is 45 days after the invoice.\n\n## Payment\n\nA new paragraph stands here, with other words.\n\n- first item of the list\n- second item of the list\n";
    let found = markdown(LETTER, after);
    assert_eq!(
        shown(&found),
        [
            "Moved [Payment → Contract] The supplier delivers within two weeks of the order. -> The supplier delivers within two weeks of the order.",
            "Changed [Contract] The term of this contract is 30 days after the invoice. -> The term of this contract is 45 days after the invoice.",
            "Deleted [Payment] All prices are net prices without tax. -> ",
            "Inserted [Payment]  -> A new paragraph stands here, with other words.",
        ]
    );
    assert_eq!(found.summary, "4 differences: 1 changed, 1 inserted, 1 deleted, 1 moved.");
    // The places can be opened.
    let term = &found.differences[1];
    let at = |text: &str, offset: Option<u64>| {
        text.chars().skip(offset.unwrap() as usize).take(8).collect::<String>()
    };
    assert_eq!(
        (at(LETTER, term.before_offset), at(after, term.after_offset)),
        ("The term".into(), "The term".into())
    );
    assert_eq!(
        (found.differences[2].after_offset, found.differences[3].before_offset),
        (None, None)
    );
}

#[test]
fn neighbours_that_moved_together_are_one_difference() {
    let section: String = (0..5)
        .map(|it| format!("Paragraph number {it} of the section that moves.\n\nok{it}\n\n"))
        .collect();
    let rest: String =
        (0..20).map(|it| format!("Another paragraph {it} stays where it is.\n\n")).collect();
    let found = markdown(&format!("{section}{rest}"), &format!("{rest}{section}"));
    assert_eq!(found.total, 1, "{:?}", shown(&found));
    assert!(found.differences[0].before.ends_with("(and 9 more blocks)"), "{:?}", shown(&found));
    // A moved block that was changed too.
    let moved = |word: &str| {
        format!("The {word} delivers all goods within two weeks of the written order.\n\n")
    };
    let found =
        markdown(&format!("{}{rest}", moved("supplier")), &format!("{rest}{}", moved("vendor")));
    assert_eq!(
        (found.total, found.differences[0].kind),
        (1, ChangeKind::Moved),
        "{:?}",
        shown(&found)
    );
    assert!(found.differences[0].after.contains("The vendor delivers"), "{:?}", shown(&found));
}

const TABLE: &str = "# Prices\n\n| Item | Qty | Price |\n|---|---|---|\n| Apple | 1 | 1.50 |\n| Pear | 2 | 2.00 |\n| Plum | 3 | 3.00 |\n";

#[test]
fn rows_are_matched_by_their_key() {
    let after = "# Prices\n\n| Item | Qty | Price |\n|---|---|---|\n| Fig | 9 | 9.99 |\n| Apple | 1 | 1.5 |\n| Plum | 3 | 3.00 |\n";
    assert_eq!(
        shown(&markdown(TABLE, after)),
        [
            "RowInserted [Prices, table 1, row 1 (Fig)]  -> Fig | 9 | 9.99",
            "RowChanged [Prices, table 1, row 2 (Apple)] Price: 1.50 -> Price: 1.5",
            "RowDeleted [Prices, table 1, row 2 (Pear)] Pear | 2 | 2.00 -> ",
        ]
    );
    // A row that stands elsewhere and has another cell is still the same row.
    let after = TABLE
        .replace("| Apple | 1 | 1.50 |\n", "")
        .replace("| Plum | 3 | 3.00 |\n", "| Plum | 3 | 3.00 |\n| Apple | 8 | 1.50 |\n");
    assert_eq!(
        shown(&markdown(TABLE, &after)),
        ["RowChanged [Prices, table 1, row 3 (Apple)] Qty: 1 -> Qty: 8"]
    );
}

#[test]
fn a_column_is_one_difference() {
    let with = "# Prices\n\n| Item | Color | Qty | Price |\n|---|---|---|---|\n| Apple | red | 1 | 1.50 |\n| Pear | green | 5 | 2.00 |\n| Plum | blue | 3 | 3.00 |\n";
    assert_eq!(
        shown(&markdown(TABLE, with)),
        [
            "ColumnInserted [Prices, table 1, column 2]  -> Color",
            "RowChanged [Prices, table 1, row 2 (Pear)] Qty: 2 -> Qty: 5",
        ]
    );
    assert_eq!(
        shown(&markdown(with, TABLE))[0],
        "ColumnDeleted [Prices, table 1, column 2] Color -> "
    );
    // A column with another name and the same values.
    let renamed = TABLE.replace("Price |\n", "Cost |\n");
    assert_eq!(
        shown(&markdown(TABLE, &renamed)),
        ["RowChanged [Prices, table 1, header] column 3: Price -> column 3: Cost"]
    );
    let moved = "# Prices\n\n| Qty | Item | Price |\n|---|---|---|\n| 1 | Apple | 1.50 |\n| 2 | Pear | 2.00 |\n| 3 | Plum | 3.00 |\n";
    let found = markdown(TABLE, moved);
    assert_eq!(
        (found.total, found.differences[0].kind),
        (1, ChangeKind::Moved),
        "{:?}",
        shown(&found)
    );
}

#[test]
fn a_new_table_is_one_difference() {
    let found = markdown("# Prices\n\ntext\n", &format!("{TABLE}\ntext\n"));
    assert_eq!(
        shown(&found),
        ["Inserted [Prices, table 1, header]  -> Item | Qty | Price (and 3 more rows)"]
    );
    assert_eq!(
        markdown(&format!("{TABLE}\ntext\n"), "# Prices\n\ntext\n").differences[0].kind,
        ChangeKind::Deleted
    );
}

#[test]
fn page_breaks_numbers_and_repeated_lines_are_no_noise() {
    let body: Vec<String> =
        (0..12).map(|it| format!("Sentence {it} of the report stands here, and ends.")).collect();
    let paged = |each: usize, more: &str| {
        let mut body = body.clone();
        if !more.is_empty() {
            body.insert(0, more.to_owned());
        }
        let n_pages = body.len().div_ceil(each);
        let page = |(index, part): (usize, &[String])| {
            format!("Annual report\n\n{}\n\nPage {} of {n_pages}", part.join("\n\n"), index + 1)
        };
        body.chunks(each).enumerate().map(page).collect::<Vec<_>>()
    };
    let document = |each: usize, more: &str| {
        let texts = paged(each, more);
        pages(&texts.iter().map(String::as_str).collect::<Vec<_>>())
    };
    let found = compare(document(4, ""), document(3, ""), 10);
    equal(&found);
    assert!(
        found.warnings[0].contains("5 page numbers and repeated lines"),
        "{:?}",
        found.warnings
    );
    let found = compare(document(4, ""), document(4, "A sentence that is new."), 10);
    assert_eq!(
        shown(&found),
        ["Inserted [page 1, Annual report]  -> A sentence that is new."]
            .map(|it| it.replace(", Annual report", ""))
    );
    // A sentence that goes on behind a page break.
    let broken = pages(&["The supplier delivers within two\n\n1", "weeks of the order.\n\n2"]);
    let whole = pages(&["The supplier delivers within two weeks of the order.\n\n1"]);
    equal(&compare(broken, whole, 10));
}

#[test]
fn furniture_keeps_what_is_text() {
    let parsed = Parsed::new(
        pages(&[
            "Report\n\none.\n\nTotal 5\n\nPage 1 of 3",
            "Report\n\ntwo.\n\nTotal 9\n\nPage 2 of 3",
            "Report\n\nthree.\n\nTotal 7\n\nPage 3 of 3",
        ]),
        false,
    );
    let texts: Vec<String> = parsed.blocks.iter().map(|it| parsed.content(it)).collect();
    assert_eq!(texts, ["Report", "one.", "Total 5", "two.", "Total 9", "three.", "Total 7"]);
    assert_eq!(parsed.n_furniture, 5);
    let parsed =
        Parsed::new(pages(&["Text that\n\n1", "goes on.\n\n2", "Ends.\n\n3", "not joined"]), false);
    let texts: Vec<String> = parsed.blocks.iter().map(|it| parsed.content(it)).collect();
    assert_eq!(texts, ["Text that goes on.", "Ends.", "not joined"]);
}

#[test]
fn lists_of_other_numbers_are_reported() {
    let found =
        markdown("1. one item\n2. two items\n", "1. new item here\n2. one item\n3. two items\n");
    assert_eq!(shown(&found), ["Inserted [line 1]  -> new item here"]);
    assert_eq!(
        found.warnings,
        ["2 list items have another number and the same text; they are not listed"]
    );
    // In plain text the marks are text.
    assert_eq!(plain("- 5\n", "5\n").total, 1);
    assert_eq!(markdown("- 5\n", "5\n").total, 0);
}

#[test]
fn a_long_plain_paragraph_is_compared_by_lines() {
    let log = |changed: &[usize], inserted: usize| {
        let line = |it: usize| {
            if changed.contains(&it) {
                format!("12:00:{it:02} request {it} failed with status 500\n")
            } else {
                format!("12:00:{it:02} request {it} done with status 200\n")
            }
        };
        let new: String =
            (0..inserted).map(|it| format!("new line {it} about nothing else\n")).collect();
        (0..60).map(line).collect::<String>() + &new
    };
    let found = plain(&log(&[], 0), &log(&[10, 11, 12, 40], 2));
    let kinds: Vec<ChangeKind> = found.differences.iter().map(|it| it.kind).collect();
    assert_eq!(found.total, 6, "{:?}", shown(&found));
    assert_eq!(&kinds[..4], [ChangeKind::Changed; 4]);
    assert_eq!(found.differences[3].place, "line 41");
    assert!(
        found.differences[3].after.contains("request 40 failed with status 500"),
        "{:?}",
        shown(&found)
    );
    assert_eq!(&kinds[4..], [ChangeKind::Inserted; 2]);
    // Prose that is wrapped otherwise behind the new word.
    let words: Vec<String> = (0..600).map(|it| format!("word{it}")).collect();
    let wrap =
        |words: &[String]| words.chunks(10).map(|it| it.join(" ")).collect::<Vec<_>>().join("\n");
    let mut longer = words.clone();
    longer.insert(55, "inserted".to_owned());
    let found = plain(&wrap(&words), &wrap(&longer));
    assert_eq!(found.total, 1, "{:?}", shown(&found));
    assert!(found.differences[0].after.contains("word54 inserted word55"), "{:?}", shown(&found));
    equal(&plain(
        &wrap(&words),
        &words.chunks(7).map(|it| it.join(" ")).collect::<Vec<_>>().join("\n"),
    ));
}

#[test]
fn lists_are_bounded_and_counted() {
    let text = |from: usize| {
        (0..300)
            .map(|it| format!("Paragraph {it} has the value {}.\n\n", it + from))
            .collect::<String>()
    };
    let found = compare(source("a", &text(0), false), source("b", &text(1_000), false), 200);
    assert_eq!((found.differences.len(), found.total), (200, 300));
    assert!(found.summary.ends_with("The first 200 are listed, 100 are not."), "{}", found.summary);
    assert_eq!(checked_limit(None), Ok(200));
    assert_eq!(checked_limit(Some(1_000)), Ok(1_000));
    for limit in [0, 1_001] {
        assert!(matches!(checked_limit(Some(limit)), Err(Error::InvalidArgument(_))));
    }
}

#[test]
fn what_lies_behind_the_limit_is_reported() {
    let mut before = source("a.txt", "one\n\ntwo words\n", true);
    before.is_cut = true;
    let found = compare(before, source("b.txt", "one\n\ntwo words\n\nthe rest\n", true), 10);
    assert_eq!(found.total, 0);
    assert!(
        found.warnings[0].starts_with("`a.txt` is longer than what is compared"),
        "{:?}",
        found.warnings
    );
}

/// Numbers in an order without period.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        self.0 >> 33
    }
}

#[track_caller]
fn in_time(begin: Instant) {
    // Unoptimised and on a busy machine; a quadratic step would take hours.
    assert!(begin.elapsed() < Duration::from_secs(120), "{:?}", begin.elapsed());
}

#[test]
fn long_texts_end_in_time() {
    let mut numbers = Numbers(1);
    let lines: Vec<String> = (0..100_000)
        .map(|it| format!("line {it} of the log has the value {}", numbers.next()))
        .collect();
    let mut other = lines.clone();
    for it in (0..100_000).step_by(1_000) {
        other[it] = format!("line {it} of the log has another value");
    }
    let begin = Instant::now();
    let found = plain(&lines.join("\n"), &other.join("\n"));
    assert_eq!((found.total, found.warnings.len()), (100, 0), "{:?}", found.warnings);
    let found = plain(&lines.join("\n\n"), &other.join("\n\n"));
    assert_eq!((found.total, found.warnings.len()), (100, 0), "{:?}", found.warnings);
    in_time(begin);
}

#[test]
fn texts_without_anything_in_common_end_in_time() {
    let mut numbers = Numbers(7);
    let mut text = |n: usize| {
        (0..n)
            .map(|_| format!("{} {} {}\n\n", numbers.next(), numbers.next(), numbers.next()))
            .collect::<String>()
    };
    let begin = Instant::now();
    let found = plain(&text(60_000), &text(60_000));
    assert_eq!(found.total, 120_000);
    assert!(found.warnings.iter().any(|it| it.contains("in less detail")), "{:?}", found.warnings);
    // Few words in every order: nothing is unique, and nothing is rare.
    let mut numbers = Numbers(9);
    let mut text =
        |n: usize| (0..n).map(|_| format!("w{}\n\n", numbers.next() % 3)).collect::<String>();
    let found = plain(&text(40_000), &text(40_000));
    assert!(found.total > 0 && found.warnings.iter().any(|it| it.contains("in less detail")));
    in_time(begin);
}

#[test]
fn a_table_whose_rows_all_changed_is_matched_by_keys() {
    let text = |n: usize| {
        let row = |it: usize| format!("| item {it} | {} |\n", it * n);
        format!("| Item | Price |\n|---|---|\n{}", (1..20_000).map(row).collect::<String>())
    };
    let begin = Instant::now();
    let found = markdown(&text(1), &text(2));
    assert_eq!(found.total, 19_999, "{:?}", found.warnings);
    assert!(found.differences.iter().all(|it| it.kind == ChangeKind::RowChanged));
    assert_eq!(found.warnings, [""; 0]);
    in_time(begin);
}

#[test]
fn one_paragraph_of_all_bytes_is_compared() {
    let begin = Instant::now();
    let text = "word ".repeat(MAX_BYTES / 50);
    let found = plain(&text, &format!("{text} end"));
    assert_eq!(found.total, 1);
    assert!(found.differences[0].after.chars().count() < 700);
    in_time(begin);
}
