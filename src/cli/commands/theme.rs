//! Finds a theme: a built-in one by its name, or a file with the logo beside it.

use std::path::Path;
use std::sync::Arc;

use mitt::render::{MAX_LOGO_BYTES, Theme};
use mitt_base::limits::KIB;
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// Largest theme file, in bytes.
const MAX_BYTES: u64 = 64 * KIB;

/// Returns the theme with a name, or from a file.
///
/// # Errors
///
/// [`ErrorKind::Input`] - there is no such theme, or its file cannot be read or has invalid content.
pub(super) fn theme(asked: &str) -> Result<Theme> {
    if Theme::names().any(|name| name == asked) {
        return Theme::named(asked);
    }
    let path = Path::new(asked);
    let is_path = asked.ends_with(".toml") || asked.contains(['/', '\\']) || path.exists();
    if !is_path {
        return Theme::named(asked).map_err(|error| {
            error.at("--theme").hint("or name a file of your own: `--theme mine.toml`")
        });
    }
    let unreadable = |error| {
        Error::new(ErrorKind::Input, format!("--theme: cannot read {}", path.display()))
            .hint("name a TOML file that you may read, or a built-in theme")
            .caused_by(error)
    };
    let bytes = plain_file::read(path, MAX_BYTES).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        let message =
            format!("--theme: expected at most {MAX_BYTES} bytes, got more in {}", path.display());
        return Err(Error::new(ErrorKind::Input, message));
    }
    let text = String::from_utf8(bytes).map_err(|_| {
        Error::new(ErrorKind::Input, format!("--theme: expected UTF-8 in {}", path.display()))
    })?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or_else(|| Path::new("."));
    Theme::parse(&path.display().to_string(), &text, &mut |name| logo(folder, name))
}

/// Reads a logo, which must lie beside its theme or below.
fn logo(folder: &Path, name: &str) -> Result<Arc<[u8]>> {
    let file = plain_file::open_beneath(folder, Path::new(name));
    let bytes = file.and_then(|file| plain_file::content(file, MAX_LOGO_BYTES as u64));
    bytes.map(Arc::from).map_err(|error| {
        let shown = mitt_base::text::one_line(mitt_base::text::cut_bytes(name, 120));
        Error::new(ErrorKind::Input, format!("cannot read `{shown}`"))
            .hint("name a file beside the theme or in a folder below it, which is no link")
            .caused_by(error)
    })
}
