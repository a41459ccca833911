//! The skills that come inside the binary.

/// A skill as compiled in.
pub(super) struct Bundled {
    pub(super) name: &'static str,
    pub(super) manifest: &'static str,
    pub(super) instructions: &'static str,
    pub(super) component: &'static [u8],
    /// Python files by their paths below `scripts`, and their texts.
    pub(super) helpers: &'static [(&'static str, &'static str)],
}

macro_rules! bundled {
    ($($name:literal / $component:literal $([$($helper:literal),*])?),* $(,)?) => {
        &[$(Bundled {
            name: $name,
            manifest: include_str!(concat!("../../skills/", $name, "/skill.yaml")),
            instructions: include_str!(concat!("../../skills/", $name, "/SKILL.md")),
            component: include_bytes!(concat!("../../skills/", $name, "/", $component)),
            helpers: &[$($(
                ($helper, include_str!(concat!("../../skills/", $name, "/scripts/", $helper))),
            )*)?],
        }),*]
    };
}

/// All of them, sorted by name.
#[cfg(feature = "bundled")]
pub(super) const BUNDLED: &[Bundled] = bundled![
    "document-tool" / "document-tool.wasm",
    "excel-tool" / "excel-tool.wasm",
    "python" / "python.wasm.zst",
    "python-lite" / "python-lite.wasm.zst",
    "reader-office" / "reader-office.wasm",
    "reader-sheet" / "reader-sheet.wasm",
    "report" / "report.wasm",
    "table-tool" / "table-tool.wasm",
];

/// This build has none.
#[cfg(not(feature = "bundled"))]
pub(super) const BUNDLED: &[Bundled] = bundled![];
