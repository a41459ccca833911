//! Which files hold native code, whatever they are called.

/// How files of native code begin: ELF, which wasmtime writes too, macOS in both byte orders and for several processors.
const MAGIC: [&[u8]; 6] = [
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
];

/// Whether a file holds native code, whatever its name is.
pub(crate) fn is_native_code(content: &[u8]) -> bool {
    // Two letters begin many texts; the header behind them is none.
    let windows = content.starts_with(b"MZ") && content.iter().take(8).any(|byte| *byte == 0);
    windows || MAGIC.iter().any(|magic| content.starts_with(magic))
}
