//! Tests documents made by WeasyPrint and ReportLab (`make.py`), and documents written by hand.

use mitt_reader_kit::{Content, ENCRYPTED, Error, cell_as_str};
use std::path::{Path, PathBuf};

fn file(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/files").join(name)
}

fn read_with(name: &str, password: Option<&str>) -> Result<Content, Error> {
    reader_pdf::read(&std::fs::read(file(name)).unwrap(), "pdf", password)
}

fn read(name: &str) -> Content {
    read_with(name, None).unwrap()
}

/// Returns a document with the operators of each page. `more` is put into the dictionary of every page.
fn document(pages: &[&str], more: &str) -> Vec<u8> {
    let kids: Vec<String> = (0..pages.len()).map(|page| format!("{} 0 R", 4 + page * 2)).collect();
    let mut objects = vec![
        "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
        format!("<</Type/Pages/Kids[{}]/Count {}>>", kids.join(" "), pages.len()),
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
    ];
    for (index, page) in pages.iter().enumerate() {
        let content = 5 + index * 2;
        objects.push(format!("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents {content} 0 R{more}>>"));
        objects.push(format!("<</Length {}>>stream\n{page}\nendstream", page.len()));
    }
    let mut out = String::from("%PDF-1.4\n");
    let mut offsets = Vec::new();
    for (index, object) in objects.iter().enumerate() {
        offsets.push(out.len());
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", index + 1));
    }
    let start = out.len();
    out.push_str(&format!("xref\n0 {}\n0000000000 65535 f \n", objects.len() + 1));
    for offset in offsets {
        out.push_str(&format!("{offset:010} 00000 n \n"));
    }
    out.push_str(&format!(
        "trailer\n<</Size {}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n",
        objects.len() + 1
    ));
    out.into_bytes()
}

/// Returns operators for lines at the left margin, from a height downwards.
fn lines(y: i32, lines: &[&str]) -> String {
    let line = |(index, line): (usize, &&str)| {
        format!("BT /F 11 Tf 72 {} Td ({line}) Tj ET\n", y - 14 * index as i32)
    };
    lines.iter().enumerate().map(line).collect()
}

fn markdown(pages: &[&str]) -> String {
    reader_pdf::read(&document(pages, ""), "pdf", None).unwrap().markdown
}

#[test]
fn text_links_lists_and_metadata() {
    let content = read("weasy-text.pdf");
    assert_eq!(content.title.as_deref(), Some("年度报告 Annual report"));
    let metadata: Vec<String> =
        content.metadata.iter().map(|(name, value)| format!("{name}: {value}")).collect();
    insta::assert_snapshot!(metadata.join("\n"), @r#"
    author: Li Lei
    subject: Subject of it
    keywords: a, b
    producer: WeasyPrint 70.0
    created: 2024-03-05T08:30:00
    pages: 4
    "#);
    let first = content.markdown.split("A0 begins").next().unwrap();
    insta::assert_snapshot!(first, @r#"
    # 年度报告

    本合同自双方签字盖章之日起生效，有效期为三年，期满后如双方无异议则自动延长一年，任何一方均可提前三十日以书面形式通知对方终止。本合同自双方签字盖章之日起生效，有效期为三年，期满后如双方无异议则自动延长一年，任何一方均可提前三十日以书面形式通知对方终止。本合同自双方签字盖章之日起生效，有效期为三年，期满后如双方无异议则自动延长一年，任何一方均可提前三十日以书面形式通知对方终止。本合同自双方签字盖章之日起生效，有效期为三年，期满后如双方无异议则自动延长一年，任何一方均可提前三十日以书面形式通知对方终止。

    ## Terms

    See [the terms](https://example.org/terms?a=1), or [write](mailto:a@example.org); not this.

    - first point
    - second point
    1. one
    2. two

    ## Part 1
    "#);
    insta::assert_snapshot!(content.warnings.join("\n"), @r#"what is repeated at the top or bottom of pages was left out: `Confidential draft of the board`, `Acme Ltd · page 1 of 4`"#);
    // No repeated line is left on any page, and no hyphen divides a word.
    for gone in ["Confidential", "Acme", "page 1 of", "- ", "‐"] {
        assert!(
            !content.markdown.replace("- first", "").replace("- second", "").contains(gone),
            "{gone}"
        );
    }
    let at: Vec<usize> = "ABCD"
        .chars()
        .map(|letter| content.markdown.find(&format!("{letter}1 begins")).unwrap())
        .collect();
    assert!(at.is_sorted(), "columns one after the other: {at:?}");
    assert!(
        content.markdown.contains(
            "international organisation, whose responsibilities had been internationally"
        )
    );
}

#[test]
fn every_page_is_a_place() {
    let content = read("weasy-text.pdf");
    let starts: Vec<String> = content
        .places
        .iter()
        .map(|place| {
            format!(
                "{}: {}",
                place.label,
                content.markdown[place.at..]
                    .lines()
                    .next()
                    .unwrap()
                    .chars()
                    .take(12)
                    .collect::<String>()
            )
        })
        .collect();
    insta::assert_snapshot!(starts.join("\n"), @r#"
    page 1: # 年度报告
    page 2: ## Part 1
    page 3: ## Part 2
    page 4: ## Part 3
    "#);
}

#[test]
fn columns_are_read_one_after_the_other() {
    let content = read("lab-columns.pdf");
    let found = |text: &str| content.markdown.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(found("Left line 30") < found("Right line 1 "));
    assert!(found("Left line 1 of") < found("Left line 2 of"));
    // Lines of Chinese are joined without a space.
    assert!(found("左栏第20行") < found("右栏第1行"));
    assert!(content.markdown.contains("直到栏尾左栏第2行"), "{}", content.markdown);
}

#[test]
fn pages_that_are_pictures_are_named() {
    let content = read("scan.pdf");
    assert_eq!(content.scanned, [2, 3]);
    assert_eq!(content.places.len(), 4);
    assert_eq!(content.markdown.trim(), "This page is text and can be read by everybody.");
}

#[derive(serde::Deserialize)]
struct Expected {
    file: String,
    page: u32,
    columns: Vec<String>,
    rows: Vec<Vec<String>>,
}

/// Tests that all cells of the tables are in their rows and columns.
#[test]
fn tables_have_the_rows_and_columns_that_were_made() {
    let expected: Vec<Expected> =
        serde_json::from_str(&std::fs::read_to_string(file("tables.json")).unwrap()).unwrap();
    let mut wrong = Vec::new();
    for (index, table) in expected.iter().enumerate() {
        let content = read(&table.file);
        let is_found = content.tables.iter().any(|found| {
            let rows: Vec<Vec<&str>> =
                found.data.rows.iter().map(|row| row.iter().map(cell_as_str).collect()).collect();
            let is_here = found.place.as_deref() == Some(&format!("page {}", table.page));
            is_here && found.data.columns == table.columns && rows == table.rows
        });
        if !is_found {
            wrong.push(format!("{index} {} {:?}", table.file, table.columns));
        }
    }
    println!("{} of {} tables", expected.len() - wrong.len(), expected.len());
    insta::assert_snapshot!(wrong.join("\n"), @r#"11 weasy-styles.pdf ["Year", "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug"]"#);
}

#[test]
fn letters_that_are_painted_one_by_one_are_words() {
    let content = read("letters.pdf");
    for number in 0..40 {
        let text = format!(
            "Paragraph {number}: The committee met in the morning and considered the extraordinarily complicated"
        );
        assert!(content.markdown.contains(&text), "{text}");
    }
}

#[test]
fn a_footer_of_mitt_leaves_nothing() {
    let content = read("mitt.pdf");
    assert!(!content.markdown.contains("共"), "{}", content.markdown);
    assert_eq!(content.warnings, ["page numbers were left out on 1 page"]);
}

#[test]
fn text_between_tables_stays_between_them() {
    let content = read("weasy-tables.pdf");
    let found = |text: &str| content.markdown.find(text).unwrap_or_else(|| panic!("{text}"));
    assert!(found("table of plain") < found("| Bolt |"));
    assert!(found("| Bolt |") < found("table of chinese"));
    assert!(found("table of chinese") < found("| 一月 |"));
    assert!(found("| 一月 |") < found("table of groups"));
}

#[test]
fn both_passwords_open_and_no_other() {
    for name in ["rc4-40", "rc4-128", "aes-128", "aes-256-old", "aes-256"] {
        let name = format!("{name}.pdf");
        for password in ["reader", "writer"] {
            let content = read_with(&name, Some(password))
                .unwrap_or_else(|error| panic!("{name}: {error:?}"));
            assert_eq!(content.markdown, "The secret word is heliotrope.\n", "{name}");
            assert_eq!(content.title.as_deref(), Some("Secret plan"), "{name}");
        }
        for password in [None, Some(""), Some("wrong"), Some("readers")] {
            let error = read_with(&name, password).unwrap_err();
            assert!(
                matches!(&error, Error::Unsupported(text) if text == ENCRYPTED),
                "{name}: {error:?}"
            );
        }
    }
    // A document without a user password needs no password, and a wrong one is no error.
    for password in [None, Some("anything")] {
        assert_eq!(
            read_with("owner-only.pdf", password).unwrap().markdown,
            "The secret word is heliotrope.\n"
        );
    }
}

#[test]
fn damage_is_told_and_costs_no_more_than_the_file() {
    let whole = std::fs::read(file("weasy-text.pdf")).unwrap();
    for bytes in [&b""[..], b"%PDF-1.7", b"%PDF-1.7\n%%EOF", b"no document at all"] {
        let error = reader_pdf::read(bytes, "pdf", None).unwrap_err();
        assert!(
            matches!(&error, Error::Malformed(text) if text.starts_with("the document is damaged: ")),
            "{error:?}"
        );
    }
    for cut in [whole.len() / 4, whole.len() / 2, whole.len() - 40] {
        match reader_pdf::read(&whole[..cut], "pdf", None) {
            Ok(content) => assert!(!content.places.is_empty()),
            Err(error) => assert!(matches!(error, Error::Malformed(_)), "{error:?}"),
        }
    }
    let error = reader_pdf::read(&whole, "docx", None).unwrap_err();
    assert!(matches!(error, Error::Unsupported(_)), "{error:?}");
}

#[test]
fn an_empty_document_is_no_error() {
    let content = reader_pdf::read(&document(&["", ""], ""), "pdf", None).unwrap();
    assert_eq!(
        (content.markdown.as_str(), content.scanned.len(), content.places.len()),
        ("", 0, 2)
    );
}

#[test]
fn divided_words_and_notes() {
    let page = lines(
        700,
        &[
            "The admini-",
            "stration of pre-",
            "and post-war periods was described by the commi-",
            "ttee.\\055 A * star and <b> stay text.",
        ],
    );
    insta::assert_snapshot!(markdown(&[&page]), @r#"The administration of pre- and post-war periods was described by the committee.- A * star and \<b> stay text."#);
}

#[test]
fn lines_on_most_pages_are_left_out_with_a_warning() {
    let page = |number: usize, text: &str| {
        format!(
            "BT /F 9 Tf 72 800 Td (Acme quarterly report) Tj ET\n{}BT /F 9 Tf 72 40 Td (Draft {number} of 4) Tj ET\n",
            lines(700, &[text, "and a second line that goes with it"])
        )
    };
    let seasons = [
        "In spring things grew",
        "In summer it was dry",
        "In autumn it rained",
        "In winter it froze",
    ];
    let pages: Vec<String> =
        (1..).zip(seasons).map(|(number, season)| page(number, season)).collect();
    let pages: Vec<&str> = pages.iter().map(String::as_str).collect();
    let content = reader_pdf::read(&document(&pages, ""), "pdf", None).unwrap();
    insta::assert_snapshot!(content.markdown, @r#"
    In spring things grew and a second line that goes with it

    In summer it was dry and a second line that goes with it

    In autumn it rained and a second line that goes with it

    In winter it froze and a second line that goes with it
    "#);
    insta::assert_snapshot!(content.warnings.join("\n"), @r#"what is repeated at the top or bottom of pages was left out: `Acme quarterly report`, `Draft 1 of 4`"#);
    // Two pages are not enough evidence.
    let content = reader_pdf::read(&document(&pages[..2], ""), "pdf", None).unwrap();
    assert!(
        content.markdown.contains("Acme quarterly report") && content.warnings.is_empty(),
        "{content:?}"
    );
}

#[test]
fn remarks_and_boxes_are_read() {
    let annotations = "/Annots[<</Subtype/Text/Rect[0 0 9 9]/T(Ann)/Contents(Why \\(so\\)?)>><</Subtype/FreeText/Rect[0 0 9 9]/Contents(In a box)>>\
                       <</Subtype/Text/Rect[0 0 9 9]/F 2/Contents(hidden)>><</Subtype/Popup/Rect[0 0 9 9]/Contents(popup)>>]";
    let page = lines(700, &["Some text"]);
    let content = reader_pdf::read(&document(&[&page], annotations), "pdf", None).unwrap();
    insta::assert_snapshot!(content.markdown, @r#"
    Some text

    > Ann: Why (so)?

    In a box
    "#);
}

#[test]
fn remarks_are_bounded() {
    let annotation = "<</Subtype/Text/Rect[0 0 9 9]/Contents(x)>>";
    let content = |count: usize| {
        let bytes = document(&[""], &format!("/Annots[{}]", annotation.repeat(count)));
        let mut warnings = reader_pdf::read(&bytes, "pdf", None).unwrap().warnings;
        warnings.retain(|warning| warning.starts_with("remarks"));
        warnings
    };
    assert!(content(10_000).is_empty());
    assert_eq!(content(10_003), ["remarks that were left out because there are too many: 3"]);
}

/// Changes bytes at random places. Nothing may panic.
#[test]
fn damaged_bytes_do_no_harm() {
    let mut state = 0x2545_f491_4f6c_dd1d_u64;
    let mut random = |below: usize| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state % below as u64) as usize
    };
    let mut read_anyway = 0;
    for name in ["mitt.pdf", "lab-tables.pdf", "aes-128.pdf", "weasy-styles.pdf"] {
        let whole = std::fs::read(file(name)).unwrap();
        for _ in 0..60 {
            let mut bytes = whole.clone();
            for _ in 0..1 + random(12) {
                let at = random(bytes.len());
                bytes[at] = random(256) as u8;
            }
            bytes.truncate(bytes.len() - random(3) * random(200));
            read_anyway += usize::from(reader_pdf::read(&bytes, "pdf", Some("reader")).is_ok());
        }
    }
    assert!(read_anyway > 60, "{read_anyway}");
}

#[test]
fn links_of_other_schemes_are_text() {
    let annotation =
        "/Annots[<</Type/Annot/Subtype/Link/Rect[70 695 300 712]/A<</S/URI/URI(SCHEME)>>>>]";
    let page = lines(700, &["press here"]);
    for (uri, expected) in [
        ("https://example.org/", "[press here](https://example.org/)\n"),
        ("javascript:app.alert\\(1\\)", "press here\n"),
        ("file:///etc/passwd", "press here\n"),
    ] {
        let bytes = document(&[&page], &annotation.replace("SCHEME", uri));
        assert_eq!(reader_pdf::read(&bytes, "pdf", None).unwrap().markdown, expected, "{uri}");
    }
}

/// Returns a page with a table.
fn ruled(page: usize) -> String {
    let mut content = String::from("/Table <</MCID 1>> BDC 0.2 0.3 0.4 RG 1 J [] 0 d 0.9 g\n");
    for row in 0..4 {
        let y = 600 - 20 * row;
        content += &format!("q 1 0 0 1 72 {y} cm /Gone gs 0 0 m 300 0 l S Q\n");
    }
    for column in 0..3 {
        let x = 72 + 150 * column;
        content += &format!("{x} 540 m {x} 600 l S\n");
    }
    for (row, cells) in [["month", "users"], ["May", "17"], ["June", "19"]].iter().enumerate() {
        for (column, cell) in cells.iter().enumerate() {
            let (x, y) = (76 + 150 * column, 586 - 20 * row);
            content += &format!("BT /F 10 Tf {x} {y} Td ({cell}) Tj ET\n");
        }
    }
    content
        + &lines(500, &[&format!("The figures of part {page} are above, % and (these) too.")])
        + "EMC"
}

/// Returns a page with visible and hidden text.
fn prose(page: usize) -> String {
    // No two pages have the same line, because lines on all pages are left out.
    let word = "abcdefghijklm".chars().cycle().skip(page).take(9).collect::<String>();
    let shown = lines(640, &[&format!("Here {word} begins, and goes on"), "for another line."]);
    let unseen = lines(400, &[&format!("{word} is not seen")]);
    format!("q 0.5 g 60 610 400 50 re f Q 3 Tr {unseen} 0 Tr 1 0 0 rg {shown}")
}

/// Returns pages of all kinds.
fn mixed(count: usize) -> Vec<String> {
    (1..=count).map(|page| if page % 3 == 0 { ruled(page) } else { prose(page) }).collect()
}

const LINK: &str = "/StructParents 0/Annots[<</Subtype/Link/Rect[70 620 300 660]/A<</S/URI/URI(https://example.org/a)>>>>]";

/// Documents with ten or more pages are rewritten before the library reads them.
#[test]
fn long_documents_are_read_like_short_ones() {
    let pages = mixed(12);
    let read = |pages: &[&str]| reader_pdf::read(&document(pages, LINK), "pdf", None).unwrap();
    let long = read(&pages.iter().map(String::as_str).collect::<Vec<_>>());
    assert_eq!((long.places.len(), long.tables.len()), (12, 4));
    for (index, page) in pages.iter().enumerate() {
        let short = read(&[page]);
        let start = long.places[index].at;
        let end = long.places.get(index + 1).map_or(long.markdown.len(), |place| place.at);
        assert_eq!(long.markdown[start..end].trim(), short.markdown.trim(), "page {}", index + 1);
        assert!(short.markdown.contains(if (index + 1) % 3 == 0 {
            "| May | 17 |"
        } else {
            "(https://example.org/a)"
        }));
    }
}

#[test]
fn what_is_lost_of_a_long_document_is_told_as_of_a_short_one() {
    let of = |count: usize| {
        let pages: Vec<String> =
            (1..=count).map(|page| lines(700, &[&format!("This is part {page} of it")])).collect();
        let bytes = document(&pages.iter().map(String::as_str).collect::<Vec<_>>(), "");
        // The operators of the third page cannot be unpacked, and a page of the tree does not exist.
        let text = String::from_utf8(bytes).unwrap();
        let (before, after) = text.split_once("9 0 obj\n<<").unwrap();
        let text = format!("{before}9 0 obj\n<</Filter/FlateDecode{after}");
        let text = text.replacen("/Kids[", "/Kids[7777777 0 R ", 1);
        reader_pdf::read(text.as_bytes(), "pdf", None).unwrap().warnings
    };
    assert_eq!(
        of(12),
        [
            "the document is damaged: some of its pages are missing",
            "damaged parts could not be read on page 3"
        ]
    );
    assert_eq!(of(12), of(4));
}

/// Returns the content of a document that is read in shares.
fn in_shares(bytes: &[u8], password: Option<&str>, count: u32) -> Result<Content, Error> {
    let share = |index| {
        let share = reader_pdf::Share::new(index, count).unwrap();
        reader_pdf::share(bytes, "pdf", password, share)
    };
    reader_pdf::join(&(0..count).map(share).collect::<Result<Vec<_>, _>>()?)
}

#[test]
fn shares_together_are_the_whole() {
    let mut pages = mixed(60);
    for (index, page) in pages.iter_mut().enumerate() {
        // On all pages, and so on none.
        *page += &lines(30, &["Confidential, for the board only"]);
        *page += &lines(800, &[&format!("{}", index + 1)]);
    }
    let remark = "/Annots[<</Subtype/Text/Rect[0 0 9 9]/T(Mia)/Contents(Check this again)>>]";
    let plain = document(&pages.iter().map(String::as_str).collect::<Vec<_>>(), LINK);
    let noted = document(&pages.iter().map(String::as_str).collect::<Vec<_>>(), remark);
    let text = String::from_utf8(plain.clone()).unwrap();
    // Operators that cannot be unpacked in both halves, a page that does not exist, a page that appears twice, and
    // bookmarks.
    let broken = |text: String, page: usize| {
        let object = 3 + 2 * page;
        let (before, after) = text.split_once(&format!("\n{object} 0 obj\n<<")).unwrap();
        format!("{before}\n{object} 0 obj\n<</Filter/FlateDecode{after}")
    };
    let damaged =
        broken(broken(text.clone(), 5), 50).replacen("/Kids[", "/Kids[7777777 0 R 110 0 R ", 1);
    let outline = "/Pages 2 0 R/Outlines<</First 900 0 R>>";
    let marks = "900 0 obj\n<</Title(The figures of part 48 are above, % and these too.)/Dest[98 0 R/Fit]>>\nendobj\nxref";
    let marked = text.replacen("/Pages 2 0 R", outline, 1).replacen("xref", marks, 1);
    for (name, bytes) in [
        ("plain", &*plain),
        ("remarks", &*noted),
        ("damaged", damaged.as_bytes()),
        ("bookmarks", marked.as_bytes()),
    ] {
        let whole = reader_pdf::read(bytes, "pdf", None).unwrap();
        assert!(whole.places.len() >= 60 && whole.tables.len() >= 20, "{name}");
        assert!(!whole.markdown.contains("Confidential"), "{name}");
        for count in [1, 2, 3, 7] {
            assert_eq!(in_shares(bytes, None, count).unwrap(), whole, "{name}, {count} shares");
        }
    }
    let whole = reader_pdf::read(&noted, "pdf", None).unwrap();
    assert_eq!(whole.markdown.matches("Check this again").count(), 60);
    let whole = reader_pdf::read(damaged.as_bytes(), "pdf", None).unwrap();
    assert!(whole.warnings.iter().any(|it| it.contains("some of its pages are missing")));
    assert!(whole.warnings.iter().any(|it| it.contains("on pages 6, 51")), "{:?}", whole.warnings);
}

#[test]
fn short_and_encrypted_documents_are_no_work_for_others() {
    for name in ["mitt.pdf", "lab-tables.pdf", "aes-256.pdf", "scan.pdf"] {
        let bytes = std::fs::read(file(name)).unwrap();
        let password = name.contains("aes").then_some("reader");
        let second = reader_pdf::Share::new(1, 2).unwrap();
        assert_eq!(reader_pdf::share(&bytes, "pdf", password, second).unwrap(), b"", "{name}");
        let whole = reader_pdf::read(&bytes, "pdf", password);
        assert_eq!(in_shares(&bytes, password, 2), whole, "{name}");
    }
    let none = in_shares(b"%PDF-1.7 that is all", None, 2);
    assert_eq!(none, reader_pdf::read(b"%PDF-1.7 that is all", "pdf", None));
    assert!(matches!(none, Err(Error::Malformed(_))), "{none:?}");
    for shares in [&[][..], &[Vec::new()], &[b"{}".to_vec()]] {
        let error = reader_pdf::join(shares).unwrap_err();
        assert!(matches!(error, Error::InvalidArgument(_)), "{error:?}");
    }
}
