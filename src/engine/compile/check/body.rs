//! Check of one function: validates it and estimates the cost of compiling it, in one pass over its operators.
//!
//! The size in bytes says little about the cost of compilation: a call that is encoded in two bytes can move hundreds of values,
//! and a value that lives across many branches costs time at each of them. So two other numbers are counted, work and area, which
//! `bounds.rs` explains.

use wasmparser::{
    BlockType, FrameKind, FuncToValidate, FuncValidator, FuncValidatorAllocations, FunctionBody,
    ModuleArity as _, Operator, WasmModuleResources,
};

use super::Stopped;
use super::bounds::{self, Bound};

/// Cost of compiling a function.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cost {
    pub(super) bytes: u64,
    /// Number of operators and of the values that they move.
    pub(super) work: u64,
    /// Largest number of live values, times branches and calls.
    pub(super) area: u64,
}

/// Validates a function, checks its bounds, and returns its cost.
pub(super) fn check<R: WasmModuleResources>(
    function: FuncToValidate<R>,
    body: &FunctionBody<'_>,
    allocations: &mut FuncValidatorAllocations,
) -> Result<Cost, Stopped> {
    let index = function.index;
    let at = |stopped: Stopped| stopped.at(format!("function {index}"));
    let bytes = body.as_bytes().len() as u64;
    within(bounds::BODY_BYTES, bytes).map_err(at)?;
    let features = function.features;
    let mut meter = Meter::new(function.into_validator(std::mem::take(allocations)));
    let mut reader = body.get_binary_reader();
    reader.set_features(features);
    meter.validator.read_locals(&mut reader)?;
    meter.locals = u64::from(meter.validator.len_locals());
    within(bounds::LOCALS, meter.locals).map_err(at)?;
    meter.work = meter.locals;
    let mut operators = wasmparser::OperatorsReader::new(reader);
    while !operators.eof() {
        let offset = operators.original_position();
        let operator = operators.read()?;
        meter.operator(&operator).map_err(at)?;
        meter.validator.op(offset, &operator)?;
        meter.height = meter.height.max(u64::from(meter.validator.operand_stack_height()));
    }
    operators.finish()?;
    let cost = Cost { bytes, work: meter.work, area: meter.area() };
    within(bounds::BRANCHES, meter.branches).map_err(at)?;
    within(bounds::BODY_AREA, cost.area).map_err(at)?;
    *allocations = meter.validator.into_allocations();
    Ok(cost)
}

/// Checks that `value` is within a bound.
pub(super) fn within(bound: Bound, value: u64) -> Result<(), Stopped> {
    #[cfg(test)]
    super::tests::seen(bound, value);
    if value > bound.most { Err(Stopped::over(bound, value)) } else { Ok(()) }
}

/// This many branches make each branch as expensive as one more live value does; measured.
const BRANCHES_PER_VALUE: u64 = 32;

struct Meter<R> {
    validator: FuncValidator<R>,
    locals: u64,
    work: u64,
    /// Number of places where control flow splits or joins, and of calls, across which values live.
    branches: u64,
    height: u64,
    /// For each open block, whether it is a loop; and the number of loops.
    open: Vec<bool>,
    loops: u64,
}

impl<R: WasmModuleResources> Meter<R> {
    fn new(validator: FuncValidator<R>) -> Meter<R> {
        Meter { validator, locals: 0, work: 0, branches: 1, height: 0, open: Vec::new(), loops: 0 }
    }

    fn area(&self) -> u64 {
        // Even without live values, a branch costs more in a function with many branches.
        let live = self.locals + self.height + self.branches / BRANCHES_PER_VALUE;
        live.saturating_mul(self.branches)
    }

    /// Counts an operator before it is validated. One that does not exist counts nothing and is refused right after.
    fn operator(&mut self, operator: &Operator<'_>) -> Result<(), Stopped> {
        let (branches, moved) = match operator {
            Operator::Block { blockty } | Operator::If { blockty } | Operator::Loop { blockty } => {
                within(bounds::NESTING, u64::from(self.validator.control_stack_height()))?;
                let is_loop = matches!(operator, Operator::Loop { .. });
                self.open.push(is_loop);
                self.loops += u64::from(is_loop);
                within(bounds::LOOP_NESTING, self.loops)?;
                (1, self.block(*blockty))
            }
            Operator::End => {
                self.loops -= u64::from(self.open.pop() == Some(true));
                (1, 0)
            }
            Operator::Else => (1, 0),
            Operator::Br { relative_depth } | Operator::BrIf { relative_depth } => {
                (1, self.label(*relative_depth))
            }
            Operator::BrTable { targets } => {
                let n = u64::from(targets.len()) + 1;
                within(bounds::BR_TABLE, n - 1)?;
                let moved = self.label(targets.default());
                // All targets of a table take the same values.
                (n, n.saturating_mul(1 + moved))
            }
            Operator::Return => (1, self.label(self.outermost())),
            Operator::Call { function_index } => {
                let ty = self.validator.resources().type_index_of_function(*function_index);
                (1, 2 + ty.map_or(0, |ty| self.signature(ty)))
            }
            Operator::CallIndirect { type_index, .. } => (3, 16 + self.signature(*type_index)),
            // Each is a call of host code.
            Operator::MemoryGrow { .. }
            | Operator::MemoryCopy { .. }
            | Operator::MemoryFill { .. }
            | Operator::MemoryInit { .. }
            | Operator::TableGrow { .. }
            | Operator::TableCopy { .. }
            | Operator::TableFill { .. }
            | Operator::TableInit { .. } => (1, 8),
            // Initialised lazily: a comparison, a call of host code, and a join.
            Operator::TableGet { .. } | Operator::TableSet { .. } | Operator::RefFunc { .. } => {
                (3, 8)
            }
            _ => (0, 0),
        };
        self.branches += branches;
        self.work = self.work.saturating_add(1 + moved);
        within(bounds::BODY_WORK, self.work)
    }

    fn outermost(&self) -> u32 {
        self.validator.control_stack_height().saturating_sub(1)
    }

    /// Returns the number of values that a jump to the label moves.
    fn label(&self, depth: u32) -> u64 {
        let Some((ty, kind)) = self.validator.label_block(depth) else { return 0 };
        let Some((params, results)) = self.validator.block_type_arity(ty) else { return 0 };
        u64::from(if kind == FrameKind::Loop { params } else { results })
    }

    fn block(&self, ty: BlockType) -> u64 {
        let (params, results) = self.validator.block_type_arity(ty).unwrap_or_default();
        u64::from(params) + u64::from(results)
    }

    fn signature(&self, ty: u32) -> u64 {
        self.block(BlockType::FuncType(ty))
    }
}
