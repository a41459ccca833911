//! The contract between Mitt and its plugins: the WIT files themselves, and the host's side of them as Rust.
//!
//! The bindings are generated, so their documentation is in the WIT. They are a separate crate because they take longer to
//! compile than everything that uses them.

#![forbid(unsafe_code)]
#![allow(missing_docs, reason = "generated; the documentation is in the WIT")]

/// The interfaces that plugins with tools import. `files` is not among them: the host links its functions by hand.
pub mod host {
    wasmtime::component::bindgen!({
        path: ".",
        world: "mitt:host/host",
        // A plugin holds handles of the host's own tables.
        with: {
            "mitt:host/tables.table": mitt_table::Table,
            "mitt:host/tables.builder": mitt_table::TableBuilder,
        },
        imports: {
            "mitt:host/render@0.1.0": async | trappable,
            "mitt:host/tools@0.1.0": async | trappable,
            default: trappable,
        },
    });
}

/// The interfaces that readers export, including those of readers that share work.
pub mod reader {
    wasmtime::component::bindgen!({
        path: ".",
        inline: "
            package mitt:readers;

            world every-reader {
                include mitt:host/sharing-reader-plugin@0.1.0;
                include mitt:host/piecewise-reader@0.1.0;
            }
        ",
        world: "mitt:readers/every-reader",
        with: {
            "mitt:host/types@0.1.0": super::host::mitt::host::types,
            "mitt:host/tables@0.1.0": super::host::mitt::host::tables,
            "mitt:host/log@0.1.0": super::host::mitt::host::log,
        },
        exports: { default: async },
    });
}

/// The interfaces that script engines import and export.
pub mod script {
    wasmtime::component::bindgen!({
        path: ".",
        world: "mitt:host/script-engine",
        with: {
            "mitt:host/types@0.1.0": super::host::mitt::host::types,
            "mitt:host/tables@0.1.0": super::host::mitt::host::tables,
            "mitt:host/catalog@0.1.0": super::host::mitt::host::catalog,
            "mitt:host/documents@0.1.0": super::host::mitt::host::documents,
            "mitt:host/workspace@0.1.0": super::host::mitt::host::workspace,
            "mitt:host/tools@0.1.0": super::host::mitt::host::tools,
            "mitt:host/log@0.1.0": super::host::mitt::host::log,
        },
        imports: { default: async | trappable },
        exports: { default: async },
    });
}

/// Calls of several tools at once.
pub mod batches {
    wasmtime::component::bindgen!({
        path: ".",
        inline: "
            package mitt:batches;

            world batches {
                import mitt:host/tool-batches@0.1.0;
            }
        ",
        world: "mitt:batches/batches",
        with: {
            "mitt:host/tools@0.1.0": super::host::mitt::host::tools,
        },
        imports: { default: async | trappable },
    });
}

/// Name and text of each WIT file, sorted by name.
pub const FILES: &[(&str, &str)] = &[
    ("catalog.wit", include_str!("catalog.wit")),
    ("documents.wit", include_str!("documents.wit")),
    ("files.wit", include_str!("files.wit")),
    ("log.wit", include_str!("log.wit")),
    ("pieces.wit", include_str!("pieces.wit")),
    ("reader.wit", include_str!("reader.wit")),
    ("render.wit", include_str!("render.wit")),
    ("script.wit", include_str!("script.wit")),
    ("signing.wit", include_str!("signing.wit")),
    ("tables.wit", include_str!("tables.wit")),
    ("tool-batches.wit", include_str!("tool-batches.wit")),
    ("tools.wit", include_str!("tools.wit")),
    ("types.wit", include_str!("types.wit")),
    ("workspace.wit", include_str!("workspace.wit")),
    ("worlds.wit", include_str!("worlds.wit")),
];

#[cfg(test)]
mod tests {
    #[test]
    fn every_file_is_listed() {
        let mut names: Vec<_> = std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .filter(|name| name.ends_with(".wit"))
            .collect();
        names.sort();
        assert!(names.iter().eq(super::FILES.iter().map(|(name, _)| name)), "{names:?}");
    }
}
