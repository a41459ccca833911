//! The description in the block of a chart: keys and values. Reports all problems at once, each with its line.

use serde_json::{Map, Value};

use super::data::columns_of_value;
use super::{TablePosition, table_of};
use crate::model::chart::{
    ChartColumn, ChartDescription, ChartFormat, ChartLabels, ChartShape, ChartStack, ChartWanted,
};
use mitt_base::text;

/// Most bytes of a description, without the table behind it.
const MAX_BYTES: usize = 1024 * 1024;

/// All keys, with the other names that people use.
const KEYS: [(&str, &[&str]); 20] = [
    ("type", &["kind", "chart"]),
    ("stack", &["stacked"]),
    ("title", &[]),
    ("subtitle", &[]),
    ("source", &[]),
    ("category", &["x", "label", "labels-from"]),
    ("values", &["y", "series"]),
    ("lines", &["line"]),
    ("second", &["secondary", "y2"]),
    ("category-title", &["x-title"]),
    ("value-title", &["y-title", "unit"]),
    ("second-title", &["y2-title"]),
    ("format", &["number-format", "y-format"]),
    ("second-format", &["y2-format"]),
    ("x-format", &["category-format"]),
    ("labels", &["show-values"]),
    ("width", &[]),
    ("height", &[]),
    ("table", &[]),
    ("data", &["rows"]),
];

/// Names of kinds, and `true` if the last column is a line on a second axis.
const TYPES: [(&str, ChartShape, ChartStack, bool); 22] = [
    ("column", ChartShape::Column, ChartStack::Apart, false),
    ("columns", ChartShape::Column, ChartStack::Apart, false),
    ("bar", ChartShape::Bar, ChartStack::Apart, false),
    ("bars", ChartShape::Bar, ChartStack::Apart, false),
    ("line", ChartShape::Line, ChartStack::Apart, false),
    ("lines", ChartShape::Line, ChartStack::Apart, false),
    ("area", ChartShape::Area, ChartStack::Apart, false),
    ("stacked-column", ChartShape::Column, ChartStack::Stacked, false),
    ("stacked-bar", ChartShape::Bar, ChartStack::Stacked, false),
    ("stacked-area", ChartShape::Area, ChartStack::Stacked, false),
    ("full-column", ChartShape::Column, ChartStack::Full, false),
    ("full-bar", ChartShape::Bar, ChartStack::Full, false),
    ("full-area", ChartShape::Area, ChartStack::Full, false),
    ("100%-column", ChartShape::Column, ChartStack::Full, false),
    ("100%-bar", ChartShape::Bar, ChartStack::Full, false),
    ("100%-area", ChartShape::Area, ChartStack::Full, false),
    ("pie", ChartShape::Pie, ChartStack::Apart, false),
    ("doughnut", ChartShape::Doughnut, ChartStack::Apart, false),
    ("donut", ChartShape::Doughnut, ChartStack::Apart, false),
    ("scatter", ChartShape::Scatter, ChartStack::Apart, false),
    ("combined", ChartShape::Column, ChartStack::Apart, true),
    ("combo", ChartShape::Column, ChartStack::Apart, true),
];

/// Contents of the block of a chart.
#[derive(Debug)]
pub(super) struct Fence {
    pub(super) wanted: ChartWanted,
    /// The table within the block.
    pub(super) columns: Option<Vec<ChartColumn>>,
    /// Position of the table, if it is not in the block.
    pub(super) table_position: TablePosition,
}

impl Fence {
    /// Reads the text of a block, or returns all problems.
    pub(super) fn read(source: &str) -> Result<Fence, Vec<String>> {
        let (head, table) = split(source);
        if head.len() > MAX_BYTES {
            return Err(vec![format!(
                "expected at most {MAX_BYTES} bytes of description, got {}",
                head.len()
            )]);
        }
        let mut reader = Reader { source, keys: keys_of(head)?, problems: Vec::new() };
        let mut wanted = ChartWanted::default();
        reader.kind(&mut wanted);
        reader.texts(&mut wanted.chart);
        reader.columns(&mut wanted);
        reader.sizes(&mut wanted.chart);
        let (inside, table_position) = reader.table(table);
        let left: Vec<String> = reader.keys.keys().cloned().collect();
        for key in left {
            let names = KEYS.iter().map(|(name, _)| *name);
            let near = text::nearest(&key, names.clone());
            let hint = match near.first() {
                Some(near) => format!("did you mean `{near}`?"),
                None => format!("there are {}", names.collect::<Vec<_>>().join(", ")),
            };
            let shown = text::cut_bytes(&key, 40).replace('`', " ");
            reader.problem(&key, format!("unknown key `{shown}`; {hint}"));
        }
        if reader.problems.is_empty() {
            Ok(Fence { wanted, columns: inside, table_position })
        } else {
            Err(reader.problems)
        }
    }
}

/// Splits a source into the description, and the table behind it with the number of its first line, from 1.
fn split(source: &str) -> (&str, Option<(&str, usize)>) {
    let mut at = 0;
    let mut has_content = false;
    for (index, line) in source.split_inclusive('\n').enumerate() {
        let text = line.trim();
        if text.starts_with('|') && !line.starts_with([' ', '\t']) {
            return (&source[..at], Some((&source[at..], index + 1)));
        }
        if text == "---" && has_content {
            return (&source[..at], Some((&source[at + line.len()..], index + 2)));
        }
        has_content |= !text.is_empty() && text != "---";
        at += line.len();
    }
    (source, None)
}

/// Returns the keys by their first name.
fn keys_of(head: &str) -> Result<Map<String, Value>, Vec<String>> {
    if head.trim().is_empty() {
        return Ok(Map::new());
    }
    let value: Value = serde_saphyr::from_str(head).map_err(|error| {
        // The snippet that the error contains is for terminals.
        let error = error.without_snippet();
        let said = text::one_line(&error.to_string());
        let line = match error.location() {
            Some(place) if !said.contains("line") => format!("line {}: ", place.line()),
            _ => String::new(),
        };
        vec![format!("{line}not YAML: {}", text::shortened(&said, 200))]
    })?;
    let Value::Object(given) = value else {
        return Err(vec!["line 1: expected keys such as `type: column`".into()]);
    };
    let mut keys = Map::new();
    for (key, value) in given {
        let plain = key.trim().to_ascii_lowercase().replace(['_', ' '], "-");
        let known = KEYS.iter().find(|(name, others)| *name == plain || others.contains(&&*plain));
        keys.insert(known.map_or(key, |(name, _)| (*name).to_owned()), value);
    }
    Ok(keys)
}

struct Reader<'a> {
    source: &'a str,
    /// Keys that were not read yet.
    keys: Map<String, Value>,
    problems: Vec<String>,
}

impl Reader<'_> {
    /// Adds a problem with the line of a key.
    fn problem(&mut self, key: &str, what: String) {
        let names =
            KEYS.iter().find(|(name, _)| *name == key).map_or(&[][..], |(_, others)| *others);
        let begins = |line: &str| {
            let line = line
                .trim_start_matches([' ', '{', '"', '\''])
                .to_ascii_lowercase()
                .replace(['_', ' '], "-");
            std::iter::once(&key)
                .chain(names)
                .any(|name| line.starts_with(&name.to_ascii_lowercase()))
        };
        self.problems.push(match self.source.lines().position(begins) {
            Some(line) => format!("line {}: {what}", line + 1),
            None => what,
        });
    }

    /// Returns a text, which may be a number.
    fn text(&mut self, key: &str) -> Option<String> {
        let text = match self.keys.shift_remove(key)? {
            Value::Null => return None,
            Value::String(text) => text,
            Value::Number(number) => number.to_string(),
            Value::Bool(value) => value.to_string(),
            Value::Array(_) | Value::Object(_) => {
                self.problem(key, format!("`{key}`: expected a text"));
                return None;
            }
        };
        Some(text.trim().to_owned()).filter(|text| !text.is_empty())
    }

    /// Returns a list of texts, or a single one.
    fn list(&mut self, key: &str) -> Vec<String> {
        let texts = |values: &[Value]| -> Option<Vec<String>> {
            values
                .iter()
                .map(|value| match value {
                    Value::String(text) => Some(text.clone()),
                    Value::Number(number) => Some(number.to_string()),
                    _ => None,
                })
                .collect()
        };
        match self.keys.get(key) {
            Some(Value::Array(values)) => {
                let found = texts(values);
                self.keys.shift_remove(key);
                found.unwrap_or_else(|| {
                    self.problem(key, format!("`{key}`: expected names of columns"));
                    Vec::new()
                })
            }
            _ => self.text(key).into_iter().collect(),
        }
    }

    fn kind(&mut self, wanted: &mut ChartWanted) {
        if let Some(given) = self.text("type") {
            let plain = given.to_ascii_lowercase().replace([' ', '_'], "-");
            let plain = plain.trim_end_matches("-chart").to_owned();
            match TYPES.iter().find(|(name, ..)| *name == plain) {
                Some((_, kind, stack, is_combined)) => {
                    (wanted.chart.kind, wanted.chart.stack, wanted.is_combined) =
                        (*kind, *stack, *is_combined);
                }
                None => {
                    let shown = text::cut_bytes(&given, 40).replace('`', " ");
                    self.problem("type", format!(
                        "`type`: expected one of `column`, `bar`, `line`, `area`, `pie`, `doughnut`, `scatter`, `combined`, or with `stacked-` \
                         or `full-` in front, got `{shown}`"
                    ));
                }
            }
        }
        if let Some(given) = self.text("stack") {
            match given.to_ascii_lowercase().as_str() {
                "true" | "stacked" | "normal" => wanted.chart.stack = ChartStack::Stacked,
                "full" | "percent" | "100%" | "100" => wanted.chart.stack = ChartStack::Full,
                "false" | "none" | "apart" => wanted.chart.stack = ChartStack::Apart,
                _ => self.problem("stack", "`stack`: expected `true`, `full` or `false`".into()),
            }
        }
    }

    fn texts(&mut self, chart: &mut ChartDescription) {
        chart.title = self.text("title");
        chart.subtitle = self.text("subtitle");
        chart.source = self.text("source");
        chart.category_title = self.text("category-title");
        chart.value_title = self.text("value-title");
        chart.second_title = self.text("second-title");
        for key in ["format", "second-format", "x-format"] {
            let Some(given) = self.text(key) else { continue };
            let Some(format) = ChartFormat::parse(&given) else {
                let shown = text::cut_bytes(&given, 40).replace('`', " ");
                self.problem(key, format!(
                    "`{key}`: expected `percent`, `plain`, `thousands`, `wan-yi`, `short` or a number format such as `0.0%`, got `{shown}`"
                ));
                continue;
            };
            match key {
                "format" => chart.format = format,
                "second-format" => chart.second_format = format,
                _ => chart.x_format = format,
            }
        }
    }

    fn columns(&mut self, wanted: &mut ChartWanted) {
        wanted.category = self.text("category");
        wanted.values = self.list("values");
        wanted.lines = self.list("lines");
        wanted.second = self.list("second");
        if let Some(given) = self.text("labels") {
            match given.to_ascii_lowercase().as_str() {
                "true" | "all" | "yes" => wanted.chart.labels = ChartLabels::All,
                "false" | "none" | "no" => wanted.chart.labels = ChartLabels::None,
                "auto" => {}
                _ => self.problem("labels", "`labels`: expected `true`, `false` or `auto`".into()),
            }
        }
    }

    fn sizes(&mut self, chart: &mut ChartDescription) {
        for key in ["width", "height"] {
            let Some(given) = self.text(key) else { continue };
            match given.trim_end_matches("px").trim().parse::<u32>() {
                Ok(size) if key == "width" => chart.width = size,
                Ok(size) => chart.height = Some(size),
                Err(_) => {
                    self.problem(key, format!("`{key}`: expected a number of pixels"));
                }
            }
        }
    }

    /// Returns the table within the block, or the position of the table.
    fn table(
        &mut self,
        behind: Option<(&str, usize)>,
    ) -> (Option<Vec<ChartColumn>>, TablePosition) {
        let data = self.keys.shift_remove("data").filter(|value| !value.is_null());
        let place = self.text("table");
        let table_position = match place.as_deref().map(str::to_ascii_lowercase).as_deref() {
            None => TablePosition::Either,
            Some("above" | "上" | "上表") => TablePosition::Above,
            Some("below" | "下" | "下表") => TablePosition::Below,
            Some(_) => {
                self.problem("table", "`table`: expected `above` or `below`".into());
                TablePosition::Either
            }
        };
        let count = usize::from(data.is_some())
            + usize::from(place.is_some())
            + usize::from(behind.is_some());
        if count > 1 {
            self.problems.push(
                "expected one of `data`, `table` and a table behind the description, got several"
                    .into(),
            );
            return (None, table_position);
        }
        let read = match (data, behind) {
            (Some(value), _) => {
                Some(columns_of_value(&value).map_err(|problem| format!("`data`: {problem}")))
            }
            (None, Some((text, line))) => Some(table_of(text, line)),
            (None, None) => None,
        };
        match read.transpose() {
            Ok(columns) => (columns, table_position),
            Err(problem) => {
                if problem.starts_with('`') {
                    self.problem("data", problem);
                } else {
                    self.problems.push(problem);
                }
                (None, table_position)
            }
        }
    }
}
