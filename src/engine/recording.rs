//! Record of the clock readings and random numbers of a guest, so that a second run reads the same values.
//!
//! Knows numbers only. The session records the guest's requests to it.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use rand::SeedableRng as _;
use rand::rngs::StdRng;
use tokio::time::Instant;
use wasmtime_wasi::{HostMonotonicClock, HostWallClock};

use super::environment::Environment;
use mitt_base::{Error, ErrorKind, Result, lock};

/// Most readings of each clock that are kept. A guest that reads more cannot be run a second time.
const MAX_READINGS: usize = 65_536;

/// Random numbers and clock readings of a run. Clones share them.
#[derive(Clone)]
pub struct Recording {
    environment: Environment,
    seed: [u8; 32],
    wall: Arc<Mutex<Readings>>,
    monotonic: Arc<Mutex<Readings>>,
    start: Instant,
}

#[derive(Clone, Default)]
struct Readings {
    nanos: Vec<u64>,
    next: usize,
    is_full: bool,
}

impl Recording {
    /// Returns the record of a run that begins now.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system has no random numbers.
    pub fn new(environment: &Environment) -> Result<Recording> {
        let mut seed = [0; 32];
        getrandom::fill(&mut seed).map_err(|error| {
            Error::new(ErrorKind::Host, "the system gives no random numbers").caused_by(error)
        })?;
        Ok(Recording {
            environment: environment.clone(),
            seed,
            wall: Arc::default(),
            monotonic: Arc::default(),
            start: Instant::now(),
        })
    }

    /// Returns the record for a second run, which first reads the values of the first run.
    pub fn again(&self) -> Recording {
        let rewound = |readings: &Arc<Mutex<Readings>>| {
            Arc::new(Mutex::new(Readings { next: 0, ..lock(readings).clone() }))
        };
        Recording { wall: rewound(&self.wall), monotonic: rewound(&self.monotonic), ..self.clone() }
    }

    /// Returns whether everything that a second run needs was kept.
    pub fn is_whole(&self) -> bool {
        !lock(&self.wall).is_full && !lock(&self.monotonic).is_full
    }

    pub(super) fn random(&self) -> StdRng {
        StdRng::from_seed(self.seed)
    }

    pub(super) fn insecure_random(&self) -> StdRng {
        StdRng::from_seed(self.seed.map(|byte| !byte))
    }

    pub(super) fn insecure_seed(&self) -> u128 {
        self.seed.iter().take(16).fold(0, |seed, byte| seed << 8 | u128::from(*byte))
    }
}

impl HostWallClock for Recording {
    fn resolution(&self) -> Duration {
        Duration::from_nanos(1)
    }

    fn now(&self) -> Duration {
        // Nanoseconds since 1970 fit into 64 bits until the year 2554.
        let now = || u64::try_from(self.environment.now().as_nanos()).unwrap_or(u64::MAX);
        Duration::from_nanos(lock(&self.wall).read(now))
    }
}

/// Monotonic clock of a recorded run.
pub(super) struct Monotonic(pub(super) Recording);

impl HostMonotonicClock for Monotonic {
    fn resolution(&self) -> u64 {
        1
    }

    fn now(&self) -> u64 {
        let mut readings = lock(&self.0.monotonic);
        // Time continues from the last reading of the first run, however long ago that was.
        let last = readings.nanos.last().copied().unwrap_or_default();
        let now = || u64::try_from(self.0.start.elapsed().as_nanos()).unwrap_or(u64::MAX).max(last);
        readings.read(now)
    }
}

impl Readings {
    fn read(&mut self, now: impl FnOnce() -> u64) -> u64 {
        if let Some(known) = self.nanos.get(self.next) {
            self.next += 1;
            return *known;
        }
        let now = now();
        if self.nanos.len() < MAX_READINGS {
            self.nanos.push(now);
            self.next += 1;
        } else {
            self.is_full = true;
        }
        now
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_run_reads_what_the_first_one_read() {
        let first = Recording::new(&Environment::default()).unwrap();
        let reading = |of: &Recording| (HostWallClock::now(of), Monotonic(of.clone()).now());
        let read: Vec<_> = (0..5).map(|_| reading(&first)).collect();
        let second = first.again();
        assert_eq!((0..5).map(|_| reading(&second)).collect::<Vec<_>>(), read);
        let next = reading(&second);
        assert!(next.0 >= read[4].0 && next.1 >= read[4].1);
        assert!(first.is_whole());
        for _ in 0..=MAX_READINGS {
            reading(&first);
        }
        assert!(!first.is_whole());
    }
}
