//! Reads how a workbook looks, for people who look at it: cells with the texts that a spreadsheet displays, formats, merged
//! cells, charts. Tables for tools come from `read` instead.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::sniff::{self, FileType};
use super::{Readers, failed};
use mitt_base::{InputProblem, Result};
use mitt_engine::Usage;
use mitt_skill::{
    ReaderInternal as _, RegistryInternal as _,
    capability::{Parts, ReaderContent, ReaderFile},
};
use mitt_types::{WorkbookView, WorkbookViewInternal as _};

/// Type under which the reader of workbooks is asked for their looks.
const VIEW: &str = "xlsx.view";

/// Returns whether a file is a workbook of a kind whose looks are read.
pub fn has_view(name: &str, bytes: &[u8]) -> bool {
    matches!(sniff::sniff(name, bytes).0, FileType::Xlsx | FileType::Xlsm)
}

/// Reads the looks of a workbook. Returns `None` if no skill reads workbooks, or the one that does knows tables alone.
///
/// # Errors
///
/// [`ErrorKind::Input`](mitt_base::ErrorKind::Input) - the file is damaged. [`ErrorKind::Limit`](mitt_base::ErrorKind::Limit),
/// [`ErrorKind::Trap`](mitt_base::ErrorKind::Trap) - the reader reached a limit or crashed at this file.
pub async fn read_view(
    readers: &Readers<'_>,
    name: &str,
    bytes: Arc<[u8]>,
) -> Result<Option<(WorkbookView, Usage)>> {
    let extension = FileType::Xlsx.extension();
    let Some(reader) =
        readers.registry.reader_with_progress(extension, readers.on_compiling).await?
    else {
        return Ok(None);
    };
    let with = readers.with(&reader, bytes.len());
    let file = ReaderFile { name, extension: VIEW, password: None };
    let output = reader.prepared().read(bytes, file, &with).await;
    let content = match output.result? {
        Ok(content) => content,
        Err(failure) if failure.outcome == Some(InputProblem::UnsupportedType) => return Ok(None),
        Err(failure) => return Err(failed(failure, false)),
    };
    let ReaderContent { markdown, parts, warnings, working, .. } = content;
    let Parts { files, charge } = parts;
    // A reader that knows no looks may return something else.
    let mut blocks = BTreeMap::new();
    for (name, bytes) in files {
        let (Some(key), Ok(rows)) = (key_of(&name), String::from_utf8(bytes)) else {
            return Ok(None);
        };
        blocks.insert(key, rows);
    }
    if !markdown.starts_with('{') {
        return Ok(None);
    }
    drop(working);
    let view = WorkbookView::new((markdown, blocks, warnings), charge)?;
    Ok(Some((view, output.usage)))
}

/// Returns sheet and block of a part: `0/3`.
fn key_of(name: &str) -> Option<(usize, usize)> {
    let (sheet, block) = name.split_once('/')?;
    Some((sheet.parse().ok()?, block.parse().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_sheet_and_block() {
        assert_eq!(key_of("0/3"), Some((0, 3)));
        for name in ["", "0", "0/", "/1", "a/1", "0/1/2", "-1/0"] {
            assert_eq!(key_of(name), None, "{name}");
        }
    }

    #[test]
    fn only_workbooks_have_looks() {
        for name in ["a.xlsx", "a.csv", "a"] {
            assert!(!has_view(name, b"a,b\n1,2\n"), "{name}");
        }
    }
}
