//! A file of lines that grows: the place of each line is found without reading the file from its beginning, and the last
//! lines are in memory for those who watch.

use std::collections::VecDeque;
use std::fs::File;
use std::io::{self, BufRead as _, Read, Write as _};
use std::sync::Arc;

use bytes::Bytes;

use super::places::read_at;

/// Bytes between two known places. A reader reads at most this much before the line that it wants.
const MARK_BYTES: u64 = 32 * 1024;

/// Bytes of the last lines that are in memory.
const RECENT_BYTES: usize = 64 * 1024;

/// Bytes of lines that one read returns, unless the first line alone is longer.
pub(super) const MAX_READ_BYTES: usize = 4 << 20;

/// Bytes that are read at once.
const PIECE_BYTES: usize = 64 * 1024;

/// The file, open to read and to append.
pub(super) struct LineFile {
    file: Arc<File>,
    length: u64,
    /// Number of the last line.
    last: u64,
    /// Numbers of lines, and where they end.
    marks: Vec<(u64, u64)>,
    recent: VecDeque<Bytes>,
    recent_bytes: usize,
}

/// Lines that were asked for.
pub(super) enum Lines {
    /// They are in memory.
    Ready(Vec<Bytes>),
    /// They are in the file.
    InFile(Scan),
}

/// A part of a file that is read without the lock of the file.
pub(super) struct Scan {
    file: Arc<File>,
    start: u64,
    end: u64,
    skipped: u64,
    most: usize,
}

impl LineFile {
    /// Opens a file. An incomplete last line, left by a process that ended while it wrote, is cut off.
    pub(super) fn open(file: File) -> io::Result<LineFile> {
        let file = Arc::new(file);
        let mut lines = LineFile {
            file: file.clone(),
            length: 0,
            last: 0,
            marks: Vec::new(),
            recent: VecDeque::new(),
            recent_bytes: 0,
        };
        let (mut piece, mut place) = (vec![0; PIECE_BYTES], 0);
        loop {
            let length = read_at(&file, place, &mut piece)?;
            let piece = piece.get(..length).unwrap_or_default();
            for (at, _) in piece.iter().enumerate().filter(|(_, byte)| **byte == b'\n') {
                lines.mark(place + at as u64 + 1);
            }
            place += length as u64;
            if length < PIECE_BYTES {
                break;
            }
        }
        if place > lines.length {
            file.set_len(lines.length)?;
        }
        Ok(lines)
    }

    /// Counts a line that ends at `end`.
    fn mark(&mut self, end: u64) {
        (self.last, self.length) = (self.last + 1, end);
        if end - self.marks.last().map_or(0, |(_, place)| *place) >= MARK_BYTES {
            self.marks.push((self.last, end));
        }
    }

    /// Returns the number of the last line.
    pub(super) fn last(&self) -> u64 {
        self.last
    }

    /// Returns the size in bytes.
    pub(super) fn length(&self) -> u64 {
        self.length
    }

    /// Appends lines, none of which has a line break. If that fails, none of them stays.
    pub(super) fn append(&mut self, lines: &[Bytes]) -> io::Result<()> {
        let mut text = Vec::with_capacity(lines.iter().map(|line| line.len() + 1).sum());
        for line in lines {
            text.extend_from_slice(line);
            text.push(b'\n');
        }
        // In one call, and without waiting for the disk: the system has it, also if this process ends.
        if let Err(error) = (&*self.file).write_all(&text) {
            self.file.set_len(self.length)?;
            return Err(error);
        }
        for line in lines {
            self.mark(self.length + line.len() as u64 + 1);
            self.remember(line);
        }
        Ok(())
    }

    fn remember(&mut self, line: &Bytes) {
        // A copy, because the caller's bytes may be a part of something large.
        self.recent_bytes += line.len();
        self.recent.push_back(if line.len() <= RECENT_BYTES {
            Bytes::copy_from_slice(line)
        } else {
            Bytes::new()
        });
        if line.len() > RECENT_BYTES {
            self.recent.clear();
            self.recent_bytes = 0;
        }
        // Empty lines count too, so that their number is bounded.
        while self.recent_bytes > RECENT_BYTES || self.recent.len() > RECENT_BYTES / 64 {
            self.recent_bytes -= self.recent.pop_front().map_or(self.recent_bytes, |it| it.len());
        }
    }

    /// Returns at most `most` lines after number `after`.
    pub(super) fn lines(&self, after: u64, most: usize) -> Lines {
        if after >= self.last || most == 0 {
            return Lines::Ready(Vec::new());
        }
        let first_recent = self.last - self.recent.len() as u64;
        if let Some(skipped) = after.checked_sub(first_recent) {
            let skipped = usize::try_from(skipped).unwrap_or(usize::MAX);
            return Lines::Ready(self.recent.iter().skip(skipped).take(most).cloned().collect());
        }
        let mark = self.marks.partition_point(|(number, _)| *number <= after);
        let mark = mark.checked_sub(1).and_then(|mark| self.marks.get(mark));
        let (number, start) = mark.copied().unwrap_or_default();
        let (file, end) = (self.file.clone(), self.length);
        Lines::InFile(Scan { file, start, end, skipped: after - number, most })
    }
}

impl Scan {
    /// Reads the lines.
    pub(super) fn read(self) -> io::Result<Vec<Bytes>> {
        let from = FileAt { file: &self.file, place: self.start, end: self.end };
        let mut from = io::BufReader::with_capacity(PIECE_BYTES, from);
        for _ in 0..self.skipped {
            from.skip_until(b'\n')?;
        }
        let (mut lines, mut bytes) = (Vec::new(), 0);
        while lines.len() < self.most {
            let mut line = Vec::new();
            from.read_until(b'\n', &mut line)?;
            if line.pop().is_none() {
                break;
            }
            bytes += line.len();
            if bytes > MAX_READ_BYTES && !lines.is_empty() {
                break;
            }
            lines.push(line.into());
        }
        Ok(lines)
    }
}

/// Reads a part of a file that others read too.
struct FileAt<'a> {
    file: &'a File,
    place: u64,
    end: u64,
}

impl Read for FileAt<'_> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let left = usize::try_from(self.end.saturating_sub(self.place)).unwrap_or(usize::MAX);
        let length = buffer.len().min(left);
        let read = read_at(self.file, self.place, buffer.get_mut(..length).unwrap_or_default())?;
        self.place += read as u64;
        Ok(read)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(content: &[u8]) -> (tempfile::NamedTempFile, LineFile) {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(content).unwrap();
        let lines = reopened(&file);
        (file, lines)
    }

    fn reopened(file: &tempfile::NamedTempFile) -> LineFile {
        LineFile::open(File::options().read(true).append(true).open(file.path()).unwrap()).unwrap()
    }

    fn read(file: &LineFile, after: u64, most: usize) -> Vec<Bytes> {
        match file.lines(after, most) {
            Lines::Ready(lines) => lines,
            Lines::InFile(scan) => scan.read().unwrap(),
        }
    }

    #[test]
    fn an_incomplete_last_line_is_cut_off() {
        for (content, whole, last) in
            [("", "", 0), ("a", "", 0), ("a\n", "a\n", 1), ("a\n\nbc", "a\n\n", 2)]
        {
            let (file, lines) = file(content.as_bytes());
            assert_eq!((lines.last(), lines.length()), (last, whole.len() as u64), "{content:?}");
            assert_eq!(std::fs::read_to_string(file.path()).unwrap(), whole);
        }
    }

    #[test]
    fn every_line_is_found_in_memory_and_in_the_file() {
        let (file, mut written) = file(b"");
        let mut random = fastrand::Rng::with_seed(1);
        let mut all = Vec::new();
        for number in 0..3_000 {
            let length = if number % 500 == 7 { 70_000 } else { random.usize(..200) };
            all.push(Bytes::from(format!("{number}{}", "x".repeat(length))));
            written.append(&all[number..]).unwrap();
            assert!(written.recent_bytes <= RECENT_BYTES, "{number}");
            assert!(written.recent.len() <= RECENT_BYTES / 64, "{number}");
        }
        let read_again = reopened(&file);
        assert!(read_again.marks.len() > 10 && written.marks == read_again.marks);
        for after in (0..3_000).step_by(37).chain(2_990..3_000) {
            for lines in [&written, &read_again] {
                let found = read(lines, after as u64, 3);
                assert_eq!(found, all[after..(after + 3).min(3_000)], "{after}");
            }
        }
        assert!(read(&written, 3_000, 1).is_empty() && read(&written, u64::MAX, 1).is_empty());
    }

    #[test]
    fn many_empty_lines_do_not_fill_the_memory() {
        let (_file, mut lines) = file(b"");
        let empty = vec![Bytes::new(); 10_000];
        lines.append(&empty).unwrap();
        assert!(lines.recent.len() <= RECENT_BYTES / 64);
        assert_eq!(read(&lines, 0, usize::MAX), empty);
    }

    #[test]
    fn a_read_has_four_mebibytes_but_at_least_one_line() {
        let (_file, mut lines) = file(b"");
        let long = Bytes::from(vec![b'x'; MAX_READ_BYTES + 1]);
        let half = Bytes::from(vec![b'y'; MAX_READ_BYTES / 2]);
        lines.append(&[long.clone(), half.clone(), half.clone(), half]).unwrap();
        assert_eq!(read(&lines, 0, 10), [long]);
        assert_eq!(read(&lines, 1, 10).len(), 2);
        assert_eq!(read(&lines, 3, 10).len(), 1);
    }

    #[test]
    fn a_failed_append_leaves_nothing() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let mut lines = LineFile::open(File::open(file.path()).unwrap()).unwrap();
        assert!(lines.append(&[Bytes::from_static(b"a")]).is_err());
        assert_eq!((lines.last(), lines.length()), (0, 0));
    }
}
