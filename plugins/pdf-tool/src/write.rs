//! Writes a document: everything that can be reached from the catalog, numbered anew, in one section.

use crate::crypt::{Lock, Permissions};
use crate::error::{Result, malformed};
use crate::file::Pdf;
use crate::load;
use crate::object::{Dict, Object, Stream};
use md5::{Digest as _, Md5};
use mitt_guest::FoldMap;
use std::collections::BTreeMap;
use std::collections::hash_map::Entry;
use std::io::Write as _;

/// Largest file that is made.
pub(crate) const MAX_FILE: usize = 256 << 20;
/// Objects of one object stream.
const PACK: usize = 200;

/// How a document is written.
#[derive(Clone, Debug, Default)]
pub struct SaveOptions {
    /// Small objects go to compressed object streams. Readers from 2003 on know them.
    pub is_packed: bool,
    /// Passwords and permissions; without them the file is not encrypted.
    pub protection: Option<Protection>,
}

/// Passwords and permissions of a new file.
#[derive(Clone, Debug)]
pub struct Protection {
    /// Password that opens the file; empty if everybody may read it.
    pub user: String,
    /// Password that allows all.
    pub owner: String,
    /// What the user may do.
    pub permissions: Permissions,
}

struct Writer<'a> {
    out: Vec<u8>,
    numbers: FoldMap<u32, u32>,
    lock: Option<Lock>,
    pdf: &'a Pdf,
}

/// Objects that can be reached from the catalog, in the order in which they are met.
#[derive(Default)]
pub(crate) struct Reached {
    order: Vec<u32>,
    /// Place in the order, from 1.
    new: FoldMap<u32, u32>,
}

impl Reached {
    /// Returns the numbers, sorted.
    pub(crate) fn sorted(mut self) -> Vec<u32> {
        self.order.sort_unstable();
        self.order
    }
}

/// Returns the objects that can be reached from the catalog and the properties of a document.
pub(crate) fn reachable(pdf: &Pdf) -> Reached {
    let mut reached = Reached::default();
    let mut todo: Vec<&Object> = vec![pdf.trailer.get("Info"), pdf.trailer.get("Root")];
    while let Some(value) = todo.pop() {
        match value {
            Object::Ref(number) => {
                let Some(target) = pdf.objects.get(number) else { continue };
                let next = u32::try_from(reached.order.len() + 1).unwrap_or(u32::MAX);
                if let Entry::Vacant(entry) = reached.new.entry(*number) {
                    entry.insert(next);
                    reached.order.push(*number);
                    todo.push(target);
                }
            }
            Object::Array(values) => todo.extend(values.iter().rev().filter(|it| leads_on(it))),
            Object::Dict(dict) => {
                todo.extend(dict.iter().map(|it| it.1).filter(|it| leads_on(it)));
            }
            Object::Stream(stream) => {
                let entries = stream.dict.iter().filter(|(key, _)| *key != b"Length");
                todo.extend(entries.map(|it| it.1).filter(|it| leads_on(it)));
            }
            _ => {}
        }
    }
    reached
}

fn leads_on(value: &Object) -> bool {
    matches!(value, Object::Ref(_) | Object::Array(_) | Object::Dict(_) | Object::Stream(_))
}

/// Writes a document.
///
/// # Errors
///
/// `malformed` - the file would be too large. Those of [`Lock::new`].
pub(crate) fn write(pdf: &Pdf, options: &SaveOptions) -> Result<Vec<u8>> {
    let Reached { order, new: numbers } = reachable(pdf);
    let id = identity(pdf, &order);
    let lock = match &options.protection {
        Some(it) => Some(Lock::new(&it.user, &it.owner, it.permissions, &id)?),
        None => None,
    };
    let least = if lock.is_some() {
        "2.0"
    } else if options.is_packed {
        "1.5"
    } else {
        "1.4"
    };
    let of_catalog =
        pdf.catalog().get("Version").as_name().map(|it| String::from_utf8_lossy(it).into_owned());
    let version = [Some(pdf.version.clone()), of_catalog, Some(least.to_owned())]
        .into_iter()
        .flatten()
        .filter(|it| matches!(it.as_bytes(), [b'1' | b'2', b'.', b'0'..=b'9']))
        .max()
        .unwrap_or_else(|| "1.7".to_owned());
    let mut writer = Writer { out: Vec::new(), numbers, lock, pdf };
    writer.out.extend(
        format!("%PDF-{version}\n%\u{e2}\u{e3}\u{cf}\u{d3}\n").bytes().filter(|it| *it != 0xc3),
    );
    let mut places: BTreeMap<u32, (u8, usize, usize)> = BTreeMap::new();
    let mut packed = Vec::new();
    for (new, old) in (1_u32..).zip(&order) {
        let Some(value) = pdf.objects.get(old) else { continue };
        // What readers look for first stays outside.
        let is_plain =
            matches!(value, Object::Stream(_)) || Some(*old) == pdf.trailer.get("Root").as_ref();
        if options.is_packed && !is_plain {
            packed.push((new, value));
            continue;
        }
        places.insert(new, (1, writer.out.len(), 0));
        writer.object(new, value)?;
    }
    let mut next = u32::try_from(order.len() + 1).unwrap_or(u32::MAX);
    for group in packed.chunks(PACK) {
        let (mut index, mut body) = (String::new(), Vec::new());
        for (at, (number, value)) in group.iter().enumerate() {
            index.push_str(&format!("{number} {} ", body.len()));
            places.insert(*number, (2, next as usize, at));
            writer.value(&mut body, value, false);
            body.push(b' ');
        }
        let first = i64::try_from(index.len()).unwrap_or(0);
        let data = [index.as_bytes(), &body].concat();
        let dict = Dict::new()
            .with("Type", Object::name("ObjStm"))
            .with("N", i64::try_from(group.len()).unwrap_or(0))
            .with("First", first);
        places.insert(next, (1, writer.out.len(), 0));
        writer.object(next, &Stream::deflated(dict, &data).into())?;
        next += 1;
    }
    let encrypt = match writer.lock.as_ref().map(|it| it.dict().clone()) {
        Some(dict) => {
            places.insert(next, (1, writer.out.len(), 0));
            let lock = writer.lock.take();
            writer.object(next, &dict.into())?;
            writer.lock = lock;
            next += 1;
            Some(next - 1)
        }
        None => None,
    };
    let mut trailer = Dict::new();
    for key in ["Root", "Info"] {
        if let Some(new) = pdf.trailer.get(key).as_ref().and_then(|it| writer.numbers.get(&it)) {
            trailer.set(key, Object::Ref(*new));
        }
    }
    let new_id = Md5::digest(&writer.out).to_vec();
    trailer.set("ID", vec![Object::Str(id), Object::Str(new_id)]);
    if let Some(number) = encrypt {
        trailer.set("Encrypt", Object::Ref(number));
    }
    writer.finish(&trailer, places, next, options.is_packed)
}

/// Returns the first part of the identity: that of the file, or a hash of what is in it.
fn identity(pdf: &Pdf, order: &[u32]) -> Vec<u8> {
    let ids = pdf.array(&pdf.trailer, "ID");
    if let Some(id) = ids.first().and_then(|it| pdf.resolve(it).as_str()).filter(|it| it.len() >= 8)
    {
        return id.to_vec();
    }
    let mut md5 = Md5::new();
    for number in order {
        md5.update(number.to_le_bytes());
        if let Some(Object::Stream(stream)) = pdf.objects.get(number) {
            md5.update(load::raw(stream));
        }
    }
    md5.finalize().to_vec()
}

impl Writer<'_> {
    fn object(&mut self, number: u32, value: &Object) -> Result<()> {
        let mut out = std::mem::take(&mut self.out);
        out.extend(format!("{number} 0 obj\n").bytes());
        if let Object::Stream(stream) = value {
            let data = load::raw(stream);
            let is_clear = stream.dict.get("Type").is_name("XRef");
            let sealed = match self.lock.as_mut().filter(|_| !is_clear) {
                Some(lock) => lock.seal(&data).into(),
                None => data,
            };
            let mut dict = stream.dict.clone();
            dict.set("Length", i64::try_from(sealed.len()).unwrap_or(0));
            self.value(&mut out, &dict.into(), true);
            out.extend(b"\nstream\n");
            out.extend_from_slice(&sealed);
            out.extend(b"\nendstream");
        } else {
            self.value(&mut out, value, true);
        }
        out.extend(b"\nendobj\n");
        self.out = out;
        if self.out.len() > MAX_FILE {
            return malformed("the new file would be too large");
        }
        Ok(())
    }

    /// Writes a value. Strings in object streams are not encrypted on their own.
    fn value(&mut self, out: &mut Vec<u8>, value: &Object, is_sealed: bool) {
        match value {
            Object::Null | Object::Stream(_) => out.extend(b"null"),
            Object::Bool(is) => out.extend(if *is { &b"true"[..] } else { b"false" }),
            Object::Int(number) => put_int(out, *number),
            Object::Real(number) => out.extend_from_slice(real(*number).as_bytes()),
            Object::Name(name) => put_name(out, name),
            Object::Str(text) => match self.lock.as_mut().filter(|_| is_sealed) {
                Some(lock) => put_hex(out, &lock.seal(text)),
                None => put_string(out, text),
            },
            Object::Array(values) => {
                out.push(b'[');
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        out.push(b' ');
                    }
                    self.value(out, value, is_sealed);
                }
                out.push(b']');
            }
            Object::Dict(dict) => {
                out.extend(b"<<");
                // The last of two entries of the same name counts. Large dictionaries are not searched for them.
                let is_small = dict.len() < 200;
                for (key, value) in dict.iter() {
                    if is_small && !dict.find(key).is_some_and(|it| std::ptr::eq(it, value)) {
                        continue;
                    }
                    put_name(out, key);
                    out.push(b' ');
                    self.value(out, value, is_sealed);
                }
                out.extend(b">>");
            }
            Object::Ref(number) => match self.numbers.get(number) {
                Some(new) => {
                    put_int(out, i64::from(*new));
                    out.extend_from_slice(b" 0 R");
                }
                None => out.extend(b"null"),
            },
        }
    }

    fn finish(
        mut self,
        trailer: &Dict,
        mut places: BTreeMap<u32, (u8, usize, usize)>,
        next: u32,
        is_packed: bool,
    ) -> Result<Vec<u8>> {
        let start = self.out.len();
        // References of the trailer are those of the new file.
        self.numbers = (1..=next).map(|it| (it, it)).collect();
        self.lock = None;
        let _ = self.pdf;
        let mut dict = trailer.clone();
        if is_packed {
            places.insert(next, (1, start, 0));
            dict.set("Size", i64::from(next) + 1);
            dict.set("Type", Object::name("XRef"));
            dict.set("W", vec![Object::Int(1), Object::Int(4), Object::Int(2)]);
            let mut data = vec![0_u8, 0, 0, 0, 0, 0xff, 0xff];
            for number in 1..=next {
                let (kind, first, second) = places.get(&number).copied().unwrap_or((0, 0, 0));
                data.push(kind);
                data.extend(u32::try_from(first).unwrap_or(0).to_be_bytes());
                data.extend(u16::try_from(second).unwrap_or(0).to_be_bytes());
            }
            self.object(next, &Stream::deflated(dict, &data).into())?;
        } else {
            dict.set("Size", i64::from(next));
            self.out.extend(format!("xref\n0 {next}\n0000000000 65535 f \n").bytes());
            for number in 1..next {
                let line = match places.get(&number) {
                    Some((_, at, _)) => format!("{at:010} 00000 n \n"),
                    None => "0000000000 65535 f \n".to_owned(),
                };
                self.out.extend(line.bytes());
            }
            self.out.extend(b"trailer\n");
            let mut out = std::mem::take(&mut self.out);
            self.value(&mut out, &dict.into(), false);
            self.out = out;
            self.out.push(b'\n');
        }
        self.out.extend(format!("startxref\n{start}\n%%EOF\n").bytes());
        Ok(self.out)
    }
}

/// Writes a number without an exponent.
pub(crate) fn real(number: f64) -> String {
    if !number.is_finite() {
        return "0".to_owned();
    }
    let text = format!("{number:.6}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if matches!(text, "-0" | "") { "0".to_owned() } else { text.to_owned() }
}

fn put_int(out: &mut Vec<u8>, number: i64) {
    // Writing to memory does not fail.
    let _ = write!(out, "{number}");
}

pub(crate) fn put_name(out: &mut Vec<u8>, name: &[u8]) {
    out.push(b'/');
    for byte in name {
        if (0x21..0x7f).contains(byte) && *byte != b'#' && !crate::lex::is_delimiter(*byte) {
            out.push(*byte);
        } else {
            out.extend(format!("#{byte:02X}").bytes());
        }
    }
}

fn put_hex(out: &mut Vec<u8>, text: &[u8]) {
    out.push(b'<');
    for byte in text {
        out.extend(format!("{byte:02X}").bytes());
    }
    out.push(b'>');
}

pub(crate) fn put_string(out: &mut Vec<u8>, text: &[u8]) {
    if text.iter().any(|it| *it < 0x20 || *it > 0x7e) {
        return put_hex(out, text);
    }
    out.push(b'(');
    for byte in text {
        if matches!(byte, b'(' | b')' | b'\\') {
            out.push(b'\\');
        }
        out.push(*byte);
    }
    out.push(b')');
}

/// Writes a value without references, as in a content stream.
pub(crate) fn put_plain(out: &mut Vec<u8>, value: &Object) {
    match value {
        Object::Int(number) => put_int(out, *number),
        Object::Real(number) => out.extend_from_slice(real(*number).as_bytes()),
        Object::Bool(is) => out.extend(if *is { &b"true"[..] } else { b"false" }),
        Object::Name(name) => put_name(out, name),
        Object::Str(text) => put_string(out, text),
        Object::Array(values) => {
            out.push(b'[');
            for value in values {
                put_plain(out, value);
                out.push(b' ');
            }
            out.push(b']');
        }
        Object::Dict(dict) => {
            out.extend(b"<<");
            for (key, value) in dict.iter() {
                put_name(out, key);
                out.push(b' ');
                put_plain(out, value);
            }
            out.extend(b">>");
        }
        Object::Null | Object::Stream(_) | Object::Ref(_) => out.extend(b"null"),
    }
}
