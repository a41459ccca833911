//! Bounds on the size and complexity of components, part by part. This file holds only the numbers; `walk.rs` and `body.rs`
//! count.
//!
//! Everything is counted before Cranelift or the reader of interfaces sees the component. The documentation of each bound
//! compares it with the largest known components: CPython (`python`, 25 MB, 14 core modules) and monty (`python-lite`, 11 MB of
//! Rust). A test checks that no bundled component uses more than half of any bound.
//!
//! Cranelift's time and memory depend on the area of a function more than on its size. The test
//! `the_worst_that_is_allowed_compiles_in_time` describes the worst known component within these bounds.

pub(super) use crate::compiler::Bound;
use mitt_base::limits::MIB;

const fn bound(name: &'static str, what: &'static str, most: u64) -> Bound {
    Bound { name, what, most }
}

// One function. Cranelift's time and memory grow faster than its size, so one large function costs more than many small ones.

/// Code size of a function. The largest in CPython has 427 kB of plain code, which compiles in a second.
pub(crate) const BODY_BYTES: Bound = bound("body-bytes", "bytes of code", 1024 * 1024);
/// Operators of a function, where an operator that moves many values counts once for each: a call of a function with 100 results
/// has two bytes. The largest in CPython has 167 000.
pub(crate) const BODY_WORK: Bound =
    bound("body-work", "units of work (operators and the values that they move)", 400_000);
/// Values that may live at once (locals, parameters, operand stack), plus one for every 32 branches, times the places where
/// control flow splits or joins. Register allocation covers this area. The largest in CPython has 8.6 million. The worst known
/// cost is a third of a second per million.
pub(crate) const BODY_AREA: Bound = bound("body-area", "live values times branches", 18_000_000);
/// Parameters and locals of a function. monty has at most 976.
pub(crate) const LOCALS: Bound = bound("locals", "locals", 10_000);
/// Targets of one `br_table`. CPython has at most 3 202.
pub(crate) const BR_TABLE: Bound = bound("br-table", "targets of a `br_table`", 8_192);
/// Nesting depth of blocks. A C `switch` or a Rust `match` makes one for each case; monty has at most 1 034.
pub(crate) const NESTING: Bound = bound("nesting", "blocks in one another", 4_096);
/// Nesting depth of loops. Each loop processes every value that lives across an inner one, so 3 000 levels take minutes. The
/// deepest known has 7.
pub(crate) const LOOP_NESTING: Bound = bound("loop-nesting", "loops in one another", 64);
/// Places where control flow splits or joins, and calls. The largest function of CPython has 16 512.
pub(crate) const BRANCHES: Bound =
    bound("branches", "branches, blocks and calls of a function", 40_000);
/// Parameters and results of a function type together. monty has at most 24.
pub(crate) const TYPE_VALUES: Bound =
    bound("type-values", "parameters and results of a function type", 256);

// One core module.

/// Functions of a module, including imported ones. The largest module of CPython has 10 878.
pub(crate) const FUNCTIONS: Bound = bound("functions", "functions", 32_768);
/// Types of a module. CPython has at most 396.
pub(crate) const TYPES: Bound = bound("types", "types", 16_384);
/// Globals of a module, including imported ones; an instance keeps 16 bytes for each. CPython has at most 708.
pub(crate) const GLOBALS: Bound = bound("globals", "globals", 32_768);
/// Tables of a module. All known modules have one.
pub(crate) const TABLES: Bound = bound("tables", "tables", 16);
/// Initial elements of a module's tables; the initial content of a table is laid out ahead of time. CPython has 5 684.
pub(crate) const TABLE_ELEMENTS: Bound =
    bound("table-elements", "elements of tables at the start", 262_144);
/// Memories of a module. All known modules have one.
pub(crate) const MEMORIES: Bound = bound("memories", "memories", 16);
/// Data segments of a module. monty, whose heap is a snapshot, has 10 002.
pub(crate) const DATA_SEGMENTS: Bound = bound("data-segments", "data segments", 65_536);
/// Element segments of a module. CPython has 2.
pub(crate) const ELEMENT_SEGMENTS: Bound = bound("element-segments", "element segments", 4_096);
/// Items of all element segments of a module. CPython has 4 955.
pub(crate) const ELEMENT_ITEMS: Bound =
    bound("element-items", "items of element segments", 131_072);
/// Operators of all constant expressions of a module: those that are not plain constants become code of one function. monty has
/// 10 025, because its snapshot has many data segments.
pub(crate) const CONSTANTS: Bound =
    bound("constants", "operators of constant expressions", 131_072);
/// Imports of a module, and its exports, each. CPython has 1 857.
pub(crate) const CORE_NAMES: Bound = bound("core-names", "imports or exports", 32_768);

// The whole component.

/// Code of all functions, in bytes. monty has 8.1 MB.
pub(crate) const ALL_BODY_BYTES: Bound =
    bound("all-body-bytes", "bytes of code in all functions", 24 * MIB);
/// Work of all functions, see [`BODY_WORK`]. monty has 4.1 million.
pub(crate) const ALL_WORK: Bound = bound("all-work", "units of work in all functions", 10_000_000);
/// Area of all functions, see [`BODY_AREA`]. CPython has 35 million.
pub(crate) const ALL_AREA: Bound =
    bound("all-area", "live values times branches in all functions", 80_000_000);
/// Functions of all modules. Each costs a tenth of a millisecond and some kilobytes, however small it is. CPython has 13 381.
pub(crate) const ALL_FUNCTIONS: Bound = bound("all-functions", "functions in all modules", 40_000);
/// Initial content of all memories, including gaps between data segments, since it is laid out as a whole. CPython has 28 MB.
pub(crate) const IMAGE_BYTES: Bound = bound(
    "image-bytes",
    "bytes from the first to the last data segment of all memories",
    128 * MIB,
);
/// Core modules, including adapters that tools add. CPython has 14.
pub(crate) const MODULES: Bound = bound("modules", "core modules", 256);
/// Components inside the component. Tools make one for each exported interface.
pub(crate) const COMPONENTS: Bound = bound("components", "components", 256);
/// Nesting depth of components.
pub(crate) const COMPONENT_DEPTH: Bound = bound("component-depth", "components in one another", 16);
/// Core instances that the component creates. Those of an inner component count each time it is instantiated: sixteen components
/// that each instantiate the previous one twice make 65 536, all of which are written out ahead of time. CPython has 14.
pub(crate) const CORE_INSTANCES: Bound = bound("core-instances", "core instances", 512);
/// Instances of inner components, counted in the same way.
pub(crate) const COMPONENT_INSTANCES: Bound =
    bound("component-instances", "component instances", 1_024);
/// Definitions of the component model (types, aliases, canonical functions, instances, imports, exports) that are instantiated,
/// counted in the same way. CPython has 3 269.
pub(crate) const DEFINITIONS: Bound =
    bound("definitions", "definitions of the component model", 65_536);
/// Fields, cases, parameters and names of all interface types together. CPython has 1 901.
pub(crate) const TYPE_PARTS: Bound = bound("type-parts", "parts of interface types", 65_536);
/// Fields or cases of one interface type, whose code is generated in one piece. The widest known, in WASI, has 37.
pub(crate) const TYPE_WIDTH: Bound =
    bound("type-width", "fields, cases or parameters of one interface type", 2_048);

/// All bounds, in the order in which they are printed.
pub const ALL: [Bound; 33] = [
    BODY_BYTES,
    BODY_WORK,
    BODY_AREA,
    LOCALS,
    BR_TABLE,
    NESTING,
    LOOP_NESTING,
    BRANCHES,
    TYPE_VALUES,
    FUNCTIONS,
    TYPES,
    GLOBALS,
    TABLES,
    TABLE_ELEMENTS,
    MEMORIES,
    DATA_SEGMENTS,
    ELEMENT_SEGMENTS,
    ELEMENT_ITEMS,
    CONSTANTS,
    CORE_NAMES,
    ALL_BODY_BYTES,
    ALL_WORK,
    ALL_AREA,
    ALL_FUNCTIONS,
    IMAGE_BYTES,
    MODULES,
    COMPONENTS,
    COMPONENT_DEPTH,
    CORE_INSTANCES,
    COMPONENT_INSTANCES,
    DEFINITIONS,
    TYPE_PARTS,
    TYPE_WIDTH,
];
