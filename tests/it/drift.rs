//! Components and their sources: a test fails if one is changed without the other.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};
use toml_edit::{DocumentMut, Value};

use crate::support::root;

/// Every plugin with a committed component. The second part is the file in its skill folder.
const PLUGINS: [(&str, &str); 27] = [
    ("chart-tool", "chart-tool.wasm"),
    ("deck-tool", "deck-tool.wasm.zst"),
    ("document-tool", "document-tool.wasm.zst"),
    ("docx-tool", "docx-tool.wasm.zst"),
    ("excel-tool", "excel-tool.wasm"),
    ("javascript", "javascript.wasm.zst"),
    ("mail-tool", "mail-tool.wasm.zst"),
    ("page-pictures", "page-pictures.wasm.zst"),
    ("python", "python.wasm.zst"),
    ("python-lite", "python-lite.wasm.zst"),
    ("pdf-tool", "pdf-tool.wasm.zst"),
    ("reader-archive", "reader-archive.wasm.zst"),
    ("reader-encrypted", "reader-encrypted.wasm.zst"),
    ("reader-images", "reader-images.wasm.zst"),
    ("reader-mail", "reader-mail.wasm.zst"),
    ("reader-office", "reader-office.wasm.zst"),
    ("reader-pdf", "reader-pdf.wasm.zst"),
    ("reader-sheet", "reader-sheet.wasm.zst"),
    ("reader-table", "reader-table.wasm.zst"),
    ("reader-text", "reader-text.wasm.zst"),
    ("reader-web", "reader-web.wasm.zst"),
    ("redact-tool", "redact-tool.wasm.zst"),
    ("report", "report.wasm"),
    ("sheet-tool", "sheet-tool.wasm.zst"),
    ("sql-tool", "sql-tool.wasm.zst"),
    ("table-tool", "table-tool.wasm.zst"),
    ("word-tool", "word-tool.wasm"),
];

/// The plugins that edit files. Besides them, only `page-pictures` imports `files`.
const EDITORS: [&str; 6] =
    ["deck-tool", "docx-tool", "mail-tool", "pdf-tool", "redact-tool", "sheet-tool"];

fn imports_files(plugin: &str) -> bool {
    plugin == "page-pictures" || EDITORS.contains(&plugin)
}

/// Computes what `plugins/pack` computes, where the definition is.
fn source_sha256(plugin: &str) -> String {
    let mut files = Vec::new();
    for place in [format!("plugins/{plugin}"), "wit".into()].iter().chain(&shared(plugin)) {
        collect(&root().join(place), &mut files);
    }
    files.sort();
    files.dedup();
    let mut named: Vec<_> = files
        .into_iter()
        .filter(|path| {
            !path.starts_with(root().join("wit")) || path.extension() == Some("wit".as_ref())
        })
        // The only plugin that has the world of this file.
        .filter(|path| plugin == "reader-text" || !path.ends_with("wit/pieces.wit"))
        .filter(|path| imports_files(plugin) || !path.ends_with("wit/files.wit"))
        .filter(|path| plugin == "pdf-tool" || !path.ends_with("wit/signing.wit"))
        .filter(|path| plugin == "javascript" || !path.ends_with("wit/tool-batches.wit"))
        .map(|path| {
            let relative = path.strip_prefix(root()).unwrap();
            let name: Vec<_> = relative.iter().map(|part| part.to_str().unwrap()).collect();
            (name.join("/"), path)
        })
        .collect();
    named.sort();
    let lock = fs::read_to_string(root().join("plugins/Cargo.lock")).unwrap();
    let names = needed(&lock, plugin);
    let mut hasher = Sha256::new();
    for (name, path) in named {
        let mut content = fs::read(path).unwrap();
        let shown = || String::from_utf8(content.clone()).unwrap();
        match name.as_str() {
            "plugins/Cargo.lock" => content = lock_of(&shown(), &names),
            "plugins/Cargo.toml" => content = manifest_of(&shown(), &names),
            _ => {}
        }
        hasher.update(name.as_bytes());
        hasher.update([0]);
        hasher.update(content.len().to_string().as_bytes());
        hasher.update([0]);
        hasher.update(&content);
    }
    hex(&hasher.finalize())
}

/// Returns the names of the packages that a package of a lock file needs, with its own.
fn needed(lock: &str, plugin: &str) -> BTreeSet<String> {
    let lock: DocumentMut = lock.parse().unwrap();
    let packages = lock["package"].as_array_of_tables().unwrap();
    let mut names = BTreeSet::from([plugin.to_owned()]);
    loop {
        let inside = packages.iter().filter(|it| names.contains(it["name"].as_str().unwrap()));
        let dependencies = inside.filter_map(|package| package.get("dependencies"));
        let dependencies = dependencies.flat_map(|list| list.as_array().unwrap());
        let first = |name: &Value| name.as_str().unwrap().split(' ').next().unwrap().to_owned();
        let found: BTreeSet<String> = dependencies.map(first).chain(names.clone()).collect();
        if found == names {
            return names;
        }
        names = found;
    }
}

/// Returns the packages with one of `names` that come from a registry.
fn lock_of(lock: &str, names: &BTreeSet<String>) -> Vec<u8> {
    let parts = lock.split("[[package]]").skip(1).filter(|part| {
        let package: DocumentMut = part.parse().unwrap();
        names.contains(package["name"].as_str().unwrap()) && package.contains_key("source")
    });
    parts.map(str::trim).collect::<Vec<_>>().join("\n").into_bytes()
}

/// Returns the lines of the manifest of the workspace that concern packages with one of `names`.
fn manifest_of(manifest: &str, names: &BTreeSet<String>) -> Vec<u8> {
    let mut kept = String::new();
    let mut section = "";
    for line in manifest.lines() {
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if line.starts_with('[') {
            section = line;
        }
        let in_section = match section {
            "[workspace.dependencies]" if line == section => true,
            "[workspace.dependencies]" => names.contains(line.split(' ').next().unwrap()),
            _ => match section.strip_suffix(']').unwrap().split_once(".package.") {
                Some((_, package)) => package == "\"*\"" || names.contains(package),
                None => true,
            },
        };
        if in_section {
            kept += line;
            kept += "\n";
        }
    }
    kept.into_bytes()
}

/// Libraries that `plugins/patched.sh` makes out of published crates, each with its patch.
const PATCHED: [(&str, &str); 2] = [
    ("target/patched/office_oxide", "plugins/reader-office/office_oxide.patch"),
    ("target/patched/unpdf", "plugins/reader-pdf/unpdf.patch"),
];

fn shared(plugin: &str) -> Vec<String> {
    let mut places: Vec<String> = vec!["plugins/guest".into()];
    if !root().join("plugins").join(plugin).join("build.sh").exists() {
        places.extend(["plugins/Cargo.toml".into(), "plugins/Cargo.lock".into()]);
    }
    let mut crates = BTreeSet::new();
    named_by_path(&root().join("plugins").join(plugin), &mut crates);
    for folder in crates {
        if let Some((_, patch)) = PATCHED.iter().find(|(made, _)| folder.ends_with(made)) {
            places.extend(["plugins/patched.sh".into(), (*patch).into()]);
        } else {
            places.push(folder.strip_prefix(root()).unwrap().to_str().unwrap().to_owned());
        }
    }
    places
}

/// Adds the folders of the crates that a manifest names by their paths, and of those that these name. Dependencies of
/// tests are left out.
fn named_by_path(folder: &Path, found: &mut BTreeSet<PathBuf>) {
    let Ok(manifest) = fs::read_to_string(folder.join("Cargo.toml")) else { return };
    let manifest: DocumentMut = manifest.parse().unwrap();
    let in_plugins = folder.starts_with(root().join("plugins"));
    let workspace = if in_plugins { root().join("plugins") } else { root().to_owned() };
    let of_workspace = fs::read_to_string(workspace.join("Cargo.toml")).unwrap();
    let of_workspace: DocumentMut = of_workspace.parse().unwrap();
    let targets = manifest.get("target").and_then(|it| it.as_table_like());
    let of_targets = targets.into_iter().flat_map(|it| it.iter()).map(|(_, target)| target);
    let tables = std::iter::once(manifest.as_item()).chain(of_targets);
    let lists = tables.flat_map(|it| [it.get("dependencies"), it.get("build-dependencies")]);
    for (name, dependency) in lists.flatten().flat_map(|it| it.as_table_like().unwrap().iter()) {
        let shared = || of_workspace.get("workspace")?.get("dependencies")?.get(name);
        let (from, dependency) = match dependency.get("workspace") {
            Some(_) => (&*workspace, shared().unwrap()),
            None => (folder, dependency),
        };
        let Some(path) = dependency.get("path").and_then(|it| it.as_str()) else { continue };
        let mut place = from.to_owned();
        for part in path.split('/') {
            if part == ".." {
                place.pop();
            } else {
                place.push(part);
            }
        }
        if found.insert(place.clone()) && !PATCHED.iter().any(|(made, _)| place.ends_with(made)) {
            named_by_path(&place, found);
        }
    }
}

fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let name = path.file_name().unwrap().to_str().unwrap();
    if name.starts_with('.') || name == "target" || name == "__pycache__" {
        return;
    }
    if path.is_file() {
        files.push(path.to_owned());
        return;
    }
    for entry in fs::read_dir(path).unwrap() {
        collect(&entry.unwrap().path(), files);
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The kernel of Extism plugins is a separate module without dependencies.
#[test]
fn the_kernel_belongs_to_its_source() {
    let folder = root().join("plugins/extism-kernel");
    let record: serde_json::Value =
        serde_json::from_slice(&fs::read(folder.join("build.json")).unwrap()).unwrap();
    let mut files: Vec<PathBuf> = Vec::new();
    collect(&folder.join("kernel/src"), &mut files);
    files.sort();
    let mut sources = Sha256::new();
    files.iter().for_each(|file| sources.update(fs::read(file).unwrap()));
    let again = "build it again with `plugins/build.sh extism-kernel`";
    assert_eq!(record["source_sha256"], hex(&sources.finalize()), "{again}");
    let kernel = fs::read(root().join("src/engine/compile/extism/kernel.wasm")).unwrap();
    assert_eq!(record["module_sha256"], hex(&Sha256::digest(&kernel)), "{again}");
}

#[test]
fn components_belong_to_their_sources() {
    for (plugin, file) in PLUGINS {
        let folder = root().join("skills").join(plugin);
        let record: serde_json::Value =
            serde_json::from_slice(&fs::read(folder.join("build.json")).unwrap()).unwrap();
        assert_eq!(
            record["source_sha256"],
            source_sha256(plugin),
            "the source of `{plugin}` has changed: build it again with `plugins/build.sh {plugin}`"
        );
        let stored = fs::read(folder.join(file)).unwrap();
        let component = if file.ends_with(".zst") {
            let mut component = Vec::new();
            let mut decoder = ruzstd::decoding::StreamingDecoder::new(stored.as_slice()).unwrap();
            std::io::Read::read_to_end(&mut decoder, &mut component).unwrap();
            component
        } else {
            stored
        };
        assert_eq!(
            record["component_sha256"],
            hex(&Sha256::digest(&component)),
            "the component of `{plugin}` is not the one that its record describes"
        );
    }
}

#[test]
fn the_program_holds_each_component_once() {
    let program = fs::read(env!("CARGO_BIN_EXE_mitt")).unwrap();
    for (plugin, file) in PLUGINS {
        let component = fs::read(root().join("skills").join(plugin).join(file)).unwrap();
        // A part of it is not enough: plugins with the same tables have blocks in common.
        let count = memchr::memmem::find_iter(&program, &component).count();
        assert_eq!(count, 1, "{plugin}: copies in the program");
    }
}

/// Plugins are built without the crates of the host, so this file exists twice.
#[test]
fn the_rule_for_numbers_is_the_same_in_host_and_plugin() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    assert!(
        read("src/base/number.rs") == read("plugins/excel-tool/src/held.rs"),
        "copy `src/base/number.rs` to `plugins/excel-tool/src/held.rs`"
    );
}

/// Returns the names of the tables of figures on a page, each with its number of lines.
fn figures(page: &str) -> Vec<(String, usize)> {
    let text = fs::read_to_string(root().join(page)).unwrap();
    let mut found = Vec::new();
    for part in text.split("<!-- figures: ").skip(1) {
        let (name, rest) = part.split_once(" -->\n").unwrap();
        let (table, _) = rest
            .split_once(&format!("<!-- end of {name} -->"))
            .unwrap_or_else(|| panic!("{page}: `{name}` has no end"));
        assert!(
            table.contains("|---|"),
            "{page}: `{name}` is empty; run `tests/bench/run --write`"
        );
        found.push((name.to_owned(), table.lines().count()));
    }
    found
}

#[test]
fn tables_of_figures_are_those_of_the_benches_in_both_languages() {
    let benches: String = fs::read_dir(root().join("tests/bench"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|it| it == "rs" || it == "py"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    let benches: String = benches.split_whitespace().collect();
    for (english, chinese) in [
        ("docs/speed.md", "docs/speed.zh-CN.md"),
        ("docs/service.md", "docs/service.zh-CN.md"),
        ("README.md", "README.zh-CN.md"),
    ] {
        let tables = figures(english);
        assert_eq!(tables, figures(chinese), "{english} and {chinese}");
        for (name, _) in tables {
            let made = format!("Figures::new(\"{name}\"");
            let made_in_python = format!("pages.write(\"{name}\"");
            let is_made = benches.contains(&made) || benches.contains(&made_in_python);
            assert!(is_made, "{english}: no bench writes `{name}`");
        }
    }
    assert!(figures("docs/speed.md").len() >= 5);
}
