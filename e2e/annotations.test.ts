import { setTimeout as sleep } from "node:timers/promises";
import { expect, test } from "vitest";
import { startServer, type TestServer } from "./server.ts";

const ROUNDS = 4;
const PER_REQUEST = 25;

test("kill -9 loses no annotation that was taken, whether its span had come or not", {
	timeout: 1_800_000,
}, async () => {
	await using server = await startServer();
	const annotated = new Set<number>();
	const stored = new Set<number>();
	let next = 0;

	/** Annotates spans that come with the next request only, until the server is gone. */
	async function annotateUntilRefused(): Promise<void> {
		for (;;) {
			const numbers = Array.from({ length: PER_REQUEST }, () => next++);
			if (!(await annotate(server, numbers))) return;
			for (const number of numbers) annotated.add(number);
			if (numbers[0] !== undefined && numbers[0] % 2 === 0 && !(await sendSpans(server, numbers, stored))) return;
		}
	}

	for (let round = 0; round < ROUNDS; round += 1) {
		const before = annotated.size;
		const senders = [annotateUntilRefused(), annotateUntilRefused()];
		while (annotated.size === before) await sleep(5);
		await sleep(Math.random() * 400);
		await server.kill();
		await Promise.all(senders);
		await server.start();
	}

	const waiting = await listWaiting(server);
	// Spans whose request was not answered may be stored all the same.
	const applied = await listAnnotated(server, next);
	const lost = [...annotated].filter((number) => !applied.has(spanId(number)) && !waiting.has(spanId(number)));
	expect(lost).toEqual([]);

	const late = [...Array(next).keys()].filter((number) => !stored.has(number));
	for (let start = 0; start < late.length; start += 500) {
		expect(await sendSpans(server, late.slice(start, start + 500), stored)).toBe(true);
	}
	await expect.poll(async () => [...(await listWaiting(server))], { interval: 100 }).toEqual([]);
	const all = await listAnnotated(server, next);
	expect([...annotated].filter((number) => !all.has(spanId(number)))).toEqual([]);
	expect(annotated.size).toBeGreaterThan(PER_REQUEST);
});

const hex = (number: number, digits: number) => (number + 1).toString(16).padStart(digits, "0");
const spanId = (number: number) => hex(number, 16);

async function annotate(server: TestServer, numbers: readonly number[]): Promise<boolean> {
	return await post(server, "/v1/span_annotations", {
		data: numbers.map((number) => ({ span_id: spanId(number), name: "seen", annotator_kind: "CODE" })),
	});
}

async function sendSpans(server: TestServer, numbers: readonly number[], stored: Set<number>): Promise<boolean> {
	const spans = numbers.map((number) => ({
		traceId: hex(number, 32),
		spanId: spanId(number),
		name: "late",
		startTimeUnixNano: "1700000000000000000",
		endTimeUnixNano: "1700000001000000000",
	}));
	const isStored = await post(server, "/v1/traces", {
		resourceSpans: [{ resource: {}, scopeSpans: [{ scope: {}, spans }] }],
	});
	if (isStored) for (const number of numbers) stored.add(number);
	return isStored;
}

/** Whether it was answered with 200; not when the connection broke. @throws for any other answer */
async function post(server: TestServer, path: string, body: object): Promise<boolean> {
	try {
		const headers = { "content-type": "application/json" };
		const response = await server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
		const text = await response.text();
		if (response.status !== 200) throw new Error(`${path} answered ${response.status}: ${text.slice(0, 500)}`);
		return true;
	} catch (error) {
		if (error instanceof TypeError) return false; // how fetch says that the connection broke
		throw error;
	}
}

interface ListPage<T> {
	readonly data: readonly T[];
	readonly next_cursor: string | null;
}

async function listAll<T>(server: TestServer, path: string): Promise<T[]> {
	const items: T[] = [];
	for (let cursor: string | null = ""; cursor !== null; ) {
		const page = (await server.getJson(`${path}&cursor=${encodeURIComponent(cursor)}`)) as ListPage<T>;
		items.push(...page.data);
		cursor = page.next_cursor;
	}
	return items;
}

async function listWaiting(server: TestServer): Promise<Set<string>> {
	const items = await listAll<{ target_id: string }>(server, "/v1/waiting_annotations?limit=1000");
	return new Set(items.map((item) => item.target_id));
}

/** Ids of the first `count` spans that are annotated. @throws when one is annotated twice */
async function listAnnotated(server: TestServer, count: number): Promise<Set<string>> {
	const found = new Set<string>();
	const numbers = [...Array(count).keys()];
	for (let start = 0; start < numbers.length; start += 500) {
		const ids = numbers.slice(start, start + 500).map((number) => `span_ids=${spanId(number)}`);
		const path = `/v1/projects/default/span_annotations?limit=10000&${ids.join("&")}`;
		if ((await server.fetch(path)).status === 404) continue;
		for (const { span_id } of await listAll<{ span_id: string }>(server, path)) {
			if (found.has(span_id)) throw new Error(`${span_id} is annotated twice`);
			found.add(span_id);
		}
	}
	return found;
}
