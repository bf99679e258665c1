import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import type { TestServer } from "./server.ts";

const FOLDER = join(import.meta.dirname, "../deploy/monitoring");
const METRIC = /\b(?:spanward|process|nodejs)_[a-z0-9_]+/g;

interface Dashboard {
	readonly panels: readonly { readonly id: number; readonly targets: readonly { readonly expr: string }[] }[];
}
interface Rules {
	readonly groups: readonly { readonly rules: readonly { readonly alert: string; readonly expr: string }[] }[];
}

export function readDashboard(): Dashboard {
	return JSON.parse(readFileSync(join(FOLDER, "grafana-dashboard.json"), "utf8"));
}

/** Names of metrics in dashboard, alerts and docs: those of ClickHouse, which only servers with traces there have, or the others. */
export function namedMetrics(which: "of ClickHouse" | "others"): string[] {
	const { groups }: Rules = parse(readFileSync(join(FOLDER, "prometheus-rules.yaml"), "utf8"));
	const expressions = [
		...readDashboard().panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
		...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
	];
	const docs = readFileSync(join(FOLDER, "../../docs/observing.md"), "utf8");
	const named = [...expressions, docs].flatMap((expression) => expression.match(METRIC) ?? []);
	return named.filter((name) => name.startsWith("spanward_clickhouse_") === (which === "of ClickHouse"));
}

/** What a server tells at `/metrics`. */
export async function scrape(
	server: TestServer,
): Promise<{ readonly text: string; readonly names: ReadonlySet<string> }> {
	const text = await (await server.fetch("/metrics")).text();
	const names = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].flatMap(([, name = "", type]) =>
		type === "histogram" ? [`${name}_bucket`, `${name}_sum`, `${name}_count`, name] : [name],
	);
	return { text, names: new Set(names) };
}
