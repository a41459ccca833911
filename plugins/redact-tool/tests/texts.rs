//! Text files: encodings, marks and tables.

use encoding_rs::{BIG5, EUC_KR, Encoding, GB18030, SHIFT_JIS, WINDOWS_1252};
use redact_tool::{Error, Redacted, Searched, TextKind, redact_text, searched_texts};

fn run(bytes: &[u8], kind: TextKind) -> Result<Redacted, Error> {
    let words = ["Li Wei".to_owned(), "张伟".to_owned(), "secret".to_owned()];
    redact_text(bytes, kind, &words, &["\\d{3}-\\d{4}".to_owned()])
}

fn clean(text: &str, kind: TextKind) -> String {
    String::from_utf8(run(text.as_bytes(), kind).unwrap().bytes).unwrap()
}

#[test]
fn words_and_patterns_become_blocks() {
    let found =
        run("\u{feff}Li\u{a0}WEI\r\ncall 555-1234, 张伟\rxSecretx\r\n".as_bytes(), TextKind::Plain)
            .unwrap();
    assert_eq!(
        String::from_utf8(found.bytes).unwrap(),
        "\u{feff}██████\r\ncall ████████, ██\rx██████x\r\n"
    );
    assert_eq!((found.total, found.warnings.len()), (4, 0));
    assert_eq!(found.places[..2], [("line 1".to_owned(), 1), ("line 2".to_owned(), 3)]);
    // A phrase that goes on in the next line.
    assert_eq!(clean("to Li\nWei", TextKind::Plain), "to ██\n███");
    assert_eq!(
        clean("a/Li%20Wei/&#115;ecret/\\u5f20\\u4f1f", TextKind::Plain),
        "a/████████/███████████/████████████"
    );
    assert_eq!(clean("L\u{7}i\u{200b} Wei", TextKind::Plain), "████████");
}

#[test]
fn encodings_and_what_does_not_change_stay() {
    let han = "客户姓名与联系方式：本年度公司完成了会员体系升级，付费转化率稳步提升。";
    for (encoding, body, word) in [
        (GB18030, han, "张伟"),
        (BIG5, "客戶姓名與聯絡方式：本年度公司完成了會員體系升級，付費轉化率穩步提升。", "張偉"),
        (SHIFT_JIS, "お客様のお名前とご連絡先について、本年度の報告書をお送りします。", "山田"),
        (EUC_KR, "고객 이름과 연락처에 대한 올해의 보고서를 보내 드립니다. 감사합니다.", "김철수"),
        (
            WINDOWS_1252,
            "Die Größe der Straße wäre für alle schön, sagte der Bürgermeister.",
            "Müller",
        ),
    ] {
        let text = format!("{body}\r\n{word}\r\n");
        let bytes = encode(encoding, &text);
        let found = redact_text(&bytes, TextKind::Plain, &[word.to_owned()], &[]).unwrap();
        let sign = if encoding == GB18030 || encoding == BIG5 { "█" } else { "*" };
        let sign = if encoding == EUC_KR { "" } else { sign };
        if !sign.is_empty() {
            let expected = text.replace(word, &sign.repeat(word.chars().count()));
            assert_eq!(encoding.decode(&found.bytes).0, expected, "{}", encoding.name());
        }
        assert_eq!(found.bytes[..encode(encoding, body).len()], encode(encoding, body));
        assert!(!encoding.decode(&found.bytes).0.contains(word));
    }
    let wide = |text: &str| -> Vec<u8> {
        "\u{feff}".encode_utf16().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect()
    };
    let found = run(&wide("a 张伟\r\n"), TextKind::Plain).unwrap();
    assert_eq!(found.bytes, wide("a ██\r\n"));
    let utf32: Vec<u8> = "\u{feff}张伟".chars().flat_map(|it| (it as u32).to_le_bytes()).collect();
    let error = run(&utf32, TextKind::Plain).unwrap_err();
    assert!(matches!(&error, Error::Unsupported(text) if text.contains("UTF-32")), "{error}");
    let found = run(b"secret \xff and more text", TextKind::Plain).unwrap();
    assert!(found.bytes.starts_with("██████ ".as_bytes()) || found.bytes.starts_with(b"****** "));
}

fn encode(encoding: &'static Encoding, text: &str) -> Vec<u8> {
    let (bytes, _, has_errors) = encoding.encode(text);
    assert!(!has_errors);
    bytes.into_owned()
}

#[test]
fn tables_stay_tables() {
    let table = "name,note\r\n\"Li Wei\",\"a, \"\"secret\"\"\nLi\nWei; x\"\r\nLi,Wei\r\n";
    assert_eq!(
        clean(table, TextKind::Values),
        "name,note\r\n\"██████\",\"a, \"\"██████\"\"\n██\n███; x\"\r\nLi,Wei\r\n"
    );
    // A phrase over two fields of a table with tabs loses its words, not the tab.
    assert_eq!(clean("1\tLi\tWei\t2\n", TextKind::Values), "1\t██\t███\t2\n");
    let found = redact_text(
        b"a,\"Li \"\"Jack\"\" Wei\",b\n",
        TextKind::Values,
        &["Li \"Jack\" Wei".to_owned()],
        &[],
    );
    assert_eq!(found.unwrap().bytes, "a,\"███\"\"████\"\"████\",b\n".as_bytes());
    // What is only part of the format cannot be taken out.
    let error = redact_text(b"a,b\n", TextKind::Values, &[], &[",b".to_owned(), ",".to_owned()]);
    let error = error.unwrap_err();
    assert!(
        matches!(&error, Error::Unsupported(text) if text.contains("a hit is left")),
        "{error}"
    );
}

#[test]
fn markdown_is_searched_as_it_is_shown() {
    assert_eq!(clean("Li **Wei** x", TextKind::Markdown), "███**███** x");
    assert_eq!(clean("se*cr*et and [Li\nWei](u)", TextKind::Markdown), "██*██*██ and [██\n███](u)");
    assert_eq!(clean("s&#101;cret", TextKind::Markdown), "███████████");
    assert_eq!(
        clean("[x](https://a.test/Li%20Wei)<!-- secret -->", TextKind::Markdown),
        "[x](https://a.test/████████)<!-- ██████ -->"
    );
    assert_eq!(
        clean("| Li Wei | b |\n|---|---|\n| `secret` | c |\n", TextKind::Markdown),
        "| ██████ | b |\n|---|---|\n| `██████` | c |\n"
    );
}

#[test]
fn nothing_found_is_an_error() {
    for kind in [TextKind::Plain, TextKind::Markdown, TextKind::Values] {
        let error = run(b"a,b\n", kind).unwrap_err();
        assert!(
            matches!(&error, Error::NotFound(text) if text.starts_with("nothing to remove")),
            "{error}"
        );
    }
    let gb = encode(GB18030, "客户姓名与联系方式：本年度公司完成了会员体系升级");
    let error = run(&gb, TextKind::Plain).unwrap_err();
    assert!(error.to_string().contains("was read as gb18030"), "{error}");
}

#[test]
fn places_are_bounded() {
    let found = run("secret\n".repeat(600).as_bytes(), TextKind::Plain).unwrap();
    assert_eq!((found.total, found.places.len()), (600, 500));
    assert_eq!(found.warnings, ["100 hits are in more places than are listed"]);
}

#[test]
fn a_short_text_keeps_its_encoding() {
    let old = encode(GB18030, "张伟 13812345678\n李四 13912345678\n王五 13712345678\n");
    let words: Vec<String> =
        ["13812345678", "13912345678", "13712345678"].map(str::to_owned).into();
    let new = redact_text(&old, TextKind::Plain, &words, &[]).unwrap();
    assert!(new.warnings.is_empty(), "{:?}", new.warnings);
    // The texts of the new file are listed for a second search, which needs its encoding.
    let texts = searched_texts(&new.bytes, Searched::Text(TextKind::Plain)).unwrap().join("\n");
    assert!(texts.contains("张伟 ***********\n"), "{texts}");
}
