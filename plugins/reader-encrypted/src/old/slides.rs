//! PowerPoint: each stored object is encrypted separately, with its header. One object, which is not encrypted, describes
//! the encryption.

use std::collections::BTreeMap;

use super::key::Key;
use super::{File, put, replace, stream, u16_at, u32_at};
use crate::damaged;
use mitt_reader_kit::Error;

pub(super) const STREAM: &str = "/PowerPoint Document";
const USER: &str = "/Current User";

/// Offsets in the stream of the user: the type of the presentation, and the offset of the last edit.
const TOKEN_AT: usize = 12;
const EDIT_AT: usize = 16;
const CLEAR_TOKEN: u32 = 0xE391_C05F;

const EDIT: u16 = 0x0FF5;
const PERSISTENT: u16 = 0x1772;
const SESSION: u16 = 0x2F14;
/// Bytes of a record header.
const HEAD: usize = 8;
/// Offset in an edit of the identifier of the object that describes the encryption.
const SESSION_AT: usize = HEAD + 28;
/// Most edits in a chain, and most objects.
const MAX_EDITS: usize = 1_000;
const MAX_OBJECTS: usize = 1 << 20;

pub(super) fn decrypt(file: &mut File, units: &[u16]) -> Result<(), Error> {
    let mut user = stream(file, USER)?;
    let mut deck = stream(file, STREAM)?;
    let (objects, edits) = objects(&deck, u32_at(&user, EDIT_AT)? as usize)?;
    let session =
        edits.iter().find_map(|edit| u32_at(&deck, edit + SESSION_AT).ok().filter(|id| *id > 0));
    let session = session.ok_or_else(|| damaged("it is not encrypted"))?;
    let at =
        *objects.get(&session).ok_or_else(|| damaged("it does not say how it is encrypted"))?;
    if at >= deck.len() || u16_at(&deck, at + 2)? != SESSION {
        return Err(damaged("it does not say how it is encrypted"));
    }
    let length = u32_at(&deck, at + 4)? as usize;
    let description = deck.get(at + HEAD..).and_then(|rest| rest.get(..length));
    let key = Key::of(description.ok_or_else(|| damaged("its description is cut short"))?, units)?;
    for (id, at) in objects.into_iter().filter(|(id, _)| *id != session) {
        let head = deck.get(at..).and_then(<[u8]>::first_chunk::<HEAD>).copied();
        let mut head = head.ok_or_else(|| damaged("it is cut short"))?;
        key.apply(id, &mut head)?;
        let length = u32_at(&head, 4)? as usize;
        let end = at.saturating_add(HEAD).saturating_add(length).min(deck.len());
        key.apply(id, deck.get_mut(at..end).unwrap_or_default())?;
    }
    for edit in edits {
        put(&mut deck, edit + SESSION_AT, &[0; 4]);
    }
    put(&mut user, TOKEN_AT, &CLEAR_TOKEN.to_le_bytes());
    replace(file, STREAM, &deck)?;
    replace(file, USER, &user)
}

/// Returns the offset of each object by its identifier, and the offsets of the edits. Later edits override earlier ones.
fn objects(deck: &[u8], last: usize) -> Result<(BTreeMap<u32, usize>, Vec<usize>), Error> {
    let mut objects = BTreeMap::new();
    let mut edits = Vec::new();
    let mut edit = last;
    while edits.len() < MAX_EDITS {
        if edit >= deck.len() || u16_at(deck, edit + 2)? != EDIT {
            return Err(damaged("its last edit is not where it should be"));
        }
        let (before, directory) =
            (u32_at(deck, edit + HEAD + 8)? as usize, u32_at(deck, edit + HEAD + 12)? as usize);
        if u32_at(deck, edit + 4)? as usize >= SESSION_AT - HEAD + 4 {
            edits.push(edit);
        }
        if directory >= deck.len() || u16_at(deck, directory + 2)? != PERSISTENT {
            return Err(damaged("its directory is not where it should be"));
        }
        let mut at = directory + HEAD;
        let end = at.saturating_add(u32_at(deck, directory + 4)? as usize);
        while at + 4 <= end && objects.len() < MAX_OBJECTS {
            let entry = u32_at(deck, at)?;
            let (first, count) = (entry & 0xF_FFFF, entry >> 20);
            for index in 0..count {
                let place = u32_at(deck, at + 4 + 4 * index as usize)? as usize;
                objects.entry(first + index).or_insert(place);
            }
            at += 4 + 4 * count as usize;
        }
        // Each edit is after its predecessor in the stream.
        if before == 0 || before >= edit {
            break;
        }
        edit = before;
    }
    Ok((objects, edits))
}
