//! Takes text that is too small to read out of documents and slides before Office 2007. The library does not say what lies
//! behind their texts.

use super::{Unseen, Why};
use office_oxide::ir::{DocumentIR, Element, InlineContent, List};

/// Largest size that is too small to read, in half points.
const TINY: u32 = 2;

/// Removes such text. `is_slides` names its places.
pub(crate) fn remove(document: &mut DocumentIR, is_slides: bool, unseen: &mut Unseen) {
    for (section, number) in document.sections.iter_mut().zip(1..) {
        let place = if is_slides { format!("slide {number}") } else { "the text".to_owned() };
        let margins = [
            &mut section.header,
            &mut section.footer,
            &mut section.first_page_header,
            &mut section.first_page_footer,
            &mut section.even_page_header,
            &mut section.even_page_footer,
        ];
        let mut seen = Remover { unseen, place: &place };
        seen.elements(&mut section.elements);
        for margin in margins.into_iter().flatten() {
            seen.elements(&mut margin.content);
        }
        if let Some(notes) = &mut section.speaker_notes {
            seen.elements(notes);
        }
    }
}

struct Remover<'a> {
    unseen: &'a mut Unseen,
    place: &'a str,
}

impl Remover<'_> {
    fn elements(&mut self, elements: &mut [Element]) {
        for element in elements {
            match element {
                Element::Heading(heading) => self.inline(&mut heading.content),
                Element::Paragraph(paragraph) => self.inline(&mut paragraph.content),
                Element::Table(table) => {
                    for cell in table.rows.iter_mut().flat_map(|row| &mut row.cells) {
                        self.elements(&mut cell.content);
                    }
                }
                Element::List(list) => self.list(list),
                Element::TextBox(text_box) => self.elements(&mut text_box.content),
                Element::Footnote(note) | Element::Endnote(note) => {
                    self.elements(&mut note.content);
                }
                _ => {}
            }
        }
    }

    fn list(&mut self, list: &mut List) {
        for item in &mut list.items {
            self.elements(&mut item.content);
            if let Some(nested) = &mut item.nested {
                self.list(nested);
            }
        }
    }

    fn inline(&mut self, content: &mut Vec<InlineContent>) {
        content.retain(|item| {
            let InlineContent::Text(span) = item else { return true };
            // A size of nothing is one that is not known.
            let is_tiny = span.font_size_half_pt.is_some_and(|it| (1..=TINY).contains(&it));
            if is_tiny {
                self.unseen.add(Why::Tiny, &span.text, self.place)
            } else {
                self.unseen.seen()
            }
            !is_tiny
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use office_oxide::ir::{ListItem, Paragraph, Section, Table, TableCell, TableRow, TextSpan};

    #[test]
    fn text_of_one_point_is_left_out_wherever_it_is() {
        let span = |text: &str, size| {
            InlineContent::Text(TextSpan { font_size_half_pt: size, ..TextSpan::plain(text) })
        };
        let paragraph = || {
            let content = vec![span("seen", Some(20)), span("PLANT", Some(2)), span("x", Some(0))];
            vec![Element::Paragraph(Paragraph { content, ..Paragraph::default() })]
        };
        let list = List {
            items: vec![ListItem { content: paragraph(), nested: None }],
            ..List::default()
        };
        let cell = TableCell { content: paragraph(), ..TableCell::default() };
        let row = TableRow { cells: vec![cell], ..TableRow::default() };
        let table = Table { rows: vec![row], ..Table::default() };
        let mut elements = paragraph();
        elements.extend([Element::List(list), Element::Table(table)]);
        let mut document = DocumentIR {
            sections: vec![Section { elements, ..Section::default() }],
            ..DocumentIR::default()
        };
        let mut unseen = Unseen::default();
        remove(&mut document, true, &mut unseen);
        let text = crate::tables::text_of(&document.sections[0].elements);
        assert!(!text.contains("PLANT") && text.matches("seenx").count() == 3, "{text}");
        assert_eq!(
            unseen.warning().unwrap(),
            "text that nobody sees was left out in slide 1: 15 characters in 3 places (not larger than 1 pt 15)"
        );
    }
}
