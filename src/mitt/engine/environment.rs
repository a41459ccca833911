//! The outside world as a guest sees it: clock and random numbers.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use mitt_base::{Error, ErrorKind, Result};

/// The outside world as a guest sees it. Default: the system's clock and random numbers.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Wall clock. None is the system's clock; a fixed instant makes runs repeatable.
    pub clock: Option<Duration>,
    /// Seed of all random numbers that guests get. None is the system's generator.
    pub seed: Option<u64>,
}

impl Environment {
    /// Time since 1970-01-01 00:00 UTC.
    #[expect(
        clippy::disallowed_methods,
        reason = "the one place where the system's clock comes in"
    )]
    pub fn now(&self) -> Duration {
        self.clock
            .unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    /// Random numbers for the host itself, such as parts of delays. Not for secrets.
    pub(crate) fn random(&self) -> StdRng {
        // Without the system's generator all hosts wait alike, which is bad luck and no fault.
        let seed = self.seed.or_else(|| getrandom::u64().ok()).unwrap_or_default();
        StdRng::seed_from_u64(seed)
    }

    /// 256 bits that nobody can guess, for as long as the process lives; with a seed they are always the same.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`](mitt_base::ErrorKind::Host) - the system has no random numbers.
    pub(crate) fn secret(&self) -> Result<[u8; 32]> {
        let mut secret = [0; 32];
        match self.seed {
            Some(seed) => {
                StdRng::seed_from_u64(seed).fill_bytes(&mut secret);
            }
            None => getrandom::fill(&mut secret).map_err(|error| {
                Error::new(ErrorKind::Host, "the system gives no random numbers").caused_by(error)
            })?,
        }
        Ok(secret)
    }
}
