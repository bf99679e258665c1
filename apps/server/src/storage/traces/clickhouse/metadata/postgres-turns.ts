import { hash } from "node:crypto";
import type pg from "pg";
import { present } from "#base/present.ts";
import { Semaphore } from "#base/semaphore.ts";
import { storableText } from "#storage/postgres/storable-text.ts";
import { toStorageError } from "#storage/postgres/storage-errors.ts";
import { RightsChanged } from "#storage/projects/rights-version.ts";
import { RowNumbers } from "#storage/traces/postgres/row-numbers.ts";
import { type ProjectNumbers, projectNumbers } from "#storage/traces/postgres/write/project-rows.ts";
import { addSpend } from "#storage/traces/postgres/write/spend-rows.ts";
import { ANY_PROJECT, type ProjectsOfWrite } from "#storage/traces/span-batch.ts";
import { SpendChanges } from "#storage/traces/totals/spend-changes.ts";
import { ShardHistory } from "../shards/shard-history.ts";
import { FIND_SHARDS } from "./common-metadata.ts";
import type { BatchLeftBehind, Turn, TurnAlone, Turns, Wanted } from "./turns.ts";

/** The share of the database's table of locks that one turn may take, so that 32 servers find room. */
const LOCK_SHARE = 1 / 64;
/** Rows are locked at the end of turns alone. */
const SLOT = 0;
const NOTHING: Wanted = { projects: [], keys: [], spans: 0, traces: 0 };

interface Connection {
	readonly client: pg.Client;
	readonly numbers: RowNumbers;
}

/** Turns by advisory locks of PostgreSQL, which end with the connection. One at a time; the others wait. */
export class PostgresTurns implements Turns {
	readonly #connect: () => Promise<pg.Client>;
	readonly #mutex = new Semaphore(1);
	#connection: Connection | undefined;

	/** @param connect opens a connection of its own */
	constructor(connect: () => Promise<pg.Client>) {
		this.#connect = connect;
	}

	take<T>(wanted: Wanted, work: (turn: Turn) => Promise<T>): Promise<T> {
		return this.#mutex.run(() => this.#take(wanted, (client) => lock(client, wanted.keys), work));
	}

	takeAlone<T>(work: (turn: TurnAlone) => Promise<T>): Promise<T> {
		return this.#mutex.run(() =>
			this.#take(NOTHING, lockAll, (turn, client) =>
				work({
					...turn,
					leftBehind: async (olderThanMs) =>
						(await asStorageError(leftBehind(client, olderThanMs))).filter(({ batch }) => batch !== turn.batch),
					complete: (batch) => asStorageError(complete(client, batch)),
				}),
			),
		);
	}

	hasLeftBehind(olderThanMs: number): Promise<boolean> {
		return this.#mutex.run(async () => {
			try {
				const { client } = await this.#open();
				return (await leftBehind(client, olderThanMs)).length > 0;
			} catch (error) {
				await this.#drop();
				throw toStorageError(error);
			}
		});
	}

	async #take<T>(
		wanted: Wanted,
		lock: (client: pg.Client) => Promise<void>,
		work: (turn: Turn, client: pg.Client) => Promise<T>,
	): Promise<T> {
		let entered = false;
		let unused: (() => Promise<void>) | undefined;
		try {
			const { client, numbers } = await this.#open();
			const { batch, shards, allowed } = await begin(client, wanted, numbers).catch((error: unknown) => {
				if (error instanceof RightsChanged)
					unused = async () => {
						await client.query("rollback");
					};
				throw error;
			});
			const withdraw = async () => {
				await complete(client, batch);
				await client.query("commit");
			};
			await client.query("begin");
			await lock(client);
			const { version, oldestOther } = await number(client, batch);
			const { numbers: projects } = await projectsOf(client, wanted.projects, allowed).catch((error: unknown) => {
				if (error instanceof RightsChanged) unused = withdraw;
				throw error;
			});
			entered = true;
			let isComplete = true;
			const turn: Turn = {
				...{ projects, batch, version, oldestOther, shards },
				take: (kind) => numbers.take(kind),
				spend: new SpendChanges(),
				askForRepair: () => {
					isComplete = false;
				},
				beforeInserts: async (look) => {
					try {
						return await look();
					} catch (error) {
						if (isComplete) unused = withdraw;
						throw error;
					}
				},
			};
			const result = await work(turn, client);
			entered = false;
			// What a batch has spent that is not complete is counted by the repair.
			if (isComplete) await addSpend(client, turn.spend, SLOT);
			await (isComplete ? complete(client, batch) : keepForRepair(client, batch));
			await client.query("commit");
			return result;
		} catch (error) {
			const isWithdrawn = await unused?.().then(
				() => true,
				() => false,
			);
			if (isWithdrawn !== true) await this.#drop();
			throw entered ? error : toStorageError(error);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#mutex.run(() => this.#drop());
	}

	async #open(): Promise<Connection> {
		this.#connection ??= { client: await this.#connect(), numbers: new RowNumbers() };
		return this.#connection;
	}

	async #drop(): Promise<void> {
		const connection = this.#connection;
		this.#connection = undefined;
		// This may wait for a server that does not answer.
		await connection?.client.end().catch(() => undefined);
	}
}

/** For what is asked of PostgreSQL within a turn, whose other errors are of ClickHouse. @throws StorageUnavailable */
async function asStorageError<T>(asked: Promise<T>): Promise<T> {
	try {
		return await asked;
	} catch (error) {
		throw toStorageError(error);
	}
}

/** Notes the batch where it stays if the process dies. */
async function begin(
	client: pg.Client,
	{ spans, traces, projects, allowed = ANY_PROJECT }: Wanted,
	numbers: RowNumbers,
): Promise<Pick<Turn, "batch" | "shards"> & { readonly allowed: ProjectsOfWrite }> {
	await numbers.reserve(client, { spans, traces, blocks: 0 });
	const allowedThen = await makeProjects(client, projects, allowed);
	const { rows } = await client.query<{ id: number; shards: string | null }>({
		name: "begin turn",
		text: `insert into clickhouse_batches (started_at, trace_numbers) values ($1, $2)
			returning id, ${FIND_SHARDS} as shards`,
		values: [Date.now() * 1_000, JSON.stringify(numbers.next("traces", traces))],
	});
	const { id, shards } = present(rows[0], "the number of a batch");
	return {
		batch: id,
		shards: shards === null ? undefined : ShardHistory.parse(shards).count,
		allowed: allowedThen,
	};
}

/**
 * Makes projects that are missing: they have to be there for others, too, before a span refers to them.
 * @returns what is allowed afterwards, as rights may have changed by what was made
 */
async function makeProjects(
	client: pg.Client,
	names: readonly string[],
	allowed: ProjectsOfWrite,
): Promise<ProjectsOfWrite> {
	if (await areAllThere(client, names)) return allowed;
	await client.query("begin");
	const { version } = await projectsOf(client, names, allowed);
	await client.query("commit");
	return allowed.decidedBy.length === 0 ? allowed : { ...allowed, decidedBy: [version] };
}

/** Asked without a transaction: the turn looks again, and keeps them from being deleted. */
async function areAllThere(client: pg.Client, names: readonly string[]): Promise<boolean> {
	const stored = [...new Set(names.map(toStored))];
	if (stored.length === 0) return true;
	const { rows } = await client.query<{ count: number }>({
		name: "count projects",
		text: "select count(*)::int as count from projects where name = any ($1)",
		values: [stored],
	});
	return rows[0]?.count === stored.length;
}

async function complete(client: pg.Client, batch: number): Promise<void> {
	await client.query({ name: "end turn", text: "delete from clickhouse_batches where id = $1", values: [batch] });
}

/** All that it has inserted is stored, and the row numbers that it has left are of later ones. */
async function keepForRepair(client: pg.Client, batch: number): Promise<void> {
	await client.query("update clickhouse_batches set trace_numbers = null where id = $1", [batch]);
}

/** Row numbers by the names as they were sent. */
async function projectsOf(
	client: pg.Client,
	names: readonly string[],
	allowed: ProjectsOfWrite,
): Promise<ProjectNumbers> {
	const stored = new Map(names.map((name) => [name, toStored(name)]));
	const { numbers, version } = await projectNumbers(client, [...new Set(stored.values())], allowed);
	const numberOf = (text: string) => present(numbers.get(text), "the row number of a project");
	return { numbers: new Map([...stored].map(([name, text]) => [name, numberOf(text)])), version };
}

function toStored(name: string): string {
	return storableText(name.toWellFormed());
}

/** The place of the lock that everybody shares, and whoever wants to be alone does not. */
const ALL = -1;

async function lock(client: pg.Client, keys: readonly string[]): Promise<void> {
	await client.query({
		name: "share turns",
		text: `select pg_advisory_xact_lock_shared(hashtext('turns of ' || current_schema()), ${ALL})`,
	});
	await client.query({
		name: "lock turn",
		text: `with places as (
				select greatest(1, floor(current_setting('max_locks_per_transaction')::int
					* current_setting('max_connections')::int * ${LOCK_SHARE}))::int as count
			)
			select pg_advisory_xact_lock(hashtext('turns of ' || current_schema()), place) from (
				select distinct (hash % places.count)::int as place
				from unnest($1::bigint[]) as hash cross join places order by place
			) as wanted`,
		values: [keys.map(hashOf)],
	});
}

async function lockAll(client: pg.Client): Promise<void> {
	await client.query(`select pg_advisory_xact_lock(hashtext('turns of ' || current_schema()), ${ALL})`);
}

/** The version of what a turn writes, and the lowest other batch that is not complete. */
async function number(client: pg.Client, batch: number): Promise<Pick<Turn, "version" | "oldestOther">> {
	const { rows } = await client.query<{ version: number; oldest: number | null }>({
		name: "number turn",
		text: `select nextval('clickhouse_versions') as version,
			(select min(id) from clickhouse_batches where id <> $1) as oldest`,
		values: [batch],
	});
	const { version, oldest } = present(rows[0], "the version of a batch");
	return { version, oldestOther: oldest ?? undefined };
}

async function leftBehind(client: pg.Client, olderThanMs: number): Promise<BatchLeftBehind[]> {
	const { rows } = await client.query<{ id: number; trace_numbers: [first: number, last: number][] | null }>(
		"select id, trace_numbers from clickhouse_batches where started_at <= $1 order by id",
		[(Date.now() - olderThanMs) * 1_000],
	);
	return rows.map((row) => ({ batch: row.id, newTraces: { rowNumbers: row.trace_numbers ?? [] } }));
}

/** A number for a text that PostgreSQL may not be able to store. */
function hashOf(key: string): number {
	return hash("sha1", key, "buffer").readUInt32BE();
}
