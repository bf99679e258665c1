import { type Kysely, sql, type Transaction } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";

const SECOND_MICROS = 1_000_000;
/** A second that has begun counts whole, so that no minute has more than the limit, wherever it begins. */
const WINDOW_SECONDS = 61;

export function secondOf(micros: number): number {
	return Math.floor(micros / SECOND_MICROS);
}

/** What was sent in a second. */
export interface Rate {
	readonly second: number;
	readonly requests: number;
	readonly tokens: number;
}

interface Limits {
	readonly requests: number | null;
	readonly tokens: number | null;
}

/** What counts for the limits of these connections now, by connection and in order. */
export async function findRates(
	db: Kysely<Tables>,
	connectionIds: readonly number[],
	now: number,
): Promise<Map<number, Rate[]>> {
	if (connectionIds.length === 0) return new Map();
	const rows = await db
		.selectFrom("model_rates")
		.selectAll()
		.where("connection_id", "in", listed(connectionIds))
		.where("second", ">", secondOf(now) - WINDOW_SECONDS)
		.orderBy("second")
		.execute();
	return Map.groupBy(rows, ({ connection_id: id }) => id);
}

/**
 * Until when a call has to wait for the limits a minute, microseconds since 1970; undefined when there is room.
 * @param rates of the last minute, in order
 */
export function rateWaitOf(rates: readonly Rate[], limits: Limits, asked: number): number | undefined {
	let requests = rates.reduce((sum, rate) => sum + rate.requests, 0);
	let tokens = rates.reduce((sum, rate) => sum + rate.tokens, 0);
	// A call that is larger than the limit goes when it is alone.
	const fits = () =>
		(limits.requests === null || requests < limits.requests) &&
		(limits.tokens === null || tokens + asked <= limits.tokens || tokens <= 0);
	let until: number | undefined;
	for (const rate of rates) {
		if (fits()) break;
		requests -= rate.requests;
		tokens -= rate.tokens;
		until = (rate.second + WINDOW_SECONDS) * SECOND_MICROS;
	}
	return until;
}

/** Counts calls that begin, and forgets what is older than a minute. */
export async function countRate(
	transaction: Transaction<Tables>,
	connectionId: number,
	{ requests, tokens, now }: { readonly requests: number; readonly tokens: number; readonly now: number },
): Promise<void> {
	const second = secondOf(now);
	await transaction
		.deleteFrom("model_rates")
		.where("connection_id", "=", connectionId)
		.where("second", "<=", second - WINDOW_SECONDS)
		.execute();
	await transaction
		.insertInto("model_rates")
		.values({ connection_id: connectionId, second, requests, tokens })
		.onConflict((conflict) =>
			conflict.columns(["connection_id", "second"]).doUpdateSet({
				requests: sql`model_rates.requests + excluded.requests`,
				tokens: sql`model_rates.tokens + excluded.tokens`,
			}),
		)
		.execute();
}

/** Puts the tokens that calls took in place of those that were expected. */
export async function correctRates(
	transaction: Transaction<Tables>,
	corrections: readonly { readonly connectionId: number; readonly difference: number; readonly startedAt: number }[],
): Promise<void> {
	const bySecond = Map.groupBy(corrections, ({ connectionId, startedAt }) => `${connectionId} ${secondOf(startedAt)}`);
	for (const [one, ...others] of bySecond.values()) {
		if (one === undefined) continue;
		const difference = others.reduce((sum, other) => sum + other.difference, one.difference);
		if (difference === 0) continue;
		await transaction
			.updateTable("model_rates")
			.set({ tokens: sql`tokens + ${difference}` })
			.where("connection_id", "=", one.connectionId)
			.where("second", "=", secondOf(one.startedAt))
			.execute();
	}
}

/** Takes back what was counted for a call that was not made. */
export async function uncountRate(
	transaction: Transaction<Tables>,
	connectionId: number,
	{ tokens, startedAt }: { readonly tokens: number; readonly startedAt: number },
): Promise<void> {
	await transaction
		.updateTable("model_rates")
		.set({ requests: sql`requests - 1`, tokens: sql`tokens - ${tokens}` })
		.where("connection_id", "=", connectionId)
		.where("second", "=", secondOf(startedAt))
		.execute();
}
