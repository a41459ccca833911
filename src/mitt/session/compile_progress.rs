//! Reports that a call waits for a component to be compiled, and when that is done.

use std::sync::Mutex;
use std::time::Instant;

use super::call_id::CallId;
use super::event::Event;
use mitt_base::lock;
use mitt_skill::Compiling;

/// Reporter of compilation during one call or document.
pub(super) struct CompileProgress<T> {
    /// `None` outside of calls.
    call: Option<CallId>,
    emit: T,
    /// Skill that is being compiled, and when that began.
    underway: Mutex<Option<(String, Instant)>>,
}

impl<T: Fn(&Event)> CompileProgress<T> {
    /// Returns a reporter that sends events of `call` to `emit`.
    pub(super) fn new(call: Option<CallId>, emit: T) -> CompileProgress<T> {
        CompileProgress { call, emit, underway: Mutex::default() }
    }

    /// Reports that the component of `skill` is being compiled.
    pub(super) fn compiling(&self, skill: &str, Compiling { elapsed, usual, .. }: Compiling) {
        let skill = skill.to_owned();
        let now = Instant::now();
        *lock(&self.underway) = Some((skill.clone(), now.checked_sub(elapsed).unwrap_or(now)));
        (self.emit)(&Event::Compiling { call: self.call, skill, elapsed, usual });
    }

    /// Reports that the plugin is loaded, if it had to be compiled.
    pub(super) fn ended(self) {
        let underway = lock(&self.underway).take();
        if let Some((skill, since)) = underway {
            let duration = since.elapsed();
            (self.emit)(&Event::Compiled { call: self.call, skill, duration });
        }
    }
}
