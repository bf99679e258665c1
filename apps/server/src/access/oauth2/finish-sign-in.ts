import type { FastifyReply, FastifyRequest } from "fastify";
import type { WritingContext } from "#context.ts";
import type { OAuth2Identity } from "../external-accounts/identity.ts";
import { logInExternally, previewLogIn } from "../external-accounts/log-in-externally.ts";
import { SignInRefusal, Steps } from "../sign-in/steps.ts";
import { reportPath, storeTry } from "../sign-in-tries/tries.ts";
import { ExchangeSlots } from "./exchange-slots.ts";
import { type Claims, identityFromClaims } from "./identity-from-claims.ts";
import type { ProviderClient, SeenClaims } from "./provider-client.ts";
import { safeReturnPath } from "./return-path.ts";
import type { Transaction } from "./transactions.ts";

const MAX_STATE = 256;

/** What is done when a provider has sent a browser back. */
export class FinishedSignIns {
	readonly #context: WritingContext;
	readonly #slots = new ExchangeSlots();

	constructor(context: WritingContext) {
		this.#context = context;
	}

	/**
	 * Logs in the person who has signed in, or stores the report of a try.
	 * @returns where the browser goes
	 * @throws SignInRefusal when the person may not log in
	 */
	async finish(provider: ProviderClient, request: FastifyRequest, reply: FastifyReply): Promise<string> {
		const { config } = this.#context;
		const answer = new URL(request.url, "http://callback.invalid").searchParams;
		const steps = new Steps();
		const transaction = await this.#take(provider, answer, request, reply, steps);
		if (transaction.tryOf !== null) {
			const id = await this.#try(transaction.tryOf, provider, transaction, answer, request, steps);
			return config.SERVICE_HOST_ROOT_PATH + reportPath(id);
		}
		const identity = await this.#identify(provider, transaction, answer, request, steps, { claims: null });
		const tokens = await logInExternally(this.#context, request, identity, steps);
		this.#context.auth.cookies.set(reply, tokens, this.#context.now());
		return safeReturnPath(transaction.returnUrl ?? undefined, config.SERVICE_HOST_ROOT_PATH);
	}

	/**
	 * The transaction that this browser has begun with this provider; it can be completed once, whatever the result.
	 * @throws SignInRefusal
	 */
	async #take(
		provider: ProviderClient,
		answer: URLSearchParams,
		request: FastifyRequest,
		reply: FastifyReply,
		steps: Steps,
	): Promise<Transaction> {
		const { auth, config, now } = this.#context;
		const [state = "", ...further] = answer.getAll("state");
		const isReadable = further.length === 0 && state.length <= MAX_STATE;
		const found = isReadable ? auth.oauth2.transactions?.find(state, request.headers, now()) : undefined;
		if (found === undefined) {
			throw steps.refuse(
				"callback",
				"invalid_state",
				"A browser came back from the provider with a sign-in that it has not begun here, or more than ten minutes ago. It has no cookie of it when it began at another address than SERVICE_ROOT_URL, or by http with SERVICE_USE_SECURE_COOKIES=true.",
				{
					settings: ["SERVICE_ROOT_URL", ...(config.SERVICE_USE_SECURE_COOKIES ? ["SERVICE_USE_SECURE_COOKIES"] : [])],
				},
			);
		}
		auth.oauth2.transactions?.forget(state, reply);
		if (found.provider !== provider.settings.id) {
			throw steps.refuse("callback", "invalid_state", "A browser came back from another provider than it was sent to.");
		}
		if (!(await this.#spend(found))) {
			throw steps.refuse("callback", "invalid_state", "A browser came back from the provider twice with one sign-in.");
		}
		return found;
	}

	/** False if it has been spent before. */
	async #spend({ state, expiresAt }: Transaction): Promise<boolean> {
		const { db, now } = this.#context;
		return await db.write(async (transaction) => {
			await transaction.deleteFrom("spent_sign_ins").where("expires_at", "<=", now()).execute();
			const inserted = await transaction
				.insertInto("spent_sign_ins")
				.values({ id: state, expires_at: expiresAt })
				.onConflict((conflict) => conflict.doNothing())
				.executeTakeFirst();
			return inserted.numInsertedOrUpdatedRows === 1n;
		});
	}

	async #identify(
		provider: ProviderClient,
		transaction: Transaction,
		answer: URLSearchParams,
		{ ip }: FastifyRequest,
		steps: Steps,
		seen: SeenClaims,
	): Promise<OAuth2Identity> {
		const exchanged = await this.#slots.run(ip, () => provider.claims(transaction, answer, steps, seen));
		if (exchanged === undefined) {
			throw steps.refuse("tokens", "oauth_error", "Too many sign-ins wait for providers: this one was not tried.");
		}
		const claims: Claims = exchanged.result;
		return identityFromClaims(provider.settings, String(claims["iss"]), claims, steps);
	}

	/** @returns the id of the report */
	async #try(
		userId: number,
		provider: ProviderClient,
		transaction: Transaction,
		answer: URLSearchParams,
		request: FastifyRequest,
		steps: Steps,
	): Promise<string> {
		const seen: SeenClaims = { claims: null };
		const report = { method: "OAUTH2", provider: provider.settings.id } as const;
		try {
			const identity = await this.#identify(provider, transaction, answer, request, steps, seen);
			await previewLogIn(this.#context, identity, steps);
			return await storeTry(this.#context, userId, { ...report, code: null, steps: steps.list, claims: seen.claims });
		} catch (error) {
			if (!(error instanceof SignInRefusal)) throw error;
			const { code } = error;
			return await storeTry(this.#context, userId, { ...report, code, steps: steps.list, claims: seen.claims });
		}
	}
}
