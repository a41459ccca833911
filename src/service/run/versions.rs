//! Versions of delivered files. A later file of the same name replaces an earlier one in the state of a run. The run still
//! owns the content of the earlier one, so the store has it until the run is deleted.

use super::entry::Entry;
use super::state::RunFile;
use crate::problem::Problem;

/// Most versions of a file that are listed, with the last one.
const MAX_VERSIONS: usize = 20;

/// Most earlier versions of all files together. They are in the record of the run, which is written again and again.
const MAX_EARLIER: usize = 500;

/// Enters a delivered file. One of the same name becomes an earlier version.
pub(super) fn deliver(entry: &mut Entry, file: RunFile) {
    let Some(last) = entry.state.files.iter_mut().find(|it| it.name == file.name) else {
        return entry.state.files.push(file);
    };
    let before = std::mem::replace(last, file);
    let earlier = &mut entry.work.versions;
    // Each content is listed once, with its last time.
    earlier.retain(|it| {
        it.name != before.name || (it.sha256 != before.sha256 && it.sha256 != last.sha256)
    });
    if before.sha256 != last.sha256 {
        earlier.push(before);
    }
    if earlier.iter().filter(|it| it.name == last.name).count() >= MAX_VERSIONS
        && let Some(oldest) = earlier.iter().position(|it| it.name == last.name)
    {
        earlier.remove(oldest);
    }
    if earlier.len() > MAX_EARLIER {
        earlier.remove(0);
    }
}

/// Returns a delivered file: the last version, or the one with this SHA-256.
///
/// # Errors
///
/// 404 - the run has no such file, or the file has no such version.
pub(super) fn found(entry: &Entry, name: &str, version: Option<&str>) -> Result<RunFile, Problem> {
    let last = entry.state.files.iter().find(|file| file.name == name);
    let last = last.ok_or_else(|| Problem::not_found("file", name))?;
    let Some(version) = version.filter(|version| *version != last.sha256) else {
        return Ok(last.clone());
    };
    let mut earlier = entry.work.versions.iter().filter(|file| file.name == name);
    let found = earlier.find(|file| file.sha256 == version).cloned();
    found.ok_or_else(|| Problem::not_found("version", version))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::run::entry::Work;

    fn entry() -> Entry {
        let state = json!({
            "id": "run_1", "status": "running", "title": "t", "model": "m", "created_ms": 1, "updated_ms": 2,
            "documents": [], "files": [], "usage": {}, "options": {},
        });
        Entry::new("acme", serde_json::from_value(state).unwrap(), Work::default())
    }

    fn file(name: &str, content: usize) -> RunFile {
        RunFile {
            name: name.to_owned(),
            media_type: "text/csv".to_owned(),
            sha256: content.to_string(),
            size: 1,
            pages: None,
            url: None,
        }
    }

    fn earlier(entry: &Entry) -> Vec<String> {
        entry.work.versions.iter().map(|it| format!("{} {}", it.name, it.sha256)).collect()
    }

    #[test]
    fn a_file_that_is_replaced_stays_as_a_version() {
        let mut entry = entry();
        for (name, content) in [("a", 1), ("b", 1), ("a", 2), ("a", 2), ("a", 3), ("a", 1)] {
            deliver(&mut entry, file(name, content));
        }
        assert_eq!(earlier(&entry), ["a 2", "a 3"]);
        let names: Vec<&str> = entry.state.files.iter().map(|it| it.name.as_str()).collect();
        assert_eq!(names, ["a", "b"]);
        for (name, version, expected) in
            [("a", None, Some("1")), ("a", Some("1"), Some("1")), ("a", Some("2"), Some("2"))]
        {
            let found = found(&entry, name, version).ok().map(|it| it.sha256);
            assert_eq!(found.as_deref(), expected);
        }
        for (name, version, detail) in [
            ("c", None, "there is no file `c`"),
            ("a", Some("9"), "there is no version `9`"),
            ("b", Some("2"), "there is no version `2`"),
        ] {
            let problem = found(&entry, name, version).unwrap_err();
            assert_eq!((problem.status, problem.detail.as_str()), (404, detail));
        }
    }

    #[test]
    fn the_number_of_versions_is_bounded() {
        let mut entry = entry();
        for content in 0..100 {
            deliver(&mut entry, file("a", content));
        }
        assert_eq!(earlier(&entry).len(), MAX_VERSIONS - 1);
        assert_eq!(earlier(&entry)[0], "a 80");
        for name in 0..1_000 {
            deliver(&mut entry, file(&format!("n{name}"), 1));
            deliver(&mut entry, file(&format!("n{name}"), 2));
        }
        assert_eq!(earlier(&entry).len(), MAX_EARLIER);
    }
}
