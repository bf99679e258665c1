import type { Transaction } from "kysely";
import { present } from "#base/present.ts";
import type { Tables } from "#storage/schema.ts";
import { budgetScope, monthOf } from "../connections/spending.ts";
import type { ConnectionRow } from "../connections/stored-definition.ts";
import { ModelError } from "../model-error.ts";
import { type Asked, type Beginning, type Begun, keyOfModel } from "./asked-call.ts";
import { addMoney, type Budget, findRoom } from "./budgets.ts";
import type { CallPrices } from "./call-prices.ts";
import { highestTokens } from "./call-size.ts";
import { databaseMicros } from "./database-clock.ts";
import { isDue, isFailing, noteTry } from "./failing.ts";
import { Limits } from "./limits.ts";
import { whyNot } from "./may-call.ts";
import { toNanos } from "./money.ts";
import { providerOf } from "./provider-of.ts";
import { countRate, rateWaitOf } from "./rates.ts";
import { settleExpired } from "./settle-expired.ts";
import { takeTurn } from "./take-turn.ts";
import { countUsage } from "./usage.ts";

/** Sent where a budget applies and the request sets no limit; assumed where none applies. */
export const OUTPUT_LIMIT = 4_096;
/** A call whose server does not say for so long that it still runs has ended with it. */
export const LEASE_MICROS = 45_000_000;
/** People are told to come back later rather than made to wait longer than this. */
const LONGEST_HOLD_OF_PEOPLE_MICROS = 10_000_000;
/** How often to look whether another server has finished a call, or somebody has raised a limit. */
const LOOK_MS = { alone: 2_000, shared: 250 };

export interface LedgerRules {
	readonly prices: CallPrices;
	readonly needsConfirmed: boolean;
	/** Whether other servers use the database. */
	readonly isShared: boolean;
	/** Told the connection of every call that was tried to begin. */
	readonly onSeen: (connection: Pick<ConnectionRow, "id" | "name">) => void;
}

/**
 * Takes a place, a request and the highest cost of each call from every limit that it is under, or none of them. Calls are
 * looked at in their order: none begins before one that waits for the same.
 * @returns what became of each, in the same order
 */
export async function beginCalls(
	transaction: Transaction<Tables>,
	all: readonly Asked[],
	rules: LedgerRules,
): Promise<readonly Beginning[]> {
	await takeTurn(transaction, rules);
	const now = await databaseMicros(transaction);
	await settleExpired(transaction, now);
	await rules.prices.refresh(transaction);
	const limits = await Limits.read(transaction, all, now);
	const decided = all.map((asked) => ({ asked, decision: decide(limits, asked, rules) }));
	await countUsage(
		transaction,
		decided.flatMap(({ asked, decision }) =>
			decision.kind === "refused" && limits.connectionOf(asked) !== undefined
				? [{ ...asked, month: monthOf(now), outcome: decision.error.code }]
				: [],
		),
	);
	const begun = decided.flatMap(({ decision }) => (decision.kind === "begun" ? [decision] : []));
	const ids = await insertCalls(transaction, begun, now);
	return decided.map(({ decision }) => {
		if (decision.kind !== "begun") return decision;
		const { kind, isTry: _, ...call } = decision;
		return { kind, call: { ...call, id: present(ids.get(decision), "a call that was just inserted") } };
	});
}

interface Decided extends Omit<Begun, "id"> {
	readonly kind: "begun";
	/** Whether it finds out if a failing connection works again. */
	readonly isTry: boolean;
}

type Decision = Exclude<Beginning, { kind: "begun" }> | Decided;

function decide(limits: Limits, asked: Asked, rules: LedgerRules): Decision {
	const connection = limits.connectionOf(asked);
	if (connection === undefined) {
		return {
			kind: "refused",
			error: new ModelError("connection_off", "The connection was deleted: choose another one."),
		};
	}
	rules.onSeen(connection);
	const error = whyNot(connection, { ...asked, needsConfirmed: rules.needsConfirmed });
	if (error !== undefined) return { kind: "refused", error };
	const before = limits.waitOf(asked);
	if (before !== undefined) return before;
	const decision = decideOn({ asked, connection, now: limits.now, limits, rules });
	if (decision.kind === "wait") limits.addWait(asked, decision);
	if (decision.kind === "begun") limits.addCall(decision);
	return decision;
}

interface Situation {
	readonly asked: Asked;
	readonly connection: ConnectionRow;
	readonly now: number;
	readonly limits: Limits;
	readonly rules: LedgerRules;
}

function decideOn(situation: Situation): Decision {
	const { asked, connection, now, limits, rules } = situation;
	const isTry = isFailing(connection, now) && !asked.isInteractive;
	if (isTry && !isDue(connection, now)) return { kind: "refused", error: stillFailing(connection) };
	const budgets = budgetsOf(situation);
	const isLimited = budgets.some(({ limitNanos }) => limitNanos !== undefined);
	const provider = providerOf(connection);
	const outputLimit = asked.size.outputLimit ?? OUTPUT_LIMIT;
	const tokens = highestTokens(asked.size, outputLimit);
	const dollars = rules.prices.highestCost({ provider, model: asked.model }, tokens, now);
	if (dollars === undefined && isLimited) return { kind: "refused", error: withoutPrice(asked.model) };
	const reservedNanos = toNanos(dollars ?? 0);
	const scopes = budgets.map(({ scope }) => scope);
	const room = findRoom(budgets, limits.spending, reservedNanos);
	if (room.kind === "exhausted") return { kind: "refused", error: room.error };

	const held = findWait(situation);
	if (held !== undefined) return held;
	const reservedTokens = tokens.input + tokens.output;
	const perMinute = { requests: connection.requests_per_minute, tokens: connection.tokens_per_minute };
	const rateWait = rateWaitOf(limits.ratesOf(connection), perMinute, reservedTokens);
	if (rateWait !== undefined) return { kind: "wait", key: "rate", forMs: msUntil(rateWait, now), isFreed: false };
	if (room.kind === "waiting") {
		const key = room.scope === scopes[0] ? "budget" : room.scope;
		return { kind: "wait", key, forMs: lookAgainMs(rules), isFreed: true };
	}
	return {
		...{ kind: "begun", isTry, asked, connection, provider, scopes, reservedNanos, reservedTokens, startedAt: now },
		outputLimit: isLimited ? outputLimit : undefined,
	};
}

/** Counts and stores calls that begin. @returns their row numbers */
async function insertCalls(
	transaction: Transaction<Tables>,
	calls: readonly Decided[],
	now: number,
): Promise<ReadonlyMap<Decided, number>> {
	if (calls.length === 0) return new Map();
	for (const [connectionId, ofConnection] of Map.groupBy(calls, ({ connection }) => connection.id)) {
		if (ofConnection.some(({ isTry }) => isTry)) await noteTry(transaction, connectionId, now);
		const tokens = ofConnection.reduce((sum, { reservedTokens }) => sum + reservedTokens, 0);
		await countRate(transaction, connectionId, { requests: ofConnection.length, tokens, now });
	}
	await addMoney(
		transaction,
		calls.map(({ scopes, reservedNanos }) => ({ scopes, spentNanos: 0, reservedNanos })),
	);
	const rows = await transaction
		.insertInto("model_calls")
		.values(
			calls.map(({ asked, connection, scopes, reservedNanos, reservedTokens }) => ({
				...{ connection_id: connection.id, purpose: asked.purpose, model: asked.model },
				...{ is_interactive: asked.isInteractive ? 1 : 0, scopes: JSON.stringify(scopes) },
				...{ reserved_nanos: reservedNanos, reserved_tokens: reservedTokens },
				...{ started_at: now, expires_at: now + LEASE_MICROS },
			})),
		)
		.returning("id")
		.execute();
	// They are inserted in order, though perhaps not returned so.
	const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
	return new Map(calls.map((call, at) => [call, present(ids[at], "a call's number")]));
}

function budgetsOf({ asked, connection, now }: Situation): readonly Budget[] {
	const limitNanos = connection.monthly_budget_nanos ?? undefined;
	const scope = budgetScope(connection.id, monthOf(now));
	const what = `the connection ${JSON.stringify(connection.name)} for this month`;
	return [{ scope, limitNanos, what }, ...asked.budgets];
}

/** For a place, or because the provider asked to wait. */
function findWait({ asked, connection, now, limits, rules }: Situation): Exclude<Decision, Decided> | undefined {
	const hold = limits.holdOf(asked);
	const modelKey = keyOfModel(asked.model);
	if (hold !== undefined && hold.heldUntil > now) {
		if (asked.isInteractive && hold.heldUntil - now > LONGEST_HOLD_OF_PEOPLE_MICROS) {
			return { kind: "refused", error: stillHeld(asked.model, msUntil(hold.heldUntil, now)) };
		}
		return { kind: "wait", key: modelKey, forMs: msUntil(hold.heldUntil, now), isFreed: false };
	}
	const most = connection.max_concurrency;
	const forMs = lookAgainMs(rules);
	if (limits.countCalls(connection, () => true) >= most) return { kind: "wait", key: "place", forMs, isFreed: true };
	const ofWork = limits.countCalls(connection, ({ isInteractive }) => !isInteractive);
	if (!asked.isInteractive && ofWork >= placesOfWork(most)) {
		return { kind: "wait", key: "place of work", forMs, isFreed: true };
	}
	const ofModel = limits.countCalls(connection, ({ model }) => model === asked.model);
	if (hold?.concurrency !== undefined && ofModel >= hold.concurrency) {
		return { kind: "wait", key: modelKey, forMs, isFreed: true };
	}
	return undefined;
}

/** A quarter of the places, at least one, is kept for people; of a single place nothing can be. */
export function placesOfWork(most: number): number {
	return Math.max(1, most - Math.max(1, Math.floor(most / 4)));
}

function lookAgainMs({ isShared }: LedgerRules): number {
	return isShared ? LOOK_MS.shared : LOOK_MS.alone;
}

function msUntil(micros: number, now: number): number {
	return Math.ceil((micros - now) / 1_000);
}

function stillFailing({ name, failing_code: code, failing_reason: reason }: ConnectionRow): ModelError {
	const message = `The connection ${JSON.stringify(name)} is failing, and is tried again every five minutes: ${reason}`;
	return new ModelError(code === "authentication" || code === "quota" ? code : "unreachable", message, {
		isPassing: code !== "authentication" && code !== "quota",
	});
}

function stillHeld(model: string, forMs: number): ModelError {
	const message = `The provider has asked to wait with calls of ${JSON.stringify(model)}: try again in ${Math.ceil(forMs / 1_000)} seconds.`;
	return new ModelError("rate_limited", message, { retryAfterMs: forMs, isPassing: true });
}

function withoutPrice(model: string): ModelError {
	return new ModelError(
		"price_unknown",
		`The model ${JSON.stringify(model)} has no price, so that its cost cannot be kept within a budget: set one in Settings → Prices, 0 for a model of your own.`,
	);
}
