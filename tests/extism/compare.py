"""Calls every function of plug-ins of Extism twice: by Mitt, and by Extism's own SDK. See `run`."""

import hashlib
import json
import pathlib
import re
import subprocess
import sys

import extism

HERE = pathlib.Path(__file__).parent
INPUTS = ["", "hello world", "你好 aeiou", '{"text": "a b"}', "k" * 5000]
SECONDS = 3


def functions(mitt, path):
    """The functions of a plug-in and their tools; or why Mitt does not take it."""
    done = subprocess.run([mitt, "inspect", "--json", path], capture_output=True, text=True)
    shown = json.loads(done.stdout)
    if "error" in shown:
        return {}, shown["error"]["message"]
    if shown["obstacles"]:
        return {}, shown["obstacles"][0]
    found = {}
    for export in shown["exports"]:
        for function in export["functions"]:
            if function["tool"]:
                found[function["name"]] = function["tool"]
    return found, None if found else "it exports no function that a host calls"


def by_mitt(mitt, path, tool, text):
    done = subprocess.run(
        [mitt, "call", tool, "--component", path, "--no-bundled-skills", "--max-time", f"{SECONDS}s", "--json", "-"],
        input=json.dumps({"input": text}), capture_output=True, text=True,
    )
    given = json.loads(done.stdout)
    return ("error", given["error"]["message"]) if isinstance(given, dict) else ("output", given)


def by_sdk(content, function, text):
    manifest = {"wasm": [{"data": content}], "timeout_ms": SECONDS * 1000}
    try:
        with extism.Plugin(manifest, wasi=True) as plugin:
            return "output", bytes(plugin.call(function, text)).decode()
    except Exception as error:  # noqa: BLE001: whatever the SDK throws is its answer
        return "error", str(error).splitlines()[0] if str(error) else type(error).__name__


def main():
    mitt, *folders = sys.argv[1:]
    expected = {}
    for line in (HERE / "expected.txt").read_text().splitlines():
        if line.strip() and not line.startswith("#"):
            name, reason = line.split(maxsplit=1)
            expected[name] = reason
    seen, calls, same, wrong, told = {}, 0, 0, [], set()
    for path in sorted(path for folder in folders for path in pathlib.Path(folder).glob("*.wasm")):
        content = path.read_bytes()
        digest = hashlib.sha256(content).hexdigest()
        # Components and modules for other uses are not meant; a plug-in that is in several repositories is called once.
        if digest in seen or content[:8] != b"\0asm\1\0\0\0" or b"extism:host/" not in content:
            continue
        seen[digest] = path
        name = re.sub(r"^.*--", "", path.stem)
        found, why = functions(mitt, path)
        if why:
            told.add(name)
            if name not in expected:
                wrong.append(f"{name}: Mitt does not take it: {why}")
            continue
        for function, tool in found.items():
            for text in INPUTS:
                calls += 1
                ours, theirs = by_mitt(mitt, path, tool, text), by_sdk(content, function, text)
                # An error is an error: its words are those of each host, unless the plug-in said them.
                if ours == theirs or ours[0] == theirs[0] == "error":
                    same += 1
                    continue
                told.add(f"{name}/{function}")
                if f"{name}/{function}" not in expected:
                    wrong.append(f"{name}/{function}({text[:20]!r}): Mitt {ours}, the SDK {theirs}")
    unused = [name for name in expected if name not in told and name.split("/")[0] in
              {re.sub(r"^.*--", "", path.stem) for path in seen.values()}]
    for line in wrong:
        print(f"different: {line}")
    for name in unused:
        print(f"no difference any more: {name}")
    print(f"extism: {len(seen)} plug-ins, {calls} calls, {same} with the same outcome")
    sys.exit(bool(wrong or unused))


if __name__ == "__main__":
    main()
