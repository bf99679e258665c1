import type { BrowserContextOptions, Locator } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowserFor, openPage, type UserBrowser } from "../browser.ts";
import { replay } from "../fixture-sources.ts";
import { startServer, type TestServer } from "../server.ts";
import { listRows, overflowsSideways } from "./pages.ts";

const VIEWPORT = { width: 390, height: 800 };
const PHONE: BrowserContextOptions = { viewport: VIEWPORT, hasTouch: true, isMobile: true };
/** Of the controls that a page is for; WCAG 2.2 asks for 24 of every one. */
const TARGET = 44;

let server: TestServer;
let browser: UserBrowser;

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	await replay(server, ["py-openai-openinference"], "--shift-now");
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

async function boxOf(element: Locator) {
	const box = await element.boundingBox();
	if (box === null) throw new Error("the element is not drawn");
	return box;
}

/** Those of `elements` that are smaller than a finger needs, by their texts. */
async function tooSmall(elements: Locator, least: number): Promise<string[]> {
	const sizes = await elements.evaluateAll((all) =>
		all.map((element) => ({ text: element.textContent ?? "", box: element.getBoundingClientRect() })),
	);
	expect(sizes.length).toBeGreaterThan(0);
	return sizes
		.filter(({ box }) => box.width > 0 && (box.width < least || box.height < least))
		.map(({ text, box }) => `${text} ${box.width} × ${box.height}`);
}

test("on a phone the navigation shows names, and its targets are large enough for a finger", async () => {
	await using watched = await openPage(browser, `${server.url}/p/bike-shop/traces`, PHONE);
	const { page } = watched;
	await listRows(page).first().waitFor();
	const main = page.getByRole("navigation", { name: "Main" });
	const name = await boxOf(main.getByText("Traces", { exact: true }));
	expect(name.width).toBeGreaterThan(20);
	expect(name.y + name.height).toBeLessThanOrEqual(VIEWPORT.height);
	expect(await tooSmall(main.locator("a, button:visible"), TARGET)).toEqual([]);
	expect(await tooSmall(page.locator("main").getByRole("button").filter({ visible: true }), 24)).toEqual([]);
	const isCut = (names: Element[]) =>
		names.filter(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth).map(({ textContent }) => textContent);
	expect(await main.locator("span").evaluateAll(isCut)).toEqual([]);
	await main.getByRole("button", { name: "More" }).tap();
	await page.getByRole("menuitem").first().waitFor();
	await expect.poll(() => tooSmall(page.getByRole("menuitem"), TARGET)).toEqual([]);
	await page.getByRole("menuitem", { name: "Evaluators" }).tap();
	await page.getByRole("heading", { name: "Evaluators", exact: true }).waitFor();
	await expect.poll(() => main.getByRole("button", { name: "More" }).getAttribute("data-status")).toBe("active");
	expect(await main.locator("span").evaluateAll(isCut)).toEqual([]);
	await main.getByRole("button", { name: "More" }).tap();
	await page.getByRole("menuitem", { name: "Settings", exact: true }).tap();
	await page.waitForURL("**/settings/*");
	expect(await overflowsSideways(page)).toBe(false);
});

test("on a phone the form for annotating opens in view", async () => {
	await using watched = await openPage(browser, `${server.url}/p/bike-shop/traces`, PHONE);
	const { page } = watched;
	await listRows(page).first().getByRole("gridcell").nth(1).tap();
	await page.getByRole("treeitem").first().waitFor();
	await page
		.getByRole("button", { name: /^Annotate/ })
		.first()
		.tap();
	const panel = page.getByRole("region", { name: /^Annotate/ });
	const save = panel.getByRole("button", { name: /^Save/ });
	await save.waitFor();
	await expect
		.poll(async () => {
			const [whole, button] = [await boxOf(panel), await boxOf(save)];
			return whole.y >= 0 && whole.y + whole.height <= VIEWPORT.height && button.height >= TARGET;
		})
		.toBe(true);
	expect(await overflowsSideways(page)).toBe(false);
});
