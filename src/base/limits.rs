//! Every limit of Mitt, with its default and the reason for it.
//!
//! Only numbers are here. The documentation of a limit says where it is enforced.

use std::time::Duration;

/// Longest text of a number, in bytes: what `decimal` of the WIT contract allows.
pub const MAX_NUMBER_LENGTH: usize = 64;

/// One kibibyte.
pub const KIB: u64 = 1024;
/// One mebibyte.
pub const MIB: u64 = 1024 * KIB;

/// One gibibyte.
pub const GIB: u64 = 1024 * MIB;

/// Characters of standard output, and of standard error, that the answer of a script keeps each; what is over is cut and
/// marked `\n[SYSTEM: TRUNCATED]`.
pub const SCRIPT_OUTPUT_CHARACTERS: u64 = 32_768;
/// Bytes of standard output, and of standard error, of which the whole text is kept for the session's workspace; what is
/// longer is kept nowhere. 8 MiB, so that many scripts at once do not fill the host's memory with what none of them reads.
pub const SCRIPT_WHOLE_OUTPUT_BYTES: u64 = 8 * MIB;

/// Limits of one call: what a fresh store may use before it is ended.
///
/// [`CallLimits::default`] is the safe setting; [`CallLimits::lowered_by`] is how a caller narrows it. A limit that is
/// reached ends the store with [`ErrorKind::Limit`](crate::ErrorKind::Limit).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CallLimits {
    /// Wall clock, host functions included. Default 30 s.
    pub time: Duration,
    /// Fuel, about one unit per WebAssembly instruction; 4 billion are about a second of CPU. Default 10 billion.
    pub fuel: u64,
    /// All linear memories of the store together, in bytes. Default 128 MiB.
    pub memory_bytes: u64,
    /// All tables of the store together, in elements. Default 100 000.
    pub table_elements: u64,
    /// Core instances, memories and tables of the store, each. Default 64: a component made from one Rust or Python
    /// program has fewer than ten.
    pub instances: u64,
    /// Resource handles, those of the guest and those of the host. Default 1 024.
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
    /// Limits of a reader plugin: 512 MiB, 60 s, 100 billion fuel, 65 536 handles for each file.
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

    /// Returns these limits of a reader for a file of so many bytes. An operator may allow files that are larger than the default of
    /// [`SessionLimits::document_bytes`]; the memory of the reader and what it hands over then grow by four bytes for each byte above.
    #[must_use]
    pub fn for_file(&self, bytes: u64) -> CallLimits {
        let more = bytes.saturating_sub(SessionLimits::default().document_bytes).saturating_mul(4);
        CallLimits {
            memory_bytes: self.memory_bytes.saturating_add(more),
            transfer_bytes: self.transfer_bytes.saturating_add(more),
            ..self.clone()
        }
    }

    /// Limits of a script: 30 s with the tools that it calls, 40 billion fuel, 256 MiB.
    pub fn script() -> CallLimits {
        CallLimits {
            time: Duration::from_secs(30),
            fuel: 40_000_000_000,
            memory_bytes: 256 * MIB,
            ..CallLimits::default()
        }
    }

    /// These limits, each lowered to that of `other` where `other` is lower.
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

/// What reading one document may take, together with the files inside of it and the files inside of those: attachments of a
/// mail, entries of an archive, files in a PDF. Each of them has the limits of its reader too. What the limits do not suffice for is
/// left out with a warning that names it; what was read before stays.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PartsLimits {
    /// Time for reading, waiting for a place not counted. Recognising text in pictures has a time of its own, which all files
    /// share too. Default 120 s, twice that of a single file.
    pub time: Duration,
    /// Fuel of all readers together. Default 200 billion, twice that of a single file.
    pub fuel: u64,
    /// Size of all files inside, unpacked, in bytes; a file inside of a file inside counts again. Default 256 MiB, twice what one
    /// archive may unpack to.
    pub bytes: u64,
    /// Files inside, those that cannot be read included. Default 1 000, as many as a session has documents.
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

/// Limits of a session and of what crosses its edges.
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
    /// Live handles of resources, of all skills together. Default 1 024, as many as one store may have. Refused before the
    /// call where it is full; a result that holds too many ends its store.
    pub handles: u64,
    /// Size of one artifact, in bytes. Default 64 MiB.
    pub artifact_bytes: u64,
    /// Size of all artifacts together, in bytes, those of calls that still run included. Default 256 MiB.
    pub artifacts_bytes: u64,
    /// Artifacts, those of calls that still run included. Default 1 024.
    pub artifact_files: u64,
    /// Size of the workspace, in bytes. Default 64 MiB.
    pub workspace_bytes: u64,
    /// Files in the workspace. Default 256.
    pub workspace_files: u64,
    /// Size of one input file, in bytes. Default 64 MiB. A host that allows more needs more memory:
    /// [`MemoryLimits::for_files`].
    pub document_bytes: u64,
    /// Memory of all documents together, in bytes, as they are kept: texts and cells, which may be a thousand times as large
    /// as the file that they came from. Default 512 MiB.
    pub documents_bytes: u64,
    /// Documents. Default 1 000: every list of them is told whole.
    pub documents: u64,
    /// What a document and the files inside of it take together.
    pub parts: PartsLimits,
    /// Text of one document that is kept, in characters; a model reads it by outline, search and range. What is over is cut off and
    /// told. Default 10 000 000.
    pub document_characters: u64,
    /// Text of a document that is one table, in characters: its first rows, as Markdown. The table itself is whole. Default 100 000.
    pub table_characters: u64,
    /// Text of one tool result that a model is given, in characters. What is over is cut, and how much is missing is told
    /// behind `\n[SYSTEM: TRUNCATED]`. Default 32 000.
    pub result_characters: u64,
    /// Turns of a model in one run. Default 50.
    pub model_turns: u64,
    /// Size of the journal's file, in bytes; further entries are counted and not written, and the work goes on. Default
    /// 64 MiB, as much as is read of it again.
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

/// Limits of the work of the host itself that takes long and gives no way to others meanwhile: rendering files and compiling
/// components. All of it goes through one gate, in which tenants take turns.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BlockingLimits {
    /// Jobs that run at once, of all tenants together; as many threads, or worker processes, are there at most. At least 1.
    /// Default as many as processors, from 2 to 8: more would only make each of them slower.
    pub places: u64,
    /// Jobs that run at once, of one tenant. At least 1. Default one less than `places`, so that one is always left for
    /// somebody else.
    pub per_tenant: u64,
    /// Jobs of one tenant that wait for a place; what is over is refused as busy. Default 256.
    pub queue: u64,
    /// How long a job waits for a place before it is refused as busy. It is not counted as time of the call that waits.
    /// Default 60 s.
    pub wait: Duration,
    /// Wall clock of one rendering, beside the time of its call. Default 120 s. Enforced where there is a worker process;
    /// without one a rendering ends at its next look at whether it is still wanted.
    pub render_time: Duration,
    /// Memory of one rendering, in bytes. Default 1.5 GiB: the largest table that is taken needs some 700 MB. Enforced
    /// by the system on a worker process, where it can.
    pub render_memory_bytes: u64,
    /// Wall clock of the compilation of one component. Default 5 min: CPython takes 12 s on two processors, and a minute
    /// where they have other work. Enforced where there is a worker process.
    pub compile_time: Duration,
    /// Memory of the compilation of one component, in bytes. Default 2 GiB. Enforced by the system on a worker process,
    /// where it can.
    pub compile_memory_bytes: u64,
    /// How long whoever needs a component waits while it is compiled, before the call is refused as busy; the compilation
    /// goes on for the next one. It is not counted as time of the call. Default 2 min.
    pub load_wait: Duration,
}

impl Default for BlockingLimits {
    fn default() -> BlockingLimits {
        let processors = std::thread::available_parallelism().map_or(2, |n| n.get() as u64);
        let places = processors.clamp(2, 8);
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

/// How many calls of a host run and wait at once. A call inside another one runs in the place of the outermost.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConcurrencyLimits {
    /// Calls that run at once, of all tenants together. At least 1. Default 64.
    pub total: u64,
    /// Calls that run at once, of one tenant. At least 1. Default 16, so that one tenant cannot take every place.
    pub per_tenant: u64,
    /// Calls of one tenant that wait for a place; what is over is refused as busy, with the time in which those that wait will
    /// have begun at the rate of the last ones. Default 256; [`ConcurrencyLimits::patient`] has no bound.
    pub queue: u64,
    /// How long a call waits for a place before it is refused as busy. Default 10 s: a client that waits longer has
    /// often gone.
    pub wait: Duration,
}

impl Default for ConcurrencyLimits {
    fn default() -> ConcurrencyLimits {
        ConcurrencyLimits { total: 64, per_tenant: 16, queue: 256, wait: Duration::from_secs(10) }
    }
}

impl ConcurrencyLimits {
    /// As the default, but nothing is refused: each call waits until it is its turn, however many there are and however long
    /// that takes. For programs that make all calls themselves and would only make a refused one again. What waits is kept by
    /// whoever makes the call, its arguments too, so that strangers are better refused.
    pub fn patient() -> ConcurrencyLimits {
        ConcurrencyLimits { queue: u64::MAX, wait: Duration::MAX, ..ConcurrencyLimits::default() }
    }
}

/// The budget of memory on the host's side: what callers can make grow, together. Charged are the linear memories of stores,
/// those of instances that are kept between calls included; documents, the workspace, artifacts in memory, journals, what
/// paused scripts did; arguments and messages while they are worked on.
///
/// A call that would break a limit ends with [`ErrorKind::Limit`](crate::ErrorKind::Limit) and the
/// [`Resource`](crate::Resource) that names whose memory it is; where it is the host's, which others hold, with
/// [`ErrorKind::Busy`](crate::ErrorKind::Busy). Before a tenant is refused, variables of its scripts that were idle longest
/// are given up.
///
/// Fixed numbers and no shares of the machine: a limit that differs from machine to machine is found in production only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryLimits {
    /// One call, those inside of it included, in bytes. Default 768 MiB: a reader's 512 MiB, a file of 64 MiB, and what is
    /// read out of it.
    pub per_call: u64,
    /// One session, its calls included, in bytes. Default 1 GiB: full documents, a full workspace, and a script.
    pub per_session: u64,
    /// All sessions of one tenant, in bytes. Default 2 GiB, half of the host's.
    pub per_tenant: u64,
    /// All tenants together, in bytes. Default 4 GiB: 64 calls at once have as many mebibytes each. Name more where there is
    /// more, and less on a small machine: the process itself, its compiled plugins and fonts come on top, some 300 MiB.
    pub host: u64,
}

impl Default for MemoryLimits {
    fn default() -> MemoryLimits {
        MemoryLimits { per_call: 768 * MIB, per_session: GIB, per_tenant: 2 * GIB, host: 4 * GIB }
    }
}

impl MemoryLimits {
    /// With `host` bytes in all: a tenant gets half of it, a session a quarter, a call three sixteenths, as in the defaults.
    #[must_use]
    pub fn of_host(host: u64) -> MemoryLimits {
        MemoryLimits { per_call: host / 16 * 3, per_session: host / 4, per_tenant: host / 2, host }
    }

    /// Returns these limits, each raised so that a file of so many bytes can be read: by twelve bytes for each byte above the default of
    /// [`SessionLimits::document_bytes`]. A reader takes three times the size of a file, and its tables may take more.
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
