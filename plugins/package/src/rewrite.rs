//! Writes an archive with other contents of some parts. All other bytes are copied.

use crate::archive::{DAMAGED, Entry, MAX_ENTRIES, Zip};
use crate::head::Head;
use crate::number::{u16_at, u32_at, without_zip64};
use std::collections::{BTreeMap, BTreeSet};

/// What happens to the entries of an archive.
struct Changes<'a> {
    /// New contents by name in lower case.
    parts: BTreeMap<String, &'a [u8]>,
    /// Names in lower case.
    removed: BTreeSet<String>,
}

impl Changes<'_> {
    fn content(&self, entry: &Entry) -> Option<&[u8]> {
        self.parts.get(&entry.name.to_ascii_lowercase()).copied()
    }

    fn removes(&self, entry: &Entry) -> bool {
        let key = entry.name.to_ascii_lowercase();
        self.removed.contains(&key) && !self.parts.contains_key(&key)
    }
}

impl Zip {
    /// Returns the archive with the contents of `parts` replaced or appended, and without the entries in `removed`. A name
    /// in both is replaced. All other entries keep their bytes.
    ///
    /// # Errors
    /// One sentence: entries overlap, `parts` has a name twice, or the archive would exceed a limit.
    pub fn rewrite(
        &self,
        parts: &[(String, Vec<u8>)],
        removed: &[String],
    ) -> Result<Vec<u8>, String> {
        if parts.is_empty() && removed.is_empty() {
            return Ok(self.bytes.clone());
        }
        let mut changes = Changes {
            parts: BTreeMap::new(),
            removed: removed.iter().map(|it| it.to_ascii_lowercase()).collect(),
        };
        for (name, content) in parts {
            if changes.parts.insert(name.to_ascii_lowercase(), content).is_some() {
                return Err(format!("the archive would have `{name}` twice"));
            }
        }
        let added = parts.iter().filter(|(name, _)| !self.has(name)).count();
        let kept = self.entries.iter().filter(|entry| !changes.removes(entry)).count();
        if kept + added > MAX_ENTRIES {
            return Err(format!(
                "expected at most {MAX_ENTRIES} files in the archive, got {}",
                kept + added
            ));
        }
        self.spliced(parts, &changes).ok_or_else(|| DAMAGED.to_owned())
    }

    fn spliced(&self, parts: &[(String, Vec<u8>)], changes: &Changes<'_>) -> Option<Vec<u8>> {
        let mut order: Vec<usize> = (0..self.entries.len()).collect();
        order.sort_by_key(|&index| self.entries[index].offset);
        let mut out = Vec::with_capacity(self.bytes.len());
        let mut offsets = vec![0_u64; self.entries.len()];
        let mut heads = BTreeMap::new();
        let mut copied = 0_usize;
        for (rank, &index) in order.iter().enumerate() {
            let entry = &self.entries[index];
            let at = usize::try_from(entry.offset).ok()?;
            let next =
                order.get(rank + 1).map_or(self.directory as u64, |&it| self.entries[it].offset);
            let next = usize::try_from(next).ok()?.min(self.directory);
            // An entry that begins in another one, or reaches into the next one, is a bomb, or damaged.
            if at < copied || self.data(entry)?.end > next {
                return None;
            }
            // What precedes the first entry stays, such as the stub of a self-extracting archive.
            out.extend(self.bytes.get(copied..at)?);
            offsets[index] = out.len() as u64;
            copied = next;
            if changes.removes(entry) {
                continue;
            }
            match changes.content(entry) {
                Some(content) => {
                    let start = self.data_start(at)?;
                    let behind = at + 30 + usize::from(u16_at(&self.bytes, at + 26)?);
                    let header = self.bytes.get(at..behind)?;
                    let head = Head::renewed(header, self.bytes.get(behind..start)?, content)?;
                    out.extend(&head.local);
                    out.extend(&head.data);
                    heads.insert(index, head);
                }
                None => out.extend(self.bytes.get(at..next)?),
            }
        }
        out.extend(self.bytes.get(copied..self.directory)?);
        let mut added = Vec::new();
        for (name, content) in parts.iter().filter(|(name, _)| !self.has(name)) {
            let head = Head::new(name.as_bytes(), content)?;
            let at = u32::try_from(out.len()).ok()?;
            out.extend(&head.local);
            out.extend(&head.data);
            added.push((at, name, head));
        }
        let directory = out.len();
        let mut count = added.len();
        for (index, entry) in self.entries.iter().enumerate() {
            if changes.removes(entry) {
                continue;
            }
            count += 1;
            let at = out.len();
            out.extend(self.bytes.get(entry.central.clone())?);
            if let Some(head) = heads.get(&index) {
                head.put_central(&mut out, at)?;
            }
            put_offset(&mut out, at, entry.offset, offsets[index], heads.contains_key(&index))?;
        }
        for (at, name, head) in &added {
            head.write_central(&mut out, name.as_bytes(), *at)?;
        }
        let size = out.len() - directory;
        self.finish(&mut out, directory, size, count)?;
        Some(out)
    }

    /// Writes the end records with their comment.
    fn finish(&self, out: &mut Vec<u8>, directory: usize, size: usize, count: usize) -> Option<()> {
        let shift = out.len();
        // What stands between the directory and the end record is the 64-bit form of the end record.
        out.extend(self.bytes.get(self.directory_end..self.end)?);
        if let Some(end64) = self.end64 {
            let at = shift + end64.checked_sub(self.directory_end)?;
            for offset in [24, 32] {
                out.get_mut(at + offset..at + offset + 8)?
                    .copy_from_slice(&(count as u64).to_le_bytes());
            }
            out.get_mut(at + 40..at + 48)?.copy_from_slice(&(size as u64).to_le_bytes());
            out.get_mut(at + 48..at + 56)?.copy_from_slice(&(directory as u64).to_le_bytes());
            let locator = out.len().checked_sub(12)?;
            out.get_mut(locator..locator + 8)?.copy_from_slice(&(at as u64).to_le_bytes());
        }
        let end = out.len();
        out.extend(self.bytes.get(self.end..)?);
        let is_full = |at: usize| u32_at(&self.bytes, at) == Some(u32::MAX);
        if u16_at(&self.bytes, self.end + 10)? != u16::MAX {
            let count = u16::try_from(count).ok()?;
            out[end + 8..end + 10].copy_from_slice(&count.to_le_bytes());
            out[end + 10..end + 12].copy_from_slice(&count.to_le_bytes());
        }
        if !is_full(self.end + 12) {
            out[end + 12..end + 16].copy_from_slice(&u32::try_from(size).ok()?.to_le_bytes());
        }
        if !is_full(self.end + 16) {
            out[end + 16..end + 20].copy_from_slice(&u32::try_from(directory).ok()?.to_le_bytes());
        }
        Some(())
    }
}

/// Sets the offset of the local header in a record of the directory, in the short field or in the long one.
fn put_offset(out: &mut Vec<u8>, at: usize, old: u64, new: u64, is_replaced: bool) -> Option<()> {
    let short = u32_at(out, at + 42)?;
    if is_replaced {
        // All sizes fit into 32 bits now, so the long fields go.
        out[at + 42..at + 46].copy_from_slice(&u32::try_from(new).ok()?.to_le_bytes());
        let name = usize::from(u16_at(out, at + 28)?);
        let length = usize::from(u16_at(out, at + 30)?);
        let start = at + 46 + name;
        let extra = without_zip64(out.get(start..start + length)?);
        out[at + 30..at + 32].copy_from_slice(&u16::try_from(extra.len()).ok()?.to_le_bytes());
        out.splice(start..start + length, extra);
        return Some(());
    }
    if short != u32::MAX || old == u64::from(u32::MAX) {
        out[at + 42..at + 46].copy_from_slice(&u32::try_from(new).ok()?.to_le_bytes());
        return Some(());
    }
    let name = usize::from(u16_at(out, at + 28)?);
    let full = |offset: usize| u32_at(out, at + offset) == Some(u32::MAX);
    let skip = 8 * (usize::from(full(20)) + usize::from(full(24)));
    let mut field = at + 46 + name;
    let end = field + usize::from(u16_at(out, at + 30)?);
    while field + 4 <= end {
        if u16_at(out, field)? == 1 {
            let value = field + 4 + skip;
            out.get_mut(value..value + 8)?.copy_from_slice(&new.to_le_bytes());
            return Some(());
        }
        field += 4 + usize::from(u16_at(out, field + 2)?);
    }
    None
}
