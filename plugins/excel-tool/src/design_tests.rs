use super::*;
use crate::bindings::mitt::host::render::SparklineKind;

fn names() -> Vec<String> {
    ["地区", "Q1", "Q2", "Q3", "增长率", "到期日", "a}b"].map(str::to_owned).to_vec()
}

fn read_all(lines: &[&str]) -> (Design, String) {
    let names = names();
    let about =
        About { names: &names, origin: Origin { header: 1, column: 2 }, rows: 4, sheet: "it's" };
    let lines: Vec<String> = lines.iter().map(|line| (*line).to_owned()).collect();
    let mut problems = Problems::default();
    let design = read(&lines, &about, "options.design", &mut problems);
    (design, problems.into_result().err().unwrap_or_default())
}

fn fine(lines: &[&str]) -> Design {
    let (design, problems) = read_all(lines);
    assert_eq!(problems, "");
    design
}

#[test]
fn marks() {
    for (line, kind, value, upper, look) in [
        ("{增长率} < 0", RuleKind::Less, Some("0"), None, RuleLook::Red),
        ("{增长率}>=5%：green", RuleKind::GreaterOrEqual, Some("0.05"), None, RuleLook::Green),
        ("{Q1} ≤ 1,000: Blue", RuleKind::LessOrEqual, Some("1000"), None, RuleLook::Blue),
        ("{地区} = \"华东\": grey", RuleKind::Equal, Some("华东"), None, RuleLook::Grey),
        ("{地区} <> 华东", RuleKind::NotEqual, Some("华东"), None, RuleLook::Red),
        ("{Q1} > {Q2}: yellow", RuleKind::Greater, Some("=$E3"), None, RuleLook::Yellow),
        ("{到期日} < 2024-12-31: red", RuleKind::Less, Some("2024-12-31"), None, RuleLook::Red),
        ("{Q1} between 1 and 5", RuleKind::Between, Some("1"), Some("5"), RuleLook::Yellow),
        (
            "{Q1} not between 1 to 5: bold",
            RuleKind::NotBetween,
            Some("1"),
            Some("5"),
            RuleLook::Bold,
        ),
        ("{Q1} top 3", RuleKind::Top, Some("3"), None, RuleLook::Green),
        ("{Q1} bottom 10%: yellow", RuleKind::BottomPercent, Some("10"), None, RuleLook::Yellow),
        ("{Q1} Above Average", RuleKind::AboveAverage, None, None, RuleLook::Green),
        ("{Q1} duplicates", RuleKind::Duplicate, None, None, RuleLook::Red),
        (
            "{地区} contains 时间: 12:30",
            RuleKind::Contains,
            Some("时间: 12:30"),
            None,
            RuleLook::Red,
        ),
        ("{地区} contains 延期: yellow", RuleKind::Contains, Some("延期"), None, RuleLook::Yellow),
        ("{地区} not contains x", RuleKind::NotContains, Some("x"), None, RuleLook::Red),
        (
            "{地区} when {Q1}>{Q2}*2: blue",
            RuleKind::Formula,
            Some("=$D3>$E3*2"),
            None,
            RuleLook::Blue,
        ),
        (
            "{Q1} when SUM($D$3:$E$3)>2",
            RuleKind::Formula,
            Some("=SUM($D$3:$E$3)>2"),
            None,
            RuleLook::Red,
        ),
        ("{Q1} bars", RuleKind::Bars, None, None, RuleLook::Blue),
        ("{Q1} scale: red", RuleKind::ThreeColors, None, None, RuleLook::Red),
        ("{a}b} arrows", RuleKind::Arrows, None, None, RuleLook::Green),
    ] {
        let rule = &fine(&[line]).rules[0];
        let found = (rule.kind, rule.value.as_deref(), rule.upper.as_deref(), rule.look);
        assert_eq!(found, (kind, value, upper, look), "{line}");
    }
    assert_eq!(fine(&["{Q1}, {Q2}、{Q3} bars"]).rules[0].columns, [1, 2, 3]);
}

#[test]
fn inputs() {
    let one = |line: &str| fine(&[line]).inputs.remove(0);
    let choices = one("{地区} one of 华东、华北, \"华 南\": 请选择地区");
    assert_eq!(
        (choices.kind, choices.message.as_deref()),
        (InputKind::Choices, Some("请选择地区"))
    );
    assert_eq!(choices.choices, ["华东", "华北", "华 南"]);
    assert_eq!(one("{地区} one of =Lists!$A$2:$A$9").formula.as_deref(), Some("=Lists!$A$2:$A$9"));
    for (line, kind, least, most) in [
        ("{Q1} whole 1 to 100: from 1 to 100", InputKind::Whole, Some("1"), Some("100")),
        ("{Q1} decimal >= 0", InputKind::Decimal, Some("0"), None),
        ("{增长率} decimal <= 50%", InputKind::Decimal, None, Some("0.5")),
        ("{到期日} date >= 2024-01-01", InputKind::Date, Some("2024-01-01"), None),
        ("{到期日} date", InputKind::Date, None, None),
        ("{地区} length <= 20", InputKind::Length, None, Some("20")),
    ] {
        let input = one(line);
        let found = (input.kind, input.minimum.as_deref(), input.maximum.as_deref());
        assert_eq!(found, (kind, least, most), "{line}");
    }
    let custom = one("{Q1} valid {Q1}>0: 必须大于零");
    assert_eq!(
        (custom.formula.as_deref(), custom.message.as_deref()),
        (Some("=$D3>0"), Some("必须大于零"))
    );
}

#[test]
fn sheets_and_columns() {
    let design = fine(&[
        "style dark",
        "accent #C00000",
        "Letter",
        "portrait",
        "table 销售",
        "picture 走势.png：季度走势",
        "picture logo.JPG",
        "protect: 1234",
        "name 季度 = {Q1}",
        "name 税率 = 0.13",
        "{Q1}, {Q2} hidden",
        "{Q3} group 2",
        "{地区} unlocked",
        "{Q1} note: 未经审计",
        "{Q1} note 4: 见附注：三",
        "trend columns {Q1} to {Q3}",
        "trend {Q1} to {Q2}: 走势",
        "",
    ]);
    assert_eq!((design.style, design.accent), (SheetStyle::Dark, Some(0xC0_00_00)));
    assert_eq!(
        design.page,
        PageSetup { orientation: Some(Orientation::Portrait), paper: Some(Paper::Letter) }
    );
    assert_eq!(design.table_name.as_deref(), Some("销售"));
    let pictures: Vec<_> =
        design.pictures.iter().map(|it| (it.name.as_str(), it.description.as_deref())).collect();
    assert_eq!(pictures, [("走势.png", Some("季度走势")), ("logo.JPG", None)]);
    assert_eq!(design.protection, Some(Protection { password: Some("1234".into()) }));
    let names: Vec<_> =
        design.names.iter().map(|it| (it.name.as_str(), it.formula.as_str())).collect();
    assert_eq!(names, [("季度", "='it''s'!$D$3:$D$6"), ("税率", "=0.13")]);
    assert_eq!(
        (&design.hidden[..], &design.levels[..], &design.unlocked[..]),
        (&[1, 2][..], &[(3, 2)][..], &[0][..])
    );
    let notes: Vec<_> = design.notes.iter().map(|note| (note.row, note.text.as_str())).collect();
    assert_eq!(notes, [(None, "未经审计"), (Some(3), "见附注：三")]);
    let small: Vec<_> =
        design.sparklines.iter().map(|(it, name)| (it.column, it.kind, name.as_str())).collect();
    assert_eq!(small, [(7, SparklineKind::Column, "趋势"), (8, SparklineKind::Line, "走势")]);
}

#[test]
fn every_line_that_is_not_understood_is_named_with_what_was_meant() {
    let (_, problems) = read_all(&[
        "{Q11} < 0",
        "{Q1} < ",
        "{Q1} < 0: redd",
        "{Q1} top 0",
        "{Q1} between 1",
        "{Q1} whole one to 9",
        "{到期日} date 31.12.2024 to 2025-01-01",
        "{Q1} note 5: x",
        "{Q1} group 9",
        "{Q1} valid {Q9}>0",
        "{Q1} one of",
        "trend {Q3} to {Q1}",
        "style fancy",
        "picture a.svg",
        "accent blue",
        "name x",
    ]);
    let lines: Vec<_> = problems.lines().collect();
    assert_eq!(lines.len(), 16, "{problems}");
    for (line, part) in lines.iter().zip([
        "options.design[0]: expected a column of the data",
        "options.design[1]: expected a value to compare with, got nothing",
        "got `redd`, did you mean `red`",
        "expected a whole number from 1 to 1000 behind `top`, got `0`",
        "expected `between 1 and 5`, got `between 1`",
        "expected a number, got `one`",
        "expected a date such as `2024-12-31`, got `31.12.2024`",
        "expected a row of the data from 1 to 4, got `5`",
        "expected a level from 1 to 7 behind `group`, got `9`",
        "expected a column of the data",
        "expected choices of 1 to 255 characters",
        "expected two columns from left to right, got `Q3` and `Q1`",
        "expected `report`, `plain`, `financial` or `dark`, got `fancy`",
        "expected the name of a picture such as `chart.png` or `photo.jpg`, got `a.svg`",
        "expected a colour such as `#1F4E79`, got `blue`",
        "expected `name x = formula`, got `name x`",
    ]) {
        assert!(line.contains(part), "{part}: {line}");
    }
    let (_, problems) = read_all(&["{Q1} barz", "lanscape", "make it nice"]);
    for part in [
        "got `barz`, did you mean `bars`",
        "got `lanscape`, did you mean `landscape`",
        "got `make it nice`",
    ] {
        assert!(problems.contains(part), "{problems}");
    }
    // No line causes a panic.
    for line in [
        "{",
        "{}",
        "{Q1}",
        "{Q1}:",
        "：",
        "trend",
        "trend {Q1}",
        "name =",
        "note",
        "{Q1} note",
        "{Q1} when {",
        "{Q1} <%",
    ] {
        read_all(&[line]);
    }
}
