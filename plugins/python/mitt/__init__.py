"""What Mitt gives a script beside the standard library.

- `documents`: the session's documents (a script has it without import)
- skills are modules: `import excel_tool`, then `help(excel_tool)`
- `call(tool, **arguments)`: a tool by its full name
- `ToolError`: a tool refused a call or failed
- `Table`, `Object`: what tools and documents give
- `files()`, `remove(name)`: the workspace; `open(name, mode)` reads and writes there
"""

from mitt._documents import Document, Documents
from mitt._files import files, remove
from mitt._skills import ToolError, call
from mitt._values import Object, Table

documents = Documents()

for _item in (Document, Documents, Object, Table, call, files, remove):
    # Tracebacks show `mitt.Table` instead of the private module.
    _item.__module__ = "mitt"
# Every script has this name without import.
ToolError.__module__ = "builtins"
del _item

__all__ = ["Document", "Object", "Table", "ToolError", "call", "documents", "files", "remove"]
