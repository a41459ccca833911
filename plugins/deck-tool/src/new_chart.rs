//! New charts: their part with the colours of the theme, and the workbook inside that PowerPoint opens for its data.

use crate::area::Area;
use crate::charts::check_data;
use crate::deck::Deck;
use crate::error::{Result, invalid};
use crate::escape::escape;
use crate::grid::{Grid, Value};
use crate::workbook::{SHEET, new_workbook};
use crate::xml::{A_URI, C_URI, R_URI};

const CHART_TYPE: &str = "application/vnd.openxmlformats-officedocument.drawingml.chart+xml";
const WORKBOOK_TYPE: &str = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet";
const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\r\n";
/// What Office does with the six accents of a theme when it needs more colours.
const VARIANTS: [&str; 4] = [
    "",
    "<a:lumMod val=\"60000\"/>",
    "<a:lumMod val=\"80000\"/><a:lumOff val=\"20000\"/>",
    "<a:lumMod val=\"60000\"/><a:lumOff val=\"40000\"/>",
];
/// Most slices of a pie; more cannot be distinguished.
const MAX_SLICES: usize = 48;
/// The quiet colour of lines: near to the background, whether that is light or dark.
const QUIET: &str = concat!(
    "<a:ln w=\"9525\"><a:solidFill><a:schemeClr val=\"tx1\"><a:alpha val=\"25000\"/></a:schemeClr></a:solidFill>",
    "</a:ln>"
);

/// The kinds of new charts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChartKind {
    /// Bars from left to right.
    Bar,
    /// Bars from bottom to top.
    Column,
    Line,
    Pie,
    Area,
    Scatter,
}

/// A chart that does not exist yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewChart {
    pub kind: ChartKind,
    /// Empty for none.
    pub title: String,
    /// Categories in the first column, then a column for each series.
    pub data: Grid,
}

/// Adds the parts of a chart, and returns the relationship of the slide to it.
///
/// # Errors
/// [`crate::Error::Invalid`] - the data do not fit the kind of chart.
pub(crate) fn add(deck: &mut Deck, slide: &str, chart: &NewChart) -> Result<String> {
    check(chart)?;
    let part = deck.package.free_name("ppt/charts/chart1.xml");
    let workbook = deck.package.free_name("ppt/embeddings/Microsoft_Excel_Sheet1.xlsx");
    let bytes = new_workbook(&chart.data)?;
    let xml = deck.package.native(chart_space(chart))?;
    deck.package.put(&part, xml.into_bytes());
    deck.package.set_media_type(&part, CHART_TYPE)?;
    deck.package.put(&workbook, bytes);
    deck.package.set_media_type(&workbook, WORKBOOK_TYPE)?;
    // The first relationship of a new part is `rId1`, which its XML names.
    deck.package.relate(&part, "package", &workbook, false)?;
    deck.package.relate(slide, "chart", &part, false)
}

fn check(chart: &NewChart) -> Result<()> {
    let data = &chart.data;
    check_data(data)?;
    let series = data.columns.len() - 1;
    match chart.kind {
        ChartKind::Pie if series != 1 => {
            invalid(format!("expected one series for a pie, got {series}"))
        }
        ChartKind::Pie if data.rows.len() > MAX_SLICES => invalid(format!(
            "expected at most {MAX_SLICES} rows for a pie, got {}; a bar chart has room for more",
            data.rows.len()
        )),
        ChartKind::Pie => negative(data),
        ChartKind::Scatter => match data.column(0).iter().position(|it| it.number().is_none()) {
            Some(row) => invalid(format!(
                "expected a number in row {} of the first column, which has the x of a scatter chart, got `{}`",
                row + 1,
                data.column(0)[row].text()
            )),
            None => Ok(()),
        },
        _ => Ok(()),
    }
}

fn negative(data: &Grid) -> Result<()> {
    let is_negative = |it: &Value| it.number().is_some_and(|it| it.starts_with('-'));
    match data.column(1).iter().position(is_negative) {
        Some(row) => invalid(format!(
            "expected no negative number in a pie, got `{}` in row {}",
            data.column(1)[row].text(),
            row + 1
        )),
        None => Ok(()),
    }
}

fn chart_space(chart: &NewChart) -> String {
    let series = chart.data.columns.len() - 1;
    let title = match chart.title.trim() {
        "" => String::new(),
        title => format!(
            "<c:title><c:tx><c:rich><a:bodyPr/><a:lstStyle/><a:p><a:pPr><a:defRPr sz=\"1600\" b=\"0\"/></a:pPr>\
            <a:r><a:rPr sz=\"1600\" b=\"0\"/><a:t>{}</a:t></a:r></a:p></c:rich></c:tx><c:overlay val=\"0\"/></c:title>",
            escape(&title.replace('\n', " "))
        ),
    };
    let no_title = u8::from(title.is_empty());
    let legend = if series > 1 || chart.kind == ChartKind::Pie {
        "<c:legend><c:legendPos val=\"b\"/><c:overlay val=\"0\"/></c:legend>"
    } else {
        ""
    };
    format!(
        "{HEAD}<c:chartSpace xmlns:c=\"{C_URI}\" xmlns:a=\"{A_URI}\" xmlns:r=\"{R_URI}\"><c:date1904 val=\"0\"/>\
        <c:roundedCorners val=\"0\"/><c:chart>{title}<c:autoTitleDeleted val=\"{no_title}\"/><c:plotArea><c:layout/>\
        {}</c:plotArea>{legend}<c:plotVisOnly val=\"1\"/><c:dispBlanksAs val=\"gap\"/></c:chart><c:txPr><a:bodyPr/>\
        <a:lstStyle/><a:p><a:pPr><a:defRPr sz=\"1200\"><a:solidFill><a:schemeClr val=\"tx1\"/></a:solidFill></a:defRPr>\
        </a:pPr><a:endParaRPr/></a:p></c:txPr><c:externalData r:id=\"rId1\"><c:autoUpdate val=\"0\"/></c:externalData>\
        </c:chartSpace>",
        plot(chart)
    )
}

fn plot(chart: &NewChart) -> String {
    let all: String = (1..chart.data.columns.len()).map(|at| series(chart, at)).collect();
    let ids = "<c:axId val=\"111111111\"/><c:axId val=\"222222222\"/>";
    let body = match chart.kind {
        ChartKind::Bar | ChartKind::Column => {
            let direction = if chart.kind == ChartKind::Bar { "bar" } else { "col" };
            format!(
                "<c:barChart><c:barDir val=\"{direction}\"/><c:grouping val=\"clustered\"/><c:varyColors val=\"0\"/>\
                {all}<c:gapWidth val=\"80\"/>{ids}</c:barChart>"
            )
        }
        ChartKind::Line => format!(
            "<c:lineChart><c:grouping val=\"standard\"/><c:varyColors val=\"0\"/>{all}<c:marker val=\"1\"/>{ids}\
            </c:lineChart>"
        ),
        ChartKind::Area => format!(
            "<c:areaChart><c:grouping val=\"standard\"/><c:varyColors val=\"0\"/>{all}{ids}</c:areaChart>"
        ),
        ChartKind::Scatter => format!(
            "<c:scatterChart><c:scatterStyle val=\"lineMarker\"/><c:varyColors val=\"0\"/>{all}{ids}</c:scatterChart>"
        ),
        ChartKind::Pie => {
            return format!(
                "<c:pieChart><c:varyColors val=\"1\"/>{all}<c:firstSliceAng val=\"0\"/></c:pieChart>"
            );
        }
    };
    body + &axes(chart)
}

fn axes(chart: &NewChart) -> String {
    let is_bar = chart.kind == ChartKind::Bar;
    let (first, second) = if is_bar { ("l", "b") } else { ("b", "l") };
    let head = |id: &str, orientation: &str, place: &str| {
        format!(
            "<c:axId val=\"{id}\"/><c:scaling><c:orientation val=\"{orientation}\"/></c:scaling><c:delete val=\"0\"/>\
            <c:axPos val=\"{place}\"/>"
        )
    };
    let ticks = |format: &str, labels: &str| {
        format!(
            "<c:numFmt formatCode=\"{format}\" sourceLinked=\"0\"/><c:majorTickMark val=\"none\"/><c:minorTickMark \
            val=\"none\"/><c:tickLblPos val=\"{labels}\"/><c:spPr>{QUIET}</c:spPr>"
        )
    };
    let grid = format!("<c:majorGridlines><c:spPr>{QUIET}</c:spPr></c:majorGridlines>");
    let horizontal = match chart.kind {
        ChartKind::Scatter => format!(
            "<c:valAx>{}{}<c:crossAx val=\"222222222\"/><c:crosses val=\"autoZero\"/><c:crossBetween \
            val=\"midCat\"/></c:valAx>",
            head("111111111", "minMax", first),
            ticks(format(&chart.data, 0..1), "low")
        ),
        // The first category stands at the top, as in the table.
        _ => format!(
            "<c:catAx>{}{}<c:crossAx val=\"222222222\"/><c:crosses val=\"autoZero\"/><c:auto val=\"0\"/><c:lblAlgn \
            val=\"ctr\"/><c:lblOffset val=\"100\"/><c:noMultiLvlLbl val=\"0\"/></c:catAx>",
            head("111111111", if is_bar { "maxMin" } else { "minMax" }, first),
            ticks("General", "low")
        ),
    };
    let crosses = if is_bar { "max" } else { "autoZero" };
    let between = match chart.kind {
        ChartKind::Area | ChartKind::Scatter => "midCat",
        _ => "between",
    };
    format!(
        "{horizontal}<c:valAx>{}{grid}{}<c:crossAx val=\"111111111\"/><c:crosses val=\"{crosses}\"/><c:crossBetween \
        val=\"{between}\"/></c:valAx>",
        head("222222222", "minMax", second),
        ticks(format(&chart.data, 1..chart.data.columns.len()), "nextTo")
    )
}

/// Returns the number format of an axis: thousands are divided if all numbers are whole and one is large.
fn format(data: &Grid, columns: std::ops::Range<usize>) -> &'static str {
    let numbers: Vec<f64> = columns
        .flat_map(|at| data.column(at))
        .filter_map(|it| it.number().and_then(|it| it.parse().ok()))
        .collect();
    let is_whole = numbers.iter().all(|it| it.fract() == 0.0);
    if is_whole && numbers.iter().any(|it| it.abs() >= 10_000.0) { "#,##0" } else { "General" }
}

/// Returns a solid fill with the colour of a series or a slice.
fn fill(at: usize, extra: &str) -> String {
    format!(
        "<a:solidFill><a:schemeClr val=\"accent{}\">{}{extra}</a:schemeClr></a:solidFill>",
        at % 6 + 1,
        VARIANTS[at / 6 % VARIANTS.len()]
    )
}

fn series(chart: &NewChart, at: usize) -> String {
    let data = &chart.data;
    let (index, last) = (at - 1, data.rows.len() as u32);
    let cell = |top: u32, bottom: u32, column: u32| {
        Area { sheet: SHEET.to_owned(), top, left: column, bottom, right: column }.formula()
    };
    let column = at as u32;
    let name = format!(
        "<c:tx><c:strRef><c:f>{}</c:f><c:strCache><c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>{}</c:v></c:pt>\
        </c:strCache></c:strRef></c:tx>",
        cell(0, 0, column),
        escape(&data.columns[at])
    );
    let line = |width: u32| {
        format!(
            "<c:spPr><a:ln w=\"{width}\" cap=\"rnd\">{}<a:round/></a:ln></c:spPr>",
            fill(index, "")
        )
    };
    let marker = format!(
        "<c:marker><c:symbol val=\"circle\"/><c:size val=\"7\"/><c:spPr>{}<a:ln><a:noFill/></a:ln></c:spPr></c:marker>",
        fill(index, "")
    );
    let look = match chart.kind {
        ChartKind::Bar | ChartKind::Column => {
            format!("<c:spPr>{}</c:spPr><c:invertIfNegative val=\"0\"/>", fill(index, ""))
        }
        ChartKind::Line => line(28_575) + &marker,
        ChartKind::Scatter => format!("<c:spPr><a:ln><a:noFill/></a:ln></c:spPr>{marker}"),
        // Areas stand in front of each other, and are seen through.
        ChartKind::Area => format!("<c:spPr>{}</c:spPr>", fill(index, "<a:alpha val=\"70000\"/>")),
        ChartKind::Pie => slices(data.rows.len()),
    };
    let labels = source(&data.column(0), &cell(1, last, 0));
    let values = source(&data.column(at), &cell(1, last, column));
    let points = match chart.kind {
        ChartKind::Scatter => {
            format!("<c:xVal>{labels}</c:xVal><c:yVal>{values}</c:yVal><c:smooth val=\"0\"/>")
        }
        ChartKind::Line => {
            format!("<c:cat>{labels}</c:cat><c:val>{values}</c:val><c:smooth val=\"0\"/>")
        }
        _ => format!("<c:cat>{labels}</c:cat><c:val>{values}</c:val>"),
    };
    format!("<c:ser><c:idx val=\"{index}\"/><c:order val=\"{index}\"/>{name}{look}{points}</c:ser>")
}

fn slices(count: usize) -> String {
    let slice = |at: usize| {
        format!(
            "<c:dPt><c:idx val=\"{at}\"/><c:bubble3D val=\"0\"/><c:spPr>{}<a:ln w=\"19050\"><a:solidFill><a:schemeClr \
            val=\"bg1\"/></a:solidFill></a:ln></c:spPr></c:dPt>",
            fill(at, "")
        )
    };
    let slices: String = (0..count).map(slice).collect();
    format!(
        "{slices}<c:dLbls><c:numFmt formatCode=\"0%\" sourceLinked=\"0\"/><c:dLblPos val=\"outEnd\"/><c:showLegendKey \
        val=\"0\"/><c:showVal val=\"0\"/><c:showCatName val=\"0\"/><c:showSerName val=\"0\"/><c:showPercent val=\"1\"/>\
        <c:showBubbleSize val=\"0\"/><c:showLeaderLines val=\"1\"/></c:dLbls>"
    )
}

/// Returns points with their place in the workbook. They are numbers if all are.
fn source(values: &[Value], formula: &str) -> String {
    let is_number = values.iter().all(|it| *it == Value::Empty || it.number().is_some());
    let kind = if is_number { "num" } else { "str" };
    let format = if is_number { "<c:formatCode>General</c:formatCode>" } else { "" };
    let mut points = format!("{format}<c:ptCount val=\"{}\"/>", values.len());
    for (at, value) in values.iter().enumerate().filter(|it| *it.1 != Value::Empty) {
        let text = if is_number { value.number().unwrap_or_default() } else { value.text() };
        points.push_str(&format!("<c:pt idx=\"{at}\"><c:v>{}</c:v></c:pt>", escape(text)));
    }
    format!(
        "<c:{kind}Ref><c:f>{formula}</c:f><c:{kind}Cache>{points}</c:{kind}Cache></c:{kind}Ref>"
    )
}

/// Returns how a kind is named in messages.
pub(crate) fn kind_name(kind: ChartKind) -> &'static str {
    match kind {
        ChartKind::Bar => "bar",
        ChartKind::Column => "column",
        ChartKind::Line => "line",
        ChartKind::Pie => "pie",
        ChartKind::Area => "area",
        ChartKind::Scatter => "scatter",
    }
}
