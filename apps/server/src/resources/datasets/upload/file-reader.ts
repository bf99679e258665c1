// The process that reads an uploaded file from standard input: a crash while reading ends only this process.
import { existsSync, writeFileSync } from "node:fs";
import { flushCompileCache } from "node:module";
import { UserError } from "#base/errors.ts";
import { inBatches } from "./batches.ts";
import type { FromReader } from "./file-reader-client.ts";
import { type FileTask, readFileRows } from "./file-rows.ts";
import type { UploadedRow } from "./uploaded-rows.ts";

const STANDARD_INPUT = 0;

// When memory runs out, Linux kills this process before the server. Some sandboxes have no such file.
const OOM_SCORE = "/proc/self/oom_score_adj";
if (existsSync(OOM_SCORE)) writeFileSync(OOM_SCORE, "1000");

process.once("message", (task: FileTask) => {
	const batches = inBatches(readFileRows(STANDARD_INPUT, task), task.maxBytes);
	answer(batches);
	// Now, as this process is killed when it is not needed any more.
	flushCompileCache();
	process.on("message", () => answer(batches));
});
// Signals that stop the server reach the whole process group, but the server completes the running upload first.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) process.on(signal, () => undefined);
// The server has ended.
process.once("disconnect", () => process.exit());

function answer(batches: AsyncGenerator<UploadedRow[]>): void {
	batches.next().then(
		({ done, value }) => send(done === true ? { kind: "end" } : { kind: "rows", rows: value }),
		(error: unknown) => {
			if (error instanceof UserError) {
				const { status, code, message } = error;
				send({ kind: "refused", status, code, message });
			} else send({ kind: "failed", stack: error instanceof Error ? String(error.stack) : "it threw no error" });
		},
	);
}

function send(message: FromReader): void {
	process.send?.(message);
}
