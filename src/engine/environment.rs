//! The outside world for guests: clock and random numbers.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use rand::rngs::StdRng;
use rand::{Rng as _, SeedableRng as _};

use mitt_base::{Error, ErrorKind, Result};

/// Clock and random numbers for guests. Default: those of the system.
#[derive(Clone, Debug, Default)]
pub struct Environment {
    /// Time that the wall clock shows, since 1970. `None` is the system's clock; a fixed time makes runs repeatable.
    /// Random numbers that are not for secrets then follow from it.
    pub clock: Option<Duration>,
    /// Seed of all random numbers for guests. `None` is the system's generator.
    pub seed: Option<u64>,
}

impl Environment {
    /// Returns the time since 1970-01-01 00:00 UTC.
    #[expect(clippy::disallowed_methods, reason = "the only place that reads the system's clock")]
    pub fn now(&self) -> Duration {
        self.clock
            .unwrap_or_else(|| SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default())
    }

    /// Returns a generator for the host itself, such as for delays. Not for secrets.
    pub(crate) fn random(&self) -> StdRng {
        // Without the system's generator, all hosts use the same delays, which does no harm.
        let seed = self.seed.or_else(|| getrandom::u64().ok()).unwrap_or_default();
        StdRng::seed_from_u64(seed)
    }

    /// Returns 256 bits that cannot be guessed. With a seed they are always the same.
    ///
    /// # Errors
    ///
    /// [`ErrorKind::Host`] - the system has no random numbers.
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
