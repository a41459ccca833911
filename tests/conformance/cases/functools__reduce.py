import functools

# === reduce ===
assert functools.reduce(lambda a, b: a + b, [1, 2, 3, 4]) == 10
assert functools.reduce(lambda a, b: a + b, [1, 2, 3], 10) == 16
assert functools.reduce(lambda a, b: a + b, [], 5) == 5
assert functools.reduce(lambda a, b: a * b, range(1, 6)) == 120
assert functools.reduce(lambda a, b: a + b, 'abc') == 'abc'
assert functools.reduce(lambda a, b: a + b, {'x': 1, 'y': 2}) == 'xy'

# a one-item iterable returns that item without calling the function
assert functools.reduce(lambda a, b: 1 / 0, [7]) == 7
assert functools.reduce(lambda a, b: 1 / 0, [], 7) == 7

# `initial` is also accepted by keyword
assert functools.reduce(lambda a, b: a + b, [1, 2], initial=10) == 13

# the accumulator is threaded left to right
assert functools.reduce(lambda a, b: (a, b), [1, 2, 3]) == ((1, 2), 3)
assert functools.reduce(lambda a, b: a + [b], [1, 2], []) == [1, 2]


# Acquisition happens exactly once, with or without an initial accumulator.
class Iterator:
    def __init__(self):
        self.iter_calls = 0
        self.value = 0

    def __iter__(self):
        self.iter_calls += 1
        return self

    def __next__(self):
        if self.value == 3:
            raise StopIteration
        self.value += 1
        return self.value


iterator = Iterator()
assert functools.reduce(lambda a, b: a + b, iterator) == 6
assert iterator.iter_calls == 1
iterator = Iterator()
assert functools.reduce(lambda a, b: a + b, iterator, 10) == 16
assert iterator.iter_calls == 1


# StopIteration from the callback is not iterator exhaustion.
def stop_in_callback(a, b):
    raise StopIteration('callback stopped')


try:
    functools.reduce(stop_in_callback, [1, 2])
    assert False, 'expected the callback exception to propagate'
except StopIteration as exc:
    assert str(exc) == 'callback stopped'

# The frozen loop uses the actual builtins, not user globals.
original_stop_iteration = StopIteration
original_next = next
original_iter = iter
original_type_error = TypeError
next = None
iter = None
TypeError = None
StopIteration = ValueError
assert functools.reduce(lambda a, b: a + b, [1, 2, 3]) == 6
StopIteration = original_stop_iteration
TypeError = original_type_error
iter = original_iter
next = original_next


# an exception from the function propagates unchanged
def raiser(a, b):
    raise ValueError('inner')


try:
    functools.reduce(raiser, [1, 2])
    assert False, 'expected reduce to fail'
except ValueError as exc:
    assert str(exc) == 'inner'

try:
    functools.reduce(lambda a, b: a, [])
    assert False, 'expected reduce to fail'
except TypeError as exc:
    assert str(exc) == 'reduce() of empty iterable with no initial value'


# === Acquisition errors are rewritten, advancement errors are not ===
class FailingIterable:
    def __init__(self, during_acquisition, error):
        self.during_acquisition = during_acquisition
        self.error = error

    def __iter__(self):
        if self.during_acquisition:
            raise self.error
        return self

    def __next__(self):
        raise self.error


for during_acquisition in [True, False]:
    for error in [TypeError('protocol type error'), ValueError('protocol value error')]:
        for initial in [(), (None,)]:
            try:
                functools.reduce(lambda a, b: a, FailingIterable(during_acquisition, error), *initial)
                assert False, 'expected the iterator protocol to fail'
            except Exception as exc:
                assert type(exc) is type(error)
                expected = (
                    'reduce() arg 2 must support iteration'
                    if during_acquisition and isinstance(error, TypeError)
                    else str(error)
                )
                assert str(exc) == expected

try:
    functools.reduce(lambda a, b: a, FailingIterable(True, StopIteration('acquisition stopped')))
    assert False, 'expected acquisition StopIteration to propagate'
except StopIteration as exc:
    assert str(exc) == 'acquisition stopped'

assert functools.reduce(lambda a, b: a, FailingIterable(False, StopIteration('done')), None) is None

# the callable is never checked up front, so an empty iterable wins
try:
    functools.reduce(5, [])
    assert False, 'expected reduce to fail'
except TypeError as exc:
    assert str(exc) == 'reduce() of empty iterable with no initial value'

try:
    functools.reduce(5, [1, 2])
    assert False, 'expected reduce to fail'
except TypeError as exc:
    assert str(exc) == "'int' object is not callable"

try:
    functools.reduce(lambda a, b: a, 5)
    assert False, 'expected reduce to fail'
except TypeError as exc:
    assert str(exc) == 'reduce() arg 2 must support iteration'

try:
    functools.reduce(lambda a, b: a)
    assert False, 'expected reduce to fail'
except TypeError as exc:
    assert str(exc) == 'reduce() takes at least 2 positional arguments (1 given)'

try:
    functools.reduce(lambda a, b: a, [1], 2, 3)
    assert False, 'expected reduce to fail'
except TypeError as exc:
    assert str(exc) == 'reduce() takes at most 3 arguments (4 given)'

try:
    functools.reduce(lambda a, b: a, [1], bogus=1)
    assert False, 'expected reduce to fail'
except TypeError as exc:
    assert str(exc) == "reduce() got an unexpected keyword argument 'bogus'"

# `function` and `iterable` are positional-only, so the arity error comes first
try:
    functools.reduce(function=lambda a, b: a, iterable=[1])
    assert False, 'expected reduce to fail'
except TypeError as exc:
    assert str(exc) == 'reduce() takes at least 2 positional arguments (0 given)'
