//! Names in a PDF that is not parsed.

/// Returns `true` if a PDF has a name that begins with `name`. Each byte may be written as `#` and two hexadecimal digits.
pub(super) fn has_name(bytes: &[u8], name: &[u8]) -> bool {
    let begins = |mut rest: &[u8]| {
        name.iter().all(|wanted| {
            let (byte, after) = match rest {
                [b'#', high, low, after @ ..] => {
                    let digit = |it: &u8| char::from(*it).to_digit(16).unwrap_or(0);
                    (u8::try_from(digit(high) * 16 + digit(low)).unwrap_or(0), after)
                }
                [byte, after @ ..] => (*byte, after),
                [] => return false,
            };
            rest = after;
            byte == *wanted
        })
    };
    memchr::memchr_iter(b'/', bytes).any(|at| begins(&bytes[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_found_however_it_is_written() {
        for (text, expected) in [
            ("<</Encrypt 5 0 R>>", true),
            ("<</#45ncr#79pt 5 0 R>>", true),
            ("/E/Encryption", true),
            ("/Encryp", false),
            ("Encrypt", false),
            ("/#4", false),
            ("/#zzncrypt", false),
        ] {
            assert_eq!(has_name(text.as_bytes(), b"Encrypt"), expected, "{text}");
        }
    }
}
