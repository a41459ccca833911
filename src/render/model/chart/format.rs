//! Number formats of axes: found from the data, or given as a word or as an Excel number format.

use serde::Serialize;

use super::scale;

/// Format of values. Default: found from the values: `1,250`, in Chinese `12.5万`, in English `1.2M`.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct ChartFormat {
    /// Notation of numbers.
    pub style: NumberStyle,
    /// Decimals, at most 6. Default: as many as the values need.
    pub decimals: Option<u8>,
    /// Text before each number, such as `¥`.
    pub prefix: String,
    /// Text behind each number, such as `kg`.
    pub suffix: String,
}

/// Notation of numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum NumberStyle {
    /// Found from the values.
    #[default]
    Auto,
    /// Digits only: `2024`.
    Plain,
    /// With commas between thousands.
    Thousands,
    /// 0.4 is `40%`.
    Percent,
    /// In 万 and 亿.
    WanYi,
    /// In K, M, B and T.
    Short,
}

/// From this value on, names of powers are not understood any more.
const MAX_NAMED: f64 = 1e16;

/// Most decimals.
const MAX_DECIMALS: u8 = 6;

impl ChartFormat {
    /// Parses a format: `auto`, `plain`, `thousands`, `percent`, `wan-yi` (or `万`, `亿`), `short`, or an Excel number format
    /// such as `0.0%`, `#,##0.00`, `¥#,##0`, `0.0"kg"`.
    pub fn parse(text: &str) -> Option<ChartFormat> {
        let style = match text.trim().to_ascii_lowercase().as_str() {
            "auto" | "general" => NumberStyle::Auto,
            "plain" => NumberStyle::Plain,
            "thousands" => NumberStyle::Thousands,
            "percent" | "%" => NumberStyle::Percent,
            "wan-yi" | "万" | "亿" | "万亿" | "万/亿" => NumberStyle::WanYi,
            "short" => NumberStyle::Short,
            _ => return ChartFormat::of_excel(text.trim()),
        };
        Some(ChartFormat { style, ..ChartFormat::default() })
    }

    /// Parses the first section of an Excel number format.
    fn of_excel(text: &str) -> Option<ChartFormat> {
        let section = text.split(';').next()?;
        let digits = |c: char| matches!(c, '0' | '#' | '?' | ',' | '.');
        let start = first_outside(section, digits)?;
        let behind = &section[start..];
        let end = start + behind.find(|c: char| !digits(c)).unwrap_or(behind.len());
        let pattern = section.get(start..end)?;
        if !pattern.contains(['0', '#', '?']) || first_outside(&section[end..], digits).is_some() {
            return None;
        }
        let (prefix, suffix) = (literal(&section[..start])?, literal(&section[end..])?);
        let behind = pattern.split_once('.').map_or(0, |(_, behind)| behind.len());
        let decimals = u8::try_from(behind).ok().filter(|decimals| *decimals <= MAX_DECIMALS)?;
        let is_percent = suffix.trim() == "%";
        let style = match (is_percent, pattern.contains(',')) {
            (true, _) => NumberStyle::Percent,
            (false, true) => NumberStyle::Thousands,
            (false, false) => NumberStyle::Plain,
        };
        let suffix = if is_percent { String::new() } else { suffix };
        Some(ChartFormat { style, decimals: Some(decimals), prefix, suffix })
    }

    pub(crate) fn for_each_text<'a>(&'a self, visit: &mut dyn FnMut(&'a str)) {
        [&self.prefix, &self.suffix].into_iter().for_each(|text| visit(text));
    }

    pub(crate) fn change_texts(&mut self, change: &mut dyn FnMut(&str) -> String) {
        for text in [&mut self.prefix, &mut self.suffix] {
            *text = change(text);
        }
    }
}

/// Returns the position of the first wanted character that is neither quoted nor in brackets.
fn first_outside(text: &str, is_wanted: impl Fn(char) -> bool) -> Option<usize> {
    let mut until = None;
    for (at, c) in text.char_indices() {
        match (until, c) {
            (Some(end), c) if c == end => until = None,
            (Some(_), _) => {}
            (None, '"') => until = Some('"'),
            (None, '[') => until = Some(']'),
            (None, c) if is_wanted(c) => return Some(at),
            _ => {}
        }
    }
    None
}

/// Returns text of a number format without quotation marks and padding codes; `None` if it is no plain text.
fn literal(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut rest = text;
    while let Some(c) = rest.chars().next() {
        let behind = &rest[c.len_utf8()..];
        rest = match c {
            '"' => {
                let (quoted, behind) = behind.split_once('"')?;
                out.push_str(quoted);
                behind
            }
            // `[$¥-804]` is a currency, `[Red]` a colour.
            '[' => {
                let (inside, behind) = behind.split_once(']')?;
                if let Some(currency) = inside.strip_prefix('$') {
                    out.push_str(currency.split('-').next().unwrap_or_default());
                }
                behind
            }
            '\\' => {
                let c = behind.chars().next()?;
                out.push(c);
                &behind[c.len_utf8()..]
            }
            // Space of the width of a character, and repeated characters.
            '_' | '*' => behind.chars().next().map_or(behind, |c| &behind[c.len_utf8()..]),
            'a'..='z' | 'A'..='Z' => return None,
            c => {
                out.push(c);
                behind
            }
        };
    }
    (out.chars().count() <= 12).then_some(out)
}

/// Writes all values of an axis in the same format.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Numbers {
    prefix: String,
    suffix: String,
    /// Factor of the written numbers, and its name: 10 000 and 万.
    unit: (f64, &'static str),
    has_commas: bool,
    /// `true` for scientific notation: `1.5e20`.
    is_scientific: bool,
    decimals: usize,
}

/// Returns a prefix, followed by a space if it is a code such as `EUR`, and by none if it is a symbol such as `€`.
fn spaced(prefix: &str) -> String {
    let space = if prefix.ends_with(|c: char| c.is_ascii_alphabetic()) { "\u{A0}" } else { "" };
    format!("{prefix}{space}")
}

impl Numbers {
    /// Returns the format of ticks with this distance, the largest absolute value of which is `reach`.
    pub(crate) fn of_ticks(
        format: &ChartFormat,
        step: f64,
        reach: f64,
        is_chinese: bool,
    ) -> Numbers {
        let mut numbers = Numbers::new(format, reach, is_chinese);
        let needed = if numbers.is_scientific {
            scale::decimals(step / power(reach)).min(6)
        } else {
            scale::decimals(step / numbers.unit.0)
        };
        // Ticks with the same text would be useless.
        numbers.decimals = needed.max(format.decimals.map_or(0, usize::from).min(needed)).min(12);
        numbers
    }

    /// Returns the format of values at bars and points.
    pub(crate) fn of_values(
        format: &ChartFormat,
        values: &mut dyn Iterator<Item = f64>,
        is_chinese: bool,
    ) -> Numbers {
        let values: Vec<f64> = values.collect();
        let reach = values.iter().fold(0.0_f64, |most, value| most.max(value.abs()));
        let mut numbers = Numbers::new(format, reach, is_chinese);
        let unit = numbers.unit.0;
        let is_exact = |decimals: usize| {
            let power = [1.0, 10.0, 100.0][decimals];
            values.iter().all(|value| {
                let scaled = value / unit * power;
                (scaled - scaled.round()).abs() <= scaled.abs() * 1e-9
            })
        };
        let rough = match reach / unit {
            reach if numbers.is_scientific || reach < 10.0 => 2,
            reach if reach < 100.0 => 1,
            _ => 0,
        };
        let needed = (0..=2).find(|decimals| is_exact(*decimals)).unwrap_or(3).min(rough.max(1));
        numbers.decimals = match format.decimals {
            // A percentage needs the given decimals; 万 and 亿 need one more than the number itself.
            Some(decimals) if unit <= 1.0 => usize::from(decimals.min(MAX_DECIMALS)),
            _ if rough == 0 && !is_exact(0) && unit <= 1.0 && reach / unit >= 1_000.0 => 0,
            _ if reach > 0.0 && reach / unit < 0.01 && !numbers.is_scientific => {
                scale::decimals(power(reach / unit)).min(10) + 1
            }
            _ => needed,
        };
        numbers
    }

    fn new(format: &ChartFormat, reach: f64, is_chinese: bool) -> Numbers {
        use NumberStyle::{Auto, Percent, Plain, Short, Thousands, WanYi};

        let is_wan_yi =
            format.style == WanYi || (format.style == Auto && is_chinese && reach >= 1e5);
        let is_short =
            format.style == Short || (format.style == Auto && !is_chinese && reach >= 1e6);
        let unit = match (is_wan_yi, is_short) {
            _ if format.style == Percent => (0.01, "%"),
            _ if reach >= MAX_NAMED => (1.0, ""),
            (true, _) if reach >= 1e12 => (1e12, "万亿"),
            (true, _) if reach >= 1e8 => (1e8, "亿"),
            (true, _) if reach >= 1e4 => (1e4, "万"),
            (_, true) if reach >= 1e12 => (1e12, "T"),
            (_, true) if reach >= 1e9 => (1e9, "B"),
            (_, true) if reach >= 1e6 => (1e6, "M"),
            (_, true) if reach >= 1e3 => (1e3, "K"),
            _ => (1.0, ""),
        };
        let scaled = reach / unit.0;
        let is_scientific = scaled >= MAX_NAMED || (scaled > 0.0 && scaled < 1e-5);
        Numbers {
            prefix: spaced(&format.prefix),
            suffix: format.suffix.clone(),
            unit,
            has_commas: matches!(format.style, Auto | Thousands | WanYi | Short | Percent)
                && format.style != Plain,
            is_scientific,
            decimals: 0,
        }
    }

    /// Returns a value as text.
    pub(crate) fn text(&self, value: f64) -> String {
        let scaled = (value / self.unit.0).abs();
        let digits = match self.is_scientific {
            true if scaled == 0.0 => "0".to_owned(),
            // An ordinary number beside a huge one is written in full.
            true if (1e-4..1e6).contains(&scaled) => format!("{scaled}"),
            true => format!("{scaled:.*e}", self.decimals),
            false => self.with_commas(format!("{scaled:.*}", self.decimals)),
        };
        let is_zero = digits.chars().all(|c| matches!(c, '0' | '.'));
        let sign = if value < 0.0 && !is_zero { "-" } else { "" };
        let unit = match self.unit.1 {
            // Zero needs no unit.
            "%" => "%",
            _ if value == 0.0 => "",
            unit => unit,
        };
        let digits = if value == 0.0 && self.unit.0 > 1.0 { "0".to_owned() } else { digits };
        let suffix = self.spaced();
        format!("{sign}{}{digits}{unit}{suffix}", self.prefix)
    }

    /// Returns the format as an Excel number format. Excel cannot divide by 万, 亿 and 万亿, so the point is moved: a number in
    /// thousands whose last digit is behind a point is a number in 万. So these have one, two and three decimals.
    #[cfg(any(feature = "docx", feature = "pptx"))]
    pub(crate) fn excel(&self) -> String {
        let digits = |commas: usize, most: usize| {
            let whole = if self.has_commas { "#,##0" } else { "0" };
            let behind = "0".repeat(self.decimals.min(most));
            let point = if behind.is_empty() { "" } else { "." };
            format!("{whole}{point}{behind}{}", ",".repeat(commas))
        };
        let moved =
            |decimals: usize| format!("0\\.{}{}", "0".repeat(decimals), ",".repeat(decimals));
        let digits = match self.unit.1 {
            _ if self.is_scientific => match self.decimals {
                0 => "0E+00".to_owned(),
                decimals => format!("0.{}E+00", "0".repeat(decimals.min(6))),
            },
            "%" => digits(0, 12) + "%",
            "万" => moved(1),
            "亿" => moved(2),
            "万亿" => moved(3),
            "K" => digits(1, 12),
            "M" => digits(2, 12),
            "B" => digits(3, 12),
            "T" => digits(4, 12),
            _ => digits(0, 12),
        };
        let unit = if self.unit.1 == "%" { "" } else { self.unit.1 };
        let (prefix, unit, suffix) = (quoted(&self.prefix), quoted(unit), quoted(&self.spaced()));
        if self.unit.0 > 1.0 {
            let number = format!("{prefix}{digits}{unit}{suffix}");
            // Zero needs no unit.
            format!("{number};-{number};{prefix}0{suffix}")
        } else {
            format!("{prefix}{digits}{suffix}")
        }
    }

    /// Returns the suffix, with a space before Latin letters: `5 kg` and `12 pp`, but `5元` and `20%`.
    fn spaced(&self) -> String {
        match self.suffix.chars().next() {
            Some(c) if c.is_ascii_alphabetic() => format!(" {}", self.suffix),
            _ => self.suffix.clone(),
        }
    }

    fn with_commas(&self, digits: String) -> String {
        let whole = digits.find('.').unwrap_or(digits.len());
        if !self.has_commas || whole <= 3 {
            return digits;
        }
        let mut out = String::with_capacity(digits.len() + whole / 3);
        for (index, c) in digits.char_indices() {
            if index > 0 && index < whole && (whole - index).is_multiple_of(3) {
                out.push(',');
            }
            out.push(c);
        }
        out
    }
}

/// Quotes a text for a number format.
#[cfg(any(feature = "docx", feature = "pptx"))]
fn quoted(text: &str) -> String {
    match text.contains('"') {
        _ if text.is_empty() => String::new(),
        false => format!("\"{text}\""),
        true => text.chars().flat_map(|c| ['\\', c]).collect(),
    }
}

/// Returns the largest power of ten that is not larger than `value`.
fn power(value: f64) -> f64 {
    let text = format!("{value:e}");
    let exponent = text.split_once('e').map_or("0", |(_, exponent)| exponent);
    format!("1e{exponent}").parse().unwrap_or(1.0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::chart::scale::{Scale, Zero};

    fn ticks(format: &str, most: f64, is_chinese: bool) -> String {
        let scale = Scale::nice(0.0, most, Zero::Always, 4);
        let format = ChartFormat::parse(format).unwrap();
        let numbers = Numbers::of_ticks(&format, scale.step, scale.max, is_chinese);
        scale.ticks().into_iter().map(|tick| numbers.text(tick)).collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn ticks_are_written_as_the_data_is_meant() {
        for (format, most, is_chinese, want) in [
            ("percent", 0.4, true, "0% 10% 20% 30% 40%"),
            ("0.0%", 0.04, false, "0% 1% 2% 3% 4%"),
            ("0%", 0.01, false, "0.00% 0.25% 0.50% 0.75% 1.00%"),
            ("auto", 4_000.0, true, "0 1,000 2,000 3,000 4,000"),
            ("auto", 400_000.0, true, "0 10万 20万 30万 40万"),
            ("auto", 400_000.0, false, "0 100,000 200,000 300,000 400,000"),
            ("auto", 4e6, false, "0 1M 2M 3M 4M"),
            ("auto", 2e8, true, "0 0.5亿 1.0亿 1.5亿 2.0亿"),
            ("wan-yi", 40_000.0, false, "0 1万 2万 3万 4万"),
            ("plain", 4_000.0, true, "0 1000 2000 3000 4000"),
            ("¥#,##0.00", 4_000.0, true, "¥0 ¥1,000 ¥2,000 ¥3,000 ¥4,000"),
            ("[$€-407]#,##0", 1.0, false, "€0.00 €0.25 €0.50 €0.75 €1.00"),
            ("0.0\" kg\"", 10.0, false, "0.0 kg 2.5 kg 5.0 kg 7.5 kg 10.0 kg"),
            ("auto", 4e20, false, "0 1e20 2e20 3e20 4e20"),
            ("auto", 4e13, true, "0 10万亿 20万亿 30万亿 40万亿"),
            ("auto", 4e-9, false, "0 1e-9 2e-9 3e-9 4e-9"),
        ] {
            assert_eq!(ticks(format, most, is_chinese), want, "{format} {most}");
        }
    }

    #[test]
    fn values_have_the_digits_that_they_need() {
        let write = |format: &str, values: &[f64], is_chinese: bool| {
            let format = ChartFormat::parse(format).unwrap();
            let numbers = Numbers::of_values(&format, &mut values.iter().copied(), is_chinese);
            values.iter().map(|value| numbers.text(*value)).collect::<Vec<_>>().join(" ")
        };
        assert_eq!(write("auto", &[1.0, 2.0, 30.0], true), "1 2 30");
        assert_eq!(write("auto", &[1.25, 2.0], true), "1.25 2.00");
        assert_eq!(write("auto", &[123_456.0, -98_000.0], true), "12.3万 -9.8万");
        assert_eq!(write("percent", &[0.125, 0.3], true), "12.5% 30.0%");
        assert_eq!(write("auto", &[1.0 / 3.0, 12.0], false), "0.3 12.0");
        assert_eq!(write("$#,##0", &[-1_234.5], false), "-$1,234");
        assert_eq!(write("auto", &[0.0, 0.0], false), "0 0");
        assert_eq!(write("auto", &[0.00123], false), "0.0012");
    }

    #[cfg(any(feature = "docx", feature = "pptx"))]
    #[test]
    fn formats_of_excel_say_the_same() {
        for (format, most, is_chinese, want) in [
            ("percent", 0.4, true, "#,##0%"),
            ("0%", 0.01, false, "#,##0.00%"),
            ("auto", 4_000.0, true, "#,##0"),
            ("auto", 400_000.0, true, "0\\.0,\"万\";-0\\.0,\"万\";0"),
            ("auto", 2e8, true, "0\\.00,,\"亿\";-0\\.00,,\"亿\";0"),
            ("auto", 2e13, true, "0\\.000,,,\"万亿\";-0\\.000,,,\"万亿\";0"),
            ("auto", 4e6, false, "#,##0,,\"M\";-#,##0,,\"M\";0"),
            ("plain", 4_000.0, true, "0"),
            ("¥#,##0.00", 4_000.0, true, "\"¥\"#,##0"),
            ("0.0\" kg\"", 10.0, false, "0.0\" kg\""),
            ("auto", 4e20, false, "0E+00"),
        ] {
            let scale = Scale::nice(0.0, most, Zero::Always, 4);
            let format = ChartFormat::parse(format).unwrap();
            let numbers = Numbers::of_ticks(&format, scale.step, scale.max, is_chinese);
            assert_eq!(numbers.excel(), want, "{most}");
        }
        assert_eq!(quoted("a\"b"), "\\a\\\"\\b");
    }

    #[test]
    fn formats_that_are_none_are_none() {
        for text in ["", "yyyy-mm-dd", "General0x", "abc", "0.0000000000", "\"0", "[0"] {
            assert_eq!(ChartFormat::parse(text), None, "{text}");
        }
    }
}
