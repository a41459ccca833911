//! Pictures in cells: each fills its cell, or the merged cells, as far as its proportions allow.

use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};

use super::book::Book;
use super::package::{Package, before_end};
use super::refs::{self, Area, At};
use super::shown::PictureName;
use crate::model::picture::{MAX_PICTURES, Pictures};
use crate::shared::picture::{Format, Gallery, Picture, for_word};
use crate::shared::xml_tokens::{TagKind, XmlToken, escape, xml_tokens};
use crate::{FillValue, FillValues};
use mitt_base::error::InputProblem;
use mitt_base::{Error, ErrorKind, Result};

/// English metric units in a point and in a pixel.
const POINT: f64 = 12_700.0;
const PIXEL: f64 = 9_525.0;

/// Widest digit of the standard font, in pixels: that of Calibri 11, by which columns are measured.
const DIGIT: f64 = 7.0;

/// Width of a column in characters, and height of a row in points, where a sheet states none.
const COLUMN: f64 = 8.43;
const ROW: f64 = 15.0;

/// Most pictures that cells show, each counted as often as it is shown.
const MAX_PLACED: usize = 10_000;

/// Most problems in an error.
const MAX_LISTED: usize = 20;

const RELATIONSHIPS: &str = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
const DRAWING_TYPE: &str = "application/vnd.openxmlformats-officedocument.drawing+xml";
const SPREADSHEET_DRAWING: &str =
    "http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing";
const DRAWING: &str = "http://schemas.openxmlformats.org/drawingml/2006/main";

/// Elements behind the drawing of a sheet.
const BEHIND: [&str; 10] = [
    "legacyDrawing",
    "legacyDrawingHF",
    "drawingHF",
    "picture",
    "oleObjects",
    "controls",
    "AlternateContent",
    "webPublishItems",
    "tableParts",
    "extLst",
];

/// A picture and its cell.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    pub(super) sheet: usize,
    pub(super) at: At,
    pub(super) picture: PictureName,
    /// The cell, for messages.
    pub(super) place: String,
}

/// Returns the names of the pictures that a template may show, if anything in it asks for one. Nothing of it is kept.
pub(super) fn names(package: &mut Package<'_>, values: &FillValues) -> Result<Vec<String>> {
    let mut names = Names { all: Vec::new(), known: BTreeSet::new() };
    let entries = values.entries();
    // Single values first: those of long lists may be more than a caller gives.
    for (_, value) in entries.iter().filter(|it| it.1.is_single()) {
        names.add(value);
    }
    for (_, value) in entries.iter().filter(|it| !it.1.is_single()) {
        names.add(value);
    }
    if names.all.is_empty() {
        return Ok(names.all);
    }
    let parts: Vec<String> = package.names().map(str::to_owned).collect();
    for part in parts {
        let lower = part.to_lowercase();
        let has_cells = lower.ends_with(".xml")
            && lower.starts_with("xl/")
            && (lower.contains("strings") || lower.contains("sheets/"));
        if has_cells && package.contains(&part, b"picture")? {
            return Ok(names.all);
        }
    }
    Ok(Vec::new())
}

struct Names {
    all: Vec<String>,
    known: BTreeSet<String>,
}

impl Names {
    /// Adds the names in a value. Values are as deep as JSON allows.
    fn add(&mut self, value: &FillValue) {
        match value {
            FillValue::Text(text) => {
                let lower = text.trim().to_lowercase();
                if [".png", ".jpg", ".jpeg"].iter().any(|end| lower.ends_with(end)) {
                    self.add_name(text.trim());
                }
            }
            FillValue::Record(entries) => {
                for (name, value) in entries {
                    match value {
                        FillValue::Text(text) if name == "picture" => self.add_name(text.trim()),
                        value => self.add(value),
                    }
                }
            }
            FillValue::List(items) => items.iter().for_each(|item| self.add(item)),
            FillValue::Table(table) => table.rows.iter().flatten().for_each(|cell| self.add(cell)),
            _ => {}
        }
    }

    fn add_name(&mut self, name: &str) {
        if self.all.len() < MAX_PICTURES && !name.is_empty() && self.known.insert(name.to_owned()) {
            self.all.push(name.to_owned());
        }
    }
}

/// Writes the pictures of all sheets.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - pictures were not given, or are no PNG or JPEG: all of them, each with its place.
pub(super) fn place(package: &mut Package<'_>, placed: &[Placed], given: &Pictures) -> Result<()> {
    if placed.is_empty() {
        return Ok(());
    }
    if placed.len() > MAX_PLACED {
        let message = format!("expected at most {MAX_PLACED} pictures, got {}", placed.len());
        return Err(Error::new(ErrorKind::Arguments, message).hint("give fewer items"));
    }
    let book = Book::read(package)?;
    if book.xml.contains("purl.oclc.org/ooxml") {
        return Err(Error::input(
            "the template is a strict Open XML workbook, which gets no pictures",
        )
        .with_problem(InputProblem::UnsupportedType)
        .hint("save it in Excel as `Excel Workbook (.xlsx)`"));
    }
    let mut gallery = Gallery::new(given, &accept);
    let numbers = found(placed, &mut gallery)?;
    let mut media: BTreeMap<usize, String> = BTreeMap::new();
    let mut sheets: BTreeMap<usize, Vec<(&Placed, usize)>> = BTreeMap::new();
    for (placed, number) in placed.iter().zip(numbers) {
        sheets.entry(placed.sheet).or_default().push((placed, number));
    }
    for (sheet, all) in sheets {
        let Some(part) = book.sheets.get(sheet).map(|it| it.part.clone()) else { continue };
        let Some(xml) = package.text(&part)? else { continue };
        let geometry = Geometry::read(&xml);
        let drawing = drawing(package, &part, &xml)?;
        let mut relations: BTreeMap<usize, String> = BTreeMap::new();
        let old = package.text(&drawing)?.unwrap_or_default();
        let mut id = last_id(&old);
        let mut anchors = String::new();
        for (placed, number) in all {
            let Some(picture) = gallery.all().get(number) else { continue };
            let relation = match relations.entry(number) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(free) => {
                    let target = file(package, &mut media, number, picture)?;
                    let kind = format!("{RELATIONSHIPS}/image");
                    free.insert(package.relate(&drawing, &kind, &target)?)
                }
            };
            id += 1;
            let size = geometry.size(placed.at, picture);
            anchors.push_str(&anchor(placed, size, (id, relation)));
        }
        package.set(&drawing, before_end(&old, "wsDr", &anchors));
    }
    Ok(())
}

/// Accepts what every version of Excel shows, upright.
fn accept(picture: Picture) -> std::result::Result<Picture, String> {
    match picture.format {
        Format::Png | Format::Jpeg => {
            match for_word(picture.format, &picture.file, picture.orientation)? {
                None => Ok(picture),
                Some((format, file)) => {
                    Ok(Picture { format, file: file.into(), orientation: 1, ..picture })
                }
            }
        }
        _ => Err("expected a PNG or JPEG".to_owned()),
    }
}

/// Returns the number of each picture.
fn found(placed: &[Placed], gallery: &mut Gallery<'_>) -> Result<Vec<usize>> {
    let (mut numbers, mut problems) = (Vec::new(), Vec::new());
    for placed in placed {
        let name = mitt_base::text::one_line(&placed.picture.file);
        match gallery.find(&placed.picture.file) {
            Ok(number) => numbers.push(number),
            Err(why) if why.is_empty() => {
                problems.push(format!("{}: the picture `{name}` was not given", placed.place));
            }
            Err(why) => problems.push(format!("{}: the picture {why}", placed.place)),
        }
    }
    if problems.is_empty() {
        return Ok(numbers);
    }
    let more = problems.len().saturating_sub(MAX_LISTED);
    problems.truncate(MAX_LISTED);
    let mut error = match problems.len() {
        1 => Error::new(ErrorKind::Arguments, problems.remove(0)),
        _ => Error::new(ErrorKind::Arguments, "pictures of the template are missing"),
    };
    for problem in problems {
        error = error.detail(problem);
    }
    if more > 0 {
        error = error.detail(format!("{more} more pictures"));
    }
    Err(error.hint("give PNG or JPEG files whose names end in `.png`, `.jpg` or `.jpeg`; an empty value leaves a place empty"))
}

/// Returns the part with the file of a picture.
fn file(
    package: &mut Package<'_>,
    media: &mut BTreeMap<usize, String>,
    number: usize,
    picture: &Picture,
) -> Result<String> {
    if let Some(name) = media.get(&number) {
        return Ok(name.clone());
    }
    let extension = picture.format.extension();
    let name = package.free_name("xl/media/image", &format!(".{extension}"));
    package.add_file(&name, picture.file.clone())?;
    package.declare_extension(extension, picture.format.media_type())?;
    media.insert(number, name.clone());
    Ok(name)
}

/// Returns the part with the drawing of a sheet, which it gets if it has none.
fn drawing(package: &mut Package<'_>, part: &str, xml: &str) -> Result<String> {
    let known = package.relationships(part)?.into_iter().find(|it| it.kind == "drawing");
    if let Some(known) = known.filter(|it| package.has(&it.target)) {
        return Ok(known.target);
    }
    let name = package.free_name("xl/drawings/drawing", ".xml");
    let empty = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n<xdr:wsDr xmlns:xdr=\"{SPREADSHEET_DRAWING}\" xmlns:a=\"{DRAWING}\"></xdr:wsDr>"
    );
    package.add(&name, empty)?;
    package.declare(&name, DRAWING_TYPE)?;
    let id = package.relate(part, &format!("{RELATIONSHIPS}/drawing"), &name)?;
    package.set(part, with_drawing(xml, &id));
    Ok(name)
}

/// Returns a sheet with the element for its drawing, which has its place among the others.
fn with_drawing(xml: &str, id: &str) -> String {
    let mut all = xml_tokens(xml);
    let (mut depth, mut prefix) = (0_usize, "");
    let mut at = None;
    loop {
        let start = all.offset();
        let Some(token) = all.next() else { break };
        let XmlToken::Tag(tag) = token else { continue };
        if tag.kind == TagKind::Close {
            depth = depth.saturating_sub(1);
        }
        if tag.opens("worksheet") {
            prefix = tag.prefix();
        }
        let is_behind = depth == 1 && tag.kind != TagKind::Close && BEHIND.contains(&tag.name);
        if is_behind || tag.closes("worksheet") {
            at = Some(start);
            break;
        }
        depth += usize::from(tag.kind == TagKind::Open);
    }
    let at = at.unwrap_or(xml.len());
    format!(
        "{}<{prefix}drawing xmlns:r=\"{RELATIONSHIPS}\" r:id=\"{id}\"/>{}",
        &xml[..at],
        &xml[at..]
    )
}

fn last_id(drawing: &str) -> u32 {
    let ids = xml_tokens(drawing).filter_map(|token| match token {
        XmlToken::Tag(tag) if tag.opens("cNvPr") => tag.number("id"),
        _ => None,
    });
    ids.filter(|id| *id < 1 << 30).max().unwrap_or(0)
}

fn anchor(placed: &Placed, [width, height]: [u64; 2], (id, relation): (u32, &str)) -> String {
    let (column, row) = (placed.at.column - 1, placed.at.row - 1);
    let alternative = escape(&placed.picture.alternative).replace('"', "&quot;");
    format!(
        "<xdr:oneCellAnchor xmlns:xdr=\"{SPREADSHEET_DRAWING}\" xmlns:a=\"{DRAWING}\" xmlns:r=\"{RELATIONSHIPS}\"><xdr:from><xdr:col>{column}</xdr:col><xdr:colOff>9525</xdr:colOff><xdr:row>{row}</xdr:row><xdr:rowOff>9525</xdr:rowOff></xdr:from><xdr:ext cx=\"{width}\" cy=\"{height}\"/><xdr:pic><xdr:nvPicPr><xdr:cNvPr id=\"{id}\" name=\"Picture {id}\" descr=\"{alternative}\"/><xdr:cNvPicPr><a:picLocks noChangeAspect=\"1\"/></xdr:cNvPicPr></xdr:nvPicPr><xdr:blipFill><a:blip r:embed=\"{relation}\"/><a:stretch><a:fillRect/></a:stretch></xdr:blipFill><xdr:spPr><a:xfrm><a:off x=\"0\" y=\"0\"/><a:ext cx=\"{width}\" cy=\"{height}\"/></a:xfrm><a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></xdr:spPr></xdr:pic><xdr:clientData/></xdr:oneCellAnchor>"
    )
}

/// Sizes of the cells of a sheet.
struct Geometry {
    /// First and last column, and the width, in pixels.
    columns: Vec<(u32, u32, f64)>,
    column: f64,
    /// Heights of rows in points.
    rows: BTreeMap<u32, f64>,
    row: f64,
    merged: Vec<Area>,
}

impl Geometry {
    fn read(xml: &str) -> Geometry {
        let mut geometry = Geometry {
            columns: Vec::new(),
            column: pixels(COLUMN),
            rows: BTreeMap::new(),
            row: ROW,
            merged: Vec::new(),
        };
        for token in xml_tokens(xml) {
            let XmlToken::Tag(tag) = token else { continue };
            let number = |name: &str| tag.attribute(name)?.trim().parse::<f64>().ok();
            let is_hidden = tag.attribute("hidden").is_some_and(|it| matches!(it, "1" | "true"));
            if tag.opens("sheetFormatPr") {
                geometry.row = number("defaultRowHeight").unwrap_or(ROW);
                if let Some(width) = number("defaultColWidth") {
                    geometry.column = pixels(width);
                }
            } else if tag.opens("col") {
                let width = if is_hidden { Some(0.0) } else { number("width").map(pixels) };
                if let (Some(first), Some(last), Some(width)) =
                    (tag.number("min"), tag.number("max"), width)
                {
                    geometry.columns.push((first, last, width));
                }
            } else if tag.opens("row") {
                let height = if is_hidden { Some(0.0) } else { number("ht") };
                geometry.rows.extend(tag.number("r").zip(height));
            } else if tag.opens("mergeCell") {
                geometry.merged.extend(tag.attribute("ref").and_then(refs::area));
            }
        }
        geometry
    }

    /// Returns width and height of a picture in a cell, in English metric units.
    fn size(&self, at: At, picture: &Picture) -> [u64; 2] {
        let area = self.merged.iter().find(|area| area.contains(at)).copied();
        let area = area.unwrap_or(Area { first: at, last: at });
        let columns = (area.first.column..=area.last.column).map(|column| {
            let own = self.columns.iter().find(|it| (it.0..=it.1).contains(&column));
            own.map_or(self.column, |it| it.2)
        });
        let rows = (area.first.row..=area.last.row)
            .map(|row| self.rows.get(&row).copied().unwrap_or(self.row));
        // A pixel on each side leaves the border of the cell visible.
        let width = (columns.sum::<f64>() - 2.0) * PIXEL;
        let height = rows.sum::<f64>() * POINT - 2.0 * PIXEL;
        let [own_width, own_height] =
            [picture.width, picture.height].map(|side| (side * POINT).max(1.0));
        let scale = (width / own_width).min(height / own_height).max(0.0);
        [own_width, own_height].map(|side| (side * scale).max(PIXEL).round() as u64)
    }
}

/// Returns the width of a column in pixels.
fn pixels(characters: f64) -> f64 {
    let characters = characters.clamp(0.0, 255.0);
    ((256.0 * characters + (128.0 / DIGIT).trunc()) / 256.0 * DIGIT).trunc()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_are_those_of_excel() {
        for (characters, expected) in
            [(8.43, 59.0), (9.140625, 64.0), (0.0, 0.0), (20.7109375, 145.0)]
        {
            assert_eq!(pixels(characters), expected, "{characters}");
        }
    }

    #[test]
    fn a_drawing_has_its_place_in_a_sheet() {
        for (xml, expected) in [
            (
                "<worksheet><sheetData/><pageMargins/><x><extLst/></x><tableParts/></worksheet>",
                "</x><drawing ",
            ),
            ("<x:worksheet><x:sheetData/></x:worksheet>", "<x:sheetData/><x:drawing "),
        ] {
            assert!(with_drawing(xml, "rId1").contains(expected), "{xml}");
        }
    }
}
