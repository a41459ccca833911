use std::time::Duration;

use super::*;
use crate::{
    CommonOptions, Doc, FontSet, Pdf, PdfBackend as _, PdfOptions, TypstBackend, markdown,
};
use mitt_base::Result;

fn render(source: &str) -> Result<Pdf> {
    TypstBackend.render(&markdown(source).unwrap(), &PdfOptions::default())
}

#[test]
fn the_same_document_makes_the_same_bytes() {
    let source = "# 年度报告\n\n收入**增长** 12.5%。\n\n| 年 | 收入 |\n|---|---|\n| 2024 | 1.5 |\n";
    let first = render(source).unwrap();
    assert_eq!(first.bytes, render(source).unwrap().bytes);
    assert_eq!(first.pages, 1);
    assert!(first.warnings.is_empty());
    let later = PdfOptions {
        common: CommonOptions {
            created: Some(Duration::from_secs(86_400)),
            ..CommonOptions::default()
        },
        ..PdfOptions::default()
    };
    assert_ne!(first.bytes, TypstBackend.render(&markdown(source).unwrap(), &later).unwrap().bytes);
}

#[test]
fn text_is_never_code() {
    // As Typst markup, each of these would be an error, an endless loop or a file access.
    for source in [
        "#panic(\"x\")",
        "#while true {}",
        "#read(\"/etc/passwd\")",
        "$ x $ @ref <label> \\ // /* ",
        "`#let`",
    ] {
        render(source).unwrap();
    }
}

#[test]
fn every_block_is_drawn() {
    let source = "# A\n## B\n### C\n#### D\n##### E\n###### F\n\n> q\n\n> [!WARNING]\n> w\n\n1. a\n   - b\n     - c\n2. d\n\n\
        - [x] done\n- [ ] open\n- plain\n\n```rust\nfn main() {}\n```\n\n---\n\na[^1] b[^1] c[^2] ~~s~~ *i* [l](https://x.y) \
        [m](javascript:x) ![i](x.png)\n\n[^1]: one\n[^2]: two with | bar\n\n| a | b |\n|:-:|--:|\n| [^2] | `c` |\n\n<p>html</p>\n";
    let pdf = render(source).unwrap();
    assert!(pdf.bytes.starts_with(b"%PDF-"));
}

#[test]
fn emoji_are_replaced_or_left_out() {
    let pdf = render("✅ 完成 📈 增长 🚀").unwrap();
    assert_eq!(
        pdf.warnings,
        [
            "left out, as no font has them: 🚀 (U+1F680); with a font of them, such as that of `fonts-noto-color-emoji` of Debian, emoji are drawn"
        ]
    );
}

#[test]
fn languages_are_checked() {
    let doc = markdown("x").unwrap();
    for (language, fine) in [
        ("zh", true),
        ("zh-Hans-CN", true),
        ("en_US", true),
        ("", true),
        ("x", false),
        ("1234", false),
    ] {
        let options = PdfOptions {
            common: CommonOptions { language: Some(language.into()), ..CommonOptions::default() },
            ..PdfOptions::default()
        };
        assert_eq!(TypstBackend.render(&doc, &options).is_ok(), fine, "{language}");
    }
}

#[test]
fn a_cancelled_rendering_ends() {
    let options = PdfOptions::default();
    options.common.cancel.cancel();
    assert!(TypstBackend.render(&markdown("x").unwrap(), &options).is_err());
}

#[test]
fn missing_characters_are_boxes_and_told_by_script() {
    let pdf = render("# 报告\n\n见附录 한국어 部分，联系人 ก").unwrap();
    let packages = crate::model::writing_systems::to_install(&["Hangul", "Thai"]);
    let way_out = format!(
        "give a font that has them (`HostBuilder::font` or `FontSet::with_extra`; {packages}), or leave them out"
    );
    let warning = [
        "Hangul, 3 times, first in `见附录 한국어 部分，联系人 ก`: 국 (U+AD6D), 어 (U+C5B4), 한 (U+D55C)",
        "Thai, once, first in ` 한국어 部分，联系人 ก`: ก (U+0E01)",
    ];
    let warning = format!("drawn as □, as no font has them: {}; {way_out}", warning.join("; "));
    assert_eq!(pdf.warnings, [warning]);
    let data = data_of("见附录 한국어 部分");
    assert!(data.contains("\"text\":\"□\u{200B}□\u{200B}□\",\"color\":\"red\""), "{data}");
}

#[test]
fn a_text_without_glyphs_is_refused_and_the_way_out_named() {
    let error = render("# 报告\n\nภาษาไทยภาษาไทย").unwrap_err();
    assert_eq!(*error.kind(), mitt_base::ErrorKind::Arguments);
    assert!(
        error
            .to_string()
            .starts_with("no font has most letters of this text: Thai, 14 times, first in `ภาษา"),
        "{error}"
    );
    let remedy = error.remedies().next();
    assert!(matches!(remedy, Some(mitt_base::Remedy::Font { .. })), "{error:?}");
    // A thousand different characters do not make a thousand lines.
    let many: String = (0xAC00..0xAFE8).filter_map(char::from_u32).collect();
    let message = render(&many).unwrap_err().to_string();
    assert!(message.ends_with("and 997 more"), "{message}");
}

#[test]
fn scripts_that_need_a_font_of_their_own_are_not_set_with_a_mathematical_one() {
    // New Computer Modern Math has these letters, but not the rules that join them.
    let pdf = render("Our offices in Delhi (नमस्ते दुनिया) and Cairo (القاهرة) have grown.").unwrap();
    let [warning] = &*pdf.warnings else { panic!("{:?}", pdf.warnings) };
    assert!(warning.contains("Arabic, 7 times"), "{warning}");
    assert!(warning.contains("Devanagari, 12 times"), "{warning}");
}

#[test]
fn a_given_font_serves_its_script_and_the_language_follows() {
    let fonts = FontSet::with_extra(&[serif().into()]);
    let options = PdfOptions { fonts, ..PdfOptions::default() };
    let source = "# דוח שנתי\n\nההכנסות גדלו ב-12.5% (DAU) בשנת 2025.\n\n> הערה\n\n| שנה | הכנסות |\n|---|---|\n| 2024 | 1.5 |\n";
    let doc = markdown(source).unwrap();
    let pdf = TypstBackend.render(&doc, &options).unwrap();
    assert!(pdf.warnings.is_empty(), "{:?}", pdf.warnings);
    let faces = options.fonts.faces().unwrap();
    let data = data::data(&doc, &options, &faces, Ok).unwrap();
    let data: serde_json::Value = serde_json::from_slice(&data.json).unwrap();
    assert_eq!((&data["language"], &data["fonts"][0]), (&"he".into(), &"Libertinus Serif".into()));
    // Without the font the same text is refused.
    assert!(render(source).is_err());
}

#[test]
fn emoji_that_carry_meaning_keep_it() {
    // Keycaps, flags, joined emoji, office bullets: each is drawn as something or left out, and none is an error.
    let pdf = render("1️⃣ 🇨🇳 ⚠️ 🔴 🟢 👨‍👩‍👧 \u{F0B7} \u{E123} ❤️ ⭐️").unwrap();
    assert_eq!(
        pdf.warnings,
        [
            "left out, as no font has them: \u{E123} (U+E123), 👧 (U+1F467), 👨 (U+1F468), 👩 (U+1F469); with a font of them, such as that of `fonts-noto-color-emoji` of Debian, emoji are drawn"
        ]
    );
}

#[test]
fn deep_documents_are_drawn() {
    let list: String = (0..40)
        .map(|level| format!("{}- level {level} **b *i ~~s `c`~~***\n", "  ".repeat(level)))
        .collect();
    let quote: String =
        (1..40).map(|level| format!("{}q{level}\n\n", "> ".repeat(level))).collect();
    let mixed: String = (0..40).map(|level| format!("{}> - x\n", "  > - ".repeat(level))).collect();
    let spans = format!("{}x{}", "**a *b [c](https://x.y) ".repeat(40), "*d** ".repeat(40));
    for source in [list, quote, mixed, spans] {
        render(&source).unwrap();
    }
}

#[test]
fn notes_that_refer_to_notes_end() {
    for source in [
        "a[^1]\n\n[^1]: self [^1]\n",
        "a[^1] b[^2]\n\n[^1]: see [^2]\n[^2]: see [^1] and [^3]\n[^3]: only here [^4]\n[^4]: deeper [^3]\n",
        "# T[^1]\n\n## H[^1]\n\n| h[^1] |\n|---|\n| c[^1] |\n\n[^1]: n\n",
        "unused\n\n[^1]: text that nothing refers to\n",
        "[^1]\n\n[^1]: | a |\n    |---|\n    | b |\n",
    ] {
        render(source).unwrap();
    }
}

/// Returns the template's data for a document.
fn data_of(source: &str) -> String {
    let options = PdfOptions::default();
    let faces = options.fonts.faces().unwrap();
    let data = data::data(&markdown(source).unwrap(), &options, &faces, Ok).unwrap();
    String::from_utf8(data.json).unwrap()
}

#[test]
fn a_note_within_notes_is_whole_once() {
    let long = "word ".repeat(1_000);
    let source = format!("a[^b]\n\n[^b]: {}\n[^c]: {long}\n", "[^c] ".repeat(500));
    let json = data_of(&source);
    assert_eq!(json.matches(long.trim()).count(), 1);
    assert_eq!(json.matches("word…]").count() + json.matches("word …]").count(), 499);
    assert!(json.len() < 100_000, "{}", json.len());
}

#[test]
fn what_stands_on_every_page_is_cut() {
    let json = data_of(&format!("# {}\n\ntext", "x".repeat(100_000)));
    assert!(json.contains(&format!("[{{\"text\":\"{}\"}}]", "x".repeat(200))));
}

#[test]
fn a_line_of_code_without_end_is_set_in_parts() {
    let json = data_of(&format!("```\n{}\n{}```", "x ".repeat(50_000), "short\n".repeat(500)));
    let data: serde_json::Value = serde_json::from_str(&json).unwrap();
    // A part of a long line is a list of pieces, other parts are lines.
    let chunks: Vec<String> = data["blocks"][0]["chunks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|chunk| match chunk["pieces"].as_array() {
            Some(pieces) => pieces.iter().filter_map(|it| it[1].as_str()).collect(),
            None => chunk.as_str().unwrap().to_owned(),
        })
        .collect();
    assert!(
        chunks.len() > 50 && chunks.iter().all(|chunk| chunk.len() < 8_192),
        "{}",
        chunks.len()
    );
    assert_eq!(chunks.concat().matches("x ").count(), 50_000);
    assert_eq!(chunks.concat().matches("short").count(), 500);
}

#[test]
fn very_much_emphasis_has_no_dots() {
    let json = data_of(&format!("*{}* and\n\n*年* a", "年a".repeat(2_000)));
    assert_eq!((json.matches("italic").count(), json.matches("emphasis").count()), (1, 1));
}

#[test]
fn contents_take_a_page() {
    let doc = markdown("# T\n\n## A\n\na\n\n### B\n\nb\n").unwrap();
    let options = PdfOptions {
        common: CommonOptions { contents: true, ..CommonOptions::default() },
        ..PdfOptions::default()
    };
    assert_eq!(TypstBackend.render(&doc, &options).unwrap().pages, 2);
    // There is nothing to list and nothing to print.
    TypstBackend.render(&Doc::default(), &options).unwrap();
}

#[test]
fn tables_of_any_shape_are_drawn() {
    for (columns, rows) in [(1, 0), (1, 300), (40, 3), (120, 2)] {
        let line = |cell: &str| format!("|{}\n", format!("{cell}|").repeat(columns));
        let source = format!(
            "{}{}{}",
            line("head"),
            line("---"),
            line("AVeryLongIdentifierWithoutAnyBreak 12,345.67").repeat(rows)
        );
        render(&source).unwrap();
    }
}

#[test]
fn a_rendering_is_cancelled_while_it_runs() {
    let options = PdfOptions::default();
    let doc = markdown(&paragraphs(400)).unwrap();
    let cancel = options.common.cancel.clone();
    let stopper = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(20));
        cancel.cancel();
    });
    let error = TypstBackend.render(&doc, &options).unwrap_err();
    stopper.join().unwrap();
    assert_eq!(error.to_string(), "rendering was cancelled");
}

/// Returns this many different paragraphs, so that Typst cannot reuse results.
fn paragraphs(count: usize) -> String {
    let text = "一段很长的文字，需要排版很多页。".repeat(20);
    (0..count).map(|index| format!("{index} {text}\n\n")).collect()
}

#[test]
fn fonts_that_are_none_are_refused() {
    let options = PdfOptions {
        fonts: FontSet::with_extra(&[b"no font".as_slice().into()]),
        ..PdfOptions::default()
    };
    let error = TypstBackend.render(&Doc::default(), &options).unwrap_err();
    insta::assert_snapshot!(error, @"font 0: expected a TTF or OTF font");
}

#[test]
fn too_many_elements_are_refused_before_they_are_laid_out() {
    let rows = "| a | b | c |\n|---|---|---|\n".to_owned() + &"| x | 1 | y |\n".repeat(12_000);
    let error = render(&rows).unwrap_err();
    insta::assert_snapshot!(
        error,
        @"document: expected at most 60000 elements (paragraphs, items, cells, pieces of formatted text), got 72006"
    );
}

#[test]
fn a_paragraph_without_end_is_set_in_time() {
    // The best line breaks of these took a minute each.
    for source in [
        "文字内容".repeat(20_000),
        "**a** `b` ".repeat(3_000),
        format!("```\n{}```", "x = 1\n".repeat(5_000)),
    ] {
        let started = std::time::Instant::now();
        render(&source).unwrap();
        assert!(
            started.elapsed() < Duration::from_secs(20),
            "{:?}: {:?}",
            &source[..12],
            started.elapsed()
        );
    }
}

/// Returns a serif face of Typst's own set that is not bundled, in place of a font of the embedder. It has Hebrew letters.
fn serif() -> &'static [u8] {
    let is_serif = |data: &&[u8]| data.windows(15).any(|name| name == b"LibertinusSerif");
    typst_assets::fonts().find(|data| is_serif(data)).unwrap()
}

#[test]
fn further_fonts_serve_what_the_bundled_ones_lack() {
    let faces = FontSet::with_extra(&[serif().into()]).faces().unwrap();
    assert_eq!(faces.fonts.len(), FontSet::default().faces().unwrap().fonts.len() + 1);
    let options =
        PdfOptions { fonts: FontSet::with_extra(&[serif().into()]), ..PdfOptions::default() };
    TypstBackend.render(&markdown("# 报告\n\ntext").unwrap(), &options).unwrap();
}

#[test]
fn front_matter_page_breaks_and_formulas() {
    let source = "---\ntitle: T\nauthor: 张三\ndate: 2025\nlang: de\nx: y\n---\na $\\foo^2$\n\n\\newpage\n\nb\n";
    let pdf = render(source).unwrap();
    assert_eq!(pdf.pages, 2);
    assert_eq!(
        pdf.warnings,
        [
            "front matter: only `title`, `author`, `date`, `language`, `paper`, `keywords`, `to` are read, got `x`",
            "formulas are shown as their source, for what is not understood in them: `\\foo` (block 1)",
        ]
    );
    let data: serde_json::Value = serde_json::from_str(&data_of(source)).unwrap();
    assert_eq!(
        (&data["title"], &data["authors"][0], &data["language"], &data["blocks"][0]["byline"]),
        (&"T".into(), &"张三".into(), &"de".into(), &"张三 · 2025".into())
    );
    // A break at the end, and two in a row, make no empty page.
    assert_eq!(render("a\n\n\\newpage\n\n\\newpage\n\nb\n\n\\newpage\n").unwrap().pages, 2);
}

#[test]
fn every_formula_is_drawn() {
    for display in [true, false] {
        let formulas = crate::shared::math::tests::samples()
            .into_iter()
            .map(|text| crate::Inline::Math { text, display });
        let blocks =
            formulas.map(|formula| crate::Block::Paragraph { content: vec![formula] }).collect();
        let pdf =
            TypstBackend.render(&Doc { blocks, ..Doc::default() }, &PdfOptions::default()).unwrap();
        assert!(pdf.warnings.iter().all(|warning| warning.contains("color")), "{:?}", pdf.warnings);
    }
}

#[test]
fn formulas_stand_wherever_text_does() {
    let formula = r"$\\frac{a}{b} + \\text{增长}$";
    let source = format!(
        "# T {formula}\n\n## H {formula}\n\n- **b {formula}** *i {formula}*\n  - {formula}\n\n> {formula}\n\n| a |\n|---|\n| {formula} |\n\nn[^1] [l {formula}](https://x.y)\n\n[^1]: {formula}\n\n- - - - - - > $$ {} $$\n",
        r"\\sqrt{".repeat(20) + "x" + &"}".repeat(20)
    )
    .replace("\\\\", "\\");
    let pdf = render(&source).unwrap();
    assert!(pdf.warnings.is_empty(), "{:?}", pdf.warnings);
}

#[test]
fn formulas_of_any_size_are_drawn_in_time() {
    let deep = |open: &str, close: &str| format!("{}x{}", open.repeat(20), close.repeat(20));
    for formula in [
        deep(r"\frac{1}{", "}"),
        deep(r"\sqrt{", "}"),
        deep("x^{", "}"),
        deep(r"\left(", r"\right)"),
        deep(r"\hat{", "}"),
        deep(r"\underbrace{", "}"),
        deep(r"\text{$", "$}").replace("x", "y"),
        r"\begin{matrix}".to_owned() + &"a & b & c \\\\ ".repeat(600) + r"\end{matrix}",
        "x + ".repeat(4_000) + "y",
        "x".repeat(16_000),
        r"\sum_i ".repeat(2_000),
    ] {
        let started = std::time::Instant::now();
        let doc = |display| Doc {
            blocks: vec![crate::Block::Paragraph {
                content: vec![crate::Inline::Math { text: formula.clone(), display }],
            }],
            ..Doc::default()
        };
        for display in [true, false] {
            TypstBackend.render(&doc(display), &PdfOptions::default()).unwrap();
        }
        assert!(
            started.elapsed() < Duration::from_secs(40),
            "{:?}: {:?}",
            &formula[..12],
            started.elapsed()
        );
    }
}

#[test]
#[cfg(feature = "highlight")]
fn code_keeps_its_lines_and_has_its_kinds() {
    let json = data_of("```rust\nfn a() {\n\n\tlet x = \"中\"; // b\n}\n```\n");
    let data: serde_json::Value = serde_json::from_str(&json).unwrap();
    let chunk = &data["blocks"][0]["chunks"][0];
    assert_eq!(chunk["text"], "fn a() {\n\n  let x = \"中\"; // b\n}");
    assert_eq!(chunk["lines"][0][0], serde_json::json!(["keyword", "fn "]));
    assert_eq!(chunk["lines"][1], serde_json::json!([]));
    assert_eq!(chunk["lines"].as_array().unwrap().len(), 4);
    let many = "let x = 1;\n".repeat(1_000);
    render(&format!("```rust\n{many}\n\n\n```\n")).unwrap();
}

fn with_pictures(source: &str, files: &[(&str, Vec<u8>)]) -> Pdf {
    let mut pictures = crate::Pictures::default();
    files.iter().for_each(|(name, file)| pictures.insert(name, file.clone().into()));
    let options = PdfOptions {
        common: CommonOptions { pictures, ..CommonOptions::default() },
        ..PdfOptions::default()
    };
    TypstBackend.render(&markdown(source).unwrap(), &options).unwrap()
}

/// Returns the number of pixel images in the file.
fn images(pdf: &Pdf) -> usize {
    String::from_utf8_lossy(&pdf.bytes).matches("/Subtype/Image").count()
}

#[test]
fn pictures_of_all_formats_are_drawn_and_each_is_there_once() {
    use crate::shared::picture::samples;

    let files = [
        ("图.png", samples::png(40, 30, None)),
        ("b.jpg", samples::jpeg(40, 30, 6)),
        ("c.gif", samples::gif(41, 30)),
        ("d.webp", samples::webp(42, 30)),
        ("e.svg", samples::SVG.as_bytes().to_vec()),
    ];
    let source = "# T\n\n![山](图.png \"标题 one\")\n\nin ![](图.png) a ![b](b.jpg \"t\") line ![c](c.gif)\n\n[![d](d.webp)](https://a.test)\n\n- ![e](e.svg \"x\")\n\n> ![山](图.png)\n\n| ![山](图.png) | b |\n|--|--|\n| *![e](e.svg)* | x[^1] |\n\n## H ![山](图.png)\n\n[^1]: n ![山](图.png)\n";
    let pdf = with_pictures(source, &files);
    assert!(pdf.warnings.is_empty(), "{:?}", pdf.warnings);
    // The WebP has a second one for its transparency.
    assert_eq!(images(&pdf), 5);
    assert_eq!(pdf.bytes, with_pictures(source, &files).bytes);
    let bytes = crate::shared::object_streams::unpacked(&pdf.bytes);
    let text = String::from_utf8_lossy(&bytes);
    assert!(text.contains("/Alt") && text.contains("/Figure"), "no alternative text");
}

#[test]
fn a_broken_picture_costs_itself() {
    use crate::shared::picture::samples;

    let png = samples::png(200, 200, None);
    let mut broken = png.clone();
    let half = broken.len() / 2;
    broken[half..half + 40].fill(0);
    let jpeg = samples::jpeg(60, 60, 1);
    let cut = jpeg[..jpeg.len() / 2].to_vec();
    let mut bomb = png.clone();
    bomb[16..24].copy_from_slice(&[0, 1, 0x86, 0xA0, 0, 1, 0x86, 0xA0]);
    let files = [
        ("fine.png", png),
        ("broken.png", broken),
        ("cut.jpg", cut),
        ("bomb.png", bomb),
        ("text.png", b"hello".to_vec()),
        ("evil.svg", b"<svg xmlns='http://www.w3.org/2000/svg' width='9' height='9' onload='x()'><script/><image href='http://a.test/x.png'/><rect width='9' height='9'/></svg>".to_vec()),
    ];
    let source = "# T\n\n![fine](fine.png)\n\n## 坏\n\n![broken](broken.png \"caption stays\") \n\n![cut](cut.jpg) ![bomb](bomb.png) ![text](text.png) ![other](other.png)\n\n![evil](evil.svg)\n";
    let pdf = with_pictures(source, &files);
    assert_eq!(images(&pdf), 1);
    insta::assert_snapshot!(pdf.warnings.join("\n"), @"
    images are not shown, their descriptions are: `broken` (block 4, under `坏`: `broken.png`: it cannot be decoded), `cut` (block 5, under `坏`: `cut.jpg`: the file is damaged or cut short), `bomb` (block 5, under `坏`: `bomb.png`: expected at most 50 million pixels and 32767 on a side, got 100000 x 100000), `text` (block 5, under `坏`: `text.png`: expected a PNG, JPEG, GIF, WebP or SVG), `other` (block 5, under `坏`: `other.png`: it was not given)
    drawings are shown without a part of them: `evil` (block 6, under `坏`: scripts and what is not drawing, what it refers to outside)
    ");
}

#[test]
fn pictures_that_no_page_takes_are_described() {
    let options = PdfOptions::default();
    let doc =
        markdown("![a](data:image/svg+xml,%3Csvg%20width='1'%20height='1'/%3E \"c\")\n").unwrap();
    let faces = options.fonts.faces().unwrap();
    let data = data::data(&doc, &options, &faces, pictures::refuse).unwrap();
    let json = String::from_utf8(data.json).unwrap();
    assert!(data.pictures.is_empty() && json.contains("\"description\":\"a\""), "{json}");
    assert!(data.warnings[0].contains("no page can be made with it"), "{:?}", data.warnings);
}

#[test]
fn nobody_who_gave_no_pictures_is_told_of_reasons() {
    let warnings = render("text ![图](a.png)").unwrap().warnings;
    assert_eq!(warnings, ["images are not shown, their descriptions are: `图` (block 1)"]);
}

#[test]
fn charts_are_drawings_with_their_words() {
    let source = "# 报告\n\n```chart\ntype: line\ntitle: 收入🚀\n| 季度 | 收入 | 成本 |\n|---|---:|---:|\n| 一季度 | 12 | 9 |\n| 二季度 | 15 | 8 |\n```\n";
    let doc = markdown(source).unwrap();
    let options = PdfOptions::default();
    let data = data::data(&doc, &options, &options.fonts.faces().unwrap(), Ok).unwrap();
    assert_eq!(data.drawings.len(), 1);
    assert!(data.drawings[0].starts_with("<svg") && data.drawings[0].contains("一季度"));
    // Characters without a glyph are removed from drawings as well.
    assert!(!data.drawings[0].contains('🚀'));
    let json = String::from_utf8(data.json).unwrap();
    assert!(json.contains("\"words\":\"折线图“收入"), "{json}");
    let pdf = render(source).unwrap();
    assert_eq!((pdf.pages, pdf.warnings.len()), (1, 1), "{:?}", pdf.warnings);
    assert_eq!(pdf.bytes, render(source).unwrap().bytes);
}

#[test]
fn a_chart_that_is_higher_than_the_page_is_made_to_fit() {
    let rows: String = (0..100).map(|at| format!("| name {at} | {at} |\n")).collect();
    let pdf = render(&format!("```chart\ntype: bar\n| a | b |\n|---|---|\n{rows}```\n")).unwrap();
    assert_eq!(pdf.pages, 1);
}
