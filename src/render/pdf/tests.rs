use super::*;
use crate::render::markdown;

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
    let later = PdfOptions { created: Duration::from_secs(86_400), ..PdfOptions::default() };
    assert_ne!(first.bytes, TypstBackend.render(&markdown(source).unwrap(), &later).unwrap().bytes);
}

#[test]
fn text_is_never_code() {
    // Each of these would be an error, an endless loop or a file access as Typst markup.
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
fn emoji_are_replaced_or_left_out_and_holes_refused() {
    let pdf = render("✅ 完成 📈 增长 🚀").unwrap();
    assert_eq!(pdf.warnings, ["left out, as no font has them: 🚀 (U+1F680)"]);
    let error = render("ภาษาไทย").unwrap_err();
    assert_eq!(*error.kind(), crate::ErrorKind::Arguments);
    assert!(
        error.to_string().starts_with("no font has these characters: ก")
            || error.to_string().contains("ภ"),
        "{error}"
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
        let options = PdfOptions { language: Some(language.into()), ..PdfOptions::default() };
        assert_eq!(TypstBackend.render(&doc, &options).is_ok(), fine, "{language}");
    }
}

#[test]
fn a_cancelled_rendering_ends() {
    let options = PdfOptions::default();
    options.cancel.cancel();
    assert!(TypstBackend.render(&markdown("x").unwrap(), &options).is_err());
}
