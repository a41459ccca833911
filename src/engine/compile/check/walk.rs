//! Walk over a component: validates and counts every section, including inner modules and components.
//!
//! To find out what will be instantiated, it follows every module and component to its definition. One that comes from outside
//! (imported, or exported by an instance) has no definition in the file. No linker of Mitt could provide it, so it is refused.

use wasmparser::{
    ComponentAlias, ComponentDefinedType, ComponentExternalKind, ComponentInstance,
    ComponentOuterAliasKind, ComponentType, ComponentTypeDeclaration, ComponentTypeRef, CoreType,
    ElementItems, Encoding, FuncValidatorAllocations, InstanceTypeDeclaration,
    ModuleTypeDeclaration, Payload, RecGroup, TableInit, TypeRef, ValidPayload, Validator,
};

use super::Stopped;
use super::body::{self, Cost, within};
use super::bounds;
use super::footprint::{Footprint, Module};

/// Position of the walk, and the counts so far.
#[derive(Default)]
pub(super) struct Walk {
    frames: Vec<Frame>,
    /// Footprint of the whole component, at the end of the walk.
    total: Footprint,
    modules: u64,
    components: u64,
    functions: u64,
    image_bytes: u64,
    cost: Cost,
    type_parts: u64,
    allocations: FuncValidatorAllocations,
}

enum Frame {
    /// Core module, and its number in the file.
    Module(u64, Module),
    Component(Component),
}

/// Component that is being walked.
#[derive(Default)]
struct Component {
    /// Module index space: the footprint of an instance of each.
    modules: Vec<Footprint>,
    /// Component index space: the footprint of an instance of each.
    components: Vec<Footprint>,
    /// Footprint of what an instance of this component instantiates.
    inside: Footprint,
}

const UNKNOWN_ORIGIN: &str = "a core module or component that is imported, or exported by an instance, cannot be instantiated here";

impl Walk {
    /// Returns the host memory that an instance of the component takes, in bytes.
    pub(super) fn instance_bytes(&self) -> u64 {
        self.total.bytes
    }

    /// Returns the core module that the walk is in.
    pub(super) fn place(&self) -> Option<String> {
        match self.frames.last()? {
            Frame::Module(number, _) => Some(format!("core module {number}")),
            Frame::Component(_) => None,
        }
    }

    /// Counts and validates the next part.
    pub(super) fn payload(
        &mut self,
        validator: &mut Validator,
        payload: Payload<'_>,
    ) -> Result<(), Stopped> {
        if let Payload::Version { encoding, .. } = &payload {
            self.begin(*encoding)?;
        }
        let is_end = matches!(payload, Payload::End(_));
        // Counted first, because the validator stores what it reads.
        match self.frames.last_mut() {
            Some(Frame::Module(_, module)) => count_module(module, &payload)?,
            Some(Frame::Component(_)) => self.count_component(&payload)?,
            None => {}
        }
        if let ValidPayload::Func(function, code) = validator.payload(&payload)? {
            self.function(function, &code)?;
        }
        if is_end {
            self.end()?;
        }
        Ok(())
    }

    fn begin(&mut self, encoding: Encoding) -> Result<(), Stopped> {
        let frame = match encoding {
            Encoding::Module => {
                self.modules += 1;
                within(bounds::MODULES, self.modules)?;
                Frame::Module(self.modules - 1, Module::default())
            }
            Encoding::Component => {
                self.components += 1;
                within(bounds::COMPONENTS, self.components)?;
                within(bounds::COMPONENT_DEPTH, self.frames.len() as u64)?;
                Frame::Component(Component::default())
            }
        };
        self.frames.push(frame);
        Ok(())
    }

    fn end(&mut self) -> Result<(), Stopped> {
        let footprint = match self.frames.pop() {
            Some(Frame::Module(_, module)) => {
                self.image_bytes = self.image_bytes.saturating_add(module.image_bytes());
                within(bounds::IMAGE_BYTES, self.image_bytes)?;
                if let Some(Frame::Component(outer)) = self.frames.last_mut() {
                    outer.modules.push(module.footprint());
                }
                return Ok(());
            }
            Some(Frame::Component(component)) => Footprint::of_component(component.inside),
            None => return Ok(()),
        };
        match self.frames.last_mut() {
            Some(Frame::Component(outer)) => outer.components.push(footprint),
            Some(Frame::Module(..)) => {}
            None => self.total = footprint,
        }
        Ok(())
    }

    fn function<R: wasmparser::WasmModuleResources>(
        &mut self,
        function: wasmparser::FuncToValidate<R>,
        code: &wasmparser::FunctionBody<'_>,
    ) -> Result<(), Stopped> {
        let cost = body::check(function, code, &mut self.allocations)?;
        self.functions += 1;
        self.cost.bytes = self.cost.bytes.saturating_add(cost.bytes);
        self.cost.work = self.cost.work.saturating_add(cost.work);
        self.cost.area = self.cost.area.saturating_add(cost.area);
        within(bounds::ALL_FUNCTIONS, self.functions)?;
        within(bounds::ALL_BODY_BYTES, self.cost.bytes)?;
        within(bounds::ALL_WORK, self.cost.work)?;
        within(bounds::ALL_AREA, self.cost.area)
    }

    fn component(&mut self) -> Option<&mut Component> {
        match self.frames.last_mut() {
            Some(Frame::Component(component)) => Some(component),
            _ => None,
        }
    }

    /// Returns the component `count` levels further out.
    fn outer(&self, count: u32) -> Option<&Component> {
        let depth = self.frames.len().checked_sub(1)?.checked_sub(count as usize)?;
        match self.frames.get(depth)? {
            Frame::Component(component) => Some(component),
            Frame::Module(..) => None,
        }
    }

    fn count_component(&mut self, payload: &Payload<'_>) -> Result<(), Stopped> {
        match payload {
            Payload::InstanceSection(section) => {
                for instance in section.clone() {
                    self.core_instance(&instance?)?;
                }
                self.define(section.count())?;
            }
            Payload::ComponentInstanceSection(section) => {
                for instance in section.clone() {
                    self.component_instance(&instance?)?;
                }
                self.define(section.count())?;
            }
            Payload::ComponentAliasSection(section) => {
                for alias in section.clone() {
                    self.alias(&alias?)?;
                }
                self.define(section.count())?;
            }
            Payload::ComponentImportSection(section) => {
                for import in section.clone() {
                    known_origin(&import?.ty)?;
                }
                self.define(section.count())?;
            }
            Payload::ComponentExportSection(section) => {
                for export in section.clone() {
                    let export = export?;
                    self.export(export.kind, export.index)?;
                }
                self.define(section.count())?;
            }
            Payload::ComponentCanonicalSection(section) => self.define(section.count())?,
            Payload::ComponentTypeSection(section) => {
                self.define(section.count())?;
                for ty in section.clone() {
                    self.interface_type(&ty?)?;
                }
            }
            Payload::CoreTypeSection(section) => {
                self.define(section.count())?;
                for ty in section.clone() {
                    self.core_type(&ty?)?;
                }
            }
            _ => {}
        }
        Ok(())
    }

    fn define(&mut self, n: u32) -> Result<(), Stopped> {
        let Some(component) = self.component() else { return Ok(()) };
        component.inside.define(u64::from(n));
        bounded(&component.inside)
    }

    fn core_instance(&mut self, instance: &wasmparser::Instance<'_>) -> Result<(), Stopped> {
        let Some(component) = self.component() else { return Ok(()) };
        match instance {
            wasmparser::Instance::Instantiate { module_index, args } => {
                // The validator refuses an index that does not exist, right after this.
                let module = component.modules.get(*module_index as usize).copied();
                component.inside.add(module.unwrap_or_default());
                component.inside.define(args.len() as u64);
            }
            wasmparser::Instance::FromExports(exports) => {
                component.inside.define(exports.len() as u64);
            }
        }
        bounded(&component.inside)
    }

    fn component_instance(&mut self, instance: &ComponentInstance<'_>) -> Result<(), Stopped> {
        let Some(component) = self.component() else { return Ok(()) };
        match instance {
            ComponentInstance::Instantiate { component_index, args } => {
                let inner = component.components.get(*component_index as usize).copied();
                component.inside.add(inner.unwrap_or_default());
                component.inside.define(args.len() as u64);
            }
            ComponentInstance::FromExports(exports) => {
                component.inside.define(exports.len() as u64);
            }
        }
        bounded(&component.inside)
    }

    fn alias(&mut self, alias: &ComponentAlias<'_>) -> Result<(), Stopped> {
        match alias {
            ComponentAlias::InstanceExport {
                kind: ComponentExternalKind::Module | ComponentExternalKind::Component,
                ..
            } => Err(Stopped::Unsupported(UNKNOWN_ORIGIN)),
            ComponentAlias::Outer { kind, count, index } => {
                let (index, outer) = (*index as usize, self.outer(*count));
                match kind {
                    ComponentOuterAliasKind::CoreModule => {
                        let module = outer.and_then(|outer| outer.modules.get(index)).copied();
                        if let Some(component) = self.component() {
                            component.modules.push(module.unwrap_or_default());
                        }
                    }
                    ComponentOuterAliasKind::Component => {
                        let inner = outer.and_then(|outer| outer.components.get(index)).copied();
                        if let Some(component) = self.component() {
                            component.components.push(inner.unwrap_or_default());
                        }
                    }
                    ComponentOuterAliasKind::CoreType | ComponentOuterAliasKind::Type => {}
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    /// An export gives the exported item an additional index.
    fn export(&mut self, kind: ComponentExternalKind, index: u32) -> Result<(), Stopped> {
        let Some(component) = self.component() else { return Ok(()) };
        match kind {
            ComponentExternalKind::Module => {
                let module = component.modules.get(index as usize).copied();
                component.modules.push(module.unwrap_or_default());
            }
            ComponentExternalKind::Component => {
                let inner = component.components.get(index as usize).copied();
                component.components.push(inner.unwrap_or_default());
            }
            _ => {}
        }
        Ok(())
    }

    fn parts(&mut self, n: usize) -> Result<(), Stopped> {
        within(bounds::TYPE_WIDTH, n as u64)?;
        self.type_parts = self.type_parts.saturating_add(1 + n as u64);
        within(bounds::TYPE_PARTS, self.type_parts)
    }

    /// Types are nested no deeper than the section reader allows, which has read them already.
    fn interface_type(&mut self, ty: &ComponentType<'_>) -> Result<(), Stopped> {
        match ty {
            ComponentType::Defined(defined) => self.parts(match defined {
                ComponentDefinedType::Record(fields) => fields.len(),
                ComponentDefinedType::Variant(cases) => cases.len(),
                ComponentDefinedType::Tuple(types) => types.len(),
                ComponentDefinedType::Flags(names) | ComponentDefinedType::Enum(names) => {
                    names.len()
                }
                _ => 2,
            }),
            ComponentType::Func(function) => self.parts(function.params.len() + 1),
            ComponentType::Resource { .. } => self.parts(1),
            ComponentType::Instance(declarations) => {
                for declaration in declarations {
                    match declaration {
                        InstanceTypeDeclaration::CoreType(ty) => self.core_type(ty)?,
                        InstanceTypeDeclaration::Type(ty) => self.interface_type(ty)?,
                        _ => self.parts(1)?,
                    }
                }
                Ok(())
            }
            ComponentType::Component(declarations) => {
                for declaration in declarations {
                    match declaration {
                        ComponentTypeDeclaration::CoreType(ty) => self.core_type(ty)?,
                        ComponentTypeDeclaration::Type(ty) => self.interface_type(ty)?,
                        _ => self.parts(1)?,
                    }
                }
                Ok(())
            }
        }
    }

    fn core_type(&mut self, ty: &CoreType<'_>) -> Result<(), Stopped> {
        match ty {
            CoreType::Rec(group) => {
                function_types(group)?;
                self.parts(group.types().len())
            }
            CoreType::Module(declarations) => {
                for declaration in declarations {
                    if let ModuleTypeDeclaration::Type(group) = declaration {
                        function_types(group)?;
                    }
                    self.parts(1)?;
                }
                Ok(())
            }
        }
    }
}

/// Checks that what an instance instantiates, including all inner components, is within the bounds.
fn bounded(inside: &Footprint) -> Result<(), Stopped> {
    within(bounds::CORE_INSTANCES, inside.core_instances)?;
    within(bounds::COMPONENT_INSTANCES, inside.component_instances)?;
    within(bounds::DEFINITIONS, inside.definitions)
}

fn known_origin(import: &ComponentTypeRef) -> Result<(), Stopped> {
    match import {
        ComponentTypeRef::Module(_) | ComponentTypeRef::Component(_) => {
            Err(Stopped::Unsupported(UNKNOWN_ORIGIN))
        }
        _ => Ok(()),
    }
}

/// Checks the bounds of function types and returns the number of types in the group. All other types need disabled proposals.
fn function_types(group: &RecGroup) -> Result<u64, Stopped> {
    for ty in group.types() {
        if let wasmparser::CompositeInnerType::Func(function) = &ty.composite_type.inner {
            let values = function.params().len() + function.results().len();
            within(bounds::TYPE_VALUES, values as u64)?;
        }
    }
    Ok(group.types().len() as u64)
}

fn count_module(module: &mut Module, payload: &Payload<'_>) -> Result<(), Stopped> {
    match payload {
        Payload::TypeSection(section) => {
            for group in section.clone() {
                module.types += function_types(&group?)?;
                within(bounds::TYPES, module.types)?;
            }
        }
        Payload::ImportSection(section) => {
            for import in section.clone().into_imports() {
                module.imports += 1;
                within(bounds::CORE_NAMES, module.imports)?;
                match import?.ty {
                    TypeRef::Func(_) | TypeRef::FuncExact(_) => module.functions += 1,
                    TypeRef::Global(_) => module.imported_globals += 1,
                    TypeRef::Table(_) | TypeRef::Memory(_) | TypeRef::Tag(_) => {}
                }
            }
        }
        Payload::FunctionSection(section) => {
            module.functions += u64::from(section.count());
            within(bounds::FUNCTIONS, module.functions)?;
        }
        Payload::TableSection(section) => {
            for table in section.clone() {
                let table = table?;
                module.tables += 1;
                module.table_elements = module.table_elements.saturating_add(table.ty.initial);
                within(bounds::TABLES, module.tables)?;
                within(bounds::TABLE_ELEMENTS, module.table_elements)?;
                if let TableInit::Expr(expression) = &table.init {
                    constant(module, expression)?;
                }
            }
        }
        Payload::MemorySection(section) => {
            module.memories += u64::from(section.count());
            within(bounds::MEMORIES, module.memories)?;
        }
        Payload::GlobalSection(section) => {
            module.globals += u64::from(section.count());
            within(bounds::GLOBALS, module.globals + module.imported_globals)?;
            for global in section.clone() {
                constant(module, &global?.init_expr)?;
            }
        }
        Payload::ExportSection(section) => {
            module.exports += u64::from(section.count());
            within(bounds::CORE_NAMES, module.exports)?;
        }
        Payload::ElementSection(section) => {
            module.element_segments += u64::from(section.count());
            within(bounds::ELEMENT_SEGMENTS, module.element_segments)?;
            for segment in section.clone() {
                count_elements(module, &segment?)?;
            }
        }
        Payload::DataSection(section) => {
            module.data_segments += u64::from(section.count());
            within(bounds::DATA_SEGMENTS, module.data_segments)?;
            for segment in section.clone() {
                let segment = segment?;
                if let wasmparser::DataKind::Active { memory_index, offset_expr } = segment.kind {
                    constant(module, &offset_expr)?;
                    let offset = plain_number(&offset_expr);
                    module.data(memory_index, offset, segment.data.len() as u64);
                }
            }
        }
        Payload::CodeSectionStart { count, .. } => {
            within(bounds::FUNCTIONS, u64::from(*count))?;
        }
        _ => {}
    }
    Ok(())
}

fn count_elements(module: &mut Module, segment: &wasmparser::Element<'_>) -> Result<(), Stopped> {
    if let wasmparser::ElementKind::Active { offset_expr, .. } = &segment.kind {
        constant(module, offset_expr)?;
    }
    let items = match &segment.items {
        ElementItems::Functions(items) => items.count(),
        ElementItems::Expressions(_, items) => items.count(),
    };
    module.element_items += u64::from(items);
    within(bounds::ELEMENT_ITEMS, module.element_items)?;
    if let ElementItems::Expressions(_, items) = &segment.items {
        for item in items.clone() {
            constant(module, &item?)?;
        }
    }
    Ok(())
}

/// Counts the operators of an expression, without its end.
fn constant(module: &mut Module, expression: &wasmparser::ConstExpr<'_>) -> Result<(), Stopped> {
    let mut operators = expression.get_operators_reader();
    while !operators.is_end_then_eof() {
        operators.read()?;
        module.constants += 1;
        within(bounds::CONSTANTS, module.constants)?;
    }
    Ok(())
}

/// Returns the value of an expression that is a single `i32.const`.
fn plain_number(expression: &wasmparser::ConstExpr<'_>) -> Option<u64> {
    let mut operators = expression.get_operators_reader();
    match (operators.read().ok()?, operators.read().ok()?) {
        (wasmparser::Operator::I32Const { value }, wasmparser::Operator::End) => {
            Some(u64::from(value.cast_unsigned()))
        }
        _ => None,
    }
}
