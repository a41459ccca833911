//! Tape archives, which are not compressed.

use std::io::Read;

use tar::{Archive, EntryType};

use crate::names::decode;
use crate::{Taken, damaged};
use mitt_reader_kit::Error;

pub(crate) fn tar(bytes: &[u8], taken: &mut Taken) -> Result<(), Error> {
    let mut archive = Archive::new(bytes);
    for entry in archive.entries().map_err(damaged)? {
        let entry = entry.map_err(damaged)?;
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
        let mut content = Vec::new();
        entry.take(taken.left()).read_to_end(&mut content).map_err(damaged)?;
        taken.add(name, content)?;
    }
    Ok(())
}
