//! Tests turned pages, text that is written sideways, and text from top to bottom.

mod support;

use mitt_reader_kit::cell_as_str;
use support::{One, pdf, stream};

/// Returns operators for a sentence and a table on a page of 842 by 595 points. `matrix` moves them to the page.
fn landscape(matrix: &str, is_ruled: bool) -> String {
    let mut content = format!("q {matrix} cm\n");
    let rows = [
        ["Building", "Room", "Seats", "Price"],
        ["North", "101", "20", "140.00"],
        ["South", "202", "35", "210.50"],
        ["East", "303", "50", "320.75"],
    ];
    content +=
        "BT /F 12 Tf 72 520 Td (The rooms of the campus and what they cost per day.) Tj ET\n";
    for (row, cells) in rows.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let (x, y) = (80 + 150 * column, 446 - 24 * row);
            content += &format!("BT /F 11 Tf {x} {y} Td ({cell}) Tj ET\n");
        }
    }
    if is_ruled {
        for row in 0..=4 {
            content += &format!("72 {y} m 672 {y} l S\n", y = 464 - 24 * row);
        }
        for column in 0..=4 {
            content += &format!("{x} 368 m {x} 464 l S\n", x = 72 + 150 * column);
        }
    }
    content
        + "BT /F 12 Tf 72 320 Td (Prices are without tax, and rooms are booked at the desk.) Tj ET Q"
}

#[test]
fn turned_pages_are_read_as_the_eye_sees_them() {
    let rotated = |angle| format!("/Rotate {angle}/MediaBox[0 0 595 842]");
    for (name, matrix, page) in [
        ("90", "0 1 -1 0 595 0", rotated(90)),
        ("270", "0 -1 1 0 0 842", rotated(270)),
        ("-90", "0 -1 1 0 0 842", rotated(-90)),
        ("450", "0 1 -1 0 595 0", rotated(450)),
        ("180", "-1 0 0 -1 842 595", "/Rotate 180/MediaBox[0 0 842 595]".to_owned()),
        ("upright", "1 0 0 1 0 0", "/MediaBox[0 0 842 595]".to_owned()),
        // The page has no `/Rotate`, and its text and rules are sideways.
        ("sideways", "0 1 -1 0 595 0", String::new()),
        ("sideways to the right", "0 -1 1 0 0 842", String::new()),
        ("box", "0 1 -1 0 695 -50", "/Rotate 90/MediaBox[100 -50 695 792]".to_owned()),
    ] {
        for is_ruled in [true, false] {
            let content = landscape(matrix, is_ruled);
            let content = One { content: &content, page: &page, ..One::default() }.read();
            let markdown = &content.markdown;
            let upright = landscape("1 0 0 1 0 0", is_ruled);
            let upright =
                One { content: &upright, page: "/MediaBox[0 0 842 595]", ..One::default() };
            assert_eq!(*markdown, upright.read().markdown, "{name}");
            let at = |text: &str| markdown.find(text).unwrap_or_else(|| panic!("{name}: {text}"));
            assert!(at("The rooms of") < at("Building"), "{name}: {markdown}");
            let [table] = content.tables.as_slice() else { panic!("{name}: {markdown}") };
            assert_eq!(table.data.columns, ["Building", "Room", "Seats", "Price"], "{name}");
            let rows: Vec<Vec<&str>> =
                table.data.rows.iter().map(|row| row.iter().map(cell_as_str).collect()).collect();
            assert_eq!(rows[2], ["East", "303", "50", "320.75"], "{name}");
            assert_eq!(rows.len(), 3, "{name}");
        }
    }
}

#[test]
fn a_label_at_the_side_turns_no_page() {
    let content =
        "BT /F 11 Tf 72 700 Td (This is a line of the page that is read as it stands.) Tj ET
        BT /F 20 Tf 0 1 -1 0 30 300 Tm (arXiv:2401.00001) Tj ET";
    let markdown = One { content, ..One::default() }.read().markdown;
    assert!(markdown.contains("This is a line of the page"), "{markdown}");
    assert!(markdown.contains("arXiv:2401.00001"), "{markdown}");
}

#[test]
fn links_of_turned_pages_stay_with_their_words() {
    let content = "BT /F 11 Tf 0 1 -1 0 95 100 Tm (Read the terms before you sign.) Tj ET";
    let page = "/Rotate 90/Annots[<</Subtype/Link/Rect[80 95 100 300]/A<</S/URI/URI(https://example.org/a)>>>>]";
    let markdown = One { content, page, ..One::default() }.read().markdown;
    assert!(markdown.contains("(https://example.org/a)"), "{markdown}");
}

const LINES: [&str; 3] = ["床前明月光疑是地上霜", "举头望明月低头思故乡", "白日依山尽黄河入海流"];

/// Returns a page of columns from right to left. The codes of its encoding are those of UTF-16.
fn columns(encoding: &str, show: impl Fn(f32, &str) -> String) -> String {
    let descendant = "<</Type/Font/Subtype/CIDFontType0/BaseFont/STSong-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 4>>/DW 1000>>";
    let content: String =
        (0..).zip(LINES).map(|(at, line)| show(500.0 - 30.0 * at as f32, line)).collect();
    let objects = [
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
        "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</C 4 0 R>>>>/Contents 6 0 R>>".to_owned(),
        format!("<</Type/Font/Subtype/Type0/BaseFont/STSong-Light/Encoding/{encoding}/DescendantFonts[5 0 R]>>"),
        descendant.to_owned(),
        stream("", &content),
    ];
    reader_pdf::read(&pdf(&objects), "pdf", None).unwrap().markdown
}

fn hex(text: &str) -> String {
    let digits: String = text.encode_utf16().map(|unit| format!("{unit:04x}")).collect();
    format!("<{digits}>")
}

#[test]
fn columns_are_read_from_the_right_to_the_left() {
    let expected = LINES.concat();
    let whole = |x: f32, line: &str| format!("BT /C 18 Tf {x} 780 Td {} Tj ET\n", hex(line));
    let single = |x: f32, line: &str| -> String {
        let letter = |(at, letter): (usize, char)| {
            let y = 760.0 - 20.0 * at as f32;
            format!("BT /C 18 Tf {x} {y} Td {} Tj ET\n", hex(&letter.to_string()))
        };
        line.chars().enumerate().map(letter).collect()
    };
    let in_one = |x: f32, line: &str| -> String {
        let letters =
            line.chars().map(|letter| format!("{} Tj 0 -20 Td\n", hex(&letter.to_string())));
        format!("BT /C 18 Tf {x} 760 Td {} ET\n", letters.collect::<String>())
    };
    for (name, markdown) in [
        ("whole columns", columns("UniGB-UCS2-V", whole)),
        ("letters of such a font", columns("UniGB-UTF16-V", single)),
        ("letters of another font", columns("UniGB-UCS2-H", single)),
        ("letters in one object", columns("UniGB-UCS2-H", in_one)),
    ] {
        let squeezed: String = markdown.split_whitespace().collect();
        assert_eq!(squeezed, expected, "{name}: {markdown}");
    }
}

#[test]
fn lines_from_left_to_right_stay() {
    let line =
        |x: f32, line: &str| format!("BT /C 18 Tf 72 {} Td {} Tj ET\n", 200.0 + x, hex(line));
    let squeezed: String = columns("UniGB-UCS2-H", line).split_whitespace().collect();
    assert_eq!(squeezed, LINES.concat());
}

#[test]
fn old_encodings_are_read() {
    let coded = |encoding: &'static encoding_rs::Encoding, name: &str, text: &str| {
        let (bytes, _, _) = encoding.encode(text);
        let digits: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
        let content = format!("BT /C 18 Tf 72 700 Td <{digits}> Tj ET");
        let ordering = match name {
            name if name.starts_with("GB") => "GB1",
            name if name.contains("B5") => "CNS1",
            name if name.starts_with("KSC") => "Korea1",
            _ => "Japan1",
        };
        let objects = [
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</C 4 0 R>>>>/Contents 6 0 R>>".to_owned(),
            format!("<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/{name}/DescendantFonts[5 0 R]>>"),
            format!("<</Type/Font/Subtype/CIDFontType2/BaseFont/Song/CIDSystemInfo<</Registry(Adobe)/Ordering({ordering})/Supplement 2>>/DW 1000>>"),
            stream("", &content),
        ];
        reader_pdf::read(&pdf(&objects), "pdf", None).unwrap().markdown
    };
    for (encoding, name, text) in [
        (encoding_rs::GBK, "GB-EUC-H", "中文报告2024年"),
        (encoding_rs::GBK, "GBpc-EUC-H", "中文报告2024年"),
        (encoding_rs::GBK, "GBK-EUC-H", "中文报告2024年"),
        (encoding_rs::GBK, "GBKp-EUC-H", "中文報告2024年"),
        (encoding_rs::GBK, "GBK2K-H", "中文報告2024年"),
        (encoding_rs::BIG5, "B5pc-H", "中文報告2024年"),
        (encoding_rs::BIG5, "ETen-B5-H", "中文報告2024年"),
        (encoding_rs::BIG5, "ETenms-B5-H", "中文報告2024年"),
        (encoding_rs::EUC_KR, "KSC-EUC-H", "한글보고서2024"),
        (encoding_rs::EUC_KR, "KSCms-UHC-HW-H", "한글보고서2024"),
        (encoding_rs::SHIFT_JIS, "90ms-RKSJ-H", "日本語の報告2024"),
        (encoding_rs::SHIFT_JIS, "90msp-RKSJ-H", "日本語の報告2024"),
        (encoding_rs::SHIFT_JIS, "90pv-RKSJ-H", "日本語の報告2024"),
    ] {
        let squeezed: String = coded(encoding, name, text).split_whitespace().collect();
        assert_eq!(squeezed, text, "{name}");
    }
}

#[test]
fn numbers_of_an_axis_are_no_page_numbers() {
    let number = |x: i32, y: i32, text: &str| format!("BT /F 9 Tf {x} {y} Td ({text}) Tj ET\n");
    let title = "BT /F 12 Tf 72 700 Td (Sales by year, in thousands) Tj ET\n";
    // The numbers stand along the foot of a page, and up its side.
    let years: String =
        (0..6).map(|at| number(90 + 70 * at, 30, &format!("{}", 2019 + at))).collect();
    let amounts: String =
        (0..6).map(|at| number(40, 30 + 100 * at, &format!("{}", 200 * at))).collect();
    let read = |content: String| One { content: &content, ..One::default() }.read();
    let content = read(format!("{title}{years}"));
    for year in 2019..2025 {
        assert!(content.markdown.contains(&year.to_string()), "{year}: {}", content.markdown);
    }
    assert!(content.warnings.is_empty(), "{:?}", content.warnings);
    let words = read(format!("{title}{amounts}")).markdown;
    for amount in ["0", "200", "400", "600", "800", "1000"] {
        assert!(
            words.split(|it: char| !it.is_ascii_digit()).any(|it| it == amount),
            "{amount}: {words}"
        );
    }
    // A single number is the number of the page.
    let content = read(format!("{title}{}", number(290, 30, "7")));
    assert!(!content.markdown.contains('7'), "{}", content.markdown);
    assert_eq!(content.warnings, ["page numbers were left out on 1 page"]);
}
