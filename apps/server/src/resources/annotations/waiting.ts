import type { Transaction } from "kysely";
import type { Context } from "#context.ts";
import { listed } from "#storage/listed.ts";
import { leasedJob, type RepeatedJob } from "#storage/repeated-job.ts";
import type { Tables } from "#storage/schema.ts";
import { type ArrivalMarks, earlier, findArrived, findPresent, readArrivalMarks } from "./arrivals.ts";
import { findAuthors } from "./authors.ts";
import { countDocuments, positionFault } from "./documents.ts";
import { kindOf, type PlaceKind } from "./kinds.ts";
import { findPlaces, findPlacesByRow, globalIdsOf, type Place } from "./places.ts";
import { countWaiting, findWaitingByIds, listWaitingIds, type WaitingRow } from "./waiting-queries.ts";
import { chunksOf, keyOf, type PlacedAnnotation, upsertAnnotations } from "./write-annotations.ts";

/** Rows that are looked at together. */
const CHUNK = 250;
/** Commits come many a second; one look serves all of this time. */
const LOOK_AFTER_MS = 100;
/** Looking through all that waits, for what a look missed: a trace that was moved, a server that was killed. */
const SWEEP_MS = 300_000;
/** Where several processes write, so that what one of them knew that ended is soon known to another. */
const SHARED_SWEEP_MS = 15_000;

type Verdict = { readonly place: Place } | { readonly reason: string };

/**
 * Annotations that came before their target: rows of `waiting_annotations`, which become annotations when it arrives.
 * Every commit of spans is looked at while something waits, and costs nothing while nothing does.
 */
export class WaitingAnnotations implements AsyncDisposable {
	readonly #context: Context;
	readonly #sweeping: RepeatedJob;
	readonly #unsubscribe: () => void;
	/** What had arrived at the last look; undefined while nothing waits. */
	#marks: ArrivalMarks | undefined;
	/** How often it was told that something waits. */
	#told = 0;
	#timer: NodeJS.Timeout | undefined;
	#lastLookMs = 0;
	#looking: Promise<void> = Promise.resolve();
	#isStopped = false;

	constructor(context: Context) {
		this.#context = context;
		const { events, traces } = context;
		const onWait = (marks: ArrivalMarks) => {
			this.#told += 1;
			this.#marks = earlier(this.#marks, marks);
			this.#wake();
		};
		events.on("annotations_wait", onWait);
		const stopWatching = traces.onChange(() => this.#wake());
		this.#unsubscribe = () => {
			events.off("annotations_wait", onWait);
			stopWatching();
		};
		const everyMs = context.db.kind === "sqlite" ? SWEEP_MS : SHARED_SWEEP_MS;
		this.#sweeping = leasedJob(context, "waiting annotations", everyMs, (stopped) => this.#sweep(stopped));
	}

	async [Symbol.asyncDispose](): Promise<void> {
		this.#isStopped = true;
		this.#unsubscribe();
		clearTimeout(this.#timer);
		await this.#looking;
		await this.#sweeping[Symbol.asyncDispose]();
	}

	#wake(): void {
		if (this.#marks === undefined || this.#timer !== undefined || this.#isStopped) return;
		this.#timer = setTimeout(
			() => {
				this.#looking = this.#looking.then(async () => {
					this.#timer = undefined;
					const began = performance.now();
					await this.#tryToLook();
					this.#lastLookMs = performance.now() - began;
				});
			},
			Math.max(LOOK_AFTER_MS, this.#lastLookMs),
		);
	}

	async #tryToLook(): Promise<void> {
		try {
			await this.#look();
		} catch (error) {
			this.#context.log.warn(
				{ err: error },
				"waiting annotations could not be checked; they stay, and are tried again",
			);
		}
	}

	/** Applies what waits for something that has arrived since the last look. */
	async #look(): Promise<void> {
		const { db } = this.#context;
		const since = this.#marks;
		if (since === undefined) return;
		const until = await readArrivalMarks(db.read);
		for (const kind of ["span", "trace", "session"] as const) {
			for (let afterId = 0; !this.#isStopped; ) {
				const page = { afterId, limit: CHUNK };
				const ids =
					db.kind === "sqlite"
						? await findArrived(db.read, kind, { since, until, ...page })
						: await findPresent(db.read, kind, page);
				await this.#apply(ids);
				const last = ids.at(-1);
				if (last === undefined || ids.length < CHUNK) break;
				afterId = last;
			}
		}
		// What was told meanwhile may have been waiting for longer.
		if (this.#marks === since) this.#marks = until;
		await this.#restIfNoneWaits();
	}

	async #sweep(stopped: AbortSignal): Promise<void> {
		const { db } = this.#context;
		if ((await countWaiting(db.read)) === 0) return;
		this.#marks = earlier(this.#marks, await readArrivalMarks(db.read));
		if (db.kind === "postgres") return await this.#look();
		for (let afterId = 0; !stopped.aborted; ) {
			const ids = await listWaitingIds(db.read, { afterId, limit: CHUNK });
			await this.#apply(ids);
			const last = ids.at(-1);
			if (last === undefined) break;
			afterId = last;
		}
		await this.#restIfNoneWaits();
	}

	async #restIfNoneWaits(): Promise<void> {
		const told = this.#told;
		const waiting = await countWaiting(this.#context.db.read);
		if (waiting === 0 && this.#told === told) this.#marks = undefined;
	}

	/** Turns those of these rows whose target is there into annotations, and notes why others wait on. */
	async #apply(ids: readonly number[]): Promise<void> {
		if (ids.length === 0) return;
		const { db } = this.#context;
		const rows = await findWaitingByIds(db.read, ids);
		const verdicts = new Map([
			...(await this.#judge(rows, "span")),
			...(await this.#judge(rows, "trace")),
			...(await this.#judge(rows, "session")),
		]);
		const changing = rows.filter((row) => {
			const verdict = verdicts.get(row.id);
			return verdict !== undefined && !("reason" in verdict && verdict.reason === row.reason);
		});
		const { enabled } = this.#context.auth;
		for (const chunk of chunksOf(changing))
			await db.write((transaction) => settle(transaction, chunk, verdicts, enabled));
	}

	/** What to do with the rows of one kind of target; nothing with those whose target is not there. */
	async #judge(rows: readonly WaitingRow[], kind: PlaceKind): Promise<ReadonlyMap<number, Verdict>> {
		const ofKind = rows.filter((row) => kindOf(row.target).place === kind);
		const verdicts = new Map<number, Verdict>();
		if (ofKind.length === 0) return verdicts;
		const found = await findPlaces(
			this.#context,
			kind,
			ofKind.map((row) => row.target_id),
		);
		const byId = Map.groupBy(found, (place) => place.id);
		for (const row of ofKind) {
			const places = (byId.get(row.target_id) ?? []).filter(
				(place) => row.project_id === 0 || place.projectId === row.project_id,
			);
			const [place] = places;
			if (place === undefined) continue;
			if (places.length === 1) verdicts.set(row.id, { place });
			else
				verdicts.set(row.id, {
					reason: `Its ${kind} id is in several places: ${globalIdsOf(kind, places).slice(0, 10).join(", ")}.`,
				});
		}
		await this.#refusePositions(ofKind, verdicts);
		return verdicts;
	}

	async #refusePositions(rows: readonly WaitingRow[], verdicts: Map<number, Verdict>): Promise<void> {
		const ofDocuments = rows.flatMap((row) => {
			const verdict = verdicts.get(row.id);
			return row.target === "document" && verdict !== undefined && "place" in verdict
				? [{ row, place: verdict.place }]
				: [];
		});
		const counts = await countDocuments(
			this.#context.traces,
			ofDocuments.map(({ place }) => place.rowId),
		);
		for (const { row, place } of ofDocuments) {
			const reason = positionFault(row.document_position, place.sentId, counts.get(place.rowId) ?? 0);
			if (reason !== undefined) verdicts.set(row.id, { reason });
		}
	}
}

async function settle(
	transaction: Transaction<Tables>,
	rows: readonly WaitingRow[],
	verdicts: ReadonlyMap<number, Verdict>,
	areRightsChecked: boolean,
): Promise<void> {
	// Meanwhile they may have been deleted, or replaced by others of the same key and target.
	const ids = rows.map((row) => row.id);
	const current = await findWaitingByIds(transaction, ids);
	const ofOthers = await move(transaction, current, verdicts, areRightsChecked);
	for (const row of current) {
		const verdict = verdicts.get(row.id);
		const reason = verdict !== undefined && "reason" in verdict ? verdict.reason : ofOthers.get(row.id);
		if (reason === undefined || reason === row.reason) continue;
		await transaction.updateTable("waiting_annotations").set({ reason }).where("id", "=", row.id).execute();
	}
}

/**
 * Makes annotations of the rows that have a place; what was written on the same key since they came stays, and what is
 * somebody else's.
 * @returns why rows wait on that have a place
 */
async function move(
	transaction: Transaction<Tables>,
	rows: readonly WaitingRow[],
	verdicts: ReadonlyMap<number, Verdict>,
	areRightsChecked: boolean,
): Promise<ReadonlyMap<number, string>> {
	const moved: number[] = [];
	const refused = new Map<number, string>();
	const admins = areRightsChecked ? await findAdmins(transaction, rows) : undefined;
	const lasting = new Map<string, PlacedAnnotation>();
	for (const kind of ["span", "trace", "session"] as const) {
		const placed = rows.flatMap((row) => {
			const verdict = verdicts.get(row.id);
			return kindOf(row.target).place === kind && verdict !== undefined && "place" in verdict
				? [{ row, rowId: verdict.place.rowId }]
				: [];
		});
		const rowIds = [...new Set(placed.map(({ rowId }) => rowId))];
		const places = new Map((await findPlacesByRow(transaction, kind, rowIds)).map((place) => [place.rowId, place]));
		const annotations = placed.flatMap(({ row, rowId }) => {
			const place = places.get(rowId);
			return place === undefined ? [] : [{ row, rowId, annotation: toAnnotation(row, place) }];
		});
		const authors = await findAuthorsOf(transaction, annotations);
		for (const { row, rowId, annotation } of annotations.toSorted((a, b) => a.row.created_at - b.row.created_at)) {
			const key = `${row.target} ${keyOf(rowId, annotation.item)}`;
			const author = authors.get(key);
			const mayReplace = admins === undefined || admins.has(row.user_id) || author === row.user_id;
			if (author !== undefined && !mayReplace) {
				refused.set(row.id, "The annotation with its name and identifier is somebody else's.");
				continue;
			}
			authors.set(key, row.user_id);
			moved.push(row.id);
			lasting.set(key, annotation);
		}
	}
	if (moved.length === 0) return refused;
	const isFree = ({ authorship }: PlacedAnnotation) => admins === undefined || admins.has(authorship.userId);
	const all = [...lasting.values()];
	await upsertAnnotations(transaction, all.filter(isFree), { onlyOwn: false, onlyNewer: true });
	const owned = all.filter((annotation) => !isFree(annotation));
	await upsertAnnotations(transaction, owned, { onlyOwn: true, onlyNewer: true });
	await transaction.deleteFrom("waiting_annotations").where("id", "in", listed(moved)).execute();
	return refused;
}

/** Who of the authors of these rows is an admin now. */
async function findAdmins(
	transaction: Transaction<Tables>,
	rows: readonly WaitingRow[],
): Promise<ReadonlySet<number | null>> {
	const ids = rows.flatMap(({ user_id }) => (user_id === null ? [] : [user_id]));
	const admins = await transaction
		.selectFrom("users")
		.select("id")
		.where("id", "in", listed([...new Set(ids)]))
		.where("role", "=", "ADMIN")
		.execute();
	return new Set(admins.map(({ id }) => id));
}

/** Of annotations that are there under the keys of these, by target and key. */
async function findAuthorsOf(
	transaction: Transaction<Tables>,
	annotations: readonly { readonly rowId: number; readonly annotation: PlacedAnnotation }[],
): Promise<Map<string, number | null>> {
	const authors = new Map<string, number | null>();
	for (const [target, ofTarget] of Map.groupBy(annotations, ({ annotation }) => annotation.target)) {
		const keys = ofTarget.map(({ rowId, annotation }) => ({ rowId, item: annotation.item }));
		for (const [key, author] of await findAuthors(transaction, target, keys)) authors.set(`${target} ${key}`, author);
	}
	return authors;
}

function toAnnotation(row: WaitingRow, place: Place): PlacedAnnotation {
	return {
		target: row.target,
		place,
		item: {
			documentPosition: row.document_position,
			name: row.name,
			identifier: row.identifier,
			annotatorKind: row.annotator_kind,
			label: row.label,
			score: row.score,
			explanation: row.explanation,
			metadata: row.metadata,
		},
		authorship: { source: row.source, userId: row.user_id, at: row.created_at },
	};
}
