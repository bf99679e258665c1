import type { ClientBase } from "pg";
import { present } from "#base/present.ts";
import type { HourChange } from "#storage/traces/totals/hour-changes.ts";
import { addBlobTo, addTo, type Histogram, toBlob } from "#storage/traces/totals/latency-histogram.ts";
import { insertArrays, type Value } from "./insert-rows.ts";
import { LostRace } from "./lost-race.ts";

/** Number of slots for each key of `hours`; totals add them up. */
export const HOUR_SLOTS = 16;
/** Rows that a writer remembers, so that it can change them without reading them. */
const MOST_KNOWN = 2_000;

interface KnownRow {
	readonly version: number;
	readonly latency: Histogram;
}

const COLUMNS = [
	...["project_id", "hour", "kind", "model", "slot", "version", "trace_count", "span_count", "running_count"],
	...["error_count", "tokens_prompt", "tokens_completion", "tokens_total", "cost_micro", "cost_pico", "latency"],
] as const;
const SUMS = COLUMNS.slice(6, 15);

/**
 * The rows of `hours` in one slot. Others may change them, too: if a row's version differs from the remembered one, the
 * transaction runs again.
 */
export class HourRows {
	readonly slot: number;
	#known = new Map<string, KnownRow>();
	#written = new Map<string, KnownRow>();

	/** @param slot a random one when absent, which others may use as well, so that conflicts are likelier */
	constructor(slot = Math.floor(Math.random() * HOUR_SLOTS)) {
		this.slot = slot;
	}

	/** Uses a slot that no other connection has claimed, if there is one. */
	static async claim(client: ClientBase): Promise<HourRows> {
		const { rows } = await client.query<{ slot: number }>(
			`select slot from generate_series(0, $1 - 1) as slot
			where pg_try_advisory_lock(hashtext('hours of ' || current_schema()), slot) limit 1`,
			[HOUR_SLOTS],
		);
		return new HourRows(rows[0]?.slot);
	}

	/** Adds the changes, as one of the last steps of a transaction. @throws LostRace */
	async add(client: ClientBase, changes: readonly HourChange[]): Promise<void> {
		if (changes.length === 0) return;
		this.#written = new Map();
		const sorted = changes.toSorted(
			(a, b) => a.projectId - b.projectId || a.hour - b.hour || a.kind - b.kind || compare(a.model, b.model),
		);
		await this.#read(
			client,
			sorted.filter((change) => !this.#known.has(keyOf(change))),
		);
		const known = sorted.filter((change) => this.#known.has(keyOf(change)));
		const unknown = sorted.filter((change) => !this.#known.has(keyOf(change)));
		const changed = await this.#update(client, known);
		const { count } = await insertArrays(
			client,
			INSERT,
			unknown.map((change) => this.#rowOf(change)),
		);
		if (changed + count < changes.length) throw new LostRace("totals of an hour were changed by somebody else");
		const shrunk = sorted.filter(({ totals, traces }) => totals.spans < 0 || traces < 0);
		if (shrunk.length > 0) await this.#deleteEmpty(client, shrunk);
	}

	committed(): void {
		if (this.#known.size > MOST_KNOWN) this.#known = new Map();
		for (const [key, row] of this.#written) this.#known.set(key, row);
		this.#written = new Map();
	}

	rolledBack(): void {
		for (const key of this.#written.keys()) this.#known.delete(key);
		this.#written = new Map();
	}

	async #update(client: ClientBase, changes: readonly HourChange[]): Promise<number> {
		if (changes.length === 0) return 0;
		const rows = changes.map((change) => this.#rowOf(change));
		const values = COLUMNS.map((_, column) => rows.map((row) => row[column]));
		const { rowCount } = await client.query({ name: "update hours", text: UPDATE, values });
		return present(rowCount, "the count of changed hours");
	}

	/** The values to write for a changed row; for sums, the amounts to add. */
	#rowOf(change: HourChange): Value[] {
		const { projectId, hour, kind, model, traces, totals, latency } = change;
		const known = this.#known.get(keyOf(change));
		const all = new Map(known?.latency);
		for (const [bucket, count] of latency) addTo(all, bucket, count);
		const version = (known?.version ?? anyVersion()) + 1;
		this.#written.set(keyOf(change), { version, latency: all });
		const { spans, running, errors, prompt, completion, total, costMicro, costPico } = totals;
		const sums = [traces, spans, running, errors, prompt, completion, total, costMicro, costPico];
		return [projectId, hour, kind, model, this.slot, version, ...sums, toBlob(all)];
	}

	async #read(client: ClientBase, changes: readonly HourChange[]): Promise<void> {
		if (changes.length === 0) return;
		const { rows } = await client.query({
			name: "read hours",
			text: `select project_id, hour, kind, model, version, latency from hours where slot = $5
				and (project_id, hour, kind, model) in (
					select a, b, c, d collate "C" from unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[]) as wanted (a, b, c, d))`,
			values: [...keyLists(changes), this.slot],
		});
		for (const { project_id, hour, kind, model, version, latency } of rows) {
			const histogram: Histogram = new Map();
			addBlobTo(histogram, latency);
			this.#known.set(`${project_id} ${hour} ${kind} ${model}`, { version, latency: histogram });
		}
	}

	async #deleteEmpty(client: ClientBase, changes: readonly HourChange[]): Promise<void> {
		const { rows } = await client.query(
			`delete from hours where slot = $5 and trace_count = 0 and span_count = 0 and running_count = 0 and error_count = 0
				and tokens_prompt = 0 and tokens_completion = 0 and tokens_total = 0 and cost_micro = 0 and cost_pico = 0 and latency = ''
				and (project_id, hour, kind, model) in (
					select a, b, c, d collate "C" from unnest($1::bigint[], $2::bigint[], $3::int[], $4::text[]) as wanted (a, b, c, d))
			returning project_id, hour, kind, model`,
			[...keyLists(changes), this.slot],
		);
		for (const { project_id, hour, kind, model } of rows) {
			const key = `${project_id} ${hour} ${kind} ${model}`;
			this.#written.delete(key);
			this.#known.delete(key);
		}
	}
}

const TYPES = [
	...["bigint", "bigint", "int", "text", "int", "bigint", "bigint", "bigint", "bigint", "bigint"],
	...["double precision", "double precision", "double precision", "double precision", "double precision", "bytea"],
];

const INSERT = {
	name: "insert hours",
	table: "hours",
	columns: COLUMNS.map((column, index) => [column, present(TYPES[index], "the type of a column")] as const),
	suffix: "on conflict do nothing",
};

const UPDATE = `update hours set version = changed.version, latency = changed.latency,
		${SUMS.map((column) => `${column} = hours.${column} + changed.${column}`).join(", ")}
	from unnest(${TYPES.map((type, index) => `$${index + 1}::${type}[]`).join(", ")}) as changed (${COLUMNS.join(", ")})
	where hours.project_id = changed.project_id and hours.hour = changed.hour and hours.kind = changed.kind
		and hours.model = changed.model collate "C" and hours.slot = changed.slot and hours.version = changed.version - 1`;

/** Random, as a row that is deleted and created again must not look like the one that another connection remembers. */
function anyVersion(): number {
	return Math.floor(Math.random() * 2 ** 50);
}

function keyOf({ projectId, hour, kind, model }: HourChange): string {
	return `${projectId} ${hour} ${kind} ${model}`;
}

function keyLists(changes: readonly HourChange[]): unknown[] {
	return [
		changes.map((change) => change.projectId),
		changes.map((change) => change.hour),
		changes.map((change) => change.kind),
		changes.map((change) => change.model),
	];
}

function compare(a: string, b: string): number {
	return a < b ? -1 : a > b ? 1 : 0;
}
