//! The arguments of `mitt pdf crop` and `mitt pdf n-up`, and lengths with units.

use std::path::PathBuf;

use clap::ArgGroup;
use clap::builder::{PossibleValuesParser, TypedValueParser as _};

use super::{PdfTarget, Signed, number};
use crate::args::Password;

/// Units of lengths, with the number of points in one of them.
const UNITS: [(&str, f64); 4] =
    [("mm", 72.0 / 25.4), ("cm", 72.0 / 2.54), ("in", 72.0), ("pt", 1.0)];

/// Papers that the tool knows by name.
const PAPERS: [&str; 7] = ["a3", "a4", "a5", "b5", "letter", "legal", "tabloid"];

/// Shortest and longest side of a paper in points; the tool has the same limits.
const SIDES: std::ops::RangeInclusive<f64> = 72.0..=14_400.0;

#[derive(Debug, clap::Args)]
#[command(
    group(ArgGroup::new("cut").required(true).args(["rect", "margin"])),
    after_help = "Lengths are in points, or have a unit: `20mm`, `2cm`, `0.8in`, `57pt`. What is cut off is hidden, and still in the file; `mitt redact --area` removes it.\n\nExamples:\n  mitt pdf crop scan.pdf --margin 10mm -o cut.pdf\n  mitt pdf crop scan.pdf --margin 20mm,0,15mm,0 --pages 2- -o cut.pdf\n  mitt pdf crop drawing.pdf --rect 20mm,20mm,170mm,120mm --pages 3 -o detail.pdf"
)]
pub(crate) struct PdfCrop {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// What stays: its left and bottom from the lower left corner of the page as it is shown, its width and its height
    #[arg(long, value_name = "LEFT,BOTTOM,WIDTH,HEIGHT", value_parser = rectangle)]
    pub(crate) rect: Option<[f64; 4]>,
    /// What is cut off: one length for all sides, or four for top, right, bottom and left
    #[arg(long, value_name = "LENGTH|TOP,RIGHT,BOTTOM,LEFT", value_parser = margins)]
    pub(crate) margin: Option<Margins>,
    /// The pages to crop: `1-3,7,10-`, `odd`, `even`, `last` [default: all]
    #[arg(long, value_name = "PAGES")]
    pub(crate) pages: Option<String>,
    #[command(flatten)]
    pub(crate) signed: Signed,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) target: PdfTarget,
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Links, bookmarks, comments and form fields are not on the sheets; warnings count them.\n\nExamples:\n  mitt pdf n-up slides.pdf -o handout.pdf\n  mitt pdf n-up slides.pdf --count 4 --paper letter --pages 2- -o handout.pdf\n  mitt pdf n-up form.pdf --paper 210x297mm --flatten -o sheets.pdf"
)]
pub(crate) struct PdfNUp {
    /// The PDF
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// Pages on a sheet
    #[arg(long, value_name = "N", default_value = "2", value_parser = PossibleValuesParser::new(["2", "4"]).map(|it| if it == "4" { 4_u32 } else { 2 }))]
    pub(crate) count: u32,
    /// The paper of the sheets: `a3`, `a4`, `a5`, `b5`, `letter`, `legal`, `tabloid`, or its two sides, such as `210x297mm`,
    /// `8.5inx11in` or `595x842` in points. Mitt turns the paper on its side if the pages fit it better so
    #[arg(long, value_name = "PAPER", default_value = "a4", value_parser = paper)]
    pub(crate) paper: String,
    /// The pages to put on sheets, in this order: `3,1,5-`, `odd`, `even`, `last` [default: all]
    #[arg(long, value_name = "PAGES")]
    pub(crate) pages: Option<String>,
    /// Make form fields part of their pages first, so that the sheets show them
    #[arg(long)]
    pub(crate) flatten: bool,
    #[command(flatten)]
    pub(crate) signed: Signed,
    #[command(flatten)]
    pub(crate) password: Password,
    #[command(flatten)]
    pub(crate) target: PdfTarget,
}

/// What is cut off at each side of a page, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Margins {
    pub(crate) top: f64,
    pub(crate) right: f64,
    pub(crate) bottom: f64,
    pub(crate) left: f64,
}

/// Parses a length with its unit, or in points. Returns points.
fn length(text: &str) -> Result<f64, String> {
    let text = text.trim();
    let with_unit = UNITS.iter().find_map(|(unit, points)| {
        let digits = text.strip_suffix(unit).or_else(|| text.strip_suffix(&unit.to_uppercase()))?;
        Some((digits, *points))
    });
    let (digits, points) = with_unit.unwrap_or((text, 1.0));
    let wrong = || "expected lengths such as `20mm`, `2cm`, `0.8in` or `57` in points".to_owned();
    number(digits).map(|it| it * points).map_err(|_| wrong())
}

/// Parses the left and the bottom of a rectangle, its width and its height. Returns left, bottom, right, top in points.
fn rectangle(text: &str) -> Result<[f64; 4], String> {
    let lengths: Vec<f64> = text.split(',').map(length).collect::<Result<_, _>>()?;
    match lengths[..] {
        [left, bottom, width, height] if left >= 0.0 && bottom >= 0.0 => {
            if width < 1.0 || height < 1.0 {
                return Err("expected a width and a height of at least one point".to_owned());
            }
            Ok([left, bottom, left + width, bottom + height])
        }
        _ => Err("expected left, bottom, width and height, none below zero, such as `20mm,20mm,170mm,120mm`".to_owned()),
    }
}

/// Parses one length for all sides, or one for each.
fn margins(text: &str) -> Result<Margins, String> {
    let lengths: Vec<f64> = text.split(',').map(length).collect::<Result<_, _>>()?;
    let margins = match lengths[..] {
        [all] => Margins { top: all, right: all, bottom: all, left: all },
        [top, right, bottom, left] => Margins { top, right, bottom, left },
        _ => {
            let wanted =
                "expected one length such as `10mm`, or four for top, right, bottom and left";
            return Err(wanted.to_owned());
        }
    };
    let sides = [margins.top, margins.right, margins.bottom, margins.left];
    if sides.iter().any(|it| *it < 0.0) || sides.iter().all(|it| *it == 0.0) {
        return Err("expected lengths that are not below zero, one of them above".to_owned());
    }
    Ok(margins)
}

/// Parses the name of a paper or its sides. Returns what the tool takes: the name, or the sides in points.
fn paper(text: &str) -> Result<String, String> {
    let text = text.trim().to_lowercase();
    if PAPERS.contains(&text.as_str()) {
        return Ok(text);
    }
    let wrong = || {
        format!(
            "expected {}, or two sides such as `210x297mm`, from 1 to 200 inches each",
            PAPERS.map(|it| format!("`{it}`")).join(", ")
        )
    };
    let (width, height) = text.split_once(['x', '×']).ok_or_else(wrong)?;
    // The unit may be written once, behind both sides.
    let unit = UNITS.iter().find(|(unit, _)| height.trim_end().ends_with(unit));
    let width = match unit {
        Some((unit, _)) if number(width).is_ok() => format!("{}{unit}", width.trim()),
        _ => width.to_owned(),
    };
    let sides = (length(&width).map_err(|_| wrong())?, length(height).map_err(|_| wrong())?);
    if !SIDES.contains(&sides.0) || !SIDES.contains(&sides.1) {
        return Err(wrong());
    }
    Ok(format!("{:.2}x{:.2}", sides.0, sides.1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_have_units() {
        for (text, points) in [
            ("72", 72.0),
            ("1in", 72.0),
            ("25.4mm", 72.0),
            ("2.54 CM", 72.0),
            ("12.5pt", 12.5),
            ("0", 0.0),
        ] {
            assert!((length(text).unwrap() - points).abs() < 1e-9, "{text}");
        }
        for wrong in ["", "mm", "2m", "a", "nan", "1,2", "10 furlongs"] {
            assert!(length(wrong).unwrap_err().contains("`20mm`"), "{wrong}");
        }
    }

    #[test]
    fn a_rectangle_has_a_corner_and_a_size() {
        assert_eq!(rectangle("1in, 0,2in,36").unwrap(), [72.0, 0.0, 216.0, 36.0]);
        for wrong in ["1,2,3", "1,2,3,4,5", "-1,0,9,9", "1,1,0,9", "1,1,9,0.5mm,", "a,1,1,1"] {
            assert!(rectangle(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn margins_are_one_or_four_lengths() {
        let all = Margins { top: 72.0, right: 72.0, bottom: 72.0, left: 72.0 };
        assert_eq!(margins("1in").unwrap(), all);
        let some = Margins { top: 1.0, right: 2.0, bottom: 0.0, left: 4.0 };
        assert_eq!(margins("1,2,0,4").unwrap(), some);
        for wrong in ["0", "0,0,0,0", "-1", "1,2", "1,2,3,-4", "x"] {
            assert!(margins(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_paper_has_a_name_or_two_sides() {
        for (text, expected) in [
            ("A4", "a4"),
            ("Letter", "letter"),
            ("595x842", "595.00x842.00"),
            ("8.5inx11in", "612.00x792.00"),
            ("8.5x11in", "612.00x792.00"),
            ("254 x 508 mm", "720.00x1440.00"),
            ("25.4mm×36cm", "72.00x1020.47"),
        ] {
            assert_eq!(paper(text).unwrap(), expected, "{text}");
        }
        for wrong in ["a6", "", "x", "10x20", "a4x", "600x20000", "595", "5ftx6ft"] {
            let error = paper(wrong).unwrap_err();
            assert!(error.contains("`a4`") && error.contains("`210x297mm`"), "{wrong}: {error}");
        }
    }
}
