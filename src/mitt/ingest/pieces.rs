//! Long files of rows: several instances of their reader each read a piece, at the same time.
//!
//! Each instance has the beginning of the file and its own piece, so all of them together need hardly more memory than a single one.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;

use mitt_table::{NamedTable, Table, TableBuilder};

use super::shares::is_of_sharing;
use crate::capability::{
    PieceOutput, PreparedReader, ReaderContent, ReaderFile, ReaderOutput, ReaderPiece, ReaderWith,
};
use crate::engine::{Usage, for_the_same};
use mitt_base::{Error, Result};

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

/// Reads a file in pieces if it is long enough and processors are idle. Returns `None` if a single instance must read it: the file
/// cannot be divided, or there is no memory for so many instances.
pub(super) async fn read(
    reader: &PreparedReader,
    bytes: &Arc<[u8]>,
    file: ReaderFile<'_>,
    with: &ReaderWith,
) -> Option<ReaderOutput<ReaderContent>> {
    if !reader.has_pieces() {
        return None;
    }
    let count = (bytes.len() / MIN_PIECE_BYTES).min(reader.free_slots()).min(MAX_PIECES);
    read_divided(reader, bytes, file, with, divide(bytes, count, HEAD_BYTES)?).await
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
) -> Option<ReaderOutput<ReaderContent>> {
    let count = pieces.len();
    let mut tasks = tokio::task::JoinSet::new();
    for (index, range) in (0_u32..).zip(pieces) {
        let (reader, bytes, with) = (reader.clone(), bytes.clone(), with.clone());
        let extension = file.extension.to_owned();
        tasks.spawn(for_the_same(async move {
            (index, reader.piece(bytes, head, range, &extension, index, &with).await)
        }));
    }
    let mut read = BTreeMap::new();
    while let Some(done) = tasks.join_next().await {
        let Ok((index, output)) = done else { continue };
        // Returning cancels the other pieces, because a single instance reads the file.
        if matches!(output.result, Ok(None)) {
            return None;
        }
        read.insert(index, output);
    }
    if read.len() < count {
        return Some(ReaderOutput::failed(Error::bug("a piece was not read")));
    }
    let (mut tables, mut reports, mut usage) = (Vec::new(), Vec::new(), Usage::default());
    let mut charges = Vec::new();
    for PieceOutput { result, usage: used, printed } in read.into_values() {
        usage = usage.beside(used);
        match result {
            Ok(piece) => {
                let ReaderPiece { table, report, charge } = piece?;
                tables.push(table);
                reports.push(report);
                charges.push(charge);
            }
            Err(error) if is_of_sharing(&error) => return None,
            Err(error) => return Some(ReaderOutput { result: Err(error), usage, printed }),
        }
    }
    let finished = reader.finish(bytes.clone(), head, file.extension, reports, with).await;
    let PieceOutput { result, usage: used, printed } = finished;
    let usage = usage.then(used);
    let result = match (result, joined(tables, with)) {
        (Ok(None), _) => return None,
        (Err(error), _) | (_, Err(error)) if is_of_sharing(&error) => return None,
        (Err(error), _) | (_, Err(error)) => Err(error),
        (Ok(Some(mut content)), Ok(table)) => {
            content.tables = vec![table];
            Ok(Ok(content))
        }
    };
    Some(ReaderOutput { result, usage, printed })
}

/// Returns the rows of all tables as one table with the name of the first.
fn joined(tables: Vec<NamedTable>, with: &ReaderWith) -> Result<NamedTable> {
    let names = |table: &Table| table.names().map(str::to_owned).collect();
    let mut tables = tables.into_iter();
    let Some(first) = tables.next() else { return Err(Error::bug("a file has no pieces")) };
    let mut builder = TableBuilder::new(names(&first.data), &with.tables);
    builder.charge_names().map_err(super::native::refused)?;
    let name = first.name;
    // Each table is dropped when its rows are copied.
    for table in std::iter::once(first.data).chain(tables.map(|it| it.data)) {
        builder.append_table(&table).map_err(super::native::refused)?;
    }
    Ok(NamedTable::new(name, builder.finish().map_err(super::native::refused)?))
}

#[cfg(all(test, feature = "bundled", feature = "compile"))]
mod tests {
    use super::*;
    use crate::Host;
    use crate::engine::Environment;
    use mitt_base::limits::CallLimits;
    use mitt_base::memory::Account;
    use mitt_base::rows::Rows;
    use mitt_base::{Limit, Resource};

    const FILE: ReaderFile<'static> =
        ReaderFile { name: "a.csv", extension: "csv", password: None };

    /// Returns a file with a title and this many rows, and a row of two fields in the middle.
    fn file(rows: usize) -> Arc<[u8]> {
        let row = |at: usize| match at == rows / 2 {
            true => format!("{at},\n"),
            false => {
                format!("{at},\"名, {}\",2024-01-{:02},{}.25,\n", at % 7, 1 + at % 28, at % 100)
            }
        };
        let rows: String = (0..rows).map(row).collect();
        format!("Sales\n\nid,name,day,amount,note\n{rows}").into_bytes().into()
    }

    async fn reader() -> PreparedReader {
        let host = Host::builder().no_cache().build().unwrap();
        host.registry().reader("csv").await.unwrap().unwrap().prepared
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
            let output = read_divided(&reader, &bytes, FILE, &with, divided).await.unwrap();
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
        assert!(read(&late.into(), &with(1 << 30)).await.is_none());
        let narrow = with(1 << 20);
        assert!(read(&bytes, &narrow).await.is_none());
        assert_eq!(narrow.memory.usage().used, 0);
        // Fuel is not a matter of the number of instances.
        let mut little = with(1 << 30);
        little.limits.fuel = 1_000_000;
        let error = read(&bytes, &little).await.unwrap().result.err().unwrap();
        assert!(error.to_string().contains("fuel limit"), "{error}");
        // The table that is put together is charged, too.
        let mut full = with(1 << 30);
        full.tables = Account::root(Resource::HostMemory, 9 << 20);
        let output = read(&bytes, &full).await;
        let error = output.and_then(|it| it.result.err());
        let is_memory = |limit: &Limit| matches!(limit.what, Resource::HostMemory);
        assert!(error.is_none_or(|it| it.limit_reached().is_some_and(is_memory)));
    }
}
