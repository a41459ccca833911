//! How far a team may go.

/// Levels of agents that give work to others, at most.
const MAX_DEPTH: u64 = 2;

/// How far the agents of a team may go, for one instruction of the user. Held by the host, whatever models want.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct TeamLimits {
    /// Levels: 1 lets only the session's own model give work to others, 2 also those that have work from it. 0 is no team; more
    /// than 2 counts as 2. Default 1.
    pub depth: u64,
    /// Tasks that are given, at all levels together. Default 16.
    pub delegations: u64,
    /// Agents that work at the same time, at most 16. Default 4.
    pub at_once: usize,
    /// Tasks that fail in a row before no more are given. Default 3.
    pub failures: u64,
    /// How often the conversation is handed over. 0 leaves that out. Default 4.
    pub transfers: u64,
    /// Characters of a summary that come back. Default 4 000.
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
    /// What counts of it.
    pub(super) fn bounded(self) -> TeamLimits {
        TeamLimits { depth: self.depth.min(MAX_DEPTH), at_once: self.at_once.clamp(1, 16), ..self }
    }
}
