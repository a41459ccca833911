//! Names of months and weekdays.

/// A language of number formats. Others show the names in English.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Language {
    #[default]
    English,
    Chinese,
    /// Chinese with the calendar of Taiwan.
    Taiwanese,
    Japanese,
    German,
    French,
    Spanish,
}

const ENGLISH_MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

const GERMAN_MONTHS: [&str; 12] = [
    "Januar",
    "Februar",
    "März",
    "April",
    "Mai",
    "Juni",
    "Juli",
    "August",
    "September",
    "Oktober",
    "November",
    "Dezember",
];

const FRENCH_MONTHS: [&str; 12] = [
    "janvier",
    "février",
    "mars",
    "avril",
    "mai",
    "juin",
    "juillet",
    "août",
    "septembre",
    "octobre",
    "novembre",
    "décembre",
];

const SPANISH_MONTHS: [&str; 12] = [
    "enero",
    "febrero",
    "marzo",
    "abril",
    "mayo",
    "junio",
    "julio",
    "agosto",
    "septiembre",
    "octubre",
    "noviembre",
    "diciembre",
];

const CHINESE_MONTHS: [&str; 12] = [
    "一月",
    "二月",
    "三月",
    "四月",
    "五月",
    "六月",
    "七月",
    "八月",
    "九月",
    "十月",
    "十一月",
    "十二月",
];

/// The weekdays from Sunday on.
const ENGLISH_DAYS: [&str; 7] =
    ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const GERMAN_DAYS: [&str; 7] =
    ["Sonntag", "Montag", "Dienstag", "Mittwoch", "Donnerstag", "Freitag", "Samstag"];
const FRENCH_DAYS: [&str; 7] =
    ["dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"];
const SPANISH_DAYS: [&str; 7] =
    ["domingo", "lunes", "martes", "miércoles", "jueves", "viernes", "sábado"];
const CHINESE_DAYS: [&str; 7] = ["日", "一", "二", "三", "四", "五", "六"];
const JAPANESE_DAYS: [&str; 7] = ["日", "月", "火", "水", "木", "金", "土"];

impl Language {
    /// Returns the language of a locale of Windows, such as `804`, or of a tag such as `zh-CN`. Returns `None` if the locale is
    /// that of the system.
    pub fn of(locale: &str) -> Option<Self> {
        let Ok(number) = u32::from_str_radix(locale, 16) else { return Self::of_tag(locale) };
        // `F400` and `F800` are the formats of the system, for times and for dates.
        Some(match (number & 0xFFFF, number & 0x3FF) {
            (0 | 0xF400 | 0xF800, _) => return None,
            (0x404, _) => Self::Taiwanese,
            (_, 0x04) => Self::Chinese,
            (_, 0x11) => Self::Japanese,
            (_, 0x07) => Self::German,
            (_, 0x0C) => Self::French,
            (_, 0x0A) => Self::Spanish,
            _ => Self::English,
        })
    }

    fn of_tag(tag: &str) -> Option<Self> {
        let tag = tag.to_ascii_lowercase();
        let mut subtags = tag.split('-');
        Some(match subtags.next()? {
            "zh" if subtags.next() == Some("tw") => Self::Taiwanese,
            "zh" => Self::Chinese,
            "ja" => Self::Japanese,
            "de" => Self::German,
            "fr" => Self::French,
            "es" => Self::Spanish,
            // `x-sysdate` and `x-systime` are the formats of the system.
            "" | "x" => return None,
            _ => Self::English,
        })
    }

    /// Appends the name of a month from 0 on. `width` is that of the format: 3 for `mmm`, 5 for one letter.
    pub fn write_month(self, month: usize, width: usize, out: &mut String) {
        let names = match self {
            Self::English => ENGLISH_MONTHS,
            Self::German => GERMAN_MONTHS,
            Self::French => FRENCH_MONTHS,
            Self::Spanish => SPANISH_MONTHS,
            Self::Chinese | Self::Taiwanese if width == 4 => CHINESE_MONTHS,
            Self::Chinese | Self::Taiwanese | Self::Japanese => {
                out.push_str(&format!("{}{}", month + 1, if width == 5 { "" } else { "月" }));
                return;
            }
        };
        let name = names.get(month).copied().unwrap_or_default();
        self.write_name(name, width, 3, out);
    }

    /// Appends the name of a weekday, from 0 for Sunday on. `width` is that of the format: 3 for `ddd`.
    pub fn write_weekday(self, day: usize, width: usize, out: &mut String) {
        let (names, before, after) = match self {
            Self::English => (ENGLISH_DAYS, "", ""),
            Self::German => (GERMAN_DAYS, "", ""),
            Self::French => (FRENCH_DAYS, "", ""),
            Self::Spanish => (SPANISH_DAYS, "", ""),
            Self::Chinese => (CHINESE_DAYS, if width == 3 { "周" } else { "星期" }, ""),
            Self::Taiwanese => (CHINESE_DAYS, if width == 3 { "週" } else { "星期" }, ""),
            Self::Japanese => (JAPANESE_DAYS, "", if width == 3 { "" } else { "曜日" }),
        };
        let name = names.get(day).copied().unwrap_or_default();
        let short = if self == Self::German { 2 } else { 3 };
        out.push_str(before);
        self.write_name(name, width, short, out);
        out.push_str(after);
    }

    fn write_name(self, name: &str, width: usize, short: usize, out: &mut String) {
        match width {
            5 => out.extend(name.chars().next()),
            3 => out.extend(name.chars().take(short)),
            _ => out.push_str(name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_locale() {
        let name = |locale, width| {
            let mut out = String::new();
            let language = Language::of(locale).unwrap();
            language.write_month(9, width, &mut out);
            out.push(' ');
            language.write_weekday(1, width.min(4), &mut out);
            out
        };
        assert_eq!(name("409", 4), "October Monday");
        assert_eq!(name("en-US", 3), "Oct Mon");
        assert_eq!(name("407", 3), "Okt Mo");
        assert_eq!(name("804", 4), "十月 星期一");
        assert_eq!(name("zh-CN", 3), "10月 周一");
        assert_eq!(name("zh-TW", 3), "10月 週一");
        assert_eq!(name("30411", 4), "10月 月曜日");
        assert_eq!(name("ja-JP-x-gannen", 4), "10月 月曜日");
        assert_eq!(name("419", 5), "O Monday");
        for system in ["", "F800", "x-systime"] {
            assert_eq!(Language::of(system), None, "{system}");
        }
    }
}
