//! Amounts of money in Thai words.

use super::Single;
use super::arguments::reals;
use crate::value::{ErrorCode, Scalar};

const DIGITS: [&str; 10] = ["ศูนย์", "หนึ่ง", "สอง", "สาม", "สี่", "ห้า", "หก", "เจ็ด", "แปด", "เก้า"];
/// Hundred thousands, ten thousands, thousands, hundreds.
const PLACES: [(u64, &str); 4] = [(100_000, "แสน"), (10_000, "หมื่น"), (1_000, "พัน"), (100, "ร้อย")];

pub(super) fn find(name: &str) -> Option<Single> {
    (name == "BAHTTEXT").then_some((1, 1, |_, a| {
        let [amount] = reals(a)?;
        baht(amount).map(Scalar::text).ok_or(ErrorCode::Value)
    }))
}

/// Returns an amount in words; `None` if it has more than the digits of a number.
fn baht(amount: f64) -> Option<String> {
    let satang = (amount.abs() * 100.0).round();
    if satang >= 1e17 {
        return None;
    }
    let satang = satang as u64;
    let (whole, rest) = (satang / 100, satang % 100);
    let mut out = String::new();
    if amount < 0.0 {
        out += "ลบ";
    }
    if whole > 0 || rest == 0 {
        match whole {
            0 => out += DIGITS[0],
            whole => millions(&mut out, whole),
        }
        out += "บาท";
    }
    match rest {
        0 => out += "ถ้วน",
        rest => {
            hundreds(&mut out, rest);
            out += "สตางค์";
        }
    }
    Some(out)
}

/// Writes a number in groups of six digits, with the word for a million behind all but the last.
fn millions(out: &mut String, number: u64) {
    if number >= 1_000_000 {
        millions(out, number / 1_000_000);
        *out += "ล้าน";
    }
    hundreds(out, number % 1_000_000);
}

/// Writes a number below a million; nothing for zero.
fn hundreds(out: &mut String, mut number: u64) {
    for (place, word) in PLACES {
        let digit = number / place;
        if digit > 0 {
            *out += DIGITS[digit as usize];
            *out += word;
        }
        number %= place;
    }
    let (tens, ones) = (number / 10, number % 10);
    match tens {
        0 => {}
        1 => *out += "สิบ",
        2 => *out += "ยี่สิบ",
        tens => {
            *out += DIGITS[tens as usize];
            *out += "สิบ";
        }
    }
    match ones {
        0 => {}
        1 if tens > 0 => *out += "เอ็ด",
        ones => *out += DIGITS[ones as usize],
    }
}
