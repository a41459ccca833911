//! Formats of values, and merge fields of Word.

use serde_json::json;

use super::{Template, body, fill, filled_text, p, row};

fn run(inner: &str) -> String {
    format!("<w:r><w:rPr><w:b/></w:rPr>{inner}</w:r>")
}

fn mark(kind: &str) -> String {
    run(&format!("<w:fldChar w:fldCharType=\"{kind}\"/>"))
}

/// Returns a merge field in the form that Word writes, with its instruction in two runs and its result in one.
fn field(instruction: &str) -> String {
    let (first, second) = instruction.split_at(instruction.len() / 2);
    let text = |it: &str| run(&format!("<w:instrText xml:space=\"preserve\">{it}</w:instrText>"));
    let result = run("<w:t>«x»</w:t>");
    format!(
        "{}{}<w:proofErr w:type=\"spellStart\"/>{}{}{result}{}",
        mark("begin"),
        text(first),
        text(second),
        mark("separate"),
        mark("end")
    )
}

#[test]
fn values_are_written_in_their_formats() {
    let text = p(
        "{{amount|#,##0.00}} / {{amount \\# \"0.0\"}} / {{ day | yyyy年m月d日 }} / {{amount|大写}}",
    );
    assert_eq!(
        filled_text(&text, json!({"amount": 1234.5, "day": "2026-01-31"})),
        "1,234.50 / 1234.5 / 2026年1月31日 / 壹仟贰佰叁拾肆元伍角整"
    );
    // In rows, within a part, and with a name that contains the separator.
    let rows = format!("<w:tbl>{}</w:tbl>", row(&["{{@number|00}}", "{{items.price|0.00}}"]));
    let given = json!({"items": [{"price": 1}, {"price": 2.345}], "a|b": "c"});
    let filled = fill(&Template::of(&(rows + &p("{{a|b}}"))).bytes(), given).unwrap();
    let written = body(&filled.bytes);
    for cell in ["01", "1.00", "02", "2.35", "c"] {
        assert!(written.contains(&format!(">{cell}</w:t>")), "{cell}: {written}");
    }
    assert_eq!(
        filled_text(&p("{{#items}}{{price|0.0}};{{/items}}"), json!({"items": [{"price": 1}]})),
        "1.0;"
    );
}

#[test]
fn what_does_not_go_with_its_format_is_told_by_name() {
    let text = p("{{amount|0.00}} {{day|yyyy}} {{none|0}} {{amount|[Red]0}}");
    let given = json!({"amount": "many", "day": "soon"});
    let error = fill(&Template::of(&text).bytes(), given).unwrap_err().to_string();
    for expected in [
        "no value for `none` (text)",
        "`amount` (text): expected a number for the format `0.00`, got a text `many`",
        "`day` (text): expected a date such as `2026-01-31` (ISO 8601) for the format `yyyy`, got a text `soon`",
    ] {
        assert!(error.contains(expected), "{error}");
    }
    let given = json!({"amount": 1, "day": "2026-01-01", "none": 1});
    let error = fill(&Template::of(&text).bytes(), given).unwrap_err().to_string();
    assert!(
        error.contains("`amount` (text): the format `[Red]0`: `[Red]` is not known"),
        "{error}"
    );
}

#[test]
fn merge_fields_are_filled_with_their_switches() {
    let simple = "<w:fldSimple w:instr=\" MERGEFIELD day \\@ &quot;d MMMM yyyy&quot; \"><w:r><w:rPr><w:i/></w:rPr><w:t>«day»</w:t></w:r></w:fldSimple>";
    let text = format!(
        "<w:p>{}<w:r><w:t> on </w:t></w:r>{simple}{}</w:p>",
        field(" MERGEFIELD  amount \\# \"#,##0.00\" \\* MERGEFORMAT "),
        field("MERGEFIELD \"Unit_price\" \\b \" at \"")
    );
    let given = json!({"amount": 1234.5, "day": "2026-01-31", "Unit price": 3});
    let filled = fill(&Template::of(&text).bytes(), given).unwrap();
    let written = body(&filled.bytes);
    assert!(filled.warnings.is_empty(), "{:?}", filled.warnings);
    assert!(!written.contains("fldChar") && !written.contains("instrText"), "{written}");
    assert!(!written.contains("fldSimple"), "{written}");
    // With the formatting of the field.
    for expected in [
        "<w:rPr><w:b/></w:rPr><w:t xml:space=\"preserve\">1,234.50</w:t>",
        "<w:rPr><w:i/></w:rPr><w:t xml:space=\"preserve\">31 January 2026</w:t>",
        "> at 3</w:t>",
    ] {
        assert!(written.contains(expected), "{written}");
    }
    // A row of merge fields is repeated.
    let cell = |inner: String| format!("<w:tc><w:p>{inner}</w:p></w:tc>");
    let row = format!(
        "<w:tbl><w:tr>{}{}</w:tr></w:tbl>",
        cell(field("MERGEFIELD items.name")),
        cell(field("MERGEFIELD items.price \\# 0.00"))
    );
    let given = json!({"items": [{"name": "A", "price": 1}, {"name": "B", "price": 2}]});
    let written = body(&fill(&Template::of(&row).bytes(), given).unwrap().bytes);
    assert_eq!(written.matches("<w:tr>").count(), 2, "{written}");
    assert!(written.contains(">1.00<") && written.contains(">2.00<"), "{written}");
}

#[test]
fn merge_fields_that_stay_are_told() {
    let nested = format!(
        "{}{}{}{}{}{}",
        mark("begin"),
        run("<w:instrText> IF </w:instrText>"),
        field("MERGEFIELD amount"),
        run("<w:instrText> = 1 \"a\" \"b\"</w:instrText>"),
        mark("separate"),
        mark("end")
    );
    let beside = format!(
        "<w:r><w:t>before</w:t><w:fldChar w:fldCharType=\"begin\"/></w:r>{}{}",
        run("<w:instrText>MERGEFIELD amount</w:instrText>"),
        mark("end")
    );
    let text = format!(
        "<w:p>{}</w:p><w:p>{nested}</w:p><w:p>{beside}</w:p><w:p>{}</w:p>{}",
        field("MERGEFIELD other"),
        mark("begin"),
        p("{{amount}}")
    );
    let filled = fill(&Template::of(&text).bytes(), json!({"amount": 1})).unwrap();
    let written = body(&filled.bytes);
    assert!(written.contains("before") && written.contains("other"), "{written}");
    assert_eq!(written.matches("«x»").count(), 2, "{written}");
    let [warning] = &filled.warnings[..] else { panic!("{:?}", filled.warnings) };
    for name in ["`other`", "`amount`", "`IF MERGEFIELD amount = 1 \"a\" \"b\"`"] {
        assert!(warning.contains(name), "{warning}");
    }
    // The error about an invalid switch names its field.
    let text = format!("<w:p>{}</w:p>", field("MERGEFIELD amount \\# \"x0\""));
    let error = fill(&Template::of(&text).bytes(), json!({"amount": 1})).unwrap_err().to_string();
    assert!(error.contains("`amount` (text): the format `x0`: `x`"), "{error}");
}
