//! Limits of a team.

/// Most levels of agents that delegate to others.
const MAX_DEPTH: u64 = 2;

/// Limits of a team's agents, for one instruction of the user. The host enforces them, whatever models request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TeamLimits {
    /// Levels of delegation: with 1 only the session's own model delegates, with 2 its agents do, too. 0 disables the team; more
    /// than 2 counts as 2. Default: 1.
    pub depth: u64,
    /// Tasks at all levels together. Default: 16.
    pub delegations: u64,
    /// Agents that work concurrently, at most 16. Default: 4.
    pub at_once: usize,
    /// Consecutive failed tasks after which no more are accepted. Default: 3.
    pub failures: u64,
    /// How often the conversation may be transferred; 0 disables that. Default: 4.
    pub transfers: u64,
    /// Characters of a task's summary. Default: 4 000.
    pub summary_characters: u64,
}

impl Default for TeamLimits {
    fn default() -> TeamLimits {
        TeamLimits {
            depth: 1,
            delegations: 16,
            at_once: 4,
            failures: 3,
            transfers: 4,
            summary_characters: 4_000,
        }
    }
}

impl TeamLimits {
    /// Returns the effective limits.
    pub(super) fn bounded(self) -> TeamLimits {
        TeamLimits { depth: self.depth.min(MAX_DEPTH), at_once: self.at_once.clamp(1, 16), ..self }
    }
}
