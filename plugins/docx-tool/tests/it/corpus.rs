//! Files of others, from the corpora beside the project. Skipped with a note where they are absent.

use super::*;
use std::path::{Path, PathBuf};

fn files(folder: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, out);
        } else if path.extension().is_some_and(|it| it == "docx") {
            out.push(path);
        }
    }
}

#[test]
fn foreign_files_keep_what_is_not_edited() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    if paths.is_empty() {
        eprintln!("skipped: no corpora beside the project");
        return;
    }
    paths.sort();
    let (mut read_files, mut edited_files) = (0, 0);
    for path in paths {
        let bytes = std::fs::read(&path).unwrap();
        let Ok(document) = Document::open(bytes.clone()) else { continue };
        assert!(document.is_lossless(), "{}", path.display());
        assert_eq!(document.save().unwrap(), bytes, "{}", path.display());
        read_files += 1;
        let found = structure(&bytes, View::Accepted);
        let longest = found
            .paragraphs
            .iter()
            .filter(|it| it.anchor.starts_with('p'))
            .max_by_key(|it| it.text.len());
        let Some(place) = longest.filter(|it| !it.text.is_empty()) else { continue };
        let edits = [Edit::ReplaceText {
            at: place.anchor.clone(),
            find: place.text.chars().take(3).collect(),
            replacement: "Qwertz".to_owned(),
            occurrence: Some(1),
        }];
        let Ok(edited) = tracked(&bytes, &edits) else { continue };
        let (before, after) = (unzip(&bytes), unzip(&edited.bytes));
        assert!(before.keys().eq(after.keys()), "{}", path.display());
        let changed = before.iter().filter(|(name, (raw, _))| after[*name].0 != *raw).count();
        assert_eq!(changed, 1, "{}", path.display());
        if found.changes == 0 {
            assert_eq!(
                texts(&rejected(&edited.bytes), View::Accepted),
                texts(&bytes, View::Accepted),
                "{}",
                path.display()
            );
        }
        edited_files += 1;
    }
    assert!(read_files > 150 && edited_files > 120, "{read_files} {edited_files}");
}

#[test]
fn foreign_files_are_read_and_converted_as_markdown() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared/corpora");
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let mut count = 0;
    for path in &paths {
        let bytes = std::fs::read(path).unwrap();
        let Ok(mut document) = Document::open(bytes.clone()) else { continue };
        let listed = document.fields();
        assert!(listed.iter().all(|it| it.kind.len() < 300), "{}", path.display());
        for view in [View::Original, View::Accepted, View::Marks] {
            let options = docx_tool::MarkdownOptions { view, from: 0, limit: 2_000 };
            let page = docx_tool::read_markdown(&mut document, &options).unwrap();
            assert!(page.losses.len() <= 100, "{}", path.display());
        }
        for view in [View::Original, View::Accepted] {
            match docx_tool::convert(bytes.clone(), view, true) {
                Ok(found) => {
                    assert!(found.warnings.len() <= 100, "{}", path.display());
                    count += 1;
                }
                Err(error) => {
                    assert!(error.to_string().contains("no text"), "{}: {error}", path.display());
                }
            }
        }
    }
    assert!(paths.is_empty() || count > 250, "{count}");
}
