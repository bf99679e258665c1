import { gzipSync } from "node:zlib";
import type { Page } from "playwright-core";

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
