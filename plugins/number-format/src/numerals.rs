//! Writes digits as Chinese numerals, which the marks `[DBNum1]` to `[DBNum3]` of a number format ask for.

/// Numerals that replace the digits of a number.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Numerals {
    /// `一千二百三十四`
    Plain,
    /// `壹仟贰佰叁拾肆`, which cannot be changed easily and is used for amounts of money.
    Formal,
    /// `１２３４`
    Wide,
}

/// The units below ten thousand, from the ones on.
type Units = [&'static str; 4];

impl Numerals {
    /// Returns the numerals of a mark in brackets, such as `DBNum2`.
    pub fn of(mark: &str) -> Option<Self> {
        match mark.to_ascii_lowercase().as_str() {
            "dbnum1" => Some(Self::Plain),
            "dbnum2" => Some(Self::Formal),
            "dbnum3" => Some(Self::Wide),
            _ => None,
        }
    }

    fn digits(self) -> [char; 10] {
        match self {
            Self::Plain => ['〇', '一', '二', '三', '四', '五', '六', '七', '八', '九'],
            Self::Formal => ['零', '壹', '贰', '叁', '肆', '伍', '陆', '柒', '捌', '玖'],
            Self::Wide => ['０', '１', '２', '３', '４', '５', '６', '７', '８', '９'],
        }
    }

    fn units(self) -> Units {
        match self {
            Self::Plain | Self::Wide => ["", "十", "百", "千"],
            Self::Formal => ["", "拾", "佰", "仟"],
        }
    }

    /// Returns the text with each digit replaced: `2024` becomes `二〇二四`.
    pub fn each(self, text: &str) -> String {
        let digits = self.digits();
        let numeral = |c: char| c.to_digit(10).map_or(c, |digit| digits[digit as usize]);
        text.chars().map(numeral).collect()
    }

    /// Returns a number in plain digits, such as `-1234.5`, with the names of its places: `-一千二百三十四.五`.
    pub fn number(self, text: &str) -> String {
        let (sign, number) = text.strip_prefix('-').map_or(("", text), |number| ("-", number));
        let (whole, decimals) = number.split_once('.').unwrap_or((number, ""));
        let is_plain = whole.bytes().all(|byte| byte.is_ascii_digit()) && !whole.is_empty();
        if self == Self::Wide || !is_plain || whole.len() > 16 {
            return self.each(text);
        }
        let point = if decimals.is_empty() { "" } else { "." };
        format!("{sign}{}{point}{}", self.whole(whole), self.each(decimals))
    }

    /// Returns a month, a day or a time: `十二`, where the number is `一十二`.
    pub fn date_part(self, text: &str) -> String {
        let number = self.number(text);
        match number.strip_prefix("一十") {
            Some(rest) => format!("十{rest}"),
            None => number,
        }
    }

    fn whole(self, digits: &str) -> String {
        const GROUPS: [&str; 4] = ["", "万", "亿", "兆"];
        let numerals = self.digits();
        let bytes = digits.trim_start_matches('0').as_bytes();
        let mut out = String::new();
        let mut has_gap = false;
        for (index, byte) in bytes.iter().enumerate() {
            let place = bytes.len() - 1 - index;
            let digit = usize::from(byte - b'0');
            if digit == 0 {
                has_gap = true;
            } else {
                if has_gap {
                    out.push(numerals[0]);
                }
                has_gap = false;
                out.push(numerals[digit]);
                out.push_str(self.units()[place % 4]);
            }
            if place.is_multiple_of(4)
                && bytes[..=index].iter().rev().take(4).any(|byte| *byte != b'0')
            {
                out.push_str(GROUPS.get(place / 4).copied().unwrap_or_default());
            }
        }
        if out.is_empty() { numerals[0].to_string() } else { out }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_names_of_their_places() {
        for (text, plain, formal) in [
            ("0", "〇", "零"),
            ("12", "一十二", "壹拾贰"),
            ("-1234.05", "-一千二百三十四.〇五", "-壹仟贰佰叁拾肆.零伍"),
            ("1005", "一千〇五", "壹仟零伍"),
            ("120000", "一十二万", "壹拾贰万"),
            ("100000001", "一亿〇一", "壹亿零壹"),
            ("1E+11", "一E+一一", "壹E+壹壹"),
        ] {
            assert_eq!(Numerals::Plain.number(text), plain);
            assert_eq!(Numerals::Formal.number(text), formal);
        }
        assert_eq!(Numerals::Wide.number("12.5"), "１２.５");
        assert_eq!(Numerals::Plain.each("2024"), "二〇二四");
        assert_eq!(Numerals::Plain.date_part("12"), "十二");
    }
}
