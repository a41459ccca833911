//! Pictures within the document itself: `data:image/png;base64,…`.

use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};

/// Accepts missing padding, as browsers do.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

/// Decodes a `data:` address; `None` for any other. The content determines its type, not the media type.
///
/// The size is bounded by that of the document's source.
///
/// # Errors
///
/// The media type is not that of a picture, or it cannot be decoded.
pub(crate) fn decode(url: &str) -> Option<Result<Vec<u8>, String>> {
    let prefix = url.get(..5).filter(|prefix| prefix.eq_ignore_ascii_case("data:"))?;
    let rest = &url[prefix.len()..];
    let Some((kind, content)) = rest.split_once(',') else {
        return Some(Err("a `data:` address has a comma before its content".to_owned()));
    };
    let kind = kind.to_ascii_lowercase();
    if !kind.trim_start().starts_with("image/") {
        return Some(Err("expected a `data:` address of a picture".to_owned()));
    }
    let content = unescaped(content);
    if !kind.trim_end().ends_with(";base64") {
        return Some(Ok(content));
    }
    let content: Vec<u8> = content.into_iter().filter(|b| !b.is_ascii_whitespace()).collect();
    Some(BASE64.decode(content).map_err(|_| "it is not base64".to_owned()))
}

/// Decodes escapes: `%20` is one byte.
pub(crate) fn unescaped(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let digit = |at: usize| bytes.get(at).and_then(|b| char::from(*b).to_digit(16));
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while let Some(byte) = bytes.get(at) {
        match (byte, digit(at + 1), digit(at + 2)) {
            (b'%', Some(high), Some(low)) => {
                // Two digits of four bits each.
                out.push((high * 16 + low) as u8);
                at += 3;
            }
            _ => {
                out.push(*byte);
                at += 1;
            }
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_in_addresses_are_decoded() {
        let of = |url: &str| decode(url).unwrap().map(|bytes| String::from_utf8(bytes).unwrap());
        assert_eq!(of("data:image/png;base64,aGk="), Ok("hi".to_owned()));
        assert_eq!(of("DATA:image/PNG;x=y;BASE64,aG k"), Ok("hi".to_owned()));
        assert_eq!(of("data:image/svg+xml,%3Csvg%3E 100%"), Ok("<svg> 100%".to_owned()));
        assert_eq!(of("data:image/svg+xml;utf8,<svg/>"), Ok("<svg/>".to_owned()));
        assert_eq!(of("data:image/png;base64,??"), Err("it is not base64".to_owned()));
        for url in ["data:text/html,<b>", "data:,x"] {
            assert_eq!(of(url), Err("expected a `data:` address of a picture".to_owned()));
        }
        assert!(of("data:image/png").is_err());
        assert!(decode("a.png").is_none() && decode("图图图").is_none());
    }
}
