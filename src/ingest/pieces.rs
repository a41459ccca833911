//! Long files of rows: several instances of their reader each read a piece, at the same time.
//!
//! Each instance has the beginning of the file and its own piece, so all of them together need hardly more memory than a single one.

use std::ops::Range;
use std::sync::Arc;

use mitt_table::{NamedTable, Table, TableBuilder};
use tokio::task::JoinSet;

use super::shares::{all_in_order, is_of_sharing};
use mitt_base::Error;
use mitt_base::rows::Rows;
use mitt_engine::{Usage, UsageInternal as _, for_the_same};
use mitt_skill::capability::{
    PieceOutput, PreparedReader, ReaderContent, ReaderFile, ReaderOutput, ReaderPiece, ReaderWith,
};

/// Fewest bytes of a piece. Dividing a smaller file makes it no faster.
const MIN_PIECE_BYTES: usize = 2 << 20;

/// Most pieces of a file.
const MAX_PIECES: usize = 16;

/// Most bytes of the beginning that every instance gets.
const HEAD_BYTES: usize = 1 << 20;

/// File that is divided.
struct Divided {
    /// Bytes at the beginning that every instance gets.
    head: usize,
    /// Piece of each instance, in order.
    pieces: Vec<Range<usize>>,
}

/// Reads a file in pieces if it is long enough and processors are idle. The error is the usage of an attempt that was given up, after
/// which a single instance must read the file: the file cannot be divided, or there is no memory for so many instances.
pub(super) async fn read(
    reader: &PreparedReader,
    bytes: &Arc<[u8]>,
    file: ReaderFile<'_>,
    with: &ReaderWith,
) -> Result<ReaderOutput<ReaderContent>, Usage> {
    // The only type whose records end with lines.
    if file.extension != "csv" || !reader.has_pieces() {
        return Err(Usage::default());
    }
    let count = (bytes.len() / MIN_PIECE_BYTES).min(reader.free_slots()).min(MAX_PIECES);
    match divide(bytes, count, HEAD_BYTES) {
        Some(divided) => read_divided(reader, bytes, file, with, divided).await,
        None => Err(Usage::default()),
    }
}

/// Divides a file behind line ends. Returns `None` if that gives fewer than two pieces.
fn divide(bytes: &[u8], count: usize, head_bytes: usize) -> Option<Divided> {
    let head = 1 + memchr::memrchr(b'\n', &bytes[..bytes.len().min(head_bytes)])?;
    let mut pieces = Vec::new();
    let mut start = 0;
    for index in 1..count {
        let from = (bytes.len() / count * index).max(start);
        let Some(end) = memchr::memchr(b'\n', &bytes[from..]).map(|at| from + at + 1) else {
            break;
        };
        if end > start && end < bytes.len() {
            pieces.push(start..end);
            start = end;
        }
    }
    pieces.push(start..bytes.len());
    (pieces.len() > 1).then_some(Divided { head, pieces })
}

async fn read_divided(
    reader: &PreparedReader,
    bytes: &Arc<[u8]>,
    file: ReaderFile<'_>,
    with: &ReaderWith,
    Divided { head, pieces }: Divided,
) -> Result<ReaderOutput<ReaderContent>, Usage> {
    // Rows are counted when the pieces are joined: those of an attempt that is given up are read again.
    let of_piece = ReaderWith { rows: Rows::default(), ..with.clone() };
    let count = pieces.len();
    let mut tasks = JoinSet::new();
    for (index, range) in (0_u32..).zip(pieces) {
        let (reader, bytes, with) = (reader.clone(), bytes.clone(), of_piece.clone());
        let extension = file.extension.to_owned();
        tasks.spawn(for_the_same(async move {
            (index, reader.piece(bytes, head, range, &extension, index, &with).await)
        }));
    }
    // When all of them have ended, their memory is free, and the usage of an attempt that is given up is known.
    let Some(read) = all_in_order(tasks, count).await else {
        return Ok(ReaderOutput::failed(Error::bug("a piece was not read")));
    };
    let all = read.iter().map(|output| output.usage.clone());
    let usage = all.fold(Usage::default(), Usage::beside);
    let (mut tables, mut reports, mut charges) = (Vec::new(), Vec::new(), Vec::new());
    for PieceOutput { result, printed, .. } in read {
        match result {
            Ok(Some(ReaderPiece { table, report, charge })) => {
                tables.push(table);
                reports.push(report);
                charges.push(charge);
            }
            Ok(None) => return Err(usage),
            Err(error) if is_of_sharing(&error) => return Err(usage),
            Err(error) => return Ok(ReaderOutput { result: Err(error), usage, printed }),
        }
    }
    let finished = reader.finish(bytes.clone(), head, file.extension, reports, with).await;
    let PieceOutput { result, usage: used, printed } = finished;
    let usage = usage.then(used);
    let mut content = match result {
        Ok(Some(content)) => content,
        Ok(None) => return Err(usage),
        Err(error) if is_of_sharing(&error) => return Err(usage),
        Err(error) => return Ok(ReaderOutput { result: Err(error), usage, printed }),
    };
    // Both the pieces and the whole are charged meanwhile, so a single instance may have room where this has none.
    let Some(table) = joined(tables, with).await else { return Err(usage) };
    content.tables = vec![table];
    Ok(ReaderOutput { result: Ok(Ok(content)), usage, printed })
}

/// Returns the rows of all tables as one table with the name of the first. `None` if they have other columns than the first, or
/// there is no memory for the whole beside them.
async fn joined(tables: Vec<NamedTable>, with: &ReaderWith) -> Option<NamedTable> {
    let names = |table: &Table| table.names().map(str::to_owned).collect::<Vec<_>>();
    let first = tables.first()?;
    let (name, columns) = (first.name.clone(), names(&first.data));
    if tables.iter().any(|table| names(&table.data) != columns) {
        return None;
    }
    let mut builder = TableBuilder::new(columns, &with.tables);
    builder.charge_names().ok()?;
    // Each table is dropped when its rows are copied. Copying takes some milliseconds, in which others wait.
    for NamedTable { data, .. } in tables {
        builder.append_table(&data).ok()?;
        with.rows.add(data.rows());
        tokio::task::yield_now().await;
    }
    Some(NamedTable::new(name, builder.finish().ok()?))
}

#[cfg(all(test, feature = "bundled", feature = "compile"))]
mod tests {
    use super::*;
    use mitt_base::Resource;
    use mitt_base::limits::CallLimits;
    use mitt_base::memory::Account;
    use mitt_engine::{Engine, EngineOptions, Environment};
    use mitt_skill::{Loader, ReaderInternal as _, Sources};

    const FILE: ReaderFile<'static> =
        ReaderFile { name: "a.csv", extension: "csv", password: None };

    /// Returns a file with a title and this many rows, and a row of two fields in the middle.
    fn file(rows: usize) -> Arc<[u8]> {
        let row = |at: usize| {
            if at == rows / 2 {
                format!("{at},\n")
            } else {
                format!("{at},\"名, {}\",2024-01-{:02},{}.25,\n", at % 7, 1 + at % 28, at % 100)
            }
        };
        let rows: String = (0..rows).map(row).collect();
        format!("Sales\n\nid,name,day,amount,note\n{rows}").into_bytes().into()
    }

    async fn reader() -> PreparedReader {
        let engine = Engine::new(EngineOptions::default()).unwrap();
        let sources = Sources { bundled: true, ..Sources::default() };
        let (_, registry) = Loader::load(&engine, sources).unwrap();
        registry.reader("csv").await.unwrap().unwrap().prepared().clone()
    }

    fn with(memory: Account) -> ReaderWith {
        ReaderWith {
            limits: CallLimits { memory_bytes: 512 << 20, ..CallLimits::default() },
            environment: Environment::default(),
            memory,
            tables: Account::root(Resource::HostMemory, 1 << 30),
            rows: Rows::default(),
        }
    }

    /// Returns name, columns, cells, text and warnings of a file that was read.
    fn shown(output: ReaderOutput<ReaderContent>) -> String {
        let content = output.result.unwrap().unwrap();
        let [table] = &content.tables[..] else { panic!("{} tables", content.tables.len()) };
        let mut shown = format!("{} {} {:?}", table.name, content.markdown, content.warnings);
        for (name, column) in table.data.columns() {
            shown += &format!("\n{name} {:?} {}", column.column_type(), column.nulls());
        }
        table.data.push_markdown(&mut shown, usize::MAX);
        shown
    }

    #[test]
    fn files_are_divided_behind_line_ends() {
        let divided = |text: &str, count| {
            let Divided { head, pieces } = divide(text.as_bytes(), count, 6)?;
            assert!(text[..head].ends_with('\n'));
            Some(pieces.iter().map(|range| text[range.clone()].to_owned()).collect::<Vec<_>>())
        };
        assert_eq!(divided("a,b\n1,2\n3,4\n", 2).unwrap(), ["a,b\n1,2\n", "3,4\n"]);
        assert_eq!(divided("a,b\n1,2\n3,4\n5", 3).unwrap(), ["a,b\n1,2\n", "3,4\n", "5"]);
        // A row that is longer than a piece, a beginning without a line end, nothing to divide.
        assert_eq!(divided("a\n1234567890\n3\n", 4).unwrap(), ["a\n1234567890\n", "3\n"]);
        assert_eq!(divided("a,b,c,d\n1\n2\n", 2), None);
        assert_eq!(divided("a\n1\n2\n", 1), None);
        assert_eq!(divided("", 2), None);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn pieces_give_what_the_whole_gives() {
        let (reader, bytes) = (reader().await, file(100_000));
        let with = with(Account::root(Resource::HostMemory, 1 << 30));
        assert!(reader.has_pieces());
        let whole = reader.read(bytes.clone(), FILE, &with).await;
        let alone = whole.usage.fuel;
        let whole = shown(whole);
        assert!(
            whole.starts_with("Sales ") && whole.contains("in line 50004"),
            "{}",
            &whole[..400]
        );
        for count in [2, 5] {
            let divided = divide(&bytes, count, HEAD_BYTES).unwrap();
            assert_eq!(divided.pieces.len(), count);
            let output = read_divided(&reader, &bytes, FILE, &with, divided).await.ok().unwrap();
            assert!(output.usage.fuel > alone / 2, "{:?}", output.usage);
            assert!(shown(output) == whole);
        }
        drop(whole);
        assert_eq!(with.memory.usage().used, 0);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn what_a_piece_cannot_read_is_read_whole_and_limits_hold() {
        let (reader, bytes) = (reader().await, file(100_000));
        let with = |room| with(Account::root(Resource::SessionMemory, room));
        let read = async |bytes: &Arc<[u8]>, with: &ReaderWith| {
            let divided = divide(bytes, 3, HEAD_BYTES).unwrap();
            read_divided(&reader, bytes, FILE, with, divided).await
        };
        // Text in a column of numbers, far behind the beginning; memory for no instance.
        let mut late = bytes.to_vec();
        late.extend_from_slice("x,,,,\n".as_bytes());
        let usage = read(&late.into(), &with(1 << 30)).await.err().unwrap();
        assert!(usage.fuel > 1_000_000, "what was used in vain is counted: {usage:?}");
        let narrow = with(1 << 20);
        assert!(read(&bytes, &narrow).await.is_err());
        assert_eq!(narrow.memory.usage().used, 0);
        // Fuel is not a matter of the number of instances.
        let mut little = with(1 << 30);
        little.limits.fuel = 1_000_000;
        let error = read(&bytes, &little).await.ok().unwrap().result.err().unwrap();
        assert!(error.to_string().contains("fuel limit"), "{error}");
        // Memory for the table, and perhaps not for its pieces beside it: that is never the error of the file.
        let whole = reader.read(bytes.clone(), FILE, &with(1 << 30)).await.result.unwrap().unwrap();
        let kept = whole.tables[0].data.kept_bytes();
        drop(whole);
        let mut given_up = 0;
        for tenths in 5..30 {
            let mut full = with(1 << 30);
            full.tables = Account::root(Resource::Documents, kept * tenths / 10);
            match read(&bytes, &full).await {
                Ok(output) => assert!(output.result.is_ok_and(|read| read.is_ok())),
                Err(_) => given_up += 1,
            }
            assert_eq!(full.tables.usage().used, 0);
        }
        assert!((6..25).contains(&given_up), "{given_up}");
    }
}
