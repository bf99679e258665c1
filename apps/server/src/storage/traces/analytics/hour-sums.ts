import { HOUR_MICROS, type HourRow } from "../totals/hour-changes.ts";
import { kindOf } from "../totals/span-kinds.ts";
import type { GroupValue, Range } from "./analytics-query.ts";
import type { Look, SummedRows } from "./analyze.ts";
import type { RowsOfProject } from "./analyze-lists.ts";
import { lookAtRange } from "./analyze-lists.ts";
import type { PartKind } from "./parts.ts";
import type { AnalyticsPlan } from "./plan.ts";
import { binOfLatencyBucket } from "./value-bins.ts";

/** What the totals of an hour say of the spans of one kind and model. */
export interface HourSums {
	readonly projectId: number;
	/** Counted since 1970. */
	readonly hour: number;
	readonly kind: number;
	/** Empty where the spans have none. */
	readonly model: string;
	readonly spans: number;
	readonly running: number;
	readonly errors: number;
	readonly prompt: number;
	readonly completion: number;
	readonly total: number;
	readonly costMicro: number;
	readonly costPico: number;
	/** Hands out the buckets of `latency-histogram.ts` with their counts; of several writers the same may come more than once. */
	readonly eachLatency: (add: (bucket: number, count: number) => void) => void;
}

/** Totals of hours, from one to another, which is exclusive. */
export type ReadHours = (
	projectIds: readonly number[],
	hours: { readonly from: number; readonly to: number },
) => Promise<readonly HourSums[]>;

const GROUPS: ReadonlySet<string> = new Set(["project", "model", "kind"]);
const PARTS: ReadonlySet<`${PartKind} ${string}`> = new Set([
	"sum errors",
	"sum tokens_prompt",
	"sum tokens_completion",
	"sum tokens_total",
	"cost cost_total",
	"count latency",
	"bins latency",
]);

/** Whether the totals of hours say all that a question asks. */
export function isOfTotals({ query, parts }: AnalyticsPlan): boolean {
	const { of, condition, text, lastRow, groupBy } = query;
	if (of !== "spans" || condition !== undefined || text !== undefined || lastRow !== undefined) return false;
	if (!groupBy.every((by) => by.type === "field" && GROUPS.has(by.name))) return false;
	return parts.keys.every((key) => PARTS.has(key));
}

/** Answers from totals, and the parts of hours that the range or a bucket cuts from rows. */
export function lookAtTotals(readHours: ReadHours, rowsOf: RowsOfProject): Look {
	return async function* (plan, edges) {
		const [start = 0, end = 0] = [edges[0], edges.at(-1)];
		const cut = new Set(edges.filter((edge) => edge % HOUR_MICROS !== 0).map((edge) => Math.floor(edge / HOUR_MICROS)));
		const hours = { from: Math.floor(start / HOUR_MICROS), to: Math.ceil(end / HOUR_MICROS) };
		const sums = (await readHours(plan.query.projectIds, hours))
			.filter(({ hour }) => !cut.has(hour))
			.map((each) => summed(plan, each));
		yield { rows: [], sums, reachedMicros: end };
		for (const hour of [...cut].sort((a, b) => b - a)) {
			const range: Range = {
				startMicros: Math.max(start, hour * HOUR_MICROS),
				endMicros: Math.min(end, (hour + 1) * HOUR_MICROS),
			};
			if (range.startMicros < range.endMicros) yield* lookAtRange(rowsOf, plan, range);
		}
		yield { rows: [], reachedMicros: start };
	};
}

function summed({ query, parts }: AnalyticsPlan, hour: HourSums): SummedRows {
	const group = query.groupBy.map((by): GroupValue => {
		if (by.type !== "field" || by.name === "project") return hour.projectId;
		return by.name === "kind" ? kindOf(hour.kind) : hour.model || null;
	});
	const sums = new Map<number, number>();
	const note = (key: `${PartKind} ${string}`, value: number, next?: number) => {
		const place = parts.placeOf(key);
		if (place === undefined) return;
		sums.set(place, value);
		if (next !== undefined) sums.set(place + 1, next);
	};
	note("sum errors", hour.errors);
	note("sum tokens_prompt", hour.prompt);
	note("sum tokens_completion", hour.completion);
	note("sum tokens_total", hour.total);
	note("count latency", hour.spans - hour.running);
	note("cost cost_total", hour.costMicro, hour.costPico);
	const place = parts.placeOf("bins latency");
	return {
		micros: hour.hour * HOUR_MICROS,
		group,
		addTo: (cell) => {
			cell.addSums(hour.spans, sums);
			if (place !== undefined)
				hour.eachLatency((bucket, count) => cell.addToBin(place, binOfLatencyBucket(bucket), count));
		},
	};
}

/** @param eachLatency may be called more than once */
export function toHourSums(row: Omit<HourRow, "latency">, eachLatency: HourSums["eachLatency"]): HourSums {
	return {
		projectId: row.project_id,
		hour: row.hour,
		kind: row.kind,
		model: row.model,
		spans: row.span_count,
		running: row.running_count,
		errors: row.error_count,
		prompt: row.tokens_prompt,
		completion: row.tokens_completion,
		total: row.tokens_total,
		costMicro: row.cost_micro,
		costPico: row.cost_pico,
		eachLatency,
	};
}

/** Of a row of `hours` as SQLite and PostgreSQL have it. */
export function hourSumsOf(row: HourRow): HourSums {
	return toHourSums(row, (add) => eachPair(row.latency, add));
}

/** The pairs of a blob of a histogram, or of several concatenated ones. */
function eachPair(blob: Uint8Array, add: (bucket: number, count: number) => void): void {
	const view = new DataView(blob.buffer, blob.byteOffset, blob.byteLength);
	for (let at = 0; at < blob.byteLength; at += 8) add(view.getInt32(at, true), view.getInt32(at + 4, true));
}
