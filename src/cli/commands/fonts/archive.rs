//! Fonts in an archive (`.zip`, `.tar.gz`): its files one after the other, none of them unpacked to the disk.

use std::fs::File;
use std::io::Read;
use std::path::{Component, Path};

use super::{MAX_BYTES, MAX_ENTRIES, MAX_FILE_BYTES};
use mitt_base::{Error, ErrorKind, Result};

/// Returns `true` if the name of a file is that of an archive.
pub(super) fn is_archive(path: &Path) -> bool {
    let name = path.file_name().map(|it| it.to_string_lossy().to_ascii_lowercase());
    name.is_some_and(|name| {
        [".zip", ".tar.gz", ".tgz", ".tar"].iter().any(|end| name.ends_with(end))
    })
}

/// Call `visit` with the name and content of each file of an archive that is wanted by its name.
///
/// # Errors
///
/// [`ErrorKind::Input`] - it cannot be read, is encrypted, or has too many or too large files; what `visit` gives.
pub(super) fn each(
    path: &Path,
    is_wanted: &dyn Fn(&str) -> bool,
    visit: &mut dyn FnMut(&str, Vec<u8>) -> Result<()>,
) -> Result<()> {
    let unreadable = |error: std::io::Error| {
        Error::new(ErrorKind::Input, format!("cannot read {}", path.display())).caused_by(error)
    };
    let file = File::open(path).map_err(unreadable)?;
    let mut left = MAX_BYTES;
    let mut on_file = |name: &Path, content: &mut dyn Read| -> Result<()> {
        let is_plain =
            name.components().all(|it| matches!(it, Component::Normal(_) | Component::CurDir));
        let Some(name) = name.to_str().filter(|name| is_plain && is_wanted(name)) else {
            return Ok(());
        };
        let most = MAX_FILE_BYTES.min(left);
        let mut bytes = Vec::new();
        content.take(most + 1).read_to_end(&mut bytes).map_err(unreadable)?;
        if bytes.len() as u64 > most {
            let message = format!(
                "{}: expected files of at most {MAX_FILE_BYTES} bytes, and of {MAX_BYTES} together; `{name}` is larger",
                path.display()
            );
            return Err(Error::new(ErrorKind::Input, message)
                .hint("unpack it, and name the folder with the fonts that you want"));
        }
        left -= bytes.len() as u64;
        visit(name, bytes)
    };
    let lower = path.to_string_lossy().to_ascii_lowercase();
    if lower.ends_with(".zip") {
        return of_zip(path, file, &mut on_file);
    }
    if lower.ends_with(".tar") {
        of_tar(path, &mut file.take(MAX_BYTES), &mut on_file)
    } else {
        // What is skipped is unpacked too.
        let mut unpacked = flate2::read::MultiGzDecoder::new(file).take(MAX_BYTES);
        of_tar(path, &mut unpacked, &mut on_file)
    }
}

/// What is done with a file.
type OnFile<'a> = dyn FnMut(&Path, &mut dyn Read) -> Result<()> + 'a;

#[cold]
fn too_many(path: &Path) -> Error {
    let message = format!("{}: expected at most {MAX_ENTRIES} files, it has more", path.display());
    Error::new(ErrorKind::Input, message).hint("unpack it, and name the folder with the fonts")
}

fn of_zip(path: &Path, file: File, on_file: &mut OnFile<'_>) -> Result<()> {
    let broken = |error: zip::result::ZipError| {
        let message = format!("{}: it is encrypted, or no ZIP archive", path.display());
        Error::new(ErrorKind::Input, message).caused_by(error)
    };
    let mut zip = zip::ZipArchive::new(file).map_err(broken)?;
    if zip.len() > MAX_ENTRIES {
        return Err(too_many(path));
    }
    for index in 0..zip.len() {
        let mut file = zip.by_index(index).map_err(broken)?;
        if let Some(name) = file.enclosed_name().filter(|_| file.is_file()) {
            on_file(&name, &mut file)?;
        }
    }
    Ok(())
}

fn of_tar(path: &Path, file: &mut dyn Read, on_file: &mut OnFile<'_>) -> Result<()> {
    let broken = |error: std::io::Error| {
        let message = format!("{}: it is damaged, too large, or no archive", path.display());
        Error::new(ErrorKind::Input, message).caused_by(error)
    };
    let mut tar = tar::Archive::new(file);
    for (index, file) in tar.entries().map_err(broken)?.enumerate() {
        if index >= MAX_ENTRIES {
            return Err(too_many(path));
        }
        let mut file = file.map_err(broken)?;
        if file.header().entry_type().is_file() {
            let name = file.path().map_err(broken)?.into_owned();
            on_file(&name, &mut file)?;
        }
    }
    Ok(())
}
