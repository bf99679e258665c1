import { sql } from "kysely";
import { pino } from "pino";
import { afterAll, beforeAll, expect, test } from "vitest";
import { DamagedContents } from "#operations/metrics/damaged-contents.ts";
import { reportDamage } from "#storage/traces/content/damaged-blocks.ts";
import { openTestApp, type TestApp, text } from "#test-app.ts";

let server: TestApp;
beforeAll(async () => {
	server = await openTestApp();
});
afterAll(() => server[Symbol.asyncDispose]());

const [FIRST, SECOND] = ["1".repeat(32), "2".repeat(32)] as const;

function spanOf(traceId: string, fields: object = {}) {
	const attributes = { "input.value": text("what was asked") };
	return { traceId, spanId: traceId.slice(0, 16), name: `of ${traceId[0]}`, attributes, ...fields };
}

const DAMAGES = [
	["is no compressed block", Buffer.from("nothing that anybody wrote")],
	["ends early", undefined],
	["is missing", null],
] as const;

/** Damages the blocks of spans of this name: other bytes, the first bytes alone, or none. */
async function damageBlocks(name: string, bytes: Buffer | null | undefined): Promise<void> {
	const ofSpans = sql`(select block_id from spans where name = ${name})`;
	await server.context.db.write(async (transaction) => {
		if (bytes === null) await sql`delete from blocks where id in ${ofSpans}`.execute(transaction);
		else if (bytes === undefined)
			await sql`update blocks set data = substr(data, 1, 40) where id in ${ofSpans}`.execute(transaction);
		else await sql`update blocks set data = ${bytes} where id in ${ofSpans}`.execute(transaction);
	});
}

test.each(DAMAGES)(
	"a span whose block %s is marked as damaged, and everything else keeps working",
	async (_name, bytes) => {
		await server.clear();
		await server.send([spanOf(FIRST)]);
		await server.send([spanOf(SECOND)]);
		await damageBlocks("of 1", bytes);

		const list = await server.get("/v1/projects/default/spans");
		expect(list.status, list.text).toBe(200);
		const byName = new Map<string, { attributes: object; start_time: string; context: object }>(
			list.json.data.map((span: { name: string }) => [span.name, span]),
		);
		expect(byName.get("of 1")).toMatchObject({
			attributes: { "spanward.damaged": true },
			context: { trace_id: FIRST, span_id: FIRST.slice(0, 16) },
		});
		expect(byName.get("of 2")).toMatchObject({ attributes: { "input.value": "what was asked" } });
		expect(byName.get("of 1")?.start_time).toBe(byName.get("of 2")?.start_time);

		for (const path of [
			"spans/otlpv1",
			`traces/${FIRST}`,
			`traces/${FIRST}/spans/${FIRST.slice(0, 16)}`,
			`spans?attribute=${encodeURIComponent("spanward.damaged:true")}`,
		]) {
			const answer = await server.get(`/v1/projects/default/${path}`);
			expect([path, answer.status], answer.text).toEqual([path, 200]);
			// A trace shows its spans from their rows, without content.
			expect(answer.text).toContain(path === `traces/${FIRST}` ? "of 1" : "spanward.damaged");
		}
		const other = await server.get(
			`/v1/projects/default/spans?attribute=${encodeURIComponent("input.value:what was asked")}`,
		);
		expect(other.json.data.map(({ name }: { name: string }) => name)).toEqual(["of 2"]);
		const filter = encodeURIComponent("attributes['spanward.damaged'] == True");
		const damaged = await server.get(`/v1/projects/default/spans?filter=${filter}`);
		expect(damaged.status, damaged.text).toBe(200);
		expect(damaged.json.data.map(({ name }: { name: string }) => name)).toEqual(["of 1"]);

		await server.send([spanOf(FIRST, { spanId: "3".repeat(16), parentSpanId: "1".repeat(16), name: "later" })]);
		expect((await server.get(`/v1/projects/default/traces/${FIRST}`)).json.data.span_count).toBe(2);
		await expect.poll(async () => server.context.metrics.text()).toMatch(/^spanward_damaged_contents [1-9]/m);
		expect((await server.call("DELETE", `/v1/traces/${FIRST}`)).status).toBe(204);
		expect((await server.get("/v1/projects/default/spans")).json.data).toHaveLength(1);
	},
);

test.each(DAMAGES)(
	"of two traces whose common block %s, one can be deleted and the other stays",
	async (_name, bytes) => {
		await server.clear();
		await server.send([spanOf(FIRST), spanOf(SECOND)]);
		await damageBlocks("of 1", bytes);
		expect((await server.call("DELETE", `/v1/traces/${FIRST}`)).status).toBe(204);
		const list = await server.get("/v1/projects/default/spans");
		expect(list.json.data).toMatchObject([{ name: "of 2", attributes: { "spanward.damaged": true } }]);
		expect((await server.call("DELETE", `/v1/traces/${SECOND}`)).status).toBe(204);
		expect((await server.get("/v1/projects/default/spans")).json.data).toEqual([]);
	},
);

test("deleting a trace with many spans deletes all of it, even if content is missing", async () => {
	await server.clear();
	const many = Array.from({ length: 2_100 }, (_, index) =>
		spanOf(FIRST, { spanId: (index + 1).toString(16).padStart(16, "0"), name: index % 700 === 0 ? "damaged" : "many" }),
	);
	await server.send([...many, spanOf(SECOND)]);
	await damageBlocks("damaged", null);
	expect((await server.call("DELETE", `/v1/traces/${FIRST}`)).status).toBe(204);
	await expect.poll(async () => (await sql`select 1 from spans`.execute(server.context.db.read)).rows.length).toBe(1);
});

test("a block that lacks a span is reported, too", async () => {
	await server.clear();
	await server.send([spanOf(FIRST)]);
	await server.context.db.write((transaction) => sql`update spans set ordinal = 7`.execute(transaction));
	const lines: { reason: string }[] = [];
	using _damaged = new DamagedContents(pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }));
	const list = await server.get("/v1/projects/default/spans");
	expect(list.json.data).toMatchObject([{ attributes: { "spanward.damaged": true } }]);
	await expect.poll(() => lines).toMatchObject([{ reason: "it lacks spans" }]);
});

test("each damaged block is logged once, up to twenty", async () => {
	const lines: { blockId: number; msg: string }[] = [];
	using damaged = new DamagedContents(pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) }));
	for (let block = 1; block <= 25; block++)
		for (let time = 0; time < 3; time++) reportDamage({ blockId: 1_000_000 + block, reason: "it ends early" });
	const own = () => lines.filter(({ blockId }) => blockId > 1_000_000);
	await expect.poll(() => damaged.families()[0]?.samples[0]?.value).toBeGreaterThanOrEqual(25);
	expect(own().map(({ blockId }) => blockId)).toEqual(
		Array.from({ length: own().length }, (_, index) => 1_000_001 + index),
	);
	expect(lines).toHaveLength(20);
	expect(lines.at(-1)?.msg).toContain("further ones are not logged");
});
