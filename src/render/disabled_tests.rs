//! Each refusal of a build that lacks a feature, and that no other build refuses.

use crate::*;
use mitt_base::{Error, ErrorKind};

/// Calls every function that a build may lack: its feature, `true` if this build has it, what the build cannot do
/// otherwise, and the error of the call.
fn calls() -> Vec<(&'static str, bool, &'static str, Option<Error>)> {
    let (doc, values, value) = (Doc::default(), FillValues::new(), FillValue::Empty);
    let (word, slides) = (DocxOptions::default(), PptxOptions::default());
    let (filling, pdf) = (FillOptions::default(), PdfOptions::default());
    let texts = TextPages {
        texts: vec!["a".into()],
        size: 12.0,
        color: [0; 3],
        bold: false,
        width: None,
        align: TextAlign::Left,
        fonts: FontSet::default(),
        cancel: Cancel::default(),
    };
    let cannot_word = "cannot write Word files";
    let has_word = cfg!(feature = "docx");
    let cannot_fill = "cannot fill workbooks";
    let fills = cfg!(feature = "fill");
    let cannot_slides = "cannot write slides";
    let has_slides = cfg!(feature = "pptx");
    let typst = cfg!(feature = "pdf");
    let compact = cfg!(feature = "pdf-compact");
    let book = xlsx(&Workbook::default(), &XlsxOptions::default());
    let theme = Theme::parse("a.toml", "", &mut |_| Err(Error::input("no logo")));
    let picture = chart_png(&ChartDescription::default(), 1.0);
    vec![
        ("docx", has_word, cannot_word, docx(&doc, &word).err()),
        ("docx", has_word, cannot_word, fill_docx(b"", &values, None, &word).err()),
        ("docx", has_word, cannot_word, docx_files(b"", &values, &word).err()),
        ("fill", fills, cannot_fill, fill_xlsx(b"", &values, &filling).err()),
        ("fill", fills, cannot_fill, xlsx_files(b"", &values).err()),
        ("fill", fills, cannot_fill, append_xlsx(b"", None, &value, &filling).err()),
        ("pptx", has_slides, cannot_slides, pptx(&doc, &slides).err()),
        ("pptx", has_slides, cannot_slides, slide_texts(&doc, &slides).err()),
        ("xlsx", cfg!(feature = "xlsx"), "cannot write Excel files", book.err()),
        ("png", cfg!(feature = "png"), "cannot draw pictures of charts", picture.err()),
        ("theme-files", cfg!(feature = "theme-files"), "cannot read files of themes", theme.err()),
        (
            "preview",
            cfg!(feature = "preview"),
            "cannot draw a preview of pages",
            PdfPages::open(b"%PDF-1.7".to_vec()).err(),
        ),
        ("pdf", typst, "cannot set text for PDF files", text_pages(&texts).err()),
        ("pdf", typst, "cannot write PDF files with Typst", TypstBackend.render(&doc, &pdf).err()),
        (
            "pdf-compact",
            compact,
            "cannot write PDF files without Typst",
            CompactBackend.render(&doc, &pdf).err(),
        ),
        ("pdf", typst || compact, "has no fonts", chinese_font(false).err()),
    ]
}

#[test]
fn what_a_build_lacks_is_refused_with_the_feature_that_is_missing() {
    for (feature, is_there, cannot, error) in calls() {
        let disabled = error.filter(|it| matches!(it.kind(), ErrorKind::Disabled(_)));
        if is_there {
            assert!(disabled.is_none(), "{feature}: {disabled:?}");
            continue;
        }
        let disabled = disabled.unwrap_or_else(|| panic!("{feature}: no refusal"));
        assert_eq!(*disabled.kind(), ErrorKind::Disabled(feature));
        let message = format!("this build of mitt {cannot} (feature `{feature}`)");
        assert_eq!(disabled.to_string(), message);
    }
}

#[test]
fn a_build_without_typst_knows_no_fonts_and_judges_none() {
    let mut choice = FontChoice::default();
    let has_typst = cfg!(feature = "pdf");
    assert_eq!(choice.look_at(std::sync::Arc::from(&b"no font"[..])), !has_typst);
    assert_eq!(FontChoice::is_bundled("a"), has_typst);
    assert_eq!((choice.family(0), choice.first_with("a")), (None, None));
    assert!(choice.best_with("a").is_empty() && choice.chosen(u64::MAX).is_empty());
}

#[test]
fn a_build_without_grammars_leaves_code_plain() {
    use crate::shared::highlight::{Code, Highlighter, Token};

    let cancel = Cancel::default();
    let code = Highlighter::default().lines(Some("rust"), "let x = 1;", &cancel);
    assert_eq!(code == Code::Plain, !cfg!(feature = "highlight"));
    assert_eq!(Token::ALL.is_empty(), !cfg!(feature = "highlight"));
}
