import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { asAdmin, createAccount, createUserKey, logIn, logInAs, WITH_ACCOUNTS } from "./access/accounts.ts";
import { PYTHON } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";

/** While authentication is off; what is left untried then is tried by another seed. */
const OPEN_SECONDS = 30;
/** For all routes as each caller while it is on: few are tried on a busy machine. */
const CALLER_SECONDS = 10;
/** For the routes of {@link ABOUT_ACCESS}, each with {@link ACCESS_EXAMPLES}: some fifteen on a quiet machine. */
const ACCESS_SECONDS = 50;
const ACCESS_EXAMPLES = 1;
const CHECKS = "not_a_server_error,status_code_conformance";
/** Who sees what: access, teams, rules, policy, keys, check. */
const ABOUT_ACCESS = ["--include-path-regex", "access|/teams|/api_keys"];

/** Without them a new password is answered 503; that nobody takes the mails is no error of a request. */
const WITH_MAILS = {
	SERVICE_ROOT_URL: "http://localhost",
	SERVICE_SMTP_HOSTNAME: "127.0.0.1",
	SERVICE_SMTP_PORT: "9",
	SERVICE_SMTP_USERNAME: "user",
	SERVICE_SMTP_PASSWORD: "password",
};

interface Run {
	readonly seed: number;
	readonly seconds: number;
	/** Requests to each route. */
	readonly examples?: number;
	/** Bearer token; absent while authentication is off. */
	readonly token?: string;
	/** Further arguments, which choose routes. */
	readonly routes?: readonly string[];
}

test("requests made from the API's description are answered as it says, without authentication", async () => {
	await using server = await startServer({ authentication: false, env: WITH_MAILS });
	expect(await sendRequests(server, { seed: 1, seconds: OPEN_SECONDS })).toBeGreaterThan(100);
});

test("R79 requests made from the API's description are answered as it says, by admins and with a limited key", async () => {
	await using server = await startServer({ env: { ...WITH_ACCOUNTS, ...WITH_MAILS } });
	const admin = await logInAs(server, "ADMIN");
	const { email, password } = await createAccount(server, "MEMBER");
	for (const name of ["own", "hidden"]) {
		await asAdmin(server).data("POST", "/v1/projects", { name });
		const set = name === "own" ? [{ subject: { user: email }, role: "manager" }] : [];
		await asAdmin(server).data("PATCH", `/v1/projects/${name}/access`, { access: "restricted", set });
	}
	const limits = { permissions: ["read", "annotate", "write"], projects: ["own"] };
	const manager = await logIn(server, email, password);
	const { key } = await manager.data("POST", "/v1/user/api_keys", { data: { name: "limited", ...limits } });
	const session = admin.cookies.get("service-access-token") ?? "";
	const seconds = CALLER_SECONDS;
	await sendRequests(server, { seed: 2, seconds, token: await createUserKey(admin) });
	await sendRequests(server, { seed: 3, seconds, token: key });
	const asked = { seed: 4, seconds: ACCESS_SECONDS, examples: ACCESS_EXAMPLES };
	const access = { ...asked, token: session, routes: ABOUT_ACCESS };
	expect(await sendRequests(server, access)).toBeGreaterThan(2);
});

/** @returns to how many routes it sent requests */
async function sendRequests(
	server: TestServer,
	{ seed, seconds, examples = 4, token, routes = [] }: Run,
): Promise<number> {
	const folder = await mkdtemp(join(tmpdir(), "schemathesis-"));
	try {
		const { code, output } = await schemathesis(
			[
				"run",
				`${server.url}/openapi.json`,
				...["--checks", CHECKS, "--phases", "fuzzing", "--max-examples", String(examples), "--seed", String(seed)],
				// Python 3.11 parses in one thread at a time only: two now and then end with "AST constructor recursion depth mismatch".
				...["--max-time", String(seconds), "--workers", "1", "--request-timeout", "30", "--no-shrink"],
				// It has no end.
				...["--exclude-operation-id", "streamProjectTraces"],
				...(token === undefined ? [] : ["--header", `Authorization: Bearer ${token}`]),
				...["--warnings", "off", "--no-color"],
				...routes,
			],
			folder,
		);
		const failed = server.output.split("\n").filter((line) => line.includes("request failed"));
		expect(failed).toEqual([]);
		expect(code, output).toBe(0);
		return Number(/Tested: (\d+)/.exec(output)?.[1]);
	} finally {
		await rm(folder, { recursive: true, force: true });
	}
}

/** Runs it in a folder of its own, where it keeps what it learns. */
function schemathesis(args: readonly string[], folder: string): Promise<{ code: number; output: string }> {
	const program = join(dirname(PYTHON), "schemathesis");
	const options = { cwd: folder, maxBuffer: 256 * 1_024 * 1_024 };
	return new Promise((resolve) => {
		execFile(program, args, options, (error, stdout, stderr) => {
			const code = error === null ? 0 : Number(error.code ?? 1);
			const lines = `${stdout}${stderr}`.split("\n").map((line) => line.slice(0, 500));
			resolve({ code, output: lines.join("\n").slice(-20_000) });
		});
	});
}
