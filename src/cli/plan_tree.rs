//! A plan as lines for a terminal: each step with its state, below those that it needs.
//!
//! Knows what events and records say. Writes nowhere.

use mitt::{Event, PlannedStep};
use mitt_agent::plan::{Step, StepRecord};
use mitt_base::text;

/// Steps that are shown at the same time; those that are done make room first.
const SHOWN: usize = 16;

/// Characters of a title, and of what a step came to.
const MAX_TITLE: usize = 60;
const MAX_DETAIL: usize = 120;

/// A plan while it is carried out, as events tell of it.
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
        let again =
            if self.attempt > 1 { format!(", attempt {}", self.attempt) } else { String::new() };
        let detail = match self.detail.is_empty() {
            true => String::new(),
            false => format!(": {}", text::shortened(&self.detail, MAX_DETAIL)),
        };
        let needs = match self.needs.is_empty() {
            true => String::new(),
            false => format!("  (needs {})", self.needs.join(", ")),
        };
        let title = text::shortened(&self.title, MAX_TITLE);
        format!("  {} {}  {title}{needs}  {}{again}{detail}", mark(self.state), self.id, self.state)
    }
}

impl PlanTree {
    /// Take in an event; the lines to print where there is no terminal, none if it is not about a plan.
    pub(super) fn hear(&mut self, event: &Event) -> Option<Vec<String>> {
        Some(match event {
            Event::Plan { number, title, steps } => {
                self.title = text::single_line(title);
                self.rows = steps.iter().map(row).collect();
                let count = match steps.len() {
                    1 => "1 step".to_owned(),
                    n => format!("{n} steps"),
                };
                let head = format!("plan {number}  {}  {count}", self.title);
                let line = |row: &Row| format!("      {}", row.line());
                std::iter::once(head).chain(self.rows.iter().map(line)).collect()
            }
            Event::PlanDecided { number, decision, text } => {
                let said = if text.is_empty() {
                    String::new()
                } else {
                    format!(": {}", text::single_line(text))
                };
                vec![format!("plan {number}  {decision}{said}")]
            }
            Event::PlanAsked { .. } => Vec::new(),
            Event::PlanStep { id, state, attempt, detail } => {
                let detail = text::single_line(detail);
                let Some(row) = self.rows.iter_mut().find(|row| row.id == *id) else {
                    return Some(Vec::new());
                };
                (row.state, row.attempt, row.detail) = (state, *attempt, detail);
                vec![format!("step{}", row.line())]
            }
            Event::PlanReflection { id, attempt, outcome, feedback } => {
                let feedback = text::shortened(&text::single_line(feedback), MAX_DETAIL * 2);
                let feedback = if feedback.is_empty() { feedback } else { format!(": {feedback}") };
                vec![format!("look    {id}  attempt {attempt} {outcome}{feedback}")]
            }
            _ => return None,
        })
    }

    /// What a terminal shows below the line of progress; empty without a plan, and when all is done.
    pub(super) fn lines(&self) -> Vec<String> {
        let is_final = |row: &&Row| ["done", "failed", "skipped"].contains(&row.state);
        let n_final = self.rows.iter().filter(is_final).count();
        if n_final == self.rows.len() {
            return Vec::new();
        }
        let surplus = self.rows.len().saturating_sub(SHOWN);
        let mut hidden = surplus.min(n_final);
        let mut lines = vec![format!("{}: {n_final} of {} steps", self.title, self.rows.len())];
        for row in &self.rows {
            if hidden > 0 && is_final(&row) {
                hidden -= 1;
            } else if lines.len() <= SHOWN {
                lines.push(row.line());
            }
        }
        if surplus > 0 {
            lines.push(format!("  … and {surplus} more"));
        }
        lines
    }
}

fn row(step: &PlannedStep) -> Row {
    let title = text::single_line(&step.title);
    let (state, detail) = ("waiting", String::new());
    Row { id: step.id.clone(), title, needs: step.needs.clone(), state, attempt: 0, detail }
}

/// A step of a record as a line.
pub(super) fn line(step: &Step, record: &StepRecord) -> String {
    let detail = text::single_line(&record.detail());
    let row = Row {
        id: step.id.clone(),
        title: text::single_line(&step.title),
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
        let made = Event::Plan { number: 1, title, steps: (0..20).map(step).collect() };
        let lines = tree.hear(&made).unwrap();
        assert_eq!(lines[0], "plan 1  Compare all  20 steps");
        assert_eq!(lines[2], "        · s1  Step 1 !  (needs s0)  waiting");
        assert!(lines.iter().all(|line| !line.contains('\n')));
        let mut told = |id: &str, state, attempt, detail: &str| {
            let (id, detail) = (id.to_owned(), detail.to_owned());
            tree.hear(&Event::PlanStep { id, state, attempt, detail }).unwrap().remove(0)
        };
        assert_eq!(
            told("s0", "done", 2, "forced"),
            "step  ✓ s0  Step 0 !  done, attempt 2: forced"
        );
        assert_eq!(told("s1", "running", 1, ""), "step  ▸ s1  Step 1 !  (needs s0)  running");
        assert_eq!(told("s2", "failed", 1, "no"), "step  ✗ s2  Step 2 !  failed: no");
        let shown = tree.lines();
        assert_eq!(shown[0], "Compare all: 2 of 20 steps");
        assert_eq!(shown[1], "  ▸ s1  Step 1 !  (needs s0)  running", "what is done makes room");
        assert_eq!((shown.len(), shown.last().unwrap().as_str()), (18, "  … and 4 more"));
        assert!(tree.hear(&Event::ModelNote { turn: 1, text: String::new() }).is_none());
        for n in 0..20 {
            let (id, detail) = (format!("s{n}"), String::new());
            tree.hear(&Event::PlanStep { id, state: "done", attempt: 1, detail });
        }
        assert!(tree.lines().is_empty());
    }
}
