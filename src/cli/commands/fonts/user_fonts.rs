//! The user's folder of fonts: what `mitt fonts add` has put there is found by everything that makes a PDF.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::{MAX_FILE_BYTES, is_font, is_named_as_font};
use crate::output::note;
use mitt::render::font_fault;
use mitt_base::limits::MIB;
use mitt_base::plain_file;

/// Names another folder.
const VARIABLE: &str = "MITT_FONTS_DIR";

/// What stands behind the name of a font in that of its licence.
const LICENCE: &str = ".LICENSE.txt";

/// Most fonts of the folder, and their bytes together; a worker takes 256 MiB in all.
pub(super) const MAX_KEPT: usize = 200;
pub(super) const MAX_KEPT_BYTES: u64 = 128 * MIB;

/// The folder, which may not be there yet; none if the system has no folder for the user's data.
pub(super) fn folder() -> Option<PathBuf> {
    match std::env::var_os(VARIABLE) {
        Some(folder) if !folder.is_empty() => Some(folder.into()),
        _ => dirs::data_dir().map(|data| data.join("mitt").join("fonts")),
    }
}

/// Where the licence of a font stands.
pub(super) fn licence_of(font: &str) -> String {
    format!("{font}{LICENCE}")
}

/// The font files of the folder, in the order of their names. One more than there may be, where there are more.
pub(super) fn files(folder: Option<&Path>) -> Vec<PathBuf> {
    let entries = folder.and_then(|folder| std::fs::read_dir(folder).ok());
    let mut files: Vec<PathBuf> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| is_named_as_font(path))
        .take(MAX_KEPT + 1)
        .collect();
    files.sort();
    files
}

/// Returns the fonts of the folder. A font that cannot be used is left out with a warning.
pub(super) fn fonts(folder: Option<&Path>) -> Vec<Arc<[u8]>> {
    let mut fonts: Vec<Arc<[u8]>> = Vec::new();
    let mut left = MAX_KEPT_BYTES;
    let mut faults = Vec::new();
    for file in files(folder) {
        let fault = match plain_file::read(&file, MAX_FILE_BYTES) {
            Err(error) => error.to_string(),
            Ok(_) if fonts.len() == MAX_KEPT => format!("at most {MAX_KEPT} fonts are used"),
            Ok(font) if font.len() as u64 > left => {
                format!("at most {MAX_KEPT_BYTES} bytes of fonts are used")
            }
            Ok(font) => match font_fault(&font) {
                None if is_font(&font) => {
                    left -= font.len() as u64;
                    fonts.push(font.into());
                    continue;
                }
                None => "it is no TTF, OTF or TTC font".to_owned(),
                Some(fault) => fault.to_owned(),
            },
        };
        let name = file.file_name().map(|it| it.to_string_lossy().into_owned());
        faults.push(format!("{}: {fault}", name.unwrap_or_default()));
    }
    if let (Some(first), Some(folder)) = (faults.first(), folder) {
        let more = match faults.len() - 1 {
            0 => String::new(),
            more => format!(", and {more} more"),
        };
        note(&format!(
            "warning: a font of {} is left out ({first}{more}); `mitt fonts remove` removes it",
            folder.display()
        ));
    }
    fonts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_cannot_be_used_costs_itself() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("broken.ttf"), b"\0\x01\0\0").unwrap();
        std::fs::write(folder.path().join("broken.ttf.LICENSE.txt"), b"x").unwrap();
        assert_eq!(files(Some(folder.path())), [folder.path().join("broken.ttf")]);
        assert!(fonts(Some(folder.path())).is_empty());
        assert!(fonts(Some(&folder.path().join("absent"))).is_empty() && fonts(None).is_empty());
        for number in 0..=MAX_KEPT {
            std::fs::write(folder.path().join(format!("{number}.otf")), b"OTTO").unwrap();
        }
        assert_eq!(files(Some(folder.path())).len(), MAX_KEPT + 1);
    }
}
