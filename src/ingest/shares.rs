//! Long files: several instances of their reader each read a share, at the same time.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio::task::JoinSet;

use mitt_base::{Error, ErrorKind, Resource};
use mitt_engine::{Usage, UsageInternal as _, for_the_same};
use mitt_skill::capability::{PreparedReader, ReaderContent, ReaderFile, ReaderOutput, ReaderWith};

/// Fewest bytes of a file that is shared. Sharing makes a smaller one no faster.
const MIN_BYTES: usize = 256 << 10;

/// Most bytes of a file that is shared, because each instance has a copy of it.
const MAX_BYTES: usize = 16 << 20;

/// Most shares of a file. Each instance must parse the file up to its share.
const MAX_SHARES: usize = 4;

/// Reads a file: in shares if it is long, its reader supports that, and processors are idle.
pub(super) async fn read(
    reader: &PreparedReader,
    bytes: Arc<[u8]>,
    file: ReaderFile<'_>,
    with: &ReaderWith,
) -> ReaderOutput<ReaderContent> {
    if reader.shares()
        && let Some(count) = count(bytes.len(), reader.free_slots())
        && let Some(output) = in_shares(reader, &bytes, file, with, count).await
    {
        return output;
    }
    reader.read(bytes, file, with).await
}

/// Returns the number of shares for a file of `bytes` bytes with `free` idle processors; `None` if one instance reads it.
fn count(bytes: usize, free: usize) -> Option<usize> {
    let is_worth_it = (MIN_BYTES..=MAX_BYTES).contains(&bytes) && free > 1;
    is_worth_it.then(|| free.min(MAX_SHARES))
}

/// Reads a file in `count` shares. The limits of the reader apply to each share, and to what is put together from them.
/// Returns `None` if there is no memory for so many instances, which says nothing against the file.
async fn in_shares(
    reader: &PreparedReader,
    bytes: &Arc<[u8]>,
    file: ReaderFile<'_>,
    with: &ReaderWith,
    count: usize,
) -> Option<ReaderOutput<ReaderContent>> {
    // The first copy is charged already, however the file is read.
    let copies = with.memory.charge(((count - 1) * bytes.len()) as u64).ok()?;
    let count = u32::try_from(count).ok()?;
    let mut tasks = JoinSet::new();
    for index in 0..count {
        let (reader, bytes, with) = (reader.clone(), bytes.clone(), with.clone());
        let [name, extension] = [file.name, file.extension].map(str::to_owned);
        let password = file.password.map(str::to_owned);
        tasks.spawn(for_the_same(async move {
            let file =
                ReaderFile { name: &name, extension: &extension, password: password.as_deref() };
            (index, reader.share(bytes, file, (index, count), &with).await)
        }));
    }
    let read = all_in_order(tasks, count as usize).await;
    drop(copies);
    let Some(read) = read else {
        return Some(ReaderOutput::failed(Error::bug("a share was not read")));
    };
    let (mut shares, mut usage) = (Vec::with_capacity(read.len()), Usage::default());
    for output in read {
        usage = usage.beside(output.usage);
        let result = match output.result {
            Ok(Ok(share)) => {
                shares.push(share);
                continue;
            }
            Err(error) if is_of_sharing(&error) => return None,
            Ok(Err(failure)) => Ok(Err(failure)),
            Err(error) => Err(error),
        };
        return Some(ReaderOutput { result, usage, printed: output.printed });
    }
    let mut output = reader.join(shares, with).await;
    output.usage = usage.then(output.usage);
    Some(output)
}

/// Awaits all of `count` instances, whatever they return, and returns their outputs in the order of their numbers. So the error of a
/// file does not depend on which of several failing instances is first. Returns `None` if an instance has no output.
pub(super) async fn all_in_order<T: 'static>(
    mut tasks: JoinSet<(u32, T)>,
    count: usize,
) -> Option<Vec<T>> {
    let mut outputs = BTreeMap::new();
    while let Some(done) = tasks.join_next().await {
        outputs.extend(done);
    }
    (outputs.len() == count).then(|| outputs.into_values().collect())
}

/// Returns `true` if a share failed for lack of something that a single instance needs less of: instances that exist at the
/// same time each have their memory, and each hand over what they read.
pub(super) fn is_of_sharing(error: &Error) -> bool {
    match error.kind() {
        ErrorKind::Limit(limit) => matches!(
            limit.what,
            Resource::Transfer
                | Resource::CallMemory
                | Resource::SessionMemory
                | Resource::TenantMemory
        ),
        // The memory of the host is in use.
        ErrorKind::Busy { .. } => true,
        _ => false,
    }
}

#[cfg(all(test, feature = "bundled", feature = "compile"))]
mod tests {
    use mitt_skill::{Loader, ReaderInternal as _, Sources};
    use std::fmt::Write as _;

    use super::*;
    use mitt_base::limits::CallLimits;
    use mitt_base::memory::Account;
    use mitt_base::rows::Rows;
    use mitt_engine::{Engine, EngineOptions, Environment};

    /// Returns a document with this many pages. Each has a line of its own and one that is on all of them.
    fn document(pages: usize) -> Arc<[u8]> {
        let kids: String = (0..pages).map(|page| format!("{} 0 R ", 4 + 2 * page)).collect();
        let mut objects = vec![
            "<</Type/Catalog/Pages 2 0 R>>".to_owned(),
            format!("<</Type/Pages/Kids[{kids}]/Count {pages}>>"),
            "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>".to_owned(),
        ];
        for page in 0..pages {
            let content = format!(
                "BT /F 11 Tf 72 700 Td (This is part {page} of it) Tj ET BT /F 11 Tf 72 30 Td (on every page) Tj ET"
            );
            objects.push(format!(
                "<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Resources<</Font<</F 3 0 R>>>>/Contents {} 0 R>>",
                5 + 2 * page
            ));
            objects.push(format!("<</Length {}>>stream\n{content}\nendstream", content.len()));
        }
        let (mut out, mut table) = (String::from("%PDF-1.4\n"), String::new());
        for (index, object) in objects.iter().enumerate() {
            writeln!(table, "{:010} 00000 n ", out.len()).unwrap();
            writeln!(out, "{} 0 obj\n{object}\nendobj", index + 1).unwrap();
        }
        let (start, size) = (out.len(), objects.len() + 1);
        write!(
            out,
            "xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<</Size {size}/Root 1 0 R>>\nstartxref\n{start}\n%%EOF\n"
        )
        .unwrap();
        out.into_bytes().into()
    }

    /// Returns a reader that is compiled once.
    async fn reader() -> PreparedReader {
        static READER: tokio::sync::OnceCell<PreparedReader> = tokio::sync::OnceCell::const_new();
        let load = async || {
            let engine = Engine::new(EngineOptions::default()).unwrap();
            let sources = Sources { bundled: true, ..Sources::default() };
            let (_, registry) = Loader::load(&engine, sources).unwrap();
            registry.reader("pdf").await.unwrap().unwrap().prepared().clone()
        };
        READER.get_or_init(load).await.clone()
    }

    fn with(memory: u64) -> ReaderWith {
        ReaderWith {
            limits: CallLimits { memory_bytes: 512 << 20, ..CallLimits::default() },
            environment: Environment::default(),
            memory: Account::root(Resource::HostMemory, memory),
            tables: Account::root(Resource::HostMemory, 1 << 30),
            rows: Rows::default(),
        }
    }

    const FILE: ReaderFile<'static> =
        ReaderFile { name: "long.pdf", extension: "pdf", password: None };

    /// Returns the result as text.
    fn shown(output: ReaderOutput<ReaderContent>) -> String {
        let content = output.result.unwrap().unwrap();
        format!(
            "{} {:?} {:?} {:?}",
            content.markdown, content.places, content.metadata, content.warnings
        )
    }

    #[test]
    fn long_files_are_shared_among_processors_that_are_idle() {
        for (bytes, free, expected) in [
            (MIN_BYTES, 2, Some(2)),
            (MIN_BYTES - 1, 2, None),
            (MAX_BYTES, 3, Some(3)),
            (MAX_BYTES + 1, 3, None),
            (MIN_BYTES, 1, None),
            (MIN_BYTES, 0, None),
            (MIN_BYTES, 64, Some(MAX_SHARES)),
        ] {
            assert_eq!(count(bytes, free), expected, "{bytes} bytes, {free} free");
        }
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn shares_give_what_the_whole_gives() {
        let (reader, bytes, with) = (reader().await, document(100), with(1 << 30));
        assert!(reader.shares());
        let whole = reader.read(bytes.clone(), FILE, &with).await;
        let alone = whole.usage.fuel;
        let whole = shown(whole);
        assert!(
            whole.contains("This is part 99 of it") && whole.contains("on every page"),
            "{whole}"
        );
        for count in [2, 3] {
            let output = in_shares(&reader, &bytes, FILE, &with, count).await.unwrap();
            assert!(output.usage.fuel > alone / 2, "{:?}", output.usage);
            assert_eq!(shown(output), whole);
        }
        assert_eq!(with.memory.usage().used, 0);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_ends_a_share_ends_the_file_and_want_of_room_does_not() {
        let (reader, bytes) = (reader().await, document(100));
        let mut little = with(1 << 30);
        little.limits.fuel = 1_000_000;
        let output = in_shares(&reader, &bytes, FILE, &little, 2).await.unwrap();
        let error = output.result.err().unwrap();
        assert!(error.to_string().contains("fuel limit"), "{error}");
        let damaged: Arc<[u8]> = b"%PDF-1.7 and nothing else"[..].into();
        let output = in_shares(&reader, &damaged, FILE, &with(1 << 30), 2).await.unwrap();
        assert!(output.result.unwrap().is_err_and(|it| it.text.contains("damaged")));
        // There is no room for the copies of the file, or none for the instances.
        for (what, room) in [
            (Resource::SessionMemory, 2 * bytes.len() as u64),
            (Resource::SessionMemory, 1 << 20),
            (Resource::HostMemory, 1 << 20),
        ] {
            let narrow = ReaderWith { memory: Account::root(what, room), ..with(0) };
            let output = in_shares(&reader, &bytes, FILE, &narrow, 4).await;
            let result = output.map(|it| it.result.map(|it| it.map(drop)));
            assert!(result.is_none(), "{what:?} {room}: {result:?}");
            assert_eq!(narrow.memory.usage().used, 0);
        }
    }
}
