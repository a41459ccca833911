from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    x: int
    y: int


@dataclass
class MutablePoint:
    x: int
    y: int

    def sum(self):
        return self.x + self.y

    def shift(self, dx, dy):
        self.x += dx
        self.y += dy


@dataclass(frozen=True)
class User:
    name: str
    active: bool = True

    def greeting(self):
        return f'Hello, {self.name}!'


@dataclass
class Empty:
    pass


CONST_INT = 42
CONST_STR = 'hello'
CONST_FLOAT = 3.14
CONST_BOOL = True
CONST_LIST = [1, 2, 3]
CONST_NONE = None


def add_ints(a, b):
    return a + b


def concat_strings(a, b):
    return a + b


def return_value(value):
    return value


def get_list():
    return [1, 2, 3]


def raise_error(kind, message):
    kinds = {
        'ValueError': ValueError,
        'TypeError': TypeError,
        'KeyError': KeyError,
        'RuntimeError': RuntimeError,
        'IndexError': IndexError,
        'AttributeError': AttributeError,
        'NameError': NameError,
        'ZeroDivisionError': ZeroDivisionError,
        'OSError': OSError,
    }
    raise kinds[kind](message)


def make_point():
    return Point(1, 2)


def make_mutable_point():
    return MutablePoint(1, 2)


def make_user(name):
    return User(name)


def make_empty():
    return Empty()


async def async_call(value):
    return value


async def async_fail(kind, message):
    raise_error(kind, message)
