import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { readFile, stat, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { AUDIENCES, changeCredentials, readCredentials, type Tokens } from "../credentials.ts";
import { openTestCommands, type TestCommands } from "../test-command.ts";
import { addressIn, TestUser } from "./test-log-in.ts";

const MAIN = `${import.meta.dirname}/../main.ts`;
const runFile = promisify(execFile);

let commands: TestCommands;
let user: TestUser;
let environment: { XDG_CONFIG_HOME: string };
beforeAll(async () => {
	commands = await openTestCommands({ SERVICE_ENABLE_AUTH: "true" });
	user = new TestUser(commands, await commands.app.signedIn("ADMIN"));
	environment = { XDG_CONFIG_HOME: commands.folder };
});
afterAll(() => commands[Symbol.asyncDispose]());

const env = { SERVICE_URL: "" };

async function kept(): Promise<Partial<Record<"api" | "mcp", Tokens>>> {
	return (await readCredentials(environment)).profiles["here"]?.tokens ?? {};
}

/** As if the access token had run out. */
async function letRunOut(): Promise<void> {
	await changeCredentials(environment, (credentials) => {
		const here = credentials.profiles["here"];
		const tokens = AUDIENCES.flatMap((audience) => {
			const held = here?.tokens?.[audience];
			return held === undefined ? [] : [[audience, { ...held, expires_at: new Date(0).toISOString() }]];
		});
		return { ...credentials, profiles: { here: { url: commands.url, tokens: Object.fromEntries(tokens) } } };
	});
}

async function grants(): Promise<{ resource: string; permissions: string[] | null }[]> {
	const { json } = await commands.app.get("/v1/user/oauth2_grants", user.principal.headers);
	return json.data;
}

test("R76 login asks in the browser; token serves other programs; whoami says what for; logout ends it", async () => {
	await commands.app.call("POST", "/v1/projects", { name: "shop" }, user.principal.headers);
	const { json: projects } = await commands.app.get("/v1/projects/shop", user.principal.headers);
	const decision = { approved: true, permissions: ["read"], projects: [projects.data.id], days: 7 };
	const { code, stderr, shown } = await user.logIn({ args: ["--scope", "read,write"], decision });
	expect({ code, stderr }).toEqual({ code: 0, stderr: expect.stringContaining(`You are ${user.principal.username}.`) });
	expect(shown).toContain("You are logged in");
	const file = join(commands.folder, "spanward", "credentials.json");
	expect((await stat(file)).mode & 0o777).toBe(0o600);

	const { json: who } = await commands.call(["whoami", "--json"], { env });
	expect(who[0]).toMatchObject({
		...{ profile: "here", username: user.principal.username, credential: "oauth_token" },
		...{ permissions: ["read"], projects: ["shop"], expires_at: expect.any(String) },
	});
	expect(Date.parse(who[0].expires_at) - Date.now()).toBeGreaterThan(6 * 86_400_000);
	expect((await commands.call(["whoami"], { env })).stdout).toMatch(/may\s+read\nprojects\s+shop\nuntil\s+/);
	expect((await commands.call(["projects", "list", "--json"], { env })).json).toMatchObject([{ name: "shop" }]);
	const refused = await commands.call(["project", "create", "mine"], { env });
	expect(refused).toMatchObject({ code: 3, stderr: expect.stringContaining("login --scope write") });

	// What an earlier call has exported is not what the next one prints.
	const { stdout: token } = await commands.call(["token"], { env: { ...env, SERVICE_API_KEY: "old" } });
	expect(token).toMatch(/^sw_a_[\w-]+\n$/);
	const used = await commands.call(["projects", "list"], { env: { SERVICE_API_KEY: token.trim() } });
	expect(used.code).toBe(0);
	const profiles = await commands.call(["profiles"], { env });
	expect(profiles.stdout).toMatch(/\* here .*log-in for API/);
	expect(profiles.stdout).not.toContain("sw_");

	expect(await grants()).toHaveLength(1);
	expect((await user.logIn()).code).toBe(0);
	// The one before was replaced.
	expect(await grants()).toMatchObject([{ permissions: null }]);
	expect(await commands.call(["logout"], { env })).toMatchObject({ code: 0, stderr: "Forgotten: here.\n" });
	expect(await grants()).toEqual([]);
	expect((await commands.call(["token"], { env })).code).toBe(2);
});

test("R76 the browser of BROWSER is opened, and other requests to the port of the answer change nothing", async () => {
	const browser = join(commands.folder, "browser");
	const opened = join(commands.folder, "opened");
	await writeFile(browser, `#!/bin/sh\nprintf %s "$1" > "${opened}"\n`, { mode: 0o700 });
	const statuses: number[] = [];
	const { code } = await commands.call(["login", commands.url, "--name", "here"], {
		env: { ...env, BROWSER: browser },
		async onError(text) {
			if (!text.includes("A browser opens")) return;
			await expect.poll(() => readFile(opened, "utf8").catch(() => "")).toContain("/oauth2/authorize?");
			const address = new URL(await readFile(opened, "utf8"));
			const back = address.searchParams.get("redirect_uri") ?? "";
			for (const query of ["", "?error=access_denied", "?state=guessed&code=x", "/../favicon.ico"])
				statuses.push((await fetch(back + query)).status);
			await user.decide(address.href, { approved: true });
		},
	});
	expect({ code, statuses }).toEqual({ code: 0, statuses: [404, 404, 404, 404] });
});

test("R76 a log-in that is refused, or whose answer names another issuer, keeps nothing", async () => {
	await commands.call(["logout", "--all"], { env });
	const { code, stderr, shown } = await user.logIn({ decision: { approved: false } });
	expect({ code, stderr }).toEqual({
		code: 3,
		stderr: expect.stringMatching(/It was refused, so nothing was kept\.\n$/),
	});
	expect(shown).toContain("refused");
	const forged = await commands.call(["login", commands.url, "--name", "here"], {
		env,
		onError(text) {
			const address = addressIn(text);
			if (address === undefined) return;
			const { searchParams } = new URL(address);
			const query = new URLSearchParams({
				code: "x",
				state: searchParams.get("state") ?? "",
				iss: "https://evil.example",
			});
			void fetch(`${searchParams.get("redirect_uri")}?${query}`);
		},
	});
	expect(forged).toMatchObject({ code: 5, stderr: expect.stringMatching(/iss/) });
	expect((await readCredentials(environment)).profiles).toEqual({});
});

test("R76 Ctrl-C ends the waiting for a browser and for a device", async () => {
	for (const way of [[], ["--device"]]) {
		const controller = new AbortController();
		const ended = await commands.call(["login", commands.url, ...way], {
			env,
			signal: controller.signal,
			onError: (text) => text.includes("Open") && setTimeout(() => controller.abort(), 50),
		});
		expect(ended).toMatchObject({ code: 130, stderr: expect.stringMatching(/Interrupted\.\n$/) });
	}
});

test("R76 --device shows a code; denial and approval arrive", async () => {
	const byDevice = (approved: boolean) =>
		commands.call(["login", "--device", commands.url, "--name", "here", "--quiet"], {
			env,
			async onError(text) {
				const code = /code ([A-Z]{4}-[A-Z]{4})/.exec(text)?.[1];
				if (code === undefined) return;
				expect(text).toContain(`${commands.url}/device?user_code=${code}`);
				const decided = await user.post("/oauth2/device/decision", { user_code: code.toLowerCase(), approved });
				expect(decided.status).toBe(204);
			},
		});
	const [denied, approved] = await Promise.all([byDevice(false), byDevice(true)]);
	expect(denied).toMatchObject({ code: 3, stderr: expect.stringContaining("refused") });
	expect(approved.code).toBe(0);
	expect((await commands.call(["projects", "list"], { env })).code).toBe(0);
});

test("an access token that has run out, or is refused, is refreshed; what has ended says to log in again", async () => {
	await user.logIn();
	const first = await kept();
	await letRunOut();
	expect((await commands.call(["projects", "list"], { env })).code).toBe(0);
	const second = await kept();
	expect(second.api?.refresh_token).not.toBe(first.api?.refresh_token);
	// The server forgets access tokens, as when its clock was set.
	await commands.app.context.db.write((transaction) => transaction.deleteFrom("oauth2_access_tokens").execute());
	commands.app.context.auth.principals.invalidate();
	expect((await commands.call(["projects", "list"], { env })).code).toBe(0);
	expect((await kept()).api?.refresh_token).not.toBe(second.api?.refresh_token);

	const [grant] = (await commands.app.get("/v1/user/oauth2_grants", user.principal.headers)).json.data;
	await commands.app.call("DELETE", `/v1/user/oauth2_grants/${grant.id}`, undefined, user.principal.headers);
	for (const args of [["projects", "list"], ["whoami"], ["traces", "tail"]]) {
		const { code, stdout, stderr } = await commands.call(args, { env });
		expect({ code, stdout, stderr }).toEqual({
			...{ code: 3, stdout: "" },
			stderr: `The log-in at ${commands.url} was ended, or has expired: log in again with spanward login ${commands.url}.\n`,
		});
	}
	expect((await commands.call(["logout"], { env })).code).toBe(0);
});

test("AG23 R76 of processes that refresh at once one does, and all go on; one that was killed holds up nobody", async () => {
	await user.logIn();
	await letRunOut();
	const before = await kept();
	const token = () =>
		runFile(process.execPath, ["--disable-warning=ExperimentalWarning", MAIN, "token"], { env: environment });
	const holder = spawn(process.execPath, [
		...["--disable-warning=ExperimentalWarning", "--input-type=module", "-e"],
		`import { changeCredentials } from ${JSON.stringify(`${import.meta.dirname}/../credentials.ts`)};
		await changeCredentials(${JSON.stringify(environment)}, () => { console.log("held"); return new Promise(() => setInterval(() => {}, 1e6)); });`,
	]);
	await once(holder.stdout, "data");
	const all = Promise.all([token(), token(), token(), token()]);
	holder.kill("SIGKILL");
	const printed = new Set((await all).map(({ stdout }) => stdout));
	expect([...printed]).toEqual([`${(await kept()).api?.access_token}\n`]);
	expect((await kept()).api?.refresh_token).not.toBe(before.api?.refresh_token);
	await letRunOut();
	expect((await commands.call(["projects", "list"], { env })).code).toBe(0);
});

test("a log-in needs a server that lets programs log in, at its own address", async () => {
	await using off = await openTestCommands({
		...{ SERVICE_ENABLE_AUTH: "true", SERVICE_ENABLE_OAUTH2_AUTHORIZATION_SERVER: "false" },
	});
	const { code, stderr } = await off.call(["login", off.url], { env });
	expect({ code, stderr }).toEqual({
		code: 3,
		stderr: expect.stringMatching(/no programs log in\. Make a key.*--key/),
	});
	const other = createServer(({ url, headers: { host } }, answer) => {
		const metadata = {
			"/named": { issuer: "https://traces.example" },
			"/hostile": { issuer: `http://${host}/hostile`, authorization_endpoint: "file:///etc/passwd" },
		}[url?.split("/.well-known/")[0] ?? ""];
		const isFound = metadata !== undefined && url?.includes("/.well-known/");
		answer.writeHead(isFound ? 200 : 401, { "content-type": "application/json" }).end(JSON.stringify(metadata));
	});
	await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
	const address = other.address();
	const port = typeof address === "object" ? address?.port : 0;
	expect(await off.call(["login", `http://127.0.0.1:${port}/named`], { env })).toMatchObject({
		code: 2,
		stderr: expect.stringContaining("calls itself https://traces.example"),
	});
	for (const path of ["", "/hostile"]) {
		const refused = await off.call(["login", `http://127.0.0.1:${port}${path}`], { env });
		expect(refused).toMatchObject({ code: 5, stderr: expect.stringMatching(/does not answer as OAuth has it/) });
	}
	other.close();
});
