// Numbers as decimal digits: read from values, shifted, rounded, cut.
(function (native, intl) {
  const NUMERIC = /^\s*([-+]?)(?:(\d+)\.?(\d*)|\.(\d+))(?:e([-+]?\d+))?\s*$/i;
  // The digits begin with none that is zero; their value is 0.DIGITS times ten to the power of `point`.
  const make = (isNegative, digits, point) => {
    let first = 0,
      end = digits.length;
    while (first < end && digits[first] === "0") first++;
    if (first === end) return { isNegative, digits: "", point: 0 };
    while (digits[end - 1] === "0") end--;
    return { isNegative, digits: digits.slice(first, end), point: point - first };
  };
  const fromText = (text) => {
    const match = NUMERIC.exec(text);
    if (!match) return undefined;
    const whole = match[2] ?? "",
      fraction = match[3] ?? match[4] ?? "",
      exponent = Number(match[5] ?? 0);
    if (whole.length + fraction.length > 10_000 || Math.abs(exponent) > 10_000) return undefined;
    return make(match[1] === "-", whole + fraction, whole.length + exponent);
  };
  const fromNumber = (number) => {
    if (number !== number) return { isNaN: true, isNegative: false };
    const isNegative = number < 0 || Object.is(number, -0);
    if (number === Infinity || number === -Infinity) return { isInfinite: true, isNegative };
    const text = String(Math.abs(number));
    if (text.includes("e")) return { ...fromText(text), isNegative };
    const point = text.indexOf(".");
    if (point < 0) return make(isNegative, text, text.length);
    return make(isNegative, text.slice(0, point) + text.slice(point + 1), point);
  };
  // Returns the decimal of any value, as `Number.prototype.toLocaleString` and `format` take it.
  intl.decimal = (value) => {
    if ((typeof value === "object" && value !== null) || typeof value === "function") {
      value = value[Symbol.toPrimitive]
        ? value[Symbol.toPrimitive]("number")
        : typeof value.valueOf() === "object"
          ? value.toString()
          : value.valueOf();
    }
    if (typeof value === "number") return fromNumber(value);
    if (typeof value === "bigint") {
      const digits = (value < 0n ? -value : value).toString();
      return make(value < 0n, digits, digits.length);
    }
    if (typeof value === "string") return fromText(value) ?? fromNumber(Number(value));
    return fromNumber(Number(value));
  };
  intl.shift = (value, power) => (value.digits ? { ...value, point: value.point + power } : value);
  // Returns the power of ten of the first digit; 0 for zero.
  intl.magnitude = (value) => (value.digits ? value.point - 1 : 0);

  const plusOne = (digits) => {
    let at = digits.length - 1;
    while (at >= 0 && digits[at] === "9") at--;
    const zeros = "0".repeat(digits.length - 1 - at);
    return at < 0 ? `1${zeros}` : digits.slice(0, at) + (digits.charCodeAt(at) - 47) + zeros;
  };
  // Returns `true` if a number that lies between two is rounded away from zero. `half` is -1 if it is nearer to zero, 0 if
  // it is in the middle, 1 if it is farther.
  const goesUp = (mode, half, isNegative, isOdd) => {
    switch (mode) {
      case "ceil":
        return !isNegative;
      case "floor":
        return isNegative;
      case "expand":
        return true;
      case "trunc":
        return false;
      default:
        break;
    }
    if (half !== 0) return half > 0;
    switch (mode) {
      case "halfCeil":
        return !isNegative;
      case "halfFloor":
        return isNegative;
      case "halfTrunc":
        return false;
      case "halfEven":
        return isOdd;
      default:
        return true;
    }
  };
  const toIncrement = (value, places, mode, increment) => {
    const step = BigInt(increment),
      extra = Math.max(value.digits.length - value.point - places, 0);
    const all = BigInt(value.digits.padEnd(value.point + places + extra, "0") || "0");
    const unit = step * 10n ** BigInt(extra),
      rest = all % unit;
    let steps = all / unit;
    if (rest > 0n) {
      const half = rest * 2n > unit ? 1 : rest * 2n < unit ? -1 : 0;
      if (goesUp(mode, half, value.isNegative, steps % 2n === 1n)) steps += 1n;
    }
    const text = (steps * step).toString();
    return make(value.isNegative, text, text.length - places);
  };
  // Rounds to a number of places behind the point.
  const roundTo = (value, places, mode, increment = 1) => {
    if (!value.digits) return value;
    if (increment > 1) return toIncrement(value, places, mode, increment);
    const kept = value.point + places;
    if (kept >= value.digits.length) return value;
    const head = kept > 0 ? value.digits.slice(0, kept) : "";
    const next = kept < 0 ? 0 : Number(value.digits[kept]);
    const half = next > 5 || (next === 5 && value.digits.length > kept + 1) ? 1 : next === 5 ? 0 : -1;
    const isOdd = kept > 0 && (value.digits.charCodeAt(kept - 1) & 1) === 1;
    if (!goesUp(mode, half, value.isNegative, isOdd)) return make(value.isNegative, head, value.point);
    if (kept <= 0) return make(value.isNegative, "1", 1 - places);
    const up = plusOne(head);
    return make(value.isNegative, up, value.point + (up.length - head.length));
  };
  const significant = (value, count, mode) => roundTo(value, count - value.point, mode);

  // Rounds as the options of a format say. The result has `least`, the number of places behind the point that are shown.
  intl.round = (value, rounding) => {
    const { type, mode, increment } = rounding;
    let isSignificant = type === "significant";
    if (type === "more" || type === "less") {
      // The power of ten at which each rounds.
      const one = value.digits ? value.point - rounding.mostSignificant : 1 - rounding.mostSignificant;
      const other = -rounding.mostFraction;
      isSignificant = type === "more" ? one <= other : one > other;
    }
    const result = isSignificant
      ? significant(value, rounding.mostSignificant, mode)
      : roundTo(value, rounding.mostFraction, mode, increment);
    result.least = isSignificant
      ? Math.max(rounding.leastSignificant - (result.digits ? result.point : 1), 0)
      : rounding.leastFraction;
    if (rounding.stripsZeros && result.digits.length <= result.point) result.least = 0;
    if (rounding.stripsZeros && !result.digits) result.least = 0;
    return result;
  };

  // Returns the digits before and behind the point.
  intl.cut = ({ digits, point, least = 0 }, leastInteger = 1) => {
    let integer = point > 0 ? digits.slice(0, point) : "";
    let fraction = point > 0 ? digits.slice(point) : digits && "0".repeat(-point) + digits;
    if (integer.length < point) integer = integer.padEnd(point, "0");
    if (integer.length < leastInteger) integer = integer.padStart(leastInteger, "0");
    if (fraction.length < least) fraction = fraction.padEnd(least, "0");
    return { integer, fraction };
  };

  // Returns the plural category of a rounded number in a language.
  intl.category = (language, isOrdinal, value, least) => {
    if (!language.startsWith("en") || value.isNaN || value.isInfinite) return "other";
    const { integer, fraction } = intl.cut({ ...value, least: least ?? value.least });
    if (!isOrdinal) return integer === "1" && fraction === "" ? "one" : "other";
    if (fraction.replace(/0+$/, "") !== "") return "other";
    const tens = integer.slice(-2),
      last = integer.slice(-1);
    if (last === "1" && tens !== "11") return "one";
    if (last === "2" && tens !== "12") return "two";
    return last === "3" && tens !== "13" ? "few" : "other";
  };
  // Returns the form of a text for a category.
  intl.form = (texts, category) => (Array.isArray(texts) ? texts[category === "one" ? 0 : 1] : texts);
});
