// `Intl.NumberFormat`, `Number.prototype.toLocaleString`, `BigInt.prototype.toLocaleString`.
(function (native, intl) {
  const { choice, count } = intl;
  const WELL_KNOWN = "a code of three letters such as `USD`";
  const readCurrency = (options, state) => {
    const currency = options.currency;
    if (currency !== undefined && !/^[a-z]{3}$/i.test(String(currency))) {
      throw new RangeError(`Invalid currency code : ${String(currency)}; expected ${WELL_KNOWN}`);
    }
    const display = choice(options, "currencyDisplay", ["code", "symbol", "narrowSymbol", "name"], "symbol");
    const sign = choice(options, "currencySign", ["standard", "accounting"], "standard");
    if (state.style !== "currency") return;
    if (currency === undefined)
      throw new TypeError("Currency code is required with currency style: set the option `currency`");
    state.currency = String(currency).toUpperCase();
    state.currencyDisplay = display;
    state.currencySign = sign;
  };

  const unitsOf = (state) => intl.of("units", state.name)[state.unitDisplay];
  const isUnit = (unit) => unit !== "per" && unit in intl.of("units", "en").short && !unit.includes("-per-");
  const readUnit = (options, state) => {
    const unit = options.unit === undefined ? undefined : String(options.unit);
    const display = choice(options, "unitDisplay", ["short", "narrow", "long"], "short");
    const parts = unit?.split("-per-") ?? [];
    if (unit !== undefined && !(parts.length <= 2 && parts.every(isUnit))) {
      const units = Object.keys(intl.of("units", "en").short).filter(isUnit).join(", ");
      throw new RangeError(
        `Invalid unit argument for Intl.NumberFormat() '${unit}': expected one of ${units}, or two of them with \`-per-\``,
      );
    }
    if (state.style !== "unit") return;
    if (unit === undefined)
      throw new TypeError("Invalid unit argument for Intl.NumberFormat() '': set the option `unit`");
    state.unit = unit;
    state.unitDisplay = display;
  };

  const MODES = ["ceil", "floor", "expand", "trunc", "halfCeil", "halfFloor", "halfExpand", "halfTrunc", "halfEven"];
  const INCREMENTS = [1, 2, 5, 10, 20, 25, 50, 100, 200, 250, 500, 1000, 2000, 2500, 5000];
  // Reads how many digits are shown. `least` and `most` are the places behind the point of the style.
  intl.readRounding = (options, least, most, isCompact) => {
    const integer = count(options.minimumIntegerDigits, "minimumIntegerDigits", 1, 21, 1);
    const raw = [
      options.minimumFractionDigits,
      options.maximumFractionDigits,
      options.minimumSignificantDigits,
      options.maximumSignificantDigits,
    ];
    const [leastFraction, mostFraction, leastSignificant, mostSignificant] = raw;
    const increment = count(options.roundingIncrement, "roundingIncrement", 1, 5000, 1);
    if (!INCREMENTS.includes(increment)) {
      throw new RangeError(
        `roundingIncrement value is out of range: expected one of ${INCREMENTS.join(", ")}, got ${increment}`,
      );
    }
    const mode = choice(options, "roundingMode", MODES, "halfExpand");
    const priority = choice(options, "roundingPriority", ["auto", "morePrecision", "lessPrecision"], "auto");
    const zeros = choice(options, "trailingZeroDisplay", ["auto", "stripIfInteger"], "auto");
    const hasSignificant = leastSignificant !== undefined || mostSignificant !== undefined;
    const hasFraction = leastFraction !== undefined || mostFraction !== undefined;
    const result = {
      integer,
      mode,
      increment,
      priority,
      zeros,
      stripsZeros: zeros === "stripIfInteger",
      type: "fraction",
    };
    if (priority !== "auto" || hasSignificant) {
      result.leastSignificant = count(leastSignificant, "minimumSignificantDigits", 1, 21, 1);
      result.mostSignificant = count(mostSignificant, "maximumSignificantDigits", result.leastSignificant, 21, 21);
      result.type = "significant";
    }
    if (priority !== "auto" || !(hasSignificant || (!hasFraction && isCompact))) {
      let low = count(leastFraction, "minimumFractionDigits", 0, 100, undefined);
      let high = count(mostFraction, "maximumFractionDigits", 0, 100, undefined);
      low ??= hasFraction ? Math.min(least, high ?? least) : least;
      high ??= hasFraction ? Math.max(most, low) : most;
      if (low > high)
        throw new RangeError(`maximumFractionDigits value is out of range: expected ${low} or more, got ${high}`);
      result.leastFraction = low;
      result.mostFraction = high;
      if (!hasSignificant) result.type = "fraction";
    } else if (!hasSignificant) {
      Object.assign(result, {
        leastFraction: 0,
        mostFraction: 0,
        leastSignificant: 1,
        mostSignificant: 2,
        type: "more",
        isCompact: true,
      });
    }
    if (priority !== "auto") result.type = priority === "morePrecision" ? "more" : "less";
    if (increment !== 1) {
      if (result.type !== "fraction")
        throw new TypeError(
          "roundingIncrement needs digits behind the point: leave out significant digits and roundingPriority",
        );
      if (result.leastFraction !== result.mostFraction) {
        throw new RangeError(
          "roundingIncrement value is out of range: minimumFractionDigits and maximumFractionDigits must be equal",
        );
      }
    }
    return result;
  };

  const readGrouping = (options, notation) => {
    const value = options.useGrouping,
      fallback = notation === "compact" ? "min2" : "auto";
    if (value === undefined || value === "true" || value === "false") return fallback;
    if (value === true) return "always";
    if (!value) return false;
    return choice(options, "useGrouping", ["min2", "auto", "always"], fallback);
  };

  const make = (locales, values) => {
    const locale = intl.locale(locales),
      options = intl.options(values, true);
    intl.matcher(options);
    const state = {
      locale: intl.tagged(locale, ["nu"]),
      name: locale.name,
      numberingSystem: intl.digits(options, locale),
    };
    state.style = choice(options, "style", ["decimal", "percent", "currency", "unit"], "decimal");
    readCurrency(options, state);
    readUnit(options, state);
    state.notation = choice(options, "notation", ["standard", "scientific", "engineering", "compact"], "standard");
    let least = 0,
      most = state.style === "percent" ? 0 : 3;
    if (state.style === "currency" && state.notation !== "compact") {
      least = most = intl.section("currency-digits")[state.currency] ?? 2;
    } else if (state.style === "currency") {
      least = most = intl.section("currency-digits")[state.currency] ?? 2;
    }
    state.rounding = intl.readRounding(options, least, most, state.notation === "compact");
    const display = choice(options, "compactDisplay", ["short", "long"], "short");
    if (state.notation === "compact") state.compactDisplay = display;
    state.useGrouping = readGrouping(options, state.notation);
    state.signDisplay = choice(options, "signDisplay", ["auto", "never", "always", "exceptZero", "negative"], "auto");
    return prepare(state);
  };

  // Returns the text before and behind the digits of a pattern, and the sizes of its groups.
  const patternOf = (pattern) => {
    const [, prefix, body, suffix] = /^([^#0]*)([#0,.E]+)(.*)$/.exec(pattern);
    const groups = body.split(".")[0].split(",");
    const primary = groups.length > 1 ? groups.at(-1).length : 0;
    return { prefix, suffix, primary, secondary: groups.length > 2 ? groups.at(-2).length : primary };
  };
  const currencyText = (state) => {
    const [symbol, narrow, name, one, other] = intl.of("currencies", state.name)[state.currency] ?? [];
    switch (state.currencyDisplay) {
      case "code":
        return state.currency;
      case "symbol":
        return state.currency === "XXX" ? "¤" : symbol || state.currency;
      case "narrowSymbol":
        return state.currency === "XXX" ? "¤" : narrow || state.currency;
      default:
        return one === undefined ? (name ?? state.currency) : other === undefined ? one : [one, other];
    }
  };
  const prepare = (state) => {
    const data = intl.of("numbers", state.name);
    state.data = data;
    let pattern = data.standard;
    state.isNamed = state.currencyDisplay === "name";
    if (state.style === "percent") pattern = data.percent;
    if (state.style === "currency") {
      state.text = currencyText(state);
      if (!state.isNamed) pattern = state.currencySign === "accounting" ? data.accounting : data.currency;
    }
    const [positive, negative] = pattern.split(";");
    state.positive = patternOf(positive);
    state.negative = negative === undefined ? undefined : patternOf(negative);
    const { style, notation } = state;
    // Most formats are of this kind, and take the short way.
    state.isPlain = style === "decimal" && notation === "standard" && state.signDisplay === "auto";
    return state;
  };

  const grouped = (state, integer, parts) => {
    const { primary, secondary } = state.positive,
      { useGrouping, data } = state;
    const isSparse = useGrouping === "min2" || (useGrouping === "auto" && state.notation === "compact");
    const least = useGrouping === "always" ? 1 : isSparse ? Math.max(2, data.minimumGrouping) : data.minimumGrouping;
    if (useGrouping === false || primary === 0 || integer.length < primary + least) {
      parts.push({ type: "integer", value: integer });
      return;
    }
    const groups = [integer.slice(-primary)];
    for (let at = integer.length - primary; at > 0; at -= secondary)
      groups.unshift(integer.slice(Math.max(at - secondary, 0), at));
    groups.forEach((group, index) => {
      if (index > 0) parts.push({ type: "group", value: data.group });
      parts.push({ type: "integer", value: group });
    });
  };
  const addNumber = (state, value, parts) => {
    const { integer, fraction } = intl.cut(value, state.rounding.integer);
    grouped(state, integer, parts);
    if (fraction !== "")
      parts.push({ type: "decimal", value: state.data.decimal }, { type: "fraction", value: fraction });
  };

  // Adds a text with its outer spaces as literals.
  const addText = (text, type, parts) => {
    const [, before, inner, after] = /^(\s*)(.*?)(\s*)$/su.exec(text);
    if (before) parts.push({ type: "literal", value: before });
    if (inner) parts.push({ type, value: inner });
    if (after) parts.push({ type: "literal", value: after });
  };
  // Adds the text around the digits. A currency that ends with a letter is separated from them.
  const addAffix = (state, affix, isPrefix, parts, isNumber) => {
    let literal = "";
    const flush = () => {
      if (literal) parts.push({ type: "literal", value: literal });
      literal = "";
    };
    for (let at = 0; at < affix.length; at++) {
      const c = affix[at];
      if (c === "¤") {
        const text = state.text;
        if (!isPrefix && at === 0 && isNumber && /^[^\p{S}\p{Z}]/u.test(text)) literal += "\u00a0";
        flush();
        parts.push({ type: "currency", value: text });
        if (isPrefix && at === affix.length - 1 && isNumber && /[^\p{S}\p{Z}]$/u.test(text)) literal = "\u00a0";
      } else if (c === "%") {
        flush();
        // V8 takes the sign of a compact number for a unit.
        parts.push({ type: state.notation === "compact" ? "unit" : "percentSign", value: state.data.percentSign });
      } else if (c === "-") {
        flush();
        parts.push({ type: "minusSign", value: state.data.minus });
      } else literal += c;
    }
    flush();
  };

  // Returns "-", "+" or "" for a rounded number.
  const signOf = (state, value) => {
    const isZero = !value.isNaN && !value.isInfinite && !value.digits;
    switch (state.signDisplay) {
      case "never":
        return "";
      case "always":
        return value.isNegative ? "-" : "+";
      case "exceptZero":
        return isZero || value.isNaN ? "" : value.isNegative ? "-" : "+";
      case "negative":
        return value.isNegative && !isZero ? "-" : "";
      default:
        return value.isNegative ? "-" : "";
    }
  };

  // Returns the compact pattern for a power of ten: how far the point moves, and the text.
  const compactOf = (state, magnitude) => {
    const { compact } = state.data,
      isMoney = state.style === "currency" && !state.isNamed;
    const patterns = isMoney ? compact.currency : compact[state.compactDisplay];
    const power = Math.min(magnitude, 14);
    const pattern = power < 3 ? "0" : patterns[power - 3];
    const other = intl.form(pattern, "other"),
      zeros = other.match(/0+/)[0].length;
    return other === "0" ? { shift: 0 } : { shift: zeros - 1 - power, pattern };
  };
  const scaled = (state, value, find) => {
    let scale = find(intl.magnitude(value));
    let rounded = intl.round(intl.shift(value, scale.shift), state.rounding);
    const magnitude = intl.magnitude(value);
    if (rounded.digits && intl.magnitude(rounded) !== magnitude + scale.shift) {
      const next = find(magnitude + 1);
      if (next.shift !== scale.shift) {
        scale = next;
        rounded = intl.round(intl.shift(value, scale.shift), state.rounding);
      }
    }
    return [rounded, scale];
  };
  const roundedOf = (state, value) => {
    if (value.isNaN || value.isInfinite) return [value, {}];
    const shifted = state.style === "percent" ? intl.shift(value, 2) : value;
    switch (state.notation) {
      case "compact":
        return scaled(state, shifted, (magnitude) => compactOf(state, magnitude));
      case "scientific":
        return scaled(state, shifted, (magnitude) => ({ shift: -magnitude, exponent: magnitude }));
      case "engineering":
        return scaled(state, shifted, (magnitude) => {
          const exponent = Math.floor(magnitude / 3) * 3;
          return { shift: -exponent, exponent };
        });
      default:
        return [intl.round(shifted, state.rounding), {}];
    }
  };
  const addExponent = (state, exponent, parts) => {
    parts.push({ type: "exponentSeparator", value: state.data.exponent });
    if (exponent < 0) parts.push({ type: "exponentMinusSign", value: state.data.minus });
    parts.push({ type: "exponentInteger", value: String(Math.abs(exponent)) });
  };

  const bare = (texts) => intl.form(texts, "one").replace("{0}", "").trim();
  // Returns the pattern of a unit for a plural category.
  const unitPattern = (state, category) => {
    const units = unitsOf(state),
      known = units[state.unit];
    if (known) return intl.form(known[0], category);
    const [left, right] = state.unit.split("-per-");
    const first = intl.form(units[left][0], category);
    if (units[right][1]) return units[right][1].replace("{0}", first);
    return units.per.replace("{0}", first).replace("{1}", bare(units[right][0]));
  };

  // Wraps the parts of a number in a pattern such as `{0} km`.
  const wrapped = (pattern, type, inner, parts) => {
    const at = pattern.indexOf("{0}");
    addText(pattern.slice(0, at), type, parts);
    parts.push(...inner);
    addText(pattern.slice(at + 3), type, parts);
  };

  const toParts = (state, value) => {
    const [rounded, scale] = roundedOf(state, value);
    const sign = signOf(state, rounded),
      isNumber = !rounded.isNaN && !rounded.isInfinite;
    const digits = [];
    if (rounded.isNaN) digits.push({ type: "nan", value: state.data.nan });
    else if (rounded.isInfinite) digits.push({ type: "infinity", value: state.data.infinity });
    else addNumber(state, rounded, digits);
    if (scale.exponent !== undefined) addExponent(state, scale.exponent, digits);
    // The category is that of the whole number: one thousand is plural.
    const category = intl.category(state.name, false, intl.shift(rounded, -(scale.shift ?? 0)));

    let { prefix, suffix } = state.positive,
      isOwn = false;
    let body = digits;
    if (scale.pattern) {
      const [, before, after] = /^([^0]*)0+(.*)$/.exec(intl.form(scale.pattern, category));
      const [text, ...currency] = after.split(/(?=[\s\u00a0]*¤)/);
      body = [...digits];
      addText(text, "compact", body);
      // Compact patterns of currencies have the sign of the currency.
      if (state.style === "currency" && !state.isNamed) [prefix, suffix] = [before, currency.join("")];
    } else if (sign === "-" && state.negative) {
      ({ prefix, suffix } = state.negative);
      isOwn = true;
    }
    const parts = [];
    if (sign && !isOwn)
      parts.push(
        sign === "-" ? { type: "minusSign", value: state.data.minus } : { type: "plusSign", value: state.data.plus },
      );
    addAffix(state, prefix, true, parts, isNumber);
    parts.push(...body);
    addAffix(state, suffix, false, parts, isNumber);
    if (state.isNamed) {
      const result = [],
        pattern = intl.form(state.data.named, category).replace("{1}", () => intl.form(state.text, category));
      wrapped(pattern, "currency", parts, result);
      return result;
    }
    if (state.style === "unit") {
      const result = [];
      wrapped(unitPattern(state, category), "unit", parts, result);
      return result;
    }
    return parts;
  };

  const format = (state, value) => {
    const decimal = intl.decimal(value);
    if (state.isPlain && !decimal.isNaN && !decimal.isInfinite) {
      const rounded = intl.round(decimal, state.rounding);
      const { integer, fraction } = intl.cut(rounded, state.rounding.integer);
      let text = integer;
      if (integer.length > 3 && state.useGrouping !== false) {
        const parts = [];
        grouped(state, integer, parts);
        text = "";
        for (const part of parts) text += part.value;
      }
      return (
        (rounded.isNegative ? state.data.minus : "") + text + (fraction === "" ? "" : state.data.decimal + fraction)
      );
    }
    let text = "";
    for (const part of toParts(state, decimal)) text += part.value;
    return text;
  };
  intl.numberParts = (state, value) => toParts(state, intl.decimal(value));
  intl.makeNumberFormat = make;

  const LAST = {
    roundingMode: "mode",
    roundingIncrement: "increment",
    trailingZeroDisplay: "zeros",
    roundingPriority: "priority",
  };
  const roundingOptions = (rounding) => {
    const result = { minimumIntegerDigits: rounding.integer };
    const hasBoth = rounding.type === "more" || rounding.type === "less";
    if (rounding.type === "significant" || hasBoth) {
      result.minimumSignificantDigits = rounding.leastSignificant;
      result.maximumSignificantDigits = rounding.mostSignificant;
    }
    if (rounding.type === "fraction" || hasBoth) {
      result.minimumFractionDigits = rounding.leastFraction;
      result.maximumFractionDigits = rounding.mostFraction;
    }
    return result;
  };
  intl.resolvedRounding = (rounding) => {
    const end = {};
    for (const key of Object.keys(LAST)) end[key] = rounding[LAST[key]];
    if (rounding.isCompact) end.roundingPriority = "morePrecision";
    return [roundingOptions(rounding), end];
  };

  const FIRST = [
    "locale",
    "numberingSystem",
    "style",
    "currency",
    "currencyDisplay",
    "currencySign",
    "unit",
    "unitDisplay",
  ];
  const resolvedOptions = (state) => {
    const result = {},
      [digits, end] = intl.resolvedRounding(state.rounding);
    for (const key of FIRST) if (state[key] !== undefined) result[key] = state[key];
    Object.assign(result, digits, { useGrouping: state.useGrouping, notation: state.notation });
    if (state.compactDisplay) result.compactDisplay = state.compactDisplay;
    return Object.assign(result, { signDisplay: state.signDisplay }, end);
  };
  const noRange = () => {
    throw new RangeError("Intl.NumberFormat has no formatRange here: format both ends, and write `–` between them");
  };

  intl.define(
    "NumberFormat",
    make,
    0,
    {
      resolvedOptions: (state) => resolvedOptions(state),
      formatToParts: (state, value) => toParts(state, intl.decimal(value)),
      format: intl.bound((state) => (value) => format(state, value)),
      formatRange: (state, start, end) => noRange(),
      formatRangeToParts: (state, start, end) => noRange(),
    },
    true,
  );

  const formats = new Map();
  intl.numberToLocaleString = (value, locales, options) =>
    format(
      intl.kept(formats, locales, options, () => make(locales, options)),
      value,
    );
});
