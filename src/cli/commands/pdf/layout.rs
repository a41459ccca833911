//! `mitt pdf crop` and `mitt pdf n-up`: the edits of the tool for what a person measures on pages as they are shown.

use std::collections::BTreeMap;
use std::process::ExitCode;

use serde_json::{Value, json};

use super::super::pdf_file::contents;
use super::EditedPdf;
use super::pictures::numbers;
use crate::args::Global;
use crate::args::pdf::{Margins, PdfCrop, PdfNUp};
use crate::output::Output;
use mitt_base::{Error, ErrorKind, Result};

/// Most edits of one call; the tool has the same limit. Pages of one size need one edit.
const MAX_EDITS: usize = 2_000;

/// Smallest side of what stays of a page, in points.
const LEAST: f64 = 1.0;

/// Points that a rectangle may go beyond its page: sizes are rounded where they are shown.
const TOLERANCE: f64 = 0.5;

/// Crops pages.
pub(super) async fn crop(global: &Global, command: &PdfCrop, output: &Output) -> Result<ExitCode> {
    let edit = EditedPdf {
        file: &command.file,
        password: &command.password,
        breaks_signatures: command.signed.break_signatures,
        target: &command.target,
    };
    let (work, file) = edit.open(global, output).await?;
    let read = contents(&work, &file, &["pages"]).await?;
    let pages: Vec<PageBox> =
        read["pages"].as_array().into_iter().flatten().filter_map(PageBox::of).collect();
    let edits = crop_edits(command, &pages)?;
    edit.finish(global, (&work, &file), edits, output).await
}

/// Puts several pages on each sheet.
pub(super) async fn n_up(global: &Global, command: &PdfNUp, output: &Output) -> Result<ExitCode> {
    let edit = EditedPdf {
        file: &command.file,
        password: &command.password,
        breaks_signatures: command.signed.break_signatures,
        target: &command.target,
    };
    let (work, file) = edit.open(global, output).await?;
    let read = contents(&work, &file, &["fields"]).await?;
    if let Some(pages) = &command.pages {
        // The tool would name the edit, which the user has not written.
        let count = read["page_count"].as_u64().and_then(|it| usize::try_from(it).ok());
        numbers(pages, count.unwrap_or(0))?;
    }
    // Without fields, there is nothing to flatten, which is an error of the tool.
    let fields = read["fields"].as_array();
    let has_fields = command.flatten && fields.is_some_and(|fields| !fields.is_empty());
    edit.finish(global, (&work, &file), n_up_edits(command, has_fields), output).await
}

/// Returns the edits for sheets. Fields are flattened first, while all their pages are there.
fn n_up_edits(command: &PdfNUp, has_fields: bool) -> Vec<Value> {
    let flatten = has_fields.then(|| json!({ "action": "flatten" }));
    let pages = command.pages.iter();
    let select = pages.map(|pages| json!({ "action": "select-pages", "pages": pages }));
    let sheets = json!({ "action": "n-up", "count": command.count, "value": command.paper });
    flatten.into_iter().chain(select).chain([sheets]).collect()
}

/// The visible part of a page, and how the page is turned.
#[derive(Clone, Copy)]
struct PageBox {
    /// Left, bottom, right, top in points, before the page is turned.
    rect: [f64; 4],
    /// Degrees with the clock: 0, 90, 180 or 270.
    rotation: i64,
}

impl PageBox {
    /// Reads a page in the result of `read_pdf`. `None` if it has no rectangle.
    fn of(page: &Value) -> Option<PageBox> {
        let numbers: Vec<f64> = page["rect"].as_array()?.iter().filter_map(Value::as_f64).collect();
        let rect = <[f64; 4]>::try_from(numbers).ok()?;
        Some(PageBox { rect, rotation: page["rotation"].as_i64().unwrap_or(0).rem_euclid(360) })
    }

    /// Returns width and height as the page is shown.
    fn shown_size(&self) -> (f64, f64) {
        let [left, bottom, right, top] = self.rect;
        let (width, height) = (right - left, top - bottom);
        if self.rotation % 180 == 0 { (width, height) } else { (height, width) }
    }

    /// Returns a rectangle, measured on the page as it is shown, in the coordinates of the page.
    fn to_page(self, [x0, y0, x1, y1]: [f64; 4]) -> [f64; 4] {
        let [left, bottom, right, top] = self.rect;
        match self.rotation {
            90 => [right - y1, bottom + x0, right - y0, bottom + x1],
            180 => [right - x1, top - y1, right - x0, top - y0],
            270 => [left + y0, top - x1, left + y1, top - x0],
            _ => [left + x0, bottom + y0, left + x1, bottom + y1],
        }
    }
}

/// Returns an edit for each group of pages that are cropped to the same rectangle.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a page does not exist or is too small; pages have too many sizes.
fn crop_edits(command: &PdfCrop, pages: &[PageBox]) -> Result<Vec<Value>> {
    let chosen = numbers(command.pages.as_deref().unwrap_or("all"), pages.len())?;
    let mut groups: BTreeMap<String, ([f64; 4], Vec<usize>)> = BTreeMap::new();
    for number in chosen {
        let page = pages[number - 1];
        let rect = page.to_page(shown_rect(command, page, number)?);
        let key = rect.map(|it| format!("{it:.2}")).join(",");
        groups.entry(key).or_insert_with(|| (rect, Vec::new())).1.push(number);
    }
    if groups.len() > MAX_EDITS {
        let message = format!("expected pages of at most {MAX_EDITS} sizes, got {}", groups.len());
        return Err(Error::new(ErrorKind::Input, message)
            .hint("crop them in parts, such as `--pages 1-1000`"));
    }
    let edit = |(rect, mut pages): ([f64; 4], Vec<usize>)| {
        pages.sort_unstable();
        json!({ "action": "crop-pages", "pages": page_list(&pages), "rect": rect })
    };
    Ok(groups.into_values().map(edit).collect())
}

/// Returns what stays of a page as it is shown: left, bottom, right, top in points.
fn shown_rect(command: &PdfCrop, page: PageBox, number: usize) -> Result<[f64; 4]> {
    let (width, height) = page.shown_size();
    let refused = |option: &str, what: &str| {
        let millimetres = |points: f64| points * 25.4 / 72.0;
        let (width, height) = (millimetres(width), millimetres(height));
        let message = format!("page {number} is {width:.0} x {height:.0} mm, and {what}");
        Err(Error::new(ErrorKind::Input, message)
            .at(option)
            .hint("name the pages that it fits with `--pages`; `mitt pdf info` prints their sizes"))
    };
    if let Some(rect) = command.rect {
        if rect[2] > width + TOLERANCE || rect[3] > height + TOLERANCE {
            return refused("--rect", "the rectangle goes beyond it");
        }
        return Ok([rect[0], rect[1], rect[2].min(width), rect[3].min(height)]);
    }
    let none = Margins { top: 0.0, right: 0.0, bottom: 0.0, left: 0.0 };
    let Margins { top, right, bottom, left } = command.margin.unwrap_or(none);
    let rect = [left, bottom, width - right, height - top];
    if rect[2] - rect[0] < LEAST || rect[3] - rect[1] < LEAST {
        return refused("--margin", "nothing of it would stay");
    }
    Ok(rect)
}

/// Returns a list of sorted pages in short: `1-3,7`.
fn page_list(pages: &[usize]) -> String {
    let mut ranges: Vec<(usize, usize)> = Vec::new();
    for page in pages {
        match ranges.last_mut() {
            Some((_, last)) if *last + 1 == *page => *last = *page,
            _ => ranges.push((*page, *page)),
        }
    }
    let range = |(first, last): &(usize, usize)| {
        if first == last { first.to_string() } else { format!("{first}-{last}") }
    };
    ranges.iter().map(range).collect::<Vec<_>>().join(",")
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::args::{Args, Command, PdfCommand};

    fn parsed(line: &[&str]) -> PdfCommand {
        let args = Args::try_parse_from([&["mitt", "pdf"][..], line].concat());
        match args.unwrap_or_else(|error| panic!("{error}")).command {
            Command::Pdf(command) => command,
            other => panic!("{other:?}"),
        }
    }

    fn crop(options: &[&str], pages: &[PageBox]) -> Result<Vec<Value>> {
        let line = [&["crop", "a.pdf", "-o", "b.pdf"][..], options].concat();
        let PdfCommand::Crop(command) = parsed(&line) else { panic!() };
        crop_edits(&command, pages)
    }

    fn page(rect: [f64; 4], rotation: i64) -> PageBox {
        PageBox { rect, rotation }
    }

    #[test]
    fn pages_of_one_size_are_cropped_by_one_edit() {
        let (high, wide) = (page([0.0, 0.0, 600.0, 800.0], 0), page([0.0, 0.0, 800.0, 600.0], 0));
        let edits = crop(&["--margin", "10,20,30,40"], &[high, high, wide, high]).unwrap();
        let edit = |pages: &str, rect: [f64; 4]| json!({ "action": "crop-pages", "pages": pages, "rect": rect });
        assert_eq!(
            edits,
            [edit("1-2,4", [40.0, 30.0, 580.0, 790.0]), edit("3", [40.0, 30.0, 780.0, 590.0])]
        );
        let edits = crop(&["--rect", "1in,1in,2in,3in", "--pages", "odd"], &[high, high, wide]);
        assert_eq!(edits.unwrap(), [edit("1,3", [72.0, 72.0, 216.0, 288.0])]);
    }

    #[test]
    fn turned_pages_are_measured_as_they_are_shown() {
        // 100 x 200 points from (10, 20) on; the rectangle is 30 x 40 in the lower left corner of what is shown.
        let rect = [10.0, 20.0, 110.0, 220.0];
        for (rotation, expected) in [
            (0, [10.0, 20.0, 40.0, 60.0]),
            (90, [70.0, 20.0, 110.0, 50.0]),
            (180, [80.0, 180.0, 110.0, 220.0]),
            (270, [10.0, 190.0, 50.0, 220.0]),
        ] {
            let edits = crop(&["--rect", "0,0,30,40"], &[page(rect, rotation)]).unwrap();
            assert_eq!(edits[0]["rect"], json!(expected), "{rotation}");
        }
        // The top that is shown is the left side of a page that is turned by 90 degrees.
        let edits = crop(&["--margin", "5,0,0,0"], &[page(rect, 90)]).unwrap();
        assert_eq!(edits[0]["rect"], json!([15.0, 20.0, 110.0, 220.0]));
    }

    #[test]
    fn a_page_that_is_too_small_is_named() {
        let pages = [page([0.0, 0.0, 600.0, 800.0], 0), page([0.0, 0.0, 100.0, 100.0], 0)];
        for (options, expected) in [
            (&["--margin", "1in"][..], "page 2 is 35 x 35 mm, and nothing of it would stay"),
            (&["--rect", "0,0,300,50"], "page 2 is 35 x 35 mm, and the rectangle goes beyond it"),
            (&["--rect", "0,0,9,9", "--pages", "3"], "page 3 does not exist; there are 2"),
        ] {
            let error = crop(options, &pages).unwrap_err().render();
            assert!(error.contains(expected), "{error}");
        }
        assert!(crop(&["--rect", "0,0,100.3,50"], &pages).is_ok(), "sizes are shown rounded");
    }

    #[test]
    fn pages_of_too_many_sizes_are_refused() {
        let sized = |at: u32| page([0.0, 0.0, 100.0 + f64::from(at), 100.0], 0);
        let pages: Vec<PageBox> = (0..=2_000).map(sized).collect();
        let error = crop(&["--margin", "1"], &pages).unwrap_err().render();
        assert!(error.contains("at most 2000 sizes, got 2001"), "{error}");
    }

    #[test]
    fn crop_needs_one_of_its_two_measures() {
        for options in [&[][..], &["--margin", "1", "--rect", "0,0,9,9"]] {
            let line = [&["mitt", "pdf", "crop", "a.pdf", "-o", "b.pdf"][..], options].concat();
            assert!(Args::try_parse_from(line).is_err(), "{options:?}");
        }
    }

    #[test]
    fn sheets_have_the_pages_that_were_chosen() {
        let line = [
            "n-up",
            "a.pdf",
            "--count",
            "4",
            "--paper",
            "8.5x11in",
            "--pages",
            "2-",
            "--flatten",
            "-o",
            "b.pdf",
        ];
        let PdfCommand::NUp(command) = parsed(&line) else { panic!() };
        assert_eq!(
            n_up_edits(&command, true),
            [
                json!({ "action": "flatten" }),
                json!({ "action": "select-pages", "pages": "2-" }),
                json!({ "action": "n-up", "count": 4, "value": "612.00x792.00" }),
            ]
        );
        let PdfCommand::NUp(command) = parsed(&["n-up", "a.pdf", "-o", "b.pdf"]) else { panic!() };
        let sheets = json!({ "action": "n-up", "count": 2, "value": "a4" });
        assert_eq!(n_up_edits(&command, false), [sheets]);
    }
}
