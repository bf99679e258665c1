import type { KyselyPlugin, Transaction } from "kysely";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { Tables } from "#storage/schema.ts";
import { openTestApp, type TestApp } from "#test-app.ts";
import { issueReset } from "./password-resets.ts";

const HOUR = 3_600_000_000;
const T0 = 1_800_000_000_000_000;

let app: TestApp;

beforeAll(async () => {
	app = await openTestApp({
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_SECRET: "test-secret-0123456789-abcdefghijklmnop",
	});
});
afterAll(() => app[Symbol.asyncDispose]());

test("T009 the database does the same work for an account, without one, and beyond the limit", async () => {
	const known = await statementsOf("admin@localhost", T0);
	expect(known.issued).toBe(true);
	const unknown = await statementsOf("nobody@example.com", T0);
	expect(unknown.issued).toBe(false);
	const ofTheSystem = await statementsOf("system@localhost", T0);
	expect(ofTheSystem.issued).toBe(false);
	await statementsOf("admin@localhost", T0);
	await statementsOf("admin@localhost", T0);
	const beyond = await statementsOf("admin@localhost", T0);
	expect(beyond.issued).toBe(false);
	expect(unknown.statements).toEqual(known.statements);
	expect(ofTheSystem.statements).toEqual(known.statements);
	expect(beyond.statements).toEqual(known.statements);
});

test("T117 no hour has more than 3 links of an account, wherever it begins", async () => {
	const start = T0 + 10 * HOUR;
	const minutes = Array.from({ length: 60 }, (_, index) => index * 7);
	const sent: number[] = [];
	for (const minute of minutes) {
		const { issued } = await statementsOf("admin@localhost", start + (minute * HOUR) / 60);
		if (issued) sent.push(minute);
	}
	expect(sent.length).toBeGreaterThan(6);
	for (const first of sent)
		expect(sent.filter((minute) => minute >= first && minute < first + 60).length).toBeLessThan(4);
});

/** Kinds of the statements that ask for a link, in order. */
async function statementsOf(email: string, now: number): Promise<{ statements: string[]; issued: boolean }> {
	const statements: string[] = [];
	const recorder: KyselyPlugin = {
		transformQuery: ({ node }) => {
			statements.push(node.kind);
			return node;
		},
		transformResult: async ({ result }) => result,
	};
	const { issued } = await app.context.db.write((transaction: Transaction<Tables>) =>
		issueReset(transaction.withPlugin(recorder), email, { jti: `jti-${now}`, now, expiresAt: now + HOUR }),
	);
	return { statements, issued };
}
