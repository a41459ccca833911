//! `mitt fonts`: which writing systems the fonts have that are there, and what to install for the others.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use serde_json::{Value, json};

use super::{FontSearch, OPTION, files_of, user_fonts, whole};
use crate::args::Global;
use crate::output::{Output, note};
use mitt::render::{FontChoice, WRITING_SYSTEMS, WritingSystem};
use mitt_base::{Result, text};

/// Where a font for a writing system is.
enum From {
    Bundled,
    /// By an option of the command, or in the user's folder: it is used.
    Used(PathBuf, String),
    /// In a folder of the system, where nothing looks by itself.
    System(PathBuf, String),
    Nowhere,
}

/// Print a line for each writing system.
pub(super) fn list(global: &Global, output: &Output) -> Result<ExitCode> {
    let folder = user_fonts::folder();
    let mut files = global.fonts.clone();
    files.extend(files_of(&global.font_folders, OPTION)?);
    files.extend(user_fonts::files(folder.as_deref()));
    let system = system_folders();
    let found = look(files, &system);
    let shown = folder.as_ref().map(|folder| folder.display().to_string());
    if output.is_json() {
        let systems: Vec<Value> = found.iter().map(as_json).collect();
        output.value(&json!({ "writing_systems": systems, "folder": shown }))?;
        return Ok(ExitCode::SUCCESS);
    }
    let width = WRITING_SYSTEMS.iter().map(|it| it.name.len()).max().unwrap_or(0);
    for (system, from) in &found {
        let line = match from {
            From::Bundled => "bundled".to_owned(),
            From::Used(path, family) => format!("{family}, {}", plain(path)),
            From::System(path, family) => {
                format!("not used, but on this machine: {family}, {}", plain(path))
            }
            From::Nowhere => format!("missing; {}", to_install(system)),
        };
        output.line(&format!("{:width$}  {line}", system.name))?;
    }
    if output.is_quiet() {
        return Ok(ExitCode::SUCCESS);
    }
    let mut roots: Vec<&PathBuf> = Vec::new();
    for (_, from) in &found {
        if let From::System(path, _) = from
            && let Some(root) = system.iter().find(|root| path.starts_with(root))
            && !roots.contains(&root)
        {
            roots.push(root);
        }
    }
    for root in roots {
        note(&format!(
            "`mitt fonts add {0}` copies what is missing into your folder of fonts; `--font-folder {0}` uses it once",
            plain(root)
        ));
    }
    if found.iter().any(|(_, from)| matches!(from, From::Nowhere)) {
        note(
            "where something is missing: install a package, or unpack fonts anywhere, then `mitt fonts add <folder or archive>`",
        );
    }
    if let Some(shown) = shown {
        note(&format!("your folder of fonts: {}", text::one_line(&shown)));
    }
    Ok(ExitCode::SUCCESS)
}

fn plain(path: &Path) -> String {
    text::one_line(&path.display().to_string())
}

/// Where a font for each writing system is. The folders of the system are looked at only if something is missing.
fn look(files: Vec<PathBuf>, system: &[PathBuf]) -> Vec<(WritingSystem, From)> {
    let used = FontFiles::at(files);
    let mut rest = None;
    let mut found = Vec::new();
    for writing in WRITING_SYSTEMS {
        let from = if FontChoice::is_bundled(writing.letters) {
            From::Bundled
        } else if let Some((path, family)) = used.first_with(writing.letters) {
            From::Used(path, family)
        } else {
            let rest = rest.get_or_insert_with(|| FontFiles::at(system_files(system)));
            match rest.best_with(writing.letters) {
                Some((path, family)) => From::System(path, family),
                None => From::Nowhere,
            }
        };
        found.push((writing, from));
    }
    found
}

/// Files, and what is in them.
struct FontFiles {
    files: Vec<PathBuf>,
    choice: FontChoice,
}

impl FontFiles {
    fn at(files: Vec<PathBuf>) -> FontFiles {
        let mut choice = FontChoice::default();
        for file in &files {
            choice.look_at(whole(file));
        }
        FontFiles { files, choice }
    }

    fn first_with(&self, letters: &str) -> Option<(PathBuf, String)> {
        self.file_and_family(self.choice.first_with(letters)?)
    }

    fn best_with(&self, letters: &str) -> Option<(PathBuf, String)> {
        self.file_and_family(self.choice.best_with(letters).first().copied()?)
    }

    fn file_and_family(&self, index: usize) -> Option<(PathBuf, String)> {
        let family = self.choice.family(index).unwrap_or_default();
        Some((self.files.get(index)?.clone(), text::one_line(family)))
    }
}

/// Font files of the system's folders. What cannot be read there is nobody's mistake; what is beyond the bounds is not looked at.
fn system_files(folders: &[PathBuf]) -> Vec<PathBuf> {
    let mut search = FontSearch::default();
    for folder in folders {
        let _ = search.walk(folder, folder, 0);
    }
    search.files.sort();
    search.files.dedup();
    search.files
}

/// Where systems keep fonts.
fn system_folders() -> Vec<PathBuf> {
    let mut folders: Vec<PathBuf> = [
        "/usr/share/fonts",
        "/usr/local/share/fonts",
        "/System/Library/Fonts",
        "/Library/Fonts",
        "C:\\Windows\\Fonts",
    ]
    .into_iter()
    .map(PathBuf::from)
    .collect();
    folders.extend(dirs::font_dir());
    folders.retain(|folder| folder.is_dir());
    folders.dedup();
    folders
}

/// What to install for a writing system.
fn to_install(system: &WritingSystem) -> String {
    format!(
        "Debian {}, Fedora {}, Homebrew {}, Windows C:\\Windows\\Fonts\\{}",
        system.debian,
        system.fedora_package(),
        system.homebrew,
        system.windows
    )
}

fn as_json((system, from): &(WritingSystem, From)) -> Value {
    let (from, at) = match from {
        From::Bundled => ("bundled", None),
        From::Used(path, family) => ("used", Some((path, family))),
        From::System(path, family) => ("system", Some((path, family))),
        From::Nowhere => ("nowhere", None),
    };
    json!({
        "name": system.name, "from": from,
        "file": at.map(|(path, _)| path.display().to_string()), "family": at.map(|(_, family)| family),
        "install": {
            "debian": system.debian, "fedora": system.fedora_package(), "homebrew": system.homebrew,
            "windows": format!("C:\\Windows\\Fonts\\{}", system.windows), "npm": system.npm,
        },
    })
}

#[cfg(test)]
#[cfg(feature = "pdf")]
mod tests {
    use super::*;

    #[test]
    fn every_writing_system_has_a_place_or_a_package() {
        let found = look(Vec::new(), &[]);
        assert_eq!(found.len(), WRITING_SYSTEMS.len());
        let bundled: Vec<_> = found
            .iter()
            .filter(|(_, from)| matches!(from, From::Bundled))
            .map(|(system, _)| system.name)
            .collect();
        let first = ["Latin", "Greek", "Cyrillic", "Han", "Hiragana", "Katakana"];
        assert!(bundled.starts_with(&first), "{bundled:?}");
        let thai = found.iter().find(|(system, _)| system.name == "Thai").unwrap();
        assert!(matches!(thai.1, From::Nowhere));
        assert_eq!(
            to_install(&thai.0),
            "Debian fonts-noto-core, Fedora google-noto-sans-thai-fonts, Homebrew font-noto-sans-thai, Windows C:\\Windows\\Fonts\\LeelawUI.ttf"
        );
        // A font of the system is not used, one that is named is.
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.ttf");
        std::fs::write(&file, super::super::add::tests::font("Ab", "กขคงจชนมรสิ่")).unwrap();
        let of = |found: Vec<(WritingSystem, From)>| {
            found.into_iter().find(|(system, _)| system.name == "Thai").unwrap().1
        };
        let used = of(look(vec![file.clone()], &[]));
        assert!(matches!(used, From::Used(path, family) if path == file && family == "Ab"));
        let system = of(look(Vec::new(), &[folder.path().to_owned()]));
        assert!(matches!(system, From::System(path, _) if path == file));
    }
}
