//! Reads drawings on a table and comments on a cell, whose text does not belong to the cell.

use super::content::{Table, Text};

/// State while a shape is read. Shapes may be nested.
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

    /// Ends an element of the shape. Returns `true` for the outermost, after adding the shape to the table.
    pub(super) fn end(&mut self, table: &mut Table) -> bool {
        self.depth = self.depth.saturating_sub(1);
        if self.depth > 0 {
            return false;
        }
        let Shape { text, has_object, has_image, .. } = std::mem::take(self);
        table.boxes.push(text.finish());
        // An object contains a picture of itself.
        table.charts += usize::from(has_object);
        table.pictures += usize::from(has_image && !has_object);
        true
    }
}

/// State while a comment on a cell is read.
#[derive(Default)]
pub(super) struct Annotation {
    pub(super) author: String,
    pub(super) text: Text,
    /// Meaning of the next text: the author, the date, or the comment.
    pub(super) field: Field,
}

#[derive(Clone, Copy, Default, PartialEq)]
pub(super) enum Field {
    #[default]
    Remark,
    Author,
    Date,
}
