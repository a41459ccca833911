//! `parse-numbers`.

use super::{check_texts, fails, show, strings, table};
use crate::ops::parse_numbers;
use crate::parse::{Reading, read};
use crate::problem::Kind;
use mitt_guest::tables::{Cell as HostCell, Memory};
use proptest::prelude::*;

/// Returns the number, with its unit and base if it has one.
fn reading(text: &str) -> String {
    match read(text) {
        Ok(Reading::Null) => "null".to_owned(),
        Ok(Reading::Number { number, unit: None, .. }) => number.lexeme(),
        Ok(Reading::Number { number, unit: Some(unit), .. }) => {
            format!("{} {} {}", number.lexeme(), unit.text, unit.base).trim_end().to_owned()
        }
        Err(reason) => format!("! {reason}"),
    }
}

/// A text; the number, its unit as written, and the base.
const NUMBERS: [(&str, &str); 88] = [
    ("1234", "1234"),
    ("1,234", "1234"),
    ("1,234,567.80", "1234567.8"),
    ("-5", "-5"),
    ("+5", "5"),
    ("−5", "-5"),
    ("－５", "-5"),
    (" 12 ", "12"),
    ("１２３", "123"),
    ("１，２３４．５", "1234.5"),
    ("　７　", "7"),
    (".5", "0.5"),
    ("5.", "5"),
    ("0.10", "0.1"),
    ("1.2e3", "1200"),
    ("1.5E+06", "1500000"),
    ("1E-3", "0.001"),
    (
        "1\u{202f}234\u{a0}567",
        "! ambiguous separators in `1\u{202f}234\u{a0}567`: expected digits in groups of three and a decimal point, such as `1,234.5`",
    ),
    ("1\u{a0}234\u{a0}567", "1234567"),
    ("1'234'567", "1234567"),
    ("12\u{a0}%", "0.12 %"),
    ("0", "0"),
    ("-0", "0"),
    ("007", "7"),
    ("500万", "5000000 万"),
    ("1.2亿", "120000000 亿"),
    ("3万亿", "3000000000000 万亿"),
    ("5千", "5000 千"),
    ("2百万", "2000000 百万"),
    ("８．５億", "850000000 亿"),
    ("500 万元", "5000000 万元 CNY"),
    ("3万元", "30000 万元 CNY"),
    ("2.5亿元", "250000000 亿元 CNY"),
    ("100元", "100 元 CNY"),
    ("30人", "30 人 人"),
    ("12台", "12 台 台"),
    ("3.5万人", "35000 万人 人"),
    ("20万人次", "200000 万人次 人次"),
    ("15 kg", "15 kg kg"),
    ("3千克", "3 千克 千克"),
    ("4千瓦时", "4 千瓦时 千瓦时"),
    ("1亿2000万", "120000000"),
    ("1亿2000万元", "120000000 元 CNY"),
    ("1万2345元", "12345 元 CNY"),
    ("3亿5万", "300050000"),
    ("1亿0200万", "102000000"),
    ("12.5%", "0.125 %"),
    ("-3%", "-0.03 %"),
    ("１２．５％", "0.125 %"),
    ("5‰", "0.005 ‰"),
    ("(12.5%)", "-0.125 %"),
    ("100%", "1 %"),
    ("0%", "0 %"),
    ("¥1,234.50", "1234.5 ¥ ¥"),
    ("￥1234", "1234 ¥ ¥"),
    ("¥500万", "5000000 ¥万 ¥"),
    ("¥5元", "5 ¥元 CNY"),
    ("RMB 1,000", "1000 RMB CNY"),
    ("人民币5万元", "50000 人民币万元 CNY"),
    ("$5", "5 $ $"),
    ("-$5", "-5 $ $"),
    ("$-5", "-5 $ $"),
    ("US$1.5M", "1500000 US$M USD"),
    ("$2.5 billion", "2500000000 $billion $"),
    ("€1,000", "1000 € EUR"),
    ("100 EUR", "100 EUR EUR"),
    ("£3k", "3000 £k GBP"),
    ("HK$10", "10 HK$ HKD"),
    ("5 Million", "5000000 Million"),
    ("3mn", "3000000 mn"),
    ("7bn", "7000000000 bn"),
    ("10k", "10000 k"),
    ("10K", "10000 K"),
    ("2M", "2000000 M"),
    ("1B", "1000000000 B"),
    ("3 million USD", "3000000 million USD USD"),
    ("5 百万美元", "5000000 百万美元 USD"),
    ("(1,234)", "-1234"),
    ("（1,234）", "-1234"),
    ("¥(1,234)", "-1234 ¥ ¥"),
    ("(¥1,234.5)", "-1234.5 ¥ ¥"),
    ("(500)万元", "-5000000 万元 CNY"),
    ("(0)", "0"),
    ("1.2万元/人", "12000 万元/人 CNY/人"),
    ("85元/吨", "85 元/吨 CNY/吨"),
    ("3元/月", "3 元/月 CNY/月"),
    ("123456789012345678901234567890", "123456789012345678901234567890"),
    ("0.000000000000000000000000000001%", "0.00000000000000000000000000000001 %"),
];

#[test]
fn numbers_as_people_write_them() {
    for (text, wanted) in NUMBERS {
        assert_eq!(reading(text), wanted, "{text}");
    }
}

#[test]
fn missing_values_are_null() {
    for text in [
        "",
        " ",
        "\u{3000}",
        "-",
        "－",
        "—",
        "——",
        "–",
        "--",
        "/",
        "N/A",
        "n/a",
        "Ｎ／Ａ",
        "#N/A",
        "NA",
        "NaN",
        "null",
        "None",
        "无",
        "暂无",
        "不适用",
        "…",
        "...",
    ] {
        assert_eq!(reading(text), "null", "{text:?}");
    }
}

/// A text, and a part of the reason.
const REFUSED: [(&str, &str); 58] = [
    ("1.234,5", "ambiguous separators"),
    ("1,23", "ambiguous separators"),
    ("12,3456", "ambiguous separators"),
    ("1.234.567", "ambiguous separators"),
    ("1,234'567", "ambiguous separators"),
    ("1,2345", "ambiguous separators"),
    ("1,23,456", "ambiguous separators"),
    ("1,234,", "ambiguous separators"),
    ("1234,567", "ambiguous separators"),
    ("0,123", "ambiguous separators"),
    ("1,,234", "ambiguous separators"),
    ("1..5", "ambiguous separators"),
    (".", "ambiguous separators"),
    ("1,234.567,8", "ambiguous separators"),
    ("约500万", "not an exact number"),
    ("~500", "not an exact number"),
    (">100", "not an exact number"),
    ("500+", "not an exact number"),
    ("500余家", "not an exact number"),
    ("100万以上", "unknown unit"),
    ("100-200", "several numbers: a range"),
    ("100~200", "several numbers: a range"),
    ("10至20", "several numbers: a range"),
    ("2024-12-31", "several numbers"),
    ("12:30", "several numbers"),
    ("2024年12月", "several numbers"),
    ("1/2", "several numbers"),
    ("2024年", "a date"),
    ("3月", "a date"),
    ("1 234", "several numbers"),
    ("3万5", "several numbers"),
    ("1万20000", "several numbers"),
    ("1.5亿3000万", "several numbers"),
    ("5m", "million, metre or minute"),
    ("5t", "ton or trillion"),
    ("3兆", "ambiguous"),
    ("2个百分点", "difference of percentages"),
    ("5xyz", "unknown unit `xyz`"),
    ("3kx", "unknown unit"),
    ("$5€", "two units"),
    ("$5%", "both a currency and a percent sign"),
    ("$5元", "two units"),
    ("(-5)", "both parentheses and a sign"),
    ("-(5)", "both parentheses and a sign"),
    ("(5", "without its partner"),
    ("5)", "without its partner"),
    ("1(2)", "not a number"),
    ("(1)(2)", "not a number"),
    ("abc", "not a number"),
    ("华东", "not a number"),
    ("--5", "not a number"),
    ("+-5", "not a number"),
    ("%", "not a number"),
    ("五百", "not a number"),
    ("Q1", "not a number"),
    ("a1", "not a number"),
    ("1e999999999", "too long"),
    ("1e99999999999", "exponent is too large"),
];

#[test]
fn what_can_be_read_in_two_ways_is_refused() {
    for (text, wanted) in REFUSED {
        let found = reading(text);
        assert!(found.starts_with("! ") && found.contains(wanted), "{text}: {found}");
    }
    assert!(reading(&"1".repeat(65)).contains("at most 64 characters"));
    assert!(reading(&"1".repeat(300)).contains("longer than 200"));
}

#[test]
fn columns_of_numbers_are_found() {
    let data = table(
        "地区 | 收入    | 增长   | 编号  | 备注 | 年份 | 空
         华东 | 500万元 | 12.5% | 007  | 好   | 2023 | -
         华南 | 1.2亿元 | -3%   | 008  | -    | 2024 | N/A
         华北 | —      | null  | 009  | 12   | 2025 | null",
    );
    let parsed = parse_numbers(&data, None).unwrap();
    assert_eq!(
        show(&parsed.table),
        "地区 | 收入 | 增长 | 编号 | 备注 | 年份 | 空\n\
         华东 | 5000000 | 0.125 | 007 | 好 | 2023 | -\n\
         华南 | 120000000 | -0.03 | 008 | - | 2024 | N/A\n\
         华北 | null | null | 009 | 12 | 2025 | null"
    );
    assert!(parsed.failures.is_empty());
    let units: Vec<String> = parsed
        .units
        .iter()
        .map(|unit| {
            format!(
                "{} {} {} {} {}",
                unit.column,
                unit.unit.text,
                unit.unit.base,
                unit.factor().lexeme(),
                unit.n_cells
            )
        })
        .collect();
    assert_eq!(units, ["收入 万元 CNY 10000 1", "收入 亿元 CNY 100000000 1", "增长 %  0.01 2"]);
    check_texts(
        &parsed.warnings,
        &[
            "column `编号` was left as it is: its cells look like identifiers, first in row 0: `007`",
        ],
    );
}

#[test]
fn named_columns_are_parsed_as_far_as_possible() {
    let data = table(
        "收入 | 量
         500万 | 1,23
         约3万 | true
         12 | 5",
    );
    let parsed = parse_numbers(&data, Some(&strings("收入 量"))).unwrap();
    assert_eq!(show(&parsed.table), "收入 | 量\n5000000 | 1,23\n约3万 | true\n12 | 5");
    let failures: Vec<String> = parsed
        .failures
        .iter()
        .map(|failure| {
            format!("{} {} {} {}", failure.row_idx, failure.column, failure.text, failure.reason)
        })
        .collect();
    assert_eq!(failures[0], "1 收入 约3万 not an exact number");
    assert!(failures[1].starts_with("0 量 1,23 ambiguous separators in `1,23`"), "{}", failures[1]);
    assert_eq!(failures[2], "1 量 true a boolean");
    check_texts(
        &parsed.warnings,
        &["mixes numbers with and without a multiplier: 1 were multiplied, 1 were not"],
    );
    fails(
        parse_numbers(&table("收入\n1"), Some(&strings("收人 收入 收入"))),
        Kind::Argument,
        "columns[0]: expected a column of `data`, got `收人`; did you mean `收入`?\n\
         columns[2]: expected each column once, got `收入` again\n\
         columns of `data`: `收入`",
    );
}

#[test]
fn what_looks_wrong_is_warned_of() {
    for (data, columns, warnings) in [
        ("a\n$5\n5元", None, &["mixes units: `$`, `CNY`"][..]),
        ("a\n¥5\n5元\n￥3", None, &[]),
        ("a\n5元\n¥5\n3日元", None, &["mixes units: `CNY`, `JPY`"]),
        ("a\n5%\n7", None, &["mixes percentages and plain numbers: 1 became fractions, 1 stayed"]),
        (
            "收入(万元)\n\"1,000\"\n\"1,234\"",
            None,
            &["names the unit `万元`, which was not applied"],
        ),
        ("增长（%）\n5.0", None, &["names the unit `%`, which was not applied"]),
        ("增长（%）\n5.0%", None, &[]),
        (
            "a\n\"1,000\"\n\"1,200\"\n合计",
            None,
            &[
                "left as it is: 1 of its cells cannot be parsed (not a number), first in row 2: `合计`",
            ],
        ),
        ("a\nx\ny\n5元", None, &[]),
        ("a\n007", Some("a"), &["may hold identifiers"]),
        ("a\n110101199003074512x\n5元", None, &[]),
        ("a\n\"1101011990030745\"", Some("a"), &["may hold identifiers"]),
    ] {
        // Every cell is a text here; the helper would parse a bare number as a number.
        let texts = data.lines().skip(1).map(|text| {
            let text =
                text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text);
            vec![HostCell::Text(text.to_owned())]
        });
        let name = data.lines().next().unwrap().to_owned();
        let data = Memory::from_rows(&[name], &texts.collect::<Vec<_>>()).unwrap();
        let parsed = parse_numbers(&data, columns.map(strings).as_deref()).unwrap();
        assert_eq!(parsed.warnings.len(), warnings.len(), "{}: {:?}", show(&data), parsed.warnings);
        check_texts(&parsed.warnings, warnings);
    }
}

#[test]
fn an_empty_table_stays_empty() {
    for data in [Memory::from_rows(&[], &[]).unwrap(), table("a")] {
        let parsed = parse_numbers(&data, None).unwrap();
        assert_eq!((show(&parsed.table), parsed.warnings.len()), (show(&data), 0));
    }
}

proptest! {
    #[test]
    fn any_text_is_read_without_panic(text in "\\PC{0,40}") {
        let _ = read(&text);
    }

    #[test]
    fn any_text_of_parts_is_read_without_panic(parts in prop::collection::vec(prop::sample::select(vec!["1", "23", "456", ",", ".", "万", "亿", "元", "(", ")", "%", "-", " ", "e", "¥", "$", "k", "M", "'", "０", "/", "\u{a0}", "千"]), 0..12)) {
        let _ = read(&parts.concat());
    }

    #[test]
    fn a_number_survives_its_formatting(value in -10_000_000_000i64..10_000_000_000, scale in 0u32..6) {
        let plain = rust_decimal::Decimal::new(value, scale);
        let text = plain.abs().to_string();
        let (whole, fraction) = text.split_once('.').map_or((text.as_str(), String::new()), |(whole, fraction)| (whole, format!(".{fraction}")));
        let groups: Vec<&str> = whole.as_bytes().rchunks(3).rev().map(|group| std::str::from_utf8(group).unwrap()).collect();
        let grouped = format!("{}{fraction}", groups.join(","));
        let wanted = crate::number::Number::from(plain).lexeme();
        let sign = if value < 0 { "-" } else { "" };
        prop_assert_eq!(reading(&format!("{sign}{grouped}")), wanted.clone());
        let wide: String = grouped.chars().map(|char| char::from_u32(char as u32 + 0xfee0).unwrap()).collect();
        prop_assert_eq!(reading(&format!("{sign}{wide}")), wanted.clone());
        if value < 0 {
            prop_assert_eq!(reading(&format!("({grouped})")), wanted);
        }
    }
}
