//! A document as slides without places and looks, for an editor of presentations.

use std::collections::BTreeMap;

use super::deck::{CONTENTS_LEVELS, ON_SLIDES, slide_level};
use super::lines::{Flatten, Item, Line, LineKind, Marker};
use super::{WEIGHTS, accept};
use crate::PptxOptions;
use crate::model::chart::ChartDescription;
use crate::model::doc::{Block, Doc, Figure, Inline, Table, TextStyle, plain_text};
use crate::model::language::Language;
use crate::model::slide_texts::{
    SlideKind, SlideLine, SlidePart, SlidePicture, SlideText, SlideTexts,
};
use crate::shared::chart::OfficeChart;
use crate::shared::losses::{LossKind, Losses};
use crate::shared::math;
use crate::shared::notes::{Notes, Reference};
use crate::shared::outline::{Outline, title};
use crate::shared::picture::Gallery;
use crate::shared::xml::is_legal;
use mitt_base::Result;
use mitt_base::rows::counted;

/// Break within a paragraph, as presentations have it in texts.
const BREAK: char = '\u{b}';

/// What replaces a tab in code, as a tab is a level for editors.
const TAB: &str = "    ";

/// Deepest level of a paragraph.
const MAX_LEVEL: usize = 8;

/// Reason why a picture is not shown that could be.
const IN_LINE: &str = "a slide shows pictures that stand by themselves";

/// Divides a document into slides without places and looks.
pub(crate) fn slide_texts(doc: &Doc, options: &PptxOptions) -> Result<SlideTexts> {
    options.common.cancel.check()?;
    WEIGHTS.check(doc)?;
    let language = Language::of(doc, options.common.language.as_deref())?;
    let outline = Outline::of(doc);
    let mut writer = TextWriter {
        language: &language,
        gallery: Gallery::new(&options.common.pictures, &accept),
        notes: Notes::of(doc),
        losses: Losses::default(),
        formats: BTreeMap::new(),
        unseen: BTreeMap::new(),
        below_heading: false,
        below_paragraph: false,
        made: SlideTexts::default(),
    };
    writer.text(&outline, options.common.contents);
    writer.add_notes();
    let mut made = writer.made;
    made.title = title(doc, options.common.title.as_deref());
    made.author = options.common.author.clone().unwrap_or_else(|| doc.meta.authors.join("; "));
    made.is_chinese = language.is_chinese();
    made.warnings = doc.warnings.clone();
    made.warnings.extend(left_out(&writer.formats));
    made.warnings.extend(writer.losses.into_warnings());
    Ok(made)
}

/// Returns the warning about formatting that plain texts do not have.
fn left_out(formats: &BTreeMap<&'static str, usize>) -> Option<String> {
    let counts: Vec<String> =
        formats.iter().map(|(name, count)| counted(*count as u64, name)).collect();
    let list = counts.join(", ");
    (!counts.is_empty()).then(|| format!("formatting within texts is left out: {list}"))
}

struct TextWriter<'a> {
    language: &'a Language,
    gallery: Gallery<'a>,
    notes: Notes<'a>,
    losses: Losses,
    /// How often each kind of formatting was left out, by its name for one.
    formats: BTreeMap<&'static str, usize>,
    /// Reasons why pictures are not shown, by their addresses.
    unseen: BTreeMap<String, String>,
    /// A heading below that of the slide stands above, and a paragraph: what follows is one level deeper.
    below_heading: bool,
    below_paragraph: bool,
    made: SlideTexts,
}

impl<'a> TextWriter<'a> {
    fn text(&mut self, outline: &Outline<'a>, has_contents: bool) {
        let title = outline.title.as_deref().map(|title| self.plain(title));
        if let Some(title) = &title {
            self.open(SlideKind::Title, title.clone(), false);
            if let Some(slide) = self.made.slides.last_mut() {
                slide.subtitle = outline.byline.clone();
            }
        }
        if has_contents {
            self.contents(outline);
        }
        let title = title.unwrap_or_default();
        let level = slide_level(outline);
        let first = self.made.slides.len();
        let mut flatten = Flatten::new(self.language);
        for (index, block) in outline.blocks.iter().enumerate() {
            let number = outline.first_number + index;
            self.losses.enter_block(number);
            match block {
                Block::Heading { level: own, content } if outline.level(*own) <= level => {
                    self.losses.below(&plain_text(content));
                    let kind = if outline.level(*own) < level {
                        SlideKind::Section
                    } else {
                        SlideKind::Content
                    };
                    let text = self.plain(content);
                    self.open(kind, text, false);
                }
                Block::Rule | Block::PageBreak => {
                    let is_empty = self.made.slides.last().is_none_or(|it| it.parts.is_empty());
                    if self.made.slides.len() > first && !is_empty {
                        self.open_for_text(first, &title, true);
                    }
                }
                _ => {
                    flatten.top(block, number);
                    self.items(std::mem::take(&mut flatten.items), first, &title);
                }
            }
        }
    }

    fn contents(&mut self, outline: &Outline<'_>) {
        let entries = outline.contents(CONTENTS_LEVELS);
        let line = |(level, _, text): (u8, usize, String)| SlideLine {
            level: usize::from(level.saturating_sub(1)),
            text: text.chars().filter(|c| is_legal(*c)).collect::<String>().replace('\t', " "),
        };
        let lines: Vec<SlideLine> = entries.into_iter().map(line).collect();
        if !lines.is_empty() {
            self.open(SlideKind::Content, self.language.say("目录", "Contents").to_owned(), false);
            self.put(SlidePart::Text(lines));
        }
    }

    /// Adds a slide with the footnotes.
    fn add_notes(&mut self) {
        self.losses.enter_notes();
        let notes = self.notes.begin();
        if notes.is_empty() {
            return;
        }
        let mut flatten = Flatten::new(self.language);
        for (index, note) in notes.into_iter().enumerate() {
            flatten.note(note, index as u64 + 1);
        }
        let title = self.language.say("注释", "Notes").to_owned();
        let first = self.made.slides.len();
        self.open(SlideKind::Content, title.clone(), false);
        self.items(std::mem::take(&mut flatten.items), first, &title);
    }

    fn open(&mut self, kind: SlideKind, title: String, is_continued: bool) {
        (self.below_heading, self.below_paragraph) = (false, false);
        let (subtitle, parts) = (None, Vec::new());
        self.made.slides.push(SlideText { kind, title, subtitle, is_continued, parts });
    }

    /// Opens a slide for text that no heading is above, or that continues one. `title` is that of the document.
    fn open_for_text(&mut self, first: usize, title: &str, is_continued: bool) {
        let last = self.made.slides.last().filter(|_| self.made.slides.len() > first);
        let (title, has_same) = match last {
            Some(last) => (last.title.clone(), true),
            None => (title.to_owned(), false),
        };
        // A section has its title for itself, and the text below it begins.
        let is_behind_section = last.is_some_and(|it| it.kind == SlideKind::Section);
        self.open(SlideKind::Content, title, has_same && (is_continued || !is_behind_section));
    }

    fn put(&mut self, part: SlidePart) {
        let Some(slide) = self.made.slides.last_mut() else { return };
        match (slide.parts.last_mut(), part) {
            (Some(SlidePart::Text(lines)), SlidePart::Text(more)) => lines.extend(more),
            (_, part) => slide.parts.push(part),
        }
    }

    fn items(&mut self, items: Vec<Item<'a>>, first: usize, title: &str) {
        let mut code: Option<SlideLine> = None;
        for item in items {
            let takes = self.made.slides.len() > first
                && self.made.slides.last().is_some_and(|it| it.kind == SlideKind::Content);
            if !takes {
                self.open_for_text(first, title, false);
            }
            match item {
                Item::Line(line) if matches!(line.kind, LineKind::Code { .. }) => {
                    self.code(&line, &mut code);
                }
                Item::Line(line) => self.line(&line),
                Item::Table { table, .. } => {
                    let rows = self.rows(&table);
                    self.put(SlidePart::Table(rows));
                }
                Item::Chart { chart, .. } => self.chart(chart),
                Item::Picture { figure, line } => self.picture(&figure, &line),
            }
        }
    }

    /// Adds a line of code to its block, which is one paragraph.
    fn code(&mut self, line: &Line<'_>, block: &mut Option<SlideLine>) {
        let text = plain_text(&line.content).replace('\t', TAB);
        let text = self.legal(&text);
        match block {
            Some(block) => {
                block.text.push(BREAK);
                block.text.push_str(&text);
            }
            None => {
                let text = format!("{}{text}", marker(line.marker));
                *block = Some(SlideLine { level: self.level(line), text });
            }
        }
        if matches!(line.kind, LineKind::Code { is_last: true })
            && let Some(block) = block.take()
            && !block.text.is_empty()
        {
            self.count("code block");
            self.put(SlidePart::Text(vec![block]));
        }
    }

    fn line(&mut self, line: &Line<'_>) {
        let text = format!("{}{}", marker(line.marker), self.plain(&line.content));
        let level = self.level(line);
        if !text.trim().is_empty() {
            self.put(SlidePart::Text(vec![SlideLine { level, text }]));
        }
    }

    /// Returns the level of a line: what stands below a heading or is listed below a paragraph is deeper than it.
    fn level(&mut self, line: &Line<'_>) -> usize {
        if line.kind == LineKind::Heading {
            (self.below_heading, self.below_paragraph) = (true, false);
            return 0;
        }
        let base = usize::from(self.below_heading);
        let level = match line.depth {
            0 => {
                self.below_paragraph = true;
                base
            }
            depth => base + depth - 1 + usize::from(self.below_paragraph),
        };
        level.min(MAX_LEVEL)
    }

    fn rows(&mut self, table: &Table) -> Vec<Vec<String>> {
        let mut rows = Vec::with_capacity(table.rows.len() + 1);
        for row in std::iter::once(&table.head).chain(&table.rows) {
            rows.push(row.iter().map(|cell| self.plain(cell)).collect());
        }
        rows
    }

    /// Adds a chart, or its table if it cannot be drawn.
    fn chart(&mut self, chart: &ChartDescription) {
        match OfficeChart::new(chart) {
            Ok(mut drawn) => {
                for warning in std::mem::take(&mut drawn.warnings) {
                    self.losses.record(LossKind::Chart, &warning);
                }
                let below = drawn.source.take();
                let chart = Box::new(drawn.into_description());
                self.put(SlidePart::Chart { chart, below });
            }
            Err(error) => {
                let why = format!("a table in place of it: {error}");
                self.losses.record(LossKind::Chart, &why);
                let rows = self.rows(&chart.to_table());
                self.put(SlidePart::Table(rows));
            }
        }
    }

    fn picture(&mut self, figure: &Figure<'_>, line: &Line<'_>) {
        let found = self.gallery.find(figure.url);
        let found = found.map(|number| self.gallery.all().get(number).cloned());
        let picture = match found {
            Ok(Some(picture)) => picture,
            Ok(None) => return self.line(line),
            Err(why) => {
                self.unseen.insert(figure.url.to_owned(), why);
                return self.line(line);
            }
        };
        if let Some(what) = &picture.left_out {
            self.losses.record(LossKind::Drawing, what);
        }
        if figure.link.is_some() {
            self.count("link");
        }
        let index = self.made.pictures.len();
        self.made.pictures.push(SlidePicture {
            description: figure.description.trim().to_owned(),
            file: picture.file,
            size: (picture.width * ON_SLIDES, picture.height * ON_SLIDES),
        });
        let below = figure.caption.map(|caption| self.legal(caption.trim()));
        self.put(SlidePart::Picture { index, below });
    }

    fn count(&mut self, what: &'static str) {
        *self.formats.entry(what).or_default() += 1;
    }

    /// Returns a text without what a presentation cannot hold. Its line ends are breaks.
    fn legal(&mut self, text: &str) -> String {
        self.losses.record_illegal(text);
        let kept = text.chars().filter(|c| is_legal(*c));
        kept.map(|c| match c {
            '\n' => BREAK,
            '\t' => ' ',
            c => c,
        })
        .collect()
    }

    /// Returns the text of a line, and counts the formatting that it loses.
    fn plain(&mut self, content: &[Inline]) -> String {
        let mut text = String::new();
        content.iter().for_each(|inline| self.inline(inline, &mut text));
        text
    }

    fn inline(&mut self, inline: &Inline, out: &mut String) {
        let (what, content) = match inline {
            Inline::Text { text } => return out.push_str(&self.legal(text)),
            Inline::Code { text } => {
                self.count("code span");
                return out.push_str(&self.legal(text));
            }
            Inline::Emphasis { content } => ("italic span", content),
            Inline::Strong { content } => ("bold span", content),
            Inline::Strikethrough { content } => ("struck span", content),
            Inline::Styled { style, content } => (style_name(*style), content),
            Inline::Link { content, .. } => ("link", content),
            Inline::Image { url, description, title } => {
                let why = self.unseen.get(url).map_or(IN_LINE, String::as_str);
                self.losses.record_why(LossKind::Image, description, why);
                let what = self.language.say("图：", "Image: ");
                let title = title.as_deref().map(|title| format!(" ({})", title.trim()));
                let title = title.unwrap_or_default();
                return out.push_str(&self.legal(&format!("[{what}{description}{title}]")));
            }
            Inline::Footnote { index } => return self.reference(*index, out),
            Inline::Math { text, .. } => return self.math(text, out),
            Inline::Break => return out.push(BREAK),
        };
        self.count(what);
        content.iter().for_each(|inline| self.inline(inline, out));
    }

    fn reference(&mut self, index: usize, out: &mut String) {
        match self.notes.reference(index) {
            Reference::First(number) | Reference::Again(number) | Reference::Number(number) => {
                out.push_str(&math::raised(&number.to_string()));
            }
            Reference::Inline(text) => out.push_str(&self.legal(&format!("[{text}]"))),
            Reference::Nothing => {}
        }
    }

    fn math(&mut self, source: &str, out: &mut String) {
        match math::formula(source) {
            Ok(formula) => {
                formula.left_out.iter().for_each(|it| self.losses.record(LossKind::MathLook, it));
                if math::linear(&formula).1 {
                    self.losses.record(LossKind::MathLine, source);
                }
                out.push_str(&self.legal(&math::linear_text(&formula)));
            }
            Err(what) => {
                self.losses.record(LossKind::Math, &what);
                out.push_str(&self.legal(source));
            }
        }
    }
}

fn style_name(style: TextStyle) -> &'static str {
    match style {
        TextStyle::Subscript => "subscript",
        TextStyle::Superscript => "superscript",
        TextStyle::Underline => "underlined span",
        TextStyle::Mark => "highlighted span",
    }
}

/// Returns the text that stands for a marker. Bullets are those of the layout.
fn marker(marker: Marker) -> String {
    match marker {
        Marker::None | Marker::Bullet => String::new(),
        Marker::Number { number, .. } => format!("{number}. "),
        Marker::Task(true) => "☑ ".to_owned(),
        Marker::Task(false) => "☐ ".to_owned(),
    }
}
