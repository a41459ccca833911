//! `limits` in `skill.yaml` and in overlays.

use serde::Deserialize;

use super::quantity::{parse_duration, parse_size};
use mitt_base::limits::{CallLimits, MIB};

/// Returns the highest limits that a skill may set: the host's own for readers, which need the most.
fn ceiling() -> CallLimits {
    CallLimits::reader()
}

/// Limits as they are written.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct WireLimits {
    time: Option<String>,
    fuel: Option<u64>,
    memory: Option<String>,
}

impl WireLimits {
    /// Returns `base` with these limits in place of its own.
    pub(crate) fn over(self, base: CallLimits) -> Result<CallLimits, String> {
        let ceiling = ceiling();
        let mut limits = base;
        if let Some(time) = self.time {
            limits.time = parse_duration(&time).ok_or_else(|| {
                format!("limits.time: expected a duration such as `500ms`, `15s` or `1m30s`, got `{time}`")
            })?;
            if limits.time.is_zero() || limits.time > ceiling.time {
                return Err(format!(
                    "limits.time: expected more than 0 and at most {:?}, got `{time}`",
                    ceiling.time
                ));
            }
        }
        if let Some(fuel) = self.fuel {
            if fuel == 0 || fuel > ceiling.fuel {
                return Err(format!("limits.fuel: expected 1 to {}, got {fuel}", ceiling.fuel));
            }
            limits.fuel = fuel;
        }
        if let Some(memory) = self.memory {
            limits.memory_bytes = parse_size(&memory).ok_or_else(|| {
                format!("limits.memory: expected a size such as `64MiB`, `512KiB` or a number of bytes, got `{memory}`")
            })?;
            if limits.memory_bytes == 0 || limits.memory_bytes > ceiling.memory_bytes {
                let most = ceiling.memory_bytes / MIB;
                return Err(format!(
                    "limits.memory: expected more than 0 and at most {most}MiB, got `{memory}`"
                ));
            }
        }
        Ok(limits)
    }
}
