//! Groups, and the first rows, column by column: the same results as row by row, for random tables and queries.

use super::{Memory, Rows, chunk, decimals, entry, query_with, texts};
use crate::bindings::mitt::host::tables::{Bits, Chunk, ColumnType, Dictionary, Values};
use crate::bindings::mitt::host::types::{Cell, Error};
use crate::columns::{Columns, PART};
use crate::groups::run_within;
use crate::source::{Entry, joined};
use crate::virtual_table::{ACCEPTED, CHOSEN, ROW_BY_ROW};
use std::rc::Rc;

/// Numbers that look random, the same in each run.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % most
    }

    fn of<'a, T: ?Sized>(&mut self, all: &[&'a T]) -> &'a T {
        all[self.below(all.len())]
    }

    fn several<T>(&mut self, length: usize, mut one: impl FnMut(&mut Self) -> T) -> Vec<T> {
        (0..length).map(|_| one(self)).collect()
    }

    fn odds(&mut self, in_hundred: usize) -> bool {
        self.below(100) < in_hundred
    }
}

const WORDS: [&str; 9] = ["", "a", "A", "华东", "华南", "华", "12", "a\u{b}5", "b "];

/// Columns of each type. Some have nulls.
fn table(numbers: &mut Numbers, length: usize) -> Rc<Memory> {
    let few = numbers.odds(50);
    let columns = [
        "id", "n", "big", "price", "rate", "f", "name", "word", "day", "at", "both", "active",
        "any", "none", "wide",
    ];
    let columns = columns.map(|name| {
        let (type_, scale, values) = column(numbers, name, length, few);
        let mut chunk = chunk(values);
        if name != "id" && numbers.odds(50) && !matches!(name, "any" | "none") {
            chunk.validity =
                numbers.several(length.div_ceil(8), |numbers| numbers.below(256) as u8);
        }
        (name, type_, scale, chunk)
    });
    Memory::new(columns.into(), length as u64)
}

fn column(numbers: &mut Numbers, name: &str, length: usize, few: bool) -> (ColumnType, u8, Values) {
    let most = if few { 3 } else { 1_000 };
    let plain = |(type_, values)| (type_, 0, values);
    let of_decimals = |scale, Chunk { values, .. }| (ColumnType::Decimal, scale, values);
    let mut integers =
        |spread: i64| numbers.several(length, |numbers| (numbers.below(most) as i64 - 1) * spread);
    match name {
        "id" => plain((ColumnType::Integer, Values::Integers((0..length as i64).collect()))),
        "n" => plain((
            ColumnType::Integer,
            Values::Integers(integers(1).into_iter().map(|n| n % 40).collect()),
        )),
        "big" => plain((ColumnType::Integer, Values::Integers(integers(i64::MAX / 1_000)))),
        "price" => of_decimals(2, decimals(2, &integers(5))),
        "rate" => of_decimals(9, decimals(9, &integers(700_000_001))),
        "wide" => of_decimals(2, decimals(2, &integers(1_000_000_000_000_007))),
        "f" => {
            let all = [0.0, -0.0, 0.1, 0.2, 0.1 + 0.2, 1e300, f64::NAN, -1.5, 3.0];
            plain((
                ColumnType::Float,
                Values::Floats(numbers.several(length, |numbers| all[numbers.below(all.len())])),
            ))
        }
        "name" => {
            let keys = numbers.several(length, |numbers| numbers.below(WORDS.len()) as u32);
            plain((
                ColumnType::Text,
                Values::Dictionary(Dictionary { keys, values: joined(&WORDS) }),
            ))
        }
        "word" => {
            let all = numbers.several(length, |numbers| numbers.of(&WORDS));
            plain((ColumnType::Text, Values::Texts(joined(&all))))
        }
        "day" => {
            let days = integers(11).into_iter().map(|day| day as i32 + 19_700).collect();
            plain((ColumnType::Date, Values::Dates(days)))
        }
        "at" => {
            let times = integers(60_500_000).into_iter().map(i64::abs).collect();
            plain((ColumnType::Time, Values::Times(times)))
        }
        "both" => plain((ColumnType::DateTime, Values::DateTimes(integers(86_400_500_000)))),
        "active" => {
            let bytes = numbers.several(length.div_ceil(8), |numbers| numbers.below(256) as u8);
            let bits = Bits { length: length as u64, bytes };
            plain((ColumnType::Boolean, Values::Booleans(bits)))
        }
        "any" => {
            let cells = numbers.several(length, |numbers| match numbers.below(4) {
                0 => Cell::Null,
                1 => Cell::Number(
                    numbers.of(&["1", "1.0", "2.5", "1e400", "99999999999999999999"]).into(),
                ),
                2 => Cell::Boolean(numbers.odds(50)),
                _ => Cell::Text(numbers.of(&WORDS).into()),
            });
            plain((ColumnType::Mixed, Values::Mixed(cells)))
        }
        _ => plain((ColumnType::Empty, Values::Empty(length as u64))),
    }
}

const COLUMNS: [&str; 15] = [
    "id", "n", "big", "price", "rate", "f", "name", "word", "day", "at", "both", "active", "any",
    "none", "wide",
];

fn condition(numbers: &mut Numbers, table: &str, depth: usize) -> String {
    let two = |numbers: &mut Numbers, word: &str| {
        let (left, right) =
            (condition(numbers, table, depth + 1), condition(numbers, table, depth + 1));
        format!("({left} {word} {right})")
    };
    let comparison = numbers.of(&["=", "<>", "<", "<=", ">", ">=", "IS", "IS NOT"]);
    let (column, constants): (&str, &[&str]) = match numbers.below(8) {
        0 => ("n", &["0", "1", "-1", "5", "2.5", "NULL", "'1'"]),
        1 => ("big", &["0", "9223372036854775807", "-9223372036854775", "9223372036854775808"]),
        2 => ("price", &["0", "0.05", "-0.05", "25", "NULL", "1.50", "'0.05'", "1e1"]),
        3 => ("f", &["0", "0.3", "-1.5", "1e300", "3"]),
        4 => ("name", &["'a'", "'华东'", "''", "NULL", "12", "'12'", "'a' COLLATE NOCASE"]),
        5 => ("word", &["'A'", "'华'", "'b '", "1"]),
        6 => ("day", &["'2023-12-09'", "'2024'", "''", "19700"]),
        _ => ("active", &["0", "1", "TRUE"]),
    };
    let constant = numbers.of(constants);
    let other = numbers.of(constants);
    match numbers.below(if depth > 2 { 6 } else { 9 }) {
        0 => format!("{table}.{column} IS NULL"),
        1 => format!("{table}.{column} IN ({constant}, {other})"),
        2 => format!("{table}.{column} BETWEEN {constant} AND {other}"),
        3 => format!("{constant} {comparison} {table}.{column}"),
        4 if numbers.odds(50) => format!("{table}.active"),
        6 => two(numbers, "AND"),
        7 => two(numbers, "OR"),
        8 => format!("NOT {}", condition(numbers, table, depth + 1)),
        _ => format!("{table}.{column} {comparison} {constant}"),
    }
}

fn function(numbers: &mut Numbers, tables: &[&str]) -> String {
    let name =
        numbers.of(&["sum", "sum", "avg", "total", "decimal_sum", "min", "max", "count", "count"]);
    let table = numbers.of(tables);
    let column = numbers.of(&COLUMNS);
    let column =
        if numbers.odds(60) { numbers.of(&["n", "price", "rate", "f", "day"]) } else { column };
    let filter = if numbers.odds(25) {
        format!(" FILTER (WHERE {})", condition(numbers, table, 1))
    } else {
        String::new()
    };
    let argument = match numbers.below(12) {
        0 => return format!("count(*){filter}"),
        1 => format!("DISTINCT {table}.{column}"),
        2 => format!("{table}.{column} * 2"),
        6 | 7 => {
            let operands = [
                "price",
                "n",
                "rate",
                "big",
                "0",
                "1",
                "2.5",
                "0.01",
                "(1 - l.price)",
                "-l.n",
                "l.active",
            ];
            let mut operand = || numbers.of(&operands).to_owned();
            let qualified = |name: String| {
                if COLUMNS.contains(&&*name) { format!("{table}.{name}") } else { name }
            };
            let (left, right) = (qualified(operand()), qualified(operand()));
            format!("{left} {} {right}", numbers.of(&["+", "-", "*", "*"]))
        }
        3 | 4 => {
            let otherwise = numbers.of(&["", " ELSE 0", " ELSE 0.5", " ELSE NULL", " ELSE 'x'"]);
            format!(
                "CASE WHEN {} THEN {table}.{column}{otherwise} END",
                condition(numbers, table, 1)
            )
        }
        5 => format!(
            "CASE {table}.name WHEN 'a' THEN {table}.{column} WHEN 'A' THEN 1 ELSE 2.25 END"
        ),
        _ => format!("{table}.{column}"),
    };
    format!("{name}({argument}){filter}")
}

/// Returns what FROM says, and the names in it.
fn from(numbers: &mut Numbers) -> (String, &'static [&'static str]) {
    let joins = [
        "l.n = r.n",
        "l.name = r.word",
        "l.word = r.name AND l.price > 0",
        "l.id = r.id",
        "l.day = r.day",
        "l.n = r.price",
        "l.n = r.n AND l.id = r.id",
        "l.n < r.n",
    ];
    match numbers.below(6) {
        0 | 1 => (format!("l JOIN r ON {}", numbers.of(&joins)), &["l", "r"]),
        2 => ("l JOIN r USING (n) JOIN s ON s.id = l.id".into(), &["l", "r", "s"]),
        3 => {
            let on = numbers.of(&[
                "l.n = r.n",
                "r.word = l.name",
                "l.id = r.n",
                "l.n = r.n AND r.price > 0",
                "l.n = r.n AND l.price > 0",
            ]);
            let more = numbers.of(&[
                "",
                "",
                " LEFT JOIN s ON s.name = r.name",
                " JOIN s ON s.id = l.id",
                " JOIN s ON s.n = r.n",
            ]);
            let tables: &[&str] = if more.is_empty() { &["l", "r"] } else { &["l", "r", "s"] };
            (format!("l LEFT JOIN r ON {on}{more}"), tables)
        }
        _ => ("l".into(), &["l"]),
    }
}

fn filter(numbers: &mut Numbers, table: &str) -> String {
    if numbers.odds(50) {
        format!(" WHERE {}", condition(numbers, table, 1))
    } else {
        String::new()
    }
}

/// Returns a query with groups.
fn grouped(numbers: &mut Numbers) -> String {
    let (from, tables) = from(numbers);
    let n_keys = numbers.below(3) + 1;
    let keys = numbers.several(n_keys, |numbers| {
        let usual = numbers.of(&["n", "name", "day", "active", "price"]);
        let column = if numbers.odds(80) { usual } else { numbers.of(&COLUMNS) };
        format!("{}.{column}", numbers.of(tables))
    });
    let n_functions = numbers.below(4);
    let functions = numbers.several(n_functions, |numbers| function(numbers, tables));
    let shown = [keys.clone(), functions.clone()].concat().join(", ");
    // A column that is no key has the value of any row.
    let shown = if numbers.odds(5) { format!("{shown}, l.word") } else { shown };
    let table = numbers.of(tables);
    let filter = filter(numbers, table);
    let having = match numbers.below(10) {
        0 => " HAVING count(*) > 1".into(),
        1 => format!(" HAVING {} > 0", function(numbers, tables)),
        2 => format!(" HAVING {} IS NOT NULL", keys[0]),
        _ => String::new(),
    };
    let all = keys.join(", ");
    let positions =
        (1..=n_keys).map(|position| position.to_string()).collect::<Vec<_>>().join(", ");
    let by = if numbers.odds(50) { &all } else { &positions };
    let order = match numbers.below(6) {
        0 => format!(" ORDER BY {}", keys.join(" DESC, ")),
        1 => format!(" ORDER BY {} DESC NULLS FIRST", keys.join(" DESC, ")),
        2 => format!(" ORDER BY {} COLLATE NOCASE, 1", keys[0]),
        3 if !functions.is_empty() => format!(" ORDER BY {} DESC, {all}", functions[0]),
        _ => String::new(),
    };
    let limit = numbers.of(&["", "", " LIMIT 3", " LIMIT 2 OFFSET 1"]);
    let select = format!("SELECT {shown} FROM {from}{filter} GROUP BY {by}{having}{order}{limit}");
    match numbers.below(10) {
        8 | 9 if !functions.is_empty() => {
            let all = functions.join(", ");
            let of = format!("SELECT {all} FROM {from}{filter}");
            if numbers.odds(20) { format!("SELECT n, ({of} LIMIT 1) FROM l LIMIT 2") } else { of }
        }
        0 => format!(
            "SELECT count(*), min(k), max(k) FROM (SELECT {} AS k FROM {from}{filter} GROUP BY {all})",
            keys[0]
        ),
        1 => "CREATE TEMP TABLE g AS SELECT n, count(*) FROM l GROUP BY n; \
              SELECT id, (SELECT count(*) FROM l AS i WHERE i.n = o.n GROUP BY i.name LIMIT 1), g.* FROM l AS o JOIN g USING (n)"
            .into(),
        2 => format!("WITH g AS ({select}) SELECT * FROM g UNION ALL SELECT * FROM g"),
        3 => format!("SELECT DISTINCT {all} FROM {from}{filter} ORDER BY {all}"),
        _ => select,
    }
}

/// Returns a query for the first rows.
fn first(numbers: &mut Numbers) -> String {
    let (from, tables) = from(numbers);
    let n_keys = numbers.below(3) + 1;
    let keys = numbers.several(n_keys, |numbers| {
        let direction = numbers.of(&["", "", " DESC", " DESC", " NULLS LAST", " COLLATE NOCASE"]);
        format!("{}.{}{direction}", numbers.of(tables), numbers.of(&COLUMNS))
    });
    let filter = filter(numbers, tables[tables.len() - 1]);
    let shown =
        numbers.of(&["*", "*", "l.id, l.n", "l.id, l.n / 2", "DISTINCT l.n", "l.wide", "1, 'x'"]);
    let limit = numbers.of(&[
        "LIMIT 1",
        "LIMIT 3",
        "LIMIT 10",
        "LIMIT 4 OFFSET 2",
        "LIMIT 2 OFFSET 50",
        "LIMIT 0",
        "LIMIT -1",
        "LIMIT 1 + 1",
    ]);
    let select = format!("SELECT {shown} FROM {from}{filter} ORDER BY {} {limit}", keys.join(", "));
    match numbers.below(8) {
        0 => format!("SELECT * FROM ({select}) ORDER BY 1 DESC"),
        1 => "SELECT id, (SELECT i.id FROM l AS i WHERE i.n = o.n ORDER BY i.price DESC, i.id LIMIT 1) FROM l AS o".into(),
        2 => "SELECT id, (SELECT i.id FROM l AS i ORDER BY i.price DESC, i.id LIMIT 1 OFFSET 1) \
              FROM r AS o WHERE o.n > 0 ORDER BY n LIMIT 5".into(),
        3 => format!("CREATE TEMP TABLE g AS {select}; SELECT * FROM g"),
        _ => select,
    }
}

type Answer = Result<(Vec<String>, Vec<Vec<String>>, Vec<&'static str>, Vec<String>), String>;

fn answer(sql: &str, entries: Vec<Entry>, row_by_row: bool) -> Answer {
    ROW_BY_ROW.set(row_by_row);
    let answer = query_with(sql, entries, None);
    ROW_BY_ROW.set(false);
    answer
        .map(|(Rows { columns, rows, forms, .. }, warnings)| (columns, rows, forms, warnings))
        .map_err(|error: Error| format!("{error:?}"))
}

/// Compares both ways for `rounds` queries, at least `accepted` of which must go column by column and have several rows.
fn compare(rounds: u32, accepted: u32, seed: u64, query: impl Fn(&mut Numbers) -> String) {
    let mut numbers = Numbers(seed);
    ACCEPTED.set(0);
    let (mut n_errors, mut n_filled) = (0, 0);
    for round in 0..rounds {
        let lengths = [60, 300, 20, 1, 0];
        let tables = [("l.csv", round % 5), ("r.csv", round / 5 % 5), ("s.csv", round / 25 % 5)];
        let tables =
            tables.map(|(name, length)| (name, table(&mut numbers, lengths[length as usize])));
        let entries = || tables.iter().map(|(name, table)| entry(name, table.clone())).collect();
        let sql = query(&mut numbers);
        let before = ACCEPTED.get();
        let (fast, slow) = (answer(&sql, entries(), false), answer(&sql, entries(), true));
        n_errors += u32::from(slow.is_err());
        let is_filled = slow.as_ref().is_ok_and(|(_, rows, ..)| rows.len() > 1);
        n_filled += u32::from(is_filled && ACCEPTED.get() > before);
        assert_eq!(fast, slow, "{sql}");
    }
    assert!(n_filled >= accepted, "{n_filled} of {rounds}");
    assert!(n_errors < rounds / 5, "{n_errors}");
}

#[test]
fn groups_are_those_of_sqlite() {
    compare(5_000, 600, 7, grouped);
}

#[test]
fn first_rows_are_those_of_sqlite() {
    compare(4_000, 400, 11, first);
}

/// A table of whole numbers and decimals in two parts.
fn long(rows: i64) -> Rc<Memory> {
    let numbers = |of: fn(i64) -> i64| (0..rows).map(of).collect::<Vec<_>>();
    let integers = |of| chunk(Values::Integers(numbers(of)));
    Memory::new(
        vec![
            ("id", ColumnType::Integer, 0, integers(|row| row)),
            ("n", ColumnType::Integer, 0, integers(|row| row * 7 % 11)),
            ("price", ColumnType::Decimal, 2, decimals(2, &numbers(|row| row * 7_919 % 70_001))),
        ],
        rows as u64,
    )
}

/// Returns the number of plans that were accepted, and checks that the answers are the same.
fn accepted(sql: &str, entries: &dyn Fn() -> Vec<Entry>) -> u32 {
    ACCEPTED.set(0);
    let fast = answer(sql, entries(), false);
    let accepted = ACCEPTED.get();
    assert_eq!(fast, answer(sql, entries(), true), "{sql}");
    accepted
}

#[test]
fn long_tables_are_read_part_by_part() {
    let (large, small) = (long(PART as i64 * 2 + 100), long(100));
    let entries = || vec![entry("large.csv", large.clone()), entry("small.csv", small.clone())];
    for (sql, expected) in [
        ("SELECT n, sum(price), avg(id), min(price), max(id), count(*) FROM large GROUP BY n", 1),
        ("SELECT price, count(*) FROM large WHERE id > 65530 AND id < 65550 GROUP BY price", 1),
        (
            "SELECT l.n, s.price, count(*) FROM large AS l JOIN small AS s ON l.n = s.id GROUP BY 1, 2",
            1,
        ),
        (
            "SELECT s.n, sum(l.price), sum(s.price) FROM small AS s JOIN large AS l USING (n) WHERE l.id < 900 GROUP BY 1",
            1,
        ),
        ("SELECT * FROM large ORDER BY price DESC, id LIMIT 10", 1),
        ("SELECT * FROM large AS l JOIN small AS s USING (n) ORDER BY l.id DESC LIMIT 10", 1),
        (
            "SELECT * FROM large AS l JOIN small AS s ON l.id = s.id ORDER BY s.price DESC LIMIT 3",
            1,
        ),
        // Of two long tables, none is held whole.
        ("SELECT a.n, count(*) FROM large AS a JOIN large AS b ON a.id = b.id GROUP BY 1", 0),
    ] {
        assert_eq!(accepted(sql, &entries), expected, "{sql}");
    }
}

#[test]
fn what_is_not_certain_is_left_to_sqlite() {
    let mut numbers = Numbers(3);
    let tables = ["l.csv", "r.csv"].map(|name| (name, table(&mut numbers, 60)));
    let entries = || tables.iter().map(|(name, table)| entry(name, table.clone())).collect();
    let list = |length: usize| (0..length).map(|n| n.to_string()).collect::<Vec<_>>().join(", ");
    let joined = |length: usize| {
        (1..length).map(|n| format!(" JOIN l AS l{n} ON l{n}.id = l.id")).collect::<String>()
    };
    let grouped = |of: &str| format!("SELECT n, count(*) FROM l WHERE {of} GROUP BY n");
    for (sql, expected) in [
        (grouped(&format!("n IN ({})", list(64))), 1),
        (grouped(&format!("n IN ({})", list(65))), 0),
        (grouped("n = '1'"), 0),
        (grouped("n > 1.5"), 0),
        (grouped("price > 1.5"), 1),
        (grouped("name = 'a' COLLATE NOCASE"), 0),
        (grouped("name LIKE 'a%'"), 0),
        (grouped("EXISTS (SELECT 1 FROM r)"), 0),
        (format!("SELECT l.n, count(*) FROM l{} GROUP BY l.n", joined(8)), 1),
        (format!("SELECT l.n, count(*) FROM l{} GROUP BY l.n", joined(9)), 0),
        ("SELECT l.n, sum(r.price) FROM l JOIN r ON l.id = r.id GROUP BY 1".into(), 1),
        ("SELECT r.n, sum(r.price) FROM l LEFT JOIN r ON l.id = r.n GROUP BY 1".into(), 1),
        ("SELECT l.n, count(r.id) FROM l LEFT JOIN r ON l.id = r.n WHERE r.id IS NULL GROUP BY 1".into(), 1),
        ("SELECT l.n, count(r.id) FROM l LEFT JOIN r ON l.id = r.n AND r.n = 1 GROUP BY 1".into(), 0),
        ("SELECT l.n, count(r.id) FROM l RIGHT JOIN r ON l.id = r.n GROUP BY 1".into(), 0),
        ("SELECT l.n, count(r.id) FROM l FULL JOIN r ON l.id = r.n GROUP BY 1".into(), 0),
        ("SELECT * FROM l LEFT JOIN r ON l.id = r.n ORDER BY l.id LIMIT 3".into(), 1),
        ("SELECT * FROM l LEFT JOIN r ON l.id = r.n ORDER BY r.id LIMIT 3".into(), 0),
        // The order of the rows decides.
        ("SELECT l.n, sum(r.f) FROM l JOIN r ON l.id = r.id GROUP BY 1".into(), 0),
        ("SELECT n, sum(f) FROM l GROUP BY 1".into(), 1),
        ("SELECT n, sum(f) FROM l WHERE n = 3 GROUP BY 1".into(), 1),
        ("SELECT n, sum(f) FROM l WHERE n IN (3, 1) GROUP BY 1".into(), 0),
        ("SELECT total(f) FROM l WHERE NOT (n = 3 OR id = 1)".into(), 0),
        ("SELECT n, sum(price) FROM l WHERE n = 3 OR n = 1 GROUP BY 1".into(), 1),
        (grouped(&format!("{}n{}", "(".repeat(40), " BETWEEN 0 AND 1)".repeat(40))), 0),
        ("SELECT n, sum(CASE WHEN active THEN f ELSE 1 END) FROM l GROUP BY 1".into(), 0),
        ("SELECT n, sum(n * price), avg(price * (1 - price) - 2.5) FROM l GROUP BY 1".into(), 1),
        ("SELECT n, sum(price / 2) FROM l GROUP BY 1".into(), 0),
        ("SELECT n, sum(f * 2) FROM l GROUP BY 1".into(), 0),
        ("SELECT n, sum(big * big) FROM l GROUP BY 1".into(), 1),
        ("SELECT n, sum(CASE WHEN active THEN price ELSE rate END) FROM l GROUP BY 1".into(), 0),
        ("SELECT n, sum(CASE WHEN active THEN price ELSE id END) FROM l GROUP BY 1".into(), 0),
        ("SELECT n, sum(CASE WHEN active THEN price ELSE -1.5 END) FROM l GROUP BY 1".into(), 1),
        ("SELECT n, word FROM l GROUP BY 1".into(), 0),
        ("SELECT sum(n), count(*), max(price) FROM l WHERE id > 5".into(), 1),
        ("SELECT sum(n), count(*), max(price) FROM l WHERE id > 5000".into(), 1),
        ("SELECT max(price), word FROM l".into(), 0),
        ("SELECT id, (SELECT max(n) FROM r WHERE r.id = l.id) FROM l".into(), 0),
        // There are warnings.
        ("SELECT n, sum(word) FROM l GROUP BY 1".into(), 0),
        ("SELECT n, count(word) FROM l GROUP BY 1".into(), 1),
        ("SELECT f, count(*) FROM l GROUP BY 1".into(), 0),
        ("SELECT any, count(*) FROM l GROUP BY 1".into(), 0),
        ("SELECT wide, count(*) FROM l GROUP BY 1".into(), 0),
        ("SELECT name COLLATE NOCASE, count(*) FROM l GROUP BY 1".into(), 0),
        ("SELECT * FROM l ORDER BY id DESC LIMIT 10000".into(), 1),
        ("SELECT * FROM l ORDER BY id DESC LIMIT 10001".into(), 0),
        ("SELECT * FROM l ORDER BY id DESC LIMIT 9000 OFFSET 1000".into(), 1),
        ("SELECT id, n / 2 FROM l ORDER BY id DESC LIMIT 3".into(), 0),
        ("SELECT id FROM l ORDER BY id, n + 1 LIMIT 3".into(), 0),
        ("SELECT id FROM l WHERE n + 1 > 0 ORDER BY id LIMIT 3".into(), 0),
        ("SELECT id FROM l ORDER BY name COLLATE NOCASE LIMIT 3".into(), 0),
    ] {
        assert_eq!(accepted(&sql, &entries), expected, "{sql}");
    }
}

#[test]
fn a_plan_that_cannot_be_run_is_left_to_sqlite() {
    let early = chunk(Values::Dates(vec![1, 2]));
    let long = "x".repeat((16 << 20) + 1);
    let tables = [
        Memory::new(vec![("n", ColumnType::Date, 0, early)], 3),
        Memory::new(vec![("n", ColumnType::Text, 0, texts(&[&long, "b"]))], 2),
    ];
    for (table, is_read) in tables.iter().zip([true, false]) {
        let entries = || vec![entry("t.csv", table.clone())];
        let sql = "SELECT n, count(n) FROM t GROUP BY n";
        assert_eq!(accepted(sql, &entries), 1);
        assert_eq!(answer(sql, entries(), false).is_ok(), is_read);
        assert_eq!(accepted("SELECT n FROM t ORDER BY n LIMIT 1", &entries), 1);
    }
}

#[test]
fn dates_beyond_the_last_year_compare_as_texts() {
    let days = chunk(Values::Dates(vec![-719_528, 19_000, 0, 2_932_896]));
    let table = Memory::new(vec![("day", ColumnType::Date, 0, days)], 4);
    let entries = || vec![entry("t.csv", table.clone())];
    for (condition, rows) in [
        ("day < '10000-01-01'", 1),
        ("day < '9999-12-31'", 3),
        ("day BETWEEN '2020-01-01' AND '12024-01-01'", 0),
        ("day > '2024-01-9223372036854775807'", 1),
        ("day > '2024-9223372036854775807-01'", 1),
    ] {
        let sql = format!("SELECT day, count(*) FROM t WHERE {condition} GROUP BY day");
        assert_eq!(accepted(&sql, &entries), 1, "{sql}");
        let (_, answer, ..) = answer(&sql, entries(), false).unwrap();
        assert_eq!(answer.len(), rows, "{sql}");
    }
}

#[test]
fn groups_that_take_too_much_memory_are_left_to_sqlite() {
    let columns = Rc::new(Columns::new(long(1_000)).unwrap());
    let plan = "1 0 0 1 0 0 0 functions 1 count 0 0";
    let run = |most: usize| run_within(plan, &|_| Ok(columns.clone()), most).unwrap();
    assert_eq!(run(1 << 20).map(|finished| finished.len()), Some(1_000));
    assert!(run(1 << 10).is_none());
    // Groups that wait for their rows to be read count, too.
    let held = run_within(plan, &|_| Ok(columns.clone()), 200_000).unwrap();
    assert!(held.is_some() && run(200_000).is_none());
    drop(held);
    assert!(run(200_000).is_some());
    // Texts count with their bytes.
    let word = "x".repeat(10_000);
    let words = texts(&vec![word.as_str(); 100]);
    let numbers = chunk(Values::Integers((0..100).collect()));
    let of = vec![("n", ColumnType::Integer, 0, numbers), ("t", ColumnType::Text, 0, words)];
    let of = Rc::new(Columns::new(Memory::new(of, 100)).unwrap());
    let most = "1 0 0 1 0 0 0 functions 1 max 1 0 c 0 1";
    let texts = |bytes: usize| run_within(most, &|_| Ok(of.clone()), bytes).unwrap();
    assert!(texts(900_000).is_none() && texts(1_100_000).is_some());
    // If each row is a group, the first part tells that there will be too many.
    let table = long(PART as i64 * 3);
    let columns = Rc::new(Columns::new(table.clone()).unwrap());
    let before = table.reads.get();
    assert!(run_within(plan, &|_| Ok(columns.clone()), 10 << 20).unwrap().is_none());
    assert_eq!(table.reads.get() - before, 1);
}

#[test]
fn few_rows_are_scanned_for_the_first_ones() {
    let tables = [("large.csv", PART as i64 * 2 + 100), ("middle.csv", 400), ("small.csv", 100)];
    let tables = tables.map(|(name, rows)| (name, long(rows)));
    let entries = || tables.iter().map(|(name, table)| entry(name, table.clone())).collect();
    for (sql, expected) in [
        ("SELECT * FROM large ORDER BY price DESC, id LIMIT 10", 10),
        (
            "SELECT * FROM large AS l JOIN small AS s ON s.id = l.n ORDER BY l.price DESC, l.id LIMIT 10",
            10,
        ),
        ("SELECT * FROM large WHERE id > 100 ORDER BY id LIMIT 10 OFFSET 5", 15),
        (
            "SELECT (SELECT max(id) FROM (SELECT id FROM small ORDER BY price LIMIT 3)) AS most, id FROM large",
            3,
        ),
        // More look-ups than are made without an index, and more rows.
        (
            "SELECT * FROM large AS l JOIN middle AS m ON m.id = l.id ORDER BY l.price DESC LIMIT 3",
            3,
        ),
        ("SELECT * FROM large AS l JOIN small AS s ON s.id = l.n ORDER BY l.n LIMIT 3", 11_925),
        (
            "SELECT * FROM middle AS m JOIN small AS s ON s.id = m.n ORDER BY m.n DESC, s.id LIMIT 3",
            37,
        ),
    ] {
        CHOSEN.set(0);
        accepted(sql, &entries);
        assert_eq!(CHOSEN.get(), expected, "{sql}");
    }
}
