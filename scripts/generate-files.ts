import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { createAuth } from "../apps/server/src/access/create-auth.ts";
import { buildApp } from "../apps/server/src/app.ts";
import { readConfig } from "../apps/server/src/base/config.ts";
import { PROBLEMS } from "../apps/server/src/base/problems.ts";
import { PLANNED_SETTINGS, SETTING_SECTIONS } from "../apps/server/src/base/settings/settings.ts";
import { ELSEWHERE } from "../apps/server/src/base/settings/unknown-variables.ts";
import type { Context } from "../apps/server/src/context.ts";
import { OnlyProcess } from "../apps/server/src/storage/cluster.ts";
import { clickHouseStatements } from "./generate-clickhouse-statements.ts";
import { clientTypes, type OpenApi } from "./generate-client-types.ts";
import { type ClientOperation, coveragePage } from "./generate-coverage-page.ts";
import { problemsPage } from "./generate-problems-page.ts";
import { pythonTypes } from "./generate-python-types.ts";
import { settingsPage } from "./generate-settings-page.ts";
import { toSync } from "./generate-sync-client.ts";

const root = join(import.meta.dirname, "..");
const check = process.argv.includes("--check");

/** Mounting routes needs no storage; whoever touches it here has a route that works while it is mounted. */
function unusable(name: string): never {
	return new Proxy(Object.create(null), {
		get: (_, key) => {
			throw new Error(`${name}.${String(key)} was used while the routes were mounted`);
		},
	}) as never;
}

function silentLog(): Context["log"] {
	const log = {
		level: "silent",
		fatal() {},
		error() {},
		warn() {},
		info() {},
		debug() {},
		trace() {},
		silent() {},
		child: () => log,
	};
	return log;
}

// The routes of signing in exist only with authentication, one of them only with a directory.
const config = readConfig({
	SERVICE_ENABLE_AUTH: "true",
	SERVICE_SECRET: "0123456789-abcdefghijklmnopqrstuvwxyz",
	SERVICE_LDAP_HOST: "localhost",
	SERVICE_LDAP_USER_SEARCH_BASE_DNS: '["dc=example,dc=com"]',
	SERVICE_LDAP_ATTR_EMAIL: "mail",
	SERVICE_LDAP_GROUP_ROLE_MAPPINGS: '[{"group_dn":"*","role":"VIEWER"}]',
});
const db = unusable("db");
const log = silentLog();
const now = () => 0;
const auth = createAuth(config, db, log, now);
const app = await buildApp({
	config,
	db,
	cluster: new OnlyProcess(),
	auth,
	traces: unusable("traces"),
	ingest: unusable("ingest"),
	capacity: unusable("capacity"),
	events: unusable("events"),
	log,
	stopping: new AbortController().signal,
	now,
});
await app.ready();
const document = app.swagger() as unknown as OpenApi;
const operations = await readFile(join(root, "scripts/client-operations.json"), "utf8");
const coverage = coveragePage(JSON.parse(operations) as readonly ClientOperation[], app.mountedRoutes);
await app.close();
await auth[Symbol.asyncDispose]();

const files: Readonly<Record<string, string>> = {
	"docs/api-coverage.md": coverage,
	"docs/openapi.json": `${JSON.stringify(document, null, "\t")}\n`,
	"docs/problems.md": problemsPage(PROBLEMS),
	"docs/settings.md": settingsPage(SETTING_SECTIONS, PLANNED_SETTINGS, ELSEWHERE),
	...clickHouseStatements(),
	"clients/typescript/src/generated/api.ts": clientTypes(document),
	"clients/python/src/spanward/types.py": pythonTypes(document),
	...(await syncModules("clients/python/src/spanward")),
};

/** Every module of the asynchronous Python client but the one that is different in the two worlds. */
async function syncModules(folder: string): Promise<Record<string, string>> {
	const names = (await readdir(join(root, folder, "_async"))).filter(
		(name) => name.endsWith(".py") && name !== "__init__.py" && name !== "waiting.py",
	);
	const modules = names.map(async (name): Promise<[string, string]> => {
		const source = await readFile(join(root, folder, "_async", name), "utf8");
		return [`${folder}/_sync/${name}`, toSync(source)];
	});
	return Object.fromEntries(await Promise.all(modules));
}

const stale: string[] = [];
for (const [name, content] of Object.entries(files)) {
	const path = join(root, name);
	const present = await readFile(path, "utf8").catch(() => undefined);
	if (present === content) continue;
	stale.push(name);
	if (check) continue;
	await mkdir(dirname(path), { recursive: true });
	await writeFile(path, content);
}
if (check && stale.length > 0) {
	console.error(`stale: ${stale.join(", ")}; run npm run generate and commit the result`);
	process.exitCode = 1;
} else {
	console.log(stale.length === 0 ? "generated files are fresh" : `wrote ${stale.join(", ")}`);
}
