//! The fonts with which Mitt typesets PDF, as TrueType files compressed by zstd: Noto Sans and Noto Sans SC, under the SIL
//! Open Font License; and DejaVu Sans Mono, under the license of Bitstream Vera. `make.sh` makes them, and names the
//! sources.

#![forbid(unsafe_code)]
#![no_std]

/// Regular and bold of both; italics of the Latin one, since Chinese has none.
pub const NOTO: [&[u8]; 6] = [
    include_bytes!("NotoSans-Regular.ttf.zst"),
    include_bytes!("NotoSans-Bold.ttf.zst"),
    include_bytes!("NotoSans-Italic.ttf.zst"),
    include_bytes!("NotoSans-BoldItalic.ttf.zst"),
    include_bytes!("NotoSansSC-Regular.ttf.zst"),
    include_bytes!("NotoSansSC-Bold.ttf.zst"),
];

/// A monospaced font, for backends without one: Latin to Cyrillic, box drawing, arrows, mathematical and other symbols.
pub const MONO: &[u8] = include_bytes!("DejaVuSansMono.ttf.zst");
