import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { makeCertificates } from "./certificates.ts";
import type {
	CertificateName,
	ConnectRequest,
	Control,
	Counters,
	ModelControl,
	Ports,
	RecordedRequest,
} from "./model-provider/control.ts";

const MAIN = join(import.meta.dirname, "model-provider/main.ts");
const WAITS_MS = 200_000;

/** File of the authority that signed the certificates of the stand-in and of the providers that it plays. */
export const PROVIDER_AUTHORITY = join(import.meta.dirname, "../certificates/authority.pem");

/** A request as it arrived. */
export interface ProviderRequest extends Omit<RecordedRequest, "body" | "rawHeaders"> {
	/** By lower-case name; a header that is there twice has its values joined by ", ". */
	readonly headers: Readonly<Record<string, string>>;
	/** Names and values in turn, as sent. */
	readonly rawHeaders: readonly string[];
	readonly bytes: Buffer;
	/** The body as JSON; undefined when it is none. */
	readonly json: unknown;
}

/** Stands in for model providers, in a process of its own; `model-provider/README.md` says what it can do. */
export class ModelProvider implements AsyncDisposable {
	/** Of plain HTTP, without a slash at the end. */
	readonly url: string;
	readonly ports: Ports;
	readonly #process: ChildProcess;

	private constructor(child: ChildProcess, ports: Ports) {
		this.#process = child;
		this.ports = ports;
		this.url = `http://127.0.0.1:${ports.http}`;
	}

	static async start(): Promise<ModelProvider> {
		makeCertificates();
		const child = fork(MAIN, [], { execArgv: ["--disable-warning=ExperimentalWarning"] });
		const ended = once(child, "exit").then(([code]) => {
			throw new Error(`the stand-in for model providers ended with ${String(code)}`);
		});
		const [ports] = await Promise.race([once(child, "message"), ended]);
		// Its end is expected from here on.
		ended.catch(() => undefined);
		return new ModelProvider(child, ports as Ports);
	}

	/** Base address for OpenAI, those that speak its API, and Ollama. */
	get openai(): string {
		return `${this.url}/v1`;
	}

	/** Base address as Anthropic's SDK takes it, without version. */
	get anthropic(): string {
		return this.url;
	}

	/** Base address of Gemini, with version. */
	get gemini(): string {
		return `${this.url}/v1beta`;
	}

	/** Of TLS with this certificate of `e2e/certificates`. */
	tlsUrl(certificate: CertificateName = "server"): string {
		return `https://localhost:${this.ports.tls[certificate]}`;
	}

	/** Of the proxy, which leads the hosts of real providers here; `control({ proxy })` sets whom it takes. */
	proxyUrl(credentials = "", scheme: "http" | "https" = "http"): string {
		const port = scheme === "http" ? this.ports.proxy : this.ports.tlsProxy;
		const at = credentials === "" ? "" : `${credentials}@`;
		return `${scheme}://${at}localhost:${port}`;
	}

	/** @throws with what is wrong with it */
	async control(control: Control): Promise<void> {
		await this.#ask("_control", { method: "POST", body: JSON.stringify(control) });
	}

	/** What one model does from now on; null makes it as its name says. */
	setModel(name: string, model: ModelControl | null): Promise<void> {
		return this.control({ models: { [name]: model } });
	}

	/** Forgets what was set, and every request. */
	reset(): Promise<void> {
		return this.control({ reset: true });
	}

	/** The requests so far, in the order in which they arrived. */
	async requests(
		filter: { readonly model?: string; readonly after?: number } = {},
	): Promise<readonly ProviderRequest[]> {
		const response = await this.#ask(`_requests?after=${filter.after ?? 0}`);
		const { requests } = (await response.json()) as { requests: readonly RecordedRequest[] };
		return requests.filter(({ model }) => filter.model === undefined || model === filter.model).map(read);
	}

	/** The newest request. @throws when there is none */
	async lastRequest(filter: { readonly model?: string } = {}): Promise<ProviderRequest> {
		const request = (await this.requests(filter)).at(-1);
		if (request === undefined) throw new Error("no request has arrived");
		return request;
	}

	/** Waits for a request that this accepts, such as one that was cancelled; the newest of several. */
	async waitForRequest(isMeant: (request: ProviderRequest) => boolean): Promise<ProviderRequest> {
		const deadline = Date.now() + WAITS_MS;
		while (Date.now() < deadline) {
			const found = (await this.requests()).findLast(isMeant);
			if (found !== undefined) return found;
			await sleep(20);
		}
		throw new Error("no such request has arrived");
	}

	/** Of one model, or of all together. */
	async counters(model?: string): Promise<Counters> {
		const response = await this.#ask("_counters");
		const { total, models } = (await response.json()) as { total: Counters; models: Record<string, Counters> };
		if (model === undefined) return total;
		return models[model] ?? { requests: 0, running: 0, most: 0, cancelled: 0 };
	}

	/** What the proxy was asked for. */
	async connects(): Promise<readonly ConnectRequest[]> {
		const { connects } = (await (await this.#ask("_connects")).json()) as { connects: readonly ConnectRequest[] };
		return connects;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		if (this.#process.exitCode !== null || this.#process.signalCode !== null) return;
		const ended = once(this.#process, "exit");
		this.#process.kill();
		await ended;
	}

	async #ask(path: string, init: RequestInit = {}): Promise<Response> {
		const response = await fetch(`${this.url}/${path}`, init);
		if (!response.ok) throw new Error(await response.text());
		return response;
	}
}

function read({ body, ...request }: RecordedRequest): ProviderRequest {
	const headers: Record<string, string> = {};
	for (let at = 0; at < request.rawHeaders.length; at += 2) {
		const name = (request.rawHeaders[at] ?? "").toLowerCase();
		const value = request.rawHeaders[at + 1] ?? "";
		headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
	}
	const bytes = Buffer.from(body, "base64");
	return { ...request, headers, bytes, json: parse(bytes) };
}

function parse(bytes: Buffer): unknown {
	try {
		return JSON.parse(bytes.toString());
	} catch (error) {
		if (error instanceof SyntaxError) return undefined;
		throw error;
	}
}

/** `await using provider = await startModelProvider();`, then `provider.url` and the names of models. */
export function startModelProvider(): Promise<ModelProvider> {
	return ModelProvider.start();
}
