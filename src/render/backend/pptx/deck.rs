//! Distributes a text over slides. Knows nothing of the format.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use super::lines::{Flatten, Item, Line, LineKind};
use super::measure::{self, BOTTOM, HEIGHT, ROOM, SIDE, TOP, TableLook};
use super::split::split;
use crate::model::chart::ChartDescription;
use crate::model::doc::{Block, Figure, Inline, Table, leads_in};
use crate::model::language::Language;
use crate::model::slide_texts::SlideKind;
use crate::model::theme::MM;
use crate::shared::chart::OfficeChart;
use crate::shared::losses::LossKind;
use crate::shared::office_pictures::LOGO;
use crate::shared::outline::Outline;
use crate::shared::picture::{Format, Gallery};

/// Levels of headings in the contents.
pub(super) const CONTENTS_LEVELS: u8 = 2;

/// Space below a table.
const BELOW_TABLE: f64 = 12.0;

/// Points in a pixel of a chart: a third more than on paper.
const PIXEL: f64 = 1.0;

/// Space for a caption below a picture, in points.
const CAPTION: f64 = 26.0;
const MAX_CAPTION: f64 = 90.0;

/// Factor for the size of the text of a part that fills more than one slide.
const DENSE: f64 = 0.8;

/// Fewest lines of a paragraph to begin it on a slide, and to continue it on the next one.
const LINES_BEFORE: usize = 3;
const LINES_BEHIND: usize = 2;

/// Factor by which pictures are larger than on paper.
pub(super) const ON_SLIDES: f64 = 1.5;

/// Top of the logo on the first slide, and its greatest height, in points: the title is below it.
const LOGO_TOP: f64 = 48.0;
const MAX_LOGO: f64 = 90.0;

/// A slide.
pub(super) struct Slide<'a> {
    pub(super) kind: SlideKind,
    pub(super) title: Cow<'a, [Inline]>,
    /// Authors and date, on the first one.
    pub(super) subtitle: Option<String>,
    /// `true` if the previous one has the same title.
    pub(super) is_continued: bool,
    pub(super) shapes: Vec<Shape<'a>>,
}

/// A shape on a slide, with lengths in points from its top.
pub(super) enum Shape<'a> {
    Text {
        top: f64,
        height: f64,
        lines: Vec<Line<'a>>,
    },
    Table(TableRows<'a>),
    Picture(PlacedPicture),
    /// Entries of the contents: level, index of the heading, text.
    Contents {
        entries: Vec<(u8, usize, String)>,
    },
}

/// A picture or chart on a slide.
pub(super) struct PlacedPicture {
    pub(super) file: Media,
    /// The chart, if it is one and not a picture.
    pub(super) chart: Option<Box<OfficeChart>>,
    /// Left, top, width, height in points.
    pub(super) place: (f64, f64, f64, f64),
    /// Description.
    pub(super) words: String,
    /// Link target.
    pub(super) link: Option<String>,
    pub(super) block: usize,
    /// Losses, each with its kind.
    pub(super) losses: Vec<(LossKind, String)>,
}

impl PlacedPicture {
    /// Returns a picture without file and position.
    fn words(
        words: String,
        link: Option<String>,
        block: usize,
        losses: Vec<(LossKind, String)>,
    ) -> PlacedPicture {
        let file = Media { bytes: Arc::default(), format: Format::Png };
        PlacedPicture { file, chart: None, place: (0.0, 0.0, 0.0, 0.0), words, link, block, losses }
    }
}

/// File of a picture.
#[derive(Clone)]
pub(super) struct Media {
    pub(super) bytes: Arc<[u8]>,
    pub(super) format: Format,
}

/// Rows of a table.
pub(super) struct TableRows<'a> {
    pub(super) table: Rc<Cow<'a, Table>>,
    pub(super) look: Rc<TableLook>,
    pub(super) rows: Range<usize>,
    pub(super) heights: Vec<f64>,
    pub(super) top: f64,
    pub(super) block: usize,
}

/// Distributes a text over slides.
pub(super) struct Builder<'a> {
    pub(super) slides: Vec<Slide<'a>>,
    /// Index of the slide of each heading.
    pub(super) headings: Vec<usize>,
    outline: &'a Outline<'a>,
    language: &'a Language,
    gallery: Gallery<'a>,
    /// Reasons why pictures are not shown, by their addresses.
    pub(super) unseen: BTreeMap<String, String>,
    /// Losses of charts that became tables, by block.
    pub(super) tables: Vec<(usize, String)>,
    /// Top of the next shape.
    y: f64,
}

impl<'a> Builder<'a> {
    pub(super) fn new(
        outline: &'a Outline<'a>,
        language: &'a Language,
        gallery: Gallery<'a>,
    ) -> Builder<'a> {
        let (slides, headings, tables) = (Vec::new(), Vec::new(), Vec::new());
        let unseen = BTreeMap::new();
        Builder { slides, headings, outline, language, gallery, unseen, tables, y: TOP }
    }

    /// Adds title, contents and text. `logo` is its height in millimetres, and its description.
    ///
    /// # Errors
    ///
    /// The reason why the logo is not shown.
    pub(super) fn text(
        &mut self,
        has_contents: bool,
        logo: Option<&(f64, String)>,
    ) -> Result<(), String> {
        let outline = self.outline;
        let logo = logo.map(|(height, words)| self.logo(*height, words)).transpose();
        let (logo, losses) = match (logo, &outline.title) {
            (Ok(Some(_)), None) => (None, Err("no slide has the title alone".to_owned())),
            (Ok(logo), _) => (logo, Ok(())),
            (Err(why), _) => (None, Err(why)),
        };
        if let Some(title) = &outline.title {
            self.slides.push(Slide {
                kind: SlideKind::Title,
                title: Cow::Borrowed(title),
                subtitle: outline.byline.clone(),
                is_continued: false,
                shapes: logo.map(Shape::Picture).into_iter().collect(),
            });
        }
        if has_contents {
            self.contents();
        }
        let level = slide_level(outline);
        let mut flatten = Flatten::new(self.language);
        let before = self.slides.len();
        let mut scales = self.scales(level).into_iter();
        flatten.scale = scales.next().unwrap_or(1.0);
        for (index, block) in outline.blocks.iter().enumerate() {
            match block {
                Block::Heading { level: own, content } if outline.level(*own) <= level => {
                    let kind = if outline.level(*own) < level {
                        SlideKind::Section
                    } else {
                        SlideKind::Content
                    };
                    self.open(kind, Cow::Borrowed(content), false);
                    self.headings.push(self.slides.len() - 1);
                    flatten.headings += 1;
                    flatten.scale = scales.next().unwrap_or(1.0);
                }
                Block::Rule | Block::PageBreak => self.part(before),
                _ => {
                    flatten.top(block, outline.first_number + index);
                    self.items(std::mem::take(&mut flatten.items), before);
                }
            }
        }
        losses
    }

    /// Returns factors for the text before the first heading of a slide, and behind each: smaller for more text than a slide
    /// holds.
    fn scales(&self, level: u8) -> Vec<f64> {
        let mut heights = vec![0.0];
        for block in self.outline.blocks {
            match block {
                Block::Heading { level: own, .. } if self.outline.level(*own) <= level => {
                    heights.push(0.0);
                }
                _ => {
                    let mut flatten = Flatten::new(self.language);
                    flatten.top(block, 0);
                    let height = flatten.items.iter().map(|item| match item {
                        Item::Line(line) => measure::height(line),
                        _ => 0.0,
                    });
                    if let Some(all) = heights.last_mut() {
                        *all += height.sum::<f64>();
                    }
                }
            }
        }
        let scale = |height: f64| if height > BOTTOM - TOP { DENSE } else { 1.0 };
        heights.into_iter().map(scale).collect()
    }

    /// Adds slides with the notes.
    pub(super) fn notes(&mut self, notes: Vec<&'a [Block]>) {
        let title = self.language.say("注释", "Notes").to_owned();
        let before = self.slides.len();
        self.open(SlideKind::Content, Cow::Owned(vec![Inline::Text { text: title }]), false);
        let mut flatten = Flatten::new(self.language);
        for (index, note) in notes.into_iter().enumerate() {
            flatten.note(note, index as u64 + 1);
        }
        let items = flatten.items.into_iter().map(|item| match item {
            // Headings in notes have no links.
            Item::Line(line) => Item::Line(Line { heading: None, ..line }),
            table => table,
        });
        self.items(items.collect(), before);
    }

    fn contents(&mut self) {
        let title = self.language.say("目录", "Contents").to_owned();
        let entries = self.outline.contents(CONTENTS_LEVELS);
        // As many as fit below each other in two columns.
        for (index, entries) in entries.chunks(26).enumerate() {
            let title = Cow::Owned(vec![Inline::Text { text: title.clone() }]);
            self.open(SlideKind::Content, title, index > 0);
            if let Some(slide) = self.slides.last_mut() {
                slide.shapes.push(Shape::Contents { entries: entries.to_vec() });
            }
        }
    }

    fn open(&mut self, kind: SlideKind, title: Cow<'a, [Inline]>, is_continued: bool) {
        self.y = TOP;
        let (subtitle, shapes) = (None, Vec::new());
        self.slides.push(Slide { kind, title, subtitle, is_continued, shapes });
    }

    /// Begins a slide at a break in the text, unless one has just begun.
    fn part(&mut self, before: usize) {
        let is_empty = self.slides.last().is_none_or(|slide| slide.shapes.is_empty());
        if self.slides.len() > before && !is_empty {
            self.go_on();
        }
    }

    /// Continues on a new slide with the same title.
    fn go_on(&mut self) {
        let title = self.slides.last().map(|slide| slide.title.clone()).unwrap_or_default();
        self.open(SlideKind::Content, title, true);
    }

    /// Ensures that the last slide takes text: a title slide is followed by a new one.
    fn ensure(&mut self, before: usize) {
        let takes = self.slides.len() > before
            && self.slides.last().is_some_and(|slide| slide.kind == SlideKind::Content);
        if takes {
            return;
        }
        let title = match self.slides.last() {
            Some(slide) if self.slides.len() > before => slide.title.clone(),
            _ => self.outline.title.clone().unwrap_or_default(),
        };
        let is_continued = self.slides.len() > before;
        self.open(SlideKind::Content, title, is_continued);
    }

    fn items(&mut self, items: Vec<Item<'a>>, before: usize) {
        for item in items {
            self.ensure(before);
            match item {
                Item::Line(line) => self.line(line),
                Item::Table { table, block } => self.table(table, block),
                Item::Chart { chart, block } => self.chart(chart, block),
                Item::Picture { figure, line } => self.picture(&figure, line),
            }
        }
    }

    fn line(&mut self, mut line: Line<'a>) {
        loop {
            let height = measure::height(&line);
            let room = BOTTOM - self.y;
            if height <= room {
                return self.put(line, height);
            }
            if line.kind == LineKind::Caption {
                // It stays at its picture, which left space for it.
                let room = (HEIGHT - self.y).max(measure::lines(&line, 1));
                return self.put(line, height.min(room));
            }
            // A paragraph begins if some of its lines fit, and continues on the next slide.
            let is_running = matches!(line.kind, LineKind::Body | LineKind::Quote)
                && line.marker == Default::default();
            let flows = is_running
                && room >= measure::lines(&line, LINES_BEFORE)
                && height - room >= measure::lines(&line, LINES_BEHIND);
            if self.y > TOP && !flows {
                self.go_on_with_heading();
                if measure::height(&line) <= BOTTOM - self.y {
                    continue;
                }
            }
            let capacity = measure::capacity(&line, BOTTOM - self.y);
            let (first, rest) = split(&line.content, capacity);
            if first.is_empty() || rest.is_empty() {
                // It cannot be divided, so it is shrunk.
                let height = BOTTOM - self.y;
                return self.put(line, height);
            }
            let begun = Line { content: Cow::Owned(first), ..line.clone() };
            self.put(begun, BOTTOM - self.y);
            line = Line { content: Cow::Owned(rest), marker: Default::default(), ..line };
            line.heading = None;
        }
    }

    fn put(&mut self, line: Line<'a>, height: f64) {
        let slide = self.slides.len().saturating_sub(1);
        if let Some(index) = line.heading {
            // Headings are numbered in the order of the text.
            debug_assert_eq!(index, self.headings.len());
            self.headings.push(slide);
        }
        let y = self.y;
        self.y += height;
        let Some(slide) = self.slides.last_mut() else { return };
        match slide.shapes.last_mut() {
            Some(Shape::Text { height: all, lines, .. }) => {
                *all += height;
                lines.push(line);
            }
            _ => slide.shapes.push(Shape::Text { top: y, height, lines: vec![line] }),
        }
    }

    /// Continues on a new slide. Headings and a caption at the end of this one move with what follows them.
    fn go_on_with_heading(&mut self) {
        let taken = self.take_heading();
        self.go_on();
        for line in taken {
            let height = measure::height(&line);
            self.put(line, height);
        }
    }

    /// Takes the headings and the caption at the end of the last slide, unless they are all of it.
    fn take_heading(&mut self) -> Vec<Line<'a>> {
        let mut taken = Vec::new();
        let Some(slide) = self.slides.last_mut() else { return taken };
        let is_only = slide.shapes.len() == 1;
        let Some(Shape::Text { lines, height, .. }) = slide.shapes.last_mut() else { return taken };
        let is_heading = |line: &Line<'_>| line.kind == LineKind::Heading;
        let is_caption = |line: &Line<'_>| {
            line.kind == LineKind::Body
                && line.marker == Default::default()
                && leads_in(&line.content)
        };
        let captions = usize::from(lines.last().is_some_and(is_caption));
        let above = &lines[..lines.len() - captions];
        let headings = above.iter().rev().take_while(|line| is_heading(line)).count();
        let count = captions + headings;
        if is_only && count == lines.len() {
            return taken;
        }
        taken = lines.split_off(lines.len() - count);
        *height -= taken.iter().map(measure::height).sum::<f64>();
        if lines.is_empty() {
            slide.shapes.pop();
        }
        for line in &taken {
            if line.heading.is_some() {
                self.headings.pop();
            }
        }
        taken
    }

    /// Adds a chart with its source, or its table if it cannot be drawn.
    fn chart(&mut self, chart: &'a ChartDescription, block: usize) {
        let mut drawn = match OfficeChart::new(chart) {
            Ok(drawn) => drawn,
            Err(error) => {
                let why = format!("a table in place of it: {error}");
                self.tables.push((block, why));
                return self.table(Cow::Owned(chart.to_table()), block);
            }
        };
        let size = (drawn.size.0 * PIXEL, drawn.size.1 * PIXEL);
        let warnings = std::mem::take(&mut drawn.warnings);
        let losses = warnings.into_iter().map(|it| (LossKind::Chart, it)).collect();
        let shown = PlacedPicture::words(drawn.alternative.clone(), None, block, losses);
        let source = drawn.source.take();
        let file = shown.file.clone();
        let source = source.map(|source| Line {
            content: Cow::Owned(vec![Inline::Text { text: source }]),
            kind: LineKind::Caption,
            depth: 0,
            marker: Default::default(),
            block,
            heading: None,
            scale: 1.0,
        });
        let below = source.as_ref().map_or(0.0, measure::height);
        self.show(file, size, below, PlacedPicture { chart: Some(Box::new(drawn)), ..shown });
        if let Some(source) = source {
            // It is close to the chart.
            self.y -= BELOW_TABLE;
            self.line(source);
        }
    }

    /// Returns the logo of the theme, above the title of the first slide.
    fn logo(&mut self, height: f64, words: &str) -> Result<PlacedPicture, String> {
        let number = self.gallery.find(LOGO)?;
        let picture = self.gallery.all().get(number).ok_or("it is not there")?;
        // Enlarged by the same factor as other pictures.
        let height = (height * MM * ON_SLIDES).min(MAX_LOGO);
        let scale = (height / picture.height).min(ROOM / picture.width);
        let (width, height) = (picture.width * scale, picture.height * scale);
        let words = if words.trim().is_empty() { "logo" } else { words };
        let shown = PlacedPicture::words(words.to_owned(), None, 0, Vec::new());
        let file = Media { bytes: picture.file.clone(), format: picture.format };
        Ok(PlacedPicture { file, place: (SIDE, LOGO_TOP, width, height), ..shown })
    }

    fn picture(&mut self, figure: &Figure<'a>, line: Line<'a>) {
        let found = self.gallery.find(figure.url);
        let found = found.map(|number| self.gallery.all().get(number).cloned());
        let picture = match found {
            Ok(Some(picture)) => picture,
            Ok(None) => return self.line(line),
            Err(why) => {
                // The line that replaces it reports the reason.
                self.unseen.insert(figure.url.to_owned(), why);
                return self.line(line);
            }
        };
        let losses =
            picture.left_out.clone().into_iter().map(|it| (LossKind::Drawing, it)).collect();
        let link = figure.link.map(str::to_owned);
        let file = Media { bytes: picture.file.clone(), format: picture.format };
        // A picture has its size on paper, and a slide is twice as large.
        let size = (picture.width * ON_SLIDES, picture.height * ON_SLIDES);
        let words = figure.description.to_owned();
        let block = line.block;
        let caption = figure.caption.map(|caption| Line {
            content: Cow::Owned(vec![Inline::Text { text: caption.trim().to_owned() }]),
            kind: LineKind::Caption,
            marker: Default::default(),
            ..line
        });
        let below = caption.as_ref().map_or(0.0, measure::height);
        self.show(file, size, below, PlacedPicture::words(words, link, block, losses));
        if let Some(caption) = caption {
            self.line(caption);
        }
    }

    /// Adds a picture if there is enough space for it, or else on the next slide. `below` is the height of its caption.
    fn show(&mut self, file: Media, (width, height): (f64, f64), below: f64, shown: PlacedPicture) {
        let fits = |room: f64| (ROOM / width).min(room / height).min(1.0);
        let below = below.clamp(CAPTION, MAX_CAPTION);
        let room = |y: f64| BOTTOM - below - y;
        if self.y > TOP && fits(room(self.y)) < fits(room(TOP)) * 0.7 {
            self.go_on_with_heading();
        }
        let scale = fits(room(self.y));
        let (width, height) = (width * scale, height * scale);
        let place = (SIDE + (ROOM - width) / 2.0, self.y, width, height);
        self.y += height + BELOW_TABLE;
        if let Some(slide) = self.slides.last_mut() {
            slide.shapes.push(Shape::Picture(PlacedPicture { file, place, ..shown }));
        }
    }

    fn table(&mut self, table: Cow<'a, Table>, block: usize) {
        let look = Rc::new(TableLook::of(&table));
        let table = Rc::new(table);
        let head = look.row(&table.head);
        let mut next = 0;
        loop {
            let least = head + table.rows.iter().take(2).map(|row| look.row(row)).sum::<f64>();
            if self.y > TOP && self.y + least.min(BOTTOM - TOP) > BOTTOM {
                self.go_on_with_heading();
            }
            let (top, first) = (self.y, next);
            let mut heights = vec![head];
            let mut y = top + head;
            while let Some(row) = table.rows.get(next) {
                let height = look.row(row);
                // A row that is higher than a slide gets one of its own.
                if y + height > BOTTOM && next > first {
                    break;
                }
                heights.push(height);
                y += height;
                next += 1;
            }
            // A single last row does not get a slide of its own.
            if table.rows.len() - next == 1
                && next - first > 2
                && let Some(height) = heights.pop()
            {
                y -= height;
                next -= 1;
            }
            let rows = first..next;
            let piece =
                TableRows { table: table.clone(), look: look.clone(), rows, heights, top, block };
            if let Some(slide) = self.slides.last_mut() {
                slide.shapes.push(Shape::Table(piece));
            }
            self.y = y + BELOW_TABLE;
            if next >= table.rows.len() {
                return;
            }
            self.go_on();
        }
    }
}

/// Returns the level of the headings that begin slides: the highest one directly followed by text.
pub(super) fn slide_level(outline: &Outline<'_>) -> u8 {
    let follows = outline.blocks.windows(2).filter_map(|two| match two {
        [Block::Heading { .. }, Block::Heading { .. }] => None,
        [Block::Heading { level, .. }, _] => Some(outline.level(*level)),
        _ => None,
    });
    follows.min().unwrap_or(1)
}
