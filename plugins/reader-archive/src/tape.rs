//! Tar archives without compression.

use tar::{Archive, EntryType};

use crate::names::decode;
use crate::{Taken, content, damaged};
use mitt_reader_kit::Error;

pub(crate) fn tar(bytes: &[u8], taken: &mut Taken) -> Result<(), Error> {
    let mut archive = Archive::new(bytes);
    for entry in archive.entries().map_err(damaged)? {
        let mut entry = entry.map_err(damaged)?;
        let name = decode(&entry.path_bytes());
        match entry.header().entry_type() {
            EntryType::Regular | EntryType::Continuous | EntryType::GNUSparse => {}
            EntryType::Directory => continue,
            _ => {
                taken.leave_out(&name, "it is a link or a device");
                continue;
            }
        }
        if !taken.wants(&name, entry.size())? {
            continue;
        }
        taken.add(name, content(&mut entry, taken.left()).map_err(damaged)?)?;
    }
    Ok(())
}
