//! Markdown on a terminal.

use super::*;

/// Returns what a terminal of 40 columns receives.
fn sent(text: &str) -> String {
    let mut markdown = Markdown::new(40);
    markdown.push(text) + &markdown.finish()
}

/// Returns the same with escape sequences as `‹1›`, and a reset as `‹›`.
fn shown(text: &str) -> String {
    readable(&sent(text))
}

/// Returns the columns of each line.
fn widths(out: &str) -> Vec<usize> {
    out.lines().map(console::measure_text_width).collect()
}

fn readable(out: &str) -> String {
    let mut text = String::new();
    let mut rest = out;
    while let Some(at) = rest.find("\u{1b}[") {
        text.push_str(&rest[..at]);
        let end = at + rest[at..].find('m').unwrap();
        let code = &rest[at + 2..end];
        text.push_str(&format!("‹{}›", if code == "0" { "" } else { code }));
        rest = &rest[end + 1..];
    }
    text + rest
}

const ANSWER: &str = "\
# Growth of **DAU**

Revenue grew by **12.5 %** and `dau` fell, see [the report](out/r.pdf) for what came of it.

- first
  - second, which is long enough that it does not fit
1. one
10) ten

> quoted _words_

---

| Region | Revenue | DAU |
|:-------|--------:|:---:|
| **North** | 1200 | 5 |
| 华东地区 | 87 | `x|y` |

```python
print(\"**not bold**\")
\tindented
```
a*b 2 * 3 **open
";

#[test]
fn an_answer_is_shown_as_it_is_meant() {
    insta::assert_snapshot!(shown(ANSWER), @r#"
    ‹1›Growth‹› ‹1›of‹› ‹1›DAU‹›

    Revenue grew by ‹1›12.5‹› ‹1›%‹› and ‹36›dau‹› fell, see
    ‹4›the‹› ‹4›report‹› ‹2›(out/r.pdf)‹› for what came of
    it.

    • first
      • second, which is long enough that it
        does not fit
    1. one
    10) ten

    ‹2›│ ‹›quoted ‹3›words‹›

    ‹2›────────────────────────────────────────‹›

    ‹2›┌──────────┬─────────┬─────┐‹›
    ‹2›│‹› ‹1›Region‹›   ‹2›│‹› ‹1›Revenue‹› ‹2›│‹› ‹1›DAU‹› ‹2›│‹›
    ‹2›├──────────┼─────────┼─────┤‹›
    ‹2›│‹› ‹1›North‹›    ‹2›│‹›    1200 ‹2›│‹›  5  ‹2›│‹›
    ‹2›│‹› 华东地区 ‹2›│‹›      87 ‹2›│‹› ‹36›x|y‹› ‹2›│‹›
    ‹2›└──────────┴─────────┴─────┘‹›

    ‹2›```python‹›
    ‹36›print("**not bold**")‹›
    ‹36›    indented‹›
    ‹2›```‹›
    a*b 2 * 3 **open
    "#);
}

/// The answer does not depend on how the text is divided into pieces.
#[test]
fn pieces_make_the_same_answer() {
    let whole = sent(ANSWER);
    for size in [1, 2, 3, 7, 31] {
        let mut markdown = Markdown::new(40);
        let characters: Vec<char> = ANSWER.chars().collect();
        let pieces = characters.chunks(size).map(|piece| piece.iter().collect::<String>());
        let out: String = pieces.map(|piece| markdown.push(&piece)).collect();
        // A piece of code has its colour piece by piece.
        let plain = |out: &str| console::strip_ansi_codes(out).into_owned();
        assert_eq!(plain(&(out + &markdown.finish())), plain(&whole), "pieces of {size}");
    }
}

#[test]
fn words_are_shown_before_their_line_ends() {
    let mut markdown = Markdown::new(40);
    assert_eq!(markdown.push("Revenue grew by "), "Revenue grew by");
    assert_eq!(markdown.push("12 % and "), " 12 % and");
    assert_eq!(markdown.push("**fell"), "");
    assert_eq!(readable(&markdown.push(" then** in")), " ‹1›fell‹› ‹1›then‹›");
    assert_eq!(markdown.finish(), " in\n");
}

#[test]
fn wide_characters_take_two_columns() {
    let text = "收入同比增长百分之十二，日活跃用户数下降了百分之三，这是因为渠道发生了变化。";
    let out = sent(text);
    assert!(widths(&out).iter().all(|it| *it <= 40) && out.lines().count() == 2, "{out}");
    assert!(!out.lines().any(|line| line.starts_with(['，', '。'])), "{out}");
    assert_eq!(out.replace('\n', ""), text);
    let table = sent("| 地区 | Revenue |\n|---|---|\n| 华东 | 1 |\n| North-East | 23 |\n");
    assert_eq!(widths(&table), [24; 6], "{table}");
}

#[test]
fn a_table_is_never_wider_than_the_terminal() {
    let long = "a cell of several words that go on and on";
    let table = sent(&format!("| A | B |\n|---|---|\n| {long} | {long} |\n"));
    assert_eq!(widths(&table), [40; 8], "{table}");
    let plain = console::strip_ansi_codes(&table);
    for word in long.split(' ') {
        assert!(plain.matches(word).count() >= 2, "{word}: {table}");
    }
    // Rows that are no table, and more rows than a table has.
    assert_eq!(shown("| a | b |\n| c |\n"), "| a | b |\n| c |\n");
    let many = format!("| a |\n|---|\n{}", "| x |\n".repeat(700));
    assert_eq!(shown(&many).matches('x').count(), 700);
}

/// Escape sequences of the text have no effect.
#[test]
fn nothing_of_the_text_reaches_the_terminal_as_a_command() {
    for text in [
        "\u{1b}[2Jx",
        "**\u{1b}]0;t\u{7}**",
        "`\u{202e}`",
        "| \u{1b}[31m |\n|---|\n",
        "```\n\u{9b}31m\n```\n",
    ] {
        let out = sent(text);
        let own = console::strip_ansi_codes(&out).into_owned();
        assert!(!own.contains(['\u{1b}', '\u{7}', '\u{9b}', '\u{202e}']), "{own:?}");
        assert!(own.contains("\\u{"), "{own:?}");
    }
    assert_eq!(shown("👩\u{200d}💻 ok"), "👩\u{200d}💻 ok\n");
}
