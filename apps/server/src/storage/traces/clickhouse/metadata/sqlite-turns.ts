import { sql, type Transaction } from "kysely";
import { present } from "#base/present.ts";
import { Semaphore } from "#base/semaphore.ts";
import type { Database } from "#storage/database.ts";
import { insertProjects } from "#storage/projects/insert-projects.ts";
import { assertDecidedBy, RightsChanged, readRightsVersion } from "#storage/projects/rights-version.ts";
import type { Tables } from "#storage/schema.ts";
import { ANY_PROJECT, type ProjectsOfWrite } from "#storage/traces/span-batch.ts";
import { SpendChanges } from "#storage/traces/totals/spend-changes.ts";
import { addSpend } from "./spend-rows.ts";
import type { TurnLock } from "./turn-lock.ts";
import type { Turn, TurnAlone, Turns, Wanted } from "./turns.ts";

const NOTHING: Wanted = { projects: [], keys: [], spans: 0, traces: 0 };

/**
 * Turns by a lock of this process, which is the only one that uses the file. Two short transactions each, so that
 * nobody waits for the file while ClickHouse is asked. One at a time; the others wait.
 */
export class SqliteTurns implements Turns {
	readonly #db: Pick<Database, "read" | "write">;
	readonly #lock: TurnLock;
	readonly #mutex = new Semaphore(1);
	readonly #numbers = new RowNumbers();

	constructor(db: Pick<Database, "read" | "write">, lock: TurnLock) {
		this.#db = db;
		this.#lock = lock;
	}

	take<T>(wanted: Wanted, work: (turn: Turn) => Promise<T>): Promise<T> {
		return this.#mutex.run(async () => {
			using _held = await this.#lock.take(wanted.keys);
			return await this.#run(wanted, work);
		});
	}

	takeAlone<T>(work: (turn: TurnAlone) => Promise<T>): Promise<T> {
		return this.#mutex.run(async () => {
			using _held = await this.#lock.takeAlone();
			return await this.#run(NOTHING, (turn) =>
				work({
					...turn,
					leftBehind: async (olderThanMs) =>
						(await this.#leftBehind(olderThanMs))
							.filter((batch) => batch !== turn.batch)
							.map((batch) => ({ batch, newTraces: { version: batch } })),
					complete: (batch) => this.#complete(batch),
				}),
			);
		});
	}

	async hasLeftBehind(olderThanMs: number): Promise<boolean> {
		return (await this.#leftBehind(olderThanMs)).length > 0;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#mutex.run(async () => undefined);
	}

	async #run<T>(wanted: Wanted, work: (turn: Turn) => Promise<T>): Promise<T> {
		const { batch, projects, oldestOther } = await this.#begin(wanted);
		let isComplete = true;
		const turn: Turn = {
			...{ projects, batch, oldestOther, shards: undefined },
			// Batches are numbered while nobody else has their keys.
			version: batch,
			take: (kind) => this.#numbers.take(kind),
			spend: new SpendChanges(),
			askForRepair: () => {
				isComplete = false;
			},
			beforeInserts: async (look) => {
				try {
					return await look();
				} catch (error) {
					// Where that fails, too, a repair finds nothing to do.
					if (isComplete) await this.#complete(batch).catch(() => undefined);
					throw error;
				}
			},
		};
		const result = await work(turn);
		await this.#end(turn, isComplete);
		return result;
	}

	/** Notes the batch and its row numbers where they stay if the process dies. */
	async #begin(wanted: Wanted): Promise<Pick<Turn, "batch" | "projects" | "oldestOther">> {
		const missing = this.#numbers.missing(wanted);
		const { chunks, ...begun } = await this.#db.write(async (transaction) => {
			const { rows } = await sql<{ id: number }>`
				insert into clickhouse_batches (started_at) values (${Date.now() * 1_000}) returning id`.execute(transaction);
			const reserved: Chunk[] = [];
			for (const { kind, count } of missing) reserved.push(await reserve(transaction, kind, count));
			const batch = present(rows[0], "the number of a batch").id;
			return {
				batch,
				oldestOther: await oldestOther(transaction, batch),
				projects: await findOrInsertProjects(transaction, wanted),
				chunks: reserved,
			};
		});
		for (const chunk of chunks) this.#numbers.add(chunk);
		return begun;
	}

	/** What was spent is stored when the batch is complete, or else counted by the repair. */
	async #end({ batch, spend }: Turn, isComplete: boolean): Promise<void> {
		if (!isComplete) return;
		await this.#db.write(async (transaction) => {
			await addSpend(transaction, spend);
			await sql`delete from clickhouse_batches where id = ${batch}`.execute(transaction);
		});
	}

	async #complete(batch: number): Promise<void> {
		await this.#db.write((transaction) => sql`delete from clickhouse_batches where id = ${batch}`.execute(transaction));
	}

	async #leftBehind(olderThanMs: number): Promise<number[]> {
		const { rows } = await sql<{ id: number }>`
			select id from clickhouse_batches
			where started_at <= ${(Date.now() - olderThanMs) * 1_000} order by id`.execute(this.#db.read);
		return rows.map(({ id }) => id);
	}
}

async function oldestOther(transaction: Transaction<Tables>, batch: number): Promise<number | undefined> {
	const { rows } = await sql<{ id: number | null }>`
		select min(id) as id from clickhouse_batches where id <> ${batch}`.execute(transaction);
	return rows[0]?.id ?? undefined;
}

/** One by one: a name may have characters that do not come back from SQLite as they were. */
async function findOrInsertProjects(
	transaction: Transaction<Tables>,
	{ projects: names, allowed = ANY_PROJECT }: Wanted,
): Promise<ReadonlyMap<string, number>> {
	if (allowed.decidedBy.length > 0) assertDecidedBy(allowed.decidedBy, await readRightsVersion(transaction));
	const projects = new Map<string, number>();
	for (const name of names) {
		const found = await transaction.selectFrom("projects").select("id").where("name", "=", name).executeTakeFirst();
		projects.set(name, found?.id ?? (await insertProject(transaction, name, allowed)));
	}
	return projects;
}

async function insertProject(
	transaction: Transaction<Tables>,
	name: string,
	{ makerOf, onMade, pinnedAccess }: ProjectsOfWrite,
): Promise<number> {
	const maker = makerOf(name);
	if (maker === undefined) throw new RightsChanged();
	onMade?.();
	const now = Date.now() * 1_000;
	const project = { name, description: null, maker, created_at: now, updated_at: now };
	const [made] = await insertProjects(transaction, [project], pinnedAccess);
	return present(made, "a project of a name that is free").id;
}

type RowKind = "spans" | "traces";

interface Chunk {
	readonly kind: RowKind;
	next: number;
	readonly last: number;
}

async function reserve(transaction: Transaction<Tables>, kind: RowKind, count: number): Promise<Chunk> {
	const { rows } = await sql<{ next: number }>`
		update row_numbers set next = next + ${count} where name = ${kind} returning next`.execute(transaction);
	const { next } = present(rows[0], "the next row number");
	return { kind, next: next - count, last: next - 1 };
}

/** So many row numbers are reserved at least; those that are left over when the process ends are lost. */
const CHUNKS = { spans: 1_000, traces: 100 } as const;
const KINDS = ["spans", "traces"] as const;

/** Row numbers that are noted in the file as given out. */
class RowNumbers {
	readonly #chunks: Readonly<Record<RowKind, Chunk[]>> = { spans: [], traces: [] };

	/** How many to reserve so that these can be taken. */
	missing(wanted: Readonly<Record<RowKind, number>>): { readonly kind: RowKind; readonly count: number }[] {
		return KINDS.flatMap((kind) => {
			const count = wanted[kind] - this.#chunks[kind].reduce((sum, { next, last }) => sum + last - next + 1, 0);
			return count > 0 ? [{ kind, count: Math.max(count, CHUNKS[kind]) }] : [];
		});
	}

	add(chunk: Chunk): void {
		this.#chunks[chunk.kind].push(chunk);
	}

	take(kind: RowKind): number {
		const [chunk] = this.#chunks[kind];
		if (chunk === undefined) throw new Error(`no row numbers for ${kind}: more are taken than were wanted`);
		const number = chunk.next;
		chunk.next += 1;
		if (number === chunk.last) this.#chunks[kind].shift();
		return number;
	}
}
