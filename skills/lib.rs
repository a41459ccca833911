//! The document skills that come with Mitt: manifests, instructions and precompiled WebAssembly components, as bytes.
//!
//! Data only, so that nothing is compiled again when the host changes. What they do is in the `SKILL.md` of each; their
//! sources are in `plugins/` of the repository.

#![forbid(unsafe_code)]
#![no_std]

/// A skill as compiled in.
#[derive(Clone, Copy, Debug)]
pub struct Skill {
    /// Its name, which is that of its folder.
    pub name: &'static str,
    /// `skill.yaml`.
    pub manifest: &'static str,
    /// `skill.yaml` as JSON. Each start reads this form, because the parser of YAML takes about ten times as long.
    pub manifest_json: &'static str,
    /// `SKILL.md`.
    pub instructions: &'static str,
    /// The component, as it is or compressed by zstd.
    pub component: &'static [u8],
    /// BLAKE3 hash of `component`, 64 hexadecimal digits: hashing 6 MB at each start would take a millisecond.
    pub component_blake3: &'static str,
    /// Python files by their paths below `scripts`, and their texts.
    pub helpers: &'static [(&'static str, &'static str)],
}

macro_rules! skill {
    ($name:literal / $component:literal) => {
        Skill {
            name: $name,
            manifest: include_str!(concat!($name, "/skill.yaml")),
            manifest_json: include_str!(concat!($name, "/skill.json")),
            instructions: include_str!(concat!($name, "/SKILL.md")),
            component: include_bytes!(concat!($name, "/", $component)),
            component_blake3: include_str!(concat!($name, "/component.blake3")),
            helpers: &[],
        }
    };
    // A skill with a crate of its own.
    ($name:literal in $data:ident) => {
        Skill {
            name: $name,
            manifest: $data::MANIFEST,
            manifest_json: $data::MANIFEST_JSON,
            instructions: $data::INSTRUCTIONS,
            component: $data::COMPONENT,
            component_blake3: $data::COMPONENT_BLAKE3,
            helpers: &[],
        }
    };
}

/// All of them, sorted by name. A `static`, because every crate and codegen unit that uses a `const` gets a copy: the program had
/// all components twice, 17 MB.
pub static ALL: &[Skill] = &[
    skill!("chart-tool" / "chart-tool.wasm"),
    skill!("deck-tool" / "deck-tool.wasm.zst"),
    skill!("document-tool" / "document-tool.wasm.zst"),
    skill!("docx-tool" / "docx-tool.wasm.zst"),
    skill!("excel-tool" / "excel-tool.wasm"),
    skill!("javascript" in mitt_skill_javascript),
    skill!("mail-tool" / "mail-tool.wasm.zst"),
    skill!("page-pictures" in mitt_skill_page_pictures),
    skill!("pdf-tool" in mitt_skill_pdf_tool),
    skill!("python" in mitt_skill_python),
    skill!("python-lite" in mitt_skill_python_lite),
    skill!("reader-archive" / "reader-archive.wasm.zst"),
    skill!("reader-encrypted" / "reader-encrypted.wasm.zst"),
    skill!("reader-images" in mitt_skill_reader_images),
    skill!("reader-mail" / "reader-mail.wasm.zst"),
    skill!("reader-office" / "reader-office.wasm.zst"),
    skill!("reader-pdf" in mitt_skill_reader_pdf),
    skill!("reader-sheet" / "reader-sheet.wasm.zst"),
    skill!("reader-table" / "reader-table.wasm.zst"),
    skill!("reader-text" / "reader-text.wasm.zst"),
    skill!("reader-web" / "reader-web.wasm.zst"),
    skill!("redact-tool" / "redact-tool.wasm.zst"),
    skill!("report" / "report.wasm"),
    skill!("sheet-tool" / "sheet-tool.wasm.zst"),
    skill!("sql-tool" / "sql-tool.wasm.zst"),
    skill!("table-tool" / "table-tool.wasm.zst"),
    skill!("word-tool" / "word-tool.wasm"),
];
