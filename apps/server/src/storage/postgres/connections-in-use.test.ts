import { expect } from "vitest";
import { openTestApp } from "#test-app.ts";
import { createTestSchema, testWithPostgres } from "./test-postgres.ts";

testWithPostgres(
	"who waits in vain for a connection hears of the pool, and the server is ready nevertheless",
	async () => {
		await using schema = await createTestSchema();
		await using server = await openTestApp({
			SERVICE_SQL_DATABASE_URL: schema.url,
			SERVICE_SQL_DATABASE_SCHEMA: schema.schema,
			SERVICE_DATABASE_POOL_SIZE: "2",
			SERVICE_DATABASE_CONNECT_TIMEOUT_SECONDS: "5",
			SERVICE_ENABLE_AUTH: "true",
		});
		const [{ headers }, sender] = [await server.signedIn("MEMBER", "key"), await server.signedIn("MEMBER", "key")];
		const { db } = server.context;
		const done = Promise.withResolvers<void>();
		const held = [1, 2].map(() => Promise.withResolvers<void>());
		const holding = held.map(({ resolve }) =>
			db.read.transaction().execute(async () => {
				resolve();
				await done.promise;
			}),
		);
		try {
			await Promise.all(held.map(({ promise }) => promise));
			// The server's background jobs wait for connections, too.
			const asked = { ...headers, accept: "application/problem+json" };
			const read = await server.get("/v1/prompts", asked);
			expect(read).toMatchObject({
				status: 503,
				headers: { "retry-after": "2" },
				json: { code: "database_connections_in_use", detail: expect.stringContaining("SERVICE_DATABASE_POOL_SIZE") },
			});
			const asSender = { ...sender.headers, "content-type": "application/json" };
			const sent = await server.call("POST", "/v1/traces", "{}", asSender);
			expect(sent).toMatchObject({
				status: 503,
				json: { message: expect.stringContaining("SERVICE_DATABASE_POOL_SIZE") },
			});
			expect(await server.get("/readyz")).toMatchObject({ status: 200 });
		} finally {
			done.resolve();
			await Promise.all(holding);
		}
		expect(await server.get("/v1/prompts", headers)).toMatchObject({ status: 200 });
	},
);
