import { expect, test } from "vitest";
import { stackLines } from "./stack-trace.ts";

test("tells a Python trace's own frames from those of libraries", () => {
	const stack = `Traceback (most recent call last):
  File "/app/main.py", line 3, in run
    call()
  File "/usr/lib/python3.13/site-packages/openai/_client.py", line 10, in post
    raise error
    ^^^^^^^^^^^
openai.RateLimitError: 429
`;
	expect(stackLines(stack).map((line) => line.type)).toEqual([
		"head",
		"frame",
		"code",
		"library",
		"library",
		"library",
		"head",
	]);
});

test("tells a JavaScript trace's own frames from those of libraries", () => {
	const stack =
		"Error: boom\n    at run (/app/main.js:3:1)\n    at next (/app/node_modules/x/index.js:1:1)\n    at node:internal/process:1:1";
	expect(stackLines(stack).map((line) => line.type)).toEqual(["head", "frame", "library", "library"]);
});
