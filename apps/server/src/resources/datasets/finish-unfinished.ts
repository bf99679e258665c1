import { setTimeout as sleep } from "node:timers/promises";
import type { Context } from "#context.ts";
import { jobOfEachProcess } from "#storage/repeated-job.ts";
import { findUnfinished, finish, type Unfinished } from "./unfinished.ts";

const EVERY_MS = 300_000;
/** By then, a process that begins an upload or a deletion has taken its lease. */
const LEASED_AFTER_MS = 5_000;

type Needs = Pick<Context, "cluster" | "db" | "discard" | "log" | "metrics">;

/**
 * Finishes, in the background, the uploads and deletions that an ended process left. For a database of one process
 * they are looked up once, before the first request; for a shared one repeatedly, as any of the processes may end.
 */
export function finishUnfinished(context: Needs): AsyncDisposable {
	return jobOfEachProcess(
		context,
		"unfinished datasets",
		EVERY_MS,
		context.db.isShared ? (stopped) => finishAbandoned(context, stopped) : finishLeft(context),
	);
}

/** Finishes what is unfinished now, and nothing that begins later; retries what could not be finished. */
function finishLeft(context: Needs): (stopped: AbortSignal) => Promise<void> {
	let left: Promise<Unfinished> | undefined = findUnfinished(context.db);
	return async (stopped) => {
		if (left === undefined) return;
		await finish(context, await left, stopped);
		left = undefined;
	};
}

/** Finishes what no process works on: what has just begun is skipped as new, other work holds a lease. */
async function finishAbandoned(context: Needs, stopped: AbortSignal): Promise<void> {
	const before = await findUnfinished(context.db);
	if (before.uploads.length + before.deletions.length === 0) return;
	await sleep(LEASED_AFTER_MS, undefined, { signal: stopped, ref: false }).catch(() => undefined);
	const now = await findUnfinished(context.db);
	const versions = new Set(before.uploads.map(({ versionId }) => versionId));
	const unfinished: Unfinished = {
		uploads: now.uploads.filter(({ versionId }) => versions.has(versionId)),
		deletions: now.deletions.filter((id) => before.deletions.includes(id)),
	};
	await finish(context, unfinished, stopped);
}
