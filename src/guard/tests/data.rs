//! Personal data.

use super::guard;

const ALL: &str = "personal-data: {phone: redact, id-card: redact, bank-card: redact, email: redact, iban: redact, us-ssn: redact}";

/// Returns the rule and the text of each hit.
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
        ("tel: +86 138 1234 5678", "phone", "+86 138 1234 5678"),
        ("+86-19912345678,", "phone", "+86-19912345678"),
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
        // The digit five is doubled.
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
        // An `x` behind a space begins a word, even as the eighteenth character.
        ("13812345678 xu", "phone", "13812345678"),
        ("110105 13812345678 xu", "phone", "13812345678"),
        // The most separators and groups that a number may have.
        ("138 - 0013 - 8000", "phone", "138 - 0013 - 8000"),
        ("11 01 05 19 49 12 31 002X", "id-card", "11 01 05 19 49 12 31 002X"),
        ("写信到zhang.san+x@mail.example.com。", "email", "zhang.san+x@mail.example.com"),
        ("a@b.co.", "email", "a@b.co"),
        ("ａ＠ｂ．ｃｏｍ", "email", "ａ＠ｂ．ｃｏｍ"),
        ("x@y@example.org", "email", "y@example.org"),
        ("call +44 (0)20 7946 0958 now", "phone", "+44 (0)20 7946 0958"),
        ("＋４９１７１２３４５６７８", "phone", "＋４９１７１２３４５６７８"),
        ("+(1) 415-555-2671", "phone", "+(1) 415-555-2671"),
        ("+39 06 6982 0000", "phone", "+39 06 6982 0000"),
        ("5 +33 6 12 34 56 78 9", "phone", "+33 6 12 34 56 78"),
        ("IBAN DE89 3704 0044 0532 0130 00.", "iban", "DE89 3704 0044 0532 0130 00"),
        ("gb82west12345698765432", "iban", "gb82west12345698765432"),
        ("账号NO9386011117947号", "iban", "NO9386011117947"),
        ("de no GB82-WEST-1234-5698-7654-32 is", "iban", "GB82-WEST-1234-5698-7654-32"),
        (
            "MT84 MALT 0110 0001 2345 MTLC AST0 01S 12",
            "iban",
            "MT84 MALT 0110 0001 2345 MTLC AST0 01S",
        ),
        ("DE89\u{200b}370400440532013000", "iban", "DE89\u{200b}370400440532013000"),
        ("SSN 123-45-6789", "us-ssn", "123-45-6789"),
        ("5 899–99–9999 5", "us-ssn", "899–99–9999"),
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
        "+1 234 567 890",
        "+1 115 555 2671",
        "+1 415 911 2671",
        "+999 12345678",
        "+12 345 678",
        "+49,171 2345678",
        "+((49 171 2345678",
        "+49123456",
        "+956681.54 19587 4544",
        "+441712 345678",
        "+\n49 171 2345678",
        "+49 171 2345678kg",
        "x = a + 4917123456",
        "DE88 3704 0044 0532 0130 00",
        "XDE89370400440532013000",
        "DE893704004405320130001",
        "DE89370400440532013000X",
        "DE89, 3704 0044 0532 0130 00",
        "DE89    3704 0044 0532 0130 00",
        "US89 3704 0044 0532 0130 00",
        "000-45-6789",
        "666-45-6789",
        "900-45-6789",
        "123-00-6789",
        "123-45-0000",
        "123 45 6789",
        "123-45 6789",
        "123456789",
    ] {
        assert_eq!(found(text), [], "{text}");
    }
    // Longer than RFC 5321 allows.
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
    for (kind, text) in [
        ("iban", "GB82 WEST 1234 5698 7654 32"),
        ("us-ssn", "123-45-6789"),
        ("phone", "+44 20 7946 0958"),
    ] {
        assert_eq!(
            guard(&format!("personal-data: {{{kind}: redact}}")).apply(text).unwrap().text,
            "[███]"
        );
        assert!(guard("personal-data: {email: redact}").check(text).is_empty());
    }
    let allowed = guard("personal-data: {phone: block}\nallow: ['13800138000']");
    assert!(allowed.apply("13800138000").is_ok() && allowed.apply("13800138001").is_err());
}

/// National notation of phone numbers is recognised only for named countries.
#[test]
fn phones_of_a_country_are_found_as_it_writes_them() {
    let (none, some) = (
        guard("personal-data: {phone: redact}"),
        guard("personal-data: {phone: redact, phone-countries: [US, gb, de, fr, au]}"),
    );
    for (text, covered) in [
        ("(415) 555-2671", "415) 555-2671"),
        ("415.555.2671", "415.555.2671"),
        ("call 5 415-555-2671", "415-555-2671"),
        ("020 7946 0958", "020 7946 0958"),
        ("Tel. 07700900123", "07700900123"),
        ("0161-496-0000 x", "0161-496-0000"),
        ("030/12345678", "030/12345678"),
        ("0171 2345678", "0171 2345678"),
        ("01 23 45 67 89", "01 23 45 67 89"),
        ("0612345678", "0612345678"),
        ("(02) 1234 5678", "02) 1234 5678"),
        ("0049 171 2345678", "0049 171 2345678"),
    ] {
        let hits = some.check(text);
        let found: Vec<&str> = hits.iter().map(|hit| &text[hit.range.clone()]).collect();
        assert_eq!(found, [covered], "{text}");
        assert!(none.check(text).is_empty(), "{text}");
    }
    for text in [
        "415 555 2671",
        "4155552671",
        "115-555-2671",
        "415-155-2671",
        "911-555-2671",
        "05.06.2024 12:30",
        "01.02.2024",
        "0123456789",
        "012 3456",
        "020 79",
        "00 7946 0958",
        "00331234",
        "0034 912 345 678",
        "01 23 45 67 8",
        "02 1234 5678",
        "INV-2019-072113 319524",
        "02509-2315",
        "05.2024 123",
        "015123456",
    ] {
        assert!(some.check(text).is_empty(), "{text}");
    }
}

#[test]
fn patterns_are_found_and_can_be_allowed() {
    let guard = guard(
        "rules:
  - {pattern: '\\bPRJ-\\d{4}\\b', action: redact, id: projects}
  - {pattern: 'zz\\d{1,3}', words: [heron], id: both}
allow: [prj-0000]",
    );
    let text = "PRJ-1234 prj-0000 ＰＲＪ-５６７８, PRJ-12345";
    assert_eq!(guard.apply(text).unwrap().text, "[███] prj-0000 [███], PRJ-12345");
    assert_eq!(guard.check(text)[0].rule.as_ref(), "projects");
    for text in ["a zz7", "the heron", "zz<b>1</b>2"] {
        assert_eq!(guard.apply_read(text).unwrap_err().hit.rule.as_ref(), "both", "{text}");
    }
    // In a stream, only text that may become a match is held back.
    let mut stream = guard.stream();
    assert_eq!(stream.push("see PR").unwrap().text, "see ");
    assert_eq!(stream.push("IMARY key ").unwrap().text, "PRIMARY key ");
    assert_eq!(stream.push("PRJ-1").unwrap().text, "");
    assert_eq!(stream.push("234").unwrap().text, "");
    assert_eq!(stream.push(" end").unwrap().text, "[███] end");
}
