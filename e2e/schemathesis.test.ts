import { execFile } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { expect, test } from "vitest";
import { PYTHON } from "./python-clients.ts";
import { startServer } from "./server.ts";

/** Of each run; what is left untried then is tried by the other seed. */
const RUN_SECONDS = 30;
const CHECKS = "not_a_server_error,status_code_conformance";

/** Without them a new password is answered 503; that nobody takes the mails is no error of a request. */
const WITH_MAILS = {
	SERVICE_ROOT_URL: "http://localhost",
	SERVICE_SMTP_HOSTNAME: "127.0.0.1",
	SERVICE_SMTP_PORT: "9",
	SERVICE_SMTP_USERNAME: "user",
	SERVICE_SMTP_PASSWORD: "password",
};

test.each([
	{ credentials: "without authentication", authentication: false, seed: 1 },
	{ credentials: "with an admin's key", authentication: true, seed: 2 },
])(
	"requests made from the API's description are answered as it says, $credentials",
	async ({ authentication, seed }) => {
		await using server = await startServer({ authentication, env: WITH_MAILS });
		const folder = await mkdtemp(join(tmpdir(), "schemathesis-"));
		const key = server.adminKey;
		try {
			const { code, output } = await schemathesis(
				[
					"run",
					`${server.url}/openapi.json`,
					...["--checks", CHECKS, "--phases", "fuzzing", "--max-examples", "4", "--seed", String(seed)],
					// Python 3.11 parses in one thread at a time only: two now and then end with "AST constructor recursion depth mismatch".
					...["--max-time", String(RUN_SECONDS), "--workers", "1", "--request-timeout", "30", "--no-shrink"],
					// It has no end.
					...["--exclude-operation-id", "streamProjectTraces"],
					...(key === undefined ? [] : ["--header", `Authorization: Bearer ${key}`]),
					...["--warnings", "off", "--no-color"],
				],
				folder,
			);
			const failed = server.output.split("\n").filter((line) => line.includes("request failed"));
			expect(failed).toEqual([]);
			expect(code, output).toBe(0);
			expect(Number(/Tested: (\d+)/.exec(output)?.[1])).toBeGreaterThan(100);
		} finally {
			await rm(folder, { recursive: true, force: true });
		}
	},
);

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
