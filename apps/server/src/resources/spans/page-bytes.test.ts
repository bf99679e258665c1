import { expect, test } from "vitest";
import type { Keyset, Page, SpanQuery, StoredSpan } from "#storage/traces/trace-store.ts";
import { openTestApp, text } from "#test-app.ts";

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");

test("a page of large spans ends early, and the next one continues where it ended", async () => {
	await using server = await openTestApp();
	const count = 100;
	await server.send(
		Array.from({ length: count }, (_, index) => ({
			spanId: hex(index + 1, 16),
			attributes: { "input.value": text(`${index}${"x".repeat(index < 40 ? 10 : 5_000)}`) },
		})),
	);
	const { json } = await server.get("/v1/projects/default");
	const projectId = Number(Buffer.from(json.data.id, "base64").toString().split(":")[1]);
	const query: SpanQuery = { projectId, sort: "id", order: "asc", limit: 90, maxContentBytes: 50_000 };
	const sizes: number[] = [];
	const ids: string[] = [];
	let from: Keyset | undefined;
	do {
		const page: Page<StoredSpan> = await server.context.traces.listStoredSpans(
			from === undefined ? query : { ...query, from },
		);
		sizes.push(page.items.length);
		ids.push(...page.items.map((item) => item.summary.spanId));
		from = page.next;
	} while (from !== undefined);
	expect(ids).toEqual(Array.from({ length: count }, (_, index) => hex(index + 1, 16)));
	expect(sizes.length).toBeGreaterThan(4);
	expect(Math.max(...sizes)).toBeLessThan(90);
});

test("a span larger than the bound is a page of its own", async () => {
	await using server = await openTestApp();
	await server.send([{ attributes: { "input.value": text("x".repeat(10_000)) } }]);
	const query: SpanQuery = { projectId: 1, sort: "id", order: "asc", limit: 10, maxContentBytes: 100 };
	expect((await server.context.traces.listStoredSpans(query)).items).toHaveLength(1);
});
