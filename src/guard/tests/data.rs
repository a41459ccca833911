//! Personal data.

use super::guard;

const ALL: &str =
    "personal-data: {phone: redact, id-card: redact, bank-card: redact, email: redact}";

/// Which rules find what in a text.
fn found(text: &str) -> Vec<(String, &str)> {
    let hits = guard(ALL).check(text);
    hits.iter()
        .map(|hit| (hit.rule.trim_start_matches("t/").to_owned(), &text[hit.range.clone()]))
        .collect()
}

#[test]
fn personal_data_is_found_by_its_form() {
    for (text, rule, covered) in [
        ("电话13812345678。", "phone", "13812345678"),
        ("tel: +86 138 1234 5678", "phone", "86 138 1234 5678"),
        ("+86-19912345678,", "phone", "86-19912345678"),
        ("008613812345678", "phone", "008613812345678"),
        ("138-1234-5678", "phone", "138-1234-5678"),
        ("１３８１２３４５６７８", "phone", "１３８１２３４５６７８"),
        ("138\u{200b}12345678", "phone", "138\u{200b}12345678"),
        ("身份证11010519491231002X号", "id-card", "11010519491231002X"),
        ("440308199901010012", "id-card", "440308199901010012"),
        ("110105 19491231 002x", "id-card", "110105 19491231 002x"),
        ("卡号 6222 0212 3456 7890 128", "bank-card", "6222 0212 3456 7890 128"),
        ("4111111111111111", "bank-card", "4111111111111111"),
        ("3782-822463-10005", "bank-card", "3782-822463-10005"),
        // A five that is doubled.
        ("5500 0000 0000 0004", "bank-card", "5500 0000 0000 0004"),
        ("5105105105105100", "bank-card", "5105105105105100"),
        ("62258801370612343", "bank-card", "62258801370612343"),
        ("622588013706123456", "bank-card", "622588013706123456"),
        ("9558802100012345670", "bank-card", "9558802100012345670"),
        ("4000007600000002341", "bank-card", "4000007600000002341"),
        ("5 138-0013-8000", "phone", "138-0013-8000"),
        ("2024-05-06 138-0013-8000", "phone", "138-0013-8000"),
        ("4111 1111 1111 1111 12/27", "bank-card", "4111 1111 1111 1111"),
        ("86138-0013-8000", "phone", "86138-0013-8000"),
        ("(138) 0013-8000", "phone", "138) 0013-8000"),
        ("١٣٨٠٠١٣٨٠٠٠", "phone", "١٣٨٠٠١٣٨٠٠٠"),
        ("138·0013·8000", "phone", "138·0013·8000"),
        ("138/0013/8000", "phone", "138/0013/8000"),
        ("138_0013_8000", "phone", "138_0013_8000"),
        ("7 11010519491231002X 9", "id-card", "11010519491231002X"),
        // An `x` behind a space begins a word, also where it would be the eighteenth.
        ("13812345678 xu", "phone", "13812345678"),
        ("110105 13812345678 xu", "phone", "13812345678"),
        // As many separators and groups as a number may have.
        ("138 - 0013 - 8000", "phone", "138 - 0013 - 8000"),
        ("11 01 05 19 49 12 31 002X", "id-card", "11 01 05 19 49 12 31 002X"),
        ("写信到zhang.san+x@mail.example.com。", "email", "zhang.san+x@mail.example.com"),
        ("a@b.co.", "email", "a@b.co"),
        ("ａ＠ｂ．ｃｏｍ", "email", "ａ＠ｂ．ｃｏｍ"),
        ("x@y@example.org", "email", "y@example.org"),
    ] {
        assert_eq!(found(text), [(rule.to_owned(), covered)], "{text}");
    }
    let two = "张三 13812345678 6222021234567890128 a@b.cn";
    assert_eq!(found(two).len(), 3, "{:?}", found(two));
}

#[test]
fn numbers_that_are_none_are_left_alone() {
    for text in [
        "12812345678",
        "138123456789",
        "a13812345678",
        "13812345678kg",
        "13812345678.50",
        "3.13812345678",
        "1732377600000",
        "2019 2020 2021 2022 2023",
        "110105194912310021",
        "119905194912310027",
        "990105194912310025",
        "4111111111111112",
        "9111111111111111",
        "1 3 8 1 2 3 4 5 6 7 8",
        "a@b",
        "@example.com",
        "a@.com",
        "a@b.1",
        "a @b.com",
        "0.1, 0.25; 1,234,567.89",
        "2024/05/06/2024/05/07",
        "138 20240506",
        "13 800 138 000",
        "138,0013,8000",
        "138\n0013\n8000",
        "138 -  - 0013 8000",
        "138 -- 0013 -- 8000",
        "1 1 01 05 19 49 12 31 002X",
        "440308 19990101001X 2",
        "13800138000138001380",
        "5500 0000 0000 0005",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    // Longer than RFC 5321 lets it be.
    assert_eq!(found(&format!("{}@b.com", "a".repeat(65))), []);
    assert_eq!(found(&format!("{}@b.com", "a".repeat(64))).len(), 1);
    let row = "13812345678 ".repeat(9);
    assert_eq!(found(&row).len(), 9);
    let row = "138-1234-5678 ".repeat(9);
    assert_eq!(found(&row).len(), 9);
}

#[test]
fn each_kind_is_looked_for_only_where_it_is_wanted() {
    let text = "13812345678 11010519491231002X 4111111111111111 a@b.com";
    for (kind, left) in [
        ("phone", "[███] 11010519491231002X 4111111111111111 a@b.com"),
        ("id-card", "13812345678 [███] 4111111111111111 a@b.com"),
        ("bank-card", "13812345678 11010519491231002X [███] a@b.com"),
        ("email", "13812345678 11010519491231002X 4111111111111111 [███]"),
    ] {
        let guard = guard(&format!("personal-data: {{{kind}: redact}}"));
        assert_eq!(guard.apply(text).unwrap().text, left);
    }
    let allowed = guard("personal-data: {phone: block}\nallow: ['13800138000']");
    assert!(allowed.apply("13800138000").is_ok() && allowed.apply("13800138001").is_err());
}
