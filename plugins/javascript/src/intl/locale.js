// Languages: which there are, what a list of languages asks for, options of constructors.
(function (native, intl) {
  const { defineProperty } = Object;
  const sections = new Map();
  // Returns a section of the data: an object with languages or with names.
  intl.section = (name) => {
    if (!sections.has(name)) sections.set(name, native.parse(native.data(name)));
    return sections.get(name);
  };

  const isTree = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
  const merged = (base, changes) => {
    const result = { ...base };
    for (const key of Object.keys(changes)) {
      const change = changes[key];
      if (change === null) delete result[key];
      else result[key] = isTree(change) && isTree(result[key]) ? merged(result[key], change) : change;
    }
    return result;
  };
  const resolved = new Map();
  // Returns a section for a language, with what it has of its parents.
  intl.of = (name, language) => {
    const key = `${name} ${language}`;
    if (!resolved.has(key)) {
      const own = intl.section(name)[language],
        parent = intl.section("parents")[language];
      resolved.set(key, parent === null ? own : own ? merged(intl.of(name, parent), own) : intl.of(name, parent));
    }
    return resolved.get(key);
  };

  const ADVICE = "Intl has English and Chinese, such as `en-US`, `en-GB`, `zh-CN` and `zh-TW`";
  // Forms of Chinese by region, which CLDR writes with a script.
  const CHINESE = {
    CN: "zh-Hans",
    SG: "zh-Hans-SG",
    MY: "zh-Hans-MY",
    TW: "zh-Hant",
    HK: "zh-Hant-HK",
    MO: "zh-Hant-MO",
  };
  // Returns the name in the data for a language tag; undefined if there is none.
  const dataName = (tag) => {
    if (tag in intl.section("parents")) return tag;
    if (tag === "en-US") return "en";
    const [language, script, region] = tag.split("-");
    if (language !== "zh") return undefined;
    if (region === undefined) return CHINESE[script];
    return (script === "Hans" && region === "CN") || (script === "Hant" && region === "TW")
      ? `zh-${script}`
      : undefined;
  };

  // Language, script, region, variants, extensions, private use.
  const TAG = new RegExp(
    "^([a-z]{2,3}|[a-z]{5,8})(-[a-z]{4})?(-(?:[a-z]{2}|[0-9]{3}))?" +
      "((?:-(?:[a-z0-9]{5,8}|[0-9][a-z0-9]{3}))*)((?:-[a-wy-z0-9](?:-[a-z0-9]{2,8})+)*)(-x(?:-[a-z0-9]{1,8})+)?$",
    "i",
  );
  const OLD = { cmn: "zh", "zh-cmn": "zh" };
  // Returns a language tag in parts and in its canonical form.
  const parse = (text) => {
    const match = TAG.exec(OLD[text.toLowerCase()] ?? text);
    if (!match) {
      const hint = /^[a-z]{2,3}_/i.test(text) ? `; did you mean \`${text.split(".")[0].replaceAll("_", "-")}\`?` : "";
      throw new RangeError(
        `Incorrect locale information provided: expected a language tag such as \`en-US\`, got \`${text}\`${hint}`,
      );
    }
    const language = OLD[match[1].toLowerCase()] ?? match[1].toLowerCase();
    const script = match[2] ? match[2][1].toUpperCase() + match[2].slice(2).toLowerCase() : undefined;
    const region = match[3]?.slice(1).toUpperCase();
    const variants = match[4].toLowerCase(),
      extensions = match[5].toLowerCase();
    const base = [language, script, region].filter(Boolean).join("-");
    const keys = {};
    const unicode = /-u((?:-[a-z0-9]{2,8})+)/.exec(extensions);
    for (const [, key, value] of unicode?.[1].matchAll(/-([a-z0-9]{2})((?:-[a-z0-9]{3,8})*)(?=-|$)/g) ?? [])
      keys[key] ??= value.slice(1);
    return { language, script, region, base, keys, tag: base + variants + extensions + (match[6] ?? "").toLowerCase() };
  };
  intl.parseTag = parse;

  const listOf = (locales) => {
    if (locales === undefined) return [];
    if (typeof locales === "string" || locales?.[intl.isLocale]) return [parse(String(locales))];
    if (locales === null) throw new TypeError("Cannot convert undefined or null to object");
    const result = [],
      object = Object(locales);
    const length = Math.min(Math.max(Math.trunc(Number(object.length)) || 0, 0), Number.MAX_SAFE_INTEGER);
    for (let index = 0; index < length; index++) {
      if (!(index in object)) continue;
      const entry = object[index];
      if (typeof entry !== "string" && (typeof entry !== "object" || entry === null)) {
        throw new TypeError("Incorrect locale information provided: expected a text");
      }
      const tag = parse(String(entry));
      if (!result.some((other) => other.tag === tag.tag)) result.push(tag);
    }
    return result;
  };
  intl.canonical = (locales) => listOf(locales).map(({ tag }) => tag);

  // Returns the tag without its ends until the data has it.
  const lookup = ({ language, script, region }) => {
    for (const parts of [[language, script, region], [language, script], [language]]) {
      const tag = parts.filter(Boolean).join("-"),
        name = dataName(tag);
      if (name !== undefined) return { locale: tag, name };
      if (language === "zh" && !script && CHINESE[region] && parts.length === 3)
        return { locale: tag, name: CHINESE[region] };
    }
    return undefined;
  };

  // Keeps what was made last, at most 100 things.
  intl.keep = (map, key, value) => {
    if (map.size >= 100) map.clear();
    map.set(key, value);
  };
  // Returns what `make` makes of a language and options, or what it made of the same ones before: rows of a table call
  // `toLocaleString` with new but equal options.
  intl.kept = (map, locales, options, make) => {
    if (locales !== undefined && typeof locales !== "string") return make();
    let key = `${locales}`;
    if (options !== undefined) {
      if (typeof options !== "object" || options === null) return make();
      const prototype = Object.getPrototypeOf(options);
      if (prototype !== Object.prototype && prototype !== null) return make();
      const text = native.stringify(options);
      // JSON writes NaN as null, and objects by what they have.
      if (text === undefined || text.includes("null") || text.includes("{", 1) || text.includes("[")) return make();
      key += text;
    }
    let made = map.get(key);
    if (made === undefined) intl.keep(map, key, (made = make()));
    return made;
  };
  const negotiated = new Map();
  // Returns the language for a list: `locale` for the script, `name` in the data, `keys` of its extension.
  intl.locale = (locales) => {
    const isText = typeof locales === "string";
    if (isText && negotiated.has(locales)) return negotiated.get(locales);
    const list = listOf(locales);
    let found = list.length === 0 ? { locale: "en-US", name: "en", keys: {} } : undefined;
    for (const tag of list) {
      // `default` has been written so often that engines take it for a language that they do not know.
      const base = tag.base === "default" ? { locale: "en-US", name: "en" } : lookup(tag);
      if (base) {
        found = { ...base, keys: tag.keys };
        break;
      }
    }
    if (!found) {
      const asked = list.map(({ tag }) => `\`${tag}\``).join(", ");
      throw new RangeError(
        `expected a language that Intl has, got ${asked}; ${ADVICE}; for others, format in \`en-US\` and change the signs`,
      );
    }
    if (isText) intl.keep(negotiated, locales, found);
    return found;
  };
  // Returns the tag of a language with those of its keys that had an effect.
  intl.tagged = ({ locale, keys }, names) => {
    const used = names.filter((name) => keys[name] !== undefined);
    const text = used
      .map((name) => (/^(|true|yes)$/.test(keys[name]) ? `-${name}` : `-${name}-${keys[name]}`))
      .join("");
    return text === "" ? locale : `${locale}-u${text}`;
  };
  intl.supported = (locales) =>
    listOf(locales)
      .filter((tag) => lookup(tag))
      .map(({ tag }) => tag);

  // Returns options as an object; those of texts and numbers are errors.
  intl.options = (options, mayConvert) => {
    if (options === undefined) return Object.create(null);
    if (mayConvert && options !== null) return Object(options);
    if ((typeof options !== "object" && typeof options !== "function") || options === null) {
      throw new TypeError("expected an object of options");
    }
    return options;
  };
  const shown = (value) => (typeof value === "symbol" ? value.toString() : String(value));
  // Reads an option that is one of some texts.
  intl.choice = (options, name, values, fallback) => {
    const value = options[name];
    if (value === undefined) return fallback;
    const text = `${value}`;
    if (values && !values.includes(text)) {
      throw new RangeError(
        `Value ${text} out of range for Intl options property ${name}: expected ${values.map((v) => `\`${v}\``).join(", ")}`,
      );
    }
    return text;
  };
  intl.flag = (options, name) => (options[name] === undefined ? undefined : Boolean(options[name]));
  // Reads an option that is a whole number.
  intl.count = (value, name, least, most, fallback) => {
    if (value === undefined) return fallback;
    const number = Number(value);
    if (!(number >= least && number <= most)) {
      throw new RangeError(`${name} value is out of range: expected ${least} to ${most}, got ${shown(value)}`);
    }
    return Math.floor(number);
  };
  // Refuses an option that has no effect here.
  intl.refuse = (options, name, advice) => {
    if (options[name] !== undefined) throw new RangeError(`Intl has no option \`${name}\` here; ${advice}`);
  };
  // Reads an option or a key of the language, of which there is only one value.
  const only = (name, key, values, described) => (options, locale) => {
    let value = options[name];
    if (value !== undefined) {
      value = String(value).toLowerCase();
      if (!/^[a-z0-9]{3,8}(-[a-z0-9]{3,8})*$/.test(value)) throw new RangeError(`Invalid ${name} : ${value}`);
    }
    value ??= locale.keys[key];
    if (value !== undefined && !values.includes(value)) {
      throw new RangeError(
        `expected ${described}, got \`${value}\` (option \`${name}\`, \`-u-${key}-\` in a language)`,
      );
    }
    return values[0];
  };
  intl.digits = only("numberingSystem", "nu", ["latn"], "numberingSystem `latn`, the digits 0 to 9");
  intl.calendar = only("calendar", "ca", ["gregory", "gregorian"], "calendar `gregory`");
  intl.matcher = (options) => intl.choice(options, "localeMatcher", ["lookup", "best fit"], "best fit");

  // Makes a class of Intl: its constructor may be called without `new` if `isFunction`.
  intl.define = (name, make, length, members, isFunction) => {
    const states = new WeakMap();
    const constructor = {
      [name]: function (locales, options) {
        if (new.target === undefined && !isFunction) throw new TypeError(`Constructor Intl.${name} requires 'new'`);
        const state = make(locales, options);
        const prototype =
          new.target === undefined ? constructor.prototype : (new.target.prototype ?? constructor.prototype);
        const object = Object.create(prototype);
        states.set(object, state);
        return object;
      },
    }[name];
    defineProperty(constructor, "length", { value: length });
    defineProperty(constructor, "prototype", { writable: false });
    const state = (object, method) => {
      const found = typeof object === "object" && object !== null ? states.get(object) : undefined;
      if (!found) throw new TypeError(`Method Intl.${name}.prototype.${method} called on incompatible receiver`);
      return found;
    };
    for (const key of Object.keys(members)) {
      const member = members[key];
      const descriptor = { configurable: true, enumerable: false };
      // A getter returns a function that is bound to the object, as `format` and `compare` are.
      if (member.isBound) {
        const holder = {
          get [key]() {
            const own = state(this, key);
            return (own.bound ??= member.make(own));
          },
        };
        descriptor.get = Object.getOwnPropertyDescriptor(holder, key).get;
      } else {
        descriptor.writable = true;
        descriptor.value = {
          [key](...values) {
            return member(state(this, key), ...values);
          },
        }[key];
        defineProperty(descriptor.value, "length", { value: Math.max(member.length - 1, 0) });
      }
      defineProperty(constructor.prototype, key, descriptor);
    }
    defineProperty(constructor.prototype, Symbol.toStringTag, { value: `Intl.${name}`, configurable: true });
    const supportedLocalesOf = {
      supportedLocalesOf(locales, options) {
        intl.matcher(intl.options(options, true));
        return intl.supported(locales);
      },
    }.supportedLocalesOf;
    defineProperty(supportedLocalesOf, "length", { value: 1 });
    defineProperty(constructor, "supportedLocalesOf", {
      value: supportedLocalesOf,
      writable: true,
      configurable: true,
    });
    intl.add(name, constructor);
    return constructor;
  };
  intl.bound = (make) => ({ isBound: true, make });

  const Intl = Object.create(Object.prototype, { [Symbol.toStringTag]: { value: "Intl", configurable: true } });
  intl.Intl = Intl;
  intl.add = (name, value) => defineProperty(Intl, name, { value, writable: true, configurable: true });
  intl.add("getCanonicalLocales", (locales) => intl.canonical(locales));
  intl.isLocale = Symbol("locale");
});
