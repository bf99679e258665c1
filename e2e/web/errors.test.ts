import { randomUUID } from "node:crypto";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { type Account, type Client, createAccount, logIn, startWithAuth } from "../access/accounts.ts";
import { browserOf, findAccessibilityViolations, launchBrowser, openPage } from "../browser.ts";
import type { TestServer } from "../server.ts";
import { type SentFailure, sendFailures } from "./error-data.ts";
import { expectWellMade, listRows } from "./pages.ts";
import { faultsOf } from "./sessions.ts";

const CITY = { message: "no city called Atlantis", functions: ["find_city", "plan_trip"], user: "ann" };
const STOCK = { message: "3 of 5 items are there", functions: ["take_stock", "plan_trip"], user: "ben" };
const OTHER_WAY = { ...STOCK, functions: ["take_stock", "pack"] };

const FAILURES: readonly SentFailure[] = [
	{ ...CITY, release: "1.0", minutesAgo: 90 },
	{ ...CITY, release: "2.0", minutesAgo: 30, user: "cleo" },
	{ ...CITY, release: "2.0", minutesAgo: 5 },
	{ ...STOCK, release: "2.0", minutesAgo: 20 },
	{ ...STOCK, release: "2.0", minutesAgo: 19 },
	{ ...OTHER_WAY, release: "2.0", minutesAgo: 40 },
];

/** Tests that need a shop. */
const TESTS = 4;
const shops: string[] = [];

let server: TestServer;
let browser: Browser;
let admin: Account;
let headers: Record<string, string>;
let client: Client;

beforeAll(async () => {
	server = await startWithAuth();
	browser = await launchBrowser();
	admin = await createAccount(server, "ADMIN");
	client = await logIn(server, admin.email, admin.password);
	headers = { cookie: [...client.cookies].map(([name, value]) => `${name}=${value}`).join("; ") };
	// Failures are grouped at intervals, so that the tests do not wait one after the other.
	shops.push(...(await Promise.all(Array.from({ length: TESTS }, makeShop))));
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

/** A project of its own with the failures: what a test changes there, neither another one nor its second try sees. */
async function shop(): Promise<string> {
	return shops.pop() ?? (await makeShop());
}

async function makeShop(): Promise<string> {
	const name = `shop-${randomUUID()}`;
	await sendFailures({ url: server.url, headers }, name, FAILURES);
	await vi.waitFor(async () => expect(await client.data("GET", `/v1/projects/${name}/error_groups`)).toHaveLength(3), {
		timeout: 200_000,
		interval: 500,
	});
	return name;
}

const open = (path: string, account = admin) =>
	openPage(browserOf(browser, server, account), `${server.url}${path}`, { colorScheme: "light" });

const titles = (page: Page) => listRows(page).getByRole("link").allTextContents();

test("the inbox is worked through by keyboard, what changed can be taken back, and what came waits", async () => {
	const project = await shop();
	await using watched = await open(`/p/${project}/errors`);
	const { page } = watched;
	const isOpen = (count: number) => page.getByRole("button", { name: `Open ${count}` });
	await listRows(page).first().waitFor();
	const count = await listRows(page).count();
	await isOpen(count).waitFor();
	await page.keyboard.press("?");
	const sheet = page.getByRole("dialog", { name: "Keyboard shortcuts" });
	for (const key of ["Resolve", "Ignore for ever", "Assign", "Undo the last change"])
		await sheet.getByText(key).waitFor();
	await page.keyboard.press("Escape");

	const [first] = await titles(page);
	await page.keyboard.press("j");
	// Keys count although what the one before does has not come to its end.
	await page.keyboard.press("r");
	await page.keyboard.press("u");
	await page.getByText("Undone.").waitFor();
	await isOpen(count).waitFor();
	await page.keyboard.press("k");
	await page.keyboard.press("r");
	await page.getByText("Resolved 1 group.").waitFor();
	await page.getByRole("button", { name: "Resolved 1" }).waitFor();
	await expect.poll(() => titles(page)).not.toContain(first);
	await page.keyboard.press("u");
	await page.getByText("Undone.").waitFor();
	await isOpen(count).waitFor();
	await expect.poll(() => titles(page)).toContain(first);

	await page.keyboard.press("x");
	await page.keyboard.press("k");
	await page.keyboard.press("x");
	await page.getByText("2 groups selected").waitFor();
	await page.keyboard.press("a");
	const assigning = page.getByRole("dialog", { name: "Assign 2 groups to" });
	await assigning.getByRole("button", { name: "Me" }).press("Enter");
	// While it goes, keys are not those of the list.
	await assigning.waitFor({ state: "hidden" });
	await expect.poll(() => listRows(page).getByText(admin.username).count()).toBe(2);
	await page.keyboard.press("j");
	await page.keyboard.press("i");
	await page.getByRole("button", { name: "Ignored 1" }).click();
	await page.waitForURL("**/errors?state=ignored");
	await expect.poll(() => listRows(page).count()).toBe(1);
	await page.keyboard.press("u");
	await page.getByRole("heading", { name: "Nothing is ignored" }).waitFor();
	await isOpen(count).click();

	const till = `till_${Date.now().toString(36)}`;
	const fresh = { ...STOCK, message: `no key of ${till}`, functions: [till], release: "3.0", minutesAgo: 0 };
	await sendFailures({ url: server.url, headers }, project, [fresh]);
	await page.getByRole("button", { name: "1 new" }).waitFor();
	expect(await titles(page)).toHaveLength(count);
	await page.keyboard.press("n");
	await isOpen(count + 1).waitFor();
	expect((await titles(page))[0]).toContain(till);

	const search = page.getByLabel("Words, or a filter of spans");
	await search.fill(till);
	await expect.poll(() => listRows(page).count()).toBe(1);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await search.fill("");
	await expectWellMade(page, page.getByText("Atlantis").first());
	expect(faultsOf(watched)).toEqual([]);
});

test("W28 what the inbox lists is charted in Explore, with the spans behind it, and has facets", async () => {
	await using watched = await open(`/p/${await shop()}/errors?q=atlantis`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.keyboard.press("f");
	const facets = page.getByRole("complementary", { name: "Facets" });
	await facets.getByRole("region", { name: "Release" }).getByText("2.0").click();
	await page.waitForURL((url) => url.searchParams.get("filter") === "release == '2.0'");
	// "Chart this" leads on from what is drawn.
	const release = facets.getByRole("region", { name: "Release" });
	await release.getByRole("button", { name: /^2\.0/, pressed: true }).waitFor();
	await release.getByText("1.0").waitFor();
	await page.getByRole("link", { name: "Chart this" }).click();
	await page.waitForURL("**/explore?*");
	const groups = page.getByRole("table", { name: "Groups" });
	await groups.getByText("Atlantis").first().waitFor();
	await page.getByRole("button", { name: "Rows", exact: true }).click();
	await expect.poll(() => page.getByRole("table", { name: "Rows" }).locator("tbody tr").count()).toBe(2);
	expect(await findAccessibilityViolations(page)).toEqual([]);
	expect(faultsOf(watched)).toEqual([]);
});

test("W49 the page of a group is read and worked with by keyboard alone", async () => {
	const project = await shop();
	await using watched = await open(`/p/${project}/errors?sort=count&q=atlantis`);
	const { page } = watched;
	await listRows(page).first().waitFor();
	await page.keyboard.press("j");
	await page.keyboard.press("Enter");
	await page.getByRole("heading", { level: 1, name: /Atlantis/ }).waitFor();
	const part = (name: string) => page.getByRole("region", { name, exact: true });
	await part("Occurrences over time")
		.getByRole("img", { name: /^3 occurrences between/ })
		.waitFor();
	await part("Figures").getByText("First in release").waitFor();
	for (const sample of ["Newest", "Oldest", "Release 1.0", "Release 2.0"])
		await part("Traces to look at").getByRole("link", { name: sample }).waitFor();
	await part("Users").getByRole("link", { name: "cleo" }).waitFor();
	await part("Stack").getByText("find_city in").waitFor();
	expect(await part("Stack").getByText("send in").isVisible()).toBe(false);
	await part("Stack").getByText("1 frame of libraries").press("Enter");
	await part("Stack").getByText("send in").waitFor();
	await part("Why these are together")
		.getByText("The same exception, through the same functions of own code.")
		.waitFor();

	await page.keyboard.press("c");
	await page.keyboard.type("It is *not* on the map.");
	await page.keyboard.press("Control+Enter");
	await part("Comments").getByText("on the map.").waitFor();
	await part("Comments").locator("em").waitFor();
	await page.keyboard.press("Escape");
	await page.getByRole("heading", { level: 1, name: `Errors, ${project}` }).waitFor();
	await page.goBack();
	await page.getByRole("button", { name: "Resolve in a release…" }).press("Enter");
	const dialog = page.getByRole("dialog", { name: "Resolve in a release" });
	expect(await dialog.getByRole("combobox", { name: "Release" }).inputValue()).toBe("2.0");
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.keyboard.press("Enter");
	await page.getByText("resolved in release 2.0", { exact: true }).waitFor();
	await part("Activity").getByText(`${admin.username} resolved it in release 2.0`).waitFor();
	await page.getByRole("heading", { level: 1 }).click();
	await page.keyboard.press("o");
	await part("Activity").getByText(`${admin.username} reopened it`).first().waitFor();
	await part("Traces to look at").getByRole("link", { name: "Newest" }).press("Enter");
	await page.getByRole("link", { name: /^3 times since .*, 2 users$/ }).press("Enter");
	await page.getByRole("heading", { level: 1, name: /Atlantis/ }).waitFor();
	await expectWellMade(page, part("Activity").getByText(`${admin.username} reopened it`).first());
	expect(faultsOf(watched)).toEqual([]);
});

test("similar groups are merged and taken apart again, and settings are the admin's", async () => {
	const project = await shop();
	await using watched = await open(`/p/${project}/errors?sort=count&q=items`);
	const { page } = watched;
	await listRows(page).first().getByRole("link").click();
	const similar = page.getByRole("region", { name: "Similar groups" });
	await similar.getByRole("checkbox", { name: /items are there/ }).press("Space");
	await similar.getByRole("button", { name: "Merge 1 group into this one" }).press("Enter");
	const dialog = page.getByRole("dialog", { name: "Merge groups?" });
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await dialog.getByRole("button", { name: "Merge", exact: true }).click();
	const fingerprints = page.getByRole("region", { name: "Fingerprints" });
	await expect.poll(() => fingerprints.getByRole("button", { name: /^Take out/ }).count()).toBe(2);
	await page.getByRole("img", { name: /^3 occurrences between/ }).waitFor();
	await fingerprints
		.getByRole("button", { name: /^Take out/ })
		.last()
		.press("Enter");
	await page.getByRole("img", { name: /^2 occurrences between/ }).waitFor();
	await fingerprints.waitFor({ state: "detached" });

	await page.goto(`${server.url}/p/${project}/settings`);
	const settings = page.getByRole("region", { name: "Errors" });
	await settings.getByLabel(/^Attribute with the release/).fill("build");
	await settings.getByRole("checkbox", { name: "Refusal" }).uncheck();
	await settings.getByRole("button", { name: "Save" }).click();
	await settings.getByText("Saved", { exact: true }).waitFor();
	await page.reload();
	expect(await settings.getByLabel(/^Attribute with the release/).inputValue()).toBe("build");
	expect(await settings.getByRole("checkbox", { name: "Refusal" }).isChecked()).toBe(false);

	const viewer = await createAccount(server, "VIEWER");
	await using reading = await open(`/p/${project}/errors`, viewer);
	await reading.page.getByText("Changing states needs the role editor").waitFor();
	expect(await reading.page.getByRole("checkbox").count()).toBe(0);
	await reading.page.goto(`${server.url}/p/${project}/settings`);
	await reading.page.getByRole("region", { name: "Errors" }).getByText("Only admins change this.").waitFor();
	await page.goto(`${server.url}/p/default/errors`);
	await page.getByText("No spans came in the last 24 hours").waitFor();
	expect(faultsOf(watched)).toEqual([]);
});
