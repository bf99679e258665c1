import { mayHaveFailed } from "@spanward/error-groups";
import type { Kysely } from "kysely";
import { z } from "zod";
import type { WritingContext } from "#context.ts";
import { letOthersWrite } from "#storage/repeated-job.ts";
import type { Tables } from "#storage/schema.ts";
import { BACKFILL_STATE } from "#storage/traces/analytics/occurrence-reader.ts";
import { insertMarks } from "#storage/traces/error-marks.ts";

/** So far back. */
const DAYS_MICROS = 90 * 86_400_000_000;
const PAGE = 500;
const PAGE_BYTES = 4 * 1_048_576;
/** While so many traces wait, no others are added: new failures would have to wait behind them. */
const MOST_WAITING = 1_000;

const State = z.object({
	/** When the version that groups failures was started first, microseconds since 1970. */
	before: z.number(),
	/** The project that is being looked at, by row number, and the trace after which to go on. */
	project: z.int().optional(),
	after: z.object({ value: z.number(), id: z.int() }).optional(),
	/** Whether those that failed are noted, and spans are read for what failed without saying so. */
	reads_spans: z.boolean().optional(),
});
type State = z.output<typeof State>;

/**
 * Notes failing traces of the last 90 days that were stored by a version that did not group failures, then those with
 * refusals, as long as few wait. Goes on where it was when it is called again, also after a kill.
 * @throws StorageUnavailable
 */
export async function noteOlderFailures(
	{ db, traces }: Pick<WritingContext, "db" | "traces">,
	stopped: AbortSignal,
): Promise<void> {
	for (let state = await readState(db.read); state !== undefined && !stopped.aborted; ) {
		if ((await countWaiting(db.read)) >= MOST_WAITING) return;
		const began = performance.now();
		state = await step({ db, traces }, state);
		await letOthersWrite(performance.now() - began);
	}
}

/** A page of traces or spans, and where the next one begins. */
interface Found {
	/** Row numbers of traces to look at. */
	readonly traces: readonly number[];
	readonly next: State["after"];
}

/** @returns undefined when all is noted */
async function step({ db, traces }: Pick<WritingContext, "db" | "traces">, state: State): Promise<State | undefined> {
	const { before, reads_spans = false } = state;
	const project = state.project ?? (await nextProject(db.read, 0));
	if (project === undefined) return await keep(db, [], undefined);
	const of = { projectId: project, startMicros: before - DAYS_MICROS, after: state.after };
	const found = reads_spans ? await findRefusals(traces, of) : await findFailing(traces, of);
	const phase = reads_spans ? { reads_spans } : {};
	if (found.next !== undefined) return await keep(db, found.traces, { before, ...phase, project, after: found.next });
	const next = await nextProject(db.read, project);
	if (next !== undefined) return await keep(db, found.traces, { before, ...phase, project: next });
	return await keep(db, found.traces, reads_spans ? undefined : { before, reads_spans: true });
}

interface Position {
	readonly projectId: number;
	readonly startMicros: number;
	readonly after: State["after"];
}

async function findFailing(
	traces: Pick<WritingContext["traces"], "listTraces">,
	{ after, ...of }: Position,
): Promise<Found> {
	const page = await traces.listTraces({
		...{ ...of, error: true, withTexts: false, sort: "start_time", order: "asc", limit: PAGE },
		...(after === undefined ? {} : { after }),
	});
	return { traces: page.items.map(({ id }) => id), next: page.next };
}

/** What a model withheld shows in its content alone. */
async function findRefusals(
	traces: Pick<WritingContext["traces"], "listStoredSpans">,
	{ after, ...of }: Position,
): Promise<Found> {
	const page = await traces.listStoredSpans({
		...{ ...of, error: false, sort: "start_time", order: "asc", limit: PAGE, maxContentBytes: PAGE_BYTES },
		...{ caller: { name: "error grouping", isPatient: true } },
		...(after === undefined ? {} : { from: after }),
	});
	const found = page.items.filter(
		({ summary, content }) => content.logs.length > 0 || mayHaveFailed(summary.statusCode, content.span),
	);
	return { traces: found.map(({ summary }) => summary.traceRowId), next: page.next };
}

async function readState(db: Kysely<Tables>): Promise<State | undefined> {
	const row = await db.selectFrom("state").select("value").where("name", "=", BACKFILL_STATE).executeTakeFirst();
	return row && State.parse(JSON.parse(row.value));
}

async function keep(
	db: WritingContext["db"],
	traceRowIds: readonly number[],
	state: State | undefined,
): Promise<State | undefined> {
	await db.write(async (transaction) => {
		await insertMarks(
			transaction,
			[...new Set(traceRowIds)].toSorted((a, b) => a - b),
		);
		if (state === undefined) await transaction.deleteFrom("state").where("name", "=", BACKFILL_STATE).execute();
		else
			await transaction
				.updateTable("state")
				.set({ value: JSON.stringify(state) })
				.where("name", "=", BACKFILL_STATE)
				.execute();
	});
	return state;
}

async function nextProject(db: Kysely<Tables>, after: number): Promise<number | undefined> {
	const row = await db
		.selectFrom("projects")
		.select("id")
		.where("id", ">", after)
		.orderBy("id")
		.limit(1)
		.executeTakeFirst();
	return row?.id;
}

async function countWaiting(db: Kysely<Tables>): Promise<number> {
	const { count } = await db
		.selectFrom("error_backlog")
		.select((row) => row.fn.countAll<number>().as("count"))
		.executeTakeFirstOrThrow();
	return count;
}
