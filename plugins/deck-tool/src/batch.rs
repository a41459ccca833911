//! A batch of edits at work: finds places, checks what is expected there, and changes them one after another.

use crate::content::{Anchor, Content, Name, content, find_shape, find_slide};
use crate::deck::{Deck, Slide};
use crate::edits::Edit;
use crate::error::{Result, invalid, malformed, unsupported};
use crate::fitting::{self, Overflow};
use crate::new_shape::{self, Files};
use crate::new_slide;
use crate::notes;
use crate::order;
use crate::pictures;
use crate::props;
use crate::scene::Sheet;
use crate::shapes::{Kind, Shape};
use crate::slides;
use crate::text::{body_text, hash, shorten};
use crate::values::{self, Lines};
use crate::write::set_text;
use crate::xml::{Id, Splices};
use mitt_package::counted;
use std::collections::{BTreeMap, BTreeSet};

pub(crate) struct Batch<'a> {
    pub(crate) deck: Deck,
    files: Files<'a>,
    /// The slides before the first edit.
    original: Vec<Slide>,
    /// Ids of slides that the batch made, in the order in which it made them.
    made: Vec<u32>,
    /// Slides on layouts, of which all shapes are new.
    new: BTreeSet<u32>,
    /// Shapes whose content changed, by slide.
    touched: BTreeMap<u32, BTreeSet<u32>>,
    /// Shapes at places that the caller chose, by slide.
    added: BTreeMap<u32, BTreeSet<u32>>,
    reached: BTreeSet<String>,
    /// Slides were hidden, or got notes.
    has_new_counts: bool,
    warnings: Vec<String>,
}

/// A shape on its slide.
struct Place {
    slide: Slide,
    sheet: Sheet,
    shape: Shape,
}

impl<'a> Batch<'a> {
    pub(crate) fn new(deck: Deck, files: Files<'a>) -> Result<Self> {
        Ok(Self {
            original: deck.slides()?,
            reached: deck.package.reached()?,
            deck,
            files,
            made: Vec::new(),
            new: BTreeSet::new(),
            touched: BTreeMap::new(),
            added: BTreeMap::new(),
            has_new_counts: false,
            warnings: Vec::new(),
        })
    }

    fn slide(&self, anchor: &str) -> Result<(usize, Slide)> {
        find_slide(&self.deck.slides()?, &self.made, Anchor::parse(anchor)?.slide)
    }

    fn place(&self, anchor: &str) -> Result<Place> {
        let anchor = Anchor::parse(anchor)?;
        let (_, slide) = find_slide(&self.deck.slides()?, &self.made, anchor.slide)?;
        let Some(shape) = anchor.shape else {
            return invalid(format!(
                "expected an anchor of a shape such as `s{}/5-3fa9`, got that of a slide",
                slide.id
            ));
        };
        let sheet = Sheet::read(&self.deck, &slide.part)?;
        let shape = find_shape(&sheet, slide.id, shape)?.clone();
        Ok(Place { slide, sheet, shape })
    }

    /// Checks an edit against the presentation before the first edit.
    ///
    /// # Errors
    /// A place that is not there, or that holds something else than expected.
    pub(crate) fn check(&self, edit: &Edit) -> Result<()> {
        match edit {
            Edit::SetText { shape, expected, .. } => {
                let is_sure = expected.is_some() || shape.starts_with("new");
                if !is_sure && Anchor::parse(shape)?.hash.is_none() {
                    return invalid(format!(
                        "expected `expected`, or an anchor with the hash of the text, got `{shape}`"
                    ));
                }
                self.check_shape(shape, expected.as_deref())
            }
            Edit::SetCell { shape, .. }
            | Edit::InsertRows { shape, .. }
            | Edit::DeleteRows { shape, .. }
            | Edit::InsertColumns { shape, .. }
            | Edit::DeleteColumns { shape, .. }
            | Edit::SetChartData { shape, .. }
            | Edit::ReplacePicture { shape, .. } => self.check_shape(shape, None),
            Edit::SetNotes { slide, expected, .. } => self.check_slide(slide, |slide| {
                let old = notes::read(&self.deck, &slide.part)?.unwrap_or_default();
                expect("notes", expected.as_deref(), &old)
            }),
            Edit::SetTitle { slide, expected, .. } | Edit::DeleteSlide { slide, expected } => self
                .check_slide(slide, |slide| {
                    expect("the title", expected.as_deref(), &self.title(&slide.part)?)
                }),
            Edit::DuplicateSlide { slide, .. }
            | Edit::MoveSlide { slide, .. }
            | Edit::HideSlide { slide, .. } => self.check_slide(slide, |_| Ok(())),
            Edit::NewSlide { layout, .. } => new_slide::layout(&self.deck, layout).map(|_| ()),
            Edit::ReplaceText { find, replacement, .. } => {
                if find.is_empty() || find.contains('\n') || replacement.contains('\n') {
                    return invalid("expected a text of one line in `find` and `replacement`");
                }
                Ok(())
            }
            Edit::AddContent { slide, place, .. } => {
                new_shape::frame(place)?;
                self.check_slide(slide, |_| Ok(()))
            }
            Edit::SetProperty { .. } => Ok(()),
        }
    }

    fn check_slide(&self, anchor: &str, then: impl FnOnce(&Slide) -> Result<()>) -> Result<()> {
        match Anchor::parse(anchor)?.slide {
            Name::New(_) => Ok(()),
            name => then(&find_slide(&self.original, &[], name)?.1),
        }
    }

    fn check_shape(&self, anchor: &str, expected: Option<&str>) -> Result<()> {
        let parsed = Anchor::parse(anchor)?;
        if matches!(parsed.slide, Name::New(_)) {
            return Ok(());
        }
        let Place { slide, sheet, shape } = self.place(anchor)?;
        let content = content(&self.deck, &sheet, &shape);
        let text = content.text();
        let actual = hash(&text);
        if let Some(wanted) = parsed.hash
            && wanted != actual
        {
            let shown = if let Content::Text(text) = &content {
                shorten(text)
            } else {
                "other content".to_owned()
            };
            return invalid(format!(
                "s{}/{} has changed: expected the hash {wanted}, got {actual} ({shown})",
                slide.id, shape.id
            ));
        }
        match content {
            Content::Text(text) => expect(anchor, expected, &text),
            _ => Ok(()),
        }
    }

    fn title(&self, part: &str) -> Result<String> {
        let sheet = Sheet::read(&self.deck, part)?;
        let body = sheet.title().and_then(|it| it.body);
        Ok(body.map_or_else(String::new, |it| body_text(&sheet.xml, it)))
    }

    fn touch(&mut self, slide: u32, shape: u32) {
        self.touched.entry(slide).or_default().insert(shape);
    }

    /// Applies an edit, and returns what it did.
    ///
    /// # Errors
    /// A place that is not there any more, or a value that does not fit.
    pub(crate) fn apply(&mut self, edit: &Edit) -> Result<String> {
        match edit {
            Edit::SetText { shape, text, .. } => self.set_text(shape, text),
            Edit::ReplaceText { find, replacement, finding } => {
                let found = values::replace(
                    &mut self.deck,
                    find,
                    replacement,
                    *finding,
                    &mut self.warnings,
                )?;
                for (slide, shape) in &found.shapes {
                    self.touch(*slide, *shape);
                }
                Ok(format!(
                    "`{}` was replaced by `{}` in {}.",
                    shorten(find),
                    shorten(replacement),
                    counted(found.count, "place")
                ))
            }
            Edit::SetCell { shape, row, column, expected, text } => {
                let place = self.place(shape)?;
                let old = values::set_cell(
                    &mut self.deck,
                    &place.sheet,
                    &place.shape,
                    (*row, *column),
                    expected.as_deref(),
                    text,
                )?;
                self.touch(place.slide.id, place.shape.id);
                let (slide, shape) = (place.slide.id, place.shape.id);
                Ok(format!(
                    "Row {row}, column {column} of s{slide}/{shape}: `{}` became `{}`.",
                    shorten(&old),
                    shorten(text)
                ))
            }
            Edit::InsertRows { shape, after, rows } => {
                self.insert_lines(Lines::Rows, shape, *after, rows)
            }
            Edit::InsertColumns { shape, after, columns } => {
                self.insert_lines(Lines::Columns, shape, *after, columns)
            }
            Edit::DeleteRows { shape, row, count } => {
                self.delete_lines(Lines::Rows, shape, *row, *count)
            }
            Edit::DeleteColumns { shape, column, count } => {
                self.delete_lines(Lines::Columns, shape, *column, *count)
            }
            Edit::SetChartData { shape, data } => {
                let place = self.place(shape)?;
                let warnings = &mut self.warnings;
                values::set_chart(
                    &mut self.deck,
                    &place.sheet,
                    &place.shape,
                    place.slide.id,
                    data,
                    warnings,
                )?;
                Ok(format!(
                    "The chart s{}/{} has {} series of {} points.",
                    place.slide.id,
                    place.shape.id,
                    data.columns.len() - 1,
                    data.rows.len()
                ))
            }
            Edit::ReplacePicture { shape, picture, alt } => {
                let place = self.place(shape)?;
                let had_text = pictures::replace(
                    &mut self.deck,
                    &place.sheet,
                    &place.shape,
                    picture,
                    alt.as_deref(),
                    self.files,
                )?;
                let at = format!("s{}/{}", place.slide.id, place.shape.id);
                if had_text {
                    self.warnings.push(format!(
                        "The description of {at} is still that of the old picture; set `alt`."
                    ));
                }
                Ok(format!("The picture {at} was replaced by `{picture}`."))
            }
            Edit::AddContent { slide, place, content } => {
                let (_, slide) = self.slide(slide)?;
                let warnings = &mut self.warnings;
                let (deck, files) = (&mut self.deck, self.files);
                let shape = new_shape::add(deck, &slide.part, place, content, files, warnings)?;
                self.touch(slide.id, shape);
                self.added.entry(slide.id).or_default().insert(shape);
                Ok(format!("s{}/{shape} is new.", slide.id))
            }
            Edit::SetNotes { slide, text, .. } => {
                let (_, slide) = self.slide(slide)?;
                self.has_new_counts |=
                    self.deck.package.related(&slide.part, "notesSlide")?.is_none();
                notes::write(&mut self.deck, &slide.part, text)?;
                Ok(format!("The notes of s{} were set.", slide.id))
            }
            Edit::SetTitle { slide, text, .. } => self.set_title(slide, text),
            Edit::SetProperty { name, value } => {
                let old = props::set(&mut self.deck, name, value)?;
                Ok(format!("The property {name} `{}` became `{}`.", shorten(&old), shorten(value)))
            }
            _ => self.apply_to_slides(edit),
        }
    }

    fn insert_lines(
        &mut self,
        lines: Lines,
        anchor: &str,
        after: u32,
        new: &[Vec<String>],
    ) -> Result<String> {
        let Place { slide, sheet, shape } = self.place(anchor)?;
        values::insert(&mut self.deck, &sheet, &shape, lines, after, new)?;
        self.touch(slide.id, shape.id);
        let name = match lines {
            Lines::Rows => "row",
            Lines::Columns => "column",
        };
        Ok(format!(
            "{} new {name}s came behind {name} {after} of s{}/{}.",
            new.len(),
            slide.id,
            shape.id
        ))
    }

    /// Deletes rows or columns, from the last one on, so that the numbers of the others stay.
    fn delete_lines(
        &mut self,
        lines: Lines,
        anchor: &str,
        first: u32,
        count: u32,
    ) -> Result<String> {
        let end = first.saturating_add(count);
        for at in (first..end).rev() {
            let Place { sheet, shape, .. } = self.place(anchor)?;
            values::delete(&mut self.deck, &sheet, &shape, lines, at)?;
        }
        let name = match lines {
            Lines::Rows => "Row",
            Lines::Columns => "Column",
        };
        Ok(match count {
            1 => format!("{name} {first} of {anchor} was deleted."),
            _ => format!("{name}s {first} to {} of {anchor} were deleted.", end.saturating_sub(1)),
        })
    }

    fn apply_to_slides(&mut self, edit: &Edit) -> Result<String> {
        match edit {
            Edit::DuplicateSlide { slide, position } => {
                let (at, slide) = self.slide(slide)?;
                let position = self.position(position.unwrap_or(at as u32 + 2), 1)?;
                let id = slides::duplicate(&mut self.deck, &slide, position, &mut self.warnings)?;
                self.made.push(id);
                Ok(format!(
                    "s{} was copied: s{id} is slide {} (`new{}`).",
                    slide.id,
                    position + 1,
                    self.made.len()
                ))
            }
            Edit::MoveSlide { slide, position } => {
                let (_, slide) = self.slide(slide)?;
                let position = self.position(*position, 0)?;
                order::shift(&mut self.deck, slide.id, position)?;
                Ok(format!("s{} is slide {}.", slide.id, position + 1))
            }
            Edit::DeleteSlide { slide, .. } => {
                let (at, slide) = self.slide(slide)?;
                slides::delete(&mut self.deck, &slide, &mut self.warnings)?;
                Ok(format!("s{}, which was slide {}, was deleted.", slide.id, at + 1))
            }
            Edit::HideSlide { slide, is_hidden } => {
                let (_, slide) = self.slide(slide)?;
                self.has_new_counts = true;
                slides::set_hidden(&mut self.deck, &slide.part, *is_hidden)?;
                Ok(format!("s{} is {}.", slide.id, if *is_hidden { "hidden" } else { "shown" }))
            }
            Edit::NewSlide { layout, position, fillings, notes } => {
                let end = self.deck.slides()?.len() as u32 + 1;
                let position = self.position(position.unwrap_or(end), 1)?;
                let warnings = &mut self.warnings;
                let (deck, files) = (&mut self.deck, self.files);
                let id = new_slide::add(deck, layout, fillings, position, files, warnings)?;
                self.made.push(id);
                self.new.insert(id);
                let (_, slide) = find_slide(&self.deck.slides()?, &[], Name::Id(id))?;
                if let Some(notes) = notes.as_ref().filter(|it| !it.is_empty()) {
                    notes::write(&mut self.deck, &slide.part, notes)?;
                }
                for shape in Sheet::read(&self.deck, &slide.part)?.shapes {
                    self.touch(id, shape.id);
                }
                Ok(format!(
                    "s{id} on the layout `{layout}` is slide {} (`new{}`).",
                    position + 1,
                    self.made.len()
                ))
            }
            _ => unsupported("this edit is not known"),
        }
    }

    /// Returns a position from 0; `more` places are allowed behind the last slide.
    fn position(&self, position: u32, more: usize) -> Result<usize> {
        let most = self.deck.slides()?.len() + more;
        match usize::try_from(position).ok().filter(|it| (1..=most).contains(it)) {
            Some(position) => Ok(position - 1),
            None => invalid(format!("expected a position from 1 to {most}, got {position}")),
        }
    }

    fn set_text(&mut self, anchor: &str, text: &str) -> Result<String> {
        let Place { slide, sheet, shape } = self.place(anchor)?;
        if shape.kind != Kind::Text {
            return unsupported(format!(
                "expected a shape with text, but s{}/{} is a {}",
                slide.id,
                shape.id,
                shape.kind.name()
            ));
        }
        let old = shape.body.map_or_else(String::new, |it| body_text(&sheet.xml, it));
        let mut splices = Splices::default();
        put_text(&sheet, shape.node, text, &mut splices)?;
        for &other in &shape.fallbacks {
            if sheet.xml.local(other) == "sp" {
                put_text(&sheet, other, text, &mut splices)?;
            }
        }
        self.deck.package.splice(&slide.part, splices)?;
        self.touch(slide.id, shape.id);
        Ok(format!("s{}/{}: `{}` became `{}`.", slide.id, shape.id, shorten(&old), shorten(text)))
    }

    fn set_title(&mut self, anchor: &str, text: &str) -> Result<String> {
        let (_, slide) = self.slide(anchor)?;
        let sheet = Sheet::read(&self.deck, &slide.part)?;
        let old = self.title(&slide.part)?;
        if let Some(title) = sheet.title() {
            let mut splices = Splices::default();
            put_text(&sheet, title.node, text, &mut splices)?;
            let id = title.id;
            self.deck.package.splice(&slide.part, splices)?;
            self.touch(slide.id, id);
        } else if new_slide::add_title(&mut self.deck, &slide.part, text)? {
            let sheet = Sheet::read(&self.deck, &slide.part)?;
            let id = sheet.title().map_or(0, |it| it.id);
            self.touch(slide.id, id);
        } else {
            return unsupported(format!("the layout of s{} has no title", slide.id));
        }
        Ok(format!("The title of s{} `{}` became `{}`.", slide.id, shorten(&old), shorten(text)))
    }

    /// Checks what was changed, brings counts up to date, and returns the file.
    ///
    /// # Errors
    /// [`crate::Error::Malformed`] - a part cannot be read, or a slide has lost its part.
    pub(crate) fn finish(mut self) -> Result<(Vec<u8>, Vec<Overflow>, Vec<String>)> {
        let mut overflows = Vec::new();
        let slides = self.deck.slides()?;
        for slide in &slides {
            if let Some(shapes) = self.touched.get(&slide.id) {
                let none = BTreeSet::new();
                let changed = fitting::Changed {
                    shapes,
                    added: self.added.get(&slide.id).unwrap_or(&none),
                    is_new: self.new.contains(&slide.id),
                };
                let found = fitting::check(&mut self.deck, (slide.id, &slide.part), &changed)?;
                overflows.extend(found.overflows);
                self.warnings.extend(found.warnings);
            }
        }
        slides::drop_orphans(&mut self.deck, &self.reached)?;
        self.count(&slides)?;
        if self.deck.slides()?.len() != slides.len() {
            return malformed("a slide has lost its part");
        }
        self.deck.make_presentation()?;
        Ok((self.deck.save()?, overflows, self.warnings))
    }

    fn count(&mut self, slides: &[Slide]) -> Result<()> {
        let before: BTreeMap<u32, usize> =
            self.original.iter().enumerate().map(|(at, it)| (it.id, at)).collect();
        let is_same = slides.iter().map(|it| it.id).eq(self.original.iter().map(|it| it.id));
        let mut count = props::Count { before: self.original.len(), ..props::Count::default() };
        for slide in slides {
            count.slides.push(match before.get(&slide.id) {
                Some(at) => Ok(*at),
                None => Err(self.title(&slide.part)?.replace(['\n', '\u{b}'], " ")),
            });
            let xml = self.deck.package.xml(&slide.part)?;
            count.hidden += usize::from(slides::is_hidden(&xml));
            count.notes +=
                usize::from(self.deck.package.related(&slide.part, "notesSlide")?.is_some());
        }
        if is_same && !self.has_new_counts {
            return Ok(());
        }
        props::count(&mut self.deck, &count)
    }
}

/// Sets the text of a shape, which gets a body if it has none.
fn put_text(sheet: &Sheet, node: Id, text: &str, out: &mut Splices) -> Result<()> {
    let xml = &sheet.xml;
    match xml.any(node, "txBody") {
        Some(body) => set_text(xml, body, text, out),
        None => {
            let lines: String = text.split('\n').map(crate::write::plain_paragraph).collect();
            let body = format!("<p:txBody><a:bodyPr/><a:lstStyle/>{lines}</p:txBody>");
            let body = xml.declared(node, body);
            match xml.any(node, "extLst") {
                Some(behind) => out.insert(xml.range(behind).start, body),
                None => xml.append(node, &body, out),
            }
            Ok(())
        }
    }
}

fn expect(place: &str, expected: Option<&str>, actual: &str) -> Result<()> {
    match expected {
        Some(expected) if expected.trim() != actual.trim() => invalid(format!(
            "{place}: expected the text `{}`, got `{}`",
            shorten(expected),
            shorten(actual)
        )),
        _ => Ok(()),
    }
}
