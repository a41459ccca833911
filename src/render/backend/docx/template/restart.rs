//! Numbered lists in repeated parts: a paragraph that is repeated continues its numbering, and lists of a nested repetition begin
//! again with each item of the outer one.

use std::collections::{BTreeMap, BTreeSet};

use super::filler::Filler;
use super::lists::{ELEMENTS, set_list};
use super::marks::{self, Mark, marks};
use super::paragraph;
use super::tree::{Element, Node};
use mitt_base::Result;

/// Lists in a part that is repeated: those outside and those within nested repetitions.
#[derive(Default)]
struct Found {
    outer: BTreeSet<String>,
    nested: BTreeSet<String>,
}

impl Filler<'_, '_> {
    /// Begins the lists again that only nested repetitions of a repeated part have.
    pub(super) fn restart_lists(&mut self, part: &mut [Node]) -> Result<()> {
        if self.restarts.is_empty() {
            return Ok(());
        }
        let mut found = Found::default();
        self.find_lists(part, false, &mut found);
        let mut new: BTreeMap<String, String> = BTreeMap::new();
        for number in found.nested.difference(&found.outer) {
            self.take(ELEMENTS)?;
            let made = self.restarts.add(number)?;
            new.extend(made.map(|made| (number.clone(), made)));
        }
        if new.is_empty() {
            return Ok(());
        }
        for element in part.iter_mut().filter_map(Node::element_mut) {
            element.visit_mut(&mut |element| {
                if element.is("w:p")
                    && let Some((number, level)) = self.restarts.list_of(element)
                    && let Some(new) = new.get(&number)
                {
                    set_list(element, new, &level);
                }
            });
        }
        Ok(())
    }

    /// Collects the lists of blocks.
    fn find_lists(&mut self, blocks: &[Node], is_nested: bool, found: &mut Found) {
        let mut depth = 0_usize;
        for element in blocks.iter().filter_map(Node::element) {
            if element.is("w:p") || element.is("w:tr") {
                let text = paragraph::text_of(element);
                match marks::alone(&text) {
                    Some(Mark::Begin(_)) => {
                        depth += 1;
                        continue;
                    }
                    Some(Mark::End(name)) if name != marks::IF => {
                        depth = depth.saturating_sub(1);
                        continue;
                    }
                    _ => {}
                }
                let is_nested =
                    is_nested || depth > 0 || element.is("w:tr") && self.is_repeated(&text);
                self.note_lists(element, is_nested, found);
            } else if element.is("w:tbl") {
                self.find_lists(&element.children, is_nested || depth > 0, found);
            } else {
                self.note_lists(element, is_nested || depth > 0, found);
            }
        }
    }

    /// Returns `true` if a row with this text is repeated for items.
    fn is_repeated(&mut self, text: &str) -> bool {
        marks(text)
            .iter()
            .any(|it| matches!(it.mark, Mark::Begin(_)) || self.list_of(&it.mark).is_some())
    }

    fn note_lists(&self, element: &Element, is_nested: bool, found: &mut Found) {
        element.visit(&mut |element| {
            if element.is("w:p")
                && let Some((number, _)) = self.restarts.list_of(element)
            {
                if is_nested {
                    found.nested.insert(number)
                } else {
                    found.outer.insert(number)
                };
            }
        });
    }
}
