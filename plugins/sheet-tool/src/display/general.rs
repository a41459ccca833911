//! Numbers without a format of their own.

/// Returns a number as a cell without a format shows it: at most eleven characters.
pub(super) fn general(number: f64) -> String {
    let size = number.abs();
    let short = crate::value::general(number);
    if size == 0.0 || (1e-9..1e11).contains(&size) && short.len() <= 11 && !short.contains('E') {
        return short;
    }
    if (1e-9..1e-4).contains(&size) {
        // A short number is shown without an exponent.
        let fixed = format!("{number:.9}");
        let fixed = fixed.trim_end_matches('0');
        if fixed.parse::<f64>().is_ok_and(|it| (it - number).abs() <= size * 1e-14) {
            return fixed.to_owned();
        }
    }
    if (1e-4..1e11).contains(&size) {
        let whole = (size.log10().floor() as i32).max(0) as usize + 1;
        let text = format!("{number:.*}", 10_usize.saturating_sub(whole));
        return if text.contains('.') {
            text.trim_end_matches('0').trim_end_matches('.').to_owned()
        } else {
            text
        };
    }
    let scientific = format!("{number:.5e}");
    let Some((mantissa, exponent)) = scientific.split_once('e') else { return scientific };
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let mantissa = mantissa.trim_end_matches('0').trim_end_matches('.');
    format!("{mantissa}E{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
}
