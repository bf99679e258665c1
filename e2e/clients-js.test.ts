import * as root from "@arizeai/phoenix-client";
import * as datasets from "@arizeai/phoenix-client/datasets";
import * as experiments from "@arizeai/phoenix-client/experiments";
import * as prompts from "@arizeai/phoenix-client/prompts";
import * as sessions from "@arizeai/phoenix-client/sessions";
import * as spans from "@arizeai/phoenix-client/spans";
import * as traces from "@arizeai/phoenix-client/traces";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ADMIN_SECRET, createUserKey, logInAs } from "./access/accounts.ts";
import { checkAnnotations } from "./javascript/check-annotations.ts";
import { checkDatasets } from "./javascript/check-datasets.ts";
import { checkEvals } from "./javascript/check-evals.ts";
import { checkExperiments, checkPackagedEvaluators } from "./javascript/check-experiments.ts";
import { checkConnection, checkProjects } from "./javascript/check-projects.ts";
import { checkPrompts } from "./javascript/check-prompts.ts";
import { checkSessions } from "./javascript/check-sessions.ts";
import { checkSpans } from "./javascript/check-spans.ts";
import { checkTracing } from "./javascript/check-tracing.ts";
import { checkViewer } from "./javascript/check-viewer.ts";
import { type ClientUnderTest, RecordedModules } from "./javascript/client-under-test.ts";
import { ADAPTED_MODULES } from "./javascript/spanward-adapter.ts";
import { startServer, type TestServer } from "./server.ts";

const WITH_AUTHENTICATION = process.env["E2E_AUTHENTICATION"] === "true";

const CLIENTS = [
	{ name: "phoenix-client", modules: { root, spans, traces, sessions, datasets, experiments, prompts } },
	{ name: "@spanward/client", modules: ADAPTED_MODULES },
];

describe.each(CLIENTS)("$name", ({ modules }) => {
	const isReleased = modules !== ADAPTED_MODULES;
	const recorded = new RecordedModules(modules);
	let server: TestServer;
	/** Keys of users, while authentication is on. */
	const keys: { member?: string; viewer?: string } = {};

	beforeAll(async () => {
		server = await startServer(WITH_AUTHENTICATION ? { env: { SERVICE_ADMIN_SECRET: ADMIN_SECRET } } : {});
		if (!WITH_AUTHENTICATION) return;
		keys.member = await createUserKey(await logInAs(server, "MEMBER"));
		keys.viewer = await createUserKey(await logInAs(server, "VIEWER"));
	});
	afterAll(async () => server[Symbol.asyncDispose]());

	function connect(key: string | undefined): ClientUnderTest["client"] {
		const headers = key === undefined ? {} : { Authorization: `Bearer ${key}` };
		return recorded.modules.root.createClient({ options: { baseUrl: server.url, headers } });
	}

	function as(role: keyof typeof keys): ClientUnderTest {
		const client = connect(keys[role]);
		return {
			...recorded.modules,
			client,
			admin: connect(server.adminKey),
			mayAdministrate: !WITH_AUTHENTICATION,
			tellsUnstored: !isReleased,
		};
	}

	const asMember = () => as("member");
	checkProjects(asMember);
	checkSpans(asMember);
	checkAnnotations(asMember);
	checkSessions(asMember);
	checkDatasets(asMember);
	checkExperiments(asMember);
	checkPrompts(asMember);
	if (isReleased) {
		const connection = () => ({ url: server.url, ...(keys.member === undefined ? {} : { apiKey: keys.member }) });
		checkTracing(asMember, connection);
		checkEvals(asMember, connection);
		checkConnection(asMember);
		checkPackagedEvaluators(asMember);
	}

	test("K08 every public function is called", () => {
		expect(recorded.functions.length).toBeGreaterThan(40);
		expect(recorded.uncalled).toEqual([]);
	});

	describe.runIf(WITH_AUTHENTICATION)("with a viewer's key", () => {
		checkViewer(
			() => as("viewer"),
			() => recorded.functions,
		);
	});
});
