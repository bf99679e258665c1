import { setTimeout as sleep } from "node:timers/promises";
import { ConnectionError, ServerError, type Spanward, TooManyRequestsError, type Trace } from "@spanward/client";
import { CommandFailure, EXIT } from "../failure.ts";
import type { Invocation } from "../invocation.ts";
import { counted, formatCost, formatDuration, formatTime } from "../quantities.ts";
import { cutTo, padEnd, padStart } from "../terminal-text.ts";

/** A trace is shown when nothing of it has come for so long, as its root often comes last. */
const QUIET_MS = 1_000;
/** Traces that began so long before an interruption may have been completed in it. */
const LOOK_BACK_MS = 3_600_000;
/** Of an interruption at the most; older ones are said to be left out. */
const MOST_MISSED = 10_000;
const MOST_KNOWN = 100_000;
const FIRST_WAIT_MS = 500;
const LONGEST_WAIT_MS = 15_000;
const DEFAULT_BEFORE = 10;

/** `spanward traces tail`: traces as they are completed, each once, until Ctrl-C. */
export async function tailTraces(invocation: Invocation): Promise<undefined> {
	const spanward = await invocation.connect();
	await new Tail(invocation, spanward, await spanward.projects.get(invocation.project).then(({ id }) => id)).run();
	return undefined;
}

class Tail {
	readonly #invocation: Invocation;
	readonly #spanward: Spanward;
	readonly #projectId: string;
	readonly #filter: string | undefined;
	readonly #startedAt = Date.now();
	/** Ids of traces that were shown, or were there before. */
	readonly #known = new Set<string>();
	/** Traces that go on, with when something of them has come last. */
	readonly #waiting = new Map<string, { trace: Trace; at: number }>();
	#hasBegun = false;
	#dropped = 0;
	/** Since when changes may have been missed. */
	#gapSince: number | undefined;
	/** Aborted with what ends it besides Ctrl-C. */
	readonly #failed = new AbortController();

	constructor(invocation: Invocation, spanward: Spanward, projectId: string) {
		this.#invocation = invocation;
		this.#spanward = spanward;
		this.#projectId = projectId;
		this.#filter = invocation.value("filter");
	}

	async run(): Promise<void> {
		const { signal: interrupted, terminal } = this.#invocation;
		const signal = AbortSignal.any([interrupted, this.#failed.signal]);
		let waitMs = FIRST_WAIT_MS;
		const flusher = this.#flushRegularly();
		try {
			while (!signal.aborted) {
				try {
					const events = this.#spanward.api.events("/v1/projects/{project_identifier}/stream", {
						path: { project_identifier: this.#projectId },
						signal,
					});
					for await (const { event, data } of events) {
						// The first heartbeat says that the stream is open: from here on nothing is missed.
						if (event === "heartbeat") await this.#onHeartbeat(Number(JSON.parse(data).dropped));
						else if (event === "trace") this.#onTrace(JSON.parse(data));
						else if (event === "end")
							throw new CommandFailure(EXIT.notAllowed, "You no longer have access to this project.");
						waitMs = FIRST_WAIT_MS;
					}
				} catch (error) {
					if (signal.aborted) break;
					if (!isPassing(error)) throw error;
				}
				if (signal.aborted) break;
				if (this.#gapSince === undefined) {
					this.#gapSince = Date.now();
					terminal.note(`The connection was lost at ${formatTime(new Date().toISOString())}; connecting again.`);
				}
				await sleep(waitMs * (1 + Math.random()), undefined, { signal });
				waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
			}
		} catch (error) {
			if (!signal.aborted) throw error;
		} finally {
			flusher[Symbol.dispose]();
		}
		if (!interrupted.aborted) this.#failed.signal.throwIfAborted();
		throw new CommandFailure(EXIT.interrupted, "Interrupted. spanward traces list --since 5m shows what came last.");
	}

	async #onHeartbeat(dropped: number): Promise<void> {
		if (!this.#hasBegun) {
			this.#hasBegun = true;
			return await this.#showLatest();
		}
		const since = this.#gapSince ?? (dropped > this.#dropped ? Date.now() - LOOK_BACK_MS : undefined);
		this.#dropped = dropped;
		if (since === undefined) return;
		const wasLost = this.#gapSince !== undefined;
		this.#gapSince = undefined;
		const missed = await this.#readSince(since - LOOK_BACK_MS);
		for (const trace of missed) this.#onTrace(trace);
		const { terminal } = this.#invocation;
		const count = counted(missed.length, "trace");
		terminal.note(
			wasLost
				? `Connected again at ${formatTime(new Date().toISOString())}; ${count} came meanwhile.`
				: `The server left some out; read ${count} from the list.`,
		);
	}

	/** What was there before, as `tail` does: the last few are shown, the others are known. */
	async #showLatest(): Promise<void> {
		const before = this.#invocation.limit(DEFAULT_BEFORE) ?? MOST_MISSED;
		const there = await this.#readSince(this.#startedAt - LOOK_BACK_MS);
		const matching = await this.#matching(there);
		const shown = new Set(there.filter(({ trace_id: id }) => matching.has(id)).slice(-before));
		for (const trace of there) {
			if (shown.has(trace)) this.#onTrace(trace);
			else if (trace.state === "ended") this.#know(trace.trace_id);
		}
	}

	/** Traces that began since then and were not shown, by start. */
	async #readSince(since: number): Promise<Trace[]> {
		const query = { start_time: new Date(since).toISOString(), limit: 1_000 };
		const found = await this.#spanward.traces.list(this.#projectId, query).toArray(MOST_MISSED);
		if (found.length === MOST_MISSED)
			this.#invocation.terminal.note(`Only the newest ${MOST_MISSED} traces were looked at; older ones are left out.`);
		return found.filter(({ trace_id: id }) => !this.#known.has(id)).toReversed();
	}

	#onTrace(trace: Trace): void {
		if (!this.#known.has(trace.trace_id)) this.#waiting.set(trace.trace_id, { trace, at: performance.now() });
	}

	#know(id: string): void {
		this.#known.add(id);
		if (this.#known.size <= MOST_KNOWN) return;
		const [oldest] = this.#known;
		if (oldest !== undefined) this.#known.delete(oldest);
	}

	/** The ids of those that match `--filter`. */
	async #matching(traces: readonly Trace[]): Promise<ReadonlySet<string>> {
		const starts = traces.map(({ start_time }) => Date.parse(start_time));
		if (this.#filter === undefined || starts.length === 0) return new Set(traces.map(({ trace_id: id }) => id));
		const query = {
			...{ filter: this.#filter, limit: 1_000 },
			start_time: new Date(Math.min(...starts)).toISOString(),
			// It ends before this time, and a start has microseconds.
			end_time: new Date(Math.max(...starts) + 1).toISOString(),
		};
		const found = await this.#spanward.traces.list(this.#projectId, query).toArray();
		return new Set(found.map(({ trace_id: id }) => id));
	}

	#flushRegularly(): Disposable {
		let isWriting = false;
		const timer = setInterval(() => {
			if (isWriting) return;
			isWriting = true;
			void this.#flush()
				.catch((error: unknown) => {
					// What waits is looked at again.
					if (!isPassing(error)) this.#failed.abort(error);
				})
				.finally(() => {
					isWriting = false;
				});
		}, QUIET_MS / 4);
		return { [Symbol.dispose]: () => clearInterval(timer) };
	}

	async #flush(): Promise<void> {
		const now = performance.now();
		const ended = [...this.#waiting.values()]
			.filter(({ trace, at }) => trace.state !== "running" && now - at >= QUIET_MS)
			.map(({ trace }) => trace);
		const matching = await this.#matching(ended);
		for (const trace of ended) {
			const id = trace.trace_id;
			// More of it has come meanwhile.
			if (this.#waiting.get(id)?.trace !== trace) continue;
			this.#waiting.delete(id);
			this.#know(id);
			const isWanted = matching.has(id) && (trace.error_count > 0 || !this.#invocation.has("errors"));
			if (isWanted) await this.#show(trace);
		}
	}

	async #show(trace: Trace): Promise<void> {
		const { terminal } = this.#invocation;
		if (terminal.isJson) return await terminal.printJson(trace);
		const took = trace.latency_ms === null ? trace.state : formatDuration(trace.latency_ms);
		const errors = trace.error_count > 0 ? `  ${counted(trace.error_count, "error")}` : "";
		const cost = formatCost(trace.total_cost);
		const facts = `${padStart(took, 8)}  ${padEnd(`${trace.span_count} sp`, 8)}${padStart(cost, 8)}${errors}`;
		const [id, name, input] = [trace.trace_id, trace.root_name, trace.first_input?.slice(0, 300)].map((text) =>
			terminal.oneLine(text ?? ""),
		);
		const text = `${id}  ${formatTime(trace.start_time)}  ${facts}  ${name}  ${input}`.trimEnd();
		const line = cutTo(text, terminal.width, terminal.cutMark);
		await terminal.print(terminal.style(line, ...(trace.error_count > 0 ? (["red"] as const) : [])));
	}
}

/** Whether it is worth trying again. */
function isPassing(error: unknown): boolean {
	return (
		error instanceof ConnectionError ||
		error instanceof ServerError ||
		error instanceof TooManyRequestsError ||
		error instanceof TypeError
	);
}
