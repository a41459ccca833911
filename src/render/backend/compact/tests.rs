//! Invariants of the small backend, checked before and after the writer: every text is in a line, every line on a page.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use super::lines::{Edge, lines};
use super::shape::shape;
use super::strip::{Draw, Mark};
use super::*;
use crate::model::doc::Inline;
use crate::tests::{Numbers, specifications};
use crate::{Block, CommonOptions, CompactBackend, FontSet, PdfBackend as _, markdown};

fn laid_out(source: &str) -> Laid {
    laid_with(source, &PdfOptions::default()).unwrap()
}

fn laid_with(source: &str, options: &PdfOptions) -> Result<Laid> {
    let doc = markdown(source).unwrap();
    let faces = options.fonts.compact_faces()?;
    let language = Language::of(&doc, options.common.language.as_deref())?;
    lay_out(&doc, options, &faces, &language)
}

fn rendered(source: &str) -> Result<Pdf> {
    CompactBackend.render(&markdown(source).unwrap(), &PdfOptions::default())
}

fn text_of(line: &Line) -> String {
    line.runs.iter().map(|run| run.text.as_str()).collect()
}

/// Returns the text of a strip; of a row cell by cell.
fn strip_text(strip: &Strip) -> String {
    match &strip.draw {
        Draw::Line(line, _) => text_of(line),
        Draw::Row(row) => {
            row.cells.iter().flat_map(|cell| &cell.lines).map(text_of).collect::<String>()
        }
        Draw::Space | Draw::Rule { .. } => String::new(),
    }
}

/// Returns the part of a text that no page may lose.
fn essence(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace() && !c.is_control() && *c != '\u{200B}').collect()
}

/// Checks that every strip, and every line of it, is on exactly one page, above its footnotes.
fn check_pages(laid: &Laid, source: &str) {
    let mut lines = vec![0_usize; laid.strips.len()];
    let mut notes: Vec<Vec<usize>> = laid.notes.iter().map(|note| vec![0; note.len()]).collect();
    for page in &laid.pages {
        let sheet = strip::Sheet::of(crate::Paper::A4, page.is_turned);
        let mut last = 0.0_f32;
        for item in &page.items {
            let strip = &laid.strips[item.strip];
            let height = draw::Brush::height(strip, item);
            assert!(item.y + 0.1 >= last, "strips overlap: {source}");
            last = item.y + height;
            if !item.is_repeated {
                lines[item.strip] += match (item.lines, &strip.draw) {
                    (Some((first, last)), _) => last - first,
                    (None, Draw::Row(row)) => row.lines,
                    _ => 1,
                };
            }
        }
        let most = sheet.text_height() - page.notes_height();
        assert!(last <= most + 0.5, "{last} of {most}: {source}");
        for note in &page.notes {
            notes[note.note - 1][note.item.strip] += 1;
        }
    }
    for (strip, lines) in laid.strips.iter().zip(lines) {
        let expected = if let Draw::Row(row) = &strip.draw { row.lines } else { 1 };
        assert_eq!(lines, expected, "{source}");
    }
    assert!(notes.iter().flatten().all(|times| *times == 1), "{notes:?}: {source}");
}

/// Checks that every text of a document is in its lines, and every line on a page.
fn check(source: &str) {
    let doc = markdown(source).unwrap();
    let options = PdfOptions::default();
    let faces = options.fonts.compact_faces().unwrap();
    let language = Language::of(&doc, None).unwrap();
    let laid = match lay_out(&doc, &options, &faces, &language) {
        Ok(laid) => laid,
        Err(error) => {
            assert!(error.to_string().starts_with("no font has most letters"), "{error}: {source}");
            return;
        }
    };
    check_pages(&laid, source);
    let strips = laid.strips.iter().chain(laid.notes.iter().flatten());
    let text = essence(&strips.map(strip_text).collect::<String>());
    let outline = Outline::of(&doc);
    let mut composer = Composer::new(&faces, &language, Notes::of(&doc), Anchors::of(&outline));
    doc.for_each_text(&mut |part| {
        let part = essence(&composer.plain(part));
        assert!(text.contains(&part), "lost `{part}` of:\n{source}\n{text}");
    });
}

#[test]
fn no_text_of_the_specifications_is_lost() {
    for source in specifications() {
        check(&source);
        let fence = "`".repeat(32);
        let mut count = 0;
        for example in source.split(&fence).skip(1).step_by(2) {
            let (markdown, _) = example.rsplit_once("\n.\n").unwrap_or((example, ""));
            let markdown = markdown.trim_start_matches(" example").replace('→', "\t");
            check(&markdown);
            if count % 20 == 0 {
                rendered(&markdown).unwrap();
            }
            count += 1;
        }
        assert!(count > 600, "{count}");
    }
}

#[test]
fn random_text_survives() {
    const PIECES: [&str; 38] = [
        "增长",
        "报告",
        "，",
        "。",
        "“",
        "”",
        "——",
        "……",
        "（",
        "）",
        "《",
        "》",
        "Abc",
        "b",
        " ",
        "\n\n",
        "**",
        "`",
        "- ",
        "1. ",
        "> ",
        "# ",
        "## ",
        "|a|b|\n|-|-|\n|",
        "[^1]",
        "\n\n[^1]: ",
        "[a](http://x.y/z) ",
        "12.5%",
        "🚀",
        "✅",
        "\u{202E}",
        "𠮷",
        "\u{FFFF}",
        "---\n",
        "- [x] ",
        "\\newpage\n\n",
        "```\n",
        "x/y_z?a=b&c",
    ];
    let mut numbers = Numbers(0x5EED);
    for round in 0..300 {
        let length = 1 + numbers.below(if round % 10 == 0 { 600 } else { 60 });
        let source: String = (0..length).map(|_| PIECES[numbers.below(PIECES.len())]).collect();
        check(&source);
        if round % 30 == 0 {
            drop(rendered(&source));
        }
    }
}

/// Returns the lines of a paragraph in this width.
fn broken(text: &str, width: f32, edge: Edge) -> Vec<(String, f32)> {
    let faces = FontSet::default().compact_faces().unwrap();
    let doc = Doc::default();
    let language = Language::parse("zh").unwrap();
    let mut composer = Composer::new(&faces, &language, Notes::of(&doc), Anchors::default());
    let content = [Inline::Text { text: text.into() }];
    let paragraph = composer.compose(&content, Style::new(10.0));
    let mut types = Types::new(&faces, true);
    let shaped = shape(&paragraph, &mut types, false, &mut Vec::new());
    let lines = lines(&paragraph, &shaped, width, edge);
    lines.iter().map(|line| (text_of(line), line.width)).collect()
}

#[test]
fn closing_marks_begin_no_line_and_opening_ones_end_none() {
    const PIECES: [&str; 22] = [
        "增", "长率", "，", "。", "、", "；", "：", "！", "？", "“", "”", "（", "）", "《", "》",
        "『", "』", "——", "……", "GPU", "3.5%", "word ",
    ];
    let mut numbers = Numbers(0xC10);
    for _ in 0..300 {
        // Marks within text as people write it: at most three of them in a row.
        let mut text = String::new();
        for _ in 0..80 {
            text.push_str(PIECES[numbers.below(PIECES.len())]);
            text.push_str(["文字", "内容很长", ""][numbers.below(3)]);
        }
        for edge in [Edge::Justified, Edge::Ragged] {
            let lines = broken(&text, 240.0, edge);
            assert_eq!(
                lines.iter().map(|line| line.0.trim_end()).collect::<String>().replace(' ', ""),
                text.replace(' ', "")
            );
            for (index, (line, width)) in lines.iter().enumerate() {
                assert!(*width < 240.6, "{width}: {line}");
                let first = line.chars().next().unwrap();
                assert!(index == 0 || !"，。、；：！？”）》』".contains(first), "{line} of {text}");
                let last = line.trim_end().chars().next_back().unwrap();
                assert!(index + 1 == lines.len() || !"“（《『".contains(last), "{line} of {text}");
            }
        }
    }
}

#[test]
fn lines_fill_the_width() {
    let text = "公司围绕“稳增长、提质量”的目标推进各项工作，日活跃用户（DAU）达到1,234万，营业收入同比增长12.5%。".repeat(6);
    let lines = broken(&text, 300.0, Edge::Justified);
    let (_, all) = lines.split_last().unwrap();
    assert!(all.iter().all(|(_, width)| (width - 300.0).abs() < 0.1), "{lines:?}");
    let text = "The quick brown fox jumps over the lazy dog and runs away. ".repeat(6);
    let lines = broken(&text, 300.0, Edge::Justified);
    let (_, all) = lines.split_last().unwrap();
    assert!(all.iter().all(|(_, width)| (width - 300.0).abs() < 0.1), "{lines:?}");
}

#[test]
fn long_words_are_parted_where_they_may_be_and_whole_otherwise() {
    let url = "https://example.com/a/path/of/many/parts?with=query&and=more";
    let lines = broken(&format!("见{url}。"), 150.0, Edge::Ragged);
    assert!(lines.len() > 1 && lines.iter().all(|(_, width)| *width <= 150.6), "{lines:?}");
    assert!(lines[0].0.ends_with(['/', '?', '=', '&', '.', ':']), "{lines:?}");
    for text in
        ["x".repeat(5_000), "字".repeat(5_000), "\u{A0}".repeat(5_000), "\u{2003}".repeat(5_000)]
    {
        let lines = broken(&text, 100.0, Edge::Justified);
        let all: String = lines.iter().map(|line| line.0.as_str()).collect();
        assert!(all.trim() == text.trim() || text.trim().is_empty(), "{all}");
        assert!(lines.iter().all(|(line, width)| *width <= 100.6 || line.trim().is_empty()));
    }
    // Narrower than any character.
    assert_eq!(broken("字字x", 1.0, Edge::Ragged).len(), 3);
}

#[test]
fn marks_of_full_width_close_up_and_scripts_keep_apart() {
    let width = |text: &str| broken(text, 1_000.0, Edge::Ragged)[0].1;
    // A closing mark at the end of a line, or before another one, has half the width.
    assert_eq!(width("字"), 10.0);
    assert_eq!(width("字。"), 15.0);
    assert_eq!(width("（字）"), 20.0);
    assert_eq!(width("字。”字"), 35.0);
    let apart = width("字a") - width("字") - width("a");
    assert!((apart - 2.5).abs() < 0.01, "{apart}");
    assert!((width("字。a") - width("字") - width("a") - 10.0).abs() < 0.01);
}

/// Returns the texts of a page, from top to bottom, including repeated heads.
fn page_texts(laid: &Laid, page: usize) -> Vec<String> {
    laid.pages[page].items.iter().map(|item| strip_text(&laid.strips[item.strip])).collect()
}

#[test]
fn the_head_of_a_table_is_on_every_page_and_wide_tables_turn_theirs() {
    let rows = "| 行 | 内容 |\n|---|---|\n".to_owned() + &"| 一 | 二 |\n".repeat(120);
    let laid = laid_out(&rows);
    assert!(laid.pages.len() > 2);
    for page in 0..laid.pages.len() {
        assert_eq!(page_texts(&laid, page)[0], "行内容");
    }
    check_pages(&laid, "rows");
    let line = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(14));
    let wide = format!(
        "before\n\n## head\n\n{}{}{}after\n",
        line("列名称"),
        line("---"),
        line("1,234.56") + "\n"
    );
    let laid = laid_out(&wide);
    let turned: Vec<bool> = laid.pages.iter().map(|page| page.is_turned).collect();
    assert_eq!(turned, [false, true, false]);
    assert_eq!(page_texts(&laid, 1)[0], "head");
    // A row that is too high for any page continues on the next one.
    let tall =
        format!("| a | b |\n|---|---|\n| x | {} |\n| y | z |\n", "很长的内容，".repeat(1_000));
    let laid = laid_out(&tall);
    check_pages(&laid, "tall");
    assert!(laid.pages.len() > 1 && page_texts(&laid, 1)[0] == "ab");
}

#[test]
fn a_table_of_few_lines_is_on_one_page_and_a_longer_one_begins_at_once() {
    let mut is_longer_divided = false;
    for paragraphs in 10..40 {
        for rows in [7, 8] {
            let before = "一段文字。\n\n".repeat(paragraphs);
            let table = "| a | b |\n|---|---|\n".to_owned() + &"| r | s |\n".repeat(rows);
            let laid = laid_out(&(before + &table));
            let on_page = |page| page_texts(&laid, page).iter().filter(|it| *it == "rs").count();
            let is_divided = (0..laid.pages.len()).filter(|page| on_page(*page) > 0).count() > 1;
            assert!(rows == 8 || !is_divided, "{paragraphs} paragraphs before");
            is_longer_divided |= is_divided;
        }
    }
    assert!(is_longer_divided, "no room is lost for a table of eight rows and a head");
}

#[test]
fn headings_stay_with_their_text_and_notes_with_their_reference() {
    for paragraphs in 20..60 {
        let source = format!(
            "{}## 标题\n\n正文一行。\n\n{}",
            "一段文字。\n\n".repeat(paragraphs),
            "x\n\n".repeat(3)
        );
        let laid = laid_out(&source);
        for page in 0..laid.pages.len() {
            assert_ne!(page_texts(&laid, page).last().unwrap(), "标题", "{paragraphs}");
        }
        let source = format!(
            "{}注[^1]\n\n[^1]: {}\n",
            "一段文字。\n\n".repeat(paragraphs),
            "脚注内容。".repeat(100)
        );
        let laid = laid_out(&source);
        check_pages(&laid, &source);
        let page = laid.pages.iter().position(|page| !page.notes.is_empty()).unwrap();
        assert!(page_texts(&laid, page).iter().any(|text| text == "注1"), "{paragraphs}");
    }
    // A note longer than a page continues on the next ones.
    let source = format!("a[^1] b[^2]\n\n[^1]: {}\n[^2]: short\n", "很长的脚注。".repeat(2_000));
    let laid = laid_out(&source);
    check_pages(&laid, "note");
    assert!(laid.pages.len() >= 3);
}

#[test]
fn contents_have_the_numbers_of_pages() {
    let source = "# T\n\n## 甲\n\na\n\n\\newpage\n\n### 乙\n\nb\n\n##### no entry\n\n> ## 丙\n";
    let options = PdfOptions {
        common: CommonOptions { contents: true, ..CommonOptions::default() },
        ..PdfOptions::default()
    };
    let laid = laid_with(source, &options).unwrap();
    assert_eq!(laid.pages.len(), 3);
    let entries: Vec<(String, String)> = laid
        .strips
        .iter()
        .flat_map(|strip| strip.markers.iter().map(move |marker| (strip, marker)))
        .filter_map(|(strip, marker)| match &marker.draw {
            Mark::Leader { number, .. } => Some((strip_text(strip), text_of(number))),
            _ => None,
        })
        .collect();
    let expected = [("甲", "2"), ("乙", "3"), ("丙", "3")];
    assert_eq!(entries, expected.map(|(text, page)| (text.to_owned(), page.to_owned())));
    // There is nothing to list and nothing to print.
    CompactBackend.render(&Doc::default(), &options).unwrap();
}

#[test]
fn the_same_document_makes_the_same_bytes() {
    let source = "# 年度报告\n\n收入**增长** 12.5%[^1]。\n\n| 年 | 收入 |\n|---|---|\n| 2024 | 1.5 |\n\n[^1]: n\n";
    let first = rendered(source).unwrap();
    assert_eq!(first.bytes, rendered(source).unwrap().bytes);
    assert_eq!(first.pages, 1);
    assert!(first.warnings.is_empty(), "{:?}", first.warnings);
    let later = PdfOptions {
        common: CommonOptions {
            created: Some(Duration::from_secs(86_400)),
            ..CommonOptions::default()
        },
        ..PdfOptions::default()
    };
    let doc = markdown(source).unwrap();
    assert_ne!(first.bytes, CompactBackend.render(&doc, &later).unwrap().bytes);
}

#[test]
fn links_lead_out_to_headings_and_to_notes() {
    let source = "# T\n\n[a](https://a.test/x) [b](#甲) [c](javascript:x) n[^1]\n\n## 甲\n\n![图](x.png) $x^2$\n\n[^1]: note\n";
    let laid = laid_out(source);
    assert_eq!(
        laid.links,
        [Target::Url("https://a.test/x".into()), Target::Heading(0), Target::Note(1)]
    );
    assert_eq!(
        laid.warnings,
        [
            "images are not shown, their descriptions are: `图` (block 4, under `甲`: the small typesetter shows none)",
            "links are text only, as they do not lead to `http`, `https`, `mailto`, a heading or a file beside the document: `c` (block 2)",
        ]
    );
    let bytes = crate::shared::object_streams::unpacked(&rendered(source).unwrap().bytes);
    let has = |part: &[u8]| bytes.windows(part.len()).any(|window| window == part);
    assert!(has(b"(https://a.test/x)") && !has(b"javascript"));
    // Tags, bookmarks, language.
    assert!(has(b"/StructTreeRoot") && has(b"/Outlines") && has(b"zh-CN"));
}

#[test]
fn missing_characters_are_boxes_and_a_text_of_them_is_refused() {
    let pdf = rendered("见附录 한국어 部分").unwrap();
    assert!(
        pdf.warnings[0].starts_with("drawn as □, as no font has them: Hangul, 3 times"),
        "{:?}",
        pdf.warnings
    );
    let error = rendered("# 报告\n\nภาษาไทยภาษาไทย").err().unwrap();
    assert_eq!(*error.kind(), ErrorKind::Arguments);
    assert!(
        error.to_string().starts_with("no font has most letters of this text: Thai"),
        "{error}"
    );
    let pdf = rendered("✅ 完成 📈 增长 🚀").unwrap();
    assert_eq!(pdf.warnings, ["left out, as no font has them: 🚀 (U+1F680)"]);
    let control = Doc {
        blocks: vec![Block::Paragraph {
            content: vec![Inline::Text { text: "a\u{8}b\nc".into() }],
        }],
        ..Doc::default()
    };
    let pdf = CompactBackend.render(&control, &PdfOptions::default()).unwrap();
    assert_eq!(pdf.warnings, ["control characters are left out: (block 1)"]);
}

#[test]
fn fonts_that_are_none_are_refused_and_others_serve() {
    let with = |file: &[u8]| PdfOptions {
        fonts: FontSet::with_extra(&[file.into()]),
        ..PdfOptions::default()
    };
    let error = CompactBackend.render(&Doc::default(), &with(b"no font")).err().unwrap();
    insta::assert_snapshot!(error, @"font 0: expected a TTF or OTF font");
    let font = crate::shared::glyphs::unpacked_mono().unwrap();
    let pdf = CompactBackend.render(&markdown("# 报告\n\ntext").unwrap(), &with(font)).unwrap();
    assert_eq!(pdf.pages, 1);
}

#[test]
fn what_is_too_large_is_refused_before_it_is_set() {
    let rows = "| a | b | c |\n|---|---|---|\n".to_owned() + &"| x | 1 | y |\n".repeat(12_000);
    let error = rendered(&rows).err().unwrap();
    assert!(error.to_string().starts_with("document: expected at most 60000 elements"), "{error}");
    let text = Inline::Text { text: "x".repeat(MAX_TEXT_BYTES + 1) };
    let doc = Doc { blocks: vec![Block::Paragraph { content: vec![text] }], ..Doc::default() };
    let error = CompactBackend.render(&doc, &PdfOptions::default()).err().unwrap();
    insta::assert_snapshot!(error, @"document: expected at most 8388608 bytes of text, got 8388609");
    let options = PdfOptions::default();
    options.common.cancel.cancel();
    let error = CompactBackend.render(&markdown("x").unwrap(), &options).err().unwrap();
    assert_eq!(error.to_string(), "rendering was cancelled");
    let language = PdfOptions {
        common: CommonOptions { language: Some("1234".into()), ..CommonOptions::default() },
        ..PdfOptions::default()
    };
    assert!(CompactBackend.render(&markdown("x").unwrap(), &language).is_err());
}

#[test]
fn time_grows_with_the_text_and_no_faster() {
    for source in [
        "文字内容".repeat(20_000),
        "x".repeat(50_000),
        "**a** `b` ".repeat(3_000),
        format!("```\n{}```", "x = 1\n".repeat(5_000)),
        format!("```\n{}\n```", "x ".repeat(50_000)),
        "word\u{2003}".repeat(1_000) + &"\u{2003}".repeat(20_000),
        "- a\n".repeat(5_000),
        format!(
            "|{}\n|{}\n{}",
            "a|".repeat(120),
            "-|".repeat(120),
            format!("|{}\n", "长内容 12,345.67|".repeat(120)).repeat(50)
        ),
    ] {
        let started = Instant::now();
        let laid = laid_out(&source);
        check_pages(&laid, "long");
        assert!(
            started.elapsed() < Duration::from_secs(30),
            "{:?}: {:?}",
            &source[..12],
            started.elapsed()
        );
    }
}

#[test]
fn deep_documents_are_drawn() {
    let list: String = (0..40)
        .map(|level| format!("{}- level {level} **b *i ~~s `c`~~***\n", "  ".repeat(level)))
        .collect();
    let quote: String =
        (1..40).map(|level| format!("{}q{level}\n\n", "> ".repeat(level))).collect();
    let mixed: String = (0..40).map(|level| format!("{}> - x\n", "  > - ".repeat(level))).collect();
    for source in [
        list,
        quote,
        mixed,
        "- - - a\n- > | a |\n  > |---|\n  > | b |\n- ```\n  x\n  ```\n-\n".into(),
        "[^1]\n\n[^1]: | a |\n    |---|\n    | b |\n".into(),
        "a[^1] b[^2]\n\n[^1]: see [^2]\n[^2]: see [^1] and [^3]\n[^3]: only here [^4]\n[^4]: deeper [^3]\n".into(),
    ] {
        check(&source);
        rendered(&source).unwrap();
    }
}

#[test]
fn page_breaks_make_no_empty_pages() {
    assert_eq!(laid_out("a\n\n\\newpage\n\n\\newpage\n\nb\n\n\\newpage\n").pages.len(), 2);
    assert_eq!(laid_out("\\newpage\n\na").pages.len(), 1);
    let numbers: BTreeSet<String> =
        laid_out("a\n\n\\newpage\n\nb").footers.iter().map(text_of).collect();
    assert!(numbers.contains("Page 2 of 2"), "{numbers:?}");
}
