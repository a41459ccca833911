// Patterns of dates for the fields that a script asks for, as ICU's DateTimePatternGenerator finds them.
(function (native, intl) {
  const { abs } = Math;
  const FIELDS = [
    "era",
    "year",
    "quarter",
    "month",
    "week",
    "weekOfMonth",
    "weekday",
    "dayOfYear",
    "weekdayOfMonth",
    "day",
    "dayPeriod",
    "hour",
    "minute",
    "second",
    "fractionalSecond",
    "zone",
  ];
  const ERA = 0,
    MONTH = 3,
    WEEKDAY = 6,
    DAY_PERIOD = 10,
    HOUR = 11,
    MINUTE = 12,
    SECOND = 13,
    FRACTION = 14;
  const DATE_MASK = (1 << DAY_PERIOD) - 1,
    TIME_MASK = 0xffff & ~DATE_MASK;
  const NARROW = -0x101,
    SHORTER = -0x102,
    SHORT = -0x103,
    LONG = -0x104,
    NUMERIC = 0x100,
    DELTA = 0x10;
  const MISSING = 0x1000,
    EXTRA = 0x10000;
  // Field, and pairs of a least length and a type, by letter.
  const LETTERS = {
    G: [ERA, 1, SHORT, 4, LONG, 5, NARROW],
    y: [1, 1, NUMERIC],
    M: [MONTH, 1, NUMERIC, 3, SHORT, 4, LONG, 5, NARROW],
    L: [MONTH, 1, NUMERIC + DELTA, 3, SHORT - DELTA, 4, LONG - DELTA, 5, NARROW - DELTA],
    E: [WEEKDAY, 1, SHORT, 4, LONG, 5, NARROW, 6, SHORTER],
    c: [
      WEEKDAY,
      1,
      NUMERIC + 2 * DELTA,
      3,
      SHORT - 2 * DELTA,
      4,
      LONG - 2 * DELTA,
      5,
      NARROW - 2 * DELTA,
      6,
      SHORTER - 2 * DELTA,
    ],
    d: [9, 1, NUMERIC],
    a: [DAY_PERIOD, 1, SHORT, 4, LONG, 5, NARROW],
    b: [DAY_PERIOD, 1, SHORT - DELTA, 4, LONG - DELTA, 5, NARROW - DELTA],
    B: [DAY_PERIOD, 1, SHORT - 3 * DELTA, 4, LONG - 3 * DELTA, 5, NARROW - 3 * DELTA],
    H: [HOUR, 1, NUMERIC + 10 * DELTA],
    k: [HOUR, 1, NUMERIC + 11 * DELTA],
    h: [HOUR, 1, NUMERIC],
    K: [HOUR, 1, NUMERIC + DELTA],
    m: [MINUTE, 1, NUMERIC],
    s: [SECOND, 1, NUMERIC],
    S: [FRACTION, 1, NUMERIC],
    v: [15, 1, SHORT - 2 * DELTA, 4, LONG - 2 * DELTA],
    z: [15, 1, SHORT, 4, LONG],
    O: [15, 1, SHORT - DELTA, 4, LONG - DELTA],
  };

  // Cuts a pattern into fields, texts in quotes and other signs.
  const itemsOf = (pattern) => pattern.match(/'(?:[^']|'')*'|([A-Za-z])\1*|[^A-Za-z']+/g) ?? [];
  intl.patternItems = itemsOf;
  const rowOf = (item) => {
    const letter = LETTERS[item[0]];
    if (!letter) return undefined;
    let at = 1;
    while (at + 2 < letter.length && letter[at + 2] <= item.length) at += 2;
    return { field: letter[0], least: letter[at], type: letter[at + 1] };
  };

  // Reads a skeleton: for each field its letters, its type, and its letters in the least form.
  const skeletonOf = (pattern) => {
    const types = new Array(16).fill(0),
      letters = new Array(16).fill(""),
      bases = new Array(16).fill("");
    const set = (field, text, base, type) => {
      letters[field] = text;
      bases[field] = base;
      types[field] = type;
    };
    for (const item of itemsOf(pattern)) {
      const row = rowOf(item);
      if (row) set(row.field, item, item[0].repeat(row.least), row.type > 0 ? row.type + item.length : row.type);
    }
    if (letters[MINUTE] && letters[FRACTION] && !letters[SECOND]) set(SECOND, "s", "s", NUMERIC + 1);
    let hasAdded = false;
    if (letters[HOUR]) {
      if (/[hK]/.test(letters[HOUR])) {
        if (!letters[DAY_PERIOD]) {
          set(DAY_PERIOD, "a", "a", SHORT);
          hasAdded = true;
        }
      } else set(DAY_PERIOD, "", "", 0);
    }
    let mask = 0;
    types.forEach((type, field) => {
      if (type !== 0) mask |= 1 << field;
    });
    const base = bases.map((text, field) => (hasAdded && field === DAY_PERIOD ? "" : text)).join("");
    return { types, letters, bases, mask, base };
  };

  // Returns the skeletons of a language: its own before those of its parents.
  const keysOf = (name, available) => {
    const keys = new Set();
    for (let language = name; language !== null; language = intl.section("parents")[language]) {
      for (const key of Object.keys(intl.section("dates")[language]?.available ?? {}).sort())
        if (key in available) keys.add(key);
    }
    return keys;
  };

  // Returns the patterns of a language in the order in which they are compared.
  const generator = (name) => {
    const data = intl.of("dates", name);
    const byBase = new Map();
    let count = 0;
    const add = (pattern, skeletonText) => {
      const skeleton = skeletonOf(skeletonText ?? pattern);
      const entries = byBase.get(skeleton.base) ?? [];
      const isSpecified = skeletonText !== undefined;
      if (!isSpecified && entries.length > 0) return;
      const key = skeleton.letters.join("");
      const same = entries.find((entry) => entry.key === key);
      if (same) {
        if (same.isSpecified) return;
        Object.assign(same, { pattern, isSpecified });
        return;
      }
      entries.push({ skeleton, key, pattern, isSpecified, index: count++ });
      byBase.set(skeleton.base, entries);
    };
    for (const letter of "GyMEdaHmsSv") add(letter);
    for (let style = 0; style < 4; style++) {
      add(data.date[style]);
      add(data.time[style]);
    }
    for (const key of keysOf(name, data.available)) add(data.available[key], key);
    // ICU keeps them by the first letter of the base, and then as they were added.
    const entries = [...byBase.values()]
      .flat()
      .sort(
        (one, other) => one.skeleton.base.charCodeAt(0) - other.skeleton.base.charCodeAt(0) || one.index - other.index,
      );
    return { entries, data };
  };

  const best = (entries, asked, mask) => {
    let least = Infinity,
      found,
      missing = 0,
      extra = 0,
      leastMissing = -1;
    for (const entry of entries) {
      const types = entry.skeleton.types;
      let distance = 0,
        missed = 0,
        added = 0;
      for (let field = 0; field < 16; field++) {
        const mine = (mask & (1 << field)) === 0 ? 0 : asked.types[field],
          other = types[field];
        if (mine === other) continue;
        if (mine === 0) {
          distance += EXTRA;
          added |= 1 << field;
        } else if (other === 0) {
          distance += MISSING;
          missed |= 1 << field;
        } else distance += abs(mine - other);
      }
      if (distance < least || (distance === least && leastMissing < missed)) {
        least = distance;
        leastMissing = missed;
        found = entry;
        missing = missed;
        extra = added;
        if (distance === 0) break;
      }
    }
    return { entry: found, missing, extra };
  };

  // Gives the fields of a pattern the lengths that were asked for.
  const adjusted = (entry, asked, options) => {
    const specified = entry.isSpecified ? entry.skeleton : undefined;
    return itemsOf(entry.pattern)
      .map((item) => {
        const row = rowOf(item);
        if (!row) return item;
        const { field } = row;
        if (options.fixesFraction && field === SECOND) return item + options.decimal + asked.letters[FRACTION];
        if (asked.types[field] === 0) return item;
        const wanted = asked.letters[field];
        const length = wanted[0] === "E" && wanted.length < 3 ? 3 : wanted.length;
        let adjustedLength = length;
        if ((field === HOUR && !options.matchesHour) || field === MINUTE || field === SECOND)
          adjustedLength = item.length;
        else if (specified && wanted[0] !== "c") {
          const known = specified.letters[field].length,
            isNumeric = row.type > 0,
            wantsNumeric = asked.types[field] > 0;
          if (known === length || isNumeric !== wantsNumeric) adjustedLength = item.length;
        }
        let letter = field === HOUR || field === MONTH || field === WEEKDAY || field === 1 ? item[0] : wanted[0];
        if (letter === "E" && adjustedLength < 3) letter = "e";
        if (field === HOUR) letter = hourLetter(wanted[0], letter, options.cycle);
        return letter.repeat(adjustedLength);
      })
      .join("");
  };
  const hourLetter = (wanted, letter, standard) => {
    if (wanted === standard) return standard;
    if (wanted === "h" && standard === "K") return "K";
    if (wanted === "H" && standard === "k") return "k";
    if (wanted === "k" && standard === "H") return "H";
    if (wanted === "K" && standard === "h") return "h";
    return letter;
  };

  const appending = (generated, asked, mask, options) => {
    if (mask === 0) return "";
    const { entries, data } = generated;
    let { entry, missing } = best(entries, asked, mask);
    let pattern = adjusted(entry, asked, options),
      last = 0;
    while (missing !== 0 && missing !== last) {
      const seconds = (1 << SECOND) | (1 << FRACTION);
      if ((missing & seconds) === 1 << FRACTION && (mask & seconds) === seconds) {
        pattern = adjusted({ ...entry, pattern }, asked, { ...options, fixesFraction: true });
        missing &= ~(1 << FRACTION);
        continue;
      }
      const start = missing;
      const next = best(entries, asked, missing);
      const text = adjusted(next.entry, asked, options);
      missing = next.missing;
      const top = 31 - Math.clz32(start & ~missing);
      const append = data.append[FIELDS[top]];
      if (append)
        pattern = append[0]
          .replace("{0}", () => pattern)
          .replace("{1}", () => text)
          .replace("{2}", () => `'${append[1]}'`);
      last = start;
    }
    return pattern;
  };

  const generators = new Map();
  const patterns = new Map();
  // Returns the pattern of a language for a skeleton.
  intl.bestPattern = (name, skeleton, matchesHour) => {
    const key = `${name} ${skeleton} ${matchesHour}`;
    if (!patterns.has(key)) intl.keep(patterns, key, findPattern(name, skeleton, matchesHour));
    return patterns.get(key);
  };
  const findPattern = (name, skeleton, matchesHour) => {
    if (!generators.has(name)) generators.set(name, generator(name));
    const generated = generators.get(name),
      { entries, data } = generated;
    const asked = skeletonOf(skeleton.replaceAll("j", data.cycle));
    const options = { matchesHour, cycle: data.cycle, decimal: intl.of("numbers", name).decimal };
    const { entry, missing, extra } = best(entries, asked, -1);
    if (missing === 0 && extra === 0) return adjusted(entry, asked, options);
    const date = appending(generated, asked, asked.mask & DATE_MASK, options);
    const time = appending(generated, asked, asked.mask & TIME_MASK, options);
    if (date === "") return time;
    if (time === "") return date;
    const month = asked.bases[MONTH].length;
    const style = month === 4 ? (asked.bases[WEEKDAY] ? 0 : 1) : month === 3 ? 2 : 3;
    return intl.joined(data.at[style], date, time);
  };
  intl.joined = (pattern, date, time) => pattern.replace("{1}", () => date).replace("{0}", () => time);
});
