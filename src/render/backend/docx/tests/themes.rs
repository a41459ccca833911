//! Effects of a theme on a Word file, and warnings about settings without effect.

use super::*;
use crate::shared::picture::samples;
use crate::{Color, CommonOptions, Logo, LogoKind, Running, Theme};

const SOURCE: &str = "---\ntitle: 年报\nauthor: 王\ndate: 2026-01-02\n---\n\n# 一\n\n文字 `c`\n\n> 引\n\n| a |\n|---|\n| 1 |\n\n[b](https://a.org)\n";

fn themed(theme: Theme) -> Docx {
    write(
        SOURCE,
        &DocxOptions {
            common: CommonOptions { theme, ..CommonOptions::default() },
            ..DocxOptions::default()
        },
    )
}

fn own() -> Theme {
    let mut theme = Theme::default();
    let color = |text: &str| Color::parse(text).unwrap();
    theme.colors.accent = color("#7a1f2b");
    theme.colors.text = color("#222222");
    theme.colors.muted = color("#444444");
    theme.colors.link = color("#004488");
    theme.colors.line = color("#ccbbaa");
    theme.colors.fill = color("#fffaf0");
    theme.colors.band = color("#faf5eb");
    theme.fonts.text = vec!["Georgia".into(), "SimSun".into()];
    theme.fonts.headings = vec!["思源黑体".into()];
    theme.fonts.code = vec!["Courier New".into()];
    theme.sizes.text = 12.0;
    theme.sizes.title = 26.0;
    theme.sizes.headings[0] = 18.0;
    (theme.margins.left, theme.margins.top) = (30.0, 40.0);
    theme.header =
        Some(Running { left: "{author}".into(), right: "{{机密}}".into(), ..Running::default() });
    theme.footer =
        Some(Running { right: "{date} {page}".into(), first: true, ..Running::default() });
    theme
}

#[test]
fn colours_fonts_sizes_and_margins_are_those_of_the_theme() {
    let word = themed(own());
    assert_eq!(word.warnings, Vec::<String>::new());
    let styles = part(&word.bytes, "word/styles.xml");
    let style = |id: &str| {
        let from = styles.split_once(&format!("w:styleId=\"{id}\"")).unwrap().1;
        from.split_once("</w:style>").unwrap().0.to_owned()
    };
    for (id, expected) in [
        ("Title", "<w:color w:val=\"7A1F2B\"/><w:sz w:val=\"52\"/>"),
        ("Title", "w:ascii=\"思源黑体\""),
        ("Heading1", "<w:color w:val=\"7A1F2B\"/><w:sz w:val=\"36\"/>"),
        ("Heading4", "<w:color w:val=\"222222\"/>"),
        ("Subtitle", "<w:color w:val=\"444444\"/>"),
        ("Hyperlink", "<w:color w:val=\"004488\"/>"),
        ("SourceCode", "w:color=\"CCBBAA\""),
        ("SourceCode", "w:fill=\"FFFAF0\""),
        ("SourceCode", "w:ascii=\"Courier New\""),
        ("InlineCode", "w:fill=\"FFFAF0\""),
        ("Quote", "w:fill=\"FFFAF0\""),
        ("ReportTable", "w:fill=\"7A1F2B\""),
        ("ReportTable", "w:fill=\"FAF5EB\""),
        ("TableText", "<w:sz w:val=\"22\"/>"),
        ("FootnoteText", "<w:sz w:val=\"21\"/>"),
    ] {
        assert!(style(id).contains(expected), "{id} {expected}: {}", style(id));
    }
    let defaults = styles.split_once("</w:docDefaults>").unwrap().0;
    for expected in [
        "w:ascii=\"Georgia\" w:hAnsi=\"Georgia\" w:eastAsia=\"SimSun\"",
        "<w:color w:val=\"222222\"/><w:sz w:val=\"24\"/>",
    ] {
        assert!(defaults.contains(expected), "{defaults}");
    }
    for old in ["1F4E79", "0563C1", "D0D7DE", "F3F6FA", "Calibri"] {
        assert!(!styles.contains(old), "{old}");
    }
    let xml = part(&word.bytes, "word/document.xml");
    let margins = "<w:pgMar w:top=\"2268\" w:right=\"1304\" w:bottom=\"1304\" w:left=\"1701\"";
    assert!(xml.contains(margins), "{xml}");
    // Tables are as wide as the text.
    assert!(xml.contains("<w:tblW w:w=\"8901\""), "{xml}");
    let fonts = part(&word.bytes, "word/fontTable.xml");
    assert_eq!(fonts.matches("<w:font w:name=\"SimSun\">").count(), 1);
    // Text on a light colour is dark.
    let mut theme = Theme::default();
    theme.colors.accent = Color::parse("#ffd000").unwrap();
    let styles = part(&themed(theme).bytes, "word/styles.xml");
    assert!(styles.contains("<w:color w:val=\"000000\"/></w:rPr><w:tcPr><w:shd w:val=\"clear\" w:color=\"auto\" w:fill=\"FFD000\"/>"));
}

#[test]
fn header_and_footer_say_what_the_theme_says() {
    let word = themed(own());
    let header = part(&word.bytes, "word/header1.xml");
    let expected = "<w:r><w:t xml:space=\"preserve\">王</w:t></w:r><w:r><w:tab/></w:r><w:r><w:tab/></w:r><w:r><w:t xml:space=\"preserve\">{机密}</w:t></w:r>";
    assert!(header.contains(expected) && header.contains("w:pos=\"8901\""), "{header}");
    let first = part(&word.bytes, "word/header2.xml");
    assert!(first.ends_with("<w:p></w:p></w:hdr>"), "{first}");
    for name in ["word/footer1.xml", "word/footer2.xml"] {
        let footer = part(&word.bytes, name);
        assert!(footer.contains("<w:jc w:val=\"right\"/></w:pPr><w:r><w:t xml:space=\"preserve\">2026-01-02</w:t></w:r><w:r><w:t xml:space=\"preserve\"> </w:t></w:r><w:fldSimple w:instr=\" PAGE \">"), "{footer}");
    }
    let xml = part(&word.bytes, "word/document.xml");
    assert!(xml.contains("<w:titlePg/>") && xml.contains("r:id=\"rIdFirstHeader\""), "{xml}");
    // A first page with the same header and footer needs none of its own.
    let mut theme = own();
    theme.header.as_mut().unwrap().first = true;
    let xml = part(&themed(theme).bytes, "word/document.xml");
    assert!(!xml.contains("titlePg") && !xml.contains("rIdFirst"), "{xml}");
}

#[test]
fn reports_have_a_cover_and_contents() {
    let word = themed(Theme::named("report").unwrap());
    let xml = part(&word.bytes, "word/document.xml");
    let contents = xml.find("TOCHeading").unwrap();
    assert!(
        xml[..contents].contains("\"Subtitle\"")
            && xml[..contents + 60].contains("<w:pageBreakBefore/>")
    );
    assert!(word.warnings[0].contains("no page numbers"), "{:?}", word.warnings);
    // The cover has neither header nor footer.
    for name in ["word/header2.xml", "word/footer2.xml"] {
        assert!(part(&word.bytes, name).contains("<w:p></w:p>"), "{name}");
    }
    assert!(part(&word.bytes, "word/header1.xml").contains("2026-01-02"));
}

#[test]
fn logos_stand_above_all_else() {
    let mut theme = Theme::default();
    let bytes = samples::png(200, 100, None).into();
    let description = "标<志>".to_owned();
    theme.logo = Some(Logo { kind: LogoKind::Png, bytes, height: 12.7, description });
    let word = themed(theme.clone());
    assert_eq!(word.warnings, Vec::<String>::new());
    let xml = part(&word.bytes, "word/document.xml");
    let (logo, title) = (xml.find("<w:drawing>").unwrap(), xml.find("\"Title\"").unwrap());
    assert!(logo < title && xml.contains("<wp:extent cx=\"914400\" cy=\"457200\"/>"), "{xml}");
    assert!(xml.contains("descr=\"标&lt;志&gt;\""));
    // A logo that is not a picture gives a warning.
    theme.logo.as_mut().unwrap().bytes = b"no picture".to_vec().into();
    let warnings = themed(theme).warnings.join("\n");
    assert!(warnings.contains("标") && warnings.contains("PNG"), "{warnings}");
}

#[test]
fn what_has_no_effect_is_told() {
    let dark = {
        let mut theme = Theme::default();
        theme.colors.page = Color::parse("#111111").unwrap();
        theme.colors.text = Color::parse("#eeeeee").unwrap();
        theme
    };
    let fonts = {
        let mut theme = Theme::default();
        theme.fonts.text = vec!["Georgia".into(), "Lato".into(), "SimSun".into()];
        theme
    };
    for (theme, expected) in [
        (Theme::named("letter").unwrap(), "no layout `letter`"),
        (Theme::named("slides").unwrap(), "no layout `slides`"),
        (dark, "its colours are left out: the page is dark"),
        (fonts, "so these are left out: `Lato`"),
    ] {
        let warnings = themed(theme).warnings;
        assert!(warnings.len() == 1 && warnings[0].contains(expected), "{expected}: {warnings:?}");
    }
    // Sizes for a screen are not used on paper.
    let styles = part(&themed(Theme::named("slides").unwrap()).bytes, "word/styles.xml");
    assert!(styles.contains("<w:sz w:val=\"21\"/>"));
    let mut narrow = Theme::default();
    (narrow.margins.left, narrow.margins.right) = (80.0, 80.0);
    let options = DocxOptions {
        common: CommonOptions { theme: narrow, ..CommonOptions::default() },
        ..DocxOptions::default()
    };
    let error = docx(&markdown(SOURCE).unwrap(), &options).unwrap_err();
    assert!(error.to_string().contains("margins: expected at least 70 mm"), "{error}");
    // A template keeps its own looks.
    let template = Some(write("{{content}}\n", &DocxOptions::default()).bytes.into());
    let theme = Theme::named("report").unwrap();
    let word = write(
        "a\n",
        &DocxOptions {
            common: CommonOptions { theme, ..CommonOptions::default() },
            template,
            ..DocxOptions::default()
        },
    );
    assert_eq!(word.warnings, ["the theme is left out: the template has looks of its own"]);
}
