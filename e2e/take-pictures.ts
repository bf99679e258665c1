// Takes the pictures of the documents anew, from recorded exports and real sign-ins. The web app has to be built: npm
// start does it. What npm test installs has to be there: Keycloak, OpenLDAP.
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { exactMatch, runExperiment, Spanward } from "@spanward/client";
import type { BrowserContext, Locator } from "playwright-core";
import { launchBrowser, launchBrowserFor, openPage, type UserBrowser } from "./browser.ts";
import { readExpected, replay } from "./fixture-sources.ts";
import { PLAYGROUND, runTwoVariants, tellStory } from "./model-story.ts";
import { keycloakSettings, startKeycloak } from "./peers/keycloak.ts";
import { startModelProvider } from "./peers/model-provider.ts";
import { startSlapd } from "./peers/slapd.ts";
import { tellProductionStory } from "./production-story.ts";
import { startServer } from "./server.ts";

const IMAGES = join(import.meta.dirname, "../docs/images");
const SOURCE = "py-langchain-openinference";
const TRACE = "311268aa2695d03f2646c5d5ea160d7d";
const LOOK = { viewport: { width: 1280, height: 760 }, deviceScaleFactor: 1.5 };
const USERS = [
	["Ada", "ADMIN"],
	["Grace", "MEMBER"],
	["Edsger", "VIEWER"],
] as const;

const { projectName, spans } = readExpected(SOURCE);
const lastModelCall = spans.findLast((span) => span.traceId === TRACE && span.kind === "LLM");
if (lastModelCall === undefined) throw new Error(`trace ${TRACE} of ${SOURCE} has no model call`);

await using server = await startServer({ authentication: true, env: {} });
await replay(server, [SOURCE]);
const stranger = await launchBrowser();
const admin = await launchBrowserFor(server);
const context = await admin.newContext();
await fill(context);
await takePicture(
	admin,
	"trace.png",
	`/p/${projectName}/traces/${TRACE}?span=${lastModelCall.spanId}`,
	"Tools offered",
);
await takePictureOfTwoTraces();
await takePictureOfReview();
await takePicture(stranger, "log-in.png", "/login", "Password");
await takePicture(admin, "users.png", "/settings/users", "Edsger");
await takePicture(admin, "system-keys.png", "/settings/system-keys", "nightly evaluation");
await takePicture(admin, "audit.png", "/settings/audit", "Grace");
await takePicturesOfKeys();
await takePictureOfComparison();
await takePictureOfPlayground();
await takePicturesOfProduction();
await takePicturesOfAccess();
await takePicturesOfPrograms();
await takePictureOfAgents();
await takePicturesOfSignIn();
await admin.close();
await stranger.close();

/** The form for a new key, and the dialog of the key that it makes. */
async function takePicturesOfKeys(): Promise<void> {
	const tall = { ...LOOK, viewport: { width: 1280, height: 1_500 } };
	await using watched = await openPage(admin, `${server.url}/settings/api-keys`, tall);
	const { page } = watched;
	await page.getByRole("main").getByRole("button", { name: "New key" }).first().click();
	const form = page.getByRole("dialog", { name: "New API key" });
	await form.getByRole("textbox", { name: /^Name/ }).fill("nightly evaluation");
	await form.getByRole("combobox", { name: "What for" }).selectOption("Runs experiments");
	await form.getByRole("checkbox", { name: projectName ?? "" }).click();
	await form.getByRole("checkbox", { name: /^The library/ }).click();
	await shoot(form, "new-key.png");
	await form.getByRole("button", { name: "Create" }).click();
	await page.getByRole("button", { name: "I have kept it" }).click();
	await page.getByRole("button", { name: "What can the key nightly evaluation do?" }).click();
	const dialog = page.getByRole("dialog", { name: "nightly evaluation" });
	await dialog.getByText("Everywhere else").waitFor();
	await shoot(dialog, "key.png");
}

/** Two runs of an agent; its first model call is selected. */
async function takePictureOfTwoTraces(): Promise<void> {
	const source = "py-phoenix-otel-http";
	await replay(server, [source]);
	const { projectName, traces, spans } = readExpected(source);
	const [left, right] = traces.filter(({ rootSpanName }) => rootSpanName === "trip_agent");
	const call = spans.find(({ traceId, kind }) => traceId === left?.traceId && kind === "LLM");
	if (!left || !right || !call) throw new Error(`the agent of ${source} has not run twice`);
	const path = `/p/${projectName}/traces/${left.traceId}/compare?with=${right.traceId}&span=${call.spanId}`;
	await takePicture(admin, "trace-compare.png", path, "Attributes that differ");
}

/** The trace in a review queue, with the first question answered. */
async function takePictureOfReview(): Promise<void> {
	const { request } = await admin.newContext();
	const post = async (path: string, data: object) => {
		const response = await request.post(`${server.url}/v1/${path}`, { data });
		if (!response.ok()) throw new Error(`POST ${path} answered ${response.status()}: ${await response.text()}`);
		return (await response.json()).data;
	};
	const values = [
		{ label: "helpful", score: 1 },
		{ label: "incomplete", score: 0.5 },
		{ label: "wrong", score: 0 },
	];
	const direction = { optimization_direction: "MAXIMIZE" };
	const verdict = await post("annotation_configs", { name: "verdict", type: "CATEGORICAL", ...direction, values });
	const bounds = { lower_bound: 0, upper_bound: 1 };
	const tone = await post("annotation_configs", { name: "tone", type: "CONTINUOUS", ...direction, ...bounds });
	const queue = await post("review_queues", {
		...{ name: "Answers of the shop", target: "trace", reviews_required: 2 },
		guidance:
			"An answer is **helpful** if the customer need not ask again:\n\n- it names the order\n- it promises nothing",
		questions: [
			{ annotation_config_id: verdict.id, note: true },
			{ annotation_config_id: tone.id, required: false },
		],
	});
	const { data } = await (await request.get(`${server.url}/v1/projects/${projectName}/traces?limit=20`)).json();
	const others = data.flatMap(({ trace_id }: { trace_id: string }) => (trace_id === TRACE ? [] : [{ trace_id }]));
	await post(`review_queues/${queue.id}/items`, { targets: [{ trace_id: TRACE }, ...others] });
	const path = `/reviews/${encodeURIComponent(queue.id)}/review`;
	await using watched = await openPage(admin, server.url + path, LOOK);
	const { page } = watched;
	await page.getByRole("treeitem").first().waitFor();
	await page.keyboard.press("1");
	await page.getByText("Events", { exact: true }).first().waitFor();
	await page.screenshot({ path: join(IMAGES, "review.png"), animations: "disabled" });
}

/** Two experiments on questions about parcels, the second of which is better but for one. */
async function takePictureOfComparison(): Promise<void> {
	const spanward = new Spanward({ baseUrl: server.url, ...(server.key === undefined ? {} : { apiKey: server.key }) });
	const name = "parcel questions";
	const answers = {
		"Where is my parcel?": ["At the depot in Lyon.", "It left the depot in Lyon and arrives tomorrow."],
		"Can I change the address?": ["Yes, until it is sent.", "No."],
		"How do I send it back?": ["I do not know.", "Print the label in your account and bring it to any shop."],
		"When do I get my money?": ["Soon.", "Within five days after it has reached us."],
	};
	const dataset = await spanward.datasets.create({
		name,
		examples: Object.entries(answers).map(([question, [, wanted]]) => ({
			input: { question },
			output: { answer: question.startsWith("Can") ? "Yes, until it is sent." : wanted },
		})),
	});
	const ids: string[] = [];
	for (const [attempt, version] of ["first prompt", "shorter prompt"].entries()) {
		const { experiment } = await runExperiment({
			client: spanward,
			dataset: name,
			name: version,
			trace: false,
			task: ({ input }) => answers[String(input["question"]) as keyof typeof answers][attempt],
			evaluators: [exactMatch],
			onProgress: () => undefined,
		});
		ids.push(experiment.id);
	}
	const search = new URLSearchParams(ids.map((id) => ["experiment", id]));
	await takePicture(admin, "experiment-compare.png", `/datasets/${dataset.id}/compare?${search}`, "Within five days");
}

/** A recorded call beside a better one; the stand-in plays Ollama. */
async function takePictureOfPlayground(): Promise<void> {
	await using provider = await startModelProvider();
	await using open = await startServer({ authentication: false });
	await tellStory(open, provider);
	await using watched = await openPage(stranger, open.url + PLAYGROUND, LOOK);
	await runTwoVariants(watched.page);
	await watched.page.screenshot({ path: join(IMAGES, "playground.png"), animations: "disabled" });
}

/** A week of an assistant: its dashboard, a question about it, and what breaks. */
async function takePicturesOfProduction(): Promise<void> {
	await using open = await startServer({ authentication: false });
	await tellProductionStory(open);
	const groups = async () =>
		(await (await open.fetch("/v1/projects/default/error_groups")).json()) as { data: object[] };
	while ((await groups()).data.length < 3) await setTimeout(1_000);
	const shots = [
		["dashboard.png", "dashboards/builtin:cost?from=7d", "gpt-4o-mini"],
		["explore.png", "explore?from=7d&measure=cost_total&group_by=user&bucket=day", "radia"],
		["errors.png", "errors", "TimeoutError"],
	] as const;
	for (const [file, path, shows] of shots) {
		await using watched = await openPage(stranger, `${open.url}/p/default/${path}`, LOOK);
		await watched.page.getByText(shows).first().waitFor();
		await watched.page.waitForLoadState("networkidle");
		await watched.page.screenshot({ path: join(IMAGES, file), animations: "disabled" });
	}
}

/** What an installation has after some days: users and keys. */
async function fill({ request }: BrowserContext): Promise<void> {
	const post = async (path: string, data: unknown) => {
		const response = await request.post(server.url + path, { data });
		if (!response.ok()) throw new Error(`POST ${path} answered ${response.status()}: ${await response.text()}`);
	};
	for (const [username, role] of USERS) {
		const email = `${username.toLowerCase()}@example.com`;
		const user = { auth_method: "LOCAL", email, username, role, password: "to be replaced" };
		await post("/v1/users", { user, send_welcome_email: false });
	}
	await post("/v1/system/api_keys", {
		data: { name: "collector", description: "OpenTelemetry collector in production" },
	});
	const expires_at = new Date(Date.now() + 90 * 86_400_000).toISOString();
	await post("/v1/system/api_keys", { data: { name: "nightly evaluation", expires_at } });
}

/** A project of one team, a rule of another, and what a member may do by them. */
async function takePicturesOfAccess(): Promise<void> {
	const { request } = await admin.newContext();
	const send = async (method: "POST" | "PATCH", path: string, data: object) => {
		const response = await request.fetch(server.url + path, { method, data });
		if (!response.ok()) throw new Error(`${path} answered ${response.status()}: ${await response.text()}`);
		return (await response.json()).data;
	};
	for (const name of ["ledger", "pay-api", "pay-web"]) await send("POST", "/v1/projects", { name });
	for (const [name, member, description] of [
		["Payments", "Grace", "Cards, transfers, refunds"],
		["Support", "Edsger", "Answers customers"],
	]) {
		const { id } = await send("POST", "/v1/teams", { name, description });
		await send("PATCH", `/v1/teams/${id}/members`, { add: [member] });
	}
	await send("PATCH", "/v1/projects/ledger/access", {
		access: "restricted",
		set: [
			{ subject: { team: "Payments" }, role: "editor" },
			{ subject: { team: "Support" }, role: "annotator" },
			{ subject: { user: "Edsger" }, role: "editor" },
		],
	});
	const grants = [{ subject: { team: "Payments" }, role: "editor" }];
	await send("POST", "/v1/access_rules", { pattern: "pay-*", access_of_new: "restricted", grants });
	await takePicture(admin, "project-access.png", "/p/ledger/settings/access", "people can see this");
	await takePicture(admin, "teams.png", "/settings/teams", "Payments");
	const tall = { ...LOOK, viewport: { width: 1280, height: 1_600 } };
	await using watched = await openPage(admin, `${server.url}/settings/access`, tall);
	const { page } = watched;
	await page.getByText("Payments: editor").waitFor();
	await shoot(page.getByRole("region", { name: "Rules" }), "access-rules.png");
	const check = page.getByRole("region", { name: "Check" });
	await check.getByLabel("Username, email or team").fill("Edsger");
	await check.getByLabel("Project").fill("ledger");
	await check.getByRole("button", { name: "Check" }).click();
	await check.getByText("Sees ledger").waitFor();
	await shoot(check, "access-check.png");
}

/** A program that asks, one on a device that does, and both of them connected. */
async function takePicturesOfPrograms(): Promise<void> {
	const { request } = await admin.newContext();
	const redirect_uri = "http://127.0.0.1:43110/callback";
	const registration = await request.post(`${server.url}/oauth2/register`, {
		data: { client_name: "MCP Inspector", redirect_uris: [redirect_uri], token_endpoint_auth_method: "none" },
	});
	const { client_id } = await registration.json();
	// RFC 7636, appendix B
	const code_verifier = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk";
	const code_challenge = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM";
	const question = { client_id, redirect_uri, response_type: "code", code_challenge, code_challenge_method: "S256" };
	const search = new URLSearchParams({ ...question, scope: "read annotate" });
	const form = { client_id: "spanward-cli", scope: "read" };
	const headers = { "user-agent": "curl/8.14.1" };
	const device = await (await request.post(`${server.url}/oauth2/device_authorization`, { form, headers })).json();
	const small = { ...LOOK, viewport: { width: 640, height: 960 } };
	{
		await using watched = await openPage(admin, `${server.url}/oauth2/consent?${search}`, small);
		await watched.page.getByRole("button", { name: "Allow", disabled: false }).waitFor();
		await shoot(watched.page.locator("body"), "program-consent.png");
	}
	{
		await using watched = await openPage(admin, device.verification_uri_complete, small);
		const { page } = watched;
		await page.getByRole("button", { name: "Continue" }).click();
		const allow = page.getByRole("button", { name: "Allow", disabled: false });
		await allow.waitFor();
		await shoot(page.locator("body"), "program-device.png");
		await allow.click();
		await page.getByText("The program is connected").waitFor();
	}
	const approval = { approved: true, permissions: ["read", "annotate"], projects: ["pay-api"], include_library: true };
	const decision = await request.post(`${server.url}/oauth2/authorize/decision`, {
		data: { ...question, ...approval, days: 30 },
		headers: { origin: server.url },
	});
	const code = new URL((await decision.json()).redirect_to).searchParams.get("code") ?? "";
	for (const grant of [
		{ grant_type: "authorization_code", client_id, code, redirect_uri, code_verifier },
		{
			grant_type: "urn:ietf:params:oauth:grant-type:device_code",
			client_id: form.client_id,
			device_code: device.device_code,
		},
	]) {
		const answer = await request.post(`${server.url}/oauth2/token`, { form: grant });
		if (!answer.ok()) throw new Error(`/oauth2/token answered ${answer.status()}: ${await answer.text()}`);
	}
	await takePicture(admin, "connected-apps.png", "/settings/apps", "MCP Inspector");
}

/** How agents are set up, and what one has called. */
async function takePictureOfAgents(): Promise<void> {
	const post = (method: string, params: object, headers: Record<string, string> = {}) =>
		fetch(`${server.url}/mcp`, {
			method: "POST",
			headers: {
				...{ authorization: `Bearer ${server.adminKey}`, "content-type": "application/json", ...headers },
				accept: "application/json, text/event-stream",
			},
			body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
		});
	const clientInfo = { name: "claude-code", version: "2.1.0" };
	const first = await post("initialize", { protocolVersion: "2025-11-25", capabilities: {}, clientInfo });
	const session = { "mcp-session-id": first.headers.get("mcp-session-id") ?? "" };
	for (const [name, args] of [
		["list_projects", {}],
		["search_traces", { project: projectName, errors_only: true }],
		["get_trace", { project: projectName, trace_id: TRACE }],
		["get_trace", { project: projectName, trace_id: "0".repeat(32) }],
	])
		await (await post("tools/call", { name, arguments: args }, session)).text();
	const tall = { ...LOOK, viewport: { width: 1280, height: 1_420 } };
	await using watched = await openPage(admin, `${server.url}/settings/agents`, tall);
	const { page } = watched;
	// Calls are written some seconds behind them.
	const isWritten = async () => {
		await page.reload();
		return await page
			.getByRole("row", { name: /search_traces/ })
			.waitFor({ timeout: 3_000 })
			.then(
				() => true,
				() => false,
			);
	};
	while (!(await isWritten()));
	await page.getByRole("button", { name: "API key" }).click();
	await page.screenshot({ path: join(IMAGES, "agents.png"), animations: "disabled" });
}

/** Keycloak twice, once with a wrong secret, and a directory. */
async function takePicturesOfSignIn(): Promise<void> {
	await using keycloak = await startKeycloak();
	await using slapd = await startSlapd();
	const settings = Object.entries(keycloakSettings(keycloak, "service"));
	const env = {
		...slapd.settings,
		...Object.fromEntries(settings),
		SERVICE_OAUTH2_KEYCLOAK_GROUPS_ATTRIBUTE_PATH: "groups",
		SERVICE_OAUTH2_KEYCLOAK_ALLOWED_GROUPS: "engineering,platform",
		SERVICE_OAUTH2_KEYCLOAK_ROLE_ATTRIBUTE_PATH: "resource_access.service.roles[0]",
		SERVICE_OAUTH2_KEYCLOAK_ROLE_MAPPING: "owner:ADMIN,developer:MEMBER",
		...Object.fromEntries(settings.map(([name, value]) => [name.replace("KEYCLOAK", "PARTNERS"), value])),
		SERVICE_OAUTH2_PARTNERS_CLIENT_SECRET: "not-the-secret",
	};
	await using signIn = await startServer({ authentication: true, env });
	const operator = await launchBrowserFor(signIn);
	{
		await using watched = await openPage(stranger, `${signIn.url}/login`, LOOK);
		await watched.page.getByText("Log in with Partners").waitFor();
		await shoot(watched.page.locator("body"), "log-in-ways.png");
	}
	// The bar at the top of the page covers what had to be scrolled to.
	const tall = { ...LOOK, viewport: { width: 1280, height: 1_600 } };
	await using watched = await openPage(operator, `${signIn.url}/settings/sign-in`, tall);
	const { page } = watched;
	const failing = page.getByRole("region", { name: "Partners" });
	await failing.getByText("Does not work").waitFor();
	await shoot(failing, "sign-in-failing.png");
	await page.getByRole("button", { name: "Try sign-in with Keycloak" }).click();
	await page.locator("#username").fill("alice");
	await page.locator("#password").fill("alice-pw");
	await page.locator("#kc-login").click();
	await page.getByText("Would be let in").waitFor();
	await page.getByText("Claims", { exact: true }).click();
	await shoot(page.getByRole("region", { name: "Report of the try" }), "sign-in-try.png");
	await operator.close();
}

async function shoot(part: Locator, file: string): Promise<void> {
	await part.screenshot({ path: join(IMAGES, file), animations: "disabled" });
}

async function takePicture(browser: UserBrowser, file: string, path: string, shows: string): Promise<void> {
	await using watched = await openPage(browser, server.url + path, LOOK);
	await watched.page.getByText(shows).first().waitFor();
	await watched.page.screenshot({ path: join(IMAGES, file), animations: "disabled" });
}
