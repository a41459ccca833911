//! Follows the content of a page: where each glyph, picture and path stands. The second walk leaves out what is hit.
//!
//! Both walks meet the glyphs in the same order, so that a glyph has the same number in both.

use crate::content::{Matrix, Operation, Operations, Saves};
use crate::error::{Result, malformed};
use crate::file::Pdf;
use crate::object::{Dict, Object, Stream};
use crate::redact::fonts::{Code, FontId, Fonts};
use crate::redact::glyph::Glyph;
use crate::redact::images;
use crate::redact::level::{Font, Level, State, is_inside, overlap};
use crate::redact::marked::strip;
use crate::redact::names::Marks;
use crate::write::{put_plain, real};
use mitt_guest::FoldMap;
use std::collections::BTreeSet;
use std::rc::Rc;

/// Most operators and most glyphs of a page with its forms.
const MAX_OPERATIONS: usize = 4_000_000;
const MAX_GLYPHS: usize = 2_000_000;
/// Said where more of a picture goes than was asked for.
const WHOLE_PICTURE: &str = "A picture that lay only partly in a redacted place is removed as a whole, \
    because its format cannot be blanked.";
/// Deepest nesting of forms.
const MAX_FORMS: usize = 20;

/// What the second walk leaves out.
pub(crate) struct Cut<'a> {
    /// Glyphs by their number.
    pub(crate) glyphs: &'a [bool],
    /// Areas in which pictures are blanked.
    pub(crate) areas: &'a [[f64; 4]],
    /// Areas in which paths are left out.
    pub(crate) path_areas: &'a [[f64; 4]],
}

/// A walk through a page.
pub(crate) struct Walk<'a> {
    pub(crate) pdf: &'a Pdf,
    pub(crate) fonts: &'a mut Fonts,
    pub(crate) page: u32,
    pub(crate) cut: Option<Cut<'a>>,
    pub(crate) glyphs: Vec<Glyph>,
    /// New objects; the first one gets the number `first`.
    pub(crate) added: Vec<Object>,
    pub(crate) first: u32,
    /// Fonts with codes that nobody knows.
    pub(crate) unknown: BTreeSet<String>,
    /// Fonts whose glyphs are programs that show text or other drawings, which are not followed.
    pub(crate) programs: BTreeSet<String>,
    pub(crate) warnings: BTreeSet<String>,
    /// Names and texts in marks of content, also of forms.
    pub(crate) marks: Marks,
    /// States that the content itself saves and restores.
    pub(crate) saves: Saves,
    next: usize,
    operations: usize,
    path: Vec<u32>,
}

/// Content and resources after a change.
pub(crate) type Changed = Option<(Vec<u8>, Dict)>;

impl<'a> Walk<'a> {
    pub(crate) fn new(
        pdf: &'a Pdf,
        fonts: &'a mut Fonts,
        page: u32,
        cut: Option<Cut<'a>>,
        first: u32,
    ) -> Self {
        Self {
            pdf,
            fonts,
            page,
            cut,
            glyphs: Vec::new(),
            added: Vec::new(),
            first,
            unknown: BTreeSet::new(),
            programs: BTreeSet::new(),
            warnings: BTreeSet::new(),
            marks: Marks::default(),
            saves: Saves::default(),
            next: 0,
            operations: 0,
            path: Vec::new(),
        }
    }

    /// Walks through content. `owner` is the form that it belongs to.
    ///
    /// # Errors
    ///
    /// `malformed` - it is too large.
    pub(crate) fn run(
        &mut self,
        content: &[u8],
        resources: &Dict,
        owner: Option<u32>,
        ctm: Matrix,
    ) -> Result<Changed> {
        let state = State {
            ctm,
            font: Font::new(b""),
            size: 0.0,
            char_space: 0.0,
            word_space: 0.0,
            scale: 1.0,
            leading: 0.0,
            rise: 0.0,
            mode: 0,
        };
        self.level(content, resources, owner, state)
    }

    fn level(
        &mut self,
        content: &[u8],
        resources: &Dict,
        owner: Option<u32>,
        state: State,
    ) -> Result<Changed> {
        let mut level = Level {
            resources: resources.clone(),
            owner,
            state,
            saved: Vec::new(),
            tm: Matrix::IDENTITY,
            line: Matrix::IDENTITY,
            fonts: FoldMap::default(),
            vertical: None,
            edits: Vec::new(),
            replaced: BTreeSet::new(),
            used: BTreeSet::new(),
            path: None,
        };
        let mut operations = Operations::new(content);
        while let Some(operation) = operations.next() {
            self.operations += 1;
            if self.operations > MAX_OPERATIONS || self.glyphs.len() > MAX_GLYPHS {
                return malformed("a page has too much content to be redacted");
            }
            if self.path.is_empty() {
                self.saves.count(operation.operator);
            }
            self.step(&mut level, content, &operation)?;
            operations.reuse(operation);
        }
        self.marks.has_comments |= self.path.is_empty() && operations.has_comments();
        if operations.is_cut {
            return malformed(
                "a page has content that is nested too deep or too large to be redacted",
            );
        }
        if level.edits.is_empty() {
            return Ok(None);
        }
        let mut new = Vec::with_capacity(content.len());
        let mut at = 0;
        level.edits.sort_by_key(|it| it.0.start);
        for (span, bytes) in &level.edits {
            new.extend_from_slice(content.get(at..span.start).unwrap_or_default());
            new.push(b'\n');
            new.extend_from_slice(bytes);
            new.push(b'\n');
            at = span.end.max(at);
        }
        new.extend_from_slice(content.get(at..).unwrap_or_default());
        // What was replaced everywhere must not stay in the resources.
        if let Some(mut names) = self.pdf.dict(&level.resources, "XObject").cloned() {
            names.retain(|name, _| !level.replaced.contains(name) || level.used.contains(name));
            level.resources.set("XObject", names);
        }
        Ok(Some((new, level.resources)))
    }

    fn add(&mut self, value: Object) -> u32 {
        let number = self.first + u32::try_from(self.added.len()).unwrap_or(0);
        self.added.push(value);
        number
    }

    fn step(&mut self, level: &mut Level, content: &[u8], operation: &Operation<'_>) -> Result<()> {
        let number = |at: usize| operation.number(at);
        match operation.operator {
            b"q" if level.saved.len() < 10_000 => level.saved.push(level.state.clone()),
            b"Q" => {
                if let Some(state) = level.saved.pop() {
                    level.state = state;
                }
            }
            b"cm" => {
                if let Some(matrix) = operation.numbers() {
                    level.state.ctm = Matrix(matrix).then(level.state.ctm);
                }
            }
            b"gs" => {
                let font = operation.name().and_then(|name| {
                    let state = self.pdf.dict(&level.resources, "ExtGState")?;
                    let state = self.pdf.resolve(state.find(name)?).as_dict()?;
                    self.pdf.value(state, "Font").as_array()?.get(1)?.as_f64()
                });
                // Such a font has no name, so that its codes stay unknown.
                if let Some(size) = font {
                    level.state.size = size;
                    level.state.font = Font::new(b"");
                }
            }
            b"BT" => {
                level.tm = Matrix::IDENTITY;
                level.line = Matrix::IDENTITY;
            }
            b"Tf" => {
                level.set_font(
                    operation.operands.first().and_then(Object::as_name).unwrap_or_default(),
                );
                level.state.size = number(1);
            }
            b"Tc" => level.state.char_space = number(0),
            b"Tw" => level.state.word_space = number(0),
            b"Tz" => level.state.scale = number(0) / 100.0,
            b"TL" => level.state.leading = number(0),
            b"Ts" => level.state.rise = number(0),
            b"Tr" => {
                level.state.mode = operation.operands.first().and_then(Object::as_int).unwrap_or(0)
            }
            b"Td" => level.move_line(number(0), number(1)),
            b"TD" => {
                level.state.leading = -number(1);
                level.move_line(number(0), number(1));
            }
            b"T*" => level.move_line(0.0, -level.state.leading),
            b"Tm" => {
                if let Some(matrix) = operation.numbers() {
                    level.tm = Matrix(matrix);
                    level.line = level.tm;
                }
            }
            b"Tj" | b"TJ" | b"'" | b"\"" => self.show(level, operation),
            b"Do" => self.paint(level, operation)?,
            b"BI" => self.inline(level, content, operation),
            b"BDC" | b"DP" if self.cut.is_some() => strip(level, operation),
            b"BMC" | b"BDC" | b"MP" | b"DP" if self.cut.is_none() => self.marks.add(operation),
            b"m" | b"l" | b"c" | b"v" | b"y" | b"re" | b"h" => level.extend_path(operation),
            b"W" | b"W*" => {
                if let Some(path) = &mut level.path {
                    path.is_clip = true;
                }
            }
            b"f" | b"F" | b"f*" | b"B" | b"B*" | b"b" | b"b*" | b"S" | b"s" | b"n" => {
                let path = level.path.take();
                let is_painted = operation.operator != b"n";
                if let (Some(cut), Some(path), true) = (&self.cut, path, is_painted)
                    && !path.is_clip
                    && cut.path_areas.iter().any(|it| is_inside(&path.bounds, it))
                {
                    level.edits.push((path.start..operation.span.end, Vec::new()));
                }
            }
            _ => {}
        }
        Ok(())
    }

    /// Returns the font that is set.
    fn font(&mut self, level: &mut Level) -> FontId {
        if let Some(id) = level.state.font.id {
            return id;
        }
        let name = Rc::clone(&level.state.font.name);
        let id = match level.fonts.get(&name) {
            Some(id) => *id,
            None => {
                let id = self.fonts.find(self.pdf, &level.resources, self.page, level.owner, &name);
                level.fonts.insert(name, id);
                id
            }
        };
        level.state.font.id = Some(id);
        id
    }

    /// Follows a string; the second walk leaves glyphs out.
    fn show(&mut self, level: &mut Level, operation: &Operation<'_>) {
        let operator = operation.operator;
        if operator == b"\"" {
            level.state.word_space = operation.number(0);
            level.state.char_space = operation.number(1);
        }
        if matches!(operator, b"'" | b"\"") {
            level.move_line(0.0, -level.state.leading);
        }
        let pieces: &[Object] = match operation.operands.last() {
            Some(Object::Array(pieces)) => pieces,
            Some(other) => std::slice::from_ref(other),
            None => return,
        };
        let font = self.font(level);
        if let Some(name) = self.fonts.programs(font).filter(|it| !self.programs.contains(*it)) {
            self.programs.insert(name.to_owned());
        }
        let state = level.state.clone();
        let mut out: Vec<Object> = Vec::new();
        let mut is_cut = false;
        for piece in pieces {
            match piece {
                Object::Int(_) | Object::Real(_) => {
                    let shift = -piece.as_f64().unwrap_or(0.0) / 1000.0 * state.size;
                    // Vertical writing is known only when a glyph is met, so a shift is along the line of the last one.
                    if level.vertical == Some(font) {
                        level.shift(0.0, shift);
                    } else {
                        level.shift(shift * state.scale, 0.0);
                    }
                    if self.cut.is_some() {
                        out.push(piece.clone());
                    }
                }
                Object::Str(bytes) => {
                    is_cut |= self.show_string(level, &state, font, bytes, &mut out);
                }
                _ => {}
            }
        }
        if is_cut {
            let mut new = Vec::new();
            if operator == b"\"" {
                new.extend(
                    format!("{} Tw {} Tc ", real(state.word_space), real(state.char_space)).bytes(),
                );
            }
            if matches!(operator, b"'" | b"\"") {
                new.extend(b"T* ");
            }
            put_plain(&mut new, &Object::Array(out));
            new.extend(b" TJ");
            level.edits.push((operation.span.clone(), new));
        }
    }

    /// Follows the codes of a string, and adds what is left of it in the second walk. Returns `true` if a glyph was left out.
    fn show_string(
        &mut self,
        level: &mut Level,
        state: &State,
        font: FontId,
        bytes: &[u8],
        out: &mut Vec<Object>,
    ) -> bool {
        let mut is_cut = false;
        let mut kept: Vec<u8> = Vec::new();
        let mut at = 0;
        while at < bytes.len() {
            let code = self.fonts.code(font, bytes, at);
            at = code.end;
            let spacing = state.char_space + if code.is_space { state.word_space } else { 0.0 };
            let along = code.advance / 1000.0 * state.size + spacing;
            let span = code.start..code.end;
            let is_vertical = code.is_vertical;
            if self.meet(level, state, font, code, along) {
                is_cut = true;
                if !kept.is_empty() {
                    out.push(Object::Str(std::mem::take(&mut kept)));
                }
                let shift = if state.size == 0.0 { 0.0 } else { -along * 1000.0 / state.size };
                match out.last_mut() {
                    Some(Object::Real(last)) => *last += shift,
                    _ => out.push(Object::Real(shift)),
                }
            } else if self.cut.is_some() {
                kept.extend_from_slice(&bytes[span]);
            }
            level.vertical = is_vertical.then_some(font);
            if is_vertical {
                level.shift(0.0, along);
            } else {
                level.shift(along * state.scale, 0.0);
            }
        }
        if !kept.is_empty() {
            out.push(Object::Str(kept));
        }
        is_cut
    }

    /// Notes a glyph, or, in the second walk, returns `true` if it is left out.
    fn meet(&mut self, level: &Level, state: &State, font: FontId, code: Code, along: f64) -> bool {
        let at = self.next;
        self.next += 1;
        if let Some(cut) = &self.cut {
            return cut.glyphs.get(at).copied().unwrap_or(false);
        }
        let place = level.tm.then(state.ctm);
        let size = state.size;
        let (width, low, high) = if code.is_vertical {
            (size, along.min(0.0), 0.0)
        } else {
            (along * state.scale, -0.25 * size * code.height, 0.9 * size * code.height)
        };
        let left = if code.is_vertical { -size / 2.0 } else { 0.0 };
        let rect = place.bounds([left, low + state.rise, left + width, high + state.rise]);
        let origin = place.apply(0.0, state.rise);
        let end = if code.is_vertical {
            place.apply(0.0, along + state.rise)
        } else {
            place.apply(width, state.rise)
        };
        let base = if code.is_vertical {
            place.apply(0.0, state.rise - 1.0)
        } else {
            place.apply(1.0, state.rise)
        };
        let (dx, dy) = (base.0 - origin.0, base.1 - origin.1);
        let length = dx.hypot(dy).max(1e-9);
        let up = if code.is_vertical {
            length
        } else {
            let top = place.apply(0.0, state.rise + 1.0);
            (top.0 - origin.0).hypot(top.1 - origin.1)
        };
        if code.text.is_none() {
            let name = self.fonts.shown_name(font);
            if !self.unknown.contains(name) {
                self.unknown.insert(name.to_owned());
            }
        }
        self.glyphs.push(Glyph {
            text: code.text,
            origin,
            end,
            direction: (dx / length, dy / length),
            size: (size * code.height * up).abs(),
            rect,
            is_invisible: state.mode == 3 || state.mode == 7,
        });
        false
    }

    fn paint(&mut self, level: &mut Level, operation: &Operation<'_>) -> Result<()> {
        let Some(name) = operation.name() else { return Ok(()) };
        let Some(value) =
            self.pdf.dict(&level.resources, "XObject").and_then(|it| it.find(name)).cloned()
        else {
            return Ok(());
        };
        let Some(stream) = self.pdf.resolve(&value).as_stream() else { return Ok(()) };
        let kind = self.pdf.value(&stream.dict, "Subtype");
        if kind.is_name("Image") {
            let stream = stream.clone();
            match self.picture(level.state.ctm, &stream) {
                Picture::Kept => {
                    level.used.insert(name.to_vec());
                }
                Picture::Gone => {
                    level.replaced.insert(name.to_vec());
                    level.edits.push((operation.span.clone(), Vec::new()));
                }
                Picture::Blanked(number) => level.replace(self.pdf, operation, name, number),
            }
            return Ok(());
        }
        let Some(form) = value.as_ref().filter(|_| kind.is_name("Form") || stream.dict.has("BBox"))
        else {
            level.used.insert(name.to_vec());
            return Ok(());
        };
        if self.path.len() >= MAX_FORMS {
            return malformed(format!(
                "a page has forms nested deeper than {MAX_FORMS} levels, which are not redacted here"
            ));
        }
        if self.path.contains(&form) {
            // A form in itself draws nothing; its old content must not stay.
            level.replaced.insert(name.to_vec());
            if self.cut.is_some() {
                level.edits.push((operation.span.clone(), Vec::new()));
            }
            return Ok(());
        }
        let matrix =
            self.pdf.numbers(stream.dict.get("Matrix")).try_into().map_or(Matrix::IDENTITY, Matrix);
        let resources = self
            .pdf
            .dict(&stream.dict, "Resources")
            .cloned()
            .unwrap_or_else(|| level.resources.clone());
        let inner = self.pdf.decode(stream)?.bytes;
        // A form inherits the font itself. Its name may stand for another font in the form.
        self.font(level);
        let mut state = level.state.clone();
        state.ctm = matrix.then(state.ctm);
        self.path.push(form);
        let changed = self.level(&inner, &resources, Some(form), state);
        self.path.pop();
        match changed? {
            None => {
                level.used.insert(name.to_vec());
            }
            Some((content, resources)) => {
                let mut dict = stream.dict.clone();
                dict.set("Resources", resources);
                dict.remove("PieceInfo");
                dict.remove("Metadata");
                let number = self.add(Stream::deflated(dict, &content).into());
                level.replace(self.pdf, operation, name, number);
            }
        }
        Ok(())
    }

    /// Returns what becomes of a picture.
    fn picture(&mut self, ctm: Matrix, stream: &Stream) -> Picture {
        let Some(cut) = &self.cut else { return Picture::Kept };
        let bounds = ctm.bounds([0.0, 0.0, 1.0, 1.0]);
        let hit: Vec<[f64; 4]> =
            cut.areas.iter().copied().filter(|it| overlap(&bounds, it)).collect();
        if hit.is_empty() {
            return Picture::Kept;
        }
        let inverse = ctm.inverse();
        let (Some(inverse), false) = (inverse, hit.iter().any(|it| is_inside(&bounds, it))) else {
            return Picture::Gone;
        };
        let areas: Vec<[f64; 4]> = hit.iter().map(|it| inverse.bounds(*it)).collect();
        match images::blank(self.pdf, stream, &areas) {
            Some(mut new) => {
                for key in ["SMask", "Mask"] {
                    if let Some(mask @ Object::Stream(_)) = new.dict.get_mut(key.as_bytes()) {
                        let mask = std::mem::take(mask);
                        let number = self.add(mask);
                        new.dict.set(key, Object::Ref(number));
                    }
                }
                Picture::Blanked(self.add(new.into()))
            }
            None => {
                self.warnings.insert(WHOLE_PICTURE.to_owned());
                Picture::Gone
            }
        }
    }

    fn inline(&mut self, level: &mut Level, content: &[u8], operation: &Operation<'_>) {
        if self.cut.is_none() {
            return;
        }
        let stream = images::inline(self.pdf, &level.resources, content, operation);
        match self.picture(level.state.ctm, &stream) {
            Picture::Kept => {}
            Picture::Gone => level.edits.push((operation.span.clone(), Vec::new())),
            Picture::Blanked(number) => level.replace(self.pdf, operation, b"", number),
        }
    }
}

enum Picture {
    Kept,
    Gone,
    Blanked(u32),
}
