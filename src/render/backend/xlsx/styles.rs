//! Formats of cells, and the numbers by which rows refer to them.

use std::collections::HashMap;
use std::rc::Rc;

use rust_xlsxwriter as writer;
use writer::{Color, Format, FormatAlign, FormatBorder};

use crate::model::workbook::{Alignment, SheetAppearance, SheetColumn, Style};

/// A font with both Latin and Chinese letters in every Excel since 2010, on Windows and macOS.
pub(super) const FONT: &str = "Microsoft YaHei";
const FONT_SIZE: f64 = 10.5;
const TITLE_SIZE: f64 = 12.0;
const HEADER_FILL: u32 = 0x1F_4E_79;
const DARK_FILL: u32 = 0x26_26_26;
/// Lines below rows of a report, and fill of every other row of a dark sheet.
const ROW_LINE: Color = Color::RGB(0xE3_E3_E3);
const BAND: Color = Color::RGB(0xF2_F2_F2);
const LINE: Color = Color::RGB(0xBF_BF_BF);

/// Role of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Value,
    /// A cell of a column without a row so far.
    Column,
    Date,
    DateTime,
    Time,
    Link,
    Total,
    TotalDate,
    Header,
    Title,
}

impl Role {
    const COUNT: usize = 10;
}

/// Everything that determines the format of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct CellStyle {
    role: Role,
    alignment: Alignment,
    number_format: Option<Rc<str>>,
    is_unlocked: bool,
    of: SheetAppearance,
}

/// The styles of a workbook. 0 is that of cells without a format.
#[derive(Debug, Default)]
pub(super) struct Styles {
    by_style: HashMap<CellStyle, u32>,
    ids: HashMap<Format, u32>,
    /// Formats in the order of their numbers, from 1.
    pub(super) formats: Vec<Format>,
}

impl Styles {
    fn id(&mut self, style: CellStyle) -> u32 {
        if let Some(id) = self.by_style.get(&style) {
            return *id;
        }
        let format = format(&style);
        let next = u32::try_from(self.formats.len() + 1).unwrap_or(u32::MAX);
        let id = *self.ids.entry(format).or_insert_with_key(|format| {
            self.formats.push(format.clone());
            next
        });
        self.by_style.insert(style, id);
        id
    }

    /// Returns the format of this number.
    pub(super) fn format(&self, id: u32) -> &Format {
        &self.formats[id as usize - 1]
    }
}

/// The styles of a column, created when they are needed.
#[derive(Clone, Debug)]
pub(super) struct ColumnStyles {
    alignment: Alignment,
    number_format: Option<Rc<str>>,
    is_unlocked: bool,
    of: SheetAppearance,
    ids: [u32; Role::COUNT],
}

impl ColumnStyles {
    pub(super) fn new(column: &SheetColumn, of: SheetAppearance) -> ColumnStyles {
        ColumnStyles {
            alignment: column.alignment,
            number_format: column.number_format.as_deref().map(Rc::from),
            is_unlocked: column.unlocked,
            of,
            ids: [0; Role::COUNT],
        }
    }

    /// Returns `true` if rows have a line below them.
    pub(super) fn has_lines(&self) -> bool {
        matches!(self.of.style, Style::Report | Style::Plain)
    }

    /// Returns the number of a cell's style.
    #[inline]
    pub(super) fn id(&mut self, role: Role, styles: &mut Styles) -> u32 {
        let id = &mut self.ids[role as usize];
        if *id == 0 {
            let is_head = matches!(role, Role::Header | Role::Title);
            *id = styles.id(CellStyle {
                role,
                alignment: if is_head { Alignment::General } else { self.alignment },
                number_format: self.number_format.clone().filter(|_| !is_head),
                is_unlocked: self.is_unlocked && !is_head,
                of: self.of,
            });
        }
        *id
    }
}

/// Returns the colour of headers, lines and sparklines.
pub(super) fn accent(of: SheetAppearance) -> Color {
    Color::RGB(of.accent.unwrap_or(match of.style {
        Style::Dark => DARK_FILL,
        _ => HEADER_FILL,
    }))
}

/// Returns the format of every other row, if it differs.
pub(super) fn band(of: SheetAppearance) -> Option<Format> {
    (of.style == Style::Dark).then(|| Format::new().set_background_color(BAND))
}

/// Returns black or white, whichever is legible on a colour.
fn text_on(fill: u32) -> Color {
    let part = |shift: u32| f64::from(fill >> shift & 0xFF);
    // Perceived brightness of red, green and blue.
    if 0.299 * part(16) + 0.587 * part(8) + 0.114 * part(0) > 160.0 {
        Color::Black
    } else {
        Color::White
    }
}

fn header(plain: Format, of: SheetAppearance) -> Format {
    let bold = plain.set_bold().set_align(FormatAlign::Center).set_text_wrap();
    match of.style {
        Style::Report | Style::Dark => {
            let fill = of.accent.unwrap_or(match of.style {
                Style::Dark => DARK_FILL,
                _ => HEADER_FILL,
            });
            bold.set_font_color(text_on(fill))
                .set_background_color(Color::RGB(fill))
                .set_border(FormatBorder::Thin)
                .set_border_color(LINE)
        }
        Style::Plain => {
            let bold = match of.accent {
                Some(color) => bold.set_font_color(Color::RGB(color)),
                None => bold,
            };
            bold.set_border(FormatBorder::Thin)
                .set_border_color(LINE)
                .set_border_bottom_color(Color::Black)
        }
        Style::Financial => bold
            .set_font_color(accent(of))
            .set_border_top(FormatBorder::Medium)
            .set_border_top_color(accent(of))
            .set_border_bottom(FormatBorder::Thin)
            .set_border_bottom_color(accent(of)),
    }
}

fn format(style: &CellStyle) -> Format {
    let plain = Format::new()
        .set_font_name(FONT)
        .set_font_size(FONT_SIZE)
        .set_align(FormatAlign::VerticalCenter);
    match style.role {
        Role::Header => return header(plain, style.of),
        // A title that is wider than its column extends over the empty cells beside it.
        Role::Title => return plain.set_font_size(TITLE_SIZE).set_bold(),
        _ => {}
    }
    let aligned = match style.alignment {
        Alignment::General => plain,
        Alignment::Left => plain.set_align(FormatAlign::Left),
        Alignment::Center => plain.set_align(FormatAlign::Center),
        Alignment::Right => plain.set_align(FormatAlign::Right),
    };
    // Text that is wider than its column is wrapped, or the next cell would cut it off.
    let mut made = aligned.set_text_wrap();
    let default = match style.role {
        Role::Date | Role::TotalDate => Some("yyyy-mm-dd"),
        Role::DateTime => Some("yyyy-mm-dd hh:mm:ss"),
        Role::Time => Some("hh:mm:ss"),
        _ => None,
    };
    let own = style.number_format.as_deref().filter(|_| style.role != Role::Link);
    if let Some(number_format) = own.or(default) {
        made = made.set_num_format(number_format);
    }
    if style.is_unlocked {
        made = made.set_unlocked();
    }
    let is_total = matches!(style.role, Role::Total | Role::TotalDate);
    // Only rows have lines, because a column extends to the end of the sheet.
    if !is_total && style.role != Role::Column {
        made = match style.of.style {
            Style::Report => {
                made.set_border_bottom(FormatBorder::Thin).set_border_bottom_color(ROW_LINE)
            }
            Style::Plain => made.set_border(FormatBorder::Thin).set_border_color(LINE),
            Style::Financial | Style::Dark => made,
        };
    }
    match style.role {
        Role::Total | Role::TotalDate => {
            let total = made.set_bold().set_border_top(FormatBorder::Thin);
            match style.of.style {
                Style::Financial => total.set_border_bottom(FormatBorder::Double),
                _ => total,
            }
        }
        Role::Link => made
            .set_font_color(Color::RGB(0x05_63_C1))
            .set_underline(writer::FormatUnderline::Single),
        _ => made,
    }
}
