import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "#context.ts";
import { jobOfEachProcess } from "#storage/repeated-job.ts";
import { findUnfinished, finish, type Unfinished } from "./unfinished.ts";

const EVERY_MS = 300_000;
/** Who begins an upload or a deletion has made itself known as being at it by then. */
const KNOWN_AFTER_MS = 5_000;

type Needs = Pick<Context, "cluster" | "db" | "traces" | "log" | "metrics">;

/**
 * Finishes beside the requests what a process left that ended: before the first request is taken it is asked what that
 * was. Of a database that several share it is asked again and again, as one of the others may end.
 */
export function finishUnfinished(context: Needs): AsyncDisposable {
	return jobOfEachProcess(
		context,
		"unfinished datasets",
		EVERY_MS,
		context.db.isShared ? (stopped) => finishAbandoned(context, stopped) : finishLeft(context),
	);
}

/** What there is now, and nothing that begins later; what was not finished is tried again. */
function finishLeft(context: Needs): (stopped: AbortSignal) => Promise<void> {
	let left: Promise<Unfinished> | undefined = findUnfinished(context.db);
	return async (stopped) => {
		if (left === undefined) return;
		await finish(context, await left, stopped);
		left = undefined;
	};
}

/** What no living process is at: what has just begun is known by being new, the rest by its lease. */
async function finishAbandoned(context: Needs, stopped: AbortSignal): Promise<void> {
	const before = await findUnfinished(context.db);
	if (before.uploads.length + before.deletions.length === 0) return;
	await sleep(KNOWN_AFTER_MS, undefined, { signal: stopped, ref: false }).catch(() => undefined);
	const now = await findUnfinished(context.db);
	const versions = new Set(before.uploads.map(({ versionId }) => versionId));
	const unfinished: Unfinished = {
		uploads: now.uploads.filter(({ versionId }) => versions.has(versionId)),
		deletions: now.deletions.filter((id) => before.deletions.includes(id)),
	};
	await finish(context, unfinished, stopped);
}
