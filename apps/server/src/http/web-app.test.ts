import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from "node:zlib";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { openTestApp } from "#test-app.ts";

const SETTINGS = {
	SERVICE_ENABLE_AUTH: "true",
	SERVICE_SECRET: "page-secret-0123456789-abcdefghijklmnop",
	SERVICE_ADMIN_SECRET: "page-admin-secret-0123456789-qrstuvwxyz",
	SERVICE_SMTP_HOSTNAME: "mail.inside.example",
	SERVICE_SMTP_USERNAME: "mail-user-of-the-page",
	SERVICE_SMTP_PASSWORD: "mail-password-of-the-page",
	SERVICE_ADMINS: "jane=jane@inside.example",
	SERVICE_MANAGEMENT_URL: "https://management.inside.example",
	SERVICE_SUPPORT_EMAIL: "help@example.com",
	SERVICE_HOST_ROOT_PATH: "/tools",
};

const SCRIPT = `export const words = ${JSON.stringify(Array.from({ length: 500 }, (_, n) => `word ${n}`))};`;

let webFolder: string;

beforeAll(async () => {
	webFolder = await mkdtemp(join(tmpdir(), "spanward-web-"));
	const script = join(webFolder, "assets/words-1234.js");
	await mkdir(join(webFolder, "assets"));
	await writeFile(script, SCRIPT);
	await writeFile(`${script}.br`, brotliCompressSync(SCRIPT));
	await writeFile(`${script}.gz`, gzipSync(SCRIPT));
	const page = '<!doctype html><html><head><base href="/"><meta name="spanward-config" content="{}"></head></html>';
	await writeFile(join(webFolder, "index.html"), page);
});
afterAll(() => rm(webFolder, { recursive: true }));

/** What the page tells the app. */
function configIn(page: string): unknown {
	const [, content = ""] = /<meta name="spanward-config" content="([^"]*)">/.exec(page) ?? [];
	return JSON.parse(content.replaceAll("&quot;", '"').replaceAll("&lt;", "<").replaceAll("&amp;", "&"));
}

test("the page says how people sign in, and reveals nothing internal", async () => {
	await using server = await openTestApp(SETTINGS, { webFolder });
	const { status, headers, text } = await server.get("/login");
	expect(status).toBe(200);
	expect(headers["cache-control"]).toBe("no-store");
	expect(configIn(text)).toMatchObject({
		basePath: "/tools",
		auth: {
			enabled: true,
			passwordLogin: true,
			ldap: false,
			providers: [],
			strongPasswords: false,
			accessTokenMinutes: 10,
			supportEmail: SETTINGS.SERVICE_SUPPORT_EMAIL,
			programs: true,
		},
	});
	expect(text).not.toMatch(/secret-0123|inside\.example|of-the-page/);
});

test("without authentication the page offers no sign-in and may be cached with revalidation", async () => {
	await using server = await openTestApp({}, { webFolder });
	const { headers, text } = await server.get("/p/default/traces");
	expect(headers["cache-control"]).toBe("no-cache");
	expect(configIn(text)).toMatchObject({ auth: { enabled: false } });
});

test("the address of a trace is the page, and its text for who asks for text and may see the trace", async () => {
	await using server = await openTestApp(SETTINGS, { webFolder });
	const url = `/tools/p/default/traces/${"0".repeat(31)}1?span=${"0".repeat(15)}2`;
	const vary = "Accept-Encoding, Accept";
	for (const accept of [
		...[undefined, "*/*", "text/html,application/xhtml+xml,*/*;q=0.8", "text/html;q=0.1, text/plain"],
		...["text/plain;q=0, */*", "application/json", "text/plainer"],
	]) {
		const { status, headers } = await server.get(url, accept === undefined ? {} : { accept });
		expect([accept, status, headers["content-type"]]).toEqual([accept, 200, "text/html; charset=utf-8"]);
		expect(headers["vary"]).toBe(vary);
	}
	const accept = "text/plain, */*;q=0.1";
	const refused = await server.get(url, { accept });
	expect([refused.status, refused.text]).toEqual([401, expect.stringContaining("send an API key as Authorization")]);
	const { headers } = await server.signedIn("VIEWER");
	const missing = await server.get(url, { ...headers, accept });
	expect([missing.status, missing.text]).toEqual([404, expect.stringMatching(/^Trace with trace_id '0+1' not found$/)]);
	for (const answer of [refused, missing]) {
		expect(answer.headers).toMatchObject({
			...{ vary, "cache-control": "no-store", "content-type": "text/plain; charset=utf-8" },
		});
	}
	expect((await server.get("/p/default/sessions/x", { accept })).headers["content-type"]).toContain("text/html");
});

describe("a file of the build", () => {
	const get = async (headers: Record<string, string>) => {
		await using server = await openTestApp({}, { webFolder });
		return await server.app.inject({ url: "/assets/words-1234.js", headers });
	};

	test("is sent as the build compressed it, as the browser takes it", async () => {
		const [brotli, gzip, plain] = await Promise.all([
			get({ "accept-encoding": "gzip, deflate, br, zstd" }),
			get({ "accept-encoding": "br;q=0, gzip" }),
			get({}),
		]);
		expect(brotli.headers["content-encoding"]).toBe("br");
		expect(brotliDecompressSync(brotli.rawPayload).toString()).toBe(SCRIPT);
		expect(gzip.headers["content-encoding"]).toBe("gzip");
		expect(gunzipSync(gzip.rawPayload).toString()).toBe(SCRIPT);
		expect(plain.headers["content-encoding"]).toBeUndefined();
		expect(plain.body).toBe(SCRIPT);
		for (const { headers } of [brotli, gzip, plain]) {
			expect(headers["content-type"]).toMatch(/javascript/);
			expect(headers["cache-control"]).toContain("immutable");
			expect(headers["vary"]).toMatch(/^accept-encoding$/i);
			expect(headers["x-content-type-options"]).toBe("nosniff");
		}
		expect(new Set([brotli, gzip, plain].map(({ headers }) => headers["etag"])).size).toBe(3);
	});

	test("is not sent again to who has it", async () => {
		const { headers } = await get({ "accept-encoding": "br" });
		const again = await get({ "accept-encoding": "br", "if-none-match": String(headers["etag"]) });
		expect(again.statusCode).toBe(304);
		expect(again.rawPayload).toHaveLength(0);
	});

	test("leaves out the headers that browsers heed on pages only, which a missing one has", async () => {
		expect((await get({})).headers["content-security-policy"]).toBeUndefined();
		await using server = await openTestApp({}, { webFolder });
		expect((await server.get("/assets/none-1234.js")).headers["content-security-policy"]).toBeDefined();
	});
});
