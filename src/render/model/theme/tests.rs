use std::sync::Arc;

use super::running::{RunningSegment, running_segments};
use super::*;
use mitt_base::Error;

#[test]
fn colors_are_those_of_style_sheets() {
    assert_eq!(Color::parse("#1f4e79"), Some(Color::new(0x1F, 0x4E, 0x79)));
    assert_eq!(Color::parse("#fA0"), Some(Color::new(0xFF, 0xAA, 0)));
    for text in ["", "#", "1f4e79", "#1f4e7", "#1f4e7g", "red", "#中", "#ééé"] {
        assert_eq!(Color::parse(text), None, "{text}");
    }
    let (white, black) = (Color::new(255, 255, 255), Color::new(0, 0, 0));
    assert_eq!(white.contrast(black), 21.0);
    assert_eq!((black.ink(), Color::new(0xFF, 0xD0, 0).ink()), (white, black));
}

#[test]
fn built_in_themes_can_be_read() {
    for name in Theme::names() {
        let colors = Theme::named(name).unwrap().colors;
        for color in [colors.text, colors.muted, colors.accent, colors.link] {
            assert!(
                color.contrast(colors.page) >= 4.5 && color.contrast(colors.fill) >= 4.5,
                "{name} {color}"
            );
        }
    }
    let error = Theme::named("slide").unwrap_err();
    assert_eq!(error.to_string(), "there is no theme `slide`");
    assert_eq!(error.hints(), ["did you mean `slides`?"]);
}

#[test]
fn running_texts_have_places() {
    assert_eq!(
        running_segments("{{第}} {page} / { pages }"),
        Ok(vec![
            RunningSegment::Text("{第} ".into()),
            RunningSegment::Name("page"),
            RunningSegment::Text(" / ".into()),
            RunningSegment::Name("pages"),
        ])
    );
    for (text, what) in
        [("{", "`{` without `}`"), ("}", "`}` without `{`"), ("{seite}", "there is no `{seite}`")]
    {
        assert_eq!(running_segments(text).unwrap_err().0, what);
    }
    assert_eq!(running_segments("{pag}").unwrap_err().1, "did you mean `{page}`?");
}

mod files {
    use super::*;

    /// The header of a PNG of 2 x 2 pixels.
    const PNG: &[u8] = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x02";

    fn parse(text: &str) -> Result<Theme, Error> {
        Theme::parse("t.toml", text, &mut |file| match file {
            "logo.png" => Ok(Arc::from(PNG)),
            _ => Err(Error::input(format!("cannot read {file}"))),
        })
    }

    #[test]
    fn a_file_changes_what_it_says() {
        let text = "base = 'slides'\n[colors]\npage = '#101820'\ntext = '#fff'\nmuted = '#bbb'\naccent = '#8ec1f0'\nlink = '#6cb6ff'\n\
            fill = '#1c2733'\nband = '#16202b'\n[fonts]\ntext = 'Noto Serif CJK SC'\ncode = ['A', 'B']\n[sizes]\ntext = 20\nheadings = [30, 24.5]\n\
            [margins]\nleft = 30\n[logo]\nfile = 'logo.png'\nheight = 20\ndescription = '公司'\n[header]\n[footer]\nright = '{page}'\nfirst = false\n";
        let theme = parse(text).unwrap();
        assert_eq!(theme.layout, ThemeLayout::Slides);
        assert_eq!(theme.colors.text.to_string(), "#ffffff");
        assert_eq!(theme.fonts.text, ["Noto Serif CJK SC"]);
        assert_eq!(theme.fonts.code, ["A", "B"]);
        assert_eq!(theme.sizes.headings, [30.0, 24.5, 24.5, 24.5, 24.5, 24.5]);
        assert_eq!((theme.margins.left, theme.margins.right), (30.0, 22.0));
        let logo = theme.logo.as_ref().unwrap();
        assert_eq!((logo.kind, logo.height, &*logo.description), (LogoKind::Png, 20.0, "公司"));
        assert_eq!(theme.header, Some(Running { first: true, ..Running::default() }));
        let footer = Running { right: "{page}".into(), ..Running::default() };
        assert_eq!(theme.footer, Some(footer));
        // Serialized for a worker and back, except for the bytes, which are sent separately.
        let mut again: Theme =
            serde_json::from_str(&serde_json::to_string(&theme).unwrap()).unwrap();
        again.logo.as_mut().unwrap().bytes = Arc::from(PNG);
        assert_eq!(again, theme);
        assert_eq!(parse("").unwrap(), Theme::default());
    }

    #[test]
    fn every_problem_is_told_by_its_line() {
        let text = "base = 'raport'\ncolour = 1\n[colors]\nacent = '#000'\ntext = 'red'\nmuted = '#eee'\nband = 5\n[fonts]\ntext = [1]\n\
            [sizes]\ntext = 500\nheadings = []\n[margins]\ntop = '1cm'\n[logo]\nheight = 1\nfile = 'x.png'\n[header]\nleft = '{pagina}'\nfirst = 1\n[footer]\ncenter = '{'\n";
        let error = parse(text).unwrap_err();
        insta::assert_snapshot!(error.render(), @r#"
        t.toml: 15 problems with the theme
        t.toml:1: base: there is no theme `raport`
        t.toml:2: colour: unknown key
        t.toml:4: colors.acent: unknown key
        t.toml:5: colors.text: expected a colour, got `red`
        t.toml:6: colors.muted: expected a contrast of at least 4.5 to the page, got 1.2 for `muted` #eeeeee
        t.toml:7: colors.band: expected a text, got integer
        t.toml:9: fonts.text: expected at most 8 names of fonts, each of at most 100 characters
        t.toml:11: sizes.text: expected points from 5 to 96, got `500`
        t.toml:12: sizes.headings: expected one to six sizes in points from 5 to 96, got `[]`
        t.toml:14: margins.top: expected millimetres from 5 to 80, got `"1cm"`
        t.toml:16: logo.height: expected millimetres from 3 to 60, got `1`
        t.toml:17: logo.file: cannot read x.png
        t.toml:19: header.left: there is no `{pagina}`
        t.toml:20: header.first: expected `true` or `false`
        t.toml:22: footer.center: `{` without `}`
        hint: did you mean `report`?
        hint: did you mean `colors`?
        hint: did you mean `accent`?
        hint: write `#rrggbb`, such as `#1f4e79`
        hint: take a darker colour on a light page, or a lighter one on a dark page
        hint: put it in quotation marks
        hint: such as `["Noto Serif CJK SC"]`
        hint: such as `[16, 13, 11]`, from the highest level; the last is that of all below
        hint: known are `title`, `author`, `date`, `page`, `pages`
        hint: a brace itself is `{{`
        "#);
        for (text, what) in [
            ("a = [", "t.toml:1: "),
            ("\ncolors = 1", "t.toml:2: colors: expected a table, got integer"),
            ("[logo]\nheight = 10", "t.toml:1: logo: `file` is missing"),
            (&" ".repeat(70_000), "t.toml: expected at most 65536 bytes, got 70000"),
        ] {
            let message = parse(text).unwrap_err().to_string();
            assert!(message.starts_with(what), "{message}");
        }
        let many: String = (0..50).map(|n| format!("zz{n} = 1\n")).collect();
        let error = parse(&many).unwrap_err();
        assert_eq!(error.details().len(), 21);
        assert_eq!(error.details()[20], "… and 30 more");
    }

    #[test]
    fn a_logo_is_a_picture_of_bounded_size() {
        let mut huge = PNG.to_vec();
        huge[16..20].copy_from_slice(&100_000_u32.to_be_bytes());
        huge[20..24].copy_from_slice(&100_000_u32.to_be_bytes());
        assert_eq!(LogoKind::of(PNG), Some(LogoKind::Png));
        for bytes in [
            &huge[..],
            b"",
            b"\x89PNG\r\n\x1a\n",
            b"<svg/>",
            b"\xFF\xD8\xFF",
            b"\xFF\xD8\xFF\xE0\0\0",
        ] {
            assert_eq!(LogoKind::of(bytes), None, "{bytes:?}");
        }
        let jpeg = b"\xFF\xD8\xFF\xE0\0\x04ab\xFF\xC0\0\x11\x08\0\x10\0\x20\x03";
        assert_eq!(LogoKind::of(jpeg), Some(LogoKind::Jpeg));
    }
}
