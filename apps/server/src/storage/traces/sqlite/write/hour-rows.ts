import type { DatabaseSync, StatementSync } from "node:sqlite";
import { findRow } from "#storage/sqlite/rows.ts";
import type { HourChange } from "#storage/traces/totals/hour-changes.ts";
import { addBlobTo, toBlob } from "#storage/traces/totals/latency-histogram.ts";

/** The rows of `hours`. */
export class HourRows {
	readonly #find: StatementSync;
	readonly #insert: StatementSync;
	readonly #update: StatementSync;
	readonly #deleteEmpty: StatementSync;

	constructor(db: DatabaseSync) {
		const key = "project_id = ? and hour = ? and kind = ? and model = ?";
		this.#find = db.prepare(`select latency from hours where ${key}`);
		this.#insert = db.prepare(
			`insert into hours (trace_count, span_count, running_count, error_count, tokens_prompt, tokens_completion, tokens_total,
				cost_micro, cost_pico, latency, project_id, hour, kind, model)
			values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		);
		this.#update = db.prepare(
			`update hours set trace_count = trace_count + ?, span_count = span_count + ?, running_count = running_count + ?,
				error_count = error_count + ?,
				tokens_prompt = tokens_prompt + ?, tokens_completion = tokens_completion + ?, tokens_total = tokens_total + ?,
				cost_micro = cost_micro + ?, cost_pico = cost_pico + ?, latency = ? where ${key}`,
		);
		this.#deleteEmpty = db.prepare(`delete from hours where ${key} and span_count = 0 and trace_count = 0`);
	}

	add(change: HourChange): void {
		const { projectId, hour, kind, model, totals, latency } = change;
		const key = [projectId, hour, kind, model] as const;
		const row = findRow<{ latency: Uint8Array }>(this.#find, ...key);
		if (row !== undefined) addBlobTo(latency, row.latency);
		const { spans, running, errors, prompt, completion, total, costMicro, costPico } = totals;
		const counts = [change.traces, spans, running, errors, prompt, completion, total] as const;
		const sums = [...counts, costMicro, costPico, toBlob(latency)] as const;
		if (row === undefined) this.#insert.run(...sums, ...key);
		else this.#update.run(...sums, ...key);
		if (spans < 0 || change.traces < 0) this.#deleteEmpty.run(...key);
	}
}
