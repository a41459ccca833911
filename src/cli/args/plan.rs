//! `mitt plan`, and the options with which `mitt run` follows an instruction by a plan.

use std::path::PathBuf;

use clap::Subcommand;

use super::Json;

/// Options for following an instruction by a plan.
#[derive(Debug, clap::Args)]
pub(crate) struct Planning {
    /// Follow the instruction by a plan: the model makes it, several steps run at the same time, each result is reviewed,
    /// and a report is written, as the files that the instruction asks for
    #[arg(long)]
    pub(crate) plan: bool,
    /// With a plan: most steps, at most 200 [default: 20]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=200))]
    steps: Option<u64>,
    /// With a plan: steps that are done at the same time [default: 4]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..=64))]
    workers: Option<u64>,
    /// With a plan: how often a review may send a step back; 0 means no review [default: 2]
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(0..=20))]
    attempts: Option<u64>,
    /// With a plan: the model that reviews, in place of the one that does the steps
    #[arg(long, value_name = "MODEL")]
    pub(crate) evaluator: Option<String>,
    /// With a plan: show it before its steps are done, to accept, reject or change it. Without a terminal the run stops there, with exit
    /// code 11, and goes on with `--resume RUN` and `--accept`, `--reject` or `--change`
    #[arg(long)]
    pub(crate) review: bool,
    /// Accept the plan that waits in the run
    #[arg(long, requires = "resume", conflicts_with_all = ["task", "reject", "change", "review"])]
    pub(crate) accept: bool,
    /// Reject the plan that waits in the run, and say what another one should do
    #[arg(long, value_name = "TEXT", requires = "resume", conflicts_with_all = ["task", "change", "review"])]
    pub(crate) reject: Option<String>,
    /// Carry out the plan of this file in place of the one that waits in the run; `mitt plan show --plan` prints that
    #[arg(long, value_name = "FILE", requires = "resume", conflicts_with_all = ["task", "review"])]
    pub(crate) change: Option<PathBuf>,
}

impl Planning {
    /// Returns the given numbers of steps, workers and attempts.
    pub(crate) fn limits(&self) -> (Option<usize>, Option<usize>, Option<u64>) {
        let number = |given: Option<u64>| given.and_then(|it| usize::try_from(it).ok());
        (number(self.steps), number(self.workers), self.attempts)
    }

    /// Returns the given options that hold for the whole run, by their names.
    pub(crate) fn given(&self) -> impl Iterator<Item = (&'static str, String)> + '_ {
        let number = |given: Option<u64>| given.map(|number| number.to_string());
        [
            ("steps", number(self.steps)),
            ("workers", number(self.workers)),
            ("attempts", number(self.attempts)),
            ("evaluator", self.evaluator.clone()),
        ]
        .into_iter()
        .filter_map(|(name, value)| Some((name, value?)))
    }

    /// Take what was given before where nothing is given now.
    pub(crate) fn restore<'a>(&mut self, before: impl Fn(&str) -> Option<&'a str>) {
        let number = |name: &str| before(name)?.parse().ok();
        self.steps = self.steps.or_else(|| number("steps"));
        self.workers = self.workers.or_else(|| number("workers"));
        self.attempts = self.attempts.or_else(|| number("attempts"));
        self.evaluator = self.evaluator.take().or_else(|| before("evaluator").map(str::to_owned));
    }

    /// Returns an option that only plans have, if one was given.
    pub(crate) fn only_of_plans(&self) -> Option<&'static str> {
        let given = [
            ("--steps", self.steps.is_some()),
            ("--workers", self.workers.is_some()),
            ("--attempts", self.attempts.is_some()),
            ("--evaluator", self.evaluator.is_some()),
            ("--review", self.review),
            ("--accept", self.accept),
            ("--reject", self.reject.is_some()),
            ("--change", self.change.is_some()),
        ];
        given.into_iter().find(|(_, is_given)| *is_given).map(|(name, _)| name)
    }
}

#[derive(Debug, Subcommand)]
pub(crate) enum PlanCommand {
    /// Show the plan of a run: its steps, and what became of each
    Show(PlanShow),
}

impl PlanCommand {
    pub(super) fn wants_json(&self) -> bool {
        let PlanCommand::Show(show) = self;
        show.json.json || show.plan
    }
}

#[derive(Debug, clap::Args)]
#[command(
    after_help = "Examples:\n  mitt plan show\n  mitt plan show 20261123-093000 --json\n  mitt plan show last --plan > plan.json"
)]
pub(crate) struct PlanShow {
    /// The run, or `last`; `mitt replay` lists them
    #[arg(value_name = "RUN", default_value = "last")]
    pub(crate) run: String,
    /// Print the plan alone, as JSON: to change it, and to go on with `mitt run --resume RUN --change FILE`
    #[arg(long, conflicts_with = "json")]
    pub(crate) plan: bool,
    #[command(flatten)]
    pub(crate) json: Json,
}
