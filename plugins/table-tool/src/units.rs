//! Units and multipliers of numbers. Each is either known or refused; none is guessed.

/// The effect of a unit on the number before or after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Unit {
    /// As written.
    pub(crate) text: String,
    /// The base unit in its usual spelling; empty for pure multipliers.
    pub(crate) base: String,
    /// The power of ten that the number is multiplied by.
    pub(crate) power: i32,
}

/// Signs and codes of currencies, and their standard codes. `¥` and `$` are signs of several currencies.
const CURRENCIES: [(&str, &str); 46] = [
    ("¥", "¥"),
    ("￥", "¥"),
    ("CN¥", "CNY"),
    ("RMB¥", "CNY"),
    ("人民币", "CNY"),
    ("RMB", "CNY"),
    ("CNY", "CNY"),
    ("元人民币", "CNY"),
    ("元", "CNY"),
    ("圆", "CNY"),
    ("US$", "USD"),
    ("USD", "USD"),
    ("美元", "USD"),
    ("美金", "USD"),
    ("$", "$"),
    ("€", "EUR"),
    ("EUR", "EUR"),
    ("欧元", "EUR"),
    ("£", "GBP"),
    ("GBP", "GBP"),
    ("英镑", "GBP"),
    ("HK$", "HKD"),
    ("HKD", "HKD"),
    ("港元", "HKD"),
    ("港币", "HKD"),
    ("JP¥", "JPY"),
    ("JPY", "JPY"),
    ("日元", "JPY"),
    ("円", "JPY"),
    ("NT$", "TWD"),
    ("TWD", "TWD"),
    ("新台币", "TWD"),
    ("S$", "SGD"),
    ("SGD", "SGD"),
    ("新加坡元", "SGD"),
    ("A$", "AUD"),
    ("AUD", "AUD"),
    ("澳元", "AUD"),
    ("C$", "CAD"),
    ("CAD", "CAD"),
    ("加元", "CAD"),
    ("CHF", "CHF"),
    ("瑞士法郎", "CHF"),
    ("₩", "KRW"),
    ("KRW", "KRW"),
    ("韩元", "KRW"),
];

/// Units of counts and measures that are not converted.
const COUNTERS: [&str; 73] = [
    "人次",
    "人",
    "名",
    "位",
    "户",
    "家",
    "台",
    "个",
    "件",
    "套",
    "只",
    "张",
    "辆",
    "架",
    "艘",
    "座",
    "栋",
    "间",
    "份",
    "本",
    "册",
    "篇",
    "项",
    "次",
    "笔",
    "单",
    "票",
    "箱",
    "包",
    "袋",
    "瓶",
    "桶",
    "条",
    "根",
    "颗",
    "粒",
    "棵",
    "株",
    "头",
    "匹",
    "所",
    "门",
    "天",
    "小时",
    "分钟",
    "工时",
    "吨",
    "公斤",
    "千克",
    "克",
    "斤",
    "公里",
    "千米",
    "米",
    "厘米",
    "毫米",
    "平方米",
    "平方公里",
    "立方米",
    "亩",
    "公顷",
    "升",
    "毫升",
    "千瓦时",
    "千瓦",
    "倍",
    "股",
    "kg",
    "km",
    "kWh",
    "㎡",
    "pcs",
    "Mt",
];

const PLAIN_MULTIPLIERS: [(&str, i32); 21] = [
    ("百", 2),
    ("千", 3),
    ("万", 4),
    ("十万", 5),
    ("百万", 6),
    ("千万", 7),
    ("亿", 8),
    ("十亿", 9),
    ("百亿", 10),
    ("千亿", 11),
    ("万亿", 12),
    ("十万亿", 13),
    ("百万亿", 14),
    ("k", 3),
    ("K", 3),
    ("M", 6),
    ("B", 9),
    ("thousand", 3),
    ("million", 6),
    ("billion", 9),
    ("trillion", 12),
];

const SHORT_MULTIPLIERS: [(&str, i32); 4] = [("mn", 6), ("mln", 6), ("bn", 9), ("tn", 12)];

/// Units with several meanings, and these meanings.
const AMBIGUOUS: [(&str, &str); 9] = [
    ("m", "million, metre or minute"),
    ("mm", "million or millimetre"),
    ("b", "billion, byte or bit"),
    ("t", "ton or trillion"),
    ("T", "ton or trillion"),
    ("G", "billion or gram"),
    ("兆", "a million or a million million"),
    ("百分点", "a difference of percentages"),
    ("个百分点", "a difference of percentages"),
];

/// Returns the currency at the start of a text, and the rest.
pub(crate) fn take_currency(text: &str) -> Option<(&str, &'static str, &str)> {
    let known = CURRENCIES
        .iter()
        .filter(|(sign, _)| text.starts_with(sign))
        .max_by_key(|(sign, _)| sign.len())?;
    let (sign, rest) = text.split_at(known.0.len());
    Some((sign, known.1, rest))
}

/// Parses the unit after a number. `suffix` is trimmed and not empty.
pub(crate) fn suffix(suffix: &str) -> Result<Unit, String> {
    let unit = |base: &str, power| Unit { text: suffix.to_owned(), base: base.to_owned(), power };
    if let Some((_, meanings)) = AMBIGUOUS.iter().find(|(text, _)| *text == suffix) {
        return Err(format!("unit `{suffix}` is ambiguous: {meanings}"));
    }
    match suffix {
        "%" => return Ok(unit("", -2)),
        "‰" => return Ok(unit("", -3)),
        _ => {}
    }
    if let Some(base) = known_base(suffix) {
        return Ok(unit(&base, 0));
    }
    let (power, rest) = take_multiplier(suffix).ok_or_else(|| unknown(suffix))?;
    match rest.trim_start() {
        "" => Ok(unit("", power)),
        rest => known_base(rest).map(|base| unit(&base, power)).ok_or_else(|| unknown(suffix)),
    }
}

/// Returns the multiplier at the start of a text, and the rest.
pub(crate) fn take_multiplier(text: &str) -> Option<(i32, &str)> {
    let lower = text.to_ascii_lowercase();
    let is_start = |name: &str| {
        // A word of letters must match completely: `million` is not `m`, and `kg` is not `k`.
        let source = if name.len() > 1 { lower.as_str() } else { text };
        source.strip_prefix(name).is_some_and(|rest| {
            !name.is_ascii() || !rest.starts_with(|char: char| char.is_ascii_alphabetic())
        })
    };
    let known =
        PLAIN_MULTIPLIERS.iter().chain(&SHORT_MULTIPLIERS).filter(|(name, _)| is_start(name));
    let (name, power) = known.max_by_key(|(name, _)| name.len())?;
    Some((*power, &text[name.len()..]))
}

/// Returns the base of a currency or a counter, or of one per another: `元/吨`.
fn known_base(text: &str) -> Option<String> {
    if let Some((_, code)) = CURRENCIES.iter().find(|(sign, _)| *sign == text) {
        return Some((*code).to_owned());
    }
    if COUNTERS.contains(&text) {
        return Some(text.to_owned());
    }
    let (over, under) = text.split_once('/')?;
    let is_time = matches!(under, "年" | "月" | "日" | "季度");
    let under = if is_time {
        under.to_owned()
    } else {
        known_base(under).filter(|base| !base.contains('/'))?
    };
    Some(format!("{}/{under}", known_base(over)?))
}

fn unknown(suffix: &str) -> String {
    format!("unknown unit {}", crate::problem::quote(suffix))
}

/// Returns the unit in brackets at the end of a column name, such as `收入(万元)`, if it changes the value.
pub(crate) fn in_column_name(name: &str) -> Option<Unit> {
    let name = name.trim().strip_suffix([')', '）', ']', '】'])?;
    let (_, inner) = name.rsplit_once(['(', '（', '[', '【'])?;
    let inner = inner.trim().trim_start_matches("单位").trim_start_matches([':', '：']).trim();
    let inner = if inner == "％" { "%" } else { inner };
    if inner.is_empty() {
        return None;
    }
    suffix(inner).ok().filter(|unit| unit.power != 0)
}
