import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect } from "vitest";
import { parse } from "yaml";
import { testWithPostgres } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { useSharedPeer } from "../peers/shared.ts";
import { startServer } from "../server.ts";

const FOLDER = join(import.meta.dirname, "../../deploy/monitoring");
const METRIC = /\b(?:spanward|process|nodejs)_[a-z0-9_]+/g;

interface Dashboard {
	readonly panels: readonly { readonly id: number; readonly targets: readonly { readonly expr: string }[] }[];
}
interface Rules {
	readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

testWithPostgres("dashboard, alerts and docs name only what a server on PostgreSQL tells", async () => {
	const { url } = await useSharedPeer("postgres");
	await using server = await startServer({
		storage: { url, schema: `monitored_${process.pid}` },
		env: { SERVICE_ENABLE_PROMETHEUS: "true", SERVICE_DRAIN_SECONDS: "0" },
		authentication: false,
	});
	const text = await (await fetch(`${server.url}/metrics`)).text();
	const told = new Set(
		[...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
			type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`, name] : [name],
		),
	);
	const dashboard: Dashboard = JSON.parse(readFileSync(join(FOLDER, "grafana-dashboard.json"), "utf8"));
	const { groups }: Rules = parse(readFileSync(join(FOLDER, "prometheus-rules.yaml"), "utf8"));
	const expressions = [
		...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
		...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
	];
	const docs = readFileSync(join(FOLDER, "../../docs/observing.md"), "utf8");
	const named = [...expressions, docs].flatMap((expression) => expression.match(METRIC) ?? []);
	expect(named.length).toBeGreaterThan(30);
	expect(named.filter((name) => !told.has(name))).toEqual([]);
	const ids = dashboard.panels.map(({ id }) => id);
	expect(new Set(ids).size).toBe(ids.length);
});
