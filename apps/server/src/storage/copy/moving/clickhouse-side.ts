import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClickHouseSettings } from "#base/clickhouse-address.ts";
import { present } from "#base/present.ts";
import { failureOf } from "#storage/clickhouse/failures.ts";
import { nodeNames, toOpenError } from "#storage/clickhouse/open-errors.ts";
import { isUnfinished, noteFact, readFacts, unfinished } from "#storage/traces/clickhouse/facts.ts";
import { hasSpans } from "#storage/traces/clickhouse/installation.ts";
import { countOlderRows } from "#storage/traces/clickhouse/readings/count-older.ts";
import { checkTables, prepareDatabase, prepareTables } from "#storage/traces/clickhouse/schema.ts";
import { ShardHistory } from "#storage/traces/clickhouse/shards/shard-history.ts";
import { TraceShards } from "#storage/traces/clickhouse/shards/trace-shards.ts";
import { FIRST_READING, PROJECTS } from "#storage/traces/clickhouse/tables.ts";
import { insertRows } from "#storage/traces/clickhouse/write/insert-rows.ts";
import { hasFailed, openCopyShards } from "./copy-shard.ts";
import { PortableClickHouseRows } from "./portable/clickhouse-rows.ts";
import { countAllHours } from "./portable/count-hours.ts";
import {
	COPIED,
	copiedAgain,
	insertPortableRows,
	removed,
	removePortableRows,
} from "./portable/insert-portable-rows.ts";
import {
	CopyRefused,
	type CopyState,
	type LastNumbers,
	type Page,
	pagesOf,
	type Side,
	type Source,
	type Target,
} from "./side.ts";
import { type CopiedTable, copiedTables, type Row, type Value } from "./tables.ts";

const UNKNOWN_DATABASE = 81;
/** For ten minutes. */
const MOST_TRIES = 120;
const BETWEEN_TRIES_MS = 5_000;

/** A database whose traces are in ClickHouse. */
abstract class ClickHouseSide<Metadata extends Side> implements Side {
	readonly tracesInClickHouse = true;
	readonly metadata: Metadata;
	readonly shards: TraceShards;
	readonly rows: PortableClickHouseRows;

	constructor(metadata: Metadata, shards: TraceShards) {
		this.metadata = metadata;
		this.shards = shards;
		this.rows = new PortableClickHouseRows(shards);
	}

	read(table: CopiedTable, after: readonly Value[] | null): Promise<Page> {
		return isOfTraces(table) ? this.rows.read(table, after) : this.metadata.read(table, after);
	}

	count(table: CopiedTable): Promise<number> {
		return isOfTraces(table) ? this.rows.count(table) : this.metadata.count(table);
	}

	/** Traces and sessions share their numbers, and log records have none. */
	async lastNumbers(tables: readonly CopiedTable[]): Promise<LastNumbers> {
		const [own, stored] = [await this.metadata.lastNumbers(tables), await this.rows.lastNumbers()];
		const traces = Math.max(own.traces, stored.traces);
		return {
			...{ spans: Math.max(own.spans, stored.spans), traces, blocks: own.blocks },
			tables: new Map([...own.tables, ["sessions", traces]]),
		};
	}

	/** The metadata side is disposed of by who opened it. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.shards[Symbol.asyncDispose]();
	}
}

function isOfTraces({ stored }: CopiedTable): boolean {
	return stored !== undefined;
}

/**
 * Opens the traces that belong to a metadata database as the source of a copy. They are not read as of one moment:
 * servers have to be stopped.
 * @throws CopyRefused when they do not belong to it; ClickHouseOpenError
 */
export async function openClickHouseSource(metadata: Source, settings: ClickHouseSettings): Promise<Source> {
	await using opened = new AsyncDisposableStack();
	const shards = opened.use(new TraceShards(openCopyShards(settings)));
	const of = describe(settings);
	if (!(await hasTables(shards, settings))) throw new CopyRefused(`${of} has no traces of Spanward`);
	const [own, facts] = [await metadata.installationId(), await factsOf(shards)];
	const theirs = facts.map((said) => said.get("installation_id"));
	if (theirs.some(isUnfinished)) throw new CopyRefused(`${of} has an unfinished copy: complete that one first`);
	if (own === undefined || theirs.some((id) => id !== own))
		throw new CopyRefused(`${of} has the traces of another installation than the source`);
	expectAll(facts, of);
	opened.move();
	return new ClickHouseSource(metadata, shards, own);
}

function factsOf(shards: TraceShards): Promise<ReadonlyMap<string, string>[]> {
	return shards.onEach(async (shard) => [await readFacts(shard)]);
}

/** @throws CopyRefused when the list lacks a shard of the installation, or has them in another order */
function expectAll(facts: readonly ReadonlyMap<string, string>[], of: string): void {
	const counts = facts.map((said) => said.get("shards")).map((text) => (text ? ShardHistory.parse(text).count : 1));
	const count = Math.max(...counts);
	const isInOrder = facts.every((said, index) => (said.get("shard") ?? "1") === String(index + 1));
	if (count !== facts.length || !isInOrder)
		throw new CopyRefused(`${of} is not the list of all ${count} shards of the source, in their order`);
}

async function hasTables(shards: TraceShards, settings: ClickHouseSettings): Promise<boolean> {
	try {
		const versions = await shards.onEach(async (shard) => [(await checkTables(shard, settings)).version]);
		return versions.every((version) => version !== undefined);
	} catch (error) {
		if (failureOf(error)?.code === UNKNOWN_DATABASE) return false;
		throw error;
	}
}

function describe(settings: ClickHouseSettings): string {
	return `the database ${settings.database} of ClickHouse at ${nodeNames(settings)}`;
}

class ClickHouseSource extends ClickHouseSide<Source> implements Source {
	readonly seesOneMoment = false;
	readonly identity: string;

	constructor(metadata: Source, shards: TraceShards, installationId: string) {
		super(metadata, shards);
		this.identity = JSON.stringify([metadata.identity, installationId]);
	}

	installationId(): Promise<string | undefined> {
		return this.metadata.installationId();
	}

	async isDeleting(): Promise<boolean> {
		return false;
	}

	/** Rows of a former reading have no release, which other databases read behind their start. */
	override async read(table: CopiedTable, after: readonly Value[] | null): Promise<Page> {
		if (table.name !== "unread_deployments") return await super.read(table, after);
		const { spans } = await countOlderRows(this.shards);
		const last_span = spans === 0 ? 0 : (await this.rows.lastNumbers()).spans;
		return { rows: spans === 0 ? [] : [{ first_span: 1, last_span }], next: null };
	}

	spansOfBlock(block: Row): ReturnType<Source["spansOfBlock"]> {
		return this.metadata.spansOfBlock(block);
	}

	months(): Promise<readonly number[]> {
		return this.rows.days();
	}
}

/**
 * Opens a database of ClickHouse as the target of the traces of a copy, and makes it if it is missing. No server opens it
 * until the copy is complete.
 * @throws CopyRefused when it has traces already; ClickHouseOpenError
 */
export async function openClickHouseTarget(metadata: Target, given: ClickHouseSettings): Promise<Target> {
	await using opened = new AsyncDisposableStack();
	const settings = await explained(given, () => prepareDatabase(given));
	const shards = opened.use(new TraceShards(openCopyShards(settings)));
	for (const shard of shards.list) await prepareTables(shard, settings);
	const found = (await factsOf(shards)).map((said) => said.get("installation_id"));
	const isNew = found.every((id) => id === undefined);
	const isOwn = isNew
		? !(await hasSpans(shards))
		: found.every((id) => id === undefined || isBegun(id, metadata.state));
	if (!isOwn)
		throw new CopyRefused(
			`${describe(settings)} has traces already, or an unfinished copy of others: give one that no server has used, or drop it`,
		);
	if (found.includes(undefined) && hasProgress(metadata.state))
		throw new CopyRefused(`${describe(settings)} is not the one that the unfinished copy was begun with`);
	opened.move();
	return new ClickHouseTarget(metadata, shards);
}

async function explained<Result>(settings: ClickHouseSettings, work: () => Promise<Result>): Promise<Result> {
	try {
		return await work();
	} catch (error) {
		throw toOpenError(error, settings);
	}
}

/** Whether what ClickHouse says is of this copy, which may have been interrupted just before its end. */
function isBegun(found: string, state: CopyState | undefined): boolean {
	const id = state?.installationId;
	return id !== undefined && (found === id || found === unfinished(id));
}

function hasProgress(state: CopyState | undefined): boolean {
	return state !== undefined && (state.done.length > 0 || state.after !== null);
}

class ClickHouseTarget extends ClickHouseSide<Target> implements Target {
	/** Rows that an earlier run has written may differ, so they have other tokens. */
	readonly #run = randomUUID();
	#batches = 0;

	get state(): CopyState | undefined {
		return this.metadata.state;
	}

	storesNul(table: CopiedTable): boolean {
		return isOfTraces(table) || this.metadata.storesNul(table);
	}

	async prepare(_months: readonly number[], state: CopyState): Promise<void> {
		await this.metadata.prepare([], state);
		// First, so that whoever goes on knows what ClickHouse has.
		await this.save(state);
		for (const [index, shard] of this.shards.list.entries()) {
			await noteFact(shard, "installation_id", unfinished(idOf(state)));
			await noteFact(shard, "shard", String(index + 1));
			await noteFact(shard, "shards", this.shards.history.format());
			// Of rows from elsewhere nobody knows by which reading they were made.
			await noteFact(shard, "reading", String(FIRST_READING));
		}
	}

	save(state: CopyState): Promise<void> {
		return this.metadata.save(state);
	}

	async write(table: CopiedTable, rows: readonly Row[], state: CopyState, source: Source): Promise<CopyState> {
		if (!isOfTraces(table)) return await this.metadata.write(table, rows, state, source);
		const token = this.#nextToken();
		const numbers = copiedAgain(state.lastRounds ?? 0);
		await unlessOverloaded(() => insertPortableRows(this.shards, table, rows, token, numbers));
		const { done } = state;
		if (this.shards.list.length > 1 && COUNTED.has(table.name) && [...COUNTED].every((name) => done.includes(name)))
			for (const shard of this.shards.list) await countAllHours(shard, numbers, token);
		await this.save(state);
		return state;
	}

	async remove(table: CopiedTable, rows: readonly Row[], state: CopyState): Promise<void> {
		const token = this.#nextToken();
		const numbers = removed(state.lastRounds ?? 0);
		await unlessOverloaded(() => removePortableRows(this.shards, table, rows, token, numbers));
	}

	async clear(table: CopiedTable, state: CopyState): Promise<void> {
		if (!isOfTraces(table)) return await this.metadata.clear(table, state);
		for await (const rows of pagesOf(this, table)) await this.remove(table, rows, state);
	}

	#nextToken(): string {
		this.#batches += 1;
		return `copy ${this.#run} ${this.#batches}`;
	}

	async finish(numbers: LastNumbers, state: CopyState, pausesJobs: boolean): Promise<number> {
		for await (const rows of pagesOf(this.metadata, projectsTable())) {
			const projects = rows.map((row) => ({ ...COPIED, id: Number(row["id"]), name: String(row["name"]) }));
			for (const shard of this.shards.list)
				await insertRows(shard, PROJECTS, projects, `copy ${this.#run} to ${projects.at(-1)?.id}`);
		}
		for (const shard of this.shards.list) await noteFact(shard, "installation_id", idOf(state));
		return await this.metadata.finish(numbers, state, pausesJobs);
	}
}

/** When these are there, each shard can count its hours. */
const COUNTED: ReadonlySet<string> = new Set(["spans", "traces", "hours"]);

function projectsTable(): CopiedTable {
	return present(
		copiedTables().find(({ name }) => name === "projects"),
		"the table of projects",
	);
}

/** Merges may not keep up with inserts. */
async function unlessOverloaded(work: () => Promise<void>): Promise<void> {
	for (let tries = 1; ; tries += 1)
		try {
			return await work();
		} catch (error) {
			if (!hasFailed(error, "overloaded") || tries === MOST_TRIES) throw error;
			await sleep(BETWEEN_TRIES_MS);
		}
}

function idOf({ installationId }: CopyState): string {
	if (installationId === undefined) throw new Error("a copy to ClickHouse has no installation id");
	return installationId;
}
