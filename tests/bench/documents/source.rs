//! A report as people write them: chapters of prose, lists, tables, code, notes.

use std::fmt::Write as _;

/// Chapters of a report of about a hundred pages, and of one of two.
pub(crate) const LONG: usize = 60;
pub(crate) const SHORT: usize = 1;

const PROSE: &str = "本季度公司围绕“稳增长、提质量”的目标推进各项工作，日活跃用户（DAU）与营业收入保持两位数增长；\
    华东与华南两个大区贡献了新增收入的**七成以上**，其中移动端占比首次超过 60%。与去年同期相比，获客成本下降了 12.5%，\
    主要来自渠道结构的调整（详见表格）以及内容生态的自然增长。Revenue per user grew in all regions, while the cost of \
    acquisition fell for the third quarter in a row.";

/// A report of so many chapters.
pub(crate) fn report(chapters: usize) -> String {
    let mut text = "---\ntitle: 经营分析报告\nauthor: 数据部\ndate: 2025-12-31\n---\n\n".to_owned();
    for chapter in 1..=chapters {
        let _ = writeln!(text, "# 第{chapter}章 区域经营情况\n\n## 总体 Overview {chapter}\n");
        for _ in 0..3 {
            let _ = writeln!(text, "{PROSE}\n");
        }
        text.push_str("| 月份 | 地区 | DAU（万） | 收入（万元） | 同比 | 备注 |\n|---|---|---:|---:|---:|---|\n");
        for row in 1..=18 {
            let (dau, revenue) = (1_200 + 7 * row + chapter, 98_000 + 311 * row);
            let _ = writeln!(
                text,
                "| 2025-{:02} | 华东{row}区 | {dau}.{row} | {revenue}.50 | {}.{}% | 渠道结构调整后回升 |",
                row % 12 + 1,
                row % 9,
                row % 10
            );
        }
        let _ = writeln!(text, "\n## 重点工作\n");
        for item in ["完善指标口径", "上线自动化报表", "Review of the pipeline"] {
            let _ = writeln!(
                text,
                "- {item}[^{chapter}]\n  1. 明确负责人与时间\n  2. 每周复盘，见 [说明](https://example.com/{chapter})"
            );
        }
        let _ = writeln!(
            text,
            "\n[^{chapter}]: 数据截至 2025 年 12 月 31 日，口径见附录 {chapter}。\n"
        );
        let _ = writeln!(
            text,
            "```sql\nSELECT region, sum(revenue) FROM sales WHERE month >= '2025-01' GROUP BY region;\n```\n"
        );
        let _ = writeln!(text, "> [!NOTE]\n> 本章数据未经审计。\n");
        for _ in 0..2 {
            let _ = writeln!(text, "{PROSE}\n");
        }
    }
    text
}
