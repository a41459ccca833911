//! Splits lists into pages.

use rmcp::ErrorData;
use rmcp::model::PaginatedRequestParams;

/// Entries on one page. Large, because some clients read only the first page.
const PAGE: usize = 1_000;

/// Returns the page of `list` at the cursor, and the cursor of the next page.
pub(super) fn page<T: Clone>(
    list: &[T],
    request: Option<PaginatedRequestParams>,
) -> Result<(Vec<T>, Option<String>), ErrorData> {
    let cursor = request.and_then(|request| request.cursor);
    let start = match cursor.as_deref().map(str::parse::<usize>) {
        None => 0,
        Some(Ok(start)) if start > 0 && start < list.len() => start,
        // The list may have become shorter since.
        Some(_) => {
            return Err(ErrorData::invalid_params(
                "the cursor is none of this list; list anew from the beginning",
                None,
            ));
        }
    };
    let end = list.len().min(start + PAGE);
    Ok((list[start..end].to_vec(), (end < list.len()).then(|| end.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages() {
        let list: Vec<usize> = (0..2_500).collect();
        let mut got = Vec::new();
        let mut cursor = None;
        loop {
            let mut request = PaginatedRequestParams::default();
            request.cursor = cursor;
            let (part, next) = page(&list, Some(request)).unwrap();
            assert!(part.len() <= PAGE);
            got.extend(part);
            cursor = next;
            if cursor.is_none() {
                break;
            }
        }
        assert_eq!(got, list);
        for wrong in ["0", "2500", "x", "-1", ""] {
            let mut request = PaginatedRequestParams::default();
            request.cursor = Some(wrong.into());
            assert!(page(&list, Some(request)).is_err(), "{wrong}");
        }
    }
}
