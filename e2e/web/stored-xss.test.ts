import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { type Account, ADMIN_SECRET, asAdmin, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { launchBrowser, openPage, type WatchedPage } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { faultsOf, fillLogIn } from "./sessions.ts";

/** Each sets `pwned` if a browser runs it, or loads something from elsewhere, or shows as the colour of a terminal. */
const PAYLOADS = [
	'<img src=x onerror="window.pwned=1">',
	"<script>window.pwned=1</script>",
	'"><svg onload=window.pwned=1><animate onbegin=window.pwned=1 attributeName=x dur=1s>',
	"[link](javascript:window.pwned=1) [data](data:text/html,<script>parent.pwned=1</script>)",
	'![picture](https://example.invalid/a.png) <iframe srcdoc="<script>parent.pwned=1</script>">',
	'```mermaid\ngraph LR; a-->b; click a href "javascript:window.pwned=1"\n```',
	"\u001b[31mred\u001b[0m \u001b]8;;javascript:window.pwned=1\u0007link\u001b]8;;\u0007",
	"{{constructor.constructor('window.pwned=1')()}}",
	"<math><mtext><style><img src=x onerror=window.pwned=1></style></mtext></math>",
	"javascript:window.pwned=1",
	'<a href="java\tscript:window.pwned=1">x</a><form action=javascript:window.pwned=1><button>',
];
const ALL = PAYLOADS.join("\n\n");
const SHORT = '<img src=x onerror="window.pwned=1">';
const PROJECT = `${SHORT} project`;
const SESSION = `"><svg onload=window.pwned=1> session`;
const TRACE = "e".repeat(32);

let server: TestServer;
let browser: Browser;
let admin: Account;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	admin = await createAccount(server, "ADMIN");
	await sendHostileTrace();
	const operator = asAdmin(server);
	await operator.data("PUT", "/v1/projects/default", { description: ALL });
	const user = { auth_method: "LOCAL", email: "hostile@example.com", username: `${SHORT} name`, role: "ADMIN" };
	await operator.data("POST", "/v1/users", {
		user: { ...user, password: "first-Password1!" },
		send_welcome_email: false,
	});
	const hostile = await logIn(server, user.email, "first-Password1!");
	const change = { password: admin.password, current_password: "first-Password1!" };
	await hostile.send("PATCH", "/v1/user", change, { "user-agent": `${SHORT} browser` });
	await hostile.data("POST", "/v1/user/api_keys", { data: { name: `${SHORT} key`, description: ALL.slice(0, 200) } });
	await hostile.data("POST", "/v1/system/api_keys", { data: { name: `${SHORT} system key` } });
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

async function sendHostileTrace(): Promise<void> {
	const texts = (values: Record<string, string>) =>
		Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
	const start = BigInt(Date.now() - 60_000) * 1_000_000n;
	const shared = (index: number, kind: string, attributes: Record<string, string>) => ({
		traceId: TRACE,
		spanId: String(index).padStart(16, "0"),
		...(index === 1 ? {} : { parentSpanId: String(1).padStart(16, "0") }),
		name: `${SHORT} ${kind}`,
		kind: 1,
		startTimeUnixNano: String(start + BigInt(index)),
		endTimeUnixNano: String(start + 5_000_000n),
		status: { code: 2, message: ALL },
		attributes: texts({
			"openinference.span.kind": kind,
			"session.id": SESSION,
			"user.id": SHORT,
			"input.value": ALL,
			"output.value": ALL,
			metadata: JSON.stringify({ [SHORT]: ALL }),
			[SHORT]: ALL,
			...attributes,
		}),
		events: [
			{
				timeUnixNano: String(start + 1_000n),
				name: SHORT,
				attributes: texts({ [SHORT]: ALL, "exception.message": ALL, "exception.stacktrace": ALL }),
			},
			{
				timeUnixNano: String(start + 2_000n),
				name: "exception",
				attributes: texts({ "exception.type": SHORT, "exception.message": ALL, "exception.stacktrace": ALL }),
			},
		],
		links: [{ traceId: "f".repeat(32), spanId: "f".repeat(16), attributes: texts({ [SHORT]: ALL }) }],
	});
	const image = "llm.input_messages.0.message.contents.1.message_content";
	const spans = [
		shared(1, "AGENT", {}),
		shared(2, "LLM", {
			"llm.model_name": SHORT,
			"llm.input_messages.0.message.role": SHORT,
			"llm.input_messages.0.message.contents.0.message_content.type": "text",
			"llm.input_messages.0.message.contents.0.message_content.text": ALL,
			[`${image}.type`]: "image",
			[`${image}.image.image.url`]: "javascript:window.pwned=1",
			"llm.input_messages.1.message.role": "user",
			"llm.input_messages.1.message.contents.0.message_content.type": "image",
			"llm.input_messages.1.message.contents.0.message_content.image.image.url":
				"data:image/svg+xml,<svg xmlns='http://www.w3.org/2000/svg' onload='window.pwned=1'/>",
			"llm.output_messages.0.message.role": "assistant",
			"llm.output_messages.0.message.content": ALL,
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.name": SHORT,
			"llm.output_messages.0.message.tool_calls.0.tool_call.function.arguments": JSON.stringify({ [SHORT]: ALL }),
			"llm.invocation_parameters": JSON.stringify({ [SHORT]: ALL }),
			"llm.tools.0.tool.json_schema": JSON.stringify({ name: SHORT, description: ALL }),
		}),
		shared(3, "RETRIEVER", {
			"retrieval.documents.0.document.id": SHORT,
			"retrieval.documents.0.document.content": ALL,
			"retrieval.documents.0.document.metadata": JSON.stringify({ url: "javascript:window.pwned=1", [SHORT]: ALL }),
		}),
		shared(4, "TOOL", {
			"tool.name": SHORT,
			"tool.description": ALL,
			"tool.parameters": JSON.stringify({ [SHORT]: ALL }),
		}),
		shared(5, `${SHORT}`, { "input.mime_type": "text/html", "output.mime_type": "image/svg+xml" }),
	];
	const resource = { attributes: texts({ "openinference.project.name": PROJECT, "service.name": SHORT }) };
	const scopeSpans = [{ scope: { name: SHORT, version: SHORT }, spans }];
	const response = await fetch(`${server.url}/v1/traces`, {
		method: "POST",
		headers: { authorization: `Bearer ${ADMIN_SECRET}`, "content-type": "application/json" },
		body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans }] }),
	});
	if (!response.ok) throw new Error(`the export was answered with ${response.status}: ${await response.text()}`);
}

/** Logged in as the one with the hostile name, with a listener to what the content security policy had to stop. */
async function openHostile(path: string): Promise<WatchedPage & { readonly violations: string[] }> {
	const watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	const violations: string[] = [];
	await page.exposeFunction("reportViolation", (text: string) => violations.push(text));
	await page.addInitScript(() => {
		document.addEventListener("securitypolicyviolation", (event) => {
			const report: unknown = Reflect.get(window, "reportViolation");
			if (typeof report === "function") report(`${event.violatedDirective} ${event.blockedURI} ${event.sample}`);
		});
	});
	await page.goto(`${server.url}/login?returnUrl=${encodeURIComponent(path)}`);
	await fillLogIn(page, "hostile@example.com", admin.password);
	await page.waitForURL((url) => url.pathname !== "/login");
	return { ...watched, violations };
}

/** Nothing ran, nothing was stopped from running, nothing was asked of elsewhere, and no hostile element was made. */
async function expectInert({ page, violations, ...watched }: WatchedPage & { violations: string[] }): Promise<void> {
	expect(await page.evaluate(() => Reflect.get(window, "pwned"))).toBeUndefined();
	const made = await page.evaluate(() => {
		const dangerous = (element: Element) =>
			element.matches("iframe, object, embed, math, animate, form[action], #root script, img[src=x]") ||
			[...element.attributes].some(
				({ name, value }) =>
					name.startsWith("on") || /^\s*(javascript|vbscript|data:text)/i.test(value.replace(/[\t\n]/g, "")),
			);
		return [...document.body.querySelectorAll("*")]
			.filter((element) => !element.matches("input, textarea") && dangerous(element))
			.map((element) => element.outerHTML.slice(0, 200));
	});
	expect(made).toEqual([]);
	expect(violations).toEqual([]);
	expect(watched.foreignRequests).toEqual([]);
	expect(faultsOf({ page, ...watched })).toEqual([]);
}

const project = encodeURIComponent(PROJECT);
const PAGES: readonly (readonly [name: string, path: string, shows: string])[] = [
	["projects", "/", SHORT],
	["traces", `/p/${project}/traces?from=all`, SHORT],
	["all spans", `/p/${project}/traces?from=all&view=spans`, SHORT],
	["a filter", `/p/${project}/traces?from=all&q=${encodeURIComponent(SHORT)}`, SHORT],
	["sessions", `/p/${project}/sessions?from=all`, "svg onload"],
	["a session", `/p/${project}/sessions/${encodeURIComponent(SESSION)}`, SHORT],
	["overview by model", `/p/${project}/overview?from=all&by=model`, SHORT],
	["overview by name", `/p/${project}/overview?from=all&by=name`, SHORT],
	["project settings", "/p/default/settings", "Description"],
	["account", "/settings/account", "hostile@example.com"],
	["sessions of the account", "/settings/sessions", "Sessions"],
	["own keys", "/settings/api-keys", SHORT],
	["users", "/settings/users", SHORT],
	["keys of users", "/settings/user-keys", SHORT],
	["system keys", "/settings/system-keys", SHORT],
	["audit log", "/settings/audit", SHORT],
	["an address that names nothing", `/p/${encodeURIComponent(ALL.slice(0, 300))}/traces`, "There is no project"],
];

test.each(PAGES)("T098 what is hostile is only text: %s", async (_name, path, shows) => {
	await using watched = await openHostile(path);
	const { page } = watched;
	await page.goto(server.url + path);
	await page.getByText(shows).first().waitFor();
	await page.getByRole("button", { name: /^Account of / }).click();
	await page.getByRole("menuitem", { name: "Log out", exact: true }).waitFor();
	await expectInert(watched);
});

async function openEveryTab(page: Page): Promise<void> {
	const tabs = page.getByRole("tab");
	const count = await tabs.count();
	expect(count).toBeGreaterThan(2);
	for (let index = 0; index < count; index++) {
		await tabs.nth(index).click();
		await page.waitForTimeout(250);
	}
}

test.each([1, 2, 3, 4, 5])("T098 what is hostile is only text: every tab of span %i of a trace", async (index) => {
	const span = String(index).padStart(16, "0");
	await using watched = await openHostile(`/p/${project}/traces/${TRACE}?span=${span}`);
	await watched.page.getByRole("heading", { level: 1 }).waitFor();
	await openEveryTab(watched.page);
	await expectInert(watched);
});

test("T098 the check of these tests notices markup that came from a text", async () => {
	await using watched = await openHostile("/");
	await watched.page.evaluate((text) => {
		document.getElementById("root")?.insertAdjacentHTML("beforeend", text);
	}, SHORT);
	await expect.poll(() => watched.violations.length).toBeGreaterThan(0);
	await expect(expectInert(watched)).rejects.toThrow();
});
