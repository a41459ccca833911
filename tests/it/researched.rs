//! `mitt run examples/research`: a plan researches a purchase in six documents, without a model. The statements of the
//! report are computed here again from the data.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use calamine::{Data, Reader as _, Xlsx, open_workbook};
use serde_json::{Value, json};

use crate::support::{command, mitt, root, text};

const PDF: &str = "Battery-packs-for-Nordhaven.pdf";
const EXCEL: &str = "battery-packs.xlsx";

/// What the data of the example say about a supplier.
#[derive(Debug)]
struct Supplier {
    /// Share of the rated capacity after 600 cycles, on the regression line through all valid readings.
    at_600: f64,
    /// Cycles until 80 % are left.
    cycles: f64,
    cost: f64,
    on_time: f64,
}

/// Returns the rows of a CSV file without quotes.
fn rows(path: &Path) -> Vec<BTreeMap<String, String>> {
    let text = fs::read_to_string(path).unwrap();
    let mut lines = text.lines().map(|line| line.split(',').map(str::to_owned));
    let head: Vec<String> = lines.next().unwrap().collect();
    lines.map(|cells| head.iter().cloned().zip(cells).collect()).collect()
}

fn number(cell: &Data) -> f64 {
    match cell {
        Data::Float(value) => *value,
        Data::Int(value) => *value as f64,
        Data::DateTime(date) => date.as_f64(),
        other => panic!("expected a number, got {other:?}"),
    }
}

fn suppliers(folder: &Path) -> BTreeMap<String, Supplier> {
    let log = rows(&folder.join("fleet-log.csv"));
    let mut offers: Xlsx<_> = open_workbook(folder.join("offers.xlsx")).unwrap();
    let prices = offers.worksheet_range("Prices").unwrap();
    let deliveries = offers.worksheet_range("Deliveries").unwrap();
    let once = [("Hengchuan", 0.0), ("Lumera", 14.0 * 350.0), ("Voltjern", 900.0 * 6.5)];
    once.into_iter()
        .map(|(name, once)| {
            let price = prices.rows().find(|row| row[0] == *name && row[3] == 500.0).unwrap();
            let own: Vec<_> = log.iter().filter(|row| row["supplier"] == name).collect();
            let of = |row: &BTreeMap<_, String>, key: &str| row[key].parse::<f64>().ok();
            let points = own.iter().filter_map(|row| {
                let counts = (15.0..=25.0).contains(&of(row, "temperature_c")?);
                let point = (of(row, "cycles")?, of(row, "capacity_wh")? / number(&price[2]));
                counts.then_some(point)
            });
            let (new, slope) = line(&points.collect::<Vec<_>>());
            // The last reading of each pack, because later ones replace earlier ones.
            let last: BTreeMap<_, _> = own.iter().map(|row| (&row["pack"], *row)).collect();
            let sum = |key| last.values().map(|row| of(row, key).unwrap()).sum::<f64>();
            let cycles = (0.8 - new) / slope;
            let cost = number(&price[4]) + once / 900.0;
            let orders: Vec<_> = deliveries.rows().filter(|row| row[1] == *name).collect();
            let on_time = orders.iter().filter(|row| number(&row[4]) <= number(&row[3])).count();
            let supplier = Supplier {
                at_600: new + 600.0 * slope,
                cycles,
                cost: cost / (cycles * sum("km") / sum("cycles")) * 1_000.0,
                on_time: on_time as f64 / orders.len() as f64,
            };
            (name.to_owned(), supplier)
        })
        .collect()
}

/// Returns intercept and decline of the regression line.
fn line(points: &[(f64, f64)]) -> (f64, f64) {
    let n = points.len() as f64;
    let (sum_x, sum_y) = points.iter().fold((0.0, 0.0), |(x, y), at| (x + at.0, y + at.1));
    let products: f64 = points.iter().map(|(x, y)| x * y).sum();
    let squares: f64 = points.iter().map(|(x, _)| x * x).sum();
    let slope = (n * products - sum_x * sum_y) / (n * squares - sum_x * sum_x);
    ((sum_y - slope * sum_x) / n, slope)
}

fn copied() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    for entry in fs::read_dir(root().join("examples/research")).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(&path, folder.path().join(path.file_name().unwrap())).unwrap();
        }
    }
    folder
}

#[test]
fn a_purchase_is_researched_in_six_documents_without_a_model() {
    let folder = copied();
    let at = folder.path();
    // Nothing is compiled or remembered yet.
    let cache = at.join("cache");
    let run = command(at, &["run", ".", "--json"]).env("MITT_CACHE_DIR", cache).output().unwrap();
    let (stdout, stderr) = (text(&run.stdout), text(&run.stderr));
    assert!(run.status.success(), "{stderr}");
    let done: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(done["missing"], json!([]));

    // The graph, the failure that was fixed, the result that was sent back.
    for part in [
        "plan 1  Battery packs for Nordhaven  5 steps",
        "· cost  Cost per kilometre and deliveries  (needs cold, ageing, risks)  waiting",
        "failed: plugin: ValueError: could not convert string to float: 'n/a'",
        "✓ ageing  Ageing in our own fleet  (needs rules)  done: passed, script repaired once",
        "look    risks  attempt 1 failed: The contracts are there with their pages.",
        "✓ risks  Risks of contracts and suppliers  done, attempt 2: passed",
        "✓ cost  Cost per kilometre and deliveries  (needs cold, ageing, risks)  done: passed",
    ] {
        assert!(stderr.contains(part), "{part} is missing:\n{stderr}");
    }
    let place = |part: &str| stderr.find(part).unwrap_or_else(|| panic!("no {part}"));
    assert!(place("▸ risks") < place("✓ rules"), "several at the same time");
    assert!(place("✓ ageing") < place("▸ cost") && place("✓ cold") < place("▸ cost"));
    assert!(!stderr.contains("is shown as its text"), "every chart is drawn:\n{stderr}");

    let report = fs::read(at.join("out").join(PDF)).unwrap();
    let report = crate::render::pdf_text(&report);
    let mut workbook: Xlsx<_> = open_workbook(at.join("out").join(EXCEL)).unwrap();
    let decision = workbook.worksheet_range("Decision").unwrap();
    let suppliers = suppliers(at);
    assert_eq!(suppliers.len(), 3);
    for (name, supplier) in &suppliers {
        let Supplier { at_600, cycles, cost, on_time } = supplier;
        let cycles = cycles.round();
        for figure in [
            format!("{:.1}%", at_600 * 100.0),
            format!("EUR{cost:.2}"),
            format!("{:.1}%", on_time * 100.0),
            // The digits after its comma, if it has one.
            format!("{:03}", cycles as u64 % 1_000),
        ] {
            assert!(report.contains(&figure), "{name}: {figure} is missing:\n{report}");
        }
        let row = decision.rows().find(|row| row[0] == *name.as_str()).unwrap();
        assert_eq!(number(&row[3]), cycles);
        assert!((number(&row[5]) - cost).abs() < 0.006, "{row:?} {supplier:?}");
        assert!((number(&row[6]) - at_600).abs() < 0.000_06, "{row:?} {supplier:?}");
        assert_eq!(row[8] == *"yes", *at_600 >= 0.8, "{row:?}");
    }
    // Both charts, in words that no table has, and the sources.
    for part in [
        "Voltjernfallsbelowtherulebefore600cycles",
        "Lumeracostsleastperkilometre,Voltjernmost",
        "KeyCitations",
        "https://mobility.nordhaven.example/rental-bikes/batteries",
        "低温测试报告.docx,sections3.1and3.3",
        "warranty-terms.pdf,page1",
        "visit-notes.md,Lumera,9December",
        "fleet-log.csv,columns",
        "offers.xlsx,sheets",
    ] {
        assert!(report.contains(part), "{part} is missing:\n{report}");
    }

    // The plan can be shown afterwards.
    let shown = text(&mitt(at, &["plan", "show"]).stdout);
    assert!(shown.contains("ageing  Ageing in our own fleet") && shown.contains("repaired once"));
    let shown = text(&mitt(at, &["plan", "show", "last", "--json"]).stdout);
    let shown: Value = serde_json::from_str(&shown).unwrap();
    let attempts = |index: usize| &shown["steps"][index]["attempts"];
    assert_eq!(attempts(3)[0]["repairs"], 1, "{shown}");
    assert_eq!(attempts(1)[0]["reflection"]["outcome"], "failed", "{shown}");
    assert_eq!(attempts(1)[1]["reflection"]["outcome"], "passed", "{shown}");
}

#[test]
fn the_scripts_of_the_example_are_those_that_were_recorded() {
    let folder = root().join("examples/research");
    let recording = fs::read_to_string(folder.join("recording.jsonl")).unwrap();
    let turns = recording.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let calls = turns.flat_map(|turn| turn["calls"].as_array().cloned().unwrap_or_default());
    let scripts = calls.filter(|call| call["name"] == "python__run").map(|call| {
        let arguments: Value = serde_json::from_str(call["arguments"].as_str().unwrap()).unwrap();
        arguments["code"].as_str().unwrap().to_owned()
    });
    let files = ["ageing_first.py", "ageing.py", "cost.py"];
    let files = files.map(|name| fs::read_to_string(folder.join(name)).unwrap());
    assert_eq!(scripts.collect::<Vec<_>>(), files, "`make_recording.py` records them");
}

#[test]
fn a_recorded_plan_waits_for_a_decision_and_goes_on_with_its_recording() {
    let folder = copied();
    let run = mitt(folder.path(), &["run", ".", "--review"]);
    assert_eq!(run.status.code(), Some(11), "{}", text(&run.stderr));
    let shown = text(&mitt(folder.path(), &["plan", "show"]).stdout);
    assert!(shown.contains("waits for a decision: Battery packs for Nordhaven"), "{shown}");
    let run = mitt(folder.path(), &["run", "--resume", "--accept"]);
    let stderr = text(&run.stderr);
    assert!(run.status.success() && stderr.contains("script repaired once"), "{stderr}");
    assert!(folder.path().join("out").join(PDF).exists());
    // The recording is used up, so continuing needs a model.
    let chat = text(&mitt(folder.path(), &["chat", "--resume"]).stderr);
    assert!(chat.contains("--model") && !chat.contains("unknown service"), "{chat}");
}
