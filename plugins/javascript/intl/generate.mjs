// Writes `src/intl/data`: what `Intl` needs of CLDR for English and Chinese.
//
//   npm install --no-save cldr-core@48.0.0 cldr-dates-full@48.0.0 cldr-numbers-full@48.0.0 cldr-units-full@48.0.0 \
//     cldr-misc-full@48.0.0 cldr-bcp47@48.2.0
//   node generate.mjs
//
// CLDR 48 is what the ICU of Node.js 20.20 has, with which `fixture.mjs` compares. The data is under the licence Unicode-3.0
// (skills/javascript/LICENSE-libraries.txt). Each file has one line a language; a language has only what differs from
// its parent in `parents`.
import { createRequire } from "node:module";
import { readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

const require = createRequire(join(process.cwd(), "package.json"));
const folder = (name) => dirname(require.resolve(`${name}/package.json`));
const supplemental = (name) => require(`cldr-core/supplemental/${name}.json`).supplemental;
// English in other alphabets and Chinese in Latin letters have hardly any data.
const LANGUAGES = readdirSync(join(folder("cldr-dates-full"), "main")).filter(
  (name) => /^(en|zh)(-|$)/.test(name) && !/Dsrt|Shaw|Latn/.test(name),
);
const read = (pack, language, file) => require(`${pack}/main/${language}/${file}.json`).main[language];
const explicit = supplemental("parentLocales").parentLocales.parentLocale;
const parents = Object.fromEntries(
  LANGUAGES.map((language) => {
    if (language === "en" || language === "zh") return [language, null];
    const cut = language.slice(0, language.lastIndexOf("-"));
    const parent = explicit[language];
    return [language, LANGUAGES.includes(parent) ? parent : cut];
  }),
);

// Returns what differs from `parent`; undefined if nothing does.
const difference = (value, parent) => {
  if (JSON.stringify(value) === JSON.stringify(parent)) return undefined;
  const isTree = (x) => typeof x === "object" && x !== null && !Array.isArray(x);
  if (!isTree(value) || !isTree(parent)) return value;
  const result = {};
  for (const key of Object.keys(value)) {
    const part = difference(value[key], parent[key]);
    if (part !== undefined) result[key] = part;
  }
  for (const key of Object.keys(parent)) if (!(key in value)) result[key] = null;
  return result;
};

const write = (name, make) => {
  const all = Object.fromEntries(LANGUAGES.map((language) => [language, make(language)]));
  const lines = LANGUAGES.map((language) => {
    const part = parents[language] ? difference(all[language], all[parents[language]]) : all[language];
    return part === undefined ? null : `${JSON.stringify(language)}:${JSON.stringify(part)}`;
  });
  save(name, `{\n${lines.filter((line) => line !== null).join(",\n")}\n}\n`);
};
const save = (name, text) => {
  writeFileSync(new URL(`../src/intl/data/${name}.json`, import.meta.url), text);
  console.log(name, text.length);
};

// "one" and "other" of a thing; a text if there is only one.
const plural = (things, key) => {
  const [one, other] = [things[`${key}-count-one`], things[`${key}-count-other`]];
  return one === undefined || one === other ? other : [one, other];
};

const powers = (formats, suffix = "") => {
  const result = [];
  for (let zeros = 3; zeros <= 14; zeros++) {
    const [one, other] = ["one", "other"].map((count) => {
      const key = `1${"0".repeat(zeros)}-count-${count}`;
      return formats[key + suffix] ?? formats[key];
    });
    result.push(one === undefined || one === other ? other : [one, other]);
  }
  return result;
};

write("numbers", (language) => {
  const { numbers } = read("cldr-numbers-full", language, "numbers");
  const get = (name) => numbers[`${name}-numberSystem-latn`];
  const symbols = get("symbols"),
    decimal = get("decimalFormats"),
    currency = get("currencyFormats");
  const short = currency.short.standard;
  return {
    minimumGrouping: Number(numbers.minimumGroupingDigits),
    decimal: symbols.decimal,
    group: symbols.group,
    plus: symbols.plusSign,
    minus: symbols.minusSign,
    percentSign: symbols.percentSign,
    exponent: symbols.exponential,
    infinity: symbols.infinity,
    nan: symbols.nan,
    standard: decimal.standard,
    percent: get("percentFormats").standard,
    currency: currency.standard,
    accounting: currency.accounting,
    named: plural(currency, "unitPattern"),
    compact: {
      short: powers(decimal.short.decimalFormat),
      long: powers(decimal.long.decimalFormat),
      currency: powers(short),
    },
  };
});

const fractions = supplemental("currencyData").currencyData.fractions;
const now = new Set();
for (const regions of Object.values(supplemental("currencyData").currencyData.region)) {
  for (const entry of regions) {
    for (const [code, dates] of Object.entries(entry)) if (!dates._to && dates._tender !== "false") now.add(code);
  }
}
save(
  "currency-digits",
  `${JSON.stringify(
    Object.fromEntries(
      Object.entries(fractions)
        .filter(([code, { _digits }]) => code !== "DEFAULT" && _digits !== "2")
        .map(([code, { _digits }]) => [code, Number(_digits)]),
    ),
  )}\n`,
);

// Symbol, narrow symbol and names of currencies that are in use: "" if the same as the code.
write("currencies", (language) => {
  const { currencies } = read("cldr-numbers-full", language, "currencies").numbers;
  const entries = Object.entries(currencies)
    .filter(([code]) => now.has(code))
    .map(([code, currency]) => {
      const symbol = currency.symbol ?? code;
      const narrow = currency["symbol-alt-narrow"] ?? symbol;
      const names = plural(currency, "displayName") ?? currency.displayName;
      const value = [symbol === code ? "" : symbol, narrow === code ? "" : narrow, currency.displayName];
      if (names !== currency.displayName) value.push(...[names].flat());
      return [code, value];
    });
  return Object.fromEntries(entries);
});

// The units of ECMA-402.
const UNITS = (
  "acre bit byte celsius centimeter day degree fahrenheit fluid-ounce foot gallon gigabit gigabyte gram hectare hour inch " +
  "kilobit kilobyte kilogram kilometer liter megabit megabyte meter microsecond mile mile-scandinavian milliliter " +
  "millimeter millisecond minute month nanosecond ounce percent petabyte pound second stone terabit terabyte week yard year"
).split(" ");
write("units", (language) => {
  const { units } = read("cldr-units-full", language, "units");
  return Object.fromEntries(
    ["short", "long", "narrow"].map((width) => {
      const all = units[width],
        result = { per: all.per.compoundUnitPattern };
      const find = (name) => Object.keys(all).find((key) => key.replace(/^[a-z]+-/, "") === name);
      for (const unit of UNITS) {
        const entry = all[find(unit)];
        result[unit] = [plural(entry, "unitPattern"), entry.perUnitPattern ?? 0];
      }
      for (const key of Object.keys(all)) {
        const name = key.replace(/^[a-z]+-/, "");
        const [left, right] = name.split("-per-");
        if (right && UNITS.includes(left) && UNITS.includes(right)) result[name] = [plural(all[key], "unitPattern"), 0];
      }
      return [width, result];
    }),
  );
});

const LIST = { conjunction: "standard", disjunction: "or", unit: "unit" };
write("lists", (language) => {
  const { listPatterns } = read("cldr-misc-full", language, "listPatterns");
  return Object.fromEntries(
    Object.entries(LIST).flatMap(([type, name]) =>
      [
        ["long", ""],
        ["short", "-short"],
        ["narrow", "-narrow"],
      ].map(([style, suffix]) => {
        const p = listPatterns[`listPattern-type-${name}${suffix}`];
        return [`${type}-${style}`, [p.start, p.middle, p.end, p[2]]];
      }),
    ),
  );
});

const TIMES = ["year", "quarter", "month", "week", "day", "hour", "minute", "second"];
write("relative", (language) => {
  const { fields } = read("cldr-dates-full", language, "dateFields").dates;
  return Object.fromEntries(
    [
      ["long", ""],
      ["short", "-short"],
      ["narrow", "-narrow"],
    ].map(([style, suffix]) => [
      style,
      Object.fromEntries(
        TIMES.map((unit) => {
          const field = fields[unit + suffix],
            auto = {};
          for (let offset = -3; offset <= 3; offset++) {
            const text = field[`relative-type-${offset}`];
            if (text !== undefined) auto[offset] = text;
          }
          return [
            unit,
            [
              plural(field["relativeTime-type-past"], "relativeTimePattern"),
              plural(field["relativeTime-type-future"], "relativeTimePattern"),
              auto,
            ],
          ];
        }),
      ),
    ]),
  );
});

const FIELDS = {
  Era: "era",
  Year: "year",
  Month: "month",
  "Day-Of-Week": "weekday",
  Day: "day",
  Hour: "hour",
  Minute: "minute",
  Second: "second",
  Timezone: "zone",
};
const clock = supplemental("timeData").timeData;
const REGIONS = { en: "US", zh: "CN", "zh-Hans": "CN", "zh-Hant": "TW" };
const MONTHS = Array.from({ length: 12 }, (_, index) => String(index + 1));
const DAYS = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];
write("dates", (language) => {
  const g = read("cldr-dates-full", language, "ca-gregorian").dates.calendars.gregorian;
  const { fields } = read("cldr-dates-full", language, "dateFields").dates;
  const names = (kind, keys) =>
    Object.fromEntries(
      ["format", "stand-alone"].flatMap((form) =>
        ["abbreviated", "wide", "narrow"].map((width) => [
          `${form === "format" ? "" : "alone-"}${width}`,
          keys.map((key) => kind[form][width][key] ?? "").join("|"),
        ]),
      ),
    );
  const styles = (formats) => ["full", "long", "medium", "short"].map((style) => formats[style]);
  // The packages lose the spaces that ICU has in Chinese with traditional characters.
  const joins = (formats) =>
    styles(formats).map((pattern, index) =>
      pattern === "{1}{0}" ? (index < 3 ? "{1} {0}" : "{1}\u2009{0}") : pattern,
    );
  const available = {};
  for (const key of Object.keys(g.dateTimeFormats.availableFormats).sort()) {
    if (!/-alt-|-count-|[QwW]/.test(key)) available[key] = g.dateTimeFormats.availableFormats[key];
  }
  const append = {};
  for (const [name, field] of Object.entries(FIELDS)) {
    append[field] = [g.dateTimeFormats.appendItems[name], fields[field === "zone" ? "zone" : field].displayName];
  }
  const region = REGIONS[language] ?? language.split("-").pop();
  const periods = Object.keys(g.dayPeriods.format.wide).filter((key) => !key.includes("-alt-"));
  // As ICU's root has it.
  append.fractionalSecond = ["{0} ├{2}: {1}┤", "F14"];
  append.dayPeriod = ["{0} ├{2}: {1}┤", fields.dayperiod.displayName];
  return {
    cycle: (clock[region] ?? clock["001"])._preferred,
    months: names(g.months, MONTHS),
    days: names(g.days, DAYS),
    periods: { keys: periods.join("|"), ...names(g.dayPeriods, periods) },
    eras: {
      abbreviated: `${g.eras.eraAbbr[0]}|${g.eras.eraAbbr[1]}`,
      wide: `${g.eras.eraNames[0]}|${g.eras.eraNames[1]}`,
      narrow: `${g.eras.eraNarrow[0]}|${g.eras.eraNarrow[1]}`,
    },
    date: styles(g.dateFormats),
    time: styles(g.timeFormats),
    join: joins(g.dateTimeFormats),
    at: joins(g["dateTimeFormats-atTime"].standard),
    available,
    append,
  };
});

const rules = supplemental("dayPeriods").dayPeriodRuleSet;
save(
  "day-periods",
  `${JSON.stringify(
    Object.fromEntries(
      ["en", "zh", "zh-Hant"].map((language) => {
        const minutes = (text) => Number(text.split(":")[0]) * 60 + Number(text.split(":")[1]);
        return [
          language,
          Object.entries(rules[language] ?? rules[language.split("-")[0]]).map(([name, rule]) =>
            rule._at ? [name, minutes(rule._at), -1] : [name, minutes(rule._from), minutes(rule._before)],
          ),
        ];
      }),
    ),
  )}\n`,
);

// Zones by their metazone: the present one, and changes.
const aliases = {};
const zones = require("cldr-bcp47/bcp47/timezone.json").keyword.u.tz;
for (const { _alias } of Object.values(zones)) {
  if (_alias) for (const name of _alias.split(" ")) aliases[name] = _alias.split(" ")[0];
}
const flat = (tree, prefix = "") =>
  Object.entries(tree).flatMap(([key, value]) => {
    const name = prefix + key;
    return Array.isArray(value) ? [[name, value]] : flat(value, `${name}/`);
  });
const periodsOf = Object.fromEntries(flat(supplemental("metaZones").metaZones.metazoneInfo.timezone));
const metazones = {};
for (const [name, canonical] of Object.entries(aliases)) {
  const uses = periodsOf[canonical];
  if (!uses) continue;
  const value = uses.map(({ usesMetazone: u }) => (u._to ? [u._mzone, u._to] : [u._mzone]));
  (metazones[value.map((use) => use.join("=")).join(";")] ??= []).push(name);
}
save(
  "metazones",
  `{\n${Object.entries(metazones)
    .map(([key, names]) => `${JSON.stringify(key)}:${JSON.stringify(names.join(" "))}`)
    .join(",\n")}\n}\n`,
);

write("zone-names", (language) => {
  const z = read("cldr-dates-full", language, "timeZoneNames").dates.timeZoneNames;
  const names = (entry) =>
    entry &&
    ["long", "short"].map((width) => (entry[width] ? [entry[width].standard ?? "", entry[width].daylight ?? ""] : 0));
  const result = { gmt: z.gmtFormat, hour: z.hourFormat };
  for (const [name, entry] of Object.entries(z.metazone)) if (entry.long || entry.short) result[name] = names(entry);
  for (const [name, entry] of flatNames(z.zone)) if (entry.long || entry.short) result[name] = names(entry);
  return result;
});
function flatNames(tree, prefix = "") {
  return Object.entries(tree).flatMap(([key, value]) => {
    const name = prefix + key;
    return "_type" in value || value.exemplarCity || value.long || value.short
      ? [[name, value]]
      : flatNames(value, `${name}/`);
  });
}

save("parents", `${JSON.stringify(parents)}\n`);
