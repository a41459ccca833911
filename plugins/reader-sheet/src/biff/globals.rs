//! Data of a whole workbook: its sheets, formats, shared strings, and code page.

use super::painted::Painted;
use super::record::{EOF, Part, Record, Records, Version, beginning, is_beginning};
use super::text::{CodePage, Fonts, Segments, bytes, unicode};
use crate::bytes::{u16_at, u32_at};
use crate::format::{NumberFormat, Paddings};
use crate::open::{SheetKind, encrypted, malformed};
use crate::place::cell_name;
use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::WINDOWS_1252;
use mitt_reader_kit::Error;
use std::collections::HashMap;

const DATE_MODE: u16 = 0x0022;
const FILE_PASS: u16 = 0x002F;
const NAME: u16 = 0x0018;
const CODE_PAGE: u16 = 0x0042;
const WS_BOOL: u16 = 0x0081;
const BOUND_SHEET: u16 = 0x0085;
const SHEET_HEADER: u16 = 0x008F;
const PALETTE: u16 = 0x0092;
const SHARED_STRINGS: u16 = 0x00FC;
const RECALC_ID: u16 = 0x01C1;
const DIMENSIONS: u16 = 0x0200;
const CELL_FORMAT_EXTENSION: u16 = 0x087D;

/// Number formats. They have ids since Excel 5. Before, their position is the id.
#[derive(Default)]
struct Formats {
    by_id: HashMap<u16, NumberFormat>,
    counted: u16,
}

pub(super) struct Globals {
    pub(super) version: Version,
    pub(super) code_page: CodePage,
    pub(super) is_1904: bool,
    pub(super) strings: Vec<String>,
    pub(super) sheets: Vec<SheetEntry>,
    pub(super) warnings: Vec<String>,
    /// `true` if no formula has a value, because the program that wrote the workbook does not calculate.
    pub(super) is_uncalculated: bool,
    pub(super) paddings: Paddings,
    pub(super) fonts: Fonts,
    formats: Formats,
    /// Number format of each cell format.
    cell_formats: Vec<u16>,
    pub(super) painted: Painted,
    /// The cells that the filter of a sheet covers, by the number of the sheet.
    filters: HashMap<usize, String>,
}

/// Entry of a sheet, and the start of its records.
pub(super) struct SheetEntry {
    pub(super) name: String,
    pub(super) kind: SheetKind,
    pub(super) is_hidden: bool,
    pub(super) start: usize,
}

impl Globals {
    pub(super) fn read(stream: &[u8]) -> Result<Self, Error> {
        let first = Records::new(stream).next().ok_or_else(|| malformed("it has no records"))?;
        let (version, part) =
            beginning(&first).ok_or_else(|| malformed("it does not begin as a workbook"))?;
        let survey = Survey::of(stream, version);
        let mut globals = Self {
            version,
            code_page: CodePage::Known(WINDOWS_1252),
            is_1904: false,
            strings: Vec::new(),
            sheets: Vec::new(),
            warnings: Vec::new(),
            is_uncalculated: survey.has_formulas && !survey.has_values,
            paddings: Paddings::default(),
            fonts: Fonts::default(),
            formats: Formats::default(),
            cell_formats: Vec::new(),
            painted: Painted::default(),
            filters: HashMap::new(),
        };
        globals.choose_code_page(&survey);
        // A stream without globals has these records in its only sheet.
        let is_list = version >= Version::Five && part == Part::Globals;
        for record in Records::new(stream) {
            match record.id {
                EOF if is_list => break,
                FILE_PASS => return Err(encrypted()),
                BOUND_SHEET if is_list => {
                    if globals.add_sheet(&record, stream).is_none() {
                        let warning = "an entry in the workbook's list of sheets is damaged";
                        globals.warnings.push(warning.to_owned());
                    }
                }
                _ => globals.take(&record),
            }
        }
        if globals.sheets.is_empty() {
            globals.sheets = survey.sheets.into_iter().map(|sheet| globals.place(sheet)).collect();
        }
        Ok(globals)
    }

    /// Returns what a number in a cell format shows.
    pub(super) fn shown(&self, cell_format: u16) -> NumberFormat {
        match self.cell_formats.get(usize::from(cell_format)) {
            Some(format) => self.format(*format),
            None => NumberFormat::Number,
        }
    }

    pub(super) fn format(&self, id: u16) -> NumberFormat {
        match self.formats.by_id.get(&id) {
            Some(shown) => *shown,
            None if self.version >= Version::Five => NumberFormat::built_in(id),
            None => NumberFormat::Number,
        }
    }

    fn take(&mut self, record: &Record<'_>) {
        let data = record.data;
        match record.id {
            DATE_MODE => self.is_1904 = u16_at(data, 0) == Some(1),
            SHARED_STRINGS => {
                let mut segments =
                    Segments::new(data.get(8..).unwrap_or_default(), &record.continued);
                while !segments.is_empty() {
                    let Some(string) = segments.shared_string(&self.fonts) else {
                        self.warnings.push("some of the workbook's texts are damaged".to_owned());
                        break;
                    };
                    self.strings.push(string);
                }
            }
            NAME if self.version == Version::Eight => self.add_filter(data),
            PALETTE => self.painted.palette(data),
            CELL_FORMAT_EXTENSION => self.painted.extension(data),
            0x0031 | 0x0231 if self.version >= Version::Five => {
                self.fonts.push(data);
                self.painted.font(data);
            }
            0x001E | 0x041E => _ = self.add_format(record),
            0x0043 => {
                self.add_cell_format(record, data.get(2).map_or(0, |id| u16::from(id & 0x3F)))
            }
            0x0243 | 0x0443 => {
                self.add_cell_format(record, data.get(1).map_or(0, |id| u16::from(*id)));
            }
            0x00E0 => self.add_cell_format(record, u16_at(data, 2).unwrap_or_default()),
            _ => {}
        }
    }

    fn add_format(&mut self, record: &Record<'_>) -> Option<()> {
        let data = record.data;
        let (id, text) = match self.version {
            Version::Eight => (u16_at(data, 0)?, unicode(&data[2..])?),
            Version::Five => (u16_at(data, 0)?, self.short(&data[2..])?),
            Version::Four if record.id == 0x041E => {
                (self.formats.counted, self.short(data.get(2..)?)?)
            }
            _ => (self.formats.counted, self.short(data)?),
        };
        self.formats.counted += 1;
        self.formats.by_id.insert(id, self.paddings.shown(&text));
        self.painted.number_format(id, &text);
        Some(())
    }

    fn add_cell_format(&mut self, record: &Record<'_>, number_format: u16) {
        self.cell_formats.push(number_format);
        self.painted.cell_format(record, number_format, self.version);
    }

    /// Takes a defined name, if it is the one of the cells of a filter.
    fn add_filter(&mut self, data: &[u8]) {
        const BUILT_IN: u16 = 0x20;
        const FILTER: u8 = 0x0D;
        const AREA: u8 = 0x3B;
        let is_filter = u16_at(data, 0).is_some_and(|flags| flags & BUILT_IN != 0)
            && data.get(15) == Some(&FILTER)
            && data.get(16) == Some(&AREA);
        let (Some(sheet), true) = (u16_at(data, 8), is_filter) else { return };
        let edge = |at: usize| u16_at(data, at).map(u32::from);
        if let (Some(top), Some(bottom), Some(left), Some(right)) =
            (edge(19), edge(21), edge(23), edge(25))
            && let Some(sheet) = usize::from(sheet).checked_sub(1)
        {
            let [left, right] = [left & 0x3FFF, right & 0x3FFF];
            let cells = format!("{}:{}", cell_name(top, left), cell_name(bottom, right));
            self.filters.insert(sheet, cells);
        }
    }

    /// Returns the cells that the filter of a sheet covers. Empty if they are not known.
    pub(super) fn filter(&self, sheet: usize) -> &str {
        self.filters.get(&sheet).map_or("", String::as_str)
    }

    /// Returns text with a length of one byte, as before Excel 97.
    fn short(&self, data: &[u8]) -> Option<String> {
        let (count, text) = data.split_first()?;
        Some(bytes(text, (*count).into(), self.code_page))
    }

    fn add_sheet(&mut self, record: &Record<'_>, stream: &[u8]) -> Option<()> {
        let data = record.data;
        let start = u32_at(data, 0)? as usize;
        let name = data.get(6..)?;
        let name = match self.version {
            Version::Eight => Segments::new(name.get(2..)?, &[])
                .characters(name[0].into(), name[1])
                .unwrap_or_else(|| format!("sheet {}", self.sheets.len() + 1)),
            _ => self.short(name)?,
        };
        let inside = stream.get(start..).unwrap_or_default();
        let part = Records::new(inside).next().and_then(|record| beginning(&record));
        let kind = match (data[5], part) {
            (_, None) => SheetKind::Missing,
            (1 | 6, _) => SheetKind::Program,
            (2, _) => SheetKind::Chart,
            (0, _) => worksheet_or_dialog(inside),
            (_, Some((_, Part::Chart))) => SheetKind::Chart,
            (_, Some((_, Part::Worksheet))) => worksheet_or_dialog(inside),
            _ => SheetKind::Program,
        };
        self.sheets.push(SheetEntry { name, kind, is_hidden: data[4] & 3 != 0, start });
        Some(())
    }

    fn place(&self, sheet: Substream<'_>) -> SheetEntry {
        let name = sheet.name.and_then(|name| self.short(name));
        SheetEntry {
            name: name.unwrap_or_else(|| "Sheet1".to_owned()),
            kind: match sheet.part {
                Part::Chart => SheetKind::Chart,
                Part::Worksheet => SheetKind::Worksheet,
                _ => SheetKind::Program,
            },
            is_hidden: false,
            start: sheet.start,
        }
    }

    /// Selects the code page. Text before Excel 97 is in the code page that the file names, but small programs name
    /// none.
    fn choose_code_page(&mut self, survey: &Survey<'_>) {
        if self.version == Version::Eight {
            return;
        }
        match survey.code_page.map(|number| (number, CodePage::of(number))) {
            Some((_, Some(code_page))) => self.code_page = code_page,
            Some((number, None)) => self.warnings.push(format!(
                "the code page {number} of the workbook is unknown: text beyond ASCII may be wrong"
            )),
            None if survey.has_foreign_text => {
                let encoding = survey.guess();
                self.code_page = CodePage::Known(encoding);
                self.warnings.push(format!(
                    "the workbook does not say its encoding; it was read as {}",
                    encoding.name()
                ));
            }
            None => {}
        }
    }
}

/// Returns the type of a worksheet substream. A dialog is marked before its cells.
fn worksheet_or_dialog(stream: &[u8]) -> SheetKind {
    let before = Records::new(stream).take_while(|record| !matches!(record.id, DIMENSIONS | EOF));
    let is_dialog = before
        .filter(|record| record.id == WS_BOOL)
        .any(|record| record.data.first().is_some_and(|flags| flags & 0x10 != 0));
    if is_dialog { SheetKind::Program } else { SheetKind::Worksheet }
}

/// Facts about the whole stream that are needed before it is read.
struct Survey<'a> {
    /// Sheets in the order of the stream, for workbooks without a list of them.
    sheets: Vec<Substream<'a>>,
    code_page: Option<u16>,
    has_formulas: bool,
    has_values: bool,
    has_foreign_text: bool,
    detector: EncodingDetector,
}

struct Substream<'a> {
    start: usize,
    part: Part,
    name: Option<&'a [u8]>,
}

impl<'a> Survey<'a> {
    fn of(stream: &'a [u8], version: Version) -> Self {
        let mut survey = Self {
            sheets: Vec::new(),
            code_page: None,
            has_formulas: false,
            has_values: false,
            has_foreign_text: false,
            detector: EncodingDetector::new(Iso2022JpDetection::Deny),
        };
        let (mut depth, mut name) = (0_usize, None);
        let mut records = Records::new(stream);
        loop {
            let start = stream.len() - records.left();
            let Some(record) = records.next() else { break };
            let data = record.data;
            match record.id {
                id if is_beginning(id) => {
                    let part = beginning(&record).map_or(Part::Other, |(_, part)| part);
                    // The globals of an Excel 4 workbook enclose its sheets.
                    if part != Part::Globals {
                        if depth == 0 {
                            survey.sheets.push(Substream { start, part, name: name.take() });
                        }
                        depth += 1;
                    }
                }
                EOF => depth = depth.saturating_sub(1),
                SHEET_HEADER => name = data.get(4..),
                CODE_PAGE => survey.code_page = u16_at(data, 0),
                // Programs that calculate write their version.
                RECALC_ID => survey.has_values = true,
                0x0006 | 0x0206 | 0x0406 => {
                    survey.has_formulas = true;
                    let at = if version == Version::Two { 7 } else { 6 };
                    survey.has_values |=
                        data.get(at) != Some(&3) || u16_at(data, at + 6) != Some(0xFFFF);
                }
                0x0004 | 0x0204 | 0x00D6 | 0x0007 | 0x0207 if version < Version::Eight => {
                    survey.has_foreign_text |= !data.get(8..).unwrap_or_default().is_ascii();
                    survey.detector.feed(data.get(8..).unwrap_or_default(), false);
                }
                _ => {}
            }
        }
        survey
    }

    fn guess(&self) -> &'static encoding_rs::Encoding {
        self.detector.guess(None, Utf8Detection::Allow)
    }
}
