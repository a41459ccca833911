//! Tables: columns as wide as their content needs, the head on every page, no row divided between pages.

use std::fmt::Write as _;

use super::paragraph::BlockContext;
use super::runs::RunFormat;
use super::styles::table_style;
use super::writer::Writer;
use crate::model::doc::{Inline, Table};
use crate::shared::losses::LossKind;
use crate::shared::table::{self, Layout, Side};

/// Width of the narrowest column, in twentieths of a point.
const MIN_COLUMN: u32 = 100;

/// Left and right padding of a cell in the style of tables, in twentieths of a point.
const PADDING: u32 = 108;

impl Writer<'_> {
    pub(super) fn table(&mut self, table: &Table, context: &BlockContext) {
        let may_turn = context.is_top() && self.frame.area.is_none();
        let layout = table::layout(table, may_turn);
        if layout.is_too_wide {
            self.losses.record(LossKind::WideTable, "");
        }
        if self.breaks_page {
            // A table cannot have a page break before it.
            self.breaks_page = false;
            self.xml.push_str("<w:p><w:pPr><w:pageBreakBefore/><w:spacing w:before=\"0\" w:after=\"0\" w:line=\"20\" w:lineRule=\"exact\"/></w:pPr></w:p>");
        }
        let widths = widths(&layout, self.width(context));
        let style = table_style(layout.size);
        let _ = write!(
            self.xml,
            "<w:tbl><w:tblPr><w:tblStyle w:val=\"ReportTable\"/>{}<w:tblW w:w=\"{}\" w:type=\"dxa\"/>\
             <w:tblInd w:w=\"{}\" w:type=\"dxa\"/><w:tblLayout w:type=\"fixed\"/>{}\
             <w:tblLook w:val=\"0420\" w:firstRow=\"1\" w:lastRow=\"0\" w:firstColumn=\"0\" w:lastColumn=\"0\" \
             w:noHBand=\"0\" w:noVBand=\"1\"/></w:tblPr><w:tblGrid>",
            if self.frame.language.is_from_right() { "<w:bidiVisual/>" } else { "" },
            widths.iter().sum::<u32>(),
            context.left,
            margins(layout.padding),
        );
        for width in &widths {
            let _ = write!(self.xml, "<w:gridCol w:w=\"{width}\"/>");
        }
        self.xml.push_str("</w:tblGrid>");
        for (index, row) in std::iter::once(&table.head).chain(&table.rows).enumerate() {
            self.xml.push_str("<w:tr><w:trPr><w:cantSplit/>");
            self.xml.push_str(if index == 0 { "<w:tblHeader/></w:trPr>" } else { "</w:trPr>" });
            for (column, width) in widths.iter().enumerate() {
                let cell = row.get(column).map_or(&[][..], Vec::as_slice);
                let side = layout.columns.get(column).map_or(Side::Left, |column| column.side);
                self.cell(cell, *width, &style, side);
            }
            self.xml.push_str("</w:tr>");
        }
        self.xml.push_str("</w:tbl>");
        // Two adjacent tables would become one, and a document must end with a paragraph.
        self.spacer(context);
    }

    fn cell(&mut self, content: &[Inline], width: u32, style: &str, side: Side) {
        let _ = write!(
            self.xml,
            "<w:tc><w:tcPr><w:tcW w:w=\"{width}\" w:type=\"dxa\"/><w:vAlign w:val=\"center\"/></w:tcPr>\
             <w:p><w:pPr><w:pStyle w:val=\"{style}\"/>{}</w:pPr>",
            match side {
                Side::Left => "",
                Side::Center => "<w:jc w:val=\"center\"/>",
                Side::Right => "<w:jc w:val=\"right\"/>",
            }
        );
        self.room = width.saturating_sub(2 * PADDING).max(MIN_COLUMN);
        self.inlines(content, RunFormat::of(content));
        self.xml.push_str("</w:p></w:tc>");
    }
}

/// Returns the padding of cells, if it is narrower than the style's.
fn margins(padding: f64) -> String {
    let each = (padding * 10.0).round() as u32;
    if each >= PADDING {
        return String::new();
    }
    format!(
        "<w:tblCellMar><w:left w:w=\"{each}\" w:type=\"dxa\"/><w:right w:w=\"{each}\" w:type=\"dxa\"/></w:tblCellMar>"
    )
}

/// Returns the widths of the columns in twentieths of a point. Their sum is `room`, unless there are too many columns.
fn widths(layout: &Layout, room: u32) -> Vec<u32> {
    let all: f64 = layout.columns.iter().map(|column| column.width).sum();
    let share = |width: f64| (width / all * f64::from(room)).floor() as u32;
    layout.columns.iter().map(|column| share(column.width).max(MIN_COLUMN)).collect()
}
