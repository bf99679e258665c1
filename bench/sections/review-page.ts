import { setTimeout as sleep } from "node:timers/promises";
import { createAccount } from "../../e2e/access/accounts.ts";
import { browserOf, launchBrowser, openPage, type Page } from "../../e2e/browser.ts";
import type { TestServer } from "../../e2e/server.ts";
import { type Figure, formatNumber, quantile } from "../figure.ts";

/** Items that are answered, after the first ones, with which code and caches get warm. */
const ANSWERED = 60;
const WARM_UP = 5;
/** Milliseconds that somebody looks at an item at least; the next ones are loaded meanwhile. */
const LOOK = 700;

/** One person who reviews traces by keyboard in the web app. @param queue of traces with one question of labels */
export async function measureReviewPage(place: string, server: TestServer, queue: string): Promise<Figure> {
	const browser = await launchBrowser();
	try {
		const account = await createAccount(server, "MEMBER");
		await using watched = await openPage(browserOf(browser, server, account), `${server.url}/reviews/${queue}/review`);
		const { page } = watched;
		await page.locator('[role="treeitem"]').first().waitFor();
		const times: number[] = [];
		for (let item = 0; item < WARM_UP + ANSWERED; item += 1) {
			await page.keyboard.press("1");
			await sleep(LOOK);
			const time = await timeToNext(page);
			if (item >= WARM_UP) times.push(time);
		}
		return {
			name: `${place}from Enter until the next trace is shown in the browser, p95`,
			value: quantile(times, 0.95),
			...{ unit: "ms", target: { atMost: 100 } },
			detail: `${ANSWERED} traces, one person who looks at each for ${LOOK} ms; p50 ${formatNumber(quantile(times, 0.5))} ms`,
		};
	} finally {
		await browser.close();
	}
}

/** Saves, and waits until another trace is there. @returns milliseconds since the key was pressed */
async function timeToNext(page: Page): Promise<number> {
	const shown = await page.evaluateHandle(() => {
		const find = () => document.querySelector('section[aria-label="What is reviewed"]');
		const before = find();
		const isShown = () => find() !== before && find()?.querySelector('[role="treeitem"]') !== null;
		const watch = async () => {
			const pressed = performance.now();
			while (!isShown()) await new Promise(requestAnimationFrame);
			return performance.now() - pressed;
		};
		const time = new Promise<number>((resolve) => {
			window.addEventListener("keydown", () => resolve(watch()), { capture: true, once: true });
		});
		return { time };
	});
	await page.keyboard.press("Enter");
	return await shown.evaluate(({ time }) => time);
}
