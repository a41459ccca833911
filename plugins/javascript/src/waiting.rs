//! Calls of tools that the script has made and the host has not.

use crate::contract::mitt::host::tool_batches::ToolCall;
use std::cell::{Cell, RefCell};

/// Most calls that wait. The host takes as many at once.
const MAX_WAITING: usize = 1_000;

/// Calls that wait, in order.
#[derive(Default)]
pub(crate) struct Waiting {
    calls: RefCell<Vec<ToolCall>>,
    /// The line of the first one.
    line: Cell<u32>,
}

impl Waiting {
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.borrow().is_empty()
    }

    /// Returns `true` if the calls must be made before another one is added.
    pub(crate) fn is_full(&self) -> bool {
        self.calls.borrow().len() >= MAX_WAITING
    }

    /// Adds a call of a line of the script. Returns its place.
    pub(crate) fn add(&self, call: ToolCall, line: u32) -> usize {
        let mut calls = self.calls.borrow_mut();
        if calls.is_empty() {
            self.line.set(line);
        }
        calls.push(call);
        calls.len() - 1
    }

    /// Takes the calls and the line of the first one.
    pub(crate) fn take(&self) -> (Vec<ToolCall>, u32) {
        (self.calls.take(), self.line.get())
    }
}
