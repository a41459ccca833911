//! Types, JSON and bounds out of bytes: each choice is made by the next byte, so that a fuzzer can steer it.

use mitt::value::{
    AliasType, Case, EnumType, Field, FlagsType, Json, Label, Number, RecordType, Type, VariantType,
};
use serde_json::{Map, Value, json};
use std::sync::Arc;

/// The bytes that choices are made by; zeros when there are no more.
pub(crate) struct Shape<'d> {
    data: &'d [u8],
    /// Choices that are left, so that the zeros end too.
    budget: u32,
}

impl<'d> Shape<'d> {
    pub(crate) fn new(data: &'d [u8]) -> Shape<'d> {
        Shape { data, budget: 4_000 }
    }

    /// The bytes that are left.
    pub(crate) fn rest(&mut self) -> &'d [u8] {
        std::mem::take(&mut self.data)
    }

    pub(crate) fn flip(&mut self) -> bool {
        self.below(2) == 1
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        self.budget = self.budget.saturating_sub(1);
        let Some((byte, rest)) = self.data.split_first() else { return 0 };
        self.data = rest;
        if self.budget == 0 { 0 } else { usize::from(*byte) % end }
    }

    fn labels(&mut self) -> Vec<Label> {
        (0..=self.below(3)).map(|at| Label { name: format!("label-{at}"), docs: None }).collect()
    }

    fn fields(&mut self, depth: usize) -> Vec<Field> {
        (0..=self.below(3))
            .map(|at| Field::new(format!("field-{at}"), self.ty(depth), None))
            .collect()
    }

    pub(crate) fn ty(&mut self, depth: usize) -> Type {
        const SCALARS: [Type; 17] = [
            Type::Bool,
            Type::U8,
            Type::U16,
            Type::U32,
            Type::U64,
            Type::S8,
            Type::S16,
            Type::S32,
            Type::S64,
            Type::F32,
            Type::F64,
            Type::Char,
            Type::String,
            Type::Bytes,
            Type::Cell,
            Type::Table,
            Type::Decimal,
        ];
        let kind = self.below(SCALARS.len() + 12);
        if let Some(scalar) = SCALARS.get(kind) {
            return scalar.clone();
        }
        let Some(depth) = depth.checked_sub(1) else { return Type::String };
        let (name, docs) = ("name".to_owned(), None);
        match kind - SCALARS.len() {
            0 => Type::List(Arc::new(self.element(depth))),
            1 => Type::FixedList(
                Arc::new(self.element(depth)),
                u32::try_from(self.below(4)).unwrap_or(0),
            ),
            2 => Type::Map(Arc::new((Type::String, self.ty(depth)))),
            3 => Type::Map(Arc::new((Type::U64, self.ty(depth)))),
            4 => Type::Tuple((0..=self.below(3)).map(|_| self.ty(depth)).collect()),
            5 => Type::Record(Arc::new(RecordType { name, docs, fields: self.fields(depth) })),
            6 => {
                let cases = (0..=self.below(3)).map(|at| Case {
                    name: format!("case-{at}"),
                    docs: None,
                    ty: self.flip().then(|| self.ty(depth)),
                });
                Type::Variant(Arc::new(VariantType { name, docs, cases: cases.collect() }))
            }
            7 => Type::Enum(Arc::new(EnumType { name, docs, cases: self.labels() })),
            8 => Type::Flags(Arc::new(FlagsType { name, docs, flags: self.labels() })),
            9 => Type::Option(Arc::new(self.ty(depth))),
            10 => {
                let (ok, err) = (self.flip(), self.flip());
                Type::Result(Arc::new((ok.then(|| self.ty(depth)), err.then(|| self.ty(depth)))))
            }
            _ => match self.ty(depth) {
                alias @ Type::Alias(_) => alias,
                ty => Type::Alias(Arc::new(AliasType { name, docs, ty })),
            },
        }
    }

    /// A list of `u8` is another type.
    fn element(&mut self, depth: usize) -> Type {
        match self.ty(depth) {
            Type::U8 => Type::U16,
            other => other,
        }
    }

    fn text(&mut self) -> String {
        const PARTS: [&str; 10] =
            ["", "a", "é", "\"", "\\n", "数据", "😀", "label-0", "12", "AAE="];
        (0..self.below(3)).map(|_| PARTS[self.below(PARTS.len())]).collect()
    }

    fn number(&mut self) -> Json {
        const NUMBERS: [&str; 14] = [
            "0",
            "-0",
            "1",
            "7.0",
            "-1",
            "255",
            "256",
            "1e2",
            "0.5",
            "9007199254740993",
            "18446744073709551615",
            "-9223372036854775808",
            "1e999",
            "1E-400",
        ];
        Number::parse(NUMBERS[self.below(NUMBERS.len())]).map_or(Json::Null, Json::Number)
    }

    fn noise(&mut self) -> Json {
        match self.below(7) {
            0 => Json::Null,
            1 => Json::Bool(self.flip()),
            2 => self.number(),
            3 => Json::Array(vec![]),
            4 => Json::object([("tag", Json::from("some"))]),
            5 => Json::object([("0", self.number()), ("columns", Json::Array(vec![]))]),
            _ => Json::String(self.text()),
        }
    }

    /// JSON for `ty`, mostly; now and then something else.
    pub(crate) fn value(&mut self, ty: &Type, depth: usize) -> Json {
        let Some(depth) = depth.checked_sub(1) else { return Json::Null };
        if self.below(16) == 15 {
            return self.noise();
        }
        let tagged = |tag: &str, val: Option<Json>| {
            Json::object([("tag", Json::from(tag))].into_iter().chain(val.map(|val| ("val", val))))
        };
        match ty.target() {
            Type::Bool => Json::Bool(self.flip()),
            Type::Char => "😀".into(),
            Type::String | Type::Bytes => Json::String(self.text()),
            Type::List(element) => {
                Json::Array((0..self.below(4)).map(|_| self.value(element, depth)).collect())
            }
            Type::FixedList(element, length) => {
                Json::Array((0..*length).map(|_| self.value(element, depth)).collect())
            }
            Type::Tuple(types) => {
                Json::Array(types.iter().map(|ty| self.value(ty, depth)).collect())
            }
            Type::Map(types) if matches!(types.0, Type::String) => Json::object(
                (0..self.below(3)).map(|at| (format!("k{at}"), self.value(&types.1, depth))),
            ),
            Type::Map(types) => {
                let entry = |shape: &mut Self| {
                    Json::object([("key", shape.number()), ("value", shape.value(&types.1, depth))])
                };
                Json::Array((0..self.below(3)).map(|_| entry(self)).collect())
            }
            Type::Record(record) => Json::object(
                record.fields.iter().map(|field| (field.key.clone(), self.value(&field.ty, depth))),
            ),
            Type::Variant(variant) => {
                let case = &variant.cases[self.below(variant.cases.len())];
                let val = case.ty.as_ref().map(|ty| self.value(ty, depth));
                tagged(&case.name, val)
            }
            Type::Enum(it) => it.cases[self.below(it.cases.len())].name.as_str().into(),
            Type::Flags(it) => Json::Array(
                it.flags.iter().filter(|_| self.flip()).map(|it| it.name.as_str().into()).collect(),
            ),
            Type::Option(_) if self.flip() => Json::Null,
            Type::Option(inner) if inner.admits_null() => {
                tagged("some", Some(self.value(inner, depth)))
            }
            Type::Option(inner) => self.value(inner, depth),
            Type::Result(types) => {
                let (tag, ty) = if self.flip() { ("ok", &types.0) } else { ("err", &types.1) };
                tagged(tag, ty.as_ref().map(|ty| self.value(ty, depth)))
            }
            Type::Cell => match self.below(3) {
                0 => Json::Null,
                1 => self.number(),
                _ => Json::String(self.text()),
            },
            Type::Table => {
                let row = |shape: &mut Self| {
                    Json::object((0..shape.below(3)).map(|at| (format!("c{at}"), shape.number())))
                };
                Json::Array((0..self.below(3)).map(|_| row(self)).collect())
            }
            _ => self.number(),
        }
    }

    /// An `inputSchema` for `fields`, whose keywords fit now and then.
    pub(crate) fn bounds(&mut self, fields: &[Field]) -> Value {
        let mut properties = Map::new();
        for field in fields {
            properties.insert(field.key.clone(), self.keywords(&field.ty, 3));
        }
        json!({ "properties": properties })
    }

    fn keywords(&mut self, ty: &Type, depth: usize) -> Value {
        const NAMES: [&str; 15] = [
            "minimum",
            "maximum",
            "exclusiveMinimum",
            "exclusiveMaximum",
            "multipleOf",
            "minLength",
            "maxLength",
            "pattern",
            "minItems",
            "maxItems",
            "uniqueItems",
            "enum",
            "default",
            "type",
            "nonsense",
        ];
        let mut keywords = Map::new();
        let Some(depth) = depth.checked_sub(1) else { return Value::Object(keywords) };
        for _ in 0..self.below(3) {
            let name = NAMES[self.below(NAMES.len())];
            let value = match name {
                "pattern" => {
                    Value::from(["^a+$", "(", "\\d", "[\\w-]", "(a|b)*c", "\\"][self.below(6)])
                }
                "uniqueItems" => Value::Bool(true),
                "type" => Value::from(["string", "integer", "null", "object"][self.below(4)]),
                "enum" => json!([Value::from(self.value(ty, 3)), Value::from(self.value(ty, 3))]),
                "default" => self.value(ty, 4).into(),
                _ => self.number().into(),
            };
            keywords.insert(name.to_owned(), value);
        }
        match ty.target() {
            Type::Record(record) if self.flip() => {
                let Value::Object(more) = self.bounds(&record.fields) else { unreachable!() };
                keywords.extend(more);
            }
            Type::List(element) if self.flip() => {
                keywords.insert("items".into(), self.keywords(element, depth));
            }
            _ => {}
        }
        Value::Object(keywords)
    }
}
