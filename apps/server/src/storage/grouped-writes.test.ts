import { afterAll, beforeAll, expect, it } from "vitest";
import { openTestStorage, type TestStorage } from "#test-storage.ts";
import { GroupedWrites } from "./grouped-writes.ts";

let storage: TestStorage;
beforeAll(async () => {
	storage = await openTestStorage();
});
afterAll(async () => await storage[Symbol.asyncDispose]());

it("writes what comes at the same time, or meanwhile, together and in order", async () => {
	const groups: (readonly number[])[] = [];
	const writes = new GroupedWrites<number, number>(storage.db, async (_, items) => {
		groups.push(items);
		if (groups.length === 1) later.push(writes.write(3), writes.write(4));
		return items.map((item) => item * 2);
	});
	const later: Promise<number>[] = [];
	expect(await Promise.all([writes.write(1), writes.write(2)])).toEqual([2, 4]);
	expect(await Promise.all(later)).toEqual([6, 8]);
	expect(groups).toEqual([
		[1, 2],
		[3, 4],
	]);
});

it("writes the others when one cannot be written", async () => {
	const writes = new GroupedWrites<string, string>(storage.db, async (transaction, scopes) => {
		await transaction
			.insertInto("money_spent")
			.values(scopes.map((scope) => ({ scope, spent_nanos: 1, reserved_nanos: 0 })))
			.execute();
		if (scopes.includes("bad")) throw new Error("not this one");
		return scopes;
	});
	const written = await Promise.allSettled(["one", "bad", "two"].map((scope) => writes.write(scope)));
	expect(written.map(({ status }) => status)).toEqual(["fulfilled", "rejected", "fulfilled"]);
	const rows = await storage.db.read.selectFrom("money_spent").select("scope").orderBy("scope").execute();
	expect(rows).toEqual([{ scope: "one" }, { scope: "two" }]);
});
