import type { ClientBase } from "pg";
import { parsePartition } from "./partitions.ts";
import { keyOfDay, monthOf } from "./periods.ts";

/** The months that are partitioned by day, as of when they were read. */
export class DailyMonths {
	readonly #months: ReadonlySet<number>;

	private constructor(months: ReadonlySet<number>) {
		this.#months = months;
	}

	static async read(client: Pick<ClientBase, "query">): Promise<DailyMonths> {
		const { rows } = await client.query<{ name: string }>(
			"select relname as name from pg_inherits join pg_class on pg_class.oid = inhrelid where inhparent = 'blocks'::regclass",
		);
		const months = rows
			.flatMap(({ name }) => parsePartition(name) ?? [])
			.filter(({ length }) => length === "rest of the month");
		return new DailyMonths(new Set(months.map(({ period }) => period.from)));
	}

	has(micros: number): boolean {
		return this.#months.has(monthOf(micros));
	}

	/** What a new block with spans of this start has in its column `month`. */
	keyOf(startMicros: number): number {
		return this.has(startMicros) ? keyOfDay(startMicros) : monthOf(startMicros);
	}
}
