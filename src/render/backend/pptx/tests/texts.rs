//! A document as slides without places and looks.

use super::*;
use crate::{CommonOptions, Pictures, SlideKind, SlidePart, SlideTexts, slide_texts};

fn texts_of(source: &str, options: &PptxOptions) -> SlideTexts {
    slide_texts(&markdown(source).unwrap(), options).unwrap()
}

/// Returns the slides, one line for each title and paragraph; levels are dots.
fn shown(made: &SlideTexts) -> String {
    let mut out = String::new();
    for slide in &made.slides {
        let again = if slide.is_continued { " again" } else { "" };
        let below = slide.subtitle.as_deref().map(|it| format!(" / {it}")).unwrap_or_default();
        out.push_str(&format!("{:?}{again}: {}{below}\n", slide.kind, slide.title));
        for part in &slide.parts {
            match part {
                SlidePart::Text(lines) => {
                    for line in lines {
                        let text = line.text.replace('\u{b}', "|");
                        out.push_str(&format!("  {}{text}\n", ".".repeat(line.level)));
                    }
                }
                SlidePart::Table(rows) => out.push_str(&format!("  {rows:?}\n")),
                SlidePart::Chart { chart, below } => {
                    let names: Vec<&str> = chart.series.iter().map(|it| &*it.name).collect();
                    out.push_str(&format!("  {:?} {names:?} {below:?}\n", chart.kind));
                }
                SlidePart::Picture { index, below } => {
                    let words = &made.pictures[*index].description;
                    out.push_str(&format!("  picture {words} {below:?}\n"));
                }
            }
        }
    }
    out
}

#[test]
fn slides_are_those_of_the_writer_and_levels_are_those_of_the_text() {
    let source = "---\ntitle: T\nauthor: [A, B]\n---\nBefore.\n\n# Part\n\n## One\n\nLead in:\n\n- a\n  1. b\n  2. c\n- [x] d\n\n### Inner\n\ntext\n\n- e\n\n> [!NOTE]\n> q\n\n---\n\n| k | v |\n|---|---|\n| x | **1** |\n\n## Two\n\n```\nfn a() {\n\tb\n}\n```\n\nEnd.[^1]\n\n[^1]: A note.\n";
    insta::assert_snapshot!(shown(&texts_of(source, &PptxOptions::default())), @r#"
    Title: T / A · B
    Content: T
      Before.
    Section: Part
    Content: One
      Lead in:
      .a
      ..1. b
      ..2. c
      .☑ d
      Inner
      .text
      ..e
      ..Note
      ..q
    Content again: One
      [["k", "v"], ["x", "1"]]
    Content: Two
      fn a() {|    b|}
      End.¹
    Content: Notes
      1. A note.
    "#);
}

#[test]
fn formatting_that_is_lost_is_counted_in_one_warning() {
    let source = "# T **b**\n\n## S\n\n*i* **b** ~~s~~ `c` [l](http://a.test) <u>u</u>\n\n```\nx\n```\n\n![](none.png)\n\n$\\frac{a}{b}$\n";
    let made = texts_of(source, &PptxOptions::default());
    insta::assert_snapshot!(made.warnings.join("\n"), @r"
    formatting within texts is left out: 2 bold spans, 1 code block, 1 code span, 1 italic span, 1 link, 1 struck span, 1 underlined span
    images are not shown, their descriptions are: (block 5, under `S`)
    formulas stand on one line, with a slash in place of a fraction line: `\frac{a}{b}` (block 6, under `S`)
    ");
    assert_eq!(texts_of("# T\n\n## S\n\ntext\n", &PptxOptions::default()).warnings, [""; 0]);
}

#[test]
fn charts_and_pictures_come_with_what_stands_below_them() {
    let mut pictures = Pictures::default();
    pictures.insert("a.png", crate::shared::picture::samples::png(4, 3, None).into());
    let source = "## S\n\n![A b](a.png \"Caption\")\n\n```chart\ntype: line\nsource: here\n\n| q | x |\n|---|---|\n| 1 | 2 |\n| 2 | 3 |\n```\n\n![A b](a.png)\n";
    let made = texts_of(
        source,
        &PptxOptions { common: CommonOptions { pictures, ..CommonOptions::default() } },
    );
    insta::assert_snapshot!(shown(&made), @r#"
    Content: S
      picture A b Some("Caption")
      Line ["x"] Some("Source: here")
      picture A b None
    "#);
    assert_eq!(made.pictures.len(), 2);
    assert_eq!(made.slides[0].kind, SlideKind::Content);
}

#[test]
fn contents_have_two_levels() {
    let options =
        PptxOptions { common: CommonOptions { contents: true, ..CommonOptions::default() } };
    let made = texts_of("# T\n\n## A\n\nx\n\n### B\n\ny\n\n## C\n\nz\n", &options);
    insta::assert_snapshot!(shown(&made), @r"
    Title: T
    Content: Contents
      A
      .B
      C
    Content: A
      x
      B
      .y
    Content: C
      z
    ");
}
