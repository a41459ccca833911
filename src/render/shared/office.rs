//! The part of a theme that Word files and slides use: colours, and a font for each group of scripts.

use crate::model::language::Language;
use crate::shared::ooxml::east_asian;
use crate::{Color, Theme};

/// Colours and fonts of a theme.
pub(crate) struct OfficeLook {
    pub(crate) colors: OfficeColors,
    pub(crate) text: OfficeFonts,
    pub(crate) headings: OfficeFonts,
    pub(crate) code: OfficeFonts,
}

/// Colours as six hexadecimal digits.
pub(crate) struct OfficeColors {
    pub(crate) page: String,
    pub(crate) text: String,
    pub(crate) muted: String,
    pub(crate) accent: String,
    /// Colour of text on the accent.
    pub(crate) ink: String,
    pub(crate) link: String,
    pub(crate) line: String,
    pub(crate) fill: String,
    pub(crate) band: String,
}

/// Fonts for one use: one for each group of scripts, because the formats have no lists of fonts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct OfficeFonts {
    pub(crate) latin: String,
    pub(crate) east_asian: String,
    /// Font for Arabic, Hebrew and Thai.
    pub(crate) complex: String,
}

impl OfficeLook {
    /// Returns colours and fonts of a theme. `latin` and `code` are the fonts if the theme names none.
    pub(crate) fn of(theme: &Theme, language: &Language, latin: &str, code: &str) -> OfficeLook {
        let (east, _) = east_asian(language);
        let plain = OfficeFonts {
            latin: latin.to_owned(),
            east_asian: east.to_owned(),
            complex: "Arial".to_owned(),
        };
        let fixed =
            OfficeFonts { latin: code.to_owned(), complex: code.to_owned(), ..plain.clone() };
        let text = plain.named(&theme.fonts.text);
        OfficeLook {
            colors: OfficeColors::of(theme),
            headings: text.named(&theme.fonts.headings),
            // Chinese within code has the font of the text around it.
            code: OfficeFonts { east_asian: text.east_asian.clone(), ..fixed }
                .named(&theme.fonts.code),
            text,
        }
    }
}

impl OfficeColors {
    fn of(theme: &Theme) -> OfficeColors {
        let digits = |color: Color| color.to_string().trim_start_matches('#').to_uppercase();
        let colors = &theme.colors;
        OfficeColors {
            page: digits(colors.page),
            text: digits(colors.text),
            muted: digits(colors.muted),
            accent: digits(colors.accent),
            ink: digits(colors.accent.ink()),
            link: digits(colors.link),
            line: digits(colors.line),
            fill: digits(colors.fill),
            band: digits(colors.band),
        }
    }
}

impl OfficeFonts {
    /// Replaces fonts by families of the theme: the first family is for Latin letters, the first one with an East Asian name
    /// for East Asian ones.
    fn named(&self, families: &[String]) -> OfficeFonts {
        let mut fonts = self.clone();
        let mut families = families.iter().filter(|family| is_plain(family)).peekable();
        if let Some(first) = families.peek() {
            fonts.latin = (*first).clone();
            fonts.complex = (*first).clone();
        }
        if let Some(family) = families.find(|family| is_east_asian(family)) {
            fonts.east_asian = family.clone();
        }
        fonts
    }
}

/// Returns `true` if the name of a font may stand in an attribute.
fn is_plain(family: &str) -> bool {
    let is_fine = |c: char| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.' | '+');
    !family.trim().is_empty() && family.chars().all(is_fine)
}

/// Returns `true` if the name of a font indicates East Asian letters. The font itself is not available here.
fn is_east_asian(family: &str) -> bool {
    const WORDS: [&str; 10] = ["CJK", "SC", "TC", "HC", "HK", "CN", "TW", "JP", "KR", "GB2312"];
    const FAMILIES: [&str; 22] = [
        "simsun",
        "nsimsun",
        "simhei",
        "kaiti",
        "fangsong",
        "dengxian",
        "microsoft yahei",
        "microsoft jhenghei",
        "mingliu",
        "pmingliu",
        "dfkai-sb",
        "source han",
        "yu gothic",
        "yu mincho",
        "meiryo",
        "ms gothic",
        "ms mincho",
        "hiragino",
        "malgun gothic",
        "batang",
        "gulim",
        "pingfang",
    ];
    let name = family.to_lowercase();
    let is_han = |c: char| crate::model::cjk::is_cjk(c);
    family.chars().any(is_han)
        || family.split([' ', '-', '_']).any(|word| WORDS.contains(&word))
        || FAMILIES.iter().any(|known| name.starts_with(known))
        || name.starts_with("st") && ["song", "kaiti", "heiti", "fangsong"].contains(&&name[2..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fonts_are_for_the_letters_that_their_names_say() {
        let plain = OfficeFonts {
            latin: "Calibri".into(),
            east_asian: "Microsoft YaHei".into(),
            complex: "Arial".into(),
        };
        for (families, expected) in [
            (&[][..], ["Calibri", "Microsoft YaHei", "Arial"]),
            (&["Georgia"], ["Georgia", "Microsoft YaHei", "Georgia"]),
            (&["Noto Serif CJK SC"], ["Noto Serif CJK SC"; 3]),
            (&["Georgia", "SimSun"], ["Georgia", "SimSun", "Georgia"]),
            (&["Georgia", "思源宋体"], ["Georgia", "思源宋体", "Georgia"]),
            (&["STSong"], ["STSong"; 3]),
            (&["Stone Sans"], ["Stone Sans", "Microsoft YaHei", "Stone Sans"]),
            (&["Source Han Serif", "SimSun"], ["Source Han Serif"; 3]),
            (&["Scala", "Escape"], ["Scala", "Microsoft YaHei", "Scala"]),
            // Names that could end the attribute are ignored.
            (&["a\" b=\"", "<w:x/>", "", "Lato"], ["Lato", "Microsoft YaHei", "Lato"]),
        ] {
            let families: Vec<String> = families.iter().map(|it| (*it).to_owned()).collect();
            let fonts = plain.named(&families);
            let got = [&*fonts.latin, &*fonts.east_asian, &*fonts.complex];
            assert_eq!(got, expected, "{families:?}");
        }
    }
}
