import type { Kysely, Selectable, Transaction } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { ModelUsage } from "../model-request.ts";
import type { CallSize } from "./call-size.ts";

/** Averages follow about so many of the last calls. */
const CALLS = 100;

export type Measures = Pick<
	Selectable<Tables["model_measures"]>,
	"calls" | "input_bytes" | "input_tokens" | "output_tokens" | "seconds"
>;

export async function findMeasures(
	db: Kysely<Tables>,
	connectionId: number,
	model: string,
): Promise<Measures | undefined> {
	return await db
		.selectFrom("model_measures")
		.select(["calls", "input_bytes", "input_tokens", "output_tokens", "seconds"])
		.where("connection_id", "=", connectionId)
		.where("model", "=", model)
		.executeTakeFirst();
}

export interface Measured {
	readonly size: CallSize;
	readonly usage: ModelUsage;
	readonly seconds: number;
}

/**
 * Takes calls, in their order, into the averages of their model. Those with images tell nothing about bytes, and are left
 * out.
 */
export async function measure(
	transaction: Transaction<Tables>,
	connectionId: number,
	model: string,
	measured: readonly Measured[],
): Promise<void> {
	const counted = measured.filter(({ size }) => size.images === 0);
	if (counted.length === 0) return;
	const averages = counted.reduce(withCall, (await findMeasures(transaction, connectionId, model)) ?? NO_CALLS);
	await transaction
		.insertInto("model_measures")
		.values({ connection_id: connectionId, model, ...averages })
		.onConflict((conflict) => conflict.columns(["connection_id", "model"]).doUpdateSet(averages))
		.execute();
}

const NO_CALLS: Measures = { calls: 0, input_bytes: 0, input_tokens: 0, output_tokens: 0, seconds: 0 };

function withCall(known: Measures, { size, usage, seconds }: Measured): Measures {
	const calls = Math.min(known.calls + 1, CALLS);
	const average = (before: number, value: number) => before + (value - before) / calls;
	return {
		calls,
		input_bytes: average(known.input_bytes, size.inputBytes),
		input_tokens: average(known.input_tokens, usage.input),
		output_tokens: average(known.output_tokens, usage.output),
		seconds: average(known.seconds, seconds),
	};
}
