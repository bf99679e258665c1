import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { trace } from "@opentelemetry/api";
import { OTLPTraceExporter as GrpcExporter } from "@opentelemetry/exporter-trace-otlp-grpc";
import { OTLPTraceExporter as HttpExporter } from "@opentelemetry/exporter-trace-otlp-proto";
import { BatchSpanProcessor, NodeTracerProvider, type SpanExporter } from "@opentelemetry/sdk-trace-node";
import { expect, test } from "vitest";
import { parse } from "yaml";
import { readConfig, settingWarnings } from "../../apps/server/src/base/config.ts";
import { clickHouseSettings } from "../../apps/server/src/base/settings/clickhouse.ts";
import { createTestSchema } from "../../apps/server/src/storage/postgres/test-postgres.ts";
import { listens, PeerProcess } from "../peers/process.ts";
import { testWith } from "../peers/requirements.ts";
import { freePort, startServer } from "../server.ts";

const FOLDER = join(import.meta.dirname, "../../deploy/compose");
const FILES = ["single.yaml", "postgres.yaml"] as const;

interface Service {
	readonly image: string;
	readonly environment?: Readonly<Record<string, string>>;
	readonly read_only?: boolean;
	readonly tmpfs?: readonly string[];
	readonly networks?: { readonly default?: { readonly ipv4_address?: string } };
}

async function readServices(file: string): Promise<Record<string, Service>> {
	const variables: Readonly<Record<string, string>> = {
		SPANWARD_SECRET: "compose-secret-0123456789-abcdefghijklmn",
		SPANWARD_DATABASE_PASSWORD: "database-password",
		SPANWARD_ADMIN_PASSWORD: "choose-one-and-change-it-1",
		SPANWARD_CLICKHOUSE_PASSWORD: "clickhouse-password",
	};
	const text = (await readFile(join(FOLDER, file), "utf8")).replace(
		/\$\{(\w+)(?::([-?])([^}]*))?\}/g,
		(_match, name: string, kind: string, rest: string) => variables[name] ?? (kind === "-" ? rest : ""),
	);
	const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
	return services;
}

test.each(FILES)("the servers of %s start with its settings, all of which are known", async (file) => {
	const servers = Object.values(await readServices(file)).filter(({ image }) => image === "spanward");
	expect(servers).toHaveLength(file === "single.yaml" ? 1 : 2);
	for (const { environment, read_only } of servers) {
		expect(read_only).toBe(true);
		const config = readConfig({ ...environment });
		expect(config.SERVICE_ENABLE_AUTH).toBe(true);
		expect(
			settingWarnings(config, { ...environment }).filter((warning) => /unknown|without effect/.test(warning)),
		).toEqual([]);
	}
});

test("clickhouse.yaml adds ClickHouse to both servers of postgres.yaml", async () => {
	const services = await readServices("postgres.yaml");
	const { clickhouse, ...added } = await readServices("clickhouse.yaml");
	expect(Object.keys(added)).toEqual(["server-1", "server-2"]);
	for (const [name, { environment }] of Object.entries(added)) {
		const all = { ...services[name]?.environment, ...environment };
		const config = readConfig(all);
		expect(clickHouseSettings(config)).toMatchObject({
			shards: [["http://clickhouse:8123/"]],
			user: clickhouse?.environment?.["CLICKHOUSE_USER"],
			password: clickhouse?.environment?.["CLICKHOUSE_PASSWORD"],
			database: clickhouse?.environment?.["CLICKHOUSE_DB"],
		});
		expect(settingWarnings(config, all).filter((warning) => /unknown|without effect/.test(warning))).toEqual([]);
	}
});

test("the servers of postgres.yaml may write where uploads go, and believe nginx, which needs no name to be known", async () => {
	const services = await readServices("postgres.yaml");
	const addressOf = (name: string) => services[name]?.networks?.default?.ipv4_address ?? "";
	const nginx = await readFile(join(FOLDER, "nginx.conf"), "utf8");
	const upstreams = Array.from(nginx.matchAll(/^\t\tserver (.+);$/gm), ([, address]) => address);
	const servers = ["server-1", "server-2"];
	for (const port of [6006, 4317])
		expect(upstreams).toEqual(expect.arrayContaining(servers.map((name) => `${addressOf(name)}:${port}`)));
	expect(upstreams).toHaveLength(4);
	for (const name of servers) {
		const { tmpfs, environment } = services[name] ?? {};
		expect(tmpfs?.find((mount) => mount.startsWith("/data"))).toBe("/data:uid=1000,gid=1000,mode=0700");
		expect(readConfig({ ...environment }).SERVICE_TRUSTED_PROXIES).toEqual([addressOf("proxy")]);
	}
});

testWith("nginx", "postgres")("nginx as the Compose file has it serves two servers on one database", async () => {
	await using schema = await createTestSchema();
	const env = {
		SERVICE_SQL_DATABASE_URL: schema.url,
		SERVICE_SQL_DATABASE_SCHEMA: schema.schema,
		SERVICE_INGEST_WORKERS: "1",
	};
	await using one = await startServer({ env, authentication: false });
	const ports = { http: await freePort(), grpc: await freePort() };
	const url = `http://127.0.0.1:${ports.http}`;
	{
		// As while the other is away.
		const nobody = { port: await freePort(), grpcPort: await freePort() };
		await using _nginx = await startNginx(ports, [one, nobody]);
		for (let request = 0; request < 4; request += 1) expect((await fetch(`${url}/healthz`)).status).toBe(200);
	}
	await using two = await startServer({ env, authentication: false });
	await using _nginx = await startNginx(ports, [one, two]);
	await exportSpans(new HttpExporter({ url: `${url}/v1/traces` }), 20);
	await exportSpans(new GrpcExporter({ url: `http://127.0.0.1:${ports.grpc}` }), 20);
	for (const address of [url, one.url, two.url]) {
		const response = await fetch(`${address}/v1/projects/default/spans?limit=100`);
		const { data } = (await response.json()) as { data: unknown[] };
		expect(data).toHaveLength(40);
	}
	const page = await fetch(url);
	expect(await page.text()).toContain('id="root"');
});

async function startNginx(
	ports: { readonly http: number; readonly grpc: number },
	servers: readonly { readonly port: number; readonly grpcPort: number }[],
): Promise<AsyncDisposable> {
	await using cleanup = new AsyncDisposableStack();
	const folder = await mkdtemp(join(tmpdir(), "spanward-compose-"));
	cleanup.defer(() => rm(folder, { recursive: true, force: true }));
	let text = await readFile(join(FOLDER, "nginx.conf"), "utf8");
	for (const [index, { port, grpcPort }] of servers.entries())
		text = text
			.replace(`10.203.64.${11 + index}:6006`, `127.0.0.1:${port}`)
			.replace(`10.203.64.${11 + index}:4317`, `127.0.0.1:${grpcPort}`);
	expect(text).not.toContain("10.203.64.");
	const places = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"].map(
		(kind) => `${kind}_temp_path ${folder}/${kind};`,
	);
	text = text
		.replace("listen 6006", `listen 127.0.0.1:${ports.http}`)
		.replace("listen 4317", `listen 127.0.0.1:${ports.grpc}`)
		.replace("http {", `http {\naccess_log off;\n${places.join("\n")}`);
	const user = process.getuid?.() === 0 ? "user root;" : "";
	const file = join(folder, "nginx.conf");
	await writeFile(file, `daemon off;\n${user}\npid ${folder}/nginx.pid;\nerror_log stderr;\n${text}`);
	const nginx = await PeerProcess.start({
		name: "nginx",
		command: "/usr/sbin/nginx",
		args: ["-p", folder, "-e", "stderr", "-c", file],
		isReady: async () => (await listens(ports.http)) && (await listens(ports.grpc)),
		readyWithinMs: 20_000,
	});
	cleanup.use(nginx);
	return cleanup.move();
}

/** As an application would: one export for each span, so that they reach both servers. */
async function exportSpans(exporter: SpanExporter, count: number): Promise<void> {
	const provider = new NodeTracerProvider({ spanProcessors: [new BatchSpanProcessor(exporter)] });
	const tracer = provider.getTracer("compose");
	for (let index = 0; index < count; index += 1) {
		tracer.startSpan(`step ${index}`).end();
		await provider.forceFlush();
	}
	await provider.shutdown();
	trace.disable();
}
