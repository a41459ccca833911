//! Writes slides and their shapes.

use std::fmt::Write as _;
use std::sync::Arc;

use super::deck::{PlacedPicture, Shape, Slide, TableRows};
use super::design::Ink;
use super::measure::{BOTTOM, CELL_PADDING, ROOM, SIDE, TOP};
use super::package::{SlidePart, Target, identifier};
use super::parts::{FIELD, NAMESPACES, Rect, TREE, emu, transform};
use super::text::{Numbers, TextFormat};
use super::writer::Writer;
use crate::Cancel;
use crate::model::doc::{Block, Inline, plain_text};
use crate::model::slide_texts::SlideKind;
use crate::shared::chart::{OfficeChart, Type, graphic};
use crate::shared::link;
use crate::shared::losses::LossKind;
use crate::shared::ooxml::HEAD;
use crate::shared::table::Side;
use crate::shared::xml::push_text;
use mitt_base::Result;

/// Most entries of the contents in a column.
const ENTRIES: usize = 13;

impl<'a> Writer<'a> {
    /// Ends the text. Returns the notes to which it refers.
    pub(super) fn begin_notes(&mut self) -> Vec<&'a [Block]> {
        self.losses.enter_notes();
        self.notes.begin()
    }

    pub(super) fn slides(&mut self, slides: &[Slide<'_>], cancel: &Cancel) -> Result<()> {
        for slide in slides {
            cancel.check()?;
            self.slide(slide)?;
        }
        Ok(())
    }

    fn slide(&mut self, slide: &Slide<'_>) -> Result<()> {
        self.next = 2;
        self.losses.below(&plain_text(&slide.title));
        let _ = write!(self.xml, "{HEAD}<p:sld {NAMESPACES}><p:cSld>{TREE}");
        let (kind, layout) = match slide.kind {
            SlideKind::Title => ("type=\"ctrTitle\"", 0),
            SlideKind::Section => ("type=\"title\"", 1),
            SlideKind::Content => ("type=\"title\"", 2),
        };
        if !slide.title.is_empty() {
            self.open("Title", Some(kind), None);
            self.xml.push_str("<a:p>");
            self.title(&slide.title);
            if slide.is_continued {
                let more = self.language.say("（续）", " (continued)");
                self.run(more, TextFormat { color: Some(Ink::Muted), ..TextFormat::default() });
            }
            self.xml.push_str("</a:p>");
            self.close();
        }
        if let Some(subtitle) = &slide.subtitle {
            self.open("Subtitle", Some("type=\"subTitle\" idx=\"1\""), None);
            self.xml.push_str("<a:p>");
            self.run(subtitle, TextFormat::default());
            self.xml.push_str("</a:p>");
            self.close();
        }
        let mut has_body = false;
        for shape in &slide.shapes {
            match shape {
                Shape::Text { top, height, lines } => {
                    // The outline view shows the first one as the text of the slide.
                    let kind = (!has_body).then_some("idx=\"1\"");
                    has_body = true;
                    let room = (BOTTOM - top).max(*height);
                    self.open("Text", kind, Some((SIDE, *top, ROOM, room.min(*height + 4.0))));
                    let mut numbers = Numbers::default();
                    lines.iter().for_each(|line| self.paragraph(line, &mut numbers));
                    self.close();
                }
                Shape::Table(piece) => self.table(piece),
                Shape::Picture(PlacedPicture {
                    chart: Some(chart),
                    place,
                    words,
                    block,
                    losses,
                    ..
                }) => {
                    self.losses.enter_block(*block);
                    losses.iter().for_each(|(kind, what)| self.losses.record(*kind, what));
                    self.chart(chart, *place, words)?;
                }
                Shape::Picture(shown) => self.picture(shown),
                Shape::Contents { entries } => self.contents(entries),
            }
        }
        if slide.kind != SlideKind::Title {
            self.number();
        }
        self.xml.push_str(
            "</p:spTree></p:cSld><p:clrMapOvr><a:masterClrMapping/></p:clrMapOvr></p:sld>",
        );
        let (xml, targets) = (std::mem::take(&mut self.xml), std::mem::take(&mut self.targets));
        self.slides.push(SlidePart { xml, layout, targets });
        Ok(())
    }

    /// Begins a shape with text: a placeholder of its layout, or a box.
    fn open(&mut self, name: &str, placeholder: Option<&str>, place: Option<Rect>) {
        let id = self.id();
        let (lock, kind) = match placeholder {
            Some(kind) => (
                "<p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr>",
                format!("<p:nvPr><p:ph {kind}/></p:nvPr>"),
            ),
            None => ("<p:cNvSpPr txBox=\"1\"/>", "<p:nvPr/>".to_owned()),
        };
        let geometry = "<a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom>";
        let shape =
            place.map(|place| format!("{}{geometry}", transform(place))).unwrap_or_default();
        let body = match place {
            Some(_) => {
                "<a:bodyPr wrap=\"square\" lIns=\"0\" tIns=\"0\" rIns=\"0\" bIns=\"0\" anchor=\"t\"><a:normAutofit/></a:bodyPr>"
            }
            None => "<a:bodyPr><a:normAutofit/></a:bodyPr>",
        };
        let _ = write!(
            self.xml,
            "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"{name} {id}\"/>{lock}{kind}</p:nvSpPr><p:spPr>{shape}</p:spPr><p:txBody>{body}"
        );
        match placeholder {
            Some(_) => self.xml.push_str("<a:lstStyle/>"),
            // A box inherits nothing from its layout: without these its text would be black, in a default font, on slides of
            // any colour.
            None => {
                self.xml.push_str("<a:lstStyle>");
                for level in 1..=9 {
                    let _ = write!(
                        self.xml,
                        "<a:lvl{level}pPr><a:defRPr><a:solidFill><a:schemeClr val=\"tx1\"/></a:solidFill><a:latin typeface=\"+mn-lt\"/><a:ea typeface=\"+mn-ea\"/><a:cs typeface=\"+mn-cs\"/></a:defRPr></a:lvl{level}pPr>"
                    );
                }
                self.xml.push_str("</a:lstStyle>");
            }
        }
    }

    fn close(&mut self) {
        self.xml.push_str("</p:txBody></p:sp>");
    }

    fn id(&mut self) -> u32 {
        self.next += 1;
        self.next - 1
    }

    /// Writes a title, which has one line: its line breaks become spaces.
    fn title(&mut self, content: &[Inline]) {
        for inline in content {
            match inline {
                Inline::Break => self.run(" ", TextFormat::default()),
                _ => self.inlines(std::slice::from_ref(inline), TextFormat::default()),
            }
        }
    }

    fn number(&mut self) {
        let (id, number) = (self.id(), self.slides.len() + 1);
        let _ = write!(
            self.xml,
            "<p:sp><p:nvSpPr><p:cNvPr id=\"{id}\" name=\"Slide Number {id}\"/><p:cNvSpPr><a:spLocks noGrp=\"1\"/></p:cNvSpPr><p:nvPr>\
             <p:ph type=\"sldNum\" sz=\"quarter\" idx=\"12\"/></p:nvPr></p:nvSpPr><p:spPr/><p:txBody><a:bodyPr/><a:lstStyle/><a:p>\
             <a:fld id=\"{FIELD}\" type=\"slidenum\"><a:rPr lang=\"en-US\"/><a:t>{number}</a:t></a:fld></a:p></p:txBody></p:sp>"
        );
    }

    /// Writes entries in one column, or in two if there are many.
    fn contents(&mut self, entries: &[(u8, usize, String)]) {
        let columns: Vec<_> = entries.chunks(ENTRIES).collect();
        let width = (ROOM - 24.0 * (columns.len().max(1) - 1) as f64) / columns.len().max(1) as f64;
        for (index, entries) in columns.into_iter().enumerate() {
            let left = SIDE + index as f64 * (width + 24.0);
            let kind = (index == 0).then_some("idx=\"1\"");
            self.open("Contents", kind, Some((left, TOP, width, BOTTOM - TOP)));
            for (level, heading, text) in entries {
                let indent = emu(f64::from(level.saturating_sub(1)) * 22.0);
                let size = if *level == 1 { 18.0 } else { 15.0 };
                let _ = write!(
                    self.xml,
                    "<a:p><a:pPr marL=\"{indent}\" indent=\"0\" lvl=\"{}\"><a:spcAft><a:spcPts val=\"500\"/></a:spcAft><a:buNone/></a:pPr>",
                    level.saturating_sub(1)
                );
                self.jump(text, *heading, TextFormat { size: Some(size), ..TextFormat::default() });
                self.xml.push_str("</a:p>");
            }
            self.close();
        }
    }

    fn chart(&mut self, chart: &OfficeChart, place: Rect, words: &str) -> Result<()> {
        chart.for_each_text(&mut |text| self.losses.record_illegal(text));
        let letters = Type { points: place.2 / chart.size.0, fonts: &self.design.look.text };
        self.charts.push(chart.parts(&letters)?);
        let number = self.charts.len();
        let reference = identifier(self.target(Target::Chart(number)));
        let id = self.id();
        let _ = write!(
            self.xml,
            "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"{id}\" name=\"Chart {id}\" descr=\""
        );
        push_text(&mut self.xml, words.trim(), &mut self.losses);
        let _ = write!(
            self.xml,
            "\"/><p:cNvGraphicFramePr><a:graphicFrameLocks noGrp=\"1\"/></p:cNvGraphicFramePr><p:nvPr/></p:nvGraphicFramePr>{}{}</p:graphicFrame>",
            transform(place).replace("a:xfrm>", "p:xfrm>"),
            graphic(&reference)
        );
        Ok(())
    }

    fn picture(&mut self, shown: &PlacedPicture) {
        let PlacedPicture { file, place, words, link, block, losses, .. } = shown;
        self.losses.enter_block(*block);
        losses.iter().for_each(|(kind, what)| self.losses.record(*kind, what));
        let known = self.media.iter().position(|media| Arc::ptr_eq(&media.bytes, &file.bytes));
        let number = known.unwrap_or_else(|| {
            self.media.push(file.clone());
            self.media.len() - 1
        });
        let embedded = identifier(self.target(Target::Picture(number)));
        let address = link.as_deref().and_then(link::kept).map(link::escaped);
        let address = address.map(|url| identifier(self.target(Target::Address(url))));
        let id = self.id();
        let _ = write!(
            self.xml,
            "<p:pic><p:nvPicPr><p:cNvPr id=\"{id}\" name=\"Picture {id}\" descr=\""
        );
        push_text(&mut self.xml, words.trim(), &mut self.losses);
        self.xml.push_str("\">");
        if let Some(address) = address {
            let _ = write!(self.xml, "<a:hlinkClick r:id=\"{address}\"/>");
        }
        let _ = write!(
            self.xml,
            "</p:cNvPr><p:cNvPicPr><a:picLocks noChangeAspect=\"1\"/></p:cNvPicPr><p:nvPr/></p:nvPicPr><p:blipFill>\
             <a:blip r:embed=\"{embedded}\"/><a:stretch><a:fillRect/></a:stretch></p:blipFill><p:spPr>{}\
             <a:prstGeom prst=\"rect\"><a:avLst/></a:prstGeom></p:spPr></p:pic>",
            transform(*place)
        );
    }

    fn table(&mut self, piece: &TableRows<'_>) {
        let TableRows { table, look, rows, heights, top, block } = piece;
        self.losses.enter_block(*block);
        if look.is_too_wide && rows.start == 0 {
            self.losses.record(LossKind::WideTable, "");
        }
        let height: f64 = heights.iter().sum();
        if top + height > BOTTOM + 1.0 {
            self.losses.record(LossKind::TallRow, "");
        }
        let id = self.id();
        let _ = write!(
            self.xml,
            "<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr id=\"{id}\" name=\"Table {id}\"/><p:cNvGraphicFramePr><a:graphicFrameLocks noGrp=\"1\"/>\
             </p:cNvGraphicFramePr><p:nvPr/></p:nvGraphicFramePr>{}<a:graphic><a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/table\">\
             <a:tbl><a:tblPr firstRow=\"1\"{}/><a:tblGrid>",
            transform((SIDE, *top, ROOM, height)).replace("a:xfrm>", "p:xfrm>"),
            if self.language.is_from_right() { " rtl=\"1\"" } else { "" }
        );
        for width in &look.widths {
            let _ = write!(self.xml, "<a:gridCol w=\"{}\"/>", emu(*width));
        }
        self.xml.push_str("</a:tblGrid>");
        let body = table.rows.get(rows.clone()).unwrap_or_default();
        for (index, (row, height)) in
            std::iter::once(&table.head).chain(body).zip(heights).enumerate()
        {
            let _ = write!(self.xml, "<a:tr h=\"{}\">", emu(*height));
            for column in 0..look.widths.len() {
                let cell = row.get(column).map_or(&[][..], Vec::as_slice);
                let side = look.sides.get(column).copied().unwrap_or(Side::Left);
                self.cell(cell, side, look.size, index == 0, index % 2 == 0);
            }
            self.xml.push_str("</a:tr>");
        }
        self.xml.push_str("</a:tbl></a:graphicData></a:graphic></p:graphicFrame>");
    }

    fn cell(&mut self, content: &[Inline], side: Side, size: f64, is_head: bool, is_shaded: bool) {
        let side = match side {
            Side::Left => "l",
            Side::Center => "ctr",
            Side::Right => "r",
        };
        let _ = write!(
            self.xml,
            "<a:tc><a:txBody><a:bodyPr/><a:lstStyle/><a:p><a:pPr algn=\"{side}\"><a:buNone/></a:pPr>"
        );
        let color = is_head.then_some(Ink::Accent);
        let format =
            TextFormat { size: Some(size), is_strong: is_head, color, ..TextFormat::default() };
        self.inlines(content, format);
        let padding = emu(CELL_PADDING / 2.0);
        let beside = emu(CELL_PADDING);
        // The final element gives an empty cell the height of its row.
        let _ = write!(
            self.xml,
            "<a:endParaRPr lang=\"en-US\" sz=\"{:.0}\"/></a:p></a:txBody><a:tcPr marL=\"{beside}\" marR=\"{beside}\" marT=\"{padding}\" marB=\"{padding}\" anchor=\"ctr\">",
            size * 100.0
        );
        for edge in ["L", "R"] {
            let _ = write!(self.xml, "<a:ln{edge} w=\"0\"><a:noFill/></a:ln{edge}>");
        }
        let design = self.design;
        let colors = &design.look.colors;
        let color = if is_head { &colors.accent } else { &colors.line };
        for edge in ["T", "B"] {
            let _ = write!(
                self.xml,
                "<a:ln{edge} w=\"9525\"><a:solidFill><a:srgbClr val=\"{color}\"/></a:solidFill></a:ln{edge}>"
            );
        }
        let fill = match (is_head, is_shaded) {
            (true, _) => Some(&design.head),
            (false, true) => Some(&colors.band),
            (false, false) => None,
        };
        let _ = match fill {
            Some(fill) => {
                write!(self.xml, "<a:solidFill><a:srgbClr val=\"{fill}\"/></a:solidFill>")
            }
            None => write!(self.xml, "<a:noFill/>"),
        };
        self.xml.push_str("</a:tcPr></a:tc>");
    }
}
