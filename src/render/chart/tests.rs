//! Charts of every kind: the numbers of their layout, whole files, what is refused.

mod gallery;

use self::gallery::gallery;
use super::*;
use mitt_base::ErrorKind;

/// A table as text, cells parted by `|`.
pub(super) fn columns(table: &str) -> Vec<ChartColumn> {
    let rows: Vec<Vec<&str>> = table.trim().lines().map(|line| line.split('|').map(str::trim).collect()).collect();
    (0..rows[0].len())
        .map(|index| ChartColumn {
            name: rows[0][index].to_owned(),
            cells: rows[1..].iter().map(|row| row.get(index).copied().unwrap_or_default().to_owned()).collect(),
        })
        .collect()
}

pub(super) fn wanted(kind: ChartShape, stack: ChartStack, title: &str) -> ChartWanted {
    let title = Some(title.to_owned()).filter(|title| !title.is_empty());
    ChartWanted { chart: ChartDescription { kind, stack, title, ..ChartDescription::default() }, ..ChartWanted::default() }
}


/// Writes pictures of all kinds to be looked at: `MITT_CHARTS=<folder> cargo test`.
#[cfg(feature = "png")]
#[test]
fn every_kind_is_drawn_in_both_languages() {
    for (name, wanted, table) in gallery() {
        let chart = wanted.describe(&columns(&table)).unwrap_or_else(|error| panic!("{name}: {}", error.render()));
        let svg = chart_svg(&chart).unwrap();
        assert!(!svg.svg.contains("NaN") && !svg.svg.contains("inf"), "{name}");
        if let Some(folder) = std::env::var_os("MITT_CHARTS") {
            let png = chart_png(&chart, 1.5).unwrap();
            let folder = std::path::PathBuf::from(folder);
            std::fs::write(folder.join(format!("{name}.png")), png.bytes).unwrap();
            std::fs::write(folder.join(format!("{name}.svg")), &svg.svg).unwrap();
            std::fs::write(folder.join(format!("{name}.txt")), format!("{}\n{:?}\n", svg.alternative, svg.warnings)).unwrap();
        }
    }
}
