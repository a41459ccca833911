//! Pages as forms, to be drawn on other pages.

use crate::content::Matrix;
use crate::error::Result;
use crate::file::Pdf;
use crate::object::{Dict, Object, Stream};

/// A drawing that can be put on pages.
pub(crate) struct Drawing {
    /// Number of its object.
    pub(crate) number: u32,
    pub(crate) width: f64,
    pub(crate) height: f64,
    /// It is a form, which is as large as it says; a picture is as large as one point.
    pub(crate) is_form: bool,
}

impl Drawing {
    /// Returns the matrix that draws it in a rectangle: left, bottom, width and height.
    pub(crate) fn place(&self, left: f64, bottom: f64, width: f64, height: f64) -> Matrix {
        let (x, y) =
            if self.is_form { (width / self.width, height / self.height) } else { (width, height) };
        Matrix([x, 0.0, 0.0, y, left, bottom])
    }
}

impl Pdf {
    /// Makes a form of a page as it is seen: its visible box, turned. Annotations are not part of it.
    ///
    /// # Errors
    ///
    /// `malformed` - the content of the page cannot be read.
    pub(crate) fn page_form(&mut self, page: u32) -> Result<Drawing> {
        let content = self.content(page)?;
        let (frame, width, height) = self.seen(page);
        let mut dict = Dict::new()
            .with("Type", Object::name("XObject"))
            .with("Subtype", Object::name("Form"))
            .with("BBox", Object::numbers(&self.page_box(page)))
            .with("Matrix", Object::numbers(&frame.inverse().unwrap_or(Matrix::IDENTITY).0));
        if let Some(old) = self.object(page) {
            dict.set(
                "Resources",
                if old.has("Resources") {
                    old.get("Resources").clone()
                } else {
                    Dict::new().into()
                },
            );
            // How the page blends with what is below it.
            if old.has("Group") {
                dict.set("Group", old.get("Group").clone());
            }
        }
        let number = self.add(Stream::deflated(dict, &content));
        Ok(Drawing { number, width, height, is_form: true })
    }
}
