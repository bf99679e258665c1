import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { type AddressInfo, createServer, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import pg from "pg";
import { expect, test } from "vitest";
import { createTestSchema, testWithPostgres } from "../apps/server/src/storage/postgres/test-postgres.ts";
import { at, type Json, list } from "./fixture-comparison.ts";
import { makeHostileDatabase } from "./hostile-phoenix-database.ts";
import { POSTGRES, phoenixDatabase, SQLITE, TRACE } from "./phoenix-database.ts";
import { startServer, type TestServer } from "./server.ts";
import { COMMAND, spanward } from "./spanward-command.ts";

/** Each test starts a dozen processes. */
const TIMEOUT_MS = 2_400_000;

async function phoenixFile() {
	const folder = await mkdtemp(join(tmpdir(), "spanward-import-"));
	const path = join(folder, "phoenix.db");
	const db = new DatabaseSync(path);
	db.exec(phoenixDatabase(SQLITE));
	db.close();
	return { folder, path, [Symbol.asyncDispose]: () => rm(folder, { recursive: true, force: true }) };
}

interface Report {
	readonly carried: Readonly<Record<string, { readonly read: number; readonly written: number }>>;
	readonly notCarried: readonly string[];
}

async function runImport(args: readonly string[], env: Record<string, string>): Promise<Report> {
	const { code, stdout, stderr } = await spanward(["import-phoenix", ...args, "--json"], { env });
	expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
	return JSON.parse(stdout) as Report;
}

const written = ({ carried }: Report) =>
	Object.fromEntries(Object.entries(carried).map(([kind, { written: count }]) => [kind, count]));

/** Of the database of {@link phoenixDatabase}, into one that has its first admin. */
const WRITTEN = {
	users: 3,
	...{ projects: 2, spans: 3, "span annotations": 1, "document annotations": 1, "trace annotations": 1 },
	...{ "session annotations": 1, "annotation configs": 1, datasets: 1, "dataset versions": 2, "dataset examples": 3 },
	...{ "dataset splits": 1, "dataset labels": 1, experiments: 1, "experiment runs": 1, "experiment evaluations": 1 },
	...{ prompts: 1, "prompt versions": 2, "retention policies": 1, "model prices": 1 },
};

function dump(path: string): unknown {
	const db = new DatabaseSync(path, { readOnly: true });
	const names = db.prepare("select name from sqlite_schema where type = 'table' order by name").all();
	const tables = names
		.map(({ name }) => String(name))
		.filter((name) => !/^(sqlite_|block_(text|merging)|span_lookup)/.test(name));
	const rows = tables.map((table) => [table, db.prepare(`select * from ${table}`).all()]);
	db.close();
	return rows;
}

const read = async (server: TestServer, path: string) => {
	const response = await server.fetch(path, { headers: { authorization: `Bearer ${server.adminKey}` } });
	expect([path, response.status]).toEqual([path, 200]);
	return at((await response.json()) as Json, "data");
};

const post = async (server: TestServer, path: string, body: object) => {
	const headers = { authorization: `Bearer ${server.adminKey}`, "content-type": "application/json" };
	const response = await server.fetch(path, { method: "POST", headers, body: JSON.stringify(body) });
	expect([path, response.ok]).toEqual([path, true]);
	return at((await response.json()) as Json, "data");
};

test(
	"a database of Phoenix comes over with everything in its place, a second time changes nothing, and says what is left",
	async () => {
		await using phoenix = await phoenixFile();
		await using server = await startServer({ authentication: true });
		const env = { SERVICE_WORKING_DIR: server.workingDir, SERVICE_DEFAULT_PROJECT_ACCESS: "restricted" };
		const dry = await runImport([phoenix.folder, "--dry-run"], env);
		expect(await spanward(["import-phoenix", phoenix.path], { env })).toMatchObject({ code: 1, stdout: "" });
		const asked = { name: "verdict", type: "CATEGORICAL", optimization_direction: "NONE", values: [{ label: "good" }] };
		const questions = [{ annotation_config_id: at(await post(server, "/v1/annotation_configs", asked), "id") }];
		const queue = await post(server, "/v1/review_queues", { name: "second look", target: "span", questions });
		await server.stop();

		const report = await runImport([`sqlite:///${phoenix.path}`], env);
		expect(written(report)).toEqual(WRITTEN);
		expect([dry.carried, dry.notCarried]).toEqual([report.carried, report.notCarried]);
		const left = report.notCarried.join("\n");
		for (const sentence of [
			/1 spans whose ids/,
			/nightly job \(of Mary\)/,
			/1 secrets/,
			/model price looks back: its pattern cannot be used here/,
			/1 prices of image, audio and other kinds of tokens/,
			/1 retention policies with a name/,
			/default retention policy, which is a setting/,
			/label polite of the prompt greet/,
			/prompt plain/,
			/1 users get a new password/,
		])
			expect(left).toMatch(sentence);
		expect(left).toMatch(/1 ephemeral experiments/);
		const path = join(server.workingDir, "spanward.db");
		const before = dump(path);
		const again = await runImport([phoenix.path], env);
		expect(Object.values(written(again)).filter((count) => count > 0)).toEqual([]);
		expect(dump(path)).toEqual(before);
		expect(await spanward(["verify"], { env })).toMatchObject({ code: 0 });

		await server.start();
		const spans = list(await read(server, "/v1/projects/shop/spans"));
		const model = spans.find((span) => at(span, "name") === "model");
		expect(model).toMatchObject({
			parent_id: "b7ad6b7169203331",
			start_time: "2026-01-01T00:00:00.123456+00:00",
			attributes: {
				"llm.input_messages.0.message.content": "how?",
				"tag.tags": ["a", "b"],
				"llm.token_count.prompt": 10,
			},
		});
		const root = spans.find((span) => at(span, "name") === "answer");
		expect(root).toMatchObject({
			status_code: "ERROR",
			status_message: "it broke",
			events: [{ name: "exception", attributes: { "exception.message": "again" } }],
		});
		expect(await read(server, "/v1/projects/shop?include=access")).toMatchObject({ access: "restricted" });
		expect(await read(server, "/v1/projects/shop/traces")).toMatchObject([{ trace_id: TRACE }]);
		expect(await read(server, "/v1/projects/shop/sessions")).toMatchObject([{ session_id: "talk" }]);
		const annotations = `/v1/projects/shop/span_annotations?span_ids=b7ad6b7169203332`;
		expect(await read(server, annotations)).toMatchObject([
			{ name: "quality", source: "APP", metadata: { m: 1 }, result: { label: "good", score: 0.5, explanation: "why" } },
		]);
		// RV27 Phoenix has no queues; those that are here take what came over.
		expect(await read(server, "/v1/review_queues")).toEqual([queue]);
		const targets = [{ span_id: "b7ad6b7169203332", project: "shop" }];
		expect(await post(server, `/v1/review_queues/${String(at(queue, "id"))}/items`, { targets })).toEqual({
			added: 1,
			present: 0,
		});
		const [dataset] = list(await read(server, "/v1/datasets"));
		expect(dataset).toMatchObject({ name: "sums", metadata: { k: 1 }, example_count: 2 });
		const id = String(dataset && at(dataset, "id"));
		const versions = list(await read(server, `/v1/datasets/${id}/versions`)).map((version) =>
			String(at(version, "version_id")),
		);
		const examples = async (version: string | undefined) =>
			list(at(await read(server, `/v1/datasets/${id}/examples?version_id=${version}`), "examples"));
		expect((await examples(versions[1])).map((example) => at(example, "input"))).toEqual([{ q: "1+1" }, { q: "2+2" }]);
		expect((await examples(versions[0])).map((example) => at(example, "input"))).toEqual([
			{ q: "1 + 1" },
			{ q: "3+3" },
		]);
		const [experiment] = list(await read(server, `/v1/datasets/${id}/experiments`));
		expect(experiment).toMatchObject({
			name: "try",
			project_name: "Experiment-1",
			example_count: 1,
			successful_run_count: 1,
		});
		const runs = `/v1/experiments/${String(experiment && at(experiment, "id"))}/runs`;
		expect(await read(server, runs)).toMatchObject([{ output: { a: "two" }, trace_id: TRACE }]);
		expect(await read(server, "/v1/prompts/greet/latest")).toMatchObject({ description: "two" });
		expect(await read(server, "/v1/prompts/greet/tags/production")).toMatchObject({ description: "one" });
		const { policy } = (await read(server, "/v1/projects/shop/retention")) as { policy: Json };
		expect(policy).toMatchObject({ name: "short", max_days: 36_000.5, max_traces: 10, cron: "0 1 * * 0" });
		const [price] = list(await read(server, "/v1/model_prices?origin=own"));
		expect(price).toMatchObject({ name: "house", match: "regex", pattern: "4o$", prices: { input: 0.2, output: 0.6 } });
		// 10 tokens of the prompt and 5 of the completion.
		expect(model && at(model, "total_cost")).toBeCloseTo(5e-6, 12);
		const users = list(await read(server, "/v1/users")).map((user) => [
			at(user, "email"),
			at(user, "role"),
			at(user, "auth_method"),
		]);
		expect(users).toEqual(
			expect.arrayContaining([
				["mary@example.org", "MEMBER", "LOCAL"],
				["vera@example.org", "VIEWER", "OAUTH2"],
				["lea@example.org", "MEMBER", "LDAP"],
			]),
		);
	},
	TIMEOUT_MS,
);

test(
	"what is no database of Phoenix is refused, accounts wait for the first admin of the server, and no policy comes over traces",
	async () => {
		await using phoenix = await phoenixFile();
		const env = { SERVICE_WORKING_DIR: join(phoenix.folder, "target") };
		const other = join(phoenix.folder, "other.db");
		new DatabaseSync(other).exec("create table projects (id integer)");
		const views = join(phoenix.folder, "views.db");
		new DatabaseSync(views).exec('create view "\u001b[2J" as select 1');
		const { stderr } = await spanward(["import-phoenix", views], { env });
		expect(stderr).toContain("it has the view \\u{1b}[2J");
		for (const file of [other, join(phoenix.folder, "none.db"), import.meta.filename])
			expect(await spanward(["import-phoenix", file], { env })).toMatchObject({ code: 65, stdout: "" });
		expect((await spanward(["import-phoenix"], { env })).code).toBe(64);
		for (const scheme of ["mysql://", "POSTGRESQL://", "postgresql:", "postgres+psycopg://"]) {
			const refused = await spanward(["import-phoenix", `${scheme}u:hidden-word@host/x`], { env });
			expect(refused).toMatchObject({ code: 64, stderr: expect.not.stringContaining("hidden-word") });
		}
		const report = await runImport([phoenix.path], env);
		expect(written(report)).toMatchObject({ users: 0, spans: 3 });
		expect(report.notCarried.join()).toContain("start the server once with authentication");
		const path = join(env.SERVICE_WORKING_DIR, "spanward.db");
		new DatabaseSync(path).exec("delete from retention_policies");
		const again = await runImport([phoenix.path], env);
		expect(written(again)).toMatchObject({ spans: 0, "retention policies": 1 });
		expect(again.notCarried.join()).toContain("1 projects that already have traces");
		expect(new DatabaseSync(path).prepare("select 1 from projects where retention_policy_id > 0").all()).toEqual([]);
	},
	TIMEOUT_MS,
);

test("a password in an address is not in the list of processes while the command runs", async () => {
	await using silent = createServer().listen(0, "127.0.0.1");
	await once(silent, "listening");
	const { port } = silent.address() as AddressInfo;
	const address = `postgresql://u:hidden-word@127.0.0.1:${port}/none`;
	const child = spawn(process.execPath, [COMMAND, "import-phoenix", address], { stdio: "ignore" });
	try {
		const [socket] = (await once(silent, "connection")) as [Socket];
		const children = await readFile(`/proc/${child.pid}/task/${child.pid}/children`, "utf8");
		const shown = [child.pid, ...children.trim().split(" ")].map((pid) => readFile(`/proc/${pid}/cmdline`, "utf8"));
		expect((await Promise.all(shown)).map((line) => line.replaceAll("\0", ""))).toEqual(["spanward", "spanward"]);
		socket.destroy();
		await once(child, "exit");
	} finally {
		child.kill();
	}
});

testWithPostgres(
	"rows that are hostile or broken are left out or cut, and hold up nothing, whatever database they go to",
	async () => {
		await using phoenix = await phoenixFile();
		await using target = await createTestSchema();
		const path = join(phoenix.folder, "hostile.db");
		makeHostileDatabase(path);
		const postgres = { SERVICE_SQL_DATABASE_URL: target.url, SERVICE_SQL_DATABASE_SCHEMA: target.schema };
		const folder = join(phoenix.folder, "target");
		const reports = await Promise.all([
			runImport([path], { SERVICE_WORKING_DIR: folder }),
			runImport([path], { ...postgres, SERVICE_WORKING_DIR: join(phoenix.folder, "uploads") }),
		]);
		for (const report of reports) {
			expect(written(report)).toMatchObject({
				...{ projects: 4, spans: 11, "span annotations": 4, "document annotations": 1, datasets: 5, experiments: 2 },
				...{ "dataset labels": 2, "experiment runs": 2, "experiment evaluations": 2, prompts: 1, "model prices": 1 },
			});
			const left = report.notCarried.join("\n");
			for (const sentence of [
				/datasets, with their experiments, whose rows contradict/,
				/projects whose name/,
				/3 spans whose attributes are not JSON, or nest too deeply/,
			])
				expect(left).toMatch(sentence);
			expect(left.length).toBeLessThan(10_000);
		}
		expect(await spanward(["verify"], { env: { SERVICE_WORKING_DIR: folder } })).toMatchObject({ code: 0 });
		await using server = await startServer({ workingDir: folder, authentication: false });
		const [label] = list(await read(server, "/v1/dataset_labels")).filter((found) => at(found, "name") === "styled");
		expect(label).toMatchObject({ color: "#808080" });
		const spans = list(await read(server, "/v1/projects/shop/spans?limit=100"));
		expect(spans.map((span) => at(span, "attributes"))).toContainEqual(
			expect.objectContaining({ n: "NaN", text: "NaN" }),
		);
		for (const resource of ["projects", "datasets", "prompts", "model_prices", "projects/shop/traces"])
			expect(list(await read(server, `/v1/${resource}`)).length).toBeGreaterThan(0);
	},
	TIMEOUT_MS,
);

testWithPostgres(
	"a database of Phoenix in PostgreSQL comes over into PostgreSQL",
	async () => {
		await using source = await createTestSchema();
		await using target = await createTestSchema();
		const client = new pg.Client({
			connectionString: source.url,
			options: `-c search_path=${source.schema} -c timezone=UTC`,
		});
		await client.connect();
		await client.query(phoenixDatabase(POSTGRES)).finally(() => client.end());
		const env = { SERVICE_SQL_DATABASE_URL: target.url, SERVICE_SQL_DATABASE_SCHEMA: target.schema };
		const args = [source.url, "--schema", source.schema];
		expect(written(await runImport(args, env))).toEqual({ ...WRITTEN, users: 0 });
		expect(Object.values(written(await runImport(args, env))).filter((count) => count > 0)).toEqual([]);
	},
	TIMEOUT_MS,
);
