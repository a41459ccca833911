//! Charts of every kind: coordinates of their layout, whole files, refusals.

mod gallery;

pub(in crate::shared::chart) use self::gallery::gallery;
use super::scene::{Scene, Shape};
use super::*;
use crate::model::chart::{
    ChartColumn, ChartLabels, ChartSeries, ChartShape, ChartStack, ChartValue, ChartWanted,
    NumberStyle,
};
use mitt_base::ErrorKind;

/// Parses a table as text, with cells divided by `|`.
pub(super) fn columns(table: &str) -> Vec<ChartColumn> {
    let rows: Vec<Vec<&str>> =
        table.trim().lines().map(|line| line.split('|').map(str::trim).collect()).collect();
    (0..rows[0].len())
        .map(|index| ChartColumn {
            name: rows[0][index].to_owned(),
            cells: rows[1..]
                .iter()
                .map(|row| row.get(index).copied().unwrap_or_default().to_owned())
                .collect(),
        })
        .collect()
}

pub(super) fn wanted(kind: ChartShape, stack: ChartStack, title: &str) -> ChartWanted {
    let title = Some(title.to_owned()).filter(|title| !title.is_empty());
    ChartWanted {
        chart: ChartDescription { kind, stack, title, ..ChartDescription::default() },
        ..ChartWanted::default()
    }
}

/// Writes pictures of all kinds for review: `MITT_CHARTS=<folder> cargo test`.
#[test]
fn every_kind_is_drawn_in_both_languages() {
    for (name, wanted, table) in gallery() {
        let chart = wanted
            .describe(&columns(&table))
            .unwrap_or_else(|error| panic!("{name}: {}", error.render()));
        let svg = chart_svg(&chart).unwrap();
        assert!(!svg.svg.contains("NaN") && !svg.svg.contains("inf"), "{name}");
        if let Some(folder) = std::env::var_os("MITT_CHARTS") {
            let folder = std::path::PathBuf::from(folder);
            if let Ok(png) = chart_png(&chart, 1.5) {
                std::fs::write(folder.join(format!("{name}.png")), png.bytes).unwrap();
            }
            std::fs::write(folder.join(format!("{name}.svg")), &svg.svg).unwrap();
            std::fs::write(
                folder.join(format!("{name}.txt")),
                format!("{}\n{:?}\n", svg.alternative, svg.warnings),
            )
            .unwrap();
        }
    }
}

fn drawn(name: &str) -> (ChartDescription, Scene) {
    let (_, wanted, table) = gallery().into_iter().find(|(it, ..)| *it == name).unwrap();
    let chart = wanted.describe(&columns(&table)).unwrap();
    let scene = layout(&chart).unwrap();
    (chart, scene)
}

/// Returns positions of filled shapes and of texts.
fn summary(scene: &Scene) -> String {
    let mut out = format!("{} x {}\n", scene.width, scene.height);
    for shape in &scene.shapes {
        match shape {
            Shape::Rectangle { x, y, width, height, fill } if *fill != palette::WHITE => {
                out.push_str(&format!("bar {x:.1} {y:.1} {width:.1} x {height:.1} {fill}\n"));
            }
            Shape::Text(text) => {
                let turn = if text.turn == 0.0 { "" } else { " turned" };
                out.push_str(&format!(
                    "text {:.1} {:.1} {:?}{turn}: {}\n",
                    text.x, text.y, text.anchor, text.text
                ));
            }
            _ => {}
        }
    }
    out
}

#[test]
fn ticks_bars_and_labels_stand_where_they_should() {
    insta::assert_snapshot!(summary(&drawn("03-combined-zh").1));
}

#[test]
fn names_of_lines_stand_at_their_ends_without_touching() {
    let (_, scene) = drawn("25-close-ends");
    let mut places: Vec<f64> = scene
        .shapes
        .iter()
        .filter_map(|shape| match shape {
            Shape::Text(text)
                if ["Netherlands", "Belgium", "Luxembourg", "Germany"].contains(&&*text.text) =>
            {
                Some(text.y)
            }
            _ => None,
        })
        .collect();
    places.sort_by(f64::total_cmp);
    assert_eq!(places.len(), 4);
    assert!(places.windows(2).all(|pair| pair[1] - pair[0] >= 15.9), "{places:?}");
}

/// Whole files of each kind, which are reviewed when they change.
#[test]
fn files_are_as_they_were_looked_at() {
    for name in [
        "01-column-zh",
        "04-bar-zh",
        "06-stacked-column-en",
        "09-full-bar-en",
        "10-area-en",
        "14-doughnut-zh",
        "21-gaps-en",
        "28-huge",
    ] {
        let (chart, _) = drawn(name);
        insta::assert_snapshot!(name, chart_svg(&chart).unwrap().svg);
    }
}

#[test]
fn nothing_leaves_the_drawing_and_no_text_is_lost() {
    for (name, wanted, table) in gallery() {
        let chart = wanted.describe(&columns(&table)).unwrap();
        let scene = layout(&chart).unwrap();
        for shape in &scene.shapes {
            if let Shape::Text(text) = shape {
                let width = text.font.width(&text.text);
                let left = match text.anchor {
                    scene::Anchor::Start => text.x,
                    scene::Anchor::Middle => text.x - width / 2.0,
                    scene::Anchor::End => text.x - width,
                };
                let fits = left >= -1.0 && left + width <= scene.width + 1.0;
                assert!(
                    fits || text.turn != 0.0,
                    "{name}: `{}` from {left} to {}",
                    text.text,
                    left + width
                );
                assert!(
                    (0.0..=scene.height).contains(&text.y),
                    "{name}: `{}` at {}",
                    text.text,
                    text.y
                );
            }
        }
        assert_eq!(chart_svg(&chart).unwrap().svg, chart_svg(&chart).unwrap().svg, "{name}");
    }
}

fn refused(chart: &ChartDescription) -> String {
    let error = chart_svg(chart).unwrap_err();
    assert_eq!(*error.kind(), ErrorKind::Arguments);
    error.render()
}

#[test]
fn what_cannot_be_drawn_is_refused_with_every_problem() {
    let value = |value: f64| ChartValue::new(value);
    let series = |name: &str, values: &[f64]| ChartSeries {
        name: name.into(),
        values: values.iter().map(|it| value(*it)).collect(),
        ..ChartSeries::default()
    };
    let names = |count: usize| (0..count).map(|at| at.to_string()).collect::<Vec<_>>();
    let base = || ChartDescription::default();
    let all = [
        refused(&base()),
        refused(&ChartDescription {
            categories: names(2),
            series: vec![series("a", &[1.0])],
            width: 10,
            ..base()
        }),
        refused(&ChartDescription {
            kind: ChartShape::Pie,
            categories: names(2),
            series: vec![series("a", &[1.0, -1.0]), series("b", &[1.0, 1.0])],
            ..base()
        }),
        refused(&ChartDescription {
            kind: ChartShape::Doughnut,
            categories: names(1),
            series: vec![series("a", &[0.0])],
            ..base()
        }),
        refused(&ChartDescription {
            kind: ChartShape::Pie,
            categories: names(25),
            series: vec![series("a", &[1.0; 25])],
            ..base()
        }),
        refused(&ChartDescription {
            categories: names(1),
            series: vec![series("a", &[1e101])],
            ..base()
        }),
        refused(&ChartDescription {
            categories: names(1),
            series: vec![ChartSeries { values: vec![None], ..series("a", &[]) }],
            ..base()
        }),
        refused(&ChartDescription {
            categories: names(20_001),
            series: vec![series("a", &vec![1.0; 20_001])],
            ..base()
        }),
        refused(&ChartDescription {
            categories: names(1),
            series: vec![series("a", &[1.0]); 25],
            ..base()
        }),
        refused(&ChartDescription {
            kind: ChartShape::Scatter,
            categories: names(1),
            series: vec![series("a", &[1.0])],
            ..base()
        }),
        refused(&ChartDescription {
            kind: ChartShape::Line,
            stack: ChartStack::Full,
            categories: names(1),
            series: vec![series("a", &[1.0])],
            ..base()
        }),
        refused(&ChartDescription {
            title: Some("题".repeat(301)),
            categories: vec!["n".repeat(201)],
            series: vec![series("a", &[1.0])],
            ..base()
        }),
    ];
    insta::assert_snapshot!(all.join("\n"));
}

#[test]
fn hostile_texts_stay_text_and_every_size_is_drawn() {
    let text = "<script>&\"'\u{0}\u{202E}]]></svg>🚀";
    for kind in [
        ChartShape::Column,
        ChartShape::Bar,
        ChartShape::Line,
        ChartShape::Area,
        ChartShape::Pie,
        ChartShape::Doughnut,
        ChartShape::Scatter,
    ] {
        for (width, height) in
            [(160, Some(160)), (2_000, Some(160)), (160, Some(2_000)), (640, None)]
        {
            for count in [1, 2, 24] {
                let values = (0..count)
                    .map(|at| ChartValue::new(f64::from(at % 5) * 1e99))
                    .collect::<Vec<_>>();
                let chart = ChartDescription {
                    kind,
                    title: Some(text.into()),
                    subtitle: Some(text.repeat(5)),
                    source: Some(text.into()),
                    categories: vec![text.repeat(4); count as usize],
                    x: values.iter().copied().filter(|_| kind == ChartShape::Scatter).collect(),
                    series: vec![ChartSeries {
                        name: text.into(),
                        values: if count == 1 { vec![ChartValue::new(1.0)] } else { values },
                        ..ChartSeries::default()
                    }],
                    width,
                    height,
                    labels: ChartLabels::All,
                    ..ChartDescription::default()
                };
                let svg = chart_svg(&chart).unwrap().svg;
                assert!(
                    !svg.contains("<script") && !svg.contains("NaN") && !svg.contains("inf"),
                    "{kind:?}"
                );
                let mut reader = quick_xml::Reader::from_str(&svg);
                while !matches!(reader.read_event().unwrap(), quick_xml::events::Event::Eof) {}
            }
        }
    }
}

#[test]
fn ten_thousand_points_are_drawn_in_no_time_and_little_room() {
    for kind in [ChartShape::Line, ChartShape::Column, ChartShape::Area, ChartShape::Scatter] {
        let values: Vec<_> =
            (0..10_000).map(|at| ChartValue::new(f64::from(at * 7_919 % 997))).collect();
        let chart = ChartDescription {
            kind,
            categories: (0..10_000).map(|at| format!("{at}")).collect(),
            x: (0..10_000)
                .map(|at| ChartValue::new(f64::from(at)))
                .filter(|_| kind == ChartShape::Scatter)
                .collect(),
            series: vec![ChartSeries { name: "a".into(), values, ..ChartSeries::default() }],
            ..ChartDescription::default()
        };
        let started = std::time::Instant::now();
        let svg = chart_svg(&chart).unwrap().svg;
        assert!(
            started.elapsed() < std::time::Duration::from_secs(10),
            "{kind:?} {:?}",
            started.elapsed()
        );
        assert!(svg.len() < 1_000_000, "{kind:?} {}", svg.len());
    }
}

#[cfg(feature = "png")]
#[test]
fn pictures_have_the_size_that_was_asked_for_and_their_text() {
    let (chart, _) = drawn("27-small");
    let png = chart_png(&chart, 2.0).unwrap();
    assert_eq!((png.width, png.height), (480, 360));
    assert!(
        png.bytes.starts_with(b"\x89PNG")
            && png.warnings.is_empty()
            && png.alternative.contains("小图")
    );
    assert_eq!(png.bytes, chart_png(&chart, 2.0).unwrap().bytes);
    for (scale, what) in [(0.1, "0.25 to 8"), (f64::NAN, "0.25 to 8"), (9.0, "0.25 to 8")] {
        assert!(chart_png(&chart, scale).unwrap_err().to_string().contains(what), "{scale}");
    }
    let large = ChartDescription { width: 2_000, height: Some(2_000), ..chart.clone() };
    assert!(chart_png(&large, 3.0).unwrap_err().to_string().contains("at most 16000000 pixels"));
    let thai = ChartDescription { title: Some("กราฟ".into()), ..chart };
    let warnings = chart_png(&thai, 1.0).unwrap().warnings;
    assert!(warnings[0].contains("U+0E01"), "{warnings:?}");
}

#[test]
fn formats_are_found_from_the_columns() {
    let written = |table: &str| {
        let chart =
            wanted(ChartShape::Column, ChartStack::Apart, "").describe(&columns(table)).unwrap();
        let first = chart.series[0].values[0].unwrap().get();
        (
            chart.format.style,
            chart.format.prefix,
            chart.format.suffix,
            chart.value_title.unwrap_or_default(),
            first,
        )
    };
    let of = |style, prefix: &str, suffix: &str, title: &str, first| {
        (style, prefix.to_owned(), suffix.to_owned(), title.to_owned(), first)
    };
    use NumberStyle::{Auto, Percent, Thousands};
    assert_eq!(written("a | 占比\nx | 40%"), of(Percent, "", "", "占比", 0.4));
    assert_eq!(written("a | 利润率\nx | 0.125"), of(Percent, "", "", "利润率", 0.125));
    assert_eq!(written("a | 汇率\nx | 0.125"), of(Auto, "", "", "汇率", 0.125));
    assert_eq!(written("a | 增长率（%）\nx | 12.5"), of(Auto, "", "%", "增长率（%）", 12.5));
    assert_eq!(
        written("a | 收入（万元） | 成本（万元）\nx | 120000 | 3"),
        of(Thousands, "", "", "万元", 120_000.0)
    );
    assert_eq!(written("a | Revenue\nx | $1,200"), of(Auto, "$", "", "Revenue", 1_200.0));
    assert_eq!(
        written("a | 销售额\nx | 1.2亿元\ny | 800万元"),
        of(Auto, "", "元", "销售额", 1.2e8)
    );
    assert_eq!(written("a | Weight\nx | 5 kg\ny | 0"), of(Auto, "", "kg", "Weight", 5.0));
}
