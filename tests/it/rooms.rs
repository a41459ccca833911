//! Checks the structure: the files of each folder import in one direction only, the library knows no models, few files have
//! unsafe code, and copies are identical.
//!
//! A folder in a folder counts as one file. Calls of methods are invisible here, only imported or written names count.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::root;

/// A circle of imports that stays.
struct Exception {
    folder: &'static str,
    /// Files and folders of the circle, sorted.
    files: &'static [&'static str],
    reason: &'static str,
}

/// Circles that stay. A row goes when its circle is gone. Those of plugins change with the next build of their components.
const EXCEPTIONS: [Exception; 19] = [
    Exception {
        folder: "plugins/guest/src/tables",
        files: &["chunk", "convert", "source"],
        reason: "to be cut: `NULL_ROW` belongs below the chunks, conversion of whole tables above them",
    },
    Exception {
        folder: "plugins/python-lite/src",
        files: &[
            "advice",
            "context",
            "decode",
            "encode",
            "files",
            "functions",
            "output",
            "signature",
            "tables",
        ],
        reason: "to be cut: `Context` has the classes, the output, the host and the tables of a script in one type",
    },
    Exception {
        folder: "plugins/reader-office/src/odf",
        files: &["blocks", "inline"],
        reason: "data is recursive: a line has notes and frames, which have blocks",
    },
    Exception {
        folder: "plugins/reader-pdf/src",
        files: &["block", "inline", "tables"],
        reason: "data is recursive: a block is a table, whose cells have lines like those of blocks",
    },
    Exception {
        folder: "plugins/reader-pdf/src",
        files: &["codes", "eye", "files", "form", "reading", "write"],
        reason: "to be cut: access to objects of the file (`get`, `as_dict`) and names of pages belong below `eye`",
    },
    Exception {
        folder: "plugins/reader-pdf/src/eye",
        files: &["sideways", "turn"],
        reason: "to be cut: `Moves` belongs below the turns that have it",
    },
    Exception {
        folder: "plugins/reader-sheet/src",
        files: &["biff", "ods", "open", "package", "xlsb", "xlsx"],
        reason: "to be cut: the trait of sources and its error belong below `open`, which chooses the format",
    },
    Exception {
        folder: "plugins/reader-sheet/src",
        files: &["columns", "format", "hidden", "intake", "item", "rows", "value"],
        reason: "to be cut: a limit and an error of `intake`, and texts of dates and numbers, belong below",
    },
    Exception {
        folder: "plugins/reader-sheet/src/ods",
        files: &["content", "shape", "styles"],
        reason: "to be cut: attributes and texts of elements belong below those that read them",
    },
    Exception {
        folder: "plugins/reader-table/src",
        files: &["column", "nested"],
        reason: "data is recursive: a column has nested values, which have columns",
    },
    Exception {
        folder: "plugins/reader-web/src",
        files: &["epub", "html", "xml"],
        reason: "to be cut: the room of a text and its warnings belong below the formats, the choice of one above them",
    },
    Exception {
        folder: "plugins/reader-web/src/html",
        files: &["captions", "lead", "main_text", "others"],
        reason: "to be cut: the questions where an element is (`within`, `above`, `is_below`) belong to the tree",
    },
    Exception {
        folder: "plugins/reader-web/src/html",
        files: &["inline", "table", "write"],
        reason: "data is recursive: a cell of a table has lines and blocks, a block has tables",
    },
    Exception {
        folder: "plugins/sight/src",
        files: &["selector", "sheet", "sight", "tree"],
        reason: "to be cut: the tree is read and judged in one type; elements belong below style sheets and sight",
    },
    Exception {
        folder: "plugins/reader-web/src/json",
        files: &["pretty", "records"],
        reason: "data is recursive: a value of a record is written as text, whose arrays are records",
    },
    Exception {
        folder: "plugins/sheet-tool/src/calc",
        files: &["evaluate", "functions"],
        reason: "data is recursive: a function evaluates its arguments, which are expressions",
    },
    Exception {
        folder: "plugins/sheet-tool/src/calc/functions",
        files: &["ranges", "statistics"],
        reason: "to be cut: walking over the numbers of ranges belongs below both",
    },
    Exception {
        folder: "plugins/table-tool/src",
        files: &["column", "table"],
        reason: "to be cut: the place of a cell in a message belongs below the columns",
    },
    Exception {
        folder: "src/render/shared/math",
        files: &["commands", "grids", "parse", "words"],
        reason: "data is recursive: arguments of commands and cells of grids are formulas",
    },
];

/// Folders whose files are in layers, from the lowest: a file names only files before it, and there are no others.
const LAYERS: [(&str, &[&str]); 1] = [("src/render", &["model", "shared", "backend"])];

/// For each file of a folder, the other files that it names.
type Uses = BTreeMap<String, BTreeSet<String>>;

#[test]
fn files_of_a_room_import_one_way_only() {
    let rooms = rooms();
    assert!(rooms.len() > 100, "{} folders", rooms.len());
    let owned = |it: &Exception| {
        let files: BTreeSet<String> = it.files.iter().map(|file| (*file).to_owned()).collect();
        (it.folder.to_owned(), files)
    };
    let mut gone: BTreeSet<(String, BTreeSet<String>)> = EXCEPTIONS.iter().map(owned).collect();
    assert_eq!(gone.len(), EXCEPTIONS.len(), "a row stands twice");
    assert!(EXCEPTIONS.iter().all(|it| !it.reason.is_empty()), "a row has no reason");
    let mut found = Vec::new();
    for room in rooms {
        let uses = uses(&room);
        for circle in circles(&uses) {
            if gone.remove(&(room.clone(), circle.clone())) {
                continue;
            }
            for file in &circle {
                let others: Vec<&str> =
                    uses[file].intersection(&circle).map(String::as_str).collect();
                found.push(format!("{room}: {file} -> {}", others.join(", ")));
            }
        }
    }
    assert!(found.is_empty(), "new circles of imports:\n{}", found.join("\n"));
    assert!(gone.is_empty(), "these circles are gone, and their rows must go: {gone:#?}");
}

#[test]
fn files_in_layers_name_only_those_below() {
    for (folder, layers) in LAYERS {
        let mut uses = uses(folder);
        // A crate of its own in the folder, and the build script.
        uses.retain(|file, _| {
            file != "build" && !root().join(folder).join(file).join("Cargo.toml").is_file()
        });
        let files: BTreeSet<&str> = uses.keys().map(String::as_str).collect();
        let expected: BTreeSet<&str> = layers.iter().copied().collect();
        assert_eq!(files, expected, "{folder} has other files than its layers");
        for (at, layer) in layers.iter().enumerate() {
            let named: BTreeSet<&str> = uses[*layer].iter().map(String::as_str).collect();
            // An arrow that is missing shows that this test no longer reads how names are written.
            let below: BTreeSet<&str> = layers[..at].iter().copied().collect();
            assert_eq!(named, below, "{folder}/{layer}");
        }
    }
}

/// Returns the folders of sources that have at least two files, with `/` between the parts of their paths.
fn rooms() -> Vec<String> {
    let mut rooms = Vec::new();
    let mut folders = vec!["src".to_owned(), "plugins".to_owned()];
    while let Some(folder) = folders.pop() {
        let mut files = 0;
        for entry in fs::read_dir(root().join(&folder)).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() {
                let is_source = !is_aside(name) && !matches!(name, "examples" | "target");
                if is_source && !name.starts_with('.') {
                    folders.push(format!("{folder}/{name}"));
                }
            } else if path.extension().is_some_and(|extension| extension == "rs") {
                files += 1;
            }
        }
        if files > 1 && crate_of(&folder).is_some() {
            rooms.push(folder);
        }
    }
    rooms.sort();
    rooms
}

/// Returns the folder of the crate that a folder of sources belongs to; `None` if it belongs to none.
fn crate_of(folder: &str) -> Option<&str> {
    let ends = folder.match_indices('/').map(|(at, _)| at).chain([folder.len()]);
    let mut above: Vec<&str> = ends.map(|end| &folder[..end]).collect();
    above.reverse();
    let has = |folder: &str, file: &str| root().join(folder).join(file).is_file();
    above.into_iter().find(|folder| has(folder, "lib.rs") || has(folder, "main.rs"))
}

/// Returns the files of each circle: those that name each other, directly or through others.
fn circles(uses: &Uses) -> BTreeSet<BTreeSet<String>> {
    let mut reached: Uses = BTreeMap::new();
    for file in uses.keys() {
        let (mut seen, mut next) = (BTreeSet::new(), vec![file]);
        while let Some(file) = next.pop() {
            next.extend(uses[file].iter().filter(|other| seen.insert((*other).clone())));
        }
        reached.insert(file.clone(), seen);
    }
    let of = |file: &String| -> BTreeSet<String> {
        reached[file].iter().filter(|other| reached[*other].contains(file)).cloned().collect()
    };
    uses.keys().map(of).filter(|circle| !circle.is_empty()).collect()
}

fn uses(room: &str) -> Uses {
    let folder = root().join(room);
    let mut files: BTreeMap<String, Vec<(usize, String)>> = BTreeMap::new();
    for entry in fs::read_dir(&folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_str().unwrap().to_owned();
        let is_file = path.extension().is_some_and(|extension| extension == "rs");
        if (is_file || path.is_dir())
            && !matches!(&*name, "mod" | "lib" | "main")
            && !is_aside(&name)
        {
            collect(&path, 1, files.entry(name).or_default());
        }
    }
    files.retain(|_, texts| !texts.is_empty());
    // A shorter path through the module itself counts for the file that defines the name.
    let mut origins = BTreeMap::new();
    let of_folder = ["mod.rs", "lib.rs", "main.rs"].map(|name| folder.join(name));
    for path in of_folder.iter().chain([&folder.with_extension("rs")]).filter(|it| it.is_file()) {
        for line in code(path).split(';') {
            let Some((_, path)) = line.split_once("use ") else { continue };
            let path = path.trim_start();
            let path = path.strip_prefix("self::").unwrap_or(path);
            let Some((file, names)) = path.split_once("::") else { continue };
            let names = first_names(names).into_iter();
            origins.extend(names.map(|name| (name, file.trim().to_owned())));
        }
    }
    let below = room.strip_prefix(crate_of(room).unwrap()).unwrap().trim_start_matches('/');
    let from_crate = match below {
        "" => "crate::".to_owned(),
        below => format!("crate::{}::", below.replace('/', "::")),
    };
    let mut found = Uses::new();
    for (file, texts) in &files {
        let uses = found.entry(file.clone()).or_default();
        for (depth, text) in texts {
            for prefix in ["super::".repeat(*depth), from_crate.clone()] {
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

/// Returns a file without its comments, its tests, and the paths of visibilities, which are no uses.
fn code(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let text = text.split("\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().map(|line| line.split("//").next().unwrap_or_default());
    let kept = lines.map(|line| match line.split_once("pub(in ") {
        Some((before, rest)) => format!("{before}{}\n", rest.split_once(')').map_or("", |it| it.1)),
        None => format!("{line}\n"),
    });
    kept.collect()
}

/// Returns the names after each `prefix`.
fn named_behind(text: &str, prefix: &str) -> Vec<String> {
    let is_word = |before: &str| before.ends_with(|c: char| c.is_alphanumeric() || c == '_');
    let places = text.match_indices(prefix).filter(|(at, _)| {
        let before = &text[..*at];
        !before.ends_with("super::") && !is_word(before)
    });
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

/// The library knows no models: steps of models, plans and agents are events of `mitt_agent`, which a session only passes on.
#[test]
fn events_of_the_library_name_no_models_plans_or_agents() {
    let events = variants("src/mitt/session/event.rs", "Event");
    assert!(events.contains("CallStarted") && events.contains("Layer"), "{events:?}");
    // A handle of a session may belong to an agent.
    let foreign = ["Agent", "Citation", "Model", "Plan", "Routed", "Turn"];
    let is_foreign = |name: &&String| foreign.iter().any(|it| name.starts_with(it));
    let found: Vec<&String> = events.iter().filter(is_foreign).collect();
    assert!(found.is_empty(), "these events belong to `mitt_agent::RunEvent`: {found:?}");
    let both: Vec<String> =
        variants("src/agent/run_event.rs", "RunEvent").intersection(&events).cloned().collect();
    assert!(both.is_empty(), "{both:?}");
}

/// Returns the names of the variants of an enum in this file.
fn variants(file: &str, name: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(root().join(file)).unwrap();
    let (_, body) = text.split_once(&format!("pub enum {name} {{\n")).unwrap();
    let (body, _) = body.split_once("\n}\n").unwrap();
    let lines = body.lines().filter_map(|line| line.strip_prefix("    "));
    let starts = lines.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    starts.flat_map(first_names).collect()
}

/// Only few files do what the compiler cannot check: wasmtime's loading of native code, stacks of guests, and pointers of the C
/// interface. Each use says why it is sound. The other crates forbid unsafe code, which no attribute can undo.
#[test]
fn unsafe_code_is_in_few_files() {
    let mut found = Vec::new();
    for path in files("src").into_iter().chain(files("skills")).chain(files("wit")) {
        let text = fs::read_to_string(&path).unwrap();
        let path = path.strip_prefix(root()).unwrap().to_str().unwrap().replace('\\', "/");
        let code = text.lines().map(|line| line.split("//").next().unwrap_or_default());
        if code.clone().any(|line| line.contains("unsafe ") || line.contains("allow(unsafe_code")) {
            assert!(text.contains("// SAFETY: "), "{path} does not say why it is sound");
            found.push(path.clone());
        }
        if path.ends_with("/lib.rs") && !matches!(&*path, "src/engine/lib.rs" | "src/c/lib.rs") {
            assert!(
                text.contains("\n#![forbid(unsafe_code)]\n"),
                "{path} does not forbid unsafe code"
            );
        }
    }
    // The counting allocator of a test is not part of a program.
    found.retain(|it| it != "src/text/tests/worst.rs");
    // A C interface is made of pointers: its functions, and the types that keep the rest of the crate safe.
    let of_c = |it: &str| {
        let of_c = it.strip_prefix("src/c/");
        of_c.is_some_and(|it| it.starts_with("api/") || it.starts_with("abi_tests/"))
    };
    found.retain(|it| !of_c(it));
    found.sort();
    assert_eq!(
        found,
        [
            "src/c/callback.rs",
            "src/c/entry.rs",
            "src/c/lib.rs",
            "src/c/raw.rs",
            "src/c/table.rs",
            "src/engine/native_load.rs",
            "src/engine/stacks.rs"
        ]
    );
}

/// A program that only fetches documents compiles no WebAssembly runtime: `mitt-net` needs the plain types, and no engine.
#[test]
fn plain_types_and_fetching_need_no_webassembly_runtime() {
    let needs = needs();
    let is_runtime = |name: &&String| {
        let runtimes = ["wasmtime", "cranelift", "wasmparser", "mitt-engine", "mitt-contract"];
        runtimes.iter().any(|it| name.starts_with(it))
    };
    for name in ["mitt-types", "mitt-net"] {
        let reached = reached(&needs, name);
        assert!(reached.contains("mitt-base"), "{name}: {reached:?}");
        let found: Vec<&String> = reached.iter().filter(is_runtime).collect();
        assert!(found.is_empty(), "{name} needs {found:?}");
    }
    assert!(reached(&needs, "mitt-net").contains("mitt-types"));
    assert!(reached(&needs, "mitt").iter().any(|name| name == "wasmtime"));
}

/// Returns all packages that a package needs, directly or through others, with any of its features and for its tests.
fn reached(needs: &Uses, name: &str) -> BTreeSet<String> {
    let (mut seen, mut next) = (BTreeSet::new(), vec![name]);
    while let Some(name) = next.pop() {
        next.extend(needs[name].iter().filter(|it| seen.insert((*it).clone())).map(String::as_str));
    }
    seen
}

/// Returns for each package of the lock file the names of those that it needs. Versions of one name count as one package.
fn needs() -> Uses {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let mut needs = Uses::new();
    for package in lock.split("\n[[package]]\n").skip(1) {
        let (_, name) = package.split_once("name = \"").unwrap();
        let (name, rest) = name.split_once('"').unwrap();
        let list = rest.split_once("\ndependencies = [\n").map_or("", |(_, list)| list);
        let lines = list.lines().map_while(|line| line.strip_prefix(" \""));
        let names = lines.filter_map(|line| line.split([' ', '"']).next()).map(str::to_owned);
        needs.entry(name.to_owned()).or_default().extend(names);
    }
    assert!(needs.len() > 100, "{} packages", needs.len());
    needs
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
