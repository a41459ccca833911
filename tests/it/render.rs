//! What the host draws, seen by other programs: text taken out of the PDF, pages as pictures.

use std::path::PathBuf;

use mitt::render::{Pdf, PdfBackend as _, PdfOptions, Theme, TypstBackend, markdown};

use crate::support::{command, root};

/// The text without white space: where lines are broken is for the pictures to show.
pub(crate) fn pdf_text(bytes: &[u8]) -> String {
    let text = unpdf::parse_bytes(bytes).unwrap();
    let text = unpdf::render::to_text(&text, &unpdf::render::RenderOptions::default()).unwrap();
    text.split_whitespace().collect()
}

fn render(source: &str) -> Pdf {
    TypstBackend.render(&markdown(source).unwrap(), &PdfOptions::default()).unwrap()
}

pub(crate) const CHINESE: &str = include_str!("../golden/chinese.md");
const ENGLISH: &str = include_str!("../golden/english.md");

#[test]
fn no_text_is_lost_between_markdown_and_pdf() {
    let pdf = render(CHINESE);
    assert!(pdf.warnings.is_empty(), "{:?}", pdf.warnings);
    let text = pdf_text(&pdf.bytes);
    for part in [
        "2025年度经营分析报告",
        "公司围绕“稳增长、提质量”的目标推进各项工作，用户规模持续扩大，营业收入保持两位数增长",
        "日活跃用户（DAU）",
        "¥1,234.50",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
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
            ("font.woff2", "--font: a TTF, OTF or TTC font expected, got font.woff2"),
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
}

#[test]
fn pages_of_each_theme_look_as_they_did() {
    const CHINESE: &str = include_str!("../golden/themes-chinese.md");
    const ENGLISH: &str = include_str!("../golden/themes-english.md");
    for name in Theme::names().filter(|name| *name != "plain") {
        let options = PdfOptions { theme: Theme::named(name).unwrap(), ..PdfOptions::default() };
        for (language, source) in [("chinese", CHINESE), ("english", ENGLISH)] {
            let pdf = TypstBackend.render(&markdown(source).unwrap(), &options).unwrap();
            compare(&format!("{name}-{language}"), &pdf.bytes);
        }
    }
    // And one of a user's own: dark slides with colours, sizes and edges that a file says.
    let file = include_str!("../golden/dark.toml");
    let theme = Theme::parse("dark.toml", file, &mut |_| unreachable!()).unwrap();
    let options = PdfOptions { theme, ..PdfOptions::default() };
    let pdf = TypstBackend.render(&markdown(crate::render::CHINESE).unwrap(), &options).unwrap();
    compare("dark-chinese", &pdf.bytes);
}

/// Compare every page with its golden picture; `BLESS=1` writes them anew.
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
