import pg from "pg";
import { expect } from "vitest";
import { connectionConfig } from "#storage/postgres/connection.ts";
import { createTestSchema, testWithPostgres } from "#storage/postgres/test-postgres.ts";
import { ensureMonths, partitionName } from "#storage/traces/postgres/partitions.ts";
import { monthOf } from "#storage/traces/postgres/periods.ts";
import { openTestApp } from "#test-app.ts";
import { runRetention } from "./run-retention.ts";

testWithPostgres("counts what goes with a whole month as what a run deleted", async () => {
	await using schema = await createTestSchema();
	await using server = await openTestApp({
		SERVICE_SQL_DATABASE_URL: schema.url,
		SERVICE_SQL_DATABASE_SCHEMA: schema.schema,
	});
	const client = new pg.Client(connectionConfig(schema.settings, schema.settings.primary, { name: "test" }));
	await using connected = new AsyncDisposableStack();
	await client.connect();
	connected.defer(() => client.end());
	const longAgo = (Math.floor(Date.now() / 1_000) - 100 * 86_400) * 1_000_000;
	await ensureMonths(client, longAgo, longAgo);
	const at = (micros: number) => ({ startTimeUnixNano: `${micros}000`, endTimeUnixNano: `${micros + 1}000` });
	await server.send([1, 2, 3].map((id) => ({ ...ids(id), ...at(longAgo) })));
	await server.send([{ ...ids(4), ...at(Date.now() * 1_000) }]);

	const { id } = (await server.call("POST", "/v1/retention_policies", { name: "short", max_days: 7 })).json.data;
	await server.call("PATCH", "/v1/projects/default/retention", { policy_id: id });
	await using _work = runRetention(server.context);
	await server.call("POST", `/v1/retention_policies/${id}/run`);
	const runs = async () => (await server.get(`/v1/retention_runs?policy_id=${id}`)).json.data;
	await expect
		.poll(runs)
		.toMatchObject([{ ended_at: expect.any(String), deleted_traces: 3, kept_traces: 0, error: null }]);
	const { rows } = await client.query("select to_regclass($1) as month", [partitionName("spans", monthOf(longAgo))]);
	expect(rows).toEqual([{ month: null }]);
	expect((await server.get("/v1/projects/default/traces")).json.data).toHaveLength(1);
});

function ids(id: number): { traceId: string; spanId: string } {
	return { traceId: String(id).padStart(32, "0"), spanId: String(id).padStart(16, "0") };
}
