import type { Transaction } from "kysely";
import { readersGone } from "#base/readers-gone.ts";
import type { Context } from "#context.ts";
import type { Database } from "#storage/database.ts";
import { GroupedWrites } from "#storage/grouped-writes.ts";
import { listed } from "#storage/listed.ts";
import type { Tables } from "#storage/schema.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { type Asked, type Beginning, type Begun, keysOf } from "./asked-call.ts";
import { beginCalls, LEASE_MICROS, type LedgerRules } from "./begin-call.ts";
import { addMoney } from "./budgets.ts";
import { CallPrices } from "./call-prices.ts";
import { databaseMicros } from "./database-clock.ts";
import { type Ended, type EndedCall, endCalls } from "./end-call.ts";
import { uncountRate } from "./rates.ts";
import { takeTurn } from "./take-turn.ts";
import { type Attempt, WaitingCalls } from "./waiting-calls.ts";

const RENEW_MS = LEASE_MICROS / 3_000;
const TRY_AGAIN_MS = 1_000;
/** After so many tries a call is left to expire. */
const MOST_TRIES = 20;

/**
 * Places, rates and budgets of connections, kept in the database over all servers. A call begins when everything that it
 * needs is there, and its cost is booked when it ends, or by whoever finds that its server has ended.
 */
export class Ledger implements AsyncDisposable {
	readonly prices = new CallPrices();
	readonly #db: Database;
	readonly #log: Context["log"];
	readonly #rules: LedgerRules;
	readonly #begins: GroupedWrites<Asked, Beginning>;
	readonly #ends: GroupedWrites<EndedCall, void>;
	readonly #waiting = new Map<number, WaitingCalls<Begun>>();
	readonly #running = new Set<number>();
	readonly #names = new Map<number, string>();
	readonly #heldHere = new Map<string, number>();
	readonly #timer: NodeJS.Timeout;
	#renewing: Promise<void> | undefined;

	constructor({ db, log, auth }: { db: Database; log: Context["log"]; auth: Pick<Context["auth"], "enabled"> }) {
		this.#db = db;
		this.#log = log;
		this.#rules = {
			...{ prices: this.prices, needsConfirmed: auth.enabled, isShared: db.isShared },
			onSeen: ({ id, name }) => this.#names.set(id, name),
		};
		this.#begins = new GroupedWrites(db, (transaction, calls) => beginCalls(transaction, calls, this.#rules));
		this.#ends = new GroupedWrites<EndedCall, void>(db, async (transaction, calls) => {
			await endCalls(transaction, calls, this.#rules);
			return [];
		});
		this.#timer = setInterval(() => this.#renew(), RENEW_MS);
		this.#timer.unref();
	}

	/**
	 * Resolves when the call has its place and its money.
	 * @throws ModelError when it may not be made, or its budget is exhausted; the reason of the signal when that aborts first
	 */
	begin(asked: Asked, signal: AbortSignal): Promise<Begun> {
		return this.#waitingOf(asked.connectionId).wait({
			isInteractive: asked.isInteractive,
			keys: keysOf(asked),
			signal,
			begin: () => this.#tryToBegin(asked),
			undo: (call) => this.giveBack(call),
		});
	}

	/** The name of a connection, as the last call found it; undefined before there was one. */
	nameOf(connectionId: number): string | undefined {
		return this.#names.get(connectionId);
	}

	async #tryToBegin(asked: Asked): Promise<Attempt<Begun>> {
		const beginning = await this.#begins.write(asked);
		if (beginning.kind === "refused") throw beginning.error;
		if (beginning.kind === "wait") return beginning;
		this.#running.add(beginning.call.id);
		return { kind: "done", value: beginning.call };
	}

	/**
	 * Books a call. While the database is away it is tried for some seconds, then left to expire, so that what it had
	 * reserved is booked.
	 */
	async end(call: Begun, ended: Ended): Promise<void> {
		this.#running.delete(call.id);
		try {
			await this.#tryToWrite(() => this.#ends.write({ call, ended }));
		} finally {
			this.#waitingOf(call.asked.connectionId).callEnded();
		}
	}

	async #tryToWrite(write: () => Promise<void>): Promise<void> {
		for (let tries = 1; ; tries += 1) {
			try {
				return await write();
			} catch (error) {
				if (!(error instanceof StorageUnavailable)) throw error;
				if (tries === MOST_TRIES) {
					this.#log.error({ err: error }, "the cost of a model call could not be booked: what it had reserved will be");
					return;
				}
				await new Promise((resolve) => setTimeout(resolve, TRY_AGAIN_MS));
			}
		}
	}

	/** Of a call that neither ended nor was taken back, because of a fault, what it reserved is booked in a while. */
	leave(call: Begun): void {
		this.#running.delete(call.id);
	}

	/** Takes back a call that was not made. */
	async giveBack(call: Begun): Promise<void> {
		this.#running.delete(call.id);
		const nothing = { spentNanos: 0, reservedNanos: -call.reservedNanos };
		const { scopes, reservedTokens: tokens, startedAt } = call;
		await this.#db.write(async (transaction) => {
			await takeTurn(transaction, this.#rules);
			const { numDeletedRows } = await transaction
				.deleteFrom("model_calls")
				.where("id", "=", call.id)
				.executeTakeFirstOrThrow();
			if (numDeletedRows === 0n) return;
			await addMoney(transaction, [{ scopes, ...nothing }]);
			await uncountRate(transaction, call.connection.id, { tokens, startedAt });
		});
		this.#waitingOf(call.asked.connectionId).callEnded();
	}

	/** Holds a model on this server from now on, before the database says so to all of them. */
	holdHere({ asked: { connectionId, model } }: Begun, forMs: number): void {
		this.#heldHere.set(`${connectionId} ${model}`, performance.now() + forMs);
	}

	/** Whether a call began before its model was held, and must not be sent any more. */
	isHeldHere({ asked: { connectionId, model } }: Begun): boolean {
		const key = `${connectionId} ${model}`;
		const until = this.#heldHere.get(key);
		if (until === undefined) return false;
		if (until > performance.now()) return true;
		this.#heldHere.delete(key);
		return false;
	}

	/** Says that this server still runs its calls. */
	#renew(): void {
		if (this.#running.size === 0 || this.#renewing !== undefined) return;
		this.#renewing = readersGone
			.exit(() => this.#db.write((transaction) => this.#putOff(transaction)))
			.catch((error: unknown) => this.#log.warn({ err: error }, "the calls of models that run could not be renewed"))
			.finally(() => (this.#renewing = undefined));
	}

	async #putOff(transaction: Transaction<Tables>): Promise<void> {
		await takeTurn(transaction, this.#rules);
		const expiresAt = (await databaseMicros(transaction)) + LEASE_MICROS;
		await transaction
			.updateTable("model_calls")
			.set({ expires_at: expiresAt })
			.where("id", "in", listed([...this.#running]))
			.execute();
	}

	#waitingOf(connectionId: number): WaitingCalls<Begun> {
		const known = this.#waiting.get(connectionId);
		if (known !== undefined) return known;
		const made = new WaitingCalls<Begun>();
		this.#waiting.set(connectionId, made);
		return made;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		clearInterval(this.#timer);
		await this.#renewing;
	}
}
