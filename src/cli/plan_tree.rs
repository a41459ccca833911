//! Draws a plan as lines for a terminal: each step with its state, below the steps that it needs.
//!
//! Reads events and records. Writes nowhere.

use console::{measure_text_width, truncate_str};

use mitt_agent::plan::{Step, StepRecord};
use mitt_agent::{PlannedStep, RunEvent};
use mitt_base::rows::counted;
use mitt_base::text;

/// Most steps that are shown; finished ones are dropped first.
const SHOWN: usize = 16;

/// Least number of steps in a terminal with few rows.
const LEAST_SHOWN: usize = 3;

/// Rows that are left for other output: the last message, the spinner, the head and the foot of the tree.
const OTHER_ROWS: usize = 7;

/// Longest title in columns, and longest result in characters.
const MAX_TITLE: usize = 60;
const MAX_DETAIL: usize = 120;

/// Columns that a title keeps if its line is too long.
const LEAST_TITLE: usize = 12;

/// A plan in progress, updated by events.
#[derive(Default)]
pub(super) struct PlanTree {
    title: String,
    rows: Vec<Row>,
}

struct Row {
    id: String,
    title: String,
    needs: Vec<String>,
    state: &'static str,
    attempt: u64,
    detail: String,
}

impl Row {
    fn line(&self) -> String {
        let needs = if self.needs.is_empty() {
            String::new()
        } else {
            format!("  (needs {})", self.needs.join(", "))
        };
        format!("{}{}{needs}{}", self.begin(), self.title(), self.end())
    }

    /// Returns a line of at most this many columns, in which the state is always visible.
    fn fitting(&self, columns: usize) -> String {
        let line = self.line();
        if measure_text_width(&line) <= columns {
            return line;
        }
        let (begin, end, title) = (self.begin(), self.end(), self.title());
        let room = columns.saturating_sub(measure_text_width(&begin));
        let kept = measure_text_width(&title).min(LEAST_TITLE);
        let end = truncate_str(&end, room.saturating_sub(kept), "…");
        let title = truncate_str(&title, room.saturating_sub(measure_text_width(&end)), "…");
        truncate_str(&format!("{begin}{title}{end}"), columns, "…").into_owned()
    }

    fn begin(&self) -> String {
        format!("  {} {}  ", mark(self.state), self.id)
    }

    fn title(&self) -> String {
        truncate_str(&self.title, MAX_TITLE, "…").into_owned()
    }

    /// Returns its state and result.
    fn end(&self) -> String {
        let again =
            if self.attempt > 1 { format!(", attempt {}", self.attempt) } else { String::new() };
        let detail = if self.detail.is_empty() {
            String::new()
        } else {
            format!(": {}", text::shortened(&self.detail, MAX_DETAIL))
        };
        format!("  {}{again}{detail}", self.state)
    }

    fn is_final(&self) -> bool {
        ["done", "failed", "skipped"].contains(&self.state)
    }
}

impl PlanTree {
    /// Applies an event. Returns lines to print if there is no terminal; `None` if the event is not about a plan.
    pub(super) fn hear(&mut self, event: &RunEvent) -> Option<Vec<String>> {
        Some(match event {
            RunEvent::Plan { number, title, steps } => {
                self.title = visible(title);
                self.rows = steps.iter().map(row).collect();
                let count = counted(steps.len() as u64, "step");
                let head = format!("plan {number}  {}  {count}", self.title);
                let line = |row: &Row| format!("      {}", row.line());
                std::iter::once(head).chain(self.rows.iter().map(line)).collect()
            }
            RunEvent::PlanDecided { number, decision, text } => {
                let said = if text.is_empty() {
                    String::new()
                } else {
                    format!(": {}", text::single_line(text))
                };
                vec![format!("plan {number}  {decision}{said}")]
            }
            RunEvent::PlanAsked { .. } => Vec::new(),
            RunEvent::PlanStep { id, state, attempt, detail } => {
                let detail = visible(detail);
                let Some(row) = self.rows.iter_mut().find(|row| row.id == *id) else {
                    return Some(Vec::new());
                };
                (row.state, row.attempt, row.detail) = (state, *attempt, detail);
                vec![format!("step{}", row.line())]
            }
            RunEvent::PlanReflection { id, attempt, outcome, feedback } => {
                let feedback = text::shortened(&text::single_line(feedback), MAX_DETAIL * 2);
                let feedback = if feedback.is_empty() { feedback } else { format!(": {feedback}") };
                vec![format!("look    {id}  attempt {attempt} {outcome}{feedback}")]
            }
            _ => return None,
        })
    }

    /// Returns the tree for a terminal of this size; empty without a plan, and when all steps are final.
    pub(super) fn lines(&self, (rows, columns): (usize, usize)) -> Vec<String> {
        let n_final = self.rows.iter().filter(|row| row.is_final()).count();
        if n_final == self.rows.len() {
            return Vec::new();
        }
        let most = rows.saturating_sub(OTHER_ROWS).clamp(LEAST_SHOWN, SHOWN);
        let surplus = self.rows.len().saturating_sub(most);
        let mut hidden = surplus.min(n_final);
        let count = format!(": {n_final} of {}", counted(self.rows.len() as u64, "step"));
        let room = columns.saturating_sub(measure_text_width(&count));
        let mut lines = vec![format!("{}{count}", truncate_str(&self.title, room, "…"))];
        for row in &self.rows {
            if hidden > 0 && row.is_final() {
                hidden -= 1;
            } else if lines.len() <= most {
                lines.push(row.fitting(columns));
            }
        }
        if surplus > 0 {
            lines.push(format!("  … and {surplus} more"));
        }
        lines
    }

    /// Describes the current steps in a few words; empty if none is running.
    pub(super) fn doing(&self) -> String {
        let in_state = |state: &str| {
            let rows = self.rows.iter().filter(|row| row.state == state);
            rows.map(|row| row.id.as_str()).collect::<Vec<_>>().join(", ")
        };
        let (running, seen) = (in_state("running"), in_state("reflecting"));
        match (running.is_empty(), seen.is_empty()) {
            (false, _) => format!("working on {running}"),
            (true, false) => format!("looking at what {seen} gave"),
            _ if !self.rows.is_empty() && self.rows.iter().all(Row::is_final) => {
                "writing the report".to_owned()
            }
            _ => String::new(),
        }
    }
}

/// Returns text as one line without misleading characters, so that its columns can be counted.
fn visible(text: &str) -> String {
    text::one_line(&text::single_line(text))
}

fn row(step: &PlannedStep) -> Row {
    let title = visible(&step.title);
    let (state, detail) = ("waiting", String::new());
    Row { id: step.id.clone(), title, needs: step.needs.clone(), state, attempt: 0, detail }
}

/// Returns a step of a record as a line.
pub(super) fn line(step: &Step, record: &StepRecord) -> String {
    let detail = text::single_line(&record.detail());
    let row = Row {
        id: step.id.clone(),
        title: visible(&step.title),
        needs: step.needs.clone(),
        state: record.state.name(),
        attempt: record.attempts.len() as u64,
        detail,
    };
    row.line()
}

fn mark(state: &str) -> char {
    match state {
        "running" | "reflecting" => '▸',
        "done" => '✓',
        "failed" => '✗',
        "skipped" => '–',
        _ => '·',
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_a_tree_of_states_and_lines() {
        let mut tree = PlanTree::default();
        let step = |n: usize| {
            let needs = if n == 1 { vec!["s0".to_owned()] } else { Vec::new() };
            PlannedStep::new(format!("s{n}"), format!("Step {n}\n!"), "research", needs)
        };
        let title = "Compare\nall".to_owned();
        let made = RunEvent::Plan { number: 1, title, steps: (0..20).map(step).collect() };
        let lines = tree.hear(&made).unwrap();
        assert_eq!(lines[0], "plan 1  Compare all  20 steps");
        assert_eq!(lines[2], "        · s1  Step 1 !  (needs s0)  waiting");
        assert!(lines.iter().all(|line| !line.contains('\n')));
        let mut line_of = |id: &str, state, attempt, detail: &str| {
            let (id, detail) = (id.to_owned(), detail.to_owned());
            tree.hear(&RunEvent::PlanStep { id, state, attempt, detail }).unwrap().remove(0)
        };
        assert_eq!(
            line_of("s0", "done", 2, "forced"),
            "step  ✓ s0  Step 0 !  done, attempt 2: forced"
        );
        assert_eq!(line_of("s1", "running", 1, ""), "step  ▸ s1  Step 1 !  (needs s0)  running");
        assert_eq!(line_of("s2", "failed", 1, "no"), "step  ✗ s2  Step 2 !  failed: no");
        assert_eq!(tree.doing(), "working on s1");
        let shown = tree.lines((24, 80));
        assert_eq!(shown[0], "Compare all: 2 of 20 steps");
        assert_eq!(shown[1], "  ▸ s1  Step 1 !  (needs s0)  running", "what is done makes room");
        assert_eq!((shown.len(), shown.last().unwrap().as_str()), (18, "  … and 4 more"));
        assert!(tree.hear(&RunEvent::ModelNote { turn: 1, text: String::new() }).is_none());
        for n in 0..20 {
            let (id, detail) = (format!("s{n}"), String::new());
            tree.hear(&RunEvent::PlanStep { id, state: "done", attempt: 1, detail });
        }
        assert!(tree.lines((24, 80)).is_empty());
        assert_eq!(tree.doing(), "writing the report");
    }

    #[test]
    fn a_line_of_a_tree_fits_into_its_terminal_and_shows_its_state() {
        let mut tree = PlanTree::default();
        let needs: Vec<String> = (0..30).map(|n| format!("step-{n}")).collect();
        let titles = [
            "核对两年的全部数字并写出总结，包括附注和说明",
            "Read all of the report, with its annexes",
            "\u{1b}[31mred",
        ];
        let steps = titles.iter().enumerate().map(|(n, title)| {
            PlannedStep::new(format!("s{n}"), (*title).to_owned(), "research", needs.clone())
        });
        let title = "两年的比较".repeat(20);
        tree.hear(&RunEvent::Plan { number: 1, title, steps: steps.collect() });
        let detail = "the figures of the first quarter are missing in both of the tables".repeat(3);
        tree.hear(&RunEvent::PlanStep { id: "s1".into(), state: "failed", attempt: 3, detail });
        for columns in [1, 8, 20, 40, 60, 80, 200, 400] {
            let lines = tree.lines((24, columns));
            assert_eq!(lines.len(), 4);
            for line in &lines[1..] {
                assert!(measure_text_width(line) <= columns, "{columns}: {line}");
            }
            if columns >= 40 {
                assert!(lines[0].ends_with(": 1 of 3 steps"), "{columns}: {lines:?}");
                assert!(lines[1].ends_with("  waiting"), "{columns}: {lines:?}");
                assert!(lines[2].contains("  failed, attempt 3"), "{columns}: {lines:?}");
            }
        }
        assert_eq!(tree.lines((24, 40))[1], "  · s0  核对两年的全部数字并写…  waiting");
        assert_eq!(tree.lines((24, 40))[2], "  ✗ s1  Read all of…  failed, attempt 3…");
        assert!(tree.lines((24, 400))[3].contains("\\u{1b}"), "{:?}", tree.lines((24, 400)));
        // In a low terminal, finished steps are dropped first.
        assert_eq!(tree.lines((9, 80)).len(), 4);
        let steps =
            (0..9).map(|n| PlannedStep::new(format!("s{n}"), "T".into(), "research", vec![]));
        tree.hear(&RunEvent::Plan { number: 2, title: "T".into(), steps: steps.collect() });
        for (id, state) in [("s0", "done"), ("s1", "done"), ("s5", "running")] {
            let (id, detail) = (id.to_owned(), String::new());
            tree.hear(&RunEvent::PlanStep { id, state, attempt: 1, detail });
        }
        let shown = tree.lines((12, 80));
        let ids: Vec<&str> =
            shown.iter().filter_map(|line| line.split_whitespace().nth(1)).collect();
        assert_eq!(ids, ["2", "s2", "s3", "s4", "s5", "s6", "and"], "{shown:?}");
    }
}
