import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { chunksOf } from "#base/chunks.ts";
import type { PostgresSettings } from "#base/postgres-address.ts";
import { present } from "#base/present.ts";
import { connectionConfig, makeClient, UNLIMITED } from "#storage/postgres/connection.ts";
import { migrate } from "#storage/postgres/migrations.ts";
import { openSnapshot } from "#storage/postgres/snapshot.ts";
import { SCHEMA_VERSION } from "#storage/sqlite/migrations.ts";
import { INSTALLATION_ID } from "#storage/traces/clickhouse/metadata/common-metadata.ts";
import { createTurnTables, leaveTraces } from "#storage/traces/clickhouse/metadata/postgres-metadata.ts";
import { packBlocks, unpackBlock } from "#storage/traces/content/block.ts";
import { removeFromBlocks } from "#storage/traces/postgres/mutate/blocks.ts";
import { ensureMonths, makePartitions } from "#storage/traces/postgres/partitions.ts";
import { monthOf } from "#storage/traces/postgres/periods.ts";
import { changeSmallSpanKey } from "#storage/traces/postgres/span-key.ts";
import { noteUnsigned } from "#storage/traces/postgres/text/unsigned-blocks.ts";
import { installationOfSchema } from "../installation-of.ts";
import { otherVersion } from "../other-version.ts";
import { PAUSE_JOBS } from "../pause-jobs.ts";
import { readHours } from "./hours.ts";
import { PortablePostgresRows } from "./portable/postgres-rows.ts";
import { placesOf, type StoredRows, toStoredRows } from "./portable/stored-rows.ts";
import {
	CopyRefused,
	type CopyState,
	decodeState,
	encodeState,
	isFirstOfTwo,
	type LastNumbers,
	type Page,
	pageOf,
	type Side,
	type Source,
	type Target,
} from "./side.ts";
import type { CopiedTable, Row, Value } from "./tables.ts";

/** Parameters of one statement; the protocol allows 65,535. */
const MOST_PARAMETERS = 30_000;
const LOCK_MS = 15_000;
const SEQUENCES = { traces: "trace_numbers", spans: "span_numbers", blocks: "block_numbers" } as const;

class PostgresSide implements Side {
	readonly tracesInClickHouse = false;
	readonly client: pg.Client;
	#portable: PortablePostgresRows | undefined;

	constructor(client: pg.Client) {
		this.client = client;
	}

	async read(table: CopiedTable, after: readonly Value[] | null): Promise<Page> {
		if (table.stored === undefined) return await this.#read(table, after);
		this.#portable ??= new PortablePostgresRows(this.client);
		return await this.#portable.toPortable(table, await this.#read(table.stored, after));
	}

	async #read(table: CopiedTable, after: readonly Value[] | null): Promise<Page> {
		if (table.name === "hours") return pageOf(table, await readHours(this.client, after, table.step));
		const key = table.key.join(", ");
		const where = after === null ? "" : `where (${key}) > (${table.key.map((_, index) => `$${index + 1}`).join(", ")})`;
		const { rows } = await this.client.query(
			`select ${selected(table)} from ${table.name} ${where} order by ${key} limit ${table.step}`,
			[...(after ?? [])],
		);
		return pageOf(table, rows as Row[]);
	}

	async count({ name }: CopiedTable): Promise<number> {
		const counted = name === "hours" ? "(select distinct project_id, hour, kind, model from hours) as h" : name;
		const { rows } = await this.client.query(`select count(*) as count from ${counted}`);
		return Number(present(rows[0], "the count of rows").count);
	}

	async lastNumbers(tables: readonly CopiedTable[]): Promise<LastNumbers> {
		const last = async (sequence: string) => {
			const { rows } = await this.client.query("select pg_sequence_last_value($1::regclass) as last", [sequence]);
			const { last } = present(rows[0], "the last number of a sequence");
			return last === null ? undefined : Number(last);
		};
		const counted = new Map<string, number>();
		for (const { name, isNumbered } of tables) {
			const number = isNumbered ? await last(await this.sequenceOf(name)) : undefined;
			if (number !== undefined) counted.set(name, number);
		}
		return {
			traces: (await last(SEQUENCES.traces)) ?? 0,
			spans: (await last(SEQUENCES.spans)) ?? 0,
			blocks: (await last(SEQUENCES.blocks)) ?? 0,
			tables: counted,
		};
	}

	async sequenceOf(table: string): Promise<string> {
		const { rows } = await this.client.query("select pg_get_serial_sequence($1, 'id') as sequence", [table]);
		return String(present(rows[0], "the name of a sequence").sequence);
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.client.end();
	}
}

function selected({ name, columns }: CopiedTable): string {
	if (name !== "blocks") return columns.join(", ");
	return "id, first_span, last_span, data, month as first_start, month as last_start";
}

/** Opens a schema as the source of a copy. It is read as of one moment, whatever servers write meanwhile. */
export async function openPostgresSource(settings: PostgresSettings): Promise<Source> {
	const client = await openSnapshot(settings, "copy");
	try {
		const { rows: found } = await client.query("select to_regclass('schema_version') as found");
		const { rows } =
			found[0]?.found === null
				? { rows: [] }
				: await client.query("select version, applied_at from schema_version order by version");
		const version = rows.at(-1)?.version;
		if (version !== SCHEMA_VERSION)
			throw new CopyRefused(
				version === undefined
					? `there is no whole database of Spanward in the schema ${settings.schema}`
					: otherVersion(`the schema ${settings.schema} has version`, version, "copies"),
			);
		return new PostgresSource(client, JSON.stringify(rows.map(Object.values)));
	} catch (error) {
		await client.end();
		throw error;
	}
}

class PostgresSource extends PostgresSide implements Source {
	readonly seesOneMoment = true;
	readonly identity: string;

	constructor(client: pg.Client, identity: string) {
		super(client);
		this.identity = identity;
	}

	installationId(): Promise<string | undefined> {
		return installationOfSchema(this.client);
	}

	async isDeleting(): Promise<boolean> {
		const { rows } = await this.client.query("select from traces where project_id < 0 limit 1");
		return rows.length > 0;
	}

	async spansOfBlock({ id, first_span, last_span }: Row) {
		const { rows } = await this.client.query(
			`select id, ordinal, start_micros as start from spans
			where id between $1 and $2 and block_id = $3 order by ordinal`,
			[first_span, last_span, id],
		);
		return rows;
	}

	async months(): Promise<readonly number[]> {
		const { rows } = await this.client.query("select distinct month from blocks");
		return rows.map(({ month }) => Number(month));
	}
}

/**
 * Opens a schema as the target of a copy, and creates it if it is missing. It has no version until the copy is
 * complete, so that no server starts on it.
 * @param tracesElsewhere whether the traces go to ClickHouse
 * @throws CopyRefused when the schema holds a database already
 */
export async function openPostgresTarget(settings: PostgresSettings, tracesElsewhere = false): Promise<Target> {
	const client = makeClient(connectionConfig(settings, settings.primary, { name: "copy", ...UNLIMITED }));
	await client.connect();
	try {
		if (!(await lockSchema(client, settings.schema)))
			throw new CopyRefused(`another copy into the schema ${settings.schema} is running`);
		const { rows } = await client.query(
			"select to_regclass('schema_version') as spanward, to_regclass('copy_state') as copying",
		);
		if (rows[0]?.copying === null) {
			if (rows[0]?.spanward !== null)
				throw new CopyRefused(
					`the schema ${settings.schema} has a database of Spanward already: give one that no server has used, with --schema, or drop it`,
				);
			await migrate(client, settings.schema, async () => {
				await changeSmallSpanKey(client);
				if (tracesElsewhere) await createTurnTables(client);
				if (tracesElsewhere) await leaveTraces(client);
				await client.query("create table copy_state (state text not null)");
				await client.query("delete from annotation_configs");
				await client.query("delete from schema_version");
			});
		}
		const { rows: states } = await client.query("select state from copy_state");
		return new PostgresTarget(client, states[0] === undefined ? undefined : decodeState(states[0].state));
	} catch (error) {
		await client.end();
		throw error;
	}
}

/** PostgreSQL notices the death of a client only when it writes to it. */
async function lockSchema(client: pg.Client, schema: string): Promise<boolean> {
	for (const end = performance.now() + LOCK_MS; ; await sleep(LOCK_MS / 50)) {
		const { rows } = await client.query("select pg_try_advisory_lock(hashtextextended($1, 0)) as locked", [
			`spanward copy ${schema}`,
		]);
		if (rows[0]?.locked === true || performance.now() > end) return rows[0]?.locked === true;
	}
}

class PostgresTarget extends PostgresSide implements Target {
	readonly state: CopyState | undefined;
	readonly #months = new Set<number>();

	constructor(client: pg.Client, state: CopyState | undefined) {
		super(client);
		this.state = state;
	}

	async prepare(months: readonly number[]): Promise<void> {
		await this.#makeMonths(months);
		await makePartitions(this.client, Date.now() * 1_000);
	}

	async #makeMonths(times: readonly number[]): Promise<void> {
		for (const month of new Set(times.map(monthOf))) {
			if (this.#months.has(month)) continue;
			await ensureMonths(this.client, month, month);
			this.#months.add(month);
		}
	}

	storesNul(): boolean {
		return false;
	}

	save(state: CopyState): Promise<void> {
		return this.#inTransaction(() => this.#save(state));
	}

	async write(table: CopiedTable, rows: readonly Row[], state: CopyState, source: Source): Promise<CopyState> {
		// Servers of the source may have received spans of further months.
		if (isFirstOfTwo(state) && table.name === "spans")
			await this.#makeMonths(rows.map((row) => Number(row["start_micros"])));
		return await this.#inTransaction(async () => {
			const { stored, state: packed } = toStoredRows(table, rows, state, monthOf);
			let reached = packed;
			for (const part of stored) reached = await this.#writeStored(part, reached, source);
			if (isFirstOfTwo(state) && table.name === "spans") await this.#removeUnused(stored);
			await this.#save(reached);
			return reached;
		});
	}

	/** Contents of spans that stayed away. */
	async #removeUnused(stored: readonly StoredRows[]): Promise<void> {
		const spans = placesOf(stored.find(({ table }) => table.name === "spans")?.rows ?? []);
		const { rows } = await this.client.query<{ id: number }>(
			"select id from spans where id = any($1::bigint[]) and start_micros = any($2::bigint[])",
			[spans.map(({ id }) => id), spans.map(({ start_micros }) => start_micros)],
		);
		const there = new Set(rows.map(({ id }) => id));
		const unused = spans.filter(({ id }) => !there.has(id));
		if (unused.length > 0) await removeFromBlocks(this.client, unused);
	}

	async remove(table: CopiedTable, rows: readonly Row[]): Promise<void> {
		const key = table.name === "spans" ? [...table.key, "start_micros"] : table.key;
		const marks = rows.map((_, row) => `(${key.map((_, column) => `$${row * key.length + column + 1}`)})`);
		await this.#inTransaction(async () => {
			if (table.name === "spans") await removeFromBlocks(this.client, placesOf(rows));
			await this.client.query(
				`delete from ${table.name} where (${key}) in (${marks})`,
				rows.flatMap((row) => key.map((column) => toParameter(row[column] ?? null))),
			);
		});
	}

	async clear({ name }: CopiedTable): Promise<void> {
		await this.#inTransaction(async () => {
			await this.client.query(`delete from ${name}`);
		});
	}

	async #inTransaction<Result>(work: () => Promise<Result>): Promise<Result> {
		await this.client.query("begin");
		try {
			const result = await work();
			await this.client.query("commit");
			return result;
		} catch (error) {
			await this.client.query("rollback").catch(() => undefined);
			throw error;
		}
	}

	async #save(state: CopyState): Promise<void> {
		await this.client.query("delete from copy_state");
		await this.client.query("insert into copy_state (state) values ($1)", [encodeState(state)]);
	}

	async #writeStored({ table, rows }: StoredRows, state: CopyState, source: Source): Promise<CopyState> {
		if (table.name === "blocks") return await this.#writeBlocks(rows, state, source);
		const inSlots = table.name === "hours" ? rows.map((row) => ({ ...row, slot: 0, version: 1 })) : rows;
		await this.#insert(table.name, inSlots, isFirstOfTwo(state));
		return state;
	}

	/** @param leavesOthers whether rows stay away that do not fit those that are there */
	async #insert(table: string, rows: readonly Row[], leavesOthers = false): Promise<void> {
		const columns = Object.keys(rows[0] ?? {});
		const step = Math.floor(MOST_PARAMETERS / Math.max(1, columns.length));
		for (const part of chunksOf(rows, step)) {
			const marks = part.map((_, row) => `(${columns.map((_, column) => `$${row * columns.length + column + 1}`)})`);
			await this.client.query(
				`insert into ${table} (${columns.join(", ")}) values ${marks.join(", ")}
				${leavesOthers ? "on conflict do nothing" : ""}`,
				part.flatMap((row) => columns.map((column) => toParameter(row[column] ?? null))),
			);
		}
	}

	/** A block here holds spans of one month only; blocks with several are repacked, and the state lists them. */
	async #writeBlocks(rows: readonly Row[], state: CopyState, source: Source): Promise<CopyState> {
		const blocks: Row[] = [];
		let reached = state;
		for (const row of rows) {
			const { id, first_span, last_span, data, first_start, last_start } = row;
			const month = monthOf(Number(first_start));
			if (month === monthOf(Number(last_start))) blocks.push({ id, month, first_span, last_span, data } as Row);
			else reached = await this.#repack(row, reached, source, blocks);
		}
		await this.#insert("blocks", blocks);
		return reached;
	}

	async #repack(row: Row, state: CopyState, source: Source, into: Row[]): Promise<CopyState> {
		const contents = unpackBlock(row["data"] as Uint8Array);
		const spans = (await source.spansOfBlock(row)).flatMap((span) => {
			const content = contents[span.ordinal];
			return content === undefined ? [] : [{ ...content, row: span, month: monthOf(span.start) }];
		});
		let { lastBlock, newBlocks } = state;
		for (const [month, members] of Map.groupBy(spans, (span) => span.month)) {
			for (const block of packBlocks(members)) {
				lastBlock += 1;
				newBlocks += 1;
				const ids = block.spans.map((span) => span.row.id);
				const bounds = { first_span: Math.min(...ids), last_span: Math.max(...ids) };
				into.push({ id: lastBlock, month, ...bounds, data: block.data });
				await this.client.query(
					`update spans set block_id = $1, ordinal = place.ordinal
					from unnest($2::bigint[], $3::bigint[], $4::int[]) as place (id, start, ordinal)
					where spans.id = place.id and spans.start_micros = place.start`,
					[lastBlock, ids, block.spans.map((span) => span.row.start), ids.map((_, ordinal) => ordinal)],
				);
			}
		}
		return { ...state, lastBlock, newBlocks, repacked: [...state.repacked, Number(row["id"])] };
	}

	async finish(numbers: LastNumbers, { installationId }: CopyState, pausesJobs: boolean): Promise<number> {
		const { client } = this;
		const set = (sequence: string, last: number) =>
			client.query("select setval($1::regclass, $2, $3)", [sequence, Math.max(1, last), last > 0]);
		await client.query("begin");
		for (const kind of ["traces", "spans", "blocks"] as const) await set(SEQUENCES[kind], numbers[kind]);
		for (const [table, last] of numbers.tables) await set(await this.sequenceOf(table), last);
		await noteUnsigned(client);
		if (installationId !== undefined)
			await client.query("insert into clickhouse_facts (name, value) values ($1, $2)", [
				INSTALLATION_ID,
				installationId,
			]);
		const paused = pausesJobs ? ((await client.query(PAUSE_JOBS)).rowCount ?? 0) : 0;
		await client.query("drop table copy_state");
		await client.query("insert into schema_version (version, applied_at) values ($1, $2)", [
			SCHEMA_VERSION,
			Date.now() * 1_000,
		]);
		await client.query("commit");
		await client.query("analyze");
		return paused;
	}
}

function toParameter(value: Value): Value | Buffer {
	return value instanceof Uint8Array && !Buffer.isBuffer(value)
		? Buffer.from(value.buffer, value.byteOffset, value.byteLength)
		: value;
}
