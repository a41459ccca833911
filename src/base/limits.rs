//! All limits of Mitt, with their defaults and the reasons for them.
//!
//! This file holds only numbers. The documentation of a limit says where it is enforced.

use std::time::Duration;

/// Longest text of a number, in bytes, which is what `decimal` of the WIT contract allows.
pub const MAX_NUMBER_LENGTH: usize = 64;

/// One kibibyte.
pub const KIB: u64 = 1024;
/// One mebibyte.
pub const MIB: u64 = 1024 * KIB;

/// One gibibyte.
pub const GIB: u64 = 1024 * MIB;

/// Characters of standard output, and as many of standard error, that the answer to a script keeps. Longer output is cut and
/// marked with `\n[SYSTEM: TRUNCATED]`.
pub const SCRIPT_OUTPUT_CHARACTERS: u64 = 32_768;
/// Size up to which the whole standard output, and the whole standard error, is kept in the session's workspace, in bytes.
/// Longer output is not kept whole anywhere. 8 MiB, so that many scripts at once do not fill the host's memory with output
/// that nobody reads.
pub const SCRIPT_WHOLE_OUTPUT_BYTES: u64 = 8 * MIB;

/// Limits of one call, which bound what its fresh store may use.
///
/// [`CallLimits::default`] is the safe setting; [`CallLimits::lowered_by`] narrows it. Reaching a limit ends the store with
/// [`ErrorKind::Limit`](crate::ErrorKind::Limit).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// Wall-clock time, including host functions. Default 30 s.
    pub time: Duration,
    /// Fuel, about one unit per WebAssembly instruction; 4 billion are about a second of CPU. Default 10 billion.
    pub fuel: u64,
    /// Size of all linear memories of the store together, in bytes. Default 128 MiB.
    pub memory_bytes: u64,
    /// Elements of all tables of the store together. Default 100 000.
    pub table_elements: u64,
    /// Core instances, memories and tables of the store, each counted separately. Default 64: a component made from one Rust
    /// or Python program has fewer than ten.
    pub instances: u64,
    /// Resource handles of the guest and the host. Default 1 024.
    pub handles: u64,
    /// Standard output, standard error and log messages together, in bytes, counted while they are produced.
    /// Default 64 KiB.
    pub output_bytes: u64,
    /// Bytes that the guest may hand to the host in one host call or as its result. Default 64 MiB, as much as one
    /// artifact.
    pub transfer_bytes: u64,
}

impl Default for CallLimits {
    fn default() -> CallLimits {
        CallLimits {
            time: Duration::from_secs(30),
            fuel: 10_000_000_000,
            memory_bytes: 128 * MIB,
            table_elements: 100_000,
            instances: 64,
            handles: 1_024,
            output_bytes: 64 * KIB,
            transfer_bytes: 64 * MIB,
        }
    }
}

impl CallLimits {
    /// Limits of a reader plugin: 512 MiB, 60 s, 100 billion units of fuel, 65 536 handles for each file.
    pub fn reader() -> CallLimits {
        CallLimits {
            time: Duration::from_secs(60),
            fuel: 100_000_000_000,
            memory_bytes: 512 * MIB,
            transfer_bytes: 256 * MIB,
            // A reader makes a handle for each table of a file.
            handles: 65_536,
            ..CallLimits::default()
        }
    }

    /// Returns these limits of a reader, adapted to a file of `bytes` bytes. An operator may allow larger files than the
    /// default of [`SessionLimits::document_bytes`]; the reader's memory and the size of its result then grow by four bytes
    /// for each byte above that default.
    #[must_use]
    pub fn for_file(&self, bytes: u64) -> CallLimits {
        let more = bytes.saturating_sub(SessionLimits::default().document_bytes).saturating_mul(4);
        CallLimits {
            memory_bytes: self.memory_bytes.saturating_add(more),
            transfer_bytes: self.transfer_bytes.saturating_add(more),
            ..self.clone()
        }
    }

    /// Limits of a script: 30 s including the tools that it calls, 40 billion units of fuel, 256 MiB.
    pub fn script() -> CallLimits {
        CallLimits {
            time: Duration::from_secs(30),
            fuel: 40_000_000_000,
            memory_bytes: 256 * MIB,
            ..CallLimits::default()
        }
    }

    /// Returns these limits, each lowered to the one of `other` if that is lower.
    #[must_use]
    pub fn lowered_by(&self, other: &CallLimits) -> CallLimits {
        CallLimits {
            time: self.time.min(other.time),
            fuel: self.fuel.min(other.fuel),
            memory_bytes: self.memory_bytes.min(other.memory_bytes),
            table_elements: self.table_elements.min(other.table_elements),
            instances: self.instances.min(other.instances),
            handles: self.handles.min(other.handles),
            output_bytes: self.output_bytes.min(other.output_bytes),
            transfer_bytes: self.transfer_bytes.min(other.transfer_bytes),
        }
    }
}

/// Limits on reading one document together with all files nested in it: attachments of a mail, entries of an archive, files
/// in a PDF. Each nested file has the limits of its reader too. Files for which these limits do not suffice are left out
/// with a warning that names them; files read before stay.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartsLimits {
    /// Time for reading, not counting the wait for a place. Recognising text in pictures has a separate budget, which all
    /// files share too. Default 120 s, twice the time of a single file.
    pub time: Duration,
    /// Fuel of all readers together. Default 200 billion, twice the fuel of a single file.
    pub fuel: u64,
    /// Size of all nested files, unpacked, in bytes; a file counts again at each level of nesting. Default 256 MiB, twice
    /// what one archive may unpack to.
    pub bytes: u64,
    /// Nested files, including those that cannot be read. Default 1 000, as many as the documents of a session.
    pub files: u64,
}

impl Default for PartsLimits {
    fn default() -> PartsLimits {
        PartsLimits {
            time: Duration::from_secs(120),
            fuel: 200_000_000_000,
            bytes: 256 * MIB,
            files: 1_000,
        }
    }
}

/// Limits of a session and of the data that enters and leaves it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SessionLimits {
    /// Size of a call's arguments as JSON, in bytes. Default 1 MiB. Enforced before the JSON is parsed.
    pub arguments_bytes: u64,
    /// Nesting of a call's arguments. Default 64 levels. Enforced while parsing.
    pub arguments_depth: u64,
    /// Size of the arguments of a call made by a plugin, in bytes. Default 16 MiB: a script hands on whole tables,
    /// which no model wrote token by token.
    pub nested_arguments_bytes: u64,
    /// Calls that one script may make. Default 1 000.
    pub tool_calls: u64,
    /// Calls within calls. Default 4 levels.
    pub call_depth: u64,
    /// Live resource handles of all skills together. Default 1 024, as many as one store may have. If the session has as
    /// many, the next call is refused before it runs; a result that would exceed the limit ends its store.
    pub handles: u64,
    /// Size of one artifact, in bytes. Default 64 MiB.
    pub artifact_bytes: u64,
    /// Size of all artifacts together, in bytes, including those of calls that still run. Default 256 MiB.
    pub artifacts_bytes: u64,
    /// Artifacts, including those of calls that still run. Default 1 024.
    pub artifact_files: u64,
    /// Size of the workspace, in bytes. Default 64 MiB.
    pub workspace_bytes: u64,
    /// Files in the workspace. Default 256.
    pub workspace_files: u64,
    /// Size of one input file, in bytes. Default 64 MiB. A host that allows more needs more memory:
    /// [`MemoryLimits::for_files`].
    pub document_bytes: u64,
    /// Memory of all documents together as they are kept, in bytes. The texts and cells may be a thousand times as large as
    /// the file that they came from. Default 512 MiB.
    pub documents_bytes: u64,
    /// Documents. Default 1 000, because lists of documents are always complete.
    pub documents: u64,
    /// Limits on a document together with the files nested in it.
    pub parts: PartsLimits,
    /// Characters of a document's text that are kept; a model reads it by outline, search and range. Longer text is cut off,
    /// with a warning. Default 10 000 000.
    pub document_characters: u64,
    /// Characters of text for a document that is one table: its first rows, as Markdown. The table itself is complete.
    /// Default 100 000.
    pub table_characters: u64,
    /// Characters of one tool result that a model gets. A longer result is cut, and `\n[SYSTEM: TRUNCATED]` is followed by
    /// how much is missing. Default 32 000.
    pub result_characters: u64,
    /// Turns of a model in one run. Default 50.
    pub model_turns: u64,
    /// Size of the journal file, in bytes. Further entries are counted but not written, and the session continues. Default
    /// 64 MiB, which is as much as is read back.
    pub journal_bytes: u64,
}

impl Default for SessionLimits {
    fn default() -> SessionLimits {
        SessionLimits {
            arguments_bytes: MIB,
            arguments_depth: 64,
            nested_arguments_bytes: 16 * MIB,
            tool_calls: 1_000,
            call_depth: 4,
            handles: 1_024,
            artifact_bytes: 64 * MIB,
            artifacts_bytes: 256 * MIB,
            artifact_files: 1_024,
            workspace_bytes: 64 * MIB,
            workspace_files: 256,
            document_bytes: 64 * MIB,
            documents_bytes: 512 * MIB,
            documents: 1_000,
            parts: PartsLimits::default(),
            document_characters: 10_000_000,
            table_characters: 100_000,
            result_characters: 32_000,
            model_turns: 50,
            journal_bytes: 64 * MIB,
        }
    }
}

/// Limits of long work of the host itself, which does not yield to other tasks: rendering files and compiling components.
/// All of it passes one gate, in which tenants take turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockingLimits {
    /// Jobs of all tenants that run at once; there are at most as many threads or worker processes. At least 1. Default: the
    /// number of processors, but 2 to 8; more would only slow each other down.
    pub places: u64,
    /// Jobs of one tenant that run at once. At least 1. Default: one less than `places`, so that one is always left for
    /// another tenant.
    pub per_tenant: u64,
    /// Jobs of one tenant that wait for a place; further ones are refused as busy. Default 256.
    pub queue: u64,
    /// How long a job waits for a place before it is refused as busy. The wait does not count as time of its call. Default
    /// 60 s.
    pub wait: Duration,
    /// Wall-clock time of one rendering, in addition to the time of its call. Default 120 s. Enforced with a worker process;
    /// without one, a rendering ends the next time that it checks for cancellation.
    pub render_time: Duration,
    /// Memory of one rendering, in bytes. Default 1.5 GiB: the largest table that is accepted needs some 700 MB. Enforced on
    /// a worker process, where the operating system can do it.
    pub render_memory_bytes: u64,
    /// Wall-clock time of compiling one component. Default 5 min: CPython takes 12 s on two idle processors and a minute on
    /// busy ones. Enforced with a worker process.
    pub compile_time: Duration,
    /// Memory of compiling one component, in bytes. Default 2 GiB. Enforced on a worker process, where the operating system
    /// can do it.
    pub compile_memory_bytes: u64,
    /// How long a call waits for a component that is being compiled before the call is refused as busy. The compilation
    /// continues, and later calls profit from it. The wait does not count as time of the call. Default 2 min.
    pub load_wait: Duration,
}

impl Default for BlockingLimits {
    fn default() -> BlockingLimits {
        let places = (crate::processors::count() as u64).clamp(2, 8);
        BlockingLimits {
            places,
            per_tenant: places - 1,
            queue: 256,
            wait: Duration::from_secs(60),
            render_time: Duration::from_secs(120),
            render_memory_bytes: 1536 * MIB,
            compile_time: Duration::from_secs(300),
            compile_memory_bytes: 2048 * MIB,
            load_wait: Duration::from_secs(120),
        }
    }
}

/// Limits on the calls of a host that run or wait at once. A nested call runs in the place of the outermost one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcurrencyLimits {
    /// Calls of all tenants that run at once. At least 1. Default 64.
    pub total: u64,
    /// Calls of one tenant that run at once. At least 1. Default 16, so that one tenant cannot take every place.
    pub per_tenant: u64,
    /// Calls of one tenant that wait for a place. Further ones are refused as busy, with an estimate of when the waiting calls will
    /// have begun, from the rate of the last ones. Default 256; [`ConcurrencyLimits::patient`] has no bound.
    pub queue: u64,
    /// How long a call waits for a place before it is refused as busy. Default 10 s: a client that would have to wait longer
    /// has often gone.
    pub wait: Duration,
}

impl Default for ConcurrencyLimits {
    fn default() -> ConcurrencyLimits {
        ConcurrencyLimits { total: 64, per_tenant: 16, queue: 256, wait: Duration::from_secs(10) }
    }
}

impl ConcurrencyLimits {
    /// The defaults, except that no call is refused: each waits for its turn, however many wait and however long it takes.
    /// For programs that make all calls themselves and would only repeat a refused one. Do not use it for calls of
    /// strangers: waiting calls and their arguments stay in memory.
    pub fn patient() -> ConcurrencyLimits {
        ConcurrencyLimits { queue: u64::MAX, wait: Duration::MAX, ..ConcurrencyLimits::default() }
    }
}

/// The memory budget of the host: bounds on everything that callers can make grow. It covers the linear memories of stores,
/// including those of instances kept between calls; documents, workspaces, artifacts in memory and journals; the recorded
/// effects of paused scripts; and arguments and messages while they are processed.
///
/// A call that would exceed a limit ends with [`ErrorKind::Limit`](crate::ErrorKind::Limit), and the
/// [`Resource`](crate::Resource) names the account. If it is the account of the host, which other tenants fill too, the call
/// ends with [`ErrorKind::Busy`](crate::ErrorKind::Busy). Before a tenant is refused, the variables of its scripts that have
/// been idle the longest are dropped.
///
/// The numbers are fixed and do not depend on the machine: a limit that differs between machines is found only in
/// production.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    /// Bytes of one call, including nested calls. Default 768 MiB: a reader's 512 MiB, a file of 64 MiB, and the text and
    /// tables read from it.
    pub per_call: u64,
    /// Bytes of one session, including its calls. Default 1 GiB: full documents, a full workspace, and a script.
    pub per_session: u64,
    /// Bytes of all sessions of one tenant. Default 2 GiB, half of the host's.
    pub per_tenant: u64,
    /// Bytes of all tenants together. Default 4 GiB, which gives 64 calls at once 64 MiB each. Set more on a larger machine,
    /// and less on a small one: the process itself, its compiled plugins and its fonts take some 300 MiB on top.
    pub host: u64,
}

impl Default for MemoryLimits {
    fn default() -> MemoryLimits {
        MemoryLimits { per_call: 768 * MIB, per_session: GIB, per_tenant: 2 * GIB, host: 4 * GIB }
    }
}

impl MemoryLimits {
    /// Returns the limits for `host` bytes in all, in the proportions of the defaults: half of it for a tenant, a quarter
    /// for a session, three sixteenths for a call.
    #[must_use]
    pub fn of_host(host: u64) -> MemoryLimits {
        MemoryLimits { per_call: host / 16 * 3, per_session: host / 4, per_tenant: host / 2, host }
    }

    /// Returns these limits, each raised so that a file of `bytes` bytes can be read: by twelve bytes for each byte above
    /// the default of [`SessionLimits::document_bytes`]. A reader takes three times the size of a file, and its tables may
    /// take more.
    #[must_use]
    pub fn for_files(&self, bytes: u64) -> MemoryLimits {
        let more = bytes.saturating_sub(SessionLimits::default().document_bytes).saturating_mul(12);
        MemoryLimits {
            per_call: self.per_call.saturating_add(more),
            per_session: self.per_session.saturating_add(more),
            per_tenant: self.per_tenant.saturating_add(more),
            host: self.host.saturating_add(more),
        }
    }
}
