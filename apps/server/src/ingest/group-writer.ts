import type { Rejection } from "@spanward/otlp";
import {
	type NormalizedLogRecord,
	type NormalizedSpan,
	ShardUnavailable,
	StorageUnavailable,
	type TraceWriter,
} from "#storage/traces/span-batch.ts";
import { accepted, internalError, storageUnavailable } from "./answers.ts";
import type { DecodedExport, Undecodable } from "./decode-export.ts";
import { describeError } from "./describe-error.ts";
import type { ExportAnswer } from "./ingest.ts";
import { refusalBy, type StorageRefusal } from "./storage-refusals.ts";
import type { GroupReport } from "./worker-messages.ts";

/** A request of a group, decoded. */
export interface GroupMember {
	readonly id: number;
	readonly decoded: DecodedExport | Undecodable;
}

/** With more failures in one request the spans are hardly at fault, and it is refused as a whole. */
const MOST_FAILING_SPANS = 8;

/**
 * Parts of a group that needed too much memory are halved so often, which finds a span that does among thousands. Where
 * memory is short for another reason, more tries would not help.
 */
const MOST_HALVINGS = 24;

/** Rejections that the sender is told one by one; the others are counted. */
const NAMED_REJECTIONS = 3;

/**
 * Writes the requests of a group in one transaction and decides what to answer to each. When they fail together for a
 * reason other than the storage, need too much memory together, or some have traces of a shard that is away, they are
 * halved, so that one cannot make the others fail.
 */
export async function writeGroup(
	members: readonly GroupMember[],
	openWriter: () => Promise<TraceWriter>,
): Promise<GroupReport> {
	const report = new ReportDraft();
	const writable: Writable[] = [];
	for (const { id, decoded } of members) {
		if ("refused" in decoded) report.refuse(id, decoded.refused, decoded.error);
		else writable.push({ id, decoded });
	}
	await writeTogether(writable, openWriter, report);
	return report.finish();
}

interface Writable {
	readonly id: number;
	readonly decoded: DecodedExport;
}

async function writeTogether(
	members: readonly Writable[],
	openWriter: () => Promise<TraceWriter>,
	report: ReportDraft,
): Promise<void> {
	const spans = members.flatMap(({ decoded }) => decoded.spans);
	const logs = members.flatMap(({ decoded }) => decoded.logs);
	try {
		await report.write(openWriter, spans, logs);
		for (const { id, decoded } of members) report.accept(id, decoded);
	} catch (error) {
		const [first, ...others] = members;
		if (error instanceof StorageUnavailable && !report.maySplit(error, members.length))
			for (const { id } of members) report.refuseFor(error, id);
		else if (first !== undefined && others.length === 0) await writeApart(first, openWriter, report);
		else for (const half of halvesOf(members)) await writeTogether(half, openWriter, report);
	}
}

function halvesOf<T>(items: readonly T[]): [first: readonly T[], second: readonly T[]] {
	const half = Math.ceil(items.length / 2);
	return [items.slice(0, half), items.slice(half)];
}

/**
 * Writes what can be written of a request on which the writer fails, halving it until a failing span stands alone,
 * which is left out and named. When there is too little memory for a single one, the request is refused.
 */
async function writeApart(
	{ id, decoded }: Writable,
	openWriter: () => Promise<TraceWriter>,
	report: ReportDraft,
): Promise<void> {
	const failing: NormalizedSpan[] = [];
	const errors: string[] = [];

	async function write(spans: readonly NormalizedSpan[]): Promise<void> {
		try {
			await report.write(openWriter, spans, []);
		} catch (error) {
			const isOfStorage = error instanceof StorageUnavailable && !(spans.length > 1 && report.mayHalve(error));
			if (isOfStorage || failing.length === MOST_FAILING_SPANS) throw error;
			const [first, ...others] = spans;
			if (first !== undefined && others.length === 0) {
				failing.push(first);
				errors.push(describeError(error));
				return;
			}
			for (const half of halvesOf(spans)) await write(half);
		}
	}

	try {
		await report.write(openWriter, [], decoded.logs);
		await write(decoded.spans);
		const rejections = failing.map(toRejection);
		const spans = decoded.spans.filter((span) => !failing.includes(span));
		report.accept(id, { ...decoded, spans, rejections: [...decoded.rejections, ...rejections] });
		report.errors.push(...errors);
	} catch (error) {
		if (error instanceof StorageUnavailable) report.refuseFor(error, id);
		else report.refuse(id, internalError(), describeError(error));
	}
}

function toRejection({ name, spanId }: NormalizedSpan): Rejection {
	const message = `Span ${spanId} (${JSON.stringify(name.slice(0, 60))}) was left out: the server failed to store it; its log says why.`;
	return { reason: "internal", count: 1, message };
}

class ReportDraft {
	readonly errors: string[] = [];
	#unavailable: StorageRefusal | undefined;
	readonly #answers: { id: number; answer: ExportAnswer }[] = [];
	readonly #rejected = new Map<string, number>();
	readonly #commitMs: number[] = [];
	readonly #changes: GroupReport["changes"][number][] = [];
	#written = 0;
	#duplicates = 0;
	#logRecords = 0;
	#ignoredLogRecords = 0;
	#halvings = 0;
	#splits = 0;

	async write(
		openWriter: () => Promise<TraceWriter>,
		spans: readonly NormalizedSpan[],
		logs: readonly NormalizedLogRecord[],
	): Promise<void> {
		if (spans.length === 0 && logs.length === 0) return;
		const writer = await openWriter();
		const start = performance.now();
		const result = await writer.write(spans, logs);
		this.#commitMs.push(performance.now() - start);
		this.#written += result.written;
		this.#duplicates += result.duplicates;
		this.#logRecords += result.logRecords;
		this.#changes.push(...result.changes);
	}

	accept(id: number, decoded: DecodedExport): void {
		let rejected = 0;
		for (const { reason, count } of decoded.rejections) {
			if (count === 0) continue;
			rejected += count;
			this.#rejected.set(reason, (this.#rejected.get(reason) ?? 0) + count);
		}
		this.#ignoredLogRecords += decoded.ignoredLogRecords;
		const count = decoded.spans.length + decoded.logs.length;
		this.#answers.push({ id, answer: accepted(count, rejected, summarize(decoded.rejections)) });
	}

	refuse(id: number, answer: ExportAnswer, error?: string): void {
		this.#answers.push({ id, answer });
		if (error !== undefined) this.errors.push(error);
	}

	refuseFor(error: StorageUnavailable, id: number): void {
		this.refuse(id, storageUnavailable(error.reason, shardOf(error)));
		// Others are taken: that a shard is away is said elsewhere.
		if (error.reason !== "traces_incomplete")
			this.#unavailable = refusalBy(error, (this.#unavailable?.requests ?? 0) + 1);
	}

	/** Whether the requests that failed together may be written apart. Counts. */
	maySplit(error: StorageUnavailable, requests: number): boolean {
		if (error.reason !== "traces_incomplete") return this.mayHalve(error);
		// Of one, all or nothing is stored.
		if (requests === 1) return false;
		this.#splits += 1;
		return this.#splits <= MOST_HALVINGS;
	}

	/** Whether what failed may be written in smaller parts. Counts. */
	mayHalve(error: unknown): boolean {
		if (!(error instanceof StorageUnavailable && error.reason === "too_large")) return false;
		this.#halvings += 1;
		return this.#halvings <= MOST_HALVINGS;
	}

	finish(): GroupReport {
		return {
			answers: this.#answers,
			written: this.#written,
			duplicates: this.#duplicates,
			logRecords: this.#logRecords,
			ignoredLogRecords: this.#ignoredLogRecords,
			rejected: Object.fromEntries(this.#rejected),
			changes: this.#changes,
			commitMs: this.#commitMs,
			errors: this.errors,
			...(this.#unavailable === undefined ? {} : { unavailable: this.#unavailable }),
		};
	}
}

function shardOf(error: StorageUnavailable): number | undefined {
	return error instanceof ShardUnavailable ? error.shard : undefined;
}

function summarize(rejections: DecodedExport["rejections"]): string {
	const named = rejections.slice(0, NAMED_REJECTIONS);
	const all = rejections.reduce((sum, { count }) => sum + count, 0);
	const more = all - named.reduce((sum, { count }) => sum + count, 0);
	const sentences = named.map(({ message, count }) => (count > 1 ? `${message} (${count} times)` : message));
	return more > 0 ? `${sentences.join(" ")} And ${more} more.` : sentences.join(" ");
}
