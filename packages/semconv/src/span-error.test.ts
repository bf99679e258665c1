import { expect, test } from "vitest";
import { readError } from "./span-error.ts";
import { span } from "./testing/span.ts";

const EXCEPTION = {
	"exception.type": "ValueError",
	"exception.message": "no rooms",
	"exception.stacktrace": "Traceback …",
};

test("takes the last exception of a failed span", () => {
	const failed = span(
		{},
		{
			statusCode: 2,
			statusMessage: "ValueError: no rooms",
			events: [
				{ name: "exception", attributes: { "exception.message": "first" } },
				{ name: "exception", attributes: EXCEPTION },
			],
		},
	);
	expect(readError(failed)).toEqual({
		type: "ValueError",
		message: "no rooms",
		stacktrace: "Traceback …",
		exception_event: true,
		raw_status_message: "ValueError: no rooms",
	});
});

test("a span that did not fail has no error, even with an exception", () => {
	expect(
		readError(span({}, { statusCode: 1, events: [{ name: "exception", attributes: EXCEPTION }] })),
	).toBeUndefined();
});

test("cuts a Python traceback off, or takes its last line when there is nothing else", () => {
	const message = (statusMessage: string): string | undefined =>
		readError(span({}, { statusCode: 2, statusMessage }))?.message;
	expect(message('RuntimeError("down")Traceback (most recent call last):\n  File "a.py"\nRuntimeError: down')).toBe(
		'RuntimeError("down")',
	);
	expect(message('Traceback (most recent call last):\n  File "a.py"\nRuntimeError: down\n')).toBe("RuntimeError: down");
});
