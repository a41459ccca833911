//! Reads and stores files whose content is in memory. The caller bounds and charges the content.

use super::{Blob, Store, StoreResult};

/// Bytes that are read at once.
const PIECE_BYTES: usize = 1024 * 1024;

/// Returns the content of a stored file.
///
/// # Errors
///
/// [`StoreError::Missing`](super::StoreError::Missing) - the tenant has no such file. The store failed.
pub(crate) async fn read_whole(
    store: &dyn Store,
    tenant: &str,
    sha256: &str,
) -> StoreResult<Vec<u8>> {
    let reader = store.blob(tenant, sha256).await?;
    let mut content = Vec::with_capacity(usize::try_from(reader.size()).unwrap_or_default());
    loop {
        let piece = reader.read(content.len() as u64, PIECE_BYTES).await?;
        if piece.is_empty() {
            return Ok(content);
        }
        content.extend_from_slice(&piece);
    }
}

/// Stores `content` as a file, which `owner` keeps.
///
/// # Errors
///
/// The store failed.
pub(crate) async fn write_whole(
    store: &dyn Store,
    tenant: &str,
    content: &[u8],
    owner: &str,
) -> StoreResult<Blob> {
    let mut writer = store.blob_writer(tenant).await?;
    writer.write(content).await?;
    writer.finish(owner).await
}
