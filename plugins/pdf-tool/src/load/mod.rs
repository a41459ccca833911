//! Finds the objects of a file: by its tables, or by a search through damaged files.

mod search;
mod tables;

use crate::crypt::Security;
use crate::error::{Result, malformed};
use crate::filter;
use crate::lex::{Budget, Fault, Lexer, is_space};
use crate::object::{Data, Dict, Object, Stream};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Highest number of an object.
pub(crate) const MAX_NUMBER: u32 = 8_388_607;
/// Most data of all object streams and tables together.
const MAX_PACKED: usize = 256 << 20;
/// Most sections of a table.
const MAX_SECTIONS: usize = 1_000;

/// Where an object is.
#[derive(Clone, Copy, Debug)]
enum Place {
    At(usize),
    In(u32),
}

/// What was read of a file.
pub(crate) struct Loaded {
    pub(crate) objects: BTreeMap<u32, Object>,
    pub(crate) trailer: Dict,
    pub(crate) security: Option<Security>,
    /// What was damaged, one sentence each.
    pub(crate) repairs: Vec<String>,
    /// Number of sections: revisions of the file.
    pub(crate) sections: usize,
    pub(crate) version: String,
    /// The file, if something can be appended to it: its tables are sound.
    pub(crate) source: Option<Source>,
    /// Generations that are not zero.
    pub(crate) generations: BTreeMap<u32, u16>,
    /// No object has this number or a higher one.
    pub(crate) end: u32,
    /// Objects are in object streams.
    pub(crate) is_packed: bool,
}

/// The file that was read.
#[derive(Clone)]
pub(crate) struct Source {
    pub(crate) file: Rc<Vec<u8>>,
    /// Offsets count from here.
    pub(crate) base: usize,
    /// Where the newest table is.
    pub(crate) table: usize,
    /// It is a stream.
    pub(crate) is_stream: bool,
}

struct Loader {
    file: Rc<Vec<u8>>,
    /// Offsets count from here.
    base: usize,
    budget: Budget,
    packed: usize,
    places: BTreeMap<u32, Place>,
    trailer: Dict,
    repairs: Vec<String>,
    sections: usize,
    /// Where the newest table is, and `true` if it is a stream.
    newest: Option<(usize, bool)>,
    generations: BTreeMap<u32, u16>,
    is_packed: bool,
    /// Where `endstream` and `endobj` stand, once they are needed.
    ends: Option<[Vec<usize>; 2]>,
}

/// Reads all objects of a file.
pub(crate) fn load(bytes: Vec<u8>, password: Option<&str>) -> Result<Loaded> {
    let head = &bytes[..bytes.len().min(1024)];
    let found = find(head, b"%PDF-");
    // A damaged beginning is no reason to give a file up.
    if found.is_none() && (find(&bytes, b" obj").is_none() || find(&bytes, b"endobj").is_none()) {
        return malformed("not a PDF: no `%PDF-` at its beginning");
    }
    let base = found.unwrap_or(0);
    let version = match found {
        Some(at) => bytes[at + 5..].iter().take(3).map(|it| char::from(*it)).collect(),
        None => "1.7".to_owned(),
    };
    let mut loader = Loader {
        file: Rc::new(bytes),
        base,
        budget: Budget::default(),
        packed: 0,
        places: BTreeMap::new(),
        trailer: Dict::new(),
        repairs: Vec::new(),
        sections: 0,
        newest: None,
        generations: BTreeMap::new(),
        is_packed: false,
        ends: None,
    };
    let has_table = loader.tables();
    let mut loaded = None;
    if has_table {
        match loader.objects(password) {
            Ok((objects, security)) if has_pages(&objects, &loader.trailer) => {
                loaded = Some((objects, security))
            }
            Ok(_) => {}
            // A wrong password is no damage.
            Err(error @ crate::Error::Unsupported(_)) => return Err(error),
            Err(_) if loader.budget.0 == 0 => return malformed("the document has too many values"),
            Err(_) => {}
        }
    }
    let (objects, security) = match loaded {
        Some(found) => found,
        None => {
            loader.repairs.push("The table of objects is damaged; it was built anew.".to_owned());
            loader.newest = None;
            loader.search();
            let (mut objects, security) = loader.objects(password)?;
            loader.find_root(&mut objects);
            (objects, security)
        }
    };
    let highest = |it: Option<u32>| it.map_or(1, |it| it.saturating_add(1));
    let used = loader.places.iter().filter(|it| !matches!(it.1, Place::At(usize::MAX)));
    let end =
        highest(used.map(|it| *it.0).next_back()).max(highest(objects.keys().next_back().copied()));
    // What was found by a search cannot be appended to.
    let newest = loader.newest.filter(|_| loader.repairs.is_empty());
    let source = newest.map(|(table, is_stream)| Source {
        file: Rc::clone(&loader.file),
        base,
        table,
        is_stream,
    });
    let Loader { trailer, repairs, sections, generations, is_packed, .. } = loader;
    Ok(Loaded {
        objects,
        trailer,
        security,
        repairs,
        sections,
        version,
        source,
        generations,
        end,
        is_packed,
    })
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|it| it == part)
}

fn follow<'a>(objects: &'a BTreeMap<u32, Object>, value: &'a Object) -> &'a Object {
    let mut value = value;
    for _ in 0..16 {
        match value {
            Object::Ref(number) => value = objects.get(number).unwrap_or(&Object::Null),
            other => return other,
        }
    }
    &Object::Null
}

fn has_pages(objects: &BTreeMap<u32, Object>, trailer: &Dict) -> bool {
    let Some(root) = follow(objects, trailer.get("Root")).as_dict() else { return false };
    let Some(pages) = follow(objects, root.get("Pages")).as_dict() else { return false };
    // The first kid must be there; otherwise the table points elsewhere.
    match follow(objects, pages.get("Kids")).as_array() {
        Some(kids) => {
            kids.is_empty() || kids.iter().any(|kid| follow(objects, kid).as_dict().is_some())
        }
        None => false,
    }
}

impl Loader {
    fn lexer<'a>(file: &'a [u8], at: usize) -> Lexer<'a> {
        Lexer::new(file, at)
    }

    /// Reads what stands behind `12 0 obj`.
    fn body(
        &mut self,
        mut lexer: Lexer<'_>,
        number: u32,
        generation: u16,
        security: Option<&Security>,
    ) -> Result<Object, Fault> {
        let mut value = match lexer.value(&mut self.budget, true) {
            Err(Fault::Syntax) => Object::Null,
            other => other?,
        };
        lexer.skip_space();
        let is_stream = matches!(value, Object::Dict(_)) && lexer.keyword(b"stream");
        if let Some(security) = security {
            let is_table = value.as_dict().is_some_and(|it| it.get("Type").is_name("XRef"));
            if !is_table {
                let secret = security.strings(number, generation);
                open_strings(&mut value, &secret);
            }
        }
        if !is_stream {
            return Ok(value);
        }
        let Object::Dict(dict) = value else { return Ok(value) };
        match lexer.peek() {
            Some(b'\r') => {
                lexer.at += 1;
                if lexer.peek() == Some(b'\n') {
                    lexer.at += 1;
                }
            }
            Some(b'\n') => lexer.at += 1,
            // Blanks before the end of the line.
            Some(b' ') => {
                let mut look = lexer.at;
                while lexer.bytes.get(look) == Some(&b' ') {
                    look += 1;
                }
                match lexer.bytes.get(look) {
                    Some(b'\r') => {
                        lexer.at = look + 1 + usize::from(lexer.bytes.get(look + 1) == Some(&b'\n'))
                    }
                    Some(b'\n') => lexer.at = look + 1,
                    _ => {}
                }
            }
            _ => {}
        }
        let start = lexer.at;
        let length = match dict.get("Length") {
            Object::Int(length) => usize::try_from(*length).ok(),
            Object::Ref(target) => self.length(*target),
            _ => None,
        };
        let end =
            length.and_then(|it| start.checked_add(it)).filter(|end| ends_here(lexer.bytes, *end));
        let end = end.unwrap_or_else(|| self.end_of_stream(lexer.bytes, start));
        let secret = security.and_then(|it| it.stream(&dict, number, generation));
        let data = Data::Source { file: Rc::clone(&self.file), start, end, secret };
        Ok(Object::Stream(Box::new(Stream { dict, data })))
    }

    /// Searches the end of a stream whose length is wrong. Places are found once, because a file can have many such streams.
    fn end_of_stream(&mut self, bytes: &[u8], start: usize) -> usize {
        let find = || [places_of(bytes, b"endstream"), places_of(bytes, b"endobj")];
        let ends = self.ends.get_or_insert_with(find);
        let next =
            |places: &Vec<usize>| places.get(places.partition_point(|it| *it < start)).copied();
        let mut end = next(&ends[0]).or_else(|| next(&ends[1])).unwrap_or(bytes.len());
        // The end of the line in front of it is not part of the data.
        if end > start && bytes[end - 1] == b'\n' {
            end -= 1;
        }
        if end > start && bytes[end - 1] == b'\r' {
            end -= 1;
        }
        end
    }

    /// Returns a length that is an object of its own.
    fn length(&self, number: u32) -> Option<usize> {
        let Some(Place::At(at)) = self.places.get(&number) else { return None };
        let mut lexer = Lexer::new(&self.file, *at);
        (lexer.header()?.0 == number).then(|| lexer.unsigned())?
    }

    fn unpack(&mut self, stream: &Stream) -> Option<Vec<u8>> {
        let raw = raw(stream);
        let decoded = filter::decode(
            &raw,
            &filter::filters(&stream.dict),
            MAX_PACKED - self.packed.min(MAX_PACKED),
        )?;
        self.packed += decoded.bytes.len();
        decoded.picture.is_none().then_some(decoded.bytes)
    }

    /// Reads the objects of all places.
    fn objects(
        &mut self,
        password: Option<&str>,
    ) -> Result<(BTreeMap<u32, Object>, Option<Security>)> {
        let file = Rc::clone(&self.file);
        let security = self.security(&file, password)?;
        let skipped = self.trailer.get("Encrypt").as_ref();
        let mut objects = BTreeMap::new();
        let mut lost = Vec::new();
        let mut packs: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
        for (number, place) in self.places.clone() {
            match place {
                Place::At(usize::MAX) => {}
                Place::In(pack) => packs.entry(pack).or_default().push(number),
                Place::At(at) => {
                    let mut lexer = Self::lexer(&file, at);
                    match lexer.header() {
                        Some((found, generation)) if found == number => {
                            if generation > 0 {
                                self.generations.insert(number, generation);
                            }
                            let open = security.as_ref().filter(|_| Some(number) != skipped);
                            match self.body(lexer, number, generation, open) {
                                Ok(value) => {
                                    objects.insert(number, value);
                                }
                                Err(Fault::Limit) => return too_deep(self.budget.0),
                                Err(_) => lost.push(number),
                            }
                        }
                        _ => lost.push(number),
                    }
                }
            }
        }
        self.is_packed = !packs.is_empty();
        for (pack, numbers) in packs {
            let Some(stream) = objects.get(&pack).and_then(Object::as_stream).cloned() else {
                lost.extend(numbers);
                continue;
            };
            let wanted: BTreeSet<u32> = numbers.iter().copied().collect();
            let read = self.pack(&stream)?;
            let mut left = wanted.clone();
            for (number, value) in read {
                if wanted.contains(&number) && left.remove(&number) {
                    objects.insert(number, value);
                }
            }
            lost.extend(left);
        }
        if !lost.is_empty() {
            self.recover(&file, &lost, &mut objects, security.as_ref())?;
        }
        // Tables and packs are written anew.
        objects.retain(|_, value| {
            value.as_stream().is_none_or(|it| {
                !it.dict.get("Type").is_name("XRef") && !it.dict.get("Type").is_name("ObjStm")
            })
        });
        Ok((objects, security))
    }

    /// Searches for objects that are not where the table says.
    fn recover(
        &mut self,
        file: &[u8],
        lost: &[u32],
        objects: &mut BTreeMap<u32, Object>,
        security: Option<&Security>,
    ) -> Result<()> {
        let mut found = 0_usize;
        let headers = headers(file);
        for number in lost {
            let Some((at, generation)) = headers.get(number) else { continue };
            let mut lexer = Self::lexer(file, *at);
            lexer.header();
            match self.body(lexer, *number, *generation, security) {
                Ok(value) => {
                    objects.insert(*number, value);
                    found += 1;
                }
                Err(Fault::Limit) => return too_deep(self.budget.0),
                Err(_) => {}
            }
        }
        if found > 0 {
            self.repairs.push(format!(
                "Objects not where the table says: {found}; they were found by a search."
            ));
        }
        Ok(())
    }

    fn security(&mut self, file: &[u8], password: Option<&str>) -> Result<Option<Security>> {
        let dict = match self.trailer.get("Encrypt").clone() {
            Object::Dict(dict) => dict,
            Object::Ref(number) => {
                let Some(Place::At(at)) = self.places.get(&number).copied() else {
                    return Ok(None);
                };
                let mut lexer = Self::lexer(file, at);
                let header = lexer.header().filter(|it| it.0 == number);
                let value = header.and_then(|_| self.body(lexer, number, 0, None).ok());
                match value.as_ref().and_then(Object::as_dict) {
                    Some(dict) => dict.clone(),
                    None => {
                        return malformed(
                            "the document is damaged: its dictionary `Encrypt` is missing",
                        );
                    }
                }
            }
            _ => return Ok(None),
        };
        let id = match self.trailer.get("ID") {
            Object::Array(ids) => ids.first().and_then(Object::as_str).unwrap_or_default().to_vec(),
            Object::Ref(number) => {
                let place = self.places.get(number).copied();
                let array = place.and_then(|place| {
                    let Place::At(at) = place else { return None };
                    let mut lexer = Self::lexer(file, at);
                    lexer.header()?;
                    lexer.value(&mut self.budget, true).ok()
                });
                let ids = array.as_ref().and_then(Object::as_array).unwrap_or_default();
                ids.first().and_then(Object::as_str).unwrap_or_default().to_vec()
            }
            _ => Vec::new(),
        };
        let Object::Dict(dict) = self.directed(file, Object::Dict(dict), 0) else {
            return Ok(None);
        };
        Security::open(&dict, &id, password).map(Some)
    }

    /// Replaces references by what they refer to, before objects are read.
    fn directed(&mut self, file: &[u8], value: Object, depth: usize) -> Object {
        if depth > 6 {
            return Object::Null;
        }
        match value {
            Object::Ref(number) => {
                let Some(Place::At(at)) = self.places.get(&number).copied() else {
                    return Object::Null;
                };
                let mut lexer = Self::lexer(file, at);
                if lexer.header().is_none_or(|it| it.0 != number) {
                    return Object::Null;
                }
                let value = lexer.value(&mut self.budget, true).unwrap_or_default();
                self.directed(file, value, depth + 1)
            }
            Object::Dict(dict) => {
                let mut new = Dict::new();
                for (key, value) in dict.iter() {
                    let value = self.directed(file, value.clone(), depth + 1);
                    new.push(key, value);
                }
                new.into()
            }
            other => other,
        }
    }

    /// Reads the objects of an object stream.
    fn pack(&mut self, stream: &Stream) -> Result<Vec<(u32, Object)>> {
        let Some(data) = self.unpack(stream) else {
            if self.packed >= MAX_PACKED {
                return malformed("the document is too large when it is decompressed");
            }
            return Ok(Vec::new());
        };
        let int = |key: &str| stream.dict.get(key).as_int().and_then(|it| usize::try_from(it).ok());
        let (Some(count), Some(first)) = (int("N"), int("First")) else { return Ok(Vec::new()) };
        let mut index = Lexer::new(&data, 0);
        let mut values = Vec::new();
        for _ in 0..count {
            let (Some(number), Some(offset)) = (index.unsigned(), index.unsigned()) else { break };
            let Ok(number) = u32::try_from(number) else { break };
            if number > MAX_NUMBER {
                break;
            }
            let mut lexer = Lexer::new(&data, first.saturating_add(offset));
            match lexer.value(&mut self.budget, true) {
                Ok(value) => values.push((number, value)),
                Err(Fault::Limit) => return too_deep(self.budget.0),
                Err(_) => {}
            }
        }
        Ok(values)
    }
}

fn too_deep<T>(left: usize) -> Result<T> {
    malformed(if left == 0 {
        "the document has too many values"
    } else {
        "the document is damaged: lists are nested deeper than 100 levels"
    })
}

fn open_strings(value: &mut Object, secret: &crate::object::Secret) {
    match value {
        Object::Str(text) => *text = secret.open(text),
        Object::Array(values) => values.iter_mut().for_each(|it| open_strings(it, secret)),
        Object::Dict(dict) => {
            // The contents of a signature are never encrypted.
            let is_signature = dict.has("ByteRange");
            dict.iter_mut()
                .filter(|(key, _)| !(is_signature && *key == b"Contents"))
                .for_each(|(_, it)| open_strings(it, secret));
        }
        _ => {}
    }
}

/// Returns the bytes of a stream as they are in the file, decrypted.
pub(crate) fn raw(stream: &Stream) -> std::borrow::Cow<'_, [u8]> {
    use std::borrow::Cow;
    match &stream.data {
        Data::Owned(bytes) => Cow::Borrowed(bytes.as_slice()),
        Data::Source { file, start, end, secret } => {
            let part = file.get(*start..*end).unwrap_or_default();
            match secret {
                Some(secret) => Cow::Owned(secret.open(part)),
                None => Cow::Borrowed(part),
            }
        }
    }
}

/// Returns `true` if `endstream` follows, perhaps behind the end of a line.
fn ends_here(bytes: &[u8], at: usize) -> bool {
    let Some(rest) = bytes.get(at..) else { return false };
    let blank = rest.iter().take(4).take_while(|it| is_space(**it)).count();
    rest[blank..].starts_with(b"endstream") || rest[blank..].starts_with(b"endobj")
}

/// Returns all places of a word.
fn places_of(bytes: &[u8], word: &[u8]) -> Vec<usize> {
    let mut places = Vec::new();
    let mut at = 0;
    while let Some(found) = find(&bytes[at..], word) {
        places.push(at + found);
        at += found + word.len();
    }
    places
}

/// Finds all `12 0 obj`; of several the last one.
fn headers(file: &[u8]) -> BTreeMap<u32, (usize, u16)> {
    let mut headers = BTreeMap::new();
    let mut at = 0;
    while let Some(found) = find(&file[at..], b"obj") {
        let word = at + found;
        at = word + 3;
        if file[..word].ends_with(b"end") {
            continue;
        }
        let back = |end: usize, test: &dyn Fn(u8) -> bool| {
            let count = file[..end].iter().rev().take(12).take_while(|it| test(**it)).count();
            end - count
        };
        let end = back(word, &is_space);
        let generation = back(end, &|it| it.is_ascii_digit());
        let gap = back(generation, &is_space);
        let number = back(gap, &|it| it.is_ascii_digit());
        if generation == end || gap == generation || number == gap {
            continue;
        }
        let mut lexer = Lexer::new(file, number);
        if let Some((value, generation)) = lexer.header()
            && value <= MAX_NUMBER
        {
            headers.insert(value, (number, generation));
        }
    }
    headers
}
