import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { PYTHON } from "./python-clients.ts";
import { startServer, type TestServer } from "./server.ts";
import { findSnippet } from "./snippets.ts";

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, "..");

let server: TestServer;
let folder: string;
let env: NodeJS.ProcessEnv;

beforeAll(async () => {
	folder = await mkdtemp(join(tmpdir(), "spanward-packages-"));
	server = await startServer();
	env = {
		...process.env,
		SERVICE_COLLECTOR_ENDPOINT: server.url,
		...(server.key === undefined ? {} : { SERVICE_API_KEY: server.key }),
	};
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await rm(folder, { recursive: true, force: true });
});

/** What users would get from the registry, installed in an empty folder. */
async function installNpmPackages(): Promise<string> {
	await run(process.execPath, [join(ROOT, "scripts/build-clients.mjs")]);
	const application = await mkdtemp(join(folder, "application-"));
	for (const client of ["typescript-otel", "typescript"]) {
		await run("npm", ["pack", "--pack-destination", application], { cwd: join(ROOT, "clients", client, "dist") });
	}
	await writeFile(join(application, "package.json"), '{"type": "module", "private": true}');
	const packages = (await readdir(application)).filter((name) => name.endsWith(".tgz")).map((name) => `./${name}`);
	await run("npm", ["install", "--no-audit", "--no-fund", ...packages], { cwd: application });
	return application;
}

test("the npm packages do what their pages say, and their types fit", async () => {
	const cwd = await installNpmPackages();
	const page = "clients/typescript/README.md";
	const experiment = findSnippet(page, "ts", "runExperiment", server);
	const { stdout } = await run(process.execPath, ["--input-type=module-typescript", "--eval", experiment], {
		cwd,
		env,
	});
	expect(stdout).toMatch(/^capitals-\w+ 2\n$/);
	const traces = findSnippet(page, "ts", "traces.list", server);
	await run(process.execPath, ["--input-type=module-typescript", "--eval", traces], { cwd, env });
	const watching = findSnippet(page, "ts", "errorGroups.list(", server);
	await run(process.execPath, ["--input-type=module-typescript", "--eval", watching], { cwd, env });
	const register = findSnippet("clients/typescript-otel/README.md", "ts", "register(", server);
	await run(process.execPath, ["--input-type=module-typescript", "--eval", register], { cwd, env });

	for (const file of ["task.ts", "evaluators.ts"]) {
		await writeFile(join(cwd, file), findSnippet("docs/gates-in-ci.md", "ts", `// ${file}`, server));
	}
	const program = join(cwd, "node_modules/.bin/spanward-eval");
	const args = ["run", "--dataset", "capitals", "--task", "task.ts", "--evaluator", "evaluators.ts"];
	const gated = await run(process.execPath, [program, ...args, "--require", "mean('exact_match') == 1"], { cwd, env });
	expect(gated.stdout).toMatch(/^Gate passed: /);

	await writeFile(join(cwd, "application.ts"), `${experiment}\n`);
	await writeFile(join(cwd, "watching.ts"), watching);
	const options = ["--module", "nodenext", "--strict", "--noEmit", "--target", "es2022", "--types", ""];
	await run(
		process.execPath,
		[join(ROOT, "node_modules/typescript/bin/tsc"), ...options, "application.ts", "watching.ts"],
		{ cwd },
	);
});

test("the Python package does what its page says", async () => {
	const environment = join(folder, "python");
	await run(PYTHON, ["-m", "venv", environment]);
	const python = join(environment, "bin/python");
	const quiet = ["--quiet", "--disable-pip-version-check"];
	await run(python, ["-m", "pip", "install", ...quiet, `${join(ROOT, "clients/python")}[otel]`]);
	const page = "clients/python/README.md";
	await run(python, ["-c", findSnippet(page, "python", "register(", server)], { env });
	await run(python, ["-c", findSnippet(page, "python", "traces.list", server)], { env });
	const experiment = findSnippet(page, "python", "experiments.run", server).replaceAll("capitals", "py-capitals");
	const { stdout } = await run(python, ["-c", experiment], { env });
	expect(stdout).toMatch(/^py-capit-\w{8}: 2 runs: exact_match 0\.500, short 1\.000\n$/);
	const types = await run(python, ["-c", "import spanward.types, spanward; print(spanward.__all__[0])"]);
	expect(types.stdout).toBe("ApiError\n");
});

test("what the page of the Python package says about data frames, errors and dashboards works", async () => {
	const page = "clients/python/README.md";
	for (const part of ["annotations.log_dataframe(", "error_groups.list("]) {
		const code = findSnippet(page, "python", part, server);
		await run(PYTHON, ["-c", code], { env: { ...env, PYTHONPATH: join(ROOT, "clients/python/src") } });
	}
});

test("the types of the Python package are strictly right, for the oldest Python that it runs on", async () => {
	const cwd = join(ROOT, "clients/python");
	const options = ["--python-version", "3.10", "--cache-dir", join(folder, "mypy")];
	const { stdout } = await run(PYTHON, ["-m", "mypy", ...options, "src"], { cwd });
	expect(stdout).toMatch(/^Success: no issues found/);
});
