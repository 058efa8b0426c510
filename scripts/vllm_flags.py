"""Brings ``doctor/launch/data`` up to date with a version of vLLM.

    python scripts/vllm_flags.py vllm-0.34.0.tar.gz     a wheel, an sdist, or an unpacked ``vllm``
    python scripts/vllm_flags.py --compare SOURCE       says what would change, writes nothing

vLLM is read, never imported: its flags are the ``add_argument`` calls of ``EngineArgs`` and
``make_arg_parser`` and the annotated fields of ``FrontendArgs``, its variables the keys of
``environment_variables`` in ``envs.py``. What an annotation becomes in argparse follows vLLM's own
``get_kwargs``. The version is taken from the file's name or from ``_version.py``.
"""

from __future__ import annotations

import argparse
import ast
import json
import re
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "doctor" / "launch" / "data"

# Fields of FrontendArgs that vLLM's own code treats apart (_customize_cli_kwargs).
SPECIAL = {
    "--allowed-origins": "json",
    "--allowed-methods": "json",
    "--allowed-headers": "json",
    "--middleware": "append",
    "--disable-access-log-for-endpoints": "str?",
    "--default-chat-template-kwargs": "json",
    "--lora-modules": "lora+",
    "--prompt-adapters": "str?+",
    "--logging-config": "config",
    "--speculative-config": "json?",
    "--diffusion-config": "json?",
}
# The class whose fields are the keys of a flag's JSON, where the flag itself does not say so.
KEYS_OF = {"--logging-config": "LoggingConfig", "--speculative-config": "SpeculativeConfig"}
# Their values are read in any case, with - for _.
LOOSE = frozenset({"--moe-backend", "--linear-backend", "--sparse-indexer-topk-backend"})
# Integers that are read with k, K, m, … and since when; one without a version always was.
SUFFIXED = {
    "--max-num-batched-tokens": (0, 10, 2),
    "--kv-cache-memory-bytes": (0, 10, 2),
    "--max-num-scheduled-tokens": (0, 10, 2),
    "--safetensors-prefetch-block-size": (0,),
    "--max-num-queued-tokens": (0,),
}
AUTO_LENGTH = (0, 14, 0)
BUILTIN = frozenset({"bool", "str", "int", "float", "dict", "list", "set", "tuple", "None", "Any"})
FUNCTIONS = {
    "nullable_str": "str?",
    "nullable_kvs": "str?",
    "json.loads": "json",
    "human_readable_int": "hint",
    "human_readable_int_or_auto": "hintauto",
    "PoolerConfig.from_json": "json",
    "KVTransferConfig.from_cli": "json",
    "int": "int",
    "float": "float",
    "str": "str",
}


def numbers(version: str) -> tuple[int, ...]:
    """``0.11.1rc2`` → (0, 11, 1)."""
    match = re.match(r"\d+(?:\.\d+)*", version)
    return tuple(int(part) for part in match.group().split(".")) if match else ()


class Known:
    """Classes with their annotated fields, and aliases of types, of the modules that define
    vLLM's configuration."""

    def __init__(self, root: Path) -> None:
        self.fields: dict[str, dict[str, tuple[ast.expr, ast.expr | None]]] = {}
        self.bases: dict[str, list[str]] = {}
        self.data_classes: set[str] = set()
        self.dict_classes: set[str] = set()
        self.aliases: dict[str, ast.expr] = {}
        for path in self._files(root):
            for node in ast.walk(parsed(path)):
                if isinstance(node, ast.ClassDef):
                    self._class(node)
                elif isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                    self.aliases.setdefault(node.targets[0].id, node.value)
                elif (
                    isinstance(node, ast.AnnAssign)
                    and isinstance(node.target, ast.Name)
                    and node.value is not None
                ):
                    self.aliases.setdefault(node.target.id, node.value)

    @staticmethod
    def _files(root: Path) -> Iterator[Path]:
        single = root / "config.py"
        yield from [single] if single.exists() else sorted((root / "config").rglob("*.py"))
        yield root / "engine" / "arg_utils.py"
        yield from sorted((root / "entrypoints").rglob("cli_args.py"))
        yield from sorted((root / "entrypoints").rglob("chat_utils.py"))
        yield from sorted((root / "entrypoints" / "anthropic").glob("protocol.py"))
        yield from sorted((root / "renderers").glob("chat_utils.py"))
        yield from sorted((root / "tool_parsers").glob("tool_strict_level.py"))
        quantization = root / "model_executor" / "layers" / "quantization" / "__init__.py"
        yield from [quantization] if quantization.exists() else []

    def _class(self, node: ast.ClassDef) -> None:
        found = self.fields.setdefault(node.name, {})
        self.bases.setdefault(node.name, [ast.unparse(base) for base in node.bases])
        for part in node.body:
            if isinstance(part, ast.AnnAssign) and isinstance(part.target, ast.Name):
                found.setdefault(part.target.id, (part.annotation, part.value))
        marks = [ast.unparse(mark) for mark in node.decorator_list]
        if any("dataclass" in mark or mark.startswith("config") for mark in marks):
            self.data_classes.add(node.name)
        if any(ast.unparse(base).startswith("dict") for base in node.bases):
            self.dict_classes.add(node.name)

    def keys(self, name: str) -> list[str]:
        """The fields of a class, inherited ones included."""
        names = set(self.fields.get(name, {}))
        for base in self.bases.get(name, ()):
            names.update(self.keys(base.rpartition(".")[2]))
        return sorted(names)


def parsed(path: Path) -> ast.Module:
    return ast.parse(path.read_text("utf-8"))


class Hints:
    """The union members of an annotation, as vLLM's ``get_type_hints`` takes them apart."""

    def __init__(self, known: Known, annotation: ast.expr) -> None:
        self.known = known
        self.names: set[str] = set()
        self.literals: list[Any] = []
        self.item: Hints | None = None
        self._take(annotation, 0)

    def _take(self, node: ast.expr, depth: int) -> None:
        if depth > 8:
            return
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            node = ast.parse(node.value, mode="eval").body
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            self._take(node.left, depth + 1)
            self._take(node.right, depth + 1)
        elif isinstance(node, ast.Constant):
            self.names.add(str(node.value))
        elif isinstance(node, ast.Subscript):
            self._subscript(ast.unparse(node.value).rpartition(".")[2], node.slice, depth)
        elif isinstance(node, ast.Name | ast.Attribute):
            name = ast.unparse(node).rpartition(".")[2]
            alias = self.known.aliases.get(name)
            if alias is not None and name not in self.known.fields and _is_type(alias):
                self._take(alias, depth + 1)
            else:
                self.names.add(name)

    def _subscript(self, name: str, inner: ast.expr, depth: int) -> None:
        parts = list(inner.elts) if isinstance(inner, ast.Tuple) else [inner]
        if name in ("Optional", "Union", "Annotated", "SkipValidation"):
            for part in parts[:1] if name == "Annotated" else parts:
                self._take(part, depth + 1)
            if name == "Optional":
                self.names.add("None")
        elif name == "Literal":
            self.names.add("Literal")
            for part in parts:
                if isinstance(part, ast.Constant):
                    self.literals.append(part.value)
                else:
                    other = Hints(self.known, part)
                    self.literals += other.literals
        else:
            self.names.add(name)
            if name in ("list", "set", "tuple", "List", "Tuple") and parts:
                self.item = Hints(self.known, parts[0])

    def kind(self) -> tuple[str, list[Any]]:
        """What argparse is told: the kind, and the choices, or the keys of ``config``."""
        names = self.names
        optional = "?" if "None" in names else ""
        classes = names & self.known.data_classes
        if classes:
            return f"config{optional}", self.known.keys(min(classes))
        if names == {"bool", "str", "None"}:
            return "optstr", []
        if "bool" in names:
            return "bool", []
        if "Literal" in names:
            base = "int" if self.literals and isinstance(self.literals[0], int) else "str"
            return f"{base}{optional}", [] if "str" in names else list(self.literals)
        if self.item is not None:
            base, choices = self.item.kind()
            base = base if base in ("int", "float") else "str"
            return f"{base}{optional}+", choices
        for base in ("int", "float"):
            if base in names:
                return f"{base}{optional}", []
        if "dict" in names or names & self.known.dict_classes:
            others = names - {"dict", "None"} - self.known.dict_classes
            return f"dict{optional}" if others else f"json{optional}", []
        return f"str{optional}", []


def _is_type(node: ast.expr) -> bool:
    return isinstance(node, ast.Subscript) or (
        isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr)
    )


def flags_of(root: Path, version: str) -> dict[str, list[Any]]:
    """Flag → [kind, extras]: ``c`` choices, ``k`` keys of JSON, ``a`` aliases, ``d`` deprecated."""
    known = Known(root)
    found: dict[str, list[Any]] = {}
    engine = parsed(root / "engine" / "arg_utils.py")
    for node in ast.walk(engine):
        if isinstance(node, ast.ClassDef) and node.name in ("EngineArgs", "AsyncEngineArgs"):
            for part in node.body:
                if isinstance(part, ast.FunctionDef) and part.name.startswith("add_cli_args"):
                    _from_calls(part, known, found)
    for path in sorted((root / "entrypoints").rglob("cli_args.py")):
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.FunctionDef) and node.name == "make_arg_parser":
                _from_calls(node, known, found)
    for name in ("BaseFrontendArgs", "FrontendArgs"):
        for field, (annotation, _default) in known.fields.get(name, {}).items():
            kind, choices = Hints(known, annotation).kind()
            found.setdefault(f"--{field.replace('_', '-')}", _entry(kind, choices))
    for name, path in (
        ("subparser_init", root / "entrypoints" / "cli" / "serve.py"),
        ("main", root / "scripts.py"),
    ):
        for node in ast.walk(parsed(path)) if path.exists() else ():
            if isinstance(node, ast.FunctionDef) and node.name == name:
                _from_calls(node, known, found, only="serve_parser")
    for flag, name in KEYS_OF.items():
        if flag in found and known.fields.get(name):
            extras = found[flag][1] if len(found[flag]) > 1 else {}
            found[flag] = [found[flag][0], {**extras, "k": known.keys(name)}]
    return {flag: settled(flag, entry, version) for flag, entry in sorted(found.items())}


def settled(flag: str, entry: list[Any], version: str) -> list[Any]:
    """``entry`` with what vLLM decides by the field's name."""
    kind = SPECIAL.get(flag, entry[0])
    since = numbers(version)
    if flag == "--max-model-len" and since >= (0, 8, 4):
        kind = "hintauto" if since >= AUTO_LENGTH else "hint"
    elif flag in SUFFIXED and since >= SUFFIXED[flag]:
        kind = "hint?" if "?" in kind else "hint"
    elif flag == "--compilation-config" and since < (0, 12, 0):
        kind = "str"  # a level alone was taken as well
    elif flag in LOOSE:
        kind = "loose"
    elif flag == "--served-model-name":
        kind = "str?+" if since >= (0, 9, 0) else "str+"
    if flag == "--all2all-backend" and len(entry) > 1 and "c" in entry[1]:
        # vLLM takes it out again before the flag is made.
        kept = [choice for choice in entry[1]["c"] if choice != "passthrough"]
        return [kind, {**entry[1], "c": kept}]
    return [kind, *entry[1:]]


def _entry(kind: str, choices: list[Any], aliases: list[str] = [], old: bool = False) -> list[Any]:  # noqa: B006
    extras: dict[str, Any] = {}
    if choices and kind.startswith("config"):
        extras["k"] = choices
    elif choices:
        extras["c"] = [str(choice) for choice in choices]
    if aliases:
        extras["a"] = aliases
    if old:
        extras["d"] = 1
    return [kind, extras] if extras else [kind]


def _from_calls(
    function: ast.FunctionDef, known: Known, found: dict[str, list[Any]], only: str = ""
) -> None:
    classes: dict[str, str] = {}
    spread: dict[str, str] = {}
    for node in ast.walk(function):
        if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
            call = node.value
            if isinstance(call, ast.Call) and ast.unparse(call.func) in (
                "get_kwargs",
                "_compute_kwargs",
            ):
                classes[node.targets[0].id] = ast.unparse(call.args[0])
            elif isinstance(call, ast.Subscript):
                spread[node.targets[0].id] = ast.unparse(call)
    for node in ast.walk(function):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Attribute)
            and node.func.attr == "add_argument"
            and (not only or ast.unparse(node.func.value) == only)
        ):
            names = [str(a.value) for a in node.args if isinstance(a, ast.Constant)]
            longs = [name for name in names if name.startswith("--")]
            if longs:
                aliases = [name for name in names if name != longs[0]]
                found.setdefault(longs[0], _of_call(node, known, classes, spread, aliases))


def _of_call(
    call: ast.Call,
    known: Known,
    classes: dict[str, str],
    spread: dict[str, str],
    aliases: list[str],
) -> list[Any]:
    kind = "str"
    choices: list[Any] = []
    words = {word.arg: word.value for word in call.keywords if word.arg is not None}
    for word in call.keywords:
        given = ast.unparse(word.value)
        match = re.search(r"(\w+)\[['\"](\w+)['\"]\]", spread.get(given, given))
        if word.arg is None and match and match.group(1) in classes:
            annotation = known.fields.get(classes[match.group(1)], {}).get(match.group(2))
            if annotation is not None:
                kind, choices = Hints(known, annotation[0]).kind()
    if "type" in words:
        text = ast.unparse(words["type"])
        inner = re.fullmatch(r"optional_type\((.*)\)", text)
        kind = FUNCTIONS.get(inner.group(1) if inner else text, "str").rstrip("?")
        kind += "?" if inner or text.startswith("nullable") else ""
    elif {"default", "choices"} & set(words) and not any(w.arg is None for w in call.keywords):
        kind = "str"
    if "choices" in words:
        try:
            choices = list(ast.literal_eval(words["choices"]))
        except ValueError:
            choices = (
                Hints(known, words["choices"].args[0]).literals
                if (
                    isinstance(words["choices"], ast.Call)
                    and ast.unparse(words["choices"].func) == "get_args"
                )
                else []
            )
    action = ast.unparse(words["action"]).strip("'\"") if "action" in words else ""
    if action.endswith("BooleanOptionalAction"):
        kind, choices = "bool", []
    elif action in ("store_true", "store_false"):
        kind, choices = "switch", []
    elif action == "StoreBoolean":
        kind, choices = "storebool", []
    elif action == "append":
        kind = "append"
    if "nargs" in words and ast.unparse(words["nargs"]).strip("'\"") == "+":
        kind = kind.rstrip("+") + "+"
    help_text = ast.unparse(words["help"]) if "help" in words else ""
    old = "deprecated" in words or re.search(r"deprecat", help_text, re.I) is not None
    return _entry(kind, choices, aliases, old)


def variables_of(root: Path) -> list[str]:
    """The names in ``environment_variables`` of envs.py."""
    for node in ast.walk(parsed(root / "envs.py")):
        target = None
        if isinstance(node, ast.Assign):
            target = node.targets[0]
        elif isinstance(node, ast.AnnAssign):
            target = node.target
        if isinstance(target, ast.Name) and target.id == "environment_variables":
            value = getattr(node, "value", None)
            if isinstance(value, ast.Dict):
                return sorted(str(k.value) for k in value.keys if isinstance(k, ast.Constant))
    return []


def names_of(root: Path) -> dict[str, list[str]]:
    """Names that values may have and argparse does not check: parsers and quantization methods.
    Empty lists where the version keeps them elsewhere."""
    quantization = root / "model_executor" / "layers" / "quantization" / "__init__.py"
    old_tools = root / "entrypoints" / "openai" / "tool_parsers"
    return {
        "tool": _keys(root / "tool_parsers" / "__init__.py", "_TOOL_PARSERS_TO_REGISTER")
        or _keys(old_tools / "__init__.py", "_TOOL_PARSERS_TO_REGISTER")
        or _registered(old_tools),
        "reasoning": _keys(root / "reasoning" / "__init__.py", "_REASONING_PARSERS_TO_REGISTER")
        or _registered(root / "reasoning")
        or _registered(root / "entrypoints" / "openai" / "reasoning_parsers"),
        "quantization": _literals(quantization, "QuantizationMethods")
        or _strings(quantization, "QUANTIZATION_METHODS"),
    }


def _registered(folder: Path) -> list[str]:
    """Up to 0.11: what ``@…ParserManager.register_module(…)`` stands above."""
    found = set()
    for path in sorted(folder.glob("*.py")) if folder.is_dir() else ():
        for node in ast.walk(parsed(path)):
            if not isinstance(node, ast.ClassDef):
                continue
            for one in node.decorator_list:
                if isinstance(one, ast.Call) and ast.unparse(one.func).endswith("register_module"):
                    values = [*one.args, *(k.value for k in one.keywords if k.arg == "name")]
                    found |= {
                        str(part.value)
                        for value in values
                        for part in ast.walk(value)
                        if isinstance(part, ast.Constant) and isinstance(part.value, str)
                    }
    return sorted(found)


def _strings(path: Path, name: str) -> list[str]:
    """The keys of a dict, or the strings of a list."""
    for node in ast.walk(parsed(path)) if path.exists() else ():
        if isinstance(node, ast.AnnAssign):
            target: ast.expr = node.target
        elif isinstance(node, ast.Assign):
            target = node.targets[0]
        else:
            continue
        if ast.unparse(target) == name:
            parts = (
                node.value.keys
                if isinstance(node.value, ast.Dict)
                else getattr(node.value, "elts", ())
            )
            return sorted(str(p.value) for p in parts if isinstance(p, ast.Constant))
    return []


def _assigned(path: Path, name: str) -> ast.expr | None:
    for node in ast.walk(parsed(path)) if path.exists() else ():
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == name:
            return node.value
    return None


def _keys(path: Path, name: str) -> list[str]:
    value = _assigned(path, name)
    if not isinstance(value, ast.Dict):
        return []
    return sorted(str(key.value) for key in value.keys if isinstance(key, ast.Constant))


def _literals(path: Path, name: str) -> list[str]:
    value = _assigned(path, name)
    if not isinstance(value, ast.Subscript) or not isinstance(value.slice, ast.Tuple):
        return []
    return sorted(str(one.value) for one in value.slice.elts if isinstance(one, ast.Constant))


# ------------------------------------------------------------------ the tables


def merged(table: dict[str, Any], version: str, flags: dict[str, list[Any]]) -> dict[str, Any]:
    """``table`` with ``version`` put in or replaced; what does not change is told once."""
    known = sorted({*table["versions"], version}, key=numbers)
    every = {v: flags if v == version else at(table, v) for v in known}
    return {"versions": known, "flags": folded(known, every)}


def at(table: dict[str, Any], version: str) -> dict[str, list[Any]]:
    """The flags of one version of the table."""
    order = {v: i for i, v in enumerate(table["versions"])}
    found = {}
    for flag, steps in table["flags"].items():
        last = [step for step in steps if order[step[0]] <= order[version]]
        if last and last[-1][1] is not None:
            found[flag] = last[-1][1:]
    return found


def folded(versions: list[str], every: dict[str, dict[str, list[Any]]]) -> dict[str, Any]:
    names = sorted({flag for flags in every.values() for flag in flags})
    out: dict[str, Any] = {}
    for flag in names:
        steps: list[list[Any]] = []
        last: list[Any] = [None]
        for version in versions:
            now = every[version].get(flag, [None])
            if now != last:
                steps.append([version, *now])
                last = now
        out[flag] = steps
    return out


def merged_variables(
    table: dict[str, list[str]], versions: list[str], version: str, names: list[str]
) -> dict[str, list[str]]:
    """Name → the versions that know it, as runs ``first..last``."""
    every: dict[str, set[str]] = {v: set() for v in versions}
    for name, runs in table.items():
        for run in runs:
            first, _, last = run.partition("..")
            low, high = numbers(first), numbers(last or first)
            for known in versions:
                if low <= numbers(known) <= high:
                    every[known].add(name)
    every[version] = set(names)
    return runs_of(versions, every)


def runs_of(versions: list[str], every: dict[str, set[str]]) -> dict[str, list[str]]:
    out: dict[str, list[str]] = {}
    for name in sorted({name for names in every.values() for name in names}):
        begun: str | None = None
        before = ""
        for version in [*versions, ""]:
            if version and name in every[version]:
                begun = begun or version
            elif begun:
                out.setdefault(name, []).append(begun if begun == before else f"{begun}..{before}")
                begun = None
            before = version
    return out


def written(flags: dict[str, Any]) -> str:
    """One flag a line, so that a change is seen as one."""
    lines = [f"{json.dumps(flag)}: {json.dumps(steps)}" for flag, steps in flags["flags"].items()]
    body = ",\n".join(lines)
    return f'{{"versions": {json.dumps(flags["versions"])},\n"flags": {{\n{body}\n}}}}\n'


def unpacked(source: Path, folder: Path) -> Path:
    """The ``vllm`` package of a wheel, an sdist or a folder."""
    if source.is_dir():
        return source / "vllm" if (source / "vllm" / "engine").is_dir() else source
    if source.suffix == ".whl":
        with zipfile.ZipFile(source) as wheel:
            names = [n for n in wheel.namelist() if n.startswith("vllm/") and n.endswith(".py")]
            wheel.extractall(folder, names)
        return folder / "vllm"
    with tarfile.open(source) as archive:
        archive.extractall(folder, filter="data")
    return next(path.parent for path in folder.glob("*/vllm/envs.py"))


def version_of(source: Path, root: Path) -> str:
    match = re.search(r"vllm[_-](?:cpu-)?(\d+\.\d+\.\d+(?:\.post\d+)?)", source.name)
    if match:
        return match.group(1)
    text = (root / "_version.py").read_text("utf-8")
    match = re.search(r"^(?:__version__ = )?version = ['\"](\d+\.\d+\.\d+)", text, re.M)
    if match is None:
        sys.exit("the version is not told; name the file vllm-X.Y.Z")
    return match.group(1)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawTextHelpFormatter
    )
    parser.add_argument("source", type=Path)
    parser.add_argument("--compare", action="store_true", help="write nothing")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        root = unpacked(options.source, Path(folder))
        version = version_of(options.source, root)
        flags, names = flags_of(root, version), variables_of(root)
        values = names_of(root)
    table = json.loads((DATA / "flags.json").read_text("utf-8"))
    if options.compare:
        before = at(table, version) if version in table["versions"] else {}
        for flag in sorted({*before, *flags}):
            if before.get(flag) != flags.get(flag):
                print(flag, before.get(flag), "->", flags.get(flag))
        return
    table = merged(table, version, flags)
    variables = json.loads((DATA / "variables.json").read_text("utf-8"))
    variables = merged_variables(variables, table["versions"], version, names)
    (DATA / "flags.json").write_text(written(table), "utf-8")
    (DATA / "variables.json").write_text(json.dumps(variables, indent=0) + "\n", "utf-8")
    known = json.loads((DATA / "names.json").read_text("utf-8"))
    known = dict(sorted({**known, version: values}.items(), key=lambda one: numbers(one[0])))
    (DATA / "names.json").write_text(json.dumps(known, indent=0) + "\n", "utf-8")
    print(f"{version}: {len(flags)} flags, {len(names)} variables")


if __name__ == "__main__":
    main()
