"""A script as code, with its last line apart when that is an expression.

The tree of `ast` would tell, but making Python objects of it and code of them again takes longer than a small script
runs. So the text is cut before its last line, and both parts are compiled by themselves; only where that does not
decide the matter the tree is made.
"""

import ast
import re

# A line that begins a statement which has no value.
_STATEMENT = re.compile(
    r"(?:for|if|while|def|class|with|try|async|import|from|del|pass|raise|assert|global|elif|else|except|finally|return"
    r"|break|continue|@)\b|@|[A-Za-z_][\w.]*(?:\[[\w'\"\- ]+\])?(?:, *[A-Za-z_][\w.]*)* *(?:[-+*/%&|^@]|//|\*\*|>>|<<)?=(?!=)"
)

# What may stand in the last line of a statement that began further up.
_CLOSING = (")", "]", "}", '"""', "'''")


def compiled(source, filename):
    """Code of a script, and code of the expression in its last line or None.

    Nothing has run when a part of it does not compile. Raises what `compile` raises.
    """
    parts = _cut(source, filename)
    return parts if parts is not None else _by_tree(source, filename)


def _cut(source, filename):
    """As `compiled`; None where the text does not tell."""
    if "\f" in source:
        # Takes indentation back.
        return None
    if "\r" in source:
        # As the compiler does first of all.
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = source.split("\n")
    start = _last_statement(lines)
    if start is None:
        return None
    head, tail = "\n".join(lines[:start]), "\n".join(lines[start:])
    if "__future__" in head or head.endswith("\\"):
        # The one changes how the rest is compiled, the other goes on in the next line.
        return None
    if _STATEMENT.match(tail):
        closed = all(tail.count(opening) == tail.count(closing) for opening, closing in ("()", "[]", "{}"))
        if closed and not any(sign in tail for sign in (";", '"""', "'''")):
            return compile(source, filename, "exec", dont_inherit=True), None
        return None
    try:
        # Lines of nothing in front, so that the places of errors are right.
        value = compile("\n" * start + tail, filename, "eval", dont_inherit=True)
        return compile(head, filename, "exec", dont_inherit=True), value
    except SyntaxError:
        return None


def _last_statement(lines):
    """Index of the line in which the last statement begins, as far as indentation and brackets tell."""
    for index in range(len(lines) - 1, -1, -1):
        line = lines[index]
        if line and line[0] not in " \t#" and not line.startswith(_CLOSING):
            return index
    return None


def _by_tree(source, filename):
    tree = compile(source, filename, "exec", ast.PyCF_ONLY_AST, dont_inherit=True)
    last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
    body = compile(tree, filename, "exec", dont_inherit=True)
    return body, last and compile(ast.Expression(last.value), filename, "eval", dont_inherit=True)
