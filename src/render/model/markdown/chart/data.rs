//! A table within the block of a chart: a Markdown table, CSV, or lists of YAML. Cells are text.

use serde_json::Value;

use crate::model::chart::{ChartColumn, MAX_CHART_POINTS, MAX_CHART_SERIES};

/// Most columns that are kept. A chart cannot show more.
const MAX_COLUMNS: usize = 4 * MAX_CHART_SERIES;

/// A problem with the line of the table, from 0.
type Problem = (usize, String);

/// Reads a Markdown table or CSV.
pub(super) fn columns_of(text: &str) -> Result<Vec<ChartColumn>, Problem> {
    let is_markdown = text
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .is_some_and(|line| line.starts_with('|'));
    let rows = if is_markdown { markdown_rows(text) } else { csv_rows(text)? };
    from_rows(rows)
}

/// Returns the columns of rows, each with its line. The first one is the head.
fn from_rows(rows: Vec<(usize, Vec<String>)>) -> Result<Vec<ChartColumn>, Problem> {
    let mut rows = rows.into_iter();
    let Some((line, head)) = rows.next() else {
        return Err((0, "expected a table, got nothing".into()));
    };
    if head.len() > MAX_COLUMNS {
        return Err((line, format!("expected at most {MAX_COLUMNS} columns, got {}", head.len())));
    }
    let mut columns: Vec<ChartColumn> =
        head.into_iter().map(|name| ChartColumn { name, cells: Vec::new() }).collect();
    for (count, (line, row)) in rows.enumerate() {
        if count >= MAX_CHART_POINTS {
            return Err((line, format!("expected at most {MAX_CHART_POINTS} rows")));
        }
        if row.len() > columns.len() {
            return Err((
                line,
                format!("expected {} cells as in the head, got {}", columns.len(), row.len()),
            ));
        }
        let mut cells = row.into_iter();
        columns.iter_mut().for_each(|column| column.cells.push(cells.next().unwrap_or_default()));
    }
    Ok(columns)
}

fn markdown_rows(text: &str) -> Vec<(usize, Vec<String>)> {
    let mut rows = Vec::new();
    for (line, text) in text.lines().enumerate() {
        let text = text.trim();
        if text.is_empty() {
            continue;
        }
        let cells = markdown_cells(text);
        let is_rule = !cells.is_empty()
            && cells.iter().all(|cell| {
                cell.contains('-') && cell.chars().all(|c| matches!(c, '-' | ':' | ' '))
            });
        // Only the one below the head, because a row of gaps looks alike.
        if !(is_rule && rows.len() == 1) {
            rows.push((line, cells));
        }
    }
    rows
}

/// Returns the cells of a row, without markup of emphasis.
fn markdown_cells(line: &str) -> Vec<String> {
    let line = line.strip_prefix('|').unwrap_or(line);
    let mut cells = vec![String::new()];
    let mut is_escaped = false;
    for c in line.chars() {
        match (c, cells.last_mut()) {
            ('|', _) if !is_escaped => cells.push(String::new()),
            (c, Some(cell)) => {
                // `\|` is a vertical bar.
                if is_escaped && c == '|' {
                    cell.pop();
                }
                cell.push(c);
            }
            (_, None) => {}
        }
        is_escaped = c == '\\' && !is_escaped;
    }
    // No cell follows the last bar.
    if cells.len() > 1 && cells.last().is_some_and(|cell| cell.trim().is_empty()) {
        cells.pop();
    }
    let plain = |cell: String| {
        let cell = cell.trim();
        let strong = cell.strip_prefix("**").and_then(|cell| cell.strip_suffix("**"));
        strong.unwrap_or(cell).trim_matches('`').trim().to_owned()
    };
    cells.into_iter().map(plain).collect()
}

fn csv_rows(text: &str) -> Result<Vec<(usize, Vec<String>)>, Problem> {
    let head = text.lines().find(|line| !line.trim().is_empty()).unwrap_or_default();
    let count = |c: char| head.matches(c).count();
    let delimiter = [b'\t', b';', b','].into_iter().max_by_key(|delimiter| {
        // The comma wins a tie.
        (count(char::from(*delimiter)), *delimiter == b',')
    });
    // Commas of Chinese text, if there are no others.
    let replaced;
    let text = match count(',') + count('\t') + count(';') {
        0 if count('，') > 0 => {
            replaced = text.replace('，', ",");
            &replaced
        }
        _ => text,
    };
    let mut reader = csv::ReaderBuilder::new()
        .has_headers(false)
        .flexible(true)
        .delimiter(delimiter.unwrap_or(b','))
        .trim(csv::Trim::All)
        .from_reader(text.as_bytes());
    let mut rows = Vec::new();
    for record in reader.records() {
        let record =
            record.map_err(|error| (0, format!("expected comma-separated rows: {error}")))?;
        let line = record.position().map_or(0, |position| position.line().saturating_sub(1));
        if record.iter().any(|cell| !cell.is_empty()) {
            rows.push((
                usize::try_from(line).unwrap_or(0),
                record.iter().map(str::to_owned).collect(),
            ));
        }
    }
    Ok(rows)
}

/// Reads a table as a YAML value: rows of cells with the head first, rows as maps, or columns as a map of lists.
pub(super) fn columns_of_value(value: &Value) -> Result<Vec<ChartColumn>, String> {
    const WANTED: &str =
        "expected rows, such as `[[Year, Sales], [2023, 12], [2024, 15]]`, or a table as text";
    match value {
        Value::String(text) => {
            columns_of(text).map_err(|(line, problem)| format!("row {}: {problem}", line + 1))
        }
        Value::Object(columns) => {
            let column = |(name, cells): (&String, &Value)| {
                let cells = cells.as_array()?.iter().map(cell).collect::<Option<_>>()?;
                Some(ChartColumn { name: name.clone(), cells })
            };
            let mut columns: Vec<ChartColumn> =
                columns.iter().map(column).collect::<Option<_>>().ok_or(WANTED)?;
            let most = columns.iter().map(|column| column.cells.len()).max().unwrap_or(0);
            if most > MAX_CHART_POINTS || columns.len() > MAX_COLUMNS {
                return Err(format!(
                    "expected at most {MAX_CHART_POINTS} rows and {MAX_COLUMNS} columns"
                ));
            }
            columns.iter_mut().for_each(|column| column.cells.resize(most, String::new()));
            Ok(columns)
        }
        Value::Array(rows) if rows.first().is_some_and(Value::is_object) => {
            let first = rows.first().and_then(Value::as_object).ok_or(WANTED)?;
            let names: Vec<String> = first.keys().cloned().collect();
            let mut table = vec![(0, names.clone())];
            for (line, row) in rows.iter().enumerate() {
                let row = row.as_object().ok_or(WANTED)?;
                if let Some(other) = row.keys().find(|key| !names.contains(key)) {
                    return Err(format!(
                        "row {}: expected the keys of the first row, got `{other}`",
                        line + 1
                    ));
                }
                let cells =
                    names.iter().map(|name| row.get(name).map_or(Some(String::new()), cell));
                table.push((line, cells.collect::<Option<_>>().ok_or(WANTED)?));
            }
            from_rows(table).map_err(|(line, problem)| format!("row {}: {problem}", line + 1))
        }
        Value::Array(rows) => {
            let row = |(line, row): (usize, &Value)| {
                Some((line, row.as_array()?.iter().map(cell).collect::<Option<Vec<_>>>()?))
            };
            let rows =
                rows.iter().enumerate().map(row).collect::<Option<Vec<_>>>().ok_or(WANTED)?;
            from_rows(rows).map_err(|(line, problem)| format!("row {}: {problem}", line + 1))
        }
        _ => Err(WANTED.into()),
    }
}

/// Returns a cell as text; `None` if it is not a single value.
fn cell(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(value) => Some(value.to_string()),
        Value::String(value) => Some(value.clone()),
        Value::Array(_) | Value::Object(_) => None,
    }
}
