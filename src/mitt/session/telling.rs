//! Tells whoever hears of a call that a component has to be compiled before it can go on, and when that is done.

use std::sync::Mutex;
use std::time::Instant;

use super::call_id::CallId;
use super::event::Event;
use crate::skill::Compiling;
use mitt_base::lock;

/// What is told while a call waits for plugins.
pub(super) struct Telling<T> {
    /// None outside of calls.
    call: Option<CallId>,
    tell: T,
    /// What is being compiled, and since when.
    underway: Mutex<Option<(String, Instant)>>,
}

impl<T: Fn(&Event)> Telling<T> {
    /// `tell` is told, of `call`.
    pub(super) fn new(call: Option<CallId>, tell: T) -> Telling<T> {
        Telling { call, tell, underway: Mutex::default() }
    }

    /// The component of `skill` is being compiled.
    pub(super) fn compiling(&self, skill: &str, Compiling { elapsed, usual, .. }: Compiling) {
        let skill = skill.to_owned();
        let now = Instant::now();
        *lock(&self.underway) = Some((skill.clone(), now.checked_sub(elapsed).unwrap_or(now)));
        (self.tell)(&Event::Compiling { call: self.call, skill, elapsed, usual });
    }

    /// The plugin is there.
    pub(super) fn ended(self) {
        let underway = lock(&self.underway).take();
        if let Some((skill, since)) = underway {
            let duration = since.elapsed();
            (self.tell)(&Event::Compiled { call: self.call, skill, duration });
        }
    }
}
