//! Reads the used cells of a workbook of any format.

use crate::format::Paddings;
use crate::intake::{Budget, Failure, Intake, Sheet};
use crate::properties::Properties;
use crate::{biff, ods, xlsb, xlsx};
use mitt_reader_kit::{ENCRYPTED, Error, clean, single_line};
use std::fmt::Display;

/// Content of a workbook, before headers are recognized.
pub(crate) struct Workbook {
    pub(crate) properties: Properties,
    pub(crate) sheets: Vec<Sheet>,
    pub(crate) warnings: Vec<String>,
}

/// An entry in the list of sheets.
#[derive(Clone)]
pub(crate) struct Entry {
    pub(crate) name: String,
    pub(crate) kind: SheetKind,
    pub(crate) is_hidden: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum SheetKind {
    Worksheet,
    Chart,
    /// Macros or a dialog.
    Program,
    /// The workbook lists it but does not contain it.
    Missing,
}

/// A workbook in some format.
pub(crate) trait Source {
    fn properties(&mut self) -> Properties;

    fn entries(&self) -> Vec<Entry>;

    /// Reads the worksheet of an entry.
    fn fill(&mut self, index: usize, intake: &mut Intake<'_>) -> Result<(), Failure>;

    /// Returns the title of the chart sheet of an entry.
    fn chart_title(&mut self, _index: usize) -> Option<String> {
        None
    }

    /// Returns the number of bytes of the shared strings.
    fn text_bytes(&self) -> usize {
        0
    }

    /// Returns the formats of the workbook that show identifiers.
    fn paddings(&self) -> Option<&Paddings> {
        None
    }

    /// Returns warnings about the workbook as a whole.
    fn warnings(&mut self) -> Vec<String> {
        Vec::new()
    }
}

/// Opens a workbook and collects the cells of all its worksheets.
pub(crate) fn open(bytes: &[u8], extension: &str) -> Result<Workbook, Error> {
    match extension {
        "xlsx" | "xlsm" => collect(xlsx::open(bytes)?),
        "xlsb" => collect(xlsb::open(bytes)?),
        "xls" => collect(biff::open(bytes)?),
        "ods" => collect(ods::open(bytes)?),
        other => Err(Error::Unsupported(format!("not a workbook: `{other}`"))),
    }
}

fn collect(mut source: impl Source) -> Result<Workbook, Error> {
    let mut warnings = source.warnings();
    let mut sheets = Vec::new();
    let mut failures = Vec::new();
    let mut budget = Budget::new(source.text_bytes());
    for (index, entry) in source.entries().into_iter().enumerate() {
        let name = single_line(&clean(&entry.name));
        match entry.kind {
            SheetKind::Worksheet => {}
            SheetKind::Missing => {
                failures.push(format!("sheet `{name}` is listed in the workbook but is not in it"));
                continue;
            }
            SheetKind::Chart => {
                warnings.push(chart(&name, source.chart_title(index)));
                continue;
            }
            SheetKind::Program => {
                warnings.push(format!("sheet `{name}` holds macros or dialogs and was not read"));
                continue;
            }
        }
        if entry.is_hidden {
            warnings.push(format!("sheet `{name}` is hidden in the workbook"));
        }
        let mut intake = Intake::new(&mut budget, name.clone());
        let filled = source.fill(index, &mut intake);
        let (sheet, notes) = match filled.and_then(|()| intake.finish(source.paddings())) {
            Ok(finished) => finished,
            Err(Failure::TooLarge(error)) => return Err(error),
            Err(Failure::Sheet(reason)) => {
                failures.push(format!("sheet `{name}` is damaged: {reason}"));
                continue;
            }
        };
        warnings.extend(notes.into_iter().map(|note| format!("sheet `{name}`: {note}")));
        sheets.push(sheet);
    }
    if sheets.is_empty() && !failures.is_empty() {
        return Err(Error::Malformed(failures.join("; ")));
    }
    warnings.extend(failures);
    Ok(Workbook { properties: source.properties(), sheets, warnings })
}

fn chart(name: &str, title: Option<String>) -> String {
    match title.map(|title| single_line(&clean(&title))).filter(|title| !title.is_empty()) {
        Some(title) => format!("sheet `{name}` is the chart `{title}` and was not read"),
        None => format!("sheet `{name}` is a chart and was not read"),
    }
}

pub(crate) fn sheet_failure(error: impl Display) -> Failure {
    Failure::Sheet(error.to_string())
}

pub(crate) fn encrypted() -> Error {
    Error::Unsupported(ENCRYPTED.to_owned())
}

pub(crate) fn malformed(error: impl Display) -> Error {
    Error::Malformed(format!("the workbook is damaged: {error}"))
}
