import type { Browser, BrowserContext, Page, Request } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { ADMIN_SECRET, asAdmin, createAccount } from "../access/accounts.ts";
import { findAccessibilityViolations, launchBrowser } from "../browser.ts";
import { ADMIN_EMAIL, ADMIN_PASSWORD } from "../first-use.ts";
import { startServer, type TestServer } from "../server.ts";
import { sendSpans, spanIdOf } from "./otlp-json.ts";
import { expectWellMade, listRows, tableRow } from "./pages.ts";
import { promptVersion } from "./prompt-data.ts";
import { accountButton, faultsOf, openLoggedIn } from "./sessions.ts";

const LIST = "/p/default/traces?live=1";

let server: TestServer;
let browser: Browser;
let traces = 0;

beforeAll(async () => {
	server = await startServer({
		...{ authentication: true, inProcess: true },
		env: { SERVICE_ADMIN_SECRET: ADMIN_SECRET },
	});
	browser = await launchBrowser();
	await sendTrace();
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** The id of the trace whose span has this name. */
const traceOf = (name: string): string => Number(name.split(" ")[1]).toString(16).padStart(32, "0");

/** Sends a trace of one span. @returns the name of the span */
async function sendTrace(project = "default"): Promise<string> {
	traces += 1;
	const traceId = traces.toString(16).padStart(32, "0");
	const name = `arrival ${traces}`;
	const receiver = { url: server.url, headers: { ...server.headers, "x-project-name": project } };
	await sendSpans(receiver, [{ traceId, spanId: spanIdOf(traces), name, startMs: traces, endMs: traces + 1 }]);
	return name;
}

/** The pages that have a stream open now. */
function followStreams(context: BrowserContext): ReadonlySet<Page> {
	const open = new Set<Page>();
	const isStream = (url: string) => new URL(url).pathname.endsWith("/stream");
	context.on("request", (request) => isStream(request.url()) && open.add(request.frame().page()));
	const end = (request: Request) => isStream(request.url()) && open.delete(request.frame().page());
	context.on("requestfinished", end);
	context.on("requestfailed", end);
	return open;
}

test("windows of one browser share one live connection, which outlives the one that has it and ends with the log-out", async () => {
	await using watched = await openLoggedIn(browser, server, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
	const first = watched.page;
	const context = first.context();
	const open = followStreams(context);
	const second = await context.newPage();
	const third = await context.newPage();
	const shows = (page: Page, name: string) => listRows(page).filter({ hasText: name }).waitFor();
	for (const page of [first, second, third]) {
		await page.goto(server.url + LIST);
		await shows(page, "arrival 1");
	}
	await expect.poll(() => [...open]).toEqual([first]);
	const shared = await sendTrace();
	await Promise.all([first, second, third].map((page) => shows(page, shared)));
	expect([...open]).toEqual([first]);

	await first.goto(`${server.url}/settings/account`);
	await expect.poll(() => [...open]).toEqual([second]);
	const next = await sendTrace();
	await Promise.all([second, third].map((page) => shows(page, next)));

	await second.close();
	await expect.poll(() => open.has(third)).toBe(true);
	const last = await sendTrace();
	await shows(third, last);

	await accountButton(first).click();
	await first.getByRole("menuitem", { name: "Log out", exact: true }).click();
	await third.waitForURL(/\/log(in|out)/);
	await expect.poll(() => open.has(third)).toBe(false);
});

test("R05 a project that is restricted goes from all windows, without its name, and comes back to who gets a role", async () => {
	const arrival = await sendTrace("ledger");
	const member = await createAccount(server, "MEMBER");
	const { id: ledger } = await asAdmin(server).data("GET", "/v1/projects/ledger");
	const uploaded = { name: "accounts", inputs: [], project: "ledger" };
	const { dataset_id: dataset } = await asAdmin(server).data("POST", "/v1/datasets/upload?sync=true", uploaded);
	const prompt = { name: "balance", project: "ledger" };
	await asAdmin(server).data("POST", "/v1/prompts", { prompt, version: promptVersion({ system: "Sum up." }) });
	const setAccess = (change: object) => asAdmin(server).data("PATCH", "/v1/projects/ledger/access", change);
	await using watched = await openLoggedIn(browser, server, member, "/p/ledger/traces?live=1", {
		colorScheme: "light",
	});
	const { page } = watched;
	const row = (each: Page) => listRows(each).filter({ hasText: arrival });
	await row(page).waitFor();
	const second = await page.context().newPage();
	await second.goto(`${server.url}/p/ledger/settings`);
	await second.getByRole("main").getByText("ledger").waitFor();
	let streams = 0;
	page.context().on("request", (request) => {
		if (new URL(request.url()).pathname.endsWith("/stream")) streams += 1;
	});

	await setAccess({ access: "restricted" });
	const notHere = (each: Page) => each.getByRole("heading", { level: 1, name: "Not here, or not for you" });
	await notHere(page).waitFor();
	const overview = second.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Overview" });
	// A page that asked again by itself is there already.
	await overview.or(notHere(second)).first().dispatchEvent("click");
	await notHere(second).waitFor();
	for (const each of [page, second]) {
		expect(await each.title()).toBe("Not here, or not for you · Spanward");
		expect(await each.locator("#root").innerHTML()).not.toMatch(/ledger|arrival/);
	}
	await page.keyboard.press("Control+k");
	await page.getByRole("option", { name: "default" }).waitFor();
	expect(await page.getByRole("listbox").textContent()).not.toContain("ledger");
	await page.keyboard.press("Escape");
	await expectWellMade(page, page.getByRole("main").getByRole("link", { name: "Go to projects" }));
	await page.setViewportSize({ width: 1280, height: 800 });
	expect(streams).toBe(0);
	// Addresses by id look the same, and open by themselves, too.
	const absent = [
		[`/datasets/${dataset}/examples`, "Not here, or not for you", "accounts"],
		["/prompts/balance", "Not here, or not for you", "balance"],
		[`/redirects/traces/${traceOf(arrival)}`, "Nothing here has the id", arrival],
		[`/p/${ledger}/traces/${traceOf(arrival)}`, "There is no project", arrival],
	] as const;
	const waiting: Page[] = [];
	for (const [path, title] of absent) {
		const each = await page.context().newPage();
		await each.goto(server.url + path);
		await each.getByRole("main").getByText(title).first().waitFor();
		waiting.push(each);
	}

	await setAccess({ set: [{ subject: { user: member.email }, role: "viewer" }] });
	await row(page).waitFor();
	for (const [index, each] of waiting.entries()) {
		await each
			.getByText(absent[index]?.[2] ?? "")
			.first()
			.waitFor();
		await each.getByRole("heading", { name: /^(There is no|Nothing here|Not here)/ }).waitFor({ state: "detached" });
		await each.close();
	}
	const lock = { name: /^Restricted/ };
	await page.getByRole("button", { name: /ledger Restricted/ }).click();

	await page.getByRole("link", { name: /^ledger Restricted/ }).waitFor();
	await page.keyboard.press("Escape");
	await row(page).getByRole("checkbox").click();
	const bar = page.getByRole("region", { name: "Selection" });
	await bar.getByText("1 trace selected").waitFor();
	expect(await bar.getByRole("button").allTextContents()).toEqual(["Select all that fit", "", "Download"]);
	await page.keyboard.press("Control+k");
	await page.getByRole("option", { name: /ledger Restricted/ }).waitFor();
	await page.keyboard.press("Escape");
	await page.goto(server.url);
	await tableRow(page, "ledger").getByRole("img", lock).waitFor();
	expect(await tableRow(page, "default").getByRole("img", lock).count()).toBe(0);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(faultsOf(watched)).toEqual([]);
});
