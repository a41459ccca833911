//! Numbers in Chinese numerals: formal ones for amounts of money, ordinary ones for dates.

use super::number::Decimal;

const CAPITAL: [&str; 10] = ["零", "壹", "贰", "叁", "肆", "伍", "陆", "柒", "捌", "玖"];
const ORDINARY: [&str; 10] = ["零", "一", "二", "三", "四", "五", "六", "七", "八", "九"];

/// Most digits before the point: below ten thousand times a million million.
const MAX_DIGITS: usize = 16;

/// Returns an amount of money as invoices and cheques have it: `壹仟贰佰叁拾肆元伍角陆分`, `壹佰元整`.
pub(super) fn amount(number: &Decimal) -> Result<String, String> {
    let number = number.clone().rounded(2);
    let whole = whole(&number)?;
    let of = |at: usize| usize::from(number.behind.get(at).copied().unwrap_or(0));
    let (tens, ones) = (of(0), of(1));
    let figure = |digit: usize| CAPITAL.get(digit).copied().unwrap_or_default();
    let mut out = String::new();
    if number.is_negative {
        out.push('负');
    }
    if whole > 0 || (tens == 0 && ones == 0) {
        out.push_str(&number_words(whole, &CAPITAL, ["拾", "佰", "仟"]));
        out.push('元');
    }
    match (tens, ones) {
        (0, 0) => out.push('整'),
        (tens, 0) => out.push_str(&format!("{}角整", figure(tens))),
        (0, ones) => {
            // `壹拾元零伍分`, but `伍分`.
            out.push_str(if whole > 0 { "零" } else { "" });
            out.push_str(&format!("{}分", figure(ones)));
        }
        (tens, ones) => out.push_str(&format!("{}角{}分", figure(tens), figure(ones))),
    }
    Ok(out)
}

/// Returns a whole number: `贰拾陆`, or `二十六`.
pub(super) fn figures(number: &Decimal, is_capital: bool) -> Result<String, String> {
    let number = number.clone().rounded(0);
    let whole = whole(&number)?;
    let sign = if number.is_negative { "负" } else { "" };
    Ok(if is_capital {
        format!("{sign}{}", number_words(whole, &CAPITAL, ["拾", "佰", "仟"]))
    } else {
        format!("{sign}{}", ordinary(whole))
    })
}

/// Returns a month or a day: `三`, `十二`, `三十一`.
pub(super) fn small(number: u32) -> String {
    ordinary(u64::from(number))
}

/// Returns a year, digit by digit: `二〇二六`.
pub(super) fn year(year: u32) -> String {
    let digits = format!("{year:04}");
    let figure = |c: char| match c.to_digit(10) {
        Some(0) | None => "〇",
        Some(digit) => ORDINARY.get(digit as usize).copied().unwrap_or_default(),
    };
    digits.chars().map(figure).collect()
}

fn ordinary(number: u64) -> String {
    let words = number_words(number, &ORDINARY, ["十", "百", "千"]);
    // Ten is `十`, and not `一十`.
    match words.strip_prefix("一十") {
        Some(rest) => format!("十{rest}"),
        None => words,
    }
}

fn whole(number: &Decimal) -> Result<u64, String> {
    if number.whole.len() <= MAX_DIGITS {
        Ok(number.whole.iter().fold(0, |all, digit| all * 10 + u64::from(*digit)))
    } else {
        Err(format!(
            "expected at most {MAX_DIGITS} digits for Chinese figures, got {}",
            number.whole.len()
        ))
    }
}

fn number_words(number: u64, figures: &[&'static str; 10], units: [&str; 3]) -> String {
    const YI: u64 = 100_000_000;
    const WAN: u64 = 10_000;
    if number == 0 {
        return figures.first().copied().unwrap_or_default().to_owned();
    }
    let zero = figures.first().copied().unwrap_or_default();
    for (unit, name) in [(YI, "亿"), (WAN, "万")] {
        if number >= unit {
            let (high, low) = (number / unit, number % unit);
            let mut out = number_words(high, figures, units) + name;
            if low > 0 {
                // A lower group without its highest digit begins with a zero.
                if low < unit / 10 {
                    out.push_str(zero);
                }
                out.push_str(&number_words(low, figures, units));
            }
            return out;
        }
    }
    let mut out = String::new();
    let mut has_gap = false;
    for (place, unit) in [(1_000, units[2]), (100, units[1]), (10, units[0]), (1, "")] {
        let digit = usize::try_from(number / place % 10).unwrap_or(0);
        if digit == 0 {
            has_gap = !out.is_empty();
            continue;
        }
        if std::mem::take(&mut has_gap) {
            out.push_str(zero);
        }
        out.push_str(figures.get(digit).copied().unwrap_or_default());
        out.push_str(unit);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::FillValue;

    fn number(text: &str) -> Decimal {
        Decimal::of(&FillValue::Number(text.to_owned()), "大写").unwrap()
    }

    #[test]
    fn amounts_are_those_of_invoices() {
        for (written, expected) in [
            ("1234.56", "壹仟贰佰叁拾肆元伍角陆分"),
            ("0", "零元整"),
            ("100", "壹佰元整"),
            ("10.50", "壹拾元伍角整"),
            ("10.05", "壹拾元零伍分"),
            ("0.05", "伍分"),
            ("0.5", "伍角整"),
            ("1004", "壹仟零肆元整"),
            ("1040", "壹仟零肆拾元整"),
            ("10000", "壹万元整"),
            ("100004", "壹拾万零肆元整"),
            ("106000", "壹拾万陆仟元整"),
            ("100010000", "壹亿零壹万元整"),
            ("1000000000000", "壹万亿元整"),
            ("1000100000000", "壹万零壹亿元整"),
            ("20070600.999", "贰仟零柒万零陆佰零壹元整"),
            ("-8", "负捌元整"),
            ("-0.001", "零元整"),
            ("1.995", "贰元整"),
        ] {
            assert_eq!(amount(&number(written)).as_deref(), Ok(expected), "{written}");
        }
        assert!(amount(&number("12345678901234567")).unwrap_err().contains("at most 16 digits"));
    }

    #[test]
    fn figures_of_dates_are_ordinary_ones() {
        assert_eq!(
            (small(10), small(12), small(20), small(31)),
            ("十".into(), "十二".into(), "二十".into(), "三十一".into())
        );
        assert_eq!(year(2026), "二〇二六");
        assert_eq!(figures(&number("26"), true).as_deref(), Ok("贰拾陆"));
        assert_eq!(figures(&number("-110"), false).as_deref(), Ok("负一百一十"));
    }
}
