import type { Transaction } from "kysely";
import { present } from "#base/present.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { monthOf } from "../connections/spending.ts";
import type { ModelError } from "../model-error.ts";
import type { ModelUsage } from "../model-request.ts";
import type { Begun } from "./asked-call.ts";
import type { LedgerRules } from "./begin-call.ts";
import { addMoney } from "./budgets.ts";
import { databaseMicros } from "./database-clock.ts";
import { noteOutcome } from "./failing.ts";
import { findHolds, hold, holdKey, loosen } from "./holds.ts";
import { measure } from "./measures.ts";
import { correctRates } from "./rates.ts";
import { takeTurn } from "./take-turn.ts";
import { countUsage, type Usage } from "./usage.ts";

/** How a call ended. */
export interface Ended {
	/** Undefined when it succeeded. */
	readonly error: ModelError | undefined;
	/** As the provider counted it. */
	readonly usage: ModelUsage | undefined;
	/** What it cost; see `bookedNanos`. */
	readonly costNanos: number;
	/** From sending to the end of the answer. */
	readonly seconds: number;
	/** How long its model is held, after a 429. */
	readonly holdMs?: number;
}

/** A call with how it ended. */
export interface EndedCall {
	readonly call: Begun;
	readonly ended: Ended;
}

/**
 * Books the real costs of calls, in the order in which they ended, gives their places back, and notes what they found out
 * about connections and models.
 */
export async function endCalls(
	transaction: Transaction<Tables>,
	all: readonly EndedCall[],
	rules: Pick<LedgerRules, "isShared">,
): Promise<void> {
	await takeTurn(transaction, rules);
	const deleted = await transaction
		.deleteFrom("model_calls")
		.where("id", "in", listed(all.map(({ call }) => call.id)))
		.returning("id")
		.execute();
	const ids = new Set(deleted.map(({ id }) => id));
	// Otherwise it had expired, and what was reserved is booked.
	const settled = all.filter(({ call }) => ids.has(call.id));
	await addMoney(
		transaction,
		settled.map(({ call, ended }) => ({
			...{ scopes: call.scopes, spentNanos: ended.costNanos, reservedNanos: -call.reservedNanos },
		})),
	);
	const connections = await transaction
		.selectFrom("model_connections")
		.select(["id", "max_concurrency", "failing_code"])
		.where("id", "in", listed([...new Set(all.map(({ call }) => call.asked.connectionId))]))
		.execute();
	const byId = new Map(connections.map((row) => [row.id, row]));
	const calls = all.flatMap((one) => {
		const connection = byId.get(one.call.asked.connectionId);
		return connection === undefined ? [] : [{ ...one, most: connection.max_concurrency }];
	});
	if (calls.length === 0) return;
	const now = await databaseMicros(transaction);
	await countUsage(transaction, calls.map(usageOf));
	await correctRates(transaction, calls.map(correctionOf));
	const failing = connections.flatMap(({ id, failing_code: code }) => (code === null ? [] : id));
	await noteOutcomes(transaction, calls, new Set(failing), now);
	await followHolds(transaction, calls, now);
	await measureModels(transaction, calls);
}

function usageOf({ call, ended: { error, usage, costNanos } }: EndedCall): Usage {
	const { connectionId, model, purpose } = call.asked;
	const { input = 0, output = 0 } = usage ?? {};
	const counts = { inputTokens: input, outputTokens: output, costNanos };
	return { connectionId, month: monthOf(call.startedAt), purpose, model, outcome: error?.code ?? "ok", ...counts };
}

function correctionOf({ call, ended: { usage, costNanos } }: EndedCall) {
	const { reservedTokens, startedAt, asked } = call;
	const taken = usage === undefined ? (costNanos === 0 ? 0 : reservedTokens) : usage.input + usage.output;
	return { connectionId: asked.connectionId, difference: taken - reservedTokens, startedAt };
}

async function noteOutcomes(
	transaction: Transaction<Tables>,
	calls: readonly EndedCall[],
	failing: Set<number>,
	now: number,
): Promise<void> {
	for (const { call, ended } of calls) {
		const { connectionId } = call.asked;
		// That a connection works is worth noting where it did not.
		if (ended.error === undefined && !failing.has(connectionId)) continue;
		await noteOutcome(transaction, connectionId, ended.error, now);
		if (ended.error === undefined) failing.delete(connectionId);
		else failing.add(connectionId);
	}
}

async function followHolds(
	transaction: Transaction<Tables>,
	calls: readonly (EndedCall & { readonly most: number })[],
	now: number,
): Promise<void> {
	const known = await findHolds(transaction, [...new Set(calls.map(({ call }) => call.asked.connectionId))]);
	const held = new Set(known.keys());
	for (const { call, ended, most } of calls) {
		const { connectionId, model } = call.asked;
		const of = { connectionId, model, most, startedAt: call.startedAt };
		const key = holdKey(connectionId, model);
		if (ended.error === undefined && held.has(key)) await loosen(transaction, of);
		if (ended.error?.code !== "rate_limited") continue;
		await hold(transaction, { ...of, retryAfterMs: ended.holdMs, now });
		held.add(key);
	}
}

async function measureModels(transaction: Transaction<Tables>, calls: readonly EndedCall[]): Promise<void> {
	const measured = calls.flatMap(({ call, ended: { error, usage, seconds } }) =>
		error !== undefined || usage === undefined ? [] : [{ asked: call.asked, size: call.asked.size, usage, seconds }],
	);
	const byModel = Map.groupBy(measured, ({ asked }) => `${asked.connectionId} ${asked.model}`);
	for (const ofModel of byModel.values()) {
		const { asked } = present(ofModel[0], "a call of the model");
		await measure(transaction, asked.connectionId, asked.model, ofModel);
	}
}

/** Failures before which the provider has computed nothing, so that nothing is paid. */
const FREE: ReadonlySet<string> = new Set(
	"unreachable forbidden_address untrusted_certificate proxy connection_off connection_unconfirmed calls_off budget_exhausted price_unknown".split(
		" ",
	),
);

/**
 * What to book for a call: what the provider counted; nothing where it refused; where it was cut short, and nobody knows
 * what it cost, the most that it may have.
 */
export function bookedNanos(
	call: Pick<Begun, "reservedNanos">,
	outcome: {
		readonly error: ModelError | undefined;
		readonly countedNanos: number | undefined;
		readonly isSent: boolean;
	},
): number {
	const { error, countedNanos, isSent } = outcome;
	if (error === undefined || error.code === "content_filtered") return countedNanos ?? (error ? 0 : call.reservedNanos);
	if (!isSent || FREE.has(error.code) || (error.status ?? 0) >= 300) return 0;
	return Math.max(call.reservedNanos, countedNanos ?? 0);
}
