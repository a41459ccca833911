//! Effects of a theme on slides, and warnings about settings without effect.

use super::*;
use crate::shared::picture::samples;
use crate::{Color, CommonOptions, Logo, LogoKind, Running, Theme};

const SOURCE: &str = "# 年报\n\n## 一\n\n`c`\n\n> [!NOTE]\n> 引\n\n| a |\n|---|\n| 1 |\n| 2 |\n";

fn themed(theme: Theme) -> (Pptx, Opened) {
    made(SOURCE, &PptxOptions { common: CommonOptions { theme, ..CommonOptions::default() } })
}

#[test]
fn colours_and_fonts_are_those_of_the_theme() {
    let mut theme = Theme::default();
    let color = |text: &str| Color::parse(text).unwrap();
    theme.colors.page = color("#101418");
    theme.colors.text = color("#f0f0f0");
    theme.colors.accent = color("#ffb000");
    theme.colors.muted = color("#a0a0a0");
    theme.colors.link = color("#80c0ff");
    theme.colors.line = color("#405060");
    theme.colors.fill = color("#202428");
    theme.colors.band = color("#181c20");
    theme.fonts.text = vec!["Georgia".into(), "SimSun".into()];
    theme.fonts.headings = vec!["Lato".into()];
    theme.fonts.code = vec!["Courier New".into()];
    let (slides, mut opened) = themed(theme);
    assert_eq!(slides.warnings, Vec::<String>::new());
    let part = opened.part("ppt/theme/theme1.xml");
    for (name, value) in [
        ("dk1", "F0F0F0"),
        ("lt1", "101418"),
        ("dk2", "FFB000"),
        ("lt2", "202428"),
        ("hlink", "80C0FF"),
    ] {
        assert!(part.contains(&format!("<a:{name}><a:srgbClr val=\"{value}\"/>")), "{name}");
    }
    let major = "<a:majorFont><a:latin typeface=\"Lato\"/><a:ea typeface=\"SimSun\"/>";
    let minor = "<a:minorFont><a:latin typeface=\"Georgia\"/><a:ea typeface=\"SimSun\"/>";
    assert!(part.contains(major) && part.contains(minor), "{part}");
    let slide = opened.slide(2);
    for expected in ["FFB000", "405060", "202428", "181C20", "6CB6FF", "Courier New"] {
        assert!(slide.contains(expected), "{expected}: {slide}");
    }
    for old in ["1F4E79", "D0D7DE", "EAF1F8", "F6F8FA", "24292F", "0969DA", "Consolas"] {
        assert!(!slide.contains(old), "{old}: {slide}");
    }
    assert!(opened.part("ppt/slideMasters/slideMaster1.xml").contains("A0A0A0"));
}

#[test]
fn logos_stand_above_the_title() {
    let mut theme = Theme::default();
    let bytes = samples::png(200, 100, None).into();
    theme.logo =
        Some(Logo { kind: LogoKind::Png, bytes, height: 12.7, description: String::new() });
    let (slides, mut opened) = themed(theme.clone());
    assert_eq!(slides.warnings, Vec::<String>::new());
    let slide = opened.slide(1);
    // 36 points, enlarged by half.
    assert!(slide.contains("<a:ext cx=\"1371600\" cy=\"685800\"/>"), "{slide}");
    assert!(slide.contains("descr=\"logo\"") && opened.part("[Content_Types].xml").contains("png"));
    let (slides, _) =
        made("a\n", &PptxOptions { common: CommonOptions { theme, ..CommonOptions::default() } });
    assert_eq!(slides.warnings, ["theme: its logo is left out: no slide has the title alone"]);
}

#[test]
fn what_has_no_effect_is_told() {
    let mut own = Theme::named("report").unwrap();
    own.sizes.text = 12.0;
    own.margins.left = 30.0;
    own.footer = Some(Running { left: "a".into(), ..Running::default() });
    for (theme, expected) in [
        (Theme::named("plain").unwrap(), &[][..]),
        (Theme::named("slides").unwrap(), &[]),
        (
            Theme::named("letter").unwrap(),
            &["theme: slides have no layout `letter`: they begin with the title as always"],
        ),
        (
            own,
            &[
                "theme: slides have no layout `report`: they begin with the title as always",
                "theme: left out of slides: sizes, margins, footer",
            ],
        ),
    ] {
        assert_eq!(themed(theme).0.warnings, expected);
    }
}
