//! Reads the charts of a worksheet: kind, title, categories and series.

use super::drawing::{Anchor, anchors};
use super::json::{Object, push_list, push_text};
use super::number_format::NumberFormat;
use super::references::{MAX_POINTS, References};
use super::room::Room;
use crate::package::{Package, attribute, chart_title, events, push_reference};
use mitt_reader_kit::{clean, single_line};
use quick_xml::events::{BytesStart, Event};

/// The most charts of a sheet.
const MAX_CHARTS: usize = 50;

/// The most series of a chart. Spreadsheets allow 255.
const MAX_SERIES: usize = 255;

/// The most characters of a name or a category.
const MAX_NAME: usize = 255;

/// The deepest element that is looked at.
const MAX_DEPTH: usize = 64;

/// The bytes of a point in JSON.
const POINT: usize = 12;

/// A chart.
pub(super) struct Chart {
    kind: &'static str,
    title: Option<String>,
    anchor: Anchor,
    series: Vec<Series>,
}

#[derive(Default)]
struct Series {
    name: Source,
    categories: Source,
    values: Source,
}

/// Data of a chart: stored in the chart, or in cells.
#[derive(Default)]
struct Source {
    reference: String,
    /// Stored values by their index.
    points: Vec<Option<String>>,
    /// Number of points that the chart names. Some may have no stored value.
    count: usize,
    format: Option<NumberFormat>,
    /// Cells of the reference, if stored values are missing.
    cells: Vec<(usize, u32, u32)>,
}

/// The charts of a sheet, and how many of them were left out.
#[derive(Default)]
pub(super) struct Charts {
    charts: Vec<Chart>,
    pub(super) omitted: usize,
}

/// Reads the charts of a sheet by the path of its part. `sheet` returns the index of a sheet by its name.
pub(super) fn read(
    package: &mut Package<'_>,
    part: &str,
    references: &mut References,
    sheet: impl Fn(&str) -> Option<usize>,
) -> Charts {
    let mut found = Charts::default();
    let relationships = package.relationships(part).unwrap_or_default();
    for drawn in relationships.iter().filter(|relationship| relationship.kind == "drawing") {
        let Some(xml) = package.read(&drawn.target) else { continue };
        let charts = package.relationships(&drawn.target).unwrap_or_default();
        for (id, anchor) in anchors(&xml) {
            if found.charts.len() >= MAX_CHARTS {
                found.omitted += 1;
                continue;
            }
            let target = charts.iter().find(|relationship| relationship.id == id);
            let xml = target.and_then(|chart| package.read(&chart.target)).unwrap_or_default();
            let mut chart = chart(&xml, anchor);
            for source in chart.series.iter_mut().flat_map(Series::sources) {
                source.find_cells(references, &sheet);
            }
            found.charts.push(chart);
        }
    }
    found
}

impl Series {
    fn sources(&mut self) -> [&mut Source; 3] {
        [&mut self.name, &mut self.categories, &mut self.values]
    }
}

impl Source {
    fn len(&self) -> usize {
        self.count.max(self.points.len()).max(self.cells.len()).min(MAX_POINTS)
    }

    /// Wants the cells of the reference, if stored values are missing.
    fn find_cells(&mut self, references: &mut References, sheet: &impl Fn(&str) -> Option<usize>) {
        let is_complete =
            self.points.len() >= self.count && self.points.iter().all(Option::is_some);
        if self.reference.is_empty() || is_complete && !self.points.is_empty() {
            return;
        }
        let cells = references.want(&self.reference, sheet);
        // Cells of hidden rows have no points, so that the others would be in the wrong places.
        if self.points.is_empty() || cells.len() == self.count {
            self.cells = cells;
        }
    }

    fn point(&self, index: usize) -> Option<&str> {
        self.points.get(index)?.as_deref()
    }

    /// Returns the text of a point, as a cell shows it.
    fn text(&self, index: usize, references: &References) -> String {
        let Some(text) = self.point(index) else {
            let seen = self.cells.get(index).and_then(|cell| references.get(*cell));
            return seen.map(|seen| seen.text.clone()).unwrap_or_default();
        };
        match (&self.format, text.trim().parse::<f64>()) {
            (Some(format), Ok(number)) if number.is_finite() => {
                let mut out = String::new();
                format.write_number(number, false, &mut out);
                out
            }
            _ => tidy(text),
        }
    }

    fn number(&self, index: usize, references: &References) -> Option<f64> {
        let number: f64 = match self.point(index) {
            Some(text) => text.trim().parse().ok()?,
            None => references.get(*self.cells.get(index)?)?.number?,
        };
        number.is_finite().then_some(number)
    }

    /// Returns all texts joined. Names of series may have several cells.
    fn name(&self, references: &References) -> String {
        let parts: Vec<String> =
            (0..self.len().min(8)).map(|at| self.text(at, references)).collect();
        tidy(&parts.join(" "))
    }
}

fn tidy(text: &str) -> String {
    single_line(&clean(text)).chars().take(MAX_NAME).collect()
}

impl Charts {
    /// Writes the charts as a list, as far as there is room. Returns `false` if some of them lack points.
    pub(super) fn write(&self, out: &mut String, references: &References, room: &mut Room) -> bool {
        let mut is_complete = true;
        push_list(out, &self.charts, |out, chart| {
            is_complete &= chart.write(out, references, room);
        });
        is_complete
    }
}

impl Chart {
    fn write(&self, out: &mut String, references: &References, room: &mut Room) -> bool {
        let mut is_complete = true;
        let mut object = Object::new(out);
        object.text("kind", self.kind);
        match &self.title {
            Some(title) => object.text("title", title),
            None => object.plain("title", "null"),
        }
        object.plain("row", self.anchor.row);
        object.plain("column", self.anchor.column);
        let categories = self.series.iter().map(|series| &series.categories);
        let categories = categories.max_by_key(|source| source.len());
        let mut labels = Vec::new();
        for index in 0..categories.map_or(0, Source::len) {
            let label = categories.map(|source| source.text(index, references)).unwrap_or_default();
            is_complete &= room.take(label.len() + POINT);
            if !is_complete {
                break;
            }
            labels.push(label);
        }
        push_list(object.member("categories"), labels, |out, label| push_text(out, &label));
        push_list(object.member("series"), &self.series, |out, series| {
            let mut object = Object::new(out);
            object.text("name", &series.name.name(references));
            let count = series.values.len();
            let has_room = room.take((count + 2) * POINT + MAX_NAME);
            is_complete &= has_room;
            let values = (0..if has_room { count } else { 0 })
                .map(|at| series.values.number(at, references));
            push_list(object.member("values"), values, |out, value| {
                match value {
                    Some(value) => out.push_str(&crate::value::lexeme(value)),
                    None => out.push_str("null"),
                };
            });
            object.end();
        });
        object.end();
        is_complete
    }
}

/// The part of a series that is being read.
#[derive(Clone, Copy, PartialEq)]
enum Slot {
    Name,
    Categories,
    Values,
}

/// The text that is being read.
#[derive(Clone, Copy, PartialEq)]
enum Field {
    Reference,
    Value,
    Format,
}

/// State of reading a chart.
#[derive(Default)]
struct Reader {
    path: Vec<String>,
    depth: usize,
    kind: Option<&'static str>,
    series: Vec<Series>,
    /// The slot, and the depth of its element.
    slot: Option<(Slot, usize)>,
    field: Option<Field>,
    text: String,
    index: usize,
    levels: usize,
    has_title: bool,
}

fn chart(xml: &[u8], anchor: Anchor) -> Chart {
    let mut reader = Reader::default();
    events(xml, |event| reader.event(event));
    let Reader { kind, mut series, has_title, .. } = reader;
    let mut title = chart_title(xml).map(|title| tidy(&title));
    // A title without a text is the name of the only series.
    if let ([only], true, None) = (&mut series[..], has_title, &title) {
        let name = only.name.name(&References::default());
        title = Some(name).filter(|name| !name.is_empty());
    }
    Chart { kind: kind.unwrap_or("other"), title, anchor, series }
}

impl Reader {
    fn event(&mut self, event: &Event<'_>) {
        match event {
            Event::Start(element) => {
                self.start(element);
                self.depth += 1;
                if self.path.len() < MAX_DEPTH && self.path.len() + 1 == self.depth {
                    self.path.push(element.local_name().as_ref().to_owned());
                }
            }
            Event::End(element) => {
                self.depth = self.depth.saturating_sub(1);
                self.path.truncate(self.depth);
                self.end(element.local_name().as_ref());
            }
            Event::Text(content) if self.field.is_some() => {
                self.text.push_str(&content.xml10_content());
            }
            Event::GeneralRef(reference) if self.field.is_some() => {
                push_reference(reference, &mut self.text);
            }
            _ => {}
        }
    }

    fn start(&mut self, element: &BytesStart<'_>) {
        let name = element.local_name();
        let name = name.as_ref();
        let parent = self.path.last().map_or("", String::as_str);
        if self.depth > self.path.len() {
            return;
        }
        match name {
            _ if parent == "plotArea" => self.kind = self.kind.or(kind_of(name)),
            "barDir" if self.kind == Some("column") => {
                let is_bar = attribute(element, "val").is_some_and(|value| value == "bar");
                self.kind = Some(if is_bar { "bar" } else { "column" });
            }
            "title" if parent == "chart" => self.has_title = true,
            "ser" if self.series.len() < MAX_SERIES && self.slot.is_none() => {
                self.series.push(Series::default());
            }
            _ if parent == "ser" => {
                let slot = match name {
                    "tx" => Some(Slot::Name),
                    "cat" | "xVal" => Some(Slot::Categories),
                    "val" | "yVal" => Some(Slot::Values),
                    _ => None,
                };
                self.slot = slot.map(|slot| (slot, self.depth));
                self.levels = 0;
            }
            _ if self.slot.is_none() => {}
            "f" => self.begin(Field::Reference),
            "v" => self.begin(Field::Value),
            "formatCode" => self.begin(Field::Format),
            "lvl" => self.levels += 1,
            "ptCount" => {
                let count = attribute(element, "val").and_then(|count| count.trim().parse().ok());
                if let Some((count, source)) = count.zip(self.source()) {
                    source.count = count;
                }
            }
            "pt" => {
                let index = attribute(element, "idx").and_then(|index| index.trim().parse().ok());
                self.index = index.unwrap_or(usize::MAX);
            }
            _ => {}
        }
    }

    fn begin(&mut self, field: Field) {
        self.field = Some(field);
        self.text.clear();
        // A name without a reference is not in a point.
        if field == Field::Value && self.path.last().is_some_and(|parent| parent != "pt") {
            self.index = 0;
        }
    }

    fn end(&mut self, name: &str) {
        if self.slot.is_some_and(|(_, depth)| self.depth <= depth) {
            self.slot = None;
        }
        let is_field = matches!(name, "f" | "v" | "formatCode");
        let Some(field) = self.field.take_if(|_| is_field) else { return };
        let (index, levels) = (self.index, self.levels);
        let text = std::mem::take(&mut self.text);
        let Some(source) = self.source() else { return };
        match field {
            Field::Reference => source.reference = text,
            Field::Format => {
                let format = NumberFormat::of(&text);
                source.format = Some(format).filter(|format| !format.is_general());
            }
            // The first level of categories is the one beside the axis.
            Field::Value if levels <= 1 && index < MAX_POINTS => {
                if source.points.len() <= index {
                    source.points.resize(index + 1, None);
                }
                source.points[index] = Some(text);
            }
            Field::Value => {}
        }
    }

    /// Returns the data that is being read.
    fn source(&mut self) -> Option<&mut Source> {
        let (slot, _) = self.slot?;
        let series = self.series.last_mut()?;
        Some(match slot {
            Slot::Name => &mut series.name,
            Slot::Categories => &mut series.categories,
            Slot::Values => &mut series.values,
        })
    }
}

/// Returns the kind of a chart by its element; `None` for an element that is no chart.
fn kind_of(name: &str) -> Option<&'static str> {
    if !name.ends_with("Chart") {
        return None;
    }
    Some(match name.trim_end_matches("Chart").trim_end_matches("3D") {
        // Its direction follows.
        "bar" => "column",
        "line" => "line",
        "pie" | "doughnut" | "ofPie" => "pie",
        "area" => "area",
        "scatter" | "bubble" => "scatter",
        _ => "other",
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(xml: &str) -> String {
        let charts = Charts { charts: vec![chart(xml.as_bytes(), Anchor::default())], omitted: 0 };
        let mut out = String::new();
        assert!(charts.write(&mut out, &References::default(), &mut Room::new(10_000)));
        out
    }

    fn series(name: &str, values: &str) -> String {
        format!(
            "<ser><tx><strRef><f>S!$B$1</f><strCache><ptCount val=\"1\"/><pt idx=\"0\"><v>{name}</v></pt></strCache></strRef></tx>\
             <dLbls><dLbl><tx><rich><p><r><t>no</t></r></p></rich></tx></dLbl></dLbls>\
             <cat><numRef><f>S!$A$2:$A$3</f><numCache><formatCode>yyyy</formatCode><pt idx=\"0\"><v>45657</v></pt><pt idx=\"1\"><v>46022</v></pt></numCache></numRef></cat>\
             <val><numRef><f>S!$B$2:$B$3</f><numCache><formatCode>General</formatCode>{values}</numCache></numRef></val></ser>"
        )
    }

    #[test]
    fn stored_values_are_read() {
        let one =
            series("A &amp; B", "<pt idx=\"0\"><v>1.50</v></pt><pt idx=\"2\"><v>#N/A</v></pt>");
        let two = series("C", "<pt idx=\"1\"><v>-2e3</v></pt><pt idx=\"99999999\"><v>3</v></pt>");
        let xml = format!(
            "<chartSpace><chart><title><tx><rich><p><r><t>Sales</t></r></p></rich></tx></title><plotArea><layout/>\
             <barChart><barDir val=\"col\"/>{one}{two}</barChart><lineChart/><catAx/></plotArea></chart></chartSpace>"
        );
        assert_eq!(
            written(&xml),
            "[{\"kind\":\"column\",\"title\":\"Sales\",\"row\":0,\"column\":0,\"categories\":[\"2024\",\"2025\"],\
             \"series\":[{\"name\":\"A & B\",\"values\":[1.5,null,null]},{\"name\":\"C\",\"values\":[null,-2000]}]}]"
        );
    }

    #[test]
    fn kinds_of_charts() {
        for (element, kind) in [
            ("<barChart><barDir val=\"bar\"/></barChart>", "bar"),
            ("<bar3DChart><barDir val=\"col\"/></bar3DChart>", "column"),
            ("<doughnutChart/>", "pie"),
            ("<line3DChart/>", "line"),
            ("<bubbleChart/>", "scatter"),
            ("<radarChart/>", "other"),
            ("<catAx/>", "other"),
        ] {
            let xml =
                format!("<chartSpace><chart><plotArea>{element}</plotArea></chart></chartSpace>");
            assert!(
                written(&xml).contains(&format!("\"kind\":\"{kind}\",\"title\":null")),
                "{element}"
            );
        }
    }

    #[test]
    fn a_title_without_text_is_the_only_series() {
        let one = series("Costs", "");
        let xml = format!(
            "<chartSpace><chart><title/><plotArea><pieChart>{one}</pieChart></plotArea></chart></chartSpace>"
        );
        assert!(written(&xml).contains("\"kind\":\"pie\",\"title\":\"Costs\""));
    }

    #[test]
    fn damaged_charts_are_of_no_kind() {
        for xml in ["", "<", "<a>", &"<a>".repeat(100_000), "</a></a>", "<ser><tx><v>x"] {
            assert!(written(xml).starts_with("[{\"kind\":\"other\",\"title\":null"), "{xml:.20}");
        }
    }

    #[test]
    fn categories_of_several_levels_are_those_of_the_first() {
        let xml = "<chartSpace><chart><plotArea><lineChart><ser><cat><multiLvlStrRef><multiLvlStrCache>\
             <lvl><pt idx=\"0\"><v>Q1</v></pt><pt idx=\"1\"><v>Q2</v></pt></lvl><lvl><pt idx=\"0\"><v>2024</v></pt></lvl>\
             </multiLvlStrCache></multiLvlStrRef></cat><tx><v>own</v></tx></ser></lineChart></plotArea></chart></chartSpace>";
        assert!(written(xml).contains(
            "\"categories\":[\"Q1\",\"Q2\"],\"series\":[{\"name\":\"own\",\"values\":[]}]"
        ));
    }
}
