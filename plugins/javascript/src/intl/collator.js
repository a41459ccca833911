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

  const collators = new Map();
  intl.localeCompare = (one, other, locales, options) =>
    compare(
      intl.kept(collators, locales, options, () => make(locales, options)),
      one,
      other,
    );
});
