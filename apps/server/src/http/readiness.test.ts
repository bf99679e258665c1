import { pino } from "pino";
import { expect, test } from "vitest";
import { buildApp } from "#app.ts";
import type { WritingContext } from "#context.ts";
import type { Database } from "#storage/database.ts";
import { StorageUnavailable } from "#storage/traces/span-batch.ts";
import { failingStore } from "#storage/traces/test-failing-store.ts";
import { openTestApp } from "#test-app.ts";

/** Asks for readiness while `isAway` says whether what fails is away. */
async function statuses(
	context: WritingContext,
	away: { is: boolean },
): Promise<{ codes: unknown[]; lines: string[] }> {
	const lines: string[] = [];
	const log = pino({ messageKey: "message" }, { write: (line) => lines.push(JSON.parse(line).message) });
	const app = await buildApp({ ...context, log });
	const codes: unknown[] = [];
	const ask = async () => {
		const answer = await app.inject({ url: "/readyz", headers: { accept: "application/problem+json" } });
		codes.push(answer.statusCode === 200 ? 200 : [answer.statusCode, answer.json().code]);
	};
	await ask();
	away.is = true;
	for (let count = 0; count < 3; count++) await ask();
	away.is = false;
	for (let count = 0; count < 3; count++) await ask();
	await app.close();
	return { codes, lines };
}

test("logs once that the database is away and once that it is back, however often anybody asks", async () => {
	await using server = await openTestApp();
	const away = { is: false };
	const { db } = server.context;
	const failing: Database = {
		isShared: db.isShared,
		read: db.read,
		write: (work) => db.write(work),
		check: () => (away.is ? Promise.reject(new Error("away")) : db.check()),
		[Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
	};
	const { codes, lines } = await statuses({ ...server.context, db: failing }, away);
	expect(codes).toEqual([200, ...Array(3).fill([503, "database_unreachable"]), 200, 200, 200]);
	expect(lines).toEqual(["the database does not answer", "the database answers again"]);
});

test("is not there while traces cannot be read, and says so once", async () => {
	await using server = await openTestApp();
	const away = { is: false };
	const failure = new StorageUnavailable("traces_unreachable", new Error("as this test wants it"));
	const traces = failingStore(server.context.traces, () => (away.is ? failure : undefined));
	const { codes, lines } = await statuses({ ...server.context, traces }, away);
	expect(codes).toEqual([200, ...Array(3).fill([503, "storage_unreachable"]), 200, 200, 200]);
	expect(lines).toEqual(["the database of traces does not answer", "the database of traces answers again"]);
});
