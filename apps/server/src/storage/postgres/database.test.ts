import { sql } from "kysely";
import pg from "pg";
import { expect } from "vitest";
import { prepared } from "../prepared.ts";
import { StorageUnavailable } from "../traces/span-batch.ts";
import { openPool } from "./connection.ts";
import { PostgresDatabase } from "./database.ts";
import { migrate } from "./migrations.ts";
import { createTestSchema, testWithPostgres } from "./test-postgres.ts";

/** Two databases on one schema, as two processes have them. */
async function openTwo() {
	await using opened = new AsyncDisposableStack();
	const { settings, url } = opened.use(await createTestSchema());
	const client = new pg.Client({ connectionString: url, options: `-c search_path=${settings.schema}` });
	await client.connect();
	opened.defer(() => client.end());
	await migrate(client, settings.schema);
	const open = () => {
		const pool = openPool(settings, settings.primary, { name: "test", size: 3 }, () => undefined);
		opened.defer(() => pool.end());
		return opened.use(new PostgresDatabase(pool));
	};
	const [one, two] = [open(), open()];
	const all = opened.move();
	return { one, two, client, [Symbol.asyncDispose]: () => all.disposeAsync() };
}

const PROJECT = { description: null, created_at: 1, updated_at: 1 };

testWithPostgres("what two processes read and then write at once is as if one had been after the other", async () => {
	await using databases = await openTwo();
	const { one, two } = databases;
	await one.write((transaction) => transaction.insertInto("state").values({ name: "count", value: "0" }).execute());
	let runs = 0;
	let reads = 0;
	// The first transaction of each process waits until both have read.
	const bothHaveRead = Promise.withResolvers<void>();
	const add = (db: PostgresDatabase) =>
		db.write(async (transaction) => {
			runs += 1;
			const { value } = await transaction.selectFrom("state").select("value").executeTakeFirstOrThrow();
			reads += 1;
			if (reads >= 2) bothHaveRead.resolve();
			await bothHaveRead.promise;
			await transaction
				.updateTable("state")
				.set({ value: String(Number(value) + 1) })
				.execute();
		});
	await Promise.all(Array.from({ length: 20 }, (_, index) => add(index % 2 === 0 ? one : two)));
	expect(await one.read.selectFrom("state").select("value").executeTakeFirstOrThrow()).toEqual({ value: "20" });
	expect(runs).toBeGreaterThan(20);

	// Both find the name free; one gets it, and the other notices.
	const take = (db: PostgresDatabase) =>
		db.write(async (transaction) => {
			const taken = await transaction.selectFrom("projects").select("id").where("name", "=", "p").executeTakeFirst();
			if (taken !== undefined) return "taken";
			await transaction
				.insertInto("projects")
				.values({ ...PROJECT, name: "p" })
				.execute();
			return "made";
		});
	expect((await Promise.all([take(one), take(two)])).sort()).toEqual(["made", "taken"]);
});

testWithPostgres("what throws leaves nothing, and a statement that fails ends its transaction", async () => {
	await using databases = await openTwo();
	const { one } = databases;
	const insert = (name: string) =>
		one.write(async (transaction) => {
			await transaction
				.insertInto("projects")
				.values({ ...PROJECT, name })
				.execute();
			if (name === "bad") throw new Error("no");
		});
	await expect(insert("bad")).rejects.toThrow("no");
	await insert("good");
	await expect(insert("good")).rejects.toMatchObject({ code: "23505" });
	const swallowed = one.write(async (transaction) => {
		const twice = transaction.insertInto("projects").values({ ...PROJECT, name: "good" });
		await twice.execute().catch(() => undefined);
	});
	await expect(swallowed).rejects.toThrow("went on");
	// PostgreSQL's texts hold no NUL, so no row has such a name.
	const found = await one.read.selectFrom("projects").select("name").where("name", "in", ["good", "go\0d"]).execute();
	expect(found).toEqual([{ name: "good" }]);
});

testWithPostgres(
	"a connection that ends in the middle of a transaction is storage that is not there for now",
	async () => {
		await using databases = await openTwo();
		const { one, client } = databases;
		const cut = one.write(async (transaction) => {
			await transaction
				.insertInto("projects")
				.values({ ...PROJECT, name: "lost" })
				.execute();
			const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(transaction);
			await client.query("select pg_terminate_backend($1)", [rows[0]?.pid]);
			await transaction.selectFrom("projects").selectAll().execute();
		});
		await expect(cut).rejects.toBeInstanceOf(StorageUnavailable);
		expect(await one.read.selectFrom("projects").select("id").where("name", "=", "lost").execute()).toEqual([]);
	},
);

testWithPostgres("prepared statements go on after a newer release has changed their tables", async () => {
	await using databases = await openTwo();
	const { one, client } = databases;
	await one.write((transaction) => transaction.insertInto("state").values({ name: "count", value: "0" }).execute());
	const read = () => prepared(one.read).selectFrom("state").selectAll().executeTakeFirstOrThrow();
	const readWithin = () =>
		one.write((transaction) => prepared(transaction).selectFrom("state").selectAll().executeTakeFirstOrThrow());
	for (const again of [read, readWithin]) {
		const before = await again();
		const { rows } = await sql<{ names: string[] }>`
			select array(select name from pg_prepared_statements order by name) as names`.execute(one.read);
		expect(rows[0]?.names.at(-1)).toMatch(/^kept_/);
		const column = again === read ? "later" : "latest";
		await client.query(`alter table state add column ${column} text`);
		expect(await again()).toEqual({ ...before, [column]: null });
	}
});

testWithPostgres("a read that a change of the schema meets on the way runs again", async () => {
	await using databases = await openTwo();
	const { one, client } = databases;
	await client.query("begin; lock table api_keys in access exclusive mode");
	const reading = one.read
		.selectFrom("users")
		.innerJoin("api_keys", "api_keys.user_id", "users.id")
		.select("users.id")
		.execute();
	const waits = "select 1 from pg_locks where not granted and relation = 'api_keys'::regclass";
	await expect.poll(async () => (await client.query(waits)).rows).toHaveLength(1);
	// Each waits for the other now; PostgreSQL ends the one that notices first: whoever has waited for a second.
	const locking = client.query("lock table users in access exclusive mode; commit");
	await locking.catch(() => client.query("rollback"));
	expect(await reading).toEqual([]);
});
