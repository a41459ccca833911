//! Chart of a plugin: the columns of its table as text, and the settings. `mitt-render` draws it.

use mitt_base::Result;
use mitt_contract::host::mitt::host::render as wit;
use mitt_render::{
    ChartColumn, ChartDescription, ChartFormat, ChartLabels, ChartShape, ChartStack, ChartWanted,
    MAX_CHART_POINTS, MAX_CHART_SERIES,
};
use mitt_table::Table;

/// Most characters of a cell that are read; no label in a chart is longer.
const MAX_CELL: u64 = 300;

/// Most bytes of text in all cells that are read.
const MAX_TEXT: usize = 8 * 1024 * 1024;

/// Most columns that are read if none are named.
const MAX_COLUMNS: usize = 4 * MAX_CHART_SERIES;

/// Picture of a chart.
#[derive(Debug)]
pub struct ChartPicture {
    /// Settings of the chart, including the columns that it shows.
    pub wanted: ChartWanted,
    /// Columns of the data.
    pub columns: Vec<ChartColumn>,
    /// Pixels of the picture per pixel of the chart.
    pub scale: f64,
    /// `true` if the picture is SVG.
    pub is_svg: bool,
}

impl ChartPicture {
    /// Converts a plugin's description of a chart; the file name decides the format of the picture. The error says what is
    /// invalid.
    pub(super) fn of(
        table: &Table,
        description: wit::ChartDescription,
        filename: &str,
    ) -> Result<ChartPicture, String> {
        let scale = description.scale;
        let is_svg = filename.to_ascii_lowercase().ends_with(".svg");
        let wanted = wanted(description)?;
        let columns = columns(table, &wanted)?;
        Ok(ChartPicture { wanted, columns, scale, is_svg })
    }

    /// Returns the bytes that it occupies until it is drawn.
    pub fn bytes(&self) -> u64 {
        let cell = |cell: &String| size_of::<String>() + cell.len();
        let column = |column: &ChartColumn| {
            size_of::<ChartColumn>()
                + column.name.len()
                + column.cells.iter().map(cell).sum::<usize>()
        };
        let chart = &self.wanted.chart;
        let titles = [
            &chart.title,
            &chart.subtitle,
            &chart.source,
            &chart.category_title,
            &chart.value_title,
            &chart.second_title,
        ];
        let titles: usize = titles.into_iter().flatten().map(String::len).sum();
        let lists = [&self.wanted.values, &self.wanted.lines, &self.wanted.second];
        let names: usize = lists.into_iter().flatten().map(cell).sum();
        let category = self.wanted.category.as_ref().map_or(0, String::len);
        let columns: usize = self.columns.iter().map(column).sum();
        (size_of::<ChartPicture>() + titles + names + category + columns) as u64
    }

    /// Returns all texts of the chart.
    pub fn texts(&mut self) -> impl Iterator<Item = &mut String> {
        let chart = &mut self.wanted.chart;
        let titles = [
            &mut chart.title,
            &mut chart.subtitle,
            &mut chart.source,
            &mut chart.category_title,
            &mut chart.value_title,
            &mut chart.second_title,
        ];
        let cells = self.columns.iter_mut().flat_map(|column| &mut column.cells);
        titles.into_iter().flatten().chain(cells)
    }

    /// Returns the names of columns and all references to them, so that they can be changed alike.
    pub fn names(&mut self) -> impl Iterator<Item = &mut String> {
        let columns = self.columns.iter_mut().map(|column| &mut column.name);
        let wanted = &mut self.wanted;
        let lists = [&mut wanted.values, &mut wanted.lines, &mut wanted.second];
        columns.chain(lists.into_iter().flatten()).chain(&mut wanted.category)
    }

    /// Draws the chart. Returns the file and warnings.
    pub fn draw(&self) -> Result<(Vec<u8>, Vec<String>)> {
        let chart = self.wanted.describe(&self.columns)?;
        if self.is_svg {
            let drawn = mitt_render::chart_svg(&chart)?;
            return Ok((drawn.svg.into_bytes(), drawn.warnings));
        }
        let drawn = mitt_render::chart_png(&chart, self.scale)?;
        Ok((drawn.bytes, drawn.warnings))
    }
}

fn wanted(description: wit::ChartDescription) -> Result<ChartWanted, String> {
    let mut problems = Vec::new();
    let mut format = |place: &str, given: Option<String>| {
        let Some(given) = given.filter(|it| !it.trim().is_empty()) else {
            return ChartFormat::default();
        };
        ChartFormat::parse(&given).unwrap_or_else(|| {
            let shown = mitt_base::text::cut_bytes(&given, 40).replace('`', " ");
            problems.push(format!(
                "{place}: expected `percent`, `plain`, `thousands`, `wan-yi`, `short` or a number format such as `0.0%`, got `{shown}`"
            ));
            ChartFormat::default()
        })
    };
    let (form, is_combined) = match description.form {
        wit::ChartForm::Column => (ChartShape::Column, false),
        wit::ChartForm::Bar => (ChartShape::Bar, false),
        wit::ChartForm::Line => (ChartShape::Line, false),
        wit::ChartForm::Area => (ChartShape::Area, false),
        wit::ChartForm::Pie => (ChartShape::Pie, false),
        wit::ChartForm::Doughnut => (ChartShape::Doughnut, false),
        wit::ChartForm::Scatter => (ChartShape::Scatter, false),
        wit::ChartForm::Combined => (ChartShape::Column, true),
    };
    let stack = match description.stacking {
        wit::ChartStacking::Apart => ChartStack::Apart,
        wit::ChartStacking::Stacked => ChartStack::Stacked,
        wit::ChartStacking::Full => ChartStack::Full,
    };
    // Models often write an empty string for an optional argument that they do not need.
    let given = |text: Option<String>| text.filter(|text| !text.trim().is_empty());
    let chart = ChartDescription {
        kind: form,
        stack,
        title: given(description.title),
        subtitle: given(description.subtitle),
        source: given(description.source),
        category_title: given(description.category_title),
        value_title: given(description.value_title),
        second_title: given(description.second_title),
        format: format("format", description.format),
        second_format: format("second format", description.second_format),
        labels: match description.labels {
            None => ChartLabels::Auto,
            Some(true) => ChartLabels::All,
            Some(false) => ChartLabels::None,
        },
        width: description.width,
        height: description.height,
        ..ChartDescription::default()
    };
    if !problems.is_empty() {
        return Err(problems.join("\n"));
    }
    Ok(ChartWanted {
        chart,
        category: given(description.category),
        values: description.values,
        lines: description.lines,
        second: description.second,
        is_combined,
    })
}

/// Returns the columns that are needed, as text.
fn columns(table: &Table, wanted: &ChartWanted) -> Result<Vec<ChartColumn>, String> {
    if table.rows() > MAX_CHART_POINTS {
        let got = table.rows();
        return Err(format!(
            "data: expected at most {MAX_CHART_POINTS} rows, got {got}; aggregate them first"
        ));
    }
    // The error for an unknown name lists the existing ones.
    let lists = [&wanted.values, &wanted.lines, &wanted.second];
    let named: Vec<&str> =
        lists.into_iter().flatten().chain(&wanted.category).map(|it| it.trim()).collect();
    let mut read = 0;
    let mut columns = Vec::new();
    for (index, name) in table.names().enumerate() {
        let is_first = index == 0 && wanted.category.is_none();
        let is_any = wanted.values.is_empty() && index < MAX_COLUMNS;
        let is_wanted = is_any || is_first || named.contains(&name.trim());
        let mut cells = Vec::new();
        if is_wanted {
            let mut text = String::new();
            for row in 0..table.rows() {
                let cell = table.cell(row, index, &mut text);
                let cell = mitt_base::text::cut_chars(cell.as_str(), MAX_CELL).0.to_owned();
                read += cell.len();
                cells.push(cell);
            }
        }
        if read > MAX_TEXT {
            return Err(format!("data: expected at most {MAX_TEXT} bytes of text, got more"));
        }
        columns.push(ChartColumn {
            name: mitt_base::text::cut_chars(name, MAX_CELL).0.to_owned(),
            cells,
        });
    }
    Ok(columns)
}
