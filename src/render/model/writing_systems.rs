//! Writing systems in demand: letters that each font for one has, and sources of such a font. Knows no fonts itself.

/// A writing system, and packages with a font for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct WritingSystem {
    /// Its name in Unicode, such as `Thai`; `Emoji` for pictures in text.
    pub name: &'static str,
    /// Letters that every font for it has.
    pub letters: &'static str,
    /// The package of Debian and Ubuntu.
    pub debian: &'static str,
    /// Part of the name of Fedora's package; [`WritingSystem::fedora_package`] returns the whole name.
    fedora: &'static str,
    /// The cask of Homebrew.
    pub homebrew: &'static str,
    /// A file that is part of Windows, in `C:\Windows\Fonts`.
    pub windows: &'static str,
    /// A package of npm, whose archive any system can unpack, if there is one.
    pub npm: Option<&'static str>,
}

const CORE: &str = "fonts-noto-core";
const CJK: &str = "fonts-noto-cjk";

/// All writing systems in this list, those of the bundled fonts first.
pub const WRITING_SYSTEMS: [WritingSystem; 31] = [
    of("Latin", "abcxyzéßøłň", CORE, "", "font-noto-sans", "segoeui.ttf", None),
    of("Greek", "αβγδωΩ", CORE, "", "font-noto-sans", "segoeui.ttf", None),
    of("Cyrillic", "абвгдяЖЯ", CORE, "", "font-noto-sans", "segoeui.ttf", None),
    of("Han", "汉字漢字中文", CJK, "cjk", "font-noto-sans-cjk", "msyh.ttc", None),
    of("Hiragana", "あいうえお", CJK, "cjk", "font-noto-sans-jp", "YuGothR.ttc", None),
    of("Katakana", "アイウエオ", CJK, "cjk", "font-noto-sans-jp", "YuGothR.ttc", None),
    of(
        "Hangul",
        "가나다라한글",
        CJK,
        "cjk",
        "font-noto-sans-kr",
        "malgun.ttf",
        Some("@expo-google-fonts/noto-sans-kr"),
    ),
    of(
        "Arabic",
        "ابتجدرسعقكلمنهوي",
        CORE,
        "arabic",
        "font-noto-sans-arabic",
        "segoeui.ttf",
        Some("@expo-google-fonts/noto-sans-arabic"),
    ),
    of(
        "Hebrew",
        "אבגדהשת",
        CORE,
        "hebrew",
        "font-noto-sans-hebrew",
        "segoeui.ttf",
        Some("@expo-google-fonts/noto-sans-hebrew"),
    ),
    of(
        "Devanagari",
        "अकखगमरहि",
        CORE,
        "devanagari",
        "font-noto-sans-devanagari",
        "Nirmala.ttf",
        Some("@expo-google-fonts/noto-sans-devanagari"),
    ),
    of("Bengali", "অকখগমরহি", CORE, "bengali", "font-noto-sans-bengali", "Nirmala.ttf", None),
    of("Gurmukhi", "ਅਕਖਗਮਰਹਿ", CORE, "gurmukhi", "font-noto-sans-gurmukhi", "Nirmala.ttf", None),
    of("Gujarati", "અકખગમરહિ", CORE, "gujarati", "font-noto-sans-gujarati", "Nirmala.ttf", None),
    of("Oriya", "ଅକଖଗମରହି", CORE, "oriya", "font-noto-sans-oriya", "Nirmala.ttf", None),
    of(
        "Tamil",
        "அகஙசமரிழ",
        CORE,
        "tamil",
        "font-noto-sans-tamil",
        "Nirmala.ttf",
        Some("@expo-google-fonts/noto-sans-tamil"),
    ),
    of("Telugu", "అకఖగమరహి", CORE, "telugu", "font-noto-sans-telugu", "Nirmala.ttf", None),
    of("Kannada", "ಅಕಖಗಮರಹಿ", CORE, "kannada", "font-noto-sans-kannada", "Nirmala.ttf", None),
    of("Malayalam", "അകഖഗമരഹി", CORE, "malayalam", "font-noto-sans-malayalam", "Nirmala.ttf", None),
    of("Sinhala", "අකගමරහි", CORE, "sinhala", "font-noto-sans-sinhala", "Nirmala.ttf", None),
    of(
        "Thai",
        "กขคงจชนมรสิ่",
        CORE,
        "thai",
        "font-noto-sans-thai",
        "LeelawUI.ttf",
        Some("@expo-google-fonts/noto-sans-thai"),
    ),
    of("Lao", "ກຂຄງຈຊນມສິ່", CORE, "lao", "font-noto-sans-lao", "LeelawUI.ttf", None),
    of("Khmer", "កខគងចមរសិ្", CORE, "khmer", "font-noto-sans-khmer", "LeelawUI.ttf", None),
    of("Myanmar", "ကခဂငစမရသိ", CORE, "myanmar", "font-noto-sans-myanmar", "mmrtext.ttf", None),
    of(
        "Tibetan",
        "ཀཁགངཅམརསི",
        CORE,
        "serif-tibetan",
        "font-noto-serif-tibetan",
        "himalaya.ttf",
        None,
    ),
    of("Georgian", "აბგდემრს", CORE, "georgian", "font-noto-sans-georgian", "segoeui.ttf", None),
    of("Armenian", "ԱԲԳԴաբգդ", CORE, "armenian", "font-noto-sans-armenian", "segoeui.ttf", None),
    of("Ethiopic", "ሀለሐመሠረሰ", CORE, "ethiopic", "font-noto-sans-ethiopic", "ebrima.ttf", None),
    of("Mongolian", "ᠠᠡᠢᠣᠤᠮᠷ", CORE, "mongolian", "font-noto-sans-mongolian", "monbaiti.ttf", None),
    of("Thaana", "ހށނރބމިަ", CORE, "thaana", "font-noto-sans-thaana", "mvboli.ttf", None),
    of("Cherokee", "ᎠᎡᎢᎣᎤᎥ", CORE, "cherokee", "font-noto-sans-cherokee", "gadugi.ttf", None),
    of(
        "Emoji",
        "😀🚀📦",
        "fonts-noto-color-emoji",
        "emoji",
        "font-noto-color-emoji",
        "seguiemj.ttf",
        None,
    ),
];

const fn of(
    name: &'static str,
    letters: &'static str,
    debian: &'static str,
    fedora: &'static str,
    homebrew: &'static str,
    windows: &'static str,
    npm: Option<&'static str>,
) -> WritingSystem {
    WritingSystem { name, letters, debian, fedora, homebrew, windows, npm }
}

impl WritingSystem {
    #[cfg_attr(
        not(any(feature = "pdf", feature = "pdf-compact")),
        allow(dead_code, reason = "nothing is typeset")
    )]
    /// Returns the one of this name. Symbols without a writing system count as emoji.
    pub(crate) fn named(name: &str) -> Option<&'static WritingSystem> {
        let name = if name == "symbols" { "Emoji" } else { name };
        WRITING_SYSTEMS.iter().find(|it| it.name == name)
    }

    /// Returns the name of Fedora's package.
    pub fn fedora_package(&self) -> String {
        match self.fedora {
            "" => "google-noto-sans-fonts".to_owned(),
            "emoji" => "google-noto-color-emoji-fonts".to_owned(),
            "serif-tibetan" => "google-noto-serif-tibetan-fonts".to_owned(),
            script => format!("google-noto-sans-{script}-fonts"),
        }
    }
}

/// Returns what to install for these writing systems, in one clause: packages of each operating system, each once.
#[cfg_attr(
    not(any(feature = "pdf", feature = "pdf-compact")),
    allow(dead_code, reason = "nothing is typeset")
)]
pub(crate) fn to_install(names: &[&str]) -> String {
    let known: Vec<&WritingSystem> =
        names.iter().filter_map(|name| WritingSystem::named(name)).collect();
    let listed = |packages: Vec<String>| {
        let mut packages: Vec<_> = packages.into_iter().map(|it| format!("`{it}`")).collect();
        packages.sort_unstable();
        packages.dedup();
        packages.join(", ")
    };
    let mut debian: Vec<String> = known.iter().map(|it| it.debian.to_owned()).collect();
    if known.len() < names.len() {
        // For all that are not in the list, such as hieroglyphs.
        debian.push("fonts-noto-extra".to_owned());
    }
    let mut said = format!("Debian: {}", listed(debian));
    if !known.is_empty() {
        let of =
            |part: &dyn Fn(&&WritingSystem) -> String| listed(known.iter().map(part).collect());
        said.push_str(&format!("; Fedora: {}", of(&|it| it.fedora_package())));
        said.push_str(&format!("; Homebrew: {}", of(&|it| it.homebrew.to_owned())));
        said.push_str(&format!(
            "; Windows has {} in `C:\\Windows\\Fonts`",
            of(&|it| it.windows.to_owned())
        ));
    }
    let npm: Vec<String> = known.iter().filter_map(|it| it.npm).map(str::to_owned).collect();
    if !npm.is_empty() {
        said.push_str(&format!("; npm: {}", listed(npm)));
    }
    said
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_letter_is_of_its_writing_system() {
        use unicode_script::{Script, UnicodeScript as _};

        for system in WRITING_SYSTEMS {
            assert!(system.letters.chars().count() >= 3, "{}", system.name);
            for c in system.letters.chars().filter(|_| system.name != "Emoji") {
                let script = c.script();
                assert!(
                    script.full_name() == system.name || script == Script::Inherited,
                    "{c} is {}",
                    script.full_name()
                );
            }
            let names = WRITING_SYSTEMS.iter().filter(|it| it.name == system.name).count();
            assert_eq!(names, 1, "{}", system.name);
        }
    }

    #[test]
    fn packages_are_named_once() {
        assert_eq!(
            to_install(&["Thai", "Hebrew", "Egyptian_Hieroglyphs"]),
            "Debian: `fonts-noto-core`, `fonts-noto-extra`; Fedora: `google-noto-sans-hebrew-fonts`, `google-noto-sans-thai-fonts`; \
             Homebrew: `font-noto-sans-hebrew`, `font-noto-sans-thai`; Windows has `LeelawUI.ttf`, `segoeui.ttf` in `C:\\Windows\\Fonts`; \
             npm: `@expo-google-fonts/noto-sans-hebrew`, `@expo-google-fonts/noto-sans-thai`"
        );
        assert!(to_install(&["symbols"]).contains("`fonts-noto-color-emoji`"));
    }
}
