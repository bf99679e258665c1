import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { type Logger, pino } from "pino";
import { createAuth } from "#access/create-auth.ts";
import { readConfig } from "#base/config.ts";
import type { App } from "#http/app-type.ts";
import type { ModelCaller } from "#models/call-model.ts";
import { type AppOptions, buildApp } from "./app.ts";
import type { WritingContext } from "./context.ts";
import { openContext } from "./server.ts";
import { signIn, TEST_SECRETS, type TestPrincipal } from "./test-principals.ts";
import { createTestPlace } from "./test-storage.ts";

const FIXTURES = join(import.meta.dirname, "../../../fixtures");

export interface TestApp extends AsyncDisposable {
	readonly app: App;
	readonly context: WritingContext;
	/**
	 * Headers that authenticate a new user with this role, or the system, as route tests send them; needs
	 * authentication on.
	 */
	signedIn(role: "ADMIN" | "MEMBER" | "VIEWER" | "SYSTEM", as?: "session" | "key"): Promise<TestPrincipal>;
	/** GET; the body parsed as JSON when it is. */
	get(url: string, headers?: Record<string, string>): Promise<Answer>;
	call(
		method: "POST" | "PUT" | "PATCH" | "DELETE",
		url: string,
		body?: unknown,
		headers?: Record<string, string>,
	): Promise<Answer>;
	/** Deletes all projects and traces, so that the next test starts with nothing but the default project. */
	clear(): Promise<void>;
	/** Exports spans as OTLP/JSON, each completed by {@link otlpSpan}, and waits until they are stored. */
	send(spans: readonly Readonly<Record<string, unknown>>[], project?: string): Promise<void>;
	/** Sends every recorded export of a source in `fixtures/`, to this project when it is given. */
	replay(source: string, project?: string): Promise<void>;
}

export interface Answer {
	readonly status: number;
	readonly headers: Readonly<Record<string, unknown>>;
	readonly text: string;
	// biome-ignore lint/suspicious/noExplicitAny: tests say what they expect of it
	readonly json: any;
}

/** The whole server on a SQLite file in a folder of its own, or on a PostgreSQL schema of its own, without a port. */
export async function openTestApp(
	settings: Readonly<Record<string, string>> = {},
	options: AppOptions = {},
	log: Logger = pino({ level: "silent" }),
): Promise<TestApp> {
	await using opened = new AsyncDisposableStack();
	// A test that names a place keeps it, and may open it again.
	const place = settings["SERVICE_WORKING_DIR"] === undefined ? opened.use(await createTestPlace()) : undefined;
	const config = readConfig({
		...place?.settings,
		...(settings["SERVICE_ENABLE_AUTH"] === "true" ? TEST_SECRETS : {}),
		SERVICE_INGEST_WORKERS: "1",
		SERVICE_DATABASE_READERS: "1",
		...settings,
	});
	const context = opened.use(await openContext(config, log));
	const app = await buildApp(context, options);
	opened.defer(() => app.close());
	const running = opened.move();

	async function call(
		method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
		url: string,
		extra: object,
	): Promise<Answer> {
		const response = await app.inject({ method, url, ...extra });
		const text = response.body;
		const isJson = String(response.headers["content-type"]).includes("json") && text !== "";
		return {
			status: response.statusCode,
			headers: response.headers,
			text,
			json: isJson ? parseLines(text) : undefined,
		};
	}

	return {
		app,
		context,
		get: (url, headers = {}) => call("GET", url, { headers }),
		signedIn: (role, as = "session") => signIn(context, role, as),
		call: (method, url, body, headers = {}) =>
			call(method, url, { headers, ...(body === undefined ? {} : { payload: body }) }),
		async clear() {
			const { json } = await call("GET", "/v1/projects?limit=1000", {});
			for (const { id, name } of json.data) {
				if (name !== "default") await call("DELETE", `/v1/projects/${id}`, {});
			}
			await call("DELETE", "/v1/projects/default/traces?start_time=1970-01-01&end_time=2554-01-01", {});
		},
		async send(spans, project) {
			const resourceSpans = [{ resource: {}, scopeSpans: [{ scope: { name: "test" }, spans: spans.map(otlpSpan) }] }];
			const response = await app.inject({
				method: "POST",
				url: "/v1/traces",
				headers: {
					"content-type": "application/json",
					...(project === undefined ? {} : { "x-project-name": project }),
				},
				payload: JSON.stringify({ resourceSpans }),
			});
			if (response.statusCode !== 200 || response.body !== "{}")
				throw new Error(`not all were stored: ${response.body}`);
		},
		async replay(source, project) {
			for (const { path, headers, body } of await readExports(source)) {
				const response = await app.inject({
					method: "POST",
					url: path,
					headers: { ...headers, ...(project === undefined ? {} : { "x-project-name": project }) },
					payload: body,
				});
				if (response.statusCode !== 200) throw new Error(`${source} answered ${response.statusCode}: ${response.body}`);
			}
		},
		[Symbol.asyncDispose]: () => running.disposeAsync(),
	};
}

/** A second server on the database of the first one, which remembers principals for itself. */
export async function openSecondApp({ context }: TestApp): Promise<Pick<TestApp, "get" | "call"> & AsyncDisposable> {
	const auth = createAuth(context.config, context.db, context.log, context.now);
	const app = await buildApp({ ...context, auth });
	const ask = async (
		method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
		url: string,
		headers: object,
		body?: unknown,
	) => {
		const payload = body === undefined ? {} : { payload: body as string };
		const answer = await app.inject({ method, url, headers: { ...headers }, ...payload });
		const text = answer.body;
		const isJson = String(answer.headers["content-type"]).includes("json");
		return { status: answer.statusCode, headers: answer.headers, text, json: isJson ? JSON.parse(text) : undefined };
	};
	return {
		get: (url, headers = {}) => ask("GET", url, headers),
		call: (method, url, body, headers = {}) => ask(method, url, headers, body),
		async [Symbol.asyncDispose]() {
			await app.close();
			await auth[Symbol.asyncDispose]();
		},
	};
}

/** A second server on the storage of the first one, whose models are these. */
export async function buildAppWithModels({ context }: TestApp, models: ModelCaller): Promise<App> {
	return await buildApp({ ...context, models });
}

/** 2023-11-14T22:13:20Z */
export const T0 = 1_700_000_000;

/** An OTLP/JSON span of 100 ms; `attributes` may be given as an object of OTLP/JSON values. */
export function otlpSpan(span: Readonly<Record<string, unknown>>): object {
	const attributes = Object.entries(span["attributes"] ?? {}).map(([key, value]) => ({ key, value }));
	return {
		traceId: "1".repeat(32),
		spanId: "1".repeat(16),
		name: "step",
		startTimeUnixNano: `${T0}000000000`,
		endTimeUnixNano: `${T0}100000000`,
		...span,
		attributes,
	};
}

/** A string attribute of OTLP/JSON. */
export function text(value: string): object {
	return { stringValue: value };
}

function parseLines(text: string): unknown {
	try {
		return JSON.parse(text);
	} catch (error) {
		if (!(error instanceof SyntaxError)) throw error;
		return text
			.trimEnd()
			.split("\n")
			.map((line): unknown => JSON.parse(line));
	}
}

interface RecordedExport {
	readonly path: string;
	readonly headers: Record<string, string>;
	readonly body: Buffer;
}

async function readExports(source: string): Promise<RecordedExport[]> {
	const folder = join(FIXTURES, source);
	const names = (await readdir(folder)).filter((name) => /^(logs-)?\d+\.bin$/.test(name)).sort();
	return await Promise.all(
		names.map(async (name) => {
			const about: unknown = JSON.parse(await readFile(join(folder, name.replace(".bin", ".json")), "utf8"));
			const { contentType, contentEncoding } = about as { contentType: string | null; contentEncoding: string | null };
			return {
				path: name.startsWith("logs-") ? "/v1/logs" : "/v1/traces",
				headers: {
					"content-type": contentType?.startsWith("application/grpc")
						? "application/x-protobuf"
						: (contentType ?? "application/x-protobuf"),
					...(contentEncoding === null ? {} : { "content-encoding": contentEncoding }),
				},
				body: await readFile(join(folder, name)),
			};
		}),
	);
}
