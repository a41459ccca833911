//! Pictures of a Markdown file: only plain files in its folder or below.

use std::io::ErrorKind as IoErrorKind;
use std::path::Path;
use std::sync::Arc;

use mitt::render::{Doc, Pictures, local_names};
use mitt_base::plain_file;

/// Collects the pictures that `doc` names, from the folder of `source`. A picture that is missing or must not be read is
/// reported at its place.
pub(super) fn pictures(doc: &Doc, source: &Path, are_wanted: bool) -> Pictures {
    Pictures::collect(doc, |name, most| {
        if !are_wanted {
            return Err("pictures are switched off by `--no-images`".to_owned());
        }
        let names = local_names(name)?;
        beside(source, &names, most)
    })
}

/// Reads a file that a value of a template names, from the folder of `source`. The error is the reason why there is none.
pub(super) fn file(name: &str, source: &Path, most: u64) -> Result<Arc<[u8]>, String> {
    beside(source, &local_names(name)?, most)
}

fn beside(source: &Path, names: &[String], most: u64) -> Result<Arc<[u8]>, String> {
    if source == Path::new("-") {
        return Err("a text from standard input has no folder to read it from".to_owned());
    }
    let folder = match source.parent() {
        Some(folder) if folder != Path::new("") => folder,
        _ => Path::new("."),
    };
    read(folder, names, most)
}

/// Reads the first of several files that exists.
fn read(folder: &Path, names: &[String], most: u64) -> Result<Arc<[u8]>, String> {
    let mut reason = String::new();
    for name in names {
        let content = plain_file::open_beneath(folder, Path::new(name))
            .and_then(|file| plain_file::content(file, most));
        match content {
            Ok(content) if content.len() as u64 > most => {
                reason = format!("expected a file of at most {most} bytes, got more");
            }
            Ok(content) => return Ok(content.into()),
            Err(error) => {
                let why = match error.kind() {
                    IoErrorKind::NotFound => "there is no such file in the document's folder",
                    IoErrorKind::PermissionDenied => "it may not be read",
                    IoErrorKind::InvalidInput => "it is no plain file",
                    _ if is_link(folder, name) => "it is a link, or behind one",
                    _ => "it cannot be read",
                };
                // The reason for the literal name is clearer than that for an alternative reading.
                if reason.is_empty() {
                    reason = why.to_owned();
                }
            }
        }
    }
    Err(reason)
}

/// Returns `true` if a part of a path is a link. Only for the message: the file was not read.
fn is_link(folder: &Path, name: &str) -> bool {
    let mut path = folder.to_owned();
    Path::new(name).components().any(|part| {
        path.push(part);
        path.symlink_metadata().is_ok_and(|it| it.is_symlink())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what is reported for each picture.
    fn reports_of(folder: &Path, source: &str, text: &str, are_wanted: bool) -> Vec<String> {
        let doc = mitt::render::markdown(text).unwrap();
        let pictures = pictures(&doc, &folder.join(source), are_wanted);
        let reports = pictures.iter().map(|(name, file)| match file {
            Ok(file) => format!("{name}: {}", String::from_utf8_lossy(file)),
            Err(reason) => format!("{name}: {reason}"),
        });
        reports.collect()
    }

    #[test]
    fn files_beside_the_document_and_nothing_else() {
        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("docs");
        std::fs::create_dir_all(folder.join("图")).unwrap();
        std::fs::create_dir(folder.join("d.png")).unwrap();
        for (name, content) in
            [("docs/a b.png", "one"), ("docs/图/b.png", "two"), ("out.png", "secret")]
        {
            std::fs::write(root.path().join(name), content).unwrap();
        }
        let text = "![](<a b.png>) ![](a%20b.png) ![](./图/b.png) ![](none.png) ![](../out.png) ![](/etc/passwd) ![](http://a.test/x.png) ![](d.png) ![](data:image/png;base64,AA)";
        let mut expected = vec![
            "../out.png: it leads out of the document's folder",
            "./图/b.png: two",
            "/etc/passwd: expected a path from the document's folder, got one from a root",
            "a b.png: one",
            "a%20b.png: one",
            "d.png: it is no plain file",
            "http://a.test/x.png: pictures of the web are not fetched",
            "none.png: there is no such file in the document's folder",
        ];
        assert_eq!(reports_of(&folder, "r.md", text, true), expected);
        expected.clear();
        let off = reports_of(&folder, "r.md", text, false);
        assert!(off.iter().all(|it| it.ends_with("switched off by `--no-images`")), "{off:?}");
        let doc = mitt::render::markdown("![](<a b.png>)").unwrap();
        let piped = pictures(&doc, Path::new("-"), true);
        assert!(piped.iter().all(|(_, it)| it.unwrap_err().contains("standard input")));
    }

    #[cfg(unix)]
    #[test]
    fn no_link_is_followed() {
        use std::os::unix::fs::symlink;

        let root = tempfile::tempdir().unwrap();
        let folder = root.path().join("docs");
        std::fs::create_dir_all(root.path().join("outside")).unwrap();
        std::fs::create_dir(&folder).unwrap();
        std::fs::write(root.path().join("outside/a.png"), "secret").unwrap();
        symlink(root.path().join("outside/a.png"), folder.join("file.png")).unwrap();
        symlink(root.path().join("outside"), folder.join("dir")).unwrap();
        for of in reports_of(&folder, "r.md", "![](file.png) ![](dir/a.png)", true) {
            assert!(of.ends_with("it is a link, or behind one"), "{of}");
        }
    }

    #[test]
    fn large_files_are_not_read_whole() {
        let root = tempfile::tempdir().unwrap();
        let file = std::fs::File::create(root.path().join("a.png")).unwrap();
        file.set_len(mitt::render::MAX_PICTURE_BYTES + 1).unwrap();
        let reports = reports_of(root.path(), "r.md", "![](a.png)", true);
        assert_eq!(reports, ["a.png: expected a file of at most 20971520 bytes, got more"]);
    }
}
