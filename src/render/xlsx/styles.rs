//! How cells look, and the numbers by which the rows of a sheet refer to that.

use std::collections::HashMap;
use std::rc::Rc;

use rust_xlsxwriter as writer;
use writer::{Color, Format, FormatAlign, FormatBorder};

use crate::workbook::{Alignment, SheetColumn};

/// A font that has both Latin and Chinese on every Excel since 2010, in Windows and macOS.
const FONT: &str = "Microsoft YaHei";
const FONT_SIZE: f64 = 10.5;
const TITLE_SIZE: f64 = 12.0;
const HEADER_FILL: Color = Color::RGB(0x1F_4E_79);
const LINE: Color = Color::RGB(0xBF_BF_BF);

/// What a cell is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Role {
    Value,
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
    const COUNT: usize = 9;
}

/// What makes a cell of a column look as it does.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct Look {
    role: Role,
    alignment: Alignment,
    number_format: Option<Rc<str>>,
}

/// The styles of a workbook. 0 is that of cells without any.
#[derive(Debug, Default)]
pub(super) struct Styles {
    looks: HashMap<Look, u32>,
    ids: HashMap<Format, u32>,
    /// In the order of their numbers, from 1.
    pub(super) formats: Vec<Format>,
}

impl Styles {
    fn id(&mut self, look: Look) -> u32 {
        if let Some(id) = self.looks.get(&look) {
            return *id;
        }
        let format = format(&look);
        let next = u32::try_from(self.formats.len() + 1).unwrap_or(u32::MAX);
        let id = *self.ids.entry(format).or_insert_with_key(|format| {
            self.formats.push(format.clone());
            next
        });
        self.looks.insert(look, id);
        id
    }

    /// The format of this number.
    pub(super) fn format(&self, id: u32) -> &Format {
        &self.formats[id as usize - 1]
    }
}

/// The styles of a column, which are made where they are needed.
#[derive(Clone, Debug)]
pub(super) struct ColumnStyles {
    alignment: Alignment,
    number_format: Option<Rc<str>>,
    ids: [u32; Role::COUNT],
}

impl ColumnStyles {
    pub(super) fn new(column: &SheetColumn) -> ColumnStyles {
        ColumnStyles {
            alignment: column.alignment,
            number_format: column.number_format.as_deref().map(Rc::from),
            ids: [0; Role::COUNT],
        }
    }

    /// The number of the style of a cell.
    #[inline]
    pub(super) fn id(&mut self, role: Role, styles: &mut Styles) -> u32 {
        let id = &mut self.ids[role as usize];
        if *id == 0 {
            let is_head = matches!(role, Role::Header | Role::Title);
            *id = styles.id(Look {
                role,
                alignment: if is_head { Alignment::General } else { self.alignment },
                number_format: self.number_format.clone().filter(|_| !is_head),
            });
        }
        *id
    }
}

fn format(look: &Look) -> Format {
    let plain = Format::new()
        .set_font_name(FONT)
        .set_font_size(FONT_SIZE)
        .set_align(FormatAlign::VerticalCenter);
    match look.role {
        Role::Header => {
            return plain
                .set_bold()
                .set_font_color(Color::White)
                .set_background_color(HEADER_FILL)
                .set_border(FormatBorder::Thin)
                .set_border_color(LINE)
                .set_align(FormatAlign::Center)
                .set_text_wrap();
        }
        // Wider than its column, it runs over the empty cells beside it.
        Role::Title => return plain.set_font_size(TITLE_SIZE).set_bold(),
        _ => {}
    }
    let aligned = match look.alignment {
        Alignment::General => plain,
        Alignment::Left => plain.set_align(FormatAlign::Left),
        Alignment::Center => plain.set_align(FormatAlign::Center),
        Alignment::Right => plain.set_align(FormatAlign::Right),
    };
    // Text that is wider than its column is wrapped instead of cut off by its neighbour.
    let mut made = aligned.set_text_wrap();
    let default = match look.role {
        Role::Date | Role::TotalDate => Some("yyyy-mm-dd"),
        Role::DateTime => Some("yyyy-mm-dd hh:mm:ss"),
        Role::Time => Some("hh:mm:ss"),
        _ => None,
    };
    let own = look.number_format.as_deref().filter(|_| look.role != Role::Link);
    if let Some(number_format) = own.or(default) {
        made = made.set_num_format(number_format);
    }
    match look.role {
        Role::Total | Role::TotalDate => made.set_bold().set_border_top(FormatBorder::Thin),
        Role::Link => made
            .set_font_color(Color::RGB(0x05_63_C1))
            .set_underline(writer::FormatUnderline::Single),
        _ => made,
    }
}
