//! Fonts besides the bundled ones: files that are named, of folders those that have characters which are missing, and what stands in the
//! user's folder of fonts. `mitt fonts` shows and changes that.

mod add;
mod archive;
mod list;
mod remove;
mod user_fonts;

use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;

use crate::args::{Fonts, FontsCommand, Global};
use crate::output::{Output, note};
use mitt::render::{FontChoice, FontSet, font_fault};
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// Beginnings of font files.
const BEGINNINGS: [&[u8]; 4] = [b"\0\x01\0\0", b"OTTO", b"ttcf", b"true"];

/// Ends of their names, of which only such are looked at in a folder.
const EXTENSIONS: [&str; 4] = ["ttf", "otf", "ttc", "otc"];

/// Most entries of all named folders, however deep they are, and how deep they may be.
const MAX_ENTRIES: usize = 20_000;
const MAX_DEPTH: usize = 8;

/// Most font files in them, and most bytes of these.
const MAX_FILES: usize = 2_000;
const MAX_BYTES: u64 = 1024 * MIB;

/// Largest file in a folder, in bytes: fonts of all Chinese characters in all weights have 100 MB.
const MAX_FILE_BYTES: u64 = 128 * MIB;

/// Most bytes that are taken of folders; a worker takes 256 MiB in all.
const MAX_CHOSEN_BYTES: u64 = 128 * MIB;

/// Run `mitt fonts`, or one of its commands.
pub(crate) fn command(global: &Global, command: Fonts, output: &Output) -> Result<ExitCode> {
    match command.command {
        None => list::list(global, output),
        Some(FontsCommand::Add(command)) => add::add(&command, output),
        Some(FontsCommand::Remove(command)) => remove::remove(&command, output),
    }
}

/// Returns the fonts of `--font`, `--font-folder` and the user's folder of fonts. Those of the user's folder are read when a document needs
/// them, as most commands need none.
///
/// # Errors
///
/// [`ErrorKind::Input`] - a file or folder cannot be read, is no font, or is too large.
pub(super) fn fonts(global: &Global) -> Result<FontSet> {
    let mut fonts = global.fonts.iter().map(|path| font(path)).collect::<Result<Vec<_>>>()?;
    fonts.extend(of_folders(&global.font_folders)?);
    Ok(FontSet::read_later(move || {
        fonts.extend(user_fonts::fonts(user_fonts::folder().as_deref()));
        fonts
    }))
}

fn font(path: &Path) -> Result<Arc<[u8]>> {
    let font = std::fs::read(path).map_err(|error| {
        Error::new(ErrorKind::Input, format!("--font: cannot read {}", path.display()))
            .caused_by(error)
    })?;
    if !is_font(&font) {
        let message = format!("--font: expected a TTF, OTF or TTC font, got {}", path.display());
        return Err(Error::new(ErrorKind::Input, message));
    }
    if let Some(fault) = font_fault(&font) {
        let message = format!("--font: {} is not used: {fault}", path.display());
        return Err(Error::new(ErrorKind::Input, message).hint("name another font"));
    }
    Ok(font.into())
}

fn is_font(bytes: &[u8]) -> bool {
    BEGINNINGS.iter().any(|beginning| bytes.starts_with(beginning))
}

/// What an error about folders begins with, where an option names them.
const OPTION: &str = "--font-folder: ";

/// The font files in folders, in their order. `error_prefix` is what errors begin with.
fn files_of(folders: &[PathBuf], error_prefix: &'static str) -> Result<Vec<PathBuf>> {
    let mut search = FontSearch { error_prefix, ..FontSearch::default() };
    for folder in folders {
        search.walk(folder, folder, 0)?;
    }
    search.files.sort();
    search.files.dedup();
    Ok(search.files)
}

/// A file as [`FontChoice`] looks at it: nothing, if it cannot be read or is no font.
fn whole(file: &Path) -> Arc<[u8]> {
    let font = plain_file::read(file, MAX_FILE_BYTES).unwrap_or_default();
    let is_whole = font.len() as u64 <= MAX_FILE_BYTES && is_font(&font);
    if is_whole { font.into() } else { Arc::new([]) }
}

/// Of all files in the folders those that add characters. Each is read twice, so that only what is used is kept in memory.
fn of_folders(folders: &[PathBuf]) -> Result<Vec<Arc<[u8]>>> {
    let files = files_of(folders, OPTION)?;
    let mut choice = FontChoice::default();
    let mut broken = 0;
    for file in &files {
        // Its place is its number.
        if !choice.look_at(whole(file)) {
            broken += 1;
        }
    }
    if broken > 0 {
        note(&format!(
            "warning: --font-folder: {broken} files cannot be read as fonts, and are left out"
        ));
    }
    let chosen = choice.chosen(MAX_CHOSEN_BYTES);
    let read = |index: usize| {
        let file = files.get(index).ok_or_else(|| Error::bug("no such font"))?;
        plain_file::read(file, MAX_FILE_BYTES)
            .map(Arc::from)
            .map_err(|error| unreadable(OPTION, file, error))
    };
    chosen.into_iter().map(read).collect()
}

fn unreadable(error_prefix: &str, path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorKind::Input, format!("{error_prefix}cannot read {}", path.display()))
        .hint("name a folder that you may read, such as `/usr/share/fonts`")
        .caused_by(error)
}

/// Files of folders.
#[derive(Default)]
struct FontSearch {
    /// What errors begin with.
    error_prefix: &'static str,
    files: Vec<PathBuf>,
    entries: usize,
    bytes: u64,
}

impl FontSearch {
    /// The font files below `folder`. A link that leads out of `root` is no part of it.
    fn walk(&mut self, root: &Path, folder: &Path, depth: usize) -> Result<()> {
        let root_really =
            root.canonicalize().map_err(|error| unreadable(self.error_prefix, root, error))?;
        let mut folders = Vec::new();
        for entry in std::fs::read_dir(folder)
            .map_err(|error| unreadable(self.error_prefix, folder, error))?
        {
            let path = entry.map_err(|error| unreadable(self.error_prefix, folder, error))?.path();
            self.entries += 1;
            self.check(root)?;
            let Ok(metadata) = path.symlink_metadata() else { continue };
            let inside = path.canonicalize().is_ok_and(|really| really.starts_with(&root_really));
            if metadata.is_dir() && depth < MAX_DEPTH {
                folders.push(path);
            } else if inside && is_named_as_font(&path) {
                self.bytes += path.metadata().map_or(0, |metadata| metadata.len());
                self.files.push(path);
                self.check(root)?;
            }
        }
        folders.sort();
        folders.iter().try_for_each(|folder| self.walk(root, folder, depth + 1))
    }

    fn check(&self, root: &Path) -> Result<()> {
        let what = if self.entries > MAX_ENTRIES {
            format!("at most {MAX_ENTRIES} entries")
        } else if self.files.len() > MAX_FILES {
            format!("at most {MAX_FILES} font files")
        } else if self.bytes > MAX_BYTES {
            format!("font files of at most {MAX_BYTES} bytes together")
        } else {
            return Ok(());
        };
        let message =
            format!("{}expected {what}, got more in {}", self.error_prefix, root.display());
        Err(Error::new(ErrorKind::Input, message)
            .hint("name a smaller folder, or files: `--font <file>`"))
    }
}

fn is_named_as_font(path: &Path) -> bool {
    let extension = path.extension().and_then(|it| it.to_str()).unwrap_or_default();
    EXTENSIONS.iter().any(|known| known.eq_ignore_ascii_case(extension))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_gives_its_fonts_and_nothing_from_outside() {
        let outside = tempfile::tempdir().unwrap();
        std::fs::write(outside.path().join("secret.ttf"), b"\0\x01\0\0").unwrap();
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        std::fs::create_dir_all(at("deep/er")).unwrap();
        for name in ["b.TTF", "a.otf", "deep/er/c.ttc", "readme.txt", "font.woff2"] {
            std::fs::write(at(name), b"x").unwrap();
        }
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(outside.path().join("secret.ttf"), at("link.ttf")).unwrap();
            std::os::unix::fs::symlink(outside.path(), at("folder")).unwrap();
            std::os::unix::fs::symlink(folder.path(), at("deep/loop")).unwrap();
        }
        let mut search = FontSearch::default();
        search.walk(folder.path(), folder.path(), 0).unwrap();
        search.files.sort();
        assert_eq!(search.files, [at("a.otf"), at("b.TTF"), at("deep/er/c.ttc")]);
        // None of them is a font.
        assert!(of_folders(&[folder.path().to_owned()]).unwrap().is_empty());
        let error = of_folders(&[at("absent")]).unwrap_err();
        assert!(error.to_string().starts_with("--font-folder: cannot read "), "{error}");
    }

    #[test]
    fn folders_have_bounds() {
        for search in [
            FontSearch { entries: MAX_ENTRIES + 1, ..FontSearch::default() },
            FontSearch { files: vec![PathBuf::new(); MAX_FILES + 1], ..FontSearch::default() },
            FontSearch { bytes: MAX_BYTES + 1, ..FontSearch::default() },
        ] {
            let message = search.check(Path::new("f")).unwrap_err().to_string();
            assert!(message.ends_with(", got more in f"), "{message}");
        }
    }
}
