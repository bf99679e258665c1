import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterAll, describe, expect, test } from "vitest";
import { PROBLEMS } from "#base/problems.ts";
import { openTestApp } from "#test-app.ts";
import { llmsTxt } from "./llms-txt.ts";
import { toHtml } from "./to-html.ts";

const ROOT = "/tools";
const SOURCES = join(import.meta.dirname, "../..");
const CODES = Object.values(PROBLEMS).flatMap((problems) => Object.keys(problems));

const server = await openTestApp({
	SERVICE_ENABLE_AUTH: "true",
	SERVICE_HOST_ROOT_PATH: ROOT,
	SERVICE_ROOT_URL: `https://traces.example${ROOT}`,
});
afterAll(() => server[Symbol.asyncDispose]());

async function pageNames(): Promise<string[]> {
	const files = await readdir(join(SOURCES, "../../../docs"), { recursive: true });
	const pages = files.filter((path) => path.endsWith(".md")).map((path) => path.slice(0, -".md".length));
	return [...pages, ...CODES.map((code) => `problems/${code}`)];
}

test("every page is there as Markdown and as HTML, and its links lead to what is there", async () => {
	const anchors = new Map<string, ReadonlySet<string>>();
	const links: { readonly from: string; readonly path: string; readonly anchor: string }[] = [];
	const names = await pageNames();
	for (const name of names) {
		const path = `${ROOT}/docs/${name}`;
		const { status, headers, text } = await server.get(path);
		expect([name, status, headers["content-type"]]).toEqual([name, 200, "text/html; charset=utf-8"]);
		expect(headers["content-security-policy"]).toContain("script-src 'self'");
		anchors.set(path, new Set(Array.from(text.matchAll(/ id="([^"]+)"/g), ([, id = ""]) => id)));
		for (const [, address = ""] of text.matchAll(/ (?:href|src)="([^"]*)"/g)) {
			if (/^https?:/.test(address)) continue;
			const [before = "", anchor = ""] = address.split("#");
			links.push({ from: name, path: before === "" ? path : before, anchor });
		}
	}
	expect(links.filter(({ path }) => !path.startsWith(`${ROOT}/`))).toEqual([]);
	const broken = links.filter(({ path, anchor }) => anchor !== "" && anchors.get(path)?.has(anchor) === false);
	expect(broken).toEqual([]);
	const others = new Set(links.map(({ path }) => path).filter((path) => !anchors.has(path)));
	for (const path of [`${ROOT}/`, `${ROOT}/openapi.json`, `${ROOT}/favicon.svg`])
		expect(others.delete(path)).toBe(true);
	for (const path of others) expect([path, (await server.get(path)).status]).toEqual([path, 200]);
});

test("a page is the file of the documentation, and says so to programs", async () => {
	const { headers, text } = await server.get("/docs/sign-in/okta.md");
	expect(headers["content-type"]).toBe("text/markdown; charset=utf-8");
	expect(text).toBe(await readFile(join(SOURCES, "../../../docs/sign-in/okta.md"), "utf8"));
	const image = await server.app.inject("/docs/images/trace.png");
	expect([image.statusCode, image.headers["content-type"]]).toEqual([200, "image/png"]);
});

test("nothing but pages and their pictures is there", async () => {
	const paths = [
		...["none", "none.md", "problems/none", "problems/constructor", "problems/__proto__.md", "images/none.png"],
		...["filters.md.md", "..%2fpackage", "sign-in%2f..%2f..%2fREADME", "images/..%2fkeys.md", "images/..%2f..%2fx.png"],
		...["openapi.json", "sending/", "page%2ecss%00", "README%00.md", "//etc/passwd"],
	];
	for (const path of paths) {
		const { status, text } = await server.get(`/docs/${path}`);
		expect([path, status, text]).toEqual([path, 404, expect.stringContaining("There is no such page")]);
	}
});

test("HTML in a page is text, and its links lead nowhere else", () => {
	const html = toHtml(
		[
			'# <script>alert("1")</script>\n\n<img src=x onerror=alert(1)>\n\na <b onclick=x>b</b>',
			"[a](javascript:alert(1)) [b](//evil.example) [c](data:text/html,x) [d](../../../../etc/passwd.md) [e](../CHANGELOG.md)",
			'[f](filters.md "x" ) [g](<filters.md#"><script>>) ![h](images/trace.png) ![i](//evil.example/x.png)',
		].join("\n\n"),
		"page",
		'/a"b',
	);
	expect(html).not.toMatch(/<(?:script|b|img src=x)\b|evil\.example"|javascript:|passwd"|CHANGELOG/);
	expect(html).toContain('<img src="/a&quot;b/docs/images/trace.png" alt="h" loading="lazy">');
	expect(html).toContain('<a href="/a&quot;b/docs/filters">f</a>');
});

describe("an error", () => {
	const problems = { accept: "application/problem+json" };

	test("names the page that says what to do, which needs no credentials", async () => {
		const refused = await server.get("/v1/projects", problems);
		expect(refused.json).toMatchObject({
			status: 401,
			code: "missing_token",
			type: `${ROOT}/docs/problems/missing_token`,
		});
		const page = await server.get(`${refused.json.type}.md`);
		expect(page.text).toMatch(/^# missing_token\n\n.+Authorization: Bearer.+\]\(\.\.\/keys\.md\)/);
	});

	test.each([
		["/v1/none", "missing_token"],
		["/oauth2/none", "not_found"],
		["/auth/login", "method_not_allowed"],
		["/v1/%", "bad_url"],
		["/graphql", "no_graphql"],
	])("of %s too", async (url, code) => {
		expect((await server.get(url, problems)).json).toMatchObject({ code, type: `${ROOT}/docs/problems/${code}` });
	});

	test("has no code that nothing answers with", async () => {
		const files = await readdir(SOURCES, { recursive: true });
		const sources = files.filter((path) => /(?<!\.test)\.ts$/.test(path) && path !== "base/problems.ts");
		const text = (await Promise.all(sources.map((path) => readFile(join(SOURCES, path), "utf8")))).join("");
		// These are put together of parts.
		const composed =
			/^(?:ambiguous|untrusted)_|^(?:sessions?|spans?|traces?|document)_not_found$|^invalid_(?:span_kind|status_code)$/;
		expect(CODES.filter((code) => !composed.test(code) && !text.includes(`"${code}"`))).toEqual([]);
		expect(new Set(CODES).size).toBe(CODES.length);
	});
});

describe("/llms.txt", () => {
	test("names the interfaces and the pages below the root path", async () => {
		const { status, headers, text } = await server.get(`${ROOT}/llms.txt`);
		expect([status, headers["content-type"]]).toEqual([200, "text/plain; charset=utf-8"]);
		expect(text).toMatch(/^# Spanward\n\n> .+\n\n- .+\n/);
		const links = Array.from(text.matchAll(/^- \[[^\]]+\]\(([^)]+)\)(?:: .+)?$/gm), ([, address = ""]) => address);
		expect(links.length).toBeGreaterThan(30);
		const root = `https://traces.example${ROOT}`;
		expect(links).toEqual(
			expect.arrayContaining([`${root}/openapi.json`, `${root}/mcp`, `${root}/auth.md`, `${root}/docs/filters.md`]),
		);
		for (const link of links) {
			expect(link.startsWith(`${root}/`)).toBe(true);
			if (/\/(?:mcp|openapi\.json)$/.test(link)) continue;
			expect([link, (await server.get(new URL(link).pathname)).status]).toEqual([link, 200]);
		}
	});

	test("leaves out what is off", () => {
		const text = llmsTxt("", { root: "http://localhost:6006", hasAuth: false, hasPrograms: false, hasMcp: false });
		expect(text).toContain("Authentication is off");
		expect(text).not.toMatch(/\/auth\.md|\/mcp|needs credentials/);
	});
});
