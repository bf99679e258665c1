import { type Kysely, sql } from "kysely";
import { listed } from "../listed.ts";
import type { Tables } from "../schema.ts";
import { toDollars } from "./totals/cost-pico.ts";
import { HOUR_MICROS } from "./totals/hour-changes.ts";
import { LatencyCounts } from "./totals/latency-counts.ts";
import type { ProjectActivity } from "./trace-store.ts";

/** Sums over an hour of a project. */
export interface HourSums {
	readonly id: number;
	readonly hour: number;
	readonly spans: number;
	readonly errors: number;
	readonly tokens: number;
	readonly micro: number;
	readonly pico: number;
}

/** What each project did in the `hours` whole hours up to and with the one of `nowMicros`. */
export async function findProjectActivity(
	db: Kysely<Tables>,
	projectIds: readonly number[],
	nowMicros: number,
	hours: number,
): Promise<ReadonlyMap<number, ProjectActivity>> {
	if (projectIds.length === 0) return new Map();
	const last = Math.floor(nowMicros / HOUR_MICROS);
	const first = last - hours + 1;
	const [{ rows }, latencies, newest] = await Promise.all([
		sql<HourSums>`
			select project_id as id, hour, sum(span_count) as spans, sum(error_count) as errors, sum(tokens_total) as tokens,
				sum(cost_micro) as micro, sum(cost_pico) as pico
			from hours
			where project_id in ${listed(projectIds)} and hour >= ${first} and hour <= ${last}
			group by project_id, hour`.execute(db),
		sql<{ id: number; latency: Uint8Array }>`
			select project_id as id, latency
			from hours
			where project_id in ${listed(projectIds)} and hour >= ${first} and hour <= ${last}`.execute(db),
		// One look-up in an index for each, where grouping would read all traces of the projects.
		sql<{ id: number; start: number | null }>`
			select id, (select max(start_micros) from traces where project_id = projects.id) as start
			from projects
			where id in ${listed(projectIds)}`.execute(db),
	]);
	const byProject = Map.groupBy(rows, ({ id }) => id);
	const latencyOf = new Map<number, LatencyCounts>();
	for (const { id, latency } of latencies.rows) {
		const counts = latencyOf.get(id) ?? new LatencyCounts();
		counts.addBlob(latency);
		latencyOf.set(id, counts);
	}
	return new Map(
		newest.rows.map(({ id, start }) => [
			id,
			toActivity(byProject.get(id) ?? [], latencyOf.get(id), first, hours, start ?? undefined),
		]),
	);
}

/** @param rows several of an hour are added up
 * @param first the first of the `hours` hours */
export function toActivity(
	rows: readonly HourSums[],
	latency: LatencyCounts | undefined,
	first: number,
	hours: number,
	newestTraceMicros: number | undefined,
): ProjectActivity {
	const spans = new Array<number>(hours).fill(0);
	const errors = new Array<number>(hours).fill(0);
	const sums = { tokens: 0, micro: 0, pico: 0 };
	for (const row of rows) {
		const index = row.hour - first;
		spans[index] = (spans[index] ?? 0) + row.spans;
		errors[index] = (errors[index] ?? 0) + row.errors;
		sums.tokens += row.tokens;
		sums.micro += row.micro;
		sums.pico += row.pico;
	}
	return {
		startMicros: first * HOUR_MICROS,
		spans,
		errors,
		tokens: sums.tokens,
		cost: toDollars(sums),
		latencyMs: toLatency(latency?.quantiles([0.5, 0.95])),
		newestTraceMicros,
	};
}

function toLatency([p50, p95]: readonly number[] = []): ProjectActivity["latencyMs"] {
	return p50 === undefined || p95 === undefined ? undefined : { p50, p95 };
}
