//! Rendered files as other programs see them: text extracted from the PDF, pages as pictures.

use std::collections::BTreeMap;
use std::path::PathBuf;

use mitt::render::{
    CommonOptions, CompactBackend, Pdf, PdfBackend, PdfOptions, Theme, TypstBackend, markdown,
};

use crate::support::{command, root};

/// Returns the text without white space: the pictures show where lines break.
pub(crate) fn pdf_text(bytes: &[u8]) -> String {
    let text = unpdf::parse_bytes(bytes).unwrap();
    let text = unpdf::render::to_text(&text, &unpdf::render::RenderOptions::default()).unwrap();
    text.split_whitespace().collect()
}

fn render(source: &str) -> Pdf {
    TypstBackend.render(&markdown(source).unwrap(), &PdfOptions::default()).unwrap()
}

/// The typesetters, which must all behave the same.
const BACKENDS: [(&str, &dyn PdfBackend); 2] =
    [("typst", &TypstBackend), ("compact", &CompactBackend)];

pub(crate) const CHINESE: &str = include_str!("../golden/chinese.md");
const ENGLISH: &str = include_str!("../golden/english.md");

#[test]
fn no_text_is_lost_between_markdown_and_pdf() {
    for (name, backend) in BACKENDS {
        let doc = markdown(CHINESE).unwrap();
        let pdf = backend.render(&doc, &PdfOptions::default()).unwrap();
        assert!(pdf.warnings.is_empty(), "{name}: {:?}", pdf.warnings);
        let text = pdf_text(&pdf.bytes);
        for part in [
            "2025年度经营分析报告",
            "公司围绕“稳增长、提质量”的目标推进各项工作，用户规模持续扩大，营业收入保持两位数增长",
            "日活跃用户（DAU）",
            "¥1,234.50",
        ] {
            assert!(text.contains(part), "{name}: {part} is missing:\n{text}");
        }
    }
}

/// Counts the characters of a text from which an emoji or a space may be missing.
fn counts(text: &str) -> BTreeMap<char, usize> {
    let mut counts = BTreeMap::new();
    for c in text.chars().filter(|c| c.is_alphanumeric()) {
        *counts.entry(c).or_default() += 1;
    }
    counts
}

#[test]
fn no_letter_of_random_chinese_is_lost_by_any_typesetter() {
    let pieces = [
        "增长",
        "报告显示",
        "，",
        "。",
        "“引文”",
        "（注）",
        "——",
        "……",
        "GPU",
        "3.5%",
        " word",
        "**粗体**",
        "`code`",
        "\n\n",
        "\n- 项目",
        "\n\n## 标题",
        "\n\n> 引用",
        "\n\n| 甲 | 乙 |\n|---|---|\n| 丙 | 丁 |\n\n",
    ];
    let mut state = 0x5EED_u64;
    for _ in 0..12 {
        let mut source = String::new();
        for _ in 0..300 {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1_442_695_040_888_963_407);
            source.push_str(pieces[(state >> 33) as usize % pieces.len()]);
        }
        let doc = markdown(&source).unwrap();
        let mut expected = String::new();
        doc.for_each_text(&mut |part| expected.push_str(part));
        for (name, backend) in BACKENDS {
            let pdf = backend.render(&doc, &PdfOptions::default()).unwrap();
            let found = counts(&pdf_text(&pdf.bytes));
            for (c, count) in counts(&expected) {
                let there = found.get(&c).copied().unwrap_or_default();
                assert!(
                    there >= count,
                    "{name}: {c} is there {there} times, not {count}: {source}"
                );
            }
        }
    }
}

#[test]
fn a_user_chooses_what_typesets() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), "# 报告\n\ntext").unwrap();
    let run = |arguments: &[&str]| {
        // The compressed creation time could change the length of the file.
        let mut command = command(folder.path(), &["render", "a.md", "--clock", "0"]);
        let output = command.args(arguments).output().unwrap();
        (output.status.code(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    let made = |name: &str| std::fs::read(folder.path().join(name)).unwrap();
    for (name, option) in
        [("best.pdf", None), ("typst.pdf", Some("typst")), ("small.pdf", Some("compact"))]
    {
        let mut arguments = vec!["-o", name];
        arguments.extend(option.iter().flat_map(|backend| ["--pdf-backend", backend]));
        assert_eq!(run(&arguments).0, Some(0));
        assert!(pdf_text(&made(name)).contains("报告"));
    }
    // The writers give different sizes; the best one in this build is Typst.
    assert_eq!(made("best.pdf").len(), made("typst.pdf").len());
    assert_ne!(made("best.pdf").len(), made("small.pdf").len());
    let (code, said) = run(&["-o", "a.html", "--pdf-backend", "compact"]);
    assert_eq!(code, Some(3), "{said}");
    assert!(
        said.contains("--pdf-backend: expected a file that ends in `.pdf`, got a.html"),
        "{said}"
    );
}

#[test]
fn a_font_that_is_none_is_refused_by_name_in_every_command() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.md"), "text").unwrap();
    std::fs::write(folder.path().join("font.woff2"), "wOF2").unwrap();
    for arguments in [
        &["render", "a.md", "-o", "a.pdf"][..],
        &["call", "report__deliver", "--json", r#"{"markdown": "x", "filename": "a.pdf"}"#],
    ] {
        for (font, said) in [
            ("font.woff2", "--font: expected a TTF, OTF or TTC font, got font.woff2"),
            ("absent.ttf", "--font: cannot read absent.ttf"),
        ] {
            let output = command(folder.path(), arguments).args(["--font", font]).output().unwrap();
            let said_really = String::from_utf8_lossy(&output.stderr).into_owned();
            assert!(said_really.contains(said), "{said_really}");
            assert_eq!(output.status.code(), Some(3), "{said_really}");
        }
    }
    assert!(!folder.path().join("a.pdf").exists());
}

#[test]
fn pages_look_as_they_did() {
    compare("chinese", &render(CHINESE).bytes);
    compare("english", &render(ENGLISH).bytes);
    for (name, source) in [("compact-chinese", CHINESE), ("compact-english", ENGLISH)] {
        let doc = markdown(source).unwrap();
        let options = PdfOptions {
            common: CommonOptions {
                contents: name == "compact-english",
                ..CommonOptions::default()
            },
            ..PdfOptions::default()
        };
        compare(name, &CompactBackend.render(&doc, &options).unwrap().bytes);
    }
}

#[test]
fn pages_of_each_theme_look_as_they_did() {
    const CHINESE: &str = include_str!("../golden/themes-chinese.md");
    const ENGLISH: &str = include_str!("../golden/themes-english.md");
    for name in Theme::names().filter(|name| *name != "plain") {
        let options = PdfOptions {
            common: CommonOptions {
                theme: Theme::named(name).unwrap(),
                ..CommonOptions::default()
            },
            ..PdfOptions::default()
        };
        for (language, source) in [("chinese", CHINESE), ("english", ENGLISH)] {
            let pdf = TypstBackend.render(&markdown(source).unwrap(), &options).unwrap();
            compare(&format!("{name}-{language}"), &pdf.bytes);
        }
    }
    // A user's own theme: dark slides with colours, sizes and margins from a file.
    let file = include_str!("../golden/dark.toml");
    let theme = Theme::parse("dark.toml", file, &mut |_| unreachable!()).unwrap();
    let options = PdfOptions {
        common: CommonOptions { theme, ..CommonOptions::default() },
        ..PdfOptions::default()
    };
    let pdf = TypstBackend.render(&markdown(crate::render::CHINESE).unwrap(), &options).unwrap();
    compare("dark-chinese", &pdf.bytes);
}

/// Compares every page with its golden picture; `BLESS=1` rewrites them.
fn compare(name: &str, pdf: &[u8]) {
    let pages = crate::support::rasterise(pdf);
    let folder = root().join("tests/golden");
    for (index, page) in pages.iter().enumerate() {
        let path = folder.join(format!("{name}-{}.png", index + 1));
        if std::env::var_os("BLESS").is_some() {
            page.save(&path).unwrap();
            continue;
        }
        let golden = image::open(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()))
            .into_luma8();
        assert_eq!(page.dimensions(), golden.dimensions(), "{}", path.display());
        let different = page
            .pixels()
            .zip(golden.pixels())
            .filter(|(a, b)| a.0[0].abs_diff(b.0[0]) > 48)
            .count();
        let share = different as f64 / f64::from(page.width() * page.height());
        if share > 0.002 {
            let seen = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
                .join(format!("{name}-{}.png", index + 1));
            page.save(&seen).unwrap();
            panic!(
                "{} differs in {:.2} % of its pixels from {}",
                seen.display(),
                share * 100.0,
                path.display()
            );
        }
    }
    assert!(
        !folder.join(format!("{name}-{}.png", pages.len() + 1)).exists(),
        "{name} has fewer pages than it had"
    );
}
