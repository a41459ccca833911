# Makes the caller's tools functions of the script. `_mitt_tools` lists them: name, function, parameters, description.
def _mitt_calls(tools, seed):
    import ast, builtins, json, os, random, sys
    import mitt
    from mitt import _runner

    asyncio = sys.modules["asyncio"]
    pending = []
    is_async = False

    class ToolExecutionError(Exception):
        """A tool of the caller failed."""

    def answers(calls):
        return json.loads(mitt.call("mitt_service__calls", calls=json.dumps(calls, default=str)))

    def value(answer):
        if "error" in answer:
            raise ToolExecutionError(answer["error"])
        return answer["result"]

    def idle():
        if not pending:
            return False
        batch = pending[:]
        pending.clear()
        for (_, future), answer in zip(batch, answers([call for call, _ in batch])):
            if future.done():
                continue
            if "error" in answer:
                future.set_exception(ToolExecutionError(answer["error"]))
            else:
                future.set_result(answer["result"])
        return True

    async def later(call):
        future = asyncio.Future()
        pending.append((call, future))
        return await future

    def made(tool):
        name, parameters = tool["function"], tool["parameters"]

        def arguments(positional, named):
            if len(positional) == 1 and isinstance(positional[0], dict) and not named:
                if parameters is None or positional[0].keys() <= set(parameters):
                    positional, named = (), positional[0]
            if parameters is None and positional:
                raise TypeError(f"{name}() takes its arguments by name")
            if parameters is not None and len(positional) > len(parameters):
                raise TypeError(f"{name}() takes {len(parameters)} arguments, got {len(positional)}")
            given = dict(zip(parameters or (), positional))
            for key, item in named.items():
                if parameters is not None and key not in parameters:
                    known = ", ".join(parameters) or "none"
                    raise TypeError(f"{name}() got an unexpected argument {key!r}; it has: {known}")
                if key in given:
                    raise TypeError(f"{name}() got multiple values for argument {key!r}")
                given[key] = item
            for key in tool["required"]:
                if key not in given:
                    raise TypeError(f"{name}() is missing the argument {key!r}")
            return {key: item for key, item in given.items() if item is not None}

        def function(*positional, **named):
            call = {"name": tool["name"], "input": arguments(positional, named)}
            json.dumps(call, default=str)
            return later(call) if is_async else value(answers([call])[0])

        function.__name__ = function.__qualname__ = name
        function.__doc__ = tool["description"]
        return function

    def uses_await(code):
        try:
            tree = ast.parse(code)
        except SyntaxError:
            return "await" in code
        kinds = (ast.Await, ast.AsyncFunctionDef, ast.AsyncFor, ast.AsyncWith)
        return any(
            isinstance(node, kinds) or (isinstance(node, ast.Name) and node.id == "asyncio") for node in ast.walk(tree)
        )

    before = _runner._execute

    def execute(code, script, inputs):
        nonlocal is_async
        is_async = uses_await(code)
        return before(code, script, inputs)

    asyncio._idle.append(idle)
    _runner._execute = execute
    # The same numbers in every round, so that the script makes the same calls.
    random.seed(seed)
    os.urandom = random.randbytes
    namespace = _runner._main.__dict__
    namespace.update({tool["function"]: made(tool) for tool in tools})
    namespace["ToolExecutionError"] = ToolExecutionError
    namespace["asyncio"], namespace["json"] = asyncio, json


_mitt_calls(_mitt_tools["tools"], _mitt_tools["seed"])
del _mitt_calls, _mitt_tools
