def dedent(text):
    lines = text.split("\n")
    margin = None
    for line in lines:
        bare = line.lstrip(" \t")
        if not bare:
            continue
        indent = line[: len(line) - len(bare)]
        if margin is None:
            margin = indent
            continue
        length = 0
        while length < min(len(margin), len(indent)) and margin[length] == indent[length]:
            length += 1
        margin = margin[:length]
    margin = margin or ""
    return "\n".join([line[len(margin) :] if line.strip(" \t") else "" for line in lines])


def indent(text, prefix, predicate=None):
    lines = text.splitlines(keepends=True)
    return "".join([prefix + line if (predicate(line) if predicate else line.strip()) else line for line in lines])


def wrap(text, width=70, *, initial_indent="", subsequent_indent="", break_long_words=True):
    lines, line = [], ""
    for word in text.split():
        start = subsequent_indent if lines else initial_indent
        while True:
            room = width - len(start)
            if len(line) + (1 if line else 0) + len(word) <= room:
                line = f"{line} {word}" if line else word
                break
            if line:
                lines.append(start + line)
                line = ""
            elif break_long_words and room > 0:
                lines.append(start + word[:room])
                word = word[room:]
            else:
                line = word
                break
            start = subsequent_indent
    if line:
        lines.append((subsequent_indent if lines else initial_indent) + line)
    return lines


def fill(text, width=70, **options):
    return "\n".join(wrap(text, width, **options))


def shorten(text, width, *, placeholder=" [...]"):
    text = " ".join(text.split())
    if len(text) <= width:
        return text
    kept = ""
    for word in text.split(" "):
        longer = f"{kept} {word}" if kept else word
        if len(longer) + len(placeholder) > width:
            break
        kept = longer
    return (kept + placeholder) if kept else placeholder.strip()
