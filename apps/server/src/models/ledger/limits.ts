import type { Transaction } from "kysely";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { budgetScope, monthOf } from "../connections/spending.ts";
import type { ConnectionRow } from "../connections/stored-definition.ts";
import { type Asked, type Beginning, type Begun, keysOf } from "./asked-call.ts";
import { findSpending, plus, type Spending } from "./budgets.ts";
import { findHolds, type Hold, holdKey } from "./holds.ts";
import { findRates, type Rate, secondOf } from "./rates.ts";

/** Calls under way of one model, of people or of work. */
interface Running {
	readonly model: string;
	readonly isInteractive: boolean;
	readonly count: number;
}

type Wait = Extract<Beginning, { kind: "wait" }>;

/** All that limits the calls of a group, as it is while they begin one after the other. */
export class Limits {
	/** Microseconds since 1970, by the database's clock. */
	readonly now: number;
	/** By scope. */
	readonly spending: Map<string, Spending>;
	readonly #connections: Map<number, ConnectionRow>;
	readonly #holds: ReadonlyMap<string, Hold>;
	readonly #running: Map<number, Running[]>;
	readonly #rates: Map<number, Rate[]>;
	readonly #waits: { readonly connectionId: number; readonly wait: Wait }[] = [];

	private constructor(parts: {
		readonly now: number;
		readonly spending: Map<string, Spending>;
		readonly connections: readonly ConnectionRow[];
		readonly holds: ReadonlyMap<string, Hold>;
		readonly running: Map<number, Running[]>;
		readonly rates: Map<number, Rate[]>;
	}) {
		this.now = parts.now;
		this.spending = parts.spending;
		this.#connections = new Map(parts.connections.map((row) => [row.id, row]));
		this.#holds = parts.holds;
		this.#running = parts.running;
		this.#rates = parts.rates;
	}

	/** Reads what the calls are under; the ledger's turn has to be taken. */
	static async read(transaction: Transaction<Tables>, calls: readonly Asked[], now: number): Promise<Limits> {
		const ids = [...new Set(calls.map(({ connectionId }) => connectionId))];
		const connections = await transaction
			.selectFrom("model_connections")
			.selectAll()
			.where("id", "in", listed(ids))
			.execute();
		const ofJobs = calls.flatMap(({ budgets }) => budgets.map(({ scope }) => scope));
		const scopes = [...new Set([...ids.map((id) => budgetScope(id, monthOf(now))), ...ofJobs])];
		const limited = connections.filter((row) => row.requests_per_minute !== null || row.tokens_per_minute !== null);
		return new Limits({
			...{ now, connections, spending: await findSpending(transaction, scopes) },
			holds: await findHolds(transaction, ids),
			running: await countRunning(transaction, ids),
			rates: await findRates(
				transaction,
				limited.map(({ id }) => id),
				now,
			),
		});
	}

	connectionOf({ connectionId }: Asked): ConnectionRow | undefined {
		return this.#connections.get(connectionId);
	}

	holdOf({ connectionId, model }: Asked): Hold | undefined {
		return this.#holds.get(holdKey(connectionId, model));
	}

	/** Of the last minute, in order; none where nothing limits them. */
	ratesOf({ id }: ConnectionRow): readonly Rate[] {
		return this.#rates.get(id) ?? [];
	}

	countCalls({ id }: ConnectionRow, those: (running: Running) => boolean): number {
		return (this.#running.get(id) ?? []).filter(those).reduce((sum, { count }) => sum + count, 0);
	}

	/** For what an earlier call of the group waits that this one needs, too. */
	waitOf(asked: Asked): Wait | undefined {
		const keys = keysOf(asked);
		return this.#waits.find(({ connectionId, wait }) => connectionId === asked.connectionId && keys.includes(wait.key))
			?.wait;
	}

	addWait({ connectionId }: Asked, wait: Wait): void {
		this.#waits.push({ connectionId, wait });
	}

	/** Counts a call that begins. */
	addCall(call: Omit<Begun, "id"> & { readonly isTry: boolean }): void {
		const { asked, connection, scopes, reservedNanos, reservedTokens, isTry } = call;
		const { model, isInteractive } = asked;
		for (const scope of scopes) {
			const before = this.spending.get(scope) ?? { spentNanos: 0, reservedNanos: 0 };
			this.spending.set(scope, plus(before, { spentNanos: 0, reservedNanos }));
		}
		append(this.#running, connection.id, { model, isInteractive, count: 1 });
		append(this.#rates, connection.id, { second: secondOf(this.now), requests: 1, tokens: reservedTokens });
		if (isTry) this.#connections.set(connection.id, { ...connection, failing_tried_at: this.now });
	}
}

function append<Item>(lists: Map<number, Item[]>, id: number, item: Item): void {
	const list = lists.get(id);
	if (list === undefined) lists.set(id, [item]);
	else list.push(item);
}

async function countRunning(
	transaction: Transaction<Tables>,
	connectionIds: readonly number[],
): Promise<Map<number, Running[]>> {
	const rows = await transaction
		.selectFrom("model_calls")
		.select((select) => ["connection_id", "model", "is_interactive", select.fn.countAll<number>().as("count")])
		.where("connection_id", "in", listed(connectionIds))
		.groupBy(["connection_id", "model", "is_interactive"])
		.execute();
	const running = new Map<number, Running[]>();
	for (const { connection_id: id, model, is_interactive: isInteractive, count } of rows)
		append(running, id, { model, isInteractive: isInteractive === 1, count: Number(count) });
	return running;
}
