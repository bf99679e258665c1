import { type Kysely, type RawBuilder, type Selectable, sql } from "kysely";
import type { z } from "zod";
import { formatTime } from "#http/wire-times.ts";
import type { Tables } from "#storage/schema.ts";
import type { Keyset } from "#storage/traces/trace-store.ts";
import { fits, type OccurrenceFilter } from "./occurrence-filter.ts";
import type { ErrorOccurrence } from "./schemas.ts";

export type OccurrenceRow = Selectable<Tables["error_occurrences"]>;

interface Part {
	readonly order: "asc" | "desc";
	readonly limit: number;
	readonly after?: Keyset | undefined;
}

/** Occurrences of a group by the start of their spans. */
export async function listOccurrences(
	db: Kysely<Tables>,
	groupId: number,
	filter: OccurrenceFilter,
	{ order, limit, after }: Part,
): Promise<OccurrenceRow[]> {
	return await db
		.selectFrom("error_occurrences as occurrence")
		.selectAll()
		.where("group_id", "=", groupId)
		.where(fits(filter))
		.where(after === undefined ? sql<boolean>`true` : isBefore(after))
		.orderBy("start_micros", order)
		.orderBy("id", order)
		.limit(limit)
		.execute();
}

function isBefore({ value, id }: Keyset): RawBuilder<boolean> {
	return sql<boolean>`(start_micros < ${value} or (start_micros = ${value} and id < ${id}))`;
}

export function toOccurrence(row: OccurrenceRow): z.output<typeof ErrorOccurrence> {
	return {
		span_id: toHex(row.span_id),
		trace_id: toHex(row.trace_id),
		time: formatTime(row.start_micros),
		user_id: row.user_id,
		session_id: row.session_id,
		release: row.release,
		environment: row.environment,
		model: row.model,
		message: row.message,
		fingerprint: row.fingerprint,
	};
}

export function toHex(bytes: Uint8Array): string {
	return Buffer.from(bytes).toString("hex");
}
