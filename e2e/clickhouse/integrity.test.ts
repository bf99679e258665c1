import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, vi, test as vitest } from "vitest";
import { TABLES } from "../../apps/server/src/storage/traces/clickhouse/tables.ts";
import { noteProgress, readProgress } from "../../apps/server/src/storage/traces/clickhouse/text/progress.ts";
import { foldHours } from "../../apps/server/src/storage/traces/clickhouse/upkeep/fold-hours.ts";
import { ClickHouseRepairs } from "../../apps/server/src/storage/traces/clickhouse/upkeep/reconcile/run-repairs.ts";
import { repairBatches } from "../../apps/server/src/storage/traces/clickhouse/upkeep/repair.ts";
import { insertAnnotation } from "../../apps/server/src/storage/traces/conformance/annotations.ts";
import { randomFrom, randomSpans } from "../../apps/server/src/storage/traces/conformance/random-spans.ts";
import { allTraces, projectId } from "../../apps/server/src/storage/traces/conformance/store-under-test.ts";
import { spanHex, testLog, testSpan, traceHex } from "../../apps/server/src/storage/traces/test-spans.ts";
import { distinct } from "../../apps/server/src/storage/traces/test-totals.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { damageIn, reconcile } from "./damage.ts";
import { type ClickHouseUnderTest, openStore } from "./open-store.ts";

const test = testWith("any clickhouse");

let clickhouse: ClickHouse;

beforeAll(async () => {
	clickhouse = await startClickHouse({});
});
afterAll(() => clickhouse[Symbol.asyncDispose]());
beforeEach(() => clickhouse.heal());

/** What a repair counts. */
async function repair(
	{ shards, db, metadata }: ClickHouseUnderTest,
	isDryRun: boolean,
): Promise<{ found: number; repaired: number }> {
	const sum = { found: 0, repaired: 0 };
	for await (const { found, repaired } of new ClickHouseRepairs({ shards, db, metadata }).run({
		kind: "all",
		isDryRun,
	})) {
		sum.found += found;
		sum.repaired += repaired;
	}
	return sum;
}

test("K78 a store with everything that totals can get wrong has no findings, also after changes", async () => {
	await using store = await openStore(clickhouse);
	const spans = distinct(randomSpans(randomFrom(11), 400, ["default", "other"]));
	const logs = [1, 2, 3].map((trace) => testLog({ trace, span: trace, content: "said", at: trace }));
	for (let at = 0; at < spans.length; at += 50) await store.writer.write(spans.slice(at, at + 50), logs);
	const [ofDefault, ofOther] = [await projectId(store), await projectId(store, "other")];
	expect(await damageIn(store)).toEqual([]);
	const [first, second, third] = (await allTraces(store, ofDefault)).filter(({ spanCount }) => spanCount > 1);
	if (first === undefined || second === undefined || third === undefined) throw new Error("there are too few traces");
	await store.traces.deleteTrace(first.id);
	const [span] = await store.traces.findSpansBySpanId(second.rootSpanId ?? "", {
		projectId: ofDefault,
		traceId: second.traceId,
	});
	await store.traces.deleteSpan(span?.summary.id ?? 0);
	await store.traces.transferTraces([third.id], ofOther);
	await using turns = store.metadata.openTurns();
	while ((await foldHours(store.shards, turns)) > 0);
	expect(await damageIn(store)).toEqual([]);
	expect(await reconcile(store)).toEqual([]);
	expect(await repair(store, false)).toEqual({ found: 0, repaired: 0 });
});

test("what servers are writing meanwhile is not reported", async () => {
	await using store = await openStore(clickhouse);
	await using other = await store.newWriter();
	let isOver = false;
	const write = async (writer: typeof other, seed: number) => {
		const random = randomFrom(seed);
		while (!isOver) await writer.write(randomSpans(random, 40, ["default"]), []);
	};
	const writing = [write(store.writer, 1), write(other, 2)];
	try {
		for (let round = 0; round < 6; round += 1) {
			expect(await damageIn(store)).toEqual([]);
			await sleep(100);
		}
	} finally {
		isOver = true;
		await Promise.all(writing);
	}
	let leftOut = 0;
	expect(
		await damageIn(store, () => {
			leftOut += 1;
		}),
	).toEqual([]);
	expect(leftOut).toBe(0);
});

describe.skipIf(test === vitest.skip)("K78 damage made by hand is named", () => {
	let store: ClickHouseUnderTest;
	beforeAll(async () => {
		store = await openStore(clickhouse);
	});
	afterAll(() => store[Symbol.asyncDispose]());
	beforeEach(async () => {
		for (const { name } of TABLES) if (name !== "projects") await store.shard.execute(`truncate table ${name}`);
		await store.db.write(async (transaction) => {
			await transaction.deleteFrom("annotations").execute();
			await transaction.deleteFrom("datasets").execute();
			await transaction.deleteFrom("spend").execute();
		});
		await using turns = store.metadata.openTurns();
		await turns.takeAlone(async (turn) => {
			for (const { batch } of await turn.leftBehind(0)) await turn.complete(batch);
		});
		await store.writer.write(SPANS, []);
	});

	const SPANS = [
		testSpan({ trace: 1, span: 1, session: "one", input: "question", output: "answer" }),
		testSpan({ trace: 1, span: 2, parent: 1, start: 1_000, kind: "LLM", model: "m", tokens: { prompt: 7 } }),
		testSpan({ trace: 2, span: 3, start: 5_000 }),
	];

	/** Writes newer rows in the place of those that fulfil a condition; with another key beside them. */
	function replace(table: string, condition: string, columns: Readonly<Record<string, string>>): Promise<void> {
		const replaced = Object.entries({ version: "version + 1000000", ...columns });
		const list = replaced.map(([column, value]) => `${value} as ${column}`).join(", ");
		return store.shard.execute(
			`insert into ${table} select * replace (${list}) from (select * from ${table} final where ${condition})`,
		);
	}
	const remove = (table: string, condition: string) => replace(table, condition, { is_deleted: "1" });
	const hasSpan = (span: number) => `id in (select id from spans where span_id = unhex('${spanHex(span)}'))`;
	const isTrace = (trace: number) => `trace_id = unhex('${traceHex(trace)}')`;

	/** Versions are above those of rows that were written by hand. */
	async function goOn(): Promise<void> {
		const { turns } = await store.metadata.counters();
		await store.metadata.raiseCounters({ spans: 0, traces: 0, turns: turns + 2_000_000 });
	}

	/** As a process does that dies, an hour ago. @returns the number of its batch */
	async function leaveBatchBehind(): Promise<number> {
		vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 3_600_000 });
		try {
			await using turns = store.metadata.openTurns();
			return await turns.take({ projects: [], keys: [], spans: 0, traces: 0 }, async (turn) => {
				turn.askForRepair();
				return turn.batch;
			});
		} finally {
			vi.useRealTimers();
		}
	}

	/** Changes an annotation of the first span. */
	async function annotate(columns: Readonly<Record<string, number>>): Promise<void> {
		await insertAnnotation(store, { on: "span", trace: 1, span: 1, name: "quality" });
		await store.db.write((transaction) => transaction.updateTable("annotations").set(columns).execute());
	}

	/** An example of a dataset that was made of a span. */
	async function addExample(spanRowId: number): Promise<void> {
		const times = { created_at: 1, updated_at: 1 };
		await store.db.write(async (transaction) => {
			const { id } = await transaction
				.insertInto("datasets")
				.values({ name: "sums", description: null, metadata: "{}", ...times })
				.returning("id")
				.executeTakeFirstOrThrow();
			const example = { dataset_id: id, external_id: null, trace_id: null, span_id: null, created_at: 1 };
			await transaction
				.insertInto("dataset_examples")
				.values({ ...example, span_row_id: spanRowId })
				.execute();
		});
	}

	test.each([
		["its spans have arrived", ["span_contents", "trace_places", "spans"]],
		["all of it has arrived", ["span_contents", "trace_places", "spans", "traces", "hours"]],
	])("K51 K78 a move that died when %s is completed", async (_what, tables) => {
		await store.writer.write([testSpan({ trace: 9, span: 9, project: "other" })], []);
		const other = await projectId(store, "other");
		await insertAnnotation(store, { on: "trace", trace: 1, name: "quality" });
		await insertAnnotation(store, { on: "span", trace: 1, span: 2, name: "quality" });
		for (const table of tables) {
			const condition = ["trace_places", "spans", "traces"].includes(table) ? isTrace(1) : "model = 'm'";
			const ofSpans = `id in (select id from spans where ${isTrace(1)})`;
			await replace(table, table === "span_contents" ? ofSpans : condition, { project_id: String(other) });
		}
		await goOn();
		expect(await repair(store, false)).toEqual({
			found: expect.toSatisfy((found) => found > 0),
			repaired: expect.toSatisfy((repaired) => repaired > 0),
		});
		expect(await damageIn(store)).toEqual([]);
		expect((await allTraces(store, other)).map(({ spanCount }) => spanCount).toSorted()).toEqual([1, 2]);
		expect(await allTraces(store, await projectId(store))).toHaveLength(1);
		const annotations = await store.db.read.selectFrom("annotations").select("project_id").execute();
		expect(annotations).toEqual([{ project_id: other }, { project_id: other }]);
	});

	test("K78 the reconciler repairs what was written since it looked, and tells of each", async () => {
		await remove("traces", isTrace(2));
		await replace("span_contents", hasSpan(3), { id: "id + 1000", start_micros: "start_micros + 1" });
		await annotate({ span_row_id: 9_999 });
		await remove("hours", "model = 'm'");
		await remove("projects", "true");
		await goOn();
		expect((await reconcile(store)).toSorted()).toEqual(["content", "hour", "name", "reference", "trace"]);
		expect(await damageIn(store)).toEqual([]);
		expect(await reconcile(store)).toEqual([]);
	});

	test("K78 the reconciler takes back the row of a trace whose spans are missing", async () => {
		await remove("spans", isTrace(2));
		await goOn();
		expect((await reconcile(store)).toSorted()).toEqual(["content", "hour", "trace"]);
		expect(await damageIn(store)).toEqual([]);
	});

	/** As what a process inserts that had been frozen until the text index has gone on. */
	async function writeLate(): Promise<void> {
		await store.untilIndexed();
		await store.writer.write([testSpan({ trace: 2, span: 4, start: 4_000, input: "xylophone" })], []);
		const { turns } = await store.metadata.counters();
		await noteProgress(store.shard, 0, turns);
	}

	test("K78 the text index waits for what a process has left behind", async () => {
		await leaveBatchBehind();
		await store.untilIndexed();
		expect(await readProgress(store.shard, 0)).toBe(0);
		await using turns = store.metadata.openTurns();
		await repairBatches({ shards: store.shards, db: store.db, turns });
		await store.untilIndexed();
		expect(await readProgress(store.shard, 0)).toBeGreaterThan(0);
		expect(await damageIn(store)).toEqual([]);
	});

	test("K20 K78 content that comes after its batch was given up is signed behind", async () => {
		const span = testSpan({ trace: 2, span: 4, start: 4_000, input: "xylophone" });
		await store.writer.write([span], []);
		// As if it were still on its way when others complete the batch.
		await store.shard.execute(`create table late engine = Memory as select * from span_contents where ${hasSpan(4)}`);
		await store.shard.execute(`alter table span_contents delete where ${hasSpan(4)}`, {
			settings: { mutations_sync: "2" },
		});
		const batch = await leaveBatchBehind();
		await using turns = store.metadata.openTurns();
		expect(await repairBatches({ shards: store.shards, db: store.db, turns })).toMatchObject({ batches: 1 });
		await store.untilIndexed();
		expect(await reconcile(store)).toEqual([]);
		await store.shard.execute(`insert into span_contents select * replace (${batch} as batch) from late`);
		await store.shard.execute("drop table late");
		expect(await damageIn(store)).toEqual([expect.stringMatching(/^text search misses texts of span row \d+: /)]);
		expect(await reconcile(store)).toEqual(["unsigned"]);
		expect(await damageIn(store)).toEqual([]);
		expect(await reconcile(store)).toEqual([]);
	});

	/** What nothing is left to make good from. */
	const LOST: ReadonlySet<string> = new Set([
		...["no content", "content that is none", "content that is shorter", "content of another span"],
		"a row number that two spans have",
	]);

	test.each<readonly [what: string, damage: () => Promise<unknown>, says: readonly RegExp[]]>([
		["no content", () => remove("span_contents", hasSpan(3)), [/^span row \d+ has no content$/]],
		[
			"content without a span",
			() => replace("span_contents", hasSpan(3), { id: "id + 1000", start_micros: "start_micros + 1" }),
			[/^the content of span row \d+ belongs to no span$/],
		],
		[
			"content that is none",
			() => replace("span_contents", hasSpan(3), { span: "repeat(char(255), length(span))" }),
			[/^the content of span row \d+ cannot be read$/],
		],
		[
			"content that is shorter",
			() => replace("span_contents", hasSpan(3), { resource: "''" }),
			[/^the content of span row \d+ has \d+ bytes, not the \d+ of its row$/],
		],
		[
			"content of another span",
			() =>
				replace("span_contents", hasSpan(3), {
					span: `replaceOne(span, unhex('${spanHex(3)}'), unhex('${spanHex(8)}'))`,
				}),
			[/^the content of span row \d+ is that of another span$/],
		],
		[
			"a trace without a place",
			() => remove("trace_places", isTrace(2)),
			[/^trace row \d+ is not where its place says$/],
		],
		[
			"a trace that is there twice",
			() => replace("traces", isTrace(2), { anchor_micros: "anchor_micros + 1" }),
			[
				/^trace row \d+ is not where its place says$/,
				/^the row number \d+ is that of several traces$/,
				/^the hour .* has 2 2 0 .*, not the 3 2 0 /,
			],
		],
		[
			"a span, and a place, without a trace",
			() => remove("traces", isTrace(2)),
			[
				/^span row \d+ belongs to no trace$/,
				/^the place of trace row \d+ leads to no trace$/,
				/^the hour .* has 2 2 0 .*, not the 1 2 0 /,
			],
		],
		[
			"a place elsewhere",
			() => replace("trace_places", isTrace(2), { anchor_micros: "anchor_micros + 1" }),
			[/^trace row \d+ is not where its place says$/],
		],
		["no name of a project", () => remove("projects", "true"), [/^ClickHouse does not know the name of project \d+$/]],
		["no session", () => remove("sessions", "true"), [/^trace row \d+ is of a session that is not there$/]],
		[
			"a session of no project",
			() => replace("sessions", "true", { project_id: "99", id: "id + 1000" }),
			[/^1 sessions are of project 99, which is not there$/],
		],
		[
			"a row number that two spans have",
			() => replace("spans", hasSpan(3), { span_id: `toFixedString(unhex('${spanHex(8)}'), 8)` }),
			[/^the row number \d+ is that of several spans$/, /^trace row \d+ has span_count 1, not the 2 /, /^the hour /],
		],
		[
			"other totals",
			() => replace("traces", isTrace(1), { tokens_prompt: "8" }),
			[/^trace row \d+ has tokens_prompt 8, not the 7 /],
		],
		[
			"another cost",
			() => replace("traces", isTrace(1), { cost_micro: "1", cost_pico: "1" }),
			[/^trace row \d+ has a cost of 1000001 picodollars, not the 0 picodollars /],
		],
		[
			"another text",
			() => replace("traces", isTrace(1), { first_input: "null" }),
			[/^trace row \d+ says wrongly whether there is a first_input$/],
		],
		[
			"other flags",
			() => replace("spans", hasSpan(2), { flags: "0" }),
			[/^span row \d+ has flags 0, not the 1 that its trace gives$/],
		],
		[
			"other text marks",
			() => replace("spans", hasSpan(1), { texts: "4" }),
			[/^span row \d+ says wrongly whether it has an input and an output$/],
		],
		[
			"another mark of log records",
			() => replace("spans", hasSpan(1), { has_logs: "1" }),
			[/^span row \d+ says wrongly whether it has log records$/],
		],
		[
			"other totals of an hour",
			() => replace("hours", "model = 'm'", { tokens_total: "8" }),
			[/^the hour .*"model":"m"\} has 0 1 0 0 7 0 8 .*, not the 0 1 0 0 7 0 7 /],
		],
		[
			"another sum of what was spent",
			() => store.db.write((transaction) => transaction.updateTable("spend").set({ tokens: 8 }).execute()),
			[/^what was spent in \{.*\} differs from what its spans give by -1 tokens and 0 picodollars$/],
		],
		["no totals of an hour", () => remove("hours", "model = 'm'"), [/^the hour .* has nothing, not the 0 1 /]],
		["an export that was begun", leaveBatchBehind, [/^export \d+ was begun and not completed: /]],
		[
			"an annotation of no span",
			() => annotate({ span_row_id: 9_999 }),
			[/^annotation \d+ is of span row 9999, which is not there$/],
		],
		[
			"contents that no signature is of",
			async () => {
				await store.untilIndexed();
				await remove("text_signatures", "project_id > 0");
			},
			[/^text search misses texts of span row \d+ and 2 more: no signature is of them$/],
		],
		["a content that came late", writeLate, [/^text search misses texts of span row \d+: no signature is of them$/]],
		[
			"a content that came late among others",
			async () => {
				await writeLate();
				await replace("text_signatures", "project_id > 0", { last_id: "last_id + 1000" });
			},
			[/^text search misses texts of span row \d+: their signatures lack letters$/],
		],
		[
			"signatures without letters",
			async () => {
				await store.untilIndexed();
				await replace("text_signatures", "project_id > 0", { signature: "repeat(char(0), length(signature))" });
			},
			[/^text search misses texts of span row \d+ and \d more: their signatures lack letters$/],
		],
		["an example of no span", () => addExample(9_999), [/^example \d+ is of span row 9999, which is not there$/]],
		[
			"an annotation elsewhere",
			() => annotate({ trace_row_id: 9_999 }),
			[/^annotation \d+ is of span row \d+, and not where that is$/],
		],
		[
			"an annotation of no session",
			async () => {
				await insertAnnotation(store, { on: "session", trace: 1, session: "one", name: "quality" });
				await remove("sessions", "true");
			},
			[/^trace row /, /^annotation \d+ is of session row \d+, which is not there$/],
		],
	])("%s", async (what, damage, says) => {
		await damage();
		expect(await damageIn(store)).toEqual(says.map((sentence) => expect.stringMatching(sentence)));
		await goOn();
		if (what !== "an export that was begun")
			expect(await repair(store, true)).toEqual({ found: expect.toSatisfy((found) => found > 0), repaired: 0 });
		const { repaired } = await repair(store, false);
		if (LOST.has(what)) return;
		expect(await damageIn(store)).toEqual([]);
		expect(repaired > 0).toBe(what !== "an export that was begun");
	});
});
