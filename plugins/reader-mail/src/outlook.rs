//! Mails of Outlook as files (MSG): compound files of properties.

use std::collections::HashMap;
use std::io::{Cursor, Read, Write};
use std::path::{Path, PathBuf};

use cfb::CompoundFile;
use mitt_reader_kit::compound::{self, Regular};
use mitt_reader_kit::{Error, single_line};

use crate::inside::Inside;
use crate::letter::Letter;
use crate::properties::{
    CLASS, CONTENT_ID, DATA, DISPLAY_NAME, FILE_NAME, LONG_NAME, MEDIA_TYPE, Properties, SUBJECT,
    Value,
};
use crate::{damaged, encrypted, mime};

/// Most recipients and attachments that are read.
const MAX_MEMBERS: usize = 2_000;
/// The stream with the fixed-size properties of a mail, a recipient or an attachment.
const NUMBERS: &str = "__properties_version1.0";
/// The storage with the names of properties, in the root only.
const NAMES: &str = "__nameid_version1.0";

type File<'a> = CompoundFile<Cursor<&'a [u8]>>;

pub(crate) fn letter(bytes: &[u8]) -> Result<Letter, Error> {
    let Regular { bytes, warnings } = compound::regular(bytes).map_err(damaged)?;
    let mut file = CompoundFile::open(Cursor::new(&*bytes)).map_err(damaged)?;
    let root = PathBuf::from("/");
    let own = properties(&mut file, &root, 32);
    if own.0.is_empty() {
        return Err(damaged("it has no properties"));
    }
    let page = own.page();
    let class = own.text(CLASS, page).unwrap_or_default().to_ascii_lowercase();
    let (people, attached) = members(&file);
    let recipients: Vec<_> = people.iter().map(|path| properties(&mut file, path, 8)).collect();
    let (mut letter, shown) = own.letter(&recipients)?;
    letter.warnings.extend(warnings);
    let is_secure = class.starts_with("ipm.note.smime");
    let mut inside = Inside::new(&shown.pictures);
    for path in attached {
        let own = properties(&mut file, &path, 8);
        let text = |id: u16| own.text(id, page);
        let name = text(LONG_NAME).or_else(|| text(FILE_NAME)).or_else(|| text(DISPLAY_NAME));
        let embedded = path.join("__substg1.0_3701000D");
        if file.is_storage(&embedded) {
            if file.is_stream(embedded.join(NUMBERS)) {
                let name = embedded_name(&mut file, &embedded, name);
                match extracted(&mut file, &embedded) {
                    Ok(bytes) => letter.attach(&name, bytes),
                    Err(error) => letter.warnings.push(format!("{name} was left out: {error}")),
                }
            } else {
                let name = single_line(&name.unwrap_or_else(|| "an object".into()));
                letter.warnings.push(format!("{name} was left out: it is an object of a program"));
            }
            continue;
        }
        let kind = text(MEDIA_TYPE).unwrap_or_default().to_ascii_lowercase();
        let Some(bytes) = own.bytes(DATA) else {
            if let Some(name) = name {
                let name = single_line(&name);
                letter.warnings.push(format!("{name} was left out: only a link to it is there"));
            }
            continue;
        };
        if is_secure {
            return secure(bytes, letter, &class);
        }
        let name = name.unwrap_or_default();
        inside.take(&mut letter, (&name, &kind, text(CONTENT_ID).as_deref()), bytes.to_vec());
    }
    inside.warn(&mut letter.warnings);
    Ok(letter)
}

/// Reads an S/MIME mail, whose only attachment is the whole mail.
fn secure(bytes: &[u8], letter: Letter, class: &str) -> Result<Letter, Error> {
    let signed = match crate::signed::open(bytes) {
        crate::signed::Cms::Encrypted => return Err(encrypted()),
        crate::signed::Cms::Signed(inner) => inner,
        crate::signed::Cms::Unknown if class.contains("multipartsigned") => bytes.to_vec(),
        crate::signed::Cms::Unknown => return Err(encrypted()),
    };
    let inner = mime::letter(&signed)?;
    let mut warnings = letter.warnings;
    warnings.extend(inner.warnings);
    const TOLD: &str = "the signature was not checked";
    if !warnings.iter().any(|warning| warning == TOLD) {
        warnings.push(TOLD.into());
    }
    Ok(Letter { body: inner.body, tables: inner.tables, parts: inner.parts, warnings, ..letter })
}

/// Returns the paths of the recipients and the attachments.
fn members(file: &File<'_>) -> (Vec<PathBuf>, Vec<PathBuf>) {
    let mut storages: Vec<PathBuf> = file
        .read_root_storage()
        .filter(|entry| entry.is_storage())
        .map(|entry| entry.path().to_path_buf())
        .collect();
    storages.sort();
    let of = |start: &str| {
        let is_one = |path: &&PathBuf| {
            path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(start))
        };
        storages.iter().filter(is_one).take(MAX_MEMBERS).cloned().collect()
    };
    (of("__recip_version1.0_"), of("__attach_version1.0_"))
}

/// Returns the properties of a storage. Its stream of fixed-size properties begins with `head` other bytes.
fn properties(file: &mut File<'_>, path: &Path, head: usize) -> Properties {
    let mut found = HashMap::new();
    let numbers = stream(file, &path.join(NUMBERS)).unwrap_or_default();
    for entry in numbers.get(head..).unwrap_or_default().as_chunks::<16>().0 {
        let [kind, kind_high, id, id_high, _, _, _, _, value @ ..] = *entry;
        let (kind, id) = (u16::from_le_bytes([kind, kind_high]), u16::from_le_bytes([id, id_high]));
        let number = match kind {
            // An integer of 16 bits, one of 32 bits, a boolean, a time.
            0x0002 => u64::from(u16::from_le_bytes([value[0], value[1]])),
            0x0003 | 0x000B => {
                u64::from(u32::from_le_bytes([value[0], value[1], value[2], value[3]]))
            }
            0x0014 | 0x0040 => u64::from_le_bytes(value),
            _ => continue,
        };
        found.insert(id, Value::Number(number));
    }
    let streams: Vec<(PathBuf, String)> = match file.read_storage(path) {
        Ok(entries) => entries
            .filter(|entry| entry.is_stream())
            .map(|entry| (entry.path().to_path_buf(), entry.name().to_owned()))
            .collect(),
        Err(_) => Vec::new(),
    };
    for (path, name) in streams {
        let Some(code) = name.strip_prefix("__substg1.0_").filter(|code| code.len() == 8) else {
            continue;
        };
        let Ok(code) = u32::from_str_radix(code, 16) else { continue };
        let (id, kind) = ((code >> 16) as u16, code as u16);
        let Some(bytes) = stream(file, &path) else { continue };
        match kind {
            0x001F => found.insert(id, Value::Wide(bytes)),
            0x001E | 0x0102 => found.insert(id, Value::Bytes(bytes)),
            _ => None,
        };
    }
    Properties(found)
}

fn stream(file: &mut File<'_>, path: &Path) -> Option<Vec<u8>> {
    let mut stream = file.open_stream(path).ok()?;
    let mut bytes = Vec::new();
    // A damaged stream is read as far as possible.
    let _ = stream.read_to_end(&mut bytes);
    Some(bytes)
}

fn embedded_name(file: &mut File<'_>, path: &Path, name: Option<String>) -> String {
    let own = properties(file, path, 24);
    let name = own.text(SUBJECT, own.page()).or(name).unwrap_or_else(|| "mail".into());
    let name = single_line(&name.replace(['/', '\\'], "_"));
    if name.to_ascii_lowercase().ends_with(".msg") { name } else { format!("{name}.msg") }
}

/// Returns a nested mail as a file.
fn extracted(file: &mut File<'_>, path: &Path) -> std::io::Result<Vec<u8>> {
    let mut out = CompoundFile::create(Cursor::new(Vec::new()))?;
    let mut sources = vec![(path.to_path_buf(), PathBuf::from("/"))];
    let names = PathBuf::from("/").join(NAMES);
    if file.is_storage(&names) {
        out.create_storage(&names)?;
        sources.push((names.clone(), names));
    }
    while let Some((from, to)) = sources.pop() {
        let entries: Vec<_> = file
            .read_storage(&from)?
            .map(|entry| (entry.name().to_owned(), entry.is_storage()))
            .collect();
        for (name, is_storage) in entries {
            let (source, target) = (from.join(&name), to.join(&name));
            if is_storage {
                out.create_storage(&target)?;
                sources.push((source, target));
                continue;
            }
            let mut bytes = stream(file, &source).unwrap_or_default();
            if name == NUMBERS && from == path && bytes.len() >= 24 {
                // A mail that is not nested has eight more reserved bytes.
                bytes.splice(24..24, [0; 8]);
            }
            out.create_stream(&target)?.write_all(&bytes)?;
        }
    }
    out.flush()?;
    Ok(out.into_inner().into_inner())
}
