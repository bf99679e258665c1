import { expect, test } from "vitest";
import { readTraceAddress } from "./trace-address.ts";

const traceId = "a".repeat(32);

test.each([
	[` ${traceId} `, { traceId }],
	[`https://spans.example/base/p/my%20app/traces/${traceId}?span=1`, { project: "my app", traceId }],
	[`/p/default/traces?sort=total_cost&trace=${traceId}&span=2`, { project: "default", traceId }],
	[`http://localhost:6006/p/default/traces/${traceId}/compare?with=b`, { project: "default", traceId }],
])("reads %s", (text, named) => {
	expect(readTraceAddress(text)).toEqual(named);
});

test.each(["", "two words", "https://spans.example/p/default/sessions/s1", "https://spans.example/p/default/traces"])(
	"finds no trace in “%s”",
	(text) => {
		expect(readTraceAddress(text)).toBeUndefined();
	},
);
