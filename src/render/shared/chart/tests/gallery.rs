//! Charts of every kind in Chinese and English, with their tables.

use super::wanted;
use crate::model::chart::{ChartShape, ChartStack, ChartWanted};

const QUARTERS: &str = "季度 | 收入（万元） | 成本（万元） | 利润率
一季度 | 1,250 | 980 | 21.6%
二季度 | 1,430 | 1,060 | 25.9%
三季度 | 1,380 | 1,120 | 18.8%
四季度 | 1,690 | 1,240 | 26.6%";

const REGIONS: &str = "地区 | 销售额
华东地区（含上海、江苏、浙江） | 3.86亿
华南地区 | 2.41亿
华北地区（含北京、天津、河北、山西、内蒙古自治区） | 1.92亿
西南地区 | 8,800万
东北地区 | 5,300万
西北地区 | -1,200万";

const CLOUD: &str = "Year | Cloud | Licences | Services
2019 | 12 | 30 | 14
2020 | 19 | 28 | 15
2021 | 31 | 27 | 15
2022 | 44 | 24 | 17
2023 | 58 | 21 | 16
2024 | 71 | 19 | 18";

const COST: &str = "Item | Share
Salaries and social security | 46.2%
Rent | 17.5%
Cloud services | 14.1%
Marketing | 9.8%
Travel | 6.4%
Training | 3.6%
Other | 2.4%";

fn months(count: usize, series: &[(&str, f64, f64, usize)]) -> String {
    let mut table = String::from("Month");
    series.iter().for_each(|(name, ..)| table.push_str(&format!(" | {name}")));
    for at in 0..count {
        table.push_str(&format!("\n{}-{:02}", 2020 + at / 12, at % 12 + 1));
        for (_, from, rise, seed) in series {
            let noise = ((at * 7919 + seed * 104_729) % 97) as f64 / 97.0 - 0.5;
            table.push_str(&format!(" | {:.1}", from + rise * at as f64 + noise * from * 0.08));
        }
    }
    table
}

fn days() -> String {
    let mut table = String::from("日期 | 收盘价");
    let mut price = 100.0;
    for at in 0..700_usize {
        price += ((at * 7919) % 101) as f64 / 50.0 - 0.98;
        let (year, day) = (2023 + at / 360, at % 360);
        table.push_str(&format!("\n{year}-{:02}-{:02} | {price:.2}", day / 30 + 1, day % 28 + 1));
    }
    table
}

fn points(count: usize) -> String {
    let mut table =
        String::from("Income per head (thousand $) | Life expectancy (years) | Women (years)");
    for at in 0..count {
        let x = ((at * 7919) % 1009) as f64 / 1009.0 * 80.0 + 1.0;
        let noise = ((at * 104_729) % 997) as f64 / 997.0 * 8.0;
        let y = 52.0 + 7.0 * x.ln() + noise - 4.0;
        table.push_str(&format!("\n{x:.1} | {y:.1} | {:.1}", y + 4.0));
    }
    table
}

pub(in crate::shared::chart) fn gallery() -> Vec<(&'static str, ChartWanted, String)> {
    use ChartShape::{Area, Bar, Column, Doughnut, Line, Pie, Scatter};
    use ChartStack::{Apart, Full, Stacked};

    let pick = |wanted: ChartWanted, values: &[&str], second: &[&str]| ChartWanted {
        values: values.iter().map(|it| (*it).to_owned()).collect(),
        second: second.iter().map(|it| (*it).to_owned()).collect(),
        ..wanted
    };
    let with_words = |mut wanted: ChartWanted, subtitle: &str, source: &str| {
        wanted.chart.subtitle = Some(subtitle.to_owned());
        wanted.chart.source = Some(source.to_owned());
        wanted
    };
    let energy = months(
        60,
        &[
            ("Coal", 60.0, -0.5, 1),
            ("Gas", 40.0, 0.05, 2),
            ("Wind and solar", 22.0, 0.6, 3),
            ("Nuclear", 38.0, -0.02, 4),
        ],
    );
    let long = "Department | Days lost\nResearch and development of new products | 12\nHuman resources and administration | 31\nProduction, plant Rotterdam-Maasvlakte | 27\nLogistics | 8\nSales Asia-Pacific | 19\nSales Europe, Middle East and Africa | 22\nQuality assurance | 5\nLegal | 3\nFacilities | 16\nInformation technology | 11";
    vec![
        ("01-column-zh", pick(wanted(Column, Apart, "四季度收入创全年新高"), &["收入（万元）"], &[]), QUARTERS.into()),
        ("02-columns-zh", pick(wanted(Column, Apart, "收入增长快于成本"), &["收入（万元）", "成本（万元）"], &[]), QUARTERS.into()),
        (
            "03-combined-zh",
            with_words(
                pick(wanted(Column, Apart, "利润率在三季度回落后回升"), &["收入（万元）", "成本（万元）"], &["利润率"]),
                "收入、成本与利润率，2024 年",
                "公司财务部",
            ),
            QUARTERS.into(),
        ),
        ("04-bar-zh", with_words(wanted(Bar, Apart, "华东地区贡献了近四成的销售额"), "各地区销售额，元", "来源：销售系统，2024-12-31"), REGIONS.into()),
        (
            "05-line-en",
            with_words(wanted(Line, Apart, "Wind and solar overtook coal in 2022"), "Electricity generation, TWh a month", "Grid operator"),
            energy.clone(),
        ),
        ("06-stacked-column-en", with_words(wanted(Column, Stacked, "Cloud drives all of the growth"), "Revenue, $m", "Annual reports"), CLOUD.into()),
        ("07-full-column-en", wanted(Column, Full, "Cloud is two thirds of revenue"), CLOUD.into()),
        ("08-stacked-bar-zh", wanted(Bar, Stacked, "各季度构成"), QUARTERS.lines().map(|line| line.rsplit_once('|').unwrap().0).collect::<Vec<_>>().join("\n")),
        ("09-full-bar-en", wanted(Bar, Full, "Shares of revenue"), CLOUD.into()),
        ("10-area-en", wanted(Area, Apart, "One area"), months(24, &[("Users", 1_200_000.0, 60_000.0, 1)])),
        ("11-stacked-area-en", wanted(Area, Stacked, "Generation by source"), energy.clone()),
        ("12-full-area-en", wanted(Area, Full, "Shares of generation"), energy),
        ("13-pie-en", with_words(wanted(Pie, Apart, "Nearly half of the cost is people"), "Share of operating cost", "Ledger"), COST.into()),
        ("14-doughnut-zh", wanted(Doughnut, Apart, "销售额构成"), REGIONS.replace("-1,200万", "1,200万")),
        ("15-scatter-en", wanted(Scatter, Apart, "Richer countries live longer"), points(120).replace(" | Women (years)", " | x").lines().map(|line| line.rsplit_once('|').unwrap().0).collect::<Vec<_>>().join("\n")),
        ("16-scatter-many", wanted(Scatter, Apart, "Ten thousand points"), points(5_000)),
        ("17-days-zh", wanted(Line, Apart, "收盘价"), days()),
        ("18-long-names-en", wanted(Column, Apart, "Turned names"), long.into()),
        ("19-long-bars-en", wanted(Bar, Apart, "The same as bars"), long.into()),
        ("20-negative-zh", wanted(Column, Apart, "同比增长率"), "月份 | 同比增长率\n1月 | 5.2%\n2月 | -3.1%\n3月 | 0.4%\n4月 | -\n5月 | 12.5%\n6月 | -8%\n7月 | 2%\n8月 | 3.3%".into()),
        ("21-gaps-en", wanted(Line, Apart, "Gaps and one lonely point"), "Week | North | South\n1 | 4 | 6\n2 | 5 | \n3 | | 7\n4 | 6 | \n5 | 7 | 8\n6 | | 8.5\n7 | 9 | 9".into()),
        ("22-one-point", wanted(Line, Apart, ""), "x | y\na | 5".into()),
        ("23-equal", wanted(Line, Apart, "All equal"), "x | y\na | 5\nb | 5\nc | 5".into()),
        ("24-many-lines", wanted(Line, Apart, "Ten lines have a legend"), months(12, &[("Alpha", 10.0, 1.0, 1), ("Beta", 12.0, 0.4, 2), ("Gamma", 14.0, 0.2, 3), ("Delta", 16.0, 0.9, 4), ("Epsilon", 18.0, -0.4, 5), ("Zeta", 20.0, -0.9, 6), ("Eta", 22.0, 0.1, 7), ("Theta", 24.0, 0.0, 8), ("Iota", 26.0, 0.3, 9), ("Kappa", 28.0, -0.1, 10)])),
        ("25-close-ends", wanted(Line, Apart, "Ends that touch each other"), "Year | Netherlands | Belgium | Luxembourg | Germany\n2020 | 1 | 2 | 3 | 4\n2021 | 3 | 3.1 | 2.9 | 3.2\n2022 | 5 | 5.05 | 5.1 | 5.15".into()),
        ("26-eight-columns", wanted(Column, Apart, "Eight series in grey"), "x | a | b | c | d | e | f | g | h\nFirst | 1 | 2 | 3 | 4 | 5 | 6 | 7 | 8\nSecond | 8 | 7 | 6 | 5 | 4 | 3 | 2 | 1".into()),
        ("27-small", { let mut it = pick(wanted(Column, Apart, "小图"), &["收入（万元）"], &[]); it.chart.width = 240; it.chart.height = Some(180); it }, QUARTERS.into()),
        ("28-huge", wanted(Bar, Apart, "Huge and tiny"), "x | y\nHuge | 3e99\nSmall | 1\nNegative | -1e99".into()),
    ]
}
