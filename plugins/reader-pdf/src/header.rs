//! Where a PDF begins in a file that has something before it.

/// How far from the start of a file it may begin; other readers look as far.
const MAX_BEFORE: usize = 1_024;

/// The same for the forms in which old systems keep a file with what belongs to it.
const MAX_WRAPPED: usize = 64 << 10;

/// The document without what stands before it: a byte order mark, head lines of a mail or a server, an AppleSingle or MacBinary head.
/// All places in a document count from its own beginning.
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
