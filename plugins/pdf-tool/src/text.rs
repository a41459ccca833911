//! Text strings of documents: PDFDocEncoding, UTF-16 and UTF-8.

/// Characters 0x18 to 0x1f and 0x80 to 0xa0 of PDFDocEncoding.
const LOW: [char; 8] = ['˘', 'ˇ', 'ˆ', '˙', '˝', '˛', '˚', '˜'];
const HIGH: [char; 33] = [
    '•', '†', '‡', '…', '—', '–', 'ƒ', '⁄', '‹', '›', '−', '‰', '„', '“', '”', '‘', '’', '‚', '™',
    'ﬁ', 'ﬂ', 'Ł', 'Œ', 'Š', 'Ÿ', 'Ž', 'ı', 'ł', 'œ', 'š', 'ž', '\u{fffd}', '€',
];

/// Decodes a text string. Marks of the language are left out.
pub(crate) fn decode(bytes: &[u8]) -> String {
    let wide = |rest: &[u8], unit: fn([u8; 2]) -> u16| {
        let units: Vec<u16> = rest.as_chunks::<2>().0.iter().map(|it| unit(*it)).collect();
        String::from_utf16_lossy(&units)
    };
    let text = match bytes {
        [0xfe, 0xff, rest @ ..] => wide(rest, u16::from_be_bytes),
        [0xff, 0xfe, rest @ ..] => wide(rest, u16::from_le_bytes),
        [0xef, 0xbb, 0xbf, rest @ ..] => String::from_utf8_lossy(rest).into_owned(),
        _ => match std::str::from_utf8(bytes) {
            Ok(text) if bytes.iter().all(|it| is_plain(*it)) => text.to_owned(),
            _ => bytes.iter().map(|it| character(*it)).collect(),
        },
    };
    if !text.contains('\u{1b}') {
        return text.trim_end_matches('\0').to_owned();
    }
    // `ESC en ESC` names a language.
    text.split('\u{1b}').step_by(2).collect()
}

/// Returns `true` for bytes that mean the same in ASCII.
fn is_plain(byte: u8) -> bool {
    byte < 0x80 && !(0x18..=0x1f).contains(&byte)
}

fn character(byte: u8) -> char {
    match byte {
        0x18..=0x1f => LOW[usize::from(byte - 0x18)],
        0x80..=0xa0 => HIGH[usize::from(byte - 0x80)],
        other => char::from(other),
    }
}

/// Encodes text for a font with WinAnsiEncoding. `None` if it has other characters.
pub(crate) fn win_ansi(text: &str) -> Option<Vec<u8>> {
    text.chars().map(win_ansi_char).collect()
}

/// Returns the code of a character in WinAnsiEncoding.
pub(crate) fn win_ansi_char(c: char) -> Option<u8> {
    const CODES: [(char, u8); 27] = [
        ('€', 0x80),
        ('‚', 0x82),
        ('ƒ', 0x83),
        ('„', 0x84),
        ('…', 0x85),
        ('†', 0x86),
        ('‡', 0x87),
        ('ˆ', 0x88),
        ('‰', 0x89),
        ('Š', 0x8a),
        ('‹', 0x8b),
        ('Œ', 0x8c),
        ('Ž', 0x8e),
        ('‘', 0x91),
        ('’', 0x92),
        ('“', 0x93),
        ('”', 0x94),
        ('•', 0x95),
        ('–', 0x96),
        ('—', 0x97),
        ('˜', 0x98),
        ('™', 0x99),
        ('š', 0x9a),
        ('›', 0x9b),
        ('œ', 0x9c),
        ('ž', 0x9e),
        ('Ÿ', 0x9f),
    ];
    match u32::from(c) {
        code @ (0x20..=0x7e | 0xa0..=0xff) => u8::try_from(code).ok(),
        _ => CODES.iter().find(|it| it.0 == c).map(|it| it.1),
    }
}

/// Returns a number with its noun: `1 page`, `2 pages`.
pub(crate) fn counted(count: usize, noun: &str) -> String {
    if count == 1 { format!("1 {noun}") } else { format!("{count} {noun}s") }
}

/// Returns a number with its noun and the verb: `1 page is`, `2 pages are`.
pub(crate) fn counted_is(count: usize, noun: &str) -> String {
    format!("{} {}", counted(count, noun), if count == 1 { "is" } else { "are" })
}

/// Returns that a page is not there: `page 3 does not exist; there are 2`.
pub(crate) fn no_page(number: impl std::fmt::Display, count: usize) -> String {
    let are = if count == 1 { "is" } else { "are" };
    format!("page {number} does not exist; there {are} {count}")
}

/// Returns a text in one line without control characters, cut to a length.
pub(crate) fn line(text: &str, most: usize) -> String {
    let clean = |c: char| if c.is_control() { ' ' } else { c };
    let mut out: String = text.chars().take(most).map(clean).collect();
    if text.chars().nth(most).is_some() {
        out.push('…');
    }
    out.trim().to_owned()
}
