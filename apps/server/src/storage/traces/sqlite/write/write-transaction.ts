import type { DatabaseSync } from "node:sqlite";
import { contentOf } from "#storage/traces/content/content-of.ts";
import { readBlock } from "#storage/traces/content/damaged-blocks.ts";
import type { ReadTexts } from "#storage/traces/span-batch.ts";
import { HourChanges } from "#storage/traces/totals/hour-changes.ts";
import { SessionChanges } from "#storage/traces/totals/session-changes.ts";
import type { SpanNode } from "#storage/traces/totals/span-node.ts";
import { SpendChanges } from "#storage/traces/totals/spend-changes.ts";
import type { TraceKey } from "#storage/traces/totals/trace-row.ts";
import type { Texts } from "#storage/traces/totals/trace-texts.ts";
import { removeFromBlocks } from "../mutate/blocks.ts";
import { SignatureRows } from "../text/signature-rows.ts";
import { BacklogRows } from "./backlog-rows.ts";
import { HourRows } from "./hour-rows.ts";
import { LogRows } from "./log-rows.ts";
import { ProjectRows } from "./project-rows.ts";
import { RowNumbers } from "./row-numbers.ts";
import { SessionRows } from "./session-rows.ts";
import { SpendRows } from "./spend-rows.ts";
import { TraceRows } from "./trace-rows.ts";

/** Write transactions on one connection: the prepared statements, and the changes of totals to apply at the end. */
export class WriteTransaction {
	readonly projects: ProjectRows;
	readonly traces: TraceRows;
	readonly logs: LogRows;
	readonly signatures: SignatureRows;
	readonly backlog: BacklogRows;
	readonly rowNumbers: RowNumbers;
	readonly hours = new HourChanges();
	readonly spend = new SpendChanges();
	readonly sessions = new SessionChanges();
	readonly sessionRows: SessionRows;
	readonly #db: DatabaseSync;
	readonly #hourRows: HourRows;
	readonly #spendRows: SpendRows;
	readonly #readTexts: ReadTexts;

	constructor(db: DatabaseSync, readTexts: ReadTexts) {
		this.#db = db;
		this.#readTexts = readTexts;
		this.traces = new TraceRows(db);
		this.logs = new LogRows(db);
		this.signatures = new SignatureRows(db);
		this.backlog = new BacklogRows(db);
		this.rowNumbers = new RowNumbers(db);
		this.#hourRows = new HourRows(db);
		this.#spendRows = new SpendRows(db);
		this.sessionRows = new SessionRows(db);
		this.projects = new ProjectRows(db);
	}

	/** Runs `work` in one transaction, with all totals that it changed; rolls back when it throws. */
	run<T>(work: () => T): T {
		this.#db.exec("begin immediate");
		try {
			const result = this.within(work);
			this.#db.exec("commit");
			return result;
		} finally {
			// SQLite itself rolls back when the disk is full.
			if (this.#db.isTransaction) this.#db.exec("rollback");
		}
	}

	/** As `run`, within a transaction that the caller begins and ends. */
	within<T>(work: () => T): T {
		try {
			this.rowNumbers.begin();
			this.logs.begin();
			const result = work();
			this.flushSessions();
			for (const change of this.hours.list()) this.#hourRows.add(change);
			this.#spendRows.add(this.spend);
			this.rowNumbers.end();
			return result;
		} finally {
			this.hours.clear();
			this.spend.clear();
			this.sessions.clear();
			this.sessionRows.end();
		}
	}

	/** Writes the collected changes of sessions; happens at the end in any case. */
	flushSessions(): void {
		this.sessionRows.write(this.sessions);
		this.sessions.clear();
		this.sessionRows.end();
	}

	/** Removes the content of stored spans from their blocks. @returns the block that each was in, by row number */
	takeFromBlocks(spanRowIds: readonly number[]): ReadonlyMap<number, number> {
		const places = spanRowIds.map((id) => this.traces.placeOfSpan(id));
		removeFromBlocks(this.#db, places);
		return new Map(places.map(({ id, block_id }) => [id, block_id]));
	}

	/** Human-readable texts of a span, whether of the batch or stored. */
	textsOf({ projectId, traceId }: TraceKey, node: SpanNode): Texts {
		const logs = this.logs.find(projectId, traceId, node.spanId);
		if (node.source !== undefined) return node.source.texts(logs);
		const { id, data, ordinal } = this.traces.blockOfSpan(node.id);
		const span = readBlock(id, data ?? undefined)[ordinal];
		// A damaged span contributes no text to its trace.
		if (span === undefined) return {};
		return this.#readTexts(contentOf(span, logs));
	}
}
