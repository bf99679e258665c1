import { expect, it } from "vitest";
import { actIn } from "#access/auth/act-as.ts";
import type { Database, Write } from "#storage/database.ts";
import { openTestApp } from "#test-app.ts";
import { discardUpload } from "../unfinished.ts";
import { readJsonUpload } from "./json-upload.ts";
import { examplesOf, uploadJson } from "./test-uploads.ts";
import { writeUpload } from "./write-upload.ts";

/** Beyond what one transaction writes. */
const LONG = "x".repeat(200_000);

it("writes nothing more after another process has discarded the upload", async () => {
	await using server = await openTestApp();
	const { context } = server;
	const ids = ["a", "b"];
	const { url } = await uploadJson(server, { name: "kept", inputs: [{ q: 1 }, { q: 2 }], example_ids: ids });
	const upload = readJsonUpload({
		...{ name: "kept", action: "update", example_ids: ["new", ...ids] },
		inputs: [{ q: LONG }, { q: LONG }, { q: 4 }],
	});
	const isSwept = Promise.withResolvers<void>();
	const goOn = Promise.withResolvers<void>();
	let discarding: Promise<void> | undefined;
	let readings = 0;
	async function* rows() {
		readings += 1;
		let row = 0;
		for await (const uploaded of upload.rows()) {
			row += 1;
			if (readings === 2 && row === 2) {
				const write = stoppingAt(context.db, 3, isSwept.resolve, goOn.promise);
				discarding = discardUpload(
					{ ...context, discard: { ...context.discard, write } },
					await context.db.read
						.selectFrom("dataset_uploads")
						.select(["dataset_id as datasetId", "version_id as versionId"])
						.executeTakeFirstOrThrow(),
				);
				await isSwept.promise;
			}
			yield uploaded;
		}
	}
	const actor = await actIn(context)({ kind: "anonymous" }, "write", "editor");
	await expect(
		writeUpload(context, { ...upload, rows }, { actor, ip: "::1", id: "1", headers: {} }),
	).rejects.toMatchObject({
		code: "upload_lost",
	});
	goOn.resolve();
	await discarding;
	const examples = await examplesOf(server, url);
	expect(examples.map(({ id, input }: { id: string; input: object }) => [id, input])).toEqual([
		["a", { q: 1 }],
		["b", { q: 2 }],
	]);
	expect(await context.db.read.selectFrom("dataset_uploads").selectAll().execute()).toEqual([]);
});

/** Writes to a database in a process that stalls before its nth transaction. */
function stoppingAt(db: Database, nth: number, onStop: () => void, goOn: Promise<void>): Write {
	let count = 0;
	return async (work) => {
		count += 1;
		if (count === nth) {
			onStop();
			await goOn;
		}
		return await db.write(work);
	};
}
