import type { DatabaseSync, StatementSync } from "node:sqlite";
import { addBlobTo, addTo, type Histogram, latencyBucket, toBlob } from "../../totals/latency-histogram.ts";
import { addCounted, addUsage, noTotals, type Totals } from "../../totals/rollup.ts";
import type { SpanNode } from "../../totals/span-node.ts";

export const HOUR_MICROS = 3_600_000_000;

interface HourChange {
	readonly projectId: number;
	readonly hour: number;
	readonly kind: number;
	readonly model: string;
	traces: number;
	readonly totals: Totals;
	readonly latency: Histogram;
}

/**
 * Changes of the totals by project, hour, kind and model within one transaction. A span counts in the hour it starts
 * in; a trace in the hour it starts in, under kind and model of its root.
 */
export class HourChanges {
	readonly #changes = new Map<string, HourChange>();

	/** Adds (1) or takes off (-1) a span with the mark "usage below" as it is stored. */
	addSpan(projectId: number, node: SpanNode, sign: 1 | -1): void {
		const change = this.#at(projectId, node.startMicros, node);
		change.totals.spans += sign;
		if (node.statusCode === 2) change.totals.errors += sign;
		addCounted(change.totals, node, sign);
		addTo(change.latency, latencyBucket(node.endMicros - node.startMicros), sign);
	}

	/** A span that counted has got usage below it. */
	discountSpan(projectId: number, node: SpanNode): void {
		addUsage(this.#at(projectId, node.startMicros, node).totals, node, -1);
	}

	/** A stored span that counts costs so much more. */
	addCost(projectId: number, node: SpanNode, costPico: number): void {
		this.#at(projectId, node.startMicros, node).totals.costPico += costPico;
	}

	addTrace(projectId: number, startMicros: number, root: { kind: number; model: string | null }, sign: 1 | -1): void {
		this.#at(projectId, startMicros, root).traces += sign;
	}

	flush(statements: HourStatements): void {
		for (const change of this.#changes.values()) statements.apply(change);
		this.#changes.clear();
	}

	clear(): void {
		this.#changes.clear();
	}

	#at(projectId: number, micros: number, group: { kind: number; model: string | null }): HourChange {
		const hour = Math.floor(micros / HOUR_MICROS);
		const model = group.model ?? "";
		const key = `${projectId} ${hour} ${group.kind} ${model}`;
		let change = this.#changes.get(key);
		if (change === undefined) {
			change = { projectId, hour, kind: group.kind, model, traces: 0, totals: noTotals(), latency: new Map() };
			this.#changes.set(key, change);
		}
		return change;
	}
}

export class HourStatements {
	readonly #find: StatementSync;
	readonly #insert: StatementSync;
	readonly #update: StatementSync;
	readonly #deleteEmpty: StatementSync;

	constructor(db: DatabaseSync) {
		const key = "project_id = ? and hour = ? and kind = ? and model = ?";
		this.#find = db.prepare(`select latency from hours where ${key}`);
		this.#insert = db.prepare(
			`insert into hours (trace_count, span_count, error_count, tokens_prompt, tokens_completion, tokens_total,
				cost_pico, latency, project_id, hour, kind, model) values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		);
		this.#update = db.prepare(
			`update hours set trace_count = trace_count + ?, span_count = span_count + ?, error_count = error_count + ?,
				tokens_prompt = tokens_prompt + ?, tokens_completion = tokens_completion + ?, tokens_total = tokens_total + ?,
				cost_pico = cost_pico + ?, latency = ? where ${key}`,
		);
		this.#deleteEmpty = db.prepare(`delete from hours where ${key} and span_count = 0 and trace_count = 0`);
	}

	apply(change: HourChange): void {
		const { projectId, hour, kind, model, totals, latency } = change;
		const key = [projectId, hour, kind, model] as const;
		const row = this.#find.get(...key) as { latency: Uint8Array } | undefined;
		if (row !== undefined) addBlobTo(latency, row.latency);
		const { spans, errors, prompt, completion, total, costPico } = totals;
		const sums = [change.traces, spans, errors, prompt, completion, total, costPico, toBlob(latency)] as const;
		if (row === undefined) this.#insert.run(...sums, ...key);
		else this.#update.run(...sums, ...key);
		if (spans < 0 || change.traces < 0) this.#deleteEmpty.run(...key);
	}
}
