import { expect } from "vitest";
import { openPool } from "./connection.ts";
import { withConnection, withTransaction } from "./pool-connection.ts";
import { createTestSchema, testWithPostgres } from "./test-postgres.ts";

testWithPostgres("a borrowed connection is kept while its state is known, and closed otherwise", async () => {
	await using schema = await createTestSchema();
	const { settings } = schema;
	const pool = openPool(settings, settings.primary, { name: "test", size: 1 }, () => undefined);
	try {
		const failure = new Error("work failed");
		const fail = async () => Promise.reject(failure);
		await pool.query("create table things (id bigint)");

		expect(await withConnection(pool, async () => "done")).toBe("done");
		expect(
			await withTransaction(pool, "begin", (client) => client.query("insert into things values (1)")),
		).toMatchObject({
			rowCount: 1,
		});
		const undone = withTransaction(pool, "begin", async (client) => {
			await client.query("insert into things values (2)");
			return await fail();
		});
		await expect(undone).rejects.toBe(failure);
		expect(pool.totalCount).toBe(1);
		expect((await pool.query("select id from things")).rows).toEqual([{ id: 1 }]);

		await expect(withConnection(pool, fail)).rejects.toBe(failure);
		expect(pool.totalCount).toBe(0);
		expect(await withConnection(pool, async () => "done", fail)).toBe("done");
		expect(pool.totalCount).toBe(0);
	} finally {
		await pool.end();
	}
});
