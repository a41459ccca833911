//! Number formats that fit the values of a column, when the caller names none.

use rust_decimal::Decimal;

/// More decimals than this are noise to a reader; the cell keeps the exact value.
const MAX_DECIMALS: u32 = 6;
/// Decimals of a calculated value that does not end, such as a third.
const CALCULATED_DECIMALS: u32 = 2;

/// The format for a column of numbers; none leaves it to Excel's General.
///
/// `calculated` numbers have the decimals that the arithmetic gave, not those that somebody wrote.
pub(crate) fn automatic(header: &str, numbers: &[Decimal], calculated: bool) -> Option<String> {
    if numbers.is_empty() || numbers.iter().any(|number| too_small(*number)) {
        return None;
    }
    let scale = if calculated {
        let scale = numbers.iter().map(|number| number.normalize().scale()).max().unwrap_or(0);
        if scale > MAX_DECIMALS { CALCULATED_DECIMALS } else { scale }
    } else {
        numbers.iter().map(Decimal::scale).max().unwrap_or(0).min(MAX_DECIMALS)
    };
    if scale > 0 {
        return Some(format!("#,##0.{}", "0".repeat(scale as usize)));
    }
    // A year or an invoice number with a thousands separator is wrong, an amount without one only plain.
    Some(if is_year(header, numbers) || is_identifier(header) { "0" } else { "#,##0" }.to_owned())
}

/// The format for a column of dates.
pub(crate) fn for_dates(has_time: bool) -> String {
    if has_time { "yyyy-mm-dd hh:mm:ss" } else { "yyyy-mm-dd" }.to_owned()
}

/// Fixed decimals would show such a number as zero.
fn too_small(number: Decimal) -> bool {
    !number.is_zero() && number.round_dp(MAX_DECIMALS).is_zero()
}

/// The name alone does not tell: `年收入` is yearly revenue, and `Years of service` a count.
fn is_year(header: &str, numbers: &[Decimal]) -> bool {
    let names_year =
        header.contains('年') || words(header).any(|word| word.contains("year") || word == "fy");
    let (first, last) = (Decimal::from(1000), Decimal::from(2999));
    names_year && numbers.iter().all(|number| (first..=last).contains(number))
}

fn is_identifier(header: &str) -> bool {
    const WORDS: [&str; 10] =
        ["id", "no", "nr", "code", "zip", "postcode", "phone", "tel", "sku", "isbn"];
    const ENDS: [&str; 9] =
        ["编号", "編號", "代码", "代碼", "号码", "號碼", "单号", "电话", "邮编"];
    words(header).any(|word| WORDS.contains(&word.as_str()))
        || ENDS.iter().any(|end| header.trim().ends_with(end))
}

/// Lower-case words of a header; a capital after a small letter begins one, as in `customerId`.
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
    use super::automatic;
    use crate::number::decimal;

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
        ] {
            let numbers: Vec<_> = numbers.iter().map(|number| decimal(number).unwrap()).collect();
            assert_eq!(
                automatic(header, &numbers, false).as_deref(),
                expected,
                "{header} {numbers:?}"
            );
        }
    }

    #[test]
    fn calculated_values_have_no_written_scale() {
        for (number, expected) in
            [("0.3333333333333", "#,##0.00"), ("2.500", "#,##0.0"), ("4.0", "#,##0")]
        {
            let format = automatic("x", &[decimal(number).unwrap()], true);
            assert_eq!(format.as_deref(), Some(expected), "{number}");
        }
    }
}
