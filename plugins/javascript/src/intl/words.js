// Plural rules, lists, times as distances, names of currencies, letters as readers see them, tags of languages.
(function (native, intl) {
  const { choice } = intl;
  const STYLES = ["long", "short", "narrow"];

  const ORDINAL = ["few", "one", "two", "other"];
  const makeRules = (locales, values) => {
    const locale = intl.locale(locales),
      options = intl.options(values, true);
    intl.matcher(options);
    const type = choice(options, "type", ["cardinal", "ordinal"], "cardinal");
    intl.refuse(options, "notation", "PluralRules takes the number as it is");
    // The rules are those of the language, without a region.
    return {
      locale: locale.locale.slice(0, 2),
      name: locale.name,
      type,
      rounding: intl.readRounding(options, 0, 3, false),
    };
  };
  const select = (state, value) => {
    const number = intl.decimal(Number(value));
    const rounded = number.isNaN || number.isInfinite ? number : intl.round(number, state.rounding);
    return intl.category(state.name, state.type === "ordinal", rounded);
  };
  intl.define(
    "PluralRules",
    makeRules,
    0,
    {
      resolvedOptions: ({ locale, name, type, rounding }) => {
        const [digits] = intl.resolvedRounding(rounding);
        const all = !name.startsWith("en") ? ["other"] : type === "ordinal" ? [...ORDINAL] : ["one", "other"];
        return { locale, type, ...digits, pluralCategories: all };
      },
      select,
      // A range is plural in English, as it is by Node.js.
      selectRange: (state, start, end) => {
        if (start === undefined || end === undefined) throw new TypeError("selectRange needs a start and an end");
        if (Number.isNaN(Number(start)) || Number.isNaN(Number(end))) throw new RangeError("Invalid number value");
        return "other";
      },
    },
    false,
  );

  const texts = (list) => {
    const result = [];
    if (list === undefined) return result;
    for (const entry of list) {
      if (typeof entry !== "string") throw new TypeError(`Iterable yielded ${String(entry)} which is not a string`);
      result.push(entry);
    }
    return result;
  };
  // Returns the texts of a list, and at odd places what stands between them.
  const joined = ({ patterns: [start, middle, end, pair] }, list) => {
    if (list.length === 0) return [];
    let parts = [{ type: "element", value: list.at(-1) }];
    for (let index = list.length - 2; index >= 0; index--) {
      const pattern = list.length === 2 ? pair : index === list.length - 2 ? end : index === 0 ? start : middle;
      const [, before, between, after] = /^(.*)\{0\}(.*)\{1\}(.*)$/su.exec(pattern);
      const literal = (value) => (value === "" ? [] : [{ type: "literal", value }]);
      parts = [
        ...literal(before),
        { type: "element", value: list[index] },
        ...literal(between),
        ...parts,
        ...literal(after),
      ];
    }
    return parts;
  };
  const plainText = (parts) => parts.map(({ value }) => value).join("");
  intl.define(
    "ListFormat",
    (locales, values) => {
      const locale = intl.locale(locales),
        options = intl.options(values, false);
      intl.matcher(options);
      const type = choice(options, "type", ["conjunction", "disjunction", "unit"], "conjunction");
      const style = choice(options, "style", STYLES, "long");
      return { locale: locale.locale, type, style, patterns: intl.of("lists", locale.name)[`${type}-${style}`] };
    },
    0,
    {
      resolvedOptions: ({ locale, type, style }) => ({ locale, type, style }),
      format: (state, list) => plainText(joined(state, texts(list))),
      formatToParts: (state, list) => joined(state, texts(list)),
    },
    false,
  );

  const distance = (state, value, unitName) => {
    const unit = String(unitName).replace(/s$/, ""),
      name = state.units[unit] ? unit : undefined;
    if (name === undefined) {
      throw new RangeError(
        `Invalid unit argument for Intl.RelativeTimeFormat.prototype.format() '${String(unitName)}': ` +
          `expected one of ${Object.keys(state.units).join(", ")}`,
      );
    }
    const number = Number(value);
    if (!Number.isFinite(number)) throw new RangeError("Invalid number value: expected a finite number");
    const [past, future, auto] = state.units[name];
    if (state.numeric === "auto" && auto[number] !== undefined && !(Object.is(number, -0) && auto["-0"]))
      return [{ type: "literal", value: auto[number] }];
    const isPast = number < 0 || Object.is(number, -0);
    const parts = intl.numberParts(state.numbers, Math.abs(number));
    const rounded = intl.round(intl.decimal(Math.abs(number)), state.numbers.rounding);
    const pattern = intl.form(isPast ? past : future, intl.category(state.name, false, rounded));
    const [before, after] = pattern.split("{0}");
    return [
      ...(before ? [{ type: "literal", value: before }] : []),
      ...parts.map((part) => ({ ...part, unit: name })),
      ...(after ? [{ type: "literal", value: after }] : []),
    ];
  };
  intl.define(
    "RelativeTimeFormat",
    (locales, values) => {
      const locale = intl.locale(locales),
        options = intl.options(values, true);
      intl.matcher(options);
      const numberingSystem = intl.digits(options, locale);
      const style = choice(options, "style", STYLES, "long"),
        numeric = choice(options, "numeric", ["always", "auto"], "always");
      return {
        locale: locale.locale,
        name: locale.name,
        style,
        numeric,
        numberingSystem,
        units: intl.of("relative", locale.name)[style],
        numbers: intl.makeNumberFormat(locale.locale, undefined),
      };
    },
    0,
    {
      resolvedOptions: ({ locale, style, numeric, numberingSystem }) => ({ locale, style, numeric, numberingSystem }),
      format: (state, value, unit) => plainText(distance(state, value, unit)),
      formatToParts: (state, value, unit) => distance(state, value, unit),
    },
    false,
  );

  intl.define(
    "DisplayNames",
    (locales, values) => {
      const locale = intl.locale(locales);
      if (typeof values !== "object" || values === null)
        throw new TypeError('Intl.DisplayNames needs options: { type: "currency" }');
      const style = choice(values, "style", STYLES, "long"),
        type = String(values.type),
        fallback = choice(values, "fallback", ["code", "none"], "code");
      if (values.type === undefined) throw new TypeError('Required option "type" must not be undefined');
      if (type !== "currency") {
        throw new RangeError(
          `expected type \`currency\`, got \`${type}\`: Intl.DisplayNames has no names of languages and regions here; ` +
            "write a table of those that you need",
        );
      }
      return { locale: locale.locale, style, type, fallback, names: intl.of("currencies", locale.name) };
    },
    2,
    {
      resolvedOptions: ({ locale, style, type, fallback }) => ({ locale, style, type, fallback }),
      of: (state, value) => {
        const code = String(value).toUpperCase();
        if (!/^[A-Z]{3}$/.test(code))
          throw new RangeError(`Invalid argument to Intl.DisplayNames.prototype.of: ${value}`);
        return state.names[code]?.[2] ?? (state.fallback === "code" ? code : undefined);
      },
    },
    false,
  );

  const segments = (input) => {
    const found = [];
    let index = 0;
    for (const length of native.graphemes(native.text(input))) {
      found.push({ segment: input.slice(index, index + length), index, input });
      index += length;
    }
    return found;
  };
  const segmentsOf = (text) => {
    const input = String(text);
    let list;
    return {
      containing(at = 0) {
        const place = Math.trunc(Number(at)) || 0;
        list ??= segments(input);
        return place < 0 || place >= input.length ? undefined : { ...list.findLast(({ index }) => index <= place) };
      },
      *[Symbol.iterator]() {
        list ??= segments(input);
        for (const segment of list) yield { ...segment };
      },
    };
  };
  intl.define(
    "Segmenter",
    (locales, values) => {
      const locale = intl.locale(locales),
        options = intl.options(values, false);
      intl.matcher(options);
      const granularity = choice(options, "granularity", ["grapheme", "word", "sentence"], "grapheme");
      if (granularity !== "grapheme") {
        throw new RangeError(
          `expected granularity \`grapheme\`, got \`${granularity}\`: Intl.Segmenter has no dictionary here; ` +
            "for English words use text.match(/[\\p{L}\\p{N}'’]+/gu)",
        );
      }
      return { locale: locale.locale, granularity };
    },
    0,
    {
      resolvedOptions: ({ locale, granularity }) => ({ locale, granularity }),
      segment: (state, text) => segmentsOf(text),
    },
    false,
  );

  const KEYS = {
    calendar: "ca",
    collation: "co",
    hourCycle: "hc",
    caseFirst: "kf",
    numeric: "kn",
    numberingSystem: "nu",
  };
  const parts = new WeakMap();
  const read = (object) => {
    const found = typeof object === "object" && object !== null ? parts.get(object) : undefined;
    if (!found) throw new TypeError("Intl.Locale.prototype: incompatible receiver");
    return found;
  };
  class Locale {
    constructor(tag, values) {
      if (typeof tag !== "string" && (typeof tag !== "object" || tag === null))
        throw new TypeError("First argument to Intl.Locale constructor can't be empty or missing");
      const { language, script, region, keys } = intl.parseTag(String(tag)),
        options = intl.options(values, true);
      const base = [options.language ?? language, options.script ?? script, options.region ?? region].filter(
        (part) => part !== undefined,
      );
      const own = intl.parseTag(base.join("-"));
      for (const name of Object.keys(KEYS)) {
        const value = options[name];
        if (value !== undefined) keys[KEYS[name]] = value === true ? "" : String(value).toLowerCase();
      }
      const extension = Object.keys(keys)
        .sort()
        .map((key) => (keys[key] === "" || keys[key] === "true" ? `-${key}` : `-${key}-${keys[key]}`))
        .join("");
      parts.set(this, { ...own, keys, tag: own.base + (extension && `-u${extension}`) });
    }
    get baseName() {
      return read(this).base;
    }
    get language() {
      return read(this).language;
    }
    get script() {
      return read(this).script;
    }
    get region() {
      return read(this).region;
    }
    get calendar() {
      return read(this).keys.ca;
    }
    get collation() {
      return read(this).keys.co;
    }
    get hourCycle() {
      return read(this).keys.hc;
    }
    get caseFirst() {
      return read(this).keys.kf;
    }
    get numeric() {
      return ["", "true"].includes(read(this).keys.kn);
    }
    get numberingSystem() {
      return read(this).keys.nu;
    }
    toString() {
      return read(this).tag;
    }
    maximize() {
      throw new RangeError("Intl.Locale has no maximize here: write script and region yourself, such as `zh-Hans-CN`");
    }
    minimize() {
      throw new RangeError("Intl.Locale has no minimize here: use language and region");
    }
  }
  Object.defineProperty(Locale.prototype, Symbol.toStringTag, { value: "Intl.Locale", configurable: true });
  Object.defineProperty(Locale.prototype, intl.isLocale, { value: true });
  intl.add("Locale", Locale);

  intl.add("supportedValuesOf", (key) => {
    switch (String(key)) {
      case "calendar":
        return ["gregory"];
      case "collation":
        return ["pinyin", "stroke"];
      case "currency":
        return Object.keys(intl.of("currencies", "en")).sort();
      case "numberingSystem":
        return ["latn"];
      case "timeZone":
        return native.zones();
      case "unit":
        return Object.keys(intl.of("units", "en").short)
          .filter((unit) => unit !== "per" && !unit.includes("-per-"))
          .sort();
      default:
        throw new RangeError(`Invalid key : ${String(key)}`);
    }
  });
});
