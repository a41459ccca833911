//! Tests fonts that do not say what their letters are, although their codes look like letters.

mod support;

use support::{pdf, stream};

const TEXT: &str = "The figures of the survey were collected in the spring by each office of the region, \
    and they are shown as they were reported. No value was corrected afterwards, because the offices did not keep \
    the letters that were sent to them.";

/// Returns the width of a letter in Times.
fn width(letter: char) -> u32 {
    const CAPITALS: [u32; 26] = [
        722, 667, 667, 722, 611, 556, 722, 722, 333, 389, 722, 611, 889, 722, 722, 556, 722, 667,
        556, 611, 722, 722, 944, 722, 722, 611,
    ];
    match letter {
        'A'..='Z' => CAPITALS[letter as usize - 'A' as usize],
        'i' | 'j' | 'l' | 't' => 278,
        'f' | 'r' | '-' => 333,
        's' => 389,
        'm' => 778,
        'w' => 722,
        'a' | 'c' | 'e' | 'z' => 444,
        ',' | '.' | ' ' => 250,
        _ => 500,
    }
}

/// Numbers letters in the order in which the text needs them.
fn numbered(text: &str) -> Vec<char> {
    let mut known: Vec<char> = Vec::new();
    for letter in text.chars().filter(|letter| *letter != ' ') {
        if !known.contains(&letter) {
            known.push(letter);
        }
    }
    known
}

/// A font `G` with these letters from a code on, and text in it, beside the font `F`.
struct Page<'a> {
    letters: &'a [char],
    first: u8,
    /// What is added to the dictionary of the font, and the program that is embedded.
    font: &'a str,
    program: Vec<u8>,
    /// Text in the other font.
    plain: &'a str,
}

impl Page<'_> {
    fn read(&self, text: &str) -> mitt_reader_kit::Content {
        let mut content = format!("BT /F 11 Tf 14 TL 72 760 Td ({}) Tj ET\n", self.plain);
        content += "BT /G 11 Tf 14 TL 72 700 Td\n";
        let words: Vec<&str> = text.split(' ').collect();
        for line in words.chunks(8) {
            let code = |letter: char| match self.letters.iter().position(|it| *it == letter) {
                Some(at) if letter != ' ' => self.first + at as u8,
                _ => b' ',
            };
            let digits: String =
                line.join(" ").chars().map(|letter| format!("{:02x}", code(letter))).collect();
            content += &format!("<{digits}> Tj T*\n");
        }
        content += "ET";
        let from = self.first.min(b' ');
        let mut widths = vec![width(' '); usize::from(self.first - from)];
        widths.extend(self.letters.iter().map(|letter| width(*letter)));
        let last = usize::from(from) + widths.len() - 1;
        let widths: Vec<String> = widths.iter().map(u32::to_string).collect();
        let program: String = self.program.iter().map(|byte| format!("{byte:02x}")).collect();
        let objects = [
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 4 0 R/G 6 0 R>>>>/Contents 5 0 R>>".to_owned(),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
            stream("", &content),
            format!(
                "<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+Serif/FirstChar {from}/LastChar {last}/Widths[{}]/FontDescriptor 7 0 R{}>>",
                widths.join(" "), self.font
            ),
            "<</Type/FontDescriptor/FontName/ABCDEF+Serif/Flags 4/FontFile2 8 0 R>>".to_owned(),
            stream("/Filter/ASCIIHexDecode", &format!("{program}>")),
        ];
        reader_pdf::read(&pdf(&objects), "pdf", None).unwrap()
    }
}

fn page(letters: &[char], first: u8) -> Page<'_> {
    Page { letters, first, font: "", program: vec![0; 12], plain: "" }
}

#[test]
fn numbers_of_glyphs_are_not_read_as_letters() {
    let letters = numbered(TEXT);
    for first in [b'!', b'A'] {
        let content = page(&letters, first).read(TEXT);
        assert_eq!(content.markdown.trim(), "", "{first}");
        assert_eq!(content.scanned, [1], "{first}");
        let [warning] = content.warnings.as_slice() else { panic!("{:?}", content.warnings) };
        assert!(
            warning.starts_with("the fonts on page 1 do not say what their letters are"),
            "{warning}"
        );
    }
    // In another order, the neighbours and widths of the letters are the evidence.
    let mut others = letters.clone();
    others.sort_unstable_by_key(|letter| (u32::from(*letter) * 37) % 101);
    let content = page(&others, b'A').read(TEXT);
    assert_eq!((content.markdown.trim(), content.scanned.as_slice()), ("", &[1][..]));
}

#[test]
fn letters_between_codes_of_controls_are_numbers_too() {
    // Most strings have codes below the letters. The other strings would be letters.
    let mut letters = numbered("The tests of this line");
    let second = numbered("ACDEFGHIJKLM");
    letters.retain(|letter| !second.contains(letter));
    letters.resize(13, '\0');
    letters.extend(second);
    let content = page(&letters, 20).read("ACED The tests of this line GHIJK");
    assert_eq!((content.markdown.trim(), content.scanned.as_slice()), ("", &[1][..]));
}

#[test]
fn letters_that_are_moved_by_one_distance_are_read() {
    let text = "What an interval of numbers the quick brown fox jumps over";
    let letters: Vec<char> = ('='..='z').collect();
    let content = page(&letters, b'!').read(text);
    let words = content.markdown.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words, text);
    assert!(content.warnings.is_empty() && content.scanned.is_empty(), "{:?}", content.warnings);
}

#[test]
fn a_single_letter_without_text_is_reported() {
    let mut letters = vec!['\0'; 31];
    letters[0] = 'ü';
    letters.extend((b' '..=b'~').map(char::from));
    let text = TEXT.replace("spring", "Frühling");
    let content = page(&letters, 1).read(&text);
    assert!(content.markdown.contains("The figures of the survey"), "{}", content.markdown);
    assert_eq!(
        content.warnings,
        ["text in fonts that do not say what their letters are could not be read on page 1"]
    );
    let content = page(&letters, 1).read(TEXT);
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
}

#[test]
fn other_text_of_the_page_stays() {
    let letters = numbered(TEXT);
    let plain = "This line is set in a font of the system, and everyone can read what it says.";
    let content = Page { plain, ..page(&letters, b'A') }.read(TEXT);
    assert_eq!(content.markdown.trim(), plain);
    assert_eq!(content.scanned, [0_u32; 0]);
    assert_eq!(
        content.warnings,
        ["text in fonts that do not say what their letters are could not be read on page 1"]
    );
}

#[test]
fn letters_that_are_right_stay() {
    let ascii: Vec<char> = (b' '..=b'~').map(char::from).collect();
    let content = page(&ascii, b' ').read(TEXT);
    assert_eq!(
        content.markdown.split_whitespace().collect::<Vec<_>>().join(" "),
        TEXT.split_whitespace().collect::<Vec<_>>().join(" ")
    );
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
    // No language has such words. The widths of the letters are those of their codes.
    let parts = "AX-1042 KQZ-7731 WRT-0093 BMX-5521 NPQ-8814 ZXW-2207 TTK-4410 JQV-6635 CWX-9921 HGK-3307 \
        RZX-5518 MVQ-7742 GPX-1190 XKW-8823 QJT-6014 VXZ-2093 fkw-1203 tjq-8831 lxv-2204 mqk-9931 iwx-4410";
    let content = page(&ascii, b' ').read(parts);
    assert!(content.markdown.contains("KQZ-7731"), "{}", content.markdown);
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
}

/// Returns a TrueType font whose codes from `first` have glyphs with the names of these letters.
fn program(letters: &[char], first: u8) -> Vec<u8> {
    let two = |number: usize| (number as u16).to_be_bytes();
    let four = |number: usize| (number as u32).to_be_bytes();
    let count = letters.len();
    let mut cmap = [two(0), two(1), two(1), two(0)].concat();
    cmap.extend(four(12));
    for number in [6, 10 + 2 * count, 0, usize::from(first), count] {
        cmap.extend(two(number));
    }
    (1..=count).for_each(|glyph| cmap.extend(two(glyph)));
    let mut post = four(0x0002_0000).to_vec();
    post.extend([0; 28]);
    post.extend(two(count + 1));
    post.extend(two(0));
    // Half of the names are those of the system.
    let is_own = |letter: char| u32::from(letter) % 2 == 0;
    let mut own = Vec::new();
    for letter in letters {
        if is_own(*letter) {
            post.extend(two(258 + own.len()));
            own.push(format!("uni{:04X}", u32::from(*letter)));
        } else {
            post.extend(two(u32::from(*letter) as usize - 29));
        }
    }
    for name in own {
        post.push(name.len() as u8);
        post.extend(name.bytes());
    }
    let mut font = four(0x0001_0000).to_vec();
    font.extend([two(2), two(0), two(0), two(0)].concat());
    let start = 12 + 2 * 16;
    for (tag, at, table) in [(b"cmap", start, &cmap), (b"post", start + cmap.len(), &post)] {
        font.extend(tag);
        font.extend([four(0), four(at), four(table.len())].concat());
    }
    [font, cmap, post].concat()
}

#[test]
fn names_in_the_font_are_read() {
    let letters = numbered(TEXT);
    let program = program(&letters, b'A');
    let content = Page { program, ..page(&letters, b'A') }.read(TEXT);
    let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    assert_eq!(words(&content.markdown), words(TEXT));
    assert!(content.warnings.is_empty() && content.scanned.is_empty(), "{:?}", content.warnings);
}

/// Returns a document with a font `C` of glyphs as wide as high, without a table of characters. `codes` are two digits each
/// for a simple font and four for a composite one, whose encoding is `encoding`.
fn square(codes: &[u16], encoding: Option<&str>) -> Vec<u8> {
    let digits: String = match encoding {
        Some(_) => codes.iter().map(|code| format!("{code:04x}")).collect(),
        None => codes.iter().map(|code| format!("{code:02x}")).collect(),
    };
    let font = match encoding {
        Some(encoding) => format!(
            "<</Type/Font/Subtype/Type0/BaseFont/ABCDEF+Song/Encoding/{encoding}/DescendantFonts[6 0 R]>>"
        ),
        None => format!(
            "<</Type/Font/Subtype/TrueType/BaseFont/ABCDEF+Song/FirstChar 32/LastChar 127/Widths[{}]/FontDescriptor 7 0 R>>",
            "1000 ".repeat(96)
        ),
    };
    pdf(&[
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</C 4 0 R>>>>/Contents 5 0 R>>".to_owned(),
        font,
        stream("", &format!("BT /C 12 Tf 72 700 Td <{digits}> Tj ET")),
        "<</Type/Font/Subtype/CIDFontType2/BaseFont/ABCDEF+Song/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/DW 1000/CIDToGIDMap/Identity/FontDescriptor 7 0 R>>".to_owned(),
        "<</Type/FontDescriptor/FontName/ABCDEF+Song/Flags 4/FontFile2 8 0 R>>".to_owned(),
        // A head without tables.
        stream("/Filter/ASCIIHexDecode", "000100000000000000000000>"),
    ])
}

#[test]
fn latin_letters_as_wide_as_high_are_numbers_of_chinese_glyphs() {
    let refused = |bytes: &[u8], name: &str| {
        let content = reader_pdf::read(bytes, "pdf", None).unwrap();
        assert_eq!((content.markdown.trim(), content.scanned.as_slice()), ("", &[1][..]), "{name}");
        let [warning] = content.warnings.as_slice() else { panic!("{:?}", content.warnings) };
        assert!(warning.contains("do not say what their letters are"), "{name}: {warning}");
    };
    // Chinese text repeats few of its characters, so neither their order nor their neighbours are evidence.
    let codes: Vec<u16> = (0..24).map(|at| 33 + at * 7 % 90).collect();
    refused(&square(&codes, None), "simple");
    for encoding in ["Identity-H", "Identity-V"] {
        refused(&square(&codes, Some(encoding)), encoding);
    }
    // Numbers of Chinese characters of the collection stay.
    let codes: Vec<u16> = (0..24).map(|at| 1000 + at * 7).collect();
    let content = reader_pdf::read(&square(&codes, Some("Identity-H")), "pdf", None).unwrap();
    assert_eq!(content.markdown.trim().chars().count(), 24, "{}", content.markdown);
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
}
