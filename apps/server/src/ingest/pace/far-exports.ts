import { setTimeout as sleep } from "node:timers/promises";
import { RightsChanged } from "#storage/projects/rights-version.ts";
import { StorageUnavailable, type TraceWriter, type WritePace, type WriteResult } from "#storage/traces/span-batch.ts";
import { isOld, type RightsOfSenders, writeGroup } from "../group-writer.ts";
import type { GroupReport } from "../worker-messages.ts";
import type { DecodedRequest } from "./decoded-request.ts";
import { type Piece, piecesOf } from "./far-partitions.ts";
import type { SharedPace } from "./shared-pace.ts";

/** Exports beyond this are refused, as they would wait for longer than their senders do. */
const MOST_WAITING = 256;
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
/** Exports that touch no more together are written together. */
const PARTITIONS_TOGETHER = 100;
/** Senders wait for 10 s: what could not be begun by then is sent again. */
const PATIENCE_MS = 8_000;
const TOO_SLOW = "spans that start on many different days wait for others, which are stored slowly";

export interface FarExportsOptions {
	readonly openWriter: () => Promise<TraceWriter>;
	readonly pace: WritePace;
	readonly shared: SharedPace;
	/** Called with exports that have been answered. */
	readonly onWritten: (exports: readonly DecodedRequest[], report: GroupReport) => void;
	readonly rights?: RightsOfSenders;
	/** For tests; some seconds when absent. */
	readonly patienceMs?: number;
}

interface FarExport {
	readonly request: DecodedRequest;
	readonly partitions: ReadonlySet<number>;
	/** `performance.now()` until which it may wait. */
	readonly deadline: number;
}

/** How far exports that are written together have come. */
interface Progress {
	deadline: number;
	/** How long each write took, without the rests. */
	readonly commitMs: number[];
}

/**
 * Exports whose spans go to many partitions, each of which makes a write slow. They are written beside the others, a few
 * partitions at a time, at a bounded rate, and for no more than half of the time.
 */
export class FarExports {
	readonly #options: FarExportsOptions;
	readonly #waiting: FarExport[] = [];
	#waitingBytes = 0;
	#running: Promise<void> | undefined;
	/** `performance.now()` until which nothing more is written. */
	#restUntil = 0;

	constructor(options: FarExportsOptions) {
		this.#options = options;
	}

	/** @returns false when too many wait already */
	add(request: DecodedRequest, partitions: ReadonlySet<number>): boolean {
		const isFull = this.#waiting.length >= MOST_WAITING || this.#waitingBytes + request.bytes > MOST_WAITING_BYTES;
		if (isFull && this.#running !== undefined) return false;
		const { patienceMs = PATIENCE_MS } = this.#options;
		this.#waiting.push({ request, partitions, deadline: performance.now() + patienceMs });
		this.#waitingBytes += request.bytes;
		this.#running ??= this.#run();
		return true;
	}

	/** Resolves when all are answered. */
	async finish(): Promise<void> {
		await this.#running;
	}

	async #run(): Promise<void> {
		// The first one waits for those that are decoded with it.
		await Promise.resolve();
		while (this.#waiting.length > 0) {
			const exports = this.#takeNext();
			const progress: Progress = { deadline: Math.min(...exports.map(({ deadline }) => deadline)), commitMs: [] };
			const requests = exports.map(({ request }) => request);
			const report = await writeGroup(
				requests.map(({ member }) => member),
				async () => this.#slowed(await this.#options.openWriter(), progress),
				this.#options.rights,
			);
			this.#options.onWritten(requests, { ...report, commitMs: progress.commitMs });
		}
		this.#running = undefined;
	}

	/** The one that touches fewest partitions, as the sender of many has to wait anyway, and what goes with it. */
	#takeNext(): readonly FarExport[] {
		const taken: FarExport[] = [];
		let partitions: ReadonlySet<number> = new Set();
		for (const next of this.#waiting.toSorted((a, b) => a.partitions.size - b.partitions.size)) {
			const together = new Set([...partitions, ...next.partitions]);
			if (taken.length > 0 && together.size > PARTITIONS_TOGETHER) continue;
			taken.push(next);
			partitions = together;
			this.#waiting.splice(this.#waiting.indexOf(next), 1);
			this.#waitingBytes -= next.request.bytes;
		}
		return taken;
	}

	#slowed(writer: TraceWriter, progress: Progress): TraceWriter {
		const write = (writer.writeBeside ?? writer.write).bind(writer);
		const { commitMs } = progress;
		return {
			write: async (spans, logs, projects) => {
				if (performance.now() > progress.deadline) throw new StorageUnavailable("traces_busy", new Error(TOO_SLOW));
				// What was begun is stored, even if its sender has gone: otherwise it would never be.
				progress.deadline = Number.POSITIVE_INFINITY;
				const results: WriteResult[] = [];
				for (const piece of piecesOf(spans, this.#options.pace)) {
					await this.#rest();
					if (results.length === 0 && isOld(projects?.decidedAtMs)) throw new RightsChanged();
					const began = performance.now();
					const result = await write(piece.spans, results.length === 0 ? logs : [], projects);
					commitMs.push(performance.now() - began);
					// What is stored already makes no parts.
					if (result.written > 0) this.#pay(piece, performance.now() - began);
					results.push(result);
				}
				return addUp(results);
			},
			[Symbol.asyncDispose]: async () => {},
		};
	}

	#pay({ partitions }: Piece, tookMs: number): void {
		const { shared, pace } = this.#options;
		shared.pay(partitions, pace.farPartitionsPerSecond);
		this.#restUntil = performance.now() + tookMs;
	}

	async #rest(): Promise<void> {
		const wait = Math.max(this.#restUntil - performance.now(), this.#options.shared.untilPaid());
		if (wait > 0) await sleep(wait);
	}
}

function addUp(results: readonly WriteResult[]): WriteResult {
	return {
		written: results.reduce((sum, { written }) => sum + written, 0),
		duplicates: results.reduce((sum, { duplicates }) => sum + duplicates, 0),
		logRecords: results.reduce((sum, { logRecords }) => sum + logRecords, 0),
		changes: results.flatMap(({ changes }) => changes),
	};
}
