import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
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

let webFolder: string;

beforeAll(async () => {
	webFolder = await mkdtemp(join(tmpdir(), "spanward-web-"));
	await mkdir(join(webFolder, "assets"));
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
