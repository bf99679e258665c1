"""Runs every `test_…` function of a module of this folder and prints one line of JSON for each: {"name", "error"}."""

import importlib
import inspect
import json
import sys
import traceback

module = importlib.import_module(sys.argv[1])
for name, function in inspect.getmembers(module, inspect.isfunction):
    if not name.startswith("test_"):
        continue
    error = None
    try:
        function()
    except Exception:
        error = traceback.format_exc()
    print(json.dumps({"name": name, "error": error}), flush=True)
