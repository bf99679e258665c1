import { chmod, stat } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { COMMANDS } from "./commands.ts";
import { changeCredentials } from "./credentials.ts";
import { helpOf, helpOfAll } from "./help.ts";
import { formatTable } from "./table.ts";
import { openTestCommands, type TestCommands } from "./test-command.ts";

let open: TestCommands;
let closed: TestCommands;
beforeAll(async () => {
	open = await openTestCommands();
	closed = await openTestCommands({ SERVICE_ENABLE_AUTH: "true" });
});
afterAll(async () => {
	await open[Symbol.asyncDispose]();
	await closed[Symbol.asyncDispose]();
});

/** A key of a new user with this role. */
async function keyOf(role: "MEMBER" | "VIEWER"): Promise<string> {
	const { headers } = await closed.app.signedIn(role, "key");
	return String(headers["authorization"]).replace("Bearer ", "");
}

describe("AG17 exit codes", () => {
	test("0: what was asked for was done", async () => {
		expect(await open.call(["projects", "list"])).toMatchObject({
			code: 0,
			stdout: expect.stringContaining("default"),
		});
	});

	test("1: a condition is not met, as when a name is taken", async () => {
		const { code, stderr } = await open.call(["project", "create", "default"]);
		expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringMatching(/^[A-Z].*default.*\.\n$/) });
	});

	test.each([
		[["projects", "list", "--nonsense"], /^Unknown option '--nonsense'\. See spanward projects list --help\.\n$/],
		[["project", "show"], /An argument is missing: <name>\. See/],
		[["projects", "list", "too", "many"], /It takes no arguments\./],
		[["projects", "list", "--limit", "0"], /--limit takes a number from 1, or all\./],
		[["projects", "list", "--url", "https://me:secret@host"], /--url has a user name or password in it/],
		[["project", "delete", "default"], /would be deleted.*Nothing was done: say --yes/],
	])("2: wrong usage: %j", async (args, says) => {
		const { code, stdout, stderr } = await open.call(args);
		expect({ code, stdout }).toEqual({ code: 2, stdout: "" });
		expect(stderr).toMatch(says);
		expect(stderr).not.toContain("secret");
	});

	test("2: no server is named", async () => {
		const { code, stderr } = await open.call(["projects", "list"], { env: { SERVICE_URL: "" } });
		expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringMatching(/spanward login.*--url.*SERVICE_URL/) });
	});

	test("3: without a key, with a wrong one, and what the key may not do", async () => {
		const without = await closed.call(["projects", "list"]);
		expect(without).toMatchObject({ code: 3, stdout: "", stderr: expect.stringMatching(/spanward login <address>/) });
		const wrong = await closed.call(["projects", "list"], { env: { SERVICE_API_KEY: "wrong" } });
		expect(wrong.code).toBe(3);
		const key = await keyOf("VIEWER");
		const forbidden = await closed.call(["project", "create", "mine"], { env: { SERVICE_API_KEY: key } });
		expect(forbidden).toMatchObject({ code: 3, stderr: expect.not.stringContaining(key) });
	});

	test("4: there is none of the name", async () => {
		const { code, stderr } = await open.call(["project", "show", "nope"]);
		expect({ code, stderr }).toEqual({ code: 4, stderr: expect.stringContaining("nope") });
	});

	test("5: the server cannot be reached, or failed", async () => {
		const unreachable = await open.call(["projects", "list", "--url", "http://127.0.0.1:9"]);
		expect(unreachable).toMatchObject({
			code: 5,
			stderr: expect.stringMatching(/^Cannot reach .* the address right\?\n$/),
		});
		const broken = createServer((_, answer) => answer.writeHead(500).end("oops \u001b[31m"));
		await new Promise<void>((resolve) => broken.listen(0, "127.0.0.1", resolve));
		const address = broken.address();
		const port = typeof address === "object" ? address?.port : 0;
		const failed = await open.call(["projects", "list", "--url", `http://127.0.0.1:${port}`]);
		broken.close();
		expect(failed).toMatchObject({ code: 5, stderr: expect.stringMatching(/^Oops \\u\{1b\}/) });
	});

	test("130: interrupted", async () => {
		const { code, stderr } = await open.call(["projects", "list"], { signal: AbortSignal.abort() });
		expect({ code, stderr }).toEqual({ code: 130, stderr: expect.stringMatching(/^Interrupted/) });
	});
});

test("each help fits a screen and has examples", () => {
	const all = COMMANDS.map((command) => helpOf(command));
	for (const help of [helpOfAll(), ...all]) {
		const lines = help.trimEnd().split("\n");
		expect(lines.length).toBeLessThanOrEqual(help === helpOfAll() ? 24 : 30);
		for (const line of lines) expect(line.length, line).toBeLessThanOrEqual(120);
	}
	for (const line of helpOfAll().split("\n")) expect(line.length, line).toBeLessThanOrEqual(80);
	for (const { name } of COMMANDS) expect(all.join("\n")).toContain(`spanward ${name}`);
});

test("a project is made, shown and deleted", async () => {
	expect(await open.call(["project", "create", "shop", "--description", "an agent", "--quiet"])).toMatchObject({
		code: 0,
		stdout: "",
		stderr: "",
	});
	const { stdout } = await open.call(["project", "show", "shop"]);
	expect(stdout).toMatch(/^name\s+shop\ndescription\s+an agent\n/);
	// Ctrl-D is no answer.
	for (const input of ["", "no\n"]) {
		const refused = await open.call(["project", "delete", "shop"], { input, isTyped: true });
		expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining("Nothing was done.") });
	}
	expect((await open.call(["project", "delete", "shop"], { input: "yes\n", isTyped: true })).code).toBe(0);
	expect((await open.call(["project", "show", "shop"])).code).toBe(4);
});

test("api sends any request, and prints the answer as it is", async () => {
	const made = await open.call(["api", "post", "/v1/projects", "--data", "@-"], { input: '{"name": "raw"}' });
	expect(made.json[0]).toMatchObject({ data: { name: "raw" } });
	expect(await open.call(["api", "DELETE", "/v1/projects/raw"])).toMatchObject({ code: 0, stdout: "" });
	expect(await open.call(["api", "GET", "/v1/projects/raw"])).toMatchObject({ code: 4, stdout: "" });
	expect(await open.call(["api", "POST", "/v1/projects", "--data", "{}"])).toMatchObject({
		code: 2,
		stderr: expect.stringContaining("name"),
	});
	expect((await open.call(["api", "GET", "//elsewhere.example/"])).code).toBe(2);
});

test("AG24 tables fit 40 columns without colours, in ASCII where the locale has no more", async () => {
	await open.app.call("POST", "/v1/projects", { name: "ein-sehr-langer-Name-für-ein-Projekt-das-niemand-braucht" });
	const narrow = async (env: Record<string, string>) =>
		await open.call(["projects", "list"], { terminal: 40, env: { LC_ALL: "C.UTF-8", ...env } });
	const colored = await narrow({});
	expect(colored.stdout).toContain("\u001b[1m");
	const plain = await narrow({ NO_COLOR: "1" });
	expect(plain.stdout).not.toContain("\u001b");
	expect(plain.stdout).toContain("…");
	for (const line of plain.stdout.split("\n")) expect([...line].length).toBeLessThanOrEqual(40);
	const ascii = await narrow({ NO_COLOR: "1", LC_ALL: "C" });
	expect(ascii.stdout).toMatch(/^[\n\x20-\x7e]*$/);
	expect((await open.call(["projects", "list", "--no-color"], { terminal: 40 })).stdout).not.toContain("\u001b");
	const terminal = { oneLine: String, width: 80, cutMark: "~", style: (text: string) => text };
	const rows = Array.from({ length: 200_000 }, () => 1);
	expect(formatTable(terminal, [{ title: "N", value: String }], rows)).toHaveLength(200_001);
});

test("what others wrote cannot steer the terminal, in tables and as JSON", async () => {
	const hostile = "x\u001b]0;title\u0007\u009b31m\u202egnp";
	await open.app.call("POST", "/v1/projects", { name: "hostile", description: hostile });
	const { stdout } = await open.call(["project", "show", "hostile"]);
	// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
	const controls = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/;
	expect(stdout).not.toMatch(controls);
	// A server that is none of ours may say anything, anywhere.
	const answers: Readonly<Record<string, string>> = {
		"/v1/none": `{"${hostile}`,
		"/v1/projects?limit=51&include=activity": `${hostile}{`,
		"/v1/prompts/p/latest": JSON.stringify({ data: { id: hostile, template: { messages: [] }, tags: [] } }),
	};
	const other = createServer(({ url }, answer) =>
		answer.writeHead(200, { "content-type": "application/json" }).end(answers[url ?? ""] ?? "{}"),
	);
	await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
	const address = other.address();
	const env = { SERVICE_URL: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}`, NO_COLOR: "1" };
	for (const [code, args] of [
		[0, ["api", "GET", "/v1/none"]],
		[0, ["prompts", "pull", "p", "--output", join(open.folder, "p.json")]],
		[5, ["projects", "list"]],
	] as const) {
		const said = await open.call(args, { env, terminal: 80 });
		expect([args, said.code, controls.test(said.stdout + said.stderr)]).toEqual([args, code, false]);
	}
	other.close();
	const listed = await open.call(["projects", "list", "--json"]);
	expect(listed.stdout).not.toMatch(controls);
	expect(listed.json.find(({ name }) => name === "hostile")).toMatchObject({ description: hostile });
});

describe("log-in", () => {
	const names = { SERVICE_URL: "" };

	test("where no log-in is asked for, only the address is kept; AG23 the file is its owner's alone", async () => {
		const { code, json } = await open.call(["login", open.url, "--name", "local", "--json"], { env: names });
		expect({ code, json }).toEqual({
			code: 0,
			json: [
				{
					...{ profile: "local", url: open.url, username: null, email: null, role: null, credential: null },
					...{ permissions: null, projects: null, expires_at: null },
				},
			],
		});
		const file = join(open.folder, "spanward", "credentials.json");
		expect((await stat(file)).mode & 0o777).toBe(0o600);
		expect((await open.call(["whoami"], { env: names })).stdout).toContain(open.url);
		expect((await open.call(["profiles", "--json"])).json).toEqual([
			{ name: "local", url: open.url, has_key: false, logged_in_for: [], is_current: true },
		]);
		await chmod(file, 0o644);
		expect(await open.call(["whoami"], { env: names })).toMatchObject({
			code: 2,
			stderr: expect.stringContaining("chmod 600"),
		});
		await chmod(file, 0o600);
		expect((await open.call(["logout"])).code).toBe(0);
		expect((await open.call(["whoami"], { env: names })).code).toBe(2);
	});

	test("a redirect is not followed: elsewhere it would lose the key, and a change would be a question", async () => {
		const asked: string[] = [];
		const before = createServer(({ method }, answer) => {
			asked.push(method ?? "");
			answer.writeHead(302, { location: `${closed.url}/v1/projects` }).end();
		});
		await new Promise<void>((resolve) => before.listen(0, "127.0.0.1", resolve));
		const address = before.address();
		const env = { SERVICE_URL: `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}` };
		for (const args of [
			["projects", "list"],
			["project", "create", "x"],
		]) {
			const refused = await closed.call(args, { env: { ...env, SERVICE_API_KEY: "key" } });
			expect(refused).toMatchObject({
				code: 2,
				stdout: "",
				stderr: expect.stringContaining(`leads to ${closed.url}:`),
			});
		}
		before.close();
		expect(asked).toEqual(["GET", "POST"]);
	});

	test("the key of a log-in is sent to its address alone, and SERVICE_API_KEY wins over it", async () => {
		const key = await keyOf("MEMBER");
		await changeCredentials({ XDG_CONFIG_HOME: closed.folder }, () => ({
			current: "one",
			profiles: { one: { url: closed.url, key } },
		}));
		expect((await closed.call(["projects", "list"], { env: names })).code).toBe(0);
		expect((await closed.call(["projects", "list"])).code).toBe(0);
		const asked: (string | undefined)[] = [];
		const other = createServer((request, answer) => {
			asked.push(request.headers.authorization);
			answer.writeHead(404).end();
		});
		await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
		const address = other.address();
		const port = typeof address === "object" ? address?.port : 0;
		await closed.call(["projects", "list", "--url", `http://127.0.0.1:${port}`]);
		other.close();
		expect(asked).toEqual([undefined]);
		const viewer = { ...names, SERVICE_API_KEY: await keyOf("VIEWER") };
		expect((await closed.call(["whoami", "--json"], { env: viewer })).json[0]).toMatchObject({ role: "VIEWER" });
		expect((await closed.call(["profiles"])).stdout).not.toContain(key);
	});
});
