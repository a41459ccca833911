//! A glyph on a page, as the walk finds it and the search reads it.

use std::rc::Rc;

/// A glyph on a page.
pub(crate) struct Glyph {
    /// Its characters; `None` if nobody knows.
    pub(crate) text: Option<Rc<str>>,
    pub(crate) origin: (f64, f64),
    pub(crate) end: (f64, f64),
    /// Cosine and sine of the direction of writing.
    pub(crate) direction: (f64, f64),
    pub(crate) size: f64,
    /// The box around it.
    pub(crate) rect: [f64; 4],
    /// It is not painted, as the text that lies over a scanned page.
    pub(crate) is_invisible: bool,
}
