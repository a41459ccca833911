// Writes `../tests/intl.tsv`: expressions of `Intl`, and what Node.js 20 makes of them, as JSON. `tests/intl.rs` repeats
// them.
//
//   node fixture.mjs
//
// The combinations are those of reports and tables. ICU drops fields of some that nobody writes, such as an hour and a
// second without a minute; they are left out. So are English in countries whose data ICU 78 mixes up (`en-DE`).
import { writeFileSync } from "node:fs";
import vm from "node:vm";

if (!process.version.startsWith("v20.")) throw new Error(`expected Node.js 20, got ${process.version}`);

// A generator of numbers that are the same in every run.
let seed = 20261129;
const random = () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};
const pick = (list) => list[Math.floor(random() * list.length)];
const maybe = (share, make) => (random() < share ? make() : undefined);
const show = JSON.stringify;
const clean = (options) => Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
const expressions = new Set();
const add = (...all) => all.forEach((expression) => expressions.add(expression));

const LANGUAGES = [
  "en-US",
  "en-US",
  "zh-CN",
  "zh-CN",
  "en-GB",
  "zh-TW",
  "en",
  "zh",
  "en-IN",
  "en-AU",
  "en-CA",
  "zh-HK",
  "en-NZ",
  "en-SG",
  "en-IE",
  "zh-SG",
];
const language = () => show(pick(LANGUAGES));

const NUMBERS = [
  "0",
  "-0",
  "1",
  "-1",
  "1.5",
  "0.5",
  "2.5",
  "-2.5",
  "1.005",
  "1.255",
  "1234.5",
  "-1234.567",
  "999",
  "999.5",
  "999999",
  "999949",
  "1e6",
  "123456789",
  "1e15",
  "1e21",
  "1.23e-7",
  "0.000123",
  "NaN",
  "Infinity",
  "-Infinity",
  "0.256",
  "99.995",
  "12345678901234567890",
  "0.1 + 0.2",
  "9999",
  "10000",
  "12345",
  "100000000",
  "99999999",
  "1234567.891",
  "5e-324",
  "1.7976931348623157e308",
  "12345678901234567890n",
  "-1234n",
  "0n",
];
const CURRENCIES = [
  "USD",
  "CNY",
  "EUR",
  "GBP",
  "JPY",
  "HKD",
  "TWD",
  "KRW",
  "INR",
  "AUD",
  "CAD",
  "CHF",
  "BRL",
  "SGD",
  "KWD",
  "MXN",
  "RUB",
  "THB",
  "VND",
  "BTC",
];
const UNITS = [
  "kilometer",
  "kilometer-per-hour",
  "celsius",
  "percent",
  "byte",
  "megabyte",
  "gigabyte",
  "day",
  "hour",
  "liter",
  "kilogram",
  "meter-per-second",
  "degree",
  "mile",
  "year",
  "inch",
  "millisecond",
  "liter-per-kilometer",
  "month",
  "minute",
  "gram-per-liter",
];
const places = () => {
  const choice = random(),
    least = pick([0, 1, 2, 3]);
  if (choice < 0.3) return { minimumFractionDigits: least, maximumFractionDigits: least + pick([0, 0, 1, 2]) };
  if (choice < 0.5) return { maximumFractionDigits: pick([0, 1, 2, 4]) };
  if (choice < 0.6) return { minimumFractionDigits: least };
  if (choice < 0.7) return { maximumSignificantDigits: pick([1, 2, 3, 4]) };
  if (choice < 0.75) return { minimumSignificantDigits: pick([2, 3]) };
  return {};
};
const numberOptions = () => {
  const style = pick(["decimal", "decimal", "percent", "currency", "currency", "currency", "unit"]);
  const isCompact = random() < 0.25;
  return clean({
    style: style === "decimal" ? maybe(0.3, () => style) : style,
    currency: style === "currency" ? pick(CURRENCIES) : undefined,
    currencyDisplay:
      style === "currency" ? maybe(0.35, () => pick(["symbol", "narrowSymbol", "code", "name"])) : undefined,
    currencySign: style === "currency" ? maybe(0.2, () => "accounting") : undefined,
    unit: style === "unit" ? pick(UNITS) : undefined,
    unitDisplay: style === "unit" ? maybe(0.6, () => pick(["short", "long", "narrow"])) : undefined,
    notation: isCompact ? "compact" : maybe(0.05, () => pick(["scientific", "engineering"])),
    compactDisplay: isCompact ? maybe(0.4, () => pick(["short", "long"])) : undefined,
    signDisplay: maybe(0.2, () => pick(["auto", "always", "exceptZero", "negative"])),
    useGrouping: maybe(0.15, () => pick([true, false, "always", "min2", "auto"])),
    minimumIntegerDigits: maybe(0.05, () => pick([2, 3])),
    roundingMode: maybe(0.08, () =>
      pick(["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"]),
    ),
    ...places(),
  });
};
for (const number of NUMBERS) {
  add(
    `(${number}).toLocaleString("en", { signDisplay: "never" })`,
    `(${number}).toLocaleString()`,
    `(${number}).toLocaleString("zh-CN")`,
    `(${number}).toLocaleString("en-US", { minimumFractionDigits: 2, maximumFractionDigits: 2 })`,
    `(${number}).toLocaleString("en-US", { style: "currency", currency: "USD" })`,
    `(${number}).toLocaleString("zh-CN", { style: "currency", currency: "CNY" })`,
    `(${number}).toLocaleString(undefined, { style: "percent", maximumFractionDigits: 1 })`,
    `(${number}).toLocaleString("zh-CN", { notation: "compact" })`,
    `(${number}).toLocaleString("en", { notation: "compact", maximumFractionDigits: 1 })`,
    `(${number}).toLocaleString("en-IN")`,
  );
}
for (const code of CURRENCIES) {
  for (const name of ["en-US", "zh-CN", "zh-TW", "en-GB"]) {
    add(
      `["symbol", "narrowSymbol", "code", "name"].map((currencyDisplay) => (-1234.5).toLocaleString("${name}", { style: "currency", currency: "${code}", currencyDisplay }))`,
    );
  }
}
for (const unit of UNITS) {
  for (const name of ["en", "zh"]) {
    add(
      `["long", "short", "narrow"].map((unitDisplay) => [1, 2.5].map((n) => n.toLocaleString("${name}", { style: "unit", unit: "${unit}", unitDisplay })))`,
    );
  }
}
for (let count = 0; count < 400; count++) {
  const options = show(numberOptions()),
    number = pick(NUMBERS);
  add(
    pick([
      `(${number}).toLocaleString(${language()}, ${options})`,
      `(${number}).toLocaleString(${language()}, ${options})`,
      `new Intl.NumberFormat(${language()}, ${options}).formatToParts(${number})`,
      `new Intl.NumberFormat(${language()}, ${options}).resolvedOptions()`,
    ]),
  );
}

const TIMES = [
  0, 1704412987089, 1719792000000, 1704067199999, 1709208300000, 951782400000, -86400000, 1767225600000, 1730000000000,
  1741503600000, 4102444800000, -62198755200000, 946684800000,
];
const ZONES = [
  "UTC",
  "Asia/Shanghai",
  "America/New_York",
  "Europe/London",
  "Asia/Tokyo",
  "America/Los_Angeles",
  "Europe/Berlin",
  "Australia/Sydney",
  "Asia/Hong_Kong",
  "America/Sao_Paulo",
  "Asia/Singapore",
  "Africa/Cairo",
];
const FIELDS = [
  {},
  { year: "numeric", month: "long", day: "numeric" },
  { year: "numeric", month: "short", day: "numeric" },
  { year: "numeric", month: "2-digit", day: "2-digit" },
  { month: "short", day: "numeric" },
  { month: "long", year: "numeric" },
  { month: "short", year: "2-digit" },
  { weekday: "long" },
  { weekday: "short", month: "short", day: "numeric" },
  { weekday: "long", year: "numeric", month: "long", day: "numeric" },
  { month: "long" },
  { month: "short" },
  { month: "narrow" },
  { year: "numeric" },
  { day: "numeric" },
  { month: "numeric", day: "numeric" },
  { year: "numeric", month: "numeric" },
  { era: "short", year: "numeric", month: "long", day: "numeric" },
  { month: "2-digit" },
  { weekday: "short", year: "numeric", month: "numeric", day: "numeric" },
  { weekday: "narrow" },
  { year: "2-digit", month: "2-digit", day: "2-digit" },
  { weekday: "long", month: "long", day: "numeric" },
];
const CLOCKS = [
  {},
  {},
  {},
  { hour: "numeric", minute: "2-digit" },
  { hour: "2-digit", minute: "2-digit" },
  { hour: "2-digit", minute: "2-digit", second: "2-digit" },
  { hour: "numeric", minute: "numeric", second: "numeric" },
  { hour: "numeric" },
  { hour: "2-digit", minute: "2-digit", hour12: false },
  { hour: "2-digit", minute: "2-digit", hour12: true },
  { hour: "numeric", minute: "2-digit", hourCycle: "h23" },
  { hour: "numeric", minute: "2-digit", second: "2-digit", fractionalSecondDigits: 3 },
  { hour: "numeric", minute: "2-digit", timeZoneName: "short" },
  { hour: "numeric", minute: "2-digit", timeZoneName: "long" },
  { hour12: false },
  { minute: "2-digit", second: "2-digit" },
  { hour: "numeric", dayPeriod: "short" },
  { hour: "numeric", minute: "2-digit", timeZoneName: "shortOffset" },
];
const STYLES = ["full", "long", "medium", "short"];
const dateOptions = () =>
  random() < 0.25
    ? clean({
        dateStyle: maybe(0.75, () => pick(STYLES)),
        timeStyle: maybe(0.6, () => pick(STYLES)),
        timeZone: maybe(0.8, () => pick(ZONES)),
        hour12: maybe(0.1, () => random() < 0.5),
      })
    : clean({ ...pick(FIELDS), ...pick(CLOCKS), timeZone: maybe(0.8, () => pick(ZONES)) });
for (const name of ["undefined", ...new Set(LANGUAGES)].map((name) => (name === "undefined" ? name : show(name)))) {
  add(
    `[new Date(1704412987089).toLocaleString(${name}), new Date(1704412987089).toLocaleDateString(${name}), new Date(1704412987089).toLocaleTimeString(${name})]`,
  );
  for (const dateStyle of STYLES) {
    for (const timeStyle of STYLES)
      add(
        `new Date(1704412987089).toLocaleString(${name}, { dateStyle: "${dateStyle}", timeStyle: "${timeStyle}", timeZone: "Asia/Shanghai" })`,
      );
  }
}
for (let count = 0; count < 500; count++) {
  const options = show(dateOptions()),
    date = `new Date(${pick(TIMES)})`;
  add(
    pick([
      `${date}.toLocaleString(${language()}, ${options})`,
      `${date}.toLocaleDateString(${language()}, ${options})`,
      `${date}.toLocaleTimeString(${language()}, ${options})`,
      `new Intl.DateTimeFormat(${language()}, ${options}).formatToParts(${date})`,
      `new Intl.DateTimeFormat(${language()}, ${options}).resolvedOptions()`,
    ]),
  );
}
// Offsets of zones at many times: around changes, before there were zones, far in the future.
for (const zone of [
  ...ZONES,
  "Europe/Dublin",
  "Asia/Kathmandu",
  "America/St_Johns",
  "Pacific/Auckland",

  "Asia/Tehran",
  "Pacific/Apia",
  "America/Caracas",
]) {
  add(
    `[-3e12, -1e12, 0, 3e11, 6e11, 1e12, 1.3e12, 1.67e12, 1.7e12, 1.711e12, 1.7119e12, 1.73e12, 1.99e12, 4e12, 9e13].map((t) => new Date(t).toLocaleString("en-GB", { timeZone: "${zone}" }))`,
  );
}

const WORDS = [
  "a",
  "A",
  "b",
  "B",
  "ä",
  "Ä",
  "á",
  "é",
  "e",
  "E",
  "z",
  "Z",
  "ß",
  "ss",
  "œ",
  "oe",
  "co-op",
  "coop",
  "co op",
  "Coop",
  "résumé",
  "resume",
  "Resume",
  "Résumé",
  "file2",
  "file10",
  "file1",
  "File2",
  "10",
  "9",
  "2",
  "1.10",
  "1.9",
  "-1",
  "_x",
  "x",
  "",
  " ",
  "a b",
  "ab",
  "a-b",
  "a_b",
  "$5",
  "€5",
  "#",
  "%",
  "ａ",
  "１",
  "ñ",
  "n",
  "N",
  "Ł",
  "l",
  "张",
  "王",
  "李",
  "赵",
  "钱",
  "孙",
  "周",
  "吴",
  "郑",
  "陈",
  "欧阳",
  "单",
  "曾",
  "重庆",
  "北京",
  "上海",
  "广州",
  "长沙",
  "安徽",
  "中国",
  "銀行",
  "银行",
  "行",
  "阿",
  "八",
  "第2章",
  "第10章",
  "第一章",
  "一",
  "二",
  "三",
  "四",
  "十",
  "龘",
  "〇",
  "あ",
  "ア",
  "か",
  "한",
  "Я",
  "я",
  "Ω",
  "ω",
  "😀",
  "e\u0301",
  "１０",
  "Ａ",
  "ⅳ",
  "…",
  "—",
  "“",
  "《",
];
const orders = [
  `undefined`,
  `"en-US"`,
  `"zh-CN"`,
  `"zh-TW"`,
  `"zh-Hans"`,
  `"zh-u-co-stroke"`,
  `"zh-TW-u-co-pinyin"`,
  `"en", { numeric: true }`,
  `"zh-CN", { numeric: true }`,
  `"en", { sensitivity: "base" }`,
  `"en", { sensitivity: "accent" }`,
  `"en", { sensitivity: "case" }`,
  `"en", { caseFirst: "upper" }`,
  `"en-u-kf-lower"`,
  `"en-u-kn"`,
  `"en", { ignorePunctuation: true }`,
  `"zh", { sensitivity: "base" }`,
];
for (const order of orders) {
  // Under English, the data of ICU4X has Chinese characters by number, that of Node.js by radical.
  const words = order.includes("zh") ? WORDS : WORDS.filter((word) => !/\p{Script=Han}/u.test(word));
  for (let count = 0; count < 6; count++) {
    const list = count === 0 ? words : Array.from({ length: 12 }, () => pick(words));
    add(`${show(list)}.sort(new Intl.Collator(${order}).compare)`);
  }
  for (let count = 0; count < 8; count++) add(`${show(pick(words))}.localeCompare(${show(pick(words))}, ${order})`);
  if (!order.includes("-co-")) add(`new Intl.Collator(${order}).resolvedOptions()`);
}
// The Chinese characters that are used most, by GB 2312 and Big5, in both orders. Of rare ones, and of one of these, the
// data of ICU4X, which is newer than that of Node.js, has other readings.
const common = (encoding, first, last, ends) => {
  const decoder = new TextDecoder(encoding),
    letters = [];
  for (let lead = first; lead <= last; lead++) {
    for (const [from, to] of ends) {
      for (let trail = from; trail <= to; trail++) letters.push(decoder.decode(Uint8Array.of(lead, trail)));
    }
  }
  return letters.filter((letter) => /^\p{Script=Han}$/u.test(letter) && letter !== "匙");
};
const COMMON = {
  "zh-CN": common("gbk", 0xb0, 0xd7, [[0xa1, 0xfe]]),
  "zh-TW": common("big5", 0xa4, 0xc6, [
    [0x40, 0x7e],
    [0xa1, 0xfe],
  ]),
};
for (const name of Object.keys(COMMON)) {
  for (let from = 0; from < 20; from++) {
    const letters = COMMON[name].filter((_, index) => index % 20 === from).join("");
    add(`[..."${letters}"].sort(new Intl.Collator("${name}").compare).join("")`);
  }
}

for (const name of ["en", "zh", "en-GB", "zh-TW", "en-IN"]) {
  for (const type of ["cardinal", "ordinal"]) {
    add(
      `[0, 1, 2, 3, 4, 11, 12, 13, 21, 22, 23, 101, 111, 1.5, 0.1, -1, 1000000].map((n) => new Intl.PluralRules("${name}", { type: "${type}" }).select(n))`,
      `new Intl.PluralRules("${name}", { type: "${type}" }).resolvedOptions()`,
      `new Intl.PluralRules("${name}", { type: "${type}" }).selectRange(0, 1)`,
    );
  }
  add(`new Intl.PluralRules("${name}", { minimumFractionDigits: 1 }).select(1)`);
  for (const style of ["long", "short", "narrow"]) {
    for (const type of ["conjunction", "disjunction", "unit"]) {
      add(
        `[[], ["a"], ["a", "b"], ["a", "b", "c"], ["a", "b", "c", "d"]].map((list) => new Intl.ListFormat("${name}", { style: "${style}", type: "${type}" }).format(list))`,
      );
    }
    for (const numeric of ["always", "auto"]) {
      add(
        `["second", "minutes", "hour", "day", "week", "month", "quarter", "years"].map((unit) => [-2, -1, -0, 0, 1, 2, 10.5, 1234].map((n) => new Intl.RelativeTimeFormat("${name}", { style: "${style}", numeric: "${numeric}" }).format(n, unit)))`,
      );
    }
  }
  add(
    `new Intl.ListFormat("${name}").formatToParts(["a", "b", "c"])`,
    `new Intl.RelativeTimeFormat("${name}").formatToParts(-1234.5, "day")`,
    `new Intl.ListFormat("${name}").resolvedOptions()`,
    `new Intl.RelativeTimeFormat("${name}").resolvedOptions()`,
    `["USD", "CNY", "JPY", "ZZZ"].map((code) => new Intl.DisplayNames("${name}", { type: "currency" }).of(code))`,
  );
}
add(
  `[...new Intl.Segmenter("zh").segment("a👨‍👩‍👧é年\\u0301🇨🇳🇺🇸\\r\\nक्षि\\ud800x")]`,
  `new Intl.Segmenter("en").segment("a👨‍👩‍👧").containing(3)`,
  `[1234.5, new Date(0), 12n, null, "x"].toLocaleString("en-US", { style: "currency", currency: "USD", timeZone: "UTC" })`,
  `Float64Array.of(1234.5, 2).toLocaleString("zh-CN")`,
  `Intl.getCanonicalLocales(["EN-us", "zh-hant-tw"])`,
  `Intl.NumberFormat.supportedLocalesOf(["en-US", "zh-CN"])`,
  `["I".toLocaleLowerCase("en"), "i".toLocaleUpperCase()]`,
  `new Date(NaN).toLocaleDateString("en-US")`,
  `new Intl.NumberFormat(["zh-CN", "en"]).resolvedOptions().locale`,
  `new Intl.NumberFormat("zh-Hant-TW").resolvedOptions().locale`,
  `new Intl.NumberFormat("en-u-nu-latn").resolvedOptions().locale`,
  `new Intl.DateTimeFormat("en-u-hc-h23-ca-gregory", { hour: "numeric" }).resolvedOptions()`,
  `new Date(0).toLocaleTimeString("en-US-u-hc-h23")`,
  `String(new Intl.Locale("zh-hans-cn"))`,
  `new Intl.Locale("en-GB").region`,
  `Intl.supportedValuesOf("unit")`,
  `Object.prototype.toString.call(Intl)`,
  `Intl.NumberFormat("en").format(1e3)`,
  `typeof Intl.DateTimeFormat().format`,
  `new Intl.NumberFormat("en").format("12345678901234567890.125")`,
  `[1, 2, 3].map(new Intl.NumberFormat("en", { minimumFractionDigits: 1 }).format)`,
  `new Date(2024, 0, 5).toLocaleDateString("en-US", { timeZone: "UTC" })`,
);
// Errors, by their class.
add(
  `new Intl.NumberFormat("en", { style: "currency" })`,
  `new Intl.NumberFormat("en", { style: "currency", currency: "US" })`,
  `new Intl.NumberFormat("en", { style: "unit", unit: "furlong" })`,
  `new Intl.NumberFormat("en", { style: "money" })`,
  `new Intl.NumberFormat("en_US")`,
  `(1).toLocaleString("")`,
  `new Intl.NumberFormat("en", { maximumFractionDigits: -1 })`,
  `new Intl.NumberFormat("en", { minimumFractionDigits: 4, maximumFractionDigits: 2 })`,
  `new Date(0).toLocaleString("en", { timeZone: "Mars/Base" })`,
  `new Date(0).toLocaleString("en", { month: "big" })`,
  `new Date(0).toLocaleDateString("en", { timeStyle: "short" })`,
  `new Date(0).toLocaleString("en", { dateStyle: "short", year: "numeric" })`,
  `new Intl.DateTimeFormat("en").format(NaN)`,
  `Intl.PluralRules("en")`,
  `new Intl.ListFormat("en").format([1])`,
  `new Intl.RelativeTimeFormat("en").format(1, "fortnight")`,
  `new Intl.DisplayNames("en")`,
  `"a".localeCompare("b", "en", { sensitivity: "loud" })`,
  `(1).toLocaleString(null)`,
);

const context = vm.createContext({});
// Node.js takes the zone of the machine where none is named.
process.env.TZ = "UTC";
const lines = [...expressions].map((expression) => {
  const run = `(() => { try { return JSON.stringify(${expression}) ?? "undefined"; } catch (error) { return "! " + error.name; } })()`;
  return `${expression}\t${vm.runInContext(run, context)}`;
});
writeFileSync(new URL("../tests/intl.tsv", import.meta.url), `${lines.join("\n")}\n`);
console.log(`${lines.length} expressions`);
