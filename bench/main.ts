import { execFileSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { cpus, release, totalmem, type } from "node:os";
import { join } from "node:path";
import { type Figure, formatTable, passes } from "./figure.ts";
import { buildLoadGenerator } from "./load-generator.ts";
import { measureAccess } from "./sections/access.ts";
import { measureAgents } from "./sections/agents.ts";
import { measureAgainstBareStore } from "./sections/bare.ts";
import { measureBulk } from "./sections/bulk.ts";
import { measureClickHouse } from "./sections/clickhouse.ts";
import { measureCrashes } from "./sections/crash.ts";
import { measureDatasets } from "./sections/datasets.ts";
import { measureEvaluate } from "./sections/evaluate.ts";
import { measureFilters } from "./sections/filter.ts";
import { measureHostile } from "./sections/hostile.ts";
import { measureIngest } from "./sections/ingest.ts";
import { measureLarge } from "./sections/large.ts";
import { measureMillion, measureSizes } from "./sections/million.ts";
import { measurePostgres } from "./sections/postgres.ts";
import { measureReview } from "./sections/review.ts";
import { measureSearch } from "./sections/search.ts";
import { measureSignIn } from "./sections/sign-in.ts";
import { measureTables } from "./sections/tables.ts";
import { measureWatch } from "./sections/watch.ts";
import { measureWeb } from "./sections/web.ts";

const SECTIONS: Readonly<Record<string, () => Promise<Figure[]>>> = {
	ingest: measureIngest,
	bare: measureAgainstBareStore,
	access: measureAccess,
	agents: measureAgents,
	"sign-in": measureSignIn,
	datasets: measureDatasets,
	evaluate: measureEvaluate,
	tables: measureTables,
	web: measureWeb,
	million: measureMillion,
	search: measureSearch,
	filter: measureFilters,
	size: measureSizes,
	bulk: measureBulk,
	crash: measureCrashes,
	hostile: measureHostile,
	watch: measureWatch,
	review: measureReview,
	postgres: measurePostgres,
	clickhouse: measureClickHouse,
	large: measureLarge,
};
/** Sections that run only when they are asked for: this one needs twenty minutes and twenty gigabytes. */
const ON_REQUEST = new Set(["large"]);

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in SECTIONS));
if (unknown.length > 0) {
	console.error(`No section ${unknown.join(", ")}; there are ${Object.keys(SECTIONS).join(", ")}.`);
	process.exit(2);
}
buildLoadGenerator();
const figures: Figure[] = [];
for (const [name, measure] of Object.entries(SECTIONS)) {
	if (asked.length === 0 ? ON_REQUEST.has(name) : !asked.includes(name)) continue;
	console.error(`measuring ${name} …`);
	const measured = await measure();
	console.log(`${formatTable(measured)}\n`);
	figures.push(...measured);
}
if (asked.length === 0) writeFileSync(join(import.meta.dirname, "RESULTS.md"), formatResults(figures));
process.exitCode = figures.every(passes) ? 0 : 1;

function formatResults(all: readonly Figure[]): string {
	const [processor] = cpus();
	const machine = `${cpus().length} × ${processor?.model ?? "unknown processor"}, ${Math.round(totalmem() / 2 ** 30)} GB, ${type()} ${release()}`;
	const commit = execFileSync("git", ["rev-parse", "--short", "HEAD"], { encoding: "utf8" }).trim();
	return `# Measured

Written by \`npm run bench\` on ${new Date().toISOString().slice(0, 10)} at commit ${commit}: Node ${process.versions.node} on ${machine}.
The load generator (\`bench/otlpload\`) runs on the same machine. Spans are about 2 KB, 8 a trace.

${formatTable(all)}
`;
}
