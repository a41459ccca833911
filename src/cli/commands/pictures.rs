//! Pictures that the user adds, for models with vision.

use std::path::Path;

use crate::output::note;
use mitt::Session;
use mitt_agent::model::Image;
use mitt_base::limits::MIB;
use mitt_base::{Error, ErrorKind, Result, plain_file};

/// Largest picture, in bytes; the limits of services vary.
const MAX_BYTES: u64 = 20 * MIB;

/// Largest picture of an event, in bytes.
#[cfg(feature = "lambda")]
pub(crate) const MAX_PICTURE_BYTES: u64 = MAX_BYTES;

/// Bytes at the beginning of a file that identify its type.
const BEGINNING: u64 = 12;

/// Returns the picture in a file. `None` if it is not a picture or cannot be read; reading it as a document reports that.
///
/// # Errors
///
/// [`ErrorKind::Input`] - the picture is too large.
pub(super) fn picture(path: &Path) -> Result<Option<Image>> {
    let Ok(beginning) = plain_file::read(path, BEGINNING) else { return Ok(None) };
    let Some(media_type) = media_type(&beginning) else { return Ok(None) };
    let wrong = |problem: String| Error::new(ErrorKind::Input, problem).at(path.display());
    let data = plain_file::read(path, MAX_BYTES)
        .map_err(|error| wrong("it cannot be read".to_owned()).caused_by(error))?;
    if data.len() as u64 > MAX_BYTES {
        return Err(wrong(format!("expected a picture of at most {MAX_BYTES} bytes, got more"))
            .hint("make it smaller: models look at a few megapixels at most"));
    }
    Ok(Some(Image { media_type: media_type.to_owned(), data: data.into() }))
}

/// Lets rendered documents show a picture that the user named, by its file name. Prints a warning if that is impossible.
pub(super) fn give(session: &Session, path: &Path, picture: &Image) {
    let name = path.file_name().map(|name| name.to_string_lossy().into_owned());
    if let Err(error) = session.add_picture(&name.unwrap_or_default(), &picture.data) {
        note(&format!("warning: documents cannot show {}: {error}", path.display()));
    }
}

/// Returns the picture that a file is, if models and documents can show it.
#[cfg(feature = "lambda")]
pub(crate) fn picture_of(content: &[u8]) -> Option<Image> {
    let media_type = media_type(content)?;
    Some(Image { media_type: media_type.to_owned(), data: content.into() })
}

/// Returns the media type of a picture from its first bytes, if services accept it.
fn media_type(beginning: &[u8]) -> Option<&'static str> {
    match beginning {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some("image/png"),
        [0xff, 0xd8, 0xff, ..] => Some("image/jpeg"),
        [b'G', b'I', b'F', b'8', b'7' | b'9', b'a', ..] => Some("image/gif"),
        [b'R', b'I', b'F', b'F', _, _, _, _, b'W', b'E', b'B', b'P', ..] => Some("image/webp"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_are_known_by_their_content() {
        let root = tempfile::tempdir().unwrap();
        let path = root.path().join("a.bin");
        let of = |content: &[u8]| {
            std::fs::write(&path, content).unwrap();
            picture(&path).unwrap().map(|image| image.media_type)
        };
        assert_eq!(of(b"\x89PNG\r\n\x1a\n...").as_deref(), Some("image/png"));
        assert_eq!(of(b"\xff\xd8\xff\xe0").as_deref(), Some("image/jpeg"));
        assert_eq!(of(b"GIF89a").as_deref(), Some("image/gif"));
        assert_eq!(of(b"RIFF\0\0\0\0WEBPVP8 ").as_deref(), Some("image/webp"));
        for other in [&b"RIFF\0\0\0\0WAVE"[..], b"%PDF-1.7", b"", b"\x89PNG"] {
            assert_eq!(of(other), None);
        }
        assert!(picture(&root.path().join("none")).unwrap().is_none());
        let large = std::fs::File::create(&path).unwrap();
        large.set_len(MAX_BYTES + 1).unwrap();
        std::io::Write::write_all(&mut &large, b"\xff\xd8\xff").unwrap();
        assert!(picture(&path).unwrap_err().to_string().contains("at most 20971520 bytes"));
    }
}
