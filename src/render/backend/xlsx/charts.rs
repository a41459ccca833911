//! Native Excel charts of a sheet, and pictures.

use rust_xlsxwriter as writer;
use writer::{
    ChartAxisCrossing, ChartDataLabel, ChartFormat, ChartLegendPosition, ChartLine, ChartMarker,
    ChartMarkerType, ChartSolidFill, ChartType, Color, ExcelDateTime, Image, Worksheet, XlsxError,
};

use super::cells::{self, Cell};
use super::print::Figure;
use super::{header_row, legal};
use crate::model::workbook::{Block, Chart, ChartKind, Picture, Stacking};

/// Distinguishable for the colour-blind, and in grey.
const COLORS: [u32; 8] = [
    0x1F_4E_79, 0xE6_9F_00, 0x2A_9D_8F, 0xC4_4E_52, 0x5B_9B_D5, 0x7F_6A_A8, 0x8C_8C_8C, 0x8A_6D_3B,
];
const GRID: Color = Color::RGB(0xD9_D9_D9);
const WIDTH: u32 = 640;
/// Three of them fill a page.
const HEIGHT: u32 = 300;
/// Number of horizontal bars that fit into the usual height, pixels for each further one, and the greatest height.
const BARS: u32 = 8;
const BAR_PIXELS: u32 = 20;
const MOST_HEIGHT: u32 = 900;
/// Transparency of areas in per cent, so that those behind are visible.
const AREA_TRANSPARENCY: u8 = 55;
/// Most slices whose names are beside them; with more, a legend has the names.
const NAMED_SLICES: u32 = 8;

/// Returns the columns of all series of a chart.
pub(super) fn values(chart: &Chart) -> impl Iterator<Item = u32> {
    chart.value_columns.iter().chain(&chart.line_columns).copied()
}

fn is_round(kind: ChartKind) -> bool {
    matches!(kind, ChartKind::Pie | ChartKind::Doughnut)
}

/// Returns the size of a chart.
pub(super) fn size(chart: &Chart) -> Figure {
    let more = match chart.kind {
        ChartKind::Bar => chart.row_count.saturating_sub(BARS).saturating_mul(BAR_PIXELS),
        _ => 0,
    };
    Figure { width: WIDTH, height: HEIGHT.saturating_add(more).min(MOST_HEIGHT) }
}

/// Returns the size of a picture; `None` if it is not a picture.
pub(super) fn picture_size(picture: &Picture) -> Option<Figure> {
    let image = Image::new_from_buffer(&picture.bytes).ok()?;
    let (width, height) = (image.width(), image.height());
    if width < 1.0 || height < 1.0 {
        return None;
    }
    let shown = picture.width.map_or(width.min(f64::from(WIDTH)), f64::from);
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
    let pixels = |size: f64| size.round().clamp(1.0, 10_000.0) as u32;
    Some(Figure { width: pixels(shown), height: pixels(height * shown / width) })
}

/// Returns a picture to draw.
pub(super) fn image(picture: &Picture) -> Result<Image, XlsxError> {
    let image = Image::new_from_buffer(&picture.bytes)?;
    let size = picture_size(picture).unwrap_or(Figure { width: WIDTH, height: HEIGHT });
    let image = image.set_scale_to_size(size.width, size.height, false);
    Ok(match &picture.description {
        Some(text) => image.set_alt_text(legal(text).as_ref()),
        None => image.set_decorative(true),
    })
}

/// Writes the cells in a chart. Returns the largest absolute value on the first axis and on the second.
pub(super) fn shown(
    out: &mut Worksheet,
    block: &Block,
    chart: &Chart,
) -> Result<[f64; 2], XlsxError> {
    let header = header_row(block);
    let mut text = String::new();
    let mut largest = [0.0_f64; 2];
    let series = chart.value_columns.iter().map(|index| (*index, Some(0)));
    let lines = chart.line_columns.iter().map(|index| (*index, Some(1)));
    for (index, axis) in series.chain(lines).chain([(chart.category_column, None)]) {
        let (index, column) =
            (index as usize, super::column_number((block.column + index) as usize));
        out.write_string(header, column, legal(&block.columns[index].header))?;
        for row in chart.first_row..chart.first_row + chart.row_count {
            let at = header + 1 + row;
            match cells::cell(block, row as usize, index, &mut text) {
                Cell::Empty => continue,
                Cell::Number(value) => {
                    if let Some(axis) = axis {
                        largest[axis] = largest[axis].max(value.abs());
                    }
                    out.write_number(at, column, value)?
                }
                Cell::Date(value) => {
                    out.write_datetime(at, column, ExcelDateTime::from_serial_datetime(value)?)?
                }
                Cell::Text(text) => out.write_string(at, column, legal(text))?,
            };
        }
    }
    Ok(largest)
}

fn chart_type(kind: ChartKind, stacking: Stacking) -> ChartType {
    match (kind, stacking) {
        (ChartKind::Column, Stacking::None) => ChartType::Column,
        (ChartKind::Column, Stacking::Stacked) => ChartType::ColumnStacked,
        (ChartKind::Column, Stacking::Percent) => ChartType::ColumnPercentStacked,
        (ChartKind::Bar, Stacking::None) => ChartType::Bar,
        (ChartKind::Bar, Stacking::Stacked) => ChartType::BarStacked,
        (ChartKind::Bar, Stacking::Percent) => ChartType::BarPercentStacked,
        (ChartKind::Line, Stacking::None) => ChartType::Line,
        (ChartKind::Line, Stacking::Stacked) => ChartType::LineStacked,
        (ChartKind::Line, Stacking::Percent) => ChartType::LinePercentStacked,
        (ChartKind::Area, Stacking::None) => ChartType::Area,
        (ChartKind::Area, Stacking::Stacked) => ChartType::AreaStacked,
        (ChartKind::Area, Stacking::Percent) => ChartType::AreaPercentStacked,
        (ChartKind::Pie, _) => ChartType::Pie,
        (ChartKind::Doughnut, _) => ChartType::Doughnut,
        (ChartKind::Scatter, _) => ChartType::Scatter,
    }
}

/// Returns a chart over cells of its sheet.
pub(super) fn native(name: &str, block: &Block, chart: &Chart, largest: [f64; 2]) -> writer::Chart {
    let mut out = writer::Chart::new(chart_type(chart.kind, chart.stacking));
    let mut color = 0;
    for column in &chart.value_columns {
        let range = Range { name, block, chart, column: *column };
        add(&mut out, &range, chart.kind, color, false);
        color += 1;
    }
    if !chart.line_columns.is_empty() {
        let mut lines = writer::Chart::new(ChartType::Line);
        for column in &chart.line_columns {
            let range = Range { name, block, chart, column: *column };
            add(&mut lines, &range, ChartKind::Line, color, chart.second_axis);
            color += 1;
        }
        out.combine(&lines);
    }
    match &chart.title {
        Some(title) => {
            out.title().set_name(legal(title).as_ref());
        }
        None => {
            out.title().set_hidden();
        }
    }
    legend(&mut out, chart);
    if !is_round(chart.kind) {
        axes(&mut out, block, chart, largest);
    }
    let size = size(chart);
    out.set_width(size.width).set_height(size.height);
    out.set_alt_text(alternative(block, chart));
    out
}

/// Range of a series.
struct Range<'a> {
    name: &'a str,
    block: &'a Block,
    chart: &'a Chart,
    column: u32,
}

fn add(out: &mut writer::Chart, range: &Range<'_>, kind: ChartKind, color: usize, is_second: bool) {
    let Range { name, block, chart, column } = range;
    let header = header_row(block);
    let first = header + 1 + chart.first_row;
    let last = first + chart.row_count - 1;
    let at = |index: u32| super::column_number((block.column + index) as usize);
    let (values, categories) = (at(*column), at(chart.category_column));
    let series = out.add_series();
    series
        .set_name((*name, header, values))
        .set_categories((*name, first, categories, last, categories))
        .set_values((*name, first, values, last, values))
        .set_secondary_axis(is_second);
    if is_round(kind) {
        series.set_point_colors(&COLORS.map(Color::RGB));
        let mut label = ChartDataLabel::new();
        label.show_percentage();
        if kind == ChartKind::Pie && chart.row_count <= NAMED_SLICES {
            label.show_category_name().set_separator(' ');
            label.set_position(writer::ChartDataLabelPosition::OutsideEnd);
        }
        series.set_data_label(&label);
        return;
    }
    let color = Color::RGB(COLORS[color % COLORS.len()]);
    let mut fill = ChartSolidFill::new();
    fill.set_color(color);
    let mut format = ChartFormat::new();
    match kind {
        ChartKind::Line => {
            let mut line = ChartLine::new();
            line.set_color(color).set_width(2.25);
            format.set_line(&line);
        }
        ChartKind::Scatter => {
            let mut marker = ChartMarker::new();
            let mut filled = ChartFormat::new();
            filled.set_solid_fill(&fill).set_no_border();
            marker.set_type(ChartMarkerType::Circle).set_size(6).set_format(&mut filled);
            series.set_marker(&marker);
            format.set_no_line();
        }
        ChartKind::Area if chart.stacking == Stacking::None && chart.value_columns.len() > 1 => {
            // Areas overlap, so each is transparent and has an edge.
            let mut line = ChartLine::new();
            line.set_color(color).set_width(1.5);
            fill.set_transparency(AREA_TRANSPARENCY);
            format.set_solid_fill(&fill).set_line(&line);
        }
        _ => {
            format.set_solid_fill(&fill);
        }
    }
    series.set_format(&mut format);
    if matches!(kind, ChartKind::Column | ChartKind::Bar) {
        series.set_gap(60);
    }
}

fn legend(out: &mut writer::Chart, chart: &Chart) {
    let has_names = chart.kind == ChartKind::Pie && chart.row_count <= NAMED_SLICES;
    let is_one = values(chart).count() == 1 && !is_round(chart.kind);
    if has_names || is_one {
        out.legend().set_hidden();
    } else if !is_round(chart.kind) {
        out.legend().set_position(ChartLegendPosition::Bottom);
    }
}

/// Sets titles, number formats and lines of the axes. Labels have the format of the column of their values.
fn axes(out: &mut writer::Chart, block: &Block, chart: &Chart, largest: [f64; 2]) {
    let of = |index: Option<&u32>| {
        let column = index.and_then(|index| block.columns.get(*index as usize));
        column.and_then(|column| column.number_format.as_deref())
    };
    let mut grid = ChartLine::new();
    grid.set_color(GRID).set_width(0.75);
    let is_bar = chart.kind == ChartKind::Bar;
    let values = if is_bar { out.x_axis() } else { out.y_axis() };
    values.set_major_gridlines_line(&grid);
    if chart.stacking != Stacking::Percent
        && let Some(format) = of(chart.value_columns.first())
        // No format suits both percentages and other numbers.
        && chart.value_columns.iter().all(|index| {
            of(Some(index)).is_none_or(|other| other.contains('%') == format.contains('%'))
        })
    {
        values.set_num_format(axis_format(format, largest[0]));
    }
    if let Some(title) = &chart.value_title {
        values.set_name(legal(title).as_ref());
    }
    let categories = if is_bar { out.y_axis() } else { out.x_axis() };
    if let Some(format) = of(Some(&chart.category_column)) {
        categories.set_num_format(format);
    }
    if let Some(title) = &chart.category_title {
        categories.set_name(legal(title).as_ref());
    }
    if is_bar {
        // The first category is at the top, as in the table, with the values still at the bottom.
        categories.set_reverse().set_crossing(ChartAxisCrossing::Max);
    }
    if chart.second_axis {
        if let Some(format) = of(chart.line_columns.first()) {
            out.y2_axis().set_num_format(axis_format(format, largest[1]));
        }
        out.y2_axis().set_major_gridlines(false);
        if let Some(title) = &chart.second_title {
            out.y2_axis().set_name(legal(title).as_ref());
        }
    }
}

/// Returns a number format for an axis. Decimals are left out if the steps are whole, as they are for numbers of this size.
fn axis_format(format: &str, largest: f64) -> String {
    let is_percent = format.contains('%');
    let size = if is_percent { largest * 100.0 } else { largest };
    if size < 10.0 {
        return format.to_owned();
    }
    let mut out = String::with_capacity(format.len());
    let mut is_quoted = false;
    let mut chars = format.chars().peekable();
    while let Some(c) = chars.next() {
        is_quoted ^= c == '"';
        match c {
            '\\' => {
                out.push(c);
                out.extend(chars.next());
            }
            '.' if !is_quoted && matches!(chars.peek(), Some('0' | '#' | '?')) => {
                while chars.next_if(|c| matches!(c, '0' | '#' | '?')).is_some() {}
            }
            c => out.push(c),
        }
    }
    out
}

/// Returns the alternative text of a chart.
fn alternative(block: &Block, chart: &Chart) -> String {
    let header =
        |index: u32| block.columns.get(index as usize).map_or("", |column| column.header.as_str());
    let names: Vec<_> = values(chart).take(8).map(header).collect();
    let of = format!("{} / {}", names.join(", "), header(chart.category_column));
    let text = match &chart.title {
        Some(title) => format!("{title}: {of}"),
        None => of,
    };
    legal(mitt_base::text::cut_chars(&text, 250).0).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_axis_has_no_digits_that_say_nothing() {
        for (format, largest, expected) in [
            ("0.0%", 0.4, "0%"),
            ("0.0%", 0.04, "0.0%"),
            ("0.0", 10.0, "0"),
            ("0.0", 9.9, "0.0"),
            ("#,##0.00", 1_000.0, "#,##0"),
            ("#,##0.00", 2.0, "#,##0.00"),
            ("¥#,##0.00;[Red]-¥#,##0.00", 99.0, "¥#,##0;[Red]-¥#,##0"),
            ("0.00\" a.0\"", 99.0, "0\" a.0\""),
            ("General", 99.0, "General"),
        ] {
            assert_eq!(axis_format(format, largest), expected, "{format}");
        }
    }

    #[test]
    fn bars_of_many_categories_are_higher() {
        let of = |kind, row_count| size(&Chart { kind, row_count, ..Chart::default() }).height;
        assert_eq!([of(ChartKind::Bar, 8), of(ChartKind::Bar, 16)], [300, 460]);
        assert_eq!([of(ChartKind::Bar, u32::MAX), of(ChartKind::Column, 99)], [900, 300]);
    }
}
