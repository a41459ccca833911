//! Codes of errors, which are part of the interface: a number never changes its meaning.

use std::ffi::CStr;

use mitt::{Error, ErrorKind};

/// Result of a function: 0 for success, otherwise the class of the error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
#[non_exhaustive]
pub enum mitt_code {
    /// The function did what its description says.
    MITT_OK = 0,
    /// No tool has this name; the hints name the nearest ones.
    MITT_UNKNOWN_TOOL = 1,
    /// Arguments of a call do not fit the interface of the tool, or options have unknown keys or values of a wrong type.
    MITT_ARGUMENTS = 2,
    /// A capability or an action was not granted.
    MITT_DENIED = 3,
    /// A rule about content found something that must not leave.
    MITT_BLOCKED = 4,
    /// A limit was reached: `limit` of the error has its name, its value and what was used.
    MITT_LIMIT = 5,
    /// A plugin crashed.
    MITT_TRAP = 6,
    /// A plugin, a script or a tool of the caller reported an error of its own.
    MITT_PLUGIN = 7,
    /// A document, a file or a name from the caller is missing, damaged or of an unsupported type.
    MITT_INPUT = 8,
    /// A skill or a component cannot be loaded.
    MITT_LOAD = 9,
    /// The model failed.
    MITT_MODEL = 10,
    /// This build lacks the feature.
    MITT_DISABLED = 11,
    /// The call waits for a decision: `mitt_session_resume` continues it.
    MITT_PAUSED = 12,
    /// Too many calls run or wait; `retry_after_ms` of the error says when a place may be free.
    MITT_BUSY = 13,
    /// The cancel handle was set.
    MITT_CANCELLED = 14,
    /// The file system or the host itself failed.
    MITT_HOST = 15,
    /// A fault in Mitt itself, such as a panic. Please report it.
    MITT_INTERNAL = 16,
    /// The handle was never given out, was freed, or is one of another kind.
    MITT_INVALID_HANDLE = 32,
    /// A pointer is null that must not be.
    MITT_NULL_POINTER = 33,
    /// A text is not UTF-8.
    MITT_INVALID_UTF8 = 34,
    /// A text is not JSON, or not an object.
    MITT_INVALID_JSON = 35,
    /// The host was made by the parent of this process, before `fork`.
    MITT_FORKED = 36,
    /// A callback for events called a function that waits.
    MITT_REENTERED = 37,
}

/// All codes with their names.
const NAMES: [(mitt_code, &CStr); 23] = [
    (mitt_code::MITT_OK, c"ok"),
    (mitt_code::MITT_UNKNOWN_TOOL, c"unknown-tool"),
    (mitt_code::MITT_ARGUMENTS, c"arguments"),
    (mitt_code::MITT_DENIED, c"denied"),
    (mitt_code::MITT_BLOCKED, c"blocked"),
    (mitt_code::MITT_LIMIT, c"limit"),
    (mitt_code::MITT_TRAP, c"trap"),
    (mitt_code::MITT_PLUGIN, c"plugin"),
    (mitt_code::MITT_INPUT, c"input"),
    (mitt_code::MITT_LOAD, c"load"),
    (mitt_code::MITT_MODEL, c"model"),
    (mitt_code::MITT_DISABLED, c"disabled"),
    (mitt_code::MITT_PAUSED, c"paused"),
    (mitt_code::MITT_BUSY, c"busy"),
    (mitt_code::MITT_CANCELLED, c"cancelled"),
    (mitt_code::MITT_HOST, c"host"),
    (mitt_code::MITT_INTERNAL, c"internal"),
    (mitt_code::MITT_INVALID_HANDLE, c"invalid-handle"),
    (mitt_code::MITT_NULL_POINTER, c"null-pointer"),
    (mitt_code::MITT_INVALID_UTF8, c"invalid-utf8"),
    (mitt_code::MITT_INVALID_JSON, c"invalid-json"),
    (mitt_code::MITT_FORKED, c"forked"),
    (mitt_code::MITT_REENTERED, c"reentered"),
];

impl mitt_code {
    /// Returns the code for an error of the library.
    pub(crate) fn of(error: &Error) -> mitt_code {
        match error.kind() {
            _ if error.is_bug() => mitt_code::MITT_INTERNAL,
            ErrorKind::UnknownTool => mitt_code::MITT_UNKNOWN_TOOL,
            ErrorKind::Arguments => mitt_code::MITT_ARGUMENTS,
            ErrorKind::Denied => mitt_code::MITT_DENIED,
            ErrorKind::Blocked => mitt_code::MITT_BLOCKED,
            ErrorKind::Limit(_) => mitt_code::MITT_LIMIT,
            ErrorKind::Trap => mitt_code::MITT_TRAP,
            ErrorKind::Plugin => mitt_code::MITT_PLUGIN,
            ErrorKind::Input => mitt_code::MITT_INPUT,
            ErrorKind::Load => mitt_code::MITT_LOAD,
            ErrorKind::Model => mitt_code::MITT_MODEL,
            ErrorKind::Disabled(_) => mitt_code::MITT_DISABLED,
            ErrorKind::Paused => mitt_code::MITT_PAUSED,
            ErrorKind::Busy { .. } => mitt_code::MITT_BUSY,
            ErrorKind::Cancelled => mitt_code::MITT_CANCELLED,
            _ => mitt_code::MITT_HOST,
        }
    }

    /// Returns the name of the code, as in the JSON of errors.
    pub(crate) fn name(self) -> &'static CStr {
        mitt_code::name_of(self as i32)
    }

    /// Returns the name of the code with this number; `unknown` for a number that is none.
    pub(crate) fn name_of(number: i32) -> &'static CStr {
        let found = NAMES.iter().find(|(code, _)| *code as i32 == number);
        found.map_or(c"unknown", |(_, name)| name)
    }
}
