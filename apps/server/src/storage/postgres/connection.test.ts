import { expect } from "vitest";
import { connectionConfig, makeClient, openPool } from "./connection.ts";
import { createTestSchema, testWithPostgres } from "./test-postgres.ts";

testWithPostgres(
	"a connection that ends while somebody has it fails the next statement, and nothing else",
	async () => {
		await using schema = await createTestSchema();
		const { settings } = schema;
		const told: Error[] = [];
		const pool = openPool(settings, settings.primary, { name: "test", size: 2 }, (error) => told.push(error));
		const client = makeClient(connectionConfig(settings, settings.primary, { name: "test" }));
		await client.connect();
		const taken = await pool.connect();
		const pids = await Promise.all([client, taken].map((one) => one.query("select pg_backend_pid() as pid")));
		const ended = Promise.all([client, taken].map((one) => new Promise<void>((resolve) => one.once("end", resolve))));
		await pool.query("select pg_terminate_backend(pid) from unnest($1::int[]) as pid", [
			pids.map(({ rows }) => rows[0].pid),
		]);
		await ended;
		await expect(client.query("select 1")).rejects.toThrow();
		await expect(taken.query("select 1")).rejects.toThrow();
		taken.release(true);
		expect((await pool.query("select 1 as one")).rows).toEqual([{ one: 1 }]);
		expect(told).toEqual([]);
		await client.end();
		await pool.end();
	},
);
