// `Intl.Collator` and `String.prototype.localeCompare`.
(function (native, intl) {
  const { choice } = intl;
  const SENSITIVITIES = ["base", "accent", "case", "variant"];
  const FIRST = ["upper", "lower", "false"];
  // The order that a language has if a script asks for none, by the beginning of its name in the data.
  const standardOf = (name) => (name.startsWith("zh-Hant") ? "stroke" : name.startsWith("zh") ? "pinyin" : "root");
  const NAMES = { zh: ["pinyin", "stroke"], en: [] };

  const orderOf = (options, locale) => {
    const names = NAMES[locale.name.slice(0, 2)];
    let value = options.collation ?? locale.keys.co;
    if (value === undefined) return { order: standardOf(locale.name), collation: "default" };
    value = String(value).toLowerCase();
    if (value === "standard" || value === "default") return { order: standardOf(locale.name), collation: "default" };
    if (!names.includes(value)) {
      const known = names.length > 0 ? `collation ${names.map((name) => `\`${name}\``).join(" or ")}` : "no collation";
      throw new RangeError(
        `expected ${known} for \`${locale.locale}\`, got \`${value}\` (option \`collation\`, \`-u-co-\` in a language)`,
      );
    }
    return { order: value, collation: value };
  };

  const make = (locales, values) => {
    const locale = intl.locale(locales),
      options = intl.options(values, true);
    // English has no orders by region.
    const base = /^en-(?!US$)/.test(locale.locale) ? "en" : locale.locale;
    const state = { locale: intl.tagged({ locale: base, keys: locale.keys }, ["co", "kf", "kn"]) };
    state.usage = choice(options, "usage", ["sort", "search"], "sort");
    intl.matcher(options);
    const { order, collation } = orderOf(options, locale);
    state.numeric = intl.flag(options, "numeric") ?? (locale.keys.kn === "" || locale.keys.kn === "true");
    const key = locale.keys.kf;
    state.caseFirst = choice(options, "caseFirst", FIRST, FIRST.includes(key) ? key : "false");
    state.sensitivity = choice(options, "sensitivity", SENSITIVITIES, "variant");
    state.ignorePunctuation = intl.flag(options, "ignorePunctuation") ?? false;
    state.collation = collation;
    state.number = native.collator(
      order,
      SENSITIVITIES.indexOf(state.sensitivity),
      state.numeric,
      FIRST.indexOf(state.caseFirst),
      state.ignorePunctuation,
    );
    return state;
  };
  const compare = (state, one, other) =>
    native.compare(
      state.number,
      typeof one === "string" ? one : String(one),
      typeof other === "string" ? other : String(other),
    );

  intl.define(
    "Collator",
    make,
    0,
    {
      compare: intl.bound((state) => (one, other) => compare(state, one, other)),
      resolvedOptions: ({ locale, usage, sensitivity, ignorePunctuation, collation, numeric, caseFirst }) => ({
        locale,
        usage,
        sensitivity,
        ignorePunctuation,
        collation,
        numeric,
        caseFirst,
      }),
    },
    true,
  );

  // Collators by language and options, because a sort calls `localeCompare` with the same ones again and again.
  const known = new Map();
  const OPTIONS = ["usage", "localeMatcher", "collation", "numeric", "caseFirst", "sensitivity", "ignorePunctuation"];
  intl.localeCompare = (one, other, locales, options) => {
    let key;
    const isText = locales === undefined || typeof locales === "string";
    if (isText && (options === undefined || (typeof options === "object" && options !== null))) {
      key =
        options === undefined ? String(locales) : `${locales} ${OPTIONS.map((name) => String(options[name])).join()}`;
    }
    let state = key === undefined ? undefined : known.get(key);
    if (!state) {
      state = make(locales, options);
      if (known.size > 100) known.clear();
      if (key !== undefined) known.set(key, state);
    }
    return compare(state, one, other);
  };
});
