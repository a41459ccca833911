//! Quotas of a tenant: what it may keep, and what may work for it at the same time.
//!
//! They are checked when a request begins. What a run or a script delivers in the end is kept: the next request is refused.

use super::options::Policy;
use super::shared::Shared;
use super::spec::DocumentSource;
use super::state::RunStatus;
use crate::problem::Problem;
use crate::store::{Store, StoreResult};

/// Seconds after which a client may ask whether a run has ended.
const SOON: u64 = 5;

/// Room for further bytes of a tenant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Room {
    /// Bytes that it may have; `None` for no limit.
    most: Option<u64>,
    /// Bytes that it has.
    used: u64,
}

impl Room {
    /// Checks that `more` bytes fit.
    ///
    /// # Errors
    ///
    /// 429 `quota_exceeded` - they do not.
    pub(crate) fn check(self, more: u64) -> Result<(), Problem> {
        let Some(most) = self.most.filter(|most| self.used.saturating_add(more) > *most) else {
            return Ok(());
        };
        let used = self.used;
        let detail = format!("{used} bytes are stored of {most}; {more} more do not fit");
        Err(exceeded(detail, "delete runs, files or containers, or ask the operator for more"))
    }
}

/// Returns the room for further bytes of a tenant.
///
/// # Errors
///
/// The store failed.
pub(crate) async fn room(store: &dyn Store, tenant: &str, policy: &Policy) -> StoreResult<Room> {
    let used = match policy.stored_bytes {
        Some(_) => store.stored_bytes(tenant).await?,
        None => 0,
    };
    Ok(Room { most: policy.stored_bytes, used })
}

/// Returns the bytes of documents that are in a request itself.
pub(super) fn inline_bytes(documents: &[DocumentSource]) -> u64 {
    let bytes = |source: &DocumentSource| match source {
        DocumentSource::Text { text, .. } => text.len(),
        // Three bytes are four characters.
        DocumentSource::Content { content, .. } => content.len() / 4 * 3,
        DocumentSource::File { .. } | DocumentSource::Url { .. } => 0,
    };
    documents.iter().map(bytes).sum::<usize>() as u64
}

/// Checks that a tenant may keep one more run.
///
/// # Errors
///
/// 429 `quota_exceeded` - it may not.
pub(super) async fn check_kept(
    shared: &Shared,
    tenant: &str,
    policy: &Policy,
) -> Result<(), Problem> {
    let Some(most) = policy.runs else { return Ok(()) };
    let kept = shared.options.store.count(tenant, None, most.saturating_add(1)).await?;
    if kept < most {
        return Ok(());
    }
    let detail = format!("{most} runs are kept, which is the most");
    Err(exceeded(detail, "delete runs that nobody needs any more, or ask the operator for more"))
}

/// Checks that one more run of a tenant may be queued or work.
///
/// # Errors
///
/// 429 `quota_exceeded` - none may.
pub(super) async fn check_active(
    shared: &Shared,
    tenant: &str,
    policy: &Policy,
) -> Result<(), Problem> {
    let Some(most) = policy.active_runs else { return Ok(()) };
    let mut active = 0;
    for status in [RunStatus::Queued, RunStatus::Running] {
        active += shared.options.store.count(tenant, Some(status.name()), most).await?;
    }
    if active < most {
        return Ok(());
    }
    let detail = format!("{most} runs work or are queued, which is the most");
    let hint = "wait until one has ended, or cancel one";
    Err(exceeded(detail, hint).retry_after(SOON))
}

fn exceeded(detail: String, hint: &str) -> Problem {
    Problem::new(429, "quota_exceeded", detail).hint(hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_byte_fits_and_one_more_does_not() {
        let room = Room { most: Some(10), used: 7 };
        assert_eq!(room.check(3), Ok(()));
        let problem = room.check(4).unwrap_err();
        assert_eq!((problem.status, problem.code.as_str()), (429, "quota_exceeded"));
        assert_eq!(problem.detail, "7 bytes are stored of 10; 4 more do not fit");
        assert!(problem.hint.as_ref().unwrap().contains("delete runs"));
        assert_eq!(Room { most: None, used: u64::MAX }.check(1), Ok(()));
        assert!(Room { most: Some(u64::MAX - 1), used: u64::MAX }.check(0).is_err());
    }

    #[test]
    fn documents_of_the_request_count() {
        let documents = [
            DocumentSource::Text { name: "a".into(), text: "12345".into() },
            DocumentSource::Content { name: "b".into(), content: "AAAAAAAA".into() },
            DocumentSource::File { file: "file-a".into(), name: None },
        ];
        assert_eq!(inline_bytes(&documents), 5 + 6);
    }
}
