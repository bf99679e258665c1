import { type Kysely, sql, type Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { CallUse } from "../call-model.ts";
import type { ModelErrorCode } from "../model-error.ts";

export interface Usage {
	readonly connectionId: number;
	/** yyyymm */
	readonly month: number;
	readonly purpose: CallUse["purpose"];
	readonly model: string;
	readonly outcome: "ok" | ModelErrorCode;
	readonly inputTokens?: number;
	readonly outputTokens?: number;
	readonly costNanos?: number;
}

/** Counts calls. Their connections have to be there. */
export async function countUsage(transaction: Transaction<Tables>, usages: readonly Usage[]): Promise<void> {
	const rows = new Map<string, ReturnType<typeof toRow>>();
	for (const row of usages.map(toRow)) {
		const { connection_id, month, purpose, model, outcome } = row;
		const key = JSON.stringify([connection_id, month, purpose, model, outcome]);
		const sum = rows.get(key);
		if (sum === undefined) rows.set(key, row);
		else for (const name of COUNTS) sum[name] += row[name];
	}
	if (rows.size === 0) return;
	await transaction
		.insertInto("model_usage")
		.values([...rows.values()])
		.onConflict((conflict) =>
			conflict.columns(["connection_id", "month", "purpose", "model", "outcome"]).doUpdateSet({
				calls: sql`model_usage.calls + excluded.calls`,
				input_tokens: sql`model_usage.input_tokens + excluded.input_tokens`,
				output_tokens: sql`model_usage.output_tokens + excluded.output_tokens`,
				cost_nanos: sql`model_usage.cost_nanos + excluded.cost_nanos`,
			}),
		)
		.execute();
}

const COUNTS = ["calls", "input_tokens", "output_tokens", "cost_nanos"] as const;

function toRow(usage: Usage) {
	const { connectionId, month, purpose, model, outcome, inputTokens = 0, outputTokens = 0, costNanos = 0 } = usage;
	return {
		...{ connection_id: connectionId, month, purpose, outcome, calls: 1 },
		// Names that no provider knows are made up by whoever calls: they must not add rows without end.
		model: outcome === "model_not_found" ? "" : model,
		...{ input_tokens: inputTokens, output_tokens: outputTokens, cost_nanos: costNanos },
	};
}

/** What went through a connection, the newest month first. */
export async function listUsage(db: Kysely<Tables>, connectionId: number, months: number) {
	const newest = db
		.selectFrom("model_usage")
		.select("month")
		.distinct()
		.where("connection_id", "=", connectionId)
		.orderBy("month", "desc")
		.limit(months);
	return await db
		.selectFrom("model_usage")
		.selectAll()
		.where("connection_id", "=", connectionId)
		.where("month", "in", newest)
		.orderBy("month", "desc")
		.orderBy("purpose")
		.orderBy("model")
		.orderBy("outcome")
		.execute();
}
