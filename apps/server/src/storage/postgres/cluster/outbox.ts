import { z } from "zod";
import { chunksOf } from "#base/chunks.ts";
import type { ClusterMessage } from "#storage/cluster.ts";
import type { TraceChange } from "#storage/traces/trace-store.ts";

/** Changes of traces are collected for this time, as one message costs as much with many as with one. */
const GATHER_MS = 150;
/** With more changed traces only the newest are sent: no view shows more. */
const MAX_TRACES = 2_000;
/** Traces per payload, which may have 8,000 bytes. */
const TRACES_EACH = 400;

interface Sent {
	/** The sending process, which receives its own messages too. */
	readonly from: string;
	readonly message: ClusterMessage;
}

/** Collects messages for other processes; what could not be sent is sent with the next try. */
export class Outbox {
	readonly #from: string;
	readonly #send: (payloads: readonly string[]) => Promise<void>;
	/** Changed traces with their projects, the one that changed last at the end. */
	readonly #traces = new Map<number, number>();
	/** Other messages, each a payload of its own; a set, as repeating one says nothing new. */
	readonly #others = new Set<string>();
	#timer: NodeJS.Timeout | undefined;
	#sending: Promise<void> = Promise.resolve();

	/** @param send rejects when it failed */
	constructor(from: string, send: (payloads: readonly string[]) => Promise<void>) {
		this.#from = from;
		this.#send = send;
	}

	add(message: ClusterMessage): void {
		if (message.topic === "traces") this.#addTraces(message.changes);
		else this.#others.add(this.#encode(message));
		this.#flushIn(message.topic === "traces" ? GATHER_MS : 0);
	}

	/** Sends what is waiting. */
	flush(): Promise<void> {
		clearTimeout(this.#timer);
		this.#timer = undefined;
		this.#sending = this.#sending.then(() => this.#sendWaiting());
		return this.#sending;
	}

	#addTraces(changes: readonly TraceChange[]): void {
		for (const { projectId, traceRowIds } of changes) {
			for (const id of traceRowIds) {
				this.#traces.delete(id);
				this.#traces.set(id, projectId);
			}
		}
		for (const id of this.#traces.keys()) {
			if (this.#traces.size <= MAX_TRACES) break;
			this.#traces.delete(id);
		}
	}

	#flushIn(milliseconds: number): void {
		if (this.#timer !== undefined && milliseconds > 0) return;
		clearTimeout(this.#timer);
		this.#timer = setTimeout(() => void this.flush(), milliseconds).unref();
	}

	async #sendWaiting(): Promise<void> {
		const others = [...this.#others];
		const traces = [...this.#traces];
		if (others.length + traces.length === 0) return;
		this.#others.clear();
		this.#traces.clear();
		try {
			await this.#send([...others, ...this.#encodeTraces(traces)]);
		} catch {
			// They are sent with the next message or connection. Changes that came meanwhile are newer.
			const newer = [...this.#traces];
			this.#traces.clear();
			for (const [id, projectId] of [...traces, ...newer].slice(-MAX_TRACES)) this.#traces.set(id, projectId);
			for (const payload of others) this.#others.add(payload);
		}
	}

	#encodeTraces(traces: readonly (readonly [number, number])[]): string[] {
		const payloads: string[] = [];
		for (const part of chunksOf(traces, TRACES_EACH)) {
			const byProject = Map.groupBy(part, ([, projectId]) => projectId);
			const changes = Array.from(byProject, ([projectId, ofProject]) => ({
				projectId,
				traceRowIds: ofProject.map(([id]) => id),
			}));
			for (const change of splitProjects(changes)) payloads.push(this.#encode({ topic: "traces", changes: change }));
		}
		return payloads;
	}

	#encode(message: ClusterMessage): string {
		return JSON.stringify({ from: this.#from, message } satisfies Sent);
	}
}

const Heard = z.object({
	from: z.string(),
	message: z.discriminatedUnion("topic", [
		z.object({
			topic: z.literal("traces"),
			changes: z.array(z.object({ projectId: z.int(), traceRowIds: z.array(z.int()) })),
		}),
		z.object({ topic: z.literal("moved") }),
		z.object({ topic: z.literal("prices") }),
		z.object({
			topic: z.literal("wake"),
			work: z.enum(["retention", "cost_recomputation", "bulk_run", "repair", "experiment_job", "review_gold"]),
		}),
	]),
});

/**
 * The message in a payload. Undefined for messages of this process, and for invalid ones: anybody who may connect to
 * the database may notify, and newer versions may send unknown messages.
 */
export function decodePayload(payload: string, own: string): ClusterMessage | undefined {
	const heard = Heard.safeParse(parsed(payload));
	return heard.success && heard.data.from !== own ? heard.data.message : undefined;
}

function parsed(json: string): unknown {
	try {
		return JSON.parse(json);
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

/** Splits by project, since each project adds some bytes to the payload. */
function splitProjects(changes: readonly TraceChange[]): TraceChange[][] {
	const parts: TraceChange[][] = [];
	for (let at = 0; at < changes.length; at += 100) parts.push(changes.slice(at, at + 100));
	return parts;
}
