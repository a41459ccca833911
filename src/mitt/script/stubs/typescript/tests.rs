use std::sync::Arc;

use super::*;
use mitt_wit::value::{
    AliasType, Bounds, Case, EnumType, Field, FlagsType, Function, Json, Label, NarrowedType,
    RecordType, Refinement, ResourceType, Type, VariantType,
};

fn field(name: &str, ty: Type) -> Field {
    Field::new(name, ty, None)
}

fn optional(ty: Type) -> Type {
    Type::Option(Arc::new(ty))
}

fn list(ty: Type) -> Type {
    Type::List(Arc::new(ty))
}

fn label(name: &str) -> Label {
    Label { name: name.into(), docs: None }
}

fn function(name: &str, params: Vec<Field>, result: Option<Type>) -> Function {
    Function {
        name: name.into(),
        docs: format!("Does {name}."),
        params,
        result,
        ..Function::default()
    }
}

fn module<'a>(name: &str, functions: &[(&str, &'a Function)]) -> StubModule<'a> {
    let functions = functions.iter().map(|(name, function)| ((*name).to_owned(), *function));
    StubModule {
        name: name.into(),
        description: "A test.",
        functions: functions.collect(),
        helpers: Vec::new(),
    }
}

fn record() -> Type {
    let fields = vec![
        Field::new("file-name", Type::String, Some("Where it goes.".into())),
        field("rows", optional(Type::U32)),
        Field { key: "a b".into(), ..field("member-1", Type::Bool) },
    ];
    Type::Record(Arc::new(RecordType {
        name: "options".into(),
        docs: Some("All */ of it.".into()),
        fields,
    }))
}

#[test]
fn a_module_is_declared_with_every_form_of_a_call() {
    let growth = function(
        "growth",
        vec![
            field("data", Type::TableHandle),
            field("by-month", optional(Type::String)),
            field("columns", list(Type::String)),
        ],
        Some(Type::Result(Arc::new((Some(Type::TableHandle), Some(Type::String))))),
    );
    let list_all = function("list-all", Vec::new(), None);
    let text = declarations(&module("table_tool", &[("growth", &growth), ("list_all", &list_all)]));
    assert_eq!(
        text,
        r#"
interface Skills {
    /** A test. */
    readonly table_tool: typeof import("table-tool");
    readonly tableTool: typeof import("table-tool");
}

interface ToolFunctions {
    readonly table_tool__growth: (typeof import("table-tool"))["growth"];
    readonly table_tool__list_all: (typeof import("table-tool"))["list_all"];
}

interface Modules {
    readonly "table-tool": typeof import("table-tool");
    readonly "table_tool": typeof import("table-tool");
}

declare module "table-tool" {
    export interface GrowthArguments {
        data: TableInput;
        by_month?: string | null;
        columns: readonly string[];
    }

    /** Does growth. */
    export function growth(data: TableInput, columns: readonly string[], by_month?: string | null): Promise<Table>;

    /** Does growth. */
    export function growth(data: TableInput, named: Omit<GrowthArguments, "data">): Promise<Table>;

    /** Does growth. */
    export function growth(data: TableInput, columns: readonly string[], named: Omit<GrowthArguments, "data" | "columns">): Promise<Table>;

    /** Does growth. */
    export function growth(named: GrowthArguments): Promise<Table>;

    /** Does list-all. */
    export function list_all(): Promise<null>;

    export { list_all as listAll };
    const $module: Skills["table_tool"];
    export default $module;
}

declare module "table_tool" {
    export * from "table-tool";
    export { default } from "table-tool";
}
"#
    );
}

#[test]
fn reserved_words_and_equal_names_stay_apart() {
    let delete =
        function("delete", vec![field("new", Type::Bool), field("named", Type::Bool)], None);
    let create = function("create-excel", vec![field("x", optional(Type::Bool))], None);
    let functions = [("delete", &delete), ("create_excel", &create), ("createExcel", &create)];
    let text = declarations(&module("report", &functions));
    for part in [
        "    function delete_(new_: boolean, named: boolean): Promise<null>;",
        "    function delete_(new_: boolean, named_: Omit<DeleteArguments, \"new\">): Promise<null>;",
        "        new: boolean;",
        "    export { delete_ as delete };",
        "    export function createExcel(x?: boolean | null): Promise<null>;",
        "    export function createExcel(named?: CreateExcelArguments2): Promise<null>;",
        "    readonly \"report\": typeof import(\"report\");",
    ] {
        assert!(text.contains(part), "{part} is missing:\n{text}");
    }
    assert_eq!(text.matches("declare module").count(), 1);
    let default = declarations(&module("report", &[("default", &delete)]));
    assert!(default.contains("    export { default_ as default };\n}\n"), "{default}");
    // A module without functions exports nothing by accident.
    assert!(declarations(&module("report", &[])).contains("\n    export {};\n"));
    // A skill with the name of the built-ins' file.
    let files = stub_files(&[module("mitt", &[]), module("report", &[])]);
    let names: Vec<&str> = files.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["mitt.d.ts", "mitt_.d.ts", "report.d.ts"]);
    assert!(files[0].1.starts_with(
        "// Written by Mitt: what scripts can call.\n/// <reference path=\"mitt_.d.ts\" />\n/// <reference path=\"report.d.ts\" />\n"
    ));
}

#[test]
fn a_long_call_has_a_bounded_number_of_forms() {
    let params = (0..40).map(|number| field(&format!("p{number}"), Type::Bool)).collect();
    let long = function("long", params, None);
    let text = declarations(&module("report", &[("long", &long)]));
    assert_eq!(text.matches("export function long(").count(), 8);
}

#[test]
fn types_are_written_as_the_engine_has_them() {
    let both = |ty: Type| {
        let mut types = types::Types::default();
        (types.ty(&ty, super::super::Way::In), types.ty(&ty, super::super::Way::Out))
    };
    let pair = |into: &str, out: &str| (into.to_owned(), out.to_owned());
    let reader = Arc::new(ResourceType { name: "reader".into(), instance: None });
    let flags = FlagsType { name: "f".into(), docs: None, flags: vec![label("a"), label("b-c")] };
    let texts = Bounds { one_of: vec![Json::from("x\"y"), Json::from("z")], ..Bounds::default() };
    let narrowed = |ty, bounds| Type::Narrowed(Arc::new(NarrowedType { ty, bounds }));
    let alias = AliasType { name: "iso".into(), docs: None, ty: Type::String };
    let result = Type::Result(Arc::new((Some(Type::Bool), None)));
    for (ty, expected) in [
        (Type::U8, pair("number", "number")),
        (Type::F64, pair("number", "number")),
        (Type::S64, pair("Int64Input", "Int64")),
        (Type::Char, pair("string", "string")),
        (Type::Borrow(reader), pair("string", "string")),
        (Type::Bytes, pair("BytesInput", "string")),
        (Type::Decimal, pair("DecimalInput", "Decimal")),
        (Type::Table, pair("TableInput", "Table")),
        (Type::Json, pair("unknown", "Json")),
        (list(list(Type::Bool)), pair("readonly (readonly boolean[])[]", "boolean[][]")),
        (list(optional(Type::Bool)), pair("readonly (boolean | null)[]", "(boolean | null)[]")),
        (
            optional(Type::Cell),
            pair("{ tag: \"some\"; val: CellInput } | null", "{ tag: \"some\"; val: Cell } | null"),
        ),
        (
            Type::Tuple([Type::Bool, list(Type::U64)].into()),
            pair("readonly [boolean, readonly Int64Input[]]", "[boolean, Int64[]]"),
        ),
        (
            Type::Map(Arc::new((Type::String, Type::Bool))),
            pair("{ readonly [key: string]: boolean }", "{ [key: string]: boolean }"),
        ),
        (
            Type::Map(Arc::new((Type::U8, Type::Bool))),
            pair(
                "readonly ({ key: number; value: boolean })[]",
                "({ key: number; value: boolean })[]",
            ),
        ),
        (Type::Flags(Arc::new(flags)), pair("readonly (\"a\" | \"b-c\")[]", "(\"a\" | \"b-c\")[]")),
        (narrowed(Type::String, texts.clone()), pair("\"x\\\"y\" | \"z\"", "\"x\\\"y\" | \"z\"")),
        (narrowed(Type::U8, Bounds::default()), pair("number", "number")),
        (Type::Alias(Arc::new(alias)), pair("string", "string")),
        (
            result,
            pair(
                "{ tag: \"ok\"; val: boolean } | { tag: \"err\" }",
                "{ tag: \"ok\"; val: boolean } | { tag: \"err\" }",
            ),
        ),
    ] {
        assert_eq!(both(ty.clone()), expected, "{ty}");
    }
}

#[test]
fn definitions_are_written_once_for_each_direction() {
    let case = |name: &str, ty| Case { name: name.into(), docs: Some("A form.".into()), ty };
    let cases = vec![case("circle", Some(record())), case("none", None)];
    let shape = Type::Variant(Arc::new(VariantType { name: "shape".into(), docs: None, cases }));
    let kinds =
        EnumType { name: "table".into(), docs: None, cases: vec![label("wide"), label("long")] };
    let kind = Type::Enum(Arc::new(kinds));
    let mut types = types::Types::default();
    let names: Vec<String> = [super::super::Way::In, super::super::Way::Out, super::super::Way::In]
        .into_iter()
        .flat_map(|way| [types.ty(&shape, way), types.ty(&kind, way)])
        .collect();
    // `Table` is a built-in.
    assert_eq!(names, ["ShapeInput", "Table2", "Shape", "Table2", "ShapeInput", "Table2"]);
    assert_eq!(
        types.finish(),
        r#"    /** All *\/ of it. */
    export interface OptionsInput {
        /** Where it goes. */
        file_name: string;
        rows?: number | null;
        "a b": boolean;
    }

    export type ShapeInput =
        /** A form. */
        | { tag: "circle"; val: OptionsInput }
        /** A form. */
        | { tag: "none" };

    export type Table2 =
        | "wide"
        | "long";

    /** All *\/ of it. */
    export interface Options {
        /** Where it goes. */
        file_name: string;
        rows: number | null;
        "a b": boolean;
    }

    export type Shape =
        /** A form. */
        | { tag: "circle"; val: Options }
        /** A form. */
        | { tag: "none" };
"#
    );
}

#[test]
fn a_default_makes_a_parameter_optional_and_a_rule_makes_it_required() {
    let refined = |name: &str, ty, refinement| Field {
        refinement: Some(Arc::new(refinement)),
        ..field(name, ty)
    };
    let default = Refinement { default: Some(Json::from(true)), ..Refinement::default() };
    let required = Refinement { required: true, ..Refinement::default() };
    let params =
        vec![refined("a", Type::Bool, default), refined("b", optional(Type::Bool), required)];
    let function = function("f", params, None);
    let text = declarations(&module("report", &[("f", &function)]));
    assert!(text.contains("function f(b: boolean, a?: boolean): Promise<null>;"), "{text}");
}

#[test]
fn other_spellings_are_those_that_the_engine_reads() {
    let names = ["create_excel", "sort", "top_10", "get_a_b", "reader__next", "x2_y"];
    let expected = [Some("createExcel"), None, None, None, None, Some("x2Y")];
    assert_eq!(names.map(camel).each_ref().map(Option::as_deref), expected);
}

#[test]
fn no_text_ends_its_comment() {
    assert_eq!(tsdoc(" ", ""), "");
    assert_eq!(tsdoc("a */ b", "  "), "  /** a *\\/ b */\n");
    assert_eq!(tsdoc("a\n\n  **/*/\r\n", ""), "/**\n * a\n *\n *   **\\/*\\/\n */\n");
    assert_eq!(tsdoc("*\\/", ""), "/** *\\/ */\n");
}
