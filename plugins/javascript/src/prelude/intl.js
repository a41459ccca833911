// `Intl` and the methods that go by language. Their parts run when a script uses them first.
(function (native, hooks) {
  const { apply } = Reflect;
  const numberValue = Number.prototype.valueOf,
    bigValue = BigInt.prototype.valueOf;
  const stringOf = String,
    parse = JSON.parse;
  const stringify = JSON.stringify;
  let loaded;
  const load = () => {
    if (!loaded) {
      const intl = {};
      for (let index = 0; ; index++) {
        const part = native.intl_part(index);
        if (part === undefined) break;
        part(
          {
            parse,
            stringify,
            data: native.intl_data,
            collator: native.collator,
            compare: native.compare,
            zone: native.zone,
            zones: native.zones,
            graphemes: native.graphemes,
            offset: native.zone_offset,
            text: hooks.text,
          },
          intl,
        );
      }
      loaded = intl;
    }
    return loaded;
  };

  Object.defineProperty(globalThis, "Intl", {
    get: () => load().Intl,
    set: (value) => hooks.define("Intl", value),
    configurable: true,
    enumerable: false,
  });
  const methods = (prototype, members) => {
    for (const name of Object.keys(members)) {
      Object.defineProperty(prototype, name, {
        value: members[name],
        writable: true,
        configurable: true,
        enumerable: false,
      });
    }
  };
  methods(Number.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      return load().numberToLocaleString(apply(numberValue, this, []), locales, options);
    },
  });
  methods(BigInt.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      return load().numberToLocaleString(apply(bigValue, this, []), locales, options);
    },
  });
  methods(Date.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      return load().dateToLocaleString(this, locales, options, "any", "all");
    },
    toLocaleDateString(locales = undefined, options = undefined) {
      return load().dateToLocaleString(this, locales, options, "date", "date");
    },
    toLocaleTimeString(locales = undefined, options = undefined) {
      return load().dateToLocaleString(this, locales, options, "time", "time");
    },
  });
  const toLower = String.prototype.toLowerCase,
    toUpper = String.prototype.toUpperCase;
  methods(String.prototype, {
    localeCompare(that, locales = undefined, options = undefined) {
      if (this === undefined || this === null)
        throw new TypeError("String.prototype.localeCompare called on null or undefined");
      return load().localeCompare(stringOf(this), stringOf(that), locales, options);
    },
    toLocaleLowerCase(locales = undefined) {
      if (locales !== undefined) load().locale(locales);
      return apply(toLower, this, []);
    },
    toLocaleUpperCase(locales = undefined) {
      if (locales !== undefined) load().locale(locales);
      return apply(toUpper, this, []);
    },
  });
  // The elements get the language and the options, as ECMA-402 has it.
  const joined = (object, length, locales, options) => {
    const texts = [];
    for (let index = 0; index < length; index++) {
      const value = object[index];
      texts.push(value === undefined || value === null ? "" : stringOf(value.toLocaleString(locales, options)));
    }
    return texts.join(",");
  };
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  const typedValues = typed.values,
    typedLength = Object.getOwnPropertyDescriptor(typed, "length").get;
  methods(Array.prototype, {
    toLocaleString(locales = undefined, options = undefined) {
      if (this === undefined || this === null)
        throw new TypeError("Array.prototype.toLocaleString called on null or undefined");
      const object = Object(this),
        length = Math.min(Math.max(Math.trunc(Number(object.length)) || 0, 0), Number.MAX_SAFE_INTEGER);
      return joined(object, length, locales, options);
    },
  });
  methods(typed, {
    toLocaleString(locales = undefined, options = undefined) {
      // Fails if this is no typed array, or has lost its buffer.
      apply(typedValues, this, []);
      return joined(this, apply(typedLength, this, []), locales, options);
    },
  });
});
