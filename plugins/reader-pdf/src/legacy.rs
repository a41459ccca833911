//! Replaces encodings of Chinese, Japanese and Korean text that the library has no tables for. Their codes are a subset
//! of another encoding that it knows.

use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

/// Each encoding and one that contains it. The names have no direction.
const LARGER: [(&[u8], &[u8]); 20] = [
    (b"GB-EUC", b"GBK-EUC"),
    (b"GBpc-EUC", b"GBK-EUC"),
    (b"GBKp-EUC", b"GBK-EUC"),
    (b"GBK2K", b"GBK-EUC"),
    (b"B5pc", b"ETen-B5"),
    (b"B5", b"ETen-B5"),
    (b"ETenms-B5", b"ETen-B5"),
    (b"ETHK-B5", b"ETen-B5"),
    (b"HKscs-B5", b"ETen-B5"),
    (b"HKdla-B5", b"ETen-B5"),
    (b"HKdlb-B5", b"ETen-B5"),
    (b"HKgccs-B5", b"ETen-B5"),
    (b"KSCms-UHC-HW", b"KSCms-UHC"),
    (b"KSCpc-EUC", b"KSC-EUC"),
    (b"RKSJ", b"90ms-RKSJ"),
    (b"90msp-RKSJ", b"90ms-RKSJ"),
    (b"90pv-RKSJ", b"90ms-RKSJ"),
    (b"83pv-RKSJ", b"90ms-RKSJ"),
    (b"Add-RKSJ", b"90ms-RKSJ"),
    (b"Ext-RKSJ", b"90ms-RKSJ"),
];

/// Returns the encoding to read a font with, or `None` if the font's own is known.
pub(crate) fn larger(font: &PdfDict) -> Option<Vec<u8>> {
    let name = dict_get(font, b"Encoding").and_then(PdfObject::as_name)?;
    let (base, direction) = name.split_at_checked(name.len().checked_sub(2)?)?;
    if !matches!(direction, b"-H" | b"-V") {
        return None;
    }
    let (_, larger) = LARGER.iter().find(|(known, _)| *known == base)?;
    Some([larger, direction].concat())
}

/// Returns the name of the same encoding for lines from left to right, or `None` if it is not an encoding for vertical
/// lines.
pub(crate) fn across(name: &[u8]) -> Option<Vec<u8>> {
    match name {
        b"V" => Some(b"H".to_vec()),
        name => name.strip_suffix(b"-V").map(|base| [base, b"-H"].concat()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn encodings_have_larger_ones_in_the_same_direction() {
        let of = |name: &str| {
            let font = [(b"Encoding".to_vec(), PdfObject::Name(name.as_bytes().to_vec()))];
            larger(&font.into()).map(|name| String::from_utf8(name).unwrap())
        };
        assert_eq!(of("GB-EUC-H").as_deref(), Some("GBK-EUC-H"));
        assert_eq!(of("GBK2K-V").as_deref(), Some("GBK-EUC-V"));
        assert_eq!(of("90msp-RKSJ-H").as_deref(), Some("90ms-RKSJ-H"));
        for name in ["GBK-EUC-H", "Identity-H", "UniGB-UCS2-H", "H", "", "-H"] {
            assert_eq!(of(name), None, "{name}");
        }
        assert_eq!(across(b"Identity-V").as_deref(), Some(&b"Identity-H"[..]));
        assert_eq!(across(b"Identity-H"), None);
    }
}
