//! Files whose content is in an object store.

use std::time::Duration;

use super::super::NatsStore;
use super::super::objects::ObjectNotes;
use super::{Opened, address, opened_with};
use crate::store::contract::{Subject, assert_missing, store_contract, stored, submitted};
use crate::store::objects::Notes as _;
use crate::store::objects::tests::{InFolder, in_s3};
use crate::store::{Store, StoreError};

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
        let Some(address) = address() else { return };
        match in_s3().await {
            Some(objects) => opened_with(address, Some(objects)).await,
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

/// Opens a store with objects in a folder; `None` if there is no server.
async fn opened() -> Option<(Opened, InFolder)> {
    let address = address()?;
    let folder = InFolder::open().await;
    Some((opened_with(address, Some(folder.objects.clone())).await, folder))
}

/// Deletes what has ended, after the time for which it can still be read.
async fn sweep(opened: &Opened) {
    opened.store.sweep().await.unwrap();
    opened.advance(HOUR / 6);
    opened.store.sweep().await.unwrap();
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
    assert_eq!(folder.files().len(), 3);
    // Nothing is sent a second time.
    stored(store, "a", b"shared", "file-2").await;
    assert_eq!(folder.files().len(), 3);
    let open = store.blob("a", &shared).await.unwrap();
    store.delete(&run).await.unwrap();
    sweep(&opened).await;
    assert_eq!(folder.files().len(), 1);
    assert_eq!(open.read(0, 100).await.unwrap(), "shared");
    for owner in ["file-1", "file-2"] {
        store.release("a", owner).await.unwrap();
    }
    sweep(&opened).await;
    assert_eq!(folder.files().len(), 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_object_whose_process_ended_before_it_was_placed_goes() {
    let Some((opened, folder)) = opened().await else { return };
    let notes = ObjectNotes { shared: opened.store.shared().clone() };
    let mut arriving = notes.begin("ab/one").await.unwrap();
    folder.objects.put("ab/one", "content".into()).await.unwrap();
    opened.advance(HOUR - Duration::from_secs(1));
    opened.store.sweep().await.unwrap();
    notes.touch(&mut arriving).await.unwrap();
    opened.advance(Duration::from_secs(2));
    opened.store.sweep().await.unwrap();
    assert_eq!(folder.files().len(), 1);
    opened.advance(HOUR);
    opened.store.sweep().await.unwrap();
    assert_eq!(folder.files().len(), 0);
    // What is gone is not placed any more.
    assert!(notes.touch(&mut arriving).await.is_err());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn nothing_is_forgotten_while_the_object_store_is_away() {
    let Some((opened, folder)) = opened().await else { return };
    let kept = stored(&opened.store, "a", b"kept", "o").await;
    stored(&opened.store, "a", b"gone", "o2").await;
    opened.store.release("a", "o2").await.unwrap();
    folder.unmount();
    sweep(&opened).await;
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
    sweep(&opened).await;
    assert_eq!(folder.files().len(), 1);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_store_knows_where_each_file_is() {
    let Some((opened, folder)) = opened().await else { return };
    let without: NatsStore =
        super::open((&opened.address, &opened.name), &None, &opened.now_ms).await;
    let in_servers = stored(&without, "a", b"in the servers", "o").await;
    let in_folder = stored(&opened.store, "a", b"in the folder", "o").await;
    assert_eq!(folder.files().len(), 1);
    // A file stays where it is.
    stored(&opened.store, "a", b"in the servers", "o2").await;
    assert_eq!(folder.files().len(), 1);
    let read = opened.store.blob("a", &in_servers).await.unwrap().read(0, 100).await.unwrap();
    assert_eq!(read, "in the servers");
    let Err(StoreError::Failed(error)) = without.blob("a", &in_folder).await else {
        panic!("it has no object store");
    };
    assert!(error.message().contains("this server has none"), "{error}");
    assert_eq!(error.hints().len(), 1);
    // It leaves the objects to others.
    without.release("a", "o").await.unwrap();
    opened.advance(HOUR / 6);
    without.sweep().await.unwrap();
    assert_missing(opened.store.blob("a", &in_folder).await);
    assert_eq!(folder.files().len(), 1);
    opened.store.sweep().await.unwrap();
    assert_eq!(folder.files().len(), 0);
}
