//! Draws new text, and puts content on pages.

use crate::content::{Operations, Saves};
use crate::error::{Result, unsupported};
use crate::file::Pdf;
use crate::import::{PageForm, pages_as_forms};
use crate::metrics::{HELVETICA, HELVETICA_BOLD, TIMES_ROMAN};
use crate::object::{Dict, Object, Stream};
use crate::text::{win_ansi, win_ansi_char};
use crate::write::{put_string, real};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// Sets text that the standard fonts do not have: the host's typesetting, if it offers it.
pub trait Typesetter {
    /// Returns a document with a page for each line, which holds the line and nothing else, and is as large as it is.
    /// `None` if the host does not offer it, or has no font for a character.
    fn lines(&self, texts: &[String], size: f64, color: [f64; 3]) -> Option<Vec<u8>>;
}

/// No typesetting.
pub struct NoTypesetter;

impl Typesetter for NoTypesetter {
    fn lines(&self, _: &[String], _: f64, _: [f64; 3]) -> Option<Vec<u8>> {
        None
    }
}

/// Most lines that the host sets at a time, and most characters of them; it takes no more.
const MAX_BATCH: usize = 5_000;
const MAX_CHARACTERS: usize = 200_000;
/// Size in which the host sets lines that are needed in several sizes.
const SET_SIZE: f64 = 12.0;
/// How much of the height of a set line is below its base line.
const DESCENT: f64 = 0.215;

/// A font that need not be in the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Face {
    Helvetica,
    HelveticaBold,
    Times,
    Courier,
    /// Chinese, and what else Adobe-GB1 has.
    Chinese,
    Korean,
}

/// Said where a font is used that is not in the file.
pub(crate) const NOT_EMBEDDED: &str = "Text uses a font for Chinese or Korean that is not in the file; \
    most viewers have one, others show no text.";

impl Face {
    /// Returns the font for the characters of a text that this one does not have; `None` if it has all.
    ///
    /// # Errors
    ///
    /// `unsupported` - no font that need not be in the file has them.
    pub(crate) fn beside(self, text: &str) -> Result<Option<Self>> {
        if win_ansi(text).is_some() {
            return Ok(None);
        }
        let is_korean =
            |c: char| matches!(u32::from(c), 0x1100..=0x11ff | 0x3130..=0x318f | 0xac00..=0xd7a3);
        let is_known = |c: char| {
            matches!(u32::from(c), 0x391..=0x3c9 | 0x401 | 0x410..=0x451
                | 0x2010..=0x2027 | 0x2030..=0x203b | 0x20ac | 0x2100..=0x22ff | 0x2460..=0x249b | 0x2500..=0x25ff
                | 0x2605 | 0x2606 | 0x3000..=0x30ff | 0x3220..=0x3229 | 0x3400..=0x4dbf | 0x4e00..=0x9fa5 | 0xff00..=0xffef)
        };
        let mut others = text.chars().filter(|it| win_ansi_char(*it).is_none());
        if let Some(c) = others.find(|it| !is_known(*it) && !is_korean(*it)) {
            return unsupported(format!(
                "no font for `{c}` (U+{:04X}) can be used here; write it in Latin, Chinese, Japanese or Korean characters",
                u32::from(c)
            ));
        }
        Ok(Some(if text.chars().any(is_korean) { Self::Korean } else { Self::Chinese }))
    }

    fn is_wide(self) -> bool {
        matches!(self, Self::Chinese | Self::Korean)
    }

    /// Returns the width of a text of this size. Characters that the font does not have are as wide as the size.
    pub(crate) fn width(self, text: &str, size: f64) -> f64 {
        let of = |c: char| -> f64 {
            let Some(code) = win_ansi_char(c) else { return 1000.0 };
            let table = match self {
                Self::Helvetica => &HELVETICA,
                Self::HelveticaBold => &HELVETICA_BOLD,
                Self::Times => &TIMES_ROMAN,
                Self::Courier => return 600.0,
                Self::Chinese | Self::Korean => return 1000.0,
            };
            f64::from(table[usize::from(code.max(32)) - 32])
        };
        text.chars().map(of).sum::<f64>() * size / 1000.0
    }

    /// Returns the codes of a text.
    pub(crate) fn encode(self, text: &str) -> Vec<u8> {
        if self.is_wide() {
            return text.encode_utf16().flat_map(u16::to_be_bytes).collect();
        }
        text.chars().map(|it| win_ansi_char(it).unwrap_or(b'?')).collect()
    }

    /// Returns the number of the font if the form of the document has the same one.
    fn of_form(self, pdf: &Pdf) -> Option<u32> {
        // Their codes have two bytes, which no such font reads.
        if self.is_wide() {
            return None;
        }
        let (_, form) = pdf.form()?;
        let fonts = pdf.dict(pdf.dict(form, "DR")?, "Font")?;
        let is_same = |font: &Dict| {
            pdf.value(font, "Subtype").is_name("Type1")
                && pdf.value(font, "BaseFont").is_name(self.name())
                && pdf.value(font, "Encoding").is_name("WinAnsiEncoding")
                && !["FontDescriptor", "ToUnicode", "Widths", "FirstChar"]
                    .iter()
                    .any(|it| font.has(it))
        };
        let numbers = fonts.iter().filter_map(|it| it.1.as_ref());
        numbers.into_iter().find(|it| pdf.object(*it).is_some_and(is_same))
    }

    fn name(self) -> &'static str {
        match self {
            Self::Helvetica => "Helvetica",
            Self::HelveticaBold => "Helvetica-Bold",
            Self::Times => "Times-Roman",
            Self::Courier => "Courier",
            Self::Chinese => "STSong-Light",
            Self::Korean => "HYSMyeongJo-Medium",
        }
    }

    /// Adds the font to the document.
    pub(crate) fn add(self, pdf: &mut Pdf) -> u32 {
        let name = self.name();
        match self {
            Self::Chinese => return add_wide(pdf, name, "UniGB-UTF16-H", "GB1", 5),
            Self::Korean => return add_wide(pdf, name, "UniKS-UTF16-H", "Korea1", 2),
            Self::Helvetica | Self::HelveticaBold | Self::Times | Self::Courier => {}
        }
        let font = Dict::new()
            .with("Type", Object::name("Font"))
            .with("Subtype", Object::name("Type1"))
            .with("BaseFont", Object::name(name))
            .with("Encoding", Object::name("WinAnsiEncoding"));
        pdf.add(font)
    }
}

fn add_wide(pdf: &mut Pdf, name: &str, encoding: &str, ordering: &str, supplement: i64) -> u32 {
    let info = Dict::new()
        .with("Registry", Object::text("Adobe"))
        .with("Ordering", Object::text(ordering))
        .with("Supplement", supplement);
    let descriptor = Dict::new()
        .with("Type", Object::name("FontDescriptor"))
        .with("FontName", Object::name(name))
        .with("Flags", 6_i64)
        .with("FontBBox", Object::numbers(&[-25.0, -254.0, 1000.0, 880.0]))
        .with("ItalicAngle", 0_i64)
        .with("Ascent", 880_i64)
        .with("Descent", -120_i64)
        .with("CapHeight", 880_i64)
        .with("StemV", 93_i64);
    let descriptor = pdf.add(descriptor);
    let inner = Dict::new()
        .with("Type", Object::name("Font"))
        .with("Subtype", Object::name("CIDFontType0"))
        .with("BaseFont", Object::name(name))
        .with("CIDSystemInfo", info)
        .with("DW", 1000_i64)
        .with("W", Object::numbers(&[1.0, 95.0, 500.0]))
        .with("FontDescriptor", Object::Ref(descriptor));
    let inner = pdf.add(inner);
    let font = Dict::new()
        .with("Type", Object::name("Font"))
        .with("Subtype", Object::name("Type0"))
        .with("BaseFont", Object::name(&format!("{name}-{encoding}")))
        .with("Encoding", Object::name(encoding))
        .with("DescendantFonts", vec![Object::Ref(inner)]);
    pdf.add(font)
}

/// A line of text that can be drawn.
pub(crate) enum Line {
    /// In fonts: each with its codes.
    Plain { runs: Vec<(u32, Vec<u8>)>, width: f64, has_foreign: bool },
    /// As the host has set it, perhaps in another size.
    Set { set: Rc<PageForm>, scale: f64 },
}

/// Makes lines, each font and each set line once.
pub(crate) struct Pen<'a> {
    typesetter: &'a dyn Typesetter,
    fonts: Vec<(Face, u32)>,
    /// Size in which the host sets lines.
    size: f64,
    color: [f64; 3],
    /// Lines that the host was asked to set; `None` if it cannot.
    set: BTreeMap<SetKey, Option<Rc<PageForm>>>,
}

/// A color as its bits, and a text.
type SetKey = ([u64; 3], String);

impl<'a> Pen<'a> {
    pub(crate) fn new(typesetter: &'a dyn Typesetter, size: f64, color: [f64; 3]) -> Self {
        Self { typesetter, fonts: Vec::new(), size, color, set: BTreeMap::new() }
    }

    /// Returns a pen for many fields, whose lines have several sizes and colors.
    pub(crate) fn of_fields(typesetter: &'a dyn Typesetter) -> Self {
        Self::new(typesetter, SET_SIZE, [0.0; 3])
    }

    /// Takes a color.
    pub(crate) fn take(&mut self, color: [f64; 3]) {
        self.color = color;
    }

    fn key(&self, text: &str) -> SetKey {
        (self.color.map(f64::to_bits), text.to_owned())
    }

    /// Lets the host set all lines that the standard fonts cannot, at once. If it cannot, nothing happens.
    ///
    /// # Errors
    ///
    /// Those of [`pages_as_forms`].
    pub(crate) fn prepare(&mut self, pdf: &mut Pdf, texts: &[String]) -> Result<()> {
        let wanted = texts
            .iter()
            .filter(|it| win_ansi(it).is_none() && !self.set.contains_key(&self.key(it)));
        let wanted: Vec<String> = wanted.cloned().collect::<BTreeSet<_>>().into_iter().collect();
        let mut todo: Vec<&[String]> = batches(&wanted).collect();
        while let Some(texts) = todo.pop() {
            let forms = match self.typesetter.lines(texts, self.size, self.color) {
                Some(bytes) => pages_as_forms(pdf, bytes)?,
                None => Vec::new(),
            };
            if forms.len() == texts.len() {
                for (text, form) in texts.iter().zip(forms) {
                    self.set.insert(self.key(text), Some(Rc::new(form)));
                }
            } else if let [text] = texts {
                self.set.insert(self.key(text), None);
            } else {
                // One of them may have a character that no font has.
                let (first, second) = texts.split_at(texts.len() / 2);
                todo.extend([second, first]);
            }
        }
        Ok(())
    }

    /// Makes a line.
    ///
    /// # Errors
    ///
    /// Those of [`Face::beside`], if the host does not set it.
    pub(crate) fn line(
        &mut self,
        pdf: &mut Pdf,
        text: &str,
        face: Face,
        size: f64,
    ) -> Result<Line> {
        self.prepare(pdf, &[text.to_owned()])?;
        if let Some(set) = self.set.get(&self.key(text)).cloned().flatten() {
            return Ok(Line::Set { set, scale: size / self.size });
        }
        let fonts = &mut self.fonts;
        let beside = face.beside(text)?;
        let mut runs: Vec<(u32, Vec<u8>)> = Vec::new();
        let mut last = None;
        for c in text.chars() {
            let face = beside.filter(|_| win_ansi_char(c).is_none()).unwrap_or(face);
            let font = match fonts.iter().find(|it| it.0 == face) {
                Some((_, font)) => *font,
                None => {
                    let font = face.of_form(pdf).unwrap_or_else(|| face.add(pdf));
                    fonts.push((face, font));
                    font
                }
            };
            let codes = face.encode(c.encode_utf8(&mut [0; 4]));
            match runs.last_mut().filter(|_| last == Some(face)) {
                Some(run) => run.1.extend(codes),
                None => runs.push((font, codes)),
            }
            last = Some(face);
        }
        Ok(Line::Plain { runs, width: face.width(text, size), has_foreign: beside.is_some() })
    }
}

/// Cuts texts into parts that the host sets at a time.
fn batches(texts: &[String]) -> impl Iterator<Item = &[String]> {
    let mut rest = texts;
    std::iter::from_fn(move || {
        let mut characters = 0;
        let fits = |text: &&String| {
            characters += text.chars().count();
            characters <= MAX_CHARACTERS
        };
        let count = rest.iter().take(MAX_BATCH).take_while(fits).count();
        let (batch, more) = rest.split_at(count.max(1).min(rest.len()));
        rest = more;
        (!batch.is_empty()).then_some(batch)
    })
}

impl Line {
    /// Returns `true` if viewers must bring a font of it.
    pub(crate) fn has_foreign(&self) -> bool {
        matches!(self, Self::Plain { has_foreign: true, .. })
    }

    /// Returns `true` if the host has set it.
    pub(crate) fn is_set(&self) -> bool {
        matches!(self, Self::Set { .. })
    }

    pub(crate) fn width(&self) -> f64 {
        match self {
            Self::Plain { width, .. } => *width,
            Self::Set { set, scale } => (set.rect[2] - set.rect[0]) * scale,
        }
    }

    /// Returns the resources of what the host has set; `None` if it is drawn in fonts.
    pub(crate) fn resources(&self) -> Option<&Object> {
        if let Self::Set { set, .. } = self { Some(&set.resources) } else { None }
    }

    /// Returns operators that draw what the host has set where its resources are in use, with its left end of the base line at the
    /// origin. `None` if it is drawn in fonts.
    pub(crate) fn inline(&self) -> Option<Vec<u8>> {
        let Self::Set { set, scale } = self else { return None };
        let [left, bottom, _, top] = set.rect;
        let down = -DESCENT * (top - bottom) - bottom;
        let [x, y] = [-left * scale, down * scale].map(real);
        let start = format!("q {0} 0 0 {0} {x} {y} cm\n", real(*scale));
        Some([start.as_bytes(), &set.content, b"\nQ\n"].concat())
    }

    /// Returns operators that draw it with its left end of the base line at the origin. The names are made by `name`.
    pub(crate) fn draw(
        &self,
        size: f64,
        color: [f64; 3],
        resources: &mut Dict,
        name: &str,
    ) -> Vec<u8> {
        let [r, g, b] = color.map(real);
        let mut out = Vec::new();
        let mut add = |kind: &str, name: &str, number: u32| {
            let mut names = resources.get(kind).as_dict().cloned().unwrap_or_default();
            names.set(name, Object::Ref(number));
            resources.set(kind, names);
        };
        match self {
            Self::Plain { runs, .. } => {
                out.extend(format!("BT {r} {g} {b} rg ").bytes());
                for (font, codes) in runs {
                    let name = format!("{name}f{font}");
                    add("Font", &name, *font);
                    out.extend(format!("/{name} {} Tf ", real(size)).bytes());
                    put_string(&mut out, codes);
                    out.extend(b" Tj ");
                }
                out.extend(b"ET\n");
            }
            Self::Set { set, scale } => {
                add("XObject", name, set.number);
                let height = set.rect[3] - set.rect[1];
                let (scale, down) = (real(*scale), real(-DESCENT * height * scale));
                out.extend(format!("q {scale} 0 0 {scale} 0 {down} cm /{name} Do Q\n").bytes());
            }
        }
        out
    }
}

impl Pdf {
    /// Copies the resources of a page, which other pages may share, so that they can be changed. Returns the names that are
    /// in use there.
    fn own_resources(&mut self, page: u32) -> Dict {
        let resources = self
            .object(page)
            .and_then(|it| self.dict(it, "Resources"))
            .cloned()
            .unwrap_or_default();
        let mut copy = Dict::new();
        for (key, value) in resources.iter() {
            let value = match self.resolve(value) {
                Object::Dict(dict) => Object::Dict(dict.clone()),
                _ => value.clone(),
            };
            copy.push(key, value);
        }
        copy
    }

    /// Draws content on a page, in front of or behind what is there.
    ///
    /// # Errors
    ///
    /// `malformed` - the content of the page cannot be read.
    pub(crate) fn draw_on(
        &mut self,
        page: u32,
        content: &[u8],
        resources: &Dict,
        is_behind: bool,
    ) -> Result<()> {
        let mut own = self.own_resources(page);
        for (kind, names) in resources.iter() {
            let kind = String::from_utf8_lossy(kind).into_owned();
            let mut all = own.get(&kind).as_dict().cloned().unwrap_or_default();
            for (name, value) in names.as_dict().into_iter().flat_map(Dict::iter) {
                all.set(name, value.clone());
            }
            own.set(&kind, all);
        }
        // What the page leaves open must not move or clip what is drawn behind it.
        let old = self.content(page)?;
        let mut saves = Saves::default();
        let mut operations = Operations::new(&old);
        while let Some(operation) = operations.next() {
            saves.count(operation.operator);
            operations.reuse(operation);
        }
        let existing = match self
            .object(page)
            .map(|it| (it.get("Contents").clone(), self.value(it, "Contents")))
        {
            Some((_, Object::Array(parts))) => parts.clone(),
            Some((reference @ Object::Ref(_), Object::Stream(_))) => vec![reference],
            _ => Vec::new(),
        };
        let [before, after] = saves.around();
        let start = if is_behind {
            [&b"q\n"[..], content, b"\nQ\n", before.as_bytes()].concat()
        } else {
            before.into_bytes()
        };
        let end = if is_behind {
            after.into_bytes()
        } else {
            [after.as_bytes(), b"q\n", content, b"\nQ\n"].concat()
        };
        let start = self.add(Stream::deflated(Dict::new(), &start));
        let end = self.add(Stream::deflated(Dict::new(), &end));
        let mut parts = vec![Object::Ref(start)];
        parts.extend(existing);
        parts.push(Object::Ref(end));
        if let Some(dict) = self.object_mut(page) {
            dict.set("Contents", parts);
            dict.set("Resources", own);
        }
        Ok(())
    }

    /// Returns the beginning of names that no resource of a page has.
    pub(crate) fn free_name(&self, page: u32) -> String {
        let resources = self.object(page).and_then(|it| self.dict(it, "Resources"));
        let mut used = Vec::new();
        for kind in ["Font", "XObject", "ExtGState"] {
            let names = resources.and_then(|it| self.dict(it, kind));
            used.extend(names.into_iter().flat_map(Dict::iter).map(|it| it.0.to_vec()));
        }
        let is_used = |name: &str| used.iter().any(|it| it.starts_with(name.as_bytes()));
        (0..).map(|it| format!("Mitt{it}x")).find(|it| !is_used(it)).unwrap_or_default()
    }
}
