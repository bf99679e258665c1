import type { Parameters } from "#storage/clickhouse/node.ts";
import type { Database } from "#storage/database.ts";
import { keepProjectName } from "#storage/projects/keep-project-name.ts";
import { FIRST_CURSOR } from "#storage/traces/expiry/expired-traces.ts";
import { BATCH_SPANS, BATCH_TRACES, changesOf, type WhenEmpty } from "#storage/traces/mutate/batches.ts";
import { COST_SENT } from "#storage/traces/mutate/price-rows.ts";
import type * as Store from "#storage/traces/trace-store.ts";
import { annotatedTraces, MetadataReferences } from "../metadata/references.ts";
import type { Turn, Turns } from "../metadata/turns.ts";
import { inParts } from "../read/bounds.ts";
import { Conditions } from "../read/conditions.ts";
import { cursorOf, findExpiry, readExpired } from "../read/expired-traces.ts";
import { findRows } from "../read/query.ts";
import type { RecentPlaces } from "../read/recent-places.ts";
import { findSpanRows } from "../read/span-rows.ts";
import { findTraceRows } from "../read/trace-rows.ts";
import type { TraceShards } from "../shards/trace-shards.ts";
import { HOURS, PROJECTS, SESSIONS, type SpanRow, TRACES, type TracePlace, type TraceRow } from "../tables.ts";
import { insertRows } from "../write/insert-rows.ts";
import { insertSessions } from "../write/session-numbers.ts";
import { readPlaces, readTraces, type StoredTrace } from "../write/stored-traces.ts";
import type { ChangedTrace } from "../write/trace-changes.ts";
import { applyChanges, type Gone, unchanged } from "./apply-changes.ts";
import { dropExpired } from "./drop-expired.ts";
import { costsOf, priceSpans } from "./price-spans.ts";
import { transferTrace } from "./transfer-trace.ts";

/** Rows of expired traces that are read at a time. */
const EXPIRED_ROWS = 250;

export interface MutationOptions {
	readonly shards: TraceShards;
	readonly db: Database;
	readonly turns: Turns;
	readonly recent: RecentPlaces;
	/** Called with each change. */
	readonly tell: (change: Store.TraceChange) => void;
}

/** Deletes, moves and prices traces, some in each turn; rows that say so take the place of those that go. */
export class ClickHouseTraceMutations implements Required<Store.TraceMutations> {
	readonly #shards: TraceShards;
	readonly #db: Database;
	readonly #turns: Turns;
	readonly #recent: RecentPlaces;
	readonly #tell: (change: Store.TraceChange) => void;
	readonly #references: MetadataReferences;

	constructor({ shards, db, turns, recent, tell }: MutationOptions) {
		this.#shards = shards;
		this.#db = db;
		this.#turns = turns;
		this.#recent = recent;
		this.#tell = tell;
		this.#references = new MetadataReferences(db);
	}

	async deleteSpan(spanRowId: number): Promise<boolean> {
		const rows = await findSpanRows(this.#shards, new Conditions().addEqual("id", "Int64", spanRowId));
		return (await this.#deleteSpans(rows, "keep")) > 0;
	}

	async deleteTrace(traceRowId: number): Promise<boolean> {
		return (await this.#deleteTraces(await this.#rowsOf(traceRowId), "keep")) > 0;
	}

	async deleteSpans(projectId: number, spanRowIds: readonly number[], onBatch: Store.OnBatch): Promise<void> {
		const rows = await inParts(spanRowIds, (part) =>
			findSpanRows(
				this.#shards,
				new Conditions().addEqual("project_id", "Int64", projectId).addIn("id", "Int64", part),
			),
		);
		const traces = [...Map.groupBy(rows, (row) => row.trace_row_id).values()];
		for (let part: SpanRow[] = []; traces.length > 0; part = []) {
			while (traces.length > 0 && part.length < BATCH_SPANS) part.push(...(traces.shift() ?? []));
			await this.#deleteSpans(part, "drop_unannotated");
			if (!(await onBatch())) return;
		}
	}

	async deleteTraces(projectId: number, traceRowIds: readonly number[], onBatch: Store.OnBatch): Promise<void> {
		const rows = await findTraceRows(this.#shards, traceRowIds, (part) =>
			new Conditions().addEqual("project_id", "Int64", projectId).addIn("id", "Int64", part),
		);
		for (const part of inBatches(rows)) {
			await this.#deleteTraces(part, "drop_unannotated");
			if (!(await onBatch())) return;
		}
	}

	async deleteTracesBetween(projectId: number, startMicros: number, endMicros: number): Promise<number> {
		return await this.#deleteAll(
			"project_id = {project:Int64} and start_micros >= {from:Int64} and start_micros < {to:Int64}",
			{ project: projectId, from: Math.ceil(startMicros), to: Math.ceil(endMicros) },
			"drop",
		);
	}

	async deleteSession(sessionRowId: number): Promise<boolean> {
		for (;;) {
			await this.#deleteAll("session_row_id = {session:Int64}", { session: sessionRowId }, "keep");
			const [session] = await findRows(this.#shards, SESSIONS, {
				sql: "id = {id:Int64}",
				params: { id: sessionRowId },
			});
			if (session === undefined) return false;
			const isDone = await this.#change([`session ${session.session_id}`], 0, async (turn) => {
				// A writer may have added a trace.
				const rows = await this.#rows("session_row_id = {session:Int64} limit 1", { session: sessionRowId });
				if (rows.length > 0) return false;
				const gone = { ...session, version: turn.version, is_deleted: 1 };
				await insertSessions(this.#shards, [gone], `batch ${turn.batch}`);
				return true;
			});
			if (!isDone) continue;
			await this.#references.deleted({ spans: [], traces: [], sessions: [sessionRowId] });
			return true;
		}
	}

	async deleteProject(projectId: number): Promise<boolean> {
		const ofProject = { sql: "project_id = {project:Int64}", params: { project: projectId } };
		for (;;) {
			await this.#deleteAll(ofProject.sql, ofProject.params, "drop");
			const emptied = await this.#turns.takeAlone((turn) => this.#deleteEmptyProject(turn, projectId, ofProject));
			if (emptied === undefined) continue;
			await this.#references.deleted({ spans: [], traces: [], sessions: emptied.sessions });
			return emptied.existed;
		}
	}

	/** Nobody else has a turn, and with it the row of the project. @returns undefined when there are new traces */
	async #deleteEmptyProject(
		{ batch, version }: Turn,
		projectId: number,
		ofProject: { readonly sql: string; readonly params: Parameters },
	): Promise<{ existed: boolean; sessions: readonly number[] } | undefined> {
		const rows = await this.#rows(`${ofProject.sql} limit 1`, ofProject.params);
		if (rows.length > 0) return undefined;
		const { numDeletedRows } = await this.#db.write(async (transaction) => {
			await keepProjectName(transaction, projectId, Date.now() * 1_000);
			return await transaction.deleteFrom("projects").where("id", "=", projectId).executeTakeFirst();
		});
		const sessions = await findRows(this.#shards, SESSIONS, ofProject);
		const gone = { version, is_deleted: 1 };
		const token = `batch ${batch}`;
		await insertSessions(
			this.#shards,
			sessions.map((row) => ({ ...row, ...gone })),
			token,
		);
		for (const shard of this.#shards.list) {
			const hours = await findRows(shard, HOURS, ofProject);
			await insertRows(
				shard,
				HOURS,
				hours.map((row) => ({ ...row, ...gone })),
				token,
			);
			await insertRows(shard, PROJECTS, [{ id: projectId, name: "", ...gone }], token);
		}
		return { existed: numDeletedRows > 0n, sessions: sessions.map(({ id }) => id) };
	}

	async transferTraces(traceRowIds: readonly number[], destinationProjectId: number): Promise<number> {
		const { shards, references } = { shards: this.#shards, references: this.#references };
		const destination = await this.#db.read
			.selectFrom("projects")
			.select("id")
			.where("id", "=", destinationProjectId)
			.executeTakeFirst();
		if (destination === undefined) throw new Error(`there is no project ${destinationProjectId} to move traces to`);
		let moved = 0;
		for (const id of traceRowIds) {
			const [row] = await this.#rows("id = {id:Int64}", { id });
			if (row === undefined || row.project_id === destinationProjectId) continue;
			const target = await this.#change(keysOf([row]), 2, (turn) =>
				transferTrace({ shards, turn, db: this.#db.read, references }, row, destinationProjectId),
			);
			if (target === undefined) continue;
			moved += 1;
			for (const change of changesOf([row])) this.#tell(change);
			this.#tell({ projectId: destinationProjectId, traceRowIds: [target] });
		}
		return moved;
	}

	async deleteExpired(
		rule: Store.RetentionRule,
		onBatch: (batch: { deleted: number; kept: number }) => Promise<boolean>,
	): Promise<void> {
		const before = await findExpiry(this.#shards, rule);
		if (before === undefined) return;
		for (let after = FIRST_CURSOR; ; ) {
			const rows = await readExpired(this.#shards, rule.projectId, after, before, EXPIRED_ROWS);
			const annotated = rule.keepAnnotated ? await annotatedTraces(this.#db.read, rows) : new Set<number>();
			const [part = []] = inBatches(rows.filter(({ id }) => !annotated.has(id)));
			const last = part.at(-1);
			const dealtWith =
				last === undefined || part.length === rows.length - annotated.size
					? rows
					: rows.slice(0, rows.indexOf(last) + 1);
			const deleted = await this.#deleteTraces(part, "drop");
			const end = dealtWith.at(-1);
			if (!(await onBatch({ deleted, kept: dealtWith.length - part.length }))) return;
			if (end === undefined || (dealtWith.length === rows.length && rows.length < EXPIRED_ROWS)) return;
			after = cursorOf(end);
		}
	}

	/**
	 * Drops the days of which nothing is kept, after deleting the traces that reach out of them.
	 * @param onBatch called after each step with the number of deleted traces by project; false ends the work
	 */
	async dropExpired(
		rules: readonly Store.RetentionRule[],
		onBatch: (deleted: ReadonlyMap<number, number>) => Promise<boolean>,
	): Promise<void> {
		const deleteTraces = (rows: readonly TraceRow[]) => this.#deleteInBatches(rows);
		const expiring = { shards: this.#shards, db: this.#db, turns: this.#turns, tell: this.#tell, deleteTraces };
		let goesOn = true;
		for (const shard of this.#shards.list) {
			if (!goesOn) return;
			await dropExpired({ ...expiring, shard }, rules, async (deleted) => {
				goesOn = await onBatch(deleted);
				return goesOn;
			});
		}
	}

	async *#deleteInBatches(rows: readonly TraceRow[]): AsyncGenerator<ReadonlyMap<number, number>> {
		for (const part of inBatches(rows))
			for (const [projectId, ofProject] of Map.groupBy(part, (row) => row.project_id))
				yield new Map([[projectId, await this.#deleteTraces(ofProject, "drop")]]);
	}

	async recomputeCosts(query: Store.CostQuery): Promise<Store.CostStep> {
		const { projectId, countedIn } = query;
		const { afterSpan, seen, costs, rows } = await priceSpans(this.#shards, query);
		if (costs.size === 0) return { afterSpan, seen, changed: 0 };
		const keys = rows.filter(({ id }) => costs.has(id)).map(({ trace_id }) => trace_id.toString("hex"));
		const { changed, traceRowIds } = await this.#change([...new Set(keys)], 2 * keys.length, async (turn) => {
			const stored = await readTraces(
				this.#shards,
				[...new Set(keys)].map((traceId) => ({ projectId, traceId })),
				turn.oldestOther,
			);
			const priced = [...stored.values()].map((trace) => withCosts(trace, costs));
			const traces = priced.filter(({ replaced }) => replaced !== undefined && replaced.size > 0);
			await this.#write(turn, traces, "keep");
			return {
				changed: traces.reduce((sum, { replaced }) => sum + (replaced?.size ?? 0), 0),
				traceRowIds: traces.map(({ place }) => place.id),
			};
		});
		if (countedIn !== undefined) await this.#references.costsChanged(countedIn, changed);
		if (traceRowIds.length > 0) this.#tell({ projectId, traceRowIds });
		return { afterSpan, seen, changed };
	}

	async #deleteAll(sql: string, params: Parameters, whenEmpty: WhenEmpty): Promise<number> {
		let count = 0;
		for (;;) {
			const rows = await this.#rows(`${sql} limit ${BATCH_TRACES}`, params);
			if (rows.length === 0) return count;
			for (const part of inBatches(rows)) count += await this.#deleteTraces(part, whenEmpty);
		}
	}

	/** @returns how many of the traces were still there */
	async #deleteTraces(rows: readonly TraceRow[], whenEmpty: WhenEmpty): Promise<number> {
		if (rows.length === 0) return 0;
		const gone = await this.#change(keysOf(rows), 0, async (turn) => {
			turn.spend.keep();
			const stored = await this.#stillThere(rows, turn);
			const removed = (spans: StoredTrace["spans"]) => new Set(spans.map(({ row }) => row.id));
			return await this.#write(
				turn,
				stored.map((trace) => unchanged(trace, { removed: removed(trace.spans) })),
				whenEmpty,
			);
		});
		await this.#references.deleted(gone);
		const deleted = new Set(gone.traces);
		for (const change of changesOf(rows.filter(({ id }) => deleted.has(id)))) this.#tell(change);
		return gone.traces.length;
	}

	/** @returns how many of the spans were still there */
	async #deleteSpans(rows: readonly SpanRow[], whenEmpty: WhenEmpty): Promise<number> {
		if (rows.length === 0) return 0;
		const traceIds = [...new Set(rows.map(({ trace_row_id }) => trace_row_id))];
		const traces = await this.#rows("id in {ids:Array(Int64)}", { ids: traceIds });
		const ids = new Set(rows.map(({ id }) => id));
		const gone = await this.#change(keysOf(traces), 2 * traces.length, async (turn) => {
			turn.spend.keep();
			const stored = await this.#stillThere(traces, turn);
			const changed = stored.flatMap((trace) => {
				const removed = new Set(trace.spans.map(({ row }) => row.id).filter((id) => ids.has(id)));
				return removed.size === 0 ? [] : [unchanged(trace, { removed })];
			});
			return await this.#write(turn, changed, whenEmpty);
		});
		await this.#references.deleted(gone);
		const goneTraces = new Set(gone.traces);
		await this.#references.tracesShrunk(traces.filter(({ id }) => !goneTraces.has(id)));
		for (const change of changesOf(traces)) this.#tell(change);
		return gone.spans.length;
	}

	/** Those of these traces that are where they were, as they are now. */
	async #stillThere(rows: readonly TraceRow[], turn: Turn): Promise<StoredTrace[]> {
		const projectOf = new Map(rows.map((row) => [row.id, row.project_id]));
		const unsettled = turn.oldestOther;
		const keys = rows.map((row) => ({ projectId: row.project_id, traceId: row.trace_id.toString("hex") }));
		const placed = [...(await readTraces(this.#shards, keys, unsettled)).values()].filter(
			({ place, row }) => row !== undefined && projectOf.get(place.id) === place.project_id,
		);
		for (const { place } of placed) projectOf.delete(place.id);
		if (projectOf.size === 0) return placed;
		// Their places say otherwise, or are missing.
		const where = { sql: "id in {ids:Array(Int64)}", params: { ids: [...projectOf.keys()] } };
		const others = await this.#shards.onEach(async (shard) => {
			const now = await findRows(shard, TRACES, where);
			const same = now.filter((row) => projectOf.get(row.id) === row.project_id);
			return await readPlaces(shard, same.map(placeOf), unsettled);
		});
		return [...placed, ...others];
	}

	/** The row of a trace: where it was lately, or else wherever it is. */
	async #rowsOf(traceRowId: number): Promise<TraceRow[]> {
		const place = this.#recent.find(traceRowId);
		if (place === undefined) return await this.#rows("id = {id:Int64}", { id: traceRowId });
		const where = new Conditions().addEqual("id", "Int64", traceRowId);
		where.addEqual("project_id", "Int64", place.project_id);
		where.addEqual("anchor_micros", "Int64", place.anchor_micros);
		const found = await findRows(this.#shards, TRACES, where, "", { traceIds: () => [place.trace_id.toString("hex")] });
		return found.length > 0 ? found : await this.#rows("id = {id:Int64}", { id: traceRowId });
	}

	#write(turn: Turn, traces: readonly ChangedTrace[], whenEmpty: WhenEmpty): Promise<Gone> {
		const token = `batch ${turn.batch}`;
		return applyChanges({ shards: this.#shards, db: this.#db.read, turn }, traces, { whenEmpty, token });
	}

	#rows(sql: string, params: Parameters): Promise<TraceRow[]> {
		return findRows(this.#shards, TRACES, { sql, params });
	}

	#change<T>(keys: readonly string[], traces: number, work: (turn: Turn) => Promise<T>): Promise<T> {
		return this.#turns.take({ projects: [], keys, spans: 0, traces }, work);
	}
}

function withCosts(trace: StoredTrace, costs: ReadonlyMap<number, SpanRow>): ChangedTrace {
	const replaced = new Map<number, SpanRow>();
	for (const { row } of trace.spans) {
		const priced = costs.get(row.id);
		// A cost that was sent meanwhile stays.
		if (priced === undefined || row.cost_source === COST_SENT) continue;
		replaced.set(row.id, { ...row, ...costsOf(priced) });
	}
	return unchanged(trace, { replaced });
}

/** What nobody else may change meanwhile. */
function keysOf(rows: readonly TraceRow[]): string[] {
	const sessions = rows.flatMap(({ session_id }) => (session_id === null ? [] : [`session ${session_id}`]));
	return [...new Set([...rows.map(({ trace_id }) => trace_id.toString("hex")), ...sessions])];
}

/** Where a trace is, by its row. */
function placeOf({ trace_id, project_id, id, anchor_micros, version }: TraceRow): TracePlace {
	return { trace_id, project_id, id, anchor_micros, version, is_deleted: 0 };
}

/** Traces that are changed in one turn. */
function inBatches(rows: readonly TraceRow[]): TraceRow[][] {
	const parts: TraceRow[][] = [];
	let spans = 0;
	for (const row of rows) {
		if (parts.length === 0 || spans + row.span_count > BATCH_SPANS) {
			parts.push([]);
			spans = 0;
		}
		parts.at(-1)?.push(row);
		spans += row.span_count;
	}
	return parts;
}
