//! Number formats for columns without one from the caller.

use crate::facts::Facts;
use rust_decimal::Decimal;

/// Most decimals in a format, because more distract a reader. The cell keeps the exact value.
const MAX_DECIMALS: u32 = 6;
/// Decimals of a calculated value with an infinite expansion, such as a third.
const CALCULATED_DECIMALS: u32 = 2;

/// Decimals of money, of percentages, and of the units 10 000 and 100 000 000.
const MONEY_DECIMALS: u32 = 2;

/// Returns the format that the caller chose. `¥`, `%`, `万` and similar ones stand for a complete format that fits the
/// values.
pub(crate) fn named(format: &str, facts: &Facts) -> String {
    let whole = facts.shortest_scale == 0;
    let money = |symbol: &str| {
        if whole {
            format!("{symbol}#,##0;-{symbol}#,##0")
        } else {
            let decimals = "0".repeat(MONEY_DECIMALS as usize);
            format!("{symbol}#,##0.{decimals};-{symbol}#,##0.{decimals}")
        }
    };
    match format.trim() {
        "¥" | "￥" | "CNY" | "RMB" => money("\"¥\""),
        "$" | "USD" => money("\"$\""),
        "€" | "EUR" => money("\"€\""),
        "£" | "GBP" => money("\"£\""),
        "%" => percent(facts),
        // Each comma omits three digits. The literal point makes the last ones that remain decimals.
        "万" | "萬" => "0\\.0,\"万\"".to_owned(),
        "亿" | "億" => "0\\.00,,\"亿\"".to_owned(),
        _ => format.to_owned(),
    }
}

fn percent(facts: &Facts) -> String {
    match facts.shortest_scale {
        0..=2 => "0%",
        // The values were written as percentages with two decimals, such as 12.54 %.
        4 => "0.00%",
        _ => "0.0%",
    }
    .to_owned()
}

/// Returns a format with negative numbers in parentheses, as in accounting.
pub(crate) fn of_accounts(format: String) -> String {
    if format.starts_with("#,##0") && !format.contains([';', '%']) {
        format!("{format}_);({format})")
    } else {
        format
    }
}

/// Returns the format for a column of numbers; `None` for Excel's General.
///
/// `calculated` numbers have the decimals that the arithmetic gave, not those that a person wrote.
pub(crate) fn automatic(header: &str, facts: &Facts, calculated: bool) -> Option<String> {
    let (Some(min), Some(max)) = (facts.min, facts.max) else { return None };
    // Fixed decimals would show such a number as zero.
    if facts.smallest.is_some_and(|number| number.round_dp(MAX_DECIMALS).is_zero()) {
        return None;
    }
    if is_part(header, min, max, facts.shortest_scale) {
        return Some(percent(facts));
    }
    let scale = match calculated {
        true if facts.shortest_scale > MAX_DECIMALS => CALCULATED_DECIMALS,
        true => facts.shortest_scale,
        false => facts.scale.min(MAX_DECIMALS),
    };
    if scale > 0 {
        return Some(format!("#,##0.{}", "0".repeat(scale as usize)));
    }
    // A year or an invoice number with a thousands separator is wrong; an amount without one is only plain.
    let is_plain = is_year(header, min, max) || is_identifier(header);
    Some(if is_plain { "0" } else { "#,##0" }.to_owned())
}

/// Returns the format for a column of dates.
pub(crate) fn for_dates(has_time: bool) -> String {
    if has_time { "yyyy-mm-dd hh:mm:ss" } else { "yyyy-mm-dd" }.to_owned()
}

/// Returns the format for a column of times of day.
pub(crate) fn for_times() -> String {
    "hh:mm:ss".to_owned()
}

/// Returns `true` if the numbers are years. Their range counts too, because `年收入` is yearly revenue and `Years of service` a
/// count.
fn is_year(header: &str, min: Decimal, max: Decimal) -> bool {
    let names_year =
        header.contains('年') || words(header).any(|word| word.contains("year") || word == "fy");
    let (first, last) = (Decimal::from(1000), Decimal::from(2999));
    names_year && first <= min && max <= last
}

/// Returns `true` if the numbers are fractions of one that people read as percentages: the name suggests it, and no number
/// is above 200 %. A unit in the name means that they are percentages already.
fn is_part(header: &str, min: Decimal, max: Decimal, scale: u32) -> bool {
    const WORDS: [&str; 12] = [
        "growth",
        "margin",
        "share",
        "percentage",
        "percent",
        "pct",
        "proportion",
        "yoy",
        "mom",
        "qoq",
        "cagr",
        "roi",
    ];
    const ENDS: [&str; 12] = [
        "增速",
        "增幅",
        "涨幅",
        "跌幅",
        "降幅",
        "占比",
        "比重",
        "比例",
        "份额",
        "同比",
        "环比",
        "百分比",
    ];
    let two = Decimal::TWO;
    let is_within = -two <= min && max <= two && scale > 0;
    // `YoY` is one word, `grossMargin` two.
    let lower = header.to_lowercase();
    let mut all = words(header).chain(words(&lower));
    let is_named = all.any(|word| WORDS.contains(&word.as_str()))
        || ENDS.iter().any(|end| header.trim().ends_with(end))
        || is_rate(header);
    is_within && is_named && !header.contains(['%', '％', '‰', '(', '（'])
}

/// Returns `true` if a name is that of a rate which is part of a whole (`差异率`, `churn rate`). A rate with a unit and a price
/// are not.
fn is_rate(header: &str) -> bool {
    /// Words that give a name with `rate` another meaning: a price, or a number of events per time.
    const OTHER_WORDS: [&str; 22] = [
        "exchange", "fx", "currency", "heart", "pulse", "frame", "bit", "data", "sample",
        "sampling", "flow", "hourly", "daily", "weekly", "monthly", "pay", "wage", "billing",
        "day", "hour", "birth", "death",
    ];
    const OTHER_ENDS: [&str; 22] = [
        "汇率",
        "匯率",
        "频率",
        "頻率",
        "功率",
        "斜率",
        "曲率",
        "倍率",
        "速率",
        "心率",
        "码率",
        "帧率",
        "分辨率",
        "采样率",
        "比特率",
        "波特率",
        "周转率",
        "赔率",
        "概率",
        "出生率",
        "死亡率",
        "效率",
    ];
    let name = header.trim();
    let mut has_rate = false;
    for word in words(name) {
        if OTHER_WORDS.contains(&word.as_str()) {
            return false;
        }
        has_rate |= word == "rate";
    }
    has_rate || name.ends_with('率') && !OTHER_ENDS.iter().any(|end| name.ends_with(end))
}

fn is_identifier(header: &str) -> bool {
    const WORDS: [&str; 10] =
        ["id", "no", "nr", "code", "zip", "postcode", "phone", "tel", "sku", "isbn"];
    const ENDS: [&str; 9] =
        ["编号", "編號", "代码", "代碼", "号码", "號碼", "单号", "电话", "邮编"];
    words(header).any(|word| WORDS.contains(&word.as_str()))
        || ENDS.iter().any(|end| header.trim().ends_with(end))
}

/// Returns the words of a header in lower case. A capital after a small letter begins a word, as in `customerId`.
fn words(header: &str) -> impl Iterator<Item = String> {
    let mut spaced = String::with_capacity(header.len());
    let mut previous_lower = false;
    for c in header.chars() {
        if c.is_uppercase() && previous_lower {
            spaced.push(' ');
        }
        previous_lower = c.is_lowercase();
        spaced.extend(if c.is_alphanumeric() { c } else { ' ' }.to_lowercase());
    }
    spaced.split_whitespace().map(str::to_owned).collect::<Vec<_>>().into_iter()
}

#[cfg(test)]
mod tests {
    use super::{automatic, named, of_accounts};
    use crate::facts::{Facts, Value};
    use crate::number::decimal;

    fn facts(numbers: &[&str]) -> Facts {
        let numbers: Vec<_> =
            numbers.iter().map(|number| Value::Number(decimal(number).unwrap())).collect();
        Facts::of(&numbers)
    }

    #[test]
    fn formats_fit_the_values() {
        for (header, numbers, expected) in [
            ("Revenue", &["1234", "5"][..], Some("#,##0")),
            ("Price", &["1.5", "2.25", "3"], Some("#,##0.00")),
            ("Price", &["1.50"], Some("#,##0.00")),
            ("Ratio", &["0.123456789"], Some("#,##0.000000")),
            ("Tiny", &["1.2e-9", "1"], None),
            ("Year", &["2023", "2024"], Some("0")),
            ("fiscalYear", &["2023"], Some("0")),
            ("年份", &["2023"], Some("0")),
            ("年收入", &["123456"], Some("#,##0")),
            ("Years of service", &["3"], Some("#,##0")),
            ("Customer ID", &["12345"], Some("0")),
            ("orderNo", &["12345"], Some("0")),
            ("订单编号", &["12345"], Some("0")),
            ("Noble gases", &["12345"], Some("#,##0")),
            ("Empty", &[], None),
            ("Growth", &["0.125", "-0.3"], Some("0.0%")),
            ("同比增长率", &["0.23", "-0.3"], Some("0%")),
            // These are percentages already, counts, or not fractions.
            ("Growth (%)", &["0.125"], Some("#,##0.000")),
            ("Growth", &["12.5"], Some("#,##0.0")),
            ("Share", &["1", "2"], Some("#,##0")),
            ("汇率", &["0.92"], Some("#,##0.00")),
            ("差异率", &["0.1254", "-0.03"], Some("0.00%")),
            ("退货率", &["0.3333333333333333"], Some("0.0%")),
            ("预算占用比例", &["0.85"], Some("0%")),
            ("Churn rate", &["0.051"], Some("0.0%")),
            ("QoQ", &["-0.125"], Some("0.0%")),
            // These are prices, or they have a unit.
            ("Exchange rate", &["0.92"], Some("#,##0.00")),
            ("Hourly rate", &["1.5"], Some("#,##0.0")),
            ("存货周转率", &["1.25"], Some("#,##0.00")),
            ("功率", &["0.75"], Some("#,##0.00")),
            ("死亡率", &["0.0071"], Some("#,##0.0000")),
            ("Separate", &["0.5"], Some("#,##0.0")),
        ] {
            assert_eq!(
                automatic(header, &facts(numbers), false).as_deref(),
                expected,
                "{header} {numbers:?}"
            );
        }
    }

    #[test]
    fn a_sign_stands_for_a_format_that_fits_the_values() {
        for (asked, numbers, expected) in [
            ("¥", &["1234", "5"][..], "\"¥\"#,##0;-\"¥\"#,##0"),
            ("USD", &["12.5"], "\"$\"#,##0.00;-\"$\"#,##0.00"),
            ("€", &["12.505"], "\"€\"#,##0.00;-\"€\"#,##0.00"),
            ("%", &["0.5"], "0%"),
            ("%", &["0.125"], "0.0%"),
            ("万", &["123456"], "0\\.0,\"万\""),
            ("亿", &["123456789"], "0\\.00,,\"亿\""),
            ("0.0%", &["0.5"], "0.0%"),
        ] {
            assert_eq!(named(asked, &facts(numbers)), expected, "{asked} {numbers:?}");
        }
        assert_eq!(of_accounts("#,##0.00".into()), "#,##0.00_);(#,##0.00)");
        assert_eq!(of_accounts("0%".into()), "0%");
    }

    #[test]
    fn calculated_values_have_no_written_scale() {
        for (number, expected) in
            [("0.3333333333333", "#,##0.00"), ("2.500", "#,##0.0"), ("4.0", "#,##0")]
        {
            let format = automatic("x", &facts(&[number]), true);
            assert_eq!(format.as_deref(), Some(expected), "{number}");
        }
    }
}
