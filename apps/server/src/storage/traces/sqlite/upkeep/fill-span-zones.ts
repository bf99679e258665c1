import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { findRow, getRow } from "#storage/sqlite/rows.ts";
import { runningSql } from "#storage/traces/totals/span-node.ts";
import { nextZone, ZONE_SPANS } from "../read/span-zones.ts";

/** Fewer zones than this are not worth a transaction. */
const LEAST_ZONES = 32;
/** Zones that are read in one step: about 10 ms. */
const STEP_ZONES = 256;

/** The columns of `span_zones`, and what a span that still runs may get: no zone is raised when it ends. */
const VALUES = [
	["status_code", 2],
	["end_micros - start_micros", Number.MAX_SAFE_INTEGER],
	["tokens_prompt", Number.MAX_SAFE_INTEGER],
	["tokens_completion", Number.MAX_SAFE_INTEGER],
	[
		"coalesce(tokens_total, tokens_prompt + coalesce(tokens_completion, 0), tokens_completion)",
		Number.MAX_SAFE_INTEGER,
	],
] as const;

/** Adds the zones of new spans to `span_zones`, and drops the first ones once their spans are deleted. */
export class SpanZoneFiller {
	readonly #db: DatabaseSync;
	readonly #leastZones: number;
	readonly #read: StatementSync;
	readonly #insert: StatementSync;
	#prepared: readonly SQLInputValue[][] | undefined;

	/** @param leastZones how many new zones are waited for */
	constructor(db: DatabaseSync, leastZones = LEAST_ZONES) {
		this.#db = db;
		this.#leastZones = leastZones;
		this.#read = db.prepare(
			`select ${VALUES.map(([value, most]) => `max(case when ${runningSql("spans")} then ${most} else ${value} end)`).join(", ")}
			from spans where id between ? and ?`,
		);
		this.#read.setReturnArrays(true);
		this.#insert = db.prepare("insert into span_zones values (?, ?, ?, ?, ?, ?)");
	}

	/** Reads the next zones, without a lock. @returns whether there is something to write */
	prepare(): boolean {
		this.#prepared ??= this.#nextZones();
		return this.#prepared !== undefined;
	}

	/** Writes what was prepared. Call it within a transaction. */
	write(): void {
		for (const zone of this.#prepared ?? []) this.#insert.run(...zone);
		this.#prepared = undefined;
		this.#db.exec(
			`delete from span_zones where zone < (select coalesce(min(id), 0) from spans) / ${ZONE_SPANS}
				and zone < (select max(zone) from span_zones)`,
		);
	}

	/** Discards what was prepared, after writing failed. */
	abandon(): void {
		this.#prepared = undefined;
	}

	/** Row numbers are assigned in order, so that no span is added to a zone before the newest one. */
	#nextZones(): SQLInputValue[][] | undefined {
		const { newest } = getRow<{ newest: number }>(this.#db.prepare("select coalesce(max(id), 0) as newest from spans"));
		const next = findRow<{ id: number }>(
			this.#db.prepare("select id from spans where id >= ? order by id limit 1"),
			nextZone(this.#db) * ZONE_SPANS,
		);
		if (next === undefined) return undefined;
		const first = Math.floor(next.id / ZONE_SPANS);
		const last = Math.floor((newest + 1) / ZONE_SPANS) - 1;
		if (last - first + 1 < this.#leastZones) return undefined;
		const zones: SQLInputValue[][] = [];
		for (let zone = first; zone <= Math.min(last, first + STEP_ZONES - 1); zone++) {
			const start = zone * ZONE_SPANS;
			const [values] = this.#read.all(start, start + ZONE_SPANS - 1) as unknown as SQLInputValue[][];
			// The first value is null where there is no span.
			if (values?.[0] != null) zones.push([zone, ...values]);
		}
		return zones;
	}
}
