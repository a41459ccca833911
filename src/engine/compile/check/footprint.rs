//! Host memory that an instance takes, apart from its linear memories and the elements of its tables.
//!
//! wasmtime keeps a context for each core instance, with a slot for every global, function reference, import and passive element.
//! A module of 5 MB can have a million globals: 16 MB in each instance, which wasmtime reports to no limiter. The numbers are
//! those of wasmtime 48 on a 64-bit processor, rounded up. The test `what_is_charged_covers_what_is_used` compares them with the
//! actual use of the process.

use std::collections::BTreeMap;

/// Bytes of an empty core instance: its header, and entries in the store's lists.
const INSTANCE: u64 = 1_024;
/// Bytes of a memory or a table: its definition, its slot in the instance, and the host object behind it.
const MEMORY_OR_TABLE: u64 = 512;
/// Bytes of an imported function, memory, table or global: up to three pointers.
const IMPORT: u64 = 32;
/// Bytes of a global: enough for a vector.
const GLOBAL: u64 = 16;
/// Bytes of a function that can be referenced.
const FUNCTION_REFERENCE: u64 = 32;
/// Bytes of an item of a passive element segment, which every instance copies, and of a data segment.
const SEGMENT_ITEM: u64 = 16;
/// Bytes of a component instance: its header and flags.
const COMPONENT: u64 = 1_024;
/// Bytes of a definition in a component: lowered functions, resources, options.
const DEFINITION: u64 = 64;

/// Content of one instance of a module or component.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Footprint {
    /// Host memory, in bytes.
    pub(super) bytes: u64,
    pub(super) core_instances: u64,
    pub(super) component_instances: u64,
    /// Number of component-model definitions that instantiation processes.
    pub(super) definitions: u64,
}

impl Footprint {
    pub(super) fn add(&mut self, other: Footprint) {
        self.bytes = self.bytes.saturating_add(other.bytes);
        self.core_instances = self.core_instances.saturating_add(other.core_instances);
        self.component_instances =
            self.component_instances.saturating_add(other.component_instances);
        self.definitions = self.definitions.saturating_add(other.definitions);
    }

    /// Adds `n` definitions of the component itself.
    pub(super) fn define(&mut self, n: u64) {
        self.definitions = self.definitions.saturating_add(n);
        self.bytes = self.bytes.saturating_add(n.saturating_mul(DEFINITION));
    }

    /// Returns the footprint of an instance of a component that contains `inside`.
    pub(super) fn of_component(inside: Footprint) -> Footprint {
        Footprint {
            bytes: inside.bytes.saturating_add(COMPONENT),
            component_instances: inside.component_instances.saturating_add(1),
            ..inside
        }
    }
}

/// Contents of a core module.
#[derive(Clone, Debug, Default)]
pub(super) struct Module {
    /// Imports of all kinds.
    pub(super) imports: u64,
    pub(super) functions: u64,
    pub(super) types: u64,
    pub(super) globals: u64,
    pub(super) imported_globals: u64,
    pub(super) memories: u64,
    pub(super) tables: u64,
    pub(super) table_elements: u64,
    pub(super) exports: u64,
    pub(super) data_segments: u64,
    pub(super) element_segments: u64,
    pub(super) element_items: u64,
    /// Number of operators in constant expressions.
    pub(super) constants: u64,
    /// For each memory, the range that its active data segments cover, and their total size.
    pub(super) images: BTreeMap<u32, Image>,
}

/// Initial content of a memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    start: u64,
    end: u64,
    data: u64,
}

/// The initial content of a memory is stored as a whole, zeros included, up to this size; above it only if at least half of it is
/// data.
const SPARSE_IMAGE_BYTES: u64 = 16 * 1024 * 1024;

impl Module {
    /// Adds a data segment of a memory. If its offset is not a constant, it is not part of an image.
    pub(super) fn data(&mut self, memory: u32, offset: Option<u64>, bytes: u64) {
        let Some(start) = offset.filter(|_| bytes > 0) else { return };
        let end = start.saturating_add(bytes);
        let image = self.images.entry(memory).or_insert(Image { start, end, data: 0 });
        image.start = image.start.min(start);
        image.end = image.end.max(end);
        image.data = image.data.saturating_add(bytes);
    }

    /// Returns the bytes of the images of all memories, which are laid out ahead of time.
    pub(super) fn image_bytes(&self) -> u64 {
        let sizes = self.images.values().map(|image| {
            let span = image.end - image.start;
            let is_kept = span <= SPARSE_IMAGE_BYTES || span <= image.data.saturating_mul(2);
            if is_kept { span } else { 0 }
        });
        sizes.fold(0, u64::saturating_add)
    }

    /// Returns the footprint of one instance.
    pub(super) fn footprint(&self) -> Footprint {
        // Functions that can be referenced: at most as many as exist, and at most as many as there are places that name one.
        let named = self.exports + self.element_items + self.constants + self.imports;
        let references = self.functions.min(named);
        let bytes = [
            INSTANCE,
            MEMORY_OR_TABLE * (self.memories + self.tables),
            IMPORT * self.imports,
            GLOBAL * self.globals,
            FUNCTION_REFERENCE * references,
            SEGMENT_ITEM * (self.element_items + self.data_segments),
        ];
        Footprint { bytes: bytes.iter().sum(), core_instances: 1, ..Footprint::default() }
    }
}
