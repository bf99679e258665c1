import type { OAuth2Provider } from "#base/settings/oauth2-settings.ts";
import { type Metadata, readMetadata } from "./metadata.ts";
import { type Outgoing, OutgoingError } from "./outgoing.ts";
import { outgoingFault } from "./outgoing-faults.ts";
import { ProviderFault } from "./provider-fault.ts";

export interface Discovered {
	readonly metadata: Metadata;
	/** How far the provider's clock was ahead when it was asked, in seconds; undefined when it did not say. */
	readonly clockAhead: number | undefined;
}

interface Known {
	readonly at: number;
	readonly outcome: Discovered | ProviderFault;
}

const KEPT_MS = 3_600_000;
/** A provider that is down is not asked again for everybody who wants to log in. */
const FAULT_KEPT_MS = 3_000;

/** The discovery document of a provider: asked for when it is first needed, kept for an hour at most. */
export class Discovery {
	readonly #provider: OAuth2Provider;
	readonly #outgoing: Outgoing;
	#known: Known | undefined;
	#asking: Promise<Discovered> | undefined;

	constructor(provider: OAuth2Provider, outgoing: Outgoing) {
		this.#provider = provider;
		this.#outgoing = outgoing;
	}

	/**
	 * @param maxAgeMs milliseconds; few for a caller that wants to know it as it is now
	 * @throws ProviderFault
	 */
	async get(maxAgeMs = KEPT_MS): Promise<Discovered> {
		const known = this.#known;
		if (known !== undefined) {
			const age = performance.now() - known.at;
			if (known.outcome instanceof ProviderFault) {
				if (age < FAULT_KEPT_MS) throw known.outcome;
			} else if (age < maxAgeMs) return known.outcome;
		}
		this.#asking ??= this.#ask().finally(() => {
			this.#asking = undefined;
		});
		return await this.#asking;
	}

	async #ask(): Promise<Discovered> {
		try {
			const outcome = await this.#fetch();
			this.#known = { at: performance.now(), outcome };
			return outcome;
		} catch (error) {
			if (error instanceof ProviderFault) this.#known = { at: performance.now(), outcome: error };
			throw error;
		}
	}

	async #fetch(): Promise<Discovered> {
		const { configUrl, prefix } = this.#provider;
		const asked = {
			step: "discovery",
			what: "the discovery document",
			address: configUrl,
			code: "oauth_error",
		} as const;
		const answer = await this.#outgoing.send(configUrl, { headers: { accept: "application/json" } }).catch((error) => {
			throw error instanceof OutgoingError ? outgoingFault(error, asked, prefix) : error;
		});
		if (answer.status !== 200) {
			throw new ProviderFault("discovery", `The provider answered ${answer.status} for the discovery document.`, {
				code: "oauth_error",
				settings: [`${prefix}OIDC_CONFIG_URL`],
				facts: [{ name: "Address", value: configUrl }],
			});
		}
		const date = Date.parse(answer.headers.get("date") ?? "");
		return {
			metadata: readMetadata(this.#provider, answer.text, this.#outgoing),
			clockAhead: Number.isNaN(date) ? undefined : Math.round((date - Date.now()) / 1_000),
		};
	}
}
