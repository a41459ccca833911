//! What every [`Store`](super::Store) promises, as tests. A store runs all of them by `store_contract!`.

mod content;
mod runs;
mod streams;

use std::time::Duration;

use serde_json::{Map, json};

pub(crate) use content::*;
pub(crate) use runs::*;
pub(crate) use streams::*;

use super::{Record, RunKey, Store, StoreError, Submitted};

/// An empty store under test, and its clock.
pub(crate) trait Subject: Send + Sync {
    /// Returns the store.
    fn store(&self) -> &dyn Store;

    /// Puts the clock of the store forward.
    fn advance(&self, time: Duration);
}

/// Makes a test of each function of the contract. `$subject` is an expression that gives an empty [`Subject`].
macro_rules! store_contract {
    ($subject:expr) => {
        $crate::store::contract::store_contract! { @tests $subject;
            a_run_is_returned_as_it_was_submitted,
            a_request_with_the_same_key_is_done_once,
            a_key_is_free_again_after_a_day_or_with_its_run,
            a_changed_record_must_have_the_stored_version,
            a_record_that_is_too_large_is_refused,
            lists_are_in_pages_and_by_status,
            runs_are_counted_by_status,
            a_key_leads_to_its_run_without_a_new_one,
            two_workers_never_have_the_same_run,
            many_workers_share_many_runs,
            the_oldest_run_is_claimed_first,
            tenants_take_turns_however_many_runs_one_has,
            an_expired_lease_goes_to_another_worker,
            only_queued_and_running_runs_are_claimed,
            work_is_announced,
            records_are_numbered_and_expected,
            streams_are_separate,
            concurrent_appends_get_different_numbers,
            reads_are_bounded,
            records_that_cannot_be_kept_are_refused,
            a_watcher_sees_each_record,
            a_watcher_learns_of_a_deletion,
            a_deleted_run_is_gone_for_good,
            another_tenant_has_no_such_run,
            a_file_is_returned_as_it_was_written,
            a_file_is_read_in_parts,
            a_file_lives_as_long_as_an_owner,
            files_of_a_run_go_with_it,
            stored_bytes_are_counted_once_for_each_tenant,
            an_unfinished_file_leaves_nothing,
            a_file_can_arrive_in_several_requests,
            a_partial_file_ends_with_its_deletion_or_its_life,
            files_belong_to_a_tenant,
            a_document_has_versions,
            a_document_ends_with_its_life,
            documents_are_in_pages,
            documents_belong_to_a_tenant_and_a_table,
            a_document_that_is_too_large_is_refused,
        }
    };
    // What concerns stored files, for their other places.
    (@files $subject:expr) => {
        $crate::store::contract::store_contract! { @tests $subject;
            a_file_is_returned_as_it_was_written,
            a_file_is_read_in_parts,
            a_file_lives_as_long_as_an_owner,
            files_of_a_run_go_with_it,
            stored_bytes_are_counted_once_for_each_tenant,
            an_unfinished_file_leaves_nothing,
            a_file_can_arrive_in_several_requests,
            a_partial_file_ends_with_its_deletion_or_its_life,
            files_belong_to_a_tenant,
        }
    };
    // What concerns stores of several processes.
    (@processes $subject:expr) => {
        $crate::store::contract::store_contract! { @tests $subject;
            a_run_goes_on_at_the_worker_that_had_it,
            a_worker_waits_for_a_run_that_is_left_to_another,
        }
    };
    (@tests $subject:expr; $($name:ident,)*) => {
        $(
            #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
            async fn $name() {
                $crate::store::contract::$name(&$subject).await;
            }
        )*
    };
}

pub(crate) use store_contract;

/// Returns a queued run.
pub(crate) fn record(tenant: &str, id: &str, created_ms: u64) -> Record {
    Record {
        tenant: tenant.to_owned(),
        id: id.to_owned(),
        version: 0,
        created_ms,
        status: "queued".to_owned(),
        owner: None,
        lease_until_ms: 0,
        body: Map::from_iter([("title".to_owned(), json!("月报")), ("n".to_owned(), json!(0.1))]),
    }
}

/// Returns the key of a run.
pub(crate) fn key(tenant: &str, id: &str) -> RunKey {
    RunKey { tenant: tenant.to_owned(), id: id.to_owned() }
}

/// Stores a queued run.
pub(crate) async fn submitted(store: &dyn Store, tenant: &str, id: &str, created: u64) -> Record {
    match store.submit(record(tenant, id, created), None).await.unwrap() {
        Submitted::New(record) => record,
        Submitted::Known(record) => panic!("known: {record:?}"),
    }
}

/// Stores a file.
pub(crate) async fn stored(store: &dyn Store, tenant: &str, content: &[u8], owner: &str) -> String {
    let mut writer = store.blob_writer(tenant).await.unwrap();
    writer.write(content).await.unwrap();
    let blob = writer.finish(owner).await.unwrap();
    assert_eq!(blob.size, content.len() as u64);
    assert_eq!(blob.sha256, mitt_base::digest::sha256(content));
    blob.sha256
}

/// Asserts that something is missing.
#[track_caller]
pub(crate) fn assert_missing<T>(result: Result<T, StoreError>) {
    match result {
        Err(StoreError::Missing) => {}
        Err(error) => panic!("expected nothing, got {error:?}"),
        Ok(_) => panic!("expected nothing, got a result"),
    }
}

/// Asserts that somebody else wrote first.
#[track_caller]
pub(crate) fn assert_conflict<T>(result: Result<T, StoreError>, last: u64) {
    match result {
        Err(StoreError::Conflict(found)) => assert_eq!(found, last),
        Err(error) => panic!("expected a conflict, got {error:?}"),
        Ok(_) => panic!("expected a conflict, got a result"),
    }
}

/// Asserts that a limit was reached, which the message names.
#[track_caller]
pub(crate) fn assert_refused<T>(result: Result<T, StoreError>, message: &str) {
    match result {
        Err(StoreError::Failed(error)) => {
            assert!(error.to_string().contains(message), "{error}");
            assert_eq!(error.kind(), &mitt_base::ErrorKind::Input);
        }
        Err(error) => panic!("expected a refusal, got {error:?}"),
        Ok(_) => panic!("expected a refusal, got a result"),
    }
}
