import type { Browser, Locator, Page } from "playwright-core";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";
import { type Account, asAdmin, type Client, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage, type WatchedPage } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { sendSpans } from "./otlp-json.ts";
import { listRows, overflowsSideways } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

const CONFIGS = [
	{
		name: "quality",
		type: "CATEGORICAL",
		optimization_direction: "MAXIMIZE",
		values: [
			{ label: "good", score: 1 },
			{ label: "bad", score: 0 },
		],
	},
	{ name: "relevance", type: "CONTINUOUS", optimization_direction: "MAXIMIZE", lower_bound: 0, upper_bound: 1 },
	{ name: "remark", type: "FREEFORM" },
];

let server: TestServer;
let browser: Browser;
let member: Account;
let other: Account;
let viewer: Account;
let client: Client;
let key: string;
let traces = 0;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	[member, other, viewer] = await Promise.all([
		createAccount(server, "MEMBER"),
		createAccount(server, "MEMBER"),
		createAccount(server, "VIEWER"),
	]);
	client = await logIn(server, member.email, member.password);
	key = (await client.data("POST", "/v1/user/api_keys", { data: { name: "sends" } })).key;
	for (const config of CONFIGS) await client.data("POST", "/v1/annotation_configs", config);
	await client.data("PUT", "/v1/projects/default/annotation_configs/quality");
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

interface Sent {
	readonly traceId: string;
	readonly spanIds: readonly [string, string];
}

/** A trace of a question and the model's answer. */
async function sendTrace(session?: string): Promise<Sent> {
	traces += 1;
	const digits = traces.toString(16).padStart(4, "0");
	const traceId = `aaaa${digits}`.repeat(4);
	const spanIds = [`bbbb${digits}`.repeat(2), `cccc${digits}`.repeat(2)] as const;
	const attributes = session === undefined ? {} : { "session.id": session };
	await sendSpans({ url: server.url, headers: { authorization: `Bearer ${key}` } }, [
		{
			traceId,
			spanId: spanIds[0],
			name: `question ${traces}`,
			startMs: traces * 10,
			endMs: traces * 10 + 9,
			attributes,
		},
		{
			traceId,
			spanId: spanIds[1],
			parentSpanId: spanIds[0],
			name: `answer ${traces}`,
			startMs: traces * 10 + 1,
			endMs: traces * 10 + 8,
			attributes: { "openinference.span.kind": "LLM", ...attributes },
		},
	]);
	return { traceId, spanIds };
}

function open(path: string, account: Account = member, options = {}): Promise<WatchedPage> {
	return openPage(browserOf(browser, server, account), server.url + path, options);
}

/** What is stored about a span, trace or session; the newest first. */
async function annotationsOf(kind: "span" | "trace" | "session", id: string) {
	const list = await client.data("GET", `/v1/projects/default/${kind}_annotations?${kind}_ids=${id}&limit=100`);
	return list.map(({ name, annotator_kind, source, user_id, result }: Record<string, unknown>) => ({
		name,
		annotator_kind,
		source,
		user_id,
		...(result as object),
	}));
}

const panel = (page: Page, what: string) => page.getByRole("region", { name: `Annotate ${what}` });
/** The button of a config's label. */
function label(page: Page, config: string, name: string) {
	return page
		.getByRole("group", { name: config, exact: true })
		.getByRole("button", { name: new RegExp(`\\b${name}\\b`) });
}

/** The keys go to what has the focus. */
function isFocused(element: Locator): Promise<void> {
	return expect.poll(() => element.evaluate((each) => each === document.activeElement)).toBe(true);
}

let sent: Sent;
beforeEach(async () => {
	sent = await sendTrace();
});

test("a span is annotated by keyboard alone, then the next, without any config being assigned", async () => {
	await using watched = await open(`/p/default/traces/${sent.traceId}`);
	const { page } = watched;
	await page.getByRole("treeitem", { selected: true }).waitFor();
	await page.keyboard.press("e");
	await panel(page, `span question ${traces}`).waitFor();
	await isFocused(label(page, "quality", "good"));
	await page.keyboard.press("1");
	expect(await label(page, "quality", "good").getAttribute("aria-pressed")).toBe("true");
	await page.keyboard.press("2");
	expect(await label(page, "quality", "bad").getAttribute("aria-pressed")).toBe("true");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.type("2");
	await page.getByRole("alert").filter({ hasText: "0 to 1" }).waitFor();
	await page.keyboard.press("Backspace");
	await page.keyboard.type("0.25");
	await page.keyboard.press("Tab");
	await page.keyboard.type("half of it");
	await page.keyboard.press("Enter");
	await panel(page, `span answer ${traces}`).waitFor();
	expect(await annotationsOf("span", sent.spanIds[0])).toEqual(
		expect.arrayContaining([
			{
				name: "quality",
				annotator_kind: "HUMAN",
				source: "APP",
				user_id: member.id,
				label: "bad",
				score: 0,
				explanation: null,
			},
			{
				name: "relevance",
				annotator_kind: "HUMAN",
				source: "APP",
				user_id: member.id,
				label: null,
				score: 0.25,
				explanation: "half of it",
			},
		]),
	);
	await page
		.getByRole("treeitem", { name: /question/ })
		.getByRole("img", { name: "Annotated" })
		.waitFor();
	await page.keyboard.press("1");
	await page.keyboard.press("Enter");
	await page.getByText("That was the last one.").waitFor();
	expect(await annotationsOf("span", sent.spanIds[1])).toMatchObject([{ name: "quality", label: "good" }]);
	expect(faultsOf(watched)).toEqual([]);
});

test("what was said is undone step by step, as it was before", async () => {
	await using watched = await open(`/p/default/traces/${sent.traceId}`);
	const { page } = watched;
	await page.getByRole("treeitem", { selected: true }).waitFor();
	const say = async (digit: string) => {
		await panel(page, `span question ${traces}`).waitFor();
		await expect.poll(() => label(page, "quality", "good").isVisible()).toBe(true);
		await page.keyboard.press(digit);
		await page.keyboard.press("Enter");
		await panel(page, `span answer ${traces}`).waitFor();
	};
	await page.keyboard.press("e");
	await isFocused(label(page, "quality", "good"));
	await say("1");
	await page.keyboard.press("k");
	await say("2");
	expect(await annotationsOf("span", sent.spanIds[0])).toMatchObject([{ label: "bad", score: 0 }]);
	await page.keyboard.press("u");
	await panel(page, `span question ${traces}`).waitFor();
	await page.getByText("Undone: quality").waitFor();
	expect(await annotationsOf("span", sent.spanIds[0])).toMatchObject([{ label: "good", score: 1 }]);
	await page.keyboard.press("u");
	await expect.poll(() => annotationsOf("span", sent.spanIds[0])).toEqual([]);
	await expect.poll(() => page.getByRole("img", { name: "Annotated" }).count()).toBe(0);
	await page.keyboard.press("u");
	await page.getByText("Nothing to undo.").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a note is added with n, edited and deleted", async () => {
	await using watched = await open(`/p/default/traces/${sent.traceId}`);
	const { page } = watched;
	await page.getByRole("treeitem", { selected: true }).waitFor();
	await page.keyboard.press("n");
	await isFocused(page.getByRole("textbox", { name: "Add a note" }));
	await page.keyboard.type("looks odd");
	await page.keyboard.press("Enter");
	await panel(page, `span answer ${traces}`).waitFor();
	await page.keyboard.press("k");
	const existing = page.getByRole("region", { name: "Annotations so far" });
	await existing.getByText("looks odd").waitFor();
	await existing.getByRole("button", { name: "Edit note" }).click();
	await page.getByRole("textbox", { name: "Note", exact: true }).fill("looks fine");
	await page.getByRole("button", { name: "Save", exact: true }).click();
	await existing.getByText("looks fine").waitFor();
	expect(await annotationsOf("span", sent.spanIds[0])).toMatchObject([{ name: "note", explanation: "looks fine" }]);
	await existing.getByRole("button", { name: "Delete note" }).click();
	await existing.getByText("None yet.").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});

test("a trace is annotated with Shift and E beside the list, which shows it, goes on to the next and filters by it", async () => {
	const next = await sendTrace();
	await using watched = await open("/p/default/traces");
	const { page } = watched;
	await listRows(page)
		.filter({ hasText: `question ${traces}` })
		.click();
	await page.getByRole("treeitem", { selected: true }).waitFor();
	await page.keyboard.press("Shift+E");
	await panel(page, `trace question ${traces}`).waitFor();
	await isFocused(label(page, "quality", "good"));
	await page.keyboard.press("1");
	await page.keyboard.press("Enter");
	await panel(page, `trace question ${traces - 1}`).waitFor();
	await isFocused(label(page, "quality", "good"));
	await page.keyboard.press("2");
	await page.keyboard.press("Enter");
	await expect.poll(() => annotationsOf("trace", sent.traceId)).toMatchObject([{ name: "quality", label: "bad" }]);
	expect(await annotationsOf("trace", next.traceId)).toMatchObject([{ name: "quality", label: "good" }]);
	await page.keyboard.press("Escape");
	await page.keyboard.press("Escape");
	const row = listRows(page).filter({ hasText: `question ${traces}` });
	await row.getByRole("button", { name: "quality good" }).click();
	await page.waitForURL(/filter=/);
	await expect.poll(() => listRows(page).count()).toBe(1);
	expect(await listRows(page).innerText()).toContain(`question ${traces}`);
	expect(faultsOf(watched)).toEqual([]);
});

test("a session is annotated from its page, and a config is made right there", async () => {
	const session = `talk-${traces}`;
	await sendTrace(session);
	await using watched = await open(`/p/default/sessions/${session}`);
	const { page } = watched;
	await page.getByText("Turn 1").waitFor();
	await page.keyboard.press("e");
	const annotate = panel(page, `session ${session}`);
	await annotate.getByRole("button", { name: "New config" }).click();
	await page.getByRole("textbox", { name: /^Name/ }).fill("helpful");
	await page.getByRole("textbox", { name: "Label 1", exact: true }).fill("yes");
	await page.getByRole("textbox", { name: "Label 2", exact: true }).fill("yes");
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByText("yes appears twice.").waitFor();
	await page.getByRole("textbox", { name: "Label 2", exact: true }).fill("no");
	await page.getByRole("button", { name: "Create" }).click();
	await page.getByRole("dialog").waitFor({ state: "detached" });
	await label(page, "helpful", "yes").click();
	await isFocused(label(page, "helpful", "yes"));
	await page.keyboard.press("Enter");
	await page.getByText("Saved 1 annotation.").waitFor();
	expect(await annotationsOf("session", session)).toMatchObject([{ name: "helpful", label: "yes", score: 1 }]);
	expect(faultsOf(watched)).toEqual([]);
});

test("people annotate side by side; only one's own is changed", async () => {
	const theirs = await logIn(server, other.email, other.password);
	await theirs.data("POST", "/v1/span_annotations?sync=true", {
		data: [
			{
				span_id: sent.spanIds[0],
				name: "quality",
				annotator_kind: "HUMAN",
				identifier: `app:${other.id}`,
				result: { label: "good", score: 1, explanation: "I like it" },
			},
			{ span_id: sent.spanIds[0], name: "judge", annotator_kind: "LLM", result: { score: 0.5 } },
		],
	});
	await using watched = await open(`/p/default/traces/${sent.traceId}`);
	const { page } = watched;
	await page
		.getByRole("treeitem", { name: /question/ })
		.getByRole("img", { name: "Annotated" })
		.waitFor();
	await page.keyboard.press("e");
	const existing = page.getByRole("region", { name: "Annotations so far" });
	await existing.getByText("I like it").waitFor();
	await existing.getByText(/^Model · another user/).waitFor();
	expect(await label(page, "quality", "good").getAttribute("aria-pressed")).toBe("false");
	expect(await existing.getByRole("button", { name: /^(Edit|Delete)/ }).count()).toBe(0);
	await label(page, "quality", "bad").click();
	await page.keyboard.press("Enter");
	await panel(page, `span answer ${traces}`).waitFor();
	expect(
		(await annotationsOf("span", sent.spanIds[0])).map((each: { label: string | null }) => each.label).toSorted(),
	).toEqual(["bad", "good", null]);
	expect(faultsOf(watched)).toEqual([]);
});

test("a viewer reads what was said, and is offered no form", async () => {
	await client.data("POST", "/v1/trace_annotations?sync=true", {
		data: [{ trace_id: sent.traceId, name: "quality", annotator_kind: "HUMAN", result: { label: "good" } }],
	});
	await using watched = await open(`/p/default/traces/${sent.traceId}`, viewer);
	const { page } = watched;
	await page.getByRole("button", { name: "1 annotation: quality good" }).click();
	await page.getByText("You may read annotations, but not add any.").waitFor();
	await page.getByRole("region", { name: "Annotations so far" }).getByText("quality").waitFor();
	expect(await page.getByRole("button", { name: /^(Save|Undo|Edit|Delete|New config)/ }).count()).toBe(0);
	expect(faultsOf(watched)).toEqual([]);
});

test("who is viewer of the project is offered no form, and an annotator changes own annotations only", async () => {
	await client.data("POST", "/v1/trace_annotations?sync=true", {
		data: [{ trace_id: sent.traceId, name: "quality", annotator_kind: "HUMAN", result: { label: "good" } }],
	});
	const reader = await createAccount(server, "MEMBER");
	const roles = [
		{ subject: { user: member.email }, role: "editor" },
		{ subject: { user: other.email }, role: "annotator" },
		{ subject: { user: reader.email }, role: "viewer" },
	];
	const setAccess = (change: object) => asAdmin(server).data("PATCH", "/v1/projects/default/access", change);
	await setAccess({ access: "restricted", set: roles });
	try {
		const path = `/p/default/traces/${sent.traceId}`;
		{
			await using watched = await open(path, reader);
			const { page } = watched;
			await page.getByRole("button", { name: "1 annotation: quality good" }).click();
			await page.getByText("You may read annotations, but not add any.").waitFor();
			expect(await page.getByRole("button", { name: /^(Annotate|Save|Undo|Edit|Delete)/ }).count()).toBe(0);
			expect(faultsOf(watched)).toEqual([]);
		}
		await using watched = await open(path, other);
		const { page } = watched;
		const existing = page.getByRole("region", { name: "Annotations so far" });
		await page.getByRole("button", { name: "1 annotation: quality good" }).click();
		await existing.getByText(/another user/).waitFor();
		expect(await existing.getByRole("button", { name: /^(Edit|Delete)/ }).count()).toBe(0);
		await label(page, "quality", "bad").click();
		await page.keyboard.press("Enter");
		await existing.getByRole("button", { name: "Edit quality" }).waitFor();
		expect(await existing.getByRole("button", { name: /^Delete/ }).count()).toBe(1);
		expect(faultsOf(watched)).toEqual([]);
	} finally {
		await setAccess({ access: "open", remove: roles.map(({ subject }) => subject) });
	}
});

test.each(["light", "dark"] as const)(
	"annotating is accessible in %s, and its keys are on the sheet",
	async (colorScheme) => {
		await using watched = await open(`/p/default/traces/${sent.traceId}`, member, { colorScheme });
		const { page } = watched;
		await page.getByRole("treeitem", { selected: true }).waitFor();
		await page.keyboard.press("e");
		await label(page, "quality", "good").click();
		expect(await findAccessibilityViolations(page)).toEqual([]);
		await page.keyboard.press("?");
		const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
		await sheet.getByText("Undo the last annotation").waitFor();
		await sheet.getByText("Annotate the span (with Shift the trace)").waitFor();
		expect(faultsOf(watched)).toEqual([]);
	},
);

test("annotating fits a phone", async () => {
	await using watched = await open(`/p/default/traces/${sent.traceId}`, member, {
		viewport: { width: 390, height: 800 },
	});
	const { page } = watched;
	await page.getByRole("button", { name: "Annotate", exact: true }).click();
	await label(page, "quality", "good").click();
	await page.getByRole("button", { name: /^Save, next span/ }).click();
	await panel(page, `span answer ${traces}`).waitFor();
	await expect.poll(() => overflowsSideways(page)).toBe(false);
	expect(faultsOf(watched)).toEqual([]);
});
