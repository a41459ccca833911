//! Checks the structure: the files of a module import in one direction only, two files have unsafe code, and copies are
//! identical.
//!
//! A folder in a module counts as one file. Calls of methods are invisible here, only imported or written names count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::root;

/// The modules without import cycles, which must stay so.
const ROOMS: [&str; 24] = [
    "src/agent/plan",
    "src/agent/route",
    "src/mitt/capability",
    "src/mitt/engine",
    "src/mitt/engine/compile",
    "src/mitt/engine/compile/check",
    "src/mitt/excerpt",
    "src/mitt/ingest",
    "src/mitt/ocr",
    "src/mitt/session",
    "src/mitt/session/host",
    "src/mitt/session/script",
    "src/mitt/session/script_execution",
    "src/mitt/skill",
    "src/mitt/skill/manifest",
    "src/mitt/worker",
    "src/serve/http",
    "src/serve/mcp",
    "src/wit/schema",
    "src/wit/schema/lower",
    "src/wit/value",
    "src/wit/value/decode",
    "src/wit/value/encode",
    "src/wit/value/wave",
];

/// For each file of a module, the other files that it names.
type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn files_of_a_room_import_one_way_only() {
    for room in ROOMS {
        let mut uses = uses(room);
        assert!(uses.len() > 1, "{room} is no room");
        // Remove the lowest floor until nothing is left.
        loop {
            let lowest: BTreeSet<String> =
                uses.iter().filter(|(_, of)| of.is_empty()).map(|(file, _)| file.clone()).collect();
            if lowest.is_empty() {
                break;
            }
            uses.retain(|file, _| !lowest.contains(file));
            uses.values_mut().for_each(|of| of.retain(|file| !lowest.contains(file)));
        }
        assert!(uses.is_empty(), "{room}: a circle, or above one: {uses:#?}");
    }
}

fn uses(room: &str) -> Uses {
    let folder = root().join(room);
    let mut files: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let is_file = path.extension().is_some_and(|extension| extension == "rs");
        if (is_file || path.is_dir()) && !matches!(&*name, "mod" | "lib") && !is_aside(&name) {
            collect(&path, 1, files.entry(name).or_default());
        }
    }
    // A shorter path through the module itself counts for the file that defines the name.
    let mut origins = BTreeMap::new();
    for line in code(&folder.join("mod.rs")).split(';') {
        let Some((_, path)) = line.split_once("use ") else { continue };
        let Some((file, names)) = path.split_once("::") else { continue };
        origins.extend(first_names(names).into_iter().map(|name| (name, file.trim().to_owned())));
    }
    let from_outside = room.splitn(3, '/').nth(2).unwrap().replace('/', "::");
    let mut found = Uses::new();
    for (file, texts) in &files {
        let uses = found.entry(file.clone()).or_default();
        for (depth, text) in texts {
            for prefix in ["super::".repeat(*depth), format!("crate::{from_outside}::")] {
                for name in named_behind(text, &prefix) {
                    let origin =
                        if files.contains_key(&name) { Some(&name) } else { origins.get(&name) };
                    uses.extend(
                        origin.filter(|it| *it != file && files.contains_key(*it)).cloned(),
                    );
                }
            }
        }
    }
    found
}

/// Returns `true` for tests, and for the replacements of disabled features.
fn is_aside(name: &str) -> bool {
    name == "tests" || name.ends_with("_tests") || name.ends_with("_disabled")
}

/// Collects the code of a file or folder; `depth` is how often `super` leads from it to the module.
fn collect(path: &Path, depth: usize, found: &mut Vec<(usize, String)>) {
    if path.is_file() {
        return found.push((depth, code(path)));
    }
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap();
        let is_code = path.is_dir() || path.extension().is_some_and(|it| it == "rs");
        if is_code && !is_aside(name) {
            collect(&path, depth + usize::from(name != "mod"), found);
        }
    }
}

/// Returns a file without its comments and its tests.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
    text.lines().flat_map(|line| [line.split("//").next().unwrap_or_default(), "\n"]).collect()
}

/// Returns the names after each `prefix`.
fn named_behind(text: &str, prefix: &str) -> Vec<String> {
    let places = text.match_indices(prefix).filter(|(at, _)| !text[..*at].ends_with("super::"));
    let rests = places.map(|(at, _)| &text[at + prefix.len()..]);
    rests.filter(|rest| !rest.starts_with("super::")).flat_map(first_names).collect()
}

/// Returns `a` and `d` for `{a::{b, c}, d}`; for anything else, its first name.
fn first_names(text: &str) -> Vec<String> {
    let name = |text: &str| -> String {
        let is_part = |letter: &char| letter.is_alphanumeric() || *letter == '_';
        text.trim_start().chars().take_while(is_part).collect()
    };
    let Some(list) = text.trim_start().strip_prefix('{') else { return vec![name(text)] };
    let (mut names, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, letter) in list.char_indices() {
        match letter {
            '{' => depth += 1,
            '}' if depth > 0 => depth -= 1,
            ',' | '}' if depth == 0 => {
                names.push(name(&list[start..at]));
                start = at + 1;
                if letter == '}' {
                    break;
                }
            }
            _ => {}
        }
    }
    names
}

/// Only two files call what the compiler cannot check: wasmtime's loading of native code, and stacks of guests. Each use
/// says why it is sound. The other crates forbid unsafe code, which no attribute can undo.
#[test]
fn unsafe_code_is_in_two_files() {
    let mut found = Vec::new();
    for path in files("src").into_iter().chain(files("skills")).chain(files("wit")) {
        let text = fs::read_to_string(&path).unwrap();
        let path = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        if code.clone().any(|line| line.contains("unsafe ") || line.contains("allow(unsafe_code")) {
            assert!(text.contains("// SAFETY: "), "{path} does not say why it is sound");
            found.push(path.clone());
        }
        if path.ends_with("/lib.rs") && path != "src/mitt/lib.rs" {
            assert!(
                text.contains("\n#![forbid(unsafe_code)]\n"),
                "{path} does not forbid unsafe code"
            );
        }
    }
    // The counting allocator of a test is not part of a program.
    found.retain(|it| it != "src/text/tests/worst.rs");
    assert_eq!(found, ["src/mitt/engine/native_load.rs", "src/mitt/engine/stacks.rs"]);
}

/// Readers do not depend on the host, so that they run on any other; so both contain the rules for numbers and column names.
#[test]
fn host_and_readers_have_the_same_rules_for_tables() {
    let rule = |file: &str, name: &str| {
        let text = fs::read_to_string(root().join(file)).unwrap();
        let (_, rest) =
            text.split_once(&format!("fn {name}(")).unwrap_or_else(|| panic!("{file}: {name}"));
        let body = rest.split_once("\n}\n").unwrap().0;
        // Comments may differ: a change of one makes a committed component stale.
        body.lines()
            .filter(|line| !line.trim_start().starts_with("//"))
            .collect::<Vec<_>>()
            .join("\n")
    };
    for name in ["is_plain_number", "column_names"] {
        let (host, readers) = ("src/table/names.rs", "plugins/reader-kit/src/table.rs");
        assert_eq!(rule(host, name), rule(readers, name), "{name}");
    }
}

/// Returns all Rust files of a folder.
fn files(folder: &str) -> Vec<PathBuf> {
    let (mut found, mut folders) = (Vec::new(), vec![root().join(folder)]);
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}
