//! How much memory of the host an instance takes, apart from its linear memories and the elements of its tables.
//!
//! wasmtime keeps a context for each core instance, with a place for every global, function reference, import and passive
//! element. A module of 5 MB can have a million globals: 16 MB in each instance, of which wasmtime tells no limiter. The numbers
//! are those of wasmtime 48 on a 64-bit processor, rounded up. The test `what_is_charged_covers_what_is_used` compares them with
//! what the process really uses.

use std::collections::BTreeMap;

/// Of a core instance without anything, in bytes: its head, and the entries in the store's lists.
const INSTANCE: u64 = 1_024;
/// Of a memory or a table: its definition, its place in the instance, and the host's object behind it.
const MEMORY_OR_TABLE: u64 = 512;
/// Of an imported function, memory, table or global: up to three pointers.
const IMPORT: u64 = 32;
/// Of a global: large enough for a vector.
const GLOBAL: u64 = 16;
/// Of a function that can be referred to.
const FUNCTION_REFERENCE: u64 = 32;
/// Of an item of a passive element segment, which every instance has a copy of, and of a data segment.
const SEGMENT_ITEM: u64 = 16;
/// Of a component instance: its head and flags.
const COMPONENT: u64 = 1_024;
/// Of a definition of a component: lowered functions, resources, options.
const DEFINITION: u64 = 64;

/// What is instantiated where a module or component is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Footprint {
    /// Memory of the host, in bytes.
    pub(super) bytes: u64,
    pub(super) core_instances: u64,
    pub(super) component_instances: u64,
    /// Definitions of the component model that are gone through.
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

    /// A definition of the component itself.
    pub(super) fn define(&mut self, n: u64) {
        self.definitions = self.definitions.saturating_add(n);
        self.bytes = self.bytes.saturating_add(n.saturating_mul(DEFINITION));
    }

    /// Of an instance of a component that contains `inside`.
    pub(super) fn of_component(inside: Footprint) -> Footprint {
        Footprint {
            bytes: inside.bytes.saturating_add(COMPONENT),
            component_instances: inside.component_instances.saturating_add(1),
            ..inside
        }
    }
}

/// What a core module consists of.
#[derive(Clone, Debug, Default)]
pub(super) struct Module {
    /// Of all kinds.
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
    /// Operators of constant expressions.
    pub(super) constants: u64,
    /// By memory, from where to where its active data segments reach, and how many bytes they have.
    pub(super) images: BTreeMap<u32, Image>,
}

/// The first content of a memory.
#[derive(Clone, Copy, Debug)]
pub(super) struct Image {
    start: u64,
    end: u64,
    data: u64,
}

/// A memory's first content is kept as a whole, zeros included, up to this size; above it only if half of it is data.
const SPARSE_IMAGE_BYTES: u64 = 16 * 1024 * 1024;

impl Module {
    /// Take in a data segment of a memory. Where its place is not a plain number, it is no part of an image.
    pub(super) fn data(&mut self, memory: u32, offset: Option<u64>, bytes: u64) {
        let Some(start) = offset.filter(|_| bytes > 0) else { return };
        let end = start.saturating_add(bytes);
        let image = self.images.entry(memory).or_insert(Image { start, end, data: 0 });
        image.start = image.start.min(start);
        image.end = image.end.max(end);
        image.data = image.data.saturating_add(bytes);
    }

    /// Bytes of the images of all memories, which are laid out ahead of time.
    pub(super) fn image_bytes(&self) -> u64 {
        let sizes = self.images.values().map(|image| {
            let span = image.end - image.start;
            let is_kept = span <= SPARSE_IMAGE_BYTES || span <= image.data.saturating_mul(2);
            if is_kept { span } else { 0 }
        });
        sizes.fold(0, u64::saturating_add)
    }

    /// Of one instance.
    pub(super) fn footprint(&self) -> Footprint {
        // Functions that can be referred to: not more than there are, and not more than there are places that name one.
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
