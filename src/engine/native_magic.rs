//! Recognises files of native code by their content.

/// First bytes of files with native code: ELF, which wasmtime writes as well, and macOS in both byte orders and for several
/// processors.
const MAGIC: [&[u8]; 6] = [
    b"\x7fELF",
    b"\xfe\xed\xfa\xce",
    b"\xfe\xed\xfa\xcf",
    b"\xce\xfa\xed\xfe",
    b"\xcf\xfa\xed\xfe",
    b"\xca\xfe\xba\xbe",
];

/// Returns whether a file holds native code, whatever its name is.
pub fn is_native_code(content: &[u8]) -> bool {
    // Many texts begin with these two letters, but not with a header that contains zeros.
    let windows = content.starts_with(b"MZ") && content.iter().take(8).any(|byte| *byte == 0);
    windows || MAGIC.iter().any(|magic| content.starts_with(magic))
}
