import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { expect, it } from "vitest";
import { allSpans, allTraces, projectId } from "#storage/traces/conformance/store-under-test.ts";
import { testSpan } from "#storage/traces/test-spans.ts";
import { recount } from "../recount.ts";
import { openTestStore } from "../test-store.ts";
import { DeploymentReader } from "./read-deployments.ts";

it("reads releases that were stored before there were columns for them, and goes on after a stop", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-deployments-"));
	const path = join(folder, "spanward.db");
	try {
		const { spans, traces } = await writeAndForget(folder, path);
		const db = new DatabaseSync(path);
		const first = new DeploymentReader(db);
		first.prepare();
		first.write();
		expect([...recount(db)]).toEqual([]);
		db.close();
		const left = () => unread(path);
		expect(left()).toHaveLength(1);
		{
			await using store = await openTestStore({ folder });
			// The first change starts the thread that does it.
			await store.traces.deleteTrace(0);
			await expect.poll(left).toEqual([]);
			expect(await allSpans(store, 1)).toEqual(spans);
			expect(await allTraces(store, 1)).toEqual(traces);
		}
		const filled = new DatabaseSync(path, { readOnly: true });
		expect([...recount(filled)]).toEqual([]);
		filled.close();
	} finally {
		await rm(folder, { recursive: true });
	}
});

/** Stores spans, and makes the file what it would be after an upgrade. */
async function writeAndForget(folder: string, path: string) {
	const found = await write(folder);
	const db = new DatabaseSync(path);
	db.exec(`
		update spans set release = null, environment = null;
		update traces set release_span = null, release = null, environment_span = null, environment = null;
		insert into unread_deployments select min(id), max(id) from spans;
	`);
	db.close();
	return found;
}

async function write(folder: string) {
	await using store = await openTestStore({ folder });
	const written = Array.from({ length: 700 }, (_, index) =>
		testSpan({
			...{ trace: 1 + (index % 5), span: index + 1, start: index },
			...(index % 3 === 0 ? { release: `1.${index % 4}` } : {}),
			...(index % 7 === 0 ? { environment: "production" } : {}),
			...(index < 5 ? {} : { parent: 1 }),
		}),
	);
	for (let at = 0; at < written.length; at += 100) await store.writer.write(written.slice(at, at + 100), []);
	expect(await projectId(store)).toBe(1);
	return { spans: await allSpans(store, 1), traces: await allTraces(store, 1) };
}

function unread(path: string): unknown[] {
	const db = new DatabaseSync(path, { readOnly: true });
	try {
		return db.prepare("select * from unread_deployments").all();
	} finally {
		db.close();
	}
}
