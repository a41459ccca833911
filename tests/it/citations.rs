//! Citations in the answer of a recorded model, checked against a workbook, a Word file and a CSV file.

use std::fs;
use std::path::Path;

use serde_json::{Value, json};

use crate::models::run;
use crate::support::root;

const ANSWER: &str = "Fees in January were 41,250 [budget.xlsx#Budget!B2] and costs 28,941 [budget.xlsx#Budget!C2]. \
    The client pays “within 30 days” [contract.docx#p2], not “within 45 days” [contract.docx#p2]. \
    The sum is EUR 455,033.00 [contract.docx#p1]. 2月为1.2万 [销售.csv#row=3]。 See 7 [budget.xlsx#Costs!A1] and 8 [old.pdf#page=1].";

/// Returns a folder with a task whose model answers as recorded.
fn task(folder: &Path, answer: &str) {
    for name in ["budget.xlsx", "contract.docx"] {
        fs::copy(root().join("examples/budget").join(name), folder.join(name)).unwrap();
    }
    fs::write(folder.join("销售.csv"), "月份,收入\n1月,9500\n2月,12000\n").unwrap();
    let task = "schema: 1\ninstruction: What are the fees?\ndocuments: [budget.xlsx, contract.docx, 销售.csv]\n\
        model: { replay: model.jsonl }\n";
    fs::write(folder.join("task.yaml"), task).unwrap();
    let header = r#"{"format": "mitt-recording@1", "model": "m"}"#;
    let turn = json!({ "text": answer, "calls": [] });
    fs::write(folder.join("model.jsonl"), format!("{header}\n{turn}\n")).unwrap();
}

#[test]
fn the_host_says_which_citations_of_an_answer_do_not_hold() {
    let folder = tempfile::tempdir().unwrap();
    task(folder.path(), ANSWER);
    let (code, stdout, stderr) = run(folder.path(), &["run", ".", "--json", "-q"]);
    assert_eq!(code, 0, "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    assert_eq!(report["text"], ANSWER, "the answer is not changed");
    let citations = &report["citations"];
    assert_eq!(
        (&citations["checked"], &citations["confirmed"]),
        (&json!(8), &json!(3)),
        "{citations}"
    );
    let wrong: Vec<&str> = citations["wrong"]
        .as_array()
        .unwrap()
        .iter()
        .map(|it| it["problem"].as_str().unwrap())
        .collect();
    let at_p5 =
        wrong[2].strip_prefix("not found at contract.docx, p1: 455,033.00 (it stands at p5-");
    assert!(at_p5.is_some(), "{wrong:?}");
    assert_eq!(
        [wrong[0], wrong[1], wrong[3], wrong[4]],
        [
            "not found at budget.xlsx, Budget!C2: 28,941",
            "not found at contract.docx, p2: within 45 days",
            "no such place: budget.xlsx, Costs!A1",
            "no such document: old.pdf",
        ]
    );
    let first = &citations["wrong"][0];
    let range = first["start"].as_u64().unwrap() as usize..first["end"].as_u64().unwrap() as usize;
    assert_eq!(&ANSWER[range], "[budget.xlsx#Budget!C2]");

    // A person reads a line for each; what holds is not mentioned.
    let (code, _, stderr) = run(folder.path(), &["run", ".", "-q"]);
    assert_eq!(code, 0, "{stderr}");
    assert_eq!(stderr.lines().filter(|it| it.starts_with("warning: ")).count(), 5, "{stderr}");
    assert!(stderr.contains("warning: not found at budget.xlsx, Budget!C2: 28,941"), "{stderr}");
}

#[test]
fn a_citation_of_a_page_gets_its_rectangle() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    fs::write(
        folder.join("a.md"),
        "# Report\n\nRevenue was 14,523,000 yuan.\n\n\\newpage\n\nCosts.\n",
    )
    .unwrap();
    let (code, _, stderr) = run(folder, &["render", "a.md", "-o", "report.pdf"]);
    assert_eq!(code, 0, "{stderr}");
    let answer = "It was 14,523,000 [report.pdf#page=1]. It says “14,523,000 yuan” [report.pdf#page=1&rect=400,700,50,20]. \
        Again 14,523,000 [report.pdf#page=1&rect=400,700,50,20].";
    task(folder, answer);
    let text = fs::read_to_string(folder.join("task.yaml")).unwrap();
    fs::write(folder.join("task.yaml"), text.replace("[budget.xlsx,", "[report.pdf, budget.xlsx,"))
        .unwrap();
    let (code, stdout, stderr) = run(folder, &["run", ".", "--json", "-q"]);
    assert_eq!(code, 0, "{stderr}");
    let report: Value = serde_json::from_str(&stdout).unwrap();
    let citations = &report["citations"];
    let reference = citations["places"][0]["reference"].as_str().unwrap();
    assert!(reference.starts_with("report.pdf#page=1&rect="), "{citations}");
    let left_and_top = reference["report.pdf#page=1&rect=".len()..].rsplitn(3, ',').nth(2).unwrap();
    // A model can copy the place of the quotation. The number keeps its page.
    let problem = citations["wrong"][0]["problem"].as_str().unwrap();
    let expected = format!(
        "not found at report.pdf, page 1, rect=400,700,50,20: 14,523,000 yuan (it stands at page=1&rect={left_and_top},"
    );
    assert!(problem.starts_with(&expected), "{problem}");
    assert_eq!(citations["wrong"].as_array().unwrap().len(), 1, "{citations}");
    assert_eq!(citations["confirmed"], 2, "{citations}");
    assert_eq!(citations["places"].as_array().unwrap().len(), 1);
}
