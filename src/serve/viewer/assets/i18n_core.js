// Words of the interface in English and Chinese, and numbers, sizes and times as readers of the language write them.

/** Name in `localStorage` of the chosen language. */
const LANGUAGE_KEY = "mitt.language";

/** @type {{en: Record<string, string>, zh: Record<string, string>}} */
const dictionary = { en: {}, zh: {} };
/** @type {Set<() => void>} */
const listeners = new Set();
/** @type {Map<string, any>} */
const formats = new Map();
/** @type {"en"|"zh"|"auto"|null} */
let preferred = null;
/** @type {"en"|"zh"|null} */
let current = null;

/**
 * Adds words of an area. A key is looked up as `area.key`.
 * @param {string} area
 * @param {{en: Record<string, string>, zh: Record<string, string>}} words
 */
function addWords(area, words) {
  for (const name of /** @type {("en"|"zh")[]} */ (["en", "zh"])) {
    for (const [key, text] of Object.entries(words[name] || {})) dictionary[name][`${area}.${key}`] = text;
  }
}

/**
 * Returns what the user chose; `auto` follows the browser.
 * @returns {"en"|"zh"|"auto"}
 */
function languagePreference() {
  if (preferred === null) {
    preferred = "auto";
    try {
      const stored = localStorage.getItem(LANGUAGE_KEY);
      if (stored === "en" || stored === "zh") preferred = stored;
    } catch {
      // A frame without storage follows the browser.
    }
  }
  return preferred;
}

/**
 * Returns the language of the interface.
 * @returns {"en"|"zh"}
 */
function language() {
  if (current === null) {
    const preference = languagePreference();
    current = preference === "auto" ? languageOf(browserLanguages()) : preference;
  }
  return current;
}

/** @returns {readonly string[]} */
function browserLanguages() {
  if (typeof navigator === "undefined") return [];
  return navigator.languages && navigator.languages.length > 0 ? navigator.languages : [navigator.language];
}

/**
 * Returns the first language of the list for which there are words; otherwise English.
 * @param {readonly string[]} names
 * @returns {"en"|"zh"}
 */
function languageOf(names) {
  for (const name of names) {
    const main = String(name).toLowerCase().split("-")[0];
    if (main === "zh" || main === "en") return main;
  }
  return "en";
}

/**
 * Sets the language of the interface, keeps the choice, and notifies the views.
 * @param {"en"|"zh"|"auto"} name
 * @param {{keep?: boolean}} [options] `keep: false` for a host that dictates the language.
 */
function setLanguage(name, options = {}) {
  preferred = name === "en" || name === "zh" ? name : "auto";
  current = null;
  formats.clear();
  if (options.keep !== false) {
    try {
      if (preferred === "auto") localStorage.removeItem(LANGUAGE_KEY);
      else localStorage.setItem(LANGUAGE_KEY, preferred);
    } catch {
      // The choice holds until the page is closed.
    }
  }
  for (const listener of [...listeners]) listener();
}

/**
 * Calls `listener` when the language changes. Returns a function that ends this.
 * @param {() => void} listener
 * @returns {() => void}
 */
function onLanguageChange(listener) {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/**
 * Returns the words of a key, with `{name}` replaced by the values. A missing key is returned itself, so that it is
 * seen.
 * @param {string} key
 * @param {Record<string, any>} [values]
 * @returns {string}
 */
function t(key, values) {
  const text = dictionary[language()][key] ?? dictionary.en[key] ?? key;
  if (!values) return text;
  return text.replace(/\{(\w+)\}/g, (whole, name) => (name in values ? String(values[name]) : whole));
}

/**
 * Returns the words of `<key>.one` or `<key>.other` for a number, which they name as `{n}`.
 * @param {string} key
 * @param {number} n
 * @param {Record<string, any>} [values]
 * @returns {string}
 */
function plural(key, n, values) {
  const isOne = language() === "en" && n === 1;
  const name = `${key}.${isOne ? "one" : "other"}`;
  return t(name, { n: formatNumber(n), ...values });
}

/** @returns {string} */
function locale() {
  return language() === "zh" ? "zh-CN" : "en";
}

/**
 * Returns a format of the language. Formats are kept, because making one is slow.
 * @template T
 * @param {string} name
 * @param {(locale: string) => T} make
 * @returns {T}
 */
function format(name, make) {
  if (!formats.has(name)) formats.set(name, make(locale()));
  return formats.get(name);
}

/**
 * Returns a number with separators.
 * @param {number} n
 * @returns {string}
 */
function formatNumber(n) {
  return format("number", (at) => new Intl.NumberFormat(at, { maximumFractionDigits: 20 })).format(n);
}

/**
 * Returns a size, such as `37.5 kB`.
 * @param {number} n bytes
 * @returns {string}
 */
function formatBytes(n) {
  let size = Number(n) || 0;
  const units = ["B", "kB", "MB", "GB", "TB"];
  let unit = 0;
  while (size >= 999.5 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  const digits = unit === 0 || size >= 100 ? 0 : 1;
  const numbers = format(`bytes${digits}`, (at) => new Intl.NumberFormat(at, { maximumFractionDigits: digits }));
  return `${numbers.format(size)} ${units[unit]}`;
}

/**
 * Returns a time: the time of day for today, otherwise the date with it.
 * @param {number} ms milliseconds after 1970
 * @returns {string}
 */
function formatTime(ms) {
  const date = new Date(ms);
  const now = new Date();
  const isToday = date.toDateString() === now.toDateString();
  const isThisYear = date.getFullYear() === now.getFullYear();
  /** @type {Intl.DateTimeFormatOptions} */
  const clock = { hour: "2-digit", minute: "2-digit" };
  if (isToday) return format("clock", (at) => new Intl.DateTimeFormat(at, clock)).format(date);
  /** @type {Intl.DateTimeFormatOptions} */
  const day = { day: "numeric", month: "short", ...clock };
  if (isThisYear) return format("day", (at) => new Intl.DateTimeFormat(at, day)).format(date);
  return format("date", (at) => new Intl.DateTimeFormat(at, { year: "numeric", ...day })).format(date);
}

/**
 * Returns a duration, such as `0.4 s`, `12 s` or `2 min 5 s`.
 * @param {number} ms
 * @returns {string}
 */
function formatDuration(ms) {
  const isChinese = language() === "zh";
  const [s, min, h] = isChinese ? [" 秒", " 分", " 小时"] : [" s", " min", " h"];
  const milliseconds = Math.max(0, Number(ms) || 0);
  if (milliseconds < 9950) {
    const text = format("seconds", (at) => new Intl.NumberFormat(at, { maximumFractionDigits: 1 }));
    // A short time is not none.
    return `${text.format(Math.max(milliseconds, milliseconds > 0 ? 100 : 0) / 1000)}${s}`;
  }
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 60) return `${seconds}${s}`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return seconds % 60 === 0 ? `${minutes}${min}` : `${minutes}${min} ${seconds % 60}${s}`;
  const hours = Math.floor(minutes / 60);
  return minutes % 60 === 0 ? `${hours}${h}` : `${hours}${h} ${minutes % 60}${min}`;
}

export { addWords, t, plural, language, languagePreference, languageOf, setLanguage, onLanguageChange };
export { locale, formatNumber, formatBytes, formatTime, formatDuration };
