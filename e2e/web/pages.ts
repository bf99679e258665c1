import { gzipSync } from "node:zlib";
import type { Locator, Page } from "playwright-core";
import { expect } from "vitest";
import { findAccessibilityViolations, findColourViolations } from "../browser.ts";

/**
 * What every page promises of what it shows now: it is accessible in both themes, and fits a phone. Open it with the
 * color scheme `light`; it is left dark, and as small as a phone.
 */
export async function expectWellMade(page: Page, shown: Locator): Promise<void> {
	await shown.waitFor();
	expect(await page.getByRole("heading", { level: 1 }).count()).toBe(1);
	expect(await page.getByRole("main").count()).toBe(1);
	expect(await drawnTheme(page)).toBe("light");
	expect(await findAccessibilityViolations(page)).toEqual([]);
	await page.emulateMedia({ colorScheme: "dark" });
	await expect.poll(() => drawnTheme(page)).toBe("dark");
	// Colours change by and by.
	await expect.poll(() => findColourViolations(page)).toEqual([]);
	await page.setViewportSize({ width: 390, height: 800 });
	await shown.waitFor();
	await expect.poll(() => overflowsSideways(page)).toBe(false);
}

export function drawnTheme(page: Page): Promise<string | undefined> {
	return page.evaluate(() => document.documentElement.dataset["theme"]);
}

/** Bytes of JavaScript, gzipped, that the page loads while `open` runs. */
export async function measureScripts(page: Page, open: () => Promise<unknown>): Promise<number> {
	const sizes: Promise<number>[] = [];
	page.on("response", (response) => {
		if (new URL(response.url()).pathname.endsWith(".js")) {
			sizes.push(response.body().then((body) => gzipSync(body).length));
		}
	});
	await open();
	return (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
}

/** Waits for `shown`, which a page with an installed clock shows after it has tried several times. */
export async function skipRetries(page: Page, shown: Locator): Promise<void> {
	const show = async () => {
		await page.clock.runFor(3_000);
		return await shown.count();
	};
	await expect.poll(show).toBe(1);
}

/** Whether the page can be scrolled sideways, which no page may. */
export function overflowsSideways(page: Page): Promise<boolean> {
	return page.evaluate(() => document.documentElement.scrollWidth > document.documentElement.clientWidth);
}

/** The row of a plain table that has this text. */
export function tableRow(page: Page, text: string) {
	return page.locator("tbody tr").filter({ hasText: text });
}

/** The rows of the list, without its head. */
export function listRows(page: Page) {
	return page
		.getByRole("grid")
		.getByRole("row")
		.filter({ has: page.getByRole("gridcell") });
}
