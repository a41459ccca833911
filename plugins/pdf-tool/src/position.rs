//! Places on a page by their names.

/// Where a text stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum Position {
    TopLeft,
    Top,
    TopRight,
    Left,
    Center,
    Right,
    BottomLeft,
    Bottom,
    BottomRight,
}

impl Position {
    /// Returns the middle of a box of this size on a page of that size. `margin` is its distance from the edges.
    pub(crate) fn middle(self, page: (f64, f64), size: (f64, f64), margin: f64) -> (f64, f64) {
        let x = match self {
            Self::TopLeft | Self::Left | Self::BottomLeft => margin + size.0 / 2.0,
            Self::Top | Self::Center | Self::Bottom => page.0 / 2.0,
            Self::TopRight | Self::Right | Self::BottomRight => page.0 - margin - size.0 / 2.0,
        };
        let y = match self {
            Self::TopLeft | Self::Top | Self::TopRight => page.1 - margin - size.1 / 2.0,
            Self::Left | Self::Center | Self::Right => page.1 / 2.0,
            Self::BottomLeft | Self::Bottom | Self::BottomRight => margin + size.1 / 2.0,
        };
        (x, y)
    }
}
