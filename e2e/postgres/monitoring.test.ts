import { expect } from "vitest";
import { testWithPostgres } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { namedMetrics, readDashboard, scrape } from "../monitoring.ts";
import { useSharedPeer } from "../peers/shared.ts";
import { startServer } from "../server.ts";

testWithPostgres("dashboard, alerts and docs name only what a server on PostgreSQL tells", async () => {
	const { url } = await useSharedPeer("postgres");
	await using server = await startServer({
		storage: { url, schema: `monitored_${process.pid}` },
		env: { SERVICE_ENABLE_PROMETHEUS: "true", SERVICE_DRAIN_SECONDS: "0" },
		authentication: false,
	});
	const { names } = await scrape(server);
	const named = namedMetrics("others");
	expect(named.length).toBeGreaterThan(30);
	expect(named.filter((name) => !names.has(name))).toEqual([]);
	const ids = readDashboard().panels.map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
});
