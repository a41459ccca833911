//! Whole answers against documents.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::*;
use crate::document::{DocumentInternal as _, Place};
use crate::workbook_view::{WorkbookView, WorkbookViewInternal as _};
use mitt_base::memory::Charge;
use mitt_table::{Cell, CellRef, NamedTable, Table};

/// Returns a document with these parts, each a label and its text.
fn document(name: &str, parts: &[(&str, &str)], tables: Vec<NamedTable>) -> Document {
    let (mut text, mut places) = (String::new(), Vec::new());
    for (label, part) in parts {
        if !label.is_empty() {
            places.push(Place { offset: text.chars().count() as u64, label: (*label).to_owned() });
        }
        text.push_str(part);
    }
    Document {
        characters: text.chars().count() as u64,
        text,
        places,
        tables: tables.into(),
        ..Document::empty(name, "")
    }
}

fn table(names: &[&str], rows: &[&[&str]]) -> Table {
    let names = names.iter().map(|it| (*it).to_owned()).collect();
    let cells = |row: &&[&str]| -> Vec<Cell> {
        row.iter().map(|it| CellRef::from_text(it).to_cell()).collect()
    };
    Table::of_rows(names, &rows.iter().map(cells).collect::<Vec<_>>()).unwrap()
}

fn report() -> Document {
    let parts = [
        ("page 1", "# Annual report\n\nRevenue was 14,523,000 yuan, up 12.34 %.\n\n"),
        ("page 2", "The supplier delivers the goods\n\n"),
        ("page 4", "within 45 days. 净利润为1.26亿元，同比下降3.2%。\n\n| DAU | 1,234 |\n"),
    ];
    document("report.pdf", &parts, Vec::new())
}

fn sales() -> Document {
    let rows: &[&[&str]] = &[&["1月", "0.1234"], &["2月", "9500"]];
    let data = table(&["month", "rate"], rows);
    document("sales.csv", &[("", "| month | rate |\n")], vec![NamedTable::new("", data)])
}

fn book() -> Target {
    let outline = r#"{"sheets":[{"name":"Sheet1","rows":3,"columns":2},{"name":"利润 表","rows":1,"columns":1}]}"#;
    let rows = r#"[["month",{"d":"rate","s":1}],["Jan",{"d":"12.3%","v":0.12345,"k":"n"}],[null,{"d":"9,500","v":9500}]]"#;
    let blocks =
        BTreeMap::from([((0, 0), rows.to_owned()), ((1, 0), r#"[["净利润 1.26亿"]]"#.to_owned())]);
    let view = WorkbookView::new((outline.to_owned(), blocks, Vec::new()), Charge::default());
    let parts = [("sheet Sheet1", "Jan 12.3% 9500\n"), ("sheet 利润 表", "净利润 1.26亿\n")];
    let mut target = plain(document("book.xlsx", &parts, Vec::new()));
    target.sheets = Sheets::new(view.unwrap());
    assert!(target.sheets.is_some());
    target
}

fn contract() -> Target {
    let paragraph = |anchor: &str, place: &str, text: &str| Paragraph {
        anchor: anchor.to_owned(),
        place: place.to_owned(),
        text: text.to_owned(),
    };
    let mut target = plain(document(
        "contract.docx",
        &[("", "Payment is due within 30 days. Fee 5%.\n")],
        Vec::new(),
    ));
    target.paragraphs = Some(vec![
        paragraph("p0-aaaa", "body", "Contract"),
        paragraph("p1-3fa9", "body", "Payment is due within 30 days."),
        paragraph("p2-0c1d", "t0 r1 c1", "Fee 5%."),
    ]);
    target
}

fn plain(document: Document) -> Target {
    let page_places = PagePlaces::default();
    Target { document: Arc::new(document), paragraphs: None, sheets: None, page_places }
}

fn checked_in(answer: &str, targets: Vec<Target>) -> Citations {
    let draft = draft(answer, targets.iter().map(|it| &*it.document));
    let targets: Vec<_> = targets.into_iter().map(Some).collect();
    draft.check(&targets, &["made.xlsx".to_owned()])
}

fn checked(answer: &str) -> Citations {
    checked_in(answer, vec![plain(report()), plain(sales()), book(), contract()])
}

/// Returns the outcome of the only citation, and the first place where something else stands.
fn outcome(answer: &str) -> (&'static str, Option<String>) {
    let all = checked(answer);
    assert_eq!(all.list.len(), 1, "{answer}: {all:?}");
    let it = &all.list[0];
    (it.outcome.name(), it.missing.iter().find_map(|it| it.elsewhere.clone()))
}

#[test]
fn what_stands_at_its_place_is_confirmed() {
    for answer in [
        "Revenue was 14.523 million [report.pdf#page=1].",
        "Revenue grew by 12.3% [report.pdf#page=1&rect=1,2,3,4].",
        "收入为1,452.3万元（report.pdf#page=1）。",
        "净利润为 126,000,000 元，下降 -3.2% [report.pdf#page=4]",
        "It says “The Supplier delivers … within 45 days” [report.pdf#page=2].",
        "| DAU | 1234 | [p. 4](REPORT.pdf#page=4) |",
        "Revenue and profit: “净利润” [report.pdf#page=1-4].",
        "The [12.34%](<report.pdf#annual-report>) is real.",
        "In January it was 12.34% [sales.csv#row=2].",
        "The cell has 9,500 [sales.csv#B3].",
        "The column is `rate` [sales.csv#cell=1,2].",
        "It was 12.3% [book.xlsx#Sheet1!B2].",
        "It was 12.345% [book.xlsx#Sheet1!$B$2].",
        "From 12.3% to 9500 [book.xlsx#Sheet1!B2:B3].",
        "利润为1.26亿 [book.xlsx#'利润 表'!A1]。",
        "利润为1.26亿 [book.xlsx#利润 表!A1]。",
        "Both 12.3% and 9,500 [book.xlsx#Sheet1].",
        "It is due “within 30 days” [contract.docx#p1].",
        "It is due within 30 days [contract.docx#p1-3fa9].",
        "The fee is 5% [contract.docx#t0-77b1].",
    ] {
        assert_eq!(outcome(answer), ("confirmed", None), "{answer}");
    }
}

#[test]
fn what_stands_elsewhere_is_not_found_and_has_its_place() {
    for (answer, place) in [
        ("Revenue was 14.6 million [report.pdf#page=1].", None),
        ("Revenue grew by 12.4% [report.pdf#page=1].", None),
        ("下降3.2% [report.pdf#page=1]。", Some("page 4")),
        ("It says “within 46 days” [report.pdf#page=4].", None),
        ("It says “delivers the goods” [report.pdf#page=3].", Some("page 2")),
        ("It was 9500 [sales.csv#row=2].", Some("row 3")),
        ("It was 9500 [book.xlsx#Sheet1!B2].", Some("Sheet1!B3")),
        ("It was 12.3% [book.xlsx#'利润 表'!A1].", Some("Sheet1!B2")),
        ("It was 12.4% [book.xlsx#Sheet1!B2].", None),
        ("The fee is 5% [contract.docx#p1].", Some("p2-0c1d")),
    ] {
        assert_eq!(outcome(answer), ("not_found", place.map(str::to_owned)), "{answer}");
    }
}

#[test]
fn places_and_documents_that_are_not_there_are_named() {
    for (answer, expected) in [
        ("5 [report.pdf#page=5]", "no_such_place"),
        ("5 [report.pdf#page=0]", "no_such_place"),
        ("5 [report.pdf#slide=1]", "no_such_place"),
        ("5 [report.pdf#Sheet1!B7]", "no_such_place"),
        ("5 [report.pdf#no-such-heading]", "no_such_place"),
        ("5 [book.xlsx#Sheet9!B7]", "no_such_place"),
        ("5 [book.xlsx#Sheet1!B4]", "no_such_place"),
        ("5 [book.xlsx#Sheet1!C1]", "no_such_place"),
        ("5 [contract.docx#p9]", "no_such_place"),
        ("5% [contract.docx#p2-ffff]", "no_such_place"),
        ("5 [sales.csv#row=4]", "no_such_place"),
        ("5 [sales.csv#row=0]", "no_such_place"),
        ("5 [sales.csv#C1]", "no_such_place"),
        ("5 [report-2024.pdf#page=1]", "no_such_document"),
        ("5 [合同.docx#p1]", "no_such_document"),
        ("Nothing [report.pdf#page=1]", "nothing_to_check"),
        ("In 2024 [report.pdf#page=1]", "nothing_to_check"),
        ("within 30 days [contract.docx#page=1]", "unchecked"),
    ] {
        assert_eq!(outcome(answer).0, expected, "{answer}");
    }
    assert_eq!(checked("5 [made.xlsx#Sheet1!A1]").list, [], "a delivered file is no document");
    assert_eq!(outcome("within 31 days [contract.docx#page=1]").0, "not_found");
}

#[test]
fn cells_that_cannot_be_looked_up_are_unchecked_where_their_sheet_has_the_number() {
    let parts = [("sheet Costs", "| a | 5 |\n"), ("sheet Sales", "| b | 7 |\n")];
    let of = |answer: &str| {
        let old = plain(document("old.xls", &parts, Vec::new()));
        checked_in(answer, vec![old]).list[0].outcome.name()
    };
    assert_eq!(of("It is 5 [old.xls#Costs!B9]"), "unchecked");
    assert_eq!(of("It is 7 [old.xls#Costs!B9]"), "not_found");
    assert_eq!(of("It is 7 [old.xls#Other!B9]"), "no_such_place");
}

#[test]
fn lines_and_sections_of_texts_are_places() {
    let of = |answer: &str| {
        let text = "# A\n\nfive is 5\nseven is 7\n\n## B\n\n9\n";
        let notes = plain(document("notes.md", &[("", text)], Vec::new()));
        checked_in(answer, vec![notes]).list[0].outcome.name()
    };
    for (answer, expected) in [
        ("It is 5 [notes.md#L3]", "confirmed"),
        ("It is 5 [notes.md#line=3]", "confirmed"),
        ("From 5 to 7 [notes.md#L3-L4]", "confirmed"),
        ("It is 7 [notes.md#L3]", "not_found"),
        ("It is 9 [notes.md#b]", "confirmed"),
        ("It is 9 [notes.md#A]", "confirmed"),
        ("It is 7 [notes.md#b]", "not_found"),
        ("It is 7 [notes.md#L99]", "no_such_place"),
        ("It is 7 [notes.md#line=0]", "no_such_place"),
    ] {
        assert_eq!(of(answer), expected, "{answer}");
    }
}

#[test]
fn pages_that_were_not_kept_are_unchecked() {
    let mut cut = report();
    cut.warnings.push("only the first 100 of 900 characters of the text are kept".to_owned());
    let all = checked_in("5 [report.pdf#page=9]", vec![plain(cut)]);
    assert_eq!(all.list[0].outcome, CitationOutcome::Unchecked);
}

#[test]
fn citations_beside_each_other_confirm_together() {
    let both = checked("From 12.34% to 3.2% [report.pdf#page=1], [report.pdf#page=4].");
    assert_eq!(both.count(CitationOutcome::Confirmed), 2, "{both:?}");
    let one = checked("From 12.34% to 3.2% [report.pdf#page=1], [report.pdf#page=2].");
    let outcomes: Vec<_> = one.list.iter().map(|it| it.outcome.name()).collect();
    assert_eq!(outcomes, ["not_found", "not_found"]);
    assert_eq!(one.list[0].missing.len(), 1, "{one:?}");
}

#[test]
fn problems_are_lines_that_nothing_can_forge() {
    let answer = "A “a\u{1b}[2J b c” [report.pdf#page=1]. 12.5% [report.pdf#page=1]. 12.5% [report.pdf#page=1]. \
        3.2% [report.pdf#page=1]. 1 [x.pdf#page=1]. 2 [report.pdf#page=9].";
    let problems = checked(answer).problems();
    assert_eq!(
        problems,
        [
            "not found at report.pdf, page 1: a\\u{1b}[2J b c",
            "not found at report.pdf, page 1: 12.5%",
            "not found at report.pdf, page 1: 3.2% (it stands at page 4)",
            "no such document: x.pdf",
            "no such place: report.pdf, page 9",
        ]
    );
    let hostile = "x](http://evil.example)\n# y.pdf";
    let target = || plain(document(hostile, &[("page 1", "5\n")], Vec::new()));
    // Its name has a line break, so that no citation can name it.
    assert_eq!(
        checked_in("7 [x](http://evil.example)\n# y.pdf#page=1]", vec![target()]).problems(),
        ["no such document: y.pdf"]
    );
    let long = format!("5 [{}.pdf#page=1]", "n".repeat(200));
    assert!(checked(&long).problems()[0].len() < 120);
}

#[test]
fn hostile_answers_and_documents_have_a_bound() {
    let begun = Instant::now();
    let brackets = "[".repeat(100_000) + &"]".repeat(100_000);
    assert_eq!(checked(&brackets), Citations::default());
    let many = checked(&"5 [report.pdf#page=1] ".repeat(100_000));
    assert_eq!((many.list.len(), many.has_more), (500, true));
    // Five hundred quotations that are searched for in a long document.
    let long =
        document("long.pdf", &[("page 1", &"a 1 ".repeat(500_000)), ("page 2", "x")], Vec::new());
    let answer = "“aaaaaaaaaaaaaaab” [long.pdf#page=2]. ".repeat(500);
    let all = checked_in(&answer, vec![plain(long)]);
    assert_eq!(
        all.count(CitationOutcome::NotFound),
        all.list.len() - all.count(CitationOutcome::Unchecked)
    );
    assert!(begun.elapsed() < Duration::from_secs(60), "{:?}", begun.elapsed());
}

/// Returns the report, whose growth stands at one place of its first page which it has as a quotation, too, and whose revenue at another.
fn placed_report() -> Target {
    let texts =
        vec![(1, "12.3%".to_owned()), (1, "14,523,000".to_owned()), (1, "up 12.34 %".to_owned())];
    let rect = |left, top| PageRect { left, top, width: 40.0, height: 12.0 };
    let mut target = plain(report());
    target.page_places = PagePlaces::new(
        texts,
        [rect(300.0, 120.5), rect(90.0, 120.0), rect(300.0, 120.5)].map(|it| vec![it]).to_vec(),
    );
    target
}

#[test]
fn a_confirmed_page_gets_the_rectangle_of_its_text() {
    let checked = |answer: &str| checked_in(answer, vec![placed_report()]).list.remove(0);
    let citation = checked("Revenue grew by 12.3% [report.pdf#page=1].");
    assert_eq!(citation.outcome, CitationOutcome::Confirmed);
    assert_eq!(citation.reference(), "report.pdf#page=1&rect=300,120.5,40,12");
    // Several pages have no one place, and neither has a text that was not looked up.
    for answer in ["It grew by 12.3% [report.pdf#page=1-2].", "It was 1.26亿 [report.pdf#page=4]."]
    {
        let citation = checked(answer);
        assert_eq!(
            (citation.outcome, citation.rect),
            (CitationOutcome::Confirmed, None),
            "{answer}"
        );
        assert!(!citation.reference().contains("rect"), "{answer}");
    }
}

#[test]
fn a_rectangle_that_is_cited_must_have_the_text() {
    let checked = |answer: &str| checked_in(answer, vec![placed_report()]).list.remove(0);
    let right = checked("Revenue grew by 12.3% [report.pdf#page=1&rect=295,118,60,20].");
    assert_eq!(right.outcome, CitationOutcome::Confirmed);
    assert_eq!(right.reference(), "report.pdf#page=1&rect=295,118,60,20");
    let quoted = "The report says “up 12.34 %” [report.pdf#page=1&rect=";
    let right = checked(&format!("{quoted}295,118,60,20]."));
    assert_eq!(right.outcome, CitationOutcome::Confirmed);
    let wrong = checked(&format!("{quoted}10,700,60,20]."));
    assert_eq!(wrong.outcome, CitationOutcome::NotFound);
    assert_eq!(
        wrong.problem().unwrap(),
        "not found at report.pdf, page 1, rect=10,700,60,20: up 12.34 % (it stands at page=1&rect=300,120.5,40,12)"
    );
    // A number may stand there in another form, such as `0.1234`.
    let number = checked("Revenue grew by 12.3% [report.pdf#page=1&rect=10,700,60,20].");
    assert_eq!((number.outcome, number.rect), (CitationOutcome::Confirmed, None));
    // Each of several citations may have one of the figures.
    let both = "Revenue of 14,523,000 grew by 12.3% [report.pdf#page=1&rect=295,118,60,20] [report.pdf#page=1&rect=80,110,60,30].";
    let both = checked_in(both, vec![placed_report()]);
    assert!(both.list.iter().all(|it| it.outcome == CitationOutcome::Confirmed), "{both:?}");
    assert_eq!(both.list[1].rect.map(|it| it.left), Some(90.0));
}

#[test]
fn texts_of_an_answer_are_looked_up_once_on_each_page() {
    let answer = "12.3% [report.pdf#page=1]. Again 12.3% [report.pdf#page=1] and “a … longer text” [report.pdf#page=2], \
        7.5% [report.pdf#page=3-4], 9,500 [sales.csv#B3].";
    let targets = [plain(report()), plain(sales())];
    let draft = draft(answer, targets.iter().map(|it| &*it.document));
    let text = |page, text: &str| (page, text.to_owned());
    assert_eq!(draft.page_texts(0), [text(1, "12.3%"), text(2, "longer text")]);
    assert!(draft.page_texts(1).is_empty());
}

#[test]
fn many_texts_of_a_page_have_a_bound() {
    let line = |at: u32| format!("It was {}.5 [report.pdf#page=1].\n", 1_000 + at);
    let answer: String = (0..MAX_PAGE_TEXTS as u32 + 50).map(line).collect();
    let target = plain(report());
    let draft = draft(&answer, std::iter::once(&*target.document));
    assert_eq!(draft.page_texts(0).len(), MAX_PAGE_TEXTS);
}
