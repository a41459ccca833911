//! Calls of tools that the script has made and the host has not.

use crate::contract::mitt::host::tool_batches::ToolCall;
use std::cell::{Cell, RefCell};

/// Most calls that wait. The host takes as many at once.
const MAX_WAITING: usize = 1_000;

/// Bytes of arguments after which the next call begins a batch. The host takes 64 MiB at once, by default.
const MAX_BYTES: usize = 4 << 20;

/// Calls that wait, in order.
#[derive(Default)]
pub(crate) struct Waiting {
    calls: RefCell<Vec<ToolCall>>,
    /// The line of the first one.
    line: Cell<u32>,
    /// Bytes of their arguments.
    bytes: Cell<usize>,
}

impl Waiting {
    pub(crate) fn is_empty(&self) -> bool {
        self.calls.borrow().is_empty()
    }

    /// Returns `true` if there is no room for a call with these arguments.
    pub(crate) fn is_full_for(&self, arguments: &str) -> bool {
        let bytes = self.bytes.get() + arguments.len();
        self.calls.borrow().len() >= MAX_WAITING || bytes > MAX_BYTES
    }

    /// Adds a call of a line of the script. Returns its place.
    pub(crate) fn add(&self, call: ToolCall, line: u32) -> usize {
        let mut calls = self.calls.borrow_mut();
        if calls.is_empty() {
            self.line.set(line);
        }
        self.bytes.set(self.bytes.get() + call.arguments.len());
        calls.push(call);
        calls.len() - 1
    }

    /// Takes the calls and the line of the first one.
    pub(crate) fn take(&self) -> (Vec<ToolCall>, u32) {
        self.bytes.set(0);
        (self.calls.take(), self.line.get())
    }
}
