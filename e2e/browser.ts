import { readFileSync } from "node:fs";
import { setTimeout } from "node:timers/promises";
import type axe from "axe-core";
import { type Browser, type BrowserContext, type BrowserContextOptions, chromium, type Page } from "playwright-core";
import { ADMIN_EMAIL, ADMIN_PASSWORD } from "./first-use.ts";
import type { TestServer } from "./server.ts";

export type { Browser, BrowserContext, CDPSession, Page } from "playwright-core";

/** How long a page is waited for; what a busy machine keeps longer is stuck, and tried once more. */
const PAGE_WITHIN_MS = 120_000;

/** A browser whose contexts begin as a user's would: logged in where the server asks for it. */
export interface UserBrowser {
	newContext(options?: BrowserContextOptions): Promise<BrowserContext>;
	close(): Promise<void>;
}

/** Chromium for the user of `server`, logged in as the admin if it has authentication. Close it in `afterAll`. */
export async function launchBrowserFor(server: TestServer): Promise<UserBrowser> {
	const browser = await launchBrowser();
	if (server.adminKey === undefined) return browser;
	return browserOf(browser, server, { email: ADMIN_EMAIL, password: ADMIN_PASSWORD });
}

/** The browser of one person: each of its contexts begins logged in. */
export function browserOf(
	browser: Browser,
	server: TestServer,
	{ email, password }: { readonly email: string; readonly password: string },
): UserBrowser {
	return {
		newContext: async (options) => {
			const context = await browser.newContext(options);
			// A session for each context: tokens are renewed, so that two cannot share one.
			const response = await context.request.post(`${server.url}/auth/login`, { data: { email, password } });
			if (!response.ok()) throw new Error(`log-in answered ${response.status()}: ${await response.text()}`);
			// As the log-in page notes it; without it each page would begin by renewing its tokens.
			const key = `spanward.tokens-renewed${new URL(server.url).pathname.replace(/\/$/, "")}`;
			const stamp = { key, value: `${Date.now()}.logged-in-by-test` };
			await context.addInitScript(({ key, value }) => localStorage.setItem(key, value), stamp);
			return context;
		},
		close: () => browser.close(),
	};
}

/**
 * Chromium without a window; one per test file is enough. Close it in `afterAll`. `E2E_SLOW_STEPS_MS` holds the test for
 * so many milliseconds after each step that it takes in the browser (none by default): a test that waits for what the
 * page shows in passing, and not for what it shows in the end, then fails each time.
 */
export function launchBrowser(): Promise<Browser> {
	return chromium.launch({
		slowMo: Number(process.env["E2E_SLOW_STEPS_MS"] ?? 0),
		executablePath: process.env["CHROMIUM"] ?? "/usr/bin/chromium",
		args: [
			"--no-sandbox",
			"--disable-gpu",
			"--disable-quic",
			"--disable-dev-shm-usage",
			"--no-first-run",
			"--disable-background-networking",
			"--disable-component-update",
			"--disable-sync",
		],
	});
}

/** A page and what went wrong on it. */
export interface WatchedPage extends AsyncDisposable {
	readonly page: Page;
	/** Console errors, uncaught exceptions and failed requests so far; a test ends with `expect(problems).toEqual([])`. */
	readonly problems: readonly string[];
	/** Requests to another origin than the first page opened; always to be empty. */
	readonly foreignRequests: readonly string[];
}

/** Without motion, which costs a seventh of a core for as long as a page waits for traces. */
const AS_USUAL = {
	viewport: { width: 1440, height: 900 },
	locale: "en-GB",
	reducedMotion: "reduce",
} satisfies BrowserContextOptions;

/** A page in a context of its own (no cookies, no storage shared with other tests). */
export async function openPage(
	browser: UserBrowser,
	url: string,
	options: BrowserContextOptions = {},
): Promise<WatchedPage> {
	const context = await browser.newContext({ ...AS_USUAL, ...options });
	context.setDefaultTimeout(PAGE_WITHIN_MS);
	await slowRequests(context, new URL(url).origin);
	const page = await context.newPage();
	const problems: string[] = [];
	const foreignRequests: string[] = [];
	const { origin } = new URL(url);
	page.on("console", (message) => {
		if (message.type() === "error") problems.push(`console: ${message.text()} (${message.location().url})`);
	});
	page.on("pageerror", (error) => problems.push(`exception: ${error.message}`));
	page.on("requestfailed", (request) => {
		// A request that the page itself gives up (navigation, closed event stream) is not a failure.
		const reason = request.failure()?.errorText ?? "";
		if (reason !== "net::ERR_ABORTED") problems.push(`request: ${request.url()} ${reason}`);
	});
	page.on("request", (request) => {
		const requested = new URL(request.url());
		if (requested.protocol.startsWith("http") && requested.origin !== origin) foreignRequests.push(request.url());
	});
	await page.goto(url);
	await parkMouse(page);
	return { page, problems, foreignRequests, [Symbol.asyncDispose]: () => context.close() };
}

/** Without a window the mouse begins in the upper left corner, where the rail opens under it and covers the page. */
async function parkMouse(page: Page): Promise<void> {
	const { width, height } = page.viewportSize() ?? AS_USUAL.viewport;
	await page.mouse.move(width - 1, height - 1);
}

/**
 * Holds each request to the server's API for `E2E_SLOW_REQUESTS_MS` milliseconds (none by default): a test that looks
 * at the server before the page has been answered, or at a page that is not drawn yet, then fails each time.
 */
async function slowRequests(context: BrowserContext, origin: string): Promise<void> {
	const milliseconds = Number(process.env["E2E_SLOW_REQUESTS_MS"] ?? 0);
	if (milliseconds === 0) return;
	const isApi = (url: URL) => url.origin === origin && /\/(v1|auth|oauth2|ldap)\//.test(url.pathname);
	await context.route(isApi, async (route) => {
		await setTimeout(milliseconds);
		await route.fallback();
	});
}

const AXE = readFileSync(new URL(import.meta.resolve("axe-core/axe.min.js")), "utf8");
const WCAG = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"];
/** Those of {@link WCAG} that look at colours: another theme of the same page can break no other. */
const OF_COLOURS = ["color-contrast", "link-in-text-block"];

declare global {
	interface Window {
		readonly axe?: typeof axe;
	}
}

/**
 * Violations of WCAG 2 A and AA on the page as it is now, one line each. The pages have no frames, so that axe needs no
 * page of its own to collect what it finds in them, which took five times as long.
 */
export async function findAccessibilityViolations(page: Page): Promise<string[]> {
	return await runAxe(page, { type: "tag", values: WCAG });
}

/** Those of {@link findAccessibilityViolations} that a page can have in one theme only. */
export async function findColourViolations(page: Page): Promise<string[]> {
	return await runAxe(page, { type: "rule", values: OF_COLOURS });
}

async function runAxe(page: Page, runOnly: axe.RunOnly): Promise<string[]> {
	if (await page.evaluate(() => window.axe === undefined)) await page.evaluate(AXE);
	return await page.evaluate(async (rules) => {
		if (window.axe === undefined) throw new Error("axe is not on the page");
		const { violations } = await window.axe.run(document, { runOnly: rules, resultTypes: ["violations"] });
		return violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html}`));
	}, runOnly);
}
