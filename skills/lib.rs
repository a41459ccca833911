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
}

/// All of them, sorted by name. A `static`, because every crate and codegen unit that uses a `const` gets a copy: the program had
/// all components twice, 17 MB.
pub static ALL: &[Skill] = &[
    skill!("chart-tool" / "chart-tool.wasm"),
    skill!("deck-tool" / "deck-tool.wasm.zst"),
    skill!("document-tool" / "document-tool.wasm.zst"),
    skill!("docx-tool" / "docx-tool.wasm.zst"),
    skill!("excel-tool" / "excel-tool.wasm"),
    Skill {
        name: "javascript",
        manifest: mitt_skill_javascript::MANIFEST,
        manifest_json: mitt_skill_javascript::MANIFEST_JSON,
        instructions: mitt_skill_javascript::INSTRUCTIONS,
        component: mitt_skill_javascript::COMPONENT,
        component_blake3: mitt_skill_javascript::COMPONENT_BLAKE3,
        helpers: &[],
    },
    skill!("mail-tool" / "mail-tool.wasm.zst"),
    Skill {
        name: "page-pictures",
        manifest: mitt_skill_page_pictures::MANIFEST,
        manifest_json: mitt_skill_page_pictures::MANIFEST_JSON,
        instructions: mitt_skill_page_pictures::INSTRUCTIONS,
        component: mitt_skill_page_pictures::COMPONENT,
        component_blake3: mitt_skill_page_pictures::COMPONENT_BLAKE3,
        helpers: &[],
    },
    Skill {
        name: "pdf-tool",
        manifest: mitt_skill_pdf_tool::MANIFEST,
        manifest_json: mitt_skill_pdf_tool::MANIFEST_JSON,
        instructions: mitt_skill_pdf_tool::INSTRUCTIONS,
        component: mitt_skill_pdf_tool::COMPONENT,
        component_blake3: mitt_skill_pdf_tool::COMPONENT_BLAKE3,
        helpers: &[],
    },
    Skill {
        name: "python",
        manifest: mitt_skill_python::MANIFEST,
        manifest_json: mitt_skill_python::MANIFEST_JSON,
        instructions: mitt_skill_python::INSTRUCTIONS,
        component: mitt_skill_python::COMPONENT,
        component_blake3: mitt_skill_python::COMPONENT_BLAKE3,
        helpers: &[],
    },
    Skill {
        name: "python-lite",
        manifest: mitt_skill_python_lite::MANIFEST,
        manifest_json: mitt_skill_python_lite::MANIFEST_JSON,
        instructions: mitt_skill_python_lite::INSTRUCTIONS,
        component: mitt_skill_python_lite::COMPONENT,
        component_blake3: mitt_skill_python_lite::COMPONENT_BLAKE3,
        helpers: &[],
    },
    skill!("reader-archive" / "reader-archive.wasm.zst"),
    skill!("reader-encrypted" / "reader-encrypted.wasm.zst"),
    skill!("reader-images" / "reader-images.wasm.zst"),
    skill!("reader-mail" / "reader-mail.wasm.zst"),
    skill!("reader-office" / "reader-office.wasm.zst"),
    Skill {
        name: "reader-pdf",
        manifest: mitt_skill_reader_pdf::MANIFEST,
        manifest_json: mitt_skill_reader_pdf::MANIFEST_JSON,
        instructions: mitt_skill_reader_pdf::INSTRUCTIONS,
        component: mitt_skill_reader_pdf::COMPONENT,
        component_blake3: mitt_skill_reader_pdf::COMPONENT_BLAKE3,
        helpers: &[],
    },
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
