//! Creates a skill: a folder for the host and the crate of its plugin, complete and working.
//!
//! The crate is self-contained: it has a copy of the contract with the host (`wit/`), and depends on published crates only.
//! An Extism plugin is written in the usual way of its language; `skill.yaml` describes parameters and results of its
//! functions.

use std::fs;
use std::path::{Path, PathBuf};

use crate::name::is_kebab;
use crate::{SkillMd, ToolName, to_snake};
use mitt_base::file_name::check_file_name;
use mitt_base::scratch::{self, Scratch};
use mitt_base::{Error, ErrorKind, Remedy, Result, text};

/// Name of the function in the example.
const FUNCTION: &str = "count";

/// Kind of the plugin of a new skill.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum NewPlugin {
    /// A component, in Rust.
    #[default]
    Component,
    /// A component, in Python.
    Python,
    /// An Extism plugin, in Rust.
    ExtismRust,
    /// An Extism plugin, in AssemblyScript.
    ExtismAssemblyScript,
}

/// A new skill.
#[derive(Clone, Debug)]
pub struct Created {
    /// Folder of the skill.
    pub skill: PathBuf,
    /// Folder of its plugin's crate.
    pub plugin: PathBuf,
    /// The files in both, sorted.
    pub files: Vec<PathBuf>,
}

/// Writes a new skill into `skills/<name>` and its plugin into `plugins/<name>`, both below `folder`. Changes no existing
/// file; a failed attempt leaves nothing.
///
/// # Errors
///
/// [`ErrorKind::Input`] - `name` is not a valid name of a skill, or one of the two folders exists. [`ErrorKind::Host`] -
/// `folder` cannot be written to.
pub fn create(name: &str, folder: &Path) -> Result<Created> {
    create_with(NewPlugin::Component, name, folder)
}

/// Does what [`create`] does, with a plugin of the given kind.
///
/// # Errors
///
/// Those of [`create`].
pub fn create_with(kind: NewPlugin, name: &str, folder: &Path) -> Result<Created> {
    check_name(name)?;
    let skill = folder.join("skills").join(name);
    let plugin = folder.join("plugins").join(name);
    for parent in [skill.parent(), plugin.parent()].into_iter().flatten() {
        // A prepared `folder` could have a link here, to have files written elsewhere.
        if parent.is_symlink() {
            let message = format!("{} is a link", parent.display());
            return Err(Error::new(ErrorKind::Input, message).remedy(Remedy::SkillFolderLink));
        }
    }
    for target in [&skill, &plugin] {
        if target.symlink_metadata().is_ok() {
            return Err(Error::new(
                ErrorKind::Input,
                format!("{} is there already", target.display()),
            )
            .remedy(Remedy::SkillFolderTaken));
        }
    }
    fs::create_dir_all(folder).map_err(|error| unwritable(folder, error))?;
    scratch::sweep(folder);
    let scratch = Scratch::new(folder).map_err(|error| unwritable(folder, error))?;
    let work = scratch.subfolder().map_err(|error| unwritable(folder, error))?;
    let (new_skill, new_plugin) = (work.path().join("skill"), work.path().join("plugin"));
    let mut files = write_all(&new_skill, &skill, &skill_files(kind, name))?;
    files.extend(write_all(&new_plugin, &plugin, &plugin_files(kind, name))?);
    files.sort();
    place(&new_skill, &skill)?;
    place(&new_plugin, &plugin).inspect_err(|_| {
        // Moved back into the work folder, which is removed.
        let _ = fs::rename(&skill, &new_skill);
    })?;
    Ok(Created { skill, plugin, files })
}

fn check_name(name: &str) -> Result<()> {
    let shown = text::one_line(text::cut_bytes(name, 80));
    let error = |message: String| Error::new(ErrorKind::Input, message);
    let suggested = || {
        SkillMd::suggested_name(name)
            .filter(|name| is_kebab(name))
            .map_or("write a name such as `pdf-forms`".to_owned(), |name| format!("write `{name}`"))
    };
    if !is_kebab(name) || name.chars().any(|c| c.is_ascii_uppercase()) {
        return Err(error(format!("name: expected lower-case words joined by `-`, got `{shown}`"))
            .hint(suggested()));
    }
    if ToolName::new(name, FUNCTION).is_none() {
        let most = 64 - "__".len() - FUNCTION.len();
        return Err(error(format!("name: expected at most {most} characters, got {}", name.len()))
            .hint("choose a shorter name; it is part of the name of each tool"));
    }
    check_file_name(name).map_err(error)
}

fn skill_files(kind: NewPlugin, name: &str) -> Vec<(String, String)> {
    let manifest = match kind {
        NewPlugin::Component => include_str!("template/skill.yaml.txt"),
        NewPlugin::Python => include_str!("template/python/skill.yaml.txt"),
        NewPlugin::ExtismRust | NewPlugin::ExtismAssemblyScript => {
            include_str!("template/extism/skill.yaml.txt")
        }
    };
    vec![
        ("SKILL.md".into(), filled(include_str!("template/SKILL.md.txt"), name)),
        ("skill.yaml".into(), filled(manifest, name)),
    ]
}

fn plugin_files(kind: NewPlugin, name: &str) -> Vec<(String, String)> {
    let files: &[(&str, &str)] = match kind {
        NewPlugin::Component => &[
            (".gitignore", "/target\n"),
            ("Cargo.toml", include_str!("template/Cargo.toml.txt")),
            ("README.md", include_str!("template/README.md.txt")),
            ("src/lib.rs", include_str!("template/lib.rs.txt")),
        ],
        NewPlugin::Python => &[
            (".gitignore", "/bindings\n/venv\n__pycache__\n"),
            ("README.md", include_str!("template/python/README.md.txt")),
            ("app.py", include_str!("template/python/app.py.txt")),
            ("build.py", include_str!("template/python/build.py.txt")),
            ("counting.py", include_str!("template/python/counting.py.txt")),
            ("requirements.txt", include_str!("template/python/requirements.txt.txt")),
            ("test_counting.py", include_str!("template/python/test_counting.py.txt")),
        ],
        NewPlugin::ExtismRust => &[
            (".gitignore", "/target\n"),
            ("Cargo.toml", include_str!("template/extism/rust/Cargo.toml.txt")),
            ("README.md", include_str!("template/extism/rust/README.md.txt")),
            ("src/lib.rs", include_str!("template/extism/rust/lib.rs.txt")),
        ],
        NewPlugin::ExtismAssemblyScript => &[
            (".gitignore", "/node_modules\n/plugin.wasm\n"),
            ("README.md", include_str!("template/extism/assemblyscript/README.md.txt")),
            ("package.json", include_str!("template/extism/assemblyscript/package.json.txt")),
            ("src/index.ts", include_str!("template/extism/assemblyscript/index.ts.txt")),
        ],
    };
    let files = files.iter().map(|(path, text)| ((*path).to_owned(), filled(text, name)));
    let wit = match kind {
        NewPlugin::Component | NewPlugin::Python => wit_files(name),
        NewPlugin::ExtismRust | NewPlugin::ExtismAssemblyScript => Vec::new(),
    };
    files.chain(wit).collect()
}

/// Returns the world of a component, and the contract with the host.
fn wit_files(name: &str) -> Vec<(String, String)> {
    let world = filled(include_str!("template/world.wit.txt"), name);
    let contract = mitt_contract::FILES.iter();
    let contract =
        contract.map(|(file, text)| (format!("wit/deps/mitt-host/{file}"), (*text).to_owned()));
    std::iter::once(("wit/world.wit".to_owned(), world)).chain(contract).collect()
}

fn filled(template: &str, name: &str) -> String {
    template
        .replace("{{name}}", name)
        .replace("{{snake}}", &to_snake(name))
        .replace("{{mitt}}", env!("CARGO_PKG_VERSION"))
}

/// Writes files into `folder`. Returns the paths that they will have below `target`.
fn write_all(folder: &Path, target: &Path, files: &[(String, String)]) -> Result<Vec<PathBuf>> {
    let mut paths = Vec::new();
    for (path, content) in files {
        let file = folder.join(path);
        let parent = file.parent().unwrap_or(folder);
        fs::create_dir_all(parent)
            .and_then(|()| fs::write(&file, content))
            .map_err(|error| unwritable(&file, error))?;
        paths.push(target.join(path));
    }
    Ok(paths)
}

fn place(new: &Path, target: &Path) -> Result<()> {
    let parent = target.parent().unwrap_or(target);
    fs::create_dir_all(parent)
        .and_then(|()| fs::rename(new, target))
        .map_err(|error| unwritable(target, error))
}

fn unwritable(path: &Path, error: std::io::Error) -> Error {
    Error::new(ErrorKind::Host, format!("cannot write {}", path.display()))
        .remedy(Remedy::SkillFolder)
        .caused_by(error)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Manifest, Reading};

    #[test]
    fn a_new_skill_is_complete() {
        let folder = tempfile::tempdir().unwrap();
        let created = create("word-count", folder.path()).unwrap();
        assert_eq!(created.files.len(), 22);
        for file in &created.files {
            let text = fs::read_to_string(file).unwrap();
            // Placeholders in the contract are part of it.
            let is_contract = file.components().any(|part| part.as_os_str() == "mitt-host");
            assert!(is_contract || !text.contains("{{"), "{}", file.display());
        }
        let skill = SkillMd::from_folder(&created.skill, Reading::Strict).unwrap();
        assert_eq!((skill.name.as_str(), &skill.warnings[..]), ("word-count", &[][..]));
        let yaml = fs::read_to_string(created.skill.join("skill.yaml")).unwrap();
        assert_eq!(Manifest::parse(&yaml, "skill.yaml").unwrap().name, "word-count");
        let left: Vec<_> =
            fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(left.len(), 2, "{left:?}");
    }

    /// Checks each kind: no placeholder of a template is left, and the host reads the right values.
    #[test]
    fn every_kind_is_complete() {
        let kinds = [
            (NewPlugin::Component, "src/lib.rs"),
            (NewPlugin::Python, "build.py"),
            (NewPlugin::ExtismRust, "src/lib.rs"),
            (NewPlugin::ExtismAssemblyScript, "src/index.ts"),
        ];
        for (kind, source) in kinds {
            let folder = tempfile::tempdir().unwrap();
            let created = create_with(kind, "word-count", folder.path()).unwrap();
            assert!(created.plugin.join(source).is_file(), "{kind:?}");
            for file in &created.files {
                let is_contract = file.components().any(|part| part.as_os_str() == "mitt-host");
                let text = fs::read_to_string(file).unwrap();
                assert!(is_contract || !text.contains("{{"), "{}", file.display());
            }
            let yaml = fs::read_to_string(created.skill.join("skill.yaml")).unwrap();
            Manifest::parse(&yaml, "skill.yaml").unwrap();
        }
    }

    #[test]
    fn nothing_is_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let mine = folder.path().join("plugins/mine");
        fs::create_dir_all(&mine).unwrap();
        let error = create("mine", folder.path()).unwrap_err();
        assert!(error.to_string().contains("is there already"), "{error}");
        assert!(!folder.path().join("skills").exists());
        assert_eq!(fs::read_dir(&mine).unwrap().count(), 0);
    }

    #[test]
    fn names_are_checked() {
        let folder = tempfile::tempdir().unwrap();
        let long = "a".repeat(58);
        for (name, hint) in [
            ("Word Count", "write `word-count`"),
            ("word_count", "write `word-count`"),
            ("2words", "such as `pdf-forms`"),
            ("../x", "write `x`"),
            ("", "such as `pdf-forms`"),
            ("con", "use a plain name"),
            (&long, "choose a shorter name"),
        ] {
            let error = create(name, folder.path()).unwrap_err().render();
            assert!(error.contains(hint), "{name}: {error}");
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
        assert!(create(&long[..57], folder.path()).is_ok());
    }
}
