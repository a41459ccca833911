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

/// Returns operators for a table with its caption, as seen in a frame of its own that `matrix` moves to the page.
fn table(matrix: &str, is_ruled: bool, is_in_letters: bool) -> String {
    let mut content = format!("q {matrix} cm\n");
    let rows = [
        ["Building", "Room", "Seats", "Price"],
        ["North", "101", "20", "140.00"],
        ["South", "202", "35", "210.50"],
        ["East", "303", "50", "320.75"],
    ];
    content += "BT /F 10 Tf 0 20 Td (Table 2. Rooms of the campus) Tj ET\n";
    for (row, cells) in rows.iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let (x, y) = (6 + 70 * column, -16 * row as i32);
            let shown = if !is_in_letters {
                format!("({cell}) Tj")
            } else {
                cell.chars().map(|letter| format!("({letter}) Tj ")).collect()
            };
            content += &format!("BT /F 10 Tf {x} {y} Td {shown} ET\n");
        }
    }
    if is_ruled {
        for row in 0..=4 {
            content += &format!("0 {y} m 280 {y} l S\n", y = 12 - 16 * row);
        }
        for column in 0..=4 {
            content += &format!("{x} -52 m {x} 12 l S\n", x = 70 * column);
        }
    }
    content + "Q\n"
}

/// The matrices of a table in the middle of the page: sideways to the left, to the right, and upside down.
const SIDEWAYS: [(&str, &str); 3] =
    [("left", "0 1 -1 0 200 300"), ("right", "0 -1 1 0 250 580"), ("over", "-1 0 0 -1 430 480")];

const ABOVE: &str = "BT /F 8 Tf 72 800 Td (Annual report of the office) Tj ET
    BT /F 16 Tf 72 740 Td (Rooms and prices) Tj ET
    BT /F 11 Tf 72 700 Td (The table shows what the rooms of the campus cost per day.) Tj ET\n";

const BELOW: &str =
    "BT /F 11 Tf 72 200 Td (Prices are without tax, and rooms are booked at the desk.) Tj ET
    BT /F 11 Tf 72 186 Td (The desk is open from Monday to Friday, and in the morning only.) Tj ET\n";

#[track_caller]
fn assert_table(name: &str, content: &mitt_reader_kit::Content) {
    let [table] = content.tables.as_slice() else { panic!("{name}: {}", content.markdown) };
    assert_eq!(table.data.columns, ["Building", "Room", "Seats", "Price"], "{name}");
    let rows: Vec<Vec<&str>> =
        table.data.rows.iter().map(|row| row.iter().map(cell_as_str).collect()).collect();
    assert_eq!(rows[0], ["North", "101", "20", "140.00"], "{name}");
    assert_eq!(rows[2], ["East", "303", "50", "320.75"], "{name}");
    assert_eq!(rows.len(), 3, "{name}");
}

#[test]
fn sideways_tables_stand_between_the_text_of_an_upright_page() {
    for (name, matrix) in SIDEWAYS {
        for (is_ruled, is_in_letters) in [(true, false), (false, false), (true, true)] {
            let content = format!("{ABOVE}{}{BELOW}", table(matrix, is_ruled, is_in_letters));
            let content = One { content: &content, ..One::default() }.read();
            assert_table(name, &content);
            let at = |text: &str| {
                let found = content.markdown.find(text);
                found.unwrap_or_else(|| panic!("{name}: {text} in {}", content.markdown))
            };
            let order = ["Annual", "Rooms and", "The table", "Table 2", "Building", "Prices"];
            assert!(order.windows(2).all(|pair| at(pair[0]) < at(pair[1])), "{}", content.markdown);
        }
    }
}

#[test]
fn two_sideways_tables_of_a_page_stand_in_their_order() {
    let other = table("0 -1 1 0 300 320", false, false).replace("North", "West");
    let middle = "BT /F 11 Tf 72 360 Td (Between the tables there is a line of text.) Tj ET\n";
    let first = table("0 1 -1 0 200 385", true, false);
    let content = format!("{ABOVE}{first}{middle}{other}");
    let markdown = One { content: &content, ..One::default() }.read().markdown;
    let at = |text: &str| markdown.find(text).unwrap_or_else(|| panic!("{text}: {markdown}"));
    assert!(at("The table") < at("North") && at("North") < at("Between"), "{markdown}");
    assert!(at("Between") < at("West"), "{markdown}");
    assert!(markdown.contains("| West | 101 | 20 | 140.00 |"), "{markdown}");
}

#[test]
fn a_sideways_table_beside_text_follows_that_text() {
    let line = |y: i32| {
        format!("BT /F 11 Tf 72 {y} Td (A line of the narrow column to the left of it.) Tj ET\n")
    };
    let column: String = (0..20).map(|at| line(640 - 14 * at)).collect();
    let content = format!("{ABOVE}{column}{}{BELOW}", table("0 1 -1 0 420 340", true, false));
    let content = One { content: &content, ..One::default() }.read();
    assert_table("beside", &content);
    let at = |text: &str| content.markdown.find(text).unwrap();
    assert!(at("narrow column") < at("Building"), "{}", content.markdown);
    assert!(at("Building") < at("Prices are"), "{}", content.markdown);
}

#[test]
fn a_sideways_body_leaves_the_upright_header_above_it() {
    let header = "BT /F 8 Tf 72 800 Td (Annual report of the office) Tj ET
        BT /F 9 Tf 297 30 Td (7) Tj ET\n";
    for (name, matrix) in SIDEWAYS {
        let content = format!("{header}{}", table(matrix, true, false));
        let content = One { content: &content, ..One::default() }.read();
        assert_table(name, &content);
        assert!(content.markdown.starts_with("Annual report"), "{name}: {}", content.markdown);
        assert_eq!(content.warnings, ["page numbers were left out on 1 page"], "{name}");
    }
}

#[test]
fn links_move_with_the_table() {
    let content = format!("{ABOVE}{}{BELOW}", table("0 1 -1 0 200 300", false, false));
    // The caption of the turned table.
    let page =
        "/Annots[<</Subtype/Link/Rect[170 298 184 440]/A<</S/URI/URI(https://example.org/n)>>>>]";
    let markdown = One { content: &content, page, ..One::default() }.read().markdown;
    let link = "[Table 2. Rooms of the campus](https://example.org/n)";
    assert!(markdown.contains(link), "{markdown}");
}

#[test]
fn turned_headers_labels_and_ticks_stay_where_they_are() {
    let turned =
        |x: i32, y: i32, text: &str| format!("BT /F 9 Tf 0 1 -1 0 {x} {y} Tm ({text}) Tj ET\n");
    let cell = |x: i32, y: i32, text: &str| format!("BT /F 9 Tf {x} {y} Td ({text}) Tj ET\n");
    // Each column has a turned header of two pieces.
    let mut headers = String::from(ABOVE);
    for column in 0..5 {
        let x = 140 + 40 * column;
        headers += &turned(x + 8, 560, "Total");
        headers += &turned(x + 8, 610, "amount");
        (0..6).for_each(|row| headers += &cell(x, 545 - 14 * row, &format!("{}", 100 + row * 7)));
    }
    (0..6).for_each(|row| headers += &cell(72, 545 - 14 * row, "Finland"));
    let markdown = One { content: &headers, ..One::default() }.read().markdown;
    assert!(!markdown.contains("| Total | amount |"), "{markdown}");
    // Each group of rows has a label of two lines.
    let mut labels = String::from(ABOVE);
    for group in 0..3 {
        let y = 600 - 60 * group;
        labels += &turned(80, y - 40, "Northern");
        labels += &turned(90, y - 40, "region");
        for row in 0..4 {
            labels += &cell(102, y - 14 * row, "Finland");
            labels += &cell(170, y - 14 * row, "204.5");
        }
    }
    let markdown = One { content: &labels, ..One::default() }.read().markdown;
    assert!(!markdown.contains("| Northern |"), "{markdown}");
}

#[test]
fn labels_of_a_chart_are_no_table() {
    let turned =
        |x: i32, y: i32, text: &str| format!("BT /F 9 Tf 0 1 -1 0 {x} {y} Tm ({text}) Tj ET\n");
    let words = "the law will never be perfect but its use should be just for all of them";
    let mut chart = String::from(ABOVE);
    for (at, word) in (0..).zip(words.split(' ')) {
        let x = 100 + 12 * at;
        chart += &turned(x, 400, word);
        chart += &turned(x, 500, word);
        chart += &format!("{x} 440 m {} 495 l S\n", 300 - at * 6);
    }
    let content = One { content: &chart, ..One::default() }.read();
    assert!(content.tables.is_empty(), "{}", content.markdown);
    let found = content.markdown.split_whitespace().filter(|word| *word == "perfect").count();
    assert_eq!(found, 2, "{}", content.markdown);
}

#[test]
fn a_block_at_the_edge_of_the_page_is_read_to_its_end() {
    // The last row of the turned table lies at the lower edge.
    let content = format!("{ABOVE}{}", table("0 -1 1 0 60 285", true, false));
    let content = One { content: &content, page: "/MediaBox[0 0 595 842]", ..One::default() };
    assert_table("edge", &content.read());
    let small = "BT /F 12 Tf 5 195 Td (Title) Tj ET\n";
    let content = format!("{small}{}", table("0 1 -1 0 70 4", true, false));
    let page = "/MediaBox[0 0 320 300]";
    assert_table("small", &One { content: &content, page, ..One::default() }.read());
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
        // Four bytes.
        (encoding_rs::GB18030, "GBK2K-H", "中㐀文2024年"),
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
fn columns_in_all_encodings_are_read_from_right_to_left() {
    const COLUMNS: [&str; 3] = ["中文報告第一行", "2024年的第二行", "最後一行"];
    let coded = |name: &str, text: &str| -> Vec<u8> {
        match name {
            "UniGB-UTF8-V" => text.as_bytes().to_vec(),
            "UniGB-UTF32-V" => text.chars().flat_map(|it| u32::from(it).to_be_bytes()).collect(),
            "UniGB-UCS2-V" => text.encode_utf16().flat_map(u16::to_be_bytes).collect(),
            name if name.contains("B5") => encoding_rs::BIG5.encode(text).0.into_owned(),
            _ => encoding_rs::GBK.encode(text).0.into_owned(),
        }
    };
    for name in [
        "GBK-EUC-V",
        "GBKp-EUC-V",
        "GBK2K-V",
        "B5pc-V",
        "ETenms-B5-V",
        "UniGB-UCS2-V",
        "UniGB-UTF8-V",
        "UniGB-UTF32-V",
    ] {
        let column = |(at, text): (usize, &&str)| {
            let digits: String =
                coded(name, text).iter().map(|byte| format!("{byte:02x}")).collect();
            format!("BT /C 12 Tf {} 760 Td <{digits}> Tj ET\n", 500 - 20 * at)
        };
        let content: String = COLUMNS.iter().enumerate().map(column).collect();
        let ordering = if name.contains("B5") { "CNS1" } else { "GB1" };
        let objects = [
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</C 4 0 R>>>>/Contents 6 0 R>>".to_owned(),
            format!("<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/{name}/DescendantFonts[5 0 R]>>"),
            format!("<</Type/Font/Subtype/CIDFontType2/BaseFont/Song/CIDSystemInfo<</Registry(Adobe)/Ordering({ordering})/Supplement 2>>/DW 1000>>"),
            stream("", &content),
        ];
        let words = reader_pdf::read(&pdf(&objects), "pdf", None).unwrap().markdown;
        let squeezed: String = words.split_whitespace().collect();
        assert_eq!(squeezed, COLUMNS.concat(), "{name}");
    }
}

/// The origin of a letter is above it, so a box that ends there, such as that of a redaction, covers nothing of the line below.
#[test]
fn a_box_above_a_column_hides_none_of_it() {
    let read = |content: &str| {
        let objects = [
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            "<</Type/Pages/Kids[3 0 R]/Count 1>>".to_owned(),
            "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</C 4 0 R>>>>/Contents 6 0 R>>".to_owned(),
            "<</Type/Font/Subtype/Type0/BaseFont/Song/Encoding/UniGB-UCS2-V/DescendantFonts[5 0 R]>>".to_owned(),
            "<</Type/Font/Subtype/CIDFontType2/BaseFont/Song/CIDSystemInfo<</Registry(Adobe)/Ordering(GB1)/Supplement 2>>/DW 1000>>".to_owned(),
            stream("", content),
        ];
        reader_pdf::read(&pdf(&objects), "pdf", None).unwrap().markdown
    };
    // 增长三成 from 700 down, and a black box.
    let column = "BT /C 20 Tf 460 700 Td <589E957F4E096210> Tj ET\n";
    assert!(read(&format!("{column}450 700 20 40 re f")).contains("增长三成"));
    assert!(!read(&format!("{column}450 600 20 140 re f")).contains("增长三成"));
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
