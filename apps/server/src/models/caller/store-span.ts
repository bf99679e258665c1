import { setTimeout as sleep } from "node:timers/promises";
import { encodeTraceRequest, type ResourceSpans } from "@spanward/otlp";
import type { Context } from "#context.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { type Attempt, attemptSpan } from "./attempt-span.ts";
import { ownSender, type SpanProject } from "./own-sender.ts";

const NO_PROJECT = "a span of the service itself is not stored, as its project was deleted";

/** How long a span is kept that cannot be stored at the moment. */
const KEPT_MS = 60_000;

/** Stores the span of an attempt; without its images where it would be too large. @throws StorageUnavailable */
export async function storeSpan(
	parts: Pick<Context, "db" | "ingest" | "log">,
	attempt: Attempt,
	project: SpanProject,
): Promise<void> {
	await storeOwnSpans(
		parts,
		[true, false].map((withImages) => () => attemptSpan(attempt, { withImages })),
		project,
	);
}

/**
 * Stores spans of this service as an export of them would be. Resolves when they are on the disk, or their project is
 * gone.
 * @param forms the same spans, each form smaller than the one before, which was too large
 * @throws StorageUnavailable when they could not be for a minute
 */
export async function storeOwnSpans(
	{ db, ingest, log }: Pick<Context, "db" | "ingest" | "log">,
	forms: readonly (() => ResourceSpans[])[],
	project: SpanProject,
): Promise<void> {
	const deadline = performance.now() + KEPT_MS;
	const left = [...forms];
	for (let form = left.shift(); form !== undefined; ) {
		const to = typeof project === "string" ? { name: project } : await ownSender(db.read, project.id);
		if (to === undefined) return log.info({ project }, NO_PROJECT);
		const answer = await ingest.submit({
			signal: "traces",
			format: "protobuf",
			encoding: "identity",
			body: ownBuffer(encodeTraceRequest(form())),
			projectName: to.name,
			...("sender" in to ? { sender: to.sender } : {}),
		});
		if (answer.status === 200) {
			const { rejected, rejectedMessage } = answer;
			if (rejected > 0) log.error({ reason: rejectedMessage }, "a span of the service itself was refused");
			return;
		}
		if (answer.retryAfter !== undefined) {
			const waitMs = answer.retryAfter * 1_000;
			if (performance.now() + waitMs > deadline) throw new StorageUnavailable("failing", new Error(answer.message));
			await sleep(waitMs);
			continue;
		}
		if (answer.status === 404) return log.info({ project }, NO_PROJECT);
		form = answer.status === 413 ? left.shift() : undefined;
		if (form === undefined) {
			log.error({ status: answer.status, reason: answer.message }, "a span of the service itself was refused");
		}
	}
}

/** Bytes that are all of their buffer, which is given away. */
function ownBuffer(bytes: Uint8Array): Uint8Array<ArrayBuffer> {
	return new Uint8Array(bytes);
}
