import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer, type RequestListener, request } from "node:http";
import { createServer as createTlsServer } from "node:https";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { READING } from "@spanward/semconv";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { Steps } from "../../apps/server/src/access/sign-in/steps.ts";
import { readConfig } from "../../apps/server/src/base/config.ts";
import { present } from "../../apps/server/src/base/present.ts";
import { clickHouseSettings } from "../../apps/server/src/base/settings/clickhouse.ts";
import { checkRights } from "../../apps/server/src/command-line/doctor/clickhouse/rights.ts";
import { openEachShard } from "../../apps/server/src/storage/clickhouse/shard.ts";
import { type ClickHouse, startClickHouse } from "../peers/clickhouse.ts";
import { testWith } from "../peers/requirements.ts";
import { freePort, startServer, type TestServer } from "../server.ts";
import { askDoctor, type ReportedStep } from "../sign-in/doctor.ts";

const test = testWith("clickhouse");

const PASSWORD = "a-password-nobody-may-see";
const DATABASE = "examined";

const file = (name: string) => join(import.meta.dirname, "../certificates", name);
const pem = (name: string) => readFileSync(file(name), "utf8");

type Variables = Readonly<Record<string, string>>;

let clickhouse: ClickHouse;
let server: TestServer;

beforeAll(async () => {
	clickhouse = await startClickHouse({ users: [`writer:${PASSWORD}`], profile: { join_use_nulls: 1 } });
	server = await startServer({ env: settingsOf() });
});
afterAll(async () => {
	await server[Symbol.asyncDispose]();
	await clickhouse[Symbol.asyncDispose]();
});
beforeEach(() => clickhouse.heal());

function settingsOf(more: Variables = {}): Variables {
	return {
		SERVICE_CLICKHOUSE_URL: clickhouse.url,
		SERVICE_CLICKHOUSE_USER: "writer",
		SERVICE_CLICKHOUSE_PASSWORD: PASSWORD,
		SERVICE_CLICKHOUSE_DATABASE: DATABASE,
		...more,
	};
}

/** What the doctor says of ClickHouse. */
async function examine(more: Variables = {}, workingDir = server.workingDir) {
	const env = { SERVICE_WORKING_DIR: workingDir, SERVICE_PORT: String(server.port), ...settingsOf(more) };
	const { code, sections, output } = await askDoctor(env);
	expect(output).not.toContain(PASSWORD);
	const own = sections.filter(({ title }) => title.includes("ClickHouse"));
	const steps = own.flatMap((section) => section.steps);
	const of = (outcome: ReportedStep["outcome"]) => steps.filter((step) => step.outcome === outcome);
	return { code, titles: own.map(({ title }) => title), steps, failed: of("failed"), warnings: of("warning") };
}

/** What it says of rights alone, where ClickHouse is at this address. */
async function examineRights(url: string) {
	const settings = present(clickHouseSettings(readConfig(settingsOf({ SERVICE_CLICKHOUSE_URL: url }))), "settings");
	await using shard = present(openEachShard(settings)[0], "a shard");
	const steps = new Steps();
	await checkRights(present(shard.nodes[0], "a node"), settings, { isThere: true }, steps);
	return steps.list;
}

async function ask(statement: string): Promise<string> {
	const headers = { authorization: `Basic ${Buffer.from(`writer:${PASSWORD}`).toString("base64")}` };
	const response = await fetch(clickhouse.url, { method: "POST", body: statement, headers });
	const answer = await response.text();
	if (!response.ok) throw new Error(answer);
	return answer.trimEnd();
}

/**
 * A server in front of ClickHouse that answers some statements itself.
 * @param certificate that it shows; without one it speaks no TLS
 */
async function startProxy(answer: (statement: string) => string | Buffer | undefined, certificate?: string) {
	const handle: RequestListener = async (incoming, outgoing) => {
		const statement = await text(incoming);
		const own = answer(statement);
		const { port } = clickhouse;
		const options = { port, method: incoming.method, path: incoming.url, headers: incoming.headers };
		const passed = request(options, (from) => {
			if (own === undefined) {
				outgoing.writeHead(from.statusCode ?? 502, from.headers);
				from.pipe(outgoing);
				return;
			}
			from.resume();
			outgoing.writeHead(200, { ...from.headers, "content-length": own.length }).end(own);
		});
		passed.end(statement);
	};
	const proxy =
		certificate === undefined
			? createServer(handle)
			: createTlsServer({ cert: pem(`${certificate}.pem`), key: pem(`${certificate}.key`) }, handle);
	await once(proxy.listen(0, "127.0.0.1"), "listening");
	return {
		url: `${certificate === undefined ? "http" : "https"}://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
		async [Symbol.asyncDispose]() {
			proxy.closeAllConnections();
			proxy.close();
		},
	};
}

const failure = (says: RegExp, ...settings: readonly string[]) =>
	expect.objectContaining({ outcome: "failed", text: expect.stringMatching(says), settings });
const warning = (says: RegExp) => expect.objectContaining({ outcome: "warning", text: expect.stringMatching(says) });

test("K89 nothing is wrong beside a server that runs, and nothing is changed", async () => {
	const before = await ask(`select name, metadata_modification_time from system.tables where database = '${DATABASE}'`);
	const { titles, steps, failed, warnings } = await examine();
	expect({ failed, warnings }).toEqual({ failed: [], warnings: [] });
	expect(titles).toEqual([`ClickHouse at 127.0.0.1:${clickhouse.port}`, "Traces in ClickHouse"]);
	expect(steps.map(({ name, text }) => `${name}: ${text}`)).toEqual([
		expect.stringMatching(/^connect: ClickHouse can be reached; it is version 2\d\.\d+/),
		"clock: The clocks of ClickHouse and this machine agree.",
		"rights: The user writer of ClickHouse has the rights that a server needs.",
		"replica: A single node keeps the traces.",
		"schema: The tables are those of this Spanward.",
		"durability: Everything acknowledged is on ClickHouse's disk.",
		"schema: All rows say what this version reads of attributes.",
		"schema: The traces are those of this installation.",
		expect.stringMatching(/^disk: \d+ MiB of \d+ MiB are free/),
		"merges: Merges keep up with what is inserted.",
		expect.stringMatching(/^settings: Statements override .*: join_use_nulls\.$/),
	]);
	expect(await ask(`select name, metadata_modification_time from system.tables where database = '${DATABASE}'`)).toBe(
		before,
	);
});

test("K89 what cannot be reached, or is not ClickHouse, is named with what to change", async () => {
	const password = await examine({ SERVICE_CLICKHOUSE_PASSWORD: "another" });
	expect(password.failed).toEqual([
		failure(/refuses the user writer or its password/, "SERVICE_CLICKHOUSE_USER", "SERVICE_CLICKHOUSE_PASSWORD"),
	]);
	expect(password.code).toBe(1);
	const nobody = `http://127.0.0.1:${await freePort()}`;
	const closed = await examine({ SERVICE_CLICKHOUSE_URL: nobody });
	expect(closed.failed).toEqual([failure(/cannot be reached: nothing listens there/, "SERVICE_CLICKHOUSE_URL")]);
	const unknown = await examine({ SERVICE_CLICKHOUSE_URL: "http://nowhere.invalid:8123" });
	expect(unknown.failed).toEqual([failure(/its name cannot be resolved/, "SERVICE_CLICKHOUSE_URL")]);
	const encrypted = await examine({ SERVICE_CLICKHOUSE_URL: clickhouse.url.replace("http:", "https:") });
	expect(encrypted.failed).toEqual([failure(/does not speak TLS/, "SERVICE_CLICKHOUSE_URL")]);
	const page = "<html>Please log in</html>";
	await clickhouse.fail([{ match: "/ping", kind: "status", status: 200, text: page, times: 10 }]);
	expect((await examine()).failed).toEqual([failure(/is not ClickHouse's HTTP interface/, "SERVICE_CLICKHOUSE_URL")]);
	await clickhouse.fail([{ match: "select", kind: "status", status: 200, text: page, times: 100 }]);
	expect((await examine()).failed).toEqual([failure(/is not ClickHouse/, "SERVICE_CLICKHOUSE_URL")]);
	await clickhouse.heal();

	const both = await examine({ SERVICE_CLICKHOUSE_URL: `${nobody},${clickhouse.url}` });
	expect(both.titles).toEqual([`ClickHouse at ${nobody.slice(7)}`, expect.any(String), "Traces in ClickHouse"]);
	expect(both.failed).toEqual([failure(/nothing listens there/, "SERVICE_CLICKHOUSE_URL")]);
	expect(both.warnings).toEqual([warning(/lists 2 nodes, and nothing replicates the tables/)]);
	const unknownCluster = await examine({ SERVICE_CLICKHOUSE_CLUSTER: "nowhere" });
	expect(unknownCluster.failed).toEqual([failure(/is nowhere, and .* knows/, "SERVICE_CLICKHOUSE_CLUSTER")]);
});

test("K89 a certificate that cannot be trusted is named, and what trusts it", async () => {
	const wrong: readonly (readonly [certificate: string, says: RegExp, env: Variables])[] = [
		["server", /an authority that this machine does not trust/, {}],
		["untrusted", /cannot be trusted/, { SERVICE_CLICKHOUSE_TLS_CA_FILE: file("authority.pem") }],
		["expired", /has expired/, { SERVICE_CLICKHOUSE_TLS_CA_FILE: file("authority.pem") }],
		["wrong-host", /is for another name/, { SERVICE_CLICKHOUSE_TLS_CA_FILE: file("authority.pem") }],
	];
	for (const [certificate, says, env] of wrong) {
		await using proxy = await startProxy(() => undefined, certificate);
		const { failed } = await examine({ SERVICE_CLICKHOUSE_URL: proxy.url, ...env });
		expect(failed, certificate).toEqual([failure(says, "SERVICE_CLICKHOUSE_TLS_CA_FILE", "SERVICE_CLICKHOUSE_URL")]);
	}
	await using proxy = await startProxy(() => undefined, "server");
	const env = { SERVICE_CLICKHOUSE_URL: proxy.url, SERVICE_CLICKHOUSE_TLS_CA_FILE: file("authority.pem") };
	const trusted = await examine(env);
	expect(trusted.failed).toEqual([]);
	expect(trusted.steps[0]).toMatchObject({ name: "tls", outcome: "ok" });
});

test("K89 an old ClickHouse and a clock that is wrong are named", async () => {
	const now = BigInt(Date.now() - 3_600_000);
	const version = Buffer.from("24.3.1");
	const time = Buffer.alloc(8);
	time.writeBigInt64LE(now);
	const row = Buffer.concat([Buffer.from([version.length]), version, time]);
	await using proxy = await startProxy((statement) => (statement.includes("toUnixTimestamp64Milli") ? row : undefined));
	const { failed, warnings } = await examine({ SERVICE_CLICKHOUSE_URL: proxy.url });
	expect(failed).toEqual([failure(/it is version 24\.3\.1, and Spanward needs 25\.8 or newer/)]);
	expect(warnings).toEqual([warning(/clocks of ClickHouse and this machine differ/)]);
});

test("K88 each right that is missing is named", async () => {
	const needed = [
		...["select", "insert", "create table", "alter table", "optimize"].map((right) => `${right} on ${DATABASE}.*`),
		...["tables", "columns", "databases", "parts", "merge_tree_settings"].map((table) => `select on system.${table}`),
	];
	const helpful = ["disks", "storage_policies", "merges", "mutations"];
	for (const right of [...needed, ...helpful.map((table) => `select on system.${table}`)]) {
		await using proxy = await startProxy((statement) => (statement === `check grant ${right}` ? "0\n" : undefined));
		const wrong = (await examineRights(proxy.url)).filter(({ outcome }) => outcome !== "ok");
		expect(wrong).toEqual([
			{
				name: "rights",
				outcome: needed.includes(right) ? "failed" : "warning",
				text: expect.any(String),
				settings: ["SERVICE_CLICKHOUSE_USER"],
				facts: [{ name: "Run there", value: `grant ${right} to writer` }],
			},
		]);
	}
	await clickhouse.fail([{ match: "^check grant insert", kind: "error", code: 497, times: 1 }]);
	expect((await examine()).failed).toEqual([failure(/lacks rights/, "SERVICE_CLICKHOUSE_USER")]);
	await clickhouse.fail([{ match: "^check grant", kind: "error", code: 62, times: 100 }]);
	const { steps } = await examine();
	expect(steps).toContainEqual(expect.objectContaining({ name: "rights", outcome: "skipped" }));
});

test("K89 a database that is missing, empty, of another program, changed or read by a former version is named, and left alone", async () => {
	const missing = await examine({ SERVICE_CLICKHOUSE_DATABASE: "missing" });
	expect(missing.failed).toEqual([]);
	expect(missing.warnings).toEqual([warning(/no database missing in ClickHouse yet; the server creates it/)]);
	await clickhouse.fail([{ match: "^check grant create database", kind: "error", code: 497, times: 1 }]);
	expect((await examine({ SERVICE_CLICKHOUSE_DATABASE: "missing" })).failed).toEqual([
		failure(/no database missing in ClickHouse, and its user may not create it/, "SERVICE_CLICKHOUSE_DATABASE"),
	]);
	expect(await ask("select count() from system.databases where name = 'missing'")).toBe("0");
	await ask("create database empty");
	const empty = await examine({ SERVICE_CLICKHOUSE_DATABASE: "empty" });
	expect(empty.warnings).toEqual([warning(/database empty is empty; the server creates its tables/)]);
	expect(await ask("select count() from system.tables where database = 'empty'")).toBe("0");
	await ask("create database foreign_one");
	await ask("create table foreign_one.observations (id String) engine = MergeTree order by id");
	const foreign = await examine({ SERVICE_CLICKHOUSE_DATABASE: "foreign_one" });
	expect(foreign.failed).toEqual([
		failure(/has tables of another program \(observations\)/, "SERVICE_CLICKHOUSE_DATABASE"),
	]);
	await using other = await startServer({ env: settingsOf({ SERVICE_CLICKHOUSE_DATABASE: "changed" }) });
	await other.stop();
	const ofOther = () => examine({ SERVICE_CLICKHOUSE_DATABASE: "changed" }, other.workingDir);
	expect((await ofOther()).failed).toEqual([]);
	const relaxed = { SERVICE_CLICKHOUSE_DATABASE: "changed", SERVICE_DATABASE_DURABILITY: "relaxed" };
	expect((await examine(relaxed, other.workingDir)).warnings).toEqual([
		warning(/not as SERVICE_DATABASE_DURABILITY=relaxed wants them; the next start changes that/),
	]);
	expect((await examine({ SERVICE_CLICKHOUSE_DATABASE: "changed" })).failed).toEqual([
		failure(
			/of another installation: .* adopt-clickhouse/,
			...["SERVICE_CLICKHOUSE_DATABASE", "SERVICE_SQL_DATABASE_URL", "SERVICE_WORKING_DIR"],
		),
	]);
	const reading = `reading) values (1, 900000, 900000, 1, ${READING}`;
	await ask(`insert into changed.spans (project_id, id, batch, version, ${reading})`);
	expect((await ofOther()).warnings).toEqual([warning(/higher row numbers than the other database has given out/)]);
	await ask("insert into changed.traces (project_id, id, batch, version, reading) values (1, 900000, 900000, 1, 0)");
	expect((await ofOther()).warnings).toContainEqual({
		...{ name: "schema", outcome: "warning", settings: [] },
		text: expect.stringMatching(/^Rows say what a former version read of attributes: a running server makes them anew/),
		facts: [{ name: "Older rows of traces", value: "1" }],
	});
	await ask("alter table changed.spans drop column user_id");
	expect((await ofOther()).failed).toEqual([failure(/spans lacks the column user_id/, "SERVICE_CLICKHOUSE_DATABASE")]);
});

test("K89 merges that do not keep up, changes that fail and logs that outgrow the traces are named", async () => {
	const pace = await examine();
	expect(pace.warnings).toEqual([]);
	await ask(`system stop merges ${DATABASE}.hours`);
	await ask(`alter table ${DATABASE}.hours modify setting parts_to_throw_insert = 12`);
	for (let hour = 0; hour < 6; hour += 1)
		await ask(`insert into ${DATABASE}.hours (project_id, hour, number, version) values (99, ${hour}, 1, 1)`);
	const strained = await examine();
	expect(strained.warnings).toEqual([warning(/^Merges do not keep up/)]);
	await ask(`alter table ${DATABASE}.hours update trace_count = throwIf(1) where true settings mutations_sync = 0`);
	await ask(`system start merges ${DATABASE}.hours`);
	await expect.poll(async () => (await examine()).failed).toEqual([failure(/^Changes of tables fail again and again/)]);
	await ask(`kill mutation where database = '${DATABASE}' sync`);
	await ask("create table system.query_log (text String codec(NONE)) engine = MergeTree order by tuple()");
	await ask("insert into system.query_log select randomString(1000000) from numbers(300)");
	expect((await examine()).warnings).toContainEqual(warning(/^Logs of ClickHouse itself take 2\d{2} MiB/));
});
