import { z } from "zod";
import type { ClusterMessage } from "#storage/cluster.ts";
import type { TraceChange } from "#storage/traces/trace-store.ts";

/** Changes of traces wait for others to come, as telling costs as much for one as for many. */
const GATHER_MS = 150;
/** Of more traces only the newest are told: nobody's view shows more. */
const MAX_TRACES = 2_000;
/** What of them fits into one payload, which has room for 8,000 bytes. */
const TRACES_EACH = 400;

interface Sent {
	/** Who tells, as everybody hears what they tell themselves. */
	readonly from: string;
	readonly message: ClusterMessage;
}

/** Gathers what is to be told to other processes; what could not be sent waits for the next try. */
export class Outbox {
	readonly #from: string;
	readonly #send: (payloads: readonly string[]) => Promise<void>;
	/** Project of each changed trace, the one that changed last at the end. */
	readonly #traces = new Map<number, number>();
	/** By themselves as JSON: to be told twice says nothing more. */
	readonly #others = new Set<string>();
	#timer: NodeJS.Timeout | undefined;
	#sending: Promise<void> = Promise.resolve();

	/** @param send rejects when it could not */
	constructor(from: string, send: (payloads: readonly string[]) => Promise<void>) {
		this.#from = from;
		this.#send = send;
	}

	add(message: ClusterMessage): void {
		if (message.topic === "traces") this.#addTraces(message.changes);
		else this.#others.add(this.#encode(message));
		this.#flushIn(message.topic === "traces" ? GATHER_MS : 0);
	}

	/** Sends what waits. */
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
			// The next message, or the next connection, takes it along. What came meanwhile is newer.
			const newer = [...this.#traces];
			this.#traces.clear();
			for (const [id, projectId] of [...traces, ...newer].slice(-MAX_TRACES)) this.#traces.set(id, projectId);
			for (const payload of others) this.#others.add(payload);
		}
	}

	#encodeTraces(traces: readonly (readonly [number, number])[]): string[] {
		const payloads: string[] = [];
		for (let at = 0; at < traces.length; at += TRACES_EACH) {
			const byProject = Map.groupBy(traces.slice(at, at + TRACES_EACH), ([, projectId]) => projectId);
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
		z.object({ topic: z.literal("prices") }),
		z.object({ topic: z.literal("wake"), work: z.enum(["retention", "cost_recomputation"]) }),
	]),
});

/**
 * What a payload says, unless this process sent it. Undefined as well for what is not understood: whoever may connect to
 * the database may notify, and a newer version may say something unknown.
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

/** Each project costs some bytes of its own. */
function splitProjects(changes: readonly TraceChange[]): TraceChange[][] {
	const parts: TraceChange[][] = [];
	for (let at = 0; at < changes.length; at += 100) parts.push(changes.slice(at, at + 100));
	return parts;
}
