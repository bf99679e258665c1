import { DatabaseSync } from "node:sqlite";
import { expect, test } from "vitest";
import { eachRow, findRow, getRow, hasRow, listRows } from "./rows.ts";

test("a missing row that has to exist is an error that names the statement", () => {
	const db = new DatabaseSync(":memory:");
	db.exec("create table things (id integer primary key, name text); insert into things (name) values ('a'), ('b')");
	const byId = db.prepare("select name from things where id = ?");
	const all = db.prepare("select name from things where id >= ? order by id");
	expect(listRows<{ name: string }>(all, 1).map(({ name }) => name)).toEqual(["a", "b"]);
	expect(Array.from(eachRow<{ name: string }>(all, 2), ({ name }) => name)).toEqual(["b"]);
	expect([hasRow(byId, 1), hasRow(byId, 3)]).toEqual([true, false]);
	expect([findRow<{ name: string }>(byId, 2)?.name, findRow(byId, 3)]).toEqual(["b", undefined]);
	expect(getRow<{ name: string }>(byId, 1).name).toBe("a");
	expect(() => getRow(byId, 3)).toThrow("select name from things where id = ?");
	db.close();
});
