//! Encodings by their identifiers in Windows.

use encoding_rs::{
    BIG5, EUC_KR, Encoding, GB18030, GBK, IBM866, KOI8_R, MACINTOSH, SHIFT_JIS, UTF_8, WINDOWS_874,
    WINDOWS_1250, WINDOWS_1251, WINDOWS_1252, WINDOWS_1253, WINDOWS_1254, WINDOWS_1255,
    WINDOWS_1256, WINDOWS_1257, WINDOWS_1258,
};

/// The character set of fonts with symbols.
pub(crate) const SYMBOL: u8 = 2;

/// Returns the encoding of a code page.
pub(crate) fn of_number(number: i32) -> Option<&'static Encoding> {
    Some(match number {
        866 => IBM866,
        874 => WINDOWS_874,
        932 => SHIFT_JIS,
        936 => GBK,
        949 => EUC_KR,
        950 => BIG5,
        1250 => WINDOWS_1250,
        1251 => WINDOWS_1251,
        1252 => WINDOWS_1252,
        1253 => WINDOWS_1253,
        1254 => WINDOWS_1254,
        1255 => WINDOWS_1255,
        1256 => WINDOWS_1256,
        1257 => WINDOWS_1257,
        1258 => WINDOWS_1258,
        10000 => MACINTOSH,
        20866 => KOI8_R,
        54936 => GB18030,
        65001 => UTF_8,
        _ => return None,
    })
}

/// Returns the encoding of a character set; `None` for that of the document.
pub(crate) fn of_charset(charset: u8) -> Option<&'static Encoding> {
    of_number(match charset {
        77 => 10000,
        128 => 932,
        129 | 130 => 949,
        134 => 936,
        136 => 950,
        161 => 1253,
        162 => 1254,
        163 => 1258,
        177 => 1255,
        178 => 1256,
        186 => 1257,
        204 => 1251,
        222 => 874,
        238 => 1250,
        _ => return None,
    })
}

/// Returns a character that looks like that of a symbol font.
pub(crate) fn symbol(byte: u8) -> char {
    match byte {
        0xb7 | 0x6c | 0x9f => '•',
        0xa7 | 0x6e => '▪',
        0xd8 => '➢',
        0xfc => '✓',
        0xa8 | 0x71 => '□',
        0xfe => '☑',
        0xe0 => '→',
        0x20..0x7f => byte as char,
        _ => '•',
    }
}
