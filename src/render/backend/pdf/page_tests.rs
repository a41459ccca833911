//! Laid out pages: positions, themes, and properties of the file.

use std::sync::Arc;

use ::typst::layout::{Frame, FrameItem, Point};
use ::typst::visualize::Geometry;

use super::typst::typeset;
use super::*;
use crate::{
    Attachment, CommonOptions, FontChoice, Logo, LogoKind, Pdf, PdfBackend as _, PdfOptions,
    PdfStandard, Relation, Running, Theme, TypstBackend, markdown,
};
use mitt_base::{Error, Result};

const CHINESE: &str = "---\ntitle: 年度报告\nauthor: [张三, 李四]\ndate: 2025年12月31日\nkeywords: [收入, DAU]\nto: 王五\n---\n\
    引言。\n\n## 一、概况\n\n*重点*与`代码`[^1]。\n\n- [x] 完成\n\n> [!NOTE]\n> 说明\n\n| 年 | 收入（万元） |\n|---|---|\n| 2024 | 1.5 |\n\n### 细节\n\n文字\n\n## 二、结论\n\n文字\n\n[^1]: 脚注\n";

fn themed(name: &str) -> PdfOptions {
    PdfOptions {
        common: CommonOptions { theme: Theme::named(name).unwrap(), ..CommonOptions::default() },
        ..PdfOptions::default()
    }
}

fn render(source: &str, options: &PdfOptions) -> Result<Pdf> {
    TypstBackend.render(&markdown(source).unwrap(), options)
}

/// A piece of text on a page.
struct PlacedText {
    page: usize,
    at: Point,
    size: f64,
    text: String,
}

fn pieces(source: &str, options: &PdfOptions) -> Vec<PlacedText> {
    fn walk(frame: &Frame, page: usize, origin: Point, out: &mut Vec<PlacedText>) {
        for (at, item) in frame.items() {
            let at = origin + *at;
            match item {
                FrameItem::Group(group) => walk(&group.frame, page, at, out),
                FrameItem::Text(text) => {
                    let size = text.size.to_pt();
                    out.push(PlacedText { page, at, size, text: text.text.to_string() });
                }
                _ => {}
            }
        }
    }
    let (document, _) = typeset(&markdown(source).unwrap(), options).unwrap();
    let mut out = Vec::new();
    for (page, laid_out) in document.pages().iter().enumerate() {
        walk(&laid_out.frame, page, Point::zero(), &mut out);
    }
    out
}

fn text_of(pieces: &[PlacedText], page: usize) -> String {
    pieces.iter().filter(|piece| piece.page == page).map(|piece| piece.text.as_str()).collect()
}

#[test]
fn each_theme_puts_things_where_they_belong() {
    let plain = pieces(CHINESE, &themed("plain"));
    assert!(text_of(&plain, 0).starts_with("年度报告张三 · 李四 · 2025"), "{}", text_of(&plain, 0));
    assert!(text_of(&plain, 0).contains("第 1 页 / 共 1 页"));
    let report = pieces(CHINESE, &themed("report"));
    let (cover, contents, first) = (text_of(&report, 0), text_of(&report, 1), text_of(&report, 2));
    assert_eq!(cover, "年度报告张三李四2025年12月31日");
    assert!(contents.contains("目录") && contents.contains("一、概况"), "{contents}");
    assert!(contents.contains("第 1 页 / 共 2 页"), "{contents}");
    assert!(first.starts_with("年度报告2025年12月31日"), "{first}");
    let letter = text_of(&pieces(CHINESE, &themed("letter")), 0);
    assert!(letter.starts_with("张三李四2025年12月31日王五年度报告引言"), "{letter}");
    assert!(!letter.contains("第 1 页"), "{letter}");
    let slides = pieces(CHINESE, &themed("slides"));
    // The title, the text before the first heading below it, and a page for each heading of the two highest levels.
    let starts: Vec<String> =
        (0..4).map(|page| text_of(&slides, page).chars().take(6).collect()).collect();
    assert_eq!(starts, ["年度报告张三", "年度报告引言", "一、概况重点", "二、结论文字"]);
    assert!(slides.iter().all(|piece| piece.page < 4));
    assert!(text_of(&slides, 2).contains("细节"));
    // A slide that continues has the title of the previous one.
    let longer = pieces("# T\n\n## A\n\na\n\n\\newpage\n\nb\n\n## C\n\nc\n", &themed("slides"));
    let slides: Vec<String> = (1..4).map(|page| text_of(&longer, page)).collect();
    assert!(slides[0].starts_with("Aa") && slides[1].starts_with("A (continued)b"), "{slides:?}");
    assert!(slides[2].starts_with("Cc"), "{slides:?}");
    // A break makes a page, and never an empty one.
    let source = "# T\n\n## A\n\na\n\n\\newpage\n\nb\n\n\\newpage\n\n## C\n";
    assert_eq!(render(source, &themed("slides")).unwrap().pages, 4);
    let english = text_of(&pieces("# T\n\n## A\n\na\n", &themed("report")), 1);
    assert!(english.contains("Contents") && english.contains("Page 1 of 2"), "{english}");
    // Without a title there is no cover, without headings no contents.
    assert_eq!(render("text", &themed("report")).unwrap().pages, 1);
    assert_eq!(render("text", &themed("slides")).unwrap().pages, 1);
}

#[test]
fn a_theme_of_ones_own_is_kept_to() {
    let mut theme = Theme::named("plain").unwrap();
    theme.header = Some(Running {
        left: "{author} {{{date}}}".into(),
        right: "{page}/{pages}".into(),
        first: true,
        ..Running::default()
    });
    theme.footer = Some(Running::default());
    theme.sizes.text = 14.0;
    theme.fonts.text = vec!["DejaVu Sans Mono".into()];
    let options = PdfOptions {
        common: CommonOptions { theme, ..CommonOptions::default() },
        ..PdfOptions::default()
    };
    let drawn = pieces("---\ntitle: T\nauthor: Ann\ndate: 2025\n---\nplain words\n", &options);
    assert!(text_of(&drawn, 0).starts_with("Ann {2025}1/1T"), "{}", text_of(&drawn, 0));
    assert!(!text_of(&drawn, 0).contains("Page"));
    assert!(drawn.iter().any(|piece| piece.text.contains("plain") && piece.size == 14.0));

    let refused = |change: &dyn Fn(&mut Theme)| -> Error {
        let mut options = PdfOptions::default();
        change(&mut options.common.theme);
        render("x", &options).unwrap_err()
    };
    let error = refused(&|theme| theme.fonts.text = vec!["Noto Sanz".into()]);
    assert_eq!(error.to_string(), "theme: fonts.text: there is no font `Noto Sanz`");
    assert_eq!(error.hints()[0], "did you mean `Noto Sans`?");
    let error = refused(&|theme| theme.margins.left = 160.0);
    assert_eq!(error.to_string(), "theme: margins: expected at least 70 mm between them, got less");
    let broken = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x02".as_slice();
    let error = refused(&|theme| {
        let kind = LogoKind::Png;
        theme.logo =
            Some(Logo { kind, bytes: broken.into(), height: 10.0, description: String::new() });
    });
    assert_eq!(
        error.to_string(),
        "theme: logo: expected a PNG or JPEG picture, got one that is broken"
    );
}

fn file(name: &str) -> Attachment {
    Attachment {
        name: name.into(),
        media_type: "text/markdown".into(),
        relation: Relation::Source,
        description: String::new(),
        bytes: Arc::from("# 源".as_bytes()),
    }
}

#[test]
fn each_standard_is_kept_and_said() {
    let has = |bytes: &[u8], what: &str| {
        let bytes = crate::shared::object_streams::unpacked(bytes);
        bytes.windows(what.len()).any(|part| part == what.as_bytes())
    };
    let plain = render(CHINESE, &PdfOptions::default()).unwrap().bytes;
    for what in
        ["/StructTreeRoot", "/Marked true", "/Lang(zh-CN)", "/Keywords", "/Author", "/Title"]
    {
        assert!(has(&plain, what), "{what}");
    }
    assert!(!has(&plain, "pdfaid:part") && !has(&plain, "/OutputIntents"));
    for standard in PdfStandard::ALL {
        let is_archive_with_files = standard.takes_files() && standard != PdfStandard::Ua1;
        let attachments = if is_archive_with_files { vec![file("源.md")] } else { Vec::new() };
        let options = PdfOptions { standards: vec![standard], attachments, ..themed("report") };
        let pdf = render(CHINESE, &options).unwrap();
        assert!(pdf.warnings.is_empty(), "{:?}", pdf.warnings);
        let said = match standard.name() {
            "ua-1" => vec![
                "<pdfuaid:part>1</pdfuaid:part>".to_owned(),
                "/DisplayDocTitle true".to_owned(),
            ],
            name => {
                let part = name.chars().nth(2).unwrap();
                let mut said =
                    vec![format!("<pdfaid:part>{part}</pdfaid:part>"), "/OutputIntents".to_owned()];
                if let Some(level) = name.chars().nth(3) {
                    let level = level.to_ascii_uppercase();
                    said.push(format!("<pdfaid:conformance>{level}</pdfaid:conformance>"));
                }
                said
            }
        };
        said.iter().for_each(|what| assert!(has(&pdf.bytes, what), "{standard}: {what}"));
        for what in ["/AFRelationship/Source", "/EmbeddedFile"] {
            assert_eq!(has(&pdf.bytes, what), is_archive_with_files, "{standard}: {what}");
        }
        // A second run gives the same bytes.
        assert_eq!(pdf.bytes, render(CHINESE, &options).unwrap().bytes, "{standard}");
    }
    let both = vec![PdfStandard::Ua1, PdfStandard::A3a];
    let options =
        PdfOptions { standards: both, attachments: vec![file("a.md")], ..PdfOptions::default() };
    let bytes = render(CHINESE, &options).unwrap().bytes;
    assert!(
        has(&bytes, "pdfuaid:part") && has(&bytes, "pdfaid:part") && has(&bytes, "/AFRelationship")
    );
    let options = PdfOptions {
        standards: vec![PdfStandard::A2a],
        attachments: vec![file("a")],
        ..PdfOptions::default()
    };
    assert!(render("x", &options).is_err());
}

#[test]
fn what_a_standard_forbids_is_repaired_where_it_can_be() {
    let strict = |source: &str| {
        let standards = vec![PdfStandard::Ua1, PdfStandard::A2a];
        render(source, &PdfOptions { standards, ..PdfOptions::default() })
    };
    for source in [
        "# T\n\n#### deep\n\ntext\n\n###### deeper\n\n## b\n",
        "text\n\n> ### quoted first\n\n- # in a list\n",
        "# T\n\n## \n\ntext\n\n## ![](x.png)\n",
        "# T\n\n~~删除的 *内容* ~~nested~~ *x*~~ *重点*\n",
        "# T\n\n| a[^1] | b |\n|---|---|\n| - | ~~c~~ |\n\n[^1]: note\n\n- [x] done\n  1. one\n\n> q\n\n```\ncode\n```\n",
        "# T\n\n✅ 🔴 $x^2$ ![picture](x.png)\n\n\\newpage\n\n---\n",
    ] {
        strict(source).unwrap_or_else(|error| panic!("{source}: {}", error.render()));
    }
    let pdf = strict("just text").unwrap();
    assert_eq!(pdf.warnings.len(), 1, "{:?}", pdf.warnings);
    assert!(pdf.warnings[0].starts_with("no title: `Document` stands in"), "{:?}", pdf.warnings);
}

#[test]
fn headings_go_down_one_level_at_a_time() {
    let levels = |source: &str| -> Vec<u64> {
        let options = PdfOptions::default();
        let faces = options.fonts.faces().unwrap();
        let json = data::data(&markdown(source).unwrap(), &options, &faces, Ok).unwrap().json;
        let data: serde_json::Value = serde_json::from_slice(&json).unwrap();
        let blocks = data["blocks"].as_array().unwrap().iter();
        blocks.filter_map(|block| block["level"].as_u64()).collect()
    };
    assert_eq!(levels("# T\n\n## a\n\n##### b\n\n### c\n\n## d\n\n###### e\n"), [1, 2, 2, 1, 2]);
    assert_eq!(levels("### a\n\n## b\n"), [1, 1]);
}

#[test]
fn a_table_of_few_lines_is_on_one_page_and_a_longer_one_begins_at_once() {
    let mut is_longer_divided = false;
    for lines in 20..56 {
        for rows in [7, 8] {
            let rows_of = (1..=rows).map(|n| format!("| r{n} | {n} |\n")).collect::<String>();
            let source =
                format!("# T\n\n{}| a | b |\n|---|---|\n{rows_of}", "行。\n\n".repeat(lines));
            let drawn = pieces(&source, &themed("plain"));
            let page = |text: &str| drawn.iter().find(|it| it.text == text).unwrap().page;
            let is_divided = page("r1") != page(&format!("r{rows}"));
            assert!(rows == 8 || !is_divided, "{lines} lines before");
            is_longer_divided |= is_divided;
        }
    }
    assert!(is_longer_divided, "no room is lost for a table of eight rows and a head");
}

#[test]
fn no_heading_is_last_on_a_page() {
    for theme in ["plain", "report"] {
        for lines in 0..56 {
            let source = format!(
                "# T\n\n{}\n## 标题\n\n### 小标题\n\n正文一行。\n\n## W\n\n{}",
                "行。\n\n".repeat(lines),
                "| a |\n|---|\n| b |\n"
            );
            let drawn = pieces(&source, &themed(theme));
            let pages = drawn.iter().map(|piece| piece.page).max().unwrap();
            for page in 0..=pages {
                let body = drawn.iter().filter(|piece| {
                    piece.page == page && (60.0..780.0).contains(&piece.at.y.to_pt())
                });
                let last = body.max_by(|a, b| a.at.y.to_raw().total_cmp(&b.at.y.to_raw()));
                // The cover has nothing else.
                let is_cover = theme == "report" && page == 0;
                assert!(
                    is_cover
                        || last.is_none_or(
                            |last| !["标题", "小标题", "W"].contains(&last.text.as_str())
                        ),
                    "{theme}: {lines} lines, page {page}"
                );
            }
        }
    }
}

#[test]
fn a_heading_goes_with_text_whose_note_has_no_room() {
    for lines in 20..44 {
        let source = format!(
            "# T\n\n{}\n## Head\n\ntext[^1]\n\n[^1]: {}\n",
            "line\n\n".repeat(lines),
            "note ".repeat(60)
        );
        let drawn = pieces(&source, &PdfOptions::default());
        let page_of =
            |what: &str| drawn.iter().find(|piece| piece.text == what).map(|piece| piece.page);
        assert_eq!(page_of("Head"), page_of("text"), "{lines} lines");
    }
}

#[test]
fn a_heading_goes_with_the_turned_table_below_it() {
    let line = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(11));
    let source = format!(
        "# T\n\ntext\n\n## Wide\n\n{}{}{}",
        line("heading"),
        line("---"),
        line("1,234,567.89")
    );
    let drawn = pieces(&source, &PdfOptions::default());
    let wide = drawn.iter().find(|piece| piece.text == "Wide").unwrap();
    assert_eq!(wide.page, 1);
    assert!(text_of(&drawn, 1).contains("1,234,567.89"));
}

#[test]
fn a_very_wide_table_loses_no_column() {
    for (columns, theme) in [(30, "plain"), (90, "plain"), (40, "slides"), (40, "letter")] {
        let row = |cell: &dyn Fn(usize) -> String| {
            format!("|{}|\n", (0..columns).map(cell).collect::<Vec<_>>().join("|"))
        };
        let source = format!(
            "## T\n\n{}{}{}",
            row(&|n| format!("H{n}（万元）")),
            row(&|_| "---".into()),
            (0..3).map(|line| row(&|n| format!("{line}-{n:03}.{n:03}"))).collect::<String>()
        );
        let options = themed(theme);
        let drawn = pieces(&source, &options);
        for column in 0..columns {
            let head = format!("H{column}");
            let times = drawn.iter().filter(|piece| piece.text == head).count();
            assert!(times > usize::from(column == 0), "{head} {times} times");
            let cell = format!("2-{column:03}.{column:03}");
            assert!(drawn.iter().any(|piece| piece.text == cell), "{cell}");
        }
        // The unit is whole in each head, on a line of its own or behind the name.
        assert!(
            drawn
                .iter()
                .filter(|piece| piece.text.contains('万'))
                .all(|piece| piece.text.contains("（万元）"))
        );
        let pdf = render(&source, &options).unwrap();
        assert!(
            pdf.warnings
                .iter()
                .any(|warning| warning.contains("set in parts") && warning.contains("under `T`"))
        );
    }
}

#[test]
fn closing_marks_never_start_a_line() {
    const CLOSING: &str = "，。、；：？！）》」』】〕”’…—%‰℃";
    // A generator of our own, so that the texts are the same in each run.
    let mut state = 7_u64;
    let mut next = |below: usize| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    let words = [
        "经营",
        "报告",
        "（万元）",
        "《规定》",
        "“重点”",
        "DAU",
        "12.5%",
        "`代码`",
        "**加粗**，",
        "增长",
        "的",
        "2025年",
    ];
    let marks = ["，", "。", "、", "；", "：", "！", "？", "……", "）", "》"];
    for _ in 0..12 {
        let mut source = String::new();
        for _ in 0..60 {
            (0..next(6) + 1).for_each(|_| source.push_str(words[next(words.len())]));
            source.push_str(marks[next(marks.len())]);
        }
        source.push_str("\n\n| 表头（万 / 元）、说明 | b |\n|---|---|\n");
        (0..4).for_each(|_| {
            source.push_str(&format!(
                "| {} | x |\n",
                source
                    .chars()
                    .take(next(90) + 5)
                    .filter(|c| *c != '`' && *c != '|')
                    .collect::<String>()
            ))
        });
        let drawn = pieces(&source, &PdfOptions::default());
        let left = |piece: &&PlacedText| piece.at.x.to_pt();
        for piece in drawn.iter().filter(|piece| piece.page == 0) {
            // The first piece of a line has none before it at the same height.
            let is_first = !drawn.iter().any(|other| {
                other.page == 0
                    && (other.at.y.to_pt() - piece.at.y.to_pt()).abs() < 2.0
                    && left(&other) < left(&piece)
            });
            let c = piece.text.chars().next().unwrap_or(' ');
            assert!(!is_first || !CLOSING.contains(c) || c == '—', "{} in {source}", piece.text);
        }
    }
}

#[test]
fn a_font_for_a_language_comes_before_the_chinese_one() {
    let faces = PdfOptions::default().fonts.faces().unwrap();
    let of =
        |tag: &str| faces.preferred(&crate::model::language::Language::parse(tag).unwrap()).len();
    // Without fonts, none is chosen.
    assert_eq!((of("ja"), of("zh-CN")), (0, 0));
    let mut choice = FontChoice::default();
    assert!(!choice.look_at(Arc::from(&b"no font"[..])));
    // The bundled fonts have all of its characters except Hebrew.
    let serif =
        typst_assets::fonts().find(|data| data.windows(15).any(|name| name == b"LibertinusSerif"));
    assert!(choice.look_at(serif.unwrap().into()));
    let mono =
        typst_assets::fonts().find(|data| data.windows(14).any(|name| name == b"DejaVuSansMono"));
    assert!(choice.look_at(mono.unwrap().into()));
    assert_eq!(choice.chosen(u64::MAX), [1]);
    assert!(choice.chosen(1_000).is_empty());
}

/// Returns the right ends of all text, and the number of arrows where lines of code continue.
fn ends_and_turns(source: &str, options: &PdfOptions) -> (Vec<f64>, usize) {
    fn walk(frame: &Frame, origin: Point, out: &mut (Vec<f64>, usize)) {
        for (at, item) in frame.items() {
            let at = origin + *at;
            match item {
                FrameItem::Group(group) => walk(&group.frame, at, out),
                FrameItem::Text(text) => out.0.push((at.x + text.width()).to_pt()),
                FrameItem::Shape(shape, _) => {
                    // Nothing else that is drawn is two open lines of two segments each.
                    let is_turn =
                        matches!(&shape.geometry, Geometry::Curve(curve) if curve.0.len() == 6);
                    out.1 += usize::from(is_turn && shape.fill.is_none());
                }
                _ => {}
            }
        }
    }
    let (document, _) = typeset(&markdown(source).unwrap(), options).unwrap();
    let mut out = (Vec::new(), 0);
    document.pages().iter().for_each(|page| walk(&page.frame, Point::zero(), &mut out));
    out
}

#[test]
fn long_lines_of_code_stay_on_the_page_and_say_where_they_go_on() {
    let word = "x".repeat(75);
    let line = format!("    call({word}, \"{}\", 汉字{})", "y".repeat(90), "汉字".repeat(40));
    let fence = |indent: &str, language: &str| {
        format!("{indent}```{language}\n{indent}short\n{indent}{line}\n{indent}```\n\n")
    };
    let nested = format!(
        "- a\n  - b\n    - c\n\n{}> > {word}\n>\n{}",
        fence("      ", "python"),
        fence("> ", "")
    );
    let source = format!("# T\n\n{}{}{nested}", fence("", "python"), fence("", ""));
    for (theme, right) in [("plain", 595.3), ("slides", 960.0)] {
        let (ends, turns) = ends_and_turns(&source, &themed(theme));
        let last = ends.iter().fold(0.0, |last: f64, end| last.max(*end));
        assert!(last < right - 20.0, "{theme}: {last}");
        assert!(turns >= 6, "{theme}: {turns}");
    }
    // The text is complete, and the arrows are not part of it.
    let text: String =
        pieces(&source, &themed("plain")).into_iter().map(|piece| piece.text).collect();
    // Where a word may break is no character.
    assert!(!text.contains('\u{200B}'));
    assert_eq!(text.matches(&"y".repeat(90)).count(), 4);
    assert_eq!(text.matches(&format!("汉字{})", "汉字".repeat(40))).count(), 4);
    // Short lines have none.
    assert_eq!(ends_and_turns("```\nshort\n```\n", &themed("plain")).1, 0);
}
