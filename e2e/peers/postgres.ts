import { chown, mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "../server.ts";
import { PeerProcess, runToEnd } from "./process.ts";

/** Debian's packages put the newest they have here. */
export const POSTGRES_BIN = "/usr/lib/postgresql/15/bin";
const READY_WITHIN_MS = 300_000;

export interface PostgresOptions {
	/** Lines of postgresql.conf beyond the usual ones, such as `fsync = on`. */
	readonly settings?: Readonly<Record<string, string>>;
	/** Where its data lies; a new folder that goes at the end when absent. */
	readonly folder?: string;
}

/** A PostgreSQL server of its own, without waiting for the disk unless `settings` say so, as tests of speed and crashes do. */
export class Postgres implements AsyncDisposable {
	readonly port: number;
	/** Of a superuser, to the database `spanward`. */
	readonly url: string;
	readonly folder: string;
	readonly #ownsFolder: boolean;
	readonly #settings: Readonly<Record<string, string>>;
	#process: PeerProcess | undefined;

	private constructor(folder: string, ownsFolder: boolean, port: number, settings: Readonly<Record<string, string>>) {
		this.folder = folder;
		this.#ownsFolder = ownsFolder;
		this.port = port;
		this.url = `postgresql://postgres@127.0.0.1:${port}/spanward`;
		this.#settings = settings;
	}

	static async start({ settings = {}, folder }: PostgresOptions = {}): Promise<Postgres> {
		const own = folder ?? (await mkdtemp(join(tmpdir(), "spanward-postgres-")));
		const postgres = new Postgres(own, folder === undefined, await freePort(), settings);
		try {
			// PostgreSQL refuses to run as root.
			const { uid, gid } = await postgresUser();
			await chown(own, uid, gid);
			await runAsPostgres("initdb", [
				...["-D", join(own, "data"), "-U", "postgres", "--auth=trust", "--no-sync"],
				...["--encoding=UTF8", "--locale=C.UTF-8"],
			]);
			await postgres.start();
			await runAsPostgres("psql", ["-h", "127.0.0.1", "-p", String(postgres.port), "-c", "create database spanward"]);
		} catch (error) {
			await postgres[Symbol.asyncDispose]();
			throw error;
		}
		return postgres;
	}

	/** A streaming replica of it, of which traces can be read. */
	async startReplica(): Promise<Postgres> {
		const folder = await mkdtemp(join(tmpdir(), "spanward-replica-"));
		const replica = new Postgres(folder, true, await freePort(), this.#settings);
		try {
			const { uid, gid } = await postgresUser();
			await chown(folder, uid, gid);
			const from = ["-h", "127.0.0.1", "-p", String(this.port), "-U", "postgres"];
			const how = ["-R", "--checkpoint=fast", "-X", "stream", "--no-sync"];
			await runAsPostgres("pg_basebackup", ["-D", join(folder, "data"), ...how, ...from]);
			await replica.start();
		} catch (error) {
			await replica[Symbol.asyncDispose]();
			throw error;
		}
		return replica;
	}

	/** Starts it again on the same port with what it holds. */
	async start(): Promise<void> {
		const settings = {
			listen_addresses: "127.0.0.1",
			unix_socket_directories: this.folder,
			max_connections: "400",
			fsync: "off",
			shared_buffers: "128MB",
			...this.#settings,
		};
		const lines = Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
		const program = [`${POSTGRES_BIN}/postgres`, "-D", join(this.folder, "data"), "-p", String(this.port), ...lines];
		const [command = "", ...args] = await asPostgres(program);
		this.#process = await PeerProcess.start({
			name: "postgres",
			command,
			args,
			isReady: () => this.isReady(),
			readyWithinMs: READY_WITHIN_MS,
		});
	}

	async isReady(): Promise<boolean> {
		try {
			await runToEnd(`${POSTGRES_BIN}/pg_isready`, ["-q", "-h", "127.0.0.1", "-p", String(this.port)]);
			return true;
		} catch {
			return false;
		}
	}

	/** Process id of the postmaster. */
	get pid(): number {
		if (this.#process === undefined) throw new Error("postgres is not running");
		return this.#process.pid;
	}

	/** Ends it as an operator would; open connections are cut. */
	async stop(): Promise<void> {
		await runAsPostgres("pg_ctl", ["-D", join(this.folder, "data"), "-m", "fast", "stop"]);
		await this.#process?.[Symbol.asyncDispose]();
		this.#process = undefined;
	}

	/** As if the power failed: no process of it lives, nothing is written any more. */
	async kill(): Promise<void> {
		const { pid } = this;
		const children = await this.#stopped();
		process.kill(-pid, "SIGKILL");
		// One that lives on would keep the memory that a new postmaster needs.
		for (const child of children) await endAtOnce(child);
		await this.#process?.[Symbol.asyncDispose]();
		this.#process = undefined;
	}

	/** Stops the postmaster, so that no child comes or goes. @returns its children: each connection has one, in a group of its own */
	async #stopped(): Promise<readonly number[]> {
		const { pid } = this;
		process.kill(pid, "SIGSTOP");
		const children = await readFile(`/proc/${pid}/task/${pid}/children`, "utf8");
		return children.trim().split(" ").filter(Boolean).map(Number);
	}

	/** As if its machine hung: connections stay, and nothing answers. Disposing lets it go on. */
	async freeze(): Promise<Disposable> {
		const { pid } = this;
		const pids = await this.#stopped();
		for (const child of pids) process.kill(child, "SIGSTOP");
		return {
			[Symbol.dispose]() {
				for (const frozen of [...pids, pid]) process.kill(frozen, "SIGCONT");
			},
		};
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#process !== undefined) await this.kill();
		if (this.#ownsFolder) await rm(this.folder, { recursive: true, force: true });
	}

	toJSON(): Pick<Postgres, "url" | "port"> {
		return { url: this.url, port: this.port };
	}
}

export function startPostgres(options: PostgresOptions = {}): Promise<Postgres> {
	return Postgres.start(options);
}

async function runAsPostgres(program: string, args: readonly string[]): Promise<string> {
	const [command = "", ...rest] = await asPostgres([`${POSTGRES_BIN}/${program}`, ...args]);
	return runToEnd(command, rest, { cwd: tmpdir() });
}

/** The command line that runs a program as the user postgres when this is root. */
export async function asPostgres(command: readonly string[]): Promise<readonly string[]> {
	if (process.getuid?.() !== 0) return command;
	const { uid, gid } = await postgresUser();
	return ["/usr/bin/setpriv", `--reuid=${uid}`, `--regid=${gid}`, "--clear-groups", ...command];
}

async function postgresUser(): Promise<{ uid: number; gid: number }> {
	if (process.getuid?.() !== 0) return { uid: process.getuid?.() ?? -1, gid: process.getgid?.() ?? -1 };
	const uid = Number((await runToEnd("/usr/bin/id", ["-u", "postgres"])).trim());
	const gid = Number((await runToEnd("/usr/bin/id", ["-g", "postgres"])).trim());
	return { uid, gid };
}

/** Kills a process, unless it has ended, and waits until it is gone. */
async function endAtOnce(pid: number): Promise<void> {
	const isAlive = async () => {
		const stat = await readFile(`/proc/${pid}/stat`, "utf8").catch(() => ") Z");
		return !/\) [ZX]/.test(stat);
	};
	if (await isAlive()) process.kill(pid, "SIGKILL");
	while (await isAlive()) await sleep(5);
}
