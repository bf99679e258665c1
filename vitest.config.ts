import { defineConfig } from "vitest/config";
import LongestFirst from "./e2e/longest-first.ts";
import { missingOf } from "./e2e/peers/missing.ts";

/** Run a second time against servers with authentication on: each way to send and read, and each page, with credentials. */
const ALSO_WITH_AUTHENTICATION = [
	"e2e/{clients-js,clients-python,exporters,proxy,readme}.test.ts",
	"e2e/sending/sending.test.ts",
	"e2e/web/{every-page,shell}.test.ts",
];

/** Run a second time on PostgreSQL: what asks the database; the suites of storage are run on both anyway. */
const ALSO_ON_POSTGRES = [
	"apps/server/src/access/{api-keys,audit,external-accounts,rules,secrets,sign-in,sign-in-check,sign-in-tries,teams,users}/**/*.test.ts",
	"apps/server/src/access/authorization-server/{token-routes,grants}.test.ts",
	"apps/server/src/agents/calls/calls.test.ts",
	"apps/server/src/access/auth/{audit,ended-rights,log-in-sessions/sessions,passwords/lockout,principals/principals}.test.ts",
	"apps/server/src/evaluation/contexts/contexts.test.ts",
	"apps/server/src/ingest/sender-rights.test.ts",
	"apps/server/src/models/{caller,ledger}/**/*.test.ts",
	"apps/server/src/operations/**/*.test.ts",
	"apps/server/src/resources/{access-check,annotation-configs,annotations,bulk-runs,dashboards,datasets,error-grouping,error-groups,evaluators,experiment-jobs,experiments,home-access,projects,prompts,repairs,review-queues,selections,sessions,spend,traces,views}/**/*.test.ts",
	"apps/server/src/resources/{analytics/{analytics,ingest-analytics,after-changes,facets},end-users/end-users,model-connections/{model-connections,usage},playground/{deleted-project,run-project},prices/prices,retention/retention,spans/{damaged-content,page-bytes,sent-ids,spans,table-routes}}.test.ts",
	"apps/server/src/route-cases/rights.test.ts",
	"apps/server/src/{hostile-bodies,hostile-input}.test.ts",
];

/** These run on SQLite with authentication, and without it where traces are in ClickHouse. */
const CLIENTS = ["e2e/clients-{js,python}.test.ts"];

/** Ours run with authentication alone: without it they only send no key. */
const OWN_CLIENTS = ["e2e/spanward-{js,python}.test.ts"];

/** Run a second time with traces in ClickHouse and the rest in SQLite: what asks for traces, as released clients do, too. */
const ALSO_WITH_CLICKHOUSE = [
	"apps/server/src/evaluation/contexts/contexts.test.ts",
	"apps/server/src/ingest/sender-rights.test.ts",
	"apps/server/src/operations/{metrics,self-tracing,storage-capacity}/**/*.test.ts",
	"apps/server/src/permissions.test.ts",
	"apps/server/src/resources/{bulk-runs,error-grouping,error-groups,projects,repairs,review-queues,selections,sessions,spend,traces}/**/*.test.ts",
	"apps/server/src/resources/annotations/{annotations,annotations-rights,shown-annotations,waiting}.test.ts",
	"apps/server/src/resources/{datasets/{datasets,upload/uploads},experiments/{experiments,gate/gate}}.test.ts",
	"apps/server/src/resources/{analytics/{analytics,after-changes,facets},end-users/end-users,prices/prices,retention/retention,spans/{page-bytes,sent-ids,spans,table-routes}}.test.ts",
	...CLIENTS,
	"e2e/fixtures.test.ts",
];

/** Without its engine, tests of it are skipped, and fail with CI=true. */
const HAS_CLICKHOUSE = process.env["CI"] === "true" || missingOf(["any clickhouse"]).length === 0;

/** Of these folders: how a form is cut into its parts, what hostile files do, connections that are left open, and what opens databases of its own. */
const ASKS_NO_DATABASE = [
	"apps/server/src/resources/datasets/finish-unfinished.test.ts",
	"apps/server/src/resources/datasets/upload/{abandoned-uploads,hostile-arrow,hostile-files,receive-form}.test.ts",
	"apps/server/src/resources/experiments/gate/parse-requirement.test.ts",
];

/** What starts a server, another program or a browser; `npm run test:fast` leaves it to `npm test`. */
const STARTS_PROCESSES = ["e2e/**", "apps/server/src/server.test.ts"];

/** Set by `npm run test:fast`. PostgreSQL is left out too: e2e/peers/missing.ts. */
const IS_FAST = process.env["TEST_FAST"] === "true";

export default defineConfig({
	server: { watch: { ignored: ["**/dist/**", "**/.cache/**"] } },
	test: {
		// Real servers, real databases and a browser on a machine that may have two busy cores.
		// Ten times what they take on a quiet machine, at the least: who waits for nothing waits long, but nothing fails for a load.
		testTimeout: 600_000,
		hookTimeout: 1_200_000,
		expect: { poll: { timeout: 200_000 } },
		maxWorkers: 2,
		// Half of the CPU time of what runs in process was each file's import of the server. What a file changes it puts back.
		isolate: false,
		sequence: { sequencer: LongestFirst },
		// Only what waited for a page in vain: a browser now and then stands still on such a machine. What needed it is listed.
		retry: { count: 1, condition: /Timeout \d+ms exceeded/ },
		globalSetup: "e2e/peers/shared-setup.ts",
		execArgv: ["--disable-warning=ExperimentalWarning"],
		projects: IS_FAST
			? [
					{
						extends: true,
						test: {
							name: "spanward",
							include: ["{packages,apps,clients}/**/*.test.{ts,tsx}"],
							exclude: ["**/node_modules/**", ...STARTS_PROCESSES],
						},
					},
				]
			: [
					{
						extends: true,
						test: {
							name: "spanward",
							include: ["{packages,apps,clients,e2e}/**/*.test.{ts,tsx}"],
							exclude: ["**/node_modules/**", ...OWN_CLIENTS, ...(HAS_CLICKHOUSE ? CLIENTS : [])],
						},
					},
					{
						extends: true,
						test: {
							name: "with authentication",
							include: [...ALSO_WITH_AUTHENTICATION, ...OWN_CLIENTS],
							env: { E2E_AUTHENTICATION: "true" },
						},
					},
					{
						extends: true,
						test: {
							name: "on PostgreSQL",
							include: ALSO_ON_POSTGRES,
							exclude: ["**/node_modules/**", ...ASKS_NO_DATABASE],
							env: { TEST_STORAGE: "postgres" },
						},
					},
					...(HAS_CLICKHOUSE
						? [
								{
									extends: true as const,
									test: {
										name: "with traces in ClickHouse",
										include: ALSO_WITH_CLICKHOUSE,
										exclude: ["**/node_modules/**"],
										env: { TEST_STORAGE: "clickhouse" },
									},
								},
							]
						: []),
				],
	},
});
