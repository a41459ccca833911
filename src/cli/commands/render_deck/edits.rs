//! Pages as edits of `deck_tool__edit_deck`.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use super::layouts::{Frame, Layouts, Slot, Use};
use super::pages::{Body, Page, Visual, natural, strip};
use mitt::render::{
    ChartDescription, ChartLabels, ChartRole, ChartShape, ChartStack, ChartValue, SlideKind,
    SlideTexts,
};
use mitt_base::file_name::check_file_name;
use mitt_base::{Error, ErrorKind, Result, text};

/// Most edits of a batch, and most columns of a table; limits of the tool.
const MAX_EDITS: usize = 1_000;
const MAX_COLUMNS: usize = 75;

/// Most slices of a pie; a limit of the tool.
const MAX_SLICES: usize = 48;

/// Part of its placeholder that a picture fills to come into it. A smaller one keeps its size.
const LARGE: f64 = 0.7;

/// Most bytes of the name of a picture, which is its description in the file.
const MAX_NAME_BYTES: usize = 200;

/// What edits are made of.
pub(super) struct Source<'a> {
    pub(super) texts: &'a SlideTexts,
    /// The names of the pictures in the session.
    pub(super) pictures: &'a [String],
    /// Anchors of the slides to remove.
    pub(super) removed: &'a [String],
}

/// Returns the edits that add the pages and remove slides of the template.
///
/// # Errors
///
/// [`ErrorKind::Arguments`] - there are more edits, or a table has more columns, than the tool takes.
pub(super) fn edits(pages: &[Page], layouts: &Layouts, source: &Source<'_>) -> Result<Value> {
    let mut edits = Vec::new();
    let mut number = 1;
    for (at, page) in pages.iter().enumerate() {
        number = if page.is_continued { number + 1 } else { 1 };
        let made = PageEdits { page, layouts, source, slide: format!("new{}", at + 1) };
        made.add(&title(page, number, source.texts.is_chinese), &mut edits)?;
    }
    edits.extend(source.removed.iter().map(|it| edit("delete-slide", json!({ "slide": it }))));
    for (name, value) in
        [("title", source.texts.title.as_deref()), ("author", Some(&*source.texts.author))]
    {
        let value = value.map(str::trim).filter(|value| !value.is_empty());
        let set = value.map(|it| edit("set-property", json!({ "name": name, "value": it })));
        edits.extend(set);
    }
    if edits.len() > MAX_EDITS {
        let message = format!(
            "expected at most {MAX_EDITS} edits of the template, got {}: {} new slides, {} of its own to remove",
            edits.len(),
            pages.len(),
            source.removed.len()
        );
        return Err(Error::new(ErrorKind::Arguments, message)
            .hint("divide the text, or render it without `--template`"));
    }
    Ok(Value::Array(edits))
}

fn edit(tag: &str, value: Value) -> Value {
    json!({ "tag": tag, "val": value })
}

fn content(tag: &str, value: impl Into<Value>) -> Value {
    json!({ "tag": tag, "val": value.into() })
}

/// Returns the title of a page; further pages of one title are numbered.
fn title(page: &Page, number: usize, is_chinese: bool) -> String {
    match (page.title.trim(), number) {
        (title, 1) => title.to_owned(),
        ("", _) => String::new(),
        (title, number) if is_chinese => format!("{title}（{number}）"),
        (title, number) => format!("{title} ({number})"),
    }
}

struct PageEdits<'a> {
    page: &'a Page,
    layouts: &'a Layouts,
    source: &'a Source<'a>,
    slide: String,
}

impl PageEdits<'_> {
    fn add(&self, title: &str, edits: &mut Vec<Value>) -> Result<()> {
        let layouts = self.layouts;
        let mut fillings = Vec::new();
        let mut free = Vec::new();
        let layout = match (self.page.kind, &self.page.body, &layouts.two) {
            (SlideKind::Title, ..) => &layouts.title,
            (SlideKind::Section, ..) => &layouts.section,
            (_, Body::Beside(..), Some(two)) => two,
            _ => &layouts.content,
        };
        fill(&layout.title, title, &mut fillings);
        if let Some(subtitle) = &self.page.subtitle {
            fill(&layout.subtitle, subtitle, &mut fillings);
        }
        match &self.page.body {
            Body::Nothing => {}
            Body::Text(_) | Body::Beside(..) => {
                self.text_or_pair(layout, &mut fillings, &mut free)?;
            }
            Body::Visual { above, visual, below } => {
                let is_alone = above.is_empty() && below.is_empty();
                match (&layout.content, is_alone && self.fills(visual)) {
                    (Some(slot), true) => {
                        fillings.push(filling(slot, self.visual(visual)?));
                    }
                    _ => self.stacked(above, visual, below, &mut free)?,
                }
            }
        }
        let slide = json!({ "layout": layout.layout, "fillings": fillings });
        edits.push(edit("new-slide", slide));
        edits.extend(free.into_iter().map(|(place, content)| {
            let addition =
                json!({ "slide": self.slide, "place": place.place(), "content": content });
            edit("add-content", addition)
        }));
        Ok(())
    }

    fn text_or_pair(
        &self,
        layout: &Use,
        fillings: &mut Vec<Value>,
        free: &mut Vec<(Frame, Value)>,
    ) -> Result<()> {
        let (lines, visual) = match &self.page.body {
            Body::Text(lines) => (lines, None),
            Body::Beside(lines, visual) => (lines, Some(visual)),
            _ => return Ok(()),
        };
        let lines: Vec<String> =
            lines.iter().map(|it| format!("{}{}", "\t".repeat(it.level), it.text)).collect();
        let text = content("text", lines.join("\n"));
        match &layout.content {
            Some(slot) => fillings.push(filling(slot, text)),
            None => free.push((self.layouts.region, text)),
        }
        if let (Some(visual), Some(slot)) = (visual, &layout.second) {
            match slot.frame.filter(|_| !self.fills(visual)) {
                Some(frame) => free.push((self.place(&frame, visual), self.visual(visual)?)),
                None => fillings.push(filling(slot, self.visual(visual)?)),
            }
        }
        Ok(())
    }

    /// Adds a table, chart or picture between short texts.
    fn stacked(
        &self,
        above: &[String],
        visual: &Visual,
        below: &[String],
        free: &mut Vec<(Frame, Value)>,
    ) -> Result<()> {
        let region = self.layouts.region;
        let (top, bottom) = (strip(above, self.layouts), strip(below, self.layouts));
        let (gap, height) = (super::pages::GAP, (region.height - top - bottom).max(1.0));
        if !above.is_empty() {
            let place = Frame { height: top - gap, ..region };
            free.push((place, content("text", above.join("\n"))));
        }
        let frame = Frame { y: region.y + top, height, ..region };
        free.push((self.place(&frame, visual), self.visual(visual)?));
        if !below.is_empty() {
            let y = region.y + top + height + gap;
            let place = Frame { y, height: bottom - gap, ..region };
            free.push((place, content("text", below.join("\n"))));
        }
        Ok(())
    }

    /// Returns `true` for what comes into a placeholder as large as that is. A table comes in its place: the tool measures
    /// text in a placeholder with the sizes of the layout, which tables do not have.
    fn fills(&self, visual: &Visual) -> bool {
        let index = match visual {
            Visual::Table(_) => return false,
            Visual::Chart(_) => return true,
            Visual::Picture(index) => *index,
        };
        let size = self.source.texts.pictures.get(index).map_or((0.0, 0.0), |it| it.size);
        let region = self.layouts.region;
        let frame = natural(&region, size);
        frame.width >= region.width * LARGE || frame.height >= region.height * LARGE
    }

    fn place(&self, frame: &Frame, visual: &Visual) -> Frame {
        match visual {
            Visual::Picture(index) => {
                let picture = self.source.texts.pictures.get(*index);
                picture.map_or(*frame, |it| natural(frame, it.size))
            }
            _ => *frame,
        }
    }

    fn visual(&self, visual: &Visual) -> Result<Value> {
        Ok(match visual {
            Visual::Table(rows) => {
                let columns = rows.first().map_or(0, Vec::len);
                if columns > MAX_COLUMNS {
                    let message = format!(
                        "document: expected tables of at most {MAX_COLUMNS} columns on slides, got {columns}"
                    );
                    return Err(Error::new(ErrorKind::Arguments, message)
                        .at(text::one_line(&self.page.title))
                        .hint("deliver large tables as a workbook (`.xlsx`)"));
                }
                content("table", json!(rows))
            }
            Visual::Chart(chart) => {
                content("chart", new_chart(chart, self.source.texts.is_chinese))
            }
            Visual::Picture(index) => {
                let name = self.source.pictures.get(*index).map_or("", String::as_str);
                content("picture", name)
            }
        })
    }
}

fn fill(slot: &Option<Slot>, text: &str, fillings: &mut Vec<Value>) {
    if let Some(slot) = slot.as_ref().filter(|_| !text.is_empty()) {
        fillings.push(filling(slot, content("text", text)));
    }
}

fn filling(slot: &Slot, content: Value) -> Value {
    json!({ "placeholder": slot.label, "content": content })
}

/// Returns a chart as the tool makes it.
fn new_chart(chart: &ChartDescription, is_chinese: bool) -> Value {
    let is_scatter = chart.kind == ChartShape::Scatter;
    let title = [&chart.title, &chart.subtitle].map(|it| it.as_deref().unwrap_or_default().trim());
    let title: Vec<&str> = title.into_iter().filter(|it| !it.is_empty()).collect();
    let first = chart.category_title.as_deref().map(str::trim).filter(|it| !it.is_empty());
    let first = first.unwrap_or(match (is_chinese, is_scatter) {
        (_, true) => "x",
        (true, false) => "类别",
        (false, false) => "Category",
    });
    let mut columns = vec![first.to_owned()];
    for series in &chart.series {
        let mut name = series.name.clone();
        let mut number = 2;
        while columns.contains(&name) {
            name = format!("{} ({number})", series.name);
            number += 1;
        }
        columns.push(name);
    }
    let rows: Vec<Value> = chart
        .categories
        .iter()
        .enumerate()
        .map(|(at, category)| {
            let category = match chart.x.get(at).copied().flatten().filter(|_| is_scatter) {
                Some(x) => json!(x.get()),
                None => json!(category),
            };
            let value = |values: &[Option<ChartValue>]| {
                json!(values.get(at).copied().flatten().map(|it| it.get()))
            };
            let values = chart.series.iter().map(|series| value(&series.values));
            std::iter::once(category).chain(values).collect()
        })
        .collect();
    json!({
        "kind": kind(chart), "title": title.join(" – "),
        "data": { "columns": columns, "rows": rows },
    })
}

fn kind(chart: &ChartDescription) -> &'static str {
    match chart.kind {
        ChartShape::Column => "column",
        // A pie of the tool has fewer slices.
        ChartShape::Pie | ChartShape::Doughnut if chart.categories.len() > MAX_SLICES => "bar",
        ChartShape::Bar => "bar",
        ChartShape::Line => "line",
        ChartShape::Area => "area",
        ChartShape::Pie | ChartShape::Doughnut => "pie",
        ChartShape::Scatter => "scatter",
    }
}

/// Returns the warning about charts that the tool draws with less than they ask for.
pub(super) fn chart_losses(pages: &[Page]) -> Option<String> {
    let mut lost: BTreeSet<&str> = BTreeSet::new();
    let mut count = 0;
    for page in pages {
        let (Body::Visual { visual: Visual::Chart(chart), .. }
        | Body::Beside(_, Visual::Chart(chart))) = &page.body
        else {
            continue;
        };
        let own: Vec<&str> = [
            ("stacks", chart.stack != ChartStack::Apart && chart.series.len() > 1),
            ("lines over columns", chart.series.iter().any(|it| it.role != ChartRole::Main)),
            ("the hole of a doughnut", chart.kind == ChartShape::Doughnut),
            ("titles of axes", chart.value_title.is_some() || chart.second_title.is_some()),
            ("number formats", chart.format != Default::default()),
            ("values at bars and points", chart.labels == ChartLabels::All),
        ]
        .into_iter()
        .filter_map(|(what, is_lost)| is_lost.then_some(what))
        .collect();
        count += usize::from(!own.is_empty());
        lost.extend(own);
    }
    let lost: Vec<&str> = lost.into_iter().collect();
    (count > 0).then(|| {
        let charts = mitt_base::rows::counted(count as u64, "chart");
        format!(
            "{charts} of the template's looks come without {}; the numbers are all there",
            lost.join(", ")
        )
    })
}

/// Returns names for pictures by which the tool finds them, and which it writes as their descriptions. `taken` is the
/// name of the template.
pub(super) fn picture_names(texts: &SlideTexts, taken: &str) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for (at, picture) in texts.pictures.iter().enumerate() {
        let what = if texts.is_chinese { "图片" } else { "Picture" };
        let fallback = format!("{what} {}", at + 1);
        let words = text::one_line(text::cut_bytes(&picture.description, MAX_NAME_BYTES));
        let words: String = words.chars().map(allowed).collect();
        let words = words.trim().trim_end_matches('.').trim_end();
        let name = match check_file_name(words) {
            Ok(()) => words.to_owned(),
            Err(_) => fallback.clone(),
        };
        let same = texts.pictures.iter().take(at).position(|it| it == picture);
        if let Some(known) = same.and_then(|it| names.get(it)) {
            names.push(known.clone());
            continue;
        }
        let is_taken = |name: &String| name == taken || names.contains(name);
        let name = if is_taken(&name) { format!("{name} ({})", at + 1) } else { name };
        names.push(if is_taken(&name) { fallback } else { name });
    }
    names
}

/// Replaces a character that names of files do not have by one that looks the same.
fn allowed(c: char) -> char {
    match c {
        '/' => '／',
        '\\' => '＼',
        ':' => '：',
        '<' => '＜',
        '>' => '＞',
        '"' => '＂',
        '|' => '｜',
        '?' => '？',
        '*' => '＊',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::super::layouts::tests::chosen;
    use super::super::pages::pages;
    use super::*;
    use mitt::render::{ChartSeries, PptxOptions, SlidePicture, markdown, slide_texts};

    /// Returns the edits of a text, one line each.
    fn made(source: &str, removed: &[&str]) -> String {
        let texts = slide_texts(&markdown(source).unwrap(), &PptxOptions::default()).unwrap();
        let layouts = chosen();
        let removed: Vec<String> = removed.iter().map(|it| (*it).to_owned()).collect();
        let source = Source { texts: &texts, pictures: &[], removed: &removed };
        let edits = edits(&pages(&texts.slides, &layouts), &layouts, &source).unwrap();
        let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let shown = |it: &Value| format!("{} {}", text(&it["tag"]), it["val"]);
        let lines = edits.as_array().unwrap().iter().map(|edit| {
            let (tag, value) = (text(&edit["tag"]), &edit["val"]);
            let names = ["layout", "slide", "name", "value"];
            let mut line = tag;
            for name in names.iter().filter(|name| value[**name].is_string()) {
                line.push_str(&format!(" {}", text(&value[*name])));
            }
            for filling in value["fillings"].as_array().into_iter().flatten() {
                let placeholder = text(&filling["placeholder"]);
                line.push_str(&format!("\n  {placeholder}: {}", shown(&filling["content"])));
            }
            if value["content"].is_object() {
                line.push_str(&format!(" {}: {}", value["place"], shown(&value["content"])));
            }
            line
        });
        lines.collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn a_text_becomes_slides_on_layouts_and_slides_of_the_template_go() {
        let source = "---\ntitle: 汇报\nauthor: 李明\ndate: 2026-11-29\n---\n# 一\n\n## 二\n\n- a\n  - b\n\n---\n\n短。\n\n| k | v |\n|---|---|\n| x | 1 |\n";
        insta::assert_snapshot!(made(source, &["s256", "s257"]), @r#"
        new-slide Title Slide
          0 ctrTitle "Title 1": text "汇报"
          1 subTitle "Subtitle 2": text "李明 · 2026-11-29"
        new-slide Section Header
          0 title "Title 1": text "一"
        new-slide Title and Content
          0 title "Title 1": text "二"
          1 obj "Content Placeholder 2": text "a\n\tb"
        new-slide Title and Content
          0 title "Title 1": text "二（2）"
        add-content new4 [1.27,4.45,22.86,1.1]: text "短。"
        add-content new4 [1.27,5.85,22.86,11.17]: table [["k","v"],["x","1"]]
        delete-slide s256
        delete-slide s257
        set-property title 汇报
        set-property author 李明
        "#);
    }

    #[test]
    fn charts_keep_their_data_and_say_what_they_lose() {
        let chart = ChartDescription {
            title: Some("T".to_owned()),
            subtitle: Some("U".to_owned()),
            stack: ChartStack::Stacked,
            categories: vec!["Q1".to_owned(), "Q2".to_owned()],
            series: [[1.5, 2.0], [3.0, 4.0]]
                .map(|values| ChartSeries {
                    name: "A".to_owned(),
                    values: values.map(ChartValue::new).to_vec(),
                    ..ChartSeries::default()
                })
                .to_vec(),
            ..ChartDescription::default()
        };
        assert_eq!(
            new_chart(&chart, false),
            json!({
                "kind": "column", "title": "T – U",
                "data": {
                    "columns": ["Category", "A", "A (2)"],
                    "rows": [["Q1", 1.5, 3.0], ["Q2", 2.0, 4.0]],
                },
            })
        );
        let page = |chart: &ChartDescription| Page {
            kind: SlideKind::Content,
            title: String::new(),
            subtitle: None,
            body: Body::Beside(Vec::new(), Visual::Chart(Box::new(chart.clone()))),
            is_continued: false,
        };
        assert_eq!(
            chart_losses(&[page(&chart), page(&chart)]).as_deref(),
            Some("2 charts of the template's looks come without stacks; the numbers are all there")
        );
        let plain = ChartDescription { stack: ChartStack::Apart, ..chart };
        assert_eq!(chart_losses(&[page(&plain)]), None);
    }

    #[test]
    fn more_edits_than_the_tool_takes_are_refused() {
        let texts = SlideTexts::default();
        let removed = vec!["s1".to_owned(); MAX_EDITS + 1];
        let source = Source { texts: &texts, pictures: &[], removed: &removed };
        let error = edits(&[], &chosen(), &source).unwrap_err().render();
        assert!(error.contains("expected at most 1000 edits of the template, got 1001"), "{error}");
    }

    #[test]
    fn wide_tables_are_refused_by_their_slide() {
        let wide = format!("## S\n\n|{}\n|{}\n", " a |".repeat(76), "---|".repeat(76));
        let texts = slide_texts(&markdown(&wide).unwrap(), &PptxOptions::default()).unwrap();
        let source = Source { texts: &texts, pictures: &[], removed: &[] };
        let layouts = chosen();
        let error = edits(&pages(&texts.slides, &layouts), &layouts, &source).unwrap_err().render();
        assert!(error.contains("at most 75 columns on slides, got 76"), "{error}");
    }

    #[test]
    fn names_of_pictures_are_their_descriptions() {
        let picture = |description: &str, content: &[u8]| SlidePicture {
            description: description.to_owned(),
            file: content.to_vec().into(),
            size: (1.0, 1.0),
        };
        let pictures = vec![
            picture("A: b/c", b"1"),
            picture("A: b/c", b"1"),
            picture("A: b/c", b"2"),
            picture("", b"3"),
            picture("t.pptx", b"4"),
            picture(".", b"5"),
        ];
        let texts = SlideTexts { pictures, ..SlideTexts::default() };
        assert_eq!(
            picture_names(&texts, "t.pptx"),
            ["A： b／c", "A： b／c", "A： b／c (3)", "Picture 4", "t.pptx (5)", "Picture 6"]
        );
    }
}
