# As exact as CPython's: sums are fractions of integers until the last division.
import math
from decimal import Decimal


# Larger fractions are reduced.
_LARGE = 2**4096


def _ratio(value):
    if isinstance(value, int):
        return int(value), 1
    if isinstance(value, Decimal):
        digits, _, exponent = str(value).lower().partition("e")
        whole, _, part = digits.partition(".")
        places = len(part) - int(exponent or 0)
        return (int(whole + part), 10**places) if places >= 0 else (int(whole + part) * 10**-places, 1)
    mantissa, exponent = math.frexp(value)
    top, exponent = int(mantissa * 2**53), exponent - 53
    return (top * 2**exponent, 1) if exponent >= 0 else (top, 2**-exponent)


def _fraction(values):
    top, bottom = 0, 1
    for value in values:
        a, b = _ratio(value)
        top, bottom = top * b + a * bottom, bottom * b
        if bottom > _LARGE:
            common = math.gcd(top, bottom)
            top, bottom = top // common, bottom // common
    return top, bottom


def _values(data, least=1, name="mean"):
    data = list(data)
    if len(data) < least:
        if least == 1:
            raise ValueError(f"{name} requires at least one data point")
        raise ValueError(f"{name} requires at least two data points")
    for value in data:
        if isinstance(value, str) or value is None:
            raise TypeError(f"can't convert type '{type(value).__name__}' to numerator/denominator")
    return data


def _converted(top, bottom, data):
    if any([isinstance(value, Decimal) for value in data]):
        return Decimal(top) / Decimal(bottom)
    if top % bottom == 0 and all([isinstance(value, int) for value in data]):
        return top // bottom
    return top / bottom


def mean(data):
    data = _values(data)
    top, bottom = _fraction(data)
    return _converted(top, bottom * len(data), data)


def fmean(data, weights=None):
    data = [float(value) for value in data]
    if not data:
        raise ValueError("fmean requires at least one data point")
    if weights is None:
        return math.fsum(data) / len(data)
    weights = list(weights)
    if len(weights) != len(data):
        raise ValueError("data and weights must be the same length")
    total = math.fsum(weights)
    if not total:
        raise ValueError("sum of weights must be non-zero")
    return math.fsum([a * b for a, b in zip(data, weights)]) / total


def geometric_mean(data):
    data = [float(value) for value in data]
    if not data or min(data) <= 0:
        raise ValueError("geometric mean requires a non-empty dataset containing positive numbers")
    return math.exp(math.fsum([math.log(value) for value in data]) / len(data))


def harmonic_mean(data):
    data = [float(value) for value in data]
    if not data:
        raise ValueError("harmonic_mean requires at least one data point")
    if min(data) < 0:
        raise ValueError("harmonic mean does not support negative values")
    if 0 in data:
        return 0.0
    return len(data) / math.fsum([1 / value for value in data])


def _sorted(data):
    data = sorted(data)
    if not data:
        raise ValueError("no median for empty data")
    return data


def median(data):
    data = _sorted(data)
    half = len(data) // 2
    if len(data) % 2:
        return data[half]
    return (data[half - 1] + data[half]) / 2


def median_low(data):
    data = _sorted(data)
    return data[(len(data) - 1) // 2]


def median_high(data):
    data = _sorted(data)
    return data[len(data) // 2]


def _counts(data):
    counts = {}
    for value in data:
        counts[value] = counts.get(value, 0) + 1
    return counts


def mode(data):
    counts = _counts(data)
    if not counts:
        raise ValueError("no mode for empty data")
    most = max(counts.values())
    for value, count in counts.items():
        if count == most:
            return value


def multimode(data):
    counts = _counts(data)
    most = max(counts.values(), default=0)
    return [value for value, count in counts.items() if count == most]


def _deviations(data):
    top, bottom = _fraction(data)
    bottom *= len(data)
    squares, scale = 0, 1
    for value in data:
        a, b = _ratio(value)
        a, b = a * bottom - top * b, b * bottom
        a, b = a * a, b * b
        squares, scale = squares * b + a * scale, scale * b
        common = math.gcd(squares, scale)
        squares, scale = squares // common, scale // common
    return squares, scale


def pvariance(data, mu=None):
    data = _values(data, 1, "pvariance")
    top, bottom = _deviations(data)
    return _converted(top, bottom * len(data), data)


def variance(data, xbar=None):
    data = _values(data, 2, "variance")
    top, bottom = _deviations(data)
    return _converted(top, bottom * (len(data) - 1), data)


def pstdev(data, mu=None):
    value = pvariance(data)
    return value.sqrt() if isinstance(value, Decimal) else math.sqrt(value)


def stdev(data, xbar=None):
    value = variance(data)
    return value.sqrt() if isinstance(value, Decimal) else math.sqrt(value)


def quantiles(data, *, n=4, method="exclusive"):
    if n < 1:
        raise ValueError("n must be at least 1")
    data = sorted(data)
    if len(data) < 2:
        raise ValueError("must have at least two data points")
    result = []
    if method == "inclusive":
        last = len(data) - 1
        for i in range(1, n):
            j, delta = divmod(i * last, n)
            result.append((data[j] * (n - delta) + data[j + 1] * delta) / n)
        return result
    if method != "exclusive":
        raise ValueError(f"Unknown method: {method!r}")
    size = len(data) + 1
    for i in range(1, n):
        j = min(max(i * size // n, 1), len(data) - 1)
        delta = i * size - j * n
        result.append((data[j - 1] * (n - delta) + data[j] * delta) / n)
    return result


def _pairs(x, y, name):
    x, y = list(x), list(y)
    if len(x) != len(y):
        raise ValueError(f"{name} requires that both inputs have same number of data points")
    if len(x) < 2:
        raise ValueError(f"{name} requires at least two data points")
    xm, ym = fmean(x), fmean(y)
    return x, y, [a - xm for a in x], [b - ym for b in y]


def covariance(x, y):
    x, y, dx, dy = _pairs(x, y, "covariance")
    return math.fsum([a * b for a, b in zip(dx, dy)]) / (len(x) - 1)


def correlation(x, y):
    x, y, dx, dy = _pairs(x, y, "correlation")
    xx, yy = math.fsum([a * a for a in dx]), math.fsum([b * b for b in dy])
    if not xx * yy:
        raise ValueError("at least one of the inputs is constant")
    return math.fsum([a * b for a, b in zip(dx, dy)]) / math.sqrt(xx * yy)
