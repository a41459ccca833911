//! Uses `wasm-wave` as a second opinion: its writer writes what we write, its parser reads it, and it accepts what we
//! accept.

use super::super::super::wave::parse::{self, Arguments};
use super::*;
use wasm_wave::ast::{Node as TheirNode, NodeType};
use wasm_wave::untyped::{UntypedFuncCall, UntypedValue};
use wasm_wave::value::{Type as TheirType, Value};
use wasm_wave::wasm::{WasmTypeKind, WasmValue};
use wasmtime::component::Val;

/// Converts our type to theirs. `None` for maps, which they do not have, and for fixed-length lists, of which they make no
/// values.
fn their_type(ty: &Type) -> Option<TheirType> {
    let simple = TheirType::simple;
    match ty {
        Type::Bool => simple(WasmTypeKind::Bool),
        Type::U8 => simple(WasmTypeKind::U8),
        Type::U16 => simple(WasmTypeKind::U16),
        Type::U32 => simple(WasmTypeKind::U32),
        Type::U64 => simple(WasmTypeKind::U64),
        Type::S8 => simple(WasmTypeKind::S8),
        Type::S16 => simple(WasmTypeKind::S16),
        Type::S32 => simple(WasmTypeKind::S32),
        Type::S64 => simple(WasmTypeKind::S64),
        Type::F32 => simple(WasmTypeKind::F32),
        Type::F64 => simple(WasmTypeKind::F64),
        Type::Char => simple(WasmTypeKind::Char),
        Type::String | Type::Decimal => simple(WasmTypeKind::String),
        Type::Bytes => Some(TheirType::list(TheirType::U8)),
        Type::Cell => TheirType::variant([
            ("null", None),
            ("boolean", Some(TheirType::BOOL)),
            ("number", Some(TheirType::STRING)),
            ("text", Some(TheirType::STRING)),
        ]),
        Type::Table => TheirType::record([
            ("columns", TheirType::list(TheirType::STRING)),
            ("rows", TheirType::list(TheirType::list(their_type(&Type::Cell)?))),
        ]),
        Type::List(element) => Some(TheirType::list(their_type(element)?)),
        Type::Tuple(types) => {
            TheirType::tuple(types.iter().map(their_type).collect::<Option<Vec<_>>>()?)
        }
        Type::Record(it) => {
            let fields = it.fields.iter().map(|field| Some((&*field.name, their_type(&field.ty)?)));
            TheirType::record(fields.collect::<Option<Vec<_>>>()?)
        }
        Type::Variant(it) => {
            let cases = it.cases.iter().map(|case| {
                let ty = case.ty.as_ref().map(|ty| their_type(ty).ok_or(())).transpose().ok()?;
                Some((&*case.name, ty))
            });
            TheirType::variant(cases.collect::<Option<Vec<_>>>()?)
        }
        Type::Enum(it) => TheirType::enum_ty(it.cases.iter().map(|case| &*case.name)),
        Type::Flags(it) => TheirType::flags(it.flags.iter().map(|flag| &*flag.name)),
        Type::Option(inner) => Some(TheirType::option(their_type(inner)?)),
        Type::Result(types) => {
            let side =
                |ty: &Option<Type>| ty.as_ref().map(|ty| their_type(ty).ok_or(())).transpose().ok();
            Some(TheirType::result(side(&types.0)?, side(&types.1)?))
        }
        Type::Alias(alias) => their_type(&alias.ty),
        _ => None,
    }
}

/// Converts our value to theirs.
fn their_value(ty: &Type, val: &Val) -> Value {
    let theirs = their_type(ty).unwrap();
    let list = |element: &Type, items: &[Val]| {
        Value::make_list(&theirs, items.iter().map(|item| their_value(element, item))).unwrap()
    };
    let payload = |ty: Option<&Type>, val: &Option<Box<Val>>| {
        ty.zip(val.as_deref()).map(|(ty, val)| their_value(ty, val))
    };
    match (ty, val) {
        (Type::Alias(alias), val) => their_value(&alias.ty, val),
        (Type::Cell, Val::Variant(case, val)) => {
            let ty = if case == "boolean" { Type::Bool } else { Type::String };
            Value::make_variant(&theirs, case, payload(Some(&ty), val)).unwrap()
        }
        (Type::Table, Val::Record(fields)) => {
            let row = Type::List(std::sync::Arc::new(Type::Cell));
            let columns = Type::List(std::sync::Arc::new(Type::String));
            let rows = Type::List(std::sync::Arc::new(row));
            let fields = [("columns", &columns, &fields[0].1), ("rows", &rows, &fields[1].1)];
            let fields = fields.map(|(name, ty, val)| (name, their_value(ty, val)));
            Value::make_record(&theirs, fields).unwrap()
        }
        (_, Val::Bool(value)) => Value::make_bool(*value),
        (_, Val::U8(value)) => Value::make_u8(*value),
        (_, Val::U16(value)) => Value::make_u16(*value),
        (_, Val::U32(value)) => Value::make_u32(*value),
        (_, Val::U64(value)) => Value::make_u64(*value),
        (_, Val::S8(value)) => Value::make_s8(*value),
        (_, Val::S16(value)) => Value::make_s16(*value),
        (_, Val::S32(value)) => Value::make_s32(*value),
        (_, Val::S64(value)) => Value::make_s64(*value),
        (_, Val::Float32(value)) => Value::make_f32(*value),
        (_, Val::Float64(value)) => Value::make_f64(*value),
        (_, Val::Char(value)) => Value::make_char(*value),
        (_, Val::String(value)) => Value::make_string(value.into()),
        (Type::Bytes, Val::List(items)) => list(&Type::U8, items),
        (Type::List(element), Val::List(items)) => list(element, items),
        (Type::Tuple(types), Val::Tuple(items)) => {
            let items = types.iter().zip(items).map(|(ty, item)| their_value(ty, item));
            Value::make_tuple(&theirs, items).unwrap()
        }
        (Type::Record(it), Val::Record(fields)) => {
            let fields = it.fields.iter().zip(fields);
            let fields =
                fields.map(|(field, (_, val))| (&*field.name, their_value(&field.ty, val)));
            Value::make_record(&theirs, fields.collect::<Vec<_>>()).unwrap()
        }
        (Type::Variant(it), Val::Variant(name, val)) => {
            let case = it.cases.iter().find(|case| case.name == *name).unwrap();
            Value::make_variant(&theirs, name, payload(case.ty.as_ref(), val)).unwrap()
        }
        (_, Val::Enum(name)) => Value::make_enum(&theirs, name).unwrap(),
        (_, Val::Flags(names)) => {
            Value::make_flags(&theirs, names.iter().map(|name| &**name)).unwrap()
        }
        (Type::Option(inner), Val::Option(val)) => {
            Value::make_option(&theirs, payload(Some(inner), val)).unwrap()
        }
        (Type::Result(types), Val::Result(val)) => {
            let val = match val {
                Ok(val) => Ok(payload(types.0.as_ref(), val)),
                Err(val) => Err(payload(types.1.as_ref(), val)),
            };
            Value::make_result(&theirs, val).unwrap()
        }
        (ty, val) => panic!("{val:?} of {ty}"),
    }
}

fn has(ty: &Type, what: &dyn Fn(&Type) -> bool) -> bool {
    let mut found = what(ty);
    ty.for_each_part(&mut |part| found = found || has(part, what));
    found
}

/// They can read every text that we write, and write the same, except for floats, which they spell out.
#[test]
fn what_we_write_is_what_they_write() {
    let mut random = Random(0xfeed_beef);
    let mut written = 0;
    for round in 0..3_000 {
        let depth = random.below(4);
        let ty = random.element(depth);
        let function = echo(ty.clone());
        let val = random.val(&ty);
        let Json::Array(mut items) = encode(&function, val.clone()) else {
            panic!("expected an array")
        };
        let text = to_text(&ty, &items.remove(0)).unwrap();
        assert_eq!(
            UntypedValue::parse(&text).map(|_| ()).map_err(|e| e.to_string()),
            Ok(()),
            "{text}"
        );
        let Some(theirs) = their_type(&ty) else { continue };
        let value = their_value(&ty, &val);
        if !has(&ty, &|ty| matches!(ty, Type::F32 | Type::F64)) {
            written += 1;
            assert_eq!(text, wasm_wave::to_string(&value).unwrap(), "round {round}: {ty}");
        }
        let again: Value = wasm_wave::from_str(&theirs, &text)
            .unwrap_or_else(|error| panic!("round {round}: {ty}: {text}: {error}"));
        assert_eq!(again, value, "round {round}: {ty}: {text}");
    }
    assert!(written > 1_000, "{written}");
}

/// Returns `true` if all strings and characters in their tree can be decoded; their lexer checks only the shape.
fn sound(node: &TheirNode, text: &str) -> bool {
    let all = |nodes: &mut dyn Iterator<Item = &TheirNode>| {
        let mut all = true;
        nodes.for_each(|node| all = all && sound(node, text));
        all
    };
    match node.ty() {
        NodeType::Char => node.as_char(text).is_ok(),
        NodeType::String | NodeType::MultilineString => node.as_str(text).is_ok(),
        NodeType::Tuple => all(&mut node.as_tuple().unwrap()),
        NodeType::List => all(&mut node.as_list().unwrap()),
        NodeType::Record => all(&mut node.as_record(text).unwrap().map(|(_, node)| node)),
        NodeType::VariantWithPayload => all(&mut node.as_variant(text).unwrap().1.into_iter()),
        NodeType::OptionSome => all(&mut node.as_option().unwrap().into_iter()),
        NodeType::ResultOk | NodeType::ResultErr => {
            let (Ok(payload) | Err(payload)) = node.as_result().unwrap();
            all(&mut payload.into_iter())
        }
        _ => true,
    }
}

/// Returns `true` if both accept a text or both refuse it. They allow a missing comma between fields, against the standard.
fn agree<T>(ours: &Result<T>, theirs: bool) -> bool {
    match ours {
        Ok(_) => theirs,
        Err(error) => !theirs || error.to_string().contains("expected `,` or `}`"),
    }
}

/// For random sequences of tokens: we accept a text exactly if they do.
#[test]
fn we_accept_what_they_accept() {
    const PARTS: [&str; 52] = [
        "(", ")", "[", "]", "{", "}", ":", ",", "(", ")", "[", "]", "{", "}", ":", ",", "1", "0",
        "-", ".", "e", "+", "1.5", "-1.5e3", "\"a\"", "'x'", "a", "B", "b-c", "-1", "%", "%some",
        "some", "none", "ok", "err", "true", "nan", "inf", "-inf", " ", "// x\n", "\"\"\"", "\n",
        "  ", "\"", "'", "\\", "数", "\\u{41}", "\\n", "\r",
    ];
    let mut random = Random(0xace_0fba5e);
    let mut accepted = 0;
    for _ in 0..200_000 {
        let mut text: String =
            (0..1 + random.below(8)).map(|_| PARTS[random.below(PARTS.len())]).collect();
        match random.below(5) {
            0 => text = format!("[{text}]"),
            1 => text = format!("{{a: {text}}}"),
            2 => text = format!("f({text})"),
            3 => text = format!("\"\"\"\n{text}\n\"\"\""),
            _ => {}
        }
        let theirs = UntypedValue::parse(&text).is_ok_and(|value| sound(value.node(), &text));
        let ours = parse::value(&text);
        accepted += usize::from(ours.is_ok());
        assert!(agree(&ours, theirs), "{text:?}: {ours:?}");
        if let Some(rest) = text.strip_prefix("f(")
            && rest.ends_with(')')
        {
            let theirs = UntypedFuncCall::parse(&text)
                .is_ok_and(|call| call.params_node().is_none_or(|node| sound(node, &text)));
            let ours = parse::call(&text, 64);
            let named = matches!(ours, Ok((_, Arguments::Named(_))));
            assert!(named && !theirs || agree(&ours, theirs), "{text:?}: {ours:?}");
        }
    }
    assert!(accepted > 10_000, "{accepted}");
}
