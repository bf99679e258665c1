import { sql } from "kysely";
import { expect } from "vitest";
import { testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { allSpans, allTraces, projectId } from "#storage/traces/conformance/store-under-test.ts";
import { testSpan } from "#storage/traces/test-spans.ts";
import { openTestStore } from "./test-store.ts";

testWithPostgres("reads releases that were stored before there were columns for them", async () => {
	await using store = await openTestStore();
	const spans = Array.from({ length: 700 }, (_, index) =>
		testSpan({
			...{ trace: 1 + (index % 5), span: index + 1, start: index },
			...(index % 3 === 0 ? { release: `1.${index % 4}` } : {}),
			...(index % 7 === 0 ? { environment: "production" } : {}),
			...(index < 5 ? {} : { parent: 1 }),
		}),
	);
	await store.writer.write(spans, []);
	const project = await projectId(store);
	const before = [await allSpans(store, project), await allTraces(store, project)];
	await sql`update spans set release = null, environment = null`.execute(store.db.read);
	await sql`update traces set release_span = null, release = null, environment_span = null, environment = null`.execute(
		store.db.read,
	);
	await sql`insert into unread_deployments select min(id), max(id) from spans`.execute(store.db.read);
	const upkeep = store.storage.upkeep.find(({ name }) => name === "releases of spans");
	await upkeep?.run(new AbortController().signal);
	expect([await allSpans(store, project), await allTraces(store, project)]).toEqual(before);
	const { rows } = await sql`select * from unread_deployments`.execute(store.db.read);
	expect(rows).toEqual([]);
});
