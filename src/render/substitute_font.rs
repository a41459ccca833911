//! The bundled font for texts of foreign files whose own font is missing.

#[cfg(not(any(feature = "pdf", feature = "pdf-compact")))]
use mitt_base::ErrorKind;
use mitt_base::{Error, Result};

/// Places of the regular and the bold Chinese face in [`mitt_fonts::NOTO`].
#[cfg(any(feature = "pdf", feature = "pdf-compact"))]
const FACES: [usize; 2] = [4, 5];

/// Returns the file of the bundled Chinese font, a TrueType file of some 10 MB. The first call blocks for some 100 ms.
///
/// # Errors
///
/// [`ErrorKind::Disabled`](mitt_base::ErrorKind::Disabled) - this build has no fonts (features `pdf` and `pdf-compact`).
#[cfg(any(feature = "pdf", feature = "pdf-compact"))]
pub fn chinese_font(bold: bool) -> Result<&'static [u8]> {
    let file = crate::glyphs::unpacked().and_then(|files| files.get(FACES[usize::from(bold)]));
    file.map(Vec::as_slice).ok_or_else(|| Error::bug("a bundled font is damaged"))
}

/// Returns an error, since this build has no fonts.
///
/// # Errors
///
/// [`ErrorKind::Disabled`].
#[cfg(not(any(feature = "pdf", feature = "pdf-compact")))]
pub fn chinese_font(_: bool) -> Result<&'static [u8]> {
    let message = "this build of mitt has no fonts (feature `pdf`)";
    Err(Error::new(ErrorKind::Disabled("pdf"), message))
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
