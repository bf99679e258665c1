import type { FastifyBaseLogger } from "fastify";
import { z } from "zod";
import { UserError } from "#base/errors.ts";
import { Outgoing, OutgoingError } from "../oauth2/outgoing.ts";
import { cleanName } from "./client-names.ts";
import type { Client } from "./clients.ts";
import { isAmong, redirectKind } from "./redirect-uris.ts";
import { WindowLimit } from "./window-limit.ts";

const MAX_URIS = 20;
const MAX_CHARACTERS = 65_536;
/** A document that changes counts from then on. */
const KNOWN_MS = 300_000;
/** So that nobody makes this server ask another one all the time. */
const UNKNOWN_MS = 30_000;
const MAX_KNOWN = 1_000;
/** Whoever makes up addresses could otherwise look through a host of the setting by way of this server. */
const MAX_READ = 30;
const READ_WINDOW_MS = 60_000;
/** Nothing has this name, so that what it may ask is public. */
const OUTSIDE = "https://outside.invalid/";

const Document = z.object({
	client_id: z.string(),
	client_name: z.string().nullish(),
	redirect_uris: z.array(z.string().max(2_048)).min(1).max(MAX_URIS),
	token_endpoint_auth_method: z.literal("none").nullish(),
	client_secret: z.undefined().optional(),
});

type Described = Pick<Client, "clientId" | "name" | "redirectUris">;

/**
 * Programs whose `client_id` is the https address of a document about them (OAuth Client ID Metadata Document), at the
 * hosts of `SERVICE_OAUTH2_CLIENT_METADATA_HOSTS`. A host that the setting names may be inside; one that only fits a
 * pattern has to be public, as whoever has a name below it decides where that leads.
 */
export class ClientDocuments implements AsyncDisposable {
	readonly #hosts: readonly string[];
	/** Those that are no patterns. */
	readonly #named: readonly string[];
	readonly #log: Pick<FastifyBaseLogger, "warn">;
	readonly #ca: string | undefined;
	readonly #reads = new WindowLimit(MAX_READ, READ_WINDOW_MS);
	readonly #outgoing = new Map<string, Outgoing>();
	readonly #known = new Map<string, { readonly found: Promise<Described | undefined>; readonly until: number }>();

	/** @param ca PEM of an authority to trust besides those of the system */
	constructor(hosts: readonly string[], log: Pick<FastifyBaseLogger, "warn">, ca?: string) {
		this.#hosts = hosts;
		this.#named = hosts.filter((host) => !host.startsWith("*."));
		this.#log = log;
		this.#ca = ca;
	}

	/** Whether a `client_id` is an address whose document may be read. */
	isDocument(clientId: string): boolean {
		const url = /^https:\/\/[^/?#@\s\\]+\/[^#\s\\]+$/.test(clientId) ? URL.parse(clientId) : null;
		// As it was sent: no dot segments, no default port, no host in another spelling.
		return url !== null && url.href === clientId && url.username === "" && isAmong(this.#hosts, url.hostname);
	}

	/**
	 * What the document says; undefined where there is none that counts.
	 * @param network where the question comes from
	 * @throws UserError 429 when it has made this server read too many documents
	 */
	async find(clientId: string, network: string): Promise<Described | undefined> {
		if (!this.isDocument(clientId)) return undefined;
		const known = this.#known.get(clientId);
		if (known !== undefined && known.until > performance.now()) return await known.found;
		const retryAfter = this.#reads.waitOf(network);
		if (retryAfter !== undefined) {
			const message = "Too many programs were asked for from your address; wait and try again.";
			throw new UserError(429, "too_many_programs", message, { retryAfter });
		}
		this.#reads.count(network);
		if (this.#known.size >= MAX_KNOWN) this.#known.clear();
		const found = this.#read(clientId);
		this.#known.set(clientId, { found, until: performance.now() + UNKNOWN_MS });
		if ((await found) !== undefined) this.#known.set(clientId, { found, until: performance.now() + KNOWN_MS });
		return await found;
	}

	async [Symbol.asyncDispose](): Promise<void> {
		for (const outgoing of this.#outgoing.values()) await outgoing[Symbol.asyncDispose]();
	}

	async #read(clientId: string): Promise<Described | undefined> {
		try {
			const { status, text } = await this.#outgoingFor(clientId).send(clientId, {
				headers: { accept: "application/json" },
			});
			if (status !== 200 || text.length > MAX_CHARACTERS) return this.#refuse(clientId, `status ${status}`);
			const parsed = Document.safeParse(JSON.parse(text));
			if (!parsed.success) return this.#refuse(clientId, z.prettifyError(parsed.error));
			const { client_id, client_name, redirect_uris: redirectUris } = parsed.data;
			const name = cleanName(client_name ?? new URL(clientId).host);
			if (client_id !== clientId) return this.#refuse(clientId, "it is of another client_id");
			if (name === undefined) return this.#refuse(clientId, "its client_name cannot be shown");
			const wrong = redirectUris.some((uri) => redirectKind(uri) === undefined);
			return wrong ? this.#refuse(clientId, "one of its redirect_uris is none") : { clientId, name, redirectUris };
		} catch (error) {
			if (error instanceof OutgoingError) return this.#refuse(clientId, error.reason);
			if (error instanceof SyntaxError) return this.#refuse(clientId, "it is no JSON");
			throw error;
		}
	}

	#refuse(clientId: string, why: string): undefined {
		this.#log.warn({ clientId, why: why.slice(0, 500) }, "the document of a program cannot be used");
	}

	#outgoingFor(clientId: string): Outgoing {
		const { hostname } = new URL(clientId);
		const home = isAmong(this.#named, hostname) ? `https://${hostname}/` : OUTSIDE;
		const outgoing = this.#outgoing.get(home) ?? new Outgoing(home, this.#ca);
		this.#outgoing.set(home, outgoing);
		return outgoing;
	}
}
