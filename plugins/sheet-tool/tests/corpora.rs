//! Workbooks of other projects, if they are beside this one: reading and saving keeps their bytes, and an edit of a cell keeps
//! those of all parts that have nothing to do with it.

#[path = "../../reader-kit/tests/support/corpora.rs"]
mod others;

use mitt_package::Zip;
use others::{corpora, files};
use sheet_tool::{Edit, EditOptions, Input, SetCell, apply, overview};

/// Returns `true` if a part may change with a cell: sheets, the workbook with its relations, the order of calculation, and charts
/// and caches of pivot tables over it.
fn may_change(name: &str, content: &[u8]) -> bool {
    let name = name.to_lowercase();
    let parts =
        ["/charts/", "/pivotcache/", "calcchain", "[content_types].xml", "workbook.xml.rels"];
    let text = String::from_utf8_lossy(content);
    let has_root =
        |root: &str| text.contains(&format!("<{root}")) || text.contains(&format!(":{root}"));
    parts.iter().any(|it| name.contains(it)) || has_root("worksheet") || has_root("workbook")
}

#[test]
fn foreign_workbooks_keep_their_bytes() {
    let Some(folder) = corpora() else { return };
    let mut paths = Vec::new();
    files(&folder, &mut paths);
    let (mut same, mut edited, mut refused) = (0, 0, 0);
    for path in paths {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if !name.ends_with(".xlsx") {
            continue;
        }
        let bytes = std::fs::read(&path).unwrap();
        let options = EditOptions::default();
        let Ok(done) = apply(bytes.clone(), &[], &[], &options) else {
            refused += 1;
            println!("refused: {name}");
            continue;
        };
        assert!(done.bytes == bytes, "{name}");
        same += 1;
        let Ok(found) = overview(bytes.clone(), None) else { continue };
        let Some(sheet) = found.sheets.first() else { continue };
        let at = format!("'{}'!XFC1048000", sheet.name.replace('\'', "''"));
        let cell = SetCell { at, value: Input::Number("7".to_owned()) };
        let Ok(done) = apply(bytes.clone(), &[], &[Edit::SetCells(vec![cell])], &options) else {
            continue;
        };
        let (before, after) = (Zip::open(bytes).unwrap(), Zip::open(done.bytes).unwrap());
        for part in before.names() {
            let content = before.read(part).unwrap().unwrap_or_default();
            let is_same = after.read(part).unwrap().is_some_and(|it| it == content);
            assert!(is_same || may_change(part, &content), "{name}: {part}");
        }
        let new = after.names().find(|it| !before.has(it));
        assert_eq!(new, None, "{name}");
        edited += 1;
    }
    println!("same {same}, edited {edited}, refused {refused}");
    assert!(same >= 300 && edited >= 280, "same {same}, edited {edited}, refused {refused}");
}
