import { WriteBehind } from "#base/write-behind.ts";
import type { WritingContext } from "#context.ts";
import { leasedJob } from "#storage/repeated-job.ts";
import { addIngestMinutes, deleteIngestMinutes, type IngestMinute } from "./queries.ts";

/** What some answers to exports came to. */
export interface ExportCounts {
	/** Duplicates included. */
	readonly acceptedSpans?: number;
	readonly duplicateSpans?: number;
	/** By reason. */
	readonly rejectedSpans?: Readonly<Record<string, number>>;
	/** The reason why a request was refused. */
	readonly refused?: string;
}

type Counts = Omit<IngestMinute, "minute" | "server" | "reason">;

export const MINUTE_MICROS = 60_000_000;
const WRITE_MS = 60_000;
const HOUR_MS = 3_600_000;
/** 35 days. */
const KEPT_MINUTES = 35 * 1_440;
/** Rows that wait to be written: while the database is away the oldest are given up. */
const MOST_WAITING = 20_000;
/** Of a minute; others are counted together, as a sender must not be able to make any number of rows. */
const MOST_REASONS = 100;

/**
 * Counts what becomes of the exports to this server by minute and reason, and adds it to the database once a minute and at
 * the end. What was counted in the last minute is lost when the process is killed.
 */
export class IngestHistory implements AsyncDisposable {
	readonly #context: Pick<WritingContext, "db" | "log" | "now">;
	readonly #server: string;
	/** By minute, then by reason. */
	#waiting = new Map<number, Map<string, Counts>>();
	readonly #later: WriteBehind;
	#isFailing = false;

	/** @param server its name, by which servers are told apart @param writeMs for tests; a minute when absent */
	constructor(context: Pick<WritingContext, "db" | "log" | "now">, server: string, writeMs = WRITE_MS) {
		this.#context = context;
		this.#server = server;
		this.#later = new WriteBehind(() => this.#write(), writeMs);
	}

	note({ acceptedSpans = 0, duplicateSpans = 0, rejectedSpans = {}, refused }: ExportCounts): void {
		const minute = Math.floor(this.#context.now() / MINUTE_MICROS);
		if (acceptedSpans > 0) this.#add(minute, "", { accepted_spans: acceptedSpans, duplicate_spans: duplicateSpans });
		for (const [reason, count] of Object.entries(rejectedSpans)) this.#add(minute, reason, { rejected_spans: count });
		if (refused !== undefined) this.#add(minute, refused, { refused_requests: 1 });
		if (this.#waiting.size > 0) this.#later.soon();
	}

	/** Writes what waits. */
	async [Symbol.asyncDispose](): Promise<void> {
		await this.#later[Symbol.asyncDispose]();
	}

	#add(minute: number, wanted: string, counts: Partial<Counts>): void {
		const reasons = this.#waiting.get(minute) ?? new Map<string, Counts>();
		this.#waiting.set(minute, reasons);
		const reason = reasons.has(wanted) || reasons.size < MOST_REASONS ? wanted : "other";
		const known = reasons.get(reason) ?? NOTHING;
		reasons.set(reason, {
			accepted_spans: known.accepted_spans + (counts.accepted_spans ?? 0),
			duplicate_spans: known.duplicate_spans + (counts.duplicate_spans ?? 0),
			rejected_spans: known.rejected_spans + (counts.rejected_spans ?? 0),
			refused_requests: known.refused_requests + (counts.refused_requests ?? 0),
		});
	}

	async #write(): Promise<void> {
		const rows = this.#takeRows();
		if (rows.length === 0) return;
		const { db, log } = this.#context;
		try {
			await db.write((transaction) => addIngestMinutes(transaction, rows));
			this.#isFailing = false;
		} catch (error) {
			const level = this.#isFailing ? "debug" : "warn";
			log[level]({ err: error }, "what became of exports could not be written down yet");
			this.#isFailing = true;
			for (const { minute, server: _server, reason, ...counts } of rows.slice(-MOST_WAITING))
				this.#add(minute, reason, counts);
			this.#later.soon();
		}
	}

	/** The oldest first. */
	#takeRows(): IngestMinute[] {
		const waiting = [...this.#waiting].sort(([a], [b]) => a - b);
		this.#waiting = new Map();
		return waiting.flatMap(([minute, reasons]) =>
			Array.from(reasons, ([reason, counts]) => ({ minute, server: this.#server, reason, ...counts })),
		);
	}
}

const NOTHING: Counts = { accepted_spans: 0, duplicate_spans: 0, rejected_spans: 0, refused_requests: 0 };

/** Keeps what became of exports for 35 days: looks at the start and every hour. */
export function forgetIngestHistory(context: Pick<WritingContext, "cluster" | "db" | "log" | "now">): AsyncDisposable {
	const { db, now } = context;
	return leasedJob(context, "ingest history", HOUR_MS, async () => {
		const before = Math.floor(now() / MINUTE_MICROS) - KEPT_MINUTES;
		await db.write((transaction) => deleteIngestMinutes(transaction, before));
	});
}
