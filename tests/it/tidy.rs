//! Rules of the house that a machine can check.

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

#[test]
fn files_stay_small_and_say_what_they_do() {
    for path in files("src", "rs").into_iter().chain(files("plugins", "rs")) {
        let text = fs::read_to_string(&path).unwrap();
        let lines = text.lines().count();
        assert!(lines <= 600, "{}: {lines} lines", path.display());
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
fn both_readmes_name_every_command_and_the_two_first_ones() {
    let help = crate::support::mitt(root(), &["--help"]);
    let help = crate::support::text(&help.stdout);
    let commands = help
        .lines()
        .skip_while(|line| !line.starts_with("Commands:"))
        .skip(1)
        .take_while(|line| !line.is_empty());
    // What goes on in the next line is indented deeper.
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
        for command in &commands {
            assert!(
                text.contains(&format!("mitt {command}")),
                "{readme} does not name `mitt {command}`"
            );
        }
    }
}

#[test]
fn readmes_name_every_exit_code() {
    for readme in ["README.md", "README.zh-CN.md"] {
        let text = fs::read_to_string(root().join(readme)).unwrap();
        for code in [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 70] {
            assert!(
                text.contains(&format!("| {code} |")),
                "{readme} does not name exit code {code}"
            );
        }
    }
}

/// The pages that promise something name what would break: a test, or a file of tests.
#[test]
fn promises_name_tests_that_exist() {
    let sources: String = files("src", "rs")
        .into_iter()
        .chain(files("tests", "rs"))
        .map(|path| fs::read_to_string(path).unwrap())
        .collect();
    for page in ["ARCHITECTURE.md", "SECURITY.md"] {
        let text = fs::read_to_string(root().join(page)).unwrap();
        let mut named = 0;
        for row in text.lines().filter(|line| line.starts_with("| ") && line.ends_with(" |")) {
            let last = row.trim_end_matches(" |").rsplit(" | ").next().unwrap();
            for name in last.split('`').skip(1).step_by(2) {
                let is_name = name.len() > 12
                    && name.chars().all(|c| matches!(c, 'a'..='z' | '0'..='9' | '_' | '*'));
                if is_name {
                    named += 1;
                    let found = format!("fn {}", name.trim_end_matches('*'));
                    assert!(sources.contains(&found), "{page} names `{name}`, which is not there");
                }
            }
        }
        assert!(named > 20, "{page} names {named} tests");
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
    ] {
        assert!(root().join(path).is_file(), "{path} is missing");
    }
}

#[test]
fn the_wasmtime_version_is_the_one_of_the_lock_file() {
    let lock = fs::read_to_string(root().join("Cargo.lock")).unwrap();
    let entry = format!("name = \"wasmtime\"\nversion = \"{}\"", mitt::engine::WASMTIME_VERSION);
    assert!(lock.contains(&entry), "WASMTIME_VERSION is part of the cache key and must be true");
}
