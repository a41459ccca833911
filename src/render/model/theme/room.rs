//! Space on a page between its margins.

use super::{MM, Theme};
use mitt_base::{Error, ErrorKind, Result};

/// Least width and height of text between the margins, in points.
const LEAST_POINTS: f64 = 200.0;

impl Theme {
    /// Refuses margins that leave no space on a page, whose width and height are in points.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Arguments`] - less than 70 mm are left.
    pub(crate) fn check_room(&self, width: f64, height: f64) -> Result<()> {
        let margins = &self.margins;
        let beside = (margins.left + margins.right) * MM;
        let above = (margins.top + margins.bottom) * MM;
        if width - beside < LEAST_POINTS || height - above < LEAST_POINTS {
            let message = "theme: margins: expected at least 70 mm between them, got less";
            return Err(Error::new(ErrorKind::Arguments, message));
        }
        Ok(())
    }
}
