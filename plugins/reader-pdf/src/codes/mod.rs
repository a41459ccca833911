//! Finds fonts that do not say what their letters are although their codes look like letters, and decides by evidence
//! whether the codes are these letters.
//!
//! A program that puts a part of a font into a document may number the glyphs: `A` is then the first glyph that the text
//! needs. Where the font itself has names for its glyphs, they are read. Otherwise the evidence is the order in which the
//! codes first appear, the neighbours of letters, and the widths of letters.

mod language;
mod sfnt;
mod widths;

use crate::eye::{as_dict, get};
use std::collections::BTreeMap;
use unpdf::parser::backend::{FontFormat, PdfBackend, RawBackend, ResourceScope};
use unpdf::parser::raw::RawDocument;
use unpdf::parser::raw::tokenizer::{PdfDict, PdfObject, dict_get};

type Id = (u32, u16);

/// The deepest tree of pages, the deepest nesting of forms, and the most fonts and forms that are looked at for one page.
const MAX_TREE: usize = 32;
const MAX_FORMS: usize = 3;
const MAX_LOOKED: usize = 2_000;

/// The most fonts of a document that are looked at.
const MAX_FONTS: usize = 1_000;

/// The most codes of a font that are evidence.
pub(crate) const MAX_CODES: usize = 6_000;

/// Codes in the order in which they first appear: the fewest codes that are evidence, and how often each is used at
/// least before all have appeared. A list of letters uses each once.
const FEWEST_NEW: usize = 12;
const MIN_USED: f32 = 1.5;

/// Letters whose widths fit so well are right. Letters whose widths fit so badly are others. In files by others, fonts with
/// the right letters have 0.89 or more, and others 0.04 or less.
const FITS: f32 = 0.6;
const DIFFERS: f32 = 0.3;

/// The fewest different codes of a font that are judged by their neighbours. Formulas have few letters.
const FEWEST_USED: usize = 12;

/// The widths of letters that are as wide as high, in thousandths of the size. Chinese letters are, and no Latin font has
/// only such ones.
const SQUARE: std::ops::RangeInclusive<f32> = 950.0..=1050.0;

/// How well the widths have to fit if the letters are found by them.
const FITS_WELL: f32 = 0.9;

/// The fewest different codes below the letters, where no letter is, if the codes are numbers of glyphs. They are a quarter
/// of all codes or more.
const FEWEST_CONTROLS: usize = 3;

/// How much a font without a table of characters says about its letters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Doubt {
    /// It has no encoding, or its glyph names are only numbers.
    NoNames,
    /// It names its letters, but the names may be wrong.
    UncertainNames,
}

impl Doubt {
    /// Returns the number of pages with such a font that are examined.
    pub(crate) fn pages(self) -> usize {
        match self {
            Doubt::NoNames => 6,
            Doubt::UncertainNames => 3,
        }
    }
}

/// Returns whether the letters of a font are in doubt.
pub(crate) fn doubt(document: &RawDocument, font: &PdfDict) -> Option<Doubt> {
    let name = |dict: &PdfDict, key: &[u8]| {
        get(document, dict, key).and_then(PdfObject::as_name).map(<[u8]>::to_vec)
    };
    let kind = name(font, b"Subtype")?;
    if kind == b"Type0" || dict_get(font, b"ToUnicode").is_some() {
        return None;
    }
    let descriptor = get(document, font, b"FontDescriptor").and_then(as_dict);
    let has = |key: &[u8]| descriptor.is_some_and(|it| dict_get(it, key).is_some());
    let is_drawn = kind == b"Type3";
    if !(is_drawn || has(b"FontFile") || has(b"FontFile2") || has(b"FontFile3")) {
        return None;
    }
    let flags = descriptor.and_then(|it| get(document, it, b"Flags")).and_then(PdfObject::as_i64);
    let is_symbolic = flags.is_some_and(|flags| flags & 4 != 0);
    let has_no_names = match get(document, font, b"Encoding") {
        // A Type 1 program has names of its own.
        None if has(b"FontFile") => return None,
        None => true,
        Some(PdfObject::Dict(encoding)) => {
            let names = get(document, encoding, b"Differences").and_then(PdfObject::as_array);
            let names = names.unwrap_or_default().iter();
            let names: Vec<&[u8]> = names.filter_map(|it| document.resolve(it).as_name()).collect();
            let counted = names.iter().filter(|name| only_counts(name)).count();
            counted * 2 > names.len() || names.is_empty() && has(b"FontFile2") && is_symbolic
        }
        Some(_) => has(b"FontFile2") && is_symbolic,
    };
    if has_no_names {
        Some(Doubt::NoNames)
    } else if has(b"FontFile") {
        // The programs that write such fonts write the real names of the letters.
        None
    } else {
        Some(Doubt::UncertainNames)
    }
}

/// Returns whether the codes of a composite font may be numbers of glyphs although it says that they are numbers of a
/// collection of characters, such as Adobe-GB1: it has a TrueType program, and no table of characters.
pub(crate) fn may_number_glyphs(document: &RawDocument, font: &PdfDict) -> bool {
    let encoding = get(document, font, b"Encoding").and_then(PdfObject::as_name);
    if !matches!(encoding, Some(b"Identity-H" | b"Identity-V"))
        || dict_get(font, b"ToUnicode").is_some()
    {
        return false;
    }
    let descendants = get(document, font, b"DescendantFonts").and_then(PdfObject::as_array);
    let descendant = descendants.and_then(|all| as_dict(document.resolve(all.first()?)));
    let descriptor = descendant.and_then(|it| as_dict(get(document, it, b"FontDescriptor")?));
    descriptor.is_some_and(|it| dict_get(it, b"FontFile2").is_some())
}

/// Returns whether the codes of a font are numbers of glyphs, by its letters and their widths: too many are Latin letters
/// as wide as high.
pub(crate) fn are_glyph_numbers(letters: impl Iterator<Item = (Option<char>, f32)>) -> bool {
    let (mut square, mut all) = (0, 0);
    for (letter, width) in letters {
        all += 1;
        square +=
            usize::from(letter.is_some_and(|it| it.is_ascii_graphic()) && SQUARE.contains(&width));
    }
    square >= FEWEST_USED && square * 2 > all
}

/// Returns the fonts in doubt that a page names, or that a form on it names.
pub(crate) fn in_doubt(document: &RawDocument, page: &PdfDict) -> BTreeMap<Id, Doubt> {
    let mut found = FontSearch { document, left: MAX_LOOKED, fonts: BTreeMap::new() };
    let mut node = Some(page);
    for _ in 0..MAX_TREE {
        let Some(dict) = node else { break };
        found.of(dict, 0);
        let parent = dict_get(dict, b"Parent").and_then(PdfObject::as_reference);
        node = parent.and_then(|id| document.get_dict(id).ok());
    }
    found.fonts
}

struct FontSearch<'a> {
    document: &'a RawDocument,
    left: usize,
    fonts: BTreeMap<Id, Doubt>,
}

impl FontSearch<'_> {
    fn of(&mut self, owner: &PdfDict, depth: usize) {
        let document = self.document;
        let Some(resources) = get(document, owner, b"Resources").and_then(as_dict) else { return };
        let named = |key: &[u8]| get(document, resources, key).and_then(as_dict);
        for font in named(b"Font").into_iter().flat_map(|fonts| fonts.values()) {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            let doubt = as_dict(document.resolve(font)).and_then(|font| doubt(document, font));
            self.fonts.extend(font.as_reference().zip(doubt));
        }
        if depth == MAX_FORMS {
            return;
        }
        for form in named(b"XObject").into_iter().flat_map(|forms| forms.values()) {
            let Some(left) = self.left.checked_sub(1) else { return };
            self.left = left;
            if let Some(form) = as_dict(document.resolve(form)) {
                self.of(form, depth + 1);
            }
        }
    }
}

/// Returns whether the name of a glyph is only a number, such as `g12`, `G41`, `cid_7`.
fn only_counts(name: &[u8]) -> bool {
    let digits = name.iter().rev().take_while(|it| it.is_ascii_digit()).count();
    digits > 0 && sfnt::named(name).is_none() && !name.starts_with(b"afii")
}

/// What is known about one font.
struct Font {
    doubt: Doubt,
    /// A page or a form that names it, and its name there.
    scope: ResourceScope,
    name: Vec<u8>,
    /// The codes as they are used. `None` is the end of a word.
    codes: Vec<Option<u8>>,
}

/// The evidence of a document.
#[derive(Default)]
pub(crate) struct Evidence {
    fonts: BTreeMap<Id, Font>,
}

/// Verdicts about the fonts of a document.
#[derive(Default)]
pub(crate) struct Verdicts {
    /// Fonts whose codes are other letters than they look like.
    pub(crate) refused: Vec<Id>,
    /// Fonts that have the right letters, and their codes without a letter.
    pub(crate) lost: BTreeMap<Id, Vec<u8>>,
    /// Fonts and the encoding that they get.
    pub(crate) encodings: BTreeMap<Id, PdfObject>,
}

impl Evidence {
    /// Takes in a code of a font. `is_apart` says that it does not follow the code before it.
    pub(crate) fn code(
        &mut self,
        (id, doubt): (Id, Doubt),
        place: (ResourceScope, &[u8]),
        code: u8,
        is_apart: bool,
    ) {
        if self.fonts.len() >= MAX_FONTS && !self.fonts.contains_key(&id) {
            return;
        }
        let font = self.fonts.entry(id).or_insert_with(|| Font {
            doubt,
            scope: place.0,
            name: place.1.to_vec(),
            codes: Vec::new(),
        });
        if font.codes.len() < MAX_CODES {
            if is_apart {
                font.codes.push(None);
            }
            font.codes.push(Some(code));
        }
    }

    pub(crate) fn decide(&self, backend: &RawBackend) -> Verdicts {
        let mut verdicts = Verdicts::default();
        for (id, font) in &self.fonts {
            match decide(font, backend) {
                Verdict::Right(lost) if lost.is_empty() || font.doubt == Doubt::UncertainNames => {}
                Verdict::Right(lost) => drop(verdicts.lost.insert(*id, lost)),
                Verdict::Wrong => verdicts.refused.push(*id),
                Verdict::Named(letters) => {
                    verdicts.encodings.insert(*id, encoding(&letters));
                }
            }
        }
        verdicts
    }
}

enum Verdict {
    /// The codes are the letters that they look like, except these, which are not letters.
    Right(Vec<u8>),
    Wrong,
    /// The font has other letters for its codes.
    Named(BTreeMap<u8, char>),
}

fn decide(font: &Font, backend: &RawBackend) -> Verdict {
    let mut used: Vec<u8> = font.codes.iter().filter_map(|code| *code).collect();
    used.sort_unstable();
    used.dedup();
    let letters: BTreeMap<u8, char> = used
        .iter()
        .filter_map(|code| {
            let text = backend.decode_text(font.scope, &font.name, &[*code]).text;
            Some((*code, text.chars().next()?))
        })
        .collect();
    let read = |letters: &BTreeMap<u8, char>| -> Vec<Option<char>> {
        font.codes.iter().map(|code| letters.get(&(*code)?).copied()).collect()
    };
    let as_it_looks = language::judge(&read(&letters));
    if font.doubt == Doubt::NoNames
        && let Some(named) = named(font, backend)
    {
        let differ = |code: &&u8| {
            named.get(*code).zip(letters.get(*code)).is_some_and(|(one, other)| one != other)
        };
        let has_more = used.iter().any(|it| named.contains_key(it) && !letters.contains_key(it));
        let covered = used.iter().filter(|code| named.contains_key(code)).count();
        let is_other = used.iter().any(|code| differ(&code));
        let is_better = is_other
            && covered * 10 >= used.len() * 9
            && language::judge(&read(&named)) != Some(false)
            && as_it_looks != Some(true);
        if !is_other && has_more || is_better {
            let mut all = letters;
            all.extend(named);
            return Verdict::Named(all);
        }
    }
    let width = |code: &u8| {
        let advances = backend.glyph_advances(font.scope, &font.name, &[*code])?;
        advances.first().map(|advance| advance.width)
    };
    let is_lost =
        |code: &&u8| !letters.contains_key(*code) && width(code).is_some_and(|width| width > 0.0);
    let lost: Vec<u8> = used.iter().filter(is_lost).copied().collect();
    if as_it_looks == Some(true) {
        return Verdict::Right(lost);
    }
    let fit =
        widths::fit(letters.iter().filter_map(|(code, letter)| Some((*letter, width(code)?))));
    let (fits, differs) = (fit.is_some_and(|it| it > FITS), fit.is_some_and(|it| it < DIFFERS));
    let is_strange = as_it_looks == Some(false) && used.len() >= FEWEST_USED;
    if font.doubt == Doubt::NoNames
        && differs
        && let Some(moved) = moved(&used, width)
    {
        let is_text = language::judge(&read(&moved));
        if is_text != Some(false) {
            return Verdict::Named(moved);
        }
    }
    let is_numbered = is_numbered(&font.codes);
    let is_control = |code: &&u8| {
        let letter = letters.get(*code);
        **code < b' '
            && !matches!(**code, 0 | b'\t' | b'\n' | b'\r')
            && letter.is_none_or(|letter| letter.is_control())
            && width(code).is_some_and(|width| width > 0.0)
    };
    let controls = used.iter().filter(is_control).count();
    // Mathematical fonts of TeX have Greek letters there.
    let is_sfnt = || {
        let program = backend.font_program(font.scope, &font.name);
        program.is_some_and(|it| matches!(it.format, FontFormat::TrueType | FontFormat::OpenType))
    };
    let has_controls = controls >= FEWEST_CONTROLS && controls * 4 >= used.len() && is_sfnt();
    let is_square = |code: &u8| *code == b' ' || width(code).is_some_and(|it| SQUARE.contains(&it));
    let are_square = used.len() >= FEWEST_USED && used.iter().all(is_square) && is_sfnt();
    let is_wrong = match font.doubt {
        Doubt::NoNames => {
            is_numbered || differs || are_square || (has_controls || is_strange) && !fits
        }
        Doubt::UncertainNames => is_strange && (differs || is_numbered),
    };
    if is_wrong { Verdict::Wrong } else { Verdict::Right(lost) }
}

/// Returns letters that are the codes moved by one distance, if the widths of such letters fit the codes.
fn moved(used: &[u8], width: impl Fn(&u8) -> Option<f32>) -> Option<BTreeMap<u8, char>> {
    let by = |distance: i16| -> Option<BTreeMap<u8, char>> {
        let letter = |code: &u8| {
            let letter = u8::try_from(i16::from(*code) + distance).ok();
            letter.filter(|it| matches!(it, b' '..=b'~')).map(|it| (*code, char::from(it)))
        };
        used.iter().filter(|code| **code != b' ').map(letter).collect()
    };
    let fits = |letters: &BTreeMap<u8, char>| {
        let widths = letters.iter().filter_map(|(code, letter)| Some((*letter, width(code)?)));
        widths::fit(widths).filter(|fit| *fit > FITS_WELL)
    };
    let all = (-96..=96).filter_map(by).filter_map(|letters| Some((fits(&letters)?, letters)));
    let (_, mut letters) = all.max_by(|(a, _), (b, _)| a.total_cmp(b))?;
    if used.contains(&b' ') {
        letters.entry(b' ').or_insert(' ');
    }
    Some(letters)
}

/// Returns whether the codes are numbers in the order in which they are needed.
fn is_numbered(codes: &[Option<u8>]) -> bool {
    let mut highest: Option<u8> = None;
    let (mut new, mut used, mut at_newest) = (0_usize, 0_usize, 0_usize);
    // The space keeps its own code.
    for code in codes.iter().filter_map(|code| *code).filter(|code| *code != b' ') {
        used += 1;
        match highest {
            Some(known) if code <= known => {}
            Some(known) if code == known + 1 => {
                highest = Some(code);
                new += 1;
                at_newest = used;
            }
            Some(_) => return false,
            None => {
                highest = Some(code);
                new = 1;
            }
        }
        let lowest = usize::from(highest.unwrap_or(0)) + 1 - new;
        if usize::from(code) < lowest {
            return false;
        }
    }
    new >= FEWEST_NEW && at_newest as f32 >= MIN_USED * new as f32
}

/// Returns the letters that the font itself has for its codes.
fn named(font: &Font, backend: &RawBackend) -> Option<BTreeMap<u8, char>> {
    let program = backend.font_program(font.scope, &font.name)?;
    let is_sfnt = matches!(program.format, FontFormat::TrueType | FontFormat::OpenType);
    let letters = is_sfnt.then(|| sfnt::letters(&program.data))?;
    (!letters.is_empty()).then_some(letters)
}

/// Returns an encoding that gives each code its letter.
fn encoding(letters: &BTreeMap<u8, char>) -> PdfObject {
    let names = letters.iter().flat_map(|(code, letter)| {
        let name = match u32::from(*letter) {
            number @ 0..=0xFFFF => format!("uni{number:04X}"),
            number => format!("u{number:X}"),
        };
        [PdfObject::Integer(i64::from(*code)), PdfObject::Name(name.into_bytes())]
    });
    let name = |name: &[u8]| PdfObject::Name(name.to_vec());
    PdfObject::Dict(PdfDict::from([
        (b"Type".to_vec(), name(b"Encoding")),
        (b"Differences".to_vec(), PdfObject::Array(names.collect())),
    ]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_in_the_order_of_their_need_are_numbers() {
        let numbered = |text: &str, first: u8| -> Vec<Option<u8>> {
            let mut known: Vec<char> = Vec::new();
            let number = |letter: char| {
                let at = known.iter().position(|it| *it == letter).unwrap_or_else(|| {
                    known.push(letter);
                    known.len() - 1
                });
                Some(first + at as u8)
            };
            text.chars().map(number).collect()
        };
        let text = "the quick brown fox jumps over the lazy dog and runs away";
        assert!(is_numbered(&numbered(text, b'A')));
        assert!(is_numbered(&numbered(text, b'!')));
        let plain = |text: &str| text.bytes().map(Some).collect::<Vec<_>>();
        assert!(!is_numbered(&plain(text)));
        assert!(!is_numbered(&plain("ABCDEFGHIJKLMNOPQRSTUVWXYZ")));
        assert!(!is_numbered(&plain("123456789 123456789 123456789")));
    }

    #[test]
    fn names_that_only_count_say_nothing() {
        for name in ["g12", "G41", "cid_7", "a0", "C0032"] {
            assert!(only_counts(name.as_bytes()), "{name}");
        }
        for name in ["a", "one", "uni0041", "u1F600", "afii10017", "BT", "Eacute"] {
            assert!(!only_counts(name.as_bytes()), "{name}");
        }
    }
}
