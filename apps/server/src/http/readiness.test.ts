import { pino } from "pino";
import { expect, test } from "vitest";
import { buildApp } from "#app.ts";
import type { Database } from "#storage/database.ts";
import { openTestApp } from "#test-app.ts";

test("logs once that the database is away and once that it is back, however often anybody asks", async () => {
	await using server = await openTestApp();
	const lines: string[] = [];
	let isAway = false;
	const { db } = server.context;
	const failing: Database = {
		isShared: db.isShared,
		read: db.read,
		write: (work) => db.write(work),
		check: () => (isAway ? Promise.reject(new Error("away")) : db.check()),
		[Symbol.asyncDispose]: () => db[Symbol.asyncDispose](),
	};
	const log = pino({ messageKey: "message" }, { write: (line) => lines.push(JSON.parse(line).message) });
	const app = await buildApp({ ...server.context, log, db: failing });
	const ask = async () => (await app.inject("/readyz")).statusCode;
	expect(await ask()).toBe(200);
	isAway = true;
	for (let count = 0; count < 5; count++) expect(await ask()).toBe(503);
	isAway = false;
	for (let count = 0; count < 5; count++) expect(await ask()).toBe(200);
	await app.close();
	expect(lines).toEqual(["the database does not answer", "the database answers again"]);
});
