//! Marks of templates, and values for them, out of bytes.

use mitt::render::{FillTable, FillValue};

use super::shape::Shape;

/// What values are called, mostly.
pub(super) const NAMES: [&str; 16] = [
    "number",
    "name",
    "customer.name",
    "total",
    "day",
    "price",
    "items.name",
    "items.price",
    "items.lines.price",
    "months.*",
    "items.amounts.*",
    "items.2.name",
    "body",
    "sales",
    "logo",
    "客户.名称",
];

/// Names that have no value, or have one only within a part.
const ODD_NAMES: [&str; 10] = [
    "@number",
    "no.such",
    "items.4294967296.name",
    "lines.price",
    "months.*.name",
    "items",
    "items.lines",
    "annex",
    ".*",
    "content",
];

const EXPRESSIONS: [&str; 18] = [
    "price * quantity",
    "sum(items.price)",
    "sum(items.lines.price * items.price)",
    "total / 0",
    "total / 3",
    "-total",
    "round(total / 3, 400)",
    "coalesce(no, 0)",
    "count(items)",
    "average(items.amounts.*)",
    "max(items.price) - min(items.price)",
    "total > 1000 and not items or day <= \"2026-01-31\"",
    "((((((((((((((((total))))))))))))))))",
    "[items.name] + 1",
    "99999999999999999999999999999999 * 99999999999999999999999999999999",
    "total ^ 999999999",
    "1e999 + 1",
    "items = months",
];

const FORMATS: [&str; 24] = [
    "#,##0.00",
    "0.0%",
    "#,##0;(#,##0);\"-\"",
    "000-0000-0000",
    "0.00E+00",
    "# ??/??",
    "yyyy-mm-dd",
    "[DBNum1]yyyy年m月d日",
    "d mmmm yyyy hh:mm:ss AM/PM",
    "[h]:mm",
    "大写",
    "markdown",
    "table",
    "table:name, price, no",
    "chart:bar",
    "chart:pie stacked full",
    "picture",
    "picture:6cm x 99999999999cm",
    "document",
    "",
    "\"",
    "[$-F800]",
    "[>=1000]0;@",
    "0.000000000000000000000000000000000000000000000",
];

const SWITCHES: [&str; 6] = [
    " \\# \"#,##0.00\"",
    " \\@ \"d MMMM yyyy\"",
    " \\* Upper",
    " \\* CHINESENUM3",
    " \\b \"(\" \\f \")\"",
    " \\# \\@ \\*",
];

fn name(shape: &mut Shape<'_>) -> &'static str {
    match shape.below(64) {
        62.. => ODD_NAMES[shape.below(ODD_NAMES.len())],
        at => NAMES[at % NAMES.len()],
    }
}

/// A name, an expression, or either in a format.
pub(super) fn inner(shape: &mut Shape<'_>) -> String {
    let named = match shape.below(8) {
        7 => EXPRESSIONS[shape.below(EXPRESSIONS.len())],
        _ => name(shape),
    };
    match shape.below(8) {
        5 => format!("{named}{}", SWITCHES[shape.below(SWITCHES.len())]),
        6 | 7 => format!("{named}|{}", FORMATS[shape.below(FORMATS.len())]),
        _ => named.to_owned(),
    }
}

/// A mark, mostly of a value; a part with its end; now and then a mark that does not fit.
pub(super) fn mark(shape: &mut Shape<'_>) -> String {
    let list = name(shape);
    match shape.below(256) {
        200..230 => {
            let (begin, end) = around(shape);
            let other = ["", "{{#else}}", "{{#else if total}}"][shape.below(3)];
            format!("{begin}a {{{{{}}}}}{other}{end}", inner(shape))
        }
        246 => format!("{{{{#{list}}}}}"),
        247 => format!("{{{{/{list}}}}}"),
        248 => format!("{{{{^{list}}}}}"),
        249 => format!("{{{{#if {}}}}}", inner(shape)),
        250 => "{{#else}}".to_owned(),
        251 => format!("{{{{#else if {}}}}}", inner(shape)),
        252 => "{{/if}}".to_owned(),
        253 => format!("{{{{{}", inner(shape)),
        254 => FOREIGN[shape.below(FOREIGN.len())].to_owned(),
        255 => format!("{{{{{}}}}}", "a".repeat(1 << shape.below(10))),
        _ => format!("{{{{{}}}}}", inner(shape)),
    }
}

/// Marks of other programs.
const FOREIGN: [&str; 5] = ["{#items}", "${a.b}", "{% for a in b %}", "{{@logo}}", "｛｛a｝｝"];

/// The marks around a part.
pub(super) fn around(shape: &mut Shape<'_>) -> (String, String) {
    let list = ["items", "items", "items.lines", "lines", "months", "total"][shape.below(6)];
    match shape.below(4) {
        2 => (format!("{{{{^{list}}}}}"), format!("{{{{/{list}}}}}")),
        3 => (format!("{{{{#if {}}}}}", inner(shape)), "{{/if}}".to_owned()),
        _ => (format!("{{{{#{list}}}}}"), format!("{{{{/{list}}}}}")),
    }
}

/// Text with marks, as a part of XML.
pub(super) fn text(shape: &mut Shape<'_>) -> String {
    const PLAIN: [&str; 8] = ["", "a ", "合计：", "ACME", "{", "}}", "1.5", "\t"];
    let parts = 1 + shape.below(3);
    let text: String = (0..parts)
        .map(|_| match shape.below(3) {
            0 => PLAIN[shape.below(PLAIN.len())].to_owned(),
            _ => mark(shape),
        })
        .collect();
    escaped(&text)
}

pub(super) fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// The values of all names that are there, mostly of the kind that fits.
pub(super) fn values(shape: &mut Shape<'_>) -> Vec<(String, FillValue)> {
    let mut values: Vec<(String, FillValue)> = Vec::new();
    let text = |text: &str| FillValue::Text(text.to_owned());
    let fitting = |name: &str, shape: &mut Shape<'_>| match name {
        "day" => FillValue::Date(DATES[shape.below(DATES.len())].to_owned()),
        "logo" => text(["logo.png", "broken.png", "no.png"][shape.below(3)]),
        "annex" => text(["annex.docx", "no.docx"][shape.below(2)]),
        "body" => text("# A\n\n- *b* [c](d) ![e](logo.png)\n\n| f |\n|---|\n| {{g}} |\n\n$h^2$"),
        "total" | "price" | "quantity" | "rate" => number(shape),
        "customer" | "客户" => {
            record(&[("name", text("ACME & Co.")), ("名称", text("公司")), ("city", text("上海"))])
        }
        "months" => {
            let has_names = shape.flip();
            let month = |shape: &mut Shape<'_>| {
                if has_names {
                    record(&[
                        ("month", number(shape)),
                        ("revenue", number(shape)),
                        ("cost", number(shape)),
                    ])
                } else {
                    number(shape)
                }
            };
            FillValue::List((0..shape.below(70)).map(|_| month(shape)).collect())
        }
        "items" | "lines" | "orders" => items(shape, 3),
        "sales" => table(shape),
        _ => text("x"),
    };
    const ALL: [&str; 22] = [
        "number", "customer", "客户", "total", "day", "date", "items", "lines", "months", "name",
        "price", "quantity", "body", "sales", "logo", "annex", "rate", "signer", "orders", "code",
        "title", "content",
    ];
    for name in ALL {
        let value = match shape.below(128) {
            127 => continue,
            124.. => value(shape, 4),
            _ => fitting(name, shape),
        };
        values.push((name.to_owned(), value));
    }
    values
}

const DATES: [&str; 8] = [
    "2026-01-31",
    "2026-01-31T08:30:00",
    "2026-02-30",
    "0001-01-01",
    "9999-12-31T24:00:00",
    "1900-02-29",
    "-1",
    "99999999999-01-01",
];

fn number(shape: &mut Shape<'_>) -> FillValue {
    const NUMBERS: [&str; 12] = [
        "0",
        "-0",
        "1",
        "-12.50",
        "1234567890123456789.10",
        "1e3",
        "1e999",
        "-1E-400",
        "0.1",
        "1e-999999999",
        "9e99999999999999999999",
        "79228162514264337593543950336",
    ];
    let at = shape.below(NUMBERS.len() * 4);
    FillValue::Number(NUMBERS.get(at).copied().unwrap_or("12.50").to_owned())
}

fn record(entries: &[(&str, FillValue)]) -> FillValue {
    FillValue::Record(
        entries.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect(),
    )
}

fn items(shape: &mut Shape<'_>, depth: usize) -> FillValue {
    let count = if depth == 3 && shape.below(16) == 15 { 300 } else { shape.below(4) };
    let item = |shape: &mut Shape<'_>| {
        let lines = match depth {
            0 => value(shape, 1),
            _ => items(shape, depth - 1),
        };
        let name = ["=1+1", "{{number}}", "a\u{0}\u{b}b", "商品 <&>", ""][shape.below(5)];
        record(&[
            ("name", FillValue::Text(name.to_owned())),
            ("price", number(shape)),
            ("quantity", number(shape)),
            ("note", FillValue::Empty),
            ("lines", lines),
            ("amounts", FillValue::List((0..shape.below(4)).map(|_| number(shape)).collect())),
        ])
    };
    // Equal items cost no choices.
    let first: Vec<FillValue> = (0..count.min(3)).map(|_| item(shape)).collect();
    FillValue::List((0..count).map(|at| first[at % first.len()].clone()).collect())
}

fn table(shape: &mut Shape<'_>) -> FillValue {
    let columns = shape.below(5);
    let row = |shape: &mut Shape<'_>| (0..shape.below(6)).map(|_| value(shape, 1)).collect();
    FillValue::Table(FillTable {
        columns: (0..columns).map(|at| ["name", "price", "", "name"][at % 4].to_owned()).collect(),
        rows: (0..shape.below(5)).map(|_| row(shape)).collect(),
    })
}

/// Any value.
pub(super) fn value(shape: &mut Shape<'_>, depth: usize) -> FillValue {
    match shape.below(if depth == 0 { 6 } else { 9 }) {
        0 => FillValue::Empty,
        1 => FillValue::Bool(shape.flip()),
        2 => number(shape),
        3 => FillValue::Date(DATES[shape.below(DATES.len())].to_owned()),
        4 => FillValue::Text("x".repeat(1 << shape.below(16))),
        5 => FillValue::Text(mark(shape)),
        6 => FillValue::List((0..shape.below(4)).map(|_| value(shape, depth - 1)).collect()),
        7 => {
            let names = ["name", "price", "lines", "a.b", "picture", "alt", ""];
            let entry = |shape: &mut Shape<'_>| {
                (names[shape.below(names.len())].to_owned(), value(shape, depth - 1))
            };
            FillValue::Record((0..shape.below(4)).map(|_| entry(shape)).collect())
        }
        _ => table(shape),
    }
}
