import { sql } from "kysely";
import type { WritingContext } from "#context.ts";
import { MISPLACED_OCCURRENCES } from "#storage/traces/misplaced-occurrences.ts";
import { groupWaiting } from "./group-failures.ts";
import { readErrorSettings } from "./project-settings.ts";
import { readFailures } from "./read-failures.ts";

type Stores = Pick<WritingContext, "db" | "traces" | "now" | "log">;

/** Groups the failures of all traces that wait, however short. */
export async function groupAll(context: Stores): Promise<void> {
	const never = new AbortController().signal;
	for (let waiting = Number.POSITIVE_INFINITY; ; ) {
		await groupWaiting(context, { quietMs: 0, longestMs: 0 }, never);
		const { count } = await context.db.read
			.selectFrom("error_backlog")
			.select((row) => row.fn.countAll<number>().as("count"))
			.executeTakeFirstOrThrow();
		if (count === 0) return;
		if (count >= waiting) throw new Error(`${count} traces wait for ever`);
		waiting = count;
	}
}

/**
 * What a recount finds wrong with the stored occurrences: as `spanward verify`, and compared with the failures of the
 * traces of these projects.
 */
export async function recountErrors({ db, traces }: Stores, projectIds: readonly number[]): Promise<readonly string[]> {
	const wrong: string[] = [];
	for (const [target, sentence] of Object.entries(MISPLACED_OCCURRENCES)) {
		const { rows } = await sql<{ count: number }>`select count(*) as count from ${sql.raw(target)}`.execute(db.read);
		if (rows[0]?.count !== 0) wrong.push(`${rows[0]?.count} ${sentence}`);
	}
	const settingsOf = await readErrorSettings(db.read, projectIds);
	const found: number[] = [];
	for (const projectId of projectIds)
		for (let after: { value: number; id: number } | undefined, more = true; more; ) {
			const page = await traces.listTraces({
				...{ projectId, sort: "start_time", order: "asc", limit: 500, withTexts: false },
				...(after === undefined ? {} : { after }),
			});
			for (const trace of page.items) {
				const { occurrences } = await readFailures(traces, trace, settingsOf(projectId));
				found.push(...occurrences.map(({ spanRowId }) => spanRowId));
			}
			after = page.next;
			more = page.next !== undefined;
		}
	const stored = await db.read
		.selectFrom("error_occurrences")
		.select("span_row_id")
		.where("project_id", "in", projectIds)
		.execute();
	const there = new Set(stored.map(({ span_row_id }) => span_row_id));
	const missing = found.filter((id) => !there.has(id)).length;
	if (missing > 0) wrong.push(`${missing} failures are not stored`);
	if (there.size > found.length - missing) wrong.push(`${there.size - found.length + missing} stored ones are none`);
	return wrong;
}
