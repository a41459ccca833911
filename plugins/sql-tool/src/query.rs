//! Runs statements over tables.

use crate::bindings::mitt::host::tables::ColumnType;
use crate::bindings::mitt::host::types::Error as HostError;
use crate::columns::Columns;
use crate::notes::Notes;
use crate::problem::{Known, describe};
use crate::result::{BATCH, ResultColumn};
use crate::source::{Entry, Items, Listing, Sink, Source};
use crate::virtual_table::{SessionTable, module, set_opener, take_failure, take_read_wide};
use crate::{authorize, engine, functions};
use rusqlite::limits::Limit;
use rusqlite::{Batch, Connection, Error, Statement, config::DbConfig};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Memory of SQLite for sorting, grouping and temporary tables, in bytes: half of the plugin's.
const MEMORY: u32 = 256 << 20;

/// The warning for such numbers in a table of the call: a declared type cannot state how they compare.
const WIDE_IN_TABLE: &str = "numbers of more than 15 digits are text in a table that is made of them: write COLLATE decimal where it is \
    compared or sorted by them";

/// Limits of a statement.
const LIMITS: [(Limit, i32); 6] = [
    // One text. The host has a lower limit for the output of a call.
    (Limit::SQLITE_LIMIT_LENGTH, 16 << 20),
    // The host accepts arguments of 1 MiB.
    (Limit::SQLITE_LIMIT_SQL_LENGTH, 1 << 20),
    // Parser and code generator are recursive. 200 levels fit several times into the stack.
    (Limit::SQLITE_LIMIT_EXPR_DEPTH, 200),
    (Limit::SQLITE_LIMIT_COMPOUND_SELECT, 200),
    (Limit::SQLITE_LIMIT_TRIGGER_DEPTH, 50),
    (Limit::SQLITE_LIMIT_ATTACHED, 0),
];

/// Runs `sql` over `entries`. The rows of the last statement with rows go to `sink`.
///
/// # Errors
/// The text is wrong: the error has the place. Or the host could not read or make a table. `sink` must not be used then.
pub(crate) fn run(
    sql: &str,
    entries: Vec<Entry>,
    sink: &mut dyn Sink,
) -> Result<Vec<String>, HostError> {
    engine::prepare();
    let entries = Rc::new(entries);
    let notes = Arc::new(Notes::default());
    let result = prepare(&entries, &notes)
        .map_err(|error| describe(&error, "", None, &Known::default()))
        .and_then(|connection| run_all(&connection, sql, &entries, &notes, sink));
    set_opener(None);
    result
}

fn prepare(entries: &Rc<Vec<Entry>>, notes: &Arc<Notes>) -> Result<Connection, Error> {
    let mut connection = Connection::open_in_memory()?;
    connection
        .execute_batch(&format!("PRAGMA hard_heap_limit={MEMORY}; PRAGMA foreign_keys=ON"))?;
    for (limit, value) in LIMITS {
        connection.set_limit(limit, value)?;
    }
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DEFENSIVE, true)?;
    functions::register(&connection, notes)?;
    set_opener(Some(opener(entries.clone())));
    let module = module();
    for (number, entry) in entries.iter().enumerate() {
        for name in &entry.names {
            connection.create_module::<SessionTable, _>(name.as_str(), module, Some(number))?;
        }
    }
    for (name, number) in [("tables", entries.len()), ("columns", entries.len() + 1)] {
        connection.create_module::<SessionTable, _>(name, module, Some(number))?;
    }
    let notes = notes.clone();
    connection.authorizer(Some(move |context: rusqlite::hooks::AuthContext<'_>| {
        authorize::decide(&context, &notes)
    }))?;
    Ok(connection)
}

/// Opens each table once. The two numbers after the last one are the lists of tables and of columns.
fn opener(entries: Rc<Vec<Entry>>) -> crate::virtual_table::Opener {
    let opened: RefCell<HashMap<usize, Rc<Columns>>> = RefCell::default();
    Box::new(move |number| {
        if let Some(columns) = opened.borrow().get(&number) {
            return Ok(columns.clone());
        }
        let source: Rc<dyn Source> = match entries.get(number) {
            Some(entry) => (entry.open)()?,
            None if number == entries.len() => Rc::new(list_of_tables(&entries)),
            None => Rc::new(list_of_columns(&entries)?),
        };
        let columns = Rc::new(Columns::new(source)?);
        opened.borrow_mut().insert(number, columns.clone());
        Ok(columns)
    })
}

fn list_of_tables(entries: &[Entry]) -> Listing {
    let texts = |of: fn(&Entry) -> String| Items::Texts(entries.iter().map(of).collect());
    Listing::new(vec![
        ("name", texts(|entry| entry.names[0].clone())),
        ("reference", texts(|entry| entry.reference.clone())),
        ("rows", Items::Integers(entries.iter().map(|entry| entry.rows as i64).collect())),
        ("columns", texts(|entry| entry.columns.join(", "))),
    ])
}

fn list_of_columns(entries: &[Entry]) -> Result<Listing, HostError> {
    let (mut tables, mut names, mut types) = (Vec::new(), Vec::new(), Vec::new());
    let (mut positions, mut nulls) = (Vec::new(), Vec::new());
    for entry in entries {
        for (column, position) in (entry.open)()?.columns().into_iter().zip(1..) {
            tables.push(entry.names[0].clone());
            positions.push(position);
            types.push(type_name(column.type_).to_owned());
            nulls.push(column.nulls as i64);
            names.push(column.name);
        }
    }
    Ok(Listing::new(vec![
        ("table", Items::Texts(tables)),
        ("position", Items::Integers(positions)),
        ("name", Items::Texts(names)),
        ("type", Items::Texts(types)),
        ("nulls", Items::Integers(nulls)),
    ]))
}

fn type_name(column: ColumnType) -> &'static str {
    match column {
        ColumnType::Empty => "empty",
        ColumnType::Boolean => "boolean",
        ColumnType::Integer => "integer",
        ColumnType::Decimal => "decimal",
        ColumnType::Float => "float",
        ColumnType::Text => "text",
        ColumnType::Date => "date",
        ColumnType::Time => "time",
        ColumnType::DateTime => "date-time",
        ColumnType::Mixed => "mixed",
    }
}

fn run_all(
    connection: &Connection,
    sql: &str,
    entries: &[Entry],
    notes: &Notes,
    sink: &mut dyn Sink,
) -> Result<Vec<String>, HostError> {
    let failed = |error: &Error| {
        if let Some(failure) = take_failure() {
            return failure;
        }
        describe(error, sql, notes.take_denied(), &known(connection, entries))
    };
    let mut batch = Batch::new(connection, sql);
    let mut warnings = None;
    let mut aside = Vec::new();
    engine::take_truncations();
    engine::take_operands();
    engine::take_clock_was_asked();
    loop {
        let statement = rusqlite::fallible_iterator::FallibleIterator::next(&mut batch)
            .map_err(|error| failed(&error))?;
        let Some(mut statement) = statement else { break };
        let has_rows = statement.column_count() > 0;
        let new_warnings = if has_rows {
            rows_of(&mut statement, sink).map_err(|failure| match failure {
                Failure::Sqlite(error) => failed(&error),
                Failure::Host(error) => error,
            })?
        } else {
            take_read_wide();
            statement.raw_execute().map_err(|error| failed(&error))?;
            if take_read_wide() {
                aside.push(WIDE_IN_TABLE.to_owned());
            }
            Vec::new()
        };
        if engine::take_clock_was_asked() {
            return Err(HostError::Unsupported(
                "sql: there is no clock, so that the same call always gives the same result\nhint: give the date as text, such as date('2026-01-31')".into(),
            ));
        }
        aside.extend(notes.take(engine::take_operands(), engine::take_truncations()));
        if has_rows {
            warnings = Some(new_warnings);
        }
    }
    let mut warnings = warnings.ok_or_else(|| {
        HostError::InvalidArgument("sql: no statement gives rows\nhint: end with a SELECT".into())
    })?;
    warnings.extend(aside);
    warnings.dedup();
    Ok(warnings)
}

enum Failure {
    Sqlite(Error),
    Host(HostError),
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Sqlite(error)
    }
}

fn rows_of(statement: &mut Statement<'_>, sink: &mut dyn Sink) -> Result<Vec<String>, Failure> {
    let names = numbered(statement.column_names().collect());
    let declared: Vec<_> =
        statement.columns().map(|column| column.decl_type().map(str::to_owned)).collect();
    let mut columns: Vec<_> = names
        .iter()
        .zip(&declared)
        .map(|(name, declared)| ResultColumn::new(name.clone(), declared.as_deref()))
        .collect();
    sink.begin(&names);
    let mut count = 0;
    let mut rows = statement.raw_query();
    while let Some(row) = rows.next()? {
        for (index, column) in columns.iter_mut().enumerate() {
            column.push(row.get_ref(index)?);
        }
        count += 1;
        if count % BATCH == 0 {
            sink.append(columns.iter_mut().map(ResultColumn::take).collect())
                .map_err(Failure::Host)?;
        }
    }
    if count % BATCH > 0 {
        sink.append(columns.iter_mut().map(ResultColumn::take).collect()).map_err(Failure::Host)?;
    }
    Ok(columns.iter().flat_map(|column| column.warnings(count as u64)).collect())
}

/// Makes the names of a result unique and not empty.
fn numbered(names: Vec<&str>) -> Vec<String> {
    let mut taken: std::collections::HashSet<String> =
        names.iter().map(|&name| name.into()).collect();
    let mut seen = std::collections::HashSet::new();
    names
        .into_iter()
        .zip(1..)
        .map(|(name, position)| {
            let name = if name.is_empty() { format!("column_{position}") } else { name.to_owned() };
            if seen.insert(name.clone()) {
                return name;
            }
            let mut number = 2;
            let mut unique = format!("{name}_{number}");
            while !taken.insert(unique.clone()) {
                number += 1;
                unique = format!("{name}_{number}");
            }
            seen.insert(unique.clone());
            unique
        })
        .collect()
}

/// Returns the names for suggestions.
fn known(connection: &Connection, entries: &[Entry]) -> Known {
    let mut tables: Vec<_> =
        entries.iter().map(|entry| (entry.names[0].clone(), entry.columns.clone())).collect();
    let list = |sql: &str| -> Vec<String> {
        let Ok(mut statement) = connection.prepare(sql) else { return Vec::new() };
        let rows = statement.query_map([], |row| row.get(0));
        rows.map(|rows| rows.flatten().collect()).unwrap_or_default()
    };
    for table in list(
        "SELECT name FROM sqlite_temp_schema WHERE type IN ('table', 'view') \
         UNION ALL SELECT name FROM sqlite_schema WHERE type IN ('table', 'view')",
    ) {
        let columns =
            list(&format!("SELECT name FROM pragma_table_info('{}')", table.replace('\'', "''")));
        tables.push((table, columns));
    }
    Known { tables, functions: list("SELECT DISTINCT name FROM pragma_function_list") }
}
