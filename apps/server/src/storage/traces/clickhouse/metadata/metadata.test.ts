import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { sql } from "kysely";
import { describe, expect, test as vitest } from "vitest";
import { openPostgres } from "#storage/postgres/open-postgres.ts";
import { createMigratedSchema } from "#storage/postgres/test-migrated.ts";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import type { Access } from "#storage/schema.ts";
import { openSqlite } from "#storage/sqlite/open-sqlite.ts";
import { checkIntegrity as checkSchema } from "#storage/traces/postgres/check-integrity.ts";
import { checkIntegrity as checkFile } from "#storage/traces/sqlite/check-integrity.ts";
import { openWriterMetadata } from "./open-writer.ts";
import { openPostgresMetadata } from "./postgres-metadata.ts";
import { openSqliteMetadata } from "./sqlite-metadata.ts";
import type { TraceMetadata } from "./trace-metadata.ts";
import type { Turn, Wanted } from "./turns.ts";

interface UnderTest extends AsyncDisposable {
	readonly metadata: TraceMetadata;
	/** The same database, as a server opens it that starts later. */
	readonly openAgain: (pinnedAccess?: Access) => Promise<TraceMetadata>;
	/** What a check of the database finds. */
	readonly damage: () => Promise<readonly string[]>;
}

async function openFile(): Promise<UnderTest> {
	await using opening = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-metadata-"));
	opening.defer(() => rm(folder, { recursive: true, force: true }));
	const storage = opening.use(
		await openSqlite({
			...{ SERVICE_WORKING_DIR: folder, SERVICE_PROJECT_NAME: "default" },
			...{ SERVICE_DATABASE_READERS: 1, SERVICE_ENABLE_TEXT_INDEX: false },
		}),
	);
	const openAgain = async (pinnedAccess?: Access) =>
		openSqliteMetadata({ db: storage.db, ...storage.writerOptions, pinnedAccess });
	const metadata = await openAgain();
	await metadata.leaveTraces();
	const open = opening.move();
	const damage = async () => checkFile(storage.writerOptions.path);
	return { metadata, openAgain, damage, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

async function openSchema(): Promise<UnderTest> {
	await using opening = new AsyncDisposableStack();
	const { settings } = opening.use(await createMigratedSchema());
	const { db } = opening.use(await openPostgres({ SERVICE_PROJECT_NAME: "default" }, settings));
	const openAgain = (pinnedAccess?: Access) => openPostgresMetadata(db, settings, pinnedAccess);
	const metadata = await openAgain();
	await metadata.leaveTraces();
	const open = opening.move();
	const damage = () => checkSchema(settings);
	return { metadata, openAgain, damage, [Symbol.asyncDispose]: () => open.disposeAsync() };
}

const NOTHING: Wanted = { projects: [], keys: [], spans: 0, traces: 0 };

describe.each([
	["SQLite", vitest, openFile],
	["PostgreSQL", testWithPostgres, openSchema],
] as const)("the metadata of traces in ClickHouse on %s", (database, test, open) => {
	test("numbers grow with each turn, and no row number is given out twice", async () => {
		await using store = await open();
		await using turns = store.metadata.openTurns();
		await using worker = await openWriterMetadata(store.metadata.writerOptions);
		const taken = { spans: new Set<number>(), traces: new Set<number>(), batches: [0], versions: [0] };
		for (let round = 0; round < 6; round += 1) {
			const wanted = { ...NOTHING, keys: ["a"], spans: 700, traces: 70 };
			await (round % 2 === 0 ? turns : worker.turns).take(wanted, async (turn) => {
				expect(turn.batch).toBeGreaterThan(taken.batches.at(-1) ?? 0);
				expect(turn.version).toBeGreaterThan(taken.versions.at(-1) ?? 0);
				taken.batches.push(turn.batch);
				taken.versions.push(turn.version);
				for (let count = 0; count < 700; count += 1) taken.spans.add(turn.take("spans"));
				for (let count = 0; count < 70; count += 1) taken.traces.add(turn.take("traces"));
				// A process that starts after this one was killed begins above.
				const { spans, traces } = await store.metadata.counters();
				expect(spans).toBeGreaterThanOrEqual(Math.max(...taken.spans));
				expect(traces).toBeGreaterThanOrEqual(Math.max(...taken.traces));
			});
		}
		expect([taken.spans.size, taken.traces.size]).toEqual([6 * 700, 6 * 70]);
		expect(Math.min(...taken.spans, ...taken.traces)).toBe(1);
		await expect(
			turns.take(NOTHING, async ({ take }) => {
				for (let count = 0; count <= 2_000; count += 1) take("spans");
			}),
		).rejects.toThrow("no row numbers for spans");
	});

	test("projects are there for everybody before a span refers to them, whatever their names are", async () => {
		await using store = await open();
		await using turns = store.metadata.openTurns();
		const names = ["default", "new", "zero\0", "half \ud800", "ü"];
		const seen = await turns.take({ ...NOTHING, projects: names }, async ({ projects }) => {
			const rows = await store.metadata.db.read.selectFrom("projects").select("id").execute();
			expect(new Set(rows.map(({ id }) => id))).toEqual(new Set(projects.values()));
			return projects;
		});
		expect([...seen.keys()]).toEqual(names);
		await using worker = await openWriterMetadata(store.metadata.writerOptions);
		const again = await worker.turns.take({ ...NOTHING, projects: names }, async ({ projects }) => projects);
		expect(again).toEqual(seen);
	});

	test("turns with a key wait for each other, others do not, and whoever is alone waits for all", async () => {
		await using store = await open();
		await using first = store.metadata.openTurns();
		await using worker = await openWriterMetadata(store.metadata.writerOptions);
		await using second = await openWriterMetadata(store.metadata.writerOptions);
		await using repairer = store.metadata.openTurns();
		const order: string[] = [];
		const begun = Promise.withResolvers<void>();
		const end = Promise.withResolvers<void>();
		const holding = first.take({ ...NOTHING, keys: ["a", "b"] }, async () => {
			begun.resolve();
			await end.promise;
			order.push("first");
		});
		await begun.promise;
		// Places of PostgreSQL's locks are few, so that another key may share one.
		await worker.turns.take(NOTHING, async () => order.push("other"));
		const waiting = worker.turns.take({ ...NOTHING, keys: ["b"] }, async () => order.push("same"));
		const alone = repairer.takeAlone(async () => {
			await second.db.read.selectFrom("projects").select("id").execute();
			order.push("alone");
		});
		await new Promise((resolve) => setTimeout(resolve, 300));
		expect(order).toEqual(["other"]);
		end.resolve();
		await Promise.all([holding, waiting, alone]);
		expect(order.slice(0, 2)).toEqual(["other", "first"]);
		expect(order.slice(2).sort()).toEqual(["alone", "same"]);
	});

	test("a batch stays until it is complete, and is known by those who repair", async () => {
		await using store = await open();
		await using turns = store.metadata.openTurns();
		await using repairer = store.metadata.openTurns();
		const done = await turns.take(NOTHING, async ({ batch }) => batch);
		const failed = Promise.withResolvers<number>();
		const versions: number[] = [];
		await expect(
			turns.take({ ...NOTHING, traces: 150 }, async ({ batch, version, take }) => {
				failed.resolve(batch);
				for (let count = 0; count < 150; count += 1) take("traces");
				versions.push(version);
				throw new RangeError("not stored");
			}),
		).rejects.toThrow("not stored");
		// Of what failed before anything was inserted there is nothing to repair.
		await expect(
			turns.take(NOTHING, (turn) => turn.beforeInserts(() => Promise.reject(new RangeError("not read")))),
		).rejects.toThrow("not read");
		const asked = await turns.take({ ...NOTHING, traces: 3 }, async ({ batch, askForRepair }) => {
			askForRepair();
			return batch;
		});
		const left = [await failed.promise, asked];
		expect(await Promise.all([0, 60_000].map((age) => turns.hasLeftBehind(age)))).toEqual([true, false]);
		expect(left).not.toContain(done);
		expect(await turns.take(NOTHING, async ({ oldestOther }) => oldestOther)).toBe(left[0]);
		await repairer.takeAlone(async (turn) => {
			expect(await turn.leftBehind(60_000)).toEqual([]);
			const [first, second, ...others] = await turn.leftBehind(0);
			expect([first?.batch, second?.batch, ...others]).toEqual(left);
			const isByVersion = database === "SQLite";
			const rowNumbers = [
				[1, 100],
				[101, 150],
			];
			expect(first?.newTraces).toEqual(isByVersion ? { version: versions[0] } : { rowNumbers });
			// Of what was stored as a whole there is no new trace to be taken back.
			expect(second?.newTraces).toEqual(isByVersion ? { version: asked } : { rowNumbers: [] });
			await turn.complete(await failed.promise);
			expect((await turn.leftBehind(0)).map(({ batch }) => batch)).toEqual([asked]);
		});
		await repairer.takeAlone(async (turn) => {
			expect(turn.oldestOther).toBe(asked);
			await turn.complete(asked);
		});
		await repairer.takeAlone(async ({ oldestOther }) => expect(oldestOther).toBeUndefined());
		expect(await repairer.hasLeftBehind(0)).toBe(false);
	});

	test("a turn knows of others that were not complete when it began", async () => {
		await using store = await open();
		await using turns = store.metadata.openTurns();
		await using others = store.metadata.openTurns();
		await turns.take({ ...NOTHING, keys: ["a"] }, async ({ batch, oldestOther }) => {
			expect(oldestOther).toBeUndefined();
			await others.take({ ...NOTHING, keys: ["b"] }, async (later) => expect(later.oldestOther).toBe(batch));
		});
	});

	test("counters are raised above what ClickHouse has, and never set back", async () => {
		await using store = await open();
		const { metadata } = store;
		expect(await metadata.counters()).toEqual({ spans: 0, traces: 0, turns: 0 });
		await metadata.raiseCounters({ spans: 0, traces: 0, turns: 0 });
		expect(await metadata.counters()).toEqual({ spans: 0, traces: 0, turns: 0 });
		const numbersOf = async (turn: Turn) => [turn.take("spans"), turn.take("traces"), turn.batch, turn.version];
		const take = async () => {
			await using turns = metadata.openTurns();
			return await turns.take({ ...NOTHING, spans: 1, traces: 1 }, numbersOf);
		};
		await metadata.raiseCounters({ spans: 500, traces: 5, turns: 9 });
		expect(await take()).toEqual([501, 6, 10, 10]);
		const raised = await metadata.counters();
		await metadata.raiseCounters({ spans: 20, traces: 20, turns: 3 });
		expect(await metadata.counters()).toEqual(raised);
		await metadata.raiseCounters({ spans: 123_456, traces: 0, turns: 70_000 });
		expect((await take()).slice(2)).toEqual([70_001, 70_001]);
		expect((await take())[0]).toBeGreaterThan(123_456);
	});

	test("keys that are made get numbers above those that spans have", async () => {
		await using store = await open();
		const { metadata } = store;
		const addKey = (name: string) =>
			metadata.db.write(async (transaction) => {
				const { rows } = await sql<{ id: number }>`
					insert into users (username, username_key, email, role, auth_method, password_hash, password_due,
						password_replaced, created_at, updated_at)
					values (${name}, ${name}, ${name}, 'ADMIN', 'LOCAL', 'none', 0, 0, 1, 1) returning id`.execute(transaction);
				const secret = { public_id: name, secret_hash: new Uint8Array(32), last_characters: "abcd" };
				const times = { created_at: 1, expires_at_ms: null, last_used_at: null };
				return await transaction
					.insertInto("api_keys")
					.values({
						kind: "user",
						user_id: rows[0]?.id ?? 0,
						created_by: null,
						name,
						description: null,
						...secret,
						...times,
					})
					.returning("id")
					.executeTakeFirstOrThrow();
			});
		await metadata.raiseKeyNumbers(40);
		expect((await addKey("a")).id).toBe(41);
		await metadata.raiseKeyNumbers(7);
		expect((await addKey("b")).id).toBeGreaterThan(41);
	});

	test("the installation has one id, also for servers that start together", async () => {
		await using store = await open();
		const again = await store.openAgain();
		const ids = await Promise.all([store.metadata, again, again].map((metadata) => metadata.installationId()));
		expect(new Set(ids).size).toBe(1);
		expect(ids[0]).toMatch(/^[0-9a-f]{8}-[0-9a-f-]{27}$/);
		expect(await (await store.openAgain()).installationId()).toBe(ids[0]);
	});

	test("projects that a backup lacks are made again with their row numbers", async () => {
		await using store = await open();
		const { db } = store.metadata;
		await store.metadata.addProjects([]);
		await store.metadata.addProjects([
			{ id: 1, name: "default" },
			{ id: 70, name: "lost" },
			{ id: 71, name: "default" },
		]);
		await store.metadata.addProjects([{ id: 70, name: "lost" }]);
		const made = await db.write((transaction) =>
			transaction
				.insertInto("projects")
				.values({ name: "next", created_at: 0, updated_at: 0 })
				.returning("id")
				.executeTakeFirstOrThrow(),
		);
		const rows = await db.read.selectFrom("projects").select(["id", "name"]).orderBy("id").execute();
		expect(made.id).toBeGreaterThan(71);
		expect(rows).toEqual([
			{ id: 1, name: "default" },
			{ id: 70, name: "lost" },
			{ id: 71, name: "default (71)" },
			{ id: made.id, name: "next" },
		]);
		await (await store.openAgain("restricted")).addProjects([
			{ id: 70, name: "lost" },
			{ id: 90, name: "restricted by the variable" },
		]);
		const query = db.read.selectFrom("projects").select("id").where("access", "=", "restricted");
		expect(await query.execute()).toEqual([{ id: 90 }]);
	});

	test("annotations and examples refer to spans that are not here", async () => {
		await using store = await open();
		const now = { created_at: 0, updated_at: 0 };
		const targets = [
			{ target: "span", target_row_id: 7, span_row_id: 7, trace_row_id: 8, session_row_id: null },
			{ target: "session", target_row_id: 9, span_row_id: null, trace_row_id: null, session_row_id: 9 },
		] as const;
		const facts = { name: "n", identifier: "", annotator_kind: "HUMAN", source: "APP", metadata: "{}" } as const;
		await store.metadata.db.write(async (transaction) => {
			await transaction
				.insertInto("annotations")
				.values(targets.map((target) => ({ ...target, ...facts, ...now, project_id: 1, document_position: -1 })))
				.execute();
			await transaction
				.insertInto("datasets")
				.values({ id: 1, name: "d", metadata: "{}", ...now })
				.execute();
			await transaction
				.insertInto("dataset_examples")
				.values({ dataset_id: 1, span_row_id: 7, created_at: 0 })
				.execute();
		});
		await (await store.openAgain()).leaveTraces();
		const { rows } = await sql<{ count: number }>`select count(*) as count from annotations`.execute(
			store.metadata.db.read,
		);
		expect(rows).toEqual([{ count: targets.length }]);
		expect(await store.damage()).toEqual([]);
	});
});

testWithPostgres("batches that a former version has noted are known, and not their traces", async () => {
	await using store = await openSchema();
	await store.metadata.db.write(async (transaction) => {
		await sql`alter table clickhouse_batches drop column trace_numbers`.execute(transaction);
		await sql`insert into clickhouse_batches (started_at) values (1)`.execute(transaction);
	});
	await using turns = (await store.openAgain()).openTurns();
	const left = await turns.takeAlone((turn) => turn.leftBehind(0));
	expect(left).toEqual([{ batch: 1, newTraces: { rowNumbers: [] } }]);
});

vitest("a thread that ends in a turn lets others go on", async () => {
	await using store = await openFile();
	const { metadata } = store;
	await using turns = metadata.openTurns();
	const { Worker } = await import("node:worker_threads");
	const code = `
		import { workerData } from "node:worker_threads";
		import { openWriterMetadata } from ${JSON.stringify(new URL("./open-writer.ts", import.meta.url).href)};
		const { turns } = await openWriterMetadata(workerData);
		await turns.take({ projects: ["p"], keys: ["a"], spans: 3, traces: 1 }, () => process.exit(3));`;
	const worker = new Worker(new URL(`data:text/javascript,${encodeURIComponent(code)}`), {
		workerData: metadata.writerOptions,
	});
	const { threadId } = worker;
	expect(await new Promise((resolve) => worker.on("exit", resolve))).toBe(3);
	const waiting = turns.take({ ...NOTHING, keys: ["a"] }, async ({ oldestOther }) => oldestOther);
	metadata.releaseWriter(threadId);
	const left = await waiting;
	await turns.takeAlone(async (turn) => expect(await turn.leftBehind(0)).toMatchObject([{ batch: left }]));
});
