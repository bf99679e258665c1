import type { Rejection } from "@spanward/otlp";
import type { SenderRights } from "#access/rights/sender-rights.ts";
import { monotonicMs } from "#base/monotonic.ts";
import { RightsChanged, type RightsVersion } from "#storage/projects/rights-version.ts";
import type { Access } from "#storage/schema.ts";
import {
	type NormalizedLogRecord,
	type NormalizedSpan,
	type ProjectsOfWrite,
	ShardUnavailable,
	StorageUnavailable,
	type TraceWriter,
} from "#storage/traces/span-batch.ts";
import { accepted, internalError, NO_ACCESS, rightsChanging, storageUnavailable } from "./answers.ts";
import type { DecodedExport, Undecodable } from "./decode-export.ts";
import { describeError } from "./describe-error.ts";
import type { ExportAnswer } from "./ingest.ts";
import { limitExport, readLimits } from "./limit-export.ts";
import { refusalBy, type StorageRefusal } from "./storage-refusals.ts";
import type { GroupReport } from "./worker-messages.ts";

/** A request of a group, decoded. */
export interface GroupMember {
	readonly id: number;
	readonly decoded: DecodedExport | Undecodable;
	/** According to which it was decoded. */
	readonly sender?: SenderRights | undefined;
}

/** What senders may write when it is written. */
export interface RightsOfSenders {
	/** By the ids of requests. */
	lookAgain(ids: readonly number[]): Promise<ReadonlyMap<number, SenderRights | { readonly refused: ExportAnswer }>>;
	/** See `ProjectsOfWrite`. */
	readonly pinnedAccess: Access | undefined;
}

/** For requests without senders. */
const NO_SENDERS: RightsOfSenders = { lookAgain: async () => new Map(), pinnedAccess: undefined };

/** What was decided longer ago than this is decided again before it is written. */
const MAX_AGE_MS = 1_000;
/** As rights change seldom, more tries would hardly help. */
const MOST_LOOKS = 10;

/** Whether it has to be decided again; `decidedAtMs` by `monotonicMs`. */
export function isOld(decidedAtMs: number | undefined): boolean {
	return decidedAtMs !== undefined && monotonicMs() - decidedAtMs > MAX_AGE_MS;
}

/** With more failures in one request the spans are hardly at fault, and it is refused as a whole. */
const MOST_FAILING_SPANS = 8;

/**
 * Parts of a group that needed too much memory are halved so often, which finds a span that does among thousands. Where
 * memory is short for another reason, more tries would not help.
 */
const MOST_HALVINGS = 24;

/** Reason of log records that are none of those that are kept. */
const NOT_KEPT = "not_kept";

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
	rights = NO_SENDERS,
): Promise<GroupReport> {
	const report = new ReportDraft(rights);
	const writable: Writable[] = [];
	for (const { id, decoded, sender } of members) {
		if ("refused" in decoded) report.refuse(id, decoded.refused, decoded.error);
		else writable.push({ id, decoded, sender });
	}
	await writeTogether(writable, openWriter, report);
	return report.finish();
}

interface Writable {
	readonly id: number;
	readonly decoded: DecodedExport;
	readonly sender: SenderRights | undefined;
}

async function writeTogether(
	given: readonly Writable[],
	openWriter: () => Promise<TraceWriter>,
	report: ReportDraft,
	looks = 0,
): Promise<void> {
	const members = await report.renew(given, ({ sender }) => isOld(sender?.decidedAtMs));
	const spans = members.flatMap(({ decoded }) => decoded.spans);
	const logs = members.flatMap(({ decoded }) => decoded.logs);
	try {
		await report.write(openWriter, { spans, logs, senders: members });
		for (const { id, decoded } of members) report.accept(id, decoded);
	} catch (error) {
		const [first, ...others] = members;
		if (error instanceof RightsChanged && looks < MOST_LOOKS) {
			const renewed = await report.renew(members, ({ sender }) => sender !== undefined);
			await writeTogether(renewed, openWriter, report, looks + 1);
		} else if (error instanceof RightsChanged) for (const { id } of members) report.refuse(id, rightsChanging());
		else if (error instanceof StorageUnavailable && !report.maySplit(error, members.length))
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
	{ id, decoded, sender }: Writable,
	openWriter: () => Promise<TraceWriter>,
	report: ReportDraft,
): Promise<void> {
	const failing: NormalizedSpan[] = [];
	const errors: string[] = [];

	async function write(spans: readonly NormalizedSpan[]): Promise<void> {
		try {
			await report.write(openWriter, { spans, logs: [], senders: [{ decoded, sender }] });
		} catch (error) {
			if (error instanceof RightsChanged) throw error;
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
		await report.write(openWriter, { spans: [], logs: decoded.logs, senders: [{ decoded, sender }] });
		await write(decoded.spans);
		const rejections = failing.map(toRejection);
		const spans = decoded.spans.filter((span) => !failing.includes(span));
		report.accept(id, { ...decoded, spans, rejections: [...decoded.rejections, ...rejections] });
		report.errors.push(...errors);
	} catch (error) {
		if (error instanceof StorageUnavailable) report.refuseFor(error, id);
		// A part may be stored; sent again, it is known.
		else if (error instanceof RightsChanged) report.refuse(id, rightsChanging());
		else report.refuse(id, internalError(), describeError(error));
	}
}

function toRejection({ name, spanId }: NormalizedSpan): Rejection {
	const message = `Span ${spanId} (${JSON.stringify(name.slice(0, 60))}) was left out: the server failed to store it; its log says why.`;
	return { reason: "internal", count: 1, message };
}

function notKept(count: number): Rejection {
	const what = count === 1 ? "1 log record was" : `${count} log records were`;
	const message = `${what} not kept: Spanward keeps GenAI events (gen_ai.…) that carry the ids of their span, and the events of coding agents that docs/sending-traces.md lists.`;
	return { reason: NOT_KEPT, count, message };
}

interface ToWrite {
	readonly spans: readonly NormalizedSpan[];
	readonly logs: readonly NormalizedLogRecord[];
	/** Who sent them. */
	readonly senders: readonly Pick<Writable, "decoded" | "sender">[];
}

class ReportDraft {
	readonly errors: string[] = [];
	readonly #rights: RightsOfSenders;
	#madeProjects = false;
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

	constructor(rights: RightsOfSenders) {
		this.#rights = rights;
	}

	/** Decides again about those that `isDue` names. @returns what is still to be written */
	async renew(members: readonly Writable[], isDue: (member: Writable) => boolean): Promise<readonly Writable[]> {
		const due = members.filter(isDue);
		if (due.length === 0) return members;
		const found = await this.#rights.lookAgain(due.map(({ id }) => id));
		return members.flatMap((member) => {
			const sender = found.get(member.id);
			if (sender === undefined) return [member];
			const decoded = "refused" in sender ? sender : limitExport(member.decoded, sender.limits);
			if (!("refused" in decoded)) return "refused" in sender ? [] : [{ ...member, decoded, sender }];
			this.refuse(member.id, decoded.refused);
			return [];
		});
	}

	async write(openWriter: () => Promise<TraceWriter>, { spans, logs, senders }: ToWrite): Promise<void> {
		if (spans.length === 0 && logs.length === 0) return;
		const writer = await openWriter();
		const start = performance.now();
		const projects: ProjectsOfWrite = {
			...projectsOf(senders),
			pinnedAccess: this.#rights.pinnedAccess,
			onMade: () => {
				this.#madeProjects = true;
			},
		};
		const result = await writer.write(spans, logs, projects);
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
			this.#countRejected(reason, count);
		}
		const { ignoredLogRecords } = decoded;
		this.#ignoredLogRecords += ignoredLogRecords;
		const rejections =
			ignoredLogRecords === 0 ? decoded.rejections : [...decoded.rejections, notKept(ignoredLogRecords)];
		const answer = accepted(decoded, rejected + ignoredLogRecords, summarize(rejections));
		this.#answers.push({ id, answer });
	}

	refuse(id: number, answer: ExportAnswer, error?: string): void {
		this.#answers.push({ id, answer });
		if (answer.rejected > 0) this.#countRejected(NO_ACCESS, answer.rejected);
		if (error !== undefined) this.errors.push(error);
	}

	#countRejected(reason: string, count: number): void {
		this.#rejected.set(reason, (this.#rejected.get(reason) ?? 0) + count);
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
			...(this.#madeProjects ? { madeProjects: true } : {}),
			...(this.#unavailable === undefined ? {} : { unavailable: this.#unavailable }),
		};
	}
}

/** In which projects the senders may have something written. */
function projectsOf(senders: ToWrite["senders"]): ProjectsOfWrite {
	const decidedBy = new Map<string, RightsVersion>();
	let decidedAtMs: number | undefined;
	for (const { sender } of senders) {
		if (sender === undefined) continue;
		decidedAtMs = Math.min(decidedAtMs ?? Number.POSITIVE_INFINITY, sender.decidedAtMs);
		const { decidedBy: rights } = sender;
		if (rights !== undefined) decidedBy.set(`${rights.version} ${rights.lastProject}`, rights);
	}
	return {
		decidedBy: [...decidedBy.values()],
		...(decidedAtMs === undefined ? {} : { decidedAtMs }),
		isUnlimited: senders.every(({ sender }) => sender?.limits === undefined),
		makerOf: (name) => makerOf(name, senders),
	};
}

/** The first who names the project, unless somebody does who may make none: they had another one in mind. */
function makerOf(name: string, senders: ToWrite["senders"]): number | null | undefined {
	const isOf = ({ projectName }: { readonly projectName: string }) => projectName === name;
	const naming = senders.filter(({ decoded }) => decoded.spans.some(isOf) || decoded.logs.some(isOf));
	const makers = naming.flatMap(({ sender }) => sender ?? []);
	const isLimited = ({ limits }: SenderRights) => limits !== undefined && "only" in readLimits(limits).limits;
	if (makers.some((maker) => maker.makesNone === true || isLimited(maker))) return undefined;
	return makers[0]?.maker ?? null;
}

function shardOf(error: StorageUnavailable): number | undefined {
	return error instanceof ShardUnavailable ? error.shard : undefined;
}

function summarize(rejections: DecodedExport["rejections"]): string {
	const named = rejections.slice(0, NAMED_REJECTIONS);
	const all = rejections.reduce((sum, { count }) => sum + count, 0);
	const more = all - named.reduce((sum, { count }) => sum + count, 0);
	const sentences = named.map(({ reason, message, count }) =>
		count > 1 && reason !== NO_ACCESS && reason !== NOT_KEPT ? `${message} (${count} times)` : message,
	);
	return more > 0 ? `${sentences.join(" ")} And ${more} more.` : sentences.join(" ");
}
