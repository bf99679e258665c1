import type { Worker } from "node:worker_threads";
import type { RightsReader } from "#access/rights/rights-reader.ts";
import type { ExportSender, SenderRights } from "#access/rights/sender-rights.ts";
import type { Config } from "#base/config.ts";
import { UserError } from "#base/errors.ts";
import { Semaphore } from "#base/semaphore.ts";
import type { OwnPrice } from "#pricing/own-prices.ts";
import type { StatementFigures } from "#storage/clickhouse/statement-channel.ts";
import { StorageUnavailable, type WhyUnavailable } from "#storage/traces/span-batch.ts";
import {
	databaseUnreachable,
	internalError,
	notAllowed,
	queueFull,
	stopping,
	storageUnavailable,
	tracesUnreachable,
	workerFailed,
} from "./answers.ts";
import type { ExportCounts } from "./history/ingest-history.ts";
import type {
	CommitHistogram,
	DatabasePart,
	ExportAnswer,
	ExportRequest,
	Ingest,
	IngestHealth,
	Reservation,
} from "./ingest.ts";
import { IngestCounters } from "./ingest-counters.ts";
import { SharedPace } from "./pace/shared-pace.ts";
import { QueueBudget } from "./queue-budget.ts";
import { StorageRefusals } from "./storage-refusals.ts";
import type { FromWorker, GroupReport, OwnPrices, ToWorker, WorkerSettings } from "./worker-messages.ts";

/** Below this a request joins the first worker, so that small requests share a commit instead of alternating. */
const SHARE_BYTES = 256 * 1024;
/** The same where what waits for the next write shares it anyway. */
const PACED_SHARE_BYTES = 4 * 1024 * 1024;
/** How long `dispose` waits for the queue to be written. */
const DRAIN_MS = 8_000;
/** A thread without work for so long ends, to give its memory back. */
const IDLE_MS = 60_000;
/** How long a write on a broken connection gets to fail by itself; on one that was cut silently it would wait. */
const BROKEN_CONNECTION_GRACE_MS = 500;
const FIRST_RESTART_MS = 100;
const LAST_RESTART_MS = 5_000;

export interface IngestLog {
	warn(details: object, message: string): void;
	error(details: object, message: string): void;
}

export interface IngestOptions {
	/** Starts a thread that runs `worker.ts`. */
	readonly startWorker: (settings: WorkerSettings) => Worker;
	/** Called after each commit with the traces it added or changed. */
	readonly onChange: (change: GroupReport["changes"][number]) => void;
	/** Called with the result of each group of exports, unless all of them are self-tracing of other servers. */
	readonly onGroup?: (report: GroupReport) => void;
	/** Called with what the statements of a thread came to, where its reports have them. */
	readonly onStatements?: (statements: readonly StatementFigures[]) => void;
	/** Those of senders; absent where nobody sends with rights. */
	readonly rights?: Pick<RightsReader, "invalidate" | "pinnedAccess">;
	/** Called with what becomes of exports. */
	readonly onCounts?: (counts: ExportCounts) => void;
	/** Called when a thread has died, so that a lock it held can be freed. */
	readonly onWorkerExit?: (threadId: number) => void;
	readonly log: IngestLog;
	/** Microseconds since 1970. */
	readonly now: () => number;
	/** For tests; a minute when absent. */
	readonly idleMs?: number;
}

interface Waiting {
	readonly sender: ExportSender | undefined;
	readonly answer: (answer: ExportAnswer) => void;
	readonly bytes: number;
	readonly isSelfTracing: boolean;
}

interface Slot {
	worker: Worker | undefined;
	readonly waiting: Map<number, Waiting>;
	waitingBytes: number;
	idleTimer: NodeJS.Timeout | undefined;
	/** Of the last report of the thread; see `GroupReport`. */
	insertIntervalMs: number | undefined;
	/** Crashes since the last group that was written. */
	crashes: number;
	/** No restart before this time of `performance.now()`. */
	restartAt: number;
}

/**
 * The queue and its worker threads. Threads start with the first request that needs them; each takes all that waits for it
 * into one transaction. When one dies its requests answer 503 and the next request starts another.
 */
export class IngestPool implements Ingest {
	readonly #options: IngestOptions;
	readonly #settings: WorkerSettings;
	readonly #budget: QueueBudget;
	readonly #counters: IngestCounters;
	readonly #storageRefusals: StorageRefusals;
	readonly #slots: readonly Slot[];
	readonly #away = new Set<DatabasePart>();
	#ownPrices: OwnPrices = { ownPrices: [] };
	readonly #readingPrices = new Semaphore(1);
	#overLimit: ExportAnswer | undefined;
	#giveUp: NodeJS.Timeout | undefined;
	#nextId = 1;
	#stopping = false;
	#idle: (() => void) | undefined;

	constructor(config: Config, options: IngestOptions) {
		this.#options = options;
		this.#settings = {
			maxInflatedBytes: config.SERVICE_OTLP_MAX_INFLATED_BYTES,
			limits: {
				attributesPerSpan: config.SERVICE_OTLP_MAX_ATTRIBUTES,
				attributeBytes: config.SERVICE_OTLP_MAX_ATTRIBUTE_BYTES,
				depth: config.SERVICE_OTLP_MAX_DEPTH,
			},
			defaultProjectName: config.SERVICE_PROJECT_NAME,
			ignoresFailures: !config.SERVICE_ENABLE_ERROR_GROUPS,
			paceMemory: SharedPace.createMemory(),
			// The other half is for what arrives meanwhile.
			queueBytes: config.SERVICE_INGEST_QUEUE_BYTES / (2 * config.SERVICE_INGEST_WORKERS),
			pinnedAccess: options.rights?.pinnedAccess,
		};
		this.#budget = new QueueBudget(config.SERVICE_INGEST_QUEUE_BYTES);
		this.#counters = new IngestCounters(options.now, options.onCounts);
		this.#storageRefusals = new StorageRefusals(options.log, options.now);
		this.#slots = Array.from({ length: config.SERVICE_INGEST_WORKERS }, () => ({
			worker: undefined,
			waiting: new Map(),
			waitingBytes: 0,
			idleTimer: undefined,
			insertIntervalMs: undefined,
			crashes: 0,
			restartAt: 0,
		}));
	}

	get #unreachable(): ExportAnswer | undefined {
		if (this.#away.has("database")) return databaseUnreachable();
		return this.#away.has("traces") ? tracesUnreachable() : undefined;
	}

	get refusing(): ExportAnswer | undefined {
		return this.#unreachable ?? this.#overLimit;
	}

	refuseWith(answer: ExportAnswer | undefined): void {
		this.#overLimit = answer;
	}

	setReachable(database: DatabasePart, isReachable: boolean): void {
		clearTimeout(this.#giveUp);
		if (isReachable) this.#away.delete(database);
		else this.#away.add(database);
		if (this.#unreachable === undefined) return;
		this.#giveUp = setTimeout(() => {
			for (const slot of this.#slots) this.#abandon(slot);
		}, BROKEN_CONNECTION_GRACE_MS).unref();
	}

	usePrices(read: () => Promise<readonly OwnPrice[]>): Promise<void> {
		return this.#readingPrices.run(async () => {
			this.#ownPrices = { ownPrices: await read() };
			for (const { worker } of this.#slots) worker?.postMessage(this.#ownPrices satisfies ToWorker);
		});
	}

	admit(bytes: number): Promise<Reservation | undefined> {
		return this.#budget.admit(bytes);
	}

	async submit(
		request: ExportRequest,
		reservation: Reservation | undefined = this.#budget.reserve(request.body.byteLength),
	): Promise<ExportAnswer> {
		if (reservation === undefined) return this.#refuse(queueFull());
		try {
			if (this.#stopping) return this.#refuse(stopping());
			if (this.refusing !== undefined) return this.#refuse(this.refusing);
			const slot = this.#choose();
			if (slot === undefined) return this.#refuse(workerFailed());
			return await this.#enqueue(slot, request);
		} finally {
			reservation.release();
		}
	}

	get isBusy(): boolean {
		return this.#slots.some(({ waiting }) => waiting.size > 0);
	}

	get storageRefusal(): WhyUnavailable | undefined {
		return this.#storageRefusals.current;
	}

	countRefusal(answer: ExportAnswer): void {
		this.#counters.countRefusal(answer);
	}

	countDenial(error: Pick<UserError, "status" | "code">): void {
		this.#counters.countDenial(error);
	}

	health(): IngestHealth {
		return {
			...this.#counters.health(),
			queuedRequests: this.#slots.reduce((sum, slot) => sum + slot.waiting.size, 0),
			queuedBytes: this.#budget.usedBytes,
			queueLimitBytes: this.#budget.limit,
		};
	}

	commitHistogram(): CommitHistogram {
		return this.#counters.commitHistogram();
	}

	insertIntervalMs(): number | undefined {
		const intervals = this.#slots.flatMap(({ worker, insertIntervalMs }) => (worker && insertIntervalMs) ?? []);
		return intervals.length === 0 ? undefined : Math.max(...intervals);
	}

	/** Answers what is queued, then ends the threads; takes no new requests. Ends within some seconds in any case. */
	async [Symbol.asyncDispose](): Promise<void> {
		this.#stopping = true;
		clearTimeout(this.#giveUp);
		const deadline = AbortSignal.timeout(DRAIN_MS);
		const timedOut = new Promise<void>((resolve) => deadline.addEventListener("abort", () => resolve()));
		await Promise.race([this.#drained(), timedOut]);
		await Promise.all(this.#slots.map((slot) => this.#stop(slot, timedOut)));
	}

	#refuse(answer: ExportAnswer): ExportAnswer {
		this.#counters.countRefusal(answer);
		return answer;
	}

	/** The first worker that has little to do, else the one that has least; undefined when none can be started now. */
	#choose(): Slot | undefined {
		const usable = this.#slots.filter((slot) => slot.worker !== undefined || slot.restartAt <= performance.now());
		const shareBytes = this.insertIntervalMs() === undefined ? SHARE_BYTES : PACED_SHARE_BYTES;
		return (
			usable.find((slot) => slot.waitingBytes < shareBytes) ??
			usable.toSorted((a, b) => a.waitingBytes - b.waitingBytes)[0]
		);
	}

	#enqueue(slot: Slot, request: ExportRequest): Promise<ExportAnswer> {
		clearTimeout(slot.idleTimer);
		const worker = slot.worker ?? this.#start(slot);
		const id = this.#nextId++;
		const bytes = request.body.byteLength;
		return new Promise((resolve) => {
			const { sender, ...rest } = request;
			slot.waiting.set(id, { answer: resolve, bytes, sender, isSelfTracing: request.isSelfTracing ?? false });
			slot.waitingBytes += bytes;
			const message: ToWorker = { ...rest, id, ...(sender === undefined ? {} : { sender: sender.rights }) };
			worker.postMessage(message, [request.body.buffer]);
		});
	}

	#start(slot: Slot): Worker {
		const worker = this.#options.startWorker(this.#settings);
		const { threadId } = worker;
		slot.worker = worker;
		slot.insertIntervalMs = undefined;
		if (this.#ownPrices.ownPrices.length > 0) worker.postMessage(this.#ownPrices satisfies ToWorker);
		worker.on("message", (message: FromWorker) => {
			if ("lookAgain" in message) void this.#lookAgain(slot, worker, message.lookAgain);
			else this.#answer(slot, message);
		});
		worker.on("error", (error) => {
			this.#counters.recordError(`An ingest worker failed: ${error instanceof Error ? error.message : String(error)}`);
			this.#options.log.error({ err: error }, "an ingest worker failed; its requests are answered 503");
		});
		worker.on("exit", () => {
			this.#options.onWorkerExit?.(threadId);
			// A retired one has answered everything, and another may have taken its place.
			if (slot.worker !== worker) return;
			slot.worker = undefined;
			this.#failWaiting(slot);
		});
		return worker;
	}

	#answer(slot: Slot, report: GroupReport): void {
		slot.crashes = 0;
		slot.insertIntervalMs = report.insertIntervalMs;
		this.#counters.countGroup(report);
		if (report.madeProjects === true) this.#options.rights?.invalidate();
		const { onGroup, onStatements } = this.#options;
		if (report.statements !== undefined) onStatements?.(report.statements);
		if (onGroup !== undefined && !report.answers.every(({ id }) => slot.waiting.get(id)?.isSelfTracing))
			onGroup(report);
		for (const error of report.errors) {
			this.#counters.recordError(error.split("\n", 1)[0] ?? error);
			this.#options.log.error({ error }, "an export could not be stored");
		}
		if (report.unavailable !== undefined) this.#storageRefusals.refused(report.unavailable);
		else if (report.written > 0) this.#storageRefusals.stored();
		for (const { id, answer } of report.answers) {
			if (answer.status !== 200) this.#counters.countRefusal(answer);
			this.#settle(slot, id, answer);
		}
		for (const change of report.changes) this.#options.onChange(change);
	}

	/** Tells a thread what the senders of requests may write now. */
	async #lookAgain(slot: Slot, worker: Worker, ids: readonly number[]): Promise<void> {
		this.#options.rights?.invalidate();
		const bySender = new Map<string, Promise<SenderRights | { readonly refused: ExportAnswer }>>();
		const lookedAgain = await Promise.all(
			ids.map(async (id) => {
				const sender = slot.waiting.get(id)?.sender;
				// It was answered meanwhile.
				if (sender === undefined) return { id, found: { refused: workerFailed() } };
				const looking = bySender.get(sender.id) ?? this.#findRights(sender);
				bySender.set(sender.id, looking);
				return { id, found: await looking };
			}),
		);
		worker.postMessage({ lookedAgain } satisfies ToWorker);
	}

	async #findRights(sender: ExportSender): Promise<SenderRights | { readonly refused: ExportAnswer }> {
		try {
			return await sender.lookAgain();
		} catch (error) {
			if (error instanceof UserError) return { refused: notAllowed(error) };
			if (error instanceof StorageUnavailable) return { refused: storageUnavailable(error.reason) };
			this.#options.log.error({ err: error }, "the rights of the sender of an export could not be read");
			return { refused: internalError() };
		}
	}

	#failWaiting(slot: Slot): void {
		if (slot.waiting.size === 0) return;
		slot.restartAt = performance.now() + Math.min(LAST_RESTART_MS, FIRST_RESTART_MS * 2 ** slot.crashes);
		slot.crashes += 1;
		for (const id of slot.waiting.keys()) this.#settle(slot, id, this.#refuse(workerFailed()));
	}

	/**
	 * Ends a thread that waits for the database. Spans that it may have written are stored once, however often they are
	 * sent.
	 */
	#abandon(slot: Slot): void {
		const { worker } = slot;
		if (worker === undefined || slot.waiting.size === 0) return;
		slot.worker = undefined;
		const answer = this.#unreachable ?? databaseUnreachable();
		for (const id of slot.waiting.keys()) this.#settle(slot, id, this.#refuse(answer));
		void worker.terminate();
	}

	#settle(slot: Slot, id: number, answer: ExportAnswer): void {
		const waiting = slot.waiting.get(id);
		if (waiting === undefined) return;
		slot.waiting.delete(id);
		slot.waitingBytes -= waiting.bytes;
		waiting.answer(answer);
		if (slot.waiting.size === 0) {
			slot.idleTimer = setTimeout(() => this.#retire(slot), this.#options.idleMs ?? IDLE_MS).unref();
		}
		if (this.#idle !== undefined && this.#isIdle()) this.#idle();
	}

	#retire(slot: Slot): void {
		const message: ToWorker = "stop";
		slot.worker?.postMessage(message);
		slot.worker = undefined;
	}

	#isIdle(): boolean {
		return this.#slots.every((slot) => slot.waiting.size === 0);
	}

	#drained(): Promise<void> {
		return new Promise((resolve) => {
			this.#idle = resolve;
			if (this.#isIdle()) resolve();
		});
	}

	async #stop(slot: Slot, timedOut: Promise<void>): Promise<void> {
		clearTimeout(slot.idleTimer);
		const { worker } = slot;
		if (worker === undefined) return;
		const exited = new Promise<void>((resolve) => worker.once("exit", () => resolve()));
		const message: ToWorker = "stop";
		worker.postMessage(message);
		await Promise.race([exited, timedOut]);
		if (slot.worker === undefined) return;
		this.#options.log.warn({}, "an ingest worker did not stop in time and was terminated");
		await worker.terminate();
	}
}
