import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server as RunningServer } from "../apps/server/src/server.ts";
import { AUTHENTICATION_SETTINGS, type Keys, useFirst } from "./first-use.ts";
import { COMPILE_CACHE, MALLOC, SMALL_HEAPS } from "./memory-settings.ts";

const MAIN = join(import.meta.dirname, "../apps/server/src/main.ts");
const START_WITHIN_MS = 300_000;
/** Set for the second run of the tests that have to pass with authentication too; vitest.config.ts lists them. */
const WITH_AUTHENTICATION = process.env["E2E_AUTHENTICATION"] === "true";
/** Set for the run of the tests with traces in ClickHouse. */
const WITH_CLICKHOUSE = process.env["TEST_STORAGE"] === "clickhouse";

export interface ServerOptions {
	/** Folder of the database; a new temporary one, removed at the end, when absent. */
	readonly workingDir?: string;
	/** `main.ts` of another release; this one's when absent. */
	readonly program?: string;
	/** Where it keeps everything but uploads under way; SQLite in its folder when absent. */
	readonly storage?: { readonly url: string; readonly schema: string };
	/** Further `SERVICE_…` variables. */
	readonly env?: Readonly<Record<string, string>>;
	/** Whether it asks for credentials, and has keys once it runs; the default is what this run of the tests is for. */
	readonly authentication?: boolean;
	/**
	 * Whether the server runs in the test's own process, for tests of what it answers over the network and logs: it starts
	 * in a third of the time. Signals, crashes, memory and variables of Node need a process, the default.
	 */
	readonly inProcess?: boolean;
}

interface TestServerParts extends Required<Pick<ServerOptions, "program" | "inProcess">> {
	readonly port: number;
	readonly grpcPort: number;
	readonly workingDir: string;
	readonly authentication: boolean;
	readonly env: Readonly<Record<string, string>>;
	/** What goes with the server. */
	readonly owned: AsyncDisposable;
}

/** The server as users run it, reached over the network only: in its own process, started by main.ts, unless told otherwise. */
export class TestServer implements AsyncDisposable {
	readonly port: number;
	readonly grpcPort: number;
	readonly workingDir: string;
	readonly #env: Readonly<Record<string, string>>;
	readonly #owned: AsyncDisposable;
	readonly #authentication: boolean;
	readonly #program: string;
	readonly #inProcess: boolean;
	#process: ChildProcess | undefined;
	#running: RunningServer | undefined;
	#output = "";
	#keys: Keys | undefined;

	constructor({ port, grpcPort, workingDir, authentication, env, owned, program, inProcess }: TestServerParts) {
		this.port = port;
		this.grpcPort = grpcPort;
		this.workingDir = workingDir;
		this.#authentication = authentication;
		this.#env = env;
		this.#owned = owned;
		this.#program = program;
		this.#inProcess = inProcess;
	}

	/** Address of HTTP, with the root path, without a slash at the end. */
	get url(): string {
		return `http://127.0.0.1:${this.port}${this.#env["SERVICE_HOST_ROOT_PATH"] ?? ""}`;
	}

	get grpcAddress(): string {
		return `127.0.0.1:${this.grpcPort}`;
	}

	/** A key that sends and reads; undefined while authentication is off. */
	get key(): string | undefined {
		return this.#keys?.system;
	}

	/** Sends and reads with a key that another server on the same database has made. */
	useKey(system: string): void {
		this.#keys = { system, admin: system };
	}

	/** A key of an admin; undefined while authentication is off. */
	get adminKey(): string | undefined {
		return this.#keys?.admin;
	}

	/** What a sender adds to each request: nothing while authentication is off. */
	get headers(): Readonly<Record<string, string>> {
		return this.key === undefined ? {} : { authorization: `Bearer ${this.key}` };
	}

	/** Process id of the running server. */
	get pid(): number {
		const pid = this.#process?.pid;
		if (pid === undefined) throw new Error("the server is not running");
		return pid;
	}

	/** Everything the server wrote to standard output and standard error, over all its starts. */
	get output(): string {
		return this.#output;
	}

	/**
	 * Starts the process and waits until `/readyz` answers 200; the first time with authentication, keys are made.
	 * @throws when it exits or takes too long, with its output
	 */
	async start(): Promise<void> {
		await (this.#inProcess ? this.#startHere() : this.#startProcess());
		if (this.#authentication) this.#keys ??= await useFirst(this.url);
	}

	/** As main.ts does. */
	async #startHere(): Promise<void> {
		const [{ ConfigError, readConfig, settingWarnings }, { createLogTo }, { startServer }] = await Promise.all([
			import("../apps/server/src/base/config.ts"),
			import("../apps/server/src/base/log.ts"),
			import("../apps/server/src/server.ts"),
		]);
		const settings = this.#settings;
		const keep = (text: string) => {
			this.#output += text;
		};
		try {
			const config = readConfig(settings);
			const log = createLogTo({ write: keep }, config.SERVICE_LOG_LEVEL);
			for (const warning of settingWarnings(config, settings)) log.warn(warning);
			this.#running = await startServer(config, log);
		} catch (error) {
			const message = error instanceof Error ? error.message : String(error);
			const isWrongSetting = error instanceof ConfigError;
			keep(isWrongSetting ? `${message}\n` : `Spanward cannot start: ${message}\n`);
			throw new Error(`the server ended with ${isWrongSetting ? 78 : 1}:\n${this.#output}`, { cause: error });
		}
		keep(`Spanward is ready: ${this.#running.address} (OTLP/gRPC on port ${this.#running.grpcPort})\n`);
	}

	get #settings(): Readonly<Record<string, string>> {
		return {
			SERVICE_PORT: String(this.port),
			SERVICE_GRPC_PORT: String(this.grpcPort),
			SERVICE_WORKING_DIR: this.workingDir,
			...this.#env,
		};
	}

	async #startProcess(): Promise<void> {
		const child = this.spawn();
		const deadline = Date.now() + START_WITHIN_MS;
		while (!(await this.#isReady())) {
			if (child.exitCode !== null || child.signalCode !== null)
				throw new Error(`the server ended with ${child.exitCode ?? child.signalCode}:\n${this.#output}`);
			if (Date.now() > deadline) {
				child.kill("SIGKILL");
				throw new Error(`the server was not ready within ${START_WITHIN_MS} ms:\n${this.#output}`);
			}
			await sleep(25);
		}
	}

	/** Starts the process as `npm start` does, without waiting. */
	spawn(): ChildProcess {
		if (this.#inProcess) throw new Error("this server is to run in the test's own process");
		const environment = Object.entries(process.env).filter(([name]) => !name.startsWith("SERVICE_"));
		const child = spawn(process.execPath, [...SMALL_HEAPS, this.#program], {
			stdio: ["ignore", "pipe", "pipe"],
			env: { ...COMPILE_CACHE, ...MALLOC, ...Object.fromEntries(environment), ...this.#settings },
		});
		child.stdout.setEncoding("utf8").on("data", (text: string) => {
			this.#output += text;
		});
		child.stderr.setEncoding("utf8").on("data", (text: string) => {
			this.#output += text;
		});
		child.once("exit", (code, signal) => {
			if (this.#process === child)
				console.error(
					`A server ended by itself with ${code ?? signal}. The end of its output:\n${this.#output.slice(-2_000)}`,
				);
		});
		this.#process = child;
		return child;
	}

	/** Asks the server to stop and resolves with its exit code, null when a signal ended it. */
	async stop(signal: NodeJS.Signals = "SIGTERM"): Promise<number | null> {
		if (this.#running !== undefined) {
			if (signal !== "SIGTERM") throw new Error("a server in the test's own process gets no signals");
			await this.#running.drain();
			await this.#closeHere();
			return 0;
		}
		const child = this.#process;
		this.#process = undefined;
		if (child === undefined || child.exitCode !== null || child.signalCode !== null) return child?.exitCode ?? null;
		const exited = once(child, "exit");
		child.kill(signal);
		await exited;
		return child.exitCode;
	}

	/** Ends the server at once, as a crash does. */
	async kill(): Promise<void> {
		await this.stop("SIGKILL");
	}

	async #closeHere(): Promise<void> {
		const running = this.#running;
		this.#running = undefined;
		await running?.[Symbol.asyncDispose]();
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.#closeHere();
		await this.kill();
		await this.#owned[Symbol.asyncDispose]();
	}

	/** A request with the key of {@link headers}. */
	fetch(path: string, init: Omit<RequestInit, "headers"> & { readonly headers?: Record<string, string> } = {}) {
		return fetch(this.url + path, { ...init, headers: { ...this.headers, ...init.headers } });
	}

	/** GET `path` as JSON. @throws with status and body when the answer is not 2xx */
	async getJson(path: string): Promise<unknown> {
		const response = await this.fetch(path);
		const body = await response.text();
		if (!response.ok) throw new Error(`GET ${path} answered ${response.status}: ${body.slice(0, 500)}`);
		return JSON.parse(body);
	}

	async #isReady(): Promise<boolean> {
		try {
			return (await fetch(`${this.url}/readyz`, { signal: AbortSignal.timeout(20_000) })).ok;
		} catch {
			return false; // nobody listens yet
		}
	}
}

/** A server on free ports, not started. */
export async function createTestServer(options: ServerOptions = {}): Promise<TestServer> {
	const [port, grpcPort] = await Promise.all([freePort(), freePort()]);
	await using made = new AsyncDisposableStack();
	const workingDir = options.workingDir ?? (await mkdtemp(join(tmpdir(), "spanward-e2e-")));
	if (options.workingDir === undefined) made.defer(() => rm(workingDir, { recursive: true, force: true }));
	const clickhouse = WITH_CLICKHOUSE ? made.use(await createDatabase()) : undefined;
	const authentication = options.authentication ?? WITH_AUTHENTICATION;
	const env = {
		...(authentication ? AUTHENTICATION_SETTINGS : {}),
		...(options.storage === undefined
			? {}
			: { SERVICE_SQL_DATABASE_URL: options.storage.url, SERVICE_SQL_DATABASE_SCHEMA: options.storage.schema }),
		...clickhouse?.settings,
		...options.env,
	};
	const { program = MAIN, inProcess = false } = options;
	return new TestServer({ port, grpcPort, workingDir, authentication, env, program, inProcess, owned: made.move() });
}

/** Loaded in tests only: benchmarks start servers, too. */
async function createDatabase() {
	const { createTestDatabase } = await import("../apps/server/src/storage/clickhouse/test-clickhouse.ts");
	return await createTestDatabase();
}

/** A running server on free ports: `await using server = await startServer();`. */
export async function startServer(options: ServerOptions = {}): Promise<TestServer> {
	const server = await createTestServer(options);
	try {
		await server.start();
	} catch (error) {
		await server[Symbol.asyncDispose]();
		throw error;
	}
	return server;
}

/** Ports for servers end below those that systems give to outgoing connections: from 32,768 on Linux, 49,152 on macOS. */
const PORTS = { first: 11_000, each: 1_000, ranges: 21 };
/** Test programs that run at the same time are in workers of different numbers; what starts beside them has none. */
const FIRST_PORT = PORTS.first + (Number(process.env["VITEST_POOL_ID"] ?? 0) % PORTS.ranges) * PORTS.each;
let portsTried = Math.floor(Math.random() * PORTS.each);

/**
 * A port that nobody listens on. It is not bound until its server starts, so each worker takes its ports in turn from a
 * range of its own: another one would find it free, too.
 */
export async function freePort(): Promise<number> {
	for (;;) {
		const port = FIRST_PORT + (portsTried++ % PORTS.each);
		const server = createServer();
		const isFree = await new Promise<boolean>((resolve) => {
			server.once("error", () => resolve(false)).listen(port, "127.0.0.1", () => resolve(true));
		});
		if (!isFree) continue;
		server.close();
		await once(server, "close");
		return port;
	}
}
