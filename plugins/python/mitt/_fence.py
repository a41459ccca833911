"""Scripts in a fence of Markdown, which models write around code."""


def without_fence(source, filename):
    """Overwrite the fence around a script with spaces, so that places stay. The fence at the end may be missing.

    Raises `SyntaxError` if text follows the fence.
    """
    script = source.lstrip("\ufeff \t\r\n\f\v")
    length = len(script) - len(script.lstrip("`"))
    head, end, rest = script.partition("\n")
    # The name of a language stands behind the fence.
    if length < 3 or "`" in head[length:]:
        return source
    before = source[: len(source) - len(script)]
    lines = rest.split("\n")
    for at, line in enumerate(lines):
        mark = line.strip()
        if len(mark) < length or mark.strip("`"):
            continue
        lines[at] = " " * len(line)
        for below, text in enumerate(lines[at + 1 :], at + 1):
            if text.strip():
                number = before.count("\n") + 2 + below
                column = len(text) - len(text.lstrip()) + 1
                problem = "unexpected text behind the fence of the script; send the script alone, without words around it"
                raise SyntaxError(problem, (filename, number, column, text))
        break
    # A script may not begin with spaces before its first line.
    return "\n" * before.count("\n") + end + "\n".join(lines)
