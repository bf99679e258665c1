import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pino } from "pino";
import { expect, test } from "vitest";
import { buildApp } from "#app.ts";
import { readConfig } from "#base/config.ts";
import { openContext } from "#server.ts";
import { openTestApp } from "#test-app.ts";

test("T113 no link is sent or taken while passwords are switched off", async () => {
	const folder = await mkdtemp(join(tmpdir(), "spanward-"));
	const settings = {
		SERVICE_WORKING_DIR: folder,
		SERVICE_ENABLE_AUTH: "true",
		SERVICE_SECRET: "test-secret-0123456789-abcdefghijklmnop",
		SERVICE_INGEST_WORKERS: "1",
		SERVICE_DATABASE_READERS: "1",
	};
	// The start refuses the setting if there is no other way to sign in.
	const config = { ...readConfig(settings), SERVICE_DISABLE_BASIC_AUTH: true };
	const context = await openContext(config, pino({ level: "silent" }));
	const app = await buildApp(context);
	try {
		const token = await context.auth.tokens.sign("reset", {
			userId: 2,
			jti: "any",
			issuedAt: context.now(),
			expiresAt: context.now() + 60_000_000,
		});
		const bodies = {
			"/auth/password-reset-email": { email: "admin@localhost" },
			"/auth/password-reset": { token, password: "new-Password1!" },
		};
		for (const [url, payload] of Object.entries(bodies)) {
			const answer = await app.inject({
				method: "POST",
				url,
				payload,
				headers: { accept: "application/problem+json" },
			});
			expect([answer.statusCode, answer.json().code]).toEqual([403, "basic_auth_disabled"]);
		}
	} finally {
		await app.close();
		await context[Symbol.asyncDispose]();
		await rm(folder, { recursive: true, force: true });
	}
});

test("an email or a password that is empty is missing, before anything is said of mails and links", async () => {
	await using server = await openTestApp({ SERVICE_ENABLE_AUTH: "true" });
	for (const email of ["", " "]) {
		expect((await server.call("POST", "/auth/password-reset-email", { email })).status).toBe(422);
	}
	const answer = await server.call("POST", "/auth/password-reset", { token: "any", password: "" });
	expect([answer.status, answer.json.detail[0].loc]).toEqual([422, ["body", "password"]]);
});
