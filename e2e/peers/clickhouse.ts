import { randomBytes } from "node:crypto";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../server.ts";
import { CLICKHOUSE_OF_SOMEBODY, CLICKHOUSE_PYTHON } from "./missing.ts";
import { PeerProcess } from "./process.ts";

const SOURCES = join(import.meta.dirname, "clickhouse");
const CLUSTER = process.env["SPANWARD_TEST_CLICKHOUSE_CLUSTER"];
const READY_WITHIN_MS = 300_000;
/** Each statement is asked a few times, and to compile its expressions takes longer than they do. Answers are the same. */
const NOT_COMPILED = { compile_expressions: 0, compile_aggregate_expressions: 0, compile_sort_description: 0 };

export interface ClickHouseOptions {
	/** `name:password`, with `:ro` behind it for one who may only read; `default` without a password when absent. */
	readonly users?: readonly string[];
	/** Settings of the users' profile, which a request may override. */
	readonly profile?: Readonly<Record<string, string | number>>;
	/** Further elements of the configuration; `@FOLDER@` in it is the folder of what it holds. */
	readonly config?: string;
	/** An empty folder for what it holds, which stays; a temporary one when absent. */
	readonly folder?: string;
}

/** What goes wrong, and for which statements; see `clickhouse/README.md`. */
export type ClickHouseFault = {
	/** Regular expression of the statement, or of `/ping`. */
	readonly match: string;
	/** Statements that are spared first. */
	readonly skip?: number;
	/** 1 when absent. */
	readonly times?: number;
} & (
	| { readonly kind: "delay"; readonly ms: number }
	| { readonly kind: "drop_before" | "drop_after" }
	| { readonly kind: "error"; readonly code: number; readonly text?: string }
	| { readonly kind: "status"; readonly status: number; readonly text: string }
	| { readonly kind: "cut"; readonly bytes: number }
	| { readonly kind: "exception"; readonly bytes: number; readonly code: number; readonly tag?: string }
);

/**
 * The engine of ClickHouse behind its HTTP interface, with a data folder of its own. With `SPANWARD_TEST_CLICKHOUSE_URL`
 * the server at that address, for tests of "any clickhouse": it is neither started nor made to fail.
 */
export class ClickHouse implements AsyncDisposable {
	readonly port: number;
	readonly url: string;
	/** Of that of somebody: on whose nodes tables are made. */
	readonly cluster = CLUSTER;
	readonly #folder: string;
	readonly #options: ClickHouseOptions;
	/** To be dropped where somebody has other ones. */
	readonly #databases: string[] = [];
	#process: PeerProcess | undefined;

	private constructor(folder: string, url: string, options: ClickHouseOptions) {
		this.#folder = folder;
		this.url = url;
		this.port = Number(new URL(url).port);
		this.#options = options;
	}

	static async start(options: ClickHouseOptions): Promise<ClickHouse> {
		if (CLICKHOUSE_OF_SOMEBODY !== undefined) return new ClickHouse("", CLICKHOUSE_OF_SOMEBODY, {});
		const folder = options.folder ?? (await mkdtemp(join(tmpdir(), "spanward-clickhouse-")));
		const clickhouse = new ClickHouse(folder, `http://127.0.0.1:${await freePort()}`, options);
		try {
			await mkdir(join(folder, "backups"));
			const config = await readFile(join(SOURCES, "engine.xml"), "utf8");
			const further = config.replace("</clickhouse>", () => `${options.config ?? ""}</clickhouse>`);
			await writeFile(join(folder, "engine.xml"), further.replaceAll("@FOLDER@", folder));
			await clickhouse.start();
		} catch (error) {
			await clickhouse[Symbol.asyncDispose]();
			throw error;
		}
		return clickhouse;
	}

	/** Starts it again on the same port with what it holds. */
	async start(): Promise<void> {
		const { users = [], profile = {} } = this.#options;
		this.#process = await PeerProcess.start({
			name: "clickhouse",
			command: CLICKHOUSE_PYTHON,
			args: [
				join(SOURCES, "bridge.py"),
				...["--path", join(this.#folder, "data"), "--config", join(this.#folder, "engine.xml")],
				...["--port", String(this.port)],
				...users.flatMap((user) => ["--user", user]),
				...Object.entries({ ...NOT_COMPILED, ...profile }).flatMap(([name, value]) => [
					"--profile",
					`${name}=${value}`,
				]),
			],
			isReady: () => this.#answers(),
			readyWithinMs: READY_WITHIN_MS,
		});
	}

	/** Process id of the engine and what serves it: one process. */
	get pid(): number {
		return this.#running.pid;
	}

	/** Who asks, as the address says. */
	get account(): { readonly user: string; readonly password: string } {
		const { username, password } = new URL(this.url);
		return { user: decodeURIComponent(username) || "default", password: decodeURIComponent(password) };
	}

	/** Rows as TSV. @throws with what ClickHouse says */
	async ask(statement: string): Promise<string> {
		const { user, password } = this.account;
		const headers = { "x-clickhouse-user": user, "x-clickhouse-key": password };
		const url = Object.assign(new URL(this.url), { username: "", password: "" });
		const response = await fetch(url, { method: "POST", body: statement, headers });
		const text = await response.text();
		if (!response.ok) throw new Error(text);
		return text.trimEnd();
	}

	/** The name of a new database, which is dropped at the end, with settings of a server for it. */
	nameDatabase(): { readonly name: string; readonly settings: Readonly<Record<string, string>> } {
		const name = `spanward_test_${randomBytes(6).toString("hex")}`;
		this.#databases.push(name);
		return { name, settings: { ...ofCluster(), SERVICE_CLICKHOUSE_URL: this.url, SERVICE_CLICKHOUSE_DATABASE: name } };
	}

	/** Has these rules from now on, in place of former ones. */
	async fail(rules: readonly ClickHouseFault[]): Promise<void> {
		await this.#manage("faults", { method: "POST", body: JSON.stringify(rules) });
	}

	async heal(): Promise<void> {
		if (CLICKHOUSE_OF_SOMEBODY !== undefined) return;
		await this.#manage("faults", { method: "DELETE" });
	}

	/** How often a rule of the last `fail` was met. */
	async countFaults(): Promise<number> {
		const { hits } = (await this.#manage("faults")) as { hits: readonly unknown[] };
		return hits.length;
	}

	/** As if the power failed, but for what the page cache holds. */
	async kill(): Promise<void> {
		process.kill(-this.#running.pid, "SIGKILL");
		await this.#running[Symbol.asyncDispose]();
		this.#process = undefined;
	}

	/** As if its machine hung: connections stay, and nothing answers. Disposing lets it go on. */
	async freeze(): Promise<Disposable> {
		const { pid } = this.#running;
		process.kill(-pid, "SIGSTOP");
		// Its threads go on until each has got the signal.
		while (!(await isStopped(pid))) await sleep(5);
		return { [Symbol.dispose]: () => process.kill(-pid, "SIGCONT") };
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (CLICKHOUSE_OF_SOMEBODY !== undefined) {
			for (const name of this.#databases) await this.ask(`drop database if exists ${name}${ON_CLUSTER} sync`);
			return;
		}
		if (this.#process !== undefined) await this.kill();
		if (this.#options.folder === undefined) await rm(this.#folder, { recursive: true, force: true });
	}

	get #running(): PeerProcess {
		if (this.#process === undefined) throw new Error("clickhouse is not running");
		return this.#process;
	}

	async #answers(): Promise<boolean> {
		try {
			return (await fetch(`${this.url}/ping`)).ok;
		} catch {
			return false;
		}
	}

	async #manage(what: string, init: RequestInit = {}): Promise<unknown> {
		const response = await fetch(`${this.url}/_bridge/${what}`, init);
		if (!response.ok) throw new Error(`the ClickHouse of the tests answered ${response.status}`);
		return await response.json();
	}
}

/** Behind the name of what is made or dropped. */
export const ON_CLUSTER = CLUSTER === undefined ? "" : ` on cluster \`${CLUSTER}\``;

/** What servers are told of the cluster, where there is one. */
export function ofCluster(): Readonly<Record<string, string>> {
	return CLUSTER === undefined ? {} : { SERVICE_CLICKHOUSE_CLUSTER: CLUSTER };
}

/** `await using clickhouse = await startClickHouse();` */
export function startClickHouse(options: ClickHouseOptions = {}): Promise<ClickHouse> {
	return ClickHouse.start(options);
}

/** Whether all threads of a process are stopped, as Linux tells: https://man7.org/linux/man-pages/man5/proc_pid_stat.5.html */
async function isStopped(pid: number): Promise<boolean> {
	const tasks = `/proc/${pid}/task`;
	const stats = (await readdir(tasks)).map((task) => readFile(join(tasks, task, "stat"), "utf8"));
	return (await Promise.all(stats)).every((stat) => /\) T /.test(stat));
}
