"""Compiles a script, with its last line separate if that is an expression.

Parsing with `ast` would find it, but converting the tree to Python objects and compiling these takes longer than a
small script runs. So the text is split before its last line, and both parts are compiled separately. The tree is a
fallback for unclear cases.
"""

import ast
import re

# A line that begins a statement without a value.
_STATEMENT = re.compile(
    r"(?:for|if|while|def|class|with|try|async|import|from|del|pass|raise|assert|global|elif|else|except|finally|return"
    r"|break|continue|@)\b|@|[A-Za-z_][\w.]*(?:\[[\w'\"\- ]+\])?(?:, *[A-Za-z_][\w.]*)* *(?:[-+*/%&|^@]|//|\*\*|>>|<<)?=(?!=)"
)

# Beginnings of a last line that belongs to an earlier statement.
_CLOSING = (")", "]", "}", '"""', "'''")


def compiled(source, filename):
    """Return the code of a script, and the code of the expression in its last line or None.

    Runs nothing. Raises what `compile` raises.
    """
    parts = _cut(source, filename)
    return parts if parts is not None else _by_tree(source, filename)


def _cut(source, filename):
    """Do what `compiled` does; return None in unclear cases."""
    if "\f" in source:
        # A form feed resets the indentation.
        return None
    if "\r" in source:
        # The compiler does this first.
        source = source.replace("\r\n", "\n").replace("\r", "\n")
    lines = source.split("\n")
    start = _last_statement(lines)
    if start is None:
        return None
    head, tail = "\n".join(lines[:start]), "\n".join(lines[start:])
    if "__future__" in head or head.endswith("\\"):
        # A future statement changes how the rest is compiled; a backslash continues the line.
        return None
    if _STATEMENT.match(tail):
        closed = all(tail.count(opening) == tail.count(closing) for opening, closing in ("()", "[]", "{}"))
        if closed and not any(sign in tail for sign in (";", '"""', "'''")):
            return compile(source, filename, "exec", dont_inherit=True), None
        return None
    try:
        # Empty lines before it keep the line numbers of errors.
        value = compile("\n" * start + tail, filename, "eval", dont_inherit=True)
        return compile(head, filename, "exec", dont_inherit=True), value
    except SyntaxError:
        return None


def _last_statement(lines):
    """Return the index of the line in which the last statement begins, judged by indentation and brackets."""
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
