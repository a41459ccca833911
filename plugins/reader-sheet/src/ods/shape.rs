//! What is drawn on a table, and what is remarked on a cell: text that is not the cell's.

use super::content::{Table, Text};

/// A shape, while it is read; shapes may have shapes inside.
#[derive(Default)]
pub(super) struct Shape {
    depth: usize,
    text: Text,
    has_object: bool,
    has_image: bool,
}

impl Shape {
    pub(super) fn begin(&mut self, name: &str) {
        self.depth += 1;
        self.has_object |= name == "draw:object";
        self.has_image |= name == "draw:image";
    }

    pub(super) fn text(&mut self) -> &mut Text {
        &mut self.text
    }

    /// An element of the shape ends: whether it was the outermost, so that the shape is the table's now.
    pub(super) fn end(&mut self, table: &mut Table) -> bool {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 {
            return false;
        }
        let Shape { text, has_object, has_image, .. } = std::mem::take(self);
        table.boxes.push(text.finish());
        // An object has its picture with it.
        table.charts += usize::from(has_object);
        table.pictures += usize::from(has_image && !has_object);
        true
    }
}

/// A remark on a cell, while it is read.
#[derive(Default)]
pub(super) struct Annotation {
    pub(super) author: String,
    pub(super) text: Text,
    /// What the next text is: the author, the date, or the remark itself.
    pub(super) field: Field,
}

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Field {
    #[default]
    Remark,
    Author,
    Date,
}
