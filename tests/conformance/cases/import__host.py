# /// monty
# call-external = true
# ///
# An import of a module the sandbox does not have asks the host, which answers
# with an object whose attributes are the tools; `tools` is the harness fixture.
import tools
import tools as t
from tools import add_ints, concat_strings as concat

# === calling through the module ===
assert tools.add_ints(2, 3) == 5
assert t.get_list() == [1, 2, 3]
assert tools.return_value({'k': [1, 2]}) == {'k': [1, 2]}
assert tools.concat_strings('a', 'b') == 'ab'

# === names imported from the module ===
assert add_ints(1, 2) == 3
assert concat('x', 'y') == 'xy'
assert add_ints is tools.add_ints
assert t.add_ints is tools.add_ints

# === a module hashes by identity ===
assert hash(tools) == hash(tools)
assert {tools: 'a'}[tools] == 'a'
assert tools in {tools}
assert tools != tools.nested

# === functions are values ===
fns = [tools.add_ints, tools.concat_strings]
assert [f(*a) for f, a in zip(fns, [(1, 1), ('p', 'q')])] == [2, 'pq']
assert hasattr(tools, 'add_ints')
assert not hasattr(tools, 'nope')

# === exceptions raised by a tool ===
try:
    tools.raise_error('ValueError', 'bad input')
    assert False, 'expected ValueError'
except ValueError as exc:
    assert str(exc) == 'bad input'

# === a module the host does not have ===
try:
    import nope

    assert False, 'expected ModuleNotFoundError'
except ModuleNotFoundError as exc:
    assert str(exc) == "No module named 'nope'"

# === a name the module does not have ===
try:
    from tools import nope

    assert False, 'expected ImportError'
except ImportError as exc:
    assert str(exc) == "cannot import name 'nope' from 'tools' (unknown location)"


# === a submodule is an attribute of its parent ===
import tools.nested
import tools.nested as n
from tools import nested
from tools.nested import return_value as rv, VERSION

assert tools.nested.VERSION == 7
assert n.VERSION == 7
assert nested.VERSION == 7
assert VERSION == 7
assert rv([1, 2]) == [1, 2]
assert n.return_value('x') == 'x'

# === a submodule the parent does not have ===
try:
    import tools.nope

    assert False, 'expected ModuleNotFoundError'
except ModuleNotFoundError as exc:
    assert str(exc) == "No module named 'tools.nope'"
try:
    from tools.nope import x

    assert False, 'expected ModuleNotFoundError'
except ModuleNotFoundError as exc:
    assert str(exc) == "No module named 'tools.nope'"
# the error names the path through the first missing component
try:
    import tools.nested.nope.deeper

    assert False, 'expected ModuleNotFoundError'
except ModuleNotFoundError as exc:
    assert str(exc) == "No module named 'tools.nested.nope'"


# === imports inside functions ===
def total():
    from tools import add_ints as plus

    return plus(plus(1, 2), 3)


assert total() == 6
