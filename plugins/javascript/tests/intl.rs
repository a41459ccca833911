//! `Intl` for English and Chinese: what Node.js makes of the same expressions, and what is refused.

mod fake;

use fake::{error, value};

/// Expressions, and their values in Node.js as JSON or `! ` and the class of the error; `intl/fixture.mjs` writes them.
const CASES: &str = include_str!("intl.tsv");

/// Expressions of one script.
const BATCH: usize = 100;

#[test]
fn english_and_chinese_are_written_as_by_node() {
    let cases: Vec<(&str, &str)> =
        CASES.lines().map(|line| line.split_once('\t').expect("a tab")).collect();
    assert!(cases.len() > 2_000, "{}", cases.len());
    let mut problems = Vec::new();
    for batch in cases.chunks(BATCH) {
        let functions: Vec<_> = batch.iter().map(|(code, _)| format!("() => ({code})")).collect();
        let script = format!(
            "const run = (f) => {{ try {{ return JSON.stringify(f()) ?? \"undefined\"; }} \
             catch (error) {{ return `! ${{error.name}}`; }} }};\n[{}].map(run);",
            functions.join(",\n")
        );
        let got: Vec<String> = serde_json::from_str(&value(&script)).expect("a list of texts");
        for ((code, expected), got) in batch.iter().zip(got) {
            if got != *expected {
                problems.push(format!("{code}\n  expected {expected}\n  got      {got}"));
            }
        }
    }
    assert!(problems.is_empty(), "{} of {}:\n{}", problems.len(), cases.len(), problems.join("\n"));
}

/// Checks that a script fails, and that the message has all words.
fn refused(code: &str, words: &[&str]) {
    let error = error(code);
    let shown = format!("{}: {}", error.class, error.message);
    for word in words {
        assert!(shown.contains(word), "{code}: {shown}");
    }
    // Only lines of the script.
    let files = error.traceback.lines().filter(|line| line.trim_start().starts_with("File "));
    for file in files {
        assert!(file.contains("\"script.js\""), "{code}: {}", error.traceback);
    }
}

#[test]
fn other_languages_are_errors_that_name_those_there_are() {
    for code in [
        "(1.5).toLocaleString('de-DE')",
        "new Intl.NumberFormat('de-DE', { style: 'currency', currency: 'EUR' })",
        "new Date(0).toLocaleDateString('ja-JP')",
        "new Intl.DateTimeFormat('fr')",
        "'a'.localeCompare('b', 'sv')",
        "new Intl.Collator('es')",
        "new Intl.PluralRules('ru')",
        "new Intl.ListFormat('pt-BR')",
        "'i'.toLocaleUpperCase('tr')",
        "[1].toLocaleString('ko')",
        "new Intl.NumberFormat(['de', 'fr'])",
    ] {
        refused(code, &["RangeError", "Intl has English and Chinese", "`zh-CN`"]);
    }
    refused("(1).toLocaleString('en_US')", &["got `en_US`; did you mean `en-US`?"]);
    assert_eq!(value("(1.5).toLocaleString(['de', 'zh-CN', 'en'])"), "\"1.5\"");
    assert_eq!(
        value("new Intl.NumberFormat(['de', 'zh-CN']).resolvedOptions().locale"),
        "\"zh-CN\""
    );
    assert_eq!(
        value("Intl.NumberFormat.supportedLocalesOf(['de', 'zh', 'en-GB'])"),
        r#"["zh","en-GB"]"#
    );
    assert_eq!(
        value("[undefined, [], 'default'].map((l) => (1234.5).toLocaleString(l))"),
        r#"["1,234.5","1,234.5","1,234.5"]"#
    );
}

#[test]
fn options_without_effect_are_errors() {
    for (code, words) in [
        ("(1).toLocaleString('zh-u-nu-hanidec')", &["numberingSystem", "`latn`", "`hanidec`"][..]),
        (
            "new Intl.NumberFormat('en', { numberingSystem: 'arab' })",
            &["numberingSystem", "`arab`"],
        ),
        ("new Date(0).toLocaleDateString('zh-u-ca-chinese')", &["calendar `gregory`", "`chinese`"]),
        ("new Intl.DateTimeFormat('en', { calendar: 'buddhist' })", &["calendar", "`buddhist`"]),
        (
            "new Intl.DateTimeFormat('en', { timeZoneName: 'longGeneric' })",
            &["timeZoneName", "longOffset"],
        ),
        (
            "new Intl.Collator('zh', { collation: 'zhuyin' })",
            &["collation", "`pinyin` or `stroke`", "`zhuyin`"],
        ),
        ("new Intl.Collator('en-u-co-emoji')", &["no collation", "`emoji`"]),
        ("new Intl.NumberFormat('en').formatRange(1, 2)", &["formatRange", "format both ends"]),
        ("new Intl.NumberFormat('en').formatRangeToParts(1, 2)", &["formatRange"]),
        ("new Intl.DateTimeFormat('en').formatRange(0, 1)", &["formatRange", "format both ends"]),
        ("new Intl.DateTimeFormat('en').formatRangeToParts(0, 1)", &["formatRange"]),
        (
            "new Intl.Segmenter('zh', { granularity: 'word' })",
            &["granularity `grapheme`", "no dictionary"],
        ),
        ("new Intl.DisplayNames('en', { type: 'region' })", &["type `currency`", "`region`"]),
        ("new Intl.Locale('zh').maximize()", &["maximize", "zh-Hans-CN"]),
        ("new Intl.Locale('zh').minimize()", &["minimize"]),
        (
            "new Date(0).toLocaleString('en', { timeZone: 'Peking' })",
            &["time zone", "Peking", "`Asia/Shanghai`"],
        ),
        ("(1).toLocaleString('en', { style: 'money' })", &["style", "`currency`"]),
        ("(1).toLocaleString('en', { style: 'currency' })", &["TypeError", "`currency`"]),
        ("(1).toLocaleString('en', { style: 'unit', unit: 'furlong' })", &["furlong", "kilometer"]),
        ("(1).toLocaleString('en', { roundingIncrement: 3 })", &["roundingIncrement", "5000"]),
        (
            "new Date(0).toLocaleDateString('en', { timeStyle: 'short' })",
            &["timeStyle", "toLocaleString"],
        ),
        (
            "new Date(0).toLocaleTimeString('en', { dateStyle: 'short' })",
            &["dateStyle", "toLocaleString"],
        ),
        ("new Intl.PluralRules('en', { notation: 'compact' })", &["option `notation`"]),
        ("new Intl.DurationFormat('en')", &["TypeError"]),
        ("Intl.supportedValuesOf('planet')", &["Invalid key", "planet"]),
    ] {
        refused(code, words);
    }
}

#[test]
fn offsets_are_time_zones() {
    let code = "['+08:00', '-03:30', '+0530', '-00:00', '+09'].map((timeZone) => new Date(0).toLocaleString('en-GB', { timeZone, timeStyle: 'short' }))";
    assert_eq!(value(code), r#"["08:00","20:30","05:30","00:00","09:00"]"#);
    let code =
        "new Intl.DateTimeFormat('en', { timeZone: 'asia/shanghai' }).resolvedOptions().timeZone";
    assert_eq!(value(code), "\"Asia/Shanghai\"");
    // The rules go on behind the years that the database of zones knows.
    let code = "[8.64e15, -8.64e15].map((t) => new Date(t).toLocaleString('en-GB', { timeZone: 'Asia/Shanghai' }))";
    assert_eq!(value(code), r#"["13/09/275760, 08:00:00","20/04/271822, 08:05:43"]"#);
}

#[test]
fn frozen_options_are_options() {
    let code = "const o = Object.freeze({ timeZone: 'Asia/Shanghai', year: undefined }); new Date(0).toLocaleString('zh-CN', o)";
    assert_eq!(value(code), "\"1970/1/1 08:00:00\"");
    let code = "const o = Object.freeze({ style: 'percent' }); (0.25).toLocaleString('en', o)";
    assert_eq!(value(code), "\"25%\"");
}

#[test]
fn the_zone_of_scripts_is_utc() {
    assert_eq!(value("Intl.DateTimeFormat().resolvedOptions().timeZone"), "\"UTC\"");
    assert_eq!(value("new Date(0).toLocaleString()"), "\"1/1/1970, 12:00:00 AM\"");
}

#[test]
fn intl_can_be_replaced_and_has_its_usual_shape() {
    assert_eq!(value("globalThis.Intl = { a: 1 }; Intl.a"), "1");
    assert_eq!(value("Object.keys(globalThis).includes('Intl')"), "false");
    assert_eq!(
        value("[typeof Intl, typeof Intl.NumberFormat, Intl.Collator.length]"),
        r#"["object","function",0]"#
    );
    assert_eq!(
        value("class Euro extends Intl.NumberFormat {}\nnew Euro('en') instanceof Euro"),
        "true"
    );
    refused("Intl.NumberFormat.prototype.format", &["incompatible receiver"]);
    refused("Uint8Array.prototype.toLocaleString.call([1])", &["TypeError"]);
    refused("Date.prototype.toLocaleString.call(1)", &["TypeError"]);
}

#[test]
fn a_collator_in_a_loop_is_made_once() {
    let code = "let n = 0; for (let i = 0; i < 5000; i++) n += new Intl.Collator('zh', { numeric: i % 2 === 0 }).compare('a', 'b'); n";
    assert_eq!(value(code), "-5000");
    let code =
        "let n = 0; for (let i = 0; i < 500; i++) n += (1).toLocaleString(`en-x-a${i}`).length; n";
    assert_eq!(value(code), "500");
}

#[test]
fn numbers_beyond_doubles_keep_their_digits() {
    assert_eq!(
        value("12345678901234567890123n.toLocaleString()"),
        "\"12,345,678,901,234,567,890,123\""
    );
    assert_eq!(value("(10n ** 20000n).toLocaleString().length"), "26667");
    assert_eq!(value("new Intl.NumberFormat('zh').format('0.1234567890123456789')"), "\"0.123\"");
    let code = "new Intl.NumberFormat('en', { maximumFractionDigits: 20 }).format('12345678901234567890.123456789012345')";
    assert_eq!(value(code), "\"12,345,678,901,234,567,890.123456789012345\"");
}
