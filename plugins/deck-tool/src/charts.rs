//! Charts: their data, read from and written to the values that a chart keeps, and to its workbook.

use crate::area::Area;
use crate::error::{Result, invalid, unsupported};
use crate::escape::escape;
use crate::grid::{Grid, Value, date, serial};
use crate::text::paragraph;
use crate::workbook::{Cells, Change};
use crate::xml::{Id, Ns, Splices, Xml};
use mitt_number_format::Kind;

/// Most points of a series that are read, and that are written.
const MAX_POINTS: usize = 10_000;
const MAX_SERIES: usize = 255;

/// What a chart shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChartData {
    /// `bar`, `line`, `pie`; several with `+`.
    pub kind: String,
    pub title: String,
    pub data: Grid,
}

/// Returns the groups of series of one type.
fn plots(xml: &Xml) -> Vec<Id> {
    let area = xml.path(xml.root(), Ns::C, &["chart", "plotArea"]);
    let children = area.into_iter().flat_map(|it| xml.children(it));
    children.filter(|&it| xml.ns(it) == Ns::C && xml.local(it).ends_with("Chart")).collect()
}

/// Returns `bar`, `column`, `line` and so on.
fn kind(xml: &Xml, plot: Id) -> &str {
    let direction = xml.child(plot, Ns::C, "barDir").and_then(|it| xml.attr(it, "val"));
    match direction.as_deref() {
        Some("col") => "column",
        _ => xml.local(plot).trim_end_matches("Chart"),
    }
}

fn series(xml: &Xml) -> Vec<Id> {
    plots(xml).into_iter().flat_map(|it| xml.named(it, Ns::C, "ser").collect::<Vec<_>>()).collect()
}

fn categories(xml: &Xml, series: Id) -> Option<Id> {
    xml.child(series, Ns::C, "cat").or(xml.child(series, Ns::C, "xVal"))
}

fn values(xml: &Xml, series: Id) -> Option<Id> {
    xml.child(series, Ns::C, "val").or(xml.child(series, Ns::C, "yVal"))
}

/// Reads a chart.
pub(crate) fn read(xml: &Xml) -> ChartData {
    let kinds: Vec<&str> = plots(xml).iter().map(|&it| kind(xml, it)).collect();
    let mut data = Grid { columns: vec!["Category".to_owned()], rows: Vec::new() };
    let all = series(xml);
    let mut columns: Vec<Vec<Value>> = Vec::new();
    let labels = all.iter().find_map(|&it| categories(xml, it));
    let mut labels =
        labels.map_or_else(|| (Vec::new(), false), |it| (points(xml, it), is_dates(xml, it)));
    if labels.1 {
        labels.0 = labels.0.iter().map(|it| as_date(it, is_1904(xml))).collect();
    }
    columns.push(labels.0);
    for (at, &it) in all.iter().take(MAX_SERIES).enumerate() {
        let mut name = name(xml, it).trim().to_owned();
        if name.is_empty() || data.columns.contains(&name) {
            name = format!("{name} {}", at + 1).trim().to_owned();
            if name.len() < 3 {
                name = format!("Series {}", at + 1);
            }
        }
        data.columns.push(name);
        columns.push(values(xml, it).map_or_else(Vec::new, |it| points(xml, it)));
    }
    let length = columns.iter().map(Vec::len).max().unwrap_or(0);
    if columns[0].is_empty() {
        columns[0] = (1..=length).map(|it| Value::Number(it.to_string())).collect();
    }
    let of_row = |row: usize| {
        columns.iter().map(|it| it.get(row).cloned().unwrap_or(Value::Empty)).collect()
    };
    data.rows = (0..length).map(of_row).collect();
    ChartData { kind: kinds.join("+"), title: title(xml), data }
}

fn title(xml: &Xml) -> String {
    let title = xml.path(xml.root(), Ns::C, &["chart", "title"]);
    let lines = title.into_iter().flat_map(|it| xml.below(it)).filter(|&it| xml.is(it, Ns::A, "p"));
    lines.map(|it| paragraph(xml, it).text).collect::<Vec<_>>().join("\n")
}

fn name(xml: &Xml, series: Id) -> String {
    let Some(tx) = xml.child(series, Ns::C, "tx") else { return String::new() };
    let texts = xml.below(tx).filter(|&it| xml.is(it, Ns::C, "v"));
    texts.map(|it| xml.content(it)).collect::<Vec<_>>().join(" ")
}

/// Returns the element with the points: a cache, or the values themselves.
fn cache(xml: &Xml, source: Id) -> Option<Id> {
    let inner = xml.children(source).find(|&it| xml.ns(it) == Ns::C)?;
    match xml.local(inner) {
        "numLit" | "strLit" => Some(inner),
        "multiLvlStrRef" => xml.path(inner, Ns::C, &["multiLvlStrCache", "lvl"]),
        _ => xml.children(inner).find(|&it| xml.local(it).ends_with("Cache")),
    }
}

fn points(xml: &Xml, source: Id) -> Vec<Value> {
    let Some(cache) = cache(xml, source) else { return Vec::new() };
    let is_number = xml.local(cache).starts_with("num");
    let count = xml.child(cache, Ns::C, "ptCount").and_then(|it| xml.number(it, "val"));
    let mut out = vec![Value::Empty; count.unwrap_or(0).min(MAX_POINTS)];
    for point in xml.named(cache, Ns::C, "pt") {
        let at: usize = xml.number(point, "idx").unwrap_or(0);
        if at >= MAX_POINTS {
            continue;
        }
        if at >= out.len() {
            out.resize(at + 1, Value::Empty);
        }
        let text = xml.child(point, Ns::C, "v").map_or_else(String::new, |it| xml.content(it));
        let value = Value::Number(text.trim().to_owned());
        out[at] = if is_number && value.number().is_some() { value } else { Value::Text(text) };
    }
    out
}

fn area(xml: &Xml, source: Id) -> Option<Area> {
    let inner = xml.children(source).next()?;
    let formula = xml.child(inner, Ns::C, "f")?;
    Area::parse(&xml.content(formula)).filter(Area::is_line)
}

/// Changes of a chart's part, and of its workbook if the places are known.
#[derive(Debug)]
pub(crate) struct NewData {
    pub(crate) splices: Splices,
    pub(crate) workbook: Option<Change>,
}

/// Writes data into a chart. More columns than series add series like the last one; fewer remove the last ones.
///
/// # Errors
/// [`crate::Error::Invalid`] - the data do not fit the chart; [`crate::Error::Unsupported`] - its form is not written.
pub(crate) fn set(xml: &Xml, data: &Grid) -> Result<NewData> {
    let all = series(xml);
    let wanted = data.columns.len().saturating_sub(1);
    check(xml, data, &all)?;
    let length = data.rows.len();
    let mut writer = Writer {
        xml,
        labels: data.column(0),
        length,
        is_row: is_in_rows(xml, &all),
        cells: Some(Cells::new()),
        sheet: None,
        after: (0, 0),
        before: (0, 0),
    };
    let mut splices = Splices::default();
    for (at, &it) in all.iter().enumerate() {
        if at < wanted {
            writer.series(it, &data.columns[at + 1], data.column(at + 1), 0, &mut splices)?;
        } else {
            writer.clear(it);
            xml.remove(it, &mut splices);
        }
    }
    if let Some(&last) = all.last()
        && wanted > all.len()
    {
        let mut added = String::new();
        let greatest = |local: &str| {
            let of = |it: &Id| xml.child(*it, Ns::C, local).and_then(|it| xml.number(it, "val"));
            all.iter().filter_map(of).max().unwrap_or(0_u32)
        };
        let (index, order) = (greatest("idx"), greatest("order"));
        for at in all.len()..wanted {
            let mut inner = Splices::default();
            let steps = (at + 1 - all.len()) as u32;
            writer.series(last, &data.columns[at + 1], data.column(at + 1), steps, &mut inner)?;
            for (local, number) in [("idx", index), ("order", order)] {
                if let Some(node) = xml.child(last, Ns::C, local) {
                    xml.set_attr(
                        node,
                        "val",
                        &number.saturating_add(steps).to_string(),
                        &mut inner,
                    );
                }
            }
            // Without a colour of its own it gets the next one of the theme. Ids in extensions are unique.
            for local in ["spPr", "dPt", "extLst"] {
                xml.named(last, Ns::C, local).for_each(|it| xml.remove(it, &mut inner));
            }
            added.push_str(&xml.cut(xml.range(last), inner));
        }
        splices.insert(xml.range(last).end, added);
    }
    let change = |cells| {
        let Writer { sheet, before, after, .. } = &writer;
        Some(Change { sheet: sheet.clone()?, cells, before: *before, after: *after })
    };
    let workbook = writer.cells.clone().and_then(change);
    Ok(NewData { splices, workbook })
}

fn check(xml: &Xml, data: &Grid, all: &[Id]) -> Result<()> {
    let wanted = data.columns.len().saturating_sub(1);
    if all.is_empty() {
        return unsupported(
            "the chart has no series, or is of a newer form (such as a waterfall), which is not edited",
        );
    }
    check_data(data)?;
    let with_series =
        plots(xml).into_iter().filter(|&it| xml.child(it, Ns::C, "ser").is_some()).count();
    if wanted != all.len() && with_series > 1 {
        return invalid(format!(
            "expected {} series, got {wanted}; the number of a chart of several types is not changed",
            all.len()
        ));
    }
    if all.iter().any(|&it| xml.child(it, Ns::C, "bubbleSize").is_some()) {
        return unsupported("the data of bubble charts are not edited");
    }
    let labels = all.iter().filter_map(|&it| categories(xml, it));
    if labels.into_iter().any(|it| xml.child(it, Ns::C, "multiLvlStrRef").is_some()) {
        return unsupported("the data of charts with categories of several levels are not edited");
    }
    Ok(())
}

/// Checks what the data of every chart have: categories, series, and numbers in them.
///
/// # Errors
/// [`crate::Error::Invalid`] - they have not, or are too many.
pub(crate) fn check_data(data: &Grid) -> Result<()> {
    let wanted = data.columns.len().saturating_sub(1);
    if wanted == 0 || data.rows.is_empty() {
        return invalid(
            "expected categories in the first column and a column for each series, got no series or no row",
        );
    }
    if wanted > MAX_SERIES || data.rows.len() > MAX_POINTS {
        return invalid(format!("expected at most {MAX_SERIES} series and {MAX_POINTS} rows"));
    }
    for (at, name) in data.columns.iter().enumerate().skip(1) {
        for (row, value) in data.column(at).iter().enumerate() {
            if *value != Value::Empty && value.number().is_none() {
                return invalid(format!(
                    "expected a number for `{name}` in row {}, got `{}`",
                    row + 1,
                    value.text()
                ));
            }
        }
    }
    Ok(())
}

/// Returns `true` if each series is a row of the workbook.
fn is_in_rows(xml: &Xml, all: &[Id]) -> bool {
    let areas = all.iter().filter_map(|&it| area(xml, values(xml, it)?));
    areas.into_iter().any(|it| it.is_row())
}

struct Writer<'a> {
    xml: &'a Xml,
    labels: Vec<Value>,
    length: usize,
    is_row: bool,
    /// `None` once a place in the workbook is not known.
    cells: Option<Cells>,
    sheet: Option<String>,
    before: (u32, u32),
    after: (u32, u32),
}

impl Writer<'_> {
    /// Writes a series; `steps` places behind the old one if it is new.
    fn series(
        &mut self,
        series: Id,
        name: &str,
        values: Vec<Value>,
        steps: u32,
        out: &mut Splices,
    ) -> Result<()> {
        let xml = self.xml;
        if let Some(tx) = xml.child(series, Ns::C, "tx") {
            self.name(tx, name, steps, out);
        } else if steps > 0 {
            let at = xml
                .child(series, Ns::C, "order")
                .map_or(xml.inner(series).start, |it| xml.range(it).end);
            out.insert(at, format!("<c:tx><c:v>{}</c:v></c:tx>", escape(name)));
        }
        if let Some(labels) = categories(xml, series) {
            let new = self.labels.clone();
            self.source(labels, new, 0, out)?;
        }
        match self::values(xml, series) {
            Some(node) => self.source(node, values, steps, out),
            None => unsupported("a series of the chart has no values"),
        }
    }

    fn name(&mut self, tx: Id, name: &str, steps: u32, out: &mut Splices) {
        let xml = self.xml;
        if let Some(node) = xml.child(tx, Ns::C, "v") {
            xml.set_inner(node, &escape(name), out);
        }
        let Some(reference) = xml.child(tx, Ns::C, "strRef") else { return };
        let Some(formula) = xml.child(reference, Ns::C, "f") else { return };
        match Area::parse(&xml.content(formula)).filter(|it| it.length() == 1) {
            Some(area) => {
                let area = self.shifted(&area, steps);
                if steps > 0 {
                    xml.set_inner(formula, &escape(&area.formula()), out);
                }
                self.put(&area, &[Value::Text(name.to_owned())]);
            }
            None => self.cells = None,
        }
        let cache = format!(
            "<c:strCache><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>{}</c:v></c:pt></c:strCache>",
            escape(name)
        );
        let cache = xml.declared(reference, cache);
        match xml.child(reference, Ns::C, "strCache") {
            Some(old) => out.replace(xml.range(old), cache),
            None => out.insert(xml.range(formula).end, cache),
        }
    }

    fn shifted(&self, area: &Area, steps: u32) -> Area {
        if self.is_row { area.moved(steps, 0) } else { area.moved(0, steps) }
    }

    /// Writes the points of categories or values.
    fn source(
        &mut self,
        source: Id,
        values: Vec<Value>,
        steps: u32,
        out: &mut Splices,
    ) -> Result<()> {
        let xml = self.xml;
        let Some(old) = xml.children(source).next() else {
            return unsupported("a series of the chart has no data");
        };
        let was_number = xml.local(old).starts_with("num");
        let is_1904 = is_1904(xml);
        let values: Vec<Value> = if was_number {
            values.iter().map(|it| as_number(it, is_1904)).collect()
        } else {
            values
        };
        let is_number = was_number && values.iter().all(|it| !matches!(it, Value::Text(_)));
        let kind = if is_number { "num" } else { "str" };
        let format = cache(xml, source).and_then(|it| xml.child(it, Ns::C, "formatCode"));
        let format = format.filter(|_| is_number).map_or("", |it| xml.xml(it));
        let mut points = format!("{format}<c:ptCount val=\"{}\"/>", values.len());
        for (at, value) in values.iter().enumerate().filter(|it| *it.1 != Value::Empty) {
            points.push_str(&format!(
                "<c:pt idx=\"{at}\"><c:v>{}</c:v></c:pt>",
                escape(value.text())
            ));
        }
        let new = if xml.local(old).ends_with("Lit") {
            format!("<c:{kind}Lit>{points}</c:{kind}Lit>")
        } else {
            let formula = xml.child(old, Ns::C, "f").map_or_else(String::new, |it| xml.content(it));
            let formula = match area(xml, source) {
                Some(area) => {
                    let old = self.shifted(&area, steps);
                    let new = old.with_length(self.length, self.is_row);
                    if steps == 0 {
                        self.before = (self.before.0.max(old.bottom), self.before.1.max(old.right));
                        self.put(&old, &vec![Value::Empty; old.length()]);
                    }
                    self.put(&new, &values);
                    new.formula()
                }
                None => {
                    self.cells = None;
                    formula
                }
            };
            format!(
                "<c:{kind}Ref><c:f>{}</c:f><c:{kind}Cache>{points}</c:{kind}Cache></c:{kind}Ref>",
                escape(&formula)
            )
        };
        out.replace(xml.range(old), xml.declared(source, new));
        Ok(())
    }

    /// Empties the cells of a series that is removed.
    fn clear(&mut self, series: Id) {
        let sources = [self.xml.child(series, Ns::C, "tx"), values(self.xml, series)];
        for area in sources.into_iter().flatten().filter_map(|it| area(self.xml, it)) {
            self.before = (self.before.0.max(area.bottom), self.before.1.max(area.right));
            let after = self.after;
            self.put(&area, &vec![Value::Empty; area.length()]);
            self.after = after;
        }
    }

    fn put(&mut self, area: &Area, values: &[Value]) {
        if self.sheet.get_or_insert_with(|| area.sheet.clone()) != &area.sheet {
            self.cells = None;
        }
        let is_filled = values.iter().any(|it| *it != Value::Empty);
        if is_filled {
            self.after = (self.after.0.max(area.bottom), self.after.1.max(area.right));
        }
        if let Some(cells) = &mut self.cells {
            for (place, value) in area.cells().zip(values) {
                cells.insert(place, value.clone());
            }
        }
    }
}

fn is_1904(xml: &Xml) -> bool {
    let found = xml.child(xml.root(), Ns::C, "date1904");
    found.is_some_and(|it| xml.flag(it, "val") != Some(false))
}

/// Returns `true` if the numbers of a source are days.
fn is_dates(xml: &Xml, source: Id) -> bool {
    let format = cache(xml, source).and_then(|it| xml.child(it, Ns::C, "formatCode"));
    format.is_some_and(|it| mitt_number_format::kind(&xml.content(it)) == Kind::Date)
}

fn as_date(value: &Value, is_1904: bool) -> Value {
    let day = value.number().and_then(|it| it.parse::<f64>().ok()).filter(|it| it.fract() == 0.0);
    let day = day.map(|it| it as i64);
    let date = day.and_then(|it| date(it + if is_1904 { 1_462 } else { 0 }));
    date.map_or_else(|| value.clone(), Value::Text)
}

fn as_number(value: &Value, is_1904: bool) -> Value {
    if let Some(number) = value.number() {
        return Value::Number(number.to_owned());
    }
    match serial(value.text()) {
        Some(day) => Value::Number((day - if is_1904 { 1_462 } else { 0 }).to_string()),
        None => value.clone(),
    }
}
