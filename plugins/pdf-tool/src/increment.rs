//! Appends changes to the file that was opened, whose bytes stay as they are, so that its signatures stay intact.

use crate::crypt::Security;
use crate::error::{Result, malformed, unsupported};
use crate::file::{Before, Pdf};
use crate::load;
use crate::object::{Dict, Object, Stream};
use crate::write::{MAX_FILE, put_name, put_string, real};
use md5::{Digest as _, Md5};
use std::collections::{BTreeMap, BTreeSet};

impl Pdf {
    /// From now on, changes are appended when the document is saved.
    ///
    /// # Errors
    ///
    /// `unsupported` - the tables of the file are damaged.
    pub(crate) fn begin_increment(&mut self) -> Result<()> {
        if self.origin.source.is_none() {
            return unsupported(
                "the table of the file is damaged, so that nothing can be appended to it; only a file that is written \
                    anew can be changed, which removes its signatures: ask the user, then set `break_signatures`",
            );
        }
        let size = self.trailer.get("Size").as_int().and_then(|it| u32::try_from(it).ok());
        self.number_from(size.unwrap_or(0).min(load::MAX_NUMBER));
        self.origin.before =
            Some(Before { objects: self.objects.clone(), next: self.next_number() });
        Ok(())
    }

    /// Returns `true` if changes are appended to the file.
    pub fn is_increment(&self) -> bool {
        self.origin.before.is_some()
    }
}

fn references(value: &Object, found: &mut Vec<u32>) {
    match value {
        Object::Ref(number) => found.push(*number),
        Object::Array(values) => values.iter().for_each(|it| references(it, found)),
        Object::Dict(dict) => dict.iter().for_each(|it| references(it.1, found)),
        Object::Stream(stream) => stream.dict.iter().for_each(|it| references(it.1, found)),
        _ => {}
    }
}

/// Returns the numbers of objects that are written: those that were changed, and those that the file does not have and that
/// are referred to.
fn changed(pdf: &Pdf, before: &Before) -> BTreeSet<u32> {
    let end = pdf.origin.end;
    let mut todo: Vec<u32> = pdf
        .objects
        .iter()
        .filter(|(number, value)| {
            // A new object is written if something refers to it.
            *number < before.next && before.objects.get(number).is_none_or(|old| old != *value)
        })
        .map(|it| it.0)
        .collect();
    if let Some(info) = pdf.trailer.get("Info").as_ref().filter(|it| *it >= end) {
        todo.push(info);
    }
    // Values that became objects of their own when the file was opened: what refers to them is written with them.
    let mut owners: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, value) in pdf.objects.iter() {
        let mut found = Vec::new();
        references(value, &mut found);
        for target in found.into_iter().filter(|it| (end..before.next).contains(it)) {
            owners.entry(target).or_default().push(number);
        }
    }
    let mut written = BTreeSet::new();
    while let Some(number) = todo.pop() {
        let Some(value) = pdf.objects.get(&number) else { continue };
        if !written.insert(number) {
            continue;
        }
        let mut found = Vec::new();
        references(value, &mut found);
        todo.extend(found.into_iter().filter(|it| *it >= end));
        todo.extend(owners.get(&number).into_iter().flatten());
    }
    written
}

/// Writes the file with its changes appended.
///
/// # Errors
///
/// `malformed` - the file would be too large. `unsupported` - it has a page in two places.
pub(crate) fn write(pdf: &Pdf) -> Result<Vec<u8>> {
    let (Some(source), Some(before)) = (&pdf.origin.source, &pdf.origin.before) else {
        return malformed("nothing can be appended to the file");
    };
    let written = changed(pdf, before);
    let mut out = source.file.as_ref().clone();
    if written.is_empty() {
        return Ok(out);
    }
    if pdf.pages.iter().any(|it| *it >= pdf.origin.end && written.contains(it)) {
        return unsupported(
            "a page stands twice in the document, so that its changes cannot be appended",
        );
    }
    if !out.ends_with(b"\n") {
        out.push(b'\n');
    }
    let mut writer = Writer { pdf, out, count: 0 };
    let mut places = BTreeMap::new();
    for number in &written {
        let Some(value) = pdf.objects.get(number) else { continue };
        let generation = pdf.origin.generations.get(number).copied().unwrap_or(0);
        places.insert(*number, (writer.out.len() - source.base, generation));
        // Values that a page inherits are not written into it.
        let inherited = pdf.origin.inherited.get(number);
        let old = before.objects.get(number).and_then(Object::as_dict);
        match (value, inherited, old) {
            (Object::Dict(dict), Some(keys), Some(old)) => {
                let mut dict = dict.clone();
                dict.retain(|key, value| {
                    !keys.iter().any(|it| it == key) || old.find(key) != Some(value)
                });
                writer.object(*number, generation, &dict.into())?;
            }
            _ => writer.object(*number, generation, value)?,
        }
    }
    writer.finish(places)
}

struct Writer<'a> {
    pdf: &'a Pdf,
    out: Vec<u8>,
    count: u64,
}

impl Writer<'_> {
    fn object(&mut self, number: u32, generation: u16, value: &Object) -> Result<()> {
        let mut out = std::mem::take(&mut self.out);
        let security = self.pdf.security.as_ref();
        let owner = security.map(|it| (it, number, generation));
        out.extend(format!("{number} {generation} obj\n").bytes());
        if let Object::Stream(stream) = value {
            let mut data = load::raw(stream).into_owned();
            let secret = security.and_then(|it| it.stream(&stream.dict, number, generation));
            if let Some(secret) = secret {
                data = secret.seal(&data, self.next(number));
            }
            let mut dict = stream.dict.clone();
            dict.set("Length", i64::try_from(data.len()).unwrap_or(0));
            self.value(&mut out, &dict.into(), owner);
            out.extend(b"\nstream\n");
            out.extend(data);
            out.extend(b"\nendstream");
        } else {
            self.value(&mut out, value, owner);
        }
        out.extend(b"\nendobj\n");
        self.out = out;
        if self.out.len() > MAX_FILE {
            return malformed("the new file would be too large");
        }
        Ok(())
    }

    fn next(&mut self, number: u32) -> u64 {
        self.count += 1;
        self.count << 32 | u64::from(number)
    }

    fn value(&mut self, out: &mut Vec<u8>, value: &Object, owner: Option<(&Security, u32, u16)>) {
        match value {
            Object::Null | Object::Stream(_) => out.extend(b"null"),
            Object::Bool(is) => out.extend(if *is { &b"true"[..] } else { b"false" }),
            Object::Int(number) => out.extend(number.to_string().bytes()),
            Object::Real(number) => out.extend(real(*number).bytes()),
            Object::Name(name) => put_name(out, name),
            Object::Str(text) => match owner {
                Some((security, number, generation)) => {
                    let count = self.next(number);
                    put_string(out, &security.strings(number, generation).seal(text, count));
                }
                None => put_string(out, text),
            },
            Object::Array(values) => {
                out.push(b'[');
                for (at, value) in values.iter().enumerate() {
                    if at > 0 {
                        out.push(b' ');
                    }
                    self.value(out, value, owner);
                }
                out.push(b']');
            }
            Object::Dict(dict) => {
                out.extend(b"<<");
                for (key, value) in dict.iter() {
                    // The last of two entries of the same name counts.
                    if dict.len() < 200 && !dict.find(key).is_some_and(|it| std::ptr::eq(it, value))
                    {
                        continue;
                    }
                    put_name(out, key);
                    out.push(b' ');
                    self.value(out, value, owner);
                }
                out.extend(b">>");
            }
            Object::Ref(number) => {
                let generation = self.pdf.origin.generations.get(number).copied().unwrap_or(0);
                out.extend(format!("{number} {generation} R").bytes());
            }
        }
    }

    /// Writes the table of the increment, of the kind of the newest one of the file.
    fn finish(mut self, mut places: BTreeMap<u32, (usize, u16)>) -> Result<Vec<u8>> {
        let Some(source) = &self.pdf.origin.source else { return Ok(self.out) };
        let start = self.out.len() - source.base;
        let old = self.pdf.trailer.get("Size").as_int().and_then(|it| u32::try_from(it).ok());
        let highest = places.keys().next_back().copied().unwrap_or(0);
        let mut size = highest.saturating_add(1).max(old.unwrap_or(0)).max(self.pdf.origin.end);
        let mut trailer = Dict::new();
        for key in ["Root", "Info", "Encrypt"] {
            if self.pdf.trailer.has(key) {
                trailer.set(key, self.pdf.trailer.get(key).clone());
            }
        }
        let ids = self.pdf.array(&self.pdf.trailer, "ID");
        let new_id = Object::Str(Md5::digest(&self.out).to_vec());
        let first = ids.first().map(|it| self.pdf.resolve(it).clone());
        // Keys of an encrypted file depend on the first part.
        if first.is_some() || self.pdf.security.is_none() {
            trailer.set("ID", vec![first.unwrap_or_else(|| new_id.clone()), new_id]);
        }
        trailer.set("Prev", i64::try_from(source.table).unwrap_or(0));
        if source.is_stream {
            places.insert(size, (start, 0));
            let number = size;
            size += 1;
            let mut index = Vec::new();
            let mut data = Vec::new();
            for (first, entries) in runs(&places) {
                index.extend([i64::from(first), i64::try_from(entries.len()).unwrap_or(0)]);
                for (offset, generation) in entries {
                    data.push(1);
                    data.extend(u32::try_from(offset).unwrap_or(0).to_be_bytes());
                    data.extend(generation.to_be_bytes());
                }
            }
            trailer.set("Type", Object::name("XRef"));
            trailer.set("Size", i64::from(size));
            trailer.set("W", vec![Object::Int(1), Object::Int(4), Object::Int(2)]);
            trailer.set("Index", index.into_iter().map(Object::Int).collect::<Vec<_>>());
            let stream = Stream::deflated(trailer, &data);
            let mut dict = stream.dict.clone();
            let data = load::raw(&stream).into_owned();
            dict.set("Length", i64::try_from(data.len()).unwrap_or(0));
            let mut out = std::mem::take(&mut self.out);
            out.extend(format!("{number} 0 obj\n").bytes());
            self.value(&mut out, &dict.into(), None);
            out.extend(b"\nstream\n");
            out.extend(data);
            out.extend(b"\nendstream\nendobj\n");
            self.out = out;
        } else {
            trailer.set("Size", i64::from(size));
            self.out.extend(b"xref\n");
            for (first, entries) in runs(&places) {
                self.out.extend(format!("{first} {}\n", entries.len()).bytes());
                for (offset, generation) in entries {
                    self.out.extend(format!("{offset:010} {generation:05} n \n").bytes());
                }
            }
            self.out.extend(b"trailer\n");
            let mut out = std::mem::take(&mut self.out);
            self.value(&mut out, &trailer.into(), None);
            self.out = out;
            self.out.push(b'\n');
        }
        self.out.extend(format!("startxref\n{start}\n%%EOF\n").bytes());
        Ok(self.out)
    }
}

/// Returns entries with numbers that follow each other, each run with its first number.
fn runs(places: &BTreeMap<u32, (usize, u16)>) -> Vec<(u32, Vec<(usize, u16)>)> {
    let mut runs: Vec<(u32, Vec<(usize, u16)>)> = Vec::new();
    for (number, place) in places {
        match runs.last_mut() {
            Some((first, run))
                if u32::try_from(run.len()).is_ok_and(|it| *first + it == *number) =>
            {
                run.push(*place)
            }
            _ => runs.push((*number, vec![*place])),
        }
    }
    runs
}
