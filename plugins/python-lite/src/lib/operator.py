def itemgetter(*items):
    if len(items) == 1:
        only = items[0]
        return lambda value: value[only]
    return lambda value: tuple([value[item] for item in items])


def attrgetter(*names):
    def get(value, name):
        for part in name.split("."):
            value = getattr(value, part)
        return value

    if len(names) == 1:
        return lambda value: get(value, names[0])
    return lambda value: tuple([get(value, name) for name in names])


def add(a, b):
    return a + b


def sub(a, b):
    return a - b


def mul(a, b):
    return a * b


def truediv(a, b):
    return a / b


def floordiv(a, b):
    return a // b


def mod(a, b):
    return a % b


def pow(a, b):
    return a**b


def neg(a):
    return -a


def pos(a):
    return +a


def not_(a):
    return not a


def truth(a):
    return bool(a)


def and_(a, b):
    return a & b


def or_(a, b):
    return a | b


def xor(a, b):
    return a ^ b


def lt(a, b):
    return a < b


def le(a, b):
    return a <= b


def eq(a, b):
    return a == b


def ne(a, b):
    return a != b


def ge(a, b):
    return a >= b


def gt(a, b):
    return a > b


def is_(a, b):
    return a is b


def is_not(a, b):
    return a is not b


def contains(a, b):
    return b in a


def concat(a, b):
    return a + b


def getitem(a, b):
    return a[b]


def setitem(a, b, c):
    a[b] = c


def countOf(a, b):
    return sum([1 for item in a if item is b or item == b])


def indexOf(a, b):
    for index, item in enumerate(a):
        if item is b or item == b:
            return index
    raise ValueError("sequence.index(x): x not in sequence")
