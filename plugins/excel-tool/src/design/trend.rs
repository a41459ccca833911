//! Small charts in cells.

use super::{About, Design, Read, behind, columns};
use crate::bindings::mitt::host::render::{SparklineKind, Sparklines};
use crate::problems::quoted;

/// Parses `trend {Q1} to {Q4}` and `trend columns {Q1} to {Q4}: Header`.
pub(super) fn trend(rest: &str, about: &About<'_>, design: &mut Design) -> Read<()> {
    let kinds = [
        ("line", SparklineKind::Line),
        ("columns", SparklineKind::Column),
        ("column", SparklineKind::Column),
        ("win-loss", SparklineKind::WinLoss),
    ];
    let of = kinds.iter().find_map(|(word, kind)| Some((*kind, behind(rest, word)?)));
    let (kind, rest) = of.unwrap_or((SparklineKind::Line, rest));
    let wrong = || format!("expected `trend {{Q1}} to {{Q4}}`, got {}", quoted(rest));
    let (first, rest) = columns(rest, about)?;
    let rest =
        behind(rest, "to").or_else(|| rest.strip_prefix(['-', '–', '至'])).ok_or_else(wrong)?;
    let (last, rest) = columns(rest.trim(), about)?;
    let (&[first], &[last]) = (&first[..], &last[..]) else { return Err(wrong()) };
    if first >= last {
        return Err(format!(
            "expected two columns from left to right, got `{}` and `{}`",
            about.names[first as usize], about.names[last as usize]
        ));
    }
    let header = rest.trim_start_matches([':', '：']).trim();
    let is_chinese =
        about.names.iter().any(|name| name.contains(|c| matches!(c, '\u{4e00}'..='\u{9fff}')));
    let header = match header {
        "" if is_chinese => "趋势",
        "" => "Trend",
        header => header,
    };
    let taken = |header: &str| {
        about.names.iter().any(|name| name == header)
            || design.sparklines.iter().any(|(_, name)| name == header)
    };
    let mut unique = header.to_owned();
    let mut number = 2;
    while taken(&unique) {
        unique = format!("{header} {number}");
        number += 1;
    }
    let column = (about.names.len() + design.sparklines.len()) as u32;
    design.sparklines.push((Sparklines { column, first, last, kind }, unique));
    Ok(())
}
