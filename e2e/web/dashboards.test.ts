import type { Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { launchBrowserFor, openPage, type UserBrowser } from "../browser.ts";
import { startServer, type TestServer } from "../server.ts";
import { sendSpans } from "./otlp-json.ts";
import { expectWellMade, measureScripts, overflowsSideways } from "./pages.ts";

let server: TestServer;
let browser: UserBrowser;
const MODELS = ["gpt-4o", "gpt-4o", "gpt-4o", "claude-sonnet", "claude-sonnet", "mistral-large"];

beforeAll(async () => {
	server = await startServer();
	browser = await launchBrowserFor(server);
	await sendSpans(
		server,
		MODELS.map((model, at) => ({
			...{ traceId: `${at + 1}`.padStart(32, "a"), spanId: `${at + 1}`.padStart(16, "b"), name: `call ${at}` },
			...{ startMs: at, endMs: at + 900 },
			attributes: {
				...{ "openinference.span.kind": "LLM", "llm.model_name": model, "llm.token_count.prompt": BigInt(100 + at) },
				"user.id": at % 2 === 0 ? "ada" : "lin",
			},
		})),
	);
});
afterAll(async () => {
	await browser.close();
	await server[Symbol.asyncDispose]();
});

const BY_MODEL = { of: "spans", measure: ["count"], group_by: ["model"] };
const widget = (key: string, place: object, more: object = {}) => ({
	...{ key, kind: "bar", title: `Calls ${key}`, query: BY_MODEL, layout: { x: 0, y: 0, w: 6, h: 5, ...place } },
	...more,
});

async function make(body: object): Promise<string> {
	const response = await server.fetch("/v1/dashboards", {
		method: "POST",
		headers: { "content-type": "application/json" },
		body: JSON.stringify({ project_id: "default", range: "24h", ...body }),
	});
	const text = await response.text();
	if (!response.ok) throw new Error(`${response.status} ${text}`);
	return JSON.parse(text).data.id;
}

async function read(id: string) {
	const answer = (await server.getJson(`/v1/dashboards/${id}`)) as {
		data: { name: string; widgets: { key: string; layout: { x: number; y: number; w: number; h: number } }[] };
	};
	return answer.data;
}
const addressOf = (id: string, query = "") =>
	`${server.url}/p/default/dashboards/${encodeURIComponent(id)}${query === "" ? "" : `?${query}`}`;
const region = (page: Page, title: string) => page.getByRole("region", { name: title, exact: true });

test.each([
	["overview", "/p/default/dashboards/builtin:overview?from=24h", "gpt-4o"],
	["latency across projects", "/dashboards/builtin:latency?from=24h", "Slowest spans by name"],
	["the list", "/p/default/dashboards", "Tools and agents"],
])(
	"W22 %s opens without a request that fails, is accessible in both themes and fits a phone",
	async (_name, path, shows) => {
		await using watched = await openPage(browser, server.url + path, { colorScheme: "light" });
		const { page } = watched;
		await expectWellMade(page, page.getByText(shows).first());
		expect(await page.getByRole("alert").count()).toBe(0);
		expect(watched.problems).toEqual([]);
		expect(watched.foreignRequests).toEqual([]);
	},
);

test("opening a dashboard first takes at most 300 KB of scripts", async () => {
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	const size = await measureScripts(page, async () => {
		await page.goto(`${server.url}/p/default/dashboards/builtin:overview?from=24h`);
		await page.getByText("gpt-4o").first().waitFor();
		await page.waitForLoadState("networkidle");
	});
	expect(size).toBeGreaterThan(50_000);
	expect(size).toBeLessThanOrEqual(300_000);
});

test("W23 a widget moved and sized with the keyboard stands there after a reload, and on a phone in one column", async () => {
	const id = await make({ name: "Moved", widgets: [widget("a", {}), widget("b", { x: 6 })] });
	await using watched = await openPage(browser, addressOf(id), { colorScheme: "light" });
	const { page } = watched;
	await page.getByRole("button", { name: "Edit", exact: true }).click();
	const group = page.getByRole("group", { name: "Calls a" });
	const said = page.getByRole("status").filter({ hasText: /Calls a/ });
	await group.focus();
	await page.keyboard.press("m");
	await said.filter({ hasText: "Moving Calls a" }).waitFor({ state: "attached" });
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Escape");
	await said.filter({ hasText: "back where it was" }).waitFor({ state: "attached" });
	await page.keyboard.press("m");
	await page.keyboard.press("ArrowDown");
	await page.keyboard.press("Shift+ArrowRight");
	await page.keyboard.press("Shift+ArrowDown");
	await said.filter({ hasText: "column 1, row 2, 7 columns wide, 6 rows high" }).waitFor({ state: "attached" });
	await page.keyboard.press("Enter");
	await expectWellMadeHere(page);
	await page.getByRole("button", { name: "Save", exact: true }).click();
	await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
	const places = Object.fromEntries((await read(id)).widgets.map(({ key, layout }) => [key, layout]));
	expect(places).toEqual({ a: { x: 0, y: 1, w: 7, h: 6 }, b: { x: 6, y: 7, w: 6, h: 5 } });
	await page.reload();
	const [a, b] = [await region(page, "Calls a").boundingBox(), await region(page, "Calls b").boundingBox()];
	expect(b?.y).toBeGreaterThanOrEqual((a?.y ?? 0) + (a?.height ?? 0));
	await page.setViewportSize({ width: 390, height: 800 });
	await expect
		.poll(async () => (await region(page, "Calls b").boundingBox())?.x)
		.toBe((await region(page, "Calls a").boundingBox())?.x);
	expect(await overflowsSideways(page)).toBe(false);
	expect(watched.problems).toEqual([]);
});

async function expectWellMadeHere(page: Page): Promise<void> {
	const { findAccessibilityViolations } = await import("../browser.ts");
	expect(await findAccessibilityViolations(page)).toEqual([]);
}

test("a widget is dragged by its title and added from what is offered, and leaving with changes asks", async () => {
	const id = await make({ name: "Dragged", widgets: [widget("a", {})] });
	await using watched = await openPage(browser, addressOf(id));
	const { page } = watched;
	await page.getByRole("button", { name: "Edit", exact: true }).click();
	const title = page.getByRole("heading", { name: "Calls a" });
	const box = await title.boundingBox();
	if (box === null) throw new Error("the title is not drawn");
	await page.mouse.move(box.x + 40, box.y + box.height / 2);
	await page.mouse.down();
	await page.mouse.move(box.x + 300, box.y + box.height / 2, { steps: 4 });
	await page.mouse.move(box.x + 700, box.y + box.height / 2, { steps: 4 });
	await page.mouse.up();
	await page.getByRole("button", { name: "Add widget" }).first().click();
	const offered = page.getByRole("list", { name: "Add widget" }).getByRole("button");
	expect(await offered.count()).toBeGreaterThanOrEqual(20);
	await offered.filter({ hasText: "Users by cost" }).click();
	await region(page, "Users by cost").getByText("ada").waitFor();
	await page.getByRole("navigation", { name: "Project" }).getByRole("link", { name: "Traces" }).click();
	const dialog = page.getByRole("dialog", { name: "Leave without saving?" });
	await dialog.getByRole("button", { name: "Keep editing" }).click();
	await page.getByRole("button", { name: "Save", exact: true }).click();
	await page.getByRole("button", { name: "Edit", exact: true }).waitFor();
	const { widgets } = await read(id);
	expect(widgets.map(({ layout: { x, w } }) => [x, w])).toEqual([
		[6, 6],
		[0, 12],
	]);
	expect(watched.problems).toEqual([]);
});

test("W24 a bar of a stack leads to its rows under the filter and the menu, and Back to where the page was", async () => {
	const id = await make({
		...{ name: "Clicked", filter: "latency_ms > 1", controls: ["user"] },
		widgets: [
			{ key: "t", kind: "text", title: "Above", text: "# Above", layout: { x: 0, y: 0, w: 12, h: 18 } },
			widget("stack", { y: 18, w: 12 }, { kind: "time_series", display: { style: "bars", stacked: true } }),
			{ key: "u", kind: "text", title: "Below", text: "Below", layout: { x: 0, y: 23, w: 12, h: 18 } },
		],
	});
	await using watched = await openPage(browser, addressOf(id));
	const { page } = watched;
	await page.getByRole("button", { name: /^User/ }).click();
	await page.getByRole("button", { name: "ada" }).click();
	const stack = region(page, "Calls stack");
	await stack.scrollIntoViewIfNeeded();
	// The answer before stays until the one for the user is there, which its links say.
	await stack.locator('a[href*="user_id"]', { hasText: "gpt-4o" }).waitFor();
	const scroller = page.locator("main > div").first();
	const before = await scroller.evaluate((element) => element.scrollTop);
	expect(before).toBeGreaterThan(0);
	const address = page.url();
	await clickBar(page, "Calls stack", "gpt-4o");
	await page.waitForURL(/\/traces\?/);
	const shown = new URL(page.url()).searchParams;
	const [from = 0, to = 0] = ["from", "to"].map((name) => Date.parse(shown.get(name) ?? ""));
	// The last bucket ends with the range.
	expect(to - from).toBeGreaterThan(0);
	expect(to - from).toBeLessThanOrEqual(15 * 60_000);
	const filter = shown.get("filter") ?? "";
	for (const part of ["latency_ms > 1", "user_id == 'ada'", "model == 'gpt-4o'"]) expect(filter).toContain(part);
	await page.getByText("2 rows, all loaded").waitFor();
	await page.goBack();
	await expect.poll(() => page.url()).toBe(address);
	await stack.getByRole("link", { name: "gpt-4o" }).waitFor();
	await expect.poll(() => scroller.evaluate((element) => element.scrollTop)).toBe(before);
	expect(watched.problems).toEqual([]);
});

/** Clicks on the last painted column of pixels of a group. */
async function clickBar(page: Page, title: string, group: string): Promise<void> {
	const stack = region(page, title);
	const swatch = stack.getByRole("listitem").filter({ hasText: group }).locator("span[aria-hidden]").first();
	const color = await swatch.evaluate((element) => getComputedStyle(element).backgroundColor);
	const place = await stack.locator("canvas").evaluate((canvas: HTMLCanvasElement, wanted) => {
		const parts = wanted.match(/\d+/g)?.map(Number) ?? [];
		const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
		const { width, height } = canvas.getBoundingClientRect();
		for (let x = canvas.width - 1; x >= 0; x -= 1) {
			const isOf = (y: number) => parts.every((part, at) => data[4 * (y * canvas.width + x) + at] === part);
			const column = Array.from({ length: canvas.height }, (_, y) => y).filter(isOf);
			const middle = column[Math.floor(column.length / 2)];
			if (middle !== undefined) return { x: (x * width) / canvas.width, y: (middle * height) / canvas.height };
		}
		return undefined;
	}, color);
	if (place === undefined) throw new Error(`nothing is painted in ${color}`);
	const box = await stack.locator("canvas").boundingBox();
	if (box === null) throw new Error("the chart is not shown");
	await page.mouse.move(box.x + place.x, box.y + place.y);
	await page.mouse.click(box.x + place.x, box.y + place.y);
}

test("W26 who saves second is told of it, and loses nothing", async () => {
	const id = await make({ name: "Contested", widgets: [widget("a", {})] });
	await using watched = await openPage(browser, addressOf(id));
	const { page } = watched;
	await page.getByRole("button", { name: "Edit", exact: true }).click();
	await page.getByRole("button", { name: "Settings", exact: true }).click();
	await page.getByRole("textbox", { name: "Name" }).fill("Mine");
	await page.getByRole("button", { name: "Apply" }).click();
	const other = await server.fetch(`/v1/dashboards/${id}`, {
		...{ method: "PUT", headers: { "content-type": "application/json" } },
		body: JSON.stringify({ name: "Theirs", widgets: [] }),
	});
	expect(other.status).toBe(200);
	await page.getByRole("button", { name: "Save", exact: true }).click();
	const dialog = page.getByRole("dialog", { name: "Somebody else saved this dashboard meanwhile" });
	await dialog.getByText(/saved it .*\. Your changes are still here\./).waitFor();
	await dialog.getByRole("button", { name: "Save as copy" }).click();
	await page.getByRole("heading", { level: 1, name: "Mine (copy)" }).waitFor();
	expect((await read(id)).name).toBe("Theirs");
	// The browser itself notes the answer 412.
	expect(watched.problems.filter((problem) => !problem.includes("412"))).toEqual([]);
});

test("W30 nothing in a text runs, and nothing is loaded for it", async () => {
	const text = [
		"<script>window.ran = true</script><img src=x onerror='window.ran = true'>",
		"[click](javascript:window.ran=true) ![a picture](https://elsewhere.example/p.png)",
		"![script](javascript:window.ran=true) **bold**",
	].join("\n\n");
	const layout = { x: 0, y: 0, w: 12, h: 8 };
	const id = await make({ name: "Written", widgets: [{ key: "t", kind: "text", title: "Notes", text, layout }] });
	await using watched = await openPage(browser, addressOf(id));
	const { page } = watched;
	const notes = region(page, "Notes");
	await notes.locator("strong", { hasText: "bold" }).waitFor();
	const links = await notes.getByRole("link").evaluateAll((all) => all.map((each) => each.getAttribute("href")));
	expect(links).toEqual(["https://elsewhere.example/p.png"]);
	expect(await notes.locator("img, script").count()).toBe(0);
	expect(await page.evaluate(() => Reflect.get(window, "ran"))).toBeUndefined();
	expect(watched.foreignRequests).toEqual([]);
	expect(watched.problems).toEqual([]);
});

test("W32 in the background nothing is asked, in front again once, and one failure leaves the others", async () => {
	const broken = { ...BY_MODEL, filter: "latency_ms > 1" };
	const id = await make({
		...{ name: "Quiet", refresh_seconds: 30 },
		widgets: [widget("fine", {}), widget("failing", { x: 6 }, { query: broken })],
	});
	await using watched = await openPage(browser, `${server.url}/healthz`);
	const { page } = watched;
	const asked: string[] = [];
	let isFailing = true;
	await page.route(/\/analytics\?/, async (route) => {
		asked.push(route.request().url());
		if (isFailing && route.request().url().includes("latency_ms"))
			await route.fulfill({ status: 400, contentType: "application/problem+json", body: '{"detail":"broke here"}' });
		else await route.continue();
	});
	await page.addInitScript(() => {
		let state: DocumentVisibilityState = "hidden";
		Object.defineProperty(document, "visibilityState", { get: () => state });
		Reflect.set(window, "show", (next: DocumentVisibilityState) => {
			state = next;
			document.dispatchEvent(new Event("visibilitychange"));
		});
	});
	await page.clock.install();
	await page.goto(addressOf(id));
	await page.getByRole("heading", { name: "Calls fine" }).waitFor();
	await page.clock.runFor(120_000);
	expect(asked).toEqual([]);
	await page.evaluate(() => Reflect.get(window, "show")("visible"));
	await region(page, "Calls fine").getByText("mistral-large").waitFor();
	const failing = region(page, "Calls failing");
	await failing.getByText("broke here").waitFor();
	const first = asked.length;
	expect(first).toBe(2);
	await page.evaluate(() => Reflect.get(window, "show")("hidden"));
	await page.clock.runFor(300_000);
	expect(asked.length).toBe(first);
	isFailing = false;
	await page.evaluate(() => Reflect.get(window, "show")("visible"));
	await failing.getByText("mistral-large").waitFor();
	expect(asked.length).toBe(first + 2);
});
