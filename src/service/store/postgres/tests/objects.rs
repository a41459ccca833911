//! Files whose content is in an object store.

use std::time::Duration;

use super::super::PostgresStore;
use super::super::objects::ObjectNotes;
use super::{Opened, address, opened_with};
use crate::store::contract::{Subject, assert_missing, store_contract, stored, submitted};
use crate::store::objects::Notes as _;
use crate::store::objects::tests::{InFolder, in_s3};
use crate::store::{ObjectStore, Store, StoreError};

const HOUR: Duration = Duration::from_secs(60 * 60);

mod contract_in_a_folder {
    use super::*;

    store_contract! { @files match opened().await {
        Some(opened) => opened,
        None => return,
    }}
}

mod contract_in_s3 {
    use super::*;

    store_contract! { @files {
        if address().is_none() {
            return;
        }
        match in_s3().await {
            Some(objects) => opened_with(Some(objects)).await.unwrap(),
            None => return,
        }
    }}
}

/// The folder goes with the store.
impl Subject for (Opened, InFolder) {
    fn store(&self) -> &dyn Store {
        self.0.store()
    }

    fn advance(&self, time: Duration) {
        self.0.advance(time);
    }
}

/// Opens a store with objects in a folder; `None` if there is no database.
async fn opened() -> Option<(Opened, InFolder)> {
    address()?;
    let folder = InFolder::open().await;
    Some((opened_with(Some(folder.objects.clone())).await?, folder))
}

/// Returns the number of notes of objects.
async fn notes(opened: &Opened) -> i64 {
    let mut lent = opened.store.pool_for_tests().lend().await.unwrap();
    lent.row("select count(*) from objects", &[]).await.unwrap().unwrap().get(0)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn objects_go_with_the_last_owner() {
    let Some((opened, folder)) = opened().await else { return };
    let store = &opened.store;
    let run = submitted(store, "a", "run_1", 1).await.key();
    stored(store, "a", b"own", "run:run_1").await;
    let shared = stored(store, "a", b"shared", "run:run_1").await;
    store.keep("a", &shared, "file-1").await.unwrap();
    store.partial_append("a", "up_1", 0, b"in several requests").await.unwrap();
    store.partial_finish("a", "up_1", "run:run_1").await.unwrap();
    assert_eq!((folder.files().len(), notes(&opened).await), (3, 3));
    // Nothing is sent a second time.
    stored(store, "a", b"shared", "file-2").await;
    assert_eq!((folder.files().len(), notes(&opened).await), (3, 3));
    let open = store.blob("a", &shared).await.unwrap();
    store.delete(&run).await.unwrap();
    store.sweep().await.unwrap();
    assert_eq!((folder.files().len(), notes(&opened).await), (1, 1));
    assert_eq!(open.read(0, 100).await.unwrap(), "shared");
    for owner in ["file-1", "file-2"] {
        store.release("a", owner).await.unwrap();
    }
    store.sweep().await.unwrap();
    assert_eq!((folder.files().len(), notes(&opened).await), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_whose_process_ended_before_it_was_placed_goes() {
    let Some((opened, folder)) = opened().await else { return };
    let notes_of_store = ObjectNotes { pool: opened.store.pool_for_tests().clone() };
    let mut file = notes_of_store.begin("ab/one").await.unwrap();
    folder.objects.put("ab/one", "content".into()).await.unwrap();
    opened.advance(HOUR - Duration::from_secs(1));
    opened.store.sweep().await.unwrap();
    notes_of_store.touch(&mut file).await.unwrap();
    opened.advance(Duration::from_secs(2));
    opened.store.sweep().await.unwrap();
    opened.store.sweep().await.unwrap();
    assert_eq!((folder.files().len(), notes(&opened).await), (1, 1));
    opened.advance(HOUR);
    // One process of the database sweeps at a time, and other tests do too.
    while !folder.files().is_empty() {
        opened.store.sweep().await.unwrap();
    }
    assert_eq!(notes(&opened).await, 0);
    // What is gone is not placed any more.
    assert!(notes_of_store.touch(&mut file).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_that_cannot_be_deleted_stays_alone() {
    let Some((opened, folder)) = opened().await else { return };
    for content in [b"one", b"two", b"six"] {
        stored(&opened.store, "a", content, "o").await;
    }
    let kept = folder.files().remove(0);
    std::fs::remove_file(&kept).unwrap();
    std::fs::create_dir(&kept).unwrap();
    opened.store.release("a", "o").await.unwrap();
    opened.store.sweep().await.unwrap();
    assert_eq!((folder.files().len(), notes(&opened).await), (0, 1));
    std::fs::remove_dir(&kept).unwrap();
    opened.store.sweep().await.unwrap();
    assert_eq!(notes(&opened).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_forgotten_while_the_object_store_is_away() {
    let Some((opened, folder)) = opened().await else { return };
    let kept = stored(&opened.store, "a", b"kept", "o").await;
    stored(&opened.store, "a", b"gone", "o2").await;
    opened.store.release("a", "o2").await.unwrap();
    folder.unmount();
    opened.store.sweep().await.unwrap();
    // An empty folder in its place is no reason to take objects for deleted, and nothing is written into it.
    let read = opened.store.blob("a", &kept).await.unwrap().read(0, 100).await;
    let Err(StoreError::Failed(error)) = read else { panic!("it is not there: {read:?}") };
    assert!(error.render().contains("mounted"), "{}", error.render());
    let mut writer = opened.store.blob_writer("a").await.unwrap();
    let written = match writer.write(b"new").await {
        Ok(()) => writer.finish("o").await.map(drop),
        Err(error) => Err(error),
    };
    assert!(matches!(written, Err(StoreError::Failed(_))), "{written:?}");
    folder.mount();
    let read = opened.store.blob("a", &kept).await.unwrap().read(0, 100).await.unwrap();
    assert_eq!((read.as_ref(), folder.files().len()), (b"kept".as_slice(), 2));
    // One process of the database sweeps at a time, and other tests do too.
    while folder.files().len() > 1 {
        opened.store.sweep().await.unwrap();
    }
    assert_eq!(folder.files().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_knows_where_each_file_is() {
    let Some((opened, folder)) = opened().await else { return };
    let without = opened_without(&opened).await;
    let in_database = stored(&without, "a", b"in the database", "o").await;
    let in_folder = stored(&opened.store, "a", b"in the folder", "o").await;
    assert_eq!(folder.files().len(), 1);
    // A file stays where it is.
    stored(&opened.store, "a", b"in the database", "o2").await;
    assert_eq!(folder.files().len(), 1);
    let read = opened.store.blob("a", &in_database).await.unwrap().read(0, 100).await.unwrap();
    assert_eq!(read, "in the database");
    let Err(StoreError::Failed(error)) = without.blob("a", &in_folder).await else {
        panic!("it has no object store");
    };
    assert!(error.message().contains("this server has none"), "{error}");
    assert_eq!(error.hints().len(), 1);
    // It deletes what it can, and leaves the objects to others.
    without.release("a", "o").await.unwrap();
    without.sweep().await.unwrap();
    assert_missing(opened.store.blob("a", &in_folder).await);
    assert_eq!((folder.files().len(), notes(&opened).await), (1, 1));
    opened.store.sweep().await.unwrap();
    assert_eq!((folder.files().len(), notes(&opened).await), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn tables_of_version_1_are_migrated_with_their_files() {
    let Some((opened, folder)) = opened().await else { return };
    let before = stored(&opened_without(&opened).await, "a", b"before", "o").await;
    opened
        .batch(
            "drop table objects; alter table work drop column warm; \
             alter table runs drop column warm, drop column warm_until_ms; \
             delete from schema_version where version > 1",
        )
        .await;
    let migrated = opened.other().await;
    let read = migrated.blob("a", &before).await.unwrap().read(0, 100).await.unwrap();
    assert_eq!(read, "before");
    stored(&migrated, "a", b"after", "o").await;
    assert_eq!((folder.files().len(), notes(&opened).await), (1, 1));
}

async fn opened_without(opened: &Opened) -> PostgresStore {
    super::open(&opened.address, &opened.schema, &None::<ObjectStore>, &opened.now_ms).await
}
