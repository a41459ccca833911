//! The table of contents: an entry for each heading, with the number of its page.

use super::flow::{Flow, ragged};
use super::lines::{Edge, Line};
use super::pages::Page;
use super::paragraph::Target;
use super::strip::{Draw, LinkDestination, Mark, Marker, Strip};
use super::style::{BLUE, Style, TEXT_SIZE};
use super::tags::{StructureId, StructureRole};
use crate::shared::table::Side;

/// Levels of headings that have an entry.
const LEVELS: u8 = 3;

/// Indent of each level, and width for the page number, in ems.
const INDENT: f32 = 1.2;
const NUMBER: f32 = 3.0;

impl Flow<'_, '_> {
    /// Returns the strips of the contents, without page numbers, as a part of `part`.
    pub(super) fn contents(&mut self, part: StructureId) -> Vec<Strip> {
        self.part = part;
        // Below the title, if there is one.
        self.follow();
        let entries: Vec<(usize, String, u8)> = self
            .headings
            .iter()
            .enumerate()
            .filter(|(_, (_, level))| *level <= LEVELS)
            .map(|(index, (text, level))| (index, text.clone(), *level))
            .collect();
        let name = self.language.say("目录", "Contents");
        let style = Style::new(15.0).bold().colored(BLUE);
        let paragraph = self.composer.line(name, style);
        self.gap(15.0);
        self.within(StructureRole::Paragraph, |flow| {
            flow.text(&paragraph, ragged(15.0, 0.6), None)
        });
        self.keep_last();
        self.gap(12.0);
        for (index, text, level) in entries {
            self.entry(index, &text, level);
        }
        self.left = 0.0;
        self.take()
    }

    fn entry(&mut self, index: usize, text: &str, level: u8) {
        let outer = self.right;
        self.left = f32::from(level.saturating_sub(1)) * INDENT * TEXT_SIZE;
        self.right = outer - NUMBER * TEXT_SIZE;
        let link = Some(self.composer.add_link(Target::Heading(index)));
        let style = Style { link, is_bold: level == 1, ..Style::new(TEXT_SIZE) };
        let paragraph = self.composer.line(text, style);
        let setting = ragged(TEXT_SIZE, 0.6);
        self.within(StructureRole::Entry, |flow| {
            flow.text(&paragraph, setting, None);
            let part = flow.part;
            let Some(strip) = flow.strips.last_mut() else { return };
            let Draw::Line(line, Side::Left) = &strip.draw else { return };
            let draw = Mark::Leader { from: strip.x + line.width, number: Line::default(), index };
            strip.markers.push(Marker { x: strip.x, width: NUMBER * TEXT_SIZE, draw, part });
        });
        self.right = outer;
        self.gap(if level == 1 { 0.9 } else { 0.72 } * TEXT_SIZE);
    }

    /// Adds the page numbers to the contents among `strips`.
    pub(super) fn number_contents(&mut self, strips: &mut [Strip], pages: &[Page]) {
        let mut numbers = vec![0_usize; self.headings.len()];
        for (number, page) in pages.iter().enumerate() {
            for item in page.items.iter().filter(|item| !item.is_repeated) {
                let destination = strips.get(item.strip).and_then(|strip| strip.destination);
                if let Some(LinkDestination::Heading(index)) = destination
                    && let Some(own) = numbers.get_mut(index)
                {
                    *own = number + 1;
                }
            }
        }
        for marker in strips.iter_mut().flat_map(|strip| &mut strip.markers) {
            if let Mark::Leader { number, index, .. } = &mut marker.draw {
                let page = numbers.get(*index).copied().unwrap_or_default().to_string();
                let paragraph = self.composer.line(&page, Style::new(TEXT_SIZE));
                *number = self.first_line(&paragraph);
            }
        }
    }

    /// Returns a line of a header or a footer, cut at the edge of the page.
    pub(super) fn frame_line(&mut self, text: &str, style: Style) -> Line {
        let paragraph = self.composer.line(text, style);
        let shaped = self.shape(&paragraph);
        let width = self.width();
        let lines = super::lines::lines(&paragraph, &shaped, width, Edge::Ragged);
        lines.into_iter().next().unwrap_or_default()
    }
}
