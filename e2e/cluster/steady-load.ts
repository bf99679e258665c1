import { setTimeout as sleep } from "node:timers/promises";
import { createLoad } from "../load.ts";
import type { TestServer } from "../server.ts";

const SENDERS_EACH = 2;
/** Between two requests of a sender: what was stored is read again whole. */
const REST_MS = 500;
/** Longer than any answer may take. */
const HANGS_MS = 20_000;
/** For what takes 20 s on a busy machine. */
const LONGEST_WAIT_MS = 240_000;

/** Exporters that send to servers what happens meanwhile, and send again what was not taken, as real ones do. */
export class SteadyLoad implements AsyncDisposable {
	/** "trace id/span id" of every span whose request was answered with 200. */
	readonly acknowledged = new Set<string>();
	/** What was wrong with answers: neither stored, nor to be sent again later. */
	readonly complaints: string[] = [];
	/** Answers that asked to send again, by `Retry-After`. */
	refused = 0;
	readonly #makeRequest = createLoad();
	readonly #running: Promise<unknown>;
	#sequence = 0;
	#stopped = false;

	constructor(servers: readonly TestServer[]) {
		const senders = servers.flatMap((server) => Array.from({ length: SENDERS_EACH }, () => this.#send(server)));
		this.#running = Promise.all(senders);
	}

	/** Waits until this many more requests were stored. */
	async untilStored(requests: number): Promise<void> {
		const enough = this.acknowledged.size + requests * 256;
		await this.#until(() => this.acknowledged.size >= enough, "stored");
	}

	/** Waits until this many more requests were answered with when to send again. */
	async untilRefused(requests: number): Promise<void> {
		const enough = this.refused + requests;
		await this.#until(() => this.refused >= enough, "refused");
	}

	/** @throws before the test is too old to say what is wrong */
	async #until(isReached: () => boolean, what: string): Promise<void> {
		const deadline = Date.now() + LONGEST_WAIT_MS;
		while (!isReached()) {
			if (Date.now() > deadline) throw new Error(`too few requests are ${what}; ${this.#describe()}`);
			await sleep(20);
		}
	}

	#describe(): string {
		const counts = `${this.acknowledged.size} spans were stored, ${this.refused} requests refused`;
		return [counts, ...this.complaints.slice(-5)].join("; ");
	}

	async stop(): Promise<void> {
		this.#stopped = true;
		await this.#running;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		await this.stop();
	}

	async #send(server: TestServer): Promise<void> {
		while (!this.#stopped) {
			const { body, spanKeys } = this.#makeRequest(this.#sequence++);
			let isStored = await this.#isStored(server, body);
			while (!isStored && !this.#stopped) {
				await sleep(REST_MS);
				isStored = await this.#isStored(server, body);
			}
			if (isStored) for (const key of spanKeys) this.acknowledged.add(key);
			await sleep(REST_MS);
		}
	}

	async #isStored(server: TestServer, body: Uint8Array): Promise<boolean> {
		try {
			const response = await server.fetch("/v1/traces", {
				method: "POST",
				headers: { "content-type": "application/x-protobuf" },
				body: Buffer.from(body),
				signal: AbortSignal.timeout(HANGS_MS),
			});
			const answer = await response.arrayBuffer();
			if (response.status === 200 && answer.byteLength === 0) return true;
			if (response.status === 503 && Number(response.headers.get("retry-after")) > 0) this.refused += 1;
			else this.complaints.push(`an export was answered with ${response.status} and ${answer.byteLength} bytes`);
		} catch (error) {
			// How fetch says that the connection broke, which a kill does.
			if (!(error instanceof TypeError)) this.complaints.push(`an export had no answer: ${error}`);
		}
		return false;
	}
}
