//! Reads what cells look like: number formats, fonts, fills and alignments.

use super::json::Object;
use super::number_format::NumberFormat;
use crate::package::{attribute, events};
use crate::xlsx::palette::{Palette, Rgb, css, mixed};
use quick_xml::events::{BytesStart, Event};
use std::collections::HashMap;
use std::rc::Rc;

/// The most number formats that are compiled. Further ones show numbers as `General`.
const MAX_FORMATS: usize = 4_096;

/// The most cell formats, fonts and fills of a workbook. Spreadsheets have at most 65 490 cell formats.
const MAX_STYLES: usize = 1 << 16;

/// The colour of text on a fill, where no other is given.
const BLACK: Rgb = [0, 0, 0];

/// What a cell looks like, apart from its number format.
#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
pub(super) struct Look {
    font: Font,
    fill: Option<Rgb>,
    alignment: Alignment,
}

#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
struct Font {
    is_bold: bool,
    is_italic: bool,
    is_underlined: bool,
    is_struck: bool,
    color: Option<Rgb>,
}

#[derive(Clone, Copy, Debug, Default, Eq, Hash, PartialEq)]
struct Alignment {
    horizontal: Option<Horizontal>,
    wraps: bool,
    /// In steps of three blanks.
    indent: u8,
}

#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
enum Horizontal {
    Left,
    Center,
    Right,
}

/// A cell format.
#[derive(Clone, Copy, Default)]
struct CellFormat {
    number_format: u32,
    look: Look,
}

/// The styles of a workbook.
pub(super) struct Styles {
    formats: Vec<CellFormat>,
    /// Texts of number formats by id.
    codes: HashMap<u32, String>,
    compiled: HashMap<u32, Rc<NumberFormat>>,
    /// Styles that cells have, by index of the cell format.
    styles: Vec<Option<Style>>,
    /// The different looks, and whether a cell has them. The first is the plain one.
    looks: Vec<(Look, bool)>,
    by_look: HashMap<Look, u32>,
    /// The look of the cell before.
    last: (Look, u32),
}

/// The style of a cell.
#[derive(Clone)]
pub(super) struct Style {
    pub(super) number_format: Rc<NumberFormat>,
    pub(super) look: Look,
}

impl Look {
    /// Returns `true` if an empty cell with this look differs from others.
    pub(super) fn is_visible(self) -> bool {
        self.fill.is_some()
    }

    /// Returns the look with the text in another colour.
    pub(super) fn colored(mut self, color: Option<Rgb>) -> Self {
        self.font.color = color.or(self.font.color);
        self
    }

    fn write(self, out: &mut String) {
        let mut object = Object::new(out);
        let Look { font, fill, alignment } = self;
        object.flag("bold", font.is_bold);
        object.flag("italic", font.is_italic);
        object.flag("underline", font.is_underlined);
        object.flag("strike", font.is_struck);
        // On a fill, text has a colour in any case, because a viewer may have light text elsewhere.
        let color = font.color.or(fill.map(|_| BLACK));
        for (name, color) in [("color", color), ("fill", fill)] {
            if let Some(color) = color {
                object.text(name, &css(color));
            }
        }
        if let Some(horizontal) = alignment.horizontal {
            object.text(
                "align",
                match horizontal {
                    Horizontal::Left => "left",
                    Horizontal::Center => "center",
                    Horizontal::Right => "right",
                },
            );
        }
        object.flag("wrap", alignment.wraps);
        if alignment.indent > 0 {
            object.plain("indent", alignment.indent);
        }
        object.end();
    }
}

impl Styles {
    /// Reads the part with the styles. `theme` is the part with the theme; both may be empty.
    pub(super) fn read(xml: &[u8], theme: &[u8]) -> Self {
        let mut palette = Palette::default();
        palette.read_theme(theme);
        read_indexed(xml, &mut palette);
        let mut reader = Reader::new(&palette);
        events(xml, |event| reader.event(event));
        let plain = Look::default();
        Self {
            formats: reader.formats,
            codes: reader.codes,
            compiled: HashMap::new(),
            styles: Vec::new(),
            looks: vec![(plain, false)],
            by_look: HashMap::from([(plain, 0)]),
            last: (plain, 0),
        }
    }

    /// Returns the style of the cell format at `index`. Without one, it is the first.
    pub(super) fn style(&mut self, index: usize) -> Style {
        if let Some(Some(known)) = self.styles.get(index) {
            return known.clone();
        }
        let format = self.formats.get(index).copied();
        let CellFormat { number_format, look } = format.unwrap_or_default();
        let style = Style { number_format: self.number_format(number_format), look };
        if format.is_some() {
            self.styles.resize(self.styles.len().max(index + 1), None);
            self.styles[index] = Some(style.clone());
        }
        style
    }

    fn number_format(&mut self, id: u32) -> Rc<NumberFormat> {
        if let Some(known) = self.compiled.get(&id) {
            return Rc::clone(known);
        }
        if self.compiled.len() >= MAX_FORMATS {
            return Rc::default();
        }
        let format = match self.codes.get(&id) {
            Some(code) => NumberFormat::of(code),
            None => NumberFormat::built_in(id),
        };
        let format = Rc::new(format);
        self.compiled.insert(id, Rc::clone(&format));
        format
    }

    /// Returns the id of a look that a cell has, 0 for the plain one.
    pub(super) fn id(&mut self, look: Look) -> u32 {
        if self.last.0 == look {
            return self.last.1;
        }
        let next = self.looks.len() as u32;
        let id = *self.by_look.entry(look).or_insert(next);
        if id == next {
            self.looks.push((look, false));
        }
        self.looks[id as usize].1 = true;
        self.last = (look, id);
        id
    }

    /// Writes the looks of all cells so far, by id.
    pub(super) fn write(&self, out: &mut String) {
        let mut object = Object::new(out);
        for (id, (look, is_used)) in self.looks.iter().enumerate().skip(1) {
            if *is_used {
                look.write(object.member(&id.to_string()));
            }
        }
        object.end();
    }
}

/// Reads the indexed colours of a workbook that defines its own.
fn read_indexed(xml: &[u8], palette: &mut Palette) {
    let mut index = 0;
    events(xml, |event| {
        let Event::Start(element) = event else { return };
        if element.local_name().as_ref() == "rgbColor" {
            if let Some(color) = attribute(element, "rgb") {
                palette.set_indexed(index, &color);
            }
            index += 1;
        }
    });
}

/// The list that is being read.
#[derive(Clone, Copy, PartialEq)]
enum List {
    None,
    NumberFormats,
    Fonts,
    Fills,
    CellFormats,
}

/// State of reading the part with the styles.
struct Reader<'a> {
    palette: &'a Palette,
    list: List,
    codes: HashMap<u32, String>,
    fonts: Vec<Font>,
    fills: Vec<Fill>,
    formats: Vec<CellFormat>,
}

#[derive(Clone, Copy, Default)]
struct Fill {
    /// Share of the pattern in the foreground colour.
    share: f64,
    front: Option<Rgb>,
    back: Option<Rgb>,
    /// The first colour of a gradient.
    gradient: Option<Rgb>,
}

impl Fill {
    fn color(self) -> Option<Rgb> {
        if self.gradient.is_some() {
            return self.gradient;
        }
        match self.share {
            0.0 => None,
            // A solid fill with the colour of the window shows nothing.
            1.0 => self.front,
            share => Some(mixed(
                self.front.unwrap_or(BLACK),
                share,
                self.back.unwrap_or([255, 255, 255]),
            )),
        }
    }
}

impl<'a> Reader<'a> {
    fn new(palette: &'a Palette) -> Self {
        Self {
            palette,
            list: List::None,
            codes: HashMap::new(),
            fonts: Vec::new(),
            fills: Vec::new(),
            formats: Vec::new(),
        }
    }

    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(element) => {
                let name = element.local_name();
                match name.as_ref() {
                    "numFmts" => self.list = List::NumberFormats,
                    "fonts" => self.list = List::Fonts,
                    "fills" => self.list = List::Fills,
                    "cellXfs" => self.list = List::CellFormats,
                    name => self.element(name, element),
                }
            }
            Event::End(element)
                if matches!(
                    element.local_name().as_ref(),
                    "numFmts" | "fonts" | "fills" | "cellXfs"
                ) =>
            {
                self.list = List::None;
            }
            _ => {}
        }
    }

    fn element(&mut self, name: &str, element: &BytesStart<'_>) {
        match self.list {
            List::None => {}
            List::NumberFormats => {
                let id = number(element, "numFmtId");
                if let (Some(id), Some(code)) = (id, attribute(element, "formatCode"))
                    && self.codes.len() < MAX_STYLES
                {
                    self.codes.insert(id, code);
                }
            }
            List::Fonts if name == "font" => {
                if self.fonts.len() < MAX_STYLES {
                    self.fonts.push(Font::default());
                }
            }
            List::Fonts => {
                let Some(font) = self.fonts.last_mut() else { return };
                let value = || attribute(element, "val");
                let is_on = || value().is_none_or(|value| !matches!(value.as_str(), "0" | "false"));
                match name {
                    "b" => font.is_bold = is_on(),
                    "i" => font.is_italic = is_on(),
                    "u" => font.is_underlined = value().is_none_or(|value| value != "none"),
                    "strike" => font.is_struck = is_on(),
                    // Black is the colour of text without a colour.
                    "color" => font.color = self.palette.color(element).filter(|it| *it != BLACK),
                    _ => {}
                }
            }
            List::Fills if name == "fill" => {
                if self.fills.len() < MAX_STYLES {
                    self.fills.push(Fill::default());
                }
            }
            List::Fills => {
                let Some(fill) = self.fills.last_mut() else { return };
                match name {
                    "patternFill" => {
                        let pattern = attribute(element, "patternType").unwrap_or_default();
                        fill.share = pattern_share(&pattern);
                    }
                    "fgColor" => fill.front = self.palette.color(element),
                    "bgColor" => fill.back = self.palette.color(element),
                    "color" => fill.gradient = fill.gradient.or(self.palette.color(element)),
                    _ => {}
                }
            }
            List::CellFormats => self.cell_format(name, element),
        }
    }

    fn cell_format(&mut self, name: &str, element: &BytesStart<'_>) {
        match name {
            "xf" if self.formats.len() < MAX_STYLES => {
                let index = |name| number(element, name).unwrap_or(0) as usize;
                let font = self.fonts.get(index("fontId")).copied().unwrap_or_default();
                let fill = self.fills.get(index("fillId")).copied().and_then(Fill::color);
                self.formats.push(CellFormat {
                    number_format: number(element, "numFmtId").unwrap_or(0),
                    look: Look { font, fill, alignment: Alignment::default() },
                });
            }
            "alignment" => {
                let Some(format) = self.formats.last_mut() else { return };
                let text = |name| attribute(element, name).unwrap_or_default();
                format.look.alignment = Alignment {
                    horizontal: match text("horizontal").as_str() {
                        "left" => Some(Horizontal::Left),
                        "center" | "centerContinuous" => Some(Horizontal::Center),
                        "right" => Some(Horizontal::Right),
                        _ => None,
                    },
                    wraps: matches!(text("wrapText").as_str(), "1" | "true"),
                    indent: number(element, "indent").unwrap_or(0).min(15) as u8,
                };
            }
            _ => {}
        }
    }
}

fn number(element: &BytesStart<'_>, name: &str) -> Option<u32> {
    attribute(element, name)?.trim().parse().ok()
}

/// Returns the share of a pattern that has the foreground colour.
fn pattern_share(pattern: &str) -> f64 {
    match pattern {
        "" | "none" => 0.0,
        "solid" => 1.0,
        "darkGray" => 0.75,
        "lightGray" => 0.25,
        "gray125" => 0.125,
        "gray0625" => 0.0625,
        pattern if pattern.starts_with("light") => 0.25,
        _ => 0.5,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const XML: &str = "<styleSheet>\
        <numFmts><numFmt numFmtId=\"164\" formatCode=\"0.0&quot;x&quot;\"/></numFmts>\
        <fonts><font><color theme=\"1\"/></font><font><b/><i val=\"0\"/><u/><color rgb=\"FFFF0000\"/></font></fonts>\
        <fills><fill><patternFill patternType=\"none\"/></fill><fill><patternFill patternType=\"gray125\"/></fill>\
        <fill><patternFill patternType=\"solid\"><fgColor rgb=\"FFFFFF00\"/><bgColor indexed=\"64\"/></patternFill></fill>\
        <fill><gradientFill><stop><color rgb=\"FF0000FF\"/></stop><stop><color rgb=\"FF00FF00\"/></stop></gradientFill></fill></fills>\
        <cellStyleXfs><xf fontId=\"1\"/></cellStyleXfs>\
        <cellXfs><xf/><xf numFmtId=\"164\" fontId=\"1\"><alignment horizontal=\"center\" wrapText=\"1\" indent=\"2\"/></xf>\
        <xf numFmtId=\"10\" fillId=\"2\"/><xf fillId=\"1\"/><xf fillId=\"3\"/><xf fontId=\"9\" fillId=\"9\" numFmtId=\"x\"/></cellXfs>\
        <dxfs><dxf><font><b/></font><fill><patternFill patternType=\"solid\"><bgColor rgb=\"FF123456\"/></patternFill></fill></dxf></dxfs>\
        </styleSheet>";

    #[test]
    fn cell_formats_have_a_number_format_and_a_look() {
        let mut styles = Styles::read(XML.as_bytes(), b"");
        assert_eq!(styles.formats.len(), 6);
        let ids: Vec<u32> = (0..7)
            .map(|index| {
                let look = styles.style(index).look;
                styles.id(look)
            })
            .collect();
        assert_eq!(ids, [0, 1, 2, 3, 4, 0, 0]);
        let mut out = String::new();
        styles.write(&mut out);
        assert_eq!(
            out,
            "{\"1\":{\"bold\":true,\"underline\":true,\"color\":\"#ff0000\",\"align\":\"center\",\"wrap\":true,\"indent\":2},\
             \"2\":{\"color\":\"#000000\",\"fill\":\"#ffff00\"},\"3\":{\"color\":\"#000000\",\"fill\":\"#dfdfdf\"},\
             \"4\":{\"color\":\"#000000\",\"fill\":\"#0000ff\"}}"
        );
        let mut number = String::new();
        styles.style(1).number_format.write_number(1.25, false, &mut number);
        assert_eq!(number, "1.3x");
        assert_eq!(*styles.style(2).number_format, NumberFormat::of("0.00%"));
    }

    #[test]
    fn only_looks_of_cells_are_written() {
        let mut styles = Styles::read(XML.as_bytes(), b"");
        let look = styles.style(2).look;
        let red = look.colored(Some([255, 0, 0]));
        assert_eq!(styles.id(red), 1);
        assert!(red.is_visible());
        let mut out = String::new();
        styles.write(&mut out);
        assert_eq!(out, "{\"1\":{\"color\":\"#ff0000\",\"fill\":\"#ffff00\"}}");
    }
}
