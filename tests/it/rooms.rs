//! Files of a room import each other one way only, so that each can be read with those below it in mind and no others.
//!
//! A `mod.rs` only declares and re-exports: what is imported through it is looked up where it is. Tests may import what they like.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::Path;

use crate::support::root;

/// The rooms whose files are free of circles.
const ROOMS: [&str; 1] = ["src/mitt/session"];

/// A module by its path below the room.
type Module = Vec<String>;

/// The modules of a room: what stands in front of a module's tests, and whether it is a folder's `mod.rs`.
struct Room(BTreeMap<Module, (String, bool)>);

impl Room {
    fn read(room: &str) -> Room {
        let mut modules = BTreeMap::new();
        read(&root().join(room), &mut Vec::new(), &mut modules);
        Room(modules)
    }

    /// The file of this room that an import of `module` leads to, if it is one.
    fn file(&self, module: &[String], import: &[String]) -> Option<Module> {
        let (mut at, mut rest) = (module.to_vec(), import);
        let (_, is_folder) = self.0.get(&at)?;
        let is_relative = matches!(rest[0].as_str(), "super" | "self");
        let is_child = *is_folder && self.0.contains_key(&[module, &rest[..1]].concat());
        if !is_relative && !is_child {
            return None;
        }
        while let [first, others @ ..] = rest {
            match first.as_str() {
                "self" => {}
                "super" => drop(at.pop()?),
                name => {
                    at.push(name.to_owned());
                    if !self.0.contains_key(&at) {
                        at.pop();
                        break;
                    }
                }
            }
            rest = others;
        }
        // Through a `mod.rs` to where it has it from.
        let (text, is_folder) = self.0.get(&at)?;
        let from = |name: &String| {
            let mut told = imports(text).into_iter().filter(|path| path.last() == Some(name));
            told.find_map(|path| self.file(&at, &path))
        };
        match rest.first() {
            Some(name) if *is_folder => from(name),
            _ => Some(at),
        }
    }

    /// Which files each file imports.
    fn graph(&self) -> BTreeMap<Module, BTreeSet<Module>> {
        let files = self.0.iter().filter(|(_, (_, is_folder))| !is_folder);
        files
            .map(|(module, (text, _))| {
                let imports = imports(text);
                let found = imports.iter().filter_map(|import| self.file(module, import));
                (module.clone(), found.filter(|file| file != module).collect())
            })
            .collect()
    }
}

fn read(folder: &Path, module: &mut Module, modules: &mut BTreeMap<Module, (String, bool)>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        if path.is_dir() {
            module.push(name);
            read(&path, module, modules);
            module.pop();
        } else if path.extension().is_some_and(|it| it == "rs") && !name.ends_with("_tests") {
            let text = fs::read_to_string(&path).unwrap();
            let own = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
            let own = own.split("#[cfg(all(test").next().unwrap_or_default().to_owned();
            match name.as_str() {
                "mod" => modules.insert(module.clone(), (own, true)),
                _ => modules.insert([&module[..], &[name]].concat(), (own, false)),
            };
        }
    }
}

/// The paths that a file imports, each to its last name.
fn imports(text: &str) -> Vec<Module> {
    let mut found = Vec::new();
    let is_import = |line: &str| {
        let line = line.trim_start();
        line.starts_with("use ") || line.starts_with("pub") && line.contains(" use ")
    };
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if !is_import(line) {
            continue;
        }
        let mut statement = line.to_owned();
        while !statement.contains(';') {
            statement.push_str(lines.next().unwrap_or(";").trim());
        }
        let (_, tree) = statement.split_once("use ").unwrap();
        expand(&[], tree.split(';').next().unwrap_or_default(), &mut found);
    }
    found
}

fn expand(before: &[String], tree: &str, found: &mut Vec<Module>) {
    let (path, inner) = match tree.split_once('{') {
        Some((path, inner)) => (path, inner.trim_end().strip_suffix('}')),
        None => (tree.split(" as ").next().unwrap_or(tree), None),
    };
    let names = path.split("::").map(str::trim).filter(|name| !name.is_empty());
    let path: Module = before.iter().cloned().chain(names.map(str::to_owned)).collect();
    let Some(inner) = inner else { return found.push(path) };
    let (mut depth, mut start) = (0, 0);
    for (index, letter) in inner.char_indices().chain([(inner.len(), ',')]) {
        match letter {
            '{' => depth += 1,
            '}' => depth -= 1,
            ',' if depth == 0 => {
                let part = inner[start..index].trim();
                if !part.is_empty() {
                    expand(&path, part, found);
                }
                start = index + 1;
            }
            _ => {}
        }
    }
}

/// Files that import one another, in a circle: what is left when files that nothing is imported into, or that import nothing, are
/// taken away again and again.
fn circle(mut graph: BTreeMap<Module, BTreeSet<Module>>) -> Vec<String> {
    loop {
        let imported: BTreeSet<Module> = graph.values().flatten().cloned().collect();
        let left: BTreeSet<Module> = graph
            .iter()
            .filter(|(file, imports)| !imports.is_empty() && imported.contains(*file))
            .map(|(file, _)| file.clone())
            .collect();
        if left.len() == graph.len() {
            return left.iter().map(|file| file.join("/")).collect();
        }
        graph.retain(|file, _| left.contains(file));
        for imports in graph.values_mut() {
            imports.retain(|file| left.contains(file));
        }
    }
}

#[test]
fn files_of_a_room_import_each_other_one_way() {
    for room in ROOMS {
        let graph = Room::read(room).graph();
        assert!(graph.values().flatten().count() > graph.len(), "{room}: imports are found");
        let circle = circle(graph);
        assert!(circle.is_empty(), "{room}: a circle of {}", circle.join(", "));
    }
}

#[test]
fn a_circle_is_found() {
    let text = "use super::{a::A, b::{C, D}};\npub(crate) use super::c as d;\n";
    let paths: Vec<String> = imports(text).iter().map(|path| path.join("::")).collect();
    assert_eq!(paths, ["super::a::A", "super::b::C", "super::b::D", "super::c"]);
    let file = |text: &str| (text.to_owned(), false);
    let module = |name: &str| vec![name.to_owned()];
    let room = |last: &str| {
        Room(BTreeMap::from([
            (vec![], ("mod a;\npub use a::A;".to_owned(), true)),
            (module("a"), file("use super::b::B;")),
            (module("b"), file("use super::c::C;")),
            (module("c"), file(last)),
            (module("d"), file("use super::A;")),
        ]))
    };
    assert!(circle(room("use super::missing::M;").graph()).is_empty());
    assert_eq!(circle(room("use super::A;").graph()), ["a", "b", "c"]);
}
