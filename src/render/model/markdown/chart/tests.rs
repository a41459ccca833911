//! Blocks of charts: positions of the table, tolerated mistakes, warnings.

use crate::model::chart::{ChartDescription, ChartRole, ChartShape, ChartStack};
use crate::{Block, markdown};

fn chart(source: &str) -> ChartDescription {
    let doc = markdown(source).unwrap();
    assert_eq!(doc.warnings, [""; 0], "{source}");
    let found = doc.blocks.into_iter().find_map(|block| match block {
        Block::Chart(chart) => Some(*chart),
        _ => None,
    });
    found.unwrap_or_else(|| panic!("no chart: {source}"))
}

/// Returns the warning about a block with this text, which must stay as it is.
fn warning_of(inside: &str) -> String {
    let doc = markdown(&format!("# 结果\n\n```chart\n{inside}\n```\n")).unwrap();
    match &doc.blocks[1] {
        Block::Code { text, .. } => assert_eq!(text, inside),
        block => panic!("{block:?}"),
    }
    doc.warnings.join("\n")
}

fn values(chart: &ChartDescription, series: usize) -> Vec<Option<f64>> {
    chart.series[series].values.iter().map(|value| value.map(|value| value.get())).collect()
}

#[test]
fn the_table_stands_in_the_block_or_beside_it() {
    let table = "| 季度 | 收入 | 利润率 |\n|---|---:|---:|\n| 一季度 | 1,200 | 12.5% |\n| 二季度 | - | **21.6%** |\n";
    let inside = format!("```chart\ntype: combined\ntitle: 收入\n\n{table}```\n");
    let above =
        format!("{table}\ntext\n\n```chart\ntype: combined\ntitle: 收入\ntable: above\n```\n");
    let below = format!(
        "```chart\n{{\"type\": \"combined\", \"title\": \"收入\", \"table\": \"below\"}}\n```\n\n{table}\n"
    );
    let csv = "```chart\ntype: combined\ntitle: 收入\n---\n季度,收入,利润率\n一季度,\"1,200\",12.5%\n二季度,,21.6%\n```\n";
    let lists = "```chart\ntype: combined\ntitle: 收入\ndata:\n  - [季度, 收入, 利润率]\n  - [一季度, 1200, 12.5%]\n  - [二季度, null, 21.6%]\n```\n";
    let maps = "```chart\ntype: combined\ntitle: 收入\ndata:\n- {季度: 一季度, 收入: 1200, 利润率: 12.5%}\n- {季度: 二季度, 收入: , 利润率: 21.6%}\n```\n";
    let text = "```chart\ntype: combined\ntitle: 收入\ndata: |\n  季度;收入;利润率\n  一季度;1200;12.5%\n  二季度;;21.6%\n```\n";
    for source in [&inside, &above, &below, csv, lists, maps, text] {
        let chart = chart(source);
        assert_eq!(chart.categories, ["一季度", "二季度"], "{source}");
        assert_eq!(values(&chart, 0), [Some(1200.0), None], "{source}");
        assert_eq!(values(&chart, 1), [Some(0.125), Some(0.216)], "{source}");
        assert_eq!((chart.kind, chart.series[1].role), (ChartShape::Column, ChartRole::Second));
    }
}

#[test]
fn kinds_have_the_names_that_people_use() {
    for (name, kind, stack) in [
        ("column", ChartShape::Column, ChartStack::Apart),
        ("Stacked Bar", ChartShape::Bar, ChartStack::Stacked),
        ("stacked_area chart", ChartShape::Area, ChartStack::Stacked),
        ("100% column", ChartShape::Column, ChartStack::Full),
        ("donut", ChartShape::Doughnut, ChartStack::Apart),
        ("pie", ChartShape::Pie, ChartStack::Apart),
        ("LINE", ChartShape::Line, ChartStack::Apart),
    ] {
        let chart = chart(&format!("```chart\ntype: {name}\n|a|b|\n|-|-|\n|x|1|\n|y|2|\n```\n"));
        assert_eq!((chart.kind, chart.stack), (kind, stack), "{name}");
    }
    let scatter =
        chart("```chart\ntype: scatter\nx: b\ny: [a]\n|a|b|\n|-|-|\n|1|2020|\n|3|2021|\n```\n");
    assert_eq!(scatter.x.iter().flatten().map(|x| x.get()).collect::<Vec<_>>(), [2020.0, 2021.0]);
}

#[test]
fn what_is_wrong_is_told_by_line_and_stays_as_it_is() {
    let table = "|a|b|\n|-|-|\n|x|1|\n|y|z|";
    let all = [
        warning_of("type: colum\ntitel: x\nwidth: wide\n|a|b|\n|-|-|\n|x|1|"),
        warning_of(&format!("type: column\nvalues: [b]\n{table}")),
        warning_of(&format!("type: column\nvalues: [c, d]\n{table}")),
        warning_of("type: column"),
        warning_of("title: [unclosed"),
        warning_of("just text"),
        warning_of("type: pie\n|a|b|\n|-|-|\n|x|-1|\n|y|2|"),
        warning_of("type: column\ntable: above\ndata: [[a, b], [x, 1]]"),
        warning_of("type: column\n|a|b|\n|-|-|\n|x|1|2|"),
        warning_of("type: column\nformat: yyyy\n|a|b|\n|-|-|\n|x|1|"),
        warning_of("type: column\nwidth: 9\n|a|b|\n|-|-|\n|x|1|"),
        warning_of("|a|b|\n|-|-|\n|x|5 kg|\n|y|3 t|"),
        warning_of("data: {a: [1], b: {c: 1}}"),
        warning_of(""),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn charts_of_a_document_have_an_end() {
    let one = "```chart\n|a|b|\n|-|-|\n|x|1|\n```\n\n";
    let doc = markdown(&one.repeat(super::MAX_CHARTS + 2)).unwrap();
    let charts = doc.blocks.iter().filter(|block| matches!(block, Block::Chart(_))).count();
    assert_eq!(
        (charts, doc.warnings.len(), doc.blocks.len()),
        (super::MAX_CHARTS, 2, super::MAX_CHARTS + 2)
    );
    assert!(doc.warnings[0].contains("at most 200 charts"), "{}", doc.warnings[0]);
    let rows: String = (0..20_000).map(|at| format!("{at},{at}\n")).collect();
    let big = format!("```chart\ntype: line\n---\na,b\n{rows}```\n\n");
    let doc = markdown(&big.repeat(6)).unwrap();
    assert_eq!(doc.warnings.len(), 1, "{:?}", doc.warnings);
    assert!(doc.warnings[0].contains("at most 100000 values together"), "{}", doc.warnings[0]);
}

#[test]
fn hostile_descriptions_are_told_and_end() {
    let bomb = "a: &a [x,x,x,x,x,x,x,x,x]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c]\ne: [*d,*d,*d,*d,*d,*d]";
    let deep = format!("data: {}{}", "[".repeat(5_000), "]".repeat(5_000));
    let many = format!("type: line\n---\n{}", "a,".repeat(5_000));
    let long = format!("title: {}\n|a|b|\n|-|-|\n|x|1|", "长".repeat(1_000));
    let huge = "|a|b|\n|-|-|\n|x|1e101|";
    for source in [bomb, &deep, &many, &long, huge, "\u{0}", "|", "---\n---", "data: 5", "- a\n- b"]
    {
        let doc = markdown(&format!("```chart\n{source}\n```\n")).unwrap();
        assert_eq!(doc.warnings.len(), 1, "{source:.60}");
        assert!(doc.warnings[0].len() < 3_000, "{}", doc.warnings[0].len());
        assert!(matches!(&doc.blocks[0], Block::Code { .. }), "{source:.60}");
    }
}
