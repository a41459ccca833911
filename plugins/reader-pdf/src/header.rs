//! Finds where a PDF begins in a file that has something before it.

/// How far from the start of a file the PDF may begin. Other readers have the same limit.
const MAX_BEFORE: usize = 1_024;

/// How far the PDF may begin in an AppleSingle or MacBinary file. Their heads may be larger.
const MAX_WRAPPED: usize = 64 << 10;

/// Returns the document without what stands before it: a byte order mark, the head of a mail or of a server, an
/// AppleSingle or MacBinary head. All offsets in a document count from its own beginning.
pub(crate) fn without_rest(file: &[u8]) -> &[u8] {
    const MARK: &[u8] = b"%PDF-";
    if file.starts_with(MARK) {
        return file;
    }
    let is_wrapped = file.starts_with(&[0, 5, 22, 0]) || file.starts_with(&[0, 5, 22, 7]);
    let reach = if is_wrapped { MAX_WRAPPED } else { MAX_BEFORE };
    let head = file.get(..file.len().min(reach + MARK.len())).unwrap_or_default();
    let start = head.windows(MARK.len()).position(|window| window == MARK);
    start.and_then(|start| file.get(start..)).unwrap_or(file)
}
