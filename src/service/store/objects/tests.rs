use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use mitt_base::{ErrorKind, lock};
use tempfile::TempDir;

use super::folder::MARK;
use super::object_store::PART_BYTES;
use super::spool::SpoolWriter;
use super::{DIGEST_BYTES, Notes, ObjectReader, ObjectStore, ObjectWriter, PIECE_BYTES, Placing};
use crate::store::{Blob, BlobReader, BlobWriter, StoreError, StoreResult, new_id};

/// An object store in a temporary folder.
pub(in crate::store) struct InFolder {
    pub(in crate::store) objects: ObjectStore,
    folder: TempDir,
}

impl InFolder {
    /// Opens one for files of all sizes but zero.
    pub(in crate::store) async fn open() -> InFolder {
        let folder = tempfile::tempdir().unwrap();
        let address = format!("file://{}", folder.path().display());
        InFolder { objects: open(&address).await.unwrap().inline_bytes_for_tests(0), folder }
    }

    /// Returns the objects of the folder.
    pub(in crate::store) fn files(&self) -> Vec<PathBuf> {
        let mut files = files(self.folder.path());
        files.retain(|path| !path.ends_with(MARK));
        files
    }

    /// Takes the folder away, as a network file system that is not mounted. The empty folder stays.
    pub(in crate::store) fn unmount(&self) {
        fs::rename(self.folder.path(), self.elsewhere()).unwrap();
        fs::create_dir(self.folder.path()).unwrap();
    }

    /// Brings the folder back.
    pub(in crate::store) fn mount(&self) {
        fs::remove_dir(self.folder.path()).unwrap();
        fs::rename(self.elsewhere(), self.folder.path()).unwrap();
    }

    fn elsewhere(&self) -> PathBuf {
        self.folder.path().with_extension("elsewhere")
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    entries.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] }).collect()
}

async fn open(address: &str) -> mitt_base::Result<ObjectStore> {
    let clock = Arc::new(|| std::time::UNIX_EPOCH.elapsed().unwrap_or(Duration::ZERO));
    ObjectStore::open(address, |name| std::env::var(name).ok(), clock).await
}

/// Opens a new prefix of the bucket for tests; `None` if there is none, which is printed.
#[expect(clippy::print_stderr, reason = "a test that does nothing says why")]
pub(in crate::store) async fn in_s3() -> Option<ObjectStore> {
    let address = std::env::var("MITT_TEST_S3").ok().filter(|address| !address.is_empty());
    let Some(address) = address else {
        eprintln!("skipped: MITT_TEST_S3 has no address of a bucket; tests/cluster/run sets it");
        return None;
    };
    let address = format!("{address}/{}", new_id("test-").unwrap());
    Some(open(&address).await.unwrap().inline_bytes_for_tests(0))
}

/// Notes of a database that fails where a test wants it.
#[derive(Clone, Default)]
struct TestNotes {
    seen: Arc<Mutex<Seen>>,
}

#[derive(Default)]
struct Seen {
    begun: Vec<String>,
    placed: Vec<Placed>,
    known: Vec<String>,
}

struct Placed {
    name: String,
    blob: Blob,
    digests: Bytes,
}

#[async_trait]
impl Notes for TestNotes {
    type Note = String;

    async fn begin(&self, name: &str) -> StoreResult<String> {
        lock(&self.seen).begun.push(name.to_owned());
        Ok(name.to_owned())
    }

    async fn touch(&self, _: &mut String) -> StoreResult<()> {
        Ok(())
    }

    async fn place(&self, placing: &Placing<'_, String>) -> StoreResult<()> {
        let mut seen = lock(&self.seen);
        let is_known = seen.known.contains(&placing.blob.sha256);
        match &placing.object {
            None if is_known => Ok(()),
            None => Err(StoreError::Missing),
            Some(object) => {
                assert_eq!(object.name, object.note);
                seen.known.push(placing.blob.sha256.clone());
                seen.placed.push(Placed {
                    name: object.name.to_owned(),
                    blob: placing.blob.clone(),
                    digests: Bytes::copy_from_slice(object.digests),
                });
                Ok(())
            }
        }
    }
}

/// A database that takes no file.
struct NoDatabase;

#[async_trait]
impl BlobWriter for NoDatabase {
    async fn write(&mut self, bytes: &[u8]) -> StoreResult<()> {
        panic!("{} bytes for the database", bytes.len());
    }

    async fn finish(self: Box<Self>, _: &str) -> StoreResult<Blob> {
        panic!("a file for the database");
    }
}

fn check_size(size: u64) -> StoreResult<()> {
    if size <= 100_000_000 { Ok(()) } else { Err(StoreError::Missing) }
}

async fn stored(objects: &ObjectStore, notes: &TestNotes, content: &[u8]) -> StoreResult<Blob> {
    let to = (notes.clone(), objects.clone());
    let mut writer = Box::new(ObjectWriter::new(to, "a", Box::new(NoDatabase), check_size));
    for piece in content.chunks(700_001) {
        writer.write(piece).await?;
    }
    writer.finish("owner").await
}

/// Returns a reader of the object that was placed last.
fn reader(objects: &ObjectStore, notes: &TestNotes) -> ObjectReader {
    let seen = lock(&notes.seen);
    let Placed { name, blob, digests } = seen.placed.last().unwrap();
    ObjectReader::new(objects, name.clone(), blob.size, digests.clone()).unwrap()
}

fn random(size: u64) -> Vec<u8> {
    let mut random = fastrand::Rng::with_seed(size);
    (0..size).map(|_| random.u8(..)).collect()
}

async fn files_are_objects_by_their_digests(objects: &ObjectStore) {
    let notes = TestNotes::default();
    // Around the ends of pieces and parts.
    for size in [
        1,
        PIECE_BYTES - 1,
        PIECE_BYTES,
        PART_BYTES,
        PART_BYTES + 1,
        PART_BYTES * 2 + PIECE_BYTES + 5,
    ] {
        let content = random(size);
        let blob = stored(objects, &notes, &content).await.unwrap();
        assert_eq!(
            (blob.size, blob.sha256.as_str()),
            (size, &*mitt_base::digest::sha256(&content))
        );
        let reader = reader(objects, &notes);
        assert!(reader.read(0, usize::MAX).await.unwrap() == content, "{size}");
        // Across the end of a piece, from its end on, and beyond the end of the file.
        for start in [0, PIECE_BYTES - 3, PIECE_BYTES, size - 1, size, size + 10] {
            let part = reader.read(start, 7).await.unwrap();
            let begin = usize::try_from(start.min(size)).unwrap();
            assert_eq!(part, content[begin..content.len().min(begin + 7)], "{size} from {start}");
        }
        let names = lock(&notes.seen).begun.clone();
        assert!(names.last().unwrap().contains(&blob.sha256));
    }
    let n_objects = lock(&notes.seen).begun.len();
    stored(objects, &notes, &random(PIECE_BYTES)).await.unwrap();
    assert_eq!(lock(&notes.seen).begun.len(), n_objects, "the tenant has the content");
    for Placed { name, .. } in &lock(&notes.seen).placed {
        let objects = objects.clone();
        let name = name.clone();
        tokio::task::block_in_place(|| {
            tokio::runtime::Handle::current().block_on(async {
                objects.delete(&name).await.unwrap();
                objects.delete(&name).await.unwrap();
                assert_eq!(objects.range(&name, 0, 1).await.unwrap(), None);
            });
        });
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_objects_in_a_folder() {
    let folder = InFolder::open().await;
    assert!(folder.files().is_empty(), "the check leaves nothing");
    files_are_objects_by_their_digests(&folder.objects).await;
    assert!(folder.files().is_empty());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn files_are_objects_in_s3() {
    if let Some(objects) = in_s3().await {
        files_are_objects_by_their_digests(&objects).await;
    }
}

#[tokio::test]
async fn a_short_file_stays_in_the_database() {
    struct Database(Vec<u8>);

    #[async_trait]
    impl BlobWriter for Database {
        async fn write(&mut self, bytes: &[u8]) -> StoreResult<()> {
            self.0.extend_from_slice(bytes);
            Ok(())
        }

        async fn finish(self: Box<Self>, _: &str) -> StoreResult<Blob> {
            Ok(Blob { sha256: "of the database".to_owned(), size: self.0.len() as u64 })
        }
    }

    let folder = InFolder::open().await;
    let objects = folder.objects.clone().inline_bytes_for_tests(10);
    let notes = TestNotes::default();
    for (size, n_objects) in [(0, 0), (10, 0), (11, 1)] {
        let database = Box::new(Database(Vec::new()));
        let to = (notes.clone(), objects.clone());
        let mut writer = Box::new(ObjectWriter::new(to, "a", database, check_size));
        for byte in random(size) {
            writer.write(&[byte]).await.unwrap();
        }
        let blob = writer.finish("owner").await.unwrap();
        assert_eq!((blob.size, folder.files().len()), (size, n_objects));
        assert_eq!(blob.sha256 == "of the database", n_objects == 0);
    }
}

#[tokio::test]
async fn a_file_that_is_too_large_is_refused_before_it_is_kept() {
    let folder = InFolder::open().await;
    let to = (TestNotes::default(), folder.objects.clone());
    let mut writer = ObjectWriter::new(to, "a", Box::new(NoDatabase), |size| match size {
        0..=9 => Ok(()),
        _ => Err(StoreError::Conflict(size)),
    });
    writer.write(b"12345").await.unwrap();
    assert!(matches!(writer.write(b"67890").await, Err(StoreError::Conflict(10))));
    writer.write(b"6789").await.unwrap();
}

#[tokio::test]
async fn a_changed_object_is_never_used() {
    let folder = InFolder::open().await;
    let notes = TestNotes::default();
    let mut content = random(PIECE_BYTES * 2 + 100);
    stored(&folder.objects, &notes, &content).await.unwrap();
    let [path] = &folder.files()[..] else { panic!("{:?}", folder.files()) };
    let changed = PIECE_BYTES + 7;
    content[usize::try_from(changed).unwrap()] ^= 1;
    fs::write(path, &content).unwrap();
    let open = reader(&folder.objects, &notes);
    open.read(0, 10).await.unwrap();
    open.read(PIECE_BYTES * 2, 10).await.unwrap();
    // Also if the wrong byte itself is not asked for.
    for (start, length) in [(PIECE_BYTES, 1), (changed, 1), (PIECE_BYTES - 1, 2), (0, usize::MAX)] {
        let Err(StoreError::Failed(error)) = open.read(start, length).await else {
            panic!("{start}");
        };
        let expected = format!("the bytes {PIECE_BYTES} to {}", PIECE_BYTES * 2 - 1);
        assert!(error.message().contains(&expected), "{error}");
        assert!(error.place().unwrap().starts_with("file:///"), "{error}");
    }
    fs::remove_file(path).unwrap();
    let gone = reader(&folder.objects, &notes).read(0, 1).await;
    let Err(StoreError::Failed(error)) = gone else { panic!("it is gone") };
    assert!(error.message().contains("is not there"), "{error}");
    assert_eq!(error.hints().len(), 1);
}

#[tokio::test]
async fn a_piece_without_a_digest_is_refused() {
    let folder = InFolder::open().await;
    for n_digests in [0, 1, 3] {
        let digests = Bytes::from(vec![0; DIGEST_BYTES * n_digests]);
        let size = PIECE_BYTES + 1;
        assert!(ObjectReader::new(&folder.objects, "a".to_owned(), size, digests).is_err());
    }
}

#[tokio::test]
async fn a_spool_has_a_digest_for_each_piece() {
    for (size, n_pieces) in [(1, 1), (PIECE_BYTES, 1), (PIECE_BYTES + 1, 2)] {
        let content = random(size);
        let mut writer = SpoolWriter::default();
        writer.write(&content).await.unwrap();
        let spool = writer.finish().await.unwrap();
        assert_eq!(spool.digests.len(), DIGEST_BYTES * n_pieces);
        assert!(spool.range(size - 1, 1).await.unwrap() == content[content.len() - 1..]);
        assert!(spool.range(size, 1).await.is_err());
    }
}

#[tokio::test]
async fn a_place_that_cannot_be_used_is_refused_at_the_start() {
    for address in ["", "folder", "file://folder", "https://bucket", "gs://bucket"] {
        let error = open(address).await.unwrap_err();
        assert_eq!((error.kind(), error.hints().len()), (&ErrorKind::Input, 1), "{address}");
    }
    // A file in the place of the folder.
    let file = tempfile::NamedTempFile::new().unwrap();
    let error = open(&format!("file://{}", file.path().display())).await.unwrap_err();
    assert_eq!((error.kind(), error.hints().len()), (&ErrorKind::Host, 1), "{error}");
    let error = ObjectStore::open("s3://bucket", |_| None, Arc::new(|| Duration::ZERO)).await;
    assert!(error.unwrap_err().message().contains("AWS_ACCESS_KEY_ID"));
}
