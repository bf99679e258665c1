import type { FastifyRequest, InjectOptions } from "fastify";
import type { ProblemCode } from "#base/problems.ts";
import { readersGone } from "#base/readers-gone.ts";
import type { App } from "#http/app-type.ts";
import { askedThrough } from "#http/asked-through.ts";
import { parseJson } from "#http/parse-json.ts";
import type { Audience } from "#http/principal.ts";

/** A route refused what a tool asked for. */
export class RestRefusal extends Error {
	override readonly name = "RestRefusal";
	readonly status: number;
	readonly code: ProblemCode;
	/** Of a filter that is wrong: where, in characters from 0, and what was probably meant. */
	readonly position: number | undefined;
	readonly suggestions: readonly string[];

	constructor(status: number, problem: Problem) {
		super(problem.detail ?? `The server answered ${status}.`);
		this.status = status;
		this.code = problem.code ?? "internal_error";
		this.position = problem.position;
		this.suggestions = problem.suggestions ?? [];
	}
}

interface Problem {
	readonly code?: ProblemCode;
	readonly detail?: string;
	readonly position?: number;
	readonly suggestions?: readonly string[];
}

type Query = Readonly<Record<string, string | number | boolean | readonly string[] | undefined>>;

/**
 * Sends requests to the routes of this server, without the network, as the caller of a tool: with the same credentials
 * and address, so that each is authenticated, admitted, limited, audited and counted as if the caller had sent it.
 */
export class Rest {
	readonly #app: App;
	readonly #headers: Readonly<Record<string, string>>;
	readonly #address: string;
	readonly #signal: AbortSignal;
	readonly #through: Audience;

	/**
	 * @param signal ends what runs, as if the caller had hung up
	 * @param through the entrance at which the caller was let in
	 */
	constructor(app: App, request: Pick<FastifyRequest, "headers" | "ip">, signal: AbortSignal, through: Audience) {
		this.#app = app;
		this.#address = request.ip;
		this.#signal = signal;
		this.#through = through;
		const { authorization, cookie, host, "user-agent": agent } = request.headers;
		this.#headers = {
			accept: "application/problem+json, application/json",
			...(authorization === undefined ? {} : { authorization }),
			// A key is what counts of both.
			...(authorization === undefined && cookie !== undefined ? { cookie } : {}),
			...(host === undefined ? {} : { host }),
			...(agent === undefined ? {} : { "user-agent": agent }),
		};
	}

	/**
	 * GET of a path whose variable parts are escaped.
	 * @typeParam T what the route's schema says
	 * @throws RestRefusal; AbortError once the signal has aborted
	 */
	async get<T>(path: string, query: Query = {}): Promise<T> {
		const asked = new URLSearchParams();
		for (const [name, value] of Object.entries(query))
			for (const each of value === undefined ? [] : [value].flat()) asked.append(name, String(each));
		return await this.#send<T>({ method: "GET", url: asked.size === 0 ? path : `${path}?${asked}` });
	}

	/** POST of JSON. @param idempotencyKey sent again, the request gets the first answer and does nothing */
	async post<T>(path: string, body: object, idempotencyKey?: string): Promise<T> {
		return await this.#send<T>({
			method: "POST",
			url: path,
			payload: JSON.stringify(body),
			headers: {
				"content-type": "application/json",
				...(idempotencyKey === undefined ? {} : { "idempotency-key": idempotencyKey }),
			},
		});
	}

	async #send<T>(sent: InjectOptions): Promise<T> {
		this.#signal.throwIfAborted();
		const send = async () =>
			await this.#app.inject({
				...sent,
				headers: { ...this.#headers, ...sent.headers },
				remoteAddress: this.#address,
				signal: this.#signal,
			});
		const { statusCode, body } = await this.#unlessAborted(
			// What the request is admitted by may be shared with others; what it reads ends with itself.
			readersGone.exit(() => askedThrough.run(this.#through, send)),
		);
		const json = parseJson(body);
		if (statusCode >= 400) throw new RestRefusal(statusCode, (json ?? { detail: body }) as Problem);
		return json as T;
	}

	/** A request whose body was read is not ended by its signal; the wait for it is. */
	async #unlessAborted<T>(answer: Promise<T>): Promise<T> {
		const aborted = Promise.withResolvers<never>();
		const abort = () => aborted.reject(this.#signal.reason);
		this.#signal.addEventListener("abort", abort);
		try {
			return await Promise.race([answer, aborted.promise]);
		} catch (error) {
			// Which of several errors comes depends on how far the request was.
			this.#signal.throwIfAborted();
			throw error;
		} finally {
			this.#signal.removeEventListener("abort", abort);
		}
	}
}

/** A path of these parts, each escaped. */
export function path(...parts: readonly string[]): string {
	return `/${parts.map(encodeURIComponent).join("/")}`;
}
