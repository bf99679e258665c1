import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openTestApp, T0, type TestApp, text } from "#test-app.ts";
import { AttributeCounts, ValueCounts } from "./sampled-values.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

const hex = (value: number, digits: number) => value.toString(16).padStart(digits, "0");
const spanOf = (index: number, attributes: object) => ({
	traceId: hex(index + 1, 32),
	spanId: hex(index + 1, 16),
	name: index % 2 === 0 ? "answer" : "plan",
	startTimeUnixNano: `${BigInt(T0 + index)}000000000`,
	attributes,
});

test("frequent values come first, and those that only one span has are left out", () => {
	const counts = new ValueCounts();
	for (const value of ["b", "a", "b", "", null, "x".repeat(101)]) counts.add(value);
	expect(counts.top()).toEqual([
		{ value: "b", span_count: 2 },
		{ value: "a", span_count: 1 },
	]);
	const ids = new ValueCounts();
	for (let id = 0; id < 21; id += 1) ids.add(`request-${id}`);
	expect(ids.top()).toEqual([]);
});

test("keys of list items are left out, and a key has the type of most of its values", () => {
	const counts = new AttributeCounts();
	counts.add({ tries: 1, "llm.input_messages.0.message.role": "user", "a.1": "x", v2: true });
	counts.add({ tries: 2, tags: ["a"] });
	counts.add({ tries: "many" });
	expect(counts.top()).toEqual([
		{ key: "tries", type: "number", span_count: 3, values: [{ value: "many", span_count: 1 }] },
		{ key: "tags", type: "other", span_count: 1, values: [] },
		{ key: "v2", type: "boolean", span_count: 1, values: [] },
	]);
});

test("a project's fields and attributes are sampled from all of its time", async () => {
	const count = 700;
	await server.send(
		Array.from({ length: count }, (_, index) =>
			spanOf(index, {
				"llm.model_name": text(index % 3 === 0 ? "small" : "large"),
				metadata: text(`{"tenant":"t-${index < 350 ? 1 : 2}"}`),
				"user.id": text("ada"),
				release: text(index % 2 === 0 ? "2.13" : "2.14"),
			}),
		),
	);
	const { json } = await server.get("/v1/projects/default/sampled_values");
	expect(json.span_count).toBe(300);
	expect(json.fields).toMatchObject({ user_id: [{ value: "ada", span_count: 300 }], provider: [], environment: [] });
	expect(json.fields.release.map(({ value }: { value: string }) => value).toSorted()).toEqual(["2.13", "2.14"]);
	const values = (list: { value: string }[]) => list.map(({ value }) => value);
	expect(values(json.fields.model)).toEqual(["large", "small"]);
	expect(values(json.fields.root_name).toSorted()).toEqual(["answer", "plan"]);
	const tenant = json.attributes.find(({ key }: { key: string }) => key === "metadata.tenant");
	expect(tenant).toMatchObject({ type: "text", span_count: 300 });
	expect(values(tenant.values).toSorted()).toEqual(["t-1", "t-2"]);
});

test("a range leaves out other spans, and a project without spans has nothing", async () => {
	await server.send([0, 60].map((index) => spanOf(index, { minute: text(`${index / 60}`) })));
	const after = new Date((T0 + 30) * 1_000).toISOString();
	const { json } = await server.get(`/v1/projects/default/sampled_values?start_time=${after}`);
	expect(json).toMatchObject({ span_count: 1, attributes: [{ key: "minute", values: [{ value: "1" }] }] });
	const none = await server.get("/v1/projects/default/sampled_values?start_time=2090-01-01T00:00:00Z");
	expect(none.json).toMatchObject({ span_count: 0, attributes: [] });
});
