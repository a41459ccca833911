//! Writes the values of a PDF (ISO 32000-1, 7.3).

use std::fmt::Display;

const HEX: [u8; 16] = *b"0123456789abcdef";

/// Writes a number with a decimal point. The number must be finite.
pub(crate) fn real(out: &mut Vec<u8>, number: impl Display) {
    let text = number.to_string();
    out.extend_from_slice(text.as_bytes());
    // Without a point it would be read as a whole number.
    if !text.contains('.') {
        out.extend_from_slice(b".0");
    }
}

/// Writes a string as hexadecimal digits.
pub(crate) fn string(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'<');
    for byte in text {
        out.extend(digits(*byte));
    }
    out.push(b'>');
}

/// Writes a name. Characters that could end it are escaped.
pub(crate) fn name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(b'/');
    for byte in name {
        if byte.is_ascii_alphanumeric() || b"-_.+*~".contains(byte) {
            out.push(*byte);
        } else {
            out.push(b'#');
            out.extend(digits(*byte));
        }
    }
}

fn digits(byte: u8) -> [u8; 2] {
    [byte >> 4, byte & 15].map(|digit| HEX[usize::from(digit)])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = Vec::new();
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_number_stays_a_real_number() {
        for (number, expected) in
            [(1.0f32, "1.0"), (-0.5, "-0.5"), (0.0, "0.0"), (1e10, "10000000000.0")]
        {
            assert_eq!(written(|out| real(out, number)), expected);
        }
        assert_eq!(written(|out| real(out, 0.1f64)), "0.1");
    }

    #[test]
    fn any_byte_is_spelt_with_letters_of_ascii() {
        assert_eq!(written(|out| string(out, b"a(\\\xff\0")), "<61285cff00>");
        assert_eq!(written(|out| string(out, b"")), "<>");
        assert_eq!(written(|out| name(out, b"F1~0")), "/F1~0");
        assert_eq!(written(|out| name(out, b"a b/#\xe9")), "/a#20b#2f#23#e9");
    }
}
