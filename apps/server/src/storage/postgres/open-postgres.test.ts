import { sql } from "kysely";
import { expect } from "vitest";
import { openPostgres } from "./open-postgres.ts";
import { createTestSchema, testWithPostgres } from "./test-postgres.ts";

testWithPostgres(
	"an empty schema becomes a database with the default project, also when two start at once",
	async () => {
		await using schema = await createTestSchema();
		const open = () => openPostgres({ SERVICE_PROJECT_NAME: "default" }, schema.settings);
		const [one, two] = await Promise.all([open(), open()]);
		await using _one = one;
		await using _two = two;
		expect(await one.db.read.selectFrom("projects").select("name").execute()).toEqual([{ name: "default" }]);
		await two.db.write((transaction) =>
			transaction.updateTable("projects").set({ description: "shared" }).where("name", "=", "default").execute(),
		);
		expect(await one.db.read.selectFrom("projects").select("description").execute()).toEqual([
			{ description: "shared" },
		]);
		expect(await one.usedBytes()).toBeGreaterThan(0);
	},
);

testWithPostgres("a server goes on beside a newer one that changed the schema, and does not start on it", async () => {
	await using schema = await createTestSchema();
	const open = () => openPostgres({ SERVICE_PROJECT_NAME: "default" }, schema.settings);
	await using old = await open();
	await old.db.write(async (transaction) => {
		await sql`alter table projects add column colour text`.execute(transaction);
		await sql`insert into schema_version (version, applied_at) values (1000, 0)`.execute(transaction);
	});
	const rename = () => old.db.write((tx) => tx.updateTable("projects").set({ description: "still" }).execute());
	await rename();
	expect(await old.db.read.selectFrom("projects").select("description").execute()).toEqual([{ description: "still" }]);
	await expect(open()).rejects.toThrow("start the newer Spanward");
});
