import { flushCompileCache } from "node:module";
import { type MessagePort, type Transferable, Worker } from "node:worker_threads";
import { Abandoned } from "#base/fair-turns.ts";
import { readersGone } from "#base/readers-gone.ts";
import { returnStartGarbageSoon } from "#base/start-garbage.ts";
import { TooManyGroups } from "../traces/analytics/analytics-query.ts";
import { ConditionTooSlow } from "../traces/condition-too-slow.ts";
import { StorageUnavailable, type WhyUnavailable } from "../traces/span-batch.ts";
import { type AbandonedCalls, runCall } from "./abandoned-calls.ts";

/** Functions that can be called in a worker, by name. */
// biome-ignore lint/suspicious/noExplicitAny: a table of functions of any parameters has no other type
export type Handlers = Readonly<Record<string, (...args: any[]) => unknown>>;

type Answer<Result> = Awaited<Result> extends Transferred<infer Value> ? Value : Awaited<Result>;

/** A result whose buffers are transferred instead of copied. */
export class Transferred<Value> {
	readonly value: Value;
	readonly buffers: readonly Transferable[];

	constructor(value: Value, buffers: readonly Transferable[]) {
		this.value = value;
		this.buffers = buffers;
	}
}

interface Call {
	readonly id: number;
	readonly method: string;
	readonly args: readonly unknown[];
}

type Reply = { readonly id: number; readonly value: unknown } | { readonly id: number; readonly error: WireError };

interface WireError {
	readonly name: string;
	readonly message: string;
	readonly stack: string | undefined;
	/** `reason` of `StorageUnavailable`. */
	readonly reason?: WhyUnavailable;
	/** SQLite's result code. */
	readonly errcode?: number;
}

/**
 * In a worker: answers every call that arrives on `port`, in order unless a handler is asynchronous.
 * @param abandoned of a worker that only reads
 */
export function serve(port: MessagePort, handlers: Handlers, abandoned?: AbandonedCalls): void {
	port.on("message", (call: Call) => void answer(port, handlers, call, abandoned));
	// Writes this thread's compile cache, so that the next start has it even if the process is killed.
	flushCompileCache();
	returnStartGarbageSoon();
}

async function answer(
	port: MessagePort,
	handlers: Handlers,
	{ id, method, args }: Call,
	abandoned: AbandonedCalls | undefined,
): Promise<void> {
	try {
		const handler = handlers[method];
		if (handler === undefined) throw new Error(`a database thread does not know "${method}"`);
		const result = await runCall(id, abandoned, () => handler(...args));
		if (result instanceof Transferred)
			port.postMessage({ id, value: result.value } satisfies Reply, [...result.buffers]);
		else port.postMessage({ id, value: result } satisfies Reply);
	} catch (error) {
		port.postMessage({ id, error: toWire(error) } satisfies Reply);
	}
}

function toWire(error: unknown): WireError {
	if (!(error instanceof Error)) return { name: "Error", message: String(error), stack: undefined };
	const { name, message, stack } = error;
	const errcode = errcodeOf(error);
	return {
		name,
		message,
		stack,
		...(error instanceof StorageUnavailable ? { reason: error.reason } : {}),
		...(errcode === undefined ? {} : { errcode }),
	};
}

function errcodeOf(error: unknown): number | undefined {
	if (!(error instanceof Error)) return undefined;
	if ("errcode" in error && typeof error.errcode === "number") return error.errcode;
	return errcodeOf(error.cause);
}

/** An error of SQLite from a database thread. */
export class SqliteError extends Error {
	override readonly name = "SqliteError";
	/** https://www.sqlite.org/rescode.html, e.g. 2067 for a unique constraint. */
	readonly errcode: number;

	constructor(message: string, errcode: number) {
		super(message);
		this.errcode = errcode;
	}
}

function fromWire(wire: WireError): Error {
	const cause = wire.errcode === undefined ? undefined : new SqliteError(wire.message, wire.errcode);
	if (wire.reason !== undefined) return new StorageUnavailable(wire.reason, cause);
	if (cause !== undefined) return cause;
	if (wire.name === ConditionTooSlow.name) return new ConditionTooSlow();
	if (wire.name === Abandoned.name) return new Abandoned();
	if (wire.name === TooManyGroups.name) return new TooManyGroups(wire.message);
	const error = new Error(wire.message);
	error.name = wire.name;
	if (wire.stack !== undefined) error.stack = wire.stack;
	return error;
}

interface Pending {
	readonly resolve: (value: unknown) => void;
	readonly reject: (error: Error) => void;
	/** Called before either. */
	readonly settled: () => void;
}

/** Numbers of calls are 32-bit integers. */
const MOST_CALLS = 2 ** 31 - 1;

/** On the main thread: a worker and its pending calls. */
export class WorkerClient<H extends Handlers> implements AsyncDisposable {
	readonly #worker: Worker;
	readonly #pending = new Map<number, Pending>();
	readonly #ended: Promise<void>;
	readonly #abandoned: AbandonedCalls | undefined;
	#lastId = 0;
	#failure: Error | undefined;

	/**
	 * @param onEnd gets the id of the thread once it has ended, for whatever reason
	 * @param abandoned of a worker that only reads: its calls end when their readers have gone
	 */
	constructor(url: URL, workerData: unknown, onEnd: (threadId: number) => void, abandoned?: AbandonedCalls) {
		this.#abandoned = abandoned;
		this.#worker = new Worker(url, {
			workerData,
			// V8's default takes some 40 MB more under load, and is no faster.
			resourceLimits: { maxYoungGenerationSizeMb: 16 },
		});
		const { threadId } = this.#worker;
		this.#worker.on("message", (reply: Reply) => this.#settle(reply));
		this.#worker.on("error", (error) => this.#fail(new Error("a database thread failed", { cause: error })));
		this.#ended = new Promise((resolve) => {
			this.#worker.on("exit", (code) => {
				this.#fail(new Error(`a database thread ended with code ${code}`));
				onEnd(threadId);
				resolve();
			});
		});
	}

	/** Number of pending calls. */
	get load(): number {
		return this.#pending.size;
	}

	get hasEnded(): boolean {
		return this.#failure !== undefined;
	}

	call<Name extends keyof H & string>(name: Name, ...args: Parameters<H[Name]>): Promise<Answer<ReturnType<H[Name]>>> {
		return new Promise((resolve, reject) => {
			if (this.#failure !== undefined) {
				reject(this.#failure);
				return;
			}
			const gone = this.#abandoned === undefined ? undefined : readersGone.getStore();
			if (gone?.aborted) {
				reject(gone.reason);
				return;
			}
			this.#lastId = (this.#lastId % MOST_CALLS) + 1;
			const id = this.#lastId;
			const abandon = () => this.#abandoned?.add(id);
			gone?.addEventListener("abort", abandon);
			const settled = () => gone?.removeEventListener("abort", abandon);
			this.#pending.set(id, { resolve: resolve as (value: unknown) => void, reject, settled });
			this.#worker.postMessage({ id, method: name, args } satisfies Call);
		});
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#worker.terminate();
		await this.#ended;
	}

	#settle(reply: Reply): void {
		const pending = this.#pending.get(reply.id);
		this.#pending.delete(reply.id);
		pending?.settled();
		if ("error" in reply) pending?.reject(fromWire(reply.error));
		else pending?.resolve(reply.value);
	}

	#fail(error: Error): void {
		this.#failure ??= error;
		for (const { reject, settled } of this.#pending.values()) {
			settled();
			reject(this.#failure);
		}
		this.#pending.clear();
	}
}
