import { type Audience, changeCredentials, type Tokens } from "../credentials.ts";
import { CommandFailure, EXIT } from "../failure.ts";
import type { Io } from "../io.ts";

/** A request takes its time, and clocks differ. */
const LEAST_MS = 30_000;

/** Which tokens of the credentials file. */
export interface TokenPlace {
	readonly profile: string;
	readonly url: string;
	readonly audience: Audience;
}

/** Access tokens of a log-in. They are refreshed by one process at a time, and others read what it wrote. */
export class AccessTokens {
	readonly #io: Pick<Io, "environment" | "signal">;
	readonly #place: TokenPlace;
	#tokens: Tokens;

	constructor(io: Pick<Io, "environment" | "signal">, place: TokenPlace, tokens: Tokens) {
		this.#io = io;
		this.#place = place;
		this.#tokens = tokens;
	}

	/**
	 * @param leastMs how long it has to be good for, if the server gives tokens for so long
	 * @throws CommandFailure when the authorization has ended
	 */
	async get(leastMs: number = LEAST_MS): Promise<string> {
		return (await this.tokens(leastMs)).access_token;
	}

	async tokens(leastMs: number = LEAST_MS): Promise<Tokens> {
		if (!isGoodFor(this.#tokens, leastMs)) await this.#renew((tokens) => isGoodFor(tokens, leastMs));
		return this.#tokens;
	}

	/** A token in the place of one that the server has refused. */
	async getInsteadOf(refused: string): Promise<string> {
		const isAnother = (tokens: Tokens) => tokens.access_token !== refused;
		if (!isAnother(this.#tokens)) await this.#renew(isAnother);
		return this.#tokens.access_token;
	}

	/** @param isWanted whether what another process has written will do */
	async #renew(isWanted: (tokens: Tokens) => boolean): Promise<void> {
		const { profile, url, audience } = this.#place;
		const { environment, signal } = this.#io;
		await changeCredentials(
			environment,
			async (credentials) => {
				const stored = Object.hasOwn(credentials.profiles, profile) ? credentials.profiles[profile] : undefined;
				const tokens = stored?.url === url ? stored.tokens?.[audience] : undefined;
				if (tokens !== undefined && isWanted(tokens)) {
					this.#tokens = tokens;
					return credentials;
				}
				const { commandFor, refresh } = await import("./oauth.ts");
				if (stored === undefined || tokens === undefined)
					throw new CommandFailure(
						EXIT.notAllowed,
						`The log-in ${profile} is gone: log in with ${commandFor(url, audience)}.`,
					);
				this.#tokens = await refresh(url, audience, tokens.refresh_token);
				const renewed = { ...stored, tokens: { ...stored.tokens, [audience]: this.#tokens } };
				return { ...credentials, profiles: { ...credentials.profiles, [profile]: renewed } };
			},
			signal,
		);
	}
}

function isGoodFor({ expires_at }: Tokens, ms: number): boolean {
	return Date.parse(expires_at) - Date.now() > ms;
}
