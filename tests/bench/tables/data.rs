//! Made-up sales, the same on every machine.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use rust_xlsxwriter::Workbook;

const REGIONS: [&str; 5] = ["华东", "华南", "华北", "西南", "west"];
const CHANNELS: [&str; 3] = ["web", "app", "shop"];
const CITIES: u64 = 160;
const PRODUCTS: u64 = 1_000;

pub(crate) const COLUMNS: [&str; 10] =
    ["id", "day", "region", "city", "product", "channel", "quantity", "price", "discount", "note"];

/// Numbers that look random: Knuth's multiplier, the upper bits.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, most: u64) -> u64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % most
    }
}

/// Write the files that are not there yet.
pub(crate) fn make(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    let missing = |name: &str| Some(folder.join(name)).filter(|path| !path.exists());
    for (name, rows) in [("small.csv", 100_000), ("large.csv", 1_000_000)] {
        if let Some(path) = missing(name) {
            fs::write(path, sales(rows)).unwrap();
        }
    }
    if let Some(path) = missing("cities.csv") {
        let rows = (0..CITIES).map(|city| format!("city {city},manager {}\n", city % 12));
        fs::write(path, format!("city,manager\n{}", rows.collect::<String>())).unwrap();
    }
    if let Some(path) = missing("book.xlsx") {
        write_book(&fs::read_to_string(folder.join("small.csv")).unwrap()).save(path).unwrap();
    }
}

fn sales(rows: u64) -> String {
    let mut numbers = Numbers(7);
    let mut csv = COLUMNS.join(",") + "\n";
    for id in 0..rows {
        let mut below = |most| numbers.below(most);
        let (month, day) = (below(12) + 1, below(28) + 1);
        let (region, channel) = (REGIONS[below(5) as usize], CHANNELS[below(3) as usize]);
        let (year, city, product) = (2024 + below(2), below(CITIES), below(PRODUCTS));
        let (quantity, price, discount) = (below(50) + 1, below(99_900) + 100, below(30));
        let note = below(rows);
        // Writing to memory does not fail.
        let _ = writeln!(
            csv,
            "{id},{year}-{month:02}-{day:02},{region},city {city},p{product},{channel},{quantity},{}.{:02},0.{discount:02},n{note}",
            price / 100,
            price % 100,
        );
    }
    csv
}

/// A workbook with the cells of a CSV file: numbers as such, everything else as text.
pub(crate) fn write_book(csv: &str) -> Workbook {
    let mut book = Workbook::new();
    let sheet = book.add_worksheet();
    for (row, line) in (0..).zip(csv.lines()) {
        for (column, cell) in (0..).zip(line.split(',')) {
            match cell.parse::<f64>() {
                Ok(number) => sheet.write_number(row, column, number).unwrap(),
                Err(_) => sheet.write_string(row, column, cell).unwrap(),
            };
        }
    }
    book
}
