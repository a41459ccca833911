//! Hashes the sources of a component, so that a test can detect a stale one.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// Libraries that `plugins/patched.sh` makes out of published crates, each with its patch.
const PATCHED: [(&str, &str); 2] = [
    ("plugins/target/patched/office_oxide", "plugins/reader-office/office_oxide.patch"),
    ("plugins/target/patched/unpdf", "plugins/reader-pdf/unpdf.patch"),
];

/// Returns the patch of a library that `plugins/patched.sh` makes in a folder.
fn patch_of(folder: &str) -> Option<&'static str> {
    PATCHED.into_iter().find(|(made, _)| *made == folder).map(|(_, patch)| patch)
}

/// Returns SHA-256 as 64 lower-case hexadecimal digits.
pub(crate) fn sha256(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

/// Returns the hash of all sources of a plugin.
///
/// The host's test `components_belong_to_their_sources` repeats this definition. For each file, in ascending byte order of
/// its path relative to the project with `/` as separator, hash the path, one zero byte, the length of the content in
/// decimal digits, one zero byte, the content. The files are
///
/// - everything below `plugins/<name>/` and `plugins/guest/`,
/// - everything below the folders of the crates that its manifest names by their paths, and of those that these name
///   ([`shared`]); for a crate in `plugins/target/patched/` instead `plugins/patched.sh`, which makes it, and its patch,
/// - the files below `wit/` that end in `.wit`, because the folder also has the host's crate of the contract;
///   `wit/pieces.wit` only for `reader-text`, because no other plugin has its world, and `wit/files.wit` only for those
///   that read and deliver files: the editors and `page-pictures`, `wit/signing.wit` only for `pdf-tool`, and
///   `wit/tool-batches.wit` only for `javascript`,
/// - of `plugins/Cargo.toml` and `plugins/Cargo.lock` what concerns the plugin ([`lock_of`], [`manifest_of`]), unless it has
///   a `build.sh`: it is then not a member of that workspace, and its dependencies are locked in its own folder,
///
/// except files and folders named `target` or `__pycache__` or beginning with a dot. Contents are hashed unchanged, because
/// `.gitattributes` keeps line ends the same everywhere.
pub(crate) fn source_sha256(root: &Path, name: &str) -> Result<String> {
    let mut files = BTreeMap::new();
    for folder in [&format!("plugins/{name}"), "plugins/guest", "wit"] {
        collect(root, folder, &mut files)?;
    }
    files.retain(|path, _| !path.starts_with("wit/") || path.ends_with(".wit"));
    if name != "reader-text" {
        files.remove("wit/pieces.wit");
    }
    let delivers_files = matches!(
        name,
        "deck-tool"
            | "docx-tool"
            | "mail-tool"
            | "page-pictures"
            | "pdf-tool"
            | "redact-tool"
            | "sheet-tool"
    );
    if !delivers_files {
        files.remove("wit/files.wit");
    }
    if name != "pdf-tool" {
        files.remove("wit/signing.wit");
    }
    if name != "javascript" {
        files.remove("wit/tool-batches.wit");
    }
    for folder in shared(root, name)? {
        if let Some(patch) = patch_of(&folder) {
            for file in ["plugins/patched.sh", patch] {
                files.insert(file.to_owned(), read(root, file)?);
            }
        } else {
            collect(root, &folder, &mut files)?;
        }
    }
    if !files.contains_key(&format!("plugins/{name}/build.sh")) {
        let lock = read(root, "plugins/Cargo.lock")?;
        let lock = String::from_utf8_lossy(&lock);
        let names = needed(&lock, name);
        files.insert("plugins/Cargo.lock".to_owned(), lock_of(&lock, &names).into_bytes());
        let manifest = read(root, "plugins/Cargo.toml")?;
        let manifest = manifest_of(&String::from_utf8_lossy(&manifest), &names);
        files.insert("plugins/Cargo.toml".to_owned(), manifest.into_bytes());
    }
    let mut hasher = Sha256::new();
    for (path, content) in &files {
        hasher.update(path.as_bytes());
        hasher.update([0]);
        hasher.update(content.len().to_string().as_bytes());
        hasher.update([0]);
        hasher.update(content);
    }
    Ok(hex(&hasher.finalize()))
}

/// Returns the folders of the crates that a plugin depends on by their paths, directly or by another one, relative to the
/// project. Dependencies of tests are left out.
fn shared(root: &Path, name: &str) -> Result<BTreeSet<String>> {
    let own = format!("plugins/{name}");
    let mut found = BTreeSet::new();
    let mut next = vec![own.clone()];
    while let Some(folder) = next.pop() {
        let manifest = format!("{folder}/Cargo.toml");
        // The plugin in Python has no manifest, and nobody has made what is patched when sources are only compared.
        if patch_of(&folder).is_some() || !root.join(&manifest).exists() {
            continue;
        }
        let manifest = String::from_utf8_lossy(&read(root, &manifest)?).into_owned();
        let workspace = if folder.starts_with("plugins/") { "plugins" } else { "." };
        let file = format!("{workspace}/Cargo.toml");
        let of_workspace = if root.join(&file).exists() {
            String::from_utf8_lossy(&read(root, &file)?).into_owned()
        } else {
            String::new()
        };
        for (dependency, line) in dependency_lines(&manifest) {
            let path = match path_in(line) {
                Some(path) => Some(beside(&folder, path)),
                None if line.contains("workspace = true") => dependency_lines(&of_workspace)
                    .find(|(known, _)| *known == dependency)
                    .and_then(|(_, line)| path_in(line))
                    .map(|path| beside(workspace, path)),
                None => None,
            };
            if let Some(path) = path.filter(|path| *path != own)
                && found.insert(path.clone())
            {
                next.push(path);
            }
        }
    }
    Ok(found)
}

/// Returns the names and lines of the dependencies in a manifest, but not those of its tests.
fn dependency_lines(manifest: &str) -> impl Iterator<Item = (&str, &str)> {
    let mut section = "";
    manifest.lines().filter_map(move |line| {
        if line.starts_with('[') {
            section = line;
        }
        let is_kept = section.ends_with("dependencies]") && !section.contains("dev-dependencies");
        let name = line.split([' ', '.', '=']).next().unwrap_or_default();
        (is_kept && line != section && !name.is_empty() && name != "#").then_some((name, line))
    })
}

fn path_in(line: &str) -> Option<&str> {
    line.split_once("path = \"")?.1.split('"').next()
}

/// Returns a path from a folder, without its steps up.
fn beside(folder: &str, path: &str) -> String {
    let mut parts: Vec<&str> = folder.split('/').filter(|part| *part != ".").collect();
    for part in path.split('/') {
        match part {
            ".." => _ = parts.pop(),
            "." | "" => {}
            part => parts.push(part),
        }
    }
    parts.join("/")
}

/// Returns the names of the packages that the package `name` of a lock file needs, with its own: what follows from its
/// dependencies, with those for tests.
fn needed(lock: &str, name: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::from([name.to_owned()]);
    let mut next = vec![name.to_owned()];
    while let Some(name) = next.pop() {
        let own = lock.split("[[package]]").skip(1).filter(|part| name_of(part) == name);
        for dependency in own.flat_map(dependencies) {
            if names.insert(dependency.to_owned()) {
                next.push(dependency.to_owned());
            }
        }
    }
    names
}

fn name_of(part: &str) -> &str {
    let named = part.lines().find_map(|line| line.strip_prefix("name = "));
    named.unwrap_or_default().trim_matches('"')
}

/// Returns the names in the list of dependencies of a package: each is the first word of a line.
fn dependencies(part: &str) -> impl Iterator<Item = &str> {
    let lines = part.lines().skip_while(|line| !line.starts_with("dependencies = ")).skip(1);
    let lines =
        lines.take_while(|line| *line != "]").map(|line| line.trim().trim_matches([',', '"']));
    lines.filter_map(|line| line.split(' ').next())
}

/// Returns the packages of a lock file with one of `names` that come from a registry. Members of the workspace are left
/// out, because their manifests name their dependencies.
fn lock_of(lock: &str, names: &BTreeSet<String>) -> String {
    let parts = lock.split("[[package]]").skip(1).filter(|part| {
        names.contains(name_of(part)) && part.lines().any(|line| line.starts_with("source = "))
    });
    parts.map(str::trim).collect::<Vec<_>>().join("\n")
}

/// Returns the lines of the manifest of the workspace that concern packages with one of `names`: no comments and empty
/// lines, of the shared dependencies those with these names, and no profile of another package.
fn manifest_of(manifest: &str, names: &BTreeSet<String>) -> String {
    let mut section = "";
    let mut kept = String::new();
    for line in manifest.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        if line.starts_with('[') {
            section = line;
        }
        let package = section.trim_matches(['[', ']']).rsplit_once(".package.");
        let is_kept = match (section, package) {
            ("[workspace.dependencies]", _) if line != section => {
                names.contains(line.split([' ', '=']).next().unwrap_or_default())
            }
            (_, Some((_, package))) => package == "\"*\"" || names.contains(package),
            _ => true,
        };
        if is_kept {
            kept.push_str(line);
            kept.push('\n');
        }
    }
    kept
}

fn collect(root: &Path, folder: &str, files: &mut BTreeMap<String, Vec<u8>>) -> Result<()> {
    let entries =
        std::fs::read_dir(root.join(folder)).with_context(|| format!("cannot list `{folder}`"))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list `{folder}`"))?;
        let name = entry.file_name();
        let name = name.to_str().with_context(|| format!("name in `{folder}` is not UTF-8"))?;
        if name.starts_with('.') || name == "target" || name == "__pycache__" {
            continue;
        }
        let path = format!("{folder}/{name}");
        if entry.file_type()?.is_dir() {
            collect(root, &path, files)?;
        } else {
            let content = read(root, &path)?;
            files.insert(path, content);
        }
    }
    Ok(())
}

fn read(root: &Path, path: &str) -> Result<Vec<u8>> {
    std::fs::read(root.join(path)).with_context(|| format!("cannot read `{path}`"))
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::{sha256, source_sha256};
    use std::path::Path;

    fn project(files: &[(&str, &str)]) -> std::path::PathBuf {
        let key: String = files.iter().map(|(path, content)| format!("{path}{content}")).collect();
        let root = std::env::temp_dir().join(format!(
            "mitt-pack-{}-{}",
            std::process::id(),
            sha256(key.as_bytes())
        ));
        for (path, content) in files {
            let file = root.join(path);
            std::fs::create_dir_all(file.parent().unwrap()).unwrap();
            std::fs::write(file, content).unwrap();
        }
        root
    }

    fn hash_of(root: &Path) -> String {
        let hash = source_sha256(root, "a").unwrap();
        std::fs::remove_dir_all(root).unwrap();
        hash
    }

    /// A lock file: `a` needs `f`, and nobody needs `g`.
    const LOCK: &str = "# 4\n\n[[package]]\nname = \"a\"\ndependencies = [\n \"f 1.0\",\n]\n\n\
                        [[package]]\nname = \"f\"\nsource = \"r\"\n\n[[package]]\nname = \"g\"\nsource = \"r\"\n";

    const BASE: [(&str, &str); 5] = [
        ("plugins/Cargo.toml", "[w]\nx = 1\n"),
        ("plugins/Cargo.lock", LOCK),
        ("plugins/a/src/lib.rs", "x"),
        ("plugins/guest/g", "g"),
        ("wit/types.wit", "t"),
    ];

    #[test]
    fn hash_is_as_defined() {
        let sorted = [
            ("plugins/Cargo.lock", "name = \"f\"\nsource = \"r\""),
            ("plugins/Cargo.toml", "[w]\nx = 1\n"),
            ("plugins/a/src/lib.rs", "x"),
            ("plugins/guest/g", "g"),
            ("wit/types.wit", "t"),
        ];
        let expected: String =
            sorted.map(|(path, content)| format!("{path}\0{}\0{content}", content.len())).concat();
        assert_eq!(hash_of(&project(&BASE)), sha256(expected.as_bytes()));
    }

    fn with(index: usize, content: &'static str) -> String {
        let mut files = BASE;
        files[index].1 = content;
        hash_of(&project(&files))
    }

    #[test]
    fn what_is_built_apart_has_nothing_of_the_workspace() {
        let apart = |lock: &'static str| {
            let mut files = BASE.to_vec();
            files[1].1 = lock;
            files.push(("plugins/a/build.sh", "b"));
            hash_of(&project(&files))
        };
        assert_eq!(apart("one"), apart("other"));
    }

    #[test]
    fn of_the_lock_file_only_what_the_plugin_needs_counts() {
        let packages = |a: &str, f: &str, more: &str| -> &'static str {
            format!(
                "# 4\n\n[[package]]\nname = \"a\"\ndependencies = [\n{a}]\n\n\
                 [[package]]\nname = \"f\"\nsource = \"{f}\"\n{more}"
            )
            .leak()
        };
        let base = with(1, LOCK);
        assert_eq!(with(1, packages(" \"f\",\n", "r", "")), base);
        assert_ne!(with(1, packages(" \"f\",\n", "other", "")), base);
        assert_ne!(with(1, packages("", "r", "")), base);
        // What `f` needs counts too, and a member does not, but what it needs.
        let needs = "dependencies = [\n \"g\",\n]\n\n[[package]]\nname = \"g\"\nsource = \"r\"\n";
        assert_ne!(with(1, packages(" \"f\",\n", "r", needs)), base);
        let member = "\n[[package]]\nname = \"b\"\n";
        assert_eq!(with(1, packages(" \"f\",\n \"b\",\n", "r", member)), base);
    }

    #[test]
    fn of_the_manifest_only_what_concerns_the_plugin_counts() {
        let base = with(0, "[w]\n[workspace.dependencies]\nf = \"1\"\n");
        let comments = "# c\n[w]\n\n[workspace.dependencies]\n# d\nf = \"1\"\n";
        assert_eq!(with(0, comments), base);
        assert_eq!(with(0, "[w]\n[workspace.dependencies]\nf = \"1\"\ng = \"2\"\n"), base);
        let profile = "[w]\n[workspace.dependencies]\nf = \"1\"\n[profile.release.package.f]\nopt-level = 3\n";
        assert_ne!(with(0, profile), base);
        let other = "[w]\n[workspace.dependencies]\nf = \"1\"\n[profile.release.package.g]\nopt-level = 3\n";
        assert_eq!(with(0, other), base);
        assert_ne!(with(0, "[w]\n[workspace.dependencies]\nf = \"2\"\n"), base);
    }

    #[test]
    fn hash_ignores_what_is_not_source() {
        let mut files = BASE.to_vec();
        files.extend([
            ("plugins/a/target/x", "1"),
            ("plugins/a/.hidden", "2"),
            ("plugins/a/__pycache__/m.pyc", "3"),
        ]);
        files.push(("plugins/b/src/lib.rs", "another plugin"));
        assert_eq!(hash_of(&project(&files)), hash_of(&project(&BASE)));
    }

    /// Returns the hash of a plugin with this manifest, where another file has this content.
    fn beside_others(manifest: &str, path: &'static str, content: &'static str) -> String {
        let mut files: Vec<(&str, &str)> = BASE.to_vec();
        files[0].1 = "[workspace.dependencies]\ns = { path = \"s\" }\n\n[w]\nx = 1\n";
        files.extend([
            ("plugins/a/Cargo.toml", manifest),
            ("plugins/s/Cargo.toml", "[dependencies]\n# t\nt = { path = \"../t\" }\n"),
            ("plugins/s/lib.rs", "s"),
            ("plugins/t/lib.rs", "t"),
            ("plugins/patched.sh", "p"),
            ("plugins/reader-pdf/unpdf.patch", "d"),
            ("src/u/lib.rs", "u"),
        ]);
        for (other, old) in &mut files {
            if *other == path {
                *old = content;
            }
        }
        hash_of(&project(&files))
    }

    #[test]
    fn crates_that_a_manifest_names_by_their_paths_count() {
        for (dependencies, counts) in [
            ("[dependencies]\ns.workspace = true\n", [true, true, false, false]),
            ("[dependencies]\ns = { workspace = true }\n", [true, true, false, false]),
            ("[dependencies]\ns = { path = \"../s\" }\n", [true, true, false, false]),
            ("[target.x.dependencies]\nt = { path = \"../t\" }\n", [false, true, false, false]),
            ("[dependencies]\nu = { path = \"../../src/u\" }\n", [false, false, true, false]),
            (
                "[dependencies]\nunpdf = { path = \"../target/patched/unpdf\" }\n",
                [false, false, false, true],
            ),
            ("[dev-dependencies]\ns = { path = \"../s\" }\n", [false; 4]),
            ("[dependencies]\nx = \"1\"\n\n[patch.y]\ns = { path = \"../s\" }\n", [false; 4]),
        ] {
            let base = beside_others(dependencies, "", "");
            let files = [
                "plugins/s/lib.rs",
                "plugins/t/lib.rs",
                "src/u/lib.rs",
                "plugins/reader-pdf/unpdf.patch",
            ];
            for (file, counts) in files.into_iter().zip(counts) {
                let changed = beside_others(dependencies, file, "changed") != base;
                assert_eq!(changed, counts, "{file}: {dependencies}");
            }
        }
    }

    #[test]
    fn hash_sees_every_change() {
        let base = hash_of(&project(&BASE));
        for changed in 0..BASE.len() {
            let mut files = BASE;
            files[changed].1 = "changed";
            assert_ne!(hash_of(&project(&files)), base, "{}", BASE[changed].0);
        }
    }
}
