use std::sync::Arc;

use unicode_segmentation::UnicodeSegmentation as _;

use super::*;
use crate::document::{DocumentInternal as _, Place};
use mitt_base::tokens::estimated;
use mitt_table::{CellRef, NamedTable, TableBuilder};

fn document(text: &str) -> Document {
    let characters = text.chars().count() as u64;
    Document { text: text.to_owned(), characters, ..Document::empty("a.md", "text/markdown") }
}

fn tokens(tokens: u64) -> TextBudget {
    TextBudget { tokens, ..TextBudget::default() }
}

fn characters(characters: u64) -> TextBudget {
    TextBudget { characters, ..TextBudget::default() }
}

fn table(rows: u64) -> String {
    let rows: String = (1..=rows).map(|n| format!("| {n} | {} |\n", n * 10)).collect();
    format!("| n | ten |\n| --- | --- |\n{rows}")
}

#[test]
fn what_fits_is_whole() {
    let text = "# 年报\n\n| a |\n| --- |\n| 1 |\n\ntext";
    let short = document(text);
    for budget in [TextBudget::default(), tokens(100), characters(31)] {
        let excerpt = short.excerpt(&budget);
        assert_eq!((excerpt.text.as_str(), excerpt.is_whole()), (text, true));
        assert_eq!(excerpt.tokens, estimated(text));
    }
    assert_eq!(document("").excerpt(&tokens(0)), Excerpt::default());
}

#[test]
fn a_long_text_keeps_both_ends_and_says_what_is_missing_and_how_to_read_on() {
    let paragraph =
        |n| format!("Paragraph {n} says what it says, and then it says more of it.\n\n");
    let text: String = (1..=200).map(paragraph).collect();
    let mut long = document(&text);
    let page = |n: u64| Place { offset: n * 1_200, label: format!("page {}", n + 1) };
    long.places = (0..10).map(page).collect();
    insta::assert_snapshot!(long.excerpt(&tokens(200)).text, @r"
    Paragraph 1 says what it says, and then it says more of it.

    Paragraph 2 says what it says, and then it says more of it.

    Paragraph 3 says what it says, and then it says more of it.

    Paragraph 4 says what it says, and then it says more of it.

    Paragraph 5 says what it says, and then it says more of it.

    [SYSTEM: TRUNCATED] 12 124 of 12 492 characters are left out here, offset 305 to 12429, page 1 to page 10. document-tool: read_document from offset 305 reads on; outline and search find a place.

    Paragraph 200 says what it says, and then it says more of it.
    ");
    let excerpt = long.excerpt(&TextBudget { names_tools: false, ..characters(500) });
    insta::assert_snapshot!(excerpt.text, @r"
    Paragraph 1 says what it says, and then it says more of it.

    Paragraph 2 says what it says, and then it says more of it.

    Paragraph 3 says what it says, and then it says more of it.

    Paragraph 4 says what it says, and then it says more of it.

    [SYSTEM: TRUNCATED] 12 185 of 12 492 characters are left out here, offset 244 to 12429, page 1 to page 10.

    Paragraph 200 says what it says, and then it says more of it.
    ");
    assert_eq!(excerpt.missing(), excerpt.left_out[0].characters);
}

#[test]
fn of_a_long_table_the_header_the_first_and_the_last_rows_stay() {
    let mut long = document(&format!("# Sales\n\n{}\nThe end.\n", table(5_000)));
    insta::assert_snapshot!(long.excerpt(&tokens(150)).text, @r"
    # Sales

    | n | ten |
    | --- | --- |
    | 1 | 10 |
    | 2 | 20 |
    | 3 | 30 |
    | 4 | 40 |
    | 5 | 50 |
    | 6 | 60 |
    | 7 | 70 |
    | 8 | 80 |
    | 9 | 90 |
    | 10 | 100 |
    | 11 | 110 |
    | 12 | 120 |
    | 13 | 130 |
    | … 4 984 of 5 000 rows left out; read_document from offset 186 reads on … |
    | 4998 | 49980 |
    | 4999 | 49990 |
    | 5000 | 50000 |

    The end.
    ");
    // Rows that the text does not show count as well, and the last rows are those of the table.
    let mut rows = TableBuilder::new(vec!["n".into(), "ten".into()], &account());
    for n in 1..=9_000 {
        let cells = [n.to_string(), (n * 10).to_string()];
        rows.push_row(cells.iter().map(|cell| CellRef::Number(cell))).unwrap();
    }
    long.tables = Arc::new([NamedTable::new("Sales", rows.finish().unwrap())]);
    let excerpt = long.excerpt(&characters(400));
    assert!(excerpt.text.contains(" of 9 000 rows left out; read_table"), "{}", excerpt.text);
    assert!(excerpt.text.contains("\n| 8999 | 89990 |\n| 9000 | 90000 |\n"), "{}", excerpt.text);
    assert_eq!(excerpt.left_out.len(), 1);
}

fn account() -> mitt_base::memory::Account {
    mitt_base::memory::Account::root(mitt_base::Resource::Documents, u64::MAX)
}

#[test]
fn several_long_tables_share_the_room_and_small_ones_stay() {
    let sheets: String = (1..=4).map(|n| format!("## Sheet {n}\n\n{}\n", table(400))).collect();
    let text = format!("{sheets}## Small\n\n{}", table(5));
    let excerpt = document(&text).excerpt(&tokens(2_000));
    assert_eq!(excerpt.left_out.len(), 4);
    assert!(excerpt.text.ends_with(&table(5)), "{}", excerpt.text);
    assert!(excerpt.text.matches("| 400 | 4000 |").count() == 4, "{}", excerpt.text);
    assert!(excerpt.tokens <= 2_000);
}

#[test]
fn the_budget_is_kept_and_nothing_is_divided() {
    let family = "\u{1f468}\u{200d}\u{1f469}\u{200d}\u{1f467}";
    let texts = [
        "净利润同比增长百分之十二。主要原因是订阅业务持续扩大；".repeat(200),
        family.repeat(900),
        format!("e{}", "\u{301}".repeat(5_000)),
        "\u{1f1e8}\u{1f1f3}".repeat(2_000),
        "x".repeat(20_000),
        "a line of a log\r\n".repeat(1_000),
        table(1_000),
        format!("| {} |\n| --- |\n| 1 |\n", "wide ".repeat(3_000)),
        format!("|{}", "| x ".repeat(3_000)),
        format!("```\n{}", "code\n\n".repeat(2_000)),
        (0..3_000).map(|n| format!("# {n}\n")).collect(),
        " \n".repeat(4_000),
        "\n|\n".repeat(3_000),
    ];
    for text in texts {
        let document = document(&text);
        let mut before = None;
        let mut at = 0;
        let mut borders = std::collections::HashSet::from([0]);
        for seen in text.graphemes(true) {
            at += seen.chars().count();
            borders.insert(at);
        }
        for tokens in [0, 60, 100, 300, 2_000] {
            for characters in [u64::MAX, tokens * 3] {
                let budget = TextBudget { characters, tokens, ..TextBudget::default() };
                let excerpt = document.excerpt(&budget);
                assert_eq!(excerpt.tokens, estimated(&excerpt.text));
                let what = format!("{tokens} {characters}: {}", excerpt.text);
                // There is always a mark, if there is room for one.
                if tokens >= 100 {
                    assert!(excerpt.tokens <= tokens, "{what}");
                    assert!(excerpt.text.chars().count() as u64 <= characters, "{what}");
                }
                let missing: u64 = excerpt.left_out.iter().map(|it| it.characters).sum();
                assert!(missing > 0 || excerpt.text == text, "{what}");
                assert!(missing <= document.characters, "{missing} {what}");
                let n_lines = text.lines().count();
                for left_out in &excerpt.left_out {
                    let at = usize::try_from(left_out.offset).unwrap();
                    // A grapheme longer than any that people see is divided.
                    assert!(
                        n_lines > 1 || text.starts_with("e\u{301}") || borders.contains(&at),
                        "{at} {what}"
                    );
                }
                if characters == u64::MAX {
                    let shown = document.characters - missing;
                    assert!(before.is_none_or(|before| shown + 400 >= before), "{what}");
                    before = Some(shown);
                }
            }
        }
    }
}

#[test]
fn small_documents_are_whole_and_large_ones_share_the_rest() {
    let [small, large, larger] =
        [10, 1_000, 9_000].map(|n| document(&"word and more.\n\n".repeat(n)));
    let shown = excerpts(&[&large, &small, &larger], &tokens(2_000));
    assert!(shown[1].is_whole() && !shown[0].is_whole() && !shown[2].is_whole());
    let sum: u64 = shown.iter().map(|it| it.tokens).sum();
    assert!((1_700..=2_000).contains(&sum), "{sum}");
    assert!(shown[0].tokens.abs_diff(shown[2].tokens) < 100);
    // A limit on each document.
    let each = TextBudget { document_characters: 1_000, ..tokens(20_000) };
    let shown = excerpts(&[&large, &small, &larger], &each);
    assert!(shown.iter().all(|it| it.text.chars().count() <= 1_000));
    assert!(shown[1].is_whole() && shown[0].text.chars().count() > 700);
    let each = TextBudget { document_tokens: 300, ..TextBudget::default() };
    assert!(excerpts(&[&large, &larger], &each).iter().all(|it| it.tokens <= 300));
}

#[test]
fn of_very_many_documents_the_last_ones_are_not_shown() {
    let many: Vec<_> = (0..500).map(|_| document(&"word and more.\n\n".repeat(300))).collect();
    let shown = excerpts(&many, &tokens(1_000));
    assert_eq!(shown.iter().filter(|it| !it.text.is_empty()).count(), 10);
    assert!(shown.iter().map(|it| it.tokens).sum::<u64>() <= 1_000);
    let last = shown.last().unwrap();
    assert_eq!(last.missing(), many[0].characters);
}

#[test]
fn shares_are_fair() {
    for (wanted, full, expected) in [
        (&[1, 2, 3][..], 10, u64::MAX),
        (&[5, 1, 9], 9, 4),
        (&[9, 9], 9, 4),
        (&[0, 100], 50, 50),
        (&[], 9, u64::MAX),
    ] {
        assert_eq!(level(wanted, full), expected, "{wanted:?}");
    }
}
