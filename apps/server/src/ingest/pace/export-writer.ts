import type { TraceWriter, WritePace } from "#storage/traces/span-batch.ts";
import { storageUnavailable } from "../answers.ts";
import type { DecodedExport, Undecodable } from "../decode-export.ts";
import { type RightsOfSenders, writeGroup } from "../group-writer.ts";
import type { GroupReport, QueuedRequest, RequestToDecode } from "../worker-messages.ts";
import { type DecodedRequest, decodeRequest, freeAll } from "./decoded-request.ts";
import { FarExports } from "./far-exports.ts";
import { farPartitionsOf } from "./far-partitions.ts";
import { Group } from "./group.ts";
import { LazyWriter } from "./lazy-writer.ts";
import { SharedPace } from "./shared-pace.ts";

/** Without a pace, a group ends at these bounds so that a commit stays short; a single request may be larger. */
const GROUP_BYTES = 8 * 1024 * 1024;
const GROUP_REQUESTS = 512;

export interface ExportWriterOptions {
	readonly decode: (request: RequestToDecode) => DecodedExport | Undecodable;
	/** Opens a writer. @throws StorageUnavailable */
	readonly openWriter: () => Promise<TraceWriter>;
	/** Has `push` called for what has arrived. */
	readonly takeAll: () => void;
	/** Called with the answers to requests. */
	readonly report: (report: GroupReport) => void;
	/** Of `SharedPace`. */
	readonly paceMemory: SharedArrayBuffer;
	/** Bytes of the queue that may wait for the pace. */
	readonly queueBytes: number;
	/** Those of senders; not needed where no request has one. */
	readonly rights?: RightsOfSenders;
	/** For tests, see `FarExports`. */
	readonly patienceMs?: number;
}

/**
 * Takes what waits in the queue of an ingest thread, up to a bound, decodes it, writes it in one transaction, answers.
 * Where the writer has a pace, what arrives before it may write comes along.
 */
export class ExportWriter implements AsyncDisposable {
	readonly #options: ExportWriterOptions;
	readonly #shared: SharedPace;
	readonly #writer: LazyWriter;
	readonly #waiting: QueuedRequest[] = [];
	#far: FarExports | undefined;
	#pace: WritePace | undefined;
	#onArrival: (() => void) | undefined;

	constructor(options: ExportWriterOptions) {
		this.#options = options;
		this.#shared = new SharedPace(options.paceMemory);
		this.#writer = new LazyWriter(options.openWriter);
	}

	push(request: QueuedRequest): void {
		this.#waiting.push(request);
		this.#onArrival?.();
	}

	/** Resolves when nothing waits. */
	async run(): Promise<void> {
		const { takeAll } = this.#options;
		for (takeAll(); this.#waiting.length > 0; takeAll()) {
			const opening = this.#writer.get();
			// Whoever writes is told why it could not be opened.
			this.#pace = await opening.then(
				({ pace }) => pace,
				() => undefined,
			);
			const requests = this.#pace === undefined ? this.#decodeGroup() : await this.#gather(this.#pace);
			await this.#write(requests, () => opening);
		}
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#far?.finish();
		await this.#writer[Symbol.asyncDispose]();
	}

	#decodeGroup(): readonly DecodedRequest[] {
		const requests: DecodedRequest[] = [];
		let bytes = 0;
		while (bytes < GROUP_BYTES && requests.length < GROUP_REQUESTS) {
			const decoded = this.#decodeNext();
			if (decoded === undefined) break;
			requests.push(decoded);
			bytes += decoded.bytes;
		}
		return requests;
	}

	/** Decodes what arrives until it may be written. */
	async #gather(pace: WritePace): Promise<readonly DecodedRequest[]> {
		const group = new Group(pace, this.#options.queueBytes);
		for (;;) {
			await this.#write(this.#fill(group, pace), () => this.#writer.get());
			if (group.requests.length === 0) return [];
			const wait = group.tryBegin(this.#shared);
			if (wait === 0) return group.requests;
			await this.#arrival(wait);
		}
	}

	/** @returns the requests that have nothing to wait for */
	#fill(group: Group, pace: WritePace): readonly DecodedRequest[] {
		const others: DecodedRequest[] = [];
		while (!group.isFull) {
			const request = this.#decodeNext();
			if (request === undefined) break;
			const { decoded } = request.member;
			const partitions = "spans" in decoded ? farPartitionsOf(decoded.spans, pace) : new Set<number>();
			if (request.rows === 0) others.push(request);
			else if (!group.add(request, partitions) && !this.#addFar(request, partitions, pace))
				others.push({
					...request,
					member: { ...request.member, decoded: { refused: storageUnavailable("traces_busy") } },
				});
		}
		return others;
	}

	#addFar(request: DecodedRequest, partitions: ReadonlySet<number>, pace: WritePace): boolean {
		const { patienceMs, rights } = this.#options;
		this.#far ??= new FarExports({
			...{ pace, shared: this.#shared, openWriter: () => this.#writer.get() },
			onWritten: (requests, report) => this.#report(requests, report),
			...(patienceMs === undefined ? {} : { patienceMs }),
			...(rights === undefined ? {} : { rights }),
		});
		return this.#far.add(request, partitions);
	}

	#decodeNext(): DecodedRequest | undefined {
		const request = this.#waiting.shift();
		if (request === undefined) return undefined;
		const decoded = decodeRequest(request, this.#options.decode);
		this.#options.takeAll();
		return decoded;
	}

	async #write(requests: readonly DecodedRequest[], openWriter: () => Promise<TraceWriter>): Promise<void> {
		if (requests.length === 0) return;
		const members = requests.map(({ member }) => member);
		this.#report(requests, await writeGroup(members, openWriter, this.#options.rights));
	}

	#report(requests: readonly DecodedRequest[], report: GroupReport): void {
		freeAll(requests);
		const pace = this.#pace;
		this.#options.report(pace === undefined ? report : { ...report, insertIntervalMs: pace.intervalMs });
	}

	async #arrival(withinMs: number): Promise<void> {
		await new Promise<void>((resolve) => {
			const timer = setTimeout(resolve, withinMs);
			this.#onArrival = () => {
				clearTimeout(timer);
				resolve();
			};
		});
		this.#onArrival = undefined;
	}
}
