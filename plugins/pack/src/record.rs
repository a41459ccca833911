//! Hashes the sources of a component, so that a test can detect a stale one.

use anyhow::{Context, Result};
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::path::Path;

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
/// - the files below `wit/` that end in `.wit`, because the folder also has the host's crate of the contract;
///   `wit/pieces.wit` only for `reader-text`, because no other plugin has its world,
/// - everything below `plugins/reader-kit/` if the name begins with `reader-`,
/// - everything below `src/text/` for `reader-text`,
/// - everything below `plugins/html/` and `plugins/rtf/` for `reader-mail` and `reader-office`,
/// - `plugins/Cargo.toml` and `plugins/Cargo.lock`, unless the plugin has a `build.sh`: it is then not a member of that
///   workspace, and its dependencies are locked in its own folder. The members of the workspace are left out of
///   the lock file, because their manifests name their dependencies: the file is divided in front of each
///   `[[package]]`, and parts after the first in which no line begins with `source = ` are left out,
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
    if name.starts_with("reader-") {
        collect(root, "plugins/reader-kit", &mut files)?;
    }
    if matches!(name, "reader-mail" | "reader-office") {
        collect(root, "plugins/html", &mut files)?;
        collect(root, "plugins/rtf", &mut files)?;
    }
    if name == "reader-text" {
        collect(root, "src/text", &mut files)?;
    }
    if !files.contains_key(&format!("plugins/{name}/build.sh")) {
        files.insert("plugins/Cargo.toml".to_owned(), read(root, "plugins/Cargo.toml")?);
        let lock = read(root, "plugins/Cargo.lock")?;
        files.insert("plugins/Cargo.lock".to_owned(), foreign_packages(&lock));
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

/// Returns a lock file without the members of its workspace.
fn foreign_packages(lock: &[u8]) -> Vec<u8> {
    let lock = String::from_utf8_lossy(lock);
    let mut parts = lock.split("[[package]]");
    let mut kept = parts.next().unwrap_or_default().to_owned();
    for part in parts.filter(|part| part.lines().any(|line| line.starts_with("source = "))) {
        kept.push_str("[[package]]");
        kept.push_str(part);
    }
    kept.into_bytes()
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

    const BASE: [(&str, &str); 5] = [
        ("plugins/Cargo.toml", "w"),
        ("plugins/Cargo.lock", "l"),
        ("plugins/a/src/lib.rs", "x"),
        ("plugins/guest/g", "g"),
        ("wit/types.wit", "t"),
    ];

    #[test]
    fn hash_is_as_defined() {
        let sorted = [
            ("plugins/Cargo.lock", "l"),
            ("plugins/Cargo.toml", "w"),
            ("plugins/a/src/lib.rs", "x"),
            ("plugins/guest/g", "g"),
            ("wit/types.wit", "t"),
        ];
        let expected: String =
            sorted.map(|(path, content)| format!("{path}\0{}\0{content}", content.len())).concat();
        assert_eq!(hash_of(&project(&BASE)), sha256(expected.as_bytes()));
    }

    #[test]
    fn what_is_built_apart_has_nothing_of_the_workspace() {
        let with = |lock: &'static str| {
            let mut files = BASE.to_vec();
            files[1].1 = lock;
            files.push(("plugins/a/build.sh", "b"));
            hash_of(&project(&files))
        };
        assert_eq!(with("one"), with("other"));
    }

    #[test]
    fn members_of_the_lock_file_do_not_count() {
        let with = |lock: &'static str| {
            let mut files = BASE.to_vec();
            files[1].1 = lock;
            hash_of(&project(&files))
        };
        let foreign = "# 4\n[[package]]\nname = \"f\"\nsource = \"r\"\n";
        assert_eq!(
            with(foreign),
            with("# 4\n[[package]]\nname = \"f\"\nsource = \"r\"\n[[package]]\nname = \"a\"\n")
        );
        assert_ne!(with(foreign), with("# 4\n[[package]]\nname = \"f\"\nsource = \"s\"\n"));
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
