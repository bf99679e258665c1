#!/usr/bin/env python3
"""Builds the bundled table of model prices from the PyPI package `genai-prices` (MIT).

    python3 scripts/build-price-table.py [version]

Downloads the wheel with pip, reads its data module without running it, and writes
apps/server/src/pricing/generated/price-table.json: the providers in the package's order (the first match wins), with
what is needed to find a model and to price text tokens. Prices are US dollars per million tokens.

A price is a number, or [base, [more than this many input tokens, price], ...].
A rule is ["=", text], ["^", start], ["$", end], ["~", part], ["/", regular expression], ["|", rule, ...] or
["&", rule, ...], on lower-case names.
"""

import ast
import datetime
import json
import pathlib
import subprocess
import sys
import tempfile
import zipfile

TARGET = pathlib.Path(__file__).parent.parent / "apps/server/src/pricing/generated/price-table.json"

RULES = {
    "ClauseEquals": ("=", "equals"),
    "ClauseStartsWith": ("^", "starts_with"),
    "ClauseEndsWith": ("$", "ends_with"),
    "ClauseContains": ("~", "contains"),
    "ClauseRegex": ("/", "regex"),
}
PRICES = {
    "input_mtok": "input",
    "output_mtok": "output",
    "cache_read_mtok": "cache_read",
    "cache_write_mtok": "cache_write",
    "output_reasoning_mtok": "reasoning",
}


def main() -> None:
    requirement = f"genai-prices=={sys.argv[1]}" if len(sys.argv) > 1 else "genai-prices"
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary", ":all:", "-d", folder, requirement],
            check=True,
        )
        (wheel,) = pathlib.Path(folder).glob("genai_prices-*.whl")
        version = wheel.name.split("-")[1]
        with zipfile.ZipFile(wheel) as archive:
            source = archive.read("genai_prices/data.py").decode()
            licence = archive.read(f"genai_prices-{version}.dist-info/licenses/LICENSE").decode()
    if not licence.startswith("The MIT License"):
        sys.exit(f"genai-prices {version} is no longer under the MIT licence: read its LICENSE before using its data")
    providers = [provider(call) for call in assigned_list(ast.parse(source), "providers")]
    table = {
        "source": f"genai-prices {version} (https://github.com/pydantic/genai-prices)",
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
        "licence": licence,
        "providers": [p for p in providers if p is not None],
    }
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(to_json(table))
    models = sum(len(p["models"]) for p in table["providers"])
    print(f"{TARGET}: {len(table['providers'])} providers, {models} models, {TARGET.stat().st_size} bytes")


def assigned_list(module: ast.Module, name: str) -> list[ast.Call]:
    for statement in module.body:
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name) and statement.target.id == name:
            assert isinstance(statement.value, ast.List)
            return statement.value.elts
    sys.exit(f"genai-prices has no list `{name}` any more: adapt scripts/build-price-table.py")


def members(call: ast.expr) -> dict[str, ast.expr]:
    assert isinstance(call, ast.Call)
    return {keyword.arg: keyword.value for keyword in call.keywords}


def class_of(call: ast.expr) -> str:
    assert isinstance(call, ast.Call)
    return call.func.attr if isinstance(call.func, ast.Attribute) else call.func.id


def provider(call: ast.expr) -> dict | None:
    fields = members(call)
    models = [model(m) for m in fields["models"].elts] if "models" in fields else []
    result = {"id": fields["id"].value}
    if "provider_match" in fields:
        result["provider"] = rule(fields["provider_match"])
    if "model_match" in fields:
        result["model"] = rule(fields["model_match"])
    if "fallback_model_providers" in fields:
        result["fallback"] = [e.value for e in fields["fallback_model_providers"].elts]
    result["models"] = [m for m in models if m is not None]
    return result if result["models"] or "fallback" in result else None


def model(call: ast.expr) -> dict | None:
    """A model without prices per token stays: it says that no other rule may price its name."""
    fields = members(call)
    sent = fields["prices"]
    prices = [conditional(p) for p in sent.elts] if isinstance(sent, ast.List) else [price(sent)]
    return {"id": fields["id"].value, "match": rule(fields["match"]), "prices": prices}


def conditional(call: ast.expr) -> dict:
    fields = members(call)
    result = price(fields["prices"])
    constraint = fields.get("constraint")
    if constraint is None or (isinstance(constraint, ast.Constant) and constraint.value is None):
        return result
    limits = members(constraint)
    if class_of(constraint) == "StartDateConstraint":
        return {"from": datetime.date(*arguments(limits["start_date"])).isoformat(), **result}
    if class_of(constraint) == "TimeOfDateConstraint":
        return {"between": [seconds(limits["start_time"]), seconds(limits["end_time"])], **result}
    sys.exit(f"unknown constraint {class_of(constraint)}: adapt scripts/build-price-table.py")


def arguments(call: ast.expr) -> list[int]:
    assert isinstance(call, ast.Call)
    return [ast.literal_eval(a) for a in call.args]


def seconds(call: ast.expr) -> int:
    """Seconds after midnight UTC."""
    hour, minute, second = (arguments(call) + [0, 0])[:3]
    zone = members(call).get("tzinfo")
    assert zone is None or "utc" in ast.unparse(zone).lower(), ast.unparse(zone)
    return hour * 3600 + minute * 60 + second


def price(call: ast.expr) -> dict:
    return {PRICES[name]: amount(value) for name, value in members(call).items() if name in PRICES}


def amount(value: ast.expr) -> float | list:
    if class_of(value) == "Decimal":
        return number(value)
    fields = members(value)
    tiers = [members(tier) for tier in fields["tiers"].elts]
    return [number(fields["base"]), *([ast.literal_eval(t["start"]), number(t["price"])] for t in tiers)]


def number(call: ast.expr) -> float:
    assert isinstance(call, ast.Call)
    value = float(call.args[0].value)
    return int(value) if value.is_integer() else value


def rule(call: ast.expr) -> list:
    kind, fields = class_of(call), members(call)
    if kind in RULES:
        sign, field = RULES[kind]
        return [sign, fields[field].value]
    if kind == "ClauseOr":
        return ["|", *(rule(part) for part in fields["or_"].elts)]
    if kind == "ClauseAnd":
        return ["&", *(rule(part) for part in fields["and_"].elts)]
    sys.exit(f"unknown rule {kind}: adapt scripts/build-price-table.py")


def to_json(table: dict) -> str:
    """A model a line, so that a change of prices reads as one in a diff."""
    compact = lambda value: json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    lines = []
    for entry in table["providers"]:
        head = compact({k: v for k, v in entry.items() if k != "models"})[:-1]
        models = ",\n".join(compact(m) for m in entry["models"])
        lines.append(f'{head},"models":[\n{models}\n]}}')
    head = compact({k: v for k, v in table.items() if k != "providers"})[:-1]
    return f'{head},"providers":[\n' + ",\n".join(lines) + "\n]}\n"


main()
