import type { Kysely } from "kysely";
import type { Tables } from "#storage/schema.ts";
import type { UnfinishedJob } from "./jobs.ts";
import type { TaskResult } from "./task-result.ts";
import { listLatestEnds } from "./tasks.ts";

/** Failures in a row, all of one code that is the same whenever it is tried again, that pause a job. */
const FAILURES_IN_A_ROW = 10;

/** Counts the failures with which a job's latest tasks ended: a wrong key shall not make thousands of failed runs. */
export class FailuresInARow {
	#count = 0;
	#code: string | undefined;
	#error = "";

	/** Those since the job was last changed. */
	static async find(db: Kysely<Tables>, job: Pick<UnfinishedJob, "id" | "updated_at">): Promise<FailuresInARow> {
		const ends = await listLatestEnds(db, { jobId: job.id, since: job.updated_at, limit: FAILURES_IN_A_ROW });
		const failures = new FailuresInARow();
		for (const { state, error_code: code, error } of ends.reverse())
			failures.#note(state === "failed" && code !== null ? { code, error: error ?? "" } : undefined);
		return failures;
	}

	/** @returns why the job has to be paused after this; undefined when it may go on */
	note({ end, mayRepeat }: Pick<TaskResult, "end" | "mayRepeat">): TaskResult["pause"] {
		this.#note(end.state === "failed" ? end : undefined);
		return mayRepeat ? undefined : this.pause;
	}

	get pause(): TaskResult["pause"] {
		if (this.#count < FAILURES_IN_A_ROW) return undefined;
		return {
			reason: "failing",
			error: `The last ${FAILURES_IN_A_ROW} ended alike, ${this.#code}: ${this.#error}`,
		};
	}

	#note(failure: { readonly code: string; readonly error: string } | undefined): void {
		this.#count = failure === undefined ? 0 : failure.code === this.#code ? this.#count + 1 : 1;
		this.#code = failure?.code;
		this.#error = failure?.error ?? "";
	}
}
