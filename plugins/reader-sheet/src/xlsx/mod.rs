//! Reads workbooks of Excel since 2007.

mod cells;
mod painted;
pub(crate) mod palette;
mod scan;
mod sheet;
mod text;

pub(crate) use cells::{
    Cell, CellType, Formula, SharedFormulas, Sink, integer, is_true, read_cells, region,
};
pub(crate) use scan::{Scanner, Tag, Token, unescaped};
pub(crate) use text::{Strings, unescape_units};

use crate::biff::is_encrypted;
use crate::format::{NumberFormat, Paddings};
use crate::intake::{Failure, Intake, MAX_TEXT_BYTES};
use crate::item::Item;
use crate::open::{Entry, SheetKind, Source, encrypted, malformed, sheet_failure};
use crate::package::{Package, attribute, chart_sheet_title, events, read_asides};
use crate::properties::Properties;
use crate::unseen::Unseen;
use crate::value::text_item;
use mitt_reader_kit::Error;
use quick_xml::events::Event;
use std::collections::HashMap;

pub(crate) fn open(bytes: &[u8]) -> Result<Spreadsheet<'_>, Error> {
    let book = Book::open(bytes, text_item)?;
    let Book { mut package, strings, styles, theme, sheets, is_1904, wants_calculation } = book;
    let theme = theme.and_then(|path| package.read(&path)).unwrap_or_default();
    let Shown { shown, unseen, paddings } = shown(&styles, &theme);
    let common = Common { strings, shown, unseen, paddings, is_1904, wants_calculation };
    Ok(Spreadsheet { package, common, sheets })
}

/// The parts of a workbook.
pub(crate) struct Book<'a> {
    pub(crate) package: Package<'a>,
    pub(crate) sheets: Vec<Sheet>,
    pub(crate) strings: Strings,
    /// The part with the styles, empty if there is none.
    pub(crate) styles: Vec<u8>,
    /// Path of the part with the theme, if there is one.
    pub(crate) theme: Option<String>,
    pub(crate) is_1904: bool,
    /// `true` if the workbook asks for a calculation when it is opened.
    pub(crate) wants_calculation: bool,
}

impl<'a> Book<'a> {
    /// Reads everything but the sheets. `item` makes the item of a shared string.
    pub(crate) fn open(bytes: &'a [u8], item: impl Fn(&str) -> Item) -> Result<Self, Error> {
        let mut package = Package::open(bytes)
            .map_err(|error| if is_encrypted(bytes) { encrypted() } else { malformed(error) })?;
        let path =
            package.workbook().ok_or_else(|| malformed("it has no part for the workbook"))?;
        let folder = path.rfind('/').map_or("", |slash| &path[..=slash]);
        let relationships = package
            .relationships(&path)
            .ok_or_else(|| malformed("the list of its parts is missing or damaged"))?;
        // Some programs omit relationships, so the parts are also looked up by their usual names.
        let beside = |package: &Package<'_>, kind: &str| {
            let found = relationships.iter().find(|relationship| relationship.kind == kind);
            let target = found.map(|relationship| relationship.target.clone());
            target.into_iter().chain([format!("{folder}{kind}.xml")]).find(|path| package.has(path))
        };
        let part = package.read(&path).ok_or_else(|| malformed("its list of sheets is damaged"))?;
        let mut workbook = Workbook::read(&part);
        for (sheet, id) in workbook.sheets.iter_mut().zip(&workbook.ids) {
            let found = relationships.iter().find(|relationship| relationship.id == *id);
            let found = found.filter(|relationship| package.has(&relationship.target));
            if let Some(relationship) = found {
                sheet.part = relationship.target.clone();
                sheet.entry.kind = match relationship.kind.as_str() {
                    "worksheet" => SheetKind::Worksheet,
                    "chartsheet" => SheetKind::Chart,
                    _ => SheetKind::Program,
                };
            }
        }
        let [strings, styles, theme] =
            ["sharedStrings", "styles", "theme"].map(|kind| beside(&package, kind));
        let strings = match strings.as_deref().and_then(|path| package.stream(path)) {
            Some(part) => Strings::read(part, MAX_TEXT_BYTES, item)?,
            None => Strings::default(),
        };
        let styles = styles.and_then(|path| package.read(&path)).unwrap_or_default();
        let Workbook { sheets, is_1904, wants_calculation, .. } = workbook;
        Ok(Book { package, sheets, strings, styles, theme, is_1904, wants_calculation })
    }
}

impl Strings {
    /// Returns the warning about strings that are missing, the first time.
    pub(crate) fn take_warning(&mut self) -> Option<String> {
        let damage = self.damage.take()?;
        Some(format!("some of the texts that cells share are missing: {damage}"))
    }
}

/// A workbook whose sheets can be read.
pub(crate) struct Spreadsheet<'a> {
    package: Package<'a>,
    common: Common,
    sheets: Vec<Sheet>,
}

/// Data that the cells of all sheets refer to.
struct Common {
    strings: Strings,
    /// By index of the cell format.
    shown: Vec<NumberFormat>,
    /// What cell formats do not show; empty if all of them show everything.
    unseen: Vec<Unseen>,
    paddings: Paddings,
    is_1904: bool,
    /// `true` if the workbook asks for a calculation when it is opened.
    wants_calculation: bool,
}

/// An entry in the list of sheets, and the path of its part.
pub(crate) struct Sheet {
    pub(crate) entry: Entry,
    pub(crate) part: String,
}

impl Source for Spreadsheet<'_> {
    fn properties(&mut self) -> Properties {
        self.package.properties()
    }

    fn entries(&self) -> Vec<Entry> {
        self.sheets.iter().map(|sheet| sheet.entry.clone()).collect()
    }

    fn text_bytes(&self) -> usize {
        self.common.strings.bytes
    }

    fn fill(&mut self, index: usize, intake: &mut Intake<'_>) -> Result<(), Failure> {
        let path = &self.sheets[index].part;
        let part = self.package.stream(path).ok_or_else(|| sheet_failure("it is not legible"))?;
        sheet::read(part, &self.common, intake)?;
        read_asides(&mut self.package, path, intake)
    }

    fn chart_title(&mut self, index: usize) -> Option<String> {
        chart_sheet_title(&mut self.package, &self.sheets[index].part)
    }

    fn paddings(&self) -> Option<&Paddings> {
        Some(&self.common.paddings)
    }

    fn warnings(&mut self) -> Vec<String> {
        self.common.strings.take_warning().into_iter().collect()
    }
}

#[derive(Default)]
struct Workbook {
    sheets: Vec<Sheet>,
    /// Relationship id of each sheet.
    ids: Vec<String>,
    is_1904: bool,
    wants_calculation: bool,
}

impl Workbook {
    fn read(xml: &[u8]) -> Self {
        let mut found = Self::default();
        events(xml, |event| {
            let Event::Start(element) = event else { return };
            let text = |name| attribute(element, name);
            let is_on = |name| text(name).map(|value| matches!(value.as_str(), "1" | "true"));
            match element.local_name().as_ref() {
                "sheet" => {
                    let is_hidden = text("state").is_some_and(|state| state != "visible");
                    let name = text("name").unwrap_or_default();
                    let entry = Entry { name, kind: SheetKind::Missing, is_hidden };
                    found.sheets.push(Sheet { entry, part: String::new() });
                    found.ids.push(text("id").unwrap_or_default());
                }
                // An extension has an element of the same name, without this attribute.
                "workbookPr" => found.is_1904 = is_on("date1904").unwrap_or(found.is_1904),
                "calcPr" => found.wants_calculation = is_on("fullCalcOnLoad").unwrap_or_default(),
                _ => {}
            }
        });
        found
    }
}

/// What cell formats show.
struct Shown {
    shown: Vec<NumberFormat>,
    unseen: Vec<Unseen>,
    paddings: Paddings,
}

/// Returns what each cell format shows.
fn shown(styles: &[u8], theme: &[u8]) -> Shown {
    let mut paddings = Paddings::default();
    let mut formats = HashMap::new();
    let mut empty: HashMap<String, Unseen> = HashMap::new();
    let mut shown = Vec::new();
    let mut unseen = Vec::new();
    let mut is_of_cells = false;
    events(styles, |event| match event {
        Event::Start(element) => match element.local_name().as_ref() {
            "numFmt" => {
                if let (Some(id), Some(format)) =
                    (attribute(element, "numFmtId"), attribute(element, "formatCode"))
                {
                    let unseen = Unseen::of_format(&format);
                    if unseen != Unseen::default() {
                        empty.insert(id.clone(), unseen);
                    }
                    formats.insert(id, paddings.shown(&format));
                }
            }
            "cellXfs" => is_of_cells = true,
            "xf" if is_of_cells => {
                let id = attribute(element, "numFmtId").unwrap_or_default();
                let built_in = || NumberFormat::built_in(id.parse().unwrap_or_default());
                shown.push(formats.get(&id).copied().unwrap_or_else(built_in));
                unseen.push(empty.get(&id).copied().unwrap_or_default());
            }
            _ => {}
        },
        Event::End(element) if element.local_name().as_ref() == "cellXfs" => is_of_cells = false,
        _ => {}
    });
    for (unseen, is_painted) in unseen.iter_mut().zip(painted::painted(styles, theme)) {
        *unseen = unseen.painted(is_painted);
    }
    if unseen.iter().all(|unseen| *unseen == Unseen::default()) {
        unseen.clear();
    }
    Shown { shown, unseen, paddings }
}
