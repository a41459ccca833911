# Makes `asyncio`, `await` at the top level and `return` at the top level work. `_mitt_source` is the source of asyncio.
def _mitt_await(source):
    import ast, sys, types
    from mitt import _compile, _lines, _runner

    loop = types.ModuleType("asyncio", "The part of asyncio that needs no operating system.")
    sys.modules["asyncio"] = loop
    exec(compile(source, "asyncio.py", "exec", dont_inherit=True), loop.__dict__)
    plain = _runner._execute

    def execute(code, script, inputs):
        try:
            return plain(code, script, inputs)
        except SyntaxError as error:
            if error.filename != script or "outside" not in str(error.msg):
                raise
        return awaited(code, script, inputs)

    def part(tree, script, mode):
        code = compile(tree, script, mode, ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, True)
        _lines.watch(code)
        return code

    def awaited(code, script, inputs):
        namespace = _runner._main.__dict__
        tree = ast.parse(code, script)
        last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
        try:
            body = part(tree, script, "exec")
        except SyntaxError as error:
            if "'return' outside" not in str(error.msg):
                raise
            if last:
                tree.body.append(last)
            main = ast.parse("async def __user_main__():\n    pass")
            main.body[0].body = tree.body
            exec(part(main, script, "exec"), namespace)
            return loop.run(namespace.pop("__user_main__")())
        value = last and part(ast.Expression(last.value), script, "eval")
        result = None
        for code in (body, value):
            if code:
                result = eval(code, namespace)
                if code.co_flags & 0x80:
                    result = loop.run(result)
        return result if value else None

    _runner._execute = execute


_mitt_await(_mitt_source)
del _mitt_await, _mitt_source
