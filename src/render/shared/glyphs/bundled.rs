//! The bundled fonts, unpacked once per process on first use: 8 MB become 16 MB.

use std::io::Read as _;
use std::sync::OnceLock;

use mitt_base::{Error, Result};

/// Returns the files of [`mitt_fonts::NOTO`], in its order; `None` if one of them is damaged.
pub(crate) fn unpacked() -> Option<&'static [Vec<u8>]> {
    static FILES: OnceLock<Option<Vec<Vec<u8>>>> = OnceLock::new();
    FILES.get_or_init(unpack_all).as_deref()
}

/// Places of the regular and the bold Chinese face in [`mitt_fonts::NOTO`].
const CHINESE: [usize; 2] = [4, 5];

/// Returns the file of the regular or the bold Chinese face.
pub(crate) fn chinese_font(bold: bool) -> Result<&'static [u8]> {
    let file = unpacked().and_then(|files| files.get(CHINESE[usize::from(bold)]));
    file.map(Vec::as_slice).ok_or_else(|| Error::bug("a bundled font is damaged"))
}

/// Returns the file of [`mitt_fonts::MONO`].
#[cfg(feature = "pdf-compact")]
pub(crate) fn unpacked_mono() -> Option<&'static [u8]> {
    static FILE: OnceLock<Option<Vec<u8>>> = OnceLock::new();
    FILE.get_or_init(|| unpack(mitt_fonts::MONO)).as_deref()
}

/// Unpacks in parallel, because the two large files take most of the time.
fn unpack_all() -> Option<Vec<Vec<u8>>> {
    std::thread::scope(|scope| {
        let threads: Vec<_> =
            mitt_fonts::NOTO.iter().map(|packed| scope.spawn(move || unpack(packed))).collect();
        threads.into_iter().map(|thread| thread.join().ok()?).collect()
    })
}

fn unpack(packed: &[u8]) -> Option<Vec<u8>> {
    let mut data = Vec::new();
    ruzstd::decoding::StreamingDecoder::new(packed).ok()?.read_to_end(&mut data).ok()?;
    Some(data)
}
