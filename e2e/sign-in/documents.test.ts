import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { readConfig, settingWarnings } from "../../apps/server/src/base/config.ts";
import { compileExpression } from "../../apps/server/src/base/jmespath/expression.ts";
import { at, type Json } from "../fixture-comparison.ts";
import { startServer } from "../server.ts";
import { findSnippet } from "../snippets.ts";

const DOCUMENTS = join(import.meta.dirname, "../../docs/sign-in");
const CERTIFICATES = join(import.meta.dirname, "../certificates");
const SOURCES = ["../../apps/server/src", "../../apps/web/src/texts"].map((path) => join(import.meta.dirname, path));
const SECRET = { SERVICE_ENABLE_AUTH: "true", SERVICE_SECRET: "a-secret-of-the-documents-0123456789" };

type Variables = Readonly<Record<string, string>>;

/** The blocks of a page that are files of variables, as a shell reads them; files of certificates are ones that exist. */
function readBlocks(page: string, blocks = /^```env\n(.*?)^```$/gms): readonly Variables[] {
	const text = readFileSync(join(DOCUMENTS, page), "utf8");
	return Array.from(text.matchAll(blocks), ([, block = ""]) => {
		const print = "process.stdout.write(JSON.stringify(process.env))";
		const script = `set -a\n${block}\nexec "$0" -e '${print}'`;
		const read = execFileSync("sh", ["-c", script, process.execPath], { env: {}, encoding: "utf8" });
		return Object.fromEntries(
			Object.entries(JSON.parse(read) as Variables)
				.filter(([name]) => name.startsWith("SERVICE_") && name !== "SERVICE_SECRET_FILE")
				.map(([name, value]) => [name, value.endsWith(".pem") ? join(CERTIFICATES, "authority.pem") : value]),
		);
	});
}

function expectToStart(variables: Variables): void {
	const environment = { ...variables, ...SECRET };
	expect(settingWarnings(readConfig(environment), environment)).toEqual([]);
}

const [SETUP = {}] = readBlocks("README.md");
const [DIRECTORY = {}] = readBlocks("openldap.md");
const PAGES = readdirSync(DOCUMENTS).filter((name) => readBlocks(name).length > 0);

describe.each(PAGES)("docs/sign-in/%s", (page) => {
	const [first = {}, ...others] = readBlocks(page);
	const isOfLdap = Object.keys(first).some((name) => name.startsWith("SERVICE_LDAP_"));

	test.each([{}, ...others].map((block, index) => ({ block, index })))(
		"starts with its variables, block $index",
		({ block }) => expectToStart({ ...SETUP, ...(isOfLdap ? DIRECTORY : {}), ...first, ...block }),
	);
});

test("the five minutes of docs/sign-in start with a provider and with a directory", () => {
	const blocks = readBlocks("README.md", /((?:^ *export SERVICE_(?:OAUTH2|LDAP)_.*\n)+)/gm);
	expect(blocks.length).toBe(2);
	for (const block of blocks) expectToStart({ ...SETUP, ...block });
});

describe("the expressions of the pages", () => {
	const ROLE = "ROLE_ATTRIBUTE_PATH";
	const GROUPS = "GROUPS_ATTRIBUTE_PATH";
	const owner = "https://gitlab.org/claims/groups/owner";
	test.each([
		["keycloak.md", ROLE, { spanward_roles: ["developer", "owner"] }, "owner"],
		["keycloak.md", ROLE, { spanward_roles: ["developer"] }, "developer"],
		["keycloak.md", ROLE, { groups: ["engineering", "platform"] }, "ADMIN"],
		["keycloak.md", ROLE, { groups: ["engineering"] }, "MEMBER"],
		["google.md", GROUPS, { hd: "example.com" }, "example.com"],
		["google.md", ROLE, {}, "MEMBER"],
		["entra-id.md", ROLE, { roles: ["MEMBER", "ADMIN"] }, "ADMIN"],
		["entra-id.md", ROLE, { roles: ["MEMBER"] }, "MEMBER"],
		["entra-id.md", "EMAIL_ATTRIBUTE_PATH", { preferred_username: "ada@example.com" }, "ada@example.com"],
		["entra-id.md", GROUPS, { tid: "a-tenant" }, "a-tenant"],
		["okta.md", ROLE, { groups: ["Everyone", "spanward-users"] }, "MEMBER"],
		["auth0.md", ROLE, { "https://traces.example.com/roles": ["spanward-admin"] }, ["spanward-admin"]],
		["cognito.md", GROUPS, { "cognito:groups": ["spanward-users"] }, ["spanward-users"]],
		["cognito.md", ROLE, { "cognito:groups": ["spanward-admins"] }, "ADMIN"],
		["cognito.md", ROLE, { "cognito:groups": ["spanward-users"] }, "MEMBER"],
		["gitlab.md", ROLE, { groups_direct: ["example/platform"] }, "ADMIN"],
		["gitlab.md", ROLE, { [owner]: ["example"] }, "ADMIN"],
		["authentik.md", ROLE, { groups: ["spanward-admins"] }, "ADMIN"],
	])("%s, %s of %o", (page, suffix, claims, expected) => {
		const texts = readBlocks(page).flatMap((block) =>
			Object.entries(block).flatMap(([name, value]) => (name.endsWith(suffix) ? [value] : [])),
		);
		expect(texts.map((text) => compileExpression(text).search(claims))).toContainEqual(expected);
	});

	test("each of groups-and-roles.md is one", () => {
		const [, list = ""] = /```text\n(.*?)```/s.exec(readFileSync(join(DOCUMENTS, "groups-and-roles.md"), "utf8")) ?? [];
		const expressions = list
			.trim()
			.split("\n")
			.map((line) => line.split(/ {3,}/)[0] ?? "");
		expect(expressions.length).toBeGreaterThan(5);
		for (const expression of expressions) compileExpression(expression);
	});
});

test("the curl of accounts.md creates an account that waits, whose binding can then be cleared", async () => {
	const secret = "an-admin-secret-of-the-documents-0123456789";
	await using server = await startServer({ authentication: true, env: { SERVICE_ADMIN_SECRET: secret } });
	const send = (part: string, env: Variables = {}) => {
		const command = findSnippet("docs/sign-in/accounts.md", "sh", part, server);
		return execFileSync("sh", ["-c", command], {
			env: { ...process.env, SERVICE_ADMIN_SECRET: secret, ...env },
			encoding: "utf8",
			stdio: "pipe",
		});
	};
	const created = JSON.parse(send('"auth_method": "OAUTH2"')) as Json;
	expect(at(created, "data", "is_bound")).toBe(false);
	expect(send("/binding", { USER_ID: String(at(created, "data", "id")) })).toBe(
		"This account is not bound to an identity.",
	);
});

test("the messages of troubleshooting.md are the server's and the web app's", () => {
	const sources = SOURCES.flatMap((folder) =>
		readdirSync(folder, { recursive: true, encoding: "utf8" })
			.filter((name) => name.endsWith(".ts") && !name.endsWith(".test.ts"))
			.map((name) => readFileSync(join(folder, name), "utf8")),
	).join("\n");
	const page = readFileSync(join(DOCUMENTS, "troubleshooting.md"), "utf8");
	const cells = Array.from(page.matchAll(/^\| (.*?) \|/gm), ([, cell = ""]) => cell);
	const messages = cells.flatMap((cell) => Array.from(cell.matchAll(/"([^"]+)"/g), ([, message = ""]) => message));
	expect(messages.length).toBeGreaterThan(20);
	expect(messages.filter((message) => !sources.includes(message))).toEqual([]);
});
