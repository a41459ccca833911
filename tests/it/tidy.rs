//! Rules of the project that a program can check.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::support::root;

fn files(folder: &str, extension: &str) -> Vec<PathBuf> {
    fn walk(path: &Path, extension: &str, found: &mut Vec<PathBuf>) {
        for entry in fs::read_dir(path).unwrap() {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_str().unwrap();
            if path.is_dir() && name != "target" && !name.starts_with('.') {
                walk(&path, extension, found);
            } else if path.extension().is_some_and(|found| found == extension) {
                found.push(path);
            }
        }
    }
    let mut found = Vec::new();
    walk(&root().join(folder), extension, &mut found);
    found.sort();
    found
}

/// Returns all Rust files of the project with their paths.
fn sources() -> Vec<(PathBuf, String)> {
    let paths = ["src", "tests", "plugins"].into_iter().flat_map(|folder| files(folder, "rs"));
    paths
        .map(|path| {
            let text = fs::read_to_string(&path).unwrap();
            (path, text)
        })
        .collect()
}

/// Most lines of a file. A longer one has a line below with the reason why it is one subject.
const MAX_LINES: usize = 600;

/// Files that are longer, with the reason.
const LONGER: [(&str, &str); 4] = [
    ("src/render/backend/docx/omml.rs", "one function for each construct of Office Math ML"),
    (
        "src/render/backend/pdf/data.rs",
        "one conversion: blocks, lines and characters share its state",
    ),
    ("src/render/backend/xlsx/rows.rs", "one writer: a method for each kind of cell"),
    ("src/render/backend/xlsx/tests.rs", "the tests of one writer, over the same workbooks"),
];

#[test]
fn files_stay_small_and_say_what_they_do() {
    for path in files("src", "rs").into_iter().chain(files("plugins", "rs")) {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().count();
        let is_longer = LONGER.iter().any(|(longer, _)| path.ends_with(longer));
        // A row of the list goes when its file is short again.
        assert_eq!(lines > MAX_LINES, is_longer, "{}: {lines} lines", path.display());
        let is_tests = path.iter().any(|part| part.to_str().unwrap().contains("tests"));
        assert!(
            is_tests || text.starts_with("//!"),
            "{} does not say what it does",
            path.display()
        );
    }
}

#[test]
fn every_item_of_the_contract_is_documented_and_dated() {
    for path in files("wit", "wit") {
        let text = fs::read_to_string(&path).unwrap();
        let lines: Vec<_> = text.lines().map(str::trim).collect();
        for (index, line) in lines.iter().enumerate() {
            let is_item = ["record ", "variant ", "enum ", "interface ", "world ", "type "]
                .iter()
                .any(|word| line.starts_with(word))
                || line.contains(": func(");
            if is_item {
                let above = lines[..index].iter().rev().find(|line| !line.starts_with("@since"));
                assert!(
                    above.is_some_and(|line| line.starts_with("///")),
                    "{}: no documentation: {line}",
                    path.display()
                );
                let since =
                    lines[index - 1].starts_with("@since") || lines[index - 1].starts_with("///");
                assert!(since, "{}: {line}", path.display());
            }
        }
    }
}

#[test]
fn the_reference_names_every_command_and_both_readmes_the_two_first_ones() {
    let help = crate::support::mitt(root(), &["--help"]);
    let help = crate::support::text(&help.stdout);
    let commands = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty());
    // Continuation lines are indented deeper.
    let commands: Vec<_> = commands
        .filter(|line| !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next())
        .filter(|name| *name != "help")
        .collect();
    assert!(commands.len() >= 9, "{commands:?}");
    for readme in ["README.md", "README.zh-CN.md"] {
        let text = fs::read_to_string(root().join(readme)).unwrap();
        assert!(
            text.contains("cargo run -- run examples/yoy") && text.contains("cargo test"),
            "{readme}"
        );
    }
    for page in ["docs/commands.md", "docs/commands.zh-CN.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        for command in &commands {
            assert!(
                [' ', '`'].iter().any(|end| text.contains(&format!("`mitt {command}{end}"))),
                "{page} does not name `mitt {command}`"
            );
        }
    }
}

/// Returns the exit codes of the program from the table above `exit_code`, which has every code that the function returns.
fn exit_codes() -> BTreeSet<u8> {
    const FUNCTION: &str = "\npub(super) fn exit_code(";
    let sources = sources();
    let (_, text) = sources.iter().find(|(_, text)| text.contains(FUNCTION)).unwrap();
    let (above, function) = text.split_once(FUNCTION).unwrap();
    let docs = above.lines().rev().take_while(|line| line.trim_start().starts_with("///"));
    let rows = docs.filter_map(|line| line.trim_start().strip_prefix("/// | ")?.split(' ').next());
    let documented: BTreeSet<u8> = rows.filter_map(|code| code.parse().ok()).collect();
    let body = function.split("\n}\n").next().unwrap_or_default();
    let arms = body.lines().filter_map(|line| line.split_once(" => "));
    let given: BTreeSet<u8> =
        arms.map(|(_, code)| code.trim_end_matches(',').parse().unwrap()).collect();
    // Success and a wrong command line are not errors of ours.
    let others: Vec<u8> = documented.difference(&given).copied().collect();
    assert_eq!(others, [0, 2], "documented {documented:?}, given {given:?}");
    assert!(given.is_subset(&documented), "documented {documented:?}, given {given:?}");
    documented
}

/// Folders of the libraries. Their users have no program whose options they could give.
const LIBRARIES: [&str; 17] = [
    "agent", "base", "c", "engine", "guard", "ingest", "mitt", "net", "render", "serve", "service",
    "skill", "sources", "table", "text", "types", "wit",
];

/// Options of other programs and variables of CSS, each with its file. A variable of CSS begins like an option.
const OTHER_OPTIONS: [(&str, &str); 7] = [
    ("agent/turn.rs", "--ctx-size"),
    ("ingest/ocr/tesseract.rs", "--version"),
    ("ingest/ocr/tesseract.rs", "--list-langs"),
    ("ingest/ocr/tesseract.rs", "--psm"),
    ("ingest/ocr/tesseract.rs", "--dpi"),
    ("skill/inspect/file.rs", "--features"),
    ("render/backend/html/style.rs", "--"),
];

/// Returns the options in a line, without their values.
fn options_in(line: &str) -> impl Iterator<Item = &str> {
    line.match_indices("--").filter_map(|(at, _)| {
        let is_inside =
            line[..at].ends_with(|c: char| c.is_alphanumeric() || matches!(c, '-' | '_'));
        let rest = &line[at + 2..];
        let length = rest.find(|c: char| !c.is_ascii_lowercase() && c != '-');
        let length = length.unwrap_or(rest.len());
        let is_option = !is_inside && rest.starts_with(|c: char| c.is_ascii_lowercase());
        is_option.then(|| &line[at..at + 2 + length])
    })
}

/// A library has a `Remedy` in place of an option or a command of the program: see `docs/style.md`.
#[test]
fn libraries_name_no_option_and_no_command_of_the_program() {
    let line = r#"error.hint("leave out `--no-cache`, not a--b, --- or --{x}")"#;
    assert_eq!(options_in(line).collect::<Vec<_>>(), ["--no-cache"]);
    let mut named = Vec::new();
    let mut unused: BTreeSet<_> = OTHER_OPTIONS.into_iter().collect();
    for path in LIBRARIES.iter().flat_map(|library| files(&format!("src/{library}"), "rs")) {
        let is_left_out = path.strip_prefix(root()).unwrap().iter().any(|part| {
            let part = part.to_str().unwrap();
            part.contains("tests") || matches!(part, "examples" | "template")
        });
        if is_left_out {
            continue;
        }
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("\nmod tests {").next().unwrap_or_default();
        for line in code.lines().filter(|line| !line.trim_start().starts_with("//")) {
            let mut names_program = line
                .split("`mitt ")
                .skip(1)
                .any(|command| command.starts_with(|c: char| c.is_ascii_lowercase()));
            for option in options_in(line) {
                let other = OTHER_OPTIONS
                    .into_iter()
                    .find(|(file, other)| path.ends_with(file) && option.starts_with(*other));
                match other {
                    Some(other) => _ = unused.remove(&other),
                    None => names_program = true,
                }
            }
            if names_program {
                named.push(format!("{}: {}", path.display(), line.trim()));
            }
        }
    }
    assert_eq!(named, Vec::<String>::new());
    assert!(unused.is_empty(), "{unused:?} are not there any more");
}

/// `Remedy` is not exhaustive for other crates, so the compiler does not check this.
#[test]
fn the_program_has_words_for_every_remedy() {
    let read = |path: &str| fs::read_to_string(root().join(path)).unwrap();
    let (remedies, program) = (read("src/base/error/remedy.rs"), read("src/cli/remedies.rs"));
    let (_, variants) = remedies.split_once("pub enum Remedy {\n").unwrap();
    let (variants, _) = variants.split_once("\n}\n").unwrap();
    let variants = variants.lines().filter_map(|line| line.strip_prefix("    "));
    let names = variants.filter(|line| line.starts_with(|c: char| c.is_ascii_uppercase()));
    let names: Vec<&str> = names.map(|line| line.trim_end_matches([',', '{', ' '])).collect();
    assert!(names.len() > 50, "{names:?}");
    for name in names {
        // An arm of the wording, and an example in its test.
        let uses = program.split("Remedy::").skip(1);
        let uses =
            uses.filter(|rest| rest.split(|c: char| !c.is_alphanumeric()).next() == Some(name));
        assert_eq!(uses.count(), 2, "{name}");
    }
}

#[test]
fn the_reference_names_every_exit_code() {
    for readme in ["docs/commands.md", "docs/commands.zh-CN.md"] {
        let text = fs::read_to_string(root().join(readme)).unwrap();
        for code in exit_codes() {
            assert!(
                text.contains(&format!("| {code} |")),
                "{readme} does not name exit code {code}"
            );
        }
    }
}

/// Pages with promises name the test, or the file of tests, that would fail.
#[test]
fn promises_name_tests_that_exist() {
    let sources: String = sources().into_iter().map(|(_, text)| text).collect();
    // Gathered once: a search of all sources for each name took half a minute.
    let is_end = |c: char| !c.is_ascii_alphanumeric() && c != '_';
    let functions: BTreeSet<&str> =
        sources.split("fn ").skip(1).map(|rest| rest.split(is_end).next().unwrap()).collect();
    for page in ["docs/buffers.md", "docs/guarantees.md", "SECURITY.md", "tests/it/README.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let mut named = 0;
        for row in text.lines().filter(|line| line.starts_with("| ") && line.ends_with(" |")) {
            let last = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
            for name in last.split('`').skip(1).step_by(2) {
                let is_name = name.len() > 12
                    && name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_' | '*'));
                if is_name {
                    named += 1;
                    let prefix = name.trim_end_matches('*');
                    let next = functions.range(prefix..).next();
                    let is_there = next.is_some_and(|next| next.starts_with(prefix));
                    assert!(is_there, "{page} names `{name}`, which is not there");
                }
            }
        }
        assert!(named > 20, "{page} names {named} tests");
    }
}

/// Returns the tests that a table cell names, each with the file before it.
fn tests_of(cell: &str) -> Vec<(&str, &str)> {
    let built = cell.split("Not built").next().unwrap_or_default();
    let mut file = None;
    let mut tests = Vec::new();
    for word in built.split('`').skip(1).step_by(2) {
        if word.ends_with(".rs") {
            file = Some(word);
        } else if let Some(file) = file {
            tests.push((file, word));
        }
    }
    tests
}

#[test]
fn every_row_of_what_users_expect_names_a_test_or_what_is_missing() {
    let sources = sources();
    let text = fs::read_to_string(root().join("tests/it/README.md")).unwrap();
    let is_row = |line: &&str| line.starts_with("| ");
    for (file, test) in
        text.lines().filter(is_row).flat_map(|line| line.split(" | ")).flat_map(tests_of)
    {
        let beside = root().join("tests/it").join(file);
        let is_it = |path: &Path| {
            if beside.is_file() { path == beside } else { path.ends_with(file) }
        };
        let declared = format!("fn {test}(");
        assert!(
            sources.iter().any(|(path, text)| is_it(path) && text.contains(&declared)),
            "`{test}` is not in `{file}`"
        );
    }
    let (_, rows) = text.split_once("\n## What users expect").unwrap();
    for row in rows.lines().filter(is_row).filter(|row| !row.starts_with("| row ")) {
        let last = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
        assert!(last.starts_with("- ") || !tests_of(last).is_empty(), "{row}");
    }
    // Mechanisms have two-digit numbers, mistakes as many digits as they need.
    for (group, mechanisms, mistakes) in
        [(0, 12, 16), (1, 14, 16), (2, 10, 0), (3, 15, 8), (4, 8, 0)]
    {
        let ids = (1..=mechanisms).map(|number| format!("| S{group}-{number:02} |"));
        for id in ids.chain((1..=mistakes).map(|number| format!("| D{group}-{number} |"))) {
            assert!(rows.contains(&id), "the row {id} is missing");
        }
    }
}

/// The name of a test says what holds. `tests/it/README.md` says to which row of the table it belongs.
#[test]
fn no_test_is_named_after_a_row() {
    let is_digit = |letter: char| letter.is_ascii_digit();
    let begins_with_a_row = |name: &str| {
        let number = name.strip_prefix(['s', 'd']).filter(|rest| rest.starts_with(is_digit));
        let behind = number.and_then(|rest| rest.trim_start_matches(is_digit).strip_prefix('_'));
        behind.is_some_and(|rest| rest.starts_with(is_digit))
    };
    for (path, text) in sources() {
        for name in text.split("fn ").skip(1).map(|rest| rest.split('(').next().unwrap_or_default())
        {
            assert!(!begins_with_a_row(name), "{}: {name}", path.display());
        }
    }
}

#[test]
fn third_party_binaries_have_their_license_and_their_script() {
    for path in [
        "src/render/fonts/LICENSE-NotoSans.txt",
        "src/render/fonts/LICENSE-NotoSansSC.txt",
        "src/render/fonts/make.sh",
        "skills/python/LICENSE-CPython.txt",
        "skills/python/LICENSE-componentize-py.txt",
        "plugins/python/build.sh",
        "plugins/build.sh",
        "src/guard/fold/traditional/LICENSE-OpenCC.txt",
        "src/guard/fold/traditional/make.sh",
    ] {
        assert!(root().join(path).is_file(), "{path} is missing");
    }
}

#[test]
fn the_wasmtime_version_is_the_one_of_the_lock_file() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let entry = format!("name = \"wasmtime\"\nversion = \"{}\"", mitt::internal::WASMTIME_VERSION);
    assert!(lock.contains(&entry), "WASMTIME_VERSION is part of the cache key and must be true");
}

/// Links in the docs lead to existing files and headings.
#[test]
fn links_of_pages_lead_somewhere() {
    let mut pages = files("docs", "md");
    for page in ["README.md", "README.zh-CN.md", "ARCHITECTURE.md", "SECURITY.md", "CHANGELOG.md"] {
        pages.push(root().join(page));
    }
    let mut checked = 0;
    for page in pages {
        let text = fs::read_to_string(&page).unwrap();
        let ends = text.match_indices("](").map(|(at, _)| &text[at + 2..]);
        for link in ends.filter_map(|rest| rest.split([')', '\n']).next()) {
            if link.starts_with("http") {
                continue;
            }
            let (path, heading) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => page.clone(),
                _ => page.parent().unwrap().join(path),
            };
            assert!(target.exists(), "{}: {link}", page.display());
            if !heading.is_empty() {
                let text = fs::read_to_string(&target).unwrap();
                let found = text
                    .lines()
                    .filter(|line| line.starts_with('#'))
                    .any(|line| anchor(line.trim_start_matches('#').trim()) == heading);
                assert!(found, "{}: {link}", page.display());
            }
            checked += 1;
        }
    }
    assert!(checked > 20, "{checked}");
}

/// Returns a heading in the form of links: letters, digits, `-` and `_` in lower case, with hyphens for spaces.
fn anchor(heading: &str) -> String {
    heading
        .to_lowercase()
        .replace(' ', "-")
        .chars()
        .filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_'))
        .collect()
}

/// Returns the words of a comment line, without code in backticks, and `true` for a doc comment.
fn comment(line: &str) -> Option<(bool, String)> {
    let line = line.trim_start();
    let text = line.strip_prefix("//")?;
    let doc = text.strip_prefix(['/', '!']);
    let plain: String = doc.unwrap_or(text).split('`').step_by(2).collect();
    Some((doc.is_some(), plain.trim_start().to_owned()))
}

/// How often the comments of a folder still use words that `docs/style.md` advises against. Lower the numbers with each rewrite, and
/// never raise one.
///
/// The columns: doc comments that begin with `Of` or `None of`; with `Whether`; the words `whoever` and `told` in all comments.
const BUDGETS: [(&str, [usize; 4]); 21] = [
    ("src/agent", [0, 0, 0, 0]),
    ("src/arithmetic", [0, 0, 0, 0]),
    ("src/base", [0, 1, 0, 0]),
    ("src/cli", [1, 0, 0, 0]),
    ("src/engine", [0, 0, 0, 0]),
    ("src/guard", [0, 0, 0, 0]),
    ("src/ingest", [0, 0, 0, 0]),
    ("src/mitt", [0, 0, 0, 0]),
    ("src/net", [0, 0, 0, 0]),
    ("src/render", [0, 0, 0, 0]),
    ("src/serve", [0, 0, 0, 0]),
    ("src/service", [0, 0, 0, 0]),
    ("src/skill", [0, 0, 0, 0]),
    ("src/sources", [0, 0, 0, 0]),
    ("src/table", [0, 0, 0, 0]),
    ("src/text", [0, 0, 0, 0]),
    ("src/types", [0, 0, 0, 0]),
    ("src/wit", [0, 0, 0, 0]),
    ("src/zones", [0, 0, 0, 0]),
    ("plugins", [8, 121, 6, 28]),
    ("tests/it", [0, 0, 0, 0]),
];

/// Comments are sentences in plain English: see `docs/style.md`.
#[test]
fn comments_use_plain_words() {
    let mut over = Vec::new();
    for (folder, budget) in BUDGETS {
        let mut found = [0; 4];
        for path in files(folder, "rs") {
            let text = fs::read_to_string(&path).unwrap();
            let mut follows = false;
            for (is_doc, words) in text.lines().map(|line| comment(line).unwrap_or_default()) {
                let begins = is_doc && !follows;
                follows = is_doc && !words.is_empty();
                let starts = |word: &str| begins && words.starts_with(word);
                found[0] += usize::from(starts("Of ") || starts("None of "));
                found[1] += usize::from(starts("Whether "));
                for word in words.split(|c: char| !c.is_alphanumeric()) {
                    found[2] += usize::from(word.eq_ignore_ascii_case("whoever"));
                    found[3] += usize::from(word.eq_ignore_ascii_case("told"));
                }
            }
        }
        for (what, (n, most)) in
            ["Of …", "Whether …", "whoever", "told"].into_iter().zip(found.into_iter().zip(budget))
        {
            if n > most {
                over.push(format!(
                    "{folder}: `{what}` {n} times in comments, at most {most} (docs/style.md)"
                ));
            }
        }
    }
    assert_eq!(over, Vec::<String>::new());
}

/// The documentation of the library lists its features, and which of them are on by default.
#[test]
fn features_of_the_library_are_documented() {
    let read = |path: &str| fs::read_to_string(root().join("src/mitt").join(path)).unwrap();
    let (manifest, docs) = (read("Cargo.toml"), read("lib.rs"));
    let manifest: toml_edit::ImDocument<String> = toml_edit::ImDocument::parse(manifest).unwrap();
    let features = manifest["features"].as_table().unwrap();
    let defaults: BTreeSet<&str> =
        features["default"].as_array().unwrap().iter().filter_map(|it| it.as_str()).collect();
    let others = features.iter().map(|(name, _)| name).filter(|name| *name != "default");
    let others: BTreeSet<&str> = others.filter(|name| !defaults.contains(name)).collect();
    let (_, section) = docs.split_once("//! # Features").unwrap();
    let (section, _) = section.split_once("//! # ").unwrap();
    let (on, off) = section.split_once("Off by default:").unwrap();
    for (section, features) in [(on, defaults), (off, others)] {
        let items =
            section.lines().filter_map(|line| line.strip_prefix("//! * ")?.split_once(": "));
        let named: BTreeSet<&str> = items
            .flat_map(|(names, _)| names.split(", "))
            .map(|name| name.trim_matches('`'))
            .collect();
        assert_eq!(named, features);
    }
}
