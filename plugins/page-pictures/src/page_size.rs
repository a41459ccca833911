//! Sizes of pages.

use hayro::hayro_syntax::page::Page;

/// The size of a page in points that has none.
pub(crate) const A4: PageSize = PageSize { width: 595.0, height: 842.0 };

/// Width and height of a page as it is shown, cropped and turned, in points.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PageSize {
    /// Width in points.
    pub width: f64,
    /// Height in points.
    pub height: f64,
}

/// Returns the size of a page as it is shown; `None` if it has none.
pub(crate) fn size_of(page: &Page<'_>) -> Option<PageSize> {
    let (width, height) = page.render_dimensions();
    let is_size = |side: f32| side.is_finite() && side > 0.0;
    (is_size(width) && is_size(height))
        .then(|| PageSize { width: width.into(), height: height.into() })
}
