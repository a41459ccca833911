//! Random types, values and mutations, from fixed seeds.

use super::super::types::{AliasType, Case, EnumType, FlagsType, Label, RecordType, VariantType};
use super::*;
use std::sync::Arc;

/// xorshift64*, which is good enough for a test and needs no dependency.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        self.0.wrapping_mul(0x2545_f491_4f6c_dd1d)
    }

    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % end as u64).unwrap()
    }

    fn count(&mut self) -> usize {
        self.below(4)
    }

    /// Returns random bits, often at the edge of a range.
    fn bits(&mut self) -> u64 {
        match self.below(5) {
            0 => 0,
            1 => u64::MAX,
            2 => (1 << 53) - 1 + self.next() % 2,
            3 => self.next() % 300,
            _ => self.next(),
        }
    }

    fn text(&mut self) -> String {
        const CHARACTERS: [char; 12] =
            ['a', 'é', '"', '\\', '\n', '\0', '/', '~', '数', '😀', '\u{2028}', ' '];
        (0..self.count()).map(|_| CHARACTERS[self.below(CHARACTERS.len())]).collect()
    }

    fn digits(&mut self) -> String {
        const NUMBERS: [&str; 8] =
            ["0", "-0", "1.50", "-12.05e-3", "1E+9", "12345678901234567890.123", "7", "1e999"];
        NUMBERS[self.below(NUMBERS.len())].to_owned()
    }

    fn labels(&mut self) -> Vec<Label> {
        (0..=self.count()).map(|at| Label { name: format!("label-{at}"), docs: None }).collect()
    }

    pub(crate) fn fields(&mut self, depth: usize) -> Vec<Field> {
        (0..=self.count())
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
        if depth == 0 {
            return SCALARS[self.below(SCALARS.len())].clone();
        }
        let depth = depth - 1;
        let (name, docs) = ("name".to_owned(), None);
        match self.below(14) {
            0 => Type::List(Arc::new(self.element(depth))),
            1 => Type::FixedList(Arc::new(self.ty(depth)), u32::try_from(self.count()).unwrap()),
            2 => Type::Map(Arc::new((Type::String, self.ty(depth)))),
            3 => Type::Map(Arc::new((Type::U64, self.ty(depth)))),
            4 => Type::Tuple((0..=self.count()).map(|_| self.ty(depth)).collect()),
            5 | 6 => Type::Record(Arc::new(RecordType { name, docs, fields: self.fields(depth) })),
            7 => {
                let cases = (0..=self.count()).map(|at| Case {
                    name: format!("case-{at}"),
                    docs: None,
                    ty: (self.below(3) > 0).then(|| self.ty(depth)),
                });
                Type::Variant(Arc::new(VariantType { name, docs, cases: cases.collect() }))
            }
            8 => Type::Enum(Arc::new(EnumType { name, docs, cases: self.labels() })),
            9 => Type::Flags(Arc::new(FlagsType { name, docs, flags: self.labels() })),
            10 | 11 => Type::Option(Arc::new(self.ty(depth))),
            12 => {
                let ok = (self.below(3) > 0).then(|| self.ty(depth));
                let err = (self.below(3) > 0).then(|| self.ty(depth));
                Type::Result(Arc::new((ok, err)))
            }
            _ => match self.ty(depth) {
                alias @ Type::Alias(_) => alias,
                ty => Type::Alias(Arc::new(AliasType { name, docs, ty })),
            },
        }
    }

    /// Returns an element type for lists other than `u8`, because `list<u8>` is bytes.
    pub(crate) fn element(&mut self, depth: usize) -> Type {
        match self.ty(depth) {
            Type::U8 => Type::U16,
            other => other,
        }
    }

    fn vals(&mut self, ty: &Type, count: usize) -> Vec<Val> {
        (0..count).map(|_| self.val(ty)).collect()
    }

    fn payload(&mut self, ty: Option<&Type>) -> Option<Box<Val>> {
        ty.map(|ty| Box::new(self.val(ty)))
    }

    pub(crate) fn val(&mut self, ty: &Type) -> Val {
        match ty {
            Type::Bool => Val::Bool(self.below(2) == 0),
            Type::U8 => Val::U8(self.bits() as u8),
            Type::U16 => Val::U16(self.bits() as u16),
            Type::U32 => Val::U32(self.bits() as u32),
            Type::U64 => Val::U64(self.bits()),
            Type::S8 => Val::S8(self.bits() as i8),
            Type::S16 => Val::S16(self.bits() as i16),
            Type::S32 => Val::S32(self.bits() as i32),
            Type::S64 => Val::S64(self.bits() as i64),
            Type::F32 => Val::Float32(
                Some(f32::from_bits(self.next() as u32))
                    .filter(|it| it.is_finite())
                    .unwrap_or(-0.0),
            ),
            Type::F64 => Val::Float64(
                Some(f64::from_bits(self.next())).filter(|it| it.is_finite()).unwrap_or(0.1),
            ),
            Type::Char => Val::Char(self.text().chars().next().unwrap_or('x')),
            Type::String => Val::String(self.text()),
            Type::Bytes => {
                let count = self.count();
                self.vals(&Type::U8, count)
            }
            .into_list(),
            Type::Decimal => Val::String(self.digits()),
            Type::Cell => self.cell(),
            Type::Table => {
                let (columns, rows) = (self.count(), self.count());
                let names =
                    (0..columns).map(|at| Val::String(format!("{at}{}", self.text()))).collect();
                let rows = (0..rows)
                    .map(|_| (0..columns).map(|_| self.cell()).collect::<Vec<_>>().into_list())
                    .collect();
                Val::Record(vec![
                    ("columns".into(), Val::List(names)),
                    ("rows".into(), Val::List(rows)),
                ])
            }
            Type::List(element) => {
                let count = self.count();
                self.vals(element, count).into_list()
            }
            Type::FixedList(element, length) => {
                Val::FixedLengthList(self.vals(element, *length as usize))
            }
            Type::Map(types) => {
                let count = self.count();
                let key = |at: usize| {
                    if types.0 == Type::String {
                        Val::String(format!("k{at}"))
                    } else {
                        Val::U64(at as u64)
                    }
                };
                Val::Map((0..count).map(|at| (key(at), self.val(&types.1))).collect())
            }
            Type::Tuple(types) => Val::Tuple(types.iter().map(|ty| self.val(ty)).collect()),
            Type::Record(it) => Val::Record(
                it.fields.iter().map(|field| (field.name.clone(), self.val(&field.ty))).collect(),
            ),
            Type::Variant(it) => {
                let case = &it.cases[self.below(it.cases.len())];
                Val::Variant(case.name.clone(), self.payload(case.ty.as_ref()))
            }
            Type::Enum(it) => Val::Enum(it.cases[self.below(it.cases.len())].name.clone()),
            Type::Flags(it) => Val::Flags(
                it.flags
                    .iter()
                    .filter(|_| self.below(2) == 0)
                    .map(|flag| flag.name.clone())
                    .collect(),
            ),
            Type::Option(inner) => {
                Val::Option((self.below(3) > 0).then(|| Box::new(self.val(inner))))
            }
            Type::Result(types) if self.below(2) == 0 => {
                Val::Result(Ok(self.payload(types.0.as_ref())))
            }
            Type::Result(types) => Val::Result(Err(self.payload(types.1.as_ref()))),
            Type::Alias(it) => self.val(&it.ty),
            other => panic!("no values of {other}"),
        }
    }

    fn cell(&mut self) -> Val {
        let some = |case: &str, val| Val::Variant(case.into(), Some(Box::new(val)));
        match self.below(4) {
            0 => Val::Variant("null".into(), None),
            1 => some("boolean", Val::Bool(true)),
            2 => some("number", Val::String(self.digits())),
            _ => some("text", Val::String(self.text())),
        }
    }
}

trait IntoList {
    fn into_list(self) -> Val;
}

impl IntoList for Vec<Val> {
    fn into_list(self) -> Val {
        Val::List(self)
    }
}

/// Returns a function from a list of `ty` to the same; a list, so that a result type is not taken for the outcome of the
/// call.
pub(crate) fn echo(ty: Type) -> Function {
    let ty = Type::List(Arc::new(ty));
    Function {
        params: vec![Field::new("x", ty.clone(), None)],
        result: Some(ty),
        ..Default::default()
    }
}

pub(crate) fn encode(function: &Function, val: Val) -> Json {
    result(function, Some(Val::List(vec![val]))).unwrap()
}

pub(crate) fn decode(function: &Function, json: &Json) -> Result<Val> {
    let text = Json::object([("x", json.clone())]).to_string();
    let arguments = Json::parse(&text, 1 << 20, 64).unwrap();
    match (UntypedCall { name: "f", arguments }).check(function)?.into_args().remove(0) {
        Val::List(mut items) => Ok(items.remove(0)),
        other => panic!("expected a list, got {other:?}"),
    }
}

#[test]
fn everything_comes_back() {
    let mut random = Random(0x9e37_79b9_7f4a_7c15);
    for round in 0..3_000 {
        let depth = random.below(4);
        // A list of `u8` is bytes.
        let function = echo(random.element(depth));
        let Some(Type::List(ty)) = &function.result else { panic!("expected a list") };
        let val = random.val(ty);
        let json = encode(&function, val.clone());
        assert_eq!(decode(&function, &json).unwrap(), val, "round {round}: {ty} as {json}");
        let interface = Interface { functions: vec![function.clone()], ..Default::default() };
        let text = serde_json::to_string(&interface).unwrap();
        assert_eq!(serde_json::from_str::<Interface>(&text).unwrap(), interface);
    }
}

/// A change in one place is refused there, or gives another value of the type that also survives the round trip.
#[test]
fn mutations() {
    let mut random = Random(0x0123_4567_89ab_cdef);
    let (mut refused, mut accepted) = (0, 0);
    for _ in 0..3_000 {
        let depth = random.below(4);
        let function = echo(random.element(depth));
        let Some(Type::List(ty)) = &function.result else { panic!("expected a list") };
        let val = random.val(ty);
        let mut json = encode(&function, val);
        mutate(&mut json, &mut random);
        if !matches!(&json, Json::Array(items) if items.len() == 1) {
            continue;
        }
        match decode(&function, &json) {
            Ok(val) => {
                accepted += 1;
                let again = encode(&function, val.clone());
                assert_eq!(decode(&function, &again).unwrap(), val, "{ty}: {json}");
            }
            Err(error) => {
                refused += 1;
                let lines = if error.details().is_empty() {
                    vec![error.to_string()]
                } else {
                    error.details().to_vec()
                };
                assert!(
                    lines.iter().all(|line| line.starts_with("/x/0")),
                    "{ty}: {json}: {lines:?}"
                );
            }
        }
    }
    assert!(refused > 1_000 && accepted > 100, "{refused} refused, {accepted} accepted");
}

/// An unknown key with a value of a kind that no type there accepts is always refused.
#[test]
fn unknown_keys() {
    let mut random = Random(0xdead_beef_cafe_f00d);
    for _ in 0..1_000 {
        let fields = random.fields(2);
        let ty = Type::Record(Arc::new(RecordType { name: "row".into(), docs: None, fields }));
        let function = echo(ty.clone());
        let val = random.val(&ty);
        let json = encode(&function, val);
        let Json::Array(mut items) = json else { panic!("expected an array") };
        let Json::Object(entries) = &mut items[0] else { panic!("expected an object") };
        entries.insert(random.below(entries.len() + 1), ("unknown".into(), Json::Null));
        let error = decode(&function, &Json::Array(items)).unwrap_err();
        assert!(error.to_string().starts_with("/x/0/unknown: unknown field"), "{error}");
    }
}

pub(crate) fn mutate(json: &mut Json, random: &mut Random) {
    match json {
        Json::Array(items) if !items.is_empty() && random.below(4) > 0 => {
            let at = random.below(items.len());
            mutate(&mut items[at], random);
        }
        Json::Object(entries) if !entries.is_empty() && random.below(4) > 0 => {
            let at = random.below(entries.len());
            if random.below(4) == 0 {
                entries[at].0.push('x');
            } else {
                mutate(&mut entries[at].1, random);
            }
        }
        Json::Object(entries) if !entries.is_empty() && random.below(2) == 0 => {
            entries.remove(random.below(entries.len()));
        }
        other => {
            let replacements = [
                Json::Null,
                Json::Bool(true),
                7_u8.into(),
                (-1_i32).into(),
                Json::Number(Number::parse("0.5").unwrap()),
                Json::Number(Number::parse("3.0").unwrap()),
                Json::Number(Number::parse("1e20").unwrap()),
                "text".into(),
                Json::Array(vec![]),
                Json::Object(vec![]),
                Json::object([("tag", Json::from("some"))]),
            ];
            *other = replacements[random.below(replacements.len())].clone();
        }
    }
}
