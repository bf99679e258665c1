import type { Transaction } from "kysely";
import type { WritingContext } from "#context.ts";
import { listed } from "#storage/listed.ts";
import { leasedJob, type RepeatedJob } from "#storage/repeated-job.ts";
import type { Tables } from "#storage/schema.ts";
import type { ArrivalMarks, Entity, EntityKind } from "#storage/traces/entity.ts";
import { type RoleToAnnotate, readAnnotators } from "./annotators.ts";
import { findAuthors } from "./authors.ts";
import { countDocuments, positionFault } from "./documents.ts";
import { findTargets, findTargetsByRow, globalIdsOf } from "./find-targets.ts";
import { kindOf } from "./kinds.ts";
import { mayReplaceOthers } from "./own-annotations.ts";
import { countWaiting, findWaitingByIds, type WaitingRow } from "./waiting-queries.ts";
import { chunksOf, keyOf, type TargetedAnnotation, upsertAnnotations } from "./write-annotations.ts";

/** Rows applied together. */
const CHUNK = 250;
/** There are many commits a second; one look serves all commits of this time. */
const LOOK_AFTER_MS = 100;
/** Interval of the sweep over all waiting annotations, for what a look missed: a moved trace, a killed server. */
const SWEEP_MS = 300_000;
/** The same where several processes write, so that another one soon takes over what an ended process had noted. */
const SHARED_SWEEP_MS = 15_000;

/** The target of a waiting annotation, or why it waits although there is one; null where its writer learns of none. */
type Verdict = { readonly entity: Entity } | { readonly reason: string | null };

/**
 * Annotations that arrived before their target: rows of `waiting_annotations`, which become annotations when it arrives.
 * While something waits, new spans are looked at after each commit; otherwise a commit costs nothing extra.
 */
export class WaitingAnnotations implements AsyncDisposable {
	readonly #context: WritingContext;
	readonly #sweeping: RepeatedJob;
	readonly #unsubscribe: () => void;
	/** What had arrived at the last look; undefined while nothing waits. */
	#marks: ArrivalMarks | undefined;
	/** Number of `annotations_wait` events so far. */
	#told = 0;
	#timer: NodeJS.Timeout | undefined;
	#lastLookMs = 0;
	#looking: Promise<void> = Promise.resolve();
	#isStopped = false;

	constructor(context: WritingContext) {
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
		const everyMs = context.db.isShared ? SHARED_SWEEP_MS : SWEEP_MS;
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
		const since = this.#marks;
		if (since === undefined) return;
		const until = await this.#context.traces.readArrivals();
		await this.#applyArrived(since, until, () => this.#isStopped);
		// An event meanwhile may have set marks from before `until`, which have to stay.
		if (this.#marks === since) this.#marks = until;
		await this.#restIfNoneWaits();
	}

	async #sweep(stopped: AbortSignal): Promise<void> {
		const { db, traces } = this.#context;
		if ((await countWaiting(db.read)) === 0) return;
		const until = await traces.readArrivals();
		this.#marks = earlier(this.#marks, until);
		await this.#applyArrived(undefined, until, () => stopped.aborted);
		await this.#restIfNoneWaits();
	}

	async #applyArrived(since: ArrivalMarks | undefined, until: ArrivalMarks, isStopped: () => boolean): Promise<void> {
		const { traces } = this.#context;
		for (const kind of ["span", "trace", "session"] as const) {
			for (let afterId = 0; !isStopped(); ) {
				const ids = await traces.findArrived(kind, { since, until, afterId, limit: CHUNK });
				await this.#apply(ids);
				const last = ids.at(-1);
				if (last === undefined || ids.length < CHUNK) break;
				afterId = last;
			}
		}
	}

	async #restIfNoneWaits(): Promise<void> {
		const told = this.#told;
		const waiting = await countWaiting(this.#context.db.read);
		if (waiting === 0 && this.#told === told) this.#marks = undefined;
	}

	/** Turns the rows whose target exists into annotations, and notes why the others keep waiting. */
	async #apply(ids: readonly number[]): Promise<void> {
		if (ids.length === 0) return;
		const { db } = this.#context;
		const rows = await findWaitingByIds(db.read, ids);
		const roleOf = await readAnnotators(db.read, this.#context.auth, rows, this.#context.now());
		const verdicts = new Map([
			...(await this.#judge(rows, "span", roleOf)),
			...(await this.#judge(rows, "trace", roleOf)),
			...(await this.#judge(rows, "session", roleOf)),
		]);
		const changing = rows.filter((row) => {
			const verdict = verdicts.get(row.id);
			return verdict !== undefined && !("reason" in verdict && verdict.reason === row.reason);
		});
		for (const chunk of chunksOf(changing))
			await db.write((transaction) => settle(transaction, this.#context, chunk, verdicts));
	}

	/** What to do with the rows of one kind of target; rows whose target does not exist are absent. */
	async #judge(
		rows: readonly WaitingRow[],
		kind: EntityKind,
		roleOf: RoleToAnnotate,
	): Promise<ReadonlyMap<number, Verdict>> {
		const ofKind = rows.filter((row) => kindOf(row.target).entity === kind);
		const verdicts = new Map<number, Verdict>();
		if (ofKind.length === 0) return verdicts;
		const found = await findTargets(
			this.#context.traces,
			kind,
			ofKind.map((row) => row.target_id),
		);
		const byId = Map.groupBy(found, (entity) => entity.storedId);
		for (const row of ofKind) {
			const existing = byId.get(row.target_id) ?? [];
			const entities = existing.filter(
				({ projectId }) =>
					(row.project_id === 0 || projectId === row.project_id) && roleOf(row, projectId) !== undefined,
			);
			const [entity] = entities;
			if (entity === undefined) {
				if (existing.length > 0) verdicts.set(row.id, { reason: null });
			} else if (entities.length === 1) verdicts.set(row.id, { entity });
			else
				verdicts.set(row.id, {
					reason: `Its ${kind} id is in several places: ${globalIdsOf(kind, entities).slice(0, 10).join(", ")}.`,
				});
		}
		await this.#refusePositions(ofKind, verdicts);
		return verdicts;
	}

	async #refusePositions(rows: readonly WaitingRow[], verdicts: Map<number, Verdict>): Promise<void> {
		const ofDocuments = rows.flatMap((row) => {
			const verdict = verdicts.get(row.id);
			return row.target === "document" && verdict !== undefined && "entity" in verdict
				? [{ row, entity: verdict.entity }]
				: [];
		});
		const counts = await countDocuments(
			this.#context.traces,
			ofDocuments.map(({ entity }) => entity.rowId),
		);
		for (const { row, entity } of ofDocuments) {
			const reason = positionFault(row.document_position, entity.id, counts.get(entity.rowId) ?? 0);
			if (reason !== undefined) verdicts.set(row.id, { reason });
		}
	}
}

/** The earlier mark of each kind. */
function earlier(marks: ArrivalMarks | undefined, others: ArrivalMarks): ArrivalMarks {
	if (marks === undefined) return others;
	return {
		span: Math.min(marks.span, others.span),
		trace: Math.min(marks.trace, others.trace),
		session: Math.min(marks.session, others.session),
	};
}

async function settle(
	transaction: Transaction<Tables>,
	context: WritingContext,
	rows: readonly WaitingRow[],
	verdicts: ReadonlyMap<number, Verdict>,
): Promise<void> {
	// The rows may have been deleted meanwhile, or replaced by others with the same key and target.
	const ids = rows.map((row) => row.id);
	const current = await findWaitingByIds(transaction, ids);
	const ofOthers = await move(transaction, context, current, verdicts);
	for (const row of current) {
		const verdict = verdicts.get(row.id);
		const reason = verdict !== undefined && "reason" in verdict ? verdict.reason : ofOthers.get(row.id);
		if (reason === undefined || reason === row.reason) continue;
		await transaction.updateTable("waiting_annotations").set({ reason }).where("id", "=", row.id).execute();
	}
}

/**
 * Makes annotations of the rows whose target exists. An existing annotation with the same key stays if it was written
 * since, or is somebody else's whom the writer may not replace.
 * @returns why rows whose target exists keep waiting
 */
async function move(
	transaction: Transaction<Tables>,
	{ auth, now, traces }: WritingContext,
	rows: readonly WaitingRow[],
	verdicts: ReadonlyMap<number, Verdict>,
): Promise<ReadonlyMap<number, string>> {
	const moved: number[] = [];
	const refused = new Map<number, string>();
	const roleOf = await readAnnotators(transaction, auth, rows, now());
	// What nobody is known to have written replaces nobody's.
	const mayReplaceAll = (row: WaitingRow, projectId: number) =>
		!auth.enabled || (row.user_id !== null && mayReplaceOthers(roleOf(row, projectId)));
	const lasting = new Map<string, { readonly onlyOwn: boolean; readonly annotation: TargetedAnnotation }>();
	for (const kind of ["span", "trace", "session"] as const) {
		const placed = rows.flatMap((row) => {
			const verdict = verdicts.get(row.id);
			return kindOf(row.target).entity === kind && verdict !== undefined && "entity" in verdict
				? [{ row, rowId: verdict.entity.rowId }]
				: [];
		});
		const rowIds = placed.map(({ rowId }) => rowId);
		const entities = await findTargetsByRow(traces, kind, rowIds, transaction);
		const annotations = placed.flatMap(({ row, rowId }) => {
			const entity = entities.get(rowId);
			// The target, or the right of the writer, may have gone since it was found.
			if (entity === undefined || roleOf(row, entity.projectId) === undefined) return [];
			return [{ row, rowId, annotation: toAnnotation(row, entity) }];
		});
		const authors = await findAuthorsOf(transaction, annotations);
		for (const { row, rowId, annotation } of annotations.toSorted((a, b) => a.row.created_at - b.row.created_at)) {
			const key = `${row.target} ${keyOf(rowId, annotation.item)}`;
			const author = authors.get(key);
			const onlyOwn = !mayReplaceAll(row, annotation.entity.projectId);
			if (onlyOwn && author !== undefined && author !== row.user_id) {
				refused.set(row.id, "The annotation with its name and identifier is somebody else's.");
				continue;
			}
			authors.set(key, row.user_id);
			moved.push(row.id);
			lasting.set(key, { onlyOwn, annotation });
		}
	}
	if (moved.length === 0) return refused;
	for (const onlyOwn of [false, true]) {
		const part = [...lasting.values()].filter((each) => each.onlyOwn === onlyOwn);
		const annotations = part.map(({ annotation }) => annotation);
		await upsertAnnotations(transaction, annotations, { onlyOwn, onlyNewer: true });
	}
	await transaction.deleteFrom("waiting_annotations").where("id", "in", listed(moved)).execute();
	return refused;
}

/** The authors of existing annotations with the same keys, by target and key. */
async function findAuthorsOf(
	transaction: Transaction<Tables>,
	annotations: readonly { readonly rowId: number; readonly annotation: TargetedAnnotation }[],
): Promise<Map<string, number | null>> {
	const authors = new Map<string, number | null>();
	for (const [target, ofTarget] of Map.groupBy(annotations, ({ annotation }) => annotation.target)) {
		const keys = ofTarget.map(({ rowId, annotation }) => ({ rowId, item: annotation.item }));
		for (const [key, author] of await findAuthors(transaction, target, keys)) authors.set(`${target} ${key}`, author);
	}
	return authors;
}

function toAnnotation(row: WaitingRow, entity: Entity): TargetedAnnotation {
	return {
		target: row.target,
		entity,
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
