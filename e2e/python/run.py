"""Runs every `test_…` function of modules of this folder, and prints a line of JSON for each: {"module", "name", "error"}.

After checks of a client follows what they called of it: {"called", "public"}.
"""

import importlib
import inspect
import json
import sys
import traceback

for module_name in sys.argv[1:]:
    module = importlib.import_module(module_name)
    for name, function in inspect.getmembers(module, inspect.isfunction):
        if not name.startswith("test_"):
            continue
        error = None
        try:
            function()
        except Exception:
            error = traceback.format_exc()
        print(json.dumps({"module": module_name, "name": name, "error": error}), flush=True)

if "client_under_test" in sys.modules:
    import client_under_test

    print(json.dumps({"called": sorted(client_under_test.called), "public": client_under_test.public_functions()}))
