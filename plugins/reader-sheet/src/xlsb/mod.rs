//! Reads binary workbooks of Excel since 2007.

mod record;
mod sheet;

pub(crate) use sheet::{comments, filters};

use crate::biff::is_encrypted;
use crate::bytes::{u16_at, u32_at};
use crate::format::{NumberFormat, Paddings};
use crate::intake::{Failure, Intake};
use crate::open::{Entry, SheetKind, Source, encrypted, malformed, sheet_failure};
use crate::package::{Package, chart_sheet_title, read_asides};
use crate::properties::Properties;
use crate::unseen::{BLACK, Rgb, Unseen, WHITE};
use crate::value::in_scripts;
use mitt_reader_kit::Error;
use mitt_reader_kit::scripts::Script;
use record::{Records, wide_text};
use std::collections::HashMap;

const WORKBOOK_PROPERTIES: u16 = 0x0099;
const SHEET: u16 = 0x009C;
const SHARED_STRING: u16 = 0x0013;
const FONT: u16 = 0x002B;
const FORMAT: u16 = 0x002C;
const FILL: u16 = 0x002D;
const CELL_FORMAT: u16 = 0x002F;
const BEGIN_CELL_FORMATS: u16 = 0x0269;
const END_CELL_FORMATS: u16 = 0x026A;

pub(crate) fn open(bytes: &[u8]) -> Result<Spreadsheet<'_>, Error> {
    let mut package = Package::open(bytes)
        .map_err(|error| if is_encrypted(bytes) { encrypted() } else { malformed(error) })?;
    let path = package.workbook().ok_or_else(|| malformed("it has no part for the workbook"))?;
    let relationships = package.relationships(&path).unwrap_or_default();
    let target = |kind: &str| {
        let found = relationships.iter().find(|relationship| relationship.kind == kind);
        found.map(|relationship| relationship.target.clone())
    };
    let styles = target("styles").and_then(|path| package.read(&path)).unwrap_or_default();
    let styles = Styles::read(&styles);
    let strings = target("sharedStrings").map(|path| strings(&mut package, &path, &styles.scripts));
    let (strings, are_strings_damaged) = strings.unwrap_or_default();
    let mut book = Spreadsheet {
        common: Common { strings, styles, is_1904: false },
        sheets: Vec::new(),
        warnings: Vec::new(),
        package,
    };
    if are_strings_damaged {
        book.warnings.push("some of the workbook's texts are damaged".to_owned());
    }
    let part =
        book.package.read(&path).ok_or_else(|| malformed("its list of sheets is damaged"))?;
    let mut records = Records::new(part.as_slice());
    while let Some((id, data)) = records.next() {
        match id {
            WORKBOOK_PROPERTIES => {
                book.common.is_1904 = data.first().is_some_and(|flags| flags & 1 != 0)
            }
            SHEET => {
                let sheet = SheetEntry::read(data)
                    .ok_or_else(|| malformed("its list of sheets is damaged"))?;
                let found = relationships.iter().find(|relationship| relationship.id == sheet.id);
                let part = found.map(|relationship| relationship.target.clone());
                let part = part.filter(|path| book.package.has(path));
                let kind = match found.map(|relationship| relationship.kind.as_str()) {
                    _ if part.is_none() => SheetKind::Missing,
                    Some("worksheet") => SheetKind::Worksheet,
                    Some("chartsheet") => SheetKind::Chart,
                    _ => SheetKind::Program,
                };
                let SheetEntry { name, is_hidden, .. } = sheet;
                book.sheets.push((Entry { name, kind, is_hidden }, part.unwrap_or_default()));
            }
            _ => {}
        }
    }
    Ok(book)
}

/// A workbook whose sheets can be read.
pub(crate) struct Spreadsheet<'a> {
    package: Package<'a>,
    common: Common,
    sheets: Vec<(Entry, String)>,
    warnings: Vec<String>,
}

/// Data that the cells of all sheets refer to.
struct Common {
    strings: Vec<String>,
    styles: Styles,
    is_1904: bool,
}

#[derive(Default)]
struct Styles {
    /// By index of the cell format.
    shown: Vec<NumberFormat>,
    paddings: Paddings,
    /// What cell formats do not show.
    unseen: Vec<Unseen>,
    /// Scripts of fonts, by index.
    scripts: Vec<Option<Script>>,
}

impl Source for Spreadsheet<'_> {
    fn properties(&mut self) -> Properties {
        self.package.properties()
    }

    fn entries(&self) -> Vec<Entry> {
        self.sheets.iter().map(|(entry, _)| entry.clone()).collect()
    }

    fn fill(&mut self, index: usize, intake: &mut Intake<'_>) -> Result<(), Failure> {
        let path = &self.sheets[index].1;
        let part = self.package.stream(path).ok_or_else(|| sheet_failure("it is not legible"))?;
        sheet::read(part, &self.common, intake)?;
        read_asides(&mut self.package, path, intake)
    }

    fn chart_title(&mut self, index: usize) -> Option<String> {
        chart_sheet_title(&mut self.package, &self.sheets[index].1)
    }

    fn paddings(&self) -> Option<&Paddings> {
        Some(&self.common.styles.paddings)
    }

    fn warnings(&mut self) -> Vec<String> {
        std::mem::take(&mut self.warnings)
    }
}

struct SheetEntry {
    id: String,
    name: String,
    is_hidden: bool,
}

impl SheetEntry {
    fn read(data: &[u8]) -> Option<Self> {
        let is_hidden = u32_at(data, 0)? != 0;
        let (id, rest) = match u32_at(data, 8)? {
            u32::MAX => (String::new(), &data[12..]),
            _ => wide_text(&data[8..])?,
        };
        Some(Self { id, name: wide_text(rest)?.0, is_hidden })
    }
}

/// Returns the shared strings, and `true` if they are truncated.
fn strings(
    package: &mut Package<'_>,
    path: &str,
    scripts: &[Option<Script>],
) -> (Vec<String>, bool) {
    let mut found = Vec::new();
    let Some(part) = package.stream(path) else { return (found, true) };
    let mut records = Records::new(part);
    while let Some((id, data)) = records.next() {
        if id == SHARED_STRING {
            found.push(rich_text(data, scripts).unwrap_or_default());
        }
    }
    let is_cut = records.is_cut;
    (found, is_cut)
}

impl Styles {
    fn read(styles: &[u8]) -> Self {
        let mut found = Self::default();
        let mut formats = HashMap::new();
        let mut empty = HashMap::new();
        let (mut inks, mut grounds) = (Vec::new(), Vec::new());
        let mut is_of_cells = false;
        let mut records = Records::new(styles);
        while let Some((id, data)) = records.next() {
            match id {
                FORMAT => {
                    if let (Some(id), Some((text, _))) =
                        (u16_at(data, 0), data.get(2..).and_then(wide_text))
                    {
                        formats.insert(id, found.paddings.shown(&text));
                        empty.insert(id, Unseen::of_format(&text));
                    }
                }
                FONT => {
                    found.scripts.push(u16_at(data, 6).and_then(script));
                    inks.push(colour(data.get(12..)).flatten().unwrap_or(BLACK));
                }
                FILL => grounds.push(ground(data)),
                BEGIN_CELL_FORMATS => is_of_cells = true,
                END_CELL_FORMATS => break,
                CELL_FORMAT if is_of_cells => {
                    let id = u16_at(data, 2).unwrap_or_default();
                    let built_in = || NumberFormat::built_in(id);
                    found.shown.push(formats.get(&id).copied().unwrap_or_else(built_in));
                    let at = |offset: usize| u16_at(data, offset).map(usize::from);
                    let ink = at(4).and_then(|it| inks.get(it)).copied().unwrap_or(BLACK);
                    let fill = at(6).and_then(|it| grounds.get(it)).copied().flatten();
                    let unseen = empty.get(&id).copied().unwrap_or_default();
                    found.unseen.push(unseen.painted(Unseen::is_like(ink, fill)));
                }
                _ => {}
            }
        }
        found
    }
}

/// Returns the colour that text on a fill lies on; `None` if it is mixed.
fn ground(data: &[u8]) -> Option<Rgb> {
    match u32_at(data, 0)? {
        0 => Some(WHITE),
        1 => Some(colour(data.get(4..))?.unwrap_or(WHITE)),
        _ => None,
    }
}

/// Returns a colour of a style: `Some(None)` for that of the window or its text, `None` for one that is not known.
fn colour(data: Option<&[u8]>) -> Option<Option<Rgb>> {
    let [flags, index, _, _, red, green, blue, _] = *data?.first_chunk::<8>()?;
    match (flags >> 1, flags & 1) {
        (0, _) => Some(None),
        (1, _) if index >= 64 => Some(None),
        // Programs write the value of indexed colours and of those of a theme too.
        (1 | 3, 0) => None,
        _ => Some(Some([red, green, blue])),
    }
}

/// Returns the script of a font, if it is a superscript or a subscript. Both binary formats have the same numbers.
pub(crate) fn script(escapement: u16) -> Option<Script> {
    match escapement {
        1 => Some(Script::Above),
        2 => Some(Script::Below),
        _ => None,
    }
}

/// Returns rich text. The record has flags, the characters, and the start of each font.
fn rich_text(data: &[u8], scripts: &[Option<Script>]) -> Option<String> {
    let (flags, data) = data.split_first()?;
    let (text, rest) = wide_text(data)?;
    if flags & 1 == 0 || scripts.iter().all(Option::is_none) {
        return Some(text);
    }
    let count = u32_at(rest, 0).unwrap_or_default() as usize;
    let runs = rest.get(4..).unwrap_or_default().chunks_exact(4).take(count);
    let runs = runs.map(|run| {
        let [at, font] = [[run[0], run[1]], [run[2], run[3]]].map(u16::from_le_bytes);
        (at.into(), scripts.get(usize::from(font)).copied().flatten())
    });
    Some(in_scripts(&text, runs))
}
