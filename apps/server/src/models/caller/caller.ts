import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { readersGone } from "#base/readers-gone.ts";
import type { WritingContext } from "#context.ts";
import { assertRoom } from "#http/storage-full.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import type { CallFailure, CallOptions, CallResult, CallUse, ModelCaller } from "../call-model.ts";
import type { Begun } from "../ledger/asked-call.ts";
import { sizeOf } from "../ledger/call-size.ts";
import { bookedNanos } from "../ledger/end-call.ts";
import { Ledger } from "../ledger/ledger.ts";
import { learn, listLessons } from "../ledger/lessons.ts";
import { toDollars, toNanos } from "../ledger/money.ts";
import { ModelError } from "../model-error.ts";
import type { ModelRequest, ModelUsage } from "../model-request.ts";
import { callsOff } from "../provider-fetch.ts";
import type { Attempt } from "./attempt-span.ts";
import type { Provider } from "./provider.ts";
import { hasParameter, requestToSend, type ToSend } from "./request-to-send.ts";
import { mayTryAgain, pauseAfter } from "./retry-rules.ts";
import { cancelled, type Sent, sendOnce } from "./send-once.ts";
import { storeSpan } from "./store-span.ts";
import { tokenCounts } from "./token-counts.ts";

export type CallerContext = Pick<
	WritingContext,
	"auth" | "capacity" | "config" | "db" | "ingest" | "log" | "metrics" | "now" | "stopping"
>;

/** A call as it was asked for. */
interface Call {
	readonly connectionId: number;
	readonly request: ModelRequest;
	readonly use: CallUse;
	readonly options: CallOptions;
}

/** What became of one try. */
interface Tried {
	readonly outcome: CallResult | CallFailure;
	/** Whether pieces of the answer were given on, so that it cannot begin again. */
	readonly hasBegun: boolean;
	/** How long the provider is left alone, after a failure. */
	readonly pauseMs: number;
}

/** Begins the lessons about parameters. */
const REFUSES = "refuses ";

/** The {@link ModelCaller} of a server. Disposing ends the calls that run, and books them. */
export class Caller implements ModelCaller, AsyncDisposable {
	readonly ledger: Ledger;
	readonly #context: CallerContext;
	readonly #provider: Provider;
	readonly #disposing = new AbortController();
	readonly #running = new Set<Promise<unknown>>();

	constructor(context: CallerContext, provider: Provider) {
		this.#context = context;
		this.#provider = provider;
		this.ledger = new Ledger(context);
	}

	call(
		connectionId: number,
		request: ModelRequest,
		use: CallUse,
		options: CallOptions,
	): Promise<CallResult | CallFailure> {
		const signal = AbortSignal.any([options.signal, this.#context.stopping, this.#disposing.signal]);
		const call = { connectionId, request, use, options: { ...options, signal } };
		// It is booked and recorded to its end, though nobody waits for it any more.
		const running = readersGone.exit(() => this.#call(call)).finally(() => this.#running.delete(running));
		this.#running.add(running);
		return running;
	}

	async #call(call: Call): Promise<CallResult | CallFailure> {
		const { connectionId, request, use, options } = call;
		if (!this.#context.config.SERVICE_ENABLE_MODEL_CALLS) return this.#refused(call, callsOff(), 0);
		this.#assertCanKeep();
		const refused = new Set(use.isInteractive ? [] : await this.#listRefused(call));
		const start = performance.now();
		let badAnswers = 0;
		for (let tries = 1; ; tries += 1) {
			const begun = await this.#begin(call);
			if (begun instanceof ModelError) return this.#refused(call, begun, tries - 1);
			const needs = { kind: begun.connection.kind, refused, outputLimit: begun.outputLimit };
			const tried = await this.#try(call, begun, requestToSend(request, needs), tries).finally(() =>
				this.ledger.leave(begun),
			);
			if (tried === "held") {
				tries -= 1;
				continue;
			}
			const { outcome, hasBegun, pauseMs } = tried;
			if (!("error" in outcome)) return outcome;
			const { error } = outcome;
			if (use.isInteractive || hasBegun || options.signal.aborted) return outcome;
			if (error.code === "unsupported_parameter") {
				const { parameter } = error;
				if (parameter === undefined || refused.has(parameter) || !hasParameter(request, parameter)) return outcome;
				refused.add(parameter);
				await this.#learn(connectionId, request.model, `${REFUSES}${parameter}`);
				continue;
			}
			// With a status it is an answer of the protocol, which tells of an error.
			if (error.code === "bad_response" && error.status === undefined) badAnswers += 1;
			if (!mayTryAgain(error, { tries, badAnswers, sinceFirstMs: performance.now() - start })) return outcome;
			// A model that is held lets no call begin before.
			if (error.code !== "rate_limited" && !(await this.#pause(pauseMs, options.signal))) return outcome;
		}
	}

	/** No call is made whose result could not be kept. @throws UserError 507; StorageUnavailable */
	#assertCanKeep(): void {
		const { capacity, ingest } = this.#context;
		assertRoom({ isBlocked: capacity.isBlocked || ingest.storageRefusal === "full" });
		if (ingest.storageRefusal === "read_only") throw new StorageUnavailable("read_only", undefined);
	}

	/** Waits for place and money. */
	async #begin({ connectionId, request, use, options }: Call): Promise<Begun | ModelError> {
		const { purpose, isInteractive, isAdmin, budgets } = use;
		const { model } = request;
		const asked = { connectionId, model, purpose, isInteractive, isAdmin, budgets, size: sizeOf(request) };
		try {
			return await this.ledger.begin(asked, options.signal);
		} catch (error) {
			if (error instanceof ModelError) return error;
			if (options.signal.aborted) return cancelled();
			throw error;
		}
	}

	/** A call that ends before anything of this try was sent. */
	#refused({ connectionId, use }: Call, error: ModelError, attempts: number): CallFailure {
		const connection = this.ledger.nameOf(connectionId);
		this.#context.metrics.modelCalls.count({ connection, purpose: use.purpose, outcome: error.code });
		return { error, partial: undefined, costUsd: undefined, latencyMs: 0, trace: undefined, attempts };
	}

	async #try(call: Call, begun: Begun, toSend: ToSend | undefined, attempts: number): Promise<Tried | "held"> {
		const { connectionId, request, use, options } = call;
		const startMicros = this.#context.now();
		const isHeld = () => this.ledger.isHeldHere(begun);
		const sent =
			toSend === undefined
				? notSent(cannotBeLimited(request.model))
				: await sendOnce(this.#provider, connectionId, toSend.request, { ...options, isHeld });
		if (sent === "held") {
			await this.ledger.giveBack(begun);
			return sent;
		}
		const { error, latencyMs, isSent, fault } = sent;
		const pauseMs = error === undefined ? 0 : pauseAfter(error, attempts);
		if (error?.code === "rate_limited") this.ledger.holdHere(begun, pauseMs);
		const { counted, costNanos } = this.#costOf(begun, sent, startMicros);
		const attempt: Attempt = {
			traceId: use.parent?.traceId ?? randomBytes(16).toString("hex"),
			spanId: randomBytes(8).toString("hex"),
			...{ ...sent, use, provider: begun.provider, request: toSend?.request ?? request, startMicros },
			endMicros: startMicros + Math.max(1, Math.round(latencyMs * 1_000)),
			warnings: [...(sent.answer?.warnings ?? []), ...(toSend?.warnings ?? [])],
		};
		const usage = usageOf(sent);
		const written = await Promise.allSettled([
			this.ledger.end(begun, { error, usage, costNanos, seconds: latencyMs / 1_000, holdMs: pauseMs }),
			isSent ? storeSpan(this.#context, attempt, use.project) : undefined,
		]);
		this.#count(begun, sent, costNanos);
		if (fault !== undefined) throw fault;
		for (const one of written) if (one.status === "rejected") throw one.reason;
		const outcome = outcomeOf(attempt, sent, { attempts, costUsd: counted ?? dollarsOf(costNanos) });
		return { outcome, hasBegun: sent.firstTokenMs !== undefined, pauseMs };
	}

	#count({ connection, asked }: Begun, sent: Sent, costNanos: number): void {
		const { error, latencyMs, firstTokenMs } = sent;
		const usage = usageOf(sent);
		this.#context.metrics.modelCalls.count({
			...{ connection: connection.name, purpose: asked.purpose, outcome: error?.code ?? "ok" },
			seconds: latencyMs / 1_000,
			firstTokenSeconds: firstTokenMs === undefined ? undefined : firstTokenMs / 1_000,
			...{ inputTokens: usage?.input, outputTokens: usage?.output, costUsd: toDollars(costNanos) },
		});
	}

	/** What an answer cost as the provider counted it, and what is booked for a try. */
	#costOf(begun: Begun, sent: Sent, startMicros: number) {
		const { provider, asked } = begun;
		const { answer, error, isSent } = sent;
		const usage = usageOf(sent);
		// A provider may leave out which model answered.
		const priced = { provider, model: answer?.model || asked.model, requestModel: asked.model };
		const { prices } = this.ledger;
		const dollars = usage === undefined ? undefined : prices.costOf(priced, tokenCounts(usage), startMicros);
		const countedNanos = dollars === undefined ? undefined : toNanos(dollars);
		const costNanos = bookedNanos(begun, { error, countedNanos, isSent });
		return { counted: answer === undefined ? undefined : dollars, costNanos };
	}

	/** @returns false when the signal aborts meanwhile */
	async #pause(ms: number, signal: AbortSignal): Promise<boolean> {
		try {
			await sleep(ms, undefined, { signal });
			return true;
		} catch (error) {
			if (signal.aborted) return false;
			throw error;
		}
	}

	async #listRefused({ connectionId, request: { model } }: Call): Promise<readonly string[]> {
		const { read } = this.#context.db;
		const lessons = await listLessons(read, { connectionId, model });
		return lessons.filter((lesson) => lesson.startsWith(REFUSES)).map((lesson) => lesson.slice(REFUSES.length));
	}

	async #learn(connectionId: number, model: string, lesson: string): Promise<void> {
		await this.#context.db.write((transaction) => learn(transaction, { connectionId, model, lesson }));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#disposing.abort();
		await Promise.allSettled(this.#running);
		await this.ledger[Symbol.asyncDispose]();
	}
}

function usageOf({ answer, partial }: Sent): ModelUsage | undefined {
	return (answer ?? partial)?.usage;
}

function outcomeOf(
	{ traceId, spanId, warnings }: Attempt,
	{ answer, error, partial, latencyMs, firstTokenMs, isSent }: Sent,
	{ attempts, costUsd }: Pick<CallResult, "attempts" | "costUsd">,
): CallResult | CallFailure {
	const trace = { traceId, spanId };
	const common = { costUsd, latencyMs, attempts };
	if (answer !== undefined) return { ...common, ...trace, answer: { ...answer, warnings }, firstTokenMs, warnings };
	return { ...common, error: error ?? cancelled(), partial, trace: isSent ? trace : undefined };
}

function notSent(error: ModelError): Sent {
	const nothing = { answer: undefined, partial: undefined, firstTokenMs: undefined, fault: undefined };
	return { ...nothing, error, isSent: false, latencyMs: 0 };
}

/** Undefined for nothing, as models without a price book nothing, too. */
function dollarsOf(nanos: number): number | undefined {
	return nanos === 0 ? undefined : toDollars(nanos);
}

function cannotBeLimited(model: string): ModelError {
	return new ModelError(
		"unsupported_parameter",
		`The model ${JSON.stringify(model)} refuses every limit of its answer, so that its cost cannot be kept within a budget.`,
	);
}
