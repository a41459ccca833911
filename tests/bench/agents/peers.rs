//! The loops, each in a process of its own: Mitt's, which is this program again, and those of Python.

use std::io::{BufRead as _, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

use serde::{Deserialize, Serialize};

use super::figures::{Text, interpreter};
use super::mock::Plan;
use super::{ROLE, runs, seconds};

/// What a loop says of itself.
#[derive(Clone, Serialize, Deserialize)]
pub(crate) struct Measured {
    pub(crate) version: String,
    /// Processor time of its process for one turn, in seconds.
    pub(crate) cpu_per_turn: f64,
    /// Median time from where the service began to answer to where the first text is told, in seconds.
    pub(crate) first_text: f64,
    /// In bytes: after a first conversation of one turn, and the most at the end.
    pub(crate) memory_before: u64,
    pub(crate) memory_peak: u64,
}

/// Whose loop it is, and where its tools are.
#[derive(Clone, Copy)]
pub(crate) enum Loop {
    Mitt,
    /// A library of Python, with Mitt's tool over MCP or a function of its own that does nothing.
    Python {
        library: &'static str,
        tools: &'static str,
    },
}

impl Loop {
    pub(crate) const ALL: [Loop; 5] = [
        Loop::Mitt,
        Loop::Python { library: "openai-agents", tools: "mcp" },
        Loop::Python { library: "openai-agents", tools: "own" },
        Loop::Python { library: "pydantic-ai", tools: "mcp" },
        Loop::Python { library: "pydantic-ai", tools: "own" },
    ];

    pub(crate) fn name(self) -> Text {
        let (english, chinese) = match self {
            Loop::Mitt => ("Mitt, each call in a sandbox of its own", "Mitt，每次调用使用独立沙箱"),
            Loop::Python { tools: "mcp", .. } => ("tool over MCP", "经 MCP 的工具"),
            Loop::Python { .. } => ("function in its process", "本进程函数"),
        };
        match self.library() {
            Some(library) => Text::from((
                format!("{library}, {english}").as_str(),
                format!("{library}，{chinese}").as_str(),
            )),
            None => Text::from((english, chinese)),
        }
    }

    /// Returns the library of Python that the loop is of. `None` for Mitt.
    pub(crate) fn library(self) -> Option<&'static str> {
        match self {
            Loop::Mitt => None,
            Loop::Python { library, .. } => Some(library),
        }
    }

    /// The median of some processes by their processor time; or why there is none.
    pub(crate) fn measure(self, address: &str, plan: Plan, time: f64) -> Result<Measured, String> {
        let runs = (0..runs()).map(|_| self.process(address, plan, time));
        let mut all = runs.collect::<Result<Vec<_>, _>>()?;
        all.sort_by(|a, b| a.cpu_per_turn.total_cmp(&b.cpu_per_turn));
        let middle = all.len() / 2;
        Ok(all.swap_remove(middle))
    }

    /// One process that follows the plan for so many seconds, once at least.
    pub(crate) fn process(self, address: &str, plan: Plan, time: f64) -> Result<Measured, String> {
        let program = std::env::current_exe().unwrap();
        let mut command = match self {
            Loop::Mitt => {
                let mut command = Command::new(&program);
                command.env(ROLE, "mitt");
                command
            }
            Loop::Python { library, tools } => {
                let script = Path::new(env!("CARGO_MANIFEST_DIR"));
                let script = script.join("../../tests/bench/agents/peer.py");
                let mut command = Command::new(interpreter());
                command.arg(script).args([library, tools]).arg(&program).arg(super::INSTRUCTION);
                command
            }
        };
        command.args([address, &plan.turns.to_string(), &plan.calls.to_string()]);
        let output = command.arg(time.to_string()).output().map_err(|error| error.to_string())?;
        if !output.status.success() {
            let told = String::from_utf8_lossy(&output.stderr);
            return Err(told.lines().last().unwrap_or_default().to_owned());
        }
        Ok(serde_json::from_slice(&output.stdout).unwrap())
    }
}

/// The mock in a process of its own, which ends with this value.
pub(crate) struct Mock {
    process: Child,
    pub(crate) address: String,
}

impl Mock {
    pub(crate) fn start() -> Mock {
        let program = std::env::current_exe().unwrap();
        let mut command = Command::new(program);
        let mut process = command.env(ROLE, "mock").stdout(Stdio::piped()).spawn().unwrap();
        let mut address = String::new();
        BufReader::new(process.stdout.take().unwrap()).read_line(&mut address).unwrap();
        Mock { process, address: address.trim().to_owned() }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// A cell of the table.
pub(crate) fn compared(measured: &Measured, to: Option<&Measured>) -> String {
    let cpu = seconds(measured.cpu_per_turn);
    match to {
        Some(mitt) => format!("{cpu} ({:.0} x)", measured.cpu_per_turn / mitt.cpu_per_turn),
        None => cpu,
    }
}
