// `Intl.DateTimeFormat`, and `toLocaleString`, `toLocaleDateString` and `toLocaleTimeString` of dates.
(function (native, intl) {
  const { choice } = intl;
  const { floor, abs } = Math;
  // Milliseconds of the last `Date`, and of the first with the other sign.
  const LAST_TIME = 8.64e15;
  const getTime = Date.prototype.getTime;
  const TEXTS = ["narrow", "short", "long"],
    NUMBERS = ["2-digit", "numeric"];
  const VALUES = {
    weekday: TEXTS,
    era: TEXTS,
    year: NUMBERS,
    month: [...NUMBERS, ...TEXTS],
    day: NUMBERS,
    dayPeriod: TEXTS,
    hour: NUMBERS,
    minute: NUMBERS,
    second: NUMBERS,
    timeZoneName: ["short", "long", "shortOffset", "longOffset"],
  };
  const GENERIC = ["shortGeneric", "longGeneric"];
  const width = (letter, shortest) => ({
    narrow: letter.repeat(5),
    long: letter.repeat(4),
    short: letter.repeat(shortest),
  });
  const digits = (letter) => ({ "2-digit": letter.repeat(2), numeric: letter });
  const SKELETON = {
    weekday: width("E", 3),
    era: width("G", 3),
    year: digits("y"),
    month: { ...width("M", 3), ...digits("M") },
    day: digits("d"),
    dayPeriod: width("B", 1),
    minute: digits("m"),
    second: digits("s"),
    timeZoneName: { long: "zzzz", short: "z", longOffset: "OOOO", shortOffset: "O" },
  };
  const HOURS = { h11: "K", h12: "h", h23: "H", h24: "k" };
  const CYCLES = { K: "h11", h: "h12", H: "h23", k: "h24" };
  const STYLES = ["full", "long", "medium", "short"];

  const zoneOf = (value) => {
    if (value === undefined) return { name: "UTC", offset: 0 };
    const text = String(value);
    const match = /^([-+])([01]\d|2[0-3])(?::?([0-5]\d))?$/.exec(text);
    if (match) {
      const minutes = Number(match[2]) * 60 + Number(match[3] ?? 0),
        isWest = match[1] !== "+" && minutes > 0;
      return {
        name: `${isWest ? "-" : "+"}${match[2]}:${match[3] ?? "00"}`,
        offset: (isWest ? -minutes : minutes) * 60_000,
      };
    }
    const name = native.zone(text);
    if (name === null || name === undefined) {
      throw new RangeError(
        `Invalid time zone specified: ${text}; expected \`UTC\`, a name such as \`Asia/Shanghai\` or an offset such as \`+08:00\``,
      );
    }
    return /^(?:Etc\/)?(?:UTC|UCT|GMT|Zulu|Universal|Greenwich|GMT[-+]?0)$/.test(name)
      ? { name: "UTC", offset: 0 }
      : { name };
  };
  // Returns the distance from UTC in milliseconds, and whether it is summer time.
  const offsetOf = (zone, time) => {
    if (zone.offset !== undefined) return [zone.offset, false];
    const [seconds, isSummer] = native.offset(zone.name, floor(time / 1000));
    return [seconds * 1000, isSummer === 1];
  };

  // Sets the fields that are shown if a script asks for none.
  const withDefaults = (values, required, defaults) => {
    const options = Object.create(values === undefined ? null : intl.options(values, true));
    const has = (names) => names.some((name) => options[name] !== undefined);
    let isBare = true;
    if (required !== "time" && has(["weekday", "year", "month", "day"])) isBare = false;
    if (required !== "date" && has(["dayPeriod", "hour", "minute", "second", "fractionalSecondDigits"])) isBare = false;
    if (has(["dateStyle", "timeStyle"])) isBare = false;
    if (required === "date" && options.timeStyle !== undefined)
      throw new TypeError("Invalid option : timeStyle; toLocaleDateString has no time, use toLocaleString");
    if (required === "time" && options.dateStyle !== undefined)
      throw new TypeError("Invalid option : dateStyle; toLocaleTimeString has no date, use toLocaleString");
    // Defined rather than assigned, because the options of a script may be frozen.
    const show = (name) => Object.defineProperty(options, name, { value: "numeric" });
    if (isBare && defaults !== "time") ["year", "month", "day"].forEach(show);
    if (isBare && defaults !== "date") ["hour", "minute", "second"].forEach(show);
    return options;
  };

  const cycleOf = (options, locale, standard) => {
    const hour12 = intl.flag(options, "hour12");
    const asked = choice(options, "hourCycle", ["h11", "h12", "h23", "h24"], undefined);
    if (hour12 !== undefined) {
      const isZero = standard === "h11" || standard === "h23";
      return hour12 ? (isZero ? "h11" : "h12") : isZero ? "h23" : "h24";
    }
    const key = locale.keys.hc;
    return asked ?? (key in HOURS ? key : undefined);
  };
  // Replaces the letters of hours outside of quotes.
  const withCycle = (pattern, cycle) => {
    let last = "";
    return intl
      .patternItems(pattern)
      .map((item) => {
        const before = last;
        last = item[0];
        if (!/[hHkK]/.test(item[0])) return item;
        return (before === "d" ? " " : "") + HOURS[cycle].repeat(item.length);
      })
      .join("");
  };
  const hourIn = (pattern) => intl.patternItems(pattern).find((item) => /^[hHkK]/.test(item))?.[0];

  const stylePattern = (state, data, cycle) => {
    const date = data.date[STYLES.indexOf(state.dateStyle)];
    let time = data.time[STYLES.indexOf(state.timeStyle)];
    let pattern = date ?? time;
    if (date !== undefined && time !== undefined) {
      const join = STYLES.indexOf(state.dateStyle) < 2 ? data.at : data.join;
      pattern = intl.joined(join[STYLES.indexOf(state.dateStyle)], date, time);
    }
    if (time === undefined || cycle === undefined || CYCLES[hourIn(time)] === cycle) return pattern;
    const skeleton = intl
      .patternItems(pattern)
      .filter((item) => /^[A-Za-z]/.test(item) && !/^[abB]/.test(item))
      .map((item) => (/^[hHkK]/.test(item) ? HOURS[cycle].repeat(item.length) : item))
      .join("");
    return withCycle(intl.bestPattern(state.name, skeleton, true), cycle);
  };

  const make = (locales, values, required = "any", defaults = "date") => {
    const locale = intl.locale(locales),
      options = withDefaults(values, required, defaults);
    intl.matcher(options);
    const isClockSet = options.hour12 !== undefined || options.hourCycle !== undefined;
    const state = {
      locale: intl.tagged(locale, isClockSet ? ["ca", "nu"] : ["ca", "hc", "nu"]),
      name: locale.name,
      calendar: intl.calendar(options, locale),
      numberingSystem: intl.digits(options, locale),
    };
    const data = intl.of("dates", locale.name);
    const standard = CYCLES[data.cycle];
    let cycle = cycleOf(options, locale, standard);
    state.zone = zoneOf(options.timeZone);
    let skeleton = "",
      hasField = false,
      hasHour = false;
    for (const name of Object.keys(VALUES)) {
      if (name === "timeZoneName") {
        const count = intl.count(options.fractionalSecondDigits, "fractionalSecondDigits", 1, 3, 0);
        if (count > 0) hasField = true;
        skeleton += "S".repeat(count);
        if (GENERIC.includes(options[name])) {
          throw new RangeError(`expected timeZoneName short, long, shortOffset or longOffset, got ${options[name]}`);
        }
      }
      const value = choice(options, name, VALUES[name], undefined);
      if (value === undefined) continue;
      hasField = true;
      if (name === "hour") hasHour = true;
      skeleton +=
        name === "hour" ? HOURS[cycle ?? standard].repeat(value === "2-digit" ? 2 : 1) : SKELETON[name][value];
    }
    choice(options, "formatMatcher", ["basic", "best fit"], "best fit");
    state.dateStyle = choice(options, "dateStyle", STYLES, undefined);
    state.timeStyle = choice(options, "timeStyle", STYLES, undefined);
    if (state.dateStyle || state.timeStyle) {
      if (hasField) {
        const name = [...Object.keys(VALUES), "fractionalSecondDigits"].find((field) => options[field] !== undefined);
        throw new TypeError(`Can't set option ${name} when ${state.dateStyle ? "dateStyle" : "timeStyle"} is used`);
      }
      state.pattern = stylePattern(state, data, cycle ?? standard);
      if (state.timeStyle) state.hourCycle = cycle ?? CYCLES[hourIn(state.pattern)];
    } else {
      state.pattern = intl.bestPattern(locale.name, skeleton, true);
      if (hasHour) {
        state.hourCycle = cycle ?? standard;
        state.pattern = withCycle(state.pattern, state.hourCycle);
      }
    }
    state.items = intl
      .patternItems(state.pattern)
      .map((item) =>
        item.startsWith("'")
          ? { text: item.slice(1, -1).replaceAll("''", "'") || "'" }
          : /^[A-Za-z]/.test(item)
            ? { letter: item[0], length: item.length }
            : { text: item },
      );
    state.data = data;
    return state;
  };

  const WIDTHS = { 4: "wide", 5: "narrow" };
  const named = (kinds, length, isAlone, index) =>
    kinds[`${isAlone ? "alone-" : ""}${WIDTHS[length] ?? "abbreviated"}`].split("|")[index];
  const padded = (number, length) => String(number).padStart(length, "0");

  const periodOf = (state, moment, hasMinute, hasSecond) => {
    const rules = intl.section("day-periods")[state.name.startsWith("zh") ? "zh" : "en"];
    const hour = moment.getUTCHours(),
      now = hour * 60 + (hasMinute ? moment.getUTCMinutes() : 0);
    const isExact = !hasSecond || moment.getUTCSeconds() === 0;
    // ICU takes noon, but not midnight, for a period.
    const exact = rules.find(([name, from, before]) => name === "noon" && before === -1 && from === now && isExact);
    return (exact ??
      rules.find(
        ([, from, before]) =>
          before !== -1 &&
          (from < before ? hour * 60 >= from && hour * 60 < before : hour * 60 >= from || hour * 60 < before),
      ))[0];
  };

  const localizedOffset = (names, offset, isLong) => {
    const [east, west] = names.hour.split(";"),
      seconds = floor(abs(offset) / 1000);
    const hours = floor(seconds / 3600),
      minutes = floor(seconds / 60) % 60,
      rest = seconds % 60;
    let text = (offset >= 0 ? east : west)[0] + (isLong ? padded(hours, 2) : hours);
    if (isLong || minutes > 0 || rest > 0) text += `:${padded(minutes, 2)}`;
    if (rest > 0) text += `:${padded(rest, 2)}`;
    return names.gmt.replace("{0}", () => text);
  };
  const metazones = new Map();
  const metazoneOf = (zone, time) => {
    // ICU knows no names of zones before.
    if (time < 0) return undefined;
    if (metazones.size === 0) {
      const section = intl.section("metazones");
      for (const uses of Object.keys(section)) for (const name of section[uses].split(" ")) metazones.set(name, uses);
    }
    for (const use of metazones.get(zone)?.split(";") ?? []) {
      const [name, to] = use.split("=");
      if (to === undefined || time < Date.parse(`${to.replace(" ", "T")}Z`)) return name;
    }
    return undefined;
  };
  const zoneText = (state, item, { time, offset, isSummer }) => {
    const names = intl.of("zone-names", state.name),
      isLong = item.length >= 4;
    if (item.letter === "z") {
      const own = state.zone.name === "UTC" ? "Etc/UTC" : state.zone.name;
      for (const key of [own, metazoneOf(own, time)]) {
        const text = names[key]?.[isLong ? 0 : 1]?.[isSummer ? 1 : 0];
        if (text) return text;
      }
    }
    return localizedOffset(names, offset, isLong);
  };

  const TYPES = {
    G: "era",
    y: "year",
    M: "month",
    L: "month",
    d: "day",
    E: "weekday",
    c: "weekday",
    e: "weekday",
    a: "dayPeriod",
    b: "dayPeriod",
    B: "dayPeriod",
    h: "hour",
    H: "hour",
    k: "hour",
    K: "hour",
    m: "minute",
    s: "second",
    S: "fractionalSecond",
    z: "timeZoneName",
    O: "timeZoneName",
  };
  const fieldText = (state, item, when) => {
    const { letter, length } = item;
    const { data } = state;
    const { moment, year } = when;
    switch (letter) {
      case "G":
        return named(data.eras, length, false, year > 0 ? 1 : 0);
      case "y": {
        const shown = year > 0 ? year : 1 - year;
        return length === 2 ? padded(shown % 100, 2) : padded(shown, length);
      }
      case "M":
      case "L":
        return length < 3
          ? padded(moment.getUTCMonth() + 1, length)
          : named(data.months, length, letter === "L", moment.getUTCMonth());
      case "d":
        return padded(moment.getUTCDate(), length);
      case "E":
        return named(data.days, length, false, moment.getUTCDay());
      case "c":
      case "e":
        return named(data.days, length, letter === "c", moment.getUTCDay());
      case "a":
        return named(
          data.periods,
          length,
          false,
          data.periods.keys.split("|").indexOf(moment.getUTCHours() < 12 ? "am" : "pm"),
        );
      case "B":
      case "b": {
        const has = (other) => state.items.some((one) => one.letter === other);
        return named(
          data.periods,
          length,
          false,
          data.periods.keys.split("|").indexOf(periodOf(state, moment, has("m"), has("s"))),
        );
      }
      case "h":
        return padded(moment.getUTCHours() % 12 || 12, length);
      case "H":
        return padded(moment.getUTCHours(), length);
      case "K":
        return padded(moment.getUTCHours() % 12, length);
      case "k":
        return padded(moment.getUTCHours() || 24, length);
      case "m":
        return padded(moment.getUTCMinutes(), length);
      case "s":
        return padded(moment.getUTCSeconds(), length);
      case "S":
        return padded(moment.getUTCMilliseconds(), 3).slice(0, length);
      default:
        return zoneText(state, item, when);
    }
  };

  const timeOf = (value) => {
    const time = value === undefined ? Date.now() : Number(value);
    if (!(abs(time) <= LAST_TIME)) {
      throw new RangeError(`Invalid time value${typeof value === "string" ? ": expected a Date, got a text" : ""}`);
    }
    return Math.trunc(time);
  };
  const toParts = (state, value) => {
    const time = timeOf(value);
    const [offset, isSummer] = offsetOf(state.zone, time);
    // Days and weekdays repeat after 400 years; the last and first hours of a zone are no times of a `Date`.
    const local = time + offset;
    const turns = abs(local) > LAST_TIME ? Math.sign(local) : 0;
    const moment = new Date(local - turns * 146_097 * 86_400_000);
    const when = { time, offset, isSummer, moment, year: moment.getUTCFullYear() + turns * 400 };
    const parts = [];
    for (const item of state.items) {
      const isText = item.letter === undefined;
      const text = isText ? item.text : fieldText(state, item, when);
      const last = parts.at(-1);
      if (isText && last?.type === "literal") last.value += text;
      else parts.push({ type: isText ? "literal" : TYPES[item.letter], value: text });
    }
    return parts;
  };
  // A plain space stands where CLDR has a narrow one, as in browsers and Node.js.
  const format = (state, value) =>
    toParts(state, value)
      .map((part) => part.value)
      .join("")
      .replaceAll("\u202f", " ");

  const PROPERTIES = {
    weekday: "Ec",
    era: "G",
    year: "y",
    month: "ML",
    day: "d",
    dayPeriod: "Bb",
    hour: "HhKk",
    minute: "m",
    second: "s",
    fractionalSecondDigits: "S",
    timeZoneName: "zO",
  };
  const isText = (name) => name === "weekday" || name === "era" || name === "dayPeriod";
  const property = (name, { letter, length }) => {
    if (name === "fractionalSecondDigits") return length;
    if (name === "timeZoneName") return (length >= 4 ? "long" : "short") + (letter === "O" ? "Offset" : "");
    if (length === 5) return "narrow";
    if (length === 4) return "long";
    if (isText(name) || length === 3) return "short";
    return length === 2 ? "2-digit" : "numeric";
  };
  const resolvedOptions = (state) => {
    const result = {
      locale: state.locale,
      calendar: state.calendar,
      numberingSystem: state.numberingSystem,
      timeZone: state.zone.name,
    };
    if (state.hourCycle) {
      result.hourCycle = state.hourCycle;
      result.hour12 = state.hourCycle === "h11" || state.hourCycle === "h12";
    }
    if (!state.dateStyle && !state.timeStyle) {
      for (const name of Object.keys(PROPERTIES)) {
        const item = state.items.find(({ letter }) => letter && PROPERTIES[name].includes(letter));
        if (item) result[name] = property(name, item);
      }
    }
    if (state.dateStyle) result.dateStyle = state.dateStyle;
    if (state.timeStyle) result.timeStyle = state.timeStyle;
    return result;
  };
  const noRange = () => {
    throw new RangeError("Intl.DateTimeFormat has no formatRange here: format both ends, and write ` – ` between them");
  };

  intl.define(
    "DateTimeFormat",
    (locales, options) => make(locales, options),
    0,
    {
      resolvedOptions: (state) => resolvedOptions(state),
      formatToParts: (state, value) => toParts(state, value),
      format: intl.bound((state) => (value) => format(state, value)),
      formatRange: (state, start, end) => noRange(),
      formatRangeToParts: (state, start, end) => noRange(),
    },
    true,
  );

  const formats = { date: new Map(), time: new Map(), all: new Map() };
  intl.dateToLocaleString = (date, locales, options, required, defaults) => {
    const time = Reflect.apply(getTime, date, []);
    if (time !== time) return "Invalid Date";
    const made = () => make(locales, options, required, defaults);
    return format(intl.kept(formats[defaults], locales, options, made), time);
  };
});
