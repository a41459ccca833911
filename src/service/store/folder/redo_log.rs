//! Changes of the index that its file may not have yet.
//!
//! A change is appended here before it is made in memory, with one system call and without waiting for the disk. After a
//! crash the changes of complete entries are made again. An entry is its length, a checksum, its number, and its rows.

use std::fs::File;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

/// Length and checksum before an entry.
const HEAD_BYTES: usize = 12;

/// Stands for the length of a value that is removed.
const REMOVED: u32 = u32::MAX;

/// The log, open to be appended to.
pub(super) struct RedoLog {
    file: File,
    length: u64,
}

/// The rows of an entry while they are collected.
#[derive(Default)]
pub(super) struct Rows(Vec<u8>);

/// A changed row: its key, and its value unless it is removed.
pub(super) type Row<'a> = (&'a [u8], Option<&'a [u8]>);

impl Rows {
    /// Adds a row.
    pub(super) fn push(&mut self, (key, value): Row<'_>) {
        // Keys and values are far below 4 GiB: see the limits of the store.
        let length = |bytes: &[u8]| u32::try_from(bytes.len()).unwrap_or(REMOVED - 1);
        self.0.extend_from_slice(&length(key).to_le_bytes());
        self.0.extend_from_slice(&value.map_or(REMOVED, length).to_le_bytes());
        self.0.extend_from_slice(key);
        self.0.extend_from_slice(value.unwrap_or_default());
    }

    /// Returns `true` if nothing was changed.
    pub(super) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl RedoLog {
    /// Continues the log in a file, which is open to read and to append.
    pub(super) fn new(file: File) -> io::Result<RedoLog> {
        let length = file.metadata()?.len();
        Ok(RedoLog { file, length })
    }

    /// Returns the size in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Appends an entry. If that fails, nothing of it stays.
    pub(super) fn append(&mut self, number: u64, rows: &Rows) -> io::Result<()> {
        let content = [&number.to_le_bytes(), rows.0.as_slice()].concat();
        let length = u32::try_from(content.len()).map_err(io::Error::other)?;
        let mut entry = Vec::with_capacity(HEAD_BYTES + content.len());
        entry.extend_from_slice(&length.to_le_bytes());
        entry.extend_from_slice(&checksum(&content));
        entry.extend_from_slice(&content);
        let result = self.file.write_all(&entry);
        match result {
            Ok(()) => self.length += entry.len() as u64,
            Err(_) => self.cut(self.length)?,
        }
        result
    }

    /// Shortens the log.
    pub(super) fn cut(&mut self, length: u64) -> io::Result<()> {
        self.file.set_len(length)?;
        self.length = length;
        Ok(())
    }

    /// Calls `visit` with the number and the rows of each entry, up to the first that is not complete.
    pub(super) fn read<E: From<io::Error>>(
        &mut self,
        mut visit: impl FnMut(u64, &mut dyn Iterator<Item = Row<'_>>) -> Result<(), E>,
    ) -> Result<(), E> {
        let total = self.file.metadata()?.len();
        self.file.seek(SeekFrom::Start(0))?;
        let mut from = io::BufReader::new(&self.file).take(total);
        let (mut head, mut content) = ([0; HEAD_BYTES], Vec::new());
        while from.limit() >= HEAD_BYTES as u64 {
            from.read_exact(&mut head)?;
            let [a, b, c, d, expected @ ..] = head;
            let length = u64::from(u32::from_le_bytes([a, b, c, d]));
            if length > from.limit() {
                break;
            }
            content.clear();
            from.by_ref().take(length).read_to_end(&mut content)?;
            let (Some((number, rows)), true) =
                (content.split_first_chunk::<8>(), checksum(&content) == expected)
            else {
                break;
            };
            visit(u64::from_le_bytes(*number), &mut RowsOf(rows))?;
        }
        Ok(())
    }
}

struct RowsOf<'a>(&'a [u8]);

impl<'a> Iterator for RowsOf<'a> {
    type Item = Row<'a>;

    fn next(&mut self) -> Option<Row<'a>> {
        let (key_length, rest) = self.0.split_first_chunk::<4>()?;
        let (value_length, rest) = rest.split_first_chunk::<4>()?;
        let (key, rest) = rest.split_at_checked(u32::from_le_bytes(*key_length) as usize)?;
        let (value, rest) = match u32::from_le_bytes(*value_length) {
            REMOVED => (None, rest),
            length => {
                let (value, rest) = rest.split_at_checked(length as usize)?;
                (Some(value), rest)
            }
        };
        self.0 = rest;
        Some((key, value))
    }
}

fn checksum(content: &[u8]) -> [u8; 8] {
    let mut checksum = [0; 8];
    checksum.copy_from_slice(&blake3::hash(content).as_bytes()[..8]);
    checksum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn log() -> (tempfile::TempDir, RedoLog) {
        let folder = tempfile::tempdir().unwrap();
        let log = reopened(&folder);
        (folder, log)
    }

    fn reopened(folder: &tempfile::TempDir) -> RedoLog {
        let mut options = File::options();
        let file = options.read(true).append(true).create(true).open(folder.path().join("log"));
        RedoLog::new(file.unwrap()).unwrap()
    }

    type OwnedRow = (Vec<u8>, Option<Vec<u8>>);

    fn entries(log: &mut RedoLog) -> Vec<(u64, Vec<OwnedRow>)> {
        let mut entries = Vec::new();
        let result: io::Result<()> = log.read(|number, rows| {
            let rows = rows.map(|(key, value)| (key.to_vec(), value.map(<[u8]>::to_vec)));
            entries.push((number, rows.collect()));
            Ok(())
        });
        result.unwrap();
        entries
    }

    #[test]
    fn entries_are_read_up_to_the_first_that_is_damaged() {
        let (folder, mut log) = log();
        let mut rows = Rows::default();
        assert!(rows.is_empty());
        rows.push((b"a", Some(b"one")));
        rows.push((b"b", None));
        rows.push((b"c", Some(b"")));
        log.append(7, &rows).unwrap();
        let whole = log.length();
        log.append(8, &rows).unwrap();
        let of_rows = vec![
            (b"a".to_vec(), Some(b"one".to_vec())),
            (b"b".to_vec(), None),
            (b"c".to_vec(), Some(Vec::new())),
        ];
        assert_eq!(entries(&mut log), [(7, of_rows.clone()), (8, of_rows.clone())]);
        let content = std::fs::read(folder.path().join("log")).unwrap();
        for length in whole + 1..log.length() {
            std::fs::write(folder.path().join("log"), &content[..length as usize]).unwrap();
            assert_eq!(entries(&mut reopened(&folder)), [(7, of_rows.clone())], "{length}");
        }
        for changed in whole as usize..content.len() {
            let mut content = content.clone();
            content[changed] ^= 1;
            std::fs::write(folder.path().join("log"), &content).unwrap();
            assert_eq!(entries(&mut reopened(&folder)), [(7, of_rows.clone())], "{changed}");
        }
    }
}
