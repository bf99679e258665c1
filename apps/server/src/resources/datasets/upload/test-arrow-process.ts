// A process that reads one Arrow stream after the other for tests: a damaged one may loop or take all memory.
import { UserError } from "#base/errors.ts";
import type { Columns } from "../columns.ts";
import { readArrow } from "./arrow-rows.ts";
import { inBatches } from "./batches.ts";
import type { FromReader } from "./file-reader-client.ts";
import type { UploadedRow } from "./uploaded-rows.ts";

const MAX_BYTES = 1_000_000;

process.on("message", async ({ bytes, columns }: { bytes: Uint8Array; columns: Columns }) => {
	process.send?.(await read(bytes, columns));
});
process.once("disconnect", () => process.exit());

async function read(bytes: Uint8Array, columns: Columns): Promise<FromReader> {
	try {
		const chunks = async function* () {
			for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000);
		};
		const rows: UploadedRow[] = [];
		for await (const batch of inBatches(readArrow(chunks, columns), MAX_BYTES)) rows.push(...batch);
		return { kind: "rows", rows };
	} catch (error) {
		if (!(error instanceof UserError)) return { kind: "failed", stack: String(error instanceof Error && error.stack) };
		const { status, code, message } = error;
		return { kind: "refused", status, code, message };
	}
}
