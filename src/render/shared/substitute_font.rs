//! The bundled font for texts of foreign files whose own font is missing.

use crate::model::disabled::built;
use mitt_base::Result;

/// Returns the file of the bundled Chinese font, a TrueType file of some 10 MB. The first call blocks for some 100 ms.
///
/// # Errors
///
/// [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build has no fonts (features `pdf` and `pdf-compact`).
pub fn chinese_font(bold: bool) -> Result<&'static [u8]> {
    built!(fonts: crate::shared::glyphs::chinese_font(bold))
}

#[cfg(all(test, any(feature = "pdf", feature = "pdf-compact")))]
mod tests {
    use super::chinese_font;

    #[test]
    fn both_faces_are_different_true_type_files() {
        let [regular, bold] = [false, true].map(|bold| chinese_font(bold).unwrap());
        assert!(regular.len() > 1_000_000 && bold.len() > 1_000_000);
        assert!(regular != bold && regular[..4] == [0, 1, 0, 0]);
    }
}
