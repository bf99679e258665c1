import { afterAll, afterEach, beforeAll, expect, test } from "vitest";
import { openTestApp, type TestApp, text } from "#test-app.ts";
import { onSpan, sendSpans, spanId, traceId } from "./test-annotations.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterEach(() => server.clear());
afterAll(() => server[Symbol.asyncDispose]());

const PROJECT = "/v1/projects/default";

async function annotate(kind: string, data: readonly unknown[]): Promise<void> {
	const { status, text } = await server.call("POST", `/v1/${kind}_annotations?sync=true`, { data });
	if (status !== 200) throw new Error(text);
}

interface Item {
	readonly annotations?: readonly { readonly name: string; readonly target: string }[];
	readonly annotation_count?: number;
}

const namesOf = ({ annotations }: Item) => annotations?.map(({ target, name }) => `${target} ${name}`);

test("lists show the annotations of their items on request", async () => {
	await sendSpans(server, 2);
	const rest = { annotator_kind: "HUMAN" };
	await annotate("span", [onSpan(1, { name: "one", result: { score: 1 } }), onSpan(1, { name: "two" })]);
	await annotate("trace", [{ ...rest, name: "of trace", trace_id: traceId(1) }]);
	await annotate("session", [{ ...rest, name: "of session", session_id: "s" }]);
	await annotate("document", [{ ...rest, name: "of document", span_id: spanId(1), document_position: 0 }]);
	const shown = async (url: string) => (await server.get(`${PROJECT}/${url}`)).json.data.map(namesOf);

	for (const query of ["view=summary&include=annotations", "include=annotations", "include=semantic,annotations"]) {
		expect(await shown(`spans?order=asc&${query}`), query).toEqual([["span two", "span one"], []]);
	}
	expect(await shown("spans")).toEqual([undefined, undefined]);
	expect((await shown("traces?include=annotations")).toSorted()).toEqual([
		[],
		["trace of trace", "span two", "span one"],
	]);
	expect(await shown("traces")).toEqual([undefined, undefined]);
	expect(await shown("sessions?include=annotations")).toEqual([["session of session"]]);
	expect(await shown("sessions")).toEqual([undefined]);
	const session = await server.get("/v1/sessions/s?include=annotations");
	expect(namesOf(session.json.data)).toEqual(["session of session"]);
	for (const query of ["include=annotations", "include=semantic,annotations"]) {
		const { data } = (await server.get(`${PROJECT}/traces/${traceId(1)}?${query}`)).json;
		expect(namesOf(data)).toEqual(["trace of trace", "span two", "span one"]);
		expect(data.spans.map(namesOf)).toEqual([["span two", "span one"]]);
		expect(data.spans[0].semantic === undefined).toBe(query === "include=annotations");
	}
});

test("an item shows its newest twenty annotations, their texts cut, and how many there are", async () => {
	await sendSpans(server, 2);
	const explanation = "x".repeat(3_000);
	await annotate(
		"span",
		Array.from({ length: 30 }, (_, index) => onSpan(1, { name: `n${index}`, result: { explanation } })),
	);
	await annotate("span", [onSpan(2, { name: "other" })]);
	const { data } = (await server.get(`${PROJECT}/spans?order=asc&include=annotations`)).json;
	expect(data.map((item: Item) => [item.annotations?.length, item.annotation_count])).toEqual([
		[20, 30],
		[1, 1],
	]);
	expect(data[0].annotations[0]).toMatchObject({ name: "n29", result: { explanation: "x".repeat(2_000) } });
});

test("every annotated item of a page shows one of them at least", async () => {
	await server.send(
		Array.from({ length: 150 }, (_, index) => ({
			traceId: traceId(1),
			spanId: spanId(index + 1),
			attributes: { "session.id": text("s") },
		})),
	);
	await annotate(
		"span",
		Array.from({ length: 150 * 20 }, (_, index) => onSpan(1 + Math.floor(index / 20), { name: `n${index % 20}` })),
	);
	const { data } = (await server.get(`${PROJECT}/spans?limit=1000&view=summary&include=annotations`)).json;
	const counts = data.map((item: Item) => item.annotations?.length ?? 0);
	expect(counts.reduce((sum: number, count: number) => sum + count, 0)).toBe(2_000);
	expect(Math.min(...counts)).toBeGreaterThan(0);
	expect(data.every((item: Item) => item.annotation_count === 20)).toBe(true);
});
